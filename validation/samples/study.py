"""How often comparisons of independent samples err, by simulation.

    python validation/samples/study.py [runs [few]]

Measures anew, writes `cells.csv` beside this file (with `few`, `few.csv` instead), and
docs/samples-size.md from both; without an argument only the page is written. 4,000 runs take about
ten minutes, 1,000 of few data sets as long.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.integrate import quad

from reportgen.sections.domain.sources import errors_of_samples
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.domain.sources import compare_sources
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.samples.bootstrap_ratio import bootstrap_ratios
from reportgen.stats.samples.brunner_munzel import brunner_munzel_pairs
from reportgen.stats.skewness import adjusted_skewness, reach

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Law = Callable[[Generator, tuple[int, int]], Array]

HERE = Path(__file__).parent
CELLS, FEW = HERE / "cells.csv", HERE / "few.csv"
PAGE = HERE.parents[1] / "docs" / "samples-size.md"
SEED, ALPHA = 25, 0.05
SIZES = (6, 10, 20, 50, 100)
CANDIDATES = (2, 5)
BESIDE = (6, 10, 20, 50)  # sizes at which the methods beside are measured, in fewer runs
FEWER, N_DRAWS = 8, 999
NOISE = 0.1  # standard deviation of the logarithm of a time
LARGER, WIDER = 5, 3.0
FEW_DATASETS, FEW_SIZES = (2, 3, 5), (6, 10, 20)

MEAN_LOG_GAMMA = float(quad(lambda x: np.log(x) * x * np.exp(-x), 0, 80)[0])
MEAN_LOG_WAIT = float(quad(lambda x: np.log1p(0.2 * x) * np.exp(-x), 0, 80)[0])

LAWS: Mapping[str, Law] = {
    "lognormal": lambda rng, shape: rng.normal(size=shape),
    "gamma": lambda rng, shape: np.log(rng.gamma(2.0, size=shape)) - MEAN_LOG_GAMMA,
    "least time and exponential": lambda rng, shape: (
        np.log1p(0.2 * rng.exponential(size=shape)) - MEAN_LOG_WAIT
    ),
    "1% outliers": lambda rng, shape: _with_outliers(rng, shape, 0.01, 20),
    "5% outliers": lambda rng, shape: _with_outliers(rng, shape, 0.05, 10),
}
"""Of logarithms of times, of mean 0."""

DESIGNS: Mapping[str, tuple[int, float]] = {
    "alike": (1, 1.0),
    f"of {WIDER:g} times the spread": (1, WIDER),
    f"of {LARGER} times the size": (LARGER, 1.0),
    f"of {LARGER} times the size, a third of the spread": (LARGER, 1 / WIDER),
}
"""By which factors every second sample has another size and spread."""


@dataclass(frozen=True, slots=True)
class Cell:
    """How many runs call any two equal samples different.

    Attributes
    ----------
    method, law, design : str
    k, n : int
        Candidates, and values of the first.
    wrong, runs : int
    """

    method: str
    law: str
    design: str
    k: int
    n: int
    wrong: int
    runs: int


def _with_outliers(rng: Generator, shape: tuple[int, int], share: float, far: float) -> Array:
    """Return normal values some of which are that many standard deviations larger."""
    return rng.normal(size=shape) + far * ((rng.random(shape) < share) - share)


def samples(law: str, design: str, k: int, n: int, runs: int, rng: Generator) -> list[Array]:
    """Return the logarithms of k samples, each of shape (runs, n_k), all of mean 0."""
    larger, wider = DESIGNS[design]
    parts = ((n * larger, wider) if i % 2 else (n, 1.0) for i in range(k))
    return [spread * LAWS[law](rng, (runs, size)) for size, spread in parts]


def errors(parts: list[Array]) -> tuple[Flags, Flags]:
    """Return in which runs Welch's t calls any pair different: as it is, and corrected.

    The rule of `compare_samples`, for many runs at once; a test holds them against each other.
    """
    m = comb(len(parts), 2)
    shape = parts[0].shape[:1]
    plain, corrected = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    moments = [_moments(part) for part in parts]
    for (mean_x, v_x, g_x, n_x), (mean_y, v_y, g_y, n_y) in combinations(moments, 2):
        w = v_x / (v_x + v_y)
        t = (mean_x - mean_y) / np.sqrt(v_x + v_y)
        df = 1 / (w**2 / (n_x - 1) + (1 - w) ** 2 / (n_y - 1))
        lean = g_x * w**1.5 / np.sqrt(n_x) - g_y * (1 - w) ** 1.5 / np.sqrt(n_y)
        critical = t_quantile(ALPHA / (2 * m), df)
        below, above = reach(critical, lean)
        plain |= np.abs(t) > critical
        corrected |= (t < -above) | (t > below)
    return plain, corrected


def _moments(values: Array) -> tuple[Array, Array, Array, int]:
    n, mean = values.shape[1], values.mean(axis=1)
    deviations = values - mean[:, None]
    squares, cubes = ((deviations**power).mean(axis=1) for power in (2, 3))
    return mean, squares / (n - 1), adjusted_skewness(squares, cubes, np.full(len(mean), n)), n


def columns(parts: list[Array], run: int) -> Array:
    """Return one run's samples as columns of times."""
    values = np.full((max(part.shape[1] for part in parts), len(parts)), np.nan)
    for k, part in enumerate(parts):
        values[: part.shape[1], k] = np.exp(NOISE * part[run])
    return values


