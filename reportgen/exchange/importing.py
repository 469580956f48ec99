"""Other tools' results, from one file or several, into one warehouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.foreign import FORMATS, Format, Found, NotNumericError, find_format
from reportgen.exchange.table import RawTable, read_table
from reportgen.exchange.tidy import read_results
from reportgen.study.faults import listed, nearest, shown
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Better, Measure, Warehouse

Shape = Literal["tidy", "wide"]
SHAPES: tuple[Shape, ...] = ("tidy", "wide")


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are to be read.

    Attributes
    ----------
    kind : str or None
        "tidy", "wide" or the name of another tool's format; found out when None.
    measure : str or None
        The one measure of wide tables.
    better : mapping of str to {"smaller", "larger"}
        Directions of measures that nobody else knows.
    columns : mapping of str to str
        The file's column by our name for it.
    """

    kind: str | None = None
    measure: str | None = None
    better: Mapping[str, Better] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)


def import_results(paths: Sequence[Path], reading: Reading | None = None) -> Warehouse:
    """Read files of results and put them together.

    Parameters
    ----------
    paths : sequence of Path
    reading : Reading, optional

    Returns
    -------
    Warehouse

    Raises
    ------
    ExchangeError
        If a file cannot be understood, or two of them hold the same cell.
    """
    reading = reading or Reading()
    if reading.kind is not None and reading.kind not in (*SHAPES, *FORMATS):
        known = (*SHAPES, *FORMATS)
        near = nearest(reading.kind, known)
        question = f"; did you mean {near}?" if near else ""
        raise ExchangeError(
            f"--from: found {shown(reading.kind)}; allowed {listed(known)}{question}"
        )
    parts = [_read(path, reading) for path in paths]
    measures = _measures(paths, parts)
    frame = pd.concat(
        [part.frame.astype({"dataset": str, "candidate": str, "measure": str}) for part in parts],
        ignore_index=True,
    )
    _check_cells(paths, parts)
    return Warehouse.of(frame, measures)


def _read(path: Path, reading: Reading) -> Warehouse:
    """Read one file, as what it is said to be or looks like."""
    table = read_table(path)
    kind = reading.kind
    if kind is None and reading.measure is not None:
        kind = "wide"
    foreign = FORMATS.get(kind) if kind else find_format(list(table.columns))
    if foreign is not None:
        return _read_foreign(path, foreign, reading)
    if kind == "wide":
        name = reading.measure
        if name is None:
            raise table.error("a wide table without a measure", "--measure NAME")
        entry = MeasureEntry(name=name, better=reading.better.get(name))
        return read_results(path, columns=reading.columns, measures=(entry,), wide=True)
    told = {name: Measure(name, better) for name, better in reading.better.items()}
    try:
        return read_results(path, columns=reading.columns, known=told)
    except ExchangeError as error:
        raise ExchangeError(f"{error}\n{_kinds()}") from None


def _read_foreign(path: Path, kind: Format, reading: Reading) -> Warehouse:
    """Read another tool's table, by way of a tidy one."""
    table = read_table(path)
    lacking = [column for column in kind.needs if column not in table.columns]
    if lacking:
        raise table.error(
            f"no column {listed(lacking)} of {kind.source}", f"the columns {listed(kind.needs)}"
        )
    tidy, entries = _laid_out(table, kind)
    measures = tuple(
        entry.model_copy(update={"better": reading.better.get(entry.name, entry.better)})
        for entry in entries
    )
    with TemporaryDirectory() as folder:
        between = Path(folder) / f"{path.stem}.parquet"
        tidy.astype({"dataset": str, "candidate": str, "measure": str}).to_parquet(between)
        try:
            return read_results(between, measures=measures)
        except ExchangeError as error:
            text = str(error).replace(str(between), f"{path} (from {kind.source})")
            raise ExchangeError(f"{text}; or say it by --better NAME=smaller") from None


def _laid_out(table: RawTable, kind: Format) -> Found:
    """Return the tidy table of another tool's, and the measures whose direction is known."""
    path, separator = table.path, table.separator
    frame = (
        pd.read_parquet(path).reset_index(drop=True)
        if separator is None
        else pd.read_csv(path, sep=separator, encoding="utf-8-sig", low_memory=False)
    )
    named = frame.loc[:, ~frame.columns.str.fullmatch(r"\s*|Unnamed: \d+")]
    try:
        return kind.read(named, path.stem)
    except NotNumericError as error:
        allowed = "a number with a decimal point, or NA"
        raise table.error(shown(error.found), allowed, row=error.row, column=error.column) from None


def _measures(paths: Sequence[Path], parts: Sequence[Warehouse]) -> tuple[Measure, ...]:
    """Put the measures of all files together; their meanings must agree."""
    found: dict[str, tuple[Path, Measure]] = {}
    for path, part in zip(paths, parts, strict=True):
        for measure in part.measures:
            first, known = found.setdefault(measure.name, (path, measure))
            if known != measure:
                raise ExchangeError(
                    f"{path}: found the measure {shown(measure.name)} as {_said(measure)}; allowed "
                    f"{_said(known)}, as in {first}"
                )
    return tuple(measure for _, measure in found.values())


def _said(measure: Measure) -> str:
    return f"{measure.better} is better{f', in {measure.unit}' if measure.unit else ''}"


def _check_cells(paths: Sequence[Path], parts: Sequence[Warehouse]) -> None:
    """Raise an error where two files hold one cell."""
    key = ["dataset", "replication", "candidate", "measure"]
    seen: pd.DataFrame | None = None
    for path, part in zip(paths, parts, strict=True):
        own = part.frame[key].astype({"dataset": str, "candidate": str, "measure": str})
        if seen is not None:
            both = own.merge(seen, on=key)
            if len(both):
                cell = ", ".join(f"{name} {both[name].iloc[0]}" for name in key)
                raise ExchangeError(
                    f"{path}: found {cell} ({len(both)} such cells), which is also in "
                    f"{both['path'].iloc[0]}; allowed each cell in one file"
                )
        own = own.assign(path=str(path))
        seen = own if seen is None else pd.concat([seen, own], ignore_index=True)


def _kinds() -> str:
    lines = [f"  {kind.name}: {listed(kind.needs)} ({kind.source})" for kind in FORMATS.values()]
    return "\n".join(
        [
            "Tables that are understood, and the columns they are known by:",
            "  tidy: candidate, and measure and value or one column a measure",
            "  wide: one column a candidate, with --measure NAME",
            *lines,
        ]
    )
