"""Keys of a manifest in messages: as its file has them, and as arguments of a call in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

UNKNOWN = "…"  # what the user knows
BELOW = " below `results` in the manifest"
COMMANDS = "on the command line of import and init"
YAML_WORDS = ("true", "false", "null", "yes", "no", "on", "off")
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ._-]*")  # needs no quotes in YAML


def quoted(name: str) -> str:
    """Write a name so that YAML reads it as it is.

    Examples
    --------
    >>> print(quoted("a b"), quoted("no"), quoted("a: b"))
    a b "no" "a: b"
    """
    is_plain = PLAIN.fullmatch(name) and name == name.strip() and name.lower() not in YAML_WORDS
    return name if is_plain or name == UNKNOWN else json.dumps(name, ensure_ascii=False)


def flow(value: object) -> str:
    """Write a value as YAML has it, on one line.

    Examples
    --------
    >>> flow({"replication": ["fold", "a:b"]})
    '{replication: [fold, "a:b"]}'
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {flow(own)}' for key, own in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return quoted(str(value))


def argument(value: object) -> str:
    """Write a value as Python has it.

    Examples
    --------
    >>> print(argument({"replication": ["fold", "…"]}))
    {'replication': ['fold', …]}
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {argument(own)}' for key, own in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(argument, value))}]"
    return UNKNOWN if value == UNKNOWN else repr(value)
