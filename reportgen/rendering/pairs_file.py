"""Comparisons of very many pairs, in a file of their own beside results.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_PAIRS = 100_000  # of a study whose results.json lists them
FILE = "tables/pairs.parquet"
WRITTEN = "tables/.written-parquet"  # says that a report has put the file there

LISTS = ("pairs", "rank_pairs", "effects")  # whose entries are pairs
KEY = "pairs_file"

Row = dict[str, Any]


def set_aside(results: Mapping[str, Any], folder: Path) -> None:
    """Move the lists of pairs into `tables/pairs.parquet` where there are too many to list.

    In their place is null, and beside them `pairs_file` names the file. One that
    an earlier report has left goes where it is not needed.

    Parameters
    ----------
    results : mapping
        What results.json is to hold; changed in place.
    folder : Path
        The run's.

    Notes
    -----
    A row has the pair's `section`, `dataset` and `measure`, the `list` it was
    in, as a path of keys, and what the list said of it; keys inside a key are
    joined by a dot. Rows of one list keep their order.
    """
    lists = list(_lists(results))
    _forget(folder)
    if sum(found.n_primary for found in lists) <= MOST_PAIRS:
        return
    rows = [row for found in lists for row in found.rows()]
    for found in lists:
        found.holder[found.key] = None
        found.holder[KEY] = FILE
    _write(rows, folder)


@dataclass(frozen=True, slots=True)
class _List:
    """A list of pairs, and where in the results it stands."""

    holder: Row
    key: str
    place: Row
    path: tuple[str, ...] = field(default=())

    @property
    def n_primary(self) -> int:
        """How many pairs decisions rest on here."""
        return sum(entry.get("primary") is True for entry in self.holder[self.key])

    def rows(self) -> Iterator[Row]:
        """Return what is said of each pair."""
        name = ".".join((*self.path, self.key))
        for entry in self.holder[self.key]:
            yield {**self.place, "list": name, **dict(_flat(entry))}


def _lists(results: Mapping[str, Any]) -> Iterator[_List]:
    """Find every list of pairs, of data sets and of the domain."""
    sections = results["sections"]
    measures = {measure["name"] for measure in results["design"]["measures"]}
    for dataset, own in sections.get("inference", {}).items():
        place = {"section": "inference", "dataset": dataset}
        yield from _inside(own, place, (), measures)
    place = {"section": "domain", "dataset": None}
    yield from _inside(sections.get("domain", {}), place, (), measures)


def _inside(value: Any, place: Row, path: tuple[str, ...], measures: set[str]) -> Iterator[_List]:
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in LISTS and _has_pairs(inner):
            yield _List(value, key, {"measure": None} | place, path)
        elif key in measures and "measure" not in place:
            yield from _inside(inner, place | {"measure": key}, path, measures)
        else:
            yield from _inside(inner, place, (*path, key), measures)


def _has_pairs(value: Any) -> bool:
    """Whether a value is a list of entries that name two candidates."""
    is_list = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    return is_list and {"first", "second"} <= set(value[0])


def _flat(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in entry.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _write(rows: list[Row], folder: Path) -> None:
    """Write rows, a key of any of them being a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = dict.fromkeys(key for row in rows for key in row)
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    path = folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd")
    (folder / WRITTEN).write_text(f"{path.name}\n", encoding="utf-8", newline="\n")


def _forget(folder: Path) -> None:
    """Remove the file of an earlier report."""
    if (folder / WRITTEN).exists():
        (folder / FILE).unlink(missing_ok=True)
        (folder / WRITTEN).unlink()
