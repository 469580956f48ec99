from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.archetypal_analysis.fit import Options, fit_archetypes, most_archetypes
from reportgen.stats.archetypal_analysis.problem import Bisquare
from reportgen.stats.archetypal_analysis.stability import matched
from tests.stats.archetypal_analysis.tables import mixed, read

ROBUST = Options("robust", n_starts=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_outliers_of_the_toy_data_have_no_weight(reference, seed):
    rows = read(reference, "toy_outliers")
    found = fit_archetypes(rows, 3, np.random.default_rng(seed), options=ROBUST)
    clean = fit_archetypes(rows[:-5], 3, np.random.default_rng(seed))
    assert (found.weights[-5:] == 0).all()
    assert found.weights[:-5].min() > 0.3
    assert matched(found.archetypes, clean.archetypes)[1].max() < 0.5
    assert found.objective == pytest.approx(Bisquare(found.bound).objective(found.residuals**2))


@pytest.mark.slow
@pytest.mark.parametrize("n_outliers", [5, 20, 60])
def test_outliers_on_a_sphere_have_no_weight(n_outliers):
    rng = np.random.default_rng(n_outliers)
    corners = 4 * np.vstack([np.zeros(3), np.eye(3)])
    inside = mixed(corners, 250, rng) + 0.05 * rng.standard_normal((254, 3))
    away = rng.standard_normal((n_outliers, 3))
    away *= 30 / np.linalg.norm(away, axis=1, keepdims=True)
    found = fit_archetypes(np.vstack([inside, away]), 4, rng, options=ROBUST)
    assert (found.weights[254:] == 0).all()
    assert matched(found.archetypes, corners)[1].max() < 0.8
    plain = fit_archetypes(np.vstack([inside, away]), 4, rng, options=Options(n_starts=2))
    assert matched(plain.archetypes, corners)[1].max() > 5


def outliers(kind, inside, n, rng):
    """Return outliers of several kinds."""
    d = inside.shape[1]
    if kind == "cluster":
        return np.full(d, 15.0) + 0.3 * rng.standard_normal((n, d))
    if kind == "line":
        return np.outer(np.linspace(8, 40, n), np.r_[1, -np.ones(d - 1)])
    if kind == "column":
        found = inside[rng.integers(len(inside), size=n)].copy()
        found[:, 0] = -20 - 30 * found[:, 0]
        return found
    return 1e4 * rng.standard_normal((n, d))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cluster", "line", "column", "huge"])
def test_outliers_of_any_kind_have_no_weight_and_others_have(kind):
    rng = np.random.default_rng(1)
    corners = 4 * np.vstack([np.zeros(2), np.eye(2)])
    inside = mixed(corners, 120, rng) + 0.05 * rng.standard_normal((123, 2))
    rows = np.vstack([inside, outliers(kind, inside, 25, rng)])
    found = fit_archetypes(rows, 3, rng, options=ROBUST)
    assert (found.weights[123:] == 0).all()
    # A corner that no other row is near may be cut off.
    assert (found.weights[:123] == 0).sum() <= 1
    assert matched(found.archetypes, corners)[1].max() < 0.25


def test_a_third_of_all_rows_may_be_outliers_near_by():
    # Most residuals that are not zero are those of the outliers here.
    rng = np.random.default_rng(1)
    corners = 4 * np.vstack([np.zeros(2), np.eye(2)])
    inside = mixed(corners, 97, rng) + 0.05 * rng.standard_normal((100, 2))
    away = rng.standard_normal((40, 2))
    away *= 2 * 2.98 / np.linalg.norm(away, axis=1, keepdims=True)
    found = fit_archetypes(np.vstack([inside, 4 / 3 + away]), 3, rng, options=ROBUST)
    assert (found.weights[100:] == 0).all()
    assert matched(found.archetypes, corners)[1].max() < 0.5


def test_outliers_near_by_do_not_draw_archetypes_to_them():
    # The sum of rho is lower with archetypes at outliers; the way from the majority is not theirs.
    rng = np.random.default_rng(2)
    corners = 4 * np.vstack([np.zeros(2), np.eye(2)])
    inside = mixed(corners, 150, rng) + 0.05 * rng.standard_normal((153, 2))
    away = rng.standard_normal((12, 2))
    away *= 2 * 2.98 / np.linalg.norm(away, axis=1, keepdims=True)
    found = fit_archetypes(np.vstack([inside, 4 / 3 + away]), 3, rng, options=ROBUST)
    assert (found.weights[153:] == 0).all()
    assert matched(found.archetypes, corners)[1].max() < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n_outliers"), [(3, 30), (5, 100)])
def test_outliers_beyond_corners_far_from_all_rows_stay_out(m, n_outliers):
    # Much is left of rows far from the middle: the sum of rho would be lower with outliers in.
    rng = np.random.default_rng(m)
    corners = 4 * np.vstack([np.zeros(m), np.eye(m)])
    inside = rng.dirichlet(np.ones(m + 1), 300) @ corners + 0.05 * rng.standard_normal((300, m))
    size = np.linalg.norm(corners - corners.mean(axis=0), axis=1).max()
    away = rng.standard_normal((n_outliers, m))
    away *= 2 * size / np.linalg.norm(away, axis=1, keepdims=True)
    rows = np.vstack([inside, corners.mean(axis=0) + away])
    found = fit_archetypes(rows, m + 1, rng, options=ROBUST)
    assert (found.weights[300:] == 0).all()
    assert (found.weights[:300] > 0).mean() > 0.98
    assert (np.diff(found.trace) <= 1e-9).all()


@pytest.mark.slow
def test_skeletons_in_inches_have_no_weight(reference):
    skeletons = read(reference, "skel2")
    rows = np.vstack([skeletons, skeletons[:6] / 2.54])
    found = fit_archetypes(rows, 3, np.random.default_rng(0), options=ROBUST)
    assert (found.weights[507:] == 0).all()
    assert (found.weights[:507] > 0).all()
    # A sample in which they lie hardly two bounds away.
    drawn = np.random.default_rng(504).integers(0, 513, 513)
    found = fit_archetypes(rows[drawn], 3, np.random.default_rng(1), options=ROBUST)
    assert ((found.weights > 0) == (drawn < 507)).all()


def test_traces_never_rise_where_the_hull_is_drawn_anew():
    rng = np.random.default_rng(39)
    m, k = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    rows = rng.standard_t(2, size=(int(rng.integers(20, 60)), m))
    found = fit_archetypes(rows, k, rng, options=ROBUST)
    assert (np.diff(found.trace) <= 1e-9).all()
    assert found.trace[-1] == found.objective


@pytest.mark.slow
def test_starts_begin_anew_among_all_rows_that_count():
    # From the nearest half alone both starts miss a corner.
    rng = np.random.default_rng(5)
    corners = 8 * rng.standard_normal((4, 2))
    inside = rng.dirichlet(np.full(4, 0.7), 120) @ corners + 0.05 * rng.standard_normal((120, 2))
    rows = np.vstack([inside, [[80.0, 0], [0, 90], [-70, 60], [60, -70]]])
    found = fit_archetypes(rows, 4, np.random.default_rng(1), options=ROBUST)
    clean = fit_archetypes(inside, 4, np.random.default_rng(1), options=Options(n_starts=4))
    assert (found.weights[120:] == 0).all()
    assert matched(found.archetypes, clean.archetypes)[1].max() < 0.5


@pytest.mark.slow
def test_outliers_around_all_rows_do_not_bound_the_number_of_archetypes():
    rng = np.random.default_rng(7)
    angles = np.arange(5) * 2 * np.pi / 5
    corners = 4 * np.column_stack([np.cos(angles), np.sin(angles)])
    inside = mixed(corners, 150, rng) + 0.05 * rng.standard_normal((155, 2))
    rows = np.vstack([inside, [[-300.0, -200], [300, -200], [0, 300]]])
    with pytest.raises(ValueError, match="only 3 vertices"):
        fit_archetypes(rows, 5, rng)
    assert most_archetypes(rows, 5, options=ROBUST) == 5
    found = fit_archetypes(rows, 5, rng, options=ROBUST)
    assert (found.weights[155:] == 0).all()
    assert matched(found.archetypes, corners)[1].max() < 0.5


def test_few_rows_may_have_more_archetypes_than_their_nearest_half_has_rows():
    rows = np.random.default_rng(0).normal(size=(6, 5))
    found = fit_archetypes(rows, 4, np.random.default_rng(1), options=ROBUST)
    assert np.isfinite(found.archetypes).all()
    alike = np.vstack([rows, np.median(rows, axis=0).repeat(20).reshape(5, 20).T])
    assert np.isfinite(
        fit_archetypes(alike, 5, np.random.default_rng(1), options=ROBUST).scaled
    ).all()


def test_a_corner_that_was_cut_off_comes_back():
    # Nearly exact mixtures: the bound is small before the corners are reached.
    rng = np.random.default_rng(5)
    corners = np.array([[0.0, 0.0, 1.0], [9, 1, 0], [1, 9, 5]])
    rows = rng.dirichlet(np.full(3, 0.6), 60) @ corners + 0.05 * rng.standard_normal((60, 3))
    rows[-4:] = [60.0, 60, -40]
    found = fit_archetypes(rows, 3, np.random.default_rng(1), options=ROBUST)
    assert np.flatnonzero(found.weights == 0).tolist() == [56, 57, 58, 59]


def test_starts_share_one_bound_and_go_down(reference):
    found = fit_archetypes(
        read(reference, "toy_outliers"), 3, np.random.default_rng(3), options=ROBUST
    )
    assert (np.diff(found.trace) <= 1e-9).all()
    assert found.is_converged
    assert found.objective == min(start.objective for start in found.starts)
    # A solution that catches the outliers is no better by the robust objective.
    rows = read(reference, "toy_outliers")
    caught = fit_archetypes(rows, 3, np.random.default_rng(3))
    there = found.scaling.scaled(caught.mixtures @ caught.archetypes)
    squares = ((found.scaling.scaled(rows) - there) ** 2).sum(axis=1)
    assert Bisquare(found.bound).objective(squares) > found.objective


def test_rows_that_fit_exactly_need_no_bound():
    rows = np.array([[0.0, 0], [4, 0], [0, 4], [1, 1], [2, 2], [1, 2]])
    found = fit_archetypes(rows, 3, np.random.default_rng(1), options=ROBUST)
    assert np.isfinite(found.archetypes).all()
