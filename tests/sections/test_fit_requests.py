"""Figures on request of how fits came about and what they leave: numbers read back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import AnalysisError
from reportgen.sections.domain.requests import split

CORNERS = np.array([[1.0, 1, 3], [8, 2, 5], [4, 9, 4]])


def lines(drawing: Figure) -> list[Line2D]:
    return [line for axes in drawing.axes for line in axes.get_lines()]


def table(
    folder: Path, values: np.ndarray, options: str, names: str = "width,height,depth"
) -> BenchmarkStudy:
    """Write a table and fit archetypes to it."""
    rows = [f"row {i},{','.join(map(str, row))}" for i, row in enumerate(values.tolist())]
    (folder / "table.csv").write_text("\n".join([f"row,{names}", *rows]) + "\n")
    manifest = folder / "table.yaml"
    manifest.write_text(
        "study: {title: A table}\nresults: {table: table.csv, label: row}\n"
        f"sections: [{{archetypes: {{k: 3, samples: 0, most: 3, {options}}}}}]\n"
    )
    return reportgen.run(manifest, folder / "run")


@pytest.fixture(scope="module")
def triangle(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkStudy:
    rng = np.random.default_rng(7)
    values = rng.dirichlet([0.7, 0.7, 0.7], 60) @ CORNERS + rng.normal(0, 0.2, (60, 3))
    options = "skeleton: {height: height, shoulders: width, knee: depth}"
    return table(tmp_path_factory.mktemp("triangle"), values, options)


@pytest.fixture(scope="module")
def robust(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkStudy:
    rng = np.random.default_rng(7)
    values = rng.dirichlet([0.7, 0.7, 0.7], 60) @ CORNERS + rng.normal(0, 0.3, (60, 3))
    values[-2:] += 40
    return table(tmp_path_factory.mktemp("robust"), values, "fit: robust, starts: 2")


def test_iterations_fall_to_what_the_archetypes_leave(triangle: BenchmarkStudy) -> None:
    found = triangle.result("archetypes")
    (line,) = [one for one in lines(triangle.figure("iterations")) if len(one.get_xdata()) > 2]
    drawn = np.asarray(line.get_ydata(), dtype=float)
    assert drawn == pytest.approx(found.trace)
    assert (np.diff(drawn) <= 1e-9 * drawn[0]).all()
    assert drawn[-1] == pytest.approx((found.residuals**2).sum())


def test_a_panorama_has_all_rows_by_distance_and_the_others_among_them(
    triangle: BenchmarkStudy,
) -> None:
    found = triangle.result("archetypes")
    scaled = (found.values - found.values.mean(axis=0)) / found.values.std(axis=0, ddof=1)
    corners = (np.array(found.archetypes) - found.values.mean(axis=0)) / found.values.std(
        axis=0, ddof=1
    )
    panels = triangle.figure("panorama").axes
    tracked = [axes for axes in panels if any(len(x.get_xdata()) == 60 for x in axes.get_lines())]
    assert len(tracked) == found.k == 3
    for j, axes in enumerate(tracked):
        (rows,) = [line for line in axes.get_lines() if len(line.get_xdata()) == 60]
        wanted = np.sort(np.linalg.norm(scaled - corners[j], axis=1))
        assert rows.get_ydata() == pytest.approx(wanted)
        marks = [float(x.get_ydata()[0]) for x in axes.get_lines() if x.get_marker() == "D"]
        others = [np.linalg.norm(corners[i] - corners[j]) for i in range(3) if i != j]
        assert sorted(marks) == pytest.approx(sorted(others))


@pytest.mark.slow
def test_residuals_and_weights_stand_in_the_order_of_the_rows(robust: BenchmarkStudy) -> None:
    found = robust.result("archetypes")
    assert {"row 58", "row 59"} <= set(found.outliers)
    drawing = robust.figure("archetype-residuals")
    panels = [a for a in drawing.axes if any(len(x.get_xdata()) > 5 for x in a.get_lines())]
    for axes, values in zip(panels, (found.residuals, found.row_weights), strict=True):
        inside, outside = [x for x in axes.get_lines() if x.get_marker() == "o"]
        places = np.concatenate([inside.get_xdata(), outside.get_xdata()])
        drawn = np.concatenate([inside.get_ydata(), outside.get_ydata()])
        assert drawn[np.argsort(places)] == pytest.approx(values)
        assert outside.get_fillstyle() == "none"
        assert set(outside.get_xdata()) == {1 + i for i in np.flatnonzero(found.is_outside)}
    (limit,) = [x for x in panels[0].get_lines() if x.get_linestyle() == "--"]
    assert limit.get_ydata() == pytest.approx([found.bound] * 2)


def test_weights_that_are_all_alike_have_no_panel(triangle: BenchmarkStudy) -> None:
    drawing = triangle.figure("archetype-residuals")
    assert sum(any(len(x.get_xdata()) == 60 for x in a.get_lines()) for a in drawing.axes) == 1


@pytest.mark.slow
def test_all_figures_of_a_fit_stand_in_a_full_report(
    triangle: BenchmarkStudy, robust: BenchmarkStudy, tmp_path: Path
) -> None:
    triangle.report(tmp_path / "t", formats=["html"], length="full")
    page = (tmp_path / "t" / "report.html").read_text()
    for name in ("archetype-residuals", "iterations", "panorama", "skeleton"):
        assert page.count(f'id="figure-archetypes-{name}"') == 1
    assert "which no column has" not in page
    robust.report(tmp_path / "r", formats=["html"], length="full")
    text = re.sub(r"<[^>]*>", "", (tmp_path / "r" / "report.html").read_text())
    assert "has how far each row is from its mixture, and its weight" in text


def test_skeletons_are_as_wide_and_high_as_the_columns_say(triangle: BenchmarkStudy) -> None:
    found = triangle.result("archetypes")
    entry = _data(triangle, "skeleton")
    assert entry == [
        (j + 1, part, row[c])
        for j, row in enumerate(found.archetypes)
        for part, c in (("height", 1), ("shoulders", 0), ("knee", 2))
    ]
    drawing = triangle.figure("skeleton")
    (page,) = [a for a in drawing.get_children() if type(a).__name__ == "PageArtist"]
    heavy = [a for a in page.get_children() if isinstance(a, PathPatch) and a.get_linewidth() > 2]
    pairs = [patch.get_path().vertices.reshape(-1, 2, 2) for patch in heavy]
    widths = [abs(one[0, 0] - one[1, 0]) for of_body in pairs for one in of_body]
    tallest = max(row[1] for row in found.archetypes)
    wanted = [170 / tallest * row[0] for row in found.archetypes]
    for width in wanted:
        assert any(x == pytest.approx(width, rel=0.02) for x in widths), (width, widths)


def _data(study: BenchmarkStudy, name: str) -> list[tuple[object, ...]]:
    """Return the numbers behind a figure on request."""
    from dataclasses import replace

    from reportgen.drawing import Canvas
    from reportgen.sections import find_sections

    section = find_sections()["archetypes"]
    canvas = replace(Canvas.of(study.candidates, 1, "t"), requested=frozenset({name}))
    (found,) = [f for f in section.draw(study.result("archetypes"), canvas) if f.name == name]
    assert found.data is not None
    return [tuple(row) for row in found.data.rows]


def test_a_skeleton_of_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(20, 3))
    with pytest.raises(AnalysisError, match=r"skeleton: height: found 'hight'.*height"):
        table(tmp_path, values, "skeleton: {height: hight}").result("archetypes")


# ------------------------------------------------------------------------ domain and tree


@pytest.fixture(scope="module")
def separable(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkStudy:
    """Six data sets with two candidates, of which size decides."""
    folder, rng = tmp_path_factory.mktemp("separable"), np.random.default_rng(2)
    rows, sizes = [], []
    for d in range(12):
        size, shift = 10 * (d + 1), 0.05 if d < 6 else -0.05
        sizes.append(f"s{d},{size},{rng.normal():.3f}")
        for b in range(12):
            x = rng.normal(0.3, 0.02, 2) + np.array([shift, 0])
            rows.append(f"s{d},{b + 1},{x[0]},{x[1]}")
    (folder / "e.csv").write_text("\n".join(["dataset,replication,lda,svm", *rows]) + "\n")
    (folder / "c.csv").write_text("\n".join(["dataset,obs.n,noise", *sizes]) + "\n")
    manifest = folder / "s.yaml"
    manifest.write_text(
        "study: {title: Sizes}\nmeasures: [misclassification]\n"
        "results: {wide: e.csv, characteristics: c.csv}\n"
        "sections: [domain, {psychoanalysis: {resamples: 0, figures: [instability]}}]\n"
    )
    return reportgen.run(manifest, folder / "run")


@pytest.mark.slow
def test_instability_has_the_track_of_every_test_and_its_limit(separable: BenchmarkStudy) -> None:
    root = separable.result("psychoanalysis")["misclassification"].tree
    assert root.split.characteristic == "obs.n"
    panels = [a for a in separable.figure("instability").axes if a.get_lines()]
    assert len(panels) == len(root.tests) == 2
    for axes, test in zip(panels, root.tests, strict=True):
        track = max(axes.get_lines(), key=lambda line: len(line.get_xdata()))
        assert track.get_xdata() == pytest.approx(test.places)
        assert max(track.get_ydata()) == pytest.approx(test.statistic)
        limits = [x for x in axes.get_lines() if len(set(x.get_ydata())) == 1 < len(x.get_ydata())]
        assert any(x.get_ydata()[0] == pytest.approx(test.critical_value) for x in limits)
    assert max(root.tests[0].path) > root.tests[0].critical_value
    upright = [x for x in panels[0].get_lines() if set(x.get_xdata()) == {root.split.cutpoint}]
    assert len(upright) == 1


@pytest.mark.slow
def test_instability_stands_in_the_report_and_not_in_its_numbers(
    separable: BenchmarkStudy, tmp_path: Path
) -> None:
    separable.report(tmp_path, formats=["html", "json"])
    page = (tmp_path / "report.html").read_text()
    assert page.count('id="figure-psychoanalysis-instability-misclassification"') == 1
    assert re.search(r"Figure.\d</a> has how the worths drift", page)
    (root, *_) = separable.result("psychoanalysis")["misclassification"].tree.tests
    found = json.loads((tmp_path / "results.json").read_text())["sections"]["psychoanalysis"]
    (kept, *_) = found["misclassification"]["tree"]["tests"]
    assert kept["statistic"] == pytest.approx(root.statistic)
    assert not {"places", "path"} & set(kept)


def test_residuals_by_data_set_are_those_of_an_additive_model(separable: BenchmarkStudy) -> None:
    found = separable.result("domain")
    values = next(iter(found.values.values()))
    fitted, residuals = split(values)
    assert fitted + residuals == pytest.approx(values)
    assert residuals.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert residuals.mean(axis=1) == pytest.approx(0, abs=1e-12)
    drawing = separable.figure("dataset-residuals")
    left = next(axes for axes in drawing.axes if axes.patches)
    assert len(left.patches) == len(found.leaf_order) == 12
    middle = [
        float(x.get_xdata()[0])
        for x in left.get_lines()
        if len(set(x.get_xdata())) == 1 and np.ptp(x.get_ydata()) > 0
    ]
    for dataset in found.leaf_order:
        median = 100 * np.median(split(found.values[dataset])[0])
        assert any(x == pytest.approx(median) for x in middle)
