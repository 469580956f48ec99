"""Consensus of 25 relations of 30 and 40 candidates, by class.

    python benchmarks/consensus.py [candidates ...]

The members are rankings with ties around a common order. Prints the seconds of one optimum with its
proof, and their ratio to one linear program of the same size without the conditions of the class.
The limits at 30 candidates are 1 s for linear orders, 5 s for weak and partial ones. Then what is
reached with a fixed amount of work where there is no order to find: a random tournament of 20; and
the seconds of all ranges of weights over those of one consensus.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog

from reportgen.stats.consensus_relations.nearest import nearest_relations
from reportgen.stats.consensus_relations.ranges import weight_ranges
from reportgen.stats.relations.relations import CLASSES, of_statistic

N_MEMBERS = 25
TOURNAMENT = (20, 10_000)  # candidates, most work
RANGES = ((6, 2), (6, 21), (12, 5))  # candidates, members


def classes(n_candidates: int) -> None:
    """Time every class."""
    rng = np.random.default_rng(7)
    worth = np.linspace(0, 1, n_candidates) + 0.3 * rng.standard_normal((N_MEMBERS, n_candidates))
    members = np.array([of_statistic(row) for row in np.round(8 * worth) / 8])
    costs = N_MEMBERS - 2.0 * members.sum(axis=0)
    bare = _seconds(lambda: linprog(costs.ravel(), bounds=(0, 1)))
    for order_class in CLASSES:
        seconds = _seconds(lambda c=order_class: nearest_relations(members, None, c, limit=1))
        found = nearest_relations(members, None, order_class, limit=1)
        print(
            f"{order_class:9} {n_candidates} candidates: {seconds:.3f} s, {seconds / bare:.0f} "
            f"times the bare program; criterion {found.criterion:g}, bound {found.lower_bound:g}"
        )


def tournament(n_candidates: int, most_work: int) -> None:
    """Time an ensemble on which nothing agrees, with limited work."""
    upper = np.triu(np.random.default_rng(1).random((n_candidates, n_candidates)) < 0.5, k=1)
    members = (upper | np.tril(~upper.T, -1))[None]
    for order_class in CLASSES:
        begin = time.perf_counter()
        found = nearest_relations(members, None, order_class, limit=1, most_work=most_work)
        seconds = time.perf_counter() - begin
        print(
            f"{order_class:9} tournament of {n_candidates}: {seconds:.3f} s for at most {most_work}"
            f" of work; criterion {found.criterion:g}, bound {found.lower_bound:g}"
        )


def ranges(n_candidates: int, n_members: int) -> None:
    """Time how far every weight may move, over one consensus."""
    rng = np.random.default_rng(7)
    worth = np.linspace(0, 1, n_candidates) + 0.3 * rng.standard_normal((n_members, n_candidates))
    members = np.array([of_statistic(row) for row in np.round(8 * worth) / 8])
    weights = np.ones(n_members)
    relation = nearest_relations(members, weights, limit=1).relations[0]
    one = _seconds(lambda: nearest_relations(members, weights, limit=1))
    seconds = _seconds(lambda: weight_ranges(members, weights, relation, "weak"))
    found = weight_ranges(members, weights, relation, "weak")
    whole = sum(member is not None and member.is_whole for member in found.members)
    print(
        f"ranges of {n_members} weights, {n_candidates} candidates: {seconds:.3f} s, "
        f"{seconds / one:.1f} times one consensus; {whole} whole"
    )


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    for size in map(int, sys.argv[1:] or ("30", "40")):
        classes(size)
    tournament(*TOURNAMENT)
    for n_candidates, n_members in RANGES:
        ranges(n_candidates, n_members)


if __name__ == "__main__":
    main()
