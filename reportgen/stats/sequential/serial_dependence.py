r"""Whether the values of a series depend on the one before, a lasting shift apart.

The statistic is the correlation of successive residuals, from the means on both sides of the place
where a single shift fits best by least squares. A shift alone therefore leaves nothing, and what
wanders, or stays for a while where it is, does. Its law where the values are independent and
normal, of any mean and spread, is simulated: without a shift, and with a large one anywhere. It
depends on the number of values alone; the p-value is the larger of both.

References
----------
.. [1] J. von Neumann (1941), "Distribution of the ratio of the mean square successive difference to
   the variance", Annals of Mathematical Statistics 12.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

FEWEST = 16  # values of which dependence can be seen
SIDE = 3  # values on each side of a shift, at least
SIMULATED = 1999


@dataclass(frozen=True, slots=True)
class SerialDependence:
    """How much successive values have in common."""

    correlation: float  # of successive residuals
    p_value: float  # that it is as large where values are independent


def successive_correlation(values: Array) -> Array:
    """Return the correlation of successive residuals of each series, a row; shape (R, T) -> (R,).

    A series without residuals has 0.
    """
    n = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    ends = np.arange(SIDE, n - SIDE + 1)
    sums = centred.cumsum(axis=1)[:, ends - 1]
    gain = sums**2 * (1 / ends + 1 / (n - ends))  # by which a shift there lessens the squares
    end = ends[np.argmax(gain, axis=1)]
    sum_ = np.take_along_axis(sums, (end - SIDE)[:, None], axis=1)
    is_before = np.arange(n) < end[:, None]
    means = np.where(is_before, sum_ / end[:, None], -sum_ / (n - end)[:, None])
    residuals = centred - means
    squares = (residuals**2).sum(axis=1)
    products = (residuals[:, 1:] * residuals[:, :-1]).sum(axis=1)
    least = 1e-20 * (values**2).sum(axis=1)
    return np.asarray(np.where(squares > least, products / np.maximum(squares, 1e-300), 0.0))


def independent_law(n: int, rng: Generator) -> Array:
    """Return the statistic of so many independent values, simulated and in order.

    Shape (2, R): without a shift, and with one of a hundred standard deviations anywhere.
    """
    noise = rng.standard_normal((2, SIMULATED, n))
    noise[1] += 100.0 * (np.arange(n) >= rng.integers(SIDE, n - SIDE + 1, size=(SIMULATED, 1)))
    return np.sort([successive_correlation(own) for own in noise], axis=1)


def serial_dependence(values: Array, law: Array) -> SerialDependence:
    """Test whether values in the order of time depend on the one before.

    `values`: shape (T,), finite, at least `FEWEST`.
    `law`: of as many values, as `independent_law` returns it.

    >>> rng = np.random.default_rng(1)
    >>> law = independent_law(40, rng)
    >>> noise = rng.standard_normal(40)
    >>> serial_dependence(np.where(np.arange(40) < 12, noise, noise + 9), law).p_value > 0.05
    True
    >>> serial_dependence(rng.standard_normal(40).cumsum(), law).p_value < 0.01
    True
    """
    found = float(successive_correlation(values[None])[0])
    n_above = int((law >= found).sum(axis=1).max())
    return SerialDependence(found, (1 + n_above) / (1 + law.shape[1]))
