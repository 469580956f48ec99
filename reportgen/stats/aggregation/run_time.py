r"""Run times of optimisers to targets: their expectation, and their distributions.

A run reaches a target after some evaluations, or has not reached it when it ends. The *expected run
time* is that of a run that is restarted until it reaches the target: all evaluations of all runs,
up to the target or the end, over the number of runs that reached it,

.. math:: ERT = \frac{\sum_{i \in S} t_i + \sum_{i \notin S} u_i}{|S|}
              = \bar t_S + \frac{1 - \hat p}{\hat p}\, \bar u_{\bar S},
          \qquad \hat p = \frac{|S|}{n}.

Its whole law is that of *simulated restarts*: runs are drawn with replacement until one has reached
the target, and their evaluations are added. The *distribution of run times* is the share of such
draws within a budget, averaged over targets and data sets, which all count alike. It answers how
long a target takes. The *distribution at a budget* answers how far a budget goes: the share of runs
(as they were, not restarted) that have come within each target by then.

Intervals are percentiles of the bootstrap that draws runs within each data set, each for itself:
they speak of these functions, not of others.

References
----------
.. [1] A. Auger and N. Hansen (2005), "Performance evaluation of an advanced local search
   evolutionary algorithm", IEEE Congress on Evolutionary Computation, section 3.
.. [2] N. Hansen, A. Auger, S. Finck and R. Ros (2009), "Real-parameter black-box optimization
   benchmarking 2009: experimental setup", INRIA RR-6828, section 5.
.. [3] N. Hansen, A. Auger, R. Ros, O. Mersmann, T. Tušar and D. Brockhoff (2021), "COCO: a platform
   for comparing continuous optimizers in a black-box setting", Optimization Methods and Software
   36, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Indices

N_DRAWS = 200  # of the bootstrap
N_RESTARTED = 500  # simulated run times
N_RESTARTED_AGAIN = 10  # in each draw of the bootstrap
LEAST_RUNS = 5  # of a data set, below which resampling them says nothing
MOST_RESTARTS = 1_000  # of one simulated run time, beyond which it counts as infinite


@dataclass(frozen=True, slots=True)
class Runs:
    """The n runs of a candidate on a data set."""

    # (n, T); evaluations at which a run has first reached each of T targets, at least 1; NaN where
    # it has not
    reached: Array
    used: Array  # (n,); evaluations of the whole run

    def __post_init__(self) -> None:
        """Raise a ValueError unless evaluations are positive, and reached before the end."""
        if self.reached.ndim != 2 or self.used.shape != self.reached.shape[:1]:
            raise ValueError(
                f"runs need shapes (n, T) and (n,), got {self.reached.shape}, {self.used.shape}"
            )
        if not (self.used > 0).all() or (self.reached > self.used[:, None]).any():
            raise ValueError(
                "found a target that is reached after all evaluations of a run, or a run without "
                "any; allowed targets that are reached within their runs"
            )

    @property
    def n_reached(self) -> NDArray[np.intp]:
        """Shape (T,): how many runs have reached each target."""
        return np.asarray(np.isfinite(self.reached).sum(axis=0))

    @property
    def spent(self) -> Array:
        """Shape (n, T): evaluations up to the target, or to the end of the run."""
        return np.where(np.isfinite(self.reached), self.reached, self.used[:, None])


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimates with intervals of one shape."""

    values: Array
    # lower, upper: percentiles of the bootstrap; None where a data set has too few runs. The upper
    # limit of an expected run time is infinite where too many draws have no run that reached the
    # target.
    lower: Array | None = None
    upper: Array | None = None


def expected_run_times(
    runs: Runs, alpha: float, rng: Generator, n_draws: int = N_DRAWS
) -> Estimates:
    """Estimate the expected run time to each target.

    `alpha`: the intervals have level 1 - alpha, 0 < alpha < 1.
    `rng`: draws runs.
    Result: of shape (T,); infinite where no run has reached the target, NaN without runs.

    Examples
    --------
    Two of three runs have reached the target:

    >>> runs = Runs(np.array([[100.0], [np.nan], [300.0]]), np.array([100.0, 200.0, 500.0]))
    >>> expected_run_times(runs, 0.05, np.random.default_rng(1)).values
    array([300.])
    """
    n = len(runs.used)
    once = np.arange(n)[None]
    values = _expected(runs, once)[0] if n else np.full(runs.reached.shape[1], np.nan)
    if n < LEAST_RUNS:
        return Estimates(values)
    return _with_interval(values, _expected(runs, _resample(n, n_draws, rng)), alpha)


def restarted(runs: Runs, rng: Generator, n_draws: int, most: float = np.inf) -> Array:
    """Simulate run times with restarts.

    `runs`: at least one.
    `most`: evaluations beyond which a run time does not matter, and is infinite.
    Result: (n_draws, T); of mean `expected_run_times`; infinite where no run has reached the
    target. Those of one draw share their runs.

    Examples
    --------
    >>> runs = Runs(np.array([[100.0], [np.nan]]), np.array([100.0, 200.0]))
    >>> times = restarted(runs, np.random.default_rng(1), 4_000)
    >>> np.unique(times)[:3], bool(abs(times.mean() - 300) < 15)
    (array([100., 300., 500.]), True)
    """
    own = np.arange(len(runs.used))[None]
    return np.asarray(_restarted(runs, own, rng, n_draws, most)[0])


