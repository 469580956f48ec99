"""Folders of results that tsml-eval 0.6.0 has written (files/make_tsml.py)."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import import_results
from reportgen.exchange.tidy import study_results
from reportgen.provenance import hashes
from reportgen.study.manifest import load_study


def test_a_folder_of_algorithms(files: Path) -> None:
    warehouse = import_results([files / "tsml"])
    assert warehouse.datasets == ("Chinatown", "Coffee")
    assert warehouse.candidates == ("DrCIF", "ROCKET")
    accuracy = warehouse.performances("Coffee", "accuracy")
    assert accuracy.replications.tolist() == [1, 2]  # resamples 0 and 1
    assert accuracy.n_test.tolist() == [8, 8]
    # DrCIF's resample 1 has no accuracy written: its predictions are compared with the truth.
    lines = (files / "tsml/DrCIF/Predictions/Coffee/testResample1.csv").read_text().splitlines()
    cases = [line.split(",")[:2] for line in lines[3:]]
    assert lines[2].startswith("-1,")
    assert accuracy.values[1, 0] == np.mean([truth == found for truth, found in cases])
    written = (files / "tsml/ROCKET/Predictions/Coffee/testResample0.csv").read_text()
    assert accuracy.values[0, 1] == float(written.splitlines()[2].split(",")[0])


def test_times_are_seconds(files: Path) -> None:
    times = import_results([files / "tsml"]).performances("Coffee", "fit-time").values
    assert times[:, 0] == pytest.approx([1500e-9, 1501e-9])  # NANOSECONDS
    assert times[:, 1] == pytest.approx([1.5, 1.501])  # MILLISECONDS


def test_one_algorithm_and_a_regression(files: Path) -> None:
    assert import_results([files / "tsml" / "ROCKET"]).candidates == ("ROCKET",)
    regression = import_results([files / "tsml-regression"])
    assert [m.name for m in regression.measures] == ["mse"]  # times of unit N/A are left out
    assert regression.performances("Covid", "mse").values.tolist() == [[0.25]]


def test_a_folder_in_place_of_a_manifest(files: Path) -> None:
    study = load_study(files / "tsml", {})
    assert study.name == "tsml"
    assert study_results(study).candidates == ("DrCIF", "ROCKET")
    before = hashes({"tsml": files / "tsml"})
    assert before != hashes({"tsml": files / "tsml-regression"})


def test_links_out_of_the_folder_are_not_followed(files: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(files / "tsml" / "ROCKET", root / "ROCKET")
    outside = tmp_path / "outside"
    shutil.copytree(files / "tsml" / "DrCIF", outside / "DrCIF")
    (root / "DrCIF").symlink_to(outside / "DrCIF")
    secret = outside / "DrCIF/Predictions/Coffee/testResample0.csv"
    (root / "ROCKET/Predictions/Coffee/testResample7.csv").symlink_to(secret)
    warehouse = import_results([root])
    assert warehouse.candidates == ("ROCKET",)
    assert warehouse.performances("Coffee", "accuracy").replications.tolist() == [1, 2]


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="a folder without results of aeon or tsml"):
        import_results([tmp_path])
    path = tmp_path / "A" / "Predictions" / "d" / "testResample0.csv"
    path.parent.mkdir(parents=True)
    path.write_text("d,A,TEST,0,SECONDS,\n\n0.5,1,2\n")
    with pytest.raises(ExchangeError, match=r"testResample0\.csv: .*line 3 has 3 cells"):
        import_results([tmp_path])
    path.write_text("d,A,TEST,0,SECONDS,\n\nx,1,2,0,0,2,,0,0\n")
    with pytest.raises(ExchangeError, match=r"line 3: found 'x'; allowed a number"):
        import_results([tmp_path])
