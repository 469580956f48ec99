"""Pairs of candidates over the observations of a fixed test sample."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.measures.losses import MEANS
from reportgen.sections.inference.result import TestObservations
from reportgen.stats.pairs.own_variances import compare_own_variances
from reportgen.warehouse import Performances, Warehouse


def over_observations(
    warehouse: Warehouse, performances: Performances, alpha: float, rng: Generator
) -> TestObservations | None:
    """Compare all pairs over the observations of the test sample.

    Where one test sample is fixed, its observations are independent draws of the
    data generating process, and the losses of candidates on one of them are
    paired (Hothorn, Leisch, Zeileis and Hornik 2005, section 3.1).

    Parameters
    ----------
    warehouse : Warehouse
        With the predictions, where they were kept.
    performances : Performances
        Of the main measure.
    alpha : float
    rng : Generator
        For the joint law of many observations.

    Returns
    -------
    TestObservations or None
        None where the test sample is not fixed, the results come from elsewhere,
        or the measure is no mean over observations.
    """
    dataset, measure = performances.dataset, performances.measure
    is_fixed = warehouse.resampling_of(dataset).get("assessment") == "fixed"
    is_executed = "origin" in warehouse.facts.get(dataset, {})
    if not is_fixed or not is_executed or measure.name not in MEANS:
        return None
    kept = warehouse.predictions
    if not len(kept):
        return _over_mean_losses(warehouse, performances, alpha, rng)
    table = kept[kept["dataset"] == dataset].pivot_table(
        index=["observation", "replication"],
        columns="candidate",
        values="loss",
        aggfunc="first",
        observed=True,
    )
    names = [name for name in performances.candidates if name in table]
    table = table[names].dropna()
    n_replications = int(table.index.get_level_values("replication").nunique())
    losses = table.groupby(level="observation").mean().to_numpy(float)
    return _compare(losses, names, n_replications, alpha, rng)


def _over_mean_losses(
    warehouse: Warehouse, performances: Performances, alpha: float, rng: Generator
) -> TestObservations:
    """Compare by the mean losses of observations, where all candidates have all replications."""
    known = warehouse.losses_of(performances.dataset, performances.measure.name)
    if known is None:
        return TestObservations(0, 0, "not-kept")
    means, counts = known
    is_there = np.asarray(np.isfinite(means).any(axis=0))
    if np.ptp(counts[:, is_there]) > 0:
        return TestObservations(0, 0, "not-kept")
    names = [n for n, k in zip(performances.candidates, list(is_there), strict=True) if k]
    return _compare(means[:, is_there], names, int(counts.max()), alpha, rng)


def _compare(
    losses: NDArray[np.float64], names: list[str], n_replications: int, alpha: float, rng: Generator
) -> TestObservations:
    """Compare all pairs over observations, a row each."""
    if len(losses) < 2 or len(names) < 2:
        return TestObservations(len(losses), n_replications, "too-few")
    found = compare_own_variances(losses, alpha, rng).named(names, "generating-process", True)
    return TestObservations(len(losses), n_replications, None, found.decided())
