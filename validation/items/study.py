"""How often comparisons of models on items err, and what their intervals cover, by simulation.

    python validation/items/study.py [part ...]

Measures the named parts anew ("score", "clusters", "own", "runs", "tasks"; "all"), writes a file of
counts for each beside this one, and docs/items-size.md from them; without an argument only the page
is written. All of it takes about half an hour.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.items.clusters import (
    WORKING_CORRELATION,
    ClusterMeans,
    satterthwaite_df,
)
from reportgen.stats.items.comparison import FEWEST_NONZERO, compare_items
from reportgen.stats.items.proportions import score_interval
from reportgen.stats.items.runs import compare_these_items
from reportgen.stats.items.tasks import compare_these_tasks
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable

Array = NDArray[np.float64]

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "items-size.md"
SEED, ALPHA = 25, 0.05
MOST, LEAST = 0.06, 0.93  # promised: errors, and coverage from MANY clusters on
MANY = 20
RUNS, FEWER_RUNS = 10_000, 2_000
COMMON = 0.5  # share of the variance between items, and between clusters, common to all models
NOISE = 0.3  # share of the variance within clusters that is from run to run
SHIFT = 0.5  # of the model that differs, in standard deviations of the latent score
NUMBERS = 4_000_000  # in memory at a time
DRAWS = 20_000  # from the joint law: fewer than in a report


@dataclass(frozen=True, slots=True)
class Setting:
    """One simulated evaluation.

    Attributes
    ----------
    law : str
        "binary" or "graded" scores of latent normal ones.
    n, n_clusters : int
        Items, and clusters: n without clusters.
    sizes : str
        "equal" or "unequal" clusters.
    icc : float
        Correlation of the latent scores of one model within a cluster.
    chance : float
        Probability that an item is right; of graded scores, the mean is near it.
    n_runs, n_models : int
    truth : str
        "equal" models; "one better"; "one unlike": of equal mean, without correlation in clusters.
    """

    law: str
    n: int
    n_clusters: int
    sizes: str
    icc: float
    chance: float
    n_runs: int
    n_models: int
    truth: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened in the simulated studies of a setting.

    Attributes
    ----------
    errors : int
        Studies with a false verdict.
    given, covered : int
        Studies with an interval, and those of them in which every interval covers.
    open_pairs : int
        Pairs that are open.
    found : int
        Pairs with the better model that are decided.
    naive, unpaired, pooled : int
        Studies with a false verdict by three other rules.
    usual : int
        Studies with a false verdict where the degrees of freedom presume independent items; -1
        without clusters.
    everywhere : int
        Studies in which Tango's intervals of all pairs cover, however few items differ; -1 where
        these are not compared.
    icc : float
        Correlation of differences within a cluster, as estimated; NaN without clusters.
    runs : int
        Studies.
    """

    errors: int
    given: int
    covered: int
    open_pairs: int
    found: int
    naive: int
    unpaired: int
    pooled: int
    usual: int
    everywhere: int
    icc: float
    runs: int


# ------------------------------------------------------------------------------- the data


def cluster_sizes(setting: Setting) -> NDArray[np.intp]:
    """Return the sizes of clusters; unequal ones have lognormal quantiles."""
    count = setting.n_clusters
    weights = np.ones(count)
    if setting.sizes == "unequal":
        weights = np.exp(ndtri((np.arange(count) + 0.5) / count))
    ends = np.round(np.cumsum(weights) / weights.sum() * (setting.n - count)).astype(np.intp)
    return np.diff(ends, prepend=0) + 1


def means(setting: Setting) -> Array:
    """Return the expected score of each model."""
    return ndtr(_shifts(setting) / (1 if setting.law == "binary" else sqrt(2)))


def _shifts(setting: Setting) -> Array:
    shifts = np.full(setting.n_models, ndtri(setting.chance))
    shifts[-1] += SHIFT * (setting.truth == "one better")
    return shifts


