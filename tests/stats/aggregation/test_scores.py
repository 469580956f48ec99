"""Aggregates against their definitions, scipy and brute force."""

from __future__ import annotations

import json
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import mannwhitneyu, trim_mean

from reportgen.stats.aggregation.scores import (
    Scores,
    aggregate,
    draw_counts,
    fragility,
    improvements,
    interquartile_mean,
    interquartile_means,
    once,
    optimality_gaps,
    ratio_profile,
    score_profile,
)
from tests.conftest import ROOT

EXACT = 1e-12  # sums in another order


def parts(seed: int, sizes: tuple[int, ...] = (8, 8, 8), k: int = 3) -> list[np.ndarray]:
    """Return scores of data sets with ties."""
    rng = np.random.default_rng(seed)
    return [rng.normal(0.6, 0.3, (n, k)).round(1) for n in sizes]


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 10, 23])
def test_interquartile_mean_is_the_trimmed_mean(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n).round(1)
    found = interquartile_mean(values, np.full((1, n), 1 / n))
    assert_allclose(found, [trim_mean(values, 0.25)], atol=EXACT)


def test_data_sets_count_alike() -> None:
    scores = Scores.of([np.full((1, 1), 0.0), np.full((9, 1), 1.0)])
    (found,) = aggregate(scores, [optimality_gaps], np.random.default_rng(1))
    assert_allclose(found.estimate, [0.5], atol=EXACT)
    assert found.lower is None


def test_estimates_are_those_of_all_scores() -> None:
    own = parts(3)
    statistics = [interquartile_means, optimality_gaps]
    found, gap = aggregate(Scores.of(own), statistics, np.random.default_rng(1))
    assert_allclose(found.estimate, trim_mean(np.concatenate(own), 0.25, axis=0), atol=EXACT)
    expected = 1 - np.minimum(np.concatenate(own), 1).mean(axis=0)
    assert_allclose(gap.estimate, expected, atol=EXACT)


def test_a_gap_is_left_out_of_its_candidate_alone() -> None:
    own = parts(4)
    own[1][:3, 0] = np.nan
    (found,) = aggregate(Scores.of(own), [optimality_gaps], np.random.default_rng(1))
    expected = [np.nanmean([1 - np.nanmean(np.minimum(p[:, k], 1)) for p in own]) for k in range(3)]
    assert_allclose(found.estimate, expected, atol=EXACT)


def test_draws_are_within_data_sets_and_bounds_are_their_quantiles() -> None:
    scores = Scores.of(parts(5, (6, 9)))
    counts = np.concatenate(list(draw_counts(scores, np.random.default_rng(7))))
    assert counts.shape == (500, 15)
    assert set(counts[:, :6].sum(axis=1)) == {5.0}
    assert set(counts[:, 6:].sum(axis=1)) == {8.0}
    (found,) = aggregate(scores, [optimality_gaps], np.random.default_rng(7), alpha=0.1)
    short = np.maximum(0, 1 - scores.values)
    draws = [
        (short[:6].T @ c[:6] / 5 + short[6:].T @ c[6:] / 8) / 2 for c in counts
    ]  # by hand, draw by draw
    assert_allclose(found.lower, np.quantile(draws, 0.05, axis=0), atol=EXACT)
    assert_allclose(found.upper, np.quantile(draws, 0.95, axis=0), atol=EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_improvement_is_the_mean_of_mann_and_whitneys_statistic(seed: int) -> None:
    own = parts(seed, (6, 7, 11))
    better = partial(improvements, first=1)
    (found,) = aggregate(Scores.of(own), [better], np.random.default_rng(1))
    for k in (0, 2):
        shares = [mannwhitneyu(p[:, 1], p[:, k]).statistic / len(p) ** 2 for p in own]
        assert_allclose(found.estimate[k], np.mean(shares), atol=EXACT)
    assert found.estimate[1] == 0.5
    assert found.lower is not None
    assert found.upper is not None
    assert (found.lower[[0, 2]] <= found.estimate[[0, 2]]).all()
    assert (found.estimate[[0, 2]] <= found.upper[[0, 2]]).all()


def test_draws_of_one_fewer_have_the_usual_variance_of_a_mean() -> None:
    values = np.random.default_rng(3).normal(size=(5, 1))
    counts = np.concatenate(
        list(draw_counts(Scores.of([values]), np.random.default_rng(7), 40_000))
    )
    means = counts @ values[:, 0] / 4
    assert means.var() == pytest.approx(values.var(ddof=1) / 5, rel=0.03)  # 4 standard errors


def test_intervals_cover_the_mean_of_further_replications() -> None:
    """Of 300 studies of 4 data sets by 12 replications 95% intervals cover in 90 to 98%.

    Their quantiles are normal instead of those of t: nominal 94.4%; the standard error of the
    share is 1.3%.
    """
    rng = np.random.default_rng(12)
    hits = 0
    for _ in range(300):
        scores = Scores.of([rng.normal(0.5, 0.1, (12, 1)) for _ in range(4)])
        (found,) = aggregate(scores, [optimality_gaps], rng)
        assert found.lower is not None
        assert found.upper is not None
        hits += bool(found.lower[0] <= 0.5 <= found.upper[0])
    assert 0.90 <= hits / 300 <= 0.98


def test_profiles_by_hand() -> None:
    scores = Scores.of([np.array([[0.2, 0.9], [0.4, 0.9]]), np.array([[0.6, 0.1]])])
    levels = np.array([0.0, 0.2, 0.5, 0.9])
    assert_allclose(
        score_profile(scores, levels), [[1, 0.75, 0.5, 0], [1, 0.5, 0.5, 0]], atol=EXACT
    )
    ratios = ratio_profile(np.array([[1.0, 2.0, 4.0], [9.0, 3.0, 3.0]]))
    assert ratios.tolist() == [[1, 3], [1, 2], [1, 4]]


@pytest.mark.parametrize("seed", range(25))
def test_fragility_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 1, (7, 4)) + np.array([0.5, 0.2, 0, 0])
    found = fragility(means)
    first = means.mean(axis=0).argmax()
    fewest = next(
        (
            n
            for n in range(1, 7)
            for gone in combinations(range(7), n)
            if np.delete(means, gone, axis=0).mean(axis=0).argmax() != first
        ),
        None,
    )
    assert (found and len(found.removed)) == fewest
    if found is not None:
        left = np.delete(means, found.removed, axis=0).mean(axis=0)
        assert left[found.successor] > left[first]


