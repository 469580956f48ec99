"""Permutation tests of complete blocks: R's numbers, enumeration, equivalences, size."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reportgen.stats.permutation.block_sums import sum_law
from reportgen.stats.permutation.block_tests import (
    asymptotic_pairs,
    permuted_equality,
    permuted_pairs,
    permuted_reference,
)
from reportgen.stats.ranking import aligned_ranks, within_block_ranks
from reportgen.stats.ranks.friedman import friedman_test
from tests.stats.enumeration import all_arranged_sums

Array = NDArray[np.float64]
EXACT = 1e-12  # sums of at most some thousand probabilities
FOUR = 4.0  # standard errors of a simulation
GOLDEN = Path(__file__).parents[2] / "golden" / "permutation.json"
blocks = st.sampled_from([(3, 2), (5, 2), (3, 3), (4, 3), (2, 4)]).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4))
)


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    numbers: dict[str, Any] = json.loads(GOLDEN.read_text())
    return numbers


def law_of(scores: Array, n_draws: int = 2_000, seed: int = 0) -> Any:
    return sum_law(scores, np.random.default_rng(seed), n_draws)


@pytest.mark.parametrize("name", ["rcb1", "rcb2", "rcb3"])
def test_exact_p_values_by_enumeration_in_r(
    name: str, golden: dict[str, Any], reference: Path
) -> None:
    case = golden[name]
    values = np.loadtxt(reference / case["file"], delimiter=",", skiprows=1)
    ranks = within_block_ranks(values)
    assert ranks.sum(axis=0).tolist() == list(case["rank_sums"].values())
    law = law_of(ranks)
    found = permuted_equality(ranks, law)
    assert found.method == "exact"
    assert found.statistic == pytest.approx(case["stats_friedman"]["statistic"], rel=EXACT)
    assert found.p_value == pytest.approx(case["exact_friedman_permutation_p"], rel=EXACT)
    lower, upper = case["coin_friedman_approximate"]["conf.int_99"]
    assert lower - 0.001 < found.p_value < upper + 0.001
    pairs = permuted_pairs(ranks, law)
    assert pairs.variance == pytest.approx(case["var_rank_sum_difference"], rel=EXACT)
    names = list(case["rank_sums"])
    rows = {tuple(row["pair"].split(" - ")): row for row in case["wnmt_pairs"]}
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        row = rows[names[j], names[i]]  # R has second - first
        assert -pairs.differences[k] == row["R_diff"]
        assert -pairs.statistics[k] == pytest.approx(row["standardized"], rel=EXACT)
        assert pairs.p_values[k] == pytest.approx(row["p_exact_permutation_maxtype"], abs=EXACT)


def test_monte_carlo_of_monks3(golden: dict[str, Any], reference: Path) -> None:
    """The pairs of monks3 by coin, 10,000 draws each: four standard errors of both."""
    import pandas as pd

    frame = pd.read_csv(reference / "data" / "monks3raw.csv")
    frame = frame[frame["measure"] == "Misclassification"]
    table = frame.pivot_table(index="replication", columns="algorithm", values="value")
    names = list(golden["monks3"]["rank_sums"])
    ranks = within_block_ranks(table[names].to_numpy())
    assert dict(zip(names, ranks.sum(axis=0), strict=True)) == golden["monks3"]["rank_sums"]
    law = law_of(ranks, 10_000)
    pairs = permuted_pairs(ranks, law)
    rows = {tuple(row["pair"].split(" - ")): row for row in golden["monks3"]["wnmt_pairs"]}
    for i, j, p in zip(pairs.first, pairs.second, pairs.p_values, strict=True):
        expected = rows[names[j], names[i]]["p_approximate_mc"]
        error = sqrt(2 * max(p * (1 - p), 1e-4) / 10_000)
        assert p == pytest.approx(expected, abs=FOUR * error)
    test = permuted_equality(ranks, law)
    assert test.statistic == pytest.approx(787.1201306557, rel=1e-12)
    assert test.p_value == 1 / 10_001


@given(blocks)
def test_enumeration_of_small_blocks(values: Array) -> None:
    for scores in (within_block_ranks(values), aligned_ranks(values)):
        sums, law = all_arranged_sums(scores), law_of(scores)
        observed = (scores - scores.mean(axis=1, keepdims=True)).sum(axis=0)
        squares = (sums**2).sum(axis=1)
        expected = (squares >= observed @ observed - 1e-9).mean()
        assert permuted_equality(scores, law).p_value == pytest.approx(expected, abs=EXACT)
        pairs = permuted_pairs(scores, law)
        for difference, p in zip(pairs.differences, pairs.p_values, strict=True):
            reached = np.ptp(sums, axis=1) >= abs(difference) - 1e-9
            assert p == pytest.approx(reached.mean(), abs=EXACT)


@given(blocks, st.integers(0, 1))
def test_enumeration_with_a_reference(values: Array, reference: int) -> None:
    ranks = within_block_ranks(values)
    sums, law = all_arranged_sums(ranks), law_of(ranks)
    others = np.delete(sums, reference, axis=1) - sums[:, [reference]]
    for alternative, largest in (
        ("two-sided", np.abs(others).max(axis=1)),
        ("greater", others.max(axis=1)),
        ("less", (-others).max(axis=1)),
    ):
        found = permuted_reference(ranks, law, reference, alternative)
        sign = -1 if alternative == "less" else 1
        turned = found.differences * sign
        turned = np.abs(turned) if alternative == "two-sided" else turned
        expected = (largest >= turned[:, None] - 1e-9).mean(axis=1)
        assert found.second.tolist() == [reference] * (values.shape[1] - 1)
        if found.variance:
            np.testing.assert_allclose(found.p_values, expected, atol=EXACT)
        else:
            assert (found.p_values == 1).all()


@given(blocks, st.randoms(use_true_random=False))
def test_what_changes_nothing(values: Array, random) -> None:
    """Labels, the order of blocks, the direction, and for ranks any growing function."""
    order = list(range(values.shape[1]))
    random.shuffle(order)
    ranks = within_block_ranks(values)
    p = permuted_equality(ranks, law_of(ranks)).p_value
    pairs = permuted_pairs(ranks, law_of(ranks))
    for other in (values[:, order], values[::-1], -values, np.exp(values)):
        turned = within_block_ranks(other)
        assert permuted_equality(turned, law_of(turned)).p_value == pytest.approx(p, abs=EXACT)
        found = permuted_pairs(turned, law_of(turned)).p_values
        np.testing.assert_allclose(np.sort(found), np.sort(pairs.p_values), atol=EXACT)


def test_aligned_ranks_do_not_see_what_is_added_to_a_block() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 9, (6, 4)).astype(float)
    moved = values + rng.integers(-50, 50, (6, 1)) * 0.1
    np.testing.assert_array_equal(aligned_ranks(values), aligned_ranks(moved))


def test_law_approaches_the_range_of_normals() -> None:
    ranks = within_block_ranks(np.random.default_rng(5).random((160, 3)))
    found, limit = permuted_pairs(ranks, law_of(ranks)), asymptotic_pairs(ranks)
    assert found.method == "exact"
    np.testing.assert_allclose(found.p_values, limit.p_values, atol=0.05)
    assert found.variance == limit.variance


def test_fully_tied_blocks_have_p_1() -> None:
    ranks = np.full((4, 3), 2.0)
    law = law_of(ranks)
    assert permuted_equality(ranks, law).p_value == 1
    assert permuted_pairs(ranks, law).p_values.tolist() == [1, 1, 1]
    assert permuted_reference(ranks, law, 0).p_values.tolist() == [1, 1]


def test_same_seed_same_p_values() -> None:
    ranks = within_block_ranks(np.random.default_rng(5).random((60, 5)))
    first, again = (permuted_pairs(ranks, law_of(ranks, 500, seed=4)) for _ in range(2))
    assert first.method == "monte-carlo"
    np.testing.assert_array_equal(first.p_values, again.p_values)
    assert ((first.standard_errors > 0) == (first.p_values < 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_blocks", "n_candidates", "n"), [(6, 3, 200), (10, 6, 300), (20, 12, 100)]
)
def test_size_under_the_null(n_blocks: int, n_candidates: int, n: int) -> None:
    """At 5%, heavy ties: the permutation tests never reject more often."""
    rng = np.random.default_rng(n_blocks)
    n_draws = 199
    rejected = np.zeros((n, 4))
    for run in range(n):
        values = rng.integers(0, 5, (n_blocks, n_candidates)).astype(float)
        ranks, aligned = within_block_ranks(values), aligned_ranks(values)
        law = law_of(ranks, n_draws, seed=run)
        rejected[run] = [
            permuted_equality(ranks, law).p_value <= 0.05,
            permuted_pairs(ranks, law).p_values.min() <= 0.05,
            permuted_reference(ranks, law, 0).p_values.min() <= 0.05,
            permuted_pairs(aligned, law_of(aligned, n_draws, seed=run)).p_values.min() <= 0.05,
        ]
    assert (rejected.mean(axis=0) < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)).all()
    assert rejected.mean() > 0.01


def test_ranks_of_a_pair_depend_on_the_pool() -> None:
    """Two alike candidates that are best and worst in turn, ten steady ones between them.

    R_1 - R_2 is a sum of +11 and -11, with standard deviation 11 sqrt(B); the
    test takes it for sqrt(K (K + 1) B / 6): their true null is rejected far
    more often than the 5% at which the family-wise error is said to stand.
    """
    rng = np.random.default_rng(12)
    n, n_blocks = 400, 50
    rejected = 0
    for _ in range(n):
        middle = np.tile(np.arange(1.0, 11.0), (n_blocks, 1))
        first = np.where(rng.random((n_blocks, 1)) < 0.5, 0.0, 11.0)
        ranks = within_block_ranks(np.hstack([first, 11 - first, middle]))
        rejected += asymptotic_pairs(ranks).p_values[0] <= 0.05
    assert rejected / n > 0.10


def test_friedmans_statistic_is_the_same() -> None:
    ranks = within_block_ranks(np.random.default_rng(6).integers(0, 4, (7, 4)).astype(float))
    assert permuted_equality(ranks, law_of(ranks)).statistic == pytest.approx(
        friedman_test(ranks).statistic, rel=EXACT
    )


def test_errors() -> None:
    ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])
    law = law_of(ranks)
    with pytest.raises(ValueError, match="3 candidates"):
        permuted_equality(ranks[:, :2], law)
    with pytest.raises(ValueError, match="below 3"):
        permuted_reference(ranks, law, 3)
    with pytest.raises(ValueError, match="two-sided, less, greater"):
        permuted_reference(ranks, law, 0, "smaller")  # type: ignore[arg-type]
