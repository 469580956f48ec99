"""Hall's correction, against the formula of the paper and roots found numerically."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import skew as scipy_skew

from reportgen.stats.pairs.skewness import corrected, inverse, limits, skewness, transform

CLOSE = 1e-9  # relative: a closed form against a root, both in double precision

sizes = st.integers(2, 400)
skews = st.floats(-20, 20)
statistics = st.floats(-50, 50)


def cubic(t: float, g: float, n: int) -> float:
    """Hall's transformation as the text has it."""
    k = g / (3 * n**0.5)
    return t + k * t**2 + k**2 * t**3 / 3 + g / (6 * n**0.5)


def one(x: float) -> np.ndarray:
    return np.array([x])


def test_skewness_of_columns_with_gaps() -> None:
    rng = np.random.default_rng(1)
    values = rng.exponential(size=(40, 3))
    values[rng.random((40, 3)) < 0.2] = np.nan
    deviations = values - np.nanmean(values, axis=0)
    counts = np.isfinite(values).sum(axis=0)
    found = skewness(np.nan_to_num(deviations), counts)
    assert found == pytest.approx(scipy_skew(values, nan_policy="omit"), rel=CLOSE)
    assert (found > 0.5).all()


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e150, 1e300])
def test_skewness_has_no_unit(unit: float) -> None:
    deviations = np.array([[-1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]])
    assert skewness(deviations * unit, np.array([3, 3])) == pytest.approx([0.5**0.5, 0.0])


@given(statistics, skews, sizes)
def test_transformation_is_the_formula(t: float, g: float, n: int) -> None:
    found = float(transform(one(t), one(g), np.array([n]))[0])
    assert found == pytest.approx(cubic(t, g, n), rel=CLOSE, abs=CLOSE)


@given(statistics, st.floats(-1, 1), sizes)
def test_inverse_is_the_root(y: float, share: float, n: int) -> None:
    g = share * n**0.5  # no n values are more skewed
    root = brentq(lambda t: cubic(t, g, n) - y, -1e4, 1e4, xtol=1e-13, rtol=1e-14)
    found = float(inverse(one(y), one(g), np.array([n]))[0])
    assert cubic(found, g, n) == pytest.approx(y, abs=1e-8)
    if abs(1 + g / (3 * n**0.5) * root) > 0.1:  # elsewhere the cubic is flat
        assert found == pytest.approx(root, rel=1e-6, abs=1e-7)


def test_no_skewness_is_no_correction() -> None:
    t = np.array([-3.0, 0.0, 2.5])
    zero, n = np.zeros(3), np.full(3, 10)
    for function in (transform, inverse, corrected):
        assert function(t, zero, n).tolist() == t.tolist()
    assert [side.tolist() for side in limits(np.array([2.0]), one(0.0), one(10))] == [[2.0], [2.0]]


@pytest.mark.parametrize("g", [1e-12, 1e-8, 1e-6])
def test_little_skewness_is_little_correction(g: float) -> None:
    n = np.array([50])
    assert inverse(one(2.0), one(g), n)[0] == pytest.approx(2.0, abs=2 * g)
    assert inverse(transform(one(2.0), one(g), n), one(g), n)[0] == pytest.approx(2.0, rel=CLOSE)


@given(statistics, skews, sizes)
def test_corrected_only_takes_away(t: float, g: float, n: int) -> None:
    found, moved = float(corrected(one(t), one(g), np.array([n]))[0]), cubic(t, g, n)
    if t * moved <= 0:
        assert abs(found) <= 1e-12
    else:
        assert np.sign(found) == np.sign(t)
        assert abs(found) == pytest.approx(min(abs(t), abs(moved)), rel=CLOSE)


@given(statistics, st.floats(0.5, 30), skews, sizes)
def test_limits_are_where_the_corrected_statistic_reaches(
    t: float, c: float, g: float, n: int
) -> None:
    below, above = (float(side[0]) for side in limits(one(c), one(g), np.array([n])))
    assert below >= c
    assert above >= c
    found = float(corrected(one(t), one(g), np.array([n]))[0])
    if min(abs(t - above), abs(t + below)) > 1e-6:
        assert (found > c) == (t > above)
        assert (found < -c) == (t < -below)


def test_mirror() -> None:
    rng = np.random.default_rng(2)
    t, g, n = rng.normal(size=30) * 3, rng.normal(size=30), rng.integers(2, 90, size=30)
    assert corrected(-t, -g, n).tolist() == (-corrected(t, g, n)).tolist()
    below, above = limits(np.abs(t), g, n)
    other_below, other_above = limits(np.abs(t), -g, n)
    assert other_above.tolist() == pytest.approx(below.tolist(), rel=CLOSE)
    assert other_below.tolist() == pytest.approx(above.tolist(), rel=CLOSE)
