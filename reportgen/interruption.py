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
ALARM = getattr(signal, "SIGALRM", signal.SIGTERM)
SIGNALS = (signal.SIGINT, signal.SIGTERM, ALARM)
AGAIN = 0.25  # seconds until a signal that was lost comes again
DEEPEST = 100  # exceptions, each while another one was handled


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
    makes of such an exception, as pydantic does of one while it builds a class, is the same end.
    One that a library loses comes again, by the alarm of the system; where that is not to be had,
    the end comes after the work.
    """
    own = os.getpid()
    come: list[KeyboardInterrupt] = []

    def end(number: int, _: object) -> None:
        if os.getpid() != own:  # a forked worker
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        come.append(TerminatedError() if number == signal.SIGTERM else KeyboardInterrupt())
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        raise come[-1]

    def end_again(_: int, __: object) -> None:
        if come and os.getpid() == own and not _is_being_handled(come):
            raise come[-1]

    def tell(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_value not in come:  # which comes again
            before_us(lost)

    def is_free(number: int) -> bool:
        before = signal.getsignal(number)
        return before == end_at_once or (number != signal.SIGINT and before == signal.SIG_DFL)

    is_main = current_thread() is main_thread()
    free = {number: signal.getsignal(number) for number in SIGNALS if is_main and is_free(number)}
    has_alarm = hasattr(signal, "setitimer") and ALARM in free
    for number in free:
        signal.signal(number, end_again if has_alarm and number == ALARM else end)
    before_us, sys.unraisablehook = sys.unraisablehook, tell
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
        if come and has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = before_us
        for number, before in free.items():
            signal.signal(number, before)


def _is_being_handled(errors: list[KeyboardInterrupt]) -> bool:
    """Return whether something is being closed because of one of the errors.

    A generator that nobody goes on with is closed by an error of its own.
    """
    error = sys.exception()
    for _ in range(DEEPEST):
        if error is None or isinstance(error, GeneratorExit) or error in errors:
            return error is not None
        error = error.__context__
    return True
