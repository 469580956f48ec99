r"""Worths of candidates from battles: all pairs, with simultaneous intervals.

A battle is one comparison of two candidates by a judge: one of them is preferred, or they are
tied. The model is Davidson's, fitted to the counts of outcomes of every pair (`bradley_terry`).
Battles of one judge, or on one prompt, belong together: the covariance of the log worths is the
sandwich

.. math:: H^{-1} \Big(\tfrac{G}{G - 1} \sum_g u_g u_g'\Big) H^{-1}

with the information H and the sums u of the scores of a cluster, one battle where nothing is known
of clusters. It holds, too, where the worths do not explain all pairs: what is estimated then are
the worths nearest to the preferences, pairs weighted as they met.

A cluster that weighs much pulls the worths towards itself, and its scores are too small. Of up to
`MOST_CLUSTERS` clusters, and of those that have more than one battle in so many, the scores are
corrected by the share of the information that is theirs (CR2 [1]_): with :math:`L = H^{1/2}` and
the information :math:`I_g` of a cluster

.. math:: L (1 - L^{-1} I_g L^{-1})^{-1/2} L^{-1} u_g

in place of :math:`\sqrt{G / (G - 1)}\, u_g`, in which the variance has no bias where battles are
independent. A contrast has Satterthwaite's degrees of freedom under this working model, at most
G - 1: few judges, or one who has judged most, know little of how judges vary. With fewer than
`JOINT_DF` of them the joint law of all pairs is not known, and Bonferroni's inequality holds them
together (docs/battles-size.md).

The order in which two are shown can matter. The model that has it adds :math:`\delta` to the log
worth of the first one shown.

References
----------
.. [1] J. E. Pustejovsky and E. Tipton (2018), "Small-sample methods for cluster-robust variance
   estimation and hypothesis testing in fixed effects models", Journal of Business and Economic
   Statistics 36.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import chdtrc

from reportgen.data_classes import dataclass
from reportgen.stats.arguments import area_of, check_level, generator_of
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.max_abs_t import MOST_SHIFTS, N_SHIFTS
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import (
    Differences,
    all_pairs,
    compare_differences,
    max_abs_t_pairs,
    pair_variances,
)
from reportgen.stats.pair_table import PairTable
from reportgen.stats.worths.bradley_terry import (
    BradleyTerry,
    fit_finite,
    goodness_of_fit,
)
from reportgen.stats.worths.comparisons import FIRST, SECOND, TIE
from reportgen.stats.worths.elo import POINTS

Codes = NDArray[np.integer]

FEWEST_BATTLES = 6  # of a candidate that is decided on
FEWEST_CLUSTERS = 6  # of a candidate: sums of fewer say too little of a variance
MOST_CLUSTERS = 100  # all of which are corrected; of more those that have a larger share
JOINT_DF = 50  # from which the joint law with estimated correlations holds
ALONE = 1e-6  # share of a variance that one cluster alone tells of, from which it counts
CHUNK = 4_000_000  # numbers in memory at a time
FEWEST_EXPECTED = 5.0  # battles of a pair, on average, for the chi-squared law of the fit
MOST_PAIRS = 500  # of more the law of the largest |t| has N_SHIFTS lattices: 16,384 directions
MOST_STEPS = 50
DETERMINED = 1e-10  # share of an information that the others have, from which they tell of it
CONVERGED = 1e-16  # Newton decrement of the model with an order effect


@dataclass(frozen=True, slots=True)
class Battles:
    """Comparisons of two candidates each."""

    # first, second: (n,); the two of a battle by their numbers, the one that was shown first first
    first: Codes
    second: Codes
    outcome: Codes  # (n,); 1 where the first is preferred, -1 the second, 0 a tie
    n_candidates: int
    # (n,); numbers of the clusters from 0; None where every battle is one of its own
    clusters: Codes | None = None

    @staticmethod
    def of_values(values: Array, clusters: Codes | None = None) -> Battles:
        """Read battles of which each has the values of two candidates, the larger one preferred.

        `values`: (n, K); NaN but for two in each row; other rows are left out.
        `clusters`: (n,).

        Examples
        --------
        >>> nan = np.nan
        >>> found = Battles.of_values(np.array([[1.0, 0.0, nan], [nan, 0.5, 0.5]]))
        >>> found.first.tolist(), found.second.tolist(), found.outcome.tolist()
        ([0, 1], [1, 2], [1, 0])
        """
        has_value = np.isfinite(values)
        is_battle = has_value.sum(axis=1) == 2
        rows, places = np.nonzero(has_value & is_battle[:, None])
        gains = values[rows, places].reshape(-1, 2)
        outcome = np.sign(gains[:, 0] - gains[:, 1]).astype(np.int8)
        if clusters is not None:
            clusters = np.unique(clusters[is_battle], return_inverse=True)[1]
        both = places.reshape(-1, 2)
        return Battles(both[:, 0], both[:, 1], outcome, values.shape[1], clusters)

    def shown_first(self, candidates: Codes) -> Battles:
        """Return the same battles with the candidate first that was shown first.

        `candidates`: (n,).
        """
        is_turned = candidates == self.second
        first, second = (
            np.where(is_turned, x, y)
            for x, y in ((self.second, self.first), (self.first, self.second))
        )
        outcome = np.where(is_turned, -self.outcome, self.outcome)
        return Battles(first, second, outcome, self.n_candidates, self.clusters)

    def earliest(self, n: int) -> Battles:
        """Return the first n battles; their clusters are numbered anew."""
        own = None if self.clusters is None else self.clusters[:n]
        own = None if own is None else np.unique(own, return_inverse=True)[1]
        kept = self.first[:n], self.second[:n], self.outcome[:n]
        return Battles(*kept, self.n_candidates, own)

    def __len__(self) -> int:
        """Return the number of battles."""
        return len(self.first)

    @property
    def n_clusters(self) -> int:
        """How many clusters there are; battles without one are clusters of their own."""
        return len(self) if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    @property
    def counts(self) -> Array:
        """Shape (P, 3): first preferred, tie, second preferred, of every pair in our order."""
        return self.wins_and_ties[2]

    @property
    def wins_and_ties(self) -> tuple[Array, Array, Array]:
        """Shapes (K, K), (K, K), (P, 3): wins of the row, ties, and the counts of pairs."""
        k = self.n_candidates
        by_kind = []
        for kind in (FIRST, TIE, SECOND):
            at = self.outcome == kind
            cells = self.first[at].astype(np.intp) * k + self.second[at]
            by_kind.append(np.bincount(cells, minlength=k * k).reshape(k, k).astype(np.float64))
        wins, ties = by_kind[0] + by_kind[2].T, by_kind[1] + by_kind[1].T
        i, j = np.triu_indices(k, 1)
        return wins, ties, np.column_stack([wins[i, j], ties[i, j], wins[j, i]])

    @property
    def of_each(self) -> Array:
        """Shape (K,): the battles of each candidate."""
        both = np.concatenate([self.first, self.second])
        return np.bincount(both, minlength=self.n_candidates).astype(np.float64)

    @property
    def clusters_of_each(self) -> NDArray[np.intp]:
        """Shape (K,): the clusters that have a battle of each candidate."""
        own = np.arange(len(self)) if self.clusters is None else self.clusters
        both = np.concatenate([self.first, self.second]).astype(np.intp)
        cells = np.unique(both * max(1, self.n_clusters) + np.tile(own, 2))
        return np.bincount(cells // max(1, self.n_clusters), minlength=self.n_candidates)


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """What it brings to be shown first.

    Attributes
    ----------
    estimate, standard_error : float
        Of the log worth.
    statistic, df, p_value : float
        Of the test that it brings nothing.
    preferred : float
        The share of the battles without a tie that the first one shown has won.
    """

    estimate: float
    standard_error: float
    statistic: float
    df: float
    p_value: float
    preferred: float


@dataclass(frozen=True, slots=True)
class Transitivity:
    """Whether worths explain who is preferred over whom.

    Attributes
    ----------
    statistic, p_value : float
        Pearson's, of the counts of all pairs; it takes battles for independent. NaN where there are
        too few battles of a pair, or the model is saturated.
    df : int
    n_circular, n_triples : int
        Triples of candidates of which each wins more often than it loses against the next, and all
        that have met.
    """

    statistic: float
    p_value: float
    df: int
    n_circular: int
    n_triples: int


@dataclass(frozen=True, slots=True)
class BattleModel:
    """Worths by battles."""

    model: BradleyTerry
    # Elo points of sum 0. Their degrees of freedom are the smallest of all pairs.
    estimates: ParameterEstimates
    # standard errors of all pairs by the sandwich over those by the information alone: their median
    ratio: float
    n_clusters: int  # 0 where every battle is one of its own
    own_df: Array  # (K,); degrees of freedom of the points of each candidate
    pair_df: Array  # (P,); of their differences

    @property
    def has_joint_law(self) -> bool:
        """Whether the law of the largest |t| holds the pairs together, or Bonferroni's does."""
        return not self.n_clusters or self.estimates.df >= JOINT_DF

    @property
    def points(self) -> Array:
        """Elo points of sum 0."""
        return self.estimates.coef

    def intervals(self, alpha: float) -> tuple[Array, Array]:
        """Return an interval of each candidate's points, each for itself."""
        errors = np.sqrt(np.maximum(np.diag(self.estimates.covariance), 0.0))
        half = t_quantile(alpha / 2, self.own_df) * errors
        return self.points - half, self.points + half


