"""What is found over data sets: golden numbers, cases by hand, and what must not matter."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from reportgen.sections.consensus.analysis import ConsensusResult, Order
from reportgen.sections.domain import Options, applies, clusters
from reportgen.sections.domain.analysis import _ballot, _consensus, _shares, dataset_row
from reportgen.sections.domain.data import domain_values
from reportgen.sections.domain.models import fit_domain, fit_means
from reportgen.sections.domain.tables import tabulate
from reportgen.sections.domain.verdict import decide_domain
from reportgen.sections.preferences.analysis import Preference
from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.relations.relations import chain
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values
from tests.sections.reading import ACCURACY, ERROR, TIME

GOLDEN = 1e-3  # relative: lme4 stops above the optimum
EXACT = 1e-9

THREE = ("anna", "bert", "cara")


# ---------------------------------------------------------------------------------- golden


@pytest.fixture(scope="module")
def golden(reference: Path) -> dict:
    return json.loads((reference / "golden" / "uci621.json").read_text())


@pytest.fixture(scope="module")
def refitted(golden: dict) -> dict[str, Preference]:
    """Return the 21 relations that R finds on all available values."""
    return {
        name: relation(golden["local_available"][name]["incidence"]) for name in golden["datasets"]
    }


def relation(given: dict) -> Preference:
    incidence = np.array(given["data"], dtype=bool)
    names = tuple(given["rows"])
    classes = chain(incidence)
    return Preference(
        "misclassification/mixed-model",
        "misclassification",
        "mixed-model",
        None,
        0.0,
        0.05,
        candidates=names,
        incidence=tuple(tuple(int(x) for x in row) for row in incidence),
        chain=None if classes is None else tuple(tuple(names[k] for k in c) for c in classes),
    )


@pytest.mark.parametrize(
    ("wanted", "criterion", "n", "order"),
    [
        ("linear", 174, 1, "svm < rf < lda < rpart < nnet < knn"),
        ("weak", 173, 1, "rf ~ svm < lda < rpart < nnet < knn"),
        ("partial", 173, 2, None),
    ],
)
def test_golden_consensus(refitted, wanted, criterion, n, order):
    candidates = next(iter(refitted.values())).candidates
    ballots = [_ballot(dataset, relation) for dataset, relation in refitted.items()]
    agree = partial(_consensus, candidates, ranking=candidates, ballots=ballots)
    found = agree(Options(order_class=wanted), density="full")
    assert replace(found, members=()) == replace(
        agree(Options(order_class=wanted), density="compact"), members=()
    )
    assert (found.criterion, found.n_optimal, found.is_proven) == (criterion, n, True)
    if order:
        said = " < ".join(" ~ ".join(group) for group in found.relations[0].chain)
        assert said == order
    as_in_r = agree(Options(order_class=wanted, coding="relations"), density="full")
    assert as_in_r.criterion == {"linear": 300, "weak": 300, "partial": 299}[wanted]


@pytest.fixture(scope="module")
def errors(uci621_warehouse: Warehouse) -> Warehouse:
    """Return the misclassification errors alone."""
    frame = uci621_warehouse.frame
    return replace(
        uci621_warehouse,
        frame=frame[frame["measure"] == "Misclassification"].reset_index(drop=True),
        measures=uci621_warehouse.measures[:1],
    )


def clusters_of(tree: dict, names: list[str]) -> list[set[str]]:
    """Return what each step of R's hclust has joined."""
    made: list[set[str]] = []
    for pair in tree["merge"]["data"]:
        made.append(set().union(*({names[-x - 1]} if x < 0 else made[x - 1] for x in pair)))
    return made


@pytest.mark.slow
def test_golden_domain_from_the_values(errors, golden):
    result = analysed(errors, variance="pooled")
    consensus = result.consensus["Misclassification"]
    assert (consensus.criterion, consensus.n_optimal) == (173.0, 1)
    assert consensus.relations[0].chain == (
        ("svm", "rf"), ("lda",), ("rpart",), ("nnet",), ("knn",)
    )  # fmt: skip
    expected = golden["dissimilarity_symdiff_refitted"]
    place = [result.distances.datasets.index(name) for name in expected["rows"]]
    matrix = np.array(result.distances.matrix)[np.ix_(place, place)]
    assert matrix.tolist() == expected["data"]
    assert list(result.merge_heights) == golden["hclust_refitted"]["heights"]
    for cluster in clusters_of(golden["hclust_refitted"], expected["rows"]):
        at = sorted(result.leaf_order.index(name) for name in cluster)
        assert at == list(range(at[0], at[0] + len(at)))
    assert {row.name for row in result.rows if row.chain is None} == {"Crcl", "ttnc"}
    fit = result.mixed_model["Misclassification"]["interaction"]
    kappa = golden["domain_models"]["all_text"]["kappa"]
    assert fit.coefficients == pytest.approx(kappa, rel=1e-7)
    assert result.bases["Misclassification"].missing == "available"
    assert result.bases["Misclassification"].n_values == 30287


