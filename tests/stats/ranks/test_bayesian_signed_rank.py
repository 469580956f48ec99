"""The Bayesian signed rank test against its definition, exact moments, baycomp, and symmetry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.ranks.bayesian_signed_rank import signed_rank_posterior

MONTE_CARLO = 5  # standard errors
EXACT = 1e-9


def found(means: np.ndarray, seed: int = 1, **options):
    return signed_rank_posterior(means, np.random.default_rng(seed), **options)


def by_definition(z: np.ndarray, area, weight: float, n_draws: int, seed: int) -> np.ndarray:
    """Return the shares of draws that each side wins, by the full double sum of every draw."""
    z = np.concatenate([[0.0], z])
    sums = z[:, None] + z
    below, above = np.heaviside(2 * area[0] - sums, 0.5), np.heaviside(sums - 2 * area[1], 0.5)
    parameters = np.array([weight] + [1.0] * (len(z) - 1))
    won = np.zeros(3)
    for w in np.random.default_rng(seed).dirichlet(parameters, size=n_draws):
        left, right = float(w @ below @ w), float(w @ above @ w)
        won[np.argmax([left, 1 - left - right, right])] += 1
    return won / n_draws


@given(st.integers(0, 10_000), st.integers(1, 15), st.floats(0.01, 0.5), st.floats(0.1, 3))
def test_definition(seed: int, m: int, width: float, weight: float) -> None:
    """The same draws, in one batch, give the same winners."""
    means = np.random.default_rng(seed).normal(size=(m, 2)) * 0.4
    result = found(means, 7, area=(-width, width), prior_weight=weight, n_draws=200)
    expected = by_definition(means[:, 0] - means[:, 1], (-width, width), weight, 200, 7)
    np.testing.assert_allclose([result.left[0], result.rope[0], result.right[0]], expected)


@pytest.mark.parametrize("area", [(0.0, 0.0), (-0.2, 0.1)])
def test_some_pairs_are_as_among_all(area: tuple[float, float]) -> None:
    means = np.round(np.random.default_rng(4).normal(size=(9, 5)), 1)
    every = found(means, area=area)
    some = found(means, area=area, pairs=np.array([(0, 3), (3, 0), (2, 4)]))
    for name in ("left", "rope", "right", "errors", "mean_left"):
        both, own = getattr(every, name), getattr(some, name)
        assert (own[0], own[2]) == (both[2], both[8])
    if area == (0.0, 0.0):
        assert some.left[1] == pytest.approx(some.right[0], rel=EXACT)


def test_posterior_means_are_those_of_draws() -> None:
    means = np.round(8 * np.random.default_rng(2).normal(size=(9, 2))) / 8  # sums are exact
    result = found(means, area=(-0.25, 0.25))
    z = np.concatenate([[0.0], means[:, 0] - means[:, 1]])
    sums = z[:, None] + z
    weights = np.random.default_rng(3).dirichlet([0.5] + [1.0] * 9, size=20_000)
    for side, indicator in [
        (result.mean_left, np.heaviside(-0.5 - sums, 0.5)),
        (result.mean_right, np.heaviside(sums - 0.5, 0.5)),
    ]:
        draws = np.einsum("ri,ij,rj->r", weights, indicator, weights)
        assert side[0] == pytest.approx(draws.mean(), abs=MONTE_CARLO * draws.std() / 141)
    total = result.mean_left + result.mean_rope + result.mean_right
    assert total[0] == pytest.approx(1, rel=EXACT)


def test_baycomp() -> None:
    """SignedRankTest.probs(y, x, .01, nsamples=50000, random_state=1) of baycomp 1.0.3."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=14) * 0.03 + 0.2
    y = rng.normal(size=14) * 0.03 + 0.2 + 0.01
    result = found(np.column_stack([x, y]), area=(-0.01, 0.01), n_draws=50_000)
    sides = [result.left[0], result.rope[0], result.right[0]]
    np.testing.assert_allclose(sides, [0.94154, 0.0005, 0.05796], atol=5e-3)


@given(st.integers(0, 10_000), st.permutations(range(4)), st.floats(-20, -0.1))
def test_relabelling_turning_and_scale(seed: int, order: list[int], factor: float) -> None:
    """Pairs share their draws, so that names and units change nothing at all."""
    means = np.random.default_rng(seed).normal(size=(8, 4))
    plain = found(means, area=(-0.3, 0.3), n_draws=300)
    width = -0.3 * factor
    moved = found(factor * means[:, order], area=(-width, width), n_draws=300)
    place = {(i, j): p for p, (i, j) in enumerate(zip(plain.first, plain.second, strict=True))}
    for q, (i, j) in enumerate(zip(moved.first, moved.second, strict=True)):
        a, b = order[i], order[j]
        p = place[min(a, b), max(a, b)]
        sides = (moved.left[q], moved.right[q])
        expected = (plain.right[p], plain.left[p])  # the factor is negative
        assert sides == pytest.approx(expected if a < b else expected[::-1], abs=0.01)
        assert moved.mean_rope[q] == pytest.approx(plain.mean_rope[p], abs=EXACT)


def test_equal_candidates_are_even() -> None:
    means = np.random.default_rng(5).normal(size=(10, 1)) * [1, 1]
    without, within = found(means), found(means, area=(-0.1, 0.1))
    assert (without.left[0], without.rope[0], without.right[0]) == (0.5, 0.0, 0.5)
    assert (without.mean_left[0], without.mean_right[0]) == pytest.approx((0.5, 0.5), rel=EXACT)
    assert (within.left[0], within.rope[0], within.right[0]) == (0.0, 1.0, 0.0)
    assert within.errors[0] == 0


def test_more_prior_weight_draws_to_the_area() -> None:
    means = np.column_stack([np.full(6, 0.1), np.zeros(6)])
    light, heavy = (found(means, area=(-0.05, 0.05), prior_weight=s) for s in (0.5, 10.0))
    assert light.right[0] > 0.99 > heavy.right[0]
    assert heavy.mean_rope[0] > light.mean_rope[0]


def test_batches_change_nothing(monkeypatch) -> None:
    means = np.random.default_rng(6).normal(size=(9, 3))
    whole = found(means, n_draws=100)
    monkeypatch.setattr("reportgen.stats.ranks.bayesian_signed_rank.AT_ONCE", 70)
    np.testing.assert_allclose(found(means, n_draws=100).left, whole.left)


def test_frequency_without_a_difference() -> None:
    """P(left) above .95 or below .05 in about 10% of domains without a difference, 400 runs."""
    rng = np.random.default_rng(8)
    left = np.array([found(rng.normal(size=(20, 2)), n_draws=400).left[0] for _ in range(400)])
    assert np.mean((left > 0.95) | (left < 0.05)) == pytest.approx(0.1, abs=0.06)


def test_errors() -> None:
    with pytest.raises(ValueError, match="contain 0"):
        found(np.ones((3, 2)), area=(0.1, 0.2))
    with pytest.raises(ValueError, match="two candidates"):
        found(np.ones((3, 1)))
    with pytest.raises(ValueError, match="prior"):
        found(np.ones((3, 2)), prior_weight=0.0)
    with pytest.raises(ValueError, match="draw"):
        found(np.ones((3, 2)), n_draws=0)
