"""The verdict over the data sets, what single ones do to it, and the bounds of means."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from markupsafe import Markup
from scipy.optimize import brentq
from scipy.stats import skew, t

from reportgen.performance_measure import Measure
from reportgen.rendering.template_data import TemplateFunction
from reportgen.rendering.templates import environment
from reportgen.sections.consensus.analysis import ConsensusResult, Order
from reportgen.sections.domain import Options
from reportgen.sections.domain.data import domain_values, select_model_data
from reportgen.sections.domain.figures import draw
from reportgen.sections.domain.influence import find_divergence, ranks_of
from reportgen.sections.domain.models import fit_domain
from reportgen.sections.domain.result import DomainVerdict, VerdictChange
from reportgen.sections.domain.tables import tabulate
from reportgen.sections.domain.verdict import decide_domain
from reportgen.stats.blocks.gaps import fill_gaps
from reportgen.warehouse import Warehouse
from tests.builders import Undrawn, warehouse_of
from tests.sections.domain.making import analysed, draw_values, judged, report_of, tell
from tests.sections.reading import ACCURACY, ERROR, TIME, faults, read

EXACT = 1e-9  # closed forms in another order of summation
PRINTED = 0.5e-2  # points: numbers that are printed with two decimals
MAIN = "misclassification"
THREE = ("anna", "bert", "cara")


def star(x: float, lean: float) -> float:
    """Return t* of the text: where the tail points to 0, Hall's statistic, halved at most."""
    q, size = -np.sign(x) * lean / 3, abs(x)
    if q <= 0:
        return x
    hall = size - q * size**2 + q**2 * size**3 / 3 - q / 2
    is_far = q * size >= (3 - 3**0.5) / 2
    return float(np.sign(x) * (size / 2 if is_far else min(size, max(size / 2, hall))))


def lean_of(differences: np.ndarray) -> float:
    """Return the adjusted skewness over sqrt(n); 0 with fewer than six."""
    n = len(differences)
    return float(skew(differences, bias=False)) / n**0.5 if n >= 6 else 0.0


def by_hand(differences: np.ndarray, m: int) -> tuple[float, float, float, float]:
    """Return mean, bounds and p of one pair by t*, Bonferroni among m pairs."""
    n = len(differences)
    mean = differences.mean()
    se = differences.std(ddof=1) / n**0.5
    lean = lean_of(differences)
    c = t.isf(0.05 / (2 * m), n - 1)
    ends = (1 - 1e-9) * c, 2 * c * (1 + 1e-9)
    above = brentq(lambda x: star(x, lean) - c, *ends, xtol=1e-13)
    below = brentq(lambda x: -star(-x, lean) - c, *ends, xtol=1e-13)
    p = m * 2 * t.sf(abs(star(mean / se, lean)), n - 1)
    return mean, mean - se * above, mean + se * below, min(1.0, p)


def verdict_of(
    means: np.ndarray, names: tuple[str, ...] = THREE, measure: Measure = ERROR, **options: str
) -> DomainVerdict:
    """Return the verdict on one value a data set and candidate."""
    values = {f"d{m}": row[None] for m, row in enumerate(means)}
    all_values = domain_values(warehouse_of({measure: values}, names), measure)
    chosen = Options(**options)
    if chosen.structure == "own":  # which asks nothing of models
        basis, fits = select_model_data(all_values, chosen)[1], {}
    else:
        basis, fits = fit_domain(all_values, chosen, np.random.default_rng(1))
    return decide_domain(all_values, chosen, np.random.default_rng(2), basis, fits)


# ------------------------------------------------------------------------------- by hand


