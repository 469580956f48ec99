"""Decisions against statistics.md 7, case by case and by symmetry."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.decisions import OPPOSITE, decide, equivalence_bound

AREA = (-1.0, 1.0)
bounds = st.tuples(st.floats(-5, 5), st.floats(-5, 5)).map(sorted)
areas = st.one_of(st.none(), st.floats(0.01, 3).map(lambda d: (-d, d)))


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-3.0, -1.5), "better-relevant"),
        ((-3.0, -1.0), "better"),  # touches the area: relevance is open
        ((-3.0, -0.5), "better"),
        ((-3.0, 0.0), "undecided"),  # touches 0
        ((-3.0, 0.5), "undecided"),
        ((-3.0, 3.0), "undecided"),  # holds the whole area
        ((-1.0, 0.5), "undecided"),  # touches the area's edge from inside
        ((-0.9, 0.9), "equivalent"),
        ((-0.9, -0.1), "equivalent"),  # significant, and still equivalent
        ((0.1, 0.9), "equivalent"),
        ((0.5, 3.0), "worse"),
        ((1.0, 3.0), "worse"),
        ((1.5, 3.0), "worse-relevant"),
    ],
)
def test_every_row_of_the_table(interval: tuple[float, float], expected: str) -> None:
    assert decide(*interval, AREA) == expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [((-3.0, -1.5), "better"), ((-1.0, 2.0), "undecided"), ((0.1, 0.2), "worse")],
)
def test_without_an_area(interval: tuple[float, float], expected: str) -> None:
    assert decide(*interval, None) == expected


@given(bounds, areas)
def test_direction_turns_the_decision(
    interval: list[float], area: tuple[float, float] | None
) -> None:
    lower, upper = interval
    found = decide(lower, upper, area)
    assert decide(lower, upper, area, is_smaller_better=False) == OPPOSITE[found]
    assert decide(-upper, -lower, area) == OPPOSITE[found]


@given(bounds, st.floats(0.01, 3))
def test_area_of_the_equivalence_bound_is_the_smallest(interval: list[float], d: float) -> None:
    lower, upper = interval
    is_equivalent = decide(lower, upper, (-d, d)) == "equivalent"
    assert is_equivalent == (equivalence_bound(lower, upper) < d)


@given(bounds, areas)
def test_undecided_means_not_significant(
    interval: list[float], area: tuple[float, float] | None
) -> None:
    lower, upper = interval
    if decide(lower, upper, area) == "undecided":
        assert lower <= 0 <= upper


def test_asymmetric_area_of_an_ordered_pair_follows_the_direction() -> None:
    assert decide(-3.0, -1.5, (-2.0, 1.0)) == "better"
    assert decide(1.5, 3.0, (-2.0, 1.0), is_smaller_better=False) == "better-relevant"


@pytest.mark.parametrize("interval", [(1.0, 0.0), (nan, 0.0), (0.0, nan)])
def test_no_interval(interval: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="lower <= upper"):
        decide(*interval, None)


@pytest.mark.parametrize("area", [(0.0, 1.0), (1.0, -1.0), (-1.0, nan)])
def test_no_area(area: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="d1 < 0 < d2"):
        decide(0.0, 1.0, area)
