"""Hasse diagrams: lines, heights, cycles."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.relations.hasse import hasse
from reportgen.stats.relations.relations import closure, of_pairs
from tests.stats.orders import asymmetric, orders


@pytest.mark.parametrize("relation", orders(4, "partial")[::7], ids=lambda r: str(r.sum()))
def test_lines_are_the_smallest_that_give_the_order_back(relation: np.ndarray) -> None:
    drawn = hasse(relation)
    assert drawn.implied == ()
    assert drawn.cycles == ()
    lines = of_pairs(4, list(drawn.covers))
    assert np.array_equal(closure(lines), relation)
    for line in drawn.covers:
        fewer = of_pairs(4, [other for other in drawn.covers if other != line])
        assert not np.array_equal(closure(fewer), relation)


def test_the_better_stands_higher() -> None:
    for relation in orders(4, "partial"):
        levels = hasse(relation).levels
        height = {k: level for level, members in enumerate(levels) for k in members}
        assert sorted(height) == [0, 1, 2, 3]
        assert all(height[i] < height[j] for i, j in np.argwhere(relation))


def test_a_candidate_stands_just_below_the_lowest_that_is_better() -> None:
    many = np.triu(np.random.default_rng(1).random((30, 30)) < 0.1, 1)
    for relation in (*orders(4, "partial"), many):
        reach = closure(relation)
        height = dict.fromkeys(range(len(reach)), 0)
        for _ in height:  # as often as the longest chain has members, and more
            above = {k: np.flatnonzero(reach[:, k]).tolist() for k in height}
            height = {k: max((1 + height[i] for i in above[k]), default=0) for k in height}
        levels = hasse(relation).levels
        assert {k: level for level, group in enumerate(levels) for k in group} == height


def test_what_transitivity_asks_for_is_implied() -> None:
    # 0 better than 1, 1 than 2, but 0 not than 2, though the lines lead there
    drawn = hasse(of_pairs(3, [(0, 1), (1, 2)]))
    assert drawn.covers == ((0, 1), (1, 2))
    assert drawn.implied == ((0, 2),)
    # a way through a cycle is a way
    assert hasse(of_pairs(4, [(0, 1), (1, 2), (2, 0), (2, 3)])).implied == ((0, 3), (1, 3))


def test_a_diagram_tells_its_relation() -> None:
    for relation in asymmetric(4):
        drawn = hasse(relation)
        read = closure(of_pairs(4, list(drawn.covers)))
        inside = read & read.T
        told = (read & ~inside) | (relation & inside)
        told[tuple(np.array(drawn.implied, dtype=int).reshape(-1, 2).T)] = False
        assert np.array_equal(told, relation)


def test_a_cycle_stands_on_one_height() -> None:
    drawn = hasse(of_pairs(4, [(0, 1), (1, 2), (2, 0), (2, 3)]))
    assert drawn.cycles == ((0, 1, 2),)
    assert drawn.levels == ((0, 1, 2), (3,))
    assert set(drawn.covers) == {(0, 1), (1, 2), (2, 0), (2, 3)}


def test_every_relation_can_be_drawn() -> None:
    for relation in asymmetric(4):
        drawn = hasse(relation)
        lines = {*drawn.covers, *drawn.implied}
        reach = closure(relation)
        assert all(reach[i, j] for i, j in lines)
        assert sorted(k for level in drawn.levels for k in level) == [0, 1, 2, 3]
        given = np.zeros((4, 4), dtype=bool)
        for i, j in lines:
            given[i, j] = True
        assert np.array_equal(closure(given), reach)
