"""The report on paper, set by WeasyPrint: an article and its supplement, or everything in one."""

from __future__ import annotations

import gc
import locale
import logging
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import StringIO
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.drawing import candidate_styles, css_variables
from reportgen.errors import RenderingError
from reportgen.file_writing import write_bytes
from reportgen.formats import SUPPLEMENT as SUPPLEMENT_FILE
from reportgen.installation import page_url
from reportgen.rendering.composition import compose
from reportgen.rendering.embedding import extras, marker_rules, svg_of
from reportgen.rendering.fonts import (
    UNKNOWN,
    face_css,
    font_css,
    tell_unknown_letters,
    with_known_letters,
)
from reportgen.rendering.layout import for_review, painted
from reportgen.rendering.layout_memory import (
    named,
    remembered_blocks,
    remembered_breaks,
    remembered_lines,
)
from reportgen.rendering.markup import ID
from reportgen.rendering.page import page_variables
from reportgen.rendering.pagination import (
    ARTICLE,
    CONTINUED,
    ENTRY,
    PAIR,
    SUPPLEMENT,
    UNHEADED,
    Block,
    Pages,
    Rules,
    blocks_of,
    is_lead,
    join_columns,
    paginate,
    pair_entries,
)
from reportgen.rendering.pdf_drawing import Letters, Picture, read_drawing
from reportgen.rendering.render_context import PDF, RenderContext
from reportgen.rendering.templates import read_text
from reportgen.report import Layout, Report

BLANK = re.compile(r"(?<=[^\s>]) (?=<(?:a|b|bdi|span|strong|em|i|code|img)\b)")
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)
LINK = re.compile(r'<a\b([^>]*?)\shref="#([^"]+)"([^>]*)>(.*?)</a>', re.DOTALL)
FACE = re.compile(r"url\(data:font/ttf;base64,([^)]*)\)")
DRAWING = re.compile(r'(?<=src=")data:image/svg[^"]+')
ONE_COLUMN = (
    ".cols,.noted,.runin{columns:1;max-width:128mm;font-size:10.4pt;line-height:1.42}"
    ".supplement :is(.cols,.noted){font-size:9pt}.runin div{margin-bottom:1.6mm}"
)

STYLES = ("html/base.css", "html/paper.css")

PX = 96 / 25.4  # CSS pixels in a millimetre
PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}  # mm
TEXT_WIDTH = 162.0  # mm
MARGINS = 19.0, 18.0  # mm above and below the type area
MOST_PLANS = 3  # of the pages of an article, as tables that go on are found to be higher
ROUNDING = 5  # px of the type area that stay empty
MARGIN = 3.5 * PX  # below a figure or a table, as paper.css has it
ENTRY_MARGIN, PAIR_MARGIN = 2.0 * PX, 0.5 * PX  # below an entry of a data set, and two abreast
# A rule that names pages, and where a template may have rules.
PAGE_NAME = re.compile(r"(?<![\w@-])page(?:\s|/\*.*?\*/)*:", re.IGNORECASE | re.DOTALL)
STYLE = "<style"
RULES = re.compile(
    r"<style\b.*?</style|\sstyle\s*=\s*(?:\"[^\"]*\"|'[^']*')", re.IGNORECASE | re.DOTALL
)
RARELY = 200_000  # new objects between two looks for cycles; Python's own is 700
BODY = "\ue004"  # stands for the blocks while the page around them is rendered
# All contents are on page 1 where pages are only measured: WeasyPrint would set them again to find
# out where they are.
CONTENTS = '.toc a::after { content: leader(". ") "1" }'
# On which every block can be measured, and which ends the setting of more than 2,000 pages.
ROLL = f"@page {{ size: 300mm 520000mm; margin: 0 69mm }} {CONTENTS}"
FAMILIES = {"serif": "RG Text", "sans": "RG Label"}  # the faces of a manifest

TAGGED: Any = {"pdf_variant": "pdf/ua-1", "pdf_tags": True}


Document = Literal["article", "supplement", "full"]


