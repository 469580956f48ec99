"""Tables in JSON, as pandas and scikit-learn's users write them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from sys import float_info
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.table import RawTable, named_columns
from reportgen.study.errors import shown
from reportgen.study.yaml_source import refuse_report

SHAPES = (
    "a list of records, a mapping of columns to lists, or such mappings by candidate, "
    "or by data set and candidate"
)
OUTER = ("dataset", "candidate")  # what the names around a table are, from the outside
LARGEST = float_info.max  # beyond, a whole number is text
Record = Mapping[str, Any]


def read_json_table(path: Path) -> RawTable:
    """Read a JSON file that holds one table, or one for each candidate.

    Cells that are neither text nor numbers become their JSON text.

    Raises
    ------
    ExchangeError
        If it is no JSON, or no table.
    """
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ExchangeError(f"{path}: found text that is not UTF-8 ({error.reason})") from None
    except ValueError as error:
        raise ExchangeError(f"{path}: found no JSON ({error})") from None
    except RecursionError:
        raise ExchangeError(f"{path}: found JSON that is nested too deeply") from None
    refuse_report(path, content)
    records = [record for record, _ in _records(path, content, ())]
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = [_column([record.get(name) for record in records]) for name in names]
    return RawTable(path, named_columns(path, names, columns), len(records), None)


def _records(
    path: Path, content: Any, outer: tuple[str, ...]
) -> Iterator[tuple[Record, tuple[str, ...]]]:
    """Yield the rows, with the names that stand around their table."""
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
        return True
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


def _column(cells: list[Any]) -> Any:
    """Make a column of numbers where all cells are, else of text."""
    import pyarrow as pa

    if all(cell is None or (_is_number(cell)) for cell in cells):
        numbers = [None if cell is None else float(cell) for cell in cells]
        return pa.chunked_array([pa.array(numbers, pa.float64())])
    texts = [None if cell is None else _text(cell) for cell in cells]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _is_number(cell: Any) -> bool:
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return is_number and (isinstance(cell, float) or abs(cell) <= LARGEST)


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
