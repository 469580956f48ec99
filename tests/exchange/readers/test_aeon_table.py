"""aeon's results tables; written by hand as in aeon's example results and on its site."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import import_results

ROCKET = "Resamples:,0,1,2\nACSF1,0.89,0.79,0.78\nAdiac,0.84,,0.78\n"
HC2 = "folds,0,1\nACSF1,0.9,0.8\n"


def test_a_file_an_algorithm(tmp_path: Path) -> None:
    (tmp_path / "ROCKET_accuracy.csv").write_text(ROCKET)
    (tmp_path / "accuracy").mkdir()
    (tmp_path / "accuracy" / "HC2_TESTFOLDS.csv").write_text(HC2)
    paths = [tmp_path / "ROCKET_accuracy.csv", tmp_path / "accuracy" / "HC2_TESTFOLDS.csv"]
    warehouse = import_results(paths)
    assert warehouse.candidates == ("ROCKET", "HC2")
    assert [(m.name, m.better) for m in warehouse.measures] == [("accuracy", "larger")]
    found = warehouse.performances("ACSF1", "accuracy")
    assert found.replications.tolist() == [1, 2, 3]
    expected = [[0.89, 0.9], [0.79, 0.8], [0.78, np.nan]]
    assert np.array_equal(found.values, expected, equal_nan=True)


def test_clusterings_and_unknown_measures(tmp_path: Path) -> None:
    path = tmp_path / "kmeans-dtw_AMI.csv"
    path.write_text(HC2)
    assert [(m.name, m.better) for m in import_results([path]).measures] == [("ami", "larger")]
    path = tmp_path / "HC2_magic.csv"
    path.write_text(HC2)
    with pytest.raises(ExchangeError, match="'magic' of unknown direction"):
        import_results([path])
    path = tmp_path / "HC2.csv"
    path.write_text(HC2)
    with pytest.raises(ExchangeError, match=r"such as ROCKET_accuracy\.csv"):
        import_results([path])
