from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from reportgen.stats.archetypal_analysis.descent import Limits
from reportgen.stats.archetypal_analysis.fit import Options, fit_archetypes, rough_archetypes
from reportgen.stats.archetypal_analysis.stability import (
    AGREEING,
    RETURNING,
    archetype_support,
    matched,
    restarts,
)
from reportgen.stats.subsamples import SubsampleSupport
from tests.stats.archetypal_analysis.tables import mixed

# its name is that of a function in it
MODULE = import_module("reportgen.stats.archetypal_analysis.stability")


def triangle(n=50):
    """Return rows near a triangle, with many at its corners."""
    rng = np.random.default_rng(2)
    rows = mixed(np.repeat([[0.0, 0], [9, 0], [0, 9]], 4, axis=0), n, rng)
    return rows + 0.5 * rng.standard_normal(rows.shape)


class Recorder:
    """A mapper that keeps what it was asked to do, and what came of it."""

    def __call__(self, function, *tasks):
        self.tasks = list(zip(*tasks, strict=False))
        self.starts = [function(*task) for task in self.tasks]
        return iter(self.starts)


def test_matching_finds_a_permutation():
    rng = np.random.default_rng(1)
    first = rng.standard_normal((5, 3))
    order = rng.permutation(5)
    partner, distances = matched(first, first[order] + 0.01)
    assert order[partner].tolist() == [0, 1, 2, 3, 4]
    assert distances == pytest.approx(0.01 * np.sqrt(3))
    with pytest.raises(ValueError, match="only fits of one size"):
        matched(first, first[:3])


def test_clear_archetypes_come_back_and_unclear_ones_do_not():
    rng = np.random.default_rng(2)
    corners = np.repeat([[0.0, 0], [9, 0], [0, 9]], 8, axis=0)
    clear = mixed(corners, 150, rng)
    unclear = rng.standard_normal((150, 2))
    medians, shares = [], []
    for rows in (clear, unclear):
        fit = fit_archetypes(rows, 3, rng, options=Options(n_starts=4))
        found = archetype_support(rows, fit, 6, rng)
        assert found.distances.shape == (6 - found.n_failed, 3)
        medians.append(found.medians.max())
        shares.append(found.recurrence)
    assert medians[0] < 0.1 < medians[1]
    assert shares[0] == SubsampleSupport(1.0, 6, 110, 174)
    assert shares[1].share < 1


def test_archetypes_return_within_a_part_of_the_rows_median_distance():
    rows, rng = triangle(), np.random.default_rng(4)
    fit = fit_archetypes(rows, 3, rng, options=Options(n_starts=2))
    unit = np.median(pdist(fit.scaling.scaled(rows)))
    step = np.array([RETURNING * unit, 0.0])
    for moved, returns in ((0.99, True), (1.01, False)):
        other = replace(fit, scaled=fit.scaled + moved * step)
        found = restarts(rows, other, 1, rng, mapper=lambda *_: iter([fit]))
        assert found.returns.tolist() == [returns]
        assert found.pairwise * RETURNING == pytest.approx(found.distances[0] / moved)


def test_rows_and_data_sets_are_drawn_once_each(monkeypatch):
    sizes = []

    def watched(tables, *args, **settings):
        sizes.extend((len(np.unique(table, axis=0)), *table.shape) for table in tables)
        return rough_archetypes(tables, *args, **settings)

    monkeypatch.setattr(MODULE, "rough_archetypes", watched)
    rng = np.random.default_rng(1)
    rows = np.hstack([triangle() + shift for shift in (0.0, 1.0, 2.0, 4.0)])
    fit = fit_archetypes(rows, 3, rng, options=Options(n_starts=2))
    sizes.clear()
    n = len(rows)
    found = archetype_support(rows, fit, 5, rng)
    assert sizes == 5 * [(round(0.632 * n), round(0.632 * n), 8)]
    assert (found.recurrence.size, found.recurrence.n_units) == (round(0.632 * n), n)
    sizes.clear()
    datasets = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    found = archetype_support(rows, fit, 5, rng, datasets=datasets, groups=np.arange(n) % 2)
    part = round(0.632 * n)
    assert sizes == 5 * [(part, part, 6)]  # three of four data sets, both columns of each
    again = found.recurrence
    assert (again.n_subsamples, again.size, again.n_units) == (5, 3, 4)
    assert found.shares.shape == (5, 2, 3)
    assert found.shares.sum(axis=2) == pytest.approx(1)
    sizes.clear()
    archetype_support(rows, fit, 2, rng, datasets=datasets, has_all_rows=True)
    assert sizes == 2 * [(n, n, 6)]
    monkeypatch.setattr(MODULE, "_MOST_ROWS", 20)
    sizes.clear()
    archetype_support(rows, fit, 2, rng, datasets=datasets)
    assert {size[1] for size in sizes} == {20}


