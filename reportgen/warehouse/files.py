"""The warehouse on disk: Parquet files that a reader takes together or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from hashlib import file_digest
from math import isfinite
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa

from reportgen.data_classes import dataclass
from reportgen.errors import WarehouseError
from reportgen.file_writing import replacement
from reportgen.installation import page_url
from reportgen.json_text import parse_json
from reportgen.performance_measure import (
    Better,
    BetterSource,
    Measure,
    PairScale,
    Problem,
)
from reportgen.warehouse import (
    CHARACTERISED,
    FAILURE_COLUMNS,
    LOSS_COLUMNS,
    REMARK_COLUMNS,
    SIZES,
    Warehouse,
)
from reportgen.warehouse.items import ITEM_COLUMNS
from reportgen.warehouse.samples import COLUMNS, samples_of, tables_of

METADATA = b"reportgen"
VERSION = 1
ABOUT = ("problem", "resampling", "facts", "descriptions")
PERFORMANCES = "performances.parquet"
FAILURES = "failures.parquet"
REMARKS = "remarks.parquet"
CHARACTERISTICS = "characteristics.parquet"
PREDICTIONS = "predictions.parquet"
ITEMS = "items.parquet"
RUNS = "runs.parquet"
LOSSES = "losses.parquet"
SAMPLES = tuple(f"{name}.parquet" for name in COLUMNS)
SIZES_FILE = "samples.parquet"
READ = (FAILURES, REMARKS, CHARACTERISTICS, PREDICTIONS, ITEMS, RUNS, LOSSES, *SAMPLES)
TABLES = (*READ, SIZES_FILE)
"""What may lie beside the performances; the sizes of samples are in these, too."""
BATTLES = "battles"
"""The folder of battles beside scores, which is a warehouse of its own."""
BATTLES_FILE = f"{BATTLES}/{PERFORMANCES}"


def write_warehouse(warehouse: Warehouse, folder: Path) -> None:
    """Write the tables of a warehouse.

    performances.parquet holds one row a performance, and in its schema's
    metadata what a table cannot: measures, orders, problem, resampling, and the
    digests of the other files, so that a reader knows whether they belong to it.
    failures.parquet holds the failures, remarks.parquet warnings and chosen
    hyperparameters, samples.parquet the sizes of each replication's samples,
    characteristics.parquet what is known of each learning sample and data set,
    predictions.parquet what was predicted of test observations, items.parquet which item
    each replication is, runs.parquet what its repeated runs gave, losses.parquet the mean loss
    of every observation, and observations.parquet,
    learning.parquet and curves.parquet observations, learning samples and fitted curves,
    where these were kept. The folder battles holds battles beside scores, a warehouse of their own.

    `folder`: made where it is missing.
    Raises WarehouseError if a file cannot be written; what is replaced is then intact.
    """
    others = {
        FAILURES: warehouse.failures,
        REMARKS: warehouse.remarks,
        SIZES_FILE: _samples(warehouse.frame),
        CHARACTERISTICS: warehouse.characteristics,
    }
    if len(warehouse.predictions):
        others[PREDICTIONS] = warehouse.predictions
    if len(warehouse.items):
        others[ITEMS] = warehouse.items
    if len(warehouse.runs):
        others[RUNS] = warehouse.runs
    if len(warehouse.losses):
        others[LOSSES] = warehouse.losses
    others |= {f"{name}.parquet": table for name, table in tables_of(warehouse.samples).items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as written:  # all are moved to their places once all are there
            digests = {}
            if warehouse.battles is not None:
                write_warehouse(warehouse.battles, folder / BATTLES)
                digests[BATTLES_FILE] = _digest(folder / BATTLES_FILE)
            for name, frame in others.items():
                temporary = written.enter_context(replacement(folder / name, follows=False))
                _write(frame, temporary)
                digests[name] = _digest(temporary)
            temporary = written.enter_context(replacement(folder / PERFORMANCES, follows=False))
            _write(warehouse.frame, temporary, {**_describe(warehouse), "files": digests})
        for name in (PREDICTIONS, ITEMS, RUNS, LOSSES, *SAMPLES):
            if name not in others:
                (folder / name).unlink(missing_ok=True)  # of an earlier writing
        if warehouse.battles is None and (folder / BATTLES_FILE).is_file():
            _remove_battles(folder / BATTLES)
    except OSError as error:
        raise WarehouseError(
            f"{folder}: found a folder that cannot be written ({error}); allowed one that can"
        ) from error


def _remove_battles(folder: Path) -> None:
    """Remove the battles of an earlier writing, and their folder where nothing else is in it."""
    for name in (PERFORMANCES, *TABLES):
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def read_warehouse(folder: Path) -> Warehouse:
    """Read a warehouse that `write_warehouse` has written.

    Raises WarehouseError if there is none, it is damaged, or its files are not of one writing.
    """
    performances = _read(folder / PERFORMANCES)
    try:
        described = _described(performances.schema.metadata)
        _check_version(described, folder)
        measures = [_measure(entry) for entry in described["measures"]]
        names = {key: described[key] for key in ("datasets", "candidates")}
        about = {key: described[key] for key in ABOUT}
        digests = dict(described.get("files", {}))
        _check_description(names, about)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WarehouseError(
            f"{folder / PERFORMANCES}: found no metadata of a warehouse ({error!r}); allowed what "
            "reportgen has stored"
        ) from error
    _check_together(folder, digests)
    try:
        needed = {FAILURES, REMARKS, *digests}
        found = {name: _read(folder / name).to_pandas() for name in READ if name in needed}
        frame = performances.to_pandas()
        numbers = {"value": float, **dict.fromkeys(SIZES, float), "replication": int}
        frame.astype(numbers)  # or an error of what is no number
        if not len(frame):
            raise ValueError("no performances")
        for name in ("dataset", "candidate", "measure"):
            if not all(isinstance(text, str) for text in frame[name].unique()):
                raise TypeError(f"names in the column {name} that are no text")
        return Warehouse.of(
            frame,
            measures,
            **names,
            failures=found[FAILURES][list(FAILURE_COLUMNS)],
            remarks=found[REMARKS][list(REMARK_COLUMNS)],
            characteristics=_characteristics(folder, found.get(CHARACTERISTICS)),
            predictions=found.get(PREDICTIONS),
            samples=samples_of({Path(n).stem: found[n] for n in SAMPLES if n in found}),
            items=found.get(ITEMS),
            runs=found.get(RUNS),
            losses=_losses(found.get(LOSSES)),
            battles=read_warehouse(folder / BATTLES) if BATTLES_FILE in digests else None,
            **about,
        )
    except (LookupError, TypeError, ValueError, AttributeError, pa.ArrowException) as error:
        raise WarehouseError(
            f"{folder}: found tables that are no warehouse ({error!r}); allowed what reportgen has "
            "stored"
        ) from error


def _check_description(names: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Raise a TypeError where a description is not of the kinds that it is written in."""
    texts = all(
        isinstance(own, list) and all(isinstance(n, str) for n in own) for own in names.values()
    )
    problem = about["problem"] in (None, *get_args(Problem))
    facts = all(isinstance(own, dict) for own in about["facts"].values())
    descriptions = all(isinstance(text, str) for text in about["descriptions"].values())
    if not (texts and problem and facts and descriptions and isinstance(about["resampling"], dict)):
        raise TypeError("names, problem, facts, descriptions or resampling of another kind")


