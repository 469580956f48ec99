r"""Comparisons of all pairs, each by the variance of its own differences.

One pooled variance presumes that the differences of all pairs vary alike. On
real data they do not (Greenhouse-Geisser epsilons of .2 to .9), and the pooled
intervals err for the pairs that vary most and hide what steady pairs show. Here
each pair has the paired t of the units that have both, corrected for skewness
(`reportgen.stats.skewness`), with one critical value for the family:

- from max(50, 4 K) shared units on the quantile of
  :math:`\max_p |Z_p| / \sqrt{\chi^2_p / (n_p - 1)}` with :math:`Z \sim N(0, R)`,
  R the correlations of the differences over units, and independent
  :math:`\chi^2_p`; one common denominator would be liberal;
- with fewer units, whose correlations are estimated too poorly, or more than 5,000
  pairs, whose correlations fill the memory, Bonferroni's, which is never smaller.

All is single-step, so that a pair is decided exactly when its interval excludes
equality, and exactly when its adjusted p-value is below alpha. What size it has
is in docs/size-and-coverage.md.

References
----------
.. [1] T. Hothorn, F. Bretz and P. Westfall (2008), "Simultaneous inference in
   general parametric models", Biometrical Journal 50.
.. [2] P. Hall (1992), "On the removal of skewness by transformation", Journal of
   the Royal Statistical Society B 54.
.. [3] C. J. Clopper and E. S. Pearson (1934), "The use of confidence or fiducial
   limits illustrated in the case of the binomial", Biometrika 26.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import iadd

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better, Scale
from reportgen.stats.adverse_differences import adverse_differences
from reportgen.stats.arguments import (
    SEED,
    Names,
    area_of,
    check_level,
    check_positive,
    generator_of,
    is_smaller_better,
    matrix_of,
    refuse,
)
from reportgen.stats.arrays import Area, Array, Bounds
from reportgen.stats.distributions.max_abs_t import N_DRAWS, MaxAbsT, max_abs_t
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import BOUNDS, PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.shared_means import SharedMeans, pair_blocks, pair_columns
from reportgen.stats.skewness import excluded_share, mean_interval, skewness, t_star

FEWEST_UNITS = 6  # of a pair that is decided on
JOINT_UNITS = 50  # for the joint law with estimated correlations ...
UNITS_PER_CANDIDATE = 4  # ... and no fewer than so many a candidate
MOST_JOINT_PAIRS = 5_000  # of one law: their correlations take 200 MB; 100 candidates have 4,950
MOST_ERRORS = 2**24  # units x pairs whose differences are held together: 134 MB an array
MANY_PAIRS = "own-variance-many-pairs"
"""The method by Bonferroni's inequality where pairs are too many for their joint law."""
BY_BONFERRONI = dict.fromkeys(("own-variance", MANY_PAIRS), "own-variance-bonferroni") | {
    method: method for method in ("own-variance-bonferroni", "welch", "cluster-robust", "families")
}
"""Names of methods whose pairs a larger family holds together by Bonferroni's inequality."""

ROUNDING = 1e-12  # a difference that varies less, relative to the values, does not vary


