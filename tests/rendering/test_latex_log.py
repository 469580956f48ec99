"""Logs of real runs of pdfLaTeX (`latex_logs/make.sh` wrote them), and lines of others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.rendering import latex_log
from reportgen.rendering.latex_log import labels_in, problems_in
from reportgen.rendering.quarto import LETTERS, NUMBERS, SMALL, SYMBOLS
from reportgen.rendering.templates import read_text
from tests.conftest import ROOT

LOGS = Path(__file__).parent / "latex_logs"


def problems(name: str) -> list[str]:
    return problems_in((LOGS / f"{name}.log").read_text(encoding="utf-8", errors="replace"))


def test_a_quiet_log_has_no_problem() -> None:
    assert problems("quiet") == []


def test_what_is_lost_is_told_once() -> None:
    found = problems("lost")
    assert [line for line in found if line.startswith("Reference `fig-x'")] != []
    assert [line for line in found if line.startswith("Citation `nobody'")] != []
    assert [line for line in found if "multiply defined" in line] != []
    assert [line for line in found if line.startswith("Float too large")] != []
    (wide,) = [line for line in found if "too wide" in line]
    assert wide.split(" in ")[0].endswith("pt too wide:") or "paragraph at lines" in wide
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "line",
    [
        "Missing character: There is no 猫 (U+732B) in font [lmroman10-regular]:+tlig;!",  # LuaTeX
        "Missing character: There is no 猫 in font [lmroman10-regular]:mapping=tex-text;!",  # XeTeX
    ],
)
def test_a_letter_that_no_font_has_is_named(line: str) -> None:
    (told,) = problems_in(f"{line}\nmore\n{line}\n")
    assert told.startswith("no font of the document has 猫, 2 times (mainfont")


def test_letters_of_a_document_that_no_font_has() -> None:
    found = problems("letters")
    assert [line.split(" (")[0] for line in found] == [
        "no font of the document has 猫, 2 times",
        "no font of the document has א",
    ]
    assert problems("unicode") == ["LaTeX Error: Unicode character 猫 (U+732B) (line 3)"]


def test_floats_that_are_gone_are_told() -> None:
    found = problems("floats")
    assert any("Floats and marginpars not allowed inside" in line for line in found)
    assert any(line.startswith("Reference `fig-a'") for line in found)
    aux = (LOGS / "floats.aux").read_text(encoding="utf-8")
    assert labels_in(aux) == {"fig-b"}  # and not of the other
    assert problems("outer")[0] == "LaTeX Error: Not in outer par mode. (line 3)"


def test_what_is_too_wide_by_less_than_five_points_is_none() -> None:
    wide, high = problems("widths")
    assert wide == "6 pt too wide: in paragraph at lines 5--6"
    assert high.startswith("33 pt too high")


def test_an_error_has_its_line_and_the_package_that_is_missing() -> None:
    assert problems("package")[0] == (
        "LaTeX Error: File `no-such-package.sty' not found. (line 3; TeX Live has it as "
        "no-such-package)"
    )
    assert problems("command")[0] == r"Undefined control sequence. \nosuchcommand (line 3)"
    assert problems("math")[0] == "Missing $ inserted. (line 3)"


def test_a_picture_that_is_missing_is_no_package() -> None:
    said = "Package pdftex.def Error: File `figures/a.pdf' not found: using draft setting."
    assert problems_in(f"! {said}\n\nl.3 \\includegraphics\n") == [f"{said} (line 3)"]


def test_a_table_that_may_not_stand_in_two_columns_is_an_error() -> None:
    assert problems("columns")[0].startswith(
        "Package longtable Error: longtable not in 1-column mode. (line 5)"
    )


@pytest.mark.parametrize(("points", "n"), [("4.99", 0), ("5.01", 1)])
def test_what_nobody_sees_is_no_problem(points: str, n: int) -> None:
    line = f"Overfull \\hbox ({points}pt too wide) in paragraph at lines 3--4\n"
    assert len(problems_in(line)) == n


def test_broken_lines_are_put_together() -> None:
    line = (
        "LaTeX Warning: Reference `tbl-inference-pairs-misclassification-and-so-on' on page 12 "
        "undefined on input line 1234."
    )
    broken = "\n".join(line[n : n + 79] for n in range(0, len(line), 79))
    assert problems_in(f"{broken}\n\nmore\n") == [line.removeprefix("LaTeX Warning: ")]


def test_labels_are_those_of_the_document() -> None:
    aux = "\\newlabel{tbl-a}{{S1}{3}{}{table.1}{}}\n\\newlabel{tbl-a@x}{{}}\n\\gdef\\x{y}\n"
    assert labels_in(aux) == {"tbl-a"}


def test_packages_that_documents_load_are_named_and_in_the_docs() -> None:
    page = (ROOT / "docs" / "quarto.md").read_text(encoding="utf-8")
    assert not [name for name in latex_log.DEBIAN.values() if name not in page]
    heads = [read_text(f"quarto/{name}") for name in (SYMBOLS, SMALL, LETTERS, NUMBERS[0])]
    loaded = re.findall(r"\\(?:usepackage|RequirePackage)(?:\[[^]]*\])?\{(.*?)\}", "".join(heads))
    names = {f"{name.strip()}.sty" for names in loaded for name in names.split(",")}
    assert "newunicodechar.sty" in names
    assert names <= latex_log.DEBIAN.keys()
