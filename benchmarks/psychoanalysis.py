"""Characteristics and trees of worths, over the least that they could cost, and growth.

    python benchmarks/psychoanalysis.py

First 300 units of 4 candidates and 4 characteristics (R's bttree takes 2.6 s), then 5,250 learning
samples of 6 candidates and 16 characteristics as single units and as 21 data sets with
permutations (the limit is 5 s). Prints the seconds of each tree and their ratio to one fit of the
worths to the same comparisons. Then how that grows with data sets, candidates and characteristics.

At the end the sixteen characteristics of Table 5.1 on learning samples of several shapes, and the
landmarkers beside them: milliseconds of a sample over those of one fit of scikit-learn's linear
discriminant analysis to it, its categories as indicators.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from reportgen.stats.characteristics import FURTHER, TABLE_5_1, Characterisation, characterise
from reportgen.stats.characteristics.maps import Sample
from reportgen.stats.worths.bradley_terry import fit
from reportgen.stats.worths.comparisons import compare, indicators
from reportgen.stats.worths.tree import Characteristic, Growth, grow, per_dataset

AS_R = Growth(min_size=20, order_free=False, n_permutations=0)
DATASETS = Growth()
SHAPES = (
    (266, 2, 0, 2),
    (554, 0, 6, 2),
    (150, 4, 0, 3),
    (569, 30, 0, 2),
    (2201, 0, 3, 2),
    (2000, 64, 0, 10),
)
N_SAMPLES = 50
FINE = Growth(min_size=20, n_permutations=0)
TREES = (  # title, data sets, samples of each, candidates, characteristics
    ("300 rows x 4 x 4, as R", 1, 300, 4, 4, AS_R),
    ("5,250 rows x 6 x 16, as R", 21, 250, 6, 16, AS_R),
    ("5,250 rows x 6 x 16, breaks between values", 21, 250, 6, 16, FINE),
    ("21 data sets x 250 x 6 x 16, 999 permutations", 21, 250, 6, 16, DATASETS),
    ("50 data sets x 6 x 16", 50, 50, 6, 16, DATASETS),
    ("100 data sets x 6 x 16", 100, 50, 6, 16, DATASETS),
    ("200 data sets x 6 x 16", 200, 50, 6, 16, DATASETS),
    ("60 data sets x 12 x 16", 60, 50, 12, 16, DATASETS),
    ("60 data sets x 24 x 16", 60, 50, 24, 16, DATASETS),
    ("60 data sets x 6 x 64", 60, 50, 6, 64, DATASETS),
)


def main() -> None:
    """Time the trees of the limits, then their growth."""
    for tree in TREES:
        timed(*tree)
    for shape in SHAPES:
        characterised(*shape)


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


def characterised(n: int, n_continuous: int, n_nominal: int, n_classes: int) -> None:
    """Time the characteristics of made-up learning samples against fits of lda to them."""
    rng = np.random.default_rng(5)
    classes = rng.integers(0, n_classes, n)
    continuous = rng.standard_normal((n, n_continuous)) + classes[:, None]
    nominal = rng.integers(0, 3, (n, n_nominal))
    indicators_of = [(nominal[:, [j]] == np.arange(2)) * 1.0 for j in range(n_nominal)]
    inputs = np.hstack([continuous, *indicators_of])
    whole = Sample(continuous, nominal, classes)
    samples = [rng.integers(0, n, n) for _ in range(N_SAMPLES)]

    def fit_all() -> None:
        for rows in samples:
            LinearDiscriminantAnalysis().fit(inputs[rows], classes[rows])

    def describe_all(chosen: tuple[Characterisation, ...]) -> None:
        for rows in samples:
            characterise(whole.take(rows), chosen)

    fit_all()
    bare = _seconds(fit_all)
    usual = _seconds(lambda: describe_all(TABLE_5_1))
    marks = tuple(c for c in FURTHER if c.name.startswith("mark."))
    landmarks = _seconds(lambda: describe_all(marks))
    print(
        f"{n} x ({n_continuous} + {n_nominal}), {n_classes} classes: 16 characteristics "
        f"{1e3 * usual / N_SAMPLES:.2f} ms, {usual / bare:.2f} times one fit of lda; "
        f"4 landmarkers {1e3 * landmarks / N_SAMPLES:.1f} ms, {landmarks / bare:.1f} times"
    )


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