def test_a_small_case_by_plain_numpy():
    rng = np.random.default_rng(11)
    level = rng.normal(0.3, 0.08, (9, 1)) + np.array([0, 0.02, 0.05]) + rng.gamma(1, 0.01, (9, 3))
    values = draw_values(1, level)
    result = judged(warehouse_of({ERROR: values}, THREE))
    found = result.verdict[MAIN]
    means = np.array([v.mean(axis=0) for v in values.values()])
    assert (found.method, found.n_datasets, found.target) == ("own-variance", 9, "domain")
    assert found.pairs.method == "own-variance-bonferroni"
    for (i, j), pair in zip(combinations(range(3), 2), found.pairs, strict=True):
        expected = by_hand(means[:, i] - means[:, j], 3)
        numbers = (pair.estimate, pair.lower, pair.upper, pair.adjusted_p_value)
        assert numbers == pytest.approx(expected, abs=EXACT)
        assert (pair.decision != "undecided") == (pair.lower > 0 or pair.upper < 0)
        better = int((means[:, i] < means[:, j]).sum())
        assert (pair.n, pair.wins, pair.losses) == (9, better, 9 - better)
        assert pair.target == "domain"
    assert found.means == pytest.approx(dict(zip(THREE, means.mean(axis=0), strict=True)))


def test_gaps_leave_each_pair_the_data_sets_that_it_shares():
    rng = np.random.default_rng(5)
    means = 0.3 + rng.normal(0, 0.05, (12, 1)) + 0.02 * rng.normal(size=(12, 3))
    means[:5, 0] = np.nan
    means[11, 1] = np.nan
    found = verdict_of(means)
    assert found.pairs.extra["n"].tolist() == [6, 7, 11]
    assert found.missing_by_dataset["d11"] == ("bert",)
    for (i, j), pair in zip(combinations(range(3), 2), found.pairs, strict=True):
        d = means[:, i] - means[:, j]
        expected = by_hand(d[np.isfinite(d)], 3)
        assert (pair.estimate, pair.lower, pair.upper) == pytest.approx(expected[:3], abs=EXACT)
    filled = fill_gaps(means, is_smaller_better=True).mean(axis=0)
    assert found.means == pytest.approx(dict(zip(THREE, filled, strict=True)), abs=EXACT)


@pytest.mark.slow
def test_a_pair_that_shares_no_data_set_is_open():
    means = draw_values(3, [[0.1, 0.12, 0.3]] * 12)
    for m in range(12):
        means[f"d{m}"][:, 0 if m < 6 else 1] = np.nan
    said, result = tell(means, THREE)
    pair = result.verdict[MAIN].pairs.between("anna", "bert")
    assert (pair.n, pair.estimate, pair.decision) == (0, None, "undecided")
    assert result.verdict[MAIN].pairs.n_significant == 0  # either lacks half the data sets
    assert "One pair shares too few data sets." in said.article["domain"]
    assert "One of the 3 pairs shares fewer than six data sets and stays open" in said.whole
    assert faults(said.whole) == []


def test_five_data_sets_are_decided_by_their_own_errors():
    for n, method in ((5, "sources"), (6, "own-variance")):
        values = draw_values(3, [[0.1, 0.2, 0.3]] * n)
        found = judged(warehouse_of({ERROR: values}, THREE)).verdict[MAIN]
        assert (found.method, found.pairs.n_significant) == (method, 3)


def test_many_data_sets_have_the_joint_law():
    rng = np.random.default_rng(7)
    means = (
        0.3 + rng.normal(0, 0.05, (54, 1)) + 0.01 * np.arange(3) + 0.02 * rng.normal(size=(54, 3))
    )
    found = verdict_of(means)
    assert found.pairs.method == "own-variance"
    assert found.critical_value < t.isf(0.05 / 6, 53)
    assert verdict_of(means[:49]).pairs.method == "own-variance-bonferroni"
    result = judged(
        warehouse_of({ERROR: {f"d{m}": row[None] for m, row in enumerate(means)}}, THREE)
    )
    assert result.sign_flips == {}
    assert result.verdict[MAIN].influence is not None


def test_a_difference_that_never_varies_is_a_finding():
    level = np.random.default_rng(1).normal(0.3, 0.05, (10, 1))
    found = verdict_of(level + np.array([0.0, 0.03, 0.03]))
    assert found.pairs.decision == ("better", "better", "undecided")
    assert found.pairs.adjusted_p_value[:2] == pytest.approx([3 * 2.0**-9] * 2)
    assert found.leaders == ("anna",)


