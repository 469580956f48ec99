"""Other tools' results, from one file or several, into one warehouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.columns import WIDE, DirectionError, entry_of, sided_measure
from reportgen.exchange.files import read_table
from reportgen.exchange.readers import FORMATS, SHAPES, describe_formats
from reportgen.exchange.table import Columns, RawTable, RowsCount
from reportgen.exchange.tidy import read_results
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import listed, shown, suggestion
from reportgen.warehouse import KEY, Warehouse
from reportgen.warehouse.items import item_places, ranks_within

FILE = "file"  # in place of a column of candidates: each file has one

ITEM = ["dataset", "item"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Options to read files."""

    # "tidy", "wide" or the name of another tool's format; found out when None.
    kind: str | None = None
    measure: str | None = None  # the one measure of wide tables
    # Directions of measures that nobody else knows.
    better: Mapping[str, Better] = field(default_factory=dict)
    # The file's column by our name for it; replications may have several.
    columns: Columns = field(default_factory=dict)
    item: str = ""  # the object, of files that R's save has written
    # Whether the rows of a candidate are its replications, in their order.
    replication: RowsCount | None = None
    epoch: str | None = None  # which one of a training counts
    is_argument: bool = False  # as of a table


def import_results(paths: Sequence[Path], reading: Reading | None = None) -> Warehouse:
    """Read files of results and put them together.

    Raises ExchangeError if a file cannot be understood, or two of them hold the same cell.
    """
    reading = reading or Reading()
    if reading.kind is not None and reading.kind not in (*SHAPES, *FORMATS):
        known = (*SHAPES, *FORMATS)
        question = suggestion(reading.kind, known)
        key = "format" if reading.is_argument else "--from"
        raise ExchangeError(
            f"{key}: found {shown(reading.kind)}; allowed {listed(known)}{question}"
        )
    names = names_of_files(paths)
    parts = [_read(path, reading, name) for path, name in zip(paths, names, strict=True)]
    if len(parts) == 1:
        return parts[0]
    measures = _measures(paths, parts)
    parts = align_items(parts)
    frame = _together([part.frame for part in parts])
    _check_cells(paths, parts, frame)
    failures = pd.concat([part.failures for part in parts], ignore_index=True)
    remarks = pd.concat([part.remarks for part in parts], ignore_index=True)
    items, runs, losses = (
        pd.concat([getattr(part, name) for part in parts], ignore_index=True)
        for name in ("items", "runs", "losses")
    )
    common, own_schemes = _schemes(parts)
    facts: dict[str, dict[str, object]] = {}
    for name, own in ((name, own) for part in parts for name, own in part.facts.items()):
        kept = {key: fact for key, fact in own.items() if key != "resampling"}
        if "summaries" in kept:
            kept["summaries"] = _summaries(facts.get(name, {}).get("summaries", {}), kept)
        facts[name] = kept
    for name, scheme in own_schemes.items():
        facts.setdefault(name, {})["resampling"] = scheme
    return Warehouse.of(
        frame,
        measures,
        failures=failures,
        remarks=remarks,
        problem=parts[0].problem if len({part.problem for part in parts}) == 1 else None,
        resampling=common,
        facts=facts,
        items=items.drop_duplicates(["dataset", "replication"], ignore_index=True),
        runs=runs,
        losses=losses,
    )


