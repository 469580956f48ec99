"""The verbs beside the flow: init, check --probe, import, export, schema."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from ruamel.yaml import YAML

from reportgen import transfer
from reportgen.cli import main
from reportgen.exchange.tidy import study_results
from reportgen.execution.journal import read_journal
from reportgen.sections import find_sections
from reportgen.study.manifest import load_study
from reportgen.warehouse.files import read_warehouse

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

STUDIES = sorted((Path(__file__).parents[1] / "studies").glob("*.yaml"))

STUDY = """\
measures: [misclassification, fit-time]
setup:
  datasets: [iris, wine]
  candidates: [lda, dummy, {name: mlp, estimator: sklearn.linear_model.LogisticRegression}]
  resampling: {replications: 6}
execution: {jobs: 2}
sections: [inference]
"""
ONE = ("--sections", "preferences")  # where it matters only that there is a report


def _do(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, f"{result.stdout}{result.stderr}"
    return result


def _results(path: Path, other: str = "Test cost") -> Path:
    rows = [
        {
            "dataset": "d",
            "replication": b,
            "algorithm": k,
            "measure": j,
            "value": (b * len(k) % 7 + len(k)) / 20,
        }
        for b in range(1, 9)
        for k in ("one", "three")
        for j in ("Misclassification", other)
    ]
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_init_writes_a_study_that_runs(tmp_path: Path) -> None:
    told = _do("init", tmp_path / "mine").stdout.split()
    assert [Path(path).name for path in told] == ["study.yaml", "manifest.schema.json"]
    settings = ["--set", "setup.resampling.replications=3", "--set", "setup.candidates=[lda,dummy]"]
    manifest = tmp_path / "mine" / "study.yaml"
    done = _do("run", manifest, "--output", tmp_path, "--format", "md", *ONE, *settings)
    assert "3 replications x 2 candidates x 2 measures" in done.stdout
    assert manifest.read_text().startswith("# yaml-language-server: $schema=manifest.schema.json\n")
    again = _do("init", tmp_path / "mine", code=2)
    assert "found a manifest; allowed a folder without one" in again.stderr


@pytest.mark.slow
def test_studies_that_start_here_have_folders_of_their_own(tmp_path: Path) -> None:
    source = _results(tmp_path / "results.csv")
    for name, expected in (("first", "first"), ("a: no folder's name", "study")):
        _do("init", tmp_path / name)
        _do("init", tmp_path / "of" / name, "--from", source)
        for folder in (tmp_path / name, tmp_path / "of" / name):
            study = load_study(folder / "study.yaml", {})
            assert study.name == expected


@pytest.mark.slow
@pytest.mark.parametrize("original", STUDIES, ids=lambda path: path.stem)
def test_each_study_that_comes_along_can_be_started_from(original: Path, tmp_path: Path) -> None:
    name, folder = original.stem, tmp_path / "mine"
    written = _do("init", folder, "--example", name).stdout.splitlines()
    assert all(Path(path).is_file() for path in written)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    assert "studies/" not in text
    assert "\n#   reportgen run study.yaml" in text
    options = {n: s.options for n, s in find_sections().items()}
    given, study = load_study(original, options), load_study(folder / "study.yaml", options)
    assert (given.name, study.name) == (name, "mine")
    for part in ("seed", "measures", "setup", "analysis", "sections", "expect"):
        assert getattr(study, part) == getattr(given, part)
    if given.results:
        assert study_results(study).frame.equals(study_results(given).frame)
    assert name in "".join(_do("init", "--help").stdout.split())


def test_an_example_that_is_not_there_is_refused(tmp_path: Path) -> None:
    told = _do("init", tmp_path / "mine", "--example", "quikstart", code=2).stderr
    assert (
        "--example: found the study 'quikstart'; allowed assistants, assistants-battles, battles, "
        in told
    )
    assert "did you mean quickstart?" in told
    assert not (tmp_path / "mine").exists()
    both = ("--example", "cars", "--from", _results(tmp_path / "r.csv"))
    assert "allowed alone" in _do("init", tmp_path / "mine", *both, code=2).stderr
    kept = tmp_path / "mine" / "assistants" / "answers.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    again = _do("init", tmp_path / "mine", "--example", "assistants", code=2).stderr
    assert "answers.csv: found a file; allowed a folder without one" in again
    assert kept.read_text() == "mine"
    assert not (tmp_path / "mine" / "study.yaml").exists()


@pytest.mark.parametrize(
    ("measure", "level", "suggested", "decided"),
    [
        ("misclassification", 0.2, "[-0.01, 0.01]", (-0.01, 0.01)),
        ("fit-time", 30.0, "1.1    # a factor, as it is compared by ratio", (1 / 1.1, 1.1)),
        ("gain (%)", 80.0, "[-1, 1]", (-1.0, 1.0)),
        ("acc_pct", 80.0, "[-1, 1]", (-1.0, 1.0)),
        ("mse", 8e5, "[-10000, 10000]", (-1e4, 1e4)),
        ("mse", 2e-7, "[-1e-09, 1e-09]", (-1e-9, 1e-9)),
        ("mse", 0.0, "[-0.01, 0.01]", (-0.01, 0.01)),
    ],
)
def test_the_suggested_area_fits_the_measure(
    tmp_path: Path, measure: str, level: float, suggested: str, decided: tuple[float, float]
) -> None:
    rows = [f"{c},{b},{level * (1 + b / 100)!r}" for c in ("one", "two") for b in range(8)]
    source = tmp_path / "results.csv"
    source.write_text("\n".join([f'candidate,replication,"{measure}"', *rows, ""]))
    _do("init", tmp_path / "mine", "--from", source)
    manifest = tmp_path / "mine" / "study.yaml"
    text = manifest.read_text()
    line = f'  #   "{measure}": {suggested}\n'
    assert line in text
    manifest.write_text(text.replace("  # relevance:", "  relevance:").replace("  #   ", "    "))
    study = load_study(manifest, {})
    assert study.analysis.relevance[measure] == pytest.approx(decided, rel=1e-12)
    is_in_per_cent = "%" in measure or "pct" in measure
    assert (study.measures[0].unit == "%") == is_in_per_cent


def test_tables_are_made_only_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = _results(tmp_path / "results.csv")
    _do("init", tmp_path / "mine", "--from", results)
    study = tmp_path / "mine" / "study.yaml"
    _do("run", study, "--output", tmp_path, "--format", "json", *ONE)
    monkeypatch.setattr(transfer, "analyse", None)
    told = _do(
        "export", study, "--output", tmp_path, "--format", "parquet", "--to", tmp_path / "to"
    )
    assert told.stdout.split() == [str(tmp_path / "to" / "performances.parquet")]


def test_init_for_results_leaves_open_what_nobody_knows(tmp_path: Path) -> None:
    source = _results(tmp_path / "results.csv", "Zeal <x>")
    _do("init", tmp_path / "mine", "--from", source)
    text = (tmp_path / "mine" / "study.yaml").read_text()
    asked = r'^  - \{name: "Zeal <x>", better: "\?\?\?"\}    # in place of'
    assert re.search(asked, text, re.MULTILINE)
    assert re.search('  - "misclassification" +# smaller is better, as the catalogue says\n', text)
    assert "# Candidates    2: one, three" in text
    assert "# Replications  8" in text
    manifest = tmp_path / "mine" / "study.yaml"
    refused = _do("run", manifest, "--output", tmp_path, "--format", "md", *ONE, code=2)
    assert "better: found ???, which nobody has filled in" in refused.stderr
    manifest.write_text(text.replace('"???"', "smaller"))
    done = _do("run", manifest, "--output", tmp_path, "--format", "md", *ONE)
    assert "8 replications x 2 candidates x 2 measures" in done.stdout


@pytest.mark.slow
def test_a_probe_is_part_of_the_run(tmp_path: Path) -> None:
    manifest = tmp_path / "probed.yaml"
    manifest.write_text(STUDY)
    told = _do("check", manifest, "--output", tmp_path, "--probe").stdout
    assert "36 fits, about " in told
    assert re.search(r"^iris +lda +\d+\.\d{3} s$", told, re.MULTILINE)
    assert "30 fits are left: about " in told
    journal = tmp_path / "probed" / "warehouse" / "journal"
    assert {b for _, b in read_journal(journal)} == {1}
    told = _do("run", manifest, "--output", tmp_path, "--dry-run").stdout
    assert "30 fits to run: lda 10, dummy 10, mlp 10" in told
    _do("execute", manifest, "--output", tmp_path)
    assert (
        "36 fits, about 9 kB; 0 fits to run\n"
        in _do("check", manifest, "--output", tmp_path).stdout
    )
    settings = ["--set", "setup.candidates=[lda,dummy,knn]"]
    told = _do("check", manifest, "--output", tmp_path, *settings).stdout
    assert "12 fits to run: knn 12" in told
    origin = json.loads((journal.parent / "provenance.json").read_text())
    assert (origin["execution"]["fits"], origin["execution"]["reused_fits"]) == (30, 6)


def test_a_check_counts_refits(tmp_path: Path) -> None:
    manifest = tmp_path / "again.yaml"
    manifest.write_text(STUDY)
    words = ("check", manifest, "--output", tmp_path, "--set")
    told = _do(*words, "setup.candidates=[lda,{name: rpart, refits: 3}]").stdout
    assert "; 24 fits to run, 48 with refits\n" in told
    assert "with refits" not in _do(*words, "setup.candidates=[lda,rpart]").stdout


def test_a_probe_shows_what_fails(tmp_path: Path) -> None:
    manifest = tmp_path / "failing.yaml"
    manifest.write_text(
        "measures: [misclassification]\n"
        "setup: {datasets: [titanic], candidates: [{name: raw, prepare: false, "
        "estimator: sklearn.linear_model.LogisticRegression}]}\n"
    )
    told = _do("check", manifest, "--output", tmp_path, "--probe").stdout
    assert re.search(r"raw .* failed: ValueError: could not convert", told)


def test_schema_checks_manifests(tmp_path: Path) -> None:
    schema = json.loads(_do("schema").stdout)
    _do("schema", "-o", tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text()) == schema
    validator = jsonschema.Draft202012Validator(schema)
    for study in STUDIES:
        validator.validate(YAML(typ="safe", pure=True).load(study))
    for wrong in (
        {"measurs": []},
        {"setup": {"datasets": ["iris"], "candidates": [{"name": "knn", "tune": {"k": 3}}]}},
        {"execution": {"memory": 4}},
        {"sections": [{"inference": {"alpha": 2}}]},
    ):
        assert not validator.is_valid(wrong), wrong


@pytest.mark.slow
def test_what_is_exported_gives_the_same_report(tmp_path: Path) -> None:
    manifest = tmp_path / "study.yaml"
    manifest.write_text(STUDY)
    _do("run", manifest, "--output", tmp_path, "--format", "md")
    told = _do("export", manifest, "--output", tmp_path, "--to", tmp_path / "out").stdout.split()
    names = {Path(path).suffix for path in told}
    assert names == {".bib", ".csv", ".md", ".parquet", ".pdf", ".tex"}
    stored = read_warehouse(tmp_path / "study" / "warehouse").frame
    for name in ("performances.csv", "performances.parquet"):
        path = tmp_path / "out" / name
        _do("execute", path, "--output", tmp_path / name)
        found = read_warehouse(tmp_path / name / "performances" / "warehouse").frame
        columns = ["dataset", "replication", "candidate", "measure", "value"]
        pd.testing.assert_frame_equal(
            found[columns].astype(str).sort_values(columns[:4], ignore_index=True),
            stored[columns].astype(str).sort_values(columns[:4], ignore_index=True),
        )
    again = ("--output", tmp_path / "performances.parquet", "--format", "json")
    _do("report", tmp_path / "out" / "performances.parquet", *again, "--sections", "inference")
    first, second = (
        json.loads((folder / "results.json").read_text())["sections"]["inference"]
        for folder in (tmp_path / "study", tmp_path / "performances.parquet" / "performances")
    )
    assert (
        first["iris"]["misclassification"]["mixed_model"]
        == (second["iris"]["misclassification"]["mixed_model"])
    )


def test_exported_tables_are_set_by_latex_and_markdown(tmp_path: Path) -> None:
    source = _results(tmp_path / "results.csv")
    _do("init", tmp_path / "mine", "--from", source)
    manifest = tmp_path / "mine" / "study.yaml"
    _do("execute", manifest, "--output", tmp_path)
    _do("export", manifest, "--output", tmp_path, "--format", "tex,md")
    folder = tmp_path / "mine" / "export" / "tables"
    (path,) = folder.glob("*pairs*misclassification*.tex")
    tex = path.read_text()
    assert "\\begin{tabular}{@{}l" in tex
    assert "one -- three & " in tex
    assert tex.count("\\\\\n") == 2
    assert "better" in tex
    assert (folder.parent / "main.tex").exists()
    assert rf"\input{{tables/{path.stem}}}" in (folder.parent / "main.tex").read_text()
    md = path.with_suffix(".md").read_text()
    assert md.splitlines()[1].startswith("| :-- |")
    assert len(md.splitlines()) == 3


def test_import_makes_one_file_of_several(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    wide.write_text("dataset,a,b\niris,0.9,0.8\nwine,0.7,0.6\n")
    out = tmp_path / "new" / "all.parquet"
    told = _do("import", wide, "--measure", "accuracy", "-o", out).stdout
    assert "2 data sets x 1 replication x 2 candidates x 1 measure; 0 of 4 values" in told
    done = _do("run", out, "--output", tmp_path, "--format", "md", *ONE)
    assert "2 data sets" in done.stdout
    wrong = _do("import", wide, "--better", "x=up", "-o", out, code=2)
    assert "--better: found 'x=up'; allowed NAME=smaller" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "{study}", "--format", "xls"], "--format: found ['xls']; allowed csv, parquet"),
        (["export", "{study}"], "nothing stored yet"),
        (["report", "{study}", "--format", "htm"], "--format: found 'htm'; allowed json, html"),
        (["init", "{folder}/x", "--from", "{folder}/none.csv"], "found no such file"),
        (["import", "{folder}/none.csv", "-o", "x.parquet"], "found no such file"),
        (["import", "{folder}/cv.csv", "-o", "x.csv"], "--output: found x.csv; allowed a name"),
    ],
)
def test_wrong_calls_are_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STUDY)
    (tmp_path / "cv.csv").write_text("fit_time,score_time,test_r2\n0.1,0,0.5\n")
    filled = [a.format(study=study, folder=tmp_path) for a in arguments]
    if arguments[0] == "export":
        filled += ["--output", str(tmp_path)]
    assert said in _do(*filled, code=2).stderr


BESIDE = """
import warnings

