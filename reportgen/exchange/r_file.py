"""Files that R's save and saveRDS write, read as data: nothing in them is ever run.

The package rdata takes the file to pieces; here the pieces that are arrays and
data frames become tables, and all others are left alone.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.r_objects import as_table, named_objects
from reportgen.exchange.table import RawTable
from reportgen.study.errors import listed, nearest, shown

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
"""How to unpack what begins so."""


def read_r_table(path: Path, item: str = "") -> RawTable:
    """Read the array or data frame of a file that R has written.

    Parameters
    ----------
    path : Path
    item : str
        The object's name; may be left out where only one is a table.

    Raises
    ------
    ExchangeError
        If rdata is not installed, the file is damaged, or there is no such table.
    """
    parsed = _parsed(path, _unpacked(path))
    try:
        return _table(path, named_objects(parsed, path.stem), item)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        said = " ".join(str(error).split())
        raise ExchangeError(f"{path}: found an object that R would not write ({said})") from None


def _table(path: Path, objects: Mapping[str, Any], item: str) -> RawTable:
    """Choose the object that is a table, and make one of it."""
    if item and item not in objects:
        near = nearest(item, objects)
        question = f"; did you mean {near}?" if near else ""
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
            f"{path}: found the tables {listed(makers)}; allowed one: say which by "
            f"`object: {next(iter(makers))}` below `results` in the manifest, or by --object"
        )
    name, make = next(iter(makers.items()))
    return make(path, name)


def _unpacked(path: Path) -> bytes:
    """Return the bytes of the file, unpacked once and no further than is bearable."""
    content = path.read_bytes()
    make = next((make for begin, make in PACKED.items() if content.startswith(begin)), None)
    if make is None:
        return content
    unpacker = make()
    try:
        content = unpacker.decompress(content, MOST_BYTES + 1)
    except (zlib.error, OSError, lzma.LZMAError, EOFError) as error:
        raise ExchangeError(f"{path}: found a damaged file ({error})") from None
    if len(content) > MOST_BYTES:
        raise ExchangeError(
            f"{path}: found more than {MOST_BYTES >> 30} GiB when unpacked; allowed less: save "
            "the results alone, as CSV or Parquet"
        )
    if not unpacker.eof:
        raise ExchangeError(f"{path}: found a file that ends too early")
    return bytes(content)


def _parsed(path: Path, content: bytes) -> Any:
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
        said = "it is nested too deeply"
    except MemoryError:
        said = "it claims more than there is memory"
    except Exception as error:  # whatever a damaged file does to a parser
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
    raise ExchangeError(f"{path}: found a file of R that cannot be read ({said})")


def _parser(path: Path, body: memoryview) -> Any:
    """Return a parser that does not believe a file that claims to be larger than it is."""
    try:
        from rdata.parser import DEFAULT_ALTREP_MAP
        from rdata.parser._xdr import ParserXDR
    except ImportError:
        raise ExchangeError(
            f"{path}: found a file of R, which needs the package rdata; allowed after: "
            "pip install 'reportgen[r]' (or: pip install rdata)"
        ) from None
    most = MOST_BYTES // 8

    class Careful(ParserXDR):
        """What claims room is looked at before it gets it."""

        def _parse_bytecode(self, references: Any, repeated: Any = None) -> Any:
            if repeated is None:
                place = self.file.tell()
                n_repeated = self.parse_int()
                self.file.seek(place)
                if not 0 <= n_repeated <= len(body):
                    raise ValueError(f"a function with {n_repeated} shared parts")
            return super()._parse_bytecode(references, repeated)

    sequences = {
        kind: partial(_bounded, make, most) if kind.startswith(b"compact") else make
        for kind, make in DEFAULT_ALTREP_MAP.items()
    }
    return Careful(body, expand_altrep=True, altrep_constructor_dict=sequences)


def _bounded(make: Callable[[Any], Any], most: int, state: Any) -> Any:
    """Write a sequence out, if it is not longer than any file may be."""
    n = float(state.value[0])
    if not 0 <= n <= most:
        raise ValueError(f"a sequence of {n:g} numbers")
    return make(state)
