"""Pairs of candidates over the observations of a fixed test sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.catalogue.losses import MEANS
from reportgen.stats.observation_pairs import observation_pairs
from reportgen.warehouse import Performances, Target, Warehouse


@dataclass(frozen=True, slots=True)
class ObservationPair:
    """A pair; the estimate is the mean difference of losses, first - second.

    `p_value` is the pair's own, `p_value_holm` adjusted; the intervals of all
    pairs hold together (Bonferroni).
    """

    first: str
    second: str
    estimate: float
    standard_error: float
    lower: float
    upper: float
    df: int
    p_value: float
    p_value_holm: float
    significant: bool
    target: Target = "generating-process"


@dataclass(frozen=True, slots=True)
class TestObservations:
    """The paired comparison over test observations.

    Attributes
    ----------
    n_observations, n_replications : int
        Of the test sample, and those that losses are averaged over.
    reason : {"not-kept", "too-few"} or None
        Why there are no pairs: predictions were not kept, or nothing is complete.
    pairs : tuple of ObservationPair
    given : str
        What the comparison is conditional on: the learning samples.
    """

    __test__ = False  # nothing for pytest

    n_observations: int
    n_replications: int
    reason: Literal["not-kept", "too-few"] | None
    pairs: tuple[ObservationPair, ...] = ()
    given: Literal["learning-samples"] = "learning-samples"

    @property
    def smallest_p(self) -> float:
        """The smallest adjusted p-value."""
        return min(pair.p_value_holm for pair in self.pairs)


def over_observations(
    warehouse: Warehouse, performances: Performances, alpha: float
) -> TestObservations | None:
    """Compare all pairs over the observations of the test sample.

    Parameters
    ----------
    warehouse : Warehouse
        With the predictions, where they were kept.
    performances : Performances
        Of the main measure.
    alpha : float

    Returns
    -------
    TestObservations or None
        None where the test sample is not fixed, the results come from elsewhere,
        or the measure is no mean over observations.
    """
    dataset, measure = performances.dataset, performances.measure.name
    is_fixed = warehouse.resampling_of(dataset).get("assessment") == "fixed"
    is_executed = "origin" in warehouse.facts.get(dataset, {})
    if not is_fixed or not is_executed or measure not in MEANS:
        return None
    kept = warehouse.predictions
    if not len(kept):
        return TestObservations(0, 0, "not-kept")
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
    if len(losses) < 2 or len(names) < 2:
        return TestObservations(len(losses), n_replications, "too-few")
    found = observation_pairs(losses, alpha)
    pairs = tuple(
        ObservationPair(
            names[found.first[row]],
            names[found.second[row]],
            float(found.estimates[row]),
            float(found.standard_errors[row]),
            float(found.lower[row]),
            float(found.upper[row]),
            found.df,
            float(found.p_values[row]),
            float(found.adjusted[row]),
            bool(found.adjusted[row] <= alpha),
        )
        for row in range(len(found.estimates))
    )
    return TestObservations(len(losses), n_replications, None, pairs)