@dataclass(frozen=True, slots=True)
class Manuscript:
    """All that a document is set from; it can be sent to another process."""

    blocks: tuple[Block, ...]
    # before, after: The page around the blocks.
    before: str
    after: str
    style: str  # the style sheet
    height: float  # of the type area, in px
    floats: bool  # whether figures and tables go where they waste the least paper
    # Whether a theme or a template has rules of its own, by which blocks may depend on others.
    has_own_rules: bool = False

    @property
    def size(self) -> int:
        """How much there is to set, as to its order."""
        return sum(len(block.html) for block in self.blocks)


def render(
    report: Report,
    destination: Path,
    folders: Sequence[Path] = (),
) -> tuple[Path, ...]:
    """Write a report as a tagged PDF, and the supplement of an article as another beside it.

    `destination`: the file to write.
    `folders`: template folders that come before ours.
    Result: the files.
    Raises RenderingError if WeasyPrint is missing, or logs anything: it goes on after a lost
    picture, a rule it does not know or a missing letter, a report must not.
    """
    found = documents(report, destination, folders)
    return write_documents({path: set_document(m) for path, m in found.items()})


def documents(
    report: Report, destination: Path, folders: Sequence[Path] = ()
) -> dict[Path, Manuscript]:
    """Return what a report's files are set from, each apart; a supplement of another goes.

    `destination`: of a report, or of an article: its supplement is beside it.
    `folders`: template folders that come before ours.
    """
    report = for_review(report)
    context = RenderContext(report, PDF, folders, extras(report.layout))
    composition = compose(context)
    variables = page_variables(context, composition)
    kinds: dict[Path, Document] = {destination: "article" if context.is_article else "full"}
    supplement = destination.with_name(SUPPLEMENT_FILE)
    if context.is_article and composition.has_supplement:
        kinds[supplement] = "supplement"
    elif context.is_article:
        supplement.unlink(missing_ok=True)
    # the article's words are rendered first: citations and labels are in its order
    return {path: _manuscript(context, variables, kind, path) for path, kind in kinds.items()}


def write_documents(files: Mapping[Path, bytes]) -> tuple[Path, ...]:
    """Write the files of a report."""
    for path, data in files.items():
        write_bytes(path, data)
    return tuple(files)


def _manuscript(
    context: RenderContext, variables: dict[str, Any], document: Document, path: Path
) -> Manuscript:
    """Return what one file is set from."""
    blocks = _prepared(_blocks(context, variables, document), path)
    style = style_sheet(context.report, "".join(block.html for block in blocks))
    own = {"document": document, "body": Markup(BODY)}
    page = context.page("html/document.html.j2", variables | own)
    before, _, after = page.partition(BODY)
    height = (PAPERS[context.report.layout.size][1] - sum(MARGINS)) * PX - ROUNDING
    has_own_rules = bool(context.report.layout.rules) or STYLE in page
    has_own_rules = has_own_rules or any(STYLE in block.html for block in blocks)
    floats = document == "article"
    return Manuscript(tuple(blocks), before, after, style, height, floats, has_own_rules)


def set_document(manuscript: Manuscript) -> bytes:
    """Return a document as PDF.

    Raises RenderingError if WeasyPrint logs anything, or cannot compute with the sizes that rules
    of a theme have.
    """
    with _loud(), _without_collection():
        press = _Press(manuscript.style)
        try:
            with _remembering(manuscript), unnamed_pages(_rules(manuscript)):
                if manuscript.floats:
                    return press.pdf(_page(manuscript, _paginated(manuscript, press)))
                data: bytes = _flowing(manuscript, press).write_pdf(**TAGGED)
                return data
        except (ArithmeticError, RecursionError) as error:
            raise RenderingError(f"WeasyPrint cannot set the page ({error})") from error


@contextmanager
def _remembering(manuscript: Manuscript) -> Iterator[None]:
    """Let WeasyPrint set once what is the same on all pages that it lays out."""
    with ExitStack() as stack:
        stack.enter_context(remembered_lines())
        stack.enter_context(remembered_breaks())
        if not manuscript.has_own_rules:
            stack.enter_context(remembered_blocks())
        yield


