"""The workers of a report: processes that analyse, draw and set documents beside this one."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from multiprocessing import parent_process
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

from reportgen.errors import AnalysisError, StudyError
from reportgen.execution.pool import (
    GUARD,
    deferred_interrupt,
    has_guard,
    safe_children,
    start_method,
)
from reportgen.execution.worker import THREAD_LIMITS, leave_interrupts
from reportgen.sections.datasets import Mapper, in_turn

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

log = logging.getLogger(__name__)

ENDED = (
    "found a worker that was ended from outside, probably for want of memory; allowed fewer "
    "workers, such as --jobs 1"
)
PATIENCE = 5.0  # seconds that tasks of a report take in turn before workers are started
HEAD_START = 1.5  # seconds for the imports of what workers are forked from, beside the next tasks


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
        )


class Crew:
    """A mapper that does tasks in turn for a while, and shares those left with workers.

    `start`: starts the workers, which need these modules.
    `n_workers`: processes that work, this one included.
    `patience`: seconds.
    """

    def __init__(
        self,
        start: Callable[[Sequence[str]], ProcessPoolExecutor],
        n_workers: int,
        patience: float,
    ) -> None:
        self._start, self._patience, self._n_workers = start, patience, n_workers
        self._pool: ProcessPoolExecutor | None = None
        self._modules: tuple[str, ...] = ()
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

    def __call__(self, function: Any, *tasks: Iterable[Any]) -> Iterator[Any]:
        """Return the results, one after the other."""
        return self._results(function, [*zip(*tasks, strict=False)])

    def beside(self, function: Any, tasks: Sequence[Any]) -> dict[int, Future[Any]]:
        """Let workers begin with tasks that take long, one each, where there are workers.

        Result: by the number of the task; those that are not in it are left to this process.
        """
        if not self.is_ready():
            return {}
        assert self._pool is not None
        with (
            safe_children(),
            deferred_interrupt(self._has_no_worker),
        ):  # a worker starts with a task
            return {
                n: _submitted(self._pool, function, tasks[n])
                for n in range(min(len(tasks), self._n_workers - 1))
            }

    def result(self, future: Future[Any]) -> Any:
        """Return what a worker has made; None where it was ended from outside."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            return future.result()
        except BrokenProcessPool as error:
            log.warning("%s", error)
            return None

    def _results(self, function: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        for n, task in enumerate(tasks):
            if len(tasks) - n > 1 and self.is_ready():
                yield from self._shared(function, tasks[n:])
                return
            begin = perf_counter()
            result = function(*task)
            self._seconds += perf_counter() - begin
            if self._seconds > self._patience:
                self._warm_up()
            yield result

    def _warm_up(self) -> None:
        """Start the process that workers are forked from, which imports beside what goes on."""
        # A script that workers cannot import, or that would start workers itself then, has none.
        if self._warm_since is not None:
            return
        self._warm_since = inf
        try:
            if not has_guard():
                raise StudyError(GUARD)
            start_method((__name__, *self._modules))
        except StudyError as error:
            log.warning("one process does all, as no worker can start: %s", error)
        else:
            self._warm_since = perf_counter()

    def _has_no_worker(self) -> bool:
        return self._pool is None or not self._pool._processes

    def is_ready(self) -> bool:
        """Whether there are workers, which are started once nobody has to wait for them."""
        if self._pool is None and self._warm_since is not None:
            warm = perf_counter() - self._warm_since
            if warm >= min(HEAD_START, self._patience):
                self._pool = self._start(self._modules)
        return self._pool is not None

    def _shared(self, function: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Give tasks to the workers from the first on, and do those that wait from the last on."""
        assert self._pool is not None
        futures: list[Future[Any] | None] = [None]  # the first is done here: workers take two each
        with safe_children(), deferred_interrupt(self._has_no_worker):
            futures += [_submitted(self._pool, function, *task) for task in tasks[1:]]
        own: dict[int, Future[Any]] = {}
        left = [*range(len(tasks))]  # that may still be done here
        try:
            for n, future in enumerate(futures):
                while n not in own and not (future and future.done()):
                    m = left.pop(0) if n == 0 else _last_waiting(futures, left)
                    if m is None:
                        break
                    own[m] = _done(function, tasks[m])
                found = own.pop(n, future)
                assert found is not None
                futures[n] = None
                yield found.result()
        finally:
            for future in futures:
                if future:
                    future.cancel()


class _Result(Future[Any]):
    """What a worker is to make; one that was taken back is not told that workers have ended."""

    def set_exception(self, exception: BaseException | None) -> None:
        """Take down why there is none."""
        with suppress(InvalidStateError):  # by which Python 3.11 would leave the other workers
            super().set_exception(exception)


def _submitted(pool: ProcessPoolExecutor, function: Any, *task: Any) -> Future[Any]:
    """Give a task to the workers."""
    future = pool.submit(function, *task)
    future.__class__ = _Result
    return future


def _last_waiting(futures: Sequence[Future[Any] | None], left: list[int]) -> int | None:
    """Take the last task that no worker has begun; None where there is none."""
    while left:
        future = futures[n := left.pop()]
        if future and future.cancel():
            return n
    return None


def _done(function: Any, task: tuple[Any, ...]) -> Future[Any]:
    """Do a task here; what it raises is raised in its turn."""
    future: Future[Any] = Future()
    try:
        future.set_result(function(*task))
    except Exception as error:
        future.set_exception(error)
    return future


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
def _processes(n_workers: int, modules: Iterable[str]) -> Iterator[ProcessPoolExecutor]:
    """Give worker processes; one that is ended from outside is told."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = start_method((__name__, *modules))
    with safe_children():
        executor = ProcessPoolExecutor(n_workers, context, _start_worker)
    with executor as pool:
        try:
            yield pool
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


def _follow_parent() -> None:
    """End with the program, even in the middle of a task."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _start_worker() -> None:
    """Leave the terminal's signals to the parent, and other cores to the others."""
    Thread(target=_follow_parent, daemon=True).start()
    leave_interrupts()
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
