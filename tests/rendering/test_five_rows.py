"""The design and the provenance of an article: five rows each."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.rendering.composition import compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.markup import html_text
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import DatasetDesign, Report
from tests.conclusion.cases import CASES, case, designed, plain
from tests.rendering.conftest import make_report
from tests.sections.reading import ERROR, TIME, faults, report_of

ROWS = re.compile(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', re.DOTALL)


def rows(report: Report, part: str) -> dict[str, str]:
    """Return the rows of the design's article, or of the provenance."""
    bare = replace(report, contents=(), conclusion=None)
    made = compose(RenderContext(bare, HTML, (), extras()))
    html = str(made.design.article if part == "design" else made.provenance)
    return {plain(head): plain(cell) for head, cell in ROWS.findall(html)}


@pytest.mark.parametrize("name", [n for n in CASES if n != "table"])
def test_design(name: str) -> None:
    report = designed(name)
    found = rows(report, "design")
    data, *rest = found
    assert data in ("Data", "Data sets")
    assert rest == ["Candidates", "Measures", "Samples"]  # decisions, where sections have tests
    assert not faults("\n".join(found.values()))


def test_words_of_the_design() -> None:
    assert rows(designed("settings"), "design")["Data"] == (
        "line in eight settings: b2 = 0, 0.1, 0.2, 0.3; n = 50, 150"
    )
    assert rows(designed("table"), "design") == {}


TWO, BOTH = ("anna", "bert"), {"misclassification": (-0.01, 0.01), "fit-time": (0.5, 2.0)}
GIVEN = "differences of misclassification error inside ±1 percentage point are too small to matter"
USUAL = "for fitting time a factor of 1.1 (default area of equivalence)"
NONE = "no area of equivalence is given"


@pytest.mark.parametrize(
    ("measures", "relevance", "told"),
    [
        ("e", {}, [NONE]),
        ("e", {"misclassification": (-0.01, 0.01)}, [GIVEN]),
        ("t", {}, [USUAL]),
        ("et", {}, [USUAL, f"{NONE} for misclassification error"]),
        ("et", {"misclassification": (-0.01, 0.01)}, [GIVEN, USUAL]),
        ("et", BOTH, [
            GIVEN, "ratios of fitting time inside a factor of 2 are too small to matter"]),
        ("em", {}, [NONE]),
        ("em", {"m": (-0.5, 0.5)}, [
            "differences of m inside ±0.5 are too small to matter",
            f"{NONE} for misclassification error"]),
    ],
)  # fmt: skip
def test_the_area_of_equivalence_is_that_of_the_verdicts(
    measures: str, relevance: dict[str, tuple[float, float]], told: list[str]
) -> None:
    rng = np.random.default_rng(3)
    known = {"e": ERROR, "t": TIME, "m": Measure("m")}
    values = {known[m]: 1 + rng.random((20, 2)) for m in measures}
    report = report_of({"d": values}, TWO, only=("inference",), relevance=relevance)
    made = compose(RenderContext(report, HTML, (), extras()))
    cells = {plain(head): plain(cell) for head, cell in ROWS.findall(str(made.design.article))}
    assert cells["Decisions"].split("; ")[1:] == told
    main = report.areas[0]
    (content,) = report.contents
    verdict = content.result[main.measure.name]
    assert (main.bounds, main.is_given) == (verdict.relevance, verdict.is_area_given)
    methods = plain(str(made.article_methods))
    caption = plain(str(made.sections[0].article))
    assert ("Relevant: it lies beyond" in methods) == (main.bounds is not None)
    assert ("Band: " in caption) == (main.bounds is not None)
    is_usual = main.bounds is not None and not main.is_given
    for text in (methods, caption):
        assert ("(default area of equivalence)" in text) == is_usual


@pytest.mark.parametrize("name", ["winner", "domain", "table"])
def test_provenance(name: str) -> None:
    found = rows(designed(name), "provenance")
    assert [*found] == ["Command", "Input", "Computed with", "Run", "Data"]
    assert not faults("\n".join(x for x in found.values() if x))


