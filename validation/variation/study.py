"""How often intervals of components of variance err, and verdicts on splits by seeds by tuning.

    python validation/variation/study.py [runs]

Measures anew, writes `components.csv` and `decisions.csv` beside this file, and
docs/variation-size.md from them; without an argument only the page is written. 1,000 runs take
about five minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.blocks.crossed_factors import OUTER, REST, Term, components_of
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.pairs.new_data import new_data_pairs

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

HERE = Path(__file__).parent
COMPONENTS, DECISIONS = HERE / "components.csv", HERE / "decisions.csv"
PAGE = HERE.parents[1] / "docs" / "variation-size.md"
SEED, ALPHA = 46, 0.05
DESIGNS = (
    "5 splits x 3 seeds",
    "10 splits x 5 seeds",
    "5 splits x 20 seeds",
    "10 splits x 5 seeds, a fifth lost",
    "20 of each alone, 20 together",
    "8 data sets of 5 splits x 4 seeds",
    "20 data sets of 3 splits x 3 seeds",
    "8 data sets of 5 splits x 4 seeds, a fifth lost",
)
MIXTURES: dict[str, tuple[float, float, float]] = {  # deviations: splits, seeds, rest
    "alike": (1.0, 1.0, 1.0),
    "splits": (1.0, 0.2, 0.5),
    "seeds": (0.2, 1.0, 0.5),
    "no seeds": (1.0, 0.0, 1.0),
}
LAWS = ("normal", "exponential")
GRIDS = ((5, 3, 3), (10, 3, 3), (10, 5, 3), (10, 5, 5), (10, 10, 2))
OF_TUNING: dict[str, tuple[float, float, float, float]] = {  # splits, seeds, tuning, rest
    "splits": (1.0, 0.0, 0.0, 0.5),
    "seeds": (0.5, 1.0, 0.0, 0.5),
    "tuning": (0.5, 0.0, 1.0, 0.5),
    "alike": (1.0, 1.0, 1.0, 1.0),
    "rest": (0.0, 0.0, 0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Intervals of one component that miss it.

    Attributes
    ----------
    design, mixture, law, term : str
    misses : int
    known : int
        Studies with an interval.
    ratio : float
        Mean estimate over the truth; the mean estimate itself where that is 0.
    runs : int
    """

    design: str
    mixture: str
    law: str
    term: str
    misses: int
    known: int
    ratio: float
    runs: int


@dataclass(frozen=True, slots=True)
class Errors:
    """Studies that decide between two equal candidates.

    Attributes
    ----------
    splits, seeds, tunings : int
    mixture : str
    rule : int
        By a component of each source and pair.
    one_source : int
        With all runs of a split as levels of one source.
    splits_alone : int
        By the means of splits alone.
    pooled : int
        With all values as independent.
    runs : int
    """

    splits: int
    seeds: int
    tunings: int
    mixture: str
    rule: int
    one_source: int
    splits_alone: int
    pooled: int
    runs: int


def effects(rng: Generator, law: str, n: int, deviation: float) -> Array:
    """Draw effects of mean 0."""
    if law == "normal":
        return deviation * rng.normal(size=n)
    return deviation * (rng.exponential(size=n) - 1)


def draw(
    rng: Generator, design: str, mixture: str, law: str
) -> tuple[Array, dict[str, Codes], Codes | None, dict[Term, float]]:
    """Draw a study: values, levels, data sets, and the true components."""
    of = MIXTURES[mixture]
    true: dict[Term, float] = {("split",): of[0] ** 2, ("seed",): of[1] ** 2, REST: of[2] ** 2}
    if design.startswith("20 of each"):
        alone = [(i, 0) for i in range(20)] + [(0, i) for i in range(1, 20)]
        cells = np.array(alone + [(i, i) for i in range(20, 40)])
        outer = None
        split, seed = cells.T.astype(np.intp)
    else:
        numbers = [int(word) for word in design.replace(",", " ").split() if word.isdigit()]
        sizes = numbers if "data sets" in design else [1, *numbers]
        grid = np.array(list(product(*map(range, sizes))), np.intp)
        outer, split, seed = grid.T
    m = np.zeros(len(split), np.intp) if outer is None else outer
    y = effects(rng, law, len(split), of[2])
    own_split, own_seed = m * 100 + split, m * 100 + seed
    y = y + effects(rng, law, own_split.max() + 1, of[0])[own_split]
    y = y + effects(rng, law, own_seed.max() + 1, of[1])[own_seed]
    if m.max():
        true[OUTER,] = 1.0
        y = y + effects(rng, law, m.max() + 1, 1.0)[m]
    if "lost" in design:
        y = np.where(rng.random(len(y)) < 0.2, np.nan, y)
    return y, {"split": split, "seed": seed}, outer if m.max() else None, true


