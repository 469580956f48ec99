"""Worths of battles: cases by hand, other programs, simulated coverage, what is refused."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import sqrtm
from scipy.stats import norm, t

from reportgen import stats
from reportgen.stats.worths.battles import (
    Battles,
    Fitted,
    battle_pairs,
    fit_battles,
    order_effect,
    rows_of,
    transitivity,
)
from reportgen.stats.worths.bradley_terry import fit_finite
from reportgen.stats.worths.elo import POINTS

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "battles.json").read_text())
CONVERGED = 1e-6  # relative: R's fits stop at relative changes of the deviance of 1e-14
N_DRAWS = 60  # of simulated studies: a level of 5% is exceeded by chance above MOST once in 1,000
MOST = 9


def made_up(counts: dict[tuple[int, int], tuple[int, int, int]], k: int) -> Battles:
    """Return battles with so many wins, ties and losses of the first of each pair."""
    rows = [
        (i, j, outcome)
        for (i, j), n in counts.items()
        for outcome, times in zip((1, 0, -1), n, strict=True)
        for _ in range(times)
    ]
    return Battles(*np.array(rows).T, k)


def drawn(
    rng: np.random.Generator, k: int, n: int, spread: float, n_clusters: int = 0, order: float = 0.0
) -> tuple[Battles, np.ndarray]:
    """Draw battles of unequal pairs; judges have tastes of their own, and unequal numbers."""
    theta = np.linspace(spread, -spread, k)
    weight = 1 / np.sqrt(1 + np.arange(k))
    both = np.array([rng.choice(k, 2, replace=False, p=weight / weight.sum()) for _ in range(n)])
    a, b = both.T
    d, clusters = theta[a] - theta[b] + order, None
    if n_clusters:
        size = 1 / np.sqrt(1 + np.arange(n_clusters))
        clusters = rng.choice(n_clusters, n, p=size / size.sum())
        taste = rng.normal(0, 0.7, (n_clusters, k))
        d = d + taste[clusters, a] - taste[clusters, b]
        clusters = np.unique(clusters, return_inverse=True)[1]
    odds = np.exp(np.column_stack([d / 2, np.full(n, -0.3), -d / 2]))
    at = (rng.random(n)[:, None] > (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)).sum(
        axis=1
    )
    return Battles(a, b, 1 - at, k, clusters), theta


# ------------------------------------------------------------------------------ by hand


def test_two_candidates_have_the_interval_of_a_log_odds() -> None:
    """The sandwich is n / (n - 1) of the binomial's variance, 1 / (n p (1 - p))."""
    battles = made_up({(0, 1): (30, 0, 10)}, 2)
    pair = battle_pairs(battles, fit_battles(battles), 0.05, np.random.default_rng(1))[0]
    error = POINTS * sqrt(40 / 39 / (40 * 0.75 * 0.25))
    assert_allclose(pair.estimate, 400 * np.log10(3))
    assert pair.estimate is not None
    assert pair.lower is not None
    assert_allclose(pair.estimate - pair.lower, norm.ppf(0.975) * error, rtol=1e-6)
    assert (pair.wins, pair.ties, pair.losses, pair.n_first) == (30, 0, 10, 40)


def test_clusters_of_alike_battles_count_once() -> None:
    """Ten judges that judge four times alike each know no more than ten battles, on 9 df."""
    outcome = np.repeat([1, 1, 1, 1, 1, 1, 1, -1, -1, -1], 4)
    zeros = np.zeros(40, int)
    battles = Battles(zeros, zeros + 1, outcome, 2, np.repeat(np.arange(10), 4))
    pair = battle_pairs(battles, fit_battles(battles), 0.05, np.random.default_rng(1))[0]
    # Of judges alike in size the standard error is that of a mean of ten.
    scores = np.array([0.3] * 7 + [-0.7] * 3)
    error = POINTS * sqrt(scores.var(ddof=1) / 10) / (0.7 * 0.3)
    assert pair.standard_error is not None
    assert pair.lower is not None
    assert pair.estimate is not None
    assert_allclose(pair.standard_error, error)
    assert_allclose(pair.estimate - pair.lower, t.ppf(0.975, 9) * error, rtol=1e-6)