def paired_max_t(
    values: Array,
    alpha: float,
    rng: Generator,
    *,
    n_comparisons: int | None = None,
    n_draws: int = N_DRAWS,
    has_tost: bool = False,
    shared: SharedMeans | None = None,
    reference: int | None = None,
) -> PairTable:
    r"""Compare all pairs of columns, each by its own variance, corrected for skewness.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        One row a unit (a replication, a data set, an item), NaN where there is
        no value; K >= 2. A pair uses the units that have both.
    alpha : float
        Error probability of the family, 0 < alpha < 1.
    rng : Generator
        Draws from the joint law; not used with few units.
    n_comparisons : int, optional
        Pairs of a larger family, which Bonferroni's inequality then holds
        together. Left out: the family are the pairs here.
    n_draws : int, default 20,000
        From the joint law; with more than 1,500 pairs there are fewer.
    has_tost : bool, default False
        Whether `extra` also has `tost_lower` and `tost_upper`, the limits of level 1 - 2 alpha
        for two one-sided tests; alpha < 1/2 then.
    shared : SharedMeans, optional
        Where values are means: of what both of a pair have in a unit, which is compared.
    reference : int, optional
        A column: the family are the K - 1 pairs with it, by the joint law of these, as Dunnett's
        test has it for equal variances. All other pairs are outside the family.

    Returns
    -------
    PairTable
        Method "own-variance" with the joint law, else "own-variance-bonferroni", or
        "own-variance-many-pairs" where only their number is too large for the law.
        A pair with fewer than `FEWEST_UNITS` units is outside the family: it is
        open, without an adjusted p-value. Its interval is Student's of this pair
        alone, at level 1 - alpha. `extra` has

        n : units that have both
        skewness : of the differences, 0 with fewer than `FEWEST_UNITS`
        is_constant : whether the difference is the same in all units
        excluded_share : of a pair that is equal in all units, the share of units
            above which a difference is excluded; else NaN

    Raises
    ------
    ValueError
        If `values` is not such a matrix, or alpha is not inside (0, 1).

    Notes
    -----
    A difference that is the same in all units, but for rounding, has no t. If it
    is not 0, and both signs were equally likely, n of one sign had the probability
    :math:`2^{1-n}` (both sides), which is its p-value, and its interval are the
    limits of Clopper and Pearson for the share of that sign (`sign_interval`) [3]_.
    It excludes 0 exactly where m times the p-value is below alpha. If it is 0, the
    p-value is 1 and there is no interval: a difference in more than
    :math:`1 - (\alpha / m)^{1 / n}` of the units would have been seen. Both count
    in m, neither in R.

    Adjusted p-values are those of the joint law, kept between the pair's own
    p-value and Bonferroni's, which takes over below 1e-6.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = paired_max_t(rng.normal(size=(60, 3)) + [0, 0, 1], 0.05, rng)
    >>> table.method, table.significant.tolist()
    ('own-variance', [False, True, True])
    >>> few = paired_max_t(rng.normal(size=(12, 3)) + [0, 0, 3], 0.05, rng)
    >>> few.method, few.significant.tolist(), round(float(few.critical_value[0]), 3)
    ('own-variance-bonferroni', [False, True, True], 2.82)
    """
    check_pairs(values, alpha)
    pairs = all_pairs(values.shape[1])
    keys = values if shared is None else np.hstack([shared.first, shared.second, values])
    order = np.lexsort(keys.T)  # one result, to the last bit, in whatever order
    units = shared and shared.of_units(order)
    described = [
        _described(values[order], pairs[some], units and units.of_pairs(some))
        for some in pair_blocks(len(values), len(pairs))
    ]
    n, is_constant, mean, deviation, skew = map(np.concatenate, zip(*described, strict=True))
    varies = ~is_constant & (n >= 2)
    standard_error = np.where(varies, deviation / np.sqrt(np.maximum(n, 1)), 0.0)
    t = np.where(varies, mean / np.where(varies, standard_error, 1.0), np.nan)
    lean = skew / np.sqrt(np.maximum(n, 1))
    statistic = np.where(varies, t_star(t, lean), np.nan)

    is_family = n >= FEWEST_UNITS
    if reference is not None:
        is_family &= (pairs == reference).any(axis=1)
    m = n_comparisons or max(1, int(is_family.sum()))
    df = np.where(n >= 2, n - 1.0, np.nan)
    chance = equal_signs(n)
    of_signs = np.where(mean != 0, chance, 1.0)
    alone = np.where(varies, two_sided_t(statistic, df), np.nan)
    p_value = np.where(is_constant, of_signs, alone)

    adjusted = bonferroni(p_value, m)
    drawn = varies & is_family
    is_joint = (
        n_comparisons is None
        and bool(drawn.any())
        and int(n[is_family].min()) >= joint_units(values.shape[1])
    )
    has_many = is_joint and int(drawn.sum()) > MOST_JOINT_PAIRS
    law: MaxAbsT | None = None
    if is_joint and not has_many:
        some = units and units.of_pairs(np.flatnonzero(drawn))
        correlations = _correlations(values[order], pairs[drawn], some, mean[drawn])
        law = max_abs_t(correlations, df[drawn], rng, n_draws)
        joint_p = law.survival(np.abs(statistic))
        adjusted = np.where(drawn, np.maximum(p_value, np.minimum(adjusted, joint_p)), adjusted)
    adjusted = np.where(is_family, adjusted, np.nan)

    def interval(alpha: float) -> tuple[Array, Array, Array]:
        """Return the critical values and the limits of level 1 - alpha."""
        level = np.where(is_family, alpha / m, alpha)
        critical = t_quantile(level / 2, df)
        if law is not None:
            least = t_quantile(alpha / 2, df)
            low, high = float(least[drawn].min()), float(critical[drawn].max())
            joint = np.clip(law.quantile(alpha, low, high), least, critical)
            critical = np.where(is_family, joint, critical)
        limits = mean_interval(mean, standard_error, lean, critical, varies, chance, level)
        return critical, *limits

    critical, lower, upper = interval(alpha)
    is_equal = is_constant & (mean == 0)
    extra = {
        "n": n,
        "skewness": skew,
        "is_constant": is_constant,
        "excluded_share": np.where(is_equal, excluded_share(n, alpha / m), np.nan),
    }
    if has_tost:
        _, extra["tost_lower"], extra["tost_upper"] = interval(2 * alpha)
    return PairTable.of(
        pairs,
        np.where(n > 0, mean, np.nan),
        MANY_PAIRS if has_many else "own-variance" if is_joint else "own-variance-bonferroni",
        alpha,
        standard_error=np.where(n >= 2, standard_error, np.nan),
        lower=lower,
        upper=upper,
        statistic=statistic,
        df=df,
        p_value=p_value,
        adjusted_p_value=adjusted,
        critical_value=np.where(varies, critical, np.nan),
        is_open=~is_family,
        extra=extra,
    )


