"""Signals as exceptions: none is lost, and none disturbs what is closed because of it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep

import pytest

from reportgen.execution.pool import deferred_interrupt
from reportgen.interruption import AGAIN, TerminatedError, as_exceptions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM on Windows")
PATIENCE = 60.0


def _terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


class _Finalized:
    def __del__(self) -> None:
        _terminate()


def _lose_in_a_suite() -> None:
    with suppress(BaseException):
        _terminate()


def _lose_in_a_finalizer() -> None:
    _Finalized()


def _lose_as_another_error() -> None:
    with suppress(ValueError):
        try:
            _terminate()
        except BaseException:
            raise ValueError from None


@as_exceptions()
def work(lose: Callable[[], None], seconds: float) -> None:
    """Work as with a library that goes on whatever it meets."""
    lose()
    end = monotonic() + seconds
    while monotonic() < end:
        sleep(0.01)


@pytest.mark.parametrize("lose", [_lose_in_a_suite, _lose_in_a_finalizer, _lose_as_another_error])
def test_a_signal_that_a_library_loses_comes_again(
    lose: Callable[[], None], capfd: pytest.CaptureFixture[str]
) -> None:
    before, start = signal.getsignal(signal.SIGTERM), monotonic()
    with pytest.raises(TerminatedError):
        work(lose, PATIENCE)
    assert monotonic() - start < PATIENCE / 2
    assert signal.getsignal(signal.SIGTERM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert not capfd.readouterr().err


def test_one_that_is_lost_at_the_end_ends_the_verb_all_the_same() -> None:
    with pytest.raises(TerminatedError):
        work(_lose_in_a_suite, 0)


def test_the_alarm_of_a_caller_stays() -> None:
    """A deadline ends the program as before; of a signal that is lost then, the end is late."""
    inside = list[object]()

    def lose() -> None:
        inside.append(signal.getsignal(signal.SIGALRM))
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        _lose_in_a_suite()
        inside.append(signal.getsignal(signal.SIGALRM))

    try:
        with pytest.raises(TerminatedError):
            work(lose, 0)
        assert inside == [signal.SIG_DFL, signal.SIG_DFL]
        assert signal.getitimer(signal.ITIMER_REAL)[0] > AGAIN
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_the_alarm_of_a_program_waits_for_no_worker_and_ends_none() -> None:
    rung, ended = list[int](), list[str]()

    def is_waiting() -> bool:
        ended.append("what workers are forked from")
        return False

    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    try:
        with deferred_interrupt(is_waiting):
            signal.raise_signal(signal.SIGALRM)
            assert (rung, ended) == ([signal.SIGALRM], [])
    finally:
        signal.signal(signal.SIGALRM, before)


def test_one_that_comes_again_waits_for_workers_that_begin() -> None:
    steps = list[str]()

    def lose() -> None:
        _lose_in_a_suite()
        with deferred_interrupt():
            sleep(3 * AGAIN)
            steps.append("begun")
        steps.append("not ended")

    with pytest.raises(TerminatedError):
        work(lose, 0)
    assert steps == ["begun"]


def test_in_another_thread_nothing_changes() -> None:
    inside = list[object]()

    def enter() -> None:
        with as_exceptions():
            inside.append(sys.unraisablehook)

    before = sys.unraisablehook
    thread = Thread(target=enter)
    thread.start()
    thread.join()
    assert inside == [before]


def _closing(closed: list[str]) -> Iterator[int]:
    try:
        yield 1
    finally:
        sleep(2 * AGAIN)
        closed.append("generator")


@as_exceptions()
def close(closed: list[str]) -> None:
    """Close two things, each for longer than a signal takes to come again."""
    try:
        for _ in _closing(closed):
            _terminate()
    finally:
        sleep(2 * AGAIN)
        closed.append("file")


def test_what_is_closed_is_closed_whole() -> None:
    closed = list[str]()
    with pytest.raises(TerminatedError):
        close(closed)
    assert closed == ["generator", "file"]