def test_few_clusters_have_the_variance_of_bell_and_mccaffrey() -> None:
    """Twelve unequal judges: CR2 and Satterthwaite as they are defined, judge by judge."""
    battles, _ = drawn(np.random.default_rng(5), 4, 150, 1.0, 12)
    assert battles.clusters is not None
    found = fit_battles(battles)
    theta = np.append(np.delete(found.model.log_worths, found.model.reference), found.model.log_nu)
    fitted = Fitted(rows_of(battles, has_order=False), theta, has_ties=True)
    single = fitted.single_scores()
    judges = [battles.clusters == g for g in range(battles.n_clusters)]
    own = [fitted.information_among(at) for at in judges]
    scores = [single[at].sum(axis=0) for at in judges]
    whole = sum(own)
    root, back = sqrtm(whole), np.linalg.inv(whole)
    turn = [root @ np.linalg.inv(sqrtm(np.eye(4) - np.linalg.solve(root, h) @ np.linalg.inv(root)))
            @ np.linalg.inv(root) for h in own]  # fmt: skip
    covariance = (
        back @ sum(np.outer(a @ u, a @ u) for a, u in zip(turn, scores, strict=True)) @ back
    )
    contrast = np.array([1.0, -1.0, 0, 0])
    weights = [a.T @ back @ contrast for a in turn]
    pairs = [*zip(weights, own, strict=True)]
    both = [[w @ ((v is w) * h - h @ back @ k) @ v for v, k in pairs] for w, h in pairs]
    products = np.array(both)
    df = np.trace(products) ** 2 / (products**2).sum()
    table = battle_pairs(battles, found, 0.05, np.random.default_rng(1))
    error = POINTS * sqrt(contrast @ covariance @ contrast)
    assert_allclose(table.standard_error[0], error)
    assert_allclose(table.df[0], df)
    assert df < 10  # eleven, were the judges alike
    assert_allclose(table.critical_value[0], t.ppf(1 - 0.025 / 6, df))  # Bonferroni


def test_one_of_few_judges_leaves_its_pairs_open() -> None:
    """The first is judged by three of twelve: they say too little of how judges vary."""
    battles, _ = drawn(np.random.default_rng(6), 4, 600, 0.5, 12)
    assert battles.clusters is not None
    kept = (battles.clusters < 3) | (np.minimum(battles.first, battles.second) > 0)
    few = Battles(*(x[kept] for x in (battles.first, battles.second, battles.outcome)), 4,
                  battles.clusters[kept])  # fmt: skip
    assert few.clusters_of_each.tolist() == [3, 12, 12, 12]
    table = battle_pairs(few, fit_battles(few), 0.05, np.random.default_rng(1))
    assert table.is_open.tolist() == [True] * 3 + [False] * 3


def test_a_judge_who_alone_links_candidates_makes_no_interval_too_short() -> None:
    """Two halves that one judge has compared: between them the interval is that of its battles."""
    battles, _ = drawn(np.random.default_rng(7), 4, 600, 0.0, 12)
    assert battles.clusters is not None
    across = (battles.first < 2) != (battles.second < 2)
    kept = ~across | (battles.clusters == 0)
    linked = Battles(*(x[kept] for x in (battles.first, battles.second, battles.outcome)), 4,
                     battles.clusters[kept])  # fmt: skip
    fitted = fit_battles(linked)
    table = battle_pairs(linked, fitted, 0.05, np.random.default_rng(1))
    n = (across & kept).sum()
    assert table.standard_error[1] > POINTS * 1 / sqrt(n)  # of as many battles of two alone
    assert (table.df[1], table.df[0] > 5) == (1.0, True)


