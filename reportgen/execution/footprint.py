"""How much memory a piece of work takes at its peak."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CLEAR = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")
RESET_PEAK = "5"


def peak_memory(work: Callable[[], object]) -> tuple[object, float | None]:
    """Do some work, and return its result and the bytes by which memory grew at its peak.

    Parameters
    ----------
    work : callable

    Returns
    -------
    object
        What the work returns.
    float or None
        None where the system keeps no such account; Linux does.

    Notes
    -----
    Counts what the process holds in physical memory, whoever has asked for it
    (Python, numpy, C and C++ libraries), in pages of usually 4 KiB: an account
    of allocations by Python, such as tracemalloc's, would not see what libsvm or
    a forest takes. Other processes have accounts of their own, and so have the
    children of this one, which are not counted. What earlier work has freed is
    given back to the system first, so that it is not used again unseen; small
    Python objects may still find room in pages that are there, and libraries keep
    buffers of their own. The same fit after other fits agrees within 0.03 MB in the
    median and 0.8 MB in 99 of 100 cases; a fit that takes less shows as nearly
    nothing. The pages that are taken anew lengthen the fit, by up to a tenth.
    """
    gc.collect(1)  # young garbage, which would be freed during the work and hide what it takes
    with suppress(OSError, AttributeError, TypeError):  # Windows has no such function
        ctypes.CDLL(None).malloc_trim(0)
    try:
        CLEAR.write_text(RESET_PEAK, encoding="ascii")
    except OSError:
        return work(), None
    before = _entry("VmRSS:")
    result = work()
    peak = _entry("VmHWM:")
    if before is None or peak is None:
        return result, None
    return result, float(max(0, peak - before))


def _entry(name: str) -> int | None:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return 1024 * int(line.split()[1])
    return None
