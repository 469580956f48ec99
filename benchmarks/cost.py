"""What the program expects a report to cost, over what it costs.

    python benchmarks/cost.py [--shapes 6x10x10,30x20:domain] [--stages] [--keep] [--fit]

A shape is candidates x data sets, x replications, x measures, the last two 1 when left out; behind
a colon stand the sections of its report where these are not all, with + between them. Each
report (results.json, HTML and PDF, one worker) is made in a process of its own, which tells the
processor seconds of each stage and the peak of its memory, before PDF and with it; beside them
stands what `reportgen.cost` expects of the same shape, and the ratio expected / actual. The last
line has the share of reports within a factor of two, which is what `check` promises. With --keep
what was measured is kept in `cost.json`, by which tests hold the model. With --fit nothing is
measured: the coefficients of `SHAPES`, as they are kept, are printed as they stand in
`reportgen/cost.py`: least fourth powers of logarithms of ratios, none below 0.
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
    "6x20x5000",
    "4x5x20x2:eda",
    "100x20x12:domain",
    "20x50x20x5:aggregate",
    "20x50x20x5:archetypes",
    "20x50x20x5:consensus",
    "20x50x20x5:domain",
    "20x50x20x5:eda",
    "20x50x20x5:frontier",
    "20x50x20x5:inference",
    "20x50x20x5:preferences",
    "20x50x20x5:sequential",
    "6x10x10:aggregate",
    "6x10x10:archetypes",
    "6x10x10:consensus",
    "6x10x10:domain",
    "6x10x10:eda",
    "6x10x10:inference",
    "6x10x10:preferences",
    "6x1x250:eda",
    "6x1x250:inference",
    "6x20x5000:archetypes",
    "6x20x5000:domain",
    "6x20x5000:eda",
    "6x20x5000:sequential",
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
    "6x1x10000",
    "100x60:domain",
    "300x60:domain",
    "40x100x50x5:domain",
    "40x100x50x5:eda",
    "4x5x20x2:domain",
    "4x5x20x2:inference",
    "6x1000:inference",
    "6x1x10000:eda",
    "6x21x250:aggregate",
    "6x21x250:archetypes",
    "6x21x250:consensus",
    "6x21x250:domain",
    "6x21x250:eda",
    "6x21x250:inference",
    "6x21x250:preferences",
    "6x21x250:sequential",
    "6x8x10x2:frontier",
    "6x8x10x2:inference+domain",
    "20x50x20x5:eda+inference+domain",
)
MEASURES = ("misclassification", "fit-time", "brier", "log-loss", "predict-time")
TINY = {"memory": 1e6, "memory pdf": 1e6}  # bytes below which no error counts more
TINY_SECONDS = 0.05  # the same of a stage
SHARED = ("drawing", "rendering json", "rendering html", "rendering pdf")
SECTIONS = (
    "",
    *"eda inference preferences consensus domain archetypes aggregate frontier sequential".split(),
)
LEAST_PART = 0.005  # of all sections
ROUNDS = 12  # of coefficients and parts in turn
LEAST = 0.02  # of what a stage takes, below which a term is left out
KEPT = Path(__file__).with_suffix(".json")


def numbers_of(shape: str) -> tuple[int, int, int, int]:
    """Return candidates, data sets, replications and measures."""
    k, m, b, j = (*map(int, shape.partition(":")[0].split("x")), 1, 1)[:4]
    return k, m, b, j


def sections_of(shape: str) -> list[str] | None:
    """Return the sections of a report; None for all."""
    return shape.partition(":")[2].split("+") if ":" in shape else None


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


def make_report(path: Path, sections: list[str] | None) -> dict[str, Any]:
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
        settings: dict[str, Any] = {"jobs": 1, "formats": formats, "sections": sections}
        report = pipeline.analyse(job, warehouse, origin, **settings)
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
        command = [sys.executable, __file__, "--child", str(path), shape]
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


def fitted(found: dict[str, dict[str, float]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the coefficients of every cost, and the parts of the sections, by several reports."""
    from reportgen.cost import OWNERS, VALUES, terms_of

    names = dict.fromkeys(name for own in found.values() for name in own)
    coefficients, shares = {}, {}
    for name in names:
        shapes = [shape for shape in found if name in found[shape]]
        terms = np.array([shape_of(shape).terms for shape in shapes])
        own = np.array([terms_of(name, shape_of(s), shown(s, found[s]))[-1:] for s in shapes])
        actual = np.array([found[shape][name] for shape in shapes])
        tiny = TINY.get(name, TINY_SECONDS)
        if name in SHARED and name in OWNERS:
            terms[:, VALUES] = 0  # more values are more for one section alone
        if name not in SHARED:
            best = fit(np.hstack((terms, own)), actual, tiny)
        else:
            best, parts = fit_shared(terms, own, members(shapes, found), actual, tiny)
            shares[name] = {
                n: round(x, 3) for n, x in zip(SECTIONS, parts, strict=True) if x >= LEAST_PART
            }
        coefficients[name] = [float(f"{c:.3g}") for c in best]
    return coefficients, shares


