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
from reportgen.sections.preferences.analysis import _described
from reportgen.sections.preferences.options import RelationEntry
from reportgen.sections.preferences.result import Preference
from tests.sections.reading import (
    ACCURACY,
    ERROR,
    NAMES,
    TIME,
    Said,
    blocks,
    by_verdict_alone,
    faults,
    read,
    report_of,
)

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


def tell(values: Any, *entries: dict[str, Any], **settings: Any) -> Said:
    """Write the report of made-up values and read it."""
    said = read(made(values, *entries, **settings))
    assert faults(said.whole) == []
    return said


def body(said: Said) -> str:
    return said.sections["preferences"]


def by(measure: str, rule: str, **more: Any) -> dict[str, Any]:
    return {"measure": measure, "by": rule, **more}


def related(pairs: str, k: int = 4, **changes: Any) -> Said:
    """Read what is said of a relation of four, given as "ab cd"."""
    report = made({ERROR: blocks(FLAT, 30)}, by("misclassification", "verdict"), names=NAMES[:4])
    tests, content = report.contents
    (found,) = content.result
    letters = "abcdefgh"
    incidence: NDArray[np.bool_] = np.zeros((k, k), dtype=bool)
    for first, second in pairs.split():
        incidence[letters.index(first), letters.index(second)] = True
    told = replace(_described(found, incidence), **changes)
    said = read(replace(report, contents=(tests, replace(content, result=(told,)))))
    assert faults(said.whole) == []
    return said


# --------------------------------------------------------------------------------- chains


def test_a_chain_is_written_and_its_ties_are_not_called_equal() -> None:
    said = tell({ERROR: blocks((0.2, 0.1, 0.1001, 0.3), 100)}, names=NAMES[:4])
    text = said.paragraph(
        "preferences", "By the verdicts on mean misclassification error the candidates"
    )
    assert "form a chain: bert ∼ cara ≺ anna ≺ dora." in text
    assert text.endswith("joined by ∼ are undecided, which does not make them equal.")
    assert "Figure 2 A chain." in body(said) or "Figure 1 A chain." in body(said)
    assert not [f for f in said.findings if "chain" in f or "turned" in f]


def test_a_linear_order_has_no_word_on_ties() -> None:
    said = tell({ERROR: blocks((0.2, 0.1, 0.3), 100)}, names=NAMES[:3])
    text = said.paragraph("preferences", "By the verdicts on mean")
    assert "form a chain, and every pair is decided: bert ≺ anna ≺ cara." in text
    assert "∼" not in text


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
    assert "By the mean misclassification error the candidates form" in body(said)
    assert "bert ≺ anna ≺ cara, from 10.00% to 30.00%." in body(said)
    assert "By the median accuracy the chain is the same as by the mean mis" in body(said)
    assert "By the smallest accuracy the chain" in body(said)
    assert "By the 3rd smallest accuracy the chain" in body(said)
    assert "By the 95% quantile of misclassification error the chain" in body(said)
    assert "By the 5% quantile of accuracy the chain" in body(said)
    assert "None of the three preferences by the mean" in body(said)


def test_a_named_relation_is_told_with_its_name() -> None:
    entry = by("misclassification", "max", name="<worst>")
    said = tell({ERROR: blocks((0.1, 0.2, 0.3), 30)}, entry, names=NAMES[:3])
    assert "By the largest misclassification error (<worst>) the candidates" in body(said)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (by("misclassification", "verdict"), "no pair is decided: the three"),
        (by("misclassification", "mean", epsilon=0.5), "all lie within the tolerance: the three"),
        (by("misclassification", "percentile"), "all overlap: the three"),
        (by("misclassification", "verdict", relevant="better"), "no difference counts: the"),
    ],
)
def test_where_all_tie_nothing_is_preferred(entry: dict[str, Any], words: str) -> None:
    values = {ERROR: blocks((0.1, 0.1, 0.1), 40)}
    said = tell(values, entry, names=NAMES[:3], relevance=AREA)
    assert words in body(said)
    assert "three candidates stand on one height, and nothing is preferred." in body(said)
    assert "≺" not in re.sub(r"∼ joins .*", "", body(said))