def run_time_distribution(
    parts: Sequence[Runs], budgets: Array, alpha: float, rng: Generator
) -> Estimates:
    """Estimate the distribution of run times over targets and data sets, with restarts.

    `parts`: one a data set, with the same number T of targets; each at least one run.
    `budgets`: (B,); ascending numbers of evaluations.
    `rng`: draws restarts, and runs for the intervals.
    Result: of shape (B,): the share of run times within each budget.

    Examples
    --------
    >>> runs = Runs(np.array([[10.0], [20.0], [30.0], [40.0]]), np.full(4, 50.0))
    >>> found = run_time_distribution([runs], np.array([5.0, 40.0]), 0.05, np.random.default_rng(1))
    >>> found.values
    array([0., 1.])
    """
    most = float(budgets[-1])
    once = _mean_over(
        [_shares(restarted(runs, rng, N_RESTARTED, most)[None], budgets) for runs in parts]
    )
    if min(len(runs.used) for runs in parts) < LEAST_RUNS:
        return Estimates(once[0])
    drawn = []
    for runs in parts:
        places = _resample(len(runs.used), N_DRAWS, rng)
        times = _restarted(runs, places, rng, N_RESTARTED_AGAIN, most)
        drawn.append(_shares(times, budgets))
    return _with_interval(once[0], _mean_over(drawn), alpha)


def budget_distribution(
    parts: Sequence[Runs], budget: float, alpha: float, rng: Generator
) -> Estimates:
    """Estimate the share of runs that have reached each target within a budget.

    `parts`: as of `run_time_distribution`.
    `budget`: evaluations.
    `rng`: draws runs for the intervals.
    Result: of shape (T,).

    Examples
    --------
    >>> runs = Runs(np.array([[1.0, 9.0], [4.0, np.nan]]), np.array([10.0, 10.0]))
    >>> budget_distribution([runs], 5, 0.05, np.random.default_rng(1)).values
    array([1., 0.])
    """
    within = [(runs.reached <= budget).astype(np.float64) for runs in parts]
    values = np.mean([own.mean(axis=0) for own in within], axis=0)
    if min(len(own) for own in within) < LEAST_RUNS:
        return Estimates(values)
    drawn = [own[_resample(len(own), N_DRAWS, rng)].mean(axis=1) for own in within]
    return _with_interval(values, _mean_over(drawn), alpha)


def _resample(n: int, n_draws: int, rng: Generator) -> Indices:
    """Draw n runs of n, shape (n_draws, n)."""
    return rng.integers(n, size=(n_draws, n))


def _expected(runs: Runs, places: Indices) -> Array:
    """Return expected run times of draws of runs, shape (R, T)."""
    spent = runs.spent[places].sum(axis=1)
    reached = np.isfinite(runs.reached)[places].sum(axis=1)
    never = np.full(spent.shape, np.inf)
    return np.asarray(np.divide(spent, reached, out=never, where=reached > 0))


def _restarted(runs: Runs, places: Indices, rng: Generator, n_draws: int, most: float) -> Array:
    """Return run times with restarts of R draws of runs, shape (R, n_draws, T)."""
    n_targets = runs.reached.shape[1]
    spent, reached = runs.spent, np.isfinite(runs.reached)
    rows = np.repeat(np.arange(len(places)), n_draws)
    times = np.zeros((len(rows), n_targets))
    is_open = np.asarray(reached[places].any(axis=1))[rows]  # else no restart helps
    times[~is_open] = np.inf
    for _ in range(MOST_RESTARTS):
        if not is_open.any():
            break
        own = places[rows, rng.integers(places.shape[1], size=len(rows))]
        times += np.where(is_open, spent[own], 0.0)
        is_open &= ~reached[own] & (times <= most)
    times[is_open | (times > most)] = np.inf
    return times.reshape(len(places), n_draws, n_targets)


def _shares(times: Array, budgets: Array) -> Array:
    """Return the share of run times within budgets, shape (R, B), of times (R, n_draws, T)."""
    ascending = np.sort(times.reshape(len(times), -1), axis=1)
    counts = [np.searchsorted(row, budgets, side="right") for row in ascending]
    return np.asarray(np.array(counts) / ascending.shape[1])


def _mean_over(parts: Sequence[Array]) -> Array:
    return np.asarray(np.mean(parts, axis=0))


def _with_interval(values: Array, drawn: Array, alpha: float) -> Estimates:
    """Add percentiles of draws (R, …); order statistics, as some may be infinite."""
    lower = np.quantile(drawn, alpha / 2, axis=0, method="lower")
    upper = np.quantile(drawn, 1 - alpha / 2, axis=0, method="higher")
    return Estimates(values, np.asarray(lower), np.asarray(upper))
