"""The history of a study: one Parquet file with the differences of every run.

One row is a candidate on a data set by a measure in a run. Its difference from the reference is the
mean over replications, of logarithms where candidates are compared by ratio.
"""

from __future__ import annotations

import datetime as dates
import json
import logging
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reportgen import provenance
from reportgen.data_classes import dataclass
from reportgen.errors import StudyError, WarehouseError
from reportgen.file_writing import alone_in, replacement
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import t_quantile
from reportgen.study.comparison import comparison_scale, comparison_values
from reportgen.study.errors import describe_unknown, shown

if TYPE_CHECKING:
    from reportgen.api.study import BenchmarkStudy
    from reportgen.warehouse import Performances

log = logging.getLogger("reportgen")

COLUMNS: Mapping[str, Any] = {
    "run": pa.string(),
    "date": pa.string(),
    "study": pa.string(),
    "dataset": pa.string(),
    "measure": pa.string(),
    "better": pa.string(),
    "unit": pa.string(),
    "candidate": pa.string(),
    "reference": pa.string(),
    "scale": pa.string(),
    "n": pa.int64(),
    "difference": pa.float64(),
    "standard_error": pa.float64(),
    "value": pa.float64(),
    "lower": pa.float64(),
    "upper": pa.float64(),
    "versions": pa.string(),
    "commit": pa.string(),
}
"""Columns of the file, and their types."""

OF_VALUES = "dataset measure candidate n value lower upper".split()
LEVEL = 0.95  # of the intervals of single values
ROUNDING = 1e-12  # relative to its terms, below which a difference is none


@dataclass(frozen=True, slots=True)
class Addition:
    """What adding a run has done."""

    run: str  # its digest
    is_new: bool  # whether it was not in the file before
    n_runs: int  # runs in the file
    repeated: tuple[str, ...] = ()  # measures whose values are those of the last run in the file


def add_run(
    study: BenchmarkStudy, file: Path, *, reference: str | None = None, date: str = ""
) -> Addition:
    """Append a run to a file, unless it is there; warn of one that repeats the last.

    `file`: made where it is missing; a reader sees the old file or the new one.
    `reference`: the candidate that others are compared with; that of the earlier runs, of the
    analysis, or the first when left out.
    `date`: of the run, ISO 8601; that of its provenance, else the present, when empty.
    Raises StudyError if there is no such candidate, or the date is none.
    Raises WarehouseError if the file is no history.
    """
    date = date and read_date(date)
    with alone_in(file.parent):  # of two at once none is lost
        return _add(study, file, reference, date)