def _blocks(
    context: RenderContext, variables: dict[str, Any], document: Document
) -> tuple[Block, ...]:
    """Return the blocks of a document, whose links lead to places in it."""
    module = context.page_macros("html/paper.html.j2", variables | {"document": document})
    body = str(module.body())
    contents = () if document == "article" else HEADING.findall(body)
    front = str(module.front([(anchor, Markup(title)) for anchor, title in contents]))
    references = variables["c"].references_in(front + body)
    end = str(module.references(references)) + str(module.closing())
    blocks = (Block("words", front), *pair_entries(blocks_of(body + end)))
    ids = frozenset(anchor for block in blocks for anchor in ID.findall(block.html))

    def unlink(match: re.Match[str]) -> str:
        if match[2] in ids:
            return match[0]
        return f"<span{match[1]}{match[3]}>{match[4]}</span>"

    def finish(html: str) -> str:
        return LINK.sub(unlink, context.insert_labels(html))

    return tuple(Block(block.kind, finish(block.html)) for block in blocks)


def _prepared(blocks: Sequence[Block], path: Path) -> list[Block]:
    """Replace letters that our fonts lack, with a warning."""
    tell_unknown_letters(path.name, "".join(block.html for block in blocks), UNKNOWN)
    return [Block(b.kind, with_known_letters(with_own_blanks(b.html))) for b in blocks]


def _paginated(manuscript: Manuscript, press: _Press) -> str:
    """Return the blocks in the order and with the page breaks that waste the least paper."""
    heights = _heights(manuscript, press)
    headed, free = (_pages(manuscript, press, heights, rules) for rules in (ARTICLE, UNHEADED))
    plans = [_without_remnant(manuscript, press, headed)]
    if free != headed:  # floats leave their headings where that saves a page
        plans.append(_without_remnant(manuscript, press, free))
    shortest = min(plans, key=len)
    return "".join(map(_leaf, shortest))


def _pages(
    manuscript: Manuscript, press: _Press, heights: Sequence[float], rules: Rules
) -> list[list[str]]:
    """Plan pages, again while the heights of blocks that go over pages change with the plan."""
    leaves = _leaves(manuscript, heights, rules)
    for _ in range(MOST_PLANS):
        found = [_height_over_pages(manuscript, press, leaves, *it) for it in enumerate(heights)]
        if found == heights:
            break
        heights = found
        leaves = _leaves(manuscript, heights, rules)
    return [[block.html for block in leaf] for leaf in leaves]


def _without_remnant(
    manuscript: Manuscript, press: _Press, pages: list[list[str]]
) -> list[list[str]]:
    """Put the last page on the one before where both fit."""
    if len(pages) > 1 and _fits(manuscript, press, [*pages[-2], *pages[-1]]):
        return [*pages[:-2], [*pages[-2], *pages[-1]]]
    return pages


def _leaves(manuscript: Manuscript, heights: Sequence[float], rules: Rules) -> list[list[Block]]:
    """Return the blocks of each planned page; one that is higher than a page goes on."""
    leaves: list[list[Block]] = [[]]
    for block, begins in _plan(manuscript, heights, rules).blocks:
        if begins:
            leaves.append([])
        leaves[-1].append(block)
    return leaves


def _height_over_pages(
    manuscript: Manuscript,
    press: _Press,
    leaves: Sequence[Sequence[Block]],
    n: int,
    height: float,
) -> float:
    """Return the height of a block with what stays empty where it goes on over a page."""
    # Which rows a table keeps together, and so where it ends, shows where it is set.
    page = manuscript.height
    if height <= page:
        return height
    leaf = next(leaf for leaf in leaves if manuscript.blocks[n] in leaf)
    at = leaf.index(manuscript.blocks[n])
    above = _in_blocks([block.html for block in leaf[:at]]) if at else ""
    body = above + _marked(_in_blocks([leaf[at].html]))
    over = _extent(manuscript, press, f'<div class="leaf">{body}</div>')
    return max(over - CONTINUED * page, page + 1)


def _marked(html: str) -> str:
    """Mark the beginning and the end of blocks whose height `_extent` measures."""
    begin, end = (f'<div id="leaf-{name}"></div>' for name in ("begin", "end"))
    return begin + html + end


