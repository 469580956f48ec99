"""Each shape of input that docs/imports.md lists is understood as it says, or asked about."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results
from reportgen.study.manifest import load_study
from reportgen.warehouse import Warehouse
from tests.exchange.object_shapes import OBJECTS
from tests.exchange.shapes import KEYS, MEANS, SHAPES, Shape

ALL = [*SHAPES, *OBJECTS]
SAME = 1e-12  # one sum in another order
FEWEST = 60  # shapes
PAGE = Path(__file__).parents[2] / "docs" / "imports.md"


def rows_of_page() -> list[list[str]]:
    """Return the cells of the table of shapes."""
    section = PAGE.read_text(encoding="utf-8").partition("## Shapes\n")[2]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_every_row_of_the_page_has_an_input() -> None:
    rows = rows_of_page()
    assert len(rows) >= FEWEST
    names = [row[0] for row in rows]
    assert len(set(names)) == len(names)
    assert {own.row for own in ALL} == set(names)
    for name, understood, asked in rows:
        own = [shape for shape in ALL if shape.row == name]
        assert any(not shape.refused for shape in own) == bool(understood), name
        assert any(shape.refused for shape in own) == bool(asked), name


@pytest.mark.parametrize("own", [own for own in ALL if not own.options and not own.refused],
                         ids=lambda own: own.row[:50])  # fmt: skip
def test_a_path_alone_is_results_and_no_manifest(own: Shape, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    made = own.make(folder)
    source = made[0] if isinstance(made, tuple) else made
    if not isinstance(source, Path):
        pytest.skip("an object of Python")
    results = load_study(source, {}).results
    assert results is not None
    assert results.file == source.name


@pytest.mark.parametrize("own", ALL, ids=lambda own: own.row[:50])
def test_a_shape_is_understood_or_asked_about(own: Shape, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    made = own.make(folder)
    source, expected = made if isinstance(made, tuple) else (made, None)
    if "spreadsheet" in own.row:
        pytest.importorskip("python_calamine", reason="an extra")
    if own.refused:
        with pytest.raises(ExchangeError, match=own.refused):
            _read(source, own)
        return
    frame = _read(source, own).frame
    measure = own.measure or frame["measure"].iloc[0]
    frame = frame[frame["measure"] == measure].astype(dict.fromkeys(KEYS, str))
    found = frame.groupby(KEYS)["value"].mean()
    expected = MEANS if expected is None else expected
    assert len(expected)
    np.testing.assert_allclose(found.reindex(expected.index), expected, rtol=SAME)
    if own.row not in PARTS:
        assert len(found) == len(expected)


def _read(source: object, own: Shape) -> Warehouse:
    table = source if isinstance(source, Path) else object_table(source, **own.of_object)
    return read_results(table, **own.options)


PARTS = ("arrays of R's benchmark, samples x algorithms x measures x data sets",
         "a file of R with several tables", "asv", "samples of lm-evaluation-harness")  # fmt: skip
"""Rows of which some means are compared."""
