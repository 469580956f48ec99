"""How often intervals for new data miss, and equal candidates are named, by simulation.

    python validation/new-data/study.py [--intervals RUNS] [--others RUNS] [--studies RUNS]

Two candidates that are one algorithm on features of their own, with the same law: over data sets
they are equal. Data sets are drawn anew and split by each scheme.

`--intervals` holds the interval of the difference against 0, and writes `cells.csv` beside this
file; algorithms that take long have a fifth of the runs: with 140 runs it takes about ten minutes.
`--others` does the same for candidates that differ, and for a regression, and writes `others.csv`;
with 60 runs it takes about ten minutes. Standard errors fall with the root of the runs.
`--stages` holds three equal candidates in an execution in stages of 20, which stops measuring who
is settled, and writes `stages.csv`; with 200 runs it takes about ten minutes.
`--studies` calls `reportgen.evaluate` and looks at what its conclusion says of the two, and writes
`studies.csv`, study by study, so that it can be broken off and taken up: with 40 runs it takes
half an hour. docs/new-data.md is written from all files.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import product
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import reportgen
from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.execution.outcome import Cell as Fit
from reportgen.execution.outcome import Outcome
from reportgen.execution.plan import standing
from reportgen.methods import Stop
from reportgen.performance_measure import Measure
from reportgen.sections.inference.generalisation import Evidence, compare_by_evidence
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.pairs.new_data import MeanLosses, new_data_pairs
from reportgen.stats.pairs.shared_data import SharedData
from reportgen.study.stages import Stages

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]
Losses = list[NDArray[Any]]  # of the observations of each test sample
Learner = Callable[[Array, NDArray[Any], list[Split]], Losses]

HERE = Path(__file__).parent
CELLS, OTHERS = HERE / "cells.csv", HERE / "others.csv"
STUDIES = HERE / "studies.csv"
STAGES = HERE / "stages.csv"
PAGE = HERE.parents[1] / "docs" / "new-data.md"
SEED, ALPHA = 40, 0.05
SIZES = (50, 100)
N_FEATURES, SHIFT = 3, 0.5  # of each candidate; distance of the two classes in each of them
BY_REPLICATIONS, BY_LOSSES, CORRECTED_T = "replications", "losses", "corrected t"
RULES = (CORRECTED_T, BY_REPLICATIONS, BY_LOSSES)


def folds(rng: Generator, n: int, k: int, repeats: int = 1) -> list[Split]:
    """Return the splits of k-fold cross-validation."""
    found = []
    for _ in range(repeats):
        parts = np.array_split(rng.permutation(n), k)
        found += [(np.setdiff1d(np.arange(n), part), np.sort(part)) for part in parts]
    return found


def subsamples(rng: Generator, n: int, count: int) -> list[Split]:
    """Return splits of which two thirds are learnt from."""
    orders = (rng.permutation(n) for _ in range(count))
    return [(order[: 2 * n // 3], order[2 * n // 3 :]) for order in orders]


def bootstrap(rng: Generator, n: int, count: int) -> list[Split]:
    """Return bootstrap samples, and what each leaves out."""
    drawn = (rng.integers(n, size=n) for _ in range(count))
    return [(learn, np.setdiff1d(np.arange(n), learn)) for learn in drawn]


SCHEMES: Mapping[str, Callable[[Generator, int], list[Split]]] = {
    "10-fold": lambda rng, n: folds(rng, n, 10),
    "5-fold": lambda rng, n: folds(rng, n, 5),
    "10 x 10-fold": lambda rng, n: folds(rng, n, 10, 10),
    "5 x 2-fold": lambda rng, n: folds(rng, n, 2, 5),
    "subsampling, 100": lambda rng, n: subsamples(rng, n, 100),
    "bootstrap, 100": lambda rng, n: bootstrap(rng, n, 100),
}


def _neighbours(k: int) -> Learner:
    """Return k nearest neighbours, by the distances of all observations."""

    def learn(x: Array, y: NDArray[np.int64], splits: list[Split]) -> Losses:
        distances = ((x[:, None] - x) ** 2).sum(axis=2)
        found = []
        for own, test in splits:
            near = np.argsort(distances[np.ix_(test, own)], axis=1, kind="stable")[:, :k]
            found.append((y[own][near].mean(axis=1) > 0.5) != y[test])
        return found

    return learn


def _centroids(x: Array, y: NDArray[np.int64], splits: list[Split]) -> Losses:
    """Predict the class whose mean is nearer."""
    found = []
    for own, test in splits:
        means = [x[own][y[own] == c].mean(axis=0) for c in (0, 1)]
        far = [((x[test] - mean) ** 2).sum(axis=1) for mean in means]
        found.append((far[1] < far[0]) != y[test])
    return found


def _discriminants(x: Array, y: NDArray[np.int64], splits: list[Split]) -> Losses:
    """Predict by linear discriminant analysis, as `lda` of the catalogue."""
    found = []
    for own, test in splits:
        means = np.array([x[own][y[own] == c].mean(axis=0) for c in (0, 1)])
        centred = x[own] - means[y[own]]
        slope = np.linalg.solve(centred.T @ centred / len(own), means[1] - means[0])
        share = y[own].mean()
        level = (means.sum(axis=0) / 2) @ slope - np.log(share / (1 - share))
        found.append((x[test] @ slope > level) != y[test])
    return found


def _of_catalogue(name: str) -> Learner:
    """Return an algorithm of the catalogue."""

    def learn(x: Array, y: NDArray[np.int64], splits: list[Split]) -> Losses:
        found = []
        for own, test in splits:
            fitted = ALGORITHMS[name].make("classification", 0).fit(x[own], y[own])
            found.append(np.asarray(fitted.predict(x[test])) != y[test])
        return found

    return learn


LEARNERS: Mapping[str, Learner] = {
    "centroids": _centroids,
    "1-nn": _neighbours(1),
    "knn": _neighbours(5),
    "lda": _discriminants,
    "rpart": _of_catalogue("rpart"),
}
SLOW = ("rpart",)


def _lines(x: Array, y: Array, splits: list[Split]) -> Losses:
    """Predict by least squares, as `lm` of the catalogue."""
    table = np.column_stack([np.ones(len(x)), x])
    fits = [np.linalg.lstsq(table[own], y[own])[0] for own, _ in splits]
    return [(y[test] - table[test] @ b) ** 2 for b, (_, test) in zip(fits, splits, strict=True)]


def _neighbours_mean(x: Array, y: Array, splits: list[Split]) -> Losses:
    """Predict the mean of five nearest neighbours, as `knn` of the catalogue."""
    distances = ((x[:, None] - x) ** 2).sum(axis=2)
    found = []
    for own, test in splits:
        near = np.argsort(distances[np.ix_(test, own)], axis=1, kind="stable")[:, :5]
        found.append((y[test] - y[own][near].mean(axis=1)) ** 2)
    return found


@dataclass(frozen=True, slots=True)
class Contest:
    """Two candidates, and what they learn."""

    first: Learner
    second: Learner
    is_regression: bool = False
    is_apart: bool = False  # whether each has features of its own


CONTESTS: Mapping[str, Contest] = {
    "lda, 1-nn": Contest(_discriminants, _neighbours(1)),
    "knn, 1-nn": Contest(_neighbours(5), _neighbours(1)),
    "lda, rpart": Contest(_discriminants, _of_catalogue("rpart")),
    "lm, lm": Contest(_lines, _lines, is_regression=True, is_apart=True),
    "lm, knn": Contest(_lines, _neighbours_mean, is_regression=True),
}
"""Candidates that differ on the same features, and a regression; `lm, lm` are equal."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Intervals of one algorithm by one scheme and rule.

    Attributes
    ----------
    learner, scheme, rule : str
    n : int
        Observations.
    wrong, runs : int
        Data sets whose interval misses 0, of all.
    width : float
        Mean half width over 1.96 standard deviations of the estimate over data sets.
    """

    learner: str
    scheme: str
    rule: str
    n: int
    wrong: int
    runs: int
    width: float


def data_set(rng: Generator, n: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return features of both candidates, and classes; each class has ten observations at least."""
    while True:
        y = rng.integers(2, size=n)
        if 10 <= y.sum() <= n - 10:
            break
    x = rng.normal(size=(2, n, N_FEATURES)) + SHIFT * y[:, None]
    return x[0], x[1], y


