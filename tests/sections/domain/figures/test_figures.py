"""Figures of the domain: what is drawn, how much of it, and what is told of it."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from scipy.optimize import minimize

from reportgen.drawing import SMALL, Canvas, Sheet, text_width
from reportgen.drawing.labels import LONGEST_ALT
from reportgen.drawing.style import PHONE_WIDTH, TEXT_WIDTH, candidate_styles, house_settings
from reportgen.notation import number_format
from reportgen.report import Figure
from reportgen.sections.domain.figures import draw, families_figure, number_format_of, rows
from reportgen.sections.domain.figures.benchmark_summary_plot import (
    LINE,
    LOW_ROW,
    PLACES,
    bar_lengths,
    brackets,
    clip_places,
    draw_bsplot,
    lay_out,
    n_places,
    spread_out,
    tree_segments,
)
from reportgen.sections.domain.figures.interaction import FOOT, LEAST_PANE, Shown, _lay_out, shown
from reportgen.sections.domain.figures.pairs import pair_plot
from reportgen.sections.domain.figures.rows import MOST_MARKS, of_regret
from reportgen.sections.domain.result import (
    MOST_CANDIDATES,
    MOST_DATASETS,
    SPARE,
    DatasetRow,
    DomainResult,
)
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values, judged
from tests.sections.reading import COST, ERROR, TIME

PAGE = 680.0  # pt: a figure is no higher, so that a page holds it with its caption
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
    figures = draw(result, replace(canvas, phone=True))  # as those over all data sets have it
    assert len({(f.name, f.measure) for f in figures}) == len(figures)
    for figure in figures:
        for drawing in (figure.screen, figure.print, figure.phone):
            if drawing is not None:
                ElementTree.fromstring(drawing)
        assert 0 < len(figure.alt) <= LONGEST_ALT
        assert all(len(row) == len(figure.data.columns) for row in figure.data.rows)
    return {f.name: f for f in figures}


def test_bars_are_shares_of_the_worst_mean():
    result = domain(4, 3)
    kind, lengths = bar_lengths(result)
    worst = max(x for row in result.rows for x in row.means.values())
    assert kind == "share"
    for row in result.rows:
        for name, x in row.means.items():
            assert lengths[row.name, name] == pytest.approx(x / worst)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "values", "kind"),
    [
        (TIME, [0.1, 5.0, 200.0], "log"),
        (COST, [-3.0, 0.0, 4.0], "range"),
        (COST, [0, 0, 0], "range"),
        (ERROR, [0.4, 0.42, 0.45], "range"),  # alike: bars from 0 would show no difference
        (ERROR, [0.3, 0.42, 0.45], "share"),
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


def test_of_many_candidates_only_the_first_places_are_drawn() -> None:
    row = row_of(20, ((0, 1, 2), (4, 5, 6), (5, 6, 7), (8, 9)))
    found = clip_places(row, PLACES)
    assert found.order == row.order[:PLACES] == tuple(f"c{i}" for i in range(6))
    assert found.level_groups == (("c0", "c1", "c2"), ("c4", "c5"))
    assert len(found.is_better_than_next) == PLACES
    assert clip_places(row_of(12), PLACES) == row_of(12)
    assert n_places([row]) == PLACES > n_places([replace(row, order=("tree (depth=5)",))])


def test_the_tree_joins_rows_at_their_heights():
    result = domain(6, 4)
    lines = tree_segments(result)
    assert len(lines) == 3 * 5
    assert max(line[2] for line in lines) == max(result.merge_heights)
    starts = {y0 for x0, y0, _, _ in lines if x0 == 0}
    assert starts >= set(range(6)) - {y for _, y, x1, _ in lines if x1 == 0}


def test_names_are_never_markup():
    names = ("<b>a</b>", "b & c", 'd"e')
    values = {f"<i>{d}": v for d, v in draw_values(1, [[0.1, 0.2, 0.3]] * 3).items()}
    figures = drawn(analysed(warehouse_of({ERROR: values}, names)))
    assert all("<b>" not in f.screen and "<i>" not in f.screen for f in figures.values())


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e20, 1e95])
def test_axes_leave_out_a_value_that_dwarfs_all_others(size: float) -> None:
    rows = (20 + np.random.default_rng(1).normal(size=(8, 3))).tolist()
    values = draw_values(1, rows, n_replications=6, sd=0.5)
    values["d2"][3, 1] = size
    figures = drawn(analysed(warehouse_of({COST: values}, "abc")))
    for name in ("interaction", "regret"):
        assert "beyond the axis" in figures[name].screen, name


@pytest.mark.slow
@pytest.mark.parametrize(("m", "k"), [(2, 2), (10, 4)])
def test_small_domains_have_all_figures_for_phones_too(m, k):
    result = domain(m, k)
    figures = drawn(result)
    assert set(figures) - {"regret"} == {"pairs", "bsplot", "interaction"}
    assert ("regret" in figures) == (result.regret.free_choice is None)
    assert all(f.phone for f in figures.values())
    size = sum(len(f.screen) + len(f.phone or "") for f in figures.values())
    assert size < LARGEST_DOMAIN


@pytest.mark.slow
def test_pairs_are_drawn_for_phones_in_large_domains_too():
    figures = drawn(domain(45, 6, n_replications=2))
    assert [name for name, figure in figures.items() if figure.phone] == ["pairs"]


@pytest.mark.parametrize("largest", ["5.73 pp", "a factor of 1.23 to one significant digit"])
@pytest.mark.parametrize("k", [2, 6, MOST_CANDIDATES + SPARE])
@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
def test_the_means_stand_left_of_the_departures_on_every_screen(width, k, largest):
    names = tuple(f"candidate {i}" for i in range(k))
    sheet = Sheet(candidate_styles(names), width)
    what = Shown(tuple(f"quite a long name {i}" for i in range(8)), names)
    legend = ("better than expected", f"worse; the largest: {largest}")
    place = _lay_out(sheet, what, legend)
    assert place.pane >= 0.999 * LEAST_PANE - 1
    assert place.gutter + place.pane < place.squares
    assert place.squares + k * place.column <= width + 1e-9
    assert place.column >= SMALL
    widest = max(text_width(text, SMALL) for text in legend)
    assert place.foot > FOOT or place.squares + widest <= width


@pytest.mark.parametrize("k", [3, 6, 30])
@pytest.mark.parametrize("length", [84.0, 160.0, 320.0])
def test_the_axis_of_ranks_has_whole_ones_from_the_first(k, length):
    values = {str(i): (float(i + 1), 1.5) for i in range(k)}
    spread = rows.Spread(values, {}, {}, (), "", "", are_ranks=True)
    axis = rows._fit(spread, length, 34.0)
    steps = set(np.diff(axis.ticks))
    assert axis.ticks[0] == 1
    assert axis.ticks[-1] <= k
    assert len(set(np.diff(axis.ticks[1:]))) == 1
    step = axis.ticks[2] - axis.ticks[1]
    assert axis.ticks[1] - 1 in (step, step - 1)  # 1, 3, 5 or 1, 5, 10
    assert axis.labels == tuple(f"{tick:.0f}" for tick in axis.ticks)
    assert axis.holds([1.0, float(k)]).all()
    assert (k > 6) or steps == {1.0}
    assert min(steps) * length / (axis.upper - axis.lower) >= 10


@pytest.mark.slow
def test_one_value_a_data_set_has_ranks():
    figures = drawn(domain(20, 14, n_replications=1))
    assert set(figures) == {"pairs", "ranks", "bsplot", "interaction", "regret"}
    assert {name for name, figure in figures.items() if figure.phone} == {"pairs", "ranks"}


def test_the_summary_plot_shows_every_cell_once():
    result = domain(5, 4)
    figure = drawn(result)["bsplot"]
    cells = {(row[0], row[2]) for row in figure.data.rows}
    assert cells == {(d, c) for d in result.datasets for c in result.candidates}
    texts = [e.text for e in ElementTree.fromstring(figure.print).iter() if e.tag.endswith("text")]
    assert all(any(name == t.rstrip("*") for t in texts if t) for name in result.datasets)
    assert sum(t == "a" for t in texts) == 5
    means = {(row.name, n): x for row in result.rows for n, x in row.means.items()}
    assert {(r[0], r[2]): r[3] for r in figure.data.rows} == means


def test_brackets_of_one_line_do_not_overlap():
    row = row_of(6, ((0, 1, 2), (2, 3), (3, 4), (4, 5)))
    lines = brackets(row)
    assert sorted(g for line in lines for g in line) == sorted(row.level_groups)
    for line in lines:
        places = [range(row.order.index(g[0]), row.order.index(g[-1]) + 1) for g in line]
        assert len({i for p in places for i in p}) == sum(map(len, places))
    crowded = row_of(6, tuple((i, i + 1, i + 2) for i in range(4)))
    assert len(brackets(crowded)) == 3
    assert brackets(crowded, 2) == []


def height(figure: Figure) -> float:
    """Return the height of a drawing, in points."""
    return float(re.search(r'height="([\d.]+)pt"', figure.print)[1])


def of_many(n: int) -> DomainResult:
    """Return a domain of n rows whose relations are no weak orders."""
    result = domain(4, 3, n_replications=1)
    groups = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
    rows = tuple(row_of(6, groups, name=f"data set {i}") for i in range(n))
    return replace(
        result,
        rows=rows,
        candidates=rows[0].order,
        leaf_order=tuple(row.name for row in rows),
        merges=(),
        merge_heights=(),
        interaction=None,
    )


@pytest.mark.parametrize("n", [30, 31, 60, 61, 100, 120, 400])
def test_no_figure_is_higher_than_a_page(n):
    many = of_many(n)
    canvas = Canvas.of(many.candidates, n, "domain-0")
    sheet = Sheet(canvas.styles, TEXT_WIDTH)
    named: list[str] = []
    with house_settings():
        for part in many.parts:
            place = lay_out(many, sheet, part)
            assert place.bottom < PAGE
            assert [row.name for row in place.rows] == [many.rows[i].name for i in part]
            assert place.is_low == (n > 30) == (place.names is None)
            if n > 30:
                assert place.height <= LOW_ROW
            heights = list(place.names_at.values())
            assert np.diff(heights).min() >= LINE - 1e-9
            assert max(heights) < PAGE
            named += [place.rows[i].name for i in place.names_at]
    assert len(many.parts) == (2 if 60 < n <= 100 else 1)
    if n <= 100:
        assert named == [row.name for row in many.rows]
    else:
        assert named == list(many.named_rows)
        assert len(named) == MOST_DATASETS


@pytest.mark.parametrize("n", [31, 70])
def test_no_bar_hides_a_part_of_its_mark(n):
    result = domain(n, 3, n_replications=3)
    sheet = Sheet(Canvas.of(result.candidates, n, "domain-0").styles, TEXT_WIDTH)
    (part, *_) = result.parts
    with house_settings():
        draw_bsplot(result, number_format_of(result), sheet, part=part)
    place = lay_out(result, sheet, part)
    assert place.is_low
    bars = np.array(place.tops) + place.height - place.bar
    marks = [mark for mark in sheet.drawing.findobj(Line2D) if len(mark.get_xdata()) == len(part)]
    assert len(marks) == len(result.candidates)
    for mark in marks:
        shape = MarkerStyle(mark.get_marker())
        extent = shape.get_path().transformed(shape.get_transform()).get_extents()
        ends = np.sort(mark.get_ydata()) + mark.get_markersize() * extent.height / 2
        assert (ends <= bars + 1e-6).all()


@pytest.mark.slow
def test_of_many_data_sets_the_tree_goes_on_over_the_pages():
    result = domain(70, 3, n_replications=3)
    figures = drawn(result)
    first, second = (figures[name] for name in ("bsplot", "bsplot-2"))
    assert [f.name for f in figures.values() if f.name.startswith("bsplot")] == [
        "bsplot",
        "bsplot-2",
    ]
    rows = [row[0] for f in (first, second) for row in f.data.rows]
    assert list(dict.fromkeys(rows)) == [row.name for row in result.rows]
    for figure, part in zip((first, second), result.parts, strict=True):
        texts = {
            (e.text or "").rstrip("*")
            for e in ElementTree.fromstring(figure.print).iter()
            if e.tag.endswith("text")
        }
        names = {result.rows[i].name for i in part}
        assert names <= texts
        assert not (set(result.datasets) - names) & texts


@pytest.mark.parametrize("wanted", [[1.0], [0.0, 0.0, 0.0], [5.0, 5.5, 30.0, 31.0, 90.0, 99.9]])
def test_places_that_are_spread_out_move_as_little_as_possible(wanted):
    found = spread_out(wanted, 4.0, 0.0, 100.0)
    assert np.all(np.diff(found) >= 4 - 1e-9)
    assert min(found) >= 2
    assert max(found) <= 98
    constraint = [{"type": "ineq", "fun": lambda x: np.diff(x) - 4}] if len(wanted) > 1 else []
    best = minimize(
        lambda x: float(np.sum((x - np.array(wanted)) ** 2)),
        np.linspace(10, 90, len(wanted)),
        bounds=[(2, 98)] * len(wanted),
        constraints=constraint,
    )
    assert found == pytest.approx(best.x, abs=1e-3)


@pytest.mark.slow
def test_where_hardly_any_would_be_left_out_all_are_shown():
    result = domain(4, MOST_CANDIDATES + SPARE, n_replications=1)
    assert len(shown(result, result.interaction).candidates) == MOST_CANDIDATES + SPARE
    assert height(drawn(result)["interaction"]) < PAGE


@pytest.mark.slow
def test_of_very_many_data_sets_the_figures_show_those_that_depart_most():
    result = domain(62, 17, n_replications=1)
    figures = drawn(result)
    assert all(height(f) < PAGE for f in figures.values())
    what = shown(result, result.interaction)
    assert (len(what.datasets), len(what.candidates)) == (MOST_DATASETS, MOST_CANDIDATES)
    size = {d: max(map(abs, own.values())) for d, own in result.interaction.departures.items()}
    left_out = set(size) - set(what.datasets)
    assert max(size[d] for d in left_out) <= min(size[d] for d in what.datasets)
    places = list(result.interaction.levels)
    assert [places.index(d) for d in what.datasets] == sorted(map(places.index, what.datasets))


def test_pairs_have_both_opinions_and_columns():
    result = domain(9, 3)
    verdict = result.verdict[result.main]
    plot = pair_plot(result, verdict, number_format(verdict.measure, verdict.means.values()))
    common = result.others(result.main)[0].pairs
    for row, pair in zip(plot.rows, verdict.best_first, strict=True):
        better = pair.reversed()  # the smaller error is better
        assert (row.lower, row.estimate, row.upper) == (better.lower, better.estimate, better.upper)
        other = common.between(row.first, row.second).reversed()
        assert row.other == (other.lower, other.upper)
        assert row.is_decided == pair.significant
    heads = [column.head for column in plot.columns]
    assert heads == ["pp", "95% interval", "p, own", "won", "p, ranks", "decision"]
    won = dict(zip(heads, plot.columns, strict=True))["won"].cells
    assert won == tuple(f"{p.wins} of 9" for p in verdict.best_first)


def test_marks_are_linked_to_their_candidates():
    figures = drawn(domain(5, 3))
    for name in ("bsplot", "interaction", "regret", "pairs"):
        linked = set(re.findall(r'data-c="([^"]+)"', figures[name].screen))
        assert {"0", "1", "2"} <= linked or (name == "pairs" and linked), name


def test_losses_are_drawn_in_the_unit_of_differences():
    result = domain(9, 3)
    loss, at = result.regret, number_format(result.main_measure, [0.3])
    spread = of_regret(result, loss, at, str)
    assert list(spread.values) == list(loss.order)
    for name, own in loss.candidates.items():
        assert spread.values[name] == pytest.approx([100 * x for x in own.datasets.values()])
    assert max(map(len, spread.values.values())) < MOST_MARKS
    assert [column.head for column in spread.columns] == ["mean loss", "worst loss", "on"]


@pytest.mark.parametrize("n", [2, 3, 13])
def test_equal_losses_stand_above_each_other_in_their_row_and_at_their_value(n: int) -> None:
    xs = np.array([0.0] * n + [0.3, 0.4, 0.7])
    places, ys = rows._in_piles(xs, 50.0, rows.ROW)
    assert places is xs
    assert len(set(ys[:n].tolist())) == n
    assert ys[:n].mean() == pytest.approx(50.0)
    assert np.abs(ys - 50.0).max() <= (rows.ROW - rows.MARK) / 2
    assert len(set(ys[n:].tolist())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
def test_a_candidate_without_a_value_has_a_gap(width):
    values = draw_values(1, [[0.1, 0.2, 0.3]] * 6)
    values["d2"][:, 1] = np.nan
    result = analysed(warehouse_of({ERROR: values}, "abc"))
    assert "b" not in result.interaction.departures["d2"]
    assert "d2" not in result.regret.candidates["b"].datasets
    assert set(drawn(result)) >= {"bsplot", "interaction"}


@pytest.mark.parametrize(("n", "is_turned"), [(6, True), (3, False)])
def test_families_stand_in_rows_on_a_phone_where_they_are_more(n, is_turned):
    means = np.random.default_rng(4).uniform(0.2, 0.4, (12, 4)).tolist()
    results = warehouse_of({ERROR: draw_values(4, means)}, "abcd")
    facts = {d: {"family": f"family {i % n}"} for i, d in enumerate(results.datasets)}
    result = judged(replace(results, facts=facts))
    figure = families_figure(result, Canvas.of("abcd", 1, "domain-0"), number_format_of(result))
    assert figure is not None
    rows = [
        (text.text or "").split()[0]
        for text in ElementTree.fromstring(figure.phone).iter("{http://www.w3.org/2000/svg}text")
        if text.get("text-anchor") == "end"
    ]
    assert rows == (["family"] * 6 if is_turned else list(result.verdict[result.main].order))
