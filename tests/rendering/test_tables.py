from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pandas as pd
import pytest

from reportgen.notation import NumberFormat
from reportgen.rendering.tables import (
    cell_text,
    comma_separated,
    format_cells,
    plain_frame,
    table_series,
)
from reportgen.report import Table
from reportgen.stats.columns import Column, Kind

PER_CENT = NumberFormat(100.0, "%", "pp", 2)


def one(kind: Kind, *values: object, best: str | None = None) -> Table:
    column = Column("x", "X", kind, best)  # type: ignore[arg-type]
    return Table("t", "", (column,), tuple((v,) for v in values), PER_CENT)


def texts(table: Table) -> list[str]:
    return [row[0].text for row in format_cells(table)]


def test_a_column_that_is_not_shown_is_data_all_the_same() -> None:
    columns = (Column("x", "X", "text"), Column("n", "N", "count", is_shown=False))
    table = Table("t", "", columns, (("a", 5), ("b", 5)), foot=("all", 10))
    assert table.shown == Table("t", "", columns[:1], (("a",), ("b",)), foot=("all",))
    assert table.shown.shown == table.shown
    assert table_series(table).rows == (("a", 5), ("b", 5))


def test_cells_are_written_by_their_kind() -> None:
    assert texts(one("value", 0.0123, -0.5)) == ["1.23", "−50.00"]
    assert texts(one("interval", (0.01, 0.02))) == ["1.00 to 2.00"]
    assert texts(one("pvalue", 1e-9, 0.04)) == ["< 0.0001", "0.040"]
    assert texts(one("counts", (1, 2, 3000))) == ["1 – 2 – 3,000"]
    assert texts(one("count", 1200)) == ["1,200"]


def test_differences_and_ratios_are_written_apart_from_values() -> None:
    bounds = ((0.5, 2.0), (None, None))
    assert texts(one("difference-interval", *bounds)) == ["50.00 to 200.00", "–"]
    assert texts(one("difference", 0.0123)) == ["1.23"]
    ratios = replace(PER_CENT, is_ratio=True)
    assert (
        texts(replace(one("difference-interval", *bounds), number_format=ratios))[0]
        == "0.500 to 2.00"
    )
    assert texts(replace(one("difference", 57.03), number_format=ratios)) == ["57.0"]
    assert texts(replace(one("value", 0.0123), number_format=ratios)) == ["1.23"]
    series = table_series(one("difference-interval", *bounds))
    assert series.columns == ("x_lower", "x_upper")


def test_an_estimate_before_its_interval_has_the_digits_of_that() -> None:
    columns = (
        Column("advantage", "Advantage", "difference"),
        Column("interval", "95% interval", "difference-interval"),
        Column("other", "Other", "difference"),
    )
    rows = ((0.0001, (0.00004, 0.00018), 0.0001), (0.05, (0.01, 0.09), 0.05), (0.05, None, 0.05))
    cells = format_cells(Table("t", "", columns, rows, PER_CENT))
    assert [[cell.text for cell in row] for row in cells] == [
        ["0.010", "0.004 to 0.018", "0.01"],
        ["5.00", "1.00 to 9.00", "5.00"],
        ["5.00", "–", "5.00"],
    ]


def test_settings_are_numbers_or_texts() -> None:
    number, text, nothing = (row[0] for row in format_cells(one("setting", 2.0**-10, "<b>", None)))
    assert (number.kind, number.text) == ("setting", "0.0009766")
    assert (text.kind, text.parts) == ("text", ("<b>",))
    assert nothing.text == "–"


def test_several_data_sets_are_one_cell_of_a_file() -> None:
    series = table_series(one("datasets", ("a", "b"), ("c",)))
    assert series.rows == (("a; b",), ("c",))


def test_an_order_is_one_cell_with_signs_between_the_names() -> None:
    table = one("order", (("a", "<"), ("b",)), (("a", "b"),), None)
    assert [row[0].parts for row in format_cells(table)] == [
        ("a", ",", "<", ">", "b"),
        ("a", ",", "b"),
        (),
    ]
    assert table_series(table).rows == (("a, < > b",), ("a, b",), (None,))
    assert [cell_text(row[0]) for row in format_cells(table)][:2] == ["a, < > b", "a, b"]


