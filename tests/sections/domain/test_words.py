"""What the section on the domain says, held against what it found."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.sections.domain.result import DomainResult
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values, report_of, tell
from tests.sections.reading import ACCURACY, COST, ERROR, NAMES, TIME, Said, faults, read

AREA = {"misclassification": (-0.01, 0.01)}
FOUR = NAMES[:4]


def means(*orders: str, step: float = 0.1) -> list[list[float]]:
    """Return means of candidates a to d from orders, the best first."""
    return [[0.1 + step * order.index(name) for name in sorted(order)] for order in orders]


def check(said: Said, result: DomainResult) -> str:
    """Assert what holds of every domain, and return its text."""
    assert faults(said.whole) == []
    text = said.sections["domain"]
    m = len(result.datasets)
    basis = result.bases[result.main]
    if result.main in result.mixed_model:
        assert f"these {len(basis.datasets)} data sets being a fair sample" in text
        few = "too few to speak of a domain" in text
        assert few == (len(basis.datasets) < 6)
        assert ("are known only roughly" in text) == (6 <= len(basis.datasets) < 10)
        verdict = result.verdict[result.main]
        assert verdict.is_open == (verdict.is_own and len(verdict.datasets) < 6) or basis.lacking
        others = result.others(result.main)
        differs = any(verdict.differing(fit.pairs) for fit in others)
        depends = differs and len(verdict.pairs) > 1 and not verdict.is_open
        assert ("Whether a pair is decided depends for" in said.whole) == depends
        nothing = any(
            not v.pairs.n_significant and not v.is_open and len(v.pairs) > 1
            for v in result.verdict.values()
        )
        said_so = re.search(r"No pair of the \w+ candidates is decided over", text)
        assert bool(said_so) == nothing
        is_open = any(v.is_open and len(v.pairs) > 1 for v in result.verdict.values())
        assert ("candidates is decided on over" in text) == is_open
        assert ("by a relevant amount" in text.replace("whether by a relevant amount", "")) <= any(
            p.decision.endswith("-relevant") for v in result.verdict.values() for p in v.pairs
        )
    starred = [row for row in result.rows if row.chain is None and not row.unavailable]
    assert ("the relation is no weak order" in text) == bool(starred)
    assert ("are left blank" in text) == bool(starred)
    assert said.findings or m == 0
    return text


# --------------------------------------------------------------------------- the consensus


def test_a_unique_consensus_leads_the_findings():
    said, result = tell(draw_values(1, means("abcd", "abcd", "bacd", "abcd", "abcd", "abdc")), FOUR)
    text = check(said, result)
    order = "anna ≺ bert ≺ cara ≺ dora"
    assert said.lead == f"Consensus of 6 data sets by misclassification error: {order}"
    assert said.findings[0].startswith("Over the domain ")  # the verdict
    assert said.findings[1].startswith(
        f"Over 6 data sets the consensus by misclassification error is {order}"
    )
    assert "the distances add up to 4, and no other weak order comes as near" in text
    assert "On average a data set is 0.7 away from it, of at most 12" in text
    assert "Two by two anna wins against every other candidate (a Condorcet winner), most" in text
    assert "narrowly against bert: by 5 data sets to 1; neither majorities nor Borda" in text
    assert "It stays optimal when any one of them is left out; in 12 resamples" in said.findings[1]
    assert "The consensus stays optimal when any single data set is left out" in text


def test_a_tie_against_a_majority_of_data_sets_is_explained():
    rows = [[0.1, 0.2, 0.5]] * 5 + [[0.2, 0.1, 0.5]] * 3 + [[0.15, 0.15, 0.5]] * 3
    values = draw_values(1, rows)
    for m in range(8, 11):
        values[f"d{m}"][:, 0] = values[f"d{m}"][:, 1]
    said, result = tell(values, FOUR[:3])
    text = check(said, result)
    found = result.consensus[result.main]
    assert (found.support("anna", "bert"), found.support("bert", "anna")) == (5, 3)
    assert "most narrowly against bert: by 5 data sets to 3, with 3 that prefer neither" in text
    assert (
        "The consensus ties bert and anna all the same: a tie is 8 away" in text
        or "The consensus ties anna and bert all the same: a tie is 8 away" in text
    )
    assert "anna before bert 9 (2 from each that says the reverse, 1 from each that says" in text


@pytest.mark.parametrize(
    ("needed", "brief", "full"),
    [
        (1, "Without d0 another order is nearer", "Without d0 it is no longer optimal"),
        (4, "Without any of 4 of them another", "Leaving out any of 4 of the 5 data sets makes"),
    ],
)
def test_a_consensus_that_hangs_on_single_data_sets(needed, brief, full):
    values = {ERROR: draw_values(1, means("abc", "abc", "abc", "cba", "cba"))}
    warehouse = warehouse_of(values, FOUR[:3])
    result = analysed(warehouse)
    found = result.consensus[result.main]
    members = tuple(
        replace(m, weight_range=(0.5, 2.0)) if i < needed else m
        for i, m in enumerate(found.members)
    )
    hanging = replace(result, consensus={result.main: replace(found, members=members)})
    said = read(report_of(hanging, warehouse))
    assert faults(said.whole) == []
    assert brief in said.findings[0]
    assert full in said.sections["domain"]
    assert "with all of them it stays so too when one of them counts up to" in said.whole


def test_several_optima_are_told_and_do_not_lead():
    said, result = tell(draw_values(1, means("abc", "acb", "abc", "acb")), FOUR[:3])
    text = check(said, result)
    assert result.consensus[result.main].n_optimal == 3
    assert "Three weak orders are equally near to the relations of the 4 data sets" in text
    assert "All of them put anna before bert and anna before cara" in text
    assert said.lead == ""
    assert "three weak orders are equally near" in said.findings[0]
    assert "anna is first in all of them" in said.findings[0]


def test_data_sets_that_do_not_agree():
    said, result = tell(draw_values(1, means("abc", "bca", "cab")), FOUR[:3])
    text = check(said, result)
    assert "Majorities of data sets run in a circle" in text
    assert result.consensus[result.main].winner is None


def test_a_consensus_without_any_order():
    flat = [[0.2, 0.2, 0.2]] * 4
    said, result = tell(draw_values(5, flat, sd=0.05), FOUR[:3])
    text = check(said, result)
    best_first = result.verdict[result.main].order  # tied ones are named by their means
    assert result.consensus[result.main].relations[0].chain == (best_first,)
    assert "puts all candidates on one level" in text
    assert said.lead == ""
    assert "do not agree by misclassification error" in said.findings[0]


def test_a_partial_order_has_no_chain():
    rows = means("abc", "abc", "bac", "acb", "cab")
    said, result = tell(draw_values(2, rows), FOUR[:3], order_class="partial")
    text = check(said, result)
    found = result.consensus[result.main]
    if found.n_optimal == 1 and found.relations[0].chain is None:
        assert "it is no weak order, so it has no chain" in text
    assert "partial order" in text


def test_the_same_order_everywhere():
    said, result = tell(draw_values(1, means("abcd", "abcd", "abcd")), FOUR)
    text = check(said, result)
    assert "All three data sets order the candidates in the same way" in text
    assert "all are equally far" in text
    assert not any("order the candidates differently" in f for f in said.findings)


def test_relations_coding_is_said():
    said, result = tell(draw_values(1, means("abc", "abc", "bac")), FOUR[:3], coding="relations")
    assert "counted as R’s package relations does" in check(said, result)


# --------------------------------------------------------------------------------- the model


def test_two_candidates_on_two_data_sets():
    said, result = tell(draw_values(1, means("ab", "ab")), FOUR[:2])
    text = check(said, result)
    assert "Two data sets are too few to speak of a domain" in text
    assert "intervals are given and every pair stays open" in text
    assert any("rests on one degree of freedom" in f for f in said.findings)
    assert "The relations of the two data sets" in text or "All two data sets" in text


@pytest.mark.parametrize(
    ("step", "area", "words"),
    [
        (0.1, True, "and relevantly so: by"),
        (0.1, False, "Over the domain anna is better than bert by"),
        (0.0, False, "are undecided over the domain (p ="),
        (0.004, True, "Over the domain anna is better than bert, but too little to matter"),
    ],
)
def test_two_candidates(step, area, words):
    values = draw_values(4, means(*["ab"] * 8, step=step), n_replications=30, sd=0.004)
    said, result = tell(values, FOUR[:2], relevance=AREA if area else {})
    assert words in check(said, result)


def test_leaders_and_those_they_are_better_than():
    rows = [[0.1, 0.1, 0.3, 0.3]] * 9
    jitter = np.random.default_rng(3).normal(0, 0.01, (9, 4))
    said, result = tell(draw_values(1, (np.array(rows) + jitter).tolist()), FOUR, relevance=AREA)
    text = check(said, result)
    fit = result.verdict[result.main]
    assert set(fit.leaders) == {"anna", "bert"}
    leaders = " and ".join(fit.leaders)
    first, second = fit.order[:2]
    assert f"By mean {first} comes first over the domain" in text
    assert f"but it is not decided to be better than {second} (" in text
    assert f"No candidate is decided to be better than {leaders}" in text
    assert re.search(
        rf"{leaders} are better than (cara and dora|dora and cara) by a relevant", text
    )
    begin = f"Over the domain no candidate is decided to be better than {leaders}"
    told = next(f for f in said.findings if f.startswith(begin))
    assert re.search(rf"; {second} \(.* apart\) is not decided against it", told)
    assert "target: domain" in told
    assert text.count("Equal means over the domain are rejected") == 1
    assert "span a factor" not in text
    assert "So are they with a free covariance of the candidates (Hotelling’s test" in text


def test_who_is_separated_elsewhere_is_said():
    """One data set lets the mean differences vary so much that one variance hides a sure pair."""
    rng = np.random.default_rng(4)
    rows = np.array([[0.10, 0.12, 0.3]] * 12) + 0.001 * rng.normal(size=(12, 3))
    rows[:, 2] += 0.08 * rng.normal(size=12)
    values = draw_values(1, rows.tolist(), sd=0.002)
    said, result = tell(values, FOUR[:3])
    text = check(said, result)
    verdict, model = result.verdict[result.main], result.fits(result.main)["interaction"]
    pair = verdict.best_first[0]
    assert (pair.first, pair.second, pair.decision) == ("anna", "bert", "better")
    assert not model.pairs.between("anna", "bert").significant
    one = "The published model with independent interactions, one variance for all pairs,"
    assert f"{one} decides otherwise: anna and bert (p = " in text
    presumed = "depends for one of 3 pairs on the variance that is presumed"
    epsilon = f"(Greenhouse–Geisser ε {result.bases[result.main].sphericity:.2f})"
    assert any(f"{presumed} {epsilon}; here each pair has its own." in f for f in said.findings)
    uneven = [replace(row, is_uneven=True) for row in result.rows]
    for n, where in ((12, "On all 12 data sets values"), (10, "On 10 of these data sets values")):
        rows = (*uneven[:n], *result.rows[n:])
        told = read(report_of(replace(result, rows=rows), warehouse_of({ERROR: values}, FOUR[:3])))
        assert f"{where} are missing for some candidates only" in told.sections["domain"]


def test_means_that_equal_variances_do_not_suit_come_with_a_warning():
    rng = np.random.default_rng(4)
    quick = draw_values(1, means("abcd", "abcd", "abcd", "abdc", "abcd", "abcd"))
    slow = {
        d: np.exp(rng.normal(size=(6, 4)) * 0.1 + rng.normal() + np.array([-4.0, -3, 0, 3]))
        for d in quick
    }
    said, result = tell({ERROR: quick, TIME: slow}, FOUR)
    text = check(said, result)
    assert result.verdict["fit-time"].is_ratio
    assert "The means span a factor of" not in text
    assert "a factor of" in text
    apart = replace(TIME, scale="difference")
    said, result = tell({ERROR: quick, apart: slow}, FOUR)
    text = check(said, result)
    assert "The means span a factor of" in text
    assert "read the consensus above, which needs no scale, or compare by ratio" in text


def test_nothing_decided():
    rng = np.random.default_rng(8)
    rows = (0.3 + 0.1 * rng.normal(size=(7, 4))).tolist()
    said, result = tell(draw_values(1, rows), FOUR)
    assert "No pair of the four candidates is decided over the domain" in check(said, result)


def test_the_other_covariance_is_compared():
    said, result = tell(draw_values(1, means("abcd", "abcd", "bacd", "abdc", "badc", "abcd")), FOUR)
    text = check(said, result)
    assert "The model with a free covariance of the candidates" in text
    for fit, begin in zip(
        result.others(result.main), ("one variance for all pairs,", "published code has it,"),
        strict=True,
    ):  # fmt: skip
        same = not result.verdict[result.main].differing(fit.pairs)
        assert (f"{begin} comes to the same decisions on who is better" in text) == same
    said, result = tell(
        draw_values(1, means("abcd", "abcd", "bacd", "abdc", "badc", "abcd")), FOUR,
        structure="unstructured",
    )  # fmt: skip
    assert result.verdict[result.main].method == "unstructured"
    text = check(said, result)
    assert "The study lets the model with a free covariance of the candidates decide" in text
    assert "The published model with independent interactions" in text
    assert "Hotelling’s test" in said.sections["domain"]


def test_fewer_data_sets_than_candidates_have_no_hotelling_test():
    values = draw_values(1, means("abcd", "badc", "cabd"))
    said, result = tell(values, FOUR, structure="unstructured")
    text = check(said, result)
    assert "equal means over the domain cannot be tested" in text
    assert "The free covariance is singular, of rank" in text


def gaps() -> dict[str, np.ndarray]:
    values = draw_values(2, means("abc", "abc", "bac", "abc", "acb", "abc"))
    values["d2"][1:4, 0] = np.nan
    return values


def test_gaps_are_told():
    said, result = tell(gaps(), FOUR[:3])
    text = check(said, result)
    assert "All 213 values that there are go in, from 12 replications of a data set" in text
    assert "by Kenward and Roger" in text
    said, result = tell(gaps(), FOUR[:3], missing="complete-domain")
    assert "9 of each, 18 of 72 are left out" in check(said, result)
    said, result = tell(gaps(), FOUR[:3], missing="complete-dataset")
    assert "Only complete replications go in, 9 to 12 of a data set; 3 are left out" in check(
        said, result
    )


def test_a_data_set_without_a_candidate_goes_in_with_the_others():
    values = gaps()
    values["d0"][:, 2] = np.nan
    said, result = tell(values, FOUR[:3])
    text = check(said, result)
    assert "cara has no value at all on d0, which goes in with its other candidates" in text
    assert "In the relation of d0 candidates without a value are tied with all others" in text
    assert "d0 is left out, where not all candidates have a value" in text  # of ranks
    assert "As few data sets have all candidates" in text
    said, result = tell(values, FOUR[:3], missing="complete-dataset")
    assert "d0 is left out, as no two replications have a value of every candidate there" in check(
        said, result
    )


def test_candidates_that_no_data_set_links():
    values = gaps()
    for m in range(6):
        values[f"d{m}"][:, 0 if m < 3 else slice(1, 3)] = np.nan
    said, result = tell(values, FOUR[:3], structure="unstructured")
    text = check(said, result)
    assert "On six data sets candidates have no value at all (d0: anna; d1: anna" in text
    assert "No data set links anna to bert and cara, not even through others" in text
    assert "which the study asks for, so that own variances decide" in text
    assert result.verdict[result.main].is_own
    assert "anna and bert; anna and cara share fewer than two data sets" in text
    assert "Ranks over data sets are not compared" in text


def test_no_model_says_why():
    values = {f"d{m}": np.array([[0.1, 0.2]] * 4) for m in range(3)}
    said, _ = tell(values, FOUR[:2])
    assert faults(said.whole) == []
    assert "the differences between candidates are the same in all replications" in said.whole


# ------------------------------------------------------------------------------ the measures


def test_several_measures_have_a_consensus_each_and_one_together():
    low = draw_values(1, means("abc", "abc", "bac"))
    cost = {name: 10 * v[:, ::-1] for name, v in draw_values(2, means("abc", "abc", "abc")).items()}
    said, result = tell({ERROR: low, COST: cost}, FOUR[:3])
    text = check(said, result)
    assert "The other measure" in text
    assert "All measures together" in text
    assert "have several local optima. They share the weight of their data set equally" in text
    assert set(result.consensus) == {"misclassification", "cost"}


def test_a_larger_better_measure_and_times():
    right = {name: 1 - v for name, v in draw_values(1, means("abc", "abc", "acb")).items()}
    seconds = {name: 10 * v for name, v in draw_values(2, means("cba", "cba", "cba")).items()}
    said, result = tell({ACCURACY: right, TIME: seconds}, FOUR[:3])
    text = check(said, result)
    assert set(result.relations) == {"accuracy", "fit-time"}
    assert "by accuracy" in said.lead or "accuracy" in said.findings[0]
    assert "easiest data set" in text


# --------------------------------------------------------------------------- any domain at all


@pytest.mark.parametrize("seed", [0, 1, 3, 5])  # all classes, structures, gaps, no spread
def test_every_sentence_is_sound_of_any_domain(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(2, 11)), int(rng.integers(2, 7))
    spread = rng.choice([0.0, 0.005, 0.05])
    rows = (0.3 + rng.normal(0, 0.1, (m, 1)) + spread * rng.normal(size=(m, k))).tolist()
    values = draw_values(seed, rows, n_replications=int(rng.integers(2, 9)), sd=0.02)
    if seed % 3 == 0:
        for v in values.values():
            v[1:][rng.random(v[1:].shape) < 0.1] = np.nan
    options = {
        "order_class": str(rng.choice(["linear", "weak", "partial"])),
        "structure": str(rng.choice(["own", "interaction", "unstructured"])),
        "relevance": AREA if seed % 2 else {},
    }
    said, result = tell(values, NAMES[:k], **options)
    check(said, result)


def test_an_unsettled_consensus_says_its_bound():
    values = draw_values(1, means("abc", "acb", "abc"))
    warehouse = warehouse_of({ERROR: values}, FOUR[:3])
    result = analysed(warehouse)
    found = replace(
        result.consensus["misclassification"], is_proven=False, lower_bound=1.0, n_optimal=None
    )
    open_ = replace(result, consensus={"misclassification": found})
    said = read(report_of(open_, warehouse))
    assert faults(said.whole) == []
    assert "could not be settled: the best that was found" in said.sections["domain"]
    assert "no weak order has less than 1" in said.sections["domain"]


# --------------------------------------------------------------------------- settings of one


@pytest.fixture(scope="module")
def settings():
    """Six data sets that are three settings each of two, and what the domain finds."""
    few = warehouse_of({ERROR: draw_values(1, means(*["abc", "acb"] * 3), 4)}, FOUR[:3])
    bases = zip(few.datasets, ("one", "two") * 3, strict=True)
    facts = {d: {"setting": {"base": base, "factors": {"n": d}}} for d, base in bases}
    warehouse = replace(few, facts=facts)
    return warehouse, analysed(warehouse)


@pytest.mark.parametrize("is_shared", [False, True])
def test_settings_of_a_data_set_are_no_draws_from_a_domain(settings, is_shared):
    warehouse, result = settings
    assert dict(result.settings) == {"one": 3, "two": 3}
    assert result.shares_observations
    said = read(report_of(replace(result, shares_observations=is_shared), warehouse))
    assert faults(said.whole) == []
    text = said.sections["domain"]
    assert "The 6 data sets are settings of two (one and two): they were chosen, not drawn" in text
    assert "there are two data sets of different origin and not 6" in text
    assert any("The 6 data sets are settings of two, chosen and not" in f for f in said.findings)
    shares = "drawn from the same observations are not"
    assert (f"settings that are {shares}" in text) == is_shared
    assert any(f"which settings {shares}" in f for f in said.findings) == is_shared
    assert "these 6 data sets (target: conditional), which are settings that the study has" in text
    assert "target: conditional; unit: the data set" in said.whole
    for claim in ("target: domain", "data sets like these", "fair sample", "ver the domain"):
        assert claim not in said.whole


def test_a_few_settings_among_other_data_sets(settings):
    warehouse, result = settings
    mixed = replace(result, settings={"one": 2})
    text = read(report_of(mixed, warehouse)).sections["domain"]
    assert mixed.n_bases == 5
    assert "Two of the 6 data sets are settings of one (one): they were chosen" in text
    assert "there are five data sets of different origin and not 6" in text
    assert "some of which are settings that the study has chosen" in text
