"""From ballots to a result."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from reportgen.rendering.results_json import plain
from reportgen.sections.consensus import analysis
from reportgen.sections.consensus.analysis import Ballot, find_consensus
from reportgen.stats.consensus_relations.block import MOST_SEARCHED
from reportgen.stats.consensus_relations.nearest import FEW_OPTIMA, LARGE, MOST_OPTIMA
from reportgen.stats.relations.relations import CLASSES
from tests.schemas import validator_of
from tests.sections.consensus.ballots import NAMES, ballot, chains, ensemble
from tests.stats.orders import orders

A, B, C, D = NAMES[:4]


def test_the_optimum_by_hand() -> None:
    found = ensemble("a < b < c", "a < b < c", "c < a < b")
    assert chains(found) == ["a < b < c"]
    assert (found.criterion, found.lower_bound, found.n_optimal) == (4.0, 4.0, 1)
    assert (found.is_proven, found.has_more, found.winner) == (True, False, A)
    assert [m.distance for m in found.members] == [0, 0, 4]
    assert found.members[0].chain == ((A,), (B,), (C,))
    assert found.majorities is not None
    assert found.majorities.condorcet_winner == A
    assert found.support(A, C) == 2.0
    assert found.support(C, A) == 1.0
    assert found.n_settled == found.n_pairs


def test_criterion_is_the_weighted_sum_of_the_members_distances() -> None:
    for wanted in CLASSES:
        found = ensemble("a<b~c<d", "d<c<b<a", "abcd:ab cd", weights=(1.0, 1.5, 0.2), wanted=wanted)
        total = sum(m.weight * m.distance for m in found.members)
        assert found.criterion == pytest.approx(total, abs=1e-12)


def test_where_optima_part_and_what_they_have_in_common() -> None:
    found = ensemble("a < b < c", "b < a < c", wanted="linear")
    assert chains(found) == ["a < b < c", "b < a < c"]
    assert found.n_settled == found.n_pairs - 1
    assert {A, B} not in map(set, (*found.agreed, *found.agreed_ties))
    assert found.agreed == ((A, C), (B, C))
    assert found.winner is None
    assert found.best == ()
    assert found.agreement is not None
    assert found.agreement.chain == ((A, B), (C,))


def test_a_circle_of_majorities() -> None:
    found = ensemble("a < b < c", "b < c < a", "c < a < b", wanted="linear")
    assert found.n_optimal == 3
    assert found.majorities is not None
    assert found.majorities.has_cycle
    assert found.majorities.condorcet_winner is None
    assert set(found.majorities.smith_set) == {A, B, C}
    assert found.majorities.reversals == ()


def test_borda_turns_a_pair_round() -> None:
    # three prefer a to b; the two others put b first and a last
    found = ensemble("a<b<c<d", "a<b<c<d", "a<b<c<d", "b<c<d<a", "b<c<d<a")
    assert found.winner == A
    assert found.borda is not None
    assert found.borda.chain[0] == (B,)
    assert (A, B) in found.borda.reversals
    assert found.copeland is not None
    assert found.copeland.reversals == ()


def test_ranges_of_weights() -> None:
    found = ensemble("a < b", "b < a", "a < b", weights=(2.0, 1.0, 1.0))
    assert chains(found) == ["a < b"]
    assert [m.weight_range for m in found.members] == [(0.0, inf), (0.0, 3.0), (0.0, inf)]
    assert [m.first_ranges for m in found.members] == [((0.0, inf),), ((0.0, 3.0),), ((0.0, inf),)]
    assert all(m.is_whole for m in found.members)
    assert found.first == (A,)
    bare = ensemble("a < b", "b < a", "a < b", weights=(2.0, 1.0, 1.0), has_ranges=False)
    assert {m.weight_range for m in bare.members} == {None}
    assert bare.first == (A,)


def test_who_comes_first_is_known_where_the_optima_are_not_all_listed() -> None:
    found = ensemble("a < b < c ~ d", "b < a < c ~ d", wanted="linear", limit=1)
    assert found.n_optimal is None
    assert found.first == (A, B)
    assert (1.0, 1.0) in found.members[0].first_ranges
    bare = ensemble("a < b < c ~ d", "b < a < c ~ d", wanted="linear", limit=1, has_ranges=False)
    assert bare.first == ()


def test_tied_candidates_are_named_in_the_order_that_is_asked_for() -> None:
    found = ensemble("a ~ b < c ~ d", "a ~ b < c ~ d", ranking=(D, C, B, A))
    order = found.relations[0]
    assert order.chain == ((B, A), (D, C))
    assert (order.best, order.levels, found.first) == ((B, A), ((B, A), (D, C)), (B, A))
    assert found.candidates == (A, B, C, D)
    assert [*order.incidence[0]] == [0, 0, 1, 1]


def test_statistics_beside_tests_are_told_apart() -> None:
    tested, untested = ballot("a < b", "t"), ballot("b < a", "s")
    kinds = (replace(tested, by="mixed-model"), replace(untested, by="mean"))
    assert [m.id for m in find_consensus(kinds, NAMES).untested] == ["s"]
    same = (replace(tested, by="mean"), replace(untested, by="median"))
    assert find_consensus(same, NAMES).untested == ()
    assert find_consensus((tested, untested), NAMES).untested == ()


def test_of_candidates_that_a_ballot_lacks_it_says_nothing() -> None:
    found = ensemble("a < b", "b < c")
    assert found.candidates == (A, B, C)
    assert [m.missing_candidates for m in found.members] == [(C,), (A,)]
    assert found.support(A, C) == 0.0


def test_nothing_to_agree_on() -> None:
    assert find_consensus([], NAMES).unavailable == "no-relations"
    assert ensemble("a < b", weights=(0.0,)).unavailable == "no-weight"


@pytest.mark.parametrize("n", [MOST_SEARCHED, MOST_SEARCHED + 1])
def test_one_relation_of_very_many_is_the_consensus_and_not_written_twice(n: int) -> None:
    """Of few candidates it is; of another relation the nearest weak order is then not sought."""
    names = [f"c{k}" for k in range(n)]
    values = np.arange(n) // 2
    weak = values[:, None] < values
    found = find_consensus([Ballot("one", tuple(names), tuple(map(tuple, weak.tolist())))], names)
    if n <= MOST_SEARCHED:
        assert np.array_equal(found.relations[0].incidence, weak)
        assert (found.unavailable, found.criterion) == (None, 0)
    else:
        assert (found.unavailable, found.relations) == ("one-relation", ())
        semiorder = np.arange(n)[:, None] + 3 < np.arange(n)
        ballots = [Ballot("one", tuple(names), tuple(map(tuple, semiorder.tolist())))]
        assert find_consensus(ballots, names).unavailable == "no-search"


def test_hierarchical_order_takes_the_members_in_turn() -> None:
    found = ensemble("a ~ b < c ~ d", "b < a ~ d < c")
    assert found.hierarchical is not None
    assert found.hierarchical.chain == ((B,), (A,), (D,), (C,))


@pytest.mark.slow
@pytest.mark.parametrize("wanted", CLASSES)
def test_all_optima_of_four_candidates_by_brute_force(wanted: str) -> None:
    rng = np.random.default_rng(6)
    pool, partial = orders(4, wanted), orders(4, "partial")
    for _ in range(6):
        members = partial[rng.integers(len(partial), size=3)]
        weights = rng.choice([1.0, 0.5, 0.2], size=3)
        texts = [
            "abcd:" + " ".join("abcd"[i] + "abcd"[j] for i, j in np.argwhere(m)) for m in members
        ]
        ballots = [
            ballot(t, str(i), w) for i, (t, w) in enumerate(zip(texts, weights, strict=True))
        ]
        found = find_consensus(ballots, NAMES, wanted)  # type: ignore[arg-type]
        totals = (pool[:, None] != members[None]).sum(axis=(2, 3)) @ weights
        assert found.criterion == pytest.approx(totals.min(), abs=1e-12)
        optima = {tuple(map(tuple, pool[i].astype(int).tolist()))
                  for i in np.flatnonzero(totals <= totals.min() + 1e-9)}  # fmt: skip
        assert {tuple(map(tuple, o.incidence)) for o in found.relations} == optima


def test_fewer_optima_are_listed_of_many_candidates() -> None:
    names = [f"c{k:02d}" for k in range(LARGE + 1)]
    level = tuple((0,) * len(names) for _ in names)
    for n, limit in ((LARGE, MOST_OPTIMA), (LARGE + 1, FEW_OPTIMA)):
        rows = tuple(row[:n] for row in level[:n])
        found = find_consensus([Ballot("all tie", tuple(names[:n]), rows)], names, has_ranges=False)
        assert (found.limit, found.n_optimal) == (limit, 1)


def test_matrices_of_very_many_candidates_are_no_results(monkeypatch: pytest.MonkeyPatch) -> None:
    orders_of = "a < b < c", "a < b < c", "abc:ab"
    few = plain(ensemble(*orders_of))
    monkeypatch.setattr(analysis, "MOST_COMPACT", 2)
    monkeypatch.setattr(analysis, "MOST_SQUARED", 2)
    many = plain(ensemble(*orders_of))
    (order,), majorities = many["relations"], many["majorities"]
    assert (order["incidence"], order["chain"]) == (None, [[A], [B], [C]])
    assert majorities["support"] is None
    assert few["relations"][0] == order | {"incidence": [[0, 1, 1], [0, 0, 1], [0, 0, 0]]}
    assert few["majorities"] == majorities | {"support": [[0, 3, 2], [0, 0, 2], [0, 0, 0]]}
    for own in (few, many):
        validator_of("consensus").validate(own)
