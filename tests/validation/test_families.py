"""The table of errors over families of data sets: as the page says, and met again."""

from __future__ import annotations

from math import sqrt
from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.validation.scripts import load_study

FAR = 4.0  # standard errors
RUNS = 1000


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("families")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "families-size.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_every_setting_is_measured_once(study: ModuleType) -> None:
    found = [(c.sizes, c.n_families, c.likeness, c.weighting, c.law) for c in study.read()]
    assert found == list(study.settings())


def test_families_hold_what_is_promised_and_data_sets_do_not(study: ModuleType) -> None:
    cells = [c for c in study.read() if c.law == "normal"]
    assert max(c.errors / c.runs for c in cells) <= study.PROMISED
    alike = [c for c in cells if c.likeness >= 0.3]
    assert min(c.naive / c.runs for c in alike) > 0.12
    assert max(c.naive / c.runs for c in alike) > 0.8
    apart = [c for c in cells if c.likeness == 0]
    assert max(c.naive / c.runs for c in apart) < 0.06  # where they are independent


@pytest.mark.parametrize(
    ("sizes", "n", "likeness", "weighting"),
    [
        ("of 4", 10, 0.6, "equal"),
        ("lognormal", 20, 0.95, "family"),
        ("half alone", 20, 0.3, "equal"),
    ],
)
def test_a_setting_is_met_again(
    study: ModuleType, sizes: str, n: int, likeness: float, weighting: str
) -> None:
    (known,) = (
        c
        for c in study.read()
        if (c.sizes, c.n_families, c.likeness, c.weighting, c.law)
        == (sizes, n, likeness, weighting, "normal")
    )
    found = study.measure(sizes, n, likeness, weighting, "normal", RUNS)
    for a, b in ((found.errors, known.errors), (found.naive, known.naive)):
        share = b / known.runs
        assert abs(a / RUNS - share) < FAR * sqrt(share * (1 - share) * (1 / RUNS + 1 / known.runs))
