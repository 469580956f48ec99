"""The flow: Study -> Setup -> [execution] -> Warehouse -> [sections] -> Report -> [rendering].

The only module that knows every layer. Each stage is a function here, with the
name that the log has for it, and imports its layer when it begins: reading a
study loads no data frames, no statistics and no estimators.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen import formats as known
from reportgen import provenance
from reportgen.cost import START, Shape, expected_seconds, uncounted
from reportgen.data_classes import dataclass
from reportgen.errors import ExecutionError, RenderingError, StudyError
from reportgen.file_writing import folder_lock
from reportgen.fit_issues import SectionFault
from reportgen.path_redaction import redact_command
from reportgen.progress import Advance, current_progress, stage
from reportgen.report import (
    RESULTS,
    Design,
    Layout,
    Provenance,
    Report,
    SectionContent,
)
from reportgen.run_folder import (
    PROVENANCE,
    WAREHOUSE,
    check_is_own,
    command_of,
    inputs_of,
    read_run,
    record_input,
    study_digests,
)
from reportgen.sections import find_sections
from reportgen.sections.base import Section
from reportgen.study.errors import listed, shown, suggestion
from reportgen.study.manifest import Study, load_study, manifest_schema
from reportgen.study.schema import ReportEntry
from reportgen.study.schema.candidates import CandidateEntry
from reportgen.study.yaml_source import MANIFEST
from reportgen.units import REPLICATION, Unit

log = logging.getLogger("reportgen")

if TYPE_CHECKING:
    from reportgen.crew import Crew
    from reportgen.execution.cluster import ClusterExecutor
    from reportgen.execution.execution_result import Execution
    from reportgen.execution.pool import ProcessExecutor, SerialExecutor
    from reportgen.rendering.templates import TemplateFolders
    from reportgen.sections.datasets import Mapper
    from reportgen.study.setup import Objects, Setup
    from reportgen.warehouse import Warehouse

MOST_TOLD = 3  # templates that a warning names
MOST_BYTES = 100  # of a value in a file of results


@dataclass(frozen=True, slots=True)
class Job:
    """A study and the folder its run lives in."""

    study: Study
    sections: Mapping[str, Section]  # every section there is
    folder: Path  # the run's folder, `<output>/<study name>`
    command: str  # how to make the report again
    allow_plugins: bool = False  # whether packages that the manifest names may be imported
    objects: Objects | None = None  # what names of the study mean that a call in Python has given
    # Whether the study's own templates, and those of its theme, may be rendered.
    allow_templates: bool = False

    @property
    def warehouse_folder(self) -> Path:
        """The folder of the performances."""
        return self.folder / WAREHOUSE


def open_job(
    path: Path,
    output: Path,
    settings: Sequence[str] = (),
    *,
    allow_plugins: bool = False,
    allow_templates: bool = False,
    origins: Mapping[str, str] | None = None,
) -> Job:
    """Read a study and name its run's folder.

    `path`: a manifest, a folder with a `study.yaml`, or a file of results.
    `output`: parent of the run's folder.
    `settings`: `key=value` pairs that overrule the manifest.
    `allow_plugins`: whether packages that the manifest names may be imported.
    `allow_templates`: whether the study's own templates, and those of its theme, may be rendered.
    `origins`: what an error calls each setting, by its key path, where it is not the command
    line's.
    Raises StudyError if the study cannot be read or is wrong.
    """
    if any("\udc80" <= letter <= "\udcff" for letter in path.name):  # bytes that are no letter
        raise StudyError(f"{path}: found a name that is not UTF-8; allowed names in UTF-8")
    if (path / MANIFEST).is_file():
        path = path / MANIFEST
    sections = find_sections()
    overrides = dict(setting(text) for text in settings)
    with stage("Study"):
        study = load_study(path, {n: s.options for n, s in sections.items()}, overrides, origins)
    runs_others = bool(study.plugins) or any(c.command for c in _candidates(study))
    command = command_of(
        path,
        settings,
        allow_plugins=allow_plugins or runs_others,
        allow_templates=allow_templates,
    )
    folder = output / study.name
    return Job(study, sections, folder, command, allow_plugins, allow_templates=allow_templates)


def schema() -> str:
    """Return the manifest's JSON Schema as text, by which editors check and complete it."""
    options = {name: section.options for name, section in find_sections().items()}
    return json.dumps(manifest_schema(options), indent=1, ensure_ascii=False) + "\n"


