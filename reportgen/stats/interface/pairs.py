"""All pairs of candidates: by signed ranks, by their own variances, and for new data sets."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    SEED,
    Area,
    Names,
    area_of,
    check_choice,
    check_count,
    check_level,
    check_not_negative,
    check_size,
    generator_of,
    is_smaller_better,
    matrix_of,
    numbers_of,
    refuse,
)
from reportgen.stats.pair_table import Bounds, PairTable, Scale
from reportgen.stats.pairs.adverse import adverse_differences
from reportgen.stats.pairs.new_data import (
    MeanLosses,
    new_data_pairs,
    without_needless,
)
from reportgen.stats.pairs.own_variances import (
    as_ratios,
    compare_own_variances,
)
from reportgen.stats.pairs.paired_tests import Adjustment, signed_rank_pairs
from reportgen.stats.ranks.signed_rank import Zeros

Array = NDArray[np.float64]


def signed_rank(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    adjustment: Adjustment = "holm",
    zeros: Zeros = "pratt",
) -> PairTable:
    """Compare all pairs by Wilcoxon's signed rank test.

    Parameters
    ----------
    values : array-like of shape (B, K)
        Performances, a row a replication (or a data set), a column a candidate;
        without missing values.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.
    alpha : float, default 0.05
        Family-wise error probability, controlled whichever candidates are alike.
    adjustment : {"holm", "shaffer"}
        Of the p-values: Holm's, or Shaffer's, which uses that equality is
        transitive.
    zeros : {"pratt", "wilcoxon"}
        Differences of 0: ranked with the others, or left out before ranking.

    Returns
    -------
    PairTable
        Without estimates and intervals. `statistic` is standardised. `extra` has
        `mean_difference`, first - second in the unit of the values, `is_exact`
        (up to 300 differences that are not 0, ties and zeros as they are), and
        `wins`, `ties`, `losses`: the rows in which the first is better, equal,
        worse.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least one row and two columns of finite
        numbers, or another argument is not what is allowed.

    References
    ----------
    .. [1] J. W. Pratt (1959), "Remarks on zeros and ties in the Wilcoxon signed
       rank procedures", JASA 54.
    .. [2] J. Demšar (2006), "Statistical comparisons of classifiers over
       multiple data sets", JMLR 7, section 3.1.3.
    .. [3] J. P. Shaffer (1986), "Modified sequentially rejective multiple test
       procedures", JASA 81.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [[1, 2, 4], [1, 3, 7], [2, 4, 5], [1, 2, 6], [1, 3, 5], [2, 3, 9]]
    >>> stats.signed_rank(values, ["a", "b", "c"], alpha=0.1)
    PairTable: signed-rank-holm, 3 pairs, alpha = 0.1
    first  second  p_value  adjusted_p_value  decision
    a      b       0.03125           0.09375  better
    a      c       0.03125           0.09375  better
    b      c       0.03125           0.09375  better
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    check_choice("adjustment", adjustment, get_args(Adjustment))
    check_choice("zeros", zeros, get_args(Zeros))
    matrix, candidates = matrix_of(values, names, has_gaps=False)
    tests = signed_rank_pairs(matrix, adjustment, zeros)
    table = PairTable.of(
        np.column_stack([tests.first, tests.second]),
        np.full(len(tests.p_values), np.nan),
        f"signed-rank-{adjustment}",
        alpha,
        statistic=tests.statistics,
        p_value=tests.p_values,
        adjusted_p_value=tests.adjusted,
        extra={
            "mean_difference": (matrix[:, tests.first] - matrix[:, tests.second]).mean(axis=0),
            "is_exact": tests.is_exact,
        },
    )
    return table.counted(matrix, smaller).named(candidates, "", smaller).decided()


