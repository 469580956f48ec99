"""What the section says, held against its numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from reportgen.rendering.results_json import plain
from reportgen.sections.consensus import analysis
from reportgen.sections.consensus.analysis import ConsensusResult, find_consensus
from reportgen.stats.consensus_relations import block
from reportgen.stats.relations.relations import CLASSES
from tests.sections.consensus.ballots import NAMES, ballot, ensemble, report, say
from tests.sections.section_blocks import blocks_of
from tests.stats.orders import asymmetric

CIRCLE = ("a < b < c", "b < c < a", "c < a < b")


def test_three_relations_with_one_optimum_are_told_with_tables() -> None:
    found = ensemble("a < b < c", "a < b < c", "c < a < b")
    assert found.is_told
    body = say(found)
    assert body.startswith(
        "The weak order that is nearest to the three relations is anna > bert > cara (sum of "
        "distances 4), and no other is as near."
    )
    assert (
        "Nearest to it is rule-0 with a distance of 0, farthest rule-2 with 4, of at most 6."
        in (body)
    )
    assert "stays optimal while the weight of rule-2 is at most 2 (now 1)." in body
    assert "more weight prefers anna to any other candidate" in body
    assert ("Table 1" in body, "Table 2" in body) == (True, True)


@pytest.mark.parametrize(
    "found",
    [
        ensemble("a < b < c", "b < a < c"),
        ensemble("a < b < c", "a < b < c"),
        ensemble("a ~ b ~ c ~ d", "a ~ b ~ c ~ d", "a ~ b ~ c ~ d", wanted="linear"),
        ensemble("a < b ~ c"),
    ],
)
def test_two_relations_or_ten_optima_are_a_sentence(found: ConsensusResult) -> None:
    assert not found.is_told
    body = say(found)
    assert "\n" not in body
    assert body.count(".") == 1


def test_several_optima_are_counted_with_what_they_agree_on() -> None:
    found = ensemble("a < b < c", "b < a < c", wanted="linear")
    assert (found.n_optimal, found.n_settled, found.n_pairs) == (2, 2, 3)
    assert say(found) == (
        "Two linear orders are equally near to the two relations (sum of distances 2); they say "
        "the same of two of three pairs."
    )
    many = ensemble("a ~ b ~ c ~ d", "a ~ b ~ c ~ d", wanted="linear", limit=5)
    assert say(many).startswith("More than 5 linear orders are equally near")


def test_methods_say_that_many_datasets_share_the_work() -> None:
    found = ensemble(*CIRCLE)
    for n in (30, 31):
        made = replace(report(*[found] * n), length="full")
        methods = blocks_of(made, made.contents[0])["methods"]
        assert ("of which each of many data sets has its share" in methods) == (n > 30)


def test_of_two_candidates_no_search_is_described() -> None:
    found = ensemble("a < b", "b < a")
    assert found.n_optimal == 3
    assert say(found) == (
        "All three orders of the two candidates are equally near to the two relations (sum of "
        "distances 2)."
    )
    methods, of_three = (
        blocks_of(made, made.contents[0])["methods"]
        for made in (report(found), report(ensemble(*CIRCLE)))
    )
    assert methods.startswith("The consensus is the order of the two candidates")
    assert "integer program" in of_three
    for word in ("integer program", "Condorcet", "limit"):
        assert word not in methods


def test_what_is_not_proven_is_not_called_nearest() -> None:
    proven = ensemble("a<b<c<d", "a<b<c<d", "b<c<d<a")
    open_ = replace(
        proven,
        lower_bound=proven.criterion - 4,  # type: ignore[operator]
        is_proven=False,
        n_optimal=None,
        winner=None,
    )
    body = say(open_)
    assert "was stopped at its limit of work" in body
    assert "no other is as near" not in body
    assert "It stays optimal" not in body


def test_more_candidates_than_are_searched_are_said_with_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(block, "MOST_SEARCHED", 2)
    monkeypatch.setattr(block, "listed_orders", lambda *_: None)
    found = ensemble("a<b<c", "b<c<a", "c<a<b", wanted="linear")
    assert found.n_unsearched == 3
    assert plain(found)["unsearched"] == list(found.candidates)
    body = say(found)
    assert "was not searched, as 3 candidates are too many to be put in order at once" in body
    assert "no other is as near" not in body
    whole = ensemble("a<b<c", "a<b<c", wanted="linear")
    assert "unsearched" not in plain(whole)
    assert "not searched" not in say(whole)


def test_one_relation_of_too_many_candidates_is_no_order_and_none_is_sought(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysis, "MOST_SEARCHED", 2)
    found = ensemble("a < b ~ c", wanted="linear")
    assert plain(found)["unavailable"] == "no-search"
    assert say(found) == (
        "The one relation that has a say here is no linear order, and which one is nearest to it "
        "was not searched, as the candidates are too many to be put in order at once."
    )
    assert ensemble("a < b ~ c").unavailable == "one-relation"


def test_weights_are_firm_or_have_a_member_with_the_least_room() -> None:
    firm = ensemble("a < b < c", "a < b < c", "a < b < c")
    assert firm.is_firm
    assert "stays optimal whatever weight any one relation has" in say(firm)
    found = ensemble("a < b < c", "a < b < c", "a < c < b")
    assert (found.is_firm, found.least_room.id) == (False, "rule-2")
    unknown = replace(
        found, members=(*found.members[:2], replace(found.members[2], weight_range=None))
    )
    assert unknown.least_room is None
    assert "It stays optimal" not in say(unknown)


def test_one_relation_and_none() -> None:
    assert "The consensus is the one relation that has a say, rule-0" in say(ensemble("a < b ~ c"))
    assert "nearest to" not in say(ensemble("a < b", "b < a", weights=(1.0, 0.0)))
    assert "equally near to rule-0" in say(ensemble("a < b ~ c", wanted="linear"))
    assert "There is no relation here" in say(find_consensus([], NAMES))
    assert "No relation that is available here has a weight" in say(
        ensemble("a < b", weights=(0.0,))
    )


def test_one_relation_without_an_order_is_named_in_words() -> None:
    found = ensemble("a ~ b < c", wanted="linear")
    named = [replace(m, id="misclassification/verdict", by="verdict") for m in found.members]
    said = say(replace(found, members=tuple(named)))
    assert "near to that by the verdicts on misclassification error; they say" in said


def test_majorities_may_run_in_a_circle() -> None:
    found = ensemble(*CIRCLE, weights=(1.0, 1.2, 1.1))
    body = say(found)
    assert ("run in a circle: there is no Condorcet winner" in body) == found.majorities.has_cycle
    assert "weighted sum of distances" in body


def test_who_is_absent_and_who_has_no_say() -> None:
    body = say(ensemble("a < b < c", "b < c", "a < b < c", "a < c", weights=(1.0, 1.0, 1.0, 0.0)))
    assert "rule-3 has the weight 0 and no say." in body
    assert "anna ties with all others in rule-1, for want of values." in body


def test_statistics_beside_tests_are_not_the_same_kind_of_thing() -> None:
    found = ensemble("a < b < c", "b < a ~ c", "a < b ~ c")
    kinds = zip(found.members, ("mean", "mixed-model", "friedman"), strict=True)
    members = tuple(replace(m, by=by) for m, by in kinds)  # type: ignore[arg-type]
    assert "rule-0 orders by a statistic without any test" in say(replace(found, members=members))
    assert "without any test" not in say(found)


def test_pages_of_several_data_sets_have_none_in_an_article() -> None:
    made = report(ensemble("a < b"), ensemble("b < a"))
    assert blocks_of(made, made.contents[0])["compact"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("wanted", CLASSES)
def test_every_text_is_sound_whatever_the_relations(wanted: str) -> None:
    rng = np.random.default_rng(8)
    for n in (2, 3, 4):
        pool = asymmetric(n)
        for size in range(1 + (n + CLASSES.index(wanted)) % 2, 4, 2):  # over the classes, all
            ballots = []
            for m in range(size):
                relation = pool[rng.integers(len(pool))]
                pairs = " ".join("abcd"[i] + "abcd"[j] for i, j in np.argwhere(relation))
                ballots.append(
                    ballot("abcd"[:n] + ":" + pairs, f"rule-{m}", float(rng.integers(1, 4)))
                )
            limit = int(rng.integers(1, 9))
            found = find_consensus(ballots, NAMES, wanted, limit=limit)  # type: ignore[arg-type]
            check(found, say(found))


def check(found: ConsensusResult, body: str) -> None:
    """Hold the strongest claims against the numbers."""
    assert ("no other is as near" in body) <= (found.n_optimal == 1)
    chain = found.relations[0].chain
    if found.n_optimal == 1 and chain is not None and "nearest to the" in body:
        assert " > ".join(", ".join(group) for group in chain) in body
    for name in found.candidates:
        assert (f"all put {name} first" in body) <= (found.winner == name)
    assert found.majorities is not None
    has_one = found.majorities.condorcet_winner is not None
    assert ("(Condorcet winner)" in body) <= has_one
    rooms = [m for m in found.weighted if m.weight_range]
    for m, other in pairwise(rooms):
        if found.least_room is m and other.weight_range[0] > 0:
            assert f"weight of {m.id}" in body or not found.is_told
