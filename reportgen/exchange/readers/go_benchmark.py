"""Timings of Go, as `go test -bench` prints them and benchstat reads them.

Of one file benchmarks are data sets and their sub-benchmarks candidates; where there are none,
packages and benchmarks. Of several files the files are the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    read_bytes,
)
from reportgen.exchange.readers.timings import MEMORY, ordinals
from reportgen.performance_measure import Measure
from reportgen.study.errors import shown

RESULT = re.compile(r"Benchmark(?P<name>\S*?)(?:-\d+)?\s+\d+\s+(?P<values>[\d.]+.*)")
HEAD = re.compile(rb"(?:goos|goarch|pkg|cpu): |Benchmark\S*[ \t]+\d+[ \t]+[\d.]+ \S+/")
HEAD_BYTES = 4096
FILES = r".+\.(txt|out|bench)"
ALLOCATIONS = Measure("allocations", "smaller", "", (0.0, None))
THROUGHPUT = Measure("throughput", "larger", "MB/s", (0.0, None))
UNITS: dict[str, tuple[Measure, float]] = {
    "ns/op": (TIME, 1e-9),
    "B/op": (MEMORY, 1.0),
    "allocs/op": (ALLOCATIONS, 1.0),
    "MB/s": (THROUGHPUT, 1.0),
}
Samples = dict[tuple[str, str], dict[str, list[float | None]]]
"""By package and benchmark: the values by measure."""


def _read(logs: Logs) -> Content:
    paths = [path for path in logs.named(FILES) if _is_output(path)]
    found = {path: _samples(path) for path in paths}
    has_parts = any("/" in name for samples in found.values() for _, name in samples)
    runs, left_out = [], set[str]()
    for path, samples in found.items():
        for (package, name), values in samples.items():
            function, _, part = name.partition("/")
            if len(paths) > 1:
                of = name, path.stem
            elif has_parts:
                of = function, part or function
            else:
                of = package or path.stem, function
            left_out |= values.keys() - UNITS.keys()
            n = max(map(len, values.values()))
            own = {
                UNITS[unit][0].name: [None if x is None else x * UNITS[unit][1] for x in column]
                for unit, column in values.items()
                if unit in UNITS
            }
            runs.append(Run(path, *of, ordinals(range(n)), own))
    known = {measure.name: measure for measure, _ in UNITS.values()}
    decided = [("left-out-measures", unit) for unit in sorted(left_out)]
    return Content(runs, known, "sample", decided)


def _samples(path: Path) -> Samples:
    """Return the lines of results of a file, by benchmark; a line is a sample."""
    samples: Samples = {}
    for package, name, values in _lines(path):
        own = samples.setdefault((package, name), {})
        n = max(map(len, own.values()), default=0)
        for unit in {**own, **values}:
            column = own.setdefault(unit, [None] * n)
            column.append(values.get(unit))
    return samples


def _lines(path: Path) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield package, benchmark and the values by unit of each line of results."""
    package = ""
    for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
        package = line[5:].strip() if line.startswith("pkg: ") else package
        match = RESULT.match(line)
        if match is None:
            continue
        words = match["values"].split()
        try:
            pairs = zip(words[::2], words[1::2], strict=True)
            values = {unit: float(value) for value, unit in pairs}
        except ValueError:
            raise ExchangeError(
                f"{path}: line {number}: found {shown(match['values'])}; allowed numbers with units"
            ) from None
        yield package, match["name"], values


def _is_output(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return any(HEAD.match(line) for line in head.splitlines())


def _finds(logs: Logs) -> bool:
    return any(_is_output(path) for path in logs.named(FILES)[:1])


LOGS = (
    LogFormat(
        "go-benchmark",
        "text with lines such as BenchmarkSort/quick-8 100 1234 ns/op",
        "go test -bench",
        _finds,
        _read,
    ),
)
