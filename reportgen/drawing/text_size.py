"""How much room a text takes, and the outlines of its letters."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from reportgen.drawing.style import NO_GLYPH, OTHERS, SANS, SIGNS, register_fonts

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

SCALE = 100.0  # pt: the type size at which texts are measured


def text_width(text: str, size: float, *, is_bold: bool = False) -> float:
    """Return how wide a text is in the sans face, in points."""
    weight = 600 if is_bold else "normal"  # as `text_extents` calls it: measured once for both
    return _extents(text, (SANS, SIGNS, OTHERS), "normal", weight)[0] * (size / SCALE)


def text_extents(text: str, face: FontProperties) -> tuple[float, float, float]:
    """Return a text's width, height and descent in points."""
    scale = face.get_size_in_points() / SCALE
    family = tuple(face.get_family())
    width, height, descent = _extents(text, family, face.get_style(), face.get_weight())
    return width * scale, height * scale, descent * scale


@lru_cache(maxsize=8192)
def _extents(
    text: str, family: tuple[str, ...], style: Any, weight: int | str
) -> tuple[float, float, float]:
    """Return a text's width, height and descent at a type size of `SCALE`."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    register_fonts()
    face = FontProperties(family=list(family), style=style, weight=weight, size=SCALE)
    with warnings.catch_warnings():
        # names may be in scripts that none of the faces has
        warnings.filterwarnings("ignore", message=NO_GLYPH)
        return text_to_path.get_text_width_height_descent(text, face, ismath=False)


def line_heights(face: FontProperties) -> tuple[float, float, float]:
    """Return a face's ascent, descent and gap between lines in points, as its file has them."""
    family = tuple(face.get_family())
    up, down, gap, unit = _line_heights(family, face.get_style(), face.get_weight())
    scale = 1 / unit * face.get_size_in_points() * 72 / 72  # to the last bit as matplotlib scales
    return up * scale, down * scale, gap * scale


@lru_cache(maxsize=64)
def _line_heights(
    family: tuple[str, ...], style: Any, weight: int | str
) -> tuple[int, int, int, int]:
    """Return ascent, descent and gap between lines in the units of the face's file, and these."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    register_fonts()
    font = get_font(findfont(FontProperties(family=list(family), style=style, weight=weight)))
    head, lines = font.get_sfnt_table("head"), font.get_sfnt_table("hhea")
    assert head is not None  # every face has both
    assert lines is not None
    unit = head["unitsPerEm"]
    if table := font.get_sfnt_table("OS/2"):
        return table["sTypoAscender"], -table["sTypoDescender"], table["sTypoLineGap"], unit
    return lines["ascent"], -lines["descent"], lines["lineGap"], unit


def glyphs_of(
    text: str, face: FontProperties
) -> tuple[list[tuple[str, float, float]], dict[str, Any]]:
    """Return the name and place of each letter of a text, and the letters' outlines by name.

    Both are those of a type size of `SCALE`.
    """
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.textpath import text_to_path

    files = []
    for family in face.get_family():
        one = face.copy()
        one.set_family(family)
        files.append(findfont(one))
    font = get_font(files)
    font.set_size(SCALE, 72)
    glyphs, outlines, _ = text_to_path.get_glyphs_with_font(font, text)
    return [(name, x, y) for name, x, y, _ in glyphs], outlines
