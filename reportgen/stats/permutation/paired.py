"""Permutation tests of paired differences: of one pair, and of all pairs by the largest |t|.

Where two candidates are alike, the difference of their performances on a block
is as likely positive as negative, given its size. The law of the sum over blocks
follows: exact by enumeration, where the sums of one half of the blocks meet those
of the other half sorted, so that 2^(n/2) sums stand for 2^n; or by random signs.

For all pairs the signs of whole units are flipped. A unit (a data set, or a
block) has one difference for every pair of candidates.
Where those of candidates that are alike are, together, symmetric about 0, they
are as likely with all signs of a unit turned. The law of the largest |t| over
any set of such pairs follows, whatever variances and correlations there are, and
whatever holds for other pairs. So the step-down version controls the family-wise
error strongly too (subset pivotality).
"""

from __future__ import annotations

from math import copysign, inf, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.permutation.block_sums import N_DRAWS, Alternative, column_pairs, directed
from reportgen.stats.permutation.block_tests import SLACK
from reportgen.stats.ranking import check_blocks
from reportgen.stats.shared_means import SharedMeans, pair_columns

EXACT_UP_TO = 36  # nonzero differences: 2^18 sums of each half
CHUNK = 1_000  # draws at a time: their signs are a matrix in memory
MOST_SUMS = 2**19  # of draws and pairs, at a time: 4 MiB, which stay near the processor


def all_sign_tail(sizes: Array, sum_: float, slack: float) -> float:
    """Return the probability that a sum with random signs is at least as large.

    `sizes`: (n,); absolute differences, n <= 36.
    `sum_`: of the differences.
    `slack`: sums below `sum_` by no more count as equal to it.
    Result: exact: of all 2^n signs.

    Examples
    --------
    >>> all_sign_tail(np.array([1.0, 2.0, 3.0]), sum_=4.0, slack=1e-12)
    0.25
    """
    left, right = (all_sums(half) for half in (sizes[::2], sizes[1::2]))
    place = np.searchsorted(np.sort(right), np.sort(sum_ - slack - left))
    n_reached = int((len(right) - place).sum())
    return n_reached / (len(left) * len(right))


def all_sums(rows: Array) -> Array:
    """Return the sums of the rows with all signs.

    `rows`: (n, ...).
    Result: (2^n, ...).

    Examples
    --------
    >>> all_sums(np.array([1.0, 2.0]))
    array([-3., -1.,  1.,  3.])
    """
    sums = np.zeros((1, *rows.shape[1:]))
    for row in rows:
        sums = np.concatenate([sums - row, sums + row])
    return sums


def drawn_sums(rows: Array, rng: Generator, n_draws: int) -> Array:
    """Return sums of the rows with random signs, the same for all columns.

    `rows`: (n, P).
    Result: (n_draws, P).

    Examples
    --------
    >>> np.abs(drawn_sums(np.ones((4, 2)), np.random.default_rng(1), 100)).max(axis=0)
    array([4., 4.])
    """
    return _drawn_signs(len(rows), rng, n_draws) @ rows


@dataclass(frozen=True, slots=True)
class PairedPermutation:
    """Permutation test of one sample of differences."""

    # Student's t on n - 1 degrees of freedom; infinite when all differences are the same and not 0,
    # and 0 when they are 0 or n = 1
    statistic: float
    p_value: float  # 1 when every difference is 0
    standard_error: float  # of the p-value, by Monte Carlo; 0 when it is exact
    n_draws: int | None  # number of random signs; None when it is exact