def numeric_data_set(rng: Generator, n: int) -> tuple[Array, Array, Array]:
    """Return features of both candidates, and a response: their sum, with noise of variance 1."""
    x = rng.normal(size=(2, n, N_FEATURES))
    return x[0], x[1], SHIFT * x.sum(axis=(0, 2)) + rng.normal(size=n)


def intervals(misses: list[Losses], splits: list[Split], n: int) -> list[Array]:
    """Return estimate and half width of the difference by each rule.

    Parameters
    ----------
    misses : list of two lists
        Of each candidate, the losses of the observations of each test sample.
    splits : list
    n : int
    """
    values = np.array([[own.mean() for own in of] for of in misses]).T
    ratio = float(np.mean([len(test) / len(np.unique(own)) for own, test in splits]))
    share = float(np.mean([len(test) / n for _, test in splits]))
    sums, counts = np.zeros((n, 2)), np.zeros(n)
    for b, (_, test) in enumerate(splits):
        counts[test] += 1
        for k in (0, 1):
            sums[test, k] += misses[k][b]
    with np.errstate(invalid="ignore"):
        losses = MeanLosses(sums / counts[:, None], np.column_stack([counts, counts]))
    more = {"test_share": share, "n_observations": n}
    tables = [
        new_data_pairs(values, ratio, ALPHA, **more),
        new_data_pairs(values, ratio, ALPHA, losses=losses, **more),
    ]
    d = values[:, 0] - values[:, 1]
    error = d.std(ddof=1) * sqrt(1 / len(d) + ratio)
    plain = np.array([d.mean(), float(t_quantile(ALPHA / 2, len(d) - 1)) * error])
    halves = [(float(t.estimate[0]), float(t.upper[0] - t.estimate[0])) for t in tables]
    return [plain, *map(np.array, halves)]


