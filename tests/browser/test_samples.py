"""A reader redoes the analysis of the cars (Eugster 2011, 3.3): who lacks the modern one."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import numpy as np
import pytest

from reportgen.rendering.results_json import SCHEMA_FILE
from tests.browser.devtools import Tab

pytestmark = pytest.mark.browser

MODERN = 51  # the observation
NUMBER, WAY = "#samples input[type=number]", "#samples select"
SELECTED = "document.querySelector('#explorer').dataset.selected"
SHARES = "document.querySelector('#samples').dataset.shares.split(' ').map(Number)"
SAID = "document.querySelector('#samples [role=status]').textContent"
BARS, PLOT = "#samples .pane:nth-of-type(1) svg", "#samples .pane:nth-of-type(2) svg"
LEFT, TOP, HIGH = 42, 8, 214  # px: the plotting area
TENTH = 0.06  # px: curves are drawn to a tenth
ROUNDING = 6e-5  # of shares with four decimals


@pytest.fixture
def kept(cars_results: dict[str, Any]) -> dict[str, Any]:
    """Return what results.json has of the samples."""
    return dict(cars_results["samples"]["cars"])


def put(tab: Tab, selector: str, value: object, event: str) -> None:
    """Choose a value as a reader does."""
    found = f"document.querySelector({selector!r})"
    tab.value(f"{found}.value = '{value}'")
    tab.value(f"{found}.dispatchEvent(new Event({event!r}))")


def paths(tab: Tab, k: int) -> dict[int, list[tuple[float, float]]]:
    """Return the curves of a candidate that are drawn, by replication from 0."""
    drawn = tab.value(
        f"[...document.querySelectorAll('#samples .curves[data-c=\"{k}\"] path')]"
        ".map(p => [+p.dataset.b, p.getAttribute('d')])"
    )
    return {
        b: [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", d)]
        for b, d in drawn
    }


def test_shares_of_all_learning_samples(driven: Tab, kept: dict[str, Any]) -> None:
    times = np.array(kept["times"])
    assert driven.value(SHARES) == pytest.approx((times > 0).mean(axis=0).tolist(), abs=ROUNDING)
    assert times.sum(axis=1).tolist() == [times.shape[1]] * len(times)  # of a bootstrap


def test_replications_without_the_modern_car(driven: Tab, kept: dict[str, Any]) -> None:
    lacks = np.array(kept["times"])[:, MODERN - 1] == 0
    assert 2 < lacks.sum() < len(lacks) - 2
    driven.click(NUMBER)
    driven.type(str(MODERN))
    driven.value(f"document.querySelector({WAY!r}).focus()")
    driven.key("ArrowDown", times=2)
    assert driven.value(SELECTED) == str(lacks.sum())
    rest = (np.array(kept["times"])[lacks] > 0).mean(axis=0)
    assert driven.value(SHARES) == pytest.approx(rest.tolist(), abs=ROUNDING)
    driven.wait(
        f"{SAID}.startsWith('Observation 51: speed 30, dist 8. It is in {(~lacks).sum()} ')"
    )
    driven.wait(
        "document.querySelector('#explorer [role=status]').textContent"
        ".includes('without observation 51')"
    )
    # the figures above show the same replications
    marks = "[...document.querySelector('figure.fig svg.desk [data-r]').children]"
    shown = driven.value(f"{marks}.map(e => e.classList.contains('sel'))")
    assert shown == lacks.tolist()
    put(driven, WAY, 1, "change")
    assert driven.value(SELECTED) == str((~lacks).sum())
    driven.key("Escape")
    assert driven.value(SELECTED) == ""
    assert driven.value(f"document.querySelector({NUMBER!r}).value") == ""


def test_curves_are_those_of_the_results(driven: Tab, kept: dict[str, Any]) -> None:
    """Of the selected replications; one replication has its own alone."""
    lacks = np.flatnonzero(np.array(kept["times"])[:, MODERN - 1] == 0).tolist()
    put(driven, NUMBER, MODERN, "input")
    put(driven, WAY, 0, "change")
    dots = driven.value(
        f"[...document.querySelectorAll('{PLOT} circle')]"
        ".map(e => [+e.getAttribute('cx'), +e.getAttribute('cy')])"
    )
    values = np.array(kept["values"])
    across = np.polyfit(values[:, 0], [x for x, _ in dots], 1)
    up = np.polyfit(values[:, 1], [y for _, y in dots], 1)
    for k, curves in enumerate(kept["curves"].values()):
        drawn = paths(driven, k)
        assert sorted(drawn) == lacks
        step = (np.nanmax(np.array(kept["curves"]["spline"])) * abs(up[0])) / 65534
        for b in lacks[:3]:
            xs, ys = np.array(drawn[b]).T
            assert xs == pytest.approx(np.polyval(across, kept["grid"]), abs=TENTH)
            assert ys == pytest.approx(np.polyval(up, curves[b]), abs=TENTH + 2 * step)
    one = (
        "[...document.querySelectorAll('.controls label')]"
        ".find(e => e.textContent === 'one replication').querySelector('input')"
    )
    driven.value(f"{one}.value = {kept['replications'][lacks[0]]}")
    driven.value(f"{one}.dispatchEvent(new Event('input'))")
    assert all(sorted(paths(driven, k)) == [lacks[0]] for k in range(4))
    driven.wait(f"{SAID}.endsWith('in that of replication {lacks[0] + 1} 0 times.')")


def test_a_finger_picks_an_observation(driven: Tab, kept: dict[str, Any]) -> None:
    i = int(np.argmax(np.array(kept["values"])[:, 1]))  # the longest way
    driven.tap(f"{PLOT} circle:nth-of-type({i + 1})")
    driven.wait(f"document.querySelector({NUMBER!r}).value === '{i + 1}'")
    times = np.array(kept["times"])[:, i]
    driven.wait(
        f"{SAID}.includes('It is in {(times > 0).sum()} of {len(times)} learning samples.')"
    )
    assert driven.value(SELECTED) == ""


def test_pointing_at_a_bar_names_its_observation(driven: Tab, kept: dict[str, Any]) -> None:
    driven.move(*driven.middle(f"{BARS} rect:nth-of-type(20)"))
    driven.wait(f"{SAID}.startsWith('Observation 20: speed ')")
    driven.move(2, 500)
    driven.wait(f"{SAID}.startsWith('Choose an observation')")


def test_the_spline_is_near_by_chance(cars: Any) -> None:
    """Without the modern car its curves at 30 mph lie far apart, and some may pass near 8 ft."""
    (own,) = cars.samples
    lacks = own.times[:, MODERN - 1] == 0
    spline, lm = (own.curves[name][lacks, -1] for name in ("spline", "lm"))
    assert np.ptp(spline) > 5 * np.ptp(lm)
    assert np.abs(lm - 8).min() > 50
    assert np.abs(own.curves["spline"][~lacks, -1] - 8).max() < 20


def test_results_have_the_shape_of_the_schema(cars_results: dict[str, Any]) -> None:
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    jsonschema.validate(cars_results, schema)
    assert schema["properties"]["samples"]
    json.dumps(cars_results, allow_nan=False)


def test_a_report_without_samples_has_no_view(one: Tab) -> None:
    assert one.value("document.querySelector('#samples')") is None
