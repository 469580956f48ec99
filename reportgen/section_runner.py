"""The sections of a report: chosen, then analysed, drawn and tabulated."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from reportgen.errors import AnalysisError, ReportgenError, StudyError
from reportgen.fit_issues import DrawingFault, SectionFault, reason_of, traceback_of
from reportgen.formats import Density
from reportgen.progress import counted, stage
from reportgen.report import Figure, SectionContent, Table, report_type_of
from reportgen.sections.base import Section
from reportgen.sections.datasets import Mapper, in_turn
from reportgen.stats.arrays import ALLOWED_SIZES
from reportgen.streams import stream
from reportgen.study.errors import listed, shown
from reportgen.study.looks import Looks, looks_of
from reportgen.study.manifest import EXPECTATIONS, SectionChoice, Study
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from reportgen.warehouse.missing import keep
from reportgen.warehouse.rows import row_of_odd_size

if TYPE_CHECKING:
    from reportgen.drawing import Canvas, FigureTheme
    from reportgen.formats import Figures

log = logging.getLogger(__name__)


def chosen_sections(
    study: Study,
    sections: Mapping[str, Section],
    warehouse: Warehouse,
    names: Sequence[str] | None = None,
) -> tuple[SectionChoice, ...]:
    """Return the sections the report shall have, with their options.

    `sections`: every section there is.
    `warehouse`: where the study lists no sections: those that apply to it.
    `names`: in place of the study's, in this order; each has to be in `sections`.
    """
    models = {name: section.options for name, section in sections.items()}
    choices = study.choices(models)
    if warehouse.is_table:
        asked = [c.name for c in choices if study.sections or c.name == EXPECTATIONS]
        wanted = names if names is not None else asked
        _check_take_tables(wanted, sections)
    if names is not None:
        given = {choice.name: replace(choice, is_listed=True) for choice in choices}
        default = study.default_options
        return tuple(given.get(n) or SectionChoice(n, default(models[n])) for n in names)
    if study.sections is not None:
        return choices
    found = (c for c in choices if sections[c.name].applies(warehouse))
    report_type = report_type_of(
        warehouse.n_replications,
        len(warehouse.candidates),
        is_table=warehouse.is_table,
        has_spreads=warehouse.unit.is_summary,
    )
    return tuple(sorted(found, key=lambda c: report_type not in sections[c.name].leads))


def with_required(names: Iterable[str], sections: Mapping[str, Section]) -> tuple[str, ...]:
    """Return sections and those that they require, which are analysed for them."""
    found: dict[str, None] = {}
    for name in names:
        found.update(dict.fromkeys((*with_required(sections[name].requires, sections), name)))
    return tuple(found)


def _check_take_tables(names: Iterable[str], sections: Mapping[str, Section]) -> None:
    """Refuse sections that speak of experiments only."""
    taking = [name for name, section in sections.items() if section.takes_tables]
    for name in names:
        if name not in taking:
            raise StudyError(
                f"sections: found {shown(name)} with results: table; allowed {listed(taking)}, "
                "as a table is no experiment"
            )


def make_contents(
    study: Study,
    sections: Mapping[str, Section],
    chosen: Sequence[SectionChoice],
    warehouse: Warehouse,
    mapper: Mapper = in_turn,
    media: Figures = "all",
    *,
    theme: FigureTheme | None = None,
    has_pictures: bool = False,
) -> Iterator[SectionContent | SectionFault]:
    """Analyse, draw and tabulate every chosen section, once or for every data set.

    What could not be computed is yielded last, a fault a section.

    `sections`: every section there is: what is chosen may require others.
    `mapper`: does the data sets' analyses and drawings, in turn or side by side.
    `media`: what figures are drawn for.
    `theme`: of figures; the house's when omitted.
    `has_pictures`: whether each figure is made as files of other documents, too.
    """
    options = {choice.name: choice.options for choice in chosen}
    maker = SectionRunner(
        *(study, sections, warehouse, options, mapper, media),
        theme=theme,
        has_pictures=has_pictures,
    )
    listed = {choice.name for choice in chosen if choice.is_listed}
    for content in maker.contents([choice.name for choice in chosen]):
        yield replace(content, is_listed=content.name in listed)
    yield from maker.faults


class SectionRunner:
    """Runs the sections of one report; each is analysed once, when it or another needs it.

    `sections`: every section there is.
    `options`: of the sections that were chosen; the others have their defaults.
    `mapper`: does the data sets' analyses and drawings, in turn or side by side.
    `media`: what figures are drawn for.
    `theme`: of figures; the house's when omitted.
    `density`: compact: sections that can leave out what no verdict rests on.
    `has_pictures`: whether each figure is made as files of other documents, too.
    Raises AnalysisError if floating point cannot tell the values from one another, or add them.
    """

    def __init__(
        self,
        study: Study,
        sections: Mapping[str, Section],
        warehouse: Warehouse,
        options: Mapping[str, AnalysisOptions],
        mapper: Mapper = in_turn,
        media: Figures = "all",
        *,
        theme: FigureTheme | None = None,
        density: Density = "full",
        has_pictures: bool = False,
    ) -> None:
        check_sizes(warehouse)
        self._media = media
        self._theme = theme
        self._has_pictures = has_pictures
        self._density = density
        self._study = study
        self._sections = sections
        self._warehouse = warehouse
        self._options = options
        self._map = mapper
        self._results: dict[str, dict[Any, Any]] = {}
        self._faults: dict[str, SectionFault] = {}
        self._restricted: dict[tuple[str, str | None], Warehouse] = {}
        self._wanted: tuple[str, ...] = ()  # what is to be analysed
        self._shown: tuple[str, ...] = ()  # and drawn
        # Of data sets: workers may begin with them long before they are asked for.
        self._analysed: dict[str, Iterator[Any]] = {}
        self._drawn: dict[str, Iterator[Any]] = {}

    @property
    def faults(self) -> tuple[SectionFault, ...]:
        """The sections that could not be computed so far, in the order of what is wanted."""
        order = {name: place for place, name in enumerate(self._wanted)}
        found = self._faults.values()
        return tuple(sorted(found, key=lambda fault: order.get(fault.section, len(order))))

    def results(self, name: str) -> Mapping[str | None, Any]:
        """Return a section's results, by data set, or under None of the study.

        Raises AnalysisError where they could not be computed.
        """
        self._analyse(name)
        if name in self._faults:
            raise AnalysisError(f"section {name}: {self._faults[name].words}")
        return self._results[name]

    def inputs(
        self, name: str, needs: Sequence[str]
    ) -> tuple[Warehouse, AnalysisOptions, dict[str, Any]]:
        """Return values, options and results of others that a section of the whole study has.

        `needs`: the sections whose results it builds on, where they apply.
        """
        options, fitting = self._of(name), self._fitting(needs)
        for need in fitting:
            self.results(need)
        return self._under(options, None), options, self._results_of(fitting, None)

    def content(self, name: str, dataset: str | None) -> SectionContent:
        """Return a result as content of a report, neither drawn nor tabulated."""
        return SectionContent(name, dataset, self.results(name)[dataset], self._of(name))

    def contents(self, names: Sequence[str]) -> Iterator[SectionContent]:
        """Yield the contents of sections, each for all that it is computed for.

        Those that could not be computed are left out: see `faults`.
        """
        self._wanted = with_required(names, self._sections)
        self._shown = tuple(names)
        for name in names:
            self._analyse(name)
        there = [name for name in names if name not in self._faults]
        tasks = [(name, dataset) for name in there for dataset in self._results[name]]
        with stage("drawing", is_long=True):
            others = iter(self._drawings([task for task in tasks if task[0] not in self._drawn]))
            drawn = (next(self._drawn.get(name, others)) for name, _ in tasks)
            parts = "parts of sections" if len(tasks) > len(there) else "sections"
            laid_out = list(zip(tasks, counted(drawn, len(tasks), parts), strict=True))
            overviews = {n: _or_fault(n, None, partial(self._overview, n)) for n in there}
        for found in (*(drawn for _, drawn in laid_out), *overviews.values()):
            if isinstance(found, SectionFault):
                self._lose(found.section, found)
        for (name, dataset), found in laid_out:
            if name in self._faults:
                continue
            figures, tables, faults = found
            result = self._results[name][dataset]
            overview = overviews[name] if dataset == self._warehouse.datasets[0] else ()
            _log_faults(faults)
            _log_missing(name, dataset, self._named(name) - {figure.name for figure in figures})
            yield SectionContent(
                name, dataset, result, self._of(name), figures, tables, overview, faults
            )

    @cached_property
    def _looks(self) -> Looks | None:
        """What was planned, which is sought in all data sets once."""
        return looks_of(self._warehouse)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The place of each data set, from 1."""
        return {name: k for k, name in enumerate(self._warehouse.datasets, start=1)}

    def _canvas(self, name: str, dataset: str | None) -> Canvas:
        from reportgen.drawing import HOUSE, Canvas

        datasets = self._warehouse.datasets
        number = 0 if dataset is None else self._numbers[dataset]
        canvas = Canvas.of(
            self._warehouse.candidates,
            len(datasets),
            f"{name}-{number}",
            self._media,
            theme=self._theme or HOUSE,
            has_pictures=self._has_pictures,
            unit=self._warehouse.unit,
        )
        is_full = self._study.report.length == "full"
        has_all = is_full and not (canvas.density == "compact" and dataset is not None)
        requested = frozenset(self._sections[name].requests) if has_all else self._named(name)
        has_phone = canvas.phone or dataset is None  # of many data sets their own figures have none
        return replace(canvas, phone=has_phone, requested=requested)

    def _named(self, name: str) -> frozenset[str]:
        """Return the figures on request that the manifest names below a section."""
        return frozenset(getattr(self._of(name), "figures", ()))

    def _overview(self, name: str) -> tuple[Table, ...]:
        """Return the tables over all data sets, where there are several."""
        results = self._results[name]
        return self._sections[name].overview(results) if len(results) > 1 else ()

    def _of(self, name: str) -> AnalysisOptions:
        """Return a section's options; of one that is only required, its defaults."""
        model = self._sections[name].options
        options = self._options.get(name) or self._study.default_options(model)
        looks = self._looks
        return options if looks is None else options.at_look(looks.level(options.alpha))

    def _analyse(self, name: str) -> None:
        """Compute a section's results, after those that it requires; or take down its fault."""
        if name in self._results or name in self._faults:
            return
        section, options = self._sections[name], self._of(name)
        needs = self._needs(section)
        for need in needs:
            self._analyse(need)
        lost = next((need for need in needs if need in self._faults), None)
        if lost is not None:
            self._lose(name, SectionFault(name, None, "", needs=lost))
            return
        self._begin_analyses()
        if section.scope == "study":
            self._collect_analyses()
        scopes = self._scopes(section)
        with stage(f"analysing {name}", is_long=True):
            found = self._analysed.pop(name, None) or self._analyses(section, scopes)
            counts = counted(found, len(scopes), "data sets")
            results: dict[Any, Any] = dict(zip(scopes, counts, strict=True))
        fault = next((r for r in results.values() if isinstance(r, SectionFault)), None)
        if fault is not None:
            self._lose(name, fault)
            return
        settle = partial(section.settle, results, options) if section.settles else lambda: results
        settled = _or_fault(name, None, settle)
        if isinstance(settled, SectionFault):
            self._lose(name, settled)
            return
        self._results[name] = settled
        if section.scope == "dataset" and name in self._shown:
            self._drawn[name] = iter(self._drawings([(name, dataset) for dataset in settled]))

    def _begin_analyses(self) -> None:
        """Begin with all sections of data sets whose needs are there."""
        known = {*self._results, *self._faults, *self._analysed}
        for name in (name for name in self._wanted if name not in known):
            section = self._sections[name]
            has_needs = all(need in self._results for need in self._needs(section))
            if section.scope == "dataset" and has_needs:
                self._analysed[name] = iter(self._analyses(section, self._scopes(section)))

    def _collect_analyses(self) -> None:
        """Take what is made of data sets: workers draw it while the study is analysed."""
        made = [name for name, found in self._analysed.items() if getattr(found, "is_made", False)]
        for name in made:
            self._analyse(name)

    def _drawings(self, tasks: Sequence[tuple[str, str | None]]) -> Iterable[Any]:
        """Draw results, each of a section and a data set, in parallel where possible."""
        return self._map(
            _draw_task,
            [self._sections[name] for name, _ in tasks],
            [self._results[name][dataset] for name, dataset in tasks],
            [self._canvas(name, dataset) for name, dataset in tasks],
            [dataset for _, dataset in tasks],
        )

    def _lose(self, name: str, fault: SectionFault) -> None:
        """Take down the first fault of a section, which the report then lacks."""
        if name not in self._faults:
            section = self._sections[name]
            applies = _or_fault(name, None, partial(section.applies, self._warehouse))
            if fault.needs is None and applies is False:
                fault = replace(fault, reason=f"it wants {section.wants}; {fault.reason}")
            self._faults[name] = fault
            where = name if fault.dataset is None else f"{name} of {fault.dataset}"
            log.error("%s: the section could not be computed (%s)", where, fault.words)
            log.debug("%s", fault.traceback)

    def _analyses(self, section: Section, scopes: Sequence[str | None]) -> Iterable[Any]:
        """Analyse for all that a section is computed for, in parallel where possible."""
        options = self._of(section.name)
        if section.has_parts:
            required = self._required_results(section, None) | {"mapper": self._map_parts}
            whole = self._under(options, None)
            return [_analyse_task(section, whole, options, self._study.seed, None, required)]
        return self._map(
            _analyse_task,
            repeat(section),
            [self._under(options, dataset) for dataset in scopes],
            repeat(options),
            repeat(self._study.seed),
            scopes,
            [self._required_results(section, dataset) for dataset in scopes],
        )

    def _map_parts(self, function: Any, *tasks: Iterable[Any]) -> Iterable[Any]:
        """Do the parts of one section's analysis, and tell the progress of each."""
        listed = [*zip(*tasks, strict=False)]
        if not listed:
            return iter(())
        found = self._map(function, *zip(*listed, strict=True))
        return counted(found, len(listed), "parts")

    def _needs(self, section: Section) -> tuple[str, ...]:
        """Return the sections that a section requires, and those that its options ask for."""
        asked = self._of(section.name).required_sections
        return tuple(dict.fromkeys((*section.requires, *self._fitting(asked))))

    def _fitting(self, names: Sequence[str]) -> list[str]:
        """Return the sections that apply, of some."""
        return [name for name in names if self._sections[name].applies(self._warehouse)]

    def _scopes(self, section: Section) -> tuple[str | None, ...]:
        """Return what a section is computed for: every data set, or None for the study."""
        return self._warehouse.datasets if section.scope == "dataset" else (None,)

    def _under(self, options: AnalysisOptions, dataset: str | None) -> Warehouse:
        """Return what a rule for missing values leaves of a data set, or of all of them."""
        key = options.missing, dataset
        if key not in self._restricted:
            self._restricted[key] = (
                keep(self._warehouse, options.missing).warehouse
                if dataset is None
                else self._under(options, None).only(dataset)
            )
        return self._restricted[key]

    def _required_results(self, section: Section, dataset: str | None) -> dict[str, Any]:
        """Return the results a section builds on: of its data set, or of all by name."""
        found: dict[str, Any] = {"density": self._density} if section.has_density else {}
        if section.shares_work:
            found["n_datasets"] = len(self._warehouse.datasets)
        return found | self._results_of(self._needs(section), dataset)

    def _results_of(self, names: Sequence[str], dataset: str | None) -> dict[str, Any]:
        """Return results of some sections: of a data set, or of all by name."""
        found = {}
        for name in names:
            results = self._results[name]
            if self._sections[name].scope == "study":
                found[name] = results[None]
            else:
                found[name] = results if dataset is None else results[dataset]
        return found


