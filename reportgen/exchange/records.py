"""Tables of records: mappings, a row each, as JSON, databases and folders of runs have them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from sys import float_info
from typing import Any

from reportgen.exchange.table import RawTable, raw_table

LARGEST = float_info.max  # beyond, a whole number is text
Record = Mapping[str, Any]
NESTED = {
    **dict.fromkeys(("metrics", "scores", "results", "performance", "evaluation"), "metrics"),
    **dict.fromkeys(("config", "hparams"), "params"),
}
"""Keys of records that hold mappings of results, or of settings, and how trackers call these."""


def flat_records(records: Sequence[Record]) -> Sequence[Record]:
    """Return records without the mappings in them: `{"metrics": {"acc": 1}}` has `metrics.acc`.

    Examples
    --------
    >>> flat_records([{"model": "rf", "scores": {"acc": 0.9}}])
    [{'model': 'rf', 'metrics.acc': 0.9}]
    """
    nested = {
        key
        for key in NESTED
        if any(isinstance(own.get(key), Mapping) for own in records)
        and all(_is_flat(own.get(key)) for own in records)
    }
    if not nested:
        return records
    found = []
    for record in records:
        flat: dict[str, Any] = {}
        for key, value in record.items():
            if key in nested:
                flat |= {f"{NESTED[key]}.{name}": cell for name, cell in (value or {}).items()}
            else:
                flat[key] = value
        found.append(flat)
    return found


def _is_flat(value: Any) -> bool:
    """Whether a cell is a mapping without mappings or lists in it, or missing."""
    if not isinstance(value, Mapping):
        return value is None
    return not any(isinstance(cell, Mapping | list | tuple) for cell in value.values())


def record_table(
    path: Path, records: Sequence[Record], places: Sequence[str] | None = None
) -> RawTable:
    """Put records into one table, with a column for each key that any of them has.

    `places`: where each of them comes from, for messages; its number when left out.
    Raises ExchangeError if no key is the name of a column.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = [cell_column([record.get(name) for record in records]) for name in names]
    place = None if places is None else places.__getitem__
    return raw_table(path, names, columns, len(records), place=place)


def cell_column(cells: Sequence[Any]) -> Any:
    """Make a column of numbers where all cells are, else of text.

    Cells that are neither text nor numbers become their JSON text.
    """
    import pyarrow as pa

    if all(cell is None or _is_small_number(cell) for cell in cells):
        numbers = [None if cell is None else float(cell) for cell in cells]
        return pa.chunked_array([pa.array(numbers, pa.float64())])
    texts = [None if cell is None else _text(cell) for cell in cells]
    return pa.chunked_array([pa.array(texts, pa.string())])


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_small_number(cell: Any) -> bool:
    return is_number(cell) and (isinstance(cell, float) or abs(cell) <= LARGEST)


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
