"""Consensus: against brute force, R's numbers, and what must hold of any."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.consensus_relations import block, program
from reportgen.stats.consensus_relations.nearest import criterion, nearest_relations
from reportgen.stats.relations.relations import CLASSES, OrderClass, belongs_to, chain, of_statistic
from tests.stats.orders import asymmetric, orders

EXACT = 1e-9  # relative to sums of at most 25 weights
INEXACT = 1e-7  # weights that are no fractions are rounded to 2^-32 of their sum
ROUNDED = 1e-6  # R's criteria are sums of weights with two decimals


def _ensemble(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    pool = asymmetric(n)
    return np.array([pool[i] for i in rng.integers(len(pool), size=size)])


def _by_brute_force(
    ensemble: np.ndarray, weights: np.ndarray, wanted: str
) -> tuple[float, set[bytes]]:
    pool = orders(ensemble.shape[1], wanted)
    differing = (pool[:, None] != ensemble[None]).sum(axis=(2, 3)) @ weights
    least = float(differing.min())
    return least, {pool[i].tobytes() for i in np.flatnonzero(differing <= least + EXACT)}


@pytest.mark.parametrize("wanted", CLASSES)
@pytest.mark.parametrize("seed", range(8))
def test_all_optima_are_those_of_brute_force(
    wanted: OrderClass, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the search: few candidates have their orders listed, as the test after this one shows."""
    monkeypatch.setattr(block, "listed_orders", lambda n, order_class: None)
    rng = np.random.default_rng(seed)
    n = 5 if seed < 2 else 4
    ensemble = _ensemble(rng, n, int(rng.integers(1, 6)))
    weights = rng.choice([1.0, 2.0, 0.5, 0.3], size=len(ensemble))
    least, optima = _by_brute_force(ensemble, weights, wanted)
    found = nearest_relations(ensemble, weights, wanted, limit=5000)
    assert found.criterion == pytest.approx(least, rel=EXACT)
    assert found.lower_bound == pytest.approx(least, rel=EXACT)
    assert {r.tobytes() for r in found.relations} == optima
    assert found.n_optimal == len(optima)
    assert np.array_equal(found.agreed, np.logical_and.reduce(found.relations))


