"""A reader selects among the replications: what is shown is what the values say."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from reportgen.report import Report
from reportgen.stats.descriptive import place_counts, shared_places
from reportgen.warehouse import Performances
from tests.browser.conftest import NAMES, B
from tests.browser.devtools import Tab

pytestmark = pytest.mark.browser

EXPLORER = "document.querySelector('.explorer')"
DATA = "JSON.parse(document.querySelector('#rg-data').textContent)"
SELECTED = f"{EXPLORER}.dataset.selected"
STATUS = f"{EXPLORER}.querySelector('[role=status]').textContent"
PANE = ".pane.brush svg"
FIELDS = "[...document.querySelectorAll('.controls label')]"
TENTH = 0.11  # px: dots are placed to a tenth
SCREEN = 0.5  # px: half a pixel of a bar's height
TOP, HIGH = 8, 214  # px: the panes' plotting area


def field(name: str) -> str:
    """Return the input of a field, as an expression in the page."""
    return f"{FIELDS}.find(e => e.textContent.startsWith({name!r})).querySelector('input, select')"


def put(tab: Tab, name: str, value: object) -> None:
    """Choose a value of a field as a reader does."""
    event = "change" if tab.value(f"{field(name)}.tagName") == "SELECT" else "input"
    tab.value(f"{field(name)}.value = {value!r}")
    tab.value(f"{field(name)}.dispatchEvent(new Event({event!r}, {{bubbles: true}}))")


def places_of(found: Performances) -> np.ndarray:
    """Return the places of all candidates, of those of incomplete replications -1."""
    taken = np.full(found.values.shape, -1)
    whole = found.is_complete
    taken[whole] = shared_places(found.values[whole], found.measure.is_smaller_better)
    return taken


def drag(tab: Tab, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag over the left pane, from share to share of its width and its plot's height."""
    tab.middle(PANE)
    box = f"document.querySelector({PANE!r}).getBoundingClientRect()"
    x, y, width, height = tab.value(
        f"(() => {{ const r = {box}; return [r.x, r.y, r.width, r.height] }})()"
    )
    scale = height / tab.value(f"document.querySelector({PANE!r}).viewBox.baseVal.height")
    ends = [(x + u * width, y + scale * (TOP + v * HIGH)) for u, v in (start, end)]
    tab.move(*ends[0])
    tab.press(*ends[0])
    for t in (0.3, 0.7, 1.0):
        tab.move(*(a + t * (b - a) for a, b in zip(*ends, strict=True)), buttons=1)
    tab.release(*ends[1])


def expected(tab: Tab, found: Performances, who: str | None = None) -> np.ndarray:
    """Return which replications the fields ask for, by the report's own values."""
    low, high = (
        int(tab.value(f"{field(name)}.value")) / 1000 for name in ("value from", "value to")
    )
    first, last = (int(tab.value(f"{field(name)}.value")) for name in ("from place", "to place"))
    axis = f"{DATA}.sets[0].m"
    j = int(tab.value(f"{field('select by')}.value"))
    ends = tab.value(f"(m => [m.axis.lo, m.axis.hi, m.axis.factor, m.log])({axis}[{j}])")
    lo, hi, factor, is_log = ends
    at = [lo * (hi / lo) ** f if is_log else lo + f * (hi - lo) for f in (low, high)]
    taken, values = places_of(found), found.values * factor
    is_in = (taken >= first + 1) & (taken <= last + 1) & (values >= at[0]) & (values <= at[1])
    columns = slice(None) if who is None else [NAMES.index(who)]
    return is_in[:, columns].any(axis=1)


def test_a_drag_selects_what_the_values_say(one: Tab, single: Report) -> None:
    drag(one, (0.15, 0.5), (0.4, 0.9))
    kept = expected(one, single.performances[0])
    assert 0 < kept.sum() < B
    one.wait(f"{SELECTED} === '{kept.sum()}'")
    # the fields say the same as the brush
    assert one.value(f"{field('to place')}.value") != str(len(NAMES) - 1)
    assert 0 < int(one.value(f"{field('value to')}.value")) < 1000
    one.wait(f"{STATUS}.startsWith('{kept.sum()} of {B} replications selected: any candidate')")
    # the other plot draws a line for each that is complete by its measure
    lines = "document.querySelectorAll('.pane')[1].querySelector('.pick path').getAttribute('d')"
    assert one.value(lines).count("M") == kept.sum()


