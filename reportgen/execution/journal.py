"""The journal: one checksummed line for every fit, written as soon as it is measured.

A line is the CRC-32 of its text in hexadecimal, a blank, and JSON in ASCII. A
fit's line names its family by the number that an earlier line gave it::

    {"versions": {"numpy": "2.1.0", …}}        with which all that follows is measured
    {"id": 0, "family": "9f0c…", "dataset": "iris", "candidate": "lda", "values": ["mse"]}
    [0, 1, [0.25], [150, 96, 54], 0.012]       replication, values, sizes, seconds
    [0, 2, {"status": "failed", …}]            replication, and all else that is known
"""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from reportgen.errors import ExecutionError
from reportgen.execution.journal_lines import (
    Contents,
    Header,
    Key,
    content_of,
    line,
    read_lines,
)
from reportgen.execution.journal_repair import aside_of, cut_torn_line, write_all, write_without
from reportgen.execution.replication import Cell, Outcome

__all__ = ["Journal", "Key", "open_journal", "read_journal"]

log = logging.getLogger("reportgen")


@dataclass(slots=True)
class Journal:
    """What was measured so far, and where to write what is measured next.

    Attributes
    ----------
    outcomes : dict
        The last outcome of each key.
    sessions : list of mapping
        The versions with which each session measured, by `Outcome.session`.
    versions : mapping of str to str
        Those of this session.
    """

    outcomes: dict[Key, Outcome] = field(default_factory=dict)
    sessions: list[Mapping[str, str]] = field(default_factory=lambda: [{}])
    versions: Mapping[str, str] = field(default_factory=dict)
    _has_begun: bool = False
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
        text = b"" if self._has_begun else line({"versions": self.versions})
        if number is None:
            number = 1 + max(self._headers.values(), default=-1)
            text += line(_described(number, header, cell))
        text += line([number, replication, *content_of(outcome)])
        try:
            write_all(text, self._file)
        except OSError as error:
            raise ExecutionError(f"the journal cannot be written: {error}") from error
        if not self._has_begun:
            self._has_begun = True
            self.sessions.append(self.versions)
        self._headers[header] = number
        self.outcomes[key] = replace(outcome, session=len(self.sessions) - 1)


def _described(number: int, header: Header, cell: Cell) -> dict[str, Any]:
    return {
        "id": number,
        "family": header.family,
        "dataset": cell.dataset,
        "candidate": cell.candidate,
        "values": header.values,
    }


@contextmanager
def open_journal(path: Path | None, versions: Mapping[str, str] | None = None) -> Iterator[Journal]:
    """Read a journal, repair it and keep it open for what comes.

    What follows the last whole line is dropped, and damaged lines go to a file
    beside the journal, so that they are told of once.

    Parameters
    ----------
    path : Path or None
        None for one that is not kept.
    versions : mapping of str to str, optional
        With which this session measures.

    Raises
    ------
    ExecutionError
        If another execution writes to it, or it cannot be opened.
    """
    if path is None:
        yield Journal(versions=versions or {})
        return
    file = _own(path)
    try:
        cut_torn_line(path, file)
        contents = read_lines(path)
        if contents.damaged:
            file = _repaired(path, file, contents)
        headers = {header: number for number, header in contents.headers.items()}
        yield Journal(
            contents.outcomes, contents.sessions, versions or {}, _headers=headers, _file=file
        )
        os.fsync(file.fileno())
    finally:
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
            file = path.open("ab", buffering=0)
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


def _repaired(path: Path, file: BinaryIO, contents: Contents) -> BinaryIO:
    """Put a journal without its damaged lines in place of one, and return it open."""
    told = f"{path.name}: {len(contents.damaged)} damaged lines do not count"
    try:
        whole = _replaced(path, contents.damaged)
    except OSError as error:
        log.warning("%s (and cannot be moved: %s)", told, error)
        return file
    file.close()
    log.warning("%s; they were moved to %s", told, aside_of(path).name)
    return whole


def _replaced(path: Path, damaged: list[int]) -> BinaryIO:
    """Write the journal anew without some lines; it has its lock before it has its name."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    file = beside.open("ab", buffering=0)
    try:
        _lock(file, path)
        write_without(path, damaged, file)
        beside.replace(path)
    except BaseException:
        file.close()
        beside.unlink(missing_ok=True)
        raise
    return file


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
