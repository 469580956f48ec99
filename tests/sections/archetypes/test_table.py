"""The domain as one table."""

from __future__ import annotations

import numpy as np

from reportgen.sections.archetypes import Options
from reportgen.sections.archetypes.table import view_of
from tests.builders import warehouse_of
from tests.sections.reading import ERROR

VALUES = {
    "big": np.array([[1.0, 10.0], [2.0, np.nan], [3.0, 30.0]]),
    "small": np.array([[4.0, 40.0], [np.nan, 50.0]]),
}


def test_rows_are_candidates_by_replications_and_gaps_are_nan() -> None:
    view = view_of(warehouse_of({ERROR: VALUES}, ("a", "b")), Options(rows="replications"))
    nan = np.nan
    expected = [[1, 4], [2, nan], [3, nan], [10, 40], [nan, 50], [30, nan]]
    np.testing.assert_array_equal(view.values, expected)
    assert view.labels == ("a", "a", "a", "b", "b", "b")
    assert view.numbers == (1, 2, 3, 1, 2, 3)
    assert view.columns == ("big", "small")
    assert view.is_complete.tolist() == [True, False, False, True, False, False]


def test_means_leave_gaps_out() -> None:
    view = view_of(warehouse_of({ERROR: VALUES}, ("a", "b")), Options(rows="candidates"))
    np.testing.assert_array_equal(view.values, [[2, 4], [20, 45]])
    assert view.labels == ("a", "b")
    assert view.numbers is None
