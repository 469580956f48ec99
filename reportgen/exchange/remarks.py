"""What goes along with performances: why fits failed, what they remarked, how a file was read."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reportgen.warehouse import REMARK_COLUMNS

FIT = ["dataset", "replication", "candidate"]
READING = "reading"
"""Kind of a remark that is no fit's, but says what was decided while a file was read."""


def of_lost_fits(failures: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Keep the failures of fits without a value: a table may be a part of the one written.

    Parameters
    ----------
    failures : DataFrame or None
    frame : DataFrame
        The performances, tidy.
    """
    return _of(failures, frame[frame["value"].isna()])


def of_fits(remarks: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Keep the remarks of the fits that a table has."""
    return _of(remarks, frame)


def _of(rows: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame | None:
    if rows is None:
        return None
    there = pd.MultiIndex.from_frame(
        frame[FIT].drop_duplicates().astype({"dataset": str, "candidate": str})
    )
    return rows[pd.MultiIndex.from_frame(rows[FIT]).isin(there)].reset_index(drop=True)


def with_decisions(
    remarks: pd.DataFrame | None, decided: Sequence[tuple[str, str]], frame: pd.DataFrame
) -> pd.DataFrame | None:
    """Add what was decided while a file was read, as remarks at its first fit.

    Parameters
    ----------
    remarks : DataFrame or None
    decided : sequence of (what, of which column)
    frame : DataFrame
        The performances, tidy.
    """
    if not decided:
        return remarks
    for name in FIT:  # whatever the order of the rows
        frame = frame[frame[name] == min(frame[name].unique().tolist())]
    dataset, replication, candidate = frame.iloc[0][FIT]
    at = (str(dataset), int(replication), str(candidate), READING)
    rows = [(*at, *decision) for decision in dict.fromkeys(decided)]
    told = pd.DataFrame(rows, columns=list(REMARK_COLUMNS))
    return told if remarks is None else pd.concat([remarks, told], ignore_index=True)
