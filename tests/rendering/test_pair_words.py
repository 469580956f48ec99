"""Numbers and a sentence of a pair, for an author's prose: the right way round, by hand."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import reportgen as rg
import reportgen.rendering.variables as module
from reportgen.notation import number_format
from reportgen.performance_measure import Measure
from reportgen.pipeline import analyse
from reportgen.rendering.variables import pair_words, variables, words_by_pair
from reportgen.report import Report
from reportgen.stats.pair_table import PairTable
from reportgen.stats.verdict import Verdict

ERROR = Measure("error", "smaller", unit_symbol="share")
SCORE = Measure("score", "larger", unit_symbol="share")
TIME = Measure("fit-time", "smaller", unit_symbol="s")


def verdict_of(
    measure: Measure,
    *pair: float,
    area: tuple[float, float] | None = None,
    kind: Literal["difference", "ratio"] = "difference",
) -> Verdict:
    """Return the verdict on candidates a and b; `pair`: estimate, lower, upper."""
    estimate, lower, upper = (np.array([x]) for x in pair)
    table = PairTable.of(
        *(np.array([[0, 1]]), estimate, "by hand", 0.05),
        lower=lower,
        upper=upper,
        scale=kind,
        candidates=("a", "b"),
        is_smaller_better=measure.is_smaller_better,
    ).decided(area)
    return Verdict(
        measure=measure,
        alpha=0.05,
        relevance=area,
        target="conditional",
        method="by hand",
        pairs=table,
        means={"a": 0.2, "b": 0.2},
    )


def said(verdict: Verdict, dataset: str | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """Return what is said of a against b, and of b against a."""
    at = number_format(verdict.measure, verdict.typical, is_ratio=verdict.is_ratio)
    found = words_by_pair(verdict, at, dataset)
    return dict(found["a", "b"]), dict(found["b", "a"])


def test_an_advantage_is_that_of_the_better_one_whichever_stands_first() -> None:
    forth, back = said(verdict_of(ERROR, 0.15, 0.13, 0.17, area=(-0.01, 0.01)))
    assert forth["difference"] == "15.00\u00a0percentage points"
    assert forth["difference-ci"] == "13.00 to 17.00\u00a0percentage points"
    assert back["difference"] == "−15.00\u00a0percentage points"
    assert back["difference-ci"] == "−17.00 to −13.00\u00a0percentage points"
    for own in (forth, back):
        assert own["better"] == "b"
        assert own["advantage"] == "15.00\u00a0percentage points"
        assert own["ci"] == "13.00 to 17.00\u00a0percentage points"
        assert own["sentence"] == (
            "b is better than a in error, by 15.00\u00a0percentage points "
            "(95% interval 13.00 to 17.00); the difference is relevant."
        )


def test_where_larger_is_better_the_larger_one_is() -> None:
    forth, _ = said(verdict_of(SCORE, 0.15, 0.13, 0.17), "iris")
    assert forth["better"] == "a"
    assert forth["advantage"] == "15.00\u00a0percentage points"
    assert forth["sentence"] == (
        "a is better than b in score on iris, by 15.00\u00a0percentage points "
        "(95% interval 13.00 to 17.00)."
    )


def test_of_ratios_an_advantage_is_a_factor_above_one() -> None:
    forth, back = said(verdict_of(TIME, 0.5, 0.4, 0.8, kind="ratio"))
    assert (forth["difference"], back["difference"]) == ("0.500", "2.00")
    assert forth["advantage"] == back["advantage"] == "2.00"
    assert forth["ci"] == back["ci"] == "1.25 to 2.50"
    assert forth["sentence"] == (
        "a is better than b in fitting time, by a factor of 2.00 (95% interval 1.25 to 2.50)."
    )


def test_what_is_not_decided_has_no_better_one() -> None:
    forth, back = said(verdict_of(ERROR, 0.01, -0.01, 0.03))
    assert forth["better"] == back["better"] == "neither"
    assert forth["advantage"] == "1.00\u00a0percentage points"
    assert forth["ci"] == back["ci"] == "−1.00 to 3.00\u00a0percentage points"
    assert back["sentence"] == (
        "There is no significant difference between b and a in error: the advantage of b is "
        "1.00\u00a0percentage points (95% interval −1.00 to 3.00)."
    )


@pytest.mark.parametrize(
    ("pair", "start", "end"),
    [
        (
            (0.001, -0.002, 0.004),
            "a and b are equivalent in error: the advantage of a is −0.10",
            ").",
        ),
        ((0.003, 0.001, 0.005), "b is better than a in error", "inside the area of equivalence."),
        ((0.03, 0.005, 0.05), "b is better than a in error", "is not established."),
    ],
)
def test_relevance_is_told(pair: tuple[float, ...], start: str, end: str) -> None:
    forth, _ = said(verdict_of(ERROR, *pair, area=(-0.01, 0.01)))
    assert forth["sentence"].startswith(start)
    assert forth["sentence"].endswith(end)


def test_a_pair_without_an_estimate_has_a_sentence_without_numbers() -> None:
    verdict = verdict_of(ERROR, np.nan, np.nan, np.nan)
    (pair,) = verdict.pairs
    found = pair_words(pair, verdict, number_format(ERROR, [0.2]), None)
    assert found == {
        "better": "neither",
        "sentence": "There is no significant difference between a and b in error.",
    }


@pytest.fixture(scope="module")
def report() -> Report:
    """Return the report of three candidates on one data set."""
    rng = np.random.default_rng(1)
    level = {"lda": 0.30, "rpart": 0.27, "svm": 0.20}
    errors = {name: rng.normal(mean, 0.02, 60) for name, mean in level.items()}
    study = rg.compare(errors, measure="misclassification", relevance=0.01, name="toy")
    return analyse(*study.parts, formats=["json"])


def test_names_lead_to_both_ways_of_every_pair(report: Report) -> None:
    place = variables(report).tree["toy"]["misclassification"]
    pairs = [key for key in place if "-vs-" in key]
    assert len(pairs) == 6
    for key in pairs:
        first, _, second = key.partition("-vs-")
        other = place[f"{second}-vs-{first}"]
        assert {"advantage", "better", "difference", "ci", "sentence"} <= place[key].keys()
        assert other["advantage"] == place[key]["advantage"]
        assert other["better"] == place[key]["better"]
        assert place[key]["difference"] == place[key]["estimate"]
    assert place["rpart-vs-svm"]["better"] == "svm"
    assert "−" in place["svm-vs-rpart"]["estimate"]
    assert place["rpart-vs-svm"]["sentence"].startswith("svm is better than rpart in miscl")


def test_with_very_many_pairs_only_the_numbers_stay(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_TOLD", 2)
    place = variables(report).tree["toy"]["misclassification"]
    found = {key: own for key, own in place.items() if "-vs-" in key}
    assert len(found) == 3
    assert all("sentence" not in own and "estimate" in own for own in found.values())
