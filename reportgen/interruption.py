"""Ctrl-C and SIGTERM: a word and an exit code of their own, whenever they come.

While a verb is at work they are exceptions, so that what is open is closed. Before and after, while
Python imports or ends, nothing has to be closed: the process says so and ends at once, as an
exception there leaves tracebacks, or is taken for another exit code by who calls the verbs. While
Python frees what there was, which takes a tenth of a second, they change no exit code.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread

INTERRUPTED = 130
TERMINATED = 143
KEPT = "what was measured is kept"
BOTH = (signal.SIGINT, signal.SIGTERM)
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
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL):
        signal.signal(signal.SIGINT, end_at_once)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end_at_once)
    atexit.register(_ignore_ours)


def _ignore_ours() -> None:
    """Leave the exit code as it is: Python takes handlers away before it frees its modules."""
    for number in BOTH:
        if signal.getsignal(number) == end_at_once:
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Let both signals be exceptions of this process; another process ends by SIGTERM as always.

    Where somebody else listens to a signal, or in another thread, nothing changes. What a library
    makes of such an exception, as pydantic does of one while it builds a class, is the same end.
    One that a library loses comes again, by the alarm of the system; where that is not to be had,
    or is another's, the end comes after the work.
    """
    own = os.getpid()
    come: list[KeyboardInterrupt] = []
    again = _Again(come)

    def end(number: int, _: object) -> None:
        if os.getpid() != own:  # a forked worker
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        come.append(TerminatedError() if number == signal.SIGTERM else KeyboardInterrupt())
        again.begin()
        raise come[-1]

    def tell(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_value not in come:  # which comes again
            before_us(lost)

    def is_free(number: int) -> bool:
        before = signal.getsignal(number)
        return before == end_at_once or (number == signal.SIGTERM and before == signal.SIG_DFL)

    is_main = current_thread() is main_thread()
    free = {number: signal.getsignal(number) for number in BOTH if is_main and is_free(number)}
    for number in free:
        signal.signal(number, end)
    before_us = sys.unraisablehook
    if free:
        sys.unraisablehook = tell
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
        try:
            if free:
                sys.unraisablehook = before_us
            for number, before in free.items():
                signal.signal(number, before)
        finally:
            again.end()


class _Again:
    """Lets the last of the errors come again by the alarm, where nobody else has it."""

    # A deadline that a caller has set, as `perl -e 'alarm 60; exec …'` does, stays one.

    def __init__(self, errors: list[KeyboardInterrupt]) -> None:
        self._errors, self._own, self._is_set = errors, os.getpid(), False

    def __call__(self, _: int, __: object) -> None:
        """Raise the error, unless something is being closed because of one."""
        if self._is_set and os.getpid() == self._own and not _is_being_handled(self._errors):
            raise self._errors[-1]

    def begin(self) -> None:
        """Set the alarm."""
        if not hasattr(signal, "setitimer"):
            return
        handler = signal.getsignal(signal.SIGALRM)
        is_free = handler == signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0
        if is_free or handler is self:
            self._is_set = True
            signal.signal(signal.SIGALRM, self)
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)

    def end(self) -> None:
        """Take the alarm back."""
        if self._is_set:
            self._is_set = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            if signal.getsignal(signal.SIGALRM) is self:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)


def interrupting() -> tuple[int, ...]:
    """Return the signals that end a verb: both, and the alarm while it is ours."""
    if not hasattr(signal, "SIGALRM"):
        return BOTH
    is_ours = isinstance(signal.getsignal(signal.SIGALRM), _Again)
    return (signal.SIGALRM, *BOTH) if is_ours else BOTH


def _is_being_handled(errors: list[KeyboardInterrupt]) -> bool:
    """Return whether something is being closed because of one of the errors."""
    # A generator that nobody goes on with is closed by an error of its own.
    error = sys.exception()
    for _ in range(DEEPEST):
        if error is None or isinstance(error, GeneratorExit) or error in errors:
            return error is not None
        error = error.__context__
    return True
