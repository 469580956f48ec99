"""The verb `gate`, and how `run` ends."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner, Result

import reportgen
from reportgen.cli import main

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

MANIFEST = """\
study: {{name: ci}}
results: results.csv
sections: [inference]
analysis: {{target: experiment}}
expect: {expect}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results of two versions, and studies that expect something."""
    path = tmp_path_factory.mktemp("gates")
    rng = np.random.default_rng(9)
    values = rng.normal([0.3, 0.2], 0.02, (30, 2))
    rows = [
        f"{i},{k},{x}"
        for i, row in enumerate(values)
        for k, x in zip(("old", "new"), row, strict=True)
    ]
    text = "\n".join(["replication,candidate,misclassification", *rows])
    (path / "results.csv").write_text(f"{text}\n", encoding="utf-8")
    for name, expect in {
        "passes": "[new better than old, no failures]",
        "fails": "[old better than new]",
        "open": "[new within 0.1 of old]",
        "strict": "[{claim: new within 0.1 of old, on_undecided: fail}]",
    }.items():
        manifest = MANIFEST.format(expect=expect)
        (path / f"{name}.yaml").write_text(manifest, encoding="utf-8")
    return path


def call(*words: object, folder: Path) -> Result:
    output = ["--output", str(folder / "output" / str(words[1]).partition(".")[0])]
    words = (words[0], folder / str(words[1]), *words[2:], *output)
    return CliRunner().invoke(main, [*map(str, words)])


@pytest.mark.parametrize(
    ("study", "code"), [("passes.yaml", 0), ("fails.yaml", 1), ("open.yaml", 0), ("strict.yaml", 1)]
)
def test_a_run_ends_by_its_expectations(folder: Path, study: str, code: int) -> None:
    done = call("run", study, "--format", "json", folder=folder)
    assert done.exit_code == code, done.output
    results = folder / "output" / study.partition(".")[0] / "ci" / "results.json"
    found = json.loads(results.read_text(encoding="utf-8"))["sections"]["expectations"]
    assert f"{found['gates'][0]['outcome']} " in done.stdout
    assert ("not hold" in done.stderr) is bool(code)
    gated = CliRunner().invoke(main, ["gate", str(results.parent)])
    assert gated.exit_code == code
    assert gated.stdout.splitlines() == done.stdout.splitlines()[-len(found["gates"]) - 1 :]


def test_claims_of_the_command_line_stand_in_place_of_the_study_s(folder: Path) -> None:
    claim = "old better than new in this experiment"
    done = call("gate", "results.csv", "--expect", claim, folder=folder)
    assert done.exit_code == 1
    assert done.stdout.startswith("fails      old better than new in this experiment  misclass")
    assert "misclassification on results in this experiment: old − new = " in done.stdout
    beyond = call("gate", "results.csv", "--expect", "old better than new", folder=folder)
    assert beyond.exit_code == 0
    words = "what holds for new data is not known by how samples were drawn: declare `resampling`"
    assert words in beyond.stdout
    held = call("gate", "fails.yaml", "--expect", "new better than old", folder=folder)
    assert held.exit_code == 0
    open_ = ("gate", "open.yaml", "--expect", "new within 0.1 of old")
    assert call(*open_, folder=folder).exit_code == 0
    assert call(*open_, "--on-undecided", "fail", folder=folder).exit_code == 1


def test_a_run_is_found_by_its_warehouse_and_its_archive(folder: Path, tmp_path: Path) -> None:
    claim = ("--expect", "new better than old")
    assert call("run", "open.yaml", "--format", "json", folder=folder).exit_code == 0
    run = folder / "output" / "open" / "ci"
    archive = reportgen.load(run).save(tmp_path / "ci.zip")
    for place in (run, run / "warehouse", archive):
        done = CliRunner().invoke(main, ["gate", str(place), *claim])
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith("holds ")
    strict = CliRunner().invoke(main, ["gate", str(run), *claim, "--set", "analysis.alpha=0.001"])
    assert "nominally 0.1%, approximately" in strict.output
    wrong = CliRunner().invoke(main, ["gate", str(run), *claim, "--set", "analysis.alfa=0.001"])
    assert wrong.exit_code == 2


def test_other_sections_change_no_outcome(folder: Path) -> None:
    done = call("run", "fails.yaml", "--format", "json", "--sections", "eda", folder=folder)
    assert done.exit_code == 1
    assert "fails      old better than new" in done.stdout


def test_files_are_written(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    files = {"--junit": "j.xml", "--codequality": "q.json", "--badge": "b.svg"}
    words = [str(word) for name, file in files.items() for word in (name, tmp_path / file)]
    words += ["--summary", "github", "--annotations", "github"]
    done = call("gate", "fails.yaml", *words, folder=folder)
    assert done.exit_code == 1
    assert "::error file=fails.yaml,line=5,title=fails%3A old better than new::" in done.stdout
    assert ET.parse(tmp_path / "j.xml").getroot().attrib["failures"] == "1"
    assert json.loads((tmp_path / "q.json").read_text())[0]["location"]["lines"] == {"begin": 5}
    assert "old better than new" in (tmp_path / "step.md").read_text(encoding="utf-8")
    assert ET.parse(tmp_path / "b.svg").getroot() is not None


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("gate", "results.csv"), "gate: found no claim"),
        (("gate", "results.csv", "--expect", "nwe better than old"), "did you mean new?"),
        (
            ("gate", "passes.yaml", "--summary", "github"),
            "found github, and no $GITHUB_STEP_SUMMARY",
        ),
        (("gate", "missing.yaml"), "found no such file"),
    ],
)
def test_what_is_wrong_ends_with_2(
    folder: Path, words: tuple[str, ...], error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    done = call(*words, folder=folder)
    assert done.exit_code == 2
    assert error in done.stderr


def test_power_before_a_run_and_after_it(folder: Path) -> None:
    design = folder / "design.yaml"
    design.write_text(
        "measures: [misclassification]\n"
        "setup: {datasets: [monks3], candidates: [lda, rpart], resampling: {replications: 40}}\n"
        "expect: [lda better than rpart, no failures]\n",
        encoding="utf-8",
    )
    before = call("gate", "design.yaml", "--check-power", folder=folder)
    assert before.exit_code == 0, before.output
    assert "lda better than rpart  40 replications: from 2.46 standard deviations" in before.stdout
    assert "new data of the source" in before.stdout
    alone = call(
        "gate", "design.yaml", "--check-power", "--set", "analysis.target=experiment", folder=folder
    )
    assert "lda better than rpart  40 replications: from 0.46 standard deviations" in alone.stdout
    after = call("gate", "fails.yaml", "--check-power", folder=folder)
    assert after.exit_code == 0
    assert "30 replications: fails with a probability of 100%; about 6 for 80%" in after.stdout


def test_a_misspelt_name_is_told_before_anything_is_measured(folder: Path) -> None:
    study = folder / "wrong.yaml"
    study.write_text(
        "measures: [misclassification]\n"
        "setup: {datasets: [monks3], candidates: [lda, svm]}\n"
        "expect:\n  - no failures\n  - smv better than lda\n",
        encoding="utf-8",
    )
    done = call("check", "wrong.yaml", folder=folder)
    assert done.exit_code == 2
    assert "wrong.yaml:5: expect" in done.stderr
    assert "did you mean svm?" in done.stderr
    study.write_text(
        "measures: [misclassification]\n"
        "setup: {datasets: [monks3], candidates: [lda, svm]}\n"
        "expect:\n  - svm better than lda on monk\n",
        encoding="utf-8",
    )
    done = call("check", "wrong.yaml", folder=folder)
    assert done.exit_code == 2
    assert "monk'" in done.stderr


def test_a_table_has_no_expectations(folder: Path) -> None:
    (folder / "table.csv").write_text("x,y\n1,2\n3,5\n4,4\n", encoding="utf-8")
    (folder / "table.yaml").write_text(
        "results: {table: table.csv}\nexpect: [x better than y]\n", encoding="utf-8"
    )
    done = call("run", "table.yaml", "--format", "json", folder=folder)
    assert done.exit_code == 2


def results_of(path: Path, means: list[float], seed: int) -> Path:
    """Write results of two versions."""
    values = np.random.default_rng(seed).normal(means, 0.02, (30, 2))
    rows = [f"{i},{k},{x}" for i, row in enumerate(values)
            for k, x in zip(("old", "new"), row, strict=True)]  # fmt: skip
    path.write_text("\n".join(["replication,candidate,misclassification", *rows]) + "\n")
    return path


CLAIM = ["--expect", "new not worse than old by 0.01 in this experiment"]


def gated(first: Path, *more: object) -> Result:
    return CliRunner().invoke(main, ["gate", str(first), *CLAIM, *map(str, more)])


def test_a_failure_has_to_return(tmp_path: Path) -> None:
    bad = results_of(tmp_path / "bad.csv", [0.2, 0.3], 1)
    good = results_of(tmp_path / "good.csv", [0.3, 0.2], 2)
    again = results_of(tmp_path / "again.csv", [0.2, 0.3], 3)
    assert gated(bad).exit_code == 1
    not_again = gated(bad, "--confirm", good)
    assert not_again.exit_code == 0, not_again.output
    assert "undecided" in not_again.stdout
    assert "not again in the run that was to confirm it" in not_again.stdout
    assert gated(bad, "--confirm", again).exit_code == 1
    assert gated(good, "--confirm", tmp_path / "nowhere.csv").exit_code == 0


def test_the_run_is_made_anew_only_where_a_claim_fails(tmp_path: Path) -> None:
    bad = results_of(tmp_path / "bad.csv", [0.2, 0.3], 1)
    good = results_of(tmp_path / "good.csv", [0.3, 0.2], 2)
    made = tmp_path / "made.csv"
    copy = f"cp {good} {made}"
    assert gated(good, "--confirm", made, "--rerun", copy).exit_code == 0
    assert not made.exists()
    assert gated(bad, "--confirm", made, "--rerun", copy).exit_code == 0
    assert made.exists()
    assert gated(bad, "--confirm", made, "--rerun", "false").exit_code == 2
    assert gated(bad, "--rerun", copy).exit_code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no sleep")
def test_a_run_that_is_made_anew_has_a_time(tmp_path: Path) -> None:
    bad = results_of(tmp_path / "bad.csv", [0.2, 0.3], 1)
    begin = monotonic()
    late = gated(bad, "--confirm", bad, "--rerun", "sleep 60", "--timeout", "0.2")
    assert monotonic() - begin < 30
    assert late.exit_code == 2
    assert "--rerun: sleep 60: found no end within the time; allowed 0.2 s" in late.stderr
    alone = gated(bad, "--confirm", bad, "--timeout", "5")
    assert "--timeout: found no --rerun" in alone.stderr
    odd = gated(bad, "--confirm", bad, "--rerun", "true", "--timeout", "0")
    assert "gate: found --timeout 0; allowed seconds above 0" in odd.stderr
    words = [*map(str, (bad, bad)), "--confirm", str(bad), "--rerun", "true", "--timeout", "nan"]
    changes = CliRunner().invoke(main, ["diff", *words])
    assert "diff: found --timeout nan; allowed seconds above 0" in changes.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    for place, why in (("/dev/full", "No space left on device"), (str(tmp_path), "Is a directory")):
        told = CliRunner().invoke(main, ["schema", "-o", place])
        assert told.exit_code == 2
        assert told.stderr == f"reportgen: {place}: {why}\n"


def test_both_files_of_a_renaming_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, text: str) -> None:
        raise PermissionError(13, "Permission denied", f"{path}.new", None, str(path))

    monkeypatch.setattr("reportgen.file_writing.write_text", refuse)
    told = CliRunner().invoke(main, ["schema", "-o", "s.json"])
    assert told.exit_code == 2
    assert told.stderr == "reportgen: s.json.new -> s.json: Permission denied\n"


@pytest.mark.parametrize("option", ["--junit", "--summary", "--badge", "--codequality"])
def test_the_results_are_not_written_over(tmp_path: Path, option: str) -> None:
    file = tmp_path / "r.csv"
    text = "candidate,replication,accuracy\na,1,0.5\nb,1,0.6\na,2,0.6\nb,2,0.8\n"
    file.write_text(text)
    words = ["gate", str(file), "--expect", "a better than b", option, f"{tmp_path}/r.csv"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 2
    assert f"{option}: found {file}, which is read; allowed another file" in told.stderr
    assert file.read_text() == text
    (tmp_path / "link.csv").symlink_to(file)
    told = CliRunner().invoke(main, [*words[:-1], str(tmp_path / "link.csv")])
    assert "link.csv, which is read; allowed another file" in told.stderr


def test_what_a_study_reads_is_not_written_over(tmp_path: Path) -> None:
    file = results_of(tmp_path / "r.csv", [0.3, 0.2], 2)
    manifest = tmp_path / "g.yaml"
    manifest.write_text("results: {file: r.csv}\n")
    output = ["-o", str(tmp_path / "out")]
    done = CliRunner().invoke(main, ["run", str(manifest), "--format", "json", *output])
    assert done.exit_code == 0, done.output
    run = tmp_path / "out" / "g"
    claim = ["--expect", "b better than a"]
    stored = [run / "results.json", *(run / "warehouse").iterdir()]
    cases = [(manifest, path) for path in (file, manifest, stored[0])]
    for study, path in (*cases, *((run, path) for path in stored)):
        before = path.read_bytes()
        words = ["gate", str(study), *claim, "--junit", str(path), "--output", output[1]]
        told = CliRunner().invoke(main, words)
        assert told.exit_code == 2
        assert f"--junit: found {path}, which is read; allowed another file" in told.stderr
        assert path.read_bytes() == before
    words = ["plan", str(manifest), "--detect", "0.1", "--figure", str(file), *output]
    assert "--figure: found" in CliRunner().invoke(main, words).stderr
    words = ["bundle", str(manifest), "--to", str(file), "--output", output[1]]
    assert "--to: found" in CliRunner().invoke(main, words).stderr
    words = ["diff", str(manifest), str(run), "--output", str(file)]
    assert "--output: found" in CliRunner().invoke(main, words).stderr
    again = results_of(tmp_path / "again.csv", [0.3, 0.2], 2)
    words = ["--confirm", str(again), "--junit", str(again)]
    assert "--junit: found" in CliRunner().invoke(main, ["gate", str(file), *claim, *words]).stderr


def test_what_a_study_has_beside_it_is_not_written_over(tmp_path: Path) -> None:
    results_of(tmp_path / "r.csv", [0.3, 0.2], 2)
    manifest = tmp_path / "g.yaml"
    manifest.write_text(
        "results: {file: r.csv}\nplugins: [mine]\nreport: {theme: look, logo: logo.svg}\n"
    )
    names = (
        *("logo.svg", "look/variables.css", "look/references.bib", "CITATION.cff", "mine.py"),
        *("templates/sections/eda.md.j2", "templates/references.bib"),
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    words = ["gate", str(manifest), "--expect", "b better than a", "--allow-plugins", "--badge"]
    for path in (tmp_path / name for name in names):
        told = CliRunner().invoke(main, [*words, str(path)])
        assert f"--badge: found {path}, which is read; allowed another file" in told.stderr
        assert path.read_text() == ""


def test_reports_and_exports_are_not_written_over_what_is_read(tmp_path: Path) -> None:
    file = results_of(tmp_path / "performances.csv", [0.3, 0.2], 2)
    output = ["--output", str(tmp_path / "out")]
    run = ["run", str(file), "--format", "json", *output]
    assert CliRunner().invoke(main, run).exit_code == 0
    table = tmp_path / "out" / "g" / "tables" / "inference-pairs-misclassification.csv"
    table.parent.mkdir(parents=True)
    results_of(table, [0.3, 0.2], 2)
    manifest = tmp_path / "g.yaml"
    manifest.write_text(f"results: {{file: out/g/tables/{table.name}}}\n")
    further = tmp_path / "tables" / table.name
    further.parent.mkdir()
    results_of(further, [0.3, 0.2], 2)
    other = tmp_path / "h.yaml"
    other.write_text(f"results: {{file: tables/{table.name}}}\n")
    assert CliRunner().invoke(main, ["execute", str(other), *output]).exit_code == 0
    stored = tmp_path / "out" / "h" / "warehouse" / "performances.parquet"
    for path, words in (
        (file, ["export", str(file), "--format", "csv", "--to", str(tmp_path)]),
        (table, ["run", str(manifest), "--format", "json"]),
        (further, ["export", str(other), "--format", "csv", "--to", str(tmp_path)]),
        (stored, ["execute", str(other), "--set", f"results.file={stored}"]),
    ):
        before = path.read_bytes()
        told = CliRunner().invoke(main, [*words, *output])
        assert told.exit_code == 2
        assert f"{path}: found a file that is read where one is to be written" in told.stderr
        assert path.read_bytes() == before


def test_a_difference_is_written_again_before_the_run_that_confirms_it_is_made(
    tmp_path: Path,
) -> None:
    first, second, again = (tmp_path / name / "r.csv" for name in ("first", "second", "again"))
    for path, mean in ((first, 0.3), (second, 0.9), (again, 0.9)):
        path.parent.mkdir()
        results_of(path, [mean, 0.2], 2)
    file = tmp_path / "out.md"
    copy = f"import shutil; shutil.copy({str(second)!r}, {str(again)!r})"
    words = [
        "diff",
        first,
        second,
        "--confirm",
        again,
        "--rerun",
        f'"{sys.executable}" -c "{copy}"',
    ]
    for _ in range(2):
        again.unlink()
        assert CliRunner().invoke(main, [*map(str, words), "-o", str(file)]).exit_code == 0
        assert file.exists()


def test_a_bundle_that_is_read_is_not_written_over_by_its_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = results_of(tmp_path / "r.csv", [0.3, 0.2], 2)
    assert CliRunner().invoke(main, ["run", str(file), "--format", "json"]).exit_code == 0
    for _ in range(2):
        assert CliRunner().invoke(main, ["bundle", "output/r"]).exit_code == 0
    before = (tmp_path / "r.zip").read_bytes()
    told = CliRunner().invoke(main, ["bundle", "r.zip"])
    assert "--to: found r.zip, which is read; allowed another file" in told.stderr
    assert (tmp_path / "r.zip").read_bytes() == before


def test_a_folder_to_write_is_no_file_of_what_is_read(tmp_path: Path) -> None:
    file = results_of(tmp_path / "r.csv", [0.3, 0.2], 2)
    told = CliRunner().invoke(main, ["init", str(file), "--from", str(file)])
    assert "which is read" not in told.output


def test_an_argument_that_is_no_path_is_no_file_that_is_read(tmp_path: Path) -> None:
    file = tmp_path / "times.csv"
    file.write_text("")
    words = ["bench", "a", "b", "--blocks", "0", "--times", str(file), "--", "x" * 9999, "{}"]
    assert "bench: " in CliRunner().invoke(main, words).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("option", ["--summary", "--junit", "--codequality", "--badge"])
def test_a_pipe_that_nobody_reads_is_told(option: str, tmp_path: Path) -> None:
    good = results_of(tmp_path / "good.csv", [0.3, 0.2], 2)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = gated(good, option, pipe)
    assert found.exit_code == 2
    assert "a pipe that nobody reads" in found.stderr
    assert str(pipe) in found.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("option", ["--summary", "--junit"])
def test_a_pipe_that_is_read_has_all(option: str, tmp_path: Path) -> None:
    good = results_of(tmp_path / "good.csv", [0.3, 0.2], 2)
    assert gated(good, option, tmp_path / "file").exit_code == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as reader:
        read = reader.submit(pipe.read_bytes)
        for _ in range(100):  # until the thread has opened it
            if (done := gated(good, option, pipe)).exit_code == 0:
                break
            assert "a pipe that nobody reads" in done.stderr
            sleep(0.05)
        assert read.result(timeout=30) == (tmp_path / "file").read_bytes()


def test_an_undecided_claim_that_is_to_fail_does_so_unconfirmed(tmp_path: Path) -> None:
    bad = results_of(tmp_path / "bad.csv", [0.2, 0.3], 1)
    good = results_of(tmp_path / "good.csv", [0.3, 0.2], 2)
    assert gated(bad, "--confirm", good, "--on-undecided", "fail").exit_code == 1
