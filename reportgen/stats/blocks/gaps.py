"""Gaps: candidates that lack a value in units in which others have one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Array

Bounds = tuple[float | None, float | None]

PAIR = 2  # candidates, of which the only other one bounds a gap by its value too narrowly


def fill_gaps(
    values: Array,
    is_smaller_better: bool,
    bounds: Bounds = (None, None),
    absent: NDArray[np.bool_] | None = None,
) -> Array:
    r"""Let every gap take the worst value that another candidate has in its unit.

    Means of what is filled order candidates: one that fails where it is hard does not win by that.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        One row a unit (a replication, a data set), NaN where it lacks a candidate.
    is_smaller_better : bool
    bounds : tuple of two (float or None)
        The least and the greatest value of the measure, on the scale of `values`.
    absent : ndarray of shape (n, K), bool, optional
        Cells without a value by design, which stay empty.

    Returns
    -------
    ndarray of shape (n, K)
        `values` themselves where nothing is missing. A unit without any value stays empty.

    Notes
    -----
    Of two candidates, the other one's value is worsened by the largest difference of the two that
    was seen in any unit, within the bounds. The filling is a convention and no bound: a value that
    is missing may be worse than all that were seen.

    Examples
    --------
    >>> fill_gaps(np.array([[np.nan, 0.4, 0.3], [0.1, 0.2, 0.3]]), True)
    array([[0.4, 0.4, 0.3],
           [0.1, 0.2, 0.3]])
    >>> fill_gaps(np.array([[np.nan, 0.7], [0.9, 0.8]]), False, (0.0, 1.0)).round(2)
    array([[0.6, 0.7],
           [0.9, 0.8]])
    """
    there = np.isfinite(values)
    is_gap = ~there & there.any(axis=1, keepdims=True)
    if absent is not None:
        is_gap &= ~absent
    if not is_gap.any():
        return values
    sign = 1.0 if is_smaller_better else -1.0
    worst = np.where(there, sign * values, -np.inf).max(axis=1)
    if values.shape[1] == PAIR:
        apart = np.abs(values[:, 0] - values[:, 1])
        worst = worst + np.nan_to_num(apart).max(initial=0.0)
    low, high = (None if x is None else float(x) for x in bounds)
    limited = np.clip(sign * worst, low, high) if (low, high) != (None, None) else sign * worst
    return np.where(is_gap, limited[:, None], values)
