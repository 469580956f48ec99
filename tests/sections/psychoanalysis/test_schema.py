"""The psychoanalysis in results.json fits the schema."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from reportgen.rendering.results_json import SCHEMA_FILE, plain
from reportgen.warehouse import no_characteristics
from tests.sections.psychoanalysis.making import analysed, sampled, study


@pytest.mark.parametrize("n_datasets", [3, 24])
def test_results_fit_the_schema(n_datasets: int) -> None:
    schema = json.loads(SCHEMA_FILE.read_text())
    result = plain(analysed(sampled(study(n_datasets, step=0.05))))
    validate(result, schema)
    root = result["tree"]
    assert "path" not in json.dumps(root)
    if n_datasets == 24:
        assert set(root["split"]) >= {"characteristic", "cutpoint", "p_value"}
        assert "levels" not in root["split"]
        assert all(test["target"] == "domain" for test in root["tests"])


def test_what_is_not_there_fits_the_schema() -> None:
    schema = json.loads(SCHEMA_FILE.read_text())
    bare = replace(study(4, step=0.05), characteristics=no_characteristics())
    result = plain(analysed(bare))
    validate(result, schema)
    assert result["characteristics"] == []
    assert "split" not in result["tree"] or result["tree"]["split"] is None


def validate(result: Any, schema: dict[str, Any]) -> None:
    """Assert that a result has the shape that the schema gives it."""
    jsonschema.validate(result, {"$ref": "#/$defs/psychoanalysis", "$defs": schema["$defs"]})
