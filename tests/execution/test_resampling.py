"""Samples by their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.execution.resampling import Sample, Units, count_units, draw_sample
from reportgen.study.resampling import Resampling

SCHEMES = [Resampling("bootstrap", 1), Resampling("subsampling", 1, 2 / 3)]


def _draw(resampling: Resampling, n: int, seed: int = 1) -> Sample:
    return draw_sample(resampling, Units.of(np.zeros(n, np.int64)), np.random.default_rng(seed))


@given(st.sampled_from(SCHEMES), st.integers(2, 60), st.integers(0, 10**6))
def test_learning_and_test_sample_divide_the_observations(
    resampling: Resampling, n: int, seed: int
) -> None:
    sample = _draw(resampling, n, seed)
    assert sorted({*sample.learn, *sample.test}) == list(range(n))
    assert not set(sample.learn) & set(sample.test)
    assert count_units(sample) == (len(sample.learn), len(set(sample.learn)), len(sample.test))


def test_bootstrap_sizes() -> None:
    sizes = np.array([count_units(_draw(SCHEMES[0], 200, seed)) for seed in range(300)])
    assert (sizes[:, 0] == 200).all()
    # Expected share of distinct observations: 1 - (1 - 1/200)^200 = 0.6330; its
    # standard error over 300 samples is 0.0013.
    assert sizes[:, 1].mean() / 200 == pytest.approx(0.6330, abs=0.006)


@pytest.mark.parametrize(
    ("n", "fraction", "size"), [(150, 2 / 3, 100), (7, 2 / 3, 4), (10, 0.7, 7)]
)
def test_subsampling_takes_the_floor(n: int, fraction: float, size: int) -> None:
    sample = _draw(Resampling("subsampling", 1, fraction), n)
    assert count_units(sample) == (size, size, n - size)


def test_every_observation_is_as_likely_as_any_other() -> None:
    counts = np.zeros(10)
    for seed in range(3000):
        counts += np.bincount(_draw(SCHEMES[1], 10, seed).learn, minlength=10)
    # 6 of 10 each time; standard deviation of a count: sqrt(3000 .6 .4) = 26.8.
    assert np.abs(counts - 1800).max() < 5 * 26.8


@pytest.mark.parametrize("resampling", SCHEMES)
def test_strata_keep_their_shares(resampling: Resampling) -> None:
    strata = np.repeat([0, 1, 2], [50, 31, 9])
    sample = draw_sample(resampling, Units.of(strata), np.random.default_rng(4))
    drawn = np.bincount(strata[sample.learn])
    if resampling.scheme == "bootstrap":
        assert drawn.tolist() == [50, 31, 9]
    else:
        # floor(2/3 90) = 60 of shares 33.33, 20.67, 6: the largest remainder is filled up.
        assert drawn.tolist() == [33, 21, 6]


def test_the_test_sample_may_be_empty() -> None:
    samples = [_draw(SCHEMES[0], 2, seed) for seed in range(40)]
    assert {len(sample.test) for sample in samples} == {0, 1}