@pytest.mark.parametrize("wanted", ["linear", "weak"])
@pytest.mark.parametrize("limit", [1, 3, 5000])
def test_a_search_and_a_list_agree(
    wanted: OrderClass, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(limit)
    for _ in range(6):
        ensemble = _ensemble(rng, 5, 4)
        weights = rng.choice([1.0, 2.0, 0.5, 0.3], size=4)
        listed = nearest_relations(ensemble, weights, wanted, limit=limit)
        with monkeypatch.context() as patch:
            patch.setattr(block, "listed_orders", lambda n, order_class: None)
            sought = nearest_relations(ensemble, weights, wanted, limit=limit)
        assert listed.criterion == sought.criterion
        assert (listed.n_optimal, listed.has_more) == (sought.n_optimal, sought.has_more)
        if sought.n_optimal is not None:
            assert {r.tobytes() for r in listed.relations} == {
                r.tobytes() for r in sought.relations
            }
        assert not (sought.agreed & ~listed.agreed).any()


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(1, 6))
def test_a_wider_class_is_nearer_and_names_do_not_matter(seed: int, n: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    ensemble = _ensemble(rng, n, size)
    criteria = [nearest_relations(ensemble, None, c, limit=1).criterion for c in CLASSES]
    assert criteria == sorted(criteria, reverse=True)
    for member in ensemble:
        for wanted, least in zip(CLASSES, criteria, strict=True):
            if belongs_to(member, wanted):
                assert least <= criterion(ensemble, member)
    order = rng.permutation(n)
    turned = ensemble[:, order][:, :, order]
    assert [nearest_relations(turned, None, c, limit=1).criterion for c in CLASSES] == criteria


def test_more_optima_than_asked_for_are_not_counted() -> None:
    ensemble = np.zeros((1, 4, 4), dtype=bool)
    found = nearest_relations(ensemble, None, "linear", limit=10)  # all 24 orders are as far
    assert found.n_optimal is None
    assert len(found.relations) == 10
    assert nearest_relations(ensemble, None, "linear").n_optimal == 24
    assert nearest_relations(ensemble, None, "weak").criterion == 0.0


def test_one_candidate() -> None:
    found = nearest_relations(np.zeros((2, 1, 1), dtype=bool))
    assert (found.criterion, found.n_optimal) == (0.0, 1)


def test_condorcets_paradox_has_three_linear_optima() -> None:
    abc = np.triu(np.ones((3, 3), dtype=bool), k=1)
    turns = [np.roll(np.roll(abc, s, axis=0), s, axis=1) for s in range(3)]
    found = nearest_relations(np.array(turns), None, "linear")
    assert found.n_optimal == 3
    assert not found.agreed.any()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"incidences": np.zeros((2, 3, 2), dtype=bool)}, r"shape \(M, K, K\)"),
        ({"incidences": np.ones((1, 2, 2), dtype=bool)}, "irreflexive"),
        ({"weights": np.array([1.0])}, "weights must be 2"),
        ({"weights": np.array([1.0, -1.0])}, "non-negative"),
        ({"weights": np.zeros(2)}, "not all zero"),
        ({"order_class": "total"}, "must be one of linear, weak"),
        ({"limit": 0}, "limit 0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        nearest_relations(**{"incidences": np.zeros((2, 3, 3), dtype=bool), **arguments})


@pytest.mark.parametrize("wanted", ["linear", "weak", "partial"])
def test_in_the_coding_of_relations_all_optima_are_those_of_brute_force(wanted: str) -> None:
    rng = np.random.default_rng(5)
    key = {"linear": "L", "weak": "W", "partial": "O"}[wanted]
    for _ in range(12):
        members = rng.random((3, 4, 4)) < 0.5  # anything at all, the diagonal too
        weights = rng.choice([1.0, 0.5, 2.0], size=3)
        pool = orders(4, wanted)
        by_pool = np.array([_coded(members, weights, r, key) for r in pool])
        found = nearest_relations(members, weights, wanted, coding="relations", limit=5000)  # type: ignore[arg-type]
        assert found.criterion == pytest.approx(by_pool.min(), rel=EXACT)
        optima = {pool[i].tobytes() for i in np.flatnonzero(by_pool <= by_pool.min() + EXACT)}
        assert {r.tobytes() for r in found.relations} == optima


@pytest.mark.parametrize("wanted", CLASSES)
def test_weights_that_are_no_fractions(wanted: OrderClass) -> None:
    rng = np.random.default_rng(2)
    for _ in range(4):
        ensemble = _ensemble(rng, 4, 4)
        weights = rng.random(4) * np.sqrt(2)
        least, optima = _by_brute_force(ensemble, weights, wanted)
        found = nearest_relations(ensemble, weights, wanted, limit=5000)
        assert found.criterion == pytest.approx(least, rel=INEXACT)
        assert found.is_proven
        assert {r.tobytes() for r in found.relations} == optima


def test_linear_orders_of_seven_by_brute_force() -> None:
    rng = np.random.default_rng(3)
    ranks = np.array(list(permutations(range(7))))
    pool = ranks[:, :, None] < ranks[:, None, :]
    for _ in range(4):
        ensemble = rng.random((1, 7, 7)) < 0.5
        ensemble = np.triu(ensemble, 1) | np.tril(~ensemble.transpose(0, 2, 1), -1)
        differing = (pool != ensemble).sum(axis=(1, 2))
        found = nearest_relations(ensemble, None, "linear", limit=5000)
        assert found.criterion == differing.min()
        optima = pool[differing == differing.min()]
        assert {r.tobytes() for r in found.relations} == {r.tobytes() for r in optima}


@pytest.mark.parametrize("wanted", CLASSES)
def test_what_is_agreed_holds_in_all_optima_also_when_few_are_listed(wanted: OrderClass) -> None:
    rng = np.random.default_rng(4)
    n_cut = n_agreed = 0
    for _ in range(10):
        ensemble = _ensemble(rng, 4, 3)
        every = nearest_relations(ensemble, None, wanted, limit=5000)
        few = nearest_relations(ensemble, None, wanted, limit=1)
        n_cut += few.has_more
        n_agreed += int(few.agreed.sum())
        assert few.n_optimal in (None, 1)
        assert few.relations[0].tobytes() in {r.tobytes() for r in every.relations}
        assert not (few.agreed & ~every.agreed).any()
        assert not (few.agreed_ties & ~every.agreed_ties).any()
        assert few.has_more == (every.n_optimal != 1)
    assert n_cut > 1
    assert n_agreed > 10


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["semiorder", "interval", "partial"])
def test_with_too_little_work_the_bound_holds_all_the_same(wanted: OrderClass) -> None:
    rng = np.random.default_rng(12)
    u = np.triu(rng.random((10, 10)) < 0.5, k=1)
    tournament = (u | np.tril(~u.T, -1))[None]
    full = nearest_relations(tournament, None, wanted, limit=1)
    assert full.is_proven
    n_open = 0
    for most_work in (1, 40, 150, 400):
        found = nearest_relations(tournament, None, wanted, most_work=most_work)
        assert found.lower_bound <= full.criterion <= found.criterion
        assert found.criterion == criterion(tournament, found.relations[0])
        assert belongs_to(found.relations[0], wanted)
        again = nearest_relations(tournament, None, wanted, most_work=most_work)
        assert (again.criterion, again.lower_bound) == (found.criterion, found.lower_bound)
        if not found.is_proven:
            n_open += 1
            assert (found.n_optimal, found.has_more) == (None, False)
    assert n_open > 0


