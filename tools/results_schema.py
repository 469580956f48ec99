"""Write what the schema of results.json lists of the program into it.

    python tools/results_schema.py

These are the methods, what decisions speak of, and the columns of tables: each
has one row in the program, and the schema takes it from there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from reportgen.methods import METHODS, ComparisonMethod, MethodName, VerdictMethod
from reportgen.sections.eda.result import CandidateSummary
from reportgen.sections.inference.result import Effect
from reportgen.stats.columns import Column, columns_of
from reportgen.stats.pair_table import FIXED_COLUMNS, PAIR_COLUMNS
from reportgen.targets import GENERALISATIONS, TARGETS

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "reportgen" / "rendering" / "results.schema.json"
KINDS: dict[str, dict[str, Any]] = {
    "number": {"$ref": "#/$defs/number"},
    "count": {"type": ["integer", "null"], "minimum": 0},
    "share": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    "flag": {"type": "boolean"},
    "name": {"type": "string"},
    "interval": {"$ref": "#/$defs/interval"},
    **{kind: {"$ref": f"#/$defs/{kind}"} for kind in ("decision", "method", "target")},
    "scale": {"enum": ["difference", "ratio", "wins"]},
    "reason": {"enum": ["too-few-replications", "no-variation", None]},
}

ROWS: dict[str, type[Any]] = {"effect": Effect, "summary": CandidateSummary}
"""Rows of tables, by what the schema calls them."""


def filled(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with the lists of the program."""
    found: dict[str, Any] = json.loads(json.dumps(schema))
    own = found["$defs"]
    on_one, over, ordering = (
        [*get_args(names)] for names in (MethodName, VerdictMethod, ComparisonMethod)
    )
    of_tables = [name for method in METHODS.values() for name in method.tables]
    own["method"]["enum"] = [*dict.fromkeys([*on_one, *over, *of_tables])]
    own["method_on_one"] = {"description": "Methods on one data set.", "enum": on_one}
    own["method_over"] = {"description": "Methods that decide over data sets.", "enum": over}
    own["ordering_method"] = {
        "description": "Methods that order candidates over data sets.",
        "enum": [*dict.fromkeys(ordering)],
    }
    own["target"]["enum"] = [*GENERALISATIONS]
    own["deciding_target"]["enum"] = [*TARGETS]
    verdict = own["conclusion"]["properties"]["verdict"]["anyOf"][0]["properties"]
    verdict["basis"] = {"enum": [*dict.fromkeys(method.basis for method in METHODS.values())]}
    for name, row in ROWS.items():
        columns = columns_of(row)
        own[name]["properties"] = {key: _described(c) for key, c in columns.items()}
        own[name]["required"] = [*columns]
    own["pair"]["required"] = [*FIXED_COLUMNS]
    own["pair"]["properties"] = {name: _described(c) for name, c in PAIR_COLUMNS.items()}
    return found


def _described(column: Column) -> dict[str, Any]:
    """Return what the schema says of a column."""
    kind = KINDS[column.kind]
    if column.is_optional and column.kind == "interval":
        kind = {"anyOf": [{"type": "null"}, kind]}
    if not column.is_optional and column.kind == "count":
        kind = {"type": "integer", "minimum": 0}
    return {"description": f"{column.doc[0].upper()}{column.doc[1:]}.", **kind}


def text(schema: dict[str, Any]) -> str:
    """Return the text of the file."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(filled(json.loads(SCHEMA.read_text("utf-8")))), encoding="utf-8")
