"""Write the schema of results.json, from the types of what the file has.

    python tools/results_schema.py

A part of the file is a dataclass of the program: the schema has its fields, their types, and what
its docstring and its comments say of them. Columns of pairs say themselves what they hold.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import textwrap
import tokenize
import types
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from reportgen.conclusion.result import Conclusion
from reportgen.methods import METHODS
from reportgen.rendering.results_json import SECTIONS, format_json
from reportgen.report import SCHEMA_VERSION, DatasetDesign, Design, Report
from reportgen.sections import find_sections
from reportgen.stats.columns import Column
from reportgen.stats.decisions import Decision
from reportgen.stats.pair_table import FIXED_COLUMNS, PAIR_COLUMNS, PairTable
from reportgen.targets import GENERALISATIONS, TARGETS, DecidingTarget
from reportgen.units import UNITS, Unit

Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "reportgen" / "rendering" / "results.schema.json"
NUMBER: Schema = {"$ref": "#/$defs/number"}
SHARE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARES = re.compile(r"(^|(?<!log10)_)(p_value|alpha|share)s?$")
"""Names of numbers from 0 to 1."""
COUNTS = re.compile(r"^n(_|$)|(^|_)(count|df)$")
"""Names of whole numbers from 0 on."""
KINDS: dict[str, Schema] = {
    "number": NUMBER,
    "count": {"type": ["integer", "null"], "minimum": 0},
    "share": SHARE,
    "flag": {"type": "boolean"},
    "candidate": {"type": "string"},
    **{kind: {"$ref": f"#/$defs/{kind}"} for kind in ("decision", "method", "target")},
    "scale": {"enum": ["difference", "ratio", "wins"]},
    "reason": {"enum": ["too-few-replications", "no-variation", None]},
}


NAMED = {
    "decision": [*get_args(Decision)],
    "target": [*GENERALISATIONS],
    "deciding_target": [*TARGETS],
}
"""Lists of words that have a schema of their own."""


def shared() -> dict[str, Schema]:
    """Return what many parts of the file have."""
    of_tables = [name for method in METHODS.values() for name in method.tables]
    return {
        "number": {
            "description": "A number; null where it is missing or infinite.",
            "type": ["number", "null"],
        },
        "interval": {
            "description": "Two numbers; of an interval the lower and the upper bound.",
            "type": "array",
            "items": NUMBER,
            "minItems": 2,
            "maxItems": 2,
        },
        "decision": {
            "description": "Of first against second.",
            "enum": NAMED["decision"],
        },
        "method": {
            "description": "What compares a pair: its variance, and how the comparisons of a "
            "family are adjusted.",
            "enum": [*dict.fromkeys([*METHODS, *of_tables])],
        },
        "target": {
            "description": "What a p-value or an interval speaks about.",
            "enum": NAMED["target"],
        },
        "deciding_target": {
            "description": "What decides, and what its decisions speak of.",
            "enum": NAMED["deciding_target"],
        },
        "pair": {
            "description": "Two candidates; an estimate is the advantage of the first.",
            "type": "object",
            "properties": {name: described(c) for name, c in PAIR_COLUMNS.items()},
            "required": [*FIXED_COLUMNS],
        },
    }


def described(column: Column) -> Schema:
    """Return what the schema says of a column."""
    return {"description": _sentence(column.doc), **KINDS[column.kind]}


@dataclass
class Definitions:
    """The schemas of classes, by name; each is made where it is met first."""

    made: dict[str, Schema] = field(default_factory=shared)
    names: dict[type[Any], str] = field(default_factory=dict)

    def schema_of(self, kind: Any, name: str = "", shape: int = 0) -> Schema:
        """Return the schema of a type.

        `name`: of the field, by which a number is a share or a count.
        `shape`: the number of dimensions of an array.
        """
        origin, inner = get_origin(kind), get_args(kind)
        if kind in (Any, object):
            return {}
        if origin in (Union, types.UnionType):
            return self._either(inner, name, shape)
        if origin is Literal:
            named = next((name for name, values in NAMED.items() if {*values} == {*inner}), None)
            return {"$ref": f"#/$defs/{named}"} if named else {"enum": [*inner]}
        if kind is Unit:
            return {"enum": [*UNITS]}
        if kind is PairTable:
            return {"type": "array", "items": {"$ref": "#/$defs/pair"}}
        if kind is np.ndarray or origin is np.ndarray:
            return _nested(NUMBER, shape)
        if kind in SCALARS:
            return _scalar(kind, name)
        if isinstance(kind, type) and is_dataclass(kind) and not issubclass(kind, Sequence):
            return {"$ref": f"#/$defs/{self.define(kind)}"}
        if inner and _is(origin, Mapping):
            return {"type": "object", "additionalProperties": self.schema_of(inner[1], name)}
        if origin is tuple and ... not in inner:
            return self._fixed(inner, name)
        if inner and _is(origin, Sequence | Set):
            return {"type": "array", "items": self.schema_of(inner[0], name, shape)}
        bases = [base for base in getattr(kind, "__orig_bases__", ()) if get_args(base)]
        if bases:  # a class that is a sequence or a mapping
            return self.schema_of(bases[0], name)
        raise TypeError(f"{name}: found {kind!r}; allowed a type that JSON can have")

    def define(self, kind: type[Any], name: str = "") -> str:
        """Return the name of a class's schema, and make the schema where there is none yet."""
        if kind in self.names:
            return self.names[kind]
        room = kind.__module__.removesuffix(".result").removesuffix(".analysis").rpartition(".")[2]
        own = name or _snake(kind.__name__)
        own = own if own not in self.made else f"{room}_{own}"
        if own in self.made:
            raise TypeError(f"found two classes with the name {own}; allowed one")
        self.names[kind] = own
        self.made[own] = {}
        self.made[own] |= self._object(kind)
        return own

    def parts_of(self, kind: type[Any], names: Sequence[str]) -> dict[str, Schema]:
        """Return the schemas of some fields of a dataclass."""
        said, hints = documented(kind)[0], hints_of(kind)
        parts = {
            name: self.schema_of(hints.get(name) or derived_type(kind, name), name)
            for name in names
        }
        return {n: {"description": said[n], **p} if n in said else p for n, p in parts.items()}

    def _object(self, kind: type[Any]) -> Schema:
        """Return the schema of a dataclass: its fields as results.json has them."""
        said, shapes = documented(kind)
        hints = hints_of(kind)
        properties: dict[str, Schema] = {}
        found: Schema = {"description": inspect.getdoc(kind).partition("\n")[0]}  # type: ignore[union-attr]
        found |= {"type": "object", "properties": properties}
        required = []
        for own in fields(kind):
            if not own.metadata.get("results", True):
                continue
            key = own.metadata.get("key", own.name)
            if "property" in own.metadata:
                properties[key] = self._derived(kind, own.metadata["property"], key, said)
                required.append(key)
                continue
            part = self.schema_of(hints[own.name], own.name, shapes.get(own.name, 0))
            if own.name in said:
                part = {"description": said[own.name], **part}
            if key is not None:
                properties[key] = part
                required.append(key)
            elif "$ref" in part:
                spread = self.made[_name_of(part)]
                properties |= spread["properties"]
                required += spread["required"]
            else:
                found["additionalProperties"] = part["additionalProperties"]
        for name in getattr(kind, "DERIVED", ()):
            properties[name] = self._derived(kind, name, name, said)
            required.append(name)
        return found | {"required": required}

    def _derived(self, kind: type[Any], name: str, key: str, said: Mapping[str, str]) -> Schema:
        """Return the schema of a property that results have."""
        part = self.schema_of(derived_type(kind, name), key)
        first = said.get(key) or (inspect.getdoc(getattr(kind, name)) or "").partition("\n")[0]
        return {"description": _sentence(first), **part} if first else part

    def _either(self, kinds: Sequence[Any], name: str, shape: int) -> Schema:
        """Return the schema of one of several types."""
        parts = [self.schema_of(kind, name, shape) for kind in kinds if kind is not types.NoneType]
        is_optional = types.NoneType in kinds
        if len(parts) == 1:
            part = parts[0]
            if not is_optional or part in (NUMBER, SHARE, {}):
                return part
            if "enum" in part:
                return {**part, "enum": [*part["enum"], None]}
            if isinstance(part.get("type"), str) and part["type"] not in ("array", "object"):
                return {**part, "type": [part["type"], "null"]}
        unlike = [part for at, part in enumerate(parts) if part not in parts[:at]]
        whole = [*unlike, {"type": "null"}] if is_optional else unlike
        return {"anyOf": whole} if len(whole) > 1 else whole[0]

    def _fixed(self, kinds: Sequence[Any], name: str) -> Schema:
        """Return the schema of so many items, each of its type."""
        if (*kinds,) == (float, float):
            return {"$ref": "#/$defs/interval"}
        parts = [self.schema_of(kind, name) for kind in kinds]
        n = {"minItems": len(parts), "maxItems": len(parts)}
        if all(part == parts[0] for part in parts):
            return {"type": "array", "items": parts[0], **n}
        return {"type": "array", "prefixItems": parts, **n}


