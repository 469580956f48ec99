"""The law of column sums under permutation within blocks, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import chi2

from reportgen.stats.permutation import block_sums as own
from reportgen.stats.permutation.block_sums import n_steps, sum_law
from reportgen.stats.ranking import within_block_ranks
from tests.stats.enumeration import all_arranged_sums

Array = NDArray[np.float64]
EXACT = 1e-12  # sums of a few hundred probabilities
FOUR = 4.0  # standard errors of a simulation
blocks = st.sampled_from([(4, 2), (6, 2), (2, 3), (3, 3), (4, 3), (2, 4)]).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4))
)


def untied(rng: np.random.Generator, n_blocks: int, n_candidates: int) -> Array:
    return within_block_ranks(rng.random((n_blocks, n_candidates)))


def moments(sums: Array, weights: Array) -> dict[str, float]:
    """Return expectations of functions of the sums that do not depend on labels."""
    ordered = np.sort(sums, axis=1)
    found = {
        "squares": (sums**2).sum(axis=1),
        "range": np.ptp(sums, axis=1),
        "cubes": (sums**3).sum(axis=1),
        "largest": ordered[:, -1],
        "gap": ordered[:, 1] - ordered[:, 0],
    }
    return {name: float(weights @ values) for name, values in found.items()}


@given(blocks)
def test_law_of_ranks_is_that_of_all_arrangements(values: Array) -> None:
    ranks = within_block_ranks(values)
    law = sum_law(ranks, np.random.default_rng(0))
    sums = all_arranged_sums(ranks)
    expected = moments(sums, np.full(len(sums), 1 / len(sums)))
    assert law.n_draws is None
    assert law.method == "exact"
    assert law.weights.sum() == pytest.approx(1, abs=EXACT)
    assert moments(law.sums, law.weights) == pytest.approx(expected, abs=1e-9)
    grid = np.unique(np.ptp(sums, axis=1).round(6))
    found, errors = law.tail(np.ptp(law.sums, axis=1), grid, 1e-6)
    np.testing.assert_allclose(
        found, (np.ptp(sums, axis=1) >= grid[:, None] - 1e-6).mean(axis=1), atol=EXACT
    )
    assert not errors.any()


@pytest.mark.parametrize("shape", [(5, 2), (3, 3), (2, 4)])
def test_law_of_values_off_any_lattice(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(3).normal(size=shape)
    law = sum_law(values, np.random.default_rng(0))
    sums = all_arranged_sums(values)
    assert law.method == "exact"
    expected = moments(sums, np.full(len(sums), 1 / len(sums)))
    assert moments(law.sums, law.weights) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_candidates", [4, 6, 7, 8, 9])
def test_drawn_sums_have_the_moments_of_the_law(n_candidates: int) -> None:
    """Mean 0, variance W / K for every label, covariance -W / (K (K - 1)), W the sum of squares."""
    rng = np.random.default_rng(n_candidates)
    values = rng.exponential(size=(40, n_candidates))
    n = 40_000
    law = sum_law(values, rng, n)
    assert (law.method, law.n_draws, law.sums.shape) == ("monte-carlo", n, (n, n_candidates))
    within = float(((values - values.mean(axis=1, keepdims=True)) ** 2).sum())
    variance = within / n_candidates
    assert np.abs(law.sums.mean(axis=0)).max() < FOUR * np.sqrt(variance / n)
    expected = variance * (np.eye(n_candidates) * n_candidates - 1) / (n_candidates - 1)
    assert np.abs(np.cov(law.sums.T) - expected).max() < 1.25 * FOUR * variance * np.sqrt(2 / n)


@pytest.mark.parametrize("levels", [3, 1000])
@pytest.mark.parametrize("n_candidates", [4, 6, 7])
def test_drawn_sums_of_a_lattice_are_those_of_any_values(n_candidates: int, levels: int) -> None:
    """Times pi ranks lie on no lattice, and are arranged in the same way."""
    values = np.random.default_rng(3).integers(0, levels, size=(90, n_candidates))
    ranks = within_block_ranks(values.astype(np.float64))
    found = sum_law(ranks, np.random.default_rng(1), n_draws=500)
    slow = sum_law(ranks * np.pi, np.random.default_rng(1), n_draws=500)
    assert found.n_draws == slow.n_draws == 500
    np.testing.assert_allclose(found.sums * np.pi, slow.sums, atol=1e-9)


def test_drawn_law_approaches_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    ranks = within_block_ranks(rng.integers(0, 4, (9, 4)).astype(float))
    exact = sum_law(ranks, rng)
    monkeypatch.setattr(own, "MOST_STEPS", 0)
    drawn = sum_law(ranks, rng, 100_000)
    grid = np.array([0.0, 4.0, 7.0, 9.5, 12.0])
    p, _ = exact.tail(np.ptp(exact.sums, axis=1), grid, 1e-9)
    found, errors = drawn.tail(np.ptp(drawn.sums, axis=1), grid, 1e-9)
    assert (np.abs(found - p) <= FOUR * np.maximum(errors, 1e-5)).all()
    assert errors[1:].all()


def test_random_tail_counts_the_observed_arrangement() -> None:
    law = own.SumLaw(np.zeros((4, 2)), np.full(4, 1 / 4), 4)
    p, error = law.tail(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.5, 9.0, 0.0]), 0.0)
    assert p.tolist() == [3 / 5, 1 / 5, 1.0]
    assert error.tolist() == pytest.approx([np.sqrt(0.24 / 4), np.sqrt(0.16 / 4), 0])


@pytest.mark.parametrize(
    ("n_candidates", "n_ranked", "n_others"),
    [(2, 3100, 22), (3, 171, 9), (4, 33, 5), (5, 12, 4), (6, 5, 3), (7, 3, 2)],
)
def test_sizes_up_to_which_the_law_is_exact(
    n_candidates: int, n_ranked: int, n_others: int
) -> None:
    rng = np.random.default_rng(1)

    def is_exact(scores: Array) -> bool:
        return n_steps(scores) <= own.MOST_STEPS

    more = 2 * n_ranked
    assert is_exact(untied(rng, n_ranked, n_candidates))
    assert not is_exact(untied(rng, more, n_candidates))
    assert is_exact(rng.normal(size=(n_others, n_candidates)))
    assert not is_exact(rng.normal(size=(n_others + 1, n_candidates)))


def test_estimated_steps_are_close_to_those_taken() -> None:
    """The number of ordered rank sums is about that of the lattice points counted."""
    rng = np.random.default_rng(2)
    for n_candidates, n_blocks in ((3, 60), (4, 15), (5, 6)):
        ranks = untied(rng, n_blocks, n_candidates)
        span = n_blocks * (n_candidates - 1)
        counted = len(sum_law(ranks, rng).weights)
        assert counted == pytest.approx(own._permutohedron(span, n_candidates), rel=0.35)


def test_many_candidates_and_blocks_are_drawn() -> None:
    rng = np.random.default_rng(0)
    assert n_steps(untied(rng, 250, 40)) == np.inf
    assert sum_law(untied(rng, 5, 40), rng, 10).method == "monte-carlo"


def test_fully_tied_blocks_add_nothing() -> None:
    ranks = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [1.0, 3.0, 2.0]])
    law, without = (sum_law(r, np.random.default_rng(0)) for r in (ranks, ranks[[0, 2]]))
    np.testing.assert_array_equal(law.sums, without.sums)
    nothing = sum_law(np.full((3, 4), 2.5), np.random.default_rng(0))
    assert (nothing.sums.tolist(), nothing.weights.tolist()) == ([[0.0] * 4], [1.0])


def test_exact_friedman_law_is_close_to_its_limit() -> None:
    ranks = untied(np.random.default_rng(4), 33, 4)
    law = sum_law(ranks, np.random.default_rng(0))
    statistics = 12 / (33 * 4 * 5) * (law.sums**2).sum(axis=1)
    p, _ = law.tail(statistics, np.array([chi2.isf(0.05, 3)]), 1e-12)
    assert p[0] == pytest.approx(0.05, abs=0.003)


def test_errors() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="two candidates"):
        sum_law(np.ones((3, 1)), rng)
    with pytest.raises(ValueError, match="a block"):
        sum_law(np.ones((0, 3)), rng)
    with pytest.raises(ValueError, match="missing"):
        sum_law(np.array([[1.0, np.nan]]), rng)
    with pytest.raises(ValueError, match="n_draws"):
        sum_law(np.ones((3, 3)), rng, 0)


def test_one_block_of_many_candidates_is_fixed_by_their_labels() -> None:
    law = sum_law(np.arange(1.0, 14.0)[None], np.random.default_rng(1))
    assert law.sums.tolist() == [(np.arange(13) - 6.0).tolist()]
    assert law.weights.tolist() == [1.0]


def test_blocks_of_many_ties_have_few_arrangements() -> None:
    tied = np.array([[1.0] + [8.0] * 12, [2.5] * 4 + [9.0] * 9])
    law = sum_law(tied, np.random.default_rng(1))
    assert law.n_draws is None
    assert law.weights == pytest.approx([4 / 13, 9 / 13], abs=EXACT)


def test_a_value_that_dwarfs_its_block_leaves_a_law() -> None:
    scores = np.array([[20.0, 21.3, 1e20], [0.1, 0.7, 0.35], [0.2, 0.95, 0.55]])
    law = sum_law(scores, np.random.default_rng(1))
    assert law.method == "exact"
    assert len(law.weights) == len(law.sums)
    assert law.weights.sum() == pytest.approx(1.0, abs=1e-12)


def test_a_law_is_that_of_the_values_in_another_unit() -> None:
    """Large values are whole numbers, too; their lattice is finer than integers hold."""
    rng = np.random.default_rng(1)
    values = 1e12 + rng.normal(size=(5, 4)).round(2)
    law, other = sum_law(values, rng), sum_law(np.ldexp(values, 60), rng)
    assert law.n_draws is None
    assert other.n_draws is None
    assert (np.ldexp(law.sums, 60) == other.sums).all()
    assert (law.weights == other.weights).all()


@pytest.mark.parametrize("n_candidates", [2, 4, 5, 6])
def test_sums_ordered_by_column_have_the_law_of_sorted_ones(
    n_candidates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(n_candidates)
    rows = rng.integers(0, n_candidates, size=(4, n_candidates)).astype(np.float64)
    laws = []
    for many in (0, 10**9):
        monkeypatch.setattr(own, "MANY_STATES", many)
        laws.append(own._on_lattice(rows, 1.0))
    np.testing.assert_array_equal(laws[0].sums, laws[1].sums)
    np.testing.assert_array_equal(laws[0].weights, laws[1].weights)
