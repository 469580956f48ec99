"""Signals as exceptions: none is lost, and none disturbs what is closed because of it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic, sleep

import pytest

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
