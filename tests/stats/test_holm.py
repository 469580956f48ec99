"""Holm's adjustment against closed testing and R."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.holm import holm

EXACT = 1e-12  # relative: a product of two numbers

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=6)


@given(probabilities)
def test_closed_testing_by_bonferroni(p: list[float]) -> None:
    """Holm is the closure of Bonferroni: the largest of the p-values of all sets with it."""
    sets = [s for n in range(1, len(p) + 1) for s in combinations(range(len(p)), n)]
    expected = [
        max(min(1.0, len(s) * min(p[j] for j in s)) for s in sets if i in s) for i in range(len(p))
    ]
    np.testing.assert_allclose(holm(np.array(p)), expected, rtol=EXACT)


def test_r() -> None:
    """p.adjust(c(.01, .02, .03, .005, .8, .02), "holm") of R 4.2.2."""
    found = holm(np.array([0.01, 0.02, 0.03, 0.005, 0.8, 0.02]))
    np.testing.assert_allclose(found, [0.05, 0.08, 0.08, 0.03, 0.8, 0.08], rtol=EXACT)


def test_missing_tests_do_not_count() -> None:
    found = holm(np.array([0.02, np.nan, 0.03]))
    np.testing.assert_allclose(found, [0.04, np.nan, 0.04], rtol=EXACT)


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        holm(np.array([0.5, 1.1]))
