"""Alarms of histories: as the page says, and met again."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("history")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    assert (ROOT / "docs" / "history-size.md").read_text(encoding="utf-8") == study.page()


def test_the_promise_holds_without_drift_and_with_drift_that_is_shared(study: ModuleType) -> None:
    cells = study.read_cells()
    assert {c.scenario for c in cells} == set(study.SCENARIOS)
    quiet = ("nothing happens", "heavy tails (t, 3 df)", "drift of .9 that the reference shares")
    for cell in cells:
        assert cell.histories >= 1000
        if cell.scenario in quiet:
            assert cell.alarmed <= study.ALPHA * cell.histories, cell
            assert cell.dependent <= 1.3 * study.ALPHA * cell.m * cell.histories, cell


def test_drift_that_raises_alarms_is_told(study: ModuleType) -> None:
    cells = {(c.scenario, c.nights, c.block, c.m): c for c in study.read_cells()}
    drift = cells["drift: autocorrelation .9", 40, 1, 10]
    assert drift.alarmed > 0.9 * drift.histories
    assert drift.told > 0.95 * drift.series
    shift = cells["shift of 12 SD from night 13", 40, 1, 10]
    assert shift.alarmed > 0.9 * shift.histories
    assert shift.told < 0.1 * shift.series


def test_a_cell_is_met_again(study: ModuleType) -> None:
    name, histories = "drift: autocorrelation .9", 100
    again = study.cell(name, 40, 1, 2, histories)
    first = next(c for c in study.read_cells() if (c.scenario, c.nights, c.m) == (name, 40, 2))
    assert abs(again.dependent / (2 * histories) - first.dependent / (2 * first.histories)) < 0.05
