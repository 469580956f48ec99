"""How much processes of a program differ, and how much the runs of one process do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reportgen.stats.arrays import Array

__all__ = ["ProcessSpread", "process_spread"]


class ProcessSpread(NamedTuple):
    """Standard deviations of a candidate's timings.

    `between`: of processes, beyond what their runs explain; NaN of fewer than two processes.
    `within`: of runs of one process; NaN where none has two.
    """

    between: float
    within: float


def process_spread(runs: Array) -> ProcessSpread:
    r"""Estimate how much processes differ, and how much runs of one process do.

    The moments of the one-way layout: :math:`s^2_w` is the pooled variance of runs, and the
    variance of the means of processes exceeds :math:`s^2_w` times the mean of
    :math:`1/n_p` by that between processes, or by less than 0, which is taken for 0.

    `runs`: shape (P, R), NaN where there is no run.

    Examples
    --------
    >>> process_spread(np.array([[1.0, 3.0], [5.0, 7.0], [3.0, 5.0]]))
    ProcessSpread(between=1.7320508075688772, within=1.4142135623730951)
    """
    there = np.isfinite(runs)
    runs, there = runs[there.any(axis=1)], there[there.any(axis=1)]
    counts = there.sum(axis=1)
    means = np.where(there, runs, 0.0).sum(axis=1) / np.maximum(counts, 1)
    squares = np.where(there, runs - means[:, None], 0.0) ** 2
    df = int((counts - 1).sum())
    within = float(squares.sum() / df) if df else np.nan
    if len(means) < 2:
        return ProcessSpread(np.nan, float(np.sqrt(within)))
    excess = float(np.var(means, ddof=1)) - (within * float((1 / counts).mean()) if df else 0.0)
    return ProcessSpread(float(np.sqrt(max(0.0, excess))), float(np.sqrt(within)))
