"""The kind of a report: which there are, what stands first in each, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.performance_measure import FEW_REPLICATIONS, Measure
from reportgen.rendering.composition import Composition, compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import DatasetDesign, Report, report_type_of
from reportgen.section_runner import chosen_sections
from reportgen.sections import find_sections
from reportgen.study.manifest import load_study
from reportgen.units import SUMMARY
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed
from tests.sections.domain.making import report_of as domain_report
from tests.sections.domain.making import warehouse_of as many_sets
from tests.sections.reading import NAMES, plain, report_of

ERROR = Measure("misclassification", "smaller", "share", (0.0, 1.0))
TIME = Measure("fit-time", "smaller", "s", (0.0, None))


def values(n_replications: int, n_candidates: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    level = 0.2 + 0.03 * np.arange(n_candidates)
    return level + rng.normal(0.0, 0.01, (n_replications, n_candidates))


def composed(report: Report) -> Composition:
    return compose(RenderContext(report, HTML, (), extras()))


@pytest.mark.parametrize("n_candidates", [1, 2, 3, 30])
@pytest.mark.parametrize("n_replications", [1, FEW_REPLICATIONS - 1, FEW_REPLICATIONS, 100])
def test_one_data_set_has_few_values_with_two_candidates_or_few_replications(
    n_candidates: int, n_replications: int
) -> None:
    report_type = report_type_of([n_replications], n_candidates, is_table=False)
    is_few = n_candidates == 2 or n_replications < FEW_REPLICATIONS
    assert report_type == ("few" if is_few else "dataset")
    assert report_type_of([n_replications], n_candidates, is_table=True) == "table"


@pytest.mark.parametrize(
    ("numbers", "has_factors", "report_type"),
    [
        ([1, 1], False, "single"),
        ([1, 2], False, "domain"),
        ([5, 5], False, "domain"),
        ([1, 1], True, "settings"),
        ([9, 9], True, "settings"),
    ],
)
def test_several_data_sets(numbers: list[int], has_factors: bool, report_type: str) -> None:
    assert report_type_of(numbers, 2, is_table=False, has_factors=has_factors) == report_type


@pytest.mark.parametrize(("b", "k"), [(5, 2), (30, 2), (6, 5), (30, 5)])
def test_of_few_values_the_pairs_stand_first(b: int, k: int, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("candidate,replication,mse\na,1,2\n", encoding="utf-8")
    (tmp_path / "study.yaml").write_text("results: r.csv\n", encoding="utf-8")
    sections = find_sections()
    study = load_study(tmp_path / "study.yaml", {n: s.options for n, s in sections.items()})
    warehouse = warehouse_of({ERROR: values(b, k)}, NAMES[:k])
    names = [choice.name for choice in chosen_sections(study, sections, warehouse)]
    assert set(names) >= {"eda", "inference", "preferences"}
    assert (names[0] == "inference") == (k == 2 or b < FEW_REPLICATIONS)


@pytest.mark.parametrize(("b", "k"), [(5, 2), (30, 2), (6, 5), (30, 5)])
def test_of_few_values_nothing_is_held_back(b: int, k: int) -> None:
    report = report_of({"d": {ERROR: values(b, k)}}, NAMES[:k], only=("inference", "eda"))
    is_few = k == 2 or b < FEW_REPLICATIONS
    found = composed(report)
    assert (report.density == "compact") == is_few
    assert found.has_supplement != is_few
    assert any(section.body for section in found.sections) != is_few
    full = composed(replace(report, length="full"))
    assert full.has_supplement
    assert any(section.body for section in full.sections)


def test_what_is_missing_stands_in_the_article_of_few_values() -> None:
    gapped = values(6, 3)
    gapped[2, 1] = np.nan
    report = report_of({"d": {ERROR: gapped}}, NAMES[:3])
    assert not composed(report).failures
    sizes = (DatasetDesign("d", 6, 1, missing={"bert": 1}, n_incomplete=1),)
    design = replace(report.design, datasets=sizes, n_values=18, n_missing=1)
    found = composed(replace(report, design=design))
    assert not found.failures  # no reason is known, and the table of the design tells the number
    assert "Values that are missing" in plain(str(found.design.article))


def test_one_value_a_cell_has_no_pages_of_data_sets() -> None:
    of = {f"set {i}": {ERROR: values(1, 3, i)} for i in range(12)}
    report = report_of(of, NAMES[:3], only=("eda",))
    for length in ("article", "full"):
        context = RenderContext(replace(report, length=length), HTML, (), extras())
        assert context.dataset_pages == "none"
        assert compose(context).datasets is None
    two = report_of({f"set {i}": {ERROR: values(2, 3, i)} for i in range(12)}, NAMES[:3])
    assert RenderContext(two, HTML, (), extras()).dataset_pages == "report"


@pytest.mark.slow
@pytest.mark.parametrize("n_candidates", [3, 9])
def test_the_values_that_the_article_does_not_show_are_the_supplement(n_candidates: int) -> None:
    names, sets = NAMES[:n_candidates], [f"set {i}" for i in range(12)]
    of = {
        measure: {d: scale * values(1, n_candidates, i) for i, d in enumerate(sets)}
        for measure, scale in ((ERROR, 1.0), (TIME, 10.0))
    }
    warehouse = many_sets(of, names)
    report = domain_report(analysed(warehouse), warehouse)
    design = replace(report.design, datasets=tuple(DatasetDesign(d, 1, 0) for d in sets))
    held = tuple(warehouse.performances(d, m.name) for d in sets for m in of)
    context = RenderContext(replace(report, design=design, performances=held), HTML, (), extras())
    html = context.insert_labels(str(compose(context).values))
    text = plain(html)
    assert "Table S1" in text
    assert "Values of fitting time" in text
    assert "misclassification" not in text  # the article has them
    assert html.count("set 11") == html.count("<figure id=")


def test_a_design_has_the_outline_of_its_sizes() -> None:
    report = report_of({"d": {ERROR: values(5, 2)}}, NAMES[:2])
    assert report.design.report_type == "few"
    many = tuple(DatasetDesign(f"d{i}", 1, 0) for i in range(3))
    assert replace(report.design, datasets=many).report_type == "single"
    assert replace(report.design, datasets=many, unit=SUMMARY).report_type == "domain"


@pytest.mark.slow
def test_means_with_spreads_have_pages_of_data_sets(tmp_path: Path) -> None:
    """On each data set the candidates are compared, which the report shows as of other studies."""
    names = [["d0", "d1", "d2"], ["anna", "bert", "cara"]]
    frame = pd.MultiIndex.from_product(names, names=["dataset", "model"]).to_frame(index=False)
    frame["accuracy_mean"] = np.tile([0.7, 0.8, 0.9], 3) + np.repeat([0.0, 0.01, 0.03], 3)
    study = reportgen.compare(frame.assign(accuracy_sd=0.02, n=10))
    study.report(tmp_path, formats=["md"], length="full")
    (page,) = tmp_path.rglob("report.md")
    text = page.read_text("utf-8")
    for dataset in names[0]:
        assert f"| {dataset} | cara | cara &gt; bert &gt; anna |" in text
        assert f"tests and decision** ({dataset})" in text
