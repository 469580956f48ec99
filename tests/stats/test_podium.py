"""Places on the podium."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from reportgen.stats.descriptive import has_tie, place_counts, places

matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 4))


@given(matrices, st.booleans(), st.integers(0, 100))
def test_places_follow_the_values(
    values: NDArray[np.float64], is_smaller_better: bool, seed: int
) -> None:
    taken = places(values, np.random.default_rng(seed), is_smaller_better)
    everyone = np.arange(1, values.shape[1] + 1)
    assert (np.sort(taken, axis=1) == everyone).all()
    ordered = np.take_along_axis(values, np.argsort(taken, axis=1), axis=1)
    steps = np.diff(ordered if is_smaller_better else -ordered, axis=1)
    assert (steps >= 0).all()
    counts = place_counts(taken)
    assert (counts.sum(axis=0) == len(values)).all()
    assert (counts.sum(axis=1) == len(values)).all()


def test_ties_are_broken_evenly_and_the_same_every_time() -> None:
    values = np.zeros((30_000, 3))
    taken = places(values, np.random.default_rng(1))
    np.testing.assert_array_equal(taken, places(values, np.random.default_rng(1)))
    # 10,000 expected in each cell, standard deviation 82
    assert (np.abs(place_counts(taken) - 10_000) < 4 * 82).all()


def test_has_tie() -> None:
    values = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    assert has_tie(values).tolist() == [True, False, True]


def test_incomplete_blocks() -> None:
    with pytest.raises(ValueError, match="complete"):
        places(np.array([[1.0, np.nan]]), np.random.default_rng(0))