def warehouse_digest(folder: Path) -> str:
    """Return the SHA-256 of the performances, on which the other files hang."""
    return _digest(folder / PERFORMANCES)


def write_performances(warehouse: Warehouse, path: Path) -> None:
    """Write the performances alone, with what is known of them.

    That are their measures and scheme, why fits failed and what they remarked, and the mean losses
    of observations. Every run of an item is a replication there.

    Raises WarehouseError if the file cannot be written; the one it replaces is then intact.
    """
    try:
        with replacement(path) as temporary:
            tables = warehouse.tables_by_run()
            failures = tables.failures.to_dict(orient="list")
            remarks = warehouse.remarks.astype(object).to_dict(orient="list")
            found = {"failures": failures, "remarks": remarks}
            if len(warehouse.items):
                items = tables.items.astype(object).where(tables.items.notna(), None)
                found["items"] = items.to_dict(orient="list")
            if len(warehouse.losses):
                found["losses"] = warehouse.losses.astype(object).to_dict(orient="list")
            frame = _with_summaries(tables.frame, warehouse)
            _write(frame, temporary, {**_describe(warehouse), **found})
    except OSError as error:
        raise WarehouseError(
            f"{path}: found a file that cannot be written ({error}); allowed one that can"
        ) from error


def _with_summaries(frame: pd.DataFrame, warehouse: Warehouse) -> pd.DataFrame:
    """Add the standard deviation and the number of the values that means are of, where known."""
    if not warehouse.unit.is_summary:
        return frame
    cells = frame[["dataset", "measure", "candidate"]].astype(str).itertuples(index=False)
    found = [warehouse.summary(*cell) for cell in cells]
    deviations, n_values = zip(*found, strict=True)
    return frame.assign(sd=deviations, n_values=n_values)