def draw(setting: Setting, size: int, rng: np.random.Generator) -> Array:
    """Return scores of shape (size, n, r, K)."""
    n, r, models = setting.n, setting.n_runs, setting.n_models
    icc = np.full(models, setting.icc)
    icc[-1] *= setting.truth != "one unlike"

    def effects(count: int) -> Array:
        own = rng.standard_normal((size, count, 1, models), np.float32)
        common = rng.standard_normal((size, count, 1, 1), np.float32)
        return np.float32(sqrt(COMMON)) * common + np.float32(sqrt(1 - COMMON)) * own

    latent = np.sqrt((1 - icc) * (1 - NOISE)).astype(np.float32) * effects(n)
    if setting.icc > 0:
        places = np.repeat(np.arange(setting.n_clusters), cluster_sizes(setting))
        latent += np.sqrt(icc).astype(np.float32) * effects(setting.n_clusters)[:, places]
    noise = rng.standard_normal((size, n, r, models), np.float32)
    latent = latent + np.sqrt((1 - icc) * NOISE).astype(np.float32) * noise
    latent += _shifts(setting).astype(np.float32)
    if setting.law == "binary":
        return (latent > 0).astype(np.float64)
    return np.asarray(ndtr(latent.astype(np.float64)))


def chunks(setting: Setting, runs: int) -> Iterator[int]:
    """Yield sizes of parts that fit into memory."""
    step = max(1, NUMBERS // (setting.n * setting.n_runs * setting.n_models))
    yield from [step] * (runs // step) + [runs % step] * bool(runs % step)


# ------------------------------------------------------------------------------ the rules


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Intervals of shape (size, P), NaN where there is none, and open pairs."""

    lower: Array
    upper: Array
    is_open: NDArray[np.bool_]

    def wrong(self, is_null: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of shape (size, P) are decided although the two are equal."""
        return self.decided & is_null

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Which pairs are decided."""
        return ~self.is_open & ((self.lower > 0) | (self.upper < 0))

    def misses(self, expected: Array) -> NDArray[np.bool_]:
        """Return which intervals do not cover."""
        return (self.lower > expected) | (self.upper < expected)


def by_score(values: Array, fewest: int = FEWEST_NONZERO) -> Verdicts:
    """Compare binary items (size, n, K): the rule of `compare_items`, for many studies at once."""
    first, second = all_pairs(values.shape[2]).T
    products = values.transpose(0, 2, 1) @ (1 - values)
    b, c = products[:, first, second], products[:, second, first]
    n = np.full(b.shape, values.shape[1], dtype=np.float64)
    lower, upper = score_interval(b, c, n, ALPHA / len(first))
    return _given(lower, upper, b + c, fewest)


def by_clusters(
    values: Array, sizes: NDArray[np.intp], correlation: float = WORKING_CORRELATION
) -> Verdicts:
    """Compare items (size, n, K) of clusters that stand one after the other."""
    found = differences(values, sizes, correlation)
    varies = found.standard_error > 0
    critical = t_quantile(ALPHA / (2 * found.estimate.shape[1]), found.df)
    reach = np.where(varies, critical * found.standard_error, np.nan)
    return _given(found.estimate - reach, found.estimate + reach, found.n_nonzero)


def differences(values: Array, sizes: NDArray[np.intp], correlation: float) -> ClusterMeans:
    """Return `cluster_means` of items (size, n, K) without gaps, of shape (size, P)."""
    first, second = all_pairs(values.shape[2]).T
    totals = np.add.reduceat(values, np.cumsum(sizes) - sizes, axis=1)
    totals = totals[:, :, first] - totals[:, :, second]
    n, share = sizes.sum(), (sizes / sizes.sum())[:, None]
    estimate = totals.sum(axis=1) / n
    residual = totals - share * n * estimate[:, None]
    residual[np.abs(residual) < 1e-9] = 0.0
    variance = (residual**2 / (1 - share)).sum(axis=1) / n**2
    df = satterthwaite_df(share, share * (1 + correlation * (sizes[:, None] - 1)))[0]
    shape = estimate.shape
    return ClusterMeans(
        estimate,
        np.sqrt(variance),
        np.full(shape, df),
        np.full(shape, n),
        np.full(shape, len(sizes)),
        (np.abs(totals) > 1e-9).sum(axis=1),
        np.zeros(shape, dtype=bool),
    )


def by_kernel(values: Array) -> Verdicts:
    """Compare items (size, n, K) study by study."""
    rng = np.random.default_rng(SEED)
    tables = [compare_items(x, None, ALPHA, rng, n_draws=DRAWS) for x in values]
    return of_tables(tables)


def of_tables(tables: Sequence[PairTable]) -> Verdicts:
    """Return the verdicts of tables, one a study."""
    return Verdicts(*(np.array([getattr(t, x) for t in tables]) for x in Verdicts.__slots__))


def _given(lower: Array, upper: Array, n_nonzero: Array, fewest: int = FEWEST_NONZERO) -> Verdicts:
    """Leave pairs open that differ in too few units."""
    is_open = n_nonzero < fewest
    return Verdicts(np.where(is_open, np.nan, lower), np.where(is_open, np.nan, upper), is_open)


def rule_of(setting: Setting) -> Callable[[Array], Verdicts]:
    """Return the rule that `compare_items` chooses."""
    if setting.n_clusters < setting.n:
        return lambda values: by_clusters(values, cluster_sizes(setting))
    return by_score if setting.law == "binary" and setting.n_runs == 1 else by_kernel


def naive(scores: Array) -> Array:
    """Return z of paired differences of item means, items taken for independent: (size, P)."""
    return _z(scores.mean(axis=2))


def pooled(scores: Array) -> Array:
    """Return z of paired differences, all runs of all items taken for independent."""
    return _z(scores.reshape(len(scores), -1, scores.shape[3]))


def unpaired(scores: Array) -> Array:
    """Return z of two samples of item means."""
    values = scores.mean(axis=2)
    first, second = all_pairs(values.shape[2]).T
    mean, variance = values.mean(axis=1), values.var(axis=1, ddof=1) / values.shape[1]
    difference = mean[:, first] - mean[:, second]
    error = np.sqrt(variance[:, first] + variance[:, second])
    return np.divide(difference, error, out=np.zeros_like(difference), where=error > 0)


def _z(values: Array) -> Array:
    """Return the mean differences of columns over their standard errors, by their covariance."""
    n = values.shape[1]
    mean = values.mean(axis=1)
    centred = values - mean[:, None]
    covariance = centred.transpose(0, 2, 1) @ centred / (n - 1)
    spread = np.diagonal(covariance, axis1=1, axis2=2)
    first, second = all_pairs(values.shape[2]).T
    variance = spread[:, first] + spread[:, second] - 2 * covariance[:, first, second]
    difference = mean[:, first] - mean[:, second]
    is_known = variance > 1e-12
    error = np.sqrt(np.where(is_known, variance, 1.0) / n)
    return np.where(is_known, difference / error, 0.0)


# ------------------------------------------------------------------------------ measuring


def tally(
    found: Verdicts, expected: Array, scores: Array, usual: Verdicts | None, every: Verdicts | None
) -> NDArray[np.intp]:
    """Count what `Counts` has, of some studies."""
    is_null = expected == 0
    critical = -ndtri(ALPHA / (2 * len(expected)))
    has_interval = ~np.isnan(found.lower) & ~found.is_open
    given = has_interval.any(axis=1)
    others = [np.abs(z(scores)) > critical for z in (naive, unpaired, pooled)]
    return np.array(
        [
            found.wrong(is_null).any(axis=1).sum(),
            given.sum(),
            (given & ~(has_interval & found.misses(expected)).any(axis=1)).sum(),
            found.is_open.sum(),
            found.decided[:, ~is_null].sum(),
            *((x & is_null).any(axis=1).sum() for x in others),
            0 if usual is None else usual.wrong(is_null).any(axis=1).sum(),
            0 if every is None else (~every.misses(expected).any(axis=1)).sum(),
        ]
    )


def generator(part: str, setting: Setting) -> np.random.Generator:
    """Return the random numbers of a setting, which depend on no other."""
    return np.random.default_rng([SEED, *f"{part} {astuple(setting)}".encode()])


def simulate(part: str, setting: Setting, runs: int) -> Counts:
    """Count errors of a setting, from its own seed."""
    rng = generator(part, setting)
    first, second = all_pairs(setting.n_models).T
    expected = means(setting)[first] - means(setting)[second]
    sizes, has_clusters = cluster_sizes(setting), setting.n_clusters < setting.n
    counts, correlations = np.zeros(10, dtype=np.intp), []
    for size in chunks(setting, runs):
        if part == "runs":
            scores = draw_runs(setting, size, rng)
            found = of_tables([compare_these_items(x, ALPHA) for x in scores])
            counts += tally(found, np.zeros(len(first)), scores, None, None)
            continue
        if part == "tasks":
            found, expected, scores = tasks(setting, size, rng)
            counts += tally(found, expected, scores, None, None)
            continue
        scores = draw(setting, size, rng)
        values = scores.mean(axis=2)
        usual = by_clusters(values, sizes, 0.0) if has_clusters else None
        every = by_score(values, 0) if part == "score" else None
        counts += tally(rule_of(setting)(values), expected, scores, usual, every)
        if has_clusters:
            correlations.append(_correlation(values[..., 0] - values[..., 1], sizes))
    icc = float(np.mean(correlations)) if correlations else np.nan
    found_counts = counts.tolist()
    found_counts[8] = found_counts[8] if part == "clusters" else -1
    found_counts[9] = found_counts[9] if part == "score" else -1
    return Counts(*found_counts, round(icc, 3), runs)


def draw_runs(setting: Setting, size: int, rng: np.random.Generator) -> Array:
    """Return answers (size, n, r, K) to fixed items: chances of one set, in another order a model."""
    chances = rng.beta(setting.chance, 1 - setting.chance, (size, setting.n, 1, 1))
    chances = rng.permuted(np.repeat(chances, setting.n_models, axis=3), axis=1)
    shape = (size, setting.n, setting.n_runs, setting.n_models)
    return (rng.random(shape) < chances).astype(np.float64)


SHARES, STEPS = (0.2, 0.3, 0.5), (-0.5, 0.0, 0.5)  # of three tasks: items, and how easy they are


def tasks(setting: Setting, size: int, rng: np.random.Generator) -> tuple[Verdicts, Array, Array]:
    """Compare three tasks of different size and ease; return verdicts, expectations, all scores."""
    first, second = all_pairs(setting.n_models).T
    found, scores, expected = [], [], np.zeros(len(first))
    for share, step in zip(SHARES, STEPS, strict=True):
        own = replace(
            setting,
            n=round(share * setting.n),
            n_clusters=round(share * setting.n_clusters),
            chance=float(ndtr(ndtri(setting.chance) + step)),
        )
        expected += (means(own)[first] - means(own)[second]) / len(SHARES)
        scores.append(draw(own, size, rng))
        found.append(differences(scores[-1].mean(axis=2), cluster_sizes(own), WORKING_CORRELATION))
    names = ClusterMeans.__slots__
    studies = [
        [ClusterMeans(*(getattr(task, name)[i] for name in names)) for task in found]
        for i in range(size)
    ]
    tables = [compare_these_tasks(x, setting.n_models, ALPHA) for x in studies]
    return of_tables(tables), expected, np.concatenate(scores, axis=1)


def _correlation(values: Array, sizes: NDArray[np.intp]) -> float:
    """Return the correlation of the differences of two items of a cluster."""
    centred = values - values.mean()
    totals = np.add.reduceat(centred, np.cumsum(sizes) - sizes, axis=1)
    squares = float((centred**2).sum())
    n_pairs = float((sizes * (sizes - 1)).sum()) * len(values)
    variance = squares / centred.size
    return (float((totals**2).sum()) - squares) / n_pairs / variance if variance else 0.0


SIZES = (30, 100, 300, 1000)
CHANCES = (0.5, 0.8, 0.95, 0.99)
MODELS = (2, 4, 10)
ICCS = (0.0, 0.2, 0.5, 0.7)
CLUSTERS = ((30, 6), (100, 10), (100, 20), (300, 6), (300, 20), (300, 60), (1000, 100), (1000, 300))
CLUSTERED = (  # law, models, chance, runs, sizes, truth
    ("binary", 2, 0.5, 1, "equal", "equal"),
    ("binary", 2, 0.5, 1, "unequal", "equal"),
    ("binary", 2, 0.9, 1, "equal", "equal"),
    ("binary", 2, 0.97, 1, "equal", "equal"),
    ("binary", 2, 0.97, 1, "unequal", "equal"),
    ("binary", 2, 0.5, 3, "equal", "equal"),
    ("binary", 2, 0.95, 10, "equal", "equal"),
    ("graded", 2, 0.5, 1, "equal", "equal"),
    ("graded", 2, 0.5, 1, "unequal", "equal"),
    ("binary", 4, 0.8, 1, "equal", "equal"),
    ("binary", 10, 0.5, 1, "equal", "equal"),
    ("binary", 10, 0.95, 1, "unequal", "equal"),
    ("binary", 2, 0.8, 1, "equal", "one better"),
    ("binary", 2, 0.9, 1, "unequal", "one better"),
    ("graded", 2, 0.9, 1, "unequal", "one better"),
    ("binary", 4, 0.8, 1, "equal", "one better"),
    ("binary", 2, 0.9, 1, "equal", "one unlike"),
    ("binary", 2, 0.9, 1, "unequal", "one unlike"),
)
TRUTHS = ("equal", "one better")
PARTS = ("score", "clusters", "own", "runs", "tasks")


def settings(part: str) -> list[tuple[Setting, int]]:
    """Return the settings of a part, and how many studies each has."""
    if part == "score":
        return [
            (Setting("binary", n, n, "equal", 0.0, p, 1, k, truth), RUNS)
            for n in SIZES
            for p in CHANCES
            for k in MODELS
            for truth in TRUTHS
        ]
    if part == "clusters":
        return [
            (Setting(law, n, j, sizes, icc, p, r, k, truth), RUNS if k < 10 else FEWER_RUNS)
            for law, k, p, r, sizes, truth in CLUSTERED
            for n, j in CLUSTERS
            for icc in ICCS
            if r == 1 or n < 1000
        ]
    if part == "own":
        return [
            (Setting(law, n, n, "equal", 0.0, p, r, k, truth), FEWER_RUNS)
            for law, p, r in (
                ("graded", 0.5, 1),
                ("graded", 0.9, 1),
                ("binary", 0.5, 3),
                ("binary", 0.95, 3),
                ("binary", 0.95, 10),
            )
            for n, k in ((30, 2), (100, 2), (300, 2), (1000, 2), (30, 10), (100, 4))
            for truth in TRUTHS
        ]
    if part == "runs":
        return [
            (Setting("binary", n, n, "equal", 0.0, p, r, k, "equal"), FEWER_RUNS)
            for n in SIZES[:3]
            for p in (0.5, 0.95)
            for r in (3, 10)
            for k in (2, 10)
        ]
    return [
        (Setting(law, n, j, "equal", icc, p, 1, k, truth), FEWER_RUNS)
        for law, p in (("binary", 0.5), ("binary", 0.9), ("graded", 0.5))
        for n, j, icc in ((100, 100, 0.0), (300, 300, 0.0), (300, 100, 0.5), (1000, 100, 0.7))
        for k in (2, 4)
        for truth in TRUTHS
    ]


# ----------------------------------------------------------------------------------- files


def measure(part: str) -> None:
    """Measure a part anew, and write its file."""
    rows = [(setting, simulate(part, setting, runs)) for setting, runs in settings(part)]
    names = [field.name for kind in (Setting, Counts) for field in fields(kind)]
    with (HERE / f"{part}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows((*astuple(setting), *astuple(counts)) for setting, counts in rows)


def read(part: str) -> dict[Setting, Counts]:
    """Read the counts of a part."""
    with (HERE / f"{part}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    width = len(fields(Setting))
    return {_of(Setting, row[:width]): _of(Counts, row[width:]) for row in rows}


def _of(kind: type, cells: list[str]) -> Any:
    """Return a row of a file as an object."""
    read_as = {"str": str, "int": int, "float": float}
    return kind(*(read_as[str(f.type)](x) for f, x in zip(fields(kind), cells, strict=True)))


def page() -> str:
    return ""


if __name__ == "__main__":
    wanted = PARTS if sys.argv[1:] == ["all"] else sys.argv[1:]
    for part in wanted:
        measure(part)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