def test_at_forty_candidates_the_bound_or_the_proof_is_there() -> None:
    rng = np.random.default_rng(7)
    worth = np.linspace(0, 1, 40) + 0.3 * rng.standard_normal((25, 40))
    members = np.array([of_statistic(row) for row in np.round(8 * worth) / 8])
    criteria = []
    for wanted in ("linear", "weak", "partial"):
        found = nearest_relations(members, None, wanted, limit=1)  # type: ignore[arg-type]
        assert found.is_proven
        assert criterion(members, found.relations[0]) == found.criterion
        criteria.append(found.criterion)
    assert criteria == sorted(criteria, reverse=True)


# --------------------------------------------------------------------------- other programs


def _named(relation: np.ndarray, names: list[str]) -> str:
    groups = chain(relation)
    assert groups is not None
    return " < ".join(" ~ ".join(sorted(names[i] for i in group)) for group in groups)


def test_monks3_is_the_dissertations(reference: Path) -> None:
    monks3 = json.loads((reference / "golden" / "single_monks3.json").read_text())
    names = monks3["algorithms"]
    relations = monks3["relations"]
    members = ("lmer_lt_0.05", "point_max", "point_time_mean")
    ensemble = np.array([relations[key]["data"] for key in members], dtype=bool)
    weak = nearest_relations(ensemble, None, "weak")
    assert (weak.criterion, weak.n_optimal) == (18.0, 1)
    assert _named(weak.relations[0], names) == "rpart ~ svm < lda < rf < nnet < knn"
    for weights, with_diagonal in (((1.0, 1.0, 1.0), 36.0), ((1.0, 1.5, 0.2), 25.8)):
        w = np.array(weights)
        partial = nearest_relations(ensemble, w, "partial")
        assert partial.criterion == pytest.approx(with_diagonal - 6 * w.sum(), rel=EXACT)
        assert partial.n_optimal == 1


def _uci(reference: Path) -> tuple[np.ndarray, list[str]]:
    golden = json.loads((reference / "golden" / "uci621.json").read_text())
    tables = [entry["incidence"] for entry in golden["local_available"].values()]
    names = tables[0]["rows"]
    members = []
    for table in tables:
        rows, cols = ([table[side].index(n) for n in names] for side in ("rows", "cols"))
        members.append(np.array(table["data"], dtype=bool)[np.ix_(rows, cols)])
    return np.array(members), names


def test_21_data_sets(reference: Path) -> None:
    ensemble, names = _uci(reference)
    linear = nearest_relations(ensemble, None, "linear")
    assert (linear.criterion, linear.n_optimal) == (174.0, 1)
    assert _named(linear.relations[0], names) == "svm < rf < lda < rpart < nnet < knn"
    weak = nearest_relations(ensemble, None, "weak")
    assert (weak.criterion, weak.n_optimal) == (173.0, 1)
    assert _named(weak.relations[0], names) == "rf ~ svm < lda < rpart < nnet < knn"
    partial = nearest_relations(ensemble, None, "partial")
    assert (partial.criterion, partial.n_optimal) == (173.0, 2)


