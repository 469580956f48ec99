"""How often scores and battles are wrongly said to disagree, and how often rightly, by simulation.

    python validation/agreement/study.py [runs]

Measures anew, writes `cells.csv` beside this file, and docs/agreement-size.md from it; without an
argument only the page is written. 150 runs take about eight minutes.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.performance_measure import Measure
from reportgen.sections.agreement.analysis import Agreement
from reportgen.stats.descriptive import describe
from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.verdict import Verdict
from reportgen.stats.worths.battles import Battles, battle_pairs, fit_battles

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "agreement-size.md"
SEED, ALPHA = 46, 0.05
SKILLS = np.linspace(0.8, -0.8, 5)  # log odds of an item of middle difficulty, and log worths
NAMES = tuple("abcde")
TASTE = 0.6  # standard deviation of a judge's own log worths
LOG_TIES = -0.7
MANY = 400_000  # battles that tell the worths that fewer estimate
TRUTHS = ("alike", "equal in battles", "equal in scores", "ends turned", "unrelated")
OPPOSITE = ("ends turned", "unrelated")  # in which some pairs truly are
SIZES = ((200, 500, 0), (200, 500, 30), (1000, 4000, 300))
"""Items, battles, judges (0: none)."""
ACCURACY, ELO = Measure("accuracy", better="larger"), Measure("elo", better="larger")


@dataclass(frozen=True, slots=True)
class Cell:
    """What is said of studies of five candidates.

    Attributes
    ----------
    truth : str
    n_items, n_battles, judges : int
    wrong : float
        Share of studies that show a pair to be ordered oppositely which is not so.
    shown : float
        Share of the pairs that truly have opposite orders that are said to have; 0 without any.
    same : float
        Share of the pairs that both decide alike.
    both_at_alpha : float
        As `wrong`, were both verdicts to decide at the level itself.
    of_scores, of_battles : float
        Share of the candidates whose interval covers its mean, and its Elo score.
    tau : float
        Share whose Kendall's coefficient is significant.
    runs : int
    """

    truth: str
    n_items: int
    n_battles: int
    judges: int
    wrong: float
    shown: float
    same: float
    both_at_alpha: float
    of_scores: float
    of_battles: float
    tau: float
    runs: int


def levels_of(truth: str, rng: Generator) -> tuple[Array, Array]:
    """Return skills and worths; those that are unrelated are in orders drawn anew."""
    skills = np.zeros(5) if truth == "equal in scores" else SKILLS
    worths = np.zeros(5) if truth == "equal in battles" else SKILLS
    if truth == "ends turned":
        worths = SKILLS[[4, 1, 2, 3, 0]]
    if truth == "unrelated":
        worths = rng.permutation(SKILLS)
    return skills, worths


def draw_scores(skills: Array, n: int, rng: Generator) -> Array:
    """Draw right and wrong answers to items of unequal difficulty."""
    odds = rng.normal(size=(n, 1)) + skills
    return np.asarray((rng.random(odds.shape) < 1 / (1 + np.exp(-odds))) * 1.0)


def draw_battles(worths: Array, n: int, judges: int, rng: Generator) -> Battles:
    """Draw battles; judges have tastes of their own, and equally many."""
    k = len(worths)
    first = rng.integers(k, size=n)
    second = (first + rng.integers(1, k, n)) % k
    own, codes = np.zeros((1, k)), np.zeros(n, dtype=np.intp)
    if judges:
        own, codes = rng.normal(0, TASTE, (judges, k)), rng.permutation(np.arange(n) % judges)
    both = own[codes, first] - own[codes, second] + worths[first] - worths[second]
    odds = np.exp(np.column_stack([both / 2, np.full(n, LOG_TIES), -both / 2]))
    which = (rng.random(n)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
    return Battles(first, second, (1 - which).astype(np.int8), k, codes if judges else None)


@cache
def true_means() -> dict[float, float]:
    """Return the expected score by skill: over difficulties, by Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    known = {*SKILLS.tolist(), 0.0}
    return {s: float(weights @ (1 / (1 + np.exp(-nodes - s))) / weights.sum()) for s in known}


