"""Verification: a report against its warehouse, and stored values against second fits.

`verify_report` renders the report again and compares bytes, `verify_fits` does some fits again and
compares values, `environment_changes` says what differs from where the run was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from reportgen import pipeline, provenance
from reportgen.api.archive_files import study_files, warehouse_files
from reportgen.api.zip_file import DIGESTS
from reportgen.data_classes import dataclass
from reportgen.errors import StudyError, WarehouseError
from reportgen.formats import FORMATS
from reportgen.json_text import read_json
from reportgen.rendering.exports import FILES, report_files
from reportgen.rendering.page_files import STYLE
from reportgen.rendering.templates import are, count, n_of
from reportgen.report import RESULTS
from reportgen.run_folder import WAREHOUSE
from reportgen.streams import stream
from reportgen.study.errors import shown

if TYPE_CHECKING:
    from reportgen.api.stored_run import StoredRun
    from reportgen.execution.outcome import Cell, Outcome
    from reportgen.pipeline import Job
    from reportgen.report import Provenance
    from reportgen.warehouse import Warehouse

ROUNDING = 1e-9  # relative: kernels of linear algebra differ in last bits, which fits may add up
MOST_SHOWN = 10  # changes, or files that are not looked at
OPENED = frozenset((".html", ".htm", ".xhtml", ".svg", ".pdf", ".js"))  # by a browser
FITS = ("Python", "numpy", "scipy", "scikit-learn")  # what decides the values of fits


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file of a report that is not as its warehouse gives it.

    Attributes
    ----------
    name : str
    change : {"differs", "missing", "extra", "unrendered"}
        In the run's folder; "unrendered" where templates may be the reason that were not allowed.
    place : int
        The first byte that differs.
    """

    name: str
    change: str
    place: int = 0


@dataclass(frozen=True, slots=True)
class ReportVerification:
    """The comparison of a report with the one that its warehouse gives.

    Attributes
    ----------
    n_files : int
    changes : tuple of FileChange
    unused : tuple of str
        Templates of the study that were not allowed.
    others : tuple of str
        Files in the folder that a browser opens and that no report has.
    """

    n_files: int
    changes: tuple[FileChange, ...]
    unused: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that a second fit does not give again; None where there is none."""

    dataset: str
    replication: int
    candidate: str
    measure: str
    stored: float | None
    found: float | None


@dataclass(frozen=True, slots=True)
class FitVerification:
    """The comparison of stored values with those of second fits.

    Attributes
    ----------
    n_fits, n_all : int
        Fits that were done again, of all.
    n_equal, n_rounded : int
        Values that are equal, and that are equal up to rounding.
    changes : tuple of ValueChange
        The others.
    """

    n_fits: int
    n_all: int
    n_equal: int
    n_rounded: int
    changes: tuple[ValueChange, ...]


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """A difference between where the run was made and here.

    Attributes
    ----------
    name, then, now : str
    effect : {"fits", "report", "times"}
        What it may change.
    """

    name: str
    then: str
    now: str
    effect: str


def verify_report(run: StoredRun, *, jobs: int | None = None) -> ReportVerification:
    """Render the report of a run again, and compare it byte by byte.

    Parameters
    ----------
    run : StoredRun
        Whose provenance is stated again as it is: date, command and versions are no difference.
    jobs : int, optional

    Raises
    ------
    StudyError
        If there is no report.
    """
    present = report_files(run.folder)
    if RESULTS not in present:
        raise StudyError(f"{run.folder}: found no {RESULTS}; allowed a run with a report")
    formats = [
        row.name
        for row in FORMATS.values()
        if row.file in present or (row.is_project and (run.folder / row.file).is_file())
    ]
    names = _sections(present[RESULTS])
    with TemporaryDirectory(prefix="reportgen-") as name:
        job = replace(_as_laid_out(run.job, present), folder=Path(name))
        sections = None if set(names) == set(_usual_sections(run)) else names
        pipeline.make_report(
            job, run.warehouse, run.origin, sections=sections, jobs=jobs, formats=formats
        )
        again = report_files(job.folder)
        changes = tuple(_file_changes(present, again))
    unused = pipeline.unused_templates(run.job)
    if unused:
        changes = tuple(map(_without_templates, changes))
    known = {*present, *again}
    others = tuple(name for name in _other_files(run) if name not in known)
    return ReportVerification(len(known), changes, unused, others)


def _other_files(run: StoredRun) -> list[str]:
    """Name what somebody may open beside a report; in a bundle, whatever is no part of a run."""
    files = [file for file in sorted(run.folder.rglob("*")) if file.is_file()]
    names = [file.relative_to(run.folder).as_posix() for file in files]
    if DIGESTS in names:
        own = (
            DIGESTS,
            *study_files(run.job.study, run.origin),
            *warehouse_files(run.folder / WAREHOUSE),
        )
        return [name for name in names if name not in own]
    return [name for name in names if Path(name).suffix.lower() in OPENED and "/" not in name]


def _sections(results: Path) -> list[str]:
    """Return the names of the sections of a results.json, and of those that it lacks."""
    try:
        whole = read_json(results)
        found = whole["sections"]
        lost = [fault["section"] for fault in whole.get("section_faults", ())]
    except (ValueError, TypeError, KeyError) as error:
        raise WarehouseError(
            f"{results}: found no sections ({error!r}); allowed the results of a report"
        ) from None
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise WarehouseError(f"{results}: found {kind} for the sections; allowed a mapping")
    return [*found, *lost]


def _without_templates(change: FileChange) -> FileChange:
    """Say of a file that templates write that it cannot be compared without them."""
    is_written = change.name.partition("/")[0] not in (RESULTS, "tables", "figures")
    return replace(change, change="unrendered") if is_written else change


def _as_laid_out(job: Job, present: Mapping[str, Path]) -> Job:
    """Return the job with the layout of the report that is there: a command may have chosen it."""
    html = "folder" if f"{FILES}/{STYLE}" in present else "file"
    own = job.study.report.model_copy(update={"html": html})
    return replace(job, study=replace(job.study, report=own))


def _usual_sections(run: StoredRun) -> list[str]:
    """Return the sections that the study's report has if no command says otherwise."""
    from reportgen.section_runner import chosen_sections

    chosen = chosen_sections(run.job.study, run.job.sections, run.warehouse)
    return [choice.name for choice in chosen]


