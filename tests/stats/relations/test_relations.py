"""Chains and leaders of strict relations, by brute force."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.relations.relations import (
    as_relation,
    asymmetry,
    belongs_to,
    chain,
    closure,
    distance,
    incomparability,
    intransitivity,
    negative_intransitivity,
    of_intervals,
    of_pairs,
    of_statistic,
    order_class,
    unbeaten,
)
from tests.stats.orders import asymmetric, orders


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


# ------------------------------------------------------------------------------- classes


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        # labelled strict orders of 1 to 5 things: OEIS A000142, A000670, A006531, A079144, A001035
        ("linear", [1, 2, 6, 24, 120]),
        ("weak", [1, 3, 13, 75, 541]),
        ("semiorder", [1, 3, 19, 183, 2371]),
        ("interval", [1, 3, 19, 207, 3451]),
        ("partial", [1, 3, 19, 219, 4231]),
    ],
)
def test_there_are_as_many_orders_as_are_known(wanted: str, numbers: list[int]) -> None:
    assert [len(orders(n, wanted)) for n in range(1, 6)] == numbers


def test_violations_are_where_a_property_fails() -> None:
    for relation in asymmetric(4):
        r = relation
        triples = [
            t
            for t in product(range(4), repeat=3)
            if r[t[0], t[1]] and r[t[1], t[2]] and not r[t[0], t[2]]
        ]
        found = intransitivity(r, most=100)
        assert (found.n, list(found.first)) == (len(triples), triples)
        ties = [
            (i, j, k)
            for i, j, k in product(range(4), repeat=3)
            if r[i, k] and not r[i, j] and not r[j, k]
        ]
        found = negative_intransitivity(r, most=100)
        assert (found.n, list(found.first)) == (len(ties), ties)
        open_pairs = [(i, j) for i, j in combinations(range(4), 2) if not r[i, j] and not r[j, i]]
        assert list(incomparability(r).first) == open_pairs


def test_both_ways_is_no_order() -> None:
    both = np.array([[0, 1], [1, 0]], dtype=bool)
    assert asymmetry(both).first == ((0, 1),)
    assert order_class(both) == "none"
    with pytest.raises(ValueError, match="both ways"):
        of_pairs(2, [(0, 1), (1, 0)])
    with pytest.raises(ValueError, match="both ways"):
        of_pairs(2, [(0, 0)])
    with pytest.raises(ValueError, match="irreflexive"):
        as_relation(np.eye(2))
    with pytest.raises(ValueError, match="shape"):
        as_relation(np.zeros((2, 3)))


@given(
    st.lists(st.integers(0, 8), min_size=2, max_size=6),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.booleans(),
)
def test_statistics_give_weak_orders_and_with_epsilon_semiorders(
    numbers: list[int], epsilon: float, is_smaller_better: bool
) -> None:
    values = np.array(numbers, dtype=float)
    relation = of_statistic(values, is_smaller_better, epsilon)
    assert belongs_to(relation, "weak" if epsilon < 1 else "semiorder")
    assert np.array_equal(of_statistic(-values, not is_smaller_better, epsilon), relation)
    for i, j in np.argwhere(relation):
        gap = values[j] - values[i] if is_smaller_better else values[i] - values[j]
        assert gap > epsilon


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=2, max_size=6))
def test_intervals_give_interval_orders(ends: list[tuple[int, int]]) -> None:
    lower = np.array([low for low, _ in ends], dtype=float)
    upper = lower + np.array([width for _, width in ends])
    relation = of_intervals(lower, upper)
    assert belongs_to(relation, "interval")
    assert np.array_equal(of_intervals(-upper, -lower, is_smaller_better=False), relation)


def test_a_candidate_without_a_statistic_is_neither_better_nor_worse() -> None:
    relation = of_statistic(np.array([1.0, np.nan, 2.0]))
    assert np.argwhere(relation).tolist() == [[0, 2]]


def test_distance_counts_a_turn_twice_and_a_tie_once() -> None:
    abc, cba, tie = of_ranks((0, 1)), of_ranks((1, 0)), of_ranks((0, 0))
    assert (distance(abc, cba), distance(abc, tie), distance(abc, abc)) == (2, 1, 0)


def test_closure_is_reached_by_walking() -> None:
    for relation in asymmetric(4):
        reach = relation.copy()
        for _ in range(4):
            reach = reach | ((reach.astype(int) @ relation.astype(int)) > 0)
        assert np.array_equal(closure(relation), reach)
