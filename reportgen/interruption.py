"""Ctrl-C and SIGTERM: a word and an exit code of their own, whenever they come.

While a verb is at work they are exceptions, so that what is open is closed. Before and after, while
Python imports or ends, nothing has to be closed: the process says so and ends at once, as an
exception there leaves tracebacks, or is taken for another exit code by who calls the verbs.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread

INTERRUPTED = 130
TERMINATED = 143
KEPT = "what was measured is kept"


class TerminatedError(KeyboardInterrupt):
    """The signal SIGTERM, which ends a program as Ctrl-C does."""


def end_at_once(number: int, _: object) -> None:
    """Say that the process ends, and end it."""
    is_term = number == signal.SIGTERM
    word = "terminated" if is_term else "interrupted"
    with suppress(Exception):  # it is closed, or being written to
        sys.stdout.flush()
    try:
        os.write(2, f"reportgen: {word}\n".encode())
    finally:
        os._exit(TERMINATED if is_term else INTERRUPTED)


def end_at_once_outside_verbs() -> None:
    """Let both signals end this process at once, where nobody listens to them or ignores them."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end_at_once)


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Let both signals be exceptions of this process; another process ends by SIGTERM as always.

    Where somebody else listens to a signal, or in another thread, nothing changes. What a library
    makes of such an exception, as pydantic does of one while it builds a class, is the same end;
    where one loses it, the end comes after the work.
    """
    own = os.getpid()
    come: list[KeyboardInterrupt] = []

    def end(number: int, _: object) -> None:
        if os.getpid() == own:
            come.append(TerminatedError() if number == signal.SIGTERM else KeyboardInterrupt())
            raise come[-1]
        signal.signal(number, signal.SIG_DFL)  # a forked worker
        os.kill(os.getpid(), number)

    def is_free(number: int) -> bool:
        before = signal.getsignal(number)
        return before == end_at_once or (number == signal.SIGTERM and before == signal.SIG_DFL)

    is_main = current_thread() is main_thread()
    both = (signal.SIGINT, signal.SIGTERM)
    free = {number: signal.getsignal(number) for number in both if is_main and is_free(number)}
    for number in free:
        signal.signal(number, end)
    try:
        yield
    except Exception as error:
        if come:
            raise come[-1] from error
        raise
    else:
        if come:
            raise come[-1]
    finally:
        for number, before in free.items():
            signal.signal(number, before)
