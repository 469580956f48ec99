"""JSON of whatever origin: all that cannot be read is a ValueError."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from reportgen.file_reading import size_fault

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
MOST_BYTES = 1 << 30  # of a file of a run
TIMES = 5  # its size, of memory: its letters, and objects of some of them, at least
LONGEST = 60  # characters of a name in a message


def parse_json(text: str) -> Any:
    r"""Return what JSON text says.

    Raises ValueError if it is no JSON, is nested too deeply, has half a character, a number of more
    digits than Python reads, or a name twice in one mapping.

    Examples
    --------
    >>> parse_json('{"a": "\\ud83d\\ude00"}')
    {'a': '😀'}
    """
    try:
        found = json.loads(text, object_pairs_hook=unique_mapping)
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("brackets nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair, which is no character") from None
    except ValueError as error:
        if "integer string" not in str(error):
            raise
        most = sys.get_int_max_str_digits()
        raise ValueError(f"a whole number of more than {most:,} digits") from None
    return found


def unique_mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a mapping of names that are there once.

    Raises ValueError otherwise: a file that names a value twice does not say which it means.

    Examples
    --------
    >>> unique_mapping([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice[:LONGEST]!r} twice in one mapping")
    return found


def read_json(path: Path) -> Any:
    """Read a JSON file of a run.

    Raises OSError if it cannot be read.
    Raises ValueError if it is no JSON, no file, or larger than what is allowed or fits in memory.
    """
    if path.exists() and not path.is_file():  # a pipe has no end
        raise ValueError("no file")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 30} GiB")
    if fault := size_fault(path, TIMES):
        raise ValueError(fault)
    return parse_json(path.read_bytes().decode())
