"""Many boxes or lines as one shape: a drawing of thousands of them stays small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]


def fill_boxes(
    axes: Axes, boxes: Sequence[tuple[float, float, float, float]], colour: str, **settings: Any
) -> None:
    """Fill boxes (x, y, width, height) in one colour."""
    if not boxes:
        return
    corners = [
        corner
        for x, y, width, height in boxes
        for corner in ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
    ]
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(boxes)
    _add(axes, corners, codes, {"facecolor": colour, "edgecolor": "none", "lw": 0} | settings)


def draw_lines(
    axes: Axes, lines: Sequence[Sequence[Point]], colour: str, width: float, **settings: Any
) -> None:
    """Draw lines through points, in one colour and width."""
    if not lines:
        return
    points = [point for line in lines for point in line]
    codes = [c for line in lines for c in (Path.MOVETO, *[Path.LINETO] * (len(line) - 1))]
    _add(axes, points, codes, {"facecolor": "none", "edgecolor": colour, "lw": width} | settings)


def _add(axes: Axes, points: Sequence[Point], codes: Sequence[Any], style: dict[str, Any]) -> None:
    # as an artist: a patch would be searched, edge by edge, for limits that all axes have already
    axes.add_artist(PathPatch(Path(points, np.array(codes, dtype=np.uint8)), **style))