def test_times_are_compared_by_ratio_of_geometric_means():
    rng = np.random.default_rng(3)
    seconds = (
        rng.lognormal(0, 1.5, (15, 1)) * np.array([1.0, 50.0]) * rng.lognormal(0, 0.1, (15, 2))
    )
    said, result = tell(
        {TIME: {f"d{m}": row * np.ones((3, 1)) for m, row in enumerate(seconds)}}, THREE[:2]
    )
    found = result.verdict["fit-time"]
    (pair,) = found.pairs
    logs = np.log(seconds)
    expected = np.exp(by_hand(logs[:, 0] - logs[:, 1], 1)[:3])
    assert (pair.estimate, pair.lower, pair.upper) == pytest.approx(expected, rel=EXACT)
    assert found.is_ratio
    assert found.relevance == (1 / 1.1, 1.1)
    assert pair.decision == "better-relevant"
    assert found.means == pytest.approx(
        dict(zip(THREE, np.exp(logs.mean(axis=0)), strict=False)), rel=EXACT
    )
    text = said.sections["domain"]
    assert re.search(
        r"is significantly better than bert, by a factor of .*, and it is relevant", text
    )
    assert faults(said.whole) == []


@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
def test_a_model_decides_where_the_study_says_so(structure):
    values = draw_values(2, np.random.default_rng(4).normal(0.3, 0.04, (8, 3)))
    said, result = tell(values, THREE, structure=structure)
    found = result.verdict[MAIN]
    assert found.method == structure
    assert found.pairs == result.mixed_model[MAIN][structure].pairs
    assert found.means == result.mixed_model[MAIN][structure].coefficients
    assert found.influence is None
    assert {fit.structure for fit in result.others(MAIN)} == {"interaction", "unstructured"} - {
        structure
    }
    assert faults(said.whole) == []


def test_own_variances_decide_by_default_and_models_stand_beside():
    result = analysed(warehouse_of({ERROR: draw_values(2, [[0.1, 0.2, 0.3]] * 7)}, THREE))
    assert result.verdict[MAIN].method == "own-variance"
    assert set(result.mixed_model[MAIN]) == {"interaction", "unstructured"}
    methods = [method.method for method in result.agreement[MAIN].methods]
    assert "own-variance" in methods


# ------------------------------------------------------------------------------------ UCI


@pytest.fixture(scope="module")
def uci(uci621_warehouse: Warehouse):
    """Return the misclassification errors of 21 data sets, and what is decided on them."""
    frame = uci621_warehouse.frame
    few = frame[(frame["measure"] == "Misclassification") & (frame["replication"] <= 250)]
    warehouse = replace(
        uci621_warehouse,
        frame=few.reset_index(drop=True),
        measures=uci621_warehouse.measures[:1],
    )
    return warehouse, analysed(warehouse)


@pytest.mark.slow
def test_svm_and_rf_differ_by_little_over_the_uci_data_sets(uci):
    found = uci[1].verdict["Misclassification"]
    pair = found.pairs.between("rf", "svm")
    points = [100 * x for x in (pair.estimate, pair.lower, pair.upper)]
    assert points == pytest.approx([0.40, -1.66, 2.47], abs=PRINTED)
    assert pair.decision == "undecided"
    assert found.leaders == ("svm", "rf", "lda")
    better = {(p.favoured, *{p.first, p.second} - {p.favoured}) for p in found.pairs if p.favoured}
    assert better == {(a, b) for a in ("svm", "rf") for b in ("rpart", "nnet", "knn")}
    assert {s: f.pairs.n_significant for s, f in uci[1].fits("Misclassification").items()} == {
        "interaction": 6, "unstructured": 6,
    }  # fmt: skip
    assert found.influence == ()


def test_two_data_sets_put_lda_last_over_the_uci_data_sets(uci):
    d = uci[1].divergence
    assert (d.candidate, d.rank, d.first_place, d.last_place) == ("lda", 6, 3, 3)
    assert set(d.datasets) == {"Crcl", "Sprl"}
    assert [round(100 * x, 1) for x in (d.mean, d.mean_without)] == [20.4, 17.3]
    assert d.rank_without == 3
    said = read(report_of(uci[1], uci[0]))
    assert faults(said.whole) == []
    told = "lda is 3rd in the consensus and last by mean. Two data sets do that, "
    assert told.replace(". Two", " (Figure 3). Two") in said.article["domain"]
    assert "without them its mean falls from 20.38% to 17.31% and it is 3rd" in said.whole
    assert "every significant difference stays significant" in said.sections["domain"]
    for claim in ("has the best mean", "the smallest mean", "told from the best"):
        assert claim not in said.sections["domain"]


