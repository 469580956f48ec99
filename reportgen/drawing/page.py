"""What stands anywhere on a sheet: texts, marks, lines and boxes, in points.

It takes the place of axes over the whole sheet, whose spines, ticks and limits nobody would see.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Polygon
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox

from reportgen.drawing.style import house_settings

if TYPE_CHECKING:
    from matplotlib.axis import Tick
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import SubFigure
    from matplotlib.typing import CapStyleType
    from numpy.typing import ArrayLike

    from reportgen.stats.arrays import Array

Added = TypeVar("Added", bound=Artist)


class DisplayedFigure(Figure):
    """A figure that is SVG in a notebook, whatever back end matplotlib has."""

    def _repr_svg_(self) -> str:
        """Return the figure as SVG."""
        buffer = io.StringIO()
        with house_settings(), rc_context({"svg.fonttype": "path", "text.hinting": "none"}):
            self.savefig(buffer, format="svg", metadata={"Date": None})
        return buffer.getvalue()


class _LateTicks(Axis):
    """An axis whose ticks are made where one is drawn.

    Matplotlib makes four for all axes, which take half the time of making these: to give a style
    to what most axes do not have.
    """

    def set_clip_path(self, path: Any, transform: Any = None) -> None:
        """Clip the ticks that there are."""
        with self._as_they_are():
            super().set_clip_path(path, transform)

    def set_tick_params(self, which: Any = "major", reset: bool = False, **settings: Any) -> None:
        """Give a style to the ticks that there are, and to those that there will be."""
        with self._as_they_are():
            super().set_tick_params(which, reset, **settings)

    def get_major_ticks(self, numticks: int | None = None) -> list[Tick]:
        """Return so many ticks."""
        return [] if numticks == 0 else super().get_major_ticks(numticks)

    def get_minor_ticks(self, numticks: int | None = None) -> list[Tick]:
        """Return so many small ticks."""
        return [] if numticks == 0 else super().get_minor_ticks(numticks)

    def _update_label_position(self, renderer: RendererBase) -> None:
        if self.label.get_text():  # without a name there is no place to look for, past all ticks
            super()._update_label_position(renderer)  # type: ignore[misc]

    def _get_tick(self, major: bool) -> Tick:
        tick: Tick = super()._get_tick(major)  # type: ignore[misc]
        tick.set_clip_path(self.axes.patch)
        return tick

    @contextmanager
    def _as_they_are(self) -> Iterator[None]:
        """Have no tick made by who asks for all of them."""
        unmade = [name for name in ("majorTicks", "minorTicks") if name not in vars(self)]
        for name in unmade:
            setattr(self, name, [])
        try:
            yield
        finally:
            for name in unmade:
                vars(self).pop(name, None)


class _LateXAxis(_LateTicks, XAxis):
    pass


class _LateYAxis(_LateTicks, YAxis):
    pass


class SheetAxes(Axes):
    """Axes on a sheet, whose ticks are made where one is drawn."""

    def _init_axis(self) -> None:
        super()._init_axis()  # type: ignore[misc]
        self.xaxis.__class__, self.yaxis.__class__ = _LateXAxis, _LateYAxis


class _Points(Artist):
    """What a drawing may have hundreds of: `Line2D` takes several times as long.

    Its points are asked for like those of a `Line2D`.
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, zorder: float) -> None:
        super().__init__()
        self.set_zorder(zorder)
        self._points = Path(np.column_stack((x, y)))

    def set_clip_path(self, path: Any, transform: Any = None) -> None:
        """Do without, also where axes have one for all."""

    def get_xdata(self) -> Array:
        """Return where the points lie along the first axis."""
        return np.asarray(self._points.vertices)[:, 0]

    def get_ydata(self) -> Array:
        """Return where the points lie along the second axis."""
        return np.asarray(self._points.vertices)[:, 1]


class Stroke(_Points):
    """A solid line that nothing clips."""

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        color: str,
        lw: float,
        alpha: float | None = None,
        solid_capstyle: CapStyleType = "butt",
        zorder: float = Line2D.zorder,
    ) -> None:
        super().__init__(x, y, zorder)
        self._colour, self._width, self._ends = to_rgba(color, alpha), lw, solid_capstyle

    def draw(self, renderer: RendererBase) -> None:
        """Draw the line."""
        renderer.open_group("stroke", self.get_gid())
        gc = renderer.new_gc()
        gc.set_linewidth(self._width)
        gc.set_foreground(self._colour, isRGBA=True)
        gc.set_joinstyle("round")
        gc.set_capstyle(self._ends)
        place: Any = self.get_transform()
        line = place.transform_path_non_affine(self._points)
        renderer.draw_path(gc, line, place.get_affine().frozen())
        gc.restore()
        renderer.close_group("stroke")


class Mark(_Points):
    """A mark that nothing clips, or one at several places: of what `Sheet.mark` returns."""

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        marker: str,
        markersize: float,
        markerfacecolor: str,
        markeredgecolor: str,
        markeredgewidth: float,
        linestyle: Literal["none"] = "none",
        zorder: float = Line2D.zorder,
    ) -> None:
        super().__init__(x, y, zorder)
        self._look, self._size, self._rim = _look(marker), markersize, markeredgewidth
        self._face, self._edge = to_rgba(markerfacecolor), to_rgba(markeredgecolor)

    def draw(self, renderer: RendererBase) -> None:
        """Draw the mark."""
        renderer.open_group("mark", self.get_gid())
        look, size = self._look, cast("float", renderer.points_to_pixels(self._size))
        snap: Any = look.get_snap_threshold()
        gc = renderer.new_gc()
        gc.set_linewidth(self._rim)
        gc.set_foreground(self._edge, isRGBA=True)
        gc.set_snap(snap if snap is None else size >= snap)
        gc.set_joinstyle(look.get_joinstyle())
        gc.set_capstyle(look.get_capstyle())
        shape: Any = look.get_transform()
        place: Any = self.get_transform()
        places = place.transform_path_non_affine(self._points)
        affine = place.get_affine().frozen()
        renderer.draw_markers(gc, look.get_path(), shape.scale(size), places, affine, self._face)
        gc.restore()
        renderer.close_group("mark")


@cache
def _look(marker: str) -> MarkerStyle:
    """Return how a marker looks; what it returns of itself are copies."""
    return MarkerStyle(marker, "full")


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

    def mark(self, x: float, y: float, **look: Any) -> Mark:
        """Draw a mark."""
        return self.add_artist(Mark(x, y, **look))

    def stroke(self, x: ArrayLike, y: ArrayLike, /, **style: Any) -> Stroke:
        """Draw a solid line."""
        return self.add_artist(Stroke(x, y, **style))

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
