"""Chains and leaders of strict relations, by brute force."""

from __future__ import annotations

from itertools import product

import numpy as np

from reportgen.stats.relations import chain, unbeaten


def relations(n: int) -> list[np.ndarray]:
    """Return all irreflexive relations on n things."""
    cells = [(i, j) for i in range(n) for j in range(n) if i != j]
    found = []
    for bits in product([False, True], repeat=len(cells)):
        incidence = np.zeros((n, n), dtype=bool)
        incidence[tuple(np.array(cells).T)] = bits
        found.append(incidence)
    return found


def of_ranks(ranks: tuple[int, ...]) -> np.ndarray:
    rank = np.array(ranks)
    return rank[:, None] < rank


def test_exactly_the_weak_orders_have_a_chain() -> None:
    weak = {of_ranks(r).tobytes() for r in product(range(4), repeat=4)}
    assert len(weak) == 75  # ordered partitions of four things
    with_chain = [r for r in relations(4) if chain(r) is not None]
    assert {r.tobytes() for r in with_chain} == weak


def test_chain_lists_the_classes_best_first() -> None:
    assert chain(of_ranks((1, 0, 1, 2))) == [[1], [0, 2], [3]]
    assert chain(of_ranks((0, 0))) == [[0, 1]]
    assert chain(np.zeros((1, 1), dtype=bool)) == [[0]]


def test_unbeaten() -> None:
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    assert unbeaten(cycle) == []
    for relation in relations(3):
        expected = [j for j in range(3) if not any(relation[i, j] for i in range(3))]
        assert unbeaten(relation) == expected
