r"""Tests on accumulating replications: statistic, effect and p-value after each of them.

Every track is computed from running sums, not from the start at each look, and for
any number of pairs or orders of the replications at once: they are leading axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, chdtrc, fdtrc, stdtr

from reportgen.stats.block_permutation import SLACK
from reportgen.stats.block_scores import Alternative, directed
from reportgen.stats.ranks import within_block_ranks

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Track:
    """A test after every replication from the burn-in on.

    Attributes
    ----------
    n : ndarray of shape (N,), int
        Replications used at each look: burn-in, burn-in + 1, ..., B.
    statistics : ndarray of shape (..., N)
    p_values : ndarray of shape (..., N)
        1 where the test is undefined because nothing differs.
    effects : ndarray of shape (..., N)
        What the test says is there; the function that made the track says which.
    """

    n: NDArray[np.intp]
    statistics: Array
    p_values: Array
    effects: Array

    def up_to(self, n_replications: int) -> int:
        """Return the place of the look after so many replications.

        Raises
        ------
        ValueError
            If there was no look then.
        """
        first, last = int(self.n[0]), int(self.n[-1])
        if not first <= n_replications <= last:
            raise ValueError(f"looks go from {first} to {last}, got {n_replications}")
        return n_replications - first


def paired_t_track(
    differences: Array,
    burn_in: int = 2,
    alternative: Alternative = "two-sided",
    at: NDArray[np.intp] | None = None,
) -> Track:
    """Follow Student's paired t test.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        Finite, in the order of the replications.
    burn_in : int, default 2
        Replications before the first look, 2 <= burn_in <= B.
    alternative : {"two-sided", "less", "greater"}
    at : ndarray of shape (N,), int, optional
        Looks; all from the burn-in on when omitted.

    Returns
    -------
    Track
        The effect is the mean difference.

    Raises
    ------
    ValueError
        If differences are not finite, or the burn-in does not fit.

    Examples
    --------
    >>> track = paired_t_track(np.array([1.0, 2.0, 3.0, 4.0]), burn_in=3)
    >>> track.n, track.statistics.round(3), track.p_values.round(4)
    (array([3, 4]), array([3.464, 3.873]), array([0.0742, 0.0305]))
    """
    d, every = _checked(differences, burn_in, fewest=2)
    n = every if at is None else at
    origin = d[..., :1]  # running sums of squares about it do not cancel
    mean_shift = (d - origin).cumsum(axis=-1)[..., n - 1] / n
    squares = ((d - origin) ** 2).cumsum(axis=-1)[..., n - 1]
    variances = np.maximum(0.0, squares - n * mean_shift**2) / (n - 1)
    means = origin + mean_shift
    errors = np.sqrt(variances / n)
    constant = np.sqrt(variances) <= SLACK * np.abs(means)
    statistics = _ratio(means, np.where(constant, 0.0, errors))
    return Track(n, statistics, _t_tail(statistics, n - 1, alternative), means)


def sign_track(
    differences: Array,
    burn_in: int = 1,
    alternative: Alternative = "two-sided",
    at: NDArray[np.intp] | None = None,
) -> Track:
    """Follow the exact sign test; ties are dropped.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        Finite, in the order of the replications.
    burn_in : int, default 1
    alternative : {"two-sided", "less", "greater"}
    at : ndarray of shape (N,), int, optional
        Looks; all from the burn-in on when omitted.

    Returns
    -------
    Track
        The statistic is the number of positive differences, the effect the
        share of positive less that of negative ones among all.

    Raises
    ------
    ValueError
        If differences are not finite, or the burn-in does not fit.

    Examples
    --------
    >>> track = sign_track(np.array([1.0, 2.0, -1.0, 4.0, 3.0, 0.0]), burn_in=5)
    >>> track.statistics, track.p_values
    (array([4., 4.]), array([0.375, 0.375]))
    """
    d, every = _checked(differences, burn_in)
    n = every if at is None else at
    wins, losses = (counts[..., n - 1] for counts in running_signs(d))
    less, greater = bdtr(wins, wins + losses, 0.5), bdtr(losses, wins + losses, 0.5)
    p_values = one_or_two_sided(less, greater, alternative)
    return Track(n, wins.astype(float), p_values, (wins - losses) / n)


def block_f_track(values: Array, burn_in: int = 2) -> Track:
    """Follow the F test of the block model: all candidates have the same mean.

    Parameters
    ----------
    values : ndarray of shape (..., B, K)
        Finite, K >= 2, in the order of the replications.
    burn_in : int, default 2

    Returns
    -------
    Track
        The effect is the share of candidates in the sum of squares within blocks.

    Raises
    ------
    ValueError
        If values are not finite, or the burn-in does not fit.

    Examples
    --------
    >>> track = block_f_track(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]]), burn_in=3)
    >>> track.statistics.round(6), track.p_values.round(4)
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
    return Track(n, statistics, p_values, _ratio(between, between + residual))


