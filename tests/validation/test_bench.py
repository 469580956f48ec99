"""What is said of the errors of timings in alternation."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("bench")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "bench-size.md").read_text(encoding="utf-8")
    assert written == study.page(study.read(), study.read_processes())


def test_drift_misleads_runs_in_turn_and_no_blocks(study: ModuleType) -> None:
    found = {c.noise: c for c in study.read()}
    assert len(found) == 6
    assert max(c.decided for c in found.values()) < 0.05
    assert max(c.alarms for c in found.values()) < 0.005
    assert found["drift of 10%"].in_turn > 0.9
    assert found["independent"].found > 0.7


def test_a_kind_of_noise_is_met_again(study: ModuleType) -> None:
    own = study.cell("drift of 10%", 100)
    assert own.in_turn > 0.9
    assert own.decided < 0.05 + 0.09


def test_runs_of_a_process_are_not_independent(study: ModuleType) -> None:
    found = study.read_processes()
    assert max(c.wrong_processes for c in found) < 0.065
    assert min(c.wrong_runs for c in found if c.start == 3) > 0.4
    own = study.of_processes(3.0, 10, 100)
    assert own.wrong_processes < 0.05 + 0.09
    assert own.wrong_runs > 0.3
