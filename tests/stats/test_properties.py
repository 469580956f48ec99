"""What no comparison of candidates may depend on: their order, the unit, the direction, the method.

Every test of the package that knows pairs, or all candidates at once, is held against the same
properties on random blocks with and without ties. What single modules promise beyond that stands
in their own tests.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model, has_residual_variance
from reportgen.stats.consensus_relations.nearest import criterion, nearest_relations
from reportgen.stats.domain.incomplete import fit_incomplete_domain
from reportgen.stats.domain.model import fit_domain_model
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.closed import closed_performance_tests, closed_rank_tests
from reportgen.stats.multiplicity.many_to_one import dunnett
from reportgen.stats.multiplicity.simultaneous import bonferroni_pairs, tukey, tukey_kramer
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.new_data import new_data_pairs
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.pairs.paired_tests import permutation_pairs, signed_rank_pairs
from reportgen.stats.permutation.block_sums import sum_law
from reportgen.stats.permutation.block_tests import (
    asymptotic_pairs,
    asymptotic_reference,
    permuted_equality,
    permuted_pairs,
    permuted_reference,
)
from reportgen.stats.permutation.paired import sign_flip_max_t
from reportgen.stats.ranking import (
    aligned_ranks,
    available_ranks,
    within_block_ranks,
)
from reportgen.stats.ranks.friedman import (
    compare_rank_sums,
    friedman_test,
    iman_davenport,
    skillings_mack,
)
from reportgen.stats.ranks.nemenyi import compare_mean_ranks
from reportgen.stats.relations.relations import CLASSES, belongs_to, of_statistic

Array = NDArray[np.float64]

P = 1e-7  # absolute, of p-values: summation in another order, and what follows from it
ROADS = 1e-6  # relative: an iteration against a closed form
ALPHA = 0.05


def rng() -> np.random.Generator:
    """Return a generator; nothing below may depend on it: the laws are exact at these sizes."""
    return np.random.default_rng(0)


def with_law(test: Callable[..., object], scores: Array) -> object:
    """Do a permutation test with its exact law."""
    law = sum_law(scores, rng())
    assert law.n_draws is None
    return test(scores, law)


# From blocks to one p-value for all candidates.
RANK_EQUALITY = {
    "friedman": lambda v: friedman_test(within_block_ranks(v)).p_value,
    "friedman permuted": lambda v: with_law(permuted_equality, within_block_ranks(v)).p_value,
    "iman-davenport": lambda v: iman_davenport(within_block_ranks(v)).p_value,
    "skillings-mack": lambda v: skillings_mack(available_ranks(v)).p_value,
}
EQUALITY = {
    **RANK_EQUALITY,
    "aligned ranks permuted": lambda v: with_law(permuted_equality, aligned_ranks(v)).p_value,
    "t*": lambda v: with_law(permuted_equality, v).p_value,
    "block F": lambda v: fit_block_model(v).equality.p_value,
    "block F, all values": lambda v: fit_incomplete_blocks(v).equality.p_value,
}

# From blocks to the p-values of all pairs in lexical order.
RANK_PAIRS = {
    "rank sums": lambda v: compare_rank_sums(within_block_ranks(v)).p_values,
    "rank sums permuted": lambda v: with_law(permuted_pairs, within_block_ranks(v)).p_values,
    "nemenyi": lambda v: compare_mean_ranks(within_block_ranks(v)).p_values,
    "closed ranks": lambda v: closed_rank_tests(v, rng()).adjusted,
}
PAIRS = {
    **RANK_PAIRS,
    "aligned rank sums": lambda v: asymptotic_pairs(aligned_ranks(v)).p_values,
    "all pairs permuted": lambda v: with_law(permuted_pairs, v).p_values,
    "closed t*": lambda v: closed_performance_tests(v, rng()).adjusted,
    "signed ranks, Holm": lambda v: signed_rank_pairs(v).adjusted,
    "paired permutation": lambda v: permutation_pairs(v, rng()).adjusted,
    "sign flips": lambda v: sign_flip_max_t(v, rng()).single_step,
    "sign flips, step-down": lambda v: sign_flip_max_t(v, rng()).step_down,
    "tukey": lambda v: tukey(fit_block_model(v).estimates, ALPHA).adjusted_p_value,
    "tukey, all values": lambda v: (
        tukey_kramer(fit_incomplete_blocks(v).estimates, ALPHA).adjusted_p_value
    ),
    "own variances": lambda v: paired_max_t(v, ALPHA, rng()).adjusted_p_value,
    "new data": lambda v: new_data_pairs(v, 0.3).adjusted_p_value,
}

# From blocks to the p-values of all others with the first candidate.
RANK_REFERENCE = {
    "reference ranks": lambda v: asymptotic_reference(within_block_ranks(v), 0).p_values,
    "reference ranks permuted": lambda v: (
        permuted_reference(within_block_ranks(v), sum_law(within_block_ranks(v), rng()), 0).p_values
    ),
}
REFERENCE = {
    **RANK_REFERENCE,
    "dunnett": lambda v: dunnett(fit_block_model(v).estimates, 0, ALPHA).adjusted_p_value,
}


@st.composite
def blocks(draw: st.DrawFn) -> Array:
    """Draw six blocks of three candidates, some with ties, not all differences the same."""
    seed, levels = draw(st.integers(0, 10**6)), draw(st.sampled_from([0, 4, 9]))
    own = np.random.default_rng(seed)
    values = own.normal(size=(6, 1)) + own.normal(size=(6, 3)) + own.normal(size=3)
    values = np.round(values * levels / 4) if levels else values
    differences = values[:, [0, 0, 1]] - values[:, [1, 2, 2]]
    assume(has_residual_variance(values) and (np.ptp(differences, axis=0) > 0).all())
    return values


def by_pair(p_values: Array, order: list[int]) -> dict[tuple[int, int], float]:
    """Return the p-values by the pair's names."""
    first, second = np.triu_indices(len(order), k=1)
    names = (tuple(sorted((order[i], order[j]))) for i, j in zip(first, second, strict=True))
    return dict(zip(names, np.asarray(p_values).tolist(), strict=True))