SCALARS = (float, int, bool, str, types.NoneType)


def _scalar(kind: type[Any], name: str) -> Schema:
    """Return the schema of a number, a flag or a text."""
    if kind is float:
        return SHARE if SHARES.search(name) else NUMBER
    if kind is int:
        return COUNT if COUNTS.search(name) else {"type": "integer"}
    return {"type": {bool: "boolean", str: "string", types.NoneType: "null"}[kind]}


def _nested(item: Schema, depth: int) -> Schema:
    """Return the schema of an array of so many dimensions; without one, of any."""
    if not depth:
        return {"type": "array"}
    return {"type": "array", "items": item if depth == 1 else _nested(item, depth - 1)}


def _is(kind: Any, base: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


def _snake(name: str) -> str:
    """Return the name of a class as names of results are written."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.lstrip("_").removesuffix("Result")).lower()


def hints_of(thing: Any) -> dict[str, Any]:
    """Return the types of a class's fields or a function's, those for type checkers, too."""
    names: dict[str, Any] = {}
    for base in getattr(thing, "__mro__", (thing,)):
        if base is not object:
            names |= dict(_checked_names(sys.modules[base.__module__]))
    return get_type_hints(thing, localns=names)


def _checked_names(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield what a module imports for type checkers alone."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for inner in node.body:
                if isinstance(inner, ast.ImportFrom) and inner.module:
                    source = import_module(inner.module)
                    for name in inner.names:
                        yield name.asname or name.name, getattr(source, name.name)
                elif isinstance(inner, ast.Import):
                    for name in inner.names:
                        whole = import_module(name.name)
                        yield name.asname or name.name, whole


def derived_type(kind: type[Any], name: str) -> Any:
    """Return the type of a property."""
    own = inspect.getattr_static(kind, name)
    return hints_of(own.fget if isinstance(own, property) else own.func)["return"]


def documented(kind: type[Any]) -> tuple[dict[str, str], dict[str, int]]:
    """Return what a class says of its fields, and the dimensions of its arrays.

    It says so in its docstring, or in a comment at the field or above it.
    """
    said: dict[str, str] = {}
    shapes: dict[str, int] = {}
    for base in reversed([base for base in kind.__mro__ if is_dataclass(base)]):
        said |= _comments(base)
        for head, words in _attributes(inspect.getdoc(base) or ""):
            names, _, what = head.partition(" : ")
            shape = re.search(r"shape \(([^)]*)\)", what)
            for name in names.split(", "):
                if words:
                    said[name] = words
                if shape is not None:
                    shapes[name] = len([size for size in shape[1].split(",") if size.strip()])
    return {name: _sentence(words) for name, words in said.items()}, shapes


def _sentence(words: str) -> str:
    """Return words as a sentence; a name keeps its letter."""
    words = re.sub(r"\bNone\b", "null", words)
    first = words if words.startswith("`") else f"{words[0].upper()}{words[1:]}"
    return first if first.endswith((".", "?")) else f"{first}."


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    """Yield the heads and the words of a docstring's attributes."""
    listed = re.search(r"^Attributes\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}\n|\Z)", text, re.M | re.S)
    for entry in filter(None, re.split(r"^(?=\S)", listed[1] if listed else "", flags=re.M)):
        head, _, rest = entry.partition("\n")
        yield head, " ".join(rest.split())


def _comments(kind: type[Any]) -> dict[str, str]:
    """Return what comments, and texts below fields, say of a class's fields."""
    source = textwrap.dedent(inspect.getsource(kind))
    marks = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(("# type:", "# noqa"))
    }
    whole = source.splitlines()
    found: dict[str, str] = {}
    (body,) = ast.parse(source).body
    assert isinstance(body, ast.ClassDef)
    for node, after in zip(body.body, [*body.body[1:], None], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        lines = [node.lineno - 1]
        while lines[-1] in marks and whole[lines[-1] - 1].lstrip().startswith("#"):
            lines.append(lines[-1] - 1)
        above = [marks[line] for line in reversed(lines[:-1])]
        beside = marks.get(node.end_lineno or node.lineno)
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if is_text:
            found[node.target.id] = " ".join(str(after.value.value).split())  # type: ignore[union-attr]
        elif beside is not None:
            found[node.target.id] = beside
        elif above:
            words = " ".join(above)
            several = re.fullmatch(r"((?:\w+, )+\w+): (.*)", words)  # fields below one another
            names = several[1].split(", ") if several else []
            own = {node.target.id: words}
            found |= dict.fromkeys(names, several[2]) if several and names[0] in own else own
    return found


def schema() -> Schema:
    """Return the schema of the whole file."""
    known = Definitions()
    sections: dict[str, Schema] = {}
    for name, section in find_sections().items():
        analyse = import_module(f"{section.package}.analysis").analyse
        kind = hints_of(analyse)["return"]
        for one in (kind, *get_args(kind)):  # a result, or one of each measure, or none
            if get_origin(kind) is not tuple and isinstance(one, type) and is_dataclass(one):
                known.define(one, name)
        part = known.schema_of(kind)
        of_datasets = {"type": "object", "additionalProperties": part}
        sections[name] = of_datasets if section.scope == "dataset" else part
    for name in SECTIONS:
        let_pairs_move(name, known.made)
    known.made["sections"] = {
        "description": "Results by section; of a section on data sets by data set.",
        "type": "object",
        "properties": sections,
    }
    known.made["study_design"] = {
        "description": "What was compared.",
        "type": "object",
        "properties": design(known),
        "required": ["datasets", "candidates", "measures", "replications"],
    }
    report = known.parts_of(Report, OF_REPORT)
    properties: Schema = {
        "schema_version": {"const": SCHEMA_VERSION},
        "study": report["study"],
        "design": {"$ref": "#/$defs/study_design"},
        "conclusion": known.schema_of(Conclusion | None),
        "checklists": report["checklists"],
        "sections": {"$ref": "#/$defs/sections"},
        "samples": {
            "description": "By data set, where the study keeps samples.",
            "type": "object",
            "additionalProperties": report["samples"]["items"],
        },
        **{name: report[name] for name in ("drawing_faults", "section_faults", "provenance")},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:reportgen:results:{SCHEMA_VERSION}",
        "title": "Results of a reportgen report",
        "description": "Every number a report states, unrounded. Keys named here may be relied on; "
        "others may be added. Sections of other packages stand beside ours under their own names.",
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in ("samples", "section_faults")],
        "$defs": dict(sorted(known.made.items())),
    }


