"""Tables of the domain hold the numbers of the result."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from math import sqrt

import numpy as np
import pytest

from reportgen.drawing.plots.rows import RowColumn
from reportgen.sections.domain import tables as domain_tables
from reportgen.sections.domain.figures import rows as rows_figure
from reportgen.sections.domain.figures.rows import Spread, draw_spread
from reportgen.sections.domain.tables import MOST_COLUMNS, MOST_ROWS, tabulate
from reportgen.sections.inference.result import ALL_PAIRS
from tests.builders import warehouse_of
from tests.drawing.test_rows import drawn, texts
from tests.sections.domain.making import analysed, draw_values, tell
from tests.sections.reading import COST, ERROR, TIME, faults

NAMES = ("anna", "bert", "cara")


@pytest.fixture(scope="module")
def result():
    rows = [[0.1, 0.2, 0.3], [0.12, 0.2, 0.25], [0.2, 0.1, 0.3], [0.15, 0.2, 0.4]]
    cost = {d: 10 * v for d, v in draw_values(2, rows).items()}
    return analysed(warehouse_of({ERROR: draw_values(1, rows), COST: cost}, NAMES))


@pytest.fixture(scope="module")
def tables(result):
    return {(t.name, t.measure): t for t in tabulate(result)}


def column(table, name: str) -> list:
    at = [c.name for c in table.columns].index(name)
    return [row[at] for row in table.rows]


def test_every_table_is_rectangular(tables):
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert len({c.name for c in table.columns}) == len(table.columns)
        assert not table.quiet or len(table.quiet) == len(table.rows)


def test_consensus(result, tables):
    table = tables["consensus", ""]
    rows = dict.fromkeys(column(table, "ensemble"))
    assert list(rows) == ["misclassification error", "cost", "all measures"]
    first = table.rows[0]
    found = result.consensus["misclassification"]
    assert first[1:] == (4, "the only one", found.relations[0].chain, found.criterion)
    named = replace(result, consensus={"error_rate": found}, consensus_all=None)
    assert column(next(iter(tabulate(named))), "ensemble")[0] == "error_rate"


def test_means(result, tables):
    table = tables["means", "misclassification"]
    assert column(table, "dataset") == list(result.leaf_order)
    for row, cells in zip(result.rows, table.rows, strict=True):
        assert cells[2:] == tuple(row.means[n] for n in NAMES)


def test_the_main_table_has_the_means_and_marks_the_best(result, tables):
    table = tables["datasets", "misclassification"]
    assert column(table, "dataset") == sorted(result.leaf_order)
    verdict = result.verdict["misclassification"]
    for i, row in enumerate(sorted(result.rows, key=lambda row: row.name)):
        cells = {n: column(table, f"mean {n}")[i] for n in NAMES}
        assert {n: mean for n, (mean, _) in cells.items()} == row.means
        values = result.values[row.name]
        errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        assert [cells[n][1] for n in result.candidates] == pytest.approx(errors.tolist())
        assert {n for n in NAMES if (i, f"mean {n}") in table.marked} == set(row.best)
    foot = dict(zip([c.name for c in table.columns], table.foot, strict=True))
    assert foot["dataset"] == "mean"
    assert {n: foot[f"mean {n}"] for n in NAMES} == {n: (x, None) for n, x in verdict.means.items()}
    assert {c.candidate for c in table.columns} == {"", *NAMES}
    assert "missing" not in foot  # none lacks
    assert "n_tested" not in foot  # nobody knows


def test_six_candidates_with_errors_leave_room_for_sizes_and_the_baseline():
    names = ("knn", "lda", "nnet", "rf", "rpart", "svm")
    means = [[0.2 + 0.01 * m + 0.02 * k for k in range(6)] for m in range(4)]
    found = analysed(warehouse_of({ERROR: draw_values(1, means)}, names))
    sizes = {"n_observations": 958, "n_classes": 3}
    rows = tuple(replace(row, **sizes, baseline=0.5 + m / 50) for m, row in enumerate(found.rows))
    table = next(t for t in tabulate(replace(found, rows=rows)) if t.name == "datasets")
    shown = {c.name for c in table.columns if c.is_shown}
    assert {"n_observations", "n_classes", "baseline", *(f"mean {n}" for n in names)} <= shown
    assert all(error is not None for _, error in column(table, "mean svm"))


def test_the_main_table_has_gaps_sizes_and_times():
    values = draw_values(1, [[0.1, 0.2]] * 4)
    values["d1"][:3, 0] = np.nan
    seconds = {d: 10 * v for d, v in draw_values(2, [[0.1, 0.2]] * 4).items()}
    warehouse = warehouse_of({ERROR: values, TIME: seconds}, NAMES[:2], n_test=77.0)
    found = analysed(warehouse)
    table = next(t for t in tabulate(found) if t.name == "datasets")
    assert column(table, "n_tested") == [77.0] * 4
    at = column(table, "dataset").index("d1")
    assert [column(table, "missing")[i] for i in range(4)] == [
        3 if i == at else None for i in range(4)
    ]
    slowest = {d: v.mean(axis=0).max() for d, v in seconds.items()}
    assert column(table, "slowest") == pytest.approx([slowest[d] for d in column(table, "dataset")])
    (timed,) = (c for c in table.columns if c.name == "slowest")
    assert (timed.label, timed.number_format.unit_symbol) == ("Slowest, s", "s")


@pytest.mark.slow
@pytest.mark.parametrize("n", [33, 100, 104])
def test_up_to_a_hundred_data_sets_the_main_table_has_all(n):
    rng = np.random.default_rng(1)
    means = (0.3 + rng.normal(0, 0.05, (n, MOST_COLUMNS + 2))).tolist()
    names = [f"c{i}" for i in range(MOST_COLUMNS + 2)]
    result = analysed(warehouse_of({ERROR: draw_values(1, means, 1)}, names))
    table = next(t for t in tabulate(result) if t.name == "datasets")
    kept = result.interaction.most_departing(MOST_ROWS) if n > 100 else result.datasets
    assert set(column(table, "dataset")) == set(kept)
    shown = [c.candidate for c in table.columns if c.candidate]
    assert tuple(shown) == result.verdict[result.main].order[:MOST_COLUMNS]
    assert bool(table.foot) == (n <= 100)
    assert result.is_supplied == (n > 100)
    whole = next(t for t in tabulate(result) if t.name == "means")
    assert (len(whole.rows), len(whole.columns)) == (n, MOST_COLUMNS + 4)


@pytest.mark.slow
def test_long_names_leave_room_for_fewer_candidates():
    rng = np.random.default_rng(3)
    means = (0.3 + rng.normal(0, 0.05, (8, 12))).tolist()
    for length, most in ((3, MOST_COLUMNS), (9, 8), (40, 3)):
        names = [f"c{i:02d}".ljust(length, "x") for i in range(12)]
        values = draw_values(2, means)
        result = analysed(warehouse_of({ERROR: values}, names))
        table = next(t for t in tabulate(result) if t.name == "datasets")
        shown = [c.candidate for c in table.columns if c.candidate]
        assert 3 <= len(shown) <= most
        assert tuple(shown) == result.verdict[result.main].order[: len(shown)]


def test_three_questions(result, tables):
    table, found = tables["methods", "misclassification"], result.agreement["misclassification"]
    assert [m.method for m in found.main_methods] == ["consensus", "sources", "signed-ranks"]
    assert column(table, "pairs") == [len(m.ahead) for m in found.main_methods]
    assert column(table, "order") == [m.order if m.ahead else None for m in found.main_methods]
    assert not result.verdict["misclassification"].is_open
    assert not result.across["misclassification"].can_reject
    assert [m.method for m in result.able_methods] == ["consensus", "sources"]


@pytest.mark.parametrize("structure", ["own", "interaction", "unstructured"])
def test_the_method_that_decides_is_the_one_of_means(structure: str) -> None:
    warehouse = warehouse_of({ERROR: draw_values(3, [[0.1, 0.2, 0.3]] * 8)}, "abc")
    result = analysed(warehouse, structure=structure)
    verdict, found = result.verdict[ERROR.name], result.agreement[ERROR.name]
    assert [m.method for m in found.main_methods][1] == verdict.method
    better = {(p.first, p.second) for p in verdict.decided}
    assert set(found.main_methods[1].ahead) == better


def test_models(result, tables):
    table, verdict = tables["models", "misclassification"], result.verdict["misclassification"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["Errors of data sets"] == (None, None, None, verdict.pairs.n_significant, 0)
    for structure, words in (
        ("interaction", "independent interactions"),
        ("unstructured", "free covariance"),
    ):
        fit = result.fits("misclassification")[structure]
        statistic, _, p_value, n, otherwise = rows[f"Model, {words}"]
        test = fit.equality_test
        assert (statistic, p_value) == (test.statistic, test.p_value)
        assert (n, otherwise) == (fit.pairs.n_significant, len(verdict.differing(fit.pairs)))


def test_model(result, tables):
    table, found = tables["model", "misclassification"], result.verdict["misclassification"]
    assert column(table, "candidate") == list(found.order)
    assert column(table, "mean") == [found.means[n] for n in found.order]
    assert column(table, "interval") == [found.intervals[n] for n in found.order]
    for structure, fit in result.fits("misclassification").items():
        column_of = column(table, f"interval_{structure}")
        assert column_of == [fit.intervals[n] for n in found.order]


def test_ranking_of_very_many_candidates(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(domain_tables, "MOST_DRAWN", 5)
    rng = np.random.default_rng(4)
    rows = 0.3 + np.linspace(0, 0.1, 6) + rng.normal(0, 0.02, (14, 6))
    names = ("anna", "bert", "cara", "dora", "emil", "fred")
    result = analysed(warehouse_of({ERROR: draw_values(1, rows)}, names))
    found = result.verdict["misclassification"]
    (table,) = (t for t in tabulate(result) if t.name == "ranking")
    assert column(table, "candidate") == list(found.order)
    assert column(table, "mean") == [found.means[n] for n in found.order]
    assert any(column(table, "n_better"))
    for row in table.rows:
        name, _, first, last, better, worse, advantage, interval, p_value, counts = row
        against = [found.pairs.between(name, n) for n in names if n != name]
        assert better == sum(p.favoured == name for p in against)
        assert worse == sum(p.favoured not in (None, name) for p in against)
        assert (first, last) == (1 + worse, len(names) - better)
        if name == found.order[0]:
            assert (advantage, interval) == (None, (None, None))
        else:
            pair = found.pairs.between(found.order[0], name)
            assert (advantage, interval) == found.advantage(pair)
            assert p_value == pair.adjusted_p_value
            assert counts == (pair.wins, pair.ties, pair.losses)
    monkeypatch.setattr(domain_tables, "MOST_DRAWN", 6)
    assert not [t for t in tabulate(result) if t.name == "ranking"]


def test_the_page_of_very_many_candidates_has_that_table(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(domain_tables, "MOST_DRAWN", 11)
    rng = np.random.default_rng(4)
    names = tuple(f"model{k}" for k in range(12))
    rows = 0.3 + np.linspace(0, 0.1, 12) + rng.normal(0, 0.02, (14, 12))
    said, result = tell({f"d{m}": row[None] for m, row in enumerate(rows)}, names)
    assert faults(said.whole) == []
    best = result.verdict["misclassification"].order[0]
    assert "95% for all at once" in said.whole
    assert f"the advantage of {best} over each, in percentage points" in said.whole
    assert re.search(r"Table \S+ has all", said.whole)


def test_figures_of_very_many_candidates_draw_some_and_say_so(monkeypatch: pytest.MonkeyPatch):
    spread = Spread(
        dict.fromkeys(NAMES, (1.0, 2.0)),
        dict.fromkeys(NAMES, ("x", "y")),
        dict.fromkeys(NAMES, 1.5),
        (RowColumn("mean", ("1.5",) * 3),),
        "rank",
        "rank",
    )
    whole = drawn(partial(draw_spread, spread), NAMES)
    monkeypatch.setattr(rows_figure, "MOST_ROWS", 2)
    some = drawn(partial(draw_spread, spread), NAMES)
    assert "2 of 3" not in whole
    assert {"2 of 3", "anna", "bert"} <= set(texts(some))
    assert "cara" not in texts(some)


def test_pairs(result, tables):
    table, found = tables["pairs", "misclassification"], result.verdict["misclassification"]
    assert [tuple(c) for c in column(table, "pair")] == [
        (p.first, p.second) for p in found.best_first
    ]
    assert all(x >= 0 for x in column(table, "advantage"))
    assert [low <= x <= high for x, (low, high) in zip(
        column(table, "advantage"), column(table, "interval"), strict=True
    )] == [True] * 3  # fmt: skip
    for structure, fit in result.fits("misclassification").items():
        p_of = {frozenset((p.first, p.second)): p.adjusted_p_value for p in fit.pairs}
        found_there = column(table, f"p_value_{structure}")
        assert found_there == [p_of[frozenset(c)] for c in column(table, "pair")]


def test_variances(result, tables):
    table = tables["variances", "misclassification"]
    fits = result.mixed_model["misclassification"]
    cells = dict(zip(column(table, "component"), column(table, "interaction"), strict=True))
    assert cells["Residual"] == pytest.approx(sqrt(fits["interaction"].variance["residual"]))
    free = dict(zip(column(table, "component"), column(table, "unstructured"), strict=True))
    covariance = fits["unstructured"].covariance
    assert free["of anna"] == pytest.approx(sqrt(covariance[0][0]))
    assert free["Data sets"] is None


@pytest.mark.slow
def test_many_candidates_have_pairs_with_the_best_mean():
    k = ALL_PAIRS + 1
    rows = [[0.1 + 0.01 * ((i * (m + 2)) % k) for i in range(k)] for m in range(4)]
    names = [f"c{i}" for i in range(k)]
    result = analysed(warehouse_of({ERROR: draw_values(1, rows)}, names))
    tables = {t.name: t for t in tabulate(result)}
    best = result.verdict["misclassification"].order[0]
    assert len(tables["pairs"].rows) == k * (k - 1) // 2
    rivals = tables["leader-pairs"]
    order = result.verdict[ERROR.name].order
    assert [row[0] for row in rivals.rows] == [(best, name) for name in order[1:]]
    shared = [column.name for column in rivals.columns]
    assert set(shared) >= {"advantage", "interval", "p_value", "datasets"}
    whole = dict(zip(column(tables["pairs"], "pair"), tables["pairs"].rows, strict=True))
    names = [c.name for c in tables["pairs"].columns]
    for row in rivals.rows:
        assert row == tuple(whole[row[0]][names.index(name)] for name in shared)
