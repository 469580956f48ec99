"""Dependence of the results on the factors of a design (HLZH 2005, section 5.1).

Compares verdicts, orders and means by setting and level, and resampling schemes (Eugster 2011,
chapter 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import stdtrit

from reportgen.performance_measure import Measure
from reportgen.sections.datasets import settings_of
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.sections.preferences.analysis import Preference, PreferencesResult
from reportgen.sections.sensitivity.result import (
    RESAMPLING,
    Factor,
    Level,
    LevelMean,
    PairChange,
    SchemeEffect,
    Sensitivity,
    SensitivityResult,
    SettingRow,
    comparable,
    label_of,
)
from reportgen.stats.pair_table import Pair
from reportgen.stats.verdict import Verdict
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse


def pair_changes(candidates: Sequence[str], tests: Mapping[str, Verdict]) -> tuple[PairChange, ...]:
    """Return for every pair how it comes out in each setting.

    `tests`: by data set, those with comparisons.
    """
    known = {name: _primary(tested) for name, tested in tests.items()}
    found = []
    for first, second in combinations(candidates, 2):
        rows = {name: pairs[first, second] for name, pairs in known.items()
                if (first, second) in pairs}  # fmt: skip
        if rows:
            found.append(PairChange(first, second, rows))
    return tuple(found)


def _primary(tested: Verdict) -> dict[tuple[str, str], Pair]:
    """Return the comparisons that decide, by their candidates, either way round."""
    return {(p.first, p.second): p for pair in tested.pairs for p in (pair, pair.reversed())}


def same_orders(settings: Sequence[SettingRow]) -> tuple[tuple[str, ...], ...]:
    """Return the settings whose relations are the same, the largest part first."""
    parts: dict[frozenset[tuple[str, str]], list[str]] = {}
    for row in comparable(settings):
        parts.setdefault(frozenset(row.better), []).append(row.dataset)
    return tuple(tuple(part) for part in sorted(parts.values(), key=len, reverse=True))


def level_means(
    settings: Sequence[SettingRow], factors: Sequence[Factor], candidates: Sequence[str]
) -> Iterator[LevelMean]:
    """Yield each level of each factor, averaged over all else."""
    for factor in factors:
        for level in factor.levels:
            rows = [row for row in settings if row.levels.get(factor.name) == level]
            tested = [row for row in rows if row.n_pairs]
            widths = [row.half_width for row in tested if row.half_width is not None]
            means = {}
            for name in candidates:
                own = [row.means[name] for row in rows if name in row.means]
                if len(own) == len(rows):
                    means[name] = float(np.mean(own))
            yield LevelMean(
                factor.name,
                level,
                means,
                len(rows),
                sum(row.n_pairs or 0 for row in tested),
                sum(row.n_distinguished or 0 for row in tested),
                float(np.mean(widths)) if widths else None,
            )


def scheme_effects(
    settings: Sequence[SettingRow], factors: Sequence[Factor], pairs: Sequence[PairChange]
) -> tuple[SchemeEffect, ...]:
    """Compare every way to draw samples with the first, at the same levels of all else."""
    ways = next((factor.levels for factor in factors if factor.name == RESAMPLING), ())
    found = []
    for scheme in ways[1:]:
        both = list(_match(settings, ways[0], scheme))
        if both:
            found.append(_effect(str(scheme), str(ways[0]), both, pairs))
    return tuple(found)


def _match(
    settings: Sequence[SettingRow], reference: object, scheme: object
) -> Iterator[tuple[SettingRow, SettingRow]]:
    """Yield settings that differ in the way of drawing samples only."""
    first = {_rest(row): row for row in settings if row.levels.get(RESAMPLING) == reference}
    for row in settings:
        if row.levels.get(RESAMPLING) == scheme and _rest(row) in first:
            yield first[_rest(row)], row


def _rest(row: SettingRow) -> tuple[tuple[str, object], ...]:
    return tuple((name, level) for name, level in row.levels.items() if name != RESAMPLING)


def _effect(
    scheme: str,
    reference: str,
    both: Sequence[tuple[SettingRow, SettingRow]],
    pairs: Sequence[PairChange],
) -> SchemeEffect:
    gaps: dict[str, list[float]] = {}
    for old, new in both:
        for name in old.means:
            if name in new.means:
                gaps.setdefault(name, []).append(new.means[name] - old.means[name])
    sds = [(old.sds[n], new.sds[n]) for old, new in both for n in old.sds if n in new.sds]
    widths = [(old.half_width, new.half_width) for old, new in both]
    verdicts = [
        (pair.verdicts[old.dataset], pair.verdicts[new.dataset])
        for old, new in both
        for pair in pairs
        if {old.dataset, new.dataset} <= set(pair.verdicts)
    ]
    differences = {name: float(np.mean(own)) for name, own in gaps.items()}
    return SchemeEffect(
        scheme,
        reference,
        float(np.mean(list(differences.values()))) if differences else 0.0,
        differences,
        _ratio(sds),
        _ratio(widths),
        len(verdicts),
        sum(a != b for a, b in verdicts),
        sum({a, b} == {"better", "worse"} for a, b in verdicts),
    )


def _ratio(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Return the geometric mean of new over old, where both are positive."""
    logs = [np.log(new / old) for old, new in pairs if old and new]
    return float(np.exp(np.mean(logs))) if logs else None