def test_order_of_rows_and_sides_do_not_matter() -> None:
    battles, _ = drawn(np.random.default_rng(3), 4, 200, 1.0, 20)
    mixed = np.random.default_rng(4).permutation(200)
    assert battles.clusters is not None
    turned = Battles(
        battles.second[mixed],
        battles.first[mixed],
        -battles.outcome[mixed],
        4,
        battles.clusters[mixed],
    )
    one, other = fit_battles(battles), fit_battles(turned)
    assert_allclose(one.points, other.points, atol=1e-9)
    assert_allclose(one.estimates.covariance, other.estimates.covariance, atol=1e-8)


def test_one_that_always_wins_is_decided_better() -> None:
    """Its maximum is infinite; the penalised one is not, and ten more wins change little."""
    battles = made_up({(0, 1): (100, 0, 0), (1, 2): (50, 5, 45), (0, 2): (60, 0, 0)}, 3)
    fitted = fit_battles(battles)
    table = battle_pairs(battles, fitted, 0.05, np.random.default_rng(1))
    assert fitted.model.penalised
    assert table.direction.tolist() == [1, 1, 0]
    assert np.isfinite(table.lower).all()


def test_few_battles_or_clusters_leave_pairs_open() -> None:
    battles = made_up({(0, 1): (30, 0, 10), (1, 2): (2, 1, 2)}, 3)
    table = battle_pairs(battles, fit_battles(battles), 0.05, np.random.default_rng(1))
    assert table.is_open.tolist() == [False, True, True]
    five = Battles(battles.first, battles.second, battles.outcome, 3, np.arange(45) % 5)
    table = battle_pairs(five, fit_battles(five), 0.05, np.random.default_rng(1))
    assert table.is_open.all()


def test_candidates_that_never_met_are_refused() -> None:
    battles = made_up({(0, 1): (3, 0, 3), (2, 3): (3, 0, 3)}, 4)
    with pytest.raises(ValueError, match="2 groups never compared"):
        fit_battles(battles)


def test_a_ring_has_no_scale() -> None:
    """Each beats the next 16 times in 20: all worths are equal, and 36 away from 16 to 4 thrice."""
    ring = made_up({(0, 1): (16, 0, 4), (1, 2): (16, 0, 4), (2, 0): (16, 0, 4)}, 3)
    found = transitivity(ring, fit_finite(ring.counts))
    assert (found.n_circular, found.n_triples, found.df) == (1, 1, 1)
    assert_allclose(found.statistic, 3 * (6**2 / 10 + 6**2 / 10))
    line = made_up({(0, 1): (16, 0, 4), (1, 2): (16, 0, 4), (0, 2): (19, 0, 1)}, 3)
    assert transitivity(line, fit_finite(line.counts)).n_circular == 0


# ------------------------------------------------------------------------ other programs


def of_golden(*, ties: bool) -> Battles:
    first, second, outcome = (np.array(GOLDEN[key]) for key in ("first", "second", "outcome"))
    kept = np.ones(len(first), bool) if ties else outcome != 0
    return Battles(first[kept], second[kept], outcome[kept], 5)


def test_worths_are_those_of_psychotools() -> None:
    model, own = fit_battles(of_golden(ties=True)).model, GOLDEN["davidson"]
    assert own["names"] == ["a", "b", "c", "d", "(undecided)"]
    assert_allclose(model.parameters, own["coefficients"], rtol=CONVERGED)
    assert_allclose(model.covariance, own["covariance"], rtol=CONVERGED)
    assert_allclose(model.log_likelihood, own["log_likelihood"], rtol=CONVERGED)


def test_worths_without_ties_are_those_of_bradleyterry2() -> None:
    model, own = fit_battles(of_golden(ties=False)).model, GOLDEN["plain"]
    assert_allclose(model.parameters, own["coefficients"], rtol=CONVERGED)
    assert_allclose(model.covariance, own["covariance"], rtol=CONVERGED)


