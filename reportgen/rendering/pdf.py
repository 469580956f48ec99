"""The report on paper: the same page, set by WeasyPrint."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reportgen.drawing import candidate_styles, css_variables
from reportgen.errors import RenderingError
from reportgen.rendering.embedding import marker_rules
from reportgen.rendering.fonts import font_css, unknown_letters, with_known_letters
from reportgen.rendering.page import write_pages
from reportgen.rendering.render_context import PDF
from reportgen.rendering.templates import read_text
from reportgen.report import Report

BLANK = re.compile(r"(?<=[^\s>]) (?=<(?:a|b|bdi|span|strong|em|i|code|img)\b)")
log = logging.getLogger(__name__)

STYLES = ("html/base.css", "html/paper.css")


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> Path:
    """Write a report as a tagged PDF.

    Parameters
    ----------
    report : Report
    destination : Path
        The file to write.
    folders : sequence of Path
        Template folders that come before ours.

    Raises
    ------
    RenderingError
        If WeasyPrint is missing, or has anything to say: it goes on after a
        lost picture, a rule it does not know or a missing letter, a report
        must not.
    """
    text, _ = write_pages(report, PDF, folders, {})
    lacking = unknown_letters(text)
    if lacking:
        log.warning("%s: our fonts lack %s, which is shown as �", destination, " ".join(lacking))
    page = with_known_letters(with_own_blanks(text))
    style = style_sheet(report, page)
    with _loud():
        data = _set(page, style)
    destination.write_bytes(data)
    return destination


def style_sheet(report: Report, text: str) -> str:
    """Return the style sheet of a page with such a text."""
    light, _ = css_variables()
    markers = marker_rules(candidate_styles(report.design.candidates).values())
    rules = "\n".join(read_text(name) for name in STYLES)
    return "\n".join((font_css(text), f":root{{{light}}}", markers, rules))


def with_own_blanks(page: str) -> str:
    """Set blanks before elements apart from the text they follow.

    Where a text fits into a line but its last blank does not, WeasyPrint 70 ends
    the line after the text's first word.

    >>> with_own_blanks("<p>x <b>y</b></p>")
    '<p>x<span> </span><b>y</b></p>'
    """
    return BLANK.sub("<span> </span>", page)


def _set(page: str, style: str) -> bytes:
    try:
        from weasyprint import CSS, HTML
        from weasyprint.text.fonts import FontConfiguration
        from weasyprint.urls import URLFetcher
    except (ImportError, OSError) as error:  # OSError: Pango itself is not there
        raise RenderingError(f"the PDF needs WeasyPrint and Pango: {error}") from error
    fonts = FontConfiguration()
    fetcher = URLFetcher(allowed_protocols=("data",))  # the page carries all it needs
    document = HTML(string=page, url_fetcher=fetcher)
    data: bytes = document.write_pdf(
        stylesheets=[CSS(string=style, font_config=fonts, url_fetcher=fetcher)],
        font_config=fonts,
        pdf_variant="pdf/ua-1",
        pdf_tags=True,
    )
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
