"""The state of a process around a fit: global random numbers, warnings, clock and processor."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np


def seed_global_streams(seed: int) -> None:
    """Seed the global random numbers of Python and numpy.

    Estimators of other packages may draw from those of `random` and
    `numpy.random`; their results must not depend on what was fitted before.

    `seed`: below 2**32.
    """
    random.seed(seed)
    np.random.seed(seed)


@contextmanager
def kept_global_streams() -> Iterator[None]:
    """Keep the state of the global random numbers.

    For work in a process that is not a worker's own; it takes longer than the
    smallest fits.
    """
    kept, kept_numpy = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(kept_numpy)


@contextmanager
def caught_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Keep all warnings, where the system would show some of them once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


class Seconds(NamedTuple):
    """The seconds that some work took."""

    clock: float
    processor: float  # of this process and its finished children


def stopwatch() -> Callable[[], Seconds]:
    """Start to measure; what is returned gives the seconds since then."""
    clock, processor = time.perf_counter(), _processor_seconds()
    return lambda: Seconds(time.perf_counter() - clock, _processor_seconds() - processor)


def _processor_seconds() -> float:
    """Return the processor time of this process and its finished children."""
    try:
        import resource
    except ImportError:  # no such account on Windows
        return time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
