"""The formats of Quarto, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering import quarto_program
from tests.builders import few_results
from tests.test_pipeline import call


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return few_results(tmp_path / "tiny.csv")


@pytest.mark.slow
def test_a_project_is_written_rendered_and_moved_aside(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tiny"
    arguments = ("--output", tmp_path, "--sections", "eda", "--jobs", "1")
    monkeypatch.setattr(quarto_program, "find_program", lambda: None)
    result = call("run", study, *arguments, "--format", "quarto-html")
    assert result.exit_code == 4
    assert "it is rendered by: quarto render index.qmd --to html" in result.stderr
    assert (folder / "quarto" / "index.qmd").exists()
    pictures = [*(folder / "quarto" / "figures").iterdir()]
    assert {path.suffix for path in pictures} == {".svg", ".pdf", ".png"}
    assert not any("<text" in p.read_text("utf-8") for p in pictures if p.suffix == ".svg")

    def render(document: Path, form: str, output: str, **_: bool) -> Path:
        path = document.with_name(output)
        path.write_text(form, encoding="utf-8")
        return path

    monkeypatch.setattr(quarto_program, "render_project", render)
    own = ("--set", "report.quarto={format: ieee-pdf, options: {keep-tex: true}}")
    result = call("report", study, *arguments, *own, "--format", "quarto-pdf,quarto-typst")
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("quarto/index.pdf\n" + f"{folder}/quarto/index-typst.pdf\n")
    assert (folder / "quarto" / "index.pdf").read_text(encoding="utf-8") == "ieee-pdf"
    assert "ieee-pdf:\n" in (folder / "quarto" / "_quarto.yml").read_text(encoding="utf-8")
    (folder / "quarto" / "mine.qmd").touch()
    other = ("--set", "analysis.alpha=0.1")
    assert call("report", study, *arguments, *other, "--format", "md").exit_code == 0
    left = {p.name for p in (folder / "quarto").rglob("*") if p.is_file()}
    assert left == {"mine.qmd", ".written-files"}
    (moved,) = folder.glob("earlier/*/quarto")
    assert {"index.qmd", "index.pdf", "index-typst.pdf", "figures"} <= {
        path.name for path in moved.iterdir()
    }


@pytest.mark.slow
def test_what_was_rendered_with_a_fault_is_of_this_report(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After exit code 4, too: the next run would say that the file is not of this report."""

    def render(document: Path, form: str, output: str, **_: bool) -> Path:
        document.with_name(output).write_text(form, encoding="utf-8")
        if form == "pdf":
            raise RenderingError(f"quarto has rendered {output}: a letter is missing")
        return document.with_name(output)

    monkeypatch.setattr(quarto_program, "render_project", render)
    arguments = ("--output", tmp_path, "--sections", "eda", "--jobs", "1")
    found = call("run", study, *arguments, "--format", "quarto-html,quarto-pdf")
    assert found.exit_code == 4
    assert (tmp_path / "tiny" / "quarto" / "index.pdf").exists()
    again = call("report", study, *arguments, "--format", "quarto-html")
    assert again.exit_code == 0, again.output
    assert "is not of this report" not in found.stderr + again.stderr
    other = call("report", study, *arguments, "--set", "analysis.alpha=0.1", "--format", "md")
    assert "is not of this report" not in other.stderr
    (moved,) = (tmp_path / "tiny").glob("earlier/*/quarto")
    assert {"index.html", "index.pdf"} <= {path.name for path in moved.iterdir()}
