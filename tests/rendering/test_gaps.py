"""The table of what is missing where, and the sentences beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.rendering.appendix import MOST_COLUMNS, gaps_table
from reportgen.rendering.appendix import MOST_GAP_ROWS as MOST_ROWS
from reportgen.rendering.composition import compose
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import DatasetDesign, Report
from tests.rendering.conftest import make_report
from tests.rendering.test_composition import EXTRAS
from tests.sections.reading import faults, plain


def gappy(name: str, missing: dict[str, int], n_removed: int = 0) -> DatasetDesign:
    return DatasetDesign(
        name, 25, sum(missing.values()), missing=missing,
        n_incomplete=max(missing.values(), default=0), n_removed=n_removed,
    )  # fmt: skip


def with_design(report: Report, *datasets: DatasetDesign, **changes: Any) -> Report:
    total = sum(d.n_missing for d in datasets)
    return replace(
        report, design=replace(report.design, datasets=datasets, n_missing=total, **changes)
    )


def test_only_data_sets_and_candidates_with_gaps_are_tabulated() -> None:
    report = make_report(("a", "b", "c"))
    datasets = (gappy("a", {"rf": 2}), gappy("b", {}), gappy("c", {"svm": 4, "rf": 1}))
    table = gaps_table(with_design(report, *datasets).design).table
    assert [column.label for column in table.columns] == [
        "Data set", "Incomplete replications", "of", "svm", "rf",
    ]  # fmt: skip
    assert table.rows == (("a", 2, 25, None, 2), ("c", 4, 25, 4, 1))


def test_one_data_set_has_a_row_a_candidate() -> None:
    table = gaps_table(with_design(make_report(), gappy("monks", {"lda": 3})).design).table
    assert table.rows == (("lda", 3, 25),)
    assert gaps_table(make_report().design).table.rows == ()


def test_the_most_missing_of_many_are_kept_in_the_studys_order() -> None:
    names = [f"d{i}" for i in range(MOST_ROWS + 5)]
    datasets = [gappy(name, {"rf": i + 1}) for i, name in enumerate(names)]
    listing = gaps_table(with_design(make_report(tuple(names)), *datasets).design)
    assert [row[0] for row in listing.table.rows] == names[5:]
    assert listing.n_left_out == 5


def test_many_candidates_share_a_column() -> None:
    names = tuple(f"c{i}" for i in range(MOST_COLUMNS + 3))
    missing = {name: i + 1 for i, name in enumerate(names)}
    report = make_report(("a", "b"), names)
    table = gaps_table(with_design(report, gappy("a", missing), gappy("b", {})).design).table
    (row,) = table.rows
    assert row[-1].startswith("c12:\u00a013, c11:\u00a012, ")
    assert row[-1].endswith(", +\u00a03")


@pytest.mark.parametrize(
    ("rule", "removed", "words"),
    [
        ("available", 0, "stay in: means use every value"),
        ("complete-dataset", 4, "study asks (missing: complete-dataset): 6 in all, on two data"),
        ("complete-dataset", 0, "none had to be"),
        ("complete-domain", 4, "which leaves 21 to 25"),
    ],
)
def test_the_rule_is_told(rule: Any, removed: int, words: str, folders: tuple[Path, ...]) -> None:
    datasets = (
        gappy("a", {"rf": 2}, removed // 2),
        gappy("b", {"lda": 25} if removed else {}),
        gappy("c", {"svm": 4}, removed),
    )
    report = with_design(make_report(("a", "b", "c")), *datasets, missing_rule=rule)
    context = RenderContext(report, HTML, folders, EXTRAS)
    text = plain(context.insert_labels(str(compose(context).design.text)))
    assert words in text
    assert faults(text) == []
    assert ("see only what is left" in text) == (removed > 0)


def test_one_failing_candidate_on_one_data_set(folders: tuple[Path, ...]) -> None:
    report = with_design(make_report(), gappy("monks", {"lda": 25}))
    context = RenderContext(report, HTML, folders, EXTRAS)
    text = plain(context.insert_labels(str(compose(context).design.text)))
    assert "Values that are missing, by candidate" in text
    assert "A candidate without any value of a measure on a data set is left out there" in text


def test_nothing_is_told_where_nothing_is_missing(folders: tuple[Path, ...]) -> None:
    context = RenderContext(make_report(), HTML, folders, EXTRAS)
    text = plain(context.insert_labels(str(compose(context).design.text)))
    assert "No value is missing" in text
    assert "stay in" not in text
    assert "Values that are missing" not in text
