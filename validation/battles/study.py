"""How often what battles are asked is answered wrongly, by simulation.

    python validation/battles/study.py [runs]

Measures anew, writes `cells.csv` beside this file, and docs/battles-size.md from it; without an
argument only the page is written. 100 runs take about ten minutes.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.worths.battle_models import circles, fit_style
from reportgen.stats.worths.battle_tree import Covariate, grow_battles
from reportgen.stats.worths.battles import Battles
from reportgen.stats.worths.bradley_terry import fit_finite

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "battles-size.md"
SEED, ALPHA, SPREAD = 46, 0.05, 0.6
DESIGNS = ((5, 500, 0), (5, 500, 30), (5, 2000, 0), (5, 2000, 300), (20, 3000, 100))
"""Candidates, battles, judges (0: none)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Shares of studies in which something is shown that is not so.

    Attributes
    ----------
    k, n, judges : int
    category : float
        That the order depends on a category of battles.
    judged : float
        On one that is the same for every judge; as of `category` without judges.
    mixed : float
        On one of which nine tenths of a judge's battles have the same level.
    alone : float
        The same, battles taken for independent.
    style : float
        That style matters.
    circle : float
        That some triple of equal candidates is circular.
    runs : int
    """

    k: int
    n: int
    judges: int
    category: float
    judged: float
    mixed: float
    alone: float
    style: float
    circle: float
    runs: int


def draw(rng: Generator, k: int, n: int, judges: int, top: float) -> Battles:
    """Make battles up: models meet unequally often, judges have opinions of their own."""
    often = rng.dirichlet(np.full(k, 4.0))
    first = rng.choice(k, n, p=often)
    second = (first + rng.integers(1, k, n)) % k
    worths = np.tile(np.linspace(top, -top, k), (n, 1))
    own = None
    if judges:
        weights = rng.dirichlet(np.ones(judges))
        own = np.unique(rng.choice(judges, n, p=weights), return_inverse=True)[1]
        worths = worths + rng.normal(0, SPREAD, (judges, k))[own]
    at = np.arange(n)
    d = worths[at, first] - worths[at, second]
    odds = np.exp(np.column_stack([d / 2, np.full(n, -0.7), -d / 2]))
    which = (rng.random(n)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
    return Battles(first, second, (1 - which).astype(np.int8), k, own)


def is_shown(battles: Battles, codes: Array) -> bool:
    """Return whether the order is said to depend on a covariate of two levels."""
    own = Covariate("x", codes, ("a", "b"))
    tests = grow_battles(battles, [own], max_depth=1).tests
    return bool(tests and tests[0].p_value < ALPHA)


def measure_design(k: int, n: int, judges: int, runs: int) -> Cell:
    """Simulate one design."""
    rng = np.random.default_rng([SEED, k, n, judges])
    counts = np.zeros(6)
    for _ in range(runs):
        battles = draw(rng, k, n, judges, 0.8)
        codes = rng.integers(0, 2, n).astype(float)
        judged, mixed = codes, codes
        if battles.clusters is not None:
            judged = rng.integers(0, 2, battles.n_clusters).astype(float)[battles.clusters]
            mixed = np.where(rng.random(n) < 0.9, judged, 1 - judged)
        alone = Battles(battles.first, battles.second, battles.outcome, k)
        style = rng.normal(size=(n, 1)) + 0.3 * (battles.first - battles.second)[:, None]
        styled = fit_style(battles, style, fit_finite(battles.counts))
        equal = draw(rng, k, n, judges, 0.0)
        counts += [
            is_shown(battles, codes),
            is_shown(battles, judged),
            is_shown(battles, mixed),
            is_shown(alone, mixed),
            styled is not None and styled.p_values[0] < ALPHA,
            any(c.p_value < ALPHA for c in circles(equal)),
        ]
    return Cell(k, n, judges, *(counts / runs).tolist(), runs)


def read() -> list[Cell]:
    """Read the counts."""
    types = {"int": int, "float": float}
    with CELLS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [Cell(*(types[str(f.type)](row[f.name]) for f in fields(Cell))) for row in rows]


def measure(runs: int) -> None:
    """Simulate all."""
    with CELLS.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f.name for f in fields(Cell)])
        for k, n, judges in DESIGNS:
            cell = measure_design(k, n, judges, runs)
            out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in astuple(cell)])
            file.flush()


def page() -> str:
    """Write the page."""
    cells = read()
    judged = [c for c in cells if c.judges]
    most = 100 * max(max(c.category, c.judged, c.mixed) for c in cells)
    alone = [100 * c.alone for c in judged]
    lines = [
        f"""\
# Errors of what battles are asked

This page is written by `validation/battles/study.py` from the counts beside it: {cells[0].runs}
simulated studies a row, in which nothing of what is asked is so. Models meet unequally often; with
judges each has opinions of their own (standard deviation {SPREAD} of log worths) and very unequal
numbers of battles.

Per cent of the studies in which it is said, at 5%, that the order depends on a category of battles,
on one that is the same for every judge, on one of which nine tenths of each judge's battles have
the same level (and beside it, what comes out where battles are taken for independent), that style
matters, and that some triple of equal models is circular. The trees of battles say so in at most
{most:.0f}%; where battles of a judge are taken for independent, in {min(alone):.0f} to
{max(alone):.0f}%.

| models | battles | judges | category | of judges | mixed | as independent | style | circle |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
    ]
    for c in cells:
        shares = (c.category, c.judged, c.mixed, c.alone, c.style, c.circle)
        own = " | ".join(f"{100 * x:.1f}" for x in shares)
        lines.append(f"| {c.k} | {c.n:,} | {c.judges or 'none'} | {own} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
