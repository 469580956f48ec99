"""Tables of the exploration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.report import Table
from reportgen.sections.eda import Options
from reportgen.sections.eda.analysis import analyse
from reportgen.sections.eda.figures import tabulate
from tests.builders import warehouse_of
from tests.sections.reading import ACCURACY, ERROR, NAMES, TIME, Values, blocks


def tables(values: Values, n: int, **options: Any) -> dict[tuple[str, str], Table]:
    warehouse = warehouse_of(values, NAMES[:n])
    made = tabulate(analyse(warehouse, Options(**options), np.random.default_rng(1)))
    return {(table.name, table.measure): table for table in made}


def column(table: Table, name: str) -> dict[str, Any]:
    """Return the cells of a column by the candidate of their row."""
    (index,) = [i for i, c in enumerate(table.columns) if c.name == name]
    return {row[0]: row[index] for row in table.rows}


def test_every_measure_has_a_summary_and_its_worst_cases() -> None:
    values = blocks((0.1, 0.2), 10)
    made = tables({ERROR: values, TIME: values}, 2)
    assert set(made) == {
        (t, m) for t in ("summary", "worst") for m in ("misclassification", "fit-time")
    }
    assert all(len(row) == len(t.columns) for t in made.values() for row in t.rows)


def test_the_summary_holds_unrounded_numbers_best_first() -> None:
    values = blocks((0.2, 0.1, 0.3), 40)
    table = tables({ERROR: values}, 3)["summary", "misclassification"]
    assert [row[0] for row in table.rows] == ["bert", "anna", "cara"]
    assert column(table, "mean")["anna"] == values[:, 0].mean()
    assert column(table, "sd")["cara"] == pytest.approx(values[:, 2].std(ddof=1), rel=1e-12)
    lower, upper = np.quantile(values[:, 1], (0.025, 0.975))
    assert column(table, "percentile_interval")["bert"] == pytest.approx((lower, upper), rel=1e-12)
    assert table.is_wide


def test_the_intervals_name_their_level() -> None:
    labels = {
        c.label
        for c in tables({ERROR: blocks((0.1, 0.2), 10)}, 2, alpha=0.1)[
            "summary", ERROR.name
        ].columns
    }
    assert {"90% interval of the mean", "Central 90% of values"} <= labels


@pytest.mark.parametrize(("measure", "better"), [(ERROR, "smaller"), (ACCURACY, "larger")])
def test_the_best_of_a_column_follows_the_direction(measure: Any, better: str) -> None:
    made = tables({measure: blocks((0.6, 0.7), 10)}, 2)
    best = {c.name: c.best for c in made["summary", measure.name].columns}
    assert {best[name] for name in ("mean", "median", "min", "max")} == {better}
    assert (best["sd"], best["mean_rank"], best["n_best"]) == ("smaller", "smaller", "larger")
    assert best["percentile_interval"] is None
    assert {c.best for c in made["worst", measure.name].columns[1:]} == {better}


def test_numbers_of_values_are_shown_where_they_differ() -> None:
    values = blocks((0.1, 0.2, 0.3), 10)
    full = tables({ERROR: values}, 3)["summary", "misclassification"]
    assert "n" not in [c.name for c in full.columns]
    values[2, 1] = np.nan
    gaps = tables({ERROR: values}, 3)["summary", "misclassification"]
    assert column(gaps, "n") == {"anna": 10, "bert": 9, "cara": 10}
    assert "Best of 9" in [c.label for c in gaps.columns]


def test_without_places_there_are_no_columns_of_places() -> None:
    (alone,) = [
        t for k, t in tables({ERROR: np.array([[0.1], [0.2]])}, 1).items() if "summary" in k
    ]
    assert {"mean_rank", "n_best"}.isdisjoint(c.name for c in alone.columns)


def test_worst_cases_that_are_all_the_same_are_no_table() -> None:
    right = np.random.default_rng(1).binomial(1, 0.6, (60, 2)).astype(float)
    assert set(tables({ACCURACY: right}, 2)) == {("summary", "accuracy")}


def test_worst_cases_are_named_for_what_they_are() -> None:
    values = blocks((0.1, 0.2), 100)
    error = tables({ERROR: values}, 2)["worst", "misclassification"]
    assert [c.label for c in error.columns[1:]] == [
        "Largest value",
        "5th largest value",
        "95% quantile",
    ]
    assert column(error, "m_worst")["anna"] == np.sort(values[:, 0])[-5]
    accuracy = tables({ACCURACY: values}, 2)["worst", "accuracy"]
    assert [c.label for c in accuracy.columns[1:]] == [
        "Smallest value",
        "5th smallest value",
        "5% quantile",
    ]
    assert column(accuracy, "worst")["anna"] == values[:, 0].min()


def test_worst_cases_stand_in_minimax_order() -> None:
    values = blocks((0.1, 0.2, 0.3), 10)
    values[0, 0] = 0.9
    table = tables({ERROR: values}, 3)["worst", "misclassification"]
    assert [row[0] for row in table.rows] == ["bert", "cara", "anna"]


def test_absent_candidates_have_no_row() -> None:
    values = blocks((0.1, 0.2, 0.3), 10)
    values[:, 2] = np.nan
    made = tables({ERROR: values}, 3)
    assert all({row[0] for row in table.rows} == {"anna", "bert"} for table in made.values())
