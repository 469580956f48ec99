"""What the best cost, by frontiers made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.conclusion.cost import cost_of
from reportgen.sections.frontier.result import Frontier, Location, Place, Ratio
from reportgen.stats.pair_table import PairTable
from reportgen.warehouse import Measure
from tests.conclusion.test_predicates import compared
from tests.sections.reading import ERROR, TIME


def frontier(seconds: dict[str, float], width: float = 1.2, **more: Any) -> Frontier:
    """Return times by candidate, best error first; ratios with intervals of this factor."""
    names = tuple(seconds)
    places = []
    for i, name in enumerate(names):
        main, other = (
            Location(20, x, None, (x, x), x, None) for x in (0.1 + i / 100, seconds[name])
        )
        over = tuple(n for n in names[:i] if seconds[n] <= seconds[name])
        places.append(Place(name, main, other, None, over))
    ratios = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            x = seconds[first] / seconds[second]
            ratios.append(Ratio(first, second, x, x / width, x * width))
    usual: dict[str, Any] = {
        "unit": "replication", "n_units": 20, "alpha": 0.05, "main_scale": "difference",
        "scale": "ratio", "area": (1 / 1.1, 1.1), "places": tuple(places),
        "frontier": tuple(p.candidate for p in places if not p.surpassed_by), "absent": (),
        "ratios": tuple(ratios), "ratios_by": "verdict", "target": "conditional",
        "main_measure": ERROR, "measure": TIME,
    }  # fmt: skip
    return Frontier(**usual | more)


def verdict(names: str, faster: dict[str, str]) -> PairTable:
    """Return decided times: who is faster than whom."""
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    order = {i + j: 1 for i, slower in faster.items() for j in slower}
    way = [order.get(names[i] + names[j], -order.get(names[j] + names[i], 0)) for i, j in pairs]
    table = PairTable.of(
        np.array(pairs), np.ones(len(pairs)), "own-variance", 0.05, given_direction=np.array(way)
    )
    return table.named(tuple(names), "conditional", is_smaller_better=True).decided()


SECONDS = {"a": 0.004, "b": 0.02, "c": 0.001}


def test_a_winner() -> None:
    winner = compared("abc", ["ab", "ac", "bc"])
    found = cost_of(frontier(SECONDS), winner, verdict("abc", {"a": "b", "c": "ab"}))
    assert found is not None
    assert (found.value, found.faster, found.is_on_frontier) == (0.004, ("c",), True)
    assert found.next is not None
    assert (found.next.first, found.next.second, found.next.ratio) == ("b", "a", 5.0)
    assert (found.fastest, found.leaders) == (None, None)


def test_what_is_not_decided_is_not_said() -> None:
    winner = compared("abc", ["ab", "ac", "bc"])
    found = cost_of(frontier(SECONDS), winner, verdict("abc", {}))
    assert found is not None
    assert (found.next, found.faster) == (None, ())
    untested = cost_of(frontier(SECONDS), winner, None)
    assert untested is not None
    assert (untested.next, untested.faster) == (None, None)


def test_the_faster_of_two_leaders() -> None:
    leaders = compared("abc", ["ac", "bc"])
    found = cost_of(frontier({"a": 0.02, "b": 0.004, "c": 0.001}), leaders, None)
    assert found is not None
    assert found.fastest == "b"
    assert found.leaders is not None
    assert (found.leaders.first, found.leaders.second) == ("a", "b")
    assert found.leaders.ratio is not None
    assert abs(found.leaders.ratio - 5) < 1e-12


def test_an_advantage_inside_the_area_recommends_nobody() -> None:
    leaders = compared("abc", ["ac", "bc"])
    near = {"a": 1.2, "b": 1.0, "c": 1.0}
    clear = cost_of(frontier(near, 1.05), leaders, None)
    inside = cost_of(frontier(near, 1.1), leaders, None)  # from 1.09 on
    unclear = cost_of(frontier(near, 1.3), leaders, None)
    assert clear is not None
    assert inside is not None
    assert unclear is not None
    assert (clear.fastest, inside.fastest, unclear.fastest) == ("b", None, None)
    assert inside.leaders is not None
    assert unclear.leaders is None


def test_the_fastest_of_three() -> None:
    found = cost_of(frontier({"a": 3.0, "b": 1.0, "c": 2.0}), compared("abc", []), None)
    assert found is not None
    assert (found.fastest, found.leaders) == ("b", None)


def test_only_times_that_are_compared_by_ratio_cost() -> None:
    winner = compared("abc", ["ab", "ac", "bc"])
    memory = Measure("fit-memory", "smaller", "bytes")
    assert cost_of(frontier(SECONDS, measure=memory), winner, None) is None
    assert cost_of(frontier(SECONDS, scale="difference"), winner, None) is None
    assert cost_of(frontier({"a": 1.0, "b": 2.0}), winner, None) is None  # c has none
