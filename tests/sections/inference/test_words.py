"""What the section on inference says, held against the decisions it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from reportgen.fit_issues import Failure
from reportgen.sections.inference.analysis import MeasureInference
from reportgen.warehouse import Measure
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
    tell,
)

AREA = {"misclassification": (-0.01, 0.01), "accuracy": (-0.01, 0.01), "cost": (-1.0, 1.0)}
NAME = f"(?:{'|'.join(NAMES)})"
LIST = rf"{NAME}(?:, {NAME})*(?: and {NAME})?"


def found(said: Said, measure: str = "misclassification", dataset: str = "d") -> MeasureInference:
    result: MeasureInference = said.results["inference", dataset][measure]
    return result


def claims(text: str) -> Iterator[tuple[str, str, str]]:
    """Read what a text says about pairs: (first, second, decision)."""
    patterns = {
        "better-relevant": rf"({NAME}) is better than ({LIST}) by a relevant amount[.;]",
        "better": rf"({NAME}|it) is (?:also )?better than ({LIST}), though whether by a relevant",
        "significant": rf"({NAME}) is better than ({LIST})\.",
        "slight": rf"({NAME}) is better than ({LIST}) \(p [^)]*\), but too little to matter",
        "undecided": rf"({NAME}) and ({NAME}) are undecided \(",
        "equal": rf"({NAME}) and ({NAME}) are equivalent (?:within [^()]*)?\(p",
    }
    for decision, pattern in patterns.items():
        for m in re.finditer(pattern, text):
            first = m[1]
            if first == "it":
                first = re.findall(rf"({NAME}) is better than", text[: m.start()])[-1]
            for second in re.findall(NAME, m[2]):
                yield first, second, decision
    for m in re.finditer(r"(Undecided|Equivalent) are (.*?)\.(?=\s|$)", text):
        for first, second in re.findall(rf"({NAME}) and ({NAME}) \(", m[2]):
            yield first, second, {"Equivalent": "equal"}.get(m[1], "undecided")


def truth(result: MeasureInference) -> dict[tuple[str, str], set[str]]:
    """Return everything that may be said of a pair, the better mean first."""
    said = {}
    for p in result.best_first:
        kinds = {p.decision}
        kinds |= {"significant"} if p.significant else set()
        if p.decision == "equivalent":
            kinds.add("slight" if p.significant else "equal")
        if result.relevance is None and p.significant:
            kinds.discard("better")
        said[p.first, p.second] = kinds
    return said


def check(said: Said, measure: str = "misclassification") -> None:
    """Assert that every claim on a pair is true, and the counts are those of the decisions."""
    assert faults(said.whole) == []
    result = found(said, measure)
    text = said.sections["inference"]
    may = truth(result)
    made = list(claims(text))
    for first, second, decision in made:
        assert decision in may[first, second], (first, second, decision, text)
    undecided = [p for p in result.pairs if p.decision == "undecided"]
    is_closed = "No pair is left undecided." in text
    several = len(result.pairs) > 1 and result.relevance is not None
    assert is_closed == (several and not undecided)
    counted = re.search(r"In all, (\d+) of the (\d+) pairs", text)
    if counted:
        assert (int(counted[1]), int(counted[2])) == (len(undecided), len(result.pairs))
    assert ("equivalent within" in said.whole) <= (result.relevance is not None)
    assert ("by a relevant amount" in text.replace("whether by a relevant amount", "")) <= any(
        p.decision.endswith("-relevant") for p in result.pairs
    )


# ------------------------------------------------------------------------- two candidates


@pytest.mark.parametrize(
    ("difference", "area", "sentence", "finding"),
    [
        (
            0.030,
            True,
            "anna is better than bert, and relevantly so: by 3.00 points (",
            "a relevant",
        ),
        (0.012, True, "anna is better than bert by 1.20 points (", "whether by a relevant amount"),
        (0.006, True, "anna is better than bert, but too little to matter", "too little to matter"),
        (0.001, True, "anna and bert are equivalent within ±1 percentage", "are equivalent in"),
        (0.012, False, "anna is better than bert by 1.20 points (", "by 1.20 points"),
        (0.001, False, "anna and bert are undecided (p = ", "are undecided in"),
    ],
)
def test_a_pair_is_told_by_its_decision(
    difference: float, area: bool, sentence: str, finding: str
) -> None:
    # half-width of the interval: 1.96 * .02 * sqrt(2 / 400) = .0028
    said = tell(
        {ERROR: blocks((0.1, 0.1 + difference), 400)}, NAMES[:2], relevance=AREA if area else {}
    )
    check(said)
    assert said.paragraph("inference", sentence)
    assert finding in said.findings[0]
    assert ("relevan" in said.findings[0]) == (area and difference > 0.01)


def test_a_pair_of_few_replications_is_open_and_no_more() -> None:
    said = tell({ERROR: blocks((0.1, 0.2), 5)}, NAMES[:2], relevance=AREA)
    check(said)
    assert said.paragraph("inference", "anna and bert are undecided (5 replications in common)")
    open_ = "With five replications in common the pair stays open, whatever its interval"
    assert open_ in said.findings[0]
    assert open_ in said.sections["inference"]
    assert "With five replications the χ² law" in said.sections["inference"]


# ------------------------------------------------------------------------ many candidates


def test_one_leader_is_better_than_every_other() -> None:
    said = tell({ERROR: blocks((0.1, 0.15, 0.2, 0.2005), 200)}, NAMES[:4], relevance=AREA)
    check(said)
    assert said.findings[0].startswith("anna is better than each of the other three candidates in")
    assert "(10.00% on average), by at least 5.00 points" in said.findings[0]
    assert "a relevant amount" in said.findings[0]
    text = said.paragraph("inference", "anna is better than each of the other three")
    assert "the smallest of these differences, anna to bert, is 5.00 points" in text
    assert "cara and dora are equivalent (p = " in text


def test_two_leaders_are_told_with_their_p_value_and_area() -> None:
    said = tell({ERROR: blocks((0.1, 0.101, 0.15, 0.2), 400)}, NAMES[:4], relevance=AREA)
    check(said)
    assert said.findings[0].startswith("anna and bert lead in misclassification error with 10.00%")
    assert "They are equivalent within ±1 percentage point (p = 0." in said.findings[0]
    assert said.lead == "By tests on mean misclassification error: anna ∼ bert ≺ cara ≺ dora"
    assert "Both leaders are better than each of the other two" in said.findings[1]


def test_what_is_better_by_too_little_is_told_so() -> None:
    said = tell({ERROR: blocks((0.1, 0.2, 0.205, 0.2055), 1000)}, NAMES[:4], relevance=AREA)
    check(said)
    text = said.sections["inference"]
    # 2.57 critical value, half-width 3.63 / sqrt 2 * .02 * sqrt(2 / 1000) = .0023
    assert "bert is better than cara and dora (p < 0.0001 each), but too little to matter" in text
    assert re.search(
        r"the intervals end at 0\.7\d and 0\.7\d points and so lie inside ±1 perc", text
    )
    slight = [f for f in said.findings if "too little to matter" in f]
    assert slight[0].startswith("bert is better than cara and dora in misclassification error, but")


def test_differences_of_a_leader_can_all_be_irrelevant() -> None:
    said = tell({ERROR: blocks((0.1, 0.105, 0.1055), 1000)}, NAMES[:3], relevance=AREA)
    check(said)
    assert "anna is decided to be better than each of the other two" in said.whole
    assert "None of these two differences is relevant: all intervals lie inside" in said.whole
    assert "none of these two differences is shown to be relevant" in said.findings[0]


def test_nothing_is_decided() -> None:
    said = tell({ERROR: blocks((0.1, 0.101, 0.102), 6)}, NAMES[:3], relevance=AREA)
    check(said)
    assert said.findings[0].startswith("No pair of the three candidates is decided")
    assert "All three pairs are undecided." in said.sections["inference"]
    assert "None of the three pairs is shown to be equivalent" in said.sections["inference"]
    assert "lead" not in said.findings[0]


def test_everything_is_equivalent() -> None:
    said = tell({ERROR: blocks((0.1, 0.1003, 0.1006), 2000)}, NAMES[:3], relevance=AREA)
    check(said)
    assert "all are equivalent within ±1 percentage point" in said.findings[0]
    assert "All three pairs are equivalent." in said.sections["inference"]


def test_without_an_area_nothing_is_called_equivalent_or_relevant() -> None:
    said = tell({ERROR: blocks((0.1, 0.1003, 0.2, 0.3), 50)}, NAMES[:4])
    check(said)
    body = said.sections["inference"] + "".join(said.findings)
    assert "No area of equivalence is given" in body
    assert "relevant amount" not in body
    assert "equivalent within" not in body
    assert "Both are better than each of the other two; the smallest" in body


def test_leaders_that_are_not_ahead_of_all_are_told_so() -> None:
    # half-width about .0094: neighbours are undecided, second neighbours are decided
    said = tell({ERROR: blocks((0.1, 0.107, 0.114, 0.121), 60)}, NAMES[:4], relevance=AREA)
    check(said)
    result = found(said)
    assert result.groups is None
    assert said.lead == ""
    text = said.paragraph("inference", "anna and bert lead.")
    assert "not every leader is decided to be better than every other candidate" in text
    assert "3 of 4 such pairs are decided; undecided are bert and cara" in text


def test_many_pairs_are_counted_not_listed() -> None:
    names = [f"c{i}" for i in range(30)]
    said = tell({ERROR: blocks(np.linspace(0.1, 0.3, 30), 60)}, names, relevance=AREA)
    assert faults(said.whole) == []
    result = found(said)
    text = said.sections["inference"]
    assert max(map(len, text.splitlines())) < 1200
    assert f"of the {len(result.pairs)} pairs" in text
    assert "The other pairs are in the results" in text
    relevant = sum(p.decision.endswith("-relevant") for p in result.pairs)
    assert f"Of the 435 pairs {relevant} have a relevant difference" in text


# ------------------------------------------------------------- ratios, references, outliers


def test_times_are_told_by_how_many_times() -> None:
    rng = np.random.default_rng(4)
    seconds = rng.lognormal(sigma=0.1, size=(60, 3)) * [0.5, 2.0, 28.0]
    said = tell({TIME: seconds}, NAMES[:3])
    check(said, "fit-time")
    assert re.search(
        r"anna is better than each of the other two candidates in fitting time \(\d+\.\d+ s"
        r" geometric mean\), by at least a factor of [34]\.\d\d \(95% interval",
        said.findings[0],
    )
    beside = tell({ERROR: blocks((0.1, 0.11, 0.2), 60), TIME: seconds}, NAMES[:3])
    assert re.search(
        r"cara takes 5\d\.\d times the fitting time of anna \(5\d\.\d to \d\d\.\d, given this",
        "\n".join(beside.findings),
    )
    assert "ratios of geometric means" in beside.methods
    assert "ratios of geometric means" not in tell({ERROR: seconds / 100}, NAMES[:3]).methods


ORDERED = "The fits of a candidate follow one another, so what is said of fitting time holds on "
UNKNOWN = "In which order the fits were run is not known, so what is said of fitting time holds on "


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", f"{ORDERED}this machine, in this session."),
        ("times.csv", f"{UNKNOWN}the machine and in the session that measured it."),
    ],
)
@pytest.mark.parametrize("measures", [(TIME,), (ERROR, TIME)])
def test_times_hold_in_their_session(
    source: str, sentence: str, measures: tuple[Measure, ...]
) -> None:
    seconds = np.random.default_rng(4).lognormal(sigma=0.1, size=(60, 3)) * [0.5, 2.0, 28.0]
    made = report_of({"d": dict.fromkeys(measures, seconds / 100)}, NAMES[:3])
    said = read(replace(made, design=replace(made.design, source=source)))
    assert faults(said.whole) == []
    assert said.whole.count(sentence) == 1
    without = tell({ERROR: seconds / 100}, NAMES[:3])
    assert "session" not in without.whole


def test_the_reference_leads_the_findings() -> None:
    values = blocks((0.1, 0.2, 0.201, 0.3), 400)
    said = tell({ERROR: values}, NAMES[:4], relevance=AREA, reference="bert")
    check(said)
    assert said.findings[0].startswith(
        "Against the reference bert, in misclassification error: anna is better; dora is worse;"
        " cara is equivalent, given this data set. For new data of this source nothing can be said"
    )
    assert "For new data" not in said.findings[1]
    assert "Against the reference" not in "".join(
        tell({ERROR: values}, NAMES[:4], relevance=AREA).findings
    )
    gaps = values[:40].copy()
    gaps[np.arange(40), np.arange(40) % 4] = np.nan  # no replication is complete
    assert (
        tell({ERROR: gaps}, NAMES[:4], reference="dora")
        .findings[0]
        .startswith(
            "Against the reference dora, in misclassification error: anna, bert and cara are"
        )
    )


def test_the_reference_leads_the_findings_on_many_data_sets() -> None:
    datasets = {f"d{i}": {ERROR: blocks((0.1, 0.2, 0.3), 12, seed=i)} for i in range(3)}
    with by_verdict_alone():
        said = tell(datasets, NAMES[:3], only=("inference",), reference="bert")
    assert faults(said.whole) == []
    assert said.findings[0].startswith(
        "Against the reference bert, in misclassification error, the other candidates are, data"
        " set by data set, 3 times better and 3 times worse (6 comparisons)."
    )


@pytest.mark.parametrize("column", [1, slice(None)])
@pytest.mark.parametrize("size", [1e20, 1e300])
def test_a_value_that_dwarfs_all_others_is_told(size: float, column: int | slice) -> None:
    values = 20 + np.random.default_rng(1).normal(size=(30, 3)) + [0, 2, 4]
    values[6, column] = size
    said = tell({COST: values}, NAMES[:3], relevance=AREA)
    check(said, "cost")
    (told,) = [f for f in said.findings if "times as large as any value of the others" in f]
    power = f"{size:.0e}".replace("+", "")
    if column == 1:
        assert f"In replication 7 the cost of bert is {power} EUR" in told
        assert "Without this replication (descriptive) 2 of the 3 pairs would be decided" in told
        assert "anna against bert: relevantly better (p < 0.0001), not undecided" in told
    else:
        assert f"the cost of anna, bert and cara is up to {power} EUR" in told
        assert "(descriptive) all decisions would be the same." in told
    assert told.split(" Figure")[0].split(" Table")[0] in said.sections["inference"]
    assert not re.search(r"\d{12}", said.whole.replace(",", ""))
    usual = tell({COST: np.delete(values, 6, axis=0)}, NAMES[:3], relevance=AREA)
    assert "times as large as any value" not in usual.whole


# --------------------------------------------------------------------- targets and caveats


@pytest.mark.parametrize(
    ("problem", "scheme", "words", "target"),
    [
        (None, "", "The results do not say how the replications were drawn", "conditional"),
        ("real-world", "bootstrap", "Given it, the 40 replications are independent", "conditional"),
        ("competition", "bootstrap", "this data set and its test sample", "conditional"),
        ("real-world", "k-fold", "the tests are too liberal", "conditional"),
        ("simulation", "", "speak of the generating process", "generating process"),
    ],
)
def test_every_p_value_has_its_target(
    problem: str | None, scheme: str, words: str, target: str
) -> None:
    said = tell(
        {ERROR: blocks((0.1, 0.12, 0.2), 40)},
        NAMES[:3],
        problem=problem,
        resampling={"scheme": scheme} if scheme else {},
        relevance=AREA,
    )
    check(said)
    text = said.sections["inference"]
    assert words in text
    assert f"(target: {target})" in text
    assert f"their target: {target}" in said.paragraph("inference", "Table 4")
    other = {"conditional": "generating process", "generating process": "conditional"}[target]
    assert f"target: {other}" not in text
    assert ("They are not 40 data sets." in text) == (
        target == "conditional" and scheme != "k-fold"
    )
    assert "with more they would become smaller for any difference that is not exactly" in text


def test_the_friedman_test_and_the_model_may_disagree() -> None:
    # one replication in ten is a disaster for anna, who wins all others
    values = blocks((0.1, 0.11, 0.12), 40, sd=0.002)
    values[::10, 0] += 0.2
    said = tell({ERROR: values}, NAMES[:3], relevance=AREA)
    check(said)
    text = said.paragraph("inference", "Friedman’s test rejects")
    assert "which compares means instead of ranks, does not reject equal means" in text
    assert "they part from the verdict over" in said.sections["inference"]


def test_means_and_ranks_that_point_in_opposite_directions_are_told() -> None:
    values = blocks((0.1, 0.102, 0.3), 100, sd=0.0003)
    values[:30, 0] += 0.022  # anna wins 70 times by a little and loses 30 times by ten times that
    said = tell({ERROR: values}, NAMES[:3])
    assert found(said).order[0] == "bert"
    pooled = tell({ERROR: values}, NAMES[:3], variance="pooled")
    for one in (said, pooled):
        opposed = [
            p
            for p, q in zip(found(one).pairs, found(one).rank_pairs, strict=True)
            if p.favoured and q.favoured and p.favoured != q.favoured
        ]
        told = "means and rank sums decide in opposite directions" in one.sections["inference"]
        assert told == bool(opposed)
    assert opposed


def test_small_and_large_p_values_have_one_form() -> None:
    said = tell({ERROR: blocks((0.1, 0.1, 0.4), 60), COST: 1e-3 * blocks((1, 2, 3), 60)}, NAMES[:3])
    text = said.whole
    assert "p < 0.0001" in text
    assert "≈ 10" not in text
    assert not re.search(r"p = 0\.0000|p = 1\b|p = 1\.0|p = 0\.999\d|< 0\.001\b", text)


def test_findings_say_what_their_p_values_speak_of() -> None:
    near = blocks((0.1, 0.1005, 0.4), 60)
    (first, second, *_) = [
        f for f in tell({ERROR: near}, NAMES[:3]).findings if " given this data set)" in f
    ]
    assert "They are undecided (p = " in first
    assert "on average (95% interval" in second
    simulated = tell({ERROR: near}, NAMES[:3], problem="simulation")
    assert any("for the generating process)" in f for f in simulated.findings)
    assert not any("given this data set" in f for f in simulated.findings)


def test_unequal_variances_are_a_caution_where_one_variance_decides() -> None:
    rng = np.random.default_rng(3)
    unequal = np.array([0.1, 0.12, 0.2]) + rng.normal(0, (0.001, 0.001, 0.05), (100, 3))
    said = tell({ERROR: unequal}, NAMES[:3], relevance=AREA, variance="pooled")
    assert found(said).sphericity < 0.9
    text = said.sections["inference"]
    assert "The differences do not seem to vary alike" in text
    assert "so that the family-wise error can exceed 5%, and too large for the steadiest" in text
    own = tell({ERROR: unequal}, NAMES[:3], relevance=AREA).sections["inference"]
    assert "do not seem to vary alike" not in own
    assert "Each pair is held against the variance of its own differences" in own
    assert "corrected for their skewness" in own
    assert "close to normal" not in said.whole + own
    equal = tell(
        {ERROR: blocks((0.1, 0.12, 0.2), 400)}, NAMES[:3], relevance=AREA, variance="pooled"
    )
    assert found(equal).sphericity > 0.9
    assert "vary alike:" not in equal.sections["inference"]


@pytest.mark.parametrize("n_blocks", [19, 20])
def test_few_replications_cannot_show_symmetry(n_blocks: int) -> None:
    said = tell({ERROR: blocks((0.1, 0.2, 0.3), n_blocks)}, NAMES[:3])
    words = "replications this rests on nearly symmetric differences, which so few values cannot"
    assert (words in said.sections["inference"]) == (n_blocks < 20)


def test_ranks_that_cannot_decide_say_so() -> None:
    five = tell({ERROR: blocks((0.1, 0.3), 5, sd=0.001)}, NAMES[:2])
    six = tell({ERROR: blocks((0.1, 0.3), 6, sd=0.001)}, NAMES[:2])
    words = "no two-sided test of ranks can reach 5%"
    assert f"With five replications {words}: its smallest p-value is 0.062." in five.whole
    assert "On ranks, too, the pair is undecided (p = 0.062)." in five.sections["inference"]
    assert words not in six.whole


def test_a_model_on_its_boundary_says_so() -> None:
    on_it = tell({ERROR: blocks((0.1, 0.12, 0.2), 30, block_sd=0.0)}, NAMES[:3])
    off_it = tell({ERROR: blocks((0.1, 0.12, 0.2), 30, block_sd=0.03)}, NAMES[:3])
    words = "variance between replications is estimated as zero"
    assert found(on_it).mixed_model.is_boundary
    assert words in on_it.sections["inference"]
    assert words not in off_it.sections["inference"]


# ------------------------------------------------------------------------- what cannot be


def test_one_candidate() -> None:
    said = read(report_of({"d": {ERROR: np.full((5, 1), 0.1)}}, NAMES[:1], only=("inference",)))
    assert "There is one candidate here" in said.sections["inference"]
    assert not said.findings


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([[0.1, 0.2]]), "Only one replication has values, so that no difference"),
        (
            np.array([[0.1, np.nan], [np.nan, 0.2]]),
            "2 of the 4 values are missing, and no two candidates have two replications in common",
        ),
    ],
)
def test_what_cannot_be_tested_says_why(values: np.ndarray, words: str) -> None:
    said = tell({ERROR: values}, NAMES[:2], relevance=AREA)
    assert faults(said.whole) == []
    assert words in said.sections["inference"]
    assert words in said.findings[0]
    assert "better than" not in said.sections["inference"]


def test_a_difference_that_never_varies_is_a_finding() -> None:
    level = blocks((0.1, 0.1), 12)[:, :1]
    said = tell({ERROR: level + np.array([0, 0.03, 0.03])}, NAMES[:3], relevance=AREA)
    check(said)
    first, second, *_ = said.findings
    assert first.startswith("anna is better than each of the other two candidates")
    assert "by at least 3.00 points (95% interval 3.00 to 3.00" in first
    assert "a relevant amount" in first
    assert "anna and bert differ by the same amount in all 12 replications" in second
    assert "p = 0.0005, times the number of pairs p = 0.001." in second
    assert "bert and cara are equal in all 12 replications, so that there is nothing" in second
    pair = tell({ERROR: level + np.array([0, 0.03])}, NAMES[:2])
    check(pair)
    assert "anna is better than bert in misclassification error by 3.00 points" in pair.findings[0]
    few = tell({ERROR: level[:4] + np.array([0, 0.03])}, NAMES[:2])
    check(few)
    assert "With four replications in common the pair stays open" in few.findings[0]


def test_candidates_that_are_equal_throughout_say_so() -> None:
    said = tell({ERROR: np.tile(blocks((0.1, 0.2), 12)[:, :1], 2)}, NAMES[:2], relevance=AREA)
    check(said)
    assert "anna and bert are undecided in misclassification error." in said.findings[0]
    assert "anna and bert are equal in all 12 replications" in said.findings[0]


def test_perfect_agreement_is_told() -> None:
    apart = tell({ERROR: blocks((0.1, 0.3, 0.5), 20)}, NAMES[:3])
    assert "all 20 replications rank them the same way" in apart.sections["inference"]
    two = tell({ERROR: blocks((0.1, 0.3, 0.5), 2)}, NAMES[:3])
    assert "both replications rank them the same way" in two.sections["inference"]
    near = tell({ERROR: blocks((0.1, 0.11, 0.5), 20)}, NAMES[:3])
    assert "the same way" not in near.sections["inference"]


def test_gaps_and_absent_candidates_are_told() -> None:
    values = blocks((0.1, 0.2, 0.3, 0.4), 30)
    values[3, 1] = values[4, 2] = np.nan
    values[:, 3] = np.nan
    said = tell({ERROR: values}, NAMES[:4], relevance=AREA)
    check(said)
    text = said.sections["inference"]
    assert "dora has no value here and is left out." in text
    assert "2 of the 30 replications lack a value." in text
    assert "The block model uses all 88 values there are, from 29 to 30 of a candidate;" in text
    assert "rank tests use the 28 complete replications, and 2 are left out of them." in text
    assert "On the 28 complete replications Friedman’s test rejects" in text
    assert "dora is" not in text.replace("dora has no value here and is left out.", "")


# -------------------------------------------------------------------------------- gaps


def with_gaps(*cells: tuple[int, int], means: tuple[float, ...] = (0.1, 0.11, 0.3)) -> np.ndarray:
    values = blocks(means, 12)
    for cell in cells:
        values[cell] = np.nan
    return values


def test_tests_with_gaps_are_told_with_their_numbers() -> None:
    said = tell({ERROR: with_gaps((0, 0), (1, 0), (1, 2))}, NAMES[:3])
    check(said)
    text, result = said.sections["inference"], found(said)
    m, f = result.skillings_mack, result.friedman
    assert "The test of Skillings and Mack, which ranks what every replication has, rejects" in text
    assert f"(χ² = {m.statistic:.2f} on 2 degrees of freedom; p" in text
    assert m.statistic != f.statistic
    assert f"(F = {result.mixed_model.equality_test.statistic:,.2f} on 2 and" in text
    assert "fair only if what is missing has nothing to do with performance" in text
    assert "(means, own variance of each pair, Bonferroni;" in text
    pooled = tell({ERROR: with_gaps((0, 0), (1, 0), (1, 2))}, NAMES[:3], variance="pooled")
    assert "(random block model, largest |t|;" in pooled.whole
    for word in ("Kenward and Roger 1997", "Skillings and Mack 1981", "Genz and Bretz 2009"):
        assert word in said.methods
        assert word not in tell({ERROR: with_gaps()}, NAMES[:3]).methods


def test_a_whole_replication_without_values_is_no_gap() -> None:
    values = blocks((0.1, 0.11, 0.3), 12)
    values[4] = np.nan
    said = tell({ERROR: values}, NAMES[:3])
    check(said)
    text = said.sections["inference"]
    assert "One of the 12 replications has no value at all." in text
    assert "Skillings" not in text + said.methods
    assert "failures" not in text


def test_candidates_that_never_meet_are_told() -> None:
    values = blocks((0.1, 0.11, 0.3, 0.2), 12)
    values[:6, 2:] = values[6:, :2] = np.nan
    said = tell({ERROR: values}, NAMES[:4])
    check(said)
    text = said.sections["inference"]
    assert "No replication links anna and bert to cara and dora, not even through others" in text
    assert "All 12 replications lack values." in text
    assert "no replication is complete" in text
    assert "Friedman’s test rejects the hypothesis that" not in text


def test_designs_whose_ranks_link_nothing_are_told() -> None:
    """All values of a replication with cara are tied, so it says nothing."""
    values = blocks((0.1, 0.2, 0.3), 12)
    values[:9, 2] = np.nan
    values[9:, 0] = np.nan
    values[9:, 1] = values[9:, 2]
    said = tell({ERROR: values}, NAMES[:3])
    assert faults(said.whole) == []
    assert found(said).parts == (tuple(NAMES[:3]),)
    assert (
        "which ranks the values of incomplete replications too, cannot be computed"
        in (said.sections["inference"])
    )


def test_without_kenward_and_roger_there_is_no_test_of_all_means() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, np.nan], [np.nan, 0.2, 0.1]])
    report = report_of({"d": {ERROR: values}}, NAMES[:3], only=("inference",))
    (content,) = report.contents
    result = content.result["misclassification"]
    model = replace(result.mixed_model, equality_test=None)
    changed = {"misclassification": replace(result, mixed_model=model)}
    said = read(replace(report, contents=(replace(content, result=changed),)))
    check(said)
    assert "the approximation of Kenward and Roger breaks down" in said.sections["inference"]


def test_the_boundary_with_gaps_is_told() -> None:
    values = blocks((0.1, 0.11, 0.3), 30, block_sd=0.0)
    values[0, 0] = np.nan
    said = tell({ERROR: values}, NAMES[:3])
    check(said)
    assert found(said).mixed_model.is_boundary
    assert (
        "so the means are plain averages of what each candidate has" in (said.sections["inference"])
    )


@pytest.mark.parametrize("is_told", [True, False])
def test_failures_ranked_last_may_change_the_order(is_told: bool) -> None:
    """The best where it has values, cara fails in most replications."""
    values = blocks((0.2, 0.4, 0.1), 20)
    values[:12, 2] = np.nan
    report = report_of({"d": {ERROR: values}}, NAMES[:3])
    failures = (Failure("d", "cara", "failed", "fit", "ValueError: no", 12),) if is_told else ()
    design = replace(report.design, failures=failures, source="" if is_told else "results.csv")
    said = read(replace(report, design=design))
    check(said)
    text = said.sections["inference"]
    assert found(said).failed_last.failed == {"anna": 0, "bert": 0, "cara": 12}
    assert ("But failing may well have to do with performance." in text) == is_told
    assert ("The results do not say why values are missing." in text) != is_told
    assert "this differs from the complete replications over" in text
    assert any("behind all values of their replication (12 in 20" in f for f in said.findings)
    assert "failures ranked behind all values" in said.methods


# -------------------------------------------------------- other measures, many data sets


def test_the_first_measure_is_told_in_full_and_others_in_brief() -> None:
    values = blocks((0.1, 0.12, 0.2), 40)
    said = tell({ERROR: values, COST: 100 * values, TIME: values}, NAMES[:3], relevance=AREA)
    text = said.sections["inference"]
    assert faults(said.whole) == []
    assert text.count("They are not 40 data sets") == 1
    assert [p for p in text.splitlines() if p.startswith("By ")] == [
        "By misclassification error",
        "By cost",
        "By fitting time",
    ]
    assert any(f.startswith("In cost anna leads (10.0 EUR") for f in said.findings)


def test_larger_values_can_be_better() -> None:
    said = tell({ACCURACY: blocks((0.9, 0.85, 0.8), 100)}, NAMES[:3], relevance=AREA)
    check(said, "accuracy")
    text = said.paragraph("inference", "anna is better than each of the other two")
    assert "anna to bert, is 5.00 points" in text
    (pairs,) = [t for t in said.tables if t.name == "pairs"]
    assert pairs.rows[0][0] == ("anna", "bert")
    assert all(row[1] > 0 for row in pairs.rows)


@pytest.mark.parametrize("n_datasets", [2, 7])
def test_several_data_sets_are_counted_and_not_pooled(n_datasets: int) -> None:
    datasets = {
        f"d{i}": {ERROR: blocks((0.1, 0.101 if i else 0.2, 0.3), 50, seed=i)}
        for i in range(n_datasets)
    }
    datasets["flat"] = {ERROR: np.full((1, 3), 0.25)}
    said = tell(datasets, NAMES[:3], relevance=AREA)
    assert faults(said.whole) == []
    assert said.findings[0].startswith(
        f"anna leads in misclassification error on {n_datasets} of {n_datasets} data sets"
    )
    assert "on 1 of them alone" in said.findings[0]
    assert f"bert on {n_datasets - 1} (never alone)" in said.findings[0]
    (counted,) = [f for f in said.findings if f.startswith("Judged one data set at a time")]
    results = [found(said, dataset=d) for d in datasets]
    significant = sum(p.significant for r in results for p in r.pairs)
    assert f"{significant} of {sum(len(r.pairs) for r in results)} pairs are decided" in counted
    assert "Nothing here pools data sets or speaks of a new one." in counted
    assert any(
        f.startswith("On 1 data set misclassification error could not") for f in said.findings
    )
    for page in datasets:
        assert "target: conditional" in said.pages[page, "inference"] or page == "flat"


@pytest.mark.parametrize("n_clear", [0, 1])
def test_nobody_leads_where_nothing_is_decided(n_clear: int) -> None:
    clear, alike = blocks((0.1, 0.2, 0.3), 12), blocks((0.1, 0.1001, 0.1002), 12)
    values = {f"d{i}": {ERROR: clear if i < n_clear else alike} for i in range(3)}
    with by_verdict_alone():
        said = tell(values, NAMES[:3], only=("inference",))
    assert faults(said.whole) == []
    assert found(said, dataset="d2").leaders == NAMES[:3]  # by default, none being better
    silent = "no pair is decided"
    assert [silent in finding for finding in said.findings].count(True) == 1
    if n_clear:
        assert said.findings[0].startswith("anna leads in misclassification error on 1 of 3 data")
        assert "bert" not in said.findings[0]
        assert f"On 2, d1 and d2, {silent}, so nobody leads." in said.findings[0]
    else:
        assert said.findings[0].startswith(f"On 3 of 3 data sets {silent} in misclassification")


# ---------------------------------------------------------------------------- everything


@pytest.mark.parametrize("seed", range(11))
def test_every_sentence_is_true_of_any_values(seed: int) -> None:
    rng = np.random.default_rng([98, seed])
    n_candidates, n_blocks = int(rng.integers(2, 10)), int(rng.choice([2, 3, 5, 12, 40, 300]))
    measure = (ERROR, ACCURACY, COST, SCORE)[seed % 4]
    factor = 1.0 if measure.unit == "share" else 100.0
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
    said = tell({measure: values}, NAMES[:n_candidates], relevance=area)
    assert faults(said.whole) == []
    if measure.name in said.results["inference", "d"] and found(said, measure.name).pairs:
        check(said, measure.name)
        all_claims(said, measure.name)


def all_claims(said: Said, measure: str) -> None:
    """Assert that what is said of the leaders is so, and no pair of the others is left out."""
    result = found(said, measure)
    text = said.sections["inference"]
    leaders, others = set(result.leaders), set(result.order) - set(result.leaders)
    ahead = {
        (p.first, p.second)
        for p in result.best_first
        if p.significant and p.first in leaders and p.second in others
    }
    if len(result.order) > 2:
        all_ahead = bool(others) and len(ahead) == len(leaders) * len(others)
        told = re.search(
            r"(is|are) (decided to be )?better than (each of the other|the other candidate)", text
        )
        assert bool(told) == all_ahead
        assert ("No pair of the" in text) == (not others)
    if len(result.order) in range(3, 9) and others:
        rest = {(p.first, p.second) for p in result.best_first if p.first in others}
        assert rest <= {(first, second) for first, second, _ in claims(text)}
