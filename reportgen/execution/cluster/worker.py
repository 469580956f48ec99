"""The plug-in of a Dask worker that holds a run's processes; needs the package distributed."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from reportgen.catalogue.plugins import StudyModules
from reportgen.execution.cluster.isolated_process import IsolatedProcess
from reportgen.execution.cluster.versions import check_versions
from reportgen.execution.worker import Limits, fair_share
from reportgen.provenance import installed_versions


class IsolatedProcesses(WorkerPlugin):  # type: ignore[misc]
    """The processes that do a run's tasks on one worker, as many as it has threads.

    Every worker gets it with the work, once, also one that joins later.

    `name`: of the run.
    `payload`: the pickled work.
    `memory`: bytes a task may use; None for its share of what the worker may use, or of what is
    free there.
    `patience`: seconds that warming up may take.
    `versions`: of these packages, which the worker has to have, too.
    `packages`: that the run depends on.
    `modules`: the study's own modules: files by their paths.
    """

    def __init__(
        self,
        name: str,
        payload: bytes,
        memory: int | None,
        patience: float,
        versions: Mapping[str, str],
        packages: Sequence[str],
        modules: Mapping[str, bytes],
    ) -> None:
        self.name = name
        self._versions = versions
        self._packages = packages
        self._modules = modules
        self._payload = payload
        self._memory = memory
        self._patience = patience

    def setup(self, worker: Worker) -> None:
        """Be ready; processes start with the first tasks."""
        self._address = worker.address
        own = worker.memory_manager.memory_limit
        n_threads = worker.state.nthreads
        share = own // n_threads if own else fair_share(n_threads)
        self._limits = Limits(self._memory or share)
        self._lock = Lock()
        self._idle: list[IsolatedProcess] = []
        self._all: list[IsolatedProcess] = []
        self._is_over = False
        self._folder, self._finders = _written(self._modules)

    def teardown(self, worker: Worker) -> None:
        """End all processes, those at a task by force."""
        with self._lock:
            self._is_over = True
            processes, self._all, self._idle = self._all, [], []
        for process in processes:
            process.end(by_force=True)
        if self._folder:
            rmtree(self._folder, ignore_errors=True)

    def do(self, task: Any, kind: Hashable, owner: str, timeout: float | None) -> Any:
        """Have a task done by a process that is free, one that has done the owner's if there is.

        Raises ExecutionError if this worker, which may have come later, has other versions.
        """
        with self._lock:
            if not self._all:
                check_versions(self._versions, {self._address: installed_versions(self._packages)})
            if self._is_over:
                raise RuntimeError("the run has ended")
            own = [process for process in self._idle if process.owner == owner]
            process = next(iter(own or self._idle), None)
            if process is not None:
                self._idle.remove(process)
            else:
                process = IsolatedProcess(
                    self._payload, self._limits, self._patience, self._finders
                )
                self._all.append(process)
        try:
            return process.do(task, kind, timeout, owner)
        finally:
            with self._lock:
                self._idle.append(process)


def _written(modules: Mapping[str, bytes]) -> tuple[str, tuple[StudyModules, ...]]:
    """Write modules into a folder of their own, and return it with their finder; "" without any."""
    if not modules:
        return "", ()
    folder = Path(mkdtemp(prefix="reportgen-"))
    for name, text in modules.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    names = dict.fromkeys(name.partition("/")[0].removesuffix(".py") for name in modules)
    return str(folder), (StudyModules(str(folder), tuple(names)),)


def done(
    name: str, tasks: Sequence[tuple[Any, Hashable, str]], timeout: float | None, most: float
) -> tuple[list[Any], float]:
    """Do tasks of a run, one after the other, on the worker that this is called on.

    `name`: of the run.
    `tasks`: each with its kind and its owner.
    `timeout`: seconds that one of them may take.
    `most`: seconds after which no further one is begun.
    Result: what came of the first tasks, at least of one; seconds that they took.
    """
    processes: IsolatedProcesses = get_worker().plugins[name]
    begin = time.monotonic()
    results: list[Any] = []
    while len(results) < len(tasks) and (not results or time.monotonic() - begin < most):
        results.append(processes.do(*tasks[len(results)], timeout))
    return results, time.monotonic() - begin