def _extent(manuscript: Manuscript, press: _Press, body: str, style: str = "") -> float:
    """Return the height of the marked blocks, over all pages that they are set on."""
    laid = press.lay_out(_page(manuscript, body), style)
    places = {
        anchor: number * manuscript.height + place[1]
        for number, own in enumerate(laid.pages)
        for anchor, place in own.anchors.items()
    }
    return float(places["leaf-end"] - places["leaf-begin"])


def _leaf(html: Sequence[str]) -> str:
    """Return a page of blocks."""
    return f'<div class="leaf">{_in_blocks(join_columns(html))}</div>'


def _fits(manuscript: Manuscript, press: _Press, html: Sequence[str]) -> bool:
    """Whether blocks fit on one page, on which their joined columns are shorter than planned."""
    return _extent(manuscript, press, _marked(_leaf(html)), ROLL) <= manuscript.height


def _flowing(manuscript: Manuscript, press: _Press) -> Any:
    """Lay out the blocks in the order that wastes the least paper, without page breaks."""
    # Long tables and lists end their pages wherever a row or a line does, which no plan foresees.
    # Columns of one heading are one where they share a page.
    heights = _heights(manuscript, press)
    leaves = _leaves(manuscript, heights, SUPPLEMENT)
    html = [block.html for block in chain(*leaves)]
    apart = frozenset(leaf[-1].html for leaf in leaves[:-1])
    joined = join_columns(html)
    if joined == (*chain(*(join_columns([block.html for block in leaf]) for leaf in leaves)),):
        laid = press.lay_out(_page(manuscript, _in_blocks(joined, "blk-", apart)))
        known = {b.html: height for b, height in zip(manuscript.blocks, heights, strict=True)}
        if _stand(laid, joined, known, manuscript.height):
            return laid
    return press.lay_out(_page(manuscript, _joined(manuscript, press, html, apart)))


def _stand(laid: Any, joined: Sequence[str], heights: Mapping[str, float], page: float) -> bool:
    """Whether columns that were joined are on the page on which they would begin while apart."""
    # `heights`: of the blocks while they are apart.
    # `page`: height of the type area.
    places: dict[str, list[tuple[int, float]]] = {}  # the pages of each block, and its end on them
    for number, own in enumerate(laid.pages):
        for anchor, box in own.anchors.items():
            places.setdefault(anchor, []).append((number, box[3]))
        # the numbers of blocks are no places of the document
        own.anchors = {a: box for a, box in own.anchors.items() if not a.startswith("blk-")}
    end = MARGINS[0] * PX + page + ROUNDING
    for n, html in enumerate(joined):
        if html in heights:
            continue
        (begin, _), *others = places[f"blk-{n}"]
        before, bottom = places[f"blk-{n - 1}"][-1] if n else (begin, 0.0)
        first = next(h for one, h in heights.items() if html.startswith(one.removesuffix("</div>")))
        if others or (before < begin and bottom + first <= end):
            return False
    return True


def _joined(
    manuscript: Manuscript, press: _Press, html: Sequence[str], apart: frozenset[str]
) -> str:
    """Return blocks whose columns are joined where they share a page while they are apart."""
    laid = press.lay_out(_page(manuscript, _in_blocks(html, "blk-", apart)), CONTENTS)
    pages = {anchor: number for number, page in enumerate(laid.pages) for anchor in page.anchors}
    joined = join_columns(html, [pages[f"blk-{n}"] for n in range(len(html))])
    return _in_blocks(joined, apart=apart)


def _page(manuscript: Manuscript, body: str) -> str:
    """Return the page around blocks."""
    return manuscript.before + body + manuscript.after


def _heights(manuscript: Manuscript, press: _Press) -> list[float]:
    """Measure the blocks on one long page."""
    blocks = manuscript.blocks
    marks = "".join(
        f'<div class="blk" id="blk-{n}"{named(block.html)}>{block.html}</div>'
        for n, block in enumerate(blocks)
    )
    end = f'<div id="blk-{len(blocks)}"></div>'
    roll = press.lay_out(_page(manuscript, marks + end), ROLL)
    if len(roll.pages) > 1:
        fault = "its text is too high, or rules break pages in it"
        raise RenderingError(f"WeasyPrint cannot set the page ({fault})")
    tops = [roll.pages[0].anchors[f"blk-{n}"][1] for n in range(len(blocks) + 1)]
    return [below - top for top, below in pairwise(tops)]


