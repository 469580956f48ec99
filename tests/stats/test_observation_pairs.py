"""Paired t-tests over test observations, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reportgen.stats.multiplicity import holm
from reportgen.stats.observation_pairs import observation_pairs


def test_pairs_are_those_of_scipy() -> None:
    losses = np.random.default_rng(1).normal(size=(40, 3)) + np.array([0.0, 0.2, 0.9])
    found = observation_pairs(losses, 0.05)
    for row, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        other = ttest_rel(losses[:, i], losses[:, j])
        assert found.p_values[row] == pytest.approx(other.pvalue, rel=1e-10)
        alone = other.confidence_interval(1 - 0.05 / 3)
        assert (found.lower[row], found.upper[row]) == pytest.approx((alone.low, alone.high))
    assert found.adjusted.tolist() == holm(found.p_values).tolist()
    assert found.df == 39


def test_columns_without_any_spread() -> None:
    losses = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 2.0]])
    assert observation_pairs(losses, 0.05).p_values.tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="without gaps"):
        observation_pairs(losses[:1], 0.05)
