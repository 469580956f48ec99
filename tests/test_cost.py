"""What a report is expected to cost, by the shape of its results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reportgen.cost import (
    COEFFICIENTS,
    FACTOR,
    MEMORY,
    MOST,
    MOST_FULL,
    MOST_SEARCHED,
    MOST_SHOWN,
    START,
    Shape,
    expected_bytes,
    expected_seconds,
    is_measured,
    memory_with,
    uncounted,
)
from reportgen.drawing.canvas import COMPACT_FROM
from reportgen.formats import FORMATS
from reportgen.sections import find_sections
from reportgen.stats.consensus_relations import block

MEASURED: dict[str, dict[str, float]] = json.loads(
    (Path(__file__).parents[1] / "benchmarks" / "cost.json").read_text("utf-8")
)
"""Seconds of stages, and bytes, by candidates x data sets x replications x measures; as
`benchmarks/cost.py --keep` has measured them."""
LARGEST = "50x200x100x5"

SHAPE = Shape(n_datasets=10, n_candidates=40, n_measures=2, n_values=8000)


def _shape(text: str) -> Shape:
    k, m, b, j = (*map(int, text.split("x")), 1, 1)[:4]
    return Shape(n_datasets=m, n_candidates=k, n_measures=j, n_values=k * m * b * j)


def test_terms_are_those_of_the_shape() -> None:
    # 780 pairs; 20 cells of 40 candidates with 10 replications
    assert SHAPE.n_pairs == 780
    assert SHAPE.terms == pytest.approx((1.0, 1.0, 20.0, 4.0, 0.4, 0.0, 0.0156, 20 * 780**2 / 1e9))
    one_value_each = Shape(10, 3, 2, 60)
    assert one_value_each.terms == pytest.approx((1.0, 0.0, 20.0, 0.03, 0.03, 0, 60 / 1e6, 0))
    assert Shape(MOST_FULL, 4, 1, 100).terms[5] == pytest.approx(0.02)
    assert Shape(MOST_SHOWN, 4, 1, 240).terms[4] == Shape(200, 4, 1, 800).terms[4]
    assert Shape(10, MOST_SEARCHED + 1, 1, 10_000).terms[-1] == 0


def test_limits_are_those_of_what_they_bound() -> None:
    assert COMPACT_FROM == MOST_FULL + 1
    assert block.MOST_SEARCHED == MOST_SEARCHED


def test_a_stage_is_the_sum_of_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        "drawing": (1, 2, 0.1, 0, 10, 5, 100, 0),
        MEMORY: (3e8, 0, 0, 1e6, 0, 0, 0, 0),
        memory_with("pdf"): (4e8, 0, 0, 1e6, 0, 0, 0, 0),
    }
    monkeypatch.setattr("reportgen.cost.COEFFICIENTS", own)
    # 1 + 2 + 0.1 * 20 + 10 * 0.4 + 100 * 0.0156
    assert expected_seconds(SHAPE, ["eda"], ["pdf"]) == {"drawing": pytest.approx(10.56)}
    assert expected_bytes(SHAPE, ["json", "html"]) == 304e6
    assert expected_bytes(SHAPE, ["json", "pdf"]) == 404e6
    assert uncounted(["eda"]) == ("eda",)


@pytest.mark.parametrize("shape", MEASURED)
@pytest.mark.parametrize("formats", [("json", "html"), ("json", "html", "pdf")])
def test_what_was_measured_is_within_a_factor_of_two(shape: str, formats: tuple[str, ...]) -> None:
    """Of reports from 60 values to 5 million, from 3 candidates to 1,000."""
    own = MEASURED[shape]
    sections = [name.removeprefix("analysing ") for name in own if name.startswith("analysing ")]
    expected = expected_seconds(_shape(shape), sections, [*formats, "files"])
    took = sum(own[name] for name in expected)
    assert took / FACTOR <= sum(expected.values()) <= took * FACTOR
    peak = own[memory_with(*formats)]
    assert peak / FACTOR <= expected_bytes(_shape(shape), formats) <= peak * FACTOR


def test_no_stage_that_counts_is_expected_to_take_many_times_as_long() -> None:
    """Or a small part, in the largest report."""
    own = MEASURED[LARGEST]
    sections = [name.removeprefix("analysing ") for name in own if name.startswith("analysing ")]
    expected = expected_seconds(_shape(LARGEST), sections, ["json", "html", "pdf", "files"])
    dear = {
        name: own[name] for name in expected if own[name] > 0.02 * sum(own[n] for n in expected)
    }
    assert len(dear) > 3
    for name, took in dear.items():
        assert took / 3 < expected[name] < took * 3, name


def test_what_is_asked_for_is_counted() -> None:
    seconds = expected_seconds(SHAPE, ["inference", "eda"], ["json", "html"])
    stages = {START, "reading", "analysing inference", "analysing eda", "drawing"}
    assert set(seconds) == stages | {"rendering json", "rendering html"}
    assert min(seconds.values()) > 0
    more = expected_seconds(SHAPE, ["inference", "eda"], ["json", "html", "pdf"])
    assert sum(more.values()) > sum(seconds.values())


def test_coefficients_have_the_names_of_stages_and_let_nothing_shrink() -> None:
    names = {START, "reading", "drawing", MEMORY, memory_with("pdf"), "rendering files"}
    names |= {f"analysing {name}" for name in find_sections()}
    names |= {f"rendering {name}" for name in FORMATS}
    assert set(COEFFICIENTS) <= names
    for coefficients in (*COEFFICIENTS.values(), MOST):
        assert len(coefficients) == len(SHAPE.terms)
        assert min(coefficients) >= 0


def test_larger_results_than_were_measured_are_guesses() -> None:
    assert is_measured(Shape(10, 6, 1, 600))
    assert is_measured(_shape(LARGEST))
    assert not is_measured(Shape(10, 6, 1, 600_000_000))
    assert not is_measured(Shape(300, 1000, 1, 300_000))
