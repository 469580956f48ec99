"""Archetypes of 507 rows in ten columns, of 100,000 rows, and how the time grows.

    python benchmarks/archetypal_analysis.py [skeletons.csv]

Prints the median seconds of 1 to 10 archetypes with 4 starts each, of the skeletal measures where
they are given and of a table of that size else, and their ratio to the 7.8 s that R's archetypes
2.2 takes for them on four cores; the limit is 1 s. Then the seconds of 5 archetypes of 100,000 rows
in 20 columns from one start, whose limit is 10 s, and how they grow with rows, columns and
archetypes. Where Python's archetypes is installed, its seconds and sum of squares stand beside.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reportgen.stats.archetypal_analysis.choice import scree
from reportgen.stats.archetypal_analysis.fit import Options, fit_archetypes

SECONDS_OF_R = 7.764
FEW_STARTS = Options(n_starts=4)
ONE_START = Options(n_starts=1)
N_RUNS = 9
TABLE = (507, 10, 6)  # rows, columns, archetypes
GROWTH = ((100_000, 20, 5), (10_000, 20, 5), (10_000, 40, 5), (10_000, 20, 10))


def table(n: int, m: int, k: int) -> NDArray[np.float64]:
    """Draw rows around the simplex of k points."""
    rng = np.random.default_rng(7)
    return rng.dirichlet(np.full(k, 0.7), n) @ (4 * rng.standard_normal((k, m))) + (
        0.5 * rng.standard_normal((n, m))
    )


def seconds(rows: NDArray[np.float64], k: int, options: Options) -> tuple[float, float, float]:
    """Return wall seconds, processor seconds, and the sum of squares."""
    begin, begin_work = time.perf_counter(), time.process_time()
    found = fit_archetypes(rows, k, np.random.default_rng(1), options=options)
    work = time.process_time() - begin_work
    return time.perf_counter() - begin, work, found.objective


def one_to_ten(rows: NDArray[np.float64]) -> None:
    """Time 1 to 10 archetypes, from several streams of random numbers."""
    walls, sums = [], []
    for seed in range(1, N_RUNS + 1):
        begin = time.perf_counter()
        found = scree(rows, 10, np.random.default_rng(seed), options=FEW_STARTS)
        walls.append(time.perf_counter() - begin)
        sums.append(found.objectives)
    wall = median(walls)
    print(f"1 to 10 archetypes of {rows.shape}, 4 starts: median {wall:.2f} s of {N_RUNS} runs")
    print(f"  first run {walls[0]:.2f} s, all {min(walls):.2f} to {max(walls):.2f} s")
    sums_of_squares = " ".join(f"{s:.1f}" for s in np.median(sums, axis=0))
    print(f"  {wall / SECONDS_OF_R:.3f} times R's archetypes; sums of squares {sums_of_squares}")
    if find_spec("archetypes"):
        beside(rows)


def beside(rows: NDArray[np.float64]) -> None:
    """Time Python's archetypes on the same scaled rows."""
    from archetypes import AA  # type: ignore[import-not-found]

    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    begin, sums = time.perf_counter(), []
    for k in range(1, 11):
        model = AA(n_archetypes=k, n_init=4, random_state=1).fit(scaled)
        left = scaled - model.transform(scaled) @ model.archetypes_
        sums.append(f"{(left**2).sum():.1f}")
    print(f"  Python's archetypes: {time.perf_counter() - begin:.2f} s; {' '.join(sums)}")


def growth() -> None:
    """Time one start for growing rows, columns and archetypes."""
    for n, m, k in GROWTH:
        wall, work, _ = seconds(table(n, m, k), k, ONE_START)
        print(f"{k} archetypes of {n} x {m}, 1 start: {wall:.2f} s, {work:.2f} s of processor")


def main() -> None:
    """Measure and print."""
    given = sys.argv[1:]
    with threadpool_limits(1):
        one_to_ten(np.loadtxt(given[0], delimiter=",", skiprows=1) if given else table(*TABLE))
        growth()


if __name__ == "__main__":
    # This file has the name of the package that it is measured against.
    sys.path = [p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent]
    main()
