"""Tracks of a test over 250 replications, and what sequential tests cost and save.

    python benchmarks/sequential.py [runs]

Prints the seconds of a track over those of the same tests from the start at each look, and of the
tracks of 15 pairs of 1,000 and 10,000 replications over those of a tenth of them. Then, for
independent replications whose mean differs by so many standard deviations: the share of runs that
reject at two-sided alpha = .05 and the mean number of replications, of at most 250, by sequential
tests of five stages, by tests after each replication, by naive looks, and with all 250.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.methods import CombinationName, RuleName
from reportgen.stats.ranks.signed_rank import signed_rank_test
from reportgen.stats.sequential.anytime import sign_process
from reportgen.stats.sequential.group import group_boundaries
from reportgen.stats.sequential.orders import order_free, order_looks
from reportgen.stats.sequential.paired_paths import signed_rank_path
from reportgen.stats.sequential.paths import paired_t_path
from reportgen.stats.sequential.stages import PairStages, StagePlan

N_STAGES, STAGE = 5, 50
N_REPLICATIONS = N_STAGES * STAGE
Array = NDArray[np.float64]
Outcome = tuple[Array, Array]  # whether each run rejects, replications it used


def tracks() -> None:
    """Time a track of signed rank tests."""
    d = np.random.default_rng(1).normal(0.1, 1, N_REPLICATIONS)
    once = _seconds(lambda: signed_rank_path(d, 10))
    again = _seconds(lambda: [signed_rank_test(d[:n]) for n in range(10, len(d) + 1)])
    print(f"signed ranks, 241 looks: {once:.3f} s, {once / again:.3f} of the tests from the start")


def growth() -> None:
    """Time tracks of the pairs of six candidates as replications become ten times as many."""
    rng = np.random.default_rng(2)
    values = np.round(rng.normal(np.linspace(0.1, 0.13, 6), 0.03, (10_000, 6)), 3)
    pairs = np.stack([values[:, i] - values[:, j] for i in range(6) for j in range(i + 1, 6)])
    follow: dict[str, Callable[[Array], object]] = {
        "signed ranks": lambda d: signed_rank_path(d, 10),
        "t": lambda d: paired_t_path(d, 10),
        "random orders": lambda d: [
            *order_free(d, order_looks(d.shape[1], 10, 20), "t", np.random.default_rng(1))
        ],
    }
    for name, track in follow.items():
        times = [_seconds(partial(track, pairs[:, :n])) for n in (100, 1000, 10_000)]
        ratios = ", ".join(f"{b / a:.1f}" for a, b in pairwise(times))
        print(f"{name}, 15 pairs, B = 10,000: {times[-1]:.2f} s; ten times B, times {ratios}")


def outcomes(n_runs: int) -> None:
    """Print rejections and replications by difference and procedure."""
    print(f"{'standard deviations':32}" + "".join(f"{delta:>16}" for delta in DIFFERENCES))
    for name, procedure in PROCEDURES.items():
        cells = []
        for place, delta in enumerate(DIFFERENCES):
            d = np.random.default_rng(place).normal(delta, 1, (n_runs, N_REPLICATIONS))
            rejects, used = procedure(d)
            cells.append(f"{rejects.mean():8.3f} {used.mean():7.1f}")
        print(f"{name:32}" + "".join(cells))


def _recursive(rule: RuleName, combination: CombinationName) -> Callable[[Array], Outcome]:
    plan = StagePlan(N_STAGES, rule=rule, combination=combination)

    def run(d: Array) -> Outcome:
        stages = d.reshape(len(d), N_STAGES, STAGE)
        less = paired_t_path(stages, STAGE, "less").p_values[..., 0]
        tests = [PairStages(p, 1 - p).difference(plan, plan.alpha) for p in less]
        rejects = np.array([test.decision == "reject" for test in tests])
        return rejects, STAGE * np.array([test.stage for test in tests])

    return run


def _group(shape: str) -> Callable[[Array], Outcome]:
    upper = group_boundaries(N_STAGES, 0.05, shape).upper  # type: ignore[arg-type]

    def run(d: Array) -> Outcome:
        track = paired_t_path(d, STAGE).p_values[:, ::STAGE]
        return _first(track <= 2 * ndtr(-upper), STAGE * np.arange(1, N_STAGES + 1))

    return run


def _naive(d: Array) -> Outcome:
    track = paired_t_path(d, 10)
    return _first(track.p_values <= 0.05, track.n)


def _fixed(d: Array) -> Outcome:
    rejects = paired_t_path(d, N_REPLICATIONS).p_values[:, 0] <= 0.05
    return rejects, np.full(len(d), N_REPLICATIONS)


def _decided(at: Array) -> Outcome:
    return np.isfinite(at), np.minimum(at, N_REPLICATIONS)


def _first(is_over: NDArray[np.bool_], n: NDArray[np.intp]) -> Outcome:
    rejects = is_over.any(axis=1)
    return rejects, np.where(rejects, n[is_over.argmax(axis=1)], N_REPLICATIONS)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


DIFFERENCES = (0.0, 0.1, 0.2, 0.4)
PROCEDURES: dict[str, Callable[[Array], Outcome]] = {
    "Fisher's product, constant rule": _recursive("constant", "fisher"),
    "Fisher's product, O'Brien-F.": _recursive("obrien-fleming", "fisher"),
    "inverse normal, O'Brien-Fleming": _recursive("obrien-fleming", "inverse-normal"),
    "group sequential, Pocock": _group("pocock"),
    "group sequential, O'Brien-F.": _group("obrien-fleming"),
    "sign e-process": lambda d: _decided(sign_process(d).decided_at()),
    "naive looks from 10 on": _naive,
    "all replications": _fixed,
}


if __name__ == "__main__":
    tracks()
    growth()
    outcomes(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
