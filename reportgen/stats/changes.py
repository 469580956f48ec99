r"""Changes between two runs: each cell by its own variance, corrected for skewness.

A cell has the values of a first and of a second run. Where the runs share their replications the
differences within replications have one t statistic (`paired_changes`); else the means of both
are compared by Welch's (`unpaired_changes`) [1]_. Both are corrected for the skewness of the mean
difference (`reportgen.stats.skewness`), for two samples [2]_ that of
`reportgen.stats.samples.comparison`. Where items share documents or repositories, the means of
these clusters are compared (`clustered_changes`). Bonferroni's inequality holds the cells together.

References
----------
.. [1] B. L. Welch (1938), "The significance of the difference between two means when the population
   variances are unequal", Biometrika 29.
.. [2] X.-H. Zhou and P. Dinh (2005), "Nonparametric confidence intervals for the one- and
   two-sample problems", Biostatistics 6.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.items.clusters import Codes, cluster_means
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, ROUNDING, equal_signs
from reportgen.stats.samples.comparison import separation_chance
from reportgen.stats.skewness import mean_interval, skewness, t_star


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of the means of cells, second run - first run."""

    # estimate, standard_error: (C,); NaN where a run has no value, or no two
    estimate: Array
    standard_error: Array
    # lower, upper: (C,); interval at level 1 - alpha / m, of an open cell 1 - alpha; NaN where
    # there is none
    lower: Array
    upper: Array
    # statistic, df: (C,); corrected for skewness; NaN without variation
    statistic: Array
    df: Array
    # p_value, adjusted_p_value: (C,); of the cell alone; times m, at most 1. NaN where nothing is
    # tested.
    p_value: Array
    adjusted_p_value: Array
    # n_first, n_second: (C,); values of each run; of paired cells the replications that have both
    n_first: NDArray[np.int64]
    n_second: NDArray[np.int64]
    is_open: NDArray[np.bool_]  # (C,); whether there are too few values for a test

    def shown(self, alpha: float) -> NDArray[np.bool_]:
        """Return which changes are shown at the error probability of the family."""
        return np.nan_to_num(self.adjusted_p_value, nan=np.inf) <= alpha


def paired_changes(first: Array, second: Array, alpha: float, n_comparisons: int) -> Changes:
    """Test changes of cells whose runs share their replications.

    `first`, `second`: (n, C); a column a cell, a row a replication; NaN where there is no value.
    `alpha`: error probability of the family, 0 < alpha < 1.
    `n_comparisons`: cells of the family.
    Result: a cell with fewer than `FEWEST_UNITS` replications is open. A difference other than 0
    that is the same in all n replications has the p-value 2 ** (1 - n), which is that of n equal
    signs.
    Raises ValueError if the shapes differ, or alpha or the number of comparisons makes no sense.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.normal(size=(40, 2))
    >>> second = first + rng.normal(scale=0.1, size=(40, 2)) + [0.0, 0.1]
    >>> paired_changes(first, second, 0.05, 2).shown(0.05).tolist()
    [False, True]
    """
    _check(first, second, alpha, n_comparisons)
    if len(first) != len(second):
        raise ValueError(f"pairs need as many rows: {len(first), len(second)}")
    has_both = np.isfinite(first) & np.isfinite(second)
    a, b = np.where(has_both, first, 0.0), np.where(has_both, second, 0.0)
    n = has_both.sum(axis=0)
    sample = _Sample.of(
        b - a, has_both, ROUNDING * np.maximum(np.abs(a), np.abs(b)).max(0, initial=0)
    )
    varies = sample.varies
    signs = np.where(sample.mean != 0, equal_signs(n), np.nan)
    return _change_tests(
        *(sample.mean, sample.variance / np.maximum(n, 1), sample.lean, n - 1.0, signs, varies),
        *(n, n, alpha, n_comparisons),
    )


