"""The correction for skewness, against the formulas of the text and roots found numerically."""

from __future__ import annotations

from math import copysign, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom
from scipy.stats import skew as scipy_skew

from reportgen.stats.skewness import (
    FEWEST_VALUES,
    excluded_share,
    mean_interval,
    reach,
    sign_interval,
    skewness,
    t_star,
)

CLOSE = 1e-9  # relative: a closed form against a root, both in double precision

leans = st.floats(-1, 1)  # G / sqrt(n) of n values is below 1 but for few of them
statistics = st.floats(-50, 50)
criticals = st.floats(1.5, 30)


def hall(t: float, k: float) -> float:
    """Hall's transformation as the paper has it, with k = g / (3 sqrt(n))."""
    return t + k * t**2 + k**2 * t**3 / 3 + k / 2


def by_the_text(t: float, lean: float) -> float:
    """T* by cases: the tail to 0 is corrected, at most by half."""
    k = lean / 3
    size = abs(t)
    if t == 0 or copysign(1, t) * k >= 0:  # the tail points away from 0
        return t
    if abs(k) * size >= (3 - sqrt(3)) / 2:
        return t / 2
    moved = hall(size, -abs(k))
    return copysign(min(size, max(size / 2, moved)), t)


def one(x: float) -> np.ndarray:
    return np.array([x])


# ------------------------------------------------------------------------------- skewness


def test_skewness_of_columns_with_gaps() -> None:
    rng = np.random.default_rng(1)
    values = rng.exponential(size=(40, 3))
    values[rng.random((40, 3)) < 0.2] = np.nan
    deviations = values - np.nanmean(values, axis=0)
    counts = np.isfinite(values).sum(axis=0)
    found = skewness(np.nan_to_num(deviations), counts)
    expected = scipy_skew(values, nan_policy="omit", bias=False)
    assert found == pytest.approx(np.asarray(expected), rel=CLOSE)
    assert (found > 0.5).all()


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e150, 1e300])
def test_skewness_has_no_unit(unit: float) -> None:
    deviations = np.array([[-1.0, 0.0]] * 4 + [[0.0, 0.0], [4.0, 0.0]])
    expected = scipy_skew(deviations[:, 0], bias=False)
    assert skewness(deviations * unit, np.array([6, 6])) == pytest.approx([expected, 0.0])


@pytest.mark.parametrize("n", range(8))
def test_few_values_say_nothing_of_skewness(n: int) -> None:
    deviations = np.array([1.0 - n, *[1.0] * (n - 1)][:n]).reshape(n, 1)
    found = float(skewness(deviations, np.array([n]))[0])
    assert (found == 0) == (n < FEWEST_VALUES)


# ------------------------------------------------------------------------------------- t*


@given(statistics, leans)
def test_the_statistic_is_that_of_the_text(t: float, lean: float) -> None:
    found = float(t_star(one(t), one(lean))[0])
    assert found == pytest.approx(by_the_text(t, lean), rel=1e-7, abs=1e-7)


def test_no_skewness_is_no_correction() -> None:
    t = np.array([-3.0, 0.0, 2.5, np.inf, -np.inf])
    assert t_star(t, np.zeros(5)).tolist() == t.tolist()
    assert [side.tolist() for side in reach(one(2.0), one(0.0))] == [[2.0], [2.0]]


@pytest.mark.parametrize("lean", [1e-12, 1e-9, 1e-8, 1e-6])
def test_little_skewness_is_little_correction(lean: float) -> None:
    assert t_star(one(-2.0), one(lean))[0] == pytest.approx(-2.0, abs=2 * lean)
    assert reach(one(2.0), one(lean))[1][0] == pytest.approx(2.0, abs=2 * lean)


@given(statistics, leans)
def test_correction_only_takes_away_and_half_at_most(t: float, lean: float) -> None:
    found = float(t_star(one(t), one(lean))[0])
    assert abs(t) / 2 <= abs(found) <= abs(t)
    assert found * t >= 0
    if t * lean >= 0:  # the long tail points away from 0
        assert found == t


@pytest.mark.parametrize("lean", np.linspace(-1, 1, 21).tolist())
def test_the_statistic_increases(lean: float) -> None:
    t = np.linspace(-40, 40, 8001)
    assert (np.diff(t_star(t, np.full_like(t, lean))) >= -CLOSE).all()


# -------------------------------------------------------------------------------- intervals


@pytest.mark.slow
def test_limits_are_the_inverse_of_the_statistic() -> None:
    rng = np.random.default_rng(7)
    c = np.exp(rng.uniform(np.log(1.5), np.log(30), 20_000))
    lean = rng.uniform(-1, 1, 20_000)
    below, above = reach(c, lean)
    assert t_star(below, lean) == pytest.approx(c, rel=CLOSE)
    assert t_star(-above, lean) == pytest.approx(-c, rel=CLOSE)


