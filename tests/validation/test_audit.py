"""The audit of odd inputs and kills, in small: no traceback, nothing that hangs or is executed."""

from __future__ import annotations

import importlib
import random
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "validation" / "audit" / "study.py"
HEAD = "| door | tried | refused | accepted | tracebacks | hangs | executed | unclear |"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks, and finds processes by /proc")
def test_a_small_audit_finds_nothing() -> None:
    words = [sys.executable, SCRIPT, "3", "35", "2"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = told.splitlines()
    assert lines[0] == HEAD
    total = [int(cell) for cell in lines[8].split("|")[2:-1]]
    assert total[0] == 6 * 5 + 20
    assert total[1] > 10
    assert total[2] > 3
    assert total[3:] == [0, 0, 0, 0], told
    assert re.search(r"\{'kills': \d+, .*'tracebacks': 0, 'left': 0, 'lost': 0", told), told


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks, and finds processes by /proc")
def test_a_small_audit_of_verbs_finds_nothing() -> None:
    words = [sys.executable, SCRIPT.with_name("verbs.py"), "4", "20", "5"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    total = next(line for line in told.splitlines() if line.startswith("| all |"))
    tried, refused, accepted, *others = (int(cell) for cell in total.split("|")[2:-1])
    assert tried == 20
    assert refused + accepted == tried
    assert set(others) == {0}, told
    assert re.search(r"'tracebacks': 0, 'left': 0, 'lost': 0, 'hangs': 0", told), told


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return the third audit's script, whose folder has modules of common names."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    names = ("options", "study", "verbs")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("options")
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("door", ["calls", "command_lines", "environments", "binaries"])
def test_inputs_of_the_third_audit_are_those_of_its_seed(
    options: ModuleType, door: str, tmp_path: Path
) -> None:
    found = []
    for i, seed in enumerate((7, 7, 8)):
        (folder := tmp_path / str(i)).mkdir()
        made = getattr(options, door)(random.Random(seed), folder, 6)
        words = [(*(w.replace(str(folder), "") for w in x.words), x.note) for x in made]
        found.append(words)
    assert len(found[0]) == 6
    assert found[0] == found[1]
    assert door == "binaries" or found[0] != found[2]


def test_calls_of_the_third_audit_end_by_a_refusal_a_result_or_a_traceback(
    options: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        options.call(["python", "rg.load(...)"])
    assert refused.value.code == 2
    assert "reportgen: load(path=…): found 'ellipsis'" in capsys.readouterr().out
    options.call(["python", "1 + 1"])
    assert capsys.readouterr().out == "2\n"
    with pytest.raises(ZeroDivisionError):
        options.call(["python", "1 / 0"])


def test_a_row_of_an_audit_counts_each_kind_of_outcome(options: ModuleType) -> None:
    counts = Counter(refused=5, accepted=4, traceback=3, hang=2, executed=1, unclear=1)
    assert options.row("door", counts) == "| door | 16 | 5 | 4 | 3 | 2 | 1 | 1 |"


def test_the_figures_in_the_documents_are_those_of_a_whole_audit() -> None:
    text = Path(ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| all doors |"))
    tried, refused, accepted, *others = (int(x) for x in row.split("|")[2:-2])
    assert tried >= 300
    assert tried == refused + accepted
    assert set(others) == {0}


@pytest.fixture
def answered(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ModuleType]:
    """Return a script of inputs with their answers."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    for name in (names := ("by_hand", "unforeseen", "found_outside", "options", "verbs", "study")):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(request.param)
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="makes pipes and sockets")
@pytest.mark.parametrize("answered", ["found_outside", "unforeseen", "by_hand"], indirect=True)
def test_each_input_has_one_answer(
    answered: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("good.zip", "w") as file:
        for name in ("a.parquet", "results.json", "provenance.json", "manifest.yaml", "SHA256SUMS"):
            file.writestr(name, b"x")
    for name in ("histories", "journals", "stored_runs"):  # which start the program, or need a run
        monkeypatch.setattr(answered, name, lambda _: (), raising=False)
    tried = list(answered.tries(tmp_path))
    assert len(tried) > 180
    assert {answer for _, answer in tried} == {"accepted", "refused"}
    assert len({(given.door, given.note, given.words[:1]) for given, _ in tried}) == len(tried)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.parametrize(
    ("script", "every"), [("found_outside", "16"), ("unforeseen", "41"), ("by_hand", "60")]
)
def test_inputs_have_their_answers(script: str, every: str) -> None:
    words = [sys.executable, SCRIPT.with_name(f"{script}.py"), every]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    head, *rows = told.splitlines()
    assert head == HEAD, told
    *tried, total = ([int(cell) for cell in row.split("|")[2:-1]] for row in rows)
    assert len(tried) > 3
    assert total[0] > 7
    assert min(total[1:3]) > 0
    assert set(total[3:]) == {0}
