from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.rendering.tables import format_cells
from reportgen.sections.archetypes.figures import tabulate
from tests.sections.archetypes.making import analysed, domain, table, triangle


def test_tables_of_a_domain():
    result = analysed(domain())
    found = {t.name: t for t in tabulate(result)}
    assert set(found) == {"steps", "profiles", "values", "groups"}
    assert [row[0] for row in found["groups"].rows] == ["anna", "bert", "cara", "dora"]
    cells = [cell.text for cell in format_cells(found["groups"])[0][1:]]
    assert sum(int(text) for text in cells[:3]) in (99, 100, 101)
    assert cells[3] == "100"
    assert found["profiles"].rows[0][3] == "anna, bert"
    assert found["steps"].rows[0][3] is None
    assert found["values"].rows[0][0] == "d0"


@pytest.mark.parametrize(
    ("share", "written_as"),
    [(0.4985, "49.9"), (0.49, "49"), (0.4996, "49.96"), (0.5, "50"), (0.49999999, "50.000")],
)
def test_a_share_below_a_half_is_not_written_as_a_half(share, written_as):
    result = analysed(domain(), samples=0)
    mixed = replace(result.groups[0], shares=(share, 1 - share, 0.0), main=None)
    changed = replace(result, groups=(mixed,))
    groups = next(t for t in tabulate(changed) if t.name == "groups")
    assert format_cells(groups)[0][1].text == written_as


def with_ten(result):
    """Return a result with ten archetypes, as wide as tables become."""
    ten = tuple(replace(result.profiles[0], number=j + 1) for j in range(10))
    groups = tuple(replace(g, shares=(0.1,) * 10) for g in result.groups)
    return replace(result, k=10, profiles=ten, groups=groups)


def test_no_table_is_wider_than_a_page():
    result = analysed(domain(), samples=2)
    found = {t.name: t for t in tabulate(with_ten(result))}
    names = [c.name for page in ("values", "values-2") for c in found[page].columns]
    assert [n for n in names if n != "column"] == [f"archetype_{j}" for j in range(1, 11)]
    assert len(found["values"].columns) == len(found["values-2"].columns) == 6
    assert [c.label for c in found["percentiles"].columns] == ["Column", *map(str, range(1, 11))]
    assert [c.name for c in found["groups"].columns][-1] == "returned"
    assert set(found) <= {page for t in found for page in with_ten(result).pages_of(t)}
    few = {t.name: t for t in tabulate(result)}["values"]
    assert few.columns[-1].name == "percentile_3"


def test_every_column_of_the_data_has_digits_of_its_own():
    result = analysed(domain(), samples=0)
    rows = [(0.0012, 0.0091, 0.004), (1.25e6, 9e6, -3e3), (1.5, 20.25, 300.0)]
    profiles = [
        replace(p, values=values, percentiles=(0.1, 0.5, 0.9))
        for p, values in zip(result.profiles, zip(*rows, strict=True), strict=True)
    ]
    changed = replace(result, profiles=tuple(profiles), columns=("a", "b", "c"), measures=())
    values = next(t for t in tabulate(changed) if t.name == "values")
    assert [[cell.text for cell in row[1:4]] for row in format_cells(values)] == [
        ["0.00120", "0.00910", "0.00400"],
        ["1,250,000", "9,000,000", "−3,000"],
        ["2", "20", "300"],
    ]


def test_values_of_one_measure_have_its_unit_and_decimals_everywhere():
    result = analysed(domain(), samples=0)
    shares = ((0.311, 0.2163, 0.0117), (0.02, 0.006, 0.00584))
    changed = replace(result, archetypes=tuple(zip(*shares, strict=True)))
    assert [changed.written(c) for c in (0, 1)] == [
        ("31.10", "21.63", "1.17"),
        ("2.00", "0.60", "0.58"),
    ]
    values = next(t for t in tabulate(result) if t.name == "values")
    texts = [[cell.text for cell in row[1 : 1 + result.k]] for row in format_cells(values)]
    assert texts == [list(result.written(c)) for c in range(len(result.columns))]


def test_what_little_is_left_is_not_nothing():
    result = analysed(domain(), samples=0)
    left = (168.2, 47.08, 0.0123, 4.5e-7)
    steps = tuple(replace(s, rss=x) for s, x in zip(result.steps, left, strict=True))
    table_of_steps = next(t for t in tabulate(replace(result, steps=steps)) if t.name == "steps")
    texts = [row[1].text for row in format_cells(table_of_steps)]
    assert texts == ["168", "47.1", "0.0123", "4.50e−7"]


@pytest.mark.slow
def test_outliers_are_listed_the_farthest_first():
    result = analysed(table(triangle(40, 3)), fit="robust", samples=0, k=3)
    found = {t.name: t for t in tabulate(result)}
    residuals = [row[-1] for row in found["outliers"].rows]
    assert residuals == sorted(residuals, reverse=True)
    assert {row[0] for row in found["outliers"].rows} == {"38", "39", "40"}
    assert "groups" not in found


def test_nothing_is_laid_out_of_nothing():
    assert tabulate(analysed(table(np.ones((5, 2))))) == ()
