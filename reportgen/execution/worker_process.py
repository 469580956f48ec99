"""A worker process, as the program sees it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from shutil import rmtree
from tempfile import mkdtemp
from typing import Generic, TypeVar

from reportgen.execution.worker import Limits, serve

PRELOADED = (
    "reportgen.execution.replication",
    "reportgen.catalogue.candidates.preparation",
    "sklearn.discriminant_analysis",
    "sklearn.ensemble",
    "sklearn.neighbors",
    "sklearn.neural_network",
    "sklearn.pipeline",
    "sklearn.svm",
)
"""Imported once by the process that workers are forked from."""

FAREWELL_SECONDS = 5.0  # an idle worker has to end by itself

T = TypeVar("T")


class WorkerProcess(Generic[T]):
    """A process at the other end of a pipe, and the task it is at."""

    def __init__(self, context: BaseContext, payload: bytes, limits: Limits) -> None:
        self.connection, end = context.Pipe()
        self.folder = mkdtemp(prefix="reportgen-")
        limits = replace(limits, folder=self.folder)
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(end, payload, limits), name="reportgen-worker", daemon=False
        )
        self.process.start()
        end.close()
        self.is_ready = False
        self.tasks: list[T] = []  # one, or none
        self.kinds: set[Hashable] = set()  # of tasks that it was given
        self.warming: list[Hashable] = []  # the kind that it warms up for, or none
        self.deadline = float("inf")

    def kill(self) -> None:
        """End the process and the children that it may have."""
        with suppress(OSError):
            if self.process.pid is not None and hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()

    def end(self) -> int | None:
        """Close the pipe, wait for the end, or force it, and return the exit code."""
        self.connection.close()
        self.process.join(0.0 if self.tasks else FAREWELL_SECONDS)
        if self.process.is_alive():
            self.kill()
        code = self.process.exitcode
        self.process.close()
        rmtree(self.folder, ignore_errors=True)
        return code


def start_method() -> BaseContext:
    """Fork workers from a process without threads where there is such a thing."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    return context


def cause_of(code: int | None) -> str:
    """Say how a process ended."""
    if code is None or code >= 0:
        return f"the worker process ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = " (often for lack of memory)" if name in ("SIGKILL", "SIGABRT") else ""
    return f"the worker process was ended by {name}{hint}"
