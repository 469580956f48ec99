"""Signals as exceptions: none is lost."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

import pytest

from reportgen.interruption import TerminatedError, as_exceptions


@as_exceptions()
def lose(done: list[str]) -> None:
    """Work as with a library that goes on whatever it meets."""
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    done.append("work")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM on Windows")
def test_a_signal_that_a_library_loses_ends_the_verb_all_the_same() -> None:
    before, done = signal.getsignal(signal.SIGTERM), list[str]()
    with pytest.raises(TerminatedError):
        lose(done)
    assert done == ["work"]
    assert signal.getsignal(signal.SIGTERM) == before
