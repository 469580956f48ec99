"""How often sequential procedures err, and how many replications they take, by simulation.

    python studies/sequential-size/study.py [runs]

Measures anew, writes `cells.csv` beside this file and docs/sequential-size.md from it; without an
argument only the page is written. 6000 runs take about ten minutes of processor time.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.sequential.anytime import asymptotic_confidence_sequence, sign_process
from reportgen.stats.sequential.group import group_boundaries
from reportgen.stats.sequential.signed_rank_track import signed_rank_track
from reportgen.stats.sequential.staged import PairStages, StagePlan
from reportgen.stats.sequential.tracks import paired_t_track

Array = NDArray[np.float64]
Outcome = tuple[NDArray[np.bool_], Array]  # whether each run rejects, replications it used

HERE = Path(__file__).parent
CELLS, PAGE = HERE / "cells.csv", HERE.parents[1] / "docs" / "sequential-size.md"
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
    """Return a group sequential t test."""
    upper = group_boundaries(N_STAGES, ALPHA, shape).upper  # type: ignore[arg-type]

    def run(d: Array) -> Outcome:
        p_values = paired_t_track(d, STAGE).p_values[:, ::STAGE]
        return first(p_values <= 2 * ndtr(-upper), STAGE * np.arange(1.0, N_STAGES + 1))

    return run


def naive(d: Array) -> Outcome:
    """Stop at the first p-value below alpha, from 10 replications on."""
    track = paired_t_track(d, 10)
    return first(track.p_values <= ALPHA, track.n.astype(float))


def naive_stages(d: Array) -> Outcome:
    """Stop at the first stage after which all replications so far have p below alpha."""
    p_values = paired_t_track(d, STAGE).p_values[:, ::STAGE]
    return first(p_values <= ALPHA, STAGE * np.arange(1.0, N_STAGES + 1))


def fixed(d: Array) -> Outcome:
    """Use all replications."""
    rejects = signed_rank_track(d, MOST, law="default").p_values[:, 0] <= ALPHA
    return rejects, np.full(len(d), float(MOST))


def first(is_over: NDArray[np.bool_], n: Array) -> Outcome:
    """Return whether any look rejects, and the replications until then."""
    rejects = is_over.any(axis=1)
    return rejects, np.where(rejects, n[is_over.argmax(axis=1)], float(MOST))


def decided(at: Array) -> Outcome:
    """Return whether, and when, a procedure that may stop at any time has rejected."""
    return np.isfinite(at), np.minimum(at, float(MOST))


PROCEDURES: Mapping[str, Callable[[Array], Outcome]] = {
    "stages, signed ranks, Fisher, O'Brien-Fleming": staged(),
    "stages, t, Fisher, O'Brien-Fleming": staged(test="t"),
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
    "asymptotic confidence sequence": lambda d: decided(
        asymptotic_confidence_sequence(d, ALPHA).decided_at()
    ),
    "fixed design, signed ranks": fixed,
    "naive: t after each replication": naive,
    "naive: t after each stage": naive_stages,
}
"""The last two promise nothing."""

UNPROMISED = ("naive: t after each replication", "naive: t after each stage")


# ------------------------------------------------------------------------------- scenarios


def normal(delta: float) -> Callable[[np.random.Generator, int], Array]:
    """Return independent normal differences."""
    return lambda rng, runs: rng.normal(delta, 1.0, (runs, MOST))


def skewed(rng: np.random.Generator, runs: int) -> Array:
    """Return independent differences of two exponential values: heavy tails, symmetric."""
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
    "no difference, heavy tails": skewed,
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


def page(cells: Mapping[tuple[str, str], Cell]) -> str:
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
in {runs:,} runs each. This page is written by `studies/sequential-size/study.py` from `cells.csv`
beside it. Stages have {STAGE} replications; the confidence sequence begins with 30; the sign
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
"""


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
    PAGE.write_text(page(read()), encoding="utf-8")
