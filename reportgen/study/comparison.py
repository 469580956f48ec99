"""The scale on which candidates are compared, and the area of equivalence on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures import measure_kind
from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure, PairScale, Scale
from reportgen.stats.arrays import Area, Array, Bounds
from reportgen.stats.blocks.gaps import fill_gaps
from reportgen.stats.domain.family_means import Families
from reportgen.stats.domain.scale_growth import (
    FEWEST_LEVELS,
    LEAST_FACTOR,
    ScaleGrowth,
    scale_growth,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedValues:
    """One value a unit and candidate, on the scale of comparison.

    A unit may be a data set; `Performances` are of one.
    """

    candidates: tuple[str, ...]  # the K columns
    values: Array  # (n, K); of ratios logarithms; NaN where there is none
    scale: PairScale
    missing_by_design: NDArray[np.bool_] | None = None  # (n, K); gaps by design
    # rows, filled_rows, by_design_in_rows: (B_m, K); where units are data sets the replications of
    # each, on the scale of `values`, the same with gaps counted as the worst there, and the gaps
    # that count against nobody. Empty of samples, of which no two belong together.
    rows: tuple[Array, ...] = ()
    filled_rows: tuple[Array, ...] = ()
    by_design_in_rows: tuple[NDArray[np.bool_] | None, ...] = ()
    # (B_m, K); where units are two to five data sets, the measurements of each that no two
    # candidates share, on the scale of `values`; columns are padded with NaN.
    samples: tuple[Array, ...] = ()
    families: Families | None = None  # of data sets, where some are relatives or count unequally

    def rows_between(self, first: str, second: str | None, limit: float) -> list[Array]:
        """Return the replications of two candidates by data set, shape (B_m, 2).

        `second`: None for one and its limit, with gaps counted as the worst there.
        """
        at = self._places(first, second)
        if second is not None:
            return [own[:, at] for own in self.rows]
        whole = self.filled_rows or self.rows
        return [np.column_stack([own[:, at[0]], np.full(len(own), limit)]) for own in whole]

    def samples_of(self, first: str, second: str | None) -> list[Array]:
        """Return the measurements of one or two candidates by data set."""
        return [own[:, self._places(first, second)] for own in self.samples]

    def by_design_between(
        self, first: str, second: str | None
    ) -> list[NDArray[np.bool_] | None] | None:
        """Return the gaps of two candidates inside data sets that count against nobody."""
        if second is None:
            return None
        at = self._places(first, second)
        return [None if own is None else own[:, at] for own in self.by_design_in_rows]

    def _places(self, *names: str | None) -> list[int]:
        return [self.candidates.index(name) for name in names if name is not None]

    @property
    def compared(self) -> dict[str, Any]:
        """These fields by name, for a class that knows more of the units."""
        return {own.name: getattr(self, own.name) for own in fields(ComparedValues)}


RATIO_AREA = (1 / 1.1, 1.1)
"""Ratios that do not matter unless a study sets others."""


def comparison_scale(measure: Measure, values: Array, area: Sequence[float] | None) -> Scale:
    """Return whether candidates are compared by difference or by ratio.

    `values`: NaN where there is no value. A value of 0 has no ratio.
    `area`: the study's area of equivalence: one around 0 is of differences.
    """
    is_positive = bool((values[np.isfinite(values)] > 0).all())
    is_of_differences = area is not None and area[0] < 0 and measure.scale is None
    return (
        "ratio"
        if measure.is_compared_by_ratio and is_positive and not is_of_differences
        else "difference"
    )


Obstacle = Literal["zeros", "given", "area", "kind", "few", "unit", "flat"]
"""Why differences are compared where levels differ: values have no ratio, the study asks for it,
its area is of differences, the measure has one scale, data sets are too few to tell, all values
are between 0 and 1, differences do not grow with the level."""


@dataclass(frozen=True, slots=True)
class DomainScale:
    """The scale on which candidates are compared over data sets."""

    scale: PairScale
    # What asks for it: the study, its area of equivalence, what the measure is, or its values.
    reason: Literal["given", "area", "kind", "values"]
    # How differences grow with the level, where the values say it.
    growth: ScaleGrowth | None = None
    # How many times the smallest level of a data set the largest is, where candidates are compared
    # by difference all the same, and why.
    level_ratio: float | None = field(default=None, metadata=HIDDEN)
    obstacle: Obstacle | None = field(default=None, metadata=HIDDEN)


def domain_scale(
    measure: Measure,
    means: Array,
    is_positive: bool,
    area: Sequence[float] | None,
) -> DomainScale:
    """Return on what scale candidates are compared over data sets.

    `means`: (M, K); of the replications, NaN where there is none.
    `is_positive`: whether all values are above 0: others have no ratio.
    `area`: the study's area of equivalence: one around 0 is of differences.

    Notes
    -----
    Errors in the unit of the response are not comparable over data sets by difference. What is
    not known by its name is judged by its values: where differences of candidates grow with the
    level, which itself spans a factor of ten.

    Examples
    --------
    >>> means = np.array([[1.0, 2.0], [100.0, 200.0]])
    >>> domain_scale(Measure("rmse"), means, True, None).scale
    'ratio'
    >>> domain_scale(Measure("accuracy"), means / 200, True, None).scale
    'difference'
    """
    found = _domain_scale(measure, means, is_positive, area)
    ratio = _level_ratio(means)
    if found.scale != "difference" or ratio is None:
        return found
    return replace(found, level_ratio=ratio, obstacle=_obstacle(found, means, is_positive))


def _level_ratio(means: Array) -> float | None:
    """Return the largest level of a data set over the smallest; None below ten, or with a 0."""
    sizes = [np.abs(row[np.isfinite(row)]) for row in means]
    levels = [float(np.median(row)) for row in sizes if len(row)]
    if len(levels) < 2 or min(levels) <= 0:
        return None
    with np.errstate(over="ignore"):  # a factor beyond floating point
        ratio = float(np.divide(max(levels), min(levels)))
    return ratio if LEAST_FACTOR <= ratio < np.inf else None


def _obstacle(found: DomainScale, means: Array, is_positive: bool) -> Obstacle:
    """Return why candidates are compared by difference."""
    if found.reason != "values":
        return found.reason if is_positive else "zeros"
    finite = means[np.isfinite(means)]
    if ((finite >= 0) & (finite <= 1)).all():
        return "unit"
    return "few" if len(means) < FEWEST_LEVELS else "flat"


def _domain_scale(
    measure: Measure,
    means: Array,
    is_positive: bool,
    area: Sequence[float] | None,
) -> DomainScale:
    of_positive: PairScale = "ratio" if is_positive else "difference"
    if measure.scale is not None:
        given: PairScale = of_positive if measure.scale == "ratio" else measure.scale
        return DomainScale(given, "given")
    if area is not None and area[0] < 0:
        return DomainScale("difference", "area")
    kind = measure_kind(measure)
    if kind is not None:
        by_kind = {"common": "difference", "cost": of_positive}
        return DomainScale(by_kind.get(kind, "ratio" if is_positive else "wins"), "kind")
    growth = scale_growth(means) if len(means) >= FEWEST_LEVELS else None
    if growth is None or not growth.is_shown:
        return DomainScale("difference", "values")
    return DomainScale("ratio" if is_positive else "wins", "values", growth)


def area_on(scale: PairScale, area: Area | None) -> Area | None:
    """Return the area of equivalence that holds on a scale.

    `area`: the study's; one of the other scale is ignored. Wins have none.
    """
    if scale == "wins":
        return None
    if scale == "ratio":
        return area if area is not None and area[0] > 0 else RATIO_AREA
    return area if area is not None and area[0] < 0 else None


def is_area_given(scale: PairScale, area: Area | None) -> bool:
    """Return whether the area of equivalence on a scale is the study's.

    Examples
    --------
    >>> is_area_given("ratio", (0.5, 2.0)), is_area_given("ratio", (-0.01, 0.01))
    (True, False)
    """
    return area is not None and area_on(scale, area) == area


def comparison_values(values: Array, scale: PairScale) -> Array:
    """Return values whose differences are tested, NaN where there is none.

    `values`: (B, K); performances as they were measured; all above 0 for ratios.
    `scale`: ratios are compared by differences of logarithms.
    """
    finite = np.where(np.isfinite(values), values, np.nan) if np.isinf(values).any() else values
    return np.log(finite) if scale == "ratio" else finite


def bounds_on(scale: PairScale, measure: Measure) -> Bounds:
    """Return the least and the greatest value of a measure among `comparison_values`.

    Examples
    --------
    >>> bounds_on("ratio", Measure("rmse", bounds=(0.0, None)))
    (None, None)
    """
    if scale != "ratio":
        return measure.bounds
    low, high = (float(np.log(x)) if x is not None and x > 0 else None for x in measure.bounds)
    return low, high


def filled_values(
    values: Array,
    scale: PairScale,
    measure: Measure,
    missing_by_design: NDArray[np.bool_] | None = None,
) -> Array:
    """Return `comparison_values` in which gaps count as the worst value of their replication.

    `values`: (B, K); performances as they were measured.
    `missing_by_design`: (B, K); cells that were not asked for, which stay empty.
    Result: (B, K); NaN for a candidate without any value.
    """
    values = comparison_values(values, scale)
    is_there = np.isfinite(values).any(axis=0)
    if np.isfinite(values).all() or not is_there.any():
        return values
    found = values.copy()
    own = values[:, is_there]
    by_design = None if missing_by_design is None else missing_by_design[:, is_there]
    bounds = bounds_on(scale, measure)
    found[:, is_there] = fill_gaps(own, measure.is_smaller_better, bounds, by_design)
    return found


def half_width(scale: Scale, area: Area | None) -> float | None:
    """Return the half-width of the area of equivalence among differences of `comparison_values`.

    `area`: the study's.

    Examples
    --------
    >>> half_width("difference", (-0.01, 0.01)), half_width("difference", (0.5, 2.0))
    (0.01, None)
    >>> round(half_width("ratio", (0.5, 2.0)), 4), round(half_width("ratio", None), 4)
    (0.6931, 0.0953)
    """
    holds = area_on(scale, area)
    if holds is None:
        return None
    return float(np.log(holds[1])) if scale == "ratio" else holds[1]
