"""The table of false alarms of `diff` and `history`: as promised, as the page says, met again."""

from __future__ import annotations

from math import sqrt
from types import ModuleType

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study

FAR = 3.0  # standard errors
FRESH = 78  # seed of the simulations here
N_RUNS = 200


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("changes")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "changes-size.md").read_text(encoding="utf-8")
    assert written == study.page(study.read())


def test_no_more_alarms_are_false_than_promised(study: ModuleType) -> None:
    counts = study.read()
    sizes = counts["sizes"]
    assert {(s["design"], s["noise"], s["cells"]) for s in sizes} == {
        (d, n, k * sets) for d in study.DESIGNS for n in study.NOISES for k, sets in study.FAMILIES
    }
    for cell in (*sizes, *counts["nights"]):
        assert cell["runs"] >= 1000
        assert cell["any"] / cell["runs"] <= study.MOST, cell
    assert {cell["series"] for cell in counts["nights"]} == set(study.SERIES)


def test_a_history_finds_no_less_than_the_documents_say(study: ModuleType) -> None:
    shifts = {(s["quiet"], s["shift"]): s for s in study.read()["shifts"]}
    assert shifts[30, 3.0]["found"] > 0.76 * shifts[30, 3.0]["runs"]
    assert shifts[30, 3.0]["median"] <= 12
    assert shifts[10, 3.0]["found"] < 0.6 * shifts[10, 3.0]["runs"]


def test_sizes_are_met_again(study: ModuleType) -> None:
    rng = np.random.default_rng(FRESH)
    most = study.ALPHA + FAR * sqrt(study.ALPHA * (1 - study.ALPHA) / N_RUNS)
    for design in study.DESIGNS:
        first, second = study.equal_runs(rng, study.exponential, design, 30, (N_RUNS, 4, 5))
        of_values, of_pairs = study.alarms(design, first, second, 5)
        assert (of_values | of_pairs).mean() <= most
    nights = study.first_alarms(study.lognormal(rng, (100, N_RUNS * 4)), rng, 4)
    assert np.isfinite(nights).mean() <= most


@pytest.mark.slow
def test_counts_are_of_this_program(study: ModuleType) -> None:
    known = study.read()["spreads"]
    runs = known[0]["runs"]
    stream = np.random.default_rng(study.SEED).spawn(6)[2]
    assert list(study.measure_spreads(runs, stream)) == known
