"""The experiment as the report describes it: what failed, was warned of, was chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen.design import design_of, without_varying_numbers
from reportgen.exchange.tidy import read_results
from reportgen.fit_issues import Failure, FitWarning, HyperparameterChoice, MeasureFailure
from reportgen.performance_measure import Measure
from reportgen.report import DatasetDesign, Design
from reportgen.warehouse import FAILURE_COLUMNS, REMARK_COLUMNS, Warehouse
from tests.builders import warehouse_of_rows

FILES = Path(__file__).parent / "exchange" / "files"


def _design(
    failures: list[tuple[object, ...]] | None = None,
    remarks: list[tuple[object, ...]] | None = None,
) -> Design:
    """Return the design of data sets a and b, candidates svm and lda, two replications."""
    cells = [(d, r, k, "m", 1.0) for d in "ab" for r in (1, 2) for k in ("svm", "lda")]
    warehouse = warehouse_of_rows(
        cells,
        candidates=["svm", "lda"],
        failures=pd.DataFrame(failures or [], columns=list(FAILURE_COLUMNS)),
        remarks=pd.DataFrame(remarks or [], columns=list(REMARK_COLUMNS)),
    )
    return _design_of(warehouse)


def _design_of(warehouse: Warehouse) -> Design:
    analysis = SimpleNamespace(
        alpha=0.05, relevance={}, costs=None, deciding=None, missing="available"
    )
    study: Any = SimpleNamespace(seed=1, analysis=analysis, results=None)
    return design_of(study, warehouse)


@pytest.mark.parametrize(("unit", "own"), [("sample", (3, 5)), ("replication", None)])
def test_measurements_that_no_two_candidates_share_are_counted_by_candidate(
    tmp_path: Path, unit: str, own: tuple[int, int] | None
) -> None:
    rows = [f"{k},{i},{i}.5" for k, n in (("lda", 3), ("svm", 5)) for i in range(n)]
    path = tmp_path / "times.csv"
    path.write_text("\n".join(["candidate,replication,time", *rows]) + "\n", "utf-8")
    (dataset,) = _design_of(read_results(path, unit=unit)).datasets
    assert dataset.n_measurements == own
    assert dataset.n_each == (own or (5, 5))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["no number"], "no number"),
        (["after 3 of 9 steps"], "after 3 of 9 steps"),
        (["after 3 of 9 steps", "after 12 of 9 steps"], "after … of 9 steps"),
        (["rcond=1.5e-17)", "rcond=2)"], "rcond=…)"),
        (["float64 at 0x7f1a", "float64 at 0x12"], "float64 at …"),
        (["-1.5 is less", "2 is less"], "… is less"),
        (["1", "2"], "…"),
    ],
)
def test_texts_that_differ_in_numbers_are_one(texts: list[str], expected: str) -> None:
    assert without_varying_numbers(texts) == expected


def test_failures_are_counted_in_the_studys_order() -> None:
    design = _design(
        [
            ("b", 1, "lda", "fit", "failed", "ValueError: 3 of 7"),
            ("a", 1, "lda", "fit", "failed", "ValueError: 4 of 7"),
            ("b", 2, "lda", "fit", "failed", "ValueError: 5 of 7"),
            ("b", 2, "svm", "measure", "failed", "brier: none"),
            ("b", 1, "svm", "fit", "timed-out", "late in /srv/me/a.R"),
        ]
    )
    assert design.failures == (
        Failure("a", "lda", "failed", "fit", "ValueError: … of 7", 1, 1),
        Failure("b", "svm", "failed", "measure", "brier: none", 1),
        Failure("b", "svm", "timed-out", "fit", "late in …/a.R", 1),
        Failure("b", "lda", "failed", "fit", "ValueError: … of 7", 2, 2),
    )


def test_a_fit_that_warns_twice_of_the_same_counts_once() -> None:
    rows: list[tuple[object, ...]] = [
        ("a", 1, "svm", "warning", "", "W: step 1"),
        ("a", 1, "svm", "warning", "", "W: step 2"),
        ("a", 2, "svm", "warning", "", "W: step 9"),
        ("a", 2, "svm", "warning", "", "V: rare"),
        ("a", 2, "lda", "warning", "", "W: step 9"),
        ("a", 2, "lda", "choice", "k", "9"),
    ]
    assert _design(remarks=rows).warnings == (
        FitWarning("a", "svm", "W: step …", 2, 3),
        FitWarning("a", "svm", "V: rare", 1),
        FitWarning("a", "lda", "W: step 9", 1),
    )


def _chosen(*values: str) -> HyperparameterChoice:
    remarks: list[tuple[object, ...]] = [
        ("a", i, "svm", "choice", "C", value) for i, value in enumerate(values, 1)
    ]
    (chosen,) = _design(remarks=remarks).choices
    return chosen


def test_choices_are_summarised_by_mode_median_and_range() -> None:
    # of 1, 2, 2 and 8 the middle two are 2
    assert _chosen("8", "2", "1", "2") == HyperparameterChoice(
        "a", "svm", "C", 2, 2, 4, 3, 1.0, 2.0, 8.0
    )
    assert _chosen("0.5", "1e-3") == HyperparameterChoice(
        "a", "svm", "C", None, 1, 2, 2, 0.001, 0.2505, 0.5
    )


def test_choices_that_are_not_all_numbers_have_no_median() -> None:
    assert _chosen("scale", "0.5", "scale") == HyperparameterChoice(
        "a", "svm", "C", "scale", 2, 3, 2
    )
    assert _chosen("inf", "inf") == HyperparameterChoice("a", "svm", "C", "inf", 2, 2, 1)
    assert _chosen("True") == HyperparameterChoice("a", "svm", "C", "True", 1, 1, 1)


def test_a_measure_that_fails_in_every_fit_is_named() -> None:
    cells = [
        (
            d,
            r,
            k,
            m,
            np.nan if m == "bad" or (d, m) == ("a", "odd") or (d, k) == ("b", "x") else 1.0,
        )
        for d in "ab"
        for r in (1, 2)
        for k in ("x", "y")
        for m in ("good", "bad", "odd")
    ]
    failures = [
        *(("a", r, k, "measure", "failed", "bad: of nothing") for r in (1, 2) for k in ("x", "y")),
        ("b", 1, "y", "measure", "failed", "bad: of less"),
        *(("b", r, "x", "fit", "failed", "good: broken") for r in (1, 2)),
    ]
    warehouse = warehouse_of_rows(
        cells,
        [Measure("good"), Measure("bad"), Measure("odd")],
        failures=pd.DataFrame(failures, columns=list(FAILURE_COLUMNS)),
    )
    analysis = SimpleNamespace(
        alpha=0.05, relevance={}, costs=None, deciding=None, missing="available"
    )
    study: Any = SimpleNamespace(seed=1, analysis=analysis, results=None)
    assert design_of(study, warehouse).unmeasured == (
        MeasureFailure("bad", ("a", "b"), True, 8, "of nothing"),
        MeasureFailure("odd", ("a",), False, 4, ""),
    )


def test_nothing_is_told_where_there_is_nothing() -> None:
    design = _design()
    assert not any((design.failures, design.warnings, design.choices))


@pytest.mark.parametrize(("rule", "removed"), [("available", 0), ("complete-dataset", 1)])
def test_missing_cells_are_counted_by_candidate(rule: str, removed: int) -> None:
    """Of three replications lda lacks one row and one value; knn has nothing at all."""
    cells = [("a", r, k, "m", 1.0) for r in (1, 2, 3) for k in ("svm", "lda")]
    cells += [("a", 1, "knn", "m", float("nan"))]
    cells[1] = ("a", 1, "lda", "m", float("nan"))
    analysis = SimpleNamespace(alpha=0.05, relevance={}, costs=None, deciding=None, missing=rule)
    study: Any = SimpleNamespace(seed=1, analysis=analysis, results=None)
    design = design_of(study, warehouse_of_rows(cells))
    (dataset,) = design.datasets
    assert dataset.missing == {"lda": 1, "knn": 3}
    assert (dataset.n_missing, dataset.n_incomplete, dataset.n_removed) == (4, 1, removed)
    assert design.missing_rule == rule


def test_what_stages_left_out_is_not_missing() -> None:
    cells = [("a", r, k, "m", 1.0) for r in (1, 2, 3) for k in ("svm", "lda")][:-1]
    cells[0] = ("a", 1, "svm", "m", float("nan"))
    analysis = SimpleNamespace(
        alpha=0.05, relevance={}, costs=None, deciding=None, missing="available"
    )
    study: Any = SimpleNamespace(seed=1, analysis=analysis, results=None)
    fixed = design_of(study, warehouse_of_rows(cells))
    assert (fixed.n_values, fixed.n_missing) == (6, 2)
    told = {"stages": {"size": 1}}
    staged = design_of(study, warehouse_of_rows(cells, resampling=told))
    assert (staged.n_values, staged.n_missing) == (5, 1)
    assert dict(staged.datasets[0].missing) == {"svm": 1}


@pytest.mark.parametrize(
    ("own", "whole", "scheme", "is_shared"),
    [
        ({}, {}, "", False),
        ({}, {"scheme": "bootstrap"}, "bootstrap", False),
        ({"scheme": "repeated-k-fold"}, {"scheme": "bootstrap"}, "repeated-k-fold", True),
        ({}, {"scheme": "cross-validation"}, "cross-validation", True),
    ],
)
def test_how_replications_were_drawn(
    own: dict[str, str], whole: dict[str, str], scheme: str, is_shared: bool
) -> None:
    dataset = DatasetDesign("d", 12, 0, resampling=own)
    design = replace(_design(), resampling=whole)
    assert design.scheme_of(dataset) == scheme
    assert design.scheme_of(None) == whole.get("scheme", "")
    assert design.shares_folds(dataset) == is_shared


def test_targets_that_no_run_reaches_are_no_measures_without_values() -> None:
    design = _design_of(read_results(FILES / "coco"))
    assert design.unmeasured == ()
    assert [len(alike) for alike in design.measures_alike] == [1, 11]


def test_lost_runs_of_items_are_counted(tmp_path: Path) -> None:
    rows = [
        f"t,q{i},{run},{name},{(i + run) % 2}" for i in range(6) for run in (1, 2) for name in "ab"
    ]
    rows[0], rows[4:8:2] = "t,q0,1,a,", ("t,q1,1,a,", "t,q1,2,a,")  # one run, and both of another
    text = "\n".join(["dataset,item,epoch,candidate,accuracy", *rows, ""])
    (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
    (dataset,) = _design_of(read_results(tmp_path / "answers.csv", unit="item")).datasets
    assert (dataset.n_runs, dataset.n_lost_runs, dataset.n_missing) == (2, 1, 1)
