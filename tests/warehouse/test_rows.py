"""The order of performances, against pandas' own sorting and searching."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.warehouse.rows import (
    DIGITS,
    NUMBER,
    cells,
    in_order,
    natural_order,
    rows_of,
    second_rows,
)

KEY = ["dataset", "measure", "replication", "candidate"]


def _frame(replications: list[int], seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    shape = (2, 3, len(replications), 4)
    d, m, b, k = (axis.ravel() for axis in np.indices(shape))
    frame = pd.DataFrame(
        {
            "dataset": pd.Categorical.from_codes(d, ["x", "y"]),
            "measure": pd.Categorical.from_codes(m, list("pqr")),
            "replication": np.array(replications)[b],
            "candidate": pd.Categorical.from_codes(k, list("dcba")),
            "value": np.arange(d.size),
        }
    )
    return frame.iloc[rng.permutation(len(frame))]


@pytest.mark.parametrize("replications", [[1, 2, 3], [-5, 0, 2**62], [7]])
def test_as_pandas_sorts(replications: list[int]) -> None:
    frame = _frame(replications)
    ordered, twice = in_order(frame)
    assert not twice.any()
    pd.testing.assert_frame_equal(ordered, frame.sort_values(KEY, ignore_index=True))
    again, _ = in_order(ordered)
    pd.testing.assert_frame_equal(again, ordered)


def test_the_same_cell_has_the_same_number() -> None:
    frame = pd.concat([_frame([1, 2]), _frame([2, 3], seed=2)], ignore_index=True)
    assert len(set(cells(frame))) == len(frame.drop_duplicates(KEY))
    assert np.array_equal(second_rows(frame), frame.duplicated(KEY))
    ordered, twice = in_order(frame)
    assert twice.sum() == frame.duplicated(KEY).sum()
    assert np.array_equal(twice, ordered.duplicated(KEY))


def test_rows_of_a_data_set_and_a_measure() -> None:
    ordered, _ = in_order(_frame([1, 2, 3]))
    for dataset in ("x", "y"):
        assert ordered.iloc[rows_of(ordered, dataset)].equals(
            ordered[ordered["dataset"] == dataset]
        )
        for measure in "pqr":
            found = ordered.iloc[rows_of(ordered, dataset, measure)]
            assert found.equals(
                ordered[(ordered["dataset"] == dataset) & (ordered["measure"] == measure)]
            )
    assert len(ordered.iloc[rows_of(ordered, "z")]) == 0
    assert len(ordered.iloc[rows_of(ordered, "x", "z")]) == 0


def _parts(name: str) -> tuple[object, ...]:
    """Take a name apart: what is a number stands before text, in which numbers count by value."""
    if NUMBER.fullmatch(name):
        return (0, float(name), name)
    texts, numbers = DIGITS.split(name.casefold()), DIGITS.findall(name.casefold())
    numbers = [float(number) for number in numbers]
    turns = [part for pair in zip(texts, numbers, strict=False) for part in pair]
    return (1, [*turns, texts[-1]], name)


NAMES = st.text("-+.eE 0129aBß\u0663", max_size=6) | st.sampled_from(
    ["1e999", "-1e999", "9" * 400, "1" + "0" * 400, "-0", "0", "+0", "00", "1e-400"]
)
ENDS = st.from_regex(r"[0129]{1,3}", fullmatch=True)


@given(st.lists(NAMES, unique=True, max_size=12))
def test_natural_order_is_that_of_parts(names: list[str]) -> None:
    assert natural_order(names) == sorted(names, key=_parts)


@given(
    st.sampled_from(["", "-", "+", "run ", "a.", "1.", "1e", "-1e", "v2-", "v2-1", "X"]) | NAMES,
    st.lists(ENDS, unique=True, max_size=12),
)
def test_natural_order_of_names_that_differ_in_their_last_number(
    first: str, ends: list[str]
) -> None:
    names = [f"{first}{end}" for end in ends]
    assert natural_order(names) == sorted(names, key=_parts)
