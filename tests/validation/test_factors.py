"""What is said of the price of choosing the best setting."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("factors")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "factors-size.md").read_text(encoding="utf-8")
    assert written == study.page(study.read())


def test_the_price_keeps_the_error_and_the_bias_away(study: ModuleType) -> None:
    found = study.read()
    assert len(found) == 9
    assert max(c.priced for c in found) <= 0.05
    assert max(c.given for c in found) > 0.1  # without it
    assert max(abs(c.honest_bias) for c in found) < 0.1
    assert min(c.bias for c in found) > 0.05
    assert max(c.sizes for c in found) < 0.05 + 0.04


def test_a_setting_is_met_again(study: ModuleType) -> None:
    found = study.cell(5, 10, 60)
    assert found.priced <= 0.05 + 0.1
    assert found.bias > 0.15
