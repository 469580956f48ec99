"""How often sequential procedures err, and how many replications they take, by simulation.

    python validation/sequential-size/study.py [runs]

Measures anew, writes `cells.csv`, `skewed.csv` and `closed.csv` beside this file and
docs/sequential-size.md from them; without an argument only the page is written. 3000 runs take
about twenty minutes of processor time.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from math import exp, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.permutation.block_sums import Alternative
from reportgen.stats.sequential.anytime import sign_process
from reportgen.stats.sequential.group import group_boundaries
from reportgen.stats.sequential.paths import SequentialPath, corrected_t_path, paired_t_path
from reportgen.stats.sequential.stages import PairStages, StagePlan, judged

Array = NDArray[np.float64]
Outcome = tuple[NDArray[np.bool_], Array]  # whether each run rejects, replications it used

HERE = Path(__file__).parent
CELLS, SKEWED, CLOSED = HERE / "cells.csv", HERE / "skewed.csv", HERE / "closed.csv"
PAGE = HERE.parents[1] / "docs" / "sequential-size.md"
SEED, ALPHA = 12, 0.05
N_STAGES, STAGE = 5, 50
MOST = N_STAGES * STAGE
FAR = 3.0  # standard errors within which a rate holds its promise
N_DATA = 100  # observations of a data set that is resampled


@dataclass(frozen=True, slots=True)
class Cell:
    """One procedure in one scenario.

    Attributes
    ----------
    scenario, procedure : str
    rejects, runs : int
    replications : float
        Mean number that was used.
    """

    scenario: str
    procedure: str
    rejects: int
    runs: int
    replications: float

    @property
    def rate(self) -> float:
        """Share of the runs that reject."""
        return self.rejects / self.runs

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate, never quite 0."""
        return sqrt(max(self.rate * (1 - self.rate), ALPHA * (1 - ALPHA) / 10) / self.runs)


# ------------------------------------------------------------------------------ procedures


def staged(**more: str) -> Callable[[Array], Outcome]:
    """Return a two-sided recursive combination test of stages."""
    plan = StagePlan(N_STAGES, ALPHA, **more)  # type: ignore[arg-type]

    def run(d: Array) -> Outcome:
        stages = d.reshape(-1, STAGE)
        shape = (len(d), N_STAGES)
        less, greater = (
            plan.follow(stages, STAGE, side).p_values[:, 0].reshape(shape)  # type: ignore[arg-type]
            for side in ("less", "greater")
        )
        found = [
            PairStages(*both).difference(plan, ALPHA) for both in zip(less, greater, strict=True)
        ]
        rejects = np.array([outcome.decision == "reject" for outcome in found])
        return rejects, STAGE * np.array([float(outcome.stage) for outcome in found])

    return run


def group(shape: str) -> Callable[[Array], Outcome]:
    """Return a group sequential t test, corrected for skewness."""
    upper = group_boundaries(N_STAGES, ALPHA, shape).upper  # type: ignore[arg-type]

    def run(d: Array) -> Outcome:
        looks = np.arange(STAGE, MOST + 1, STAGE)
        p_values = corrected_t_path(d, STAGE, at=looks).p_values
        return first(p_values <= 2 * ndtr(-upper), STAGE * np.arange(1.0, N_STAGES + 1))

    return run


def naive(d: Array) -> Outcome:
    """Stop at the first p-value below alpha, from 10 replications on."""
    track = paired_t_path(d, 10)
    return first(track.p_values <= ALPHA, track.n.astype(float))


def naive_stages(d: Array) -> Outcome:
    """Stop at the first stage after which all replications so far have p below alpha."""
    p_values = paired_t_path(d, STAGE).p_values[:, ::STAGE]
    return first(p_values <= ALPHA, STAGE * np.arange(1.0, N_STAGES + 1))


def fixed(d: Array) -> Outcome:
    """Use all replications."""
    rejects = corrected_t_path(d, MOST).p_values[:, 0] <= ALPHA
    return rejects, np.full(len(d), float(MOST))


def first(is_over: NDArray[np.bool_], n: Array) -> Outcome:
    """Return whether any look rejects, and the replications until then."""
    rejects = is_over.any(axis=1)
    return rejects, np.where(rejects, n[is_over.argmax(axis=1)], float(MOST))


def decided(at: Array) -> Outcome:
    """Return whether, and when, a procedure that may stop at any time has rejected."""
    return np.isfinite(at), np.minimum(at, float(MOST))


