"""Claims of a candidate with gaps: by hand, and on what has no gaps."""

import numpy as np
import pytest
from scipy.stats import t

from reportgen import stats
from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.adverse import adverse_differences
from reportgen.stats.pairs.paired_max_t import (
    bonferroni_adjust,
    paired_max_t,
)

EXACT = 1e-12  # means and roots of a handful of numbers
RNG_SEED = 3


def gappy(n_gaps: int, n: int = 20, ahead: float = 1.0) -> np.ndarray:
    """Return a candidate that is ahead and lacks some units, and another one."""
    rng = np.random.default_rng(RNG_SEED)
    values = np.column_stack([rng.normal(0, 0.2, n), rng.normal(ahead, 0.2, n)])
    values[n - n_gaps :, 0] = np.nan
    return values


def held(values: np.ndarray, smaller: bool = True, absent: np.ndarray | None = None) -> PairTable:
    """Compare by own variances, and hold claims against gaps."""
    table = paired_max_t(values, 0.05, np.random.default_rng(1))
    return table.held_against(adverse_differences(values, table.pairs, smaller, absent))


def test_each_gap_counts_as_the_largest_difference_against_who_has_it():
    values = gappy(4)
    d = (values[:, 0] - values[:, 1])[:16]
    filled = np.concatenate([d, np.full(4, np.abs(d).max())])
    found = adverse_differences(values, all_pairs(2), True)
    assert found.mean[:, 0] == pytest.approx([filled.mean(), d.mean()], abs=EXACT)
    errors = [filled.std(ddof=1) / 20**0.5, d.std(ddof=1) / 16**0.5]
    assert found.error[:, 0] == pytest.approx(errors, abs=EXACT)


def test_a_claim_holds_only_with_the_gaps_against_it():
    for n_gaps, is_decided in ((0, True), (2, True), (10, False)):
        values = gappy(n_gaps)
        table = held(values)
        assert table.significant.tolist() == [is_decided]
        assert table.upper[0] < 0  # the interval is of what both have, whatever the gaps
    assert table.extra["adverse_first"][0] > 0


def test_gaps_of_the_one_behind_count_for_nothing():
    values = gappy(10)[:, ::-1]
    values = np.column_stack([values[:, 0] - 2, values[:, 1]])  # who has the gaps is behind now
    table = held(values)
    assert table.significant.tolist() == [True]
    assert table.direction.tolist() == [1]


def test_larger_values_mirror_smaller_ones():
    values = gappy(10)
    one, other = held(values), held(-values, smaller=False)
    for name in ("adverse_first", "adverse_second"):
        assert one.extra[name] == pytest.approx(-other.extra[name], abs=EXACT)
    assert one.significant.tolist() == other.significant.tolist()


def test_the_limit_takes_the_critical_value_of_the_pair_and_of_its_family():
    values = np.tile([0.0, 1.0], (12, 1))
    values[:, 0] += np.resize([-0.1, 0.1], 12)  # no skewness, so that the interval is Student's
    values[10:, 0] = np.nan
    table = held(values)
    d = np.concatenate([values[:10, 0] - 1, [1.1, 1.1]])
    for found, m in ((table, 1), (bonferroni_adjust(table, 7), 7)):
        least = d.mean() + t.isf(0.05 / (2 * m), 9) * d.std(ddof=1) / 12**0.5
        assert found.extra["adverse_first"][0] == pytest.approx(least, abs=1e-8)


def test_absence_by_design_counts_against_nobody():
    values = gappy(10)
    assert adverse_differences(values, all_pairs(2), True, np.isnan(values)) is None
    assert held(values, absent=np.isnan(values)).adverse is None


def test_an_error_of_units_that_are_not_independent_grows_as_the_deviation_does():
    values = gappy(4)
    d = (values[:, 0] - values[:, 1])[:16]
    filled = np.concatenate([d, np.full(4, np.abs(d).max())])
    found = adverse_differences(values, all_pairs(2), True, standard_error=np.array([0.3]))
    growth = filled.std(ddof=1) / d.std(ddof=1)
    assert found.error[:, 0] == pytest.approx([0.3 * growth, 0.3], abs=EXACT)


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(20), 3)])
def test_items_that_one_has_not_answered_count_against_it(clusters):
    right = (np.random.default_rng(2).random((60, 2)) < [0.9, 0.4]).astype(float)

    def lacking(first: int, column: int) -> PairTable:
        values = right.copy()
        values[first:, column] = np.nan
        return item_pairs(values, clusters, 0.05, np.random.default_rng(1))

    for table, is_decided in ((lacking(57, 0), True), (lacking(36, 0), False)):
        assert table.significant.tolist() == [is_decided]
        assert table.undone_by_gaps.tolist() == [not is_decided]
    assert lacking(36, 1).significant.tolist() == [True]  # the one behind may lack what it will


def test_pairs_of_the_interface_say_whether_gaps_undo_them():
    table = stats.compare_pairs(gappy(10), ["a", "b"])
    (pair,) = table
    assert (pair.decision, pair.significant, pair.is_undone_by_gaps) == ("undecided", False, True)
    turned = pair.reversed()
    assert turned.adverse_second == -pair.adverse_first
    (whole,) = stats.compare_pairs(gappy(0), ["a", "b"])
    assert (whole.decision, whole.is_undone_by_gaps) == ("better", False)
    assert "adverse_first" not in whole.extra


def test_equivalence_does_not_rest_on_who_is_ahead():
    values = gappy(10, ahead=0.3)
    (pair,) = stats.compare_pairs(values, ["a", "b"], relevance=2.0)
    assert pair.upper < 0
    assert (pair.decision, pair.kind) == ("equivalent", "equivalent")
