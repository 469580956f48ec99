"""That a report has one verdict a pair, and that what checks it would see another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from reportgen.rendering.markdown import render
from reportgen.report import Report
from reportgen.sections.inference.figures import draw
from reportgen.stats.verdict import Verdict
from tests.builders import Undrawn
from tests.sections.reading import (
    ERROR,
    NAMES,
    TIME,
    Said,
    blocks,
    by_verdict_alone,
    read,
    report_of,
)
from tests.sections.verdicts import contradictions, of_text, verdicts

AREA = {"misclassification": (-0.01, 0.01)}
SECTIONS = ("eda", "inference", "preferences")


def made(values: Any, **settings: Any) -> Report:
    """Write a report whose interval figures have their data."""
    is_one = isinstance(values, np.ndarray)
    datasets = {"d": {ERROR: values}} if is_one else values
    n = next(iter(next(iter(datasets.values())).values())).shape[1]
    with by_verdict_alone():
        report = report_of(datasets, NAMES[:n], only=SECTIONS, **settings)
    contents, canvas = [], Undrawn.of(NAMES[:n], len(datasets), "d")
    for content in report.contents:
        if content.name == "inference":
            contents.append(replace(content, figures=draw(content.result, canvas)))
        else:
            contents.append(content)
    return replace(report, contents=tuple(contents))


@pytest.fixture(scope="module")
def report() -> Report:
    seconds = np.exp(blocks((0.1, 0.13, 0.9, 0.9), 60, sd=0.1))
    values = blocks((0.1, 0.103, 0.15, 0.3), 60)
    return made({"d": {ERROR: values, TIME: seconds}}, relevance=AREA, reference="bert")


@pytest.fixture(scope="module")
def said(report: Report) -> Said:
    return read(report)


def test_what_is_claimed_is_found(report: Report, said: Said) -> None:
    assert set(verdicts(report)) == {
        ("d", "misclassification", "conditional"),
        ("d", "fit-time", "conditional"),
    }
    claims = list(of_text(report, said))
    kinds = {c.kind for c in claims if c.key[1] == "misclassification"}
    assert kinds == {"better", "undecided", "level", "not-better"}
    assert {c.kind for c in claims if c.key[1] == "fit-time"} >= {"better", "equivalent"}
    assert {"abstract", "order", "section"} <= {c.where.partition(":")[0] for c in claims}
    assert contradictions(report, [said]) == []


@pytest.fixture(scope="module")
def markdown(report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("verdicts") / "report.md"
    return render(report, file)[0].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("| anna – bert | 0.30 |", "| anna – cara | 0.30 |"),
        ("◐ not significant", "○ equivalent"),
        ("● better, relevant", "● worse, relevant"),
        ("dora; cara than dora", "dora; dora than cara"),
        ("Order by error: **anna, bert", "Order by error: **anna > bert"),
    ],
)
def test_markdown_is_read_likewise(report: Report, markdown: str, before: str, after: str) -> None:
    assert contradictions(report, markdown=[markdown]) == []
    assert markdown.count(before) >= 1
    assert contradictions(report, markdown=[markdown.replace(before, after, 1)])


def edited(report: Report, **changes: Any) -> Report:
    """Change the inference of a report."""
    contents = (
        replace(c, **{k: f(getattr(c, k)) for k, f in changes.items()})
        if c.name == "inference"
        else c
        for c in report.contents
    )
    return replace(report, contents=tuple(contents))


def test_a_table_that_says_otherwise_is_found(report: Report) -> None:
    def swap(tables: Any) -> Any:
        first, *rest = tables
        row = (*first.rows[0][:-1], "better, relevant")
        assert first.rows[0][-1] != row[-1]
        return (replace(first, rows=(row, *first.rows[1:])), *rest)

    (found,) = contradictions(edited(report, tables=swap))
    assert found.startswith("table pairs: anna, bert relevant")


def test_a_figure_that_says_otherwise_is_found(report: Report) -> None:
    def swap(figures: Any) -> Any:
        first, *rest = figures
        rows = [list(row) for row in first.data.rows]
        rows[2][first.data.columns.index("decision")] = "equivalent"
        return (replace(first, data=replace(first.data, rows=tuple(map(tuple, rows)))), *rest)

    (found,) = contradictions(edited(report, figures=swap))
    assert found.startswith("figure: anna, dora equivalent")

    def reword(figures: Any) -> Any:
        first, *rest = figures
        return (replace(first, alt=first.alt.replace("better, relevant", "equivalent")), *rest)

    assert all(f.startswith("alternative") for f in contradictions(edited(report, figures=reword)))
    assert contradictions(edited(report, figures=reword))


def test_groups_and_leaders_that_say_otherwise_are_found(report: Report) -> None:
    def of(found: Any) -> Any:
        return {name: replace(own) for name, own in found.items()}  # nothing is computed yet

    groups = (("anna",), ("bert",), ("cara",), ("dora",))
    for name, found in (("groups", groups), ("leaders", ("anna", "bert", "cara"))):
        with patch.object(Verdict, name, found):
            assert contradictions(edited(report, result=of))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("No significant difference: anna and bert", "Equivalent are anna and bert"),
        ("anna is not significantly different", "anna is better"),
        ("cara and dora are worse", "cara and dora are better"),
        ("anna, bert > cara", "anna > bert > cara"),
        ("cara > dora", "cara, dora"),
        ("fewer errors than cara and dora", "fewer errors than cara and bert"),
        ("and dora; cara than dora", "and dora; dora than cara"),
        ("Of 6 differences 5 are significant", "Of 6 differences 4 are significant"),
        ("all larger than", "2 of them larger than"),
        ("is significantly better than anna or", "is significantly better than cara or"),
    ],
)
def test_a_sentence_that_says_otherwise_is_found(
    report: Report, said: Said, before: str, after: str
) -> None:
    sections = {k: text.replace(before, after) for k, text in said.sections.items()}
    abstract, order = (text.replace(before, after) for text in (said.abstract, said.order))
    doctored = replace(said, sections=sections, abstract=abstract, order=order)
    assert doctored != said, before
    assert contradictions(report, [doctored])


def test_a_remark_or_an_entry_that_says_otherwise_is_found(report: Report, said: Said) -> None:
    told = (("Worst case", "bert is significantly better than anna."),)
    assert contradictions(report, [replace(said, remarks=told)])
    datasets = {f"d{i}": {ERROR: blocks((0.1, 0.2, 0.3), 20, seed=i)} for i in range(2)}
    several = made(datasets, relevance=AREA)
    read_again = read(several)
    assert contradictions(several, [read_again]) == []
    for before, after in (("anna is", "bert is"), ("all 3 differences", "2 of 3 differences")):
        entries = {d: text.replace(before, after) for d, text in read_again.entries.items()}
        assert entries != read_again.entries
        assert contradictions(several, [replace(read_again, entries=entries)])


def test_new_data_of_the_source_are_another_target() -> None:
    told = {"scheme": "bootstrap"}
    values = blocks((0.1, 0.101, 0.102, 0.3), 100)
    report = made(values, problem="real-world", resampling=told)
    assert contradictions(report, [read(report)]) == []


@pytest.mark.slow
@pytest.mark.parametrize("variance", ["own", "pooled"])
@pytest.mark.parametrize("seed", range(8))
def test_every_report_has_one_verdict_a_pair(seed: int, variance: str) -> None:
    rng = np.random.default_rng([21, seed])
    n, n_blocks = int(rng.integers(2, 9)), int(rng.choice([4, 8, 30, 80]))
    values = blocks(0.3 + 0.02 * rng.normal(size=n), n_blocks, sd=0.02, seed=seed)
    if seed % 3 == 0:
        values[rng.random(values.shape) < 0.1] = np.nan
    if seed % 4 == 1:
        values = np.round(values, 2)
    times = np.exp(blocks(rng.normal(size=n), n_blocks, sd=0.3, seed=seed))
    report = made(
        {"d": {ERROR: values, TIME: times}},
        relevance=AREA if seed % 2 else {},
        reference=NAMES[0] if seed > 4 else None,
        variance=variance,
    )
    assert contradictions(report, [read(report)]) == []


def test_several_data_sets_have_one_verdict_a_pair() -> None:
    datasets = {f"d{i}": {ERROR: blocks((0.1, 0.11, 0.2), 20, seed=i)} for i in range(3)}
    report = made(datasets, relevance=AREA)
    said = read(report)
    assert len({c.key for c in of_text(report, said)}) == 3
    assert contradictions(report, [said]) == []
