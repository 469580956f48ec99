"""What is said of the power of plans."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("plan")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "plan-size.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_the_number_at_worst_keeps_what_it_promises(study: ModuleType) -> None:
    """80% of studies, but for pilots of a dozen or twenty with a skewness of 6."""
    smooth = [c for c in study.read() if "failures" not in c.law]
    assert len(smooth) == 18
    below = [c for c in smooth if c.safe < 0.8]
    assert all(c.law.startswith("lognormal") and c.pilot < 50 for c in below)
    assert min(c.safe for c in smooth) > 0.75
    assert all(c.n_safe > c.n_drawn for c in smooth)


@pytest.mark.slow
def test_a_law_is_met_again(study: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "PILOTS", (20,))
    monkeypatch.setattr(study, "N_TRUE", 1000)
    (own,) = study.measure_law("exponential, tail towards 0", 6)
    assert own.safe > own.drawn
    assert own.safe > 0.8
    assert np.isfinite([own.n_drawn, own.n_safe]).all()
