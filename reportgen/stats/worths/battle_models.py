r"""Models beside the worths of battles: style, another law of ties, circles, and what to ask next.

Style: what differs between two answers beside who wrote them, such as their length, adds
:math:`\beta' x` to the distance of the log worths, x being of the first less of the second.

Rao and Kupper's ties: of two with log worths at the distance d

.. math:: P(i) = \frac{1}{1 + e^{\eta - d}}, \quad P(j) = \frac{1}{1 + e^{\eta + d}},

and a tie else: two that differ by less than a threshold are not told apart.

References
----------
.. [1] P. V. Rao, L. L. Kupper (1967), "Ties in paired-comparison experiments: a generalization of
   the Bradley-Terry model", Journal of the American Statistical Association 62.
"""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, expit

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import two_sided_t
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.worths.battles import (
    CONVERGED,
    MOST_STEPS,
    BattleModel,
    Battles,
    Rows,
    maximum_likelihood,
    sandwich,
)
from reportgen.stats.worths.bradley_terry import BradleyTerry, probabilities, statistics
from reportgen.stats.worths.comparisons import n_candidates_of, pairs
from reportgen.stats.worths.elo import POINTS

MOST_HALVINGS = 30
LARGEST = 15.0  # log worth beyond which an estimate is taken for infinite
MOST_CIRCLES = 200_000  # triples that are looked at


# ------------------------------------------------------------------------------------ style


@dataclass(frozen=True, slots=True)
class StyleModel:
    """Worths with style held equal."""

    # Elo points of sum 0, of candidates whose answers are alike in style
    estimates: ParameterEstimates
    # effects, standard_errors, p_values: (r,); in Elo points, for one standard deviation of each
    # covariate; p-values each for itself
    effects: Array
    standard_errors: Array
    p_values: Array
    # (r,); the standard deviation of each covariate; 0 of one that does not vary, which has no
    # effect
    deviations: Array
    own_df: Array  # (K,); degrees of freedom of the points of each candidate

    @property
    def points(self) -> Array:
        """Elo points of sum 0."""
        return self.estimates.coef


def fit_style(battles: Battles, style: Array, model: BradleyTerry) -> StyleModel | None:
    """Estimate worths and the effects of style together.

    `style`: (n, r); of the first of each battle less of the second.
    `model`: of these battles, from which the search begins.
    Result: None where the estimate is not finite, or style and candidates cannot be told apart.

    Examples
    --------
    The longer one of two equal candidates wins 30 of 40 times:

    >>> a, b = np.zeros(80, int), np.ones(80, int)
    >>> longer = np.repeat([1.0, -1.0], 40)
    >>> won = np.where(np.tile([1, 1, 1, -1], 20) == 1, longer, -longer).astype(int)
    >>> from reportgen.stats.worths.bradley_terry import fit_finite
    >>> own = Battles(a, b, won, 2)
    >>> found = fit_style(own, longer[:, None], fit_finite(own.counts))
    >>> abs(found.points).round(6).tolist(), found.effects.round(1).tolist()
    ([0.0, 0.0], [190.8])
    """
    if model.penalised:
        return None
    k, r = battles.n_candidates, style.shape[1]
    deviations = style.std(axis=0)
    used = deviations > 0
    x = style[:, used] / deviations[used]
    rows = _single_rows(battles, x)
    start = model.log_worths - model.log_worths[k - 1]
    theta = np.concatenate([start[: k - 1], np.zeros(x.shape[1]), [model.log_nu]])
    fitted = maximum_likelihood(rows, theta, has_ties=model.has_ties)
    if fitted is None:
        return None
    found = sandwich(fitted, battles.clusters)
    covariance = found.covariance
    free = np.eye(k)[:, : k - 1] - 1 / k
    points = POINTS * free @ fitted.theta[: k - 1]
    own = POINTS**2 * free @ covariance[: k - 1, : k - 1] @ free.T
    place = np.arange(k - 1, k - 1 + x.shape[1])
    effects, errors, p_values = np.zeros(r), np.zeros(r), np.ones(r)
    effects[used] = POINTS * fitted.theta[place]
    errors[used] = POINTS * np.sqrt(np.maximum(np.diag(covariance)[place], 0.0))
    is_known = used & (errors > 0)
    contrasts = np.eye(len(covariance))
    df = np.full(r, found.df)
    df[used] = found.df_of(contrasts[place])
    p_values[is_known] = two_sided_t(effects[is_known] / errors[is_known], df[is_known])
    own_df = found.df_of(free @ contrasts[: k - 1])
    return StyleModel(
        ParameterEstimates(np.asarray(points), np.asarray(own), float(own_df.min())),
        effects,
        errors,
        p_values,
        deviations,
        own_df,
    )


