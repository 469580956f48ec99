"""Two one-sided recursive tests: level, direction, equivalence, and a wrong way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from reportgen.stats.sequential.recursive import narrowing_rule, recursive_test
from reportgen.stats.sequential.two_procedures import equivalence_test, two_sided_test

N_RUNS = 2000
SIZE = 3 * (0.05 / N_RUNS) ** 0.5
stages = st.lists(st.floats(-4, 4), min_size=3, max_size=3)


@given(stages)
def test_small_p_value_is_a_rejection(z: list[float]) -> None:
    test = two_sided_test(norm.cdf(z).tolist(), norm.sf(z).tolist())
    assert (test.p_value <= 0.05) == (test.decision == "reject")
    mirrored = two_sided_test(norm.sf(z).tolist(), norm.cdf(z).tolist())
    assert (mirrored.decision, mirrored.n_stages) == (test.decision, test.n_stages)
    assert mirrored.p_value == test.p_value
    if test.direction:
        assert {test.direction, mirrored.direction} == {"less", "greater"}
    one = recursive_test(norm.cdf(z).tolist()[: test.n_stages], 0.025, n_stages=3)
    assert test.less == one


def test_level_both_ways_and_the_leaders_chosen_afterwards() -> None:
    """Diss 6.4 takes the direction from all data: the level is about twice alpha."""
    z = np.random.default_rng(1).normal(size=(N_RUNS, 5))
    less, greater = norm.cdf(z).tolist(), norm.sf(z).tolist()
    tests = [two_sided_test(*pair) for pair in zip(less, greater, strict=True)]
    assert np.mean([t.decision == "reject" for t in tests]) == pytest.approx(0.05, abs=SIZE)
    signs = np.where(z.sum(axis=1, keepdims=True) > 0, 1, -1)
    led = norm.sf(z * signs).tolist()
    found = [recursive_test(p, rule=narrowing_rule, final="open") for p in led]
    assert np.mean([t.decision == "reject" for t in found]) == pytest.approx(0.0975, abs=0.02)


def test_stages_are_saved_where_there_is_a_difference() -> None:
    z = np.random.default_rng(2).normal(size=(400, 5)) + 0.4 * 50**0.5
    pairs = zip(norm.cdf(z).tolist(), norm.sf(z).tolist(), strict=True)
    tests = [two_sided_test(*pair) for pair in pairs]
    assert np.mean([test.direction == "greater" for test in tests]) > 0.98
    assert np.mean([test.n_stages for test in tests]) < 1.6


def test_stops_at_the_first_rejection_or_when_both_accept() -> None:
    first = two_sided_test([0.001, 0.9, 0.9], [0.999, 0.001, 0.001])
    assert (first.decision, first.direction, first.n_stages) == ("reject", "less", 1)
    assert first.p_value == 0.002
    other = two_sided_test([0.2, 0.0001, 0.5], [0.8, 0.85, 0.5])
    assert (other.greater.decision, other.n_stages) == ("go on", 2)
    assert other.p_value == 2 * other.less.p_value
    one_left = two_sided_test([0.95, 0.5], [0.05, 0.5], n_stages=3)
    assert (one_left.less.decision, one_left.decision) == ("accept", "go on")
    assert two_sided_test([0.95, 0.5], [0.05, 0.5]).decision == "accept"
    assert two_sided_test([0.95, 0.5], [0.05, 0.5], final="open").decision == "undecided"


def test_level_of_equivalence_at_the_limit() -> None:
    rng, limit = np.random.default_rng(3), 2.5  # in standard errors of a stage
    z = rng.normal(limit, 1, (N_RUNS, 3))
    above, below = norm.sf(z + limit).tolist(), norm.cdf(z - limit).tolist()
    tests = [equivalence_test(*pair) for pair in zip(above, below, strict=True)]
    size = np.mean([t.decision == "reject" for t in tests])
    assert size <= 0.05 + SIZE
    assert size > 0.03
    z = z - limit
    above, below = norm.sf(z + limit).tolist(), norm.cdf(z - limit).tolist()
    tests = [equivalence_test(*pair) for pair in zip(above, below, strict=True)]
    assert np.mean([t.decision == "reject" for t in tests]) > 0.95


def test_equivalence_waits_for_both() -> None:
    waits = equivalence_test([0.001], [0.5], n_stages=2)
    assert (waits.above.decision, waits.decision) == ("reject", "go on")
    both = equivalence_test([0.001, 0.9, 0.9], [0.5, 0.0001, 0.9])
    assert (both.decision, both.n_stages) == ("reject", 2)
    assert both.p_value == both.below.p_value <= 0.05
    far = equivalence_test([0.95, 0.001], [0.001, 0.001])
    assert (far.decision, far.n_stages) == ("accept", 1)
    assert far.p_value == 0.95


def test_errors() -> None:
    with pytest.raises(ValueError, match="same stages, got 1 and 2"):
        two_sided_test([0.1], [0.9, 0.2])
