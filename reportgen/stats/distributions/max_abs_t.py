r"""The laws of the largest of several |t|: with denominators of their own, and with one.

With correlated numerators and denominators of their own (`max_abs_t`),

.. math:: T = \max_p |Z_p| / \sqrt{\chi^2_p / \nu_p}, \quad Z \sim N(0, R)

of rank r is :math:`\rho M`: with the direction of the normal vector and the
denominators given, M is a number, and :math:`\rho^2` is :math:`\chi^2_r`,
independent of both. Directions and denominators are drawn; the length is
integrated [1]_: :math:`P(T > c) = E[P(\chi^2_r > c^2 / M^2)]`. Of the variance of
counts of T > c this leaves 3% for 15 pairs of 6 candidates and c = 2.9, and 17% for
300 pairs; far out much less. Of many t few can be the largest in a direction, whatever
their denominators are within ends that 2e-10 of them pass: only theirs are drawn.

Over all pairs of correlated means with a common denominator (`contrast_max_abs_t`): with
estimates whose differences have any covariance, the largest
:math:`|t_{kl}|` exceeds c with the probability

.. math:: P(c) = E\left[\bar F_{d,\nu}\!\left(\frac{c^2}{d\, m(U)^2}\right)\right],

where U is uniform on the sphere of the d = K - 1 dimensions of the contrasts,
m(u) the largest standardised difference in the direction u, and
:math:`\bar F` the upper tail of the F law: radius and denominator are
integrated exactly, only the direction is left to quasi-Monte Carlo, by randomly
shifted Richtmyer lattices [1]_. The same directions give the same integral for
means with equal variances, whose exact value is the studentized range. The ratio
of the two corrects the exact value: where all variances are equal it is 1. Lattices
are added until the critical value at 5% has a standard error of `ERROR`.

scipy.stats.multivariate_t is wrong for singular correlations, which those of all
pairs are: K - 1 dimensions hold K (K - 1) / 2 statistics.

References
----------
.. [1] A. Genz and F. Bretz (2009), Computation of Multivariate Normal and t
   Probabilities, Springer, sections 4.1, 4.2 and 5.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf, sqrt

import numpy as np
from numpy.random import Generator
from scipy.special import betainc, chdtrc, chdtri, gammaincc, ndtri

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Indices
from reportgen.stats.distributions.studentized_range import quantile, survival
from reportgen.stats.linear_algebra import helmert_contrasts
from reportgen.stats.roots import brentq
from reportgen.stats.shared_means import pair_blocks

N_DRAWS = 20_000
MOST_NUMBERS = 30_000_000  # drawn for one law: with more than 1,500 t there are fewer draws
FEWEST_DRAWS = 10_000
CHUNK = 400_000  # numbers in memory at a time: more leave the cache of a processor
MANY_T = 1_000  # from which denominators are drawn only where they may give the largest |t|
BEYOND = 1e-10  # probability of either end that no denominator is taken to reach
DEPENDENT = 1e-10  # share of a variance that rounding leaves where a t follows from others
STEP = 0.002  # of log M: the shares of two neighbours differ by little enough for a line
RARE = 1e-6  # added to every probability: far out few of the draws count
EXACT = 1e-12  # relative, of quantiles

N_SHIFTS = 16  # independent lattices at first: their spread is the error
MOST_SHIFTS = 512
ERROR = 1e-3  # largest standard error of the critical value at 5%: .00015 of the level
MANY_MEANS = 30  # from which their differences are taken mean by mean
N_POINTS = 1024  # directions of each lattice
DEGREE = 28  # of the polynomial that keeps the ratio of the two probabilities
BEND = 4.0  # c / (c + BEND) is the polynomial's variable: the ratio is smooth in it
REACHES = 96  # nodes of the polynomials in the reach (even): critical values good to 1e-8
CANCELLED = 1e-12  # of the largest tail: a mean below it has lost its digits
REMOTE = 1e-13  # tail probability beyond which the ratio stays as it is


@dataclass(frozen=True, slots=True)
class MaxAbsT:
    """The law of the largest |t|."""

    rank: int  # of the correlations
    squares: Array  # (n,); values of M^2
    weights: Array  # (n,); their probabilities

    def survival(self, t: Array) -> Array:
        """Return the probability that the largest |t| exceeds a value; `RARE` at least.

        `t`: (m,); not negative; NaN stays.
        """
        shares = [float(chdtrc(self.rank, x / self.squares) @ self.weights) for x in np.square(t)]
        return np.minimum(np.array(shares) + RARE, 1.0)

    def quantile(self, tail: float, low: float, high: float) -> float:
        """Return the value that is exceeded with a probability, or the nearer end of a range.

        `tail`: inside (0, 1).
        """

        def excess(t: float) -> float:
            return float(self.survival(np.array([t]))[0]) - tail

        if excess(low) <= 0:
            return low
        return high if excess(high) >= 0 else brentq(excess, low, high, rtol=EXACT)


def max_abs_t(correlations: Array, df: Array, rng: Generator, n_draws: int = N_DRAWS) -> MaxAbsT:
    """Return the law of the largest of several |t|.

    `correlations`: (P, P); of the numerators, with ones on the diagonal.
    `df`: (P,); of the denominators, which are independent.
    `n_draws`: int, default 20,000; with more than 1,500 t there are fewer.

    Examples
    --------
    Two independent t on 10 degrees of freedom, of which each alone exceeds 2.2281
    with probability .05:

    >>> law = max_abs_t(np.eye(2), np.array([10.0, 10.0]), np.random.default_rng(1))
    >>> law.survival(np.array([2.2281])).round(3), round(1 - 0.95**2, 3)
    (array([0.097]), 0.098)
    """
    root = _triangular_root(correlations)
    n_t, rank = root.shape
    n_draws = min(n_draws, max(MOST_NUMBERS // n_t, FEWEST_DRAWS))
    step = max(1, CHUNK // n_t)
    ends = _ends(df) if n_t >= MANY_T else None
    squares = np.empty(n_draws)
    for begin in range(0, n_draws, step):
        size = min(step, n_draws - begin)
        normal = rng.standard_normal((rank, size))
        highest = _highest((root @ normal) ** 2, df, ends, rng)
        squares[begin : begin + size] = highest / (normal**2).sum(axis=0)
    return MaxAbsT(rank, *_on_grid(squares))


def _ends(df: Array) -> Array:
    """Return what so few denominators are below, and above, that none is taken to be: (2, P, 1)."""
    return np.stack([chdtri(df, 1 - BEYOND), chdtri(df, BEYOND)])[:, :, None] / df[:, None]


def _highest(squares: Array, df: Array, ends: Array | None, rng: Generator) -> Array:
    """Divide squares of normals, (P, n), by denominators that are drawn; return the highest."""
    # With ends, denominators are drawn of those squares only that can give the highest.
    highest = np.zeros(squares.shape[1])
    if ends is not None:
        least, most = ends
        t, draw = np.nonzero(squares / least >= (squares / most).max(axis=0))
        chi = rng.standard_gamma(df[t] / 2, dtype=np.float32) * (2 / df[t])
        np.maximum.at(highest, draw, squares[t, draw] / chi)
        return highest
    for square, freedom in zip(squares, df.tolist(), strict=True):
        chi = rng.standard_gamma(freedom / 2, len(square), np.float32) * (2 / freedom)
        np.maximum(highest, square / chi, out=highest)
    return highest


def _on_grid(squares: Array) -> tuple[Array, Array]:
    """Return equidistant nodes of log M with the draws' weights, each parted between two nodes."""
    # Tail probabilities are convex far out: parting errs upwards there, by less than a thousandth.
    place = np.log(squares) / (2 * STEP)
    lower = np.floor(place)
    first, share = lower.min(), place - lower
    left = (lower - first).astype(np.intp)
    n_nodes = int(left.max()) + 2
    weights = np.bincount(left, 1 - share, n_nodes) + np.bincount(left + 1, share, n_nodes)
    return np.exp((first + np.arange(n_nodes)) * (2 * STEP)), weights / len(squares)


