"""Sums of scores over blocks."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.permutation.block_sums import column_pairs, directed, standing, with_reference


def test_sums_and_variance_by_hand() -> None:
    # within: -1 0 1 | -1 1 0 | tied; sums -2 1 1; squares 2 + 2; variance 2 x 4 / 2
    found = standing(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [5.0, 5.0, 5.0]]))
    assert found.sums.tolist() == [-2, 1, 1]
    assert (found.within, found.variance, found.statistic) == (4, 4, 2 / 4 * 6)
    compared = found.compare(*column_pairs(3), np.array([0.1, 0.2, 0.3]))
    assert compared.differences.tolist() == [-3, -3, 0]
    assert compared.statistics.tolist() == [-1.5, -1.5, 0]
    assert compared.p_values.tolist() == [0.1, 0.2, 0.3]


def test_tied_blocks_have_no_statistic() -> None:
    found = standing(np.full((3, 2), 0.1 + 0.2))
    assert (found.within, found.statistic, found.scale) == (0, 0, 0)
    compared = found.compare(*column_pairs(2), np.array([0.0]))
    assert (compared.p_values.tolist(), compared.statistics.tolist()) == ([1], [0])


def test_columns() -> None:
    np.testing.assert_array_equal(np.transpose(column_pairs(6)), all_pairs(6))
    others, reference = with_reference(0, 3)
    assert (others.tolist(), reference.tolist()) == ([1, 2], [0, 0])


def test_sides() -> None:
    d = np.array([-1.0, 2.0])
    assert directed("two-sided")(d).tolist() == [1, 2]
    assert directed("less")(d).tolist() == [1, -2]
    assert directed("greater")(d).tolist() == [-1, 2]


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        standing(np.ones((3, 1)))
    with pytest.raises(ValueError, match="below 3, got -1"):
        with_reference(-1, 3)
    with pytest.raises(ValueError, match="alternative"):
        directed("both")  # type: ignore[arg-type]