def _file_changes(present: Mapping[str, Path], again: Mapping[str, Path]) -> Iterator[FileChange]:
    """Yield what differs, in the order of names."""
    for name in sorted({*present, *again}):
        if name not in present:
            yield FileChange(name, "missing")
        elif name not in again:
            yield FileChange(name, "extra")
        else:
            ours, theirs = present[name].read_bytes(), again[name].read_bytes()
            if ours != theirs:
                pairs = enumerate(zip(ours, theirs, strict=False))
                end = min(len(ours), len(theirs))
                yield FileChange(name, "differs", next((i for i, (a, b) in pairs if a != b), end))


def verify_fits(
    run: StoredRun,
    share: float,
    *,
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FitVerification:
    """Do a random share of the fits of a run again, and compare their values.

    Parameters
    ----------
    run : StoredRun
        Of a study that was executed; its data have to be there.
    share : float
        Of all fits, above 0 and up to 1.
    seed : int
        Of the choice.
    jobs : int, optional
        Workers.
    progress : callable, optional
        Called with the numbers of fits done and of all.

    Raises
    ------
    StudyError
        If the results were imported.
    SetupError
        If the study's data or candidates are not there.
    """
    from reportgen.execution.runner import fit_again, local_executor
    from reportgen.progress import stage
    from reportgen.study.setup import make_setup

    study = run.job.study
    if study.setup is None:
        raise StudyError(f"{study.name}: found imported results, which have no fits; allowed none")
    setup = make_setup(study, allow_plugins=run.job.allow_plugins)
    cells = _cells(run.warehouse)
    chosen = _sample(cells, share, seed)
    with stage("execution"):
        outcomes = fit_again(setup, chosen, local_executor(setup, jobs), progress)
    return _compare_values(run.warehouse, outcomes, len(cells))


def _cells(warehouse: Warehouse) -> list[Cell]:
    """Return every fit that was begun."""
    from reportgen.execution.outcome import Cell

    frame = warehouse.frame
    begun = frame[frame["status"] != "skipped"]
    rows = begun[["dataset", "replication", "candidate"]].drop_duplicates()
    return [Cell(str(d), int(b), str(k)) for d, b, k in rows.itertuples(index=False)]


def _sample(cells: Sequence[Cell], share: float, seed: int) -> list[Cell]:
    """Draw a share of fits, at least one, in their order."""
    n = min(len(cells), max(1, ceil(share * len(cells))))
    places = stream(seed, "verification").choice(len(cells), n, replace=False)
    return [cells[i] for i in sorted(places)]


def _compare_values(
    warehouse: Warehouse, outcomes: Mapping[Cell, Outcome], n_all: int
) -> FitVerification:
    """Compare the values of fits, times and memory aside."""
    measures = [m.name for m in warehouse.measures if not m.is_of_machine]
    frame = warehouse.frame
    keys = ["dataset", "replication", "candidate", "measure"]
    stored = frame[frame["measure"].isin(measures)].set_index(keys)["value"].to_dict()
    n_equal = n_rounded = 0
    changes = []
    for cell, outcome in outcomes.items():
        for measure in measures:
            then = float(stored.get((*cell, measure), np.nan))
            now = float(outcome.values.get(measure, np.nan))
            if then == now or (isnan(then) and isnan(now)):
                n_equal += 1
            elif abs(then - now) <= ROUNDING * max(abs(then), abs(now)):
                n_rounded += 1
            else:
                changes.append(ValueChange(*cell, measure, _known(then), _known(now)))
    return FitVerification(len(outcomes), n_all, n_equal, n_rounded, tuple(changes))


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def environment_changes(origin: Provenance) -> tuple[EnvironmentChange, ...]:
    """Return how this environment differs from that of a run and its report.

    Parameters
    ----------
    origin : Provenance
        As the report states it.
    """
    now = provenance.computing_versions()
    found = []
    for part in origin.measured_with:
        found += [
            EnvironmentChange(name, part.versions.get(name, "unknown"), now.get(name, ""), "fits")
            for name in FITS
            if part.versions and part.versions.get(name) != now.get(name)
        ]
    found += [
        EnvironmentChange(name, origin.versions.get(name, "none"), now.get(name, "none"), "report")
        for name in now
        if origin.versions.get(name) != now.get(name)
    ]
    if "linear_algebra" in origin.execution:
        then, own = str(origin.execution["linear_algebra"]), provenance.linear_algebra()
        if then != own:
            found.append(EnvironmentChange("linear algebra", then, own, "fits"))
    here = provenance.machine()
    found += [
        EnvironmentChange(name, then, here[name], "times")
        for name, then in (("platform", origin.platform), ("processor", origin.processor))
        if then and then != here[name]
    ]
    return tuple(dict.fromkeys(found))


EFFECTS = {
    "fits": "may change values of fits",
    "report": "may change the report",
    "times": "changes times, and no other value",
}


def describe_report(found: ReportVerification) -> str:
    """Write the comparison of a report in lines."""
    n_unrendered = sum(c.change == "unrendered" for c in found.changes)
    lines = [f"report: {n_of(found.n_files - n_unrendered, 'file')} compared, {_n_equal(found)}"]
    if n_unrendered:
        more = len(found.unused) - 1
        lines.append(
            f"  {n_of(n_unrendered, 'file')} not compared: made by other templates than the "
            f"program's, and {found.unused[0]}{f' and {more} more' if more else ''} "
            f"{are(more + 1)} not rendered (allowed by --allow-templates)"
        )
    texts = {
        "differs": "differs from byte {} on",
        "missing": "is missing",
        "extra": "is not of this report",
        "unrendered": "is not compared",
    }
    lines += [f"  {c.name}: {texts[c.change].format(count(c.place))}" for c in found.changes]
    others = found.others[:MOST_SHOWN]
    lines += [f"  {shown(name)}: not looked at, no file of a report" for name in others]
    if more := len(found.others) - len(others):
        lines.append(f"  {n_of(more, 'more file')} not looked at")
    return "\n".join(lines)


def _n_equal(found: ReportVerification) -> str:
    n = sum(change.change != "unrendered" for change in found.changes)
    return f"{n} not equal" if n else "all equal byte by byte"


def describe_fits(found: FitVerification) -> str:
    """Write the comparison of fits in lines."""
    parts = [f"{count(found.n_equal)} values equal"]
    if found.n_rounded:
        parts.append(f"{count(found.n_rounded)} equal up to rounding")
    parts.append(f"{count(len(found.changes))} different")
    head = f"fits: {count(found.n_fits)} of {count(found.n_all)} done again, {', '.join(parts)}"
    lines = [
        f"  {c.dataset}, replication {c.replication}, {c.candidate}, {c.measure}: "
        f"{_shown(c.stored)} stored, {_shown(c.found)} now"
        for c in found.changes[:MOST_SHOWN]
    ]
    more = len(found.changes) - MOST_SHOWN
    return "\n".join([head, *lines, *([f"  and {count(more)} more"] if more > 0 else [])])


def _shown(value: float | None) -> str:
    return "no value" if value is None else repr(value)


def describe_environment(changes: Sequence[EnvironmentChange]) -> str:
    """Write the differences of the environment in lines."""
    if not changes:
        return "environment: as the report states it"
    lines = [f"  {c.name}: {c.then} then, {c.now} now; {EFFECTS[c.effect]}" for c in changes]
    return "\n".join(["environment:", *lines])
