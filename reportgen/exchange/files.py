"""Files of results: each is read into one table, whatever its format.

The format is known by the ending of the name; logs and folders by what is in them. Text is
separated by commas, semicolons, tabs or bars; JSON is as pandas and the users of
scikit-learn write it. The meaning of the columns is the subject of `columns` and `readers`;
spreadsheets, tables of papers, databases and folders of runs have modules of their own.
"""

from __future__ import annotations

import gzip
import io
import logging
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.blank_cells import without_empty_rows, without_titles
from reportgen.exchange.known_names import swapped
from reportgen.exchange.mappings import names_alone, of_nested, tells_levels
from reportgen.exchange.records import Record, flat_records, record_table
from reportgen.exchange.table import RawTable, named_columns, raw_table
from reportgen.exchange.text_table import read_text_table
from reportgen.file_reading import entries_fault, free_memory, kind_fault, size_fault
from reportgen.study.errors import listed, missing_file, shown
from reportgen.study.result_files import (
    DATABASES,
    HAS_OBJECTS,
    JSON,
    KINDS,
    LATEX,
    LINES,
    LOGS,
    MARKDOWN,
    MAY_BE_PACKED,
    PACKED,
    PARQUET,
    SHEETS,
    TEXT,
    of_tables,
    tables_in,
)
from reportgen.study.yaml_source import refuse_report
from reportgen.warehouse.files import (
    design_in,
    failures_in,
    items_in,
    losses_in,
    measures_in,
    orders_in,
    remarks_in,
)

log = logging.getLogger(__name__)
TIMES = 3  # the size of a file in memory, at least: its bytes, its cells, and the table of numbers
MOST_ROWS = 500_000_000  # a file of a few bytes may claim any number
MOST_UNPACKED = 4 << 30  # bytes
RUNS_CODE = (".pkl", ".pickle", ".joblib", ".npy", ".npz", ".dill")


def read_table(path: Path, item: str = "") -> RawTable:
    """Read a file of results into one table.

    `path`: CSV, Parquet, JSON, logs, a spreadsheet, a table of a paper, a database of Optuna, or
    what R's save and saveRDS write; or a folder of logs, of runs, or of results of aeon and tsml.
    `item`: which object of a file that R's save has written, sheet of a spreadsheet or study of a
    database; needed where there are several.
    Raises ExchangeError if there is no such file, or it is no table of that kind.
    """
    try:
        table = _read(path, item)
    except FileNotFoundError:
        raise ExchangeError(missing_file(path, "a file of results")) from None
    except OSError as error:
        message = error.strerror or " ".join(str(error).split())
        found = f"a file that cannot be read ({message})"
        raise ExchangeError(f"{path}: found {found}; allowed one that can") from None
    if not table.n_rows:
        raise table.error("no rows below the header", "results")
    if table.separator is not None:
        return without_titles(without_empty_rows(table))
    return without_titles(table) if path.suffix.lower() in (*SHEETS, *MARKDOWN) else table


def _read(path: Path, item: str) -> RawTable:
    suffix = path.suffix.lower()
    if fault := entries_fault(path):
        raise ExchangeError(f"{path}: found {fault}; allowed a folder of results")
    if path.is_dir():
        return read_folder(path)
    if fault := kind_fault(path):
        raise ExchangeError(f"{path}: found {fault}; allowed a file")
    if path.exists() and (fault := size_fault(path, TIMES)):
        allowed = "less: results alone, in Parquet, or by parts of the data sets"
        raise ExchangeError(f"{path}: found {fault}; allowed {allowed}")
    if suffix not in KINDS:
        raise _unknown(path, suffix)
    if item and suffix not in HAS_OBJECTS:
        raise ExchangeError(
            f"{path}: found the object {shown(item)} of a file that has no objects; allowed with "
            f"{listed(HAS_OBJECTS)} only"
        )
    if suffix == ".txt" and (logs := _logs_of(path)) is not None:
        return logs
    if suffix in TEXT:
        return read_text_table(path)
    if suffix in PACKED:
        return read_packed_table(path)
    if suffix in PARQUET:
        return read_parquet_table(path)
    if suffix in (*JSON, *LOGS):
        return read_log_file(path)
    if suffix in SHEETS:
        from reportgen.exchange.spreadsheets import read_spreadsheet

        return read_spreadsheet(path, item)
    if suffix in (*LATEX, *MARKDOWN):
        from reportgen.exchange.paper_tables import read_paper_table

        return read_paper_table(path)
    if suffix in DATABASES:
        from reportgen.exchange.databases import read_trials

        return read_trials(path, item)
    from reportgen.exchange.readers.r import read_r_table

    return read_r_table(path, item)


def _unknown(path: Path, suffix: str) -> ExchangeError:
    if suffix in RUNS_CODE and path.exists():
        return ExchangeError(
            f"{path}: found a file that may run code when it is read; allowed data only, such as "
            "CSV: pandas.DataFrame(results).to_csv('results.csv')"
        )
    if not path.exists():
        raise FileNotFoundError(path)
    return ExchangeError(
        f"{path}: found a file of an unknown kind; allowed {listed(KINDS)}, and folders of "
        "logs, runs or aeon's results"
    )


