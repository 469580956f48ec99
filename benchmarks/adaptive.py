"""An execution in stages beside the fixed one: the same decisions, and the fits that were saved.

    reportgen execute studies/classics.yaml --output DIR
    reportgen execute studies/classics-adaptive.yaml --output DIR
    python benchmarks/adaptive.py DIR/classics DIR/classics-adaptive

Of each pair the fixed design with the first 25, 50 or all replications, by signed ranks with Holm's
adjustment over the pairs of a data set, and by two one-sided tests where there is an area of
equivalence, against the verdict of the stages.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from reportgen.sections.sequential.analysis import Options, analyse
from reportgen.sections.sequential.result import Monitoring
from reportgen.sections.sequential.stages_run import stages_of
from reportgen.stats.sequential.staged import StagePlan
from reportgen.stats.sequential.verdicts import Verdict, judged
from reportgen.warehouse import Warehouse
from reportgen.warehouse_files import read_warehouse

EARLY = (25, 50)


def fixed_verdicts(
    warehouse: Warehouse, dataset: str, n: int, area: float | None, measure: str
) -> dict[tuple[str, str], Verdict]:
    """Return what a fixed design of n replications says of each pair."""
    cube = warehouse.performances(dataset, measure)
    names = cube.candidates
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    (verdicts,) = judged(cube.values[:n], pairs, (n,), StagePlan(1), area)
    return {(names[i], names[j]): v for (i, j), v in zip(pairs, verdicts, strict=True)}


def compared(fixed: Warehouse, staged: Warehouse) -> tuple[Counter[str], int, int]:
    """Count pairs that a fixed design decides early by what the stages say of them."""
    stages = stages_of(staged)
    if stages is None:
        raise SystemExit("the second folder is of no execution in stages")
    counts: Counter[str] = Counter()
    n_fits = n_fixed = 0
    for dataset in fixed.datasets:
        part = staged.only(dataset)
        (found,) = analyse(part, Options(orders=0), np.random.default_rng(1)).values()
        n_fits, n_fixed = n_fits + _run(found)[0], n_fixed + _run(found)[1]
        own = {(pair.first, pair.second): pair.verdict for pair in found.pairs}
        for n in (*EARLY, stages.most):
            asked = fixed_verdicts(fixed, dataset, n, stages.area, stages.measure)
            counts.update(_against(asked, own, n))
    return counts, n_fits, n_fixed


def _run(found: Monitoring) -> tuple[int, int]:
    return (found.run.n_fits, found.run.n_fixed) if found.run else (0, 0)


def _against(
    asked: Mapping[tuple[str, str], Verdict], own: Mapping[tuple[str, str], Verdict], n: int
) -> Counter[str]:
    """Say of each pair that is decided whether the stages say the same."""
    counts: Counter[str] = Counter()
    for pair, verdict in asked.items():
        if verdict in ("less", "greater", "equivalent"):
            both = {verdict, own[pair]}
            how = "the opposite"
            if len(both) == 1:
                how = "the same"
            elif both & {"open", "not-distinguished"}:
                how = "decided, the stages leave it open"
            elif "equivalent" in both:
                how = "different but not relevant: one says the former, one the latter"
            counts[f"fixed design of {n}: {how}"] += 1
    return counts


if __name__ == "__main__":
    first, second = (read_warehouse(Path(name) / "warehouse") for name in sys.argv[1:3])
    found, n_run, n_all = compared(first, second)
    for text, count in sorted(found.items()):
        print(f"{count:5}  {text}")
    print(f"{n_run:,} of {n_all:,} fits: {100 * (1 - n_run / n_all):.0f}% saved")
