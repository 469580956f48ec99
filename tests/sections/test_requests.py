"""Figures on request: their names, their places in a report, and what they draw."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.text import Text

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.drawing import COLOURS
from reportgen.errors import StudyError
from reportgen.notation import number
from reportgen.rendering.templates import read_text
from reportgen.sections import find_sections
from reportgen.sections.base import Section
from reportgen.sections.inference.requests import undecided_groups

SECTIONS = [section for section in find_sections().values() if section.requests]


@pytest.fixture(scope="module")
def study() -> BenchmarkStudy:
    rng = np.random.default_rng(3)
    block = rng.normal(0.3, 0.02, 40)
    errors = {
        "lda": block + rng.normal(0.05, 0.01, 40),
        "rpart": block + rng.normal(0.01, 0.02, 40),
        "svm": block + rng.normal(0, 0.01, 40),
    }
    return reportgen.compare(errors, measure="misclassification", relevance=0.01, name="monks")


# ------------------------------------------------------------------------------- mechanism


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_manifest_may_name_all_figures_on_request_and_no_others(section: Section) -> None:
    annotation = section.options.model_fields["figures"].annotation
    names = get_args(get_args(annotation)[0])
    assert names == tuple(section.requests)
    assert sorted(names) == list(names)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_each_figure_on_request_has_a_source_and_words(section: Section) -> None:
    words = read_text("document/figures.md.j2")
    for name, draw in section.requests.items():
        assert re.search(r"\(.*\d{4}.*\)\.$", (draw.__doc__ or "").splitlines()[0]), name
        assert f"{{% block figure_{name.replace('-', '_')} %}}" in words


def _manifest(folder: Path, sections: str, *, n: int = 12, length: str = "article") -> Path:
    """Write results of one data set, and a manifest with these sections."""
    rng = np.random.default_rng(1)
    values = rng.normal(0.2, 0.02, (n, 3)) + np.array([0.05, 0.02, 0])
    rows = [
        f"monks,{b + 1},{name},{value}"
        for b, row in enumerate(values)
        for name, value in zip(("lda", "rpart", "svm"), row, strict=True)
    ]
    head = "dataset,replication,candidate,misclassification"
    (folder / "errors.csv").write_text("\n".join([head, *rows]) + "\n")
    manifest = folder / "study.yaml"
    manifest.write_text(
        "study: {title: Figures}\nmeasures: [misclassification]\n"
        "results: {file: errors.csv}\n"
        f"sections: {sections}\nreport: {{length: {length}}}\n"
    )
    return manifest


def test_a_figure_that_the_manifest_names_stands_in_its_section(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, "[{eda: {figures: [stacked, boxes]}}, inference]")
    study = reportgen.run(manifest, tmp_path / "run")
    study.report(tmp_path / "out", formats=["html"])
    page = (tmp_path / "out" / "report.html").read_text()
    article = page[page.index('id="eda"') : page.index('id="inference"')]
    for name in ("boxes", "stacked"):
        anchor = f"figure-eda-{name}-misclassification"
        assert article.count(f'id="{anchor}"') == 1
        assert re.search(rf'href="#{anchor}"[^>]*>Figure.\d</a> has', article)
    assert "density" not in article
    assert (tmp_path / "out" / "figures" / "eda-boxes-misclassification.svg").is_file()


def test_a_full_report_has_all_that_apply(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, "[eda, inference]", length="full")
    reportgen.run(manifest, tmp_path / "run").report(tmp_path / "out", formats=["html"])
    page = (tmp_path / "out" / "report.html").read_text()
    wanted = {"boxes", "density", "histogram", "percentile-intervals", "stacked"}
    assert wanted <= set(re.findall(r'id="figure-eda-([a-z-]+)-misclassification"', page))


def test_unknown_figures_are_told(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, "[{eda: {figures: [boxs]}}]")
    with pytest.raises(StudyError, match=r"study.yaml:4: sections.eda.figures.*'boxs'.*boxes"):
        reportgen.run(manifest, tmp_path / "run")


def test_a_figure_with_nothing_to_show_is_told(tmp_path: Path, lost_figures: list[str]) -> None:
    manifest = _manifest(tmp_path, "[{eda: {figures: [boxes]}}]", n=3)
    reportgen.run(manifest, tmp_path / "run").report(tmp_path / "out", formats=["html"])
    assert "eda of monks: found nothing to show in the figure boxes" in lost_figures


# ------------------------------------------------------------------------------------- eda


def test_boxes_show_medians_and_a_line_a_replication(study: BenchmarkStudy) -> None:
    seen = study.result("eda")["misclassification"]
    axes = study.figure("boxes").axes[0]
    medians = [
        float(line.get_xdata()[0])
        for line in axes.get_lines()
        if len(set(line.get_xdata())) == 1 and np.ptp(line.get_ydata()) == 14
    ]
    assert medians == pytest.approx([100 * s.median for s in seen.summary])
    (lines,) = axes.collections
    order = [seen.candidates.index(s.candidate) for s in seen.summary]
    drawn = np.array([path.vertices[:, 0] for path in lines.get_paths()])
    assert drawn == pytest.approx(100 * seen.values[:, order])


def test_percentile_intervals_are_those_of_the_summary(study: BenchmarkStudy) -> None:
    seen = study.result("eda")["misclassification"]
    axes = study.figure("percentile-intervals").axes[0]
    drawn = [
        tuple(line.get_xdata())
        for line in axes.artists + axes.lines
        if len(line.get_xdata()) == 2 and np.ptp(line.get_xdata()) > 0
    ]
    wanted = [tuple(100 * np.array(s.percentile_interval)) for s in seen.summary]
    assert np.array(drawn) == pytest.approx(np.array(wanted))


def test_stacked_bars_count_places(study: BenchmarkStudy) -> None:
    seen = study.result("eda")["misclassification"]
    bars = study.figure("stacked").axes[0].patches
    wanted = [
        place[s.candidate]
        for s in seen.summary
        for place in seen.podium.places
        if place.get(s.candidate)
    ]
    assert [bar.get_width() for bar in bars] == wanted


# ------------------------------------------------------------------- inference, preferences


def test_a_diagram_of_ranks_has_bars_of_undecided_groups(study: BenchmarkStudy) -> None:
    found = study.result("inference")["misclassification"]
    artists = _page_of(study.figure("cd"))
    texts = [a.get_text() for a in artists if isinstance(a, Text)]
    for total in found.rank_sums.values():
        assert number(total / found.n_blocks, 2) in texts
    bars = [
        len(a.get_xdata()) for a in artists if isinstance(a, Line2D) and a.get_markersize() == 4.5
    ]
    pairs = found.rank_pairs
    ranks = {name: x / found.n_blocks for name, x in found.rank_sums.items()}
    groups = undecided_groups(ranks, pairs.candidates, pairs.incidence)
    assert bars == [len(group) for group in groups]


def test_groups_are_those_of_which_no_two_are_decided() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    ranks = {"a": 1.2, "b": 2.0, "c": 3.0, "d": 3.8}
    assert undecided_groups(ranks, tuple("abcd"), better) == (("a", "b"), ("b", "c"), ("c", "d"))


def test_residuals_are_values_less_what_is_fitted(study: BenchmarkStudy) -> None:
    seen = study.result("inference")["misclassification"].diagnostics
    values = study.performances.pivot(columns="candidate", values="value", index="replication")
    for name, residuals in seen.residuals_of.items():
        fitted = np.array(seen.fitted_of[name])
        assert fitted + residuals == pytest.approx(values[name].to_numpy())
    fitted_axes, axes = study.figure("residuals").axes
    order = study.result("inference")["misclassification"].order
    for panel, columns in ((fitted_axes, seen.fitted_of), (axes, seen.residuals_of)):
        medians = [
            float(line.get_xdata()[0])
            for line in panel.get_lines()
            if len(line.get_xdata()) == 2 and np.ptp(line.get_ydata()) == 12
        ]
        assert medians == pytest.approx([100 * np.median(columns[name]) for name in order])


def test_tukey_has_the_intervals_of_the_block_model(study: BenchmarkStudy) -> None:
    found = study.result("inference")["misclassification"]
    method = found.methods["block-model"]
    axes = study.figure("tukey").axes[0]
    spans = sorted(
        tuple(line.get_xdata())
        for line in [*axes.artists, *axes.lines]
        if len(line.get_xdata()) == 2
        and np.ptp(line.get_ydata()) == 0
        and np.ptp(line.get_xdata()) > 0
    )
    wanted = []
    for pair in method.pairs:
        ends = sorted((100 * pair.lower, 100 * pair.upper))
        is_first = found.order.index(pair.first) < found.order.index(pair.second)
        wanted.append((-ends[1], -ends[0]) if is_first else tuple(ends))
    assert np.array(spans) == pytest.approx(np.array(sorted(wanted)))


def _page_of(drawing: Figure) -> list[Artist]:
    (page,) = [a for a in drawing.get_children() if type(a).__name__ == "PageArtist"]
    return page.get_children()


def test_a_hasse_diagram_has_a_line_a_cover_from_the_better_down(study: BenchmarkStudy) -> None:
    relation = study.result("preferences")[0]
    artists = _page_of(study.figure("hasse"))
    places = {a.get_text(): a.get_position()[1] for a in artists if isinstance(a, Text)}
    for better, worse in relation.covers:
        assert places[better] < places[worse]
    linked = [a.get_gid() for a in artists if (a.get_gid() or "").count("-") == 2]
    numbers = {name: i for i, name in enumerate(study.candidates)}
    assert sorted(linked) == sorted(f"c-{numbers[a]}-{numbers[b]}" for a, b in relation.covers)


def test_an_incidence_matrix_has_a_square_a_pair(study: BenchmarkStudy) -> None:
    relation = study.result("preferences")[0]
    artists = _page_of(study.figure("incidence"))
    squares = [
        a
        for a in artists
        if isinstance(a, PathPatch) and a.get_facecolor()[:3] == to_rgb(COLOURS["ink"][0])
    ]
    assert sum(len(a.get_path().vertices) // 5 for a in squares) == len(relation.pairs) > 0