def measures_in(metadata: Mapping[bytes, bytes] | None) -> dict[str, Measure]:
    """Return the measures that a Parquet file describes, by their names; none in other files."""
    try:
        described = _described(metadata)
        measures = [_measure(entry) for entry in described["measures"]]
    except (KeyError, TypeError, ValueError):
        return {}
    return {measure.name: measure for measure in measures}


def orders_in(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Return the order of names that a Parquet file describes, by column; none in other files."""
    try:
        described = _described(metadata)
        named = {"dataset": described["datasets"], "candidate": described["candidates"]}
        orders = {column: [str(name) for name in names] for column, names in named.items()}
    except (KeyError, TypeError, ValueError):
        return {}
    return {**orders, "measure": list(measures_in(metadata))}


def failures_in(metadata: Mapping[bytes, bytes] | None) -> pd.DataFrame | None:
    """Return the failures in the metadata of a Parquet file; None where there are none."""
    return _table_in(metadata, "failures", FAILURE_COLUMNS)


def remarks_in(metadata: Mapping[bytes, bytes] | None) -> pd.DataFrame | None:
    """Return the remarks in the metadata of a Parquet file; None where there are none."""
    return _table_in(metadata, "remarks", REMARK_COLUMNS)


def items_in(metadata: Mapping[bytes, bytes] | None) -> pd.DataFrame | None:
    """Return the items in the metadata of a Parquet file; None where there are none."""
    try:
        found = _described(metadata)["items"]
        frame = pd.DataFrame({name: list(found[name]) for name in ITEM_COLUMNS})
        numbers = frame[["replication", "epoch"]].astype("int64")
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    texts = frame[["dataset", "item", "cluster"]]
    if not all(cell is None or isinstance(cell, str) for cell in texts.to_numpy().ravel()):
        return None
    names = {"item": "category", "cluster": "category"}
    return frame.assign(**numbers).astype(names)


def losses_in(metadata: Mapping[bytes, bytes] | None) -> pd.DataFrame | None:
    """Return the losses in the metadata of a Parquet file; None where there are none."""
    try:
        found = _described(metadata)["losses"]
        frame = _losses(pd.DataFrame({name: list(found[name]) for name in LOSS_COLUMNS}))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if frame is None or not np.isfinite(frame["loss"]).all() or (frame["n_tested"] < 1).any():
        return None
    names = frame[["dataset", "measure", "candidate"]].to_numpy().ravel()
    return frame if len(frame) and all(isinstance(cell, str) for cell in names) else None


@dataclass(frozen=True, slots=True)
class StoredDesign:
    """How samples were drawn, as a file of performances says it."""

    problem: Problem | None
    resampling: Mapping[str, object]  # the scheme and its options; empty where data sets differ
    of_datasets: Mapping[str, Mapping[str, object]]  # the same of data sets that differ


def design_in(metadata: Mapping[bytes, bytes] | None) -> StoredDesign | None:
    """Return how samples were drawn, from the metadata of a Parquet file.

    Result: None where it does not say so, and where replications are means over seeds, of which
    the file has no values.
    """
    try:
        described = _described(metadata)
        problem, common, facts = (described[key] for key in ("problem", "resampling", "facts"))
        own = {str(d): dict(about.get("resampling", {})) for d, about in facts.items()}
        has_seeds = any("seeds" in about for about in facts.values())
        schemes = [scheme for scheme in (dict(common), *own.values()) if scheme]
        is_known = all(map(_is_scheme, schemes)) and problem in (None, *get_args(Problem))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    if not is_known or has_seeds or not (schemes or problem):
        return None
    return StoredDesign(problem, dict(common), {name: own[name] for name in own if own[name]})


def _is_scheme(scheme: Mapping[str, Any]) -> bool:
    """Whether a scheme and its options are such as a warehouse keeps; a TypeError otherwise."""
    texts = all(isinstance(scheme.get(key, ""), str) for key in ("scheme", "assessment"))
    return texts and int(scheme.get("folds", 2)) >= 2 and 0 < float(scheme.get("fraction", 0.5)) < 1


def _table_in(
    metadata: Mapping[bytes, bytes] | None, what: str, names: tuple[str, ...]
) -> pd.DataFrame | None:
    """Return a table from the description of a file, where each cell is of the right kind."""
    try:
        found = _described(metadata)[what]
        columns = {name: list(found[name]) for name in names}
        rows = list(zip(*columns.values(), strict=True))
    except (KeyError, TypeError, ValueError):
        return None
    kinds = [int if name == "replication" else str for name in names]
    if not all(
        isinstance(cell, kind) for row in rows for cell, kind in zip(row, kinds, strict=True)
    ):
        return None
    return pd.DataFrame(rows, columns=list(names)) if rows else None


def _described(metadata: Mapping[bytes, bytes] | None) -> Any:
    """Return what `_describe` has put into a file; a KeyError or ValueError where there is none."""
    return parse_json((metadata or {})[METADATA].decode())


def _describe(warehouse: Warehouse) -> dict[str, Any]:
    return {
        "version": VERSION,
        "measures": [measure.stored for measure in warehouse.measures],
        "datasets": list(warehouse.datasets),
        "candidates": list(warehouse.candidates),
        **{key: getattr(warehouse, key) for key in ABOUT},
    }


def _check_version(described: Mapping[str, Any], folder: Path) -> None:
    """Raise a WarehouseError where a later program has written in a form of its own."""
    if (found := described["version"]) > VERSION:
        raise WarehouseError(
            f"{folder}: found a warehouse of version {found}; allowed {VERSION}: a later reportgen "
            f"has written it, which reads it (docs: {page_url('upgrade.md#warehouses')})"
        )


def _measure(entry: dict[str, Any]) -> Measure:
    """Make a measure of its description."""
    # Raises KeyError, TypeError, ValueError if it is none.
    lower, upper = entry["bounds"]
    known = {
        "better": get_args(Better),
        "scale": (None, *get_args(PairScale)),
        "better_source": get_args(BetterSource),
    }
    ends = [end for end in (lower, upper) if end is not None]
    is_measure = (
        all(isinstance(entry.get(key, ""), str) for key in ("name", "unit"))
        and all(entry[key] in values for key, values in known.items() if key in entry)
        and all(isinstance(end, int | float) and isfinite(end) for end in ends)
        and ends == sorted(set(ends))
    )
    if not is_measure:
        raise ValueError(f"{entry} is no measure")
    return Measure.of_stored({**entry, "bounds": (lower, upper)})


def _losses(found: pd.DataFrame | None) -> pd.DataFrame | None:
    """Check the table of losses; warehouses of earlier versions have none."""
    if found is None:
        return None
    numbers = {"observation": np.int64, "loss": np.float64, "n_tested": np.int64}
    return found[list(LOSS_COLUMNS)].astype(numbers)


def _characteristics(folder: Path, found: pd.DataFrame | None) -> pd.DataFrame | None:
    """Check the table of characteristics; warehouses of earlier versions have none."""
    if found is None:
        return None
    if tuple(found.columns[: len(CHARACTERISED)]) != CHARACTERISED:
        raise WarehouseError(
            f"{folder / CHARACTERISTICS}: found no columns {CHARACTERISED}; allowed what reportgen "
            "has stored"
        )
    return found.astype({"dataset": object, "replication": "Int64", "scheme": object})


def _samples(frame: pd.DataFrame) -> pd.DataFrame:
    groups = frame.groupby(["dataset", "replication"], observed=True, sort=True)
    return groups[list(SIZES)].max().reset_index()


def _write(frame: pd.DataFrame, path: Path, described: dict[str, Any] | None = None) -> None:
    from pyarrow import parquet

    table = pa.Table.from_pandas(frame, preserve_index=False)
    if described is not None:
        metadata = {**(table.schema.metadata or {}), METADATA: json.dumps(described)}
        table = table.replace_schema_metadata(metadata)
    with path.open("wb") as file:
        parquet.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _check_together(folder: Path, digests: Mapping[str, str]) -> None:
    """Raise a WarehouseError where an execution was ended between two of its files."""
    for name, digest in digests.items():
        path = folder / name
        if name not in (*TABLES, BATTLES_FILE) or not path.is_file() or _digest(path) != digest:
            raise WarehouseError(
                f"{folder / name}: found a file that does not belong to {PERFORMANCES}, as storing "
                "them was broken off; allowed those of one run: run the study again, which "
                "measures nothing twice"
            )


def _read(path: Path) -> Any:
    from pyarrow import parquet

    if not path.is_file():
        raise WarehouseError(f"{path}: found no such file; allowed what reportgen has stored")
    try:
        return parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise WarehouseError(
            f"{path}: found a damaged file ({error}); allowed what reportgen has stored"
        ) from error
