"""The page of other promises: as the counts say, and as promised."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study

SLACK = 0.03  # three standard errors of 5% in 500 studies


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("many")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "many-size.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_promises_are_kept(study: ModuleType) -> None:
    own = [c for c in study.read() if c.part == "discoveries"]
    assert len(own) == 36
    assert max(c.rate for c in own) <= 0.05
    assert all(c.found >= c.verdict for c in own)
    assert max(c.any_wrong for c in own) > 0.5  # it is another promise
    assert max(c.rate for c in study.read() if c.part == "conjunction") <= 0.025 + 0.005


def test_a_setting_is_met_again(study: ModuleType) -> None:
    assert study.discoveries("half better", 5, 20, 200).rate <= 0.05 + SLACK
    assert study.conjunction(5, 2000).rate <= 0.025 + 0.012
