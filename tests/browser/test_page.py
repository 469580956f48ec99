"""What a reader does with a report in a browser: fold, link, save, copy, on any screen."""

from __future__ import annotations

import json
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reportgen.report import Report
from tests.browser.conftest import NAMES
from tests.browser.devtools import Browser, Tab

pytestmark = pytest.mark.browser

LINKED = "document.documentElement.classList.contains('linked')"
NAME = "figure.fig svg.desk [data-c='2'] text"
CHIP = ".chips button[data-c='2']"
SAVED = """(async () => {
  const found = []; const was = URL.createObjectURL;
  URL.createObjectURL = blob => { found.push(blob); return was(blob) };
  HTMLAnchorElement.prototype.click = () => {};
  document.querySelector('figure.fig .tools button[aria-label$="%s"]').click();
  for (let i = 0; i < 200 && !found.some(b => b.type === '%s'); i++)
    await new Promise(r => setTimeout(r, 20));
  const blob = found.find(b => b.type === '%s');
  return %s })()"""
COPY = """(async () => {
  let copied = null;
  Object.defineProperty(navigator, 'clipboard', {value: {writeText: async t => { copied = t }}});
  document.querySelector('figure.tab .copy button[aria-label$="%s"]').click();
  await new Promise(r => setTimeout(r, 50));
  return copied })()"""


def edge(tab: Tab, box: str) -> tuple[int, ...]:
    """Return the colour at the right edge of an element, below its last line."""
    x, y = tab.value(f"""(r => [Math.floor(r.right + scrollX) - 1,
      Math.floor(r.bottom + scrollY) - 1])({box}.getBoundingClientRect())""")
    clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
    found = tab.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
    return Image.open(BytesIO(b64decode(found["data"]))).convert("RGB").getpixel((0, 0))


# ------------------------------------------------------------------------------ safety


def test_a_script_that_is_not_the_files_own_does_not_run(
    browser: Browser, files: dict[str, Path]
) -> None:
    tab = browser.open(files["single"])
    script = "const s = document.createElement('script'); s.textContent = 'window.intruder = 1';"
    assert (
        tab.value(f"(() => {{{script} document.body.append(s); return window.intruder }})()")
        is None
    )
    assert any("Content Security Policy" in fault for fault in tab.faults)
    tab.close()


def test_names_stay_words(either: Tab) -> None:
    """They are an attack: an image that would be looked for, the end of a script."""
    assert either.value("document.images.length") == 0
    assert either.value("document.querySelectorAll('b.sonar, b > script').length") == 0
    assert either.value("[...document.querySelectorAll('.chips bdi')].map(e => e.textContent)") == [
        *NAMES
    ]
    heads = "[...document.querySelectorAll('.explorer tbody th bdi')].map(e => e.textContent)"
    assert either.value(heads) == [*NAMES]


# ------------------------------------------------------------------------------ links


def test_pointing_at_a_candidate_lights_it_everywhere_and_nothing_else(one: Tab) -> None:
    one.move(*one.middle(NAME))
    one.wait(LINKED)
    lit = "[...document.querySelectorAll('[data-c].on')]"
    assert one.value(f"[...new Set({lit}.map(e => e.dataset.c))]") == ["2"]
    places = f"new Set({lit}.map(e => e.closest('figure, .pane, table, .chips'))).size"
    assert one.value(places) >= 5
    faded = "getComputedStyle(document.querySelector('figure.fig svg.desk [data-c=\"1\"]')).opacity"
    assert float(one.value(faded)) < 0.3
    one.move(2, 500)
    one.wait(f"!{LINKED}")


def test_a_chip_is_pinned_by_the_keyboard_and_released_by_escape(either: Tab) -> None:
    either.middle(CHIP)
    either.value(f"document.querySelector({CHIP!r}).focus()")
    either.wait(LINKED)
    either.key("Enter")
    pressed = f"document.querySelector({CHIP!r}).getAttribute('aria-pressed')"
    assert either.value(pressed) == "true"
    either.value("document.activeElement.blur()")
    assert either.value(LINKED)
    either.key("Escape")
    assert not either.value(LINKED)
    assert either.value(pressed) == "false"