PLAIN, CORRECTED = "welch, not corrected", "welch"
RANKS, BOOTSTRAP = "brunner-munzel", "bootstrap-ratio"


def measure(runs: int) -> Iterator[Cell]:
    """Measure everything anew."""
    rng = np.random.default_rng(SEED)
    for law in LAWS:
        for design in DESIGNS:
            for k in CANDIDATES:
                for n in SIZES:
                    parts = samples(law, design, k, n, runs, rng)
                    for method, wrong in zip((PLAIN, CORRECTED), errors(parts), strict=True):
                        yield Cell(method, law, design, k, n, int(wrong.sum()), runs)
    fewer = runs // FEWER
    for law in LAWS:
        for design in _same_law():
            for k in CANDIDATES:
                for n in BESIDE:
                    parts = samples(law, design, k, n, fewer, rng)
                    yield from beside(Cell("", law, design, k, n, 0, fewer), parts, rng)


def _same_law() -> list[str]:
    """Return the designs in which equal means are equal laws, of which ranks speak, too."""
    return [design for design, (_, wider) in DESIGNS.items() if wider == 1]


def beside(cell: Cell, parts: list[Array], rng: Generator) -> Iterator[Cell]:
    """Count the errors of the methods beside."""
    counts = dict.fromkeys((RANKS, BOOTSTRAP), 0)
    for run in range(cell.runs):
        values = columns(parts, run)
        counts[RANKS] += brunner_munzel_pairs(values, ALPHA).n_significant > 0
        found = bootstrap_ratios(values, ALPHA, rng, n_draws=N_DRAWS)
        counts[BOOTSTRAP] += found.n_significant > 0
    for method, wrong in counts.items():
        yield Cell(method, cell.law, cell.design, cell.k, cell.n, int(wrong), cell.runs)


def measure_few(runs: int) -> Iterator[Cell]:
    """Measure the comparison over a few data sets, whose number is the cells' `design`."""
    rng = np.random.default_rng([SEED, 1])
    for law in LAWS:
        for n_datasets in FEW_DATASETS:
            for k in CANDIDATES:
                for n in FEW_SIZES:
                    parts = [samples(law, "alike", k, n, runs, rng) for _ in range(n_datasets)]
                    wrong = sum(_is_wrong_over(parts, run) for run in range(runs))
                    yield Cell("sources", law, str(n_datasets), k, n, wrong, runs)


def _is_wrong_over(parts: list[list[Array]], run: int) -> bool:
    errors = errors_of_samples([np.log(columns(own, run)) for own in parts])
    return compare_sources(errors, all_pairs(len(parts[0])), ALPHA).n_significant > 0


def write(rows: Iterator[Cell], path: Path = CELLS) -> None:
    found = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Cell)])
        writer.writerows(map(astuple, found))


def read(path: Path = CELLS) -> list[Cell]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            (row.pop("method"), row.pop("law"), row.pop("design"), *map(int, row.values()))
            for row in csv.DictReader(file)
        ]
    return [Cell(*row) for row in rows]


# ----------------------------------------------------------------------------------- page


