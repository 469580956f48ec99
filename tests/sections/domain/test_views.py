"""The domain as one matrix."""

from __future__ import annotations

import numpy as np

from reportgen.sections.domain.data import means_view, replications_view
from tests.builders import warehouse_of
from tests.sections.reading import ERROR

VALUES = {
    "big": np.array([[1.0, 10.0], [2.0, np.nan], [3.0, 30.0]]),
    "small": np.array([[4.0, 40.0], [np.nan, 50.0]]),
}


def test_rows_are_candidates_by_replications_and_gaps_are_nan() -> None:
    view = replications_view(warehouse_of({ERROR: VALUES}, ("a", "b")), ERROR)
    nan = np.nan
    expected = [[1, 4], [2, nan], [3, nan], [10, 40], [nan, 50], [30, nan]]
    np.testing.assert_array_equal(view.values, expected)
    assert view.candidates == ("a", "a", "a", "b", "b", "b")
    assert view.replications is not None
    assert view.replications.tolist() == [1, 2, 3, 1, 2, 3]
    assert view.datasets == ("big", "small")
    assert view.is_complete.tolist() == [True, False, False, True, False, False]
    assert view.n_missing == 4


def test_means_leave_gaps_out() -> None:
    view = means_view(warehouse_of({ERROR: VALUES}, ("a", "b")), ERROR)
    np.testing.assert_array_equal(view.values, [[2, 4], [20, 45]])
    assert view.candidates == ("a", "b")
    assert view.replications is None
