from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.text import Text

from reportgen.drawing import PHONE_WIDTH, TEXT_WIDTH, Sheet
from reportgen.drawing.plots.heat_map import SHADES, TURN, draw_heat_map
from reportgen.drawing.style import TICK, house_settings
from reportgen.drawing.text_size import text_width

CLASSES = np.array([[0, 2], [1, 1], [2, 0]])
TEXTS = np.array([["1.5", "3.5"], ["2.5", "2.0"], ["9.0", "0.5"]], dtype=object)
LEGEND = ("low", "middle", "high")


class Watched(Sheet):
    """A sheet that remembers its axes."""

    def axes(self, *margins):
        found = super().axes(*margins)
        self.__dict__.setdefault("made", []).append(found)
        return found


def drawn(texts=TEXTS, width=TEXT_WIDTH, *, dark=False):
    sheet = Watched({}, width, is_dark=dark)
    with house_settings():
        draw_heat_map(sheet, CLASSES, texts, ("a", "b", "c"), ("part", ("1", "2")), LEGEND)
    (page,) = sheet.drawing.artists
    return sheet, page.get_children(), *sheet.made


@pytest.mark.parametrize("dark", [False, True])
def test_a_cell_has_the_shade_of_its_class_and_its_text(dark):
    sheet, _, axes = drawn(dark=dark)
    (mesh,) = axes.collections
    colours = mesh.to_rgba(mesh.get_array().ravel())
    expected = [to_rgba(sheet.colour(SHADES[c])) for c in CLASSES.ravel()]
    np.testing.assert_allclose(colours, expected, atol=1 / 255)
    places = {t.get_text(): t.get_position() for t in axes.texts}
    assert places["1.5"] == (0.5, 0.5)
    assert places["0.5"] == (1.5, 2.5)
    bottom, top = axes.get_ylim()
    assert bottom > top  # the first row stands above, as a text reads


def test_texts_without_room_are_left_out_together():
    long = TEXTS.copy()
    long[2, 0] = "9" * 60
    assert not drawn(long)[2].texts
    assert drawn(width=PHONE_WIDTH)[2].texts


def test_names_and_legend_stand_on_the_page():
    _, page, _ = drawn()
    texts = {t.get_text() for t in page if isinstance(t, Text)}
    assert {"a", "b", "c", "part 1", "part 2", *LEGEND} == texts


def test_the_legend_has_the_shades_that_are_there_and_they_differ():
    texts = np.full((2, 1), "", dtype=object)
    sheet = Sheet({}, TEXT_WIDTH)
    with house_settings():
        draw_heat_map(sheet, np.array([[0], [2]]), texts, "ab", ("", "c"), LEGEND)
    told = {t.get_text() for t in sheet.drawing.findobj(Text)} & set(LEGEND)
    assert told == {"low", "high"}
    for is_dark in (False, True):
        shades = [np.array(to_rgba(Sheet({}, 9.0, is_dark=is_dark).colour(s))) for s in SHADES]
        for first, second in itertools.pairwise(shades):
            assert np.abs(first - second).max() > 0.1


def test_heads_of_columns_have_room():
    names = [f"a-long-name-of-candidate-{letter}" for letter in "abcdef"]
    sheet = Watched({}, TEXT_WIDTH)
    texts = np.full((6, 6), "1-2-3", dtype=object)
    with house_settings():
        draw_heat_map(sheet, np.zeros((6, 6), int), texts, names, ("", names), LEGEND)
    (page,) = sheet.drawing.artists
    heads = [t for t in page.get_children() if isinstance(t, Text) and t.get_rotation()]
    assert len({t.get_text() for t in heads}) == 6
    starts = sorted(t.get_position()[0] for t in heads)
    apart = np.diff(starts) * np.sin(np.radians(TURN))  # of leaning lines
    assert apart.min() > TICK
    for head in heads:
        reach = text_width(head.get_text(), TICK) * np.cos(np.radians(TURN))
        assert head.get_position()[0] + reach <= TEXT_WIDTH


def test_leaning_heads_are_whole():
    names = [*("boosting", "forest", "svm-linear", "naive-bayes"), *"abcdefgh"]
    sheet = Sheet({}, TEXT_WIDTH)
    texts = np.full((12, 12), "20-0-13", dtype=object)
    with house_settings():
        draw_heat_map(sheet, np.zeros((12, 12), int), texts, names, ("", names), LEGEND)
    found = [t.get_text() for t in sheet.drawing.findobj(Text)]
    assert all(found.count(name) == 2 for name in names)