def _plan(manuscript: Manuscript, heights: Sequence[float], rules: Rules) -> Pages:
    """Plan the pages of blocks."""
    margins = [_margin(block.html) for block in manuscript.blocks]
    return paginate(manuscript.blocks, heights, manuscript.height, margins, rules)


def _margin(html: str) -> float:
    """Return how much of a block is empty at its end."""
    if html.startswith((ENTRY, PAIR)):
        return ENTRY_MARGIN if html.startswith(ENTRY) else PAIR_MARGIN
    return MARGIN if html.endswith("</figure>") else 0.0


def _in_blocks(parts: Sequence[str], names: str = "", apart: frozenset[str] = frozenset()) -> str:
    """Set blocks apart, with ids of their numbers where these are asked for."""
    # `apart`: what is not kept on the page of what it leads to.
    leads = [*(is_lead(*pair) and pair[0] not in apart for pair in pairwise(parts)), False]
    ids = (f" id={names}{n}" if names else "" for n in range(len(parts)))
    return "".join(
        f'<div class="blk{" leads" * lead}"{own}{named(html)}>{html}</div>'
        for html, own, lead in zip(parts, ids, leads, strict=True)
    )


def style_sheet(report: Report, text: str) -> str:
    """Return the style sheet of a page with such a text."""
    layout = report.layout
    light, _ = css_variables(layout.light, layout.dark)
    markers = marker_rules(candidate_styles(report.design.candidates).values(), layout)
    rules = painted(layout, "\n".join(read_text(name) for name in STYLES))
    parts = (font_css(text, "ttf"), f":root{{{light}}}", markers, rules, _paper(layout))
    return "\n".join((*parts, layout.rules))


def _paper(layout: Layout) -> str:
    """Return the rules of paper, columns and faces that are not those of paper.css."""
    rules = []
    if layout.size != "a4":
        side = (PAPERS[layout.size][0] - TEXT_WIDTH) / 2
        above, below = MARGINS
        rules.append(f"@page{{size:{layout.size};margin:{above}mm {side}mm {below}mm}}")
    if layout.columns == 1:
        rules.append(ONE_COLUMN)
    for which, files in (("serif", layout.serif), ("sans", layout.sans)):
        if files:
            family = FAMILIES[which]
            rules.append(face_css(family, files))
            rules.append(
                f':root{{--{which}:"{family}","RG {which.capitalize()}","RG Signs","RG Others"}}'
            )
    return "\n".join(rules)


def with_own_blanks(page: str) -> str:
    """Set blanks before elements apart from the text they follow.

    Where a text fits into a line but its last blank does not, WeasyPrint 70 ends
    the line after the text's first word.

    >>> with_own_blanks("<p>x <b>y</b></p>")
    '<p>x<span> </span><b>y</b></p>'
    """
    return BLANK.sub("<span> </span>", page)


def _faces_apart(style: str) -> tuple[str, dict[str, bytes]]:
    """Return a style sheet that names its faces, and these: WeasyPrint reads it letter by letter.

    >>> _faces_apart("@font-face{src:url(data:font/ttf;base64,aGk=)}")
    ('@font-face{src:url(data:face,0)}', {'data:face,0': b'hi'})
    """
    files: dict[str, bytes] = {}

    def name(face: re.Match[str]) -> str:
        url = f"data:face,{len(files)}"
        files[url] = b64decode(face[1])
        return f"url({url})"

    return FACE.sub(name, style), files


def settle_language() -> None:
    """Let Pango take text whose language nobody names for no language, whatever the locale is.

    A Turkish or Azerbaijani locale gives the letter i another glyph. Pango asks once.
    """
    from weasyprint.text.ffi import pango

    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        pango.pango_language_get_default()
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


