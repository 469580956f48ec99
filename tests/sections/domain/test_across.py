"""One value per data set, all methods side by side, parts of the domain, and what returns."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from reportgen.rendering.results_json import plain
from reportgen.rendering.templates import out_of
from reportgen.sections.domain.result import MOST_TWICE, MethodOrder
from reportgen.stats.relations.clustering import silhouette
from reportgen.stats.relations.named_pairs import NamedPairs
from reportgen.stats.subsamples import SubsampleSupport
from tests.builders import warehouse_of
from tests.sections.domain.making import FEW, analysed, draw_values, judged, report_of, tell
from tests.sections.reading import ACCURACY, ERROR, NAMES, faults, read

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

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
    result = judged(warehouse_of({ERROR: once(means)}, NAMES[:4]))
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
    whole = judged(warehouse_of({ERROR: values}, NAMES[:3]))
    means = once(np.array([v.mean(axis=0) for v in values.values()]))
    alone = judged(warehouse_of({ERROR: means}, NAMES[:3]))
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
    found = judged(warehouse_of({ERROR: once(means)}, NAMES[:4])).across[MAIN]
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
    one = judged(warehouse_of({ERROR: once(means)}, NAMES[:4])).across[MAIN]
    two = judged(warehouse_of({ACCURACY: once(1 - means)}, NAMES[:4])).across["accuracy"]
    assert one.order == two.order
    assert [p.favoured for p in one.pairs] == [p.favoured for p in two.pairs]
    assert any(p.favoured for p in one.pairs)
    assert [p.posterior_better > 0.5 for p in one.pairs] == [
        p.posterior_better > 0.5 for p in two.pairs
    ]


def test_data_sets_that_lack_a_candidate_are_left_out():
    means = spread()
    means[3, 1] = np.nan
    found = judged(warehouse_of({ERROR: once(means)}, NAMES[:4])).across[MAIN]
    assert (found.n_datasets, found.missing_datasets) == (11, ("d3",))


@pytest.mark.slow
def test_many_data_sets_have_the_joint_law():
    means = spread(m=51, k=3)
    fits = judged(warehouse_of({ERROR: once(means)}, NAMES[:3])).block_model[MAIN]
    assert {p.method for p in fits["unstructured"].pairs} == {"max-t"}
    few = judged(warehouse_of({ERROR: once(means[:49])}, NAMES[:3])).block_model[MAIN]
    assert {p.method for p in few["unstructured"].pairs} == {"bonferroni"}


# ----------------------------------------------------------------------------- the methods


def test_roads_of_a_clear_case_agree():
    means = 0.2 + 0.1 * np.arange(3) + np.random.default_rng(2).normal(0, 0.004, (12, 3))
    found = analysed(warehouse_of({ERROR: once(means)}, NAMES[:3])).agreement[MAIN]
    models = ("own-variance", "interaction", "unstructured")
    tests = ("signed-ranks", "bayesian")
    methods = ("means", "mean-ranks", "consensus", *models, *tests)
    assert tuple(r.method for r in found.methods) == methods
    assert {r.order for r in found.methods} == {(("anna",), ("bert",), ("cara",))}
    assert len(found.disagreements) == 0


def test_results_list_few_pairs_of_a_method_and_no_long_list_twice() -> None:
    names = [f"c{k}" for k in range(MOST_TWICE + 1)]
    every = NamedPairs(tuple(names), np.triu(np.ones((len(names),) * 2, dtype=bool), 1))
    few = NamedPairs(every.names[:-1], every.incidence[:-1, :-1])
    orders = [MethodOrder("signed-ranks", None, (), pairs) for pairs in (few, every)]
    assert plain(orders[0])["better"] == [*map(list, combinations(names[:-1], 2))]
    assert plain(orders[1])["better"] is None


def test_means_against_counts():
    rng = np.random.default_rng(4)
    d = np.r_[np.full(9, -0.01), np.full(3, 0.2)] + rng.normal(0, 0.001, 12)
    means = np.column_stack([np.full(12, 0.3) + d, np.full(12, 0.3)])
    result = analysed(warehouse_of({ERROR: once(means)}, NAMES[:2]))
    (pair,) = result.agreement[MAIN].disagreements
    assert (pair.first, pair.reason) == ("bert", "size-against-count")
    assert (pair.wins, pair.losses) == (3, 9)
    orders = {r.method: r.order for r in result.agreement[MAIN].methods}
    assert orders["means"] == (("bert",), ("anna",)) == orders["mean-ranks"][::-1]


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
    assert parts.recurrence == SubsampleSupport(1.0, 200, 6, 9)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "silhouette", "is_shown"),
    [(0.49, 1.0, False), (0.5, 1.0, True), (1.0, 0.25, False)],
)
def test_parts_are_shown_where_they_return(share, silhouette, is_shown):
    warehouse = warehouse_of({ERROR: two_camps()}, NAMES[:3])
    result = analysed(warehouse)
    parts = replace(
        result.subdomains, silhouette=silhouette, recurrence=SubsampleSupport(share, 200, 6, 9)
    )
    said = read(report_of(replace(result, subdomains=parts), warehouse))
    assert parts.is_reportable == is_shown
    assert ("Groups of data sets (exploratory)" in said.sections["domain"]) == is_shown
    assert not faults(said.whole)


def test_a_part_with_leaders_of_its_own_is_told_where_it_returns():
    warehouse = warehouse_of({ERROR: two_camps()}, NAMES[:3])
    result = analysed(warehouse)
    assert result.consensus[MAIN].best == ("anna",)
    part = result.part_apart
    assert set(part.datasets) == {f"d{m}" for m in range(5, 9)}
    assert (part.leaders, part.returns) == (("cara",), 1.0)
    assert (len(result.subdomains.parts), result.subdomains.n_returning) == (2, 2)
    told = (
        "Of the two parts of the tree each returns in half of the subsamples of the data sets or "
        "more, and all together in 100%. The consensus of one, four data sets (d5, d6, d7 and d8) "
        "that return in 100%, puts nobody before cara."
    )
    assert told in read(report_of(result, warehouse)).article["domain"]
    parts = tuple(
        replace(p, returns=p.returns if p == part else 0.49) for p in result.subdomains.parts
    )
    support = replace(result.subdomains.recurrence, share=0.25)
    alone = replace(result, subdomains=replace(result.subdomains, parts=parts, recurrence=support))
    told = (
        "Of the two parts of the tree one returns in half of the subsamples of the data sets or "
        "more, and all together in 25%. The consensus of that one, four data sets"
    )
    assert told in read(report_of(alone, warehouse)).article["domain"]
    seldom = tuple(replace(p, returns=0.49) for p in result.subdomains.parts)
    loose = replace(result, subdomains=replace(result.subdomains, parts=seldom))
    assert loose.part_apart is None
    assert "parts of the tree" not in read(report_of(loose, warehouse)).whole


def test_of_few_data_sets_it_is_not_known_whether_parts_return():
    rows = [[0.1, 0.2, 0.3]] * 4 + [[0.3, 0.2, 0.1]] * 4
    warehouse = warehouse_of({ERROR: draw_values(1, rows)}, NAMES[:3])
    result = analysed(warehouse)
    assert result.subdomains.recurrence is None
    assert {p.returns for p in result.subdomains.parts} == {None}
    assert result.part_apart is None
    assert not result.subdomains.is_reportable


def test_the_leader_is_that_of_the_consensus_whoever_leads_in_resamples():
    warehouse = warehouse_of({ERROR: two_camps()}, NAMES[:3])
    result = analysed(warehouse)
    assert result.consensus[ERROR.name].best == ("anna",)
    odd = replace(result.stability, first={"anna": 0.3, "bert": 0.1, "cara": 0.6})
    said = read(report_of(replace(result, stability=odd), warehouse))
    assert "anna stays unbeaten in 30%" in said.article["domain"]
    assert "60%" not in said.article["domain"]


def test_silhouette_by_hand():
    d = np.array([[0, 2, 6], [2, 0, 4], [6, 4, 0]])
    assert silhouette(d, ((0, 1), (2,))) == pytest.approx(((6 - 2) / 6 + (4 - 2) / 4) / 3)
    assert silhouette(np.zeros((3, 3)), ((0, 1), (2,))) == 0.0


# --------------------------------------------------------------------------------- words


def test_one_value_a_data_set_leads_with_the_ranks():
    said, result = tell(once(spread(14)), NAMES[:4])
    assert faults(said.whole) == []
    text = said.article["domain"]
    many = out_of(result.across[MAIN].pairs.n_significant, 6)
    assert f"There is one value a data set and candidate. By signed ranks {many}" in text
    assert text.index("By signed ranks") < text.index("By own variances")
    assert "bold: the best value of the data set" in text


def test_too_few_data_sets_for_signed_ranks():
    said, result = tell(once(spread(4, 4)), NAMES[:4])
    assert not result.across[MAIN].can_reject
    assert (
        "With four data sets signed ranks can find no difference significant."
        in said.article["domain"]
    )
    assert "No difference is significant: so few data sets have no test" in said.article["domain"]
    assert faults(said.whole) == []


def test_ranks_on_data_sets_make_the_mean_ranks():
    means = spread()
    means[3, 1] = np.nan
    result = judged(warehouse_of({ERROR: once(means)}, NAMES[:4]))
    across = result.across[MAIN]
    for name, ranks in result.ranks.items():
        assert len(ranks) == across.n_datasets == 11
        assert np.mean(ranks) == pytest.approx(across.mean_ranks[name])
    for name, n in across.n_better.items():
        assert n == sum(p.favoured == name for p in across.pairs)


@pytest.mark.slow
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