def fit_battles(battles: Battles) -> BattleModel:
    """Estimate the worths of candidates that battles link.

    Raises ValueError if the battles do not link all candidates, or there are fewer than two.

    Examples
    --------
    3 of 4 battles are 400 log10(3) = 190.8 points:

    >>> four = np.zeros(4, int), np.ones(4, int), np.array([1, 1, 1, -1])
    >>> fit_battles(Battles(*four, 2)).points.round(1)
    array([ 95.4, -95.4])
    """
    model = fit_finite(battles.counts)
    rows = rows_of(battles, has_order=False)
    theta = np.append(np.delete(model.log_worths, model.reference), model.log_nu)
    fitted = Fitted(rows, theta, has_ties=model.has_ties)
    k = battles.n_candidates
    found = sandwich(fitted, battles.clusters)
    covariance, alone = found.covariance, fitted.inverse
    # scores of outcomes that never failed have no spread, nor have those of a cluster alone
    if model.penalised or not found.is_complete:
        covariance = _at_least(covariance, alone)
    ratio = _median_ratio(covariance, alone, k)
    free = np.delete(np.eye(k), model.reference % k, axis=1) - 1 / k
    points = POINTS * (model.log_worths - model.log_worths.mean())
    centred = POINTS**2 * free @ covariance[: k - 1, : k - 1] @ free.T
    n_clusters = 0 if battles.clusters is None else battles.n_clusters
    padded = np.zeros((k, len(alone)))
    padded[:, : k - 1] = free
    pair_df = found.df_between(padded)
    estimates = ParameterEstimates(points, centred, float(pair_df.min(initial=found.df)))
    return BattleModel(model, estimates, ratio, n_clusters, found.df_of(padded), pair_df)


