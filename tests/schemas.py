"""What is written is of the schema of `results.json`.

That the schema is one is held once, in tests/rendering/test_results_json.py: to look anew in each
test takes a second each.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema

from reportgen.rendering.results_json import SCHEMA_FILE, render
from reportgen.report import RESULTS, Report


def results(report: Report) -> dict[str, Any]:
    """Return what a report's results.json has."""
    with TemporaryDirectory() as folder:
        (path,) = render(report, Path(folder, RESULTS))
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def results_schema() -> dict[str, Any]:
    """Return the schema, which nobody changes."""
    found: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return found


@cache
def validator_of(name: str = "") -> jsonschema.Draft202012Validator:
    """Return what looks at a whole file, or at one of the schema's definitions."""
    schema = results_schema()
    own = {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]} if name else schema
    return jsonschema.Draft202012Validator(own)
