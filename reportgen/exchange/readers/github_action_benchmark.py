"""The data.js of github-action-benchmark: one value of each benchmark and commit.

Benchmarks are data sets and commits candidates. A commit that was timed again has several samples.
The file is JSON after an assignment; it is no script here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    look_up,
    number,
    parse_json,
    read_bytes,
)
from reportgen.exchange.readers.timings import ordinals
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import shown

FILES = r".+\.js"
START = re.compile(rb"\s*window\.BENCHMARK_DATA\s*=")
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0}
PER_TIME = re.compile(r".+/(s|sec|second)")
THROUGHPUT = Measure("throughput", "larger", "", (0.0, None))
CUSTOM: Mapping[str, Better] = {
    "customSmallerIsBetter": "smaller",
    "customBiggerIsBetter": "larger",
}


def _read(logs: Logs) -> Content:
    runs: dict[tuple[str, str, str], Run] = {}
    known: dict[str, Measure] = {}
    for path in logs.named(FILES):
        content = parse_json(str(path), START.sub(b"", read_bytes(path), count=1).rstrip(b"; \r\n"))
        entries = look_up(path, content, "entries", kind=dict)
        for suite, commits in entries.items():
            for own in commits if isinstance(commits, list) else ():
                commit = look_up(path, own, "commit", "id")[:12]
                for bench in look_up(path, own, "benches", kind=list):
                    name = look_up(path, bench, "name")
                    measure, value = _value(path, name, bench, str(own.get("tool")))
                    known[measure.name] = measure
                    dataset = f"{suite}: {name}" if len(entries) > 1 else name
                    run = runs.setdefault(
                        (dataset, commit, measure.name),
                        Run(path, dataset, commit, [], {measure.name: []}),
                    )
                    samples = [*run.values[measure.name], value]
                    runs[dataset, commit, measure.name] = Run(
                        path, dataset, commit, ordinals(samples), {measure.name: samples}
                    )
    return Content(list(runs.values()), known, "sample")


def _value(
    path: Path, name: str, bench: Mapping[str, Any], tool: str
) -> tuple[Measure, float | None]:
    """Return what a benchmark measures, by its unit or its tool, and its value."""
    value, unit = number(bench.get("value")), str(bench.get("unit", "")).strip()
    if value is None:
        raise ExchangeError(f"{path}: {name}: found {shown(bench.get('value'))}; allowed a number")
    factor = SECONDS.get(re.sub(r"/(iter|op|ops|run)$", "", unit))
    if tool in CUSTOM:
        return Measure(unit or "value", CUSTOM[tool], unit), value
    if factor is not None:
        return TIME, value * factor
    if PER_TIME.fullmatch(unit):
        return THROUGHPUT, value
    raise ExchangeError(
        f"{path}: {name}: found the unit {shown(unit)} of the tool {shown(tool)}; allowed a time, "
        "something per second, or customSmallerIsBetter and customBiggerIsBetter"
    )


def _finds(logs: Logs) -> bool:
    for path in logs.named(FILES)[:1]:
        with path.open("rb") as file:
            return START.match(file.read(1024)) is not None
    return False


LOGS = (
    LogFormat(
        "github-action-benchmark",
        "data.js with window.BENCHMARK_DATA",
        "github-action-benchmark",
        _finds,
        _read,
    ),
)
