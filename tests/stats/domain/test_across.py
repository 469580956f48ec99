"""Demšar's comparison over data sets: his example, and its invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.domain import across
from reportgen.stats.domain.across import compare_over_datasets
from reportgen.stats.multiplicity.cliques import maximal_cliques
from tests.stats.demsar import AUC

PRINTED = 5e-3  # two digits in the paper


def test_published_example() -> None:
    """His statistics leave ties out of account: 9.28 and 3.69; with them both are larger."""
    found = compare_over_datasets(AUC, is_smaller_better=False)
    np.testing.assert_allclose(found.nemenyi.average_ranks, [3.143, 2, 2.893, 1.964], atol=5e-4)
    assert found.order == (3, 1, 2, 0)
    squares = ((found.nemenyi.average_ranks - 2.5) ** 2).sum()
    untied = 12 * 14 / (4 * 5) * squares
    assert untied == pytest.approx(9.28, abs=PRINTED)
    assert 13 * untied / (14 * 3 - untied) == pytest.approx(3.69, abs=PRINTED)
    assert found.friedman.statistic > 9.28
    assert (found.iman_davenport.df1, found.iman_davenport.df2) == (3, 39)


def test_signed_ranks_of_the_example() -> None:
    """Section 3.1.3: C4.5 against C4.5+m, R- = 12 with half of the ranks 1 and 2 of two zeros."""
    found = compare_over_datasets(AUC, is_smaller_better=False)
    differences = AUC[:, 0] - AUC[:, 1]
    assert (differences == 0).sum() == 2
    # 7 and 3.5 are left of 12 = 7 + 3.5 + 1.5; 93 + 12 = 105, less the zeros' 3
    variance = (np.arange(1, 15) ** 2).sum() / 4 - (1.5**2 * 2) / 4
    assert found.signed_ranks.statistics[0] == pytest.approx(
        (10.5 - 51) / np.sqrt(variance), rel=2e-3
    )
    assert found.signed_ranks.adjusted[0] == pytest.approx(6 * found.signed_ranks.p_values[0])
    assert found.cliques == ((3, 1, 2), (3, 2, 0))


@given(st.integers(0, 10_000), st.permutations(range(5)))
def test_relabelling(seed: int, order: list[int]) -> None:
    means = np.random.default_rng(seed).normal(size=(12, 5)) + np.arange(5) * 0.6
    plain = compare_over_datasets(means, 0.1)
    moved = compare_over_datasets(means[:, order], 0.1)
    assert {frozenset(order[i] for i in g) for g in moved.cliques} == set(
        map(frozenset, plain.cliques)
    )
    averages = plain.nemenyi.average_ranks  # equal ones stand in the order of their columns
    np.testing.assert_allclose(averages[[order[i] for i in moved.order]], np.sort(averages))
    assert moved.friedman.statistic == pytest.approx(plain.friedman.statistic)
    np.testing.assert_allclose(
        np.sort(moved.signed_ranks.adjusted), np.sort(plain.signed_ranks.adjusted)
    )


@given(st.integers(0, 10_000))
def test_direction(seed: int) -> None:
    means = np.random.default_rng(seed).normal(size=(10, 4))
    plain = compare_over_datasets(means, 0.1)
    turned = compare_over_datasets(-means, 0.1, is_smaller_better=False)
    assert plain.order == turned.order
    assert plain.cliques == turned.cliques
    worst_first = compare_over_datasets(means, 0.1, is_smaller_better=False)
    assert {frozenset(g) for g in worst_first.cliques} == {frozenset(g) for g in plain.cliques}


@pytest.mark.parametrize("n_datasets", [4, 8, 9])
def test_fewest_data_sets(n_datasets: int) -> None:
    """All data sets agree: no p-value can be smaller, 6 pairs times 2^(1 - M)."""
    means = np.arange(4.0) + np.arange(n_datasets)[:, None] ** 2 / 7
    means = means * np.linspace(1, 1.1, n_datasets)[:, None]  # no tied differences
    found = compare_over_datasets(means)
    assert found.least_p_value == min(1.0, 6 * 2.0 ** (1 - n_datasets))
    np.testing.assert_allclose(found.signed_ranks.adjusted, found.least_p_value)
    assert (found.cliques == ()) == (found.least_p_value <= 0.05)


def test_groups_follow_the_adjusted_tests() -> None:
    found = compare_over_datasets(AUC, 0.1, is_smaller_better=False)
    is_alike = np.eye(4, dtype=bool)
    pairs = found.signed_ranks
    for i, j, p in zip(pairs.first, pairs.second, pairs.adjusted, strict=True):
        is_alike[i, j] = is_alike[j, i] = p > 0.1
    assert found.cliques == tuple(maximal_cliques(is_alike, [3, 1, 2, 0]))


def test_more_groups_than_are_listed_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    means = np.random.default_rng(1).normal(size=(12, 8)) + 0.6 * np.arange(8)
    groups = compare_over_datasets(means).cliques
    assert groups is not None
    assert len(groups) > 2
    for most, expected in ((len(groups), groups), (len(groups) - 1, None)):
        monkeypatch.setattr(across, "MOST_GROUPS", most)
        assert compare_over_datasets(means).cliques == expected


@pytest.mark.slow
def test_family_wise_error_of_the_signed_ranks() -> None:
    """All alike but one that is far off: Holm keeps 5% where average ranks need not. 500 runs."""
    rng = np.random.default_rng(4)
    rejected = []
    for _ in range(500):
        means = rng.normal(size=(15, 4))
        means[:, 3] += 5
        found = compare_over_datasets(means)
        rejected.append(not any({0, 1, 2} <= set(g) for g in found.cliques))
    assert np.mean(rejected) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 500)
