"""What is said of a name that nothing stands behind."""

from __future__ import annotations

import pytest

from reportgen.catalogue.names import unknown_name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SVN", "unknown candidate 'SVN'; did you mean 'svm'? Known are: lda, svm"),
        ("forest", "unknown candidate 'forest'. Known are: lda, svm"),
    ],
)
def test_the_nearest_name_is_offered_where_one_is_near(name: str, text: str) -> None:
    assert str(unknown_name("candidate", name, ["lda", "svm"])) == text
