"""Statistics without each unit, against those computed without it."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.pairs.leave_one_out import statistics_without_each
from reportgen.stats.pairs.paired_max_t import paired_max_t

ROUNDING = 1e-9  # relative: a sum without a unit is a difference of two


@pytest.mark.parametrize("seed", range(4))
def test_statistics_are_those_without_the_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.gamma(0.5, size=(12, 5)) + rng.normal(0, 0.1, (12, 5))
    values[rng.random(values.shape) < 0.15] = np.nan
    (found,) = statistics_without_each(values)
    for m in range(12):
        own = paired_max_t(np.delete(values, m, axis=0), 0.05, rng).statistic
        np.testing.assert_allclose(found[m], own, rtol=ROUNDING, atol=ROUNDING)


def test_variation_of_the_unit_alone_leaves_nothing_known() -> None:
    values = np.column_stack([np.zeros(8), [1.0] * 7 + [2.0]])
    found = next(statistics_without_each(values))[:, 0]
    assert np.isfinite(found[:7]).all()
    assert np.isnan(found[7])
