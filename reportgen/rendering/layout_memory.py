"""What WeasyPrint need not set again: lines, texts and blocks that are the same on other pages.

It has no options for that, so that some of its functions are replaced for a while.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

from reportgen.errors import RenderingError

Line = tuple[Any, Any, float, float]  # box, where the next begins, and its column's place

MOST_TRIES = 2_000  # of heights of columns; reports take up to a hundred
NAME = "data-block"
HEADING = re.compile(r"<h[1-6]\b")
FONT = (  # what WeasyPrint asks of a style to break a text
    "font_family", "font_size", "font_style", "font_stretch", "font_weight", "font_kerning",
    "font_variant_ligatures", "font_variant_position", "font_variant_caps", "font_variant_numeric",
    "font_variant_alternates", "font_variant_east_asian", "font_feature_settings",
    "font_variation_settings", "font_language_override", "lang", "direction", "white_space",
    "letter_spacing", "word_spacing", "word_break", "overflow_wrap", "tab_size", "hyphens",
    "hyphenate_character", "hyphenate_limit_chars", "hyphenate_limit_zone", "text_decoration_line",
)  # fmt: skip
FONTS = frozenset(FONT)


class Placed(NamedTuple):
    """A box that was set whole, and where it was to stand."""

    box: Any
    # page, margins, rest: what else `block_level_layout` returned
    page: dict[str, Any]
    margins: tuple[float, ...]
    rest: tuple[Any, ...]
    x: float
    y: float
    height: float  # from there to its end, with what it keeps empty below


def named(html: str) -> str:
    """Return the attribute that tells a block from others, where the block can be set again.

    A heading that has no id may stand in several blocks, all of which the outline has to name.
    """
    if HEADING.search(html) and " id=" not in html:
        return ""
    return f' {NAME}="{hash(html)}"'


@contextmanager
def remembered_lines() -> Iterator[None]:
    """Let WeasyPrint make each line of columns once, however often it balances them.

    It sets all of their text anew for every height that it tries, and goes from half of the text's
    height upwards in steps of a pixel or two: a list of three references is set fifty times. A line
    depends on where in the text it begins and on its column's width; what floats or stands apart is
    set anew.
    Raises RenderingError where it tries without end, as it does for a text many pages high.
    """
    from weasyprint.layout import block

    balance, make = block.columns_layout, block.iter_line_boxes
    known: dict[tuple[Any, ...], Line | None] = {}
    flowing: dict[Any, bool] = {}  # boxes, and whether all in them is in the flow
    tries: Counter[Any] = Counter()  # how often each box of lines was set

    def columns_layout(*args: Any, **kwargs: Any) -> Any:
        try:
            return balance(*args, **kwargs)
        finally:
            for memory in (known, flowing, tries):
                memory.clear()

    def iter_line_boxes(
        context: Any, box: Any, y: float, space: float, begin: Any, column: Any, *others: Any
    ) -> Iterator[tuple[Any, Any]]:
        tries[box] += context.in_column
        if tries[box] > MOST_TRIES:
            raise RenderingError("WeasyPrint cannot set the page (its columns do not balance)")
        is_column = context.in_column and not (context.excluded_shapes or any(others))
        if is_column and box not in flowing:
            flowing[box] = all(part.is_in_normal_flow() for part in box.descendants())
        if not is_column or not flowing[box]:
            yield from make(context, box, y, space, begin, column, *others)
            return
        x = column.content_box_x()
        while True:
            key = (box, column.width, repr(begin))
            if key not in known:
                found = next(make(context, box, y, space, begin, column, *others), None)
                known[key] = found and (found[0].deepcopy(), found[1], x, y)
            if (line := known[key]) is None:
                return
            copy, end = line[0].deepcopy(), line[1]
            copy.translate(x - line[2], y - line[3])
            yield copy, end
            if end is None:
                return
            begin, y = end, copy.position_y + copy.height

    block.columns_layout, block.iter_line_boxes = columns_layout, iter_line_boxes
    try:
        yield
    finally:
        block.columns_layout, block.iter_line_boxes = balance, make


@contextmanager
def remembered_breaks() -> Iterator[None]:
    """Let WeasyPrint break a text of one font and width once, in all pages that it lays out.

    The same words are measured for the least and the usual width of each cell, set on the long page
    and on paper. A text that was set on one line is the same in all widths that hold it. What draws
    a line changes its own copy of it.
    """
    from weasyprint.layout import inline, preferred

    split = inline.split_first_line
    known: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    lines: dict[tuple[Any, ...], tuple[Any, ...]] = {}  # texts on one line, whatever the width
    fonts: dict[str, int] = {}
    styles: dict[int, tuple[Any, int]] = {}  # by id, with the number of their font

    def split_first_line(
        text: str, style: Any, context: Any, width: Any, spacing: Any, *others: Any, **further: Any
    ) -> tuple[Any, ...]:
        if id(style) not in styles:
            source = _font_source(style)
            font = repr([source[name] for name in FONT])
            styles[id(style)] = style, fonts.setdefault(font, len(fonts))
        own = (text, styles[id(style)][1], spacing)
        found = lines.get(own)
        if found is None or width is None or found[3] > width:
            key = (*own, width, others, *further.items())
            found = known.get(key)
            if found is None:
                known[key] = found = split(text, style, context, width, spacing, *others, **further)
                if found[2] is None and (width is None or found[3] <= width):
                    lines[own] = found
        line = copy(found[0])
        line.max_width = width
        return (line, *found[1:])

    inline.split_first_line = preferred.split_first_line = split_first_line
    try:
        yield
    finally:
        inline.split_first_line = preferred.split_first_line = split


def _font_source(style: Any) -> Any:
    """Return the style whose font a style has: its own, or an ancestor's that it inherits."""
    while (parent := style.parent_style) is not None:
        own = FONTS.intersection(vars(style).get("cascaded", ()))
        if own or any(style[name] != parent[name] for name in FONTS.intersection(style)):
            return style
        style = parent
    return style


