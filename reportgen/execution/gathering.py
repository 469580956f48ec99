"""From outcomes to the warehouse's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reportgen.execution.replication import KEPT, Cell, Outcome
from reportgen.execution.staging import fit_seconds
from reportgen.warehouse import FAILURE_COLUMNS, REMARK_COLUMNS, SIZES, Warehouse

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.study.setup import Setup

UNKNOWN = (np.nan, np.nan, np.nan)


def gathered(
    setup: Setup, outcomes: Mapping[Cell, Outcome], characteristics: pd.DataFrame | None = None
) -> Warehouse:
    """Put the outcomes of all cells into a warehouse.

    Parameters
    ----------
    setup : Setup
    outcomes : mapping of Cell to Outcome
        One for every cell of the setup.
    characteristics : DataFrame, optional
        Of the learning samples.

    Returns
    -------
    Warehouse
        One row per cell and measure; a measure without a value has the fit's
        status, or failed when the fit itself went well.
    """
    return Warehouse.of(
        _performances(setup, outcomes),
        (measure.measure for measure in setup.measures),
        datasets=[dataset.name for dataset in setup.datasets],
        candidates=[candidate.name for candidate in setup.candidates],
        failures=pd.DataFrame(_failures(outcomes), columns=list(FAILURE_COLUMNS), dtype=object),
        remarks=pd.DataFrame(_remarks(outcomes), columns=list(REMARK_COLUMNS), dtype=object),
        problem=setup.problem,
        resampling={} if setup.own else setup.resampling.described(),
        facts={dataset.name: _facts(setup, dataset, outcomes) for dataset in setup.datasets},
        descriptions={c.name: c.description for c in setup.candidates},
        characteristics=characteristics,
        predictions=_predictions(outcomes) if setup.execution.keeps_predictions else None,
    )


def _predictions(outcomes: Mapping[Cell, Outcome]) -> pd.DataFrame:
    """Put what is kept of test observations one below the other."""
    parts = [(cell, outcome.kept) for cell, outcome in outcomes.items() if outcome.kept]
    sizes = [len(kept["observation"]) for _, kept in parts]
    table: dict[str, object] = {
        name: np.repeat(np.array([getattr(cell, name) for cell, _ in parts], dtype=object), sizes)
        for name in Cell._fields
    }
    for name in KEPT:
        table[name] = np.array(list(chain.from_iterable(kept[name] for _, kept in parts)), float)
    frame = pd.DataFrame(table)
    whole = {"replication": np.int64, "observation": np.int64}
    return frame.astype({**whole, "dataset": "category", "candidate": "category"})


def _facts(setup: Setup, dataset: DataSet, outcomes: Mapping[Cell, Outcome]) -> dict[str, object]:
    """Return what the report says of a data set itself, and of stages what a fit takes."""
    n_observations, n_variables = dataset.inputs.shape
    facts: dict[str, object] = {
        "n_observations": n_observations - dataset.n_test,
        "n_variables": n_variables,
        "origin": dataset.origin,
    }
    if setup.resampling_of(dataset.name).assessment == "merged":
        facts["n_observations"] = n_observations
    if dataset.task == "classification":
        facts["n_classes"] = len(dataset.target.cat.categories)
    if dataset.setting:
        facts["setting"] = dataset.setting.described()
    if dataset.name in setup.own:
        facts["resampling"] = setup.own[dataset.name].described()
    if setup.resampling.stages:
        facts["fit_seconds"] = fit_seconds(outcomes, dataset.name)
    return facts


def _performances(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> pd.DataFrame:
    cells = pd.DataFrame(list(outcomes), columns=list(Cell._fields))
    sizes = _sizes(outcomes)
    status = np.array([outcome.status for outcome in outcomes.values()])
    parts = []
    for measure in setup.measures:
        values = np.array([o.values.get(measure.name, np.nan) for o in outcomes.values()])
        own = np.where((status == "ok") & np.isnan(values), "failed", status)
        parts.append(cells.assign(measure=measure.name, value=values, status=own, **sizes))
    return pd.concat(parts, ignore_index=True)


def _sizes(outcomes: Mapping[Cell, Outcome]) -> dict[str, np.ndarray]:
    """Return the samples' sizes by column; fits that did not tell take their neighbours'."""
    known = {(c.dataset, c.replication): o.sizes for c, o in outcomes.items() if o.sizes}
    table = np.array([known.get((c.dataset, c.replication), UNKNOWN) for c in outcomes], float)
    columns = table.reshape(-1, 3).T
    return dict(zip(SIZES, columns, strict=True))


def _failures(outcomes: Mapping[Cell, Outcome]) -> list[tuple[object, ...]]:
    return list(chain.from_iterable(_failures_of(cell, o) for cell, o in outcomes.items()))


def _failures_of(cell: Cell, outcome: Outcome) -> Iterator[tuple[object, ...]]:
    key = (cell.dataset, cell.replication, cell.candidate)
    if outcome.status != "ok":
        yield (*key, outcome.stage, outcome.status, outcome.message)
    for measure, reason in outcome.absent.items():
        yield (*key, "measure", "failed", f"{measure}: {reason}")


def _remarks(outcomes: Mapping[Cell, Outcome]) -> list[tuple[object, ...]]:
    """List warnings and choices; values are text, so that one column holds them all."""
    rows: list[tuple[object, ...]] = []
    for cell, outcome in outcomes.items():
        key = (cell.dataset, cell.replication, cell.candidate)
        rows += [(*key, "warning", "", text) for text in outcome.warnings]
        rows += [(*key, "choice", name, str(value)) for name, value in outcome.chosen.items()]
    return rows
