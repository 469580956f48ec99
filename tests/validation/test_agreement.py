"""What is said of the errors of whether scores and battles agree."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("agreement")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "agreement-size.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_opposite_orders_are_seldom_said_wrongly_and_often_rightly(study: ModuleType) -> None:
    """150 studies a row: three standard errors above 5% are 10.3%."""
    cells = study.read()
    assert [(c.truth, c.n_items, c.n_battles, c.judges) for c in cells] == study.settings()
    assert max(c.wrong for c in cells) <= study.ALPHA
    assert all(c.wrong <= c.both_at_alpha for c in cells)
    assert min(min(c.of_scores, c.of_battles) for c in cells) > 0.92
    assert min(c.shown for c in cells if c.truth in study.OPPOSITE) > 0.15
    assert max(c.tau for c in cells if c.truth == "unrelated") <= 0.103


def test_a_setting_is_met_again(study: ModuleType) -> None:
    found = study.measure("ends turned", 200, 500, 30, 5)
    (known,) = (c for c in study.read() if (c.truth, c.judges) == ("ends turned", 30))
    assert found.wrong == 0
    assert found.shown == pytest.approx(known.shown, abs=0.3)
