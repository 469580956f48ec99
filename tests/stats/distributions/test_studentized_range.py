"""The studentized range against published tables, scipy, and special cases."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, stdtr
from scipy.stats import studentized_range

from reportgen.stats.distributions import studentized_range as own
from reportgen.stats.distributions.studentized_range import quantile, survival

RELATIVE = 1e-12  # what the module promises for up to 200 means
LOGARITHM = 1e-14  # of log p, the rounding of very small probabilities in a table
SCIPY = 1e-12  # scipy's own integration tolerance, absolute


@pytest.mark.parametrize(
    ("n_groups", "df", "expected"),
    [  # upper 5% points as printed in Hollander, Wolfe and Chicken, and in Hsu
        (2, 5, 3.635),
        (3, 10, 3.877),
        (4, 20, 3.958),
        (6, 60, 4.163),
        (10, 120, 4.560),
        (3, inf, 3.314),
        (20, inf, 5.012),
    ],
)
def test_table(n_groups: int, df: float, expected: float) -> None:
    assert quantile(0.05, n_groups, df) == pytest.approx(expected, abs=0.0007)


@pytest.mark.parametrize("df", [1, 2, 5, 30, 1245, 1e5])
def test_two_means_are_students_t(df: float) -> None:
    t = np.array([0.001, 0.5, 2.0, 5.0, 20.0])
    np.testing.assert_allclose(survival(t * sqrt(2), 2, df), 2 * stdtr(df, -t), rtol=RELATIVE)


def test_two_means_of_known_variance_are_normal() -> None:
    z = np.array([0.0, 0.5, 5.0, 15.0, 30.0])  # beyond 15.9 by the sum over pairs
    np.testing.assert_allclose(survival(z * sqrt(2), 2), 2 * ndtr(-z), rtol=RELATIVE)


@pytest.mark.parametrize("n_groups", [3, 12, 30])
@pytest.mark.parametrize("df", [3, 20, 200])
def test_scipy_agrees(n_groups: int, df: int) -> None:
    q = np.array([1.0, 3.5, 6.0])
    expected = studentized_range.sf(q, n_groups, df)
    np.testing.assert_allclose(survival(q, n_groups, df), expected, atol=SCIPY)


@pytest.mark.parametrize("n_groups", [2, 3, 6, 12, 30, 100, 200])
@pytest.mark.parametrize("df", [1, 3, 10, 100, 1245, 1e5, inf])
def test_finer_steps_change_nothing(
    n_groups: int, df: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    q = np.array([1e-6, 0.05, 0.3, 1, 3, 4, 6, 10, 20, 40])
    found = survival(q, n_groups, df)
    monkeypatch.setattr(own, "_in_pieces", own._in_pieces.__wrapped__)  # keeps no table
    for name, finer in (
        ("NORMAL_STEP", 0.07),
        ("SCALE_STEP", 0.2),
        ("LARGEST_STEP", 0.04),
        ("TAIL", 60.0),
        ("N_COEFFICIENTS", 32),
    ):
        monkeypatch.setattr(own, name, finer)
    np.testing.assert_allclose(found, survival(q, n_groups, df), rtol=RELATIVE)


@pytest.mark.parametrize("df", [3, 8.5, 60, 1245, 1e5, inf])
@pytest.mark.parametrize("n_groups", [2, 10, 84, 300])
def test_very_many_values_are_as_each_alone(n_groups: int, df: float) -> None:
    rng = np.random.default_rng(3)
    q = np.concatenate([[0.0, 1e-9, 36.0], rng.uniform(0, 36, 700), rng.uniform(0, 6, 700)])
    few = np.concatenate([survival(part, n_groups, df) for part in np.array_split(q, 140)])
    found = survival(q, n_groups, df)
    assert found[0] == 1
    off = np.abs(np.log(found) - np.log(few))
    assert (off <= RELATIVE + LOGARITHM * np.abs(np.log(few))).all()


def test_sum_over_pairs_joins_the_integral(monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.array([21.0, 22.4])
    expected = survival(q, 6)
    monkeypatch.setattr(own, "PAIRS_ONLY", 20.0)
    np.testing.assert_allclose(survival(q, 6), expected, rtol=RELATIVE)


def test_range_of_simulated_normals() -> None:
    rng = np.random.default_rng(0)
    n = 200_000
    sample = np.ptp(rng.normal(size=(n, 4)), axis=1) / np.sqrt(rng.chisquare(7, n) / 7)
    q = np.array([1.5, 3.0, 5.0])
    share = (sample[:, None] > q).mean(axis=0)
    p = survival(q, 4, 7)
    assert (np.abs(share - p) < 4 * np.sqrt(p * (1 - p) / n)).all()  # four standard errors


@given(st.floats(1e-12, 0.999), st.integers(2, 40), st.sampled_from([2.0, 9.0, 500.0, inf]))
def test_quantile_turns_survival(alpha: float, n_groups: int, df: float) -> None:
    assert float(survival(quantile(alpha, n_groups, df), n_groups, df)) == pytest.approx(
        alpha, rel=1e-9
    )


def test_it_falls_in_q_and_grows_in_means() -> None:
    q = np.linspace(0, 60, 400)
    few, many = survival(q, 3, 50), survival(q, 10, 50)
    assert (np.diff(few) <= 0).all()
    assert (many >= few).all()


def test_far_tail_keeps_its_relative_accuracy() -> None:
    # asymptotically K (K - 1) / 2 pairs, each of them Student's t
    p = survival(60.0, 6, 1245)
    assert float(p) == pytest.approx(15 * 2 * stdtr(1245, -60 / sqrt(2)), rel=1e-6)
    assert 0 < float(p) < 1e-200


def test_shapes_and_ends() -> None:
    assert survival([[1.0, 2.0]], 3, 5).shape == (1, 2)
    assert survival([], 3, 5).shape == (0,)
    assert survival([-1.0, 0.0, inf], 3, 5).tolist() == [1, 1, 0]
    assert survival([0.0, inf], 3).tolist() == [1, 0]


def test_errors() -> None:
    with pytest.raises(ValueError, match="2 means"):
        survival(1.0, 1)
    with pytest.raises(ValueError, match="df"):
        survival(1.0, 3, 0.5)
    with pytest.raises(ValueError, match="numbers"):
        survival(np.nan, 3, 5)
    with pytest.raises(ValueError, match="alpha"):
        quantile(1.0, 3)
