"""Figures of the domain: what is drawn, how it is paged, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from reportgen.drawing import Canvas
from reportgen.drawing.labels import LONGEST_ALT
from reportgen.report import Figure
from reportgen.sections.domain.figures import _figures, draw
from reportgen.sections.domain.figures.benchmark_summary_graph import graph_of, winners
from reportgen.sections.domain.figures.benchmark_summary_plot import (
    MOST_HEIGHT,
    MOST_LOW_BRACKETS,
    PLACES,
    bar_lengths,
    brackets,
    clipped,
    n_places,
    pages,
    tree_segments,
)
from reportgen.sections.domain.figures.heatmaps import (
    MOST_COLUMNS,
    MOST_LINES,
    heat_pages,
    median_ranks,
    positions,
    shades,
)
from reportgen.sections.domain.figures.means import incidence_table, relation_figure
from reportgen.sections.domain.figures.panels import thinned
from reportgen.sections.domain.result import DatasetRow, DomainResult
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values
from tests.sections.reading import COST, ERROR, TIME

LARGEST_DOMAIN = 1_000_000  # bytes of all drawings on a screen


def domain(
    m: int, k: int, seed: int = 1, sd: float = 0.01, n_replications: int = 6
) -> DomainResult:
    rng = np.random.default_rng(seed)
    rows = (0.3 + rng.normal(0, 0.05, (m, 1)) + rng.normal(0, 0.03, (m, k))).tolist()
    names = [f"candidate {i}" if k > 9 else "abcdefghi"[i] for i in range(k)]
    values = draw_values(seed, rows, n_replications=n_replications, sd=sd)
    return analysed(warehouse_of({ERROR: values}, names))


def drawn(result: DomainResult) -> dict[str, Figure]:
    canvas = Canvas.of(result.candidates, len(result.datasets), "domain-0")
    figures = draw(result, canvas)
    assert len({(f.name, f.measure) for f in figures}) == len(figures)
    for figure in figures:
        for drawing in (figure.screen, figure.print, figure.phone):
            if drawing is not None:
                ElementTree.fromstring(drawing)
        assert 0 < len(figure.alt) <= LONGEST_ALT
        assert all(len(row) == len(figure.data.columns) for row in figure.data.rows)
    return {f.name: f for f in figures}


@pytest.mark.parametrize(("m", "k"), [(2, 2), (10, 4)])
def test_small_domains_have_all_figures_for_phones_too(m, k):
    result = domain(m, k)
    figures = drawn(result)
    always = {"bsplot", "trellis", "heat", "stacked", "means", "intervals", "effects", "affinity"}
    assert always <= set(figures)
    assert ({"ranks", "versus"} <= set(figures)) == (k > 2)
    drawn_pairs = (result.verdict[result.main].pairs, result.others(result.main)[0].pairs)
    some = any(pairs.n_significant for pairs in drawn_pairs)
    assert ("relation" in figures) == (k > 2 and some)
    assert ({"graph", "distances"} <= set(figures)) == (m > 2)
    assert all(f.phone for f in figures.values())
    size = sum(len(f.screen) + len(f.phone or "") for f in figures.values())
    assert size < LARGEST_DOMAIN


def test_many_candidates_have_a_heat_map_and_no_phone_drawings():
    figures = drawn(domain(20, 14, n_replications=1))
    assert "heat" in figures
    assert "trellis" not in figures
    assert "versus" not in figures
    assert {"leader", "heat"} <= set(figures)
    assert len(figures["leader"].data.rows) == 13
    assert not {"stacked", "effects"} & set(figures)
    assert not any(f.phone for f in figures.values())


def test_the_summary_plot_shows_every_cell_once():
    result = domain(5, 4)
    canvas = Canvas.of(result.candidates, len(result.datasets), "domain-0")
    figure = next(iter(_figures(result, canvas)))
    assert figure.name == "bsplot"
    cells = {(row[0], row[2]) for row in figure.data.rows}
    assert cells == {(d, c) for d in result.datasets for c in result.candidates}
    texts = [e.text for e in ElementTree.fromstring(figure.print).iter() if e.tag.endswith("text")]
    assert all(any(name == t.rstrip("*") for t in texts if t) for name in result.datasets)
    assert sum(t == "a" for t in texts) == 5
    means = {(row.name, n): x for row in result.rows for n, x in row.means.items()}
    assert {(r[0], r[2]): r[3] for r in figure.data.rows} == means


def test_bars_are_shares_of_the_worst_mean():
    result = domain(4, 3)
    kind, lengths = bar_lengths(result)
    worst = max(x for row in result.rows for x in row.means.values())
    assert kind == "share"
    for row in result.rows:
        for name, x in row.means.items():
            assert lengths[row.name, name] == pytest.approx(x / worst)


@pytest.mark.parametrize(
    ("measure", "values", "kind"),
    [
        (TIME, [0.1, 5.0, 200.0], "log"),
        (COST, [-3.0, 0.0, 4.0], "range"),
        (COST, [0, 0, 0], "range"),
    ],
)
def test_bars_of_other_measures(measure, values, kind):
    cubes = {measure: draw_values(1, [values, values], sd=0.0)}
    result = analysed(warehouse_of(cubes, "abc"))
    found, lengths = bar_lengths(result)
    assert found == kind
    assert all(0 <= x <= 1 for x in lengths.values())
    drawn(result)


def row_of(n: int, groups: tuple[tuple[int, ...], ...] = (), name: str = "d") -> DatasetRow:
    names = tuple(f"c{i}" for i in range(n))
    return DatasetRow(
        name=name,
        unavailable=False,
        order_class="semiorder" if groups else "linear",
        chain=None if groups else tuple((c,) for c in names),
        order=names,
        is_better_than_next=(True,) * (n - 1),
        level_groups=tuple(tuple(names[i] for i in g) for g in groups),
        best=names[:1],
        means=dict.fromkeys(names, 0.1),
        medians=dict.fromkeys(names, 0.1),
        n_missing=0,
    )


def test_brackets_of_one_line_do_not_overlap():
    row = row_of(6, ((0, 1, 2), (2, 3), (3, 4), (4, 5)))
    lines = brackets(row)
    assert sorted(g for line in lines for g in line) == sorted(row.level_groups)
    for line in lines:
        places = [range(row.order.index(g[0]), row.order.index(g[-1]) + 1) for g in line]
        assert len({i for p in places for i in p}) == sum(map(len, places))
    crowded = row_of(6, tuple((i, i + 1, i + 2) for i in range(4)))
    assert len(brackets(crowded)) == 3 > MOST_LOW_BRACKETS
    assert brackets(crowded, is_low=True) == []


@pytest.mark.parametrize("n", [1, 28, 29, 100, 200])
def test_pages_hold_every_row_once(n):
    rows = [row_of(4, name=str(i)) for i in range(n)]
    found = pages(rows)
    assert [row.name for page in found for row in page.rows] == [str(i) for i in range(n)]
    assert [page.first for page in found] == list(
        np.cumsum([0, *(len(page.rows) for page in found[:-1])])
    )
    if n > 28:
        assert all(13.5 * len(page.rows) <= MOST_HEIGHT + 13.5 for page in found)


def test_a_domain_of_many_data_sets_is_paged():
    result = domain(62, 3, n_replications=1)
    figures = drawn(result)
    assert {"bsplot", "bsplot-2", "heat", "heat-2"} <= set(figures)
    assert "effects" not in figures
    shown = [row[0] for name in ("bsplot", "bsplot-2") for row in figures[name].data.rows]
    assert list(dict.fromkeys(shown)) == list(result.leaf_order)
    assert sum(len(page.rows) for page in heat_pages(result)) == 62


def test_of_many_candidates_only_the_first_places_are_drawn() -> None:
    row = row_of(20, ((0, 1, 2), (4, 5, 6), (5, 6, 7), (8, 9)))
    found = clipped(row, PLACES)
    assert found.order == row.order[:PLACES] == tuple(f"c{i}" for i in range(6))
    assert found.level_groups == (("c0", "c1", "c2"), ("c4", "c5"))
    assert len(found.is_better_than_next) == PLACES
    assert clipped(row_of(12), PLACES) == row_of(12)
    assert n_places([row]) == PLACES > n_places([replace(row, order=("tree (depth=5)",))])


def test_diagrams_show_whom_each_covariance_puts_below() -> None:
    rows = (np.array([[0.1, 0.11, 0.3]] * 8) + 0.01).tolist()
    values = draw_values(2, rows, sd=0.005)
    result = analysed(warehouse_of({ERROR: values}, "abc"))
    figure = relation_figure(result, Canvas.of(result.candidates, 8, "domain-0"))
    told = {(s, a, b) for s, a, b, better in figure.data.rows if better}
    verdict, model = result.verdict[result.main], result.others(result.main)[0]
    for method, found in ((verdict.method, verdict.pairs), (model.structure, model.pairs)):
        pairs = {(p.favoured, *{p.first, p.second} - {p.favoured}) for p in found if p.favoured}
        assert {(a, b) for s, a, b in told if s == method} == pairs != set()
    table = incidence_table(result, result.main)
    ones = {(row[0], table.columns[j].name) for row in table.rows for j in (1, 2, 3) if row[j] == 1}
    assert ones == {(a, b) for s, a, b in told if s == "own-variance"}


def test_marks_of_the_graph_are_winners_or_best_medians() -> None:
    result = domain(5, 3)
    by_median = replace(result, graph_nodes="median", graph_levels=2)
    marks = winners(by_median)
    for row in result.rows:
        assert marks[row.name] == min(row.medians, key=row.medians.__getitem__)
    assert len(graph_of(by_median).levels) <= 2
    alone = {row.name: row.best[0] if len(row.best) == 1 else None for row in result.rows}
    assert winners(replace(result, graph_nodes="winner")) == alone
    nobody = tuple(replace(row, best=("a", "b")) for row in result.rows)
    assert replace(result, rows=nobody).nodes_by == "median"


def test_ranks_of_medians_share_ties() -> None:
    row = replace(row_of(4), medians={"c0": 0.2, "c1": 0.1, "c2": 0.2, "c3": 0.5})
    assert median_ranks(row, is_smaller_better=True) == {"c0": 2.5, "c1": 1, "c2": 2.5, "c3": 4}
    assert median_ranks(row, is_smaller_better=False) == {"c0": 2.5, "c1": 4, "c2": 2.5, "c3": 1}
    assert shades(row, 4, is_smaller_better=True)["c0"] == pytest.approx(0.25)
    assert shades(row, 13, is_smaller_better=True)["c0"] == pytest.approx(0.5)


def test_many_candidates_stand_on_several_pages() -> None:
    names = [f"c{i}" for i in range(51)]
    rows = tuple(replace(row_of(51), name=f"d{m}") for m in range(101))
    found = heat_pages(SimpleNamespace(main="x", across={}, candidates=names, rows=rows))
    cells = [(row.name, name) for page in found for row in page.rows for name in page.names]
    assert len(cells) == len(set(cells)) == 51 * 101
    assert all(len(p.rows) <= MOST_LINES and len(p.names) <= MOST_COLUMNS for p in found)


def test_the_tree_joins_rows_at_their_heights():
    result = domain(6, 4)
    lines = tree_segments(result)
    assert len(lines) == 3 * 5
    assert max(line[2] for line in lines) == max(result.merge_heights)
    starts = {y0 for x0, y0, _, _ in lines if x0 == 0}
    assert starts >= set(range(6)) - {y for _, y, x1, _ in lines if x1 == 0}


def test_positions_run_from_the_best_to_the_worst_median():
    row = replace(row_of(3), medians={"c0": 0.1, "c1": 0.2, "c2": 0.5})
    assert positions(row, is_smaller_better=True) == pytest.approx({"c0": 0, "c1": 0.25, "c2": 1})
    assert positions(row, is_smaller_better=False) == pytest.approx({"c0": 1, "c1": 0.75, "c2": 0})
    assert positions(row_of(3), is_smaller_better=True) == dict.fromkeys(("c0", "c1", "c2"), 0.0)


def test_thinned_values_keep_their_ends():
    values = tuple(float(i) for i in range(500))
    kept = thinned(values, 16)
    assert len(kept) == 16
    assert (kept[0], kept[-1]) == (0.0, 499.0)
    assert thinned(values[:10], 16) == values[:10]


def test_names_are_never_markup():
    names = ("<b>a</b>", "b & c", 'd"e')
    values = {f"<i>{d}": v for d, v in draw_values(1, [[0.1, 0.2, 0.3]] * 3).items()}
    figures = drawn(analysed(warehouse_of({ERROR: values}, names)))
    assert all("<b>" not in f.screen and "<i>" not in f.screen for f in figures.values())


@pytest.mark.parametrize("size", [1e20, 1e300])
def test_axes_leave_out_a_value_that_dwarfs_all_others(size: float) -> None:
    rows = (20 + np.random.default_rng(1).normal(size=(8, 3))).tolist()
    values = draw_values(1, rows, n_replications=6, sd=0.5)
    values["d2"][3, 1] = size
    figures = drawn(analysed(warehouse_of({COST: values}, "abc")))
    for name in ("means", "trellis", "stacked"):
        assert "beyond the axis" in figures[name].screen, name
