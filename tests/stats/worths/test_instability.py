"""Tests of parameter instability."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtrc

from reportgen.stats.worths.instability import Kind, instability_test, whitened

RUNS = 200
SIZE = (0.01, 0.09)  # of 5 %: within three standard errors


def scores_of(n: int, q: int, seed: int) -> np.ndarray:
    """Return scores that sum to zero."""
    drawn = np.random.default_rng(seed).standard_normal((n, q))
    return drawn - drawn.mean(axis=0)


def test_the_numeric_statistic_is_its_definition() -> None:
    psi, z = scores_of(30, 2, 1), np.random.default_rng(2).standard_normal(30)
    found = instability_test(psi, z)
    assert found is not None
    inverse = np.linalg.inv(psi.T @ psi / 30)
    expected = []
    for i in range(3, 28):
        total = psi[np.argsort(z)[:i]].sum(axis=0)
        expected.append(total @ inverse @ total / 30 / (i / 30 * (1 - i / 30)))
    assert found.path == pytest.approx(expected)
    assert found.statistic == pytest.approx(max(expected))
    assert found.places == pytest.approx(np.sort(z)[2:27])


def test_the_categorical_statistic_is_its_definition() -> None:
    psi, codes = scores_of(30, 2, 1), np.arange(30) % 3.0
    found = instability_test(psi, codes, Kind.CATEGORICAL)
    assert found is not None
    inverse = np.linalg.inv(psi.T @ psi / 30)
    totals = [psi[codes == c].sum(axis=0) for c in range(3)]
    expected = sum(t @ inverse @ t / 10 for t in totals)
    assert found.statistic == pytest.approx(expected)
    assert found.df == 4
    assert found.p_value == pytest.approx(chdtrc(4, expected))


def test_the_order_of_units_with_equal_values_does_not_matter() -> None:
    psi, z = scores_of(60, 3, 3), np.arange(60) // 7 * 1.0
    shuffled = np.random.default_rng(4).permutation(60)
    tests = [instability_test(psi, z), instability_test(psi[shuffled], z[shuffled])]
    assert tests[0] is not None
    assert tests[1] is not None
    assert tests[0].statistic == pytest.approx(tests[1].statistic)
    like_r = [
        instability_test(psi, z, order_free=False),
        instability_test(psi[shuffled], z[shuffled], order_free=False),
    ]
    assert like_r[0] is not None
    assert like_r[1] is not None
    assert like_r[0].statistic != pytest.approx(like_r[1].statistic)


def test_ordinal_characteristics_break_between_any_two_categories() -> None:
    psi, z = scores_of(40, 2, 5), np.repeat([0.0, 1.0, 2.0], [2, 36, 2])
    ordinal = instability_test(psi, z, Kind.ORDINAL)
    assert ordinal is not None
    assert ordinal.places.tolist() == [0.0, 1.0]
    few = instability_test(psi, z, Kind.NUMERIC)  # few distinct numbers are ordered classes
    assert few is not None
    assert few.statistic == ordinal.statistic
    spread = z + np.linspace(0, 1e-3, 40)  # many are trimmed, so that neither tail can be parted
    trimmed = instability_test(psi, spread, Kind.NUMERIC)
    assert trimmed is not None
    assert trimmed.places[0] > 0.9
    assert instability_test(psi, z, Kind.NUMERIC, order_free=False) is not None


def test_units_without_a_value_take_no_part() -> None:
    psi, z = scores_of(40, 2, 6), np.random.default_rng(7).standard_normal(40)
    z[:6] = np.nan
    found = instability_test(psi, z)
    rest = psi[6:] - psi[6:].mean(axis=0)
    alone = instability_test(rest, z[6:])
    assert found is not None
    assert alone is not None
    assert found.n_units == 34
    assert found.statistic == pytest.approx(alone.statistic)


@pytest.mark.parametrize(
    "values",
    [np.ones(20), np.full(20, np.nan), np.r_[np.zeros(19), 1.0]],
    ids=["one value", "none known", "one on its own"],
)
def test_there_is_no_test_without_two_sides(values: np.ndarray) -> None:
    assert instability_test(scores_of(20, 2, 8), values) is None


def test_there_is_no_test_with_too_few_units_or_scores_of_zero() -> None:
    assert whitened(scores_of(4, 3, 9)) is None
    assert whitened(1e-9 * scores_of(20, 3, 9)) is None
    assert whitened(scores_of(5, 3, 9)) is not None


def test_scores_in_fewer_dimensions_are_tested_in_these() -> None:
    psi, z = scores_of(20, 2, 9), np.random.default_rng(3).standard_normal(20)
    plane = instability_test(psi, z)
    flat = instability_test(np.c_[psi, psi[:, 0] - psi[:, 1]], z)
    assert plane is not None
    assert flat is not None
    assert (flat.df, flat.statistic) == (2, pytest.approx(plane.statistic))
    assert flat.p_value == pytest.approx(plane.p_value)


def test_whitened_scores_have_the_identity_as_covariance() -> None:
    white = whitened(scores_of(25, 3, 10))
    assert white is not None
    assert white.T @ white == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(Kind))
def test_the_size_of_the_test_is_kept(kind: Kind) -> None:
    rejected = 0
    for run in range(RUNS):
        z = np.random.default_rng([run, 1]).integers(0, 5, 60).astype(float)
        found = instability_test(scores_of(60, 2, run + 1000), z, kind)
        assert found is not None
        rejected += found.p_value <= 0.05
    assert SIZE[0] < rejected / RUNS < SIZE[1]


def test_permutation_p_values_are_uniform_for_skewed_scores() -> None:
    p_values = []
    for run in range(80):
        rng = np.random.default_rng([run, 2])
        psi = rng.exponential(size=(15, 2)) ** 2
        found = instability_test(
            psi - psi.mean(axis=0), rng.standard_normal(15), n_permutations=99, rng=rng
        )
        assert found is not None
        assert found.n_permutations == 99
        p_values.append(found.p_value)
    shares = [np.mean(np.array(p_values) <= level) for level in (0.1, 0.3, 0.5, 0.8)]
    assert shares == pytest.approx([0.1, 0.3, 0.5, 0.8], abs=0.15)


def test_a_break_is_found_and_where() -> None:
    psi, z = scores_of(60, 2, 11), np.arange(60.0)
    psi[:20, 0] += 2
    psi -= psi.mean(axis=0)
    found = instability_test(psi, z, n_permutations=199, rng=np.random.default_rng(1))
    assert found is not None
    assert found.p_value == 1 / 200
    assert found.places[found.path.argmax()] == pytest.approx(19, abs=2)


def test_permutations_need_a_generator() -> None:
    with pytest.raises(ValueError, match="generator"):
        instability_test(scores_of(20, 2, 1), np.arange(20.0), n_permutations=9)
    with pytest.raises(ValueError, match="20 units"):
        instability_test(scores_of(20, 2, 1), np.arange(19.0))


def test_the_critical_value_is_where_the_p_value_turns() -> None:
    psi, z = scores_of(60, 2, 5), np.random.default_rng(6).standard_normal(60)
    law = instability_test(psi, z, order_free=False)
    assert law is not None
    assert law.law(law.critical_value(0.05)) == pytest.approx(np.log(0.05), abs=1e-6)
    permuted = instability_test(psi, z, n_permutations=199, rng=np.random.default_rng(1))
    assert permuted is not None
    critical = permuted.critical_value(0.05)
    assert (1 + (permuted.draws >= critical * 1.0001).sum()) / 200 <= 0.05
    assert (1 + (permuted.draws >= critical * 0.9999).sum()) / 200 > 0.05
    assert permuted.critical_value(0.001) == np.inf  # 199 permutations cannot be as sure


def test_permutations_may_end_when_enough_are_no_smaller() -> None:
    psi, z = scores_of(40, 2, 7), np.random.default_rng(8).standard_normal(40)
    rng = np.random.default_rng(2)
    full = instability_test(psi, z, n_permutations=999, rng=np.random.default_rng(2))
    short = instability_test(psi, z, n_permutations=999, most_reached=20, rng=rng)
    assert full is not None
    assert short is not None
    assert full.n_permutations == 999
    assert short.n_permutations < 999
    assert short.p_value == pytest.approx(full.p_value, abs=0.15)
    assert full.p_value > 0.05
    psi[:15, 0] += 3  # a break: none is as large, so all are done
    clear = instability_test(
        psi - psi.mean(axis=0), np.arange(40.0), n_permutations=199, most_reached=20, rng=rng
    )
    assert clear is not None
    assert clear.n_permutations == 199
