"""Whether differences of candidates grow with the level of data sets, as in many units."""

from __future__ import annotations

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

FEWEST_LEVELS = 6  # data sets from which their values can tell
LEAST_FACTOR = 10.0  # between large and small spreads, and between the levels
LEAST_SLOPE = 0.5  # of the log spread on the log level
UPPER, LOWER = 0.9, 0.1  # quantiles of the spreads that are compared


@dataclass(frozen=True, slots=True)
class ScaleGrowth:
    """How the spread of candidates grows with the level of a data set.

    Attributes
    ----------
    spread_ratio : float
        The spreads' quantile of .9 over that of .1.
    level_ratio : float
        The largest level over the smallest.
    slope : float
        Of the log spread on the log level, by least squares; 1 where differences are proportional
        to the level.
    is_inside_unit : bool
        Whether all values lie between 0 and 1, as those of one scale do.
    """

    spread_ratio: float
    level_ratio: float
    slope: float
    is_inside_unit: bool

    @property
    def is_shown(self) -> bool:
        """Whether the values have no scale in common."""
        has_range = self.spread_ratio >= LEAST_FACTOR and self.level_ratio >= LEAST_FACTOR
        return has_range and self.slope >= LEAST_SLOPE and not self.is_inside_unit


def scale_growth(means: Array) -> ScaleGrowth | None:
    """Compare the candidates' spread with the level of the data sets.

    `means`: (M, K); NaN where there is no value.
    Result: the level of a data set is the median size of its values, the spread their standard
    deviation. None where fewer than three data sets have both above 0.

    Examples
    --------
    >>> found = scale_growth(np.outer([1.0, 10, 100, 1000, 10, 100], [1, 1.2, 1.4]))
    >>> round(found.slope, 3), round(found.level_ratio), found.is_shown
    (1.0, 1000, True)
    """
    rows = [row[np.isfinite(row)] for row in means]
    known = [(float(np.median(np.abs(r))), float(r.std(ddof=1))) for r in rows if len(r) > 1]
    both = np.array([one for one in known if min(one) > 0]).reshape(-1, 2)
    if len(both) < 3:
        return None
    level, spread = both.T
    high, low = np.quantile(spread, [UPPER, LOWER])
    x, y = np.log(level), np.log(spread)
    apart = x - x.mean()
    varies = float((apart**2).sum())
    slope = float((apart * (y - y.mean())).sum()) / varies if varies > 0 else 0.0
    finite = means[np.isfinite(means)]
    with np.errstate(over="ignore"):  # a factor beyond floating point
        factors = float(high / low), float(level.max() / level.min())
    return ScaleGrowth(*factors, slope, bool(((finite >= 0) & (finite <= 1)).all()))
