"""Which candidate a run's tree names for new data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.errors import StudyError
from reportgen.prediction import NewData, advise
from reportgen.rendering.results_json import plain
from reportgen.report import SCHEMA_VERSION
from reportgen.sections.psychoanalysis.result import Psychoanalysis
from tests.sections.psychoanalysis.making import analysed, study


@pytest.fixture(scope="module")
def found() -> Psychoanalysis:
    """Return a study with a break at i2r.fcc = 0.5."""
    return analysed(study(24, step=0.05))


@pytest.fixture(scope="module")
def run(found: Psychoanalysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with it."""
    folder = tmp_path_factory.mktemp("run")
    results = {
        "schema_version": SCHEMA_VERSION,
        "design": {"resampling": {"scheme": "bootstrap", "replications": 10}, "seed": 1},
        "sections": {"psychoanalysis": {"misclassification": plain(found)}},
    }
    (folder / "results.json").write_text(json.dumps(results))
    return folder


def data_file(folder: Path, *, separable: bool) -> Path:
    """Write a data set whose classes a plane parts, or nothing."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 2))
    side = x[:, 0] > 0 if separable else rng.random(200) > 0.5
    path = folder / f"{separable}.csv"
    pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.where(side, "u", "v")}).to_csv(path)
    return path


@pytest.mark.parametrize(("separable", "first"), [(True, "anna"), (False, "cara")])
def test_a_data_set_goes_down_the_tree(
    run: Path, tmp_path: Path, separable: bool, first: str
) -> None:
    data = NewData(data_file(tmp_path, separable=separable), "y", drop=("Unnamed: 0",))
    said = advise(run, data)
    assert said.splitlines()[0].startswith("i2r.fcc is 0.")
    assert ("above" in said.splitlines()[0]) == separable
    lines = said.splitlines()
    table = lines[lines.index("") + 2 :]
    assert table[0].startswith(first)
    assert "100% of trees of resampled data sets divide by i2r.fcc first" in said


def test_what_is_known_need_not_be_computed(run: Path, found: Psychoanalysis) -> None:
    said = advise(run / "results.json", NewData(given={"i2r.fcc": "0.85"}))
    assert found.tree is not None
    worth = found.tree.children[1].worths["anna"]
    assert f"anna       {worth:.3f}" in said
    far = advise(run, NewData(given={"i2r.fcc": "0.99"}))
    assert "i2r.fcc = 0.99 lies outside what the study has seen, 0.1 to 0.9" in far
    missing = advise(run, NewData(given={"i2r.fcc": "nan"}))
    assert "i2r.fcc is missing: with the larger part" in missing


def test_expectations_add_up(run: Path) -> None:
    said = advise(run, NewData(given={"i2r.fcc": "0.85"}))
    (line,) = [line for line in said.splitlines() if "expected to do better" in line]
    shares = [int(part.split("%")[0].split()[-1]) for part in line.split(",") if "%" in part]
    assert sum(shares) == pytest.approx(100, abs=1)


@pytest.mark.parametrize(
    ("log_nu", "said"),
    [
        (None, "another in 50% of learning samples"),
        (0.0, "another in 33% of learning samples, as well in 33%"),
    ],
)
def test_candidates_of_one_worth_are_said_to_be_alike(
    found: Psychoanalysis, log_nu: float | None, said: str, tmp_path: Path
) -> None:
    results: dict[str, Any] = plain(found)
    leaf = results["tree"]["children"][1]
    leaf |= {"worths": {"anna": 0.45, "bert": 0.45 - 1e-9, "cara": 0.1}, "log_nu": log_nu}
    sections = {"psychoanalysis": {"misclassification": results}}
    whole = {"schema_version": SCHEMA_VERSION, "design": {}, "sections": sections}
    (tmp_path / "results.json").write_text(json.dumps(whole))
    lines = advise(tmp_path, NewData(given={"i2r.fcc": "0.85"})).splitlines()
    (line,) = [line for line in lines if "equally well" in line]
    assert line.startswith("by misclassification anna and bert are expected to do equally well")
    assert line.endswith(said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "found no value of i2r.fcc.*--target.*--characteristic i2r.fcc=VALUE"),
        ({"fcc": "1"}, "found 'fcc'.*did you mean i2r.fcc"),
        ({"i2r.fcc": "high"}, "allowed a number"),
    ],
)
def test_what_is_missing_is_said(run: Path, given: dict[str, str], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        advise(run, NewData(given=given))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "found no such file"),
        ("{", "found no results"),
        ("{}", "found no sections"),
        ('{"schema_version": 2, "sections": {"eda": {}}}', "found no tree of worths"),
    ],
)
def test_folders_without_a_tree_are_said(tmp_path: Path, content: Any, said: str) -> None:
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    with pytest.raises(StudyError, match=said):
        advise(tmp_path, NewData())


def test_other_measures_are_named(run: Path) -> None:
    with pytest.raises(StudyError, match="did you mean misclassification"):
        advise(run, NewData(), "missclassification")


def test_the_verb_prints_it(run: Path) -> None:
    done = CliRunner().invoke(main, ["predict", str(run), "--characteristic", "i2r.fcc=0.2"])
    assert done.exit_code == 0
    assert done.output.startswith("i2r.fcc is 0.2, at most")
    wrong = CliRunner().invoke(main, ["predict", str(run), "--characteristic", "i2r.fcc"])
    assert wrong.exit_code == 2
    assert "allowed NAME=VALUE" in wrong.output


def test_a_data_set_that_is_not_there_gets_no_answer(run: Path, tmp_path: Path) -> None:
    results = json.loads((run / "results.json").read_text())
    results["sections"]["psychoanalysis"]["misclassification"]["tree"]["split"] = None
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results))
    assert "does not divide" in advise(path, NewData(None))
    with pytest.raises(StudyError, match="found no such file; allowed a data set"):
        advise(path, NewData(tmp_path / "mine.csv", "y"))
