"""Power of comparisons that are planned, by the differences of a pilot.

Studies are drawn from the differences that were found, moved to where the difference is supposed
to be, and each is judged by the interval that will judge it: what is skewed, or rarely not 0, stays
so.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.random import Generator

from reportgen.stats.arrays import Array
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, mean_intervals

MOST_NUMBERS = 1_000_000  # drawn at once
NEAR = 20  # one over the precision of a number of units


def drawn_intervals(
    pilot: Array,
    delta: float,
    n: int,
    level: float,
    rng: Generator,
    n_draws: int,
    *,
    noise: float = 0.0,
) -> tuple[Array, Array]:
    """Return the intervals of studies that are drawn from the differences of a pilot.

    `pilot`: (n0,); differences of units.
    `delta`: what the mean difference is supposed to be.
    `n`: units of each study.
    `level`: 1 - confidence.
    `noise`: standard deviation of a normal variable that each difference has besides.
    Result: (n_draws,) each.

    Notes
    -----
    What is known of the law by a pilot is not certain: every study has a law of its own, with
    weights of the pilot's units that are drawn from the flat Dirichlet law (the Bayesian
    bootstrap).

    References
    ----------
    .. [1] D. B. Rubin (1981), "The Bayesian bootstrap", Annals of Statistics 9.
    """
    lower, upper = np.empty(n_draws), np.empty(n_draws)
    done, n_pilot = 0, len(pilot)
    while done < n_draws:
        size = min(n_draws - done, max(1, MOST_NUMBERS // n))
        weights = rng.standard_exponential((size, n_pilot))
        weights /= weights.sum(axis=1, keepdims=True)
        edges = np.cumsum(weights, axis=1)
        edges[:, -1] = 1.0
        offset = np.arange(size)[:, None]
        places = np.searchsorted((edges + offset).ravel(), (rng.random((size, n)) + offset).ravel())
        rows = np.minimum(places.reshape(size, n) - offset * n_pilot, n_pilot - 1)
        drawn = pilot[np.maximum(rows, 0)] - (weights @ pilot)[:, None] + delta
        if noise:
            drawn = drawn + noise * rng.standard_normal(drawn.shape)
        found = mean_intervals(drawn.T, level)
        lower[done : done + size], upper[done : done + size] = found
        done += size
    return lower, upper


def least_number(power: Callable[[int], float], wanted: float, start: int, most: int) -> float:
    """Return about the least number of units with a power, infinite beyond the most.

    `start`: where the search begins.

    Examples
    --------
    >>> least_number(lambda n: n / 100, 0.8, 10, 1000), least_number(lambda n: 0.1, 0.8, 10, 100)
    (80, inf)
    """
    low, high = FEWEST_UNITS - 1, min(max(start, FEWEST_UNITS), most)
    while power(high) < wanted:
        if high == most:
            return inf
        low, high = high, min(2 * high, most)
    while high - low > max(1, low // NEAR):
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return high
