"""The progress of a run: a live bar of its fits or a line a minute, and the stages' log."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec

Advance = Callable[[int, int], None]
"""Called with the number of fits that are done, and of all."""

SECONDS_BETWEEN = 60.0  # two lines

log = logging.getLogger("reportgen")


class Lines:
    """Logs how many fits are done, for executions without a terminal.

    `seconds_between`: least time between two lines.
    """

    def __init__(self, seconds_between: float = SECONDS_BETWEEN) -> None:
        self._seconds_between = seconds_between
        self._begin = self._last = time.monotonic()

    def __call__(self, n_done: int, n_all: int) -> None:
        """Write a line, if the last one was long ago and there is more to do."""
        now = time.monotonic()
        if n_done < n_all and now - self._last >= self._seconds_between:
            self._last = now
            minutes = (now - self._begin) / 60
            log.info("%s of %s fits are done after %.0f min", f"{n_done:,}", f"{n_all:,}", minutes)


@contextmanager
def stage(name: str, *, is_long: bool = False) -> Iterator[None]:
    """Log that a stage of the flow begins, where it may be long, and how long it took."""
    if is_long:
        log.info("%s", name)
    begin = time.perf_counter()
    yield
    log.debug("%s: %.2f s", name, time.perf_counter() - begin)


def live_progress() -> AbstractContextManager[Advance | None]:
    """Return a bar on a terminal and in a notebook, a line a minute elsewhere, or nothing.

    Nothing where the log is quiet. A notebook has a bar where ipywidgets is installed: rich warns
    at every step without it.
    """
    if log.level > logging.INFO:
        return nullcontext(None)
    if is_notebook():
        return bar() if find_spec("ipywidgets") else nullcontext(Lines())
    is_plain = not sys.stderr.isatty() or {"NO_COLOR", "CI"} & set(os.environ)
    return nullcontext(Lines()) if is_plain else bar()


def is_notebook() -> bool:
    """Whether the kernel of a notebook runs this code."""
    package = sys.modules.get("IPython")
    shell = package.get_ipython() if package is not None else None
    return shell is not None and shell.has_trait("kernel")


@contextmanager
def bar() -> Iterator[Advance]:
    """Show how many fits are done, and how long the rest may take."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("execution"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("fits"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=not is_notebook()), transient=True) as progress:
        task = progress.add_task("execution", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
