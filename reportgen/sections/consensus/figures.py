"""The consensus is told by its order and tables; there is nothing to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.drawing import Canvas
    from reportgen.report import Figure
    from reportgen.sections.consensus.result import ConsensusResult


def draw(result: ConsensusResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw nothing."""
    return ()