def test_golden_models_on_complete_replications(errors, golden):
    all_values = domain_values(errors, errors.measures[0])
    basis, fits = fit_domain(
        all_values, Options(missing="complete-domain", df="asymptotic"), np.random.default_rng(1)
    )
    assert set(basis.n_replications.values()) == {81}
    assert basis.n_dropped == 21 * 169
    rounded = {name: round(x, 4) for name, x in fits["interaction"].coefficients.items()}
    assert rounded == golden["printed_in_dissertation"]["kappa"]
    text = golden["domain_models"]["complete_text"]
    rows = {row["pair"]: row for row in text["tukey"]["pairs"]}
    for pair in fits["interaction"].pairs:
        row = rows.get(f"{pair.first} - {pair.second}")
        sign, row = (1, row) if row else (-1, rows[f"{pair.second} - {pair.first}"])
        assert sign * pair.estimate == pytest.approx(row["estimate"], abs=1e-9)
        bounds = sorted((sign * pair.lower, sign * pair.upper))
        assert bounds == pytest.approx([row["lwr"], row["upr"]], abs=2e-4)
        assert pair.adjusted_p_value == pytest.approx(row["p_adj_ptukey"], rel=0.01, abs=1e-6)
        assert (pair.target, pair.df) == ("domain", None)
    blups = fits["interaction"].blups
    assert blups.dataset["mnk3"] == pytest.approx(text["blup_dataset"]["mnk3"], abs=1e-4)
    free = fits["unstructured"]
    printed = golden["printed_in_dissertation"]
    for name, key in (("mnk3", "beta_mk_mnk3"), ("livr", "beta_mk_livr")):
        total = {k: free.blups.dataset[name] + x for k, x in free.blups.interaction[name].items()}
        beta = {"mnk3": -0.0943, "livr": 0.1693}[name]
        assert total == pytest.approx({k: beta + x for k, x in printed[key].items()}, abs=2e-3)


def test_figure_4_7(errors):
    all_values = domain_values(errors, errors.measures[0])
    options = Options(missing="complete-domain")
    _, fits = fit_domain(all_values, options, np.random.default_rng(1))
    better = {
        (p.favoured, p.second if p.favoured == p.first else p.first)
        for p in fits["unstructured"].pairs
        if p.favoured
    }
    assert better == {(a, b) for a in ("rf", "svm") for b in ("knn", "nnet", "rpart")}


# --------------------------------------------------------------------------- cases by hand


def spread(*rows: str) -> list[list[float]]:
    """Return means from orders of the candidates a, b, c, the best first."""
    return [[0.1 + 0.1 * row.index(name) for name in "abc"] for row in rows]


def test_consensus_distances_and_order_by_hand():
    values = draw_values(1, spread("abc", "cba", "abc", "acb"))
    result = analysed(warehouse_of({ERROR: values}, THREE))
    assert result.distances.matrix == ((0, 6, 0, 2), (6, 0, 6, 4), (0, 6, 0, 2), (2, 4, 2, 0))
    assert (result.distances.closest, result.distances.smallest) == (("d0", "d2"), 0)
    assert (result.distances.farthest, result.distances.greatest) == (("d0", "d1"), 6)
    assert result.distances.n_same == 1
    assert result.merge_heights == (0.0, 2.0, 6.0)
    assert result.leaf_order == ("d1", "d0", "d2", "d3")
    assert result.branches == (("d1",), ("d0", "d2", "d3"))
    consensus = result.consensus["misclassification"]
    assert consensus.n_optimal == 3
    assert consensus.agreed == (("anna", "bert"), ("anna", "cara"))
    assert consensus.criterion == 8.0
    assert result.consensus_all is None


