"""What is drawn, and tabulated."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from reportgen.drawing import Canvas
from reportgen.sections.sequential.figures import MOST_ROWS, draw, drawn_rows
from reportgen.sections.sequential.tables import tabulate
from reportgen.study.stages import Stages
from tests.sections.reading import ERROR, NAMES, blocks
from tests.sections.sequential.watched import in_stages, only, watch

CLEAR = blocks([0.10, 0.16, 0.30], 60)


def figures(n_datasets: int = 1, **asked: Any) -> dict[str, Any]:
    found = draw(watch(CLEAR, stage=20, orders=5, **asked), Canvas.of(NAMES[:3], n_datasets, "s"))
    return {figure.name: figure for figure in found}


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return figures()


def test_the_stages_have_a_row_a_pair(drawn: dict[str, Any]) -> None:
    assert list(drawn) == ["stages"]
    stages = drawn["stages"]
    shown = texts(stages.screen)
    assert shown.count("better after 20") == 3
    assert {"anna", "bert", "cara", "replications"} <= set(shown)
    assert stages.data.columns == ("first", "second", "verdict", "decided_at")
    assert stages.data.rows[0] == ("anna", "cara", "better", 20)
    assert "anna and cara: better after 20" in stages.alt
    assert "stages end at 20, 40, 60" in stages.alt


def test_a_compact_canvas_has_stages_that_were_gone_by_only() -> None:
    assert list(figures(21)) == []
    stages = Stages(20, 80, ERROR.name)
    run = watch(CLEAR[:20], warehouse=in_stages(CLEAR[:20], stages.described()))
    assert [figure.name for figure in draw(run, Canvas.of(NAMES[:3], 21, "s"))] == ["stages"]


def test_rows_are_few_enough_for_a_page() -> None:
    values = blocks(np.linspace(0.1, 0.4, 9).tolist() * 1, 20)
    found = only(values, orders=0)
    assert len(found.pairs) == 36
    assert len(drawn_rows(found)) == 36 <= MOST_ROWS


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw(watch(CLEAR[:4]), Canvas.of(NAMES[:3], 1, "s")) == ()
    assert tabulate(watch(CLEAR[:4])) == ()


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


def test_a_single_pair_has_its_stages() -> None:
    values = blocks([0.10, 0.101], 60, seed=4)
    tables = {t.name: t for t in tabulate(watch(values, stage=20, orders=0))}
    assert [row[0] for row in tables["stages"].rows] == [20, 40, 60]
    assert tables["stages"].measure == ERROR.name
