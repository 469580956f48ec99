"""Tables of the inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.document import Table
from reportgen.sections.inference.analysis import MeasureInference, Options, analyse
from reportgen.sections.inference.tables import tabulate
from reportgen.warehouse import Measure
from tests.sections.reading import ACCURACY, ERROR, NAMES, SCORE, blocks, warehouse_of

AREA = {"misclassification": (-0.01, 0.01)}


def made_of(
    values: np.ndarray, measure: Measure = ERROR, names: Any = NAMES, **options: Any
) -> tuple[MeasureInference, dict[str, Table]]:
    """Return the inference on one measure and its tables by name."""
    warehouse = warehouse_of("d", names[: values.shape[1]], {measure: values})
    result = analyse(warehouse, Options(**options), np.random.default_rng(1))
    return result[measure.name], {table.name: table for table in tabulate(result)}


def cells(table: Table, name: str) -> dict[Any, Any]:
    """Return the cells of a column by the head of their row."""
    (index,) = [i for i, c in enumerate(table.columns) if c.name == name]
    return {row[0]: row[index] for row in table.rows}


@pytest.mark.parametrize("measure", [ERROR, ACCURACY, SCORE])
def test_the_better_mean_stands_first_with_a_positive_advantage(measure: Measure) -> None:
    values = blocks((0.3, 0.1, 0.2), 30)
    result, tables = made_of(values, measure)
    means = dict(zip(NAMES, values.mean(axis=0), strict=False))
    assert len(tables["pairs"].rows) == 3
    for (first, second), advantage in cells(tables["pairs"], "advantage").items():
        is_better = means[first] < means[second]
        assert is_better == measure.is_smaller_better
        assert advantage == pytest.approx(abs(means[first] - means[second]), rel=1e-9)
    for pair, (lower, upper) in cells(tables["pairs"], "interval").items():
        assert lower < cells(tables["pairs"], "advantage")[pair] < upper
    assert result.best_first[0].first == result.order[0]


def test_counts_follow_the_pair_when_it_is_turned() -> None:
    values = np.array([[0.3, 0.1], [0.3, 0.1], [0.1, 0.2], [0.1, 0.1], [0.35, 0.1]])
    _, tables = made_of(values)
    assert cells(tables["pairs"], "replications") == {("bert", "anna"): (3, 1, 1)}


def test_p_values_of_ranks_stand_beside_those_of_means() -> None:
    result, tables = made_of(blocks((0.3, 0.1, 0.2), 30))
    ranks = {frozenset((p.first, p.second)): p.p_value for p in result.rank_pairs}
    shown = cells(tables["pairs"], "p_value_ranks")
    assert {frozenset(pair): p for pair, p in shown.items()} == ranks
    assert len(set(ranks.values())) > 1


def test_rows_without_a_relevant_difference_are_quiet() -> None:
    # half-width about .0023: relevant, equivalent though significant, equivalent
    result, tables = made_of(blocks((0.1, 0.2, 0.205, 0.2055), 1000), relevance=AREA)
    table = tables["pairs"]
    decisions = cells(table, "decision")
    assert decisions["anna", "bert"] == ("better-relevant", False)
    assert decisions["bert", "cara"] == ("equivalent", True)
    assert decisions["cara", "dora"] == ("equivalent", False)
    assert table.quiet == tuple(d[0] in ("equivalent", "undecided") for d in decisions.values())
    assert "equivalence_bound" not in [c.name for c in table.columns]
    assert len(decisions) == len(result.pairs)


def test_relevance_is_open_only_where_an_area_is_given() -> None:
    values = blocks((0.1, 0.112, 0.1121), 400)
    _, with_area = made_of(values, relevance=AREA)
    _, without = made_of(values)
    assert cells(with_area["pairs"], "decision")["anna", "bert"][0] == "better"
    assert cells(without["pairs"], "decision")["anna", "bert"][0] == "distinguished"
    assert cells(without["pairs"], "decision")["bert", "cara"][0] == "undecided"


def test_without_an_area_the_least_one_is_shown() -> None:
    result, tables = made_of(blocks((0.1, 0.112, 0.15), 100))
    bounds = cells(tables["pairs"], "equivalence_bound")
    for p in result.best_first:
        assert bounds[p.first, p.second] == max(abs(p.lower), abs(p.upper))


@pytest.mark.parametrize(
    ("means", "focus"),
    [
        (np.linspace(0.1, 0.9, 14), {"c0"}),
        ((0.1, 0.1, *np.linspace(0.2, 0.9, 12)), {"c0", "c1"}),
        (np.full(14, 0.1), {"the best mean"}),
    ],
)
def test_many_candidates_are_shown_against_the_leaders(means: Any, focus: set[str]) -> None:
    names = [f"c{i}" for i in range(14)]
    result, tables = made_of(blocks(means, 50), names=names)
    assert len(tables["pairs"].rows) == 14 * 13 / 2
    if focus == {"the best mean"}:
        assert len(result.leaders) > 3
        focus = {result.order[0]}
    assert len(result.leaders) > 3 or set(result.leaders) == focus
    shown = {row[0] for row in tables["leader-pairs"].rows}
    assert shown == {row[0] for row in tables["pairs"].rows if focus & set(row[0])}


def test_few_candidates_need_no_table_of_leaders() -> None:
    _, tables = made_of(blocks(np.linspace(0.1, 0.2, 9), 10))
    assert set(tables) == {"pairs", "model", "roads", "effects", "leader-effects"}


def test_the_model_stands_in_the_order_of_the_means() -> None:
    values = blocks((0.3, 0.1, 0.2), 30)
    result, tables = made_of(values)
    assert [row[0] for row in tables["model"].rows] == ["bert", "cara", "anna"]
    assert cells(tables["model"], "mean")["anna"] == pytest.approx(0.3, rel=1e-9)
    assert sum(cells(tables["model"], "rank_sum").values()) == 30 * 6
    assert cells(tables["model"], "mean_rank")["bert"] == result.rank_sums["bert"] / 30


def test_ranks_are_shown_where_there_is_no_model() -> None:
    _, tables = made_of(np.tile([0.25, 0.5], (6, 1)))
    assert set(tables) == {"model", "effects"}
    assert cells(tables["model"], "mean") == {"anna": None, "bert": None}
    assert cells(tables["model"], "rank_sum") == {"anna": 6.0, "bert": 12.0}


def test_nothing_is_tabulated_where_nothing_is_complete() -> None:
    _, tables = made_of(np.array([[0.1, np.nan], [np.nan, 0.2]]))
    assert tables == {}
