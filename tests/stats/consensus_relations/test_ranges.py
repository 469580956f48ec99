"""Ranges of weights over which a consensus, and who comes first in it, stay: by brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from reportgen.stats.consensus_relations import block, ranges
from reportgen.stats.consensus_relations.nearest import criterion, nearest_relations
from reportgen.stats.consensus_relations.orders import MOST_CANDIDATES, listed_orders, member_costs
from reportgen.stats.consensus_relations.ranges import WeightRange, simplest_between, weight_ranges
from reportgen.stats.relations.relations import CLASSES
from tests.stats.orders import asymmetric, orders

EXACT = 1e-12  # of weights that are simple fractions: one rounding to a float

Lines = list[tuple[int, int, frozenset[int]]]


def ensembles(n: int, number: int, seed: int = 11) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    pool = asymmetric(n)
    found = []
    for _ in range(number):
        size = int(rng.integers(2, 6))
        members = np.array([pool[i] for i in rng.integers(len(pool), size=size)])
        found.append((members, rng.choice([0.5, 1.0, 2.0], size=size)))
    return found


def lines_of(
    members: np.ndarray, weights: np.ndarray, wanted: str, coding: str, m: int
) -> tuple[np.ndarray, Lines]:
    """Return all orders, and over the weight of a member twice the level, slope and first of each.

    Weights are halves, so that all numbers are whole.
    """
    every = orders(members.shape[1], wanted)
    coded = every
    if coding == "relations":
        reflexive = every | np.eye(every.shape[1], dtype=bool)
        tied = ~(every | every.transpose(0, 2, 1))
        coded = every | tied if wanted == "weak" else reflexive
    apart = (coded[:, None] != members[None]).sum(axis=(2, 3))
    halves = (2 * weights).astype(int)
    assert (halves == 2 * weights).all()
    halves[m] = 0
    first = [frozenset(np.flatnonzero(~r.any(axis=0)).tolist()) for r in every]
    return every, list(zip((apart @ halves).tolist(), apart[:, m].tolist(), first, strict=True))


def optima_at(lines: Lines, weight: Fraction) -> list[int]:
    over, under = 2 * weight.numerator, weight.denominator
    values = [level * under + slope * over for level, slope, _ in lines]
    least = min(values)
    return [k for k, value in enumerate(values) if value == least]


def by_brute_force(
    lines: Lines, own: int, weight: Fraction
) -> tuple[float, float, list[list[float]]]:
    """Look at every weight where two orders are as near, and between any two of them."""
    lowest: dict[int, int] = {}
    for level, slope, _ in lines:
        lowest[slope] = min(level, lowest.get(slope, level))
    corners = {
        Fraction(b - a, 2 * (s - r))
        for s, a in lowest.items()
        for r, b in lowest.items()
        if s > r and b > a
    }
    ends = sorted({Fraction(0), weight, *corners})
    ends.append(ends[-1] + 2)  # stands for no end

    def first(at: Fraction) -> frozenset[int]:
        return frozenset().union(*(lines[k][2] for k in optima_at(lines, at)))

    stays = [e for e in ends if own in optima_at(lines, e)]
    same = [(weight, weight)]
    same += [(a, b) for a, b in pairwise(ends) if first((a + b) / 2) == first(weight)]
    joined: list[list[Fraction]] = []
    for a, b in sorted(same):
        if joined and a <= joined[-1][1]:
            joined[-1][1] = max(b, joined[-1][1])
        else:
            joined.append([a, b])
    infinite = [[float(a), inf if b == ends[-1] else float(b)] for a, b in joined]
    upper = inf if stays[-1] == ends[-1] else float(stays[-1])
    return float(stays[0]), upper, infinite


def check(members: np.ndarray, weights: np.ndarray, wanted: str, coding: str) -> list[WeightRange]:
    relation = nearest_relations(members, weights, wanted, limit=1, coding=coding).relations[0]  # type: ignore[arg-type]
    found = weight_ranges(members, weights, relation, wanted, coding=coding)  # type: ignore[arg-type]
    for m, own in enumerate(found.members):
        assert own is not None
        assert own.is_whole
        every, lines = lines_of(members, weights, wanted, coding, m)
        place = int((every == relation).all(axis=(1, 2)).argmax())
        lower, upper, first = by_brute_force(lines, place, Fraction(weights[m]))
        assert own.lower == pytest.approx(lower, abs=EXACT)
        assert own.upper == pytest.approx(upper, abs=EXACT)
        assert [list(x) for x in own.first] == [pytest.approx(x, abs=EXACT) for x in first]
        at = optima_at(lines, Fraction(weights[m]))
        assert found.first == frozenset().union(*(lines[k][2] for k in at))
    return [own for own in found.members if own is not None]


@pytest.mark.slow
@pytest.mark.parametrize("coding", ["strict", "relations"])
@pytest.mark.parametrize("wanted", CLASSES)
def test_ranges_by_brute_force(wanted: str, coding: str) -> None:
    found = [
        own
        for members, weights in ensembles(4, 5 if wanted in ("linear", "weak") else 3)
        for own in check(members, weights, wanted, coding)
    ]
    assert any(own.upper < inf for own in found)
    assert any(own.lower > 0 for own in found)


@pytest.mark.parametrize("coding", ["strict", "relations"])
@pytest.mark.parametrize("wanted", ["linear", "weak"])
def test_a_search_finds_the_same(wanted: str, coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "listed_orders", lambda n, order_class: None)
    monkeypatch.setattr("reportgen.stats.consensus_relations.ranges.MOST_OPTIMA", 2)
    for members, weights in ensembles(4, 2, seed=5):
        check(members, weights, wanted, coding)


def test_five_candidates() -> None:
    ((members, weights),) = ensembles(5, 1, seed=3)
    check(members, weights, "weak", "strict")


def test_a_search_agrees_with_the_list_for_six(monkeypatch: pytest.MonkeyPatch) -> None:
    for members, weights in ensembles_of_weak(6, 1):
        relation = nearest_relations(members, weights, limit=1).relations[0]
        listed = weight_ranges(members, weights, relation, "weak")
        with monkeypatch.context() as patch:
            patch.setattr(ranges, "listed_orders", lambda n, order_class: None)
            assert weight_ranges(members, weights, relation, "weak") == listed


def ensembles_of_weak(n: int, number: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(2)
    places = rng.integers(0, n, size=(number, 5, n))
    return [(p[:, :, None] < p[:, None, :], rng.choice([0.5, 1.0, 2.0], 5)) for p in places]


def test_where_the_same_come_first_need_not_be_an_interval() -> None:
    places = np.array([[3, 2, 1, 0], [1, 2, 0, 3], [3, 0, 2, 1], [1, 2, 3, 0]])
    members, weights = places[:, :, None] < places[:, None, :], np.array([4.0, 1.0, 4.0, 3.0])
    own = check(members, weights, "linear", "strict")[1]
    assert own == WeightRange(0.0, 3.0, ((0.0, 3.0), (5.0, 25 / 3)), True)


def test_who_comes_first_may_stay_when_the_order_does_not() -> None:
    abc, acb = (np.array(p)[:, None] < np.array(p)[None, :] for p in ([0, 1, 2], [0, 2, 1]))
    members = np.stack([abc, abc, acb])
    own = weight_ranges(members, np.ones(3), abc, "weak").members[2]
    assert own == WeightRange(0.0, 2.0, ((0.0, inf),), True)


def test_several_optima_lead_together() -> None:
    ab, ba = (np.array(p)[:, None] < np.array(p)[None, :] for p in ([0, 1], [1, 0]))
    found = weight_ranges(np.stack([ab, ba]), np.ones(2), ab, "weak")
    assert found.first == frozenset({0, 1})
    assert found.members == (
        WeightRange(1.0, inf, ((1.0, 1.0),), True),
        WeightRange(0.0, 1.0, ((1.0, 1.0),), True),
    )


def test_a_member_alone_and_one_without_a_weight() -> None:
    ab, ba = (np.array(p)[:, None] < np.array(p)[None, :] for p in ([0, 1], [1, 0]))
    alone, silent = weight_ranges(np.stack([ab, ba]), np.array([1.0, 0.0]), ab, "linear").members
    assert alone == WeightRange(0.0, inf, ((0.0, inf),), True)
    assert silent == WeightRange(0.0, 1.0, ((0.0, 1.0),), True)


def test_weights_that_are_no_fractions() -> None:
    ab, ba = (np.array(p)[:, None] < np.array(p)[None, :] for p in ([0, 1, 2], [1, 0, 2]))
    weights = np.array([np.pi, np.e])
    heavy, light = weight_ranges(np.stack([ab, ba]), weights, ab, "linear").members
    assert heavy is not None
    assert light is not None
    assert heavy.lower == pytest.approx(np.e, rel=1e-8)  # weights are rounded to 2^-32 of their sum
    ((lower, upper),) = light.first
    assert lower == 0.0
    assert upper == pytest.approx(np.pi, rel=1e-8)


@pytest.mark.slow
def test_what_takes_too_long_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (ranges, block):
        monkeypatch.setattr(module, "listed_orders", lambda n, order_class: None)
    ((members, weights),) = ensembles(4, 1, seed=1)
    relation = nearest_relations(members, weights, limit=1).relations[0]
    whole = weight_ranges(members, weights, relation, "weak")
    none = weight_ranges(members, weights, relation, "weak", most_work=1)
    assert none.first is None or set(none.members) == {None}
    n_open = 0
    for most_work in range(10, 300, 40):
        some = weight_ranges(members, weights, relation, "weak", most_work=most_work)
        for part, full in zip(some.members, whole.members, strict=True):
            assert full is not None
            if part is None:
                continue
            assert (part.lower, part.upper) == (full.lower, full.upper)
            n_open += not part.is_whole
            assert part.is_whole <= (part.first == full.first)
            for low, high in part.first:
                assert any(a <= low and high <= b for a, b in full.first)
    assert n_open > 0


def test_ranges_need_an_optimum() -> None:
    abc = np.triu(np.ones((1, 3, 3), dtype=bool), k=1)
    with pytest.raises(ValueError, match="not optimal"):
        weight_ranges(abc, np.ones(1), abc[0].T, "linear")
    assert criterion(abc, abc[0]) == 0.0


@pytest.mark.parametrize("wanted", ["linear", "weak"])
def test_all_orders_are_listed(wanted: str) -> None:
    for n in (1, 2, 3, 4):
        found = listed_orders(n, wanted)  # type: ignore[arg-type]
        assert found is not None
        assert {r.tobytes() for r in found} == {r.tobytes() for r in orders(n, wanted)}
        assert len(found) == len(orders(n, wanted))
    six = listed_orders(6, "weak")
    assert six is not None
    assert len(six) == 4683
    assert listed_orders(MOST_CANDIDATES[wanted] + 1, wanted) is None  # type: ignore[arg-type]
    assert listed_orders(3, "partial") is None


def test_costs_of_members_add_up_to_distances() -> None:
    members = asymmetric(3)[::5]
    for coding in ("strict", "relations"):
        for wanted in CLASSES:
            costs, constants = member_costs(members, wanted, coding)  # type: ignore[arg-type]
            for relation in orders(3, wanted):
                reflexive = relation | np.eye(3, dtype=bool)
                tied = ~(relation | relation.T)
                own = {
                    "strict": relation,
                    "relations": relation | tied if wanted == "weak" else reflexive,
                }
                apart = (members != own[coding]).sum(axis=(1, 2))
                assert (constants + costs[:, relation].sum(axis=1)).tolist() == apart.tolist()


@pytest.mark.parametrize(
    ("low", "high"), [("0", "1"), ("1/3", "1/2"), ("7/5", "17/12"), ("2", "9")]
)
def test_the_simplest_fraction_between_two(low: str, high: str) -> None:
    lower, upper = Fraction(low), Fraction(high)
    found = simplest_between(lower, upper)
    assert lower < found < upper
    assert not any(
        lower < Fraction(p, q) < upper for q in range(1, found.denominator) for p in range(10 * q)
    )


def test_candidates_are_tried_one_by_one_where_the_optima_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranges, "listed_orders", lambda n, order_class: None)
    monkeypatch.setattr("reportgen.stats.consensus_relations.ranges.MOST_OPTIMA", 1)
    ends = np.array([[0, 1, 2, 2], [1, 0, 2, 2]])  # four linear orders, the first two lead
    members = ends[:, :, None] < ends[:, None, :]
    for wanted in ("linear", "weak", "partial"):
        check(members, np.ones(2), wanted, "strict")
    check(members, np.ones(2), "weak", "relations")
