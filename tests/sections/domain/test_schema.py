"""The domain in results.json fits the schema."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.rendering.results_json import plain
from tests.builders import warehouse_of
from tests.schemas import validator_of
from tests.sections.domain.making import analysed, draw_values
from tests.sections.reading import COST, ERROR


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_results_fit_the_schema(share):
    rows = np.random.default_rng(1).uniform(0.1, 0.4, (4, 3)).tolist()
    values = draw_values(1, rows)
    for v in values.values():
        v[1:][np.random.default_rng(2).random(v[1:].shape) < share] = np.nan
    cost = {d: v * 10 for d, v in draw_values(2, rows).items()}
    result = plain(analysed(warehouse_of({ERROR: values, COST: cost}, ("a", "b", "c"))))
    validator_of("domain").validate(result)
    for hidden in ("boxes", "candidates", "measures"):
        assert hidden not in result
    structures = result["mixed_model"]["misclassification"]
    assert set(structures) == {"interaction", "unstructured"}
    assert all(pair["target"] == "domain" for fit in structures.values() for pair in fit["pairs"])
    verdict = result["verdict"]["misclassification"]
    assert verdict["method"] == "sources"
    assert len(verdict["pairs"]) == 3
    assert {pair["method"] for pair in verdict["pairs"]} == {"sources"}
    assert "values" not in verdict
