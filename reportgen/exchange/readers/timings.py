"""Timings of pytest-benchmark, pyperf and hyperfine: seconds that no two candidates share.

Of one file each group is a data set and each benchmark a candidate. Of several files the
candidates are the files (their commits), and each benchmark is a data set. Samples are runs of
hyperfine, each a process of its own, and processes of pyperf. Of pytest-benchmark they are the
rounds of one process; where several files are of one commit they are the processes, of which each
file has one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, geometric_mean
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
    mapping,
    measured,
)
from reportgen.exchange.records import is_number
from reportgen.notation import count_processes
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed, shown

MEMORY = Measure("memory", "smaller", "bytes", (0.0, None))
KNOWN = {TIME.name: TIME, MEMORY.name: MEMORY}
PYPERF_UNITS = {"second": TIME, "byte": MEMORY}


def _read_benchmarks(logs: Logs) -> Content:
    documents, names = named_documents(logs, _is_pytest)
    runs = []
    for path, content in documents:
        version = _version(content) or names[path]
        for own in look_up(path, content, "benchmarks", kind=list):
            name = look_up(path, own, "name")
            full = look_up(path, own, "fullname")
            times = _numbers(path, name, mapping(mapping(own).get("stats")).get("data"))
            group = label(own.get("group")) or path.stem
            dataset, candidate = (full, version) if len(documents) > 1 else (group, name)
            values: dict[str, list[float | None]] = {TIME.name: [*times]}
            runs.append(Run(path, dataset, candidate, ordinals(times), values))
    processes, told = _of_processes(runs)
    return Content(distinct(processes), KNOWN, "sample", told)


def _of_processes(runs: Sequence[Run]) -> tuple[list[Run], list[tuple[str, str]]]:
    """Return a sample a file, the mean of its rounds, where several files are of one commit."""
    files = defaultdict[tuple[str, str], list[Run]](list)
    for run in runs:
        files[run.dataset, run.candidate].append(run)
    if max((len({run.path for run in own}) for own in files.values()), default=1) < 2:
        return [*runs], []
    found = []
    for own in files.values():
        distinct(own, by_file=True)
        means = [_mean(run.values[TIME.name]) for run in own]
        found.append(replace(own[0], items=ordinals(means), values={TIME.name: means}))
    rounds = [len(run.items) for run in runs]
    return found, [("processes", count_processes(rounds))]


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the runs of a process, the geometric one of times above 0."""
    there = [x for x in values if x is not None]
    if not there:
        return None
    return geometric_mean(there) if min(there) > 0 else fmean(there)


def _read_pyperf(logs: Logs) -> Content:
    documents, names = named_documents(logs, _is_pyperf)
    runs, sizes = [], list[int]()
    for path, content in documents:
        for own in look_up(path, content, "benchmarks", kind=list):
            about = {**mapping(content.get("metadata")), **mapping(mapping(own).get("metadata"))}
            name = label(about.get("name")) or path.stem
            if (unit := about.get("unit", "second")) not in PYPERF_UNITS:
                raise ExchangeError(
                    f"{path}: {name}: found the unit {shown(unit)}; allowed {listed(PYPERF_UNITS)}"
                )
            values = [_values(run) for run in look_up(path, own, "runs", kind=list)]
            parts = [_numbers(path, name, part) for part in values if part is not None]
            means = [_mean(part) for part in parts if part]  # others calibrate
            sizes += [len(part) for part in parts if part]
            dataset, candidate = (name, names[path]) if len(documents) > 1 else (path.stem, name)
            of = {PYPERF_UNITS[unit].name: means}
            runs.append(Run(path, dataset, candidate, ordinals(means), of))
    told = [("processes", count_processes(sizes))] if sizes else []
    return Content(distinct(runs), KNOWN, "sample", told)


def _values(run: Any) -> Any:
    """Return the values of a process; a bare number is that of one run."""
    found = run if is_number(run) else mapping(run).get("values")
    return [found] if is_number(found) else found


def _version(content: Mapping[str, Any]) -> str:
    """Return the commit that was timed; empty where it is not of a commit alone."""
    commit = mapping(content.get("commit_info"))
    name = label(commit.get("id"))
    if name is None or commit.get("dirty") or name == "unversioned":
        return ""
    return name[:12]


def _read_commands(logs: Logs) -> Content:
    documents, names = named_documents(logs, _is_hyperfine)
    runs, decided = [], []
    for path, content in documents:
        for own in look_up(path, content, "results", kind=list):
            command = look_up(path, own, "command")
            parameters = _parameters(own)
            candidate = command if len(documents) == 1 else names[path]
            dataset = path.stem if len(documents) == 1 else command
            run, n_failed = _of_command(path, (dataset, candidate), own)
            if n_failed:
                decided.append(("failed-runs", f"{command}: {n_failed} with a nonzero exit code"))
            if parameters:
                decided.append(("parameters", f"{command}: {parameters}"))
            runs.append(run)
    return Content(distinct(runs), KNOWN, "sample", decided)


