"""Sums under sign flips against all signs one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reportgen.stats.permutation import paired as own
from reportgen.stats.permutation.paired import all_sign_tail, all_sums, drawn_sums

Array = NDArray[np.float64]
FOUR = 4.0  # standard errors of a simulation
sizes = arrays(np.float64, st.integers(1, 9), elements=st.integers(1, 5))


def one_by_one(values: Array) -> Array:
    signs = np.array(list(product((-1.0, 1.0), repeat=len(values))))
    return signs @ values


@given(sizes, st.integers(-20, 20))
def test_halves_meet(values: Array, observed: int) -> None:
    expected = (one_by_one(values) >= observed - 1e-9).mean()
    assert all_sign_tail(values, observed, 1e-9) == expected


def test_one_value() -> None:
    assert all_sign_tail(np.array([2.0]), 2.0, 1e-12) == 0.5
    assert all_sign_tail(np.array([2.0]), -2.0, 1e-12) == 1


def test_all_sums_of_rows() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(
        np.sort(all_sums(rows), axis=0), np.sort(one_by_one(rows), axis=0), atol=1e-12
    )


def test_halves_of_the_most_values() -> None:
    """Unit steps: the binomial law on 36 signs."""
    from scipy.stats import binom

    p = all_sign_tail(np.ones(own.EXACT_UP_TO), 14.0, 1e-12)
    assert p == pytest.approx(binom.sf(24, 36, 0.5), rel=1e-12)


def test_drawn_sums_have_the_moments_of_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3))
    n = 20_500  # not a multiple of the chunk
    sums = drawn_sums(rows, np.random.default_rng(1), n)
    squares = rows.T @ rows
    assert (np.abs(sums.mean(axis=0)) < FOUR * np.sqrt(squares.diagonal() / n)).all()
    np.testing.assert_allclose(sums.T @ sums / n, squares, atol=FOUR * 30 / np.sqrt(n))
    monkeypatch.setattr(own, "CHUNK", 7)
    again = drawn_sums(rows, np.random.default_rng(1), 50)
    assert np.isfinite(again).all()
    assert len(np.unique(again[:, 0])) > 40
