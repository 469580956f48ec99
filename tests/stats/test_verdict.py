"""What follows from the decisions on all pairs, by hand and by definition."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from reportgen.performance_measure import Measure
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.verdict import Verdict, adjust_family

EXACT = 1e-9  # relative: closed forms
ERROR, GAIN = Measure("error"), Measure("gain", better="larger")


def verdict(names: str, better: Iterable[str], measure: Measure = ERROR, **given: Any) -> Verdict:
    """Return a verdict by which the first of each two letters is decided better."""
    pairs, wanted = all_pairs(len(names)), {*better}
    way = [
        (names[i] + names[j] in wanted) - (names[j] + names[i] in wanted) for i, j in pairs.tolist()
    ]
    side = -1 if measure.is_smaller_better else 1
    table = PairTable.of(
        pairs, side * np.array(way) + 0.01, "given", 0.05, given_direction=np.array(way)
    )
    means = given.pop("means", {name: 0.1 + k / 10 for k, name in enumerate(names)})
    usual: dict[str, Any] = {
        "measure": measure,
        "alpha": 0.05,
        "relevance": None,
        "target": "conditional",
        "method": "given",
        "pairs": table.named(names, "", measure.is_smaller_better).decided(),
        "means": means,
    }
    return Verdict(**(usual | given))


def test_four_candidates_by_hand() -> None:
    found = verdict("abcd", ["ac", "ad", "bc", "bd"])
    assert found.order == ("a", "b", "c", "d")
    assert found.leaders == ("a", "b")
    assert found.groups == (("a", "b"), ("c", "d"))
    assert found.beats == {"a": ("c", "d"), "b": ("c", "d")}
    assert found.better_than_all is None
    assert found.rank_ranges == {"a": (1, 2), "b": (1, 2), "c": (3, 4), "d": (3, 4)}
    assert [(p.first, p.second) for p in found.decided] == [*map(tuple, ["ac", "ad", "bc", "bd"])]
    assert verdict("abc", ["ca", "cb"]).better_than_all == "c"


def test_what_is_not_transitive_has_no_groups() -> None:
    found = verdict("abc", ["ac"])
    assert (found.groups, found.leaders) == (None, ("a", "b"))
    assert found.rank_ranges == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}


def test_candidates_are_ordered_by_their_means_whichever_side_is_better() -> None:
    means = {"a": 0.2, "b": 0.3, "c": 0.1}
    assert verdict("abc", ["ca"], means=means).order == ("c", "a", "b")
    larger = verdict("abc", ["ba"], GAIN, means=means)
    assert (larger.order, larger.leaders) == (("b", "a", "c"), ("b", "c"))
    ranks = verdict("abc", [], GAIN, means=means, mean_ranks={"a": 2.5, "b": 2.0, "c": 1.5})
    assert ranks.order == ("c", "b", "a")
    equal = verdict("abc", [], means={"c": 0.1, "a": 0.1, "b": 0.0})
    assert equal.order == ("b", "c", "a")  # as they are given


def test_without_pairs_nobody_leads() -> None:
    found = verdict("a", [])
    assert (found.leaders, found.groups, found.critical_value) == ((), None, None)
    assert found.order == ("a",)


@pytest.mark.parametrize("seed", range(20))
def test_any_decisions_by_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = "abcde"
    better = {
        pair if rng.random() < 0.5 else pair[::-1]
        for pair in map("".join, combinations(names, 2))
        if rng.random() < 0.5
    }
    means = dict(zip(names, rng.random(5).tolist(), strict=True))
    found = verdict(names, better, means=means)
    order = sorted(names, key=means.__getitem__)
    assert found.leaders == tuple(n for n in order if not any(m + n in better for m in names))
    for name in names:
        above = sum(m + name in better for m in names)
        below = sum(name + m in better for m in names)
        assert found.rank_ranges[name] == (1 + above, 5 - below)
    is_level = {(m, n): m + n not in better and n + m not in better for m in names for n in names}
    is_weak = all(
        is_level[m, o] for m in names for n in names for o in names
        if is_level[m, n] and is_level[n, o]
    ) and all(
        m + o in better for m in names for n in names for o in names
        if m + n in better and n + o in better
    )  # fmt: skip
    assert (found.groups is not None) == is_weak
    for group in found.groups or ():
        assert all(is_level[m, n] for m in group for n in group)


def compared(seed: int, measure: Measure, n: int = 12, k: int = 3) -> Verdict:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, k)) + np.arange(k)
    smaller, names = measure.is_smaller_better, "abc"[:k]
    table = paired_max_t(values, 0.05, rng).counted(values, smaller)
    pairs = table.named(names, "", smaller).decided((-0.5, 0.5))
    means = dict(zip(names, values.mean(axis=0).tolist(), strict=True))
    return verdict(
        names, (), measure, pairs=pairs, means=means, relevance=(-0.5, 0.5), method="own-variance"
    )


def test_verdicts_are_adjusted_for_one_another_by_bonferronis_inequality() -> None:
    alone = [compared(1, ERROR), compared(2, GAIN), verdict("a", [])]
    found = adjust_family(dict(enumerate(alone)), n_datasets=1)
    for before, after in zip(alone[:2], found.values(), strict=False):
        assert after.family is not None
        assert (after.family.n_pairs, after.family.n_families) == (6, 2)
        assert (after.family.n_datasets, after.family.n_measures) == (1, 2)
        assert after.family.n_alone == before.pairs.n_significant
        p = 2 * student.sf(np.abs(before.pairs.statistic), 11)
        np.testing.assert_allclose(after.pairs.adjusted_p_value, np.minimum(1, 6 * p), rtol=EXACT)
        assert after.critical_value == pytest.approx(student.isf(0.05 / 12, 11), rel=EXACT)
        assert (after.pairs.lower < before.pairs.lower).all()
        assert after.n_family == 6
    assert found[2] is alone[2]


def test_one_verdict_keeps_its_own_family() -> None:
    alone = compared(1, ERROR)
    assert adjust_family({"a": alone}, n_datasets=1) == {"a": alone}
    assert (alone.family, alone.n_family) == (None, 3)
