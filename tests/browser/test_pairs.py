"""A reader looks for pairs, and takes another area of equivalence: the results say the same."""

from __future__ import annotations

import csv
import gzip
import io
import json
from base64 import b64decode
from collections import Counter
from math import log
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from reportgen.rendering import explorer_data, page
from reportgen.report import Report
from reportgen.stats.decisions import decide, decision_words
from tests.browser.devtools import Browser, Tab
from tests.made_up import FOUR

pytestmark = pytest.mark.browser

PAIRS = "document.querySelector('#pairs')"
ROWS = """[...document.querySelectorAll('#pairs tbody tr')].map(r => [
  ...[...r.querySelectorAll('bdi')].map(e => e.textContent),
  r.cells[2].textContent, r.cells[3].textContent])"""
SLIDER = "#pairs input[type=range]"
WHO = "#pairs .controls label:nth-of-type(2) select"
OPEN = "#pairs input[type=checkbox]"
STEPS = 200  # of the slider
GIVEN = '<script type="application/json" id="rg-data">'
ERROR = "misclassification"


def verdict(
    found: dict[str, Any], dataset: str | None = None, measure: str = ERROR
) -> list[dict[str, Any]]:
    """Return the verdicts of results.json on the pairs of a measure."""
    domain, inference = found["sections"]["domain"], found["sections"]["inference"]
    own = domain["verdict"] if dataset is None else inference[dataset]
    return list(own[measure]["pairs"])


def farthest(pairs: list[dict[str, Any]]) -> float:
    """Return the bound farthest from no difference, of ratios its logarithm."""
    level = log if pairs[0]["scale"] == "ratio" else float
    return max(abs(level(p[x])) for p in pairs for x in ("lower", "upper"))


def expected(pair: dict[str, Any], area: float) -> str:
    """Decide on a pair of results.json by another area."""
    is_ratio = pair["scale"] == "ratio"
    low, high = (log(pair[x]) if is_ratio else pair[x] for x in ("lower", "upper"))
    found = decide(low, high, (-area, area) if area else None)
    way = 0 if not pair["significant"] else 1 if pair["estimate"] < (1 if is_ratio else 0) else -1
    return decision_words(found, way)


