"""JSON of whatever origin: all that cannot be read is a ValueError."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
MOST_BYTES = 1 << 30  # of a file of a run
HIDDEN = {"results": False}  # of a field of a result that results.json does not have


def parse_json(text: str) -> Any:
    r"""Return what JSON text says.

    Raises ValueError if it is no JSON, is nested too deeply, or has half a character.

    Examples
    --------
    >>> parse_json('{"a": "\\ud83d\\ude00"}')
    {'a': '😀'}
    """
    try:
        found = json.loads(text)
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("brackets nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair, which is no character") from None
    return found


def read_json(path: Path) -> Any:
    """Read a JSON file of a run.

    Raises OSError if it cannot be read.
    Raises ValueError if it is no JSON, no file, or too large.
    """
    if path.exists() and not path.is_file():  # a pipe has no end
        raise ValueError("no file")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 30} GiB")
    return parse_json(content.decode())
