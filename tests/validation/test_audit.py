"""The audit of odd inputs and kills, in small: no traceback, nothing that hangs or is executed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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


def test_the_figures_in_the_documents_are_those_of_a_whole_audit() -> None:
    text = Path(ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| all doors |"))
    tried, refused, accepted, *others = (int(x) for x in row.split("|")[2:-2])
    assert tried >= 300
    assert tried == refused + accepted
    assert set(others) == {0}
