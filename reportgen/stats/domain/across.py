"""Demšar's comparison of candidates over data sets, one value a data set and candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.cliques import Clique, maximal_cliques
from reportgen.stats.pairs.paired_tests import PairTests, signed_rank_pairs
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import (
    FriedmanTest,
    ImanDavenportTest,
    friedman_test,
    iman_davenport,
)
from reportgen.stats.ranks.nemenyi import Nemenyi, compare_mean_ranks

MOST_GROUPS = 1_000  # of candidates that no test parts: hundreds of candidates may have millions


@dataclass(frozen=True, slots=True)
class AcrossDatasets:
    """The comparisons by ranks over a domain when every data set counts once."""

    n_datasets: int
    alpha: float
    ranks: Array  # (M, K); within data sets, 1 for the best, ties averaged
    order: tuple[int, ...]  # candidates by their average rank, best first
    # friedman, iman_davenport: tests that all candidates are alike
    friedman: FriedmanTest
    iman_davenport: ImanDavenportTest
    # average ranks, critical difference and its groups. Its verdict on a pair depends on the other
    # candidates.
    nemenyi: Nemenyi
    signed_ranks: PairTests  # Wilcoxon's test of every pair by itself, adjusted step down
    # groups in which no adjusted signed rank test rejects, best first. One may leave out a
    # candidate between its members: see `reportgen.stats.multiplicity.cliques.skipped`. None where
    # there are more than `MOST_GROUPS`.
    cliques: tuple[Clique, ...] | None
    # the smallest adjusted p-value that the signed rank tests can give with so many data sets.
    # Above alpha they cannot reject whatever the data.
    least_p_value: float


def compare_over_datasets(
    means: Array,
    alpha: float = 0.05,
    is_smaller_better: bool = True,
    incomplete: Array | None = None,
) -> AcrossDatasets:
    """Compare candidates over data sets by ranks.

    `means`: (M, K); one value a data set and candidate, for example the mean over its replications;
    complete, M, K >= 2.
    `alpha`: family-wise error probability, 0 < alpha < 1.
    `is_smaller_better`: direction of the measure.
    `incomplete`: (N, K); further data sets, NaN where they lack a candidate. Signed ranks use those
    that have both candidates of a pair.
    Raises ValueError if `means` is not such a matrix, or an option is out of its range.

    Notes
    -----
    The M data sets are taken as a sample of a domain; that replications within
    them share observations does not matter, their number hardly.

    References
    ----------
    .. [1] J. Demšar (2006), "Statistical comparisons of classifiers over
       multiple data sets", JMLR 7.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means = rng.normal(size=(12, 3)) + [0, 0, 4]
    >>> found = compare_over_datasets(means)
    >>> found.order[-1], found.cliques
    (2, ((0, 1),))
    """
    ranks = within_block_ranks(means, is_smaller_better)
    by_rank = compare_mean_ranks(ranks, alpha)
    every = means if incomplete is None else np.vstack([means, incomplete])
    pairs = signed_rank_pairs(every)
    order = [int(k) for k in np.argsort(by_rank.average_ranks, kind="stable")]
    is_alike = _not_rejected(pairs, alpha, means.shape[1])
    cliques = maximal_cliques(is_alike, order, MOST_GROUPS)
    return AcrossDatasets(
        n_datasets=len(means),
        alpha=alpha,
        ranks=ranks,
        order=tuple(order),
        friedman=friedman_test(ranks),
        iman_davenport=iman_davenport(ranks),
        nemenyi=by_rank,
        signed_ranks=pairs,
        cliques=tuple(cliques) if len(cliques) <= MOST_GROUPS else None,
        least_p_value=float(bonferroni(2.0 ** (1 - float(pairs.n.max())), len(pairs.p_values))),
    )


def _not_rejected(pairs: PairTests, alpha: float, n_candidates: int) -> NDArray[np.bool_]:
    """Return which pairs are not distinguished, shape (K, K)."""
    is_alike = np.ones((n_candidates, n_candidates), dtype=np.bool_)
    is_alike[pairs.first, pairs.second] = pairs.adjusted > alpha
    is_alike[pairs.second, pairs.first] = pairs.adjusted > alpha
    return is_alike