def difference_intervals(differences: Array, alpha: float) -> tuple[Array, Array]:
    """Return the interval of each of several mean differences, as if it were the only one.

    `differences`: (n, R); a column a sample of n differences.
    `alpha`: 1 - confidence, inside (0, 1).
    Result: `lower`, `upper`, (R,); as of `paired_max_t`. NaN with fewer than `FEWEST_UNITS` units.
    Where all are 0 the interval is 0 to 0 if their number makes any other constant significant,
    else NaN.

    Examples
    --------
    >>> lower, upper = difference_intervals(np.array([[1.0, 2.0, 4.0, 3.0, 2.0, 1.5]]).T, 0.05)
    >>> lower.round(3), upper.round(3)
    (array([1.112]), array([4.176]))
    """
    n = len(differences)
    if n < FEWEST_UNITS:
        nothing = np.full(differences.shape[1], np.nan)
        return nothing, nothing
    mean = differences.mean(axis=0)
    errors = differences - mean
    varies = np.ptp(differences, axis=0) > ROUNDING * np.abs(differences).max(axis=0)
    lean = skewness(errors, np.full(len(mean), n)) / np.sqrt(n)
    error = np.where(varies, np.sqrt((errors**2).sum(axis=0) / (n - 1) / n), 0.0)
    critical = t_quantile(alpha / 2, np.full(len(mean), n - 1.0))
    chance = np.full(len(mean), equal_signs(np.array(n)))
    lower, upper = mean_interval(mean, error, lean, critical, varies, chance, alpha)
    is_equal = ~varies & (mean == 0) & (chance <= alpha)
    return np.where(is_equal, 0.0, lower), np.where(is_equal, 0.0, upper)


def equal_signs(n: NDArray[np.int_]) -> Array:
    """Return the probability that n signs are equal, both sides, where both are equally likely.

    Examples
    --------
    >>> equal_signs(np.array([2, 6]))
    array([0.5    , 0.03125])
    """
    return np.asarray(2.0 ** (1.0 - np.clip(n, 1, 1000)))


def joint_units(n_candidates: int) -> int:
    """Return how many shared units the joint law takes.

    Examples
    --------
    >>> joint_units(6), joint_units(50)
    (50, 200)
    """
    return max(JOINT_UNITS, UNITS_PER_CANDIDATE * n_candidates)


