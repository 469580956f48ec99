"""How often comparisons of models on items err, and what their intervals cover, by simulation.

    python validation/items/study.py [part ...]

Measures the named parts anew ("score", "clusters", "own", "runs", "tasks"; "all"), writes a file of
counts for each beside this one, and docs/items-size.md from them; without an argument only the page
is written. All of it takes about half an hour.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.items.runs import FEWEST_NONZERO, compare_these_items
from reportgen.stats.items.tasks import compare_these_tasks
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import equal_signs
from reportgen.stats.pairs.proportions import mid_p_level, score_interval
from reportgen.stats.skewness import adjusted_skewness, mean_interval

Array = NDArray[np.float64]

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "items-size.md"
SEED, ALPHA = 25, 0.05
MOST, LEAST = 0.06, 0.93  # promised: errors, and coverage from MANY clusters on
MANY = 20
CLEAR = 3.0  # standard errors beyond which a number is not as promised
RUNS, FEWER_RUNS, FEW_RUNS, FEWEST_RUNS = 4_000, 2_000, 500, 200
COMMON = 0.5  # share of the variance between items, and between clusters, common to all models
NOISE = 0.3  # share of the variance within clusters that is from run to run
SHIFT = 0.5  # of the model that differs, in standard deviations of the latent score
NEGLIGIBLE = 1e-9  # sums of scores that differ by less are equal
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
    plain : int
        Studies with a false verdict where t is not corrected for skewness; -1 without clusters.
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
    plain: int
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


def by_score(values: Array) -> Verdicts:
    """Compare binary items (size, n, K): the rule of `compare_items`, for many studies at once."""
    first, second = all_pairs(values.shape[2]).T
    products = values.transpose(0, 2, 1) @ (1 - values)
    b, c = products[:, first, second], products[:, second, first]
    n = values.shape[1]
    tables, places = np.unique((b * (n + 1) + c).ravel(), return_inverse=True)  # many are the same
    tables_b, tables_c = np.divmod(tables, n + 1)
    level = mid_p_level(tables_b, tables_c, ALPHA / len(first))
    limits = score_interval(tables_b, tables_c, np.full(len(tables), float(n)), level)
    lower, upper = (x[places].reshape(b.shape) for x in limits)
    return Verdicts(lower, upper, np.zeros(b.shape, dtype=bool))


def by_clusters(
    values: Array,
    sizes: NDArray[np.intp],
    correlation: float = WORKING_CORRELATION,
    *,
    is_corrected: bool = True,
) -> Verdicts:
    """Compare items (size, n, K) of six or more clusters that stand one after the other."""
    found = differences(values, sizes, correlation)
    level = ALPHA / found.estimate.shape[1]
    varies = found.standard_error > 0
    is_equal = ~varies & (found.estimate == 0)
    lower, upper = mean_interval(
        found.estimate,
        found.standard_error,
        found.lean if is_corrected else np.zeros_like(found.lean),
        t_quantile(level / 2, found.df),
        varies,
        np.where(is_equal, 1.0, equal_signs(found.n_clusters)),
        level,
    )
    return Verdicts(lower, upper, np.zeros(varies.shape, dtype=bool))


def differences(
    values: Array, sizes: NDArray[np.intp], correlation: float = WORKING_CORRELATION
) -> ClusterMeans:
    """Return `cluster_means`, of shape (size, P), of items (size, n, K) without gaps."""
    first, second = all_pairs(values.shape[2]).T
    totals = np.add.reduceat(values, np.cumsum(sizes) - sizes, axis=1).transpose(1, 0, 2)
    totals = totals[..., first] - totals[..., second]
    n, part = sizes.sum(), sizes[:, None, None] / sizes.sum()
    estimate = totals.sum(axis=0) / n
    residuals = totals - part * n * estimate
    residuals[np.abs(residuals) < NEGLIGIBLE] = 0.0
    adjusted = residuals / np.sqrt(1 - part)
    variance = (adjusted**2).sum(axis=0) / n**2
    centred = adjusted - adjusted.mean(axis=0)
    second_moment, third_moment = ((centred**power).mean(axis=0) for power in (2, 3))
    working = part * (1 + correlation * (sizes[:, None, None] - 1))
    df = satterthwaite_df(part[:, 0], working[:, 0], 1 / (1 - part[:, 0]))[0]
    shape = estimate.shape
    return ClusterMeans(
        estimate,
        np.sqrt(variance),
        np.full(shape, df),
        np.full(shape, n),
        np.full(shape, len(sizes)),
        (np.abs(totals) > NEGLIGIBLE).sum(axis=0),
        np.zeros(shape, dtype=bool),
        adjusted_skewness(second_moment, third_moment, np.full(shape, len(sizes))),
    )


def by_kernel(values: Array) -> Verdicts:
    """Compare items (size, n, K) study by study."""
    rng = np.random.default_rng(SEED)
    tables = [item_pairs(x, None, ALPHA, rng, n_draws=DRAWS) for x in values]
    return of_tables(tables)


def of_tables(tables: Sequence[PairTable]) -> Verdicts:
    """Return the verdicts of tables, one a study."""
    return Verdicts(*(np.array([getattr(t, x) for t in tables]) for x in Verdicts.__slots__))


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


def tally(found: Verdicts, expected: Array, scores: Array) -> NDArray[np.intp]:
    """Count what `Counts` has, of some studies, by the rule and by three others."""
    is_null = expected == 0
    critical = -ndtri(ALPHA / (2 * len(expected)))
    has_interval = ~np.isnan(found.lower) & ~found.is_open
    given = has_interval.any(axis=1)
    rules = [np.abs(z(scores)) > critical for z in (naive, unpaired, pooled)]
    return np.array(
        [
            found.wrong(is_null).any(axis=1).sum(),
            given.sum(),
            (given & ~(has_interval & found.misses(expected)).any(axis=1)).sum(),
            found.is_open.sum(),
            found.decided[:, ~is_null].sum(),
            *((x & is_null).any(axis=1).sum() for x in rules),
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
    sizes = cluster_sizes(setting)
    counts, correlations = np.zeros(8, dtype=np.intp), []
    further = np.zeros(2, dtype=np.intp)
    for size in chunks(setting, runs):
        if part == "runs":
            scores = draw_runs(setting, size, rng)
            found = of_tables([compare_these_items(x, ALPHA) for x in scores])
            expected = np.zeros(len(first))
        elif part == "tasks":
            found, expected, scores = tasks(setting, size, rng)
        else:
            scores = draw(setting, size, rng)
            found = rule_of(setting)(scores.mean(axis=2))
        counts += tally(found, expected, scores)
        values = scores.mean(axis=2)
        if part == "clusters":
            usual = by_clusters(values, sizes, 0.0)
            plain = by_clusters(values, sizes, is_corrected=False)
            further += [x.wrong(expected == 0).any(axis=1).sum() for x in (usual, plain)]
            correlations.append(_correlation(values[..., 0] - values[..., 1], sizes))
    usual_errors, plain_errors = further if part == "clusters" else (-1, -1)
    icc = round(float(np.mean(correlations)), 3) if correlations else np.nan
    return Counts(*counts.tolist(), int(usual_errors), int(plain_errors), icc, runs)


def draw_runs(setting: Setting, size: int, rng: np.random.Generator) -> Array:
    """Return answers (size, n, r, K) to fixed items, whose chances each model has in some order."""
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
        found.append(differences(scores[-1].mean(axis=2), cluster_sizes(own)))
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
LOGNORMAL = Setting("binary", 300, 20, "unequal", 0.0, 0.5, 1, 2, "equal")
FEW = 0.01  # of the studies: coverage is not written for fewer
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
            (
                Setting(law, n, j, sizes, icc, p, r, k, truth),
                FEW_RUNS,
            )
            for law, k, p, r, sizes, truth in CLUSTERED
            for n, j in CLUSTERS
            for icc in ICCS
            if r == 1 or n < 1000
        ]
    if part == "own":
        return [
            (Setting(law, n, n, "equal", 0.0, p, r, k, truth), FEWEST_RUNS)
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


Rows = dict[Setting, Counts]


def share(part: int, whole: int) -> str:
    """Write a share in per cent."""
    return f"{100 * part / whole:.1f}" if whole else "–"


def errors(setting: Setting, counts: Counts) -> str:
    """Write the share of studies with a false verdict; nothing where no two models are equal."""
    has_none = setting.n_models == 2 and setting.truth == "one better"
    return "–" if has_none else share(counts.errors, counts.runs)


def coverage(counts: Counts) -> str:
    """Write the share of studies with an interval in which all of them cover."""
    return share(counts.covered, counts.given) if counts.given >= FEW * counts.runs else "–"


def is_often_given(counts: Counts) -> bool:
    """Whether half of the studies have an interval."""
    return 2 * counts.given >= counts.runs


def misses(rows: Rows) -> Rows:
    """Return the settings in which an error rate or a coverage is clearly not as promised."""
    return {
        setting: counts
        for setting, counts in rows.items()
        if counts.errors > MOST * counts.runs + CLEAR * sqrt(MOST * (1 - MOST) * counts.runs)
        or (setting.n_clusters >= MANY and is_too_short(counts))
    }


def is_too_short(counts: Counts) -> bool:
    """Whether the intervals clearly cover less often than promised."""
    spread = CLEAR * sqrt(LEAST * (1 - LEAST) * counts.given)
    return counts.covered < LEAST * counts.given - spread


def table(head: Sequence[str], lines: Iterable[Sequence[object]], words: int = 1) -> str:
    """Write a table whose first columns are words."""
    rules = ["---"] * words + ["---:"] * (len(head) - words)
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (head, rules, *lines))


def score_table(rows: Rows) -> str:
    head = ["items", "right", *(f"{k} models" for k in MODELS), "z", "unpaired z"]
    lines = []
    for n in SIZES:
        for p in CHANCES:
            own = {
                s.n_models: (s, c)
                for s, c in rows.items()
                if (s.n, s.chance, s.truth) == (n, p, "equal")
            }
            two = own[2][1]
            lines.append(
                [n, f"{100 * p:g}%", *(errors(*own[k]) for k in MODELS)]
                + [share(x, two.runs) for x in (two.naive, two.unpaired)]
            )
    return table(head, lines, 0)


def score_coverage_table(rows: Rows) -> str:
    head = ["items", "right", *(f"{k} models, {truth}" for k in MODELS for truth in TRUTHS)]
    lines = []
    for n in SIZES:
        for p in CHANCES:
            own = {(s.n_models, s.truth): c for s, c in rows.items() if (s.n, s.chance) == (n, p)}
            cells = (coverage(own[k, truth]) for k in MODELS for truth in TRUTHS)
            lines.append([n, f"{100 * p:g}%", *cells])
    return table(head, lines, 0)


def kind(setting: Setting) -> str:
    """Say what the models of a setting are."""
    runs = f", {setting.n_runs} runs" if setting.n_runs > 1 else ""
    right = "right" if setting.law == "binary" else "graded, near"
    sizes = "" if setting.sizes == "equal" else ", unequal clusters"
    models = f"{setting.n_models} models"
    truth = {"equal": "equal", "one better": "one better", "one unlike": "one without clusters"}
    return f"{models}, {truth[setting.truth]}; {100 * setting.chance:g}% {right}{runs}{sizes}"


def cluster_tables(rows: Rows) -> str:
    sides: dict[str, dict[tuple[int, int], dict[float, tuple[Setting, Counts]]]] = {}
    for s, c in rows.items():
        sides.setdefault(kind(s), {}).setdefault((s.n, s.n_clusters), {})[s.icc] = (s, c)
    head = ["items", "clusters", *(f"ICC {icc:g}" for icc in ICCS)]
    parts = []
    for name, sizes in sides.items():
        lines = [
            [
                n,
                j,
                *(f"{errors(*own[i])} / {coverage(own[i][1])}" for i in ICCS),
            ]
            for (n, j), own in sizes.items()
        ]
        parts.append(f"{name[0].upper()}{name[1:]}:\n\n{table(head, lines, 0)}")
    return "\n\n".join(parts)


def other_rules_table(rows: Rows) -> str:
    head = ["clusters", "items", "number", *(f"ICC {icc:g}" for icc in ICCS)]
    lines = []
    for sizes in ("equal", "unequal"):
        for n, j in CLUSTERS:
            own = {
                s.icc: c
                for s, c in rows.items()
                if (s.law, s.chance, s.n_runs, s.n_models) == ("binary", 0.5, 1, 2)
                and (s.n, s.n_clusters, s.sizes, s.truth) == (n, j, sizes, "equal")
            }
            cells = (own[icc] for icc in ICCS)
            lines.append([sizes, n, j, *(
                " / ".join(share(x, c.runs) for x in (c.errors, c.usual, c.naive, c.unpaired))
                for c in cells
            )])  # fmt: skip
    return table(head, lines)


def correlation_table(rows: Rows) -> str:
    head = ["scores", *(f"ICC {icc:g}" for icc in ICCS)]
    found: dict[str, dict[float, float]] = {}
    for s, c in rows.items():
        if (s.n, s.n_clusters, s.sizes, s.truth, s.n_models) == (300, 60, "equal", "equal", 2):
            found.setdefault(kind(s).split("; ")[1], {})[s.icc] = c.icc
    return table(head, ([name, *(f"{own[i]:.2f}" for i in ICCS)] for name, own in found.items()))


def own_table(rows: Rows) -> str:
    head = ["scores", "items", "models", "equal: errors", "covers", "one better: covers",
            "pooled runs"]  # fmt: skip
    lines = []
    for s, c in rows.items():
        if s.truth == "equal":
            better = rows[replace(s, truth="one better")]
            lines.append([kind(s).split("; ")[1], s.n, s.n_models, errors(s, c), coverage(c),
                          coverage(better), share(c.pooled, c.runs)])  # fmt: skip
    return table(head, lines)


def runs_table(rows: Rows) -> str:
    head = ["items", "right", "runs", "models", "errors", "covers", "no interval", "pooled runs"]
    lines = [
        [s.n, f"{100 * s.chance:g}%", s.n_runs, s.n_models, errors(s, c), coverage(c),
         share(c.open_pairs, s.n_models * (s.n_models - 1) // 2 * c.runs), share(c.pooled, c.runs)]
        for s, c in rows.items()
    ]  # fmt: skip
    return table(head, lines, 0)


def tasks_table(rows: Rows) -> str:
    head = ["scores", "items", "clusters", "ICC", "models", "equal: errors", "covers",
            "one better: covers", "z of all items"]  # fmt: skip
    lines = []
    for s, c in rows.items():
        if s.truth == "equal":
            better = rows[replace(s, truth="one better")]
            lines.append([kind(s).split("; ")[1], s.n, s.n_clusters, f"{s.icc:g}", s.n_models,
                          errors(s, c), coverage(c), coverage(better),
                          share(c.naive, c.runs)])  # fmt: skip
    return table(head, lines)


def exceptions_table(rows: Rows) -> str:
    head = ["models", "items", "clusters", "ICC", "errors", "covers", "not corrected"]
    lines = [
        [kind(s), s.n, s.n_clusters, f"{s.icc:g}", errors(s, c), share(c.covered, c.given),
         share(c.plain, c.runs) if c.plain >= 0 else "–"]
        for s, c in rows.items()
    ]  # fmt: skip
    return table(head, lines)


def page() -> str:
    """Write the page from the counts."""
    parts = {part: read(part) for part in PARTS}
    every = {(part, s): c for part, rows in parts.items() for s, c in rows.items()}
    symmetric = {k: c for k, c in every.items() if k[1].truth != "one unlike"}
    worst = max(c.errors / c.runs for c in symmetric.values())
    usual = max(c.usual / c.runs for k, c in symmetric.items() if k[0] == "clusters")
    failed = {part: misses(rows) for part, rows in parts.items()}
    unlike = {s: c for s, c in failed["clusters"].items() if s.truth == "one unlike"}
    seldom = {
        s: c
        for rows in failed.values()
        for s, c in rows.items()
        if s not in unlike and c.given >= FEW * c.runs
    }
    three = [(s, c) for s, c in parts["tasks"].items() if (s.n_models, s.truth) == (2, "equal")]
    lognormal = cluster_sizes(LOGNORMAL)
    most_of_three = max(c.errors / c.runs for _, c in three)
    return f"""# Size and coverage of comparisons of items

