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
    assert [(c.k, c.n, c.judges) for c in cells] == [*study.DESIGNS]
    assert max(max(c.category, c.judged, c.mixed, c.style) for c in cells) <= 0.115
    assert max(c.circle for c in cells) <= 0.05
    judged = [c for c in cells if c.judges]
    assert sum(c.alone for c in judged) > sum(c.mixed for c in judged)


def test_intervals_hold_with_few_judges_and_would_not_on_as_many_degrees_of_freedom(
    study: ModuleType,
) -> None:
    """400 studies a row, 100 of 100 models: three standard errors above 5% are 8.3%, and 11.5%."""
    cells = study.read(study.JudgeCell, study.JUDGE_CELLS)
    assert [(c.k, c.n, c.judges, c.sizes) for c in cells] == [*study.JUDGE_DESIGNS]
    for c in cells:
        assert max(c.errors, c.one) <= (0.083 if c.k < study.MANY else 0.115)
    unequal = [c for c in cells if c.sizes == "unequal"]
    assert min(c.joint for c in unequal) > 0.08
    assert all(c.df < c.judges / 2 for c in unequal)


def test_planned_looks_keep_the_level_and_unplanned_ones_do_not(study: ModuleType) -> None:
    """100 studies a row: three standard errors above 5% are 11.5%."""
    cells = study.read(study.LookCell, study.LOOK_CELLS)
    assert [(c.k, c.n, c.judges) for c in cells] == [*study.LOOK_DESIGNS]
    assert max(max(c.obrien_fleming, c.pocock) for c in cells) <= 0.115
    assert sum(c.each for c in cells) > 2 * sum(c.obrien_fleming for c in cells)
    assert sum(c.obrien_fleming for c in cells) <= 0.05 * len(cells)


def test_a_design_is_met_again(study: ModuleType) -> None:
    (judged,) = (c for c in study.read(study.JudgeCell, study.JUDGE_CELLS) if c.df < 3)
    few = study.measure_judges(judged.k, judged.n, judged.judges, judged.sizes, 20)
    assert few.df == pytest.approx(judged.df, abs=1.0)
    own = study.measure_design(4, 200, 12, 6)
    assert own.runs == 6
    assert own.circle <= 0.5
    assert own.mixed <= 0.5
