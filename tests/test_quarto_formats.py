"""The formats of Quarto, from the command line; and every study's project, read by Pandoc."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.rendering import quarto_program
from tests import test_budgets
from tests.builders import few_results
from tests.conftest import ROOT
from tests.rendering import as_quarto
from tests.test_pipeline import call

STUDIES = {
    "assistants-battles": (),
    "classics-adaptive": ("--set", "setup.resampling.replications=12"),
    "monks3": ("--set", "setup.resampling.replications=4"),
    "monks3-quick": ("--set", "setup.resampling.replications=20"),
    "resampling-effect": (),
}
"""Those whose length test_budgets.py does not measure; the others are documents there."""


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
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_a_document_in_all_formats(name: str, tmp_path: Path) -> None:
    as_quarto.pandoc()
    words = ("--output", tmp_path / "out", "--format", "qmd", *STUDIES[name])
    result = call("run", ROOT / "studies" / f"{name}.yaml", *words)
    assert result.exit_code == 0, result.output
    (document,) = tmp_path.glob("out/*/quarto/index.qmd")
    as_quarto.check_formats(document)


def test_every_study_is_a_document_somewhere() -> None:
    assert {path.stem for path in (ROOT / "studies").glob("*.yaml")} == {
        *STUDIES,
        *test_budgets.STUDIES,
    }