def _single_rows(battles: Battles, x: Array) -> Rows:
    """Return a row a battle, with its covariates."""
    n, k = len(battles), battles.n_candidates
    design = np.zeros((n, k))
    places = np.arange(n)
    design[places, battles.first] = 1.0
    design[places, battles.second] -= 1.0
    outcomes = np.zeros((n, 3))
    outcomes[places, 1 - battles.outcome.astype(np.intp)] = 1.0
    design = np.column_stack([design[:, : k - 1], x])
    return Rows(design, places, battles.outcome, outcomes)


# -------------------------------------------------------------------------------- Rao, Kupper


@dataclass(frozen=True, slots=True)
class RaoKupper:
    """Worths by another law of ties."""

    log_worths: Array  # (K,); of sum 0
    threshold: float  # distance of log worths below which two are hardly told apart; 0 without ties
    log_likelihood: float

    @property
    def points(self) -> Array:
        """Elo points of sum 0."""
        return np.asarray(POINTS * self.log_worths)


def fit_rao_kupper(counts: Array) -> RaoKupper | None:
    """Estimate worths with Rao and Kupper's ties.

    `counts`: (P, 3); first preferred, tie, second preferred, of every pair in our order.
    Result: None where the estimate is not finite.

    Examples
    --------
    >>> found = fit_rao_kupper(np.array([[50.0, 30.0, 20.0]]))
    >>> found.points.round(1).tolist(), round(found.threshold, 4)
    ([60.2, -60.2], 0.6931)
    """
    k = n_candidates_of(len(counts))
    first, second = pairs(k).T
    design = np.zeros((len(counts), k))
    design[np.arange(len(counts)), first], design[np.arange(len(counts)), second] = 1.0, -1.0
    design = design[:, : k - 1]
    has_ties = bool(counts[:, 1].any())
    theta = np.zeros(k - 1 + has_ties)
    if has_ties:
        theta[-1] = 0.5
    reached = _log_likelihood(counts, design, theta, has_ties=has_ties)
    for _ in range(MOST_STEPS):
        gradient, information = _rao_kupper_slopes(counts, design, theta, has_ties=has_ties)
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            return None
        decrement = float(gradient @ step)
        if not np.isfinite(decrement):
            return None
        if decrement <= CONVERGED:
            whole = np.append(theta[: k - 1], 0.0)
            threshold = float(theta[-1]) if has_ties else 0.0
            return RaoKupper(whole - whole.mean(), threshold, reached)
        for halving in range(MOST_HALVINGS):
            moved = theta + step / 2**halving
            value = _log_likelihood(counts, design, moved, has_ties=has_ties)
            if value >= reached - 1e-12 * abs(reached):
                break
        else:
            return None
        theta, reached = moved, value
        if np.abs(theta).max() > LARGEST:
            return None
    return None


def _shares(design: Array, theta: Array, *, has_ties: bool) -> tuple[Array, Array, Array]:
    """Return the probabilities of both wins and of a tie."""
    distance = design @ theta[: design.shape[1]]
    threshold = theta[-1] if has_ties else 0.0
    won, lost = expit(distance - threshold), expit(-distance - threshold)
    return won, lost, 1 - won - lost


def _log_likelihood(counts: Array, design: Array, theta: Array, *, has_ties: bool) -> float:
    if has_ties and theta[-1] <= 0:
        return -inf
    won, lost, tied = _shares(design, theta, has_ties=has_ties)
    found = counts[:, 0] * np.log(won) + counts[:, 2] * np.log(lost)
    if has_ties:
        found = found + counts[:, 1] * np.log(tied)
    return float(found.sum())


