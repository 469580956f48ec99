"""Rank tests of all candidates: Friedman's, Nemenyi's, and the Bayesian signed rank test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better
from reportgen.stats.frame import Columns, Tabular
from reportgen.stats.interface.arguments import (
    SEED,
    Area,
    Names,
    area_of,
    check_count,
    check_level,
    check_not_negative,
    generator_of,
    is_smaller_better,
    matrix_of,
    refuse,
)
from reportgen.stats.ranks import bayesian_signed_rank as bayesian
from reportgen.stats.ranks import friedman as tests
from reportgen.stats.ranks import nemenyi as average
from reportgen.stats.ranks.ranks import within_block_ranks

Array = NDArray[np.float64]


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

    chi_squared: tests.FriedmanTest
    iman_davenport: tests.ImanDavenportTest | None
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
        chi_squared=tests.friedman(ranks),
        iman_davenport=tests.iman_davenport(ranks) if len(ranks) > 1 else None,
        average_ranks=ranks.mean(axis=0),
        candidates=candidates,
        n_blocks=len(ranks),
    )


def nemenyi(
    values: ArrayLike, names: Names = None, *, better: Better = "smaller", alpha: float = 0.05
) -> average.Nemenyi:
    r"""Compare all pairs of candidates by their average ranks.

    Parameters
    ----------
    values : array-like of shape (M, K)
        One value a data set and candidate, without missing values. The unit is of
        no importance.
    names, better
        As of `friedman`.
    alpha : float, default 0.05
        Family-wise error probability under the hypothesis that all are alike.

    Returns
    -------
    Nemenyi
        With the critical difference :math:`q_\alpha \sqrt{K (K + 1) / (6 M)}`,
        p-values of all pairs, and the groups of a critical difference diagram.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least one row and two columns of finite
        numbers, or another argument is not what is allowed.

    Notes
    -----
    The verdict on a pair depends on which other candidates are ranked with it;
    `reportgen.stats.signed_rank` compares each pair alone.

    References
    ----------
    .. [1] J. Demšar (2006), "Statistical comparisons of classifiers over
       multiple data sets", JMLR 7, section 3.2.2.

    Examples
    --------
    >>> from reportgen import stats
    >>> means = [[0.10, 0.12, 0.30], [0.20, 0.21, 0.25], [0.15, 0.30, 0.31], [0.1, 0.2, 0.4]]
    >>> found = stats.nemenyi(means, ["lda", "svm", "nnet"])
    >>> found
    Nemenyi: critical difference 1.657; average ranks lda 1, svm 2, nnet 3
    first  second  difference  p_value  significant
    lda    svm             -1   0.3335        False
    lda    nnet            -2  0.01299         True
    svm    nnet            -1   0.3335        False
    >>> found.groups
    (('lda', 'svm'), ('svm', 'nnet'))
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    matrix, candidates = matrix_of(values, names, has_gaps=False, rows="data set")
    found = average.nemenyi(within_block_ranks(matrix, smaller), alpha)
    return replace(found, candidates=candidates)


def bayesian_signed_rank(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    relevance: Area | float | None = None,
    prior_weight: float = bayesian.PRIOR_WEIGHT,
    n_draws: int = bayesian.N_DRAWS,
    rng: Generator | int = SEED,
) -> bayesian.SignedRankPosterior:
    r"""Compare all pairs over data sets by the Bayesian signed rank test.

    Parameters
    ----------
    values : array-like of shape (M, K)
        One value a data set and candidate, without missing values.
    names, better
        As of `friedman`.
    relevance : tuple of two floats, or float, optional
        Region of practical equivalence (-d, d), or d, in the unit of the values; left
        out: differences of 0 alone.
    prior_weight : float, default 0.5
        Weight of the pseudo-observation, a difference of 0; above 0.
    n_draws : int, default 20000
        From the posterior.
    rng : Generator or int
        Random numbers, or the seed of theirs.

    Returns
    -------
    SignedRankPosterior

    Raises
    ------
    ValueError
        If `values` is no matrix of at least one row and two columns of finite
        numbers, or another argument is not what is allowed.

    Notes
    -----
    A posteriori the differences :math:`z_0 = 0, z_1, \dots, z_M` have weights
    :math:`w \sim Dir(s, 1, \dots, 1)`, and the sides of the area the probabilities
    :math:`\sum_{ij} w_i w_j [z_i + z_j < -2d]` and so on.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, F. Mangili, M. Zaffalon and F. Ruggeri (2014),
       "A Bayesian Wilcoxon signed-rank test based on the Dirichlet process",
       ICML.
    .. [2] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017), "Time for a
       change: a tutorial for comparing multiple classifiers through Bayesian
       analysis", JMLR 18, section 4.2.

    Examples
    --------
    >>> from reportgen import stats
    >>> means = [[0.10, 0.20], [0.15, 0.22], [0.30, 0.31], [0.05, 0.12]]
    >>> found = stats.bayesian_signed_rank(means, ["lda", "svm"], relevance=(-0.02, 0.02), rng=1)
    >>> found.to_frame()[["better", "equivalent", "worse"]].round(2).values.tolist()
    [[0.95, 0.05, 0.0]]
    """
    smaller = is_smaller_better(better)
    area = area_of(relevance) or (0.0, 0.0)
    check_not_negative("prior_weight", prior_weight)
    if not prior_weight:
        raise refuse("prior_weight", repr(prior_weight), "a number above 0")
    check_count("n_draws", n_draws)
    matrix, candidates = matrix_of(values, names, has_gaps=False, rows="data set")
    found = bayesian.bayesian_signed_rank(
        matrix, generator_of(rng), area, float(prior_weight), int(n_draws)
    )
    return replace(found, candidates=candidates, is_smaller_better=smaller)