def bonferroni_adjust(table: PairTable, n_comparisons: int) -> PairTable:
    """Hold the pairs of a table together with those of others, by Bonferroni's inequality.

    `table`: of pairs that are t on their own degrees of freedom, such as `paired_max_t` or a block
    model gives.
    `n_comparisons`: pairs of the larger family.
    Result: with other intervals and adjusted p-values; not decided anew.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(60, 3)) + [0, 0, 1]
    >>> larger = bonferroni_adjust(paired_max_t(values, 0.05, rng), 30)
    >>> alone = paired_max_t(values, 0.05, rng, n_comparisons=30)
    >>> bool(np.allclose(larger.lower, alone.lower)), larger.method
    (True, 'own-variance-bonferroni')
    """
    is_ratio = table.scale == "ratio"
    estimate = np.log(table.estimate) if is_ratio else table.estimate
    df = np.where(np.isnan(table.df), np.inf, table.df)
    n = table.extra.get("n_clusters", table.extra.get("n", np.full(len(table), 1)))
    lean = table.extra.get("skewness", np.zeros(len(table))) / np.sqrt(np.maximum(n, 1))
    varies = np.isfinite(table.statistic)
    level = np.where(table.is_open, table.alpha, table.alpha / n_comparisons)
    critical = t_quantile(level / 2, df)
    lower, upper = mean_interval(
        estimate, table.standard_error, lean, critical, varies, table.p_value, level
    )
    adjusted = np.where(table.is_open, np.nan, bonferroni(table.p_value, n_comparisons))
    found = replace(
        table,
        estimate=estimate,
        lower=lower,
        upper=upper,
        adjusted_p_value=adjusted,
        critical_value=np.where(varies, critical, np.nan),
        critical_error=0.0,
        method=BY_BONFERRONI.get(table.method, "bonferroni"),
        decision=(),
    )
    if table.adverse is not None:
        found = found.with_columns(**table.adverse.limits(critical))
    if "excluded_share" in table.extra:
        is_equal = np.isfinite(table.extra["excluded_share"])
        share = np.where(is_equal, excluded_share(n, table.alpha / n_comparisons), np.nan)
        found = found.with_columns(excluded_share=share)
    return as_ratios(found) if is_ratio else found


def compare_ratios(
    values: Array,
    alpha: float,
    rng: Generator,
    *,
    n_comparisons: int | None = None,
) -> PairTable:
    """Compare all pairs of columns of positive values by ratios of geometric means.

    `values`: (n, K); all positive, NaN where there is no value.
    `alpha`, `rng`, `n_comparisons`: as of `paired_max_t`, which compares the logarithms.
    Result: of scale "ratio".
    Raises ValueError if a value is not positive.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> seconds = rng.lognormal(sigma=0.1, size=(60, 2)) * [1.0, 50.0]
    >>> table = compare_ratios(seconds, 0.05, rng)
    >>> (1 / table.estimate).round(1), (1 / table.upper).round(1), (1 / table.lower).round(1)
    (array([49.8]), array([48.3]), array([51.3]))
    """
    if not (values[np.isfinite(values)] > 0).all():
        raise ValueError("ratios need values above 0")
    logarithms = np.log(values)
    return as_ratios(paired_max_t(logarithms, alpha, rng, n_comparisons=n_comparisons))


def compare_by_scale(values: Array, scale: Scale, alpha: float, rng: Generator) -> PairTable:
    """Compare all pairs of columns by difference, or by the ratio of their geometric means.

    `values`: (n, K); NaN where there is no value; all above 0 for ratios.
    `alpha`, `rng`: as of `paired_max_t`.
    """
    kernel = compare_ratios if scale == "ratio" else paired_max_t
    return kernel(values, alpha, rng)


def as_ratios(logarithms: PairTable) -> PairTable:
    """Return comparisons of logarithms as comparisons by ratio."""
    with np.errstate(over="ignore"):  # a ratio beyond floating point is infinite
        estimate, lower, upper = (
            np.exp(x) for x in (logarithms.estimate, logarithms.lower, logarithms.upper)
        )
        tost = {name: np.exp(logarithms.extra[name]) for name in BOUNDS if name in logarithms.extra}
    ratios = replace(logarithms, estimate=estimate, lower=lower, upper=upper, scale="ratio")
    return ratios.with_columns(**tost)


