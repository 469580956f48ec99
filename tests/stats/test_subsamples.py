"""Subsamples of distinct units, and what their shares mean."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.subsamples import SubsampleSupport, subsample, subsample_size


@pytest.mark.parametrize("n", [2, 5, 21, 100])
def test_units_are_distinct(n: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        drawn = subsample(n, rng)
        assert len(set(drawn.tolist())) == len(drawn) == round(0.632 * n) == subsample_size(n)
        assert drawn.tolist() == sorted(drawn.tolist())
        assert 0 <= drawn.min() <= drawn.max() < n


def test_every_unit_is_drawn_as_often() -> None:
    rng = np.random.default_rng(2)
    counts = np.bincount(np.concatenate([subsample(10, rng) for _ in range(2000)]), minlength=10)
    # Six of ten: a binomial of 2,000 draws at .6 has a standard error of 22; four of them.
    assert np.abs(counts - 1200).max() < 88


@pytest.mark.parametrize(
    ("n_returned", "is_reportable"), [(98, False), (99, False), (100, True), (200, True)]
)
def test_the_threshold_is_a_half(n_returned: int, is_reportable: bool) -> None:
    assert SubsampleSupport(n_returned / 200, 200, 13, 21).is_reportable == is_reportable