def measure(learner: str, n: int, runs: int) -> Iterator[Cell]:
    """Draw data sets, and judge each by every scheme and rule; an open pair never errs."""
    found: dict[tuple[str, str], list[Array]] = {}
    for run in range(runs):
        rng = np.random.default_rng([SEED, [*LEARNERS].index(learner), n, run])
        first, second, y = data_set(rng, n)
        for scheme, split in SCHEMES.items():
            splits = split(rng, n)
            misses = [LEARNERS[learner](x, y, splits) for x in (first, second)]
            for rule, own in zip(RULES, intervals(misses, splits, n), strict=True):
                found.setdefault((scheme, rule), []).append(own)
    for (scheme, rule), parts in found.items():
        yield _cell(learner, scheme, rule, n, parts, 0.0)


def measure_contest(name: str, n: int, runs: int) -> Iterator[Cell]:
    """Judge a contest by every scheme and rule, against its true difference.

    Each estimate is unbiased for the expected difference of the learners, taught by samples of the
    scheme's size: that is the mean of all estimates, or 0 by symmetry.
    """
    contest = CONTESTS[name]
    found: dict[tuple[str, str], list[Array]] = {}
    for run in range(runs):
        rng = np.random.default_rng([SEED, 100 + [*CONTESTS].index(name), n, run])
        first, second, y = (numeric_data_set if contest.is_regression else data_set)(rng, n)
        if not contest.is_apart:
            first = second = np.hstack([first, second])
        for scheme, split in SCHEMES.items():
            splits = split(rng, n)
            losses = [contest.first(first, y, splits), contest.second(second, y, splits)]
            for rule, own in zip(RULES, intervals(losses, splits, n), strict=True):
                found.setdefault((scheme, rule), []).append(own)
    for (scheme, rule), parts in found.items():
        true = 0.0 if contest.is_apart else float(np.mean([own[0] for own in parts]))
        yield _cell(name, scheme, rule, n, parts, true)


