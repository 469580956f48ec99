"""Results of MTEB: <model>/<revision>/<task>.json, with model_meta.json beside.

A task's value is the mean of main_score over the subsets of its test sample, else of its other one.
"""

from __future__ import annotations

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
    runs, others = [], set[str]()
    for path, content in logs.documents():
        if not _is_task(content):
            continue
        task, found = look_up(path, content, "task_name"), content["scores"]
        sample = next((name for name in SAMPLES if name in found), None)
        if sample is None and len(found) != 1:
            raise ExchangeError(
                f"{path}: found the samples {listed(found)}; allowed one of {listed(SAMPLES)}"
            )
        sample = sample or next(iter(found))
        others |= {name for name in found if name != sample}
        value = _mean(path, look_up(path, found, sample, kind=list))
        runs.append(Run(path, task, _model(path), ["1"], {MAIN.name: [value]}))
    decided = [("other-samples", listed(sorted(others)))] if others else []
    return Content(distinct(runs), {MAIN.name: MAIN}, "", decided)


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


def _finds(logs: Logs) -> bool:
    first = next((own for path, own in logs.documents() if path.name != ABOUT), None)
    return _is_task(first)


LOGS = (
    LogFormat(
        "mteb", "<model>/<revision>/<task>.json with task_name, scores", "MTEB", _finds, _read
    ),
)