def _rao_kupper_slopes(
    counts: Array, design: Array, theta: Array, *, has_ties: bool
) -> tuple[Array, Array]:
    """Return the gradient and the expected information."""
    won, lost, tied = _shares(design, theta, has_ties=has_ties)
    a, b = won * (1 - won), lost * (1 - lost)
    by_distance = np.column_stack([a, b - a, -b])
    by_threshold = np.column_stack([-a, a + b, -b])
    shares = np.column_stack([won, np.where(tied > 0, tied, 1.0), lost])
    if not has_ties:
        by_distance[:, 1] = 0.0
    n = counts.sum(axis=1)
    gradient = design.T @ (counts * by_distance / shares).sum(axis=1)
    weight = n * (by_distance**2 / shares).sum(axis=1)
    information = design.T @ (weight[:, None] * design)
    if not has_ties:
        return np.asarray(gradient), np.asarray(information)
    own = (counts * by_threshold / shares).sum()
    both = design.T @ (n * (by_distance * by_threshold / shares).sum(axis=1))
    last = (n * (by_threshold**2 / shares).sum(axis=1)).sum()
    whole = np.block([[information, both[:, None]], [both[None], np.array([[last]])]])
    return np.append(gradient, own), whole


# ------------------------------------------------------------------------------------ circles


@dataclass(frozen=True, slots=True)
class Circle:
    """Three candidates of which each is preferred to the next."""

    # the first is preferred to the second, that to the third, that to the first
    candidates: tuple[int, int, int]
    shares: tuple[float, float, float]  # of the battles of these pairs, ties counted half
    # adjusted for all triples that have met, both ways round (Holm): that not all three are
    p_value: float


def circles(battles: Battles) -> tuple[Circle, ...]:
    """Test the circular triples: that each of three wins more often than it loses against the next.

    Result: those that are circular as observed, the smallest p-value first.

    Notes
    -----
    Each pair has the one-sided sign test of wins against losses, over clusters the *t* of their
    sums. All three are shown together when the largest of the three p-values is small; it is
    adjusted for two times the number of triples that have met.

    Examples
    --------
    Each beats the next, 18 times in 20:

    >>> a, b = np.repeat([0, 1, 2], 20), np.repeat([1, 2, 0], 20)
    >>> ring = Battles(a, b, np.tile([1] * 18 + [-1] * 2, 3), 3)
    >>> [(c.candidates, c.p_value < 0.01) for c in circles(ring)]
    [((0, 1, 2), True)]
    """
    wins, ties, _ = battles.wins_and_ties
    beats, met = wins > wins.T, wins + wins.T + ties > 0
    p_values = _one_sided(battles, wins)
    k, n_triples = battles.n_candidates, 0
    found: list[tuple[float, tuple[int, int, int]]] = []
    if k * (k - 1) * (k - 2) // 6 > MOST_CIRCLES:
        return ()
    for i, j, m in combinations(range(k), 3):
        if not (met[i, j] and met[j, m] and met[i, m]):
            continue
        n_triples += 1
        found.extend(
            (max(float(p_values[a, b]) for a, b in _around(ring)), ring)
            for ring in ((i, j, m), (i, m, j))
            if all(beats[a, b] for a, b in _around(ring))
        )
    found.sort()
    adjusted, out = holm(np.array([p for p, _ in found]), 2 * n_triples).tolist(), []
    for p, (_, ring) in zip(adjusted, found, strict=True):
        n = [wins[a, b] + ties[a, b] + wins[b, a] for a, b in _around(ring)]
        shares = [
            float((wins[a, b] + ties[a, b] / 2) / count)
            for (a, b), count in zip(_around(ring), n, strict=True)
        ]
        out.append(Circle(ring, (shares[0], shares[1], shares[2]), p))
    return tuple(out)


