"""How columns of results read the other way."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
import pytest

from reportgen.sections.frontier.analysis import Ratio
from reportgen.sections.inference.result import Effect
from reportgen.stats.columns import Column, exchanged, opposite, signed, signs_of


def effect() -> Effect:
    """An effect of which no two numbers are the same."""
    bounds = ((0.5, 3.0), (-0.25, 1.5), (0.375, 0.875), (-0.25, 0.75), (0.25, 0.5))
    mean, d, a12, cliff, unpaired = bounds
    return Effect("a", "b", 9, 2.0, mean, 0.5, d, 0.625, 0.1, a12, 0.25, cliff, 0.4, unpaired, "x")


def test_an_effect_reads_the_other_way() -> None:
    other = effect().reversed()
    assert (other.first, other.second, other.n_blocks, other.target) == ("b", "a", 9, "x")
    assert (other.difference, other.difference_interval) == (-2.0, (-3.0, -0.5))
    assert (other.d, other.d_interval) == (-0.5, (-1.5, 0.25))
    assert (other.superiority, other.superiority_interval) == (0.375, (0.125, 0.625))
    assert other.superiority_error == 0.1
    assert (other.cliff_delta, other.cliff_interval) == (-0.25, (-0.75, 0.25))
    assert (other.unpaired_superiority, other.unpaired_interval) == (0.6, (0.5, 0.75))
    assert other.reversed() == effect()


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(Ratio("a", "b", 4.0, 2.0, 8.0), (0.25, 0.125, 0.5)), (Ratio("a", "b", 0, None, 2), None)],
)
def test_a_ratio_reads_the_other_way(ratio: Ratio, expected: tuple[float, ...] | None) -> None:
    other = ratio.reversed()
    assert (other.first, other.second) == ("b", "a")
    assert (other.ratio, other.lower, other.upper) == (expected or (None, 0.5, None))


def test_a_column_reads_as_each_of_its_cells() -> None:
    columns = {
        "low": Column("low", sign="limit", partner="high"),
        "high": Column("high", sign="limit", partner="low"),
        "share": Column("share", sign="complement"),
    }
    cells = {"low": np.array([0.5, 0.0]), "high": np.array([4.0, 2.0]), "share": np.array([1, 0.2])}
    for is_ratio in (False, True):
        whole = exchanged(cells, columns, is_ratio=is_ratio)
        for i in range(2):
            own = {name: float(x[i]) for name, x in cells.items()}
            row = exchanged(own, columns, is_ratio=is_ratio)
            for name, x in row.items():
                assert whole[name][i] == x or (x is None and np.isnan(whole[name][i]))


def test_cells_without_a_sign_stay() -> None:
    @dataclass(frozen=True)
    class Row:
        first: str
        share: float | None = field(default=0.25, metadata=signed("complement"))

    assert [*signs_of(Row)] == ["share"]
    assert opposite(Row("a")) == Row("a", 0.75)


@pytest.mark.parametrize("row", [Effect, Ratio])
def test_the_two_candidates_of_a_row_change_places(row: type) -> None:
    columns = signs_of(row)
    assert (columns["first"].partner, columns["second"].partner) == ("second", "first")
    assert columns.keys() <= {own.name for own in fields(row)}