PROCEDURES: Mapping[str, Callable[[Array], Outcome]] = {
    "stages, t, Fisher, O'Brien-Fleming": staged(),
    "stages, signed ranks, Fisher, O'Brien-Fleming": staged(test="wilcoxon"),
    "stages, sign, Fisher, O'Brien-Fleming": staged(test="sign"),
    "stages, permutation, Fisher, O'Brien-Fleming": staged(test="permutation"),
    "stages, t, Fisher, Pocock": staged(test="t", rule="pocock"),
    "stages, t, Fisher, constant rule (6.3.2)": staged(test="t", rule="constant"),
    "stages, t, Fisher, narrowing rule (6.4)": staged(test="t", rule="narrowing"),
    "stages, t, Fisher, constant rule, left open": staged(test="t", rule="constant", final="open"),
    "stages, t, inverse normal, O'Brien-Fleming": staged(test="t", combination="inverse-normal"),
    "group sequential t, O'Brien-Fleming": group("obrien-fleming"),
    "group sequential t, Pocock": group("pocock"),
    "sign e-process": lambda d: decided(sign_process(d).decided_at(ALPHA)),
    "fixed design, t": fixed,
    "naive: t after each replication": naive,
    "naive: t after each stage": naive_stages,
}
"""The last two promise nothing."""

UNPROMISED = ("naive: t after each replication", "naive: t after each stage")


# ------------------------------------------------------------------------------- scenarios


def _lognormal(sigma: float) -> tuple[float, Callable[..., Array]]:
    """Return the skewness, and draws of mean 0 and variance 1."""
    grown = exp(sigma**2)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        drawn = rng.lognormal(sigma=sigma, size=shape)
        return (drawn - sqrt(grown)) / sqrt(grown * (grown - 1))

    return (grown + 2) * sqrt(grown - 1), draw


def normal(delta: float) -> Callable[[np.random.Generator, int], Array]:
    """Return independent normal differences."""
    return lambda rng, runs: rng.normal(delta, 1.0, (runs, MOST))


def heavy_tailed(rng: np.random.Generator, runs: int) -> Array:
    """Return independent differences of two exponential values: they are symmetric."""
    return rng.exponential(1.0, (runs, MOST)) - rng.exponential(1.0, (runs, MOST))


def resampled(is_conditional: bool) -> Callable[[np.random.Generator, int], Array]:
    """Return differences of out-of-bag errors over bootstrap samples of one data set a run.

    A candidate splits one of two exchangeable inputs between the means of the
    classes. Given the data set, one input happens to be the better one; candidates
    that toss a coin for their input in every replication are alike all the same.
    """

    def draw(rng: np.random.Generator, runs: int) -> Array:
        return np.stack([_one_data_set(rng, is_conditional) for _ in range(runs)])

    return draw


def _one_data_set(rng: np.random.Generator, is_conditional: bool) -> Array:
    labels = np.arange(N_DATA) % 2
    inputs = rng.normal(size=(N_DATA, 2)) + labels[:, None]
    weights = rng.multinomial(N_DATA, np.full(N_DATA, 1 / N_DATA), MOST).astype(float)
    is_out = weights == 0
    sums = [(weights * (labels == c)) @ inputs for c in (0, 1)]
    sizes = [(weights * (labels == c)).sum(axis=1, keepdims=True) for c in (0, 1)]
    cuts = (sums[0] / sizes[0] + sums[1] / sizes[1]) / 2
    wrong = (inputs[None] > cuts[:, None, :]) != labels[None, :, None]
    errors = (wrong * is_out[..., None]).sum(axis=1) / is_out.sum(axis=1, keepdims=True)
    if not is_conditional:
        return np.asarray(errors[:, 0] - errors[:, 1])
    coins = rng.integers(2, size=(2, MOST))
    rows = np.arange(MOST)
    return np.asarray(errors[rows, coins[0]] - errors[rows, coins[1]])


SCENARIOS: Mapping[str, Callable[[np.random.Generator, int], Array]] = {
    "no difference, normal": normal(0.0),
    "no difference, heavy tails, symmetric": heavy_tailed,
    "one data set, no difference on it": resampled(is_conditional=True),
    "one data set, no difference over data sets": resampled(is_conditional=False),
    "0.1 standard deviations": normal(0.1),
    "0.2 standard deviations": normal(0.2),
    "0.4 standard deviations": normal(0.4),
}
NULLS = tuple(SCENARIOS)[:3]
PROCESS = "one data set, no difference over data sets"
POWERS = tuple(SCENARIOS)[4:]


