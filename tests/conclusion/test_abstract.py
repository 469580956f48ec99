"""The abstract as it is read: plain words, every back end, names that are an attack."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.conclusion.result import Caveats, Conclusion, Division, NewData, OrderLine
from reportgen.rendering.render_context import HTML, MARKDOWN, PDF, BackEnd
from reportgen.report import Report
from tests.conclusion.cases import CASES, analysed, bootstrap, case, plain, told, written
from tests.conclusion.test_predicates import compared, pair
from tests.sections.reading import ERROR, TIME, blocks, faults

USUAL = ("winner", "domain", "scenarios", "undecided-by-cost")


@pytest.mark.parametrize("name", CASES)
def test_words_are_sound(name: str) -> None:
    text = told(case(name))
    assert not faults(text)
    assert "**" not in text


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("back_end", [PDF, MARKDOWN])
def test_every_back_end_says_the_same(name: str, back_end: BackEnd) -> None:
    html = written(case(name))
    other = written(case(name), back_end)
    for part in ("text", "order_label", "order", "order_key"):
        here, there = plain(getattr(html, part)), plain(getattr(other, part))
        assert re.sub(r"[*_]", "", there) == re.sub(r"[*_]", "", here)


@pytest.mark.parametrize("name", USUAL)
def test_the_usual_abstract_has_about_130_words(name: str) -> None:
    assert 100 <= len(plain(written(case(name)).text).split()) <= 150


@pytest.mark.parametrize("name", CASES)
def test_no_abstract_is_too_long(name: str) -> None:
    assert len(plain(written(case(name)).text).split()) <= 150


def test_the_step_is_read_aloud() -> None:
    assert (
        'role="img" title="better than" aria-label="better than">&gt;<'
        in written(case("winner")).order
    )


def test_names_are_no_markup() -> None:
    names = ("<script>alert(1)</script>", "*x* _y_ **z**", "{{7*7}}{% raw %}", "[x](javascript:1)")
    values = {ERROR: blocks((0.1, 0.2, 0.2, 0.3), 30, 0.02)}
    report = analysed(bootstrap(values, names))
    found = written(report)
    whole = "".join(map(str, (found.text, found.order, found.order_key)))
    assert "<script" not in whole
    assert "&lt;script&gt;" in whole
    assert "javascript:1)</a>" not in whole
    for name in names:
        assert name in plain(whole)


# ---------------------------------------------------------------- conclusions made by hand


def said(conclusion: Conclusion) -> str:
    return told(replace(case("winner"), conclusion=conclusion))


def of(names: str, *better: str, **more: object) -> Conclusion:
    found = compared(names, better, **more)
    line = OrderLine("decisions", found.groups, found.dominated, found.chain_break)
    return Conclusion("dataset", Caveats("one-dataset"), found, line=line)


def test_decisions_in_a_circle() -> None:
    text = said(of("abc", "ab", "bc", "ca"))
    assert "for every candidate there is one that is decided better" in text
    assert "no order: the decisions are not transitive" in text
    assert "Recommendation: none." in text
    assert not faults(text)


def test_gaps_may_put_another_first() -> None:
    text = said(of("abc", "ba"))
    assert "a has the smallest mean misclassification error, 10.00%" in text
    assert "yet another is decided better; none is decided better than b or c." in text
    reason = "of the unbeaten candidates it alone is decided better than another."
    assert f"Recommendation: b, with reserve: {reason}" in text


def test_leaders_without_the_best_mean() -> None:
    text = said(of("abcd", "bd", "cd"))
    assert "but is undecided against all others." in text
    assert "choose between b and c on other grounds" in text


def test_stages_have_no_interval() -> None:
    lead = tuple(replace(pair("a", n, "better"), lower=None, upper=None) for n in "bc")
    text = said(of("abc", "ab", "ac", "bc", lead=lead, basis="stages"))
    assert "the next (decided by the stages of the execution)." in text


def test_other_bases() -> None:
    assert "with one variance for all pairs)" in said(of("abc", "ab", "ac", "bc", basis="pooled"))
    model = of("abc", "ab", "ac", "bc", basis="model", dataset=None)
    assert "by the model of all data sets)" in said(model)


@pytest.mark.parametrize("what", ["influence", "outlier", "dependent", "absent", "missing"])
def test_caveats(what: str) -> None:
    own = {
        "influence": {"influence": ("d9",), "leaders_without": ("a", "b")},
        "outlier": {"n_outliers": 1, "n_changed": 2},
        "dependent": {"is_dependent": True},
        "absent": {"absent": ("x", "y")},
        "missing": {"n_missing": 1, "n_values": 60, "lacking": ("a",), "complete": ("b", "c")},
    }
    sentence = {
        "influence": "Without d9 the unbeaten candidates would be a and b.",
        "outlier": "In one replication values dwarf all others; "
        "without it two pairs would be decided otherwise.",
        "dependent": "The folds share observations, so the tests are too liberal.",
        "absent": "x and y have no value and are left out.",
        "missing": "1 of 60 values of the error is missing, that of a.",
    }
    found = replace(of("abc", "ab", "ac", "bc"), caveats=Caveats("domain", **own[what]))  # type: ignore[arg-type]
    text = said(found)
    assert sentence[what] in " ".join(text.split())
    assert not faults(text)


@pytest.mark.parametrize(
    "reason",
    [
        "fixed-test-sample", "cross-validated-bootstrap", "merged-samples", "hold-out",
        "scheme-unknown", "folds-unknown", "sizes-unknown",
    ],
)  # fmt: skip
def test_every_reason_against_new_data_has_words(reason: str) -> None:
    found = replace(of("abc", "ab", "ac", "bc"), new_data=NewData(reason))  # type: ignore[arg-type]
    assert "For new data of this source nothing can be said: " in said(found)


def test_all_are_equivalent() -> None:
    text = said(
        Conclusion(
            "dataset",
            Caveats("one-dataset"),
            compared("abc", [], ["ab", "ac", "bc"], relevance=(-0.05, 0.05)),
        )
    )
    assert (
        "All three candidates are equivalent on d: all differences lie inside ±5 percentage points"
        in text
    )
    assert "Recommendation: any of a, b and c, whichever is easier to use." in text


@pytest.mark.parametrize(
    ("division", "sentence"),
    [
        (Division("size"), "Who does best goes with size. Recommendation"),
        (
            Division("nvar.n", "number of variables", is_exploratory=True),
            "Who does best seems to go with the number of variables (nvar.n); this is exploratory.",
        ),
        (
            Division("cvar.kurt", "mean kurtosis, 3 for the normal", leads_alike=True),
            "How far candidates are apart goes with the mean kurtosis (cvar.kurt). Recommendation",
        ),
        (Division(None), "No characteristic of the data sets is found to decide. Recommendation"),
    ],
)
def test_what_decides(division: Division, sentence: str) -> None:
    text = said(replace(of("abc", "ab", "ac", "bc"), division=division))
    assert sentence in " ".join(text.split())
    assert not faults(text)


# ------------------------------------------------------------------------- other measures


def timed(means: tuple[float, ...], n: int, noise: float) -> Report:
    rng = np.random.default_rng(3)
    values = np.array(means) * np.exp(noise * rng.standard_normal((n, len(means))))
    return analysed(
        bootstrap({TIME: values}, ("anna", "bert", "cara")[: len(means)]), ("inference",)
    )


def test_pairs_of_times() -> None:
    text = told(timed((0.004, 0.001), 30, 0.1))
    assert re.match(
        r"bert is faster than anna on monks: .*, a factor of \d\.\d\d \(95% interval", text
    )
    assert "whichever" not in text
    open_text = told(timed((0.004, 0.0039), 12, 0.5))
    assert re.match(
        r"Whether \w+ or \w+ is faster on monks is not decided: .*, a factor of 1\.\d\d ", open_text
    )
    leaders = told(timed((0.004, 0.0041, 0.1), 20, 0.3))
    assert re.match(
        r"\w+ and \w+ are the fastest on monks, and neither is decided better: ", leaders
    )


def test_snapshots_are_plain_text() -> None:
    folder = Path(__file__).resolve().parent.parent / "snapshots"
    for file in folder.glob("abstract-*.txt"):
        assert not re.search(r"[<{}\\]", file.read_text(encoding="utf-8").replace(">", ""))


def test_html_alone_is_the_default() -> None:
    assert written(case("ties")) == written(case("ties"), HTML)


@pytest.mark.parametrize(
    ("n_optimal", "words"),
    [
        (1, "a comma: level, in the order nearest to those of all 21 data sets, whatever"),
        (2, "in both orders nearest to those of all 21 data sets (a comma: not in both), whatever"),
        (5, "in all 5 orders nearest to those of all 21 data sets (a comma: not in all), whatever"),
    ],
)
def test_a_comma_is_a_level_in_one_order_only(n_optimal: int, words: str) -> None:
    report = case("domain")
    assert report.conclusion
    names = report.design.candidates
    line = OrderLine("consensus", (names[:2], names[2:]), n_members=21, n_optimal=n_optimal)
    found = written(replace(report, conclusion=replace(report.conclusion, line=line)))
    assert words in plain(found.order_key)
