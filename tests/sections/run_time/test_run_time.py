"""The section's numbers against cases by hand; its words against its numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.drawing import Canvas
from reportgen.errors import AnalysisError
from reportgen.exchange.tidy import read_results
from reportgen.performance_measure import EVALUATIONS, PRECISION, evaluations_to
from reportgen.rendering.results_json import plain
from reportgen.report import SectionContent
from reportgen.sections.run_time import applies, figures
from reportgen.sections.run_time.analysis import N_BUDGETS, RunTimeResult, analyse
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with, warehouse_of
from tests.schemas import validator_of
from tests.sections.reading import faults
from tests.sections.section_blocks import blocks_of

FILES = Path(__file__).parents[2] / "exchange" / "files"
GOLDEN = Path(__file__).parents[2] / "golden" / "run_times.json"
SCHEMA = Path(__file__).parents[3] / "reportgen" / "rendering" / "results.schema.json"
NAMES = ("anna", "bert")
TARGETS = (0, -2)
nan = np.nan


def runs(m: int = 2, n: int = 6, *, names: tuple[str, ...] = NAMES) -> Warehouse:
    """Return runs of 100 evaluations: the first reaches 1 and 0.01, the second 1 at times."""
    k, own = len(names), np.arange(n)[:, None]
    easy = np.where((own % 2 == 0) | (np.arange(k) < 1), 10.0 * (1 + np.arange(k)) + own, nan)
    hard = np.where(np.arange(k) < 1, 50.0 + own, nan)
    parts = {EVALUATIONS: np.full((n, k), 100.0)}
    parts |= {evaluations_to(e): x for e, x in zip(TARGETS, (easy, hard), strict=True)}
    values = {measure: {f"d{i}": x for i in range(m)} for measure, x in parts.items()}
    return warehouse_of(values, names)


def find(warehouse: Warehouse, seed: int = 1) -> RunTimeResult | None:
    return analyse(warehouse, AnalysisOptions(), np.random.default_rng(seed))


def without(warehouse: Warehouse, candidate: str, dataset: str) -> Warehouse:
    frame = warehouse.frame
    is_lost = (frame["candidate"] == candidate) & (frame["dataset"] == dataset)
    return Warehouse.of(frame[~is_lost], warehouse.measures)


def tell(warehouse: Warehouse, result: RunTimeResult | None) -> dict[str, str]:
    """Return what each block says, as plain text."""
    drawn = tuple(placeholder(name) for name in ("run_times", "expected")) if result else ()
    content = SectionContent(
        "run_time", None, result, AnalysisOptions(), drawn, figures.tabulate(result)
    )
    return blocks_of(report_with(warehouse, content), content)


@pytest.fixture(scope="module")
def found() -> RunTimeResult:
    result = find(runs())
    assert result is not None
    return result


def test_it_applies_to_runs_only() -> None:
    assert applies(runs())
    assert not applies(warehouse_of({PRECISION: np.ones((3, 2))}, NAMES))
    assert not applies(warehouse_of({EVALUATIONS: np.ones((3, 2))}, NAMES))
    assert not applies(warehouse_of({evaluations_to(0): np.ones((3, 2))}, NAMES))


def test_expected_run_times_by_hand(found: RunTimeResult) -> None:
    assert found.targets == (1.0, 0.01)
    anna, bert = found.of("d0")
    assert (anna.candidate, anna.n_runs, anna.used) == ("anna", 6, 100)
    assert anna.targets[0].evaluations == pytest.approx(np.mean(10 + np.arange(6)))
    assert anna.targets[1].evaluations == pytest.approx(np.mean(50 + np.arange(6)))
    assert bert.targets[0].n_reached == 3
    assert bert.targets[0].evaluations == pytest.approx((20 + 22 + 24 + 3 * 100) / 3)
    assert (bert.targets[1].n_reached, bert.targets[1].evaluations) == (0, None)
    assert bert.targets[1].interval is None
    low, high = anna.targets[1].interval or (nan, nan)
    assert low < anna.targets[1].evaluations < high
    assert found.firsts == {"anna": 2}


def test_distributions_by_hand(found: RunTimeResult) -> None:
    assert found.candidates == NAMES
    assert len(found.budgets) == N_BUDGETS
    assert found.budgets[-1] == pytest.approx(1_000)
    assert found.within["anna"].last == 1.0
    assert found.within["bert"].last == pytest.approx(0.5, abs=0.01)  # one target, in ten restarts
    assert found.budget == 100
    assert found.reached["anna"].shares == (1.0, 1.0)
    assert found.reached["bert"].shares == (0.5, 0.0)
    assert found.at_budget == {"anna": 1.0, "bert": 0.25}
    assert (found.best, found.worst) == (("anna",), ("bert",))


def test_who_lacks_a_data_set_is_left_out_of_distributions() -> None:
    result = find(without(runs(), "bert", "d1"))
    assert result is not None
    assert (result.candidates, result.missing_candidates) == (("anna",), ("bert",))
    assert [own.candidate for own in result.runs] == ["anna", "bert", "anna"]
    assert "bert lacks runs on some data sets" in tell(runs(), result)["article"]
    assert find(without(without(runs(), "bert", "d1"), "anna", "d0")) is None


def test_a_target_beyond_the_end_of_a_run_is_refused() -> None:
    warehouse = warehouse_of(
        {EVALUATIONS: np.ones((3, 1)), evaluations_to(0): np.full((3, 1), 2)}, ["x"]
    )
    with pytest.raises(AnalysisError, match="run_time: 'x' on 'd': found a target"):
        find(warehouse)


def test_runs_of_coco() -> None:
    warehouse = read_results(FILES / "coco")
    assert applies(warehouse)
    result = find(warehouse)
    assert result is not None
    assert result.candidates[0] == "one-plus-one"
    assert (len(result.datasets), len(result.runs), result.budget) == (2, 4, 120)
    assert all(own.n_runs == 3 for own in result.runs)
    assert not result.has_intervals
    expected = np.mean(
        [
            np.nanmean(
                np.isfinite(warehouse.performances(dataset, evaluations_to(-1).name).values[-3:, 1])
            )
            for dataset in warehouse.datasets
        ]
    )
    at = result.targets.index(0.1)
    assert result.reached["random"].shares[at] == pytest.approx(expected)


def test_expected_run_times_are_those_of_cocopp() -> None:
    """By COCO's postprocessing, from the logger's other file, which has every evaluation."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    result = find(read_results(FILES / "coco"))
    assert result is not None
    assert result.targets == pytest.approx(golden["targets"])
    own = {(runs.candidate, runs.dataset): runs.targets for runs in result.runs}
    assert len(golden["runs"]) == len(own)
    for runs in golden["runs"]:
        found = [target.evaluations for target in own[runs["candidate"], runs["dataset"]]]
        assert [x is None for x in found] == [x is None for x in runs["expected"]]
        expected = [x for x in runs["expected"] if x is not None]
        assert [x for x in found if x is not None] == pytest.approx(expected)


