"""Nemenyi's critical difference of average ranks."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    check_level,
    is_smaller_better,
    matrix_of,
)
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.studentized_range import quantile, survival
from reportgen.stats.frame import Columns, Tabular
from reportgen.stats.multiplicity.cliques import Clique, maximal_cliques
from reportgen.stats.permutation.block_sums import column_pairs
from reportgen.stats.ranking import check_blocks, within_block_ranks


@dataclass(frozen=True, slots=True, repr=False)
class Nemenyi(Tabular):
    r"""Comparison of all pairs of average ranks.

    Attributes
    ----------
    average_ranks : ndarray of shape (K,)
    critical_value : float
        :math:`q_{1-\alpha}(K, \infty) / \sqrt 2`.
    critical_difference : float
        Average ranks that differ by no more are not distinguished.
    first, second : ndarray of shape (P,), int
        Columns of the pairs in lexical order, first < second.
    differences : ndarray of shape (P,)
        Of average ranks, first - second.
    p_values : ndarray of shape (P,)
        Single step: below alpha exactly when the critical difference is exceeded.
    cliques : tuple of tuples of int
        Groups not distinguished, best first: the bars of a critical difference
        diagram.
    candidates : tuple of str
        Empty as long as they have no names.
    """

    average_ranks: Array
    critical_value: float
    critical_difference: float
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    differences: Array
    p_values: Array
    cliques: tuple[Clique, ...]
    candidates: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates; their places as long as they have no names."""
        return self.candidates or tuple(map(str, range(len(self.average_ranks))))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The cliques by name."""
        return tuple(tuple(self.names[k] for k in clique) for clique in self.cliques)

    def to_columns(self) -> Columns:
        """Return the columns of all pairs.

        Returns
        -------
        dict
            `first`, `second` (names), `difference` of their average ranks, first - second,
            `p_value` (single step), `significant`: whether the critical difference is exceeded.
        """
        names = np.array(self.names, dtype=object)
        return {
            "first": names[self.first],
            "second": names[self.second],
            "difference": self.differences,
            "p_value": self.p_values,
            "significant": np.abs(self.differences) > self.critical_difference,
        }

    def _heading(self) -> str:
        ranks = zip(self.names, self.average_ranks.tolist(), strict=True)
        averages = ", ".join(f"{name} {rank:.3g}" for name, rank in ranks)
        return f"critical difference {self.critical_difference:.4g}; average ranks {averages}"


def compare_mean_ranks(ranks: Array, alpha: float = 0.05) -> Nemenyi:
    r"""Compare all pairs of candidates by their average ranks over data sets.

    Controls the family-wise error under the global hypothesis only, and the
    verdict on a pair depends on which other candidates are ranked with it [2]_.

    `ranks`: (M, K); ranks 1 to K within each data set, ties averaged.
    `alpha`: 0 < alpha < 1.
    Raises ValueError if `ranks` has no row, fewer than two columns, or missing values, or alpha is
    not inside (0, 1).

    Notes
    -----
    The critical difference is :math:`q_\alpha \sqrt{K(K+1)/(6M)}`. It leaves
    ties out of account, and is too large with them;
    `reportgen.stats.ranks.friedman.compare_rank_sums` has the variance given the ties.

    References
    ----------
    .. [1] J. Demšar (2006), "Statistical comparisons of classifiers over
       multiple data sets", JMLR 7, section 3.2.2.
    .. [2] A. Benavoli, G. Corani and F. Mangili (2016), "Should we really use
       post-hoc tests based on mean-ranks?", JMLR 17.

    Examples
    --------
    >>> found = compare_mean_ranks(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))
    >>> round(found.critical_value, 3), round(found.critical_difference, 3)
    (2.344, 1.914)
    >>> found.cliques
    ((0, 1), (1, 2))
    """
    n_datasets, n_candidates = check_blocks(ranks).shape
    if n_datasets < 1 or n_candidates < 2:
        raise ValueError(f"ranks need a data set and two candidates, got {ranks.shape}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    averages = ranks.mean(axis=0)
    first, second = column_pairs(n_candidates)
    differences = averages[first] - averages[second]
    error = sqrt(n_candidates * (n_candidates + 1) / (6 * n_datasets))
    critical_value = quantile(alpha, n_candidates) / sqrt(2)
    is_alike = np.abs(averages[:, None] - averages) <= critical_value * error
    order = [int(k) for k in np.argsort(averages, kind="stable")]
    return Nemenyi(
        average_ranks=averages,
        critical_value=critical_value,
        critical_difference=critical_value * error,
        first=first,
        second=second,
        differences=differences,
        p_values=survival(np.abs(differences) * sqrt(2) / error, n_candidates),
        cliques=tuple(maximal_cliques(is_alike, order)),
    )


def nemenyi(
    values: ArrayLike, names: Names = None, *, better: Better = "smaller", alpha: float = 0.05
) -> Nemenyi:
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
    found = compare_mean_ranks(within_block_ranks(matrix, smaller), alpha)
    return replace(found, candidates=candidates)
