"""The way of a pair's numbers, from a cell to a sentence, as CONTRIBUTING.md tells it.

What runs is followed: which function is called by which. Files between two steps would be further
steps.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.rendering.template_functions import section_variables
from reportgen.stats.pair_table import PairTable
from tests.conftest import ROOT
from tests.sections.reading import plain

STEP = re.compile(r"^\d\. `([\w/.]+)`: (?:`([\w.]+)`)?", re.MULTILINE)
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
STEPS = STEP.findall(TEXT[TEXT.index("## From a cell") : TEXT.index("## Work")])
CELLS: dict[str, tuple[float, ...]] = {
    "ash": (0.301, 0.322, 0.313, 0.344, 0.325, 0.336, 0.357, 0.308)
}
CELLS["oak"] = tuple(x - 0.1 - 0.001 * i for i, x in enumerate(CELLS["ash"]))


class Call(NamedTuple):
    """A call of a step's function."""

    step: int
    callers: tuple[tuple[str, str], ...]  # files and functions of ours, the nearest first
    locals: dict[str, Any]


def place(frame: FrameType) -> tuple[str, str]:
    path = Path(frame.f_code.co_filename)
    own = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    return own, frame.f_code.co_qualname


class Walk(NamedTuple):
    """The calls of the steps' functions while a file of two candidates is read and compared."""

    calls: list[Call]
    study: BenchmarkStudy


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    path = tmp_path_factory.mktemp("walk") / "losses.csv"
    rows = (f"{i},{name},{x!r}\n" for name, own in CELLS.items() for i, x in enumerate(own))
    path.write_text("replication,candidate,loss\n" + "".join(rows))
    places = {step: i for i, step in enumerate(STEPS)}
    found: list[Call] = []

    def follow(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and (step := places.get(place(frame))) is not None:
            stack = [place(caller) for caller in _callers(frame)]
            found.append(Call(step, tuple(p for p in stack if p[0]), dict(frame.f_locals)))

    sys.setprofile(follow)
    try:
        study = reportgen.compare(path, better="smaller", sections=["inference"])
        study.result("inference")
    finally:
        sys.setprofile(None)
    return Walk(found, study)


@pytest.fixture
def calls(walk: Walk) -> list[Call]:
    return walk.calls


def _callers(frame: FrameType) -> Iterator[FrameType]:
    caller = frame.f_back
    while caller is not None:
        yield caller
        caller = caller.f_back


def between(call: Call, step: int) -> set[str]:
    """Return the files between a call and the function of an earlier step that leads to it."""
    at = call.callers.index(STEPS[step])
    return {file for file, _ in call.callers[:at]}


def under(calls: list[Call], step: int, above: int) -> list[Call]:
    return [call for call in calls if call.step == step and STEPS[above] in call.callers]


def test_there_are_eight_files() -> None:
    assert len({file for file, _ in STEPS}) == len(STEPS) == 8
    assert all(function for file, function in STEPS if file.endswith(".py"))


@pytest.mark.slow
def test_cells_become_numbers_where_the_file_is_laid_out(calls: list[Call]) -> None:
    read = [c for c in under(calls, 0, 1) if c.locals["column"] == "loss"]
    assert any(between(call, 1) <= {STEPS[0][0], STEPS[1][0]} for call in read)


def test_the_section_takes_them_from_the_warehouse(calls: list[Call]) -> None:
    taken = under(calls, 2, 3)
    assert any(call.callers[0] == STEPS[3] for call in taken)


def test_the_kernel_is_called_where_the_verdict_is_made(calls: list[Call]) -> None:
    (call,) = under(calls, 4, 3)
    assert between(call, 3) <= {STEPS[3][0]}
    np.testing.assert_array_equal(call.locals["values"], np.column_stack([*CELLS.values()]))


def test_the_kernel_decides_by_the_table(calls: list[Call]) -> None:
    assert any(between(call, 4) <= {STEPS[4][0], STEPS[5][0]} for call in under(calls, 5, 4))


def test_the_result_keeps_the_table(calls: list[Call]) -> None:
    kept = under(calls, 6, 3)
    assert any(between(call, 3) <= {STEPS[3][0]} for call in kept)
    pairs = kept[-1].locals["method"].pairs
    assert isinstance(pairs, PairTable)
    expected = np.mean(CELLS["ash"]) - np.mean(CELLS["oak"])
    assert pairs.estimate == pytest.approx([expected], rel=1e-12)  # sums in another order


def test_the_sentence_is_about_that_table(walk: Walk) -> None:
    assert Path(STEPS[7][0]).name == f"{Path(STEPS[6][0]).parent.name}.md.j2"
    assert "r.pairs" in (ROOT / STEPS[7][0]).read_text("utf-8")
    report = walk.study._brief
    (content,) = report.of_section("inference")
    (pair,) = content.result["loss"].pairs
    context = RenderContext(report, HTML, (), extras())
    template = context.text_template("sections/inference.md.j2")
    variables = section_variables(context, [content], content, 2)
    said = plain(context.insert_labels(str(context.block(template, "compact", variables))))
    assert pair.favoured == "oak"
    assert "oak is significantly better than the other" in said
