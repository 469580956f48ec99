"""Take the main measure apart by the two factors that candidates are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.factors.result import (
    FactorsResult,
    InteractionCell,
    Setting,
    SettingPair,
    Sizes,
    Unavailable,
    UnitKind,
)
from reportgen.stats.arrays import Array
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.stats.ranking import best_first
from reportgen.stats.two_factors import Components, TwoFactors, two_factors
from reportgen.study.families import FAMILY
from reportgen.study.manifest import AnalysisOptions
from reportgen.study.target import FEWEST_OF_DOMAIN
from reportgen.targets import Target
from reportgen.warehouse import Measure, Warehouse

__all__ = ["FactorsResult", "analyse"]


def analyse(warehouse: Warehouse, options: AnalysisOptions, rng: Generator) -> FactorsResult | None:
    """Take the main measure apart.

    `rng`: for the joint laws of many units.
    Result: None where no data set has the measure.
    """
    measure = warehouse.measures[0]
    names = warehouse.candidate_factors
    levels = {k: (own[names[0]], own[names[1]]) for k, own in warehouse.candidate_levels.items()}
    grid, missing_levels = crossed_levels(levels)
    kind, units, n_dropped = _units(warehouse, measure, levels, grid)
    if not len(units):
        return None
    unavailable: Unavailable | None = None
    if min(units.shape[1:]) < 2:
        unavailable = "not-crossed"
    elif kind in ("dataset", "family") and len(units) < FEWEST_OF_DOMAIN:
        unavailable = "few-datasets"
    elif len(units) < FEWEST_UNITS:
        unavailable = "few-units"
    means = units.mean(axis=0)
    smaller = measure.is_smaller_better
    order = [
        best_first(means.mean(axis=axis).tolist(), is_smaller_better=smaller) for axis in (1, 0)
    ]
    units = units[:, order[0]][:, :, order[1]]
    first, second = (tuple(own[k] for k in by) for own, by in zip(grid, order, strict=True))
    found = FactorsResult(
        measure=measure.name,
        alpha=options.alpha,
        factors=(names[0], names[1]),
        first_levels=first,
        second_levels=second,
        missing_levels=missing_levels,
        unit=kind,
        n=len(units),
        n_dropped=n_dropped,
        means={
            a: dict(zip(second, row, strict=True))
            for a, row in zip(first, units.mean(axis=0).tolist(), strict=True)
        },
        unavailable=unavailable,
        measured=measure,
    )
    if unavailable is not None:
        return found
    own = two_factors(units, options.alpha, rng, is_smaller_better=smaller)
    return _with_tests(found, own, "domain" if kind in ("dataset", "family") else warehouse.target)


def crossed_levels(
    levels: dict[str, tuple[str, str]],
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]:
    """Return the levels of both factors that are fully crossed, and those that are left out.

    Of the second factor only the levels stay that every level of the first has.
    """
    first = tuple(dict.fromkeys(a for a, _ in levels.values()))
    second = tuple(dict.fromkeys(b for _, b in levels.values()))
    there = {*levels.values()}
    kept = tuple(b for b in second if all((a, b) in there for a in first))
    return (first, kept), tuple(b for b in second if b not in kept)


def _units(
    warehouse: Warehouse,
    measure: Measure,
    levels: dict[str, tuple[str, str]],
    grid: tuple[tuple[str, ...], tuple[str, ...]],
) -> tuple[UnitKind, Array, int]:
    """Return what units are, their values of all combinations, and how many lack some."""
    name_of = {own: name for name, own in levels.items()}
    names = [name_of[a, b] for a in grid[0] for b in grid[1]]
    shape = (-1, len(grid[0]), len(grid[1]))
    several = len(warehouse.datasets) > 1
    found: list[Array] = []
    families: list[str] = []
    codes: NDArray[np.int64] | None = None
    for dataset in warehouse.datasets:
        own = warehouse.performances(dataset, measure.name)
        at = [own.candidates.index(name) for name in names]
        rows = own.values[:, at]
        if several:
            whole = rows[np.isfinite(rows).all(axis=1)]
            found.append(whole.mean(axis=0) if len(whole) else np.full(len(at), np.nan))
            families.append(str(warehouse.facts.get(dataset, {}).get(FAMILY) or f"\0{dataset}"))
        else:
            found, codes = list(rows), own.clusters
    every = np.array(found).reshape(len(found), len(names))
    is_whole = np.isfinite(every).all(axis=1)
    kept, n_dropped = every[is_whole], int((~is_whole).sum())
    if several:
        kept, is_joined = _joined(kept, np.array(families)[is_whole])
        return ("family" if is_joined else "dataset"), kept.reshape(shape), n_dropped
    if codes is not None:
        kept, is_joined = _joined(kept, codes[is_whole])
        return ("cluster" if is_joined else "row"), kept.reshape(shape), n_dropped
    return "row", kept.reshape(shape), n_dropped


def _joined(values: Array, labels: NDArray[np.generic]) -> tuple[Array, bool]:
    """Return the means of rows with the same label, each label counted alike."""
    names = list(dict.fromkeys(labels.tolist()))
    if len(names) == len(values):
        return values, False
    return np.array([values[labels == name].mean(axis=0) for name in names]), True


# ------------------------------------------------------------------------------- with tests


def _with_tests(found: FactorsResult, own: TwoFactors, target: Target) -> FactorsResult:
    """Add what is decided."""
    side = -1.0 if found.measured.is_smaller_better else 1.0
    settings, order = _settings(found, own)
    return replace(
        found,
        first_pairs=_named(own.first, found.first_levels, found, target),
        second_pairs=_named(own.second, found.second_levels, found, target),
        interaction=tuple(_cells(found, own, side)),
        sizes=_sizes(own.components),
        settings=settings,
        setting_pairs=tuple(_setting_pairs(found, own, side, order)),
    )


def _named(
    table: PairTable, levels: tuple[str, ...], found: FactorsResult, target: Target
) -> PairTable:
    smaller = found.measured.is_smaller_better
    named = table.named(levels, target, smaller).inside(found.measured.bounds)
    return named.decided()


def _cells(found: FactorsResult, own: TwoFactors, side: float) -> Iterator[InteractionCell]:
    table, j = own.interaction, len(found.second_levels)
    for row, cell in enumerate(table.first.tolist()):
        low, high = sorted((side * float(table.lower[row]), side * float(table.upper[row])))
        is_known = bool(np.isfinite([low, high]).all())
        p = float(table.adjusted_p_value[row])
        yield InteractionCell(
            found.first_levels[cell // j],
            found.second_levels[cell % j],
            side * float(table.estimate[row]),
            low if is_known else None,
            high if is_known else None,
            p if np.isfinite(p) else None,
        )


def _sizes(own: Components) -> Sizes:
    first, second, both = (max(0.0, x) for x in (own.first, own.second, own.interaction))
    total = first + second + both
    return Sizes(
        sqrt(first),
        sqrt(second),
        sqrt(both),
        shares=(first / total, second / total, both / total) if total > 0 else None,
        difference=own.difference,
        lower=own.lower,
        upper=own.upper,
        p_value=own.p_value,
    )


def _settings(found: FactorsResult, own: TwoFactors) -> tuple[tuple[Setting, ...], list[int]]:
    """Return the best settings, the best honest mean first, and the places of their levels."""
    best, smaller = own.best, found.measured.is_smaller_better
    order = best_first(best.honest.tolist(), is_smaller_better=smaller)
    settings = tuple(
        Setting(
            found.first_levels[i],
            found.second_levels[int(best.chosen[i])],
            float(best.mean[i]),
            float(best.honest[i]),
            float(best.share[i]),
        )
        for i in order
    )
    return settings, order


def _setting_pairs(
    found: FactorsResult, own: TwoFactors, side: float, order: list[int]
) -> Iterator[SettingPair]:
    """Yield all pairs, the one with the better honest mean first."""
    best = own.best
    row_of = {(i, k): row for row, (i, k) in enumerate(zip(best.first, best.second, strict=True))}
    for place, i in enumerate(order):
        for k in order[place + 1 :]:
            row = row_of.get((i, k), row_of.get((k, i)))
            sign = side if (i, k) in row_of else -side
            ends = (
                (best.lower[row], best.upper[row]),
                (best.naive_lower[row], best.naive_upper[row]),
            )
            (low, high), (naive_low, naive_high) = (
                sorted((sign * float(a), sign * float(b))) for a, b in ends
            )
            yield SettingPair(
                found.first_levels[i],
                found.first_levels[k],
                sign * float(best.estimate[row]),
                *(low, high, naive_low, naive_high),
            )
