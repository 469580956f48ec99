"""ARFF: what its definition allows, and what is refused with its line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.catalogue.datasets.arff import read_arff

WEATHER = """% a comment
@RELATION 'play it'

@ATTRIBUTE outlook {sunny, 'very rainy', "over, cast"}
@attribute "temperature (F)" Real
@ATTRIBUTE when DATE "yyyy-MM-dd"
@ATTRIBUTE note string
@DATA
sunny, 85, 2001-04-03, 'hot, dry'
% another one
'very rainy',?,?,"it\\'s \\"wet\\""
"over, cast" , -6.5e1, 2001-04-05, ?
"""


def test_every_kind_of_attribute() -> None:
    found = read_arff(WEATHER)
    assert list(found) == ["outlook", "temperature (F)", "when", "note"]
    assert found["outlook"].tolist() == ["sunny", "very rainy", "over, cast"]
    assert found["outlook"].cat.categories.tolist() == ["sunny", "very rainy", "over, cast"]
    assert np.array_equal(found["temperature (F)"], [85.0, np.nan, -65.0], equal_nan=True)
    assert found["note"].tolist()[:2] == ["hot, dry", 'it\'s "wet"']
    assert found["note"].isna().tolist() == [False, False, True]


HEAD = "@relation r\n@attribute x numeric\n@attribute y {a, b}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found no @data"),
        ("x,y\n1,2\n", "line 1: found 'x,y'; allowed @attribute"),
        ("@relation r\n@data\n1\n", "found no @attribute"),
        ("@attribute x numeric\n@attribute x real\n@data\n", "line 2: .*'x' twice"),
        ("@attribute x relational\n@data\n", "line 1: found the kind 'relational'"),
        (HEAD + "@data\n{0 1, 1 a}\n", "line 5: found a sparse row"),
        (HEAD + "@data\n1,a,b\n", "line 5: found 3 values; allowed 2"),
        (HEAD + "@data\n1,a\none,a\n", "line 6: found 'one' for 'x'; allowed a number"),
        (HEAD + "@data\n1,c\n", "line 5: found 'c' for 'y'; allowed a, b"),
        (HEAD + "@data\n1,'a\n", "line 5: found"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_arff(text)


def test_a_header_without_rows() -> None:
    assert read_arff(HEAD + "@data\n").shape == (0, 2)


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1)


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_quoted_text_comes_back(rows: list[tuple[str, float]]) -> None:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = [f"{quoted(text)}, {number!r}" for text, number in rows]
    text = "@attribute t string\n@attribute x real\n@data\n" + "\n".join(lines)
    expected = pd.DataFrame(rows, columns=["t", "x"]).astype({"t": "str"})
    pd.testing.assert_frame_equal(read_arff(text), expected)
