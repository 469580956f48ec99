"""What is said of the errors of what battles are asked."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("battles")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "battles-size.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_trees_keep_their_level_where_battles_belong_together(study: ModuleType) -> None:
    """100 studies a row: three standard errors above 5% are 11.5%."""
    cells = study.read(study.Cell, study.CELLS)
    assert len(cells) == 5
    assert max(max(c.category, c.judged, c.mixed, c.style) for c in cells) <= 0.115
    assert max(c.circle for c in cells) <= 0.05
    judged = [c for c in cells if c.judges]
    assert sum(c.alone for c in judged) > sum(c.mixed for c in judged)


def test_planned_looks_keep_the_level_and_unplanned_ones_do_not(study: ModuleType) -> None:
    """100 studies a row: three standard errors above 5% are 11.5%."""
    cells = study.read(study.LookCell, study.LOOK_CELLS)
    assert [(c.k, c.n, c.judges) for c in cells] == [*study.LOOK_DESIGNS]
    assert max(max(c.obrien_fleming, c.pocock) for c in cells) <= 0.115
    assert sum(c.each for c in cells) > 2 * sum(c.obrien_fleming for c in cells)


def test_a_design_is_met_again(study: ModuleType) -> None:
    own = study.measure_design(4, 200, 12, 6)
    assert own.runs == 6
    assert own.circle <= 0.5
    assert own.mixed <= 0.5
