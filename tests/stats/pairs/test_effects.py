"""Paired effects against R, brute force, exact coverage and their invariances."""

from __future__ import annotations

from math import comb, inf, isnan, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binomtest, norm, ttest_rel

from reportgen.stats.pairs.effects import net_win_interval, paired_effects

EXACT = 1e-10  # relative: closed forms
SEARCH = 1e-5  # where a numeric maximum is nested in a search

counts = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)).filter(any)


def simulated(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(15, 4)) + rng.normal(size=(15, 1)) + np.arange(4) / 3, 1)


def test_by_hand() -> None:
    """Differences -1, -3, -2, 0: mean -1.5, variance 5/3."""
    values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [3.0, 3.0]])
    (found,) = paired_effects(values)
    assert found is not None
    assert (found.n_blocks, found.wins, found.ties, found.losses) == (4, 3, 1, 0)
    assert found.d == pytest.approx(-1.5 / sqrt(5 / 3), rel=EXACT)
    # uniroot() on pt(-2.3238, 3, ncp) / 2 of R 4.2.2
    assert (found.d_lower, found.d_upper) == pytest.approx(
        (-2.4377816796759, 0.2014957199714), rel=1e-8
    )
    assert found.superiority == 3.5 / 4
    assert found.net_wins == 3 / 4
    spread = (3 * 1**2 + 1 * 0.5**2) / 4 - (3.5 / 4) ** 2  # of 1, 1, 1, 1/2
    assert found.superiority_error == pytest.approx(sqrt(spread / 4), rel=EXACT)
    lower, upper = net_win_interval(3, 0, 4, 0.05)
    assert (found.superiority_lower, found.superiority_upper) == ((1 + lower) / 2, (1 + upper) / 2)


@given(st.integers(0, 10_000), st.floats(0.01, 0.5))
def test_mean_is_that_of_the_paired_t(seed: int, alpha: float) -> None:
    values = simulated(seed)
    found = paired_effects(values, alpha)[0]
    expected = ttest_rel(values[:, 0], values[:, 1]).confidence_interval(1 - alpha)
    assert (found.mean_lower, found.mean_upper) == pytest.approx(tuple(expected), rel=1e-8)
    is_significant = found.mean_lower > 0 or found.mean_upper < 0
    assert is_significant == (found.d_lower > 0 or found.d_upper < 0)  # both by the same t


def constrained_loss(delta: float, wins: int, ties: int, losses: int) -> float:
    """Maximise the likelihood of (loss + delta, tie, loss) over the probability of a loss."""

    def minus_log_likelihood(q: float) -> float:
        cells = (q + delta, 1 - 2 * q - delta, q)
        terms = zip((wins, ties, losses), cells, strict=True)
        return -sum(n * log(max(p, 1e-300)) for n, p in terms if n)

    bounds = (max(0.0, -delta), (1 - delta) / 2)
    return minimize_scalar(
        minus_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-12}
    ).x


@given(counts, st.sampled_from([0.05, 0.2]))
def test_score_interval_by_numeric_likelihood(numbers: tuple[int, int, int], alpha: float) -> None:
    wins, ties, losses = numbers
    n = sum(numbers)

    def score(delta: float) -> float:
        q = constrained_loss(delta, wins, ties, losses)
        return (wins - losses - n * delta) / sqrt(n * max(2 * q + delta * (1 - delta), 1e-12))

    estimate, z = (wins - losses) / n, norm.isf(alpha / 2)
    lower, upper = net_win_interval(wins, losses, n, alpha)
    assert -1 <= lower <= estimate <= upper <= 1
    near = 1e-7
    if upper < 1 - near:
        expected = brentq(lambda d: score(d) + z, estimate + near, 1 - near)
        assert upper == pytest.approx(expected, abs=SEARCH)
    if lower > -1 + near:
        expected = brentq(lambda d: score(d) - z, -1 + near, estimate - near)
        assert lower == pytest.approx(expected, abs=SEARCH)


@given(st.integers(0, 40), st.integers(0, 40))
def test_wilson_without_ties(wins: int, losses: int) -> None:
    n = wins + losses
    if n == 0:
        return
    expected = binomtest(wins, n).proportion_ci(0.95, method="wilson")
    lower, upper = net_win_interval(wins, losses, n, 0.05)
    assert ((1 + lower) / 2, (1 + upper) / 2) == pytest.approx(tuple(expected), abs=1e-9)


