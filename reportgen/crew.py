"""The workers of a report, here or of a cluster: they analyse and draw beside this process."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from multiprocessing import parent_process
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from reportgen.errors import AnalysisError, StudyError
from reportgen.execution.pool import (
    GUARD,
    deferred_interrupt,
    fork_server,
    has_guard,
    safe_children,
    start_method,
)
from reportgen.execution.worker import THREAD_LIMITS, LostTaskError, leave_interrupts
from reportgen.processes import collect_seldom
from reportgen.provenance import PACKAGES
from reportgen.sections.datasets import Mapper, in_turn

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from reportgen.execution.cluster import ClusterExecutor

log = logging.getLogger(__name__)

ENDED = (
    "found a worker that was ended from outside, probably for want of memory; allowed fewer "
    "workers, such as --jobs 1"
)
PATIENCE = 5.0  # seconds that tasks of a report take in turn before workers are started
HEAD_START = 1.5  # seconds for the imports of what workers are forked from, beside the next tasks
AHEAD = 2  # batches of calls that each thread of a cluster has: this process does the others
COMPUTING = tuple(name for name in PACKAGES if name != "weasyprint")  # documents are set here
_begun: dict[int | None, float] = {}  # when each process that workers are forked from began, by id


@contextmanager
def parallel_mapper(n_workers: int, patience: float = PATIENCE) -> Iterator[Mapper]:
    """Give a mapper that works in parallel processes where tasks take long.

    `n_workers`: processes that work, this one included.
    `patience`: seconds that all tasks take in turn before workers are started for those left.

    Notes
    -----
    What a task raises is raised here, and what has not begun is then left. Workers
    use one thread for linear algebra.
    """
    if n_workers < 2 or not _can_share_locks():
        yield in_turn
        return
    with ExitStack() as stack:
        yield Crew(
            lambda modules: stack.enter_context(_processes(n_workers - 1, modules)),
            n_workers,
            patience,
            warm_up,
        )


@contextmanager
def cluster_mapper(address: str, patience: float = PATIENCE) -> Iterator[Mapper]:
    """Give a mapper that works on a Dask cluster, and here, where tasks take long.

    `address`: of the scheduler.
    `patience`: seconds that all tasks take in turn before the cluster has those left.

    Notes
    -----
    A task that workers vanish with is done here.

    Raises ExecutionError if no scheduler answers, there are no workers, or such with other versions
    of what computes and draws.
    """
    executor = cluster_executor(address)
    with ExitStack() as stack:
        yield Crew(
            lambda _: stack.enter_context(_cluster(executor)),
            executor.n_workers + 1,
            patience,
            lambda _: -inf,
        )


def cluster_executor(address: str) -> ClusterExecutor:
    """Return what hands out tasks of a report to a cluster.

    Raises ExecutionError if it cannot: see `cluster_mapper`.
    """
    from reportgen.execution.cluster import ClusterExecutor

    return ClusterExecutor(address, packages=COMPUTING, ahead=AHEAD)


def warm_up(modules: Iterable[str]) -> float:
    """Start the process that workers are forked from, which imports beside what goes on.

    `modules`: what it imports, if it is not there yet.
    Result: when it began.
    Raises StudyError where no worker can start.
    """
    if not has_guard():
        raise StudyError(GUARD)
    start_method((__name__, *modules))
    return _begun.setdefault(fork_server(), perf_counter())


class Pool(Protocol):
    """Workers that calls are given to."""

    def submit(self, calls: Sequence[tuple[Any, tuple[Any, ...]]]) -> list[Future[Any]]:
        """Let them call functions with their arguments."""


class Crew:
    """A mapper that does tasks in turn for a while, and shares those left with workers.

    `start`: starts the workers, which need these modules.
    `n_workers`: processes that work, this one included.
    `patience`: seconds.
    `warm_up`: gets ready what workers are started from; returns since when it is at it.
    """

    def __init__(
        self,
        start: Callable[[Sequence[str]], Pool],
        n_workers: int,
        patience: float,
        warm_up: Callable[[Iterable[str]], float],
    ) -> None:
        self._start, self._patience, self._n_workers = start, patience, n_workers
        self._start_warming = warm_up
        self._pool: Pool | None = None
        self._modules: tuple[str, ...] = ()
        # Of all maps, in the order in which workers begin: what waits for them, and what they have.
        self._waiting: dict[_Task, None] = {}
        self._sent: dict[_Task, None] = {}
        self._seconds = 0.0  # of tasks in turn
        self._warm_since: float | None = None

    def expect(self, modules: Iterable[str], seconds: float) -> None:
        """Take down what workers will need, and get them ready at once where much is to be done.

        `modules`: their code, imported before workers are forked, once for all.
        `seconds`: that a report will take.
        """
        self._modules = tuple(modules)
        if seconds > self._patience:
            self._warm_up()

    def __call__(self, function: Any, *tasks: Iterable[Any]) -> _Results:
        """Return the results, one after the other; workers begin before these are asked for."""
        own = deque(_Task(function, task) for task in zip(*tasks, strict=False))
        self._waiting |= dict.fromkeys([*own][1:])  # the first is done here: workers take two each
        self._share()
        return _Results(own, self._results(own))

    def beside(self, function: Any, tasks: Sequence[Any]) -> dict[int, Future[Any]]:
        """Let workers begin with tasks that take long, one each, where there are workers.

        Result: by the number of the task; those that are not in it are left to this process.
        """
        if not self.is_ready():
            return {}
        assert self._pool is not None
        own = tasks[: self._n_workers - 1]
        return dict(enumerate(self._pool.submit([(function, (task,)) for task in own])))

    def result(self, future: Future[Any]) -> Any:
        """Return what a worker has made; None where it was ended from outside."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            return future.result()
        except BrokenProcessPool as error:
            log.warning("%s", error)
            return None

    def _results(self, tasks: deque[_Task]) -> Iterator[Any]:
        """Until a result is there, do it or the last of what waits."""
        try:
            while tasks:
                self._waiting.pop(tasks[0], None)
                self._share()
                while not tasks[0].is_done() and (task := self._next(tasks[0])):
                    begin = perf_counter()
                    task.do()
                    self._seconds += perf_counter() - begin
                    if self._seconds > self._patience:
                        self._warm_up()
                self._sent.pop(tasks[0], None)
                yield tasks.popleft().result()
        finally:
            for task in tasks:
                task.take()
                self._waiting.pop(task, None)

    def _share(self) -> None:
        """Give workers what waits for them, once there are workers."""
        if self._waiting and self.is_ready():
            assert self._pool is not None
            futures = self._pool.submit([task.call for task in self._waiting])
            for task, future in zip(self._waiting, futures, strict=True):
                task.send(future)
            self._sent |= self._waiting
            self._waiting.clear()

    def _next(self, wanted: _Task) -> _Task | None:
        """Take the task that is wanted, else the last, if no worker has begun with it."""
        if wanted.take():
            return wanted
        while self._sent:
            task, _ = self._sent.popitem()
            if task.take():
                return task
        return None

    def _warm_up(self) -> None:
        """Let workers be there soon."""
        # A script that workers cannot import, or that would start workers itself then, has none.
        if self._warm_since is not None:
            return
        self._warm_since = inf
        try:
            self._warm_since = self._start_warming(self._modules)
        except StudyError as error:
            log.warning("one process does all, as no worker can start: %s", error)

    def is_ready(self) -> bool:
        """Whether there are workers, which are started once nobody has to wait for them."""
        if self._pool is None and self._warm_since is not None:
            warm = perf_counter() - self._warm_since
            if warm >= min(HEAD_START, self._patience):
                self._pool = self._start(self._modules)
        return self._pool is not None