def check_names(
    job: Job,
    formats: Sequence[str] | None = None,
    sections: Sequence[str] | None = None,
    *,
    where: Callable[[str], str] | None = None,
) -> None:
    """Check names that a command or a call gives, which is better done before what takes long.

    `where`: what an error calls these arguments; otherwise the options of the command line.
    Raises StudyError if there is no such format or section.
    """
    options = {"formats": "--format", "sections": "--sections"}
    for argument, names, allowed in (
        ("formats", formats, known.REPORTS),
        ("sections", sections, tuple(job.sections)),
    ):
        unknown = next((name for name in names or () if name not in allowed), None)
        if unknown is not None:
            question = suggestion(unknown, allowed)
            key = where(argument) if where else options[argument]
            raise StudyError(f"{key}: found {shown(unknown)}; allowed {listed(allowed)}{question}")


def check_layout(study: Study) -> None:
    """Refuse a theme, a logo or a face that is not there, before what takes long.

    Raises StudyError.
    """
    asked, usual = study.report, ReportEntry()
    if (asked.theme, asked.logo, asked.paper.fonts) != (usual.theme, usual.logo, usual.paper.fonts):
        from reportgen.rendering.layout import figure_theme, layout_of

        try:
            layout_of(asked, study.folder)
            figure_theme(asked, study.folder)
        except StudyError as error:
            key, _, fault = str(error).partition(": ")
            if not key.startswith("report."):  # of a file
                raise
            place = tuple(key.split("."))
            raise StudyError(f"{study.source.where(place)}: {fault}") from error


def measure(
    job: Job,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    in_process: bool = False,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: Advance | None = None,
    sections: Sequence[str] | None = None,
) -> tuple[Warehouse, Provenance]:
    """Execute what is missing, or read the results that exist, and store them.

    `jobs`: workers, in place of the manifest's.
    `cluster`: address of a Dask scheduler whose workers do the fits.
    `in_process`: whether this process does the fits: none can then be ended, nor have a limit on
    memory.
    `fresh`: whether to measure anew what the run's folder already holds.
    `retry_failed`: whether to do failed fits again.
    `progress`: called with the numbers of fits done and of all.
    `sections`: only for these: characteristics of learning samples are computed where one needs
    them.
    Raises ExecutionError if more fits failed than the manifest allows; what was measured is stored,
    and can be analysed as `stored` returns it.
    Raises StudyError if the folder holds the results of another input.
    """
    from reportgen.execution.failures import ADVICE, ADVICE_IN_PYTHON

    check_layout(job.study)
    check_is_own(job.study, job.folder, job.warehouse_folder)
    again = {
        "fresh": fresh,
        "retry_failed": retry_failed,
        "is_described": _needs_characteristics(job, sections),
    }
    if job.study.results:
        store = _import_results(job)
    else:
        store = _execution(job, jobs, cluster, progress, in_process=in_process, **again)
    with folder_lock(job.warehouse_folder, wait=False) as is_own:
        if not is_own:
            raise ExecutionError(f"another execution is at work in {job.warehouse_folder}")
        found, facts = store()
        origin = _record(job, found, facts)
    if found.fault:
        raise ExecutionError(f"{found.fault} ({ADVICE_IN_PYTHON if job.objects else ADVICE})")
    return found.warehouse, origin


def _record(job: Job, found: Execution, facts: Mapping[str, Any]) -> Provenance:
    """Write down where results come from, and whose they are."""
    from reportgen.warehouse.files import warehouse_digest

    brought = job.objects.datasets if job.objects else {}
    origin = provenance.collect(
        {**provenance.hashes(inputs_of(job.study)), **{n: d.digest for n, d in brought.items()}},
        manifest=job.study.text,
        command=redact_command(job.command, job.study.folder),
        folder=job.study.folder,
        execution=facts,
        study_digests=study_digests(job.study),
        warehouse=warehouse_digest(job.warehouse_folder),
        measured_with=found.measured_with,
        plugins=(*job.study.plugins, *(job.objects.packages if job.objects else ())),
    )
    with folder_lock(job.folder):
        record_input(job.study, job.folder)
    file = job.warehouse_folder / PROVENANCE
    return provenance.settle(origin, file, measured=bool(found.n_run))


