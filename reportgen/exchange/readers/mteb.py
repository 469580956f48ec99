"""Results of MTEB: <model>/<revision>/<task>.json, with model_meta.json beside.

A task's value is the mean of main_score over the subsets of its test sample, else of another one;
of both those count that all models have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    Content,
    LogFormat,
    Logs,
    Run,
    label,
    look_up,
    mapping,
    number,
    read_json,
)
from reportgen.exchange.readers.timings import distinct
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed, shown

ABOUT = "model_meta.json"
MAIN = Measure("main_score", "larger")
SAMPLES = ("test", "dev", "validation")


def _read(logs: Logs) -> Content:
    tasks: dict[str, dict[Path, dict[str, Any]]] = {}
    for path, content in logs.documents():
        if _is_task(content):
            task = look_up(path, content, "task_name")
            tasks.setdefault(task, {})[path] = content["scores"]
    runs: list[Run] = []
    others = dict[str, None]()
    for task, found in tasks.items():
        sample = _sample(task, found)
        others |= dict.fromkeys(sorted({name for own in found.values() for name in own} - {sample}))
        subsets = {path: look_up(path, own, sample, kind=list) for path, own in found.items()}
        names = {path: [_subset(entry) for entry in own] for path, own in subsets.items()}
        common = _common(task, "subsets", names)
        left = sorted({name for own in names.values() for name in own} - common)
        others |= dict.fromkeys(f"{name} of {task}" for name in left)
        for path, own in subsets.items():
            value = _mean(path, [entry for entry in own if _subset(entry) in common])
            runs.append(Run(path, task, _model(path), ["1"], {MAIN.name: [value]}))
    decided = [("other-samples", listed(others))] if others else []
    return Content(distinct(runs), {MAIN.name: MAIN}, "", decided)


def _sample(task: str, found: Mapping[Path, Mapping[str, Any]]) -> str:
    """Return the sample of a task that is read: one that all models have."""
    common = _common(task, "samples", found)
    sample = next((name for name in SAMPLES if name in common), None)
    if sample is None and len(common) != 1:
        raise ExchangeError(
            f"{next(iter(found))}: found the samples {listed(sorted(common)) or 'none'}; allowed "
            f"one of {listed(SAMPLES)}"
        )
    return sample or next(iter(common))


def _common(task: str, what: str, found: Mapping[Path, Iterable[str]]) -> set[str]:
    """Return the names that all files of a task have."""
    # Raises ExchangeError if there are none.
    (_, first), *below = found.items()
    common = {*first}
    for path, own in below:
        if not common.intersection(own):
            raise ExchangeError(
                f"{path}: found the {what} {listed(sorted(own)) or 'none'} of the task "
                f"{shown(task)}, and {listed(sorted(common)) or 'none'} of other models; allowed "
                "one that all models have"
            )
        common.intersection_update(own)
    return common


def _subset(entry: Any) -> str:
    return label(mapping(entry).get("hf_subset")) or "default"


def _mean(path: Path, subsets: list[Any]) -> float:
    values = [number(mapping(own).get(MAIN.name)) for own in subsets]
    kept = [value for value in values if value is not None]
    if not kept or len(kept) < len(values):
        found = shown(mapping(subsets[values.index(None)]).get(MAIN.name)) if values else "nothing"
        raise ExchangeError(f"{path}: {MAIN.name}: found {found}; allowed a number")
    return fmean(kept)


def _model(path: Path) -> str:
    """Return the model by the file beside, else by the folder above the revision's."""
    about = path.with_name(ABOUT)
    name = label(mapping(read_json(about)).get("name")) if about.is_file() else None
    return name or path.resolve().parent.parent.name.replace("__", "/")


def _is_task(content: Any) -> bool:
    return isinstance(mapping(content).get("scores"), dict) and "task_name" in content


LOGS = (
    LogFormat(
        "mteb",
        "<model>/<revision>/<task>.json with task_name, scores",
        "MTEB",
        lambda logs: logs.has(_is_task),
        _read,
    ),
)
