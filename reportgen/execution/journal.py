"""The journal: one checksummed line for every fit, written as soon as it is measured."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from reportgen.errors import ExecutionError
from reportgen.execution.replication import Cell, Outcome

log = logging.getLogger("reportgen")

Key = tuple[str, int]
"""A family (what a fit depends on, but for the replication) and the replication."""


@dataclass(slots=True)
class Journal:
    """What was measured so far, and where to write what is measured next.

    Attributes
    ----------
    outcomes : dict
        The last outcome of each key.
    """

    outcomes: dict[Key, Outcome] = field(default_factory=dict)
    _file: BinaryIO = field(default_factory=io.BytesIO)

    def append(self, key: Key, cell: Cell, outcome: Outcome) -> None:
        """Write an outcome; it is safe from the end of this process when this returns.

        Raises
        ------
        ExecutionError
            If it cannot be written: the disk is full, for example.
        """
        family, replication = key
        content = {name: value for name, value in asdict(outcome).items() if value}
        entry = {"family": family, **cell._asdict(), "replication": replication, **content}
        text = json.dumps(entry, separators=(",", ":"), allow_nan=False).encode("ascii")
        try:
            self._file.write(b"%08x %s\n" % (crc32(text), text))
            self._file.flush()
        except OSError as error:
            raise ExecutionError(f"the journal cannot be written: {error}") from error
        self.outcomes[key] = outcome


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
        file = path.open("ab")
    except OSError as error:
        raise ExecutionError(f"the journal cannot be opened: {error}") from error
    with file:
        _lock(file, path)
        outcomes = read_journal(path)
        _cut_torn_line(path, file)
        try:
            yield Journal(outcomes, file)
        finally:
            file.flush()
            os.fsync(file.fileno())


def read_journal(path: Path) -> dict[Key, Outcome]:
    """Return the last outcome of each key; empty where there is no journal.

    A line whose checksum is wrong, such as the last one after a power cut,
    counts as not written.
    """
    if not path.exists():
        return {}
    outcomes: dict[Key, Outcome] = {}
    n_damaged = 0
    with path.open("rb") as file:
        for line in file:
            entry = _entry(line)
            if entry is None:
                n_damaged += 1
            else:
                key, outcome = entry
                outcomes[key] = outcome
    if n_damaged:
        log.warning("%s: %d damaged lines; their fits are done again", path.name, n_damaged)
    return outcomes


def _entry(line: bytes) -> tuple[Key, Outcome] | None:
    """Read a line, or return None where it is damaged."""
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % crc32(text):
        return None
    try:
        entry = json.loads(text)
        key = (str(entry["family"]), int(entry["replication"]))
        sizes = entry.get("sizes")
        return key, Outcome(
            entry["status"],
            entry.get("values", {}),
            tuple(sizes) if sizes else None,
            entry.get("stage", ""),
            entry.get("message", ""),
            entry.get("absent", {}),
            tuple(entry.get("warnings", ())),
            entry.get("timeout"),
        )
    except (ValueError, KeyError, TypeError):
        return None


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
