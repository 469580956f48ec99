"""Processes that others have started, in whatever session, where the system tells (Linux)."""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

ADOPT = 36  # PR_SET_CHILD_SUBREAPER of prctl
ROUNDS = 20  # of looking for processes that others start while these are ended


def adopt_orphans() -> None:
    """Let this process be the parent of all descendants whose own parent has ended."""
    with suppress(OSError, AttributeError, TypeError):  # no prctl elsewhere
        ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)


def find_descendants(pid: int) -> list[int]:
    """Return the children of a process, their children and so on; none where nobody knows."""
    children: dict[int, list[int]] = {}
    for other in _all():
        children.setdefault(_parent_of(other), []).append(other)
    found: list[int] = []
    open_ = [pid]
    while open_:
        own = children.get(open_.pop(), [])
        found += own
        open_ += own
    return found


def end_descendants(pid: int) -> None:
    """End all descendants of a process."""
    for _ in range(ROUNDS):
        left = find_descendants(pid)
        if not left:
            return
        end_all(left)
        with suppress(OSError):  # those of this process stay in the table until they are waited for
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def end_marked(name: str, value: str) -> None:
    """End the processes that were started with a variable of the environment."""
    written = f"{name}={value}".encode()
    for _ in range(ROUNDS):
        left = [pid for pid in _all() if written in _environment(pid).split(b"\0")]
        if not left:
            return
        end_all(left)


def end_all(pids: list[int]) -> None:
    """End processes that may have ended by now."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _all() -> list[int]:
    """Return the numbers of all processes."""
    try:
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    except OSError:
        return []


def _parent_of(pid: int) -> int:
    """Return the number of a process's parent; 0 where it has ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0
    return int(state.rpartition(b")")[2].split()[1])


def _environment(pid: int) -> bytes:
    """Return the environment that a process was started with; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