def shown(tab: Tab) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the decisions of the rows, now and in the report."""
    return {(a, b): (now, was) for a, b, now, was in tab.value(ROWS)}


def compare(tab: Tab, pairs: list[dict[str, Any]], area: float) -> Counter[str]:
    """Check that all pairs are decided by an area; return the decisions."""
    rows, words = shown(tab), Counter[str]()
    assert len(rows) == len(pairs)
    for pair in pairs:
        names = (pair["first"], pair["second"])
        word = expected(pair, area)
        if names not in rows:
            names = names[::-1]
            word = {"better": "worse", "worse": "better"}.get(word.split(",")[0], word.split(",")[0]
            ) + word[len(word.split(",")[0]) :]  # fmt: skip
        assert rows[names][0] == word
        words[word] += 1
    return words


def slide(tab: Tab, step: int) -> None:
    """Move the slider."""
    tab.value(f"document.querySelector({SLIDER!r}).value = {step}")
    tab.value(f"document.querySelector({SLIDER!r}).dispatchEvent(new Event('input'))")


def test_pairs_are_shown_as_the_report_decides(whole: Tab, domain_results: dict[str, Any]) -> None:
    rows = shown(whole)
    pairs = verdict(domain_results)
    assert len(rows) == len(pairs) == len(FOUR) * (len(FOUR) - 1) / 2
    assert all(now == was for now, was in rows.values())
    said = Counter(was.split(",")[0] for _, was in rows.values())
    counts = Counter(p["decision"].split("-")[0] for p in pairs)
    assert said["not significant"] == counts["undecided"]


def test_many_pairs_are_unpacked(
    whole: Tab,
    browser: Browser,
    domain: Report,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explorer_data, "MOST_PAIRS", len(shown(whole)) - 1)
    page.render(domain, tmp_path / "packed.html")
    tab = browser.open(tmp_path / "packed.html")
    tab.wait(f"{PAIRS}.querySelector('tbody tr')")
    assert '"packed"' in tab.value("document.getElementById('rg-data').textContent")
    pictures = "[...document.querySelectorAll('#pairs tbody svg')].map(e => e.outerHTML)"
    for step in (None, 0, 40):
        for own in (whole, tab):
            if step is not None:
                slide(own, step)
        assert shown(tab) == shown(whole)
        assert tab.value(pictures) == whole.value(pictures)
    assert tab.faults == []
    tab.close()


def test_a_candidate_has_all_its_pairs(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    """Of all candidates the first pairs are shown; on a phone marks stand beside names, too."""
    n = 160
    rows = [[i, j, 0.1, 0.05, 0.2, 1, False, "better"] for i in range(n) for j in range(i + 1, n)]
    family = {"name": "error", "ratio": False, "area": None, "factor": 1.0, "unit": ""}
    data = {
        "names": [f"candidate{k}-of-{n}" for k in range(n)],
        **{"measures": [], "sets": [], "samples": {}},
        "pairs": [{**family, "decimals": 2, "rows": rows}],
    }
    begin, _, rest = files["domain"].read_text(encoding="utf-8").partition(GIVEN)
    given = f"{begin}{GIVEN}{json.dumps(data)}{rest[rest.index('</script>') :]}"
    (tmp_path / "many.html").write_text(given, encoding="utf-8")
    tab = browser.open(tmp_path / "many.html", width=390)
    tab.wait(f"{PAIRS}.querySelector('tbody tr')")
    n_rows = f"{PAIRS}.querySelectorAll('tbody tr').length"
    told = f"{PAIRS}.querySelector(':scope > .hint').textContent"
    assert tab.value(n_rows) == 150
    assert tab.value(told).startswith(f"The first 150 of {len(rows)} pairs; a candidate has")
    who = "#pairs .controls select"
    tab.value(f"document.querySelector({who!r}).value = 77")
    tab.value(f"document.querySelector({who!r}).dispatchEvent(new Event('change'))")
    assert (tab.value(n_rows), tab.value(told)) == (n - 1, "")
    beside = """[...document.querySelectorAll('#pairs tbody span')].every(e => {
      const [mark, name] = [...e.children].map(x => x.getBoundingClientRect());
      return mark.right <= name.left && mark.top < name.bottom && name.top < mark.bottom })"""
    assert tab.value(beside)
    assert tab.faults == []
    tab.close()


def test_another_area_decides_as_the_intervals_say(
    whole: Tab, domain_results: dict[str, Any]
) -> None:
    pairs = verdict(domain_results)
    largest = farthest(pairs)
    found = set()
    for step in (0, 1, 4, 10, 20, 45, 80, 120, 160, 200):
        slide(whole, step)
        found |= compare(whole, pairs, largest * step / STEPS).keys()
    kinds = {"better", "better, relevant", "equivalent", "not significant", "better, not relevant"}
    assert kinds <= found
    assert float(whole.value(f"{PAIRS}.dataset.area")) == pytest.approx(largest)
    status = f"{PAIRS}.querySelector('[role=status]').textContent"
    whole.wait(f"{status}.includes('Exploratory') && {status}.includes('verdicts stay')")
    # the report's own words are unchanged, and come back
    whole.click("#pairs .controls button")
    assert all(now == was for now, was in shown(whole).values())
    assert whole.value(f"{PAIRS}.dataset.area") == ""


def test_the_slider_is_moved_by_keys_and_by_a_finger(
    whole: Tab, domain_results: dict[str, Any]
) -> None:
    pairs = verdict(domain_results)
    largest = farthest(pairs)
    value = f"+document.querySelector({SLIDER!r}).value"
    whole.middle(SLIDER)
    whole.value(f"document.querySelector({SLIDER!r}).focus()")
    before = whole.value(value)
    whole.key("ArrowRight", times=7)
    assert whole.value(value) == before + 7
    compare(whole, pairs, largest * (before + 7) / STEPS)
    x, y = whole.middle(SLIDER)
    whole.swipe((x - 20, y), (x + 20, y))
    step = whole.value(value)
    assert step != before + 7
    compare(whole, pairs, largest * step / STEPS)
    assert "±" in whole.value(f"document.querySelector({SLIDER!r}).getAttribute('aria-valuetext')")


def test_pairs_of_one_candidate_and_undecided_ones(
    whole: Tab, domain_results: dict[str, Any]
) -> None:
    pairs = verdict(domain_results)
    for k, name in enumerate(FOUR):
        whole.value(f"document.querySelector({WHO!r}).value = {k}")
        whole.value(f"document.querySelector({WHO!r}).dispatchEvent(new Event('change'))")
        wanted = {frozenset((p["first"], p["second"])) for p in pairs} - {
            frozenset(q) for q in zip(FOUR, FOUR, strict=True)
        }
        assert {frozenset(row) for row in shown(whole)} == {w for w in wanted if name in w}
    whole.value(f"document.querySelector({WHO!r}).value = ''")
    whole.tap(OPEN)
    whole.wait(f"document.querySelector({OPEN!r}).checked")
    open_ones = {
        frozenset((p["first"], p["second"])) for p in pairs if p["decision"] == "undecided"
    }
    assert {frozenset(row) for row in shown(whole)} == open_ones
    whole.value(f"document.querySelector({OPEN!r}).focus()")
    whole.key(" ")
    assert len(shown(whole)) == len(pairs)


def test_times_are_decided_by_ratio_and_data_sets_on_their_own(
    whole: Tab, domain_results: dict[str, Any]
) -> None:
    options = whole.value("[...document.querySelector('#pairs select').options].map(o => o.text)")
    names = domain_results["design"]["datasets"]
    time = domain_results["design"]["measures"][1]["name"]
    assert len(options) == 2 * (1 + len(names))
    assert [o.split(", ")[-1] for o in options[::2]] == ["over the data sets", *names]
    for i, dataset, measure in ((1, None, time), (4, names[1], ERROR), (5, names[1], time)):
        whole.value(f"document.querySelector('#pairs select').value = {i}")
        whole.value("document.querySelector('#pairs select').dispatchEvent(new Event('change'))")
        pairs = verdict(domain_results, dataset, measure)
        for step in (0, 10, 60):
            slide(whole, step)
            compare(whole, pairs, farthest(pairs) * step / STEPS)


def test_a_phone_has_one_decision_a_pair_until_the_area_is_moved(whole: Tab) -> None:
    heads = """[...document.querySelectorAll('#pairs thead th')].filter(e => e.offsetWidth)
      .map(e => e.firstChild.textContent)"""
    assert whole.value(heads)[2:] == ["now", "reported"]
    whole.resize(390)
    whole.wait(f"{heads}.length === 3")
    assert whole.value(heads)[2:] == ["reported"]
    share = """document.querySelector('#pairs thead th:nth-child(2)').offsetWidth
      / document.querySelector('#pairs table').offsetWidth"""
    assert whole.value(share) > 0.45
    slide(whole, 40)
    assert whole.value(heads)[2:] == ["now", "reported"]
    assert whole.value(share) > 0.25
    n_lines = """[...document.querySelectorAll('#pairs td.txt')].map(e => {
      const r = document.createRange(); r.selectNodeContents(e);
      return [e.textContent, r.getClientRects().length] })"""
    words = whole.value(n_lines)
    slide(whole, STEPS)
    words += whole.value(n_lines)
    assert {"not significant", "equivalent"} <= {word for word, _ in words}
    assert {n for word, n in words if " " not in word} == {1}
    whole.click("#pairs .controls button")
    assert whole.value(heads)[2:] == ["reported"]


@pytest.mark.parametrize("width", [320, 390, 700, 1280])
def test_numbers_above_the_intervals_stand_apart_and_in_their_column(
    whole: Tab, width: int
) -> None:
    whole.resize(width)
    boxes = """[...document.querySelectorAll('#pairs thead text')].map(e => {
      const r = e.getBoundingClientRect(); return [r.left, r.right] })"""
    column = """(r => [r.left, r.right])(
      document.querySelector('#pairs thead svg').getBoundingClientRect())"""
    n_families = whole.value("document.querySelector('#pairs select').options.length")
    found = []
    for family in range(n_families):
        choose = f"(e => {{ e.value = {family}; e.dispatchEvent(new Event('change')) }})"
        whole.value(f"{choose}(document.querySelector('#pairs select'))")
        for step in (None, 0, 100):
            if step is not None:
                slide(whole, step)
            (low, high), texts = whole.value(column), sorted(whole.value(boxes))
            edges = [low - 1, *(edge for text in texts for edge in text), high + 1]
            assert edges == sorted(edges)
            found.append(len(texts))
    assert min(found) >= 1
    assert max(found) == 3


def test_a_row_lights_its_pair(whole: Tab) -> None:
    whole.move(*whole.middle("#pairs tbody tr:nth-child(2) td"))
    whole.wait("document.documentElement.classList.contains('linked')")
    lit = (
        "[...new Set([...document.querySelectorAll('#pairs tr.on')].map(r => r.dataset.c))].length"
    )
    assert whole.value(lit) == 1


def test_bounds_are_drawn_where_they_are(whole: Tab, domain_results: dict[str, Any]) -> None:
    """Lines of the rows have the ends of the advantage's intervals on one scale."""
    pairs = {(p["first"], p["second"]): p for p in verdict(domain_results)}
    lines = whole.value("""[...document.querySelectorAll('#pairs tbody tr')].map(r => [
      [...r.querySelectorAll('bdi')].map(e => e.textContent),
      [...r.querySelectorAll('svg:not(.mk) line')].map(l => [l.getAttribute('x1'),
        l.getAttribute('x2')].map(parseFloat))])""")
    found = []
    for names, ((zero, _), ends) in lines:
        pair, sign = pairs.get(tuple(names)), -1  # of an error: less is an advantage
        if pair is None:
            pair, sign = pairs[tuple(names[::-1])], 1
        bounds = sorted(sign * pair[x] for x in ("lower", "upper"))
        found += [(e - zero, b) for e, b in zip(ends, bounds, strict=True)]
    scale = max(found, key=lambda x: abs(x[1]))
    for place, bound in found:
        assert place == pytest.approx(bound * scale[0] / scale[1], abs=0.02)  # two decimals


def test_a_download_has_the_numbers_of_the_results(
    whole: Tab, domain_results: dict[str, Any]
) -> None:
    link = "document.querySelector('figure.fig[id*=domain-pairs] a[download]')"
    href, is_packed = whole.value(f"[{link}.href, 'unpack' in {link}.dataset]")
    kind, _, content = href.partition(",")
    data = b64decode(content) if "base64" in kind else unquote(content).encode()
    text = (gzip.decompress(data) if is_packed else data).decode("utf-8-sig")
    rows = {(r["first"], r["second"]): r for r in csv.DictReader(io.StringIO(text))}
    pairs = verdict(domain_results)
    assert len(rows) == len(pairs)
    for pair in pairs:
        names, sign = (pair["first"], pair["second"]), -1  # an error: less of it is an advantage
        if names not in rows:
            names, sign = names[::-1], 1
        bounds = sorted(float(rows[names][x]) for x in ("lower", "upper"))
        assert bounds == sorted(sign * pair[x] for x in ("lower", "upper"))
        assert float(rows[names]["advantage"]) == sign * pair["estimate"]
