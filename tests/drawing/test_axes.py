"""The axes of a sheet: ticks are made where one is drawn, and drawn as matplotlib's own."""

from __future__ import annotations

from xml.etree.ElementTree import tostring

import pytest
from matplotlib.axes import Axes

from reportgen.drawing import Sheet, candidate_styles
from reportgen.drawing import page as pages
from reportgen.drawing.style import house_settings


def made(axes: Axes) -> dict[str, int]:
    """Count the ticks that axes have, of both axes and kinds."""
    found = {"x": vars(axes.xaxis), "y": vars(axes.yaxis)}
    return {
        f"{which} {kind}": len(own[kind])
        for which, own in found.items()
        for kind in ("majorTicks", "minorTicks")
        if kind in own
    }


def drawn(sheet: Sheet) -> str:
    """Draw ticks, styled before and after they are there, lines from them, and a log scale."""
    sheet.begin(200)
    first = sheet.axes(30, 20, 5, 120)
    first.grid(visible=True, axis="y", color=sheet.colour("rule"), lw=0.5)
    first.tick_params(axis="x", length=5)
    first.set(xlim=(0, 4), ylim=(0, 1), yticks=[0.25, 1.5])
    first.set_xticks([0, 1, 3.5], ["none", "one", "many"])
    first.tick_params(axis="x", labelcolor=sheet.colour("ink"), pad=6)
    second = sheet.axes(30, 110, 5, 20)
    second.set(xlim=(1, 1000), xscale="log", yticks=[])
    second.minorticks_off()
    third = sheet.axes(30, 110, 5, 50)
    third.set_xticks([0.1, 0.5], minor=True)
    third.set(ylabel="a name")
    third.tick_params(reset=True, axis="y", colors=sheet.colour("ink"))
    return tostring(sheet.elements(), encoding="unicode")


def test_axes_make_the_ticks_that_are_drawn():
    sheet = Sheet(candidate_styles(["a"]), 300)
    with house_settings():
        sheet.begin(100)
        axes = sheet.axes(10, 10, 10, 10)
        assert made(axes) == {}
        axes.set(xlim=(0, 3), yticks=[])
        axes.set_xticks([1, 2], ["one", "two"])
        sheet.elements()
    assert made(axes) == {"x majorTicks": 2}


def test_late_ticks_are_drawn_as_matplotlibs(monkeypatch: pytest.MonkeyPatch):
    styles = candidate_styles(["a"])
    with house_settings():
        own = drawn(Sheet(styles, 300))
        monkeypatch.setattr(pages, "SheetAxes", Axes)
        assert own == drawn(Sheet(styles, 300))
    assert "many" in own
    assert "clip-path" in own