def unpaired_changes(first: Array, second: Array, alpha: float, n_comparisons: int) -> Changes:
    """Test changes of cells whose runs have replications of their own.

    `first`, `second`: (n_1, C), (n_2, C); a column a cell, a row a replication; NaN where there is
    no value.
    `alpha`: error probability of the family, 0 < alpha < 1.
    `n_comparisons`: cells of the family.
    Result: a cell with fewer than `FEWEST_UNITS` replications in a run is open. Two runs that do
    not vary and differ have the p-value of a complete separation, 2 / binomial(n_1 + n_2, n_1).
    Raises ValueError if the columns differ, or alpha or the number of comparisons makes no sense.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first, second = rng.normal(size=(40, 2)), rng.normal(size=(50, 2)) + [0.0, 2.0]
    >>> unpaired_changes(first, second, 0.05, 2).shown(0.05).tolist()
    [False, True]
    """
    _check(first, second, alpha, n_comparisons)
    samples = [
        _Sample.of(
            np.where(has, x, 0.0), has, ROUNDING * np.abs(np.where(has, x, 0.0)).max(0, initial=0)
        )
        for x, has in ((first, np.isfinite(first)), (second, np.isfinite(second)))
    ]
    before, after = samples
    n_1, n_2 = before.n, after.n
    shares = [s.variance / np.maximum(s.n, 1) for s in samples]
    squared = shares[0] + shares[1]
    varies = (before.varies | after.varies) & (n_1 >= 2) & (n_2 >= 2)
    parts = np.array(shares) / np.where(varies, squared, 1.0)
    inverse = sum(w**2 / np.maximum(s.n - 1.0, 1.0) for w, s in zip(parts, samples, strict=True))
    df = 1 / np.where(varies, inverse, 1.0)
    lean = parts[1] ** 1.5 * after.lean - parts[0] ** 1.5 * before.lean
    estimate = after.mean - before.mean
    size = ROUNDING * (np.abs(after.mean) + np.abs(before.mean))
    separate = np.where(np.abs(estimate) > size, separation_chance(n_1, n_2), np.nan)
    return _change_tests(
        estimate, squared, lean, df, separate, varies, n_1, n_2, alpha, n_comparisons
    )


@dataclass(frozen=True, slots=True)
class _Sample:
    """Moments of the columns of a sample."""

    # `SampleMoments` judge rounding by one sample, these by both runs: last digits differ.

    n: NDArray[np.int64]
    mean: Array
    variance: Array
    lean: Array
    varies: NDArray[np.bool_]

    @classmethod
    def of(cls, values: Array, has: NDArray[np.bool_], noise: Array) -> _Sample:
        """Return the moments of values that are 0 where they are missing."""
        n = has.sum(axis=0)
        mean = values.sum(axis=0) / np.maximum(n, 1)
        errors = np.where(has, values - mean, 0.0)
        varies = (n >= 2) & (np.abs(errors).max(axis=0, initial=0.0) > noise)
        errors = np.where(varies, errors, 0.0)
        mean = np.where(varies | (np.abs(mean) > noise), mean, 0.0)
        variance = (errors**2).sum(axis=0) / np.maximum(n - 1, 1)
        lean = skewness(errors, n) / np.sqrt(np.maximum(n, 1))
        return cls(n, np.where(n > 0, mean, np.nan), variance, lean, varies)


