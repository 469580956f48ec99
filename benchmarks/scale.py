"""Seconds and peak memory of a large domain by stage, and how they grow from 10^4 rows.

    python benchmarks/scale.py [--rows 10000,100000,1000000,5000000] [--stages read,html] [--jobs 4]
        [--sections domain]

5,000,000 rows are 200 data sets x 50 candidates x 100 replications x 5 measures; fewer rows have
fewer data sets, candidates and replications. 50,000,000, which have ten times the replications, are
measured where they are asked for, from Parquet alone. Each size has a process of its own, and each
stage its own peak memory where the system can reset it (Linux). Stages: read (Parquet and CSV into
a warehouse), store (the warehouse written and read again), matrices (the values of every data set
and measure), analyse (every section analysed, drawn and tabulated), results (results.json), html,
pdf. Seconds are those of the clock: run it on an idle machine. The last lines are the ratios of
seconds a row at the largest size over those at the smallest that takes one: 1 is linear growth.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPES = {  # data sets, candidates, replications, measures
    10_000: (20, 10, 10, 5),
    100_000: (50, 20, 20, 5),
    1_000_000: (100, 40, 50, 5),
    5_000_000: (200, 50, 100, 5),
    50_000_000: (200, 50, 1000, 5),
}
MOST_CSV = 5_000_000  # rows that are written as CSV, too
MEASURES = ("misclassification", "brier", "log-loss", "fit-time", "predict-time")
STAGES = ("read", "store", "matrices", "analyse", "results", "html", "pdf")

Usage = tuple[float, float]  # seconds, GiB


def reset_peak() -> None:
    """Let the peak begin at what is used now, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_gibibytes() -> float:
    """Return the peak of resident memory since it was reset."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 2**20
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


@contextmanager
def measured(usage: dict[str, Usage], stage: str) -> Iterator[None]:
    """Take down what happens inside."""
    reset_peak()
    begin = perf_counter()
    yield
    usage[stage] = (perf_counter() - begin, peak_gibibytes())


def generate(shape: tuple[int, int, int, int], folder: Path) -> None:
    """Write results of candidates that differ, on data sets that differ, as Parquet and CSV."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    n_datasets, n_candidates, n_replications, n_measures = shape
    rng = np.random.default_rng(1)
    full = (n_datasets, n_replications, n_candidates, n_measures)
    values = (
        rng.uniform(0.1, 0.3, (n_datasets, 1, 1, 1))
        + np.sort(rng.normal(0, 0.03, n_candidates))[:, None]
        + rng.normal(0, 0.01, (n_datasets, 1, n_candidates, 1))
        + rng.normal(0, 0.02, (n_datasets, n_replications, 1, 1))
        + rng.normal(0, 0.01, full)
    )
    d, b, k, j = (axis.ravel() for axis in np.indices(full, dtype=np.int32))
    texts = {
        "dataset": (d, [f"d{i:03d}" for i in range(n_datasets)]),
        "candidate": (k, [f"c{i:02d}" for i in range(n_candidates)]),
        "measure": (j, list(MEASURES[:n_measures])),
    }
    columns = {n: pa.DictionaryArray.from_arrays(c, names) for n, (c, names) in texts.items()}
    columns |= {"replication": pa.array(b + 1), "value": pa.array(np.clip(values, 0, 1).ravel())}
    table = pa.table(columns)
    pq.write_table(table, folder / "rows.parquet")
    if len(table) > MOST_CSV:
        return
    plain = [table[n].cast(pa.string()) if n in texts else table[n] for n in table.column_names]
    pc.write_csv(pa.table(plain, names=table.column_names), folder / "rows.csv")


def stages(
    folder: Path, wanted: list[str], jobs: int, sections: list[str] | None
) -> dict[str, Usage]:
    """Do the stages that are wanted; read is always one."""
    from reportgen import pipeline
    from reportgen.exchange.importing import import_results
    from reportgen.exchange.tidy import study_results
    from reportgen.warehouse.files import read_warehouse, write_warehouse

    usage: dict[str, Usage] = {}
    if (folder / "rows.csv").exists():
        with measured(usage, "read csv"):
            import_results([folder / "rows.csv"])
    job = pipeline.open_job(folder / "rows.parquet", folder)
    with measured(usage, "read parquet"):
        warehouse = study_results(job.study)
    if "store" in wanted:
        with measured(usage, "store"):
            write_warehouse(warehouse, folder / "warehouse")
            warehouse = read_warehouse(folder / "warehouse")
    if "matrices" in wanted:
        with measured(usage, "matrices"):
            for dataset in warehouse.datasets:
                for measure in warehouse.measures:
                    warehouse.performances(dataset, measure.name)
    if "analyse" in wanted:
        with measured(usage, "analyse"):
            job.folder.mkdir(parents=True, exist_ok=True)
            _, origin = pipeline.measure(job)
            report = pipeline.analyse(job, warehouse, origin, sections=sections, jobs=jobs)
        for stage, form in (("results", "json"), ("html", "html"), ("pdf", "pdf")):
            if stage in wanted:
                with measured(usage, stage):
                    pipeline.render(job, report, [form])
    return usage


def one_size(n_rows: int, wanted: list[str], jobs: int, sections: str) -> None:
    """Measure one size and print what it took as JSON."""
    with TemporaryDirectory() as name:
        generate(SHAPES[n_rows], Path(name))
        asked = sections.split(",") if sections else None
        print(json.dumps(stages(Path(name), wanted, jobs, asked)))


def main(sizes: list[int], wanted: list[str], jobs: int, sections: str) -> None:
    """Measure every size in a process of its own, and print a table and the growth."""
    found: dict[int, dict[str, Usage]] = {}
    for n_rows in sizes:
        asked = ["--one", str(n_rows), "--stages", ",".join(wanted), "--jobs", str(jobs)]
        asked += ["--sections", sections]
        command = [sys.executable, __file__, *asked]
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        found[n_rows] = json.loads(told.splitlines()[-1])
        shape = " x ".join(map(str, SHAPES[n_rows]))
        for stage, (seconds, gibibytes) in found[n_rows].items():
            numbers = f"{seconds:8.2f} s {gibibytes:5.2f} GiB"
            print(f"{n_rows:>9,} rows ({shape}): {stage:12} {numbers}", flush=True)
    largest = max(sizes)
    for stage, (seconds, _) in found[largest].items():
        slow = [n for n in sizes if found[n].get(stage, (0.0,))[0] >= 1 and n < largest]
        if slow:
            ratio = seconds / largest / (found[min(slow)][stage][0] / min(slow))
            print(f"{stage}: seconds a row, {largest:,} rows over {min(slow):,}: {ratio:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    usual = (n for n in SHAPES if n <= MOST_CSV)
    parser.add_argument("--rows", default=",".join(map(str, usual)))
    parser.add_argument("--stages", default=",".join(STAGES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sections", default="", help="only these")
    parser.add_argument("--one", type=int)
    asked = parser.parse_args()
    if asked.one:
        one_size(asked.one, asked.stages.split(","), asked.jobs, asked.sections)
    else:
        main(
            [int(n) for n in asked.rows.split(",")],
            asked.stages.split(","),
            asked.jobs,
            asked.sections,
        )
