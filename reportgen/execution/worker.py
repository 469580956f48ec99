"""What happens inside a worker process."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Literal

from reportgen.execution.memory import give_way, limit_memory

THREAD_LIMITS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


@dataclass(frozen=True, slots=True)
class Lost:
    """What is left of a task whose worker did not come back with a result.

    Attributes
    ----------
    status : {"failed", "timed-out"}
    message : str
        How it ended.
    may_lack_memory : bool
        Whether that may have been for want of memory: a system that runs short
        ends processes by a signal, and so do libraries that are denied some.
    """

    status: Literal["failed", "timed-out"]
    message: str
    may_lack_memory: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """A task, and whether it is the first of its kind for the worker, who then warms up."""

    task: Any
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Warm:
    """The worker has warmed up; the task begins now."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker can take tasks; or it cannot, and `fault` says why."""

    fault: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may use.

    Attributes
    ----------
    memory : int or None
        Bytes beyond what it needs to start; None for no limit.
    folder : str
        For temporary files; whoever has made it removes it. "" for the usual one.
    """

    memory: int | None = None
    folder: str = ""


@contextmanager
def single_threaded() -> Iterator[None]:
    """Limit the linear algebra to one thread: workers share the cores, and sums their order.

    Holds for the libraries that are loaded by now.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


def serve(connection: Connection, payload: bytes, limits: Limits) -> None:
    """Do the tasks that come through a pipe, one after the other, until it is closed.

    Parameters
    ----------
    connection : Connection
        Brings orders, takes a `Ready` and then one result a task, after a
        `Warm` where the task is the first of its kind.
    payload : bytes
        The pickled work: `prepare()`, then called with each task.
    limits : Limits
        Hold once the work is prepared.
    """
    _stand_apart(limits.folder)
    give_way()
    try:
        work = pickle.loads(payload)
        work.prepare()
        limit_memory(limits.memory)
    except Exception as error:
        connection.send(Ready(f"{type(error).__name__}: {error}"))
        return
    with single_threaded():
        connection.send(Ready())
        try:
            while True:
                order = connection.recv()
                if order.is_first:
                    work.warm_up(order.task)
                    connection.send(Warm())
                connection.send(_result(work, order.task))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return  # the other side has ended


def _result(work: Any, task: Any) -> Any:
    try:
        return work(task)
    except BaseException as error:
        starved = isinstance(error, MemoryError)
        return Lost("failed", f"{type(error).__name__}: {error}", may_lack_memory=starved)


def _stand_apart(folder: str) -> None:
    """Leave the terminal's signals to the parent, and keep out of its output and files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    with suppress(OSError):
        os.dup2(2, 1)
    if folder:
        tempfile.tempdir = folder
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
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
