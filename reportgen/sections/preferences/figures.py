"""The preferences are told by orders and a table; there is nothing to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.drawing import Canvas
    from reportgen.report import Figure
    from reportgen.sections.preferences.result import PreferencesResult


def draw(result: PreferencesResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw nothing."""
    return ()
