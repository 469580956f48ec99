r"""Comparisons of independent samples: Welch's t, corrected for skewness.

Timings of two programs have no pairs: the third time of one has nothing to do with the third
of the other. Each pair of samples has the t of Welch, whose two variances are apart, on
Satterthwaite's degrees of freedom,

.. math:: T = \frac{\bar x - \bar y}{\sqrt{v_x + v_y}}, \quad v = \frac{s^2}{n}, \qquad
          \nu = \left(\frac{w^2}{n_x - 1} + \frac{(1 - w)^2}{n_y - 1}\right)^{-1}, \quad
          w = \frac{v_x}{v_x + v_y}.

The law of T leans by the third cumulant of the difference of means over the 1.5th power of
its variance,

.. math:: A = \frac{g_x w^{3/2}}{\sqrt{n_x}} - \frac{g_y (1 - w)^{3/2}}{\sqrt{n_y}},

with the adjusted skewnesses g, which takes the place of :math:`G / \sqrt n` in the correction of
a paired t (`reportgen.stats.skewness`). Two samples of one law and one size do not lean.
Bonferroni's inequality holds the pairs together.

All is single-step, so that a pair is decided exactly when its interval excludes equality, and
exactly when its adjusted p-value is at most alpha. What size it has is in docs/samples-size.md.

References
----------
.. [1] B. L. Welch (1947), "The generalization of 'Student's' problem when several different
   population variances are involved", Biometrika 34.
.. [2] F. E. Satterthwaite (1946), "An approximate distribution of estimates of variance
   components", Biometrics Bulletin 2.
.. [3] X.-H. Zhou and P. Dinh (2005), "Nonparametric confidence intervals for the one- and
   two-sample problems", Biostatistics 6, section 3.
.. [4] P. Hall (1992), "On the removal of skewness by transformation", Journal of the Royal
   Statistical Society B 54.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from reportgen.performance_measure import Better, Scale
from reportgen.stats.arguments import (
    Names,
    area_of,
    check_level,
    check_positive,
    is_smaller_better,
    matrix_of,
    names_of,
    numbers_of,
    refuse,
)
from reportgen.stats.arrays import Area, Array
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, ROUNDING, as_ratios
from reportgen.stats.samples.moments import SampleMoments
from reportgen.stats.skewness import mean_interval, t_star

MOST_LOGARITHM = 690.0  # of a number of orders: no probability becomes 0


def welch_pairs(
    values: Array, alpha: float, *, scale: Scale, n_comparisons: int | None = None
) -> PairTable:
    r"""Compare all pairs of independent samples by Welch's t, corrected for skewness.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        One column a sample, NaN below the values of the shorter ones; K >= 2. A row
        means nothing: the values of a column may stand in any order.
    alpha : float
        Error probability of the family, 0 < alpha < 1.
    scale : {"difference", "ratio"}
        Differences of means, or ratios of geometric means; all values above 0 then.
    n_comparisons : int, optional
        Pairs of a larger family, which Bonferroni's inequality then holds
        together. Left out: the family are the pairs here.

    Returns
    -------
    PairTable
        Method "welch". A pair one of whose samples has fewer than `FEWEST_UNITS` values is
        outside the family: it is open, without an adjusted p-value, and its interval is that of
        this pair alone, at level 1 - alpha. `statistic` is corrected for skewness. `extra` has

        n : values of the smaller sample
        n_first, n_second : values of the two
        skewness : of the difference of means, as if of one sample of n values
        is_constant : whether both samples have no spread

    Raises
    ------
    ValueError
        If `values` is not such a matrix, alpha is not inside (0, 1), or a ratio has values
        that are not positive.

    Notes
    -----
    Two samples without spread have no t. If they are equal the p-value is 1. If not, all
    orders of the :math:`n_x + n_y` values being equally likely, that all values of the one are
    below all of the other had the probability :math:`2 / \binom{n_x + n_y}{n_x}` (both sides),
    which is the p-value; the interval is that of as many equal signs as are as improbable
    (`skewness.sign_interval`). The pair counts in m. One sample without spread has no
    variance, and Welch's t is that of the other sample.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> seconds = rng.lognormal(sigma=0.1, size=(30, 3)) * [1.0, 1.0, 2.0]
    >>> table = welch_pairs(seconds, 0.05, scale="ratio")
    >>> table.method, table.significant.tolist(), table.estimate.round(2)
    ('welch', [False, True, True], array([1.  , 0.51, 0.5 ]))
    """
    check_pairs(values, alpha)
    if scale == "ratio":
        if not (values[np.isfinite(values)] > 0).all():
            raise ValueError("ratios need values above 0")
        return as_ratios(welch_of(SampleMoments.of(np.log(values)), alpha, n_comparisons))
    return welch_of(SampleMoments.of(values), alpha, n_comparisons)


def separation_chance(n_first: NDArray[np.intp], n_second: NDArray[np.intp]) -> Array:
    """Return the probability that one of two like samples is below all of the other, both sides.

    `n_first`, `n_second`: (P,).

    Examples
    --------
    >>> separation_chance(np.array([6]), np.array([6])).round(5), 2 / 924
    (array([0.00216]), 0.0021645021645021645)
    """
    logarithm = gammaln(n_first + n_second + 1) - gammaln(n_first + 1) - gammaln(n_second + 1)
    return np.asarray(np.clip(2 * np.exp(-np.minimum(logarithm, MOST_LOGARITHM)), 0.0, 1.0))


def welch_of(own: SampleMoments, alpha: float, n_comparisons: int | None = None) -> PairTable:
    """Compare all pairs of samples by differences of means, from their moments alone.

    `own`: of the values, or of their means and standard deviations (`SampleMoments.of_summaries`).
    Result: as `welch_pairs` returns it on the scale of differences.
    """
    pairs = all_pairs(len(own.n))
    first, second = pairs.T
    n_first, n_second = own.n[first], own.n[second]
    n = np.minimum(n_first, n_second)
    is_constant = own.is_constant[first] & own.is_constant[second]
    estimate = _mean_differences(own, pairs)
    estimate = np.where(is_constant & _is_rounding(own, pairs), 0.0, estimate)
    error_first, error_second = (own.standard_error[i] for i in pairs.T)
    error = np.hypot(error_first, error_second)
    varies = (n >= 2) & ~is_constant
    share, rest = (
        np.where(varies, (own_error / np.where(varies, error, 1.0)) ** 2, 0.5)
        for own_error in (error_first, error_second)
    )
    df, lean = _law(own, pairs, share, rest)

    is_family = n >= FEWEST_UNITS
    m = n_comparisons or max(1, int(is_family.sum()))
    t = np.where(varies, estimate / np.where(varies, error, 1.0), 0.0)
    statistic = np.where(varies, t_star(t, lean), np.nan)
    apart = np.where(estimate != 0, separation_chance(n_first, n_second), 1.0)
    chance = np.where(is_constant, apart, np.nan)
    p_value = np.where(varies, two_sided_t(statistic, df), chance)
    adjusted = bonferroni(p_value, m)
    level = np.where(is_family, alpha / m, alpha)
    critical = t_quantile(level / 2, df)
    lower, upper = mean_interval(estimate, error, lean, critical, varies, chance, level)
    return PairTable.of(
        pairs,
        np.where(n > 0, estimate, np.nan),
        "welch",
        alpha,
        standard_error=np.where(n >= 2, error, np.nan),
        lower=lower,
        upper=upper,
        statistic=statistic,
        df=np.where(varies, df, np.nan),
        p_value=p_value,
        adjusted_p_value=np.where(is_family, adjusted, np.nan),
        critical_value=np.where(varies, critical, np.nan),
        is_open=~is_family,
        extra={
            "n": n,
            "n_first": n_first,
            "n_second": n_second,
            "skewness": lean * np.sqrt(np.maximum(n, 1)),
            "is_constant": is_constant,
        },
    )


def _mean_differences(own: SampleMoments, pairs: NDArray[np.intp]) -> Array:
    """Return the differences of means: no digit is lost."""
    center, offset = ([np.nan_to_num(x[i]) for i in pairs.T] for x in (own.center, own.offset))
    return np.asarray((center[0] - center[1]) + (offset[0] - offset[1]))


def _is_rounding(own: SampleMoments, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether the middle values of two samples differ by rounding alone."""
    first, second = (np.nan_to_num(own.center[i]) for i in pairs.T)
    return np.asarray(np.abs(first - second) <= ROUNDING * (np.abs(first) + np.abs(second)))