@pytest.mark.parametrize("name", EQUALITY)
@settings(max_examples=10)
@given(values=blocks(), order=st.permutations(range(3)), rows=st.permutations(range(6)))
def test_order_does_not_matter_to_equality(
    name: str, values: Array, order: list[int], rows: list[int]
) -> None:
    test = EQUALITY[name]
    assert test(values[rows][:, order]) == pytest.approx(test(values), abs=P)


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=10)
@given(values=blocks(), order=st.permutations(range(3)), rows=st.permutations(range(6)))
def test_order_does_not_matter_to_pairs(
    name: str, values: Array, order: list[int], rows: list[int]
) -> None:
    test = PAIRS[name]
    plain = by_pair(test(values), [0, 1, 2])
    assert by_pair(test(values[rows][:, order]), order) == pytest.approx(plain, abs=P)


@pytest.mark.parametrize("name", REFERENCE)
@settings(max_examples=10)
@given(values=blocks())
def test_order_of_the_others_does_not_matter_to_a_reference(name: str, values: Array) -> None:
    test = REFERENCE[name]
    np.testing.assert_allclose(test(values[:, [0, 2, 1]]), test(values)[::-1], atol=P)


@pytest.mark.parametrize("name", [*EQUALITY, *PAIRS, *REFERENCE])
@settings(max_examples=10)
@given(values=blocks(), factor=st.sampled_from([-1.0, -8.0, 0.5, 64.0]))
def test_direction_and_unit_do_not_matter(name: str, values: Array, factor: float) -> None:
    test = {**EQUALITY, **PAIRS, **REFERENCE}[name]
    np.testing.assert_allclose(test(factor * values), test(values), atol=P)


@pytest.mark.parametrize("name", [*RANK_EQUALITY, *RANK_PAIRS, *RANK_REFERENCE])
@settings(max_examples=10)
@given(values=blocks(), power=st.sampled_from([1, 3, 5]), scales=st.permutations(range(1, 7)))
def test_growing_functions_of_each_block_do_not_matter_to_ranks(
    name: str, values: Array, power: int, scales: list[int]
) -> None:
    """Every block has another growing function; what ties stays tied."""
    test = {**RANK_EQUALITY, **RANK_PAIRS, **RANK_REFERENCE}[name]
    scale = np.array(scales)[:, None]
    grown = scale * np.sign(values) * np.abs(values) ** power + np.exp(values / scale)
    np.testing.assert_array_equal(test(grown), test(values))


# -------------------------------------------------------------------------- intervals


INTERVALS: dict[str, Callable[[Array], PairTable]] = {
    "tukey": lambda v: tukey(fit_block_model(v).estimates, ALPHA),
    "tukey-kramer": lambda v: tukey_kramer(fit_incomplete_blocks(v).estimates, ALPHA),
    "bonferroni": lambda v: bonferroni_pairs(
        ParameterEstimates(v.mean(axis=0), np.cov(v, rowvar=False) / len(v), len(v) - 1), ALPHA
    ),
}


