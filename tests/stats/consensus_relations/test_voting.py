"""Borda, Condorcet, Copeland and hierarchical orders, by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from reportgen.stats.consensus_relations.voting import hierarchical, vote
from reportgen.stats.relations.relations import chain, of_statistic
from tests.stats.orders import asymmetric

EXACT = 1e-9


def _ensembles(n: int, number: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(11)
    pool = asymmetric(n)
    found = []
    for _ in range(number):
        size = int(rng.integers(1, 6))
        members = np.array([pool[i] for i in rng.integers(len(pool), size=size)])
        found.append((members, rng.choice([0.5, 1.0, 2.0], size=size)))
    return found


def test_votes_by_counting() -> None:
    for members, weights in _ensembles(4, 60):
        votes = vote(members, weights)
        total = weights.sum()
        for i in range(4):
            points = sum(
                w * (1.0 if m[i, j] else 0.0 if m[j, i] else 0.5)
                for m, w in zip(members, weights, strict=True)
                for j in range(4)
                if j != i
            )
            assert votes.borda[i] == pytest.approx(points / (3 * total), abs=EXACT)
        ahead = np.tensordot(weights, members.astype(float), axes=1)
        assert np.array_equal(votes.majority, ahead > ahead.T + EXACT)
        winners = [i for i in range(4) if votes.majority[i].sum() == 3]
        assert votes.condorcet_winner == (winners[0] if winners else None)


def test_the_smith_set_is_the_smallest_that_beats_the_rest() -> None:
    for members, weights in _ensembles(4, 60):
        votes = vote(members, weights)
        dominant = [
            chosen
            for size in range(1, 5)
            for chosen in combinations(range(4), size)
            if all(votes.majority[i, j] for i in chosen for j in range(4) if j not in chosen)
        ]
        assert votes.smith_set == dominant[0]


def test_condorcets_paradox_has_no_winner() -> None:
    abc = np.triu(np.ones((3, 3), dtype=bool), k=1)
    votes = vote(np.array([np.roll(np.roll(abc, s, axis=0), s, axis=1) for s in range(3)]))
    assert votes.condorcet_winner is None
    assert votes.smith_set == (0, 1, 2)
    assert votes.copeland.tolist() == [0, 0, 0]
    assert np.ptp(votes.borda) == pytest.approx(0.0, abs=EXACT)


def test_ties_are_broken_in_turn() -> None:
    by_error = of_statistic(np.array([1.0, 1.0, 2.0, 2.0]))
    by_time = of_statistic(np.array([5.0, 5.0, 9.0, 3.0]))
    by_size = of_statistic(np.array([2.0, 1.0, 0.0, 0.0]))
    assert chain(hierarchical([by_error])) == [[0, 1], [2, 3]]
    assert chain(hierarchical([by_error, by_time])) == [[0, 1], [3], [2]]
    assert chain(hierarchical([by_error, by_time, by_size])) == [[1], [0], [3], [2]]
    with pytest.raises(ValueError, match="at least one"):
        hierarchical([])
