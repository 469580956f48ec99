"""How often gates err and what they find, beside the rules of other programs, by simulation.

    python validation/gates/study.py [runs]

Measures anew, writes `cells.csv` and `alarms.csv` beside this file, and docs/gates-size.md from
them; without an argument only the page is written. 4,000 runs take about two minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from math import log, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.skewness import adjusted_skewness, reach

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rule = Callable[[Array, Array], Flags]

HERE = Path(__file__).parent
CELLS, ALARMS = HERE / "cells.csv", HERE / "alarms.csv"
PAGE = HERE.parents[1] / "docs" / "gates-size.md"
SEED, ALPHA, MOST = 24, 0.05, 0.064
SIZES = (20, 50, 100)  # replications
COUNTS = (1, 5, 20, 50)  # distinct contrasts: candidates x data sets
N_STAGES, STAGE = 5, 20
CHUNK = 500  # runs at a time
FACTOR = 1.1
N_BENCHMARKS, ROUNDS = 20, 30
SLOWER = (1.0, 1.05, 1.2, 1.5, 2.5)
NOISES = (0.05, 0.3)  # coefficients of variation of a time
DRIFT = 0.1  # standard deviation of the logarithm of a machine's speed from job to job
ASV_P = 0.002


@dataclass(frozen=True, slots=True)
class Cell:
    """How many runs have a wrong pass or fail.

    Attributes
    ----------
    noise : str
    n, m : int
        Replications, and contrasts.
    passes, fails, either : int
        Runs with a wrong pass, a wrong fail, any of the two.
    runs : int
    """

    noise: str
    n: int
    m: int
    passes: int
    fails: int
    either: int
    runs: int


@dataclass(frozen=True, slots=True)
class Alarm:
    """How many runs a rule raises an alarm in.

    Attributes
    ----------
    design : str
        Whether both versions are measured side by side, or in jobs of their own.
    noise, slower : float
        Coefficient of variation; by which factor one benchmark of the new version is slower.
    rule : str
    alarms, runs : int
    """

    design: str
    noise: float
    slower: float
    rule: str
    alarms: int
    runs: int


# ------------------------------------------------------------------------- false outcomes


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return noise of both candidates, of one variance."""
    return rng.normal(size=(*shape, 2))


def skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return exponential noise, whose scale differs: differences have the skewness 1.25."""
    return (rng.exponential(size=(*shape, 2)) - 1) * [1.0, 0.5]


def heteroscedastic(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return normal noise whose scale differs between candidates, and from replication to other."""
    scale = rng.choice([1.0, 3.0], size=(*shape, 1))
    return rng.normal(size=(*shape, 2)) * scale * [1.0, 2.0]


LAWS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "normal": normal,
    "skewed": skewed,
    "heteroscedastic": heteroscedastic,
}


def decisions(differences: Array, bound: float | Array, n_comparisons: int) -> tuple[Flags, Flags]:
    """Return which gates pass and fail by differences (…, n) that are claimed to lie below a bound.

    The rule of `contrast_of`, for many gates at once; a test holds them against each other.
    """
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    errors = differences - mean[..., None]
    squares = (errors**2).sum(axis=-1)
    standard_error = np.sqrt(squares / (n - 1) / n)
    counts = np.full(mean.shape, n)
    lean = adjusted_skewness(squares / n, (errors**3).mean(axis=-1), counts) / np.sqrt(n)
    critical = np.broadcast_to(
        t_quantile(ALPHA / (2 * n_comparisons), np.array(n - 1.0)), mean.shape
    )
    below, above = reach(critical, lean)
    return mean + above * standard_error < bound, mean - below * standard_error > bound


