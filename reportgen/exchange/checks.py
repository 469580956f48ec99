"""What may be wrong with performances, whatever the table they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from reportgen.exchange.layout import Layout
from reportgen.exchange.table import RawTable
from reportgen.performance_rows import second_rows
from reportgen.study.errors import shown
from reportgen.warehouse import Measure

SLACK = 1e-9  # by which a value may lie outside its bounds: rounding in the other tool


def check_duplicates(table: RawTable, frame: pd.DataFrame, key: list[str]) -> None:
    """Raise an error with both rows where a cell is given twice."""
    twice = second_rows(frame) if "measure" in key else frame.duplicated(key).to_numpy()
    if not twice.any():
        return
    second = frame.iloc[int(twice.argmax())]
    same = np.logical_and.reduce([(frame[k] == second[k]).to_numpy() for k in key])
    first = frame.iloc[int(same.argmax())]
    cell = ", ".join(f"{k} {shown(second[k]) if k != 'replication' else second[k]}" for k in key)
    raise table.error(
        f"{cell} a second time, first in row {table.row(int(first['row']))} "
        f"({int(twice.sum())} such rows)",
        "each once; if the rows differ in another column, it belongs to the replication",
        row=int(second["row"]),
    )


def check_bounds(table: RawTable, layout: Layout, frame: pd.DataFrame, measure: Measure) -> None:
    """Raise an error where a value cannot be, such as a share in per cent."""
    values = frame["value"].where(frame["measure"] == measure.name).to_numpy(np.float64)
    lower, upper = (
        np.copysign(np.inf, side) if bound is None else bound + side * SLACK
        for bound, side in zip(measure.bounds, (-1, 1), strict=True)
    )
    outside = (values < lower) | (values > upper)
    if not outside.any():
        return
    at = int(outside.argmax())
    low, high = ("…" if bound is None else f"{bound:g}" for bound in measure.bounds)
    hint = "are they in per cent?" if measure.unit == "share" and values[at] > 1 else ""
    label = next(label for label, m in layout.measures.items() if m is measure)
    raise table.error(
        f"{values[at]:g} for the measure {measure.name}",
        f"values from {low} to {high} ({hint or 'is it another measure?'} Give it a name of its "
        f"own in a manifest: {{name: …, column: {label}, better: {measure.better}}})",
        row=int(frame["row"].iloc[at]),
        column=_column(layout, frame.iloc[at], label),
    )


def _column(layout: Layout, row: pd.Series[Any], label: str) -> str:
    """Return the file's column in which a value stands."""
    return (layout.columns["value"] or str(row["candidate"])) if layout.is_tidy else label
