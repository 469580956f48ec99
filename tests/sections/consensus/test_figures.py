"""Which diagrams are drawn, and what they hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from reportgen.drawing import Canvas
from reportgen.report import Figure
from reportgen.sections.consensus.figures import MOST_OPTIMA, draw, shapes
from reportgen.sections.consensus.result import ConsensusResult
from tests.sections.consensus.ballots import NAMES, ensemble

CIRCLE = ("a < b < c", "b < c < a", "c < a < b")


def figures(result: ConsensusResult, n_datasets: int = 1) -> tuple[Figure, ...]:
    return draw(result, Canvas.of(NAMES, n_datasets, "consensus-1"))


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text")]


def test_one_optimum_is_drawn_alone_without_a_heading() -> None:
    (only,) = figures(ensemble("a < b ~ c", "a < b < c", "a < b ~ c"))
    assert set(texts(only.screen)) == {"anna", "bert", "cara"}
    assert only.data.columns == ("optimum", "better", "worse")
    assert ("consensus", "anna", "bert") in only.data.rows
    assert "anna; then bert and cara" in only.alt
    assert only.phone is not None


def test_several_optima_stand_beside_what_they_have_in_common() -> None:
    (only,) = figures(ensemble(*CIRCLE, wanted="linear"))
    shown = texts(only.screen)
    assert {"all optima", "optimum 1", "optimum 2", "optimum 3", "of 3"} <= set(shown)
    assert shown.count("anna") == 4
    assert {row[0] for row in only.data.rows} == {"all", "1", "2", "3"}


@pytest.mark.parametrize(("limit", "total"), [(1000, "of 24"), (10, "of more than 10")])
def test_of_many_optima_the_first_is_drawn(limit: int, total: str) -> None:
    found = ensemble("a ~ b ~ c ~ d", wanted="linear", limit=limit)
    drawn = shapes(found)
    assert len(found.relations) > MOST_OPTIMA
    assert len(drawn) == 2
    assert drawn[1].heading == ("minimax optimum", total)


def test_compact_pages_show_only_what_is_no_chain() -> None:
    chain = ensemble("a < b < c", "a < b < c")
    partial = ensemble("abc:ab", "abc:ab", wanted="partial")
    assert partial.relations[0].chain is None
    assert figures(chain, n_datasets=6) == ()
    (only,) = figures(partial, n_datasets=6)
    assert only.phone is None
    assert "Lines: anna over bert." in only.alt


def test_nothing_is_drawn_where_there_is_nothing() -> None:
    assert figures(ensemble("a < b", weights=(0.0,))) == ()
    assert figures(ensemble("a")) == ()
