"""The parts of the search: blocks, domains, conditions, prices, weights, moves, work."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from reportgen.stats.consensus_relations.block import all_within, cheaper, improved
from reportgen.stats.consensus_relations.nearest import blocks, whole_weights
from reportgen.stats.consensus_relations.orders import (
    FIRST,
    SECOND,
    TIED,
    TURNED,
    Work,
    all_possible,
    decided,
    propagate,
)
from reportgen.stats.consensus_relations.program import broken_cuts, least_cost, price, relax
from reportgen.stats.relations.relations import CLASSES, OrderClass, belongs_to
from tests.stats.orders import asymmetric, orders

PLENTY = 60_000


def _costs(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return whole costs whose pairs are now clear, now not."""
    costs = rng.integers(-4, 5, size=(n, n)) + 3 * np.sign(rng.random((n, 1)) - 0.5).astype(int)
    np.fill_diagonal(costs, 0)
    return costs.astype(np.int64)


def _cheapest(costs: np.ndarray, wanted: str) -> tuple[int, np.ndarray]:
    pool = orders(len(costs), wanted)
    totals = (pool * costs).sum(axis=(1, 2))
    return int(totals.min()), pool[totals == totals.min()]


@pytest.mark.parametrize("wanted", CLASSES)
def test_all_optima_put_one_block_before_the_next(wanted: OrderClass) -> None:
    rng = np.random.default_rng(1)
    n_cut = 0
    for n in (3, 4, 4, 4, 4, 4, 5, 5):
        costs = _costs(rng, n)
        parts = blocks(costs, wanted)
        assert sorted(np.concatenate(parts).tolist()) == list(range(n))
        n_cut += len(parts) > 1
        _, optima = _cheapest(costs, wanted)
        for upper, lower in combinations(parts, 2):
            assert all(r[np.ix_(upper, lower)].all() for r in optima)
    assert n_cut > 2


def domains_of(relation: np.ndarray) -> np.ndarray:
    """Return the one answer of each pair of a relation; the diagonal is free."""
    found = np.where(relation, FIRST, np.where(relation.T, SECOND, TIED)).astype(np.uint8)
    np.fill_diagonal(found, FIRST | SECOND | TIED)
    return found


@pytest.mark.parametrize("wanted", CLASSES)
def test_propagation_loses_no_order_and_decides_right(wanted: OrderClass) -> None:
    rng = np.random.default_rng(2)
    pool = orders(4, wanted)
    for _ in range(60):
        start = rng.integers(1, 8, size=(4, 4)).astype(np.uint8) & all_possible(4, wanted)
        upper = np.triu(np.where(start == 0, FIRST, start), k=1)
        domains = upper + np.tril(TURNED[upper].T, k=-1)
        np.fill_diagonal(domains, FIRST | SECOND | TIED)
        fitting = [r for r in pool if ((domains_of(r) & domains) == domains_of(r)).all()]
        left = propagate(domains, wanted)
        if left is None:
            assert not fitting
            continue
        assert (left & ~domains == 0).all()
        for relation in fitting:
            assert ((domains_of(relation) & left) == domains_of(relation)).all()
        only = decided(left)
        if only is not None and fitting:
            assert np.array_equal(only, fitting[0])


@pytest.mark.parametrize("wanted", CLASSES)
def test_conditions_are_broken_by_all_that_are_no_orders_and_by_no_order(
    wanted: OrderClass,
) -> None:
    for relation in asymmetric(4):
        if wanted == "linear" and (relation | relation.T).sum() < 12:
            continue  # that pairs are distinguished is an equation of the program
        is_broken = len(broken_cuts(relation.astype(float), wanted)) > 0
        assert is_broken != belongs_to(relation, wanted)


@pytest.mark.parametrize("wanted", CLASSES)
def test_prices_bound_every_order_and_the_search_finds_all(wanted: OrderClass) -> None:
    rng = np.random.default_rng(3)
    for n in (3, 4, 4, 4, 5):
        costs = _costs(rng, n)
        least, optima = _cheapest(costs, wanted)
        domains = all_possible(n, wanted)
        root = relax(costs, wanted, domains, Work(PLENTY))
        assert root is not None
        priced = price(costs, root)
        bound, rises = least_cost(priced, domains)
        pool = orders(n, wanted)
        for relation in pool[:: max(1, len(pool) // 60)]:
            cost = int(costs[relation].sum()) * priced.scale
            assert cost >= bound
            told = np.array([relation, relation.T, ~(relation | relation.T)])
            off = ~np.eye(n, dtype=bool)
            assert cost >= bound + int(rises[told & off].max())
        found = all_within(costs, wanted, least, root, domains, 5000, Work(PLENTY))
        assert found.is_exhausted
        assert {r.tobytes() for r in found.relations} == {r.tobytes() for r in optima}
        far = int(costs[costs > 0].sum()) + 1
        best = cheaper(costs, wanted, far, root, domains, 1, Work(PLENTY))
        assert int(costs[best.relations[-1]].sum()) == least
        assert best.is_exhausted
        none = all_within(costs, wanted, least - 1, root, domains, 5, Work(PLENTY))
        assert (none.relations, none.is_exhausted) == ((), True)


def test_moves_end_in_an_order_that_no_move_betters() -> None:
    rng = np.random.default_rng(4)
    for wanted in ("linear", "weak"):
        for _ in range(20):
            costs = _costs(rng, 5)
            found = improved(costs, wanted, rng.random(5))  # type: ignore[arg-type]
            assert belongs_to(found, wanted)  # type: ignore[arg-type]
            assert int(costs[found].sum()) >= _cheapest(costs, wanted)[0]


@pytest.mark.parametrize(
    ("weights", "values", "unit"),
    [
        ((1.0, 1.0), (1, 1), Fraction(1)),
        ((2.0, 4.0), (1, 2), Fraction(2)),
        ((1.0, 1.5, 0.2), (10, 15, 2), Fraction(1, 10)),
        ((1 / 3, 2 / 3, 0.0), (1, 2, 0), Fraction(1, 3)),
        ((0.1, 0.2, 0.3), (1, 2, 3), Fraction(1, 10)),
    ],
)
def test_weights_that_are_fractions_are_exact(
    weights: tuple[float, ...], values: tuple[int, ...], unit: Fraction
) -> None:
    whole = whole_weights(np.array(weights))
    assert whole.is_exact
    assert tuple(whole.values) == values
    assert whole.unit == unit
    assert whole.slack(12) == 0


def test_other_weights_are_rounded_by_less_than_the_slack() -> None:
    weights = np.array([np.pi, np.sqrt(2), 1e-9])
    whole = whole_weights(weights)
    assert not whole.is_exact
    rounded = whole.values * float(whole.unit)
    assert np.abs(rounded - weights).max() <= float(whole.unit)
    assert whole.slack(12) == 36


def test_work_is_counted() -> None:
    work = Work(most=3)
    assert not work.is_done
    work.add_node(40)
    assert work.done == 4
    assert work.is_done
