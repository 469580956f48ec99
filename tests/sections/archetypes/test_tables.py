from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.rendering.cells import written
from reportgen.sections.archetypes.tables import tabulate
from tests.sections.archetypes.making import analysed, domain, table, triangle


def test_tables_of_a_domain():
    result = analysed(domain())
    found = {t.name: t for t in tabulate(result)}
    assert set(found) == {"steps", "profiles", "values", "groups"}
    assert [row[0] for row in found["groups"].rows] == ["anna", "bert", "cara", "dora"]
    cells = [cell.text for cell in written(found["groups"])[0][1:]]
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
    assert written(groups)[0][1].text == written_as


def test_outliers_are_listed_the_farthest_first():
    result = analysed(table(triangle(40, 3)), fit="robust", samples=0, k=3)
    found = {t.name: t for t in tabulate(result)}
    residuals = [row[-1] for row in found["outliers"].rows]
    assert residuals == sorted(residuals, reverse=True)
    assert {row[0] for row in found["outliers"].rows} == {"38", "39", "40"}
    assert "groups" not in found


def test_nothing_is_laid_out_of_nothing():
    assert tabulate(analysed(table(np.ones((5, 2))))) == ()