def coverage(design: str, mixture: str, law: str, runs: int) -> Iterator[Coverage]:
    """Count intervals that miss their component."""
    rng = np.random.default_rng([SEED, hash_of(design, mixture, law)])
    misses: dict[Term, int] = {}
    known: dict[Term, int] = {}
    sums: dict[Term, float] = {}
    true: dict[Term, float] = {}
    for _ in range(runs):
        y, codes, outer, true = draw(rng, design, mixture, law)
        found = components_of(y, codes, ALPHA, rng, outer)
        for own in found.components if found else ():
            if own.term not in true:
                continue
            sums[own.term] = sums.get(own.term, 0.0) + own.variance
            lower, upper = own.lower, np.inf if np.isnan(own.upper) else own.upper
            if np.isnan(lower):
                continue
            known[own.term] = known.get(own.term, 0) + 1
            is_missed = not lower <= true[own.term] <= upper
            misses[own.term] = misses.get(own.term, 0) + is_missed
    for term, truth in true.items():
        mean = sums.get(term, 0.0) / runs
        yield Coverage(
            design,
            mixture,
            law,
            " x ".join(term) or "rest",
            misses.get(term, 0),
            known.get(term, 0),
            mean / truth if truth else mean,
            runs,
        )


def hash_of(*words: object) -> int:
    """Return a number of some words that no run of Python changes."""
    return sum(ord(c) * 31 ** (i % 5) for i, c in enumerate(" ".join(map(str, words))))


def decide(
    rng: Generator, sizes: tuple[int, int, int], mixture: str
) -> tuple[bool, bool, bool, bool]:
    """Draw one study of equal candidates: whether each way decides.

    Splits are the folds of one data set: they share what the data set does, by Nadeau and Bengio's
    correlation r / (1 + r), also in the rest.
    """
    n_splits, n_seeds, n_tunings = sizes
    of = OF_TUNING[mixture]
    r = 1 / (n_splits - 1)
    rho = r / (1 + r)
    splits = of[0] * (rho**0.5 * rng.normal() + (1 - rho) ** 0.5 * rng.normal(size=n_splits))
    seeds, tunings = of[1] * rng.normal(size=n_seeds), of[2] * rng.normal(size=n_tunings)
    rest = rho**0.5 * rng.normal(size=(1, n_seeds, n_tunings))
    rest = of[3] * (rest + (1 - rho) ** 0.5 * rng.normal(size=sizes))
    d = splits[:, None, None] + seeds[:, None] + tunings + rest
    values = np.stack([d, np.zeros_like(d)], axis=-1).reshape(n_splits, -1, 2)
    levels = np.array(list(product(range(n_seeds), range(n_tunings))), np.intp)
    share = 1 / n_splits
    rule = new_data_pairs(values, r, ALPHA, test_share=share, run_levels=levels)
    one = new_data_pairs(values, r, ALPHA, test_share=share)
    alone = new_data_pairs(values.mean(axis=1), r, ALPHA, test_share=share)
    x = d.ravel()
    limit = float(t_quantile(ALPHA / 2, np.array([len(x) - 1.0]))[0])
    pooled = abs(x.mean()) > limit * x.std(ddof=1) / len(x) ** 0.5
    decided = [bool(t.adjusted_p_value[0] <= ALPHA) for t in (rule, one, alone)]
    return decided[0], decided[1], decided[2], bool(pooled)


def errors(sizes: tuple[int, int, int], mixture: str, runs: int) -> Errors:
    """Count studies that decide between equal candidates."""
    rng = np.random.default_rng([SEED, hash_of(sizes, mixture)])
    counts = np.sum([decide(rng, sizes, mixture) for _ in range(runs)], axis=0)
    return Errors(*sizes, mixture, *(int(n) for n in counts), runs)


def settings() -> Iterator[tuple[str, str, str]]:
    """Yield designs, mixtures and laws of components."""
    yield from product(DESIGNS, MIXTURES, LAWS)


