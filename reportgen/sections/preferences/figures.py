"""Figures of the preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.document import Figure
    from reportgen.drawing import Canvas
    from reportgen.sections.preferences.result import PreferencesResult


def draw(result: PreferencesResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw nothing yet."""
    return ()
