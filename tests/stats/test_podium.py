"""Places on the podium."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from reportgen.stats.descriptive import has_tie, place_counts, places, tie_breakers

HASHES = [[301794027, 861530427], [3974593345, 44277440]]

matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 4))


def breakers(values: NDArray[np.float64]) -> NDArray[np.uint32]:
    return tie_breakers(np.arange(1, len(values) + 1), range(values.shape[1]))


@given(matrices, st.booleans())
def test_places_follow_the_values(values: NDArray[np.float64], is_smaller_better: bool) -> None:
    taken = places(values, breakers(values), is_smaller_better)
    everyone = np.arange(1, values.shape[1] + 1)
    assert (np.sort(taken, axis=1) == everyone).all()
    ordered = np.take_along_axis(values, np.argsort(taken, axis=1), axis=1)
    steps = np.diff(ordered if is_smaller_better else -ordered, axis=1)
    assert (steps >= 0).all()
    counts = place_counts(taken)
    assert (counts.sum(axis=0) == len(values)).all()
    assert (counts.sum(axis=1) == len(values)).all()


def test_ties_are_broken_evenly() -> None:
    values = np.zeros((30_000, 3))
    # 10,000 expected in each cell, standard deviation 82
    assert (np.abs(place_counts(places(values, breakers(values))) - 10_000) < 4 * 82).all()


def test_orders_of_ties_are_even_and_no_two_replications_go_together() -> None:
    drawn = tie_breakers(np.arange(1, 2001), range(30))
    assert len(np.unique(drawn)) == drawn.size
    first = drawn[:, :, None] < drawn[:, None, :]
    shares = first.mean(axis=0)[np.triu_indices(30, 1)]
    # 0.5 expected of every pair, standard deviation 0.0112; 435 pairs
    assert np.abs(shares - 0.5).max() < 4.5 * 0.0112
    again = (first[1:] == first[:-1]).mean(axis=0)[np.triu_indices(30, 1)]
    assert np.abs(again - 0.5).max() < 4.5 * 0.0112


def test_tie_breakers_by_hand() -> None:
    """A number of the other language: what the page's script computes."""
    assert tie_breakers(np.array([1, 250]), [0, 5]).tolist() == HASHES


def test_who_else_takes_part_breaks_no_tie() -> None:
    whole = tie_breakers(np.arange(9), range(6))
    part = tie_breakers(np.array([2, 7]), [1, 4])
    assert whole[np.ix_([2, 7], [1, 4])].tolist() == part.tolist()


def test_has_tie() -> None:
    values = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    assert has_tie(values).tolist() == [True, False, True]


def test_incomplete_blocks() -> None:
    with pytest.raises(ValueError, match="complete"):
        places(np.array([[1.0, np.nan]]), breakers(np.zeros((1, 2))))
