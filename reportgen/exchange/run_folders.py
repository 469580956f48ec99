"""Folders with a folder a run, of MLflow, Hydra and Weights & Biases, as one table.

MLflow has meta.yaml, params/, metrics/ and tags/ in the folder of a run; Hydra .hydra/config.yaml
beside whatever the program wrote; Weights & Biases files/config.yaml and files/wandb-summary.json.
Columns are named as MLflow names them: params.… are settings and metrics.… results.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.records import is_number, record_table
from reportgen.exchange.table import RawTable
from reportgen.json_text import parse_json
from reportgen.study.errors import shown
from reportgen.study.yaml_source import parse_value

MOST_RUNS, MOST_BYTES = 100_000, 1 << 26
STATUSES = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}
"""Numbers by which MLflow writes how a run ended."""
DELETED = (".trash", "deleted")
HYDRA, SUMMARY = ".hydra", "wandb-summary.json"
ABOUT = "meta.yaml"
RUN_ID = re.compile(r"^run_(?:id|uuid)\s*:", re.MULTILINE)  # which a run's meta.yaml has


@dataclass(frozen=True, slots=True)
class RunFolders:
    """The folders of the runs of one program."""

    program: str
    runs: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Run:
    """What a program wrote of one run."""

    settings: dict[str, Any]  # by the column
    results: dict[str, Any]  # by the metric
    has_history: bool = False  # whether a metric has several values, of which the last is here


def find_runs(folder: Path) -> RunFolders | None:
    """Return the folders of runs below a folder; None where there are none.

    No link that leads outside is followed.
    """
    found: dict[str, list[Path]] = {}
    for name, folders, files in os.walk(folder, followlinks=False):
        path = Path(name)
        program = _program(path, folders, files)
        if program is not None:
            found.setdefault(program, []).append(path)
            folders.clear()
        folders[:] = sorted(f for f in folders if f != DELETED[0] and not f.startswith("latest-"))
        if sum(map(len, found.values())) > MOST_RUNS:
            return None
    if len(found) > 1:
        return None
    return next((RunFolders(program, tuple(runs)) for program, runs in found.items()), None)


def _program(path: Path, folders: list[str], files: list[str]) -> str | None:
    """Return which program made the folder of a run; None for another folder."""
    has_parts = ABOUT in files and {"metrics", "params"} <= {*folders}
    if has_parts and RUN_ID.search(_text(path / ABOUT)):  # models have the same folders
        return "MLflow"
    if HYDRA in folders and (path / HYDRA / "config.yaml").is_file():
        return "Hydra"
    if (path / "files" / SUMMARY).is_file():
        return "Weights & Biases"
    return None


def read_runs(folder: Path, found: RunFolders) -> RawTable:
    """Read runs into one table, a row each; of a metric with a history the last value counts.

    Raises ExchangeError if a file cannot be read, or no run has a result.
    """
    read = {"MLflow": _mlflow, "Hydra": _hydra, "Weights & Biases": _wandb}[found.program]
    records, places = [], []
    has_history = False
    for path in found.runs:
        run = read(path)
        if run is not None:
            records.append(run.settings | {f"metrics.{key}": x for key, x in run.results.items()})
            places.append(str(path))
            has_history |= run.has_history
    if not any(key.startswith("metrics.") for record in records for key in record):
        raise ExchangeError(
            f"{folder}: found {len(records)} runs of {found.program} without results; allowed runs "
            "with some (of Hydra: a JSON or CSV file of one row in the folder of each run)"
        )
    table = record_table(folder, records, places)
    if has_history:
        table.decided.append(("last-values", "the last value of each metric"))
    if found.program == "Weights & Biases":
        table.decided.append(("last-values", "the last values, however the run has ended"))
    return replace(table, program=found.program)


def _mlflow(path: Path) -> _Run | None:
    """Return a run, unless it was deleted."""
    about = _yaml(path / ABOUT)
    if about.get("lifecycle_stage") == DELETED[1]:
        return None
    status = about.get("status")
    settings: dict[str, Any] = {
        "run_id": str(about.get("run_id") or path.name),
        "status": STATUSES.get(status, status) if isinstance(status, int) else status,
    }
    for file in _files(path / "params"):
        settings[f"params.{_key(path / 'params', file)}"] = _text(file).strip()
    results: dict[str, Any] = {}
    has_history = False
    for file in _files(path / "metrics"):
        lines = [line.split() for line in _text(file).splitlines() if line.strip()]
        rows = []
        for cells in lines:
            try:
                stamp, value, step = int(cells[0]), float(cells[1]), int([*cells, "0"][2])
            except (ValueError, IndexError):
                raise ExchangeError(
                    f"{file}: found {shown(' '.join(cells))}; allowed time, value and step"
                ) from None
            rows.append((step, stamp, value))
        if rows:
            value = max(rows)[2]
            results[_key(path / "metrics", file)] = value if value == value else None
            has_history |= len(rows) > 1
    return _Run(settings, results, has_history)


def _hydra(path: Path) -> _Run:
    """Return what a job wrote, in JSON or CSV of one row, with its settings."""
    settings = dict(_flat(_yaml(path / HYDRA / "config.yaml")))
    results: dict[str, Any] = {}
    for file in _files(path, inside=False):
        own = _results(file)
        twice = sorted(results.keys() & own.keys())
        if twice:
            raise ExchangeError(
                f"{file}: found {shown(twice[0])} of this run a second time; allowed once"
            )
        results |= own
    return _Run({f"params.{key}": value for key, value in settings.items()}, results)


def _results(file: Path) -> dict[str, Any]:
    """Return the numbers of a file of results; of a file with several rows none."""
    from reportgen.exchange.text_table import read_text_table

    if file.suffix == ".json":
        content = _json(file)
        flat = dict(_flat(content)) if isinstance(content, Mapping) else {}
        return {key: value for key, value in flat.items() if is_number(value)}
    if file.suffix == ".csv":
        table = read_text_table(file)
        if table.n_rows == 1:
            numeric = [name for name in table.columns if table.is_numeric(name)]
            return {name: float(table.numbers(name)[0]) for name in numeric}
    return {}


def _wandb(path: Path) -> _Run:
    """Return a run's summary, which has the last values, with its settings."""
    config = path / "files" / "config.yaml"
    about = _yaml(config) if config.is_file() else {}
    settings = {key: own.get("value") for key, own in about.items() if isinstance(own, Mapping)}
    settings.pop("_wandb", None)
    summary = _json(path / "files" / SUMMARY)
    leaves = _flat(summary if isinstance(summary, Mapping) else {})
    results = {k: value for k, value in leaves if not k.startswith("_") and is_number(value)}
    return _Run({f"params.{key}": value for key, value in _flat(settings)}, results)


def _flat(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested mappings; their keys are joined by dots."""
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _files(folder: Path, *, inside: bool = True) -> list[Path]:
    """Return the files of a folder, and of those in it; none that a link leads to outside."""
    root = folder.resolve()
    found = sorted(folder.rglob("*") if inside else folder.glob("*"))
    return [path for path in found if path.is_file() and path.resolve().is_relative_to(root)]


def _key(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()


def _text(file: Path) -> str:
    if file.stat().st_size > MOST_BYTES:
        raise ExchangeError(f"{file}: found more than {MOST_BYTES >> 20} MiB; allowed less")
    return file.read_text(encoding="utf-8", errors="replace")


def _json(file: Path) -> Any:
    try:
        return parse_json(_text(file))
    except ValueError as error:
        raise ExchangeError(f"{file}: found no JSON ({error}); allowed JSON") from None


def _yaml(file: Path) -> dict[str, Any]:
    content = parse_value(str(file), _text(file))
    return content if isinstance(content, dict) else {}
