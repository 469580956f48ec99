from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from reportgen.stats.archetypal_analysis.descent import Limits
from reportgen.stats.archetypal_analysis.fit import (
    Options,
    fit_archetypes,
    mixtures_of,
    rough_archetypes,
)
from reportgen.stats.archetypal_analysis.initialisation import (
    BEGINNINGS,
    beginning,
    beginnings,
    beginnings_of,
    scaling_of,
)
from reportgen.stats.archetypal_analysis.problem import mix, vertices
from reportgen.stats.archetypal_analysis.stability import matched
from tests.stats.archetypal_analysis.tables import mixed, read

MODULE = import_module("reportgen.stats.archetypal_analysis.fit")

# The optima were polished to a relative 1e-9 by another program, from many starts.
OPTIMUM = 1e-4

# Fewer starts than the 20 that are allowed.
FEW_STARTS = {("toy", 5): 6, ("skel2", 5): 16, ("skel2", 6): 8, ("skel2", 7): 12}


@pytest.fixture(scope="module")
def golden(reference):
    return json.loads((reference / "golden" / "archetypes.json").read_text())


@pytest.mark.parametrize(
    ("name", "k"), [("toy", k) for k in range(1, 6)] + [("skel2", k) for k in range(1, 8)]
)
def test_the_polished_optima_are_reached(reference, golden, name, k):
    expected = golden["polished_frobenius_optimum"][name][f"k{k}"]
    options = Options(n_starts=FEW_STARTS.get((name, k), 4))
    found = fit_archetypes(read(reference, name), k, np.random.default_rng(3), options=options)
    assert found.objective <= expected["frob_rss_scaled"] * (1 + OPTIMUM)
    assert found.is_converged
    there = found.scaling.scaled(np.array(expected["archetypes"]["data"]))
    if found.objective > expected["frob_rss_scaled"] * (1 - OPTIMUM):
        assert matched(found.scaled, there)[1].max() < 0.05


def test_a_result_is_what_it_says(reference):
    rows = read(reference, "toy")
    found = fit_archetypes(rows, 3, np.random.default_rng(1), options=Options(n_starts=5))
    assert found.archetypes == pytest.approx(found.shares @ rows)
    left = found.scaling.scaled(rows) - found.mixtures @ found.scaled
    assert (left**2).sum() == pytest.approx(found.objective)
    assert np.sqrt((left**2).sum(axis=1)) == pytest.approx(found.residuals)
    assert (np.diff(found.archetypes[:, 0]) > 0).all()
    assert len(found.starts) == 5
    assert min(s.objective for s in found.starts) == found.objective
    assert found.explained == pytest.approx(1 - found.objective / 498)
    assert found.mixtures_of(rows[:9]) == pytest.approx(found.mixtures[:9])


def test_the_same_stream_gives_the_same_result_and_units_do_not_matter(reference):
    rows = read(reference, "toy")
    one, two, three = (
        fit_archetypes(table, 3, np.random.default_rng(5))
        for table in (rows, rows, 1e6 + 40 * rows)
    )
    assert one.archetypes.tolist() == two.archetypes.tolist()
    assert three.archetypes == pytest.approx(1e6 + 40 * one.archetypes, rel=1e-7)


def test_one_archetype_is_the_mean():
    rows = np.random.default_rng(1).standard_normal((30, 4))
    found = fit_archetypes(rows, 1, np.random.default_rng(0))
    assert found.archetypes[0] == pytest.approx(rows.mean(axis=0))
    assert found.objective == pytest.approx(29 * 4)
    weights = np.arange(30.0)
    options = Options("weighted", scaling="none")
    found = fit_archetypes(rows, 1, np.random.default_rng(0), weights=weights, options=options)
    assert found.archetypes[0] == pytest.approx(weights @ rows / weights.sum())


def test_weights_stand_for_repeated_rows():
    rng = np.random.default_rng(2)
    rows, counts = mixed(rng.standard_normal((5, 3)), 40, rng), rng.integers(0, 4, 45)
    options = Options("weighted", scaling="none", n_starts=12)
    once = fit_archetypes(rows, 3, rng, weights=counts.astype(float), options=options)
    repeated = fit_archetypes(
        np.repeat(rows, counts, axis=0), 3, rng, options=Options(scaling="none")
    )
    assert once.objective == pytest.approx(repeated.objective, rel=1e-6)
    assert once.archetypes == pytest.approx(repeated.archetypes, abs=1e-2)
    assert (once.shares[:, counts == 0] == 0).all()


def test_rows_that_weigh_nothing_have_no_say():
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((80, 4))
    more = np.vstack([rows, [1e6, 0, 0, -1e3], [0, np.nan, 1e9, 0]])
    options = Options("weighted", n_starts=2)
    with_them = fit_archetypes(
        more, 3, np.random.default_rng(1), weights=np.r_[np.ones(80), 0, 0], options=options
    )
    without = fit_archetypes(rows, 3, np.random.default_rng(1), options=Options(n_starts=2))
    assert with_them.archetypes == pytest.approx(without.archetypes, abs=1e-6)
    with pytest.raises(ValueError, match="all these weigh 0"):
        fit_archetypes(more, 3, rng, weights=np.r_[np.zeros(81), 1], options=options)


