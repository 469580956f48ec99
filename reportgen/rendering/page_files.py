"""The files beside a page that carries nothing inside it, for hosts that allow nothing inline.

Such hosts send a content security policy like that of Jenkins: styles and images of their own, no
scripts, no fonts. The page then has a style sheet, drawings and data as files, and the system's
faces. What needs a script is not there.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import field
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.drawing import palette
from reportgen.drawing.svg import still_drawing
from reportgen.rendering.embedding import Download, extras
from reportgen.rendering.fonts import drawing_css
from reportgen.rendering.tables import comma_separated, table_series
from reportgen.report import Layout, Series, Table

STYLE = "style.css"
PLACE = "\ue004"  # stands for the way to the folder, in markup alone: plain text loses it
DIGITS = 12  # of a digest, as the name of a drawing
ENDINGS = {"image/svg+xml": "svg", "image/png": "png"}


@dataclass(frozen=True, slots=True)
class PageFiles:
    """Collects the files of a page while its text is written."""

    layout: Layout  # its colours are those of the drawings
    drawings: dict[str, str] = field(default_factory=dict)  # drawings of pages by their names
    # Other files, by their paths in the folder.
    data: dict[str, bytes] = field(default_factory=dict)

    def extras(self) -> dict[str, Any]:
        """Return what the pieces of HTML need, in place of what embeds."""
        return extras(self.layout) | {
            "csv": self.download,
            "table_csv": self.table_download,
            "drawing": self.picture,
        }

    def download(self, anchor: str, series: Series) -> Download:
        """Write rows as a CSV file."""
        name = f"{anchor}.csv"
        self.data[f"data/{name}"] = comma_separated(series.columns, series.rows).encode()
        return Download(name, Markup(f"{PLACE}/data/{name}"), is_packed=False)

    def table_download(self, anchor: str, table: Table) -> Download:
        """Write a table as a CSV file."""
        return self.download(anchor, table_series(table))

    def picture(self, svg: str, css_class: str, alt: str) -> Markup:
        """Write a drawing as two files, for light and for dark pages."""
        name = sha256(svg.encode()).hexdigest()[:DIGITS]
        self.drawings[name] = svg
        size = ElementTree.fromstring(svg).attrib
        return Markup(
            '<picture class="{}"><source media="screen and (prefers-color-scheme: dark)" '
            'srcset="{}-dark.svg"><img src="{}.svg" alt="{}" width="{}" height="{}"></picture>'
        ).format(
            css_class,
            *2 * (f"{PLACE}/figures/{name}",),
            " ".join(alt.split()),
            size.get("width", ""),
            size.get("height", ""),
        )

    def logo(self, uri: str) -> Markup:
        """Write a picture that is a data URI as a file, and return its address."""
        kind, _, data = uri.removeprefix("data:").partition(";base64,")
        if not data:
            return Markup("")
        name = f"logo.{ENDINGS[kind]}"
        self.data[name] = base64.b64decode(data)
        return Markup(f"{PLACE}/{name}")

    def written(self, style: str) -> dict[str, bytes]:
        """Return all files by their paths in the folder.

        `style`: the style sheet of the pages.
        """
        texts = {STYLE: style} | self._pictures()
        return self.data | {name: text.encode() for name, text in texts.items()}

    def _pictures(self) -> dict[str, str]:
        """Return the drawings with their colours, and with the letters that they have."""
        letters = "".join(sorted(set("".join(self.drawings.values()))))
        faces = drawing_css(letters) if self.drawings else ""
        return {
            f"figures/{name}{ending}.svg": still_drawing(svg, paint, is_dark=is_dark, style=faces)
            for is_dark, ending in ((False, ""), (True, "-dark"))
            for paint in (_painter(self.layout, is_dark=is_dark),)
            for name, svg in self.drawings.items()
        }


def _painter(layout: Layout, *, is_dark: bool) -> Callable[[str], str]:
    """Return what gives the colour of a name on light or on dark pages."""
    own: Mapping[str, str] = layout.dark if is_dark else layout.light
    house = palette()
    return lambda name: own.get(name, house[name][is_dark]) if name in house else "none"
