"""Value types of a manifest: names, durations, limits, counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import floor
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    WithJsonSchema,
)

from reportgen.data_classes import dataclass
from reportgen.study.errors import fault, is_one_line, shown
from reportgen.study.schema.options import two_numbers

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
BYTES = {"MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
LONGEST_NAME = 200
MOST = 1_000_000  # replications, and what else is counted
MOST_OBSERVATIONS = 10**12  # of a data set that others measured
LONGEST_FOLDER = 100
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # on Windows


def _name(name: str) -> str:
    """Accept any spelling that can be shown on one line."""
    if not name.strip() or name != name.strip():
        raise fault(shown(name), "a name that neither is empty nor begins or ends with a blank")
    return _line(name)


def _line(text: str) -> str:
    """Accept what can be shown on one line, which may be empty."""
    if not is_one_line(text) or len(text) > LONGEST_NAME:
        raise fault(shown(text), f"at most {LONGEST_NAME} characters, all of them printable")
    return text


def folder_fault(name: str) -> str:
    """Return why a name is no safe name of a folder; empty where it is one."""
    if re.search(r'[<>:"/\\|?*]', name) or not is_one_line(name):
        return 'a name without any of < > : " / \\ | ? * and without control characters'
    if name != name.strip() or name[:1] in (".", "-", "~", "") or name[-1:] == ".":
        return "a name that does not begin with . - ~ or a blank, nor end with . or a blank"
    if RESERVED.fullmatch(name) or PurePath(name).name != name:
        return "a name that no system keeps for itself"
    if len(name.encode()) > LONGEST_FOLDER:
        return f"at most {LONGEST_FOLDER} bytes"
    return ""


def _folder(name: str) -> str:
    if allowed := folder_fault(name):
        raise fault(shown(name), f"{allowed} (it names the run's folder)")
    return name


def _amount(found: Any, units: Mapping[str, float], kind: str, example: str) -> float:
    """Read an amount with its unit."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]+)", found) if isinstance(found, str) else None
    if not match or match[2] not in units or float(match[1]) == 0:
        allowed = f"a positive {kind} with its unit ({', '.join(units)}), such as {example}"
        raise fault(shown(found), allowed)
    return float(match[1]) * units[match[2]]


def _seconds(found: Any) -> float:
    """Read a duration with its unit."""
    return _amount(found, SECONDS, "duration", "10min")


def _bytes(found: Any) -> int:
    """Read an amount of memory with its unit."""
    return int(_amount(found, BYTES, "amount of memory", "4GiB"))


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """The largest number of failed fits: a share of all fits, or a count.

    Examples
    --------
    >>> FailureLimit(share=0.05).of(250)
    12
    >>> FailureLimit(count=3).of(250)
    3
    """

    share: float | None = None
    count: int | None = None

    def of(self, n_fits: int) -> int:
        """Return the greatest number of failures among `n_fits` that is still allowed."""
        if self.count is not None:
            return self.count
        return floor((self.share or 0.0) * n_fits + 1e-9)


MAX_FAILURES = FailureLimit(share=0.05)


def _limit(found: Any) -> FailureLimit:
    """Read a share in per cent, such as 5%, or a count."""
    if isinstance(found, FailureLimit):
        return found
    if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
        return FailureLimit(count=found)
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", found) if isinstance(found, str) else None
    if not match or float(match[1]) > 100:
        raise fault(shown(found), "a share from 0% to 100%, such as 5%, or a count of fits")
    return FailureLimit(share=float(match[1]) / 100)


def _fill(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """Accept a list with entries."""
    if not entries:
        raise fault("an empty list", "at least one entry")
    return entries


def _listed(found: Any) -> Any:
    """Take one entry for a list of it."""
    return () if found is None else tuple(found) if isinstance(found, list) else (found,)


def _workers(found: Any) -> int | str:
    """Read auto, or a number of workers."""
    if found == "auto":
        return "auto"
    if isinstance(found, int) and not isinstance(found, bool) and found > 0:
        return found
    raise fault(shown(found), "auto, or a whole number from 1")


def _bounds(found: Any) -> tuple[float | None, float | None]:
    """Read the least and the greatest value, null where there is none."""
    allowed = "the least and the greatest value, [0, 1], with null where there is none"
    lower, upper = two_numbers(found, allowed)
    if lower is not None and upper is not None and lower >= upper:
        raise fault(f"[{lower}, {upper}]", allowed)
    return lower, upper


Name = Annotated[str, AfterValidator(_name)]
UnitSymbol = Annotated[str, AfterValidator(_line)]
FolderName = Annotated[str, AfterValidator(_folder)]
Seconds = Annotated[
    float,
    BeforeValidator(_seconds),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\d+(\.\d+)? ?(ms|s|min|h|d)$", "examples": ["10min"]}
    ),
]
Bytes = Annotated[
    int,
    BeforeValidator(_bytes),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\d+(\.\d+)? ?(MB|MiB|GB|GiB)$", "examples": ["4GiB"]}
    ),
]
Limit = Annotated[
    FailureLimit,
    BeforeValidator(_limit),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": r"^\d+(\.\d+)? ?%$", "examples": ["5%"]},
                {"type": "integer", "minimum": 0},
            ]
        }
    ),
]
Workers = Annotated[
    int | Literal["auto"],
    PlainValidator(_workers),
    WithJsonSchema({"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]}),
]
Bounds = Annotated[
    tuple[float | None, float | None],
    PlainValidator(_bounds),
    WithJsonSchema(
        {"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2}
    ),
]
Kept = Annotated[
    tuple[Literal["predictions", "samples"], ...],
    BeforeValidator(_listed),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["predictions", "samples"]},
                {"type": "array", "items": {"enum": ["predictions", "samples"]}},
            ]
        }
    ),
]
Count = Annotated[int, Field(ge=1, le=MOST)]
Several = Annotated[int, Field(ge=2, le=MOST)]
FILLED = (AfterValidator(_fill), Field(json_schema_extra={"minItems": 1}))
