"""The domain in results.json fits the schema."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.rendering.results_json import plain
from reportgen.sections.domain import result
from tests.builders import warehouse_of
from tests.schemas import validator_of
from tests.sections.domain.making import analysed, draw_values, judged
from tests.sections.reading import COST, ERROR


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_results_fit_the_schema(share):
    rows = np.random.default_rng(1).uniform(0.1, 0.4, (4, 3)).tolist()
    values = draw_values(1, rows)
    for v in values.values():
        v[1:][np.random.default_rng(2).random(v[1:].shape) < share] = np.nan
    cost = {d: v * 10 for d, v in draw_values(2, rows).items()}
    found = plain(analysed(warehouse_of({ERROR: values, COST: cost}, ("a", "b", "c"))))
    validator_of("domain").validate(found)
    for hidden in ("boxes", "candidates", "measures"):
        assert hidden not in found
    structures = found["mixed_model"]["misclassification"]
    assert set(structures) == {"interaction", "unstructured"}
    assert all(pair["target"] == "domain" for fit in structures.values() for pair in fit["pairs"])
    verdict = found["verdict"]["misclassification"]
    assert verdict["method"] == "sources"
    assert len(verdict["pairs"]) == 3
    assert {pair["method"] for pair in verdict["pairs"]} == {"sources"}
    assert "values" not in verdict


def test_a_covariance_of_very_many_candidates_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).uniform(0.1, 0.4, (4, 3)).tolist()
    fit = judged(warehouse_of({ERROR: draw_values(1, rows)}, ("a", "b", "c"))).mixed_model
    few = plain(fit)
    monkeypatch.setattr(result, "MOST_SQUARED", 2)
    whole, left_out = (own[ERROR.name]["unstructured"] for own in (few, plain(fit)))
    assert (len(whole["covariance"]), left_out["covariance"]) == (3, None)
    assert whole == left_out | {"covariance": whole["covariance"]}
