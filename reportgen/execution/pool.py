"""Executors of tasks: in this process, or in worker processes that may die.

Every worker has a pipe of its own, and its death costs only its own task. A shared
queue would be simpler, but a worker that dies while it holds the queue's lock, or
before its death is distinguished from its task's, takes other tasks along: of 8,000
tasks a third of which called os._exit, pebble 5.2 had 7,493 left after two minutes,
and broke; here each of the 2,667 costs itself and nothing else.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import current_thread, main_thread
from typing import Any, Generic, Protocol, TypeVar
from uuid import uuid4

from reportgen.catalogue.plugins import study_modules
from reportgen.errors import ExecutionError, StudyError
from reportgen.execution.printed_output import PrintedOutput
from reportgen.execution.process_state import kept_global_streams
from reportgen.execution.worker import (
    BATCH_SECONDS,
    WORKER,
    Limits,
    LostTask,
    Order,
    Ready,
    Returned,
    Warm,
    fair_share,
    serve,
)
from reportgen.interruption import interrupting
from reportgen.module_path import safe_variables
from reportgen.processes import end_all, end_marked, find_descendants

PRELOADED = (
    "reportgen.execution.replication",
    "reportgen.catalogue.candidates.preparation",
    "reportgen.study.setup",
    "sklearn.discriminant_analysis",
    "sklearn.ensemble",
    "sklearn.neighbors",
    "sklearn.neural_network",
    "sklearn.pipeline",
    "sklearn.svm",
)
"""What fits need, imported once by the process that workers are forked from."""
FORKED = "REPORTGEN_FORKED"  # in the environment of the process that workers are forked from
SESSION = uuid4().hex
EXIT_SECONDS = 5.0  # an idle worker has to end by itself
HAS_PIPES = sys.platform != "win32"  # that a process can print to, and that can be waited for
PIPE_BYTES = 2**16  # that a pipe holds
T = TypeVar("T")
WARM_UP_SECONDS = 60.0
MOST_TASKS = 64  # that a worker has at a time
MOST_BYTES = 2**9  # of each, of those that it is sent while it is at another
PAUSE_SECONDS = 0.005  # between two looks at workers that have tasks for longer
CLOCK_TICK = 1e-9
LEAST_FILES = 32  # that a process has to have open, of which the server takes half
STARTS = 3  # of a process, while others end it, or the server that starts processes
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


def _started(context: BaseContext, arguments: tuple[object, ...]) -> BaseProcess:
    """Start a process that serves tasks; anew where the server that starts it was ended."""
    if most_files() < LEAST_FILES:  # that server would end with a traceback
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    n_left = STARTS
    while True:
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=serve, args=arguments, name="reportgen-worker", daemon=False
        )
        try:
            with safe_children():
                process.start()
        except (EOFError, ConnectionError) as error:
            n_left -= 1
            if not n_left:
                raise OSError("what starts processes was ended again and again") from error
        else:
            return process


def most_files() -> float:
    """Return how many files a process may have open."""
    try:
        import resource
    except ImportError:  # on Windows
        return inf
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return inf if most == resource.RLIM_INFINITY else most


class WorkerProcess(Generic[T]):
    """A process at the other end of a pipe, and the task it is at."""

    def __init__(
        self, context: BaseContext, payload: bytes, limits: Limits, owner: str = ""
    ) -> None:
        self.owner = owner  # of all its tasks
        self.connection, end = context.Pipe()
        # What it prints; a pipe of its own, so that nothing that it starts holds one of ours.
        self.output: Connection | None = None
        printing: Connection | None = None
        if HAS_PIPES:
            self.output, printing = context.Pipe(duplex=False)
            os.set_blocking(self.output.fileno(), False)
        self.folder = mkdtemp(prefix="reportgen-")
        limits = replace(limits, folder=self.folder)
        arguments = (end, payload, limits, study_modules(), printing, owner, self.output)
        try:
            self.process = _started(context, arguments)
        except OSError:
            rmtree(self.folder, ignore_errors=True)
            raise
        end.close()
        if printing is not None:
            printing.close()
        self.is_ready = False
        self.tasks: deque[T] = deque()  # the one that it is at, and those after it
        self.most = 1  # tasks that it is given at a time
        self.since = 0.0  # when it was last heard of, on the clock of `time.monotonic`
        self.kinds: set[Hashable] = set()  # of tasks that it was given
        self.warming: list[Hashable] = []  # the kind that it warms up for, or none
        self.deadline = float("inf")

    def expect(self, n_done: int) -> None:
        """Choose how many tasks it is given at a time, by how long the last ones took."""
        now = time.monotonic()
        n_soon = int(BATCH_SECONDS * n_done / max(now - self.since, CLOCK_TICK))
        self.most, self.since = max(1, min(n_soon, 2 * self.most, MOST_TASKS)), now

    def read_output(self, most: int) -> bytes:
        """Return what it has printed since, at most so many bytes."""
        parts: list[bytes] = []
        while self.output is not None and most > 0:
            try:
                part = os.read(self.output.fileno(), min(most, PIPE_BYTES))
            except BlockingIOError:
                break
            if not part:  # it has closed its end
                self.output.close()
                self.output = None
            parts.append(part)
            most -= len(part)
        return b"".join(parts)

    def kill(self) -> None:
        """End the process and the children that it may have, of whatever session."""
        pid = self.process.pid
        children = [] if pid is None else find_descendants(pid)
        with suppress(OSError):
            if pid is not None and hasattr(os, "killpg"):
                os.killpg(pid, signal.SIGKILL)
        self.process.kill()
        end_all(children)
        self.process.join()

    def end(self) -> int | None:
        """Close the pipe, wait for the end, or force it, and return the exit code."""
        self.connection.close()
        if self.output is not None:
            self.output.close()
        self.process.join(0.0 if self.tasks else EXIT_SECONDS)
        if self.process.is_alive():
            self.kill()
        end_marked(WORKER, self.folder)
        end_strays()
        code = self.process.exitcode
        self.process.close()
        rmtree(self.folder, ignore_errors=True)
        return code


UNKNOWN = (
    "found what worker processes do not know ({fault}); allowed classes and functions of "
    "modules, or of a "
    'script outside `if __name__ == "__main__":`'
)
NO_GUARD = 79  # exit code of a process that was to import a script, and found it at work
GUARD = (
    "found a script that starts worker processes when it is imported, which each of them does; "
    'allowed such work under `if __name__ == "__main__":` (with jobs=1 there is no need of it)'
)


def has_guard() -> bool:
    """Whether the script that runs may start workers only where it runs as a script itself.

    Of what is no file nothing is known: then it is assumed.
    """
    try:
        text = Path(sys.modules["__main__"].__file__ or "").read_text(encoding="utf-8")
    except (AttributeError, OSError, UnicodeDecodeError):
        return True
    return "__main__" in text


@contextmanager
def safe_children() -> Iterator[None]:
    """Start processes that look for modules in no working folder: multiprocessing starts by `-c`.

    They get this process's path once they are there.
    """
    with _variables(safe_variables()):
        yield


@contextmanager
def _variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Give processes that are started meanwhile variables of the environment."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, text in before.items():
            if text is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = text


def check_script() -> None:
    """Check that worker processes can import the script that starts them, and nothing by chance.

    A worker that imports it, and so comes here, ends.

    Raises StudyError if the script is no file, or Python is to ignore its environment, by which
    workers look for modules in no working folder.
    """
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        raise StudyError(
            "found Python's option -E, with which worker processes import what lies in the current "
            "folder; allowed with -P (python -P -E …)"
        )
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        os._exit(NO_GUARD)
    if str(getattr(sys.modules["__main__"], "__file__", "")).startswith("<"):
        raise StudyError(
            "found a script in no file, which worker processes cannot import; allowed a file, or "
            "evaluate with jobs=1"
        )


def start_method(modules: Iterable[str] | None = None) -> BaseContext:
    """Fork workers from a process without threads where there is such a thing.

    `modules`: what that process imports if this is the first call; what fits need when left out.
    """
    check_script()
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED if modules is None else modules))
    with suppress(OSError), safe_children():  # what fails is told later
        resource_tracker.ensure_running()  # which lets signals through again
        with deferred_interrupt(), _without_interrupt(), _variables({FORKED: forked_here()}):
            forkserver.ensure_running()
    return context


def forked_here() -> str:
    """Return the value of `FORKED` in all that this process's workers are, and fork.

    A process that was forked from this one, and has workers of its own, has another value.
    """
    return f"{SESSION}-{os.getpid()}"


def end_strays() -> None:
    """End what was forked in workers that have ended: it descends from no process of ours."""
    if (pid := fork_server()) is not None:
        end_marked(FORKED, forked_here(), kept_below=pid)


def fork_server() -> int | None:
    """Return the number of the process that workers are forked from; None where there is none."""
    server = getattr(forkserver, "_forkserver", None)
    return getattr(server, "_forkserver_pid", None)


def _end_fork_server() -> None:
    """End the process that workers are forked from, which holds our pipes while it imports."""
    if (pid := fork_server()) is not None:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


Finalize(None, _end_fork_server, exitpriority=-1)  # after the workers, in this process alone


@contextmanager
def deferred_interrupt(is_waiting: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM come after this.

    A worker that begins, whose number nobody has yet, would else end with a traceback where its
    locks are gone.

    `is_waiting`: whether no worker can have begun, as what they are forked from may be importing:
    it is ended then, as nobody waits for it.
    """
    came: list[int] = []
    handlers = {}

    def defer(number: int, _: object) -> None:
        came.append(number)
        if is_waiting():
            _end_fork_server()

    if current_thread() is main_thread():
        # Another thread of this process, such as that of the progress, may take the signal.
        handlers = {number: signal.getsignal(number) for number in interrupting()}
        handlers = {number: own for number, own in handlers.items() if callable(own)}
    for number in handlers:
        signal.signal(number, defer)
    try:
        yield
    finally:
        for number, own in handlers.items():
            signal.signal(number, own)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Start a process to which Ctrl-C never comes, nor to what it forks."""
    # It would else end with a traceback while it imports.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which children inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def cause_of(code: int | None) -> str:
    """Describe how a process ended."""
    if code is None or code >= 0:
        return f"the worker process ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = " (often for lack of memory)" if name in ("SIGKILL", "SIGABRT") else ""
    return f"the worker process was ended by {name}{hint}"


class Work(Protocol[T_contra, R_co]):
    """The function of every task; pickled and sent to each worker once."""

    def owner(self, task: T_contra, /) -> str:
        """Return whose code the task runs: tasks of two owners share no worker; "" for ours."""

    def prepare(self, owner: str) -> None:
        """Get ready, before the first task of an owner."""

    def kind(self, task: T_contra, /) -> Hashable:
        """Return what tasks have in common that load the same things on first use."""

    def warm_up(self, task: T_contra, /) -> None:
        """Load these things: done in every process before its first task of a kind."""

    def __call__(self, task: T_contra, /) -> R_co:
        """Do a task."""


class Executor(Protocol):
    """Somebody who does tasks, in any order, and hands over each result when it is there."""

    memory: int | None  # bytes that a task may use; None for no limit

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T],
        timeout: float | None = None,
        output: PrintedOutput | None = None,
    ) -> Generator[tuple[T, R | LostTask], None, None]:
        """Do all tasks; close the iterator to stop before the end.

        `timeout`: seconds that one task may take.
        `output`: takes what the tasks print, where they do not print here.
        """


class SerialExecutor:
    """Does the tasks in this process: for debugging and small things.

    It cannot end a task that takes too long, nor outlive one that crashes.
    """

    memory: int | None = None
    n_workers = 1

    @property
    def facts(self) -> dict[str, str | int]:
        """Its entry in the provenance: empty, as all is on this machine."""
        return {}

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T],
        timeout: float | None = None,
        output: PrintedOutput | None = None,
    ) -> Generator[tuple[T, R | LostTask], None, None]:
        """Do one task after the other; there is no timeout, and what they print is printed."""
        from threadpoolctl import ThreadpoolController

        owners: set[str] = set()
        warm: set[Hashable] = set()
        libraries = ThreadpoolController()  # slow: it looks for all that are loaded
        for task in tasks:
            if (owner := work.owner(task)) not in owners:
                owners.add(owner)
                work.prepare(owner)
            kind = work.kind(task)
            if kind not in warm:
                warm.add(kind)
                with libraries.limit(limits=1), kept_global_streams():
                    work.warm_up(task)
                libraries = ThreadpoolController()
            with libraries.limit(limits=1), kept_global_streams():
                result = work(task)
            yield task, result


class ProcessExecutor:
    """Does the tasks in worker processes on this machine.

    `n_workers`: default: one for each core that this process may use.
    `memory`: bytes that a worker may use beyond what it needs to start; by default the workers
    share nine tenths of what is free now.
    `patience`: seconds that warming up may take. A worker that is not done by then, or dies, is
    replaced, and tasks of that kind are done without.
    """

    def __init__(
        self,
        n_workers: int | None = None,
        memory: int | None = None,
        patience: float = WARM_UP_SECONDS,
    ) -> None:
        self.n_workers = n_cores() if n_workers is None else n_workers
        self.memory = fair_share(self.n_workers) if memory is None else memory
        self.patience = patience

    @property
    def facts(self) -> dict[str, str | int]:
        """Its entry in the provenance: empty, as all is on this machine."""
        return {}

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T],
        timeout: float | None = None,
        output: PrintedOutput | None = None,
    ) -> Generator[tuple[T, R | LostTask], None, None]:
        """Do the tasks; a worker that dies or is too slow is replaced.

        Raises ExecutionError if workers cannot start at all.
        """
        crew: _Workers[T, R] = _Workers(
            self.n_workers,
            work,
            tasks,
            timeout,
            Limits(self.memory),
            self.patience,
            PrintedOutput() if output is None else output,
        )
        try:
            yield from crew.results()
        except (GeneratorExit, KeyboardInterrupt):  # Ctrl-C waits for no worker
            crew.close(by_force=True)
            raise
        finally:
            crew.close()


def n_cores() -> int:
    """Return the number of cores that this process may use, at least one."""
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, min(allowed, int(quota) // int(period)))
    except (OSError, ValueError):  # no such limit
        return allowed


class _Queue(Generic[T]):
    """The tasks that wait; of an iterable no more are taken than are requested."""

    def __init__(self, tasks: Iterable[T]) -> None:
        self._rest = iter(tasks)
        self._taken: deque[T] = deque()

    def has(self, n: int) -> bool:
        """Whether at least n tasks wait."""
        while len(self._taken) < n:
            try:
                self._taken.append(next(self._rest))
            except StopIteration:
                return False
        return True

    def __bool__(self) -> bool:
        return self.has(1)

    def popleft(self) -> T:
        """Take the next task; there must be one."""
        self.has(1)
        return self._taken.popleft()

    def take_while(self, fits: Callable[[T], bool], most: int) -> list[T]:
        """Take the next tasks as long as they fit, at most so many."""
        found: list[T] = []
        while len(found) < most and self and fits(self._taken[0]):
            found.append(self._taken.popleft())
        return found

    def put_back(self, tasks: Iterable[T]) -> None:
        """Put tasks before all others, in their order."""
        self._taken.extendleft(reversed([*tasks]))


class _Workers(Generic[T, R]):
    """The workers of one run, and what they have left to do."""

    def __init__(
        self,
        n_workers: int,
        work: Work[T, R],
        tasks: Iterable[T],
        timeout: float | None,
        limits: Limits,
        patience: float,
        output: PrintedOutput,
    ) -> None:
        self._output = output
        self._size = n_workers
        self._limits = limits
        self._patience = patience
        self._work = work
        self._n_killed = 0  # workers one after the other that were killed while they started
        self._cold: set[Hashable] = set()  # kinds for which it is no use to warm up
        # Kinds that print: one at a time, so that each waits for no look at its output.
        self._printing: set[Hashable] = set()
        self._payload = pickle_work(work)
        self._waiting: _Queue[T] = _Queue(tasks)
        self._timeout = float("inf") if timeout is None else timeout
        self._workers: list[WorkerProcess[T]] = []
        self._context = start_method()

    def results(self) -> Iterator[tuple[T, R | LostTask]]:
        """Yield each task with its result, as they come in."""
        while True:
            self._start_workers()
            if not self._waiting and not any(worker.tasks for worker in self._workers):
                return
            for worker, ready in self._ready_workers().items():
                yield from self._hear(worker, ready)
            yield from self._handle_timeouts()

    def close(self, *, by_force: bool = False) -> None:
        """End all workers, those at a task by force."""
        # `by_force`: whether no worker is waited for.
        while self._workers:
            worker = self._workers.pop()
            if by_force or worker.tasks or not worker.is_ready:
                worker.kill()
            self._end(worker)

    def _end(self, worker: WorkerProcess[T]) -> int | None:
        """End a worker, keep the last that it has printed, and return its exit code."""
        self._keep_output(worker, 2 * PIPE_BYTES)  # what it has started may print for ever
        return worker.end()

    def _keep_output(self, worker: WorkerProcess[T], most: int = PIPE_BYTES) -> None:
        if printed := worker.read_output(most):
            task = worker.tasks[0] if worker.tasks else ()
            if worker.tasks and not worker.warming and worker.is_ready:
                self._printing.add(self._work.kind(worker.tasks[0]))
            names = task if isinstance(task, tuple) else (task,)
            self._output.take(", ".join(map(str, names)), printed)

    def _start_workers(self) -> None:
        """Start workers while there is work for them, and give tasks to the idle ones."""
        for worker in tuple(self._workers):
            self._supply(worker)
        while len(self._workers) < self._size and self._waiting:
            self._start_worker(self._waiting.popleft())

    def _supply(self, worker: WorkerProcess[T]) -> None:
        """Give a task to an idle worker, and more to one that has few left."""
        if not self._waiting:
            return
        if not worker.tasks:
            self._give(worker, self._waiting.popleft())
        elif len(worker.tasks) <= worker.most // 2 and not worker.warming:
            tasks = self._like(worker, worker.tasks[-1], worker.most - len(worker.tasks))
            if tasks:
                self._send(worker, tasks)

    def _start_worker(self, task: T) -> None:
        """Start a worker for a task, which it gets when it is ready."""
        owner = self._work.owner(task)
        try:
            started = WorkerProcess[T](self._context, self._payload, self._limits, owner)
        except OSError as error:
            is_gone = isinstance(error, FileNotFoundError)
            allowed = "a current folder that exists" if is_gone else "fewer --jobs"
            fault = f"the workers cannot start: {error}; allowed {allowed}"
            raise ExecutionError(fault) from error
        started.tasks.append(task)
        self._workers.append(started)

    def _give(self, worker: WorkerProcess[T], task: T) -> None:
        """Give a task to an idle worker, or to a new one in its place where it is another's."""
        if self._work.owner(task) == worker.owner:
            self._send_task(worker, task)
            return
        self._workers.remove(worker)
        worker.kill()
        self._end(worker)
        self._start_worker(task)

    def _send_task(self, worker: WorkerProcess[T], task: T) -> None:
        """Send a task, and those after it that are like it where such tasks take little time."""
        kind = self._work.kind(task)
        is_first = kind not in worker.kinds and kind not in self._cold
        tasks = [task] if is_first else [task, *self._like(worker, task, worker.most - 1)]
        worker.kinds.add(kind)
        if self._send(worker, tasks, is_first=is_first):
            worker.warming = [kind] if is_first else []
            worker.since = time.monotonic()
            worker.deadline = worker.since + (self._patience if is_first else self._timeout)

    def _like(self, worker: WorkerProcess[T], task: T, most: int) -> list[T]:
        """Take the tasks that come next, as long as they are of the kind and owner of this one."""
        kind = self._work.kind(task)
        if kind in self._printing:
            return []
        return self._waiting.take_while(
            lambda other: (
                self._work.kind(other) == kind and self._work.owner(other) == worker.owner
            ),
            most,
        )

    def _send(self, worker: WorkerProcess[T], tasks: list[T], *, is_first: bool = False) -> bool:
        """Send tasks, or put them back where the worker is gone, and return whether they are sent.

        One that has died while it had nothing to do is left here, others are found by their end.
        To one that is at a task only what its pipe has room for is sent: it reads when it is done,
        and its results may wait for us meanwhile.
        """
        written = ForkingPickler.dumps(Order(tuple(tasks), is_first))
        if worker.tasks and len(written) > MOST_BYTES * len(tasks):
            self._waiting.put_back(tasks)
            return False
        try:
            worker.connection.send_bytes(written)
        except OSError:
            self._waiting.put_back(tasks)
            if not worker.tasks:
                self._workers.remove(worker)
                self._end(worker)
            return False
        worker.tasks.extend(tasks)
        return True

    def _ready_workers(self) -> dict[WorkerProcess[T], list[Any]]:
        """Wait until a worker sends a message, prints, ends, or exceeds its time.

        Result: what each of them is ready with: its connection, output or sentinel.
        """
        if all(len(worker.tasks) > 1 for worker in self._workers):
            time.sleep(PAUSE_SECONDS)  # to find more than one result, while nobody waits
        left = min(worker.deadline for worker in self._workers) - time.monotonic()
        sources: dict[Connection | int, WorkerProcess[T]] = {}
        for worker in self._workers:
            sources[worker.connection] = worker
            sources[worker.process.sentinel] = worker
            if worker.output is not None:
                sources[worker.output] = worker
        found: dict[WorkerProcess[T], list[Any]] = {}
        ready: list[Any] = wait(list(sources), None if left == inf else max(left, 0.0))
        for source in ready:
            found.setdefault(sources[source], []).append(source)
        return found

    def _hear(self, worker: WorkerProcess[T], ready: list[Any]) -> Iterator[tuple[T, R | LostTask]]:
        """Take what a worker has sent and printed, and give it more before its results go on."""
        results, has_ended = self._read_messages(worker)
        if worker not in self._workers:
            yield from results
            return
        # After the results of those before it: it is of the task that the worker is at.
        if worker.output in ready:
            self._keep_output(worker)
        if has_ended or (not results and worker.process.sentinel in ready):
            yield from results
            yield from self._handle_exit(worker)
            return
        if results:
            worker.expect(len(results))
            worker.deadline = worker.since + self._timeout if worker.tasks else inf
            self._supply(worker)
        yield from results

    def _read_messages(self, worker: WorkerProcess[T]) -> tuple[list[tuple[T, R]], bool]:
        """Return the results that a worker has sent, and whether it has closed its pipe."""
        results: list[tuple[T, R]] = []
        try:
            while worker in self._workers and worker.connection.poll():
                message = worker.connection.recv()
                if isinstance(message, Ready | Warm | Returned):
                    self._obey(worker, message)
                else:
                    results.append((worker.tasks.popleft(), message))
        except (EOFError, OSError, pickle.UnpicklingError):
            return results, True
        return results, False

    def _obey(self, worker: WorkerProcess[T], message: Ready | Warm | Returned) -> None:
        """Do what a message asks for."""
        if isinstance(message, Returned):
            self._waiting.put_back([worker.tasks.popleft() for _ in range(message.n)])
        elif isinstance(message, Warm):
            worker.warming = []
            worker.since = time.monotonic()
            worker.deadline = worker.since + self._timeout
        else:
            if message.is_unknown:
                raise StudyError(UNKNOWN.format(fault=message.fault))
            if message.fault:
                raise ExecutionError(f"the workers cannot start: {message.fault}")
            worker.is_ready = True
            self._n_killed = 0
            self._send_task(worker, worker.tasks.popleft())

    def _handle_exit(self, worker: WorkerProcess[T]) -> Iterator[tuple[T, LostTask]]:
        self._workers.remove(worker)
        worker.process.join(EXIT_SECONDS)  # what closed its pipe is about to end it
        code = self._end(worker)
        cause = cause_of(code)
        if not worker.is_ready and code == NO_GUARD:
            raise StudyError(GUARD)
        starved = code is not None and code < 0
        if not worker.is_ready:
            self._n_killed += 1
            if not starved or self._n_killed == STARTS * self._size:
                raise ExecutionError(f"the workers cannot start: {cause}")
            self._waiting.put_back(worker.tasks)  # which another worker gets
            return
        yield from self._handle_loss(worker, LostTask("failed", cause, may_lack_memory=starved))

    def _handle_loss(
        self, worker: WorkerProcess[T], result: LostTask
    ) -> Iterator[tuple[T, LostTask]]:
        """Give up the task that a worker was at; what comes before a task does not cost it."""
        self._cold.update(worker.warming)
        lost = worker.tasks.popleft() if worker.tasks and not worker.warming else None
        self._waiting.put_back(worker.tasks)  # before the loss is dealt with
        if lost is not None:
            yield lost, result

    def _handle_timeouts(self) -> Iterator[tuple[T, LostTask]]:
        now = time.monotonic()
        for worker in [w for w in self._workers if w.deadline <= now and not w.connection.poll()]:
            self._workers.remove(worker)
            worker.kill()
            self._end(worker)
            late = LostTask("timed-out", f"took longer than {self._timeout:g} s")
            yield from self._handle_loss(worker, late)


def pickle_work(work: object) -> bytes:
    """Return work as it is sent to worker processes.

    Raises ExecutionError if it cannot be.
    """
    try:
        return pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ExecutionError(f"the work cannot be sent to worker processes: {error}") from error
