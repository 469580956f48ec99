"""What made-up studies say, word by word; `--snapshot-update` writes it anew.

Abstracts are held where their cases are analysed, in tests/conclusion/test_abstract.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conclusion.cases import CASES
from tests.made_up import MADE_UP, report_of, text_of
from tests.sections.reading import faults

FOLDER = Path(__file__).resolve().parent / "snapshots"


def compare(file: Path, text: str, *, is_new: bool) -> None:
    """Hold a text against a file, or write the file."""
    if is_new:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE_UP)
def test_report(name: str, snapshot_update: bool) -> None:
    text = text_of(report_of(MADE_UP[name]))
    compare(FOLDER / f"report-{name}.txt", text, is_new=snapshot_update)
    assert not faults(text)


def test_no_snapshot_is_left_over() -> None:
    abstracts, reports = (f"abstract-{name}" for name in CASES), (f"report-{n}" for n in MADE_UP)
    assert {file.stem for file in FOLDER.glob("*.txt")} == {*abstracts, *reports}