# ------------------------------------------------------------------------------ influence


def outlying(seed: int = 2, m: int = 9) -> np.ndarray:
    """Return means on which one data set alone hides that the first is better."""
    rng = np.random.default_rng(seed)
    means = 0.3 + rng.normal(0, 0.05, (m, 1)) + np.array([0.0, 0.02, 0.06])
    means += 0.004 * rng.normal(size=(m, 3))
    means[2] += [0.2, -0.1, 0.0]
    return means


def without(found: DomainVerdict, means: np.ndarray, left: list[int]):
    """Return decisions and statistics on some data sets, by plain numpy."""
    decisions, statistics = {}, {}
    for (i, j), full in zip(combinations(range(means.shape[1]), 2), found.pairs, strict=True):
        d = means[left, i] - means[left, j]
        n = len(d)
        se = d.std(ddof=1) / n**0.5
        x = star(d.mean() / se, lean_of(d))
        c = found.pairs.critical_value[0]
        decisions[full.first, full.second] = int(-np.sign(x)) if abs(x) > c else 0
        statistics[full.first, full.second] = abs(x)
    return decisions, statistics


def unbeaten_of(decisions: dict) -> set[str]:
    names = {name for pair in decisions for name in pair}
    beaten = {b for (a, b), x in decisions.items() if x > 0}
    return names - beaten - {a for (a, b), x in decisions.items() if x < 0}


@pytest.mark.parametrize("seed", range(12))
def test_influence_by_brute_force(seed):
    means = outlying(seed) if seed % 2 else 0.3 + 0.03 * np.random.default_rng(seed).normal(
        size=(8, 3)
    ) + np.array([0.0, 0.03, 0.06])  # fmt: skip
    found = verdict_of(means)
    left = list(range(len(means)))
    expected = []
    while len(expected) < 3 and len(left) > 3:
        before, sizes = without(found, means, left)
        looks = {}
        for m in left:
            after, others = without(found, means, [u for u in left if u != m])
            is_other = any(before[p] and before[p] != after[p] for p in before)
            if is_other or unbeaten_of(before) != unbeaten_of(after):
                looks[m] = max(abs(others[p] - sizes[p]) for p in sizes)
        if not looks:
            break
        most = max(looks, key=looks.__getitem__)
        left.remove(most)
        expected.append(f"d{most}")
    assert [i.dataset for i in found.influence] == expected
    if found.influence:
        kept = [m for m in range(len(means)) if f"d{m}" not in expected]
        last = found.influence[-1]
        assert last.means_without == pytest.approx(
            dict(zip(THREE, means[kept].mean(axis=0), strict=True))
        )
        assert last.ranks_without == ranks_of(last.means_without, is_smaller_better=True)


def test_some_brute_force_cases_have_influence():
    n = [len(verdict_of(outlying(seed)).influence) for seed in range(1, 12, 2)]
    assert max(n) >= 1


def test_an_outlying_data_set_is_named():
    means = outlying()
    found = verdict_of(means)
    assert found.influence[0].dataset == "d2"
    changed = {(c.first, c.second, c.before, c.after) for c in found.influence[0].changes}
    assert ("anna", "bert", "undecided", "better") in changed
    assert found.influence[0].leaders_without == ("anna",)
    said, _ = tell({f"d{m}": row[None] for m, row in enumerate(means)}, THREE)
    n = len(found.influence[0].changes)
    told = re.search(r"Without d2 the verdict on (\w+) pairs? is another", said.article["domain"])
    assert told[1] == ("zero", "one", "two", "three")[n]
    assert "Without d2 the verdict is another one: " in said.sections["domain"]
    assert "anna against bert is then better instead of not significant" in said.sections["domain"]
    assert "; anna is then unbeaten." in said.sections["domain"]  # once: no table has it again
    assert "Other verdicts" not in said.whole
    assert "left out, too, the verdict is another one" not in said.whole  # it may be the study's
    assert faults(said.whole) == []


