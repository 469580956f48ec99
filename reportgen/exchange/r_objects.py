"""R's arrays and data frames, as rdata's parser gives them, made into tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import ExchangeError
from reportgen.exchange.table import RawTable, named_columns
from reportgen.study.errors import shown

Make = Callable[[Path, str], RawTable]

ROLES = {
    "replication": ("samp", "samples", "sample", "b", "replication"),
    "candidate": ("alg", "algs", "algorithms", "algorithm", "candidate"),
    "measure": ("perf", "performances", "performance", "measure"),
    "dataset": ("ds", "datasets", "dataset"),
}
"""What the package benchmark and its users call the four ways of an array, in its order."""
LATIN1 = 4  # bit of a text's flags


def named_objects(parsed: Any, otherwise: str) -> dict[str, Any]:
    """Return the objects of a workspace by name, or the one object of saveRDS."""
    if _kind(parsed) != "LIST":
        return {otherwise: parsed}
    return dict(_pairs(parsed))


def as_table(value: Any) -> Make | None:
    """Return what makes a table of an object, if it is an array or a data frame."""
    attributes = dict(_pairs(value.attributes))
    kind = _kind(value)
    if kind == "VEC" and "data.frame" in _texts(attributes.get("class")):
        return partial(_frame_table, value, attributes)
    n_ways = len(_numbers(attributes["dim"])) if "dim" in attributes else 0
    if kind in ("REAL", "INT") and n_ways in (len(ROLES) - 1, len(ROLES)):
        return partial(_array_table, value, attributes)
    return None


def _array_table(value: Any, attributes: dict[str, Any], path: Path, name: str) -> RawTable:
    """Lay out an array samples x algorithms x measures (x data sets)."""
    import pyarrow as pa

    sizes = [int(n) for n in _numbers(attributes["dim"])]
    labels, ways = _ways(path, attributes.get("dimnames"), sizes)
    roles = _roles(path, ways)
    cells = _numbers(value)
    if not cells.size or cells.size != np.prod(sizes, dtype=object):
        raise ExchangeError(f"{path}: found an array of {sizes} with {cells.size} numbers")
    columns: dict[str, Any] = {}
    inner = 1
    for role, size, names in zip(roles, sizes, labels, strict=True):
        codes = np.tile(
            np.repeat(np.arange(size, dtype=np.int32), inner), cells.size // inner // size
        )
        inner *= size
        if role == "replication":
            columns[role] = pa.array(_sample_numbers(names, size)[codes])
        else:
            if names is None:
                raise ExchangeError(f"{path}: found no names of the {role}s; allowed dimnames")
            columns[role] = pa.DictionaryArray.from_arrays(
                codes, pa.array(names, pa.string()), ordered=True
            )
    if "dataset" not in columns:
        columns["dataset"] = pa.DictionaryArray.from_arrays(
            np.zeros(cells.size, np.int32), pa.array([name])
        )
    columns["value"] = pa.array(cells, from_pandas=True)
    chunked = [pa.chunked_array([column]) for column in columns.values()]
    where = partial(_place, roles, sizes, labels)
    return RawTable(path, dict(zip(columns, chunked, strict=True)), cells.size, None, place=where)


def _ways(
    path: Path, dimnames: Any, sizes: Sequence[int]
) -> tuple[list[list[str] | None], list[str]]:
    """Return the names along each way of an array, and the ways' own names."""
    if dimnames is None or _kind(dimnames) != "VEC":
        raise ExchangeError(
            f"{path}: found an array without dimnames; allowed samples x algorithms x measures x "
            "data sets with their names"
        )
    labels = [_texts(way) or None for way in dimnames.value]
    if any(names and len(names) != n for names, n in zip(labels, sizes, strict=True)):
        raise ExchangeError(f"{path}: found dimnames that do not fit an array of {list(sizes)}")
    own = _texts(dict(_pairs(dimnames.attributes)).get("names"))
    return labels, own or [""] * len(sizes)


