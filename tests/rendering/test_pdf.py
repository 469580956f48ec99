from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering import pdf
from reportgen.rendering.embedding import extras
from reportgen.rendering.fonts import font_css
from reportgen.rendering.markup import verbatim_text
from reportgen.rendering.names import Key
from reportgen.rendering.pagination import Block, blocks_of
from reportgen.rendering.render_context import PDF, RenderContext
from reportgen.rendering.templates import read_references, read_text
from reportgen.report import Report, Table
from reportgen.stats.columns import Column
from tests.rendering.conftest import make_report

pytest.importorskip("weasyprint", exc_type=OSError, reason="WeasyPrint needs Pango")

Folders = tuple[Path, ...]


def unpacked(data: bytes) -> bytes:
    """Return a PDF with its streams beside it, decompressed."""
    parts = [data]
    for block in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):
        try:
            parts.append(zlib.decompress(block))
        except zlib.error:
            continue
    return b"\n".join(parts)


@pytest.fixture(scope="module")
def written(
    report: Report, folders: Folders, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, bytes]:
    """Return the article, and what it and its supplement hold."""
    paths = pdf.render(report, tmp_path_factory.mktemp("pdf") / "report.pdf", folders)
    return paths[0], b"\n".join(unpacked(path.read_bytes()) for path in paths)


def embedded(data: bytes) -> set[str]:
    """Return the names of the faces in an unpacked PDF."""
    return {name.decode() for name in re.findall(rb"/BaseFont ?/[A-Z]+\+([\w-]+)", data)}


@pytest.mark.slow
def test_only_embedded_faces_are_used_and_none_is_slanted(written: tuple[Path, bytes]) -> None:
    faces = embedded(written[1])
    assert "RG-Serif" in faces
    assert all(name.startswith("RG-") and "Oblique" not in name for name in faces)


def test_metadata_tags_and_bookmarks(written: tuple[Path, bytes]) -> None:
    data = written[1]
    assert b"/Title (A fine study)" in data
    assert b"/Author (Ada Example, Bob Example)" in data
    assert b"/Keywords (toys, tests)" in data
    assert b"D:20261101000000" in data
    assert b"/Lang (en)" in data
    assert b"/MarkInfo" in data
    assert b"/StructTreeRoot" in data
    assert b"pdfuaid" in data
    for bookmark in (b"What the toy shows", b"Design", b"Methods"):
        assert b"/Title (" + bookmark + b")" in data


def test_figures_and_formulas_have_a_text(written: tuple[Path, bytes]) -> None:
    data = written[1]
    assert b"/Alt (Bars of svm, rf, lda.)" in data
    assert b"/Alt (p of b k equals kappa of k" in data


@pytest.mark.slow
def test_the_same_report_gives_the_same_bytes(
    report: Report, folders: Folders, written: tuple[Path, bytes], tmp_path: Path
) -> None:
    again = pdf.render(report, tmp_path / "report.pdf", folders)
    assert [path.name for path in again] == ["report.pdf", "supplement.pdf"]
    for path in again:
        assert path.read_bytes() == (written[0].parent / path.name).read_bytes()


@pytest.mark.slow
def test_a_full_report_is_one_file(report: Report, folders: Folders, tmp_path: Path) -> None:
    paths = pdf.render(replace(report, length="full"), tmp_path / "report.pdf", folders)
    assert [path.name for path in paths] == ["report.pdf"]
    assert b"/Title (What the toy shows)" in unpacked(paths[0].read_bytes())


@pytest.mark.slow
def test_hostile_names_and_several_data_sets_are_set_without_a_word_of_complaint(
    hostile: Report, folders: Folders, tmp_path: Path
) -> None:
    """All names are candidates, texts and messages; of the data sets' pages, two are enough."""
    few = tuple(hostile.design.datasets[i] for i in (1, 6))
    names = {dataset.name for dataset in few}
    contents = tuple(c for c in hostile.contents if c.dataset in names)
    hostile = replace(hostile, design=replace(hostile.design, datasets=few), contents=contents)
    data = unpacked(pdf.render(hostile, tmp_path / "r.pdf", folders)[0].read_bytes())
    assert b"/JavaScript" not in data
    assert b"/URI (javascript" not in data