def _analyse_task(
    section: Section,
    warehouse: Warehouse,
    options: AnalysisOptions,
    seed: int,
    dataset: str | None,
    required: Mapping[str, Any],
) -> Any:
    """Analyse one data set, or the study, with random numbers of its own; or return the fault."""
    rng = stream(seed, section.name, *([] if dataset is None else [dataset]))
    analyse = partial(section.analyse, warehouse, options, rng, **required)
    return _or_fault(section.name, dataset, analyse)


def _or_fault(name: str, dataset: str | None, step: Callable[[], Any]) -> Any:
    """Do a step of a section; what is wrong with the program costs this section only."""
    # Errors that the user can mend are raised.
    try:
        return step()
    except ReportgenError:
        raise
    except Exception as error:
        from reportgen.execution.worker import has_own_limit

        if isinstance(error, MemoryError) and has_own_limit():
            raise  # another process has more
        return SectionFault(name, dataset, reason_of(error), traceback=traceback_of(error))


def _draw_task(
    section: Section, result: Any, canvas: Canvas, dataset: str | None
) -> tuple[tuple[Figure, ...], tuple[Table, ...], tuple[DrawingFault, ...]] | SectionFault:
    """Draw and tabulate one result; what cannot be drawn is no reason to end."""
    from reportgen.drawing import Record

    record = Record(section.name, dataset)
    try:
        figures = section.draw(result, replace(canvas, record=record))
    except MemoryError:
        raise
    except Exception as error:
        record.add(error)
        figures = tuple(record.figures)
    tables = _or_fault(section.name, dataset, partial(section.tabulate, result))
    return tables if isinstance(tables, SectionFault) else (figures, tables, tuple(record.faults))


