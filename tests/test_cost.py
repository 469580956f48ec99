"""What a report is expected to cost, by the shape of its results."""

from __future__ import annotations

import pytest

from reportgen.cost import (
    COEFFICIENTS,
    MEMORY,
    MOST,
    START,
    Shape,
    expected_bytes,
    expected_seconds,
    is_measured,
    uncounted,
)
from reportgen.formats import FORMATS
from reportgen.sections import find_sections

SHAPE = Shape(n_datasets=10, n_candidates=40, n_measures=2, n_values=8000)


def test_terms_are_those_of_the_shape() -> None:
    # 780 pairs, of which 435 count as few; 20 cells of 40 candidates with 10 replications
    assert SHAPE.n_pairs == 780
    assert SHAPE.terms == pytest.approx((1.0, 1.0, 20.0, 8.0, 0.8, 0.8, 8.7, 0.0156))
    assert Shape(10, 3, 2, 60).terms[1:6] == (0.0, 20.0, 0.06, 0.06, 0.0)  # one value each


def test_a_stage_is_the_sum_of_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"drawing": (1, 2, 0.1, 0, 10, 5, 0, 100), MEMORY: (3e8, 0, 0, 1e6, 0, 0, 0, 0)}
    monkeypatch.setattr("reportgen.cost.COEFFICIENTS", own)
    # 1 + 2 + 0.1 * 20 + 10 * 0.8 + 5 * 0.8 + 100 * 0.0156
    assert expected_seconds(SHAPE, ["eda"], ["pdf"]) == {"drawing": pytest.approx(18.56)}
    assert expected_bytes(SHAPE) == 308e6
    assert uncounted(["eda"]) == ("eda",)


def test_what_is_asked_for_is_counted() -> None:
    seconds = expected_seconds(SHAPE, ["inference", "eda"], ["json", "html"])
    stages = {START, "reading", "analysing inference", "analysing eda", "drawing"}
    assert set(seconds) == stages | {"rendering json", "rendering html"}
    assert min(seconds.values()) > 0
    more = expected_seconds(SHAPE, ["inference", "eda"], ["json", "html", "pdf"])
    assert sum(more.values()) > sum(seconds.values())


def test_coefficients_have_the_names_of_stages_and_let_nothing_shrink() -> None:
    names = {START, "reading", "drawing", MEMORY, "rendering files"}
    names |= {f"analysing {name}" for name in find_sections()}
    names |= {f"rendering {name}" for name in FORMATS}
    assert set(COEFFICIENTS) <= names
    for coefficients in (*COEFFICIENTS.values(), MOST):
        assert len(coefficients) == len(SHAPE.terms)
        assert min(coefficients) >= 0


def test_larger_results_than_were_measured_are_guesses() -> None:
    assert is_measured(Shape(10, 6, 1, 600))
    assert not is_measured(Shape(10, 6, 1, 600_000_000))
    assert not is_measured(Shape(60, 1000, 1, 60_000))
