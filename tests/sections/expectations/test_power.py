"""What a design decides, against statsmodels, simulation, and the gates themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nct, skew
from scipy.stats import t as student
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.power import TTestPower

import reportgen
from reportgen.performance_measure import Measure, Problem
from reportgen.sections.expectations import Options
from reportgen.sections.expectations.analysis import analyse, questions_of
from reportgen.sections.expectations.contrasts import contrast_of
from reportgen.sections.expectations.power import (
    Planned,
    SamplingDesign,
    describe_design,
    describe_pilot,
    effect_for,
    planned_units,
    power_of,
    prospect_of,
    units_for,
    widening,
)
from reportgen.sections.expectations.result import ClaimTest, Family, together
from reportgen.stats.pairs.proportions import mid_p_level, score_interval
from reportgen.stats.skewness import reach
from reportgen.study.claims import Names
from reportgen.study.given_samples import FixedSample
from reportgen.study.resampling import Resampling
from reportgen.study.schema.options import AnalysisOptions, Expectation
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of

ALONE = Family(0.05, 1)
ERROR = Measure("error")
DRAWN = 400  # studies: a share of them errs by .025


@pytest.mark.parametrize(("n", "effect"), [(10, 0.5), (34, 0.5), (200, 0.2), (20, 0.0), (8, 3.0)])
def test_one_contrast_has_the_power_of_statsmodels(n: int, effect: float) -> None:
    """Student's t is more powerful, by little: no correction for skewness widens it."""
    expected = TTestPower().power(effect, n, 0.025, alternative="larger")
    found = power_of(n, effect, ALONE)
    assert found < expected
    assert found == pytest.approx(expected, abs=0.12 if n < 20 else 0.015)


@pytest.mark.parametrize("n", [6, 8, 12, 30])
@pytest.mark.parametrize("m", [1, 10])
def test_intervals_of_normal_differences_widen_by_what_is_said(n: int, m: int) -> None:
    """The median of simulated widths over Student's."""
    rng = np.random.default_rng(5)
    critical = np.array([float(student.isf(0.025 / m, n - 1))])
    leans = skew(rng.normal(size=(2000, n)), axis=1, bias=False) / n**0.5
    sides = reach(np.repeat(critical, 2000), leans)
    width = float(np.median((sides[0] + sides[1]) / (2 * critical)))
    assert float(widening(n, critical)[0]) == pytest.approx(width, abs=0.03)


@pytest.mark.parametrize("family", [ALONE, Family(0.05, 20), Family(0.01, 3)])
def test_units_and_effects_are_inverse(family: Family) -> None:
    n = units_for(0.4, family)
    assert n is not None
    assert power_of(n - 1, 0.4, family) < 0.8 <= power_of(n, 0.4, family)
    assert effect_for(n, family) <= 0.4 < effect_for(n - 1, family)


@pytest.mark.slow
def test_gates_pass_as_often_as_is_said() -> None:
    rng, family, n, runs = np.random.default_rng(7), Family(0.05, 2), 30, 400
    claims = ({"claim": "a better than b"}, {"claim": "b better than c"})
    options = Options(expect=claims, target="experiment")  # type: ignore[arg-type]
    passes = 0
    for _ in range(runs):
        values = np.column_stack([rng.normal(-0.6, 1, n), np.zeros(n), rng.normal(size=n)])
        found = analyse(warehouse_of({Measure("error"): values}, "abc"), options, rng)
        passes += found.gates[0].outcome == "holds"
    expected = power_of(n, 0.6, family)
    assert passes / runs == pytest.approx(
        expected, abs=4 * (expected * (1 - expected) / runs) ** 0.5
    )


def test_a_design_in_words() -> None:
    counts = {
        "a better than b": Planned(34, "replications"),
        "a better than b on x": Planned(5, "data sets"),
    }
    first, few, last, skewed = describe_design(counts, ALONE)
    assert first == "a better than b       34 replications: from 0.50 standard deviations on"
    assert few.endswith("fewer than 6 data sets: it will be undecided")
    assert "200 for 0.2, 35 for 0.5, 16 for 0.8 standard deviations" in last
    assert skewed.startswith("(of differences as skewed as exponential ones, with the tail towards")


