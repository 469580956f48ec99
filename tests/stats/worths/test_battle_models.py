"""Models of battles: closed forms, other algorithms, brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from reportgen.stats.worths.battle_models import (
    circles,
    fit_rao_kupper,
    fit_style,
    next_pairs,
)
from reportgen.stats.worths.battles import Battles, fit_battles
from reportgen.stats.worths.bradley_terry import fit_finite
from reportgen.stats.worths.elo import POINTS

REACHED = 1e-5  # of minimisers that know no second derivatives, in points
EXACT = 1e-9


def battles_of(
    n: int = 800, k: int = 4, effect: float = 0.0, clusters: int = 0, seed: int = 1
) -> tuple[Battles, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    style = rng.normal(size=n) + 0.5 * (first - second)
    worths = np.linspace(0.8, -0.8, k)
    d = worths[first] - worths[second] + effect * style
    odds = np.exp(np.column_stack([d / 2, np.full(n, -0.7), -d / 2]))
    at = (rng.random(n)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
    own = rng.integers(0, clusters, n) if clusters else None
    return Battles(first, second, (1 - at).astype(np.int8), k, own), style


def test_style_is_the_maximum_of_the_likelihood() -> None:
    battles, style = battles_of(effect=0.6)
    found = fit_style(battles, style[:, None], fit_finite(battles.counts))
    assert found is not None
    x = style / style.std()

    def loss(theta: np.ndarray) -> float:
        worths = np.append(theta[:3], 0.0)
        d = worths[battles.first] - worths[battles.second] + theta[3] * x
        scores = np.column_stack([d / 2, np.full_like(d, theta[4]), -d / 2])
        own = scores[np.arange(len(d)), 1 - battles.outcome]
        return float((np.log(np.exp(scores).sum(axis=1)) - own).sum())

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    assert found.effects[0] == pytest.approx(POINTS * best.x[3], rel=1e-4)
    worths = POINTS * np.append(best.x[:3], 0.0)
    assert found.points == pytest.approx(worths - worths.mean(), abs=0.05)
    assert found.effects[0] == pytest.approx(POINTS * 0.6 * style.std(), abs=4 * 8)


def test_style_without_effect_changes_little_and_is_seldom_significant() -> None:
    p_values = []
    for seed in range(40):
        battles, style = battles_of(n=300, clusters=40, seed=seed)
        found = fit_style(battles, style[:, None], fit_finite(battles.counts))
        assert found is not None
        p_values.append(found.p_values[0])
    assert np.mean(np.array(p_values) < 0.05) <= 0.2  # three standard errors of 40 studies
    assert np.mean(np.array(p_values) < 0.5) >= 0.25


def test_style_that_does_not_vary_has_no_effect() -> None:
    battles, style = battles_of()
    both = np.column_stack([style, np.zeros(len(style))])
    found = fit_style(battles, both, fit_finite(battles.counts))
    assert found is not None
    assert (found.effects[1], found.p_values[1], found.deviations[1]) == (0, 1, 0)


def test_rao_and_kupper_by_another_minimiser() -> None:
    counts = np.array([[30.0, 12, 20], [40, 10, 15], [25, 20, 18]])
    found = fit_rao_kupper(counts)
    assert found is not None

    def loss(theta: np.ndarray) -> float:
        worths = np.append(theta[:2], 0.0)
        d = worths[[0, 0, 1]] - worths[[1, 2, 2]]
        won, lost = 1 / (1 + np.exp(theta[2] - d)), 1 / (1 + np.exp(theta[2] + d))
        shares = np.column_stack([won, 1 - won - lost, lost])
        return -float((counts * np.log(shares)).sum())

    best = minimize(loss, [0.0, 0.0, 0.5], method="Nelder-Mead",
                    options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000})  # fmt: skip
    worths = np.append(best.x[:2], 0.0)
    assert found.log_worths == pytest.approx(worths - worths.mean(), abs=REACHED)
    assert found.threshold == pytest.approx(best.x[2], abs=REACHED)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-9)


def test_without_ties_both_laws_are_bradley_and_terrys() -> None:
    counts = np.array([[30.0, 0, 20], [40, 0, 15], [25, 0, 18]])
    found, own = fit_rao_kupper(counts), fit_finite(counts).log_worths
    assert found is not None
    assert found.threshold == 0
    assert found.log_worths == pytest.approx(own - own.mean(), abs=EXACT)


def test_rao_and_kupper_without_a_finite_estimate() -> None:
    assert fit_rao_kupper(np.array([[30.0, 0, 0]])) is None


def ring(n_won: int, n: int) -> Battles:
    a, b = np.repeat([0, 1, 2], n), np.repeat([1, 2, 0], n)
    own = np.tile([1] * n_won + [-1] * (n - n_won), 3)
    return Battles(a, b, own.astype(np.int8), 3)


def test_a_circle_has_the_largest_p_value_of_its_pairs() -> None:
    """Times two: both ways round."""
    (found,) = circles(ring(15, 20))
    assert found.p_value == pytest.approx(2 * binom.sf(14, 20, 0.5))
    assert found.shares == (0.75, 0.75, 0.75)


def test_circles_of_chance_are_seldom_shown() -> None:
    shown = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        first = rng.integers(0, 5, 400)
        second = (first + rng.integers(1, 5, 400)) % 5
        outcome = rng.choice(np.array([1, -1], np.int8), 400)
        shown += any(c.p_value < 0.05 for c in circles(Battles(first, second, outcome, 5)))
    assert shown <= 8  # of 60 at 5%: three standard errors above


def test_clusters_of_one_opinion_do_not_show_a_circle() -> None:
    """Three judges with one opinion each say little, however often they are asked."""
    own = ring(20, 20)
    judges = np.tile(np.repeat([0, 1, 2], [7, 7, 6]), 3)
    alone = circles(own)[0].p_value
    (found,) = circles(Battles(own.first, own.second, own.outcome, 3, judges))
    assert alone < 0.001 < 0.05 < found.p_value


def test_the_next_pair_lowers_the_variance_most() -> None:
    """By brute force: the information with one more battle of each pair, inverted."""
    battles, _ = battles_of(n=200)
    fitted = fit_battles(battles)
    found = next_pairs(battles, fitted, np.ones(4, bool), most=6)
    lead = int(np.argmax(fitted.points))
    covariance = fitted.estimates.covariance / POINTS**2
    keep = [k for k in range(4) if k != 3]
    step = np.eye(4)[keep] - np.eye(4)[3]
    small = step @ covariance @ step.T  # of worths less that of the last
    gains = {}
    model = fitted.model
    for i in range(4):
        for j in range(i + 1, 4):
            d = model.log_worths[i] - model.log_worths[j]
            odds = np.exp([d / 2, model.log_nu, -d / 2])
            won, _, lost = odds / odds.sum()
            weight = (won + lost) / 4 - ((won - lost) / 2) ** 2
            x = np.zeros(4)
            x[i], x[j] = 1, -1
            more = np.linalg.inv(np.linalg.inv(small) + weight * np.outer(x[keep], x[keep]))
            whole = [np.zeros((4, 4)), np.zeros((4, 4))]
            for own, values in zip(whole, (small, more), strict=True):
                own[np.ix_(keep, keep)] = values
            gains[i, j] = sum(
                own[lead, lead] + own[k, k] - 2 * own[lead, k]
                for k in range(4)
                for own in (whole[0],)
            ) - sum(whole[1][lead, lead] + whole[1][k, k] - 2 * whole[1][lead, k] for k in range(4))
    mean = np.mean(list(gains.values()))
    assert [(p.first, p.second) for p in found] == sorted(gains, key=lambda p: -gains[p])
    for own in found:
        assert own.gain == pytest.approx(gains[own.first, own.second] / mean, rel=1e-6)


def test_nothing_open_nothing_to_ask() -> None:
    battles, _ = battles_of(n=200)
    assert next_pairs(battles, fit_battles(battles), np.zeros(4, bool)) == ()
