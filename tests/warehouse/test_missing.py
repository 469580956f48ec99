"""Which replications a rule for missing values keeps, held against a count by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import AnalysisError
from reportgen.performance_measure import Measure
from reportgen.warehouse import Warehouse
from reportgen.warehouse.missing import complete_replications, keep
from tests.builders import warehouse_of_rows

RULES = ("available", "complete-dataset", "complete-domain")
NAN = np.nan


def warehouse(cells: dict[tuple[str, str], np.ndarray]) -> Warehouse:
    """Return a warehouse of (B, K) matrices by data set and measure."""
    rows = [
        (dataset, b + 1, "pqr"[k], measure, value)
        for (dataset, measure), values in cells.items()
        for (b, k), value in np.ndenumerate(np.asarray(values, float))
    ]
    measures = [Measure(name) for name in dict.fromkeys(m for _, m in cells)]
    failures = pd.DataFrame(
        [(d, b, c, "fit", "failed", "no") for d, b, c, _, v in rows if np.isnan(v)],
        columns=["dataset", "replication", "candidate", "stage", "status", "message"],
    )
    return warehouse_of_rows(rows, measures, failures=failures)


def numbers(found: Warehouse, dataset: str) -> list[int]:
    return found.performances(dataset, "error").replications.tolist()


TWO = {
    ("x", "error"): np.array([[0.1, 0.2], [NAN, 0.2], [0.3, 0.4], [0.5, 0.1]]),
    ("y", "error"): np.array([[0.1, 0.2], [0.3, 0.2], [0.3, NAN]]),
}


def test_each_rule_by_hand() -> None:
    kept = {rule: keep(warehouse(TWO), rule) for rule in RULES}
    by_rule = {r: (numbers(k.warehouse, "x"), numbers(k.warehouse, "y")) for r, k in kept.items()}
    assert by_rule == {
        "available": ([1, 2, 3, 4], [1, 2, 3]),
        "complete-dataset": ([1, 3, 4], [1, 2]),
        "complete-domain": ([1], [1]),  # y lacks 3 and has no 4, x lacks 2
    }
    assert [k.n_removed for k in kept.values()] == [
        {"x": 0, "y": 0},
        {"x": 1, "y": 1},
        {"x": 3, "y": 2},
    ]


def test_failures_go_with_their_replications() -> None:
    left = keep(warehouse(TWO), "complete-dataset").warehouse
    assert len(warehouse(TWO).failures) == 2
    assert left.failures.empty
    assert left.datasets == ("x", "y")


def test_a_gap_in_any_measure_counts() -> None:
    cells = {
        ("x", "error"): np.array([[0.1, 0.2], [0.3, 0.2]]),
        ("x", "time"): np.array([[NAN, 2.0], [3.0, 2.0]]),
    }
    assert complete_replications(warehouse(cells), "x") == {2}


def test_a_candidate_without_any_value_makes_nothing_incomplete() -> None:
    cells = {
        ("x", "error"): np.array([[0.1, NAN, 0.2], [0.3, NAN, NAN]]),
        ("x", "time"): np.array([[0.1, 7.0, 0.2], [0.3, 8.0, 0.2]]),
    }
    assert complete_replications(warehouse(cells), "x") == {1}


def test_infinite_is_no_value() -> None:
    cells = {("x", "error"): np.array([[0.1, np.inf], [0.3, 0.2]])}
    assert complete_replications(warehouse(cells), "x") == {2}


@pytest.mark.parametrize(
    ("rule", "words"),
    [("complete-dataset", "on any data set; allowed available"), ("complete-domain", "on every")],
)
def test_nothing_left_is_an_error_with_the_way_out(rule: str, words: str) -> None:
    cells = {("x", "error"): np.array([[0.1, NAN], [NAN, 0.2]])}
    with pytest.raises(
        AnalysisError, match=f"analysis.missing: found {rule}, which leaves nothing.*{words}"
    ):
        keep(warehouse(cells), rule)


def test_a_data_set_may_lose_everything() -> None:
    cells = TWO | {("z", "error"): np.array([[0.1, NAN], [NAN, 0.2]])}
    kept = keep(warehouse(cells), "complete-dataset")
    assert kept.n_removed["z"] == 2
    assert numbers(kept.warehouse, "z") == []
    assert kept.warehouse.only("z").performances("z", "error").values.shape == (0, 2)


@pytest.mark.slow
@given(st.integers(0, 300))
def test_rules_are_nested_and_leave_no_gap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = {(d, "error"): rng.random((6, 3)) for d in "xy"}
    for values in cells.values():
        values[rng.random(values.shape) < 0.1] = NAN
        values[0] = 0.5  # so that something is left
    by_rule = [keep(warehouse(cells), rule).warehouse for rule in RULES]
    for dataset in "xy":
        sets = [set(numbers(found, dataset)) for found in by_rule]
        assert sets[2] <= sets[1] <= sets[0]
        for found in by_rule[1:]:
            values = found.performances(dataset, "error").values
            assert np.isfinite(values).all(axis=0).any()
            assert (np.isfinite(values).all(axis=0) | np.isnan(values).all(axis=0)).all()


def test_the_81_replications_of_the_reference_domain(reference: object) -> None:
    from tests.sections.conftest import read_reference

    whole = read_reference(reference / "data" / "uci621raw.csv")  # type: ignore[operator]
    kept = keep(whole, "complete-domain")
    assert set(kept.n_removed.values()) == {250 - 81}
