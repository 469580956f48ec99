"""Paired comparisons of performances."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.worths.comparisons import (
    compare,
    complete,
    count,
    indicators,
    n_candidates_of,
    pairs,
)


def test_the_smaller_performance_is_preferred_unless_said_otherwise() -> None:
    errors = np.array([[0.1, 0.2, 0.1], [0.3, 0.2, 0.4]])
    assert compare(errors).tolist() == [[1, 0, -1], [-1, 1, 1]]
    assert compare(errors, smaller_is_better=False).tolist() == [[-1, 0, 1], [1, -1, -1]]


def test_differences_within_epsilon_are_ties() -> None:
    performances = np.array([[1.0, 1.5, 2.25]])
    assert compare(performances, epsilon=0.5).tolist() == [[0, 1, 1]]
    assert compare(performances, epsilon=0.75).tolist() == [[0, 1, 0]]


def test_missing_performances_make_missing_outcomes_of_their_pairs_only() -> None:
    outcomes = compare(np.array([[1.0, np.nan, 2.0], [1.0, 2.0, 3.0]]))
    assert outcomes.tolist() == [[2, 1, 2], [1, 1, 1]]
    assert complete(outcomes).tolist() == [False, True]
    assert count(outcomes).tolist() == [[1, 0, 0], [2, 0, 0], [1, 0, 0]]
    assert indicators(outcomes)[0].sum() == 1


def test_infinite_performances_of_one_sign_tie() -> None:
    assert compare(np.array([[np.inf, np.inf, 1.0]])).tolist() == [[0, -1, -1]]


def test_numbers_of_pairs_and_candidates_belong_together() -> None:
    assert [n_candidates_of(len(pairs(k))) for k in range(2, 9)] == list(range(2, 9))
    with pytest.raises(ValueError, match="has 4 pairs"):
        n_candidates_of(4)


@pytest.mark.parametrize("epsilon", [-1.0, np.nan])
def test_epsilon_must_be_a_distance(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        compare(np.ones((2, 2)), epsilon=epsilon)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="K >= 2"):
        compare(np.ones((3, 1)))
    with pytest.raises(ValueError, match="outcomes must be"):
        indicators(np.array([[7]], dtype=np.int8))