def simulate(runs: int) -> Iterator[Cell]:
    """Measure every procedure in every scenario."""
    for place, (scenario, draw) in enumerate(SCENARIOS.items()):
        d = draw(np.random.default_rng([SEED, place]), runs)
        for name, procedure in PROCEDURES.items():
            rejects, used = procedure(d)
            yield Cell(scenario, name, int(rejects.sum()), runs, float(used.mean()))


# ---------------------------------------------------------------------- skewed differences

SIZES = (25, 50, 100)  # replications of a stage
SHIFT = 0.1  # a mean that is not 0, in standard deviations
AREA, OUTSIDE = 0.25, 0.3  # a limit of equivalence, and a mean outside

LAWS: Mapping[str, tuple[float, Callable[[np.random.Generator, tuple[int, int]], Array]]] = {
    "normal": (0.0, lambda rng, shape: rng.standard_normal(shape)),
    "gamma(16)": (0.5, lambda rng, shape: (rng.gamma(16, size=shape) - 16) / 4),
    "gamma(4)": (1.0, lambda rng, shape: (rng.gamma(4, size=shape) - 4) / 2),
    "exponential": (2.0, lambda rng, shape: rng.exponential(size=shape) - 1),
    **{f"lognormal({sigma:g})": _lognormal(sigma) for sigma in (0.25, 0.5, 0.8)},
}
"""Skewness, and draws of mean 0 and variance 1."""

TESTS: Mapping[str, Callable[[Array, int, Alternative], SequentialPath]] = {
    "t": StagePlan(N_STAGES).follow,
    "t, not corrected": paired_t_path,
    "signed ranks": StagePlan(N_STAGES, test="wilcoxon").follow,
    "signs": StagePlan(N_STAGES, test="sign").follow,
}


@dataclass(frozen=True, slots=True)
class SkewedCell:
    """What the default design finds, with one test in its stages.

    Attributes
    ----------
    law : str
    size : int
        Replications of a stage.
    test : str
    less, greater : int
        Runs that find a difference of this direction though the mean is 0.
    wrong, right : int
        Runs that find a direction where the mean is `SHIFT`.
    at_limit, outside : int
        Runs that find equivalence where the mean is `AREA` or `OUTSIDE`.
    runs : int
    """

    law: str
    size: int
    test: str
    less: int
    greater: int
    wrong: int
    right: int
    at_limit: int
    outside: int
    runs: int

    @property
    def rate(self) -> float:
        """Share of the runs that find a difference where there is none."""
        return (self.less + self.greater) / self.runs

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate, never quite 0."""
        return sqrt(max(self.rate * (1 - self.rate), ALPHA * (1 - ALPHA) / 10) / self.runs)


def simulate_skewed(runs: int) -> Iterator[SkewedCell]:
    """Measure the default design with several tests under every law."""
    for place, (law, (_, draw)) in enumerate(LAWS.items()):
        for size in SIZES:
            d = draw(np.random.default_rng([SEED, 100 + place, size]), (runs, N_STAGES * size))
            for test in TESTS:
                yield skewed_cell(law, size, test, d)


def skewed_cell(law: str, size: int, test: str, d: Array) -> SkewedCell:
    """Ask both questions of differences of mean 0, and of the same moved."""
    found = [
        [direction(pair) for pair in pairs_of(d + shift, size, test)] for shift in (0.0, SHIFT)
    ]
    equal = [
        sum(is_equivalent(pair) for pair in pairs_of(d + shift, size, test, AREA))
        for shift in (AREA, OUTSIDE)
    ]
    counts = [row.count(side) for row in found for side in ("less", "greater")]
    return SkewedCell(law, size, test, *counts, *equal, len(d))


def pairs_of(d: Array, size: int, test: str, area: float | None = None) -> list[PairStages]:
    """Return the p-values of the stages of each run."""

    def tails(side: Alternative, shift: float) -> Array:
        stages = (d - shift).reshape(-1, size)
        return TESTS[test](stages, size, side).p_values[:, 0].reshape(len(d), N_STAGES)

    if area is None:
        both = tails("less", 0.0), tails("greater", 0.0)
        return [PairStages(*pair) for pair in zip(*both, strict=True)]
    limits = tails("greater", -area), tails("less", area)
    return [PairStages(up, down, up, down) for up, down in zip(*limits, strict=True)]


def direction(pair: PairStages) -> str | None:
    """Return the direction of the difference that a run finds."""
    return pair.difference(StagePlan(N_STAGES), ALPHA).direction


def is_equivalent(pair: PairStages) -> bool:
    """Return whether a run finds equivalence."""
    return pair.equivalence(StagePlan(N_STAGES), ALPHA).decision == "reject"


# -------------------------------------------------------------------------- closed testing

CLOSED_LAWS = ("normal", "exponential", "lognormal(0.5)")
CLOSED_SIZES = (25, 50)
DEVIATIONS: Mapping[str, tuple[float, ...]] = {
    "1, 1, 1, 10": (1, 1, 1, 10),
    "1, 4, 16, 64": (1, 4, 16, 64),
}
"""Standard deviations of the candidates, who are independent."""
MEANS: Mapping[str, tuple[int, ...]] = {
    "all equal": (0, 0, 0, 0),
    "first apart": (1, 0, 0, 0),
    "two and two": (0, 0, 1, 1),
}
"""Which means are equal; those that are not are far from each other."""
APART = 1e4


@dataclass(frozen=True, slots=True)
class ClosedCell:
    """How often closed testing of four candidates in stages errs.

    Attributes
    ----------
    law, deviations, means : str
    size : int
        Replications of a stage.
    wrong, runs : int
        Runs that find a difference of candidates whose means are equal.
    """

    law: str
    deviations: str
    means: str
    size: int
    wrong: int
    runs: int

    @property
    def rate(self) -> float:
        """Family-wise error."""
        return self.wrong / self.runs

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate, never quite 0."""
        return sqrt(max(self.rate * (1 - self.rate), ALPHA * (1 - ALPHA) / 10) / self.runs)


