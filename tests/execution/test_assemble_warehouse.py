"""Outcomes of fits become rows of the warehouse."""

from __future__ import annotations

import numpy as np

from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.runner import assemble_warehouse
from tests.execution.faulty import GUESSER, MAJORITY, setup_of


def test_every_cell_and_measure_has_a_row() -> None:
    outcomes = {
        Cell("small", 1, "majority"): Outcome("ok", {"auc": 0.5, "brier": 0.25}, (40, 25, 15)),
        Cell("small", 1, "guesser"): Outcome(
            "ok", {"auc": 0.75}, (40, 25, 15), missing={"brier": "none"}
        ),
        Cell("small", 2, "majority"): Outcome("ok", {"auc": 1.0, "brier": 0.0}, (40, 26, 14)),
        Cell("small", 2, "guesser"): Outcome("timed-out", stage="fit", message="took longer"),
    }
    warehouse = assemble_warehouse(setup_of(MAJORITY, GUESSER, measures=("auc", "brier")), outcomes)
    auc = warehouse.performances("small", "auc")
    brier = warehouse.performances("small", "brier")
    assert np.array_equal(auc.values, [[0.5, 0.75], [1.0, np.nan]], equal_nan=True)
    assert np.array_equal(brier.values, [[0.25, np.nan], [0.0, np.nan]], equal_nan=True)
    # The guesser's second fit did not tell its sizes: its neighbour's are the same.
    assert warehouse.frame["n_test"].tolist() == [15, 15, 14, 14] * 2
    assert warehouse.frame["status"].tolist() == [
        *("ok", "ok", "ok", "timed-out"),
        *("ok", "failed", "ok", "timed-out"),
    ]
    assert warehouse.failures.to_numpy().tolist() == [
        ["small", 1, "guesser", "measure", "failed", "brier: none"],
        ["small", 2, "guesser", "fit", "timed-out", "took longer"],
    ]


def test_remarks_hold_warnings_and_choices() -> None:
    outcomes = {
        Cell("small", 1, "majority"): Outcome(
            "ok", {"auc": 0.5}, (40, 25, 15), warnings=("W: <b>",), chosen={"k": 3, "kernel": "rbf"}
        ),
        Cell("small", 2, "majority"): Outcome("ok", {"auc": 0.5}, (40, 25, 15), chosen={"k": 0.5}),
    }
    warehouse = assemble_warehouse(setup_of(MAJORITY, measures=("auc",)), outcomes)
    assert warehouse.remarks.to_numpy().tolist() == [
        ["small", 1, "majority", "warning", "", "W: <b>"],
        ["small", 1, "majority", "choice", "k", "3"],
        ["small", 1, "majority", "choice", "kernel", "rbf"],
        ["small", 2, "majority", "choice", "k", "0.5"],
    ]