def _roles(path: Path, ways: Sequence[str]) -> list[str]:
    """Tell what each way of an array is: by its name, else by its place."""
    by_name = {name: role for role, names in ROLES.items() for name in names}
    roles = [by_name.get(way.lower(), "") for way in ways]
    if all(not way for way in ways):
        return list(ROLES)[: len(ways)]
    if "" in roles or len(set(roles)) < len(roles) or not set(list(ROLES)[:3]) <= set(roles):
        raise ExchangeError(
            f"{path}: found an array with the ways {', '.join(map(shown, ways))}; allowed "
            f"{', '.join(names[0] for names in ROLES.values())}, or no names and this order"
        )
    return roles


def _sample_numbers(names: list[str] | None, size: int) -> NDArray[np.int64]:
    """Return the samples' own numbers, or 1 to B."""
    if names and all(name.isdecimal() for name in names) and len(set(names)) == size:
        return np.array([int(name) for name in names], np.int64)
    return np.arange(1, size + 1)


def _place(
    roles: Sequence[str], sizes: Sequence[int], labels: Sequence[list[str] | None], row: int
) -> str:
    """Say where in an array a cell is."""
    at = np.unravel_index(row, tuple(sizes), order="F")
    return ", ".join(
        f"{role} {names[i] if names else i + 1}"
        for role, names, i in zip(roles, labels, map(int, at), strict=True)
    )


def _frame_table(value: Any, attributes: dict[str, Any], path: Path, name: str) -> RawTable:
    """Lay out a data frame; its columns of lists and functions are left out."""
    names = _texts(attributes.get("names"))
    columns = {
        n: c for n, v in zip(names, value.value, strict=False) if (c := _column(v)) is not None
    }
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        raise ExchangeError(f"{path}: found a data frame {name} with columns of unequal length")
    named = named_columns(path, list(columns), list(columns.values()))
    return RawTable(path, named, lengths.pop(), None)


def _column(value: Any) -> Any:
    """Return a column of a data frame; None where it holds neither names nor numbers."""
    import pyarrow as pa

    attributes = dict(_pairs(value.attributes))
    kind = _kind(value)
    if kind == "INT" and "factor" in _texts(attributes.get("class")):
        codes = _numbers(value) - 1
        levels = pa.array(_texts(attributes.get("levels")), pa.string())
        outside = ~((codes >= 0) & (codes < len(levels)))
        indices = pa.array(np.where(outside, 0, codes).astype(np.int32), mask=outside)
        return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, levels, ordered=True)])
    if kind in ("REAL", "INT", "LGL"):
        return pa.chunked_array([pa.array(_numbers(value), from_pandas=True)])
    return pa.chunked_array([pa.array(_texts(value), pa.string())]) if kind == "STR" else None


def _numbers(value: Any) -> NDArray[np.float64]:
    """Return a vector of numbers; NaN where one is missing."""
    return np.ma.filled(np.ma.asarray(value.value).astype(np.float64), np.nan)


def _texts(value: Any) -> list[str]:
    """Return a vector of texts; none of anything else."""
    if value is None or _kind(value) != "STR":
        return []
    return [_text(cell) for cell in value.value]


def _text(cell: Any) -> str:
    if cell.value is None:
        return ""
    return str(cell.value.decode("latin-1" if cell.info.gp & LATIN1 else "utf-8", "replace"))


def _pairs(value: Any) -> list[tuple[str, Any]]:
    """Return a list of R's pairs: tags and values."""
    found = []
    while value is not None and _kind(value) == "LIST":
        tag = value.tag
        while tag is not None and tag.referenced_object is not None:
            tag = tag.referenced_object
        name = _text(tag.value) if tag is not None and tag.value is not None else ""
        found.append((name, value.value[0]))
        value = value.value[1]
    return found


def _kind(value: Any) -> str:
    return str(value.info.type.name)
