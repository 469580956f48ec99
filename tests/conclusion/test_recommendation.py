"""The states of a recommendation: each by a verdict made by hand, and what no state may do."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any, get_args

import numpy as np
import pytest

from reportgen.conclusion.recommendation import Recommendation, State, recommend
from reportgen.conclusion.verdict import Comparison
from reportgen.performance_measure import Measure
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.verdict import Verdict
from reportgen.targets import TARGETS, DecidingTarget
from tests.conclusion.verdicts import AREA, cost, verdict
from tests.sections.reading import ACCURACY, ERROR

N_RANDOM = 2000  # states of made-up verdicts; 20,000 were tried once
EXACT = 1e-12  # of limits that are differences of rounded numbers


@pytest.mark.parametrize(
    ("found", "costs", "state", "put_forward", "shown", "recommended"),
    [
        (verdict("abc", means=dict.fromkeys("abc", 0.1)), (), "all-equal", None, False, ""),
        (
            verdict("abc", is_open=True, dataset=None, n_units=5, wins=5, target="experiment"),
            (),
            *("ahead-everywhere", "a", False, ""),
        ),
        (verdict("abc", is_open=True), (), "too-few", None, False, ""),
        (
            verdict("ab", ["ab"], relevance=AREA, limits={"ab": (-0.008, -0.001)}),
            (cost({"a": 12.0, "b": 1.0}, ["ba"]),),
            *("won", "a", True, "a"),  # b is decided worse, however little
        ),
        (
            verdict("ab", relevance=AREA, limits={"ab": (-0.006, 0.02)}),
            (cost({"a": 12.0, "b": 1.0}, ["ba"]),),
            *("cheaper-enough", "b", True, "b"),
        ),
        (
            verdict("ab", relevance=AREA, limits={"ab": (-0.02, 0.02)}),
            (cost({"a": 12.0, "b": 1.0}, ["ba"]),),
            *("trade", "a", False, ""),  # undecided is not equal
        ),
        (verdict("abc", ["ab", "ac"]), (), "won", "a", True, "a"),
        (verdict("abc", ["ab", "ac"], target="experiment"), (), "won-here", "a", False, ""),
        (verdict("abc", ["ab", "ac"], target="seeds"), (), "won-here", "a", False, ""),
        (
            verdict("ab", means={"a": 0.1, "b": 0.101}, inside=["ab"], relevance=AREA),
            (),
            *("equivalent", None, False, "ab"),
        ),
        (
            verdict("abc", ["ac"]),
            (cost({"a": 1.0, "b": 2.0, "c": 0.1}),),
            *("best-and-cheapest", "a", False, ""),
        ),
        (verdict("abc", ["ac"]), (cost({"a": 3.0, "b": 2.0, "c": 0.1}),), "trade", "a", False, ""),
        (verdict("abc", ["ac"]), (), "ahead-undecided", "a", False, ""),
        (verdict("abc", ["bc"]), (), "ahead-undecided", "a", False, ""),  # a beats nobody
        (verdict("abc"), (), "undecided", None, False, ""),
        (verdict("ab", measure=ACCURACY, means={"a": 0.9, "b": 0.8}, better=["ab"]), (), "won",
         "a", True, "a"),
    ],
)  # fmt: skip
def test_each_state(
    found: Comparison,
    costs: tuple[Any, ...],
    state: State,
    put_forward: str | None,
    shown: bool,
    recommended: str,
) -> None:
    made = recommend(found, costs)
    assert (made.state, made.put_forward, made.shown) == (state, put_forward, shown)
    assert made.recommended == tuple(recommended)


def test_who_is_dominated_is_not_put_forward() -> None:
    made = recommend(verdict("abcd", ["ad"]), (cost({"a": 3.0, "b": 9.0, "c": 1.0, "d": 0.1}),))
    assert (made.state, made.not_worse) == ("trade", ("a", "b", "c"))
    assert made.frontier == ("a", "c")
    assert made.dominated == {"b": "a"}


def test_who_is_worse_than_a_third_surpasses_one_that_is_not() -> None:
    """Where c is better and cheaper than d, nobody is sent to d for its cost."""
    found = verdict("abcd", ["ac"])
    made = recommend(found, (cost({"a": 3.0, "b": 2.0, "c": 0.5, "d": 1.0}),))
    assert (made.not_worse, made.state, made.frontier) == (("a", "b", "d"), "trade", ("a", "b"))
    assert made.dominated == {"d": "c"}
    alone = recommend(verdict("abc", ["ab"]), (cost({"a": 3.0, "b": 0.5, "c": 1.0}),))
    assert (alone.state, alone.frontier) == ("ahead-undecided", ("a",))  # a is not the cheapest


def test_two_costs_have_to_be_no_greater() -> None:
    size = cost({"a": 1.0, "b": 9.0, "c": 9.0}, measure=Measure("model-size", unit_symbol="bytes"))
    costs = cost({"a": 2.0, "b": 1.0, "c": 2.0}), size
    made = recommend(verdict("abc"), costs)
    assert made.dominated == {"c": "a"}
    assert made.frontier == ("a", "b")


def test_what_taking_one_can_cost() -> None:
    limits = {"ab": (-0.03, 0.02), "ac": (-0.01, 0.05), "bc": (-0.04, 0.001)}
    made = recommend(verdict("abc", limits=limits))
    lost = made.at_most_lost
    assert lost["a"] == pytest.approx(0.05, abs=EXACT)  # against c
    assert lost["b"] == pytest.approx(0.03, abs=EXACT)  # against a
    assert lost["c"] == pytest.approx(0.04, abs=EXACT)  # against b
    turned = {"a": 0.9, "b": 0.89, "c": 0.88}
    larger = recommend(verdict("abc", limits=limits, measure=ACCURACY, means=turned))
    assert larger.at_most_lost["a"] == pytest.approx(0.03, abs=EXACT)


def test_what_may_be_lost_of_a_measure_without_bounds_is_no_more_than_the_mean() -> None:
    mse = Measure("mse", "smaller", "", (0.0, None))
    limits = {"ab": (-20.0, 5.0)}
    made = recommend(verdict("ab", measure=mse, means={"a": 10.0, "b": 11.0}, limits=limits))
    assert made.at_most_lost == {"a": 5.0, "b": None}


def test_an_open_pair_is_told_apart_from_a_loss_beyond_the_mean() -> None:
    mse = Measure("mse", "smaller", "", (0.0, None))
    limits = {"ab": (-20.0, 5.0), "ac": (-1.0, np.nan), "bc": (-1.0, 2.0)}
    means = {"a": 10.0, "b": 11.0, "c": 12.0}
    found = verdict("abc", measure=mse, means=means, limits=limits)
    assert [found.most_lost(name) for name in "abc"] == [None, None, 1.0]
    assert [found.has_open_loss(name) for name in "abc"] == [True, False, False]


def test_what_may_be_lost_says_where_gaps_are_counted_against_who_has_them() -> None:
    found = verdict("abc", limits={"ab": (-0.03, 0.02), "ac": (-0.01, 0.05), "bc": (-0.04, 0.001)})
    adverse = {
        "adverse_first": np.array([0.02, 0.06, 0.001]),  # only a has gaps, against c
        "adverse_second": np.array([-0.03, -0.01, -0.04]),
    }
    pairs = found.pairs.with_columns(**adverse)
    with_gaps = replace(found, verdict=replace(found.verdict, pairs=pairs))
    assert recommend(with_gaps).at_most_lost["a"] == pytest.approx(0.06, abs=EXACT)
    assert [with_gaps.loss_counts_gaps(name) for name in "abc"] == [True, False, False]
    assert [found.loss_counts_gaps(name) for name in "abc"] == [False] * 3


def test_decisions_in_a_circle_leave_all() -> None:
    made = recommend(verdict("abc", ["ab", "bc", "ca"]))
    assert made.not_worse == ("a", "b", "c")
    assert made.state == "ahead-undecided"


def test_gaps_hide_who_is_ahead_where_both_ran() -> None:
    found = verdict("ab", means={"a": 0.2, "b": 0.21}, n_own={"b": 14})
    pairs = replace(found.pairs, estimate=np.array([0.02]))
    made = recommend(replace(found, verdict=replace(found.verdict, pairs=pairs)))
    assert (made.state, made.put_forward) == ("gaps", "a")


def random_verdict(rng: np.random.Generator) -> tuple[Comparison, tuple[Any, ...]]:
    """Return limits about random differences, of which some are open, and random costs."""
    k = int(rng.integers(2, 7))
    names = tuple("abcdef"[:k])
    pairs = all_pairs(k)
    means = np.round(rng.uniform(0.1, 0.3, k), int(rng.integers(1, 4)))
    estimate = means[pairs[:, 0]] - means[pairs[:, 1]]
    half = rng.uniform(0, 0.2, len(pairs))
    is_open = rng.random(len(pairs)) < rng.choice([0, 0, 0.3, 1])
    smaller = bool(rng.random() < 0.5)
    nothing = np.where(is_open, np.nan, 0.0)
    area = (-0.05, 0.05) if rng.random() < 0.5 else None
    table = PairTable.of(
        pairs,
        estimate,
        "own-variance",
        0.05,
        lower=estimate - half + nothing,
        upper=estimate + half + nothing,
        is_open=is_open,
    )
    target = get_args(DecidingTarget)[int(rng.integers(len(TARGETS)))]
    own = Verdict(
        measure=ERROR if smaller else ACCURACY,
        alpha=0.05,
        relevance=area,
        target="conditional",
        method="own-variance",
        pairs=table.named(names, "", smaller).decided(area),
        means=dict(zip(names, means.tolist(), strict=True)),
        is_area_given=True,
    )
    found = Comparison(own, "d", target, "own-variance", 20)
    if rng.random() < 0.4:
        return found, ()
    seconds = dict(zip(names, np.round(rng.uniform(0.1, 2, k), 1).tolist(), strict=True))
    cheaper = [a + b for a, b in permutations(names, 2) if 2 * seconds[a] < seconds[b]]
    return found, (cost(seconds, cheaper),)


@pytest.mark.slow
def test_no_state_names_what_it_may_not() -> None:
    rng, states = np.random.default_rng(16), set[str]()
    for _ in range(N_RANDOM):
        found, costs = random_verdict(rng)
        made: Recommendation = recommend(found, costs)
        states.add(made.state)
        beaten = {j for _, j in found.better}
        assert {*made.not_worse} == {*found.means} - beaten or not {*found.means} - beaten
        assert {*made.frontier} | {*made.dominated} == {*made.not_worse}
        named = {*made.recommended} | ({made.put_forward} - {None})
        assert named <= {*made.not_worse}
        assert not named & {*made.dominated}
        assert not (made.shown and not TARGETS[found.target].is_shown)
        assert all(x is None or x >= 0 for x in made.at_most_lost.values())
        if made.shown:
            assert made.put_forward is not None
        for name, best in made.dominated.items():
            assert costs[0].means[best] <= costs[0].means[name]
    assert states >= {
        *("too-few", "cheaper-enough", "won", "won-here", "equivalent"),
        *("best-and-cheapest", "trade", "ahead-undecided", "undecided", "all-equal"),
    }
    assert states <= {*get_args(State)}


def test_costs_are_compared_as_their_pairs_are() -> None:
    means = {"a": 12.0, "b": 1.0}
    pairs = replace(verdict("ab").pairs, scale="ratio", estimate=np.array([11.5]))
    assert cost(means).cost_ratio("a", "b") == 12.0
    found = replace(cost(means), pairs=pairs)
    assert found.cost_ratio("a", "b") == 11.5
    assert found.cost_ratio("b", "a") == pytest.approx(1 / 11.5)
