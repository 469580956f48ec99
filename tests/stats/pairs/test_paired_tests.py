"""Pairs tested alone and adjusted: strong control, and independence of the pool."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.pairs.paired_tests import permutation_pairs, signed_rank_pairs
from reportgen.stats.permutation.paired import paired_permutation
from reportgen.stats.ranks.signed_rank import signed_rank_test

Array = NDArray[np.float64]
FOUR = 4.0  # standard errors of a simulation
RNG = np.random.default_rng(0)
blocks = st.tuples(st.integers(2, 7), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 5))
)


@given(blocks)
def test_pairs_are_single_tests(values: Array) -> None:
    ranked, permuted = signed_rank_pairs(values), permutation_pairs(values, RNG)
    for k, (i, j) in enumerate(zip(ranked.first, ranked.second, strict=True)):
        d = values[:, i] - values[:, j]
        assert ranked.p_values[k] == signed_rank_test(d).p_value
        assert ranked.statistics[k] == signed_rank_test(d).z
        assert permuted.p_values[k] == paired_permutation(d, RNG).p_value
    np.testing.assert_array_equal(ranked.adjusted, holm(ranked.p_values))
    np.testing.assert_array_equal(permuted.adjusted, holm(permuted.p_values))
    assert ranked.is_exact.all()
    assert permuted.is_exact.all()


@given(blocks, st.randoms(use_true_random=False))
def test_relabelling_reorders_the_pairs(values: Array, random) -> None:
    order = list(range(values.shape[1]))
    random.shuffle(order)
    found, other = signed_rank_pairs(values), signed_rank_pairs(values[:, order])
    by_pair = {
        frozenset((i, j)): p
        for i, j, p in zip(found.first, found.second, found.adjusted, strict=True)
    }
    for i, j, p in zip(other.first, other.second, other.adjusted, strict=True):
        assert by_pair[frozenset((order[i], order[j]))] == pytest.approx(p, abs=1e-12)
    turned = signed_rank_pairs(-values)
    np.testing.assert_allclose(turned.adjusted, found.adjusted, atol=1e-12)
    np.testing.assert_allclose(turned.statistics, -found.statistics, atol=1e-12)


def test_a_pair_does_not_depend_on_the_pool() -> None:
    """The pool in which joint ranks reject a true null too often: here they do not."""
    rng = np.random.default_rng(12)
    n, n_blocks = 30, 40
    rejected = 0
    for _ in range(n):
        middle = rng.normal(size=(n_blocks, 10)) * 0.01 + np.arange(1.0, 11.0)
        first = np.where(rng.random((n_blocks, 1)) < 0.5, 0.0, 11.0)
        noise = rng.normal(size=(n_blocks, 2)) * 0.1
        values = np.hstack([np.hstack([first, 11 - first]) + noise, middle])
        rejected += signed_rank_pairs(values).adjusted[0] <= 0.05
    assert rejected / n < 0.05


def test_family_wise_error() -> None:
    """Two pairs alike, far apart, unequal variances: one or more errors in at most 5%."""
    rng = np.random.default_rng(3)
    n = 300
    errors = np.zeros((n, 2))
    for run in range(n):
        values = rng.normal(size=(30, 4)) * [1, 3, 1, 5] + [0, 0, 9, 9] + rng.normal(size=(30, 1))
        found = (
            signed_rank_pairs(values).adjusted,
            permutation_pairs(values[:11], rng).adjusted,
        )
        errors[run] = [a[[0, 5]].min() <= 0.05 for a in found]
    assert (errors.mean(axis=0) < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)).all()
    assert errors.any()


def test_many_blocks_are_drawn() -> None:
    values = np.random.default_rng(1).normal(size=(60, 3)) + np.array([0, 0, 1])
    found = permutation_pairs(values, np.random.default_rng(1), n_draws=999)
    assert not found.is_exact.any()
    assert found.p_values.min() >= 0.001
    np.testing.assert_allclose(
        found.standard_errors, np.sqrt(found.p_values * (1 - found.p_values) / 999)
    )


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        signed_rank_pairs(np.ones((3, 1)))
    with pytest.raises(ValueError, match="missing"):
        permutation_pairs(np.full((3, 2), np.nan), RNG)
