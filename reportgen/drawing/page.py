"""What stands anywhere on a sheet: texts, marks, lines and boxes, in points.

It takes the place of axes over the whole sheet, whose spines, ticks and limits nobody would see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure, SubFigure
    from numpy.typing import ArrayLike

Added = TypeVar("Added", bound=Artist)


class PageArtist(Artist):
    """An artist that holds others, which are placed from the upper left corner of a sheet.

    Its methods are called like those of matplotlib's axes.

    `frame`: the sheet.
    `width`, `height`: of the sheet, in points.
    """

    def __init__(self, frame: Figure | SubFigure, width: float, height: float) -> None:
        super().__init__()
        self._frame = frame
        unit = Affine2D().scale(1 / width, -1 / height).translate(0, 1)
        self._points = unit + frame.transSubfigure
        self._face = FontProperties()
        self._artists: list[Artist] = []
        frame.add_artist(self)

    def add_artist(self, artist: Added) -> Added:
        """Add an artist, whose coordinates are points where it has no others."""
        artist.set_figure(self._frame)
        if not artist.is_transform_set():
            artist.set_transform(self._points)
        self._artists.append(artist)
        return artist

    def text(self, x: float, y: float, s: str, **style: Any) -> Text:
        """Write a text."""
        return self.add_artist(Text(x, y, s, **{"fontproperties": self._face} | style))

    def plot(self, x: ArrayLike, y: ArrayLike, /, **style: Any) -> list[Line2D]:
        """Draw a line, or marks."""
        return [self.add_artist(Line2D(np.atleast_1d(x), np.atleast_1d(y), **style))]

    def fill(self, x: ArrayLike, y: ArrayLike, /, **style: Any) -> list[Polygon]:
        """Fill a shape with these corners."""
        return [self.add_artist(Polygon(np.column_stack((x, y)), **style))]

    def get_children(self) -> list[Artist]:
        """Return all that was added."""
        return list(self._artists)

    def get_window_extent(self, renderer: RendererBase | None = None) -> Bbox:
        """Return the edges of the sheet."""
        return Bbox.union([self._frame.bbox])

    def draw(self, renderer: RendererBase) -> None:
        """Draw all that was added, the lowest first."""
        for artist in sorted(self._artists, key=Artist.get_zorder):
            artist.draw(renderer)
