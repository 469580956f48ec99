"""The journal: one checksummed line for every fit, written as soon as it is measured.

A line is the CRC-32 of its text in hexadecimal, a blank, and JSON in ASCII. A
fit's line names its family by the number that an earlier line gave it::

    {"versions": {"numpy": "2.1.0", …}}        with which all that follows is measured
    {"id": 0, "family": "9f0c…", "dataset": "iris", …, "values": ["mse"], "clock": true}
    [0, 1, [0.25], [150, 96, 54], [0.012, 0.01]]       replication, values, sizes, seconds
    [0, 3, [0.25], [150, 96, 54], [0.012, 0.01], {"mse": "f54:…"}]            and losses
    [0, 2, {"status": "failed", …}]            replication, and all else that is known

Lines that a power cut or a bad disk has damaged are moved to a file of their own, and
their fits are done again. Seconds are those of the clock and of the processor. Lines
without the word `clock` are of versions up to 0.2, which measured processor seconds alone:
they are read under that name.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zlib import crc32

from reportgen.data_classes import dataclass
from reportgen.errors import ExecutionError
from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.printed_output import LOG, PrintedOutput
from reportgen.file_reading import kind_fault
from reportgen.file_writing import lock, open_to_add

Key = tuple[str, int]
"""A family (what a fit depends on, but for the replication) and the replication."""
CHUNK = 20_000  # lines that are parsed at once
OF_PROCESSOR = {"fit-time": "fit-cpu-time", "predict-time": "predict-cpu-time", "time": "cpu-time"}
OTHERS = ("stage", "message", "missing", "warnings", "timeout", "memory", "chosen", "kept", "curve")
DAMAGED_SUFFIX = ".damaged"  # ends the name of the file for what cannot be read
log = logging.getLogger("reportgen")


class Header(NamedTuple):
    """The common part of the lines of a number."""

    family: str
    values: tuple[str, ...]


@dataclass(slots=True)
class Contents:
    """The content of the lines of a journal."""

    outcomes: dict[Key, Outcome] = field(default_factory=dict)  # the last outcome of each key
    headers: dict[int, Header] = field(default_factory=dict)  # by the number that stands for each
    # The versions with which each session measured; the first one stands for what was measured
    # before versions were recorded.
    sessions: list[Mapping[str, str]] = field(default_factory=lambda: [{}])
    # Places of the lines that do not count, from 0.
    damaged: list[int] = field(default_factory=list)

    def take(self, places: Iterable[int], entries: Iterable[Any]) -> None:
        """Put entries in their places, and note those that make no sense."""
        for place, entry in zip(places, entries, strict=True):
            try:
                self._take(entry)
            except (ValueError, KeyError, TypeError, IndexError):
                self.damaged.append(place)

    def _take(self, entry: Any) -> None:
        if isinstance(entry, dict) and "versions" in entry:
            self.sessions.append(dict(entry["versions"]))
            return
        if isinstance(entry, dict):
            names = {} if entry.get("clock") else OF_PROCESSOR
            values = tuple(names.get(name, name) for name in entry["values"])
            self.headers[entry["id"]] = Header(entry["family"], values)
            return
        number, replication, *content = entry
        header = self.headers[number]
        self.outcomes[header.family, replication] = _outcome(
            header.values, content, len(self.sessions) - 1
        )


def line(entry: object) -> bytes:
    """Write an entry with its checksum."""
    text = json.dumps(entry, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b"%08x %s\n" % (crc32(text), text)


def content_of(outcome: Outcome) -> list[Any]:
    """Return the numbers alone where there is nothing else."""
    values = list(outcome.values.values())
    seconds = [outcome.seconds, outcome.cpu_seconds]
    others = {name: value for name in OTHERS if (value := getattr(outcome, name))}
    if outcome.status == "ok" and not others and outcome.sizes:
        numbers = [values, outcome.sizes, seconds]
        return [*numbers, outcome.losses] if outcome.losses else numbers
    known = {"values": values, "sizes": outcome.sizes, "seconds": seconds}
    more = {"losses": outcome.losses} if outcome.losses else {}
    return [{"status": outcome.status, **known, **others, **more}]


def read_lines(path: Path) -> Contents:
    """Read all lines of a file; one whose checksum is wrong counts as not written.

    Raises ExecutionError if it is no file, but a pipe or device.
    """
    if fault := kind_fault(path):
        raise ExecutionError(f"{path}: found {fault}; allowed a file")
    contents = Contents()
    if not path.exists():
        return contents
    n_read = 0
    with path.open("rb") as file, _without_garbage_collection():
        while chunk := list(islice(file, CHUNK)):
            texts = [_text(written) for written in chunk]
            whole = [i for i, text in enumerate(texts, n_read) if text is not None]
            contents.damaged += [i for i, text in enumerate(texts, n_read) if text is None]
            contents.take(whole, _parse([text for text in texts if text is not None]))
            n_read += len(chunk)
    return contents


def _text(written: bytes) -> bytes | None:
    """Return a line's JSON, or None where the line is damaged."""
    text = written[9:-1]
    if written[:9] != b"%08x " % crc32(text) or written[-1:] != b"\n":
        return None
    return text


