"""A figure that cannot be drawn is a line in the report, never the end of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from reportgen.cli import main
from reportgen.sections.eda import figures as eda_figures
from reportgen.sections.inference import figures

REASON = "ValueError: an axis of negative width in …/figures.py"
SECTIONS = ("--sections", "inference")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results of three candidates and two measures."""
    rng = np.random.default_rng(1)
    lines = ["candidate,replication,mse,mae"]
    for number, name in enumerate(("one", "two", "three")):
        for r in range(8):
            mse = number + rng.random()
            lines.append(f"{name},{r},{mse},{mse / 2}")
    path = tmp_path / "r.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def fail(*_: Any, **__: Any) -> Any:
    raise ValueError("an axis of negative\nwidth in /srv/me/figures.py")


def run(results: Path, formats: str = "html,json", *more: str) -> Result:
    """Report results that exist."""
    output = str(results.parent / "out")
    asked = ["run", str(results), "--output", output, "--format", formats, *SECTIONS, *more]
    return CliRunner().invoke(main, asked)


@pytest.mark.slow
def test_a_figure_that_cannot_be_drawn_costs_itself_only(
    results: Path, monkeypatch: pytest.MonkeyPatch, lost_figures: list[str]
) -> None:
    assert run(results).exit_code == 0
    folder = results.parent / "out" / "r"
    whole = {path.name for path in (folder / "figures").glob("*.svg")}
    monkeypatch.setattr(figures, "draw_pairs", fail)
    told = run(results, "html,md,json")
    assert told.exit_code == 0, told.stderr
    left = {path.name for path in (folder / "figures").glob("*.svg")}
    lost = {"inference-pairs-mse.svg"}
    assert lost <= whole
    assert left == whole - lost
    page = (folder / "report.html").read_text("utf-8")
    assert page.count(f"could not be drawn: {REASON}</p>") == len(lost)
    assert 'id="figure-inference-pairs-mse">Figure ' in page  # what refers to it leads there
    found = json.loads((folder / "results.json").read_text("utf-8"))
    assert found["drawing_faults"] == [
        {
            "section": "inference",
            "dataset": found["design"]["datasets"][0],
            "figure": "pairs",
            "measure": "mse",
            "reason": REASON,
        }
    ]
    assert len(lost_figures) == len(lost)
    assert f"the figure pairs mse could not be drawn ({REASON})" in told.stderr
    assert "Traceback" not in told.stderr
    assert "Traceback (most recent call last)" in run(results, "html", "--debug").stderr


def test_a_section_that_cannot_draw_keeps_what_it_has_drawn(
    results: Path, monkeypatch: pytest.MonkeyPatch, lost_figures: list[str]
) -> None:
    monkeypatch.setattr(eda_figures, "_podium", fail)  # before anything is on a sheet
    assert run(results, "html,json", "--sections", "eda").exit_code == 0
    folder = results.parent / "out" / "r"
    left = {path.name for path in (folder / "figures").glob("eda-*.svg")}
    assert left == {"eda-distribution-mse.svg"}
    page = (folder / "report.html").read_text("utf-8")
    assert f"<p>Figures of this section could not be drawn: {REASON}</p>" in page
    (fault,) = json.loads((folder / "results.json").read_text("utf-8"))["drawing_faults"]
    assert (fault["figure"], fault["reason"]) == ("", REASON)
    assert len(lost_figures) == 1


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("place", ["draw_pairs", "pairs_figure"])
def test_what_is_no_fault_of_a_figure_ends_the_report(
    results: Path, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException], place: str
) -> None:
    def end(*_: Any, **__: Any) -> None:
        raise kind

    monkeypatch.setattr(figures, place, end)
    told = run(results)
    assert told.exit_code == (130 if kind is KeyboardInterrupt else 2)
    assert not (results.parent / "out" / "r" / "results.json").exists()


def test_reports_without_faults_say_so(results: Path) -> None:
    assert run(results, "json").exit_code == 0
    found = json.loads((results.parent / "out" / "r" / "results.json").read_text("utf-8"))
    assert found["drawing_faults"] == []
