"""Figures and tables of a report, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from reportgen.drawing.canvas import Canvas, Draw
from reportgen.errors import StudyError
from reportgen.report import Figure, Series, Table
from reportgen.study.errors import describe_unknown, listed, shown
from reportgen.units import REPLICATION, Unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from reportgen.drawing import Sheet
    from reportgen.section_runner import SectionRunner
    from reportgen.sections.base import Section

ALIASES = {"intervals": "pairs"}
MOST_SHOWN = 6  # measures and data sets in an error


class _Entry(Protocol):
    """A figure or a table by its section, name, measure and data set."""

    @property
    def section(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def dataset(self) -> str | None: ...


Entry = TypeVar("Entry", bound=_Entry)


@dataclass(frozen=True)
class FigureEntry:
    """A figure that a section draws; it is of all data sets where it has none."""

    section: str
    name: str
    measure: str
    dataset: str | None
    draw: Draw = field(repr=False)


@dataclass(frozen=True)
class TableEntry:
    """A table of a section."""

    section: str
    dataset: str | None
    table: Table

    @property
    def name(self) -> str:
        """Its name."""
        return self.table.name

    @property
    def measure(self) -> str:
        """Its measure; "" where of none."""
        return self.table.measure


class Contents:
    """Figures and tables of the sections of a report, each made when it is looked at.

    Parameters
    ----------
    sections : mapping of str to Section
        Those of the report, in the order in which something is looked for.
    candidates : sequence of str
    runner : SectionRunner
    unit : Unit
    """

    def __init__(
        self,
        sections: Mapping[str, Section],
        candidates: Sequence[str],
        runner: SectionRunner,
        unit: Unit = REPLICATION,
    ) -> None:
        self._sections, self._candidates, self._runner = sections, candidates, runner
        self._unit: Unit = unit

    def figures(self, *sections: str, requested: frozenset[str] | None = None) -> list[FigureEntry]:
        """Return the figures of some sections, or of all, not drawn.

        `requested`: those among them that no report has by itself, by name; None: all of them.
        """
        names = [name for name in self._sections if not sections or name in sections]
        return [entry for name in names for entry in self._figures_of(name, requested)]

    def _figures_of(
        self, name: str, requested: frozenset[str] | None = None
    ) -> Iterator[FigureEntry]:
        """Yield the figures of one section, of each data set or of the study."""
        for dataset, result in self._runner.results(name).items():
            canvas = _Capture.of(self._candidates, 1, name, unit=self._unit)
            self._sections[name].draw(result, replace(canvas, requested=requested))
            for figure, measure, draw in canvas.kept:
                yield FigureEntry(name, figure, measure, dataset, draw)

    def draw(
        self,
        name: str,
        measure: str | None,
        dataset: str | None,
        *,
        ax: Axes | None = None,
        width: float | None = None,
    ) -> Drawing:
        """Draw one figure: the first that fits, in the order of the sections.

        Raises
        ------
        StudyError
            If there is none.
        """
        known = ALIASES.get(_text("figure", name), name)
        entry = self._find(self._figures_of, known, measure, dataset, "figure")
        sheet = self.sheet(entry, ax=ax, width=width)
        if ax is None:
            sheet.drawing.set_facecolor(sheet.colour("paper"))
        return sheet.drawing

    def sheet(
        self, entry: FigureEntry, *, ax: Axes | None = None, width: float | None = None
    ) -> Sheet:
        """Return the sheet on which a figure is drawn."""
        from reportgen.drawing import TEXT_WIDTH, Sheet, candidate_styles
        from reportgen.drawing.style import house_settings

        styles = candidate_styles(self._candidates)
        with house_settings():
            sheet = Sheet(styles, width or TEXT_WIDTH) if ax is None else Sheet.within(styles, ax)
            entry.draw(sheet)
        return sheet

    def table(self, name: str, measure: str | None, dataset: str | None) -> TableEntry:
        """Return one table: the first that fits, in the order of the sections.

        Raises
        ------
        StudyError
            If there is none.
        """
        return self._find(self._tables_of, name, measure, dataset, "table")

    def table_names(self) -> tuple[str, ...]:
        """Return the names of all tables."""
        found = (entry.name for section in self._sections for entry in self._tables_of(section))
        return tuple(dict.fromkeys(found))

    def _tables_of(self, section: str) -> Iterator[TableEntry]:
        """Yield the tables of one section, of each data set or of the study."""
        for dataset, result in self._runner.results(section).items():
            for table in self._sections[section].tabulate(result):
                yield TableEntry(section, dataset, table)

    def _find(
        self,
        entries_of: Callable[[str], Iterator[Entry]],
        name: str,
        measure: str | None,
        dataset: str | None,
        kind: str,
    ) -> Entry:
        """Return the first entry of a name, measure and data set, in the order of the sections."""
        # <section>-<name> is a name, too. What comes after it is not computed.
        _text(kind, name)
        met: list[Entry] = []
        named: list[Entry] = []
        for section in self._sections:
            met += entries_of(section)
            named = [e for e in met if name in (e.name, f"{e.section}-{e.name}")]
            fitting = [
                e for e in named if measure in (None, e.measure) and dataset in (None, e.dataset)
            ]
            if fitting:
                first = min(fitting, key=lambda e: e.dataset is not None)
                _check_is_one(first, fitting, kind)
                return first
        if not named:
            names = dict.fromkeys(e.name for e in met)
            raise StudyError(describe_unknown(kind, name, names))
        known = [f"{e.measure or 'all measures'} on {e.dataset or 'all data sets'}" for e in named]
        wanted = f"of {measure or 'any measure'} on {dataset or 'any data set'}"
        allowed = listed(known[:MOST_SHOWN])
        raise StudyError(f"found no {kind} {shown(name)} {wanted}; allowed {allowed}")


def _text(kind: str, name: Any) -> str:
    """Return a name; refuse what is no text."""
    if not isinstance(name, str):
        raise StudyError(f"{kind}: found {shown(name)}; allowed text, its name")
    return name


def _check_is_one(first: _Entry, fitting: Sequence[_Entry], kind: str) -> None:
    """Refuse to choose one of several data sets."""
    names = tuple(dict.fromkeys(e.dataset for e in fitting if e.dataset is not None))
    if first.dataset is not None and len(names) > 1:
        found = f"the {kind} {shown(first.name)} on {len(names)} data sets and none chosen"
        raise StudyError(f"found {found}; allowed dataset= one of {listed(names)}")


@dataclass(frozen=True)
class _Capture(Canvas):
    """A canvas that keeps name, measure and drawing function of each figure, and draws none."""

    kept: list[tuple[str, str, Draw]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        candidates: Sequence[str],
        n_datasets: int,
        prefix: str,
        *_: Any,
        unit: Unit = REPLICATION,
        **__: Any,
    ) -> _Capture:
        """Return the canvas of one data set, or of the study."""
        styles = Canvas.of(candidates, n_datasets, prefix).styles
        return cls(styles, prefix, unit=unit)

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
        """Keep a figure."""
        self.kept.append((name, measure, draw))
        return Figure(name, measure, alt, data, screen="", print="")