def test_weights_may_have_any_unit():
    rng = np.random.default_rng(5)
    rows, weights = rng.standard_normal((80, 4)), rng.uniform(0.1, 1, 80)
    options = Options("weighted", n_starts=2)
    ends = [
        fit_archetypes(rows, 3, np.random.default_rng(1), weights=unit * weights, options=options)
        for unit in (1.0, 1e-18)
    ]
    assert ends[1].objective / 1e-18 == pytest.approx(ends[0].objective, rel=1e-6)


def test_shrinking_weights_solve_the_problem_of_the_r_package(reference, golden):
    rows = read(reference, "toy")
    weights = np.where(rows[:, 0] < 5, 0.3, 1.0)
    options = Options("weighted", "shrink")
    found = fit_archetypes(rows, 3, np.random.default_rng(1), weights=weights, options=options)
    expected = golden["toy_weighted"]["k3"]["best_by_frobenius"]["archetypes"]["data"]
    shrunk = weights[:, None] * found.scaling.scaled(rows)
    there = found.scaling.scaled(np.array(expected))
    reached = ((shrunk - mix(shrunk, there) @ there) ** 2).sum()
    # The package stops early, so that its archetypes are a little off, and its sum higher.
    assert found.objective <= reached < 1.05 * found.objective
    assert matched(found.scaled, there)[1].max() < 0.06
    # Rows are mixed as they are, not shrunk.
    assert found.mixtures == pytest.approx(found.mixtures_of(rows), abs=1e-9)
    left = found.scaling.scaled(rows) - found.mixtures @ found.scaled
    assert found.residuals == pytest.approx(np.sqrt((left**2).sum(axis=1)))


def domain(reference):
    """Return candidate x replication by data sets, with gaps, and the candidates."""
    long = pd.read_csv(reference / "data" / "uci621raw.csv")
    long = long[long["measure"] == "Misclassification"]
    wide = long.pivot(index=["algorithm", "replication"], columns="dataset", values="value")
    return wide.to_numpy(), wide.index.get_level_values(0).to_numpy()


@pytest.mark.parametrize("is_complete", [True, False], ids=["complete", "gaps"])
def test_four_archetypes_of_a_domain_are_groups_of_candidates(reference, is_complete):
    rows, candidates = domain(reference)
    if is_complete:
        kept = np.isfinite(rows).all(axis=1)
        rows, candidates = rows[kept], candidates[kept]
    found = fit_archetypes(rows, 4, np.random.default_rng(1), options=Options(n_starts=2))
    means = {c: found.mixtures[candidates == c].mean(axis=0) for c in np.unique(candidates)}
    of = {c: int(m.argmax()) for c, m in means.items()}
    assert of["rf"] == of["svm"]
    assert of["knn"] == of["nnet"]
    assert len({of[c] for c in ("rf", "knn", "lda", "rpart")}) == 4
    assert min(m.max() for m in means.values()) > 0.6


def test_gaps_are_filled_by_what_the_other_cells_say():
    rng = np.random.default_rng(3)
    corners = np.array([[0.0, 0, 0, 1], [5, 0, 0, 2], [0, 5, 0, 3], [0, 0, 5, 9]])
    rows = mixed(corners, 80, rng)
    gappy = np.where(rng.random(rows.shape) < 0.15, np.nan, rows)
    gappy[:4] = rows[:4]
    found = fit_archetypes(gappy, 4, rng, options=Options(n_starts=4))
    assert matched(found.archetypes, corners)[1].max() < 1e-3
    assert found.objective == pytest.approx(0, abs=1e-5)
    assert (found.shares[:, np.isnan(gappy).any(axis=1)] == 0).all()


@pytest.mark.parametrize("name", BEGINNINGS)
def test_beginnings_are_different_rows(name):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((40, 2))
    for number in range(4):
        assert len(set(beginning(rows, 6, name, rng, number).tolist())) == 6
    assert len(set(beginning(np.zeros((3, 2)), 3, name, rng).tolist())) == 3


def test_vertices_are_those_of_the_convex_hull():
    from scipy.spatial import ConvexHull

    rows = np.random.default_rng(8).standard_normal((200, 3))
    assert sorted(vertices(rows, 200)) == sorted(ConvexHull(rows).vertices.tolist())
    grid = np.array([[x, y] for x in range(5) for y in range(5)], dtype=float) - 2
    assert sorted(map(tuple, grid[vertices(grid, 25)].tolist())) == [
        (-2, -2), (-2, 2), (2, -2), (2, 2)
    ]  # fmt: skip


def test_robust_scales_are_those_of_the_normal_distribution():
    rows = np.random.default_rng(1).normal(3, 2, (20001, 1))
    rows[:500] = 1e6
    scaling = scaling_of(rows, "robust")
    assert scaling.centre[0] == pytest.approx(3, abs=0.1)
    assert scaling.scale[0] == pytest.approx(2, rel=0.05)
    assert scaling_of(np.array([[0.0], [0], [0], [4]]), "robust").scale[0] > 0
    assert scaling_of(np.full((4, 1), 7.0)).scale.tolist() == [1]