def battle_pairs(battles: Battles, fitted: BattleModel, alpha: float, rng: Generator) -> PairTable:
    """Compare all pairs by their difference in Elo points, with simultaneous intervals.

    `fitted`: of these.
    `rng`: for the law of the largest of the statistics.
    Result: method "worths". Further columns: `n_first`, `n_second` (battles of each), `wins`,
    `ties`, `losses` (of the first against the second). A pair one of which has fewer than
    `FEWEST_BATTLES`, or battles of fewer than `FEWEST_CLUSTERS` clusters, is open.
    """
    k = battles.n_candidates
    if fitted.has_joint_law:
        has_many = k * (k - 1) // 2 > MOST_PAIRS
        table = max_abs_t_pairs(fitted.estimates, alpha, rng, N_SHIFTS if has_many else MOST_SHIFTS)
    else:
        points, errors = fitted.points, np.sqrt(pair_variances(fitted.estimates.covariance))
        first, second = all_pairs(k).T
        apart = Differences(points[first] - points[second], errors, fitted.pair_df)
        table = compare_differences(apart, alpha)
    of_each, counts = battles.of_each, battles.counts
    n_first, n_second = of_each[table.first], of_each[table.second]
    is_open = np.minimum(n_first, n_second) < FEWEST_BATTLES
    if fitted.n_clusters:
        own = battles.clusters_of_each
        is_open |= np.minimum(own[table.first], own[table.second]) < FEWEST_CLUSTERS
    fields = {name: getattr(table, name) for name in ("standard_error", "lower", "upper")}
    fields |= {name: getattr(table, name) for name in ("statistic", "df", "p_value")}
    adjusted = np.where(is_open, nan, table.adjusted_p_value)
    return PairTable.of(
        table.pairs,
        table.estimate,
        "worths",
        alpha,
        adjusted_p_value=adjusted,
        critical_value=table.critical_value,
        critical_error=table.critical_error,
        is_open=is_open,
        is_smaller_better=False,
        extra={
            "n_first": n_first.astype(np.int64),
            "n_second": n_second.astype(np.int64),
            "wins": counts[:, 0].astype(np.int64),
            "ties": counts[:, 1].astype(np.int64),
            "losses": counts[:, 2].astype(np.int64),
        },
        **fields,
    )


