"""One sheet to draw on: matplotlib in the house style, measured in points.

Draws many boxes or lines as one shape, so that a drawing of thousands stays small.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing.label_placement import Point
from reportgen.drawing.style import LABEL, PHONE_WIDTH, TICK, CandidateStyle, colour
from reportgen.drawing.text_size import text_width

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure as Drawing
    from matplotlib.figure import SubFigure

    from reportgen.drawing.page import PageArtist

ELLIPSIS = "…"
WORD = re.compile(r"[^\W_]+[\W_]*|^[\W_]+")
NO_DATES = {"CreationDate": None, "Creator": None, "Producer": None}

LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "kern")
DEFAULT = "_drop_tables_default"  # of fontTools, which has no public name for it


class Sheet:
    """A sheet of one width on which a figure is drawn.

    A drawing function first calls `begin` with the height it needs and then
    adds axes; all lengths are points. What it draws with `**sheet.dense`
    becomes an image where there is too much of it.

    `dpi`: resolution of the dense layer as an image; 0 leaves it vector.
    `is_dark`: whether it is drawn in the dark colours; only its images are used then.
    `colours`: by name, where they are not the house's.
    """

    def __init__(
        self,
        styles: Mapping[str, CandidateStyle],
        width: float,
        *,
        dpi: int = 0,
        is_dark: bool = False,
        colours: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.styles = styles
        self._colours = colours
        self.width = width
        self.height = 0.0
        self.is_dark = is_dark
        self._dpi = dpi
        self.dense: Mapping[str, Any] = {"rasterized": dpi > 0}
        self._drawing: Drawing | None = None
        self._frame: SubFigure | None = None

    @classmethod
    def within(cls, styles: Mapping[str, CandidateStyle], axes: Axes) -> Sheet:
        """Return a sheet in the place of axes of a grid, which are removed.

        Raises ValueError if the axes are in no grid.
        """
        spec = axes.get_subplotspec()
        whole = axes.get_figure(root=True)
        if spec is None or whole is None:
            raise ValueError("found axes without a place in a grid; allowed those of subplots()")
        axes.remove()
        frame = whole.add_subfigure(spec)
        box = frame.bbox
        sheet = cls(styles, float(72 * box.width / whole.dpi))
        sheet._drawing, sheet._frame = whole, frame
        return sheet

    @property
    def drawing(self) -> Drawing:
        """The figure that was drawn.

        Raises RuntimeError if nothing was drawn.
        """
        if self._drawing is None:
            raise RuntimeError("nothing was drawn")
        return self._drawing

    @property
    def is_phone(self) -> bool:
        """Whether there is little room."""
        return self.width <= PHONE_WIDTH

    @property
    def label(self) -> float:
        """Type size of names: smaller on a phone."""
        return TICK if self.is_phone else LABEL

    def colour(self, name: str) -> str:
        """Return a colour by its name."""
        return self._colours.get(name) or colour(name, dark=self.is_dark)

    def ink(self, candidate: str) -> str:
        """Return the colour of a candidate's marks and lines."""
        return self.colour(self.styles[candidate].ink)

    def wash(self, candidate: str) -> str:
        """Return the colour of a candidate's grounds."""
        return self.colour(self.styles[candidate].wash)

    def mark(self, candidate: str, size: float = 6.0) -> dict[str, Any]:
        """Return matplotlib's arguments for a candidate's marker."""
        style = self.styles[candidate]
        return {
            "marker": style.shape,
            "markersize": style.scaled(size),
            "markerfacecolor": self.colour(style.face),
            "markeredgecolor": self.colour(style.ink),
            "markeredgewidth": style.rim * min(1.0, size / 6),
            "linestyle": "none",
        }

    def link(self, artist: Artist | None, *candidates: str) -> None:
        """Mark what belongs to a candidate, or to a pair of candidates, so that a page can link it.

        `artist`: best a collection or line that holds all of a candidate's marks; None where there
        are none.
        `candidates`: one or two names.
        """
        if artist is not None:
            artist.set_gid("-".join(["c", *(str(self.styles[name].index) for name in candidates)]))

    def link_datasets(
        self, artist: Artist | None, datasets: Sequence[str], *candidates: str
    ) -> None:
        """Mark what belongs to data sets, so that a page can link it.

        `artist`: the name of one data set, or a line of one mark a data set, in their order.
        `candidates`: whose marks they are, one or two.
        """
        if artist is None:
            return
        whose = "-".join(["", "c", *(str(self.styles[name].index) for name in candidates)])
        names = ",".join(quote(plain(name), safe="") for name in datasets)
        artist.set_gid(f"d{whose if candidates else ''}:{names}")

    def link_replications(self, artist: Collection, *candidates: str, of: int = 0) -> None:
        """Mark a collection with one mark a replication, in the order of the replications.

        `artist`: of marks at its offsets, or of lines, which are not changed afterwards. A mark
        that is missing is a NaN, a line that is missing has no points or only NaN.
        `candidates`: whose marks they are, one or two; none for lines through all candidates.
        `of`: how many replications there are; marks of a part of them are the candidates' alone.
        """
        from matplotlib.collections import LineCollection

        whose = "-".join(["", "c", *(str(self.styles[name].index) for name in candidates)])
        whose = whose if candidates else ""
        marks: NDArray[np.float64] = np.ma.filled(
            np.ma.asarray(artist.get_offsets(), float), np.nan
        )
        lines = [path.vertices for path in artist.get_paths()]
        is_line = isinstance(artist, LineCollection)
        is_there = [np.isfinite(x).all(axis=-1).any() for x in (lines if is_line else marks)]
        if len(is_there) < of:
            if candidates:
                self.link(artist, *candidates)
            return
        missing = ",".join(str(b) for b, found in enumerate(is_there) if not found)
        artist.set_gid(f"r{whose}:{len(is_there)}:{missing}")

    def begin(self, height: float) -> None:
        """Take a sheet of this height."""
        from reportgen.drawing.page import DisplayedFigure

        self.height = height
        if self._frame is None:
            self._drawing = DisplayedFigure(figsize=(self.width / 72, height / 72))

    @property
    def _paper(self) -> Drawing | SubFigure:
        if self._drawing is None:
            raise RuntimeError("begin() gives a sheet its height before anything is drawn")
        return self._frame or self._drawing

    def axes(self, left: float, bottom: float, right: float, top: float) -> Axes:
        """Return new axes with these margins."""
        from reportgen.drawing.page import SheetAxes

        w, h = self.width, self.height
        box = (left / w, bottom / h, (w - left - right) / w, (h - top - bottom) / h)
        return self._paper.add_axes(box, axes_class=SheetAxes)

    def page(self) -> PageArtist:
        """Return the whole sheet, on which points are counted from its upper left corner."""
        from reportgen.drawing.page import PageArtist

        return PageArtist(self._paper, self.width, self.height)

    def elements(self, dpi: int | None = None, *, has_outlines: bool = False) -> Element:
        """Return the drawing as elements of SVG, for `for_screen` and `for_print`.

        `dpi`: of images, where it is not their own.
        `has_outlines`: whether outlines stand in place of letters.
        """
        from reportgen.drawing.renderer import svg_elements

        return svg_elements(self.drawing, dpi or self._dpi or 72, has_outlines=has_outlines)

    def to_pdf(self) -> bytes:
        """Return the drawing as PDF with its fonts."""
        from matplotlib import rc_context

        buffer = io.BytesIO()
        with rc_context({"pdf.fonttype": 42}), without_layout():
            self.drawing.savefig(buffer, format="pdf", metadata=NO_DATES, dpi=self._dpi or 72)
        return buffer.getvalue()

    def to_png(self, dpi: int) -> bytes:
        """Return the drawing as an image on white."""
        buffer = io.BytesIO()
        self.drawing.savefig(
            buffer, format="png", dpi=dpi, facecolor="white", metadata={"Software": None}
        )
        return buffer.getvalue()


