"""Where to cut a characteristic."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from reportgen.stats.worths import tree as cutpoints
from reportgen.stats.worths.bradley_terry import fit, statistics
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import best_split

FEATURES = statistics(3, 2, ties=True)
FITTED = 1e-6  # sums of some hundred, each maximised to 1e-9


def units(n: int, seed: int) -> np.ndarray:
    """Return outcomes of units, each of ten comparisons per pair."""
    return np.random.default_rng(seed).multinomial(10, [0.5, 0.2, 0.3], size=(n, 3)).astype(float)


def both_sides(counts: np.ndarray, goes: np.ndarray) -> float:
    """Fit the two sides one after the other."""
    return sum(fit(counts[side].sum(axis=0)).log_likelihood for side in (goes, ~goes))


def test_the_cut_is_the_best_of_all() -> None:
    counts, z = units(25, 1), np.random.default_rng(2).integers(0, 12, 25).astype(float)
    found = best_split(counts, z, Kind.NUMERIC, FEATURES, np.zeros(3), min_size=4)
    tried = {
        cut: both_sides(counts, z <= cut)
        for cut in np.unique(z)
        if min((z <= cut).sum(), (z > cut).sum()) >= 4
    }
    assert found is not None
    assert found.cut == max(tried, key=tried.__getitem__)
    assert found.log_likelihood == pytest.approx(max(tried.values()), abs=FITTED)


def test_every_division_of_categories_is_tried() -> None:
    counts, codes = units(24, 3), np.arange(24) % 4.0
    found = best_split(counts, codes, Kind.CATEGORICAL, FEATURES, np.zeros(3), min_size=1)
    sides = [set(s) for r in (1, 2) for s in combinations(range(4), r)]
    best = max(sides, key=lambda s: both_sides(counts, np.isin(codes, list(s))))
    assert found is not None
    assert set(found.first) in (best, set(range(4)) - best)
    assert set(found.first) | set(found.second) == set(range(4))


def test_many_categories_are_divided_along_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, codes = units(24, 3), np.arange(24) % 4.0
    counts[codes == 1, :, 0] += 30
    counts[codes == 3, :, 0] += 30
    monkeypatch.setattr(cutpoints, "MOST_CATEGORIES", 3)
    found = best_split(counts, codes, Kind.CATEGORICAL, FEATURES, np.zeros(3), min_size=1)
    assert found is not None
    assert set(found.first) in ({1.0, 3.0}, {0.0, 2.0})


def test_blocks_of_tables_do_not_change_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, z = units(30, 4), np.arange(30.0)
    whole = best_split(counts, z, Kind.NUMERIC, FEATURES, np.zeros(3), min_size=2)
    monkeypatch.setattr(cutpoints, "TABLES_AT_ONCE", 4)
    assert best_split(counts, z, Kind.NUMERIC, FEATURES, np.zeros(3), min_size=2) == whole


def test_a_separated_side_counts_with_its_supremum() -> None:
    counts = units(20, 5)
    counts[:10] = [[10, 0, 0], [10, 0, 0], [5, 2, 3]]  # the first always wins
    z = np.arange(20.0)
    found = best_split(counts, z, Kind.NUMERIC, FEATURES, np.zeros(3), min_size=2)
    assert found is not None
    assert found.cut == 9
    assert found.log_likelihood == pytest.approx(both_sides(counts, z <= 9), abs=FITTED)


def test_too_few_on_a_side_leaves_no_cut() -> None:
    z = np.r_[np.zeros(19), 1.0]
    assert best_split(units(20, 6), z, Kind.NUMERIC, FEATURES, np.zeros(3), min_size=2) is None


def test_missing_values_and_new_categories_go_with_the_larger_side() -> None:
    counts, z = units(20, 7), np.r_[np.full(2, np.nan), np.zeros(12), np.ones(6)]
    for kind in (Kind.NUMERIC, Kind.CATEGORICAL):
        found = best_split(counts, z, kind, FEATURES, np.zeros(3), min_size=2)
        assert found is not None
        assert found.missing_first
        assert found.goes_first(np.array([0.0, 1.0, np.nan])).tolist() == [True, False, True]
    assert found.goes_first(np.array([7.0])).tolist() == [True]
