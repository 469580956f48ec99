"""Combining functions: closed forms, integration, and the law of q under equality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import kstest, norm

from reportgen.stats.sequential.recursive import FisherProduct, InverseNormal, stagewise_p_value

ROUNDING = 1e-9
INTEGRAL = 1e-8  # of scipy's adaptive quadrature with a kink
COMBINATIONS = [FisherProduct(), InverseNormal(), InverseNormal(5)]
levels = st.floats(1e-3, 0.3)


@pytest.mark.parametrize("combination", COMBINATIONS)
@given(levels, st.floats(0.0, 0.99), st.floats(0.4, 1.0))
def test_c_has_the_level(combination, level: float, share: float, accept: float) -> None:
    reject = level * share
    c = combination.critical(level, reject, accept, 1)
    assert combination.level(c, reject, accept, 1) == pytest.approx(level, rel=ROUNDING)
    rest, _ = quad(
        lambda x: combination.remaining(c, x, 1),
        reject,
        accept,
        points=[min(c, accept)] if 0 < c < accept else None,
        limit=200,
    )
    assert reject + rest == pytest.approx(level, rel=1e-6, abs=INTEGRAL)


def test_closed_form_and_root_meet() -> None:
    """The two meet where c = alpha_1: alpha_1 (1 + ln(alpha_0 / alpha_1)) = alpha, at .00891."""
    fisher = FisherProduct()
    c = fisher.critical(0.05, 0.00891, 0.9, 1)
    assert c == pytest.approx(0.00891, rel=1e-3)
    below = fisher.critical(0.05, 0.0089, 0.9, 1)
    assert below == pytest.approx(fisher.critical(0.05, 0.0, 0.9, 1), rel=ROUNDING)
    assert below > 0.0089
    closed = (0.05 - 0.001) / np.log(900)  # the formula outside its range: too small
    assert closed < fisher.critical(0.05, 0.001, 0.9, 1)
    assert fisher.level(closed, 0.001, 0.9, 1) == pytest.approx(0.0420, abs=5e-4)
    closed = (0.05 - 0.005) / np.log(180)
    assert fisher.level(closed, 0.005, 0.9, 1) == pytest.approx(0.0489, abs=5e-4)


def test_q_is_right_and_continuous_where_its_branches_meet() -> None:
    expected = 0.01 + 0.01 * np.log(90)
    for second in (0.1 - 1e-9, 0.1, 0.1 + 1e-9):
        q = stagewise_p_value(0.1, second, 0.01, 0.9, FisherProduct())
        assert q == pytest.approx(0.0549981, abs=1e-7)
        assert q == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize(("reject", "accept"), [(0.01, 0.9), (0.0, 1.0), (0.1, 0.3)])
def test_q_is_uniform(combination, reject: float, accept: float) -> None:
    p = np.random.default_rng(3).random((2000, 2)).tolist()
    q = [stagewise_p_value(*pair, reject, accept, combination) for pair in p]
    assert kstest(q, "uniform").pvalue > 0.01


@pytest.mark.parametrize("combination", COMBINATIONS)
@given(st.floats(0.02, 0.89), st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_q_grows_with_each_p_value(combination, first: float, a: float, b: float) -> None:
    low, high = sorted((a, b))
    q = [stagewise_p_value(first, p, 0.01, 0.9, combination) for p in (low, high)]
    assert 0.01 - 1e-12 <= q[0] <= q[1] + 1e-12 <= 0.9 + 1e-9


def test_stage_decides_alone() -> None:
    assert stagewise_p_value(0.005, 0.9, 0.01, 0.9, FisherProduct()) == 0.005
    assert stagewise_p_value(0.95, 0.1, 0.01, 0.9, FisherProduct()) == 0.95


def test_inverse_normal_by_hand() -> None:
    """Without early decisions C is standard normal, so c is its quantile."""
    for n_stages in (2, 4):
        c = InverseNormal(n_stages).critical(0.05, 0.0, 1.0, 1)
        assert c == pytest.approx(norm.isf(0.05), rel=1e-9)
    own, rest = InverseNormal(4).weights(1)
    assert (own**2, rest**2) == pytest.approx((0.25, 0.75))
    assert InverseNormal(4).weights(3) == InverseNormal().weights(1)
