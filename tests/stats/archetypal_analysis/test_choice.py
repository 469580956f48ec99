from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.stats.archetypal_analysis.choice import elbow, replace_fit, scree
from reportgen.stats.archetypal_analysis.fit import Options
from tests.stats.archetypal_analysis.tables import mixed, read


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


def test_many_starts_come_to_the_optimum_of_every_number(reference):
    # most go on from the fit before no more, whose archetypes lead elsewhere with 4 and with 6
    rows = read(reference, "skel2")
    found = scree(rows, 6, np.random.default_rng(1), options=Options(n_starts=16))
    optima = [5060, 1795.2504, 1344.0462, 1156.3052, 1013.778, 889.0586]  # polished, of many starts
    assert found.objectives == pytest.approx(optima, rel=3e-4)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_robust_scree_leaves_outliers_out(reference):
    options = Options("robust", n_starts=2)
    rows = read(reference, "toy_outliers")
    found = scree(rows, 4, np.random.default_rng(1), options=options)
    assert found.elbow == 3
    assert (np.diff(found.objectives) < 0).all()
    clean = found.fits[2].residuals[:-5]
    assert found.objectives[2] == pytest.approx((clean**2).sum())


def test_a_better_fit_takes_its_place_and_its_number_stays():
    rng = np.random.default_rng(4)
    rows = mixed(3 * rng.standard_normal((3, 4)), 60, rng) + 0.2 * rng.standard_normal((63, 4))
    found = scree(rows, 4, rng, options=Options(n_starts=2))
    chosen = found.chosen
    assert found.elbow == found.n_archetypes == 3
    again = replace_fit(found, replace(chosen, objective=chosen.objective / 2))
    assert again.objectives[2] == pytest.approx(found.objectives[2] / 2)
    assert again.explained[2] == pytest.approx((1 + found.explained[2]) / 2)
    assert again.objectives[::3] == found.objectives[::3]
    assert (again.elbow, again.n_archetypes) == (3, 3)
    # With a limit that no gain meets the elbow is at one, unless the number taken was there.
    assert replace_fit(replace(found, elbow=2), chosen, least_gain=1).elbow == 1
    assert replace_fit(found, chosen, least_gain=1).elbow == 3
    with pytest.raises(ValueError, match="3 archetypes are chosen, and the other fit has 2"):
        replace_fit(found, found.fits[1])