def paired_permutation(
    differences: Array,
    rng: Generator,
    alternative: Alternative = "two-sided",
    n_draws: int = N_DRAWS,
) -> PairedPermutation:
    """Test that differences are symmetric about 0 by their mean.

    `differences`: (n,); n >= 1 finite numbers, one a block.
    `rng`: draws signs where the law is not exact; else not used.
    `alternative`: side of 0 on which their mean is looked for.
    Raises ValueError if there is no difference, one is not finite, or the alternative unknown.

    Notes
    -----
    The sum of squares does not change with the signs, so that t is a function
    of the sum alone. Exact up to 36 nonzero differences, all 2^n signs taken
    into account; beyond, (1 + number) / (1 + draws).

    References
    ----------
    .. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
       analysis of benchmark experiments", Journal of Computational and
       Graphical Statistics 14, section 4.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> paired_permutation(np.array([1.0, 2.0, 3.0, 4.0, -1.0]), rng)
    PairedPermutation(statistic=2.092..., p_value=0.1875, standard_error=0.0, n_draws=None)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or not len(d) or not np.isfinite(d).all():
        raise ValueError(f"differences must be a row of finite numbers, got {differences!r}")
    fold, sizes = directed(alternative), np.abs(d[d != 0])
    if not len(sizes):
        return PairedPermutation(0.0, 1.0, 0.0, None)
    sum_, slack = float(fold(d.sum())), SLACK * sqrt(float(sizes @ sizes))
    if len(sizes) <= EXACT_UP_TO:
        upper = all_sign_tail(sizes, sum_, slack)
        p = min(1.0, 2 * upper) if alternative == "two-sided" else upper
        return PairedPermutation(student_t(d), p, 0.0, None)
    sums = fold(drawn_sums(sizes[:, None], rng, n_draws)[:, 0])
    p = (1 + int((sums >= sum_ - slack).sum())) / (1 + n_draws)
    return PairedPermutation(student_t(d), p, sqrt(p * (1 - p) / n_draws), n_draws)


def student_t(differences: Array) -> float:
    """Return Student's t statistic of a sample, without division by zero.

    Examples
    --------
    >>> student_t(np.array([1.0, 2.0, 3.0])), student_t(np.array([-1.0, -1.0]))
    (3.464..., -inf)
    """
    mean = float(differences.mean())
    if len(differences) < 2 or mean == 0:
        return 0.0
    deviation = float(differences.std(ddof=1))
    if deviation <= SLACK * abs(mean):
        return copysign(inf, mean)
    return mean / (deviation / sqrt(len(differences)))


def _student_ts(rows: Array) -> Array:
    """Return the `student_t` of each row, without what is missing."""
    n_there = np.isfinite(rows).sum(axis=1)
    found = np.zeros(len(rows))
    for n in np.unique(n_there[n_there > 1]).tolist():
        is_own = n_there == n
        own = rows[is_own]
        own = own if n == rows.shape[1] else own[np.isfinite(own)].reshape(-1, n)
        means, deviations = own.mean(axis=1), own.std(axis=1, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = means / (deviations / sqrt(n))
        t = np.where(deviations <= SLACK * np.abs(means), np.copysign(inf, means), t)
        found[is_own] = np.where(means == 0, 0.0, t)
    return found


FEWEST_UNITS = 6  # fewer: the smallest possible p-value, 2^(1 - M), is above 5%
ALL_UP_TO = 14  # units: 2^13 flips, as a flip and its opposite have the same |t|
STATISTIC_SLACK = 1e-12  # of t^2 / (t^2 + M - 1): smaller differences are rounding


@dataclass(frozen=True, slots=True)
class SignFlipTests:
    """Tests of all pairs by the law of the largest |t|."""

    # first, second: (P,); columns, first < second, in lexical order
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    # (P,); Student's paired t of first - second on M - 1 degrees of freedom; infinite when all
    # differences are the same and not 0
    statistics: Array
    # single_step, step_down: (P,); adjusted p-values; 1 for a pair without any difference
    single_step: Array
    step_down: Array
    # (P,); of the single-step p-values, by Monte Carlo; 0 when all flips were done
    standard_errors: Array
    # number of random flips in addition to the identity; None when all were done
    n_draws: int | None


def sign_flip_max_t(
    values: Array, rng: Generator, n_draws: int = N_DRAWS, shared: SharedMeans | None = None
) -> SignFlipTests:
    """Compare all pairs of candidates by sign flips of whole units.

    `values`: (M, K); one row a unit, K >= 2, NaN where there is no value; 6 units or more have both
    candidates of every pair.
    `rng`: draws the flips where there are too many, M > 14; else not used.
    `shared`: where values are means: of what both of a pair have in a unit, which is compared.
    Raises ValueError if `values` is not such a matrix.

    Notes
    -----
    The sum of squares of a pair's differences does not change with the signs,
    so that |t| grows with the squared sum over it, by which flips are compared.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young (1993), Resampling-Based Multiple
       Testing, sections 2.3 and 2.8.
    .. [2] J. P. Romano and M. Wolf (2005), "Exact and approximate stepdown
       methods for multiple hypothesis testing", JASA 100.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tests = sign_flip_max_t(rng.normal(size=(12, 3)) + [0, 0, 3], rng)
    >>> tests.single_step.round(4).tolist()
    [0.8755, 0.0005, 0.0005]
    >>> tests.step_down.round(4).tolist()
    [0.6367, 0.0005, 0.0005]
    """
    n_units, n_candidates = check_blocks(np.where(np.isnan(values), 0.0, values)).shape
    if n_units < FEWEST_UNITS or n_candidates < 2:
        raise ValueError(
            f"sign flips need {FEWEST_UNITS} units and two candidates, got {values.shape}"
        )
    first, second = column_pairs(n_candidates)
    raw = np.subtract(*pair_columns(values, np.column_stack([first, second]), shared))
    n_both = np.isfinite(raw).sum(axis=0)
    if n_both.min() < FEWEST_UNITS:
        raise ValueError(f"sign flips need {FEWEST_UNITS} units that have both of a pair")
    differences = np.where(np.isfinite(raw), raw, 0.0)
    most = np.sqrt(n_both * (differences**2).sum(axis=0))
    roots = (differences / np.where(most > 0, most, np.inf)).T  # sums to the root of a share
    observed = np.square(roots.sum(axis=1))
    used = None if n_units <= ALL_UP_TO else n_draws
    order = np.argsort(observed, kind="stable")
    signs = _all_signs(n_units) if used is None else _drawn_signs(n_units, rng, used)
    n_flips = len(signs)
    apart = None if shared else _Apart.of(values, first[order], second[order], most[order])
    single_counts, step_down_counts = _reached(
        signs, roots[order], observed[order] - STATISTIC_SLACK, apart
    )
    single, step_down = np.empty((2, len(order)))
    single[order] = _share(single_counts, n_flips, used)
    step_down[order[::-1]] = np.maximum.accumulate(_share(step_down_counts, n_flips, used)[::-1])
    return SignFlipTests(
        first=first,
        second=second,
        statistics=_student_ts(np.ascontiguousarray(raw.T)),
        single_step=single,
        step_down=step_down,
        standard_errors=np.sqrt(single * (1 - single) / used) if used else np.zeros(len(single)),
        n_draws=used,
    )


def _all_signs(n_units: int) -> NDArray[np.int8]:
    """Return all signs of the units, a row a flip; the first unit's stays, as -t is as far as t."""
    places = np.arange(2 ** (n_units - 1))[:, None] >> np.arange(n_units)
    return (1 - 2 * (places & 1)).astype(np.int8)