def test_ranks_and_numbers_have_as_many_decimals_as_their_column_needs() -> None:
    assert texts(one("rank", 2.0, 3.0)) == ["2", "3"]
    assert texts(one("rank", 2.0, 3.5)) == ["2.00", "3.50"]
    assert texts(one("number", 0.01234, 0.1)) == ["0.012", "0.100"]
    assert texts(one("number", 12, 1e4)) == ["12", "10,000"]


def test_each_statistic_of_a_column_has_three_digits() -> None:
    assert texts(one("statistic", 7079.92, 1.4349)) == ["7,080", "1.43"]
    assert texts(one("statistic", 31.25, 0.04321)) == ["31.3", "0.0432"]


def test_sizes_have_as_many_decimals_as_their_row_needs() -> None:
    columns = (Column("a", "A", "size"), Column("b", "B", "text"), Column("c", "C", "size"))
    table = Table("t", "", columns, ((0.0123, "x", 0.4), (1e7 / 3, "y", None), (5.0, "z", 7.0)))
    cells = format_cells(table)
    assert [cell.text for cell in cells[0]] == ["0.012", "", "0.400"]
    assert [cell.text for cell in cells[1]] == ["3.33e6", "", "–"]
    assert [cell.text for cell in cells[2]] == ["5", "", "7"]
    assert cells[1][2].kind == "empty"


def test_nothing_is_a_dash() -> None:
    assert texts(one("value", None, math.nan)) == ["–", "–"]
    assert texts(one("interval", (None, None))) == ["–"]


def test_the_best_cell_is_marked_and_all_of_its_equals() -> None:
    marks = [row[0].is_best for row in format_cells(one("value", 3.0, 1.0, 1.0, best="smaller"))]
    assert marks == [False, True, True]


def test_no_cell_is_best_where_all_are_the_same() -> None:
    table = one("value", 1.0, 1.0, None, best="larger")
    assert not any(row[0].is_best for row in format_cells(table))


def test_an_empty_table_has_no_rows() -> None:
    assert format_cells(replace(one("value"), rows=())) == []


def test_files_have_one_number_a_cell_with_all_digits() -> None:
    columns = (
        Column("pair", "Pair", "pair"),
        Column("interval", "Interval", "interval"),
        Column("wins", "Wins", "counts"),
        Column("decision", "Decision", "decision"),
    )
    rows = (
        (("a", "b"), (0.1, 1 / 3), (1, 2, 3), "better, not relevant"),
        (("a", "c"), *[None] * 3),
    )
    series = table_series(Table("t", "", columns, rows))
    text = comma_separated(series.columns, series.rows)
    first, second = csv.DictReader(io.StringIO(text))
    assert first == {
        "first": "a",
        "second": "b",
        "interval_lower": "0.1",
        "interval_upper": repr(1 / 3),
        "wins_better": "1",
        "wins_tied": "2",
        "wins_worse": "3",
        "decision": "better, not relevant",
    }
    assert second["interval_lower"] == second["decision"] == ""


def test_no_cell_is_a_formula_for_a_spreadsheet() -> None:
    assert comma_separated(["x"], [["=cmd()"], ["@x"], [-1.5]]) == "x\n'=cmd()\n'@x\n-1.5\n"
    assert comma_separated(["x"], [["a;=1+1"], ["a;b"]]) == "x\na;'=1+1\na;b\n"


@pytest.mark.parametrize(
    ("cell", "marked"),
    [
        *(("=1+1", "'=1+1"), ("+1", "'+1"), ("-x", "'-x"), ("@SUM(A1)", "'@SUM(A1)")),
        *(("\t=1", "'\t'=1"), ("a\t=1", "a\t'=1"), ("a\t =1", "a\t' =1"), ("a\t\t=1", "a\t\t'=1")),
        *(
            ("\r\n=1", "'\r\n'=1"),
            ("a\n@x", "a\n'@x"),
            ("\uff1d1", "'\uff1d1"),
            ("a\tb=1", "a\tb=1"),
        ),
    ],
)
def test_data_that_are_exported_have_no_formula_either(cell: str, marked: str) -> None:
    frame = pd.DataFrame({"name": pd.Categorical([cell, "b"]), "text": [cell, "c"], "x": [-1, 2.0]})
    found = plain_frame(frame).to_csv(index=False)
    assert list(csv.reader(io.StringIO(found, newline="")))[1:] == [
        [marked, marked, "-1.0"],
        ["b", "c", "2.0"],
    ]
    assert frame["text"][0] == cell
