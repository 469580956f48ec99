"""What is said of the size and power of comparisons with a reference."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study

SLACK = 0.04  # three standard errors of 5% in 300 studies


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("reference")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "reference-size.md").read_text(encoding="utf-8")
    assert written == study.page(study.read())


def test_errors_are_rare_and_power_is_gained(study: ModuleType) -> None:
    found = study.read()
    assert len(found) == 36
    own = [c for c in found if c.law != "lognormal (.5)" or c.units > 8]
    assert max(c.wrong for c in own) < 0.05 + 0.02
    assert all(c.power >= c.power_of_all for c in found)
    assert all(c.width < 1 for c in found)
    ten = next(c for c in found if (c.law, c.candidates, c.units) == ("normal", 10, 20))
    assert ten.power > 1.3 * ten.power_of_all  # as docs/reference.md has it


def test_a_setting_is_met_again(study: ModuleType) -> None:
    assert study.cell("normal", 5, 8, 300).wrong < 0.05 + SLACK
