"""Pairs with a reference alone, against brute force, Dunnett's law and the verdict on all pairs."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy.stats import t as student

from reportgen.performance_measure import Measure
from reportgen.stats.distributions import dunnett
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import compare_pairs, paired_max_t
from reportgen.stats.verdict import Family, Verdict, adjust_family

ALPHA = 0.05
CLOSE = 1e-9  # relative: the same sums in another order
FAR = 4.5  # Monte Carlo standard errors
NAMES = ("a", "b", "new", "c", "d")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def values_of(n: int, k: int = 5, seed: int = 2) -> np.ndarray:
    return rng(seed).normal(size=(n, k)) + np.array([0.0, 0.4, 0.0, -0.6, 1.2])[:k]


def verdict_of(table: PairTable, **more: object) -> Verdict:
    means = dict(zip(NAMES, range(len(NAMES)), strict=True))
    own = {"target": "domain", "method": "own-variance", "pairs": table, "means": means}
    return Verdict(measure=Measure("mse"), alpha=ALPHA, relevance=None, **{**own, **more})


def test_few_units_have_the_quantile_of_k_minus_1_comparisons() -> None:
    values = values_of(12)
    table = compare_pairs(values, NAMES, reference="new")
    assert [frozenset(x) for x in table.both] == [frozenset((x, "new")) for x in "abcd"]
    for pair in table:
        first, second = (values[:, NAMES.index(name)] for name in (pair.first, pair.second))
        d = first - second
        assert pair.estimate == pytest.approx(d.mean(), rel=CLOSE)
        p = pair.p_value
        assert pair.adjusted_p_value == pytest.approx(min(1.0, 4 * p), rel=CLOSE)
    critical = student.isf(ALPHA / (2 * 4), 11)
    assert table.critical_value == pytest.approx(np.full(4, critical), rel=CLOSE)


def test_intervals_are_those_of_all_pairs_made_narrower() -> None:
    for n in (12, 80):
        every = compare_pairs(values_of(n), NAMES)
        own = compare_pairs(values_of(n), NAMES, reference="new")
        there = every.at(every.rows_of(own))
        assert (own.estimate == there.estimate).all()
        assert (own.upper - own.lower < there.upper - there.lower).all()
        assert (own.adjusted_p_value <= there.adjusted_p_value).all()


def test_many_units_have_the_quantile_of_dunnett() -> None:
    # equal variances, no blocks: the differences with one column correlate by 1/2
    n, k = 4000, 5
    found = paired_max_t(rng(3).normal(size=(n, k)), ALPHA, rng(), reference=2, n_draws=200_000)
    inside = (all_pairs(k) == 2).any(axis=1)
    assert found.method == "own-variance"
    assert (found.is_open == ~inside).all()
    critical = float(found.critical_value[inside][0])
    survival = float(dunnett.survival(critical, k - 1))
    assert abs(survival - ALPHA) < FAR * sqrt(ALPHA * (1 - ALPHA) / 200_000) + 0.001  # estimated R


def test_the_joint_law_is_that_of_the_pairs_with_the_reference_alone() -> None:
    values = values_of(80)
    found = paired_max_t(values, ALPHA, rng(), reference=2)
    inside = np.flatnonzero((all_pairs(5) == 2).any(axis=1))
    errors = np.column_stack([
        (values[:, i] - values[:, j]) - (values[:, i] - values[:, j]).mean()
        for i, j in all_pairs(5)[inside]
    ])  # fmt: skip
    errors /= np.sqrt((errors**2).sum(axis=0))
    draws = rng(9)
    root = np.linalg.cholesky(errors.T @ errors)
    z = draws.normal(size=(200_000, 4)) @ root.T
    t = np.abs(z) / np.sqrt(draws.chisquare(79, size=z.shape) / 79)
    critical = float(found.critical_value[inside][0])
    share = float((t.max(axis=1) > critical).mean())
    assert abs(share - ALPHA) < FAR * sqrt(ALPHA * (1 - ALPHA) / 20_000)


def test_a_pair_with_few_shared_units_is_outside_the_family() -> None:
    values = values_of(12)
    values[4:, 0] = np.nan
    table = compare_pairs(values, NAMES, reference="new")
    is_few = np.array(["a" in both for both in table.both])
    assert (table.is_open == is_few).all()
    critical = student.isf(ALPHA / (2 * 3), 11)
    assert table.critical_value[~is_few] == pytest.approx(np.full(3, critical), rel=CLOSE)


def test_an_unknown_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="'nwe'"):
        compare_pairs(values_of(12), NAMES, reference="nwe")


def test_a_table_keeps_the_pairs_with_one_candidate_and_their_gaps() -> None:
    values = values_of(20)
    values[:3, 1] = np.nan
    every = compare_pairs(values, NAMES)
    own = every.only_with("new")
    assert own == every.at(every.rows_of(own))
    assert own.adverse is not None
    assert every.adverse is not None
    assert np.array_equal(own.adverse.mean, every.adverse.mean[:, own.places])
    assert every.only_with(None) is every
    assert len(every.only_with("nobody")) == 0


@pytest.mark.parametrize("k", [2, 3, 7])
def test_places_are_those_of_all_pairs(k: int) -> None:
    table = paired_max_t(rng().normal(size=(8, k)), ALPHA, rng())
    assert table.places.tolist() == list(range(len(all_pairs(k))))


def test_a_verdict_on_all_pairs_is_held_to_those_with_the_reference() -> None:
    values = values_of(12)
    every = verdict_of(compare_pairs(values, NAMES), method="own-variance")
    own = every.against("new")
    wanted = compare_pairs(values, NAMES, reference="new")
    assert own.reference == "new"
    assert own.pairs.lower == pytest.approx(wanted.lower, rel=CLOSE)
    assert own.pairs.adjusted_p_value == pytest.approx(wanted.adjusted_p_value, rel=CLOSE)
    assert own.pairs.decision == wanted.decision
    assert own.n_family == 4


def test_two_that_were_not_compared_share_no_group_and_no_order() -> None:
    own = verdict_of(compare_pairs(values_of(80), NAMES, reference="new"))
    own = own.against("new")
    assert own.groups is None
    for first, others in own.beats.items():
        assert first == "new" or others == ("new",)
    assert own.better_than_all is None
    assert own.pairs.between("a", "b") is None


def test_ranks_go_through_the_reference() -> None:
    values = rng(4).normal(size=(80, 5)) * 0.1 + np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    own = verdict_of(compare_pairs(values, NAMES, reference="new")).against("new")
    wanted = {"a": (1, 2), "b": (1, 2), "new": (3, 3), "c": (4, 5), "d": (4, 5)}
    assert own.rank_ranges == wanted
    assert own.may_be_first == ("a", "b")


def test_stages_keep_their_decisions() -> None:
    table = compare_pairs(values_of(12), NAMES)
    ways = np.where((all_pairs(5) == 2).any(axis=1), 1, -1)
    staged = replace(table, given_direction=ways, method="stages")
    own = verdict_of(staged, method="stages").against("new")
    assert own.pairs.direction.tolist() == [1, 1, 1, 1]


def test_a_study_adjusts_the_pairs_with_the_reference_alone() -> None:
    both = [
        verdict_of(compare_pairs(values_of(12, seed=s), NAMES, reference="new")).against("new")
        for s in (1, 2)
    ]
    found = adjust_family(dict(enumerate(both)), 2)
    for own in found.values():
        assert own.family is not None
        assert own.family.n_pairs == 8
        assert own.pairs.critical_value == pytest.approx(np.full(4, student.isf(ALPHA / 16, 11)))
    assert isinstance(found[0].family, Family)


@pytest.mark.slow
def test_the_error_of_the_family_is_at_most_alpha_and_power_is_gained() -> None:
    draws, n, k, runs = rng(11), 10, 10, 1500
    wrong = gained = lost = 0
    for _ in range(runs):
        values = draws.normal(size=(n, k))
        own = paired_max_t(values, ALPHA, draws, reference=0)
        inside = (all_pairs(k) == 0).any(axis=1)
        wrong += bool((own.adjusted_p_value[inside] <= ALPHA).any())
        values[:, 0] += 1.5
        own = paired_max_t(values, ALPHA, draws, reference=0)
        every = paired_max_t(values, ALPHA, draws)
        gained += int((own.adjusted_p_value[inside] <= ALPHA).sum())
        lost += int((every.adjusted_p_value[inside] <= ALPHA).sum())
    assert wrong / runs < ALPHA + FAR * sqrt(ALPHA * (1 - ALPHA) / runs)
    assert gained > 1.2 * lost
