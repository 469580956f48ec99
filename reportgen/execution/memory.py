"""Memory: what a worker may take, so that no fit takes the machine.

Where the system has no such limits or accounts (macOS, Windows), there are none.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

SHARE = 0.9  # of what is free, for all workers together
LEAST = 256 * 2**20  # bytes that a worker always gets
STATUS = Path("/proc/self/status")
CGROUP = Path("/sys/fs/cgroup")


def fair_share(n_workers: int) -> int | None:
    """Return the bytes that each of so many workers may use; None where nobody knows."""
    free = free_memory()
    return None if free is None else max(LEAST, int(SHARE * free / n_workers))


def free_memory() -> int | None:
    """Return the bytes that are free on this machine, or in this process's container."""
    known = [bytes_ for bytes_ in (_free_on_machine(), _free_in_container()) if bytes_ is not None]
    return min(known, default=None)


def _free_on_machine() -> int | None:
    return _entry(Path("/proc/meminfo"), "MemAvailable:")


def _free_in_container() -> int | None:
    """Read version 2 of control groups; memory that caches files counts as used."""
    try:
        limit = int((CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((CGROUP / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # none, or "max"
        return None
    cached = _entry(CGROUP / "memory.stat", "inactive_file", unit=1) or 0
    return max(0, limit - used + cached)


def limit_memory(beyond: int | None) -> None:
    """Let this process use so many bytes beyond what it uses now.

    More raises MemoryError in Python, and fails in whatever way a library has
    chosen elsewhere.
    """
    if beyond is None:
        return
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    used = _entry(STATUS, "VmData:")
    if used is None:  # other systems do not count what is only reserved apart
        return
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (used + beyond, hard))


def give_way() -> None:
    """Let the system end this process, and not its parent, when memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _entry(path: Path, name: str, unit: int = 1024) -> int | None:
    """Return a number of bytes from a table of names and numbers."""
    try:
        for line in path.read_text(encoding="ascii").splitlines():
            if line.startswith(name):
                return unit * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return None
