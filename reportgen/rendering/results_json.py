"""results.json: every number of a report, unrounded, for programs.

`render` writes the file, `plain` turns a result into lists and dictionaries. Where the lists of
pairs of a study have more than `MOST_PAIRS` rows, `PairsFile` moves them into tables/pairs.parquet,
and `restore_pairs` puts them back where they are read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from json.encoder import encode_basestring
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError, StudyError
from reportgen.file_writing import replacement, write_text
from reportgen.report import PAIRS, SCHEMA_VERSION, Report, SectionContent
from reportgen.stats.frame import PairRows
from reportgen.units import Unit

if TYPE_CHECKING:
    import pyarrow as pa


MOST_PAIRS = 100_000  # rows of all lists of pairs of a study whose results.json has them
ROWS_OF_GROUP = 2**20  # that are written together
INDEX = "tables/.written-parquet"  # exists where a report has written the file

SECTIONS = ("inference", "domain")  # whose lists of pairs grow with the data sets
PLACE = ("section", "dataset", "measure", "list")  # columns that say where a row belongs
KEY = "pairs_file"

Row = dict[str, Any]


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
        self._n_rows = 0
        self._lists: list[_Place] = []
        self._tables: list[pa.Table] = []

    def add(self, section: str, dataset: str | None, result: Any) -> None:
        """Register the lists of pairs of a section.

        When all registered lists together are too many, they are replaced in place.
        """
        if section not in SECTIONS:
            return
        place: Row = {"section": section, "dataset": dataset}
        places = _places(result, place, (), self._measures)
        found = [one for one in places if _has_pairs(one.holder[one.key])]
        self._n_rows += sum(len(one.holder[one.key]) for one in found)
        self._lists += found
        if self._n_rows > MOST_PAIRS:
            self._extract()

    def may_take(self, section: str) -> bool:
        """Whether a section has lists of pairs, and it is not yet known that all are too many."""
        return section in SECTIONS and self._n_rows <= MOST_PAIRS

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
            found.holder[KEY] = PAIRS
        self._lists.clear()


def restore_pairs(
    found: Row, folder: Path, lists: Sequence[str] = ("pairs", "verdict.pairs")
) -> Row:
    """Put lists of pairs of a results.json that a file beside it has into their place.

    `folder`: of the results.json.
    `lists`: which of them, as paths of keys: those of the verdicts.
    Raises StudyError if the file is not there, or cannot be read.
    """
    measures = frozenset(m["name"] for m in found["design"]["measures"])
    missing: dict[tuple[Any, ...], _Place] = {}
    for section in SECTIONS:
        by_dataset = found["sections"].get(section) or {}
        parts = {None: by_dataset} if section == "domain" else by_dataset
        for dataset, part in parts.items():
            begin: Row = {"section": section, "dataset": dataset}
            for one in _places(part, begin, (), measures):
                if KEY in one.holder and one.holder[one.key] is None:
                    missing[tuple(one.place[name] for name in PLACE)] = one
    wanted = {place: one for place, one in missing.items() if place[-1] in lists}
    for place, rows in (_stored_lists(folder / PAIRS, lists) if wanted else {}).items():
        if place in wanted:
            wanted[place].holder[wanted[place].key] = rows
    return found


def _stored_lists(path: Path, lists: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Return some lists of a file of pairs, by their place."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path, filters=[("list", "in", [*lists])]).to_pylist()
    except (OSError, pa.ArrowException) as error:
        allowed = "the file that the run has written beside its results.json"
        raise StudyError(f"{path}: found no pairs ({error}); allowed {allowed}") from None
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row.pop(name) for name in PLACE), []).append(row)
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """A key of the results, and what `PLACE` says of it."""

    holder: Row
    key: str
    place: Row

    def table(self) -> pa.Table:
        """Return a row for each pair, with the place of its list."""
        import pyarrow as pa

        rows = self.holder[self.key]
        columns: Mapping[str, Any] = (
            rows.arrays()
            if isinstance(rows, PairRows)
            else _columns([dict(_flatten(row)) for row in rows])
        )
        said = {name: _arrow_array(values) for name, values in columns.items()}
        where = {name: _repeated(self.place[name], len(rows)) for name in PLACE}
        return pa.table(where | said)


def _places(
    value: Row, place: Row, path: tuple[str, ...], measures: Collection[str]
) -> Iterator[_Place]:
    """Go through keys of lists, and where one is missing, but for those of entries of lists.

    Keys inside others are among them.
    """
    if NUMBERS.issuperset(map(type, value.values())):
        return
    for key, inner in value.items():
        if type(inner) in NOT_LISTS:
            continue
        is_measure = key in measures and "measure" not in place
        here = place | {"measure": key} if is_measure else place
        inside = path if is_measure else (*path, key)
        if isinstance(inner, dict):
            yield from _places(inner, here, inside, measures)
        else:
            yield _Place(value, key, {"measure": None} | here | {"list": ".".join(inside)})


def _has_pairs(value: Any) -> bool:
    """Whether a value is a list of entries that name two candidates."""
    if isinstance(value, PairRows):
        return len(value) > 0
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


def _arrow_array(values: Sequence[Any] | NDArray[Any]) -> pa.Array:
    """Return a column: numbers that are not finite are null, texts by number, as few differ."""
    import pyarrow as pa

    if (
        isinstance(values, tuple)
        and type(values[0]) is str
        and values.count(values[0]) == len(values)
    ):
        return _repeated(values[0], len(values))
    if isinstance(values, np.ndarray) and values.ndim > 1:
        values = values.tolist()
    is_real = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    column = pa.array(values, mask=~np.isfinite(values) if is_real else None)
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def _repeated(name: str | None, n_rows: int) -> pa.Array:
    """Return a column that says the same of all rows."""
    import pyarrow as pa

    if name is None:
        return pa.nulls(n_rows)
    places = pa.repeat(pa.scalar(0, pa.int32()), n_rows)
    return pa.DictionaryArray.from_arrays(places, pa.array([name]))


def _write_tables(tables: list[pa.Table], folder: Path) -> None:
    """Write tables one below the other; texts are read back as texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / PAIRS
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = pa.unify_schemas([table.schema for table in tables], promote_options="permissive")
    texts = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    with (
        replacement(path) as temporary,
        temporary.open("wb") as file,
        pq.ParquetWriter(
            file,
            schema,
            compression="zstd",
            use_dictionary=texts,
            store_schema=False,
            write_statistics=False,
        ) as writer,
    ):
        for group in _groups(tables):
            writer.write_table(_below_one_another([schema.empty_table(), *group]))
    pa.default_memory_pool().release_unused()  # what HTML would take beside it
    write_text(folder / INDEX, f"{path.name}\n")