def summary(design: Design) -> str:
    """Write in one line how large an experiment is, and how many values are missing."""
    blocks = sorted({d.n_replications for d in design.datasets})
    replications = blocks[0] if len(blocks) == 1 else f"{blocks[0]} to {blocks[-1]}"
    numbers = (len(design.datasets), replications, len(design.candidates), len(design.measures))
    missing = f"{design.n_missing:,} of {design.n_values:,} values missing"
    return f"{sizes(*numbers, design.unit)}; {missing}"


def read_stored(job: Job) -> tuple[Warehouse, Provenance]:
    """Return what the run's folder holds.

    Raises StudyError if nothing was executed yet, or with another seed, setup or data.
    """
    with stage("reading"):
        return read_run(job.study, job.warehouse_folder, job.command)


def analyse(
    job: Job,
    warehouse: Warehouse,
    origin: Provenance,
    *,
    sections: Sequence[str] | None = None,
    jobs: int | None = None,
    formats: Sequence[str] | None = None,
    mapper: Mapper | None = None,
) -> Report:
    """Analyse the results by every chosen section.

    `job`, `warehouse`, `origin`: what `measure` or `stored` was given and returned.
    `sections`: only these, in this order.
    `jobs`: workers for many data sets, in place of the manifest's.
    `formats`: of the report, in place of the manifest's: what none of them shows is not drawn.
    `mapper`: whose workers do what is done side by side; when left out, of these jobs.
    """
    from reportgen.crew import Crew, parallel_mapper
    from reportgen.execution.worker import single_threaded
    from reportgen.rendering.layout import figure_theme
    from reportgen.section_runner import chosen_sections, make_contents, with_required

    check_study_names(job.study, warehouse)
    check_names(job, formats, sections)
    wanted = _wanted(job, formats)
    media = known.figures_of(wanted)
    chosen = chosen_sections(job.study, job.sections, warehouse, sections)
    own = [job.sections[choice.name] for choice in chosen]
    shown = [choice.name for choice in chosen]
    names = with_required(shown, job.sections)
    expected = expected_seconds(shape_of(warehouse), names, wanted | {"json"}, shown)
    if progress := current_progress():
        progress.expect(expected)
    given = nullcontext(mapper) if mapper else parallel_mapper(_n_workers(job, jobs))
    with stage("sections"), single_threaded(), given as workers:  # threads only hinder
        if isinstance(workers, Crew):
            further = sum(s for name, s in expected.items() if name not in (START, "reading"))
            workers.expect(_code(own, wanted), further)
        found = make_contents(
            *(job.study, job.sections, chosen, warehouse, workers, media),
            theme=figure_theme(job.study.report, job.study.folder),
            has_pictures=any(known.FORMATS[name].has_pictures for name in wanted),
        )
        made = tuple(found)
    contents = [content for content in made if isinstance(content, SectionContent)]
    faults = [fault for fault in made if isinstance(fault, SectionFault)]
    lost = {fault.section for fault in faults}
    for section in own:
        if section.name not in lost and not section.applies(warehouse):
            log.warning("section %s: wants %s", section.name, section.wants)
    return report_of(job, warehouse, origin, contents, faults)


def _code(sections: Iterable[Section], formats: Iterable[str]) -> Iterator[str]:
    """Yield the modules that workers of a report need."""
    for section in sections:
        yield from (f"{section.package}.{part}" for part in ("analysis", "figures", "tables"))
    for name in formats:
        if known.FORMATS[name].is_set_beside:
            yield f"reportgen.rendering.{known.FORMATS[name].module}_engine"


def warm_up(
    job: Job,
    formats: Sequence[str] | None = None,
    sections: Sequence[str] | None = None,
    *,
    jobs: int | None = None,
) -> None:
    """Let what workers are forked from import while results are read, if the report takes long.

    How long it takes at least follows from its formats, and from the size of the file that is read.
    """
    from reportgen import crew

    wanted = _wanted(job, formats)
    files = [*inputs_of(job.study).values()] if job.study.results else []
    n_values = sum(path.stat().st_size for path in files if path.is_file()) // MOST_BYTES
    names = set(sections or job.sections)
    least = expected_seconds(Shape(1, 2, 1, n_values), ["inference"], wanted | {"json"}, names)
    if _n_workers(job, jobs) < 2 or sum(least.values()) - least[START] < crew.PATIENCE:
        return
    usual = (job.sections[name] for name in names.difference(uncounted(names)))
    with suppress(StudyError):  # is told where workers are wanted
        crew.warm_up(_code(usual, wanted))


