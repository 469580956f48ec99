"""What is tabulated."""

from __future__ import annotations

import pytest

from reportgen.sections.sequential.figures import tabulate
from tests.sections.reading import ERROR, blocks
from tests.sections.sequential.watched import AREA, watch

CLEAR = blocks([0.10, 0.16, 0.30], 60)


def test_the_table_has_what_each_method_needs() -> None:
    table, fixed = tabulate(watch(CLEAR, stage=20, orders=5))
    heads = [column.name for column in table.columns]
    assert [c.name for c in fixed.columns] == [
        "pair",
        "at_30",
        "at_60",
        "p_value",
        "adjusted_p_value",
    ]
    assert fixed.rows[0][:3] == (("anna", "cara"), "better", "better")
    assert 0 < fixed.rows[0][3] <= fixed.rows[0][4] <= 3 * fixed.rows[0][3]
    first = dict(zip(heads, table.rows[0], strict=True))
    assert first["pair"] == ("anna", "cara")
    assert (first["point"], first["decided_at"], first["verdict"]) == (10, 20, "better")
    assert first["difference"] == pytest.approx(0.2)


def test_nothing_is_tabulated_of_nothing() -> None:
    assert tabulate(watch(CLEAR[:4])) == ()


def test_a_single_pair_has_its_stages() -> None:
    values = blocks([0.10, 0.101], 60, seed=4)
    tables = {t.name: t for t in tabulate(watch(values, stage=20, orders=0))}
    assert [row[0] for row in tables["stages"].rows] == [20, 40, 60]
    assert tables["stages"].measure == ERROR.name


def test_fixed_designs_are_told_in_the_words_of_the_report() -> None:
    values = blocks([0.100, 0.105, 0.105], 60, sd=0.005)
    _, fixed = tabulate(watch(values, stage=20, orders=0, relevance=AREA))
    assert [row[2] for row in fixed.rows] == [
        "better, not relevant", "better, not relevant", "equivalent",
    ]  # fmt: skip
