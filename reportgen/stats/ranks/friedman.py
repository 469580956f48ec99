"""Friedman's test, its F form by Iman and Davenport, and comparisons of all pairs of rank sums.

The test of Skillings and Mack is Friedman's for blocks with missing cells.
"""

from __future__ import annotations

from itertools import combinations
from math import inf, isinf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    is_smaller_better,
    matrix_of,
)
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.cross_products import connected_candidates
from reportgen.stats.distributions.studentized_range import survival
from reportgen.stats.distributions.tails import log_chi2_survival, log_f_survival, probability
from reportgen.stats.frame import Columns, Tabular
from reportgen.stats.ranking import check_blocks, within_block_ranks


@dataclass(frozen=True, slots=True)
class FriedmanTest:
    """Test that all candidates have the same distribution of ranks.

    Attributes
    ----------
    statistic : float
        Corrected for ties; 0 when all blocks are fully tied.
    df : int
        K - 1.
    p_value, log10_p_value : float
        By the chi-squared limit; 1 and 0 when all blocks are fully tied.
    target : str
        What the test generalises to; "" where it is not set.
    """

    statistic: float
    df: int
    p_value: float
    log10_p_value: float
    target: str = ""


@dataclass(frozen=True, slots=True)
class ImanDavenportTest:
    """F test that all candidates have the same distribution of ranks.

    Attributes
    ----------
    statistic : float
        Infinite when all blocks agree, 0 when all are fully tied.
    df1, df2 : int
        K - 1 and (B - 1)(K - 1).
    p_value, log10_p_value : float
    is_perfect_agreement : bool
        Whether all blocks have the same ranks, so that the statistic is infinite.
    target : str
        As of `FriedmanTest`.
    """

    statistic: float
    df1: int
    df2: int
    p_value: float
    log10_p_value: float
    is_perfect_agreement: bool = False
    target: str = ""


@dataclass(frozen=True, slots=True)
class RankSumPairs:
    """All differences of rank sums, R_first - R_second."""

    # first, second: (P,); columns of the pairs, first < second, P = K (K - 1) / 2
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    differences: Array  # (P,)
    # (P,); single step: each is the probability that the largest of all differences is at least as
    # large
    p_values: Array
    # of a difference when all orders within a block are equally likely, given the ties
    variance: float


def friedman_test(ranks: Array) -> FriedmanTest:
    r"""Test equality of all candidates by their within-block ranks.

    `ranks`: (B, K); ranks 1 to K within each row, ties averaged.
    Raises ValueError if `ranks` has no row, fewer than two columns, or missing values.

    Notes
    -----
    With rank sums :math:`R_k` the statistic is

    .. math:: \frac{12 \sum_k (R_k - B(K+1)/2)^2}
        {B K (K+1) - \sum_b \sum_g (t_{bg}^3 - t_{bg}) / (K-1)}

    where :math:`t_{bg}` is the size of the g-th tied group of block b. The
    denominator is :math:`12/(K-1)` times the sum of squares of the ranks about
    their block means, which is how it is computed.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, section 7.1.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> test = friedman_test(ranks)
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (3.8182, 2, 0.1482)
    """
    n_candidates = _check(ranks).shape[1]
    within = _sum_of_squares(ranks)
    df = n_candidates - 1
    if within == 0:
        return FriedmanTest(0.0, df, 1.0, 0.0)
    deviations = ranks.sum(axis=0) - len(ranks) * (n_candidates + 1) / 2
    statistic = df * float(deviations @ deviations) / within
    log_p = log_chi2_survival(statistic, df)
    return FriedmanTest(statistic, df, probability(log_p), log_p / log(10))


