"""What a report is expected to cost, by the shape of its results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reportgen.cost import (
    COEFFICIENTS,
    DRAWING,
    FACTOR,
    FEWEST_DRAWN,
    MEMORY,
    MOST,
    MOST_FULL,
    MOST_LOOKS,
    MOST_POINTS,
    MOST_SEARCHED,
    MOST_SHOWN,
    OWNERS,
    REST,
    SHARES,
    START,
    Shape,
    expected_bytes,
    expected_seconds,
    is_measured,
    memory_with,
    terms_of,
    uncounted,
)
from reportgen.drawing.canvas import COMPACT_FROM
from reportgen.formats import FORMATS
from reportgen.sections import find_sections
from reportgen.sections.eda import analysis as eda
from reportgen.sections.sequential import analysis as sequential
from reportgen.stats.consensus_relations import block

MEASURED: dict[str, dict[str, float]] = json.loads(
    (Path(__file__).parents[1] / "benchmarks" / "cost.json").read_text("utf-8")
)
"""Seconds of stages, and bytes, by candidates x data sets x replications x measures; as
`benchmarks/cost.py --keep` has measured them."""
LARGEST = "50x200x100x5"

SHAPE = Shape(n_datasets=10, n_candidates=40, n_measures=2, n_values=8000)


def _shape(text: str) -> Shape:
    k, m, b, j = (*map(int, text.partition(":")[0].split("x")), 1, 1)[:4]
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
    assert (eda.MOST_POINTS, eda.FEWEST_DRAWN) == (MOST_POINTS, FEWEST_DRAWN)
    assert sequential.MOST_LISTED == MOST_LOOKS


@pytest.mark.parametrize("text", ["6x3x999", "6x3x1000", "6x3x5000x2", "40x2x399", "40x2x400"])
def test_values_that_are_drawn_are_those_of_the_exploration(text: str) -> None:
    shape = _shape(text)
    columns = shape.n_candidates * shape.n_datasets
    values = np.random.default_rng(1).random((shape.n_values // columns // shape.n_measures, 6))
    values = np.repeat(values, shape.n_candidates, axis=1)[:, : shape.n_candidates]
    drawn = len(eda.drawn_rows(values))  # with extremes, at most two of each candidate
    assert shape.n_drawn / columns <= drawn <= shape.n_drawn / columns + 2 * shape.n_candidates


def test_a_shared_stage_is_the_sum_of_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.cost.SHARES", {DRAWING: {REST: 0.1, "eda": 0.5, "domain": 0.4}})
    values = SHAPE.n_drawn / 1e3
    parts = ((), 0.1, 0), (("domain",), 0.5, 0), (("eda", "sequential"), 0.6, values)
    for shown, share, own in parts:
        *shared, last = terms_of(DRAWING, SHAPE, shown)
        assert shared == pytest.approx([share * term for term in SHAPE.terms])
        assert last == own
    assert terms_of("rendering json", SHAPE, ["sequential"])[-1] == 4.0  # all looks
    assert terms_of("rendering json", _shape("6x2x5000"), ["sequential"])[-1] == 12.0
    assert terms_of(MEMORY, SHAPE, ["eda"]) == (*SHAPE.terms, 0)
    assert terms_of(MEMORY, SHAPE, ["archetypes"]) == (*SHAPE.terms, 4.0)


def test_more_values_cost_only_where_a_section_has_work_with_them() -> None:
    """The domain of 50 million values took 6.1 GB."""
    required = ["inference", "preferences", "consensus", "domain"]
    large, larger = _shape(LARGEST), _shape("50x200x1000x5")
    before, after = (
        expected_seconds(shape, required, ["json", "html"], ["domain"]) for shape in (large, larger)
    )
    assert after[DRAWING] == before[DRAWING]
    assert after["rendering json"] == before["rendering json"]
    assert 6.1e9 / FACTOR < expected_bytes(larger, ["domain"], ["json", "html"]) < 6.1e9 * FACTOR


def test_a_stage_is_the_sum_of_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        "reading": (1, 2, 0.1, 0, 10, 5, 100, 0, 1000),
        MEMORY: (3e8, 0, 0, 1e6, 0, 0, 0, 0, 2e6),
        memory_with("pdf"): (4e8, 0, 0, 1e6, 0, 0, 0, 0, 3e6),
    }
    monkeypatch.setattr("reportgen.cost.COEFFICIENTS", own)
    # 1 + 2 + 0.1 * 20 + 10 * 0.4 + 100 * 0.0156
    assert expected_seconds(SHAPE, ["eda"], ["pdf"]) == {"reading": pytest.approx(10.56)}
    assert expected_bytes(SHAPE, ["eda"], ["json", "html"]) == 304e6
    assert expected_bytes(SHAPE, ["eda", "archetypes"], ["json", "html"]) == 312e6
    assert expected_bytes(SHAPE, ["archetypes"], ["json", "pdf"]) == 416e6
    assert uncounted(["eda"]) == ("eda",)


@pytest.mark.parametrize("shape", MEASURED)
@pytest.mark.parametrize("formats", [("json", "html"), ("json", "html", "pdf")])
def test_what_was_measured_is_within_a_factor_of_two(shape: str, formats: tuple[str, ...]) -> None:
    """Of reports from 60 values to 5 million, from 3 candidates to 1,000, and of some sections."""
    own = MEASURED[shape]
    sections = [name.removeprefix("analysing ") for name in own if name.startswith("analysing ")]
    shown = shape.partition(":")[2].split("+") if ":" in shape else sections
    expected = expected_seconds(_shape(shape), sections, [*formats, "files"], shown)
    took = sum(own[name] for name in expected)
    assert took / FACTOR <= sum(expected.values()) <= took * FACTOR
    peak = own[memory_with(*formats)]
    assert peak / FACTOR <= expected_bytes(_shape(shape), shown, formats) <= peak * FACTOR


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
    for coefficients in COEFFICIENTS.values():
        assert len(coefficients) == len(SHAPE.terms) + 1
        assert min(coefficients) >= 0
    assert len(MOST) == len(SHAPE.terms)
    for stage, parts in SHARES.items():
        assert stage in names
        assert set(parts) <= {REST, *find_sections()}
        assert sum(parts.values()) == pytest.approx(1, abs=0.02)  # parts below 0.5% are left out
    for name, section in OWNERS.items():
        assert name in COEFFICIENTS
        assert section in find_sections()


def test_larger_results_than_were_measured_are_guesses() -> None:
    assert is_measured(Shape(10, 6, 1, 600))
    assert is_measured(_shape(LARGEST))
    assert not is_measured(Shape(10, 6, 1, 600_000_000))
    assert not is_measured(Shape(300, 1000, 1, 300_000))
