"""Means over families of data sets: by hand, by matrices, against items, and in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from reportgen import stats
from reportgen.stats.domain.family_means import (
    Families,
    compare_in_families,
    family_intervals,
    likeness,
)
from reportgen.stats.items.clusters import WORKING_CORRELATION, cluster_means

SAME = 1e-10  # relative: two ways to compute one number
CODES = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 5, 6])
NAMES = ("a", "b", "c")


def differences(seed: int = 3, n_pairs: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(CODES), n_pairs))


def test_data_sets_that_count_alike_are_items_in_clusters() -> None:
    values = differences()
    values[3, 1] = np.nan
    own, items = Families(CODES).mean_differences(values), cluster_means(values, CODES)
    for name in ("estimate", "standard_error", "df", "skewness", "n", "n_clusters"):
        assert getattr(own, name) == pytest.approx(getattr(items, name), rel=SAME), name


def test_families_that_count_alike_are_the_t_test_of_their_means() -> None:
    values = differences()
    values[[0, 8], 1] = np.nan  # means of what is left
    found = Families(CODES, are_equal=True).mean_differences(values)
    for p, column in enumerate(values.T):
        means = np.array([np.nanmean(column[j == CODES]) for j in range(7)])
        assert found.estimate[p] == pytest.approx(means.mean(), rel=SAME)
        assert found.standard_error[p] == pytest.approx(means.std(ddof=1) / 7**0.5, rel=SAME)
        assert found.df[p] == pytest.approx(6, rel=SAME)


def test_variance_and_degrees_of_freedom_by_matrices() -> None:
    """V is a quadratic form d'Qd: its mean and df are traces under the working model."""
    rng = np.random.default_rng(9)
    weights = rng.uniform(0.5, 3, len(CODES))
    families, n = Families(CODES, weights), len(CODES)
    whole, quadratic = weights.sum(), np.zeros((n, n))
    squares = np.array([(weights[j == CODES] ** 2).sum() for j in range(7)])
    for j in range(7):
        share = weights[j == CODES].sum() / whole
        row = np.where(j == CODES, weights, 0.0) - share * weights
        a = squares[j] / ((1 - 2 * share) * squares[j] + share**2 * squares.sum())
        quadratic += a * np.outer(row, row) / whole**2
    values = differences(1, 1)
    found = families.mean_differences(values)
    assert found.standard_error[0] ** 2 == pytest.approx(
        float(values[:, 0] @ quadratic @ values[:, 0]), rel=SAME
    )
    unbiased = np.trace(quadratic)  # of independent data sets of variance 1
    assert unbiased == pytest.approx((weights**2).sum() / whole**2, rel=SAME)
    working = np.where(CODES[:, None] == CODES, WORKING_CORRELATION, 0.0)
    np.fill_diagonal(working, 1.0)
    product = quadratic @ working
    df = np.trace(product) ** 2 / np.trace(product @ product)
    assert found.df[0] == pytest.approx(df, rel=SAME)


def test_independent_data_sets_err_where_families_do_not() -> None:
    rng = np.random.default_rng(4)
    codes, n_runs = np.repeat(np.arange(10), 4), 4000
    alike = rng.normal(size=(10, n_runs))[codes]
    values = np.sqrt(0.8) * alike + np.sqrt(0.2) * rng.normal(size=(40, n_runs))
    found = Families(codes).mean_differences(values)
    t = found.estimate / found.standard_error
    errs = float((np.abs(t) > student.ppf(0.975, found.df)).mean())
    alone = values.mean(axis=0) / values.std(axis=0, ddof=1) * 40**0.5
    naive = float((np.abs(alone) > student.ppf(0.975, 39)).mean())
    assert errs == pytest.approx(0.05, abs=0.011)  # three standard errors
    assert naive > 0.27  # of the issue: 27 to 85%


def test_pairs_of_few_families_are_open() -> None:
    values = np.random.default_rng(1).normal(size=(20, 3)) + np.array([0, 0, 9])
    table = compare_in_families(values, Families(np.arange(20) % 5), 0.05)
    assert table.is_open.all()
    assert np.isfinite(table.lower).all()
    table = compare_in_families(values, Families(np.arange(20) % 6), 0.05)
    assert not table.is_open.any()
    assert table.significant.tolist() == [False, True, True]