def _triangular_root(correlations: Array) -> Array:
    """Return L of shape (P, r) with L L' = R, and as many columns as the rank of R."""
    # Cholesky's, without a column for what follows from the rows before; no pivots are chosen,
    # which rounding could choose differently on another processor.
    root = np.empty_like(correlations)
    rank = 0
    for place, column in enumerate(correlations):
        left = column - root[:, :rank] @ root[place, :rank]
        if left[place] > DEPENDENT:
            root[:, rank] = left / np.sqrt(left[place])
            root[:place, rank] = 0.0
            rank += 1
    return root[:, :rank]


# ------------------------------------------------- a common denominator


@dataclass(frozen=True, slots=True)
class ContrastMaxAbsT:
    """The law of max |t| over all pairs of K means."""

    n_means: int
    df: float
    # (S, DEGREE + 1); chebyshev coefficients of P(c) over the studentized range's tail, by lattice
    ratio: Array
    farthest: float  # end of the polynomials

    def survival(self, c: Array) -> Array:
        """Return P(max |t| > c) for c of shape (n,), not negative."""
        exact = survival(np.asarray(c) * sqrt(2), self.n_means, self.df)
        single = survival(np.asarray(c) * sqrt(2), 2, self.df)
        ratio = self._ratios(np.asarray(c, dtype=np.float64)).mean(axis=0)
        p: Array = np.clip(exact * ratio, single, np.minimum(1.0, self._n_pairs * single))
        return p

    def quantile(self, alpha: float) -> tuple[float, float]:
        """Return the value exceeded with probability alpha, and its standard error."""
        if not 0 < alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")

        def excess(c: float) -> float:
            return float(np.log(self.survival(np.array([c]))[0] / alpha))

        upper = quantile(min(alpha / self._n_pairs, 0.5), 2, self.df) / sqrt(2) + 1
        c = brentq(excess, 1e-6, upper, xtol=1e-13, rtol=1e-14)
        ratios = self._ratios(np.array([c]))[:, 0]
        step = 1e-4 * c
        slope = (excess(c + step) - excess(c - step)) / (2 * step)
        spread = float(np.std(ratios, ddof=1)) / sqrt(len(ratios)) / float(ratios.mean())
        return c, spread / abs(slope)

    @property
    def _n_pairs(self) -> int:
        return self.n_means * (self.n_means - 1) // 2

    def _ratios(self, c: Array) -> Array:
        """Return the ratio by every lattice, shape (N_SHIFTS, n)."""
        x = _variable(np.minimum(c, self.farthest)) / _variable(np.array(self.farthest))
        return np.asarray(np.polynomial.chebyshev.chebval(2 * x - 1, self.ratio.T), np.float64)


