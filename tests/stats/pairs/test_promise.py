"""What is promised of verdicts on means: the table of the rule's simulations, and a simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import skew, skewtest

from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.pairs.promise import _normal_p_value, promise_for, promise_of

STUDIES = 600
SPREAD = 4.0  # standard errors of a simulated probability


@pytest.mark.parametrize(
    ("n", "skewness", "is_kept"),
    [
        (6, 0.0, True),
        (6, 1.75, True),
        (6, 1.8, False),
        (19, 2.0, False),
        (20, 2.0, True),
        (20, 2.1, False),
        (100, 6.0, False),
        (249, 6.0, False),
        (250, 6.0, True),
        (1000, 7.0, False),
    ],
)
def test_promises(n: int, skewness: float, is_kept: bool) -> None:
    assert promise_for(n, skewness).is_kept == is_kept


@pytest.mark.parametrize(("skewness", "is_strong"), [(1.2, False), (1.75, False), (1.8, True)])
def test_what_few_pairs_bear_is_not_called_strong(skewness: float, is_strong: bool) -> None:
    found = promise_for(20, skewness, n_pairs=78)
    assert not found.is_kept
    assert found.is_strongly_skewed == is_strong
    assert promise_for(6, skewness).is_kept == (not is_strong)


@pytest.mark.parametrize(("n", "share"), [(10, 0.26), (12, 0.22), (20, 0.14), (50, 0.06)])
def test_what_may_not_have_been_seen(n: int, share: float) -> None:
    assert promise_for(n, 0.0).unseen_share == pytest.approx(share, abs=0.005)
    assert promise_for(n, 0.0).is_shown == (n >= 30)


def test_of_many_pairs_less_is_promised() -> None:
    values = np.random.default_rng(2).normal(size=(20, 13))
    for k, n_pairs in ((5, 10), (12, 66), (13, 78)):
        table = paired_max_t(values[:, :k], 0.05, np.random.default_rng(1))
        skewness = float(np.abs(table.extra["skewness"]).max())
        assert promise_of([table]) == promise_for(20, skewness, n_pairs=n_pairs)
    assert promise_for(20, 1.5, n_pairs=66).is_kept
    assert not promise_for(20, 1.5, n_pairs=78).is_kept
    for n in (6, 20, 100):
        for skewness in (0.5, 1.5, 2.0, 6.0):
            kept = [promise_for(n, skewness, n_pairs=m).is_kept for m in (10, 66, 1225)]
            assert kept == sorted(kept, reverse=True)


def test_no_promise_without_a_family_or_a_skewness() -> None:
    rng = np.random.default_rng(1)
    few = paired_max_t(rng.normal(size=(5, 3)), 0.05, rng)
    assert promise_of([few]) is None
    enough = paired_max_t(rng.normal(size=(9, 3)), 0.05, rng)
    assert promise_of([few, enough]) == promise_of([enough])
    assert promise_of([replace(enough, extra={"n": enough.extra["n"]})]) is None


def test_of_several_families_the_least_counts() -> None:
    rng = np.random.default_rng(1)
    tables = [
        paired_max_t(x, 0.05, rng)
        for x in (rng.normal(size=(40, 3)), rng.exponential(size=(40, 3)) ** 3)
    ]
    assert promise_of(tables) == promise_of(tables[1:])
    assert promise_of(tables[:1]).is_kept
    assert not promise_of(tables).is_kept


def test_of_equal_errors_the_most_skewed_is_told() -> None:
    rng = np.random.default_rng(1)
    table = paired_max_t(rng.exponential(size=(40, 2)) ** 2, 0.05, rng)
    both = [replace(table, extra=table.extra | {"skewness": np.array([g])}) for g in (2.5, 4.1)]
    errors = {promise_for(40, g, n_pairs=1).error for g in (2.5, 4.1)}
    assert len(errors) == 1
    for tables in (both, both[::-1]):
        found = promise_of(tables)
        assert found is not None
        assert found.skewness == 4.1


def test_strongly_skewed_values_err_as_often_as_is_said() -> None:
    """Lognormal values of 30 units, one candidate much noisier: 8.6% in the table."""
    rng = np.random.default_rng(5)
    scales = np.linspace(0.1, 1, 5)
    center = np.exp(0.5)
    wrong = 0
    for _ in range(STUDIES):
        values = (np.exp(rng.normal(size=(30, 5))) - center) * scales
        wrong += paired_max_t(values, 0.05, rng).n_significant > 0
    said = promise_for(30, 6.0).error
    assert wrong / STUDIES == pytest.approx(
        said, abs=0.025 + SPREAD * (said * (1 - said) / STUDIES) ** 0.5 / 2
    )
    assert wrong / STUDIES > 0.06


@pytest.mark.parametrize(("n", "k"), [(10, 40), (30, 40), (20, 12)])
def test_skewnesses_of_normal_differences_may_be_chance(n: int, k: int) -> None:
    first, second = np.triu_indices(k, 1)
    samples = np.random.default_rng(6).normal(size=(40, n, k))
    largest = [np.abs(skew(x[:, first] - x[:, second], bias=False)).max() for x in samples]
    told = [promise_for(n, g, n_pairs=len(first)).may_be_chance for g in largest]
    assert sum(told) >= 34  # 95% of 40; fewer with a probability of 1%


@pytest.mark.parametrize(("n", "g", "n_pairs"), [(21, 1.9, 15), (100, 2.0, 780), (30, 4.0, 780)])
def test_larger_skewnesses_are_none(n: int, g: float, n_pairs: int) -> None:
    assert not promise_for(n, g, n_pairs=n_pairs).may_be_chance


def test_of_one_difference_it_is_the_test_of_d_agostino() -> None:
    values = np.random.default_rng(2).exponential(size=12)
    for n in (8, 12):
        g = float(skew(values[:n], bias=False))
        expected = skewtest(values[:n]).pvalue
        assert promise_for(n, g).may_be_chance == (expected >= 0.05)
        assert _normal_p_value(g, n) == pytest.approx(expected, rel=1e-12)  # the same formula


def test_chance_counts_all_contrasts_of_a_family() -> None:
    alone, among = promise_for(30, 1.6), promise_for(30, 1.6, 100)
    assert (alone.n_pairs, alone.may_be_chance) == (1, False)
    assert (among.n_pairs, among.may_be_chance) == (100, True)
