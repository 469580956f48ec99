"""The permutation law of the paired t: enumeration, scipy, size."""

from __future__ import annotations

from itertools import product
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from reportgen.stats.permutation.paired import paired_permutation, student_t

Array = NDArray[np.float64]
EXACT = 1e-12  # counts over powers of two
FOUR = 4.0  # standard errors of a simulation
RNG = np.random.default_rng(0)
samples = arrays(np.float64, st.integers(1, 8), elements=st.integers(-4, 5).map(lambda x: x / 7))


@given(samples)
def test_enumeration(d: Array) -> None:
    signs = np.array(list(product((-1.0, 1.0), repeat=len(d))))
    sums, observed = signs @ d, d.sum()
    expected = {
        "two-sided": (np.abs(sums) >= abs(observed) - 1e-9).mean(),
        "greater": (sums >= observed - 1e-9).mean(),
        "less": (sums <= observed + 1e-9).mean(),
    }
    for alternative, p in expected.items():
        found = paired_permutation(d, RNG, alternative)  # type: ignore[arg-type]
        assert found.p_value == pytest.approx(p, abs=EXACT)
        assert (found.standard_error, found.n_draws) == (0, None)


@given(samples)
def test_by_the_studentised_statistic_itself(d: Array) -> None:
    """|t| of every flipped sample, as it is written: the sum alone gives the same p-value."""
    signs = np.array(list(product((-1.0, 1.0), repeat=len(d))))
    t = np.array([student_t(s * d) for s in signs])
    expected = (np.abs(t) >= abs(student_t(d)) * (1 - 1e-7) - 1e-9).mean()
    if len(d) > 1:
        assert paired_permutation(d, RNG).p_value == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("n", [30, 36, 60, 250])
def test_close_to_students_t(n: int) -> None:
    d = np.random.default_rng(n).normal(size=n) + 1.5 / sqrt(n)
    for alternative in ("two-sided", "less", "greater"):
        found = paired_permutation(d, np.random.default_rng(1), alternative)  # type: ignore[arg-type]
        expected = ttest_1samp(d, 0, alternative=alternative)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
        assert found.p_value == pytest.approx(expected.pvalue, abs=0.01 + 4 * found.standard_error)
        assert (found.n_draws is None) is (n <= 36)


def test_pmid_of_rf_and_svm(reference: Path) -> None:
    """250 pairs, t = -12: no random flip reaches it."""
    path = reference / "data" / "pmid_rf_svm.csv"
    values = np.genfromtxt(path, delimiter=",", skip_header=1)[:, -2:]
    found = paired_permutation(values[:, 0] - values[:, 1], np.random.default_rng(1))
    assert abs(found.statistic) > 10
    assert found.p_value == 1e-4
    assert found.standard_error == pytest.approx(1e-4, rel=0.01)


def test_size_of_one_skewed_sample() -> None:
    """Two candidates exchangeable, their difference a difference of exponentials."""
    rng = np.random.default_rng(5)
    n = 2000
    samples = rng.exponential(size=(n, 12)) - rng.exponential(size=(n, 12))
    rate = np.mean([paired_permutation(d, rng).p_value <= 0.05 for d in samples])
    assert abs(rate - 0.05) < FOUR * sqrt(0.05 * 0.95 / n)


@given(samples)
def test_direction_and_unit_change_nothing(d: Array) -> None:
    p = paired_permutation(d, RNG).p_value
    for other in (-d, 1000 * d, d[::-1]):
        assert paired_permutation(other, RNG).p_value == pytest.approx(p, abs=EXACT)


def test_degenerate_samples() -> None:
    nothing = paired_permutation(np.zeros(5), RNG)
    assert (nothing.statistic, nothing.p_value) == (0, 1)
    same = paired_permutation(np.full(6, 0.1), RNG)
    assert (same.statistic, same.p_value) == (inf, 2 / 64)
    assert paired_permutation(np.full(6, -0.1), RNG).statistic == -inf
    assert paired_permutation(np.array([3.0]), RNG).p_value == 1
    zeros = paired_permutation(np.array([0.0, 1.0, 2.0, 0.0]), RNG)
    assert zeros.p_value == 0.5


def test_errors() -> None:
    for wrong in ([], [np.nan, 1.0], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="finite numbers"):
            paired_permutation(np.array(wrong), RNG)
