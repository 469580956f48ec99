"""The table of formats: who reads it, and that LaTeX is a format like the others."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen import formats, pipeline
from reportgen.cli import main
from reportgen.errors import StudyError
from reportgen.rendering.document import BACK_ENDS
from reportgen.transfer import checked_formats

OWN = [row for row in formats.FORMATS.values() if row.module]
RESULTS = "dataset,replication,candidate,error\n" + "".join(
    f"d,{b},{name},{level + b % 5 / 10}\n"
    for b in range(12)
    for name, level in (("a", 0.1), ("b", 0.2))
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with the formats that are projects."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "results.csv").write_text(RESULTS)
    (folder / "study.yaml").write_text(
        "results: results.csv\nstudy: {name: few}\nsections: [inference]\n"
        "report: {formats: [latex, qmd, md]}\nexecution: {jobs: 1}\n"
    )
    rg.run(folder / "study.yaml", folder / "out")
    done = CliRunner().invoke(
        main, ["report", str(folder / "study.yaml"), "-o", str(folder / "out")]
    )
    assert done.exit_code == 0, done.output
    assert "few/latex/main.tex" in done.output
    return folder / "out" / "few"


def test_each_format_of_the_program_has_a_module_that_renders() -> None:
    """A row whose module is not there would fail only when it is rendered."""
    assert all(callable(import_module(f"reportgen.rendering.{r.module}").render) for r in OWN)


def test_no_two_formats_have_a_file() -> None:
    """A file tells its format."""
    assert len(set(formats.FILES)) == len(formats.FILES)
    of_files = [formats.format_of(file) for file in formats.FILES]
    assert {row.name for row in of_files if row} == set(formats.REPORTS)


def test_schema_and_help_have_the_formats_of_the_table() -> None:
    """A format that is in the table can be named wherever formats are."""
    schema = json.loads(pipeline.schema())
    entry = schema["$defs"]["ReportEntry"]["properties"]["formats"]["items"]["enum"]
    assert tuple(entry) == formats.REPORTS
    for verb, names in (("report", formats.REPORTS), ("export", formats.EXPORTS)):
        shown = "".join(CliRunner().invoke(main, [verb, "--help"]).output.split())
        assert all(name in shown for name in names)


def test_documents_have_the_formats_of_the_table() -> None:
    """Every format of a document but JSON is written by a back end of its name."""
    assert set(BACK_ENDS) == set(formats.DOCUMENTS) - {"json"}
    shown = "".join(CliRunner().invoke(main, ["diff", "--help"]).output.split())
    assert f"[{'|'.join(formats.DOCUMENTS)}]" in shown


@pytest.mark.slow
def test_latex_is_written_into_a_folder_of_its_own(run: Path) -> None:
    """With figures as PDF, beside the project for Quarto."""
    assert r"\documentclass" in (run / "latex/main.tex").read_text()
    assert list((run / "latex/figures").glob("*.pdf"))
    assert (run / "quarto/index.qmd").exists()


def test_verification_draws_what_projects_show(run: Path) -> None:
    """Figures are compared, too, where the only formats with figures are projects."""
    done = CliRunner().invoke(main, ["verify", str(run)])
    assert "all equal byte by byte" in done.output


def test_other_results_move_latex_aside(run: Path) -> None:
    """Its main file, and the files that it takes in; a document that an author wrote stays."""
    mine = run / "latex" / "mine.tex"
    mine.write_text("mine")
    command = ["report", str(run), "--format", "md", "--set", "analysis.alpha=0.01"]
    done = CliRunner().invoke(main, [*command, "-o", str(run.parent)])
    assert "--format latex writes one of these" in done.output
    assert not (run / "latex/main.tex").exists()
    (moved,) = run.glob("earlier/*/latex")
    assert (moved / "main.tex").exists()
    assert (moved / "numbers.tex").exists()
    assert mine.read_text() == "mine"


def test_exports_know_the_old_name_of_latex() -> None:
    """Commands of version 0.2 still work."""
    assert checked_formats(["tex", "csv"]) == ("latex", "csv")
    with pytest.raises(StudyError, match="allowed csv, parquet, md, latex"):
        checked_formats(["html"])