def _below_one_another(tables: list[pa.Table]) -> pa.Table:
    """Return all rows, each text by one number: else texts are written one by one."""
    import pyarrow as pa

    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()


def _groups(tables: list[pa.Table]) -> Iterator[list[pa.Table]]:
    """Take tables from a list, few rows of them at a time: others' columns take memory in each."""
    tables.reverse()
    while tables:
        group, n_rows = [tables.pop()], 0
        while tables and (n_rows := n_rows + len(group[-1])) + len(tables[-1]) <= ROWS_OF_GROUP:
            group.append(tables.pop())
        yield group


def _remove_earlier(folder: Path) -> None:
    """Remove the file of an earlier report."""
    if (folder / INDEX).exists():
        (folder / PAIRS).unlink(missing_ok=True)
        (folder / INDEX).unlink()


NUMBERS = frozenset((float, int, type(None)))
SCALARS = NUMBERS | {str, bool}
TEXT = frozenset((str,))
NOT_LISTS = SCALARS - {type(None)}
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Write results.json; where a study has very many pairs, these into a file beside it.

    `destination`: the file to write.
    `folders`: not used: numbers have no templates.
    """
    pairs_file = PairsFile([measure.name for measure in report.design.measures])
    tree = _tree(report, pairs_file)
    with (
        replacement(destination) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        _add_json(tree, "\n", file.write)
        file.write("\n")
    pairs_file.write(destination.parent)
    return (destination,)


def format_json(value: Any) -> str:
    """Write a value as JSON that can be read and compared by line.

    Every key has a line; what holds no further lists or dictionaries stays on
    one, such as a row of a matrix.

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
    _add_json(value, "\n", parts.append)
    return "".join(parts)


def _add_json(value: Any, margin: str, add: Callable[[str], object]) -> None:
    """Add a value piece by piece: what is joined level by level is copied at each."""
    if isinstance(value, _Later):
        value = value.result()
    if isinstance(value, PairRows):
        value = _listed(value)
    if isinstance(value, dict) and value:
        _add_dictionary(value, margin, add)
    elif isinstance(value, list) and not SCALARS.issuperset(map(type, value)):
        inner = margin + " "
        before = "[" + inner
        for item in value:
            if type(item) is list and NUMBERS.issuperset(map(type, item)):
                add(before + _json_line(item))
            else:
                add(before)
                _add_json(item, inner, add)
            before = "," + inner
        add(margin + "]")
    else:
        add(_json_line(value))


def _add_dictionary(value: dict[str, Any], margin: str, add: Callable[[str], object]) -> None:
    """Add a dictionary that is not empty: runs of texts and numbers at once."""
    inner = margin + " "
    encode = _encoder(inner)
    if SCALARS.issuperset(map(type, value.values())):
        add(f"{{{inner}{encode(value)[1:-1]}{margin}}}")
        return
    before = "{" + inner
    run: dict[str, Any] = {}
    for key, item in value.items():
        if type(item) in SCALARS:
            run[key] = item
            continue
        if run:
            add(f"{before}{encode(run)[1:-1]}")
            before, run = "," + inner, {}
        add(f"{before}{encode_basestring(key)}: ")
        _add_json(item, inner, add)
        before = "," + inner
    if run:
        add(f"{before}{encode(run)[1:-1]}")
    add(margin + "}")


