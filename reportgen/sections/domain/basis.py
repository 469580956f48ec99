"""The data of the verdict and of the models of a domain: values, names and counts, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure
from reportgen.stats.adverse_differences import AdverseDifferences
from reportgen.stats.arrays import Array
from reportgen.stats.domain.family_means import Families
from reportgen.stats.domain.model import Structure
from reportgen.stats.shared_means import SharedMeans
from reportgen.stats.verdict import Groups
from reportgen.targets import Target

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


@dataclass(frozen=True, slots=True, eq=False)
class DomainUnits:
    """What a verdict compares: one value a data set and candidate, without the replications."""

    # (M, K); as of `DatasetMeans`.
    values: Array
    filled: Array
    missing_by_design: NDArray[np.bool_] | None = None
    # Gaps inside data sets, counted against who has them; None where there are none.
    within: AdverseDifferences | None = None
    # Means of each pair over the replications that both have; None where all have all.
    shared: SharedMeans | None = None
    families: Families | None = None  # of data sets, where these decide

    @property
    def gaps(self) -> dict[str, Any]:
        """What a comparison has to know of gaps: its arguments of these names."""
        return {name: getattr(self, name) for name in ("missing_by_design", "within", "shared")}

    def of_units(self, rows: NDArray[np.intp]) -> DomainUnits:
        """Return those of some of the data sets."""
        by_design = self.missing_by_design
        return DomainUnits(
            self.values[rows],
            self.filled[rows],
            None if by_design is None else by_design[rows],
            self.within and self.within.of_units(rows),
            self.shared and self.shared.of_units(rows),
            self.families and self.families.of_units(rows),
        )


NO_UNITS = DomainUnits(np.empty((0, 0)), np.empty((0, 0)))


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
