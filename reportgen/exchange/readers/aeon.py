"""Results of aeon and tsml: folders of predictions, and tables of one algorithm and measure.

Folders hold <algorithm>/Predictions/<data set>/testResample<n>.csv. The first three
lines of each file have the measures; the predictions below are counted, and compared
with the truth where no accuracy is written. Tables hold data sets by resamples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from reportgen.catalogue.measures import known_measure
from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.fits import Fits, Format, Part, constant
from reportgen.exchange.records import record_table
from reportgen.exchange.table import Labels, RawTable
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed, shown

PREDICTIONS = "Predictions"
FILES = f"<algorithm>/{PREDICTIONS}/<data set>/testResample<n>.csv"
RESULT = re.compile(r"test(?:Resample|Fold)(\d{1,9})\.csv", re.IGNORECASE)
MOST_BYTES = 1 << 30  # of one file
SECONDS: Mapping[str, float] = MappingProxyType(
    {"SECONDS": 1.0, "MILLISECONDS": 1e-3, "MICROSECONDS": 1e-6, "NANOSECONDS": 1e-9}
)
N_CLUSTERING, N_REGRESSION, N_CLASSIFICATION = 7, 8, 9  # numbers in the third line
MEASURE: Mapping[int, str] = MappingProxyType(
    {N_CLUSTERING: "clustering-accuracy", N_REGRESSION: "mse", N_CLASSIFICATION: "accuracy"}
)
UNKNOWN = -1.0  # what is written for what nobody measured
CORNERS = ("resamples", "resamples:", "folds", "folds:")
STEM = re.compile(r"(?P<candidate>.+)_(?P<measure>[A-Za-z0-9]+)")
SAME: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "accuracy",
        "acc": "accuracy",
        "balacc": "balanced-accuracy",
        "balancedaccuracy": "balanced-accuracy",
        "auroc": "auc",
        "f1": "f1",
        "nll": "log-loss",
        "logloss": "log-loss",
        "mse": "mse",
        "rmse": "rmse",
        "mae": "mae",
        "r2": "r2",
        "fittime": "fit-time",
    }
)
LARGER = ("ami", "ari", "mi", "nmi", "ri", "clacc")  # of clusterings: mutual information, Rand
TESTED = ("testfolds", "testresamples")  # older names, after which the folder names the measure


@dataclass(frozen=True, slots=True)
class ResultFile:
    """The content of one file."""

    # candidate, dataset: From the folders.
    candidate: str
    dataset: str
    resample: int
    path: Path


def read_folder_table(root: Path) -> RawTable:
    """Read all results below a folder into a table, a fit a row.

    `root`: A folder of algorithms, or that of one. Links that lead out of it are not followed.
    Result: columns dataset, candidate, replication (the resample's number and 1), the measure,
    fit-time and predict-time in seconds, and n_test.
    Raises ExchangeError if there are no such files, or one of them is not as it should be.
    """
    import pyarrow as pa

    files = sorted(_files(root), key=lambda f: (f.candidate, f.dataset, f.resample))
    if not files:
        raise ExchangeError(
            f"{root}: found a folder without results of aeon or tsml; allowed files {FILES}"
        )
    read = [_read_fold(file) for file in files]
    measured = [name for name in MEASURE.values() if any(name in row for row in read)]
    names = [*measured, "fit-time", "predict-time", "n_test"]
    columns = {
        "dataset": pa.array([f.dataset for f in files]),
        "candidate": pa.array([f.candidate for f in files]),
        "replication": pa.array([f.resample + 1 for f in files]),
        **{n: pa.array([row.get(n) for row in read], pa.float64()) for n in names},
    }
    chunked = {
        name: pa.chunked_array([column])
        for name, column in columns.items()
        if column.null_count < len(files)
    }
    clustering = MEASURE[N_CLUSTERING]
    known = {clustering: Measure(clustering, "larger", "share", (0, 1))}
    return RawTable(root, chunked, len(files), None, known, place=lambda row: str(files[row].path))


def has_results(root: Path) -> bool:
    """Return whether there are results of aeon or tsml below a folder."""
    return next(_files(root), None) is not None


def tables_in(root: Path) -> list[Path]:
    """Return the tables of one algorithm each in a folder, where all its CSV files are such."""
    inside = root.resolve()
    found = [path for path in sorted(root.glob("*.csv")) if path.is_file()]
    is_own = [path.resolve().is_relative_to(inside) and _is_table(path) for path in found]
    return found if found and all(is_own) else []


def _is_table(path: Path) -> bool:
    with path.open("rb") as file:
        corner = file.readline(1 << 16).decode("utf-8-sig", errors="replace").partition(",")[0]
    return corner.strip().lower() in CORNERS and STEM.fullmatch(path.stem) is not None


def read_tables(root: Path, paths: Sequence[Path]) -> RawTable:
    """Read tables of one algorithm and measure each into one, a fit a row.

    Raises ExchangeError if one of them is not such a table, or two have a value of the same fit.
    """
    from reportgen.exchange.text_table import read_text_table

    records: dict[tuple[str, str, int], dict[str, object]] = {}
    places: dict[tuple[str, str, int], str] = {}
    known = _measures()
    for path in paths:
        table = read_text_table(path)
        if not _matches(table):
            raise table.error(f"the columns {listed(table.columns)}", "Resamples:, 0, 1, …")
        fits = _read_table(table)
        part = fits.parts[0]
        for i, value in zip(part.fits.tolist(), part.values.tolist(), strict=True):
            key = fits.candidates.of(i), fits.datasets.of(i), int(fits.replications[i])
            names = dict(zip(("candidate", "dataset", "replication"), key, strict=True))
            record = records.setdefault(key, names)
            if part.name in record:
                raise table.error(f"{part.name} of {listed(map(str, key))} twice", "each once")
            record[part.name] = None if np.isnan(value) else value
            places.setdefault(key, f"{path.name}, {table.where(int(fits.rows[i]))}")
    whole = record_table(root, list(records.values()), list(places.values()))
    return replace(whole, known={name: m for name, m in known.items() if name in whole.columns})


def _files(root: Path) -> Iterator[ResultFile]:
    """Find the files of results; what lies outside is not looked at."""
    inside = root.resolve()
    for name, _, files in os.walk(root, followlinks=False):
        folder = Path(name)
        if folder.parent.name != PREDICTIONS:
            continue
        for file in files:
            path = folder / file
            match = RESULT.fullmatch(file)
            if match and path.is_file() and path.resolve().is_relative_to(inside):
                candidate = folder.resolve().parent.parent.name
                yield ResultFile(candidate, folder.name, int(match[1]), path)


def _read_fold(file: ResultFile) -> dict[str, float]:
    """Read the content of a file: its third line, and the number of predictions."""
    if file.path.stat().st_size > MOST_BYTES:
        raise ExchangeError(f"{file.path}: found more than {MOST_BYTES >> 30} GiB; allowed less")
    lines = file.path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    head = lines[0].split(",") if lines else []
    third = lines[2].split(",") if len(lines) > 2 else []
    name = MEASURE.get(len(third))
    if name is None or len(head) < 5:
        raise ExchangeError(
            f"{file.path}: found no results of aeon or tsml (line 3 has {len(third)} cells); "
            f"allowed {N_CLASSIFICATION} of a classification, {N_REGRESSION} of a regression, "
            f"{N_CLUSTERING} of a clustering"
        )
    cases = [line for line in lines[3:] if line.strip()]
    value = _number(file, third[0])
    if value == UNKNOWN and name == "accuracy":
        value = _accuracy(cases)
    unit = SECONDS.get(head[4].strip().upper())
    times = {"fit-time": third[1], "predict-time": third[2]} if unit else {}
    seconds = {n: _number(file, text) for n, text in times.items()}
    return {
        name: value,
        "n_test": float(len(cases)),
        **{n: x * (unit or 1.0) for n, x in seconds.items() if x != UNKNOWN},
    }


def _number(file: ResultFile, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ExchangeError(f"{file.path}: line 3: found {shown(text)}; allowed a number") from None


def _accuracy(cases: list[str]) -> float:
    """Return the share of predictions that are as the truth."""
    pairs = [line.split(",")[:2] for line in cases]
    hits = [float(len(pair) == 2 and _label(pair[0]) == _label(pair[1])) for pair in pairs]
    return float(np.mean(hits)) if hits else np.nan


def _label(text: str) -> float | str:
    """Return a class as a number where it is one: 1 and 1.0 are the same."""
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _read_table(table: RawTable) -> Fits:
    """Read the data sets down and the resamples across; resample 0 is replication 1."""
    corner, *numbers = table.columns
    candidate, name = _name(table)
    datasets = table.labels(corner)
    n = table.n_rows
    resamples = np.array([int(column) for column in numbers], np.int64)
    values = np.concatenate([table.numbers(column) for column in numbers])
    return Fits(
        Labels(datasets.names, np.tile(datasets.codes, len(numbers))),
        constant(candidate, values.size),
        np.repeat(resamples + 1, n),
        np.tile(np.arange(n), len(numbers)),
        (Part(name, np.arange(values.size), values),),
        _measures(),
    )


def _name(table: RawTable) -> tuple[str, str]:
    """Take algorithm and measure from the file's name, such as HC2_accuracy.csv."""
    match = STEM.fullmatch(table.path.stem)
    if match is None:
        raise table.error(
            f"the file name {shown(table.path.name)}",
            "the algorithm and its measure in the name, such as ROCKET_accuracy.csv",
        )
    name = match["measure"]
    if name.lower() in TESTED:
        name = table.path.resolve().parent.name
    return match["candidate"], name.lower()


def _measures() -> dict[str, Measure]:
    ours = {name: measure for name, own in SAME.items() if (measure := known_measure(own))}
    return {**ours, **{name: Measure(name, "larger") for name in LARGER}}


def _matches(table: RawTable) -> bool:
    corner, *numbers = [*table.columns] or [""]
    return corner.lower() in CORNERS and bool(numbers) and all(c.isdecimal() for c in numbers)


FORMATS = (Format("aeon", "Resamples:, 0, 1, …", "aeon", _matches, _read_table),)
