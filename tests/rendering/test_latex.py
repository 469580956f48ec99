"""LaTeX for a manuscript: its text. tests/rendering/test_latex_pdf.py sets it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reportgen as rg
from reportgen.errors import RenderingError
from reportgen.pipeline import analyse
from reportgen.rendering.composition import compose
from reportgen.rendering.latex import (
    MISSING_LETTERS,
    WAITING,
    Paper,
    compose_paper,
    marks,
    numbers_file,
    write_paper,
)
from reportgen.rendering.latex_tables import Cell, Grid, packages, write_table
from reportgen.rendering.latex_text import (
    NUMBER_BREAK,
    OTHER_SCRIPT,
    breakable,
    escape_latex,
    guest_latex,
    text_width,
    unbroken,
)
from reportgen.rendering.names import Key
from reportgen.rendering.render_context import MARKDOWN, RenderContext
from reportgen.rendering.tables import cell_text, format_cells
from reportgen.rendering.variables import variables
from reportgen.report import Author, Layout, Report, Table
from reportgen.stats.columns import Column
from reportgen.study.schema import LatexEntry
from tests.rendering.conftest import FOLDERS, HOSTILE, make_report

ATTACKS = (
    r"\input{/etc/passwd}",
    r"\immediate\write18{touch x}",
    r"\catcode`\%=12 \def\x{",
    "^^5cinput x",
    "} \\end{document} {",
    "a & b \\\\ c # 1 % d _ e ~ f $ g $ < > | \" ' ` [h] *",
    "\u2028\u2029\x00\x1b\n\r",
)
COMMANDS = re.compile(  # all that a text may have
    r"\{\\kern0pt\}|\\(?:[{}&#%_,-]|textbackslash\{\}|textasciitilde\{\}|textasciicircum\{\}|allowbreak\{\}"
    r"|(?:dots|ss|ae|AE|oe|OE|o|O|l|L|i)\{\}|[`'^~=.\"]|[urHvdcb](?=\{)"
    r"|[ij](?=\}))|\$(?:\^?\\?[A-Za-z]+|[-<>|']|\^\\circ|[\^_]\{\w+\})\$|\{\[\}|\{\]\}"
)


@pytest.mark.parametrize("text", ATTACKS)
@pytest.mark.parametrize("write", [escape_latex, breakable, guest_latex])
def test_no_text_is_a_command(text: str, write: object) -> None:
    _check_plain(write(text))  # type: ignore[operator]


@given(st.text(max_size=12))
def test_any_text_is_letters_and_known_commands(text: str) -> None:
    for written in (escape_latex(text), breakable(text)):
        _check_plain(written)
        assert OTHER_SCRIPT.sub(r"\2", written).isascii()


def test_letters_of_other_scripts_stand_beside_their_numbers() -> None:
    for text, wanted in (
        ("a猫b", [("猫", "U+732B")]),
        ("дом猫", [("дом", r"U+0434\penalty0U+043E\penalty0U+043C"), ("猫", "U+732B")]),
        ("ab אב גד é", [("אב גד", r"U+05D0\penalty0U+05D1 U+05D2\penalty0U+05D3")]),
        ("ч\u0301 b", [("ч\u0301", r"U+0447\penalty0U+0301")]),
        ("\ud800 \U000ee123", []),  # what is no letter is its number alone
    ):
        for write in (escape_latex, guest_latex):
            assert OTHER_SCRIPT.findall(write(text)) == wanted
            write(text).encode()
    assert text_width(escape_latex("猫猫")) == text_width("U+732BU+732B")


def test_letters_of_other_scripts_part_and_none_is_torn() -> None:
    """As a head, a name of Chinese stands in lines; a line of Russian has each letter whole."""
    name, russian = breakable("深度 学习모델 (новая модель)"), breakable("модель")
    assert len(name.split(r"\allowbreak{}")) == 5
    assert max(map(text_width, unbroken(russian))) == text_width("U+043C")
    grid = Grid([name, "B"], [[Cell("1"), Cell(russian)]], [False, True])
    text = write_table(grid, "A.", "tab:a", "")
    assert r"\\{}" in text
    for line in re.split(r"\\\\\{\}|\n", text):
        assert line.count("ifdefined") == line.count("fi}"), line


def _check_plain(text: str) -> None:
    depth = 0
    for piece in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        assert depth >= 0, text
    assert depth == 0, text
    plain = OTHER_SCRIPT.sub(r"\2", text).replace(NUMBER_BREAK, "")
    rest = re.sub(r"\{\}", "", COMMANDS.sub("", plain))
    assert not re.search(r"[\\$&#%_^\x00-\x1f]", rest), text


@pytest.fixture(scope="module")
def paper() -> Paper:
    """Return what a manuscript takes from a report whose names are attacks."""
    names = (*HOSTILE, *ATTACKS)
    return compose_paper(make_report(names, names), FOLDERS)


def test_labels_and_files_are_safe_and_one_each(paper: Paper) -> None:
    labels = [x for e in paper.exhibits for x in re.findall(r"\\label\{(.*?)\}", e.text)]
    assert len(set(labels)) == len(labels) == len({e.path for e in paper.exhibits})
    assert all(re.fullmatch(r"(tab|fig):[a-z0-9-]+", label) for label in labels)
    assert all(re.fullmatch(r"(tables|figures)/[a-z0-9-]+", e.path) for e in paper.exhibits)


def test_an_exhibit_has_a_caption_and_refers_to_no_other(paper: Paper) -> None:
    assert {e.kind for e in paper.exhibits} == {"table", "figure"}
    for exhibit in paper.exhibits:
        assert re.search(r"\\caption\{.+\}", exhibit.text)
        assert not re.search(r"\\(?:ref|input|write|catcode|def|end\{document)", exhibit.text)
        assert not re.search("[\ue000-\ue00f]", exhibit.text)
        assert MISSING_LETTERS.sub("", exhibit.text).isascii()


def cells_of_latex(text: str) -> list[list[str]]:
    """Return the cells of a table without what aligns them."""
    body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    lines = re.sub(r"\\phantom\{[^}]*\}|\\(?:textbf|rlap)|[{}]", "", body).split(r"\\")
    return [[cell.strip() for cell in line.split("&")] for line in lines if line.strip()]


def test_cells_are_those_of_every_other_format(many: Report) -> None:
    paper = compose_paper(many, FOLDERS)
    for content in many.contents:
        for table in content.tables:
            key = Key("table", content.name, table.name, table.measure, content.dataset)
            wanted = [[escape_latex(cell_text(c)) for c in row] for row in format_cells(table)]
            assert cells_of_latex(paper.table(key)) == wanted


def test_what_is_bold_is_told_once(drawn: Report) -> None:
    told = [e.file.count("Bold") for e in compose_paper(drawn, FOLDERS).exhibits]
    assert max(told) == 1


# ------------------------------------------------------------------------------- the texts


@pytest.fixture(scope="module")
def drawn() -> Report:
    """Return the report of three candidates on two data sets, with pictures."""
    rng = np.random.default_rng(1)
    values = rng.normal([0.3, 0.27, 0.2], 0.02, size=(2, 12, 3))
    study = rg.compare(
        values, measure="misclassification", candidates=["lda", "rpart", "svm"], name="toys"
    )
    report = analyse(*study.parts, formats=["latex"])
    return replace(report, study=replace(report.study, keywords=("trees", "50% & more")))


PLACE = re.compile(r"\\input\{((?:table|figure)s/[a-z0-9-]+)\}")


@pytest.mark.slow
def test_the_texts_place_and_name_every_table_and_figure_of_the_report(drawn: Report) -> None:
    paper = compose_paper(drawn, FOLDERS)
    whole = "\n".join(paper.texts.values())
    placed = PLACE.findall(whole)
    assert len(set(placed)) == len(placed) > 4
    known = {e.path: e for e in paper.exhibits}
    assert set(placed) <= known.keys()
    for name, text in paper.texts.items():
        for path in PLACE.findall(text):
            (label,) = re.findall(r"\\label\{(.*?)\}", known[path].text)[:1]
            assert rf"\ref{{{label}}}" in text, (name, path)
    labels = {x for path in placed for x in re.findall(r"\\label\{(.*?)\}", known[path].text)}
    named = set(re.findall(r"\\ref\{(.*?)\}", whole))
    assert named == {label for label in labels if not re.search(r"-\d+$", label)}
    assert not re.search("[\ue000-\ue00f]", whole)
    assert whole.isascii()


def test_the_texts_are_those_of_the_report(drawn: Report) -> None:
    paper = compose_paper(drawn, FOLDERS)
    markdown = compose(RenderContext(drawn, MARKDOWN, FOLDERS))

    def words(text: object) -> str:
        return " ".join(re.findall(r"[a-z]{3,}", re.sub(r"\\[a-z]+|~", " ", str(text)).lower()))

    assert words(markdown.abstract.text) in words(paper.texts["abstract"])
    assert "svm" in paper.texts["abstract"]
    methods = words(paper.texts["methods"])
    assert "candidates lda rpart svm" in methods
    titles = [words(part.title) for part in markdown.sections if part.article]
    assert titles
    assert all(title in words(paper.texts["results"]) for title in titles)
    assert paper.texts["supplement"].startswith(r"\section{")
    assert paper.texts["supplement"].count(WAITING) > 1  # before each other section
    assert paper.keywords == "trees, 50\\% \\& more\n"


def test_small_figures_have_captions_and_no_descriptions(drawn: Report) -> None:
    exhibits = compose_paper(drawn, FOLDERS).exhibits
    small = [e for e in exhibits if e.kind == "figure" and "-small" in e.stem]
    assert len({e.stem.split("-small")[0] for e in small}) == 4  # two of each of two data sets
    for exhibit in small:
        (caption,) = re.findall(r"\\caption\{(.*)\}", exhibit.text)
        assert len(caption) < 200
        assert "against" not in caption
        assert re.search(r", misclassification error, toys [12]\. ", caption)


def test_the_widest_words_have_most_of_the_room() -> None:
    order = "svm > lda, rpart > knn " * 6
    grid = Grid(
        ["Data set", "Unbeaten", "Order"],
        [[Cell("d"), Cell("svm, lda and rpart, all three of them"), Cell(order)]],
        [True] * 3,
    )
    text = write_table(replace(grid, width=300.0), "Words.", "tab:x", "")
    first, second = map(float, re.findall(r"p\{(\d+)pt\}", text)[-2:])
    assert second > 1.5 * first


def test_what_was_not_drawn_is_not_placed(drawn: Report) -> None:
    bare = replace(
        drawn,
        contents=tuple(
            replace(c, figures=tuple(replace(f, pictures={}) for f in c.figures))
            for c in drawn.contents
        ),
    )
    whole = "".join(compose_paper(bare, FOLDERS).texts.values())
    assert "figures/" not in whole
    assert "ref{fig:" not in whole


def test_in_two_columns_floats_take_one_or_both(drawn: Report) -> None:
    paper = compose_paper(drawn, FOLDERS, LatexEntry(columns=2))
    text = "".join(e.text for e in paper.exhibits)
    assert not re.search(r"\\begin\{(?:longtable|landscape)\}", text)
    begun = set(re.findall(r"\\begin\{((?:table|figure|sidewaystable)\*?)\}", text))
    assert {"table", "table*", "figure*"} <= begun
    assert paper.texts["supplement"].count(r"\section{") > 1
    assert r"\clearpage" not in paper.texts["supplement"]  # which would empty pages


def test_a_long_table_in_two_columns_is_several() -> None:
    rows = [[Cell(f"a long name of a data set {i}"), Cell("1"), Cell("x" * 40)] for i in range(90)]
    grid = Grid(["Data set", "n", "Words"], rows, [True, False, True], [[Cell("all")] * 3])
    text = write_table(grid, "Words.", "tab:x", "Note.", 2)
    assert text.count(r"\begin{table*}") == text.count("(part ") > 1
    assert text.count("a long name") == 90
    assert text.count(r"all & all") == 1
    assert re.findall(r"\\label\{(.*?)\}", text)[:2] == ["tab:x", "tab:x-2"]
    lengths = [part.count("a long name") for part in text.split(r"\begin{table*}")[1:]]
    assert max(lengths) - min(lengths) < len(lengths)  # no part is a rest


def test_a_narrow_text_has_narrow_tables() -> None:
    rows = [[Cell("word " * 12), Cell("1")]]
    grid = Grid(["Words", "n"], rows, [True, False])
    assert "p{" not in write_table(grid, "Words.", "tab:x", "")
    narrow = write_table(replace(grid, width=250.0), "Words.", "tab:x", "")
    assert sum(map(float, re.findall(r"p\{(\d+)pt\}", narrow))) in range(100, 250)


# ------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class _Verdict:
    leaders: tuple[str, ...]
    alpha: float = 0.05


MEANS = Table(
    "means",
    "error",
    (Column("candidate", "Candidate", "candidate"), Column("mean", "Mean", "value", "smaller")),
    (("a", 0.1), ("b", 0.2), ("c", 0.3)),
)
DATASETS = Table(
    "datasets",
    "error",
    (
        Column("dataset", "Data set", "dataset"),
        Column("mean a", "a", "value", candidate="a"),
        Column("mean b", "b", "value", candidate="b"),
    ),
    (("d", 0.1, 0.2), ("e", 0.2, None)),
)


def test_bold_are_those_that_are_not_decided_worse() -> None:
    rows = format_cells(MEANS)
    verdicts = {("d", "error"): _Verdict(("a", "b")), ("e", "error"): _Verdict(("b",), 0.1)}
    bold, legend = marks(MEANS, rows, "d", verdicts)
    assert bold == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert legend.endswith(
        "no other candidate is significantly better, at the family-wise level 0.05."
    )
    bold, legend = marks(DATASETS, format_cells(DATASETS), None, verdicts)
    assert bold == {(0, 1), (0, 2)}
    everyone = {("d", "error"): _Verdict(("a", "b", "c"))}
    assert marks(MEANS, rows, "d", everyone) == (
        set(),
        "No candidate is significantly worse than another, at the family-wise level 0.05.",
    )
    assert marks(MEANS, rows, "d", {}) == ({(0, 1)}, r"\textbf{Bold}: the best of its column.")


def _grid(n_rows: int, n_columns: int, text: str = "0.25") -> Grid:
    row = [Cell("name"), *[Cell(text)] * (n_columns - 1)]
    return Grid(
        [f"Head {i}" for i in range(n_columns)], [row] * n_rows, [True, *[False] * (n_columns - 1)]
    )


@pytest.mark.slow
def test_a_table_takes_smaller_type_then_the_turned_page_then_parts() -> None:
    found = [write_table(_grid(3, n), "Words.", "tab:x", "A note.") for n in (5, 14, 20, 60)]
    assert [packages(text) for text in found[:3]] == [
        ("booktabs",),
        ("booktabs",),
        ("booktabs", "rotating"),
    ]
    assert r"\small" in found[0]
    assert r"\footnotesize\setlength" in found[1]
    assert [text.count(r"\begin{tabular}{@") for text in found[:3]] == [1, 1, 1]
    parts = re.findall(r"\\caption\{(.*?)\}\n\\label\{(.*?)\}", found[3])
    assert parts[0] == (f"Words. (part 1 of {len(parts)})", "tab:x")
    assert parts[1][1] == "tab:x-2"
    rows = [line for line in found[3].splitlines() if line.startswith("name")]
    assert sum(line.count("&") for line in rows) == 3 * 59  # each cell stands once
    assert found[3].count("A note.") == 1


def test_a_turned_table_has_less_room_where_letters_are_wider() -> None:
    grid = _grid(3, 21)
    usual = write_table(grid, "Words.", "tab:x", "")
    narrow = write_table(replace(grid, width=400.0), "Words.", "tab:x", "")
    assert usual.count(r"\begin{sidewaystable}") == 1
    assert r"\footnotesize" in usual
    assert narrow.count(r"\begin{sidewaystable}") == 1
    assert r"\scriptsize" in narrow
    assert write_table(replace(grid, width=500.0), "Words.", "tab:x", "") == usual


def test_a_long_table_goes_on_on_the_next_page() -> None:
    text = write_table(_grid(80, 3), "Words.", "tab:x", "A note.")
    assert packages(text) == ("booktabs", "longtable")
    assert text.count("0.25") == 160


def test_columns_of_words_break() -> None:
    words = "many words that go on and on " * 8
    grid = Grid(["Row", "Text"], [[Cell("a"), Cell(words)]], [True, True])
    text = write_table(grid, "Words.", "tab:x", "")
    assert r">{\raggedright\arraybackslash}p{" in text
    assert packages(text) == ("array", "booktabs")


def test_no_row_begins_with_what_ends_the_row_before() -> None:
    grid = Grid((), [[Cell("*a"), Cell("b")], [Cell(escape_latex("[c]")), Cell("d")]], [True, True])
    text = write_table(grid, "Words.", "tab:x", "")
    assert "\n{}*a & b \\\\\n{[}c{]} & d \\\\\n" in text


@pytest.mark.parametrize("second", ["*b", "b"])
def test_no_line_of_a_head_is_read_with_the_line_before(second: str) -> None:
    grid = Grid(["Set", f"aaaaaaaa {second}"], [[Cell("d"), Cell("0.1")]], [True, False])
    text = write_table(grid, "Words.", "tab:x", "")
    assert rf"{{@{{}}r@{{}}}}aaaaaaaa\\{{}}{second}\end{{tabular}}" in text


# ------------------------------------------------------------------------------- the folder


def test_numbers_have_their_names(report: Report) -> None:
    text = numbers_file(variables(report))
    assert r"\rgdef{study.candidates}{" in text
    keys = re.findall(r"\\rgdef\{([^}#]*)\}", text)
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[a-z0-9.-]+", key) for key in keys)


def test_a_document_has_the_papers_size_and_may_hide_its_authors(
    report: Report, tmp_path: Path
) -> None:
    study = replace(report.study, authors=(Author("Ada Lovelace", "Royal Society"),))
    named = replace(report, study=study, layout=Layout(size="letter"))
    hidden = replace(named, layout=Layout(is_anonymous=True))
    texts = []
    for own in (named, hidden):
        write_paper(own, tmp_path, FOLDERS)
        texts.append((tmp_path / "main.tex").read_text("utf-8"))
        (tmp_path / "main.tex").unlink()
    assert r"\documentclass[letterpaper]" in texts[0]
    assert "Ada Lovelace" in texts[0]
    assert r"\documentclass[a4paper]" in texts[1]
    assert r"\author{}" in texts[1]


def test_a_folder_keeps_what_is_an_authors(report: Report, tmp_path: Path) -> None:
    first = write_paper(report, tmp_path / "paper", FOLDERS)
    names = {path.relative_to(tmp_path / "paper").as_posix() for path in first}
    assert {"main.tex", "methods.tex", "numbers.tex", "references.bib"} < names
    assert "tables/toy-means-misclassification.tex" in names
    main = tmp_path / "paper" / "main.tex"
    main.write_text("mine")
    (tmp_path / "paper" / "tables" / "mine.tex").write_text("mine")
    again = write_paper(replace(report, contents=()), tmp_path / "paper", FOLDERS)
    assert main.read_text() == "mine"
    assert main not in again
    assert {p.name for p in (tmp_path / "paper" / "tables").glob("*means*")} == set()
    assert (tmp_path / "paper" / "tables" / "mine.tex").exists()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "references.bib").write_text("mine")
    with pytest.raises(RenderingError, match=r"references\.bib: found a file that no earlier"):
        write_paper(report, tmp_path / "own", FOLDERS)
    assert [p.name for p in (tmp_path / "own").iterdir()] == ["references.bib"]