class _Results(Iterator[Any]):
    """What comes of tasks, one after the other."""

    def __init__(self, tasks: deque[_Task], found: Iterator[Any]) -> None:
        self._tasks, self._found = tasks, found

    def __next__(self) -> Any:
        return next(self._found)

    @property
    def is_made(self) -> bool:
        """Whether of several tasks only the first is left, which is done when it is asked for."""
        others = [*self._tasks][1:]
        return bool(others) and all(task.is_done() for task in others)


class _Task:
    """A task, and what comes of it, here or in a worker."""

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        self.call = (function, arguments)
        self._future: Future[Any] | None = None

    def send(self, future: Future[Any]) -> None:
        """Leave it to workers."""
        self._future = future

    def is_done(self) -> bool:
        """Whether there is a result."""
        return self._future is not None and self._future.done()

    def take(self) -> bool:
        """Whether no worker has begun with it, nor will."""
        return self._future is None or self._future.cancel()

    def do(self) -> None:
        """Do it here; what it raises is raised in its turn."""
        self._future = Future()
        function, arguments = self.call
        try:
            self._future.set_result(function(*arguments))
        except Exception as error:
            self._future.set_exception(error)

    def result(self) -> Any:
        """Return what comes of it, once it is there."""
        assert self._future is not None
        if isinstance(error := self._future.exception(), LostTaskError):
            log.warning("this process does what the cluster could not: %s", error)
            self.do()
        return self._future.result()


