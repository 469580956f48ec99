"""Runs of two variants of a command, a process each, timed in alternation."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from math import inf
from statistics import geometric_mean
from tempfile import TemporaryFile
from typing import Literal

from reportgen.errors import StudyError
from reportgen.processes import run_to_end

PLACE = "{}"
LONGEST = 600.0  # seconds that a process may take where nothing else is said
MOST_PRINTED = 1 << 24  # bytes of the times of its runs
MOST_SHOWN = 300  # characters of what a failed run says


def commands_of(a: str, b: str, command: Sequence[str]) -> dict[Literal["A", "B"], list[str]]:
    """Return the words of both variants.

    `command`: words in which A or B stands for {}; without any, A and B are commands themselves.
    Raises StudyError if no word has a place for them, or a variant is empty.
    """
    if not command:
        found: dict[Literal["A", "B"], list[str]] = {"A": _words(a), "B": _words(b)}
    elif any(PLACE in word for word in command):
        found = {
            "A": [word.replace(PLACE, a) for word in command],
            "B": [word.replace(PLACE, b) for word in command],
        }
    else:
        raise StudyError(
            f"bench: found no {PLACE} in {shlex.join(command)!r}; allowed a word with {PLACE}, "
            "where A and B stand"
        )
    for name, words in found.items():
        if not words:
            raise StudyError(f"bench: found nothing to run as {name}; allowed a command")
    return found


def _words(text: str) -> list[str]:
    """Return the words of a command."""
    # Raises StudyError if a quote is open.
    try:
        return shlex.split(text)
    except ValueError as error:
        raise StudyError(
            f"bench: found {text!r} ({error}); allowed words, quotes closed"
        ) from error


def seconds_of(words: Sequence[str], timeout: float = LONGEST, *, has_runs: bool = False) -> float:
    """Run a process to its end and return how long it took, in seconds on the clock.

    What it leaves behind is ended, and so is all of it when it takes too long.
    `has_runs`: whether it prints the seconds of its runs, one a line: then their geometric mean.
    Raises StudyError if it cannot be started, fails, takes longer than `timeout` seconds, or prints
    something else.
    """
    try:
        with TemporaryFile() as printed:
            ended = run_to_end(words, timeout=timeout, output=printed if has_runs else None)
            printed.seek(0)
            text = printed.read(MOST_PRINTED)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"bench: found {shlex.join(words)!r}, which cannot be started ({error}); allowed a "
            "command"
        ) from error
    if not ended.is_in_time:
        raise StudyError(
            f"bench: found {shlex.join(words)!r} at work after {timeout:g} s; allowed what ends by "
            "itself, or a longer --timeout"
        )
    if ended.code:
        said = ended.said[-MOST_SHOWN:]
        raise StudyError(
            f"bench: found exit code {ended.code} of {shlex.join(words)!r}"
            + (f" ({said})" if said else "")
            + "; allowed 0"
        )
    return _mean_of_runs(words, text) if has_runs else ended.seconds


def _mean_of_runs(words: Sequence[str], printed: bytes) -> float:
    """Return the geometric mean of the seconds that a process has printed."""
    found = []
    for line in printed.decode(errors="replace").split("\n"):
        if not line.strip():
            continue
        try:
            seconds = float(line)
        except ValueError:
            seconds = -1.0
        if not 0 < seconds < inf:
            raise StudyError(
                f"bench: {shlex.join(words)!r}: found {line.strip()[:MOST_SHOWN]!r} printed; "
                "allowed "
                "the seconds of a run a line, above 0"
            )
        found.append(seconds)
    if not found:
        raise StudyError(
            f"bench: {shlex.join(words)!r}: found nothing printed; allowed the seconds of a run "
            "a line"
        )
    return geometric_mean(found)
