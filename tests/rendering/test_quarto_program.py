"""The program Quarto is imitated by a small one, which says what Quarto says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.errors import RenderingError
from reportgen.rendering import quarto_program
from reportgen.rendering.quarto_program import find_program, problems_in, render_project
from tests.builders import few_results

# The lines of Quarto 1.4 to 1.8, with the colours that it writes to a terminal and to a pipe.
QUIET = """\
pandoc
  to: html
  output-file: index.html
  standalone: true
  embed-resources: true

metadata
  title: A study with no warning or error in its title
  lang: en

Output created: index.html
"""
UNRESOLVED = (
    "\x1b[33mWARNING (/usr/share/quarto/filters/main.lua:17394) "
    "Unable to resolve crossref @fig-x\n\x1b[39m"
)
OLD = "WARN: Unable to resolve crossref @tbl-x"
CITATION = "[WARNING] Citeproc: citation nobody2011 not found"
PICTURE = (
    '[WARNING] Could not convert image figures/a.svg: "check that rsvg-convert is in path.\\n'
    'rsvg-convert: createProcess: does not exist"'
)
TWO_LINES = "WARNING (main.lua:1) \nEmitting a placeholder FloatRefTarget"
LATEX = "LaTeX Warning: Reference `fig-x' on page 1 undefined on input line 12."
FAILED = "ERROR: \ncompilation failed- error\nLaTeX Error: File `elsarticle.cls' not found."
TYPST = "warning: unknown font family: source sans"


def test_a_quiet_log_has_no_problem() -> None:
    assert problems_in(QUIET) == []


@pytest.mark.parametrize("line", [OLD, CITATION, PICTURE, LATEX, TYPST])
def test_a_problem_is_its_line(line: str) -> None:
    assert problems_in(f"{QUIET}{line}\nOutput created: index.html\n") == [line]


def test_colours_and_ends_of_lines_are_no_part_of_it() -> None:
    said = "WARNING (/usr/share/quarto/filters/main.lua:17394) Unable to resolve crossref @fig-x"
    assert problems_in(UNRESOLVED + UNRESOLVED) == [said]
    assert problems_in(TWO_LINES) == ["WARNING (main.lua:1) Emitting a placeholder FloatRefTarget"]
    assert problems_in(FAILED) == ["ERROR: compilation failed- error"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a program that keeps its arguments, says a text and writes the output."""
    path = tmp_path / "bin" / "quarto"
    path.parent.mkdir()
    path.write_text(
        f"#!{sys.executable}\n"
        "import sys, pathlib\n"
        "here = pathlib.Path(__file__).parent\n"
        "(here / 'arguments').write_text('\\n'.join(sys.argv[1:]))\n"
        "sys.stderr.write((here / 'says').read_text())\n"
        "code = int((here / 'code').read_text())\n"
        "if not code: pathlib.Path(sys.argv[sys.argv.index('--output') + 1]).write_text('done')\n"
        "for kind in ('log', 'aux'):\n"
        "    left = here / kind\n"
        "    if left.exists(): pathlib.Path('index.' + kind).write_text(left.read_text())\n"
        "sys.exit(code)\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    path.with_name("says").write_text(QUIET, encoding="utf-8")
    path.with_name("code").write_text("0", encoding="utf-8")
    monkeypatch.setenv("QUARTO_PATH", str(path))
    return path


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "project $(touch x)" / "index.qmd"
    path.parent.mkdir()
    path.touch()
    return path


def test_it_renders_where_the_project_is(program: Path, document: Path) -> None:
    assert render_project(document, "elsevier-pdf", "index.pdf").read_text() == "done"
    arguments = program.with_name("arguments").read_text(encoding="utf-8").split("\n")
    assert arguments == [
        *("render", "index.qmd", "--to", "elsevier-pdf", "--output", "index.pdf", "--no-execute")
    ]


@pytest.mark.parametrize("line", [OLD, CITATION, TYPST])
def test_a_warning_is_an_error_with_its_line(program: Path, document: Path, line: str) -> None:
    program.with_name("says").write_text(f"{QUIET}{line}\n", encoding="utf-8")
    with pytest.raises(RenderingError, match=r"quarto has rendered .*index\.html: ") as told:
        render_project(document, "html", "index.html")
    assert str(told.value).endswith(line)
    assert told.value.exit_code == 4


def test_a_failure_says_its_last_lines(program: Path, document: Path) -> None:
    program.with_name("code").write_text("1", encoding="utf-8")
    program.with_name("says").write_text("one\n\nno such format\n", encoding="utf-8")
    with pytest.raises(RenderingError, match="quarto ended with 1: one; no such format"):
        render_project(document, "html", "index.html")


def test_what_latex_tells_is_an_error_with_the_path_of_its_log(
    program: Path, document: Path
) -> None:
    program.with_name("log").write_text(
        "LaTeX Warning: Reference `fig-x' on page 1 undefined on input line 12.\n", encoding="utf-8"
    )
    program.with_name("aux").write_text("\\newlabel{fig-a}{{1}{1}}\n", encoding="utf-8")
    document.write_text("::: {#fig-a}\n:::\n\n{{< include b.qmd >}}\n", encoding="utf-8")
    document.with_name("b.qmd").write_text("::: {#tbl-b}\n:::\n", encoding="utf-8")
    with pytest.raises(RenderingError) as told:
        render_project(document, "acm-pdf", "index.pdf")
    log = document.with_suffix(".log")
    assert str(told.value).endswith(
        "Reference `fig-x' on page 1 undefined on input line 12.; tbl-b is nowhere in the PDF; "
        f"LaTeX's log: {log}"
    )
    assert log.exists()
    program.with_name("log").write_text("Output written on index.pdf\n", encoding="utf-8")
    program.with_name("aux").write_text(
        "\\newlabel{fig-a}{{1}{1}}\n\\newlabel{tbl-b}{{1}{1}}\n", encoding="utf-8"
    )
    assert render_project(document, "pdf", "index.pdf").exists()
    assert not log.exists()
    assert not document.with_suffix(".aux").exists()


def test_latex_s_own_error_is_said_where_it_fails(program: Path, document: Path) -> None:
    program.with_name("code").write_text("1", encoding="utf-8")
    program.with_name("says").write_text(FAILED, encoding="utf-8")
    log = "! LaTeX Error: File `tcolorbox.sty' not found.\n\nl.30 \\usepackage\n"
    program.with_name("log").write_text(log, encoding="utf-8")
    with pytest.raises(RenderingError, match="Debian in texlive-latex-extra") as told:
        render_project(document, "pdf", "index.pdf")
    assert f"LaTeX's log: {document.with_suffix('.log')}" in str(told.value)
    program.with_name("log").write_text("This is pdfTeX\n", encoding="utf-8")  # killed, say
    with pytest.raises(RenderingError, match=r"LaTeX's log: .*index\.log$"):
        render_project(document, "pdf", "index.pdf")


def test_a_file_that_was_there_is_not_the_one_that_was_to_be_written(
    program: Path, document: Path
) -> None:
    program.write_text(f"#!{sys.executable}\n", encoding="utf-8")
    document.with_name("index.html").write_text("an earlier one", encoding="utf-8")
    with pytest.raises(RenderingError, match="has written no"):
        render_project(document, "html", "index.html")


def test_without_the_program_it_is_said_how_to_render(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUARTO_PATH", raising=False)
    monkeypatch.setattr(quarto_program, "find_program", lambda: None)
    with pytest.raises(
        RenderingError, match=r"quarto render index\.qmd --to typst --output x\.pdf"
    ):
        render_project(document, "typst", "x.pdf")


def test_it_is_found_by_its_variable_in_the_environment_and_in_path(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_program() == program
    monkeypatch.setenv("QUARTO_PATH", str(program.parent))
    assert find_program() == program
    monkeypatch.setenv("QUARTO_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(RenderingError, match=r"QUARTO_PATH: found .*nowhere'; allowed the program"):
        find_program()
    monkeypatch.delenv("QUARTO_PATH")
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    monkeypatch.setenv("PATH", "")
    assert find_program() == program
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find_program() is None
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_program() == program


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "_extensions/x/_extension.yml",
        "_metadata.yml",
        "_metadata.yaml",
        "datasets/_metadata.yml",
        "_quarto-draft.yml",
        "_quarto.yml.local",
        "_environment",
        "_brand.yml",
    ],
)
def test_what_lies_in_a_project_is_loaded_only_with_leave(
    program: Path, tmp_path: Path, name: str
) -> None:
    few_results(tmp_path / "few.csv")
    words = ["run", f"{tmp_path}/few.csv", "--sections", "eda", "--output", f"{tmp_path}/out"]
    file = tmp_path / "out/few/quarto" / name
    file.parent.mkdir(parents=True)
    file.write_text("filters: [mine.lua]", encoding="utf-8")
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/canary\nexit 1\n", encoding="utf-8")
    done = CliRunner().invoke(main, [*words, "--format", "quarto-html"])
    assert done.exit_code == 4
    first = name.removesuffix("/x/_extension.yml")
    assert f"quarto-html: {first}: found a file of the project that may run code" in done.output
    assert not (tmp_path / "canary").exists()
    CliRunner().invoke(main, [*words, "--format", "quarto-html", "--allow-templates"])
    assert (tmp_path / "canary").exists()
