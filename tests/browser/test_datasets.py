"""A data set that is pointed at stands out in all figures and tables of a domain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.devtools import Tab

pytestmark = pytest.mark.browser

PLACED = "document.documentElement.classList.contains('placed')"
AT = "[...new Set([...document.querySelectorAll('[data-d].at')].map(e => e.dataset.d))]"
FIGURES = """[...new Set([...document.querySelectorAll('figure.fig svg.desk .at')]
  .map(e => e.closest('figure').id.split('-').at(-2)))]"""
FRAMES = "document.querySelectorAll('.frame').length"


def figure_of(tab: Tab, name: str) -> str:
    """Return the selector of the drawing of a figure."""
    found = tab.value(
        f"[...document.querySelectorAll('figure.fig')].map(f => f.id).find(i => /{name}/.test(i))"
    )
    assert found
    return f"#{found} svg.desk"


def names_in(tab: Tab, selector: str) -> list[str]:
    """Return the data sets that a drawing has, in its order."""
    found: list[str] = tab.value(
        f"[...document.querySelectorAll('{selector} g[data-d]')].map(e => e.dataset.d)"
    )
    return found


def test_marks_and_names_are_those_of_the_results(
    whole: Tab, domain_results: dict[str, Any]
) -> None:
    found = domain_results["sections"]["domain"]
    assert names_in(whole, figure_of(whole, "bsplot")) == [row["name"] for row in found["rows"]]
    assert names_in(whole, figure_of(whole, "interaction")) == list(found["interaction"]["levels"])
    candidates = domain_results["design"]["candidates"]
    for name, own in found["regret"]["candidates"].items():
        k = candidates.index(name)
        marks = whole.value(
            f"[...document.querySelectorAll('{figure_of(whole, 'regret')} [data-c=\"{k}\"] use')]"
            ".filter(e => e.dataset.d).map(e => [e.dataset.d, e.getBoundingClientRect().x])"
        )
        assert {d for d, _ in marks} == set(own["datasets"])
        losses = [own["datasets"][d] for d, _ in marks]
        assert losses == sorted(losses)
        worst = max(marks, key=lambda mark: mark[1])
        assert own["datasets"][worst[0]] == own["worst"]


def test_pointing_at_a_name_lights_its_data_set_everywhere(whole: Tab) -> None:
    plot = figure_of(whole, "bsplot")
    name = names_in(whole, plot)[2]
    whole.move(*whole.middle(f"{plot} g[data-d='{name}'] text"))
    whole.wait(PLACED)
    assert whole.value(AT) == [name]
    assert {"bsplot", "interaction", "regret"} <= {
        part for f in whole.value(FIGURES) for part in f.split("-")
    }
    assert whole.value(FRAMES) == 2  # before the row of the summary plot, and of the affinities
    faded = f"{figure_of(whole, 'regret')} use[data-d]:not([data-d='{name}'])"
    assert float(whole.value(f'getComputedStyle(document.querySelector("{faded}")).opacity')) < 0.3
    whole.move(2, 500)
    whole.wait(f"!{PLACED} && {FRAMES} === 0")


def test_a_finger_keeps_it_and_the_explorer_follows(whole: Tab) -> None:
    plot = figure_of(whole, "interaction")
    name = names_in(whole, plot)[-1]
    whole.tap(f"{plot} g[data-d='{name}'] text")
    whole.wait(PLACED)
    chosen = "document.querySelector('#explorer select').selectedOptions[0].textContent"
    assert whole.value(chosen) == name
    whole.value(
        "document.querySelector('h1')"
        ".dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    assert whole.value(AT) == [name]
    whole.key("Escape")
    assert not whole.value(PLACED)


def test_keys_choose_a_data_set(whole: Tab) -> None:
    """By the explorer's field, and by the links of tables."""
    whole.value("document.querySelector('#explorer select').focus()")
    whole.key("ArrowDown")
    name = whole.value("document.querySelector('#explorer select').selectedOptions[0].textContent")
    whole.wait(f"{AT}[0] === '{name}'")
    whole.key("Escape")
    link = "document.querySelector('tr[data-d] a.data')"
    whole.value(f"{link}.closest('details') && ({link}.closest('details').open = true)")
    whole.value(f"{link}.focus()")
    assert whole.value(AT) == [whole.value(f"{link}.textContent")]
    assert whole.value(f"{link}.closest('tr').classList.contains('at')")