import numpy as np


def missed(y_true, y_pred):
    ill = y_true == "ill"
    return np.mean(y_pred[ill] != "ill")


def never(y_true, y_pred):
    warnings.warn("there is nobody to miss")
    return np.nan
"""
BY_FUNCTIONS = """
plugins: [own_judges]
measures:
  - {name: missed, function: own_judges.missed, better: smaller, unit: share, bounds: [0, 1]}
  - {name: never, function: own_judges.never, better: larger}
setup:
  datasets: [{name: ward, file: ward.csv, target: state}]
  candidates: [lda, nb]
  resampling: {replications: 3}
"""


@pytest.mark.slow
def test_a_measure_that_fails_in_every_fit(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=90)
    ward = pd.DataFrame({"x": x, "z": rng.normal(size=90), "state": np.where(x > 0, "ill", "well")})
    ward.to_csv(tmp_path / "ward.csv", index=False)
    (tmp_path / "own_judges.py").write_text(BESIDE)
    manifest = tmp_path / "judged.yaml"
    manifest.write_text(BY_FUNCTIONS)
    options = (manifest, "--output", tmp_path, "--allow-plugins", "--jobs", "1")
    said = _do("check", *options, "--probe", code=2).stderr
    reason = "the value is nan (UserWarning: there is nobody to miss)"
    assert "judged.yaml:5: measures.never: found a measure that failed in every fit" in said
    assert f"of the probe: {reason}; allowed" in said
    _do("run", *options, "--format", "json", "--format", "md", "--sections", "eda")
    text = unescape((tmp_path / "judged" / "report.md").read_text("utf-8"))
    assert "There is no value of never: it failed in all of 6 fits" in text
    assert reason in text
    results = json.loads((tmp_path / "judged" / "results.json").read_text("utf-8"))
    measures = results["design"]["measures"]
    assert measures[0] == {
        "name": "missed", "better": "smaller", "unit": "share", "bounds": [0.0, 1.0],
        "scale": None,
    }  # fmt: skip
    assert {f["message"] for f in results["design"]["failures"]} == {f"never: {reason}"}
    shares = [s["mean"] for s in results["sections"]["eda"]["ward"]["missed"]["summary"]]
    assert all(0 <= share < 0.5 for share in shares)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("report q --format html,j", ["html,json"]),
        ("run q --sections ed", ["eda"]),
        ("init q --example quick", ["quickstart"]),
    ],
)
def test_shells_complete_names(words: str, expected: list[str]) -> None:
    *words_before, last = words.split()
    found = ShellComplete(main, {}, "reportgen", "_").get_completions(words_before, last)
    assert [item.value for item in found] == expected


@pytest.mark.parametrize("size", [1e20, 1e95])
def test_one_fit_that_diverged_does_not_take_the_report_away(size: float, tmp_path: Path) -> None:
    means = {"a": 20.0, "b": 21.0, "c": 20.2}
    values = np.random.default_rng(1).normal(list(means.values()), 1.0, size=(12, 3))
    values[7, 2] = size
    lines = ["dataset,replication,candidate,measure,value"] + [
        f"d,{b + 1},{name},mse,{float(values[b, k])!r}"
        for b in range(12)
        for k, name in enumerate(means)
    ]
    (tmp_path / "big.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _do("run", str(tmp_path / "big.csv"), "--format", "html,md", "--output", str(tmp_path))
    folder = tmp_path / "big"
    assert "In replication 8 the squared error of c is" in (folder / "report.md").read_text("utf-8")
    results = json.loads((folder / "results.json").read_text("utf-8"))
    outlier = results["sections"]["inference"]["d"]["mse"]["outlier"]
    assert (outlier["candidate"], outlier["value"]) == ("c", size)