@given(criticals, leans)
def test_limits_are_roots(c: float, lean: float) -> None:
    """The side of the tail is the root of Hall's cubic, where that lies between c and 2 c."""
    q = abs(lean) / 3
    _, above = (float(side[0]) for side in reach(one(c), one(abs(lean))))
    if q < 1e-6:
        assert above == pytest.approx(c, rel=1e-5)
        return
    cubic = lambda t: by_the_text(t, -abs(lean)) - c  # noqa: E731
    root = brentq(cubic, c * (1 - 1e-12), 2 * c * (1 + 1e-12), xtol=1e-14, rtol=1e-13)
    assert by_the_text(above, -abs(lean)) == pytest.approx(c, rel=1e-7)
    assert above == pytest.approx(root, rel=1e-4)  # the cubic is flat near its turn


@given(statistics, criticals, leans)
def test_a_statistic_beyond_c_is_an_interval_without_0(t: float, c: float, lean: float) -> None:
    below, above = (float(side[0]) for side in reach(one(c), one(lean)))
    assert c <= below <= 2 * c * (1 + CLOSE)
    assert c <= above <= 2 * c * (1 + CLOSE)
    found = float(t_star(one(t), one(lean))[0])
    if min(abs(t - below), abs(t + above)) > 1e-6:
        assert (found > c) == (t > below)  # the interval is (t - below, t + above)
        assert (found < -c) == (t < -above)


def test_limits_increase_with_the_critical_value() -> None:
    c = np.linspace(1, 40, 4000)
    for lean in np.linspace(0.01, 1, 20):
        assert (np.diff(reach(c, np.full_like(c, lean))[1]) >= -CLOSE).all()


def test_mirror() -> None:
    rng = np.random.default_rng(2)
    t, lean = rng.normal(size=300) * 3, rng.uniform(-1, 1, size=300)
    assert t_star(-t, -lean).tolist() == (-t_star(t, lean)).tolist()
    below, above = reach(np.abs(t), lean)
    other_below, other_above = reach(np.abs(t), -lean)
    assert other_above.tolist() == below.tolist()
    assert other_below.tolist() == above.tolist()


# ------------------------------------------------------------------------------- no spread


@pytest.mark.parametrize("n", [6, 10, 20, 50])
@pytest.mark.parametrize("alpha", [0.05, 0.005])
def test_signs_have_the_limits_of_clopper_and_pearson(n: int, alpha: float) -> None:
    """The least share p of this sign for which n of n has the probability alpha / 2."""
    share = brentq(lambda p: float(binom.sf(n - 1, n, p)) - alpha / 2, 1e-6, 1 - 1e-12)
    low, high = (float(x[0]) for x in sign_interval(one(0.02), one(2.0 ** (1 - n)), alpha))
    assert low == pytest.approx(0.02 * share - 0.02 * (1 - share), rel=1e-6)
    assert high == pytest.approx(0.02 * share + 3 * 0.02 * (1 - share), rel=1e-6)


@pytest.mark.parametrize(
    ("n", "limits"),
    [(6, (0.0016, 0.0384)), (10, (0.0077, 0.0323)), (20, (0.0133, 0.0267)), (50, (0.0172, 0.0228))],
)
def test_a_constant_of_two_points(n: int, limits: tuple[float, float]) -> None:
    found = sign_interval(one(0.02), one(2.0 ** (1 - n)), 0.05)
    assert [float(x[0]) for x in found] == pytest.approx(limits, abs=5e-5)


@given(st.integers(2, 60), st.integers(1, 200), st.sampled_from([-0.02, 3.0]))
def test_signs_decide_as_their_p_value(n: int, m: int, d: float) -> None:
    low, high = (float(x[0]) for x in sign_interval(one(d), one(2.0 ** (1 - n)), 0.05 / m))
    assert low < d < high
    assert (low > 0 or high < 0) == (m * 2.0 ** (1 - n) < 0.05)


def test_without_spread_and_signs_there_is_no_interval() -> None:
    zero, single = (
        mean_interval(one(d), one(0.0), one(0.0), one(2.0), np.array([False]), one(p), 0.05)
        for d, p in ((0.0, 1.0), (0.3, np.nan))
    )
    assert np.isnan([*zero, *single]).all()


@pytest.mark.parametrize(("n", "share"), [(10, 0.26), (20, 0.14), (50, 0.06)])
def test_what_equal_units_exclude(n: int, share: float) -> None:
    found = float(excluded_share(np.array([n]), 0.05)[0])
    assert found == pytest.approx(share, abs=5e-3)
    assert (1 - found) ** n == pytest.approx(0.05, rel=CLOSE)  # the chance to see none of them
