"""What is concluded where test samples hold what was learnt from: nothing of new data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.conclusion.result import Conclusion
from reportgen.performance_measure import Measure
from reportgen.rendering.results_json import plain as as_json
from reportgen.report import Report
from reportgen.sections.expectations.contrasts import values_of
from reportgen.study.schema.options import AnalysisOptions
from tests.builders import warehouse_of
from tests.conclusion.cases import SIX, analysed, bootstrap, domain_means, errors, over, times, told
from tests.schemas import validator_of
from tests.sections.reading import ERROR, TIME, blocks, faults

LEARNT = "test samples hold observations that the candidates have learnt from"
FIRST = f"T{LEARNT[1:]}, so the values say nothing of new data."
WAYS: list[dict[str, Any]] = [
    {"scheme": "bootstrap", "assessment": "learning"},
    {"scheme": "bootstrap", "assessment": "bootstrap"},
    {"scheme": "given", "overlap": True},
]
HOW = pytest.mark.parametrize("way", WAYS, ids=["learning", "bootstrap", "overlap"])


def concluded(report: Report) -> tuple[Conclusion, list[str]]:
    """Return a conclusion and the sentences of its abstract, after looking at both."""
    text = told(report)
    assert faults(text) == []
    found = report.conclusion
    assert isinstance(found, Conclusion)
    validator_of("conclusion").validate(as_json(found))
    return found, text.splitlines()


@HOW
def test_nobody_is_recommended_on_one_data_set(way: dict[str, Any]) -> None:
    values = errors((0.02, 0.1, 0.12)) | times((9.0, 1.0, 2.0))
    found, lines = concluded(analysed(bootstrap(values, SIX[:3], resampling=way)))
    assert (found.state, found.target, found.recommendation.put_forward) == (
        "learnt",
        "experiment",
        None,
    )
    assert (found.recommended, found.learnt) == ((), ("monks",))
    assert found.recommendation.put_forward is None
    assert lines[0].startswith(FIRST)
    assert "in this experiment" in lines[1]
    assert "Recommendation: none." in lines


def test_times_are_not_learnt() -> None:
    way = {"scheme": "bootstrap", "assessment": "learning"}
    values = times((1.0, 5.0, 9.0), 30)
    found, _ = concluded(analysed(bootstrap(values, SIX[:3], resampling=way), ("inference",)))
    assert (found.state, found.learnt) == ("won", ())


@HOW
@pytest.mark.parametrize("n_sets", [4, 7])
def test_nobody_is_recommended_over_data_sets(way: dict[str, Any], n_sets: int) -> None:
    means = domain_means(n_sets, 4)
    means[:, 0] = means.min(axis=1) - 0.005 * np.arange(2, 2 + n_sets)
    values = over(np.abs(means), SIX[:4])
    found, lines = concluded(analysed(warehouse_of(values, SIX[:4], resampling=way), ("domain",)))
    assert (found.state, found.target, found.recommendation.put_forward) == (
        "learnt",
        "experiment",
        None,
    )
    assert (found.recommended, len(found.learnt)) == ((), n_sets)
    assert found.recommendation.put_forward is None
    assert lines[0].startswith(FIRST)
    assert "data sets like these" not in " ".join(lines)
    assert "Recommendation: none." in lines
    usual = analysed(warehouse_of(values, SIX[:4], resampling={"scheme": "bootstrap"}), ("domain",))
    assert isinstance(usual.conclusion, Conclusion)
    assert usual.conclusion.recommendation.put_forward == SIX[0]


def in_ways(*made: tuple[str, tuple[float, float]]) -> Report:
    """Return two candidates' report on one data set, by assessment with their means."""
    values, facts = dict[str, Any](), dict[str, Any]()
    for assessment, means in made:
        name = f"cars (bootstrap, {assessment})"
        values[name] = blocks(means, 20, 0.01)
        facts[name] = {
            "setting": {"base": "cars", "factors": {"resampling": f"bootstrap, {assessment}"}},
            "resampling": {"scheme": "bootstrap", "assessment": assessment},
        }
    measures: dict[Measure, Any] = {ERROR: values}
    found = warehouse_of(measures, ("lm", "rpart"), facts=facts)
    return analysed(found, ("sensitivity", "inference"))


def test_settings_do_not_count_whose_test_samples_were_learnt() -> None:
    found, lines = concluded(in_ways(("out-of-bag", (0.2, 0.2)), ("learning", (0.2, 0.1))))
    assert (found.recommended, found.learnt) == ((), ("cars (bootstrap, learning)",))
    assert lines[0].endswith("nothing of new data; they do not count for the recommendation.")
    assert lines[0].startswith(f"On cars (bootstrap, learning) {LEARNT}")
    assert "Recommendation: none." in lines
    assert not any("choose by the setting" in line for line in lines)


def test_settings_with_observations_left_out_count() -> None:
    found, lines = concluded(in_ways(("out-of-bag", (0.1, 0.2)), ("learning", (0.2, 0.1))))
    assert found.recommended == ("lm",)
    assert "In no setting that counts is another candidate significantly better." in lines


def test_nobody_is_recommended_by_settings_that_were_all_learnt() -> None:
    found, lines = concluded(in_ways(("bootstrap", (0.2, 0.1)), ("learning", (0.2, 0.1))))
    assert (found.state, found.recommended, len(found.learnt)) == ("learnt", (), 2)
    assert lines[0].startswith(FIRST)


def test_claims_over_data_sets_that_were_learnt_are_about_the_experiment() -> None:
    way = {"scheme": "bootstrap", "assessment": "learning"}
    means = domain_means(7, 4)
    found = warehouse_of(over(np.abs(means), SIX[:4], n=3), SIX[:4], resampling=way)
    assert values_of(found, ERROR.name, None, AnalysisOptions()).target == "experiment"
    assert values_of(found, TIME.name, None, AnalysisOptions()).target == "domain"
