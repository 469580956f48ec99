"""What an automatic examination finds that keeps people from a report: nothing (WCAG 2.2 AA)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.axe import TAGS, axe_script
from tests.browser.devtools import Browser

pytestmark = pytest.mark.browser

RUN = f"""axe.run(document, {{runOnly: {{type: 'tag', values: {json.dumps(TAGS)}}}}})
  .then(r => r.violations.map(v => [v.id, v.help, v.nodes.length, v.nodes[0].html.slice(0, 200),
    v.nodes[0].failureSummary.slice(0, 300)]))"""
MOVE = """(() => { const e = document.querySelector('#pairs input[type=range]');
  if (e) { e.value = 40; e.dispatchEvent(new Event('input')) } })()"""
LOOK = """(() => { const e = document.querySelector('#search'); e.value = 'error';
  e.dispatchEvent(new Event('input')) })()"""


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the program that examines."""
    return axe_script()


@pytest.mark.parametrize("name", ["single", "several", "domain", "cars"])
def test_nothing_is_found(browser: Browser, files: dict[str, Path], axe: str, name: str) -> None:
    """On a light phone, and where all is unfolded and explored on a dark screen."""
    tab = browser.open(files[name], width=390)
    tab.wait("document.querySelector('.pane .base path')")
    tab.value(axe)
    found = {"phone, light": tab.value(RUN)}
    tab.resize(1280)
    tab.click("label[for=d-all]")
    tab.value(MOVE)
    tab.value(LOOK)
    tab.click("#theme")
    found["dark, all, explored"] = tab.value(RUN)
    assert {state: faults for state, faults in found.items() if faults} == {}
    assert tab.faults == []
    tab.close()
