"""Tables in text files, separated by commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from reportgen.errors import ExchangeError
from reportgen.exchange.table import BOM, RawTable, delimited, named_columns
from reportgen.study.errors import listed, shown

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def read_text_table(path: Path) -> RawTable:
    """Read a text file whose first row holds the names of the columns.

    Raises
    ------
    ExchangeError
        If it is no such table.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    content = path.read_bytes().removeprefix(BOM)
    separator, header, n_lines = _header(path, content)
    names = [str(i) for i in range(len(header))]
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(content),
            arrow_csv.ReadOptions(column_names=names, skip_rows=n_lines),
            arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            raise ExchangeError(f"{path}: found a header only; allowed results below it") from None
        raise _diagnosis(path, content, separator, len(header), str(error)) from None
    return RawTable(path, named_columns(path, header, table.columns), table.num_rows, separator)


def _header(path: Path, content: bytes) -> tuple[str, list[str], int]:
    """Return the separator, the columns' names, and the number of lines they end with."""
    lines = enumerate(io.BytesIO(content), start=1)
    n_lines, line = next(((i, line) for i, line in lines if line.strip()), (0, b""))
    if not line:
        raise ExchangeError(f"{path}: found an empty file; allowed a header and results below it")
    try:
        text = line.decode().strip("\r\n")
    except UnicodeDecodeError:
        raise _not_utf8(path, content) from None
    by_separator = {s: next(csv.reader([text], delimiter=s)) for s in SEPARATORS}
    separator = max(SEPARATORS, key=lambda s: len(by_separator[s]))
    header = [name.strip() for name in by_separator[separator]]
    if len(header) == 1:
        raise ExchangeError(
            f"{path}: found the one column {shown(header[0])}; allowed several columns, "
            f"separated by {listed(SEPARATORS.values())}"
        )
    return separator, header, n_lines


def _diagnosis(
    path: Path, content: bytes, separator: str, n_columns: int, said: str
) -> ExchangeError:
    """Find the row that made the reader stop."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return _not_utf8(path, content)
    for number, record in enumerate(delimited(content, separator), start=1):
        if record and len(record) != n_columns:
            hint = "; is there a decimal comma?" if separator == "," else ""
            return ExchangeError(
                f"{path}: row {number}: found {len(record)} cells; allowed {n_columns}, "
                f"as in the header{hint}"
            )
    return ExchangeError(f"{path}: found no table ({' '.join(said.split())})")


def _not_utf8(path: Path, content: bytes) -> ExchangeError:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        found = f"line {line}: found the byte 0x{content[error.start]:02x}, which is not UTF-8"
        return ExchangeError(f"{path}: {found}; allowed text in UTF-8: save it in that encoding")
    return ExchangeError(f"{path}: found text that is not UTF-8; allowed UTF-8")
