"""Faults in every write: what is left of a run, and what the same command makes of it.

    python validation/faults/study.py [writes]

A run, and an execution with its journal, are done over earlier ones in a process in which one write
meets a fault: the disk is full from there on, or in the middle of that file, or the process is
killed just before, or in the middle of it. The writes are those that a run without a fault is seen
to do; of a run as many of each kind and folder as are asked for. Prints how many faults there were,
and how many files were half, reports mixed without a word, and results lost.
"""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from reportgen import pipeline
from reportgen.cli import main as reportgen
from reportgen.errors import ReportgenError, StudyError, WarehouseError
from reportgen.execution.journal import read_journal
from reportgen.rendering import pdf, quarto
from reportgen.rendering.atomic_replacement import EDITION
from reportgen.rendering.exports import check_whole
from reportgen.run_folder import JOURNAL, PROVENANCE, WAREHOUSE, read_run

FAULTS = ("full", "full within", "killed", "killed within")
ROOM = 8  # bytes that are written before the disk is full
PATIENCE = 120  # seconds, in a process that hangs
UNFINISHED = re.compile(r"(?:^|/)\.[^/]+\.reportgen-\d+(?=/|$)")
SECONDS = re.compile(rb'("seconds": )[0-9.]+')
DATES = "1000000000", "1100000000"  # of the earlier and the new run

RESULTS = """
study: {name: run}
measures: [error]
results: {file: results.csv}
analysis: {relevance: {error: [-0.01, 0.01]}}
report: {html: folder}
"""
SETUP = """
study: {name: run}
seed: 1
measures: [misclassification]
setup:
  datasets: [iris]
  candidates: [lda, rpart]
  resampling: {replications: %d}
"""


@dataclass(frozen=True)
class Write:
    """An event of the file system: which, and of which file in a run's folder."""

    kind: str
    path: str

    @property
    def place(self) -> tuple[str, str, str]:
        """What stands for the writes that are like this one."""
        path = Path(re.sub(r"(^|/)\.([^/]+)\.reportgen-\d+(?=/|$)", r"\1\2", self.path))
        is_edition = path.parts[:1] == (EDITION,)
        parts = path.parts[1:] if is_edition else path.parts
        folder = parts[0] if len(parts) > 1 else ""
        name = path.name if folder in ("", WAREHOUSE) else ""
        return self.kind, f"{EDITION}/" * is_edition + folder, name


@dataclass(frozen=True)
class End:
    """How a process has ended, and what it has said; its writes, where these were recorded."""

    code: int
    said: str
    writes: tuple[Write, ...] = ()


@dataclass
class Tally:
    """What came of the faults."""

    n_faults: Counter[str] = field(default_factory=Counter)
    half: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)
    unmended: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """All that is not as it should be."""
        return [*self.half, *self.mixed, *self.lost, *self.unsaid, *self.unmended]


Work = Callable[[], int | None]


def watch(work: Work, folder: Path) -> End:
    """Do work in a process of its own, and return what it writes into a folder."""
    return _apart(work, folder, None, "")


def inject(work: Work, folder: Path, number: int, fault: str) -> End:
    """Do work in a process of its own, in which a write meets a fault.

    Parameters
    ----------
    work : callable
    folder : Path
    number : int
        Of the write.
    fault : {"full", "full within", "killed", "killed within"}
    """
    return _apart(work, folder, number, fault)