def test_what_a_data_set_changes_is_said_of_the_better_candidate():
    """As all else is: svm is better than knn, and never knn worse than svm."""
    means = outlying()[:, ::-1]
    assert ("bert", "cara", "undecided", "worse") in {
        (c.first, c.second, c.before, c.after) for c in verdict_of(means).influence[0].changes
    }
    text = tell({f"d{m}": row[None] for m, row in enumerate(means)}, THREE)[0].sections["domain"]
    assert "cara against bert is then better instead of not significant" in text
    assert " worse" not in text.split("Without d2 the verdict is another one: ")[1].split(". ")[0]


def test_a_verdict_that_turns_round_is_said_of_who_is_better_then():
    words = '{% from "domain_supplement.md.j2" import of_change with context %}{{ of_change(c) }}'
    nothing = {"verdict": {}, "main": "", "settings": False}
    made = environment((), Markup, in_markdown=True).from_string(words)

    def said(before, after):
        change = VerdictChange("a", "b", before, after, None, None)
        return str(made.render(c=change, result=nothing, cand=TemplateFunction(str)))

    assert said("better", "worse") == "b against a is then better instead of worse"
    assert said("worse", "better") == "a against b is then better instead of worse"
    assert said("worse", "undecided") == "b against a is then not significant instead of better"
    assert said("better-relevant", "better") == (
        "a against b is then better instead of relevantly better"
    )


def test_no_influence_where_nothing_changes():
    found = verdict_of(0.3 + np.zeros((8, 1)) + np.array([0, 0.1, 0.2])
                       + 0.01 * np.random.default_rng(1).normal(size=(8, 3)))  # fmt: skip
    assert found.influence == ()
    assert found.pairs.n_significant == 3


def test_ratios_have_influence_too():
    rng = np.random.default_rng(2)
    seconds = np.exp(outlying() * 10) * rng.lognormal(0, 0.01, (9, 3))
    found = verdict_of(seconds, measure=TIME)
    same = verdict_of(np.log(seconds), measure=replace(ERROR, bounds=(None, None)))
    assert [i.dataset for i in found.influence] == [i.dataset for i in same.influence] != []
    logs = {k: np.log(x) for k, x in found.influence[0].means_without.items()}
    assert logs == pytest.approx(same.influence[0].means_without)


# ------------------------------------------------------------------------------ divergence


def consensus_of(*chain: tuple[str, ...]) -> ConsensusResult:
    order = Order(chain, (), "weak", ())
    names = tuple(name for group in chain for name in group)
    return ConsensusResult("weak", "strict", 1, candidates=names, relations=(order,), n_optimal=1,
                           is_proven=True)  # fmt: skip


def test_a_candidate_that_one_data_set_puts_last():
    rng = np.random.default_rng(6)
    means = 0.2 + np.array([0.0, 0.02, 0.04, 0.06]) + 0.001 * rng.normal(size=(10, 4))
    means[4, 0] += 0.9
    names = (*THREE, "dora")
    found = verdict_of(means, names)
    d = find_divergence(found, consensus_of(("anna",), ("bert",), ("cara", "dora")))
    assert (d.candidate, d.rank, d.datasets, d.rank_without) == ("anna", 4, ("d4",), 1)
    assert d.mean_without == pytest.approx(np.delete(means[:, 0], 4).mean())
    turned = verdict_of(1 - means, names, replace(ACCURACY, bounds=(None, None)))
    same = find_divergence(turned, consensus_of(("anna",), ("bert",), ("cara", "dora")))
    assert (same.candidate, same.rank, same.datasets) == ("anna", 4, ("d4",))
    near = consensus_of(("bert",), ("cara",), ("dora", "anna"))
    assert find_divergence(found, near) is None
    assert find_divergence(found, replace(near, n_optimal=2)) is None


def test_where_no_three_data_sets_do_it_that_is_said():
    rng = np.random.default_rng(6)
    means = 0.2 + np.array([0.06, 0.0, 0.02, 0.04]) + 0.001 * rng.normal(size=(10, 4))
    found = verdict_of(means, (*THREE, "dora"))
    d = find_divergence(found, consensus_of(("anna",), ("bert",), ("cara",), ("dora",)))
    assert (d.candidate, d.rank, d.datasets, d.rank_without) == ("anna", 4, (), 4)


# ---------------------------------------------------------------------------------- bounds