def check_sizes(warehouse: Warehouse) -> None:
    """Check that double precision holds the squares of the values.

    Raises AnalysisError if a value is too large, or all values of a measure on a data set are too
    small.
    """
    row = row_of_odd_size(warehouse.frame)
    if row is not None:
        raise AnalysisError(
            f"data set {shown(row['dataset'])}, measure {shown(row['measure'])}: found values of "
            f"sizes up to {abs(row['value']):g} (candidate {shown(row['candidate'])}, replication "
            f"{row['replication']}); allowed {ALLOWED_SIZES}"
        )


def _log_faults(faults: Iterable[DrawingFault]) -> None:
    """Log what could not be drawn."""
    for fault in faults:
        figure = " ".join(part for part in (fault.figure, fault.measure) if part)
        where = fault.section if fault.dataset is None else f"{fault.section} of {fault.dataset}"
        which = f"the figure {figure}" if figure else "figures"
        log.warning("%s: %s could not be drawn (%s)", where, which, fault.reason)
        log.debug("%s", fault.traceback)


def _log_missing(section: str, dataset: str | None, names: Iterable[str]) -> None:
    """Log which figures the manifest asks for and a result has nothing to show in."""
    where = section if dataset is None else f"{section} of {dataset}"
    for name in sorted(names):
        log.warning("%s: found nothing to show in the figure %s", where, name)
