"""What the way of drawing samples does to the results (Eugster 2011, chapter 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.sections.sensitivity.result import (
    RESAMPLING,
    Factor,
    PairChange,
    SchemeEffect,
    SettingRow,
)


def scheme_effects(
    settings: Sequence[SettingRow], factors: Sequence[Factor], pairs: Sequence[PairChange]
) -> tuple[SchemeEffect, ...]:
    """Compare every way to draw samples with the first, at the same levels of all else.

    Parameters
    ----------
    settings : sequence of SettingRow
    factors : sequence of Factor
    pairs : sequence of PairChange
    """
    ways = next((factor.levels for factor in factors if factor.name == RESAMPLING), ())
    found = []
    for scheme in ways[1:]:
        both = list(_matched(settings, ways[0], scheme))
        if both:
            found.append(_effect(str(scheme), str(ways[0]), both, pairs))
    return tuple(found)


def _matched(
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