This page is written by `validation/items/study.py` from the counts beside it: {FEWEST_RUNS:,} to
{RUNS:,} simulated studies a number, each setting with its own seed.

Scores come from latent normal ones. Half of the variance between clusters, and half of that between
items, is common to all models; {100 * NOISE:.0f}% of what is left within clusters differs from run
to run. An item is right where the latent score is positive; a grade is its normal probability. A
model that is better has a latent mean that is {SHIFT:g} standard deviations higher. Errors are
studies with any false verdict, at a promised {100 * ALPHA:.0f}%; coverage is the share of the
studies with an interval in which all of them cover, "–" where fewer than {100 * FEW:.0f}% of the
studies have one: a pair that is equal in all clusters, or in all grades, has none.

Where models are equal, or their differences symmetric, the largest error is {100 * worst:.1f}%.

## Right or wrong, one run, no clusters

Tango's score interval at 5% over the number of pairs, no stronger at 0 than McNemar's mid-p. Per
cent of studies with a false verdict; of two models also the errors of z of the paired differences
and of z of two samples, which takes no notice that the items are the same.

{score_table(parts["score"])}

Coverage: every pair has an interval, however few items differ.

{score_coverage_table(parts["score"])}

## Clusters

CR2 standard errors with Satterthwaite's degrees of freedom, *t* corrected for the skewness of the
clusters' sums, by Bonferroni. Errors / coverage, in per cent, by the correlation (ICC) of the
latent scores of one model within a cluster. Unequal clusters have the sizes of lognormal quantiles:
of 20 clusters of 300 items the largest has {lognormal.max()}, the smallest {lognormal.min()}.

