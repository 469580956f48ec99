"""Greenhouse and Geisser's epsilon against its definition."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.blocks.model import greenhouse_geisser


def by_contrasts(values: np.ndarray) -> float:
    """Return epsilon from an orthonormal basis of the contrasts (Helmert)."""
    k = values.shape[1]
    basis = np.array([[1.0] * j + [-float(j)] + [0.0] * (k - j - 1) for j in range(1, k)])
    basis /= np.linalg.norm(basis, axis=1, keepdims=True)
    inner = basis @ np.cov(values, rowvar=False) @ basis.T
    return float(np.trace(inner) ** 2 / ((k - 1) * np.trace(inner @ inner)))


@given(st.integers(0, 10_000), st.integers(3, 8), st.integers(3, 20))
def test_definition_and_bounds(seed: int, k: int, n_blocks: int) -> None:
    values = np.random.default_rng(seed).normal(size=(n_blocks, k)) * np.arange(1, k + 1)
    found = greenhouse_geisser(values)
    assert found == pytest.approx(by_contrasts(values), rel=1e-9)
    assert 1 / (k - 1) - 1e-12 <= found <= 1 + 1e-12
    shifted = values + np.arange(n_blocks)[:, None] + np.arange(k)
    assert greenhouse_geisser(shifted) == pytest.approx(found, rel=1e-6)


def test_two_candidates_are_spherical() -> None:
    values = np.random.default_rng(0).normal(size=(6, 2)) * [1, 50]
    assert greenhouse_geisser(values) == pytest.approx(1)


def test_without_variation_and_errors() -> None:
    assert isnan(greenhouse_geisser(np.ones((4, 3))))
    with pytest.raises(ValueError, match="two blocks"):
        greenhouse_geisser(np.ones((1, 3)))