def compare_pairs(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    scale: Scale = "difference",
    bounds: Bounds = (None, None),
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
    _check_positive(matrix, scale)
    has_tost = area is not None and 2 * alpha < 1
    least, most = bounds
    outside = (matrix < (-np.inf if least is None else least)) | (
        matrix > (np.inf if most is None else most)
    )
    if outside.any():
        raise refuse("values", repr(float(matrix[outside][0])), f"numbers within {bounds}")
    differing = np.log(matrix) if scale == "ratio" else matrix
    table = compare_own_variances(differing, alpha, generator_of(rng), has_tost=has_tost)
    table = table.held_against(adverse_differences(differing, table.pairs, smaller))
    table = as_ratios(table) if scale == "ratio" else table
    table = table.inside(bounds)
    return table.counted(matrix, smaller).named(candidates, "", smaller).decided(area)


def compare_new_data(
    values: ArrayLike,
    ratio: float,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    scale: Scale = "difference",
    test_share: float | None = None,
    n_observations: int | None = None,
    losses: ArrayLike | None = None,
    n_tested: ArrayLike | None = None,
    bounds: tuple[float | None, float | None] = (None, None),
) -> PairTable:
    r"""Compare all pairs for new data sets of the same source, approximately.

    Parameters
    ----------
    values : array-like of shape (J, K) or (J, S, K)
        Performances, a row a replication on one data set, a column a candidate;
        NaN where there is no value. With three axes the rows are J splits, each
        with the same S seeds (or further runs).
    ratio : float
        Number r of test observations over that of distinct learning observations:
        1 / (k - 1) for k folds, about 0.582 for the bootstrap tested out-of-bag;
        0 where every replication has fresh observations.
    names, better, relevance, scale
        As of `compare_pairs`.
    alpha : float, default 0.05
        Family-wise error probability, by Bonferroni.
    test_share : float, optional
        Share h of the observations that a replication is tested on; r / (1 + r)
        when left out, what is not learnt from.
    n_observations : int, optional
        Number N of observations of the data set, or of groups that stay together.
    losses : array-like of shape (N, K), optional
        Where a value is the mean of the losses of the test observations: the mean
        loss of every observation over the replications that tested it, NaN where
        none did. A group is one row.
    n_tested : array-like of shape (N,) or (N, K), optional
        How many replications tested each observation; several when left out.
    bounds : tuple of two floats or None
        Of the values: (0, 1) for shares. No interval leaves what they allow.

    Returns
    -------
    PairTable
        `extra` has `n` (replications that have both), `deviation` (standard
        deviation s of their differences), `limit_standard_error` (what is left of
        the standard error however many replications there are), `n_varying`
        (observations whose losses differ), `n_deciding` (how many observations the
        data set would need for the pair to be decided with a probability of .8,
        were the estimate the truth; NaN where that is not known, and for a
        difference inside `relevance`) and `reason`: why a pair is undecided
        without an interval, "too-few-replications" (fewer than 3) or
        "no-variation" (all differences are the same, or fewer than 6 observations
        tell the two apart).

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns of numbers, a value is
        infinite, the ratio is negative, or another argument is not what is allowed.

    Notes
    -----
    The target is the difference expected over data sets of this size and their
    splits, of candidates that learn from as many observations as here. With
    replications alone

    .. math:: t = \bar d / \sqrt{s^2 \max(1/J + r,\ 2h)}

    on min(J, N) - 1 degrees of freedom [1]_: no number of repeats makes up for
    one data set. With losses, whose differences are z, the variance is at most
    3 var(z) / N where observations are tested several times, and 2 var(z) / N, on
    N - 1 degrees of freedom, where each is tested once. Crossed seeds are
    averaged, and add their own component of variance. In simulations of equal
    and unequal candidates the nominal 5% were missed in 2% of studies on average,
    in up to 8% for nearest neighbours and for trees that must find an interaction.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), "Inference for the generalization
       error", Machine Learning 52, section 4.

    Examples
    --------
    >>> from reportgen import stats
    >>> folds = [[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]]
    >>> stats.compare_new_data(folds, ratio=1 / 3, names=["lda", "svm"])
    PairTable: new-data, 1 pair, alpha = 0.05
    first  second  estimate   lower    upper  p_value  adjusted_p_value  decision
    lda    svm           -2  -3.985  -0.0154  0.04906           0.04906  better
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    check_not_negative("ratio", ratio)
    if test_share is not None:
        check_not_negative("test_share", test_share)
    if n_observations is not None:
        check_count("n_observations", n_observations, 2)
    area = area_of(relevance, scale)
    given = numbers_of(values)
    shape = given.shape
    flat = values if given.ndim != 3 else given.reshape(-1, shape[-1])
    matrix, candidates = matrix_of(flat, names, has_gaps=True)
    _check_positive(matrix, scale)
    is_ratio = scale == "ratio"
    differing = np.log(matrix) if is_ratio else matrix
    check_size(differing)
    table = new_data_pairs(
        differing.reshape(shape),
        float(ratio),
        alpha,
        test_share=test_share,
        n_observations=n_observations,
        losses=None if losses is None else _mean_losses(losses, n_tested, candidates, scale),
        bounds=(None, None) if is_ratio else bounds,
    )
    rows = differing.reshape(shape)
    rows = rows.mean(axis=1) if rows.ndim == 3 else rows  # over seeds
    error = table.standard_error
    adverse = adverse_differences(rows, table.pairs, smaller, standard_error=error)
    table = table.held_against(adverse)
    if area is not None:
        low, high = np.log(area).tolist() if is_ratio else area
        table = without_needless(table, low, high)
    table = as_ratios(table) if is_ratio else table
    return table.named(candidates, "", smaller).decided(area)


def _mean_losses(
    losses: ArrayLike, n_tested: ArrayLike | None, candidates: tuple[str, ...], scale: Scale
) -> MeanLosses:
    """Check the mean losses of observations, and how often each was tested."""
    if scale == "ratio":
        raise refuse("losses", "losses with ratios", "losses with differences of means")
    matrix = numbers_of(losses, "losses")
    if matrix.ndim != 2 or matrix.shape[1] != len(candidates):
        raise refuse("losses", f"shape {matrix.shape}", f"(N, {len(candidates)})")
    if np.isinf(matrix).any():
        raise refuse("losses", "infinite losses", "finite numbers, nan where none was tested")
    check_size(matrix)
    counts = np.full(matrix.shape, 2.0) if n_tested is None else numbers_of(n_tested, "n_tested")
    if counts.shape not in (matrix.shape, matrix.shape[:1]):
        raise refuse("n_tested", f"shape {counts.shape}", f"{matrix.shape[:1]} or {matrix.shape}")
    counts = counts if counts.ndim == 2 else counts[:, None]
    return MeanLosses(matrix, np.broadcast_to(counts, matrix.shape))


def _check_positive(matrix: Array, scale: Scale) -> None:
    """Refuse values that have no ratio."""
    if scale == "ratio" and not (matrix[np.isfinite(matrix)] > 0).all():
        raise refuse("values", repr(float(np.nanmin(matrix))), "numbers above 0 for ratios")
