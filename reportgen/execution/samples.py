"""Observations, learning samples and fitted curves of a setup, for studies that keep them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.execution.process_state import caught_warnings
from reportgen.warehouse.samples import Samples

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.execution.outcome import Cell, Outcome
    from reportgen.execution.replicate import Replicate

log = logging.getLogger("reportgen")

POINTS = 61  # of a curve
MOST_NUMBERS = 5_000_000  # observations times replications of a data set


def curve_grid(data: DataSet) -> NDArray[np.float64]:
    """Return the values of the only input at which curves are kept; empty where there are none.

    Curves are of regression with one input, a number, on the same data in every replication.
    """
    if data.task != "regression" or data.inputs.shape[1] != 1 or not data.is_all_numbers:
        return np.empty(0)
    x = data.inputs.to_numpy(np.float64)
    x = x[np.isfinite(x)]
    return np.linspace(x.min(), x.max(), POINTS) if len(x) else np.empty(0)


def curve_of(estimator: Any, data: DataSet) -> list[float | None]:
    """Return what a fitted estimator predicts along the grid of its data set.

    Result: None where there is no finite prediction, everywhere where it cannot predict apart.
    """
    grid = curve_grid(data)
    none: list[float | None] = [None] * len(grid)
    if not len(grid) or getattr(estimator, "learns_with_predictions", False):
        return none
    points = pd.DataFrame({data.inputs.columns[0]: grid})
    try:
        with caught_warnings(), np.errstate(all="ignore"):
            found = np.asarray(estimator.predict(points), dtype=np.float64)
    except Exception:
        return none  # beyond its learning sample, for one
    if found.shape != grid.shape:
        return none
    return [float(y) if np.isfinite(y) else None for y in found]


def kept_samples(
    datasets: Mapping[str, DataSet],
    replicate: Callable[[str, int], Replicate],
    outcomes: Mapping[Cell, Outcome],
) -> tuple[Samples, ...]:
    """Return what is kept of every data set whose observations all replications share.

    `replicate`: returns a replication of a data set, by its name.
    `outcomes`: of all fits.
    """
    return tuple(_kept(datasets, replicate, outcomes))


def _kept(
    datasets: Mapping[str, DataSet],
    replicate: Callable[[str, int], Replicate],
    outcomes: Mapping[Cell, Outcome],
) -> Iterator[Samples]:
    numbers: dict[str, list[int]] = {}
    for cell in outcomes:
        numbers.setdefault(cell.dataset, []).append(cell.replication)
    for name, data in datasets.items():
        replications = np.unique(numbers.get(name, []))
        if not len(replications):
            continue
        if data.n * len(replications) > MOST_NUMBERS:
            log.warning("samples of %s are not kept: it has too many observations", name)
            continue
        times = np.zeros((len(replications), data.n))
        for row, b in zip(times, replications.tolist(), strict=True):
            given = replicate(name, b)
            if given.data is not data:
                break
            weights = given.sample.weights
            np.add.at(row, given.sample.learn, 1.0 if weights is None else weights)
        else:
            yield _samples(data, replications, times, outcomes)


def _samples(
    data: DataSet,
    replications: NDArray[np.int64],
    times: NDArray[np.float64],
    outcomes: Mapping[Cell, Outcome],
) -> Samples:
    inputs = data.inputs.select_dtypes("number")
    response = np.asarray(data.response, dtype=np.float64)
    grid = curve_grid(data)
    curves: dict[str, NDArray[np.float64]] = {}
    place = {b: i for i, b in enumerate(replications.tolist())}
    for cell, outcome in outcomes.items():
        if cell.dataset == data.name and len(outcome.curve) == len(grid) > 0:
            empty = np.full((len(replications), len(grid)), np.nan)
            own = curves.setdefault(cell.candidate, empty)
            own[place[cell.replication]] = np.array(outcome.curve, dtype=np.float64)
    return Samples(
        data.name,
        (
            *map(str, inputs.columns),
            "response" if data.target.name is None else str(data.target.name),
        ),
        np.column_stack([inputs.to_numpy(np.float64), response]),
        replications.astype(np.int64),
        times,
        grid if curves else np.empty(0),
        curves,
    )