def test_intervals_of_means_stay_inside_the_bounds():
    rng = np.random.default_rng(1)
    right = {
        f"d{m}": np.clip(x + 0.01 * rng.normal(size=(5, 3)), 0, 1)
        for m, x in enumerate([[0.99, 0.9, 0.6]] * 5 + [[0.45, 0.5, 0.6]] * 2)
    }
    said, result = tell({ACCURACY: right}, THREE)
    found = result.verdict["accuracy"]
    assert found.cut
    for low, high in found.intervals.values():
        assert 0 <= low <= high <= 1
    for fit in result.fits("accuracy").values():
        assert all(0 <= low <= high <= 1 for low, high in fit.intervals.values())
    means = np.array([v.mean(axis=0) for v in right.values()])
    wide = means.mean(axis=0) + t.isf(0.025, 6) * means.std(axis=0, ddof=1) / 7**0.5
    assert wide.max() > 1  # else the test says nothing
    words = "Intervals of single means end at the bounds of the measure."
    assert said.methods.count(words) == 1
    unbounded = tell({replace(ACCURACY, bounds=(None, None)): right}, THREE)
    assert "at the bounds of the measure" not in unbounded[0].whole
    assert unbounded[1].verdict["accuracy"].cut == ()


# ----------------------------------------------------------------------------------- claims


def test_no_order_is_claimed_that_is_not_decided():
    means = np.random.default_rng(8).normal(0.3, 0.05, (10, 3))
    said, result = tell(draw_values(1, means), THREE)
    assert result.verdict[MAIN].pairs.n_significant == 0
    text = said.article["domain"]
    part = text[: text.index("The data sets")]
    for claim in ("best mean", "smallest mean", "significantly better", "a is better than"):
        assert claim not in part
    assert "none of 3 differences is significant" in part
    assert "Signed ranks" not in part
    assert result.across[MAIN].pairs.n_significant == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_every_sentence_is_sound_of_any_verdict(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(2, 16)), int(rng.integers(2, 6))
    measure = (ERROR, TIME, ACCURACY)[seed % 3]
    rows = 0.5 + rng.normal(0, 0.1, (m, 1)) + 0.03 * np.arange(k) + rng.normal(0, 0.02, (m, k))
    if seed % 2:
        rows[rng.random(rows.shape) < 0.2] = np.nan
        rows[0] = 0.5
    area = {"relevance": {measure.name: (-0.01, 0.01)}} if seed in (0, 2, 3) else {}
    names = ("anna", "bert", "cara", "dora", "emil")[:k]
    said, _ = tell({measure: {f"d{i}": row[None] for i, row in enumerate(rows)}}, names, **area)
    assert faults(said.whole) == []


@pytest.mark.parametrize("structure", ["own", "interaction", "unstructured"])
@pytest.mark.parametrize("measure", [ERROR, ACCURACY, TIME])
def test_tables_figures_and_orders_say_what_the_verdict_says(structure, measure):
    rng = np.random.default_rng(3)
    rows = 0.5 + rng.normal(0, 0.1, (9, 1)) + 0.03 * np.arange(4) + rng.normal(0, 0.02, (9, 4))
    names = (*THREE, "dora")
    warehouse = warehouse_of({measure: draw_values(1, rows, 5)}, names)
    result = analysed(warehouse, structure=structure)
    found = result.verdict[measure.name]
    better = {(p.favoured, *{p.first, p.second} - {p.favoured}) for p in found.pairs if p.favoured}
    assert better
    assert found.leaders == tuple(n for n in found.order if n not in {b for _, b in better})
    (method,) = (r for r in result.agreement[measure.name].methods if r.method == found.method)
    assert set(method.ahead) == better
    tables = {table.name: table for table in tabulate(result)}
    heads = [column.name for column in tables["incidence"].columns]
    ones = {(row[0], heads[j]) for row in tables["incidence"].rows for j in range(1, 5) if row[j]}
    assert ones == better
    at = [column.name for column in tables["pairs"].columns].index("decision")
    for row in tables["pairs"].rows:
        pair = found.pairs.between(*row[0])
        assert row[at] == pair.words
    figures = {f.name: f for f in draw(result, Undrawn.of(names, 9, "domain-0"))}
    for row in figures["pairs"].data.rows:
        assert row[6] == found.pairs.between(row[0], row[1]).words