def let_pairs_move(name: str, made: Mapping[str, Schema], seen: set[str] | None = None) -> None:
    """Let each list of pairs in a definition, and in those that it needs, be null.

    That is where there are too many: `pairs_file` beside the list names the file that has them.
    """
    seen = set() if seen is None else seen
    if name in seen:
        return
    seen.add(name)
    for own in _refs(made[name]):
        let_pairs_move(own, made, seen)
    for block in _objects(made[name]):
        properties = block["properties"]
        for key, part in [*properties.items()]:
            items = part.get("items", {})
            row = made[_name_of(items)] if "$ref" in items else items
            if {"first", "second"} <= row.get("properties", {}).keys():
                words = {"description": part["description"]} if "description" in part else {}
                bare = {k: v for k, v in part.items() if k != "description"}
                properties[key] = words | {"anyOf": [{"type": "null"}, bare]}
                properties["pairs_file"] = {
                    "description": "The file that has the pairs, where a list of them is null.",
                    "type": "string",
                }


def _name_of(part: Schema) -> str:
    name: str = part["$ref"].rpartition("/")[2]
    return name


def _refs(part: Any) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield _name_of(part)
        for inner in part.values():
            yield from _refs(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _refs(inner)


def _objects(part: Any) -> Iterator[Schema]:
    """Yield the objects with properties that a schema has."""
    if isinstance(part, dict):
        if "properties" in part:
            yield part
        for inner in [*part.values()]:
            yield from _objects(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _objects(inner)


def design(known: Definitions) -> Schema:
    """Return what the schema says of the design's keys."""
    parts = known.parts_of(Design, ("measures", *OF_DESIGN))
    names: Schema = {"type": "array", "items": {"type": "string"}}
    whole: Schema = {"datasets": names, "candidates": names, "measures": parts["measures"]}
    whole["replications"] = {"type": "object", "additionalProperties": COUNT}
    whole["target"] = known.schema_of(DecidingTarget | None)
    sizes = [
        own.name for own in fields(DatasetDesign) if own.name not in ("name", "n_replications")
    ]
    whole["sizes"] = {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": known.parts_of(DatasetDesign, sizes),
        },
    }
    return whole | {name: parts[name] for name in OF_DESIGN}


OF_REPORT = (
    "study", "checklists", "samples", "drawing_faults", "section_faults", "provenance",
)  # fmt: skip
OF_DESIGN = (
    "descriptions", "problem", "resampling", "seed", "alpha", "relevance", "n_values", "n_missing",
    "missing_rule", "failures", "warnings", "choices", "source",
)  # fmt: skip


def text(schema: Schema) -> str:
    """Return the text of the file."""
    return f"{format_json(schema)}\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(schema()), encoding="utf-8")