def test_a_gap_counts_against_who_has_it_by_its_weight() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(24, 2)) * 0.1 + [0.0, 1.0]
    families = np.arange(24) // 3
    weights = np.ones(24)
    weights[20:] = 30.0
    assert compare_in_families(
        values, Families(families, weights), 0.05, is_smaller_better=True
    ).significant.all()
    values[20:, 0] = np.nan  # where it may be far worse
    light = compare_in_families(values, Families(families), 0.05, is_smaller_better=True)
    heavy = compare_in_families(values, Families(families, weights), 0.05, is_smaller_better=True)
    assert heavy.extra["adverse_first"][0] > light.extra["adverse_first"][0]
    assert not heavy.significant.any()


def test_wins_are_signs() -> None:
    values = np.column_stack(
        [np.arange(21.0), np.arange(21.0) + np.where(np.arange(21) % 7, 1, -1)]
    )
    table = compare_in_families(values, Families(np.arange(21) // 3), 0.05, scale="wins")
    signs = np.sign(values[:, :1] - values[:, 1:])
    found = Families(np.arange(21) // 3).mean_differences(signs)
    assert table.scale == "wins"
    assert table.estimate == pytest.approx(found.estimate)
    assert table.lower[0] >= -1
    assert table.upper[0] <= 1


def test_intervals_of_means_are_weighted() -> None:
    values = np.random.default_rng(8).normal(size=(13, 3)) + 5
    own = Families(CODES, are_equal=True)
    means = own.means(values)
    lower, upper = family_intervals(values, means, own, 0.05)
    by_family = np.array([values[j == CODES].mean(axis=0) for j in range(7)])
    assert means == pytest.approx(by_family.mean(axis=0))
    half = student.ppf(0.975, 6) * by_family.std(axis=0, ddof=1) / 7**0.5
    shorter = np.minimum(upper - means, means - lower)
    assert shorter == pytest.approx(half, rel=SAME)  # the other side may lean
    assert own.shares == pytest.approx(np.full(7, 1 / 7))


def test_likeness_of_families() -> None:
    rng = np.random.default_rng(6)
    codes = np.repeat(np.arange(200), 3)
    for truth in (0.0, 0.5, 0.9):
        own = rng.normal(size=(200, 5))[codes]
        values = truth**0.5 * own + (1 - truth) ** 0.5 * rng.normal(size=(600, 5))
        found = likeness(values, codes)
        assert found == pytest.approx(truth, abs=0.1)
    assert likeness(rng.normal(size=(5, 2)), np.arange(5)) is None


def test_values_of_any_size_give_the_same() -> None:
    values = differences()
    usual = Families(CODES).mean_differences(values)
    for factor in (2.0**300, 2.0**-300):
        found = Families(CODES).mean_differences(values * factor)
        assert found.estimate / factor == pytest.approx(usual.estimate, rel=SAME)
        assert found.standard_error / factor == pytest.approx(usual.standard_error, rel=SAME)
        assert found.df == pytest.approx(usual.df, rel=SAME)


def test_the_function_takes_names_and_weights() -> None:
    values = np.random.default_rng(5).normal(size=(24, 3)) + np.array([0, 0, 3])
    source = np.repeat([*"pqrstuvw"], 3)
    table = stats.compare_families(values, NAMES, families=source, weights="family")
    assert table.method == "families"
    assert table.df == pytest.approx([7, 7, 7])
    assert [p.decision for p in table] == ["undecided", "better", "better"]
    alone = stats.compare_families(values, NAMES)
    assert alone.df == pytest.approx([23, 23, 23])
    assert alone.estimate == pytest.approx(stats.compare_pairs(values, NAMES).estimate)
    ratios = stats.compare_families(np.exp(values), NAMES, scale="ratio", better="larger")
    assert ratios.estimate == pytest.approx(np.exp(alone.estimate))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"families": [1, 2]}, "one family a data set"),
        ({"weights": "rows"}, "equal, family"),
        ({"weights": [1.0]}, "one a data set"),
        ({"weights": [1.0] * 23 + [0.0]}, "positive numbers"),
        ({"weights": [1.0] * 23 + [np.nan]}, "positive numbers"),
        ({"alpha": 2}, "alpha"),
    ],
)
def test_what_is_not_allowed_is_said(given: dict[str, object], says: str) -> None:
    values = np.random.default_rng(5).normal(size=(24, 3))
    with pytest.raises(ValueError, match=says):
        stats.compare_families(values, NAMES, **given)
