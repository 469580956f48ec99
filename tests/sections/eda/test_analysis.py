"""Exploration of one data set: the dissertation's table, ties, gaps, directions."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from reportgen.sections.domain.analysis import dataset_row
from reportgen.sections.domain.data import domain_values
from reportgen.sections.eda import Options
from reportgen.sections.eda.analysis import MeasureExploration, analyse
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of_rows

CLOSED_FORM = 1e-12  # absolute, of numbers below 1

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


def explore(warehouse: Warehouse, seed: int = 0, **options: Any) -> MeasureExploration:
    """Return what is seen of the first measure."""
    found = analyse(warehouse, Options(**options), np.random.default_rng(seed))
    return next(iter(found.values()))


def by_candidate(found: MeasureExploration) -> dict[str, Any]:
    return {row.candidate: row for row in found.summary}


class TestMonks3:
    """Table 2.1 of the dissertation and what belongs to it."""

    @pytest.fixture(scope="class")
    @classmethod
    def numbers(cls) -> Any:
        return json.loads((GOLDEN / "single_monks3.json").read_text(encoding="utf-8"))

    @pytest.fixture(scope="class")
    @classmethod
    def found(cls, monks3_warehouse: Warehouse) -> MeasureExploration:
        return explore(monks3_warehouse)

    def test_summary(self, found: MeasureExploration, numbers: Any) -> None:
        table, rows = numbers["summary"], by_candidate(found)
        for name, cells in zip(table["rows"], table["data"], strict=True):
            own = [getattr(rows[name], column) for column in table["cols"]]
            assert own == pytest.approx(cells, abs=CLOSED_FORM)
        assert [row.candidate for row in found.summary] == [
            "svm", "rpart", "rf", "nnet", "knn", "lda"
        ]  # fmt: skip

    def test_quantiles(self, found: MeasureExploration, numbers: Any) -> None:
        table, rows = numbers["quantiles_type7"], by_candidate(found)
        assert table["cols"] == ["2.5%", "5%", "25%", "75%", "95%", "97.5%"]
        for name, cells in zip(table["rows"], table["data"], strict=True):
            row = rows[name]
            own = [row.lower_quartile, row.upper_quartile, *row.percentile_interval]
            expected = [cells[2], cells[3], cells[0], cells[5]]
            assert own == pytest.approx(expected, abs=CLOSED_FORM)
            assert found.worst.quantile[name] == pytest.approx(cells[4], abs=CLOSED_FORM)

    def test_worst_cases(self, found: MeasureExploration, numbers: Any) -> None:
        table = numbers["minimax"]["values"]
        assert (found.worst.m, found.worst.level) == (13, 0.95)
        for name, cells in zip(table["rows"], table["data"], strict=True):
            expected = dict(zip(table["cols"], cells, strict=True))
            assert found.worst.m_worst[name] == pytest.approx(expected["m13"], abs=CLOSED_FORM)
            assert found.worst.quantile[name] == pytest.approx(expected["q95_t7"], abs=CLOSED_FORM)
        assert found.worst.order == (("svm",), ("lda", "rpart"), ("rf",), ("nnet",), ("knn",))

    def test_twelfth_worst(self, monks3_warehouse: Warehouse, numbers: Any) -> None:
        table = numbers["minimax"]["values"]
        found = explore(monks3_warehouse, m_worst=12)
        expected = [row[table["cols"].index("m12")] for row in table["data"]]
        assert [found.worst.m_worst[name] for name in table["rows"]] == pytest.approx(
            expected, abs=CLOSED_FORM
        )

    def test_ranks_and_places(self, found: MeasureExploration, numbers: Any) -> None:
        rows = by_candidate(found)
        for name, rank in numbers["friedman"]["mean_ranks"].items():
            assert rows[name].mean_rank == pytest.approx(rank)
        assert found.tied[0] == ("rpart", "svm", 238)
        assert rows["svm"].n_best == rows["rpart"].n_best == 177
        for row in found.summary:  # those that tie share the better place
            counts = [place[row.candidate] for place in found.podium.places]
            assert (counts[0], sum(counts)) == (row.n_best, 250)
        assert found.podium.n_blocks == 250


@pytest.fixture
def gaps() -> np.ndarray:
    """Five replications; one without a value of b, one without any."""
    return np.array(
        [
            [0.1, 0.3, 0.2],
            [0.2, np.nan, 0.1],
            [0.1, 0.1, 0.4],
            [np.nan, np.nan, np.nan],
            [0.4, 0.3, 0.5],
        ]
    )


def test_summaries_take_all_values_and_places_complete_blocks(made: Any, gaps: np.ndarray) -> None:
    found = explore(made(gaps))
    rows = by_candidate(found)
    assert {name: row.n for name, row in rows.items()} == {"a": 4, "b": 3, "c": 4}
    assert rows["a"].mean == pytest.approx(0.2)
    assert found.n_missing == 4
    assert found.podium.n_blocks == 3
    assert found.podium.n_tied == 1
    assert found.podium.replications.tolist() == [1, 3, 5]
    assert rows["a"].mean_rank == pytest.approx((1 + 1.5 + 2) / 3)
    assert (rows["a"].n_best, rows["a"].n_best_alone) == (2, 1)
    assert found.tied == (("a", "b", 1),)


def test_absent_candidate(made: Any, gaps: np.ndarray) -> None:
    gaps[:, 1] = np.nan
    found = explore(made(gaps))
    assert found.missing_candidates == ("b",)
    assert found.candidates == ("a", "c")
    assert found.values.shape == (5, 2)
    assert set(found.worst.max) == {"a", "c"}
    assert found.podium.n_blocks == 4
    assert found.n_missing == 2


def test_what_stages_left_out_is_not_missing() -> None:
    """Of three replications lda failed in one, and knn was asked for the first two."""
    cells = [("d", r, k, "m", 0.1 * r) for r in (1, 2, 3) for k in ("lda", "knn")][:-1]
    cells[0] = ("d", 1, "lda", "m", float("nan"))
    told = {"stages": {"size": 1, "most": 3, "measure": "m", "drop": "decided"}}
    warehouse = warehouse_of_rows(cells, resampling=told)
    found = explore(warehouse)
    assert (found.n_missing, found.n_by_design, found.n_values) == (1, 1, 5)
    assert found.has_gaps
    values = domain_values(warehouse, warehouse.measures[0])
    assert dataset_row("d", values, None).n_missing == 1


def test_infinite_is_no_value(made: Any) -> None:
    found = explore(made([[0.1, np.inf], [0.2, 0.3]]))
    assert by_candidate(found)["b"].max == 0.3
    assert found.n_missing == 1


def test_no_complete_block(made: Any) -> None:
    found = explore(made([[0.1, np.nan], [np.nan, 0.3]]))
    assert found.podium is None
    assert all(isnan(row.mean_rank) for row in found.summary)
    assert {row.n_best for row in found.summary} == {0}


def test_no_value_at_all(made: Any) -> None:
    nothing = np.full((3, 2), np.nan)
    warehouse = made({"error": [[0.1, 0.2]], "time": nothing})
    assert list(analyse(warehouse, Options(), np.random.default_rng(0))) == ["error"]
    assert analyse(made(nothing), Options(), np.random.default_rng(0)) == {}


def test_one_candidate_and_one_replication(made: Any) -> None:
    found = explore(made([[0.25]]))
    assert found.podium is None
    (row,) = found.summary
    assert (row.n, row.mean, row.percentile_interval) == (1, 0.25, (0.25, 0.25))
    assert isnan(row.sd)
    assert found.common_interval == (0.25, 0.25)


def test_larger_is_better(made: Any) -> None:
    values = np.array([[0.9, 0.5, 0.7], [0.8, 0.9, 0.7], [0.9, 0.2, 0.7]])
    found = explore(made(values, better="larger"), sort="max")
    assert found.sorted_by == "min"
    assert [row.candidate for row in found.summary] == ["a", "c", "b"]
    assert found.worst.max == {"a": 0.8, "b": 0.2, "c": 0.7}
    assert found.worst.order == (("a",), ("c",), ("b",))
    assert found.worst.quantile["b"] == pytest.approx(0.2 + 0.1 * 0.3)  # type 7 at .05
    assert by_candidate(found)["a"].mean_rank == pytest.approx(4 / 3)
    assert found.podium.ranks.tolist() == [[1, 3, 2], [2, 1, 3], [1, 3, 2]]


@pytest.mark.parametrize(("sort", "expected"), [("mean", "bac"), ("median", "abc"), ("max", "cba")])
def test_order(made: Any, sort: str, expected: str) -> None:
    """Means 4, 3, 5; medians 1, 2, 5; maxima 10, 6, 5."""
    values = np.array([[1.0, 1.0, 5.0], [1.0, 2.0, 5.0], [10.0, 6.0, 5.0]])
    found = explore(made(values), sort=sort)
    assert "".join(row.candidate for row in found.summary) == expected
    assert found.sorted_by == sort


def test_equal_candidates_keep_their_order(made: Any) -> None:
    found = explore(made([[0.2, 0.2, 0.1], [0.2, 0.2, 0.1]]))
    assert [row.candidate for row in found.summary] == ["c", "a", "b"]


def test_near_worst_values_stand_together(made: Any) -> None:
    values = np.array([[0.30, 0.10, 0.31, 0.50]])
    assert explore(made(values), epsilon=0.02).worst.order == (("b",), ("a", "c"), ("d",))
    assert explore(made(values)).worst.order == (("b",), ("a",), ("c",), ("d",))


def test_common_interval(made: Any) -> None:
    ramp = np.linspace(0, 1, 101)
    found = explore(made(np.column_stack([ramp, ramp + 0.5])), alpha=0.1)
    assert found.common_interval == pytest.approx((0.55, 0.95))
    assert explore(made(np.column_stack([ramp, ramp + 5]))).common_interval is None


def test_ties_depend_on_replication_and_candidate_only(made: Any) -> None:
    tied = np.zeros((40, 4))
    every = explore(made(tied)).podium
    absent, gap = tied.copy(), tied.copy()
    absent[:, 1] = gap[7, 2] = np.nan
    three = explore(made(absent)).podium.ranks
    others = np.delete(every.ranks, 1, axis=1)
    np.testing.assert_array_equal(three.argsort(axis=1), others.argsort(axis=1))
    fewer = explore(made(gap)).podium.ranks
    np.testing.assert_array_equal(fewer, np.delete(every.ranks, 7, axis=0))


def test_target_and_level(made: Any) -> None:
    found = explore(made([[0.1, 0.2]], problem="simulation"), alpha=0.2)
    assert {row.target for row in found.summary} == {"generating-process"}
    assert found.alpha == 0.2
    assert found.worst.level == pytest.approx(0.8)


def test_test_sample_sizes(made: Any) -> None:
    assert explore(made([[0.1, 0.2], [0.2, 0.3]])).n_test is None
    warehouse = made([[0.1, 0.2], [0.2, 0.3]])
    warehouse.frame["n_test"] = [10.0, 10.0, 20.0, 20.0]
    assert explore(warehouse).n_test == 15


def test_missing_cells_of_the_domain(uci621_warehouse: Warehouse) -> None:
    """1,213 missing cells a measure, never of rf."""
    found = [explore(uci621_warehouse.only(name)) for name in uci621_warehouse.datasets]
    assert sum(f.n_missing for f in found) == 1213
    assert all(by_candidate(f)["rf"].n == 250 for f in found)


@pytest.mark.parametrize(
    "wrong", [{"m_worst": 0}, {"quantile": 1.0}, {"epsilon": -1.0}, {"sort": "sd"}]
)
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Options(**wrong)


@pytest.mark.parametrize("unit", [1e80, 1e-80, 1e-95, 3e96])
def test_no_unit_is_too_large_or_small(made: Any, unit: float) -> None:
    values = 20 + np.random.default_rng(1).normal(size=(30, 3))
    usual, found = by_candidate(explore(made(values))), by_candidate(explore(made(unit * values)))
    for name, row in found.items():
        for of in ("mean", "sd", "median", "lower_quartile", "max"):
            assert getattr(row, of) / unit == pytest.approx(getattr(usual[name], of), rel=1e-9)
        low = row.normal_interval[0] / unit
        assert low == pytest.approx(usual[name].normal_interval[0], rel=1e-9)


@pytest.mark.parametrize("size", [1e20, 1e100, 1e95])
def test_a_mean_that_a_single_value_makes_is_not_typical(made: Any, size: float) -> None:
    values = 20 + np.random.default_rng(1).normal(size=(30, 3))
    values[3, 1] = size
    rows = by_candidate(explore(made(values)))
    assert rows["b"].mean == pytest.approx(size / 30)
    assert rows["b"].typical == rows["b"].median
    assert rows["a"].typical == rows["a"].mean
    rare = np.zeros((30, 2))
    rare[4, 0] = 0.01
    assert by_candidate(explore(made(rare)))["a"].typical == pytest.approx(0.01 / 30)
