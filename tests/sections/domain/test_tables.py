"""Tables of the domain hold the numbers of the result."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest

from reportgen.sections.domain.tables import LARGEST_FULL, tabulate
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values
from tests.sections.reading import COST, ERROR

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


def test_model(result, tables):
    table, found = tables["model", "misclassification"], result.verdict["misclassification"]
    assert column(table, "candidate") == list(found.order)
    assert column(table, "mean") == [found.means[n] for n in found.order]
    assert column(table, "interval") == [found.intervals[n] for n in found.order]
    for structure, fit in result.fits("misclassification").items():
        column_of = column(table, f"interval_{structure}")
        assert column_of == [fit.intervals[n] for n in found.order]


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
    assert free["anna over data sets"] == pytest.approx(sqrt(covariance[0][0]))
    assert free["Data sets"] is None


def test_many_candidates_have_pairs_with_the_best_mean():
    k = LARGEST_FULL + 1
    rows = [[0.1 + 0.01 * ((i * (m + 2)) % k) for i in range(k)] for m in range(4)]
    names = [f"c{i}" for i in range(k)]
    result = analysed(warehouse_of({ERROR: draw_values(1, rows)}, names))
    tables = {t.name: t for t in tabulate(result)}
    best = result.verdict["misclassification"].order[0]
    assert len(tables["pairs"].rows) == k * (k - 1) // 2
    assert len(tables["leader-pairs"].rows) == k - 1
    assert all(best in row[0] for row in tables["leader-pairs"].rows)
