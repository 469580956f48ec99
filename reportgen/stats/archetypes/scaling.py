"""Centre and scale of the columns, by mean and deviation or by median and MAD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.scaling import unusual_exponent

ScalingName = Literal["standard", "robust", "none"]

SCALINGS: tuple[str, ...] = get_args(ScalingName)

FARTHEST = 1e100  # scales from the centre: squares of distances are numbers

# Of a normal variable: sd over MAD, and sd over mean absolute deviation.
_OF_MAD = 1.482602218505602
_OF_MEAN_DEVIATION = 1.2533141373155003


@dataclass(frozen=True, slots=True)
class Scaling:
    """The centre and the scale of each column.

    Attributes
    ----------
    centre, scale : ndarray of shape (m,)
        The scale is positive; one where a column is constant.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    def scaled(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Centre and scale rows (n, m); what lies beyond `FARTHEST` scales lies there."""
        with np.errstate(over="ignore"):
            return np.clip((rows - self.centre) / self.scale, -FARTHEST, FARTHEST)

    def original(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scaled rows (n, m) to their own units."""
        return np.asarray(rows * self.scale + self.centre)


def scaling_of(rows: NDArray[np.float64], name: ScalingName = "standard") -> Scaling:
    """Find the scaling of a table, cell by cell of what was observed.

    Parameters
    ----------
    rows : ndarray of shape (n, m)
        Not observed cells are nan; each column has at least one that is.
    name : {"standard", "robust", "none"}
        Mean and standard deviation (divisor n - 1); median and MAD times 1.4826 (the mean absolute
        deviation from the median times 1.2533 where more than half of a column is alike); or the
        mean with scale one, or a power of two for values of unusual size, for columns in one unit.

    Examples
    --------
    >>> scaling_of(np.array([[1.0], [2], [3], [100]]), "robust").scaled(np.array([[2.5]]))
    array([[0.]])
    """
    if name == "robust":
        centre = np.nanmedian(rows, axis=0)
        distances = np.abs(rows - centre)
        scale = _OF_MAD * np.nanmedian(distances, axis=0)
        scale = np.where(scale > 0, scale, _OF_MEAN_DEVIATION * np.nanmean(distances, axis=0))
    else:
        centre = np.nanmean(rows, axis=0)
        common = np.full(len(centre), np.ldexp(1.0, unusual_exponent(rows - centre)))
        scale = _deviations(rows, centre) if name == "standard" else common
    spread = np.nanmax(rows, axis=0) - np.nanmin(rows, axis=0)
    return Scaling(centre, np.where((spread > 0) & (scale > 0), scale, 1.0))


def _deviations(rows: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return standard deviations, zero where a column has one cell only."""
    counts = np.isfinite(rows).sum(axis=0)
    distances = rows - centre
    exponents = np.frexp(np.nanmax(np.abs(distances), axis=0))[1]
    sums = np.nansum(np.ldexp(distances, -exponents) ** 2, axis=0)  # no square overflows, nor is 0
    return np.asarray(np.ldexp(np.sqrt(sums / np.maximum(counts - 1, 1)), exponents))
