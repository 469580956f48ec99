"""What is known of a file before it is read: its kind, its size, and what memory there is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
STATUS = Path("/proc/self/status")
MOST_ENTRIES = 200_000  # below a folder of results
LARGE = 64 * 2**20  # bytes: smaller files are read without a look at the memory


def kind_fault(path: Path) -> str:
    """Say what is no file and has perhaps no end, such as a pipe; empty for all else.

    Examples
    --------
    >>> kind_fault(Path("/dev/null")), kind_fault(Path("/"))
    ('a device', '')
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # where it is read, the error says what is amiss
        return ""
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((what for is_one, what in kinds if is_one(mode)), "")


def entries_fault(path: Path) -> str:
    """Say that a folder has more below it than is searched; empty for all else."""
    n_entries = 0
    if not path.is_dir():
        return ""
    for _, folders, files in os.walk(path):
        n_entries += len(folders) + len(files)
        if n_entries > MOST_ENTRIES:
            return f"more than {MOST_ENTRIES:,} files and folders"
    return ""


def size_fault(path: Path, times: int) -> str:
    """Say that a file needs more memory than there is; empty where it fits, or nobody knows.

    `times`: how many times its size what it says takes in memory, at least.
    """
    n_bytes = path.stat().st_size
    free = None if n_bytes < LARGE else free_memory()
    if free is None or n_bytes * times <= free:
        return ""
    return (
        f"{n_bytes / 2**30:.1f} GiB, which take {times} times as much memory to read, where "
        f"{free / 2**30:.1f} GiB are free"
    )


def free_memory() -> int | None:
    """Return the bytes that are free on this machine, or in this process's container."""
    known = [bytes_ for bytes_ in (_free_on_machine(), _free_in_container()) if bytes_ is not None]
    return min(known, default=None)


def _free_on_machine() -> int | None:
    return entry_of(Path("/proc/meminfo"), "MemAvailable:")


def _free_in_container() -> int | None:
    """Read version 2 of control groups; memory that caches files counts as used."""
    try:
        limit = int((CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((CGROUP / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # none, or "max"
        return None
    cached = entry_of(CGROUP / "memory.stat", "inactive_file", unit=1) or 0
    return max(0, limit - used + cached)


def entry_of(path: Path, name: str, unit: int = 1024) -> int | None:
    """Return a number of bytes from a table of names and numbers, as Linux writes it."""
    try:
        for line in path.read_text(encoding="ascii").splitlines():
            if line.startswith(name):
                return unit * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return None


def utf8_fault(content: bytes) -> tuple[int, str] | None:
    r"""Return the line of the first byte that no text in UTF-8 has there, and what was found.

    Result: None where all is UTF-8.

    Examples
    --------
    >>> utf8_fault(b"name\nGr\xf6\xdfe")
    (2, 'the byte 0xf6, which is not UTF-8')
    """
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return line, f"the byte 0x{content[error.start]:02x}, which is not UTF-8"
    return None
