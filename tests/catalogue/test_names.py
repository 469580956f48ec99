"""What is said of a name that nothing stands behind."""

from __future__ import annotations

import pytest

from reportgen.catalogue.names import unknown_name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SVN", "found the unknown candidate 'SVN'; allowed lda, svm; did you mean svm?"),
        ("forest", "found the unknown candidate 'forest'; allowed lda, svm"),
    ],
)
def test_the_nearest_name_is_offered_where_one_is_near(name: str, text: str) -> None:
    assert str(unknown_name("candidate", name, ["lda", "svm"])) == text
