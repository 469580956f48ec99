"""Whether robust archetypes find the corners of a simplex with outliers (Eugster 2011, 9.5).

    python validation/archetypes-robustness/simulate.py [part] [processes]

Draws 250 rows within the m-simplex with corners 0 and 4 e_j, with normal errors of 0.05, and
outliers on a sphere around its middle whose radius is a multiple of that of the simplex. Writes
results.csv, the performances of three fits, and settings.csv, the factors of every setting, which
study.yaml beside it reports. A part of 0.1 takes a tenth of the replications. Weights of the
weighted fit fall with the squared distance from the median, from three robust deviations on: what a
user may do who suspects outliers.

numbers.csv and number-settings.csv, which number.yaml reports, have fits with one archetype too
few to two too many, of rows with 20 outliers (as figure 9.12 there).
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from reportgen.stats.archetypal_analysis.fit import Archetypes, Options, fit_archetypes
from reportgen.stats.archetypal_analysis.initialisation import scaling_of
from reportgen.streams import stream

HERE = Path(__file__).parent
Array = NDArray[np.float64]

N, SIDE, ERROR, SEED = 250, 4.0, 0.05, 2011
DIMENSIONS, OUTLIERS, RADII = (2, 3, 10, 15), (5, 20, 100), (2, 3, 5, 15)
N_REPLICATIONS = 20
WRONG_DIMENSIONS, WRONG_OUTLIERS, WRONG_RADIUS = (2, 3, 10), 20, 5
BEYOND = (-1, 0, 1, 2)  # archetypes more than corners
FITS = ("original", "weighted", "robust")
STARTS = 2


def draw(m: int, n_outliers: int, radius: int, rng: Generator) -> tuple[Array, Array]:
    """Return the corners of a simplex, and rows of which the last are outliers."""
    corners = SIDE * np.vstack([np.zeros(m), np.eye(m)])
    middle = corners.mean(axis=0)
    size = np.linalg.norm(corners - middle, axis=1).max()
    inside = rng.dirichlet(np.ones(m + 1), N) @ corners + ERROR * rng.standard_normal((N, m))
    away = rng.standard_normal((n_outliers, m))
    away *= radius * size / np.linalg.norm(away, axis=1, keepdims=True)
    return corners, np.vstack([inside, middle + away])


def weights_of(rows: Array) -> Array:
    """Return weights that fall from three robust deviations on."""
    far = np.linalg.norm(scaling_of(rows, "robust").scaled(rows), axis=1)
    return np.asarray(np.minimum(1, (3 * np.sqrt(rows.shape[1]) / far) ** 2))


def fitted(name: str, rows: Array, k: int, rng: Generator) -> Archetypes:
    """Fit on columns in one unit, as the corners are symmetric."""
    options = Options(name, scaling="none", n_starts=STARTS)  # type: ignore[arg-type]
    weights = weights_of(rows) if name == "weighted" else None
    return fit_archetypes(rows, k, rng, weights=weights, options=options)


def measured(
    name: str, drawn: tuple[Array, Array], k: int, replication: int
) -> list[tuple[str, int, str, str, float]]:
    """Return the performances of all fits of k archetypes in one replication of one setting.

    With fewer archetypes than corners, or more, as many are matched as there are of both.
    """
    corners, rows = drawn
    out = []
    for fit in FITS:
        begin = time.process_time()
        with threadpool_limits(1):
            found = fitted(fit, rows, k, stream(SEED, name, str(replication), fit))
        seconds = time.process_time() - begin
        squares = cdist(corners, found.archetypes, "sqeuclidean")
        apart = np.sqrt(squares[linear_sum_assignment(squares)])
        values = {
            "distance": float(apart.mean()),
            "farthest": float(apart.max()),
            "iterations": float(np.mean([start.n_sweeps for start in found.starts])),
            "time": seconds,
        }
        out += [(name, replication, fit, measure, value) for measure, value in values.items()]
    return out


def of_outliers(setting: tuple[int, int, int, int]) -> list[tuple[str, int, str, str, float]]:
    """Fit as many archetypes as corners."""
    m, n_outliers, radius, replication = setting
    name = f"m{m}-n{n_outliers}-r{radius}"
    drawn = draw(m, n_outliers, radius, stream(SEED, name, str(replication)))
    return measured(name, drawn, m + 1, replication)


def of_number(setting: tuple[int, int, int]) -> list[tuple[str, int, str, str, float]]:
    """Fit other numbers of archetypes to the same rows."""
    m, beyond, replication = setting
    name = f"m{m}-k{m + 1 + beyond}"
    drawn = draw(m, WRONG_OUTLIERS, WRONG_RADIUS, stream(SEED, f"m{m}", str(replication)))
    return measured(name, drawn, m + 1 + beyond, replication)


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table beside this file."""
    with (HERE / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def simulate(
    pool: ProcessPoolExecutor,
    task: Callable[[Any], list[tuple[str, int, str, str, float]]],
    grid: Sequence[tuple[int, ...]],
    n_replications: int,
    name: str,
) -> None:
    """Measure every setting of a grid so many times."""
    tasks = [(*setting, b) for setting in grid for b in range(1, n_replications + 1)]
    rows = [row for found in pool.map(task, tasks, chunksize=4) for row in found]
    header = ("dataset", "replication", "candidate", "measure", "value")
    write(name, header, [(*key, f"{value:.4g}") for *key, value in rows])


def main(part: float, n_processes: int) -> None:
    """Measure all settings and write the tables."""
    grid = list(product(DIMENSIONS, OUTLIERS, RADII))
    numbers = list(product(WRONG_DIMENSIONS, BEYOND))
    n_replications = max(1, round(part * N_REPLICATIONS))
    with ProcessPoolExecutor(n_processes) as pool:
        simulate(pool, of_number, numbers, n_replications, "numbers.csv")
        simulate(pool, of_outliers, grid, n_replications, "results.csv")
    header = ("dataset", "dimension", "outliers", "radius")
    write("settings.csv", header, [(f"m{m}-n{n}-r{r}", m, n, r) for m, n, r in grid])
    rows = [(f"m{m}-k{m + 1 + more}", m, more) for m, more in numbers]
    write("number-settings.csv", ("dataset", "dimension", "beyond"), rows)


if __name__ == "__main__":
    given = [float(text) for text in sys.argv[1:]]
    share, processes = given + [1, 2][len(given) :]
    main(share, int(processes))