def _logs_of(path: Path) -> RawTable | None:
    """Read logs of a known program; None where they are of none."""
    from reportgen.exchange.readers import find_logs
    from reportgen.exchange.readers.logs import Logs

    logs = Logs.of(path)
    kind = find_logs(logs)
    return None if kind is None else kind.table(logs)


def read_folder(path: Path) -> RawTable:
    """Read a folder of logs, also of training, of runs, or of the results of aeon and tsml.

    Raises ExchangeError if it is none of these.
    """
    from reportgen.exchange.readers import aeon, describe_logs
    from reportgen.exchange.run_folders import find_runs, read_runs
    from reportgen.exchange.training_folder import read_training_folder, training_files

    if runs := find_runs(path):
        return read_runs(path, runs)
    if (logs := _logs_of(path)) is not None:
        return logs
    if files := training_files(path):
        return read_training_folder(path, files)
    if aeon.has_results(path):
        return aeon.read_folder_table(path)
    if tables := aeon.tables_in(path):
        return aeon.read_tables(path, tables)
    if tables := tables_in(path):
        raise ExchangeError(f"{path}: {of_tables(path, tables)}")
    raise ExchangeError(
        f"{path}: found a folder without results of aeon or tsml, without runs of MLflow, Hydra or "
        f"Weights & Biases, and without logs of a known program; allowed files {aeon.FILES}, "
        f"<algorithm>_accuracy.csv, folders of runs, or logs:\n{describe_logs()}"
    )


def read_log_file(path: Path) -> RawTable:
    """Read a file of logs, or a table in JSON.

    Raises ExchangeError if it is neither.
    """
    from reportgen.exchange.readers import describe_logs
    from reportgen.exchange.readers.logs import read_json, read_lines

    if (logs := _logs_of(path)) is not None:
        return logs
    if path.suffix.lower() in JSON:
        return _json_table(path, read_json(path))
    if path.suffix.lower() in LINES:
        return _table_of_lines(path, read_lines(path))
    raise ExchangeError(f"{path}: found logs of no known program; allowed:\n{describe_logs()}")


def read_packed_table(path: Path) -> RawTable:
    """Read a table that gzip has packed; it is called as the file inside.

    Raises ExchangeError if it is none, or takes more memory than there is.
    """
    from reportgen.exchange.readers.logs import lines_of, parse_json

    inner = path.with_suffix("")
    suffix = inner.suffix.lower()
    if suffix not in MAY_BE_PACKED:
        found = f"a packed file of the kind {shown(suffix)}"
        raise ExchangeError(f"{path}: found {found}; allowed {listed(MAY_BE_PACKED)} within it")
    content = _unpacked(path)
    if suffix in JSON:
        return _json_table(inner, parse_json(str(path), content))
    if suffix in LINES:
        return _table_of_lines(inner, lines_of(path, io.BytesIO(content)))
    return read_text_table(inner, content)


