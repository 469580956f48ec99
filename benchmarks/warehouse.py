"""Ten million performances on disk: bytes, seconds and memory.

    python benchmarks/warehouse.py [rows]

100 data sets, 10 candidates, 2 measures and as many replications as that makes. Every step runs in
a process of its own; its peak memory is that process's. The ratios are to the bare values, 8 bytes
each, and to the time that Parquet's own reader needs.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from reportgen.performance_measure import Measure
from reportgen.warehouse import Warehouse
from reportgen.warehouse.files import read_warehouse, write_warehouse

N_DATASETS, N_CANDIDATES = 100, 10
MEASURES = (Measure("misclassification", "smaller", "share"), Measure("fit-time", "smaller", "s"))


def make(n_rows: int) -> Warehouse:
    """Return a warehouse of random values."""
    n_replications = n_rows // (N_DATASETS * N_CANDIDATES * len(MEASURES))
    shape = (N_DATASETS, len(MEASURES), n_replications, N_CANDIDATES)
    codes = [axis.ravel() for axis in np.indices(shape, dtype=np.int32)]
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "dataset": pd.Categorical.from_codes(codes[0], [f"d{i}" for i in range(shape[0])]),
            "measure": pd.Categorical.from_codes(codes[1], [m.name for m in MEASURES]),
            "replication": codes[2].astype(np.int64) + 1,
            "candidate": pd.Categorical.from_codes(codes[3], [f"c{i}" for i in range(shape[3])]),
            "value": rng.random(codes[0].size),
            "n_learn": 150.0,
            "n_distinct": 95.0,
            "n_test": 55.0,
        }
    )
    return Warehouse.of(frame, MEASURES)


def step(name: str, folder: Path, n_rows: int) -> None:
    """Do one step and print its seconds and the peak memory in GiB."""
    made = make(n_rows) if name == "write" else None
    begin = time.perf_counter()
    if made is not None:
        write_warehouse(made, folder)
    elif name == "load":
        read_warehouse(folder)
    elif name == "one":
        warehouse = read_warehouse(folder)
        begin = time.perf_counter()
        warehouse.performances("d7", "fit-time")
    else:
        pq.read_table(folder / "performances.parquet")
    seconds = time.perf_counter() - begin
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def main(n_rows: int) -> None:
    """Run every step and print what it took."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        taken = {}
        for what in ("write", "parquet", "load", "one"):
            command = [sys.executable, __file__, what, name, str(n_rows)]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            taken[what] = [float(x) for x in told.split()]
        size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{n_rows:,} rows: {size / 1e6:.0f} MB, {size / (8 * n_rows):.2f} times the bare values")
    for what, text in (
        ("write", "written"),
        ("load", "loaded and checked"),
        ("one", "values of one data set and measure taken"),
    ):
        seconds, gibibytes = taken[what]
        print(f"{text} in {seconds:.3f} s, peak memory {gibibytes:.2f} GiB")
    ratio = taken["load"][0] / taken["parquet"][0]
    print(f"loading takes {ratio:.1f} times Parquet's own reader ({taken['parquet'][0]:.2f} s)")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        step(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