def maximum_likelihood(rows: Rows, theta: Array, *, has_ties: bool) -> Fitted | None:
    """Maximise the likelihood by Newton's method; None where it does not end."""
    fitted = Fitted(rows, theta, has_ties=has_ties)
    for _ in range(MOST_STEPS):
        gradient = fitted.gradient
        try:
            step = np.linalg.solve(fitted.information, gradient)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(step).all() or np.abs(step).max() > 5:
            return None
        if gradient @ step <= CONVERGED:
            return fitted
        moved = np.array(fitted.theta)
        moved[: len(step)] += step
        fitted = Fitted(rows, moved, has_ties=has_ties)
    return None


def order_effect(battles: Battles, model: BradleyTerry) -> OrderEffect | None:
    """Estimate and test what it brings to be shown first.

    `model`: of these, from which the search begins.
    Result: None where the estimate is not finite, or has no variance.
    """
    if model.penalised:
        return None
    rows = rows_of(battles, has_order=True)
    theta = np.append(np.delete(model.log_worths, model.reference), [0.0, model.log_nu])
    fitted = maximum_likelihood(rows, theta, has_ties=model.has_ties)
    if fitted is None:
        return None
    found, place = sandwich(fitted, battles.clusters), battles.n_candidates - 1
    estimate, variance = float(fitted.theta[place]), float(found.covariance[place, place])
    if not (variance > 0 and found.is_complete):
        return None
    statistic = estimate / sqrt(variance)
    df = float(found.df_of(np.eye(len(found.covariance))[[place]])[0])
    n_first, n_second = ((battles.outcome == kind).sum() for kind in (FIRST, SECOND))
    return OrderEffect(
        estimate,
        sqrt(variance),
        statistic,
        df,
        float(two_sided_t(np.array([statistic]), df)[0]),
        float(n_first / max(1, n_first + n_second)),
    )


