"""The step of values that lie on a grid, as shares of a test sample of one size do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 400  # from the least value to the largest, beyond which values count as continuous
PARTS = (1, 2, 3, 4)  # of the least difference that may be the step
ROUGH = 0.15  # of a step: how far a difference may be from a multiple of it, as by rounding


def value_step(values: NDArray[np.float64]) -> float:
    """Return the largest step of which all differences are multiples; 0 where there is none.

    Examples
    --------
    >>> value_step(np.array([0.0, 0.0049, 0.0147, 0.0098]))
    0.0049
    >>> value_step(np.array([0.2, 0.4, 0.7])).__round__(9), value_step(np.array([1.0, 2.0, 2.718]))
    (0.1, 0.0)
    """
    different = np.unique(values)
    whole = float(np.ptp(different)) if len(different) else 0.0
    if whole == 0.0 or not np.isfinite(whole):
        return 0.0
    apart = np.diff(different)
    apart = apart[apart > 1e-9 * whole]
    for part in PARTS:
        step = float(apart.min()) / part
        multiples = np.round(apart / step)
        if whole / step > MOST_STEPS:
            return 0.0
        if np.abs(apart / step - multiples).max() <= ROUGH:
            return whole / float(multiples.sum())
    return 0.0
