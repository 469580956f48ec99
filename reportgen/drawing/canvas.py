"""Drawing of sections: a sheet to draw on, and the finished figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar
from xml.etree.ElementTree import Element
from zlib import crc32

from reportgen.data_classes import dataclass
from reportgen.drawing.sheet import Sheet
from reportgen.drawing.style import (
    HALF_WIDTH,
    HOUSE,
    PHONE_WIDTH,
    TEXT_WIDTH,
    CandidateStyle,
    FigureTheme,
    candidate_styles,
    house_settings,
)
from reportgen.drawing.svg import for_print, for_screen
from reportgen.fit_issues import DrawingFault, reason_of, traceback_of
from reportgen.formats import Density, Figures
from reportgen.report import Figure, Series
from reportgen.units import REPLICATION, Unit, in_words

COMPACT_FROM = 6  # data sets: from here on one drawing a figure, one theme, the main measure only
DRAWN_ONCE_FROM = 51  # and from here on each figure is drawn once, for screen and paper alike
VECTOR_ON_PAPER = 12_000  # marks up to which the dense layer stays vector in print
VECTOR_ON_SCREEN = 12_000  # and on a screen, where gathered marks cost some six bytes each
CROWDED_DPI = 100
DPI = (200, 144, 100, 72)  # of images: the first that the budget allows
LONGEST_REASON = 300  # characters of an exception's message
BUDGET = 75_000  # bytes of a drawing on a compact canvas
PNG_DPI = 220

Result = TypeVar("Result")

Draw = Callable[[Sheet], None]
"""Draws one figure on a sheet, whatever the sheet's width."""


GROUND = '<rect width="100%" height="100%" fill="#ffffff"/>'
"""Below a picture of another document, whose page may be dark."""


@dataclass(frozen=True, slots=True)
class Record:
    """The outcome of one section's figures of one data set, or of the study."""

    section: str
    dataset: str | None
    # In the order in which they were drawn, with those that could not be.
    figures: list[Figure] = field(default_factory=list)
    faults: list[DrawingFault] = field(default_factory=list)

    def add(self, error: Exception, figure: str = "", measure: str = "") -> DrawingFault:
        """Take down why a figure could not be drawn, or those that were still to be."""
        place = (self.section, self.dataset, figure, measure)
        fault = DrawingFault(*place, reason_of(error), traceback_of(error))
        self.faults.append(fault)
        return fault