def _drawn_signs(n_units: int, rng: Generator, n_draws: int) -> NDArray[np.int8]:
    """Return random signs of the units, a row a flip."""
    sizes = (min(CHUNK, n_draws - start) for start in range(0, n_draws, CHUNK))
    drawn = [rng.integers(0, 2, size=(n, n_units), dtype=np.int8) for n in sizes]
    return np.concatenate(drawn) * np.int8(2) - np.int8(1)


@dataclass(frozen=True, slots=True)
class _Apart:
    """The pairs whose flips are a difference of two candidates' own: a third of the work."""

    # Values (M, K) less each unit's median, 0 of candidates with gaps; and of each pair (P,) the
    # columns, whether it is one of these, and what its difference is divided by.
    values: Array
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    is_one: NDArray[np.bool_]
    most: Array

    @classmethod
    def of(
        cls, values: Array, first: NDArray[np.intp], second: NDArray[np.intp], most: Array
    ) -> _Apart:
        """Find the pairs without gaps that do not lie so near that rounding would count."""
        is_whole = np.asarray(np.isfinite(values).all(axis=0))
        own = np.zeros(values.shape)
        if is_whole.any():
            whole = values[:, is_whole]
            own[:, is_whole] = whole - np.median(whole, axis=1, keepdims=True)
        sizes = np.abs(own).sum(axis=0)
        rounding = np.finfo(float).eps * len(values) * (sizes[first] + sizes[second])
        is_far = rounding < STATISTIC_SLACK / 10 * most
        return cls(own, first, second, is_whole[first] & is_whole[second] & is_far, most)


def _reached(
    signs: NDArray[np.int8], roots: Array, observed: Array, apart: _Apart | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Count the flips whose largest share reaches those observed, which rise along the pairs."""
    # `roots`: (P, M); of t^2 / (t^2 + n - 1), which lies between 0 and 1, sums to the root.
    # Result: the counts with the largest of all pairs, and those with the largest of the pairs that
    # are not larger.
    step_down = np.zeros(len(observed), dtype=np.intp)
    columns = np.ascontiguousarray(signs.T, dtype=np.float64)
    is_apart = apart.is_one if apart else np.zeros(len(observed), dtype=np.bool_)
    totals = apart.values.T @ columns if apart else columns[:0]
    largest, share = np.zeros((2, len(signs)))
    at_once = max(1, MOST_SUMS // len(signs))
    for begin in range(0, len(observed), at_once):
        some = range(begin, min(begin + at_once, len(observed)))
        products = iter(roots[begin : some.stop][~is_apart[begin : some.stop]] @ columns)
        for pair in some:
            if apart and is_apart[pair]:
                np.subtract(totals[apart.first[pair]], totals[apart.second[pair]], out=share)
                np.divide(share, apart.most[pair], out=share)
            else:
                share[:] = next(products)
            np.square(share, out=share)
            np.maximum(share, largest, out=largest)
            step_down[pair] = np.count_nonzero(largest >= observed[pair])
    single = len(largest) - np.searchsorted(np.sort(largest), observed)
    return single, step_down


def _share(reached: NDArray[np.intp], n_flips: int, n_draws: int | None) -> Array:
    """Return p-values of the counts of flips; the identity is one more than those drawn."""
    p = reached / n_flips if n_draws is None else (1 + reached) / (1 + n_flips)
    return np.asarray(p, dtype=np.float64)
