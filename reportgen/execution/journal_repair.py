"""What becomes of a journal that a power cut or a bad disk has damaged."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from reportgen.execution.journal_lines import CHUNK

ASIDE = ".damaged"  # ends the name of the file for what cannot be read


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


def aside_of(path: Path) -> Path:
    """Return the file that takes the damaged lines of a journal."""
    return path.with_name(path.name + ASIDE)


def write_without(path: Path, damaged: Collection[int], file: BinaryIO) -> None:
    """Copy a journal's lines to another file, and those that are damaged beside it.

    Parameters
    ----------
    path : Path
        The journal.
    damaged : collection of int
        Places of the lines that go to `aside_of(path)`, behind what is there.
    file : BinaryIO
        Takes the others; it is safe on the disk when this returns.
    """
    apart = frozenset(damaged)
    with aside_of(path).open("ab") as aside:
        for first, chunk in _chunks(path):
            kept = [text for i, text in enumerate(chunk, first) if i not in apart]
            aside.writelines(text for i, text in enumerate(chunk, first) if i in apart)
            write_all(b"".join(kept), file)
        aside.flush()
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
