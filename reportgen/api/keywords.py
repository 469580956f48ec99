"""Keyword arguments: the keys of a manifest, without the blocks that they stand in there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from reportgen.errors import StudyError
from reportgen.study.errors import listed, shown, suggestion
from reportgen.study.schema import ExecutionEntry, Manifest, ReportEntry, SetupEntry, StudyInfo
from reportgen.study.schema.datasets import ResultsEntry
from reportgen.study.schema.options import AnalysisOptions

RESULTS_BLOCKS: dict[str, type[BaseModel]] = {
    "study": StudyInfo,
    "results": ResultsEntry,
    "analysis": AnalysisOptions,
    "execution": ExecutionEntry,
    "report": ReportEntry,
}
SETUP_BLOCKS: dict[str, type[BaseModel]] = {
    "setup": SetupEntry,
    **{key: model for key, model in RESULTS_BLOCKS.items() if key != "results"},
}
"""Of a study that is executed."""
OTHERWISE = {"results": ("file", "wide", "table"), "setup": ("datasets", "candidates")}
"""What a call gives otherwise."""
HABITS = {
    "baseline": "reference",
    "cv": "resampling",
    "metric": "measures",
    "metrics": "measures",
    "n_jobs": "jobs",
    "random_state": "seed",
    "rope": "relevance",
    "scoring": "measures",
}
"""Our word by that of another program."""
LISTS = ("candidates", "datasets", "formats", "measures", "plugins", "sections")
"""Keywords whose single value stands for a list of one."""
Blocks = Mapping[str, type[BaseModel]]


def key_paths(blocks: Blocks = RESULTS_BLOCKS) -> dict[str, str]:
    """Return the key path of every keyword of a call that brings results, or estimators."""
    paths = {name: name for name in Manifest.model_fields if name not in OTHERWISE}
    for block, model in blocks.items():
        for name in model.model_fields:
            if name not in OTHERWISE.get(block, ()):
                paths.setdefault(name, f"{block}.{name}")
    return paths


def overruling_paths(*, is_executed: bool) -> dict[str, str]:
    """Return the key path of every keyword that overrules a manifest: those of its own blocks."""
    block, blocks = ("setup", SETUP_BLOCKS) if is_executed else ("results", RESULTS_BLOCKS)
    paths = {name: name for name in Manifest.model_fields if name not in OTHERWISE}
    paths[block] = block
    if is_executed:
        paths["replications"] = "setup.resampling.replications"
    for key, model in blocks.items():
        for name in model.model_fields:
            paths.setdefault(name, f"{key}.{name}")
    return paths


def manifest_values(
    function: Callable[..., Any], keywords: Mapping[str, Any], paths: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of keywords by key path, and what an error calls each.

    Parameters
    ----------
    function : callable
        That was called, for errors.
    keywords : mapping
        None for what is left out.
    paths : mapping of str to str
        The key path of every keyword.

    Raises
    ------
    StudyError
        If there is no such keyword, or its value is nothing that a manifest can have.
    """
    values, origins = {}, {}
    for name, value in keywords.items():
        if value is None:
            continue
        if name not in paths:
            raise _unknown(function, name, paths)
        entries = [value] if name in LISTS and isinstance(value, str | Mapping) else value
        origins[paths[name]] = f"{function.__name__}({name}=…)"
        values[paths[name]] = plain_value(origins[paths[name]], entries)
    return values, origins


def _unknown(function: Callable[..., Any], name: str, paths: Mapping[str, str]) -> StudyError:
    """Return the error of a keyword that is neither an argument nor a key."""
    own = [
        key
        for key, one in signature(function).parameters.items()
        if one.kind is not Parameter.VAR_KEYWORD
    ]
    known = list(dict.fromkeys([*own, *paths]))
    ours = HABITS.get(name, name)
    question = suggestion(ours if ours in known else name, known)
    return StudyError(
        f"{function.__name__}: found the keyword {shown(name)}; allowed {listed(known)}{question}"
    )


def as_written(value: Any) -> str:
    """Write the value of a keyword as Python does, if Python writes numbers of that length."""
    try:
        return repr(value)
    except ValueError:
        return "…"


def plain_value(origin: str, value: Any) -> Any:
    """Return a value as a manifest has it: text, numbers, lists and mappings.

    Raises
    ------
    StudyError
        If it is none of these; `origin` names it.
    """
    try:
        return json.loads(json.dumps(value, default=_of_other))
    except (TypeError, ValueError) as error:
        found, allowed = shown(type(value).__name__), "text, numbers, lists and mappings of these"
        if "integer string" in str(error):  # of more digits than Python writes
            is_inside = not isinstance(value, int)
            found = (
                "a whole number of more digits than Python writes" if is_inside else shown(value)
            )
            allowed = "a shorter one"
        raise StudyError(f"{origin}: found {found}; allowed {allowed}") from None


def _of_other(value: Any) -> Any:
    """Return numbers and arrays of numpy, and paths, as JSON knows them."""
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(type(value).__name__)
