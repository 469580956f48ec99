"""A child process that does one task at a time for a worker of a cluster.

The workers of a cluster are processes of another program. They often may have no
children by `multiprocessing`, and have other tasks in their threads: a fit that hangs,
crashes or takes all memory must not end them.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from typing import Any

from reportgen.catalogue.plugins import StudyModules
from reportgen.errors import ExecutionError
from reportgen.execution.pool import EXIT_SECONDS, STARTS, cause_of
from reportgen.execution.worker import THREAD_LIMITS, Limits, LostTask, Order, Ready, Warm, serve
from reportgen.module_path import module_path, safe_variables

START_SECONDS = 120.0  # to import what candidates need, perhaps from a slow disk
LOOK_SECONDS = 1.0  # how often a child looks whether its parent is there


class IsolatedProcess:
    """A child process, started when there is a task for it and again when it was lost.

    `payload`: the pickled work.
    `patience`: seconds that warming up may take.
    `modules`: finders of modules that come before those that are installed.
    """

    def __init__(
        self,
        payload: bytes,
        limits: Limits,
        patience: float,
        modules: Sequence[StudyModules] = (),
    ) -> None:
        self._payload = payload
        self._limits = limits
        self._patience = patience
        self._modules = modules
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._folder = ""  # for the process' temporary files
        self._warm: set[Hashable] = set()
        self._cold: set[Hashable] = set()  # kinds for which it is no use to warm up
        self.owner = ""  # of the tasks that the process does

    def do(self, task: Any, kind: Hashable, timeout: float | None, owner: str = "") -> Any:
        """Return what comes of a task, or `LostTask` where it ended its process.

        `kind`: the first task of a kind is done after warming up, which costs it nothing.
        `timeout`: seconds that the task may take.
        `owner`: whose code the task runs; tasks of two owners share no process.
        Raises ExecutionError if no process can start.
        """
        if owner != self.owner:
            self.end(by_force=True)
            self.owner = owner
        while True:
            connection = self._start()
            is_first = kind not in self._warm and kind not in self._cold
            try:
                connection.send(Order((task,), is_first))
            except OSError:  # it has died while it had nothing to do
                self.end(by_force=True)
                continue
            if is_first and not isinstance(self._answer(self._patience), Warm):
                self._cold.add(kind)
                self.end(by_force=True)
                continue
            self._warm.add(kind)
            return self._result(timeout)

    def end(self, *, by_force: bool = False) -> int | None:
        """End the process and its children, and return its exit code."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        self._warm.clear()
        if process is None:
            return None
        if by_force and process.poll() is None:
            _kill(process)
        if connection is not None:
            connection.close()
        try:
            return process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            _kill(process)
            return process.wait()
        finally:
            rmtree(self._folder, ignore_errors=True)

    def _result(self, timeout: float | None) -> Any:
        """Wait for what comes of a task."""
        message = self._answer(timeout)
        if message is not None:
            return message
        if timeout is not None and self._process is not None and self._process.poll() is None:
            self.end(by_force=True)
            return LostTask("timed-out", f"took longer than {timeout:g} s")
        code = self.end()
        starved = code is not None and code < 0
        return LostTask("failed", cause_of(code), may_lack_memory=starved)

    def _answer(self, seconds: float | None) -> Any:
        """Return the next message; None where the process has ended or the time is over."""
        connection, process = self._connection, self._process
        try:
            if connection is not None and connection.poll(seconds):
                return connection.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            with suppress(subprocess.TimeoutExpired):  # what closed its pipe is about to end it
                if process is not None:
                    process.wait(EXIT_SECONDS)
        return None

    def _start(self) -> Connection:
        """Return the way to a process that is ready; one that a signal has ended starts again."""
        if self._connection is not None:
            return self._connection
        for left in reversed(range(STARTS)):
            ready, code = self._begin()
            if ready is not None and not ready.fault:
                break
            is_signal = ready is None and code is not None and code < 0
            if not (is_signal and left):
                fault = cause_of(code) if ready is None else ready.fault
                self.end(by_force=True)
                raise ExecutionError(f"the workers cannot start: {fault}")
        assert self._connection is not None
        return self._connection

    def _begin(self) -> tuple[Ready | None, int | None]:
        """Start a process; return what it says once it is ready, else how it has ended."""
        self._connection, end = Pipe()
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "reportgen.execution.cluster.isolated_process",
                str(end.fileno()),
            ],
            pass_fds=[end.fileno()],
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                **safe_variables(),
                **dict.fromkeys(THREAD_LIMITS, "1"),
                "PYTHONPATH": os.pathsep.join(module_path()),
            },
        )
        end.close()
        self._folder = mkdtemp(prefix="reportgen-")
        message = None
        with suppress(OSError):
            limits = replace(self._limits, folder=self._folder)
            self._connection.send((self._payload, limits, self._modules, self.owner))
            message = self._answer(START_SECONDS)
        if isinstance(message, Ready):
            return message, None
        return None, self.end()


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _follow(parent: int, folder: str) -> None:
    """End with the parent, even in the middle of a fit."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    rmtree(folder, ignore_errors=True)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main() -> None:
    """Serve at the file descriptor that the command line names."""
    connection = Connection(int(sys.argv[1]))
    os.setpgid(0, 0)
    parent = os.getppid()
    payload, limits, modules, owner = connection.recv()
    Thread(target=_follow, args=(parent, limits.folder), daemon=True).start()
    nowhere = Connection(os.open(os.devnull, os.O_WRONLY), readable=False)
    serve(connection, payload, limits, modules, nowhere, owner)


if __name__ == "__main__":
    main()