@dataclass(frozen=True, slots=True)
class Canvas:
    """The facts that a section needs to draw."""

    styles: Mapping[str, CandidateStyle]  # the candidates' looks, in the study's order
    # What the ids of its drawings begin with: another one for every data set of a report.
    prefix: str
    # Compact: of the main measure only, the small figures of an entry.
    density: Density = "full"
    # phone, dark: Whether a drawing at phone width, and dense layers for dark pages, are made.
    phone: bool = True
    dark: bool = True
    # Whether one drawing serves screen and paper: with very many data sets, drawing is what takes
    # longest.
    once: bool = False
    # Whether the report is of several data sets: each has an entry with small figures.
    is_one_of_many: bool = False
    # What is drawn: for screen and paper, for paper only, or nothing, where no format of the report
    # shows figures.
    media: Figures = "all"
    theme: FigureTheme = HOUSE
    has_pictures: bool = False  # whether each figure is made as files of other documents, too
    unit: Unit = REPLICATION  # what the figures' words call replications and data sets
    # Keeps what was drawn, so that an exception costs its own figure only; without one it is
    # raised.
    record: Record | None = None
    # Figures that no report has by itself and that are wanted, by name; None: all of them.
    requested: frozenset[str] | None = frozenset()
    is_on_request: bool = False  # whether what is drawn now was requested

    @classmethod
    def of(
        cls,
        candidates: Sequence[str],
        n_datasets: int,
        prefix: str,
        media: Figures = "all",
        *,
        theme: FigureTheme = HOUSE,
        has_pictures: bool = False,
        unit: Unit = REPLICATION,
    ) -> Canvas:
        """Return the canvas of one data set (or of the study) of a report."""
        density: Density = "compact" if n_datasets >= COMPACT_FROM else "full"
        return cls(
            candidate_styles(candidates),
            prefix,
            density,
            phone=density == "full",
            dark=density == "full",
            once=n_datasets >= DRAWN_ONCE_FROM,
            is_one_of_many=n_datasets > 1,
            media=media,
            theme=theme,
            has_pictures=has_pictures,
            unit=unit,
        )

    def words(self, text: str) -> str:
        """Return a text without names in the words for what the study counts."""
        return in_words(text, self.unit)

    @property
    def _plain(self) -> FigureTheme:
        """The theme without its colours, which pages put in place of the house's."""
        return replace(self.theme, colours={})

    def of_measures(self, results: Iterable[Result]) -> list[Result]:
        """Return the results of the measures of which requested figures are drawn.

        They are the main measure's in a report, and all where one figure is asked for at a time.
        """
        found = list(results)
        return found if self.requested is None else found[:1]

    def figure(
        self,
        name: str,
        measure: str,
        draw: Draw,
        *,
        alt: str,
        data: Series,
        n_marks: int = 0,
        is_small: bool = False,
    ) -> Figure:
        """Draw a figure in all the variants that are requested.

        `name`, `measure`: its key within the section's content.
        `draw`: called with one sheet a variant.
        `alt`: the text for a reader who cannot see it.
        `data`: what is drawn.
        `n_marks`: number of marks in its dense layer (what it draws with `**sheet.dense`); it
        decides where that layer becomes an image.
        `is_small`: whether it is as wide as one of two columns everywhere, and laid out as on a
        phone.
        Result: with a record, of an exception while it is drawn: one that has its `fault` and no
        drawing.
        """
        if self.record is None:
            figure = self._drawn(name, measure, draw, alt, data, n_marks, is_small=is_small)
            return replace(figure, is_requested=self.is_on_request)
        try:
            figure = self._drawn(name, measure, draw, alt, data, n_marks, is_small=is_small)
        except MemoryError:
            raise
        except Exception as error:
            fault = self.record.add(error, name, measure)
            figure = Figure(name, measure, alt, data, screen="", print="", fault=fault.reason)
        figure = replace(figure, is_requested=self.is_on_request)
        self.record.figures.append(figure)
        return figure

    def _drawn(
        self,
        name: str,
        measure: str,
        draw: Draw,
        alt: str,
        data: Series,
        n_marks: int,
        *,
        is_small: bool,
    ) -> Figure:
        """Draw a figure in all variants."""
        if self.media == "none":
            return Figure(name, measure, alt, data, screen="", print="")
        width = HALF_WIDTH if is_small else TEXT_WIDTH
        key = self._key(name, measure)
        drawings = _Drawings(self, draw)
        if self.once:
            with house_settings(self._plain):
                dpi = CROWDED_DPI if n_marks > VECTOR_ON_PAPER else 0
                raw = drawings.raw(width, dpi)
                screen = for_screen(raw, key, has_replications=False)
                paper = for_print(raw, key)
                pictures = self._pictures(drawings, width, key, dpi)
            return Figure(name, measure, alt, data, screen=screen, print=paper, pictures=pictures)
        on_paper = DPI[0] if n_marks > VECTOR_ON_PAPER else 0
        if self.media == "paper":
            with house_settings(self._plain):
                paper = for_print(drawings.raw(width, on_paper), key)
                pictures = self._pictures(drawings, width, key, on_paper)
            return Figure(name, measure, alt, data, screen="", print=paper, pictures=pictures)
        with house_settings(self._plain):
            return Figure(
                name,
                measure,
                alt,
                data,
                screen=self._on_screen(drawings, width, key, n_marks),
                print=for_print(drawings.raw(width, on_paper), key),
                phone=self._on_screen(drawings, PHONE_WIDTH, f"{key}-p", n_marks)
                if self.phone and not is_small
                else None,
                pictures=self._pictures(drawings, width, key, on_paper),
            )

    def pictures(self, draw: Draw) -> Mapping[str, bytes]:
        """Return a drawing of the width of the text as files of other documents, by their kind."""
        with house_settings(self._plain):
            return self._files(_Drawings(self, draw), TEXT_WIDTH, self.prefix, 0)

    def _pictures(
        self, drawings: _Drawings, width: float, key: str, dpi: int
    ) -> Mapping[str, bytes]:
        """Return the drawing as files of other documents, where they are wanted."""
        return self._files(drawings, width, key, dpi) if self.has_pictures else {}

    def _files(self, drawings: _Drawings, width: float, key: str, dpi: int) -> Mapping[str, bytes]:
        """Return the drawing as files of other documents."""
        outlined = for_print(drawings.sheet(width, dpi).elements(has_outlines=True), f"{key}-o")
        with house_settings(self.theme):
            sheet = drawings.sheet(width, dpi, is_painted=True)
            pictures = {"pdf": sheet.to_pdf(), "png": sheet.to_png(PNG_DPI)}
        head, mark, rest = outlined.partition(">")
        return {"svg": f"{head}{mark}{GROUND}{rest}\n".encode(), **pictures}

    def _on_screen(self, drawings: _Drawings, width: float, key: str, n_marks: int) -> str:
        """Return the drawing with its dense layer as vector, or as image where that is smaller."""
        if n_marks <= VECTOR_ON_SCREEN:
            is_alone = not self.is_one_of_many  # only its marks are linked to the explorer
            vector = for_screen(drawings.raw(width), key, has_replications=is_alone)
            if not n_marks or self._is_affordable(vector):
                return vector
        least = 0.0
        for dpi in DPI:
            if least * dpi**2 > BUDGET and dpi != DPI[-1]:
                continue
            light = drawings.raw(width, dpi)
            dark = drawings.raw(width, dpi, dark=True) if self.dark else None
            drawn = for_screen(light, key, dark)
            if self._is_affordable(drawn):
                break
            # an image shrinks at most as its pixels do
            least = len(drawn.encode()) / dpi**2
        return drawn

    def _is_affordable(self, drawn: str) -> bool:
        return self.density == "full" or len(drawn.encode()) <= BUDGET

    def _key(self, name: str, measure: str) -> str:
        """Return what the drawing's ids begin with: safe in markup, and its own."""
        plain = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", part) for part in (self.prefix, name))
        return f"{plain}-{crc32(measure.encode()):08x}" if measure else plain


