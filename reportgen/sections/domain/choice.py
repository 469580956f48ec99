"""What one choice for all data sets costs, and which data sets suit whom: computed from means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.data import DatasetMeans
from reportgen.sections.domain.suitability import CandidateRegret, Interaction, Regret
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.ranking import FLOOR, best_first, levelled

FEWEST_CANDIDATES = 2  # with a value on a data set, below which nothing is lost there


def find_regret(means: DatasetMeans, *, is_smaller_better: bool) -> Regret | None:
    """Compare every candidate with the best one of each data set.

    Result: None where no data set has values of two candidates.
    """
    used = np.isfinite(means.values).sum(axis=1) >= FEWEST_CANDIDATES
    if not used.any():
        return None
    values = (1 if is_smaller_better else -1) * means.values[used]
    best = np.nanmin(values, axis=1, keepdims=True)
    losses = _in_unit(values - best, means)
    names = np.array(means.datasets, dtype=object)[used]
    found = {
        name: _regret(names, apart, own, means)
        for name, apart, own in zip(means.candidates, (values - best).T, losses.T, strict=True)
        if np.isfinite(apart).any()
    }
    ordered = sorted(found.items(), key=lambda one: (one[1].worst, one[1].mean))
    return Regret(means.value_scale, int(used.sum()), dict(ordered))


def _regret(
    datasets: NDArray[np.object_], apart: Array, losses: Array, means: DatasetMeans
) -> CandidateRegret:
    known = np.isfinite(apart)
    names, own = datasets[known].tolist(), losses[known].tolist()
    mean = float(_in_unit(apart[known].mean(), means))
    worst = int(apart[known].argmax())
    return CandidateRegret(mean, own[worst], names[worst], dict(zip(names, own, strict=True)))


def _in_unit(differences: Array, means: DatasetMeans) -> Array:
    """Return differences in the unit of the measure, or as ratios."""
    if means.value_scale == "ratio":
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(differences))
    return differences


def find_interaction(means: DatasetMeans, *, is_smaller_better: bool) -> Interaction | None:
    """Take from every value the level of its data set and of its candidate, and keep what is left.

    Result: None with fewer than two data sets or candidates.
    """
    values, there = means.values, np.isfinite(means.values)
    if min(values.shape) < FEWEST_CANDIDATES:
        return None
    filled = means.filled
    level = column_means(filled.T)
    effects = column_means(filled - level[:, None])
    left = values - (level[:, None] + effects)
    noise = np.nan_to_num(np.abs(values)).max(initial=0.0) * FLOOR
    left = np.where(np.abs(left) <= noise, 0.0, left)  # of what was subtracted
    levels, departures = _in_unit(level, means), _in_unit(left, means)
    order = best_first(level, is_smaller_better=is_smaller_better)
    return Interaction(
        scale=means.value_scale,
        levels={means.datasets[m]: float(levels[m]) for m in order},
        departures={
            means.datasets[m]: {
                name: float(x)
                for name, x, known in zip(means.candidates, departures[m], there[m], strict=True)
                if known
            }
            for m in order
        },
        is_smaller_better=is_smaller_better,
    )


def first_without(means: DatasetMeans, *, is_smaller_better: bool) -> tuple[str, ...]:
    """Return who is first by mean when some one data set is left out, in the study's order."""
    found: set[int] = set()
    for m in range(len(means.values)):
        left = np.delete(means.values, m, axis=0)
        if len(left) and np.isfinite(left).any(axis=0).all():  # no candidate rests on m alone
            rest = np.delete(means.filled, m, axis=0)
            kept = np.delete(np.arange(len(means.filled)), m)
            own = (
                column_means(rest)
                if means.families is None
                else means.families.of_units(kept).means(rest)
            )
            own = levelled(own[None], noise=FLOOR)[0] * (1 if is_smaller_better else -1)
            found |= set(np.flatnonzero(own == own.min()).tolist())
    return tuple(name for k, name in enumerate(means.candidates) if k in found)
