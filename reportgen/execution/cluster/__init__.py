"""An executor whose workers are those of a Dask cluster, on any number of machines.

Each worker runs its tasks in child processes (`isolated_process.py`), so that a fit
may crash, hang or lack memory there as on this machine, and only that fit is lost. A
worker that vanishes was therefore not ended by a fit: its tasks are done by another,
until more workers have vanished with the same task than the scheduler allows
(`distributed.scheduler.allowed-failures`, 3 by default). The versions of packages on
the workers have to be those of the journal.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from queue import Empty, Queue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import uuid4

from reportgen.errors import ExecutionError
from reportgen.execution.cluster.versions import check_versions
from reportgen.execution.pool import STARTS, WARM_UP_SECONDS, Work, pickle_work
from reportgen.execution.printed_output import PrintedOutput
from reportgen.execution.worker import LostTask
from reportgen.installation import DISTRIBUTION
from reportgen.provenance import EVERY_FIT, installed_versions

if TYPE_CHECKING:
    from distributed import Client, Future

    from reportgen.execution.cluster.worker import IsolatedProcesses

LOGGERS = ("client", "core", "comm", "utils")  # of Dask, on this side
INSTALL = f"pip install '{DISTRIBUTION}[cluster]'"
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
ANSWER_SECONDS = 10.0  # for the scheduler to answer
LOOK_SECONDS = 2.0  # how often workers are counted
ALONE_SECONDS = 60.0  # without any worker before an execution gives up
AHEAD = 8  # batches handed out for each thread: messages to and fro take longer than short fits
UNDONE = ("lost", "pending")  # a batch whose results vanished with their worker: it is done again
BATCH_SECONDS = 0.2  # that a batch of tasks takes: a message costs some milliseconds
MOST = 200  # tasks of a batch
SIZE_TOLD = "distributed.admin.large-graph-warning-threshold"
MOST_SIZE = "1 TiB"  # of the tasks of a batch, above which Dask warns of it
T = TypeVar("T")
R = TypeVar("R")


class ClusterExecutor:
    """Does the tasks on a Dask cluster.

    `address`: of the scheduler, such as `tcp://192.168.0.7:8786`.
    `memory`: bytes that a task may use beyond what its process needs to start; by default its share
    of the worker's own limit.
    `patience`: seconds that warming up may take.
    `modules`: the study's own modules, which the workers may lack: files by their paths.
    `packages`: of which the workers have to have the versions that are here.
    `ahead`: batches that are handed out for each thread of a worker.
    Raises ExecutionError if the package distributed is not there, no scheduler answers at the
    address, or there are no workers, or such as cannot measure, or not with the versions that the
    journal would name.
    """

    def __init__(
        self,
        address: str,
        memory: int | None = None,
        patience: float = WARM_UP_SECONDS,
        modules: Mapping[str, bytes] = MappingProxyType({}),
        packages: Sequence[str] = EVERY_FIT,
        ahead: int = AHEAD,
    ) -> None:
        self.packages, self.ahead = tuple(packages), ahead
        self.address = check_address(address)
        self.modules = dict(modules)
        self.patience = patience
        with _client(self.address) as client:
            workers = _workers(client)
            self.n_workers = sum(workers.values())
            check_versions(installed_versions(self.packages), _versions(client, self.packages))
            self.memory = memory or _least_share(client, workers)

    @property
    def facts(self) -> dict[str, str]:
        """Its entry in the provenance: the program."""
        from importlib.metadata import version

        return {"cluster": f"Dask {version('distributed')}"}

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T],
        timeout: float | None = None,
        output: PrintedOutput | None = None,
    ) -> Generator[tuple[T, R | LostTask], None, None]:
        """Do the tasks; what a worker that vanishes was at is done by another.

        What they print is not kept.

        Raises ExecutionError if processes cannot start, all workers are gone for a minute, or the
        scheduler is.
        """
        from reportgen.execution.cluster.worker import IsolatedProcesses

        name = f"reportgen-{uuid4().hex}"
        processes = IsolatedProcesses(
            name,
            pickle_work(work),
            self.memory,
            self.patience,
            installed_versions(self.packages),
            self.packages,
            self.modules,
        )
        with _client(self.address) as client:
            _register(client, processes, name)
            run = _Run(client, name, work, iter(tasks), timeout, self.ahead)
            try:
                yield from run.results()
            finally:
                run.cancel()
                with suppress(Exception):  # the scheduler is gone
                    client.unregister_worker_plugin(name)


class Feed(Generic[T]):
    """Tasks that come while others are done: an iterator that may have none for a while.

    `take`: takes the next one; None where there is none now.
    """

    def __init__(self, take: Callable[[], T | None]) -> None:
        self._take = take
        self._listen: Callable[[], None] | None = None
        self.is_closed = False

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        task = self._take()
        if task is None:
            raise StopIteration
        return task

    def tell(self) -> None:
        """Tell the run that there are tasks."""
        if self._listen:
            self._listen()

    def close(self) -> None:
        """End the run: what is not done by now is not wanted."""
        self.is_closed = True
        self.tell()

    def listen(self, listen: Callable[[], None]) -> None:
        """Take down what is called when there are tasks, or will be no more."""
        self._listen = listen


class _Run:
    """The tasks of one run that are handed out."""

    def __init__(
        self,
        client: Client,
        name: str,
        work: Any,
        tasks: Iterator[Any],
        timeout: float | None,
        ahead: int = AHEAD,
    ) -> None:
        self._client = client
        self._ahead = ahead
        self._name = name
        self._work = work
        self._tasks = tasks
        self._timeout = timeout
        self._back: list[Any] = []  # tasks that were handed out and not done
        self._alone: list[Any] = []  # such with which workers have vanished: a batch for each
        self._out: dict[Future, list[Any]] = {}
        self._done: Queue[Future | None] = Queue()  # None where a feed has news
        self._size = 1  # tasks of a batch

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield each task with its result, as they come in."""
        n_threads, looked, seen = self._count(), time.monotonic(), time.monotonic()
        undone: list[Future] = []
        feed = self._tasks if isinstance(self._tasks, Feed) else None
        if feed is not None:
            feed.listen(lambda: self._done.put(None))
        # One batch at least, also while all workers start anew.
        while self._submit(self._ahead * max(1, n_threads)) or self._out or feed is not None:
            if feed is not None and feed.is_closed:
                return
            with suppress(Empty):
                future = self._done.get(timeout=LOOK_SECONDS)
                found = _results(future) if future is not None else None
                if future is None:
                    pass
                elif found is None:  # Dask would call back at once, again and again
                    undone.append(future)
                else:
                    yield from self._settle(self._out.pop(future), *found)
            now = time.monotonic()
            if now - looked >= LOOK_SECONDS:
                n_threads, looked = self._count(), now
                seen = now if n_threads else seen
                while undone:
                    undone.pop().add_done_callback(self._done.put)
            if now - seen > ALONE_SECONDS:
                raise ExecutionError(
                    f"--cluster: all workers have been gone for {ALONE_SECONDS:g} s "
                    "(what was measured is kept)"
                )

    def cancel(self) -> None:
        """Take back what is handed out."""
        with suppress(Exception):  # of a cluster that is gone
            self._client.cancel(list(self._out), force=True)

    def _submit(self, most: int) -> int:
        """Hand out tasks until so many batches are out, and return how many were."""
        from reportgen.execution.cluster.worker import done

        n_before = len(self._out)
        while len(self._out) < most and (tasks := self._batch()):
            own = [(task, self._work.kind(task), self._work.owner(task)) for task in tasks]
            future = self._client.submit(
                done, self._name, own, self._timeout, BATCH_SECONDS, pure=False, retries=0
            )
            self._out[future] = tasks
            future.add_done_callback(self._done.put)
        return len(self._out) - n_before

    def _batch(self) -> list[Any]:
        """Take the next tasks, those first that came back."""
        if self._alone:
            return [self._alone.pop()]
        again = [self._back.pop() for _ in range(min(self._size, len(self._back)))]
        return [*again, *islice(self._tasks, self._size - len(again))]

    def _settle(
        self, tasks: list[Any], results: list[Any] | LostTask, seconds: float
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the results of a batch; what was not done of it waits again."""
        if isinstance(results, LostTask):
            if len(tasks) > 1:  # one of them may have cost the others
                self._alone += reversed(tasks)
                return
            results = [results]
        elif results:
            self._size = min(MOST, max(1, int(BATCH_SECONDS * len(results) / max(seconds, 1e-6))))
        self._back += reversed(tasks[len(results) :])
        yield from zip(tasks, results, strict=False)

    def _count(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TimeoutError, ValueError) as error:
            raise ExecutionError(_lost_connection(error)) from error


def check_address(address: str) -> str:
    """Return the address of a scheduler, where it can be one.

    Raises ExecutionError if it has no protocol.

    Examples
    --------
    >>> check_address("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    if not address.startswith(SCHEMES) or not address.partition("://")[2]:
        raise ExecutionError(
            f"--cluster: found {address!r}; allowed the address of a Dask scheduler, "
            "such as tcp://127.0.0.1:8786"
        )
    return address


@contextmanager
def _client(address: str) -> Iterator[Client]:
    """Connect to a scheduler, and leave it."""
    try:
        from dask import config
        from distributed import Client
    except ImportError as error:
        raise ExecutionError(f"--cluster needs the package distributed: {INSTALL}") from error
    try:
        client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ExecutionError(
            f"--cluster: no scheduler answers at {address} within {ANSWER_SECONDS:g} s"
        ) from error
    with _quiet(), config.set({SIZE_TOLD: MOST_SIZE}):
        try:
            yield client
        finally:
            client.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging the tracebacks of a connection that is lost, which an error tells."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in LOGGERS]
    levels = [own.level for own in loggers]
    for own in loggers:
        own.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for own, level in zip(loggers, levels, strict=True):
            own.setLevel(level)


def _workers(client: Client) -> dict[str, int]:
    """Return the threads of every worker, waiting a little for the first."""
    with suppress(TimeoutError):
        client.wait_for_workers(1, timeout=ANSWER_SECONDS)
    workers: dict[str, int] = client.nthreads()
    if not workers:
        raise ExecutionError("--cluster: the cluster has no workers; start some: dask worker …")
    return workers


def _versions(client: Client, packages: Sequence[str]) -> dict[str, dict[str, str]]:
    """Ask every worker for the versions that it has of packages; not those that end then."""
    found: dict[str, Any] = client.run(installed_versions, packages, on_error="return")
    failed = {a: own for a, own in found.items() if isinstance(own, Exception)}
    gone = [address for address, own in failed.items() if isinstance(own, OSError)]
    for address, error in failed.items():
        if address not in gone:
            raise ExecutionError(
                f"--cluster: the worker {address} lacks this version of reportgen ({error}); "
                "install it there"
            )
    return {address: own for address, own in found.items() if address not in gone}


def _register(client: Client, processes: IsolatedProcesses, name: str) -> None:
    """Give all workers the processes of a run; again where one of them ends meanwhile."""
    for left in reversed(range(STARTS)):
        try:
            client.register_plugin(processes, name=name)
        except OSError as error:
            if not left:
                raise ExecutionError(_lost_connection(error)) from error
        else:
            return


def _least_share(client: Client, workers: Mapping[str, int]) -> int | None:
    """Return the least of what a thread of a worker may use; None where there is no limit."""
    known = client.scheduler_info(n_workers=-1)["workers"]
    shares = [own["memory_limit"] // workers.get(a, own["nthreads"]) for a, own in known.items()
              if own.get("memory_limit")]  # fmt: skip
    return min(shares, default=None)


def _results(future: Future) -> tuple[list[Any] | LostTask, float] | None:
    """Return the results of tasks and how long they took; None where they are not there again."""
    # Without their workers tasks are lost.
    from distributed.scheduler import KilledWorker

    if future.status in UNDONE:
        return None
    if future.status == "finished":
        try:
            found: tuple[list[Any], float] = future.result(timeout=ALONE_SECONDS)
            return found
        except TimeoutError:  # their worker has vanished since
            return None
        except OSError as error:
            raise ExecutionError(_lost_connection(error)) from error
    if future.status != "error":
        raise ExecutionError(_lost_connection(future.status))
    failure = future.exception()
    if isinstance(failure, ExecutionError):
        raise failure
    if isinstance(failure, KilledWorker):
        n = failure.allowed_failures + 1
        message = f"{n} workers vanished, one after the other, while they were at it"
        return LostTask("failed", message), 0.0
    return LostTask("failed", f"{type(failure).__name__}: {failure}"), 0.0


def _lost_connection(why: object) -> str:
    return f"--cluster: the scheduler has left ({why}); what was measured is kept"