@pytest.mark.parametrize("name", INTERVALS)
@given(values=blocks(), factor=st.sampled_from([-2.0, 0.25]), shifts=st.permutations([0, 1, 4]))
def test_intervals_turn_stretch_and_move_with_the_values(
    name: str, values: Array, factor: float, shifts: list[int]
) -> None:
    compare = INTERVALS[name]
    plain, moved = compare(values), compare(factor * values + np.array(shifts))
    by = np.array([shifts[i] - shifts[j] for i, j in ((0, 1), (0, 2), (1, 2))])
    ends = np.sort(factor * np.array([plain.lower, plain.upper]), axis=0) + by
    scale = np.abs(ends).max()
    np.testing.assert_allclose([moved.lower, moved.upper], ends, rtol=ROADS, atol=ROADS * scale)


@pytest.mark.parametrize("name", INTERVALS)
@given(values=blocks())
def test_a_pair_differs_exactly_when_its_interval_leaves_out_0(name: str, values: Array) -> None:
    found = INTERVALS[name](values)
    assume((np.abs(found.adjusted_p_value - ALPHA) > P).all())
    np.testing.assert_array_equal(
        (found.lower > 0) | (found.upper < 0), found.adjusted_p_value < ALPHA
    )


# ------------------------------------------------------------------------- two methods


@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 9), st.sampled_from([0.0, 0.3, 2]))
def test_gaps_in_nothing_are_no_gaps(seed: int, k: int, b: int, spread: float) -> None:
    """Blocks without a single value say nothing, and the rest is the closed form."""
    own = np.random.default_rng(seed)
    values = spread * own.normal(size=(b, 1)) + own.normal(size=(b, k))
    padded = np.insert(values, [0, b // 2], np.nan, axis=0)
    closed, general = fit_block_model(values), fit_incomplete_blocks(padded)
    assert general.reml_criterion == pytest.approx(closed.reml_criterion, rel=ROADS, abs=ROADS)
    assert general.equality is not None
    assert general.equality.df2 == pytest.approx(closed.equality.df2, rel=ROADS)
    assert general.equality.p_value == pytest.approx(closed.equality.p_value, abs=P)
    own_pairs = tukey_kramer(general.estimates, ALPHA)
    pairs = tukey(closed.estimates, ALPHA)
    np.testing.assert_allclose(own_pairs.lower, pairs.lower, rtol=ROADS, atol=ROADS)
    ranks, padded_ranks = within_block_ranks(values), available_ranks(padded)
    test = skillings_mack(padded_ranks)
    assert test is not None
    assert test.p_value == pytest.approx(friedman_test(ranks).p_value, abs=P)


@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), m=st.integers(4, 7), k=st.integers(2, 3))
def test_balanced_domains_have_one_answer(structure: str, seed: int, m: int, k: int) -> None:
    own = np.random.default_rng(seed)
    effects = own.normal(size=(m, 1, 1)) + own.normal(size=(m, 1, k))
    values = effects + 0.5 * own.normal(size=(m, 4, 1)) + 0.5 * own.normal(size=(m, 4, k))
    closed, general = (
        fit_domain_model(values, structure),  # type: ignore[arg-type]
        fit_incomplete_domain(list(values), structure),  # type: ignore[arg-type]
    )
    assert general.reml_criterion == pytest.approx(closed.reml_criterion, rel=ROADS, abs=ROADS)
    np.testing.assert_allclose(general.means, closed.means, rtol=ROADS, atol=ROADS)
    np.testing.assert_allclose(general.standard_errors, closed.standard_errors, rtol=1e-5)
    assert closed.equality is not None
    assert general.equality is not None
    assert general.equality.statistic == pytest.approx(closed.equality.statistic, rel=1e-5)


# ------------------------------------------------------------------------- consensus


@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(2, 7))
def test_consensus_of_rankings(seed: int, k: int, n_members: int) -> None:
    """Wider classes are no farther, no member of a class is nearer, and a mirror mirrors all."""
    own = np.random.default_rng(seed)
    worth = np.linspace(0, 1, k) + own.normal(size=(n_members, k))
    members = np.array([of_statistic(np.round(2 * row) / 2) for row in worth])
    weights = own.integers(1, 5, size=n_members).astype(np.float64)
    found = [nearest_relations(members, weights, wanted, limit=1) for wanted in CLASSES]
    criteria = [one.criterion for one in found]
    assert criteria == sorted(criteria, reverse=True)
    turned = [
        nearest_relations(members.transpose(0, 2, 1), weights, wanted, limit=1).criterion
        for wanted in CLASSES
    ]
    assert turned == pytest.approx(criteria)
    for wanted, one in zip(CLASSES, found, strict=True):
        assert belongs_to(one.relations[0], wanted)
        assert criterion(members, one.relations[0], weights) == pytest.approx(one.criterion)
        nearest = [criterion(members, m, weights) for m in members if belongs_to(m, wanted)]
        assert all(one.criterion <= distance + P for distance in nearest)
