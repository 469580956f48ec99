"""The abstracts of made-up studies, word by word; `--snapshot-update` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conclusion.cases import CASES, case, told

FOLDER = Path(__file__).resolve().parent.parent / "snapshots"


@pytest.mark.parametrize("name", CASES)
def test_abstract(name: str, snapshot_update: bool) -> None:
    file, text = FOLDER / f"abstract-{name}.txt", told(case(name))
    if snapshot_update:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_no_snapshot_is_left_over() -> None:
    assert {f.stem for f in FOLDER.glob("abstract-*.txt")} == {f"abstract-{name}" for name in CASES}
