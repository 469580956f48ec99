"""The psychoanalysis in results.json fits the schema."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reportgen.rendering.results_json import plain
from reportgen.warehouse import no_characteristics
from tests.schemas import validator_of
from tests.sections.psychoanalysis.making import analysed, sampled, study


@pytest.mark.parametrize("n_datasets", [3, 24])
def test_results_fit_the_schema(n_datasets: int) -> None:
    result = plain(analysed(sampled(study(n_datasets, step=0.05))))
    validator_of("psychoanalysis").validate(result)
    root = result["tree"]
    assert "path" not in json.dumps(root)
    if n_datasets == 24:
        assert set(root["split"]) >= {"characteristic", "cutpoint", "p_value"}
        assert "levels" not in root["split"]
        assert all(test["target"] == "domain" for test in root["tests"])


def test_what_is_not_there_fits_the_schema() -> None:
    bare = replace(study(4, step=0.05), characteristics=no_characteristics())
    result = plain(analysed(bare))
    validator_of("psychoanalysis").validate(result)
    assert result["characteristics"] == []
    assert "split" not in result["tree"] or result["tree"]["split"] is None
