"""An execution in stages beside the fixed one: the same decisions, and the fits that were saved.

    reportgen execute studies/classics.yaml --output DIR
    reportgen execute studies/classics-adaptive.yaml --output DIR
    python benchmarks/adaptive.py DIR/classics DIR/classics-adaptive

A fixed design of the first 25, 50 or all replications is judged as one stage, by the function that
judges the stages. Of each pair on which it has a verdict: whether the stages show all that it
shows, a difference in the same direction and equivalence, and whether the verdicts are the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.sequential.analysis import stages_run
from reportgen.stats.sequential.stages import Answers, StagePlan, judged
from reportgen.study.stages import Stages, stages_of
from reportgen.warehouse import Performances, Warehouse
from reportgen.warehouse.files import read_warehouse

EARLY = (25, 50)
Array = NDArray[np.float64]


Pair = tuple[str, str]


def fixed_answers(
    warehouse: Warehouse, dataset: str, n: int, stages: Stages
) -> dict[Pair, Answers]:
    """Return what a fixed design of n replications shows of each pair."""
    performances = warehouse.performances(dataset, stages.measure)
    return _answers(
        performances, performances.values[:n], (n,), replace(stages.plan, n_stages=1), stages.area
    )


def staged_answers(warehouse: Warehouse, dataset: str, stages: Stages) -> dict[Pair, Answers]:
    """Return what the stages that were run show of each pair."""
    performances = warehouse.performances(dataset, stages.measure)
    ends = tuple(end for end in stages.ends if end <= len(performances.values))
    return _answers(performances, performances.values, ends, stages.plan, stages.area)


def _answers(
    performances: Performances,
    values: Array,
    ends: tuple[int, ...],
    plan: StagePlan,
    area: float | None,
) -> dict[Pair, Answers]:
    names = performances.candidates
    pairs = list(combinations(range(len(names)), 2))
    last = judged(values, pairs, ends, plan, area)[-1]
    return {(names[i], names[j]): found for (i, j), found in zip(pairs, last, strict=True)}


def compared(fixed: Warehouse, staged: Warehouse) -> tuple[Counter[str], int, int]:
    """Count pairs that a fixed design decides by what the stages say of them."""
    stages = stages_of(staged)
    if stages is None:
        raise SystemExit("the second folder is of no execution in stages")
    counts: Counter[str] = Counter()
    n_run = n_all = 0
    for dataset in fixed.datasets:
        part = staged.only(dataset)
        run = stages_run(part, part.performances(dataset, stages.measure))
        n_run, n_all = n_run + (run.n_fits if run else 0), n_all + (run.n_fixed if run else 0)
        own = staged_answers(part, dataset, stages)
        for n in (*EARLY, stages.most):
            counts.update(against(fixed_answers(fixed, dataset, n, stages), own, n))
    return counts, n_run, n_all


def against(asked: Mapping[Pair, Answers], own: Mapping[Pair, Answers], n: int) -> Counter[str]:
    """Say of each pair on which a fixed design has a verdict whether the stages have it too."""
    counts: Counter[str] = Counter()
    for pair, fixed in asked.items():
        if not fixed.shown and fixed.equal != "reject":
            continue
        staged = own[pair]
        if fixed.shown and staged.shown not in (None, fixed.shown):
            how = "the opposite"
        elif not staged.confirms(fixed):
            how = f"fixed {fixed.verdict}, the stages only {staged.verdict}"
        else:
            how = (
                "the same" if staged.verdict == fixed.verdict else "the same, the stages know more"
            )
        counts[f"{n}: {how}"] += 1
    return counts


if __name__ == "__main__":
    first, second = (read_warehouse(Path(name) / "warehouse") for name in sys.argv[1:3])
    found, n_run, n_all = compared(first, second)
    for text, count in sorted(found.items()):
        print(f"{count:5}  fixed design of {text}")
    print(f"{n_run:,} of {n_all:,} fits: {100 * (1 - n_run / n_all):.0f}% saved")
