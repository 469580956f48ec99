"""The verdict on models that answer the same items: which rule, which family, what stays open."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew, ttest_1samp
from scipy.stats import t as student

from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.pairs.proportions import mcnemar_tests, score_interval, score_test
from reportgen.stats.skewness import reach, t_star

ALPHA = 0.05
CLOSE = 1e-11  # relative: two computations in double precision


def compare(values: np.ndarray, clusters: np.ndarray | None = None, **options: int) -> PairTable:
    return item_pairs(values, clusters, ALPHA, np.random.default_rng(1), **options)


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
    table, own = compare(values), paired_max_t(values, ALPHA, np.random.default_rng(1))
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
    own = paired_max_t(means, ALPHA, np.random.default_rng(1))
    for name in ("estimate", "lower", "upper", "p_value", "adjusted_p_value"):
        np.testing.assert_allclose(getattr(table, name), getattr(own, name), rtol=1e-9)
    assert table.df == pytest.approx([23, 23, 23], rel=CLOSE)
    assert table.standard_error[0] == pytest.approx(
        ttest_1samp(means[:, 0] - means[:, 1], 0.0)._standard_error, rel=1e-9
    )


def test_unequal_clusters_by_the_text() -> None:
    """CR2 of the text, and the skewness of u_j = (T_j - f_j T) / sqrt(1 - f_j)."""
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(15), rng.integers(1, 9, 15))
    d = rng.exponential(size=15)[clusters] + 0.3 * rng.normal(size=len(clusters))
    found = compare(np.column_stack([d, np.zeros_like(d)]), clusters)
    f = np.array([np.mean(clusters == j) for j in range(15)])
    totals = np.array([d[clusters == j].sum() for j in range(15)])
    u = (totals - f * totals.sum()) / np.sqrt(1 - f)
    error = np.sqrt((u**2).sum()) / len(d)
    lean = float(skew(u, bias=False)) / 15**0.5
    t = t_star(np.array([d.mean() / error]), np.array([lean]))
    assert found.extra["skewness"][0] == pytest.approx(lean * 15**0.5, rel=1e-9)
    assert found.statistic == pytest.approx(t, rel=1e-9)
    critical = student.ppf(1 - ALPHA / 2, found.df)
    below, above = reach(critical, np.array([lean]))
    assert found.lower == pytest.approx(d.mean() - below * error, rel=1e-9)
    assert found.upper == pytest.approx(d.mean() + above * error, rel=1e-9)


POINTS = 100 / 50  # an item of 50, in percentage points


@pytest.mark.parametrize(
    ("flips", "m", "limits", "is_decided"),
    [
        ((9, 0), 1, (9.6, 30.8), True),
        ((9, 0), 10, (1.9, 37.2), True),
        ((4, 0), 1, (-0.8, 19.9), False),
        ((0, 0), 1, (-7.1, 7.1), False),
    ],
)
def test_items_with_few_flips(
    flips: tuple[int, int], m: int, limits: tuple[float, float], is_decided: bool
) -> None:
    """Of 50 items, in percentage points; 4 to 0 has the mid-p .0625 and the score's p .0455."""
    b, c = flips
    values = np.zeros((50, 2))
    values[:b, 0] = values[b : b + c, 1] = 1
    row = compare(values, n_comparisons=m)[0]
    assert (100 * row.lower, 100 * row.upper) == pytest.approx(limits, abs=0.06)
    assert row.significant == is_decided
    assert row.adjusted_p_value == min(1, m * row.p_value)
    if not b + c:
        square = 1.959964**2
        assert row.upper == pytest.approx(square / (50 + square), rel=1e-6)


@pytest.mark.parametrize("n", [6, 20, pytest.param(60, marks=pytest.mark.slow)])
def test_all_few_flips_decide_as_both_p_values(n: int) -> None:
    for b in range(n + 1):
        for c in range(n + 1 - b):
            values = np.zeros((n, 2))
            values[:b, 0] = values[b : b + c, 1] = 1
            row = compare(values)[0]
            mid = float(mcnemar_tests(np.array([b]), np.array([c]))[1][0])
            score = float(score_test(np.array([b]), np.array([c]))[1][0])
            assert row.p_value == pytest.approx(max(mid, score) if b != c else 1, rel=CLOSE)
            assert row.lower <= row.estimate <= row.upper
            assert row.significant == (row.adjusted_p_value <= ALPHA) == (max(mid, score) <= ALPHA)


