"""Levels of the two factors of candidates, as claims name them: their means and best settings.

Of candidates that are made of a model and a prompt a claim may name "prompt steps", the mean of
that prompt over all models, and "best prompt of atlas", whichever prompt suits that model best.
The levels are those of the section `factors`: of the second factor those that every level of the
first has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.sections.expectations.contrasts import (
    OUTCOME_AT,
    ContrastValues,
    compare_columns,
    contrast_of,
)
from reportgen.sections.expectations.result import Contrast, Reason, natural
from reportgen.sections.factors.analysis import crossed_levels
from reportgen.study.claims import Place, place_of
from reportgen.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a factor, or the best setting of one, with the candidates that it is made of."""

    kind: str  # what it can be compared with: the factor, or "best" and the other factor
    candidates: tuple[str, ...]
    is_best: bool  # whether the best of the candidates is meant, not their mean


def levels_of(warehouse: Warehouse) -> dict[str, Level]:
    """Return the levels that claims can name; none where candidates are of no two factors."""
    factors, unit = warehouse.candidate_factors, warehouse.unit
    if len(factors) != 2 or not unit.is_paired or unit.is_contest or warehouse.is_table:
        return {}
    own = {k: (x[factors[0]], x[factors[1]]) for k, x in warehouse.candidate_levels.items()}
    grid, _ = crossed_levels(own)
    name_of = {pair: name for name, pair in own.items()}
    if min(map(len, grid)) < 2:
        return {}
    found = dict[str, Level]()
    for i, (factor, other) in enumerate((factors, factors[::-1])):
        for level in grid[i]:
            of_level = ((level, x) if i == 0 else (x, level) for x in grid[1 - i])
            names = tuple(name_of[pair] for pair in of_level)
            found[f"{factor} {level}"] = Level(factor, names, is_best=False)
            found[f"best {other} of {level}"] = Level(f"best {other}", names, is_best=True)
    return {name: level for name, level in found.items() if name not in warehouse.candidates}


def level_kinds(warehouse: Warehouse) -> dict[str, str]:
    """Return what each level can be compared with, by the names of `levels_of`."""
    return {name: level.kind for name, level in levels_of(warehouse).items()}


def best_contrast(
    values: ContrastValues,
    first: str,
    second: str,
    levels: Mapping[str, Level],
    bounds: tuple[float, float],
    alpha: float,
    n_comparisons: int,
) -> Contrast:
    r"""Compare two best settings, whichever they are.

    With limits of all differences between the settings of one and of the other, that hold at once,

    .. math:: \max_j \min_l L_{jl} \le \max_j \mu_j - \max_l \mu_l \le \min_l \max_j U_{jl}

    where larger is better (`reportgen.stats.two_factors`): no choice is left to be paid for. Each
    difference has the interval of the gate, at the level of this claim divided by their number.

    `values`: of the candidates.
    `levels`: by name.
    `bounds`, `alpha`, `n_comparisons`: as of `contrasts.contrast_of`.
    """
    rows, columns = levels[first].candidates, levels[second].candidates
    shape, m = (len(rows), len(columns)), n_comparisons * len(rows) * len(columns)
    parts = [contrast_of(values, a, b, 0.0, bounds, alpha, m) for a in rows for b in columns]
    gaps = {name: n for part in parts for name, n in part.gaps.items()}
    gaps_within = {name: n for part in parts for name, n in part.gaps_within.items()}
    worst = next((part for part in parts if part.estimate is None or part.is_open), None)
    if worst is not None:
        return replace(
            worst,
            first=first,
            second=second,
            lower=None,
            upper=None,
            gaps=gaps,
            gaps_within=gaps_within,
        )
    estimates, ends = np.empty(shape), np.empty((2, 2, *shape))  # intervals, and with gaps
    for place, (a, b) in enumerate((a, b) for a in rows for b in columns):
        at = divmod(place, len(columns))
        table = compare_columns(values, a, b, 0.0, alpha, m)
        estimates[at] = table.estimate[0]
        own = [float(table.lower[0]), float(table.upper[0])]
        own = [-inf, inf] if np.isnan(own).any() else own  # the same in all units
        held = [float(table.extra[x][0]) for x in ADVERSE if x in table.extra]
        ends[(slice(None), 0, *at)] = own
        ends[(slice(None), 1, *at)] = min(own[0], *held, inf), max(own[1], *held, -inf)
    smaller = values.measure.is_smaller_better
    (low, wide_low), (high, wide_high) = (
        [_of_best(x, smaller, is_lower=is_lower) for x in side]
        for is_lower, side in zip((True, False), ends, strict=True)
    )
    j, k = _best_pair(estimates, smaller)
    chosen = parts[j * shape[1] + k]
    is_beyond = chosen.is_beyond
    place_at: Place = "undecided" if is_beyond else place_of(low, high, bounds)
    is_undone = place_at != "undecided" and place_of(wide_low, wide_high, bounds) != place_at
    reason: Reason | None = None
    if is_beyond or is_undone or place_at == "undecided":
        reason = "target" if is_beyond else "gaps" if is_undone else "wide"
    return replace(
        chosen,
        first=first,
        second=second,
        lower=natural(low, chosen.scale),
        upper=natural(high, chosen.scale),
        is_constant=False,
        skewness=max((p.skewness for p in parts if p.skewness is not None), key=abs, default=None),
        outcome="undecided" if reason else OUTCOME_AT[place_at],
        gaps=gaps,
        gaps_within=gaps_within,
        is_undone_by_gaps=is_undone,
        reason=reason,
    )


ADVERSE = ("adverse_first", "adverse_second")


def _of_best(limits: NDArray[np.float64], smaller: bool, *, is_lower: bool) -> float:
    """Return a limit of the difference of two best means, from those of all their settings."""
    if is_lower:
        return float(limits.min(axis=0).max() if smaller else limits.min(axis=1).max())
    return float(limits.max(axis=1).min() if smaller else limits.max(axis=0).min())


def _best_pair(estimates: NDArray[np.float64], smaller: bool) -> tuple[int, int]:
    """Return the places of the best setting of each, by the differences of all."""
    losses = estimates if smaller else -estimates
    return int(losses.mean(axis=1).argmin()), int(losses.mean(axis=0).argmax())