def _apart(work: Work, folder: Path, number: int | None, fault: str) -> End:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        _child(work, _Watch(folder.resolve(), number, fault), writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    said, _, found = said.partition("\0")
    return End(code, said, tuple(Write(*entry) for entry in json.loads(found or "[]")))


def _child(work: Work, watch: _Watch, pipe: int) -> None:
    """Do the work, and tell what was said and written; it never returns."""
    code: Any = 70
    try:
        signal.alarm(PATIENCE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(pipe, 1)
        os.dup2(pipe, 2)
        sys.stdout = sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
        sys.addaudithook(watch)
        code = work() or 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    watch.is_over = True
    os.write(pipe, b"\0" + json.dumps([(w.kind, w.path) for w in watch.writes]).encode())
    os._exit(code if isinstance(code, int) else 1)


@dataclass
class _Watch:
    """An audit hook that sees all writes into a folder, and lets one of them meet a fault."""

    folder: Path
    number: int | None
    fault: str
    writes: list[Write] = field(default_factory=list)
    is_full: bool = False
    is_over: bool = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_over or (path := _written(event, arguments)) is None:
            return
        file = Path(os.path.abspath(path))  # noqa: PTH100 - a link is what is written
        if not file.is_relative_to(self.folder):
            return
        write = Write(event.removeprefix("os."), file.relative_to(self.folder).as_posix())
        if self.number == len(self.writes):
            self._break(write, file)
        self.writes.append(write)
        if self.is_full and write.kind not in ("remove", "rmdir"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    def _break(self, write: Write, file: Path) -> None:
        if self.fault == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "full":
            self.is_full = True
            return
        if write.kind != "open":
            return
        if self.fault == "killed within":
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        size = file.stat().st_size if file.exists() and write.path.endswith(JOURNAL) else 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + ROOM, resource.RLIM_INFINITY))


def _written(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Return what an event writes; None for one that writes nothing."""
    if event == "open":
        path, mode, flags = arguments
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        if isinstance(mode, str):
            return os.fsdecode(path) if set(mode) & set("wax+") else None
        return os.fsdecode(path) if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) else None
    if event == "os.rename":
        return os.fsdecode(arguments[1])
    if event in ("os.mkdir", "os.remove", "os.truncate"):
        return os.fsdecode(arguments[0]) if not isinstance(arguments[0], int) else None
    return None


# ------------------------------------------------------------------------------------ what is done


def call(*arguments: str | Path) -> int:
    """Call the command line in this process."""
    try:
        reportgen.main([str(a) for a in arguments], prog_name="reportgen")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@dataclass(frozen=True)
class Scene:
    """A command that is given over an earlier run.

    Attributes
    ----------
    folder : Path
        Of the run.
    work : callable
    old, new : mapping of str to bytes
        The files before and after it.
    writes : tuple of Write
        That it does.
    """

    folder: Path
    work: Work
    old: Mapping[str, bytes]
    new: Mapping[str, bytes]
    writes: tuple[Write, ...]
    command: str


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files in a folder but locks and what a killed process has not finished.

    Seconds that an execution took do not count.
    """
    return {
        name: SECONDS.sub(rb"\1", file.read_bytes())
        if file.name == PROVENANCE
        else file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and file.name != ".lock"
        and not UNFINISHED.search(name := file.relative_to(folder).as_posix())
    }


def unfinished(folder: Path) -> list[str]:
    """Return what a killed process has left beside whole files."""
    names = (file.relative_to(folder).as_posix() for file in folder.rglob("*"))
    return [name for name in names if UNFINISHED.search(name)]


def run_of_results(place: Path, formats: str = "html,pdf,qmd") -> Scene:
    """Return a run of results that have changed: with fewer measures, and another data set."""
    study, folder = place / "study.yaml", place / "out" / "run"
    study.write_text(RESULTS, encoding="utf-8")
    work = _dated(1, partial(call, "run", study, "-o", place / "out", "--format", formats, *QUIET))
    (place / "results.csv").write_text(_table("ab", 0.3), encoding="utf-8")
    before = ("run", study, "-o", place / "out", "--format", f"{formats},md", *QUIET)
    _begin(_dated(0, partial(call, *before)))
    (place / "results.csv").write_text(_table("ac", 0.2), encoding="utf-8")
    return _scene(folder, work, "run")


QUIET = ("--quiet", "--jobs", "1", "--sections", "inference")


def execution(place: Path) -> Scene:
    """Return an execution of more replications, by this process."""
    study, folder = place / "study.yaml", place / "out" / "run"

    def execute() -> None:
        try:
            pipeline.measure(pipeline.open_job(study, place / "out"), in_process=True)
        except (ReportgenError, OSError) as error:
            print(f"reportgen: {error}", file=sys.stderr)
            raise SystemExit(getattr(error, "exit_code", 2)) from error

    study.write_text(SETUP % 3, encoding="utf-8")
    _begin(_dated(0, execute))
    study.write_text(SETUP % 5, encoding="utf-8")
    return _scene(folder, _dated(1, execute), "execute")


def _begin(work: Work) -> None:
    """Do the earlier run in this process, which has then imported what the others need."""
    if code := work():
        raise RuntimeError(f"the earlier run has ended with {code}")


def _scene(folder: Path, work: Work, command: str) -> Scene:
    old = contents(folder)
    with _kept(folder):
        _begin(work)
    with _kept(folder):
        found = watch(work, folder)
        assert found.code == 0, found.said
        return Scene(folder, work, old, contents(folder), found.writes, command)


def _dated(number: int, work: Work) -> Work:
    def dated() -> int | None:
        os.environ["SOURCE_DATE_EPOCH"] = DATES[number]
        return work()

    return dated


def _table(datasets: str, level: float) -> str:
    rows = [
        f"{d},{b},{c},error,{level + 0.05 * k + 0.01 * ((7 * b + 3 * k + 5 * i) % 11):.3f}"
        for i, d in enumerate(datasets)
        for b in range(1, 9)
        for k, c in enumerate(("lda", "svm", "knn"))
    ]
    return "\n".join(["dataset,replication,candidate,measure,value", *rows, ""])


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Put a folder back as it was."""
    with TemporaryDirectory() as place:
        shutil.copytree(folder, Path(place) / "kept")
        yield
        shutil.rmtree(folder)
        shutil.copytree(Path(place) / "kept", folder)


@contextmanager
def quick_documents() -> Iterator[None]:
    """Set no document twice: processes that are forked later have those of this one."""
    documents: dict[Any, bytes] = {}
    reports: dict[str, Any] = {}
    projects: dict[tuple[int, str], tuple[Any, Any]] = {}
    typeset, analyse = pdf.set_document, pipeline.analyse
    compose = quarto.compose_project

    def set_once(manuscript: pdf.Manuscript) -> bytes:
        key = manuscript.before, manuscript.after, manuscript.blocks
        if key not in documents:
            documents[key] = typeset(manuscript)
        return documents[key]

    def analyse_once(job: Any, warehouse: Any, origin: Any, **options: Any) -> Any:
        if origin.warehouse not in reports:
            reports[origin.warehouse] = analyse(job, warehouse, origin, **options)
        return reports[origin.warehouse]

    def compose_once(report: Any, folders: Any) -> Any:
        key = id(report.contents), report.length
        if key not in projects:  # with the contents, so that no others have their place
            projects[key] = report.contents, compose(report, folders)
        return projects[key][1]

    with (
        patch.object(pdf, "set_document", set_once),
        patch.object(pipeline, "analyse", analyse_once),
        patch.object(quarto, "compose_project", compose_once),
    ):
        yield


# ---------------------------------------------------------------------------------- what is found


def all_faults(writes: Sequence[Write], most: int | None = None) -> Iterator[tuple[int, str]]:
    """Yield every write, or as many as told of each place, with every fault that it can meet."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for number, write in enumerate(writes):
        counts[write.place] += 1
        if most is not None and counts[write.place] > most:
            continue
        for fault in FAULTS:
            if write.kind == "open" or not fault.endswith("within"):
                yield number, fault


def some_faults(writes: Sequence[Write]) -> Iterator[tuple[int, str]]:
    """Yield a write of each place with one fault, in turn; but to folders."""
    seen: set[tuple[str, str, str]] = set()
    turns: Counter[str] = Counter()
    for number, fault in all_faults(writes):
        write = writes[number]
        is_unfinished = UNFINISHED.search(write.path) and write.kind != "open"
        is_aside = write.kind == "mkdir" or is_unfinished
        if is_aside or write.place in seen:
            continue
        possible = FAULTS if write.kind == "open" else FAULTS[::2]
        if fault == possible[turns[write.kind] % len(possible)]:
            seen.add(write.place)
            turns[write.kind] += 1
            yield number, fault


def try_faults(scene: Scene, tally: Tally, faults: Iterable[tuple[int, str]]) -> None:
    """Let writes meet faults, one in each process, and look what is left."""
    for number, fault in faults:
        write = scene.writes[number]
        with _kept(scene.folder):
            tally.n_faults[fault] += 1
            end = inject(scene.work, scene.folder, number, fault)
            for kind, found in _look(scene, end, fault):
                said = f"{scene.command}: {fault} at {write.kind} {write.path}: {found}"
                getattr(tally, kind).append(said)


def _look(scene: Scene, end: End, fault: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong after a fault, and after the command was given again."""
    if fault.startswith("full") and end.code:
        if "Traceback" in end.said or not re.search(r"No space|too large", end.said):
            yield "unsaid", f"exit code {end.code}, {end.said!r}"
        elif str(scene.folder) not in end.said:
            yield "unsaid", f"no file named: {end.said!r}"
    found = contents(scene.folder)
    for name, content in found.items():
        if not name.endswith(JOURNAL) and content not in (
            scene.old.get(name),
            scene.new.get(name),
        ):
            yield "half", name
    for name in scene.old.keys() & scene.new.keys() - found.keys():
        yield "half", f"{name} is not there"
    yield from (("mixed", name) for name in _mixed(scene, found))
    yield from (("lost", text) for text in _lost(scene))
    again = inject(scene.work, scene.folder, -1, "")
    if again.code:
        yield "unmended", f"exit code {again.code}: {again.said!r}"
        return
    after = contents(scene.folder)
    for name in sorted(after.keys() | scene.new.keys()):
        if name.endswith((JOURNAL, PROVENANCE)) and scene.command == "execute":
            continue  # times
        if after.get(name) != scene.new.get(name):
            yield "unmended", f"{name} is not as without a fault"
    for name in unfinished(scene.folder):
        yield "unmended", f"{name} is left"


def _mixed(scene: Scene, found: Mapping[str, bytes]) -> Iterator[str]:
    """Yield whether files stand together that do not belong together, without a word."""
    changed = {
        n for n in scene.old.keys() | scene.new.keys() if scene.old.get(n) != scene.new.get(n)
    }
    for is_stored in (True, False):
        own = {n for n in changed if n.startswith(f"{WAREHOUSE}/") == is_stored}
        own = {n for n in own if not n.endswith((JOURNAL, ".input")) and "earlier" not in n}
        sides = {found.get(n) == scene.new.get(n) for n in own}
        if len(sides) > 1:
            try:
                if is_stored:
                    _read(scene.folder)
                else:
                    check_whole(scene.folder)
                yield "warehouse" if is_stored else "report"
            except (StudyError, WarehouseError):
                pass


def _read(folder: Path) -> None:
    study = folder.parents[1] / "study.yaml"
    job = pipeline.open_job(study, folder.parent)
    read_run(job.study, job.warehouse_folder, job.command)


def _lost(scene: Scene) -> Iterator[str]:
    """Yield how many results are not there any more."""
    name = f"{WAREHOUSE}/{JOURNAL}"
    if name not in scene.old:
        return
    with TemporaryDirectory() as place:
        before = Path(place) / JOURNAL
        before.write_bytes(scene.old[name])
        n_lost = len(read_journal(before).keys() - read_journal(scene.folder / name).keys())
    if n_lost:
        yield f"{n_lost} fits"


def main(most: int | None) -> None:
    """Try all faults at all writes of an execution, and at those of a run."""
    tally = Tally()
    for scene_of in (execution, run_of_results):
        with TemporaryDirectory() as place, quick_documents():
            scene = scene_of(Path(place).resolve())
            own = None if scene.command == "execute" else most
            try_faults(scene, tally, all_faults(scene.writes, own))
            print(f"{scene.command}: {len(scene.writes)} writes, {tally.n_faults.total()} faults")
    print("\n".join(tally.faults))
    print(", ".join(f"{n} {fault}" for fault, n in tally.n_faults.items()))
    print(
        f"{sum(tally.n_faults.values())} faults injected, {len(tally.half)} half files, "
        f"{len(tally.mixed)} mixed, {len(tally.lost)} lost results, "
        f"{len(tally.unsaid) + len(tally.unmended)} others"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