def simulate_closed(runs: int) -> Iterator[ClosedCell]:
    """Measure closed testing under every law, variances and means."""
    for i, law in enumerate(CLOSED_LAWS):
        for j, deviations in enumerate(DEVIATIONS):
            for k, means in enumerate(MEANS):
                for size in CLOSED_SIZES:
                    rng = np.random.default_rng([SEED, 200, i, j, k, size])
                    yield closed_cell(law, deviations, means, size, runs, rng)


def closed_cell(
    law: str, deviations: str, means: str, size: int, runs: int, rng: np.random.Generator
) -> ClosedCell:
    """Count the runs in which a pair of equal means is found to differ."""
    _, draw = LAWS[law]
    sds, groups = np.array(DEVIATIONS[deviations]), np.array(MEANS[means])
    pairs = list(combinations(range(len(groups)), 2))
    is_equal = [groups[i] == groups[j] for i, j in pairs]
    ends = tuple(range(size, N_STAGES * size + 1, size))
    plan = StagePlan(N_STAGES, ALPHA, multiplicity="closed")
    wrong = 0
    for _ in range(runs):
        values = APART * groups + sds * draw(rng, (ends[-1], len(groups)))
        last = judged(values, pairs, ends, plan)[-1]
        wrong += any(a.shown for a, equal in zip(last, is_equal, strict=True) if equal)
    return ClosedCell(law, deviations, means, size, wrong, runs)


# ------------------------------------------------------------------------------------ page


def read() -> dict[tuple[str, str], Cell]:
    """Return the cells that were measured."""
    with CELLS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    cells = [Cell(s, p, int(k), int(n), float(used)) for s, p, k, n, used in rows]
    return {(cell.scenario, cell.procedure): cell for cell in cells}


def write(cells: Iterator[Cell]) -> None:
    """Write the cells."""
    with CELLS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Cell)])
        for cell in cells:
            writer.writerow([*astuple(cell)[:4], f"{cell.replications:.1f}"])


def read_skewed() -> dict[tuple[str, int, str], SkewedCell]:
    """Return the cells of skewed differences that were measured."""
    with SKEWED.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    cells = [SkewedCell(row[0], int(row[1]), row[2], *map(int, row[3:])) for row in rows]
    return {(cell.law, cell.size, cell.test): cell for cell in cells}


def write_skewed(cells: Iterator[SkewedCell]) -> None:
    """Write the cells of skewed differences."""
    with SKEWED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(SkewedCell)])
        writer.writerows(astuple(cell) for cell in cells)


