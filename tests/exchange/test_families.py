"""Families and weights of data sets: columns of results, of characteristics, and mappings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import main
from reportgen.errors import ExchangeError, ReportgenError
from reportgen.exchange.tidy import study_results
from reportgen.sections import find_sections
from reportgen.study.manifest import load_study
from reportgen.study.setup import make_setup

OPTIONS = {name: section.options for name, section in find_sections().items()}
ROWS = [
    ("heart-a", "heart", 100, "rf", 0.1),
    ("heart-a", "heart", 100, "svm", 0.2),
    ("heart-b", "heart", 300, "rf", 0.2),
    ("heart-b", "heart", 300, "svm", 0.3),
    ("wine", "", 50, "rf", 0.3),
    ("wine", "", 50, "svm", 0.1),
]
COLUMNS = ["dataset", "source", "rows", "candidate", "misclassification"]
RESULTS = "results:\n  file: results.csv\n"


def results(folder: Path, manifest: str, rows: list[Any] | None = None) -> Any:
    pd.DataFrame(rows or ROWS, columns=COLUMNS).to_csv(folder / "results.csv", index=False)
    (folder / "study.yaml").write_text(manifest, encoding="utf-8")
    return study_results(load_study(folder / "study.yaml", OPTIONS))


def test_a_column_names_the_families(tmp_path: Path) -> None:
    found = results(tmp_path, f"{RESULTS}  families: source\n  columns: {{ignore: rows}}\n")
    own = {d: facts.get("family") for d, facts in found.facts.items()}
    assert own == {"heart-a": "heart", "heart-b": "heart", "wine": None}
    assert [m.name for m in found.measures] == ["misclassification"]
    assert all("weighting" not in facts for facts in found.facts.values())


def test_a_column_has_the_weights(tmp_path: Path) -> None:
    found = results(tmp_path, f"{RESULTS}  families: source\n  weights: rows\n")
    own = {d: (facts["weight"], facts["weighting"]) for d, facts in found.facts.items()}
    assert own == {"heart-a": (100, "rows"), "heart-b": (300, "rows"), "wine": (50, "rows")}
    assert [m.name for m in found.measures] == ["misclassification"]


def test_a_table_of_characteristics_may_have_them(tmp_path: Path) -> None:
    table = "dataset,from,rows\nwine,cellar,5\nheart-a,clinic,7\nheart-b,clinic,8\n"
    (tmp_path / "about.csv").write_text(table)
    keys = "  characteristics: about.csv\n  families: from\n  weights: family\n"
    manifest = f"{RESULTS}{keys}  columns: {{ignore: [source, rows]}}\n"
    found = results(tmp_path, manifest)
    own = {d: (facts["family"], facts["weighting"]) for d, facts in found.facts.items()}
    assert own == {
        "heart-a": ("clinic", "family"),
        "heart-b": ("clinic", "family"),
        "wine": ("cellar", "family"),
    }


def test_mappings_name_data_sets(tmp_path: Path) -> None:
    keys = (
        "  families: {hearts: [heart-a, heart-b]}\n  weights: {heart-a: 1, heart-b: 2, wine: 3}\n"
    )
    manifest = f"{RESULTS}{keys}  columns: {{ignore: [source, rows]}}\n"
    found = results(tmp_path, manifest)
    assert found.facts["heart-b"] == {"family": "hearts", "weight": 2.0, "weighting": "given"}
    assert found.facts["wine"] == {"weight": 3.0, "weighting": "given"}


def test_wide_tables_and_frames_have_them_too() -> None:
    frame = pd.DataFrame(
        {"dataset": ["a", "b", "c"], "from": ["x", "x", "y"], "rf": [0.1, 0.2, 0.3],
         "svm": [0.2, 0.2, 0.4]}
    )  # fmt: skip
    study = rg.compare(frame, measure="misclassification", families="from", weights="family")
    assert study.candidates == ("rf", "svm")
    assert study._warehouse.facts["b"] == {"family": "x", "weighting": "family"}


TWO = [*ROWS, ("wine", "heart", 50, "knn", 0.2)]


@pytest.mark.parametrize(
    ("keys", "rows", "says"),
    [
        ("  families: sauce\n", ROWS, "results.families: found no column sauce.*mean source"),
        ("  families: source\n", TWO, "found heart of the data set wine"),
        ("  families: {h: [heart-c]}\n", ROWS, "no data set heart-c.*mean heart-"),
        ("  families: {h: [wine], g: [wine]}\n", ROWS, "wine in h and g; allowed each data set in"),
        ("  weights: family\n", ROWS, "family without families; allowed equal, or families"),
        ("  weights: {wine: 1}\n", ROWS, "no weight of heart-a, heart-b"),
        (
            "  weights: {wine: 0}\n",
            ROWS,
            r"weights.wine: found 0; allowed a number above 0",
        ),
        ("  weights: misclassification2\n", ROWS, "no column misclassification2"),
        ("  weights: source\n", ROWS, "source"),
    ],
)
def test_what_is_not_allowed_is_said(tmp_path: Path, keys: str, rows: list[Any], says: str) -> None:
    with pytest.raises(ReportgenError) as raised:
        results(tmp_path, f"{RESULTS}{keys}", rows)
    assert re.search(says, str(raised.value).replace("'", ""))


def test_no_data_sets_beside_the_column(tmp_path: Path) -> None:
    (tmp_path / "about.csv").write_text("dataset,from\nwine,cellar\n")
    keys = "  characteristics: about.csv\n  families: from\n  columns: {ignore: [source, rows]}\n"
    with pytest.raises(ExchangeError, match=r"no column with the data sets .* beside it"):
        results(tmp_path, f"{RESULTS}{keys}")


SETUP = """
measures: [misclassification]
setup:
  datasets: [iris, wine, breast-cancer]
  candidates: [lda, knn]
  resampling: {scheme: bootstrap, replications: 2}