def test_distances_of_very_many_data_sets_are_not_listed(monkeypatch):
    """Ten thousand have a hundred million of them, 350 MB of results.json."""
    values = draw_values(1, spread("abc", "cba", "abc", "acb"))
    whole = analysed(warehouse_of({ERROR: values}, THREE))
    monkeypatch.setattr(clusters, "MOST_LISTED", 3)
    result = analysed(warehouse_of({ERROR: values}, THREE))
    assert (result.distances.matrix, whole.distances.datasets) == ((), result.distances.datasets)
    assert result.subdomains == whole.subdomains
    assert replace(result.distances, matrix=whole.distances.matrix) == whole.distances
    assert np.array_equal(result.distances.between, whole.distances.between)
    assert "distances" in {table.name for table in tabulate(whole)}
    assert "distances" not in {table.name for table in tabulate(result)}


def test_all_measures_share_the_weight_of_a_data_set_among_its_optima():
    low = draw_values(1, spread("abc", "abc"))
    fast = {name: rows[:, ::-1] * 10 for name, rows in low.items()}
    result = analysed(warehouse_of({ERROR: low, TIME: fast}, THREE))
    assert result.several == ("d0", "d1")
    members = result.consensus_all.members
    for name in ("d0", "d1"):
        assert sum(m.weight for m in members if m.id == name) == pytest.approx(1.0, abs=EXACT)


def test_ties_of_the_first_measure_are_broken_by_the_next():
    level = draw_values(3, [[0.1, 0.3, 0.3]] * 4)
    fast = {name: rows * 0 + np.array([3.0, 2.0, 1.0]) for name, rows in level.items()}
    result = analysed(warehouse_of({ERROR: level, TIME: fast}, THREE))
    assert result.consensus["misclassification"].relations[0].chain[0] == ("anna",)
    assert result.hierarchical.chain == (("anna",), ("cara",), ("bert",))


def test_too_many_optima_are_stood_for_by_what_they_agree_on():
    order = Order(None, ((0, 1, 1), (0, 0, 0), (0, 0, 0)), "partial", ())
    found = ConsensusResult(
        "weak", "strict", 1, candidates=("a", "b", "c"), relations=(order,), n_optimal=None,
        has_more=True, agreed=(("a", "b"),),
    )  # fmt: skip
    (ballot,) = _shares("d", found)
    assert (ballot.incidence, ballot.weight) == (((0, 1, 0), (0, 0, 0), (0, 0, 0)), 1.0)
    two = replace(found, relations=(order, order), n_optimal=2, has_more=False)
    assert [b.weight for b in _shares("d", two)] == [0.5, 0.5]


def test_a_row_without_chain_says_which_runs_are_level():
    incidence = ((0, 0, 1, 1), (0, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 0))
    names = ("a", "b", "c", "d")
    bare = Preference(
        "x", "misclassification", "mixed-model", None, 0.0, 0.05, candidates=names,
        incidence=incidence, order_class="semiorder", best=("a", "b"),
    )  # fmt: skip
    values = draw_values(1, [[0.1, 0.12, 0.14, 0.16]])
    all_values = domain_values(warehouse_of({ERROR: values}, names), ERROR)
    row = dataset_row("d0", all_values, bare)
    assert row.order == names
    assert row.level_groups == (("a", "b"), ("b", "c"), ("c", "d"))
    assert row.is_better_than_next == (False, False, False)
    none = dataset_row("d0", all_values, None)
    assert none.unavailable
    assert none.level_groups == ()