def contrast_max_abs_t(
    covariance: Array,
    df: float,
    rng: Generator,
    most_shifts: int = MOST_SHIFTS,
) -> ContrastMaxAbsT:
    """Return the law for means with a given covariance.

    `covariance`: (K, K); K >= 2; all pairs' differences have positive variances.
    `df`: degrees of freedom of the common denominator; infinite for the normal law.
    `rng`: shifts the lattices.
    `most_shifts`: lattices at which to stop, however large the error.
    Raises ValueError if `df` < 1.
    """
    n_means = len(covariance)
    farthest = quantile(REMOTE, n_means, df) / sqrt(2)
    nodes = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    places = (nodes + 1) / 2 * _variable(np.array(farthest))
    c = BEND * places / (1 - places)
    basis = np.cos(np.arange(DEGREE + 1)[:, None] * np.arccos(nodes)) * (2 / (DEGREE + 1))
    basis[0] /= 2
    scaled = _standardise(covariance)
    lattices: list[tuple[Array, Array]] = []
    n_more = N_SHIFTS
    while True:
        lattices += [scaled.reaches(u) for u in _directions(n_means - 1, n_more, rng)]
        law = ContrastMaxAbsT(
            n_means, df, _ratios(c, lattices, n_means - 1, df) @ basis.T, farthest
        )
        if law.quantile(0.05)[1] <= ERROR or len(lattices) >= most_shifts:
            return law
        n_more = len(lattices)


def _variable(c: Array) -> Array:
    """Map c >= 0 to [0, 1)."""
    return c / (c + BEND)


def _standardise(covariance: Array) -> _Standardised:
    """Return the K means and their P differences in terms of K - 1 independent variables."""
    axes = helmert_contrasts(len(covariance))
    spread, turn = np.linalg.eigh(axes @ covariance @ axes.T)
    root = (turn * np.sqrt(np.maximum(spread, 0.0))) @ turn.T  # has no sign or order to choose
    means = root @ axes
    first, second = np.triu_indices(len(covariance), 1)
    if len(means) >= MANY_MEANS:
        blocks = pair_blocks(len(means), len(first))
        some = [np.linalg.norm(_apart(means, first[b], second[b]), axis=0) for b in blocks]
        return _Standardised(means, np.concatenate(some), None, axes / sqrt(2))
    own = _apart(means, first, second)
    lengths = np.linalg.norm(own, axis=0)
    return _Standardised(means, lengths, own / lengths, axes / sqrt(2))


def _apart(means: Array, first: Indices, second: Indices) -> Array:
    """Return the differences of pairs of columns."""
    return np.take(means, first, axis=1) - np.take(means, second, axis=1)


