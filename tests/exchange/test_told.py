"""How a table was read is told by `check`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import reportgen
from reportgen.cli import main
from reportgen.errors import StudyError
from tests.exchange.shapes import ANSWERS, BASE


def _check(path: Path, table: pd.DataFrame) -> str:
    table.to_csv(path, index=False)
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_runs_without_a_result_and_columns_of_text(tmp_path: Path) -> None:
    states = ["ok", "error", "ok", "killed", "ok", "killed", *["ok"] * 6]
    table = BASE.assign(status=states, metric="top-1", converged=[True, False] * 6)
    table.loc[table["status"] != "ok", "accuracy"] = np.nan
    told = _check(tmp_path / "r.csv", table)
    assert "runs without a result, by status: 'killed' 2, 'error' 1 " in told
    assert "columns of text, not read: metric, converged " in told
    plain = _check(tmp_path / "r.csv", BASE)
    assert "without a result" not in plain
    assert "not read" not in plain


def test_empty_rows_marks_and_intervals(tmp_path: Path) -> None:
    means = BASE.groupby(["dataset", "candidate"], as_index=False)["accuracy"].mean().round(2)
    texts = [f"{x} ({x - 0.03:.2f}-{x + 0.03:.2f})" for x in means["accuracy"]]
    table = means.assign(accuracy=[*texts[:-1], "–"])
    blank = pd.DataFrame({c: ["", " "] for c in table})
    told = _check(tmp_path / "r.csv", pd.concat([table, blank]))
    assert "empty rows, left out: 2 " in told
    assert "missing: '–' in accuracy " in told
    assert "intervals behind numbers, not used: in accuracy " in told


def test_runs_of_an_item(tmp_path: Path) -> None:
    items = ANSWERS.rename(columns={"seed": "item"})
    twice = pd.concat([items.assign(run=1), items.assign(run=2)])
    assert "runs of an item, up to 2: averaged" in _check(tmp_path / "r.csv", twice)
    assert "averaged" not in _check(tmp_path / "r.csv", items)


def test_replications_of_one_candidate_alone(tmp_path: Path) -> None:
    own = BASE.assign(seed=[1, 1, *range(2, 6), 1, 1, *range(2, 6)])
    assert "in common" not in _check(tmp_path / "r.csv", own)  # less than half
    third = pd.concat([own, own.iloc[[0, 6]].assign(candidate="knn")])
    assert (
        "warning: more than half of the values are missing, as few candidates have a replication "
        "in common: 8 of 10 are of one alone, such as replication 2 of d1 of lda"
    ) in _check(tmp_path / "r.csv", third)
    assert "in common" not in _check(tmp_path / "r.csv", BASE)


def test_an_advice_names_no_column_that_a_frame_has_not() -> None:
    table = BASE.rename(columns={"accuracy": "value"})
    with pytest.raises(StudyError, match="performance") as raised:
        reportgen.compare(table)
    assert "'ignore'" not in str(raised.value)
    with pytest.raises(StudyError, match=r"columns=\{'ignore': \['zeal'\]\}"):
        reportgen.compare(BASE.rename(columns={"accuracy": "zeal"}))
