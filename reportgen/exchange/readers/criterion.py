"""Timings of criterion for Rust: <group>/<function>/new/sample.json, with benchmark.json beside.

A sample is the mean time of some iterations. Groups, with their parameters, are data sets and
functions candidates; without functions the groups are candidates. Of what was saved before, in
folders such as base, nothing is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    label,
    look_up,
    number,
    read_json,
)
from reportgen.exchange.readers.timings import distinct, ordinals
from reportgen.study.errors import shown

LATEST = "new"  # the folder of the last run


def _samples(logs: Logs) -> list[Path]:
    """Return the files of samples that the last run wrote."""
    return [path for path in logs.named(r"sample\.json") if path.parent.name == LATEST]


def _read(logs: Logs) -> Content:
    found = [(path, read_json(path.with_name("benchmark.json"))) for path in _samples(logs)]
    has_functions = any(label(about.get("function_id")) for _, about in found)
    runs = []
    for path, about in found:
        group = look_up(path, about, "group_id")
        parameter, function = label(about.get("value_str")), label(about.get("function_id"))
        if has_functions:
            dataset = f"{group} ({parameter})" if parameter else group
            candidate = function or group
        else:
            dataset, candidate = parameter or logs.path.name, group
        times = _seconds(path, read_json(path))
        runs.append(Run(path, dataset, candidate, ordinals(times), {TIME.name: times}))
    return Content(distinct(runs), {TIME.name: TIME}, "sample")


def _seconds(path: Path, content: Any) -> list[float | None]:
    """Return the seconds of an iteration, by sample."""
    counts = look_up(path, content, "iters", kind=list)
    times = look_up(path, content, "times", kind=list)
    found: list[float | None] = []
    for count, time in zip(counts, times, strict=False):
        n, nanoseconds = number(count), number(time)
        if n is None or nanoseconds is None or n <= 0 or nanoseconds < 0:
            raise ExchangeError(
                f"{path}: sample {len(found) + 1}: found {shown(time)} of {shown(count)} "
                "iterations; allowed nanoseconds of one or more"
            )
        found.append(nanoseconds * 1e-9 / n)
    if len(counts) != len(times):
        raise ExchangeError(
            f"{path}: found {len(counts)} iters and {len(times)} times; allowed as many of both"
        )
    return found


def _finds(logs: Logs) -> bool:
    return any(path.with_name("benchmark.json") in logs.files for path in _samples(logs))


LOGS = (
    LogFormat(
        "criterion",
        "<group>/<function>/new/sample.json, benchmark.json",
        "criterion",
        _finds,
        _read,
    ),
)
