"""Whether robust archetypes find the corners of a simplex with outliers (Eugster 2011, 9.5).

    python validation/archetypes-robustness/simulate.py [part] [processes]

Draws 250 rows within the m-simplex with corners 0 and 4 e_j, with normal errors of 0.05, and
outliers on a sphere around its middle whose radius is a multiple of that of the simplex. Writes
results.csv, the performances of three fits, and settings.csv, the factors of every setting, which
study.yaml beside it reports. A part of 0.1 takes a tenth of the replications. Weights of the
weighted fit fall with the squared distance from the median, from three robust deviations on: what a
user may do who suspects outliers.
"""

from __future__ import annotations

import csv
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reportgen.stats.archetypal_analysis.fit import Archetypes, Options, archetypes
from reportgen.stats.archetypal_analysis.initialisation import scaling_of
from reportgen.stats.archetypal_analysis.stability import matched
from reportgen.streams import stream

HERE = Path(__file__).parent
Array = NDArray[np.float64]

N, SIDE, ERROR, SEED = 250, 4.0, 0.05, 2011
DIMENSIONS, OUTLIERS, RADII = (2, 3, 10, 15), (5, 20, 100), (2, 3, 5, 15)
N_REPLICATIONS = 20
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
    return archetypes(rows, k, rng, weights=weights, options=options)


def measured(setting: tuple[int, int, int, int]) -> list[tuple[str, int, str, str, float]]:
    """Return the performances of all fits in one replication of one setting."""
    m, n_outliers, radius, replication = setting
    name = f"m{m}-n{n_outliers}-r{radius}"
    corners, rows = draw(m, n_outliers, radius, stream(SEED, name, str(replication)))
    out = []
    for fit in FITS:
        begin = time.process_time()
        with threadpool_limits(1):
            found = fitted(fit, rows, m + 1, stream(SEED, name, str(replication), fit))
        seconds = time.process_time() - begin
        apart = matched(corners, found.archetypes)[1]
        values = {
            "distance": float(apart.mean()),
            "farthest": float(apart.max()),
            "iterations": float(np.mean([start.n_sweeps for start in found.starts])),
            "time": seconds,
        }
        out += [(name, replication, fit, measure, value) for measure, value in values.items()]
    return out


def main(part: float, n_processes: int) -> None:
    """Measure all settings and write the two tables."""
    grid = list(product(DIMENSIONS, OUTLIERS, RADII))
    n_replications = max(1, round(part * N_REPLICATIONS))
    tasks = [(*setting, b) for setting in grid for b in range(1, n_replications + 1)]
    with ProcessPoolExecutor(n_processes) as pool:
        rows = [row for found in pool.map(measured, tasks, chunksize=4) for row in found]
    with (HERE / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("dataset", "replication", "candidate", "measure", "value"))
        writer.writerows((*key, f"{value:.4g}") for *key, value in rows)
    with (HERE / "settings.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("dataset", "dimension", "outliers", "radius"))
        writer.writerows((f"m{m}-n{n}-r{r}", m, n, r) for m, n, r in grid)


if __name__ == "__main__":
    given = [float(text) for text in sys.argv[1:]]
    share, processes = given + [1, 2][len(given) :]
    main(share, int(processes))
