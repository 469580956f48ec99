from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.archetypes import (
    Options,
    agreement_of_starts,
    archetypes,
    elbow,
    matched,
    scree,
    stability,
)
from tests.stats.archetypes.tables import mixed, read


def test_the_elbow_does_not_depend_on_how_far_one_looks():
    # The polished optima of the skeletal measures; Eugster and Leisch (2009) take 3.
    objectives = [5060, 1795.25, 1344.046, 1156.305, 1013.78, 889.059, 799.048]
    assert [elbow(objectives[:k]) for k in range(1, 8)] == [1, 2, 3, 3, 3, 3, 3]
    assert elbow([498, 141.0891, 5.786226, 2.216452, 0.278506]) == 3
    assert elbow([100, 99, 98]) == 1
    assert elbow([0, 0]) == 1


def test_a_late_gain_counts():
    assert elbow([100, 99, 40, 39]) == 3


def test_a_scree_of_a_triangle_has_its_elbow_at_three(reference):
    found = scree(read(reference, "toy"), 4, np.random.default_rng(1), options=Options(n_starts=3))
    assert found.elbow == 3
    assert len(found.chosen.archetypes) == 3
    assert found.explained[0] == pytest.approx(0)
    assert (np.diff(found.explained) > 0).all()


@pytest.mark.parametrize("n_starts", [1, 2, 5])
def test_every_fit_has_all_its_starts_and_leaves_no_more_than_the_one_before(n_starts):
    rng = np.random.default_rng(4)
    rows = mixed(3 * rng.standard_normal((6, 4)), 80, rng) + 0.4 * rng.standard_normal((86, 4))
    found = scree(rows, 6, np.random.default_rng(2), options=Options(n_starts=n_starts))
    assert [len(f.starts) for f in found.fits] == [1] + 5 * [n_starts]
    if n_starts > 1:
        assert (np.diff(found.objectives) < 0).all()


def test_rows_that_are_met_exactly_leave_nothing_to_draw_from():
    corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    found = scree(corners[[0, 1, 2, 3, 0, 1]], 4, np.random.default_rng(2))
    assert found.objectives[-1] == pytest.approx(0, abs=1e-9)


def test_a_robust_scree_leaves_outliers_out(reference):
    options = Options("robust", n_starts=2)
    rows = read(reference, "toy_outliers")
    found = scree(rows, 4, np.random.default_rng(1), options=options)
    assert found.elbow == 3
    assert (np.diff(found.objectives) < 0).all()
    clean = found.fits[2].residuals[:-5]
    assert found.objectives[2] == pytest.approx((clean**2).sum())


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
    medians = []
    for rows in (clear, unclear):
        fit = archetypes(rows, 3, rng, options=Options(n_starts=4))
        found = stability(rows, fit, 6, rng)
        assert found.distances.shape == (6 - found.n_failed, 3)
        medians.append(found.medians.max())
    assert medians[0] < 0.1 < medians[1]
    assert agreement_of_starts(fit) >= 0.25
