"""Timings of JMH, in JSON: a sample is the mean of a fork, as iterations of one depend.

Of one file classes, with their parameters, are data sets and methods candidates. Of several files
the files are the candidates. Where there was one fork its iterations are the samples.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    look_up,
    mapping,
    measured,
)
from reportgen.exchange.readers.timings import distinct, named_documents, ordinals
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed, shown

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
THROUGHPUT = Measure("throughput", "larger", "operations/s", (0.0, None))


def _read(logs: Logs) -> Content:
    documents, names = named_documents(logs, _is_results)
    runs, forked = [], set[bool]()
    for path, content in documents:
        for own in content:
            name = look_up(path, own, "benchmark")
            subject, _, method = name.rpartition(".")
            settings = ", ".join(f"{k}={v}" for k, v in mapping(own.get("params")).items())
            modes = {str(mapping(other).get("mode")) for other in content}
            parts = [settings] if settings else []
            parts += [str(own.get("mode"))] if len(modes) > 1 else []
            what = name if len(documents) > 1 else subject.rpartition(".")[2] or path.stem
            dataset = f"{what} ({', '.join(parts)})" if parts else what
            candidate = names[path] if len(documents) > 1 else method
            measure, factor = _unit(path, name, own)
            samples, is_forked = _samples(path, name, own)
            forked.add(is_forked)
            scaled = [factor * x if measure is TIME else x / factor for x in samples]
            runs.append(Run(path, dataset, candidate, ordinals(scaled), {measure.name: scaled}))
    decided = (
        []
        if forked == {True}
        else [("dependent-samples", "iterations of one fork, which may depend")]
    )
    known = {measure.name: measure for measure in (TIME, THROUGHPUT)}
    return Content(distinct(runs), known, "sample", decided)


def _unit(path: Path, name: str, own: Any) -> tuple[Measure, float]:
    """Return what a score measures, and how many seconds its unit of time has."""
    unit = look_up(path, own, "primaryMetric", "scoreUnit")
    for measure, before, after in ((TIME, "", "/op"), (THROUGHPUT, "ops/", "")):
        word = unit.removeprefix(before).removesuffix(after)
        if unit == f"{before}{word}{after}" and word in SECONDS:
            return measure, SECONDS[word]
    raise ExchangeError(
        f"{path}: {name}: found the unit {shown(unit)}; allowed ops/ or /op with {listed(SECONDS)}"
    )


def _samples(path: Path, name: str, own: Any) -> tuple[list[float], bool]:
    """Return the samples of a benchmark, and whether they are forks."""
    forks = mapping(own.get("primaryMetric")).get("rawData")
    rows = [[measured(x) for x in fork] for fork in _list(forks) if isinstance(fork, list)]
    values = [[x for x in row if x is not None] for row in rows]
    if not values or not all(values) or values != rows:
        raise ExchangeError(
            f"{path}: {name}: found no rawData of numbers, which the mode sample does not write; "
            "allowed other modes, such as avgt and thrpt"
        )
    is_forked = len(values) > 1
    return ([fmean(row) for row in values] if is_forked else values[0]), is_forked


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_results(content: Any) -> bool:
    first = mapping(content[0]) if isinstance(content, list) and content else {}
    return first.keys() >= {"benchmark", "mode", "primaryMetric"}


LOGS = (
    LogFormat(
        "jmh",
        "JSON, a list of benchmark, mode, primaryMetric",
        "JMH",
        lambda logs: logs.has(_is_results),
        _read,
    ),
)