@pytest.mark.slow
def test_20_ensembles_of_the_package_relations(reference: Path) -> None:
    golden = json.loads((reference / "golden" / "consensus_random.json").read_text())
    assert len(golden["cases"]) == 20
    n_cut = 0
    for case in golden["cases"]:
        members = np.array([member["data"] for member in case["incidences"]], dtype=bool)
        weights = np.array(case["weights"], dtype=float)
        for key, wanted in (("L", "linear"), ("W", "weak"), ("O", "partial")):
            found = nearest_relations(members, weights, wanted, coding="relations")  # type: ignore[arg-type]
            told = case[key]
            assert found.criterion == pytest.approx(told["criterion"], rel=ROUNDED)
            ours = {r.tobytes() for r in found.relations}
            theirs = [_strict(m["data"], key) for m in told["incidences"]]
            assert all(belongs_to(relation, wanted) for relation in theirs)  # type: ignore[arg-type]
            if found.has_more:  # one ensemble has 5,577 nearest partial orders
                assert (len(ours), found.n_optimal, key) == (1000, None, "O")
                theirs = [r for r in theirs if r.tobytes() not in ours]
                distances = [_coded(members, weights, r, key) for r in (*found.relations, *theirs)]
                assert distances == pytest.approx([told["criterion"]] * len(distances), rel=ROUNDED)
                n_cut += 1
                continue
            assert found.n_optimal == len(ours)
            assert {r.tobytes() for r in theirs} <= ours  # R may return only some of them
    assert n_cut == 1


def test_linear_optima_of_the_20_ensembles_are_all_found(reference: Path) -> None:
    golden = json.loads((reference / "golden" / "consensus_random.json").read_text())
    for case in golden["cases"]:
        full = np.array([member["data"] for member in case["incidences"]], dtype=bool)
        weights, names = np.array(case["weights"], dtype=float), case["incidences"][0]["rows"]
        # the golden orders are reflexive: a member without its diagonal differs there
        diagonal = float(weights @ (~full.diagonal(axis1=1, axis2=2)).sum(axis=1))
        found = nearest_relations(full & ~full.transpose(0, 2, 1), weights, "linear")
        told = case["brute_force_linear"]
        assert found.criterion + diagonal == pytest.approx(told["optimum"], rel=ROUNDED)
        assert found.n_optimal == told["n_optimal"]
        assert {_named(r, names) for r in found.relations} == set(told["orders"])


def _coded(members: np.ndarray, weights: np.ndarray, relation: np.ndarray, key: str) -> float:
    """Return a criterion by its definition in R: reflexive, ties of weak orders 1 both ways."""
    reflexive = ~relation.T if key == "W" else relation | np.eye(len(relation), dtype=bool)
    return float(weights @ (members != reflexive).sum(axis=(1, 2)))


def _strict(data: Any, key: str) -> np.ndarray:
    """Return the strict part of a reflexive relation."""
    relation = np.array(data, dtype=bool)
    strict = relation & ~relation.T if key == "W" else relation.copy()
    np.fill_diagonal(strict, False)
    return np.ascontiguousarray(strict)


@pytest.mark.parametrize("wanted", ["linear", "weak", "semiorder"])
def test_too_many_candidates_at_once_are_not_searched(
    wanted: OrderClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    worth = np.linspace(0, 1, 14) + 1.5 * rng.standard_normal((9, 14))
    members = np.array([of_statistic(row) for row in worth])
    full = nearest_relations(members, None, wanted)
    assert (full.is_proven, full.unsearched) == (True, ())
    monkeypatch.setattr(block, "MOST_SEARCHED", 8)
    found = nearest_relations(members, None, wanted)
    assert found.lower_bound < full.criterion <= found.criterion
    assert found.criterion == criterion(members, found.relations[0])
    assert belongs_to(found.relations[0], wanted)
    assert len(found.unsearched) > 8
    assert (found.n_optimal, found.has_more) == (None, False)
    assert not (found.agreed & ~full.agreed).any()


def test_many_candidates_that_tie_in_all_members_need_no_search() -> None:
    found = nearest_relations(np.zeros((3, 90, 90), dtype=bool))
    assert (found.criterion, found.n_optimal, found.unsearched) == (0, 1, ())


def test_a_program_of_too_many_steps_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    worth = np.linspace(0, 1, 40) + 0.3 * rng.standard_normal((25, 40))
    members = np.array([of_statistic(row) for row in np.round(8 * worth) / 8])
    full = nearest_relations(members, limit=1)
    monkeypatch.setattr(program, "MOST_STEPS", 5)
    found = nearest_relations(members, limit=1)
    assert not found.is_proven
    assert found.lower_bound <= full.criterion <= found.criterion
    assert found.criterion == criterion(members, found.relations[0])
