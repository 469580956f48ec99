"""Shares that are written in per cent: by the sign of the cells, or by values above 1."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures import OF_ANYTHING
from reportgen.errors import ExchangeError
from reportgen.exchange.columns import Layout
from reportgen.exchange.keys import flow
from reportgen.exchange.table import RawTable
from reportgen.performance_measure import Measure, in_per_cent

log = logging.getLogger(__name__)
SLACK = 1e-9  # by which a share may lie above 1: rounding in the other tool


def with_per_cent(table: RawTable, layout: Layout, frame: pd.DataFrame) -> Layout:
    """Return a layout whose measures are in per cent where their values are.

    `frame`: the performances, tidy; `is_per_cent` says which cells have the sign.
    Raises ExchangeError if some values of a measure are in per cent and others are not.
    """
    has_value = frame["value"].notna()
    measures = dict(layout.measures)
    for label, measure in layout.measures.items():
        own = frame[has_value & (frame["measure"] == measure.name)]
        if _has_signs(table, measure, own):
            measures[label] = in_per_cent(measure) if measure.unit != "%" else measure
        elif _is_above_one(table, label, measure, own):
            measures[label] = in_per_cent(measure)
            name = measure.name
            log.warning(
                "%s: %s is in per cent, as values are above 1, and none are fractions",
                table.path,
                name,
            )
            table.decided.append(("per-cent", name))
    return replace(layout, measures=measures)


def _has_signs(table: RawTable, measure: Measure, own: pd.DataFrame) -> bool:
    """Whether all values of a measure have the sign of per cent."""
    if "is_per_cent" not in own:
        return False
    signs = own["is_per_cent"].eq(True).to_numpy(np.bool_)
    if signs.any() and measure.unit not in ("", "%", "share"):
        row = own.iloc[int(signs.argmax())]
        raise table.error(
            f"{row['value']:g}% for the measure {measure.name}",
            f"values in {measure.unit}",
            row=int(row["row"]),
        )
    if signs.any() and not signs.all():
        found = "cells with the sign %, and without it"
        raise _two_units(table, measure, own, found, (signs, ~signs), "the sign in all cells")
    return bool(signs.any())


def _is_above_one(table: RawTable, label: str, measure: Measure, own: pd.DataFrame) -> bool:
    """Whether the values of a share are all 0, or above 1 and up to 100."""
    if measure.unit != "share" or measure.bounds[1] != 1.0:
        return False
    if label.strip().lower() in OF_ANYTHING and measure.name != label:
        return False
    values = own["value"].to_numpy(np.float64)
    is_above = values > 1 + SLACK
    is_beyond = (values > 100).any() or (values < 100 * (measure.bounds[0] or -np.inf)).any()
    if not is_above.any() or is_beyond:
        return False
    is_share = ~is_above & (values != 0)
    if is_share.any():
        found, entry = "values above 1, and others up to 1", {"name": measure.name, "unit": "%"}
        unit = f"measures=[{entry}]" if table.is_argument else f"`measures: [{flow(entry)}]`"
        allowed = f"one unit: {unit}, where all are in per cent"
        odd = own.loc[is_above, "candidate"].unique()
        if len(odd) == 1 and str(odd[0]) in table.columns:
            ignored = table.key("columns", {"ignore": str(odd[0])}, is_alone=False)
            allowed += f"; {ignored}, where {odd[0]} is no candidate"
        raise _two_units(table, measure, own, found, (is_above, is_share), allowed)
    return True


def _two_units(
    table: RawTable,
    measure: Measure,
    own: pd.DataFrame,
    found: str,
    parts: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    allowed: str,
) -> ExchangeError:
    """Return the error for values of two units, with the first row of each."""
    rows = [own.iloc[int(part.argmax())] for part in parts]
    places = [f"{r['value']:g} of {r['candidate']} in {table.where(int(r['row']))}" for r in rows]
    return table.error(f"{found}, for the measure {measure.name}: {' and '.join(places)}", allowed)
