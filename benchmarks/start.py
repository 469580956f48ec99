"""How long `reportgen --help` takes to start, over a bare interpreter's start.

    python benchmarks/start.py [--runs 31]

The two commands alternate, so that what else the machine does falls on both alike; the medians
are compared. Limit: five times a bare interpreter's start.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median
from time import perf_counter

BARE = [sys.executable, "-c", "pass"]
HELP = [sys.executable, "-m", "reportgen", "--help"]


def seconds(command: list[str]) -> float:
    """Return the wall-clock seconds of a command."""
    begin = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=31)
    n_runs = parser.parse_args().runs
    seconds(HELP)  # writes the bytecode and warms the disk's cache
    pairs = [(seconds(BARE), seconds(HELP)) for _ in range(n_runs)]
    bare, full = (median(column) for column in zip(*pairs, strict=True))
    print(f"bare interpreter  {1000 * bare:6.1f} ms  (median of {n_runs})")
    print(f"reportgen --help  {1000 * full:6.1f} ms")
    print(f"ratio             {full / bare:6.2f}     (limit 5)")


if __name__ == "__main__":
    main()
