"""The permutation path: all signs by enumeration, and saddlepoints against them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from reportgen.stats.permutation.paired import paired_permutation
from reportgen.stats.sequential.paired_paths import permutation_path

CLOSE = 0.06  # relative error of the saddlepoint from 14 differences on, where p >= .001
ALTERNATIVES = ("two-sided", "less", "greater")
DRAWN = {
    "continuous": lambda rng, n: rng.normal(0.3, 1.0, n),
    "lattice": lambda rng, n: np.round(rng.normal(0.3, 1.0, n)),
    "outliers": lambda rng, n: rng.standard_t(2, n) + 0.3,
}


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", list(DRAWN))
def test_each_look_is_the_test_from_the_start(kind: str, alternative: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        d = DRAWN[kind](rng, 34)
        path = permutation_path(d, 2, alternative)  # type: ignore[arg-type]
        for look in (2, 5, 9, 13, 15, 20, 27, 34):
            expected = paired_permutation(d[:look], rng, alternative).p_value  # type: ignore[arg-type]
            found = path.p_values[look - 2]
            if (d[:look] != 0).sum() <= 13:
                assert found == pytest.approx(expected, abs=1e-12)
            else:
                assert found == pytest.approx(expected, rel=CLOSE, abs=CLOSE / 1000)


def test_far_tails_and_the_end_of_the_law() -> None:
    assert permutation_path(np.ones(50), 50, "greater").p_values[0] == 0.5**50
    assert permutation_path(np.ones(50), 50, "less").p_values[0] == pytest.approx(1.0)
    assert permutation_path(np.zeros(30), 30).p_values[0] == 1.0
    d = np.append(np.ones(38), -np.ones(12))
    tail = binom.sf(37, 50, 0.5)
    assert permutation_path(d, 50, "greater").p_values[0] == pytest.approx(tail, rel=CLOSE)


def test_pairs_are_followed_side_by_side() -> None:
    d = np.random.default_rng(4).normal(size=(2, 3, 20))
    together = permutation_path(d, 12)
    assert together.p_values.shape == (2, 3, 9)
    assert together.p_values[1, 2] == pytest.approx(permutation_path(d[1, 2], 12).p_values)
    at = permutation_path(d[0, 0], 12, at=np.array([14, 20]))
    assert at.p_values == pytest.approx(together.p_values[0, 0, [2, 8]])