{cluster_tables(parts["clusters"])}

Other rules on the same studies, two equal models that are right in half of the items: errors by the
rule / with degrees of freedom that presume independent items / of z of paired differences / of z of
two samples.

{other_rules_table(parts["clusters"])}

The usual degrees of freedom, of independent items, err in up to {100 * usual:.1f}% where sizes are
very unequal. Those here presume a correlation of {WORKING_CORRELATION:g} between items of a
cluster; with equal sizes both are the number of clusters less one.

What matters is the correlation of differences, which is smaller than that of scores; 300 items in
60 clusters:

{correlation_table(parts["clusters"])}

## Grades, and means of several runs

Each pair by its own variance, corrected for skewness, with the joint law of all pairs from 50 items
on ([Size and coverage](size-and-coverage.md)). Beside it z of all runs as if each were an item.

{own_table(parts["own"])}

## These very items

Repeated runs of fixed items, models of the same mean whose items have other chances: Student's t by
the noise of the runs; fewer than {FEWEST_NONZERO} runs that differ leave a pair open. Nothing is
said of other items, so that z of all runs, which looks at the spread between items, is of no use:
here it errs too rarely, above too often.

{runs_table(parts["runs"])}

## These tasks

Three tasks of 20%, 30% and 50% of the items, the middle one as easy as said, the others harder and
easier by half a standard deviation; the mean of the three differences. Two equal models have a
verdict in at most {100 * most_of_three:.1f}% of the studies. Beside it z of the items of all tasks
as one sample.

{tasks_table(parts["tasks"])}

## Where this does not hold

Errors above {100 * MOST:.0f}%, or coverage below {100 * LEAST:.0f}% with {MANY} clusters or more,
by more than {CLEAR:.0f} Monte Carlo standard errors:

**One model fails whole clusters, the other single items.** Of two models with the same mean the
first has the correlation that is said, the second none. A few clusters then make all of the
difference, on one side: the difference is skewed, and the t of few clusters errs more often than is
promised, with the correction less so than without (the last column).

{exceptions_table(unlike)}

**Few units that differ.** Where hardly any unit shows a difference, what was not seen is not
covered.

{exceptions_table(seldom)}
"""


if __name__ == "__main__":
    wanted = PARTS if sys.argv[1:] == ["all"] else sys.argv[1:]
    for part in wanted:
        measure(part)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
