"""Groups not distinguished, against all subsets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.multiplicity.cliques import maximal_cliques, skipped


def by_subsets(is_alike: np.ndarray) -> set[frozenset[int]]:
    """Try every subset of two or more, and keep those that are in no other."""
    k = len(is_alike)
    groups = [
        frozenset(s)
        for n in range(2, k + 1)
        for s in combinations(range(k), n)
        if all(is_alike[i, j] for i, j in combinations(s, 2))
    ]
    return {g for g in groups if not any(g < other for other in groups)}


@given(st.integers(0, 10_000), st.integers(1, 7), st.floats(0, 1))
def test_all_subsets(seed: int, k: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    is_alike = np.triu(rng.random((k, k)) < density, 1)
    is_alike |= is_alike.T
    order = [int(i) for i in rng.permutation(k)]
    found = maximal_cliques(is_alike, order)
    assert {frozenset(group) for group in found} == by_subsets(is_alike)
    assert len(found) == len(set(found))
    places = [[order.index(i) for i in group] for group in found]
    assert places == sorted(sorted(group) for group in places)


def test_nobody_alike() -> None:
    assert maximal_cliques(np.eye(4, dtype=bool), [3, 1, 0, 2]) == []


def test_a_group_may_skip_a_candidate() -> None:
    is_alike = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], dtype=bool)
    assert maximal_cliques(is_alike, [0, 1, 2]) == [(0, 2)]
    assert skipped((0, 2), [0, 1, 2]) == (1,)
    assert skipped((0, 2), [1, 0, 2]) == ()


def test_the_search_ends_after_so_many_groups() -> None:
    is_alike = ~np.kron(np.eye(30, dtype=bool), np.ones((2, 2), dtype=bool))  # 2^30 groups
    assert len(maximal_cliques(is_alike, list(range(60)), 100)) == 101
    assert len(maximal_cliques(is_alike[:12, :12], list(range(12)), 64)) == 64


def test_a_thousand_who_are_alike_are_one_group() -> None:
    order = list(range(1_200))
    assert maximal_cliques(np.ones((1_200, 1_200), dtype=bool), order) == [tuple(order)]
