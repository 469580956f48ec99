"""The progress of a run: what it does, how far that is and how long the rest may take.

One `Progress` has them all: reading, fits, the analysis of each section, drawing, the formats.
`stage` tells it what begins and ends, `counted` what is done of it; a terminal and a notebook show
it in one line, anything else gets a line in the log a minute.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from shutil import get_terminal_size
from threading import Event, Lock, Thread
from typing import Any, Protocol, TextIO, TypeVar

Advance = Callable[[int, int], None]
"""Called with the number of fits that are done, and of all."""

T = TypeVar("T")

SECONDS_BETWEEN = 60.0  # two lines
PATIENCE = 2.0  # seconds that a stage takes before a line shows it
QUARTO = "QUARTO_DOCUMENT_PATH"  # the variable with the folder of a document that Quarto executes
TICK = 0.5  # seconds between two looks at the clock
LEAST_DONE, ENOUGH = 0.01, 60.0  # share done, or seconds, from which on the pace is told
LONG = 2.0  # expected seconds of a stage that the log announces with them
MOST_HASTE = 8.0  # how many times slower or faster than expected a machine is taken to be

log = logging.getLogger("reportgen")


class Display(Protocol):
    """Where the progress is seen."""

    def show(self, text: str) -> None:
        """Show this in place of what was shown."""

    def hide(self) -> None:
        """Leave nothing of it, until it is shown again."""


@dataclass
class _Open:
    """A stage that is at work."""

    name: str
    begin: float  # when it began
    first: float = 0.0  # when its parts were first counted
    n_before: int = 0  # parts that were done then
    n_done: int = 0
    n_all: int = 0
    parts: str = ""  # what these are


class Progress:
    """What a run does, and how long the rest may take; called with counts of fits.

    `display`: where it is seen; nowhere when omitted.
    `clock`: seconds.
    """

    def __init__(
        self, display: Display | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._display, self._clock = display, clock
        self._open: list[_Open] = []
        self._expected: dict[str, float] = {}
        self._looked = -TICK
        self.ended: list[tuple[str, float]] = []

    def __call__(self, n_done: int, n_all: int) -> None:
        """Take down how many fits are done."""
        self.count(n_done, n_all, "fits")

    def expect(self, seconds: Mapping[str, float]) -> None:
        """Take down what stages to come will take on a machine as those that were measured."""
        self._expected.update(seconds)

    def expected(self, name: str) -> float:
        """Return what a stage will take, at the pace of those that have ended; 0 if unknown."""
        return self._expected.get(name, 0.0) * self._pace()

    def begin(self, name: str) -> None:
        """Begin a stage, which may be within another."""
        self._open.append(_Open(name, self._clock()))

    def end(self) -> None:
        """End the stage that began last."""
        stage = self._open.pop()
        self.ended.append((stage.name, self._clock() - stage.begin))
        if self._display:
            self._display.hide()

    def count(self, n_done: int, n_all: int, parts: str) -> None:
        """Take down how much of the stage that began last is done."""
        if not self._open:
            self.begin("execution")
        stage = self._open[-1]
        if (stage.n_all, stage.parts) != (n_all, parts) or n_done < stage.n_done:
            stage.first, stage.n_before = self._clock(), n_done
        stage.n_done, stage.n_all, stage.parts = n_done, n_all, parts
        if (now := self._clock()) - self._looked >= TICK:  # fits may be done within a millisecond
            self._looked = now
            self.tick()

    def tick(self) -> None:
        """Show what is done now, where that has taken a while."""
        text = self.text()
        if text and self._display:
            self._display.show(text)

    def text(self) -> str:
        """Say what is done, how far it is and how long it may take; nothing of what just began."""
        stage = next(iter(self._open[-1:]), None)
        if stage is None:
            return ""
        own = self._clock() - stage.begin
        if own < PATIENCE:
            return ""
        far = f": {stage.n_done:,} of {stage.n_all:,} {stage.parts}" if stage.n_all else ""
        left = self._left_of(stage)
        if left is None:
            return f"{stage.name}{far}, {in_words(own)} so far"
        later = self._later(stage)
        all_ = f", {in_words(left + later)} with what follows" if later >= LONG else ""
        return f"{stage.name}{far}, about {in_words(left)} left{all_}"

    def _left_of(self, stage: _Open) -> float | None:
        """Return the seconds that a stage may still take; None where nothing says so."""
        now = self._clock()
        n_own, own = stage.n_done - stage.n_before, now - stage.first
        if n_own and (n_own >= LEAST_DONE * stage.n_all or own >= ENOUGH):
            return own / n_own * (stage.n_all - stage.n_done)
        left = self.expected(stage.name) - (now - stage.begin)
        return left if left > 0 else None

    def _later(self, stage: _Open) -> float:
        """Return what the stages that have not begun will take."""
        begun = {name for name, _ in self.ended} | {stage.name for stage in self._open}
        return sum(self.expected(name) for name in self._expected if name not in begun)

    def _pace(self) -> float:
        """Return how many times as long as expected the stages that have ended took."""
        known = [(s, self._expected[name]) for name, s in self.ended if name in self._expected]
        expected, took = sum(e for _, e in known), sum(s for s, _ in known)
        if expected < 1.0:  # too little to judge by
            return 1.0
        return min(max(took / expected, 1 / MOST_HASTE), MOST_HASTE)


def in_words(seconds: float) -> str:
    """Write a time as one tells it: rounded, with two units at most.

    >>> in_words(3.4), in_words(89.0), in_words(400), in_words(7500)
    ('3 s', '1 min 30 s', '7 min', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{max(whole, 1)} s"
    if whole < 300:
        tens = round(seconds / 10) * 10
        minutes, rest = divmod(tens, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"


_CURRENT: ContextVar[Progress | None] = ContextVar("progress", default=None)


def current_progress() -> Progress | None:
    """Return the progress of the run at work; None where nobody looks."""
    return _CURRENT.get()


@contextmanager
def stage(name: str, *, is_long: bool = False) -> Iterator[None]:
    """Tell the progress and the log that a stage of the flow begins and ends.

    `is_long`: whether the log says so when it begins; with its time, where that is known and long.
    """
    progress = current_progress()
    if is_long:
        expected = progress.expected(name) if progress else 0.0
        log.info("%s%s", name, f" (about {in_words(expected)})" if expected >= LONG else "")
    begin = time.perf_counter()
    if progress:
        progress.begin(name)
    try:
        yield
    finally:
        if progress:
            progress.end()
    log.debug("%s: %.2f s", name, time.perf_counter() - begin)


def counted(results: Iterable[T], n_all: int, parts: str) -> Iterator[T]:
    """Yield results as they come, and tell the progress how many there were.

    `n_all`: of how many.
    `parts`: what they are, in the plural.
    """
    progress = current_progress()
    if progress and n_all > 1:
        progress.count(0, n_all, parts)
    for n_done, result in enumerate(results, start=1):
        if progress and n_all > 1:
            progress.count(n_done, n_all, parts)
        yield result


@contextmanager
def watched(progress: Progress) -> Iterator[Progress]:
    """Let the stages within tell this progress what they do."""
    token = _CURRENT.set(progress)
    try:
        yield progress
    finally:
        _CURRENT.reset(token)


@contextmanager
def live_progress() -> Iterator[Progress | None]:
    """Show the progress in a line on a terminal and in a notebook, a line a minute elsewhere.

    Nothing where the log is quiet. Where a run shows its progress already, it goes on with that.
    """
    if (outer := current_progress()) is not None or log.level > logging.INFO:
        yield outer
        return
    display = _display()
    with watched(Progress(display)) as progress, _ticking(progress), _before_lines(display):
        try:
            yield progress
        finally:
            display.hide()


def _display() -> Display:
    """Return where a run shows its progress; a document would keep an output for it."""
    if is_notebook() and find_spec("IPython") and QUARTO not in os.environ:
        return Notebook()
    is_plain = not sys.stderr.isatty() or {"NO_COLOR", "CI"} & set(os.environ)
    return Lines() if is_plain else Terminal(sys.stderr)


def is_notebook() -> bool:
    """Whether the kernel of a notebook runs this code."""
    package = sys.modules.get("IPython")
    shell = package.get_ipython() if package is not None else None
    return shell is not None and shell.has_trait("kernel")


@contextmanager
def _ticking(progress: Progress) -> Iterator[None]:
    """Let the line follow the clock where a stage has no parts that would be counted."""
    ended = Event()

    def tick() -> None:
        while not ended.wait(TICK):
            progress.tick()

    thread = Thread(target=tick, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def _before_lines(display: Display) -> Iterator[None]:
    """Hide what is shown before the log writes a line."""

    class Hiding(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            display.hide()
            last = logging.lastResort  # which takes what no other handler does
            if is_alone and last is not None and record.levelno >= last.level:
                last.handle(record)

    if isinstance(display, Lines):  # these are lines of the log
        yield
        return
    hiding, is_alone = Hiding(), not log.hasHandlers()
    log.handlers.insert(0, hiding)
    try:
        yield
    finally:
        log.removeHandler(hiding)


class Lines:
    """Logs the progress now and then, for runs without a terminal.

    `seconds_between`: least time between two lines.
    """

    def __init__(
        self,
        seconds_between: float = SECONDS_BETWEEN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds_between, self._clock = seconds_between, clock
        self._last = clock()

    def show(self, text: str) -> None:
        """Write a line, if the last one was long ago."""
        now = self._clock()
        if now - self._last >= self._seconds_between:
            self._last = now
            log.info("%s", text)

    def hide(self) -> None:
        """Leave the lines where they are."""


class Terminal:
    """A line that is written over, at the end of what a terminal shows.

    `stream`: of the terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._lock, self._n_letters = stream, Lock(), 0

    def show(self, text: str) -> None:
        """Write over the line."""
        own = text[: get_terminal_size().columns - 1]
        self._write(own, len(own))

    def hide(self) -> None:
        """Write blanks over the line, and go back to where it began."""
        if self._n_letters:
            self._write("", 0)

    def _write(self, text: str, n_letters: int) -> None:
        with self._lock:
            blanks = " " * max(0, self._n_letters - n_letters)
            end = "" if text else "\r"
            try:
                self._stream.write(f"\r{text}{blanks}{end}")
                self._stream.flush()
            except (OSError, ValueError):  # a terminal that has gone stops no run
                pass
            self._n_letters = n_letters


class Notebook:
    """An output of a notebook's cell that is written over; it needs no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._shown = ""

    def show(self, text: str) -> None:
        """Write over the output, which appears with the first text."""
        if text == self._shown:
            return
        self._shown = text
        content = {"text/plain": text}
        if self._handle is None:
            from IPython.display import display

            show: Any = display
            self._handle = show(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def hide(self) -> None:
        """Empty the output."""
        if self._shown:
            self.show("")
