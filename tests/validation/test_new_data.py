"""The table of errors of intervals for new data: as the page says, and by the catalogue's rules."""

from __future__ import annotations

from math import sqrt
from types import ModuleType

import numpy as np
import pytest

from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from tests.conftest import ROOT
from tests.validation.scripts import load_study

CLOSE = 1e-9  # relative: solved by other means
FAR = 3.0  # standard errors: of some sixty numbers


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("new-data")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    written = (ROOT / "docs" / "new-data.md").read_text(encoding="utf-8")
    assert written == study.page()


def test_every_setting_is_measured(study: ModuleType) -> None:
    for table, names in ((study.CELLS, study.LEARNERS), (study.OTHERS, study.CONTESTS)):
        assert [(c.learner, c.n, c.scheme, c.rule) for c in study.read(table)] == [
            (name, n, scheme, rule)
            for name in names
            for n in study.SIZES
            for scheme in study.SCHEMES
            for rule in study.RULES
        ]


@pytest.mark.parametrize("table", ["CELLS", "OTHERS"])
def test_no_more_than_eight_per_cent_err_and_five_of_all(study: ModuleType, table: str) -> None:
    for rule in (study.BY_REPLICATIONS, study.BY_LOSSES):
        own = [c for c in study.read(getattr(study, table)) if c.rule == rule]
        runs = sum(c.runs for c in own)
        assert sum(c.wrong for c in own) / runs <= 0.05 + FAR * sqrt(0.05 * 0.95 / runs)
        for cell in own:
            assert cell.wrong / cell.runs <= 0.08 + FAR * sqrt(0.08 * 0.92 / cell.runs), cell


def test_stages_that_let_candidates_go_err_no_more_than_a_fixed_design(study: ModuleType) -> None:
    cells = study.read_stages()
    assert [(c.learner, c.n, c.stop) for c in cells] == [
        (name, n, stop) for name in study.IN_STAGES for n in study.SIZES for stop in study.STOPS
    ]
    assert all(c.gone > c.runs / 3 and c.share < 0.9 for c in cells)  # they do let some go
    runs = sum(c.runs for c in cells)
    assert sum(c.wrong for c in cells) / runs <= 0.05 + FAR * sqrt(0.05 * 0.95 / runs)
    for cell in cells:
        assert cell.wrong / cell.runs <= 0.08 + FAR * sqrt(0.08 * 0.92 / cell.runs), cell


def test_reports_name_equal_learners_seldom(study: ModuleType) -> None:
    studies = study.read_studies()
    cells = {(c.learner, c.scheme): [] for c in studies}
    for one in studies:
        assert one.decided >= one.shown
        cells[one.learner, one.scheme].append(one.shown)
    assert {*cells} == {(learner, d) for learner in study.ESTIMATORS for d in study.DESIGNS}
    for cell, own in cells.items():
        assert len(own) >= 40
        assert sum(own) / len(own) <= 0.08 + FAR * sqrt(0.08 * 0.92 / len(own)), cell
    assert sum(c.shown for c in studies) / len(studies) <= 0.05


@pytest.mark.slow
def test_a_study_says_what_is_counted(study: ModuleType) -> None:
    known = [c for c in study.read_studies() if (c.learner, c.scheme) == ("centroids", "10-fold")]
    some = [known[0], next((c for c in known if c.decided), known[1])]
    assert [study.conclude(c.learner, c.scheme, c.run) for c in some] == some


def test_replications_alone_never_err_more_than_the_corrected_t(study: ModuleType) -> None:
    cells = {(c.learner, c.scheme, c.n, c.rule): c.wrong for c in study.read()}
    for (learner, scheme, n, rule), wrong in cells.items():
        if rule == study.BY_REPLICATIONS:
            assert wrong <= cells[learner, scheme, n, study.CORRECTED_T]


def test_losses_narrow_what_is_tested_several_times(study: ModuleType) -> None:
    cells = {(c.learner, c.scheme, c.n, c.rule): c.width for c in study.read()}
    for (learner, scheme, n, rule), width in cells.items():
        if rule == study.BY_LOSSES and scheme not in ("10-fold", "5-fold"):
            assert width <= cells[learner, scheme, n, study.BY_REPLICATIONS] + 0.001


@pytest.mark.parametrize("name", ["lda", "knn"])
def test_fast_rules_are_those_of_the_catalogue(study: ModuleType, name: str) -> None:
    rng = np.random.default_rng(3)
    x, _, y = study.data_set(rng, 60)
    splits = study.bootstrap(rng, 60, 10)
    found, expected = (
        rule(x, y, splits) for rule in (study.LEARNERS[name], study._of_catalogue(name))
    )
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize(("rule", "name"), [("_lines", "lm"), ("_neighbours_mean", "knn")])
def test_fast_rules_of_numbers_are_those_of_the_catalogue(
    study: ModuleType, rule: str, name: str
) -> None:
    rng = np.random.default_rng(3)
    x, _, y = study.numeric_data_set(rng, 60)
    splits = study.bootstrap(rng, 60, 10)
    for losses, (learn, test) in zip(getattr(study, rule)(x, y, splits), splits, strict=True):
        fitted = ALGORITHMS[name].make("regression", 0).fit(x[learn], y[learn])
        np.testing.assert_allclose(losses, (y[test] - fitted.predict(x[test])) ** 2, rtol=CLOSE)


def test_an_interval_errs_where_it_misses_the_true_difference(study: ModuleType) -> None:
    parts = [np.array([x, 0.5]) for x in (0.1, 0.3, 0.9)]
    assert study._cell("a", "s", "r", 50, parts, 0.0).wrong == 1
    assert study._cell("a", "s", "r", 50, parts, 0.4).wrong == 0
