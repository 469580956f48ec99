"""Dunnett's law against published tables, special cases and finer steps."""

from __future__ import annotations

from itertools import product
from math import inf, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, stdtr

from reportgen.stats.distributions import dunnett as own
from reportgen.stats.distributions.dunnett import quantile, survival

RELATIVE = 1e-12  # what the module promises for up to 200 comparisons
PRINTED = 0.0051  # half a unit of the last digit printed
FOUR = 4.0  # standard errors of a simulation


@pytest.mark.parametrize(
    ("n_comparisons", "df", "two_sided", "one_sided"),
    [  # upper 5% points: Dunnett (1964) two-sided, Dunnett (1955) one-sided
        (1, 5, 2.57, 2.02),
        (2, 5, 3.03, 2.44),
        (3, 10, 2.76, 2.34),
        (4, 20, 2.65, 2.30),
        (9, 20, 2.95, 2.60),
        (5, 60, 2.58, 2.28),
        (2, 120, 2.24, 1.93),
        (3, inf, 2.35, 2.06),
        (9, inf, 2.69, 2.42),
    ],
)
def test_table(n_comparisons: int, df: float, two_sided: float, one_sided: float) -> None:
    assert quantile(0.05, n_comparisons, df) == pytest.approx(two_sided, abs=PRINTED)
    assert quantile(0.05, n_comparisons, df, two_sided=False) == pytest.approx(
        one_sided, abs=PRINTED
    )


@pytest.mark.parametrize(
    ("n_comparisons", "df", "expected"), [(1, 5, 4.03), (3, 10, 3.74), (9, inf, 3.22)]
)
def test_table_at_1_percent(n_comparisons: int, df: float, expected: float) -> None:
    assert quantile(0.01, n_comparisons, df) == pytest.approx(expected, abs=PRINTED)


@pytest.mark.parametrize("df", [1, 2, 5, 30, 1245, 1e5])
def test_one_comparison_is_students_t(df: float) -> None:
    t = np.array([0.001, 0.5, 2.0, 5.0, 20.0])
    np.testing.assert_allclose(survival(t, 1, df), 2 * stdtr(df, -t), rtol=RELATIVE)
    for side in (t, -t):
        np.testing.assert_allclose(
            survival(side, 1, df, two_sided=False), stdtr(df, -side), rtol=RELATIVE
        )


def test_one_comparison_of_known_variance_is_normal() -> None:
    z = np.array([0.01, 0.5, 5.0, 15.0, 30.0])
    np.testing.assert_allclose(survival(z, 1), 2 * ndtr(-z), rtol=RELATIVE)


def test_orthant_probabilities() -> None:
    """P(all differences from the reference <= 0) is that of its being the largest."""
    for m in (1, 2, 5, 40):
        assert survival(0.0, m, two_sided=False) == pytest.approx(m / (m + 1), rel=RELATIVE)
        assert survival(0.0, m, 3, two_sided=False) == pytest.approx(m / (m + 1), rel=RELATIVE)


@pytest.mark.parametrize("c", [0.4, 1.0, 2.5])
def test_two_comparisons_by_owens_t(c: float) -> None:
    """P(|Z_1| <= c, |Z_2| <= c) at correlation 1/2, the bivariate normal in one dimension."""
    from scipy.integrate import quad

    def density(z: float) -> float:
        spread = sqrt(3) / 2
        inner = ndtr((c - z / 2) / spread) - ndtr((-c - z / 2) / spread)
        return float(np.exp(-z * z / 2) / sqrt(2 * pi) * inner)

    inside, _ = quad(density, -c, c, epsabs=1e-13)
    assert survival(c, 2) == pytest.approx(1 - inside, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "df"), [*product((1, 5, 29), (1, 10, 1245, inf)), (199, 10), (199, inf)]
)
def test_finer_steps_change_nothing(m: int, df: float, monkeypatch: pytest.MonkeyPatch) -> None:
    c = np.array([-3, -1, 1e-6, 0.05, 0.3, 1, 3, 4, 6, 10, 20, 30])
    found = [survival(c, m, df, two_sided) for two_sided in (True, False)]
    for name, finer in (
        ("NORMAL_STEP", 0.07),
        ("SCALE_STEP", 0.25),
        ("LARGEST_STEP", 0.05),
        ("TAIL", 60.0),
    ):
        monkeypatch.setattr(own, name, finer)
    expected = [survival(c, m, df, two_sided) for two_sided in (True, False)]
    np.testing.assert_allclose(found, expected, rtol=RELATIVE)


def test_simulated_maximum() -> None:
    rng = np.random.default_rng(0)
    n = 100_000
    x = rng.normal(size=(n, 5))
    t = (x[:, 1:] - x[:, :1]) / sqrt(2) / np.sqrt(rng.chisquare(7, n) / 7)[:, None]
    c = np.array([0.5, 1.5, 3.0])
    for largest, two_sided in ((np.abs(t).max(axis=1), True), (t.max(axis=1), False)):
        p = survival(c, 4, 7, two_sided)
        share = (largest[:, None] > c).mean(axis=0)
        assert (np.abs(share - p) < FOUR * np.sqrt(p * (1 - p) / n)).all()


@given(
    st.floats(1e-10, 0.99),
    st.integers(1, 40),
    st.sampled_from([2.0, 9.0, 500.0, inf]),
    st.booleans(),
)
def test_quantile_turns_survival(alpha: float, m: int, df: float, two_sided: bool) -> None:
    c = quantile(alpha, m, df, two_sided)
    assert float(survival(c, m, df, two_sided)) == pytest.approx(alpha, rel=1e-9)


def test_it_falls_in_c_and_grows_in_comparisons() -> None:
    c = np.linspace(-5, 30, 36)
    for two_sided in (True, False):
        few, many = survival(c, 3, 50, two_sided), survival(c, 10, 50, two_sided)
        assert (np.diff(few) <= 0).all()
        assert (many >= few).all()
        assert (few <= np.minimum(1, 3 * survival(c, 1, 50, two_sided)) + 1e-14).all()


def test_far_out_at_few_df() -> None:
    """With 2 degrees of freedom the tail falls as 1 / c^2, and the law goes on."""
    c = np.array([1e2, 1e4, 1e8])
    np.testing.assert_allclose(survival(c, 1, 2), 2 * stdtr(2, -c), rtol=1e-11)
    p = survival(c, 5, 2)
    np.testing.assert_allclose(p[1:] * c[1:] ** 2, p[0] * c[0] ** 2, rtol=1e-2)
    assert survival(-1e8, 5, 2, two_sided=False) == pytest.approx(1, abs=1e-12)


def test_shapes_and_ends() -> None:
    assert survival([[1.0, 2.0]], 3, 5).shape == (1, 2)
    assert survival([], 3, 5).shape == (0,)
    assert survival([-1.0, 0.0, inf], 3, 5).tolist() == [1, 1, 0]
    assert survival([-inf, inf], 3, two_sided=False).tolist() == [1, 0]


def test_errors() -> None:
    with pytest.raises(ValueError, match="1 comparison"):
        survival(1.0, 0)
    with pytest.raises(ValueError, match="df"):
        survival(1.0, 3, 0.5)
    with pytest.raises(ValueError, match="numbers"):
        survival(np.nan, 3, 5)
    with pytest.raises(ValueError, match="alpha"):
        quantile(1.0, 3)