class _Result(Future[Any]):
    """What a worker is to make; one that was taken back is not told that workers have ended."""

    def set_exception(self, exception: BaseException | None) -> None:
        """Take down why there is none."""
        with suppress(InvalidStateError):  # by which Python 3.11 would leave the other workers
            super().set_exception(exception)


class _Processes:
    """Workers that are processes of this machine."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def submit(self, calls: Sequence[tuple[Any, tuple[Any, ...]]]) -> list[Future[Any]]:
        """Let them call functions with their arguments."""
        with safe_children(), deferred_interrupt(self._has_no_worker):  # they start with tasks
            futures = [self._executor.submit(function, *own) for function, own in calls]
        for future in futures:
            future.__class__ = _Result
        return futures

    def _has_no_worker(self) -> bool:
        return not self._executor._processes


def _can_share_locks() -> bool:
    """Whether processes can share locks: sandboxes may have no place for them (/dev/shm)."""
    from multiprocessing import Lock

    try:
        with safe_children():
            Lock()
    except (ImportError, OSError):
        return False
    return True


@contextmanager
def _processes(n_workers: int, modules: Iterable[str]) -> Iterator[Pool]:
    """Give worker processes; one that is ended from outside is told."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = start_method((__name__, *modules))
    with safe_children():
        executor = ProcessPoolExecutor(n_workers, context, _start_worker)
    with executor as pool:
        try:
            yield _Processes(pool)
        except BrokenProcessPool as error:
            raise AnalysisError(ENDED) from error
        except BaseException as error:
            workers = list((pool._processes or {}).values())
            results: Any = pool._result_queue
            pool.shutdown(wait=False, cancel_futures=True)
            if not isinstance(error, Exception):  # Ctrl-C waits for no task
                for worker in workers:
                    worker.kill()
                results._writer.close()  # nobody writes the rest of a result
            raise


@contextmanager
def _cluster(executor: ClusterExecutor) -> Iterator[Pool]:
    """Give the workers of a cluster, and end what they are at."""
    from reportgen.execution.cluster.calls import ClusterPool

    pool = ClusterPool(executor)
    try:
        yield pool
    finally:
        pool.close()


def _follow_parent() -> None:
    """End with the program, even in the middle of a task."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _start_worker() -> None:
    """Leave the terminal's signals to the parent, and other cores to the others."""
    collect_seldom()
    Thread(target=_follow_parent, daemon=True).start()
    leave_interrupts()
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