def test_a_click_keeps_a_candidate_until_the_next(one: Tab) -> None:
    one.click(NAME)
    one.move(2, 500)
    assert one.value(LINKED)
    one.click(NAME)
    one.move(2, 500)
    one.wait(f"!{LINKED}")


def test_a_row_of_a_table_is_linked_by_its_head(one: Tab) -> None:
    rows = "[...document.querySelectorAll('figure.tab .num tbody tr')].map(r => r.dataset.c)"
    assert one.value(rows)[: len(NAMES)] == [str(k) for k in range(len(NAMES))]


# ------------------------------------------------------------------------------ folding


def test_the_switch_shows_less_and_more(either: Tab) -> None:
    shown = "getComputedStyle(document.querySelector('#methods')).display"
    assert either.value(shown) == "block"
    either.click("label[for=d-summary]")
    assert either.value(shown) == "none"
    assert either.value("getComputedStyle(document.querySelector('h1')).display") == "block"
    either.click("label[for=d-all]")
    folded = "[...document.querySelectorAll('details.more')].map(e => e.open)"
    assert set(either.value(folded)) == {True}
    either.click("label[for=d-article]")
    assert set(either.value(folded)) == {False}


def test_the_switch_is_moved_by_arrow_keys(one: Tab) -> None:
    one.value("document.querySelector('#d-article').focus()")
    one.key("ArrowRight")
    assert one.value("document.querySelector('#d-all').checked")
    assert one.value("document.querySelector('details.more').open")


def test_a_link_opens_what_it_leads_to(many: Tab) -> None:
    many.click("label[for=d-summary]")
    link = many.value("document.querySelectorAll('.picker a')[2].hash")
    many.value(f"location.hash = {link!r}")
    many.wait(f"document.querySelector({link!r}).closest('details').open")
    assert many.value("document.querySelector('#d-article').checked")
    top = f"document.querySelector({link!r}).getBoundingClientRect().top"
    many.wait(f"{top} >= 0 && {top} < 900")
    assert (
        many.value("document.querySelector('.explorer select').selectedOptions[0].textContent")
        == "glass"
    )


# ------------------------------------------------------------------------------ saving


def test_a_figure_is_saved_with_its_fonts_and_without_variables(one: Tab) -> None:
    text = one.value(SAVED % ("SVG", "image/svg+xml", "image/svg+xml", "await blob.text()"))
    assert text.startswith("<svg")
    assert "@font-face" in text
    assert "var(" not in text
    assert "RG Serif" not in text


def test_a_figure_is_saved_as_picture_three_times_as_large(one: Tab) -> None:
    size = "await createImageBitmap(blob).then(i => [i.width, i.height])"
    width, height = one.value(SAVED % ("PNG", "image/png", "image/png", size))
    assert (width, height) == (3 * 612, 3 * 200)


def test_a_table_is_copied_as_csv(one: Tab) -> None:
    lines = one.value(COPY % "CSV").split("\n")
    assert lines[0] == "Candidate,Mean,Interval"
    assert [line.split(",")[0] for line in lines[1:]] == [*NAMES]


def test_a_table_is_copied_as_latex(one: Tab) -> None:
    text = one.value(COPY % "LaTeX")
    assert text.startswith(
        "\\begin{tabular}{lrr}\n\\toprule\nCandidate & Mean & Interval \\\\\n\\midrule"
    )
    assert text.endswith("\\bottomrule\n\\end{tabular}")


def test_a_table_is_copied_as_markdown(one: Tab) -> None:
    lines = one.value(COPY % "Markdown").split("\n")
    assert lines[:2] == ["| Candidate | Mean | Interval |", "| --- | ---: | ---: |"]
    assert lines[3].startswith("| \\<img src=x onerror=alert(1)> |")


