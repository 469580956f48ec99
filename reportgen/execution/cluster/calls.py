"""Calls of functions on a Dask cluster, each with a future, as in a pool of processes."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Hashable, Iterable
from concurrent.futures import Future
from itertools import count
from threading import Lock, Thread
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.errors import ExecutionError
from reportgen.execution.cluster import ClusterExecutor, Feed
from reportgen.execution.worker import LostTask, LostTaskError
from reportgen.processes import collect_seldom

CLOSING_SECONDS = 5.0  # for the workers to end what they are at


@dataclass(frozen=True, slots=True)
class _Call:
    """A function and its arguments, pickled: a worker's own process has no use for them."""

    number: int
    content: bytes


class Calls:
    """The work of a cluster that calls functions: see `reportgen.execution.pool.Work`."""

    def owner(self, _: _Call) -> str:
        """Return whose code a call runs: ours."""
        return ""

    def prepare(self, _: str) -> None:
        """Look for cycles of objects as seldom as the program does."""
        collect_seldom()

    def kind(self, _: _Call) -> Hashable:
        """Return what calls have in common: no time is taken of them, so that none is warm."""
        return ""

    def warm_up(self, _: _Call) -> None:
        """Load nothing."""

    def __call__(self, call: _Call) -> bytes:
        """Call the function; return what it returns or raises, pickled."""
        function, arguments = pickle.loads(call.content)
        try:
            found: Any = (True, function(*arguments))
        except MemoryError:  # of which another process may have more
            raise
        except Exception as error:
            found = (False, error)
        return pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)


class ClusterPool:
    """Calls functions on a cluster.

    `executor`: hands the calls out.

    Notes
    -----
    A future runs from when its call was handed out; before, it can be cancelled. Calls are pickled
    then, so that few of them are in memory twice. The exception of a future is what the call has
    raised; `LostTaskError` where workers vanished with it, or lack the memory or a module; an
    `ExecutionError` where the cluster has left, or a worker has other versions.
    """

    def __init__(self, executor: ClusterExecutor) -> None:
        self._executor = executor
        self._feed = Feed(self._next)
        self._waiting: deque[tuple[Future[Any], Any]] = deque()
        self._running: dict[int, Future[Any]] = {}
        self._numbers = count()
        self._lock = Lock()
        self._fault: ExecutionError | None = None
        self._thread = Thread(target=self._run, name="reportgen-cluster", daemon=True)
        self._thread.start()

    def submit(self, calls: Iterable[tuple[Any, tuple[Any, ...]]]) -> list[Future[Any]]:
        """Call functions with their arguments."""
        own: list[tuple[Future[Any], Any]] = [(Future(), call) for call in calls]
        with self._lock:
            fault = self._fault
            self._waiting.extend(own if fault is None else ())
        self._feed.tell()
        for future, _ in own if fault is not None else ():
            future.set_exception(fault)
        return [future for future, _ in own]

    def close(self) -> None:
        """End what is under way."""
        self._feed.close()
        self._thread.join(CLOSING_SECONDS)

    def _next(self) -> _Call | None:
        """Take the next call, if one waits that was not taken back and can be sent."""
        while self._waiting:
            future, call = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found = _Call(next(self._numbers), pickle.dumps(call, pickle.HIGHEST_PROTOCOL))
            except Exception as error:  # it cannot be sent
                future.set_exception(LostTaskError(f"{type(error).__name__}: {error}"))
                continue
            self._running[found.number] = future
            return found
        return None

    def _run(self) -> None:
        """Hand out calls until there will be no more, and settle their futures."""
        try:
            for call, result in self._executor.run(Calls(), self._feed):
                _settle(self._running.pop(call.number), result)
        except ExecutionError as error:
            self._end(error)
        except Exception as error:  # of Dask, in whatever state the cluster is
            self._end(ExecutionError(f"--cluster: {type(error).__name__}: {error}"))

    def _end(self, fault: ExecutionError) -> None:
        """Tell all futures that nothing comes any more."""
        with self._lock:
            self._fault = fault
            waiting = [future for future, _ in self._waiting]
            self._waiting.clear()
        running = [*self._running.values()]
        for future in (*running, *(f for f in waiting if f.set_running_or_notify_cancel())):
            future.set_exception(fault)


def _settle(future: Future[Any], result: bytes | LostTask) -> None:
    """Give a future what came of its call."""
    if isinstance(result, LostTask):
        future.set_exception(LostTaskError(result.message))
        return
    try:
        is_returned, found = pickle.loads(result)
    except Exception as error:  # what this process lacks
        is_returned, found = False, LostTaskError(f"{type(error).__name__}: {error}")
    if is_returned:
        future.set_result(found)
    else:
        future.set_exception(found)
