"""Means, frontiers and ratios, by hand and by brute force."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
from scipy import stats

from reportgen.rendering.results_json import plain
from reportgen.sections.frontier import Options, applies
from reportgen.sections.frontier.analysis import analyse, surpassing
from tests.builders import make_warehouse, warehouse_of
from tests.schemas import results_schema
from tests.sections.domain.making import judged
from tests.sections.frontier.making import find, tell
from tests.sections.reading import ACCURACY, COST, ERROR, SCORE, TIME

EXACT = 1e-12  # sums of a few numbers
SCHEMA = Path(__file__).parents[3] / "reportgen" / "rendering" / "results.schema.json"
NAMES = ("anna", "bert", "cara", "dora")


def constant(means, n_blocks=12, sd=0.0, seed=1):
    """Return values with exactly these means, and noise that has none."""
    noise = np.random.default_rng(seed).normal(size=(n_blocks, len(means)))
    return np.asarray(means) + sd * (noise - noise.mean(axis=0))


def of(error, time, first=ERROR, second=TIME, sd=0.0, **more):
    values = {first: constant(error, sd=sd), second: constant(time, sd=sd, seed=2)}
    return find(warehouse_of(values, NAMES[: len(error)]), **more)


def test_frontier_by_hand():
    found = of([0.3, 0.1, 0.2, 0.15], [1.0, 4.0, 2.0, 8.0]).chosen
    assert found.frontier == ("anna", "cara", "bert")
    assert [p.candidate for p in found.places] == ["anna", "cara", "bert", "dora"]
    assert found.place("dora").surpassed_by == ("bert",)
    assert found.surpassed == ("dora",)
    assert [p.times_best for p in found.places] == pytest.approx([1, 2, 4, 8], rel=EXACT)
    assert (found.first, found.last, found.leaders) == (("anna",), ("dora",), ("bert",))
    assert found.spread == pytest.approx(8)
    assert found.laggard.candidate == "dora"
    assert found.laggard_times == pytest.approx(2)
    assert found.is_strict
    assert found.has_line
    assert found.is_time


def test_who_is_decided_worse_is_named_on_the_frontier():
    found = of([0.3, 0.1, 0.101], [1.0, 4.0, 2.0], sd=0.01).chosen
    assert found.frontier == ("anna", "cara", "bert")
    assert [p.is_decided_worse for p in found.places] == [True, False, False]
    assert found.beaten == ("anna",)


def test_several_data_sets_are_decided_by_the_domain():
    warehouse, _, _ = domain()
    options = Options()
    assert options.required_sections == ("domain", "items")
    for compared, beaten in (("abc", ("c",)), ("ab", ())):  # who is not compared is not beaten
        pairs = SimpleNamespace(candidates=tuple(compared))
        verdict = SimpleNamespace(leaders=("a", "b"), pairs=pairs)
        decided = SimpleNamespace(verdict={"error": verdict, "misclassification": verdict})
        rng = np.random.default_rng(1)
        found = analyse(warehouse, options, rng, inference={}, domain=decided)
        assert found.chosen.beaten == beaten


def test_larger_may_be_better_on_either():
    found = of([0.3, 0.1, 0.2], [1.0, 4.0, 2.0], first=ACCURACY).chosen
    assert found.frontier == ("anna",)
    assert found.place("bert").surpassed_by == ("anna", "cara")
    found = of([0.3, 0.1, 0.2], [1.0, 4.0, 2.0], second=SCORE).chosen
    assert found.frontier == ("bert",)
    assert found.first == ("bert",)
    assert found.places[0].times_best is None
    assert found.spread is None
    assert found.laggard is None  # the headline of the table compares the two
    found = of([0.3, 0.1, 0.2], [1.0, 3.0, 4.0], second=SCORE).chosen
    assert (found.first, found.leaders) == (("cara",), ("bert",))
    assert found.laggard.candidate == "anna"
    assert found.laggard_times is None


def test_ties_are_no_surpassing_but_by_the_other_measure():
    found = of([0.1, 0.1, 0.2, 0.1], [1.0, 1.0, 1.0, 2.0]).chosen
    assert found.frontier == ("anna", "bert")
    assert found.place("cara").surpassed_by == ("anna", "bert")
    assert found.place("dora").surpassed_by == ("anna", "bert")
    assert not found.is_strict
    assert found.first == ("anna", "bert", "cara")
    assert found.last == ("dora",)
    assert found.laggard is None  # nobody leads alone
    level = of([0.1, 0.1], [1.0, 1.0]).chosen
    assert (level.frontier, level.last) == (("anna", "bert"), ())
    assert level.is_strict  # nobody is surpassed


def test_floating_noise_surpasses_nobody():
    found = of([0.1 + 0.2, 0.3], [1.0, 1.0]).chosen
    assert found.frontier == ("anna", "bert")


def test_frontier_by_brute_force():
    rng = np.random.default_rng(4)
    for _ in range(200):
        points = rng.integers(0, 4, size=(rng.integers(1, 7), 2)).astype(float)
        expected = [
            {j for j, q in enumerate(points) if (q <= p).all() and (q < p).any()} for p in points
        ]
        assert surpassing([tuple(p) for p in points]) == expected
        on = [not found for found in expected]
        assert any(on)
        for p, is_on in zip(points, on, strict=True):  # whoever is off is surpassed from on it
            dominating = [q for q, o in zip(points, on, strict=True) if o and (q <= p).all()]
            assert dominating
            assert is_on == all((q == p).all() for q in dominating)


def test_zero_and_negative_values_are_compared_by_difference():
    for times in ([0.0, 1.0, 2.0], [-1.0, 1.0, 2.0]):
        found = of([0.3, 0.1, 0.2], times).chosen
        assert (found.scale, found.spread, found.ratios) == ("difference", None, ())
        assert found.frontier == ("anna", "bert")
        assert all(p.times_best is None for p in found.places)


def test_two_measures_that_are_no_time():
    result = of([0.3, 0.1, 0.2], [5.0, 7.0, 9.0], second=COST)
    assert (result.shown, result.chosen.scale) == ("cost", "difference")
    assert not result.chosen.is_time
    assert result.chosen.frontier == ("anna", "bert")


def test_a_time_is_shown_first_and_the_rest_follow():
    values = {m: constant(x) for m, x in ((ERROR, [0.3, 0.1]), (COST, [1, 2]), (TIME, [2, 1]))}
    result = find(warehouse_of(values, "ab"))
    assert result.shown == "fit-time"
    assert list(result.against) == ["fit-time", "cost"]
    assert list(result.others) == ["cost"]
    values = {m: values[m] for m in (TIME, COST, ERROR)}
    assert find(warehouse_of(values, "ab")).shown == "cost"


def test_absent_candidates_are_left_out():
    nan = np.nan
    found = of([0.3, nan, 0.2, 0.1], [1.0, 2.0, 4.0, nan]).chosen
    assert found.missing_candidates == ("bert", "dora")
    assert [p.candidate for p in found.places] == ["anna", "cara"]
    assert {r.first for r in found.ratios} == {"anna"}
    assert not found.has_line
    alone = of([0.3, nan, nan], [1.0, nan, 4.0])
    assert (alone.shown, alone.chosen, alone.against) == (None, None, {})


def test_gaps_count_as_the_worst_there():
    error = constant([0.3, 0.1], sd=0.01)
    error[3, 0] = np.nan
    found = find(warehouse_of({ERROR: error, TIME: constant([1, 2])}, "ab")).chosen
    assert found.is_filled
    assert found.place("a").main.n == 11
    apart = np.nanmax(np.abs(error[:, 0] - error[:, 1]))  # of two, the largest difference seen
    filled = np.where(np.isnan(error[:, 0]), error[:, 1] + apart, error[:, 0])
    assert found.place("a").main.mean == pytest.approx(filled.mean(), rel=EXACT)


def test_one_data_set_has_the_intervals_of_the_exploration():
    error, time = constant([0.3, 0.1], 40, 0.02), constant([1, 2], 40, 0.1)
    found = find(warehouse_of({ERROR: error, TIME: time}, "ab")).chosen
    own, z = error[:, 0], stats.norm.ppf(0.975)
    half = z * own.std(ddof=1) / np.sqrt(40)
    a = found.place("a")
    assert a.main.interval == pytest.approx((own.mean() - half, own.mean() + half), rel=1e-9)
    assert a.main.middle == pytest.approx(tuple(np.quantile(own, [0.025, 0.975])), rel=1e-9)
    assert (a.main.worst, a.main.worst_on) == (own.max(), None)
    assert (found.unit, found.n_units, found.ratios_by) == ("replication", 40, "verdict")
    (ratio,) = found.ratios
    assert ratio.lower < ratio.ratio < ratio.upper
    logs = np.log(time[:, 0]) - np.log(time[:, 1])
    assert ratio.ratio == pytest.approx(np.exp(logs.mean()), rel=1e-6)
    back = found.ratio("b", "a")
    assert (back.ratio, back.lower) == pytest.approx((1 / ratio.ratio, 1 / ratio.upper))


def test_an_interval_ends_at_the_bounds_of_its_measure():
    error, time = np.full((12, 2), 0.02), constant([1, 2], 12, 0.1)
    error[3, 0] = 0.9
    error[4, 1] = 0.03
    found = find(warehouse_of({ERROR: error, TIME: time}, "ab")).chosen
    assert found.place("a").main.interval[0] == 0
    assert found.place("b").main.interval[0] > 0


def test_few_replications_have_no_line_and_no_middle():
    values = {ERROR: constant([0.3, 0.1, 0.2], 5, 0.01), TIME: constant([1, 2, 3], 5)}
    found = find(warehouse_of(values, "abc")).chosen
    assert (found.has_line, found.has_middle, found.has_intervals) == (False, False, True)


# ------------------------------------------------------------------------ several data sets


def domain(n_datasets=12, n_blocks=3, k=3, gaps=()):
    rng = np.random.default_rng(9)
    error, time = {}, {}
    for m in range(n_datasets):
        level = rng.normal(0, 0.02)
        error[f"d{m}"] = 0.2 + level + 0.05 * np.arange(k) + 0.01 * rng.normal(size=(n_blocks, k))
        time[f"d{m}"] = np.exp(m / 3 - 2 * np.arange(k) + 0.2 * rng.normal(size=(n_blocks, k)))
    for dataset, column in gaps:
        error[dataset][:, column] = time[dataset][:, column] = np.nan
    return warehouse_of({ERROR: error, TIME: time}, "abcdef"[:k]), error, time


@pytest.mark.parametrize(
    ("n_datasets", "families", "by"), [(4, 0, "errors"), (9, 0, "datasets"), (9, 4, "families")]
)
def test_means_and_intervals_are_those_of_the_domain(n_datasets, families, by):
    warehouse = domain(n_datasets, n_blocks=5)[0]
    if families:
        facts = {f"d{m}": {"family": f"f{m % families}"} for m in range(n_datasets)}
        warehouse = replace(warehouse, facts=facts)
    found = find(warehouse).chosen
    assert found.intervals_by == by
    result = judged(warehouse, is_modelled=False)
    for measure, side in ((result.main, "main"), ("fit-time", "other")):
        verdict = result.verdict[measure]
        for place in found.places:
            own = getattr(place, side)
            assert own.mean == pytest.approx(verdict.means[place.candidate], rel=1e-9)
            assert own.interval == pytest.approx(verdict.intervals[place.candidate], rel=1e-9)


def test_domain_means_are_those_of_the_data_sets():
    warehouse, error, time = domain()
    found = find(warehouse).chosen
    assert (found.unit, found.n_units, found.ratios_by) == ("dataset", 12, "paired-t")
    assert found.frontier == ("c", "b", "a")
    own = np.array([x[:, 0].mean() for x in error.values()])
    logs = np.array([np.log(x).mean(axis=0) for x in time.values()])
    a = found.place("a")
    assert a.main.mean == pytest.approx(own.mean(), rel=1e-9)
    assert a.main.middle == pytest.approx(tuple(np.quantile(own, [0.25, 0.75])), rel=1e-9)
    assert a.main.worst_on == list(error)[int(own.argmax())]
    assert a.other.mean == pytest.approx(np.exp(logs[:, 0].mean()), rel=1e-9)
    low, high = a.other.interval
    assert low < a.other.mean < high
    assert a.times_best == pytest.approx(np.exp(logs[:, 0].mean() - logs[:, 2].mean()), rel=1e-9)


def test_no_data_set_is_named_where_several_are_worst():
    means = {ERROR: [0.3, 0.1, 0.2], TIME: [1.0, 4.0, 2.0]}
    alike = {m: {f"d{i}": constant(own) for i in range(3)} for m, own in means.items()}
    warehouse = warehouse_of(alike, NAMES[:3])
    assert all(p.main.worst_on is None for p in find(warehouse).chosen.places)
    told = "No data set is named where several have the worst mean."
    assert told in tell(warehouse)["body"]
    assert told not in tell(domain()[0])["body"]


def test_domain_ratios_are_paired_t_of_logarithms():
    warehouse, _, time = domain(gaps=[("d3", 1)])
    found = find(warehouse).chosen
    logs = np.array([np.log(x).mean(axis=0) for x in time.values()])
    d = logs[:, 0] - logs[:, 1]
    test = stats.ttest_1samp(d[np.isfinite(d)], 0).confidence_interval(0.95)
    ratio = found.ratio("a", "b")
    assert ratio.ratio == pytest.approx(np.exp(np.nanmean(d)), rel=1e-9)
    assert (ratio.lower, ratio.upper) == pytest.approx(
        (np.exp(test.low), np.exp(test.high)), rel=1e-9
    )
    assert len(found.ratios) == 3
    assert found.place("b").main.n == 11
    assert found.is_filled


def test_gaps_inside_of_a_data_set_are_told():
    warehouse, error, _ = domain()
    assert not find(warehouse).chosen.is_filled
    error["d3"][1, 1] = np.nan
    found = find(warehouse_of({ERROR: error, TIME: domain()[2]}, "abc")).chosen
    assert {x.main.n for x in found.places} == {12}
    assert found.is_filled
    assert found.place("b").main.is_filled
    assert not found.place("a").main.is_filled


def test_two_data_sets_of_one_value_each():
    warehouse, _, _ = domain(2, 1)
    assert applies(warehouse)
    found = find(warehouse).chosen
    assert found.n_units == 2
    assert found.has_line
    assert not found.has_middle


def test_many_candidates_are_held_against_the_best():
    rng = np.random.default_rng(3)
    values = {m: {d: np.exp(rng.normal(size=(2, 70))) for d in ("d", "e")} for m in (ERROR, TIME)}
    names = [f"a{i}" for i in range(70)]
    found = find(warehouse_of(values, names)).chosen
    assert len(found.ratios) == 69
    assert {r.second for r in found.ratios} == set(found.first)


# --------------------------------------------------------------------------------- the rest


def test_where_it_applies():
    two = {"error": [[1, 2], [1, 3]], "time": [[1, 2], [1, 3]]}
    assert applies(make_warehouse(two))
    assert not applies(make_warehouse({"error": two["error"]}))
    assert not applies(make_warehouse({m: [x[0]] for m, x in two.items()}))
    assert not applies(make_warehouse({m: [[1], [2]] for m in two}))
    warehouse, _, _ = domain(2, 1)
    settings = {d: {"setting": {"base": "d", "factors": {"n": i}}}
                for i, d in enumerate(warehouse.datasets)}  # fmt: skip
    one = warehouse_of(
        {m: {d: np.ones((2, 2)) for d in settings} for m in (ERROR, TIME)}, "ab", facts=settings
    )
    assert not applies(one)


@pytest.mark.parametrize("size", [1e-90, 1e90])
def test_unusual_sizes(size):
    found = of([0.3 * size, 0.1 * size, 0.2 * size], [1 * size, 3 * size, 2 * size], second=COST)
    assert found.chosen.frontier == ("anna", "cara", "bert")


def test_results_are_json_of_the_schema():
    schema = results_schema()
    part = {"$defs": schema["$defs"], **schema["$defs"]["sections"]["properties"]["frontier"]}
    validator = jsonschema.Draft202012Validator(part)
    for result, kind in product((find(domain()[0]), of([0.3, 0.1], [1.0, 2.0])), ("frontier",)):
        written = json.loads(json.dumps(plain(result), allow_nan=False))
        validator.validate(written)
        assert written["against"]["fit-time"][kind]