# --------------------------------------------------------------------- of a run's own values


def asked(
    warehouse: Warehouse, *claims: str, **more: Any
) -> tuple[Any, tuple[ClaimTest, ...], Family]:
    entries = tuple({"claim": claim} for claim in claims)
    options = Options(expect=entries, **({"target": "experiment"} | more))  # type: ignore[arg-type]
    found = analyse(warehouse, options, np.random.default_rng(0))
    family = Family(found.alpha, max(1, found.n_contrasts))
    return questions_of(warehouse, options.expect, options, {}), found.gates, family


def skewed(n: int = 20) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.exponential(size=(n, 3)) + np.array([0.0, 0.5, 1.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    ["a better than c", "a not worse than b by 0.3", "a among the best", "error of a below 2"],
)
def test_drawn_studies_are_decided_as_gates_decide_them(claim: str) -> None:
    """Second algorithm: studies of drawn replications, each contrast by the gates."""
    warehouse, area = warehouse_of({ERROR: skewed()}, "abc"), {"error": (-0.2, 0.2)}
    (question,), _, family = asked(warehouse, claim, relevance=area)
    found = prospect_of(question, family, np.random.default_rng(1))
    assert (found.n, found.unit) == (20, "replications")
    rng, values = np.random.default_rng(2), question.values
    outcomes = list[str]()
    for _ in range(DRAWN):
        rows = rng.integers(0, 20, 20)
        drawn = replace(values, values=values.values[rows], filled=values.filled[rows])
        more = question.limit, question.bounds, family.alpha, family.n_comparisons
        outcomes.append(together([contrast_of(drawn, *p, *more).outcome for p in question.pairs]))
    share = outcomes.count(found.outcome) / DRAWN
    error = (max(share * (1 - share), 0.02) * (1 / DRAWN + 1 / 1000)) ** 0.5
    assert found.probability == pytest.approx(share, abs=4 * error)


def test_twice_what_is_enough_is_enough_and_half_of_it_is_not() -> None:
    (question,), _, family = asked(warehouse_of({ERROR: skewed()}, "abc"), "a better than c")
    needed = prospect_of(question, family, np.random.default_rng(1)).needed
    assert needed is not None
    assert 6 <= needed < 20
    warehouse = warehouse_of({ERROR: np.tile(skewed(), (4, 1))}, "abc")
    (more,), _, _ = asked(warehouse, "a better than b")
    found = prospect_of(more, family, np.random.default_rng(1))
    assert (found.probability >= 0.8) == (found.needed is not None and found.needed <= 80)


def test_without_losses_new_data_have_the_power_of_a_non_central_t() -> None:
    """The estimate is normal, its error is that of the rule: exactly a non-central t."""
    rng = np.random.default_rng(6)
    values = rng.normal(size=(15, 1)) + rng.normal(size=(15, 2)) * 0.3 + [0.0, 0.7]
    warehouse = replace(
        warehouse_of({ERROR: values}, "ab"),
        resampling={"scheme": "bootstrap"},
        facts={"d": {"n_observations": 90}},
    )
    (question,), (gate,), family = asked(warehouse, "a better than b", target="auto")
    (contrast,) = gate.contrasts
    assert contrast.target == "new-data"
    found = prospect_of(question, family, np.random.default_rng(1))
    assert (found.n, found.unit, found.outcome) == (90, "observations", "holds")
    half = (contrast.upper - contrast.lower) / 2
    critical = student.isf(0.025, 14)
    expected = nct.cdf(-critical, 14, contrast.estimate / (half / critical))
    assert found.probability == pytest.approx(expected, abs=0.06)
    assert found.needed is not None


@pytest.mark.slow
def test_losses_are_drawn_for_the_test_and_for_the_learning_sample() -> None:
    """One 10-fold: the estimate has twice the variance of a mean of losses, as the rule says."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(150, 2))
    y = (x[:, 0] + rng.normal(size=150) > 0).astype(int)
    study = reportgen.evaluate(
        {"centroid": NearestCentroid(), "tree": DecisionTreeClassifier(random_state=0)},
        x, y, resampling="k-fold", seed=2, name="toy",
    )  # fmt: skip
    (contrast,) = study.gate("centroid better than tree")[0].contrasts
    first, last = study.gate_power("centroid better than tree")
    assert contrast.lower is not None
    half = (contrast.upper - contrast.lower) / 2
    critical = student.isf(0.025, 149)
    expected = nct.cdf(-critical, 149, contrast.estimate / (half / critical))
    said = re.fullmatch(
        r".*  150 observations: holds with a probability of (\d+)%; about .*", first
    )
    assert said is not None
    assert int(said[1]) / 100 == pytest.approx(expected, abs=0.06)
    assert last.startswith("(shares of 1,000 studies that are drawn from the differences found")
    assert study.gate_power("centroid better than tree") == (first, last)


def planned(
    problem: Problem, resampling: Resampling, name: str = "misclassification", **more: Any
) -> Planned:
    """Return the units of a measure of a data set of 554 observations."""
    is_said = bool(more.pop("is_said", False))
    design = SamplingDesign(problem, resampling, 554, **more)
    return design.units(Measure(name), is_of_experiment=is_said)


def test_a_design_for_new_data_has_the_factor_of_its_scheme() -> None:
    """By hand: twice the share that a replication is tested on; a non-central t of scipy."""
    bootstrap = planned("real-world", Resampling("bootstrap", 40))
    assert bootstrap.factor == pytest.approx(2 * (1 - 1 / 554) ** 554, rel=1e-9)
    folds = planned("real-world", Resampling("k-fold", 10, folds=10))
    assert folds.factor == pytest.approx(0.1 + 1 / 9)
    halves = tuple(FixedSample(tuple(range(277)), tuple(range(277, 554))) for _ in range(40))
    for scheme in ("given", "time-series"):  # no variance for new data is known
        own = planned("real-world", Resampling(scheme, 40), given=halves)
        assert own == Planned(40, "replications", is_unknown=True)
    for other in (
        planned(
            "real-world", Resampling("bootstrap", 40), options=AnalysisOptions(target="experiment")
        ),
        planned("real-world", Resampling("bootstrap", 40), is_said=True),
        planned("simulation", Resampling("fresh", 40, assessment="fresh")),
    ):
        assert other == Planned(40, "replications")
    effect = effect_for(10, ALONE, folds.factor)
    centre = effect / folds.factor**0.5
    assert nct.sf(student.isf(0.025, 9), 9, centre) == pytest.approx(0.8, abs=1e-6)
    told, _ = describe_design({"a better than b": folds}, ALONE)
    assert told.startswith(
        f"a better than b  10 replications: from {effect:.2f} standard deviations"
    )


@pytest.mark.parametrize("problem", ["competition", "simulation"])
def test_replications_on_one_test_sample_are_no_units_of_new_data(problem: Problem) -> None:
    fixed = Resampling("bootstrap" if problem == "competition" else "fresh", 40, assessment="fixed")
    of_losses = planned(problem, fixed, n_test=200)
    assert of_losses == Planned(200, "observations of the test sample")
    assert planned(problem, fixed, n_test=200, is_said=True) == Planned(40, "replications")
    unknown = planned(problem, fixed, "auc", n_test=200)
    assert unknown == Planned(40, "replications", is_unknown=True)
    lines = describe_design({"a better than b": of_losses, "a better than c": unknown}, ALONE)
    effect = effect_for(200, ALONE)
    assert f"200 observations of the test sample: from {effect:.2f} standard deviations" in lines[0]
    assert "it will be undecided; what holds for new data is not known" in lines[1]


def test_data_sets_are_no_units_of_new_data_where_test_samples_were_learnt() -> None:
    names = Names(("a", "b"), ("error", "time"), tuple("defghi"))
    measures = {"error": ERROR, "time": Measure("time", unit_symbol="s")}
    learning = Resampling("bootstrap", 10, assessment="learning")
    designs = {name: SamplingDesign("real-world", learning, 554) for name in "defghi"}
    ends = ("", " on time", " in this experiment")
    claims = [Expectation(claim=f"a better than b{end}") for end in ends]
    counts, _ = planned_units(claims, names, designs, measures)
    assert [own.is_unknown for own in counts.values()] == [True, False, False]


def test_few_data_sets_are_no_units() -> None:
    names = Names(("a", "b"), ("error", "time"), ("d", "e"))
    measures = {"error": ERROR, "time": Measure("time", unit_symbol="s")}
    folds = Resampling("k-fold", 10, folds=10)
    designs = {name: SamplingDesign("real-world", folds, 554) for name in "de"}
    ends = ("", " on d", " on time on d", " on d in this experiment", " in this experiment")
    claims = [Expectation(claim=f"a better than b{end}") for end in ends]
    counts, n_contrasts = planned_units(claims, names, designs, measures)
    assert n_contrasts == 3
    assert list(counts.values()) == [
        Planned(2, "data sets", None, is_few=True),
        planned("real-world", folds),
        Planned(10, "replications"),
        Planned(10, "replications"),
        Planned(2, "data sets", None, is_few=True),
    ]
    first, *_ = describe_design(counts, ALONE)
    assert first.endswith("2 data sets: by the error on each, which a run tells")
    held_out = {d: SamplingDesign("real-world", Resampling("hold-out", 1), 554) for d in "de"}
    counts, _ = planned_units(claims[:1], names, held_out, measures)
    assert describe_design(counts, ALONE)[0].endswith("or say 'in this experiment'")


@pytest.mark.parametrize(
    ("n_test", "name", "area", "is_known"),
    [
        (200, "accuracy", None, True),
        (200, "auc", None, False),
        (200, "mse", None, False),
        (200, "mse", (0.9, 1.1), False),
        (200, "mse", (-0.5, 0.5), True),
        (0, "mae", (-0.5, 0.5), False),
    ],
)
def test_few_fixed_test_samples_are_known_by_their_losses(
    n_test: int, name: str, area: tuple[float, float] | None, is_known: bool
) -> None:
    """Errors in the unit of the response are compared by ratio over data sets: without losses.

    An area of equivalence around 0 asks for differences, which have them.
    """
    options = AnalysisOptions(relevance={} if area is None else {name: area})
    fixed = SamplingDesign(
        "competition",
        Resampling("bootstrap", 40, assessment="fixed"),
        554,
        n_test=n_test,
        options=options,
    )
    drawn = SamplingDesign("real-world", Resampling("k-fold", 10, folds=10), 554)
    names, measures = Names(("a", "b"), (name,), ("d", "e")), {name: Measure(name)}
    claims = [Expectation(claim="a better than b")]
    for other in (fixed, drawn):
        counts, _ = planned_units(claims, names, {"d": fixed, "e": other}, measures)
        (told, _) = describe_design(counts, ALONE)
        expected = "by the error on each" if is_known else "it will be undecided"
        assert told.startswith(f"a better than b  2 data sets: {expected}")


def test_a_pilot_in_words() -> None:
    values = np.column_stack([skewed(10), skewed(10)[:, 0]])
    known = (
        "a better than c",
        "c better than a",
        "a not worse than d by 0.1",
        "a better than d",
        "no failures",
    )
    questions, gates, family = asked(warehouse_of({ERROR: values}, "abcd"), *known)
    lines = describe_pilot(questions, gates, family, np.random.default_rng(1))
    words = [line.partition("  ")[2].strip() for line in lines]
    assert re.fullmatch(
        r"10 replications: holds with a probability of \d+%; about \d+ for 80% "
        r"if further ones are like these, \d+ at worst",
        words[0],
    )
    own, other = (re.fullmatch(r"(.*) (\d+) at worst", text) for text in words[:2])
    assert own is not None
    assert other is not None
    assert other[1] == own[1].replace("holds", "fails")
    assert int(other[2]) == pytest.approx(int(own[2]), rel=0.2)  # of other draws
    assert words[2].startswith("10 replications: holds with a probability of 100%; about")
    assert words[3] == "10 replications: the estimate lies at a bound, and no number is enough"
    assert words[4] == "a check, which nothing has to decide"
    few, gates, family = asked(warehouse_of({ERROR: values[:5]}, "abcd"), "a better than c")
    assert describe_pilot(few, gates, family, np.random.default_rng(1))[0].endswith(
        "undecided: fewer than six replications"
    )


def test_wins_and_right_answers_are_drawn_by_their_counts() -> None:
    """The share of drawn tables of counts that Tango's interval decides."""
    rng = np.random.default_rng(8)
    right = (rng.random((60, 2)) < [0.8, 0.55]).astype(float)
    frame = pd.DataFrame(right, columns=["a", "b"]).rename_axis("item").reset_index()
    long = frame.melt("item", var_name="candidate", value_name="accuracy")
    study = reportgen.compare(long, unit="item", better="larger")
    (gate,) = study.gate("a better than b")
    first, _ = study.gate_power("a better than b")
    assert gate.contrasts[0].target == "items"
    said = re.fullmatch(r".*  60 items: holds with a probability of (\d+)%; about .*", first)
    assert said is not None
    b, c = ((right[:, 0] > right[:, 1]).mean(), (right[:, 0] < right[:, 1]).mean())
    counts = rng.multinomial(60, [b, c, 1 - b - c], size=2000)
    level = mid_p_level(counts[:, 0], counts[:, 1], 0.05)
    lower, _ = score_interval(counts[:, 0], counts[:, 1], np.full(2000, 60), level)
    assert int(said[1]) / 100 == pytest.approx((lower > 0).mean(), abs=0.07)


def test_sizes_of_values_change_no_prospect() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal([0.0, 0.7], size=(30, 2))
    claims = ("a better than b in this experiment", "error of a below 0.5")
    found = []
    for exponent in (0, 320, -320):
        own = (claims[0], f"error of a below {float(np.ldexp(0.5, exponent))!r}")
        questions, gates, family = asked(
            warehouse_of({ERROR: np.ldexp(values, exponent)}, "ab"), *own
        )
        lines = describe_pilot(questions, gates, family, np.random.default_rng(1))
        found.append([line.split("  ")[-1].strip() for line in lines])
    assert found[0][0].startswith("30 replications: holds with a probability of")
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_what_gaps_undo_has_no_prospect() -> None:
    rng = np.random.default_rng(8)
    right = pd.DataFrame((rng.random((60, 2)) < [0.9, 0.45]).astype(float), columns=["new", "base"])
    right.loc[40:, "new"] = np.nan
    long = right.rename_axis("item").reset_index().melt("item", var_name="candidate")
    long = long.rename(columns={"value": "accuracy"}).dropna()
    study = reportgen.compare(long, unit="item", better="larger")
    for claim in ("new better than base", "base not worse than new by 0.05"):
        (gate,) = study.gate(claim)
        (check,) = study.check(claim)
        assert (gate.outcome, check.outcome) == ("undecided", "undecided")
        assert check.reason == gate.reason
    (gate,) = study.gate("new better than base")
    assert gate.reason == "gaps"
    assert study.gate_power(gate.claim)[0].endswith("undecided: new has 40 of 60 items")
    assert repr(study.check(gate.claim)).endswith("; new has 40 of 60 items")


@pytest.mark.parametrize("unit", ["replication", "item"])
def test_gates_and_checks_hold_the_same_gaps_against_no_worse(unit: str) -> None:
    rng = np.random.default_rng(3)
    values = pd.DataFrame(rng.random((60, 2)) * 0.2 + [0.5, 0.3], columns=["new", "base"])
    values.loc[30:, "new"] = np.nan
    long = values.rename_axis(unit).reset_index().melt(unit, var_name="candidate")
    long = long.rename(columns={"value": "accuracy"}).dropna()
    study = reportgen.compare(long, unit=unit, better="larger")
    here = " in this experiment" if unit == "replication" else ""
    seen = set()
    for amount in (0.01, 0.3):
        claim = f"new not worse than base by {amount}{here}"
        (gate,), (check,) = study.gate(claim), study.check(claim)
        assert gate.outcome == check.outcome
        assert check.reason == gate.reason
        seen.add(check.outcome)
    assert seen == {"undecided", "holds"}
