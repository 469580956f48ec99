"""What the section on the domain says, held against what it found."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.sections.domain.figures import number_format_of
from reportgen.sections.domain.figures.rows import of_regret
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.domain.tables import tabulate
from reportgen.stats.pairs import paired_max_t
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values, report_of, tell
from tests.sections.reading import ACCURACY, COST, ERROR, NAMES, TIME, Said, faults, read

AREA = {"misclassification": (-0.01, 0.01)}
FOUR = NAMES[:4]
MOST_WORDS, MOST_CAPTION, MOST_METHODS = 95, 60, 185  # of a part of the article


def means(*orders: str, step: float = 0.1) -> list[list[float]]:
    """Return means of candidates a to d from orders, the best first."""
    return [[0.1 + step * order.index(name) for name in sorted(order)] for order in orders]


def check(said: Said, result: DomainResult) -> str:
    """Assert what holds of every domain, and return the words of its article."""
    assert faults(said.whole) == []
    text, more = said.article["domain"], said.sections["domain"]
    verdict = result.verdict.get(result.main)
    check_budget(said)
    if verdict:
        pairs = verdict.pairs
        n, total = pairs.n_significant, len(pairs)
        one = re.search(
            r"too few to generalise|No difference is (?:significant(?! by each)|tested)"
            r"|No difference can be tested",
            text,
        )
        assert (one is not None) == verdict.is_open
        share = f"all {total}" if n == total else f"{n} of {total}"
        decided = f"{share} differences {'is' if n == 1 else 'are'} significant"
        assert (decided in text) == (n > 0 and total > 1 and not verdict.is_open) or result.is_once
        assert ("which does not make the candidates equal" in text) == (
            n == 0 and total > 1 and not verdict.is_open
        )
        assert f"these {verdict.n_datasets} data sets" in more
        few = "too few to generalise to a population of them" in more
        assert few == (verdict.n_datasets < 6)
        assert ("are known only roughly" in more) == (6 <= verdict.n_datasets < 10)
        assert "does not suit them" not in text or verdict.varies_unequally
    starred = [row for row in result.ordered_rows if row.chain is None]
    assert ("brackets join neighbours without a significant difference" in text) == bool(starred)
    loss = result.regret
    if loss:
        assert ("is never more than" in text) == (loss.has_safest and loss.free_choice is None)
        assert ("costs nothing" in text) == (loss.free_choice is not None)
    return text


def check_budget(said: Said) -> None:
    """Assert that parts, captions and methods are short."""
    words = 0
    for line in said.article["domain"].splitlines():
        n = len(line.split())
        if re.match(r"(Figure|Table) \S+ ", line):
            assert n <= MOST_CAPTION + 2, line
        elif n < 8 and not line.endswith("."):
            words = 0  # a heading
        else:
            words += n
            assert words <= MOST_WORDS, line
    assert len(said.brief_methods.split()) <= MOST_METHODS


# ----------------------------------------------------------------------------------- pairs


def test_few_data_sets_are_taken_as_they_are():
    said, result = tell(draw_values(1, means("ab", "ab")), FOUR[:2])
    text = check(said, result)
    assert "anna is significantly better than bert" in text
    words = "Two data sets are too few to generalise to a population of them"
    assert words in said.sections["domain"]
    assert "Data sets as they are." in said.brief_methods
    assert "Bonferroni" not in said.brief_methods  # one pair has nothing to adjust for


def test_a_free_covariance_names_its_adjustment_where_nothing_is_tested():
    rows = means("abc", "bac", "acb", "abc", "bca")
    said, result = tell({f"d{m}": np.array([row]) for m, row in enumerate(rows)}, FOUR[:3])
    assert result.verdict[result.main].n_family == 0
    assert "degrees of freedom by Bonferroni’s inequality, equal means" in said.whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "area", "words"),
    [
        (0.1, True, "and it is relevant"),
        (0.1, False, "anna is significantly better than bert, by"),
        (
            0.0,
            False,
            (
                "There is no significant difference between the two candidates: "
                "95% interval of the advantage of"
            ),
        ),
        (0.004, True, "too little to matter"),
    ],
)
def test_two_candidates(step, area, words):
    values = draw_values(4, means(*["ab"] * 8, step=step), n_replications=30, sd=0.004)
    said, result = tell(values, FOUR[:2], relevance=AREA if area else {})
    assert words in check(said, result)


def test_two_candidates_depart_from_their_sum_alike():
    rows = [[0.1, 0.2 + more] for more in (0, 0.02, 0.01, 0.03, 0.02, 0.01, 0.03, 0.08)]
    said, _ = tell(draw_values(4, rows, n_replications=8, sd=0.001), FOUR[:2])
    assert "anna and bert depart most on d7 from the sum of data set" in said.article["domain"]
    assert re.search(
        r"anna and bert depart most, on d7: by [\d.]+ points\.", said.article["domain"]
    )
    assert "depart most" not in tell(draw_values(4, [[0.1, 0.2, 0.3]] * 8), FOUR[:3])[0].whole


def test_who_is_decided_better_than_the_same_others():
    rows = [[0.1, 0.1, 0.3, 0.3]] * 9
    jitter = np.random.default_rng(3).normal(0, 0.01, (9, 4))
    said, result = tell(draw_values(1, (np.array(rows) + jitter).tolist()), FOUR, relevance=AREA)
    verdict = result.verdict[result.main]
    assert set(verdict.leaders) == {"anna", "bert"}
    winners, beaten = verdict.parting
    assert (set(winners), set(beaten)) == ({"anna", "bert"}, {"cara", "dora"})
    sides = f"{winners[0]} and {winners[1]} over {beaten[0]} and {beaten[1]}."
    text = check(said, result)
    assert f"By own variances 4 of 6 differences are significant (Figure 1): {sides}" in text
    assert verdict.n_relevant == 4
    assert "All are relevant (beyond ±1 percentage point)." in text


def test_whom_each_candidate_is_better_than():
    said, result = tell(draw_values(1, means(*["abc"] * 9)), FOUR[:3])
    verdict = result.verdict[result.main]
    assert verdict.beats == {"anna": ("bert", "cara"), "bert": ("cara",)}
    assert verdict.parting is None
    assert "anna over bert and cara; bert over cara." in check(said, result)


def test_nothing_decided():
    rng = np.random.default_rng(8)
    said, result = tell(draw_values(1, (0.3 + 0.1 * rng.normal(size=(7, 4))).tolist()), FOUR)
    assert "none of 6 differences is significant" in check(said, result)


def test_one_variance_that_does_not_suit():
    """One data set lets the mean differences vary so much that one variance hides a clear pair."""
    rng = np.random.default_rng(4)
    rows = np.array([[0.10, 0.12, 0.3]] * 12) + 0.001 * rng.normal(size=(12, 3))
    rows[:, 2] += 0.08 * rng.normal(size=12)
    said, result = tell(draw_values(1, rows.tolist(), sd=0.002), FOUR[:3])
    text = check(said, result)
    verdict, model = result.verdict[result.main], result.fits(result.main)["interaction"]
    pair = verdict.best_first[0]
    assert (pair.first, pair.second, pair.decision) == ("anna", "bert", "better")
    assert not model.pairs.between("anna", "bert").significant
    low, high = (100 * x for x in verdict.standard_errors)
    assert f"their own standard errors are {low:.2f} to {high:.2f} points" in text
    assert f"the common one is {100 * model.common_error:.2f}" in text
    names = [p.first + p.second for p in verdict.best_first]
    table = next(t for t in said.tables if (t.name, t.measure) == ("models", result.main))
    otherwise = {row[0]: row[-1] for row in table.rows}
    assert otherwise["Model, independent interactions"] >= 1
    assert "annabert" in names


def test_pairs_that_signed_ranks_decide_besides():
    d = np.r_[np.full(14, -0.02), 0.3] + np.random.default_rng(4).normal(0, 0.002, 15)
    rows = np.column_stack([np.full(15, 0.3) + d, np.full(15, 0.3)])
    said, result = tell(draw_values(1, rows.tolist(), sd=0.001), FOUR[:2])
    (more,) = result.by_ranks_alone(result.main)
    assert more.favoured == "anna"
    assert result.not_by_ranks(result.main) == ()
    text = check(said, result)
    assert "also find anna significantly better than bert (p = " in text
    assert "No difference is found by all three methods" not in text
    assert "The difference is not found by all three methods." in text


def test_a_model_that_the_study_lets_decide():
    rows = means("abcd", "abcd", "bacd", "abdc", "badc", "abcd")
    said, result = tell(draw_values(1, rows), FOUR, structure="unstructured")
    assert result.verdict[result.main].method == "unstructured"
    assert "With a free covariance of the candidates" in check(said, result)
    assert "The study lets a free covariance of the candidates decide" in said.brief_methods
    assert "degrees of freedom by Bonferroni’s inequality, equal means by Hotelling" in said.whole
    assert "adjusted as the verdict, equal means" not in said.whole


# -------------------------------------------------------------------- data sets and orders


def test_best_and_shared_places_are_counted():
    rows = [[0.1, 0.2, 0.3]] * 4 + [[0.3, 0.1, 0.2]] * 2 + [[0.1, 0.1, 0.3]]
    values = draw_values(1, rows)
    values["d6"][:, 0] = values["d6"][:, 1]
    said, result = tell(values, FOUR[:3])
    text = check(said, result)
    assert result.alone == {"anna": 4, "bert": 2}
    assert result.most_alone == (("anna",), 4)
    assert (result.n_shared, result.last) == (1, {"cara": 5, "anna": 2})
    assert result.divided is None  # data sets decide pairs, which a worst mean does not
    assert "The best place is shared on 1 of 7 data sets (Figure 2)." in text
    assert "anna alone is best on 4 of 7 data sets." in text
    assert "Table 1 has the means of the data sets." in text
    assert "range from" not in text


def test_a_consensus_without_any_order():
    flat = [[0.2, 0.2, 0.2]] * 4
    said, result = tell(draw_values(5, flat, sd=0.05), FOUR[:3])
    best_first = result.verdict[result.main].order  # tied ones are named by their means
    assert result.consensus[result.main].relations[0].chain == (best_first,)
    text = check(said, result)
    assert "(one optimum, proven): it puts all candidates on one level." in text


def test_data_sets_without_an_order_do_not_order_alike():
    flat = [[0.2, 0.201, 0.202]] * 4
    said, result = tell(draw_values(2, flat, n_replications=6, sd=0.05), FOUR[:3])
    text = check(said, result)
    assert result.is_level
    assert (
        "As no data set by itself shows a significant difference (Figure 2), there are no orders "
        "to put together." in text
    )
    assert "No data set by itself shows a significant difference." in text
    assert "order the candidates in the same way" not in text
    assert "; bold: the best mean of the data set." in text


def test_data_sets_with_few_replications_are_not_tested_by_themselves():
    rows = means(*["abcd"] * 4, *["abdc"] * 3)
    said, result = tell(draw_values(3, rows, n_replications=5), FOUR)
    text = check(said, result)
    assert result.is_level
    assert result.is_untested_alone
    assert not result.ensembles
    assert "consensus" not in {m.method for m in result.agreement[result.main].methods}
    assert "consensus" not in {table.name for table in tabulate(result)}
    assert "The consensus has the smallest sum" not in text
    assert "sum of distances" not in said.whole
    assert "As no data set is tested by itself, with fewer than six replications" in text
    assert "by itself shows a significant difference" not in text
    assert "a line between cells" not in text
    assert "partial conjunction, which decides nothing" not in text  # it rests on these tests
    few, result = tell(draw_values(3, rows[:4], n_replications=5), FOUR)
    assert "No data set is tested by itself, with fewer than six replications." in check(
        few, result
    )
    said, result = tell(draw_values(3, rows, n_replications=12), FOUR)
    assert not result.is_untested_alone
    assert "a line between cells: significant" in check(said, result)


def test_a_plot_without_orders_explains_no_lines_and_no_stars():
    values = draw_values(3, means(*["abcd"] * 4, *["abdc"] * 3))
    said, result = tell(values, FOUR, reference="anna", comparisons="reference")
    assert not result.ordered_rows  # pairs with one candidate alone give no order of all
    text = check(said, result)
    assert "No data set has an order by tests of its own." in text
    assert "Figure 2 orders the candidates by them" in text
    for word in ("a line between cells", "*:", "without an order", "alone best on any"):
        assert word not in text


def test_a_significant_difference_is_not_called_equivalent():
    rows = draw_values(3, means(*["abcd"] * 7))
    said, result = tell(rows, FOUR, relevance={"misclassification": (-0.9, 0.9)})
    pairs = result.verdict[result.main].pairs
    assert all(p.significant and p.decision == "equivalent" for p in pairs)
    assert "pairs are equivalent" not in check(said, result)


def test_losses_name_data_sets_that_differ_at_their_ends_alone():
    rows = means("abcd", "badc", "cabd", "dcba", "abdc", "bacd", "cdab")
    drawn = draw_values(3, rows)
    values = {f"long-named-data-set-{i:02}": x for i, x in enumerate(drawn.values())}
    _, result = tell(values, FOUR)
    assert result.regret is not None
    spread = of_regret(result, result.regret, number_format_of(result), str)
    worst = [own.dataset[-2:] for own in result.regret.candidates.values()]
    assert [cell[-2:] for cell in spread.columns[-1].cells] == worst


def test_the_same_order_everywhere():
    said, result = tell(draw_values(1, means("abcd", "abcd", "abcd")), FOUR)
    text = check(said, result)
    assert "All data sets order the candidates in the same way." in text
    assert "anna has the best mean on every data set" in text


def test_several_optima_say_what_they_share():
    rows = means("abc", "acb", "abc", "acb")
    said, result = tell(draw_values(1, rows), FOUR[:3])
    found = result.consensus[result.main]
    text = check(said, result)
    if found.n_optimal > 1:
        assert "have the same smallest summed distance to the 4 orders" in text
    else:
        assert "(one optimum, proven" in text
    assert found.winner == "anna"


def test_an_unsettled_consensus_says_its_bound():
    warehouse = warehouse_of({ERROR: draw_values(1, means("abc", "acb", "abc"))}, FOUR[:3])
    result = analysed(warehouse)
    found = replace(
        result.consensus["misclassification"], is_proven=False, lower_bound=1.0, n_optimal=None
    )
    said = read(report_of(replace(result, consensus={"misclassification": found}), warehouse))
    assert faults(said.whole) == []
    assert "could not be settled: one was found with" in said.article["domain"]
    assert "none has less than 1." in said.article["domain"]
    many = replace(found, extra={"unsearched": FOUR[:3]})
    said = read(report_of(replace(result, consensus={"misclassification": many}), warehouse))
    assert faults(said.whole) == []
    assert "was not searched, as 3 candidates are too many" in said.article["domain"]


@pytest.mark.parametrize(
    ("needed", "words"),
    [
        (1, "Without d0 the consensus is no longer optimal"),
        (4, "When one data set is left out, the consensus is no longer optimal in 4 of 5 cases."),
    ],
)
def test_a_consensus_that_hangs_on_single_data_sets(needed, words):
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
    assert words in said.sections["domain"]


# ------------------------------------------------------------------- who suits, what it costs


def test_a_mean_that_two_data_sets_move_is_told():
    rows = [[0.20, 0.10, 0.15]] * 9 + [[0.20, 0.9, 0.25]] * 2
    jitter = np.random.default_rng(2).normal(0, 0.004, (11, 3))
    said, result = tell(draw_values(1, (np.array(rows) + jitter).tolist()), FOUR[:3])
    found = result.divergence
    assert (found.candidate, found.rank, set(found.datasets)) == ("bert", 3, {"d9", "d10"})
    text = check(said, result)
    assert "bert is first in the consensus and last by mean (Figure" in text
    moved = f"{found.datasets[0]} and {found.datasets[1]}"
    assert f"Two data sets do that, {moved}: without them its mean falls from" in text
    assert f"{moved} make bert last by mean." in text
    assert set(result.first_without) <= set(result.candidates)


def test_the_cost_of_one_choice():
    said, result = tell(draw_values(1, means("abc", "abc", "bac", "abc", "cab", "abc")), FOUR[:3])
    text = check(said, result)
    loss = result.regret
    own, worst = loss.candidates[loss.safest], loss.candidates[loss.riskiest]
    assert loss.has_safest
    assert f"Choosing {loss.safest} everywhere costs {100 * own.mean:.2f} points on average" in text
    assert f"{loss.riskiest} can cost {100 * worst.worst:.2f} points." in text
    assert f"{loss.safest} is never more than {100 * own.worst:.2f} points from the best." in text


def test_losses_on_different_data_sets_are_not_compared():
    values = draw_values(1, means("abc", "bac", "abc", "cab", "bca", "abc"))
    values["d3"][:, 2] = np.nan
    said, result = tell(values, FOUR[:3])
    text = check(said, result)
    assert result.regret.complete[0] in ("anna", "bert")
    assert "Worst losses of the others are not of the same data sets." in text
    for m in range(2):
        values[f"d{m}"][:, m] = np.nan
    said, result = tell(values, FOUR[:3])
    assert result.regret.complete == ()
    text = check(said, result)
    assert "No candidate has a value on every data set" in text
    assert "Worst losses are not of the same data sets." in text
    assert "Worst losses are of different data sets." in text


# ---------------------------------------------------------------------------------- gaps


def gaps() -> dict[str, np.ndarray]:
    values = draw_values(2, means("abc", "abc", "bac", "abc", "acb", "abc"))
    values["d2"][1:4, 0] = np.nan
    return values


@pytest.mark.slow
def test_gaps_are_told():
    said, result = tell(gaps(), FOUR[:3])
    assert "3 values are missing, on 1 of 6 data sets." in check(said, result)
    (table,) = (t for t in tabulate(result) if t.name == "datasets")
    sums = dict(zip((c.name for c in table.columns), table.foot, strict=True))
    assert sums["missing"] is None  # a row of means has no sum
    more = said.sections["domain"]
    assert "All 213 values that there are go in, from 12 replications of a data set" in more
    said, result = tell(gaps(), FOUR[:3], missing="complete-domain")
    check(said, result)
    assert "9 of each, 18 of 72 are left out" in said.sections["domain"]
    said, result = tell(gaps(), FOUR[:3], missing="complete-dataset")
    check(said, result)
    told = "Only complete replications go in, 9 to 12 of a data set; 3 are left out"
    assert told in said.sections["domain"]


@pytest.mark.slow
def test_a_data_set_without_a_candidate_goes_in_with_the_others():
    values = gaps()
    values["d0"][:, 2] = np.nan
    said, result = tell(values, FOUR[:3])
    check(said, result)
    more = said.sections["domain"]
    assert "cara has no value at all on d0, which goes in with its other candidates" in more
    assert "In the order of d0 candidates without a value are tied with all others" in more
    said, result = tell(values, FOUR[:3], missing="complete-dataset")
    check(said, result)
    left_out = "d0 is left out, as no two replications have a value of every candidate there"
    assert left_out in said.sections["domain"]


@pytest.mark.slow
def test_candidates_that_no_data_set_links():
    values = gaps()
    for m in range(6):
        values[f"d{m}"][:, 0 if m < 3 else slice(1, 3)] = np.nan
    said, result = tell(values, FOUR[:3], structure="unstructured")
    check(said, result)
    more = said.sections["domain"]
    assert "No data set links anna to bert and cara, not even through others" in more
    assert "which the study asks for, so that own variances decide" in more
    assert result.verdict[result.main].is_own


def test_no_model_says_why():
    values = {f"d{m}": np.array([[0.1, 0.2]] * 4) for m in range(3)}
    said, _ = tell(values, FOUR[:2])
    assert faults(said.whole) == []
    assert "the differences between candidates are the same in all replications" in said.whole


# ------------------------------------------------------------------------------ the measures


def test_several_measures_have_a_consensus_each():
    low = draw_values(1, means("abc", "abc", "bac"))
    cost = {name: 10 * v[:, ::-1] for name, v in draw_values(2, means("abc", "abc", "abc")).items()}
    said, result = tell({ERROR: low, COST: cost}, FOUR[:3])
    check(said, result)
    assert "The other measure" in said.sections["domain"]
    assert "By cost the consensus is" in said.sections["domain"]
    assert "By cost" not in said.article["domain"]
    assert set(result.consensus) == {"misclassification", "cost"}


@pytest.mark.slow
def test_levels_of_data_sets_that_differ_come_with_a_warning():
    """How far candidates differ says nothing of the levels of the data sets."""
    rng = np.random.default_rng(4)
    quick = draw_values(1, means("abcd", "abcd", "abcd", "abdc", "abcd", "abcd"))
    slow, level = (
        {
            d: np.exp(rng.normal(size=(6, 4)) * 0.1 + k * step + np.array([-4.0, -3, 0, 3]))
            for k, d in enumerate(quick)
        }
        for step in (1.0, 0.0)
    )
    said, result = tell({ERROR: quick, TIME: slow}, FOUR)
    check(said, result)
    assert result.verdict["fit-time"].is_ratio
    assert "the levels of the data sets" not in said.whole
    assert result.timed == "fit-time"
    for row in result.rows:
        assert row.slowest == pytest.approx(slow[row.name].mean(axis=0).max())
    said, result = tell({ERROR: quick, replace(TIME, scale="difference"): slow}, FOUR)
    check(said, result)
    assert "by difference, though the levels of the data sets (medians" in said.whole
    said, result = tell({ERROR: quick, replace(TIME, scale="difference"): level}, FOUR)
    check(said, result)
    assert "the levels of the data sets" not in said.whole


def test_a_larger_better_measure_and_times():
    right = {name: 1 - v for name, v in draw_values(1, means("abc", "abc", "acb")).items()}
    seconds = {name: 10 * v for name, v in draw_values(2, means("cba", "cba", "cba")).items()}
    said, result = tell({ACCURACY: right, TIME: seconds}, FOUR[:3])
    check(said, result)
    assert set(result.relations) == {"accuracy", "fit-time"}
    assert result.most_alone == (("anna",), 3)
    assert "anna has the best mean on every data set" in said.article["domain"]


# --------------------------------------------------------------------------- any domain at all


@pytest.mark.slow
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
    assert "These data sets are settings that the study has chosen" in said.article["domain"]
    assert "The 6 data sets are settings of one and two: they were chosen, not drawn" in text
    assert "there are two data sets of different origin and not 6" in text
    shares = "drawn from the same observations are not"
    assert (f"settings that are {shares}" in text) == is_shared
    assert "these 6 data sets, which are settings that the study has" in text
    for claim in (
        "population of data sets of",
        "data sets like these",
        "fair sample",
        "ver the domain",
    ):
        assert claim not in said.whole


def test_a_few_settings_among_other_data_sets(settings):
    warehouse, result = settings
    mixed = replace(result, settings={"one": 2})
    text = read(report_of(mixed, warehouse)).sections["domain"]
    assert mixed.n_bases == 5
    assert "Two of the 6 data sets are settings of one: they were chosen" in text
    assert "there are five data sets of different origin and not 6" in text
    assert "some of which are settings that the study has chosen" in text


def test_pairs_too_many_for_a_joint_law_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = draw_values(3, (np.arange(4) / 10 + rng.normal(0, 0.02, (60, 4))).tolist())
    before, joint = tell(values, FOUR)
    monkeypatch.setattr(paired_max_t, "MOST_JOINT_PAIRS", 5)
    said, result = tell(values, FOUR)
    told = "with Bonferroni’s adjustment, as no joint law is found of more than 5,000 pairs"
    assert result.verdict[result.main].has_many_pairs
    assert not joint.verdict[joint.main].has_many_pairs
    assert told in said.methods
    assert told in said.brief_methods
    assert "the law of the largest statistic" in before.methods
    assert "from max(50, 4K)" not in said.methods
    assert told not in before.whole
    assert faults(said.whole) == []