def _of_command(path: Path, of: tuple[str, str], own: Mapping[str, Any]) -> tuple[Run, int]:
    """Return the samples of a command that ended well, and how many did not."""
    times = _numbers(path, of[1], own.get("times"))
    codes, memory = own.get("exit_codes"), own.get("memory_usage_byte")
    codes = codes if isinstance(codes, list) and len(codes) == len(times) else [0] * len(times)
    values: dict[str, list[float | None]] = {
        TIME.name: [float("nan") if code else time for time, code in zip(times, codes, strict=True)]
    }
    if isinstance(memory, list) and len(memory) == len(times):
        values[MEMORY.name] = [
            None if code else measured(size) for size, code in zip(memory, codes, strict=True)
        ]
    failures = {i: f"exit code {code}" for i, code in enumerate(codes) if code}
    return Run(path, *of, ordinals(times), values, failures=failures), len(failures)


def _parameters(own: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in mapping(own.get("parameters")).items())


def _numbers(path: Path, name: str, times: Any) -> list[float]:
    """Return the seconds of one benchmark."""
    # Raises ExchangeError if they are no list of numbers.
    if not isinstance(times, list):
        raise ExchangeError(
            f"{path}: {name}: found no times of single runs; allowed the list of them (of "
            "pytest-benchmark: --benchmark-save-data or --benchmark-json)"
        )
    found = [measured(time) for time in times]
    if any(time is None or time < 0 for time in found):
        at = next(i for i, time in enumerate(found) if time is None or time < 0)
        raise ExchangeError(
            f"{path}: {name}: time {at + 1}: found {shown(times[at])}; allowed seconds"
        )
    return [time for time in found if time is not None]


def ordinals(samples: Sequence[object]) -> list[str]:
    """Number samples from 1."""
    return [str(i) for i in range(1, len(samples) + 1)]


def named_documents(
    logs: Logs, is_own: Callable[[Any], bool]
) -> tuple[list[tuple[Path, Any]], dict[Path, str]]:
    """Return the JSON files of one program with their content, and the names of the files."""
    found = [(path, own) for path, own in logs.documents() if is_own(own)]
    return found, file_names(logs, [path for path, _ in found])


def file_names(logs: Logs, paths: Iterable[Path]) -> dict[Path, str]:
    """Return files by name without ending; where two are equal, by path below the folder."""
    names = {path: path.stem for path in paths}
    if len(set(names.values())) == len(names):
        return names
    return {path: path.relative_to(logs.path).as_posix() for path in names}


def distinct(runs: list[Run], *, by_file: bool = False) -> list[Run]:
    """Return runs as they are.

    Raises ExchangeError if two benchmarks have one name, of one file or of all.
    """
    seen = set[tuple[str, str, Path | None]]()
    for run in runs:
        key = (run.dataset, run.candidate, run.path if by_file else None)
        if key in seen:
            raise ExchangeError(
                f"{run.path}: found {shown(run.candidate)} of {shown(run.dataset)} a second time; "
                "allowed each once"
            )
        seen.add(key)
    return runs


def _is_pytest(content: Any) -> bool:
    return isinstance(content, dict) and content.keys() >= {"benchmarks", "machine_info"}


def _is_pyperf(content: Any) -> bool:
    benchmarks = mapping(content).get("benchmarks")
    first = mapping(benchmarks[0]) if isinstance(benchmarks, list) and benchmarks else {}
    return isinstance(first.get("runs"), list) and "machine_info" not in mapping(content)


def _is_hyperfine(content: Any) -> bool:
    results = mapping(content).get("results")
    first = mapping(results[0]) if isinstance(results, list) and results else {}
    return "command" in first and "mean" in first


LOGS = (
    LogFormat(
        "pytest-benchmark",
        "JSON with benchmarks, machine_info",
        "pytest-benchmark",
        lambda logs: logs.has(_is_pytest),
        _read_benchmarks,
    ),
    LogFormat(
        "pyperf",
        "JSON with benchmarks[] of runs",
        "pyperf",
        lambda logs: logs.has(_is_pyperf),
        _read_pyperf,
    ),
    LogFormat(
        "hyperfine",
        "JSON with results[] of command, times",
        "hyperfine",
        lambda logs: logs.has(_is_hyperfine),
        _read_commands,
    ),
)
