"""The scale on which candidates are compared, and the area of equivalence on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.performance_measure import Measure
from reportgen.stats.pair_table import Scale

RATIO_AREA = (1 / 1.1, 1.1)
"""Ratios that do not matter unless a study sets others."""

Area = tuple[float, float]
Array = NDArray[np.float64]


def comparison_scale(measure: Measure, values: Array, area: Sequence[float] | None) -> Scale:
    """Return whether candidates are compared by difference or by ratio.

    Parameters
    ----------
    measure : Measure
    values : ndarray
        NaN where there is no value. A value of 0 has no ratio.
    area : two floats or None
        The study's area of equivalence: one around 0 is of differences.
    """
    is_positive = bool((values[np.isfinite(values)] > 0).all())
    is_of_differences = area is not None and area[0] < 0 and measure.scale is None
    return (
        "ratio"
        if measure.is_compared_by_ratio and is_positive and not is_of_differences
        else "difference"
    )


def area_on(scale: Scale, area: Area | None) -> Area | None:
    """Return the area of equivalence that holds on a scale.

    Parameters
    ----------
    scale : {"difference", "ratio"}
    area : tuple of two floats or None
        The study's; one of the other scale is ignored.
    """
    if scale == "ratio":
        return area if area is not None and area[0] > 0 else RATIO_AREA
    return area if area is not None and area[0] < 0 else None


def is_area_given(scale: Scale, area: Area | None) -> bool:
    """Return whether the area of equivalence on a scale is the study's.

    Examples
    --------
    >>> is_area_given("ratio", (0.5, 2.0)), is_area_given("ratio", (-0.01, 0.01))
    (True, False)
    """
    return area is not None and area_on(scale, area) == area


def comparison_values(values: Array, scale: Scale) -> Array:
    """Return values whose differences are tested, NaN where there is none.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Performances as they were measured; all above 0 for ratios.
    scale : {"difference", "ratio"}
        Ratios are compared by differences of logarithms.
    """
    finite = np.where(np.isfinite(values), values, np.nan)
    return np.log(finite) if scale == "ratio" else finite


def half_width(scale: Scale, area: Area | None) -> float | None:
    """Return the half-width of the area of equivalence among differences of `comparison_values`.

    Parameters
    ----------
    scale : {"difference", "ratio"}
    area : tuple of two floats or None
        The study's.

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