def _summaries(found: Any, own: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Add the spreads of the candidates of one more file, by measure."""
    more = own["summaries"]
    return {m: {**found.get(m, {}), **more.get(m, {})} for m in (*found, *more)}


def _schemes(
    parts: Sequence[Warehouse],
) -> tuple[Mapping[str, object], dict[str, Mapping[str, object]]]:
    """Return the sampling scheme of all files, or those of their data sets where they differ."""
    # A data set of several files has a scheme where they agree.
    found: dict[str, list[Mapping[str, object]]] = {}
    for part in parts:
        for name in part.datasets:
            found.setdefault(name, []).append(part.resampling_of(name))
    agreed = {d: own[0] if all(x == own[0] for x in own) else {} for d, own in found.items()}
    schemes = list(agreed.values())
    if all(scheme == schemes[0] for scheme in schemes):
        return schemes[0], {}
    return {}, {name: scheme for name, scheme in agreed.items() if scheme}


def _together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put performances below one another; names stay numbered."""
    named = {
        column: union_categoricals([frame[column] for frame in frames])
        for column in ("dataset", "candidate", "measure")
    }
    plain = pd.concat([frame.drop(columns=list(named)) for frame in frames], ignore_index=True)
    return plain.assign(**named)


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the names that files give to their candidates: of files, else folders, else both.

    One file alone gives none.

    Examples
    --------
    >>> names_of_files([Path("rf.csv"), Path("svm.csv")])
    ['rf', 'svm']
    >>> names_of_files([Path("rf/r.csv"), Path("svm/r.csv")])
    ['rf', 'svm']
    """
    if len(paths) < 2:
        return [""] * len(paths)
    of_folders = [path.absolute().parent.name for path in paths]
    for names in ([path.stem for path in paths], of_folders):
        if len(set(names)) == len(paths):
            return names
    return [str(path.with_suffix("")) for path in paths]


def _read(path: Path, reading: Reading, name: str) -> Warehouse:
    """Read one file in the given format, else in the one it looks like."""
    # `name`: what it is called among several, "" where it is alone.
    directions = {
        name: sided_measure(name, better, "command-line", {})
        for name, better in reading.better.items()
    }
    table = replace(read_table(path, reading.item), is_argument=reading.is_argument)
    if name and reading.columns.get("candidate") == FILE and FILE not in table.columns:
        table = _with_name(table, name)
    read = partial(
        read_results,
        table,
        columns=reading.columns,
        replication=reading.replication,
        epoch=reading.epoch,
        known=directions,
    )
    if reading.kind == "wide" or (reading.kind is None and reading.measure is not None):
        if reading.measure is None:
            option = "measure='NAME'" if reading.is_argument else "--measure NAME"
            raise ExchangeError(f"{path}: found a wide table without a measure; allowed {option}")

        def refusal(found: str, allowed: str) -> ExchangeError:
            return ExchangeError(f"{path}: found {found}; allowed {allowed}")

        entry = entry_of(reading.measure, refusal)
        return read(measures=(entry,), wide=True)
    try:
        return read(kind=reading.kind)
    except DirectionError:
        raise
    except ExchangeError as error:
        message = str(error)
        if name and "no column of candidates" in message:
            key = f"columns={{'candidate': '{FILE}'}}"
            option = key if reading.is_argument else f"--column candidate={FILE}"
            raise ExchangeError(
                f"{error}, or {option} where each file has one candidate, here {shown(name)}"
            ) from None
        if reading.kind is None and "no column of candidates" in message and WIDE not in message:
            raise ExchangeError(f"{error}\n{describe_formats()}") from None
        raise


def _with_name(table: RawTable, name: str) -> RawTable:
    """Add a column with the name of a file."""
    import pyarrow as pa

    names = pa.chunked_array([pa.array([name] * table.n_rows, pa.string())])
    return replace(table, columns={FILE: names, **table.columns})


def _measures(paths: Sequence[Path], parts: Sequence[Warehouse]) -> tuple[Measure, ...]:
    """Put the measures of all files together; their meanings must agree."""
    found: dict[str, tuple[Path, Measure]] = {}
    for path, part in zip(paths, parts, strict=True):
        for measure in part.measures:
            first, known = found.setdefault(measure.name, (path, measure))
            if known != measure:
                raise ExchangeError(
                    f"{path}: found the measure {shown(measure.name)} as {_describe(measure)}; "
                    f"allowed {_describe(known)}, as in {first}"
                )
    return tuple(measure for _, measure in found.values())


def _describe(measure: Measure) -> str:
    return (
        f"{measure.better} is better{f', in {measure.unit_symbol}' if measure.unit_symbol else ''}"
    )


def _check_cells(paths: Sequence[Path], parts: Sequence[Warehouse], frame: pd.DataFrame) -> None:
    """Raise an error where two files hold one cell."""
    twice = frame.duplicated(list(KEY)).to_numpy()
    if not twice.any():
        return
    second = int(twice.argmax())
    cell = frame.iloc[second]
    same = np.logical_and.reduce([(frame[name] == cell[name]).to_numpy() for name in KEY])
    ends = np.cumsum([len(part.frame) for part in parts])
    own, other = (paths[int(np.searchsorted(ends, i, "right"))] for i in (second, same.argmax()))
    named = ", ".join(f"{name} {cell[name]}" for name in KEY)
    raise ExchangeError(
        f"{own}: found {named} ({int(twice.sum())} such cells), which is also in {other}; allowed "
        "each cell in one file"
    )


def align_items(parts: Sequence[Warehouse]) -> list[Warehouse]:
    """Number the items of several warehouses together, where all of them have items.

    Each file numbers its own items from 1: number 5 may be another item elsewhere.

    Result: as given where one of them has no items.
    """
    if any(part.items.empty for part in parts):
        return list(parts)
    tables = [part.items.astype({"dataset": object, "item": object}) for part in parts]
    found = pd.concat(tables, ignore_index=True)[ITEM].drop_duplicates(ignore_index=True)
    names = found["item"].unique().tolist()
    place = dict(zip(names, item_places(names).tolist(), strict=True))
    number = ranks_within(
        pd.factorize(found["dataset"])[0],
        found["item"].map(place).to_numpy(np.int64),
    )
    found = found.assign(number=number)
    merged = [own.merge(found, on=ITEM) for own in tables]
    return [_renumber(part, own) for part, own in zip(parts, merged, strict=True)]


def _renumber(part: Warehouse, items: pd.DataFrame) -> Warehouse:
    """Give the replications of a warehouse the numbers of their items."""
    by_old = items.set_index(["dataset", "replication"])["number"]

    def renumber(table: pd.DataFrame) -> pd.DataFrame:
        if table.empty:
            return table
        keys = [table["dataset"].astype(object), table["replication"]]
        numbers = by_old.reindex(pd.MultiIndex.from_arrays(keys)).to_numpy(np.int64)
        return table.assign(replication=numbers)

    return replace(
        part,
        frame=renumber(part.frame),
        failures=renumber(part.failures),
        remarks=renumber(part.remarks),
        runs=renumber(part.runs),
        items=items.drop(columns="replication").rename(columns={"number": "replication"}),
    )
