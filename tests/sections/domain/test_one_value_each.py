"""Many data sets and candidates with one value each: no sentence refers to what is not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.sections.domain import clusters, result


@pytest.mark.slow
@pytest.mark.parametrize(("n_datasets", "n_candidates"), [(12, 12), (40, 30), (110, 6), (300, 6)])
def test_a_report_refers_to_what_is_there(
    n_datasets: int, n_candidates: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(n_datasets)
    names = [[f"d{i}" for i in range(n_datasets)], [f"c{k}" for k in range(n_candidates)]]
    index = pd.MultiIndex.from_product(names, names=["dataset", "candidate"])
    level = 0.3 + 0.02 * np.tile(np.arange(n_candidates), n_datasets)
    error = level + 0.05 * rng.standard_normal(len(index))
    frame = pd.DataFrame({"loss": error}, index=index).reset_index()
    study = reportgen.compare(frame, measure="loss", better="smaller")
    study.report(tmp_path, formats=["html"])  # which is an error else
    assert "has all pairs" not in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("n_candidates", "is_listed"), [(30, True), (31, False)])
def test_all_pairs_of_many_candidates_are_in_their_file(
    n_candidates: int, is_listed: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(n_candidates)
    names = [[f"d{i}" for i in range(8)], range(1, 4), [f"c{k}" for k in range(n_candidates)]]
    index = pd.MultiIndex.from_product(names, names=["dataset", "replication", "candidate"])
    level = 0.3 + 0.02 * np.tile(np.arange(n_candidates), 8 * 3)
    error = level + 0.05 * rng.standard_normal(len(index))
    frame = pd.DataFrame({"loss": error}, index=index).reset_index()
    study = reportgen.compare(frame, measure="loss", better="smaller")
    study.report(tmp_path, formats=["html"])
    words = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("has all pairs" in words) == is_listed
    assert (
        "The other pairs are in the results and in the file of all pairs." in words
    ) != is_listed
    assert (tmp_path / "tables" / "domain-pairs-loss.csv").is_file()


def test_what_is_not_looked_for_of_very_many_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (clusters, result):
        monkeypatch.setattr(module, "MOST_CLUSTERED", 11)
    monkeypatch.setattr(result, "MOST_DIFFERENCES", 1)
    rng = np.random.default_rng(12)
    frame = pd.DataFrame(
        [(f"d{m}", f"c{k}", rng.uniform()) for m in range(12) for k in range(3)],
        columns=["dataset", "candidate", "loss"],
    )
    study = reportgen.compare(frame, measure="loss", better="smaller")
    study.report(tmp_path, formats=["html"])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("No groups of data sets were sought") == 1
    assert page.count("The data sets were neither left out in turn nor their signs flipped") == 1
