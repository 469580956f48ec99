"""Stability of trees of worths in subsamples."""

from __future__ import annotations

import numpy as np

from reportgen.stats.worths import tree_stability
from reportgen.stats.worths.comparisons import compare, indicators
from reportgen.stats.worths.tree import Characteristic, Growth, grow
from reportgen.stats.worths.tree_stability import tree_support


def data(step: float, n: int = 60) -> tuple[np.ndarray, list[Characteristic]]:
    """Simulate units with a break at 0 of the first of two characteristics."""
    rng = np.random.default_rng(8)
    traits = rng.standard_normal((n, 2))
    errors = rng.standard_normal((n, 10, 3))
    errors[:, :, 0] += step * np.sign(traits[:, :1])
    counts = indicators(compare(np.round(errors.reshape(-1, 3), 1)))
    summed = counts.reshape(n, 10, 3, 3).sum(axis=1)
    return summed, [Characteristic(f"z{i}", column) for i, column in enumerate(traits.T)]


def test_a_strong_break_is_found_in_nearly_every_sample() -> None:
    growth = Growth(n_permutations=0, max_depth=1)
    found = tree_support(*data(1.0), growth, n_trees=15)
    assert found.n_trees == 15
    assert found.root[0] >= 0.9
    assert (found.anywhere >= found.root).all()
    assert len(found.root_cuts[0]) == round(15 * found.root[0])
    assert np.abs(np.median(found.root_cuts[0])) < 0.4
    assert (found.n_leaves <= 2).all()


def test_samples_in_which_candidates_are_not_linked_are_counted() -> None:
    counts, traits = data(0.0, n=8)
    counts[1:, 1:] = 0  # the third candidate was compared on one data set only
    found = tree_support(counts, traits, Growth(n_permutations=0), n_trees=20)
    assert 0 < found.n_failed < 20
    assert found.n_trees + found.n_failed == 20


def test_data_sets_are_drawn_with_all_their_units_and_once(monkeypatch) -> None:
    drawn = []

    def watched(counts: np.ndarray, characteristics: list[Characteristic], *args, **settings):
        drawn.append(characteristics[1].values.tolist())
        return grow(counts, characteristics, *args, **settings)

    monkeypatch.setattr(tree_stability, "grow", watched)
    counts, traits = data(1.0, n=24)
    datasets = np.arange(24) // 3
    traits[1] = Characteristic("own", np.arange(24.0))
    growth = Growth(n_permutations=0, max_depth=1)
    tree_support(counts, traits, growth, n_trees=6, datasets=datasets)
    for units in drawn:
        numbers, often = np.unique(np.array(units, dtype=int) // 3, return_counts=True)
        assert len(numbers) == 5  # round(.632 * 8)
        assert often.tolist() == [3] * 5
    assert len({tuple(units) for units in drawn}) > 1


def test_subsamples_do_not_change_with_their_number_and_are_done_by_the_mapper() -> None:
    growth = Growth(n_permutations=99, max_depth=1)
    counts, traits = data(0.3, n=24)
    tasks = []

    def mapper(function, *own):
        tasks.append(list(zip(*own, strict=False)))
        return (function(*task) for task in tasks[0])

    few = tree_support(counts, traits, growth, n_trees=5, mapper=mapper)
    many = tree_support(counts, traits, growth, n_trees=9)
    assert len(tasks[0]) == 5
    assert few.n_leaves.tolist() == many.n_leaves.tolist()[:5]