def make_report(
    job: Job,
    warehouse: Warehouse,
    origin: Provenance,
    *,
    sections: Sequence[str] | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    formats: Sequence[str] | None = None,
    clean: bool = False,
) -> tuple[Report, tuple[Path, ...]]:
    """Analyse the results and write the report by the same workers: see `analyse` and `render`.

    `cluster`: address of a Dask scheduler whose workers analyse and draw, too; documents are set by
    workers here, where the fonts are.
    """
    from reportgen.crew import Crew, cluster_mapper, parallel_mapper

    with ExitStack() as stack:
        here = mapper = stack.enter_context(parallel_mapper(_n_workers(job, jobs)))
        if cluster is not None:
            mapper = stack.enter_context(cluster_mapper(cluster))
            if isinstance(here, Crew):
                wanted = _wanted(job, formats)
                seconds = expected_seconds(shape_of(warehouse), (), wanted, job.sections)
                rendering = [s for name, s in seconds.items() if name.startswith("rendering")]
                here.expect(_code((), wanted), sum(rendering))
        report = analyse(job, warehouse, origin, sections=sections, formats=formats, mapper=mapper)
        return report, render(job, report, formats, clean=clean, mapper=here)


def check_cluster(address: str) -> None:
    """Check that the workers of a cluster can do fits and analyses, before they do the first.

    `address`: of a Dask scheduler.
    Raises ExecutionError if they cannot.
    """
    from reportgen.crew import cluster_executor

    cluster_executor(address)


def check_study_names(study: Study, warehouse: Warehouse) -> None:
    """Check the names of a manifest's report and claims against those of its results.

    Raises StudyError if one of them is not there.
    """
    measures = [measure.name for measure in warehouse.measures]
    study.check_names(measures)
    if study.expect:
        from reportgen.sections.expectations.levels import level_kinds

        kinds = level_kinds(warehouse)
        study.check_claims(warehouse.candidates, measures, warehouse.datasets, kinds)


def shape_of(warehouse: Warehouse) -> Shape:
    """Return how large results are, by which a report costs time and memory."""
    n_datasets, n_candidates = len(warehouse.datasets), len(warehouse.candidates)
    return Shape(n_datasets, n_candidates, len(warehouse.measures), len(warehouse.frame))


def report_of(
    job: Job,
    warehouse: Warehouse,
    origin: Provenance,
    contents: Sequence[SectionContent],
    faults: Sequence[SectionFault] = (),
) -> Report:
    """Return the report with these contents, what can be concluded, and checklists' answers.

    `faults`: of sections that could not be computed, and that the contents lack.
    """
    from reportgen.conclusion import conclude
    from reportgen.conclusion.checklists import answer
    from reportgen.design import design_of, info_of
    from reportgen.rendering.layout import painted_contents
    from reportgen.warehouse.missing import keep

    kept = keep(warehouse, job.study.analysis.missing).warehouse
    layout = _layout(job)
    report = Report(
        info_of(job.study),
        design_of(job.study, warehouse),
        painted_contents(layout, contents),
        origin,
        job.study.report.length,
        tuple(kept.performances(d, m.name) for d in kept.datasets for m in kept.measures),
        layout,
        samples=tuple(own for own in warehouse.samples if own.is_shown),
        named=tuple(choice.name for choice in job.study.sections or ()),
        section_faults=tuple(faults),
    )
    concluded = replace(report, conclusion=conclude(report))
    return replace(concluded, checklists=answer(concluded))


def _layout(job: Job) -> Layout:
    """Return the layout of a study's report: the rules of its theme where they are allowed."""
    from reportgen.rendering.layout import layout_of

    found = layout_of(job.study.report, job.study.folder)
    return found if job.allow_templates or not _own_theme(job.study) else replace(found, rules="")


