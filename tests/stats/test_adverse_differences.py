"""Claims of a candidate with gaps: by hand, and on what has no gaps."""

import numpy as np
import pytest
from scipy.stats import t

from reportgen import stats
from reportgen.stats.adverse_differences import adverse_differences, adverse_within
from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import (
    bonferroni_adjust,
    paired_max_t,
)
from reportgen.stats.pairs.proportions import score_interval
from reportgen.stats.pairs.wins import compare_wins

EXACT = 1e-12  # means and roots of a handful of numbers
RNG_SEED = 3


def gappy(n_gaps: int, n: int = 20, ahead: float = 1.0) -> np.ndarray:
    """Return a candidate that is ahead and lacks some units, and another one."""
    rng = np.random.default_rng(RNG_SEED)
    values = np.column_stack([rng.normal(0, 0.2, n), rng.normal(ahead, 0.2, n)])
    values[n - n_gaps :, 0] = np.nan
    return values


def held(
    values: np.ndarray, smaller: bool = True, missing_by_design: np.ndarray | None = None
) -> PairTable:
    """Compare by own variances, and hold claims against gaps."""
    table = paired_max_t(values, 0.05, np.random.default_rng(1))
    return table.held_against(adverse_differences(values, table.pairs, smaller, missing_by_design))


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
    assert held(values, missing_by_design=np.isnan(values)).adverse is None


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


# ------------------------------------------------------------------------- gaps inside units


def failing_where_it_is_hard(seed: int, n_units: int = 12, n: int = 20) -> list[np.ndarray]:
    """Return data sets of two equal candidates, of which the first lacks the hardest third."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_units):
        hard = rng.normal(0.3, 0.1, (n, 1))
        values = hard + rng.normal(0, 0.03, (n, 2))
        values[np.argsort(hard[:, 0])[n - n // 3 :], 0] = np.nan
        found.append(values)
    return found


def test_gaps_within_units_count_as_the_largest_difference_there():
    """By hand, unit by unit, with the gaps of each side; three candidates, one of them whole."""
    rng = np.random.default_rng(5)
    samples = [rng.normal(size=(n, 3)) for n in (5, 8, 6)]
    samples[0][3:, 0] = np.nan
    samples[2][0, 1] = np.nan
    samples[2][:, 2] = np.nan  # a unit that lacks one altogether has no gaps within
    found = adverse_within(samples, all_pairs(3), True)
    for p, pair in enumerate(all_pairs(3)):
        for m, values in enumerate(samples):
            i, j = pair
            d = values[:, i] - values[:, j]
            shared, worst = d[np.isfinite(d)], np.nanmax(np.abs(d), initial=0.0)
            if not len(shared) or np.isfinite(d).all():
                assert np.isnan(found.mean[:, m, p]).all()
                continue
            for row, (own, other, side) in enumerate(((i, j, 1), (j, i, -1))):
                hidden = (np.isnan(values[:, own]) & np.isfinite(values[:, other])).sum()
                expected = np.concatenate([shared, np.full(hidden, side * worst)]).mean()
                assert found.mean[row, m, p] == pytest.approx(expected, abs=EXACT)
    assert adverse_within([x[:3] for x in samples[:2]], all_pairs(3), True) is None
    assert adverse_within(samples[:1], all_pairs(3), True, [np.isnan(samples[0])]) is None


def test_who_fails_within_every_unit_where_it_is_hard_is_not_shown_better():
    """100 times two equal candidates: by own means nearly always shown, held against gaps never."""
    shown = np.zeros(2, dtype=int)
    for seed in range(100):
        samples = failing_where_it_is_hard(seed)
        means = np.array([np.nanmean(x, axis=0) for x in samples])
        table = paired_max_t(means, 0.05, np.random.default_rng(1))
        within = adverse_within(samples, table.pairs, True)
        adverse = adverse_differences(means, table.pairs, True, within=within)
        shown += [int(table.significant[0]), int(table.held_against(adverse).significant[0])]
    assert shown[0] >= 90
    assert shown[1] == 0


def test_wins_count_units_as_their_gaps_leave_them():
    samples = failing_where_it_is_hard(1, n_units=30)
    means = np.array([np.nanmean(x, axis=0) for x in samples])
    within = adverse_within(samples, all_pairs(2), True)
    usual, table = (compare_wins(means, 0.05, True, within=w) for w in (None, within))
    assert (usual.significant.tolist(), table.significant.tolist()) == ([True], [False])
    behind = within.mean[0, :, 0] > 0
    _, high = score_interval(
        np.array([behind.sum()]), np.array([(~behind).sum()]), np.array([30]), 0.05
    )
    assert table.extra["adverse_first"][0] == pytest.approx(high[0], abs=EXACT)
