"""A run of version 0.2, which is `fixtures/version-0.2`, is reported, loaded, compared, judged."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import reportgen as rg
from reportgen import stats
from reportgen.cli import main
from tests.conftest import ROOT
from tests.test_architecture import PRIVATE

OLD = Path(__file__).with_name("fixtures") / "version-0.2"
SAME = ("first", "second", "decision", "method", "target")


def call(*arguments: str | Path) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of the run's folder, which alone is there."""
    return shutil.copytree(OLD / "small", tmp_path / "small")


def test_nothing_of_the_machine_is_in_the_fixture() -> None:
    for path in OLD.rglob("*.parquet"):  # all that is text is looked through with the other files
        assert not PRIVATE.search(pd.read_parquet(path).to_csv())


def test_its_folder_is_reported_and_stays_as_it_was(run: Path, tmp_path: Path) -> None:
    told = call("report", run, "-o", tmp_path / "new", "--format", "json,md")
    assert told.exit_code == 0, told.stderr
    for before in (OLD / "small" / "warehouse").iterdir():
        assert (run / "warehouse" / before.name).read_bytes() == before.read_bytes()
    files = OLD / "small" / "results.json", tmp_path / "new" / "small" / "results.json"
    old, new = (json.loads(path.read_text("utf-8"))["sections"] for path in files)
    assert {"eda", "inference", "preferences", "consensus", "domain"} <= {*new}
    for dataset, measures in old["inference"].items():
        for measure, inference in measures.items():
            found = new["inference"][dataset][measure]["pairs"]
            for before, now in zip(inference["pairs"], found, strict=True):
                assert [now[k] for k in SAME] == [before[k] for k in SAME]
                assert now["estimate"] == pytest.approx(before["estimate"], rel=1e-9)


def test_its_folder_is_loaded(run: Path) -> None:
    study = rg.load(run)
    assert study.candidates == ("lda", "knn", "dummy")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diff", "RUN", "RUN"), "All values are unchanged, to the last bit."),
        (("gate", "RUN", "--expect", "lda better than dummy"), "holds      lda better than dummy"),
        (("run", "MANIFEST", "--dry-run", "--output", "PARENT"), "; 0 fits to run"),
    ],
)
def test_its_folder_is_read_by_other_verbs(
    words: tuple[str, ...], said: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the scikit-learn that has measured it: other candidates are those of another version."""
    monkeypatch.setattr("sklearn.__version__", "1.9.1")
    text = (OLD / "small.yaml").read_text("utf-8")
    manifest = run.parent / "small.yaml"
    manifest.write_text(text.replace("fit-time", "fit-cpu-time"), "utf-8")  # which it has measured
    places = {"RUN": run, "MANIFEST": manifest, "PARENT": run.parent}
    told = call(*(places.get(word, word) for word in words))
    assert told.exit_code == 0, told.stderr
    assert said in told.stdout


def test_functions_that_are_gone_are_named_in_the_notes() -> None:
    notes = (ROOT / "docs" / "upgrade.md").read_text("utf-8")
    gone: set[str] = set()
    for name, arguments in json.loads((OLD / "functions.json").read_text("utf-8")).items():
        if name not in stats.__all__:
            gone.add(f"`{name}`")
            continue
        lost = {*arguments} - {*inspect.signature(getattr(stats, name)).parameters}
        gone |= {f"`{name}`" for _ in lost} | {f"`{argument}` of `" for argument in lost}
    assert len(gone) == 10
    assert not [words for words in gone if words not in notes]


@pytest.mark.parametrize("format_", ["html", "markdown", "latex", "quarto"])
def test_macros_whose_arguments_changed_are_named_in_the_notes(format_: str) -> None:
    notes = (ROOT / "docs" / "upgrade.md").read_text("utf-8")
    (row,) = (line for line in notes.splitlines() if "of a `blocks` file" in line)
    named = dict(re.findall(r"`(\w+)\(([^)]*)\)`", row.split(" | ")[1]))
    (blocks,) = (ROOT / "templates" / format_).glob("blocks.*")
    for name, arguments in named.items():
        macro = re.search(rf"macro {name}\((.*)\) %", blocks.read_text("utf-8"))
        assert macro is not None, name
        assert macro[1].replace("=()", "").endswith(arguments.removeprefix("…")), name
    assert sorted(named) == ["compact_figure", "dataset_facts", "table"]