@dataclass(frozen=True, slots=True)
class _Standardised:
    """K means in terms of K - 1 independent variables, and their P differences."""

    means: Array  # (K - 1, K)
    lengths: Array  # (P,); of the differences of all pairs
    own: Array | None  # (K - 1, P); the differences, of length 1; None of many means
    equal: Array  # (K - 1, K); means with equal variances, whose differences have length 1

    def reaches(self, directions: Array) -> tuple[Array, Array]:
        """Return the largest standardised difference in every direction, in both cases."""
        equal = np.ptp(directions @ self.equal, axis=1)
        if self.own is None:
            return self._of_many(directions), equal
        among = directions @ self.own
        return np.maximum(among.max(axis=1), -among.min(axis=1)), equal

    def _of_many(self, directions: Array) -> Array:
        """Return the largest by the means' own values: a product of all pairs takes K times it."""
        values = self.means.T @ directions.T
        shares = 1 / self.lengths[:, None]
        found, begin, n_means = np.zeros(len(directions)), 0, len(values)
        for i in range(n_means - 1):
            end = begin + n_means - 1 - i
            among = values[i + 1 :] - values[i]
            np.abs(among, out=among)
            among *= shares[begin:end]
            np.maximum(found, among.max(axis=0), out=found)
            begin = end
        return found


def _ratios(c: Array, lattices: list[tuple[Array, Array]], n_dimensions: int, df: float) -> Array:
    """Return the ratio of the two tail probabilities at every c, one row a lattice."""
    # The tail is smooth in the reach: its mean over the directions follows from
    # those of some polynomials, and is found for all c at once.
    ends = [(float(reach.min()), float(reach.max())) for pair in lattices for reach in pair]
    least, most = min(low for low, _ in ends), max(high for _, high in ends)
    nodes = np.cos(np.pi * (np.arange(REACHES) + 0.5) / REACHES)
    reaches = least + (most - least) * (nodes + 1) / 2
    tails = _tail(c[:, None] / reaches, n_dimensions, df)
    transform = np.cos(np.arange(REACHES) * np.arccos(nodes)[:, None]) * (2 / REACHES)
    transform[:, 0] /= 2
    coefficients = tails @ transform
    floor = CANCELLED * tails.max(axis=1)
    means = [[coefficients @ _moments(reach, least, most) for reach in pair] for pair in lattices]
    return np.array([_quotient(own, equal, floor, c) for own, equal in means])


def _quotient(own: Array, equal: Array, floor: Array, c: Array) -> Array:
    """Divide two tails; where nothing is left of one, the nearest ratio stays."""
    sound = np.minimum(own, equal) > floor
    order = np.argsort(c[sound])
    return np.interp(c, c[sound][order], own[sound][order] / equal[sound][order])


def _moments(reach: Array, least: float, most: float) -> Array:
    """Return the means of the Chebyshev polynomials on [least, most]."""
    # Those of even and odd degree follow from products of polynomials of half the
    # degree: 2 T_n T_n = T_2n + 1, 2 T_n T_(n+1) = T_(2n+1) + T_1.
    width = max(most - least, 1e-15)
    half = REACHES // 2
    rows = np.empty((half + 1, len(reach)))
    rows[0], rows[1] = 1.0, np.clip(2 * (reach - least) / width - 1, -1.0, 1.0)
    step = 2 * rows[1]
    for n in range(2, half + 1):
        np.multiply(step, rows[n - 1], out=rows[n])
        rows[n] -= rows[n - 2]
    moments = np.empty(REACHES)
    moments[::2] = 2 * np.einsum("nr,nr->n", rows[:half], rows[:half]) / len(reach) - 1
    moments[1::2] = 2 * np.einsum("nr,nr->n", rows[:half], rows[1:]) / len(reach)
    moments[1::2] -= rows[1].mean()
    return moments


def _tail(radius: Array, n_dimensions: int, df: float) -> Array:
    """Return the probability that a vector of t variables is longer than `radius`."""
    if isinf(df):
        return np.asarray(gammaincc(n_dimensions / 2, radius**2 / 2))
    return np.asarray(betainc(df / 2, n_dimensions / 2, df / (df + radius**2)))


def _directions(n_dimensions: int, n_shifts: int, rng: Generator) -> Iterator[Array]:
    """Yield points on the sphere, one array of shape (N_POINTS, n_dimensions) a shift."""
    generator = np.sqrt(_primes(n_dimensions)) % 1.0
    lattice = np.arange(1, N_POINTS + 1)[:, None] * generator
    points = (lattice + shift for shift in rng.random((n_shifts, n_dimensions)))
    tents = (np.abs(2 * (point - np.floor(point)) - 1) for point in points)
    normals = (ndtri(np.clip(tent, 1e-15, 1 - 1e-15)) for tent in tents)
    return (normal / np.linalg.norm(normal, axis=1, keepdims=True) for normal in normals)


def _primes(n: int) -> Array:
    """Return the first n primes."""
    found: list[int] = []
    number = 2
    while len(found) < n:
        if all(number % p for p in found if p * p <= number):
            found.append(number)
        number += 1
    return np.array(found, dtype=np.float64)
