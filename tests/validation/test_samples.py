"""The table of errors of comparisons of samples: as the page says, and met again."""

from __future__ import annotations

from math import sqrt
from types import ModuleType

import numpy as np
import pytest

from reportgen.stats.samples.comparison import welch_of, welch_pairs
from reportgen.stats.samples.moments import SampleMoments
from tests.conftest import ROOT
from tests.validation.scripts import load_study

FAR = 4.0  # standard errors: of some hundred numbers
FRESH = 79  # seed of the simulations here
MOST_OF_FEW = 0.073  # 5%, and three standard errors of 1,000 runs and a half
MOST = 0.064  # of samples of one law and size, and of normal logarithms in any design


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("samples")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "samples-size.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_every_setting_is_measured(study: ModuleType) -> None:
    cells = study.read()
    found = {(c.method, c.law, c.design, c.k, c.n) for c in cells}
    assert len(found) == len(cells)
    assert found >= {
        (study.CORRECTED, law, design, k, n)
        for law in study.LAWS
        for design in study.DESIGNS
        for k in study.CANDIDATES
        for n in study.SIZES
    }
    assert all(c.runs >= 4_000 for c in cells if c.method == study.CORRECTED)


def test_errors_are_as_promised_where_they_are_promised(study: ModuleType) -> None:
    own = [c for c in study.read() if c.method == study.CORRECTED]
    for cell in own:
        if cell.design == "alike" or cell.law == "lognormal":
            assert cell.wrong / cell.runs <= MOST, cell


def test_few_data_sets_err_as_promised(study: ModuleType) -> None:
    cells = study.read(study.FEW)
    assert {(c.law, c.design, c.k, c.n) for c in cells} == {
        (law, str(number), k, n)
        for law in study.LAWS
        for number in study.FEW_DATASETS
        for k in study.CANDIDATES
        for n in study.FEW_SIZES
    }
    assert max(cell.wrong / cell.runs for cell in cells) <= MOST_OF_FEW
    assert min(cell.runs for cell in cells) >= 1_000


def test_the_correction_never_errs_more(study: ModuleType) -> None:
    cells = {(c.method, c.law, c.design, c.k, c.n): c.wrong for c in study.read()}
    for (method, *key), wrong in cells.items():
        if method == study.CORRECTED:
            assert wrong <= cells[(study.PLAIN, *key)]


def test_the_fast_rule_is_that_of_the_kernel(study: ModuleType) -> None:
    rng = np.random.default_rng(FRESH)
    design = next(name for name in study.DESIGNS if "a third" in name)
    parts = study.samples("5% outliers", design, 3, 6, 200, rng)
    plain, corrected = study.errors(parts)
    for run in range(200):
        values = np.full((30, 3), np.nan)
        for k, part in enumerate(parts):
            values[: part.shape[1], k] = part[run]
        table = welch_pairs(values, study.ALPHA, scale="difference")
        assert bool(table.significant.any()) == corrected[run]
        means, spreads = np.nanmean(values, axis=0), np.nanstd(values, axis=0, ddof=1)
        moments = SampleMoments.of_summaries(means, spreads, np.isfinite(values).sum(axis=0))
        assert bool(welch_of(moments, study.ALPHA).significant.any()) == plain[run]
    assert 0 < corrected.sum() <= plain.sum() < 100


@pytest.mark.parametrize("k", [2, 5])
def test_errors_are_met_again(study: ModuleType, k: int) -> None:
    rng, runs = np.random.default_rng(FRESH), 1_000
    cells = {(c.law, c.design, c.k, c.n): c for c in study.read() if c.method == study.CORRECTED}
    for law in study.LAWS:
        cell = cells[law, "alike", k, 20]
        _, wrong = study.errors(study.samples(law, "alike", k, 20, runs, rng))
        share = (wrong.sum() + cell.wrong) / (runs + cell.runs)
        error = sqrt(share * (1 - share) * (1 / runs + 1 / cell.runs))
        assert wrong.mean() == pytest.approx(cell.wrong / cell.runs, abs=FAR * error)