def _described(
    values: Array, pairs: NDArray[np.intp], shared: SharedMeans | None
) -> tuple[NDArray[np.int_], NDArray[np.bool_], Array, Array, Array]:
    """Return number, constancy, mean, deviation and skewness of the pairs' differences."""
    a, b = pair_columns(values, pairs, shared)
    has_both = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(has_both, a, 0.0), np.where(has_both, b, 0.0)
    n = has_both.sum(axis=0)
    is_constant, constant = _constants(a, b, has_both)
    differences = a - b
    mean = differences.sum(axis=0) / np.maximum(n, 1)
    errors = np.where(has_both, differences - mean, 0.0)
    is_constant &= n >= 2
    mean = np.where(is_constant, constant, mean)
    errors[:, is_constant] = 0.0
    deviation = np.sqrt((errors**2).sum(axis=0) / np.maximum(n - 1, 1))
    return n, is_constant, mean, deviation, skewness(errors, n)


def _correlations(
    values: Array, pairs: NDArray[np.intp], shared: SharedMeans | None, mean: Array
) -> Array:
    """Return the correlations of the pairs' differences about their means, units after units."""

    def errors() -> Iterator[Array]:
        for some in pair_blocks(len(pairs), len(values), MOST_ERRORS):
            a, b = pair_columns(values[some], pairs, shared and shared.of_units(some))
            differences = a - b
            yield np.where(np.isfinite(differences), differences - mean, 0.0)

    scales = np.sqrt(reduce(iadd, ((own**2).sum(axis=0) for own in errors())))
    columns = (own / scales for own in errors())
    found: Array = reduce(iadd, (own.T @ own for own in columns))
    return found


def _constants(a: Array, b: Array, has_both: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Array]:
    """Return which differences are the same in all units but for rounding, and what they are."""
    # `a`, `b`: (n, P); the values of the first and the second, 0 where one is missing.
    n_units, n_pairs = a.shape
    if n_units == 0:
        return np.zeros(n_pairs, dtype=np.bool_), np.zeros(n_pairs)
    noise = ROUNDING * (np.abs(a) + np.abs(b))
    place = np.where(has_both, noise, np.inf).argmin(axis=0)  # the unit with the most digits
    columns = np.arange(n_pairs)
    value, least = (a - b)[place, columns], noise[place, columns]
    is_same = (np.abs(a - b - value) <= noise + least) | ~has_both
    return is_same.all(axis=0) & has_both.any(axis=0), np.where(np.abs(value) <= least, 0.0, value)