def test_shares_of_groups_are_the_same_however_many_rows_are_held(monkeypatch):
    rows = np.hstack([triangle() + shift for shift in (0.0, 1.0, 2.0, 4.0)])
    rows[3, :6] = np.nan
    rows[5, 1] = np.nan
    fit = fit_archetypes(rows, 3, np.random.default_rng(1), options=Options(n_starts=2))
    datasets, groups = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.arange(len(rows)) % 2

    def shares():
        rng = np.random.default_rng(7)
        return archetype_support(rows, fit, 9, rng, datasets=datasets, groups=groups).shares

    found = shares()
    for most in (1, 3 * len(rows)):
        monkeypatch.setattr(MODULE, "_MOST_ROWS_AT_ONCE", most)
        assert shares() == pytest.approx(found, rel=1e-12)  # rounding of other products


def test_a_count_of_pairs_tells_what_is_near_as_the_median_does():
    rng = np.random.default_rng(6)
    scaled = rng.standard_normal((40, 7))
    scaled[rng.random(scaled.shape) < 0.4] = np.nan
    is_column = rng.random((30, 7)) < 0.6
    is_column[:, 0] = True
    apart = rng.uniform(0.3, 1.1, 30)
    found = MODULE._are_near(scaled, is_column, apart)
    medians = np.array([MODULE._pairwise_distance(scaled[:, own]) for own in is_column])
    assert (found == (apart <= RETURNING * medians)).all()
    assert 0 < found.sum() < 30
    same = np.zeros((5, 2))
    every = np.ones((2, 2), dtype=bool)
    assert MODULE._are_near(same, every, np.array([0.9, 1.1]) * RETURNING).tolist() == [True, False]


def test_a_subsample_does_not_change_with_their_number():
    rows = np.random.default_rng(8).standard_normal((40, 3))
    fit = fit_archetypes(rows, 3, np.random.default_rng(1), options=Options(n_starts=2))
    few = archetype_support(rows, fit, 3, np.random.default_rng(5))
    many = archetype_support(rows, fit, 6, np.random.default_rng(5))
    assert few.distances == pytest.approx(many.distances[:3], rel=1e-9)


@pytest.mark.slow
def test_archetypes_of_noise_do_not_return():
    shares = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((40, 8))
        fit = fit_archetypes(rows, 4, rng, options=Options(n_starts=2))
        shares.append(archetype_support(rows, fit, 12, rng).recurrence.share)
    assert max(shares) < 0.5


# Starts of a robust fit have bounds of their own, and archetypes a little apart.
NEARNESS = {"robust": 0.05}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["original", "weighted", "shrink", "robust", "gaps"])
def test_every_start_comes_back_to_clear_archetypes(method):
    rows, weights = triangle(), None
    options = Options(n_starts=2)
    if method == "robust":
        rows = np.vstack([rows, [[80.0, 80.0], [81, 81]]])
        options = replace(options, method="robust")
    elif method == "gaps":
        rows[20::9, 1] = np.nan
    elif method != "original":
        weights = np.linspace(0.5, 1, len(rows))
        options = replace(options, method="weighted")
        if method == "shrink":
            options = replace(options, weighting="shrink", scaling="none")
            rows -= 3
    fit = fit_archetypes(rows, 3, np.random.default_rng(1), weights=weights, options=options)
    found = restarts(rows, fit, 3, np.random.default_rng(3), weights=weights)
    assert found.distances.shape == (3,)
    assert found.agrees.all()
    assert found.largest == found.distances.max() < NEARNESS.get(method, 0.001)
    assert not found.is_better
    assert found.fit is fit


