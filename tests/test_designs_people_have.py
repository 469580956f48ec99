"""Each design has an example that runs, a call, a gate and a plan, as docs/designs.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reportgen
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "designs.md"
HEAD = "| design | example | page | in Python | a gate | a plan |"
ROW = re.compile(r"\| (.+) \| `studies/(.+)` \| \[.+\]\((.+)\) \| `(.+)` \| `(.+)` \| `(.+)` \|")


def rows() -> list[tuple[str, ...]]:
    lines = PAGE.read_text(encoding="utf-8").split(HEAD)[1].strip().splitlines()[1:]
    found = [match.groups() for line in lines if (match := ROW.fullmatch(line))]
    assert len(found) == len(lines[: len(found)]) == 10
    return found


@pytest.mark.parametrize(
    ("manifest", "page", "call", "claim", "plan"),
    [row[1:] for row in rows()],
    ids=[row[1] for row in rows()],
)
def test_a_design_is_whole(
    manifest: str, page: str, call: str, claim: str, plan: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The page has a picture of it; the call finds something; gate and plan answer."""
    monkeypatch.chdir(tmp_path)
    path, _, anchor = page.partition("#")
    text = (PAGE.parent / path).read_text(encoding="utf-8")
    assert re.search(r"!\[.+\]\(\w+\.svg\)", text)
    assert not anchor or f"# {anchor.replace('-', ' ')}" in text.lower()
    study = reportgen.run(ROOT / "studies" / manifest, jobs=1)
    assert eval(call, {"study": study}) is not None
    (outcome,) = study.gate(claim).items
    assert outcome.outcome in ("holds", "fails", "undecided")
    found = eval(plan, {"study": study})
    assert found.enough > 0
    assert found.curves
