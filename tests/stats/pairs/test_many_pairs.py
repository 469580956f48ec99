"""All pairs of many candidates: some are looked at at a time, and what is found is the same."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from reportgen.stats import pair_table, shared_means
from reportgen.stats.consensus_relations.orders import ensemble_costs, member_costs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.relations.named_pairs import NamedPairs
from reportgen.stats.relations.relations import as_incidence, incidence_rows
from reportgen.stats.worths import comparisons
from reportgen.stats.worths.elo import elo_scores

N_UNITS, N_CANDIDATES = 60, 400
N_PAIRS = N_CANDIDATES * (N_CANDIDATES - 1) // 2


def values(k: int = N_CANDIDATES, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N_UNITS, k)) + np.arange(k) / k


def compared(means: np.ndarray) -> PairTable:
    table = paired_max_t(means, 0.05, np.random.default_rng(1)).counted(means, True)
    return table.named([f"c{k}" for k in range(means.shape[1])], "experiment").decided()


@pytest.mark.parametrize(
    "take", [compared, lambda means: elo_scores(means, is_smaller_better=True)]
)
def test_pairs_take_no_memory_for_each_unit(take: Callable[[np.ndarray], object]) -> None:
    tracemalloc.start()
    try:
        take(values())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2.5 * N_PAIRS * N_UNITS * 8  # before, of the former 6.4, of the latter 4.5


def test_blocks_of_pairs_change_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    means = values(9)
    means[3, 2] = means[5, 7] = np.nan
    whole, few = compared(means), values(9)
    points = elo_scores(few, is_smaller_better=False)
    monkeypatch.setattr(shared_means, "AT_ONCE", 5 * N_UNITS)
    monkeypatch.setattr(comparisons, "AT_ONCE", 50)
    monkeypatch.setattr("reportgen.stats.worths.elo.AT_ONCE", 50)
    assert len(shared_means.pair_blocks(N_UNITS, 36)) == 8
    assert compared(means) == whole
    again = elo_scores(few, is_smaller_better=False)
    np.testing.assert_allclose(again.points, points.points, rtol=1e-12)
    np.testing.assert_allclose(again.lower, points.lower, rtol=1e-12)


def test_rows_of_a_long_table_are_made_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    means = values(9)
    rows, pair = [*compared(means)], ("c7", "c2")
    between = compared(means).between(*pair)
    monkeypatch.setattr(pair_table, "MOST_IN_LISTS", 5)
    table = compared(means)
    assert [*table] == rows == [table[i] for i in range(len(table))] == [*table[:]]
    assert (table[-1], table[30:3:-4]) == (rows[-1], tuple(rows[30:3:-4]))
    assert table.between(*pair) == between is not None
    assert table.only_with("c3").row_of("c1", "c2") is None


@pytest.mark.parametrize("coding", ["strict", "relations"])
@pytest.mark.parametrize("order_class", ["weak", "linear", "partial"])
def test_costs_of_an_ensemble_are_those_of_its_members(order_class: str, coding: str) -> None:
    rng = np.random.default_rng(1)
    incidences = rng.random((7, 5, 5)) < 0.4
    weights = rng.integers(0, 9, 7)
    costs, constants = member_costs(incidences, order_class, coding)  # type: ignore[arg-type]
    found, constant = ensemble_costs(incidences, weights, order_class, coding)  # type: ignore[arg-type]
    assert np.array_equal(found, np.tensordot(weights, costs, axes=1))
    assert constant == weights @ constants


def test_relations_by_name_take_a_byte_a_pair() -> None:
    incidence = np.triu(np.ones((300, 300), dtype=bool), 1)
    rows = incidence_rows(incidence)
    assert sum(row.__sizeof__() for row in rows) < 2 * incidence.size
    assert np.array_equal(as_incidence(rows), incidence)
    assert np.array_equal(np.array(rows), incidence)
    names = tuple(f"c{k}" for k in range(300))
    pairs, fewer = NamedPairs(names, incidence), incidence.copy()
    fewer[0, 1], fewer[3, 2] = False, True
    other = NamedPairs(names, fewer)
    changed = {frozenset(pair) for pair in set(pairs) ^ set(other)}
    assert (len(pairs), pairs.n_changed(other)) == (len([*pairs]), len(changed))
    assert pairs == NamedPairs(names, incidence) != other