def test_starts_that_end_elsewhere_do_not_agree():
    rows = np.random.default_rng(8).standard_normal((150, 6))
    fit = fit_archetypes(rows, 4, np.random.default_rng(1), options=Options(n_starts=4))
    mapper = Recorder()
    found = restarts(rows, fit, 4, np.random.default_rng(5), mapper=mapper)
    spread = np.sqrt((((rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)) ** 2).sum() / 150)
    squares = [
        min(
            (((fit.scaled - start.scaled[list(order)]) ** 2).sum(axis=1) for order in orders),
            key=np.sum,
        )
        for start in mapper.starts
        for orders in [permutations(range(4))]
    ]
    assert found.distances == pytest.approx([np.sqrt(s.max()) / spread for s in squares], abs=1e-9)
    assert 0 < found.agrees.sum() < 4
    assert found.largest == found.distances[found.distances < AGREEING].max()
    assert (found.distances[~found.agrees] >= AGREEING).all()
    # All begin afresh, for themselves, and go as far as the fit did.
    assert all(start.is_converged for start in mapper.starts)
    assert [task[3].beginning for task in mapper.tasks] == 2 * ["plus_plus", "random"]
    assert {task[3].n_starts for task in mapper.tasks} == {1}


def test_a_better_start_is_taken():
    rows = triangle()
    options = Options(n_starts=1, beginning="random")
    rough = fit_archetypes(
        rows, 3, np.random.default_rng(1), options=replace(options, limits=Limits(sweeps=1))
    )
    found = restarts(rows, replace(rough, options=options), 2, np.random.default_rng(1))
    assert found.is_better
    assert found.fit.objective < 0.9 * rough.objective
    assert found.fit.is_converged
    assert found.fit.options == options
    assert found.distances.min() == 0
    unlike = replace(found.fit, scaled=found.fit.scaled + 9)
    none = restarts(rows, unlike, 1, np.random.default_rng(1))
    assert (none.agrees.any(), none.largest, none.is_better) == (False, None, False)


@pytest.mark.slow
@pytest.mark.parametrize(("wider", "is_taken"), [(1, True), (0.5, True), (1.01, False)])
def test_a_robust_start_with_a_wider_bound_is_not_taken(wider, is_taken):
    rows = np.vstack([triangle(30), [[80.0, 80.0]]])
    fit = fit_archetypes(rows, 3, np.random.default_rng(1), options=Options("robust", n_starts=1))
    other = replace(fit, residuals=fit.residuals / 2, bound=wider * fit.bound)
    same = replace(fit, bound=fit.bound / 2, objective=fit.objective / 4)
    mapper = lambda *_: iter([same, other])  # noqa: E731
    found = restarts(rows, fit, 2, np.random.default_rng(1), mapper=mapper)
    assert found.is_better == is_taken
    # A narrower bound alone is no better, though its own objective is lower.
    alone = restarts(rows, fit, 1, np.random.default_rng(1), mapper=lambda *_: iter([same]))
    assert alone.fit is fit


@pytest.mark.slow
def test_outliers_do_not_make_everything_look_near():
    rows = triangle()
    far = np.vstack([rows, [[900.0, 900.0]]])
    distances = []
    for table in (rows, far):
        fit = fit_archetypes(
            table, 3, np.random.default_rng(1), options=Options("robust", n_starts=1)
        )
        moved = replace(fit, scaled=fit.scaled + 1)
        mapper = lambda *_, own=fit: iter([own])  # noqa: E731
        found = restarts(table, moved, 1, np.random.default_rng(1), mapper=mapper)
        distances.append(float(found.distances[0]))
    assert distances[1] == pytest.approx(distances[0], rel=0.1)