@contextmanager
def remembered_blocks() -> Iterator[None]:
    """Let WeasyPrint set what stands in a named block once, on all pages that hold it whole.

    A block is measured on the long page, then set on paper, where it is the same unless a page ends
    in it. At the beginning of a page, margins may go. Columns are set anew, as their balance
    depends on how far down the page they begin, by rounding; and so is what floats or stands apart.
    """
    from weasyprint.formatting_structure import boxes
    from weasyprint.layout import block

    set_block = block.block_level_layout
    known: dict[tuple[Any, ...], Placed] = {}

    def block_level_layout(
        context: Any, box: Any, space: float, begin: Any, around: Any, *others: Any, **further: Any
    ) -> Any:
        element: Any = getattr(around, "element", None)
        name = None if element is None else element.get(NAME)
        is_own = name and box.element is not element and begin is None and others and not further
        if not is_own or any(others[4:]) or context.in_column or context.excluded_shapes:
            return set_block(context, box, space, begin, around, *others, **further)
        page_is_empty, _, _, margins = others[:4]
        place = list(element).index(box.element)
        edges = (str(box.style[f"margin_{side}"]) for side in ("top", "bottom"))
        is_at_top = page_is_empty and context.current_page > 1
        key = (name, place, type(box), around.width, is_at_top, *margins, *edges)
        x, y = box.position_x, box.position_y
        before = known.get(key)
        if before is not None and y + before.height <= context.page_bottom - space:
            own = before.box.deepcopy()
            own.translate(x - before.x, y - before.y)
            return own, None, dict(before.page), list(before.margins), *before.rest
        found = set_block(context, box, space, begin, around, *others)
        own, end, page, below, *rest = found
        is_whole = own is not None and end is None and not context.excluded_shapes
        if before is None and is_whole and _is_alone(own, boxes):
            height = own.position_y + own.margin_height() - y
            known[key] = Placed(own, dict(page), tuple(below), tuple(rest), x, y, height)
        return found

    block.block_level_layout = block_level_layout
    try:
        yield
    finally:
        block.block_level_layout = set_block


def _is_alone(box: Any, boxes: Any) -> bool:
    """Whether nothing in a box depends on its place, and a copy of it on nothing in the box."""
    # The columns of a table look for the cells of the table that they were made for.
    return all(
        isinstance(part, boxes.Box)
        and part.is_in_normal_flow()
        and not (part.is_column or part.missing_link or part.footnote or part.note)
        and not getattr(part, "column_groups", ())
        for part in box.descendants(placeholders=True)
    )
