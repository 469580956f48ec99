"""Names beside marks: inside their frame, over neither one another nor marks."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.drawing.label_placement import Line, place_labels

FRAME = (0.0, 0.0, 400.0, 200.0)
HEIGHT, RADIUS = 11.0, 5.0


def box_of(label, width):
    return label.x, label.y - HEIGHT / 2, label.x + width, label.y + HEIGHT / 2


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_a_lone_name_stands_beside_its_mark():
    found = place_labels({"a": (200.0, 100.0)}, {"a": 30.0}, FRAME)["a"]
    assert found.leader is None
    assert (found.x, found.y) == (207.0, 93.0)


def test_a_name_avoids_lines():
    up = Line([(190.0, 90.0), (260.0, 90.0)])
    found = place_labels({"a": (200.0, 100.0)}, {"a": 30.0}, FRAME, lines=[up])["a"]
    assert found.y > 100


def test_a_name_does_not_touch_lines_beside_its_place():
    """One point above the name's usual place: thick lines there would meet its letters."""
    near = Line([(190.0, 86.5), (260.0, 86.5)])
    found = place_labels({"a": (200.0, 100.0)}, {"a": 30.0}, FRAME, lines=[near])["a"]
    assert abs(found.y - 86.5) - 5.5 > 1.4


def test_a_name_at_the_edge_stands_inside():
    for x, y in ((395.0, 5.0), (5.0, 195.0), (395.0, 195.0), (5.0, 5.0)):
        found = place_labels({"a": (x, y)}, {"a": 60.0}, FRAME)["a"]
        low = box_of(found, 60.0)
        assert low[0] >= 0
        assert low[1] >= 0
        assert low[2] <= 400
        assert low[3] <= 200


def test_a_name_without_room_is_left_out():
    assert place_labels({"a": (5.0, 5.0)}, {"a": 60.0}, (0.0, 0.0, 50.0, 50.0)) == {}


@pytest.mark.parametrize("n", [5, 30])
@pytest.mark.parametrize("seed", range(4))
def test_a_crowd_is_named(n, seed):
    rng = np.random.default_rng(seed)
    places = rng.normal((200, 100), (80, 40), size=(n, 2)).clip(10, [390, 190])
    marks = {f"m{i}": (x, y) for i, (x, y) in enumerate(places.tolist())}
    widths = dict.fromkeys(marks, 40.0)
    found = place_labels(marks, widths, FRAME, height=HEIGHT, radius=RADIUS)
    assert len(found) >= 0.9 * n
    boxes = {name: box_of(label, 40.0) for name, label in found.items()}
    for name, box in boxes.items():
        assert not any(meet(box, other) for o, other in boxes.items() if o != name)
        assert not any(
            meet(box, (x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)) for x, y in marks.values()
        )
    again = place_labels(marks, widths, FRAME, height=HEIGHT, radius=RADIUS)
    assert found == again


def test_twins_both_have_names():
    found = place_labels({"a": (200.0, 100.0), "b": (200.0, 100.0)}, {"a": 30.0, "b": 30.0}, FRAME)
    assert not meet(box_of(found["a"], 30.0), box_of(found["b"], 30.0))
