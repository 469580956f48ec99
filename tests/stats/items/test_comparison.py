"""The verdict on models that answer the same items: which rule, which family, what stays open."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from reportgen.stats.items.comparison import FEWEST_NONZERO, compare_items
from reportgen.stats.items.proportions import score_interval
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.own_variances import compare_own_variances

ALPHA = 0.05
CLOSE = 1e-11  # relative: two computations in double precision


def compare(values: np.ndarray, clusters: np.ndarray | None = None, **options: int) -> PairTable:
    return compare_items(values, clusters, ALPHA, np.random.default_rng(1), **options)


def binary(n: int, *chances: float, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((n, len(chances))) < chances).astype(float)


# ------------------------------------------------------------------------------- the rules


def test_binary_items_have_the_score_interval() -> None:
    values = binary(200, 0.5, 0.6, 0.9)
    table = compare(values)
    assert table.method == "score"
    b = ((values[:, 0] == 1) & (values[:, 2] == 0)).sum()
    c = ((values[:, 0] == 0) & (values[:, 2] == 1)).sum()
    expected = score_interval(*map(np.array, ([b], [c], [200])), ALPHA / 3)
    np.testing.assert_array_equal([table.lower[1], table.upper[1]], np.ravel(expected))
    difference = values[:, 0] - values[:, 2]
    assert table.estimate[1] == pytest.approx(difference.mean(), rel=CLOSE)
    assert table.standard_error[1] == pytest.approx(difference.std(ddof=1) / 200**0.5, rel=CLOSE)
    assert table.statistic[1] == pytest.approx((b - c) / (b + c) ** 0.5, rel=CLOSE)
    np.testing.assert_allclose(table.adjusted_p_value, np.minimum(1, 3 * table.p_value))
    assert table.extra["n_nonzero"].tolist()[1] == b + c
    assert (table.extra["wins"][1], table.extra["losses"][1]) == (b, c)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("has_clusters", [False, True])
def test_interval_and_p_value_agree(seed: int, has_clusters: bool) -> None:
    clusters = np.repeat(np.arange(30), 2) if has_clusters else None
    table = compare(binary(60, 0.3, 0.5, 0.7, 0.4, seed=seed), clusters)
    tested = ~table.is_open
    assert tested.any()
    np.testing.assert_array_equal(table.significant, tested & (table.adjusted_p_value <= ALPHA))


@pytest.mark.parametrize("n", [30, 200])
def test_graded_items_are_compared_by_their_own_variances(n: int) -> None:
    values = np.random.default_rng(5).normal(size=(n, 3)) + np.array([0, 0, 1])
    values[3, 1] = np.nan
    table, own = compare(values), compare_own_variances(values, ALPHA, np.random.default_rng(1))
    assert table.method == own.method
    for name in ("estimate", "lower", "upper", "p_value", "adjusted_p_value"):
        np.testing.assert_array_equal(getattr(table, name), getattr(own, name))
    assert table.extra["n_nonzero"].tolist() == table.extra["n"].tolist() == [n - 1, n, n - 1]
    assert table.extra["n_clusters"].tolist() == [n - 1, n, n - 1]
    assert "skewness" in table.extra


def test_one_graded_value_makes_all_pairs_graded() -> None:
    values = binary(60, 0.2, 0.5, 0.9)
    values[0, 2] = 0.5
    assert compare(values).method.startswith("own-variance")


def test_clusters_of_one_item_are_none() -> None:
    values = binary(60, 0.2, 0.5)
    assert compare(values, np.arange(60)[::-1]) == compare(values)


def test_equal_clusters_are_the_t_of_their_means() -> None:
    values, clusters = binary(120, 0.2, 0.4, 0.9), np.tile(np.arange(24), 5)
    table = compare(values, clusters)
    assert table.method == "cluster-robust"
    means = np.array([values[clusters == j].mean(axis=0) for j in range(24)])
    for pair in table:
        i, j = int(pair.first), int(pair.second)
        expected = ttest_1samp(means[:, i] - means[:, j], 0.0)
        interval = expected.confidence_interval(1 - ALPHA / 3)
        assert (pair.lower, pair.upper) == pytest.approx(tuple(interval), rel=1e-9)
        assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        assert pair.df == pytest.approx(23, rel=CLOSE)


# ------------------------------------------------------------------------------ the family


def test_pairs_with_few_units_are_outside_the_family() -> None:
    values = binary(60, 0.2, 0.5, 0.8)
    values[5:, 2] = np.nan
    table = compare(values)
    assert table.is_open.tolist() == [False, True, True]
    np.testing.assert_allclose(table.adjusted_p_value[0], min(1, table.p_value[0]))
    assert np.isnan(table.lower[1:]).all()
    clusters = np.r_[np.repeat(np.arange(12), 4), np.repeat([20, 21, 22], 4)]
    values = binary(60, 0.2, 0.5, 0.8)
    values[16:48, 2] = np.nan  # 7 clusters are left
    seven = compare(values, clusters)
    values[:12, 2] = np.nan  # 4
    four = compare(values, clusters)
    assert seven.adjusted_p_value[0] == pytest.approx(min(1, 3 * seven.p_value[0]))
    assert four.adjusted_p_value[0] == pytest.approx(min(1, four.p_value[0]))
    assert four.is_open.tolist() == [False, True, True]


@pytest.mark.parametrize("has_clusters", [False, True])
def test_pairs_with_few_differences_are_open_and_count(has_clusters: bool) -> None:
    """The family may not depend on what the answers show."""
    values = np.zeros((60, 3))
    values[:30, 0] = values[:30, 1] = 1
    values[18 : 18 + 2 * FEWEST_NONZERO - 2 : 2, 1] = 0 + (values[18:36:2, 1] == 0)
    values[::3, 2] = 1
    clusters = np.repeat(np.arange(30), 2) if has_clusters else None
    table = compare(values, clusters)
    assert table.extra["n_nonzero"][0] == FEWEST_NONZERO - 1
    assert table.is_open.tolist() == [True, False, False]
    assert np.isnan([table.lower[0], table.upper[0], table.adjusted_p_value[0]]).all()
    assert np.isfinite(table.estimate[0])
    assert table.p_value[1] > 1e-4
    np.testing.assert_allclose(table.adjusted_p_value[1:], np.minimum(1, 3 * table.p_value[1:]))
    assert table.decided().decision[0] == "undecided"


def test_graded_pairs_with_few_differences_are_open() -> None:
    values = np.random.default_rng(1).normal(size=(60, 1)).repeat(2, axis=1)
    values[:9, 1] += 1.0
    assert compare(values).is_open.tolist() == [True]
    values[9, 1] += 1.0
    assert compare(values).is_open.tolist() == [False]


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(30), 2)])
@pytest.mark.parametrize("step", [1.0, 0.5])
def test_equal_pairs_have_no_test(clusters: np.ndarray | None, step: float) -> None:
    values = step * binary(60, 0.5, 0.9)[:, [0, 0, 1]]
    table = compare(values, clusters)
    assert table.extra["is_constant"].tolist() == [True, False, False]
    assert table.estimate[0] == 0
    assert np.isnan([table.lower[0], table.upper[0], table.p_value[0]]).all()
    assert not table.is_open.any()
    assert table.decided().decision[0] == "undecided"


def test_a_difference_that_is_the_same_everywhere() -> None:
    """As many equal signs have the probability 2^(1 - J), which Bonferroni multiplies."""
    rng, clusters = np.random.default_rng(1), np.repeat(np.arange(10), 3)
    values = rng.integers(0, 5, (30, 1)).astype(float) + np.array([0, 2])
    table = compare(values, clusters)
    assert table.p_value[0] == 2**-9
    assert (table.lower[0], table.estimate[0], table.upper[0]) == (-2, -2, -2)
    assert table.significant.all()
    larger = compare(values, clusters, n_comparisons=100)
    assert not larger.significant.any()
    ones = np.tile([1.0, 0.0], (30, 1))
    assert compare(ones, clusters).significant.all()
    score = compare(ones)
    assert 0 < score.lower[0] < score.upper[0] == 1


def test_differences_that_cancel_in_every_cluster_are_too_few() -> None:
    values = np.tile([[1.0, 0.0], [0.0, 1.0]], (20, 1))
    table = compare(values, np.repeat(np.arange(20), 2))
    assert table.extra["n_nonzero"].tolist() == [0]
    assert table.extra["is_constant"].tolist() == [False]
    assert table.is_open.all()


def test_a_larger_family() -> None:
    values = binary(200, 0.4, 0.6)
    for clusters in (None, np.repeat(np.arange(100), 2)):
        table, larger = compare(values, clusters), compare(values, clusters, n_comparisons=30)
        assert larger.adjusted_p_value[0] == pytest.approx(min(1, 30 * table.p_value[0]))
        assert larger.lower[0] < table.lower[0]


def test_columns_without_values() -> None:
    values = binary(40, 0.4, 0.6, 0.5)
    values[:, 2] = np.nan
    for clusters in (None, np.repeat(np.arange(20), 2)):
        table = compare(values, clusters)
        assert table.is_open.tolist() == [False, True, True]
        assert np.isnan(table.estimate[1:]).all()
    assert compare(values[:0]).is_open.all()


@pytest.mark.parametrize("kind", ["binary", "graded", "clusters"])
def test_order_changes_no_bit(kind: str) -> None:
    rng = np.random.default_rng(4)
    values = binary(90, 0.3, 0.5, 0.6) + (kind != "binary") * rng.random((90, 3))
    clusters = rng.integers(0, 20, 90) if kind == "clusters" else None
    order, names = rng.permutation(90), rng.permutation(20)
    turned = compare(values[order], None if clusters is None else names[clusters][order])
    assert turned == compare(values, clusters)


def test_direction() -> None:
    values = binary(200, 0.3, 0.8)
    larger = compare(values).named("ab", "items-like-these").decided()
    smaller = compare(values, is_smaller_better=True).named("ab", "items-like-these").decided()
    assert (larger.decision, smaller.decision) == (("worse",), ("better",))
    assert larger.extra["wins"] == smaller.extra["losses"]


def test_what_is_no_comparison() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        compare(binary(20, 0.5))
    with pytest.raises(ValueError, match="one cluster an item"):
        compare(binary(20, 0.5, 0.4), np.zeros(19, dtype=int))
    with pytest.raises(ValueError, match="alpha"):
        compare_items(binary(20, 0.5, 0.4), None, 1.0, np.random.default_rng(1))
