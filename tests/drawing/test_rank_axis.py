from __future__ import annotations

import numpy as np
import pytest

from reportgen.drawing.plots.rows import rank_axis
from reportgen.drawing.text_size import text_width


@pytest.mark.parametrize("n", [6, 60, 300, 1200])
def test_labels_of_ranks_stand_apart(n):
    axis = rank_axis(n, 260.0)
    points = np.diff(axis.ticks) * 260 / (axis.upper - axis.lower)
    assert points.min() > 1.3 * max(text_width(label, 7) for label in axis.labels)
    assert len(axis.ticks) >= 6


def test_ranks_that_are_not_all_labelled_are_round():
    labelled = [int(tick) for tick in rank_axis(1000, 260.0).ticks]
    assert labelled[0] == 1
    assert all(tick % 50 == 0 for tick in labelled[1:])
    assert [int(tick) for tick in rank_axis(6, 260.0).ticks] == [1, 2, 3, 4, 5, 6]