def _parse(texts: list[bytes]) -> list[Any]:
    """Parse many lines at once; a line that is no JSON becomes None."""
    try:
        parsed: list[Any] = json.loads(b"[%s]" % b",".join(texts))
    except ValueError:
        parsed = []
    return parsed if len(parsed) == len(texts) else [_parsed_alone(text) for text in texts]


def _parsed_alone(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _outcome(names: tuple[str, ...], content: list[Any], session: int) -> Outcome:
    if len(content) in (3, 4):
        values, sizes, seconds, *rest = content
        named = dict(zip(names, values, strict=True))
        losses = dict(rest[0]) if rest else {}
        clock, processor = _seconds(seconds)
        return Outcome(
            "ok",
            named,
            tuple(sizes),
            seconds=clock,
            cpu_seconds=processor,
            losses=losses,
            session=session,
        )
    known: dict[str, Any] = dict(content[0])
    if "absent" in known:  # of an earlier version
        known["missing"] = known.pop("absent")
    clock, processor = _seconds(known["seconds"])
    return Outcome(
        **{
            **known,
            "seconds": clock,
            "cpu_seconds": processor,
            "values": dict(zip(names, known["values"], strict=True)),
            "sizes": tuple(known["sizes"]) if known["sizes"] else None,
            "warnings": tuple(known.get("warnings", ())),
            "session": session,
        }
    )


def _seconds(written: Any) -> tuple[float, float]:
    """Return those of the clock and of the processor; one number is of an earlier version."""
    clock, processor = written if isinstance(written, list) else (written, 0.0)
    return clock, processor


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Make many objects that all stay: looking for garbage among them takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def cut_torn_line(path: Path, file: BinaryIO) -> None:
    """Drop what follows the last line feed, so that the next line starts afresh."""
    size = path.stat().st_size
    with path.open("rb") as written:
        start = size
        while start > 0:
            step = min(start, 4096)
            written.seek(start - step)
            feed = written.read(step).rfind(b"\n")
            if feed >= 0:
                start += feed + 1 - step
                break
            start -= step
    if start < size:
        file.truncate(start)


def damaged_file_of(path: Path) -> Path:
    """Return the file that takes the damaged lines of a journal."""
    return path.with_name(path.name + DAMAGED_SUFFIX)


def write_intact_lines(path: Path, damaged: Collection[int], file: BinaryIO) -> None:
    """Copy a journal's lines to another file, and damaged ones to a file next to it.

    `path`: the journal.
    `damaged`: places of the lines that go to `aside_of(path)`, behind what is there.
    `file`: takes the others; it is safe on the disk when this returns.
    """
    apart = frozenset(damaged)
    with open_to_add(damaged_file_of(path)) as aside:
        for first, chunk in _chunks(path):
            kept = [text for i, text in enumerate(chunk, first) if i not in apart]
            write_all(b"".join(text for i, text in enumerate(chunk, first) if i in apart), aside)
            write_all(b"".join(kept), file)
        os.fsync(aside.fileno())
    os.fsync(file.fileno())


def write_all(text: bytes, file: BinaryIO) -> None:
    """Write to a file without a buffer; a disk that is nearly full may take a part at a time."""
    while text:
        text = text[file.write(text) :]


def _chunks(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines many at once, each time with the place of the first."""
    first = 0
    with path.open("rb") as lines:
        while chunk := list(islice(lines, CHUNK)):
            yield first, chunk
            first += len(chunk)


@dataclass(slots=True)
class Journal:
    """The measured outcomes so far, and the file for the next ones."""

    outcomes: dict[Key, Outcome] = field(default_factory=dict)  # the last outcome of each key
    # The versions with which each session measured, by `Outcome.session`.
    sessions: list[Mapping[str, str]] = field(default_factory=lambda: [{}])
    versions: Mapping[str, str] = field(default_factory=dict)  # those of this session
    output: PrintedOutput = field(default_factory=PrintedOutput)  # takes what fits print
    _has_begun: bool = False
    _headers: dict[Header, int] = field(default_factory=dict)
    _file: BinaryIO = field(default_factory=io.BytesIO)

    def append(self, key: Key, cell: Cell, outcome: Outcome) -> None:
        """Write an outcome; it is safe from the end of this process when this returns.

        Raises ExecutionError if it cannot be written: the disk is full, for example.
        """
        family, replication = key
        header = Header(family, tuple(outcome.values))
        number = self._headers.get(header)
        text = b"" if self._has_begun else line({"versions": self.versions})
        if number is None:
            number = 1 + max(self._headers.values(), default=-1)
            text += line(_describe(number, header, cell))
        text += line([number, replication, *content_of(outcome)])
        try:
            write_all(text, self._file)
        except OSError as error:
            error.filename = str(getattr(self._file, "name", "a file that is not kept"))
            raise ExecutionError(f"the journal cannot be written: {error}") from error
        if not self._has_begun:
            self._has_begun = True
            self.sessions.append(self.versions)
        self._headers[header] = number
        self.outcomes[key] = replace(outcome, session=len(self.sessions) - 1)


def _describe(number: int, header: Header, cell: Cell) -> dict[str, Any]:
    return {
        "id": number,
        "family": header.family,
        "dataset": cell.dataset,
        "candidate": cell.candidate,
        "values": header.values,
        "clock": True,
    }


@contextmanager
def open_journal(path: Path | None, versions: Mapping[str, str] | None = None) -> Iterator[Journal]:
    """Read a journal, repair it and keep it open for what comes.

    What follows the last whole line is dropped, and damaged lines go to a file
    next to the journal, so that they are logged once.

    `path`: None for one that is not kept.
    `versions`: with which this session measures.
    Raises ExecutionError if another execution writes to it, or it cannot be opened.
    """
    if path is None:
        yield Journal(versions=versions or {})
        return
    file = _own(path)
    output = PrintedOutput(path.with_name(LOG))
    try:
        cut_torn_line(path, file)
        contents = read_lines(path)
        if contents.damaged:
            file = _repair(path, file, contents)
        headers = {header: number for number, header in contents.headers.items()}
        yield Journal(
            *(contents.outcomes, contents.sessions, versions or {}, output),
            _headers=headers,
            _file=file,
        )
        os.fsync(file.fileno())
    finally:
        output.close()
        file.close()


def read_journal(path: Path) -> dict[Key, Outcome]:
    """Return the last outcome of each key; empty where there is no journal.

    A line whose checksum is wrong, such as the last one after a power cut,
    counts as not written.
    """
    contents = read_lines(path)
    if contents.damaged:
        log.warning("%s: %d damaged lines do not count", path.name, len(contents.damaged))
    return contents.outcomes


def _own(path: Path) -> BinaryIO:
    """Open a journal that belongs to this process alone."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = open_to_add(path)
        except OSError as error:
            raise ExecutionError(f"the journal cannot be opened: {error}") from error
        try:
            _lock(file, path)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BaseException:
            file.close()
            raise
        file.close()  # another execution has replaced it meanwhile


def _repair(path: Path, file: BinaryIO, contents: Contents) -> BinaryIO:
    """Put a journal without its damaged lines in place of one, and return it open."""
    message = f"{path.name}: {len(contents.damaged)} damaged lines do not count"
    try:
        whole = _replace_damaged(path, contents.damaged)
    except OSError as error:
        log.warning("%s (and cannot be moved: %s)", message, error)
        return file
    file.close()
    log.warning("%s; they were moved to %s", message, damaged_file_of(path).name)
    return whole


def _replace_damaged(path: Path, damaged: list[int]) -> BinaryIO:
    """Write the journal anew without some lines; it has its lock before it has its name."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    file = temporary.open("ab", buffering=0)
    try:
        _lock(file, path)
        write_intact_lines(path, damaged, file)
        temporary.replace(path)
    except BaseException:
        file.close()
        temporary.unlink(missing_ok=True)
        raise
    return file


def _lock(file: BinaryIO, path: Path) -> None:
    """Take the journal for this process; the lock ends with the process."""
    if lock(file, path.parent) is False:
        raise ExecutionError(f"another execution is at work in {path.parent}")