def test_a_candidate_that_is_always_first_is_not_fragile() -> None:
    assert fragility(np.array([[2.0, 1.0], [3.0, 2.0]])) is None
    assert fragility(np.array([[2.0, 2.0], [3.0, 3.0]])) is None


def test_golden_numbers_of_rliable() -> None:
    golden = json.loads((ROOT / "tests" / "golden" / "aggregates.json").read_text(encoding="utf-8"))
    runs = np.array(golden["scores"])  # algorithms, runs, tasks
    scores = Scores.of(list(runs.transpose(2, 1, 0)))
    counts = once(scores)
    assert_allclose(
        interquartile_means(scores, counts)[0], golden["interquartile_mean"], atol=EXACT
    )
    assert_allclose(optimality_gaps(scores, counts)[0], golden["optimality_gap"], atol=EXACT)
    better = improvements(scores, counts, first=2)[0, :2]
    assert_allclose(better, golden["improvement"], atol=EXACT)
    profiles = score_profile(scores, np.array(golden["levels"]))
    assert_allclose(profiles, golden["profiles"], atol=EXACT)


def test_improvements_of_draws_are_weighted_shares_of_pairs() -> None:
    own = parts(8, (5, 7, 6), k=4)
    own[0][:, 3] = own[1][2:5, 0] = own[2][1, 2] = np.nan  # a candidate, the first, one score
    scores = Scores.of(own)
    counts = next(draw_counts(scores, np.random.default_rng(2)))[:6]
    for first in (0, 2):
        found = improvements(scores, counts, first=first)
        for r, k in np.ndindex(6, 4):
            shares = []
            for part, weight in zip(own, np.split(counts[r], [5, 12]), strict=True):
                a, b = part[:, first], part[:, k]
                pairs = [(i, j) for i, j in np.ndindex(len(a), len(a)) if a[i] == a[i]]
                pairs = [(i, j) for i, j in pairs if b[j] == b[j]]
                total = sum(weight[i] * weight[j] for i, j in pairs)
                wins = sum(weight[i] * weight[j] * (1.0 + np.sign(a[i] - b[j])) for i, j in pairs)
                shares += [wins / 2 / total] if total else []
            expected = 0.5 if k == first else np.mean(shares)
            assert_allclose(found[r, k], expected, atol=EXACT)


def test_scores_are_sorted_once_for_all_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, sort = Scores.of(parts(9, (300,) * 4)), np.argsort
    lengths: list[int] = []

    def counted(values: np.ndarray, *args: Any, **options: Any) -> np.ndarray:
        lengths.append(len(values))
        return sort(values, *args, **options)

    monkeypatch.setattr(np, "argsort", counted)
    monkeypatch.setattr("reportgen.stats.aggregation.scores._AT_ONCE", scores.values.size * 50)
    statistics = (interquartile_means, partial(improvements, first=0))
    aggregate(scores, statistics, np.random.default_rng(1))
    assert len(lengths) == 4  # three candidates, and the first among all
