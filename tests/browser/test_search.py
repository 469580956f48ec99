"""A reader looks for words: they are found where they are, in folded parts, too."""

from __future__ import annotations

import re

import pytest

from tests.browser.devtools import Tab

pytestmark = pytest.mark.browser

FOUND = "document.querySelector('.found').textContent"
HERE = "[...CSS.highlights.get('here')].map(r => r.toString())"
ALL = "[...CSS.highlights.get('found')].map(r => r.toString())"


def look_for(tab: Tab, words: str) -> None:
    """Type words into the field."""
    tab.click("#search")
    tab.value("document.querySelector('#search').select()")
    tab.type(words)


def test_words_are_counted_shown_and_walked_through(whole: Tab) -> None:
    look_for(whole, "Data set")
    found = whole.value(ALL)
    assert len(found) > 5
    assert all(re.sub(r"\s+", " ", text).lower() == "data set" for text in found)
    assert whole.value(FOUND) == f"{len(found)} places"
    whole.key("Enter")
    assert whole.value(FOUND) == f"1 of {len(found)}"
    whole.key("Enter", shift=True)
    assert whole.value(FOUND) == f"{len(found)} of {len(found)}"
    top = "[...CSS.highlights.get('here')][0].getBoundingClientRect().top"
    assert 0 < whole.value(top) < 1000
    whole.tap(".seek button[aria-label='next place']")
    whole.wait(f"{FOUND}.startsWith('1 of')")
    whole.value("document.querySelector('#search').focus()")
    whole.key("Escape")
    assert whole.value("CSS.highlights.get('found').size") == 0
    assert whole.value(FOUND) == ""


def test_what_is_folded_opens(whole: Tab) -> None:
    whole.click("label[for=d-summary]")
    word = whole.value(
        "[...document.querySelectorAll('details.more:not([open]) td')]"
        ".map(e => e.textContent.trim()).find(t => t.length > 5)"
    )
    look_for(whole, word)
    whole.key("Enter", times=int(whole.value(FOUND).split()[0]))
    opened = "[...CSS.highlights.get('here')][0].startContainer.parentElement.closest('details')"
    assert whole.value(f"!!{opened} && {opened}.open")
    assert whole.value("document.querySelector('#d-article').checked")


def test_words_across_elements_and_signs(one: Tab) -> None:
    """A phrase may run through marks of names; a minus sign is found as a hyphen."""
    whole = one.value("document.querySelector('main p').textContent.replace(/\\s+/g, ' ').trim()")
    look_for(one, whole[:30])
    assert len(one.value(ALL)) == 1
    look_for(one, "no such words (anywhere [")
    assert one.value(FOUND) == "0 places"
    assert one.value("document.querySelector('.seek button').hidden")
