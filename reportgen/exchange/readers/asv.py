"""The results of asv: <machine>/<commit>-<environment>.json, a benchmark an entry of `results`.

Commits are the candidates, a benchmark with its parameters is a data set. Where the samples
were recorded they are read, else the one number that asv gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from math import isnan, nan
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
)
from reportgen.exchange.readers.timings import MEMORY
from reportgen.performance_measure import Measure
from reportgen.study.errors import shown

KINDS: Mapping[str, Measure] = {"time": TIME, "timeraw": TIME, "peakmem": MEMORY, "mem": MEMORY}
"""Measures by how the benchmark's function is called; numbers of track_… are of any kind."""
MOST_SETTINGS = 100_000  # of one benchmark


def _read(logs: Logs) -> Content:
    documents = [(path, own) for path, own in logs.documents() if _is_results(own)]
    machines = {path.parent.name for path, _ in documents}
    environments = {str(own.get("env_name")) for _, own in documents}
    runs: list[Run] = []
    omitted = set[str]()
    for path, content in documents:
        parts = [look_up(path, content, "commit_hash")[:12]]
        parts += [str(content.get("env_name"))] if len(environments) > 1 else []
        parts += [path.parent.name] if len(machines) > 1 else []
        runs += _runs(path, ", ".join(parts), content, omitted)
    decided = [("left-out-benchmarks", name) for name in sorted(omitted)]
    return Content(runs, {m.name: m for m in KINDS.values()}, "sample", decided)


def _runs(
    path: Path, candidate: str, content: Mapping[str, Any], omitted: set[str]
) -> Iterator[Run]:
    """Yield the benchmarks of one commit, with each of their parameters."""
    columns = look_up(path, content, "result_columns", kind=list)
    if odd := [own for own in columns if not isinstance(own, str)]:
        raise ExchangeError(
            f"{path}: result_columns: found {shown(odd[0])}; allowed names of columns"
        )
    for name, row in look_up(path, content, "results", kind=dict).items():
        kind = name.split(".")[-1].split("_")[0]
        if kind not in KINDS:
            omitted.add(name)
            continue
        if not isinstance(row, list) or len(row) > len(columns):
            raise ExchangeError(f"{path}: {name}: found {shown(row)}; allowed a list of columns")
        cells = dict(zip(columns, row, strict=False))
        yield from _settings(path, candidate, name, cells, KINDS[kind].name)


def _settings(
    path: Path, candidate: str, name: str, cells: Mapping[str, Any], measure: str
) -> Iterator[Run]:
    """Yield a run for each setting of the parameters; NaN was skipped, null failed."""
    parameters = cells.get("params") or []
    are_lists = isinstance(parameters, list) and all(isinstance(own, list) for own in parameters)
    if not are_lists:
        raise ExchangeError(f"{path}: {name}: params: found no lists of values; allowed these")
    settings = list(islice(product(*parameters), MOST_SETTINGS + 1))
    results = cells.get("result")
    results = [None] * len(settings) if results is None else results
    if not isinstance(results, list) or len(results) != len(settings):
        raise ExchangeError(
            f"{path}: {name}: found {len(results) if isinstance(results, list) else 'no'} results; "
            f"allowed {len(settings)}, one for each combination of its parameters"
        )
    samples = cells.get("samples")
    samples = samples if isinstance(samples, list) else [None] * len(settings)
    for i, setting in enumerate(settings):
        dataset = f"{name} ({', '.join(map(str, setting))})" if setting else name
        own = samples[i] if i < len(samples) else None
        if own is None and isinstance(results[i], float) and isnan(results[i]):
            continue
        values = [number(x) for x in own] if isinstance(own, list) and own else []
        values = values or [nan if results[i] is None else number(results[i])]
        if any(value is None for value in values):
            raise ExchangeError(
                f"{path}: {name}: found {shown(own or results[i])}; allowed numbers"
            )
        failures = {0: "the benchmark failed"} if values != values or results[i] is None else {}
        items = [str(k) for k in range(1, len(values) + 1)]
        yield Run(path, dataset, candidate, items, {measure: values}, failures=failures)


def _is_results(content: Any) -> bool:
    return isinstance(content, dict) and content.keys() >= {"commit_hash", "result_columns"}


def _finds(logs: Logs) -> bool:
    """Whether a file is that of a commit; benchmarks.json and machine.json lie beside."""
    names = ("benchmarks.json", "machine.json")
    own = [path for path in logs.named(r"[0-9a-f]{7,40}-.+\.json") if path.name not in names]
    found = next(logs.documents(own[0].name.replace(".", r"\.")), None) if own else None
    return found is not None and _is_results(found[1])


LOGS = (LogFormat("asv", "<machine>/<commit>-<environment>.json", "asv", _finds, _read),)
