"""The table of sequential procedures: as promised, as the page says, and met again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
FAR = 3.0  # standard errors
FRESH = 77  # seed of the simulations here
N_RUNS = 300


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    path = ROOT / "studies" / "sequential-size" / "study.py"
    spec = importlib.util.spec_from_file_location("sequential_size", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_is_written_from_the_cells(study: ModuleType) -> None:
    written = (ROOT / "docs" / "sequential-size.md").read_text(encoding="utf-8")
    assert written == study.page(study.read())
    assert "standard errors: none." in written


def test_every_procedure_holds_its_level_and_naive_looks_do_not(study: ModuleType) -> None:
    cells = study.read()
    assert set(cells) == {(s, p) for s in study.SCENARIOS for p in study.PROCEDURES}
    for (scenario, name), cell in cells.items():
        assert cell.runs >= 2000
        if scenario in study.NULLS and name not in study.UNPROMISED:
            assert cell.rate <= study.ALPHA + FAR * cell.error, (scenario, name)
        if scenario in study.NULLS and name == study.UNPROMISED[0]:
            assert cell.rate > 0.25
        if scenario == study.PROCESS:
            assert cell.rate > 0.5  # of other data sets nothing is guaranteed


def test_stages_save_replications_where_there_is_a_difference(study: ModuleType) -> None:
    cells = study.read()
    staged = cells["0.4 standard deviations", "stages, signed ranks, Fisher, O'Brien-Fleming"]
    fixed = cells["0.4 standard deviations", "fixed design, signed ranks"]
    assert staged.rate > 0.98
    assert staged.replications < 0.5 * fixed.replications


@pytest.mark.parametrize(
    ("scenario", "name"),
    [
        ("no difference, heavy tails", "stages, t, Fisher, Pocock"),
        ("no difference, normal", "sign e-process"),
        ("0.2 standard deviations", "group sequential t, O'Brien-Fleming"),
        ("one data set, no difference over data sets", "asymptotic confidence sequence"),
    ],
)
def test_cells_are_met_again(study: ModuleType, scenario: str, name: str) -> None:
    cell = study.read()[scenario, name]
    d = study.SCENARIOS[scenario](np.random.default_rng(FRESH), N_RUNS)
    rejects, used = study.PROCEDURES[name](d)
    error = np.hypot(cell.error, np.sqrt(max(cell.rate * (1 - cell.rate), 0.02) / N_RUNS))
    assert abs(rejects.mean() - cell.rate) < FAR * error
    assert abs(used.mean() - cell.replications) < FAR * 100 / N_RUNS**0.5
