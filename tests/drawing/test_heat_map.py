from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from matplotlib.text import Text

from reportgen.drawing import PHONE_WIDTH, TEXT_WIDTH, Sheet
from reportgen.drawing.plots.heat_map import SHADES, draw_heat_map
from reportgen.drawing.sheet import house_settings

CLASSES = np.array([[0, 2], [1, 1], [2, 0]])
TEXTS = np.array([["1.5", "3.5"], ["2.5", "2.0"], ["9.0", "0.5"]], dtype=object)
LEGEND = ("low", "middle", "high")


def drawn(texts=TEXTS, width=TEXT_WIDTH, *, dark=False):
    sheet = Sheet({}, width, is_dark=dark)
    with house_settings():
        draw_heat_map(sheet, CLASSES, texts, ("a", "b", "c"), ("part", ("1", "2")), LEGEND)
    (page,) = sheet.drawing.artists
    return sheet, page.get_children()


def words(artists):
    return {t.get_text(): t.get_position() for t in artists if isinstance(t, Text)}


@pytest.mark.parametrize("dark", [False, True])
def test_a_cell_has_the_shade_of_its_class_and_its_text(dark):
    sheet, artists = drawn(dark=dark)
    places = words(artists)
    for (i, j), shade in np.ndenumerate(CLASSES):
        boxes = [
            a
            for a in artists
            if isinstance(a, PathPatch) and a.get_path().contains_point(places[TEXTS[i, j]])
        ]
        assert [a.get_facecolor() for a in boxes] == [to_rgba(sheet.colour(SHADES[shade]))]
    left, right = (places[text] for text in ("1.5", "3.5"))
    assert left[0] < right[0]
    assert left[1] == right[1] == places["a"][1] < places["2.5"][1] == places["b"][1]


def test_texts_without_room_are_left_out_together():
    long = TEXTS.copy()
    long[2, 0] = "9" * 60
    assert not words(drawn(long)[1]).keys() & set(TEXTS.flat)
    assert words(drawn(width=PHONE_WIDTH)[1]).keys() >= set(TEXTS.flat)


def test_names_and_legend_stand_on_the_page():
    names = {"a", "b", "c", "part 1", "part 2", *LEGEND}
    assert words(drawn()[1]).keys() - set(TEXTS.flat) == names
