"""The journal: one checksummed line for every fit, written as soon as it is measured.

A line is the CRC-32 of its text in hexadecimal, a blank, and JSON in ASCII. A
fit's line names its family by the number that an earlier line gave it::

    {"id": 0, "family": "9f0c…", "dataset": "iris", "candidate": "lda", "values": ["mse"]}
    [0, 1, [0.25], [150, 96, 54], 0.012]       replication, values, sizes, seconds
    [0, 2, {"status": "failed", …}]            replication, and all else that is known
"""

from __future__ import annotations

import gc
import io
import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zlib import crc32

from reportgen.errors import ExecutionError
from reportgen.execution.replication import Cell, Outcome

log = logging.getLogger("reportgen")

Key = tuple[str, int]
"""A family (what a fit depends on, but for the replication) and the replication."""

CHUNK = 20_000  # lines that are parsed at once
OTHERS = ("stage", "message", "absent", "warnings", "timeout", "chosen")


class Header(NamedTuple):
    """What the lines of a number have in common."""

    family: str
    values: tuple[str, ...]


@dataclass(slots=True)
class Journal:
    """What was measured so far, and where to write what is measured next.

    Attributes
    ----------
    outcomes : dict
        The last outcome of each key.
    """

    outcomes: dict[Key, Outcome] = field(default_factory=dict)
    _headers: dict[Header, int] = field(default_factory=dict)
    _file: BinaryIO = field(default_factory=io.BytesIO)

    def append(self, key: Key, cell: Cell, outcome: Outcome) -> None:
        """Write an outcome; it is safe from the end of this process when this returns.

        Raises
        ------
        ExecutionError
            If it cannot be written: the disk is full, for example.
        """
        family, replication = key
        header = Header(family, tuple(outcome.values))
        number = self._headers.get(header)
        text = b""
        if number is None:
            number = 1 + max(self._headers.values(), default=-1)
            text = _line(_described(number, header, cell))
        text += _line([number, replication, *_content(outcome)])
        try:
            while text:  # a disk that is nearly full may take a part
                text = text[self._file.write(text) :]
        except OSError as error:
            raise ExecutionError(f"the journal cannot be written: {error}") from error
        self._headers[header] = number
        self.outcomes[key] = outcome


def _described(number: int, header: Header, cell: Cell) -> dict[str, Any]:
    return {
        "id": number,
        "family": header.family,
        "dataset": cell.dataset,
        "candidate": cell.candidate,
        "values": header.values,
    }


def _content(outcome: Outcome) -> list[Any]:
    """Return the numbers alone where there is nothing else to say."""
    values = list(outcome.values.values())
    others = {name: value for name in OTHERS if (value := getattr(outcome, name))}
    if outcome.status == "ok" and not others and outcome.sizes:
        return [values, outcome.sizes, outcome.seconds]
    numbers = {"values": values, "sizes": outcome.sizes, "seconds": outcome.seconds}
    return [{"status": outcome.status, **numbers, **others}]


def _line(entry: object) -> bytes:
    text = json.dumps(entry, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b"%08x %s\n" % (crc32(text), text)


@contextmanager
def open_journal(path: Path | None) -> Iterator[Journal]:
    """Read a journal, repair its end and keep it open for what comes.

    Parameters
    ----------
    path : Path or None
        None for one that is not kept.

    Raises
    ------
    ExecutionError
        If another execution writes to it, or it cannot be opened.
    """
    if path is None:
        yield Journal()
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise ExecutionError(f"the journal cannot be opened: {error}") from error
    with file:
        _lock(file, path)
        _cut_torn_line(path, file)
        outcomes, headers = _read(path)
        yield Journal(outcomes, headers, file)
        os.fsync(file.fileno())


def read_journal(path: Path) -> dict[Key, Outcome]:
    """Return the last outcome of each key; empty where there is no journal.

    A line whose checksum is wrong, such as the last one after a power cut,
    counts as not written.
    """
    return _read(path)[0]


def _read(path: Path) -> tuple[dict[Key, Outcome], dict[Header, int]]:
    """Return outcomes, and the numbers of their families."""
    outcomes: dict[Key, Outcome] = {}
    headers: dict[int, Header] = {}
    if not path.exists():
        return outcomes, {}
    n_damaged = 0
    with path.open("rb") as file, _without_garbage_collection():
        lines = iter(file)
        while chunk := list(islice(lines, CHUNK)):
            whole = [text for line in chunk if (text := _text(line)) is not None]
            n_damaged += len(chunk) - len(whole) + _take(_parsed(whole), outcomes, headers)
    if n_damaged:
        log.warning("%s: %d damaged lines do not count", path.name, n_damaged)
    return outcomes, {header: number for number, header in headers.items()}


def _text(line: bytes) -> bytes | None:
    """Return a line's JSON, or None where the line is damaged."""
    text = line[9:-1]
    if line[:9] != b"%08x " % crc32(text) or line[-1:] != b"\n":
        return None
    return text


def _parsed(texts: list[bytes]) -> Iterable[Any]:
    """Parse many lines at once; a line that is no JSON becomes None."""
    try:
        parsed: list[Any] = json.loads(b"[%s]" % b",".join(texts))
    except ValueError:
        return [_parsed_alone(text) for text in texts]
    return parsed


def _parsed_alone(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _take(entries: Iterable[Any], outcomes: dict[Key, Outcome], headers: dict[int, Header]) -> int:
    """Put entries in their places, and return how many make no sense."""
    n_damaged = 0
    for entry in entries:
        try:
            if isinstance(entry, dict):
                headers[entry["id"]] = Header(entry["family"], tuple(entry["values"]))
                continue
            number, replication, *content = entry
            header = headers[number]
            outcomes[header.family, replication] = _outcome(header.values, content)
        except (ValueError, KeyError, TypeError, IndexError):
            n_damaged += 1
    return n_damaged


def _outcome(names: tuple[str, ...], content: list[Any]) -> Outcome:
    if len(content) == 3:
        values, sizes, seconds = content
        return Outcome("ok", dict(zip(names, values, strict=True)), tuple(sizes), seconds=seconds)
    known = dict(content[0])
    known["values"] = dict(zip(names, known["values"], strict=True))
    known["sizes"] = tuple(known["sizes"]) if known["sizes"] else None
    known["warnings"] = tuple(known.get("warnings", ()))
    return Outcome(**known)


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


def _cut_torn_line(path: Path, file: BinaryIO) -> None:
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


def _lock(file: BinaryIO, path: Path) -> None:
    """Take the journal for this process; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # no such locks on Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ExecutionError(f"another execution is at work in {path.parent}") from error
