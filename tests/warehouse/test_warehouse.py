"""What was measured, and the views of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import WarehouseError
from reportgen.performance_measure import Measure
from reportgen.warehouse import Warehouse

ERROR = Measure("error", unit_symbol="share")
TIME = Measure("time", unit_symbol="s")


def table(*rows: tuple[str, int, str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["dataset", "replication", "candidate", "measure", "value"])


ROWS = table(
    ("b", 2, "svm", "error", 0.2),
    ("b", 1, "svm", "error", 0.1),
    ("b", 1, "lda", "error", 0.3),
    ("b", 2, "lda", "error", np.nan),
    ("a", 1, "lda", "error", 0.5),
    ("b", 1, "lda", "time", 7.0),
)


def test_natural_order_unless_given() -> None:
    found = Warehouse.of(ROWS, [ERROR, TIME])
    assert (found.datasets, found.candidates) == (("a", "b"), ("lda", "svm"))
    ordered = ROWS.assign(candidate=pd.Categorical(ROWS["candidate"], ["svm", "knn", "lda"]))
    for rows in (ordered, ordered[::-1]):
        assert Warehouse.of(rows, [ERROR, TIME]).candidates == ("svm", "lda")
    found = Warehouse.of(ROWS, [ERROR, TIME], datasets=["a"], candidates=["lda", "svm", "knn"])
    assert (found.datasets, found.candidates) == (("a", "b"), ("lda", "svm"))


def test_performances_are_blocks_by_candidates() -> None:
    found = Warehouse.of(ROWS, [ERROR, TIME]).performances("b", "error")
    assert found.replications.tolist() == [1, 2]
    np.testing.assert_array_equal(found.values, [[0.3, 0.1], [np.nan, 0.2]])
    assert found.is_complete.tolist() == [True, False]
    assert found.n_missing == 1
    assert np.isnan(found.n_test).all()


def test_candidates_without_a_row_keep_their_column() -> None:
    found = Warehouse.of(ROWS, [ERROR, TIME]).performances("a", "error")
    np.testing.assert_array_equal(found.values, [[0.5, np.nan]])


def test_sizes_come_along() -> None:
    rows = ROWS.assign(n_learn=9, n_distinct=[5, 6, 6, 5, 7, 6], n_test=4)
    found = Warehouse.of(rows, [ERROR, TIME]).performances("b", "error")
    assert found.n_distinct.tolist() == [6, 5]


def test_missing_values_have_failed() -> None:
    frame = Warehouse.of(ROWS, [ERROR, TIME]).frame
    assert frame.loc[frame["value"].isna(), "status"].tolist() == ["failed"]
    assert (frame["status"] == "failed").sum() == 1


def test_only_one_data_set() -> None:
    whole = Warehouse.of(ROWS, [ERROR, TIME])
    part = whole.only("b")
    assert part.datasets == ("b",)
    assert part.candidates == whole.candidates
    np.testing.assert_array_equal(
        part.performances("b", "error").values, whole.performances("b", "error").values
    )


@pytest.mark.parametrize(
    ("problem", "target"),
    [(None, "conditional"), ("real-world", "conditional"), ("competition", "conditional"),
     ("simulation", "generating-process")],
)  # fmt: skip
def test_target(problem: str | None, target: str) -> None:
    assert Warehouse.of(ROWS, [ERROR, TIME], problem=problem).target == target  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (ROWS.drop(columns="value"), "value"),
        (pd.concat([ROWS, ROWS.iloc[[3]]]), "found 1 cells twice, first .*lda"),
        (ROWS.assign(measure="cost"), "cost"),
    ],
)
def test_what_does_not_fit_is_an_error(rows: pd.DataFrame, text: str) -> None:
    with pytest.raises(WarehouseError, match=text):
        Warehouse.of(rows, [ERROR, TIME])
