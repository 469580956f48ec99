"""Tables of the inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.notation import ratio
from reportgen.performance_measure import Measure
from reportgen.rendering.tables import cell_text, format_cells
from reportgen.report import Table
from reportgen.sections.inference.analysis import analyse
from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.inference.tables import tabulate
from reportgen.study.schema.options import AnalysisOptions
from tests.builders import warehouse_of
from tests.sections.reading import ACCURACY, COST, ERROR, NAMES, SCORE, TIME, blocks

AREA = {"misclassification": (-0.01, 0.01)}


def made_of(
    values: np.ndarray, measure: Measure = ERROR, names: Any = NAMES, **options: Any
) -> tuple[MeasureInference, dict[str, Table]]:
    """Return the inference on one measure and its tables by name."""
    warehouse = warehouse_of({measure: values}, names[: values.shape[1]])
    result = analyse(warehouse, AnalysisOptions(**options), np.random.default_rng(1))
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
    assert cells(tables["pairs"], "p_value") == {("bert", "anna"): None}  # too few to decide
    assert cells(tables["pairs"], "replications") == {("bert", "anna"): (3, 1, 1)}


def test_p_values_of_ranks_stand_beside_those_of_means() -> None:
    result, tables = made_of(blocks((0.3, 0.1, 0.2), 30))
    ranks = {frozenset((p.first, p.second)): p.adjusted_p_value for p in result.rank_pairs}
    shown = cells(tables["pairs"], "p_value_ranks")
    assert {frozenset(pair): p for pair, p in shown.items()} == ranks
    assert len(set(ranks.values())) > 1


@pytest.mark.slow
def test_rows_without_a_relevant_difference_are_quiet() -> None:
    # half-width about .0023: relevant, equivalent though significant, equivalent
    result, tables = made_of(blocks((0.1, 0.2, 0.205, 0.2055), 1000), relevance=AREA)
    table = tables["pairs"]
    decisions = cells(table, "decision")
    assert decisions["anna", "bert"] == "better, relevant"
    assert decisions["bert", "cara"] == "better, not relevant"
    assert decisions["cara", "dora"] == "equivalent"
    assert table.quiet == (False, False, False, True, True, True)
    assert "equivalence_bound" not in [c.name for c in table.columns]
    assert len(decisions) == len(result.pairs)


def test_relevance_is_open_only_where_an_area_is_given() -> None:
    values = blocks((0.1, 0.112, 0.1121), 400)
    _, with_area = made_of(values, relevance=AREA)
    _, without = made_of(values)
    assert cells(with_area["pairs"], "decision")["anna", "bert"] == "better"
    assert cells(without["pairs"], "decision")["anna", "bert"] == "better"
    assert cells(without["pairs"], "decision")["bert", "cara"] == "not significant"
    words = [row[-1] for row in format_cells(without["pairs"])]
    assert [cell_text(cell) for cell in words] == ["better", "better", "not significant"]
    assert cell_text(format_cells(with_area["pairs"])[0][-1]) == "better"


def test_a_pair_that_is_not_tested_is_called_so() -> None:
    result, tables = made_of(blocks((0.1, 0.3), 5))  # fewer than six replications
    assert result.n_open == 1
    assert cells(tables["pairs"], "decision")["anna", "bert"] == "not tested"
    (pair,) = result.pairs
    assert (pair.words, pair.reversed().words) == ("not tested", "not tested")
    assert result.pairs.words == ["not tested"]
    _, tested = made_of(blocks((0.1, 0.3), 6))
    assert cells(tested["pairs"], "decision")["anna", "bert"] == "better"


def test_without_an_area_the_least_one_is_shown() -> None:
    result, tables = made_of(blocks((0.1, 0.112, 0.15), 100))
    bounds = cells(tables["pairs"], "equivalence_bound")
    for p in result.best_first:
        assert bounds[p.first, p.second] == max(abs(p.lower), abs(p.upper))


@pytest.mark.parametrize(
    "means",
    [
        np.linspace(0.1, 0.9, 11),
        (0.1, 0.1, *np.linspace(0.2, 0.9, 12)),
        np.full(14, 0.1),
    ],
)
def test_many_candidates_have_the_best_mean_against_each_rival(means: Any) -> None:
    names = [f"c{i}" for i in range(len(means))]
    result, tables = made_of(blocks(means, 50), names=names)
    assert len(tables["pairs"].rows) == len(names) * (len(names) - 1) / 2
    best, *rivals = result.order
    rows = tables["leader-pairs"].rows
    assert [row[0] for row in rows] == [(best, rival) for rival in rivals]
    assert set(rows) <= set(tables["pairs"].rows)
    assert {"advantage", "interval", "p_value", "replications"} <= {
        column.name for column in tables["leader-pairs"].columns
    }


@pytest.mark.parametrize(("k", "n"), [(18, 17), (19, 15), (40, 15)])
def test_the_rivals_that_come_next_have_room(k: int, n: int) -> None:
    names = [f"c{i}" for i in range(k)]
    result, tables = made_of(blocks(np.linspace(0.1, 0.9, k), 12), names=names)
    best, *rivals = result.order
    assert [row[0] for row in tables["leader-pairs"].rows] == [(best, r) for r in rivals[:n]]
    assert len(tables["pairs"].rows) == k * (k - 1) / 2


def test_few_candidates_need_no_table_of_leaders() -> None:
    _, tables = made_of(blocks(np.linspace(0.1, 0.2, 9), 10))
    assert set(tables) == {"pairs", "model", "methods", "effects"}


def test_the_model_stands_in_the_order_of_the_means() -> None:
    values = blocks((0.3, 0.1, 0.2), 30)
    result, tables = made_of(values)
    assert [row[0] for row in tables["model"].rows] == ["bert", "cara", "anna"]
    assert cells(tables["model"], "mean")["anna"] == pytest.approx(0.3, rel=1e-9)
    assert sum(cells(tables["model"], "rank_sum").values()) == 30 * 6
    assert cells(tables["model"], "mean_rank")["bert"] == result.rank_sums["bert"] / 30


def test_ranks_are_shown_where_there_is_no_model() -> None:
    _, tables = made_of(np.tile([0.25, 0.5], (6, 1)))
    assert set(tables) == {"pairs", "model", "methods", "effects"}
    half = 0.5 * (1 - 0.025 ** (1 / 6))  # of six equal signs
    assert cells(tables["pairs"], "interval")["anna", "bert"] == pytest.approx(
        (0.25 - half, 0.25 + half)
    )
    assert cells(tables["model"], "mean") == {"anna": None, "bert": None}
    assert cells(tables["model"], "rank_sum") == {"anna": 6.0, "bert": 12.0}


def test_nothing_is_tabulated_where_nothing_is_complete() -> None:
    _, tables = made_of(np.array([[0.1, np.nan], [np.nan, 0.2]]))
    assert tables == {}


# ---------------------------------------------------------------- methods, effects, reference


@pytest.mark.parametrize("measure", [ERROR, ACCURACY])
def test_effects_favour_the_better_mean_which_stands_first(measure: Measure) -> None:
    values = blocks((0.3, 0.1, 0.2), 30)
    result, tables = made_of(values, measure)
    better = {"smaller": -1, "larger": 1}[measure.better]
    for pair in tables["effects"].rows:
        first, second = (NAMES.index(name) for name in pair[0])
        differences = better * (values[:, first] - values[:, second])
        cell = dict(zip((c.name for c in tables["effects"].columns), pair, strict=True))
        assert cell["advantage"] == pytest.approx(differences.mean())
        assert cell["interval"][0] < cell["advantage"] < cell["interval"][1]
        assert cell["d"] == pytest.approx(differences.mean() / differences.std(ddof=1))
        share = (differences > 0).mean() + (differences == 0).mean() / 2
        assert cell["superiority"] == pytest.approx(share)
        assert cell["cliff_delta"] == pytest.approx(2 * share - 1)
        low, high = cell["superiority_interval"]
        assert low <= share <= high
        unpaired = (better * np.subtract.outer(values[:, first], values[:, second]) > 0).mean()
        assert cell["unpaired_superiority"] == pytest.approx(unpaired)
    assert [row[0] for row in tables["effects"].rows] == [
        (p.first, p.second) for p in result.best_first
    ]


def test_methods_begin_with_the_verdicts() -> None:
    values = blocks((0.1, 0.2, 0.3), 60)
    for variance, name in (("pooled", "Block model"), ("own", "Means, own variance")):
        result, tables = made_of(values, variance=variance)
        first = tables["methods"].rows[0]
        assert first[0].startswith(name)
        assert first[5] == result.pairs.n_significant
        assert first[-1] is None


def test_replications_that_all_methods_have_are_left_to_the_caption() -> None:
    values = blocks((0.1, 0.2, 0.3), 60)
    result, tables = made_of(values)
    assert result.common_units == 60
    assert "replications" in [c.name for c in tables["methods"].columns]
    assert "replications" not in [c.name for c in tables["methods"].shown.columns]
    values[0, 0] = np.nan
    result, tables = made_of(values, variance="own")
    assert (result.common_units is None) == (len({row[4] for row in tables["methods"].rows}) > 1)
    assert result.common_units is None
    assert tables["methods"].shown == tables["methods"]


@pytest.mark.parametrize("area", [AREA, {}])
def test_a_reference_has_a_row_for_every_other(area: Any) -> None:
    values = blocks((0.1, 0.15, 0.151, 0.2), 60)
    _, tables = made_of(values, reference="bert", relevance=area)
    rows = tables["many-to-one"].rows
    assert [row[0] for row in rows] == ["anna", "cara", "dora"]
    assert [row[1] > 0 for row in rows] == [True, False, False]
    words = [row[-1] for row in rows]
    if area:
        assert words == ["better, relevant", "equivalent", "worse, relevant"]
    else:
        assert words == ["better", "not significant", "worse"]


def test_ratios_stand_for_how_many_times() -> None:
    rng = np.random.default_rng(2)
    values = rng.lognormal(sigma=0.1, size=(60, 3)) * [50.0, 1.0, 1.01]
    result, tables = made_of(values, TIME)
    assert result.is_ratio
    table = tables["pairs"]
    assert table.columns[1].label == "Times"
    times = cells(table, "advantage")["bert", "anna"]
    assert times == pytest.approx(result.means["anna"] / result.means["bert"])
    low, high = cells(table, "interval")["bert", "anna"]
    assert 1 < low < times < high
    assert [cell.text for cell in format_cells(table)[1]][1:3] == [
        ratio(times), f"{ratio(low)} to {ratio(high)}"
    ]  # fmt: skip
    more, few = (made_of(v, TIME)[1]["pairs"] for v in (values, values[:, ::-1]))
    assert cells(more, "advantage")["bert", "anna"] == pytest.approx(
        cells(few, "advantage")["bert", "cara"], rel=1e-12
    )


def test_a_mean_that_dwarfs_all_others_takes_no_digit_from_them() -> None:
    rng = np.random.default_rng(2)
    values = 20 + rng.normal(size=(30, 3)) + [0, 3, 6]
    values[4, 2] = 1e100
    _, tables = made_of(values, COST)
    shown = {row[0].parts[0]: row[1].text for row in format_cells(tables["model"])}
    assert shown["anna"] == f"{values[:, 0].mean():.1f}"
    assert shown["cara"] == "3.33e98"
    assert max(len(cell.text) for row in format_cells(tables["pairs"]) for cell in row) < 30
