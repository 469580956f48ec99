"""Columns on paper, whose lines are made once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Line = tuple[Any, Any, float, float]  # box, where the next begins, and its column's place


@contextmanager
def remembered_lines() -> Iterator[None]:
    """Let WeasyPrint make each line of columns once, however often it balances them.

    It sets all of their text anew for every height that it tries, and goes from half of the text's
    height upwards in steps of a pixel or two: a list of three references is set fifty times. It has
    no option for that, so that two of its functions are replaced for a while. A line depends on
    where in the text it begins and on its column's width; what floats or stands apart is set anew.
    """
    from weasyprint.layout import block

    balance, make = block.columns_layout, block.iter_line_boxes
    known: dict[tuple[Any, ...], Line | None] = {}

    def columns_layout(*args: Any, **kwargs: Any) -> Any:
        known.clear()
        result = balance(*args, **kwargs)
        known.clear()
        return result

    def iter_line_boxes(
        context: Any, box: Any, y: float, space: float, begin: Any, column: Any, *others: Any
    ) -> Iterator[tuple[Any, Any]]:
        is_column = context.in_column and not (context.excluded_shapes or any(others))
        if not is_column or any(not part.is_in_normal_flow() for part in box.descendants()):
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
