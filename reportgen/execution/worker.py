"""The loop of a worker process, and the limits on its memory and threads.

Where the system has no limits on memory (macOS, Windows), none are set.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

from reportgen.data_classes import dataclass
from reportgen.file_reading import STATUS, entry_of, free_memory
from reportgen.processes import adopt_orphans, end_descendants

if TYPE_CHECKING:
    from reportgen.catalogue.plugins import StudyModules

SHARE = 0.9  # of what is free, for all workers together
WORKER = "REPORTGEN_WORKER"  # the variable of the environment with the folder of a worker
BATCH_SECONDS = 0.02  # that the tasks may take which a worker has at a time
READ_SECONDS = 0.1  # that a result waits for what was printed before it
LOOK_SECONDS = 0.0005  # between two looks whether that was taken
LEAST = 256 * 2**20  # bytes that a worker always gets
_limits: list[int] = []  # that this process was given
THREAD_LIMITS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


def fair_share(n_workers: int) -> int | None:
    """Return the bytes that each of so many workers may use; None where unknown."""
    free = free_memory()
    return None if free is None else max(LEAST, int(SHARE * free / n_workers))


def has_memory_limits() -> bool:
    """Whether `limit_memory` has an effect: on Linux, where the system says what a process uses."""
    return find_spec("resource") is not None and entry_of(STATUS, "VmData:") is not None


def limit_memory(extra_bytes: int | None) -> None:
    """Let this process use so many bytes beyond what it uses now.

    More raises MemoryError in Python, and fails in whatever way a library has
    chosen elsewhere.
    """
    if extra_bytes is None:
        return
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    used = entry_of(STATUS, "VmData:")
    if used is None:  # other systems do not count what is only reserved apart
        return
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (used + extra_bytes, hard))
        _limits.append(extra_bytes)


def has_own_limit() -> bool:
    """Whether `limit_memory` has limited this process, and another one may have more."""
    return bool(_limits)


def lower_priority() -> None:
    """Let the system end this process, and not its parent, when memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


@dataclass(frozen=True, slots=True)
class LostTask:
    """A task whose worker did not return a result."""

    status: Literal["failed", "timed-out"]
    message: str  # how it ended
    # Whether that may have been for want of memory: a system that runs short ends processes by a
    # signal, and so do libraries that are denied some.
    may_lack_memory: bool = False


class LostTaskError(Exception):
    """A task that no worker returned a result of."""


@dataclass(frozen=True, slots=True)
class Order:
    """Tasks of one kind, and whether the first is so for the worker, who then warms up."""

    tasks: tuple[Any, ...]
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Returned:
    """The worker leaves the next tasks that it has to others, as those before took long."""

    n: int


@dataclass(frozen=True, slots=True)
class Warm:
    """The worker has warmed up; the task begins now."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker can take tasks; or it cannot, for the reason in `fault`."""

    fault: str = ""
    # Whether the work has classes or functions that the worker cannot import.
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources of a worker."""

    memory: int | None = None  # bytes beyond what it needs to start; None for no limit
    folder: str = ""  # for temporary files; whoever has made it removes it. "" for the usual one.


@contextmanager
def single_threaded() -> Iterator[None]:
    """Limit the linear algebra to one thread: workers share the cores, and sums their order.

    Holds for the libraries that are loaded by now.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


def serve(
    connection: Connection,
    payload: bytes,
    limits: Limits,
    modules: Sequence[StudyModules] = (),
    output: Connection | None = None,
    owner: str = "",
    printed: Connection | None = None,
) -> None:
    """Do the tasks that come through a pipe, one after the other, until it is closed.

    `connection`: brings orders, takes a `Ready` and then one result a task, after a `Warm` where
    the task is the first of its kind; after a while a `Returned` in place of those that are left.
    `payload`: the pickled work: `prepare(owner)`, then called with each task.
    `limits`: hold once the work is prepared.
    `modules`: finders of a study's own modules, which the work may need.
    `output`: a pipe that takes what is printed; None for standard error.
    `owner`: of all tasks.
    `printed`: the other end of `output`; a result waits until what was printed has been taken.
    """
    sys.meta_path[:0] = modules
    _isolate(limits.folder, 2 if output is None else output.fileno())
    lower_priority()
    work: Any = None
    try:
        work = pickle.loads(payload)
        work.prepare(owner)
        limit_memory(limits.memory)
    except Exception as error:
        is_unknown = work is None and isinstance(error, AttributeError | ImportError)
        connection.send(Ready(f"{type(error).__name__}: {error}", is_unknown))
        return
    with single_threaded():
        connection.send(Ready())
        wait_for_reader = _reader(printed)
        try:
            while True:
                order = connection.recv()
                if order.is_first:
                    work.warm_up(order.tasks[0])
                    wait_for_reader()
                    connection.send(Warm())
                _carry_out(order, work, connection, wait_for_reader)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            end_descendants(os.getpid())  # the other side has ended


def _carry_out(
    order: Order, work: Any, connection: Connection, wait_for_reader: Callable[[], None]
) -> None:
    """Do the tasks of an order until they have taken long, and send each result at once."""
    end = time.monotonic() + BATCH_SECONDS
    for n_done, task in enumerate(order.tasks):
        if n_done and time.monotonic() > end:
            connection.send(Returned(len(order.tasks) - n_done))
            return
        result = _result(work, task)
        wait_for_reader()
        connection.send(result)


def _reader(printed: Connection | None) -> Callable[[], None]:
    """Return what waits until all that was printed has been taken from a pipe, at most so long."""
    if printed is None:
        return lambda: None
    from select import POLLIN, poll

    looking = poll()
    looking.register(printed.fileno(), POLLIN)

    def wait() -> None:
        end = time.monotonic() + READ_SECONDS
        while any(event & POLLIN for _, event in looking.poll(0)) and time.monotonic() < end:
            time.sleep(LOOK_SECONDS)

    return wait


def _result(work: Any, task: Any) -> Any:
    try:
        return work(task)
    except BaseException as error:
        starved = isinstance(error, MemoryError)
        return LostTask("failed", f"{type(error).__name__}: {error}", may_lack_memory=starved)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # a task may have closed or replaced it
                stream.flush()


def leave_interrupts() -> None:
    """Leave Ctrl-C to the parent; what is started from here on may have it again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _isolate(folder: str, output: int) -> None:
    """Leave the terminal's signals to the parent, and keep out of its output and files."""
    # `output`: descriptor of the file that takes what is printed.
    leave_interrupts()
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    adopt_orphans()
    for standard in (1, 2):
        with suppress(OSError):
            os.dup2(output, standard)
    if folder:
        tempfile.tempdir = folder
        os.environ[WORKER] = folder  # which what it starts has, too
    Thread(target=_follow_parent, args=(folder,), daemon=True).start()
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))


def _follow_parent(folder: str) -> None:
    """End with the parent, even in the middle of a fit."""
    parent = parent_process()
    if parent is None:
        return
    parent.join()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    end_descendants(os.getpid())
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
