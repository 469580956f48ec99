"""Units with a value that dwarfs those of all others, as that of a fit that diverged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FACTOR = 1000.0  # so many times as large as all values of the other units
MOST = 0.1  # of the units; with more, they are no exception


def dwarfing_units(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the units whose largest value dwarfs all values of the others.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        One row a unit, NaN where there is no value.

    Returns
    -------
    ndarray of int
        Few rows whose largest absolute values are more than `FACTOR` times as
        large as all of the others'; empty as a rule. The rule is descriptive. It
        looks for a gap between the units, so that long tails do not meet it,
        and candidates of different sizes do not.

    Examples
    --------
    >>> values = np.random.default_rng(1).lognormal(sigma=2, size=(20, 3))
    >>> dwarfing_units(values).tolist()
    []
    >>> values[7, 1] = -1e20
    >>> dwarfing_units(values).tolist()
    [7]
    """
    sizes = np.abs(values)
    sizes = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=1, initial=0.0)
    order = np.argsort(-sizes, kind="stable")
    descending = sizes[order]
    n_most = max(1, int(MOST * (descending > 0).sum()))
    for n in range(n_most, 0, -1):
        if n < len(order) and 0 < descending[n] < descending[n - 1] / FACTOR:
            return np.sort(order[:n])
    return np.empty(0, dtype=np.intp)