def read_date(text: str) -> str:
    """Return a year, month, day or time such that later ones come later in their order as texts.

    Raises StudyError if it is none.

    Examples
    --------
    >>> read_date("2026-04-01"), read_date("2026-04-01T02:00+02:00")
    ('2026-04-01', '2026-04-01T00:00:00Z')
    """
    text = text.strip()
    if re.fullmatch(r"[0-9]{4}(-(0[1-9]|1[0-2]))?", text):
        return text
    try:
        if "T" not in text and " " not in text:
            return dates.date.fromisoformat(text).isoformat()
        found = dates.datetime.fromisoformat(text)
    except ValueError:
        raise StudyError(
            f"date: found {shown(text)}; allowed one of ISO 8601, such as 2026-04-01 or "
            "2026-04-01T05:00:00Z"
        ) from None
    found = found.replace(tzinfo=dates.UTC) if found.tzinfo is None else found
    return found.astimezone(dates.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _add(study: BenchmarkStudy, file: Path, reference: str | None, date: str) -> Addition:
    """Append a run, as `add_run` does, where no other process writes."""
    known = read_history(file) if file.exists() else None
    run = run_digest(study.performances)
    if reference is None and known is not None and len(known):
        reference = str(known["reference"].iloc[-1])
    rows = _rows(study, run, reference, date)
    repeated = () if known is None or not len(known) else _repeated(known, rows)
    if repeated:
        _warn(study, file, repeated)
    if known is not None and (known["run"] == run).any():
        return Addition(run, False, known["run"].nunique(), repeated)
    last = "" if known is None or not len(known) else known["date"].max()
    if rows["date"].iloc[0] < last:
        log.warning(
            "%s: a run of %s was added behind one of %s: runs follow one another as they are added",
            *(file, rows["date"].iloc[0], last),
        )
    table = pa.Table.from_pandas(
        rows if known is None else pd.concat([known, rows], ignore_index=True),
        schema=pa.schema(list(COLUMNS.items())),
        preserve_index=False,
    )
    with replacement(file) as temporary, temporary.open("wb") as stream:
        pq.write_table(table, stream, compression="zstd")
    return Addition(run, True, 1 + (0 if known is None else known["run"].nunique()), repeated)


def _repeated(known: pd.DataFrame, rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the measures whose values are those of the last run in the file."""
    # None are returned unless all but times, memory and sizes are: these may stay, or differ
    # in any run.
    last = known[known["run"] == known["run"].iloc[-1]]
    before, now = (_values(part) for part in (last, rows))
    same = [name for name in now if name in before and now[name].equals(before[name])]
    judged = set(rows.loc[rows["scale"] != "ratio", "measure"]) or set(now)
    return tuple(same) if judged <= set(same) else ()


def _values(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the values of a run by measure, in one order and of one kind."""
    plain = rows[OF_VALUES].sort_values(OF_VALUES[:3]).astype(dict.fromkeys(OF_VALUES[:3], object))
    return {str(name): own.reset_index(drop=True) for name, own in plain.groupby("measure")}


def _warn(study: BenchmarkStudy, file: Path, repeated: Sequence[str]) -> None:
    """Say what of a run is what it was in the last one."""
    job, _, _ = study.parts
    by_seed = ""
    if job.study.setup is not None:
        by_seed = (
            f", with the seed {job.study.seed}; a run that draws anew has another (--set seed=…)"
        )
    log.warning(
        "%s: the run repeats the last one: the same values of %s%s. "
        "Where every run repeats the last, no alarm can follow",
        *(file, ", ".join(repeated), by_seed),
    )


def _no_history(file: Path, what: object) -> WarehouseError:
    allowed = "one that `reportgen history add` writes"
    return WarehouseError(f"{file}: found no history {what}; allowed {allowed}")


def read_history(file: Path) -> pd.DataFrame:
    """Read a history, runs in the order in which they were added.

    Raises StudyError if there is no such file.
    Raises WarehouseError if it is no history.
    """
    if not file.exists():
        raise StudyError(f"{file}: found no file; allowed one that `reportgen history add` writes")
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        raise _no_history(file, f"({error})") from None
    if not set(COLUMNS) <= set(table.column_names):
        missing = ", ".join(name for name in COLUMNS if name not in table.column_names)
        raise _no_history(file, f"(it lacks the columns {missing})")
    try:
        found = table.select(list(COLUMNS)).cast(pa.schema(list(COLUMNS.items())))
    except pa.ArrowException as error:
        raise _no_history(file, f"({error})") from None
    rows: pd.DataFrame = found.to_pandas()
    cells = rows[["run", "dataset", "measure", "candidate"]]
    if cells.isna().any(axis=None) or cells.duplicated().any():
        raise _no_history(file, "(a value of a run is in it twice, or is nobody's)")
    return rows


def run_digest(performances: pd.DataFrame) -> str:
    """Return the SHA-256 of the values of a run, in whatever order their rows are.

    Examples
    --------
    >>> rows = pd.DataFrame({"dataset": ["d", "d"], "measure": "m", "candidate": ["a", "b"],
    ...                      "replication": 1, "value": [0.1, 0.2]})
    >>> run_digest(rows) == run_digest(rows[::-1])
    True
    """
    keys = ["dataset", "measure", "candidate", "replication"]
    names = performances[keys].astype(str).agg("\0".join, axis=1)
    values = performances["value"].to_numpy(np.float64)
    lines = sorted(f"{n}\0{x.hex()}" for n, x in zip(names, values.tolist(), strict=True))
    return sha256("\n".join(lines).encode()).hexdigest()


def _rows(study: BenchmarkStudy, run: str, reference: str | None, date: str) -> pd.DataFrame:
    """Return the rows of one run."""
    job, warehouse, origin = study.parts
    if warehouse.is_table or len(warehouse.candidates) < 2:
        found = "a table" if warehouse.is_table else "one candidate"
        raise StudyError(f"{study.name}: found {found}; allowed two candidates or more")
    name = reference or job.study.analysis.reference or warehouse.candidates[0]
    if name not in warehouse.candidates:
        raise StudyError(describe_unknown("candidate", name, warehouse.candidates))
    about = {
        "run": run,
        "date": date or origin.date or provenance.timestamp(),
        "study": study.name,
        "versions": json.dumps(dict(origin.fit_versions), sort_keys=True),
        "commit": origin.commit,
        "reference": name,
    }
    rows = [
        {**about, **row}
        for dataset in warehouse.datasets
        for measure in warehouse.measures
        for row in _cells(
            warehouse.performances(dataset, measure.name),
            name,
            job.study.analysis.relevance.get(measure.name),
            is_apart=warehouse.unit.is_measured_apart,
        )
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _cells(
    found: Performances, reference: str, area: Sequence[float] | None, *, is_apart: bool
) -> list[dict[str, Any]]:
    """Return the means of all candidates, and their differences from the reference."""
    # `is_apart`: whether no two candidates share a row, so that means are compared.
    measure = found.measure
    scale = comparison_scale(measure, found.values, area)
    values = comparison_values(found.values, scale)
    base = values[:, found.candidates.index(reference)]
    rows = []
    for candidate, own in zip(found.candidates, values.T, strict=True):
        mean, error, n_own = _mean(own)
        if not n_own:
            continue
        difference, spread, n = _between(own, base) if is_apart else _mean(own - base)
        level = np.abs(own).max(initial=0.0, where=np.isfinite(own))
        if abs(difference) <= ROUNDING * level:
            difference = 0.0
        half = float(t_quantile((1 - LEVEL) / 2, float(n_own - 1))) * error if n_own > 1 else np.nan
        ends = np.array([mean, mean - half, mean + half])
        value, lower, upper = np.exp(ends) if scale == "ratio" else ends
        is_reference = candidate == reference
        rows.append(
            {
                "dataset": found.dataset,
                "measure": measure.name,
                "better": measure.better,
                "unit": measure.unit_symbol,
                "candidate": candidate,
                "scale": scale,
                "n": n,
                "difference": np.nan if is_reference else difference,
                "standard_error": np.nan if is_reference else spread,
                "value": value,
                "lower": lower,
                "upper": upper,
            }
        )
    return rows


def _between(own: Array, base: Array) -> tuple[float, float, int]:
    """Return the difference of the means of two samples, its error and the fewer values."""
    (mean, error, n), (level, base_error, n_base) = _mean(own), _mean(base)
    return mean - level, float(np.hypot(error, base_error)), min(n, n_base)


def _mean(values: Array) -> tuple[float, float, int]:
    """Return mean, standard error and number of the values that are there."""
    own = values[np.isfinite(values)]
    if not len(own):
        return np.nan, np.nan, 0
    error = float(own.std(ddof=1) / np.sqrt(len(own))) if len(own) > 1 else np.nan
    return float(own.mean()), error, len(own)
