"""Entries of data sets: in the article where the abstract rests on them, else in the supplement."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.rendering import page, pdf
from reportgen.rendering.pagination import ENTRY as ENTRY_ON_PAPER
from reportgen.report import Report
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.conclusion.cases import over
from tests.made_up import MADE_UP, MadeUp, report_of
from tests.sections.reading import ERROR

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

TIME = Measure("fit-time")
ENTRY = r'<article id="data-[^"]*"'
MEANS = np.array([[0.05, 0.1, 0.12], [0.5, 0.1, 0.05], [0.1, 0.2, 0.3], [0.2, 0.1, 0.3]])
NAMES = ("lda", "knn", "rpart")


@cache
def of_datasets(n: int) -> Report:
    """Return a report of n data sets, each with its winner, and nothing over them."""
    study = MadeUp(lambda: warehouse_of(over(MEANS[:n], NAMES, 40), NAMES), ("eda", "inference"))
    return report_of(study)


def html_of(report: Report, folder: Path) -> str:
    """Return the page of a report."""
    page.render(report, folder / "report.html")
    return (folder / "report.html").read_text(encoding="utf-8")


def is_folded(text: str) -> bool:
    """Whether the first entry stands inside what is folded."""
    entry = re.search(ENTRY, text)
    assert entry
    before = text[: entry.start()]
    return before.count("<details") > before.count("</details")


def test_two_data_sets_with_a_verdict_each_stand_in_the_article(tmp_path: Path) -> None:
    text = html_of(of_datasets(2), tmp_path)
    assert not is_folded(text)
    assert text.index('id="datasets"') < text.index('id="methods"')
    assert "More: an entry" not in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["settings", "domain"])
def test_others_are_folded(name: str, tmp_path: Path) -> None:
    assert is_folded(html_of(report_of(MADE_UP[name]), tmp_path))


def test_of_four_the_entries_are_folded(tmp_path: Path) -> None:
    text = html_of(of_datasets(4), tmp_path)
    assert is_folded(text)
    assert "More: an entry for each of the four" in text


def test_relations_alone_stand_in_the_article_on_each_data_set(tmp_path: Path) -> None:
    """Sections that the manifest names have their words there, as on one data set."""
    values = {ERROR: over(MEANS, NAMES, 40)[ERROR]}
    study = MadeUp(lambda: warehouse_of(values, NAMES), ("preferences", "consensus"))
    text = html_of(replace(report_of(study), named=study.sections), tmp_path)
    assert not is_folded(text)
    entries = re.split(ENTRY, text)[1:]
    assert len(entries) == 4
    assert all("the verdicts on mean" in entry for entry in entries)
    assert all(re.search("nearest|one relation that has a say", entry) for entry in entries)


FOLD = re.compile(r"<details(?:(?!<details).)*?</details>", re.DOTALL)


def unfolded(text: str) -> str:
    """Return the main part of a page without what is folded."""
    text, folded = text[text.index("<main") :], ""
    while text != folded:
        text, folded = FOLD.sub("", text), text
    return text


@pytest.mark.parametrize("n", [2, 4])
def test_folds_hold_something_and_open_words_stand_above_them(n: int, tmp_path: Path) -> None:
    text = html_of(of_datasets(n), tmp_path)
    assert not re.search(r"</summary><div>\s*</div>", text)
    assert "More: what is missing" not in text
    shown = re.sub(r"<nav.*?</nav>", "", unfolded(text), flags=re.DOTALL)
    between = r"\s*(</section>\s*)?(<section[^>]*>\s*)?"
    assert not re.search(f"</h2>{between}<h2|</h3>{between}<h[23]", shown)


def test_references_of_open_entries_stand_open(tmp_path: Path) -> None:
    figures = {"sequential": {"figures": ["p-track"]}}
    values = over(MEANS[:2, :2], NAMES[:2], 40)
    study = MadeUp(lambda: warehouse_of(values, NAMES[:2]), ("sequential",), options=figures)
    drawn = report_of(study, is_drawn=True)
    shown = unfolded(html_of(replace(drawn, named=study.sections), tmp_path))
    cited = set(re.findall(r'href="#(ref-[^"]*)"', shown))
    assert cited == {"ref-eugster2011"}  # in the sentence of the figure
    assert "a dashed line: from where on it is significant to the last" in shown
    assert cited == set(re.findall(r'id="(ref-[^"]*)"', shown))


def test_references_of_a_report_without_folds_stand_open(tmp_path: Path) -> None:
    values = over(MEANS[:1, :2], NAMES[:2], 40)
    study = MadeUp(lambda: warehouse_of(values, NAMES[:2]), ("inference", "sequential"))
    shown = unfolded(html_of(replace(report_of(study), named=study.sections), tmp_path))
    cited = set(re.findall(r'href="#(ref-[^"]*)"', shown))
    assert "ref-brannath2002" in cited  # in the methods at length
    assert cited == set(re.findall(r'id="(ref-[^"]*)"', shown))


def test_methods_of_what_is_drawn_and_tested_on_each_are_told(tmp_path: Path) -> None:
    """The tests of entries, and what a requested figure follows; nothing of tests where none is."""
    figures = {"sequential": {"figures": ["p-track"]}}
    values = over(MEANS[:2, :2], NAMES[:2], 40)
    study = MadeUp(lambda: warehouse_of(values, NAMES[:2]), ("sequential",), options=figures)
    text = html_of(replace(report_of(study), named=study.sections), tmp_path)
    assert "is recomputed after every replication from the 10th on" in text
    assert "5% for the pair" in text
    assert "family-wise" not in text
    described = MadeUp(study.warehouse, ("eda",))
    text = html_of(report_of(described), tmp_path)
    assert ">Candidates</" in text
    assert ">Decisions</" not in text


def test_what_all_entries_would_say_is_said_once(tmp_path: Path) -> None:
    values = {ERROR: over(np.vstack([MEANS, MEANS[:2]]), NAMES, 40)[ERROR]}
    study = MadeUp(lambda: warehouse_of(values, NAMES), ("consensus",))
    text = html_of(replace(report_of(study), named=study.sections), tmp_path)
    assert text.count("<p>Consensus: <") == 6
    assert text.count("On all 6 data sets the one relation that has a say") == 1
    assert "The consensus is the one relation" not in text


def test_a_consensus_of_one_relation_is_told_by_its_own_name(tmp_path: Path) -> None:
    errors = over(np.vstack([MEANS, MEANS[:2]]), NAMES, 40)[ERROR]
    times = {name: own + np.array([3, 2, 1]) for name, own in errors.items()}
    lacking = np.full((40, 3), np.nan)
    sections = ("preferences", "consensus")
    apart = {
        ERROR: {n: x if n in ("set1", "set2") else lacking for n, x in errors.items()},
        TIME: {n: lacking if n in ("set1", "set2") else x for n, x in times.items()},
    }
    study = MadeUp(lambda: warehouse_of(apart, NAMES), sections)
    text = html_of(replace(report_of(study), named=sections), tmp_path)
    assert "On 2 of 6 data sets the one relation that has a say, that by the verdicts" in text
    assert (
        "On 4 of 6 data sets the one relation that has a say, that by the means of fitting time"
        in text
    )
    weights = {"misclassification/verdict": 1, "fit-time/mean": 0}  # the order named first
    study = MadeUp(
        lambda: warehouse_of({ERROR: errors, TIME: times}, NAMES),
        sections,
        options={"consensus": {"weights": weights}},
    )
    text = html_of(replace(report_of(study), named=sections), tmp_path)
    assert "<p>Consensus: <" in text
    assert "Consensus: the same" not in text


def test_an_entry_says_why_a_pair_is_not_tested(tmp_path: Path) -> None:
    values = {ERROR: {name: own.copy() for name, own in over(MEANS[:2], NAMES, 40)[ERROR].items()}}
    values[ERROR]["set1"][4:, 2] = np.nan
    study = MadeUp(lambda: warehouse_of(values, NAMES), ("eda", "inference"))
    first, second = re.split(ENTRY, html_of(report_of(study), tmp_path))[1:3]
    why = "2 pairs with fewer than six replications in common stay open"
    assert why in first
    assert why not in second


def test_a_first_data_set_without_values_takes_no_words_from_others(tmp_path: Path) -> None:
    values = {ERROR: {name: own.copy() for name, own in over(MEANS, NAMES, 40)[ERROR].items()}}
    values[ERROR]["set1"][:] = np.nan
    scheme = {"scheme": "bootstrap", "replications": 40}
    facts = {name: {"n_observations": 100} for name in values[ERROR]}

    def made() -> Warehouse:
        found = warehouse_of(
            values, NAMES, n_test=37, problem="real-world", resampling=scheme, facts=facts
        )
        return replace(found, frame=found.frame.assign(n_learn=100.0, n_distinct=63.0))

    text = html_of(report_of(MadeUp(made, ("eda", "inference"))), tmp_path)
    assert "Tests on every data set" in text
    assert ">Unbeaten for new data<" in text
    assert "enlarged after" in text


@pytest.mark.slow
def test_an_index_of_names_alone_is_none(tmp_path: Path) -> None:
    values = over(MEANS, NAMES, 40)
    made = MadeUp(lambda: warehouse_of(values, NAMES), ("domain",))
    assert "at a glance" not in html_of(report_of(made), tmp_path)
    facts = {name: {"n_observations": 100 + m} for m, name in enumerate(values[ERROR])}
    made = MadeUp(lambda: warehouse_of(values, NAMES, facts=facts), ("domain",))
    text = html_of(report_of(made), tmp_path)
    assert re.search(r"Table S\d+</a> has the data sets at a glance", text)


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Report], list[str]]:
    """Give the HTML of which the PDFs of a report are made."""
    pytest.importorskip("weasyprint", exc_type=OSError, reason="WeasyPrint needs Pango")
    found: list[str] = []

    def keep(manuscript: pdf.Manuscript) -> bytes:
        found.append("".join(block.html for block in manuscript.blocks))
        return b""

    def printed(report: Report) -> list[str]:
        found.clear()
        pdf.render(report, tmp_path / "report.pdf")
        return found

    monkeypatch.setattr(pdf, "set_document", keep)
    return printed


def test_on_paper_each_stands_once(printed: Callable[[Report], list[str]]) -> None:
    article, supplement = printed(of_datasets(2))
    assert 'id="data-set1"' in article
    assert 'id="data-set1"' not in supplement
    assert article.index(">Data sets<") < article.index(">Methods")
    assert 'href="#data-set2"' in article.partition('id="design"')[0]  # the abstract leads there


def test_tables_of_an_entry_have_the_whole_width(printed: Callable[[Report], list[str]]) -> None:
    """Beside the pictures the last columns of a table of stages left the paper."""
    study = MadeUp(
        lambda: warehouse_of(over(MEANS[:2], NAMES, 40), NAMES), ("eda", "inference", "sequential")
    )
    article, _ = printed(replace(report_of(study), named=study.sections))
    entries = article.split(ENTRY_ON_PAPER)[1:]
    assert len(entries) == 2
    for entry in entries:
        before = re.split(r'<figure[^>]* class="[^"]*\btab\b', entry)[0]
        assert before != entry
        assert before.count("</div>") > before.count("<div")


def test_marks_of_entries_are_of_stages_where_these_decide(
    printed: Callable[[Report], list[str]],
) -> None:
    """An execution in stages has verdicts by intervals, too: where they are on new data."""
    own = of_datasets(2)
    design = replace(own.design, resampling={**own.design.resampling, "stages": {}})
    (text, _) = printed(replace(own, design=design))
    assert "by the stages of the execution" not in text
    assert "with 95% intervals, simultaneous where tested; filled: significant." in text
    contents = tuple(
        replace(c, result={k: replace(r, method="stages") for k, r in c.result.items()})
        if c.name == "inference"
        else c
        for c in own.contents
    )
    (text, _) = printed(replace(own, contents=contents))
    assert "filled: significant, by the stages of the execution." in text


def test_nothing_is_said_of_tests_where_no_entry_has_one(
    printed: Callable[[Report], list[str]],
) -> None:
    study = MadeUp(lambda: warehouse_of(over(MEANS[:2], NAMES, 5), NAMES), ("eda", "inference"))
    (text, *_) = printed(replace(report_of(study), named=study.sections))
    assert "with 95% intervals." in text
    assert "filled: significant" not in text
    whole = "".join(printed(replace(report_of(study), length="full")))
    assert "excludes zero, and else" not in whole


@pytest.mark.parametrize(
    ("family", "told"),
    [
        ({}, "on a data set is about 5% at most; nothing is adjusted over data sets."),
        ({"family": "study"}, "in the study is about 5% at most."),
    ],
)
def test_the_methods_tell_what_the_error_is_of(
    family: dict[str, str], told: str, tmp_path: Path
) -> None:
    study = MadeUp(
        lambda: warehouse_of(over(MEANS[:2], NAMES, 40), NAMES),
        ("eda", "inference"),
        options={"inference": family},
    )
    report = report_of(study)
    text = html_of(report, tmp_path)
    assert f"The probability of any wrong decision {told}" in text
    folds = {**report.design.resampling, "scheme": "repeated-k-fold", "folds": 10}
    report = replace(report, design=replace(report.design, resampling=folds))
    assert "5% at most, and more where replications are folds" in html_of(report, tmp_path)