def render(
    job: Job,
    report: Report,
    formats: Sequence[str] | None = None,
    *,
    clean: bool = False,
    mapper: Mapper | None = None,
) -> tuple[Path, ...]:
    """Write a report in the wanted formats; results.json and the tables always.

    What an earlier report has left in other formats stays if it has the same
    results, else it is moved into the folder `earlier`.

    `job`, `report`: what `analyse` was given and returned.
    `formats`: in place of the manifest's.
    `clean`: whether what would be moved is removed.
    `mapper`: whose workers set documents beside the other formats, where it has workers.
    Result: the report's files.
    Raises RenderingError if a back end fails: what the others have written is there. If a file
    cannot be written: the report that was there is as it was.
    """
    check_names(job, formats)
    wanted = _wanted(job, formats) | {"json"}
    from reportgen.rendering import exports as files
    from reportgen.rendering.atomic_replacement import atomic_replacement
    from reportgen.rendering.quarto_program import file_state

    tell_unused(job)
    with folder_lock(job.folder):
        with atomic_replacement(job.folder, known.WRITTEN) as part:
            own, failed = _render_all(job, report, wanted, part, mapper)
            with stage("rendering files"):
                files.write_tables(report, part / "tables")
                if known.figures_of(wanted) != "none":
                    files.write_figures(report, part / "figures")
            refuse_inputs(job, (job.folder / path.relative_to(part) for path in part.rglob("*")))
        written = [job.folder / path.relative_to(part) for path in own]
        project = job.folder / known.FORMATS[known.PROJECT].file
        rendered: list[Path] = []
        for row in known.FORMATS.values():
            if not (row.quarto and row.name in wanted and project in written):
                continue
            for file in (row.file, *row.further):
                path = job.folder / file
                if not path.with_suffix(".qmd").exists():
                    continue
                before = file_state(path)
                try:
                    with stage(f"rendering {row.name}", is_long=row.is_long):
                        rendered.append(_by_quarto(job, path, row))
                except (RenderingError, OSError) as error:
                    failed.append(f"{row.name}: {error}")
                    rendered += [path] * (file_state(path) not in (None, before))
        gone = [path for path in rendered if not path.exists()]
        failed += [f"{path} was written and is gone" for path in gone]
        written += [path for path in rendered if path not in gone]
        if written and written[0].name == RESULTS:
            date, names = report.provenance.date, known.FILES
            files.archive_earlier(job.folder, written[0], written, names, date=date, clean=clean)
    if failed:
        there = ", ".join(str(path) for path in written)
        raise RenderingError(f"{'; '.join(failed)} (written: {there})")
    return tuple(written)


def files_read(study: Study) -> Iterator[Path]:
    """Yield the files that a study names or has beside it, and its modules."""
    from reportgen.catalogue.plugins import modules_of
    from reportgen.rendering.layout import own_files

    yield from inputs_of(study).values()
    yield from own_files(study).values()
    for package in study.plugins:
        yield from modules_of(package, study.folder)


def refuse_inputs(job: Job, paths: Iterable[Path]) -> None:
    """Refuse to write over what a study is read by.

    `paths`: that will be written.
    Raises StudyError if one of them is such a file.
    """
    places = {path.resolve() for path in paths}
    if own := next((path for path in files_read(job.study) if path.resolve() in places), None):
        raise StudyError(
            f"{own}: found a file that is read where one is to be written; allowed another place"
        )


def _refuse_own_warehouse(job: Job) -> None:
    """Refuse to store results over a file that they are read from."""
    from reportgen.warehouse.files import BATTLES, PERFORMANCES, TABLES

    places = (job.warehouse_folder, job.warehouse_folder / BATTLES)
    names = (PERFORMANCES, PROVENANCE, *TABLES)
    refuse_inputs(job, (place / name for place in places for name in names))


def _render_all(
    job: Job, report: Report, wanted: set[str], folder: Path, mapper: Mapper | None
) -> tuple[list[Path], list[str]]:
    """Write a report into a folder by the wanted back ends; also return which have failed."""
    from reportgen.crew import Crew
    from reportgen.rendering.atomic_replacement import is_inside

    written: list[Path] = []
    failed: list[str] = []
    folders = template_folders(job)
    own = [row for row in known.FORMATS.values() if row.name in wanted and row.module]
    begun = {
        row.name: _begin(row, report, folder / row.file, folders, mapper)
        for row in own
        if row.is_set_beside and isinstance(mapper, Crew) and mapper.is_ready()
    }
    for row in own:
        try:
            with stage(f"rendering {row.name}", is_long=row.is_long):
                if row.name in begun:
                    written += begun[row.name]()
                    continue
                back_end = import_module(f"reportgen.rendering.{row.module}")
                options = [getattr(job.study.report, row.option)] if row.option else []
                written += back_end.render(report, folder / row.file, folders, *options)
        except (RenderingError, ImportError, OSError) as error:
            if isinstance(error, OSError) and is_inside(error, folder):  # the disk is full
                raise
            failed.append(f"{row.name}: {error}")
    return written, failed


