"""The manifest's JSON Schema, for editors."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from reportgen.study.schema import Manifest
from reportgen.study.schema.options import AnalysisOptions, Strict
from reportgen.study.shorthand import ANY, SHORT_FORMS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def manifest_json_schema(options: Mapping[str, type[AnalysisOptions]]) -> dict[str, Any]:
    """Return the schema of a manifest whose sections have these options.

    `options`: the model of each section's options, by the section's name.
    """
    references, schema = models_json_schema(
        [(Manifest, "validation"), *((model, "validation") for model in options.values())],
        ref_template="#/$defs/{model}",
        schema_generator=_Described,
    )
    definitions: dict[str, Any] = schema["$defs"]
    root = definitions[references[Manifest, "validation"]["$ref"].rpartition("/")[2]]
    for place in SHORT_FORMS:
        _allow_text(root, definitions, list(place))
    analysis = _resolve(root["properties"]["analysis"], definitions, is_list=False)["properties"]
    areas = analysis["relevance"]
    analysis["relevance"] = {"anyOf": [areas["additionalProperties"], areas]}
    entries: list[dict[str, Any]] = [{"type": "string", "enum": list(options)}]
    entries += [
        {
            "type": "object",
            "properties": {name: {"anyOf": [references[model, "validation"], {"type": "null"}]}},
            "required": [name],
            "additionalProperties": False,
        }
        for name, model in options.items()
    ]
    root["properties"]["sections"] = {
        "description": "The report's sections in their order; all that apply when left out.",
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": entries},
    }
    root["oneOf"] = [{"required": ["setup"]}, {"required": ["results"]}]
    return {"$schema": DIALECT, **root, "title": "Manifest of a study", "$defs": definitions}


class _Described(GenerateJsonSchema):
    """Describes a key by the text below it in its model."""

    # The texts are read here, as pydantic's `use_attribute_docstrings` would read the sources of
    # all models whenever they are imported.

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of a model with what is written about its keys."""
        found = super().model_schema(schema)
        model = schema["cls"]
        texts: dict[str, str] = {}
        for base in reversed(model.__mro__):
            if issubclass(base, Strict):
                texts |= _key_texts(base)
        for name, field in model.model_fields.items():
            if name in texts:
                key = field.alias or name
                found["properties"][key].setdefault("description", texts[name])
        return found


@cache  # sections share what their options rest on
def _key_texts(model: type[Strict]) -> dict[str, str]:
    """Return the texts below the keys of a model; none where its source cannot be read."""
    try:
        source = inspect.getsource(model)
    except OSError:
        return {}
    lines = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(lines, ast.ClassDef)
    return {
        line.target.id: inspect.cleandoc(below.value.value)
        for line, below in pairwise(lines.body)
        if isinstance(line, ast.AnnAssign)
        and isinstance(line.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


def _allow_text(schema: dict[str, Any], definitions: dict[str, Any], place: list[Any]) -> None:
    """Allow text where the value at `place` below `schema` is a mapping."""
    step, rest = place[0], place[1:]
    schema = _resolve(schema, definitions, is_list=step == ANY)
    key, holder = ("items", schema) if step == ANY else (step, schema["properties"])
    if rest:
        _allow_text(holder[key], definitions, rest)
    else:
        holder[key] = {"anyOf": [{"type": "string"}, holder[key]]}


def _resolve(
    schema: dict[str, Any], definitions: dict[str, Any], *, is_list: bool
) -> dict[str, Any]:
    """Follow references, also through "text or", "or null", and "one or several"."""
    wanted = "items" if is_list else "properties"
    while wanted not in schema:
        choices = schema.get("anyOf", schema.get("oneOf"))
        if choices is None:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        else:
            schema = next(s for s in choices if _may_lead_to(wanted, s))
    return schema


def _may_lead_to(wanted: str, schema: dict[str, Any]) -> bool:
    """Whether a choice is, or refers to, a mapping or a list."""
    if schema.get("type") in ("null", "string"):
        return False
    if "items" in schema:
        return wanted == "items"
    return wanted == "properties" or bool({"anyOf", "oneOf"} & set(schema))
