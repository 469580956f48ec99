"""Programs that are run to their end, and processes that others have started.

What a program starts, in whatever session, is found where the system tells (Linux).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import IO
from uuid import uuid4

from reportgen.data_classes import dataclass

ADOPT = 36  # PR_SET_CHILD_SUBREAPER of prctl
ROUNDS = 20  # of looking for processes that others start while these are ended
NEW, LOADING = 5.0, 0.01  # seconds since a process began in which its program may be loaded; a wait
MARK = "REPORTGEN_PROGRAM"  # in the environment of a program and of all that it starts
# Bytes: somewhat less than the 32 MiB up to which the GNU C library learns from what is freed.
LEARNT = 24_000_000
KEPT = 1600  # bytes of the end of an error output


def collect_seldom() -> None:
    """Let Python look for garbage seldom, as a report stays until it is written; not at the end."""
    gc.set_threshold(2_000_000, 20, 20)
    atexit.register(gc.freeze)
    keep_memory()


def keep_memory() -> None:
    """Let the allocator keep what is given back, for arrays of up to some megabytes."""
    # The GNU C library returns such blocks to the system, only to fetch them again page by page,
    # until once a larger one was freed.
    bytes(LEARNT)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    Attributes
    ----------
    code : int
        Its exit code; below 0 the number of a signal.
    seconds : float
        On the clock, from its start to its end.
    said : str
        The end of its error output, on one line.
    is_in_time : bool
        Whether it ended by itself before its time was over.
    """

    code: int
    seconds: float
    said: str
    is_in_time: bool


def run_to_end(
    words: Sequence[str],
    *,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    timeout: float | None = None,
    shows: bool = False,
    output: IO[bytes] | None = None,
) -> Ended:
    """Run a program to its end, and end whatever it leaves behind.

    It reads nothing, and what it prints is dropped, but for the end of its error output. It stays
    in the process group of this process, and is ended with all that it started (on Linux) when
    its time is over, and when this process is interrupted or terminated.

    Parameters
    ----------
    folder : Path, optional
        Where it works; here if omitted.
    variables : mapping, optional
        Of its environment, beside those of this process.
    timeout : float, optional
        Seconds that it may take.
    shows : bool
        Whether all that it prints goes to standard error of this process.
    output : file, optional
        Takes what it prints, else.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    mark = uuid4().hex
    begin = time.perf_counter()
    process = subprocess.Popen(
        words,
        cwd=folder,
        env={**os.environ, **(variables or {}), MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=2 if shows else output or subprocess.DEVNULL,
        stderr=None if shows else subprocess.PIPE,
    )
    errors = _EndOfOutput(process)
    late: list[bool] = []
    timer = None if timeout is None else Timer(timeout, _end_late, (process, late))
    try:
        if timer is not None:  # a wait with a timeout looks at the clock, and ends late by that
            timer.daemon = True
            timer.start()
        code = process.wait()
        seconds = time.perf_counter() - begin
    finally:
        if timer is not None:
            timer.cancel()
        process.kill()
        process.wait()
        end_marked(MARK, mark)
    return Ended(code, seconds, errors.text(), not late)


def _end_late(process: subprocess.Popen[bytes], late: list[bool]) -> None:
    late.append(True)
    process.kill()


class _EndOfOutput(Thread):
    """Reads the error output of a program, however long it is, and keeps its end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(daemon=True)  # a child that lives on where none is ended holds the pipe
        self._output = process.stderr
        self._end = b""
        self.start()

    def run(self) -> None:
        if self._output is None:
            return
        with self._output as output:
            while part := os.read(output.fileno(), 2**16):
                self._end = (self._end + part)[-KEPT:]

    def text(self) -> str:
        self.join(timeout=1)
        return " ".join(self._end.decode("utf-8", errors="replace").split())


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


def end_marked(name: str, value: str, *, kept_below: int | None = None) -> None:
    """End the processes that were started with a variable of the environment.

    `kept_below`: a process that is left, with its descendants.
    """
    written = f"{name}={value}".encode()
    for _ in range(ROUNDS):
        known = {pid: _environment(pid) for pid in _all()}
        left = [pid for pid, variables in known.items() if written in variables.split(b"\0")]
        if left and kept_below is not None:
            kept = {kept_below, *find_descendants(kept_below)}
            left = [pid for pid in left if pid not in kept]
        if left:
            end_all(left)
        elif any(not variables and _is_being_loaded(pid) for pid, variables in known.items()):
            time.sleep(LOADING)
        else:
            return


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


def _is_being_loaded(pid: int) -> bool:
    """Whether a process has just begun, whose program has memory before it has an environment."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    started, size = int(state[19]) / os.sysconf("SC_CLK_TCK"), int(state[20])
    return size > 0 and time.clock_gettime(time.CLOCK_BOOTTIME) - started < NEW


def _environment(pid: int) -> bytes:
    """Return the environment that a process was started with; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
