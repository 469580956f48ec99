"""Within-block ranks against scipy and by their invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy.stats import rankdata

from reportgen.stats.ranking import within_block_ranks

# whole numbers, so that there are many ties
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 4))


@given(matrices)
def test_scipy_agrees(values: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(within_block_ranks(values), rankdata(values, axis=1))


@given(matrices)
def test_direction_turns_the_ranks(values: NDArray[np.float64]) -> None:
    turned = within_block_ranks(values, is_smaller_better=False)
    np.testing.assert_array_equal(turned, values.shape[1] + 1 - within_block_ranks(values))


@given(matrices)
def test_monotone_transformations_change_nothing(values: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(within_block_ranks(np.exp(values)), within_block_ranks(values))


def test_negative_zero_ties_with_zero() -> None:
    assert within_block_ranks(np.array([[0.0, -0.0]])).tolist() == [[1.5, 1.5]]


@pytest.mark.parametrize("values", [np.zeros(3), np.array([[1.0, np.nan]])])
def test_errors(values: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="blocks must"):
        within_block_ranks(values)
