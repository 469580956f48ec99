from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import nnls

from reportgen.stats.archetypal_analysis import simplex
from reportgen.stats.archetypal_analysis.descent import nearest_points
from reportgen.stats.archetypal_analysis.problem import mix, nearest_mixtures

# Both algorithms are exact up to rounding of products of numbers near one.
EXACT = 1e-9


def brute_force(atoms, row):
    """Solve on every support with sum one, and keep the best that is not negative."""
    best = np.inf
    for size in range(1, len(atoms) + 1):
        for support in map(list, combinations(range(len(atoms)), size)):
            edges = (atoms[support[1:]] - atoms[support[0]]).T
            steps = np.linalg.lstsq(edges, row - atoms[support[0]], rcond=None)[0]
            shares = np.append(1 - steps.sum(), steps)
            if (shares >= -1e-12).all():
                best = min(best, ((row - shares @ atoms[support]) ** 2).sum())
    return best


def of_rows(atoms, rows, start=None):
    """Return the mixtures (n, k) of rows."""
    return mix(rows, atoms, None, start)


@pytest.mark.parametrize(("k", "m"), [(1, 2), (2, 1), (3, 2), (5, 2), (4, 3), (6, 4)])
def test_mixtures_are_the_best_of_all_supports(k, m):
    rng = np.random.default_rng(k)
    atoms, rows = rng.standard_normal((k, m)), 1.5 * rng.standard_normal((25, m))
    found = of_rows(atoms, rows)
    expected = [brute_force(atoms, row) for row in rows]
    assert ((rows - found @ atoms) ** 2).sum(axis=1) == pytest.approx(expected, abs=EXACT)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("k", [3, 18])
def test_many_rows_are_solved_as_one_by_one(k):
    rng = np.random.default_rng(4)
    atoms, rows = rng.standard_normal((k, 4)), rng.standard_normal((2000, 4))
    together = of_rows(atoms, rows) @ atoms
    alone = nearest_points(atoms, rows[:60], np.eye(1, k).repeat(60, axis=0))
    assert together[:60] == pytest.approx(alone @ atoms, abs=1e-7)


def test_equal_and_dependent_atoms_do_not_hinder():
    atoms = np.array([[0.0, 0], [2, 0], [2, 0], [1, 0], [0, 2], [0, 0]])
    rows = np.array([[0.5, 0.0], [5, 5], [-1, -1], [1, 0.2]])
    found = of_rows(atoms, rows)
    expected = [brute_force(atoms, row) for row in rows]
    assert ((rows - found @ atoms) ** 2).sum(axis=1) == pytest.approx(expected, abs=EXACT)


def test_atoms_at_the_origin_do_not_hinder():
    atoms = np.array([[1e-17, 0.0], [0, 1e-17]])
    found = of_rows(atoms, np.array([[1.0, 2], [0, 0]]))
    assert np.isfinite(found).all()
    assert found.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("seed", [7, 9, 10, 18])
def test_atoms_that_rounding_hardly_tells_apart_are_one(seed):
    # what was left of an edge was rounding, by which others were divided until they overflowed
    rng = np.random.default_rng(seed)
    atoms = np.repeat(10 * rng.standard_normal((2, 4)), [6, 1], axis=0)
    atoms[:6] += 1e-9 * rng.standard_normal((6, 4))
    rows = 10 * rng.standard_normal((40, 4))
    found = of_rows(atoms, rows)  # a warning is an error
    left = ((rows - found @ atoms) ** 2).sum(axis=1)
    expected = [brute_force(atoms[[0, 6]], row) for row in rows]
    assert left == pytest.approx(expected, rel=1e-7)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(1)


def test_a_start_changes_nothing_but_the_time():
    rng = np.random.default_rng(2)
    atoms, rows = rng.standard_normal((4, 5)), rng.standard_normal((50, 5))
    start = rng.dirichlet(np.ones(4), 50)
    cold, warm = of_rows(atoms, rows), of_rows(atoms, rows, start)
    assert warm == pytest.approx(cold, abs=1e-10)


def test_each_row_may_have_products_of_its_own():
    rng = np.random.default_rng(3)
    atoms, rows = rng.standard_normal((3, 4)), rng.standard_normal((40, 4))
    seen = rng.random((40, 4)) < 0.7
    seen[:, 0] = True
    found = mix(rows * seen, atoms, seen)
    for row, cells, mixture in zip(rows, seen, found, strict=True):
        left = (row - mixture @ atoms)[cells]
        assert left @ left == pytest.approx(brute_force(atoms[:, cells], row[cells]), abs=EXACT)