@pytest.mark.parametrize(
    ("execution", "said"),
    [
        ({}, "600 fits; seed 7"),
        ({"fits": 600, "seconds": 12.25, "workers": 2, "reused_fits": 0},
         "600 fits in 12.3 s by 2 workers; seed 7"),
        ({"fits": 1, "seconds": 1.0, "workers": 1, "reused_fits": 599},
         "1 fit in 1.0 s by 1 worker, 599 of an earlier run; seed 7"),
        ({"fits": 0, "seconds": 0.1, "workers": 1, "reused_fits": 600},
         "600 fits of an earlier run; seed 7"),
    ],
)  # fmt: skip
def test_run(execution: dict[str, float], said: str) -> None:
    whole = case("winner")
    report = replace(whole, provenance=replace(whole.provenance, execution=execution), contents=())
    made = compose(RenderContext(report, HTML, (), extras()))
    assert f"Run {said}" in plain(str(made.provenance).replace("</th>", "</th> "))


def test_what_is_left_out_of_the_article_is_supplement() -> None:
    report = replace(make_report(), contents=())
    made = compose(RenderContext(report, HTML, (), extras()))
    assert "Sizes" in plain(made.design.body)
    assert "ab" * 32 in plain(made.rerun)
    assert "ab" * 32 not in plain(made.provenance)
    assert html_text(report.provenance.manifest.splitlines()[0]) in str(made.rerun)


def test_factors_of_a_design() -> None:
    settings = [DatasetDesign(f"d{i}", 2, 0, base="d", factors={"n": i}) for i in (50, 150)]
    design = make_report().design
    assert replace(design, datasets=tuple(settings)).factors == {"n": (50, 150)}
    other = DatasetDesign("e", 2, 0)
    assert replace(design, datasets=(*settings, other)).factors == {}
    assert design.factors == {}


LINE = {"response": "y", "response_unit": "mm", "formula": "y = 2 x + b2 x² + e"}


def of_data(*datasets: DatasetDesign) -> tuple[str, str]:
    """Return the row of the data in the article, and that of generated data in the rest."""
    report = make_report(tuple(d.name for d in datasets), ("k", "l"))
    report = replace(report, design=replace(report.design, datasets=datasets), length="article")
    body = str(compose(RenderContext(replace(report, contents=()), HTML, (), extras())).design.body)
    rest = re.findall(r"<th[^>]*>Generated data</th><td[^>]*>(.*?)</td>", body, re.DOTALL)
    data, *_ = (x for head, x in rows(report, "design").items() if head in ("Data", "Data sets"))
    return data, " ".join(map(plain, rest))


def test_the_response_and_how_data_arise_are_said() -> None:
    one = DatasetDesign("line", 25, 0, 150, 1, **LINE)
    said = "line, 150 observations, 1 variable; response y in mm; generated: y = 2 x + b2 x² + e"
    assert of_data(one) == (said, "")
    bare = replace(one, response_unit="", formula="")
    assert of_data(bare) == ("line, 150 observations, 1 variable; response y", "")


def test_settings_have_one_formula_and_data_sets_each_their_own() -> None:
    settings = [
        DatasetDesign(f"line (b2 = {b})", 25, 0, base="line", factors={"b2": b}, **LINE)
        for b in (0.0, 0.5)
    ]
    said = "line in two settings: b2 = 0, 0.5; generated: y = 2 x + b2 x² + e"
    assert of_data(*settings) == (said, "")
    several = (
        DatasetDesign("a", 25, 0, formula="two spirals"),
        DatasetDesign("b", 25, 0),
        DatasetDesign("c", 25, 0, formula="two spirals"),
        DatasetDesign("d", 25, 0, formula="normal"),
    )
    assert of_data(*several) == ("a, b, c and d", "a and c: two spirals. d: normal")