def clustered_changes(
    first: Array,
    second: Array,
    clusters: tuple[Codes, Codes],
    alpha: float,
    n_comparisons: int,
    *,
    is_paired: bool,
) -> Changes:
    """Test changes of cells whose rows are items in clusters.

    `first`, `second`: (n_1, C), (n_2, C); a column a cell, a row an item; NaN where there is no
    value.
    `clusters`: two ndarray of shape (n_1,), (n_2,), int; the cluster of each item.
    `alpha`: error probability of the family, 0 < alpha < 1.
    `n_comparisons`: cells of the family.
    `is_paired`: whether a row is the same item in both runs.
    Result: a cell with fewer than `FEWEST_UNITS` clusters in a run is open. `n_first` and
    `n_second` count items.

    Examples
    --------
    Clusters of one size are the t test of the changes of their means:

    >>> rng = np.random.default_rng(1)
    >>> first, codes = rng.normal(size=(40, 1)), np.repeat(np.arange(10), 4)
    >>> second = first + rng.normal(size=10)[codes, None] + 0.5
    >>> clustered_changes(first, second, (codes, codes), 0.05, 1, is_paired=True).df
    array([9.])
    """
    rows = [second - first] if is_paired else [first, second]
    samples = [cluster_means(own, codes) for own, codes in zip(rows, clusters, strict=False)]
    estimate = samples[-1].estimate - (0.0 if is_paired else samples[0].estimate)
    errors = np.array([sample.standard_error**2 for sample in samples])
    squared = errors.sum(axis=0)
    varies = squared > 0
    safe = np.where(varies, squared, 1.0)
    parts = np.array([(e / safe) ** 2 / s.df for e, s in zip(errors, samples, strict=True)])
    leans = [(e / safe) ** 1.5 * s.lean for e, s in zip(errors, samples, strict=True)]
    before, after = samples[0], samples[-1]
    n_first, n_second = (x.n_clusters.astype(np.int64) for x in (before, after))
    is_shift = is_paired & (estimate != 0)
    signs = np.where(is_shift, equal_signs(n_first), np.nan)
    found = _change_tests(
        estimate,
        np.where(varies, squared, 0.0),
        leans[-1] - (0.0 if is_paired else leans[0]),
        1 / np.where(varies, parts.sum(axis=0), 1.0),
        signs,
        varies,
        n_first,
        n_second,
        alpha,
        n_comparisons,
    )
    n_first, n_second = (x.n.astype(np.int64) for x in (before, after))
    return replace(found, n_first=n_first, n_second=n_second)


def _change_tests(
    estimate: Array,
    squared_error: Array,
    lean: Array,
    df: Array,
    constant: Array,
    varies: NDArray[np.bool_],
    n_first: NDArray[np.int64],
    n_second: NDArray[np.int64],
    alpha: float,
    n_comparisons: int,
) -> Changes:
    """Return tests and intervals of mean differences of C cells, of their variance and skewness."""
    # `constant`: p-values of cells without variation, NaN of those that are equal.
    error = np.sqrt(squared_error)
    is_open = np.minimum(n_first, n_second) < FEWEST_UNITS
    df = np.where(varies, df, np.nan)
    t = np.where(varies, estimate / np.where(varies, error, 1.0), np.nan)
    statistic = np.where(varies, t_star(t, lean), np.nan)
    p_value = np.where(varies, two_sided_t(statistic, df), constant)
    adjusted = np.where(is_open, np.nan, bonferroni(p_value, n_comparisons))
    level = np.where(is_open, alpha, alpha / n_comparisons)
    critical = t_quantile(level / 2, df)
    lower, upper = mean_interval(estimate, error, lean, critical, varies, constant, level)
    return Changes(
        estimate=estimate,
        standard_error=np.where(np.minimum(n_first, n_second) >= 2, error, np.nan),
        lower=lower,
        upper=upper,
        statistic=statistic,
        df=df,
        p_value=p_value,
        adjusted_p_value=adjusted,
        n_first=n_first,
        n_second=n_second,
        is_open=is_open,
    )


def _check(first: Array, second: Array, alpha: float, n_comparisons: int) -> None:
    """Check the arguments of a test."""
    if first.ndim != 2 or second.ndim != 2 or first.shape[1] != second.shape[1]:
        raise ValueError(f"cells are the columns of both: {first.shape, second.shape}")
    if not 0 < alpha < 1 or n_comparisons < 1:
        raise ValueError(f"0 < alpha < 1, one comparison or more: {alpha, n_comparisons}")
