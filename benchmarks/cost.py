"""What the program expects a report to cost, over what it costs.

    python benchmarks/cost.py [--shapes 6x10x10,30x20] [--fit]

A shape is candidates x data sets, x replications, x measures, the last two 1 when left out. Each
report (results.json, HTML and PDF, one worker) is made in a process of its own, which tells the
processor seconds of each stage and the peak of its memory; beside them stands what
`reportgen.cost` expects of the same shape, and the ratio expected / actual. The last line has the
share of reports whose sum is within a factor of two, which is what `check` promises. With --fit the
coefficients of these shapes are printed as they stand in `reportgen/cost.py`: least squares of
relative errors, none below 0.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

SHAPES = (
    "3x1x20",
    "6x10x10",
    "6x1x250",
    "4x12x60",
    "12x5x30",
    "10x30",
    "20x20",
    "3x40x5",
    "6x8x10x2",
    "40x30",
    "80x15",
    "20x5x20x2",
    "6x21x250",
    "10x2x1000",
    "6x100",
    "300x60",
)
OTHERS = (
    "8x10x15",
    "5x30x10",
    "15x40",
    "50x20",
    "4x5x20x2",
    "6x40x200",
)  # by which nothing was fitted
MEASURES = ("misclassification", "fit-time")
TINY = 0.05  # seconds below which no stage's error counts more


def numbers_of(shape: str) -> tuple[int, int, int, int]:
    """Return candidates, data sets, replications and measures."""
    k, m, b, j = (*map(int, shape.split("x")), 1, 1)[:4]
    return k, m, b, j


def write_results(shape: str, path: Path) -> None:
    """Write errors of candidates of which each is a little worse than the one before."""
    k, m, b, j = numbers_of(shape)
    rng = np.random.default_rng(2011)
    level = rng.uniform(0.1, 0.3, (m, 1, 1, j)) + np.linspace(0, 0.1, k)[:, None]
    values = level + rng.normal(0, 0.02, (m, 1, k, j)) + (b > 1) * rng.normal(0, 0.01, (m, b, k, j))
    names = {
        "dataset": [f"data{i + 1}" for i in range(m)],
        "replication": range(1, b + 1),
        "candidate": [f"candidate{i + 1}" for i in range(k)],
        "measure": MEASURES[:j],
    }
    index = pd.MultiIndex.from_product(list(names.values()), names=list(names))
    frame = pd.DataFrame({"value": np.abs(values).ravel().round(6)}, index=index).reset_index()
    frame.to_csv(path, index=False)


def make_report(path: Path) -> dict[str, Any]:
    """Make a report of a file of results; return what its stages took, and the peak of memory."""
    import resource
    from time import process_time

    from reportgen import pipeline
    from reportgen.progress import Progress, watched

    with watched(Progress(clock=process_time)) as progress:
        job = pipeline.open_job(path, path.parent / "output")
        warehouse, origin = pipeline.measure(job, jobs=1)
        formats = ["json", "html", "pdf"]
        report = pipeline.analyse(job, warehouse, origin, jobs=1, formats=formats)
        pipeline.render(job, report, formats)
    seconds: dict[str, float] = {}
    for name, own in progress.ended:
        seconds[name] = seconds.get(name, 0.0) + own
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
    return {"seconds": seconds, "bytes": peak, "all": process_time()}


def measure(shape: str) -> dict[str, Any]:
    """Make the report of a shape in a process of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        write_results(shape, path)
        command = [sys.executable, __file__, "--child", str(path)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fitted(found: dict[str, dict[str, Any]]) -> dict[str, list[float]]:
    """Return the coefficients of every stage by reports of several shapes."""
    from scipy.optimize import nnls

    from reportgen.cost import MEMORY

    rows = {shape: actual_of(own) for shape, own in found.items()}
    names = dict.fromkeys(name for own in rows.values() for name in own)
    coefficients = {}
    for name in names:
        shapes = [shape for shape in rows if name in rows[shape]]
        terms = np.array([shape_of(shape).terms for shape in shapes])
        actual = np.array([rows[shape][name] for shape in shapes])
        weights = 1 / np.maximum(actual, 1.0 if name == MEMORY else TINY)
        scale = np.abs(terms).max(axis=0)
        own, _ = nnls(terms / scale * weights[:, None], actual * weights)
        coefficients[name] = [float(f"{c:.3g}") for c in own / scale]
    return coefficients


def actual_of(own: dict[str, Any]) -> dict[str, float]:
    """Return what stages took by the names of the model, with the start and the memory."""
    from reportgen.cost import MEMORY, START

    stages = {
        name: seconds
        for name, seconds in own["seconds"].items()
        if name.startswith(("reading", "analysing", "drawing", "rendering"))
    }
    return {START: own["all"] - sum(stages.values()), **stages, MEMORY: own["bytes"]}


def show(shape: str, own: dict[str, Any], *, stages: bool) -> float:
    """Print what was expected and what it took; return the ratio of the sums of seconds."""
    from reportgen.cost import MEMORY, expected_bytes, expected_seconds

    actual = actual_of(own)
    peak = actual.pop(MEMORY)
    sections = [n.removeprefix("analysing ") for n in actual if n.startswith("analysing ")]
    formats = [n.removeprefix("rendering ") for n in actual if n.startswith("rendering ")]
    expected = expected_seconds(shape_of(shape), sections, formats)
    if stages:
        for name, seconds in actual.items():
            print(f"    {name:24}{expected.get(name, 0.0):8.2f} s{seconds:9.2f} s")
    total, took = sum(expected.values()), sum(actual.values())
    memory = expected_bytes(shape_of(shape))
    print(
        f"{shape:16}{total:8.1f} s{took:9.1f} s{total / took:7.2f}{memory / 1e6:10.0f} MB"
        f"{peak / 1e6:8.0f} MB{memory / peak:7.2f}",
        flush=True,
    )
    return total / took


def shape_of(shape: str) -> Any:
    """Return a shape as the model has it."""
    from reportgen.cost import Shape

    k, m, b, j = numbers_of(shape)
    return Shape(m, k, j, k * m * b * j)


def main() -> None:
    """Measure and print."""
    from reportgen.cost import COEFFICIENTS, FACTOR

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", help="candidates x data sets x replications x measures, ...")
    parser.add_argument("--stages", action="store_true", help="also of each stage")
    parser.add_argument("--fit", action="store_true", help="print coefficients of these shapes")
    given = parser.parse_args()
    shapes = given.shapes.split(",") if given.shapes else SHAPES if given.fit else OTHERS
    found = {}
    ratios = []
    print(
        f"{'':16}{'expected':>10}{'actual':>11}{'ratio':>7}{'expected':>13}{'peak':>11}{'ratio':>7}"
    )
    for shape in shapes:
        found[shape] = measure(shape)
        if COEFFICIENTS:
            ratios.append(show(shape, found[shape], stages=given.stages))
    within = sum(1 / FACTOR <= ratio <= FACTOR for ratio in ratios)
    print(f"{within} of {len(ratios)} within a factor of {FACTOR:g}")
    if given.fit:
        most = np.max([shape_of(shape).terms for shape in found], axis=0)
        print(f"MOST = ({', '.join(f'{m:g}' for m in most)})")
        for name, own in fitted(found).items():
            print(f'    "{name}": ({", ".join(f"{c:g}" for c in own)}),')


if __name__ == "__main__":
    if "--child" in sys.argv:
        print(json.dumps(make_report(Path(sys.argv[-1]))))
    else:
        main()
