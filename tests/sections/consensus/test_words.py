"""What the section says, held against its numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from reportgen.rendering.composition import compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import Report
from reportgen.sections.consensus.ensemble import find_consensus
from reportgen.sections.consensus.result import ConsensusResult
from reportgen.stats.relations.relations import CLASSES
from tests.sections.consensus.ballots import NAMES, ballot, ensemble, report, say
from tests.sections.reading import faults, plain, read
from tests.stats.orders import asymmetric

CIRCLE = ("a < b < c", "b < c < a", "c < a < b")


def index_rows(made: Report) -> list[list[str]]:
    """Return the cells of the index of data sets."""
    context = RenderContext(made, HTML, (), extras())
    composed = compose(context)
    assert composed.datasets is not None
    page = context.insert_labels(str(composed.datasets.body))
    rows = re.findall(r"<tr\b.*?</tr>", page, re.DOTALL)
    return [[plain(c) for c in re.findall(r"<t[dh]\b.*?</t[dh]>", row, re.DOTALL)] for row in rows]


def text(result: ConsensusResult) -> str:
    return say(result).sections["consensus"]


def test_a_unique_optimum_leads_the_findings() -> None:
    said = say(ensemble("a < b < c", "a < b < c", "c < a < b"))
    assert said.lead == "Consensus of the three relations: anna ≺ bert ≺ cara"
    assert said.findings[0] == (
        "The three preference relations agree best on one weak order (sum of distances 4), with "
        "anna ahead of every other candidate. Figure 1"
    )
    body = said.sections["consensus"]
    assert (
        "The consensus is anna ≺ bert ≺ cara. It is the only weak order with the smallest" in body
    )
    assert "criterion, 4 (sum of distances, without the diagonal)" in body
    assert (
        "Nearest to it is rule-0 with a distance of 0, farthest rule-2 with 4, of at most 6."
        in body
    )
    assert "The latter is nearer to the opposite order." in body
    assert "stays optimal while the weight of rule-2 is at most 2 (now 1)" in body
    assert (
        "Two by two, more weight prefers anna to any other candidate than the other way round "
        "(Condorcet winner): most narrowly to cara, by 2 to 1, in accord with the" in body
    )
    assert "anna comes first while the weight of rule-2 is at most 2 (now 1)." in body


def test_several_optima_are_written_out_with_what_they_part_over() -> None:
    said = say(ensemble("a < b < c", "b < a < c", wanted="linear"))
    assert said.lead == ""
    assert said.findings[0].startswith("Two linear orders are equally near to the two preference")
    assert "they agree on 2 of 3 pairs" in said.findings[0]
    body = said.sections["consensus"]
    assert (
        "(sum of distances, without the diagonal): anna ≺ bert ≺ cara; bert ≺ anna ≺ cara." in body
    )
    assert "All of them agree on 2 of the 3 pairs and part over anna and bert." in body
    assert "No candidate is at the top of every optimum." in body
    assert "the smallest change of that weight in one direction makes another order nearer" in body
    assert "Smith set) is anna and bert" in body


def test_several_optima_come_last_in_the_findings_and_name_who_comes_first() -> None:
    said = say(ensemble("a < b < c ~ d", "b < a < c ~ d"))
    body = said.sections["consensus"]
    assert "Who comes first in an optimum (anna and bert) changes with any other weight of" in body
    assert said.lead == ""


def test_a_tie_against_a_majority_is_explained_with_its_costs() -> None:
    ensembles = ["a < b < c"] * 10 + ["b < a < c"] * 7 + ["a ~ b < c"] * 4
    body = text(ensemble(*ensembles))
    assert "most narrowly to bert, by 10 to 7 with 4 for neither; yet not every nearest" in body
    assert (
        "anna and bert tie because a tie is nearer: it adds 17 to the criterion, the weight that "
        "decides between them; anna before bert adds 18, twice the weight that prefers bert and "
        "once that which prefers neither." in body
    )


def test_a_tie_that_the_class_asks_for() -> None:
    found = ensemble("abc:ab", "abc:ab", "abc:ab", wanted="weak")
    body = text(found)
    if (NAMES[0], NAMES[1]) in found.agreed_ties:
        assert "suits the other pairs breaks this tie." in body


def test_who_comes_first_may_be_firm_when_the_order_is_not() -> None:
    body = text(ensemble("a < b < c", "a < b < c", "a < c < b"))
    assert "stays optimal while the weight of rule-2 is at most 2 (now 1)" in body
    assert "anna comes first whatever weight any one of them has." in body


def test_who_comes_first_may_come_back() -> None:
    found = ensemble(
        "d<c<b<a", "c<a<b<d", "b<d<c<a", "d<a<b<c", weights=(4.0, 1.0, 4.0, 3.0), wanted="linear"
    )
    assert found.members[1].first_ranges == ((0.0, 3.0), (5.0, 25 / 3))
    assert "With weights of rule-1 between 5 and 8.33333 that is so again." in text(found)


def test_what_is_only_known_in_part_is_said_so() -> None:
    found = ensemble("a < b < c", "a < b < c", "c < a < b")
    part = tuple(replace(m, is_whole=False) for m in found.members)
    body = text(replace(found, members=part))
    assert "anna comes first at least while the weight of rule-2 is at most 2 (now 1)." in body
    assert "≥: at least these" in body


def test_nothing_is_said_of_all_weights_where_some_were_not_sought() -> None:
    found = ensemble("a < b < c", "a < b < c", "a < c < b")
    part = (*found.members[:2], replace(found.members[2], weight_range=None, first_ranges=()))
    body = text(replace(found, members=part))
    assert "whatever weight" not in body
    assert "stays optimal while" not in body


def test_statistics_beside_tests_are_not_the_same_kind_of_thing() -> None:
    found = ensemble("a < b < c", "b < a ~ c", "a < b ~ c")
    kinds = zip(found.members, ("mean", "mixed-model", "friedman"), strict=True)
    body = text(replace(found, members=tuple(replace(m, by=by) for m, by in kinds)))  # type: ignore[arg-type]
    assert "rule-0 orders the candidates by a statistic without any test" in body
    assert "without any test" not in text(found)


def test_the_index_tells_who_comes_first() -> None:
    tied, one = ensemble("a < b < c", "b < a < c"), ensemble("a < b < c", "a < b < c")
    firm = ensemble("a < b < c", "a < c < b")
    empty = ensemble("a ~ b ~ c", "a < b < c", "c < b < a", wanted="linear")
    made = report(tied, one, firm, empty, one, one)
    frame, rows = read(made), {row[0]: row[-1] for row in index_rows(made)}
    assert rows["d0"] == "first anna or bert (3 optima)"
    assert rows["d1"] == "anna ≺ bert ≺ cara"
    assert rows["d2"] == "first anna (3 optima)"
    assert rows["d3"].startswith("open (")
    page = frame.pages["d0", "consensus"]
    assert page.endswith("In each of them anna or bert comes first, or several of these together.")
    assert frame.pages["d2", "consensus"].endswith("anna comes first in all of them.")


def test_more_than_the_limit() -> None:
    said = say(ensemble("a ~ b ~ c ~ d", "a ~ b ~ c ~ d", wanted="linear", limit=5))
    assert said.findings[0].startswith("More than 5 linear orders are equally near")
    assert "More than 5 linear orders are equally near, each with the smallest" in said.whole
    assert "On no pair is it proven that all of them say the same." in said.whole


def test_what_is_not_proven_is_not_called_the_consensus() -> None:
    proven = ensemble("a<b<c<d", "a<b<c<d", "b<c<d<a")
    open_ = replace(
        proven,
        lower_bound=proven.criterion - 4,  # type: ignore[operator]
        is_proven=False,
        n_optimal=None,
        winner=None,
        members=tuple(replace(m, weight_range=None) for m in proven.members),
    )
    said = say(open_)
    assert said.lead.startswith("Best order found for the three relations: anna")
    assert "which leaves a gap of 4: the order may be the consensus, but need not be" in said.whole
    assert "stopped at its limit of work" in said.whole
    assert "It is the only" not in said.whole
    assert "stays optimal" not in said.whole
    assert "agree best" not in said.findings[0]


def test_an_optimum_that_may_have_others_beside_it() -> None:
    found = replace(ensemble("a < b < c", "a < b < c", "c < a < b"), n_optimal=None)
    said = say(found)
    assert "Whether another order has it as well was not settled" in said.whole
    assert "agree best on a weak order, perhaps not the only one" in said.findings[0]


def test_one_relation() -> None:
    said = say(ensemble("a < b ~ c"))
    assert said.findings == ()
    assert said.lead == ""
    assert (
        "There is one relation, rule-0; the consensus is that relation, anna ≺ bert ∼ cara."
        in (said.sections["consensus"])
    )
    linear = text(ensemble("a < b ~ c", wanted="linear"))
    assert "There is one relation, rule-0, which is no linear order. Two linear orders" in linear
    weighted = text(ensemble("a < b", "b < a", weights=(1.0, 0.0)))
    assert "Only one relation has a weight above 0, rule-0" in weighted


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (find_consensus([], NAMES), "There is no relation here"),
        (ensemble("a < b", weights=(0.0,)), "No relation that is available here has a weight"),
    ],
)
def test_nothing_to_agree_on(found: ConsensusResult, sentence: str) -> None:
    said = say(found)
    assert sentence in said.sections["consensus"]
    assert said.findings == ()


def test_two_candidates() -> None:
    body = text(ensemble("a < b", "b < a", "a ~ b", "a < b"))
    assert "Of a total weight of 4, 2 speak for anna and 1 for bert; 1 prefers neither." in body
    assert "Condorcet" not in body


def test_nothing_is_preferred() -> None:
    said = say(ensemble("a ~ b ~ c", "a ~ b ~ c", "a < b ~ c"))
    assert said.lead == ""
    assert "agree on no preference" in said.findings[0]
    assert "puts no candidate before another: anna ∼ bert ∼ cara" in said.whole


def test_a_circle_that_is_broken_against_a_majority() -> None:
    body = text(ensemble(*CIRCLE, weights=(1.0, 1.2, 1.1)))
    assert "there is no Condorcet winner, and the majorities run in a circle." in body
    assert "Against a majority the consensus puts bert before anna (1.2 to 2.1)" in body
    assert "The weights are not equal: 1 for rule-0, 1.2 for rule-1 and 1.1 for rule-2." in body
    assert "weighted sum of distances, without the diagonal" in body


def test_borda_is_told_where_and_why_it_parts() -> None:
    body = text(ensemble("a<b<c<d", "a<b<c<d", "a<b<c<d", "b<c<d<a", "b<c<d<a"))
    assert "Borda’s scores turn one pair round: bert (0.800) comes before anna (0.600)." in body
    assert "and 3 prefer anna, 2 bert." in body


def test_a_partial_order_without_a_chain() -> None:
    found = ensemble("abcd:ab cd", "abcd:ab cd", wanted="partial")
    said = say(found)
    assert said.lead == ""
    assert "The consensus is shown in Figure 1. It is the only partial order" in said.whole
    assert "anna and cara have none better in it: there is no single best" in said.whole


def test_who_is_absent_and_who_has_no_say() -> None:
    body = text(ensemble("a < b", "b < c", "a < c", weights=(1.0, 1.0, 0.0)))
    assert "rule-2 has the weight 0 and no say." in body
    assert "cara has no value in rule-0 and ties with all others there." in body


def test_many_data_sets_are_counted_and_kept_short() -> None:
    first, second = ensemble("a < b < c", "a < b < c"), ensemble("b < a < c", "b < a < c")
    tied = ensemble("a ~ b < c", "a ~ b < c")
    said = say(first, first, first, second, tied, tied)
    assert said.findings[0].startswith(
        "In the consensus of one data set’s relations, anna is alone at the top on 3 of 6 data "
        "sets; bert on 1."
    )
    assert said.lead == ""
    page = said.pages["d0", "consensus"]
    assert page.startswith("The consensus is anna ≺ bert ≺ cara.")
    assert "Table" not in page


def test_on_no_data_set_is_one_first() -> None:
    tied = ensemble("a ~ b < c", "a ~ b < c")
    said = say(tied, tied)
    assert "On none of the 2 data sets does the consensus" in said.findings[0]


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
            found = find_consensus(ballots, NAMES, wanted, limit=int(rng.integers(1, 9)))  # type: ignore[arg-type]
            said = read(report(found))
            assert faults(said.whole) == []
            check(found, said.sections["consensus"])


def check(found: ConsensusResult, body: str) -> None:
    """Hold the strongest claims against the numbers."""
    assert ("It is the only" in body) <= (found.n_optimal == 1)
    if found.n_optimal == 1 and not found.is_alone and found.relations[0].chain is not None:
        chain = " ≺ ".join(" ∼ ".join(group) for group in found.relations[0].chain)
        assert chain in body
    for first, second in permutations(found.candidates, 2):
        if f"part over {first} and {second}." in body:
            assert found.disputed == ((first, second),)
    winner = [n for n in found.candidates if f"{n} is better than every other candidate in" in body]
    assert winner == ([found.winner] if found.winner and "is better than every" in body else [])
    assert found.majorities is not None
    has_one = found.majorities.condorcet_winner is not None
    assert ("(Condorcet winner)" in body) <= has_one