"""


def test_an_experiment_names_its_families(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(f"{SETUP}  families: {{plants: [iris, wine]}}\n  weights: family\n")
    setup = make_setup(load_study(file, OPTIONS))
    assert setup.families["iris"] == {"family": "plants", "weighting": "family"}
    assert setup.families["breast-cancer"] == {"weighting": "family"}
    file.write_text(f"{SETUP}  families: {{plants: [iris, whine]}}\n")
    with pytest.raises(ReportgenError) as raised:
        make_setup(load_study(file, OPTIONS))
    says = str(raised.value).replace("'", "")
    assert re.search(r"families: found no data set whine.*did you mean wine", says)


def test_check_says_which_data_sets_belong_together(tmp_path: Path) -> None:
    pd.DataFrame(ROWS, columns=COLUMNS).to_csv(tmp_path / "results.csv", index=False)
    file = tmp_path / "study.yaml"
    file.write_text(f"{RESULTS}  families: source\n  weights: rows\n")
    said = CliRunner().invoke(main, ["check", str(file)], catch_exceptions=False).stdout
    line = "families: heart (2), 1 data set without one; data sets are weighted by 'rows'"
    assert line in " ".join(said.split())
    file.write_text(f"{SETUP}  families: {{plants: [iris, wine]}}\n  weights: family\n")
    said = CliRunner().invoke(main, ["check", str(file)], catch_exceptions=False).stdout
    assert "families: plants (2), 1 data set without one; every family counts alike" in said
    file.write_text(SETUP)
    assert "families" not in CliRunner().invoke(main, ["check", str(file)]).stdout


def test_what_is_not_used_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    results(tmp_path, f"{RESULTS}  families: source\n  columns: {{ignore: rows}}\n")
    assert "families and weights of 3 data sets are not used" in caplog.text
    caplog.clear()
    items = [
        {"dataset": f"task {t}", "source": "s", "item": i, "candidate": c, "accuracy": (i + k) % 2}
        for t in "abcdefg"
        for i in range(8)
        for k, c in enumerate(["rf", "svm"])
    ]
    rg.compare(pd.DataFrame(items), families="source")
    assert "families and weights are not used: the items of a task decide" in caplog.text
    caplog.clear()
    rows = [(f"set {d}", f"f{k // 2}", 1, c, 0.1 + 0.01 * k) for k, d in enumerate("abcdefgh")
            for c in ("rf", "svm")]  # fmt: skip
    results(tmp_path, f"{RESULTS}  families: source\n  columns: {{ignore: rows}}\n", rows)
    assert "not used" not in caplog.text