def test_the_nearest_point_of_a_large_hull_leaves_no_way_down():
    rng = np.random.default_rng(5)
    atoms = rng.standard_normal((300, 6))
    points = 3 * rng.standard_normal((20, 6))
    shares = nearest_points(atoms, points, np.eye(1, 300, 7).repeat(20, axis=0))
    assert (shares >= 0).all()
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (shares > 0).sum(axis=1).max() <= 7
    for point, nearest in zip(points, shares @ atoms, strict=True):
        assert ((atoms - nearest) @ (nearest - point)).min() > -1e-10


def test_a_penalty_on_the_sum_comes_to_the_exact_mixtures():
    """The published algorithm: least squares with a row of M for the sum, which need not be 1."""
    rng = np.random.default_rng(8)
    atoms = rng.standard_normal((3, 2))
    rows = rng.dirichlet(np.ones(3), 40) @ atoms + 0.1 * rng.standard_normal((40, 2))
    found, apart = of_rows(atoms, rows), []
    for penalty in (20.0, 200.0):
        system = np.vstack([atoms.T, np.full(3, penalty)])
        drawn = np.array([nnls(system, np.append(row, penalty))[0] for row in rows])
        apart.append(np.abs(drawn - found).max())
    assert apart[1] < 1e-4
    assert apart[0] / apart[1] == pytest.approx(100, rel=0.05)  # as one over the square of M


def test_ties_that_misled_nnls_are_solved():
    # scipy 1.15 to 1.17 leave .678 of the row, and a point farther than the one to begin from
    atoms = [[-1.0, 1, -1, -1], [1, -1, 1, 1], [-1, -1, 1, -1], [1, -1, 1, 1], [-1, 1, -1, 1]]
    row = np.array([[-0.5, -1, 0, -0.5]])
    left = row - of_rows(np.array(atoms), row) @ np.array(atoms)
    assert (left**2).sum() == pytest.approx(0.5, abs=EXACT)
    corners = np.array([[1.0, 1, -1], [1, 1, -1], [1, -1, 1], [-1, 1, -1]])
    point = np.array([[1.0, -2, -1]])
    found = nearest_points(corners, point, np.array([[0.0, 0, 1, 0]]), rounds=1)
    assert ((found @ corners - point) ** 2).sum() == pytest.approx(4.5, abs=EXACT)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_one_round_leads_nearer_at_any_scale(scale):
    rng = np.random.default_rng(6)
    atoms, points = scale * rng.standard_normal((200, 4)), 2 * scale * rng.standard_normal((9, 4))
    shares = np.eye(1, 200, 3).repeat(9, axis=0)
    ends = [shares, *(nearest_points(atoms, points, shares, rounds) for rounds in (1, 2, None))]
    apart = [np.sqrt(((own @ atoms - points) ** 2).sum(axis=1)) / scale for own in ends]
    assert (apart[1] < apart[0] - 0.1).all()
    assert (apart[2] <= apart[1] + EXACT).all()
    assert (apart[3] <= apart[2] + EXACT).all()
    assert apart[1].sum() > apart[3].sum() + 1e-6


@pytest.mark.parametrize("k", [1, 3, 6])
def test_one_map_for_many_rows_solves_as_each_row_for_itself(k, monkeypatch):
    rng = np.random.default_rng(k)
    archetypes, rows = rng.standard_normal((3, k, 4)), 1.5 * rng.standard_normal((3, 400, 4))
    ends = []
    for rows_a_kind in (0, np.inf):
        monkeypatch.setattr(simplex, "_ROWS_A_KIND", rows_a_kind)
        ends.append(nearest_mixtures(rows, archetypes).swapaxes(1, 2) @ archetypes)
    assert ends[0] == pytest.approx(ends[1], abs=EXACT)
    for own, atoms, table in zip(ends[0], archetypes, rows, strict=True):
        expected = of_rows(atoms, table) @ atoms
        assert own == pytest.approx(expected, abs=EXACT)


def test_points_have_atoms_of_their_own():
    rng = np.random.default_rng(3)
    atoms, points = rng.standard_normal((3, 60, 4)), 3 * rng.standard_normal((3, 2, 4))
    shares = np.broadcast_to(np.eye(1, 60, 7), (3, 2, 60))
    together = nearest_points(atoms, points, shares)
    for own, corners, goals in zip(together, atoms, points, strict=True):
        assert own == pytest.approx(nearest_points(corners, goals, shares[0]), abs=EXACT)
