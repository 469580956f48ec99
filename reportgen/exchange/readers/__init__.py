"""The formats of other programs: which of them has written a table.

A format is a module of this package: the columns by which its tables are known, and a
function that reads them. Tidy and wide tables belong to no program. Logs have no columns:
their format is known by the files, and `logs.LogFormat` makes a table of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from reportgen.errors import ExchangeError
from reportgen.exchange.readers import (
    aeon,
    asv,
    automl,
    battles,
    benchopt,
    coco,
    criterion,
    every_eval_ever,
    github_action_benchmark,
    go_benchmark,
    google_benchmark,
    harbor,
    helm,
    inspect_ai,
    iohprofiler,
    jmh,
    lm_eval,
    mlr3,
    mteb,
    predictions,
    promptfoo,
    r,
    scikit_learn,
    swe_bench,
    tabarena,
    timings,
)
from reportgen.exchange.readers.fits import Format
from reportgen.exchange.readers.logs import LogFormat, Logs
from reportgen.exchange.table import RawTable
from reportgen.study.errors import listed, shown, suggestion

MODULES = (scikit_learn, mlr3, benchopt, automl, aeon, tabarena, r, predictions, battles)
OF_LOGS = (
    lm_eval,
    inspect_ai,
    every_eval_ever,
    helm,
    promptfoo,
    harbor,
    mteb,
    swe_bench,
    timings,
    google_benchmark,
    criterion,
    jmh,
    go_benchmark,
    github_action_benchmark,
    asv,
    coco,
    iohprofiler,
)
LOGS: Mapping[str, LogFormat] = MappingProxyType(
    {kind.name: kind for kind in chain.from_iterable(module.LOGS for module in OF_LOGS)}
)
FORMATS: Mapping[str, Format] = MappingProxyType(
    {kind.name: kind for kind in chain.from_iterable(module.FORMATS for module in MODULES)}
    | {name: kind.format for name, kind in LOGS.items()}
)
"""By name, in the order in which they are tried; also those of logs."""
SHAPES = ("tidy", "wide")


def find_format(table: RawTable, name: str | None = None) -> Format | None:
    """Return the format of that name, or the first that matches a table; None for no program's.

    Raises ExchangeError if there is no such format, or the table is not of it.
    """
    if name is None:
        return next((kind for kind in FORMATS.values() if kind.matches(table)), None)
    if name in SHAPES:
        return None
    kind = FORMATS.get(name)
    if kind is None:
        known = (*SHAPES, *FORMATS)
        question = suggestion(name, known)
        raise ExchangeError(
            f"{table.path}: found the format {shown(name)}; allowed {listed(known)}{question}"
        )
    if not kind.matches(table):
        raise table.error(
            f"no table of {kind.program} among the columns {listed(table.columns)}",
            f"a table known by {kind.known_by}",
        )
    return kind


def find_logs(logs: Logs) -> LogFormat | None:
    """Return the format of which logs are, of one file the first; None for no program's.

    Raises ExchangeError if a folder has logs of two programs.
    """
    found = [kind for kind in LOGS.values() if kind.finds(logs)]
    if len(found) > 1 and logs.path.is_dir():
        raise ExchangeError(
            f"{logs.path}: found logs of {' and of '.join(kind.program for kind in found)}; "
            "allowed those of one program, in a folder of their own"
        )
    return found[0] if found else None


def describe_logs() -> str:
    """Write the logs that are understood, one a line, for an error."""
    return "\n".join(f"  {own.name}: {own.known_by} ({own.program})" for own in LOGS.values())


def describe_formats() -> str:
    """Write the tables that are understood, one a line, for an error."""
    lines = [f"  {kind.name}: {kind.known_by} ({kind.program})" for kind in FORMATS.values()]
    return "\n".join(
        [
            "Tables that are understood, and the columns they are known by:",
            "  tidy: candidate, and measure and value or one column a measure",
            "  wide: one column a candidate, with --measure NAME",
            *lines,
        ]
    )
