"""Ranges of ranks: by all orders that a relation allows, and how often they hold."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.verdict import Verdict

MEASURE = Measure("error", better="smaller")


def verdict(pairs: PairTable, means: np.ndarray) -> Verdict:
    names = tuple(f"c{k}" for k in range(len(means)))
    named = pairs.named(names, "domain", True).decided(None)
    known = dict(zip(names, means.tolist(), strict=True))
    return Verdict(
        measure=MEASURE,
        alpha=pairs.alpha,
        relevance=None,
        target="domain",
        method="own-variance",
        pairs=named,
        means=known,
    )


@pytest.mark.parametrize("seed", range(6))
def test_ranges_are_those_of_all_orders_that_are_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(12, 5)) * 0.4 + np.sort(rng.normal(size=5))
    found = verdict(paired_max_t(values, 0.05, rng), values.mean(axis=0))
    better = found.pairs.incidence
    ranks = {name: set[int]() for name in found.pairs.candidates}
    for order in permutations(range(5)):
        place = {k: i for i, k in enumerate(order)}
        if all(place[i] < place[j] for i, j in np.argwhere(better)):
            for k, name in enumerate(found.pairs.candidates):
                ranks[name].add(place[k] + 1)
    assert found.rank_ranges == {n: (min(r), max(r)) for n, r in ranks.items()}
    assert set(found.may_be_first) == {n for n, r in ranks.items() if 1 in r}


@pytest.mark.slow
@pytest.mark.parametrize(("n_datasets", "spread"), [(20, 0.0), (20, 0.5), (60, 0.5)])
def test_all_ranks_hold_at_once(n_datasets: int, spread: float) -> None:
    """Of 400 studies of ten candidates, as many as promised, three standard errors aside."""
    truth, n_runs, n_held, n_first = spread * np.repeat(np.arange(5.0), 2), 400, 0, 0
    truth = truth + 1e-9 * np.arange(10)  # no two are equal: the ranks are the places
    for run in range(n_runs):
        rng = np.random.default_rng([46, n_datasets, round(10 * spread), run])
        values = truth + rng.normal(size=(n_datasets, 1)) + rng.normal(size=(n_datasets, 10))
        found = verdict(paired_max_t(values, 0.05, rng, n_draws=2000), values.mean(axis=0))
        ranges = [found.rank_ranges[f"c{k}"] for k in range(10)]
        n_held += all(low <= k + 1 <= high for k, (low, high) in enumerate(ranges))
        n_first += "c0" in found.may_be_first
    slack = 3 * (0.05 * 0.95 / n_runs) ** 0.5
    assert n_held / n_runs >= 0.95 - slack
    assert n_first >= n_held
