r"""A *t* statistic corrected for the skewness of its values, at most by half.

A mean of skewed values has a t statistic whose law leans by :math:`A = G / \sqrt n`, with the
adjusted skewness G of the values [1]_. Hall's cubic transformation [2]_ takes that away; with
:math:`k = A / 3`,

.. math:: H(T) = T + k T^2 + \tfrac13 k^2 T^3 + \tfrac12 k.

Here it corrects the side of the long tail only, only towards less significance, and by half at
most. With :math:`q = -\operatorname{sign}(T)\, k`, which is positive where the tail points to 0,

.. math:: |t^*| = \begin{cases} |T| & q \le 0 \\ |T| / 2 & q |T| \ge (3 - \sqrt 3) / 2 \\
          \min(|T|, \max(|T| / 2, |T| - q T^2 + \tfrac13 q^2 |T|^3 - \tfrac12 q)) & \text{else.}
          \end{cases}

It has an exact inverse, so that a test and its interval always agree, and no side of an interval
is longer than twice Student's. Hall's own inverse has no such limit: with few values its cubic is
flat near the critical value, and its intervals reach far beyond anything that was observed.

References
----------
.. [1] D. N. Joanes and C. A. Gill (1998), "Comparing measures of sample skewness and kurtosis",
   The Statistician 47.
.. [2] P. Hall (1992), "On the removal of skewness by transformation", Journal of the Royal
   Statistical Society B 54, section 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Array

FEWEST_VALUES = 6  # fewer say nothing of a skewness, which is then taken to be 0
NEGLIGIBLE = 1e-9  # of k: the correction is then below the last digits of c
TURN = (3 - 3**0.5) / 4  # k c from which a side is twice Student's: 1 + cbrt(3x - 1) = 2x


def skewness(deviations: Array, counts: NDArray[np.int_]) -> Array:
    """Return the adjusted skewness G of columns of deviations from their means.

    `deviations`: (n, P); deviations from the column's mean, 0 where there is no value.
    `counts`: (P,); values in each column.
    Result: (P,); third central moment over the 1.5th power of the second, times sqrt(n (n - 1)) /
    (n - 2); 0 without variation, and with fewer than `FEWEST_VALUES`.

    Examples
    --------
    >>> skewness(np.array([[-1.0], [-1.0], [-1.0], [0.0], [0.0], [3.0]]), np.array([6])).round(4)
    array([1.9365])
    """
    largest = np.abs(deviations).max(axis=0, initial=0.0)
    scaled = deviations / np.where(largest > 0, largest, 1.0)
    squares = scaled * scaled
    second = squares.sum(axis=0) / np.maximum(counts, 1)
    squares *= scaled  # a third power by multiplication: as a power it takes twenty times as long
    third = squares.sum(axis=0) / np.maximum(counts, 1)
    return adjusted_skewness(second, third, counts)


def adjusted_skewness(second: Array, third: Array, counts: NDArray[np.int_]) -> Array:
    """Return the adjusted skewness of samples whose second and third central moments are known.

    `second`, `third`: (..., P); moments with the divisor n; no variation where the second is 0.
    `counts`: (..., P).

    Examples
    --------
    >>> adjusted_skewness(np.array([2.0, 2.0]), np.array([3.5, 3.5]), np.array([6, 5])).round(4)
    array([1.6944, 0.    ])
    """
    spread = np.where(second > 0, second, 1.0) ** 1.5
    factor = np.sqrt(counts * np.maximum(counts - 1.0, 0.0)) / np.maximum(counts - 2.0, 1.0)
    is_known = (second > 0) & (counts >= FEWEST_VALUES)
    return np.asarray(np.where(is_known, factor * third / spread, 0.0))


def t_star(t: Array, lean: Array) -> Array:
    r"""Return t*: the statistic less what the skewness of the values can bring about.

    `t`: (..., P).
    `lean`: (..., P); skewness A of the mean: :math:`G / \sqrt n`.
    Result: (..., P); of the sign of t, between half its size and its size; increasing in t. An
    infinite t stays.

    Examples
    --------
    >>> t_star(np.array([2.0, -2.0, 9.0, -9.0]), np.full(4, 0.2)).round(4)
    array([ 2.    , -1.7119,  9.    , -4.6467])
    """
    size = np.where(np.isfinite(t), np.abs(t), 0.0)
    q = -np.sign(t) * lean / 3
    has_tail = q > NEGLIGIBLE
    is_far = has_tail & (q * size >= 2 * TURN)
    inner = np.where(has_tail & ~is_far, q, 0.0)
    curve = inner * size
    hall = size * (1 - curve + curve**2 / 3) - inner / 2
    found = np.where(is_far, size / 2, np.clip(hall, size / 2, size))
    return np.asarray(np.where(np.isfinite(t), np.sign(t) * found, t))


def reach(critical: Array, lean: Array) -> tuple[Array, Array]:
    r"""Return how many standard errors an interval reaches below and above the mean.

    `critical`: (P,); the critical value c of :math:`|t^*|`, positive.
    `lean`: (P,); as of `t_star`.
    Result: `below`, `above`, (P,); between c and 2 c. 0 is outside of (mean - se * below, mean + se
    * above) exactly where :math:`|t^*| > c`.

    Notes
    -----
    The side to which the tail of length q > 0 points has

    .. math:: L(q) = \min\!\Big(2c,\, \max\!\Big(c,\,
        \frac{1 + \sqrt[3]{3 q (c + q / 2) - 1}}{q}\Big)\Big),

    and 2c where :math:`q c \ge (3 - \sqrt 3) / 4`; the other side has c.

    Examples
    --------
    >>> below, above = reach(np.array([2.0, 2.0, 4.0]), np.array([0.0, 0.2, 0.3]))
    >>> below.round(4), above.round(4)
    (array([2., 2., 4.]), array([2.    , 2.3955, 8.    ]))
    """
    k = lean / 3
    return _side(critical, -k), _side(critical, k)


def _side(critical: Array, q: Array) -> Array:
    """Return L(q)."""
    has_tail = q > NEGLIGIBLE
    is_far = has_tail & (q * critical >= TURN)
    divisor = np.where(has_tail & ~is_far, q, 1.0)
    hall = (1 + np.cbrt(3 * divisor * (critical + divisor / 2) - 1)) / divisor
    curved = np.clip(hall, critical, 2 * critical)
    return np.asarray(np.where(is_far, 2 * critical, np.where(has_tail, curved, critical)))


def sign_interval(difference: Array, chance: Array, alpha: Array | float) -> tuple[Array, Array]:
    r"""Return the interval of differences that are the same in all units.

    `difference`: (P,).
    `chance`: (P,); two-sided probability that all units have one sign, where both are equally
    likely: :math:`2^{1-n}`, or that of an event that is as rare.
    `alpha`: float or ndarray of shape (P,); 1 - confidence.
    Result: `lower`, `upper`, (P,); :math:`d \mp 2 |d| (1 - (\alpha / 2)^{1 / n})`, which excludes 0
    exactly where the chance is below alpha.

    Notes
    -----
    These are the limits of Clopper and Pearson (1934) for the share of units with this sign, the
    others having a difference of the same size and the other sign, or of three times the size.

    Examples
    --------
    >>> low, high = sign_interval(np.array([0.02, 0.02]), 2.0 ** (1 - np.array([6, 50])), 0.05)
    >>> low.round(4), high.round(4)
    (array([0.0016, 0.0172]), array([0.0384, 0.0228]))
    """
    n = 1 - np.log2(chance)
    half = 2 * np.abs(difference) * (1 - (np.asarray(alpha) / 2) ** (1 / n))
    return difference - half, difference + half


def mean_interval(
    estimate: Array,
    standard_error: Array,
    lean: Array,
    critical: Array,
    varies: NDArray[np.bool_],
    chance: Array,
    alpha: Array | float,
) -> tuple[Array, Array]:
    """Return the interval of mean differences: of t*, without spread of the signs.

    `estimate`, `standard_error`, `lean`, `critical`: (P,); as of `reach`.
    `varies`: (P,); whether a difference has spread.
    `chance`: (P,); of one without spread, as of `sign_interval`; NaN where there is none.
    `alpha`: float or ndarray of shape (P,); 1 - confidence of each difference alone, for those
    without spread.
    Result: `lower`, `upper`, (P,); NaN where there is neither: a difference of 0 without spread, a
    single value.

    Examples
    --------
    >>> columns = ([2.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.2] * 3, [2.0] * 3, [True, False, False])
    >>> lower, upper = mean_interval(*map(np.array, columns), 2.0 ** np.array([-5, -5, 0]), 0.05)
    >>> lower.round(2), upper.round(2)
    (array([0.  , 0.16,  nan]), array([4.4 , 3.84,  nan]))
    """
    below, above = reach(np.where(varies, critical, 1.0), lean)
    has_signs = ~varies & (estimate != 0) & (chance < 1)
    of_signs = sign_interval(estimate, np.where(has_signs, chance, 0.5), alpha)
    lower, upper = (
        np.where(varies, estimate + side * standard_error, np.where(has_signs, signs, np.nan))
        for side, signs in zip((-below, above), of_signs, strict=True)
    )
    return lower, upper


def excluded_share(n: NDArray[np.int_], alpha: float) -> Array:
    """Return the share of units above which a difference was seen, had there been any.

    `n`: (P,); units, all without a difference.
    `alpha`: 1 - confidence.

    Examples
    --------
    >>> excluded_share(np.array([10, 20, 50]), 0.05).round(2)
    array([0.26, 0.14, 0.06])
    """
    return np.asarray(1 - alpha ** (1 / np.maximum(n, 1)))