@pytest.mark.parametrize(
    ("difference", "entry", "words"),
    [
        (0.1, by("misclassification", "verdict"), "anna is better than bert."),
        (0.0, by("misclassification", "verdict"), "anna and bert are undecided, whi"),
        (0.1, by("misclassification", "mean"), "anna is better than bert (10.00% against 20.00%)."),
        (0.0, by("misclassification", "mean"), "anna and bert tie (10.00% and 10.00%)."),
        (0.0, by("misclassification", "percentile"), "anna and bert overlap, so that neither"),
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
    assert words in body(said)
    assert "chain" not in body(said).split("Figure")[0]


# ------------------------------------------------------------------------------- no chain


def test_no_chain_is_told_by_its_first_triple_with_p_values() -> None:
    # half-width of the intervals .0095: a-c .012 is decided, a-b and b-c are not
    said = tell({ERROR: blocks((0.1, 0.106, 0.112, 0.3), 50, seed=2)}, names=NAMES[:4])
    text = said.paragraph(
        "preferences", "By the verdicts on mean misclassification error there is no"
    )
    (found,) = said.results["preferences", "d"]
    assert found.violations == (("anna", "bert", "cara"),)
    assert re.search(
        r"anna is better than cara, yet neither pair with bert is decided "
        r"\(p = 0\.\d+ and p = 0\.\d+; the only such triple\)\.",
        text,
    )
    assert "What is left is a semiorder" in text
    assert text.endswith("No candidate is better than either of anna and bert.")
    assert "anna is better than cara, neither pair with bert is decided." in body(said)
    (finding,) = [f for f in said.findings if "chain" in f]
    assert "form no chain: anna is better than cara, yet neither pair with bert" in finding
    assert finding.count("; 1 such triple)") == 1


def test_a_tolerance_makes_no_chain_by_construction() -> None:
    entry = by("misclassification", "mean", epsilon=0.01)
    said = tell({ERROR: blocks((0.1, 0.108, 0.116), 20)}, entry, names=NAMES[:3])
    assert "By the mean misclassification error with a tolerance of 1.00 points there" in body(said)
    assert "yet bert lies within the tolerance of both" in body(said)
    assert "on (here by construction)" in body(said)


def test_relevance_is_named_in_what_counts() -> None:
    values = {ERROR: blocks((0.1, 0.112, 0.124), 400)}
    better = tell(
        values,
        by("misclassification", "verdict", relevant="better"),
        names=NAMES[:3],
        relevance=AREA,
    )
    assert "By relevant differences in mean misclassification error there is no ch" in body(better)
    assert "anna is relevantly better than cara, yet no difference between bert" in body(better)
    loose = tell(
        {ERROR: blocks((0.1, 0.1005, 0.13), 400)},
        by("misclassification", "verdict", relevant="not-equivalent"),
        names=NAMES[:3],
        relevance=AREA,
    )
    assert "joined by ∼ are undecided, or equivalent within ±1 percentage" in body(loose)


def test_overlapping_intervals_may_leave_an_interval_order() -> None:
    rng = np.random.default_rng(1)
    values = np.asarray((0.1, 0.3, 0.5, 0.25)) + rng.normal(size=(80, 4)) * [0.01, 0.01, 0.01, 0.3]
    entry = by("misclassification", "percentile")
    said = tell({ERROR: values}, entry, names=NAMES[:4])
    assert "By the central 95% of misclassification error there is no chain" in body(said)
    assert "yet the interval of dora overlaps both of theirs" in body(said)
    assert "What is left is an interval order" in body(said)
    assert "candidates (here by construction)" in body(said)


def test_a_relation_that_is_not_transitive_is_no_order() -> None:
    said = related("ab bc cd")
    text = said.paragraph(
        "preferences", "By the verdicts on mean misclassification error there is no"
    )
    assert "anna is better than bert and bert than cara, but anna is not better than cara" in text
    assert "(one of 2 such triples). The relation is not transitive." in text
    assert "What is left" not in text
    assert "Dashed: the lines suggest a preference that is not there." in body(said)
    (finding,) = [f for f in said.findings if "transitive" in f]
    assert "better is not transitive: anna is better than bert" in finding


def test_a_circle_is_named() -> None:
    said = related("ab bc ca ad bd cd")
    assert "but cara in turn is better than anna" in body(said)
    assert "anna, bert and cara are better than one another in a circle." in body(said)
    assert "Every candidate has one that is better." in body(said)
    assert "Arrows: a circle." in body(said)


def test_a_partial_order_has_no_thresholds() -> None:
    said = related("ab cd")
    assert "What is left is a partial order: no common scale with thresholds" in body(said)
    assert "No candidate is better than either of anna and cara." in body(said)


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
    assert "There is no relation by the verdicts on mean misclassification error: " in body(said)
    assert words in body(said)


def test_where_nothing_is_replicated_values_decide() -> None:
    said = tell({ERROR: np.array([(0.1, 0.3, 0.3)])}, names=NAMES[:3])
    assert "anna ≺ bert ∼ cara" in body(said)
    assert "the verdicts on mean" not in body(said)


def test_who_has_no_values_stands_aside() -> None:
    values = blocks((0.1, 0.2, 0.3), 30)
    values[:, 1] = np.nan
    said = tell({ERROR: values}, names=NAMES[:3])
    assert "bert has no value here and is neither better nor worse than any; " in body(said)
    assert "anna is better than cara." in body(said)
    assert not [f for f in said.findings if "chain" in f]


# ------------------------------------------------------------------------ several of them


def failing() -> np.ndarray:
    """Return values in which anna is better than bert, but fails half of the time."""
    values = blocks((0.1, 0.15, 0.4), 40)
    values[::2, 0] = np.nan
    return values


FAILED = (Failure("d", "anna", "failed", "fit", "ValueError: no", 20),)


@pytest.mark.parametrize(("failures", "what"), [(FAILED, "failures"), ((), "missing values")])
def test_preferences_that_failures_undo_are_told(failures: tuple[Failure, ...], what: str) -> None:
    report = made({ERROR: failing()}, names=NAMES[:3])
    said = read(replace(report, design=replace(report.design, failures=failures)))
    assert faults(said.whole) == []
    (relation,) = said.results["preferences", "d"]
    assert relation.is_better("anna", "bert")
    assert ("anna", "bert") in relation.lost_to_failures
    text = body(said)
    assert "Means rest on different replications: bert and cara have 40 values, anna only" in text
    over = " and ".join(f"{a} over {b}" for a, b in relation.lost_to_failures)
    does = "does" if len(relation.lost_to_failures) == 1 else "do"
    assert f"{over} {does} not hold when {what} count as the worst of their repl" in text
    (finding,) = [f for f in said.findings if f"{what} count" in f]
    assert finding.startswith("anna over bert")


def test_preferences_that_failures_undo_on_many_data_sets() -> None:
    whole = {ERROR: blocks((0.1, 0.15, 0.4), 40)}
    values = {f"d{i}": whole for i in range(5)} | {"odd": {ERROR: failing()}}
    report = made(values, names=NAMES[:3])
    design = replace(report.design, failures=FAILED)
    said = read(replace(report, design=design))
    assert any("when failed fits count as the worst" in f for f in said.findings)
    said = read(report)
    assert "anna only 20." in said.pages["odd", "preferences"]
    assert "different replications" not in said.pages["d0", "preferences"]
    (finding,) = [f for f in said.findings if "when missing values count as the worst" in f]
    assert "anna over bert on odd" in finding


def test_a_reversal_by_ranks_is_told_with_its_direction() -> None:
    values = blocks((0.2, 0.19, 0.6), 100, sd=0.002)
    values[::5, 1] += 0.2  # bert is ahead in four of five replications, and far behind in one
    said = tell({ERROR: values}, names=NAMES[:3])
    (relation,) = said.results["preferences", "d"]
    assert relation.rank_reversals == (("anna", "bert"),)
    assert (
        "Tests on ranks say the reverse of anna and bert: bert has the better mean rank, though "
        "the worse mean." in body(said)
    )
    many = {f"d{i}": {ERROR: values} for i in range(6)}
    assert "bert has the better mean rank" in tell(many, names=NAMES[:3]).pages["d0", "preferences"]


def test_what_another_measure_turns_round_is_counted() -> None:
    values = {ERROR: blocks((0.1, 0.2, 0.3), 60), TIME: blocks((3.0, 2.0, 4.0), 60)}
    said = tell(values, names=NAMES[:3])
    assert (
        "Of the three preferences by the verdicts on mean misclassification error one is reversed "
        "by the mean fitting time (anna over bert)." in body(said)
    )
    (finding,) = [f for f in said.findings if "reversed" in f]
    assert finding.startswith(
        "Of the 3 preferences by the verdicts on mean misclassification error, 1 is"
    )
    assert "that of anna over bert" in finding


def test_relations_of_the_main_measure_make_no_finding_of_contradiction() -> None:
    rng = np.random.default_rng(2)
    values = np.asarray((0.10, 0.12, 0.3)) + rng.normal(size=(60, 3)) * [0.02, 0.001, 0.01]
    said = tell(
        {ERROR: values},
        by("misclassification", "mean"),
        by("misclassification", "max"),
        names=NAMES[:3],
    )
    assert "is reversed by the largest misclassification error (anna over bert)" in body(said)
    assert not [f for f in said.findings if "reversed" in f]


def test_many_data_sets_have_chains_in_the_index_and_short_pages() -> None:
    with_chain = {ERROR: blocks((0.1, 0.2, 0.3), 40), TIME: blocks((3.0, 2.0, 1.0), 40)}
    without = {ERROR: blocks((0.1, 0.106, 0.112), 50), TIME: blocks((3.0, 2.0, 1.0), 50)}
    datasets = {f"d{i}": with_chain for i in range(6)} | {"odd": without}
    said = tell(datasets, names=NAMES[:3])
    page = said.pages["d0", "preferences"]
    assert page == (
        "By the verdicts on mean misclassification error: anna ≺ bert ≺ cara; "
        "by the mean fitting time: cara ≺ bert ≺ anna."
    )
    assert "there is no chain" in said.pages["odd", "preferences"]
    found = " ".join(said.findings)
    assert "form no chain on 1 of 7 data sets (odd)" in found
    assert (
        "19 of 19 preferences by the verdicts on mean misclassification error are reversed" in found
    )


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
    said = tell({better: values}, *entries, names=NAMES[:k], relevance=AREA)
    results: tuple[Preference, ...] = said.results["preferences", "d"]
    assert body(said).count("there is no chain") == sum(
        r.order is None and not r.unavailable and len(r.present) > 2 for r in results
    )
    for r in results:
        if r.order is not None and len(r.present) > 2 and r.order == results[0].order:
            continue
        if r.order is not None and len(r.present) > 2 and len(r.order) > 1:
            assert " ≺ ".join(" ∼ ".join(g) for g in r.order) in body(said)
