"""Generated data against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.catalogue import generators
from reportgen.catalogue.datasets import find_dataset

EXACT = 1e-12


@pytest.mark.parametrize(
    ("name", "rows", "ones"),
    # Thrun et al. (1991): class 1 among all 432 combinations of each problem.
    [("monks1", 556, 216), ("monks2", 601, 142), ("monks3", 554, 228)],
)
def test_monks_cover_all_combinations(name: str, rows: int, ones: int) -> None:
    monks = find_dataset(name)
    attributes = monks.inputs.to_numpy(int)
    assert monks.n == rows
    assert len(np.unique(attributes[:432], axis=0)) == 432
    assert [len(c.cat.categories) for _, c in monks.inputs.items()] == [3, 3, 2, 3, 4, 2]
    assert int(monks.response[:432].sum()) == ones


@pytest.mark.parametrize(("name", "wrong"), [("monks1", 0), ("monks2", 0), ("monks3", 6)])
def test_monks_learning_part(name: str, wrong: int) -> None:
    monks = find_dataset(name)
    attributes = monks.inputs.to_numpy(int)
    assert len(np.unique(attributes[432:], axis=0)) == len(attributes) - 432
    truth = {tuple(row): y for row, y in zip(attributes[:432], monks.response[:432], strict=True)}
    labels = [truth[tuple(row)] for row in attributes[432:]]
    assert int((labels != monks.response[432:]).sum()) == wrong


def test_monk3_by_the_published_rule() -> None:
    monks = find_dataset("monks3")
    a = monks.inputs.to_numpy(int)[:432]
    published = [
        (row[4] == 3 and row[3] == 1) or (row[4] != 4 and row[1] != 3) for row in a.tolist()
    ]
    assert monks.response[:432].astype(bool).tolist() == published


def test_spirals_lie_on_their_curves() -> None:
    inputs, target = generators.spirals(101, np.random.default_rng(1), cycles=1.5, sd=0.0)
    points = inputs.to_numpy()
    first = points[(target == "1").to_numpy()]
    second = points[(target == "2").to_numpy()]
    w = np.arange(51) * 1.5 / 51
    assert np.linalg.norm(first, axis=1) == pytest.approx((2 * w + 1) / 3, abs=EXACT)
    assert first[0] == pytest.approx([1 / 3, 0.0], abs=EXACT)
    assert second[0] == pytest.approx([-1 / 3, 0.0], abs=EXACT)
    assert len(second) == 50


def test_noise_is_at_right_angles_to_the_spiral() -> None:
    plain, _ = generators.spirals(400, np.random.default_rng(1), cycles=1, sd=0.0)
    noisy, target = generators.spirals(400, np.random.default_rng(1), cycles=1, sd=0.05)
    is_first = (target == "1").to_numpy()
    shift = (noisy - plain).to_numpy()[is_first]
    steps = np.gradient(plain.to_numpy()[is_first], axis=0)
    lengths = np.linalg.norm(steps, axis=1) * np.linalg.norm(shift, axis=1)
    # Differences approximate the tangent to about a hundredth of a radian inside.
    assert np.abs((shift * steps).sum(axis=1) / lengths)[1:-1].max() < 0.02
    assert np.linalg.norm(shift, axis=1).std() > 0.01


@pytest.mark.parametrize("d", [2, 20])
def test_twonorm_has_breimans_bayes_error(d: int) -> None:
    inputs, target = generators.twonorm(20_000, np.random.default_rng(3), d=d)
    points = inputs.to_numpy()
    is_first = (target == "1").to_numpy()
    # Standard error of a mean of 10,000 standard normals: 0.01.
    assert points[is_first].mean(axis=0) == pytest.approx(2 / np.sqrt(d), abs=0.05)
    assert points[~is_first].mean(axis=0) == pytest.approx(-2 / np.sqrt(d), abs=0.05)
    error = np.mean((points.sum(axis=1) > 0) != is_first)
    assert error == pytest.approx(0.02275, abs=0.004)