def test_effect_of_order_is_that_of_bradleyterry2() -> None:
    """The estimate; the sandwich of 317 battles is near to the inverse information."""
    battles, own = of_golden(ties=False), GOLDEN["order"]
    found = order_effect(battles, fit_finite(battles.counts))
    assert found is not None
    assert own["names"][-1] == "home"
    assert_allclose(found.estimate, own["coefficients"][-1], rtol=CONVERGED)
    assert_allclose(found.standard_error, sqrt(own["covariance"][-1][-1]), rtol=0.1)


# ------------------------------------------------------------------ simulated coverage


@pytest.mark.parametrize(
    ("k", "n", "spread", "n_clusters"),
    [
        pytest.param(4, 300, 0.0, 0, id="equal", marks=pytest.mark.slow),
        pytest.param(4, 300, 1.5, 0, id="unequal", marks=pytest.mark.slow),
        pytest.param(4, 600, 0.5, 30, id="judges"),
    ],
)
def test_simultaneous_intervals_cover(k: int, n: int, spread: float, n_clusters: int) -> None:
    """All pairs at once; the worths under judges with tastes are nearly those of no taste."""
    rng = np.random.default_rng(46)
    n_missed, n_alone = 0, 0
    for _ in range(N_DRAWS):
        battles, theta = drawn(rng, k, n, spread, n_clusters)
        fitted = fit_battles(battles)
        table = battle_pairs(battles, fitted, 0.05, rng)
        true = POINTS * (theta[table.first] - theta[table.second])
        n_missed += bool(((table.lower > true) | (table.upper < true)).any())
        errors = table.standard_error / fitted.ratio  # as if battles were independent
        n_alone += bool((np.abs(table.estimate - true) > table.critical_value * errors).any())
    assert n_missed <= MOST
    if n_clusters:
        assert n_alone > MOST


@pytest.mark.slow
def test_effect_of_order_has_its_level_and_is_found() -> None:
    rng = np.random.default_rng(47)
    p_values = {0.0: list[float](), 0.5: list[float]()}
    for order, own in p_values.items():
        for _ in range(N_DRAWS):
            battles, _ = drawn(rng, 4, 300, 1.0, 0, order)
            found = order_effect(battles, fit_finite(battles.counts))
            assert found is not None
            own.append(found.p_value)
    assert (np.array(p_values[0.0]) < 0.05).sum() <= MOST
    assert (np.array(p_values[0.5]) < 0.05).mean() > 0.8


# ------------------------------------------------------------------- the public functions


def test_bradley_terry_takes_battles_with_gaps() -> None:
    """Rows of two values each link candidates that no complete row does."""
    rows = [[1, 0, np.nan]] * 3 + [[0, 1, np.nan]] + [[np.nan, 1, 0]] * 2 + [[np.nan, 0, 1]] * 2
    found = stats.bradley_terry(rows, ["a", "b", "c"], better="larger")
    assert_allclose(found.log_worths, [np.log(3), 0, 0], atol=1e-8)
    assert found.n_comparisons == 8


def test_battles_of_names() -> None:
    first, second = ["a"] * 40, ["b"] * 40
    found = stats.compare_battles(first, second, ["a"] * 25 + ["tie"] * 5 + ["b"] * 10)
    pair = found[0]
    assert (pair.first, pair.second, pair.favoured) == ("a", "b", "a")
    assert (pair.wins, pair.ties, pair.losses) == (25, 5, 10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"winner": ["a", "c"]}, "winner: found 'c' at 1"),
        ({"second": ["b", "a"]}, "found 'a' against itself at 1"),
        ({"first": ["a"]}, "one length"),
        ({"clusters": [1]}, r"shape \(2,\)"),
        ({"alpha": 2}, "alpha"),
    ],
)
def test_wrong_battles_are_refused(given: dict[str, Any], words: str) -> None:
    usual: dict[str, Any] = {"first": ["a", "a"], "second": ["b", "b"], "winner": ["a", "b"]}
    with pytest.raises(ValueError, match=words):
        stats.compare_battles(**{**usual, **given})
