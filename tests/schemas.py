"""What is written is of the schema of `results.json`.

That the schema is one is held once, in tests/rendering/test_results_json.py: to look anew in each
test takes a second each.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema

from reportgen.rendering.results_json import SCHEMA_FILE


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