class _Drawings:
    """One figure as matplotlib writes it: drawn once a width, theme and way of its dense layer."""

    # Only the image of a dense layer depends on the resolution, so that all resolutions are of one
    # drawing, and screen and paper share what they can.

    def __init__(self, canvas: Canvas, draw: Draw) -> None:
        self._canvas, self._draw = canvas, draw
        self._sheets: dict[tuple[float, bool, bool, bool], Sheet] = {}
        self._written: dict[tuple[float, int, bool], Element] = {}

    def raw(self, width: float, dpi: int = 0, *, dark: bool = False) -> Element:
        """Return the drawing; a dense layer becomes an image where it has a resolution."""
        key = (width, dpi, dark)
        if key not in self._written:
            self._written[key] = self.sheet(width, dpi, dark=dark).elements(dpi)
        return self._written[key]

    def sheet(
        self, width: float, dpi: int = 0, *, dark: bool = False, is_painted: bool = False
    ) -> Sheet:
        """Return the sheet with the drawing; its resolution is that of the first who asked."""
        canvas = self._canvas
        colours = canvas.theme.colours if is_painted else {}
        key = (width, dpi > 0, dark, bool(colours))
        if key not in self._sheets:
            sheet = Sheet(
                canvas.styles,
                width,
                dpi=dpi,
                is_dark=dark,
                colours=colours,
            )
            self._draw(sheet)
            self._sheets[key] = sheet
        return self._sheets[key]
