"""Layouts of graphs: distances that fit into the plane are met, and nothing is left to chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from reportgen.stats.relations.layout import _energy, layout

MET = 1e-3  # relative: the search stops near the optimum
GRADIENT = 1e-5  # finite differences


def apart(places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(places[:, None] - places[None], axis=2)


@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_points_of_the_plane_come_back(n):
    angle = np.linspace(0, 5, n)
    points = np.column_stack([3 * np.cos(angle) + angle, np.sin(angle)])
    wanted = apart(points)
    wanted = (wanted + wanted.T) / 2
    found = apart(layout(wanted))
    assert found[np.triu_indices(n, 1)] == pytest.approx(wanted[np.triu_indices(n, 1)], rel=MET)


def test_longest_axis_lies_across_and_signs_are_settled():
    places = layout(np.array([[0, 5, 9], [5, 0, 4.2], [9, 4.2, 0]]))
    assert np.ptp(places[:, 0]) > np.ptp(places[:, 1])
    assert places[0, 0] > 0
    assert places.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)


def test_gradient():
    rng = np.random.default_rng(1)
    d = rng.uniform(0.5, 2, (5, 5))
    d, off = (d + d.T) / 2, ~np.eye(5, dtype=bool)
    x = rng.normal(size=10)
    assert check_grad(
        lambda y: _energy(y, d, off)[0], lambda y: _energy(y, d, off)[1], x
    ) == pytest.approx(0, abs=GRADIENT)


@pytest.mark.parametrize("wrong", [np.zeros((3, 3)), np.array([[0, 1], [2, 0]]), np.ones((2, 3))])
def test_what_are_no_distances(wrong):
    with pytest.raises(ValueError, match="distances must be symmetric"):
        layout(wrong)
