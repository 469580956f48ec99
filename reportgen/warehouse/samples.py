"""Observations, learning samples and fitted curves, where a study keeps them, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.stats.arrays import Array

OBSERVATIONS, LEARNING, CURVES = "observations", "learning", "curves"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    OBSERVATIONS: ("dataset", "observation", "variable", "value"),
    LEARNING: ("dataset", "replication", "observation", "times"),
    CURVES: ("dataset", "replication", "candidate", "x", "prediction"),
}
"""Columns of each table; observations count from 1."""

MOST_SHOWN = 400_000  # numbers of a data set that reports show


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The observations of a data set, and the samples that candidates learnt from."""

    dataset: str = field(metadata=HIDDEN)
    variables: tuple[str, ...]  # inputs that are numbers, then the response
    values: Array  # (n, V); NaN where one is missing; classes are numbers from 0
    replications: NDArray[np.int64]  # shape (B,)
    # (B, n); how often, or with which weight, each observation is in the learning sample.
    times: Array
    # (G,); values of the only input, of regression; else empty.
    grid: Array = field(default_factory=lambda: np.empty(0))
    # (B, G); predictions on the grid by candidate, NaN where there is none.
    curves: Mapping[str, Array] = field(default_factory=dict)

    @property
    def is_shown(self) -> bool:
        """Whether there are few enough numbers for a page."""
        return self.times.size + sum(c.size for c in self.curves.values()) <= MOST_SHOWN

    @property
    def n(self) -> int:
        """Number of observations."""
        return len(self.values)


def tables_of(samples: Sequence[Samples]) -> dict[str, pd.DataFrame]:
    """Return the tables that hold samples, by name; none where there are none."""
    parts: dict[str, list[pd.DataFrame]] = {OBSERVATIONS: [], LEARNING: [], CURVES: []}
    for own in samples:
        numbers = np.arange(1, own.n + 1)
        parts[OBSERVATIONS].append(
            _rows(
                OBSERVATIONS,
                own.dataset,
                np.tile(numbers, len(own.variables)),
                np.repeat(np.array(own.variables, dtype=object), own.n),
                own.values.T.ravel(),
            )
        )
        b, i = np.nonzero(own.times)
        learnt = (own.replications[b], numbers[i], own.times[b, i])
        parts[LEARNING].append(_rows(LEARNING, own.dataset, *learnt))
        n_points, n_replications = len(own.grid), len(own.replications)
        for name, curve in own.curves.items():
            drawn = (
                np.repeat(own.replications, n_points),
                np.full(curve.size, name, dtype=object),
                np.tile(own.grid, n_replications),
                curve.ravel(),
            )
            parts[CURVES].append(_rows(CURVES, own.dataset, *drawn))
    return {name: pd.concat(found, ignore_index=True) for name, found in parts.items() if found}


def _rows(table: str, dataset: str, *columns: NDArray[np.generic]) -> pd.DataFrame:
    named = dict(zip(COLUMNS[table], (np.full(len(columns[0]), dataset), *columns), strict=True))
    return pd.DataFrame(named)


def samples_of(tables: Mapping[str, pd.DataFrame]) -> tuple[Samples, ...]:
    """Return the samples that tables hold: `tables_of` the other way."""
    return tuple(_samples(tables)) if OBSERVATIONS in tables else ()


def _samples(tables: Mapping[str, pd.DataFrame]) -> Iterator[Samples]:
    for dataset, rows in tables[OBSERVATIONS].groupby("dataset", sort=False):
        variables = tuple(map(str, dict.fromkeys(rows["variable"])))
        values = rows["value"].to_numpy(np.float64).reshape(len(variables), -1).T
        learnt = _of(tables, LEARNING, str(dataset))
        replications, b = np.unique(learnt["replication"].to_numpy(np.int64), return_inverse=True)
        times = np.zeros((len(replications), len(values)))
        times[b, learnt["observation"].to_numpy(np.int64) - 1] = learnt["times"]
        grid, curves = np.empty(0), {}
        for name, own in _of(tables, CURVES, str(dataset)).groupby("candidate", sort=False):
            grid = own["x"].to_numpy(np.float64)[: len(own) // len(replications)]
            curves[str(name)] = own["prediction"].to_numpy(np.float64).reshape(-1, len(grid))
        yield Samples(str(dataset), variables, values, replications, times, grid, curves)


def _of(tables: Mapping[str, pd.DataFrame], name: str, dataset: str) -> pd.DataFrame:
    table = tables.get(name)
    if table is None:
        return pd.DataFrame(columns=list(COLUMNS[name]))
    return table[table["dataset"] == dataset]
