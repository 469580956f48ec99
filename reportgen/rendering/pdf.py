"""The report on paper, set by WeasyPrint: an article and its supplement, or everything in one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup

from reportgen.drawing import candidate_styles, css_variables
from reportgen.errors import RenderingError
from reportgen.rendering.composition import compose
from reportgen.rendering.embedding import extras, marker_rules
from reportgen.rendering.fonts import font_css, unknown_letters, with_known_letters
from reportgen.rendering.page import page_variables
from reportgen.rendering.pagination import Block, blocks_of, paginate
from reportgen.rendering.render_context import PDF, RenderContext
from reportgen.rendering.templates import read_text
from reportgen.report import Report

BLANK = re.compile(r"(?<=[^\s>]) (?=<(?:a|b|bdi|span|strong|em|i|code|img)\b)")
ID = re.compile(r'\bid="([^"]+)"')
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)
LINK = re.compile(r'<a\b([^>]*?)\shref="#([^"]+)"([^>]*)>(.*?)</a>', re.DOTALL)
log = logging.getLogger(__name__)

STYLES = ("html/base.css", "html/paper.css")
SUPPLEMENT = "supplement.pdf"

PX = 96 / 25.4  # CSS pixels in a millimetre
PAGE = (297 - 19 - 18) * PX - 5  # height of the type area, with room for rounding
ROLL = "@page { size: 210mm 40000mm }"  # paper on which every block can be measured

TAGGED: Any = {"pdf_variant": "pdf/ua-1", "pdf_tags": True}

Document = Literal["article", "supplement", "full"]


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Write a report as a tagged PDF, and the supplement of an article as another beside it.

    Parameters
    ----------
    report : Report
    destination : Path
        The file to write.
    folders : sequence of Path
        Template folders that come before ours.

    Returns
    -------
    tuple of Path
        The files.

    Raises
    ------
    RenderingError
        If WeasyPrint is missing, or logs anything: it goes on after a lost picture, a rule it
        does not know or a missing letter, a report must not.
    """
    context = RenderContext(report, PDF, folders, extras())
    composition = compose(context)
    variables = page_variables(context, composition)
    documents: dict[Document, Path] = {"full": destination}
    if context.is_article:
        documents = {"article": destination, "supplement": destination.with_name(SUPPLEMENT)}
    for document, path in documents.items():
        path.write_bytes(_set_document(context, variables, document, path))
    return tuple(documents.values())


def _set_document(
    context: RenderContext, variables: dict[str, Any], document: Document, path: Path
) -> bytes:
    """Return one file."""
    blocks = _prepared(_blocks(context, variables, document), path)
    text = "".join(block.html for block in blocks)
    style = style_sheet(context.report, text)
    with _loud():
        if document == "article":
            body = _paginated(blocks, style)
        else:
            body = "".join(f'<div class="blk">{block.html}</div>' for block in blocks)
        page = context.page_template("html/document.html.j2").render(
            variables | {"document": document, "body": Markup(body)}
        )
        return _set(page, style)


def _blocks(
    context: RenderContext, variables: dict[str, Any], document: Document
) -> tuple[Block, ...]:
    """Return the blocks of a document, whose links lead to places in it."""
    module: Any = context.page_template("html/paper.html.j2").make_module(
        variables | {"document": document}
    )
    body = str(module.body())
    contents = () if document == "article" else HEADING.findall(body)
    front = str(module.front([(anchor, Markup(title)) for anchor, title in contents]))
    references = variables["c"].references_in(front + body)
    end = str(module.references(references)) + str(module.closing())
    blocks = (Block("words", front), *blocks_of(body + end))
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
    lacking = unknown_letters("".join(block.html for block in blocks))
    if lacking:
        log.warning("%s: our fonts lack %s, which is shown as �", path, " ".join(lacking))
    return [Block(b.kind, with_known_letters(with_own_blanks(b.html))) for b in blocks]


def _paginated(blocks: Sequence[Block], style: str) -> str:
    """Return the blocks in the order and with the page breaks that waste the least paper."""
    marks = "".join(
        f'<div class="blk" id="blk-{n}">{ID.sub("", block.html)}</div>'
        for n, block in enumerate(blocks)
    )
    roll = _lay_out(
        f'<html lang="en"><body class="article"><main>{marks}<div id="blk-{len(blocks)}"></div>'
        "</main></body></html>",
        style + ROLL,
    )
    tops = [roll.pages[0].anchors[f"blk-{n}"][1] for n in range(len(blocks) + 1)]
    heights = [below - top for top, below in pairwise(tops)]
    pages = paginate(blocks, heights, PAGE)
    return "".join(
        f'<div class="blk{" new" if begins else ""}">{block.html}</div>'
        for block, begins in pages.blocks
    )


def style_sheet(report: Report, text: str) -> str:
    """Return the style sheet of a page with such a text."""
    light, _ = css_variables()
    markers = marker_rules(candidate_styles(report.design.candidates).values())
    rules = "\n".join(read_text(name) for name in STYLES)
    return "\n".join((font_css(text, "ttf"), f":root{{{light}}}", markers, rules))


def with_own_blanks(page: str) -> str:
    """Set blanks before elements apart from the text they follow.

    Where a text fits into a line but its last blank does not, WeasyPrint 70 ends
    the line after the text's first word.

    >>> with_own_blanks("<p>x <b>y</b></p>")
    '<p>x<span> </span><b>y</b></p>'
    """
    return BLANK.sub("<span> </span>", page)


def _lay_out(page: str, style: str) -> Any:
    """Return a page as WeasyPrint lays it out."""
    try:
        from weasyprint import CSS, HTML
        from weasyprint.text.fonts import FontConfiguration
        from weasyprint.urls import URLFetcher
    except (ImportError, OSError) as error:  # OSError: Pango itself is not there
        raise RenderingError(f"the PDF needs WeasyPrint and Pango: {error}") from error
    fonts = FontConfiguration()
    fetcher = URLFetcher(allowed_protocols=("data",))  # the page carries all it needs
    sheet = CSS(string=style, font_config=fonts, url_fetcher=fetcher)
    html = HTML(string=page, url_fetcher=fetcher)
    return html.render(stylesheets=[sheet], font_config=fonts, **TAGGED)


def _set(page: str, style: str) -> bytes:
    """Return a page as PDF."""
    data: bytes = _lay_out(page, style).write_pdf(**TAGGED)
    return data


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
