"""Figures on request: their names, their places in a report, and what they draw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from matplotlib.artist import Artist
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.text import Text
from numpy.typing import NDArray
from scipy.stats import studentized_range

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.drawing import COLOURS, PHONE_WIDTH, Sheet
from reportgen.drawing.plots.rows import STROKE
from reportgen.drawing.style import house_settings
from reportgen.errors import StudyError
from reportgen.notation import number, whole_range
from reportgen.rendering.templates import read_text
from reportgen.sections import find_sections
from reportgen.sections.archetypes.requests import draw_parallel
from reportgen.sections.base import Section
from reportgen.sections.domain.figures.benchmark_summary_graph import graph_of, pairs_of
from reportgen.sections.eda.requests import class_edges
from reportgen.sections.inference.requests import undecided_groups
from reportgen.sections.sequential.figures import rejecting
from reportgen.stats.ranks.nemenyi import compare_mean_ranks
from reportgen.stats.relations.hasse import hasse
from tests.builders import blank_figures

SECTIONS = [section for section in find_sections().values() if section.requests]


def compared(n: int, laws: Mapping[str, tuple[float, float]]) -> BenchmarkStudy:
    """Compare candidates on one data set, by mean and spread beside what replications share."""
    rng = np.random.default_rng(3)
    block = rng.normal(0.3, 0.02, n)
    errors = {name: block + rng.normal(*law, n) for name, law in laws.items()}
    return reportgen.compare(errors, measure="misclassification", relevance=0.01, name="monks")


@pytest.fixture(scope="module")
def study() -> BenchmarkStudy:
    return compared(40, {"lda": (0.05, 0.01), "rpart": (0.01, 0.02), "svm": (0, 0.01)})


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
    with blank_figures():
        study.report(tmp_path / "out", formats=["html"])
    page = (tmp_path / "out" / "report.html").read_text()
    article = page[page.index('id="eda"') : page.index('id="inference"')]
    for name in ("boxes", "stacked"):
        anchor = f"figure-eda-{name}-misclassification"
        assert article.count(f'id="{anchor}"') == 1
        assert re.search(rf'href="#{anchor}"[^>]*>Figure.\d</a> has', article)
    places = [article.index(f'id="figure-eda-{name}-') for name in ("stacked", "boxes")]
    assert places == sorted(places)
    assert "density" not in article
    assert (tmp_path / "out" / "figures" / "eda-boxes-misclassification.svg").is_file()


def test_a_full_report_has_all_that_apply(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, "[eda, inference]", length="full")
    with blank_figures():
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


def test_classes_and_densities_are_no_narrower_than_the_step_of_the_values() -> None:
    """Errors on 200 test observations have a step of half a percentage point."""
    rng = np.random.default_rng(3)
    errors = {name: rng.binomial(200, p, 250) / 200 for name, p in {"a": 0.01, "b": 0.03}.items()}
    found = reportgen.compare(errors, measure="misclassification")
    edges = class_edges(100 * np.concatenate([*errors.values()]))
    grid = np.arange(0, 100 * max(map(max, errors.values())) + 0.25, 0.5)
    assert len(set(np.histogram(grid, edges)[0][:-1])) == 1
    assert len(edges) > 4
    for line in found.figure("density").axes[0].get_lines():
        heights = line.get_ydata()
        falls = np.diff(heights) < 0
        assert (np.diff(falls.astype(int)) > 0).sum() <= 1  # one bump


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


def _members(artists: Sequence[Artist]) -> dict[float, int]:
    """Count the marks on each bar of a diagram of ranks; none lies on another."""
    marks = [a for a in artists if isinstance(a, Line2D) and a.get_zorder() == 5]
    found: dict[float, list[float]] = {}
    for mark in marks:
        found.setdefault(float(mark.get_ydata()[0]), []).append(float(mark.get_xdata()[0]))
    assert all(np.diff(sorted(xs)).min() > 4.5 for xs in found.values())
    return {y: len(xs) for y, xs in found.items()}


def test_a_diagram_of_ranks_has_bars_of_undecided_groups(study: BenchmarkStudy) -> None:
    found = study.result("inference")["misclassification"]
    artists = _page_of(study.figure("cd"))
    texts = [a.get_text() for a in artists if isinstance(a, Text)]
    for total in found.rank_sums.values():
        assert number(total / found.n_blocks, 2) in texts
    bars = list(_members(artists).values())
    pairs = found.rank_pairs
    ranks = {name: x / found.n_blocks for name, x in found.rank_sums.items()}
    groups = undecided_groups(ranks, pairs.candidates, pairs.incidence)
    assert bars == [len(group) for group in groups]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cd", "cd-nemenyi"])
def test_bars_over_data_sets_are_those_of_the_test_that_is_named(name: str) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal([0.3, 0.29, 0.26, 0.2, 0.19, 0.25], 0.03, size=(12, 1, 6))
    values[0, 0, 0] = values[0, 0, 1]  # a tie
    found = reportgen.compare(values, measure="misclassification", candidates=list("abcdef"))
    across = found.result("domain").across["misclassification"]
    ranks = pd.DataFrame(values[:, 0], columns=list("abcdef")).rank(axis=1).mean()
    nemenyi = compare_mean_ranks(
        pd.DataFrame(values[:, 0], columns=list("abcdef")).rank(axis=1).to_numpy()
    )
    artists = _page_of(found.figure(name))
    texts = [a.get_text() for a in artists if isinstance(a, Text)]
    assert all(number(x, 2) in texts for x in ranks)
    groups = across.groups if name == "cd" else across.rank_groups
    assert groups
    assert list(_members(artists).values()) == [len(g) for g in groups if len(g) > 1]
    told = [text for text in texts if text.startswith("CD")]
    difference = nemenyi.critical_difference
    assert told == ([] if name == "cd" else [f"CD = {number(difference, 2)}"])
    if name == "cd-nemenyi":
        assert {frozenset(g) for g in groups} == {
            frozenset("abcdef"[k] for k in clique) for clique in nemenyi.cliques
        }


@pytest.mark.slow
@pytest.mark.parametrize("n_gaps", [0, 2])
def test_groups_over_data_sets_are_those_of_all_subsets(n_gaps: int) -> None:
    """Both tests by their definitions: all signs of the ranks, and all sets of candidates."""
    values = np.random.default_rng(5).normal([0.3, 0.29, 0.26, 0.2, 0.19, 0.25], 0.03, (14, 6))
    values = np.round(values, 2)  # ties
    values[range(n_gaps), range(n_gaps)] = np.nan
    data = values[:, None]
    study = reportgen.compare(data, measure="misclassification", candidates=list("abcdef"))
    across = study.result("domain").across["misclassification"]
    every = pd.DataFrame(np.round(100 * values))
    kept = every.to_numpy()[n_gaps:]
    assert (across.n_datasets, len(across.missing_datasets)) == (len(kept), n_gaps)
    ranks = pd.DataFrame(kept).rank(axis=1).mean().to_numpy()
    difference = studentized_range.ppf(0.95, 6, 1e6) * np.sqrt(6 * 7 / (12 * len(kept)))
    assert across.critical_difference == pytest.approx(difference, rel=1e-5)  # 1e6 is not infinite
    by_ranks = np.abs(ranks[:, None] - ranks) <= difference
    assert _bars(across.rank_groups) == _largest(by_ranks)
    pairs = list(combinations(range(6), 2))
    differences = {(a, b): (every[a] - every[b]).dropna().to_numpy() for a, b in pairs}
    p_values = {pair: _signed_ranks(found) for pair, found in differences.items()}
    undecided = np.ones((6, 6), dtype=bool)
    for step, (a, b) in enumerate(sorted(pairs, key=lambda pair: p_values[pair])):
        if p_values[a, b] * (len(pairs) - step) > 0.05:
            break
        undecided[a, b] = undecided[b, a] = False
    assert not undecided.all()
    assert _bars(across.groups) == _largest(undecided)


def _signed_ranks(differences: NDArray[np.float64]) -> float:
    """Return the p-value of signed ranks over all signs; those of 0 have ranks (Pratt 1959)."""
    ranks = pd.Series(np.abs(differences)).rank().to_numpy()[differences != 0]
    found = np.sign(differences[differences != 0])
    signs = np.array(list(product((-1, 1), repeat=len(found))))
    return float(np.mean(np.abs(signs @ ranks) >= abs(found @ ranks) - 1e-9))  # rounding


def _largest(alike: NDArray[np.bool_]) -> set[frozenset[str]]:
    """Return the largest sets of two candidates or more, of which all are alike."""
    found: list[set[int]] = []
    for size in range(len(alike), 1, -1):
        for group in map(set, combinations(range(len(alike)), size)):
            is_inside = any(group < other for other in found)
            if not is_inside and all(alike[a, b] for a, b in combinations(group, 2)):
                found.append(group)
    return {frozenset("abcdef"[k] for k in group) for group in found}


def _bars(groups: Sequence[Sequence[str]]) -> set[frozenset[str]]:
    return {frozenset(group) for group in groups if len(group) > 1}


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


def test_a_range_of_ranks_goes_from_the_best_rank_to_the_worst(study: BenchmarkStudy) -> None:
    found = study.result("inference")["misclassification"]
    better = found.pairs.incidence
    names, axes = found.pairs.candidates, study.figure("rank-ranges").axes[0]
    wanted = {
        (1 + int(better[:, k].sum()), len(names) - int(better[k].sum())) for k in range(len(names))
    }
    drawn = [line.get_xdata() for line in axes.findobj(Line2D) if line.get_gid()]
    assert wanted <= {(round(x[0]), round(x[-1])) for x in drawn}
    texts = {text.get_text() for text in axes.figure.findobj(Text)}
    assert {whole_range(*own) for own in wanted} <= texts


def test_a_process_is_a_line_over_its_runs_with_a_mark_at_its_mean() -> None:
    rng = np.random.default_rng(7)
    seconds = np.exp(rng.normal(0, 0.05, (2, 8, 1)) + rng.normal(0, 0.02, (2, 8, 5)))  # (K, P, R)
    frame = pd.DataFrame({"candidate": np.repeat(["a", "b"], 40), "time": seconds.ravel()})
    timed = reportgen.compare(frame, unit="sample", processes=8, measure="time")
    found = timed.result("inference")["time"]
    for k, name in enumerate("ab"):
        assert found.processes[name].runs == tuple(map(tuple, seconds[k].tolist()))
    factor = found.value_format.factor
    lines = timed.figure("processes").axes[0].findobj(Line2D)
    marks = [line.get_xdata() for line in lines if len(np.atleast_1d(line.get_xdata())) == 8]
    means = factor * np.exp(np.log(seconds).mean(axis=2))
    np.testing.assert_allclose(sorted(map(tuple, marks)), sorted(map(tuple, means)))
    # what processes add to the variance of means, by hand
    logs = np.log(seconds[0])
    within = logs.var(axis=1, ddof=1).mean()
    between = logs.mean(axis=1).var(ddof=1) - within / 5
    own = found.processes["a"]
    assert (own.between**2, own.within**2) == pytest.approx((between, within))


# ---------------------------------------------------------------------------------- domain


@pytest.fixture(scope="module")
def domain() -> BenchmarkStudy:
    rng = np.random.default_rng(11)
    names = ("lda", "knn", "rpart", "svm")
    effects = np.array([0.04, 0.03, 0.06, 0])
    values = {}
    for d in range(8):
        own = rng.uniform(0.1, 0.3) + effects + rng.normal(0, 0.012, 4)
        matrix = own + rng.normal(0, 0.015, (12, 1)) + rng.normal(0, 0.01, (12, 4))
        values[f"set {d}"] = dict(zip(names, matrix.T.tolist(), strict=True))
    return reportgen.compare(values, measure="misclassification", relevance=0.01, name="uci")


@pytest.mark.slow
def test_a_trellis_has_the_box_of_every_candidate_on_one_axis(domain: BenchmarkStudy) -> None:
    result = domain.result("domain")
    panels = domain.figure("trellis").axes
    assert len(panels) == len(result.leaf_order) == 8
    assert len({panel.get_xlim() for panel in panels}) == 1
    medians = {row.name: row.medians for row in result.rows}
    for dataset, panel in zip(result.leaf_order, panels, strict=True):
        boxes = [patch for patch in panel.patches if isinstance(patch, PathPatch)]
        assert len(boxes) == 4
        lines = [
            float(line.get_xdata()[0])
            for line in panel.get_lines()
            if len(line.get_xdata()) == 2 and line.get_linewidth() == STROKE
        ]
        wanted = [100 * medians[dataset][name] for name in result.verdict[result.main].order]
        assert lines == pytest.approx(wanted)


def test_stacked_ranks_are_those_of_the_means(domain: BenchmarkStudy) -> None:
    result = domain.result("domain")
    bars = domain.figure("domain-stacked").axes[0].patches
    order = sorted(result.ranks, key=lambda name: sum(result.ranks[name]))
    wanted = [
        n for name in order for n in np.unique(result.ranks[name], return_counts=True)[1].tolist()
    ]
    assert [bar.get_width() for bar in bars] == wanted


def test_domain_relations_are_the_verdict(domain: BenchmarkStudy) -> None:
    result = domain.result("domain")
    better = result.verdict[result.main].pairs.incidence
    squares = [
        a
        for a in _page_of(domain.figure("domain-incidence"))
        if isinstance(a, PathPatch) and a.get_facecolor()[:3] == to_rgb(COLOURS["ink"][0])
    ]
    assert sum(len(a.get_path().vertices) // 5 for a in squares) == better.sum() > 0
    linked = {a.get_gid() for a in _page_of(domain.figure("domain-hasse"))}
    numbers = {name: i for i, name in enumerate(domain.candidates)}
    names = result.verdict[result.main].pairs.candidates
    covers = hasse(better).covers
    assert {f"c-{numbers[names[a]]}-{numbers[names[b]]}" for a, b in covers} <= linked


def test_a_summary_graph_has_a_mark_a_relation_and_lines_of_the_least_distances(
    domain: BenchmarkStudy,
) -> None:
    result = domain.result("domain")
    graph = graph_of(result)
    assert graph is not None
    assert sorted(d for node in graph.nodes for d in node.datasets) == sorted(result.datasets)
    place = {name: i for i, name in enumerate(result.distances.datasets)}
    drawn = pairs_of(graph)
    for first, second, distance in drawn:
        assert result.distances.matrix[place[first]][place[second]] == distance
    off = graph.distances[np.triu_indices(len(graph.nodes), 1)]
    assert sum(x > 0 for *_, x in drawn) == (off <= graph.levels[-1]).sum()
    marks = [
        a
        for a in _page_of(domain.figure("summary-graph"))
        if isinstance(a, Line2D) and a.get_zorder() == 4
    ]
    assert len(marks) == len(graph.nodes)


@pytest.mark.slow
def test_figures_of_a_domain_stand_in_the_article(domain: BenchmarkStudy, tmp_path: Path) -> None:
    names = "[cd, hasse, incidence, stacked, summary-graph, trellis]"
    manifest = tmp_path / "study.yaml"
    domain.performances.to_csv(tmp_path / "errors.csv", index=False)
    manifest.write_text(
        "study: {title: Figures}\nmeasures: [misclassification]\n"
        "results: {file: errors.csv}\n"
        f"sections: [{{domain: {{figures: {names}}}}}, {{eda: {{figures: [boxes]}}}}]\n"
    )
    study = reportgen.run(manifest, tmp_path / "run")
    with blank_figures():
        study.report(tmp_path / "out", formats=["html"])
    page = (tmp_path / "out" / "report.html").read_text()
    found = re.findall(r'id="figure-domain-([a-z-]+)-misclassification"', page)
    assert set(names.strip("[]").split(", ")) <= set(found)
    assert len(re.findall(r'id="figure-set-\d-eda-boxes-misclassification"', page)) == 8


# ------------------------------------------------------------------------------ sequential


@pytest.fixture(scope="module")
def long_study() -> BenchmarkStudy:
    return compared(150, {"lda": (0.01, 0.02), "svm": (0, 0.01), "rf": (0.002, 0.01)})


def test_tracks_are_the_p_values_of_every_look(long_study: BenchmarkStudy) -> None:
    found = long_study.result("sequential")["misclassification"]
    panels = long_study.figure("p-track").axes
    assert len(panels) == len(found.pairs) == 3
    for pair, axes in zip(found.by_advantage, panels, strict=True):
        track = max(axes.get_lines(), key=lambda line: len(line.get_xdata()))
        assert tuple(track.get_xdata()) == pair.replication
        assert list(track.get_ydata()) == [max(p, 1e-4) for p in pair.p_values]
        dashed = [line.get_xdata()[0] for line in axes.get_lines() if line.get_linestyle() == "--"]
        since = pair.point_of_consecutive_significance
        assert dashed == ([] if since is None else [since])


def test_tracks_that_stay_above_the_level_show_it() -> None:
    study = compared(20, {"lda": (0, 0.02), "svm": (0, 0.02)})
    (pair,) = study.result("sequential")["misclassification"].pairs
    assert min(pair.p_values) > 0.1
    (axes,) = study.figure("p-track").axes
    assert axes.get_ylim()[0] < pair.alpha


def test_stages_reject_below_their_line_and_give_up_above_the_other(
    long_study: BenchmarkStudy,
) -> None:
    found = long_study.result("sequential")["misclassification"]
    seen = set()
    for pair, axes in zip(found.by_advantage, long_study.figure("stages").axes, strict=True):
        marks = [
            line
            for line in axes.get_lines()
            if line.get_marker() in ("o", "s") and line.get_linestyle() == "None"
        ]
        drawn = [(m.get_xdata()[0], m.get_ydata()[0]) for m in marks]
        assert drawn == [(s.replication, max(s.p_value, 1e-4)) for s in pair.stages]
        for stage in pair.stages:
            bound = rejecting(stage, found.combination)
            assert (stage.decision == "reject") == (stage.p_value <= bound)
            assert stage.decision != "accept" or stage.p_value > stage.alpha_0
            seen.add(stage.decision)
    assert {"reject", "go-on"} <= seen


# ------------------------------------------------------------------------------ archetypes


@pytest.fixture(scope="module")
def triangle(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkStudy:
    """Rows about a triangle in two columns, of a table."""
    folder = tmp_path_factory.mktemp("triangle")
    rng = np.random.default_rng(5)
    corners = np.array([[1, 1], [8, 2], [4, 9]])
    rows = rng.dirichlet([0.6, 0.6, 0.6], 60) @ corners + rng.normal(0, 0.15, (60, 2))
    lines = [f"r{i},{a},{b}" for i, (a, b) in enumerate(rows.tolist())]
    (folder / "table.csv").write_text("\n".join(["row,width,height", *lines]) + "\n")
    manifest = folder / "study.yaml"
    manifest.write_text(
        "study: {title: T}\nresults: {table: table.csv, label: row}\n"
        "sections: [{archetypes: {k: 3, figures: [hull, parallel, profile-bars]}}]\n"
    )
    return reportgen.run(manifest, folder / "run")


@pytest.mark.slow
def test_a_hull_joins_the_archetypes_around_the_rows(triangle: BenchmarkStudy) -> None:
    result = triangle.result("archetypes")
    lines = triangle.figure("hull").axes[0].get_lines()
    rows = max(lines, key=lambda line: len(line.get_xdata()))
    assert rows.get_xydata() == pytest.approx(result.values)
    (ring,) = [line for line in lines if len(line.get_xdata()) == 4]
    corners = np.array(result.archetypes)
    assert np.unique(ring.get_xydata(), axis=0) == pytest.approx(np.unique(corners, axis=0))
    (marks,) = [line for line in lines if line.get_marker() == "D"]
    assert marks.get_xydata() == pytest.approx(corners)


def test_parallel_lines_are_rows_and_archetypes_of_scaled_columns(triangle: BenchmarkStudy) -> None:
    result = triangle.result("archetypes")
    axes = triangle.figure("parallel").axes[0]
    every = np.vstack([result.values, result.archetypes])
    wanted = (every - every.min(axis=0)) / np.ptp(every, axis=0)
    rows = [path.vertices[:, 1] for path in axes.collections[0].get_paths()]
    assert np.array(rows) == pytest.approx(wanted[:60])
    thick = [line for line in axes.get_lines() if line.get_linewidth() == STROKE]
    assert np.array([line.get_ydata() for line in thick]) == pytest.approx(wanted[60:])
    assert len({str(line._dash_pattern) for line in thick}) == 3  # type: ignore[attr-defined]


def test_names_of_columns_stay_on_a_narrow_sheet(triangle: BenchmarkStudy) -> None:
    names = tuple(f"A measure of {i}" for i in range(8))
    wide = (tuple(range(8)),) * 3
    result = replace(triangle.result("archetypes"), columns=names, archetypes=wide, values=wide)
    with house_settings():
        sheet = Sheet({}, PHONE_WIDTH)
        draw_parallel(result, sheet)
        drawn = sheet.drawing.findobj(lambda artist: getattr(artist, "get_text", str)() in names)
        assert len(drawn) == len(names)
        assert min(text.get_window_extent().x0 for text in drawn) > -1  # px


def test_profile_bars_are_percentiles(triangle: BenchmarkStudy) -> None:
    result = triangle.result("archetypes")
    for own, axes in zip(result.percentiles, triangle.figure("profile-bars").axes, strict=True):
        assert [bar.get_width() for bar in axes.patches] == pytest.approx([100 * x for x in own])


@pytest.mark.slow
def test_figures_of_a_table_and_of_stages_stand_in_reports(
    triangle: BenchmarkStudy, long_study: BenchmarkStudy, tmp_path: Path
) -> None:
    triangle.report(tmp_path / "table", formats=["html"])
    page = (tmp_path / "table" / "report.html").read_text()
    for name in ("hull", "parallel", "profile-bars"):
        assert page.count(f'id="figure-archetypes-{name}"') == 1
    sections = ["inference", "preferences", "sequential"]
    with blank_figures():
        long_study.report(tmp_path / "long", formats=["html"], length="full", sections=sections)
    page = (tmp_path / "long" / "report.html").read_text()
    for name in ("p-track", "stages"):
        assert page.count(f'id="figure-sequential-{name}-misclassification"') == 1
    for name in ("inference-cd", "inference-residuals", "inference-tukey", "preferences-hasse"):
        assert page.count(f'id="figure-{name}-misclassification"') == 1
    assert page.count("<em>p</em>-values below 0.0001 are drawn there") == 2
    assert "a dashed line: from where on" in page
    stages = [
        s for pair in long_study.result("sequential")["misclassification"] for s in pair.stages
    ]
    ends = {stage.decision for stage in stages}
    for word, decision in (("Filled", "reject"), ("Square", "accept"), ("Open circle", "go-on")):
        assert (f"{word}:" in page) == (decision in ends)


@pytest.mark.slow
def test_captions_of_tracks_explain_only_what_is_there(tmp_path: Path) -> None:
    alike = compared(30, {"lda": (0, 0.02), "svm": (0, 0.02)})
    with blank_figures():
        alike.report(tmp_path, formats=["html"], length="full", sections=["sequential"])
    page = (tmp_path / "report.html").read_text()
    assert "Each pair alone, at every look." in page
    assert "are drawn there" not in page


@pytest.mark.slow
def test_a_full_report_of_many_data_sets_has_those_of_the_study(
    domain: BenchmarkStudy, tmp_path: Path
) -> None:
    sections = ["domain", "eda", "inference"]
    with blank_figures():
        domain.report(tmp_path, formats=["html"], length="full", sections=sections)
    page = (tmp_path / "report.html").read_text()
    assert 'id="figure-domain-trellis-misclassification"' in page
    assert not re.search(r'id="figure-set-\d-(eda-boxes|inference-cd)-', page)


@pytest.mark.slow
def test_mean_ranks_say_of_what_they_are_and_what_becomes_of_ties_and_gaps(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    values = rng.normal([0.3, 0.25, 0.2], 0.02, size=(9, 3))
    values[0, 0] = values[1, 1] = np.nan
    values[2] = 0.25
    of_one = reportgen.compare(values, measure="misclassification", candidates=list("abc"))
    of_many = reportgen.compare(
        values[:, np.newaxis], measure="misclassification", candidates=list("abc")
    )
    texts = []
    for own, section in ((of_one, "inference"), (of_many, "domain")):
        with blank_figures():
            own.report(tmp_path / section, formats=["html"], length="full", sections=[section])
        page = (tmp_path / section / "report.html").read_text("utf-8")
        shown = page.partition(f'id="figure-{section}-cd-misclassification"')[2]
        plain = re.sub(r"<[^>]+>", "", shown.partition("</figcaption>")[0])
        texts.append(" ".join(plain.split()))
    assert all("ties share the mean of their ranks" in text for text in texts)
    assert (
        "Ranks are those in 7 replications of one data set; 2 others lack a value: "
        "of other data sets they say nothing." in texts[0]
    )
    assert (
        "Ranks are those on 7 data sets; 2 others lack the mean of a candidate: "
        "a pair is tested on those that have both." in texts[1]
    )
