r"""Two to five data sets, each of which has an error of its own: new data of these sources.

So few data sets are no sample of a domain. What can be concluded on is their own mean, each data
set with the same weight, over new data of the same sources: with a difference :math:`d_m` and its
squared error :math:`V_m` on :math:`\nu_m` degrees of freedom for each of M data sets,

.. math:: D = \frac1M \sum_m d_m, \qquad V = \frac1{M^2} \sum_m V_m, \qquad
          \nu = \frac{V^2}{\sum_m (V_m / M^2)^2 / \nu_m}.

Beside the mean, partial conjunction says on how many of the data sets one candidate is better.

References
----------
.. [1] F. E. Satterthwaite (1946), "An approximate distribution of estimates of variance
   components", Biometrics Bulletin 2.
.. [2] Y. Benjamini and R. Heller (2008), "Screening for partial conjunction hypotheses",
   Biometrics 64, section 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.adverse_differences import AdverseDifferences
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.pair_table import PairTable

MOST_SOURCES = 5
"""Data sets up to which they are taken as they are, not as a sample."""
FEWEST_SOURCES = 2  # of a pair that is decided on


@dataclass(frozen=True, slots=True)
class SourceErrors:
    """Differences first - second of P pairs on M data sets, with their errors."""

    # difference, variance, df: (M, P); mean difference, its squared standard error and degrees of
    # freedom for new data of the source; NaN where the data set lacks one of the two, or has
    # nothing to judge by
    difference: Array
    variance: Array
    df: Array
    # where gaps inside data sets count against who has them
    within: AdverseDifferences | None = None

    @property
    def known(self) -> NDArray[np.bool_]:
        """Shape (M, P): which differences have an error."""
        finite = np.isfinite(self.difference) & np.isfinite(self.df) & (self.df > 0)
        with np.errstate(invalid="ignore"):
            return np.asarray(finite & np.isfinite(self.variance) & (self.variance > 0))

    def of_pairs(self, places: NDArray[np.intp]) -> SourceErrors:
        """Return those of some of the pairs."""
        return SourceErrors(
            self.difference[:, places],
            self.variance[:, places],
            self.df[:, places],
            self.within and self.within.of_pairs(places),
        )


def compare_sources(
    errors: SourceErrors,
    pairs: NDArray[np.intp],
    alpha: float,
    n_comparisons: int | None = None,
) -> PairTable:
    r"""Compare all pairs by their mean difference over a few data sets.

    Parameters
    ----------
    errors : SourceErrors
        Of M data sets.
    pairs : ndarray of shape (P, 2), int
        Columns of the two candidates.
    alpha : float
        Error probability of the family, 0 < alpha < 1, by Bonferroni.
    n_comparisons : int, optional
        Pairs of a larger family.

    Returns
    -------
    PairTable
        Method "sources": `estimate` D, `standard_error` the root of V, `df` by Satterthwaite. A
        pair that a data set tells nothing about, though it has both, or that shares fewer than
        two data sets, is open and has no interval. `extra` has

        n : data sets that have both
        n_shown : the largest u of which it is shown that the one ahead is better on at least u of
            the data sets, 0 where that is none
        n_reversed : data sets on which, each for itself, the one that is behind is shown to be
            better

    Raises
    ------
    ValueError
        If alpha is not inside (0, 1), or the shapes differ.

    Notes
    -----
    For u the one-sided p-values of the data sets toward the side of D, ascending, give
    :math:`p_{u/M} = \max_{v \le u} (M - v + 1) p_{(v)}`, which is compared with
    :math:`\alpha / 2m`, m the pairs. A data set decides by itself at
    :math:`\alpha / 2 m M` on either side.

    Examples
    --------
    >>> errors = SourceErrors(np.array([[3.0], [2.8]]), np.ones((2, 1)), np.full((2, 1), 99.0))
    >>> table = compare_sources(errors, np.array([[0, 1]]), 0.05)
    >>> table.estimate, table.standard_error.round(3), table.df, table.extra["n_shown"]
    (array([2.9]), array([0.707]), array([198.]), array([2]))
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: found {alpha}; allowed a number between 0 and 1")
    if errors.difference.shape[1] != len(pairs):
        found, allowed = errors.difference.shape[1], len(pairs)
        raise ValueError(f"differences: found {found} columns; allowed {allowed}, one a pair")
    has_both = np.isfinite(errors.difference)
    known, n = errors.known, has_both.sum(axis=0)
    is_open = (n < FEWEST_SOURCES) | (has_both & ~known).any(axis=0)
    m = n_comparisons or max(1, int((~is_open).sum()))
    difference, error, df = _mean_over_sources(errors, n)
    error, df = (np.where(is_open, np.nan, x) for x in (error, df))
    t = difference / error
    p_value = np.where(is_open, np.nan, two_sided_t(np.nan_to_num(t), np.nan_to_num(df, nan=1.0)))
    critical = t_quantile(alpha / (2 * m), df)
    side = np.where(difference < 0, -1.0, 1.0)
    alone = own_statistics(errors)
    toward = _upper_tail(side * alone, errors.df)
    own = t_quantile(alpha / (2 * m * np.maximum(n, 1)), np.where(known, errors.df, np.nan))
    with np.errstate(invalid="ignore"):
        is_reversed = -side * alone > own
    return PairTable.of(
        pairs,
        np.where(n > 0, difference, np.nan),
        "sources",
        alpha,
        standard_error=error,
        lower=difference - critical * error,
        upper=difference + critical * error,
        statistic=np.where(is_open, np.nan, t),
        df=df,
        p_value=p_value,
        adjusted_p_value=bonferroni(p_value, m),
        critical_value=np.where(is_open, np.nan, critical),
        is_open=is_open,
        extra={
            "n": n,
            "n_shown": np.where(is_open, 0, shown_sources(toward, alpha / (2 * m))),
            "n_reversed": np.where(is_open, 0, is_reversed.sum(axis=0)),
        },
    )