def test_all_ties() -> None:
    """No win in n: z^2 / (n + z^2) to both sides."""
    z = norm.isf(0.025)
    expected = z**2 / (20 + z**2)
    found = net_win_interval([0, 0], [0, 0], [20, 20], 0.05)
    assert np.stack(found) == pytest.approx(np.array([[-expected] * 2, [expected] * 2]), rel=1e-9)


@pytest.mark.parametrize("cells", [(0.5, 0.0, 0.5), (0.3, 0.5, 0.2), (0.8, 0.15, 0.05)])
def test_score_interval_covers(cells: tuple[float, float, float]) -> None:
    """Exact coverage over all outcomes of 25 replications: near .95, never below .92."""
    n, truth, covered = 25, cells[0] - cells[2], 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            ties = n - wins - losses
            p = comb(n, wins) * comb(n - wins, losses)
            p *= cells[0] ** wins * cells[1] ** ties * cells[2] ** losses
            if p > 1e-9:
                lower, upper = net_win_interval(wins, losses, n, 0.05)
                covered += p * (lower <= truth <= upper)
    assert 0.92 < covered < 0.975


@given(st.integers(0, 10_000), st.permutations(range(4)), st.floats(0.01, 100))
def test_relabelling_and_scale(seed: int, order: list[int], factor: float) -> None:
    values = simulated(seed)
    plain = dict(zip(all_pairs(), paired_effects(values), strict=True))
    moved = dict(zip(all_pairs(), paired_effects(factor * values[:, order]), strict=True))
    for (i, j), found in moved.items():
        a, b = order[i], order[j]
        before = plain[min(a, b), max(a, b)]
        if a < b:
            assert found.mean == pytest.approx(factor * before.mean, rel=1e-9, abs=1e-12 * factor)
            assert (found.wins, found.losses) == (before.wins, before.losses)
            assert found.d_lower == pytest.approx(before.d_lower, rel=1e-7, abs=1e-9)
        else:
            assert (found.wins, found.losses) == (before.losses, before.wins)
            assert found.d_lower == pytest.approx(-before.d_upper, rel=1e-7, abs=1e-9)
            assert found.superiority == pytest.approx(1 - before.superiority, rel=EXACT)
            assert found.superiority_lower == pytest.approx(
                1 - before.superiority_upper, rel=1e-9, abs=1e-12
            )


@given(st.integers(0, 10_000))
def test_direction(seed: int) -> None:
    """What is better turns with the direction, what is larger does not."""
    values = simulated(seed)
    smaller, larger = paired_effects(values)[0], paired_effects(values, is_smaller_better=False)[0]
    assert (smaller.wins, smaller.ties, smaller.losses) == (
        larger.losses,
        larger.ties,
        larger.wins,
    )
    assert (smaller.mean, smaller.d_upper) == (larger.mean, larger.d_upper)
    assert smaller.superiority == pytest.approx(1 - larger.superiority)


def all_pairs() -> list[tuple[int, int]]:
    return [(i, j) for i in range(4) for j in range(i + 1, 4)]


def test_missing_values() -> None:
    values = simulated(3)[:, :3]
    values[:5, 1] = np.nan
    values[5:, 2] = np.nan
    first, second, third = paired_effects(values)
    assert (first.n_blocks, second.n_blocks, third) == (10, 5, None)
    assert first == paired_effects(values[5:, :2])[0]


def test_nothing_varies() -> None:
    column = np.array([0.1, 0.4, 0.2])
    found = paired_effects(np.column_stack([column, column + 0.3, column]))
    assert [effect.d for effect in (found[0], found[2])] == [-inf, inf]
    assert isnan(found[1].d)
    assert (found[1].mean_lower, found[1].mean_upper) == (0, 0)
    (single,) = paired_effects(np.array([[1.0, 2.0]]))
    assert isnan(single.d)
    assert isnan(single.mean_lower)
    assert isnan(single.deviation)
    assert (single.mean, single.superiority) == (-1.0, 1.0)


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        paired_effects(np.ones((3, 1)))
    with pytest.raises(ValueError, match="alpha"):
        paired_effects(np.ones((3, 2)), alpha=0.0)
