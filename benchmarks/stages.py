"""Seconds and peak memory of a report's stages, and how they grow with the data sets.

    python benchmarks/stages.py [results.csv] [--formats html,pdf]

Takes a tidy file of results, or generates one (4 data sets, 6 candidates, 250 replications, 2
measures). The report of its first data set and the report of all of it are made in one run, each
in a process of its own; the ratio compares the two. Packages are imported before the clock runs,
and the import has a line of its own. Peak memory is that of the process within the stage, where
the system can reset it (Linux); elsewhere it is the highest so far.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reportgen.pipeline import Job

Usage = dict[str, tuple[float, float]]  # seconds and MB by stage

N_CANDIDATES, N_REPLICATIONS, N_DATASETS = 6, 250, 4


def reset_peak() -> None:
    """Let the peak begin at what is used now, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_megabytes() -> float:
    """Return the peak of resident memory since it was reset."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def measured(usage: Usage, stage: str) -> Iterator[None]:
    """Add what happens inside to a stage."""
    reset_peak()
    begin = perf_counter()
    yield
    seconds, peak = usage.get(stage, (0.0, 0.0))
    usage[stage] = seconds + perf_counter() - begin, max(peak, peak_megabytes())


def report(results: Path, formats: list[str]) -> Usage:
    """Make the report of a file of results, stage by stage."""
    usage: Usage = {}
    with measured(usage, "import"):
        import matplotlib.pyplot  # noqa: F401
        import scipy.stats  # noqa: F401
        import weasyprint  # noqa: F401

        from reportgen import pipeline
    with measured(usage, "load"):
        job = pipeline.open_job(results, results.parent / "output")
        warehouse, origin = pipeline.measure(job)
    found = pipeline.analyse(timed(job, usage), warehouse, origin)
    for name in formats:
        with measured(usage, name):
            pipeline.render(job, found, [name])
    return usage


def timed(job: Job, usage: Usage) -> Job:
    """Let every section's analysis and drawing be measured."""
    from reportgen.sections.base import Section

    class Timed(Section):
        """A section with a clock."""

        def analyse(self, *args: Any, **required: Any) -> Any:
            with measured(usage, f"{self.name}: analyse"):
                return super().analyse(*args, **required)

        def draw(self, *args: Any) -> Any:
            with measured(usage, f"{self.name}: draw"):
                return super().draw(*args)

    sections = {
        name: Timed(**{f.name: getattr(section, f.name) for f in fields(section)})
        for name, section in job.sections.items()
    }
    return replace(job, sections=sections)


def generate(path: Path) -> None:
    """Write results with blocks, distinct candidates and a time."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(2011)
    shape = (N_DATASETS, N_REPLICATIONS, N_CANDIDATES)
    block = rng.normal(0, 0.01, (N_DATASETS, N_REPLICATIONS, 1))
    errors = 0.1 + 0.01 * np.arange(N_CANDIDATES) + block + rng.normal(0, 0.01, shape)
    seconds = rng.lognormal(np.arange(N_CANDIDATES) - 5, 0.2, shape)
    index = pd.MultiIndex.from_product(
        [
            [f"data{m}" for m in range(N_DATASETS)],
            range(1, N_REPLICATIONS + 1),
            [f"candidate{k}" for k in range(N_CANDIDATES)],
        ],
        names=["dataset", "replication", "candidate"],
    )
    values = {"misclassification": errors.clip(0, 1).ravel(), "fit-time": seconds.ravel()}
    wide = pd.DataFrame(values, index=index).rename_axis(columns="measure")
    wide.stack().rename("value").reset_index().to_csv(path, index=False)


def first_dataset(path: Path, folder: Path) -> tuple[Path, int]:
    """Write the first data set's rows to a file of its own; count the data sets."""
    import pandas as pd

    frame = pd.read_csv(path)
    target = folder / f"first-{path.name}"
    frame[frame["dataset"] == frame["dataset"].iloc[0]].to_csv(target, index=False)
    return target, frame["dataset"].nunique()


def in_own_process(path: Path, formats: str) -> Usage:
    """Run `report` in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, __file__, str(path), "--formats", formats, "--child"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1761955200"},
    )
    return {name: (seconds, peak) for name, (seconds, peak) in json.loads(done.stdout).items()}


def show(one: Usage, all_: Usage, n_datasets: int) -> None:
    """Print both reports side by side, and the ratio of their seconds."""
    print(f"{'':24}{'1 data set':>20}{f'{n_datasets} data sets':>20}{'ratio':>8}")
    for stage, (more, higher) in all_.items():
        seconds, peak = one.get(stage, (0.0, 0.0))
        print(
            f"{stage:24}{seconds:9.2f} s {peak:6.0f} MB{more:9.2f} s {higher:6.0f} MB"
            f"{f'{more / seconds:8.2f}' if seconds else '':>8}"
        )
    first, second = (sum(s for name, (s, _) in u.items() if name != "import") for u in (one, all_))
    print(f"{'report':24}{first:9.2f} s {'':9}{second:9.2f} s {'':9}{second / first:8.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, nargs="?", help="tidy CSV with a column dataset")
    parser.add_argument("--formats", default="html,pdf", help="what is rendered")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        usage = report(arguments.results, arguments.formats.split(","))
        print(json.dumps(usage))
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "all.csv"
        if arguments.results:
            copy.write_bytes(arguments.results.read_bytes())
        else:
            generate(copy)
        first, n_datasets = first_dataset(copy, folder)
        usages = [in_own_process(path, arguments.formats) for path in (first, copy)]
        show(*usages, n_datasets)


if __name__ == "__main__":
    main()
