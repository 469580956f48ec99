"""Figures and tables of the psychoanalysis show what was found."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from matplotlib.patches import PathPatch
from matplotlib.text import Text

from reportgen.drawing import TEXT_WIDTH, Canvas, Sheet, candidate_styles
from reportgen.drawing.style import house_settings
from reportgen.notation import significant
from reportgen.report import Figure, Table
from reportgen.sections.psychoanalysis.figures import SCHEMES, draw, tabulate
from reportgen.sections.psychoanalysis.requests import (
    draw_variation_panels,
    draw_worth_tree,
    variation_panels,
)
from reportgen.sections.psychoanalysis.result import NumericSplit, Psychoanalysis
from tests.sections.psychoanalysis.making import TRIO, analysed, sampled, study


@pytest.fixture(scope="module")
def found() -> Psychoanalysis:
    """Return a study with a break and samples that vary."""
    return analysed(sampled(study(24, step=0.05), schemes=("", "bootstrap")))


@pytest.fixture(scope="module")
def figures(found: Psychoanalysis) -> dict[str, Figure]:
    """Draw it."""
    canvas = replace(Canvas.of(TRIO, 24, "p"), phone=True)
    return {f.name: f for f in draw({"misclassification": found}, canvas)}


@pytest.fixture(scope="module")
def tables(found: Psychoanalysis) -> dict[str, Table]:
    """Lay out its tables."""
    return {t.name: t for t in tabulate({"misclassification": found})}


def test_all_figures_are_there_and_well_formed(figures: dict[str, Figure]) -> None:
    assert list(figures) == ["tree", "variation"]
    for figure in figures.values():
        assert figure.phone is not None
        for drawn in (figure.screen, figure.print, figure.phone):
            ElementTree.fromstring(drawn)
        assert figure.alt


def test_the_tree_shows_every_worth_of_every_leaf(
    found: Psychoanalysis, figures: dict[str, Figure]
) -> None:
    assert found.tree is not None
    rows = [row for row in figures["tree"].data.rows if row[3]]
    assert len(rows) == 3 * len(found.tree.leaves)
    for number, _, n, _, name, worth, _ in rows:
        leaf = next(leaf for leaf in found.tree.leaves if leaf.number == number)
        assert (leaf.n, leaf.worths[name]) == (n, worth)
    text = ElementTree.fromstring(figures["tree"].screen)
    written = " ".join(t.text or "" for t in text.iter() if t.tag.endswith("text"))
    assert "i2r.fcc ≤" in written
    assert "All 24 data sets" in written


def test_nodes_have_the_numbers_of_the_table(
    found: Psychoanalysis, figures: dict[str, Figure], tables: dict[str, Table]
) -> None:
    assert found.tree is not None
    drawings = figures["tree"]
    for drawn in (drawings.screen, drawings.print, drawings.phone):
        assert drawn is not None
        texts = [t.text for t in ElementTree.fromstring(drawn).iter() if t.tag.endswith("text")]
        for node in found.tree.walk():
            below = texts[texts.index(str(node.number)) + 1]
            assert below is not None
            assert below.startswith("i2r.fcc" if node.conditions else "All 24 data sets")
    columns = [c.label for c in tables["worths"].columns]
    assert all(f"Node {leaf.number}" in columns for leaf in found.tree.leaves)
    assert all(f"node {leaf.number}, i2r.fcc" in drawings.alt for leaf in found.tree.leaves)


def test_every_leaf_links_its_candidates(found: Psychoanalysis, figures: dict[str, Figure]) -> None:
    assert found.tree is not None
    for i in range(3):
        assert figures["tree"].screen.count(f'data-c="{i}"') >= len(found.tree.leaves)


def test_schemes_are_compared_where_there_are_several(
    found: Psychoanalysis, figures: dict[str, Figure]
) -> None:
    rows = figures["variation"].data.rows
    assert {row[1] for row in rows} == {found.own_scheme or "the study's scheme", "bootstrap"}
    one = replace(found, variation=tuple(v for v in found.variation if not v.scheme))
    canvas = replace(Canvas.of(TRIO, 24, "p"), phone=True)
    assert [f.name for f in draw({"misclassification": one}, canvas)] == ["tree"]


def test_tables_hold_the_numbers(found: Psychoanalysis, tables: dict[str, Table]) -> None:
    assert found.tree is not None
    assert list(tables) == ["characteristics", "tests", "nodes", "worths", "datasets", "variation"]
    assert tables["characteristics"].rows[0][0] == "i2r.fcc"
    assert len(tables["datasets"].rows) == 24
    assert len(tables["nodes"].rows) == len(list(found.tree.walk()))
    worths = {row[0]: row[3] for row in tables["worths"].rows}
    assert sum(worths.values()) == pytest.approx(1.0)
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)


# -------------------------------------------------------------------------------- on request


def test_panels_below_the_leaves_have_their_worths(found: Psychoanalysis) -> None:
    assert found.tree is not None
    with house_settings():
        sheet = Sheet(candidate_styles(TRIO), TEXT_WIDTH)
        draw_worth_tree(found, found.tree, "data set", sheet)
    panels = sheet.drawing.axes
    assert len(panels) == len(found.tree.leaves) == 2
    for leaf, axes in zip(found.tree.leaves, panels, strict=True):
        line = next(line for line in axes.get_lines() if len(line.get_xdata()) == len(TRIO))
        assert list(line.get_ydata()) == [leaf.worths[name] for name in TRIO]
    (page,) = [a for a in sheet.drawing.get_children() if type(a).__name__ == "PageArtist"]
    texts = [a.get_text() for a in page.get_children() if isinstance(a, Text)]
    split = found.tree.split
    assert isinstance(split, NumericSplit)
    assert split.characteristic in texts
    assert f"> {significant(split.cutpoint, 3)}" in texts


@pytest.mark.slow
def test_each_data_set_has_a_panel_of_what_varies(found: Psychoanalysis) -> None:
    canvas = replace(Canvas.of(TRIO, 1, "p"), requested=frozenset({"variation-panels"}))
    (figure,) = variation_panels({"misclassification": found}, canvas)
    own = {(v.dataset, v.characteristic): v for v in found.variation if v.scheme == ""}
    assert len(figure.data.rows) == 24
    for dataset, name, low, _, middle, _, high in figure.data.rows:
        v = own[dataset, name]
        assert (low, middle, high) == (v.low, v.middle, v.high)
    kept = [own[row[0], row[1]] for row in figure.data.rows]
    with house_settings():
        sheet = Sheet(candidate_styles(TRIO), TEXT_WIDTH)
        names = [row[0] for row in figure.data.rows]
        draw_variation_panels(kept, names, ["i2r.fcc"], sheet)
    for v, axes in zip(kept, sheet.drawing.axes, strict=True):
        lines = [a.get_path().vertices for a in axes.patches if isinstance(a, PathPatch)]
        whole = next(line for line in lines if len(line) == 2 and line[0, 1] == line[1, 1])
        assert v.low is not None
        assert v.high is not None
        assert whole[:, 0] == pytest.approx([100 * v.low, 100 * v.high])


def test_neighbouring_schemes_are_filled_and_open() -> None:
    """Two shades of one colour are hardly told apart."""
    assert len(set(SCHEMES)) == len(SCHEMES)
    assert [face == "paper" for _, face in SCHEMES] == [False, True, False, True]
