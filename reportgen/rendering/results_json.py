"""results.json: every number of a report, unrounded, for programs.

`render` writes the file; `results` builds its content, `plain` turns a result into lists and
dictionaries. Where a study compares more than `MOST_PAIRS` pairs, `PairsFile` moves the lists of
pairs into tables/pairs.parquet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from json.encoder import encode_basestring
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.errors import RenderingError
from reportgen.file_writing import replacement, write_text
from reportgen.report import SCHEMA_VERSION, Report
from reportgen.stats.pair_table import PairTable

if TYPE_CHECKING:
    import pyarrow as pa


MOST_PAIRS = 100_000  # of a study whose results.json lists them
FILE = "tables/pairs.parquet"
INDEX = "tables/.written-parquet"  # exists where a report has written the file

SECTIONS = ("inference", "domain")  # whose lists of pairs grow with the data sets
LISTS = ("pairs", "rank_pairs", "effects")  # whose entries are pairs
VERDICTS = (("pairs",), ("verdict", "pairs"))  # paths of lists of a data set, of the domain
KEY = "pairs_file"

Row = dict[str, Any]


class PairRows(list[Row]):
    """The rows of a table of pairs, with the columns that they are made of."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        names = tuple(columns)
        rows = zip(*columns.values(), strict=True)
        super().__init__(dict(zip(names, row, strict=True)) for row in rows)
        self.columns = columns


class PairsFile:
    """Moves the lists of pairs out of the results where they are too many.

    `measures`: names of the study's measures.

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
        self._lists: list[_PairList] = []
        self._tables: list[pa.Table] = []

    def add(self, section: str, dataset: str | None, result: Any) -> None:
        """Register the lists of pairs of a section.

        When all registered lists together are too many, they are replaced in place.
        """
        if section not in SECTIONS:
            return
        place: Row = {"section": section, "dataset": dataset}
        found = list(_pair_lists(result, place, (), self._measures))
        self._n_verdicts += sum(one.n_verdicts for one in found)
        self._lists += found
        if self._n_verdicts > MOST_PAIRS:
            self._extract()

    def write(self, folder: Path) -> None:
        """Write `tables/pairs.parquet` if there is need; remove that of an earlier report.

        `folder`: the run's.
        """
        _remove_earlier(folder)
        if self._tables:
            _write_tables(self._tables, folder)

    def _extract(self) -> None:
        for found in self._lists:
            self._tables.append(found.table())
            found.holder[found.key] = None
            found.holder[KEY] = FILE
        self._lists.clear()


@dataclass(frozen=True, slots=True)
class _PairList:
    """A list of pairs, and where in the results it stands."""

    holder: Row
    key: str
    place: Row
    path: tuple[str, ...] = field(default=())

    @property
    def n_verdicts(self) -> int:
        """The number of pairs with a verdict; pairs of other methods do not count."""
        return len(self.holder[self.key]) if (*self.path, self.key) in VERDICTS else 0

    def table(self) -> pa.Table:
        """Return a row for each pair, with the place of its list."""
        import pyarrow as pa

        rows = self.holder[self.key]
        is_table = isinstance(rows, PairRows)
        columns = rows.columns if is_table else _columns([dict(_flatten(row)) for row in rows])
        where = self.place | {"list": ".".join((*self.path, self.key))}
        said = {name: _arrow_array(values) for name, values in columns.items()}
        return pa.table({k: _arrow_array([v] * len(rows)) for k, v in where.items()} | said)


def _pair_lists(
    value: Any, place: Row, path: tuple[str, ...], measures: Collection[str]
) -> Iterator[_PairList]:
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in LISTS and _has_pairs(inner):
            yield _PairList(value, key, {"measure": None} | place, path)
        elif key in measures and "measure" not in place:
            yield from _pair_lists(inner, place | {"measure": key}, path, measures)
        else:
            yield from _pair_lists(inner, place, (*path, key), measures)


def _has_pairs(value: Any) -> bool:
    """Whether a value is a list of entries that name two candidates."""
    is_list = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    return is_list and {"first", "second"} <= set(value[0])


def _flatten(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in entry.items():
        if type(value) is dict:
            yield from _flatten(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _columns(rows: list[Row]) -> dict[str, Sequence[Any]]:
    """Turn rows into columns, a key of any of them being one."""
    names = tuple(rows[0])
    if all(tuple(row) == names for row in rows):
        return dict(zip(names, zip(*(row.values() for row in rows), strict=True), strict=True))
    union = dict.fromkeys(key for row in rows for key in row)
    return {name: [row.get(name) for row in rows] for name in union}


def _arrow_array(values: Sequence[Any]) -> pa.Array:
    """Return a column; texts by number, as few differ."""
    import pyarrow as pa

    column = pa.array(values)
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def _write_tables(tables: list[pa.Table], folder: Path) -> None:
    """Write tables one below the other; texts are read back as texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = pa.concat_tables(tables, promote_options="permissive")
    with replacement(path) as temporary, temporary.open("wb") as file:
        pq.write_table(whole, file, compression="zstd", store_schema=False)
    write_text(folder / INDEX, f"{path.name}\n")