def test_the_figures_above_show_the_same_replications(one: Tab, single: Report) -> None:
    put(one, "to place", 1)
    put(one, "value to", 300)
    kept = expected(one, single.performances[0])
    assert 0 < kept.sum() < B
    groups = "[...document.querySelectorAll('figure.fig svg.desk [data-r]')]"
    shown = f"{groups}.map(g => [...g.children].map(e => e.classList.contains('sel')))"
    for marks in one.value(shown):
        assert marks == kept.tolist()


def test_a_line_of_a_figure_is_a_replication_everywhere(one: Tab) -> None:
    one.middle("figure.fig svg.desk")
    line = "document.querySelector('figure.fig svg.desk [data-r]:not([data-c])').children[7]"
    one.value(f"{line}.dispatchEvent(new PointerEvent('pointerover', {{bubbles: true}}))")
    assert one.value(f"{field('one replication')}.value") == "8"
    assert one.value("[...document.querySelectorAll('.pane .hover')].every(g => g.children.length)")
    one.wait(f"{STATUS}.startsWith('Replication 8: ')")


def test_counts_are_those_of_the_places(one: Tab, single: Report) -> None:
    """A place is counted as in the article: those that tie share the better one."""
    n = int(single.performances[0].is_complete.sum())
    assert n < B
    one.value(f"{EXPLORER}.querySelector('.clear').click()")
    one.wait(f"{STATUS}.endsWith('; places are of the {n} in which all candidates have a value.')")
    for j, pane in enumerate((".pane.brush", ".pane:not(.brush)")):
        taken = places_of(single.performances[j])
        counts = place_counts(taken[(taken > 0).all(axis=1)])
        heights = one.value(
            f"[...document.querySelectorAll('{pane} .base g')].map(g => [g.dataset.c,"
            "[...g.querySelectorAll('rect')].map(e => +e.getAttribute('height'))])"
        )
        for k, found in heights:
            theirs = counts[:, int(k)]
            wanted = np.maximum(1, theirs[theirs > 0] / counts.max() * 40)
            assert found == pytest.approx(wanted.tolist(), abs=SCREEN)


def test_dots_stand_at_their_values(one: Tab, single: Report) -> None:
    found = single.performances[0]
    kept = found.values[found.is_complete]
    axis = one.value(f"{DATA}.sets[0].m[0].axis")
    lo, hi, factor = (axis[name] for name in ("lo", "hi", "factor"))
    path = one.value("document.querySelector('.pane .base g[data-c=\"0\"] path').getAttribute('d')")
    ys = [float(y) for y in re.findall(r"M\S+ (\S+?)h0", path)]
    wanted = TOP + HIGH - (kept[:, 0] * factor - lo) / (hi - lo) * HIGH
    assert ys == pytest.approx(wanted.tolist(), abs=TENTH)


def test_the_table_has_the_means_of_the_selected(one: Tab, single: Report) -> None:
    put(one, "whose", 2)
    put(one, "to place", 0)
    errors, times = single.performances
    kept = expected(one, errors, NAMES[2])
    assert kept.sum() > 1
    rows = one.value(
        "[...document.querySelectorAll('#explorer tbody tr')]"
        ".map(r => [...r.cells].map(c => c.textContent.trim()))"
    )
    best = errors.values == np.nanmin(errors.values, axis=1, keepdims=True)
    whole = errors.is_complete & kept
    for k, row in enumerate(rows):
        assert row[0] == NAMES[k]
        assert float(row[1]) == pytest.approx(100 * np.nanmean(errors.values[:, k]), abs=0.0051)
        assert float(row[2]) == pytest.approx(100 * np.nanmean(errors.values[kept, k]), abs=0.0051)
        assert int(row[3]) == best[whole, k].sum()
        assert float(row[4]) == pytest.approx(times.values[:, k].mean(), abs=0.0006)  # s, rounded


@pytest.mark.parametrize(("low", "high", "last"), [*product([0, 200], [400, 700], [0, 2])])
def test_fields_alone_select_what_the_values_say(
    one: Tab, single: Report, low: int, high: int, last: int
) -> None:
    for j, measure in enumerate(single.performances):
        put(one, "select by", j)
        put(one, "to place", last)
        put(one, "value from", low)
        put(one, "value to", high)
        kept = expected(one, measure)
        assert one.value(SELECTED) == str(kept.sum())


