"""A live bar on standard error while an execution runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Advance = Callable[[int, int], None]
"""Called with the number of fits that are done, and of all."""


@contextmanager
def bar() -> Iterator[Advance]:
    """Show how many fits are done, and how long the rest may take."""
    columns = (
        TextColumn("execution"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("fits"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("execution", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
