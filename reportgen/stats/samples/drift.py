"""Drift along time within samples: whether later values tend to be larger, or smaller.

A comparison of samples presumes that the values of each are alike in law. A machine that warms
up, or slows down as it gets hot, breaks that. Kendall's tau of values with their order (Mann's
test) finds a monotone trend of any shape; it is exact without ties in small samples. Values that
depend on their neighbours without a trend make it reject too often: it is a warning, no verdict.

References
----------
.. [1] H. B. Mann (1945), "Nonparametric tests against trend", Econometrica 13.
"""

from __future__ import annotations

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS


@dataclass(frozen=True, slots=True)
class Drift:
    """The trend of one sample.

    Attributes
    ----------
    n : int
        Values.
    tau : float
        Kendall's tau-b of value and place, above 0 where later values are larger; NaN with fewer
        than `FEWEST_UNITS` values or where all are equal, which are not tested.
    p_value, adjusted_p_value : float
        Two-sided; adjusted over the samples by Holm's method. NaN where not tested.
    change : float
        The median of the last quarter over that of the first, less 1; NaN where not tested, or
        where these are not both above 0.
    is_significant : bool
        Whether the adjusted p-value is at most alpha.
    """

    n: int
    tau: float
    p_value: float
    adjusted_p_value: float
    change: float
    is_significant: bool


def drifts(values: Array, alpha: float) -> tuple[Drift, ...]:
    """Test each sample for a trend along time.

    `values`: (n, K); one column a sample in the order of time, NaN where there is no value.
    `alpha`: error probability of all samples together, 0 < alpha < 1.
    Result: one a column.
    Raises ValueError if `values` is no matrix, or alpha is not inside (0, 1).

    Examples
    --------
    >>> hotter, steady = np.arange(12.0) + 10, np.tile([1.0, 2.0, 2.0, 1.0], 3)
    >>> found = drifts(np.column_stack([hotter, steady]), 0.05)
    >>> [(round(d.tau, 2), round(d.change, 2), d.is_significant) for d in found]
    [(1.0, 0.82, True), (0.0, 0.0, False)]
    """
    if values.ndim != 2:
        raise ValueError(f"drift needs one column a sample, got shape {values.shape}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    samples = [column[~np.isnan(column)] for column in values.T]
    taus, p_values = np.array([_trend(sample) for sample in samples]).reshape(-1, 2).T
    adjusted = np.full(len(samples), np.nan)
    is_tested = ~np.isnan(p_values)
    adjusted[is_tested] = holm(p_values[is_tested])
    return tuple(
        Drift(len(sample), tau, p, own, _change(sample) if p <= 1 else np.nan, own <= alpha)
        for sample, tau, p, own in zip(
            samples, taus.tolist(), p_values.tolist(), adjusted.tolist(), strict=True
        )
    )


def _trend(sample: Array) -> tuple[float, float]:
    """Return Kendall's tau with the places, and its p-value; NaN where there is nothing to test."""
    if len(sample) < FEWEST_UNITS or (sample == sample[0]).all():
        return np.nan, np.nan

    from scipy.stats import kendalltau

    found = kendalltau(np.arange(len(sample)), sample)
    return float(found.statistic), float(found.pvalue)


def _change(sample: Array) -> float:
    """Return the change of the median from the first quarter to the last."""
    quarter = max(1, len(sample) // 4)
    before, after = float(np.median(sample[:quarter])), float(np.median(sample[-quarter:]))
    return after / before - 1 if min(before, after) > 0 else np.nan
