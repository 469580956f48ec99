"""What is in a file of results: one table, whatever the file's kind.

Each kind of file is known by how its name ends, a folder by being one, and has
a module that makes a table of it. What the columns then mean is another
question: see `formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from reportgen.errors import ExchangeError
from reportgen.exchange.table import RawTable, named_columns
from reportgen.study.errors import listed, shown
from reportgen.warehouse_files import failures_in, measures_in, orders_in, remarks_in

MOST_ROWS = 500_000_000  # a file of a few bytes may claim any number
MODULES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        ".csv": ("text_file", "read_text_table"),
        ".tsv": ("text_file", "read_text_table"),
        ".txt": ("text_file", "read_text_table"),
        ".parquet": ("opening", "read_parquet_table"),
        ".pq": ("opening", "read_parquet_table"),
        ".json": ("json_file", "read_json_table"),
        ".rdata": ("r_file", "read_r_table"),
        ".rda": ("r_file", "read_r_table"),
        ".rds": ("r_file", "read_r_table"),
    }
)
"""Module and function by the end of the file's name."""
RUNS_CODE = (".pkl", ".pickle", ".joblib", ".npy", ".npz", ".dill")
HAS_OBJECTS = (".rdata", ".rda")


def read_table(path: Path, item: str = "") -> RawTable:
    """Read a file of results into one table.

    Parameters
    ----------
    path : Path
        CSV, Parquet, JSON, or what R's save and saveRDS write; or a folder of
        results of aeon and tsml.
    item : str
        Which object of a file that R's save has written; needed where it holds
        several tables.

    Raises
    ------
    ExchangeError
        If there is no such file, or it is no table of that kind.
    """
    try:
        table = _read(path, item)
    except FileNotFoundError:
        raise ExchangeError(f"{path}: found no such file") from None
    except OSError as error:
        said = error.strerror or " ".join(str(error).split())
        raise ExchangeError(f"{path}: found a file that cannot be read ({said})") from None
    if not table.n_rows:
        raise table.error("no rows below the header", "results")
    return table


def _read(path: Path, item: str) -> RawTable:
    suffix = path.suffix.lower()
    if path.is_dir():
        from reportgen.exchange.aeon_folder import read_folder_table

        return read_folder_table(path)
    if suffix not in MODULES:
        raise _unknown(path, suffix)
    module, function = MODULES[suffix]
    read: Callable[..., RawTable] = getattr(import_module(f"reportgen.exchange.{module}"), function)
    if suffix in HAS_OBJECTS:
        return read(path, item)
    if item:
        raise ExchangeError(
            f"{path}: found the object {shown(item)} of a file that has no objects; allowed with "
            f"{listed(HAS_OBJECTS)} only"
        )
    return read(path)


def _unknown(path: Path, suffix: str) -> ExchangeError:
    if suffix in RUNS_CODE and path.exists():
        return ExchangeError(
            f"{path}: found a file that may run code when it is read; allowed data only, such as "
            "CSV: pandas.DataFrame(results).to_csv('results.csv')"
        )
    if not path.exists():
        raise FileNotFoundError(path)
    return ExchangeError(
        f"{path}: found a file of an unknown kind; allowed {listed(MODULES)}, and folders of "
        "aeon's results"
    )


def read_parquet_table(path: Path) -> RawTable:
    """Read a Parquet file.

    Raises
    ------
    ExchangeError
        If it is none, or claims more rows than anybody has.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            n_rows = file.metadata.num_rows
            if n_rows > MOST_ROWS:
                raise ExchangeError(f"{path}: found {n_rows:,} rows; allowed {MOST_ROWS:,}")
            names = file.schema_arrow.names
            texts = [n for n in names if _is_text(file.schema_arrow.field(n).type)]
        table = pq.read_table(path, read_dictionary=texts)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise ExchangeError(f"{path}: found no Parquet file ({said})") from None
    columns = named_columns(path, table.column_names, table.columns)
    about = table.schema.metadata
    return RawTable(
        path,
        columns,
        table.num_rows,
        None,
        measures_in(about),
        failures=failures_in(about),
        remarks=remarks_in(about),
        orders=orders_in(about),
    )


def _is_text(kind: object) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind))
