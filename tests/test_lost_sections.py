"""A section that cannot be computed is a line in the report, and never a conclusion without it."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import reportgen
from reportgen.cli import main
from reportgen.errors import AnalysisError, SectionError
from reportgen.sections.aggregate import analysis as aggregate
from reportgen.sections.battles import analysis as battles
from reportgen.sections.domain import analysis as domain
from reportgen.sections.eda import figures as eda_figures
from reportgen.sections.inference import analysis as inference

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

REASON = "ValueError: a matrix of negative size in …/analysis.py"
SECTIONS = "eda,inference,preferences,consensus,domain,aggregate"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results of three candidates on seven data sets."""
    rng = np.random.default_rng(1)
    lines = ["dataset,candidate,replication,mse"]
    for dataset in range(7):
        for number, name in enumerate(("one", "two", "three")):
            lines += [f"d{dataset},{name},{r},{number + rng.random()}" for r in range(4)]
    path = tmp_path / "r.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def fail(*_: Any, **__: Any) -> Any:
    raise ValueError("a matrix of negative\nsize in /srv/me/analysis.py")


def exhaust(*_: Any, **__: Any) -> Any:
    raise MemoryError("Unable to allocate 89.6 GiB")


def run(results: Path, formats: str = "html,md,json", *more: str) -> Result:
    """Report results that exist."""
    output = str(results.parent / "out")
    asked = ["run", str(results), "--output", output, "--format", formats, "--jobs", "1"]
    return CliRunner().invoke(main, [*asked, "--sections", SECTIONS, *more])


def read(results: Path) -> tuple[dict[str, Any], str, str]:
    """Return results.json, the page and the text of a report, without their escapes."""
    folder = results.parent / "out" / "r"
    whole, page, text = (
        (folder / name).read_text("utf-8") for name in ("results.json", "report.html", "report.md")
    )
    return json.loads(whole), unescape(page), unescape(text)


@pytest.mark.slow
def test_a_section_that_raises_costs_itself_and_what_needs_it(
    results: Path, monkeypatch: pytest.MonkeyPatch, lost_figures: list[str]
) -> None:
    assert run(results).exit_code == 0
    whole, _, sound = read(results)
    assert "section_faults" not in whole
    monkeypatch.setattr(aggregate, "analyse", fail)
    told = run(results)
    assert told.exit_code == SectionError.exit_code
    assert f"aggregate: {REASON} (written: " in told.stderr
    assert "Traceback" not in told.stderr
    found, page, text = read(results)
    assert found["section_faults"] == [
        {"section": "aggregate", "dataset": None, "reason": REASON, "needs": None}
    ]
    assert set(found["sections"]) == set(whole["sections"]) - {"aggregate"}
    assert found["conclusion"] == whole["conclusion"]
    line = (
        "**The section <code>aggregate</code> could not be computed** (<code>ValueError: a matrix"
    )
    assert line in text
    assert "a matrix of negative size in" in page
    assert "Nothing is concluded here" not in text
    (said,) = (paragraph for paragraph in sound.split("\n\n") if "Recommendation" in paragraph)
    assert said in text
    assert "Traceback (most recent call last)" in run(results, "json", "--debug").stderr


@pytest.mark.slow
@pytest.mark.parametrize("broken", [inference, domain])
def test_without_the_verdict_there_is_no_conclusion(
    results: Path, monkeypatch: pytest.MonkeyPatch, broken: Any, lost_figures: list[str]
) -> None:
    monkeypatch.setattr(broken, "analyse", exhaust)
    assert run(results).exit_code == SectionError.exit_code
    found, page, text = read(results)
    assert found["conclusion"] is None
    assert found["design"]["target"] is None
    lost = {fault["section"]: fault["needs"] for fault in found["section_faults"]}
    if broken is inference:
        assert lost["inference"] is None
        assert lost["domain"] in ("inference", "preferences", "consensus")
        assert found["section_faults"][0]["dataset"] == "d0"
    else:
        assert lost == {"domain": None, **{n: "domain" for n in lost if n != "domain"}}
    for written in (page, text):
        assert "MemoryError: Unable to allocate 89.6 GiB" in written
        assert "Nothing is concluded here, as the verdict may be missing." in written
        assert "Recommendation:" not in written
    assert "eda" in found["sections"]


def test_tables_that_cannot_be_laid_out_cost_their_section(
    results: Path, monkeypatch: pytest.MonkeyPatch, lost_figures: list[str]
) -> None:
    monkeypatch.setattr(eda_figures, "tabulate", fail)
    assert run(results).exit_code == SectionError.exit_code
    found, _, text = read(results)
    assert [fault["section"] for fault in found["section_faults"]] == ["eda"]
    assert found["conclusion"] is not None
    assert "**The section <code>eda</code> could not be computed** on d0 " in text


@pytest.mark.slow
def test_from_python_the_error_names_the_section(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost_figures: list[str]
) -> None:
    monkeypatch.setattr(domain, "analyse", fail)
    study = reportgen.run(results)
    with pytest.raises(SectionError, match="domain: ValueError: a matrix"):
        study.report(tmp_path / "again", formats="json")
    assert (tmp_path / "again" / "results.json").exists()
    with pytest.raises(AnalysisError, match="section domain: ValueError: a matrix"):
        study.result("domain")


def test_what_a_section_wants_hides_no_other_cause(
    results: Path, monkeypatch: pytest.MonkeyPatch, lost_figures: list[str]
) -> None:
    monkeypatch.setattr(battles, "analyse", exhaust)
    wants = "it wants battles of two candidates each; MemoryError: Unable to allocate 89.6 GiB"
    output = ["--output", str(results.parent / "out"), "--format", "json", "--jobs", "1"]
    told = CliRunner().invoke(main, ["run", str(results), *output, "--sections", "battles"])
    assert wants in told.stderr


@pytest.mark.parametrize("option", ["--format", "--sections"])
def test_an_empty_list_is_told(results: Path, option: str) -> None:
    """As a variable that is not set gives it."""
    told = CliRunner().invoke(main, ["run", str(results), option, ""])
    assert told.exit_code == 2
    assert "found ''; allowed names with commas between them" in told.stderr


@pytest.mark.usefixtures("lost_figures")
def test_a_section_that_was_asked_for_says_what_it_wants(results: Path) -> None:
    sections = "battles,factors,run_time,sensitivity,eda"
    output = str(results.parent / "out")
    asked = ["run", str(results), "--output", output, "--format", "md", "--jobs", "1"]
    told = CliRunner().invoke(main, [*asked, "--sections", sections])
    assert told.exit_code == SectionError.exit_code, told.output
    whole = json.loads((Path(output) / "r" / "results.json").read_text("utf-8"))
    reasons = {f["section"]: f["reason"].partition("; ") for f in whole["section_faults"]}
    assert {name: wants for name, (wants, _, _) in reasons.items()} == {
        "battles": "it wants battles of two candidates each",
        "factors": "it wants candidates whose names are made of two columns",
        "run_time": "it wants runs of optimisers, with the evaluations at which they reached "
        "targets",
    }
    assert {cause.partition(":")[0] for _, _, cause in reasons.values()} == {
        "ValueError",
        "StopIteration",
    }
    assert "section sensitivity: wants a data set in two settings\n" in told.stderr
    told = CliRunner().invoke(main, ["check", str(results), "--set", f"sections=[{sections}]"])
    assert "asked for, and without a result:\n    battles: wants battles of two" in told.stdout
