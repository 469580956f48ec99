from __future__ import annotations

import inspect
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from reportgen.drawing import Sheet, candidate_styles
from reportgen.drawing.style import house_settings
from reportgen.drawing.svg import for_print
from reportgen.errors import RenderingError
from reportgen.rendering import pdf
from reportgen.rendering.embedding import svg_uri
from reportgen.rendering.fonts import font_css
from reportgen.rendering.formulas import drawing
from reportgen.rendering.layout_memory import (
    FONT,
    _font_source,
    named,
    remembered_blocks,
    remembered_breaks,
    remembered_lines,
)
from reportgen.rendering.pdf_drawing import read_drawing
from reportgen.rendering.templates import read_text

weasyprint = pytest.importorskip("weasyprint", exc_type=OSError, reason="WeasyPrint needs Pango")

FAINT = 60  # grey levels by which the edge of a clipped line may differ
BOX = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 120" width="200pt" height="120pt"'
SHAPES = f"""<svg {BOX} stroke-linejoin="round"><defs><path id="m" d="M-4 4 4 4 0 -4z"/>
<clipPath id="c"><rect x="10" y="10" width="150" height="90"/></clipPath></defs>
<g style="fill:#822e03" clip-path="url(#c)"><path d="M0 0 40 0 40 40 0 40z"/>
<path d="M50 20C60 20 70 30 70 40C70 50 60 60 50 60z"/></g>
<path d="M20 80l30-10.5 30 20z" style="fill:#148373;fill-opacity:0.5;stroke:#1d1c1a"/>
<path d="M100 100Q120 60 140 100M100 20 140 20" style="fill:none;stroke:#038cf2;stroke-width:3"/>
<path d="M150 30 190 90" transform="rotate(10 170 60)"
 style="fill:none;stroke:#8a6617;stroke-dasharray:6,3;stroke-dashoffset:2;stroke-width:2"/>
<path d="M90 50h0M110 50h0" style="fill:none;stroke:#d152b5;stroke-width:8;stroke-linecap:round"/>
<use x="180" y="20" href="#m" style="fill:#0249ac;opacity:.6"/>
<path d="M160 60 190 60" style="fill:none;stroke:#0249ac;stroke-width:6;opacity:0.4"/>
<use href="#m" transform="translate(180 100) scale(2 1)" style="stroke:#5b5852;stroke-opacity:.5"/>
</svg>"""
TEXT = (
    f'<svg {BOX} font-family="RG Sans, RG Signs"><text x="{{x}}" y="60" font-size="9" '
    'text-anchor="{anchor}" style="fill:#1d1c1a">{words}</text></svg>'
)


def page(svg: str) -> str:
    """Return a page with a drawing alone."""
    return f'<html lang="en"><title>x</title><img alt="x" src="{svg_uri(svg)}"></html>'


@pytest.fixture(params=["ours", "WeasyPrint's"])
def press(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> pdf._Press:
    """Return a press, and one that leaves drawings to WeasyPrint."""
    if request.param != "ours":
        monkeypatch.setattr(pdf, "read_drawing", lambda _: None)
    return pdf._Press(font_css("", "ttf"))


def pixels(data: bytes, folder: Path) -> np.ndarray:
    """Return a PDF's only page in grey."""
    (folder / "x.pdf").write_bytes(data)
    command = ["pdftoppm", "-r", "70", "-gray", "-singlefile", folder / "x.pdf", folder / "x"]
    subprocess.run(command, check=True)
    return np.asarray(Image.open(folder / "x.pgm"), dtype=int)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="Poppler is not installed")