def page() -> str:
    """Write the page from the counts."""
    cells, over = read(), read(FEW)
    runs = max(cell.runs for cell in cells)
    alike = [c for c in cells if c.method == CORRECTED and c.design == "alike"]
    alike_plain = [c for c in cells if c.method == PLAIN and c.design == "alike"]
    few = [c for c in cells if c.method == RANKS and c.n < BESIDE[2]]
    many = [c for c in cells if c.method == RANKS and c.n >= BESIDE[2]]
    ratios = [c for c in cells if c.method == BOOTSTRAP]
    normal = [c for c in cells if c.method == CORRECTED and c.law == "lognormal"]
    return f"""# Size of comparisons of independent samples

This page is written by `validation/samples/study.py` from `cells.csv` beside it. All samples have
the same geometric mean, so that each pair that is called different is an error; a number is the per
cent of runs with any such pair, at a promised 5%. K = 2 candidates have 1 pair, K = 5 have 10;
n is the number of values of the first.

Times are lognormal; gamma (shape 2); a least time and an exponential one of a fifth of it; or
lognormal where 1% of times are 20 standard deviations (of the logarithm) longer, or 5% are 10.
Every second sample is like the others, or has another size or spread: "of 5 times the size" stands
for 6 values and 30, or 100 and 500.

## Welch's *t* on logarithms, corrected for skewness

What decides, in {runs:,} runs:

{size_table(cells, CORRECTED)}

With samples of one law and size at most {_worst(alike):.1f}% of runs err, of lognormal times at
most {_worst(normal):.1f}% in every design. Where sizes or spreads differ, the mean of the sample
with the larger variance leans, and few values do not show how much: skewed times need some 50
values then, and rare outliers that a sample has or has not are beyond any correction. Measure each
candidate equally often.

Without the correction, as of means of which standard deviation and number of values are all that is
known (with one law and size at most {_worst(alike_plain):.1f}% of runs err):

{size_table(cells, PLAIN)}

## Over two to five data sets

The mean over data sets that each have measurements of every candidate, all samples alike, by
Welch's errors of the data sets, in {max(cell.runs for cell in over):,} runs. At most
{_worst(over):.1f}% of runs err (one number has a standard error of {_error_of_few(over):.1f}).

{table_of_few(over)}

## The methods beside

Brunner and Munzel's test, adjusted by Holm, in {runs // FEWER:,} runs (only where equal means are
equal laws, which is what it tests):

{size_table(cells, RANKS)}

Of 8 values and 8, or fewer, its law is exact. Of 6 values and 30, or of 10, the *t* approximation
errs too often, most in the far tail that ten pairs need (up to {_worst(few):.1f}%); with 20 or
more {_mean(many):.1f}% err on average over all settings (one number has a standard error of 1).

Bootstrap intervals of ratios of means:

{size_table(cells, BOOTSTRAP)}

On average {_mean(ratios):.1f}% err, at most {_worst(ratios):.1f}%.
"""


def _worst(cells: list[Cell]) -> float:
    return max(100 * cell.wrong / cell.runs for cell in cells)


def _error_of_few(cells: list[Cell]) -> float:
    """Return the standard error of a rate of 5%, in per cent."""
    return float(100 * np.sqrt(ALPHA * (1 - ALPHA) / cells[0].runs))


def _mean(cells: list[Cell]) -> float:
    return sum(100 * cell.wrong / cell.runs for cell in cells) / len(cells)


def size_table(cells: list[Cell], method: str) -> str:
    own = {(c.law, c.design, c.k, c.n): 100 * c.wrong / c.runs for c in cells if c.method == method}
    sizes = sorted({n for *_, n in own})
    head = " | ".join(f"K = {k}, n = {n}" for k in CANDIDATES for n in sizes)
    n_columns = len(CANDIDATES) * len(sizes)
    lines = [f"| times | every second sample | {head} |", f"| --- | --- |{' ---: |' * n_columns}"]
    for law, design in dict.fromkeys(key[:2] for key in own):
        rates = " | ".join(f"{own[law, design, k, n]:.1f}" for k in CANDIDATES for n in sizes)
        lines.append(f"| {law} | {design} | {rates} |")
    return "\n".join(lines)


def table_of_few(cells: list[Cell]) -> str:
    own = {(c.law, c.design, c.k, c.n): 100 * c.wrong / c.runs for c in cells}
    places = [(k, n) for k in CANDIDATES for n in FEW_SIZES]
    head = " | ".join(f"K = {k}, n = {n}" for k, n in places)
    lines = [f"| times | data sets | {head} |", f"| --- | ---: |{' ---: |' * len(places)}"]
    for law, number in dict.fromkeys(key[:2] for key in own):
        rates = " | ".join(f"{own[law, number, k, n]:.1f}" for k, n in places)
        lines.append(f"| {law} | {number} | {rates} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        is_few = sys.argv[2:] == ["few"]
        rows = measure_few(int(sys.argv[1])) if is_few else measure(int(sys.argv[1]))
        write(rows, FEW if is_few else CELLS)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