def iman_davenport(ranks: Array) -> ImanDavenportTest:
    r"""Test equality of all candidates by an F statistic of their ranks.

    `ranks`: (B, K); ranks 1 to K within each row, ties averaged, B >= 2.
    Raises ValueError if `ranks` has fewer than two rows or columns, or missing values.

    Notes
    -----
    With Friedman's statistic S, corrected for ties, it is
    :math:`(B-1) S / (B (K-1) - S)`, which is the F statistic of the block model
    fitted to the ranks. Its p-value by the law of F is an approximation, which is
    too small where few blocks nearly agree. It is raised to the least that is
    possible, the probability that equal candidates have blocks that agree as far
    as ties let them: :math:`K!^{-(B-1)}` without ties, 1/6 for two blocks of
    three. Where all blocks have the same ranks the statistic is infinite, and this
    is the exact p-value; for few blocks that do not, `permuted_equality` has it.

    References
    ----------
    .. [1] R. L. Iman and J. M. Davenport (1980), "Approximations of the critical
       region of the Friedman statistic", Communications in Statistics A9.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> test = iman_davenport(ranks)
    >>> round(test.statistic, 4), test.df1, test.df2, round(test.p_value, 4)
    (3.5, 2, 4, 0.1322)
    """
    n_blocks, n_candidates = _check(ranks).shape
    if n_blocks < 2:
        raise ValueError("the F test of ranks needs two blocks, got 1")
    df1, df2 = n_candidates - 1, (n_blocks - 1) * (n_candidates - 1)
    deviations = ranks.sum(axis=0) - n_blocks * (n_candidates + 1) / 2
    between = float(deviations @ deviations)
    residual = n_blocks * _sum_of_squares(ranks) - between  # quarters of integers: exact
    if between == 0:
        return ImanDavenportTest(0.0, df1, df2, 1.0, 0.0)
    statistic = (n_blocks - 1) * between / residual if residual > 0 else inf
    log_p = max(log_f_survival(statistic, df1, df2), _log_agreement(ranks))
    return ImanDavenportTest(
        statistic, df1, df2, probability(log_p), log_p / log(10), isinf(statistic)
    )


def _log_agreement(ranks: Array) -> float:
    """Return the log probability that blocks of equal candidates agree as far as ties let them."""
    is_above = np.diff(np.sort(ranks, axis=1), axis=1) > 0  # the rank before it, in each block
    together = np.atleast_2d(is_above.any(axis=0))
    return min(0.0, _log_orders(together) - _log_orders(is_above))


def _log_orders(is_above: NDArray[np.bool_]) -> float:
    """Return the log number of different orders of all blocks whose ties are given."""
    place = np.arange(1, is_above.shape[1] + 1)
    n_tied = place - np.maximum.accumulate(np.where(is_above, place, 0), axis=1)  # before it
    return float(np.log((place + 1) / (n_tied + 1)).sum())


def compare_rank_sums(ranks: Array) -> RankSumPairs:
    r"""Compare all pairs of rank sums (Wilcoxon, Nemenyi, McDonald, Thompson).

    Controls the family-wise error under the global hypothesis only (all
    candidates alike); the p-value of a pair depends on which other candidates
    are ranked with it [2]_.

    `ranks`: (B, K); ranks 1 to K within each row, ties averaged.
    Result: with asymptotic p-values.
    Raises ValueError if `ranks` has no row, fewer than two columns, or missing values.

    Notes
    -----
    :math:`Var(R_k - R_l) = 2K/(K-1) \sum_b \sigma_b^2` with
    :math:`\sigma_b^2` the variance (divisor K) of the ranks of block b, and
    :math:`\sqrt 2 |R_k - R_l| / \sqrt{Var}` is compared with the range of K
    standard normals.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, section 7.3.
    .. [2] A. Benavoli, G. Corani and F. Mangili (2016), "Should we really use
       post-hoc tests based on mean-ranks?", JMLR 17.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> pairs = compare_rank_sums(ranks)
    >>> pairs.differences
    array([-3. , -4.5, -1.5])
    >>> pairs.p_values.round(4)
    array([0.4069, 0.1333, 0.7982])
    """
    n_candidates = _check(ranks).shape[1]
    first, second = np.array(list(combinations(range(n_candidates), 2)), dtype=np.intp).T
    sums = ranks.sum(axis=0)
    differences = sums[first] - sums[second]
    variance = 2 * _sum_of_squares(ranks) / (n_candidates - 1)
    if variance == 0:
        p_values = np.ones(len(differences))
    else:
        p_values = survival(np.abs(differences) * sqrt(2 / variance), n_candidates)
    return RankSumPairs(first, second, differences, p_values, variance)


