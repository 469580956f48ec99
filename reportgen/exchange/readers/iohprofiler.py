"""Runs of IOHprofiler's Analyzer: IOHprofiler_f<id>_<name>.json, with the .dat files it names.

The column `raw_y` of a .dat file is a value at some evaluation, not always the best so far. Of the
functions of bbob it is the distance from the optimum; see `traces` for what is kept of it. Where
values are maximised, or some are below 0, they are no distances: then the best value of each run
and its evaluations are all that is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import Content, LogFormat, Logs, label, look_up, mapping
from reportgen.exchange.readers.traces import (
    VALUE,
    Trace,
    Traces,
    content_of,
    inside,
    read_blocks,
)
from reportgen.performance_measure import EVALUATIONS
from reportgen.study.errors import shown

HEAD = "evaluations"
COLUMN = "raw_y"


def _read(logs: Logs) -> Content:
    found = [(path, own) for path, own in logs.documents() if _is_meta(own)]
    parts = [own for path, content in found for own in _scenarios(logs, path, content)]
    directions = {bool(content.get("maximization")) for _, content in found}
    if len(directions) > 1:
        raise ExchangeError(
            f"{logs.path}: found functions that are minimised and others that are maximised; "
            "allowed one direction: read these apart"
        )
    if directions == {True}:
        return _values([_negative(part) for part in parts], -1.0)
    if any(own.best < 0 for part in parts for own in part.runs):
        return _values(parts, 1.0)
    return content_of(parts)


def _values(parts: list[Traces], sign: float) -> Content:
    """Return the best values of runs, and no targets."""
    better = replace(VALUE, better="smaller" if sign > 0 else "larger")
    known = {m.name: m for m in (better, EVALUATIONS)}
    return Content([part.run((), VALUE.name, sign) for part in parts], known, "sample")


def _negative(part: Traces) -> Traces:
    return replace(part, runs=[replace(own, values=-own.values) for own in part.runs])


def _scenarios(logs: Logs, path: Path, content: Any) -> Iterator[Traces]:
    """Yield the runs of one function, a dimension after the other."""
    name = (
        label(content.get("function_name")) or f"f{look_up(path, content, 'function_id', kind=int)}"
    )
    candidate = look_up(path, content, "algorithm", "name")
    for scenario in look_up(path, content, "scenarios", kind=list):
        dimension = look_up(path, scenario, "dimension", kind=int)
        listed = look_up(path, scenario, "runs", kind=list)
        file = inside(logs, path, look_up(path, scenario, "path"))
        blocks = _blocks(file)
        if len(blocks) != len(listed):
            raise ExchangeError(
                f"{file}: found {len(blocks)} runs; allowed {len(listed)}, as {path.name} lists"
            )
        runs = [
            Trace(str(mapping(own).get("instance")), rows[:, 0], rows[:, -1])
            for own, rows in zip(listed, blocks, strict=True)
        ]
        yield Traces(path, f"{name} {dimension}-D", candidate, runs)


def _blocks(file: Path) -> list[Any]:
    """Return evaluations and values of the runs of a file."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        names = lines.readline(4096).split()
    if COLUMN not in names[1:] or names[0] != HEAD:
        raise ExchangeError(
            f"{file}: found the columns {shown(' '.join(names))}; allowed {HEAD} first, and "
            f"{COLUMN}"
        )
    return [rows for _, rows in read_blocks(file, names.index(COLUMN), HEAD)]


def _is_meta(content: Any) -> bool:
    return isinstance(content, dict) and content.keys() >= {"algorithm", "scenarios", "function_id"}


LOGS = (
    LogFormat(
        "iohprofiler",
        "IOHprofiler_f<id>_<name>.json",
        "IOHprofiler",
        lambda logs: logs.has(_is_meta),
        _read,
    ),
)
