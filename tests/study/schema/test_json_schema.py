from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from reportgen.study.manifest import manifest_schema
from tests.study.conftest import OPTIONS

SCHEMA = manifest_schema(OPTIONS)
VALIDATOR = Draft202012Validator(SCHEMA)


def parsed(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


RIGHT = [
    "results: results.csv",
    "results: {file: a.csv, columns: {candidate: algorithm}, resampling: bootstrap, n: {a: 3}}",
    "results: {file: a.csv, n: {higgs: 11000000}}",
    "{measures: [error, {name: cost, better: larger, bounds: [0, null]}], results: a.csv}",
    "{measures: [e], setup: {datasets: [a, {name: b, file: c.csv, target: y}], candidates: [d]}}",
    "{measures: [e], setup: {datasets: [a], candidates: [{name: b}], resampling: {fraction: 0.5}}}",
    "{results: a.csv, sections: [eda, {inference: {alpha: 0.01}}, {eda: null}]}",
    "{results: a.csv, expect: [a better than b, {claim: no failures, dataset: d}]}",
    "{results: a.csv, expect: [{claim: no failures, on_undecided: fail}], on_undecided: warn}",
    "{results: a.csv, execution: {jobs: auto, timeout: 10min, max_failures: 5%}}",
    "{results: a.csv, analysis: {relevance: {error: [-1, 1]}}, study: {authors: [A. Bee]}}",
]
WRONG = [
    "seed: 1",
    "{results: a.csv, setup: {datasets: [a], candidates: [b]}}",
    "{results: a.csv, sections: [edda]}",
    "{results: a.csv, sections: [{eda: {srot: mean}}]}",
    "{results: a.csv, seed: many}",
    "{results: a.csv, expect: [{measure: error}]}",
    "{results: a.csv, execution: {timeout: 10}}",
    "{results: a.csv, analysis: {relevance: {error: 0}}}",
    "{measures: [1], results: a.csv}",
    "{measures: [error], setup: {datasets: [], candidates: [lda]}}",
]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == "Manifest of a study"


@pytest.mark.parametrize("text", RIGHT)
def test_right_manifests_fit(text: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(parsed(text))] == []


@pytest.mark.parametrize("text", WRONG)
def test_wrong_manifests_do_not(text: str) -> None:
    assert not VALIDATOR.is_valid(parsed(text))


def test_keys_are_explained() -> None:
    seed = SCHEMA["properties"]["seed"]
    assert seed["description"] == "Of all random numbers."
    assert seed["default"] == 2011