def test_results_fit_the_schema(found: RunTimeResult) -> None:
    validator_of("run_time").validate(plain(found))
    validator_of("run_time").validate(plain(find(runs(n=3))))


def test_figures_have_the_numbers(found: RunTimeResult) -> None:
    drawn = figures.draw(found, Canvas.of(NAMES, 7, "x"))
    assert [figure.name for figure in drawn] == ["run_times", "expected"]
    rows = drawn[0].data.rows
    assert len(rows) == 2 * (N_BUDGETS + 2)
    assert "anna 1.00; bert 0.25" in drawn[0].alt
    assert len(drawn[1].data.rows) == 2 * 2 * 2
    assert not any(figure.fault for figure in drawn)
    many = find(runs(13))
    assert [figure.name for figure in figures.draw(many, Canvas.of(NAMES, 7, "x"))] == ["run_times"]


def test_the_table_is_of_the_hardest_target(found: RunTimeResult) -> None:
    (table,) = figures.tabulate(found)
    assert [row[:5] for row in table.rows] == [
        (f"d{i}", "0.01", name, 6, n)
        for i in range(2)
        for name, n in zip(NAMES, (6, 0), strict=True)
    ]


CASES = {
    "usual": runs(),
    "one data set": runs(1),
    "few": runs(n=3),
    "many data sets": runs(25),
    "one candidate": runs(names=("anna",)),
    "alike": warehouse_of(
        {EVALUATIONS: np.full((6, 2), 9.0), evaluations_to(0): np.full((6, 2), 3.0)}, NAMES
    ),
    "never": warehouse_of(
        {EVALUATIONS: np.full((6, 2), 9.0), evaluations_to(0): np.full((6, 2), nan)}, NAMES
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_words_follow_from_the_numbers(name: str) -> None:
    result = find(CASES[name])
    assert result is not None
    blocks = tell(CASES[name], result)
    article, body = blocks["article"], blocks["body"]
    assert not faults(article)
    assert not faults(body)
    assert ("the most targets" in article) == bool(result.worst)
    assert f"within {result.budget:,.0f} evaluations" in article
    assert ("No run has reached a target" in article) == (name == "never")
    assert ("intervals, each for itself" in body) == (
        result.has_intervals and name not in ("many data sets", "never")
    )
    assert ("draws of runs within" in blocks["methods"]) == result.has_intervals
    assert ("results.json has" in body.replace("`", "")) == (name == "many data sets")


def test_nothing_to_show_is_said() -> None:
    warehouse = without(without(runs(), "bert", "d1"), "anna", "d0")
    assert "No candidate has runs on every data set" in tell(warehouse, None)["body"]


def test_ties_are_named(found: RunTimeResult) -> None:
    both = replace(found, reached=dict.fromkeys(NAMES, found.reached["anna"]))
    assert (both.best, both.worst) == (NAMES, ())
    assert "anna and bert reach 100% of targets within" in tell(runs(), both)["article"]
