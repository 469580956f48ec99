"""Four files are a section; what is long may have a file of its own."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from reportgen.sections.base import Section

DECLARATION = """
from reportgen.sections.base import Section
from reportgen.study.manifest import AnalysisOptions

class Options(AnalysisOptions):
    least: int = 3

SECTION = Section(name="short", package=__name__, scope="dataset")
"""
FIGURES = """
REQUESTS = {"dots": None}
def draw(result, canvas): return (f"drawn {result}",)
def tabulate(result): return (f"table of {result}",)
def overview(results): return tuple(results)
"""
TABLES = """
def tabulate(result): return ("of tables.py",)
"""


class Paper:
    """A canvas of a report without figures on request."""

    requested = frozenset[str]()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own = tmp_path / "short_section"
    own.mkdir()
    (own / "__init__.py").write_text(DECLARATION)
    (own / "analysis.py").write_text("def analyse(warehouse, options, rng): return options.least")
    (own / "figures.py").write_text(FIGURES)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("short_section")]:
        monkeypatch.delitem(sys.modules, name)
    return own


def section() -> Section:
    found: Section = import_module("short_section").SECTION
    return found


@pytest.mark.usefixtures("folder")
def test_a_section_of_four_files() -> None:
    """The fourth is its template."""
    own = section()
    assert own.options.model_validate({}).model_dump()["least"] == 3
    assert own.analyse(None, own.options(least=4), None) == 4  # type: ignore[arg-type, call-arg]
    assert own.draw(4, Paper()) == ("drawn 4",)  # type: ignore[arg-type, comparison-overlap]
    assert own.tabulate(4) == ("table of 4",)  # type: ignore[comparison-overlap]
    assert own.overview({"d": 4}) == ("d",)  # type: ignore[comparison-overlap]
    assert own.requests == {"dots": None}


def test_tables_of_their_own_are_all_the_tables_there_are(folder: Path) -> None:
    (folder / "tables.py").write_text(TABLES)
    own = section()
    assert own.tabulate(4) == ("of tables.py",)  # type: ignore[comparison-overlap]
    assert own.overview({"d": 4}) == ()


def test_a_section_without_figures_has_none(folder: Path) -> None:
    (folder / "figures.py").unlink()
    own = section()
    assert own.draw(4, Paper()) == ()  # type: ignore[arg-type]
    assert own.tabulate(4) == ()
    assert own.requests == {}