def _begin(
    row: known.Format, report: Report, file: Path, folders: Sequence[Path], crew: Crew
) -> Callable[[], tuple[Path, ...]]:
    """Let workers begin to set a format's documents; what is returned ends it, or has the fault."""
    # The largest comes first; what no worker has begun, or has lost, is set here.
    try:
        with stage(f"words of {row.name}"):
            back_end = import_module(f"reportgen.rendering.{row.module}")
            found = back_end.documents(report, file, folders)
    except (RenderingError, ImportError, OSError) as error:
        fault = error

        def fail() -> tuple[Path, ...]:
            raise fault

        return fail
    order = sorted(found, key=lambda path: -found[path].size)
    futures = crew.beside(back_end.set_document, [found[path] for path in order])

    def end() -> tuple[Path, ...]:
        begun = {order[n]: future for n, future in futures.items()}
        files = {path: back_end.set_document(found[path]) for path in found if path not in begun}
        for path, future in begun.items():
            data = crew.result(future)
            files[path] = back_end.set_document(found[path]) if data is None else data
        return tuple(back_end.write_documents({path: files[path] for path in found}))

    return end


def _wanted(job: Job, formats: Sequence[str] | None) -> set[str]:
    """Return the formats of a report; what Quarto renders needs its project."""
    return known.with_required(set(formats or job.study.report.formats))


def _by_quarto(job: Job, path: Path, row: known.Format) -> Path:
    """Render a document of the project to a file of its name, in the study's own format or ours."""
    from reportgen.rendering.quarto_journals import format_of
    from reportgen.rendering.quarto_program import loaded_files, render_project

    document = path.with_suffix(".qmd")
    loaded = () if job.allow_templates else loaded_files(document)
    if loaded:
        raise RenderingError(
            f"{loaded[0]}: found a file of the project that may run code; allowed with "
            "--allow-templates, from Python with allow_templates=True"
        )
    own = job.study.report.quarto
    form = format_of(own) if own and (own.format or own.journal) else ""
    to = form if form.rpartition("-")[2] == row.quarto else row.quarto
    is_executed = own is not None and own.engine == "jupyter"
    return render_project(document, to, path.name, is_executed=is_executed)


def _n_workers(job: Job, jobs: int | None) -> int:
    """Return how many workers there are, in place of the manifest's if the command says so."""
    from reportgen.execution.pool import n_cores

    own = job.study.execution.jobs
    return jobs or (n_cores() if own == "auto" else own)


def _needs_characteristics(job: Job, names: Sequence[str] | None) -> bool:
    """Whether a section of these, or one that they require, is about characteristics."""
    if names is None:
        return True
    sections = [job.sections[name] for name in names]
    default = job.study.default_options
    return any(
        default(s.options).wanted_characteristics is not None
        or _needs_characteristics(job, s.requires)
        for s in sections
    )


def _candidates(study: Study) -> Sequence[CandidateEntry]:
    """Return the entries of a study's candidates; none where its results exist."""
    return study.setup.candidates if study.setup else ()


Store = Callable[[], tuple["Execution", dict[str, Any]]]
"""Measures or takes over results and stores them; also returns their entry in the provenance."""


def _import_results(job: Job) -> Store:
    """Read results that exist; what is returned keeps them as the warehouse keeps all results."""
    from reportgen.exchange.tidy import study_results
    from reportgen.execution.execution_result import Execution
    from reportgen.warehouse.files import write_warehouse

    _refuse_own_warehouse(job)
    with stage("reading", is_long=True):
        warehouse = study_results(job.study)

    def store() -> tuple[Execution, dict[str, Any]]:
        write_warehouse(warehouse, job.warehouse_folder)
        return Execution(warehouse), {}

    return store


