"""Learning samples as units of the tests: their comparisons and characteristics.

Factors that a study varies are characteristics, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.datasets.dataset import Level
from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Array
from reportgen.stats.worths.comparisons import compare, complete_samples, indicators
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic
from reportgen.warehouse import CHARACTERISED, Performances, Warehouse


def factors_of(
    warehouse: Warehouse, datasets: Sequence[str]
) -> tuple[list[Characteristic], dict[str, tuple[str, ...]]]:
    """Return what the settings of data sets differ in.

    `datasets`: M of them.
    Result: M values each, missing where a data set has no such factor; the categories of those by
    codes.
    """
    levels: dict[str, dict[int, Level]] = {}
    for place, dataset in enumerate(datasets):
        setting = warehouse.facts.get(dataset, {}).get("setting")
        for factor, level in setting["factors"].items() if isinstance(setting, Mapping) else ():
            levels.setdefault(factor, {})[place] = level
    found, names = [], {}
    for factor, own in levels.items():
        if len(set(own.values())) < 2:
            continue
        values, kind = np.full(len(datasets), np.nan), Kind.NUMERIC
        codes: Mapping[Level, float] = {level: float(level) for level in own.values() if _is(level)}
        if len(codes) < len(set(own.values())):
            kind, names[factor] = Kind.CATEGORICAL, tuple(dict.fromkeys(map(str, own.values())))
            codes = {level: float(names[factor].index(str(level))) for level in own.values()}
        values[list(own)] = [codes[level] for level in own.values()]
        found.append(Characteristic(factor, values, kind))
    return found, names


def _is(level: Level) -> bool:
    """Whether a level is a number."""
    return isinstance(level, int | float) and not isinstance(level, bool)


@dataclass(frozen=True, slots=True)
class Samples:
    """The complete learning samples of all data sets.

    `largest`: Complete learning samples of the data set that has most.
    """

    measure: Measure
    # candidates, missing_candidates: With values somewhere, and without any.
    candidates: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    datasets: tuple[str, ...]  # M data sets that have complete learning samples
    numbers: NDArray[np.intp]  # (n,); each sample's data set, 0 to M - 1
    replications: NDArray[np.int64]  # shape (n,)
    counts: Array  # (n, P, 3); outcomes of every pair
    # Learning samples in which a candidate lacks a value, by data set; others are not named.
    dropped: Mapping[str, int]
    # Candidates without any value by data set; others are not named.
    missing_by_dataset: Mapping[str, tuple[str, ...]]

    @property
    def n_dropped(self) -> int:
        """Learning samples in which a candidate lacks a value."""
        return sum(self.dropped.values())

    @property
    def largest(self) -> int:
        """Complete learning samples of the data set that has most."""
        return int(np.bincount(self.numbers).max(initial=0))


def samples_of(warehouse: Warehouse, measure: str, epsilon: float) -> Samples:
    """Compare the candidates on every learning sample in which all of them have a value.

    A candidate without any value on a data set does not make its samples incomplete.
    """
    found = [warehouse.performances(dataset, measure) for dataset in warehouse.datasets]
    present = np.zeros(len(warehouse.candidates), dtype=np.bool_)
    for performances in found:
        present |= np.isfinite(performances.values).any(axis=0)
    names = np.array(warehouse.candidates, dtype=object)
    kept = [(p, complete_samples(p.values)) for p in found]
    used = [(p, rows) for p, rows in kept if rows.any() and present.sum() > 1]
    values = [p.values[rows][:, present] for p, rows in used]
    smaller = warehouse.measure(measure).is_smaller_better
    counts = np.zeros((0, 1, 3))
    if values:
        outcomes = compare(np.vstack(values), smaller_is_better=smaller, epsilon=epsilon)
        counts = indicators(outcomes)
    sizes = [int(rows.sum()) for _, rows in used]
    return Samples(
        warehouse.measure(measure),
        tuple(names[present]),
        tuple(names[~present]),
        tuple(p.dataset for p, _ in used),
        np.repeat(np.arange(len(used)), sizes),
        np.concatenate([p.replications[rows] for p, rows in used] or [np.zeros(0, np.int64)]),
        counts,
        {p.dataset: int((~rows).sum()) for p, rows in kept if not rows.all()},
        {p.dataset: lacks for p, _ in used if (lacks := _missing_on(p, present))},
    )


def _missing_on(performances: Performances, present: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the candidates that have values, but none on this data set."""
    names = np.array(performances.candidates, dtype=object)
    return tuple(names[present & ~np.isfinite(performances.values).any(axis=0)])


def characteristics_of(
    warehouse: Warehouse, samples: Samples, chosen: Sequence[str] | None
) -> tuple[list[Characteristic], dict[str, tuple[str, ...]]]:
    """Return the characteristics of the learning samples, and the categories of those by codes.

    A sample without values has those of its data set as a whole. Where a study
    varies data sets, what it varies is known of them, too, and comes first.
    """
    table = warehouse.characteristics
    table = table[table["scheme"] == ""]
    names = [c for c in table.columns if c not in CHARACTERISED]
    if chosen is not None:
        names = [name for name in chosen if name in names]
    own = table[table["replication"].notna()].set_index(["dataset", "replication"])
    whole = table[table["replication"].isna()].set_index("dataset")
    datasets = np.array(samples.datasets, dtype=object)[samples.numbers]
    keys = pd.MultiIndex.from_arrays([datasets, pd.array(samples.replications, dtype="Int64")])
    factors, levels = factors_of(warehouse, samples.datasets)
    found = [
        replace(factor, values=factor.values[samples.numbers])
        for factor in factors
        if factor.name not in names
    ]
    for name in names:
        column = own[name].reindex(keys).reset_index(drop=True)
        column = column.where(column.notna(), whole[name].reindex(datasets).reset_index(drop=True))
        if pd.api.types.is_numeric_dtype(table[name]):
            found.append(Characteristic(name, column.to_numpy(np.float64, na_value=np.nan)))
            continue
        codes = pd.Categorical(column)
        levels[name] = tuple(str(level) for level in codes.categories)
        values = np.where(codes.codes < 0, np.nan, codes.codes.astype(np.float64))
        found.append(Characteristic(name, values, Kind.CATEGORICAL))
    return found, levels