# ------------------------------------------------------------------------------ the family


def test_pairs_with_few_units_are_outside_the_family() -> None:
    values = binary(60, 0.2, 0.5, 0.8)
    values[5:, 2] = np.nan
    table = compare(values)
    assert table.is_open.tolist() == [False, True, True]
    np.testing.assert_allclose(table.adjusted_p_value[0], min(1, table.p_value[0]))
    alone = score_interval(
        *(np.array([float(x)]) for x in (table.extra["wins"][1], table.extra["losses"][1], 5)),
        ALPHA,
    )
    assert table.lower[1] <= float(alone[0][0])
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
def test_pairs_with_few_differences_have_an_interval(has_clusters: bool) -> None:
    values = np.zeros((60, 3))
    values[:30, 0] = values[:30, 1] = 1
    values[30, 1] = 1
    values[::3, 2] = 1
    clusters = np.repeat(np.arange(30), 2) if has_clusters else None
    table = compare(values, clusters)
    assert table.extra["n_nonzero"][0] == 1
    assert not table.is_open.any()
    assert table.lower[0] < table.estimate[0] < table.upper[0]
    assert table.decided().decision[0] == "undecided"
    np.testing.assert_allclose(table.adjusted_p_value, np.minimum(1, 3 * table.p_value))


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(30), 2)])
@pytest.mark.parametrize("step", [1.0, 0.5])
def test_equal_pairs_have_the_p_value_1(clusters: np.ndarray | None, step: float) -> None:
    values = step * binary(60, 0.5, 0.9)[:, [0, 0, 1]]
    table = compare(values, clusters)
    assert table.extra["is_constant"].tolist() == [True, False, False]
    assert table.estimate[0] == 0
    assert (table.p_value[0], table.adjusted_p_value[0]) == (1, 1)
    has_interval = table.method == "score"  # of two rates: flips that were not seen
    assert np.isfinite(table.lower[0]) == has_interval
    if not has_interval:
        n = 60 if clusters is None else 30
        assert (1 - table.extra["excluded_share"][0]) ** n == pytest.approx(ALPHA / 3)
    assert not table.is_open.any()
    assert table.decided().decision[0] == "undecided"


def test_a_difference_that_is_the_same_everywhere() -> None:
    """As many equal signs have the probability 2^(1 - J), which Bonferroni multiplies."""
    rng, clusters = np.random.default_rng(1), np.repeat(np.arange(10), 3)
    values = rng.integers(0, 5, (30, 1)).astype(float) + np.array([0, 2])
    table = compare(values, clusters)
    assert table.p_value[0] == 2**-9
    half = 2 * 2 * (1 - (ALPHA / 2) ** (1 / 10))
    assert (table.lower[0], table.upper[0]) == pytest.approx((-2 - half, -2 + half))
    assert table.significant.all()
    larger = compare(values, clusters, n_comparisons=100)
    assert not larger.significant.any()
    ones = np.tile([1.0, 0.0], (30, 1))
    assert compare(ones, clusters).significant.all()
    score = compare(ones)
    assert 0 < score.lower[0] < score.upper[0] == 1


def test_differences_that_cancel_in_every_cluster_are_equal() -> None:
    values = np.tile([[1.0, 0.0], [0.0, 1.0]], (20, 1))
    table = compare(values, np.repeat(np.arange(20), 2))
    assert table.extra["n_nonzero"].tolist() == [0]
    assert table.extra["is_constant"].tolist() == [True]
    assert (table.p_value[0], np.isnan(table.lower[0])) == (1, True)


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
        item_pairs(binary(20, 0.5, 0.4), None, 1.0, np.random.default_rng(1))