def test_a_row_is_ordered_by_the_relation_then_by_means_that_count_gaps_as_the_worst():
    names = ("a", "b", "c")

    def row(values: list[list[float]], incidence: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
        relation = Preference(
            "x", "misclassification", "verdict", None, 0.0, 0.05, candidates=names,
            incidence=incidence, order_class="semiorder",
        )  # fmt: skip
        warehouse = warehouse_of({ERROR: {"d0": np.array(values)}}, names)
        return dataset_row("d0", domain_values(warehouse, ERROR), relation).order

    level = ((0,) * 3,) * 3
    # b has the smallest mean of its values, and a gap where all are bad
    gaps = [[0.2, 0.1, 0.3], [0.2, 0.1, 0.3], [0.8, np.nan, 0.9]]
    assert row(gaps, level) == ("b", "a", "c")
    worse = [[0.2, 0.1, 0.3], [0.2, 0.1, 0.3], [0.2, np.nan, 0.9]]
    assert row(worse, level) == ("a", "b", "c")
    assert row(worse, ((0, 0, 0), (1, 0, 0), (0, 0, 0))) == ("b", "a", "c")
    assert row(worse, ((0, 1, 0), (0, 0, 1), (1, 0, 0))) == ("a", "b", "c")  # a circle
    tied = [[0.1 + 0.2, 0.3, 0.4], [0.3, 0.1 + 0.2, 0.1]]
    assert row(tied, level) == ("c", "a", "b")
    assert row([[0.3, 0.2, np.nan]], level) == ("b", "a")  # one value, and none


def test_applies():
    values = draw_values(1, spread("abc", "abc"))
    assert applies(warehouse_of({ERROR: values}, THREE))
    assert not applies(warehouse_of({ERROR: {"d0": values["d0"]}}, THREE))
    one = {name: rows[:, :1] for name, rows in values.items()}
    assert not applies(warehouse_of({ERROR: one}, THREE[:1]))


# ------------------------------------------------------------------------------------ gaps


def gap_values() -> dict[str, np.ndarray]:
    values = draw_values(3, spread("abc", "bac", "abc", "cab", "abc"))
    values["d1"][2:5, 1] = np.nan
    values["d3"][0, 2] = np.nan
    return values


@pytest.mark.parametrize(
    ("missing", "counts", "n_dropped"),
    [
        ("available", [12, 12, 12, 12, 12], 0),
        ("complete-dataset", [12, 9, 12, 11, 12], 4),
        ("complete-domain", [8, 8, 8, 8, 8], 20),
    ],
)
def test_missing_values_go_in_as_asked(missing, counts, n_dropped):
    all_values = domain_values(warehouse_of({ERROR: gap_values()}, THREE), ERROR)
    basis, fits = fit_domain(all_values, Options(missing=missing), np.random.default_rng(1))
    assert list(basis.n_replications.values()) == counts
    assert (basis.n_dropped, basis.missing) == (n_dropped, missing)
    assert set(fits) == {"interaction", "unstructured"}
    method = "max-t" if missing != "complete-domain" else "tukey"
    assert fits["interaction"].pairs.method == method


def test_absent_candidates_and_data_sets_that_lack_one():
    values = {name: np.column_stack([v, np.full(12, np.nan)]) for name, v in gap_values().items()}
    values["d4"][:, 0] = np.nan
    all_values = domain_values(warehouse_of({ERROR: values}, (*THREE, "dora")), ERROR)
    basis, fits = fit_domain(all_values, Options(), np.random.default_rng(1))
    assert basis.missing_candidates == ("dora",)
    assert (basis.missing_datasets, basis.missing_by_dataset) == ((), {"d4": (THREE[0],)})
    assert basis.parts == (THREE,)
    assert set(fits["interaction"].coefficients) == set(THREE)
    for fit in fits.values():
        assert set(fit.blups.interaction["d4"]) == set(THREE[1:])
        assert set(fit.blups.interaction["d3"]) == set(THREE)
    counts = {(p.first, p.second): p.wins + p.ties + p.losses for p in fits["interaction"].pairs}
    assert counts == {THREE[:2]: 4, (THREE[0], THREE[2]): 4, THREE[1:]: 5}
    only = fit_domain(all_values, Options(missing="complete-dataset"), np.random.default_rng(1))[0]
    assert (only.missing_datasets, only.missing_by_dataset) == (("d4",), {})


def values_with_gaps(lacks: set[tuple[int, int]], n_replications: int = 6, n_datasets: int = 8):
    values = draw_values(3, [[0.1, 0.12, 0.16]] * n_datasets, n_replications, sd=0.02)
    for m, k in lacks:
        values[f"d{m}"][:, k] = np.nan
    return domain_values(warehouse_of({ERROR: values}, THREE), ERROR)


def test_data_sets_that_lack_candidates_have_one_model():
    _, fits = fit_domain(values_with_gaps({(0, 0), (1, 0)}), Options(), np.random.default_rng(1))
    assert list(fits) == ["interaction"]
    assert fits["interaction"].pairs.method == "max-t"


@pytest.mark.parametrize("n_replications", [6, 1])
def test_candidates_that_hardly_meet_leave_independent_interactions(n_replications):
    all_values = values_with_gaps({(m, 0) for m in range(7)}, n_replications)
    options = Options(structure="unstructured")
    basis, fits = fit_domain(all_values, options, np.random.default_rng(1))
    if n_replications == 1:
        basis, fits = fit_means(all_values, options, np.random.default_rng(1), basis)
    assert list(fits) == ["interaction"]
    assert basis.model == ("mixed-model" if n_replications > 1 else "block-model")
    verdict = decide_domain(all_values, options, np.random.default_rng(1), basis, fits)
    assert verdict.is_own
    assert verdict.pairs.is_open.tolist() == [True, True, False]


def test_one_value_a_data_set_and_candidate_some_of_which_lack():
    all_values = values_with_gaps({(0, 0), (1, 1)}, 1)
    basis = fit_domain(all_values, Options(), np.random.default_rng(1))[0]
    found, fits = fit_means(all_values, Options(), np.random.default_rng(1), basis)
    assert (len(found.datasets), found.missing_datasets) == (8, ())
    rows = np.vstack(all_values.values)
    expected = fit_incomplete_blocks(rows)
    given = fits["interaction"]
    assert_allclose(list(given.coefficients.values()), expected.means)
    assert given.equality_test.statistic == expected.equality.statistic
    assert_allclose(given.variance["residual"], expected.variance)
    assert list(fits) == ["interaction"]
    only = Options(missing="complete-dataset")
    assert fit_means(all_values, only, np.random.default_rng(1), basis)[0].missing_datasets == (
        "d0",
        "d1",
    )


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"d0": np.ones((3, 1)), "d1": np.ones((3, 1))}, "one-candidate"),
        (draw_values(1, spread("abc")) | {"d1": np.full((3, 3), np.nan)}, "too-few-datasets"),
        ({"d0": np.eye(2) + 0.5, "d1": np.eye(2) + 0.5}, "no-differences"),
        ({f"d{m}": np.array([[0.1, 0.2 * m]] * 3) for m in range(3)}, "no-variation"),
    ],
)
def test_why_there_is_no_model(values, reason):
    names = THREE[: next(iter(values.values())).shape[1]]
    all_values = domain_values(warehouse_of({ERROR: values}, names), ERROR)
    basis, fits = fit_domain(all_values, Options(), np.random.default_rng(1))
    assert (basis.unavailable, fits) == (reason, {})


