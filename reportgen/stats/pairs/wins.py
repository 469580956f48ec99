"""Comparisons of pairs by who is ahead more often, for units that have no scale in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from reportgen.stats.adverse_differences import AdverseDifferences
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.proportions import score_interval, score_test
from reportgen.stats.shared_means import SharedMeans, pair_columns

FEWEST_DISCORDANT = 10  # units in which one of the two is ahead, of a pair that is decided on


def compare_wins(
    values: Array,
    alpha: float,
    is_smaller_better: bool,
    *,
    n_comparisons: int | None = None,
    missing_by_design: NDArray[np.bool_] | None = None,
    within: AdverseDifferences | None = None,
    shared: SharedMeans | None = None,
) -> PairTable:
    r"""Compare all pairs of columns by the share of units in which each is the larger one.

    `values`: (n, K); one row a unit (a data set), NaN where there is no value; K >= 2. A pair uses
    the units that have both.
    `alpha`: error probability of the family, 0 < alpha < 1, by Bonferroni.
    `n_comparisons`: pairs of a larger family.
    `missing_by_design`: (n, K); cells without a value by design, which count against nobody.
    `within`: where values are means: of each unit's own (`adverse_within`).
    `shared`: where values are means: of what both of a pair have in a unit, which is compared.
    Result: method "wins", scale "wins": `estimate` is the mean of :math:`d_u`, which is 1 where the
    value of the first is larger, -1 where that of the second is, 0 where they are equal; `lower`
    and `upper` are Tango's score interval. A pair with fewer than `FEWEST_DISCORDANT` units that
    are not equal is open and has no interval. `extra` has `n` (units that have both), and with gaps
    `adverse_first` and `adverse_second`, the limits where each gap counts as a loss.
    Raises ValueError if `values` is not such a matrix, or alpha is not inside (0, 1).

    References
    ----------
    .. [1] T. Tango (1998), "Equivalence test and confidence interval for the difference in
       proportions for the paired-sample design", Statistics in Medicine 17.

    Examples
    --------
    >>> values = np.column_stack([np.arange(12.0), np.arange(12.0) + 1])
    >>> table = compare_wins(values, 0.05, True)
    >>> table.estimate, table.lower.round(3), table.upper.round(3)
    (array([-1.]), array([-1.]), array([-0.515]))
    """
    check_pairs(values, alpha)
    pairs = all_pairs(values.shape[1])
    first, second = pair_columns(values, pairs, shared)
    there = np.isfinite(first) & np.isfinite(second)
    with np.errstate(invalid="ignore"):
        above, below = (
            ((first > second) & there).sum(axis=0),
            ((first < second) & there).sum(axis=0),
        )
    n = there.sum(axis=0)
    is_open = above + below < FEWEST_DISCORDANT
    m = n_comparisons or max(1, int((~is_open).sum()))
    statistic, p_value = score_test(above, below)
    lower, upper = score_interval(above, below, n, alpha / m)
    statistic, p_value, lower, upper = (
        np.where(is_open, np.nan, x) for x in (statistic, p_value, lower, upper)
    )
    return PairTable.of(
        pairs,
        np.where(n > 0, (above - below) / np.maximum(n, 1), np.nan),
        "wins",
        alpha,
        lower=lower,
        upper=upper,
        statistic=statistic,
        p_value=p_value,
        adjusted_p_value=bonferroni(p_value, m),
        critical_value=np.where(is_open, np.nan, -ndtri(alpha / (2 * m))),
        is_open=is_open,
        is_smaller_better=is_smaller_better,
        scale="wins",
        extra={"n": n}
        | _adverse(values, pairs, is_smaller_better, missing_by_design, within, shared, alpha / m),
    )


def _adverse(
    values: Array,
    pairs: NDArray[np.intp],
    is_smaller_better: bool,
    missing_by_design: NDArray[np.bool_] | None,
    within: AdverseDifferences | None,
    shared: SharedMeans | None,
    level: float,
) -> dict[str, Array]:
    """Return the limits where each gap of the first, of the second, counts as a loss."""
    there = np.isfinite(values)
    is_gap = ~there if missing_by_design is None else ~there & ~missing_by_design
    if within is None and not (is_gap & there.any(axis=1, keepdims=True)).any():
        return {}
    first, second = pair_columns(values, pairs, shared)
    both = np.isfinite(first) & np.isfinite(second)
    differences = np.where(both, first, 0.0) - np.where(both, second, 0.0)
    seen = [differences] * 2 if within is None else within.or_else(differences)
    found = {}
    for name, own, other in (("first", 0, 1), ("second", 1, 0)):
        hidden = is_gap[:, pairs[:, own]] & there[:, pairs[:, other]]
        if within is not None and within.hidden is not None:
            hidden = hidden | within.hidden[own]
        behind = 1.0 if (own == 0) == is_smaller_better else -1.0  # of first - second
        signs = np.where(hidden, behind, np.where(both, np.sign(seen[own]), 0.0))
        n = (both | hidden).sum(axis=0)
        lower, upper = score_interval((signs > 0).sum(axis=0), (signs < 0).sum(axis=0), n, level)
        found[f"adverse_{name}"] = upper if behind > 0 else lower
    return found
