"""Cells of a table as plain words, for files that no template writes."""

from __future__ import annotations

from functools import cache
from typing import Any

from markupsafe import Markup

from reportgen.rendering.cells import Cell
from reportgen.rendering.templates import environment, get_template


def said(cell: Cell) -> str:
    """Return what a cell says, not escaped."""
    if cell.kind == "pair":
        return " – ".join(cell.parts)
    if cell.kind == "order":
        return " ".join(cell.parts)
    if cell.kind == "decision":
        return str(_words().decision(cell.parts))
    return cell.parts[0] if cell.parts else cell.text


@cache
def _words() -> Any:
    """Return the words that every back end uses for the same thing."""
    return get_template(environment((), Markup, in_markdown=False), "words.j2").module
