"""Who is ahead on more data sets: by hand, and by the score interval of items."""

import numpy as np
import pytest

from reportgen.stats.pairs.proportions import score_interval
from reportgen.stats.pairs.wins import FEWEST_DISCORDANT, compare_wins

SCALES = 10.0 ** np.arange(20)  # no scale in common


def ahead(n_first: int, n_second: int, n_ties: int = 0) -> np.ndarray:
    """Return two columns of which the first is larger, smaller or equal so often."""
    signs = np.repeat([1.0, -1.0, 0.0], [n_first, n_second, n_ties])
    return np.column_stack([signs, np.zeros(len(signs))]) * np.resize(SCALES, len(signs))[:, None]


def test_the_interval_is_that_of_paired_proportions():
    table = compare_wins(ahead(15, 3, 2), 0.05, True)
    low, high = score_interval(np.array([15.0]), np.array([3.0]), np.array([20.0]), 0.05)
    assert (table.estimate[0], table.lower[0], table.upper[0]) == pytest.approx(
        (0.6, low[0], high[0])
    )
    assert table.significant.tolist() == [True]
    assert table.direction.tolist() == [-1]  # smaller is better, and the first is larger


def test_too_few_units_that_are_not_equal_leave_a_pair_open():
    few = compare_wins(ahead(FEWEST_DISCORDANT - 1, 0, 8), 0.05, False)
    assert few.is_open.tolist() == [True]
    assert np.isnan(few.lower).all()
    assert compare_wins(ahead(FEWEST_DISCORDANT, 0, 8), 0.05, False).significant.tolist() == [True]


def test_the_size_of_values_does_not_matter():
    values = ahead(12, 3)
    one, other = compare_wins(values, 0.05, True), compare_wins(values**3, 0.05, True)
    assert one.lower == pytest.approx(other.lower)


def test_gaps_count_as_losses_of_the_one_ahead():
    values = ahead(0, 18)  # the first is smaller, and so better
    values[12:, 0] = np.nan
    table = compare_wins(values, 0.05, True)
    assert table.lower[0] < table.upper[0] < 0
    assert table.significant.tolist() == [False]
    assert compare_wins(
        values, 0.05, True, missing_by_design=np.isnan(values)
    ).significant.tolist() == [True]


def test_pairs_share_the_error_probability():
    values = np.column_stack([ahead(14, 4), ahead(12, 6)[:, 0] * 2])
    alone = compare_wins(values[:, :2], 0.05, True)
    assert compare_wins(values, 0.05, True).upper[0] > alone.upper[0]
    assert compare_wins(values[:, :2], 0.05, True, n_comparisons=3).upper[0] > alone.upper[0]
