"""Where boxes and lines go: nothing overlaps, nothing that need not cross crosses."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest

from reportgen.drawing.plots.hasse_layout import Layout, Line, Size, lay_out

WIDTH, BETWEEN, APART = 200.0, 20.0, 10.0
ROUNDING = 1e-6  # pt


def laid_out(layers: list[list[int]], lines: set[Line], wide: float = 30.0) -> Layout:
    n = sum(map(len, layers))
    return lay_out([Size(wide, 12.0)] * n, layers, lines, width=WIDTH, between=BETWEEN, apart=APART)


def crossings(layers: list[list[int]], lines: set[Line], x: dict[int, float]) -> int:
    """Count the crossings of lines between neighbouring layers."""
    of = {box: i for i, row in enumerate(layers) for box in row}
    return sum(
        of[a] == of[c] and (x[a] - x[c]) * (x[b] - x[d]) < 0
        for (a, b), (c, d) in combinations(sorted(lines), 2)
    )


def test_layers_stand_below_one_another() -> None:
    found = laid_out([[0], [1, 2], [3]], {(0, 1), (0, 2), (1, 3), (2, 3)})
    assert [place.top for place in found.places] == [0.0, 32.0, 32.0, 64.0]
    assert found.height == 76.0
    assert found.places[0].x == found.places[3].x == pytest.approx(WIDTH / 2, abs=ROUNDING)
    assert found.places[1].x + found.places[2].x == pytest.approx(WIDTH, abs=ROUNDING)


def test_a_line_that_passes_a_layer_goes_round_its_boxes() -> None:
    found = laid_out([[0], [1], [2]], {(0, 1), (1, 2), (0, 2)})
    (x, top), (same_x, bottom) = found.routes[0, 2]
    assert x == same_x
    assert (top, bottom) == (32.0, 44.0)
    assert abs(x - found.places[1].x) >= 15.0
    assert found.routes[0, 1] == ()


def test_nothing_crosses_that_need_not() -> None:
    lines = {(0, 5), (1, 4), (2, 3), (5, 6), (4, 7), (3, 8)}
    layers = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    x = {i: p.x for i, p in enumerate(laid_out(layers, lines).places)}
    assert crossings(layers, lines, x) == 0


@pytest.mark.parametrize("seed", range(20))
def test_crossings_are_as_few_as_can_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers = [[0, 1, 2, 3], [4, 5, 6, 7]]
    lines = {(a, b) for a, b in product(*layers) if rng.random() < 0.4}
    x = {i: p.x for i, p in enumerate(laid_out(layers, lines).places)}
    fewest = min(
        crossings(layers, lines, dict(zip((*up, *down), map(float, range(8)), strict=True)))
        for up in permutations(layers[0])
        for down in permutations(layers[1])
    )
    assert crossings(layers, lines, x) == fewest


@pytest.mark.parametrize("seed", range(10))
def test_no_two_neighbours_cross_less_the_other_way_round(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers = [list(range(i, i + 6)) for i in (0, 6, 12)]
    lines = {
        (a, b) for up, down in pairwise(layers) for a, b in product(up, down) if rng.random() < 0.35
    }
    x = {i: p.x for i, p in enumerate(laid_out(layers, lines, wide=20.0).places)}
    fewest = crossings(layers, lines, x)
    for row in layers:
        for a, b in pairwise(sorted(row, key=x.__getitem__)):
            assert crossings(layers, lines, x | {a: x[b], b: x[a]}) >= fewest


@pytest.mark.parametrize("seed", range(8))
def test_boxes_never_overlap_where_they_fit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [Size(float(w), 12.0) for w in rng.uniform(10, 38, 20)]
    layers = [list(range(i, i + 5)) for i in (0, 5, 10, 15)]
    lines = {(a, b) for a in range(20) for b in range(20) if a // 5 < b // 5 and rng.random() < 0.2}
    found = lay_out(sizes, layers, lines, width=WIDTH, between=BETWEEN, apart=APART)
    for row in layers:
        order = sorted(row, key=lambda b: found.places[b].x)
        edges = [
            (found.places[b].x - sizes[b].width / 2, found.places[b].x + sizes[b].width / 2)
            for b in order
        ]
        assert edges[0][0] >= -ROUNDING
        assert edges[-1][1] <= WIDTH + ROUNDING
        assert all(a[1] <= b[0] + ROUNDING for a, b in pairwise(edges))


def test_what_is_too_wide_is_pressed_into_the_width() -> None:
    found = laid_out([[0, 1, 2, 3, 4, 5, 6, 7]], set())
    xs = [place.x for place in found.places]
    assert xs == sorted(xs)
    assert min(xs) >= 0
    assert max(xs) <= WIDTH


def test_on_a_circle_lines_go_sideways_and_have_no_bends() -> None:
    found = laid_out([[0, 1], [2]], {(0, 1), (1, 0), (1, 2)})
    assert found.routes[0, 1] == found.routes[1, 0] == ()
