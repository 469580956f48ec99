"""Doing the same to many things, in turn or side by side; the result is the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from reportgen.errors import AnalysisError
from reportgen.execution.pool import start_method
from reportgen.execution.worker import THREAD_LIMITS
from reportgen.sections.base import Mapper, in_turn

WORTH_IT = 6  # tasks from which on workers are started: each takes a second or two for that


@contextmanager
def side_by_side(n_workers: int, n_tasks: int) -> Iterator[Mapper]:
    """Give a mapper whose work is done by worker processes, where that is worth it.

    Parameters
    ----------
    n_workers : int
    n_tasks : int
        How many tasks there will be at a time. Few are done in turn.

    Notes
    -----
    What a task raises is raised here, and what has not begun is then left. Workers
    use one thread for linear algebra.
    """
    n_workers = min(n_workers, n_tasks)
    if n_workers < 2 or n_tasks < WORTH_IT:
        yield in_turn
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(n_workers, start_method(), _begin) as pool:
        try:
            yield cast("Mapper", pool.map)
        except BrokenProcessPool as error:
            raise AnalysisError(
                "a worker was ended from outside, probably for want of memory; allowed fewer "
                "workers, such as --jobs 1"
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _begin() -> None:
    """Leave the terminal's signals to the parent, and other cores to the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