def _remove_earlier(folder: Path) -> None:
    """Remove the file of an earlier report."""
    if (folder / INDEX).exists():
        (folder / FILE).unlink(missing_ok=True)
        (folder / INDEX).unlink()


NUMBERS = frozenset((float, int, type(None)))
SCALARS = NUMBERS | {str, bool}
SPREAD = "*"  # says in a field's metadata that its items are keys of the whole
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Write results.json; where a study has very many pairs, these into a file beside it.

    `destination`: the file to write.
    `folders`: not used: numbers have no templates.
    """
    pairs_file = PairsFile([measure.name for measure in report.design.measures])
    found = results(report, pairs_file)
    pairs_file.write(destination.parent)
    write_text(destination, format_json(found) + "\n")
    return (destination,)


def format_json(value: Any, margin: str = "") -> str:
    """Write a value as JSON that can be read and compared by line.

    Every key has a line; what holds no further lists or dictionaries stays on
    one, such as a row of a matrix.

    `margin`: what the lines after the first begin with.

    Examples
    --------
    >>> print(format_json({"incidence": [[0, 1], [0, 0]]}))
    {
     "incidence": [
      [0, 1],
      [0, 0]
     ]
    }
    """
    parts: list[str] = []
    _add_json(value, "\n" + margin, parts.append)
    return "".join(parts)


def _add_json(value: Any, margin: str, add: Callable[[str], None]) -> None:
    """Add a value piece by piece: what is joined level by level is copied at each."""
    inner = margin + " "
    before = inner
    if isinstance(value, dict) and value:
        if SCALARS.issuperset(map(type, value.values())):
            items = [f"{inner}{_json_line(k)}: {_json_line(item)}" for k, item in value.items()]
            add(f"{{{','.join(items)}{margin}}}")
            return
        add("{")
        for key, item in value.items():
            if type(item) in SCALARS:
                add(f"{before}{_json_line(key)}: {_json_line(item)}")
            else:
                add(f"{before}{_json_line(key)}: ")
                _add_json(item, inner, add)
            before = "," + inner
        add(margin + "}")
    elif isinstance(value, list) and not SCALARS.issuperset(map(type, value)):
        add("[")
        for item in value:
            add(before)
            _add_json(item, inner, add)
            before = "," + inner
        add(margin + "]")
    else:
        add(_json_line(value))


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _json_line(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is float and isfinite(value):
        return float.__repr__(value)
    if value is None:
        return "null"
    if kind is int:
        return int.__repr__(value)
    if kind is list:
        if NUMBERS.issuperset(map(type, value)):
            text = repr(value).replace("None", "null")
            if "nan" not in text and "inf" not in text:
                return text
        return f"[{', '.join(map(_json_line, value))}]"
    return _ENCODER.encode(value)


def results(report: Report, pairs_file: PairsFile | None = None) -> dict[str, Any]:
    """Return the whole of results.json as plain lists and dictionaries.

    Results of data sets stand under the data set's name, those of the study
    directly under their section's.

    `aside`: takes the lists of pairs where they are many.
    """
    sections: dict[str, Any] = {}
    for content in report.contents:
        result = plain(content.result)
        if pairs_file is not None:
            pairs_file.add(content.name, content.dataset, result)
        if content.dataset is None:
            sections[content.name] = result
        else:
            sections.setdefault(content.name, {})[content.dataset] = result
    samples = {own.dataset: plain(own) for own in report.samples}
    return {
        "schema_version": SCHEMA_VERSION,
        "study": plain(report.study),
        "design": _design(report),
        "conclusion": plain(report.conclusion),
        "checklists": plain(report.checklists),
        "sections": sections,
        **({"samples": samples} if samples else {}),
        "drawing_faults": plain(report.drawing_faults),
        **({"section_faults": plain(report.section_faults)} if report.section_faults else {}),
        "provenance": plain(report.provenance),
    }


def _design(report: Report) -> dict[str, Any]:
    """Return what was compared; what scripts rely on comes first."""
    design = report.design
    return {
        "datasets": [d.name for d in design.datasets],
        "candidates": list(design.candidates),
        "measures": [plain(m) for m in design.measures],
        "replications": {d.name: d.n_replications for d in design.datasets},
        "descriptions": plain(design.descriptions),
        "problem": design.problem,
        "resampling": plain(design.resampling),
        "seed": design.seed,
        "alpha": design.alpha,
        "relevance": plain(design.relevance),
        "target": None if report.conclusion is None else report.conclusion.recommendation.target,
        "n_values": design.n_values,
        "n_missing": design.n_missing,
        "missing_rule": design.missing_rule,
        "sizes": {d.name: _sizes(plain(d)) for d in design.datasets},
        "failures": plain(design.failures),
        "warnings": plain(design.warnings),
        "choices": plain(design.choices),
        "source": design.source,
    }


def _sizes(dataset: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in dataset.items() if key not in ("name", "n_replications")}


def plain(value: Any) -> Any:
    """Return a result as plain lists, dictionaries, numbers and texts.

    Properties that a class lists as `DERIVED` follow its fields.
    Fields whose metadata says `results: False` are left out, and one that says
    `results: <another field>` is appended to that list, the items of a mapping that
    says `results: *` are keys beside the fields; one that is a sequence is its items.
    Numbers that are missing or infinite become None.

    Examples
    --------
    >>> plain({"a": (1, float("inf")), "b": np.array([True, False])})
    {'a': [1, None], 'b': [True, False]}
    """
    kind = type(value)
    if value is None or kind is bool or kind is str or kind is int:
        return value
    if kind is float:
        return value if isfinite(value) else None
    if kind is tuple or kind is list:
        return _plain_items(value)
    if is_dataclass(value) and not isinstance(value, type | Sequence):
        return _plain_fields(value)
    if isinstance(value, Mapping):
        return {_text_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(plain(item) for item in value)
    if isinstance(value, np.generic | np.ndarray):
        is_finite = value.dtype.kind in "biuU" or (
            value.dtype.kind == "f" and np.isfinite(value).all()
        )
        return value.tolist() if is_finite else plain(value.tolist())
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return plain(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, PairTable):
        return PairRows(value.columns())
    if isinstance(value, Sequence):
        return _plain_items(value)
    raise RenderingError(f"results.json cannot hold {value!r} ({type(value).__name__})")


def _plain_items(values: Sequence[Any]) -> list[Any]:
    kinds = set(map(type, values))
    if kinds <= SCALARS:
        if float not in kinds:
            return [*values]
        return [None if type(x) is float and not isfinite(x) else x for x in values]
    return [plain(item) for item in values]


def _plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that belong into results, in their order."""
    kept: dict[str, Any] = {}
    kind: Any = type(value)
    for name, place in _result_fields(kind):
        if place == SPREAD:
            kept |= plain(getattr(value, name))
        elif isinstance(place, str):
            kept[place] = [*kept[place], *plain(getattr(value, name))]
        else:
            kept[name] = plain(getattr(value, name))
    return kept


@cache
def _result_fields(kind: Any) -> tuple[tuple[str, bool | str], ...]:
    """Return the fields of a dataclass that belong into results, and where."""
    found = ((field.name, field.metadata.get("results", True)) for field in fields(kind))
    derived = ((name, True) for name in getattr(kind, "DERIVED", ()))
    return (*((name, place) for name, place in found if place), *derived)


def _text_key(key: object) -> str:
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise RenderingError(f"results.json cannot have the key {key!r} ({type(key).__name__})")
    return str(key)
