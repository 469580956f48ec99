"""The list of studies in a browser: search, colours, screens, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.rendering.site import write_site
from reportgen.report import Report
from tests.browser.axe import axe_script
from tests.browser.conftest import FOLDERS
from tests.browser.devtools import Browser, Tab
from tests.browser.serving import JENKINS, served
from tests.browser.test_accessibility import RUN
from tests.rendering.test_site import dated, put

pytestmark = pytest.mark.browser

SHOWN = "[...document.querySelectorAll('.study')].filter(e => e.offsetHeight).map(e => e.id)"


@pytest.fixture(scope="module")
def output(
    tmp_path_factory: pytest.TempPathFactory, single: Report, several: Report, domain: Report
) -> Path:
    """Return a folder of runs."""
    output = tmp_path_factory.mktemp("output")
    gates = {"gates": [{"claim": "a", "outcome": "pass"}]}
    put(output / "one", dated(single, "one", "2026-01-03T00:00:00Z"), FOLDERS, "folder")
    put(output / "two", dated(several, "<b>two", "2026-01-02T00:00:00Z"), FOLDERS, "folder")
    more = dated(domain, "three", "2026-01-01T00:00:00Z")
    put(output / "three", more, FOLDERS, "folder", expectations=gates)
    return output


@pytest.fixture(scope="module")
def index(output: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of the list."""
    return write_site(output, tmp_path_factory.mktemp("site"))[0]


@pytest.fixture
def tab(browser: Browser, index: Path) -> Iterator[Tab]:
    """Open the list; nothing may go wrong in it."""
    tab = browser.open(index)
    yield tab
    assert tab.faults == []
    tab.close()


def test_words_are_looked_for_in_all_that_an_entry_says(tab: Tab) -> None:
    assert tab.value(SHOWN) == ["one", "two", "three"]
    tab.click("#search")
    tab.type("SIGNIFICANT  8 data")
    assert tab.value(SHOWN) == ["three"]
    assert tab.value("document.querySelector('.find [role=status]').textContent") == "1 of 3"
    tab.type("zzz")
    assert tab.value(SHOWN) == []


def test_names_are_words(tab: Tab) -> None:
    assert tab.value("document.querySelector('#two h2').textContent") == "<b>two"
    assert tab.value("document.querySelectorAll('h2 b').length") == 0


@pytest.mark.parametrize("width", [320, 700, 1280])
def test_no_screen_scrolls_sideways(tab: Tab, width: int) -> None:
    tab.resize(width)
    assert tab.value("document.documentElement.scrollWidth") <= width


def test_the_theme_changes(tab: Tab) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    before = tab.value(ground)
    tab.click("#theme")
    assert tab.value(ground) != before


def test_an_automatic_examination_finds_nothing(tab: Tab) -> None:
    tab.value(axe_script())
    assert tab.value(RUN) == []
    tab.click("#theme")
    assert tab.value(RUN) == []


def test_without_scripts_it_is_a_list(browser: Browser, index: Path) -> None:
    tab = browser.open(index, scripts=False)
    assert tab.value(SHOWN) == ["one", "two", "three"]
    assert tab.value("getComputedStyle(document.querySelector('.find')).display") == "none"
    assert tab.faults == []
    tab.close()


def test_a_host_that_forbids_all_shows_the_list_and_its_reports(
    browser: Browser, output: Path, tmp_path: Path
) -> None:
    write_site(output, tmp_path, form="folder")
    with served(tmp_path, JENKINS) as address:
        there = {
            "index.html": "document.querySelectorAll('.study').length === 3",
            "three/report.html": "document.images.length && document.images[0].naturalWidth > 0",
        }
        for path, is_there in there.items():
            tab = browser.open(f"{address}/{path}")
            tab.wait(is_there)
            assert tab.faults == []
            tab.close()
