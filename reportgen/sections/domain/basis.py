"""The data of the models of a domain: names and counts, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure
from reportgen.targets import Target

Groups = tuple[tuple[str, ...], ...]
Structure = Literal["interaction", "unstructured"]
STRUCTURES: tuple[Structure, ...] = ("interaction", "unstructured")

Unavailable = Literal[
    "one-candidate",
    "no-blocks",
    "too-few-datasets",
    "too-few-replications",
    "no-variation",
    "no-differences",
    "not-identified",
]


@dataclass(frozen=True, slots=True)
class DomainBasis:
    """The data of the domain model of one measure."""

    measure: Measure
    # Of all replications; of one value a data set and candidate, their mean, where replications do
    # not make a domain model.
    model: Literal["mixed-model", "block-model"]
    alpha: float
    # Area of equivalence of differences; a model compares by difference.
    relevance: tuple[float, float] | None
    unavailable: Unavailable | None  # why there is no domain model of all replications
    # datasets, missing_datasets: Data sets that went in, and those without two replications that
    # go in; of means, those without a value, or all of them where only complete ones go in.
    datasets: tuple[str, ...]
    missing_datasets: tuple[str, ...]
    # candidates, missing_candidates: Candidates that went in, and those without any value.
    candidates: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    # Which values went in: all, as there are no gaps; all there are; those of replications that are
    # complete on their data set; of replications that are complete on all data sets.
    missing: str
    n_replications: Mapping[str, int]  # that went in, by data set
    n_dropped: int  # replications that were left out
    n_values: int  # that went in
    # Greenhouse-Geisser epsilon of the data sets' means; 1 means that all differences vary alike
    # over data sets.
    sphericity: float | None
    # What p-values and intervals of the models speak of; conditional where several data sets are
    # settings of one.
    target: Target = "domain"
    # Candidates without a value by data set, of those that went in and have some.
    missing_by_dataset: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The candidates, parted where no data set links them, directly or through others; one part when
    # the design is connected.
    parts: Groups = ()

    @property
    def most_replications(self) -> int:
        """Replications of the data set that has most; 0 without one."""
        return max(self.n_replications.values(), default=0)