def read_closed() -> list[ClosedCell]:
    """Return the cells of closed testing that were measured."""
    with CLOSED.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [ClosedCell(row[0], row[1], row[2], *map(int, row[3:])) for row in rows]


def write_closed(cells: Iterator[ClosedCell]) -> None:
    """Write the cells of closed testing."""
    with CLOSED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(ClosedCell)])
        writer.writerows(astuple(cell) for cell in cells)


def page(
    cells: Mapping[tuple[str, str], Cell],
    skewed: Mapping[tuple[str, int, str], SkewedCell],
    closed: list[ClosedCell],
) -> str:
    """Write the page in Markdown."""
    runs = next(iter(cells.values())).runs
    broken = [
        f"{cell.procedure} ({cell.scenario}: {100 * cell.rate:.1f}%)"
        for cell in cells.values()
        if cell.scenario in NULLS
        and cell.procedure not in UNPROMISED
        and cell.rate > ALPHA + FAR * cell.error
    ]
    told = "none" if not broken else "; ".join(broken)
    worst = max(cells[PROCESS, name].rate for name in PROCEDURES)
    least = min(cells[PROCESS, name].rate for name in PROCEDURES)
    return f"""\
# Size and power of sequential procedures

How often two-sided procedures at 5% reject, and how many of at most {MOST} replications they take,
in {runs:,} runs each. This page is written by `validation/sequential-size/study.py` from
`cells.csv`, `skewed.csv` and `closed.csv` beside it. *t* is corrected for skewness (Hall 1992) by a
doubling of a side at most, as everywhere in a report. Stages have {STAGE} replications; the sign
e-process and naive testing look after every replication, the latter from 10 on.

## Nothing differs

Rejections in per cent, ± the Monte Carlo standard error. In the first three columns the hypothesis
is true: independent differences, and bootstrap replications of one data set on which the candidates
do not differ. Of what promises its level, above 5% by more than three standard errors: {told}.

In the last column the candidates are alike over data sets, but on the one that is resampled one of
them happens to be better. More replications find that out: {100 * least:.0f} to {100 * worst:.0f}%
of the runs reject, whatever the procedure. No number of replications of one data set says anything
of others.

{_table(cells, (*NULLS, PROCESS), _rate)}

## Something differs

Rejections in per cent / mean number of replications, for independent normal differences whose mean
is so many standard deviations.

{_table(cells, POWERS, _power)}

{_skewed_page(skewed)}
{_closed_page(closed)}
"""


def _skewed_page(cells: Mapping[tuple[str, int, str], SkewedCell]) -> str:
    """Write the part on skewed differences."""
    some = next(iter(cells.values()))
    rank, default = (cells["exponential", 50, test] for test in ("signed ranks", "t"))
    above = [
        f"{law} in stages of {size} ({_percent(cell.less + cell.greater, cell)}%)"
        for (law, size, test), cell in cells.items()
        if test == "t" and cell.rate > ALPHA + FAR * cell.error
    ]
    limit = sqrt(ALPHA * (1 - ALPHA) / some.runs)
    equal = [
        f"{law} in stages of {size} ({_percent(cell.at_limit, cell)}%)"
        for (law, size, test), cell in cells.items()
        if test == "t" and cell.at_limit / cell.runs > ALPHA + FAR * limit
    ]
    return f"""\
## Skewed differences

The same design ({N_STAGES} stages, Fisher's product, O'Brien and Fleming's spending, two-sided 5%)
with several tests in its stages, {some.runs:,} runs each. All laws have variance 1. In per cent of
the runs: a difference is found where the mean is 0, ± the Monte Carlo standard error, and how many
of these say *less*; the direction that is found where the mean is +{SHIFT}; equivalence within
±{AREA} that is found where the mean is {AREA}, or {OUTSIDE}.

Signed ranks and signs ask whether the pseudo-median or the median is 0. Of a skewed law it is not
when the mean is, so that more replications make them err more often:

| exponential differences, stages of 50 | signed ranks | *t* |
| --- | ---: | ---: |
| *less* where the mean is 0 | {_both("less", rank, default)} |
| *less* where the mean is +{SHIFT} | {_both("wrong", rank, default)} |
| equivalent within ±{AREA} where the mean is {OUTSIDE} | {_both("outside", rank, default)} |

Where *t* finds differences that are not there in more than 5% by more than three standard errors:
{", ".join(above) or "nowhere"}.

Equivalence takes a test against each limit, and at a limit all the error of one test is that of
the longer tail. Where *t* finds equivalence at {AREA} in more than 5% by more than three standard
errors:
{", ".join(equal) or "nowhere"}.

{_skewed_table(cells)}
"""