class _Press:
    """Sets pages of one style, whose faces, rules and pictures are read once."""

    def __init__(self, style: str) -> None:
        try:
            with redirect_stdout(StringIO()):  # where WeasyPrint writes advice of its own
                from weasyprint.text.fonts import FontConfiguration
                from weasyprint.urls import URLFetcher, URLFetcherResponse
        except (ImportError, OSError) as error:  # OSError: Pango itself is not there
            raise RenderingError(
                f"found no Pango ({error}); allowed a system that has it "
                f"(docs: {page_url('install.md#pango')}), "
                "or other formats, such as --format html,md"
            ) from error
        settle_language()
        style, files = _faces_apart(style)

        class Fetcher(URLFetcher):  # type: ignore[misc]
            def fetch(self, url: str, headers: Any = None) -> Any:
                if url in files:
                    return URLFetcherResponse(url, files[url])
                return super().fetch(url, headers)

        self._fonts = FontConfiguration()
        self._fetcher = Fetcher(allowed_protocols=("data",))  # the page carries all it needs
        self._letters = Letters(self._fonts)
        self._pictures: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._sheet = self._read(style)

    def _read(self, style: str) -> Any:
        from weasyprint import CSS

        return CSS(string=style, font_config=self._fonts, url_fetcher=self._fetcher)

    def lay_out(self, page: str, style: str = "") -> Any:
        """Return a page as WeasyPrint lays it out."""
        from weasyprint import HTML

        page = DRAWING.sub(lambda drawing: self._name(drawing[0]), page)
        html = HTML(string=page, url_fetcher=self._fetcher)
        sheets = [self._sheet, *([self._read(style)] if style else [])]
        options = {"cache": self._pictures, **TAGGED}
        return html.render(stylesheets=sheets, font_config=self._fonts, **options)

    def _name(self, url: str) -> str:
        """Return a short name by which WeasyPrint finds a drawing of ours that is read already.

        It reads a page letter by letter, and most of them are drawings.
        """
        if url not in self._names:
            drawing = read_drawing(svg_of(url))
            name = self._names[url] = f"data:drawing,{len(self._names)}" if drawing else url
            if drawing:
                self._pictures[name] = Picture(drawing, self._letters)
        return self._names[url]

    def pdf(self, page: str) -> bytes:
        """Return a page as PDF."""
        data: bytes = self.lay_out(page).write_pdf(**TAGGED)
        return data


def _rules(manuscript: Manuscript) -> str:
    """Return all rules of a document: of its style, and of what templates have written."""
    texts = (manuscript.before, *(block.html for block in manuscript.blocks), manuscript.after)
    written = (found[0] for text in texts for found in RULES.finditer(text))
    return "\n".join((manuscript.style, *written))


@contextmanager
def unnamed_pages(style: str) -> Iterator[None]:
    """Tell WeasyPrint at once that no box names its page, where no rule has one named.

    It asks all first and last boxes within a box, at each of its breaks.
    """
    from weasyprint.formatting_structure import boxes

    kinds = () if PAGE_NAME.search(style) else (boxes.Box, boxes.ParentBox, boxes.TableBox)
    before = [kind.page_values for kind in kinds]
    for kind in kinds:
        kind.page_values = lambda _: ("", "")
    try:
        yield
    finally:
        for kind, values in zip(kinds, before, strict=True):
            kind.page_values = values


@contextmanager
def _without_collection() -> Iterator[None]:
    """Look seldom for cycles of objects: nearly all that a layout makes is needed to its end."""
    before = gc.get_threshold()
    gc.set_threshold(RARELY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Collector(logging.Handler):
    """Remembers all that WeasyPrint says."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@contextmanager
def _loud() -> Iterator[None]:
    """Turn what WeasyPrint logs into an error."""
    logger = logging.getLogger("weasyprint")
    collector, handlers, level = _Collector(), logger.handlers, logger.level
    logger.handlers = [collector]
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.handlers = handlers
        logger.setLevel(level)
    if collector.said:
        messages = "; ".join(
            re.sub(r"base64,\S{40,}", "base64,…", m)[:300] for m in collector.said[:5]
        )
        raise RenderingError(f"WeasyPrint, {len(collector.said)} records: {messages}")