def _check(ranks: Array) -> Array:
    """Return the ranks; raise an error where they are invalid."""
    if check_blocks(ranks).shape[0] < 1 or ranks.shape[1] < 2:
        raise ValueError(f"rank tests need a block and two candidates, got {ranks.shape}")
    return ranks


def _sum_of_squares(ranks: Array) -> float:
    """Return the sum of squares of the ranks about their block means."""
    return float(((ranks - (ranks.shape[1] + 1) / 2) ** 2).sum())


@dataclass(frozen=True, slots=True)
class SkillingsMackTest(FriedmanTest):
    """Test that all candidates rank alike in the blocks in which they have a value.

    Attributes
    ----------
    statistic, df, p_value, log10_p_value, target
        As of `FriedmanTest`.
    n_blocks, n_dropped : int
        Blocks that are used, and those with fewer than two values or none but
        tied ones, which carry no information.
    """

    n_blocks: int = 0
    n_dropped: int = 0


def skillings_mack(ranks: Array) -> SkillingsMackTest | None:
    r"""Test equality of all candidates by the ranks of the values that exist.

    `ranks`: (B, K); ranks 1 to :math:`n_b` among the :math:`n_b` values of row b, ties averaged,
    NaN where there is no value. K >= 2, and every candidate has a value.
    Result: None when the design is not connected: there are candidates that no block with
    information links, not even through others.
    Raises ValueError if `ranks` has fewer than two columns, or a column without a value.

    Notes
    -----
    With :math:`w_b = \sqrt{12 / (n_b + 1)}` the adjusted sums are
    :math:`A_k = \sum_b w_b (r_{bk} - (n_b + 1) / 2)`, in which a missing cell
    counts 0. Their covariance, when all orders of a block's ranks are equally
    likely, is :math:`V = \sum_b w_b^2 \sigma_b^2 \frac{n_b}{n_b - 1}
    (I - J / n_b)` on the cells that are there, :math:`\sigma_b^2` the variance
    (divisor :math:`n_b`) of the ranks with their ties; the paper has the case
    without ties, in which the test is too conservative when there are many [1]_.
    The statistic is the quadratic form of all but one sum in the inverse of
    their covariance. Without gaps it is Friedman's, corrected for ties.

    It asks whether candidates differ where they have values, and is valid only
    if missing has nothing to do with performance.

    References
    ----------
    .. [1] J. H. Skillings and G. A. Mack (1981), "On the use of a Friedman-type
       statistic in balanced and unbalanced block designs", Technometrics 23.

    Examples
    --------
    >>> nan = np.nan
    >>> ranks = np.array([[1, 2, 3], [1, nan, 2], [nan, 1, 2], [1.5, 1.5, 3]])
    >>> test = skillings_mack(ranks)
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4), test.n_dropped
    (5.6684, 2, 0.0588, 0)
    """
    observed = _present_cells(ranks)
    sizes = observed.sum(axis=1)
    deviations = np.where(observed, ranks - (sizes[:, None] + 1) / 2, 0.0)
    squares = (deviations**2).sum(axis=1)
    speaks = (sizes >= 2) & (squares > 0)
    n_dropped = int((~speaks).sum())
    df = ranks.shape[1] - 1
    if not speaks.any():
        is_linked = not connected_candidates(observed).any()
        return SkillingsMackTest(0.0, df, 1.0, 0.0, n_dropped=n_dropped) if is_linked else None
    if connected_candidates(observed[speaks]).any():
        return None
    there, n = observed[speaks].astype(np.float64), sizes[speaks]
    weights = np.sqrt(12 / (n + 1))
    sums = weights @ deviations[speaks]
    covariance = _covariance(there, weights**2 * squares[speaks] / (n - 1), n)
    statistic = float(sums[1:] @ np.linalg.solve(covariance[1:, 1:], sums[1:]))
    log_p = log_chi2_survival(statistic, df)
    return SkillingsMackTest(
        statistic,
        df,
        probability(log_p),
        log_p / log(10),
        n_blocks=len(there),
        n_dropped=n_dropped,
    )


