"""Many data sets and candidates with one value each: no sentence refers to what is not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen


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