def _unpacked(path: Path) -> bytes:
    free = free_memory()
    most = MOST_UNPACKED if free is None else min(MOST_UNPACKED, free // TIMES)
    try:
        with gzip.open(path, "rb") as file:
            content = file.read(most + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        message = " ".join(str(error).split())
        raise ExchangeError(
            f"{path}: found no whole file of gzip ({message}); allowed one"
        ) from None
    if len(content) > most:
        allowed = f"up to {most / 2**30:.1f} GiB: results alone, or in Parquet"
        raise ExchangeError(f"{path}: found more when unpacked; allowed {allowed}")
    return content


def read_parquet_table(path: Path) -> RawTable:
    """Read a Parquet file.

    Raises ExchangeError if it is none, or claims more rows than anybody has.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            named_columns(path, names, names)
            n_rows = file.metadata.num_rows
            if n_rows > MOST_ROWS:
                raise ExchangeError(f"{path}: found {n_rows:,} rows; allowed {MOST_ROWS:,}")
            texts = [n for n in names if _is_text(file.schema_arrow.field(n).type)]
        table = pq.read_table(path, read_dictionary=texts)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        message = " ".join(str(error).split())
        found, allowed = f"no Parquet file ({message})", "a whole one"
        raise ExchangeError(f"{path}: found {found}; allowed {allowed}") from None
    about = table.schema.metadata
    return raw_table(
        path,
        table.column_names,
        table.columns,
        table.num_rows,
        known=measures_in(about),
        failures=failures_in(about),
        remarks=remarks_in(about),
        orders=orders_in(about),
        items=items_in(about),
        losses=losses_in(about),
        design=design_in(about),
    )


def _is_text(kind: object) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind))


SHAPES = (
    "a list of records, a mapping of columns to lists, or such mappings by candidate, "
    "or by data set and candidate; or nested mappings such as {dataset: {candidate: {measure: …}}}"
)
RECORDS = ("results", "records", "data", "rows", "runs", "experiments")
"""What a list of records is called in a document with other things beside it."""
OUTER = ("dataset", "candidate")  # what the names around a table are, from the outside


def _json_table(path: Path, content: Any) -> RawTable:
    """Turn the content of a JSON file into one table, or one for each candidate."""
    # Cells that are neither text nor numbers become their JSON text.
    refuse_report(path, content)
    if isinstance(content, dict) and content:
        if tells_levels(content):
            return _nested_table(path, content)
        if names_alone(content):
            found = f"mappings of names that do not tell what they are: {listed(content)}"
            allowed = "{dataset: {candidate: {measure: value}}}, or a list of records"
            raise ExchangeError(f"{path}: found {found}; allowed {allowed}")
        content = _inner_table(path, content)
    records = list(_records(path, content, ()))
    outer = [names for _, names in records if len(names) == len(OUTER)]
    if found := swapped(*zip(*outer, strict=True)) if outer else "":
        raise ExchangeError(f"{path}: found {found}; allowed {{dataset: {{candidate: […]}}}}")
    return record_table(path, flat_records([record for record, _ in records]))


def _nested_table(path: Path, content: dict[str, Any]) -> RawTable:
    """Return the table of nested mappings, in which values without a name are called so."""
    frame = of_nested(content, str(path), "value")
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    heads = [str(head) for head in frame.columns]
    return record_table(path, [dict(zip(heads, row, strict=True)) for row in rows])


def _inner_table(path: Path, content: dict[str, Any]) -> Any:
    """Return the records in a document with more beside them, or as pandas splits a frame."""
    # `{"columns": […], "data": […]}` has rows; {"results": [{…}]} records. Others stay as they are.
    rows, names = content.get("data"), content.get("columns")
    if (
        isinstance(rows, list)
        and isinstance(names, list)
        and all(isinstance(n, str) for n in names)
    ):
        labels = content.get("index")
        if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
            allowed = f"a cell for each of the {len(names)} columns"
            raise ExchangeError(f"{path}: found other rows below data; allowed {allowed}")
        records = [dict(zip(names, row, strict=True)) for row in rows]
        if isinstance(labels, list) and len(labels) == len(rows):
            return [{"": label, **own} for label, own in zip(labels, records, strict=True)]
        return records
    lists = {
        key: own
        for key, own in content.items()
        if key in RECORDS
        and isinstance(own, list)
        and own
        and all(isinstance(r, dict) for r in own)
    }
    return next(iter(lists.values())) if len(lists) == 1 else content


def _table_of_lines(path: Path, lines: Iterable[tuple[int, Record]]) -> RawTable:
    """Put records, one a line, into one table."""
    numbered = list(lines)
    if not numbered:
        raise ExchangeError(f"{path}: found an empty file; allowed a record a line")
    records = flat_records([record for _, record in numbered])
    return record_table(path, records, [f"line {number}" for number, _ in numbered])


def _records(
    path: Path, content: Any, outer: tuple[str, ...]
) -> Iterator[tuple[Record, tuple[str, ...]]]:
    """Yield the rows, with the names around their table."""
    if isinstance(content, list) and all(isinstance(row, dict) for row in content):
        rows: Sequence[Record] = content
    elif isinstance(content, dict) and content and _is_columns(content):
        rows = _rows_of(path, content)
    elif (
        isinstance(content, dict) and content and len(outer) < len(OUTER) and _is_mappings(content)
    ):
        for name, inner in content.items():
            yield from _records(path, inner, (*outer, name))
        return
    else:
        raise ExchangeError(f"{path}: found {shown(content)} that is no table; allowed {SHAPES}")
    around = dict(zip(OUTER[len(OUTER) - len(outer) :], outer, strict=True))
    for row in rows:
        yield {**around, **row}, outer


def _is_columns(content: Mapping[str, Any]) -> bool:
    """Whether a mapping is one of columns: to lists, or to cells by the row's name."""
    values = list(content.values())
    if all(isinstance(value, list) for value in values):
        cells = [cell for value in values for cell in value]
        return not cells or not all(isinstance(cell, dict) for cell in cells)
    return all(
        isinstance(value, dict) and value.keys() == values[0].keys() for value in values
    ) and any(not any(isinstance(x, list | dict) for x in value.values()) for value in values)


def _is_mappings(content: Mapping[str, Any]) -> bool:
    return all(isinstance(value, list | dict) for value in content.values())


def _rows_of(path: Path, columns: Mapping[str, Any]) -> list[Record]:
    """Turn columns into rows; they must be of one length."""
    lists = {
        name: value if isinstance(value, list) else list(value.values())
        for name, value in columns.items()
    }
    lengths = {name: len(cells) for name, cells in lists.items()}
    if len(set(lengths.values())) > 1:
        short, long = (f(lengths, key=lambda n: lengths[n]) for f in (min, max))
        raise ExchangeError(
            f"{path}: found {lengths[short]} cells in the column {shown(short)} and "
            f"{lengths[long]} in {shown(long)}; allowed as many in all columns"
        )
    return [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
