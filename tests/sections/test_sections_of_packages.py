"""Sections of other packages: what is wrong with one is told with the package's name."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from reportgen import sections
from reportgen.errors import SetupError

PACKAGE = '''
from __future__ import annotations

from reportgen.sections.base import Section
from reportgen.study.manifest import AnalysisOptions

class Strange:
    """What no manifest can hold."""

class Options(AnalysisOptions):
    """Its options."""
    own: {} = None

SECTION = Section(name="theirs", package=__name__, scope="dataset")
'''


@pytest.mark.parametrize(("kind", "is_told"), [("Strange", True), ("Absent", True), ("int", False)])
def test_options_that_no_model_can_have_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, is_told: bool
) -> None:
    name = f"theirs_{kind.lower()}"
    (tmp_path / f"{name}.py").write_text(PACKAGE.format(kind))
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("theirs", f"{name}:SECTION", "reportgen.sections")
    monkeypatch.setattr(sections, "entry_points", lambda group: [point])
    if not is_told:
        assert "theirs" in sections.find_sections()
        return
    with pytest.raises(SetupError, match=rf"the package '{name}': found no section .*{kind}"):
        sections.find_sections()
