"""Every number a report states, unrounded, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.document import SCHEMA_VERSION, Report
from reportgen.errors import RenderingError
from reportgen.rendering.pairs_file import PairsFile

SPREAD = "*"  # says in a field's metadata that its items are keys of the whole
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> Path:
    """Write results.json; where a study has very many pairs, these into a file beside it.

    Parameters
    ----------
    report : Report
    destination : Path
        The file to write.
    folders : sequence of Path
        Not used: numbers have no templates.
    """
    aside = PairsFile([measure.name for measure in report.design.measures])
    found = results(report, aside)
    aside.write(destination.parent)
    destination.write_text(written(found) + "\n", encoding="utf-8", newline="\n")
    return destination


def written(value: Any, margin: str = "") -> str:
    """Write a value as JSON that can be read and compared by line.

    Every key has a line; what holds no further lists or dictionaries stays on
    one, such as a row of a matrix.

    Parameters
    ----------
    value : dict, list, str, int, float, bool or None
    margin : str
        What the lines after the first begin with.

    Examples
    --------
    >>> print(written({"incidence": [[0, 1], [0, 0]]}))
    {
     "incidence": [
      [0, 1],
      [0, 0]
     ]
    }
    """
    inner = margin + " "
    if isinstance(value, dict) and value:
        items = [f"{_one_line(key)}: {written(item, inner)}" for key, item in value.items()]
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        items = [written(item, inner) for item in value]
    else:
        return _one_line(value)
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}\n{inner}" + f",\n{inner}".join(items) + f"\n{margin}{closed}"


def _one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def results(report: Report, aside: PairsFile | None = None) -> dict[str, Any]:
    """Return the whole of results.json as plain lists and dictionaries.

    Results of data sets stand under the data set's name, those of the study
    directly under their section's.

    Parameters
    ----------
    report : Report
    aside : PairsFile, optional
        Takes the lists of pairs where they are many.
    """
    sections: dict[str, Any] = {}
    for content in report.contents:
        result = plain(content.result)
        if aside is not None:
            aside.take(content.name, content.dataset, result)
        if content.dataset is None:
            sections[content.name] = result
        else:
            sections.setdefault(content.name, {})[content.dataset] = result
    return {
        "schema_version": SCHEMA_VERSION,
        "study": plain(report.study),
        "design": _design(report),
        "sections": sections,
        "drawing_faults": plain(report.drawing_faults),
        "provenance": plain(report.provenance),
    }


def _design(report: Report) -> dict[str, Any]:
    """Return what was compared; what scripts rely on comes first."""
    design = report.design
    return {
        "datasets": [d.name for d in design.datasets],
        "candidates": list(design.candidates),
        "measures": [plain(m) for m in design.measures],
        "replications": {d.name: d.n_replications for d in design.datasets},
        "descriptions": plain(design.descriptions),
        "problem": design.problem,
        "resampling": plain(design.resampling),
        "seed": design.seed,
        "alpha": design.alpha,
        "relevance": plain(design.relevance),
        "n_values": design.n_values,
        "n_missing": design.n_missing,
        "missing_rule": design.missing_rule,
        "sizes": {d.name: _sizes(plain(d)) for d in design.datasets},
        "failures": plain(design.failures),
        "warnings": plain(design.warnings),
        "choices": plain(design.choices),
        "source": design.source,
    }


def _sizes(dataset: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in dataset.items() if key not in ("name", "n_replications")}


def plain(value: Any) -> Any:
    """Return a result as plain lists, dictionaries, numbers and texts.

    Fields whose metadata says `results: False` are left out, and one that says
    `results: <another field>` is appended to that list, the items of a mapping that
    says `results: *` are keys beside the fields; one that is a sequence is its items.
    Numbers that are missing or infinite become None.

    Examples
    --------
    >>> plain({"a": (1, float("inf")), "b": np.array([True, False])})
    {'a': [1, None], 'b': [True, False]}
    """
    kind = type(value)
    if value is None or kind is bool or kind is str or kind is int:
        return value
    if kind is float:
        return value if isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type | Sequence):
        return _plain_fields(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(plain(item) for item in value)
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return plain(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    raise RenderingError(f"results.json cannot hold {value!r} ({type(value).__name__})")


def _plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that belong into results, in their order."""
    kept: dict[str, Any] = {}
    kind: Any = type(value)
    for name, place in _places(kind):
        if place == SPREAD:
            kept |= plain(getattr(value, name))
        elif isinstance(place, str):
            kept[place] = [*kept[place], *plain(getattr(value, name))]
        else:
            kept[name] = plain(getattr(value, name))
    return kept


@cache
def _places(kind: Any) -> tuple[tuple[str, bool | str], ...]:
    """Return the fields of a dataclass that belong into results, and where."""
    found = ((field.name, field.metadata.get("results", True)) for field in fields(kind))
    return tuple((name, place) for name, place in found if place)


def _key(key: object) -> str:
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise RenderingError(f"results.json cannot have the key {key!r} ({type(key).__name__})")
    return str(key)