def _closed_page(cells: list[ClosedCell]) -> str:
    """Write the part on closed testing."""
    above = [
        f"{c.law}, deviations {c.deviations}, {c.means}, in stages of {c.size} "
        f"({100 * c.rate:.1f}%)"
        for c in cells
        if c.rate > ALPHA + FAR * c.error
    ]
    known = {(c.law, c.deviations, c.means, c.size): c for c in cells}
    columns = [(means, size) for means in MEANS for size in CLOSED_SIZES]
    heads = ["law", "deviations", *(f"{means}, {N_STAGES} of {size}" for means, size in columns)]
    rows = [f"| {' | '.join(heads)} |", f"| --- | --- |{' ---: |' * len(columns)}"]
    for law in CLOSED_LAWS:
        for deviations in DEVIATIONS:
            found = [known[law, deviations, *column] for column in columns]
            text = (f"{100 * c.rate:.1f} ± {100 * c.error:.1f}" for c in found)
            rows.append(f"| {law} | {deviations} | {' | '.join(text)} |")
    table = "\n".join(rows)
    return f"""\
## Closed testing

`multiplicity: closed` finds a pair different when its own *t* does and every group with both is
not alike by the *F* test of the block model, whose one variance presumes that all differences vary
alike. Here they do not: of four independent candidates the standard deviations are very unequal,
and with them the skewness of the differences. In per cent of {cells[0].runs:,} runs, ± the Monte
Carlo standard error: some pair with equal means is found different; means that are not equal are
far apart. Above 5% by more than three standard errors: {"; ".join(above) or "none"}.

A group's *F* is only a further condition: no pair is found different that its own *t*, which has
its own variance and is corrected for skewness, does not find at 5%. Where means are two and two the
groups are pairs and *F* has no part: what is above 5% there is the error of *t* in stages too short
for such skewness, and Holm's method errs in the same runs.

{table}"""


def _both(question: str, *cells: SkewedCell) -> str:
    return " | ".join(_percent(getattr(cell, question), cell) for cell in cells)


def _skewed_table(cells: Mapping[tuple[str, int, str], SkewedCell]) -> str:
    heads = ["law (skewness)", "stages", "test", "mean 0", "of these less"]
    heads += [f"mean +{SHIFT}: {side}" for side in ("less", "greater")]
    heads += [f"mean {mean}: equivalent" for mean in (AREA, OUTSIDE)]
    rows = [f"| {' | '.join(heads)} |", f"| --- | ---: | --- |{' ---: |' * (len(heads) - 3)}"]
    for (law, size, test), cell in cells.items():
        null = f"{_percent(cell.less + cell.greater, cell)} ± {100 * cell.error:.1f}"
        counts = (cell.less, cell.wrong, cell.right, cell.at_limit, cell.outside)
        numbers = (null, *(_percent(count, cell) for count in counts))
        name = f"{law} ({LAWS[law][0]:.2g})"
        rows.append(f"| {name} | {N_STAGES} of {size} | {test} | {' | '.join(numbers)} |")
    return "\n".join(rows)


def _percent(count: int, cell: SkewedCell) -> str:
    share = 100 * count / cell.runs
    return f"{share:.0f}" if share >= 10 else f"{share:.1f}"


def _table(
    cells: Mapping[tuple[str, str], Cell],
    scenarios: tuple[str, ...],
    text: Callable[[Cell], str],
) -> str:
    rows = [f"| procedure | {' | '.join(scenarios)} |", f"| --- |{' ---: |' * len(scenarios)}"]
    rows += [
        f"| {name} | {' | '.join(text(cells[s, name]) for s in scenarios)} |" for name in PROCEDURES
    ]
    return "\n".join(rows)


def _rate(cell: Cell) -> str:
    return f"{100 * cell.rate:.1f} ± {100 * cell.error:.1f}"


def _power(cell: Cell) -> str:
    return f"{100 * cell.rate:.0f} / {cell.replications:.0f}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(simulate(int(sys.argv[1])))
        write_skewed(simulate_skewed(int(sys.argv[1])))
        write_closed(simulate_closed(int(sys.argv[1])))
    PAGE.write_text(page(read(), read_skewed(), read_closed()), encoding="utf-8")
