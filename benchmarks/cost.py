"""What the program expects a report to cost, over what it costs.

    python benchmarks/cost.py [--shapes 6x10x10,30x20] [--stages] [--keep] [--fit]

A shape is candidates x data sets, x replications, x measures, the last two 1 when left out. Each
report (results.json, HTML and PDF, one worker) is made in a process of its own, which tells the
processor seconds of each stage and the peak of its memory, before PDF and with it; beside them
stands what `reportgen.cost` expects of the same shape, and the ratio expected / actual. The last
line has the share of reports within a factor of two, which is what `check` promises. With --keep
what was measured is kept in `cost.json`, by which tests hold the model. With --fit nothing is
measured: the coefficients of `SHAPES`, as they are kept, are printed as they stand in
`reportgen/cost.py`: least squares of logarithms of ratios, none below 0.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    "100x60",
    "300x60",
    "1000x60",
    "6x1000",
    "84x51x9",
    "100x20x12",
    "60x30x20",
    "200x10x3",
    "100x1x240",
    "500x1x6",
    "20x50x20x5",
    "40x100x50x5",
    "50x200x100x5",
)
OTHERS = (  # by which nothing was fitted
    "8x10x15",
    "5x30x10",
    "15x40",
    "50x20",
    "4x5x20x2",
    "6x40x200",
    "150x40",
    "25x80x40x5",
    "30x300",
)
MEASURES = ("misclassification", "fit-time", "brier", "log-loss", "predict-time")
TINY = {"memory": 1e6, "memory pdf": 1e6}  # bytes below which no error counts more
TINY_SECONDS = 0.05  # the same of a stage
LEAST = 0.02  # of what a stage takes, below which a term is left out
KEPT = Path(__file__).with_suffix(".json")


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


def peak_bytes() -> float:
    """Return the peak of resident memory: since this program began, not that of its parent."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024.0
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def make_report(path: Path) -> dict[str, Any]:
    """Make a report of a file of results; return what its stages took, and the peak of memory."""
    from time import process_time

    from reportgen import pipeline
    from reportgen.progress import Progress, watched

    peaks: dict[str, float] = {}

    class Watch(Progress):
        """Takes down the peak of memory with each stage."""

        def end(self) -> None:
            """End the stage that began last."""
            super().end()
            peaks[self.ended[-1][0]] = peak_bytes()

    with watched(Watch(clock=process_time)) as progress:
        job = pipeline.open_job(path, path.parent / "output")
        warehouse, origin = pipeline.measure(job, jobs=1)
        formats = ["json", "html", "pdf"]
        report = pipeline.analyse(job, warehouse, origin, jobs=1, formats=formats)
        pipeline.render(job, report, formats)
    seconds: dict[str, float] = {}
    for name, own in progress.ended:
        seconds[name] = seconds.get(name, 0.0) + own
    return {"seconds": seconds, "peaks": peaks, "all": process_time()}


