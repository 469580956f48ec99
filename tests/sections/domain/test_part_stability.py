"""Parts that return, and parts that do not."""

from __future__ import annotations

import numpy as np

from reportgen.sections.domain.part_stability import returning
from reportgen.stats.clustering import complete_linkage, cut


def parts_of(matrix: np.ndarray, n: int) -> tuple[tuple[int, ...], ...]:
    return cut(complete_linkage(matrix), n)


def test_parts_that_are_far_apart_always_return() -> None:
    group = np.repeat([0, 1, 2], 6)
    matrix = np.where(group[:, None] == group, 1, 9) * (1 - np.eye(18, dtype=int))
    found = returning(matrix, parts_of(matrix, 3), np.random.default_rng(1))
    assert found == [1.0, 1.0, 1.0]


def test_parts_of_noise_do_not() -> None:
    noise = np.triu(np.random.default_rng(2).integers(5, 9, (18, 18)), k=1)
    matrix = noise + noise.T
    found = returning(matrix, parts_of(matrix, 3), np.random.default_rng(1))
    assert all(0.2 < x < 0.75 for x in found)