def plain(text: str) -> str:
    r"""Return untrusted text in one line, without characters that no drawing can hold.

    Examples
    --------
    >>> plain("random\n forest\x07")
    'random forest'
    """
    visible = (
        " " if unicodedata.category(c)[0] in "CZ" and c not in "\u200c\u200d" else c for c in text
    )
    return " ".join("".join(visible).split())


def shorten_text(text: str, width: float, size: float, *, is_bold: bool = False) -> str:
    """Return the text, shortened with an ellipsis until it is no wider than `width` points."""
    text = plain(text)
    if text_width(text, size, is_bold=is_bold) <= width:
        return text
    low, high = 0, len(text)  # the longest beginning that fits, by bisection
    while low < high:
        middle = (low + high + 1) // 2
        shorter = text[:middle].rstrip() + ELLIPSIS
        if text_width(shorter, size, is_bold=is_bold) <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + ELLIPSIS


def shorten_names(names: Sequence[str], width: float, size: float) -> dict[str, str]:
    """Return every name as it fits into `width`.

    Where one does not, all lose the words that all have in front or behind; then
    what is still too long its end, or its middle where ends tell names apart.

    Examples
    --------
    >>> names = [f"gradient boosting, depth {i}, learning rate 0.1" for i in (3, 12)]
    >>> list(shorten_names(names, 100, 9).values())
    ['depth 3', 'depth 12']
    """
    texts = _without_shared({name: plain(name) for name in names}, width, size)
    short = {name: shorten_text(text, width, size) for name, text in texts.items()}
    for shorten in (_with_end, _without_start(list(texts.values()))):
        met = Counter(short.values())
        if max(met.values(), default=1) == 1:
            break
        short = {
            name: text if met[text] == 1 else shorten(texts[name], width, size)
            for name, text in short.items()
        }
    return short