def transitivity(battles: Battles, model: BradleyTerry) -> Transitivity:
    """Test whether worths explain the outcomes of all pairs, and count circular triples.

    `model`: of these.

    Examples
    --------
    Each beats the next, 8 times in 10:

    >>> a, b = np.repeat([0, 1, 2], 10), np.repeat([1, 2, 0], 10)
    >>> ring = Battles(a, b, np.tile([1] * 8 + [-1] * 2, 3), 3)
    >>> found = transitivity(ring, fit_finite(ring.counts))
    >>> found.n_circular, found.n_triples, found.df, round(found.statistic, 1)
    (1, 1, 1, 10.8)
    """
    wins, ties, counts = battles.wins_and_ties
    beats = (wins > wins.T).astype(np.float64)
    met = (wins + wins.T + ties > 0).astype(np.float64)
    n_circular = round(float(np.trace(beats @ beats @ beats)) / 3)
    n_triples = round(float(np.trace(met @ met @ met)) / 6)
    seen = counts.sum(axis=1)
    found = goodness_of_fit(counts, model)
    is_tested = found.df > 0 and seen[seen > 0].mean() >= FEWEST_EXPECTED and not model.penalised
    statistic, p_value = (found.pearson, float(chdtrc(found.df, found.pearson))) if is_tested else (
        nan,
        nan,
    )  # fmt: skip
    return Transitivity(statistic, p_value, found.df, n_circular, n_triples)


def compare_battles(
    first: Sequence[str],
    second: Sequence[str],
    winner: Sequence[str],
    *,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    relevance: object = None,
    rng: Generator | int = 1,
) -> PairTable:
    r"""Compare all candidates by battles of two of them each.

    Parameters
    ----------
    first, second : sequence of str
        The two of each battle.
    winner : sequence of str
        The name of the one that is preferred; "tie" where neither is.
    clusters : array-like of shape (n,), optional
        What battles belong together by: judges, or prompts.
    alpha : float, default 0.05
        Probability that any of the intervals misses.
    relevance : float or pair of float, optional
        Area of equivalence in Elo points: d stands for (-d, d).
    rng : Generator or int, default 1
        For the law of the largest of the statistics.

    Returns
    -------
    PairTable
        Differences in Elo points: 400 are odds of 10 to 1. Further columns: `n_first`,
        `n_second` (battles of each), `wins`, `ties`, `losses` (of the first against the second).

    Raises
    ------
    ValueError
        If the lengths differ, a winner is neither of the two, one is against itself, or the battles
        do not link all candidates.

    Notes
    -----
    Davidson's model by maximum likelihood, or with Jeffreys's penalty where that is not finite; the
    covariance is the sandwich of the scores, summed over clusters, with few clusters CR2 [3]_ and
    Satterthwaite's degrees of freedom. Intervals are simultaneous by the largest *t* in size of all
    pairs, with fewer than 50 degrees of freedom by Bonferroni's inequality.

    References
    ----------
    .. [1] R. R. Davidson (1970), "On extending the Bradley-Terry model to
       accommodate ties in paired comparison experiments", Journal of the American
       Statistical Association 65.
    .. [2] K.-Y. Liang, S. L. Zeger (1986), "Longitudinal data analysis using generalized linear
       models", Biometrika 73.
    .. [3] J. E. Pustejovsky, E. Tipton (2018), "Small-sample methods for cluster-robust variance
       estimation and hypothesis testing in fixed effects models", Journal of Business and Economic
       Statistics 36.

    Examples
    --------
    >>> from reportgen import stats
    >>> found = stats.compare_battles(
    ...     ["a"] * 40 + ["b"] * 40, ["b"] * 40 + ["c"] * 40,
    ...     ["a"] * 30 + ["b"] * 10 + ["b"] * 25 + ["c"] * 15,
    ... )
    >>> found.to_frame()[["first", "second", "estimate", "decision"]].round(1).values.tolist()
    [['a', 'b', 190.8, 'better'], ['a', 'c', 279.6, 'better'], ['b', 'c', 88.7, 'undecided']]
    """
    check_level(alpha)
    area = None if relevance is None else area_of(relevance)
    sides = [[str(name) for name in own] for own in (first, second, winner)]
    if len({*map(len, sides)}) > 1 or not sides[0]:
        found = ", ".join(str(len(own)) for own in sides)
        raise ValueError(f"first, second and winner must have one length above 0, got {found}")
    names = tuple(dict.fromkeys(name for both in zip(*sides[:2], strict=True) for name in both))
    place = {name: k for k, name in enumerate(names)}
    outcome = []
    for at, (a, b, own) in enumerate(zip(*sides, strict=True)):
        if a == b:
            raise ValueError(f"first, second: found {a!r} against itself at {at}")
        if own not in (a, b, "tie"):
            raise ValueError(f"winner: found {own!r} at {at}; allowed {a!r}, {b!r} and 'tie'")
        outcome.append(TIE if own == "tie" else FIRST if own == a else SECOND)
    codes = None if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    if codes is not None and codes.shape != (len(outcome),):
        raise ValueError(f"clusters must have shape ({len(outcome)},), got {codes.shape}")
    a, b = (np.array([place[name] for name in own]) for own in sides[:2])
    battles = Battles(a, b, np.array(outcome, dtype=np.int8), len(names), codes)
    table = battle_pairs(battles, fit_battles(battles), alpha, generator_of(rng))
    return table.named(names, "", is_smaller_better=False).decided(area)