@cache
def true_points(*, has_judges: bool) -> dict[float, float]:
    """Return the Elo score by log worth of endless battles; tastes draw them together."""
    if not has_judges:
        return {w: float(400 * w / np.log(10)) for w in {*SKILLS.tolist(), 0.0}}
    rng = np.random.default_rng(SEED)
    points = fit_battles(draw_battles(SKILLS, MANY, MANY // 4, rng)).points
    points = (points - points[::-1]) / 2  # both halves are alike
    return {**dict(zip(SKILLS.tolist(), points.tolist(), strict=True)), 0.0: 0.0}


def verdict(measure: Measure, table: PairTable, means: Array) -> Verdict:
    """Return the decisions of one side."""
    pairs = table.named(NAMES, "", is_smaller_better=False)
    own = dict(zip(NAMES, means.tolist(), strict=True))
    return Verdict(
        measure=measure,
        alpha=ALPHA,
        relevance=None,
        target="items",
        method=table.method,
        pairs=pairs,
        means=own,
    )


def opposite_pairs(skills: Array, worths: Array) -> set[frozenset[str]]:
    """Return the pairs that truly have opposite orders."""
    k = range(len(NAMES))
    apart = {(i, j): (skills[i] - skills[j]) * (worths[i] - worths[j]) for i in k for j in k}
    return {frozenset((NAMES[i], NAMES[j])) for (i, j), product in apart.items() if product < 0}


def covers(interval: tuple[float, float], truth: float) -> bool:
    """Return whether an interval has the truth in it."""
    return interval[0] <= truth <= interval[1]


def measure(truth: str, n_items: int, n_battles: int, judges: int, runs: int) -> Cell:
    """Simulate one setting, which has its own seed."""
    rng = np.random.default_rng([SEED, TRUTHS.index(truth), n_items, n_battles, judges])
    counts = np.zeros(7)
    for _ in range(runs):
        skills, worths = levels_of(truth, rng)
        scores = draw_scores(skills, n_items, rng)
        battles = draw_battles(worths, n_battles, judges, rng)
        fitted = fit_battles(battles)
        one = verdict(ACCURACY, item_pairs(scores, None, ALPHA, rng), scores.mean(axis=0))
        other = verdict(ELO, battle_pairs(battles, fitted, ALPHA, rng), fitted.points)
        found, at_alpha = (Agreement.between(one, other, a) for a in (ALPHA, 2 * ALPHA))
        covered = [
            [
                covers(describe(x, ALPHA).normal_interval, true_means()[s])
                for x, s in zip(scores.T, skills.tolist(), strict=True)
            ],
            [
                covers((low, high), true_points(has_judges=judges > 0)[w])
                for low, high, w in zip(*fitted.intervals(ALPHA), worths.tolist(), strict=True)
            ],
        ]
        true = opposite_pairs(skills, worths)
        said, more = (
            {frozenset((p.first, p.second)) for p in own.opposite} for own in (found, at_alpha)
        )
        counts += [
            bool(said - true),
            len(said & true) / max(1, len(true)),
            len(found.same) / len(found.pairs),
            bool(more - true),
            *map(np.mean, covered),
            found.p_value is not None and found.p_value < ALPHA,
        ]
    return Cell(truth, n_items, n_battles, judges, *(counts / runs).tolist(), runs)


def settings() -> list[tuple[str, int, int, int]]:
    """Return what is measured."""
    return [(truth, *sizes) for truth in TRUTHS for sizes in SIZES]


def read() -> list[Cell]:
    """Return what was measured."""
    types = {"str": str, "int": int, "float": float}
    with CELLS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Cell(*(types[str(f.type)](row[f.name]) for f in fields(Cell))) for row in rows]


def write(runs: int) -> None:
    """Measure all and write it."""
    with CELLS.open("w", encoding="utf-8", newline="\n") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([f.name for f in fields(Cell)])
        for setting in settings():
            cell = measure(*setting, runs)
            rows.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in astuple(cell)])
            file.flush()


WORDS = {
    "alike": "scores and battles have one order",
    "equal in battles": "battles find all equal, scores do not",
    "equal in scores": "scores find all equal, battles do not",
    "ends turned": "the best by scores is the worst in battles",
    "unrelated": "two orders that have nothing to do with one another",
}


def page() -> str:
    """Return the page."""
    cells = read()
    by = {truth: [c for c in cells if c.truth == truth] for truth in TRUTHS}
    wrong = 100 * max(c.wrong for c in cells)
    at_alpha = 100 * max(c.both_at_alpha for c in cells)
    shown = [100 * c.shown for c in cells if c.truth in OPPOSITE]
    covered = [100 * x for c in cells for x in (c.of_scores, c.of_battles)]
    tau = [100 * c.tau for c in by["unrelated"]]
    step = 100 * (SKILLS[0] - SKILLS[1])
    head = (
        "| truth | items | battles | judges | wrongly opposite | at 5% each | found opposite "
        "| alike | of scores | of battles | coefficient |"
    )
    lines = [
        f"""\
# Errors of whether scores and battles agree

This page is written by `validation/agreement/study.py` from the counts beside it: {cells[0].runs}
simulated studies a row, of five models that answer the same items and meet in battles. The log odds
of a right answer, and the log worths, are {step:.0f} hundredths apart from model to model; with
judges each has tastes of its own (standard deviation {TASTE} of log worths).

Per cent of the studies in which some pair is said to be ordered oppositely that is not
([the rule](battles.md#battles-and-scores): each side decides at half of the 5%), and beside it what
it would be were each side to decide at 5%; of the pairs that truly are, the per cent that are said
to be; of all pairs the per cent that both decide alike; of the intervals of the figure the per cent
that hold the mean score, and the Elo score; and the per cent of the studies whose Kendall's
coefficient is significant at 5%.

Opposite orders that there are not are said in at most {wrong:.1f}% of studies ({at_alpha:.1f}%
were each side to decide at 5%); of those that there are {min(shown):.0f} to {max(shown):.0f}% are
found. Intervals hold what they are of in {min(covered):.0f} to {max(covered):.0f}%. Of orders that
have nothing to do with one another {min(tau):.0f} to {max(tau):.0f}% have a significant
coefficient.

{head}
| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
    ]
    for c in cells:
        found = f"{100 * c.shown:.1f}" if c.truth in OPPOSITE else ""
        shares = (c.wrong, c.both_at_alpha, c.same, c.of_scores, c.of_battles, c.tau)
        told = [f"{100 * x:.1f}" for x in shares]
        own = " | ".join([*told[:2], found, *told[2:]])
        place = f"{WORDS[c.truth]} | {c.n_items:,} | {c.n_battles:,} | {c.judges or 'none'}"
        lines.append(f"| {place} | {own} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure where a number of runs is given, and write the page."""
    if len(sys.argv) > 1:
        write(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
