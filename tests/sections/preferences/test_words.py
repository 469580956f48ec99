"""What the section on preferences says, held against its relations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.fit_issues import Failure
from reportgen.report import Report
from reportgen.sections.preferences import RelationEntry
from reportgen.sections.preferences.analysis import Preference, _described
from tests.sections.reading import (
    ACCURACY,
    ERROR,
    NAMES,
    blocks,
    by_verdict_alone,
    faults,
    report_of,
)
from tests.sections.section_blocks import blocks_of

AREA = {"misclassification": (-0.01, 0.01), "accuracy": (-0.01, 0.01)}
SECTIONS = ("inference", "preferences")
FLAT = (0.1, 0.1, 0.1, 0.1)


def made(
    values: Any, *entries: dict[str, Any], names: tuple[str, ...] = NAMES, **settings: Any
) -> Report:
    """Return the report of made-up values with these relations."""
    is_one = not isinstance(next(iter(values)), str)
    relations = tuple(RelationEntry(**entry) for entry in entries) or None
    with by_verdict_alone():  # what the tests say of other methods is read with the tests
        return report_of(
            {"d": values} if is_one else values,
            names,
            only=SECTIONS,
            relations=relations,
            **settings,
        )


def tell(values: Any, *entries: dict[str, Any], **settings: Any) -> str:
    """Return what is said of the relations of made-up values, of the first data set."""
    return told(made(values, *entries, **settings))


def told(report: Report, dataset: str | None = None) -> str:
    """Return what the body says of a data set, the first one by itself; it must be sound."""
    contents = report.of_section("preferences")
    content = next(c for c in contents if dataset in (None, c.dataset))
    said = blocks_of(report, content)
    for text in said.values():
        assert faults(text) == []
    assert said["compact"] == ""
    return said["body"]


def relation_of(report: Report) -> Preference:
    """Return the first relation of the first data set."""
    found: Preference = report.of_section("preferences")[0].result[0]
    return found


def by(measure: str, rule: str, **more: Any) -> dict[str, Any]:
    return {"measure": measure, "by": rule, **more}


def related(pairs: str, k: int = 4, **changes: Any) -> str:
    """Return what is said of a relation of four, given as "ab cd"."""
    report = made({ERROR: blocks(FLAT, 30)}, by("misclassification", "verdict"), names=NAMES[:4])
    (content,) = report.of_section("preferences")
    letters = "abcdefgh"
    incidence: NDArray[np.bool_] = np.zeros((k, k), dtype=bool)
    for first, second in pairs.split():
        incidence[letters.index(first), letters.index(second)] = True
    changed = replace(_described(content.result[0], incidence), **changes)
    return told(replace(report, contents=(replace(content, result=(changed,)),)))


# --------------------------------------------------------------------------------- chains


def test_a_chain_is_written_and_its_ties_are_not_called_equal() -> None:
    said = tell({ERROR: blocks((0.2, 0.1, 0.1001, 0.3), 100)}, names=NAMES[:4])
    assert said == (
        "In this experiment, by the verdicts on mean misclassification error the order is: "
        "bert, cara > anna > dora."
    )


def test_in_a_linear_order_every_pair_is_decided() -> None:
    said = tell({ERROR: blocks((0.2, 0.1, 0.3), 100)}, names=NAMES[:3])
    assert "the order, with every difference significant, is: bert > anna > cara." in said
    assert ", " not in said.partition(": ")[2]


def test_statistics_are_told_with_their_range() -> None:
    values = {ERROR: blocks((0.2, 0.1, 0.3), 100), ACCURACY: blocks((0.8, 0.9, 0.7), 50)}
    said = tell(
        values,
        by("misclassification", "mean"),
        by("accuracy", "median"),
        by("accuracy", "max"),
        by("accuracy", "m-worst", m=3),
        by("misclassification", "quantile"),
        by("accuracy", "quantile"),
        names=NAMES[:3],
    )
    assert "By the mean misclassification error alone, without a test, the order is:" in said
    assert "bert > anna > cara, from 10.00% to 30.00%." in said
    assert "By the median accuracy the order is the same as by the mean mis" in said
    assert "By the smallest accuracy the order" in said
    assert "By the 3rd smallest accuracy the order" in said
    assert "By the 95% quantile of misclassification error the order" in said
    assert "By the 5% quantile of accuracy the order" in said


def test_a_named_relation_is_told_with_its_name() -> None:
    entry = by("misclassification", "max", name="<worst>")
    said = tell({ERROR: blocks((0.1, 0.2, 0.3), 30)}, entry, names=NAMES[:3])
    assert (
        "By the largest misclassification error (<worst>) alone, without a test, the order is"
        in said
    )


@pytest.mark.parametrize(
    "entry",
    [
        by("misclassification", "verdict"),
        by("misclassification", "mean", epsilon=0.5),
        by("misclassification", "percentile"),
        by("misclassification", "verdict", relevant="better"),
    ],
)
def test_where_all_tie_nothing_is_preferred(entry: dict[str, Any]) -> None:
    values = {ERROR: blocks((0.1, 0.1, 0.1), 40)}
    said = tell(values, entry, names=NAMES[:3], relevance=AREA)
    assert "the three candidates stand on one height, and nothing is preferred." in said
    assert ">" not in said


@pytest.mark.parametrize(
    ("difference", "entry", "words"),
    [
        (0.1, by("misclassification", "verdict"), "anna is better than bert."),
        (0.0, by("misclassification", "verdict"), "anna and bert do not differ significantly."),
        (0.1, by("misclassification", "mean"), "anna is better than bert (10.00% against 20.00%)."),
        (0.0, by("misclassification", "mean"), "anna and bert tie (10.00% and 10.00%)."),
        (0.0, by("misclassification", "percentile"), "anna and bert overlap."),
        (
            0.1,
            by("misclassification", "verdict", relevant="better"),
            "anna is relevantly better than bert.",
        ),
        (
            0.002,
            by("misclassification", "verdict", relevant="better"),
            "neither anna nor bert is preferred.",
        ),
    ],
)
def test_two_candidates(difference: float, entry: dict[str, Any], words: str) -> None:
    values = {ERROR: blocks((0.1, 0.1 + difference), 60)}
    said = tell(values, entry, names=NAMES[:2], relevance=AREA)
    assert words in said
    assert "weak order" not in said


# ------------------------------------------------------------------------------- no chain


def test_no_chain_is_told_by_its_first_triple_with_p_values() -> None:
    # half-width of the intervals .0095: a-c .012 is decided, a-b and b-c are not
    report = made({ERROR: blocks((0.1, 0.106, 0.112, 0.3), 50, seed=2)}, names=NAMES[:4])
    assert relation_of(report).violations == (("anna", "bert", "cara"),)
    said = told(report)
    assert re.search(
        r"anna is better than cara, yet bert differs significantly from neither "
        r"\(p = 0\.\d+ and p = 0\.\d+; the only such triple\)\.",
        said,
    )
    assert "What is left is a semiorder" in said


def test_a_tolerance_makes_no_chain() -> None:
    entry = by("misclassification", "mean", epsilon=0.01)
    said = tell({ERROR: blocks((0.1, 0.108, 0.116), 20)}, entry, names=NAMES[:3])
    assert "By the mean misclassification error with a tolerance of 1.00 points there" in said
    assert "yet bert lies within the tolerance of both" in said


def test_relevance_is_named_in_what_counts() -> None:
    values = {ERROR: blocks((0.1, 0.112, 0.124), 400)}
    entry = by("misclassification", "verdict", relevant="better")
    said = tell(values, entry, names=NAMES[:3], relevance=AREA)
    assert (
        "In this experiment, by relevant differences in mean misclassification error there is no "
        "weak order" in said
    )
    assert "anna is relevantly better than cara, yet no difference between bert" in said


def test_overlapping_intervals_may_leave_an_interval_order() -> None:
    rng = np.random.default_rng(1)
    values = np.asarray((0.1, 0.3, 0.5, 0.25)) + rng.normal(size=(80, 4)) * [0.01, 0.01, 0.01, 0.3]
    entry = by("misclassification", "percentile")
    said = tell({ERROR: values}, entry, names=NAMES[:4])
    assert (
        "In this experiment, by the central 95% of misclassification error there is no weak order"
        in said
    )
    assert "yet the interval of dora overlaps both of theirs" in said
    assert "What is left is an interval order" in said


def test_a_relation_that_is_not_transitive_is_no_order() -> None:
    said = related("ab bc cd")
    assert (
        "In this experiment, by the verdicts on mean misclassification error there is no order"
        in said
    )
    assert "anna is better than bert and bert than cara, but anna is not better than cara" in said
    assert "(one of 2 such triples)." in said
    assert "What is left" not in said
    assert "but cara in turn is better than anna" in related("ab bc ca ad bd cd")


def test_a_partial_order_has_no_thresholds() -> None:
    assert "What is left is a partial order: no common scale with thresholds" in related("ab cd")


# ---------------------------------------------------------------------------- no relation


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([(0.1, 0.2)], "with one replication nothing can be tested"),
        ([(0.1, np.nan)] * 3, "anna alone has values here"),
        ([(np.nan, np.nan)] * 3, "there are no values here"),
    ],
)
def test_why_there_is_no_relation(values: list[Any], words: str) -> None:
    tested = by("misclassification", "verdict")
    said = tell({ERROR: np.array(values)}, tested, names=NAMES[:2])
    assert "There is no relation by the verdicts on mean misclassification error: " in said
    assert words in said


def test_where_nothing_is_replicated_values_decide() -> None:
    said = tell({ERROR: np.array([(0.1, 0.3, 0.3)])}, names=NAMES[:3])
    assert "anna > bert, cara" in said
    assert "the verdicts on mean" not in said


def test_who_has_no_values_stands_aside() -> None:
    values = blocks((0.1, 0.2, 0.3), 30)
    values[:, 1] = np.nan
    said = tell({ERROR: values}, names=NAMES[:3])
    assert "anna is better than cara. bert has no value here." in said


# ------------------------------------------------------------------------ several of them


def failing() -> np.ndarray:
    """Return values in which anna is better than bert, but fails in each fifth replication."""
    values = blocks((0.1, 0.2, 0.6), 40)
    values[::5, 0] = np.nan
    return values


FAILED = (Failure("d", "anna", "failed", "fit", "ValueError: no", 8),)


@pytest.mark.parametrize(("failures", "what"), [(FAILED, "failures"), ((), "missing values")])
def test_preferences_that_failures_undo_are_told(failures: tuple[Failure, ...], what: str) -> None:
    report = made({ERROR: failing()}, names=NAMES[:3])
    said = told(replace(report, design=replace(report.design, failures=failures)))
    lost = relation_of(report).lost_to_failures
    assert ("anna", "bert") in lost
    over = " and ".join(f"{a} over {b}" for a, b in lost)
    does = "does" if len(lost) == 1 else "do"
    assert f"{over} {does} not hold when {what} count as the worst of their repl" in said


def test_a_reversal_by_ranks_is_told() -> None:
    values = blocks((0.2, 0.19, 0.6), 100, sd=0.002)
    values[::5, 1] += 0.2  # bert is ahead in four of five replications, and far behind in one
    report = made({ERROR: values}, names=NAMES[:3])
    assert relation_of(report).rank_reversals == (("anna", "bert"),)
    assert "Tests on ranks say the reverse of anna and bert." in told(report)


def test_data_sets_have_their_order_in_the_index() -> None:
    with_chain = {ERROR: blocks((0.1, 0.2, 0.3), 40)}
    without = {ERROR: blocks((0.1, 0.106, 0.112), 50)}
    once = {ERROR: np.array([[0.1, 0.2, 0.3]])}
    report = made({"d": with_chain, "odd": without, "once": once}, names=NAMES[:3])
    cells = [blocks_of(report, c)["index"] for c in report.of_section("preferences")]
    assert cells == ["anna > bert > cara", "no weak order", "anna > bert > cara by mean"]
    assert "there is no weak order" in told(report, "odd")


def test_the_index_names_the_measure_that_decides_where_the_first_has_no_values() -> None:
    none, chain = np.full((40, 3), np.nan), blocks((0.9, 0.8, 0.7), 40)
    both = {ERROR: blocks((0.1, 0.2, 0.3), 40), ACCURACY: chain}
    gap, once = {ERROR: none, ACCURACY: chain}, {ERROR: none[:1], ACCURACY: chain[:1]}
    empty = {ERROR: none, ACCURACY: none}
    report = made({"d": both, "gap": gap, "once": once, "empty": empty}, names=NAMES[:3])
    cells = [blocks_of(report, c)["index"] for c in report.of_section("preferences")]
    order = "anna > bert > cara"
    assert cells == [order, f"{order} by accuracy", f"{order} by mean accuracy", "none"]


@pytest.mark.parametrize(
    ("seed", "better"), [(seed, ACCURACY if seed % 2 else ERROR) for seed in range(8)]
)
def test_whatever_the_numbers_the_sentences_are_sound(seed: int, better: Any) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    values = np.round(rng.normal(0.5, 0.02, (int(rng.integers(2, 12)), k)) + rng.random(k) / 15, 2)
    values[rng.random(values.shape) < 0.1] = np.nan
    rules = (
        "mean",
        "median",
        "max",
        "m-worst",
        "quantile",
        "friedman",
        "verdict",
        "percentile",
    )
    entries = [by(better.name, rule) for rule in rules]
    entries += [
        by(better.name, "mean", epsilon=0.02, name="near"),
        by(better.name, "verdict", relevant="better", name="r"),
        by(better.name, "verdict", relevant="not-equivalent", name="n"),
    ]
    report = made({better: values}, *entries, names=NAMES[:k], relevance=AREA)
    results, said = report.of_section("preferences")[0].result, told(report)
    assert said.count("there is no weak order") == sum(
        r.order is None and not r.unavailable and len(r.present) > 2 for r in results
    )
    for r in results:
        if r.order is not None and len(r.present) > 2 and r.order == results[0].order:
            continue
        if r.order is not None and len(r.present) > 2 and len(r.order) > 1:
            assert " > ".join(", ".join(g) for g in r.order) in said


def test_an_entry_of_many_data_sets_says_each_order_or_why_there_is_none() -> None:
    values = {ERROR: blocks([0.1, 0.2, 0.3, 0.4], 20)}
    for settings, order in (
        ({}, "anna > bert > cara > dora"),
        (
            {"reference": "anna", "comparisons": "reference"},
            "none, as anna alone is compared with the others",
        ),
    ):
        report = made(values, **settings)
        said = blocks_of(report, report.of_section("preferences")[0])["listed"]
        way = "here by the verdicts on mean misclassification error"
        assert said == f"Order {way}: {order}."
