"""What the exploration says, held against the values themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.sections.eda.analysis import drawn_rows
from tests.sections.reading import (
    ACCURACY,
    COST,
    ERROR,
    NAMES,
    SCORE,
    TIME,
    Said,
    blocks,
    faults,
    report_of,
)
from tests.sections.reading import read as read_report

Matrix = NDArray[np.float64]
NAME = f"(?:{'|'.join(NAMES)})"
MOST_WORDS, MOST_CAPTION = 95, 60  # of an article


def tell(values: Any, names: Any = None, **settings: Any) -> Said:
    """Write a report of the exploration alone, and read it: it must be sound and short."""
    of = {ERROR: values} if isinstance(values, np.ndarray) else values
    k = next(iter(of.values())).shape[1]
    said = read_report(report_of({"d": of}, names or NAMES[:k], only=("eda",), **settings))
    assert faults(said.whole) == []
    words, *captions = said.article["eda"].split("\nFigure ")
    assert len(words.split()) <= MOST_WORDS
    assert all(len(caption.split()) <= MOST_CAPTION for caption in captions)
    return said


def words(said: Said) -> str:
    """Return the words of the article, without captions."""
    return said.article["eda"].split("\nFigure ")[0]


def headlines(said: Said) -> list[str]:
    """Return the first sentences of the captions."""
    return re.findall(r"^Figure \d+ (.*?\.)(?= |$)", said.article["eda"], re.MULTILINE)


# ---------------------------------------------------------------------------------- places


def test_methods_tell_of_worst_cases_where_they_differ() -> None:
    right = np.random.default_rng(1).binomial(1, 0.6, (60, 2)).astype(float)
    for values, is_told in ((right, False), (blocks((0.1, 0.2), 60), True)):
        report = report_of({"d": {ERROR: values}}, NAMES[:2], only=("eda",))
        text = read_report(replace(report, length="full")).whole
        assert ("-th worst value" in text) == is_told


def test_captions_and_methods_say_that_figures_draw_a_part() -> None:
    for n, is_part in ((999, False), (1500, True)):
        values = blocks((0.1, 0.12, 0.2), n)
        many = np.hstack([values, values + 0.3])
        said = tell(many, NAMES[:6])
        text = said.whole
        n_drawn = len(drawn_rows(many))
        assert ("very many replications a figure draws" in text) == is_part
        assert (f"Points: {n_drawn} of {n:,} replications; box" in text) == is_part
        assert (f"Lines: {n_drawn} of {n:,} replications; inside" in text) == is_part
        few = report_of({f"d{i}": {ERROR: many} for i in range(6)}, NAMES[:6], only=("eda",))
        assert (f"(lines: {n_drawn} of {n:,})" in read_report(few).whole) == is_part


def test_first_and_last_places_are_counted_with_ties() -> None:
    # anna and bert tie for the first place in 8 replications; cara has the other 2 alone
    values = np.array([[0.1, 0.1, 0.2]] * 8 + [[0.3, 0.3, 0.2]] * 2) + np.arange(10)[:, None] / 64
    said = tell(values)
    assert "anna and bert are best or tied for best equally often, in 8 of 10" in words(said)
    assert "cara is last" not in words(said)  # the headline says it
    assert "anna and bert have equal misclassification error in all 10 replications." in words(said)
    assert headlines(said) == [
        "No candidate is best more often than all others.", "cara is last in 8 of 10 replications."
    ]  # fmt: skip


def test_who_is_last_alone_is_what_the_figure_counts() -> None:
    """The bar of the last place has those that are last alone, as ties take the better place."""
    rows = [[0.1, 0.2, 0.3]] * 2 + [[0.2, 0.1, 0.1]] * 2 + [[0.1, 0.3, 0.3], [0.1, 0.3, 0.2]]
    said = tell(np.array(rows * 2) + np.arange(12)[:, None] / 64)
    assert "cara is last or tied for last in 6 of 12 replications, alone in 4" in words(said)


def test_who_is_best_most_often_may_not_have_the_best_mean() -> None:
    values = np.array([[0.1, 0.11, 0.5]] * 6 + [[0.3, 0.11, 0.5]] * 4) + np.arange(10)[:, None] / 64
    said = tell(values)
    assert "anna is best in 6 of 10 replications; bert, with the best mean, in 4" in words(said)
    assert headlines(said)[0] == "anna is best in 6 of 10 replications."


def test_nobody_is_best_or_last_mostly() -> None:
    said = tell(blocks((0.1, 0.1001, 0.1002), 60))
    assert headlines(said) == [
        "No candidate is best in most replications.", "No candidate is last in most replications."
    ]  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 9])
def test_always_best(n: int) -> None:
    said = tell(np.array([0.1, 0.3, 0.5]) + np.arange(n)[:, None] / 64)
    assert ("In the only replication anna is best" in words(said)) == (n == 1)
    assert (f"anna is best in {n} of {n} replications." in headlines(said)) == (n > 1)
    assert ("nothing can be said about spread" in words(said)) == (n == 1)
    assert ("Worst case" in dict(said.remarks)) == (n > 1)
    assert ("box: quartiles" in said.article["eda"]) == (n > 9)


def test_equal_candidates_are_told_as_equal() -> None:
    said = tell(np.full((8, 3), 0.25))
    assert words(said).startswith(
        "All three candidates have the same misclassification error in every replication"
    )
    assert "All candidates tie in every replication." in headlines(said)
    assert said.remarks == ()


def test_one_candidate_has_a_mean() -> None:
    said = tell(blocks((0.1, 0.1), 20)[:, :1])
    assert words(said) == "The mean misclassification error of anna is 10.00% (Figure 1)."
    assert said.remarks == ()


def test_larger_may_be_better() -> None:
    said = tell({ACCURACY: blocks((0.8, 0.9, 0.3), 50)})
    assert headlines(said) == [
        "bert is best in 50 of 50 replications.", "cara is last in 50 of 50 replications."
    ]  # fmt: skip
    assert " is best" not in words(said)
    assert " is last" not in words(said)
    assert "Larger values are better." in said.article["eda"]
    assert "Smallest value" not in words(said)


# ------------------------------------------------------------------------------- what lacks


def test_no_complete_replication_has_no_places() -> None:
    values = blocks((0.1, 0.2, 0.3), 6)
    values[::2, 0] = values[1::2, 1] = np.nan
    said = tell(values)
    assert "No replication is complete, so there are no places to count." in words(said)
    assert "6 of 18 values are missing" in words(said)
    assert "is best in" not in words(said)


def test_absent_candidates_are_left_out() -> None:
    values = blocks((0.1, 0.2, 0.3), 6)
    values[:, 1] = np.nan
    said = tell(values)
    assert "bert has no value here and is left out." in words(said)
    assert "bert" not in said.whole.replace("bert has no value", "")


# ----------------------------------------------------------------------------- worst cases


def test_the_worst_case_is_one_sentence() -> None:
    values = blocks((0.1, 0.11, 0.3), 100)
    assert tell(values).remark("Worst case").startswith("anna has the best mean and also")
    values[0, 0] = 0.9  # anna is best but for one disaster
    said = tell(values)
    assert "bert leads" in said.remark("Worst case")
    assert "; anna, with the best mean, has one at 90.00%." in said.remark("Worst case")


def test_near_worst_cases_tie_within_the_tolerance() -> None:
    values = blocks((0.1, 0.11, 0.3), 20, sd=0.0001, block_sd=0.0)
    tied = tell(values, epsilon=0.02)
    assert "anna and bert lead (" in tied.remark("Worst case")
    assert "within the tolerance of the study" in tied.remark("Worst case")
    assert "tolerance" not in tell(values).whole


# --------------------------------------------------------------- measures, data sets, names


def test_other_measures_are_in_the_supplement() -> None:
    values = blocks((0.1, 0.2, 0.3), 20)
    said = tell({ERROR: values, TIME: 10 * values})
    assert "By fitting time" in said.sections["eda"]
    assert "fitting time" not in said.article["eda"]
    assert said.sections["eda"].count("Worst cases: ") == 2


@pytest.mark.parametrize("n_datasets", [2, 8])
def test_data_sets_have_entries(n_datasets: int) -> None:
    datasets = {
        f"d{i}": {ERROR: blocks((0.1, 0.2 if i else 0.05, 0.3 + i / 50), 12, seed=i)}
        for i in range(n_datasets)
    }
    datasets["d0"][ERROR][3, 2] = np.nan
    said = read_report(report_of(datasets, NAMES[:3], only=("eda",)))
    assert faults(said.whole) == []
    best = "bert is best in 10 of 11 complete replications (Figure 1); 1 value missing"
    assert best in said.entries["d0"]
    assert "anna is best, and alone, in all 12 replications (Figure 2)." in said.entries["d1"]
    assert said.pages == {}


def test_names_never_become_markup() -> None:
    names = ["*a*", "<b>x</b>", "c_d_e", "{{ 7*7 }}"]
    values = blocks((0.1, 0.2, 0.3, 0.4), 12)
    said = read_report(report_of({"d": {ERROR: values}}, names, only=("eda",)))
    assert [line.partition(" in ")[0] for line in headlines(said)] == [
        "*a* is best", "{{ 7*7 }} is last"
    ]  # fmt: skip


# ------------------------------------------------------------------------------ everything


@pytest.mark.parametrize("seed", range(8))
def test_every_sentence_is_true_of_any_values(seed: int) -> None:
    rng = np.random.default_rng([99, seed])
    n, k = int(rng.choice([2, 3, 7, 25, 120])), int(rng.integers(2, 9))
    measure = (ERROR, ACCURACY, COST, SCORE)[seed % 4]
    factor = 1.0 if measure.unit_symbol == "share" else 100.0
    values = factor * blocks(0.4 + rng.choice([0, 0.01, 0.2]) * rng.normal(size=k), n, seed=seed)
    if seed % 2:
        values = np.round(values, 2 if factor == 1 else 0)
    if seed % 5 == 0:
        values[rng.random(values.shape) < 0.15] = np.nan
    said = tell({measure: values})
    sign = 1.0 if measure.is_smaller_better else -1.0
    hold(said, sign * values)


def hold(said: Said, values: Matrix) -> None:
    """Count places and spreads anew, of values of which the smaller is the better."""
    rows = values[np.isfinite(values).all(axis=1)]
    text = words(said)
    for name, n, every in re.findall(rf"({NAME}) is best.*? in (\d+) of (\d+)", text):
        column = rows[:, NAMES.index(name)]
        assert (int((column == rows.min(axis=1)).sum()), len(rows)) == (int(n), int(every))
    for name, n in re.findall(rf"({NAME}) is last.*? in (\d+)", text):
        assert int((rows[:, NAMES.index(name)] == rows.max(axis=1)).sum()) == int(n)
    for name, ratio, least in re.findall(
        rf"({NAME})(?: is last[^.]*, and)? spreads most: .*? is ([\d.]+) times that of ({NAME})",
        text,
    ):
        spreads = [float(np.nanstd(column, ddof=1)) for column in values.T]
        most, low = spreads[NAMES.index(name)], spreads[NAMES.index(least)]
        assert (most, low) == (max(spreads), min(spreads))
        assert most / low == pytest.approx(float(ratio), abs=0.06 * float(ratio))
    for a, b, n in re.findall(rf"({NAME}) and ({NAME}) have equal .*? in (?:all )?(\d+)", text):
        both = values[:, NAMES.index(a)] == values[:, NAMES.index(b)]
        assert both.sum() == int(n)
    lead = re.search(rf"({NAME}) leads", dict(said.remarks).get("Worst case", ""))
    if lead:
        worst = np.nanmax(values, axis=0)
        assert worst[NAMES.index(lead[1])] == worst.min()


@pytest.mark.parametrize("n", [2, 5, 9, 10])
def test_normal_intervals_of_few_replications_are_called_too_narrow(n: int) -> None:
    said = tell(blocks((0.1, 0.2), n)).whole
    assert "bar: its normal 95% interval, of each candidate alone" in said
    assert (f"too narrow with {n} replications" in said) == (n < 10)


@pytest.mark.parametrize("largest", [0.03, 0.9])
def test_intervals_of_means_end_at_the_bounds(largest: float) -> None:
    even = np.linspace(0.1, 0.2, 12)[:, None] + [0.0, 0.1]
    values = np.full((12, 2), 0.02)
    values[3, 1] = largest
    report = report_of({"c": {ERROR: even}, "d": {ERROR: values}}, NAMES[:2], only=("eda",))
    said = read_report(replace(report, length="full"))
    (seen,) = said.results["eda", "d"].values()
    by_name = {row.candidate: row.normal_interval for row in seen.summary}
    is_cut = largest > 0.5
    assert (by_name["bert"][0] == 0) == is_cut == seen.has_cut
    assert ("Intervals of means end at the bounds of the measure" in said.methods) == is_cut