def friedman_track(values: Array, burn_in: int = 2) -> Track:
    """Follow Friedman's test by the chi-squared limit, corrected for ties.

    Parameters
    ----------
    values : ndarray of shape (..., B, K)
        Finite, K >= 2, in the order of the replications.
    burn_in : int, default 2

    Returns
    -------
    Track
        The effect is Kendall's coefficient of concordance, from 0 to 1.

    Raises
    ------
    ValueError
        If values are not finite, or the burn-in does not fit.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> friedman_track(values, burn_in=3).statistics.round(4)
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
    return Track(n, statistics, chdtrc(n_candidates - 1, statistics), concordance)


def track_of(
    test: Callable[[Array], tuple[float, float, float]], values: Array, burn_in: int
) -> Track:
    """Follow any other test, from the start at each look.

    Parameters
    ----------
    test : callable
        From the first n values to statistic, p-value and effect.
    values : ndarray of shape (B,) or (B, K)
    burn_in : int

    Returns
    -------
    Track

    Raises
    ------
    ValueError
        If the burn-in does not fit.

    Examples
    --------
    >>> track_of(lambda d: (d.sum(), 1.0, d.mean()), np.array([1.0, 2.0]), 1).statistics
    array([1., 3.])
    """
    n = _looks(len(values), burn_in, 1)
    found = np.array([test(values[:look]) for look in n.tolist()], dtype=np.float64)
    return Track(n, found[:, 0], found[:, 1], found[:, 2])


def running_signs(differences: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return how many differences so far are positive and how many are negative.

    Examples
    --------
    >>> running_signs(np.array([1.0, 0.0, -1.0, 2.0]))
    (array([1, 1, 1, 2]), array([0, 0, 1, 1]))
    """
    positive, negative = differences > 0, differences < 0
    return positive.cumsum(axis=-1, dtype=np.intp), negative.cumsum(axis=-1, dtype=np.intp)


def one_or_two_sided(less: ArrayLike, greater: ArrayLike, alternative: Alternative) -> Array:
    """Return the tail asked for; both are the doubled smaller one.

    Raises
    ------
    ValueError
        If there is no such alternative.

    Examples
    --------
    >>> one_or_two_sided(np.array([0.2]), np.array([0.9]), "two-sided")
    array([0.4])
    """
    directed(alternative)
    tails = np.asarray(less, dtype=np.float64), np.asarray(greater, dtype=np.float64)
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(*tails)))
    return tails[0] if alternative == "less" else tails[1]


def looks(differences: Array, burn_in: int) -> tuple[Array, NDArray[np.intp]]:
    """Return the differences and the numbers of replications at the looks, or say what is wrong.

    Raises
    ------
    ValueError
        If differences are not finite, or the burn-in does not fit.
    """
    return _checked(differences, burn_in)


def _checked(differences: Array, burn_in: int, fewest: int = 1) -> tuple[Array, NDArray[np.intp]]:
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
