"""The scale over data sets: by the measure's kind, by values, and what it decides."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.sections.domain import Options
from reportgen.sections.domain.tables import tabulate
from reportgen.study.comparison import comparison_scale, domain_scale
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, tell
from tests.sections.domain.test_verdict import verdict_of
from tests.sections.reading import faults

THREE = ("lin", "gbm", "net")
LEVELS = np.array([1.2, 3.0, 9.5, 0.4, 22.0, 300.0, 7.7, 55.0, 1800.0, 12.0, 640.0, 2.6])
RMSE = Measure("rmse", "smaller", "", (0.0, None))
UNKNOWN = Measure("spread", "smaller")


def in_many_units(seed: int = 1) -> np.ndarray:
    """Return errors of 12 data sets in units of their own: gbm is better by a fifth on each."""
    rng = np.random.default_rng(seed)
    return LEVELS[:, None] * [1.0, 0.8, 0.9] * rng.lognormal(0, 0.02, (12, 3))


def test_errors_in_many_units_are_decided_by_ratio():
    found = verdict_of(in_many_units(), THREE, RMSE)
    assert (found.choice.scale, found.choice.reason) == ("ratio", "kind")
    assert found.pairs.n_significant == 3
    assert found.order == ("gbm", "net", "lin")
    given = Measure("rmse", "smaller", "", (0.0, None), "difference")
    by_difference = verdict_of(in_many_units(), THREE, given)
    assert by_difference.choice.reason == "given"
    assert by_difference.pairs.n_significant == 0


@pytest.mark.parametrize(
    ("measure", "is_positive", "area", "expected"),
    [
        (Measure("mae"), True, None, ("ratio", "kind")),
        (Measure("mae"), False, None, ("wins", "kind")),
        (Measure("mae"), True, (-1.0, 1.0), ("difference", "area")),
        (Measure("mae", scale="wins"), True, None, ("wins", "given")),
        (Measure("max_error"), True, None, ("ratio", "kind")),
        (Measure("test_rmse"), True, None, ("ratio", "kind")),
        (Measure("neg_rmse", "larger"), False, None, ("wins", "kind")),
        (Measure("test_accuracy", "larger"), True, None, ("difference", "kind")),
        (Measure("test_error"), True, None, ("ratio", "values")),
        (Measure("log-loss"), True, None, ("difference", "kind")),
        (Measure("r2", "larger"), False, None, ("difference", "kind")),
        (Measure("kappa", "larger"), True, None, ("difference", "kind")),
        (Measure("mine", unit_symbol="share"), True, None, ("difference", "kind")),
        (Measure("fit-time", unit_symbol="s"), True, None, ("ratio", "kind")),
        (Measure("fit-time", unit_symbol="s"), False, None, ("difference", "kind")),
        (UNKNOWN, True, None, ("ratio", "values")),
        (UNKNOWN, False, None, ("wins", "values")),
    ],
)
def test_the_kind_of_a_measure_chooses(measure, is_positive, area, expected):
    found = domain_scale(measure, in_many_units(), is_positive, area)
    assert (found.scale, found.reason) == expected


def test_values_choose_from_six_data_sets_on_where_they_have_no_scale_in_common():
    values = in_many_units()
    assert domain_scale(UNKNOWN, values[:5], True, None).scale == "difference"
    assert domain_scale(UNKNOWN, values / values.max(), True, None).scale == "difference"
    level = 10 + np.random.default_rng(2).normal(size=(12, 3))
    assert domain_scale(UNKNOWN, level, True, None).scale == "difference"
    found = domain_scale(UNKNOWN, values, True, None)
    assert found.growth.slope > 0.9
    assert found.growth.level_ratio > 1000


@pytest.mark.parametrize("name", ["rmse", "mae"])
def test_one_data_set_has_one_unit(name):
    values = in_many_units()[:, :2]
    assert comparison_scale(Measure(name), values, None) == "difference"
    assert comparison_scale(Measure(name, scale="ratio"), values, None) == "ratio"
    assert comparison_scale(Measure(name, scale="wins"), values, None) == "difference"


def test_errors_that_can_be_zero_are_compared_by_wins_without_means():
    values = in_many_units()
    values[0, 1] = 0.0
    cubes = {RMSE: {f"d{m}": row[None] for m, row in enumerate(values)}}
    said, result = tell(cubes, THREE)
    found = result.verdict["rmse"]
    assert found.is_wins
    assert found.order[0] == "gbm"
    assert found.pairs.between("gbm", "lin").estimate == -1.0
    assert found.pairs.between("gbm", "lin").decision == "better"
    (model,) = (x for x in tabulate(result) if x.name == "model")
    assert [column.name for column in model.columns] == [
        "candidate",
        "mean_rank",
        "first_rank",
        "last_rank",
    ]
    assert "who is ahead on more data sets" in said.article["domain"]
    assert faults(said.whole) == []


def test_a_ratio_by_its_values_is_said():
    cubes = {UNKNOWN: {f"d{m}": row[None] for m, row in enumerate(in_many_units())}}
    said, result = tell(cubes, THREE)
    assert result.verdict["spread"].choice.reason == "values"
    assert "grow with the level of the data sets" in said.article["domain"]


WITH_A_ZERO = np.where(np.arange(36).reshape(12, 3) == 4, 0.0, in_many_units())
ADDED = LEVELS[:, None] + [0.3, 0.0, 0.1]  # differences that do not grow with the level


@pytest.mark.parametrize(
    ("measure", "means", "area", "obstacle", "words"),
    [
        (UNKNOWN, ADDED, None, "flat", "their differences do not grow with the level"),
        (UNKNOWN, in_many_units()[3:7], None, "few", "fewer than six data sets do not show"),
        (UNKNOWN, in_many_units() / 9000, None, "unit", "all values lie between 0 and 1"),
        (UNKNOWN, in_many_units(), (-1.0, 1.0), "area", "the area of equivalence is one of"),
        (Measure("log-loss"), in_many_units(), None, "kind", "log loss has one scale on all"),
        (Measure("rmse", scale="difference"), in_many_units(), None, "given", "the study asks"),
        (Measure("fit-time", unit_symbol="s"), WITH_A_ZERO, None, "zeros", "not above 0"),
    ],
)
def test_why_levels_that_differ_are_compared_by_difference_is_said(
    measure, means, area, obstacle, words
):
    found = domain_scale(measure, means, bool((means > 0).all()), area)
    assert (found.scale, found.obstacle) == ("difference", obstacle)
    levels = np.median(np.abs(means), axis=1)
    assert found.level_ratio == pytest.approx(levels.max() / levels.min())
    cubes = {measure: {f"d{m}": row[None] for m, row in enumerate(means)}}
    said, _ = tell(cubes, THREE, relevance={measure.name: area} if area else {})
    text = said.article["domain"]
    assert "though the levels of the data sets (medians of the candidates) differ" in text
    assert words in text
    assert not faults(text)


def test_of_levels_within_a_factor_of_ten_nothing_is_said():
    found = domain_scale(UNKNOWN, 5 + in_many_units()[:3], True, None)
    assert (found.scale, found.level_ratio, found.obstacle) == ("difference", None, None)


def test_an_area_of_ratios_holds():
    found = verdict_of(in_many_units(), THREE, RMSE)
    assert found.relevance == (1 / 1.1, 1.1)
    assert Options().relevance == {}
    assert found.n_relevant >= 1


def test_settings_and_units_keep_the_scale():
    cubes = {RMSE: {f"d{m}": np.ldexp(row[None], -300) for m, row in enumerate(in_many_units())}}
    found = analysed(warehouse_of(cubes, THREE)).verdict["rmse"]
    assert found.is_ratio
    assert found.pairs.n_significant == 3
