"""Data sets that go together: planted relatives, and none by chance."""

import numpy as np

from reportgen.stats.domain.family_means import FEWEST_CANDIDATES, correlated_datasets

N_STUDIES = 300


def drawn(rng: np.random.Generator, n_datasets: int = 12, n_candidates: int = 10) -> np.ndarray:
    """Return values of good and bad candidates on easy and hard data sets."""
    candidates, levels = rng.normal(size=n_candidates), rng.normal(size=(n_datasets, 1))
    return 3 * candidates + 5 * levels + rng.normal(size=(n_datasets, n_candidates))


def test_a_planted_relative_is_found():
    rng = np.random.default_rng(1)
    values = drawn(rng)
    values[7] += values[2] - values[7] + 2.0 + 0.05 * rng.normal(size=10)
    assert correlated_datasets(values) == [(2, 7)]


def test_good_candidates_that_are_good_everywhere_make_no_relatives():
    rng = np.random.default_rng(2)
    found = sum(bool(correlated_datasets(drawn(rng))) for _ in range(N_STUDIES))
    assert found <= 0.03 * N_STUDIES  # at most 1% nominally, ranks of so few are discrete


def test_one_candidate_that_fails_on_two_data_sets_is_not_enough():
    rng = np.random.default_rng(3)
    values = drawn(rng)
    values[[0, 1], 0] += 1000.0
    assert correlated_datasets(values) == []


def test_few_candidates_say_nothing():
    values = drawn(np.random.default_rng(4), n_candidates=FEWEST_CANDIDATES - 1)
    values[1] = values[0]
    assert correlated_datasets(values) == []
