"""Processes as the units of what a machine was measured by: a value is the mean of its runs.

Runs of one process share what its start has decided, such as the places of its code and data in
memory, and are no independent samples. Where a study times its own fits in processes, its
replications are the runs: `facts` says how many of them, one after the other, are of one process.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.performance_measure import Measure

RUNS_OF_PROCESS = "runs_of_process"
"""The fact of a data set: replications that are the runs of one process."""


def process_of(replication: int, n_runs: int) -> int:
    """Return the process of a replication; both count from 1.

    Examples
    --------
    >>> [process_of(b, 3) for b in (1, 3, 4)]
    [1, 1, 2]
    """
    return (replication - 1) // n_runs + 1


def runs_of_process(facts: Mapping[str, object]) -> int:
    """Return how many runs each process of a data set has; 0 where it has none."""
    found: Any = facts.get(RUNS_OF_PROCESS, 0)
    return found if isinstance(found, int) and found > 0 else 0


class InProcesses(NamedTuple):
    """Values of processes, in place of replications."""

    numbers: NDArray[np.int64]  # (P,), from 1
    means: NDArray[np.float64]  # (P, K), of the runs of each
    runs: NDArray[np.float64]  # (P, R, K)


def in_processes(
    facts: Mapping[str, object],
    measure: Measure,
    replications: NDArray[np.int64],
    values: NDArray[np.float64],
) -> InProcesses | None:
    """Return processes and their means in place of replications; None where fits were none.

    `facts`: of the data set.
    `replications`, `values`: (B,), (B, K).
    """
    n_runs = runs_of_process(facts) if measure.is_of_machine else 0
    if not n_runs:
        return None
    runs = by_process(replications, values, n_runs)
    means = process_means(runs, is_ratio=measure.is_compared_by_ratio)
    return InProcesses(np.arange(1, len(runs) + 1), means, runs)


def by_process(
    replications: NDArray[np.int64], values: NDArray[np.float64], n_runs: int
) -> NDArray[np.float64]:
    """Lay out the values of all runs by process.

    `replications`: (B,), from 1.
    `values`: (B, K).
    Result: (P, R, K), NaN where there is no run.

    Examples
    --------
    >>> by_process(np.array([1, 2, 4]), np.array([[1.0], [2.0], [4.0]]), 2)[:, :, 0].tolist()
    [[1.0, 2.0], [nan, 4.0]]
    """
    n_processes = ceil(int(replications.max(initial=1)) / n_runs)
    found = np.full((n_processes, n_runs, values.shape[1]), np.nan)
    found[(replications - 1) // n_runs, (replications - 1) % n_runs] = values
    return found


def processes_by_design(
    replications: NDArray[np.int64], by_design: NDArray[np.bool_], n_runs: int
) -> NDArray[np.bool_]:
    """Return the processes, (P, K), of which a run was not asked for.

    `replications`: (B,), from 1.
    `by_design`: (B, K); by run.

    Examples
    --------
    >>> processes_by_design(np.array([1, 2, 3]), np.array([[False], [False], [False]]), 2).tolist()
    [[False], [True]]
    """
    runs = by_process(replications, by_design.astype(np.float64), n_runs)
    return np.asarray((runs != 0).any(axis=1))


def have_geometric_mean(values: NDArray[np.float64]) -> bool:
    """Return whether there are values, and all are above 0."""
    there = values[~np.isnan(values)]
    return bool(len(there)) and bool(there.min() > 0)


def process_means(runs: NDArray[np.float64], *, is_ratio: bool) -> NDArray[np.float64]:
    """Return the mean of the runs of each process, missing where one of them is.

    `runs`: (P, R, K).
    `is_ratio`: whether the mean is the geometric one, where all values are above 0.
    Result: (P, K).

    Examples
    --------
    >>> process_means(np.array([[[1.0], [4.0]]]), is_ratio=True).round(9).tolist()
    [[2.0]]
    """
    if is_ratio and have_geometric_mean(runs):
        return np.asarray(np.exp(np.log(runs).mean(axis=1)))
    return np.asarray(runs.mean(axis=1))