def _without_shared(texts: Mapping[str, str], width: float, size: float) -> Mapping[str, str]:
    """Leave out the words that all have in front or behind, but for one where that fits."""
    if len(texts) < 2 or max(text_width(text, size) for text in texts.values()) <= width:
        return texts
    words = {name: WORD.findall(text) for name, text in texts.items()}
    front = _n_shared(list(words.values()))
    back = _n_shared([w[front:][::-1] for w in words.values()])
    for start in (max(front - 1, 0), front):
        cut = {name: _bare("".join(w[start : len(w) - back])) for name, w in words.items()}
        if max(text_width(text, size) for text in cut.values()) <= width:
            break
    is_told = all(cut.values()) and len(set(cut.values())) == len(cut)
    return cut if is_told else texts


def _n_shared(words: Sequence[Sequence[str]]) -> int:
    """Return how many words all begin with."""
    columns = zip(*words, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _bare(text: str) -> str:
    """Leave out what stood between words, and a bracket without its other."""
    text = text.strip(" -_.,;:=")
    for bracket, other, end in (("(", ")", text[:1]), (")", "(", text[-1:])):
        if end == bracket and other not in text:
            text = text.strip(bracket)
    return text


def _without_start(names: Sequence[str]) -> Callable[[str, float, float], str]:
    """Leave out the words that all names begin with."""
    columns = zip(*(plain(name) for name in names), strict=False)
    start = "".join(c[0] for c in takewhile(lambda c: len(set(c)) == 1, columns))
    n = max(start.rfind(mark) for mark in " (,=") + 1

    def shorten(text: str, width: float, size: float) -> str:
        return shorten_text(ELLIPSIS + text[n:], width, size) if n else _with_end(text, width, size)

    return shorten


def _with_end(text: str, width: float, size: float) -> str:
    """Leave out the middle: two long names often differ at their ends."""
    for n in range(len(text) - 1, 1, -1):
        candidate = text[: n - n // 2].rstrip() + ELLIPSIS + text[-(n // 2) :].lstrip()
        if text_width(candidate, size) <= width:
            return candidate
    return shorten_text(text, width, size)


START, GO_ON, CLOSE = 1, 2, 79  # codes of matplotlib's paths


def fill_boxes(
    axes: Axes | PageArtist,
    boxes: Sequence[tuple[float, float, float, float]],
    colour: str,
    **settings: Any,
) -> Artist | None:
    """Fill boxes (x, y, width, height) in one colour; return their one shape, if there are any."""
    if not boxes:
        return None
    corners = [
        corner
        for x, y, width, height in boxes
        for corner in ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
    ]
    codes = [START, *[GO_ON] * 3, CLOSE] * len(boxes)
    return _add(
        axes, corners, codes, {"facecolor": colour, "edgecolor": "none", "lw": 0} | settings
    )


def draw_lines(
    axes: Axes | PageArtist,
    lines: Sequence[Sequence[Point]],
    colour: str,
    width: float,
    **settings: Any,
) -> Artist | None:
    """Draw lines through points, in one colour and width; return them, if there are any."""
    if not lines:
        return None
    points = [point for line in lines for point in line]
    codes = [c for line in lines for c in (START, *[GO_ON] * (len(line) - 1))]
    style = {"facecolor": "none", "edgecolor": colour, "lw": width} | settings
    return _add(axes, points, codes, style)


def _add(
    axes: Axes | PageArtist, points: Sequence[Point], codes: Sequence[Any], style: dict[str, Any]
) -> Artist:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    # as an artist: a patch would be searched, edge by edge, for limits that all axes have already
    return axes.add_artist(PathPatch(Path(points, np.array(codes, dtype=np.uint8)), **style))


@contextmanager
def without_layout() -> Iterator[None]:
    """Have fontTools leave the tables out, where it says by this name what it leaves out."""
    from fontTools.subset import Options

    usual = getattr(Options, DEFAULT, None)
    if not isinstance(usual, list):
        yield
        return
    setattr(Options, DEFAULT, [*usual, *(t for t in LAYOUT_TABLES if t not in usual)])
    try:
        yield
    finally:
        setattr(Options, DEFAULT, usual)