@pytest.mark.parametrize("svg", [SHAPES, drawing(r"\frac{\sqrt{x_i}}{\sum_i \beta_i}", 10.0)[0]])
def test_a_drawing_looks_as_weasyprint_draws_it(
    svg: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_drawing(svg)
    press = pdf._Press("")
    ours = pixels(press.pdf(page(svg)), tmp_path)
    monkeypatch.setattr(pdf, "read_drawing", lambda _: None)
    theirs = pixels(pdf._Press("").pdf(page(svg)), tmp_path)
    assert (ours < 255).sum() > 50
    assert np.abs(ours - theirs).max() <= FAINT


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="Poppler is not installed")
@pytest.mark.parametrize(("anchor", "x"), [("start", 20), ("middle", 100), ("end", 180)])
def test_text_stands_where_its_anchor_is(
    press: pdf._Press, anchor: str, x: int, tmp_path: Path
) -> None:
    svg = TEXT.format(anchor=anchor, x=x, words="share of replications")
    (tmp_path / "x.pdf").write_bytes(press.pdf(page(svg)))
    command = ["pdftotext", "-bbox", tmp_path / "x.pdf", "-"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    boxes = re.findall(r'<word xMin="([\d.]+)".*?xMax="([\d.]+)".*?>(\w+)</word>', found)
    assert [word for *_, word in boxes] == ["share", "of", "replications"]
    left = 62.69  # pt: of the page and its body, as WeasyPrint has them
    begin, end = float(boxes[0][0]) - left, float(boxes[-1][1]) - left
    where = {"start": begin, "middle": (begin + end) / 2, "end": end}
    assert where[anchor] == pytest.approx(x, abs=0.5)
    assert 70 < end - begin < 90


@pytest.mark.parametrize(
    "part",
    [
        '<image href="data:image/png;base64,x" width="1" height="1"/>',
        '<path d="M0 0 1 1" style="opacity:.5;stroke:#000000"/>',
        '<g opacity=".5"><path d="M0 0 1 1"/></g>',
        '<path d="M0 0 1 1" style="fill:red"/>',
        '<path d="M0 0A1 1 0 0 0 1 1"/>',
        '<path d="M0 0 1 1" transform="skewX(3)"/>',
        '<path d="M0 0 1 1" marker-mid="url(#m)"/>',
        '<use href="#nothing"/>',
        '<circle r="3"/>',
        '<text x="1" y="2"><tspan>x</tspan></text>',
        "<style>path{fill:red}</style>",
        '<g clip-path="url(#nothing)"><path d="M0 0 1 1"/></g>',
    ],
)
def test_what_is_not_known_is_left_to_weasyprint(part: str) -> None:
    assert read_drawing(f"<svg {BOX}><path d='M0 0 1 1'/></svg>")
    assert read_drawing(f"<svg {BOX}>{part}</svg>") is None


def test_nothing_of_our_figures_is_left_to_weasyprint() -> None:
    with house_settings():
        sheet = Sheet(candidate_styles(["rf", "svm"]), 300)
        sheet.begin(100)
        axes = sheet.axes(0, 0, 0, 0)
        axes.plot([0, 1, 2], [2, 0, 1], **sheet.mark("rf", 3))
        axes.plot([0, 1, 2], [1, 1, 2], c=sheet.colour("ink"), ls="--", alpha=0.5)
        axes.scatter(range(99), range(99), c=sheet.ink("svm"), marker="o", alpha=0.6, lw=0)
        axes.scatter(range(9), range(9), c=sheet.ink("svm"), marker=sheet.styles["svm"].shape)
        axes.fill_between([0, 1], [1, 2], [2, 3], fc=sheet.colour("band"), lw=0, alpha=0.3)
        axes.bar([0, 1, 2], [3, 4, 5], fc=sheet.ink("rf"), ec=sheet.colour("ink"))
        axes.text(1, 1, "turned", rotation=90, color=sheet.colour("ink"))
        raw = sheet.elements()
    assert read_drawing(for_print(raw, "k"))


@pytest.mark.slow
def test_remembered_lines_are_those_that_weasyprint_makes() -> None:
    words = "Differences of <b>candidates</b> are computed apart<sup>2</sup> from levels. " * 7
    parts = [f"<p>{words[:n]}</b></p>" for n in (0, 90, 150, 430, 520)]
    items = "".join(f"<li>{words[:n]}</b></li>" for n in (60, 130, 200, 90))
    floated = '<p><span style="float:right">aside</span>' + words + "</p>"
    body = "".join(f'<div class="cols">{a}{b}</div>' for a in parts for b in (*parts, floated))
    style = (
        "@page{size:A5}.cols,ul{columns:2;orphans:2;widows:2;text-indent:3mm;text-align:justify}"
        "li{break-inside:avoid}"
    )
    text = f'<html lang="en"><title>x</title><main>{body}<ul>{items}</ul></main></html>'
    plain = pdf._Press(style).pdf(text)
    with remembered_lines(), remembered_breaks():
        remembered = pdf._Press(style).pdf(text)
    assert remembered == plain


BLOCKS = (
    "<h2 id='a'>One</h2><p>Words <b>of</b> a paragraph.</p>",
    "<figure><table><tr><th>x<th>yy<tr><td>1<td>long words</table></figure>",
    "<table><colgroup><col><tr><th>x<th>yy<tr><td>1<td>words</table>",
    "<header><h3 id='b'>Two</h3></header><ul><li>one<li>two</ul>",
    "<div class='two'><div><p>One</p></div><div>Two</div></div>",
    "<div class='cols'><p>One two three four five.</p></div>",
    "<p>Aside <span style='float:right'>x</span> of it</p><p>" + "many words " * 40 + "</p>",
)


@pytest.mark.parametrize("rule", ["", "h2,h3{margin:20mm 0}", ".x .blk{width:40mm}"])
def test_remembered_blocks_are_those_that_weasyprint_makes(rule: str) -> None:
    style = (
        "@page{size:210mm 60mm;margin:5mm 24mm}.blk{display:flow-root}.cols{columns:2}"
        f".two{{display:flex}}col{{background:red}}{rule}"
    )
    roll, paper = (
        "".join(f'<div class="blk"{named(html)}>{html}</div>' for html in blocks)
        for blocks in (BLOCKS, BLOCKS[::-1])
    )
    begin = '<html lang="en"><title>x</title>'
    documents = (f"{begin}{roll}", f'{begin}<div class="x">{paper}</div>')
    plain, press = pdf._Press(style), pdf._Press(style)
    expected = [plain.pdf(text) for text in documents]
    with remembered_blocks():
        press.lay_out(documents[0], pdf.ROLL)
        assert [press.pdf(text) for text in documents] == expected


def test_what_stands_in_a_block_is_set_once(monkeypatch: pytest.MonkeyPatch) -> None:
    block = import_module("weasyprint.layout.block")
    make, made = block.block_level_layout, []

    def counted(context: object, box: Any, *args: object) -> object:
        made.append(box.element_tag)
        return make(context, box, *args)

    monkeypatch.setattr(block, "block_level_layout", counted)
    html = "<p>one</p><p>two</p>"
    text = f'<html lang="en"><title>x</title><div class="blk"{named(html)}>{html}</div></html>'
    with remembered_blocks():
        press = pdf._Press("@page{margin:0 24mm}.blk{display:flow-root}")
        for rule in (pdf.ROLL, ""):
            press.lay_out(text, rule)
    assert made.count("p") == 2, ADVICE
    assert made.count("div") == 2
    assert block.block_level_layout is counted


def test_headings_that_stand_twice_are_set_twice() -> None:
    assert named("<h3>Notes</h3>") == ""
    assert named("<h3 id=n>Notes</h3>") != named("<p>Notes</p>") != ""


def test_blocks_of_a_theme_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    block = import_module("weasyprint.layout.block")
    own = pdf.Manuscript((), "", "", "", 900.0, floats=False)
    before = block.block_level_layout
    with pdf._remembering(own):
        assert block.block_level_layout is not before
    with pdf._remembering(replace(own, has_own_rules=True)):
        assert block.block_level_layout is before


PRIVATE = {  # of WeasyPrint: the leading parameters that we give, or take, in their order
    "layout.block.block_level_layout": "context box bottom_space skip_stack containing_block "
    "page_is_empty absolute_boxes fixed_boxes adjoining_margins",
    "layout.block.columns_layout": "context box bottom_space",
    "layout.block.iter_line_boxes": "context box position_y bottom_space skip_stack "
    "containing_block",
    "draw.text.draw_first_line": "stream textbox text_overflow block_ellipsis matrix",
    "text.line_break.split_first_line": "text style context max_width justification_spacing",
    "svg.text.TextBox": "pango_layout style",
}
ADVICE = """\
WeasyPrint has changed what it promises to nobody. Lower the bound of weasyprint in pyproject.toml
until the caller fits again: reportgen/rendering/layout_memory.py and unnamed_pages in
reportgen/rendering/pdf.py for layout.block, split_first_line and boxes, which can also be deleted
(documents take longer to set, no page changes); Letters in reportgen/rendering/pdf_drawing.py for
the others."""


@pytest.mark.parametrize("name", PRIVATE)
def test_private_functions_of_weasyprint_are_as_we_call_them(name: str) -> None:
    module, _, function = name.rpartition(".")
    found = getattr(import_module(f"weasyprint.{module}"), function, None)
    assert found is not None, f"{name} is gone. {ADVICE}"
    wanted = PRIVATE[name].split()
    assert list(inspect.signature(found).parameters)[: len(wanted)] == wanted, f"{name}. {ADVICE}"


def test_lines_of_columns_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    block = import_module("weasyprint.layout.block")
    make, made = block.iter_line_boxes, []

    def counted(*args: object) -> Iterator[object]:
        for line in make(*args):
            made.append(line)
            yield line

    monkeypatch.setattr(block, "iter_line_boxes", counted)
    text = (
        f'<html lang="en"><title>x</title><div class="c">{"<p>one two three</p>" * 30}</div></html>'
    )
    pdf._Press(".c{columns:2}").pdf(text)
    plain = len(made)
    made.clear()
    with remembered_lines():
        pdf._Press(".c{columns:2}").pdf(text)
    assert 2 * len(made) < plain, ADVICE


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that WeasyPrint breaks into lines, as it does."""
    split, found = import_module("weasyprint.layout.inline").split_first_line, list[str]()

    def counted(text: str, *args: object, **kwargs: object) -> object:
        found.append(text)
        return split(text, *args, **kwargs)

    for module in ("inline", "preferred"):
        monkeypatch.setattr(f"weasyprint.layout.{module}.split_first_line", counted)
    return found


def test_a_text_is_broken_once_on_all_pages_that_are_laid_out(broken: list[str]) -> None:
    inline = import_module("weasyprint.layout.inline")
    counted = inline.split_first_line
    cells = "<td>one two<td>one <b>two</b>"
    text = (
        f'<html lang="en"><title>x</title><table>{f"<tr>{cells}" * 9}</table><p>one two</p></html>'
    )
    with remembered_breaks():
        press = pdf._Press("b{font-weight:700}")
        press.lay_out(text)
        first = len(broken)
        press.lay_out(text)
    assert first == len(broken) < 20, ADVICE  # of 27 texts, measured and set
    assert inline.split_first_line is counted


def test_a_break_depends_on_what_weasyprint_asks_of_a_style() -> None:
    broken, fonts = (
        import_module("weasyprint.text.line_break"),
        import_module("weasyprint.text.fonts"),
    )
    asking = (
        broken.Layout, broken.create_layout, broken.split_first_line, broken.first_line_metrics,
        broken.line_size, fonts.get_font_description,
    )  # fmt: skip
    source = "".join(map(inspect.getsource, asking))
    assert set(re.findall(r"style\['(\w+)'\]", source)) == set(FONT), ADVICE


def test_a_style_has_the_font_of_the_one_that_it_inherits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inline = import_module("weasyprint.layout.inline")
    split, styles = inline.split_first_line, []

    def seen(text: str, style: Any, *args: object, **kwargs: object) -> object:
        styles.append(style)
        return split(text, style, *args, **kwargs)

    monkeypatch.setattr(inline, "split_first_line", seen)
    rules = (
        ".lead::after{content:leader('.')}u i{text-decoration:line-through}s::before{content:'x'}"
    )
    words = "<p>a <b>b <u>c <i>d</i> <span>e</span></u></b> <sub>f</sub><s lang=de>g</s>"
    text = f'<html lang="en"><title>x</title>{words}<p class="lead" style="letter-spacing:1px">h'
    pdf._Press(rules).lay_out(text)
    fonts = {repr([style[name] for name in FONT]) for style in styles}
    sources = [_font_source(style) for style in styles]
    assert len({id(source) for source in sources}) < len({id(style) for style in styles})
    assert len(fonts) > 5
    for style, source in zip(styles, sources, strict=True):
        assert [style[name] for name in FONT] == [source[name] for name in FONT], ADVICE


def test_a_text_on_one_line_is_the_same_in_all_widths_that_hold_it(broken: list[str]) -> None:
    widths = "".join(f'<p style="width:{n}mm">one two</p>' for n in (60, 50, 40, 5))
    with remembered_breaks():
        pdf._Press("").lay_out(f'<html lang="en"><title>x</title>{widths}</html>')
    assert broken == ["one two", "one two", "two"], ADVICE


def test_the_long_page_is_set_once_though_contents_name_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = import_module("weasyprint.layout.page")
    make, made = page.make_page, []

    def counted(*args: object) -> object:
        made.append(args)
        return make(*args)

    monkeypatch.setattr(page, "make_page", counted)
    (rule,) = re.findall(r"\.toc a::after {.*?}", read_text("html/paper.css"))
    links = "".join(f'<a href="#h{n}">Section {n}</a>' for n in range(9))
    heads = "".join(f'<h2 id="h{n}">Section {n}</h2>' for n in range(9))
    text = f'<html lang="en"><title>x</title><nav class="toc">{links}</nav>{heads}</html>'
    press = pdf._Press(f".toc a{{display:block}}{rule}")
    once = press.lay_out(text, pdf.ROLL).pages[0]
    assert len(made) == 1
    twice = press.lay_out(text, pdf.ROLL.partition(".toc")[0]).pages[0]
    assert len(made) > 2, ADVICE
    assert once.anchors == twice.anchors


def test_boxes_are_not_asked_for_names_of_pages_where_no_rule_has_one() -> None:
    boxes = import_module("weasyprint.formatting_structure.boxes")
    before = [kind.page_values for kind in (boxes.Box, boxes.ParentBox, boxes.TableBox)]
    text = '<html lang="en"><title>x</title><p>one</p><p class="wide">two</p></html>'
    for rule, n_pages in ((".wide{color:red}", 1), ("@page wide{}.wide{color:red;page:wide}", 2)):
        with pdf.unnamed_pages(rule):
            assert (boxes.Box.page_values in before) == (n_pages == 2), ADVICE
            assert len(pdf._Press(rule).lay_out(text).pages) == n_pages
    assert [kind.page_values for kind in (boxes.Box, boxes.ParentBox, boxes.TableBox)] == before


@pytest.mark.parametrize(
    ("html", "is_named"),
    [
        ('<p style="color:red;page:wide">one</p>', True),
        ("<p style='PAGE : wide'>one</p>", True),
        ("<style>.wide{page/* of its own */:wide}</style>", True),
        ('<p style="break-before:page;color:red">of this page: one</p>', False),
    ],
)
def test_rules_of_templates_name_pages_too(html: str, is_named: bool) -> None:
    block = pdf.Block("words", html)
    own = pdf.Manuscript((block,), "", "", "p{color:red}", 900.0, floats=False)
    head = pdf.Manuscript((), f"<head>{html}</head>", "", "p{color:red}", 900.0, floats=False)
    for manuscript in (own, head):
        assert bool(pdf.PAGE_NAME.search(pdf._rules(manuscript))) == is_named


def test_a_rule_that_parts_the_blocks_by_pages_is_a_fault_that_is_named() -> None:
    begin = "<html lang=en><title>x</title><style>.wide{page:wide}</style>"
    blocks = (pdf.Block("words", '<p>one</p><p class="wide">two</p>'),)
    manuscript = pdf.Manuscript(blocks, begin, "</html>", "", 900.0, floats=False)
    with pytest.raises(RenderingError, match="or rules break pages in it"):
        pdf.set_document(manuscript)


def test_weasyprint_reads_no_letter_of_our_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a name of its own in the page; a drawing of somebody else is read as it stands."""
    read, make = list[str](), weasyprint.HTML

    def note(string: str, **options: Any) -> Any:
        read.append(string)
        return make(string=string, **options)

    monkeypatch.setattr(weasyprint, "HTML", note)
    press = pdf._Press(font_css("", "ttf"))
    foreign = f"<svg {BOX}><foreignObject/></svg>"
    ours = (SHAPES, SHAPES, TEXT.format(x=0, anchor="start", words="x"))
    press.lay_out("".join(page(svg) for svg in (*ours, foreign)))
    first, again, other, last = re.findall(r'src="([^"]+)"', read[0])
    assert first == again != other
    assert len(first + other) < 40
    assert last == svg_uri(foreign)
