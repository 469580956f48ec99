"""Processor seconds of many tiny fits, against the same arithmetic in plain numpy.

    python benchmarks/nested.py [--fits 100000]

The fits are those of `validation/nested-linear-models`: two polynomials through 0 are fitted by
least squares to the same bootstrap samples of 150 observations, and tested on the observations out
of bag. Both programs draw the same samples and get the same errors; the ratio is the cost of
checks, timing and data frames. A whole cell (with random numbers and caught warnings) has its own
line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reportgen.catalogue.datasets import find_dataset
from reportgen.execution.outcome import Cell
from reportgen.execution.replication import Experiment
from reportgen.streams import stream
from reportgen.study.resampling import Resampling

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "validation/nested-linear-models"))

from power import CANDIDATES, MEASURES, N, errors

SEED = 2005
ATTEMPTS = 3  # of which the fastest counts, alternating

Array = NDArray[np.float64]


def plain(x: Array, y: Array, n_replications: int) -> Array:
    """Draw, fit and judge in numpy alone."""
    found = np.empty((n_replications, 2))
    powers = x[:, None] ** np.arange(1, 3)
    for b in range(n_replications):
        rng = stream(SEED, "sample", "linear", b + 1)
        learn = rng.integers(N, size=N)
        is_test = np.ones(N, dtype=np.bool_)
        is_test[learn] = False
        for k in (1, 2):
            design = powers[learn, :k]
            slopes = np.linalg.solve(design.T @ design, design.T @ y[learn])
            found[b, k - 1] = np.mean((y[is_test] - powers[is_test, :k] @ slopes) ** 2)
    return found


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds that something takes: neighbours disturb them little."""
    begin = process_time()
    work()
    return process_time() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=100_000)
    n_fits = parser.parse_args().fits
    n_replications = max(1, n_fits // (2 * ATTEMPTS))
    resampling = Resampling("bootstrap", n_replications)
    data = find_dataset("linear", N, {"b2": 0.04}, np.random.default_rng(SEED))
    x, y = data.inputs.to_numpy()[:, 0], np.asarray(data.response, dtype=np.float64)
    candidates = {candidate.name: candidate for candidate in CANDIDATES}
    experiment = Experiment({"linear": data}, candidates, MEASURES, resampling, SEED)
    cells = [Cell("linear", b + 1, name) for b in range(n_replications) for name in candidates]

    def whole_cells() -> None:
        for cell in cells:
            experiment(cell)

    roads = {
        "plain numpy": lambda: plain(x, y, n_replications),
        "candidates": lambda: errors(data, resampling, SEED),
        "whole cells": whole_cells,
    }
    with threadpool_limits(limits=1):
        difference = np.abs(errors(data, Resampling("bootstrap", 20), SEED) - plain(x, y, 20)).max()
        times: dict[str, list[float]] = {}
        for _ in range(ATTEMPTS):
            for name, road in roads.items():
                times.setdefault(name, []).append(seconds(road))
    fastest = {name: min(found) for name, found in times.items()}
    per_million = 1e6 / (2 * n_replications)
    for name, best in fastest.items():
        ratio = best / fastest["plain numpy"]
        print(f"{name:12} {best * per_million:8.0f} s for 10^6 fits{ratio:8.2f}")
    print(f"largest difference of the errors: {difference:.1e}")


if __name__ == "__main__":
    main()
