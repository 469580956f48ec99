"""What changes from setting to setting: verdicts of pairs, orders, means by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.sensitivity.result import (
    Change,
    Factor,
    LevelMean,
    PairChange,
    SettingRow,
    Verdict,
    comparable,
)
from reportgen.stats.pair_table import Pair


def pair_changes(
    candidates: Sequence[str], tests: Mapping[str, MeasureInference]
) -> tuple[PairChange, ...]:
    """Return for every pair how it comes out in each setting.

    Parameters
    ----------
    candidates : sequence of str
    tests : mapping of str to MeasureInference
        By data set, those with comparisons.
    """
    known = {name: _primary(tested) for name, tested in tests.items()}
    found = []
    for first, second in combinations(candidates, 2):
        rows = {name: pairs[first, second] for name, pairs in known.items()
                if (first, second) in pairs}  # fmt: skip
        if rows:
            found.append(_change(first, second, rows))
    return tuple(found)


def _primary(tested: MeasureInference) -> dict[tuple[str, str], Pair]:
    """Return the comparisons that decide, by their candidates, either way round."""
    return {(p.first, p.second): p for pair in tested.pairs for p in (pair, pair.reversed())}


def _change(first: str, second: str, rows: Mapping[str, Pair]) -> PairChange:
    verdicts: dict[str, Verdict] = {name: verdict_of(p) for name, p in rows.items()}
    met = set(verdicts.values())
    change: Change = "partly"
    if {"better", "worse"} <= met:
        change = "turned"
    elif len(met) == 1:
        change = "never" if "undecided" in met else "always"
    estimates = {n: pair.estimate for n, pair in rows.items() if pair.estimate is not None}
    equal = {name: 1.0 if pair.scale == "ratio" else 0.0 for name, pair in rows.items()}
    signs = {np.sign(x - equal[name]) for name, x in estimates.items()}
    signs -= {0.0}
    return PairChange(first, second, verdicts, estimates, change, len(signs) > 1)


def verdict_of(pair: Pair) -> Verdict:
    """Return which way a pair is decided, where it is."""
    if pair.favoured is None:
        return "undecided"
    return "better" if pair.favoured == pair.first else "worse"


def same_orders(settings: Sequence[SettingRow]) -> tuple[tuple[str, ...], ...]:
    """Return the settings whose relations say the same, the largest part first."""
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