def compare_pairs(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    scale: Scale = "difference",
    bounds: Bounds = (None, None),
    reference: str | None = None,
    rng: Generator | int = SEED,
) -> PairTable:
    r"""Compare all pairs, each by the variance of its own differences.

    Parameters
    ----------
    values : array-like of shape (B, K)
        Performances, a row a replication (or a data set), a column a candidate;
        NaN where there is no value. A pair uses the rows that have both.
    names, better
        As of `signed_rank`.
    alpha : float, default 0.05
        Family-wise error probability; the intervals hold simultaneously with
        probability 1 - alpha.
    relevance : tuple of two floats, or float, optional
        Area of equivalence: what does not matter. (-d, d) of differences, or d, in
        the unit of the values; (1/r, r) of ratios, or r.
    scale : {"difference", "ratio"}
        Differences of means, or ratios of geometric means, for times and sizes;
        all values above 0 then.
    bounds : tuple of two floats or None, default (None, None)
        The least and the largest value that there can be: intervals of differences
        end at what they allow.
    reference : str, optional
        One of the names: it is compared with every other one, and the intervals hold
        simultaneously over these K - 1 pairs alone, so that they are narrower. The table has
        no other pairs.
    rng : Generator or int
        Random numbers, or the seed of theirs, for the joint law of the pairs; not
        used with fewer than max(50, 4 K) rows.

    Returns
    -------
    PairTable
        Estimates, simultaneous intervals, p-values and a decision on each pair:
        "better" or "worse" (the first than the second), with `relevance` also
        "better-relevant", "worse-relevant" and "equivalent", else "undecided".
        A pair with fewer than 6 rows is undecided; its interval is Student's, of this
        pair alone. `extra` has `n` (rows that have both), `skewness`, `is_constant`,
        `excluded_share` (of a pair that is equal in all rows: in a larger share of the
        units a difference would have been seen), with `relevance` the limits
        `tost_lower` and `tost_upper` of level 1 - 2 alpha for two one-sided tests, and
        `wins`, `ties`, `losses`. Where values are missing, it also has `adverse_first` and
        `adverse_second`: how far the first, the second, may be behind where each of its gaps hides
        a difference against it as large as the largest one seen. Who is ahead is decided better
        only where this limit excludes equality, too.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns of numbers, a value is
        infinite or outside of the bounds, or another argument is not what is allowed.

    Notes
    -----
    The paired t, corrected for skewness [2]_ with at most a doubling of either side of
    the interval, and one critical value for all pairs: of the joint law of all
    statistics [1]_, with fewer than max(50, 4 K) rows Bonferroni's. A pair is decided
    exactly when its interval excludes equality. What occurs in fewer than
    1 - .05^(1/n) of the units (10 rows: 26%, 20: 14%, 50: 6%) may not have been seen;
    docs/size-and-coverage.md has errors of skewed differences.

    References
    ----------
    .. [1] T. Hothorn, F. Bretz and P. Westfall (2008), "Simultaneous inference in
       general parametric models", Biometrical Journal 50, section 3.
    .. [2] P. Hall (1992), "On the removal of skewness by transformation", Journal
       of the Royal Statistical Society B 54.
    .. [3] D. J. Schuirmann (1987), "A comparison of the two one-sided tests
       procedure and the power approach for assessing the equivalence of average
       bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(0.2, 0.02, size=(20, 3)) + [0, 0, 0.04]
    >>> stats.compare_pairs(values, ["lda", "svm", "nnet"], relevance=(-0.02, 0.02))
    PairTable: own-variance-bonferroni, 3 pairs, alpha = 0.05
    first  second  estimate     lower     upper    p_value  adjusted_p_value  decision
    lda    svm     0.002258   -0.0136   0.01973     0.7127                 1  equivalent
    lda    nnet    -0.04267   -0.0557  -0.02922  2.373e-07          7.12e-07  better-relevant
    svm    nnet    -0.04493  -0.05699  -0.03462  5.818e-10         1.745e-09  better-relevant
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    area = area_of(relevance, scale)
    matrix, candidates = matrix_of(values, names, has_gaps=True)
    check_positive(matrix, scale)
    least, most = bounds
    outside = (matrix < (-np.inf if least is None else least)) | (
        matrix > (np.inf if most is None else most)
    )
    if outside.any():
        raise refuse("values", repr(float(matrix[outside][0])), f"numbers within {bounds}")
    if reference is not None and reference not in candidates:
        raise refuse("reference", repr(reference), f"one of {', '.join(map(repr, candidates))}")
    rng = generator_of(rng)
    return own_variance_pairs(
        matrix,
        candidates,
        alpha,
        area,
        rng,
        scale=scale,
        is_smaller_better=smaller,
        bounds=bounds,
        reference=reference,
    )


def own_variance_pairs(
    values: Array,
    candidates: tuple[str, ...],
    alpha: float,
    area: Area | None,
    rng: Generator,
    *,
    scale: Scale,
    is_smaller_better: bool,
    bounds: Bounds = (None, None),
    reference: str | None = None,
    missing_by_design: NDArray[np.bool_] | None = None,
) -> PairTable:
    """Compare all pairs as `compare_pairs` does.

    `values`: (B, K).
    `missing_by_design`: (B, K); cells without a value by design, which count against nobody.
    """
    has_tost = area is not None and 2 * alpha < 1
    differing = np.log(values) if scale == "ratio" else values
    column = None if reference is None else candidates.index(reference)
    table = paired_max_t(differing, alpha, rng, has_tost=has_tost, reference=column)
    table = table.held_against(
        adverse_differences(differing, table.pairs, is_smaller_better, missing_by_design)
    )
    table = as_ratios(table) if scale == "ratio" else table
    table = table.inside(bounds)
    named = table.counted(values, is_smaller_better).named(candidates, "", is_smaller_better)
    return named.only_with(reference).decided(area)
