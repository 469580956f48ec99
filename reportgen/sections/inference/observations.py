"""Losses on the observations of a fixed test sample, and what they say of pairs."""

from __future__ import annotations

import numpy as np

from reportgen.catalogue.measures.losses import MEANS
from reportgen.sections.inference.result import MeasureInference, TestObservations
from reportgen.stats.pairs.new_data import MeanLosses
from reportgen.warehouse import Performances, Warehouse

FEWEST = 2  # learning samples, without which a report compares no pair


def losses_of_test_sample(warehouse: Warehouse, performances: Performances) -> MeanLosses | None:
    """Return the losses of a fixed test sample, the mean over learning samples that all share.

    `warehouse`: with mean losses, or with the predictions of the main measure.
    `performances`: of a measure.
    Result: of all candidates, NaN of those without a value. None where the measure is no mean over
    observations, the losses of some candidate are not known, or all share fewer than two learning
    samples.
    """
    there = np.isfinite(performances.values)
    has_value = there.any(axis=0)
    n_shared = int(there[:, has_value].all(axis=1).sum())
    for known in (_mean_losses, _of_predictions):
        found = known(warehouse, performances)
        counts = np.zeros(0) if found is None else found.n_tested[:, has_value]
        if counts.size and FEWEST <= counts.min() == counts.max() <= n_shared:
            return found
    return None


def _mean_losses(warehouse: Warehouse, performances: Performances) -> MeanLosses | None:
    """Return the mean losses that a run keeps, each over the learning samples of its candidate."""
    known = warehouse.losses_of(performances.dataset, performances.measure.name)
    return None if known is None else MeanLosses(*known)


def _of_predictions(warehouse: Warehouse, performances: Performances) -> MeanLosses | None:
    """Average the losses of kept predictions over the replications that all candidates have."""
    is_main = performances.measure.name == warehouse.measures[0].name
    kept = warehouse.predictions
    kept = kept[kept["dataset"] == performances.dataset] if len(kept) else kept
    if not is_main or kept.empty or performances.measure.name not in MEANS:
        return None
    table = kept.pivot_table(
        index=["observation", "replication"],
        columns="candidate",
        values="loss",
        aggfunc="first",
        observed=True,
    )
    means = table.dropna().groupby(level="observation")
    names = list(performances.candidates)
    values, counts = (
        found.reindex(columns=names).to_numpy(np.float64) for found in (means.mean(), means.count())
    )
    return MeanLosses(values, np.nan_to_num(counts))


def test_set_comparison(
    found: MeasureInference, losses: MeanLosses | None, *, is_executed: bool
) -> TestObservations | None:
    """Describe the comparison over the observations of the test sample.

    `found`: with its methods.
    `losses`: of the test sample.
    `is_executed`: whether this program has fitted the candidates, and so could have kept losses.
    Result: None where the measure is no mean over observations or is compared by ratio, or where
    other programs have kept no losses.
    """
    every = (found.deciding_method, *found.methods.values())
    own = next((m for m in every if m is not None and m.name == "observations"), None)
    if own is not None and losses is not None:
        n = int(losses.n_tested.max())
        return TestObservations(len(losses.values), n, None, own.pairs)
    is_lost = losses is None and is_executed and found.measure.name in MEANS
    return TestObservations(0, 0, "not-kept") if is_lost else None
