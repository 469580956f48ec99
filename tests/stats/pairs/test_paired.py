"""Differences of a pair: gaps, ties, and what is only rounding."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from reportgen.stats.pairs.effects import count_differences


def test_only_common_replications_count() -> None:
    first = np.array([1.0, 2.0, np.nan, 4.0, 4.0])
    second = np.array([2.0, np.nan, 3.0, 4.0, 1.0])
    (found,) = count_differences(first[None], second[None])
    assert (found.n_blocks, found.below, found.ties, found.above) == (3, 1, 1, 1)
    assert found.mean == pytest.approx(2 / 3)
    assert found.deviation == pytest.approx(np.std([-1, 0, 3], ddof=1))


def test_rounding_is_no_variation() -> None:
    column = np.array([[0.1, 0.7, 1e3]])
    (found,) = count_differences(column + 0.3, column)
    assert found.deviation == 0
    assert found.mean == pytest.approx(0.3)
    (same,) = count_differences(column * 3 / 3, column)
    assert (same.mean, same.deviation) == (0, 0)
    assert count_differences(column + 1e-9 * np.arange(3), column)[0].deviation > 0


def test_too_few() -> None:
    gaps, others = np.array([[np.nan, 1.0], [1.0, 2.0]]), np.array([[1.0, np.nan], [3.0, 6.0]])
    nothing, both = count_differences(gaps, others)
    assert (both.n_blocks, both.mean) == (2, -3.0)
    assert (nothing.n_blocks, isnan(nothing.mean), isnan(nothing.deviation)) == (0, True, True)
    (one,) = count_differences(np.array([[1.0]]), np.array([[3.0]]))
    assert (one.n_blocks, one.mean, isnan(one.deviation)) == (1, -2.0, True)
