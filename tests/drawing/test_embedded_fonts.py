"""A PDF embeds outlines of letters, and not the tables that lay out text."""

from __future__ import annotations

import re
import zlib
from io import BytesIO

from fontTools.subset import Options
from fontTools.ttLib import TTFont

from reportgen.drawing import Canvas, Sheet
from reportgen.drawing.sheet import DEFAULT, LAYOUT_TABLES
from reportgen.report import Series


def _draw(sheet: Sheet) -> None:
    sheet.begin(100)
    sheet.page().text(10, 10, "efficient AVL ≻ 4")


def test_fonts_of_a_picture_lay_out_nothing() -> None:
    usual = getattr(Options, DEFAULT)
    canvas = Canvas.of(["a"], 1, "d", has_pictures=True)
    pdf = canvas.figure("f", "m", _draw, alt="", data=Series((), ())).pictures["pdf"]
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    plain = [zlib.decompress(own) for own in streams if own[:1] == b"x"]
    fonts = [TTFont(BytesIO(own)) for own in plain if own[:4] == b"\0\1\0\0"]
    assert fonts
    assert not [tag for font in fonts for tag in LAYOUT_TABLES if tag in font]
    assert all("glyf" in font for font in fonts)
    assert getattr(Options, DEFAULT) is usual  # as other programs of the process find it
