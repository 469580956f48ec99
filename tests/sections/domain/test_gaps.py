"""Candidates that lack data sets: who fails where it is hard does not win by that."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.performance_measure import Measure
from reportgen.sections.domain import Options
from reportgen.sections.expectations.contrasts import contrast_of, values_of
from reportgen.stats.arrays import column_means
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.domain.making import judged, tell
from tests.sections.domain.test_verdict import verdict_of
from tests.sections.reading import ACCURACY, ERROR, faults

verdicts_of = partial(judged, is_modelled=False)
EXACT = 1e-9  # closed forms in another order of summation
MAIN = "misclassification"
ABC = ("A", "B", "C")
NEW = ("base", "old", "new")

ACCURACIES = np.array(
    [
        [0.502, 0.488, 0.851], [0.503, 0.479, 0.855], [0.492, 0.486, 0.846],
        [0.491, 0.483, 0.864], [0.508, 0.476, 0.856], [0.496, 0.479, 0.851],
        [0.951, 0.962, np.nan], [0.962, 0.954, np.nan], [0.958, 0.948, np.nan],
        [0.962, 0.967, np.nan], [0.983, 0.960, np.nan], [0.979, 0.958, np.nan],
    ]
)  # fmt: skip
"""A candidate that has the easy data sets alone (base, old, new)."""


def missing_on_hard() -> dict[str, np.ndarray]:
    """Return 20 data sets, of which A lacks the six hardest, and is ahead on the others."""
    rng = np.random.default_rng(9)
    found = {}
    for m in range(20):
        hard = abs(rng.normal()) * 0.05 + (0.2 if m >= 14 else 0)
        rows = []
        for _ in range(10):
            row = []
            for name, effect in (("A", -0.02), ("B", 0.0), ("C", 0.05)):
                is_missing = name == "A" and m >= 14
                noise = np.nan if is_missing else 0.01 * rng.normal()
                row.append(0.2 + hard + effect + noise)
            rows.append(row)
        found[f"d{m:02d}"] = np.array(rows)
    return found


@pytest.mark.slow
def test_who_fails_where_it_is_hard_does_not_lead():
    said, result = tell(missing_on_hard(), ABC)
    found = result.verdict[MAIN]
    assert found.order[0] == "B"
    assert 100 * found.means["A"] == pytest.approx(29.86, abs=0.005)
    assert 100 * found.means["B"] == pytest.approx(29.78, abs=0.005)
    assert 100 * found.own_means["A"] == pytest.approx(21.93, abs=0.005)
    assert (found.n_values["A"], found.gaps) == (14, {"A": 6})
    pair = found.pairs.between("A", "B")
    assert (pair.n, round(100 * pair.estimate, 2)) == (14, -2.03)
    assert pair.upper < 0
    assert (pair.decision, pair.is_undone_by_gaps) == ("undecided", True)
    text = said.article["domain"]
    assert "its mean is 21.93% (14 of 20 data sets), and 29.86% with gaps counted as" in text
    assert faults(said.whole) == []


def test_means_stay_inside_the_bounds_and_say_how_many_values_they_have():
    found = verdict_of(ACCURACIES, NEW, ACCURACY)
    assert 100 * found.own_means["new"] == pytest.approx(85.38, abs=0.005)
    assert found.n_values == {"base": 12, "old": 12, "new": 6}
    assert 100 * found.means["new"] == pytest.approx(90.47, abs=0.005)
    assert found.order[0] == "new"
    assert found.pairs.between("base", "new").decision == "undecided"
    assert found.leaders == ("new", "base")  # nobody is shown to be better than base


def gate(warehouse: Warehouse, measure: str, name: str, limit: float, bounds: tuple[float, float]):
    """Return the contrast of a mean over the data sets with its limit."""
    return contrast_of(
        values_of(warehouse, measure, None, Options()), name, None, limit, bounds, 0.05, 1
    )


def test_gates_take_the_same_means_and_what_gaps_might_change_is_undecided():
    cubes = {ACCURACY: {f"d{m}": row[None] for m, row in enumerate(ACCURACIES)}}
    warehouse = warehouse_of(cubes, NEW)
    above = (0.0, np.inf)
    found = gate(warehouse, "accuracy", "new", 0.8, above)
    verdict = verdicts_of(warehouse).verdict["accuracy"]
    assert found.estimate == pytest.approx(verdict.means["new"])
    assert (found.outcome, found.gaps) == ("holds", {"new": (6, 12)})
    between = gate(warehouse, "accuracy", "new", 0.86, above)  # 85.4 of its own, 90.5 filled
    assert (between.outcome, between.is_undone_by_gaps) == ("undecided", True)
    pair = contrast_of(
        values_of(warehouse, "accuracy", None, Options()), "new", "base", 0.0, above, 0.05, 1
    )
    assert pair.lower > 0
    assert (pair.outcome, pair.is_undone_by_gaps) == ("undecided", True)


def test_of_two_candidates_gaps_count_as_the_largest_difference_seen():
    values = np.array([[0.30, 0.32]] * 14 + [[np.nan, 0.5]] * 6)
    values[0] = [0.25, 0.35]  # the largest difference
    found = verdict_of(values, ("A", "B"))
    assert found.means["A"] == pytest.approx((0.25 + 13 * 0.3 + 6 * 0.6) / 20)
    assert found.order == ("B", "A")


def test_what_lacks_by_design_is_neither_filled_nor_held_against_anybody():
    values = missing_on_hard()
    hard = tuple(f"d{m}" for m in range(14, 20))
    found = verdicts_of(warehouse_of({ERROR: values}, ABC), missing_by_design={"A": hard}).verdict[
        MAIN
    ]
    assert (found.own_means, found.n_values["A"]) == ({}, 14)
    assert found.pairs.between("A", "B").decision == "better"
    assert "adverse_first" not in found.pairs.extra


def failing_within(n_datasets: int, n: int = 30) -> dict[str, np.ndarray]:
    """Return data sets of equal candidates, of which A lacks the hardest third of replications."""
    rng = np.random.default_rng(4)
    found = {}
    for m in range(n_datasets):
        hard = rng.normal(0.3, 0.1, (n, 1))
        values = hard + rng.normal(0, 0.01, (n, 3)) + [0, 0, 0.02]
        values[np.argsort(hard[:, 0])[n - n // 3 :], 0] = np.nan
        found[f"d{m:02d}"] = values
    return found


@pytest.mark.parametrize("n_datasets", [3, 12])
def test_who_fails_within_every_data_set_is_not_shown_better(n_datasets):
    """Neither in the report, nor by a claim, whose words say how many replications there are."""
    made = warehouse_of({ERROR: failing_within(n_datasets)}, ABC, problem="simulation")
    found = verdicts_of(made).verdict[MAIN]
    pair = found.pairs.between("A", "B")
    assert (pair.decision, pair.is_undone_by_gaps) == ("undecided", False)
    assert pair.lower < 0 < pair.upper
    bounds = (-np.inf, 0.0)
    claim = contrast_of(values_of(made, MAIN, None, Options()), "A", "B", 0.0, bounds, 0.05, 1)
    turned = contrast_of(
        values_of(made, MAIN, None, Options()), "B", "A", 0.0, (0.0, np.inf), 0.05, 1
    )
    for one in (claim, turned):
        assert (one.outcome, one.reason, one.gaps) == ("undecided", "wide", {})
        assert one.gaps_within == {"A": (20 * n_datasets, 30 * n_datasets)}
    mean = gate(made, MAIN, "A", found.own_means["A"] + 0.01, (-np.inf, 0.0))
    assert mean.outcome == "undecided"
    below = gate(made, MAIN, "A", 0.5, bounds)
    assert (below.outcome, below.reason) == ("holds", None)
    between = found.pairs.between("B", "C")  # neither has gaps
    assert between.decision == "better"


@pytest.mark.parametrize("n_datasets", [3, 12])
def test_pairs_are_of_the_replications_that_both_have(n_datasets):
    """A constant difference stays what it is, whichever replications one of the two lacks."""
    values = failing_within(n_datasets)
    for own in values.values():
        own[:, 1] = own[:, 0] + 0.004 + np.resize([-1e-4, 1e-4], len(own))
        own[:, 2] = np.linspace(0.1, 0.5, len(own))
    made = warehouse_of({ERROR: values}, ABC, problem="simulation")
    found = verdicts_of(made).verdict[MAIN]
    pair = found.pairs.between("A", "B")
    apart = {d: x[np.isfinite(x[:, :2]).all(axis=1)] for d, x in values.items()}
    means = [np.mean(x[:, 0] - x[:, 1]) for x in apart.values()]
    assert pair.estimate == pytest.approx(np.mean(means), abs=EXACT)
    assert pair.estimate == pytest.approx(-0.004, abs=1e-4)
    assert pair.lower <= pair.estimate <= pair.upper < 0
    assert (pair.wins, pair.losses, pair.extra["n"]) == (n_datasets, 0, n_datasets)
    units = values_of(made, MAIN, None, Options())
    claim = contrast_of(units, "A", "B", 0.0, (-np.inf, 0.0), 0.05, 3)
    assert claim.estimate == pytest.approx(pair.estimate, abs=EXACT)
    assert (claim.lower, claim.upper) == pytest.approx((pair.lower, pair.upper), abs=EXACT)


def test_wins_are_of_the_replications_that_both_have():
    """By its own values A is ahead on every data set, by those that both have B is."""
    values = failing_within(14)
    for own in values.values():
        own[:, 1] = np.where(np.isnan(own[:, 0]), 0.5, own[:, 0] - 0.004)  # A failed there
        own[:, 2] = 0.6
    by_wins = replace(ERROR, scale="wins")
    made = warehouse_of({by_wins: values}, ABC, problem="simulation")
    found = verdicts_of(made).verdict[MAIN]
    pair = found.pairs.between("A", "B")
    assert found.own_means["A"] < found.own_means["B"]
    assert (pair.wins, pair.losses, pair.decision) == (0, 14, "worse")


def test_the_table_of_pairs_says_what_both_have():
    """No pair shares a replication of a data set that a candidate lacks altogether."""
    whole = missing_on_hard()
    said, _ = tell(whole, ABC)
    assert "A pair’s values are of the data sets that both have, without gaps." in said.whole
    whole["d00"][0, 1] = np.nan
    said, _ = tell(whole, ABC)
    assert "A pair’s values are of the replications that both have, without gaps." in said.whole


@pytest.mark.parametrize("n_datasets", [3, 8])
def test_the_mean_of_a_claim_counts_gaps_within_data_sets(n_datasets):
    made = warehouse_of({ERROR: failing_within(n_datasets)}, ABC, problem="simulation")
    verdict = verdicts_of(made).verdict[MAIN]
    between = (verdict.own_means["A"] + verdict.means["A"]) / 2
    found = gate(made, MAIN, "A", between, (-np.inf, 0.0))
    assert found.estimate == pytest.approx(verdict.means["A"], abs=EXACT)
    assert found.outcome == "undecided"
    assert found.gaps_within == {"A": (20 * n_datasets, 30 * n_datasets)}


def test_replications_of_which_none_is_shared_show_nothing():
    """One ran the easy ones, the other the hard ones, of every data set."""
    rng = np.random.default_rng(6)
    values = {}
    for m in range(8):
        own = np.sort(rng.uniform(0.1, 0.5, (20, 1)), axis=0) + rng.normal(0, 0.01, (20, 2))
        own[10:, 0] = np.nan
        own[:10, 1] = np.nan
        values[f"d{m}"] = own
    made = warehouse_of({ERROR: values}, ("new", "old"))
    pair = verdicts_of(made).verdict[MAIN].pairs.between("new", "old")
    assert (pair.estimate, pair.decision, pair.extra["n"]) == (None, "undecided", 0)
    units = values_of(made, MAIN, None, Options())
    claim = contrast_of(units, "new", "old", 0.0, (-np.inf, 0.0), 0.05, 1)
    assert (claim.outcome, claim.reason) == ("undecided", "no-values")


def test_equivalence_asks_that_gaps_of_neither_leave_the_area():
    """Where both have values they are near; a gap may hide the largest difference seen."""
    rng = np.random.default_rng(7)
    values = {}
    for m in range(8):
        easy, hard = rng.normal(0.2, 0.001, (10, 1)), rng.normal(0.3, 0.001, (10, 1))
        own = np.concatenate([easy, hard]) + rng.normal(0, 0.001, (20, 2))
        own[10, 0] += 0.1
        own[:10, 0] = np.nan
        values[f"d{m}"] = own
    made = warehouse_of({ERROR: values}, ("A", "B"))
    area = {MAIN: (-0.02, 0.02)}
    pair = verdicts_of(made, relevance=area).verdict[MAIN].pairs.between("A", "B")
    assert -0.02 < pair.lower < pair.upper < 0.02
    assert pair.decision == "undecided"
    units = values_of(made, MAIN, None, Options(relevance=area))
    claim = contrast_of(units, "A", "B", 0.0, (-0.02, 0.02), 0.05, 1)
    assert (claim.outcome, claim.reason) == ("undecided", "gaps")


def test_who_left_an_execution_in_stages_has_no_gaps():
    rng = np.random.default_rng(12)
    values = {f"d{m}": 0.2 + 0.1 * rng.random((10, 3)) for m in range(8)}
    plain = {}
    for m, own in enumerate(values.values()):
        own[4:, m % 3] = np.nan  # all about this candidate was decided
    values["d7"][2, 2] = np.nan  # a failure
    for name, own in values.items():
        whole = own.copy()
        if name == "d7":
            whole[2, 2] = own[2, :2].max()
        plain[name] = np.nanmean(whole, axis=0)
    stages = {"size": 2, "most": 10, "measure": MAIN, "drop": "decided"}
    resampling = {"scheme": "bootstrap", "replications": 10, "stages": stages}
    made = warehouse_of({ERROR: values}, ABC, resampling=resampling)
    is_last = (made.frame["dataset"] == "d7") & (made.frame["replication"] == 3)
    kept = made.frame["value"].notna() | is_last  # the row of a fit that failed is there
    found = verdicts_of(replace(made, frame=made.frame[kept].reset_index(drop=True))).verdict[MAIN]
    expected = np.mean(list(plain.values()), axis=0)
    assert [found.means[name] for name in ABC] == pytest.approx(expected, abs=EXACT)
    assert found.filled_names == ("C",)
    assert [found.own_means[name] == found.means[name] for name in ABC] == [True, True, False]
    values["d7"][2, 2] = 0.25
    made = warehouse_of({ERROR: values}, ABC, resampling=resampling)
    asked = made.frame[made.frame["value"].notna()].reset_index(drop=True)
    left = verdicts_of(replace(made, frame=asked)).verdict[MAIN]
    assert (left.own_means, left.filled_names) == ({}, ())
    values["d7"][2, 2] = np.nan
    as_gaps = verdicts_of(warehouse_of({ERROR: values}, ABC)).verdict[MAIN]
    assert min(as_gaps.means[name] - found.means[name] for name in ABC) > 0


def test_complete_data_have_plain_means():
    rng = np.random.default_rng(3)
    values = rng.random((9, 3))
    found = verdict_of(values, ABC)
    assert list(found.means.values()) == column_means(values).tolist()
    assert (found.own_means, found.n_values, found.gaps) == ({}, {}, {})
    assert found.pairs.adverse is None


def test_signed_ranks_use_the_data_sets_that_both_have():
    values = np.array([[0.30 + m / 100, 0.33 + m / 99, 0.5] for m in range(12)])
    values[:4, 2] = np.nan
    found = verdicts_of(
        warehouse_of({ERROR: {f"d{m}": v[None] for m, v in enumerate(values)}}, ABC)
    )
    pairs = found.across[MAIN].pairs
    assert pairs.between("A", "B").n == 12
    assert pairs.between("A", "C").n == 8
    assert pairs.between("A", "B").p_value == pytest.approx(2.0**-11)


@given(st.integers(0, 2**32), st.integers(6, 9), st.integers(2, 4), st.floats(0, 0.6))
def test_the_first_has_the_best_mean_and_all_lie_inside_the_bounds(seed, n, k, share):
    rng = np.random.default_rng(seed)
    values = rng.random((n, k))
    values[rng.random((n, k)) < share] = np.nan
    values[0] = rng.random(k)  # every candidate has a value
    values = values[np.isfinite(values).any(axis=1)]
    if len(values) < 2:
        return
    found = verdict_of(values, tuple("abcd"[:k]), Measure("score", "larger", "share", (0.0, 1.0)))
    means = [found.means[name] for name in found.order]
    assert means == sorted(means, reverse=True)
    assert all(0 <= x <= 1 for x in (*means, *found.own_means.values()))
    for name, (low, high) in found.intervals.items():
        assert 0 <= low <= found.means[name] + EXACT
        assert found.means[name] - EXACT <= high <= 1
