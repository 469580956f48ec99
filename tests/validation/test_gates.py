"""The error rates of gates: as promised, as the page says, and met again."""

from __future__ import annotations

from math import inf
from types import ModuleType

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.sections.expectations.contrasts import ContrastValues, contrast_of
from reportgen.stats.pairs.promise import promise_for
from tests.conftest import ROOT
from tests.validation.scripts import load_study

FAR = 3.0  # standard errors
FRESH = 78  # seed of the simulations here


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("gates")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    assert (ROOT / "docs" / "gates-size.md").read_text(encoding="utf-8") == study.page()


def test_gates_err_as_often_as_is_promised(study: ModuleType) -> None:
    cells = study.read_cells()
    fixed = {(c.noise, c.n, c.m) for c in cells if "stages" not in c.noise}
    assert fixed == {(x, n, m) for x in study.LAWS for n in study.SIZES for m in study.COUNTS}
    for cell in cells:
        assert cell.runs >= 1000
        if not cell.noise.startswith("skewed") or promise_for(cell.n, 1.25, cell.m).is_kept:
            assert cell.either <= study.MOST * cell.runs, cell
    worst = max(c.either / c.runs for c in cells)
    assert worst == pytest.approx(promise_for(20, 1.25, 50).error, abs=0.01)


def test_gates_raise_no_false_alarms_and_find_what_is_large(study: ModuleType) -> None:
    found = {(a.design, a.noise, a.slower, a.rule): a.alarms / a.runs for a in study.read_alarms()}
    side = "side by side"
    for noise in study.NOISES:
        for slower in (1.0, 1.05):
            assert found[side, noise, slower, study.FAILS] <= study.MOST
        assert found[side, noise, 2.5, study.FAILS] > 0.98
    loud = max(study.NOISES)
    assert found[side, loud, 1.0, "pytest-benchmark, `mean:10%`"] > 0.5
    assert found[side, loud, 1.5, "github-action-benchmark, 200%"] < 0.1
    assert found["jobs of their own", min(study.NOISES), 1.0, study.FAILS] > study.MOST


@pytest.mark.parametrize("noise", ["normal", "skewed", "heteroscedastic"])
@pytest.mark.parametrize("m", [1, 7])
def test_the_rule_is_that_of_gates(study: ModuleType, noise: str, m: int) -> None:
    rng = np.random.default_rng(FRESH)
    both = study.LAWS[noise](rng, (60, 25)) + rng.normal(0, 2, (60, 1, 1)) * [1, 0]
    passes, fails = study.decisions(both[..., 0] - both[..., 1], 0.2, m)
    for own, has_passed, has_failed in zip(both, passes, fails, strict=True):
        values = ContrastValues(
            candidates=("new", "main"),
            values=own,
            scale="difference",
            measure=Measure("error"),
            unit="replication",
            target="conditional",
        )
        bounds = -inf, 0.2
        found = contrast_of(values, "new", "main", 0.0, bounds, study.ALPHA, m).outcome
        assert (found == "holds", found == "fails") == (has_passed, has_failed)
    assert 0 < passes.sum() < 60
    assert 0 < fails.sum() < 60


@pytest.mark.parametrize("noise", ["normal", "skewed", "heteroscedastic"])
def test_a_cell_is_met_again(study: ModuleType, noise: str) -> None:
    runs = 1000
    again = study.false_outcomes(noise, 50, 5, runs, np.random.default_rng(FRESH))
    assert again.either / runs <= 0.05 + FAR * (0.05 * 0.95 / runs) ** 0.5
