"""One value per data set, all methods side by side, parts of the domain, and what returns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reportgen.sections.domain.figures.benchmark_summary_graph import graph_of, label, rows_of
from reportgen.sections.domain.figures.ranks import bar_lines, has_gap
from scipy.stats import wilcoxon

from reportgen.stats.relations.clustering import silhouette
from reportgen.stats.subsamples import Recurrence
from tests.builders import warehouse_of
from tests.sections.domain.making import FEW, analysed, draw_values, report_of, tell
from tests.sections.reading import ACCURACY, ERROR, NAMES, faults, read

SECOND = 1e-9  # two algorithms
MAIN = "misclassification"


def once(means: np.ndarray) -> dict[str, np.ndarray]:
    """Return one value a data set and candidate."""
    return {f"d{m}": row[None] for m, row in enumerate(means)}


def spread(m: int = 12, k: int = 4, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 0.3 + rng.normal(0, 0.05, (m, 1)) + 0.03 * np.arange(k) + rng.normal(0, 0.02, (m, k))


# ----------------------------------------------------------------- one value a data set


def test_one_value_a_data_set_has_a_block_model():
    means = spread()
    result = analysed(warehouse_of({ERROR: once(means)}, NAMES[:4]))
    basis = result.bases[MAIN]
    assert (basis.model, basis.unavailable) == ("block-model", "too-few-replications")
    assert result.mixed_model == {}
    fit = result.model(MAIN)
    assert fit.structure == "interaction"
    assert list(fit.coefficients.values()) == pytest.approx(means.mean(axis=0).tolist())
    assert set(fit.variance) == {"dataset", "residual"} == set(fit.variance_intervals)
    assert {p.target for p in fit.pairs} == {"domain"}
    assert {p.df for p in fit.pairs} == {33.0}
    assert result.fits(MAIN)["unstructured"].reml_criterion is None


def test_replications_have_the_same_tests_as_their_means():
    values = draw_values(1, spread(8, 3).tolist(), n_replications=6)
    whole = analysed(warehouse_of({ERROR: values}, NAMES[:3]))
    means = once(np.array([v.mean(axis=0) for v in values.values()]))
    alone = analysed(warehouse_of({ERROR: means}, NAMES[:3]))
    assert whole.bases[MAIN].model == "mixed-model"
    for structure in ("interaction", "unstructured"):
        ours, theirs = alone.block_model[MAIN][structure], whole.mixed_model[MAIN][structure]
        for column in ("lower", "adjusted_p_value"):
            one, two = getattr(ours.pairs, column), getattr(theirs.pairs, column)
            assert one == pytest.approx(two, abs=SECOND)
    for r in ("across", "verdict"):
        one, two = (getattr(found, r)[MAIN].pairs for found in (whole, alone))
        assert one.adjusted_p_value == pytest.approx(two.adjusted_p_value, abs=SECOND)


def test_signed_ranks_against_scipy():
    means = spread()
    found = analysed(warehouse_of({ERROR: once(means)}, NAMES[:4])).across[MAIN]
    place = {name: k for k, name in enumerate(NAMES[:4])}
    for p in found.pairs:
        d = means[:, place[p.first]] - means[:, place[p.second]]
        assert p.p_value == pytest.approx(wilcoxon(d).pvalue, abs=SECOND)
        assert p.mean_difference == pytest.approx(d.mean())
        assert p.estimate is None
        assert (p.wins, p.ties, p.losses) == ((d < 0).sum(), 0, (d > 0).sum())
        assert p.posterior_better + p.posterior_worse == pytest.approx(1.0)
        turned = p.reversed()
        assert turned.posterior_better == p.posterior_worse
        assert turned.mean_difference == -p.mean_difference
    rows = sorted(p.p_value for p in found.pairs)
    holm = np.maximum.accumulate([min(1, (6 - i) * x) for i, x in enumerate(rows)])
    assert sorted(p.adjusted_p_value for p in found.pairs) == pytest.approx(holm.tolist())


def test_direction_is_honoured():
    means = spread()
    one = analysed(warehouse_of({ERROR: once(means)}, NAMES[:4])).across[MAIN]
    two = analysed(warehouse_of({ACCURACY: once(1 - means)}, NAMES[:4])).across["accuracy"]
    assert one.order == two.order
    assert [p.favoured for p in one.pairs] == [p.favoured for p in two.pairs]
    assert any(p.favoured for p in one.pairs)
    assert [p.posterior_better > 0.5 for p in one.pairs] == [
        p.posterior_better > 0.5 for p in two.pairs
    ]


def test_data_sets_that_lack_a_candidate_are_left_out():
    means = spread()
    means[3, 1] = np.nan
    found = analysed(warehouse_of({ERROR: once(means)}, NAMES[:4])).across[MAIN]
    assert (found.n_datasets, found.left_out) == (11, ("d3",))


def test_many_data_sets_have_the_joint_law():
    means = spread(m=51, k=3)
    fits = analysed(warehouse_of({ERROR: once(means)}, NAMES[:3])).block_model[MAIN]
    assert {p.method for p in fits["unstructured"].pairs} == {"max-t"}
    few = analysed(warehouse_of({ERROR: once(means[:49])}, NAMES[:3])).block_model[MAIN]
    assert {p.method for p in few["unstructured"].pairs} == {"bonferroni"}


def test_bars_and_gaps():
    order = ("a", "b", "c", "d", "e")
    assert bar_lines((("a", "b"), ("b", "c"), ("d", "e")), order) == [
        [("a", "b"), ("d", "e")],
        [("b", "c")],
    ]
    assert has_gap(("a", "c"), order)
    assert not has_gap(("a", "b", "c"), order)


# ----------------------------------------------------------------------------- the methods


def test_roads_of_a_clear_case_agree():
    means = 0.2 + 0.1 * np.arange(3) + np.random.default_rng(2).normal(0, 0.004, (12, 3))
    found = analysed(warehouse_of({ERROR: once(means)}, NAMES[:3])).agreement[MAIN]
    models = ("own-variance", "interaction", "unstructured")
    tests = ("signed-ranks", "bayesian")
    methods = ("means", "mean-ranks", "consensus", *models, *tests)
    assert tuple(r.method for r in found.methods) == methods
    assert {r.order for r in found.methods} == {(("anna",), ("bert",), ("cara",))}
    assert found.disagreements == ()


def test_means_against_counts():
    rng = np.random.default_rng(4)
    d = np.r_[np.full(9, -0.01), np.full(3, 0.2)] + rng.normal(0, 0.001, 12)
    means = np.column_stack([np.full(12, 0.3) + d, np.full(12, 0.3)])
    said, result = tell(once(means), NAMES[:2])
    (pair,) = result.agreement[MAIN].disagreements
    assert (pair.first, pair.reason) == ("bert", "size-against-count")
    assert (pair.wins, pair.losses) == (3, 9)
    orders = {r.method: r.order for r in result.agreement[MAIN].methods}
    assert orders["means"] == (("bert",), ("anna",)) == orders["mean-ranks"][::-1]
    text = said.sections["domain"]
    assert "By mean bert comes before anna, though it is worse on 9 of 12 data sets" in text


# ------------------------------------------------------------------- parts and stability


def two_camps() -> dict[str, np.ndarray]:
    rows = [[0.1, 0.2, 0.3]] * 5 + [[0.3, 0.2, 0.1]] * 4
    return draw_values(1, rows)


def test_two_camps_are_found():
    result = analysed(warehouse_of({ERROR: two_camps()}, NAMES[:3]))
    parts = result.subdomains
    assert {frozenset(p.datasets) for p in parts.parts} == {
        frozenset(f"d{m}" for m in range(5)),
        frozenset(f"d{m}" for m in range(5, 9)),
    }
    assert (parts.silhouette, parts.has_structure) == (1.0, True)
    assert parts.recurrence == Recurrence(1.0, 200, 6, 9)
    assert parts.is_reportable
    assert [p.returns for p in parts.parts] == [1.0, 1.0]
    chains = {p.consensus.relations[0].chain for p in parts.parts}
    assert chains == {
        (("anna",), ("bert",), ("cara",)),
        (("cara",), ("bert",), ("anna",)),
    }


def test_a_majority_of_one_is_not_stable():
    result = analysed(warehouse_of({ERROR: two_camps()}, NAMES[:3]))
    found = result.stability
    assert found.n_resamples == FEW
    for p in found.pairs:
        assert p.before + p.level + p.after == pytest.approx(1.0)
        assert 0.3 < p.returns < 0.95
    same = analysed(warehouse_of({ERROR: draw_values(1, [[0.1, 0.2, 0.3]] * 6)}, NAMES[:3]))
    assert {p.returns for p in same.stability.pairs} == {1.0}
    assert same.subdomains is None
    assert same.stability.first == {"anna": 1.0, "bert": 0.0, "cara": 0.0}


def test_resampling_is_seeded():
    warehouse = warehouse_of({ERROR: two_camps()}, NAMES[:3])
    assert analysed(warehouse).stability == analysed(warehouse).stability


@pytest.mark.parametrize(
    ("share", "silhouette", "telling"),
    [
        (0.49, 1.0, None),
        (0.5, 1.0, "(descriptive: no error rate; they return in 50% of 200 subsamples"),
        (0.8, 1.0, "(descriptive: no error rate)."),
        (1.0, 0.25, None),
    ],
)
def test_parts_are_a_finding_where_they_return(share, silhouette, telling):
    warehouse = warehouse_of({ERROR: two_camps()}, NAMES[:3])
    result = analysed(warehouse)
    parts = replace(
        result.subdomains, silhouette=silhouette, recurrence=Recurrence(share, 200, 6, 9)
    )
    said = read(report_of(replace(result, subdomains=parts), warehouse))
    named = [f for f in said.findings if "The domain falls into" in f]
    assert len(named) == (telling is not None)
    if telling:
        assert "two parts whose data sets order the candidates alike, of" in named[0]
        assert telling in named[0]
    text = said.sections["domain"]
    assert ("Both parts return in" in text) == (share >= 0.5)
    assert f"{100 * share:.0f}% of 200 subsamples of 6 of the 9 data sets" in text
    assert ("Exploratory: two parts of the domain" in text) == (telling is not None)
    assert not faults(said.whole)


def test_of_few_data_sets_it_is_not_known_whether_parts_return():
    rows = [[0.1, 0.2, 0.3]] * 4 + [[0.3, 0.2, 0.1]] * 4
    warehouse = warehouse_of({ERROR: draw_values(1, rows)}, NAMES[:3])
    result = analysed(warehouse)
    assert result.subdomains.recurrence is None
    assert {p.returns for p in result.subdomains.parts} == {None}
    said = read(report_of(result, warehouse))
    assert not any("falls into" in f for f in said.findings)
    text = said.sections["domain"]
    assert "With eight data sets it cannot be assessed whether these parts would return." in text


def test_the_leader_is_that_of_the_consensus_whoever_leads_in_resamples():
    warehouse = warehouse_of({ERROR: two_camps()}, NAMES[:3])
    result = analysed(warehouse)
    assert result.consensus[ERROR.name].best == ("anna",)
    odd = replace(result.stability, first={"anna": 0.3, "bert": 0.1, "cara": 0.6})
    said = read(report_of(replace(result, stability=odd), warehouse))
    assert "anna is not beaten in 30%" in said.findings[1]
    assert "cara is not beaten in 60%" not in said.whole
    assert "anna is not beaten in 30% of them" in said.sections["domain"]


def test_silhouette_by_hand():
    d = np.array([[0, 2, 6], [2, 0, 4], [6, 4, 0]])
    assert silhouette(d, ((0, 1), (2,))) == pytest.approx(((6 - 2) / 6 + (4 - 2) / 4) / 3)
    assert silhouette(np.zeros((3, 3)), ((0, 1), (2,))) == 0.0


def test_graph_gathers_data_sets_with_the_same_relation():
    rows = [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3]]
    result = analysed(warehouse_of({ERROR: draw_values(1, rows)}, NAMES[:3]))
    graph = graph_of(result)
    assert {node.datasets for node in graph.nodes} == {("d0", "d1"), ("d2",), ("d3",), ("d4",)}
    assert {n.datasets[0]: n.winner for n in graph.nodes}["d3"] == "cara"
    assert label(next(n for n in graph.nodes if len(n.datasets) == 2)) == "d0, d1"
    assert graph.levels == (2, 4, 6)  # six lines are few enough for four marks
    assert ("d0", "d1", 0) in rows_of(graph)
    same = analysed(warehouse_of({ERROR: draw_values(1, rows[:2])}, NAMES[:3]))
    assert graph_of(same) is None


# --------------------------------------------------------------------------------- words


def test_one_value_a_data_set_leads_with_the_model():
    said, _ = tell(once(spread(14)), NAMES[:4])
    assert faults(said.whole) == []
    text = said.sections["domain"]
    assert said.findings[0].startswith("Over the domain")
    assert text.index("There is one value for each data set") < text.index("Data set by data set")
    assert "one value cannot tell the two apart" in text
    assert "Friedman’s test by Iman and Davenport" in text
    assert "(target: domain)" in text or "target: domain)" in text


def test_too_few_data_sets_for_signed_ranks():
    said, result = tell(once(spread(4, 4)), NAMES[:4])
    assert not result.across[MAIN].can_reject
    text = said.sections["domain"]
    assert "no adjusted signed rank test can fall below" in text
    assert faults(said.whole) == []


@pytest.mark.parametrize("seed", range(4))
def test_every_sentence_of_one_value_is_sound(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(2, 14)), int(rng.integers(2, 6))
    means = 0.3 + rng.normal(0, 0.05, (m, 1)) + rng.choice([0.01, 0.05]) * rng.normal(size=(m, k))
    if seed % 2:
        means = means.round(2)
    area = {"relevance": {MAIN: (-0.01, 0.01)}} if seed % 3 else {}
    said, _ = tell(once(means), NAMES[:k], **area)
    assert faults(said.whole) == []