def _present_cells(ranks: Array) -> NDArray[np.bool_]:
    """Return which cells have a rank; raise an error where they are invalid."""
    if ranks.ndim != 2 or ranks.shape[1] < 2:
        raise ValueError(f"rank tests need two candidates, got shape {ranks.shape}")
    observed = np.isfinite(ranks)
    if not observed.any(axis=0).all():
        raise ValueError("a candidate has no value")
    return observed


def _covariance(there: Array, factors: Array, sizes: Array) -> Array:
    """Sum the covariances of the blocks, each `factor` (I - J / n) on its cells."""
    covariance: Array = np.diag(factors @ there) - (there.T * (factors / sizes)) @ there
    return covariance


@dataclass(frozen=True, slots=True, repr=False)
class FriedmanResult(Tabular):
    """Friedman's test and its F form.

    Attributes
    ----------
    chi_squared : FriedmanTest
    iman_davenport : ImanDavenportTest or None
        None of a single replication.
    average_ranks : ndarray of shape (K,)
        1 is the best rank; ties are averaged.
    candidates : tuple of str
    n_blocks : int
    """

    chi_squared: FriedmanTest
    iman_davenport: ImanDavenportTest | None
    average_ranks: Array
    candidates: tuple[str, ...]
    n_blocks: int

    @property
    def statistic(self) -> float:
        """Of the chi-squared form, corrected for ties."""
        return self.chi_squared.statistic

    @property
    def df(self) -> int:
        """Degrees of freedom of the chi-squared form, K - 1."""
        return self.chi_squared.df

    @property
    def p_value(self) -> float:
        """By the chi-squared limit."""
        return self.chi_squared.p_value

    def to_columns(self) -> Columns:
        """Return the columns of both forms of the test.

        Returns
        -------
        dict
            `test` ("friedman" or "iman-davenport"), `statistic`, `df1`, `df2` (NaN for the
            chi-squared form), `p_value`, `log10_p_value`.
        """
        chi_squared, f = self.chi_squared, self.iman_davenport
        rows = [("friedman", chi_squared.statistic, chi_squared.df, np.nan)]
        p_values = [(chi_squared.p_value, chi_squared.log10_p_value)]
        if f is not None:
            rows.append(("iman-davenport", f.statistic, f.df1, f.df2))
            p_values.append((f.p_value, f.log10_p_value))
        names = ("test", "statistic", "df1", "df2", "p_value", "log10_p_value")
        cells = (row + own for row, own in zip(rows, p_values, strict=True))
        return dict(zip(names, zip(*cells, strict=True), strict=True))

    def _heading(self) -> str:
        return f"{len(self.candidates)} candidates, {self.n_blocks} replications"


def friedman(
    values: ArrayLike, names: Names = None, *, better: Better = "smaller"
) -> FriedmanResult:
    """Test that all candidates have the same distribution of ranks.

    Parameters
    ----------
    values : array-like of shape (B, K)
        Performances, a row a replication (or a data set), a column a candidate;
        without missing values. The unit is of no importance.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.

    Returns
    -------
    FriedmanResult
        Friedman's chi-squared form, corrected for ties, and the F form of Iman
        and Davenport.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least one row and two columns of finite
        numbers, or another argument is not what is allowed.

    See Also
    --------
    reportgen.stats.nemenyi : Which candidates differ.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, section 7.1.
    .. [2] R. L. Iman and J. M. Davenport (1980), "Approximations of the critical
       region of the Friedman statistic", Communications in Statistics A9.

    Examples
    --------
    >>> from reportgen import stats
    >>> stats.friedman([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.2, 0.2, 0.4]], ["a", "b", "c"])
    FriedmanResult: 3 candidates, 3 replications
    test            statistic  df1  df2  p_value  log10_p_value
    friedman            3.818    2  nan   0.1482        -0.8291
    iman-davenport        3.5    2    4   0.1322        -0.8787
    """
    smaller = is_smaller_better(better)
    matrix, candidates = matrix_of(values, names, has_gaps=False)
    ranks = within_block_ranks(matrix, smaller)
    return FriedmanResult(
        chi_squared=friedman_test(ranks),
        iman_davenport=iman_davenport(ranks) if len(ranks) > 1 else None,
        average_ranks=ranks.mean(axis=0),
        candidates=candidates,
        n_blocks=len(ranks),
    )
