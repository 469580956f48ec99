"""The largest |t| under sign flips: enumeration, step-down, size with unequal variances."""

from __future__ import annotations

from itertools import combinations, product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from reportgen.stats.permutation import paired
from reportgen.stats.permutation.paired import paired_permutation, sign_flip_max_t, student_t

Array = NDArray[np.float64]
EXACT = 1e-12  # counts over powers of two
FOUR = 4.0  # standard errors of a simulation
RNG = np.random.default_rng(0)


def by_enumeration(values: Array) -> tuple[Array, Array]:
    """Return single-step and step-down p-values from |t| of all 2^M flips."""
    pairs = list(combinations(range(values.shape[1]), 2))
    d = np.column_stack([values[:, i] - values[:, j] for i, j in pairs])
    signs = np.array(list(product((-1.0, 1.0), repeat=len(d))))
    t = np.abs([[student_t(column) for column in (d * s[:, None]).T] for s in signs])
    observed = np.abs([student_t(column) for column in d.T]) * (1 - 1e-9)
    single = (t.max(axis=1)[:, None] >= observed).mean(axis=0)
    order, down = np.argsort(-observed, kind="stable"), np.empty(len(pairs))
    for place, pair in enumerate(order):
        p = (t[:, order[place:]].max(axis=1) >= observed[pair]).mean()
        down[pair] = p if place == 0 else max(p, down[order[place - 1]])
    return single, down


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_all_flips(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(6, 4)) * [1, 1, 3, 1] + np.array([0, 1, 2, 4])
    single, down = by_enumeration(values)
    found = sign_flip_max_t(values, RNG)
    np.testing.assert_allclose(found.single_step, single, atol=EXACT)
    np.testing.assert_allclose(found.step_down, down, atol=EXACT)
    assert found.n_draws is None
    assert not found.standard_errors.any()
    assert (found.step_down <= found.single_step).all()


