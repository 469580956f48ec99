"""The data.js of github-action-benchmark: one value of each benchmark and commit.

Benchmarks are data sets and commits candidates. A commit that was timed again has several samples.
The file is JSON after an assignment; it is no script here. What Go says of memory is read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.go_benchmark import ALLOCATIONS
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    look_up,
    mapping,
    measured,
    parse_json,
    read_bytes,
)
from reportgen.exchange.readers.timings import MEMORY, ordinals
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import shown

FILES = r".+\.js"
START = re.compile(rb"\s*window\.BENCHMARK_DATA\s*=")
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0}
PER_TIME = re.compile(r".+/(s|sec|second)")
THROUGHPUT = Measure("throughput", "larger", "", (0.0, None))
GO: Mapping[str, Measure] = {"B/op": MEMORY, "allocs/op": ALLOCATIONS}
CUSTOM: Mapping[str, Better] = {
    "customSmallerIsBetter": "smaller",
    "customBiggerIsBetter": "larger",
}


def _read(logs: Logs) -> Content:
    samples: dict[tuple[str, str, str], list[float | None]] = {}
    files: dict[tuple[str, str, str], Path] = {}
    known: dict[str, Measure] = {}
    for path in filter(_is_data, logs.named(FILES)):
        content = parse_json(str(path), START.sub(b"", read_bytes(path), count=1).rstrip(b"; \r\n"))
        entries = look_up(path, content, "entries", kind=dict)
        two_sided = _two_sided(entries)
        for suite, commits in entries.items():
            for own in commits if isinstance(commits, list) else ():
                commit = look_up(path, own, "commit", "id")[:12]
                tool = str(own.get("tool"))
                for name, found, unit in _results(path, own, tool):
                    measure, value = _value(path, name, found, unit, tool)
                    if measure.name in two_sided:
                        measure = replace(measure, name=f"{suite}: {measure.name}")
                    if known.setdefault(measure.name, measure) != measure:
                        raise ExchangeError(
                            f"{path}: {name}: found {shown(measure.name)} with another unit or "
                            "direction before; allowed one of each measure"
                        )
                    dataset = f"{suite}: {name}" if len(entries) > 1 else name
                    key = dataset, commit, measure.name
                    samples.setdefault(key, []).append(value)
                    files[key] = path
    runs = [Run(files[key], *key[:2], ordinals(own), {key[2]: own}) for key, own in samples.items()]
    return Content(runs, known, "sample")


def _two_sided(entries: Mapping[str, Any]) -> set[str]:
    """Return the units of which one suite wants smaller and another larger values."""
    sides: dict[str, set[Better]] = {}
    for commits in entries.values():
        for own in map(mapping, commits if isinstance(commits, list) else ()):
            for bench in own["benches"] if isinstance(own.get("benches"), list) else ():
                if (side := CUSTOM.get(str(own.get("tool")))) is not None:
                    sides.setdefault(_unit(bench) or "value", set()).add(side)
    return {unit for unit, own in sides.items() if len(own) > 1}


def _unit(bench: Any) -> str:
    return str(mapping(bench).get("unit", "")).strip()


def _results(path: Path, own: Any, tool: str) -> Iterator[tuple[str, float, str]]:
    """Yield name, value and unit of what a commit measured."""
    # A unit of Go has further values with their units behind tabs; newer versions of the action
    # repeat them, with the unit behind the name.
    benches = look_up(path, own, "benches", kind=list)
    names = {look_up(path, bench, "name") for bench in benches}
    for bench in benches:
        name, unit = look_up(path, bench, "name"), _unit(bench)
        if tool == "go" and name.removesuffix(f" - {unit}") in names - {name}:
            continue
        parts = unit.split("\t") if tool == "go" else [unit]
        yield name, _number(path, name, bench.get("value")), parts[0].strip()
        for part in parts[1:]:
            text, _, further = part.strip().partition(" ")
            yield name, _number(path, name, text), further


def _number(path: Path, name: str, found: Any) -> float:
    """Return a number, or the one that a text of Go is."""
    is_text = isinstance(found, str) and re.fullmatch(r"\d+(\.\d+)?(e[+-]\d+)?", found)
    value = measured(float(found) if is_text else found)
    if value is None:
        raise ExchangeError(f"{path}: {name}: found {shown(found)}; allowed a number")
    return value


def _value(path: Path, name: str, value: float, unit: str, tool: str) -> tuple[Measure, float]:
    """Return what a benchmark measures, by its unit or its tool, and its value."""
    factor = SECONDS.get(re.sub(r"/(iter|op|ops|run)$", "", unit))
    if tool in CUSTOM:
        return Measure(unit or "value", CUSTOM[tool], unit), value
    if factor is not None:
        return TIME, value * factor
    if unit in GO:
        return GO[unit], value
    if PER_TIME.fullmatch(unit):
        return THROUGHPUT, value
    raise ExchangeError(
        f"{path}: {name}: found the unit {shown(unit)} of the tool {shown(tool)}; allowed a time, "
        "something per second, or customSmallerIsBetter and customBiggerIsBetter"
    )


def _finds(logs: Logs) -> bool:
    return any(map(_is_data, logs.named(FILES)))


def _is_data(path: Path) -> bool:
    with path.open("rb") as file:
        return START.match(file.read(1024)) is not None


LOGS = (
    LogFormat(
        "github-action-benchmark",
        "data.js with window.BENCHMARK_DATA",
        "github-action-benchmark",
        _finds,
        _read,
    ),
)
