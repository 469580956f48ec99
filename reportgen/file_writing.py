"""Files that are written whole or not at all: who reads one finds what was there, or what is new.

A process that is killed while it writes leaves at most a hidden file beside the one that it was
about to replace; the next one whose turn it is in that folder removes it.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from threading import get_native_id
from typing import BinaryIO

from reportgen.file_reading import kind_fault

LOCK = ".lock"
LEFT = re.compile(r"\..+\.reportgen-\d+")  # the name of what a killed process has not finished
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
A_DAY = 24 * 60 * 60  # in seconds: longer than any report takes
NO_LOCKS = "this file system has no locks; let one run at a time write there"
log = logging.getLogger("reportgen")


def unfinished(path: Path) -> Path:
    """Return where a file or folder is while it is made: beside its place, hidden."""
    return path.with_name(f".{path.name}.reportgen-{get_native_id()}")


@contextmanager
def replacement(path: Path, *, follows: bool = True) -> Iterator[Path]:
    """Yield the place for a file that replaces another once it is whole.

    `path`: A device or a pipe is written itself, and where a link leads is replaced.
    `follows`: whether that is so; in a run's folder, which may be anybody's, what is there goes.
    Raises OSError with the name of the file, which is then as it was.
    """
    if follows and path.exists() and not path.is_file():
        try:
            with open_pipe(path):
                yield path
        except OSError as error:
            error.filename = error.filename or str(path)
            raise
        return
    place = path.resolve() if follows else path
    temporary = unfinished(place)
    try:
        yield temporary
        temporary.replace(place)
    except OSError as error:
        if error.filename in (None, str(temporary)):  # else it is about what is read meanwhile
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def open_pipe(path: Path) -> Iterator[None]:
    """Keep a pipe open while it is written; anything else stays as it is.

    Raises OSError with its name where nobody reads the pipe: to write would wait without end.
    """
    if not path.is_fifo():
        yield
        return
    try:
        number = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "a pipe that nobody reads", str(path)) from None
        raise
    try:
        yield
    finally:
        os.close(number)


def write_bytes(path: Path, content: bytes, *, follows: bool = True) -> None:
    """Write a file.

    `follows`: whether to where a link leads.
    Raises OSError with the name of the file, which is then as it was.
    """
    with replacement(path, follows=follows) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, text: str, *, follows: bool = True) -> None:
    """Write a file as UTF-8 with line feeds, whatever the system's customs are.

    `follows`: whether to where a link leads.
    Raises OSError with the name of the file, which is then as it was.
    """
    write_bytes(path, text.encode("utf-8"), follows=follows)


def open_to_add(path: Path) -> BinaryIO:
    """Open a file of a run's folder to add to it, without a buffer; it is made where it is missing.

    Raises OSError with its name if it is a link, by which others would have us write elsewhere, or
    a pipe or device, which may wait without end.
    """
    if fault := "a link" if path.is_symlink() else kind_fault(path):
        raise OSError(errno.EINVAL, f"found {fault}; allowed a file", str(path))
    return path.open("ab", buffering=0)


def lock(file: BinaryIO | int, folder: Path, *, wait: bool = False) -> bool | None:
    """Take a file for this process, until it is closed or the process ends.

    `file`: open, or its descriptor, which may be that of a folder.
    `folder`: that a warning names.
    `wait`: whether to wait until another process has given it back.
    Result: False where another process has it; None where there are no locks: on Windows, and on
    some file systems, which a warning tells.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
        log.warning("%s: %s", folder, NO_LOCKS)
        return None
    return True


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let processes that use this write into a folder one after the other; no file is left there.

    `folder`: made where it is missing. On Windows, and where a file system has no locks, nobody
    waits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:  # on Windows
        yield
        return
    try:
        lock(number, folder, wait=True)
        yield
    finally:
        os.close(number)


@contextmanager
def folder_lock(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Keep other processes from writing into a folder, and remove what killed ones have left.

    Where there are no locks, another one may be at work: what is younger than a day stays.

    `folder`: made where it is missing.
    `wait`: whether to wait until another process is done.
    Result: whether it is the turn of this process: False where another one is at work, and `wait`
    is False.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        file = open_to_add(folder / LOCK)
    except OSError as error:
        if error.errno != errno.EINVAL:
            error.filename = str(folder)
        raise
    with file:
        is_own = lock(file, folder)
        if is_own is False and wait:
            log.info("%s: another process writes there; this one waits", folder)
            is_own = lock(file, folder, wait=True)
        if is_own is not False:
            _remove_left(folder, all_ages=bool(is_own))
        yield is_own is not False


def _remove_left(folder: Path, *, all_ages: bool) -> None:
    """Remove from a folder what processes have not finished, or what they left a day ago."""
    for left in folder.iterdir():
        if LEFT.fullmatch(left.name) and (all_ages or _age(left) >= A_DAY):
            rmtree(left) if left.is_dir() else left.unlink()


def _age(path: Path) -> float:
    """Return how many seconds ago a file or folder was changed; 0 where it is gone."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0