def own_statistics(errors: SourceErrors) -> Array:
    """Return the t statistics of the data sets, each for itself, shape (M, P)."""
    root = np.sqrt(np.where(errors.known, errors.variance, np.nan))
    return np.asarray(errors.difference / root)


def partial_conjunction(p_values: Array) -> Array:
    r"""Return the p-values of "on at least u of the data sets", for u = 1 to M.

    `p_values`: (M, P); one-sided, each of one data set; NaN where it lacks the pair.
    Result: (M, P); row u - 1 holds :math:`p_{u/M}`, which does not fall with u.

    Examples
    --------
    >>> partial_conjunction(np.array([[0.001], [0.2], [0.004]]))
    array([[0.003],
           [0.008],
           [0.2  ]])
    """
    ascending = np.sort(p_values, axis=0)  # NaN last
    n = np.isfinite(p_values).sum(axis=0)
    weights = np.maximum(n - np.arange(len(p_values))[:, None], 1)
    return np.asarray(np.minimum(1.0, np.maximum.accumulate(weights * ascending, axis=0)))


def shown_sources(p_values: Array, level: float) -> NDArray[np.int_]:
    """Return the largest u with `partial_conjunction` at most a level, shape (P,); else 0.

    Examples
    --------
    >>> shown_sources(np.array([[0.001], [0.2], [0.004]]), 0.025)
    array([2])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray((partial_conjunction(p_values) <= level).sum(axis=0))


def shown_on(errors: SourceErrors, estimate: Array, level: float) -> NDArray[np.int_]:
    """Return on how many data sets at least the one ahead is shown to be better, shape (P,).

    `errors`: a data set without an error of a pair shows nothing of it.
    `estimate`: (P,); whose sign says who is ahead.
    `level`: one-sided, of each pair.

    Examples
    --------
    >>> errors = SourceErrors(np.array([[3.0], [2.8], [0.1]]), np.ones((3, 1)), np.full((3, 1), 99))
    >>> shown_on(errors, np.array([2.0]), 0.025)
    array([2])
    """
    side = np.where(estimate < 0, -1.0, 1.0)
    there = np.isfinite(errors.difference)
    toward = np.where(there, 1.0, np.nan)  # nothing is shown without an error
    own = _upper_tail(side * own_statistics(errors), errors.df)
    return shown_sources(np.where(np.isfinite(own), own, toward), level)


def _mean_over_sources(errors: SourceErrors, n: NDArray[np.int_]) -> tuple[Array, Array, Array]:
    """Return D, the root of V, and its degrees of freedom."""
    known, count = errors.known, np.maximum(n, 1)
    parts = np.where(known, errors.variance, 0.0) / count**2
    total = parts.sum(axis=0)
    shares = parts / np.where(total > 0, total, 1.0)  # their squares are numbers of any unit
    spread = (shares**2 / np.where(known, errors.df, 1.0)).sum(axis=0)
    df = np.divide(1.0, spread, out=np.full_like(total, np.nan), where=spread > 0)
    present = np.where(np.isfinite(errors.difference), errors.difference, 0.0)
    return present.sum(axis=0) / count, np.sqrt(total), df


def _upper_tail(statistics: Array, df: Array) -> Array:
    """Return the probabilities of larger t; NaN without a statistic."""
    there = np.isfinite(statistics) & np.isfinite(df)
    both = two_sided_t(np.where(there, statistics, 0.0), np.where(there, df, 1.0))
    upper = np.where(statistics > 0, both / 2, 1 - both / 2)
    return np.asarray(np.where(there, upper, np.nan))


def adverse_sources(
    errors: SourceErrors,
    pairs: NDArray[np.intp],
    there: NDArray[np.bool_],
    is_smaller_better: bool,
    missing_by_design: NDArray[np.bool_] | None = None,
) -> AdverseDifferences | None:
    """Set what a data set that one of two lacks hides to the largest difference seen, against it.

    `pairs`: (P, 2).
    `there`: (M, K); which candidates have a value on which data set.
    `missing_by_design`: (M, K); cells without a value by design, which count against nobody.
    Result: None where no gap counts. Such a data set has the largest variance seen, too.
    """
    is_gap = ~there if missing_by_design is None else ~there & ~missing_by_design
    hidden = [is_gap[:, own] & there[:, other] for own, other in (pairs.T, pairs.T[::-1])]
    within = errors.within
    if within is not None and within.hidden is not None:
        hidden = [gaps | own for gaps, own in zip(hidden, within.hidden, strict=True)]
    if within is None and not any(one.any() for one in hidden):
        return None
    present = np.isfinite(errors.difference)
    difference = np.where(present, errors.difference, 0.0)
    variance = np.where(errors.known, errors.variance, 0.0)
    worst = np.abs(difference).max(axis=0, initial=0.0) * (1.0 if is_smaller_better else -1.0)
    widest = variance.max(axis=0, initial=0.0)
    seen, spread = np.stack([difference] * 2), np.stack([variance] * 2)
    if within is not None:
        seen = np.where(present, within.or_else(difference), 0.0)
        spread = np.where(np.isfinite(within.error), within.error**2, variance)
    means, squares = [], []
    for own, own_spread, gaps, side in zip(seen, spread, hidden, (1.0, -1.0), strict=True):
        n, n_hidden = np.maximum((present | gaps).sum(axis=0), 1), gaps.sum(axis=0)
        means.append((own.sum(axis=0) + side * n_hidden * worst) / n)
        squares.append((own_spread.sum(axis=0) + n_hidden * widest) / n**2)
    return AdverseDifferences(np.array(means), np.sqrt(np.array(squares)), is_smaller_better)