def test_arrow_keys_select_and_clear_releases(either: Tab) -> None:
    either.middle(PANE)
    either.value(f"{field('value from')}.focus()")
    either.key("ArrowRight", times=40)
    assert int(either.value(f"{field('value from')}.value")) == 200
    n = either.value(SELECTED)
    assert int(n) > 0
    either.wait(f"/^{n} of \\d+ replications selected/.test({STATUS})")
    assert "%" in either.value(f"{field('value from')}.getAttribute('aria-valuetext')")
    either.click(".controls .clear")
    assert either.value(SELECTED) == ""
    either.wait(f"{STATUS}.startsWith('All ')")


def test_escape_releases_the_selection(one: Tab) -> None:
    put(one, "to place", 0)
    put(one, "value to", 200)
    assert one.value(SELECTED) != ""
    one.key("Escape")
    assert one.value(SELECTED) == ""


def test_a_click_beside_all_marks_clears(one: Tab) -> None:
    drag(one, (0.15, 0.5), (0.4, 0.9))
    assert one.value(SELECTED) != ""
    drag(one, (0.3, 0.01), (0.3, 0.01))
    assert one.value(SELECTED) == ""


def test_one_replication_by_its_number(one: Tab, single: Report) -> None:
    put(one, "one replication", 7)
    lines = (
        "[...document.querySelectorAll('.pane .hover')].map(g => g.querySelectorAll('use').length)"
    )
    assert one.value(lines) == [len(NAMES)] * 2
    errors = single.performances[0]
    first = NAMES[int(np.argmin(places_of(errors)[6]))]
    value = f"{100 * errors.values[6].min():.2f}%"
    one.wait(f"{STATUS}.startsWith({f'Replication 7: misclassification error {first} {value}'!r})")
    put(one, "one replication", 5)  # which lacks a value
    one.wait(f"{STATUS}.includes('misclassification error incomplete')")
    put(one, "one replication", 7000)
    assert one.value(lines) == [0, 0]


def test_larger_is_better_where_the_measure_says_so(many: Tab, several: Report) -> None:
    found = several.performances[0]
    rows = many.value(
        "[...document.querySelectorAll('#explorer tbody tr')].map(r => +r.cells[3].textContent)"
    )
    best = found.values == found.values.max(axis=1, keepdims=True)
    assert rows == best.sum(axis=0).tolist()


def test_data_sets_are_chosen_by_hand(many: Tab) -> None:
    chosen = "document.querySelector('.explorer select').selectedOptions[0].textContent"
    many.click(".steps button[aria-label='next data set']")
    assert many.value(chosen) == "</script><b>sonar"
    many.wait(f"{STATUS}.includes('of </script><b>sonar')")
    many.click(".steps button[aria-label='previous data set']")
    many.click(".steps button[aria-label='previous data set']")
    assert many.value(chosen) == "glass"
    current = "document.querySelector('.picker a[aria-current]').textContent"
    assert many.value(current) == "glass"


def test_figures_of_several_data_sets_do_not_follow_a_selection(many: Tab) -> None:
    put(many, "to place", 0)
    put(many, "value to", 500)
    assert many.value("document.querySelectorAll('.plots .sel').length") == 0


def test_a_phone_has_the_plots_one_below_the_other(one: Tab) -> None:
    one.resize(390)
    tops = "[...document.querySelectorAll('.pane')].map(e => e.getBoundingClientRect().top)"
    first, second = one.value(tops)
    assert second > first + 200
    drag(one, (0.2, 0.5), (0.5, 0.9))
    assert int(one.value(SELECTED)) > 0


def test_a_finger_selects_what_the_values_say(one: Tab, single: Report) -> None:
    one.middle(PANE)
    box = one.value(
        f"(() => {{ const r = document.querySelector({PANE!r}).getBoundingClientRect();"
        "return [r.x, r.y, r.width] })()"
    )
    x, y, width = box
    one.swipe((x + 0.15 * width, y + 110), (x + 0.4 * width, y + 200))
    kept = expected(one, single.performances[0])
    assert 0 < kept.sum() < B
    one.wait(f"{SELECTED} === '{kept.sum()}'")


def test_a_finger_pins_a_candidate(one: Tab) -> None:
    one.tap(".chips button[data-c='1']")
    chip = "document.querySelector(\".chips button[data-c='1']\")"
    one.wait(f"{chip}.getAttribute('aria-pressed') === 'true'")
    assert one.value("document.documentElement.classList.contains('linked')")