def measure(shape: str) -> dict[str, float]:
    """Make the report of a shape in a process of its own; return its costs by their names."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        write_results(shape, path)
        command = [sys.executable, __file__, "--child", str(path)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return costs_of(json.loads(done.stdout.splitlines()[-1]))


def costs_of(own: dict[str, Any]) -> dict[str, float]:
    """Return what stages took by the names of the model, with the start and the memory."""
    from reportgen.cost import MEMORY, START, memory_with

    stages = {
        name: seconds
        for name, seconds in own["seconds"].items()
        if name.startswith(("reading", "analysing", "drawing", "rendering"))
    }
    found = {
        START: own["all"] - sum(stages.values()),
        **stages,
        MEMORY: own["peaks"]["rendering html"],
        memory_with("pdf"): own["peaks"]["rendering pdf"],
    }
    return {name: float(f"{cost:.3g}") for name, cost in found.items()}


def kept() -> dict[str, dict[str, float]]:
    """Return the costs that were measured, by shape."""
    found: dict[str, dict[str, float]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def keep(found: dict[str, dict[str, float]]) -> None:
    """Write costs beside those that are kept, a line a shape."""
    all_ = (kept() if KEPT.exists() else {}) | found
    lines = [f"{json.dumps(shape)}: {json.dumps(all_[shape])}" for shape in sorted(all_)]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def fitted(found: dict[str, dict[str, float]]) -> dict[str, list[float]]:
    """Return the coefficients of every cost by reports of several shapes."""
    names = dict.fromkeys(name for own in found.values() for name in own)
    coefficients = {}
    for name in names:
        shapes = [shape for shape in found if name in found[shape]]
        terms = np.array([shape_of(shape).terms for shape in shapes])
        actual = np.array([found[shape][name] for shape in shapes])
        own = fit(terms, actual, TINY.get(name, TINY_SECONDS))
        coefficients[name] = [float(f"{c:.3g}") for c in own]
    return coefficients


def fit(terms: NDArray[np.float64], actual: NDArray[np.float64], tiny: float) -> list[float]:
    """Return the coefficients whose sums differ least by ratio, without those of no importance."""
    from scipy.optimize import least_squares

    unit = actual.mean()  # in which gradients are neither tiny nor huge
    actual, tiny = actual / unit, tiny / unit
    scale = np.maximum(terms.max(axis=0), 1e-12)
    own = np.arange(terms.shape[1])
    best = np.zeros(len(own))
    while True:
        used = terms[:, own] / scale[own]

        def ratios(c: NDArray[np.float64], used: NDArray[np.float64] = used) -> Any:
            return np.log((used @ c + tiny) / (actual + tiny))

        def slopes(c: NDArray[np.float64], used: NDArray[np.float64] = used) -> Any:
            return used / (used @ c + tiny)[:, None]

        begin = np.full(len(own), 1 / len(own))
        found = least_squares(ratios, begin, slopes, bounds=(0, np.inf)).x
        parts = (used * found / (used @ found + tiny)[:, None]).max(axis=0)
        if (parts >= LEAST).all():
            best[own] = found / scale[own] * unit
            return list(best)
        own = own[parts >= LEAST]


def show(shape: str, own: dict[str, float], *, stages: bool) -> list[float]:
    """Print what was expected and what it took; return the ratios: seconds, bytes."""
    from reportgen.cost import expected_bytes, expected_seconds, memory_with

    sections = [n.removeprefix("analysing ") for n in own if n.startswith("analysing ")]
    found = []
    for formats in (("json", "html"), ("json", "html", "pdf")):
        expected = expected_seconds(shape_of(shape), sections, (*formats, "files"))
        actual = {name: own[name] for name in expected}
        memory, peak = expected_bytes(shape_of(shape), formats), own[memory_with(*formats)]
        total, took = sum(expected.values()), sum(actual.values())
        if stages and "pdf" in formats:
            for name, seconds in actual.items():
                print(f"    {name:24}{expected[name]:8.2f} s{seconds:9.2f} s")
        print(
            f"{shape:14}{formats[-1]:4}{total:8.1f} s{took:9.1f} s{total / took:7.2f}"
            f"{memory / 1e6:10.0f} MB{peak / 1e6:8.0f} MB{memory / peak:7.2f}",
            flush=True,
        )
        found += [total / took, memory / peak]
    return found


def shape_of(shape: str) -> Any:
    """Return a shape as the model has it."""
    from reportgen.cost import Shape

    k, m, b, j = numbers_of(shape)
    return Shape(m, k, j, k * m * b * j)


def main() -> None:
    """Measure and print."""
    from reportgen.cost import FACTOR

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=",".join(OTHERS), help="candidates x data sets ...")
    parser.add_argument("--stages", action="store_true", help="also of each stage")
    parser.add_argument("--keep", action="store_true", help="keep what is measured")
    parser.add_argument("--fit", action="store_true", help="print coefficients of kept shapes")
    given = parser.parse_args()
    if given.fit:
        found = {shape: own for shape, own in kept().items() if shape in SHAPES}
        most = np.max([shape_of(shape).terms for shape in found], axis=0)
        print(f"MOST = ({', '.join(f'{m:g}' for m in most)})")
        for name, coefficients in fitted(found).items():
            print(f'    "{name}": ({", ".join(f"{c:g}" for c in coefficients)}),')
        return
    ratios = []
    print(
        f"{'':18}{'expected':>10}{'actual':>11}{'ratio':>7}{'expected':>13}{'peak':>11}{'ratio':>7}"
    )
    for shape in given.shapes.split(","):
        own = measure(shape)
        if given.keep:
            keep({shape: own})
        ratios += show(shape, own, stages=given.stages)
    within = sum(1 / FACTOR <= ratio <= FACTOR for ratio in ratios)
    print(f"{within} of {len(ratios)} within a factor of {FACTOR:g}")


if __name__ == "__main__":
    if "--child" in sys.argv:
        print(json.dumps(make_report(Path(sys.argv[-1]))))
    else:
        main()
