"""Timings of Go, as `go test -bench` prints them and benchstat reads them.

Of one file benchmarks are data sets and their sub-benchmarks candidates; where there are none,
packages and benchmarks. Of several files the files are the candidates. The number of processors
ends a name where it is not the same in the whole file.
"""

from __future__ import annotations

import re
from collections import Counter
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
from reportgen.exchange.readers.timings import MEMORY, distinct, file_names, ordinals
from reportgen.performance_measure import Measure
from reportgen.study.errors import shown

RESULT = re.compile(r"Benchmark(?P<name>\S*?)(?P<processors>-\d+)?\s+\d+\s+(?P<values>[\d.]+.*)")
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
    files = file_names(logs, paths)
    has_parts = any("/" in name for samples in found.values() for _, name in samples)
    shared = {name for samples in found.values() for name in _shared(samples, len(paths) == 1)}
    runs, omitted = [], set[str]()
    for path, samples in found.items():
        for (package, name), values in samples.items():
            function, _, part = name.partition("/")
            if len(paths) > 1:
                of = f"{package}: {name}" if name in shared else name, files[path]
            elif has_parts:
                dataset = f"{package}: {function}" if function in shared else function
                of = dataset, part or function
            else:
                of = package or path.stem, function
            omitted |= values.keys() - UNITS.keys()
            n = max(map(len, values.values()))
            own = {
                UNITS[unit][0].name: [None if x is None else x * UNITS[unit][1] for x in column]
                for unit, column in values.items()
                if unit in UNITS
            }
            runs.append(Run(path, *of, ordinals(range(n)), own))
    known = {measure.name: measure for measure, _ in UNITS.values()}
    decided = [("left-out-measures", unit) for unit in sorted(omitted)]
    return Content(distinct(runs), known, "sample", decided)


def _shared(samples: Samples, is_of_functions: bool) -> set[str]:
    """Return the names of benchmarks, or of their functions, that several packages have."""
    names = {
        (package, name.partition("/")[0] if is_of_functions else name) for package, name in samples
    }
    return {name for name, n in Counter(name for _, name in names).items() if n > 1}


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
    package, found = "", list[tuple[str, re.Match[str], dict[str, float]]]()
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
        found.append((package, match, values))
    has_one = len({match["processors"] for _, match, _ in found}) == 1
    for package, match, values in found:
        ending = "" if has_one else match["processors"] or ""
        yield package, match["name"] + ending, values


def _is_output(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return any(HEAD.match(line) for line in head.splitlines())


def _finds(logs: Logs) -> bool:
    return any(_is_output(path) for path in logs.named(FILES))


LOGS = (
    LogFormat(
        "go-benchmark",
        "text with lines such as BenchmarkSort/quick-8 100 1234 ns/op",
        "go test -bench",
        _finds,
        _read,
    ),
)
