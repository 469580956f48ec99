"""Trees of worths: a grown tree over the sum of its parts, and growth with the study.

    python benchmarks/psychoanalysis.py

First 300 units of 4 candidates and 4 characteristics (R's bttree takes 2.6 s), then 5,250 learning
samples of 6 candidates and 16 characteristics as single units and as 21 data sets with
permutations (the limit is 5 s). Prints the seconds of each tree and their ratio to one fit of the
worths to the same comparisons. Then how that grows with data sets, candidates and characteristics.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from reportgen.stats.bradley_terry import fit
from reportgen.stats.bradley_terry_tree import Characteristic, Growth, grow, per_dataset
from reportgen.stats.paired_comparisons import compare, indicators

AS_R = Growth(min_size=20, order_free=False, n_permutations=0)
DATASETS = Growth()


def main() -> None:
    """Time the trees of the limits, then their growth."""
    timed("300 rows x 4 x 4, as R", 1, 300, 4, 4, AS_R)
    timed("5,250 rows x 6 x 16, as R", 21, 250, 6, 16, AS_R)
    timed(
        "5,250 rows x 6 x 16, breaks between values",
        21,
        250,
        6,
        16,
        Growth(min_size=20, n_permutations=0),
    )
    timed("21 data sets x 250 x 6 x 16, 999 permutations", 21, 250, 6, 16, DATASETS)
    for n_datasets in (50, 100, 200):
        timed(f"{n_datasets} data sets x 6 x 16", n_datasets, 50, 6, 16, DATASETS)
    for n_candidates in (12, 24):
        timed(f"60 data sets x {n_candidates} x 16", 60, 50, n_candidates, 16, DATASETS)
    timed("60 data sets x 6 x 64", 60, 50, 6, 64, DATASETS)


def timed(
    title: str, n_datasets: int, n_samples: int, n_candidates: int, n_traits: int, growth: Growth
) -> None:
    """Grow one tree of made-up performances with a true break in the first characteristic."""
    rng = np.random.default_rng(3)
    traits = rng.standard_normal((n_datasets, n_traits)).repeat(n_samples, axis=0)
    traits += (
        0.2 * rng.standard_normal(traits.shape) if n_datasets > 1 else rng.random(traits.shape)
    )
    worths = np.linspace(0, 0.5, n_candidates) * np.sign(traits[:, :1] - np.median(traits[:, 0]))
    values = np.round(worths + rng.standard_normal((len(traits), n_candidates)), 1)
    counts = indicators(compare(values))
    characteristics = [Characteristic(f"z{i}", column) for i, column in enumerate(traits.T)]
    if growth is DATASETS:
        numbers = np.arange(n_datasets).repeat(n_samples)
        counts, characteristics = per_dataset(counts, characteristics, numbers)
    bare = _seconds(lambda: fit(counts.sum(axis=0)))
    seconds = _seconds(lambda: grow(counts, characteristics, growth))
    n_leaves = sum(1 for _ in grow(counts, characteristics, growth).leaves())
    print(f"{title}: {seconds:.2f} s, {n_leaves} leaves, {seconds / bare:.0f} times one fit")


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