@cache
def _encoder(inner: str) -> Callable[[Any], str]:
    """Return what writes a dictionary of texts and numbers, its items after this margin."""
    separators = ("," + inner, ": ")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=separators).encode


def _json_line(value: Any) -> str:
    """Write a value on one line."""
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if value is None:
        return "null"
    if kind is list and NUMBERS.issuperset(map(type, value)):
        text = repr(value).replace("None", "null")
        if "nan" not in text and "inf" not in text:
            return text
    if kind is list and TEXT.issuperset(map(type, value)):
        return f"[{', '.join(map(encode_basestring, value))}]"
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class _Later:
    """The result of a section that is turned into lists and dictionaries when it is written."""

    content: SectionContent
    pairs_file: PairsFile

    def result(self) -> Any:
        """Return it, without the lists of pairs that the file takes."""
        found = _plain(self.content.result)
        self.pairs_file.add(self.content.name, self.content.dataset, found)
        return found


def _tree(report: Report, pairs_file: PairsFile) -> dict[str, Any]:
    """Return results.json; its sections come later, once it is known whether pairs are too many."""
    sections: dict[str, Any] = {}
    for content in report.contents:
        later = _Later(content, pairs_file)
        result = later.result() if pairs_file.may_take(content.name) else later
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
        "target": None if report.conclusion is None else report.conclusion.target,
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
    Fields that are `HIDDEN` are left out, in the place of one that is `stated` as a property is
    that, and the items of one that is `SPREAD` are keys beside the fields; a dataclass that is a
    sequence is its items.
    Numbers that are missing or infinite become None.

    Examples
    --------
    >>> plain({"a": (1, float("inf")), "b": np.array([True, False])})
    {'a': [1, None], 'b': [True, False]}
    """
    return _listed(_plain(value))


def _listed(value: Any) -> Any:
    """Return a plain value whose tables of pairs are lists of rows."""
    if isinstance(value, PairRows):
        columns = value.columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict | PairRows):
        return [_listed(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    """Return a plain value, tables of pairs as they are."""
    kind = type(value)
    if value is None or kind is bool or kind is str or kind is int:
        return value
    if kind is float:
        return value if isfinite(value) else None
    if kind is tuple or kind is list:
        return _plain_items(value)
    if kind is dict:
        return _plain_mapping(value)
    if kind is Unit:
        return value.name
    if is_dataclass(value) and not isinstance(value, type | Sequence):
        return _plain_fields(value)
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, Set):
        return sorted(_plain(item) for item in value)
    if isinstance(value, np.generic | np.ndarray):
        is_finite = value.dtype.kind in "biuU" or (
            value.dtype.kind == "f" and np.isfinite(value).all()
        )
        return value.tolist() if is_finite else _plain(value.tolist())
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _plain(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, PairRows):
        return value
    if isinstance(value, Sequence):
        return _plain_items(value)
    raise RenderingError(
        f"results.json: found {value!r} ({type(value).__name__}); allowed data of JSON"
    )


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Return plain values by text; those that are texts and numbers alone at once."""
    if TEXT.issuperset(map(type, value)) and SCALARS.issuperset(map(type, value.values())):
        return dict(zip(value, _plain_items([*value.values()]), strict=True))
    return {_text_key(key): _plain(item) for key, item in value.items()}


def _plain_items(values: Sequence[Any]) -> list[Any]:
    kinds = set(map(type, values))
    if kinds <= SCALARS:
        if float not in kinds:
            return [*values]
        return [None if type(x) is float and not isfinite(x) else x for x in values]
    return [_plain(item) for item in values]


def _plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that belong into results, in their order."""
    kept: dict[str, Any] = {}
    kind: Any = type(value)
    for name, key in result_fields(kind):
        own = _plain(getattr(value, name))
        kept |= own if key is None else {key: own}
    return kept


@cache
def result_fields(kind: Any) -> tuple[tuple[str, str | None], ...]:
    """Return what results have of a dataclass: names, and keys; None of one that is spread."""
    found = [
        (own.metadata.get("property", own.name), own.metadata.get("key", own.name))
        for own in fields(kind)
        if own.metadata.get("results", True)
    ]
    return (*found, *((name, name) for name in getattr(kind, "DERIVED", ())))


def _text_key(key: object) -> str:
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise RenderingError(
            f"results.json: found the key {key!r} ({type(key).__name__}); allowed text"
        )
    return str(key)
