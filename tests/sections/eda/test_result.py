"""What is read from the exploration of a measure, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.sections.eda import Options
from reportgen.sections.eda.analysis import DWARFED, Equal, MeasureExploration, analyse
from tests.builders import make_warehouse

NAN = np.nan


def explore(values: object, better: str = "smaller") -> MeasureExploration:
    warehouse = make_warehouse(values, better=better)  # type: ignore[arg-type]
    (found,) = analyse(warehouse, Options(), np.random.default_rng(1)).values()
    return found


def test_means_and_places() -> None:
    found = explore([[1, 2, 3], [1, 1, 3], [4, 2, 3], [NAN, 0, 9]])
    assert [row.candidate for row in found.by_mean] == ["b", "a", "c"]
    assert found.best_means == ("b",)
    assert found.n_complete == 3
    assert [row.candidate for row in found.most_often_best] == ["b", "a"]
    assert found.has_shared_places
    assert not found.is_best_mostly  # two are so equally often
    assert found.last == ("c", 2, True)
    assert found.is_last_mostly


def test_larger_is_better() -> None:
    found = explore([[1, 2, 3], [1, 2, 3], [1, 3, 2]], "larger")
    assert found.best_means == ("c",)
    assert found.is_best_mostly
    assert found.last == ("a", 3, True)


@pytest.mark.parametrize(
    ("values", "last"),
    [
        ([[1, 3, 3], [1, 2, 3]], ("c", 2, False)),
        ([[1, 3, 2], [1, 2, 3]], None),  # as often b as c
        ([[1, 2], [1, 2]], None),  # of two, who is not best
        ([[1, 2, NAN], [1, NAN, 3]], None),
    ],
)
def test_who_is_last(values: list[list[float]], last: object) -> None:
    assert explore(values).last == last


def test_all_level() -> None:
    assert explore([[1, 1], [2, 2]]).is_level
    assert explore([[1, 1], [2, 2]]).best_means == ("a", "b")
    assert not explore([[1, 1], [2, 3]]).is_level
    assert not explore([[1, 1], [2, NAN]]).is_level
    assert not explore([[1], [2]]).is_level


def test_who_spreads_most() -> None:
    rows = [[0, 0, 5], [1, 3, 6], [2, 6, 7]]
    assert explore(rows * 4).most_spread == ("b", "a", pytest.approx(3.0))
    assert explore(rows * 3).most_spread is None  # nine values each
    assert explore([[0, 0], [0, 3], [0, 6]] * 4).most_spread is None  # a never varies
    assert explore([[0, 0], [1, 1.05], [2, 2.1]] * 4).most_spread is None  # nearly alike
    assert explore([[0, 1], [1, 1], [0, 1], [0, 0]] * 4).most_spread is None  # right and wrong
    far = [[0, 0], [1, 1], [2, 2]] * 4
    far[0][1] = 2 * DWARFED
    assert explore(far).most_spread is None  # one value


def test_pairs_that_are_mostly_equal() -> None:
    values = np.arange(20.0)[:, None] + np.zeros(3)
    values[:, 2] += 1
    values[:2, 1] += 5
    assert explore(values).mostly_equal == (Equal("a", "b", 18, 20),)
    values[2, 1] += 5
    assert explore(values).mostly_equal == ()
    values[:10, 0] = NAN
    assert explore(values).mostly_equal == (Equal("a", "b", 10, 10),)
    assert explore(values).mostly_equal[0].is_always


def test_the_best_mean_and_the_worst_case() -> None:
    assert explore([[1, 2], [1, 2]]).has_best_mean_and_worst_case
    assert not explore([[1, 2], [1, 2], [2.5, 2]]).has_best_mean_and_worst_case
