"""How often what battles are asked is answered wrongly, by simulation.

    python validation/battles/study.py [runs [looks | judges]]

Measures anew, writes `cells.csv` (with `looks`, `looks.csv` instead, with `judges`, `judges.csv`)
beside this file, and docs/battles-size.md from all; without an argument only the page is written.
100 runs take about fifteen minutes, 200 of looks and 1,000 of judges ten. Intervals of 100 models
have a quarter of the runs.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from math import inf
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.distributions.studentized_range import quantile
from reportgen.stats.distributions.tails import two_sided_t
from reportgen.stats.worths.battle_models import circles, fit_style
from reportgen.stats.worths.battle_tree import Covariate, grow_battles
from reportgen.stats.worths.battles import Battles, battle_pairs, fit_battles
from reportgen.stats.worths.bradley_terry import fit_finite
from reportgen.study.looks import Looks

Array = NDArray[np.float64]
Row = TypeVar("Row", "Cell", "LookCell", "JudgeCell")

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
LOOK_CELLS = HERE / "looks.csv"
JUDGE_CELLS = HERE / "judges.csv"
PAGE = HERE.parents[1] / "docs" / "battles-size.md"
SEED, ALPHA, SPREAD = 46, 0.05, 0.6
DESIGNS = (
    (5, 500, 0),
    (5, 500, 30),
    (5, 2000, 0),
    (5, 2000, 300),
    (20, 3000, 100),
    (100, 20000, 300),
)
"""Candidates, battles, judges (0: none)."""
JUDGE_DESIGNS = (
    *((k, n, 0, "") for k, n in ((5, 500), (20, 5000), (100, 20000), (100, 100000))),
    *((5, 1000, judges, sizes) for sizes in ("equal", "unequal") for judges in (6, 10, 20, 40)),
    *((20, 3000, judges, "unequal") for judges in (10, 30, 100)),
)
"""Candidates, battles, judges, and whether these have equally many battles."""
MANY = 100  # candidates, of which there are fewer runs
LOOK_DESIGNS = ((5, 2000, 0), (5, 2000, 30), (5, 2000, 300), (20, 4000, 0), (20, 4000, 100))
N_LOOKS = 4
RULES = ("obrien-fleming", "pocock")
AHEAD = 0.5  # log worths that the first is ahead of all others, who are equal


@dataclass(frozen=True, slots=True)
class LookCell:
    """Studies that are looked at several times.

    Attributes
    ----------
    k, n, judges : int
    each : float
        Share in which some difference of equal candidates is significant at some look, each at 5%.
    obrien_fleming, pocock : float
        The same, the level spent over the looks.
    first : float
        Share in which the first, being ahead, is established at some look (O'Brien and Fleming).
    battles : float
        Battles until then on average, or all of them.
    runs : int
    """

    k: int
    n: int
    judges: int
    each: float
    obrien_fleming: float
    pocock: float
    first: float
    battles: float
    runs: int


@dataclass(frozen=True, slots=True)
class JudgeCell:
    """Intervals of equal candidates.

    Attributes
    ----------
    k, n, judges : int
    sizes : str
        Whether judges have equally many battles; empty without judges.
    errors : float
        Share in which some difference is significant.
    one : float
        The same of one pair alone.
    joint : float
        The same, were the critical value that of as many degrees of freedom as judges less one.
    df : float
        Smallest degrees of freedom of a pair, on average.
    runs : int
    """

    k: int
    n: int
    judges: int
    sizes: str
    errors: float
    one: float
    joint: float
    df: float
    runs: int


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


def draw(
    rng: Generator,
    k: int,
    n: int,
    judges: int,
    top: float,
    ahead: float = 0.0,
    *,
    are_equal: bool = False,
) -> Battles:
    """Make battles up: models meet unequally often, judges have opinions of their own.

    `top`: log worth of the first, and that of the last below 0.
    `ahead`: what is added to that of the first.
    `are_equal`: whether judges have equally many battles.
    """
    often = rng.dirichlet(np.full(k, 4.0))
    first = rng.choice(k, n, p=often)
    second = (first + rng.integers(1, k, n)) % k
    worths = np.tile(np.linspace(top, -top, k), (n, 1)) + ahead * (np.arange(k) == 0)
    own = None
    if judges:
        weights = np.full(judges, 1 / judges) if are_equal else rng.dirichlet(np.ones(judges))
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


def largest_p_value(battles: Battles, rng: Generator, *, of_first: bool) -> float:
    """Return the adjusted p-value that the first is ahead of each, or that any two differ.

    Where the pairs' own p-values are above the level no adjusted one is computed, which is larger.
    """
    fitted = fit_battles(battles)
    points, spread = fitted.points, fitted.estimates.covariance
    i, j = np.triu_indices(len(points), 1)
    i, j = (i[i == 0], j[i == 0]) if of_first else (i, j)
    t = (points[i] - points[j]) / np.sqrt(spread[i, i] + spread[j, j] - 2 * spread[i, j])
    least = float(t.min() if of_first else np.abs(t).max())
    if least <= 0 or two_sided_t(np.array([least]), fitted.pair_df.max())[0] > ALPHA:
        return 1.0
    found = battle_pairs(battles, fitted, ALPHA, rng)
    if not of_first:
        return float(np.nanmin(found.adjusted_p_value, initial=1.0))
    own = found.adjusted_p_value[found.first == 0]
    return 1.0 if np.isnan(own).any() else float(own.max())


def measure_looks(k: int, n: int, judges: int, runs: int) -> LookCell:
    """Simulate one design with several looks."""
    rng = np.random.default_rng([SEED, k, n, judges, N_LOOKS])
    ends = tuple(n * (i + 1) // N_LOOKS for i in range(N_LOOKS))
    levels = [np.full(N_LOOKS, ALPHA)]
    levels += [np.array(Looks(ends, n, rule).levels(ALPHA)) for rule in RULES]
    counts, n_first, n_used = np.zeros(3), 0, 0
    for _ in range(runs):
        equal = draw(rng, k, n, judges, 0.0)
        least = np.array([largest_p_value(equal.earliest(n), rng, of_first=False) for n in ends])
        counts += [bool((least < own).any()) for own in levels]
        ahead = draw(rng, k, n, judges, 0.0, AHEAD)
        most = np.array([largest_p_value(ahead.earliest(n), rng, of_first=True) for n in ends])
        is_shown = most < levels[1]
        n_first += bool(is_shown.any())
        n_used += ends[int(is_shown.argmax())] if is_shown.any() else n
    return LookCell(k, n, judges, *(counts / runs).tolist(), n_first / runs, n_used / runs, runs)


def measure_judges(k: int, n: int, judges: int, sizes: str, runs: int) -> JudgeCell:
    """Simulate intervals of one design."""
    are_equal = sizes == "equal"
    rng = np.random.default_rng([SEED, k, n, judges, int(are_equal)])
    counts, of_df = np.zeros(3), 0.0
    for _ in range(runs):
        battles = draw(rng, k, n, judges, 0.0, are_equal=are_equal)
        fitted = fit_battles(battles)
        table = battle_pairs(battles, fitted, ALPHA, rng)
        apart = np.abs(table.statistic)
        df = battles.n_clusters - 1.0 if judges else inf
        usual = quantile(ALPHA, k, df) / np.sqrt(2)
        counts += [
            bool(table.significant.any()),
            table.p_value[0] < ALPHA,
            bool((apart > usual).any()),
        ]
        of_df += fitted.estimates.df / runs
    return JudgeCell(k, n, judges, sizes, *(counts / runs).tolist(), of_df, runs)


def read(cell: type[Row], path: Path) -> list[Row]:
    """Read the counts."""
    types = {"int": int, "float": float, "str": str}
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [cell(*(types[str(f.type)](row[f.name]) for f in fields(cell))) for row in rows]


def measured(part: str, runs: int) -> Iterator[Cell | LookCell | JudgeCell]:
    """Simulate all of a part."""
    if part == "looks":
        yield from (measure_looks(*design, runs) for design in LOOK_DESIGNS)
    elif part == "judges":
        for design in JUDGE_DESIGNS:
            yield measure_judges(*design, runs if design[0] < MANY else runs // 4)
    else:
        for k, n, judges in DESIGNS:
            yield measure_design(k, n, judges, runs)


def measure(part: str, runs: int) -> None:
    """Simulate a part and write it."""
    kinds = {"looks": (LookCell, LOOK_CELLS), "judges": (JudgeCell, JUDGE_CELLS)}
    kind, path = kinds.get(part, (Cell, CELLS))
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f.name for f in fields(kind)])
        for cell in measured(part, runs):
            out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in astuple(cell)])
            file.flush()


def page() -> str:
    """Write the page."""
    cells, looks = read(Cell, CELLS), read(LookCell, LOOK_CELLS)
    judged = [c for c in cells if c.judges]
    most = 100 * max(max(c.category, c.judged, c.mixed) for c in cells)
    alone = [100 * c.alone for c in judged]
    lines = [
        f"""\
# Errors of what battles are asked

This page is written by `validation/battles/study.py` from the counts beside it: {cells[0].runs}
simulated studies a row, in which nothing of what is asked is so. Models meet unequally
often; with judges each has opinions of their own (standard deviation {SPREAD} of log worths) and
very unequal numbers of battles.

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
    few = read(JudgeCell, JUDGE_CELLS)
    errors, joint = [100 * c.errors for c in few], [100 * c.joint for c in few if c.judges]
    fewer = "".join({f" ({c.runs} of {c.k} models)": 0 for c in few if c.k >= MANY})
    alone = [100 * c.errors for c in few if not c.judges]
    head = (
        "| models | battles | judges | their battles | significant | a given pair "
        "| on judges − 1 | degrees of freedom |"
    )
    lines.append(
        f"""
## Intervals

{few[0].runs} simulated studies a row{fewer} of equal models, judges as above, with equally
many battles or very unequal numbers. Per cent of the studies in which some difference is
significant at 5%, and a given one by its own *p*-value; of judges what the first would be by the
law of the largest |*t*| on as many degrees of freedom as there are judges, less one; and the
smallest degrees of freedom of a pair, which are fewer where few judges have most battles.
Intervals err in {min(errors):.1f} to {max(errors):.1f}% of studies, those of judges would in
{min(joint):.0f} to {max(joint):.0f}%; where battles are independent, they err in
{min(alone):.1f} to {max(alone):.1f}%.

{head}
| ---: | ---: | ---: | :--- | ---: | ---: | ---: | ---: |"""
    )
    for c in few:
        own = f"{100 * c.errors:.1f} | {100 * c.one:.1f}"
        of_judges = f"{100 * c.joint:.1f} | {c.df:.1f}" if c.judges else " | "
        place = f"{c.k} | {c.n:,} | {c.judges or 'none'} | {c.sizes}"
        lines.append(f"| {place} | {own} | {of_judges} |")
    each, spent = [100 * c.each for c in looks], [100 * c.obrien_fleming for c in looks]
    lines.append(
        f"""
## Several looks

{looks[0].runs} simulated studies a row, looked at after each quarter of the battles. Per cent of
the studies of equal models in which some difference is significant at some look: {min(each):.0f} to
{max(each):.0f}% where each look decides at 5%, {min(spent):.0f} to {max(spent):.0f}% with
`results: {{looks: […]}}`, which spends the level by O'Brien and Fleming's function (Pocock's
beside it). Then, where one model is {400 * AHEAD / np.log(10):.0f} Elo points ahead of all
others: in how many it is established as the first, and after how many battles on average.

| models | battles | judges | each at 5% | O'Brien, Fleming | Pocock | established | after |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
    )
    for c in looks:
        shares = (c.each, c.obrien_fleming, c.pocock, c.first)
        own = " | ".join(f"{100 * x:.1f}" for x in shares)
        lines.append(f"| {c.k} | {c.n:,} | {c.judges or 'none'} | {own} | {c.battles:,.0f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure("".join(sys.argv[2:]), int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