# ------------------------------------------------------------------- the sandwich


@dataclass(frozen=True, slots=True)
class Rows:
    """Battles of the same two in the same order, as rows; the design of their log worths."""

    design: Array  # (R, q'); the log worth of the one before that of the other
    of_battle: NDArray[np.intp]  # (n,); the row of each battle
    outcome: Codes  # (n,); of the one before
    n: Array  # (R, 3); outcomes


def rows_of(battles: Battles, *, has_order: bool) -> Rows:
    """Gather battles; without an effect of the order the two stand as in a table of pairs."""
    first, second = battles.first.astype(np.intp), battles.second.astype(np.intp)
    outcome = battles.outcome
    if not has_order:
        is_turned = first > second
        first, second = np.where(is_turned, second, first), np.where(is_turned, first, second)
        outcome = np.where(is_turned, -outcome, outcome)
    k = battles.n_candidates
    cells, row = np.unique(first * k + second, return_inverse=True)
    design = np.zeros((len(cells), k))
    places = np.arange(len(cells))
    design[places, cells // k] = 1.0
    design[places, cells % k] -= 1.0
    design = design[:, : k - 1]  # the last one is the reference
    if has_order:
        design = np.column_stack([design, np.ones(len(cells))])
    kinds = row * 3 + (1 - outcome)
    n = np.bincount(kinds, minlength=3 * len(cells)).reshape(-1, 3).astype(np.float64)
    return Rows(design, row, outcome, n)


class Fitted:
    """Scores and information of rows at some parameters, log nu the last of them."""

    def __init__(self, rows: Rows, theta: Array, *, has_ties: bool) -> None:
        self.rows, self.theta, self.has_ties = rows, theta, has_ties
        apart = rows.design @ theta[:-1]
        tie = np.full_like(apart, theta[-1])
        scores = np.column_stack([apart / 2, tie, -apart / 2])
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        self.p = powers / powers.sum(axis=1, keepdims=True)

    @property
    def of_outcomes(self) -> tuple[Array, Array]:
        """Shapes (R, 3): what an outcome adds to the score of the distance, and of log nu."""
        won, tied, lost = self.p.T
        distance = np.array([0.5, 0.0, -0.5]) - ((won - lost) / 2)[:, None]
        return distance, np.array([0.0, 1.0, 0.0]) - tied[:, None]

    @property
    def gradient(self) -> Array:
        """Shape (q,)."""
        distance, tie = (self.rows.n * x for x in self.of_outcomes)
        found = self.rows.design.T @ distance.sum(axis=1)
        return np.append(found, tie.sum()) if self.has_ties else found

    @property
    def information(self) -> Array:
        """Shape (q, q)."""
        return self._squares(self.rows.n.sum(axis=1)[:, None] * self.p)

    @property
    def inverse(self) -> Array:
        """Its inverse."""
        return np.asarray(np.linalg.inv(self.information))

    def single_scores(self) -> Array:
        """Return the score of each battle, shape (n, q)."""
        rows = self.rows
        distance, tie = (x[rows.of_battle, 1 - rows.outcome] for x in self.of_outcomes)
        found = rows.design[rows.of_battle] * distance[:, None]
        return np.column_stack([found, tie]) if self.has_ties else found

    def information_among(self, chosen: NDArray[np.bool_]) -> Array:
        """Return the information of some battles, shape (q, q)."""
        counts = np.bincount(self.rows.of_battle[chosen], minlength=len(self.rows.n))
        at = np.flatnonzero(counts)
        return self._squares(counts[at, None] * self.p[at], at)

    def of_counts(self) -> Array:
        """Return the sum of the squares of the scores of single battles."""
        return self._squares(self.rows.n)

    def _squares(self, weights: Array, at: NDArray[np.intp] | slice = slice(None)) -> Array:
        distance, tie = (own[at] for own in self.of_outcomes)
        x = self.rows.design[at]
        found = x.T @ ((weights * distance**2).sum(axis=1)[:, None] * x)
        if not self.has_ties:
            return np.asarray(found)
        with_tie = x.T @ (weights * distance * tie).sum(axis=1)
        own = (weights * tie**2).sum()
        return np.block([[found, with_tie[:, None]], [with_tie[None], np.array([[own]])]])

    def sums(self, clusters: Codes) -> Array:
        """Return the sums of the scores by cluster, shape (G, q)."""
        rows, n_clusters = self.rows, int(clusters.max()) + 1
        distance, tie = (x[rows.of_battle, 1 - rows.outcome] for x in self.of_outcomes)
        shape = (n_clusters, len(rows.n))
        by_row = csr_array((distance, (clusters, rows.of_battle)), shape=shape)
        found: Array = np.asarray(by_row @ rows.design)
        if not self.has_ties:
            return found
        return np.column_stack([found, np.bincount(clusters, tie, n_clusters)])


@dataclass(frozen=True, slots=True)
class Corrected:
    """What clusters that are corrected for what they weigh say of a variance."""

    before: Array  # (C, q, q); the variance that a cluster adds, were the worths known
    taken: Array  # (C, q, q); with its transpose, what their estimate takes away


@dataclass(frozen=True, slots=True)
class Sandwich:
    """The covariance of the parameters of a model of battles."""

    covariance: Array  # (q, q)
    df: float  # the clusters less one; infinite where every battle is one of its own
    inverse: Array  # (q, q); of the information
    # whether in every direction more than one cluster tells of the parameters
    is_complete: bool = True
    corrected: Corrected | None = None  # None where no cluster weighs much

    def df_of(self, contrasts: Array) -> Array:
        """Return the degrees of freedom of contrasts of shape (R, q)."""
        n = len(contrasts)
        return self._df(np.vstack([contrasts, 0 * contrasts[:1]]), np.arange(n), np.full(n, n))

    def df_between(self, contrasts: Array) -> Array:
        """Return those of the differences of all pairs of contrasts."""
        return self._df(contrasts, *all_pairs(len(contrasts)).T)

    def _df(self, x: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return Satterthwaite's, of an error of battles that are independent."""
        # With d the variance of what a cluster adds, before the estimate, and n what the estimate
        # takes away of the covariance of two clusters: the squared sum of d - n over the sum of the
        # squares; the sum over all clusters is the variance by the information.
        if self.corrected is None:
            return np.full(len(first), self.df)
        whole = _between(x @ self.inverse @ x.T, first, second)
        d = _between(x @ self.corrected.before @ x.T, first, second)
        taken = (x @ self.corrected.taken).transpose(1, 0, 2)
        squares, told = np.empty(len(first)), np.empty(len(first))
        step = max(1, CHUNK // taken[0].size)
        for part in (slice(i, i + step) for i in range(0, len(first), step)):
            apart = taken[first[part]] - taken[second[part]]
            products = apart @ apart.transpose(0, 2, 1)
            own = d[:, part].T
            diagonal = np.einsum("pgg->pg", products)
            told[part] = (own - diagonal).sum(axis=1)
            squares[part] = (own * (own - 2 * diagonal)).sum(axis=1) + (products**2).sum(
                axis=(1, 2)
            )
        found = np.full(len(first), self.df)
        np.divide(whole**2, squares, out=found, where=squares > 0)
        if not self.is_complete:  # one cluster alone tells of some difference
            found[told < (1 - ALONE) * whole] = 1.0
        return np.asarray(np.clip(found, 1.0, self.df))


def _between(products: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Return the variances of differences."""
    own = np.einsum("...ii->...i", products)
    return np.asarray(own[..., first] + own[..., second] - 2 * products[..., first, second])


def sandwich(fitted: Fitted, clusters: Codes | None) -> Sandwich:
    """Return the covariance of the parameters, and what its degrees of freedom follow from."""
    inverse = fitted.inverse
    if clusters is None:
        n = fitted.rows.n.sum()
        covariance = n / max(1.0, n - 1) * inverse @ fitted.of_counts() @ inverse
        return Sandwich(np.asarray(covariance), inf, inverse)
    sums, sizes = fitted.sums(clusters), np.bincount(clusters)
    n_clusters = len(sums)
    df = max(1.0, n_clusters - 1.0)
    least = 0 if n_clusters <= MOST_CLUSTERS else sizes.sum() / MOST_CLUSTERS
    heavy = np.flatnonzero(sizes > least)
    light = np.delete(sums, heavy, axis=0) * sqrt(n_clusters / df)
    middle = light.T @ light
    if not len(heavy):
        return Sandwich(np.asarray(inverse @ middle @ inverse), df, inverse)
    own = np.array([fitted.information_among(clusters == g) for g in heavy])
    spread, turn = np.linalg.eigh(inverse)
    root = (turn * np.sqrt(np.maximum(spread, 0.0))) @ turn.T
    left, axes = np.linalg.eigh(np.eye(len(root)) - root @ own @ root)
    is_told = left > DETERMINED
    scale = np.where(is_told, np.where(is_told, left, 1.0) ** -0.5, 0.0)
    roots = root @ (axes * scale[:, None, :]) @ axes.transpose(0, 2, 1) @ root
    scores = np.einsum("gqr,gr->gq", roots, sums[heavy])
    covariance = scores.T @ scores + inverse @ middle @ inverse
    corrected = Corrected(roots @ own @ roots, roots @ own @ root)
    return Sandwich(np.asarray(covariance), df, inverse, bool(is_told.all()), corrected)


def _at_least(covariance: Array, least: Array) -> Array:
    """Return a covariance that is in no direction below another."""
    spread, turn = np.linalg.eigh(least)
    root = (turn * np.sqrt(np.maximum(spread, 0.0))) @ turn.T
    back = np.linalg.inv(root)
    ratios, axes = np.linalg.eigh(back @ covariance @ back)
    return np.asarray(root @ (axes * np.maximum(ratios, 1.0)) @ axes.T @ root)


def _median_ratio(covariance: Array, alone: Array, k: int) -> float:
    """Return the median ratio of standard errors of all pairs."""
    i, j = np.triu_indices(k, 1)
    found = []
    for own in (covariance, alone):
        whole = np.zeros((k, k))
        whole[: k - 1, : k - 1] = own[: k - 1, : k - 1]
        found.append(whole[i, i] + whole[j, j] - 2 * whole[i, j])
    return float(np.sqrt(np.median(found[0] / found[1])))
