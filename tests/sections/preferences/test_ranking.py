"""The order in which candidates that tie are named."""

from __future__ import annotations

import numpy as np

from reportgen.sections.preferences.analysis import by_mean
from tests.builders import make_warehouse


def test_by_the_mean_then_the_study_and_absent_ones_last() -> None:
    values = np.array([[0.3, 0.1, np.nan, 0.2], [0.3, 0.3, np.nan, 0.2]])
    assert by_mean(make_warehouse(values)) == ("b", "d", "a", "c")
    assert by_mean(make_warehouse(values, better="larger")) == ("a", "b", "d", "c")


def test_of_the_first_measure_that_has_values() -> None:
    nothing = np.full((2, 2), np.nan)
    assert by_mean(make_warehouse({"e": nothing, "t": [[2, 1], [2, 1]]})) == ("b", "a")
    assert by_mean(make_warehouse({"e": nothing})) == ("a", "b")
