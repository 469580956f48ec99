"""Keyword arguments: the keys of a manifest, without the blocks that they stand in there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from reportgen.errors import StudyError
from reportgen.study.errors import describe_unknown, shown
from reportgen.study.manifest import AnalysisOptions
from reportgen.study.schema import ExecutionEntry, Manifest, ReportEntry, SetupEntry, StudyInfo
from reportgen.study.schema.datasets import ResultsEntry

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
Blocks = Mapping[str, type[BaseModel]]


def key_paths(blocks: Blocks = RESULTS_BLOCKS) -> dict[str, str]:
    """Return the key path of every keyword."""
    paths = {name: name for name in Manifest.model_fields if name not in ("setup", "results")}
    for block, model in blocks.items():
        for name in model.model_fields:
            if name not in OTHERWISE.get(block, ()):
                paths.setdefault(name, f"{block}.{name}")
    return paths


def manifest_values(
    function: str, keywords: Mapping[str, Any], blocks: Blocks = RESULTS_BLOCKS
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of keywords by key path, and what an error calls each.

    Parameters
    ----------
    function : str
        That was called, for errors.
    keywords : mapping
        None for what is left out.
    blocks : mapping of str to model
        The blocks whose keys are allowed.

    Raises
    ------
    StudyError
        If there is no such keyword, or its value is nothing that a manifest can have.
    """
    paths, values, origins = key_paths(blocks), {}, {}
    for name, value in keywords.items():
        if value is None:
            continue
        if name not in paths:
            raise StudyError(f"{function}: {describe_unknown('keyword', name, paths)}")
        origins[paths[name]] = f"{function}({name}=…)"
        values[paths[name]] = plain_value(f"{function}({name}=…)", value)
    return values, origins


def plain_value(origin: str, value: Any) -> Any:
    """Return a value as a manifest has it: text, numbers, lists and mappings.

    Raises
    ------
    StudyError
        If it is none of these; `origin` names it.
    """
    try:
        return json.loads(json.dumps(value, default=_of_other))
    except (TypeError, ValueError):
        allowed = "text, numbers, lists and mappings of these"
        raise StudyError(
            f"{origin}: found {shown(type(value).__name__)}; allowed {allowed}"
        ) from None


def _of_other(value: Any) -> Any:
    """Return numbers and arrays of numpy, and paths, as JSON knows them."""
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(type(value).__name__)
