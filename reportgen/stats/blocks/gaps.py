"""Gaps: candidates that lack a value in units in which others have one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Array, Bounds


def fill_gaps(
    values: Array,
    is_smaller_better: bool,
    bounds: Bounds = (None, None),
    missing_by_design: NDArray[np.bool_] | None = None,
) -> Array:
    """Let every gap take the worst value that another candidate has in its unit, or one beyond.

    Means of what is filled order candidates: one that fails where it is hard does not win by that.

    `values`: (n, K); one row a unit (a replication, a data set), NaN where it lacks a candidate.
    `bounds`: the least and the greatest value of the measure, on the scale of `values`.
    `missing_by_design`: (n, K); cells without a value by design, which stay empty.
    Result: (n, K); `values` themselves where nothing is missing. A unit without any value stays
    empty.

    Notes
    -----
    Where only one other candidate has a value, its value alone would make a gap as good as the only
    rival: it is worsened by the largest difference of the two in units that have both (of any two
    where no unit has both), within the bounds. The filling is a convention and no bound: a value
    that is missing may be worse than all that were seen.

    Examples
    --------
    >>> fill_gaps(np.array([[np.nan, 0.4, 0.3], [0.1, 0.2, 0.3]]), True)
    array([[0.4, 0.4, 0.3],
           [0.1, 0.2, 0.3]])
    >>> fill_gaps(np.array([[np.nan, 0.7], [0.9, 0.8]]), False, (0.0, 1.0)).round(2)
    array([[0.6, 0.7],
           [0.9, 0.8]])

    The first unit has a single value; the second candidate was at most .1 from it, the third .3.

    >>> unit = [np.nan, np.nan]
    >>> fill_gaps(np.array([[0.5, *unit], [0.3, 0.4, 0.6], [0.2, 0.2, np.nan]]), True).round(2)
    array([[0.5, 0.6, 0.8],
           [0.3, 0.4, 0.6],
           [0.2, 0.2, 0.2]])
    """
    there = np.isfinite(values)
    is_gap = ~there & there.any(axis=1, keepdims=True)
    if missing_by_design is not None:
        is_gap &= ~missing_by_design
    if not is_gap.any():
        return values
    sign = 1.0 if is_smaller_better else -1.0
    worst = np.where(there, sign * values, -np.inf).max(axis=1, keepdims=True)
    worst = worst + _farthest(values, there)
    low, high = (None if x is None else float(x) for x in bounds)
    limited = np.clip(sign * worst, low, high) if (low, high) != (None, None) else sign * worst
    return np.where(is_gap, limited, values)


def has_one_value(there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which units have a value of one candidate alone, shape (n, 1).

    `there`: (n, K); which candidates have a value in which unit.

    Examples
    --------
    >>> has_one_value(np.array([[True, False, False], [True, True, False]])).tolist()
    [[True], [False]]
    """
    return np.asarray(there.sum(axis=1, keepdims=True) == 1)


def _farthest(values: Array, there: NDArray[np.bool_]) -> Array:
    """Return by how much each candidate differed at most from the only one that a unit has."""
    own = np.where(there, values, np.nan)
    alone = np.where(has_one_value(there)[:, 0], there.argmax(axis=1), -1)
    of_any = max(np.ptp(row[np.isfinite(row)]) for row in own if np.isfinite(row).any())
    found = np.zeros(values.shape)
    for k in set(alone.tolist()) - {-1}:
        apart = np.abs(own - own[:, [k]])
        shared = there & there[:, [k]]
        found[alone == k] = np.where(
            shared.any(axis=0), np.where(shared, apart, 0.0).max(axis=0), of_any
        )
    return found
