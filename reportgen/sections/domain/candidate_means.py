"""The candidates' means over the data sets, and the interval of each alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.sections.domain.data import DatasetMeans
from reportgen.sections.domain.sources import errors_of_contrast
from reportgen.sections.inference.generalisation import Evidence
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.blocks.candidate_means import mean_intervals
from reportgen.stats.domain.family_means import family_intervals
from reportgen.stats.domain.sources import SourceErrors, compare_sources

IntervalsBy = Literal["datasets", "families", "errors"]


@dataclass(frozen=True, slots=True)
class CandidateMeans:
    """Means of K candidates on the scale on which they are compared."""

    own: Array  # of the values that are there
    means: Array  # with gaps counted as the worst there
    # lower, upper: Of each mean alone; NaN where there is none.
    lower: Array
    upper: Array
    # By the spread over data sets, or over their families; over few by the error on each of them.
    intervals_by: IntervalsBy


def candidate_means(
    units: DatasetMeans, alpha: float, errors: SourceErrors | None = None
) -> CandidateMeans:
    """Average over the data sets as the verdict does.

    `errors`: of the candidates' means on each of few data sets.
    """
    families = units.families
    if errors is None and families is not None:
        own, means = families.means(units.values), families.means(units.filled)
        bounds = family_intervals(units.filled, means, families, alpha)
        return CandidateMeans(own, means, *bounds, "families")
    own, means = column_means(units.values), column_means(units.filled)
    if errors is None:
        return CandidateMeans(own, means, *mean_intervals(units.filled, means, alpha), "datasets")
    pairs = np.repeat(np.arange(len(means))[:, None], 2, axis=1)
    table = compare_sources(errors, pairs, alpha, n_comparisons=1)
    reach = (table.upper - table.lower) / 2
    return CandidateMeans(own, means, means - reach, means + reach, "errors")


def errors_of_means(
    units: DatasetMeans, evidence: Sequence[Evidence | None], *, is_smaller_better: bool
) -> SourceErrors | None:
    """Return the candidates' means on each of few data sets, with their errors.

    `evidence`: what is known of new data of each.
    Result: None where no data set tells an error, and of wins.
    """
    if units.scale == "wins" or not units.values.size:
        return None
    parts = [
        errors_of_contrast(units, evidence, name, None, 0.0, is_smaller_better=is_smaller_better)
        for name in units.candidates
    ]
    found = SourceErrors(
        np.column_stack([p.difference for p in parts]),
        np.column_stack([p.variance for p in parts]),
        np.column_stack([p.df for p in parts]),
    )
    return found if found.known.any() else None