@pytest.mark.slow
def test_letters_that_no_face_has_are_replaced(
    report: Report, folders: Folders, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    study = replace(report.study, title="Кот, 猫", abstract="")
    path = pdf.render(replace(report, study=study, length="full"), tmp_path / "r.pdf", folders)[0]
    assert [said.split(": ")[1] for said in caplog.messages] == ["our fonts lack 猫, shown as �"]
    faces = embedded(unpacked(path.read_bytes()))
    assert "RG-Others" in faces
    assert all(name.startswith("RG-") for name in faces)  # none of the system's for the cat


@pytest.mark.parametrize(
    ("page", "style", "message"),
    [
        ("<p>x", "p { nonsense: 1 }", "unknown property"),
        ("<img src='https://example.org/x.png' alt='x'>", "", "Failed to load"),
        ("<a href='#nowhere'>x</a>", "", "No anchor"),
    ],
)
def test_whatever_weasyprint_says_is_an_error(page: str, style: str, message: str) -> None:
    with pytest.raises(RenderingError, match=message), pdf._loud():
        pdf._Press(style).pdf(f"<html lang='en'><title>x</title><body>{page}")


def first_lines(text: str) -> list[str]:
    """Return the first line of a paragraph in our serif at several widths."""
    from weasyprint import CSS, HTML
    from weasyprint.text.fonts import FontConfiguration

    fonts = FontConfiguration()
    style = font_css() + "p { margin: 0; font: 10pt/1.4 'RG Serif' } @page { size: A4 }"
    widths = (310 + i / 2 for i in range(20))
    page = "".join(f"<p style='width: {width}pt'>{text}</p>" for width in widths)
    document = HTML(string=f"<html lang='en'>{page}").render(
        stylesheets=[CSS(string=style, font_config=fonts)], font_config=fonts
    )
    (html,) = document.pages[0]._page_box.children[:1]
    (body,) = html.children
    return [
        "".join(getattr(box, "text", "") for box in paragraph.children[0].descendants())
        for paragraph in body.children
    ]


@pytest.mark.slow
def test_no_line_ends_after_its_first_word() -> None:
    """At some widths the blank before an element is the first thing that does not fit."""
    text = (
        "The best mean misclassification error of a data set runs from 0.07% on <b>abc</b> to it."
    )
    assert "The" in first_lines(text), "mended in WeasyPrint: do without blanks of their own"
    assert all(len(line) > 60 for line in first_lines(pdf.with_own_blanks(text)))


def test_the_logger_is_left_as_it_was() -> None:
    logger = logging.getLogger("weasyprint")
    before = (list(logger.handlers), logger.level)
    with pdf._loud():
        pass
    assert (list(logger.handlers), logger.level) == before


def test_paper_has_no_rules_of_screens() -> None:
    for name in pdf.STYLES:
        assert not re.search(r"@media|grid|sticky|:hover", read_text(name))


# ------------------------------------------------------------------- where pages and lines end

HEIGHT = (297 - 19 - 18) * pdf.PX  # of the type area
BEFORE, AFTER = '<html lang="en"><title>x</title><body class="supplement"><main>', "</main></body>"


@pytest.fixture(scope="module")
def paper(report: Report) -> tuple[RenderContext, Callable[[str], Any]]:
    """Return what renders pieces of a supplement, and what lays such a supplement out."""
    press = pdf._Press(pdf.style_sheet(report, "abc"))

    def lay_out(body: str) -> Any:
        return press.lay_out(BEFORE + body + AFTER)

    return RenderContext(report, PDF, (), extras(report.layout)), lay_out


def pages_of(laid: Any) -> dict[str, list[int]]:
    """Return on which pages what has an id stands."""
    found: dict[str, list[int]] = {}
    for number, page in enumerate(laid.pages):
        for anchor in page.anchors:
            found.setdefault(anchor, []).append(number)
    return found


def lines_of(laid: Any) -> Iterator[tuple[float, str]]:
    """Yield where the words of each line begin, and these."""
    for page in laid.pages:
        for box in page._page_box.children[0].descendants():
            if type(box).__name__ == "LineBox":
                words = [part for part in box.descendants() if getattr(part, "text", "").strip()]
                if words:
                    yield words[0].position_x, "".join(part.text for part in words)


def test_a_heading_with_few_words_stays_with_its_table(
    paper: tuple[RenderContext, Callable[[str], Any]],
) -> None:
    filler = '<p class="order" style="height: 200mm">x</p>'
    head = '<h3 id="head">H</h3><div class="cols"><p>{}</p></div>'
    table = '<figure id="table" class="tab"><div style="height: 60mm">T</div></figure>'
    pages = pages_of(paper[1](pdf._in_blocks([filler, head.format("words"), table])))
    assert pages["head"] == pages["table"] == [1]
    apart = pages_of(paper[1](pdf._in_blocks([filler, head.format("words " * 150), table])))
    assert (apart["head"], apart["table"]) == ([0], [1])


@pytest.mark.slow
def test_words_of_one_heading_are_one_block_a_page_and_no_page_divides_one(
    paper: tuple[RenderContext, Callable[[str], Any]], report: Report
) -> None:
    blocks = blocks_of("<h3>H</h3>" + f"<p>{'words of a paragraph ' * 30}</p>" * 40)
    style = pdf.style_sheet(report, "abc")
    manuscript = pdf.Manuscript(blocks, BEFORE, AFTER, style, HEIGHT, floats=False)
    html = [block.html for block in blocks]
    body = pdf._joined(manuscript, pdf._Press(style), html, frozenset())
    body = re.sub(r' data-block="[^"]*"', "", body)
    parts = re.findall(r'<div class="blk">(.*?</div>)</div>', body)
    assert "".join(parts) == body.replace('<div class="blk">', "").replace("</div></div>", "</div>")
    laid = paper[1](pdf._in_blocks(parts, "part-"))
    pages = pages_of(laid)
    assert [pages[f"part-{n}"] for n in range(len(parts))] == [[n] for n in range(len(laid.pages))]
    assert len(blocks) == 40
    assert len(parts) > 1


@pytest.mark.parametrize(("below", "n_laid"), [(46, 2), (72, 3), (30, 4)])
def test_columns_are_set_once_where_plan_and_pages_agree_and_else_by_pages_of_them_apart(
    report: Report, monkeypatch: pytest.MonkeyPatch, below: int, n_laid: int
) -> None:
    """They begin a page, as the first would alone; it ends in them by the plan; by rows alone."""
    filler = '<p class="order" style="height: {}mm">x</p>'
    row = '<tr><td style="height: 60mm">x</td></tr>'
    table = f'<figure class="tab long"><table>{row * 3}</table></figure>'
    words = "<h3>H</h3>" + f"<p>{'words of a paragraph ' * 20}</p>" * 2
    blocks = blocks_of(filler.format(201) + table + filler.format(below) + words)
    style = pdf.style_sheet(report, "abc")
    manuscript = pdf.Manuscript(blocks, BEFORE, AFTER, style, HEIGHT, floats=False)
    laid, lay_out = [], pdf._Press.lay_out
    monkeypatch.setattr(pdf._Press, "lay_out", lambda *a: laid.append(a) or lay_out(*a))
    found = pdf.set_document(manuscript)
    assert len(laid) == n_laid
    monkeypatch.setattr(pdf, "_stand", lambda *_: False)
    assert pdf.set_document(manuscript) == found


def test_what_a_long_table_leaves_empty_on_its_pages_is_planned_for(report: Report) -> None:
    """Eight of twelve rows fit on the first page: the others are more than what is left of it."""
    row = '<tr><td style="height: 30mm">x</td></tr>'
    words = '<p class="order" style="height: {}mm">x</p>'
    html = f'<figure class="tab long"><table>{row * 12}</table></figure>'
    blocks = [Block("table", html), *(Block("words", words.format(n)) for n in (125, 100))]
    style = pdf.style_sheet(report, "abc")
    manuscript = pdf.Manuscript(blocks, BEFORE, AFTER, style, HEIGHT, floats=True)
    press = pdf._Press(style)
    heights = pdf._heights(manuscript, press)
    assert [len(leaf) for leaf in pdf._leaves(manuscript, heights, pdf.ARTICLE)] == [2, 1]
    body = pdf._paginated(manuscript, press)
    assert body.count('class="leaf"') == 2
    assert len(press.lay_out(BEFORE + body + AFTER).pages) == 3


def test_what_wraps_in_a_manifest_hangs_deeper_than_its_line(
    paper: tuple[RenderContext, Callable[[str], Any]],
) -> None:
    context, lay_out = paper
    text = f"study:\n  title: {'words ' * 60}\n\n  seed: 1   # a comment\n"
    lines = list(lines_of(lay_out(str(context.macros.verbatim(verbatim_text(text))))))
    first, (title, _), *wrapped, (seed, said) = lines
    assert first[0] < title == seed
    assert {place > title for place, _ in wrapped} == {True}
    assert said == "seed: 1   # a comment"


def test_short_columns_and_names_of_data_sets_keep_to_a_line(
    paper: tuple[RenderContext, Callable[[str], Any]],
) -> None:
    context, lay_out = paper
    columns = (
        Column("dataset", "Data set", "dataset"),
        *(Column(f"n{n}", "a head of many words", "count") for n in range(6)),
        Column("law", "By", "text"),
        Column("pairs", "Pairs", "text"),
    )
    pairs = ", ".join(f"one {n}–two {n}" for n in range(9))
    row = ("line (b2 = 0.05, n = 150)", *range(6), "random permutations", pairs)
    table = Table("t", "", columns, (row,), is_wide=True)
    html = context.insert_labels(
        context.fragments.put(context.number_table(Key("table", "", "t", "", None), table, "T"))
    )
    lines = [line for _, line in lines_of(lay_out(html))]
    assert row[0] in lines
    assert row[7] in lines
    cut = [line for line in lines if "–" in line]
    assert len(cut) > 1
    assert [line for line in cut if not re.fullmatch(r"(one \d–two \d,? ?)+", line)] == []


@pytest.mark.slow
def test_names_without_end_stay_in_their_cells_and_columns(
    paper: tuple[RenderContext, Callable[[str], Any]],
) -> None:
    names = ("x" * 120, "meta-llama/" * 11, "several words " * 9, "short")
    made = make_report(candidates=names)
    context, lay_out = RenderContext(made, PDF, (), extras(made.layout)), paper[1]
    columns = (Column("c", "Pair", "pair"), *(Column(f"n{n}", "a head", "count") for n in range(6)))
    rows = tuple(((a, b), *range(6)) for a in names for b in names if a != b)
    table = context.number_table(
        Key("table", "", "t", "", None), Table("t", "", columns, rows, is_wide=True), "T"
    )
    written = {name: context.macros.cand(name, context.styles[name]) for name in names}
    named = "".join(f"<dd>{name} is best.</dd>" for name in written.values())
    facts = written[names[0]]
    html = f'{table}<dl class="runin"><div>{named}</div></dl>'
    html += f'<table class="kv"><tbody><tr><th>A</th><td>{facts}</td></tr></tbody></table>'
    laid = lay_out(context.insert_labels(context.fragments.put(html)))
    n_cells = 0
    for page in laid.pages:
        body = page._page_box.children[0]
        for box in body.descendants():
            if type(box).__name__ not in ("TableCellBox", "LineBox"):
                continue
            n_cells += 1
            end = box.position_x + box.margin_width() + 0.5  # less than a letter
            texts = [t for t in box.descendants() if getattr(t, "text", "").strip()]
            assert all(t.position_x + t.width < end for t in texts), texts
    assert n_cells > 7 * len(rows)


def test_no_line_ends_inside_what_follows_a_name(
    paper: tuple[RenderContext, Callable[[str], Any]],
) -> None:
    context, lay_out = paper
    name = context.fragments.put(context.macros.cand("svm", None))
    words = "What is told here takes more than one line of a remark, as it has words and words"
    named = "".join(f"<dd>{words} {'i' * n} {name}’s 12.1 ms.</dd><br>" for n in range(40))
    laid = lay_out(f'<dl class="runin"><div>{named}</div></dl>')
    lines = [line.strip() for _, line in lines_of(laid)]
    assert [line for line in lines if line.endswith("’")] == []
    assert {"12.1 ms.", "svm’s 12.1 ms."} <= {*lines}  # lines end on both sides of it


@pytest.mark.slow
def test_identifiers_and_ranges_of_pages_are_not_divided(
    paper: tuple[RenderContext, Callable[[str], Any]],
) -> None:
    context, lay_out = paper
    items = "".join(
        f"<li>{context.macros.reference(reference)}</li>"
        for reference in read_references(()).values()
    )
    lines = [line for _, line in lines_of(lay_out(f'<ul class="refs">{items}</ul>'))]
    assert len([line for line in lines if "doi:" in line]) > 20
    assert [line for line in lines if re.search(r"(doi:|\d–)\s*$", line)] == []
    cut = [line for line in lines if line.endswith("/")]
    assert {line.partition("doi:")[2].count("/") for line in cut} <= {1}


def test_no_cell_of_labels_is_in_another_face() -> None:
    for name in pdf.STYLES:
        assert not re.search(r"(?:td|\.kv|\.sym)[^{}]*\{[^}]*--serif", read_text(name))
