"""Files that R's save and saveRDS write, read as data: no code in them is run.

The package rdata parses the file; its arrays and data frames become tables, and so do
the performances of R's package benchmark. All other objects are ignored.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures import known_measure
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.fits import Fits, Format, Part, has
from reportgen.exchange.table import ROW_NAMES, RawTable, named_columns, without_nested
from reportgen.installation import DISTRIBUTION
from reportgen.study.errors import listed, shown, suggestion

Make = Callable[[Path, str], RawTable]
ROLES = {
    "replication": ("samp", "samples", "sample", "b", "replication"),
    "candidate": ("alg", "algs", "algorithms", "algorithm", "candidate"),
    "measure": ("perf", "performances", "performance", "measure"),
    "dataset": ("ds", "datasets", "dataset"),
}
"""Names of the four axes of an array in the package benchmark, in its order."""
LATIN1 = 4  # bit of a text's flags
WHOLE = "a whole file, as R writes it"
MOST_BYTES = 2 << 30  # unpacked: a small file can become any size
MOST_DICTIONARY = 1 << 30
WORKSPACE = (b"RDX2\n", b"RDX3\n")  # what save writes; saveRDS writes the bare object
BINARY = b"X\n"
PACKED: Mapping[bytes, Callable[[], Any]] = MappingProxyType(
    {
        b"\x1f\x8b": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
        b"BZh": bz2.BZ2Decompressor,
        b"\xfd7zXZ": lambda: lzma.LZMADecompressor(memlimit=MOST_DICTIONARY),
    }
)
"""Functions to unpack a file, by its first bytes."""
COLUMNS = ("samples", "datasets", "algorithms", "performances", "value")


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
        raise ExchangeError(
            f"{path}: found an array of {sizes} with {cells.size} numbers; allowed all"
        )
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
        found = f"dimnames that do not fit an array of {list(sizes)}"
        raise ExchangeError(f"{path}: found {found}; allowed a name for each")
    own = _texts(dict(_pairs(dimnames.attributes)).get("names"))
    return labels, own or [""] * len(sizes)


def _roles(path: Path, ways: Sequence[str]) -> list[str]:
    """Return the meaning of each axis of an array: by its name, else by its place."""
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
    """Describe the place of a cell in an array."""
    at = np.unravel_index(row, tuple(sizes), order="F")
    return ", ".join(
        f"{role} {names[i] if names else i + 1}"
        for role, names, i in zip(roles, labels, map(int, at), strict=True)
    )


def _frame_table(value: Any, attributes: dict[str, Any], path: Path, name: str) -> RawTable:
    """Lay out a data frame; its columns of lists and functions are left out, and told."""
    # Names of its rows that are texts are a column without a name.
    import pyarrow as pa

    names = _texts(attributes.get("names"))
    columns = {
        n: c for n, v in zip(names, value.value, strict=False) if (c := _column(v)) is not None
    }
    others = {n: _kind(v) for n, v in zip(names, value.value, strict=False) if n not in columns}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        found = f"a data frame {name} with columns of unequal length"
        raise ExchangeError(f"{path}: found {found}; allowed as many cells in each")
    named = named_columns(path, list(columns), list(columns.values()))
    n_rows, rows = lengths.pop(), _texts(attributes.get("row.names"))
    unnamed = {ROW_NAMES: pa.chunked_array([pa.array(rows, pa.string())])}
    unnamed = unnamed if len(rows) == n_rows else {}
    of_lists = {n: "list" if kind == "VEC" else kind.lower() for n, kind in others.items()}
    return without_nested(RawTable(path, named, n_rows, None, unnamed=unnamed), of_lists)


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


def read_r_table(path: Path, item: str = "") -> RawTable:
    """Read the array or data frame of a file that R has written.

    `item`: the object's name; may be left out where only one is a table.
    Raises ExchangeError if rdata is not installed, the file is damaged, or there is no such table.
    """
    parsed = _parse(path, _unpack(path))
    try:
        return _table(path, named_objects(parsed, path.stem), item)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = " ".join(str(error).split())
        found = f"an object that R would not write ({message})"
        raise ExchangeError(f"{path}: found {found}; allowed {WHOLE}") from None


def _table(path: Path, objects: Mapping[str, Any], item: str) -> RawTable:
    """Choose the object that is a table, and make one of it."""
    if item and item not in objects:
        question = suggestion(item, objects)
        raise ExchangeError(
            f"{path}: found no object {shown(item)}; allowed {listed(objects)}{question}"
        )
    chosen = {item: objects[item]} if item else objects
    makers = {name: make for name, value in chosen.items() if (make := as_table(value))}
    if not makers:
        raise ExchangeError(
            f"{path}: found no table in {listed(chosen) or 'it'}; allowed an array samples x "
            "algorithms x measures x data sets, or a data frame"
        )
    if len(makers) > 1:
        raise ExchangeError(
            f"{path}: found the tables {listed(makers)}; allowed one: name it by "
            f"`object: {next(iter(makers))}` below `results` in the manifest, or by --object"
        )
    name, make = next(iter(makers.items()))
    return make(path, name)


def _unpack(path: Path) -> bytes:
    """Return the bytes of the file, unpacked once and no further than is bearable."""
    content = path.read_bytes()
    make = next((make for begin, make in PACKED.items() if content.startswith(begin)), None)
    if make is None:
        return content
    unpacker = make()
    try:
        content = unpacker.decompress(content, MOST_BYTES + 1)
    except (zlib.error, OSError, lzma.LZMAError, EOFError) as error:
        raise ExchangeError(f"{path}: found a damaged file ({error}); allowed {WHOLE}") from None
    if len(content) > MOST_BYTES:
        raise ExchangeError(
            f"{path}: found more than {MOST_BYTES >> 30} GiB when unpacked; allowed less: save "
            "the results alone, as CSV or Parquet"
        )
    if not unpacker.eof:
        raise ExchangeError(f"{path}: found a file that ends too early; allowed {WHOLE}")
    return bytes(content)


def _parse(path: Path, content: bytes) -> Any:
    """Take the file to pieces."""
    magic = next((begin for begin in WORKSPACE if content.startswith(begin)), b"")
    body = content[len(magic) :]
    if not body.startswith(BINARY):
        raise ExchangeError(
            f"{path}: found no binary file of R; allowed what save() and saveRDS() write without "
            "ascii = TRUE"
        )
    parser = _parser(path, memoryview(body)[len(BINARY) :])
    try:
        return parser.parse_all().object
    except RecursionError:
        message = "it is nested too deeply"
    except MemoryError:
        message = "it claims more than there is memory"
    except Exception as error:  # whatever a damaged file does to a parser
        message = f"{type(error).__name__}: {' '.join(str(error).split())}"
    found = f"a file of R that cannot be read ({message})"
    raise ExchangeError(f"{path}: found {found}; allowed {WHOLE}")


def _parser(path: Path, body: memoryview) -> Any:
    """Return a parser that does not believe a file that claims to be larger than it is."""
    try:
        from rdata.parser import DEFAULT_ALTREP_MAP
        from rdata.parser._xdr import ParserXDR
    except ImportError:
        raise ExchangeError(
            f"{path}: found a file of R, which needs the package rdata; allowed after: "
            f"pip install '{DISTRIBUTION}[r]' (or: pip install rdata)"
        ) from None
    most = MOST_BYTES // 8

    class Careful(ParserXDR):
        """Check a claimed size before memory is allocated."""

        def _parse_bytecode(self, references: Any, repeated: Any = None) -> Any:
            if repeated is None:
                place = self.file.tell()
                n_repeated = self.parse_int()
                self.file.seek(place)
                if not 0 <= n_repeated <= len(body):
                    raise ValueError(f"a function with {n_repeated} shared parts")
            return super()._parse_bytecode(references, repeated)

    sequences = {
        kind: partial(_bound_size, make, most) if kind.startswith(b"compact") else make
        for kind, make in DEFAULT_ALTREP_MAP.items()
    }
    return Careful(body, expand_altrep=True, altrep_constructor_dict=sequences)


def _bound_size(make: Callable[[Any], Any], most: int, state: Any) -> Any:
    """Write a sequence out, if it is not longer than any file may be."""
    n = float(state.value[0])
    if not 0 <= n <= most:
        raise ValueError(f"a sequence of {n:g} numbers")
    return make(state)


def _read(table: RawTable) -> Fits:
    """Read what viewAlgorithmPerformance() of a warehouse returns: a row a value."""
    labels = table.labels("performances")
    values = table.numbers("value")
    samples = table.labels("samples")
    for code, name in enumerate(samples.names):
        if not name.isdecimal():
            row = int(np.argmax(samples.codes == code))
            raise table.error(shown(name), "a whole number", row=row, column="samples")
    numbers = np.array([int(name) for name in samples.names], np.int64)
    parts = tuple(
        Part(name, rows, values[rows])
        for code, name in enumerate(labels.names)
        if len(rows := np.flatnonzero(labels.codes == code))
    )
    return Fits(
        table.labels("datasets"),
        table.labels("algorithms"),
        numbers[samples.codes],
        np.arange(table.n_rows),
        parts,
        {name: measure for name in labels.names if (measure := known_measure(name))},
    )


FORMATS = (
    Format("r-benchmark", ", ".join(COLUMNS), "R's package benchmark", has(*COLUMNS), _read),
)