def members(shapes: list[str], found: dict[str, dict[str, float]]) -> NDArray[np.float64]:
    """Return which sections each report has; what none of them takes is there in all."""
    return np.array(
        [[n in ("", *shown(shape, found[shape])) for n in SECTIONS] for shape in shapes], np.float64
    )


def fit_shared(
    terms: NDArray[np.float64],
    own: NDArray[np.float64],
    is_in: NDArray[np.float64],
    actual: NDArray[np.float64],
    tiny: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients, and the parts of the sections, which are 1 in all, in turn."""
    parts = np.full(is_in.shape[1], 1 / is_in.shape[1])
    for _ in range(ROUNDS):
        best = fit(np.hstack((terms * (is_in @ parts)[:, None], own)), actual, tiny)
        added = own @ best[-1:]
        parts = fit(is_in * (terms @ best[:-1])[:, None], actual, tiny, added)
        parts /= parts.sum()
    return fit(np.hstack((terms * (is_in @ parts)[:, None], own)), actual, tiny), parts


def fit(
    terms: NDArray[np.float64],
    actual: NDArray[np.float64],
    tiny: float,
    added: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float64]:
    """Return the coefficients whose sums differ least by ratio, without those of no importance."""
    # `added`: what else stands in each sum.
    from scipy.optimize import least_squares

    unit = actual.mean()  # in which gradients are neither tiny nor huge
    actual, tiny = actual / unit + tiny / unit, np.asarray(added) / unit + tiny / unit
    scale = np.maximum(terms.max(axis=0), 1e-12)
    own = np.arange(terms.shape[1])
    best = np.zeros(len(own))
    while True:
        used = terms[:, own] / scale[own]

        def errors(c: NDArray[np.float64], used: NDArray[np.float64] = used) -> Any:
            ratios = np.log((used @ c + tiny) / actual)
            return ratios * np.abs(ratios)

        def slopes(c: NDArray[np.float64], used: NDArray[np.float64] = used) -> Any:
            sums = used @ c + tiny
            return (2 * np.abs(np.log(sums / actual)) / sums)[:, np.newaxis] * used

        begin = np.full(len(own), 1 / len(own))
        found = least_squares(errors, begin, slopes, bounds=(0, np.inf)).x
        parts = (used * found / (used @ found + tiny)[:, np.newaxis]).max(axis=0)
        if (parts >= LEAST).all():
            best[own] = found / scale[own] * unit
            return best
        own = own[parts >= LEAST]


def show(shape: str, own: dict[str, float], *, stages: bool) -> list[float]:
    """Print what was expected and what it took; return the ratios: seconds, bytes."""
    from reportgen.cost import expected_bytes, expected_seconds, memory_with

    sections, seen = analysed(own), shown(shape, own)
    found = []
    for formats in (("json", "html"), ("json", "html", "pdf")):
        expected = expected_seconds(shape_of(shape), sections, (*formats, "files"), seen)
        actual = {name: own[name] for name in expected}
        memory = expected_bytes(shape_of(shape), seen, formats)
        peak = own[memory_with(*formats)]
        total, took = sum(expected.values()), sum(actual.values())
        if stages and "pdf" in formats:
            for name, seconds in actual.items():
                print(f"    {name:24}{expected[name]:8.2f} s{seconds:9.2f} s")
        print(
            f"{shape:22}{formats[-1]:4}{total:8.1f} s{took:9.1f} s{total / took:7.2f}"
            f"{memory / 1e6:10.0f} MB{peak / 1e6:8.0f} MB{memory / peak:7.2f}",
            flush=True,
        )
        found += [total / took, memory / peak]
    return found


def analysed(own: dict[str, float]) -> list[str]:
    """Return the sections whose analysis was measured."""
    return [n.removeprefix("analysing ") for n in own if n.startswith("analysing ")]


def shown(shape: str, own: dict[str, float]) -> list[str]:
    """Return the sections of a report that was measured."""
    return sections_of(shape) or analysed(own)


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
        coefficients, shares = fitted(found)
        for name, parts in shares.items():
            print(f'    "{name}": {{{", ".join(f"{n!r}: {x:g}" for n, x in parts.items())}}},')
        for name, own in coefficients.items():
            print(f'    "{name}": ({", ".join(f"{c:g}" for c in own)}),')
        return
    ratios = []
    print(
        f"{'':26}{'expected':>10}{'actual':>11}{'ratio':>7}{'expected':>13}{'peak':>11}{'ratio':>7}"
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
        print(json.dumps(make_report(Path(sys.argv[-2]), sections_of(sys.argv[-1]))))
    else:
        main()
