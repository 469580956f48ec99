"""What a page carries inside it: drawings, data to save, formulas, markers."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.drawing import CandidateStyle, marker_path
from reportgen.errors import RenderingError
from reportgen.rendering import formulas
from reportgen.rendering.fonts import with_known_letters
from reportgen.rendering.layout import colour, painted
from reportgen.rendering.markup import html_text
from reportgen.rendering.tables import comma_separated_parts, table_series
from reportgen.report import Layout, Series, Table

PACK_ABOVE = 6000  # bytes; a larger file is embedded compressed
MOST_EMBEDDED = 2_000_000  # bytes, a third of it compressed; a larger file is left to the run's
HOUSE = Layout()
FORMULA_SIZE = 10.4  # pt; mathtext's letters beside those of the text's 10 pt
TAG = re.compile(r"<svg\b")


@dataclass(frozen=True, slots=True)
class Download:
    """A file inside the page, to be saved by a reader."""

    name: str
    href: str  # "" of a file that is too large for a page
    # Whether it is compressed; a script unpacks it, without one it is saved as `.csv.gz`.
    is_packed: bool
    n_rows: int = 0


def download(anchor: str, series: Series) -> Download:
    """Embed rows as a CSV file."""
    stem = anchor.partition("-")[2] or anchor
    data = b""
    for part in comma_separated_parts(series.columns, series.rows):
        data += part.encode()
        if len(data) > MOST_EMBEDDED:
            return Download(f"{stem}.csv", "", False, len(series.rows))
    if len(data) <= PACK_ABOVE:
        return Download(f"{stem}.csv", _uri("text/csv;charset=utf-8", data), False)
    packed = gzip.compress(data, compresslevel=9, mtime=0)
    return Download(f"{stem}.csv.gz", _uri("application/gzip", packed), True)


def table_download(anchor: str, table: Table) -> Download:
    """Embed a table as a CSV file."""
    return download(anchor, table_series(table))


def _uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def svg_uri(svg: str) -> str:
    """Embed a drawing as a picture, for paper."""
    return _uri("image/svg+xml", with_known_letters(svg).encode())


def svg_of(uri: str) -> str:
    """Return the drawing that `svg_uri` has embedded."""
    return base64.b64decode(uri.partition(",")[2]).decode()


def inline_drawing(svg: str, css_class: str, alt: str) -> Markup:
    """Put a drawing into the page, with what is told to those who cannot see it."""
    if not TAG.match(svg):
        raise RenderingError(f"a drawing begins with {svg[:40]!r} in place of <svg")
    attributes = f'<svg class="{css_class}" role="img" aria-label="{html_text(alt)}"'
    return Markup(TAG.sub(lambda _: attributes, svg, count=1).replace("\n", " "))


def mathml(tex: str, alt: str, display: bool) -> Markup:
    """Write a formula for a browser."""
    return formulas.mathml(tex, alt, is_display=display)


def formula_picture(layout: Layout, tex: str, alt: str, display: bool) -> Markup:
    """Write a formula for paper: a drawing that stands on the line of writing."""
    svg, width, height, depth = formulas.drawing(tex, FORMULA_SIZE)
    svg = painted(layout, svg)
    picture = Markup('<img class="formula" src="{}" alt="{}" style="{}">').format(
        svg_uri(svg),
        alt,
        f"width:{width:.2f}pt;height:{height:.2f}pt;vertical-align:{-depth:.2f}pt",
    )
    return Markup('<p class="display">{}</p>').format(picture) if display else picture


def marker_symbols(styles: Iterable[CandidateStyle]) -> Markup:
    """Draw every candidate's marker once, to be used by `#m<index>`."""
    symbols = "".join(
        f'<symbol id="m{style.index}" viewBox="-7 -7 14 14">{_marker(style, _variable)}</symbol>'
        for style in styles
    )
    return Markup(f'<svg class="defs" aria-hidden="true" focusable="false">{symbols}</svg>')


def marker_rules(styles: Iterable[CandidateStyle], layout: Layout) -> str:
    """Write the rules that put a marker behind `.m<index>`: on paper a picture needs a text."""
    paint = partial(colour, layout)
    rules = []
    for style in styles:
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-7 -7 14 14" width="14" height="14">'
            f"{_marker(style, paint)}</svg>"
        )
        rules.append(f".m{style.index}{{background-image:url({svg_uri(svg)})}}")
    return "".join(rules)


def _variable(name: str) -> str:
    return f"var(--{name})"


def _marker(style: CandidateStyle, paint: Callable[[str], str]) -> str:
    rim = f' stroke="{paint(style.ink)}" stroke-width="{style.rim}"' if style.rim else ""
    return f'<path d="{marker_path(style)}" fill="{paint(style.face)}"{rim}/>'


def extras(layout: Layout = HOUSE) -> dict[str, Any]:
    """Return what the pieces of HTML and PDF need of this module."""
    return {
        "csv": download,
        "table_csv": table_download,
        "drawing": inline_drawing,
        "svg_uri": svg_uri,
        "formula_mathml": mathml,
        "formula_image": partial(formula_picture, layout),
    }
