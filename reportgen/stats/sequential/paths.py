"""Tests on accumulating replications: statistic, effect and p-value after each of them.

Each path is computed from running sums, not from the start at each look, and for
any number of pairs or orders of the replications at once: they are leading axes.

References
----------
.. [1] P. Pébay (2008), "Formulas for robust, one-pass parallel computation of
   covariances and arbitrary-order statistical moments", Sandia report SAND2008-6212.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, chdtrc, fdtrc, stdtr

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.permutation.block_sums import Alternative, directed
from reportgen.stats.permutation.block_tests import SLACK
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.skewness import adjusted_skewness, t_star


@dataclass(frozen=True, slots=True)
class SequentialPath:
    """A test at each look, from the burn-in on: `n` replications (N,), and arrays (..., N).

    The p-value is 1 where the test is undefined because nothing differs; the function that made
    the path says what its effect is.
    """

    n: NDArray[np.intp]
    statistics: Array
    p_values: Array
    effects: Array


def paired_t_path(
    differences: Array,
    burn_in: int = 2,
    alternative: Alternative = "two-sided",
    at: NDArray[np.intp] | None = None,
) -> SequentialPath:
    """Follow Student's paired t test of differences (..., B); the effect is their mean.

    Here and below: `at` are the looks, all from the burn-in on when omitted. Differences that
    are not finite, or a burn-in that does not fit, are a ValueError.

    >>> path = paired_t_path(np.array([1.0, 2.0, 3.0, 4.0]), burn_in=3)
    >>> path.n, path.statistics.round(3), path.p_values.round(4)
    (array([3, 4]), array([3.464, 3.873]), array([0.0742, 0.0305]))
    """
    d, every = looks(differences, burn_in, fewest=2)
    n = every if at is None else at
    moments = _moments(d, n)
    return SequentialPath(n, moments.t, _t_tail(moments.t, n - 1, alternative), moments.means)


def corrected_t_path(
    differences: Array,
    burn_in: int = 2,
    alternative: Alternative = "two-sided",
    at: NDArray[np.intp] | None = None,
) -> SequentialPath:
    r"""Follow the paired t test, corrected for skewness (`reportgen.stats.skewness`).

    The statistic is t*, the effect the mean difference. Differences that do not vary have no t:
    n of one sign, where both signs are equally likely, have the probability :math:`2^{-n}`;
    where all are 0 every p-value is 1.

    >>> d = np.array([0.1, 0.2, 0.1, 0.3, 2.0])
    >>> corrected_t_path(d, 5, "greater").p_values.round(4)
    array([0.1075])
    >>> corrected_t_path(np.full(5, 0.3), 4).p_values
    array([0.125 , 0.0625])
    """
    d, every = looks(differences, burn_in, fewest=2)
    n = every if at is None else at
    moments = _moments(d, n)
    statistics = t_star(moments.t, moments.skewness / np.sqrt(n))
    less, greater = stdtr(n - 1, statistics), stdtr(n - 1, -statistics)
    if moments.is_constant.any():
        signs = np.broadcast_to(0.5 ** n.astype(np.float64), statistics.shape)
        less = np.where(moments.is_constant, np.where(moments.means < 0, signs, 1.0), less)
        greater = np.where(moments.is_constant, np.where(moments.means > 0, signs, 1.0), greater)
    return SequentialPath(
        n, statistics, one_or_two_sided(less, greater, alternative), moments.means
    )


@dataclass(frozen=True, slots=True)
class _Moments:
    """Of the differences up to each look, (..., N); t of those that do not vary is infinite."""

    means: Array
    t: Array
    skewness: Array
    is_constant: NDArray[np.bool_]


def _moments(d: Array, n: NDArray[np.intp]) -> _Moments:
    """Return moments at some looks, in ascending order."""
    # The values between two looks are added to the central moments of those before [1]_: nothing
    # cancels.
    rows = np.ascontiguousarray(np.moveaxis(d, -1, 0))
    mean, second, third = (np.zeros(rows.shape[1:]) for _ in range(3))
    found = np.empty((3, len(n), *rows.shape[1:]))
    before = 0
    for place, look in enumerate(n.tolist()):
        part, size = rows[before:look], look - before
        own = part.mean(axis=0)
        errors = part - own
        squares = errors**2
        own_second, own_third = squares.sum(axis=0), (squares * errors).sum(axis=0)
        delta, weight = own - mean, before * size / look
        third = third + own_third + delta**3 * weight * (before - size) / look
        third = third + 3 * delta * (before * own_second - size * second) / look
        second = second + own_second + delta**2 * weight
        mean = mean + delta * size / look
        found[:, place] = mean, second, third
        before = look
    means, squares, cubes = (np.moveaxis(x, 0, -1) for x in found)
    deviations = np.sqrt(squares / (n - 1))
    is_constant = deviations <= SLACK * np.abs(means)
    t = _ratio(means, np.where(is_constant, 0.0, deviations / np.sqrt(n)))
    skewness = adjusted_skewness(np.where(is_constant, 0.0, squares / n), cubes / n, n)
    return _Moments(means, t, skewness, is_constant)


def skewness_of(differences: Array) -> Array:
    """Return the skewness of all differences, shape (..., B); 0 where they do not vary.

    >>> skewness_of(np.array([[-1.0, -1.0, -1.0, 0.0, 0.0, 3.0], [2.0] * 6])).round(4)
    array([1.9365, 0.    ])
    """
    d, _ = looks(differences, 2, fewest=2)
    return _moments(d, np.array([d.shape[-1]])).skewness[..., 0]


def pseudo_median(differences: Array) -> float:
    """Return the median of the means of all pairs, each difference with itself, too.

    Signed ranks estimate it (Hodges and Lehmann). It is the mean, and the median, of symmetric
    differences only.

    >>> pseudo_median(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    rows = [differences[i:] + differences[i] for i in range(len(differences))]
    return float(np.median(np.concatenate(rows))) / 2


def sign_path(
    differences: Array,
    burn_in: int = 1,
    alternative: Alternative = "two-sided",
    at: NDArray[np.intp] | None = None,
) -> SequentialPath:
    """Follow the exact sign test; ties are dropped.

    The statistic is the number of positive differences, the effect the share of positive less
    that of negative ones among all.

    >>> path = sign_path(np.array([1.0, 2.0, -1.0, 4.0, 3.0, 0.0]), burn_in=5)
    >>> path.statistics, path.p_values
    (array([4., 4.]), array([0.375, 0.375]))
    """
    d, every = looks(differences, burn_in)
    n = every if at is None else at
    wins, losses = (counts[..., n - 1] for counts in running_signs(d))
    less, greater = bdtr(wins, wins + losses, 0.5), bdtr(losses, wins + losses, 0.5)
    p_values = one_or_two_sided(less, greater, alternative)
    return SequentialPath(n, wins.astype(float), p_values, (wins - losses) / n)


def block_f_path(values: Array, burn_in: int = 2) -> SequentialPath:
    """Follow the F test of the block model that all candidates, (..., B, K), have one mean.

    The effect is the share of candidates in the sum of squares within blocks.

    >>> path = block_f_path(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]]), burn_in=3)
    >>> path.statistics.round(6), path.p_values.round(4)
    (array([12.]), array([0.0742]))
    """
    rows, n = _blocks(values, burn_in, fewest=2)
    within = rows - rows.mean(axis=-1, keepdims=True)
    origin = within[..., :1, :]
    shift = _after(within - origin, burn_in) / n[:, None]
    about = _after((within - origin) ** 2, burn_in).sum(axis=-1)
    residual = np.maximum(0.0, about - n * (shift**2).sum(axis=-1))
    between = n * ((origin + shift) ** 2).sum(axis=-1)
    residual[residual <= SLACK**2 * between] = 0.0
    statistics = _ratio((n - 1) * between, residual)
    df = rows.shape[-1] - 1
    p_values = np.where(between > 0, fdtrc(df, df * (n - 1), statistics), 1.0)
    return SequentialPath(n, statistics, p_values, _ratio(between, between + residual))


def friedman_path(values: Array, burn_in: int = 2) -> SequentialPath:
    """Follow Friedman's test of (..., B, K) by the chi-squared limit, corrected for ties.

    The effect is Kendall's coefficient of concordance, from 0 to 1.

    >>> values = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> friedman_path(values, burn_in=3).statistics.round(4)
    array([3.8182])
    """
    rows, n = _blocks(values, burn_in)
    n_candidates = rows.shape[-1]
    ranks = within_block_ranks(rows.reshape(-1, n_candidates)).reshape(rows.shape)
    deviations = ranks - (n_candidates + 1) / 2  # halves of integers: sums are exact
    between = (_after(deviations, burn_in) ** 2).sum(axis=-1)
    within = _after(deviations**2, burn_in).sum(axis=-1)
    concordance = np.divide(between, n * within, out=np.zeros(between.shape), where=within > 0)
    statistics = n * (n_candidates - 1) * concordance
    return SequentialPath(n, statistics, chdtrc(n_candidates - 1, statistics), concordance)


def running_signs(differences: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return how many differences so far are positive and how many are negative."""
    positive, negative = differences > 0, differences < 0
    return positive.cumsum(axis=-1, dtype=np.intp), negative.cumsum(axis=-1, dtype=np.intp)


def one_or_two_sided(less: ArrayLike, greater: ArrayLike, alternative: Alternative) -> Array:
    """Return the p-value of an alternative; the two-sided one is twice the smaller tail."""
    directed(alternative)
    tails = np.asarray(less, dtype=np.float64), np.asarray(greater, dtype=np.float64)
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(*tails)))
    return tails[0] if alternative == "less" else tails[1]


def looks(differences: Array, burn_in: int, fewest: int = 1) -> tuple[Array, NDArray[np.intp]]:
    """Return the differences and the looks."""
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim < 1 or not np.isfinite(d).all():
        raise ValueError("differences must be finite numbers, one a replication")
    return d, _looks(d.shape[-1], burn_in, fewest)


def _blocks(values: Array, burn_in: int, fewest: int = 1) -> tuple[Array, NDArray[np.intp]]:
    """Return the blocks and the looks."""
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim < 2 or rows.shape[-1] < 2 or not np.isfinite(rows).all():
        raise ValueError(f"blocks must be finite, of two candidates or more, got {rows.shape}")
    return rows, _looks(rows.shape[-2], burn_in, fewest)


def _looks(n_replications: int, burn_in: int, fewest: int) -> NDArray[np.intp]:
    """Return the numbers of replications at the looks."""
    if not fewest <= burn_in <= n_replications:
        raise ValueError(
            f"the burn-in must lie between {fewest} and {n_replications} replications, "
            f"got {burn_in}"
        )
    return np.arange(burn_in, n_replications + 1, dtype=np.intp)


def _after(rows: Array, burn_in: int) -> Array:
    """Return running sums over the blocks, from the burn-in on."""
    return rows.cumsum(axis=-2)[..., burn_in - 1 :, :]


def _ratio(above: Array, below: Array) -> Array:
    """Divide; 0 / 0 is 0, and x / 0 infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / below)


def _t_tail(statistics: Array, df: NDArray[np.intp], alternative: Alternative) -> Array:
    """Return p-values of t statistics."""
    less, greater = stdtr(df, statistics), stdtr(df, -statistics)
    return one_or_two_sided(less, greater, alternative)


def point_of_consecutive_significance(path: SequentialPath, alpha: float = 0.05) -> Array:
    r"""Return from which replication on the test stays significant; infinite for never.

    :math:`\min\{b : p_i \le \alpha, i = b, \dots, B\}` (Eugster 2011, section 6.2). It
    depends on B, is a description, and no rule for stopping: it is known only when all
    replications are. Small means that the difference is clear.

    >>> p = np.array([0.20, 0.01, 0.20, 0.04, 0.03])
    >>> path = SequentialPath(np.arange(3, 8), p, p, p)
    >>> float(point_of_consecutive_significance(path))
    6.0
    """
    fails = ~(path.p_values <= alpha)
    after_last = fails.shape[-1] - np.argmax(fails[..., ::-1], axis=-1)
    first = np.where(fails.any(axis=-1), after_last, 0)
    points = np.append(path.n.astype(np.float64), np.inf)
    return np.asarray(points[first])
