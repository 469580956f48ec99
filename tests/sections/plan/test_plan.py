"""The section `plan`: the same as the call, its figure and table, where nothing can be planned."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.drawing import Canvas
from reportgen.errors import StudyError
from reportgen.sections.plan.analysis import PlanResult
from reportgen.sections.plan.figures import draw, tabulate
from tests.builders import blank_figures


def frame(n: int = 12, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{m}", k, b, 0.3 + 0.01 * (k == "b") + rng.normal(0, 0.02))
        for m in range(n)
        for k in "ab"
        for b in range(4)
    ]
    return pd.DataFrame(rows, columns=["dataset", "candidate", "replication", "misclassification"])


def study(n: int = 12, **plan: object) -> BenchmarkStudy:
    asked = {"detect": "1pp", **plan}
    return reportgen.compare(frame(n), plan=asked)


@pytest.mark.slow
def test_the_section_is_the_call() -> None:
    """Of other draws: within the five per cent of the search, and their noise."""
    found: PlanResult = study().result("plan")
    called = reportgen.compare(frame()).plan("1pp")
    assert found.plan is not None
    assert (found.plan.unit, found.plan.now.n) == (called.unit, called.now.n)  # type: ignore[union-attr]
    assert found.plan.enough == pytest.approx(called.enough, rel=0.2)
    assert found.plan.safe >= found.plan.enough


def test_figure_and_table_have_the_plans_numbers() -> None:
    result: PlanResult = study().result("plan")
    plan = result.plan
    assert plan is not None
    (figure,) = draw(result, Canvas.of(("a", "b"), 12, "x"))
    rows = {(name, n): width for name, n, width in figure.data.rows}
    assert rows == {(k, float(n)): w for k, own in plan.curves.items() for n, w in own}
    (table,) = tabulate(result)
    assert [row[0] for row in table.rows] == [d.n for d in plan.designs]


def words_of(own: BenchmarkStudy, folder: Path) -> tuple[str, dict[str, object]]:
    """Return the report and its supplement as text, and the results."""
    with blank_figures():
        own.report(folder, formats="html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    text = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", "", page, flags=re.DOTALL)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return " ".join(text.split()), results["sections"]


@pytest.mark.slow
def test_the_report_says_how_much_is_enough(tmp_path: Path) -> None:
    own = study()
    plan = own.result("plan").plan
    text, sections = words_of(own, tmp_path)
    assert "How much is enough" in text
    assert f"it takes {plan.enough:,} data sets, all else kept" in text
    assert f"and {plan.safe:,} if they are as skewed and varied as 12 data sets can hide" in text
    assert f"The design that costs least is {plan.designs[0].n:,} data sets of" in text
    assert sections["plan"]["plan"]["enough"] == plan.enough  # type: ignore[index]


@pytest.mark.slow
def test_without_the_key_there_is_no_section(tmp_path: Path) -> None:
    text, sections = words_of(reportgen.compare(frame()), tmp_path)
    assert "plan" not in sections
    assert "How much is enough" not in text


@pytest.mark.slow
def test_too_little_to_plan_from_is_told(tmp_path: Path) -> None:
    own = study(n=3)
    assert own.result("plan").plan is None
    assert "from which a further study can be planned" in words_of(own, tmp_path)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"detect": "5%"}, "found '5%'"),
        ({"pair": ("a", "zeal")}, "zeal"),
        ({"pair": ("a", "a")}, "twice"),
        ({"power": 1.5}, "power"),
        ({"costs": {"tea": 1.0}}, "tea"),
    ],
)
def test_bad_input(plan: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study(**plan).result("plan")
