"""The false discovery rate: by its definition, and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from reportgen.stats.domain.sources import SourceErrors, partial_conjunction, shown_on
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_p_values_are_scipys(seed: int) -> None:
    p_values = np.random.default_rng(seed).random(30) ** 3
    assert benjamini_hochberg(p_values) == pytest.approx(false_discovery_control(p_values))


def test_decisions_are_those_of_the_step_up_rule() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        p_values = rng.random(12) ** 4
        ascending = np.sort(p_values)
        below = [i for i in range(12) if ascending[i] <= 0.05 * (i + 1) / 12]
        limit = ascending[below[-1]] if below else -1.0
        assert ((benjamini_hochberg(p_values) <= 0.05) == (p_values <= limit)).all()


def test_what_is_no_part_of_the_family_is_left_out() -> None:
    p_values = np.array([0.02, np.nan, 0.04, np.nan])
    found = benjamini_hochberg(p_values)
    assert np.isnan(found).tolist() == [False, True, False, True]
    assert found[[0, 2]] == pytest.approx(benjamini_hochberg(np.array([0.02, 0.04])))
    assert np.isnan(benjamini_hochberg(np.full(3, np.nan))).all()


def test_shown_on_is_a_partial_conjunction_of_the_leading_side() -> None:
    rng = np.random.default_rng(5)
    difference = rng.normal(2, 2, size=(9, 4))
    errors = SourceErrors(difference, np.ones((9, 4)), np.full((9, 4), 30.0))
    estimate = np.array([1.0, -1.0, 1.0, 1.0])
    from scipy.stats import t as student

    for p in range(4):
        own = student.sf(np.sign(estimate[p]) * difference[:, p], 30)
        count = (partial_conjunction(own[:, None])[:, 0] <= 0.025).sum()
        assert shown_on(errors, estimate, 0.025)[p] == count


def test_a_data_set_without_an_error_shows_nothing() -> None:
    difference = np.full((4, 1), 9.0)
    variance = np.array([[1.0], [1.0], [1.0], [np.nan]])
    errors = SourceErrors(difference, variance, np.full((4, 1), 30.0))
    assert shown_on(errors, np.array([9.0]), 0.025)[0] == 3