@pytest.mark.parametrize("n_units", [9, 20])
def test_flips_of_pairs_are_differences_of_candidates_flips(
    n_units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where rounding cannot count: not of near candidates beside one far away, nor with gaps."""
    values = np.random.default_rng(n_units).normal(size=(n_units, 9)) + np.arange(9)
    values[:, 1] = values[:, 0] + 1e-12 * values[:, 2]
    values[:, 3] = values[:, 4]
    values[:, 5] *= 1e6
    values[:2, 6] = np.nan
    first, second = np.triu_indices(9, 1)
    most = np.sqrt(n_units * np.nansum((values[:, first] - values[:, second]) ** 2, axis=0))
    is_one = paired._Apart.of(values, first, second, most).is_one
    left_out = {(0, 1), (3, 4), *((k, 6) for k in range(6)), (6, 7), (6, 8)}
    assert {(i, j) for i, j, one in zip(first, second, is_one, strict=True) if not one} == left_out
    found = sign_flip_max_t(values, np.random.default_rng(1))
    none = paired._Apart(values, first, second, np.zeros(36, dtype=np.bool_), most)
    monkeypatch.setattr(paired._Apart, "of", lambda *_: none)
    expected = sign_flip_max_t(values, np.random.default_rng(1))
    assert found.single_step.tolist() == expected.single_step.tolist()
    assert found.step_down.tolist() == expected.step_down.tolist()


@pytest.mark.parametrize("n_units", [9, 20])
def test_few_sums_at_a_time_give_the_same(n_units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(n_units).normal(size=(n_units, 4)) + np.array([0, 1, 1, 2])
    whole = sign_flip_max_t(values, np.random.default_rng(1))
    monkeypatch.setattr(paired, "MOST_SUMS", 100)
    found = sign_flip_max_t(values, np.random.default_rng(1))
    assert_allclose(found.single_step, whole.single_step, atol=EXACT)
    assert_allclose(found.step_down, whole.step_down, atol=EXACT)


def test_statistics_are_students_t() -> None:
    values = np.random.default_rng(1).normal(size=(9, 3))
    found = sign_flip_max_t(values, RNG)
    expected = [
        ttest_rel(values[:, i], values[:, j]).statistic for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    np.testing.assert_allclose(found.statistics, expected)


def test_two_candidates_are_the_paired_permutation() -> None:
    values = np.random.default_rng(2).normal(size=(13, 2)) + np.array([0, 0.5])
    found = sign_flip_max_t(values, RNG)
    expected = paired_permutation(values[:, 0] - values[:, 1], RNG).p_value
    assert found.single_step[0] == found.step_down[0] == pytest.approx(expected, abs=EXACT)


def test_random_flips_approach_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.stats.permutation import paired as own

    values = np.random.default_rng(3).normal(size=(14, 5)) * [1, 1, 2, 3, 1] + np.array(
        [0, 0, 1, 1, 0.4]
    )
    exact = sign_flip_max_t(values, RNG)
    assert exact.n_draws is None
    monkeypatch.setattr(own, "ALL_UP_TO", 13)
    drawn = sign_flip_max_t(values, np.random.default_rng(1), 40_000)
    assert drawn.n_draws == 40_000
    for name in ("single_step", "step_down"):
        p = getattr(exact, name)
        error = np.sqrt(p * (1 - p) / 40_000) + 1e-4
        assert (np.abs(getattr(drawn, name) - p) < FOUR * error).all()


@pytest.mark.parametrize(("n_units", "k", "n"), [(10, 6, 500), (21, 12, 200)])
def test_size_with_unequal_variances(n_units: int, k: int, n: int) -> None:
    """Family-wise error, nominal 5%: .053 / .038 (M = 10, K = 6), .065 / .055 (M = 21, K = 12)."""
    for spread in (np.ones(k), np.linspace(0.2, 4, k)):
        rng = np.random.default_rng(k)
        runs = [rng.normal(size=(n_units, k)) * spread for _ in range(n)]
        rate = np.mean([sign_flip_max_t(v, rng, 199).single_step.min() <= 0.05 for v in runs])
        assert 0.01 < rate < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)


def test_strong_control_of_the_step_down_version() -> None:
    """Two pairs alike with different variances, far apart: errors in at most 5%."""
    rng = np.random.default_rng(5)
    n, wrong = 500, np.zeros(2)
    for _ in range(n):
        values = rng.normal(size=(10, 4)) * [1, 1, 4, 4] + np.array([0, 0, 60, 60])
        found = sign_flip_max_t(values, rng)
        wrong += [p[[0, 5]].min() <= 0.05 for p in (found.single_step, found.step_down)]
    assert wrong[0] <= wrong[1]  # single step is no sharper
    assert 0.01 < wrong[1] / n < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)


def test_relabelling_unit_and_direction() -> None:
    values = np.random.default_rng(6).normal(size=(9, 4)) + np.array([0, 0, 1, 2])
    order = [3, 1, 0, 2]
    found = sign_flip_max_t(values, RNG)
    for other in (-values, 100 * values, values[::-1]):
        np.testing.assert_allclose(
            sign_flip_max_t(other, RNG).single_step, found.single_step, atol=EXACT
        )
    moved = sign_flip_max_t(values[:, order], RNG)
    by_pair = dict(zip(zip(found.first, found.second, strict=True), found.step_down, strict=True))
    for i, j, p in zip(moved.first, moved.second, moved.step_down, strict=True):
        assert p == pytest.approx(by_pair[tuple(sorted((order[i], order[j])))], abs=EXACT)


def test_degenerate_differences() -> None:
    values = np.random.default_rng(7).normal(size=(8, 1)) + np.array([[0.0, 0.0, 1.0]])
    found = sign_flip_max_t(values, RNG)
    assert found.statistics.tolist() == [0, -inf, -inf]
    assert found.single_step.tolist() == [1, 2 / 256, 2 / 256]


def test_errors() -> None:
    with pytest.raises(ValueError, match="6 units"):
        sign_flip_max_t(np.ones((5, 3)), RNG)
    with pytest.raises(ValueError, match="two candidates"):
        sign_flip_max_t(np.ones((9, 1)), RNG)


def test_a_unit_that_lacks_a_candidate_has_no_say() -> None:
    values = np.random.default_rng(3).normal(size=(10, 2)) + np.array([0, 0.8])
    with_gaps = np.vstack([values, [[np.nan, 1.0], [2.0, np.nan]]])
    found, expected = sign_flip_max_t(with_gaps, RNG), sign_flip_max_t(values, RNG)
    assert_allclose(found.single_step, expected.single_step)
    assert_allclose(found.statistics, expected.statistics)
    with pytest.raises(ValueError, match="both of a pair"):
        sign_flip_max_t(np.vstack([values[:5], with_gaps[10:]]), RNG)


def test_statistics_are_those_of_each_pair_alone() -> None:
    rng = np.random.default_rng(6)
    values = np.round(rng.normal(size=(30, 5)), 1)
    values[:, 3] = values[:, 2]
    values[:, 4] = values[:, 2] + 0.5
    for gap in (False, True):
        if gap:
            values[3, 0], values[:9, 1] = np.nan, np.nan
        pairs = [values[:, i] - values[:, j] for i in range(5) for j in range(i + 1, 5)]
        expected = [student_t(d[np.isfinite(d)]) for d in pairs]
        assert sign_flip_max_t(values, rng, 99).statistics.tolist() == expected
