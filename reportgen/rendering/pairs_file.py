"""Comparisons of very many pairs, in a file of their own beside results.json."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PAIRS = 100_000  # of a study whose results.json lists them
FILE = "tables/pairs.parquet"
WRITTEN = "tables/.written-parquet"  # says that a report has put the file there

SECTIONS = ("inference", "domain")  # whose lists of pairs grow with the data sets
LISTS = ("pairs", "rank_pairs", "effects")  # whose entries are pairs
VERDICTS = (("pairs",), ("verdict", "pairs"))  # paths of lists of a data set, of the domain
KEY = "pairs_file"

Row = dict[str, Any]


class PairsFile:
    """Takes the lists of pairs out of results, one after the other, once they are too many.

    Parameters
    ----------
    measures : collection of str
        Names of the study's measures.

    Notes
    -----
    In the place of a list is then null, and beside it `pairs_file` names the file.
    A row of it has the pair's `section`, `dataset` and `measure`, the `list` it was
    in, as a path of keys, and what the list said of it; keys inside a key are
    joined by a dot. Rows of one list keep their order.
    """

    def __init__(self, measures: Collection[str]) -> None:
        self._measures = frozenset(measures)
        self._n_verdicts = 0
        self._waiting: list[_List] = []
        self._tables: list[pa.Table] = []

    def take(self, section: str, dataset: str | None, result: Any) -> None:
        """Look through the results of a section; change them in place where pairs are many.

        Those looked through before are changed as soon as all together are too many.
        """
        if section not in SECTIONS:
            return
        place: Row = {"section": section, "dataset": dataset}
        found = list(_inside(result, place, (), self._measures))
        self._n_verdicts += sum(one.n_verdicts for one in found)
        self._waiting += found
        if self._n_verdicts > MOST_PAIRS:
            self._set_aside()

    def write(self, folder: Path) -> None:
        """Write `tables/pairs.parquet` where it is needed; that of an earlier report goes.

        Parameters
        ----------
        folder : Path
            The run's.
        """
        _forget(folder)
        if self._tables:
            _write(self._tables, folder)

    def _set_aside(self) -> None:
        for found in self._waiting:
            self._tables.append(found.table())
            found.holder[found.key] = None
            found.holder[KEY] = FILE
        self._waiting.clear()


@dataclass(frozen=True, slots=True)
class _List:
    """A list of pairs, and where in the results it stands."""

    holder: Row
    key: str
    place: Row
    path: tuple[str, ...] = field(default=())

    @property
    def n_verdicts(self) -> int:
        """How many pairs are decided here, other methods aside."""
        return len(self.holder[self.key]) if (*self.path, self.key) in VERDICTS else 0

    def table(self) -> pa.Table:
        """Return what is said of each pair, a row each, beside where it is said."""
        import pyarrow as pa

        entries = [dict(_flat(entry)) for entry in self.holder[self.key]]
        where = self.place | {"list": ".".join((*self.path, self.key))}
        said = {name: _column(values) for name, values in _columns(entries).items()}
        return pa.table({k: _column([v] * len(entries)) for k, v in where.items()} | said)


def _inside(
    value: Any, place: Row, path: tuple[str, ...], measures: Collection[str]
) -> Iterator[_List]:
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
        if type(value) is dict:
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _columns(rows: list[Row]) -> dict[str, Sequence[Any]]:
    """Turn rows into columns, a key of any of them being one."""
    names = tuple(rows[0])
    if all(tuple(row) == names for row in rows):
        return dict(zip(names, zip(*(row.values() for row in rows), strict=True), strict=True))
    union = dict.fromkeys(key for row in rows for key in row)
    return {name: [row.get(name) for row in rows] for name in union}


def _column(values: Sequence[Any]) -> pa.Array:
    """Return a column; texts by number, as few differ."""
    import pyarrow as pa

    column = pa.array(values)
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def _write(tables: list[pa.Table], folder: Path) -> None:
    """Write tables one below the other; texts are read back as texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = pa.concat_tables(tables, promote_options="permissive")
    pq.write_table(whole, path, compression="zstd", store_schema=False)
    (folder / WRITTEN).write_text(f"{path.name}\n", encoding="utf-8", newline="\n")


def _forget(folder: Path) -> None:
    """Remove the file of an earlier report."""
    if (folder / WRITTEN).exists():
        (folder / FILE).unlink(missing_ok=True)
        (folder / WRITTEN).unlink()
