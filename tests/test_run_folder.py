"""What is stored is reported only for the study that it was measured for."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen.cli import main
from reportgen.run_folder import _study_of, command_of, inputs_of, read_run, study_digests
from reportgen.study.manifest import load_study

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

STUDY = """\
measures: [{name: mse, relevance: [-1, 1]}, mae]
setup:
  datasets: [{name: one, file: a/d.csv, target: y}, {name: two, file: b/d.csv, target: y}]
  candidates: [lm, dummy]
  resampling: {replications: 3}
"""
REPORT = ("--format", "json", "--sections", "preferences")  # what is said of them matters not
DATA = "x,y\n" + "".join(f"{i},{i * i % 17}.5\n" for i in range(20))


def _call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study that was executed, with two files of one name."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.csv").write_text(DATA.replace("3", "2" if folder == "b" else "3"))
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    assert _call("execute", path, "--output", tmp_path, "--jobs", 1).exit_code == 0
    return path


def test_files_of_one_name_are_told_apart(study: Path, tmp_path: Path) -> None:
    inputs = inputs_of(load_study(study, {}))
    assert list(inputs) == ["study.yaml", "a/d.csv", "b/d.csv"]
    text = (tmp_path / "study" / "warehouse" / "provenance.json").read_text()
    recorded = json.loads(text)["inputs"]
    assert recorded["a/d.csv"] != recorded["b/d.csv"]


def test_files_of_test_samples_and_given_samples_go_in(tmp_path: Path) -> None:
    for name in ("learn.csv", "test.csv", "samples.csv"):
        (tmp_path / name).write_text(DATA)
    path = tmp_path / "study.yaml"
    path.write_text(
        "measures: [mae]\nsetup:\n  datasets: [{name: d, file: learn.csv, target: y, "
        "test: test.csv}]\n  candidates: [lm]\n"
        "  resampling: [bootstrap, {scheme: given, file: samples.csv}]\n"
    )
    found = inputs_of(load_study(path, {}))
    assert list(found) == ["study.yaml", "learn.csv", "test.csv", "samples.csv"]


@pytest.mark.parametrize(
    ("setting", "key"),
    [
        ("seed=5", "seed"),
        ("setup.resampling.replications=2", "setup"),
        ("setup.candidates=[lm]", "setup"),
        ("measures=[mae, mse]", "measures"),
    ],
)
def test_another_study_is_not_reported(study: Path, tmp_path: Path, setting: str, key: str) -> None:
    told = _call("report", study, "--output", tmp_path, *REPORT, "--set", setting)
    assert told.exit_code == 2
    assert f"`reportgen run study.yaml` with another {key}; allowed" in told.stderr
    assert told.stderr.endswith(f"by: {command_of(study, [setting])}\n")
    assert not (tmp_path / "study" / "results.json").exists()


@pytest.mark.parametrize(
    ("old", "new"), [("setup:", "analysis: {alpha: 0.1}\nsetup:"), ("[-1, 1]", "[-2, 2]")]
)
def test_stages_depend_on_level_and_area_of_the_analysis(
    tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "study.yaml"
    staged = STUDY.replace("replications: 3", "replications: {max: 100, stage: 50}")
    texts = (staged, staged.replace(old, new), STUDY, STUDY.replace(old, new))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder in "ab":
        (tmp_path / folder / "d.csv").write_text(DATA)
    found = []
    for text in texts:
        path.write_text(text)
        found.append(study_digests(load_study(path, {})))
    assert [k for k in found[0] if found[0][k] != found[1][k]] == ["stage rule"]
    assert found[2] == found[3]


def test_a_command_with_an_open_quote_names_no_study(study: Path, tmp_path: Path) -> None:
    recorded = read_run(load_study(study, {}), tmp_path / "study" / "warehouse", "")[1]
    for command, name in (("run study.yaml", "study.yaml"), ("run 'x", "another study")):
        assert _study_of(replace(recorded, command=f"reportgen {command}")) == name


def test_another_analysis_is_reported_as_what_it_is(study: Path, tmp_path: Path) -> None:
    settings = ["analysis.alpha=0.2", "study.title=it's"]
    options = [word for text in settings for word in ("--set", text)]
    told = _call("report", study, "--output", tmp_path, *REPORT, *options)
    assert told.exit_code == 0, told.stderr
    origin = json.loads((tmp_path / "study" / "results.json").read_text())["provenance"]
    assert shlex.split(origin["command"]) == ["reportgen", "run", "study.yaml", *options]
    assert origin["execution"]["fits"] == 12


@pytest.mark.slow
def test_a_report_elsewhere_leaves_the_run_as_it_is(study: Path, tmp_path: Path) -> None:
    """And in place a setting says what the report becomes."""
    run, setting = tmp_path / "study", ("--set", "analysis.alpha=0.2")
    assert _call("report", run, *REPORT).stderr.count("the report becomes") == 0
    before = _everything(run)
    told = _call("report", run, *REPORT, *setting, "-o", tmp_path / "elsewhere")
    assert told.exit_code == 0
    assert "becomes" not in told.stderr
    assert _everything(run) == before
    elsewhere = tmp_path / "elsewhere" / "study" / "results.json"
    assert "analysis.alpha=0.2" in json.loads(elsewhere.read_text())["provenance"]["command"]
    told = _call("report", run, *REPORT, *setting)
    assert f"{run}: the report becomes one with analysis.alpha=0.2" in told.stderr
    assert (run / "results.json").read_text() == elsewhere.read_text()
    assert _call("report", run, *REPORT).exit_code == 0
    assert _everything(run) == before


def test_the_folder_of_a_study_is_that_study(study: Path, tmp_path: Path) -> None:
    by_file, by_folder = (_call("check", path) for path in (study, study.parent))
    assert by_file.stdout == by_folder.stdout


def test_changed_data_are_not_reported(study: Path, tmp_path: Path) -> None:
    (tmp_path / "b" / "d.csv").write_text(DATA + "40,3.5\n")
    told = _call("report", study, "--output", tmp_path)
    assert told.exit_code == 2
    assert "with another b/d.csv; allowed" in told.stderr


RESULTS = "candidate,replication,mse\na,1,2.0\na,2,1.0\nb,1,3.5\nb,2,3.0\n"


def test_another_study_of_that_name_replaces_and_reports_nothing(
    study: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results.csv"
    results.write_text(RESULTS)
    before = _everything(tmp_path / "study")
    other = ("--output", tmp_path, *REPORT, "--set", "study.name=study")
    told = _call("run", results, *other)
    assert told.exit_code == 2
    assert told.stderr.startswith(f"reportgen: {tmp_path / 'study'}: found the results of study.y")
    assert "which results.csv would replace; allowed" in told.stderr
    assert "--output DIR or --set study.name=NAME" in told.stderr
    told = _call("report", results, *other)
    assert told.exit_code == 2
    assert "with another seed and setup and results and measures" in told.stderr
    assert _everything(tmp_path / "study") == before
    assert _call("run", results, "--output", tmp_path, *REPORT).exit_code == 0


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_files_of_two_kinds_and_one_name_do_not_share_a_folder(tmp_path: Path) -> None:
    (tmp_path / "gs.csv").write_text(RESULTS)
    rows = [{"candidate": k, "replication": b, "mse": x} for k, b, x in (
        ("a", 1, 5.0), ("a", 2, 4.0), ("b", 1, 3.0), ("b", 2, 2.0)
    )]  # fmt: skip
    (tmp_path / "gs.json").write_text(json.dumps(rows))
    run = ("--output", tmp_path / "out", *REPORT)
    assert _call("run", tmp_path / "gs.csv", *run).exit_code == 0
    before = _everything(tmp_path / "out")
    told = _call("run", tmp_path / "gs.json", *run)
    assert told.exit_code == 2
    assert "found the results of gs.csv, which gs.json would replace" in told.stderr
    assert _everything(tmp_path / "out") == before
    assert _call("run", tmp_path / "gs.csv", *run).exit_code == 0
    named = _call("run", tmp_path / "gs.json", *run, "--set", "study.name=other")
    assert named.exit_code == 0
    assert (tmp_path / "out" / "other" / "results.json").exists()


def test_files_of_one_name_in_two_folders_do_not_share_a_folder(tmp_path: Path) -> None:
    for folder, text in (("a", RESULTS), ("b", RESULTS.replace("3.5", "0.5"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "gs.csv").write_text(text)
    run = ("--output", tmp_path / "out", *REPORT)
    assert _call("run", tmp_path / "a" / "gs.csv", *run).exit_code == 0
    told = _call("run", tmp_path / "b" / "gs.csv", *run)
    assert told.exit_code == 2
    assert "found the results of another gs.csv, which gs.csv would replace" in told.stderr
    (tmp_path / "a" / "gs.csv").write_text(RESULTS.replace("3.5", "1.5"))  # the same, renewed
    assert _call("run", tmp_path / "a" / "gs.csv", *run).exit_code == 0
    assert str(tmp_path) not in (tmp_path / "out" / "gs" / ".input").read_text()


@pytest.mark.slow
def test_a_study_that_was_moved_or_renamed_keeps_its_folder(study: Path, tmp_path: Path) -> None:
    renamed = study.rename(tmp_path / "other.yaml")
    run = ("run", renamed, "--output", tmp_path, *REPORT, "--set", "study.name=study")
    assert _call(*run).exit_code == 0
    renamed.write_text(STUDY.replace("replications: 3", "replications: 2"))
    assert _call(*run).exit_code == 0  # its own by now, and free to change
    for name in ("a", "b", "other.yaml", "study"):
        (tmp_path / "moved").mkdir(exist_ok=True)
        (tmp_path / name).rename(tmp_path / "moved" / name)
    renamed = tmp_path / "moved" / "other.yaml"
    renamed.write_text(STUDY)
    run = ("run", renamed, "--output", tmp_path / "moved", *REPORT, "--set", "study.name=study")
    assert _call(*run).exit_code == 0


def test_a_folder_of_version_0_1_is_known_by_its_command(study: Path, tmp_path: Path) -> None:
    (tmp_path / "study" / ".input").unlink()
    results = tmp_path / "results.csv"
    results.write_text(RESULTS)
    told = _call("run", results, "--output", tmp_path, *REPORT, "--set", "study.name=study")
    assert told.exit_code == 2
    assert "found the results of study.yaml" in told.stderr
    study.write_text(STUDY.replace("replications: 3", "replications: 2"))
    assert _call("run", study, "--output", tmp_path, *REPORT).exit_code == 0
    assert (tmp_path / "study" / ".input").read_text().endswith(" study.yaml\n")


@pytest.mark.slow
def test_changed_code_of_an_installed_plug_in_is_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site-packages")])
    package = tmp_path / "site-packages" / "guessing_elsewhere"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from guessing_elsewhere.rule import G\n")
    rule = package / "rule.py"
    rule.write_text("from sklearn.dummy import DummyRegressor\nclass G(DummyRegressor): pass\n")
    (tmp_path / "d.csv").write_text(DATA)
    path = tmp_path / "study.yaml"
    path.write_text(
        "plugins: [guessing_elsewhere]\nmeasures: [mae]\nsetup:\n"
        "  datasets: [{name: d, file: d.csv, target: y}]\n"
        "  candidates: [{name: g, estimator: guessing_elsewhere.G}, lm]\n"
        "  resampling: {replications: 3}\n"
    )
    allowed = ("--output", tmp_path, "--allow-plugins")
    assert _call("execute", path, *allowed, "--jobs", 1).exit_code == 0
    assert _call("report", path, *allowed, *REPORT).exit_code == 0
    rule.write_text(rule.read_text() + "# changed\n")
    told = _call("report", path, *allowed, *REPORT)
    assert told.exit_code == 2
    assert "with another version of the plug-in guessing_elsewhere; allowed" in told.stderr
    shutil.rmtree(package)  # on another machine: nobody knows
    assert _call("report", path, "--output", tmp_path, *REPORT).exit_code == 0


def test_a_manifest_that_differs_in_spelling_alone_is_the_same_study(
    study: Path, tmp_path: Path
) -> None:
    text = STUDY.replace("[lm, dummy]", "[{name: lm}, dummy]").replace("[-1, 1]", "[-2, 2]")
    study.write_text(f"# seen\nseed: 2011\n{text}")
    assert _call("report", study, "--output", tmp_path, *REPORT).exit_code == 0


def test_what_was_asked_is_known_without_the_manifest_of_then(study: Path, tmp_path: Path) -> None:
    file = tmp_path / "study" / "warehouse" / "provenance.json"
    recorded = json.loads(file.read_text())
    assert set(recorded["study_digests"]) == {"seed", "setup", "results", "measures"}
    del recorded["digest"]  # as of version 0.2
    file.write_text(json.dumps({**recorded, "manifest": "", "command": "reportgen run"}))
    told = _call("report", study, "--output", tmp_path, "--set", "seed=5")
    assert "with another seed; allowed" in told.stderr
    assert _call("report", study, "--output", tmp_path, *REPORT).exit_code == 0
    results = json.loads((tmp_path / "study" / "results.json").read_text())
    assert "study_digests" not in results["provenance"]


def test_provenance_of_other_performances_is_not_reported(study: Path, tmp_path: Path) -> None:
    file = tmp_path / "study" / "warehouse" / "provenance.json"
    before = file.read_bytes()
    again = ("execute", study, "--output", tmp_path, "--jobs", 1, "--set")
    assert _call(*again, "setup.candidates=[lm]").exit_code == 0
    file.write_bytes(before)  # as a kill between the two leaves it
    told = _call("report", study, "--output", tmp_path)
    assert told.exit_code == 2
    assert "found provenance.json of other results than are stored with it" in told.stderr
    assert told.stderr.endswith("by: reportgen run study.yaml\n")


def test_a_warehouse_of_before_digests_is_taken_for_the_studys(study: Path, tmp_path: Path) -> None:
    file = tmp_path / "study" / "warehouse" / "provenance.json"
    recorded = json.loads(file.read_text())
    del recorded["study_digests"], recorded["digest"]
    file.write_text(json.dumps(recorded))
    told = _call("report", study, "--output", tmp_path, *REPORT)
    assert told.exit_code == 0
    assert "without digest, as of version 0.2: what has been changed is not found" in told.stderr


def test_an_interrupted_execution_is_told_from_none(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("measures: [mae]\nsetup: {datasets: [diabetes], candidates: [lm]}\n")
    assert (
        "found nothing stored yet; allowed a whole run, which is measured by: "
        in _call("report", path, "--output", tmp_path).stderr
    )
    (tmp_path / "study" / "warehouse").mkdir(parents=True)
    (tmp_path / "study" / "warehouse" / "journal").touch()
    told = _call("report", path, "--output", tmp_path).stderr
    assert (
        "was interrupted; allowed a whole run, which goes on where it stopped by: reportgen run "
        "study.yaml" in told
    )
