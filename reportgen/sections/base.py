"""The declaration of a section."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from reportgen.data_classes import dataclass
from reportgen.units import UNITS, names_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from reportgen.drawing import Canvas
    from reportgen.report import Figure, ReportType, Table
    from reportgen.study.schema.options import AnalysisOptions
    from reportgen.warehouse import Warehouse


EVERY_UNIT = tuple(UNITS)
OF_VALUES = names_of(lambda unit: not unit.is_contest)
"""Units whose values are of a candidate by itself; of contests they are against another one."""

Request = Callable[[Any, "Canvas"], Iterator["Figure"]]
"""Draws one kind of figure of a section's result: none where it does not apply."""


@dataclass(frozen=True, slots=True)
class Section:
    """The declaration of a section.

    The package `package` holds the declaration (and `Options`, where the section has any of its
    own), `analysis` (with `analyse` and the class of its result, `applies` where the section does
    not suit all data, `settle` where the data sets' results depend on one another) and `figures`
    (with `draw`, where the section has any, `tabulate` for its tables, `overview` for a table over
    all data sets, and `REQUESTS`, the figures that no report has by itself: the option `figures`
    names those wanted). What is long stands in `options`, `tables` and `requests`, further subjects
    in modules of their own. Each is imported when it is needed.
    Its template is `templates/sections/<name>.md.j2`; another package's section
    brings `<package>/templates/<name>.md.j2`.

    Attributes
    ----------
    name : str
        Name in manifests, template, results.json and the tests.
    package : str
        Import path of the section's folder: its `__name__`.
    condition : callable, optional
        Returns whether the section has a result for such data; without it, `applies` of `analysis`
        does that where it is there. What only lists sections imports no analysis then.
    scope : {"dataset", "study"}
        Whether `analyse` sees one data set at a time or the whole study.
    requires : tuple of str
        Sections whose results `analyse` takes as keyword arguments: the same
        data set's result, or for a study-wide section all of them by data set.
    place : int
        Where it stands in a report whose manifest lists no sections.
    leads : tuple of str
        Kinds of report in which it stands before all others then.
    takes_tables : bool
        Whether it also speaks of a user's own table, which is no experiment.
    has_parts : bool
        Whether `analyse` of a study-wide section takes a `mapper`, which does its
        parts in turn or side by side.
    has_density : bool
        Whether `analyse` takes `density`: a compact result leaves out what no verdict rests on.
    shares_work : bool
        Whether `analyse` takes `n_datasets`, how many there are among which limited work is shared.
    wants : str
        What results must have for the section to apply to them, after "wants"; for the lines
        that list before a run what its report will hold.
    units : tuple of str
        What replications may be, by the names of `reportgen.units`; left out: whatever has a
        value of a candidate by itself.
    """

    name: str
    package: str
    scope: Literal["dataset", "study"]
    requires: tuple[str, ...] = ()
    place: int = 100
    leads: tuple[ReportType, ...] = ()
    takes_tables: bool = False
    has_parts: bool = False
    has_density: bool = False
    shares_work: bool = False
    wants: str = ""
    units: tuple[str, ...] = OF_VALUES
    condition: Callable[[Warehouse], bool] | None = None

    @property
    def options(self) -> type[AnalysisOptions]:
        """The model that checks the section's options in a manifest."""
        from reportgen.study.schema.options import AnalysisOptions

        options: type[AnalysisOptions] = self._find("Options", "", "options") or AnalysisOptions
        return options

    def applies(self, warehouse: Warehouse) -> bool:
        """Whether the section has a result for such data."""
        if (warehouse.is_table and not self.takes_tables) or warehouse.unit.name not in self.units:
            return False
        if self.condition is not None:
            return self.condition(warehouse)
        test = self._find("applies", "analysis")
        return True if test is None else test(warehouse)

    def analyse(
        self, warehouse: Warehouse, options: AnalysisOptions, rng: Generator, **required: Any
    ) -> Any:
        """Compute the result; it holds numbers and names, never words."""
        return self._part("analysis").analyse(warehouse, options, rng, **required)

    @property
    def settles(self) -> bool:
        """Whether the results of all data sets are looked at together before they are used."""
        return self.scope == "dataset" and hasattr(self._part("analysis"), "settle")

    def settle(self, results: Mapping[str, Any], options: AnalysisOptions) -> dict[str, Any]:
        """Return the results of all data sets, by data set, in the light of one another."""
        settled: dict[str, Any] = self._part("analysis").settle(results, options)
        return settled

    def draw(self, result: Any, canvas: Canvas) -> tuple[Figure, ...]:
        """Draw the figures of a result, where the section has any, and those that are requested."""
        usual = self._find("draw", "figures")
        figures: tuple[Figure, ...] = usual(result, canvas) if usual else ()
        wanted = canvas.requested
        if wanted is not None and not wanted:
            return figures
        is_of_one = self.scope == "dataset"  # as many data sets as there are, it is no wider
        asked = replace(canvas, is_on_request=True, phone=canvas.phone or is_of_one)
        draws = (d for name, d in self.requests.items() if wanted is None or name in wanted)
        return (*figures, *(figure for draw in draws for figure in draw(result, asked)))

    @property
    def requests(self) -> Mapping[str, Request]:
        """The figures that no report has by itself: by name, the function that draws each."""
        requests: Mapping[str, Request] = self._find("REQUESTS", "requests", "figures") or {}
        return requests

    def overview(self, results: Mapping[str, Any]) -> tuple[Table, ...]:
        """Lay out a table over all data sets, where the section has one; results by data set."""
        lay_out = getattr(self._part("tables") or self._part("figures"), "overview", None)
        tables: tuple[Table, ...] = lay_out(results) if lay_out else ()
        return tables

    def tabulate(self, result: Any) -> tuple[Table, ...]:
        """Lay out the tables of a result."""
        lay_out = getattr(self._part("tables") or self._part("figures"), "tabulate", None)
        tables: tuple[Table, ...] = lay_out(result) if lay_out else ()
        return tables

    @property
    def folder(self) -> Path:
        """The folder of its code; another package's section has its `templates` there."""
        return Path(str(import_module(self.package).__file__)).parent

    def _find(self, name: str, *parts: str) -> Any:
        """Return what the first of some modules has by this name; None where none has it."""
        for part in parts:
            module = self._part(part)
            if module is not None and hasattr(module, name):
                return getattr(module, name)
        return None

    def _part(self, name: str) -> Any:
        """Return a module of the folder, or the folder itself; None where it is not there."""
        path = f"{self.package}.{name}" if name else self.package
        return import_module(path) if path in sys.modules or find_spec(path) else None