def _law(
    own: SampleMoments, pairs: NDArray[np.intp], share: Array, rest: Array
) -> tuple[Array, Array]:
    """Return degrees of freedom and skewness of each difference of means."""
    # `share`, `rest`: of the variance of the difference, what the first and the second have.
    n, skew = (np.maximum(own.n, 2)[pairs].T.astype(np.float64), own.skewness[pairs].T)
    parts = np.stack([share, rest])
    df = 1 / (parts**2 / (n - 1)).sum(axis=0)
    lean = parts**1.5 * skew / np.sqrt(n)
    return df, lean[0] - lean[1]


Samples = Sequence[ArrayLike] | Mapping[str, ArrayLike] | ArrayLike


def compare_samples(
    samples: Samples,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    scale: Scale = "difference",
) -> PairTable:
    r"""Compare all pairs of independent samples by Welch's t, corrected for skewness.

    Timings of two programs are such samples: a first time of one has nothing to do with a first
    time of the other. Where both were measured in the same replications, `compare_pairs` finds
    more.

    Parameters
    ----------
    samples : sequence or mapping of array-likes of shape (n_k,), or array-like of shape (n, K)
        A list has one sample a candidate, of any numbers of values; a mapping has their names, too.
        A matrix or data frame has one column a candidate; its rows mean nothing. NaN where there
        is no value.
    names, better
        As of `signed_rank`.
    alpha : float, default 0.05
        Family-wise error probability; the intervals hold simultaneously with
        probability 1 - alpha.
    relevance : tuple of two floats, or float, optional
        As of `compare_pairs`.
    scale : {"difference", "ratio"}
        Differences of means, or ratios of geometric means, for times and sizes;
        all values above 0 then.

    Returns
    -------
    PairTable
        Estimates, simultaneous intervals, p-values and decisions, as of `compare_pairs`. A pair
        with fewer than 6 values of one of the two is undecided. `extra` has `n_first` and
        `n_second` (values), `n` (of the smaller sample), `skewness` (of the difference of means),
        `is_constant`, and with `relevance` the limits `tost_lower` and `tost_upper`.

    Raises
    ------
    ValueError
        If `samples` are not two or more of numbers, a value is infinite, or another argument is
        not what is allowed.

    Notes
    -----
    Two variances and Satterthwaite's degrees of freedom [1]_, the correction of `compare_pairs` for
    the skewness of two samples [2]_, and Bonferroni's inequality over the pairs.

    References
    ----------
    .. [1] B. L. Welch (1947), "The generalization of 'Student's' problem when several different
       population variances are involved", Biometrika 34.
    .. [2] X.-H. Zhou and P. Dinh (2005), "Nonparametric confidence intervals for the one- and
       two-sample problems", Biostatistics 6, section 3.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.lognormal(0.0, 0.1, size=30), rng.lognormal(-0.2, 0.1, size=20)
    >>> seconds = {"old": old, "new": new}
    >>> stats.compare_samples(seconds, scale="ratio", relevance=1.1)
    PairTable: welch, 1 pair, alpha = 0.05
    first  second  estimate  lower  upper    p_value  adjusted_p_value  decision
    old    new        1.212  1.142   1.28  5.624e-06         5.624e-06  worse-relevant
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    area = area_of(relevance, scale)
    matrix, candidates = sample_columns(samples, names)
    check_positive(matrix, scale, "samples")
    table = welch_pairs(matrix, alpha, scale=scale)
    if area is not None and 2 * alpha < 1:
        lenient = welch_pairs(matrix, 2 * alpha, scale=scale)
        table = table.with_columns(tost_lower=lenient.lower, tost_upper=lenient.upper)
    return table.named(candidates, "", smaller).decided(area)


def sample_columns(samples: Samples, names: Names) -> tuple[Array, tuple[str, ...]]:
    """Return samples as columns, NaN below the shorter ones, and the names of the candidates."""
    given = getattr(samples, "columns", None)
    if isinstance(samples, Mapping):
        names = tuple(map(str, samples)) if names is None else names
        samples = tuple(samples.values())
    if not isinstance(samples, list | tuple):
        matrix: Any = samples
        return matrix_of(matrix, names, has_gaps=True, rows="row")
    parts = [numbers_of(sample, "samples") for sample in samples]
    shape = next((part.shape for part in parts if part.ndim != 1), None)
    if shape is not None:
        raise refuse("samples", f"one of shape {shape}", "a list of samples (n_k,), or a matrix")
    columns = np.full((max(map(len, parts), default=0), len(parts)), np.nan)
    for k, part in enumerate(parts):
        columns[: len(part), k] = part
    if len(parts) < 2:
        raise refuse("samples", f"{len(parts)} samples", "at least 2, one a candidate")
    candidates = names_of(names, given, len(parts))
    if np.isinf(columns).any():
        place = int(np.isinf(columns).any(axis=0).argmax())
        raise refuse("samples", f"an infinite value of {candidates[place]!r}", "finite numbers")
    return columns, candidates
