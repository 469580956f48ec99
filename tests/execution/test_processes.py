"""Times of fits by processes: who shares one, in which order, and what a value is."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import reportgen
from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.measures import find_measure
from reportgen.catalogue.measures.prediction import ComputedMeasure
from reportgen.errors import ReportgenError
from reportgen.execution import runner
from reportgen.execution.outcome import Cell
from reportgen.execution.pool import SerialExecutor, Work
from reportgen.execution.runner import execute, plan_execution
from reportgen.performance_measure import Measure
from reportgen.study.manifest import load_study
from reportgen.study.setup import Setup, make_setup
from reportgen.warehouse import Warehouse
from tests.execution import faulty
from tests.execution.faulty import setup_of

NAMES = ("lda", "nb")


class Told:
    """Does the fits in this process, and tells which; it may stop before one."""

    memory: int | None = None

    def __init__(self, stop_before: int | None = None) -> None:
        self.cells: list[Cell] = []
        self._stop_before = stop_before

    def run(
        self, work: Work, tasks: Iterable, timeout: float | None = None, output: object = None
    ) -> Generator[tuple[object, object], None, None]:
        for task in tasks:
            if len(self.cells) == self._stop_before:
                raise KeyboardInterrupt
            self.cells.append(task)
            yield task, work(task)


def _setup(replications: int = 6, processes: int | None = 3) -> Setup:
    setup = setup_of(*map(find_candidate, NAMES), replications=replications, measures=("fit-time",))
    measures = (
        *setup.measures,
        ComputedMeasure(Measure("number"), faulty.number_of_process),
        find_measure("misclassification"),
    )
    execution = replace(setup.execution, processes=processes)
    return replace(setup, measures=measures, execution=execution)


@pytest.fixture(scope="module")
def measured() -> Warehouse:
    setup = _setup(4, 2)
    return execute(setup, executor=runner.local_executor(setup, 4))


def test_fits_of_one_process_share_it_with_no_others(measured: Warehouse) -> None:
    numbers = measured.performances("small", "number").values.reshape(2, 2, 2)
    assert np.array_equal(numbers[:, 0], numbers[:, 1])  # two fits of each
    assert len(np.unique(numbers[:, 0])) == 4


def test_a_time_is_the_geometric_mean_of_a_process_and_an_error_is_of_a_fit(
    measured: Warehouse,
) -> None:
    frame = measured.frame[measured.frame["measure"] == "fit-time"]
    values = frame["value"].to_numpy().reshape(2, 2, 2)  # process, run, candidate
    times = measured.performances("small", "fit-time")
    np.testing.assert_allclose(times.values, np.sqrt(values.prod(axis=1)), rtol=1e-12)
    assert times.runs is not None
    assert np.array_equal(times.runs, values)
    assert times.replications.tolist() == [1, 2]
    assert measured.performances("small", "misclassification").values.shape == (4, 2)


def test_a_process_of_which_a_run_has_failed_has_failed(measured: Warehouse) -> None:
    frame = measured.frame.copy()
    at = (
        (frame["measure"] == "fit-time")
        & (frame["replication"] == 4)
        & (frame["candidate"] == "nb")
    )
    frame.loc[at, "value"] = np.nan
    frame.loc[at, "status"] = "failed"
    found = replace(measured, frame=frame).performances("small", "fit-time")
    lost = [[False, False], [False, True]]
    assert found.has_failed.tolist() == np.isnan(found.values).tolist() == lost


def test_candidates_take_turns_there_and_back() -> None:
    told = Told()
    execute(_setup(), executor=told)
    order = [(cell.candidate, cell.replication) for cell in told.cells]
    there, back = [("lda", 1), ("lda", 2), ("nb", 1), ("nb", 2)], [("nb", 3), ("nb", 4)]
    assert order[:6] == [*there, *back]
    assert [name for name, _ in order[::2]] == ["lda", "nb", "nb", "lda", "lda", "nb"]


def test_a_process_that_was_broken_off_is_timed_again_and_whole_ones_are_not(
    tmp_path: Path,
) -> None:
    with pytest.raises(KeyboardInterrupt):
        execute(_setup(), tmp_path, Told(stop_before=3))
    missing = plan_execution(_setup(), tmp_path, Told()).missing
    assert missing[:2] == (Cell("small", 1, "nb"), Cell("small", 2, "nb"))
    assert len(missing) == 10
    execute(_setup(), tmp_path, Told())
    more = plan_execution(_setup(8, 4), tmp_path, Told()).missing
    assert {cell.replication for cell in more} == {7, 8}  # as many runs in each
    assert len(plan_execution(_setup(6, 2), tmp_path, Told()).missing) == 12
    assert len(plan_execution(_setup(6, None), tmp_path, Told()).missing) == 12


@pytest.mark.slow
def test_times_of_processes_decide_in_a_study(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(runner, "local_executor", lambda *_: SerialExecutor())
    study = reportgen.evaluate(
        [*NAMES],
        load_iris(),
        measures=["fit-time", "accuracy"],
        replications=12,
        processes=6,
        name="iris",
    )
    inference = study.result("inference")
    assert {name: found.n_used for name, found in inference.items()} == {
        "fit-time": 6,
        "accuracy": 12,
    }
    found = inference["fit-time"]
    assert (found.n_processes, found.n_runs_of_process) == ((6, 6), (2, 2))
    assert found.new_data.reason == "processes"
    study.report(tmp_path, formats=["md", "html"], sections="inference")
    text, page = ((tmp_path / f"report.{kind}").read_text() for kind in ("md", "html"))
    assert "over 6 processes" in text
    assert "the geometric mean of the 2 fits of one process, of which each candidate has 6" in text
    assert "Each candidate was measured in 6 processes of 2 fits, which took turns" in page


MANIFEST = """
seed: 1
measures: [fit-time]
setup:
  datasets: [iris]
  candidates: [lda, nb]
  resampling: {{scheme: bootstrap, replications: {replications}}}
execution: {{processes: {processes}}}
"""


@pytest.mark.parametrize(
    ("replications", "processes", "fault"),
    [
        ("12", "5", "found 5 processes for 12 replications; allowed a number that divides 12"),
        ("12", "1", "found 1; allowed a number from 2"),
        ("12", "many", "found 'many'"),
        ("{max: 20, stage: 10, stop: decided}", "2", "with replications in stages"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(
    replications: str, processes: str, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(MANIFEST.format(replications=replications, processes=processes))
    with pytest.raises(ReportgenError, match=r"execution\.processes") as error:
        make_setup(load_study(path, {}))
    assert fault in str(error.value)
