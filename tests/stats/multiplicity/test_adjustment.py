"""Holm and closed testing: by hand, by their definitions, and their error rate."""

from __future__ import annotations

from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.multiplicity.adjustment import (
    closed_pairs,
    holm,
    sidak,
    sidak_level,
    subsets,
)

Array = NDArray[np.float64]
FOUR = 4.0  # standard errors of a simulation
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=8).map(np.array)


def test_holm_by_hand() -> None:
    # sorted .005 .011 .02 .04 .13 times 5 4 3 2 1: .025 .044 .06 .08 .13
    found = holm(np.array([0.04, 0.011, 0.13, 0.005, 0.02]))
    np.testing.assert_allclose(found, [0.08, 0.044, 0.13, 0.025, 0.06], rtol=1e-15)


@given(p_values, st.randoms(use_true_random=False))
def test_holm_by_its_definition(p: Array, random) -> None:
    """Level alpha rejects the sorted p-values up to the first above alpha / (P - i)."""
    adjusted = holm(p)
    for alpha in (0.01, 0.05, 0.2, 0.5):
        ordered = np.sort(p)
        fails = ordered > alpha / np.arange(len(p), 0, -1)
        n_rejected = int(np.argmax(fails)) if fails.any() else len(p)
        if np.abs(adjusted - alpha).min() > 1e-9:
            assert int((adjusted <= alpha).sum()) == n_rejected
    order = list(range(len(p)))
    random.shuffle(order)
    np.testing.assert_array_equal(holm(p[order]), adjusted[order])
    assert ((p <= adjusted) & (adjusted <= np.minimum(1, len(p) * p))).all()


def test_subsets() -> None:
    assert [len(subsets(n)) for n in (2, 3, 4, 6)] == [1, 4, 11, 57]


def naive_closure(p: dict[tuple[int, ...], float], n: int) -> Array:
    """Adjust by all partitions, as labels of the candidates."""
    partitions = []
    for label in product(range(n), repeat=n):
        groups = [tuple(k for k in range(n) if label[k] == g) for g in range(n)]
        partitions.append([group for group in groups if len(group) > 1])
    adjusted = []
    for i, j in combinations(range(n), 2):
        implying = [q for q in partitions if any(i in group and j in group for group in q)]
        adjusted.append(max(min(1, len(q) * min(p[group] for group in q)) for q in implying))
    return np.array(adjusted)


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_closure_by_its_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = {subset: float(rng.random() ** 3) for subset in subsets(n)}
    np.testing.assert_array_equal(closed_pairs(p, n), naive_closure(p, n))


def test_family_wise_error_of_normal_means() -> None:
    """Groups (0, 1), (2, 3), (4,) alike: each method errs in at most 5%, and in some."""
    rng = np.random.default_rng(3)
    n, k = 1500, 5
    means = np.array([0.0, 0.0, 5.0, 5.0, 10.0])
    pairs = np.array(list(combinations(range(k), 2)))
    is_true = means[pairs[:, 0]] == means[pairs[:, 1]]
    wrong = np.zeros((n, 2))
    for run in range(n):
        x = rng.normal(size=k) + means
        p = 2 * ndtr(-np.abs(x[pairs[:, 0]] - x[pairs[:, 1]]) / sqrt(2))
        of_subsets = {
            s: min(1.0, len(s) * (len(s) - 1) / 2 * 2 * ndtr(-np.ptp(x[list(s)]) / sqrt(2)))
            for s in subsets(k)
        }
        adjusted = (holm(p), closed_pairs(of_subsets, k))
        wrong[run] = [(a[is_true] <= 0.05).any() for a in adjusted]
    rates = wrong.mean(axis=0)
    assert (rates < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)).all()
    assert (rates > 0.005).all()


def test_errors() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm(np.array([0.2, 1.2]))
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm(np.array([0.2, np.nan]))
    with pytest.raises(ValueError, match="up to 8"):
        closed_pairs({}, 9)
    with pytest.raises(KeyError):
        closed_pairs({(0, 1): 0.1}, 3)


def test_sidak_counts_what_was_tested() -> None:
    adjusted = sidak(np.array([0.0005, 0.2, np.nan, 1.0]))
    assert adjusted[[0, 1, 3]] == pytest.approx([0.0015, 1 - 0.8**3, 1.0])
    assert np.isnan(adjusted[2])


def test_the_level_of_sidak_is_its_inverse() -> None:
    for n in (1, 3, 49, 51, 1000):
        level = sidak_level(0.05, n)
        assert sidak(np.full(n, level)) == pytest.approx(np.full(n, 0.05), rel=1e-9)


def test_holm_counts_hypotheses_that_are_not_tested() -> None:
    p = np.array([0.04, 0.001, 0.02])
    np.testing.assert_array_equal(holm(p, 5), holm(np.append(p, [1.0, 1.0]))[:3])
