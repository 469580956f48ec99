"""import, init and run, as they are typed, on what other programs have written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.errors import StudyError
from reportgen.exchange.tidy import read_results, study_results
from reportgen.study.manifest import load_study

pytestmark = pytest.mark.usefixtures("blanks_as_figures")


def test_import_says_what_it_cannot_see(files: Path, tmp_path: Path) -> None:
    output = tmp_path / "r.parquet"
    view = ["import", str(files / "frames.rda"), "--object", "view", "-o", str(output)]
    assert CliRunner().invoke(main, view).exit_code == 0
    assert read_results(output).candidates == ("lda", "svm")
    source = tmp_path / "any.csv"
    source.write_text("problem,variant,cost\na,x,1\na,y,2\n")
    told = ["--column", "candidate=variant", "--column", "dataset=problem", "--better"]
    done = CliRunner().invoke(
        main, ["import", str(source), *told, "cost=larger", "-o", str(output)]
    )
    assert done.exit_code == 0
    found = read_results(output)
    assert (found.datasets, found.candidates) == (("a",), ("x", "y"))
    assert found.measures[0].better == "larger"


def test_a_direction_of_a_measure_that_no_file_has_is_told(tmp_path: Path) -> None:
    source, output = tmp_path / "any.csv", tmp_path / "r.parquet"
    source.write_text("candidate,replication,accuracy\nx,1,0.5\ny,1,0.6\n")
    words = ["import", str(source), "--better", "acuracy=larger", "-o", str(output)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "--better: found the measure 'acuracy'; allowed accuracy; did you" in done.output
    assert not output.exists()


def test_a_wrong_column_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["import", "any.csv", "--column", "candidat=x", "-o", str(tmp_path / "r.parquet")]
    )
    assert done.exit_code == 2
    assert "did you mean candidate?" in done.output


def test_other_columns_are_said_once(tmp_path: Path) -> None:
    source, folder = tmp_path / "any.csv", tmp_path / "mine"
    source.write_text("who,what,zeal\na,x,1\na,y,2\n")
    told = ["--column", "candidate=what", "--column", "dataset=who"]
    asked = CliRunner().invoke(main, ["import", str(source), *told, "-o", f"{folder}.parquet"])
    entry = "results: {file: any.csv, columns: {candidate: what, dataset: who}}\n"
    assert entry in asked.output  # the error proposes what holds for this file
    start = ["init", str(folder), "--from", str(source), *told]
    assert CliRunner().invoke(main, start).exit_code == 0
    manifest = folder / "study.yaml"
    with pytest.raises(StudyError, match=r"study\.yaml:19: .*better: found \?\?\?, which"):
        load_study(manifest, {})
    manifest.write_text(manifest.read_text().replace('"???"', "larger"))
    found = study_results(load_study(manifest, {}))
    assert (found.datasets, found.candidates) == (("a",), ("x", "y"))
    alone = CliRunner().invoke(main, ["init", str(tmp_path / "other"), *told])
    assert alone.exit_code == 2
    assert "--from: found no file" in alone.output


def test_a_manifest_for_a_wide_table(tmp_path: Path) -> None:
    source, folder = tmp_path / "any.csv", tmp_path / "mine"
    source.write_text("dataset,x,y\na,1,2\nb,2,3\n")
    start = ["init", str(folder), "--from", str(source), "--measure", "cost"]
    assert CliRunner().invoke(main, [*start, "--better", "cost=larger"]).exit_code == 0
    found = study_results(load_study(folder / "study.yaml", {}))
    assert (found.candidates, found.measures[0].better) == (("x", "y"), "larger")


def test_a_manifest_for_what_benchopt_has_written(files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    source = str(files / "benchopt.parquet")
    assert CliRunner().invoke(main, ["init", str(folder), "--from", source]).exit_code == 0
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    assert '{name: "objective_norm", better: "???"}    # in place of ???:' in text
    assert re.search(r'- "objective_value" +# smaller is better, as the file says\n', text)
    (folder / "study.yaml").write_text(text.replace('"???"', "smaller"), encoding="utf-8")
    warehouse = study_results(load_study(folder / "study.yaml", {}))
    assert [m.name for m in warehouse.measures] == ["objective_value", "objective_norm", "time"]
