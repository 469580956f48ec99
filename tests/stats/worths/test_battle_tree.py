"""Trees of battles: against trees of units, and their size where battles belong together."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.worths.battle_tree import (
    Covariate,
    covariate_of,
    grow_battles,
    subset,
)
from reportgen.stats.worths.battles import Battles, fit_battles
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic, Growth, grow

SAME = 1e-6  # statistics of the same scores, fitted twice


def battles_of(
    n: int,
    k: int = 4,
    shift: np.ndarray | None = None,
    judges: int = 0,
    spread: float = 0.0,
    seed: int = 1,
) -> Battles:
    """Make battles up; `shift` (n, K) is added to worths, judges have opinions of their own."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    worths = np.tile(np.linspace(0.8, -0.8, k), (n, 1))
    if shift is not None:
        worths = worths + shift
    own = rng.integers(0, judges, n) if judges else None
    if own is not None:
        worths = worths + rng.normal(0, spread, (judges, k))[own]
        own = np.unique(own, return_inverse=True)[1]
    at = np.arange(n)
    d = worths[at, first] - worths[at, second]
    odds = np.exp(np.column_stack([d / 2, np.full(n, -0.7), -d / 2]))
    which = (rng.random(n)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
    return Battles(first, second, (1 - which).astype(np.int8), k, own)


def counts_of(battles: Battles) -> np.ndarray:
    """Return the outcome of each battle as a table."""
    one = np.zeros(len(battles), bool)
    found = []
    for i in range(len(battles)):
        one[i] = True
        found.append(subset(battles, one).counts)
        one[i] = False
    return np.array(found)


def test_independent_battles_are_the_units_of_a_tree() -> None:
    """The same test and division as `tree.grow`, which reproduces psychotree."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, 300).astype(float)
    shift = np.where(codes[:, None] == 2, np.linspace(-1.6, 1.6, 4), 0.0)
    battles = battles_of(300, shift=shift)
    own = Covariate("topic", codes, ("a", "b", "c"))
    found = grow_battles(battles, [own], min_size=40, max_depth=1)
    units = grow(
        counts_of(battles),
        [Characteristic("topic", codes, Kind.CATEGORICAL)],
        Growth(min_size=40, max_depth=1, n_permutations=0),
    )
    test = units.tests[0]
    assert test is not None
    assert found.tests[0].statistic == pytest.approx(test.statistic, rel=SAME)
    assert units.split is not None
    sides = [{"abc"[int(c)] for c in part} for part in (units.split.first, units.split.second)]
    assert [set(child.condition[1:]) for child in found.children] == sides
    assert [child.n for child in found.children] == [len(c.units) for c in units.children]


def test_judges_are_units_of_what_is_the_same_for_each() -> None:
    """As raters in psychotree: the sums of their scores."""
    rng = np.random.default_rng(5)
    battles = battles_of(400, judges=40, spread=0.3)
    assert battles.clusters is not None
    of_judge = rng.integers(0, 2, battles.n_clusters).astype(float)
    own = Covariate("language", of_judge[battles.clusters], ("de", "en"))
    found = grow_battles(battles, [own], max_depth=1)
    counts = np.array(
        [subset(battles, battles.clusters == g).counts for g in range(battles.n_clusters)]
    )
    units = grow(
        counts,
        [Characteristic("language", of_judge, Kind.CATEGORICAL)],
        Growth(max_depth=1, n_permutations=0),
    )
    assert found.tests[0].unit == "cluster"
    test = units.tests[0]
    assert test is not None
    assert found.tests[0].statistic == pytest.approx(test.statistic, rel=SAME)


@pytest.mark.slow
def test_a_covariate_inside_clusters_keeps_its_level() -> None:
    """Nine tenths of a judge's battles are of one topic, and judges differ."""
    rejected = {"flips": 0, "battle": 0}
    n_studies = 60
    for seed in range(n_studies):
        rng = np.random.default_rng([seed, 1])
        battles = battles_of(500, judges=25, spread=0.9, seed=seed)
        assert battles.clusters is not None
        level = rng.integers(0, 2, 25)[battles.clusters]
        codes = np.where(rng.random(500) < 0.9, level, 1 - level).astype(float)
        own = Covariate("topic", codes, ("a", "b"))
        alone = Battles(battles.first, battles.second, battles.outcome, 4)
        for unit, them in (("flips", battles), ("battle", alone)):
            test = grow_battles(them, [own], max_depth=1).tests[0]
            assert test.unit == unit
            rejected[unit] += test.p_value < 0.05
    assert rejected["flips"] <= 9  # of 60 at 5%: three standard errors above
    assert rejected["battle"] > rejected["flips"]


def test_a_covariate_inside_clusters_is_found() -> None:
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 2, 900).astype(float)
    shift = np.where(codes[:, None] == 1, np.linspace(-1.6, 1.6, 4), 0.0)
    battles = battles_of(900, shift=shift, judges=40, spread=0.3)
    found = grow_battles(battles, [Covariate("topic", codes, ("old", "new"))])
    assert [child.condition for child in found.children] == [("topic", "old"), ("topic", "new")]
    whole = subset(battles, codes == 1)
    assert found.children[1].model.points == pytest.approx(fit_battles(whole).points)
    assert [node.number for node in found.walk()] == [1, 2, 3]


def test_numbers_are_divided_in_their_order() -> None:
    rng = np.random.default_rng(9)
    lengths = rng.lognormal(5, 1, 900)
    middle = np.quantile(lengths, 0.6)
    shift = np.where(lengths[:, None] > middle, np.linspace(-1.6, 1.6, 4), 0.0)
    own = covariate_of("length", lengths)
    assert own is not None
    assert own.kind is Kind.ORDINAL
    battles = battles_of(900, shift=shift)
    found = grow_battles(battles, [own], max_depth=1)
    assert len(found.children[0].condition) == 1 + 6  # six of ten groups lie below
    clustered = battles_of(900, shift=shift, judges=60, spread=0.2)
    assert grow_battles(clustered, [own], max_depth=1).tests[0].p_value < 0.01


def test_levels_of_few_battles_are_one() -> None:
    own = covariate_of("language", ["en"] * 50 + ["de"] * 30 + ["fr"] * 3 + ["it"] * 2 + [None])
    assert own is not None
    assert own.levels == ("en", "de", "others")
    assert np.isnan(own.values[-1])
    assert covariate_of("language", ["en"] * 50) is None
    assert covariate_of("turn", np.full(9, 2.0)) is None
