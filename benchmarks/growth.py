"""Seconds, memory and bytes of a report as candidates grow.

    python benchmarks/growth.py [--shapes 300x60,100x20x12] [--seconds 600] [--jobs 1]

A shape is candidates x data sets, or candidates x data sets x replications; candidates differ, a
little from data set to data set and from replication to replication. Each report (HTML and
results.json of a file of results) has a process of its own. Seconds are those of the clock and of
the processor, workers included; the peak of memory is that of the largest process. The last columns
are the ratios to the limits that the project sets itself: seconds by shape, 1.5 GB, 40 MB of
results.json, 5 MB of HTML. A report that has not ended after --seconds is ended.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter

import numpy as np
import pandas as pd

LIMITS = {  # seconds of the clock
    "300x60": 15.0,
    "84x51x9": 3.0,
    "100x20x12": 30.0,
    "100x1x240": 30.0,
    "6x1000": 30.0,
    "1000x60": 90.0,
}
MOST_MEMORY, MOST_RESULTS, MOST_PAGE = 1.5, 40.0, 5.0  # GB; MB of results.json and of HTML
SHAPES = ("100x60", "300x60", "100x20x12", "500x1x6", "84x51x9", "6x1000", "100x1x240")


def write_results(shape: str, path: Path) -> None:
    """Write errors of candidates of which each is a little worse than the one before."""
    n_candidates, n_datasets, n_replications = (*map(int, shape.split("x")), 1)[:3]
    rng = np.random.default_rng(2011)
    cells = (n_datasets, n_replications, n_candidates)
    values = (
        rng.uniform(0.1, 0.3, (n_datasets, 1, 1))
        + np.linspace(0, 0.1, n_candidates)
        + rng.normal(0, 0.02, (n_datasets, 1, n_candidates))
        + (n_replications > 1) * rng.normal(0, 0.01, (n_datasets, n_replications, 1))
        + (n_replications > 1) * rng.normal(0, 0.01, cells)
    )
    names = {
        "dataset": [f"data{m + 1}" for m in range(n_datasets)],
        "replication": range(1, n_replications + 1),
        "candidate": [f"candidate{k + 1}" for k in range(n_candidates)],
    }
    index = pd.MultiIndex.from_product(names.values(), names=names)
    frame = pd.DataFrame({"error": np.abs(values).ravel().round(6)}, index=index).reset_index()
    if n_replications == 1:
        del frame["replication"]
    frame.to_csv(path, index=False)


def megabytes(paths: list[Path]) -> float:
    """Return the size of the first file there is."""
    return paths[0].stat().st_size / 1e6 if paths else float("nan")


def measure(shape: str, jobs: int, patience: float) -> str:
    """Return the line of a shape."""
    with TemporaryDirectory() as folder:
        path = Path(folder)
        write_results(shape, path / "results.csv")
        command = [sys.executable, "-m", "reportgen", "run", "results.csv", "--quiet"]
        command += ["--format", "html,json", "--jobs", str(jobs)]
        # Python keeps what it has compiled, templates included, as it does for users.
        own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        begin = perf_counter()
        child = subprocess.Popen(
            command, cwd=path, env=own, start_new_session=True, stdout=subprocess.DEVNULL
        )
        clock = Timer(patience, os.killpg, (child.pid, signal.SIGKILL))
        clock.start()
        _, status, used = os.wait4(child.pid, 0)
        clock.cancel()
        seconds = perf_counter() - begin
        child.returncode = code = os.waitstatus_to_exitcode(status)
        found = path / "output"
        ending = "not ended" if code == -signal.SIGKILL else f"exit {code}"
        memory = used.ru_maxrss / 1e6
        results, page = (megabytes([*found.rglob(n)]) for n in ("results.json", "report.html"))
        sizes = ((memory, MOST_MEMORY), (results, MOST_RESULTS), (page, MOST_PAGE))
        ratios = [own / most for own, most in ((seconds, LIMITS.get(shape, np.nan)), *sizes)]
        return (
            f"{shape:12}{seconds:8.1f} s{used.ru_utime + used.ru_stime:10.1f} s{memory:8.2f} GB"
            f"{results:8.2f} MB{page:8.2f} MB  {ending:10}"
            + "".join("     -" if np.isnan(ratio) else f"{ratio:6.2f}" for ratio in ratios)
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=",".join(SHAPES), help="candidates x data sets ...")
    parser.add_argument("--seconds", type=float, default=600.0, help="after which one is ended")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    heads = f"{'':12}{'clock':>10}{'processor':>12}{'peak':>11}{'JSON':>11}{'HTML':>11}"
    print(f"{heads}{'':12} over their limits: clock, peak, JSON, HTML")
    for shape in options.shapes.split(","):
        print(measure(shape, options.jobs, options.seconds), flush=True)


if __name__ == "__main__":
    main()