def chunks(runs: int) -> Iterator[int]:
    """Yield sizes of parts that fit into memory."""
    yield from [CHUNK] * (runs // CHUNK) + [runs % CHUNK] * bool(runs % CHUNK)


def false_outcomes(noise: str, n: int, m: int, runs: int, rng: np.random.Generator) -> Cell:
    """Count the runs of m claims at their bound: whatever is decided there errs.

    Half of the claims are "new better than main", of equal candidates, the others "new not worse
    than main by 0.5", of a new one that is worse by just that.
    """
    counts = np.zeros(3, dtype=int)
    bounds = 0.5 * (np.arange(m) % 2)
    for size in chunks(runs):
        values = LAWS[noise](rng, (size, m, n))
        differences = values[..., 0] + bounds[:, None] - values[..., 1]
        passes, fails = decisions(differences, bounds, m)
        counts += [x.any(axis=1).sum() for x in (passes, fails, passes | fails)]
    return Cell(noise, n, m, *counts.tolist(), runs)


def by_stages(noise: str, m: int, runs: int, rng: np.random.Generator) -> Cell:
    """Count the runs of an execution that stops at the stage that decides first."""
    counts = np.zeros(3, dtype=int)
    for size in chunks(runs):
        values = LAWS[noise](rng, (size, m, N_STAGES * STAGE))
        differences = values[..., 0] - values[..., 1]
        is_over, outcomes = np.zeros(size, dtype=bool), np.zeros((2, size), dtype=bool)
        for stage in range(1, N_STAGES + 1):
            found = decisions(differences[..., : stage * STAGE], 0.0, m * N_STAGES)
            own = np.array([x.any(axis=1) for x in found])
            outcomes |= own & ~is_over
            is_over |= own.any(axis=0)
        counts += [*outcomes.sum(axis=1), is_over.sum()]
    return Cell(f"{noise}, in stages", N_STAGES * STAGE, m, *counts.tolist(), runs)


# --------------------------------------------------------------------------------- alarms


def by_mean(ratio: float) -> Rule:
    """Return the rule that an increase of the mean is an alarm."""
    return lambda new, main: new.mean(axis=-1) > ratio * main.mean(axis=-1)


def by_median(new: Array, main: Array) -> Flags:
    """Return asv's rule: a factor between the medians, where a rank test at 0.2% rejects."""
    is_slower = np.median(new, axis=-1) > FACTOR * np.median(main, axis=-1)
    p = mannwhitneyu(new, main, axis=-1, method="asymptotic").pvalue
    return np.asarray(is_slower & (p < ASV_P))


def by_failing(new: Array, main: Array) -> Flags:
    """Return which gates "new not worse than main by 1.1" fail."""
    return decisions(np.log(new / main), log(FACTOR), N_BENCHMARKS)[1]


def by_not_passing(new: Array, main: Array) -> Flags:
    """Return which of them do not pass."""
    return ~decisions(np.log(new / main), log(FACTOR), N_BENCHMARKS)[0]


FAILS, PASSES_NOT = "gate: not worse by 1.1, fails", "the same, `on_undecided: fail`"
RULES: Mapping[str, Rule] = {
    FAILS: by_failing,
    PASSES_NOT: by_not_passing,
    "pytest-benchmark, `mean:10%`": by_mean(1.1),
    "github-action-benchmark, 200%": by_mean(2.0),
    "asv, factor 1.1": by_median,
}


def alarms(
    design: str, noise: float, slower: float, runs: int, rng: np.random.Generator
) -> Iterable[Alarm]:
    """Count the runs of 20 benchmarks in which a rule raises an alarm on any.

    Times are lognormal; of one benchmark the new version is slower. In jobs of their own both
    versions have the speed of another machine.
    """
    sigma = sqrt(log(1 + noise**2))
    counts = dict.fromkeys(RULES, 0)
    for size in chunks(runs):
        new, main = rng.lognormal(sigma=sigma, size=(2, size, N_BENCHMARKS, ROUNDS))
        new[:, 0] *= slower
        if design != "side by side":
            new *= np.exp(DRIFT * sqrt(2) * rng.normal(size=(size, 1, 1)))
        for name, rule in RULES.items():
            counts[name] += int(rule(new, main).any(axis=-1).sum())
    return [Alarm(design, noise, slower, name, n, runs) for name, n in counts.items()]


# ----------------------------------------------------------------------------------- page


def measure(runs: int) -> None:
    """Measure everything anew."""
    rng = np.random.default_rng(SEED)
    cells = [
        false_outcomes(noise, n, m, runs, rng) for noise in LAWS for n in SIZES for m in COUNTS
    ]
    cells += [by_stages(noise, m, runs, rng) for noise in LAWS for m in COUNTS[:2]]
    write(CELLS, cells)
    write(
        ALARMS,
        [
            alarm
            for design in ("side by side", "jobs of their own")
            for noise in NOISES
            for slower in SLOWER
            for alarm in alarms(design, noise, slower, runs, rng)
        ],
    )


def write(path: Path, rows: Iterable[Cell] | Iterable[Alarm]) -> None:
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(rows[0])])
        writer.writerows(map(astuple, rows))


def read_cells() -> list[Cell]:
    with CELLS.open(encoding="utf-8", newline="") as file:
        rows = [(row.pop("noise"), map(int, row.values())) for row in csv.DictReader(file)]
    return [Cell(noise, *numbers) for noise, numbers in rows]


def read_alarms() -> list[Alarm]:
    with ALARMS.open(encoding="utf-8", newline="") as file:
        return [
            Alarm(
                row["design"],
                float(row["noise"]),
                float(row["slower"]),
                row["rule"],
                int(row["alarms"]),
                int(row["runs"]),
            )
            for row in csv.DictReader(file)
        ]


