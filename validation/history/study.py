"""How often a history of nightly runs alarms, rightly and wrongly, by simulation.

    python validation/history/study.py [histories]

Measures anew, writes `cells.csv` beside this file, and docs/history-size.md from it; without an
argument only the page is written. 2,000 histories take about a minute.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import Generator

from reportgen.history.analysis import blocked
from reportgen.stats.arrays import Array
from reportgen.stats.sequential.exchangeability import draw_uniform, follow_exchangeability
from reportgen.stats.sequential.serial_dependence import independent_law, serial_dependence

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "history-size.md"
SEED, ALPHA, CHANGE = 47, 0.05, 12
COUNTS = (1, 2, 10)  # series
DESIGNS = ((40, 1), (280, 1), (280, 7))  # nights, block
REGIME = 8  # nights that one lasts, in the mean


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of the histories of one kind."""

    scenario: str
    nights: int
    block: int
    m: int  # series
    alarmed: int  # histories with an alarm in any series
    series: int  # series with an alarm
    dependent: int  # series that are told to depend on the nights before, each at alpha
    told: int  # series with an alarm of which that is told
    delay: float  # median nights from the change to the alarm
    histories: int


def noise(rng: Generator, shape: tuple[int, int]) -> Array:
    return np.asarray(rng.standard_normal(shape))


def shifted(size: float) -> Callable[[Generator, tuple[int, int]], Array]:
    return lambda rng, shape: noise(rng, shape) + size * (np.arange(shape[1]) >= CHANGE)


def autoregressive(phi: float) -> Callable[[Generator, tuple[int, int]], Array]:
    def draw(rng: Generator, shape: tuple[int, int]) -> Array:
        found = noise(rng, shape)
        for t in range(1, shape[1]):
            found[:, t] = phi * found[:, t - 1] + np.sqrt(1 - phi**2) * found[:, t]
        return found

    return draw


def regimes(spread: float) -> Callable[[Generator, tuple[int, int]], Array]:
    def draw(rng: Generator, shape: tuple[int, int]) -> Array:
        levels = spread * noise(rng, shape)
        begins = rng.random(shape) < 1 / REGIME
        begins[:, 0] = True
        last = np.maximum.accumulate(np.where(begins, np.arange(shape[1]), 0), axis=1)
        return noise(rng, shape) + np.take_along_axis(levels, last, axis=1)

    return draw


def against_reference(rng: Generator, shape: tuple[int, int]) -> Array:
    """Return differences of two candidates of one night on a machine that drifts."""
    drift = 2 * autoregressive(0.9)(rng, shape)
    return (drift + noise(rng, shape)) - (drift + noise(rng, shape))


SCENARIOS: Mapping[str, Callable[[Generator, tuple[int, int]], Array]] = {
    "nothing happens": noise,
    "heavy tails (t, 3 df)": lambda rng, shape: rng.standard_t(3, shape),
    "shift of 3 SD from night 13": shifted(3.0),
    "shift of 12 SD from night 13": shifted(12.0),
    "drift: autocorrelation .3": autoregressive(0.3),
    "drift: autocorrelation .6": autoregressive(0.6),
    "drift: autocorrelation .9": autoregressive(0.9),
    "regimes of .5 SD": regimes(0.5),
    "regimes of 1 SD": regimes(1.0),
    "drift of .9 that the reference shares": against_reference,
}


def measure(histories: int) -> None:
    rows = [
        cell(name, nights, block, m, histories)
        for name in SCENARIOS
        for nights, block in DESIGNS
        for m in COUNTS
    ]
    with CELLS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([own.name for own in fields(Cell)])
        writer.writerows(astuple(row) for row in rows)


def cell(name: str, nights: int, block: int, m: int, histories: int) -> Cell:
    rng = np.random.default_rng([SEED, list(SCENARIOS).index(name), nights, block, m])
    values = blocked(SCENARIOS[name](rng, (histories * m, nights)).T, block)
    found = follow_exchangeability(values, draw_uniform(rng, *values.shape))
    process = np.maximum(found.log_fall, found.log_rise) >= np.log(2 * m / ALPHA)
    is_alarmed = process.any(axis=0)
    law = independent_law(len(values), rng)
    is_told = np.array([serial_dependence(x, law).p_value <= ALPHA for x in values.T])
    delays = (process.argmax(axis=0)[is_alarmed] + 1) * block - CHANGE
    return Cell(
        name,
        nights,
        block,
        m,
        int(is_alarmed.reshape(histories, m).any(axis=1).sum()),
        int(is_alarmed.sum()),
        int(is_told.sum()),
        int((is_told & is_alarmed).sum()),
        float(np.median(delays)) if len(delays) else -1.0,
        histories,
    )


def read_cells() -> list[Cell]:
    kinds = {"scenario": str, "delay": float}
    with CELLS.open(encoding="utf-8", newline="") as file:
        return [
            Cell(**{name: kinds.get(name, int)(text) for name, text in row.items()})
            for row in csv.DictReader(file)
        ]


def page() -> str:
    cells = read_cells()
    n = cells[0].histories
    return f"""# Alarms of a history, simulated

Written by `python validation/history/study.py {n}`: {n:,} histories of each kind. A value is the
difference of a candidate from the reference in one night; nights differ by one standard deviation
(SD). *Alarm* is the share of histories with an alarm in any of m series, *told* that of the
series with an alarm of which the page says that successive runs depend on one another (here each
at a level of {ALPHA:g}), *dependent* that of all series.

{table(cells, 40, 1)}

The promise of at most 5% holds where nights do not depend on one another, whatever their law.
Where they do it does not, and the page says so: of drift of .6 or more nearly always, of regimes
seldom in 40 nights. A lasting shift is not taken for drift. A shift from night 13 on is found in
40 nights in some 55% of single series, however large it is, as ranks among twelve nights say
little: of what must not pass write an expectation (`expect: new not worse than main by 0.02`),
which the replications of the night itself decide, in the same night.

Over 280 nights, each by itself, and in blocks of seven (`reportgen history report --block 7`):

{table(cells, 280, 1)}

{table(cells, 280, 7)}

Blocks take away what lasts shorter than they do, and not what lasts longer. A reference in the
same run takes away all drift that it shares: the last row has drift of two standard deviations.
"""


def table(cells: list[Cell], nights: int, block: int) -> str:
    heads = " | ".join(f"alarm, m = {m}" for m in COUNTS)
    design = f"{nights} nights, blocks of {block}" if block > 1 else f"{nights} nights"
    lines = [
        f"| {design} | {heads} | dependent | told |",
        f"| --- |{' ---: |' * (len(COUNTS) + 2)}",
    ]
    for name in SCENARIOS:
        own = [c for c in cells if (c.scenario, c.nights, c.block) == (name, nights, block)]
        shares = " | ".join(f"{100 * c.alarmed / c.histories:.1f}%" for c in own)
        dependent = sum(c.dependent for c in own) / sum(c.m * c.histories for c in own)
        alarmed = sum(c.series for c in own)
        told = f"{100 * sum(c.told for c in own) / alarmed:.0f}%" if alarmed else "–"
        lines.append(f"| {name} | {shares} | {100 * dependent:.1f}% | {told} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
