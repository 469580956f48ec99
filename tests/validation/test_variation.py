"""Tables of components and of plans: as their pages say, and what they promise."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.mark.parametrize("name", ["variation", "plan"])
def test_the_page_is_written_from_the_counts(name: str) -> None:
    written = (ROOT / "docs" / f"{name}-size.md").read_text(encoding="utf-8")
    assert written == load_study(name).page()


def test_closed_forms_miss_what_they_promise() -> None:
    study = load_study("variation")
    cells = study.read(study.COMPONENTS, study.Coverage)
    closed = [c for c in cells if c.law == "normal" and not study.is_fitted(c.design)]
    assert max(c.misses / c.known for c in closed) < 0.09  # of 300, by chance
    assert sum(c.misses for c in closed) / sum(c.known for c in closed) < 0.055


def test_several_sources_have_a_component_each() -> None:
    study = load_study("variation")
    cells = study.read(study.DECISIONS, study.Errors)
    enough = [c for c in cells if min(c.seeds, c.tunings) >= 3]
    assert max(c.rule / c.runs for c in enough) < 0.085
    assert max(c.one_source / c.runs for c in enough) > 0.1


def test_draws_of_a_pilot_reach_more_where_differences_are_skewed() -> None:
    study = load_study("plan")
    for cell in study.read():
        if "towards" in cell.law:
            assert cell.drawn > cell.formula
            assert cell.skewed > cell.known + 0.2