SQUARE = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": SQUARE[0]}, r"shape \(n, m\)"),
        ({"rows": SQUARE[:, :1]}, "only 2 vertices .* n_features = 1"),
        ({"rows": np.ones((4, 2))}, "only 1 vertices"),
        ({"k": 5}, "5 archetypes were requested, but the hull of the rows has only 4"),
        ({"k": 0}, "at least 1 archetype"),
        ({"rows": np.where(SQUARE == 1, np.inf, SQUARE)}, "row 1 has an infinite cell"),
        ({"rows": np.where(SQUARE == 0.5, np.nan, SQUARE)}, "row 4 has no observed cell"),
        ({"rows": np.column_stack([SQUARE, np.full(5, np.nan)])}, "every row has one"),
        ({"weights": np.ones(5)}, "weights belong to the weighted method"),
        ({"weights": np.ones(4), "method": "weighted"}, "5 non-negative numbers"),
        ({"weights": -np.ones(5), "method": "weighted"}, "5 non-negative numbers"),
        ({"method": "other"}, "method must be one of"),
        ({"n_starts": 0}, "n_starts must be at least 1"),
    ],
)
def test_what_cannot_be_is_refused_in_words(change, message):
    rows, k = change.pop("rows", SQUARE), change.pop("k", 3)
    weights = change.pop("weights", None)
    with pytest.raises(ValueError, match=message):
        fit_archetypes(
            rows, k, np.random.default_rng(1), weights=weights, options=Options(**change)
        )


def test_gaps_and_a_robust_fit_do_not_go_together():
    rows = SQUARE.copy()
    rows[4, 0] = np.nan
    with pytest.raises(ValueError, match="robust archetypes need rows without gaps: 1 have one"):
        fit_archetypes(rows, 3, np.random.default_rng(1), options=Options("robust"))


def test_only_weights_that_shrink_need_rows_without_gaps():
    rows = np.vstack([SQUARE, [np.nan, 0.5]])
    rng = np.random.default_rng(1)
    found = fit_archetypes(rows, 3, rng, options=Options(weighting="shrink", n_starts=1))
    assert found.mixtures[-1].sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="weights that shrink rows need rows without gaps"):
        fit_archetypes(rows, 3, rng, options=Options("weighted", "shrink"))


def test_a_fit_that_was_cut_short_says_so(reference):
    options = Options(limits=Limits(sweeps=2), is_polishing_all=True)
    found = fit_archetypes(read(reference, "skel2"), 5, np.random.default_rng(1), options=options)
    assert not found.is_converged
    assert not any(start.is_converged for start in found.starts)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["original", "weighted", "robust"])
def test_rough_archetypes_are_near_those_of_each_table(method, monkeypatch):
    monkeypatch.setattr(MODULE, "_FEW_ROWS", 30)
    monkeypatch.setattr(MODULE, "_FEW_CORNERS", 15)
    rng = np.random.default_rng(5)
    corners = np.repeat(6 * np.eye(3), 6, axis=0)
    tables = [mixed(corners, n, rng)[:, :m] for n, m in ((120, 3), (90, 3), (120, 3), (100, 2))]
    tables.append(np.array([[0.0, 0], [1, 1], [2, 2]]))  # a segment: two vertices
    if method != "robust":
        tables[2][30:60, 1] = np.nan
    weights = [np.linspace(1, 2, len(t)) if method == "weighted" else None for t in tables]
    options = Options(method, n_starts=4, limits=Limits(decrease=1e-3, gap=None))
    streams = [np.random.default_rng(seed) for seed in range(5)]
    found = rough_archetypes(tables, 3, streams, weights=weights, options=options)
    assert found.pop() is None
    tables.pop()
    for seed, (table, own, given) in enumerate(zip(tables, found, weights, strict=False)):
        stream = np.random.default_rng(seed)
        best = fit_archetypes(table, 3, stream, weights=given, options=options)
        assert matched(best.archetypes, own.archetypes)[1].max() < 0.3
    for own, table, mixtures in zip(found, tables, mixtures_of(tables, found), strict=True):
        scaled = own.scaling.scaled(table)
        observed = np.isfinite(scaled)
        expected = mix(np.where(observed, scaled, 0.0), own.scaled, observed)
        assert mixtures == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", BEGINNINGS)
def test_tables_begin_side_by_side_as_alone(name):
    tables = [np.random.default_rng(seed).standard_normal((n, 3)) for seed, n in ((1, 30), (2, 24))]
    whole = np.zeros((2, 30, 3))
    for own, table in zip(whole, tables, strict=True):
        own[: len(table)] = table
    streams = [np.random.default_rng(seed) for seed in (7, 8)]
    found = beginnings_of(whole, [30, 24], 4, name, streams, 3)
    for seed, table, own in zip((7, 8), tables, found, strict=True):
        alone = beginnings(table, 4, name, np.random.default_rng(seed), 3)
        assert (own[..., : len(table)] == alone).all()
        assert not own[..., len(table) :].any()
