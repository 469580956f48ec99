"""What the section on inference says, held against the decisions it has."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.fit_issues import Failure
from reportgen.notation import statistic
from reportgen.report import Report
from reportgen.sections.inference.result import MeasureInference
from tests.sections.reading import (
    ACCURACY,
    COST,
    ERROR,
    NAMES,
    SCORE,
    TIME,
    Said,
    blocks,
    by_verdict_alone,
    faults,
    read,
    report_of,
)
from tests.sections.study_verdicts import Study
from tests.sections.verdict_counts import counts_of_text
from tests.sections.verdicts import contradictions, of_text, verdicts

AREA = {"misclassification": (-0.01, 0.01), "accuracy": (-0.01, 0.01), "cost": (-1.0, 1.0)}
MOST_WORDS, MOST_CAPTION, MOST_METHODS = 95, 60, 165  # of an article


def tell(values: Any, **settings: Any) -> tuple[Report, Said]:
    """Write a report of the inference alone, and read it: it must be sound and true."""
    of = {"d": {ERROR: values} if isinstance(values, np.ndarray) else values}
    k = next(iter(of["d"].values())).shape[1]
    return hold(report_of(of, NAMES[:k], only=("inference",), **settings))


def hold(report: Report) -> tuple[Report, Said]:
    """Read a report; it must be sound, within its budgets, and true."""
    said = read(report)
    assert faults(said.whole) == []
    assert contradictions(report, [said]) == []
    words, *captions = re.split(r"\n(?:Figure|Table) ", said.article["inference"])
    assert len(words.split()) <= MOST_WORDS
    assert all(len(caption.split()) <= MOST_CAPTION for caption in captions)
    assert len(said.brief_methods.split()) <= MOST_METHODS
    return report, said


def found(said: Said, measure: str = "misclassification") -> MeasureInference:
    result: MeasureInference = said.results["inference", "d"][measure]
    return result


def kinds(report: Report, said: Said, start: str = "section") -> set[str]:
    """Return the kinds of all claims on pairs."""
    return {claim.kind for claim in of_text(report, said) if claim.where.startswith(start)}


# ------------------------------------------------------------------------- the decisions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "area", "kind", "claimed"),
    [
        (0.030, True, "relevant", {"relevant"}),
        (0.012, True, "better", {"better"}),
        (0.012, False, "better", {"better"}),
        (0.006, True, "slight", {"slight"}),
        (0.001, True, "equivalent", {"equivalent"}),
        (0.001, False, "undecided", {"undecided"}),
    ],
)
def test_a_pair_is_told_by_its_decision(
    difference: float, area: bool, kind: str, claimed: set[str]
) -> None:
    # half-width of the interval: 1.96 * .02 * sqrt(2 / 400) = .0028
    values = blocks((0.1, 0.1 + difference), 400)
    report, said = tell(values, relevance=AREA if area else {})
    assert found(said).pairs[0].kind == kind
    assert kinds(report, said) == claimed
    assert ("±1 percentage point" in said.article["inference"]) == area


def test_pairs_of_every_kind_are_named_or_counted() -> None:
    values = blocks((0.1, 0.105, 0.13, 0.15, 0.1503), 1000)
    report, said = tell(values, relevance=AREA)
    result = found(said)
    assert {p.kind for p in result.pairs} == {"relevant", "slight", "equivalent"}
    assert kinds(report, said) >= {"slight", "equivalent"}
    assert len(list(counts_of_text(Study(report, verdicts(report)), said))) > 1


def test_without_an_area_nothing_is_called_equivalent_or_relevant() -> None:
    _, said = tell(blocks((0.1, 0.1003, 0.2, 0.3), 50))
    assert "larger than" not in said.article["inference"]
    assert "quivalent" not in said.article["inference"]


@pytest.mark.parametrize("n_blocks", [2, 5, 6])
def test_fewer_than_six_replications_leave_pairs_open(n_blocks: int) -> None:
    _, said = tell(blocks((0.1, 0.2, 0.3), n_blocks))
    assert (found(said).n_open == 3) == (n_blocks < 6)
    told = "Fewer than six replications in common leave all pairs open" in said.whole
    assert told == (n_blocks < 6)


def test_nothing_decided_has_a_bound_where_the_intervals_have_one() -> None:
    _, said = tell(blocks((0.1, 0.1001, 0.1002), 60))
    bound = found(said).largest_bound
    assert bound is not None
    assert f"no difference exceeds {100 * bound:.2f} points" in said.article["inference"]
    _, few = tell(blocks((0.1, 0.1001, 0.1002), 5))
    assert "exceeds" not in few.article["inference"]


def test_a_difference_that_never_varies_is_said() -> None:
    level = blocks((0.1, 0.1), 12)[:, :1]
    _, said = tell(level + np.array([0, 0.03, 0.03]), relevance=AREA)
    assert [p.second for p in found(said).constant] == ["bert", "cara", "cara"]
    assert "differ by the same amount in all replications" in said.article["inference"]
    _, same = tell(np.tile(level, 3), relevance=AREA)
    assert found(same).decided == ()
    assert "estimates, which do not vary" in same.article["inference"]
    assert "stages" not in same.whole


def test_many_pairs_are_counted_not_listed() -> None:
    names = [f"c{i}" for i in range(30)]
    values = blocks(np.linspace(0.1, 0.3, 30), 60)
    of = {"d": {ERROR: values}}
    with by_verdict_alone():
        _, said = hold(report_of(of, names, only=("inference",), relevance=AREA))
    assert "The row’s candidate against the column’s" in said.article["inference"]
    assert "Grey" not in said.article["inference"]
    assert "Table S2 has all pairs" in said.whole


def test_larger_values_can_be_better() -> None:
    _, said = tell({ACCURACY: blocks((0.9, 0.85, 0.8), 100)}, relevance=AREA)
    assert found(said, "accuracy").better_than_all == "anna"
    assert "anna is significantly better than every other candidate" in said.article["inference"]


@pytest.mark.slow
def test_the_reference_is_compared_first() -> None:
    values = blocks((0.1, 0.2, 0.201, 0.3), 400)
    report, said = tell(values, relevance=AREA, reference="bert")
    assert said.article["inference"].startswith("Against the reference bert, in misclassification")
    against = [c for c in of_text(report, said) if "Against the reference" in c.where]
    assert {(c.first, c.second, c.kind) for c in against} == {
        ("anna", "bert", "better"),
        ("bert", "dora", "better"),
        ("cara", "bert", "equivalent"),
    }
    assert "All against bert" in said.sections["inference"]
    offered = "can decide on these 3 pairs in place of 6, each more easily: comparisons: reference"
    assert offered in said.sections["inference"].replace("`", "")
    values[:, 1] = np.nan
    _, without = tell(values, relevance=AREA, reference="bert")
    assert "reference" not in without.article["inference"]


def test_times_are_told_by_ratios() -> None:
    rng = np.random.default_rng(4)
    seconds = rng.lognormal(sigma=0.1, size=(60, 3)) * [0.5, 2.0, 28.0]
    _, said = tell({ERROR: blocks((0.1, 0.11, 0.2), 60), TIME: seconds})
    assert found(said, "fit-time").is_ratio
    assert "larger than a factor of 1.1" in said.sections["inference"]
    assert "holds on the machine and in the session measured" in said.remark("Times")
    assert "by ratios of geometric means" in said.methods
    _, alone = tell({TIME: seconds})
    assert "The ratio of two geometric means is judged by Student’s t" in alone.brief_methods
    _, without = tell({ERROR: seconds / 100})
    assert "Times" not in dict(without.remarks)
    assert "ratios of geometric means" not in without.methods


def test_imported_times_hold_where_they_were_measured() -> None:
    seconds = np.random.default_rng(4).lognormal(sigma=0.1, size=(60, 3)) * [0.5, 2.0, 28.0]
    report, _ = tell({TIME: seconds})
    imported = replace(report, design=replace(report.design, source="times.csv"))
    assert "order the values were measured is not known" in read(imported).remark("Times")


# --------------------------------------------------------------------- what holds, and where


@pytest.mark.parametrize(
    ("problem", "scheme", "words"),
    [
        (None, "", "How they were drawn is not known"),
        ("real-world", "bootstrap", "they are not 40 data sets"),
        ("real-world", "k-fold", "and the tests too liberal"),
        ("simulation", "", "so that all speaks of the generating process"),
    ],
)
def test_the_methods_say_what_replications_are(
    problem: str | None, scheme: str, words: str
) -> None:
    values = blocks((0.1, 0.12, 0.2), 40)
    resampling = {"scheme": scheme} if scheme else {}
    _, said = tell(values, problem=problem, resampling=resampling, relevance=AREA)
    assert words in said.brief_methods
    target = "speak of the generating process" if problem == "simulation" else "are conditional on"
    assert f"All p-values and intervals here {target}" in said.sections["inference"]
    given = "under this process" if problem == "simulation" else "in this experiment"
    assert given in said.article["inference"]


@pytest.mark.parametrize("shape", ["normal", "outlier"])
def test_a_skewness_that_chance_can_give_is_not_called_strong(shape: str) -> None:
    rng = np.random.default_rng(25)
    values = rng.normal(size=(10, 9))
    values[0, 0] += 99 * (shape == "outlier")
    _, said = tell(values / 100)
    by_chance = (
        "the most skewed of 36 differences (by 2.0), over 10 replications, may be so by chance;"
    )
    words = {"normal": by_chance, "outlier": "differences are strongly skewed"}
    assert words[shape] in said.brief_methods, said.brief_methods
    assert ("in simulations of truly such ones" in said.brief_methods) == (shape == "normal")


@pytest.mark.parametrize("n_blocks", [19, 20, 60])
@pytest.mark.parametrize("variance", ["own", "pooled"])
def test_what_the_caption_says_is_what_was_computed(n_blocks: int, variance: str) -> None:
    values = blocks((0.1, 0.15, 0.2), n_blocks)
    _, said = tell(values, variance=variance, relevance=AREA)
    result = found(said)
    assert result.deciding_method is not None
    law = {"t": "Bonferroni", "max-t": "largest |t|", "studentized-range": "Tukey"}
    by = "one variance of all pairs" if variance == "pooled" else "each pair’s own variance"
    assert f"by {by} ({law[result.deciding_method.law]})" in said.article["inference"]
    few = "if differences are not strongly skewed, which" in said.brief_methods
    assert few == (n_blocks < 30 and variance == "own")
    assert "Band: ±1 percentage point." in said.article["inference"]
    thin = "each pair’s own variance" if variance == "pooled" else "one variance for all pairs"
    assert f"Thin line: {thin}." in said.article["inference"]


def test_a_family_of_the_whole_study_is_said() -> None:
    values = blocks((0.1, 0.12, 0.2), 40)
    _, said = tell({ERROR: values, COST: 100 * values}, relevance=AREA, family="study")
    assert "All pairs of the study are adjusted together, 6 of them." in said.article["inference"]
    assert "adjusted for this data set and measure alone" in said.remark("Other methods")


@pytest.mark.slow
@pytest.mark.parametrize("column", [1, slice(None)])
@pytest.mark.parametrize("size", [1e20, 1e95])
def test_a_value_that_dwarfs_all_others_is_a_remark(size: float, column: int | slice) -> None:
    values = 20 + np.random.default_rng(1).normal(size=(30, 3)) + [0, 2, 4]
    values[6, column] = size
    _, said = tell({COST: values}, relevance=AREA)
    told = said.remark("One value")
    result = found(said, "cost")
    assert result.outlier is not None
    changed = result.outlier.changed(result.pairs)
    assert (f"{len(changed)} of 3 verdicts would be " in told) == bool(changed)
    assert "In replication 7 the cost of" in told
    _, usual = tell({COST: np.delete(values, 6, axis=0)}, relevance=AREA)
    assert "One value" not in dict(usual.remarks)


# ------------------------------------------------------------------------- what cannot be


def test_one_candidate() -> None:
    said = read(report_of({"d": {ERROR: np.full((5, 1), 0.1)}}, NAMES[:1], only=("inference",)))
    assert "There is one candidate here" in said.article["inference"]
    assert said.remarks == ()
    assert said.brief_methods == ""


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([[0.1, 0.2]]), "Only one replication has values, so no difference"),
        (
            np.array([[0.1, np.nan], [np.nan, 0.2]]),
            "2 of 4 values are missing, and no two candidates have two replications in common",
        ),
    ],
)
def test_what_cannot_be_tested_says_why(values: np.ndarray, words: str) -> None:
    _, said = tell(values, relevance=AREA)
    assert words in said.article["inference"]
    assert "better" not in said.article["inference"]


# -------------------------------------------------------------------------------- gaps


def with_gaps(*cells: tuple[int, int], means: tuple[float, ...] = (0.1, 0.11, 0.3)) -> np.ndarray:
    values = blocks(means, 12)
    for cell in cells:
        values[cell] = np.nan
    return values


def test_tests_with_gaps_are_told_with_their_numbers() -> None:
    _, said = tell(with_gaps((0, 0), (1, 0), (1, 2)))
    text, result = said.sections["inference"], found(said)
    m, f = result.skillings_mack, result.friedman
    assert m is not None
    assert f is not None
    assert m.statistic != f.statistic
    assert f"(χ² = {statistic(m.statistic)} on 2 degrees of freedom; p" in text
    assert "2 of 12 replications lack values" in text
    assert "rank tests the 10 complete replications" in text
    assert "only if what is missing has nothing to do with performance" in text
    for word in ("Kenward and Roger 1997", "Skillings and Mack 1981", "Genz and Bretz 2009"):
        assert word in said.methods
        assert word not in tell(with_gaps())[1].methods


def test_a_whole_replication_without_values_is_no_gap() -> None:
    values = blocks((0.1, 0.11, 0.3), 12)
    values[4] = np.nan
    _, said = tell(values)
    assert "1 of 12 replications has no value at all." in said.sections["inference"]
    assert "Skillings" not in said.whole


def test_candidates_that_never_meet_are_told() -> None:
    values = blocks((0.1, 0.11, 0.3, 0.2), 12)
    values[:6, 2:] = values[6:, :2] = np.nan
    _, said = tell(values)
    text = said.sections["inference"]
    assert "No replication links anna and bert to cara and dora, not even through others" in text
    assert "no replication is complete" in text
    assert found(said).friedman is None


def test_designs_whose_ranks_link_nothing_are_told() -> None:
    """All values of a replication with cara are tied, so it says nothing."""
    values = blocks((0.1, 0.2, 0.3), 12)
    values[:9, 2] = np.nan
    values[9:, 0] = np.nan
    values[9:, 1] = values[9:, 2]
    _, said = tell(values)
    assert "Skillings and Mack cannot be computed" in said.sections["inference"]


def test_without_kenward_and_roger_there_is_no_test_of_all_means() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, np.nan], [np.nan, 0.2, 0.1]])
    report = report_of({"d": {ERROR: values}}, NAMES[:3], only=("inference",))
    (content,) = report.contents
    result = content.result["misclassification"]
    model = replace(result.mixed_model, equality_test=None)
    changed = {"misclassification": replace(result, mixed_model=model)}
    said = read(replace(report, contents=(replace(content, result=changed),), length="full"))
    assert "the approximation of Kenward and Roger breaks down" in said.sections["inference"]


@pytest.mark.parametrize("is_told", [True, False])
def test_failures_ranked_last_may_change_the_order(is_told: bool) -> None:
    """The best where it has values, cara fails in most replications."""
    values = blocks((0.2, 0.4, 0.1), 20)
    values[:12, 2] = np.nan
    report = report_of({"d": {ERROR: values}}, NAMES[:3])
    failures = (Failure("d", "cara", "failed", "fit", "ValueError: no", 12),) if is_told else ()
    design = replace(report.design, failures=failures, source="" if is_told else "results.csv")
    said = read(replace(report, design=design))
    result, text = found(said), said.sections["inference"]
    assert result.worst_rank is not None
    assert result.worst_rank.failed == {"anna": 0, "bert": 0, "cara": 12}
    assert ("With failures ranked behind all" in text) == is_told
    assert ("With missing values taken for failures" in text) != is_told
    assert result.changed_by_failures
    assert "other than those of complete replications over" in text
    assert "failures ranked behind all values" in said.methods


# -------------------------------------------------------- other measures, many data sets


def test_other_measures_have_sentences_and_a_table() -> None:
    values = blocks((0.1, 0.12, 0.2), 40)
    _, said = tell({ERROR: values, COST: 100 * values, TIME: values}, relevance=AREA)
    text = said.sections["inference"]
    assert [p for p in text.splitlines() if p.startswith("By ")] == ["By cost", "By fitting time"]
    assert text.count("All p-values and intervals here") == 1
    assert "cost" not in said.article["inference"]
    assert text.count("All pairs: advantage of the first") == 3  # a phone needs the first’s, too
    assert text.count("Other ways to test all pairs") == 1


@pytest.mark.slow
@pytest.mark.parametrize("n_datasets", [2, 7])
@pytest.mark.parametrize("length", ["article", "full"])
def test_several_data_sets_have_entries_or_pages(n_datasets: int, length: str) -> None:
    datasets = {
        f"d{i}": {ERROR: blocks((0.1, 0.101 if i else 0.2, 0.3), 50, seed=i)}
        for i in range(n_datasets)
    }
    datasets["flat"] = {ERROR: np.full((1, 3), 0.25)}
    report = report_of(datasets, NAMES[:3], relevance=AREA)
    report = replace(report, length=length)
    said = read(report)
    assert faults(said.whole) == []
    assert contradictions(report, [said]) == []
    if length == "article":
        assert said.pages == {}
        assert "anna is significantly better than all others" in said.entries["d0"]
        assert "No candidate is significantly better than anna or bert" in said.entries["d1"]
        assert "Only one replication has values" in said.entries["flat"]
    else:
        assert "3 differences are significant" in said.pages["d0", "inference"]
        assert "are conditional on this data set" in said.pages["d1", "inference"]


def test_nothing_decided_is_said_of_each_data_set() -> None:
    clear, alike = blocks((0.1, 0.2, 0.3), 12), blocks((0.1, 0.1001, 0.1002), 12)
    values = {"d0": {ERROR: clear}, "d1": {ERROR: alike}}
    with by_verdict_alone():
        said = read(report_of(values, NAMES[:3], only=("inference",)))
    assert faults(said.whole) == []
    assert "None of 3 differences is significant (Figure" in said.entries["d1"]
    assert "None of 3 differences is significant" not in said.entries["d0"]


def test_what_is_not_tested_is_said_once_and_not_of_each_data_set() -> None:
    values = {f"d{i}": {ERROR: blocks((0.1, 0.2, 0.3), 4, seed=i)} for i in range(3)}
    with by_verdict_alone():
        said = read(report_of(values, NAMES[:3], only=("inference",)))
    assert not any("significant" in text for text in said.entries.values())
    assert said.whole.count("no pair is tested") <= 1


# ---------------------------------------------------------------------------- everything


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11))
def test_every_sentence_is_true_of_any_values(seed: int) -> None:
    rng = np.random.default_rng([98, seed])
    n_candidates, n_blocks = int(rng.integers(2, 10)), int(rng.choice([2, 3, 5, 12, 40, 300]))
    measure = (ERROR, ACCURACY, COST, SCORE)[seed % 4]
    factor = 1.0 if measure.unit_symbol == "share" else 100.0
    spread = rng.choice([0.0, 0.003, 0.02, 0.2])
    values = factor * blocks(
        0.3 + spread * rng.normal(size=n_candidates),
        n_blocks,
        sd=rng.choice([0.002, 0.02]),
        seed=seed,
    )
    if seed % 3 == 0:
        values = np.round(values, 2 if factor == 1 else 0)  # ties
    if seed % 5 == 0:
        values[rng.random(values.shape) < 0.1] = np.nan
    area = {measure.name: (-0.01 * factor, 0.01 * factor)} if seed % 2 else {}
    report, said = tell({measure: values}, relevance=area)
    result = said.results["inference", "d"].get(measure.name)
    if result is not None and result.pairs:
        assert list(counts_of_text(Study(report, verdicts(report)), said)) or len(result.pairs) == 1


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ([], "simultaneous 95% intervals, "),
        ([2], "simultaneous 95% intervals (each for itself where a pair is not tested), "),
        ([0, 1, 2], "95% intervals, each for itself, "),
    ],
)
def test_only_intervals_of_tested_pairs_are_called_simultaneous(
    lost: list[int], words: str
) -> None:
    """What only five of six replications have is not tested: its interval is Student's alone."""
    values = blocks((0.10, 0.14, 0.19), 6)
    values[0, lost] = np.nan
    _, said = tell(values)
    assert f"Strong line: {words}" in said.whole