def test_relevance_decides_and_direction_is_honoured():
    values = draw_values(2, spread(*["abc"] * 8), sd=0.005)
    turned = {name: 1 - v for name, v in values.items()}
    area = {"misclassification": (-0.01, 0.01), "accuracy": (-0.01, 0.01)}
    one = analysed(warehouse_of({ERROR: values}, THREE), relevance=area)
    two = analysed(warehouse_of({ACCURACY: turned}, THREE), relevance=area)
    pairs = one.mixed_model["misclassification"]["interaction"].pairs
    assert [p.decision for p in pairs] == ["better-relevant"] * 3
    assert [(p.wins, p.ties, p.losses) for p in pairs] == [(8, 0, 0)] * 3
    other = two.mixed_model["accuracy"]["interaction"].pairs
    assert [p.decision for p in other] == ["better-relevant"] * 3
    assert two.mixed_model["accuracy"]["interaction"].order == THREE
    assert two.across["accuracy"].mean_ranks == {"anna": 1.0, "bert": 2.0, "cara": 3.0}


# ------------------------------------------------------------------- what must not matter


@pytest.mark.slow
@settings(max_examples=3)
@given(st.integers(0, 1000))
def test_names_and_order_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    rows = rng.permuted(np.array([[0.1, 0.13, 0.16, 0.2]] * 5), axis=1)
    values = draw_values(seed, rows.tolist(), n_replications=6)
    names = ("anna", "bert", "cara", "dora")
    m, k = rng.permutation(5), rng.permutation(4)
    moved = {f"d{i}": values[f"d{i}"][:, k] for i in m}
    one = analysed(warehouse_of({ERROR: values}, names))
    two = analysed(warehouse_of({ERROR: moved}, tuple(names[i] for i in k)))
    a, b = (r.consensus["misclassification"] for r in (one, two))
    assert (a.criterion, a.n_optimal) == (b.criterion, b.n_optimal)

    def orders(found: ConsensusResult) -> set:
        return {tuple(frozenset(group) for group in r.chain) for r in found.relations}

    assert orders(a) == orders(b)
    ours, theirs = (np.array(r.distances.matrix) for r in (one, two))
    assert theirs.tolist() == ours[np.ix_(m, m)].tolist()
    f, g = (r.verdict["misclassification"] for r in (one, two))
    assert f.order == g.order
    assert set(f.leaders) == set(g.leaders)
    for pair in f.pairs:
        same = g.pairs.between(pair.first, pair.second)
        assert pair.decision == same.decision
        assert (pair.lower, pair.upper) == pytest.approx((same.lower, same.upper), abs=EXACT)
    for structure in ("interaction", "unstructured"):
        f, g = (r.mixed_model["misclassification"][structure] for r in (one, two))
        assert f.coefficients == pytest.approx(g.coefficients, abs=EXACT)
        assert f.reml_criterion == pytest.approx(g.reml_criterion, abs=1e-6)
        assert set(f.leaders) == set(g.leaders)