def write(path: Path, rows: Sequence[Any]) -> None:
    """Write rows of one class."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f.name for f in fields(rows[0])])
        for row in rows:
            out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in astuple(row)])


def read(path: Path, kind: Any) -> list[Any]:
    """Read rows of one class."""
    types = {"int": int, "float": float, "str": str}
    with path.open(encoding="utf-8") as file:
        return [
            kind(*(types[f.type](row[f.name]) for f in fields(kind)))
            for row in csv.DictReader(file)
        ]


def measure(runs: int) -> None:
    """Simulate all."""
    found = [row for own in settings() for row in coverage(*own, runs)]
    write(COMPONENTS, found)
    write(DECISIONS, [errors(s, m, runs) for s in GRIDS for m in OF_TUNING])


def page() -> str:
    """Write the page."""
    cells = read(COMPONENTS, Coverage)
    decided = read(DECISIONS, Errors)
    runs = cells[0].runs
    normal = [c for c in cells if c.law == "normal"]
    balanced = [c for c in normal if not is_fitted(c.design) and truth_is_positive(c)]
    fitted = [c for c in normal if is_fitted(c.design) and truth_is_positive(c)]
    skewed = [c for c in cells if c.law == "exponential" and truth_is_positive(c)]

    def worst(rows: list[Coverage]) -> float:
        return 100 * max(c.misses / max(1, c.known) for c in rows)

    head = f"""\
# Size of intervals of components of variance

This page is written by `validation/variation/study.py` from the counts beside it: {runs:,}
simulated studies a number, each setting with its own seed.

## Intervals of components

Per cent of studies whose interval at 95% misses the component, and in brackets the mean
estimate over the truth (where that is 0, the mean estimate). Normal effects; deviations of
splits, seeds and rest: 1, 1, 1 (alike); 1, .2, .5 (splits); .2, 1, .5 (seeds); 1, 0, 1 (no
seeds); of data sets 1.

Complete layouts have closed forms, whose intervals miss in at most {worst(balanced):.1f}%.
Fits, with lost values or sources varied alone, miss in up to {worst(fitted):.1f}%: their
intervals are rough for components with few levels. With exponential effects, whose variances no
normal theory knows, intervals miss in up to {worst(skewed):.0f}%: intervals of variances,
unlike those of means, do not become right with more values.

| design | component | alike | splits | seeds | no seeds | exponential, alike |
| :--- | :--- | ---: | ---: | ---: | ---: | ---: |"""
    lines = [head]
    by_key = {(c.design, c.mixture, c.law, c.term): c for c in cells}
    for design in DESIGNS:
        terms = dict.fromkeys(c.term for c in cells if c.design == design)
        for term in sorted(terms, key=("dataset", "split", "seed", "rest").index):
            columns = [(m, "normal") for m in MIXTURES] + [("alike", "exponential")]
            own = [by_key[design, m, law, term] for m, law in columns]
            name = "data set" if term == "dataset" else term
            lines.append(f"| {design} | {name} | {' | '.join(map(_cell, own))} |")
    most = {
        name: 100 * max(getattr(c, name) / c.runs for c in decided)
        for name in ("one_source", "splits_alone", "pooled")
    }
    three = [c for c in decided if min(c.seeds, c.tunings) >= 3]
    enough = [c for c in decided if min(c.seeds, c.tunings) >= 5]
    rates = [100 * max(c.rule / c.runs for c in own) for own in (three, enough)]
    lines.append(f"""
## Verdicts on splits by seeds by tuning

Two equal candidates on the folds of one data set, with every seed and every search for
hyperparameters in each fold; the folds share what Nadeau and Bengio's correlation says. Per
cent of studies that decide at 5%: by a component of each source and pair over its levels, as
reports do; with all runs of a fold as levels of one source; by means of folds alone; with all
values as independent ones.

The rule errs in at most {rates[0]:.1f}% of studies where every source has three levels,
{rates[1]:.1f}% with five; one source in up to {most["one_source"]:.0f}%, folds alone in up to
{most["splits_alone"]:.0f}%, all values in up to {most["pooled"]:.0f}%. A source of fewer than
three levels adds nothing, and the report says so: the last rows show what that hides.

| folds | seeds | searches | deviations | rule | one source | folds alone | all values |
| ---: | ---: | ---: | :--- | ---: | ---: | ---: | ---: |""")
    for c in decided:
        shares = [
            f"{100 * x / c.runs:.1f}" for x in (c.rule, c.one_source, c.splits_alone, c.pooled)
        ]
        lines.append(
            f"| {c.splits} | {c.seeds} | {c.tunings} | {c.mixture} | {' | '.join(shares)} |"
        )
    return "\n".join(lines) + "\n"


def truth_is_positive(cell: Coverage) -> bool:
    """Whether the component is above 0."""
    return not (cell.mixture == "no seeds" and cell.term == "seed")


def is_fitted(design: str) -> bool:
    """Whether the layout has no closed form."""
    return "lost" in design or "alone" in design


def _cell(c: Coverage) -> str:
    share = f"{100 * c.misses / c.known:.1f}" if c.known else "–"
    return f"{share} ({c.ratio:.2f})"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
