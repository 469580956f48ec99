"""Timings of Google Benchmark: repetitions of a benchmark, in JSON.

Of one file the benchmarks' functions are candidates and their arguments data sets. Of several
files the files are the candidates, and each benchmark is a data set. Aggregates are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

from reportgen.catalogue.measures import known_measure
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    label,
    look_up,
    mapping,
    measured,
)
from reportgen.exchange.readers.timings import distinct, named_documents, ordinals
from reportgen.study.errors import shown

SECONDS: Mapping[str, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TIMES: Mapping[str, str] = {"real_time": TIME.name, "cpu_time": "cpu-time"}


def _read(logs: Logs) -> Content:
    documents, files = named_documents(logs, _is_results)
    runs = []
    for path, content in documents:
        samples: dict[str, list[dict[str, Any]]] = {}
        for own in look_up(path, content, "benchmarks", kind=list):
            if mapping(own).get("run_type", "iteration") == "iteration":
                name = label(mapping(own).get("run_name")) or look_up(path, own, "name")
                samples.setdefault(name, []).append(own)
        if not samples:
            raise ExchangeError(
                f"{path}: found aggregates only; allowed the repetitions, which "
                "--benchmark_report_aggregates_only=false writes"
            )
        for name, rows in samples.items():
            function, _, arguments = name.partition("/")
            own = arguments or path.stem, function
            of = (name, files[path]) if len(documents) > 1 else own
            values: dict[str, list[float | None]] = {
                measure: [_seconds(f"{path}: {name}", row, key) for row in rows]
                for key, measure in TIMES.items()
            }
            failures = {i: _failure(row) for i, row in enumerate(rows) if _failure(row)}
            runs.append(Run(path, *of, ordinals(rows), values, failures=failures))
    known = {name: known_measure(name) for name in TIMES.values()}
    return Content(distinct(runs), {n: m for n, m in known.items() if m is not None}, "sample")


def _failure(row: Mapping[str, Any]) -> str:
    """Return why a repetition has no result; empty where it has one."""
    if not (row.get("error_occurred") or row.get("skipped")):
        return ""
    return label(row.get("error_message")) or label(row.get("skip_message")) or "an error"


def _seconds(where: str, row: Mapping[str, Any], key: str) -> float:
    """Return a time of a repetition in seconds; not a number where it failed."""
    if _failure(row):
        return nan
    time, factor = measured(row.get(key)), SECONDS.get(str(row.get("time_unit", "ns")))
    if time is None or time < 0 or factor is None:
        raise ExchangeError(
            f"{where}: {key}: found {shown(row.get(key))} {row.get('time_unit', 'ns')}; allowed a "
            f"time in {', '.join(SECONDS)}"
        )
    return time * factor


def _is_results(content: Any) -> bool:
    rows = mapping(content).get("benchmarks")
    first = mapping(rows[0]) if isinstance(rows, list) and rows else {}
    return first.keys() >= {"name", "real_time", "cpu_time"} or "run_name" in first


LOGS = (
    LogFormat(
        "google-benchmark",
        "JSON with benchmarks[] of run_name, real_time, cpu_time",
        "Google Benchmark",
        lambda logs: logs.has(_is_results),
        _read,
    ),
)
