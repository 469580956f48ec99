"""The memory of a piece of work is what it adds at its peak, whoever asks the system for it."""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from reportgen.execution.fitting import peak_memory

MEGABYTE = 2**20
TOLERANCE = 2 * MEGABYTE  # counts in batches of pages, which may be of two megabytes
TIMES = 5  # it may take pages away and bring them back meanwhile, rarely in most of five times

pytestmark = pytest.mark.skipif(
    peak_memory(int)[1] is None, reason="this system does not report how much memory a fit takes"
)


def _peak(work: object) -> float:
    assert callable(work)
    found = [peak_memory(work)[1] for _ in range(TIMES)]
    return statistics.median(peak for peak in found if peak is not None)


def test_what_is_freed_before_the_end_counts() -> None:
    def work() -> int:
        np.ones(20 * MEGABYTE // 8)
        return 7

    result, found = peak_memory(work)
    assert result == 7
    assert found == pytest.approx(20 * MEGABYTE, abs=TOLERANCE)


def test_what_a_c_library_takes_counts() -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]

    def work() -> None:
        place = library.malloc(12 * MEGABYTE)
        ctypes.memset(place, 1, 12 * MEGABYTE)
        library.free(place)

    assert _peak(work) == pytest.approx(12 * MEGABYTE, abs=TOLERANCE)


EARLIER = """
import statistics
import numpy as np
from reportgen.execution.fitting import peak_memory

def blocks():
    # eight megabytes in blocks that the C library keeps for itself when they are freed
    return [np.ones(8 * 1024) for _ in range(16 * 8)]

def once():
    stays = [blocks(), np.ones(1)]
    stays.pop(0)
    return peak_memory(blocks)[1]

print(statistics.median(once() for _ in range(5)))
"""

GARBAGE = """
import gc
import statistics
import numpy as np
from reportgen.execution.fitting import peak_memory

def work():
    gc.collect()
    np.ones(10 * 2**20 // 8)

def once():
    garbage = [np.ones(10 * 2**20 // 8)]
    garbage.append(garbage)
    del garbage
    return peak_memory(work)[1]

print(statistics.median(once() for _ in range(5)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("program", "megabytes"), [(EARLIER, 8), (GARBAGE, 10)])
def test_what_earlier_work_has_freed_or_left_does_not_hide_what_is_taken(
    root: Path, program: str, megabytes: int
) -> None:
    # in a process of its own: this one has the blocks and the garbage of other tests
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    assert float(told) == pytest.approx(megabytes * MEGABYTE, abs=TOLERANCE)


def test_what_is_there_before_does_not_count() -> None:
    there = np.ones(30 * MEGABYTE // 8)
    assert _peak(there.sum) < TOLERANCE


def test_an_error_goes_through() -> None:
    def work() -> None:
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        peak_memory(work)