# ------------------------------------------------------------------------------ screens


@pytest.mark.parametrize("width", [320, 390, 700, 1000, 1280])
def test_no_screen_scrolls_sideways(either: Tab, width: int) -> None:
    either.resize(width)
    either.click("label[for=d-all]")
    assert either.value("document.documentElement.scrollWidth") <= width
    smallest = """Math.min(...[...document.querySelectorAll('.pane text')].map(
        e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a))"""
    assert either.value(smallest) >= 10  # px: 7.5 pt


def test_tables_on_phones_stand_in_the_column_of_the_text(either: Tab) -> None:
    either.resize(390)
    either.click("label[for=d-all]")
    boxes = "[...document.querySelectorAll('.tab .scroll')].filter(e => e.checkVisibility())"
    ends = either.value(f"{boxes}.map(e => e.getBoundingClientRect().right)")
    (text,) = set(either.value("[document.querySelector('main h2').getBoundingClientRect().right]"))
    assert len(ends) > 1
    assert max(ends) <= text + 1


def test_controls_are_large_enough_to_be_tapped(one: Tab) -> None:
    one.resize(390)
    found = "[...document.querySelectorAll('.explorer :is(button, select, input), .depth label')]"
    assert np.min(one.value(f"{found}.map(e => e.getBoundingClientRect().height)")) >= 24


@pytest.mark.parametrize("name", ["single", "several"])
def test_without_scripts_all_can_be_read(
    browser: Browser, files: dict[str, Path], name: str
) -> None:
    tab = browser.open(files[name], scripts=False, width=390)
    for selector in ("figure.fig .plots", "figure.tab table", "#methods"):
        assert tab.value(f"document.querySelector({selector!r}).getBoundingClientRect().height") > 0
    hidden = (
        "[...document.querySelectorAll('.js')].every(e => getComputedStyle(e).display === 'none')"
    )
    assert tab.value(hidden)
    folded = "document.querySelector('details.more table').getBoundingClientRect().height"
    tab.click("label[for=d-all]")
    assert tab.value(folded) > 0
    tab.click("label[for=d-summary]")
    assert tab.value("getComputedStyle(document.querySelector('#methods')).display") == "none"
    assert tab.value("document.documentElement.scrollWidth") <= 390
    assert tab.faults == []
    tab.close()


def test_the_theme_changes_and_is_named(one: Tab) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    before = one.value(ground)
    one.click("#theme")
    assert one.value(ground) != before
    assert (
        one.value("document.querySelector('#theme').getAttribute('aria-label')")
        == "Use light colours"
    )


def test_the_data_are_json_of_the_report(single: Report, one: Tab) -> None:
    found = json.loads(one.value("document.querySelector('#rg-data').textContent"))
    assert [s["B"] for s in found["sets"]] == [len(single.performances[0].values)]


ROUNDING = 1  # of 255 levels: tables end within a pixel, whose colour is blended


def _apart(colour: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Return the largest difference of two colours."""
    return max(abs(a - b) for a, b in zip(colour, other, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_has_a_shadow_where_it_goes_on(
    browser: Browser, files: dict[str, Path], scheme: str
) -> None:
    tab = browser.open(files["domain"], width=390)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    tab.call("Emulation.setEmulatedMedia", features=features)
    boxes = "[...document.querySelectorAll('.tab .scroll')].filter(e => e.checkVisibility())"
    wide, narrow = (
        f"{boxes}.find(e => e.scrollWidth {which} e.clientWidth)" for which in (">", "===")
    )
    paper = edge(tab, narrow)
    assert _apart(edge(tab, wide), paper) > 3 * ROUNDING
    tab.value(f"{wide}.scrollLeft = 1e4")
    assert _apart(edge(tab, wide), paper) <= ROUNDING
    tab.close()