def page() -> str:
    """Write the page from the counts."""
    cells, found = read_cells(), read_alarms()
    fixed = [cell for cell in cells if "stages" not in cell.noise]
    staged = [cell for cell in cells if "stages" in cell.noise]
    worst, other = (
        max(c.either / c.runs for c in cells if c.noise.startswith("skewed") == is_skewed)
        for is_skewed in (True, False)
    )
    runs = cells[0].runs
    return f"""# Size and power of gates

This page is written by `validation/gates/study.py` from `cells.csv` and `alarms.csv` beside it:
{runs:,} runs a number. [Continuous integration](ci.md#gates) says what a gate is.

## False outcomes

Per cent of runs in which any claim holds or fails wrongly, at a promised 5%. Every claim is
at its bound, where each decision errs: half are "new better than main" of candidates that are
equal, half "new not worse than main by 0.5" of a new one that is worse by just that. The contrasts
of a run are independent, the worst case. Noise is normal; skewed (exponential, of scales that
differ, so that differences have the skewness 1.25); or heteroscedastic (its scale differs between
candidates and from replication to replication). The largest is {100 * worst:.1f}%: of skewed
differences, many contrasts and few replications; of the others it is {100 * other:.1f}%.

{size_table(fixed)}

An execution in stages, which stops with the first gate that is decided, at most five stages of
{STAGE} replications:

{size_table(staged)}

The intervals are those of a report's verdicts (*t* of the pair's own differences, corrected for
skewness), at the share of 5% that each contrast has. The far tails that many contrasts ask for rest
on a skewness that is itself estimated. A margin for that, which versions before had, holds skewed
differences at 5%, and makes all intervals of 12 replications and fewer about twice as wide. Reports
say where more than 5% are to be expected.

## Alarms, beside the rules of other programs

Per cent of {runs:,} runs with an alarm on any of {N_BENCHMARKS} benchmarks, {ROUNDS} times each,
lognormal with the given coefficient of variation. In the first column nothing has changed, in the
second one benchmark of the new version takes 1.05 times as long, which a claim of 1.1 allows:
alarms are false. From the third on they are right. Times of pytest-benchmark and
github-action-benchmark are compared by their means, those of asv by medians, if a rank test rejects
at 0.2%.

{alarm_tables(found)}

A threshold of the mean errs as often as the noise lets it: with little noise never, with much in
most runs, unless it is so high that it finds nothing else. asv's rule errs rarely and finds more
than a gate, but promises no rate: it tests whether anything differs, not whether the factor is
above 1.1, and each benchmark by itself. What a gate cannot prove it leaves undecided: 30 times in
noise of 30% are too few for 20 claims. `on_undecided: fail` asks for a proof that each benchmark is
not slower, and stops where values are too few for that.

No rule helps where the versions are measured in jobs of their own, on machines whose speed differs
by {100 * DRIFT:.0f}%: a gate speaks of the jobs that it was given. Measure both versions in one
job, in turn.
"""


def size_table(cells: list[Cell]) -> str:
    counts = sorted({cell.m for cell in cells})
    head = " | ".join(f"{m} contrast{'s' if m > 1 else ''}" for m in counts)
    lines = [f"| noise | replications | {head} |", f"| --- | ---: |{' ---: |' * len(counts)}"]
    for noise, n in dict.fromkeys((cell.noise, cell.n) for cell in cells):
        own = {cell.m: cell for cell in cells if (cell.noise, cell.n) == (noise, n)}
        rates = " | ".join(f"{100 * own[m].either / own[m].runs:.1f}" for m in counts)
        lines.append(f"| {noise} | {n} | {rates} |")
    return "\n".join(lines)


def alarm_tables(found: list[Alarm]) -> str:
    parts = []
    for design in dict.fromkeys(alarm.design for alarm in found):
        words = {"side by side": "Both versions in one job, in turn:"}
        parts.append(words.get(design, "Each version in a job of its own:"))
        head = " | ".join("as before" if x == 1 else f"× {x:g}" for x in SLOWER)
        lines = [f"| noise | rule | {head} |", f"| ---: | --- |{' ---: |' * len(SLOWER)}"]
        for noise in NOISES:
            for rule in RULES:
                own = {
                    a.slower: 100 * a.alarms / a.runs
                    for a in found
                    if (a.design, a.noise, a.rule) == (design, noise, rule)
                }
                rates = " | ".join(f"{own[x]:.1f}" for x in SLOWER)
                lines.append(f"| {100 * noise:.0f}% | {rule} | {rates} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
