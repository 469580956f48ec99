"""Executions in stages: when they stop, and that nothing else has a say in it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.plan import standing
from reportgen.execution.pool import ProcessExecutor, SerialExecutor, Work
from reportgen.execution.runner import carry_out, plan_execution
from reportgen.measures import Task
from reportgen.stats.sequential.stages import Answers, StagePlan, judged
from reportgen.study.comparison import half_width
from reportgen.study.resampling import Resampling
from reportgen.study.schema.value_types import FailureLimit
from reportgen.study.setup import Setup
from reportgen.study.stages import Stages
from reportgen.warehouse import Warehouse
from tests.execution.faulty import GUESSER, MAJORITY, Majority, candidate, setup_of, small
from tests.execution.faulty import build_raises as raises

GOLDEN = Path(__file__).parents[1] / "golden"
STAGES = Stages(10, 40, "misclassification", test="t")
SHORT = Stages(6, 18, "misclassification", test="t", pairs=(("splits", "guesser"),))
TIMES = "fit-time"


class Splits(Majority):
    """Splits the only input at 0, as the labels ask for."""

    def predict(self, X: pd.DataFrame) -> Any:
        return np.where(X["x"] > 0, self.classes_[-1], self.classes_[0])


def build_splits(task: Task, random_state: int) -> Any:
    return Splits()


SPLITS = candidate("splits", build_splits)


class Interrupted:
    """Does tasks in this process until it is interrupted."""

    memory: int | None = None

    def __init__(self, after: int, *, backwards: bool = False) -> None:
        self._left = after
        self._backwards = backwards
        self.done: list[Cell] = []

    def run(
        self, work: Work, tasks: Iterable[Cell], timeout: float | None = None, output: object = None
    ) -> Generator[tuple[Cell, object], None, None]:
        for task in reversed(list(tasks)) if self._backwards else tasks:
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
            self.done.append(task)
            yield task, work(task)


def staged(stages: Stages = SHORT, **more: object) -> Setup:
    """Return a setup of a candidate that learns, one that does not, and one that guesses."""
    return setup_of(
        SPLITS,
        MAJORITY,
        GUESSER,
        datasets=(small("one"), small("two", 30)),
        measures=("misclassification", TIMES),
        resampling=Resampling("bootstrap", stages.most, stages=stages),
        **more,  # type: ignore[arg-type]
    )


def but_times(warehouse: Warehouse) -> pd.DataFrame:
    frame = warehouse.frame
    return frame[frame["measure"] != TIMES].reset_index(drop=True)


def counts(warehouse: Warehouse) -> dict[tuple[str, str], int]:
    rows = warehouse.frame[warehouse.frame["measure"] == "misclassification"]
    return {key: len(group) for key, group in rows.groupby(["dataset", "candidate"], observed=True)}


@pytest.fixture(scope="module")
def whole() -> Warehouse:
    """Return what an execution that nobody interrupts leaves."""
    return carry_out(staged(), executor=SerialExecutor()).warehouse


def test_a_data_set_stops_at_the_end_of_a_stage(whole: Warehouse) -> None:
    ends = {dataset: n for (dataset, name), n in counts(whole).items() if name == "splits"}
    assert set(ends.values()) <= {6, 12, 18}
    assert min(ends.values()) < 18
    assert len({n for (d, _), n in counts(whole).items() if d == "one"}) == 1  # none is dropped
    assert whole.resampling["stages"] == SHORT.described()
    seconds = whole.facts["one"]["fit_seconds"]
    assert set(seconds) == {"splits", "majority", "guesser"}  # type: ignore[call-overload]


@pytest.mark.slow
@pytest.mark.parametrize("drop", [None, "beaten", "decided"])
def test_interrupted_in_any_stage_it_ends_the_same(drop: str | None, tmp_path: Path) -> None:
    setup = staged(replace(SHORT, drop=drop))  # type: ignore[arg-type]
    expected = carry_out(setup, executor=SerialExecutor())
    n_all = expected.n_run
    for after in (n_all // 4, n_all // 4 + 1):
        broken = Interrupted(after, backwards=True)
        with pytest.raises(KeyboardInterrupt):
            carry_out(setup, tmp_path, broken)
    found = carry_out(setup, tmp_path, SerialExecutor())
    pd.testing.assert_frame_equal(but_times(found.warehouse), but_times(expected.warehouse))
    assert found.n_run + found.n_reused == n_all
    assert found.n_reused == n_all // 4 + n_all // 4 + 1
    again = carry_out(setup, tmp_path, SerialExecutor())
    assert (again.n_run, again.n_reused) == (0, n_all)


@pytest.mark.slow
def test_any_number_of_workers_decides_the_same(whole: Warehouse) -> None:
    found = carry_out(staged(), executor=ProcessExecutor(2)).warehouse
    pd.testing.assert_frame_equal(but_times(found), but_times(whole))


def test_a_fixed_run_has_the_same_fits_and_is_used(whole: Warehouse, tmp_path: Path) -> None:
    setup = staged()
    fixed = replace(setup, resampling=replace(setup.resampling, stages=None))
    everything = carry_out(fixed, tmp_path, SerialExecutor())
    found = carry_out(setup, tmp_path, SerialExecutor())
    assert found.n_run == 0
    pd.testing.assert_frame_equal(but_times(found.warehouse), but_times(whole))
    assert found.n_reused < everything.n_run


def test_fresh_measures_all_stages_anew(tmp_path: Path) -> None:
    setup = staged()
    first = carry_out(setup, tmp_path, SerialExecutor())
    again = carry_out(setup, tmp_path, SerialExecutor(), fresh=True)
    assert (again.n_run, again.n_reused) == (first.n_run, 0)


def test_what_fails_again_is_not_tried_for_ever(tmp_path: Path) -> None:
    setup = setup_of(
        SPLITS,
        MAJORITY,
        candidate("raises", raises),
        resampling=Resampling("bootstrap", 12, stages=replace(SHORT, most=12, pairs=None)),
    )
    for _ in range(2):
        found = carry_out(setup, tmp_path, SerialExecutor(), retry_failed=True)
        assert not found.fault
    frame = found.warehouse.frame
    assert set(frame[frame["candidate"] == "raises"]["status"]) == {"failed"}


def test_too_many_failures_end_it_in_the_first_stage(tmp_path: Path) -> None:
    setup = setup_of(
        MAJORITY,
        candidate("raises", raises),
        resampling=Resampling("bootstrap", 40, stages=STAGES),
        max_failures=FailureLimit(count=3),
    )
    found = carry_out(setup, tmp_path, SerialExecutor())
    assert "more than the 3" in found.fault
    assert found.warehouse.frame["replication"].max() <= 10


def test_the_plan_is_the_next_stage(tmp_path: Path) -> None:
    plan = plan_execution(staged(), tmp_path)
    assert len(plan.cells) == len(plan.missing) == 2 * 3 * 6


# ------------------------------------------------------------------------- decisions alone


def values_of(means: dict[str, float], sd: float = 0.02, seed: int = 3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: mean + sd * rng.normal(size=40) for name, mean in means.items()}


def decided(stages: Stages, values: dict[str, np.ndarray]) -> dict[str, int]:
    """Return how many replications each candidate was given."""
    setup = setup_of(
        *(candidate(name, raises) for name in values),
        measures=(stages.measure,),
        resampling=Resampling("bootstrap", stages.most, stages=stages),
    )

    def known(cell: Cell) -> Outcome:
        value = float(values[cell.candidate][cell.replication - 1])
        return Outcome("ok", {} if np.isnan(value) else {stages.measure: value})

    found = standing(setup, stages, "small", known)
    assert found.is_over
    return {name: sum(c.candidate == name for c in found.cells) for name in values}


class Known:
    """The misclassification of studies/classics.yaml: 13 data sets, 6 candidates, B = 100."""

    def __init__(self) -> None:
        counts = json.loads((GOLDEN / "classics.json").read_text())
        del counts["_how"]
        tables = {name: np.array([*rows.values()]).T for name, rows in counts.items()}
        self.names = tuple(next(iter(counts.values())))[1:]
        self.values = {name: rows[:, 1:] / rows[:, :1] for name, rows in tables.items()}
        self.pairs = tuple(combinations(range(len(self.names)), 2))

    def fixed(self, dataset: str, n: int, area: float) -> tuple[Answers, ...]:
        return judged(self.values[dataset][:n], self.pairs, (n,), StagePlan(1), area)[0]

    def staged(self, dataset: str, stages: Stages) -> tuple[tuple[Answers, ...], int]:
        """Return what the stages say in the end, and after how many fits."""
        whole = self.values[dataset]

        def known(cell: Cell) -> Outcome:
            value = whole[cell.replication - 1, self.names.index(cell.candidate)]
            return Outcome("ok", {"misclassification": float(value)})

        setup = setup_of(
            *(candidate(name, raises) for name in self.names),
            resampling=Resampling("bootstrap", stages.most, stages=stages),
        )
        found = standing(setup, stages, dataset, known)
        values = np.full(whole.shape, np.nan)
        for cell in found.cells:
            at = cell.replication - 1, self.names.index(cell.candidate)
            values[at] = whole[at]
        n = max(cell.replication for cell in found.cells)
        ends = tuple(end for end in stages.ends if end <= n)
        return judged(
            values[:n], self.pairs, ends, stages.plan, half_width("difference", stages.area)
        )[-1], len(found.cells)


@pytest.mark.slow
def test_stages_decide_classics_as_the_fixed_run() -> None:
    """What a fixed design of 25 or 50 shows of a pair, the stages show, with fewer fits."""
    classics = Known()
    stages = Stages(20, 100, "misclassification", drop="decided", area=(-0.01, 0.01), stop="both")
    n_fits, same, decided = 0, Counter[int](), Counter[int]()
    for dataset in classics.values:
        own, n = classics.staged(dataset, stages)
        n_fits += n
        for size in (25, 50):
            for fixed, staged in zip(classics.fixed(dataset, size, 0.01), own, strict=True):
                if fixed.verdict != "not-distinguished":
                    decided[size] += 1
                    same[size] += staged.confirms(fixed)
    assert decided == {25: 156, 50: 175}
    assert same == {25: 155, 50: 175}  # all but one
    assert (n_fits, stages.most * 13 * 6) == (5680, 7800)


CLEAR = {"a": 0.1, "b": 0.3, "c": 0.5}


def test_clear_differences_take_one_stage() -> None:
    assert set(decided(STAGES, values_of(CLEAR)).values()) == {10}


def test_equal_candidates_take_all_unless_they_are_equivalent() -> None:
    values = values_of({"a": 0.1, "b": 0.1, "c": 0.5})
    assert set(decided(STAGES, values).values()) == {40}
    assert set(decided(replace(STAGES, area=(-0.1, 0.1)), values).values()) == {10}


def test_named_comparisons_alone_have_to_be_decided() -> None:
    values = values_of({"a": 0.1, "b": 0.1, "c": 0.5})
    assert set(decided(replace(STAGES, pairs=(("a", "c"),)), values).values()) == {10}


def test_beaten_and_decided_candidates_are_dropped() -> None:
    values = values_of({"a": 0.1, "b": 0.1, "c": 0.5, "d": 0.5})
    assert decided(replace(STAGES, drop="beaten"), values) == {"a": 40, "b": 40, "c": 10, "d": 10}
    assert decided(replace(STAGES, drop="decided"), values) == dict.fromkeys("abcd", 40)
    values = values_of({"a": 0.1, "b": 0.1, "c": 0.5, "d": 0.9})
    assert decided(replace(STAGES, drop="decided"), values) == {"a": 40, "b": 40, "c": 10, "d": 10}


def test_both_questions_go_on_until_both_are_answered() -> None:
    values = values_of({"a": 0.1, "b": 0.14})
    near = replace(STAGES, area=(-0.045, 0.045))
    assert set(decided(near, values).values()) == {10}  # a difference, whether relevant or not
    assert set(decided(replace(near, stop="both"), values).values()) == {40}
    far = replace(near, area=(-0.001, 0.001))
    assert set(decided(replace(far, stop="both"), values).values()) == {10}  # equivalence given up


def test_times_are_decided_by_ratio() -> None:
    """Within a factor of 1.1, which is the area where the study says none; twice is not."""
    values = values_of({"a": 1.0, "b": 1.001})
    times = replace(STAGES, measure=TIMES)
    assert set(decided(times, values).values()) == {10}
    assert set(decided(STAGES, values).values()) == {40}  # as differences, without an area
    narrow = replace(times, area=(1 / 1.001, 1.001))
    assert set(decided(narrow, values).values()) == {40}
    values["b"][0] = 0.0  # it has no ratio
    assert set(decided(times, values).values()) == {40}


def test_gaps_are_left_out_of_a_stage() -> None:
    values = values_of(CLEAR)
    values["b"][:2] = np.nan
    assert set(decided(STAGES, values).values()) == {10}
