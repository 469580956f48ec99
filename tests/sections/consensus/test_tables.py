"""What the tables hold."""

from __future__ import annotations

from dataclasses import replace

from reportgen.report import Table
from reportgen.sections.consensus.analysis import ConsensusResult
from reportgen.sections.consensus.tables import LARGEST_MATRIX, tabulate
from tests.sections.consensus.ballots import ensemble

RANGES = ("optimal_weights", "first_weights")


def tables(result: ConsensusResult) -> dict[str, Table]:
    return {table.name: table for table in tabulate(result)}


def columns(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def test_members_with_distance_weight_and_range() -> None:
    found = tables(ensemble("a < b", "b < a", "a < b", weights=(2.0, 1.0, 1.0)))["members"]
    assert columns(found) == ["id", "chain", "distance", "weight", *RANGES]
    assert found.rows[0][4:] == ("from 0", "from 0")
    assert found.rows[1] == ("rule-1", (("bert",), ("anna",)), 2, 1.0, "0 to 3", "0 to 3")


def test_ranges_that_are_not_whole_are_marked() -> None:
    found = ensemble("a < b", "b < a", "a < b", weights=(2.0, 1.0, 1.0))
    part = replace(found.members[1], is_whole=False, first_ranges=((1.0, 1.0), (1.5, 2.25)))
    members = (found.members[0], part, replace(part, weight_range=None, first_ranges=()))
    rows = tables(replace(found, members=members))["members"].rows
    assert [row[4:] for row in rows[1:]] == [("0 to 3", "≥ 1, 1.5 to 2.25"), (None, None)]


def test_without_ranges_there_are_no_columns_for_them() -> None:
    found = tables(ensemble("a < b"))["members"]
    assert columns(found) == ["id", "chain", "distance", "weight"]


def test_rules_in_the_order_of_the_consensus() -> None:
    found = tables(ensemble("a < b < c", "a < c < b", "b < a < c"))["rules"]
    assert columns(found) == ["candidate", "place", "borda", "copeland"]
    assert [row[:2] for row in found.rows] == [("anna", 1), ("bert", 2), ("cara", 3)]
    assert found.rows[0][3] == 2


def test_places_run_over_several_optima() -> None:
    found = tables(ensemble("a < b < c", "b < a < c", wanted="linear"))
    assert columns(found["rules"])[1:3] == ["least_place", "greatest_place"]
    assert found["rules"].rows[0][1:3] == (1, 2)
    assert [row[1] for row in found["optima"].rows] == [
        (("anna",), ("bert",), ("cara",)),
        (("bert",), ("anna",), ("cara",)),
    ] or len(found["optima"].rows) == 2


def test_majorities_count_the_weight_of_the_row_over_the_column() -> None:
    found = tables(ensemble("a < b ~ c", "b < a < c", weights=(1.0, 0.5)))["majorities"]
    cells = {row[0]: dict(zip(columns(found)[1:], row[1:], strict=True)) for row in found.rows}
    assert cells["anna"]["bert"] == 1.0
    assert cells["bert"]["anna"] == 0.5
    assert cells["bert"]["cara"] == 0.5
    assert cells["cara"]["anna"] == 0.0
    assert cells["anna"]["anna"] is None
    assert LARGEST_MATRIX == 12


def test_one_member_or_none_needs_few_tables() -> None:
    assert set(tables(ensemble("a < b < c"))) == {"members", "rules"}
    assert tables(ensemble("a < b", weights=(0.0,))) == {}