DEPENDENT = ("k-fold", "repeated-k-fold")

Settings = Mapping[str, Mapping[str, Level]]
"""Levels by factor, by data set."""


def analyse(
    warehouse: Warehouse,
    options: AnalysisOptions,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
    preferences: Mapping[str, PreferencesResult],
) -> SensitivityResult:
    """Compare the results of all settings, measure by measure.

    `rng`: not used: nothing is drawn.
    `inference`, `preferences`: results of the other sections by data set.
    Result: data sets with one setting and measures without values are left out.
    """
    varied = {base: own for base, own in settings_of(warehouse).items() if len(own) > 1}
    n = len(warehouse.datasets)
    found: SensitivityResult = {}
    for measure in warehouse.measures:
        for base, settings in varied.items():
            rows = tuple(
                _row(warehouse, measure, dataset, levels, inference, preferences, options)
                for dataset, levels in settings.items()
            )
            if any(row.means for row in rows):
                part = _sensitivity(base, measure, rows, warehouse, options, n)
                found.setdefault(measure.name, {})[base] = part
    return found


def _sensitivity(
    base: str,
    measure: Measure,
    rows: Sequence[SettingRow],
    warehouse: Warehouse,
    options: AnalysisOptions,
    n_datasets: int,
) -> Sensitivity:
    """Put the settings of one data set in order and compare them."""
    factors = _factors([row.levels for row in rows])
    settings = tuple(sorted(rows, key=lambda row: _place(row, factors)))
    candidates = tuple(c for c in warehouse.candidates if any(c in row.means for row in rows))
    tests = {row.dataset: row.verdict for row in settings if row.verdict and row.n_pairs}
    pairs = pair_changes(candidates, tests)
    return Sensitivity(
        base=base,
        factors=factors,
        candidates=candidates,
        settings=settings,
        orders=same_orders(settings),
        pairs=pairs,
        levels=tuple(level_means(settings, factors, candidates)),
        schemes=scheme_effects(settings, factors, pairs),
        alpha=options.alpha,
        measure=measure,
        is_whole=len(rows) == n_datasets,
        area=next((found.relevance for found in tests.values()), None),
    )


def _factors(settings: Sequence[Mapping[str, Level]]) -> tuple[Factor, ...]:
    """Return what is varied, with its levels in order."""
    names = dict.fromkeys(name for levels in settings for name in levels)
    found = []
    for name in names:
        levels = tuple(dict.fromkeys(own[name] for own in settings if name in own))
        factor = Factor(name, levels)
        if factor.is_numeric:
            factor = Factor(name, tuple(sorted(levels, key=float)))
        found.append(factor)
    return tuple(found)


def _place(row: SettingRow, factors: Iterable[Factor]) -> tuple[int, ...]:
    return tuple(f.levels.index(row.levels[f.name]) if f.name in row.levels else -1
                 for f in factors)  # fmt: skip


def _row(
    warehouse: Warehouse,
    measure: Measure,
    dataset: str,
    levels: Mapping[str, Level],
    inference: Mapping[str, InferenceResult],
    preferences: Mapping[str, PreferencesResult],
    options: AnalysisOptions,
) -> SettingRow:
    """Gather what is known of one setting."""
    given = warehouse.performances(dataset, measure.name)
    tested = inference.get(dataset, {}).get(measure.name)
    relation = _relation(preferences.get(dataset, ()), measure.name)
    columns = {name: x[np.isfinite(x)] for name, x in zip(given.candidates, given.values.T,
                                                           strict=True)}  # fmt: skip
    n_all: Any = warehouse.facts.get(dataset, {}).get("n_observations")
    distinct = _mean(given.n_distinct)
    return SettingRow(
        dataset=dataset,
        label=label_of(levels),
        levels=dict(levels),
        means={name: float(x.mean()) for name, x in columns.items() if len(x)},
        sds={name: float(x.std(ddof=1)) for name, x in columns.items() if len(x) > 1},
        intervals=_intervals(tested, options.alpha),
        n_replications=int(np.isfinite(given.values).any(axis=1).sum()),
        n_learn=_mean(given.n_learn),
        n_test=_mean(given.n_test),
        share_learned=distinct / n_all if distinct and n_all and distinct <= n_all else None,
        order=relation.order if relation else None,
        best=relation.best if relation else (),
        better=relation.pairs if relation else (),
        by=relation.by if relation else "",
        is_dependent=warehouse.resampling_of(dataset).get("scheme") in DEPENDENT,
        verdict=tested,
    )


def _relation(relations: PreferencesResult, measure: str) -> Preference | None:
    """Return the first relation of a measure, where there is one."""
    first = next((r for r in relations if r.measure == measure), None)
    return None if first is None or first.unavailable else first


def _intervals(tested: MeasureInference | None, alpha: float) -> dict[str, tuple[float, float]]:
    """Return an interval of each mean by itself, by the block model."""
    model = tested.mixed_model if tested else None
    if model is None:
        return {}
    found = {}
    for name, mean in model.coefficients.items():
        wide = stdtrit(model.standard_error_df[name], 1 - alpha / 2) * model.standard_errors[name]
        if np.isfinite(wide):
            found[name] = (float(mean - wide), float(mean + wide))
    return found


def _mean(sizes: Any) -> float | None:
    known = sizes[np.isfinite(sizes)]
    return float(known.mean()) if len(known) else None