def _execution(
    job: Job,
    jobs: int | None,
    cluster: str | None,
    progress: Advance | None,
    *,
    in_process: bool,
    **again: bool,
) -> Store:
    """Make what a study names; what is returned measures what is missing."""
    from reportgen.execution.runner import carry_out
    from reportgen.study.setup import make_setup

    _refuse_own_warehouse(job)
    with stage("Setup"):
        setup = make_setup(job.study, allow_plugins=job.allow_plugins, objects=job.objects)
    executor = _executor(job.study, setup, jobs, cluster, in_process=in_process)

    def store() -> tuple[Execution, dict[str, Any]]:
        begin = time.perf_counter()
        with stage("execution"):
            found = carry_out(setup, job.warehouse_folder, executor, progress, **again)
        return found, {
            "workers": executor.n_workers,
            "fits": found.n_run,
            "reused_fits": found.n_reused,
            "seconds": round(time.perf_counter() - begin, 1),
            "linear_algebra": provenance.linear_algebra(),
            **executor.facts,
        }

    return store


def _executor(
    study: Study, setup: Setup, jobs: int | None, cluster: str | None, *, in_process: bool
) -> SerialExecutor | ProcessExecutor | ClusterExecutor:
    """Return who does the fits: this process, others on this machine, or a cluster."""
    # Raises StudyError if fits are to be timed in processes on a cluster, whose machines differ.
    if setup.execution.processes is not None and cluster is not None:
        raise StudyError(
            f"execution.processes: found {setup.execution.processes} with --cluster; allowed "
            "processes on this machine, one after the other"
        )
    if in_process:
        from reportgen.execution.pool import SerialExecutor

        return SerialExecutor()
    if cluster is None:
        from reportgen.execution.runner import local_executor

        return local_executor(setup, jobs)
    from reportgen.catalogue.plugins import source_of
    from reportgen.execution.cluster import ClusterExecutor

    modules = source_of(study.plugins, study.folder)
    return ClusterExecutor(cluster, setup.execution.memory_bytes, modules=modules)


def sizes(
    n_datasets: int,
    replications: int | str,
    n_candidates: int,
    n_measures: int,
    unit: Unit = REPLICATION,
) -> str:
    """Write M x B x K x J in words."""
    parts = (
        (n_datasets, unit.dataset),
        (replications, unit.noun),
        (n_candidates, "candidate"),
        (n_measures, "measure"),
    )
    return " x ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in parts)


def template_folders(job: Job) -> TemplateFolders:
    """Return the template folders that come before ours: study's, theme's, other packages'.

    Those of the study and its theme have to be allowed; packages are, as they are installed.
    """
    from reportgen.rendering.templates import TemplateFolders

    own = _own_template_folders(job.study) if job.allow_templates else ()
    packages = (section.folder / "templates" for section in job.sections.values())
    return TemplateFolders(tuple(folder for folder in (*own, *packages) if folder.is_dir()))


def _own_template_folders(study: Study) -> tuple[Path, ...]:
    """Return the folders of templates of a study and its theme, where these are not ours."""
    theme = _own_theme(study)
    wanted = (study.folder / "templates", *([theme] if theme else []))
    return tuple(folder for folder in wanted if folder.is_dir() and not _is_ours(folder))


def _own_theme(study: Study) -> Path | None:
    """Return the folder of a study's theme; None where that is one of ours."""
    from reportgen.rendering.layout import theme_folder

    theme = theme_folder(study.report, study.folder)
    return None if theme is None or _is_ours(theme) else theme


def _is_ours(folder: Path) -> bool:
    from reportgen.rendering.templates import template_folder

    return folder.resolve().is_relative_to(template_folder().resolve())


def unused_templates(job: Job) -> tuple[str, ...]:
    """Return the templates of a study and its theme that are not rendered without leave.

    With them stand the files that they cite, and the theme's style rules.
    """
    from reportgen.rendering.layout import used_with_leave

    if job.allow_templates:
        return ()
    theme = _own_theme(job.study)
    return tuple(
        f"{folder.name}/{name}"
        for folder in _own_template_folders(job.study)
        for name in used_with_leave(folder, is_theme=folder == theme)
    )


def tell_unused(job: Job) -> None:
    """Warn of templates that are not rendered without leave."""
    names = unused_templates(job)
    if names:
        more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
        log.warning(
            "%s%s: not used, as templates and style rules of a study are used only where they are "
            "allowed; rendered with the program's own (allowed by --allow-templates, from Python "
            "by allow_templates=True)",
            ", ".join(names[:MOST_TOLD]),
            more,
        )


def setting(text: str) -> tuple[str, str]:
    """Split the `key=value` of an option `--set`.

    Raises StudyError if it has no key or no value.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise StudyError(f"--set: found {shown(text)}; allowed key=value, such as seed=7")
    return key.strip(), value
