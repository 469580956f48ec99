"""What stages leave out by design counts against nobody, in reports and claims; failures do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.sections.expectations.contrasts import contrast_of, values_of
from reportgen.sections.inference.analysis import analyse
from reportgen.sections.inference.result import Used
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.made_up import MadeUp, report_of, text_of

ERROR = Measure("misclassification", bounds=(0.0, 1.0))
STAGES = {"size": 10, "most": 40, "measure": "fit-time", "drop": "decided"}


def staged(*, is_asked: bool, measure: str = "fit-time") -> Warehouse:
    """Return three candidates, of which the first, far better than b, is measured 20 times of 40.

    `is_asked`: whether it was to be measured in the others, too, and has failed.
    `measure`: by which the stages decide.
    """
    rng = np.random.default_rng(3)
    values = (
        np.array([0.1, 0.4, 0.35]) + rng.normal(0, 0.01, (40, 3)) + rng.normal(0, 0.02, (40, 1))
    )
    values[20:, 0] = np.nan
    made = warehouse_of(
        {ERROR: values},
        "abc",
        n_test=37,
        problem="real-world",
        resampling={
            "scheme": "bootstrap",
            "replications": 40,
            "stages": {**STAGES, "measure": measure},
        },
        facts={"d": {"n_observations": 100}},
    )
    kept = made.frame["value"].notna() | is_asked
    frame = made.frame[kept].reset_index(drop=True)
    return replace(made, frame=frame.assign(n_learn=100.0, n_distinct=63.0))


@pytest.mark.parametrize("is_asked", [False, True])
def test_only_what_was_asked_for_is_a_gap(is_asked: bool) -> None:
    warehouse, options = staged(is_asked=is_asked), AnalysisOptions()
    found = analyse(warehouse, options, np.random.default_rng(0))[ERROR.name]
    assert found.is_of_new_data
    pair = found.pairs.between("a", "b")
    assert pair.upper < 0
    assert pair.decision == ("undecided" if is_asked else "better")
    assert found.pairs.between("b", "c").decision == "worse"  # which have no gaps
    claim = contrast_of(
        values_of(warehouse, ERROR.name, "d", options), "a", "b", 0.0, (-np.inf, 0.0), 0.05, 3
    )
    assert claim.outcome == ("undecided" if is_asked else "holds")
    assert (claim.lower, claim.upper) == pytest.approx((pair.lower, pair.upper))
    options = AnalysisOptions(target="experiment")
    found = analyse(warehouse, options, np.random.default_rng(0))[ERROR.name]
    decided = found.pairs.between("a", "b").decision
    assert decided == ("undecided" if is_asked else "better")
    claim = contrast_of(
        values_of(warehouse, ERROR.name, "d", options, is_of_experiment=True),
        "a",
        "b",
        0.0,
        (-np.inf, 0.0),
        0.05,
        3,
    )
    assert claim.outcome == ("undecided" if is_asked else "holds")


@pytest.mark.parametrize("is_asked", [False, True])
def test_failures_count_where_stages_decide(is_asked: bool) -> None:
    warehouse = staged(is_asked=is_asked, measure=ERROR.name)
    options = AnalysisOptions(target="experiment")
    found = analyse(warehouse, options, np.random.default_rng(0))[ERROR.name]
    assert found.is_by_stages
    decided = found.conditional_pairs.between("a", "b").decision
    assert decided == ("undecided" if is_asked else "better")
    assert found.conditional_pairs.between("b", "c").decision == "worse"


@pytest.mark.parametrize("measure", ["fit-time", ERROR.name])
@pytest.mark.parametrize("is_asked", [False, True])
def test_gaps_are_an_exception_to_the_rule_where_they_count(is_asked: bool, measure: str) -> None:
    options = AnalysisOptions(target="experiment")
    found = analyse(staged(is_asked=is_asked, measure=measure), options, np.random.default_rng(0))[
        ERROR.name
    ]
    used = Used.of([found])
    assert used.has_gaps
    assert used.counts_gaps is is_asked


@pytest.mark.parametrize("is_asked", [False, True])
def test_blocks_are_called_incomplete_where_somebody_left(is_asked: bool) -> None:
    text = text_of(report_of(MadeUp(lambda: staged(is_asked=is_asked), ("eda",))))
    assert "was no longer measured" in text
    assert ("incomplete by design" in text) is not is_asked
    assert ("No other value is missing" in text) is not is_asked
