r"""The law of the largest of several |t| with correlated numerators and denominators of their own.

.. math:: T = \max_p |Z_p| / \sqrt{\chi^2_p / \nu_p}, \quad Z \sim N(0, R)

of rank r is :math:`\rho M`: with the direction of the normal vector and the
denominators given, M is a number, and :math:`\rho^2` is :math:`\chi^2_r`,
independent of both. Directions and denominators are drawn; the length is
integrated [1]_: :math:`P(T > c) = E[P(\chi^2_r > c^2 / M^2)]`. Of the variance of
counts of T > c this leaves 3% for 15 pairs of 6 candidates and c = 2.9, and 17% for
300 pairs; far out much less.

References
----------
.. [1] A. Genz and F. Bretz (2009), Computation of Multivariate Normal and t
   Probabilities, section 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.optimize import brentq
from scipy.special import chdtrc

from reportgen.stats.arrays import Array

N_DRAWS = 20_000
MOST_NUMBERS = 30_000_000  # drawn for one law: with more than 1,500 t there are fewer draws
FEWEST_DRAWS = 10_000
CHUNK = 400_000  # numbers in memory at a time: more leave the cache of a processor
DEPENDENT = 1e-10  # share of a variance that rounding leaves where a t follows from others
STEP = 0.002  # of log M: the shares of two neighbours differ by little enough for a line
RARE = 1e-6  # added to every probability: far out few of the draws count
EXACT = 1e-12  # relative, of quantiles


@dataclass(frozen=True, slots=True)
class LargestT:
    """The law of the largest |t|.

    Attributes
    ----------
    rank : int
        Of the correlations.
    squares : ndarray of shape (n,)
        Values of M^2.
    weights : ndarray of shape (n,)
        Their probabilities.
    """

    rank: int
    squares: Array
    weights: Array

    def survival(self, t: Array) -> Array:
        """Return the probability that the largest |t| exceeds a value; `RARE` at least.

        Parameters
        ----------
        t : ndarray of shape (m,)
            Not negative; NaN stays.
        """
        shares = [float(chdtrc(self.rank, x / self.squares) @ self.weights) for x in np.square(t)]
        return np.minimum(np.array(shares) + RARE, 1.0)

    def quantile(self, tail: float, low: float, high: float) -> float:
        """Return the value that is exceeded with a probability, or the nearer end of a range.

        Parameters
        ----------
        tail : float
            Inside (0, 1).
        low, high : float
        """

        def excess(t: float) -> float:
            return float(self.survival(np.array([t]))[0]) - tail

        if excess(low) <= 0:
            return low
        return high if excess(high) >= 0 else float(brentq(excess, low, high, rtol=EXACT))


def largest_t(correlations: Array, df: Array, rng: Generator, n_draws: int = N_DRAWS) -> LargestT:
    """Return the law of the largest of several |t|.

    Parameters
    ----------
    correlations : ndarray of shape (P, P)
        Of the numerators, with ones on the diagonal.
    df : ndarray of shape (P,)
        Of the denominators, which are independent.
    rng : Generator
    n_draws : int, default 20,000
        With more than 1,500 t there are fewer.

    Returns
    -------
    LargestT

    Examples
    --------
    Two independent t on 10 degrees of freedom, of which each alone exceeds 2.2281
    with probability .05:

    >>> law = largest_t(np.eye(2), np.array([10.0, 10.0]), np.random.default_rng(1))
    >>> law.survival(np.array([2.2281])).round(3), round(1 - 0.95**2, 3)
    (array([0.097]), 0.098)
    """
    root = _triangular_root(correlations)
    n_t, rank = root.shape
    n_draws = min(n_draws, max(MOST_NUMBERS // n_t, FEWEST_DRAWS))
    step = max(1, CHUNK // n_t)
    squares = np.empty(n_draws)
    for begin in range(0, n_draws, step):
        size = min(step, n_draws - begin)
        normal = rng.standard_normal((rank, size))
        highest = np.zeros(size)
        for square, freedom in zip((root @ normal) ** 2, df.tolist(), strict=True):
            chi = rng.standard_gamma(freedom / 2, size, np.float32) * (2 / freedom)
            np.maximum(highest, square / chi, out=highest)
        squares[begin : begin + size] = highest / (normal**2).sum(axis=0)
    return LargestT(rank, *_on_grid(squares))


def _on_grid(squares: Array) -> tuple[Array, Array]:
    """Return equidistant nodes of log M with the draws' weights, each parted between two nodes.

    Tail probabilities are convex far out: parting errs upwards there, by less than a thousandth.
    """
    place = np.log(squares) / (2 * STEP)
    lower = np.floor(place)
    first, share = lower.min(), place - lower
    left = (lower - first).astype(np.intp)
    n_nodes = int(left.max()) + 2
    weights = np.bincount(left, 1 - share, n_nodes) + np.bincount(left + 1, share, n_nodes)
    return np.exp((first + np.arange(n_nodes)) * (2 * STEP)), weights / len(squares)


def _triangular_root(correlations: Array) -> Array:
    """Return L of shape (P, r) with L L' = R, and as many columns as the rank of R.

    Cholesky's, without a column for what follows from the rows before; no pivots are chosen,
    which rounding could choose differently on another processor.
    """
    root = np.empty_like(correlations)
    rank = 0
    for place, column in enumerate(correlations):
        left = column - root[:, :rank] @ root[place, :rank]
        if left[place] > DEPENDENT:
            root[:, rank] = left / np.sqrt(left[place])
            root[:place, rank] = 0.0
            rank += 1
    return root[:, :rank]