def _cell(name: str, scheme: str, rule: str, n: int, parts: list[Array], true: float) -> Cell:
    estimates, halves = np.array(parts).T
    wrong = int((np.abs(estimates - true) > halves).sum())
    width = float(np.nanmean(halves) / (1.96 * estimates.std(ddof=1)))
    return Cell(name, scheme, rule, n, wrong, len(parts), round(width, 3))


def run(
    runs: int,
    file: Path = CELLS,
    names: Iterable[str] = LEARNERS,
    measured: Callable[[str, int, int], Iterator[Cell]] = measure,
) -> None:
    """Measure all cells anew."""
    with threadpool_limits(1), file.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow([field.name for field in fields(Cell)])
        for name, n in product(names, SIZES):
            own = max(20, runs // 5) if name in SLOW else runs
            writer.writerows(map(astuple, measured(name, n, own)))
            table.flush()


def read(table: Path = CELLS) -> list[Cell]:
    """Read what was measured."""
    with table.open(newline="", encoding="utf-8") as file:
        return [
            Cell(
                row["learner"],
                row["scheme"],
                row["rule"],
                int(row["n"]),
                int(row["wrong"]),
                int(row["runs"]),
                float(row["width"]),
            )
            for row in csv.DictReader(file)
        ]


# ------------------------------------------------------------------------ stages

STOPS: tuple[Stop, ...] = ("decided", "both")
STAGE, MOST, AREA = 20, 100, 0.05  # replications of a stage, and at most; area of equivalence
IN_STAGES = ("centroids", "1-nn", "knn", "lda")


@dataclass(frozen=True, slots=True)
class Staged:
    """Verdicts for new data on three equal candidates, measured in stages.

    Attributes
    ----------
    learner, stop : str
    n : int
        Observations.
    wrong, gone, runs : int
        Studies in which a candidate is better for new data, in which one is measured less than
        another, and all.
    share : float
        Fits that were done, of all that a fixed design does.
    """

    learner: str
    stop: str
    n: int
    wrong: int
    gone: int
    runs: int
    share: float


def measure_stages(learner: str, n: int, runs: int) -> Iterator[Staged]:
    """Draw data sets, and judge three equal candidates by what their stages have asked for."""
    found: dict[str, list[tuple[bool, bool, float]]] = {stop: [] for stop in STOPS}
    for run in range(runs):
        rng = np.random.default_rng([SEED, 200 + [*LEARNERS].index(learner), n, run])
        first, second, y = data_set(rng, n)
        third = rng.normal(size=first.shape) + SHIFT * y[:, None]
        splits = bootstrap(rng, n, MOST)
        misses = [LEARNERS[learner](x, y, splits) for x in (first, second, third)]
        for stop in STOPS:
            found[stop].append(_judged(misses, splits, n, stop))
    for stop, own in found.items():
        wrong, gone, share = np.array(own).T
        counts = int(wrong.sum()), int(gone.sum()), runs
        yield Staged(learner, stop, n, *counts, round(float(share.mean()), 3))


def _judged(
    misses: list[Losses], splits: list[Split], n: int, stop: Stop
) -> tuple[bool, bool, float]:
    """Return whether a pair is decided, whether a candidate has left, and the share of fits."""
    whole = np.array([[own.mean() for own in of] for of in misses]).T
    names = ("a", "b", "c")
    error = Measure("misclassification", bounds=(0.0, 1.0))
    stages = Stages(STAGE, MOST, error.name, "decided", ALPHA, (-AREA, AREA), stop=stop)
    setup: Any = SimpleNamespace(
        measures=[SimpleNamespace(name=error.name, measure=error)],
        candidates=[SimpleNamespace(name=name) for name in names],
    )

    def known(cell: Fit) -> Outcome:
        value = float(whole[cell.replication - 1, names.index(cell.candidate)])
        return Outcome("ok", {error.name: value})

    asked = np.zeros(whole.shape, dtype=np.bool_)
    for cell in standing(setup, stages, "d", known).cells:
        asked[cell.replication - 1, names.index(cell.candidate)] = True
    asked = asked[asked.any(axis=1)]
    values = np.where(asked, whole[: len(asked)], np.nan)
    sums, counts = np.zeros((n, 3)), np.zeros((n, 3))
    for b, (_, test) in enumerate(splits[: len(asked)]):
        for k in np.flatnonzero(asked[b]):
            sums[test, k] += misses[k][b]
            counts[test, k] += 1
    with np.errstate(invalid="ignore"):
        losses = MeanLosses(sums / counts, counts)
    own = splits[: len(asked)]
    ratio = float(np.mean([len(test) / len(np.unique(drawn)) for drawn, test in own]))
    share = float(np.mean([len(test) / n for _, test in own]))
    shared = SharedData(ratio, "sizes", test_share=share, n_observations=n)
    table = compare_by_evidence(
        values,
        Evidence(shared, names, losses=losses),
        ALPHA,
        is_smaller_better=True,
        bounds=error.bounds,
        missing_by_design=~asked,
    )
    return bool(table.significant.any()), bool(~asked.all()), float(asked.sum() / whole.size)


def run_stages(runs: int) -> None:
    """Measure all cells of stages anew."""
    with threadpool_limits(1), STAGES.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow([field.name for field in fields(Staged)])
        for name, n in product(IN_STAGES, SIZES):
            writer.writerows(map(astuple, measure_stages(name, n, runs)))
            table.flush()


def read_stages() -> list[Staged]:
    """Read what was measured in stages."""
    with STAGES.open(newline="", encoding="utf-8") as file:
        return [
            Staged(
                row["learner"],
                row["stop"],
                *(int(row[key]) for key in ("n", "wrong", "gone", "runs")),
                float(row["share"]),
            )
            for row in csv.DictReader(file)
        ]


# ------------------------------------------------------------------------ whole studies

ESTIMATORS: Mapping[str, BaseEstimator] = {
    "centroids": NearestCentroid(),
    "lda": LinearDiscriminantAnalysis(),
    "1-nn": KNeighborsClassifier(1),
    "tree": DecisionTreeClassifier(random_state=0),
}
DESIGNS: Mapping[str, tuple[dict[str, str | int], int | None]] = {
    "bootstrap, 100": ({"scheme": "bootstrap"}, 100),
    "10-fold": ({"scheme": "k-fold", "folds": 10}, None),
    "10 x 10-fold": ({"scheme": "repeated-k-fold", "folds": 10, "repeats": 10}, None),
    "5 x 2-fold": ({"scheme": "repeated-k-fold", "folds": 2, "repeats": 5}, None),
}
SIZES_OF_STUDIES = (100, 200)  # in turn


class OnSome(ClassifierMixin, BaseEstimator):
    """A classifier that sees some of the features."""

    def __init__(self, learner: BaseEstimator, columns: list[int]) -> None:
        self.learner = learner
        self.columns = columns

    def fit(self, X: Array, y: NDArray[np.int64]) -> OnSome:
        """Learn from those features."""
        self.fitted_ = clone(self.learner).fit(np.asarray(X)[:, self.columns], y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Array) -> NDArray[np.int64]:
        """Predict classes by those features."""
        return np.asarray(self.fitted_.predict(np.asarray(X)[:, self.columns]))


@dataclass(frozen=True, slots=True)
class Concluded:
    """What the report of one study of two equal candidates says of them.

    Attributes
    ----------
    learner, scheme : str
    run, n : int
        The data set, and its observations.
    decided, shown : int
        Whether a candidate is called better, and whether one is recommended as shown.
    """

    learner: str
    scheme: str
    run: int
    n: int
    decided: int
    shown: int


def conclude(learner: str, scheme: str, run: int) -> Concluded:
    """Draw a data set, evaluate the two candidates on it, and read the conclusion."""
    n = SIZES_OF_STUDIES[run % 2]
    rng = np.random.default_rng([SEED, [*ESTIMATORS].index(learner), run, n])
    first, second, y = data_set(rng, n)
    columns = [*range(N_FEATURES)], [*range(N_FEATURES, 2 * N_FEATURES)]
    left, right = (OnSome(ESTIMATORS[learner], own) for own in columns)
    resampling, replications = DESIGNS[scheme]
    study = reportgen.evaluate(
        {"left": left, "right": right},
        np.hstack([first, second]),
        y,
        resampling=resampling,
        replications=replications,
        measures="misclassification",
        prepare=False,
        seed=run,
    )
    found = study.conclusion
    assert found is not None
    assert found.verdict is not None
    shown = found.recommendation.shown
    return Concluded(learner, scheme, run, n, int(bool(found.verdict.better)), int(shown))


def run_studies(runs: int) -> None:
    """Evaluate what is missing, one data set of each cell after the other."""
    done = {(c.learner, c.scheme, c.run) for c in read_studies()}
    with threadpool_limits(1), STUDIES.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow([field.name for field in fields(Concluded)])
        for one in product(range(runs), ESTIMATORS, DESIGNS):
            run, learner, scheme = one
            if (learner, scheme, run) not in done:
                writer.writerow(astuple(conclude(learner, scheme, run)))
                file.flush()


def read_studies() -> list[Concluded]:
    """Read what the reports of the studies said."""
    if not STUDIES.exists():
        return []
    with STUDIES.open(newline="", encoding="utf-8") as file:
        return [
            Concluded(row["learner"], row["scheme"], *(int(row[key]) for key in WHOLE))
            for row in csv.DictReader(file)
        ]


WHOLE = ("run", "n", "decided", "shown")

HEAD = """# Intervals for new data

This page is written by `validation/new-data/study.py` from `cells.csv`, `others.csv`,
`stages.csv` and `studies.csv` beside it. Two candidates are one algorithm, each on {features}
normal features of its own, which tell the two classes equally well: over data sets their errors are
equal. Data sets of {sizes} observations are drawn anew, and misclassification is measured by each
scheme. An interval errs where it does not contain 0; nominal are 5%. The *width* is the mean half
width over 1.96 standard deviations of the estimate over data sets: 1 is ideal, more is caution.
*Corrected t* is the corrected resampled t of Nadeau and Bengio (2003), with 1/J + r in the
variance; *replications* and *losses* are what a report does without and with the losses of single
observations: never less than twice the variance of one test sample's mean; with losses at most
three times (tested once: two times) that of the mean difference of losses, and where they are
tested several times never less than that of the mean of these replications.

Candidates are nearest centroids, 1 and 5 nearest neighbours (`knn` of the catalogue), and `lda` and
`rpart` of the catalogue. These are few algorithms, two classes of equal size and one measure: areas
under curves, other losses, groups, families of several pairs and data sets of fewer than {least}
observations are not here. {counts}
"""

OF_STAGES = """## In stages

Three equal candidates, each on features of its own, are measured on bootstrap samples in stages of
{stage}, at most {most}; who has no comparison left to settle is no longer measured. `decided`
settles a comparison by a difference or by equivalence within {area}, `both` by an answer to both
questions. What stages leave out counts against nobody. A study errs where any of the three pairs is
decided for new data: in {wrong} of {all}, or {rate:.1f}%.

In a cell: studies that err, in per cent, ± their standard error; studies in which a candidate is
measured less than another; the share of the fits of a fixed design.
"""

OF_OTHERS = """## Candidates that differ, and a regression

Two algorithms learn from the same {features} features in two classes as above. In the rows of
least squares (`lm`) a number is predicted: the sum of {features} features, {shift} times each, with
normal noise of variance 1, judged by squared error; `lm, lm` are equal, each on {half} of the
features, and `lm, knn` learn from all of them. An interval errs where it does not contain the true
difference of the learners, taught by samples of the scheme's size: 0 of equal ones, else the mean
of all estimates. {counts} Errors of all together: {told}.

With losses: errors in per cent, ± their standard error, and the width.
"""


def page() -> str:
    """Write the page."""
    cells = read()
    runs = {c.learner: c.runs for c in cells}
    told = ", ".join(f"{name} {n}" for name, n in runs.items())
    head = HEAD.format(
        features=N_FEATURES,
        sizes=" and ".join(map(str, SIZES)),
        least=min(SIZES),
        counts=f"Data sets of each size: {told}; the standard error of 5% is "
        f"{100 * sqrt(0.05 * 0.95 / min(runs.values())):.1f} points with the fewest of them.",
    )
    parts = (
        _pooled(cells),
        _by_learner(cells),
        _of_others(read(OTHERS)),
        _of_stages(read_stages()),
        _of_studies(),
    )
    return "\n".join([head, *(line for part in parts for line in (*part, ""))])


def _pooled(cells: list[Cell]) -> Iterator[str]:
    """Write errors of all algorithms, the worst one, and the width, by scheme and rule."""
    yield "## By scheme"
    yield ""
    yield (
        "Errors in per cent: of all data sets, and of the worst algorithm and size; median and "
        "largest width."
    )
    yield ""
    yield "| scheme | " + " | ".join(RULES) + " |"
    yield "| --- | " + " | ".join("---" for _ in RULES) + " |"
    for scheme in SCHEMES:
        row = [scheme]
        for rule in RULES:
            own = [c for c in cells if (c.scheme, c.rule) == (scheme, rule)]
            pooled = sum(c.wrong for c in own) / sum(c.runs for c in own)
            worst = max(c.wrong / c.runs for c in own)
            widths = [c.width for c in own]
            rates = f"{100 * pooled:.1f}, worst {100 * worst:.1f}"
            row.append(f"{rates}; {np.median(widths):.2f}, {max(widths):.2f}")
        yield f"| {' | '.join(row)} |"


def _by_learner(cells: list[Cell]) -> Iterator[str]:
    """Write errors and width of each algorithm and size with losses."""
    yield "## By algorithm"
    yield ""
    yield "With losses: errors in per cent, ± their standard error, and the width."
    yield ""
    yield from _table(cells, "algorithm")


def _of_others(cells: list[Cell]) -> Iterator[str]:
    """Write errors and width of each contest and size with losses, and of all by rule."""
    runs = "; ".join(f"{name}: {n}" for name, n in {c.learner: c.runs for c in cells}.items())
    rates = []
    for rule in RULES:
        own = [c for c in cells if c.rule == rule]
        n, worst = sum(c.runs for c in own), max(c.wrong / c.runs for c in own)
        rate = sum(c.wrong for c in own) / n
        rates.append(f"{100 * rate:.1f}% (worst cell {100 * worst:.1f}) by {rule}")
    yield OF_OTHERS.format(
        features=2 * N_FEATURES,
        half=N_FEATURES,
        shift=SHIFT,
        counts=f"Data sets of each size: {runs}.",
        told=", ".join(rates),
    )
    yield from _table(cells, "candidates")


def _table(cells: list[Cell], what: str) -> Iterator[str]:
    """Write errors and width of each row and size with losses."""
    keys = list(dict.fromkeys((c.learner, c.n) for c in cells))
    yield f"| {what}, N | " + " | ".join(SCHEMES) + " |"
    yield "| --- | " + " | ".join("---" for _ in SCHEMES) + " |"
    for learner, n in keys:
        own = {c.scheme: c for c in cells if (c.learner, c.n, c.rule) == (learner, n, BY_LOSSES)}
        texts = [_rate(own[scheme]) for scheme in SCHEMES]
        yield f"| {learner}, {n} | {' | '.join(texts)} |"


def _rate(cell: Cell) -> str:
    return f"{_percent(cell.wrong, cell.runs)}; {cell.width:.2f}"


def _percent(wrong: int, runs: int) -> str:
    rate = wrong / runs
    kept = min(max(rate, 1 / runs), 1 - 1 / runs)
    return f"{100 * rate:.1f} ± {100 * sqrt(kept * (1 - kept) / runs):.1f}"


def _of_stages(cells: list[Staged]) -> Iterator[str]:
    """Write how often stages err for new data."""
    wrong, runs = sum(c.wrong for c in cells), sum(c.runs for c in cells)
    yield OF_STAGES.format(
        stage=STAGE, most=MOST, area=AREA, wrong=wrong, all=f"{runs:,}", rate=100 * wrong / runs
    )
    yield "| algorithm, N | " + " | ".join(f"`{stop}`" for stop in STOPS) + " |"
    yield "| --- | " + " | ".join("---" for _ in STOPS) + " |"
    for learner, n in dict.fromkeys((c.learner, c.n) for c in cells):
        own = {c.stop: c for c in cells if (c.learner, c.n) == (learner, n)}
        texts = (
            f"{_percent(own[s].wrong, own[s].runs)}; {own[s].gone} of {own[s].runs}; "
            f"{own[s].share:.2f}"
            for s in STOPS
        )
        yield f"| {learner}, {n} | {' | '.join(texts)} |"


def _of_studies() -> Iterator[str]:
    """Write how often a report named one of two equal candidates."""
    studies = read_studies()
    shown = sum(c.shown for c in studies)
    decided = sum(c.decided for c in studies)
    sizes = " and ".join(map(str, SIZES_OF_STUDIES))
    yield "## Two equal learners in a report"
    yield ""
    yield (
        f"{len(studies):,} studies by `reportgen.evaluate`, of {sizes} observations in turn: one "
        "of two equal\ncandidates was called better for new data in "
        f"{decided} ({100 * decided / len(studies):.1f}%), and recommended as shown in {shown} "
        f"({100 * shown / len(studies):.1f}%).\nIn a cell: recommended as shown, of all studies."
    )
    yield ""
    yield "| algorithm | " + " | ".join(DESIGNS) + " |"
    yield "| --- | " + " | ".join("---:" for _ in DESIGNS) + " |"
    for learner in ESTIMATORS:
        rows = ([c for c in studies if (c.learner, c.scheme) == (learner, d)] for d in DESIGNS)
        texts = (f"{sum(c.shown for c in own)} of {len(own)}" for own in rows)
        yield f"| {learner} | {' | '.join(texts)} |"


def main() -> None:
    """Measure what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--intervals", type=int, help="data sets of each algorithm and size")
    parser.add_argument("--others", type=int, help="data sets of each contest and size")
    parser.add_argument(
        "--stages", type=int, help="data sets of each algorithm and size, in stages"
    )
    parser.add_argument("--studies", type=int, help="data sets of each algorithm and scheme")
    arguments = parser.parse_args()
    if arguments.intervals:
        run(arguments.intervals)
    if arguments.others:
        run(arguments.others, OTHERS, CONTESTS, measure_contest)
    if arguments.stages:
        run_stages(arguments.stages)
    if arguments.studies:
        run_studies(arguments.studies)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