def _around(ring: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    a, b, c = ring
    return (a, b), (b, c), (c, a)


def _one_sided(battles: Battles, wins: Array) -> Array:
    """Return for each pair the p-value that the row wins more often than it loses; (K, K)."""
    if battles.clusters is None:
        n = wins + wins.T
        found = np.ones_like(wins)
        is_known = n > 0
        found[is_known] = np.where(
            wins[is_known] > 0,
            bdtrc(np.maximum(wins[is_known] - 1, 0), n[is_known].astype(np.intp), 0.5),
            1.0,
        )
        return found
    k = battles.n_candidates
    found = np.ones((k, k))
    cells = battles.first.astype(np.intp) * k + battles.second
    for cell in np.unique(cells):
        i, j = divmod(int(cell), k)
        if i > j and ((battles.first == j) & (battles.second == i)).any():
            continue
        at = np.flatnonzero((cells == cell) | (cells == j * k + i))
        signs = np.where(battles.first[at] == i, battles.outcome[at], -battles.outcome[at])
        sums = np.bincount(np.unique(battles.clusters[at], return_inverse=True)[1], signs)
        total, square = float(sums.sum()), float((sums**2).sum())
        if square > 0 and len(sums) > 1:
            own = two_sided_t(np.array([total / square**0.5]), len(sums) - 1.0)[0] / 2
            found[i, j] = own if total > 0 else 1 - own
            found[j, i] = 1 - found[i, j]
    return found


# ------------------------------------------------------------------------------ what to ask next


@dataclass(frozen=True, slots=True)
class NextPair:
    """A pair to ask next."""

    first: int
    second: int
    # the share of the variance of the open differences to the first, summed, that one more battle
    # of these two takes away, over that of a battle of two drawn at random
    gain: float


def next_pairs(
    battles: Battles, fitted: BattleModel, is_open: NDArray[np.bool_], most: int = 5
) -> tuple[NextPair, ...]:
    """Return the pairs of which a further battle tells most about who is first.

    `fitted`: of these.
    `is_open`: (K,); whether the difference to the one with most points is not decided; of that one
    ignored.
    Result: the largest gain first; empty where nothing is open.

    Notes
    -----
    A battle adds :math:`w x x'` to the information, x being 1 for the one and -1 for the other and
    w the variance of its outcome by the worths. By how much that lowers the variance of the
    differences to the first follows from the covariance that there is.

    Examples
    --------
    Two near one another, and one far behind: the two meet.

    >>> from reportgen.stats.worths.battles import fit_battles
    >>> a, b = np.repeat([0, 0, 1], 20), np.repeat([1, 2, 2], 20)
    >>> own = Battles(a, b, np.r_[np.tile([1, -1], 10), np.tile([1] * 9 + [-1], 4)], 3)
    >>> found = next_pairs(own, fit_battles(own), np.array([True, True, False]))
    >>> found[0].first, found[0].second, found[0].gain > 1
    (0, 1, True)
    """
    k = battles.n_candidates
    lead = int(np.argmax(fitted.points))
    targets = [j for j in range(k) if j != lead and is_open[j]]
    if not targets:
        return ()
    first, second = pairs(k).T
    model = fitted.model
    features = statistics(k, model.reference, ties=model.has_ties)
    won, _, lost = probabilities(features, model.parameters).T
    weight = (won + lost) / 4 - ((won - lost) / 2) ** 2
    covariance = fitted.estimates.covariance / POINTS**2
    own = np.diag(covariance)
    spread = own[first] + own[second] - 2 * covariance[first, second]
    gain = np.zeros(len(first))
    for j in targets:
        row = covariance[lead] - covariance[j]
        gain += (row[first] - row[second]) ** 2
    gain *= weight / (1 + weight * spread)
    mean = float(gain.mean())
    if not mean > 0:
        return ()
    order = np.argsort(-gain, kind="stable")[:most]
    return tuple(NextPair(int(first[p]), int(second[p]), float(gain[p] / mean)) for p in order)


def battles_to_decide(estimate: float, standard_error: float, critical: float, n: int) -> int:
    """Return about how many battles in all decide a difference in half of such studies.

    The difference being as it is estimated.

    `critical`: of the simultaneous interval.
    `n`: battles that there are.

    Examples
    --------
    >>> battles_to_decide(20.0, 15.0, 3.0, 1000)
    5063
    """
    if not estimate:
        return 0
    return int(np.ceil(n * (critical * standard_error / estimate) ** 2))
