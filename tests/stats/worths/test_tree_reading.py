"""Pruning, prediction and stability of trees of worths."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from reportgen.stats.worths import tree_reading
from reportgen.stats.worths.comparisons import compare, indicators
from reportgen.stats.worths.tree import Characteristic, Ending, Growth, Node, grow
from reportgen.stats.worths.tree_reading import (
    criterion,
    log_likelihood,
    n_parameters,
    prune,
    stability,
)

GREEDY = Growth(alpha=1.0, min_size=12, n_permutations=0, max_depth=2)


def data(step: float, n: int = 60) -> tuple[np.ndarray, list[Characteristic]]:
    """Simulate units with a break at 0 of the first of two characteristics."""
    rng = np.random.default_rng(8)
    traits = rng.standard_normal((n, 2))
    errors = rng.standard_normal((n, 10, 3))
    errors[:, :, 0] += step * np.sign(traits[:, :1])
    counts = indicators(compare(np.round(errors.reshape(-1, 3), 1)))
    summed = counts.reshape(n, 10, 3, 3).sum(axis=1)
    return summed, [Characteristic(f"z{i}", column) for i, column in enumerate(traits.T)]


def size(root: Node) -> int:
    """Count leaves."""
    return sum(1 for _ in root.leaves())


def test_parameters_and_log_likelihood_are_those_of_the_leaves() -> None:
    root = grow(*data(0.5), GREEDY)
    assert size(root) > 2
    assert n_parameters(root) == 3 * size(root) + size(root) - 1
    assert log_likelihood(root) > root.model.log_likelihood
    assert criterion(root, 2.0) == 2 * n_parameters(root) - 2 * log_likelihood(root)


def test_pruning_leaves_what_pays() -> None:
    grown = grow(*data(0.5), GREEDY)
    pruned = prune(grown, "bic")
    assert 1 < size(pruned) < size(grown)
    assert criterion(pruned, log(60)) < criterion(grown, log(60))
    assert pruned.split == grown.split
    assert [node.number for node in pruned.walk()] == list(range(1, 2 * size(pruned)))
    assert any(leaf.ending is Ending.PRUNED for leaf in pruned.leaves())


def test_nothing_is_left_where_nothing_differs() -> None:
    grown = grow(*data(0.0), GREEDY)
    assert size(grown) > 1
    root = prune(grown, "bic")
    assert root.ending is Ending.PRUNED
    assert root.tests == grown.tests
    assert size(prune(grown, "aic")) <= size(grown)


def test_pruning_knows_two_criteria() -> None:
    with pytest.raises(ValueError, match="'cp'"):
        prune(grow(*data(0.0), GREEDY), "cp")


def test_a_strong_break_is_found_in_nearly_every_sample() -> None:
    growth = Growth(n_permutations=0, max_depth=1)
    found = stability(*data(1.0), growth, n_trees=15)
    assert found.n_trees == 15
    assert found.root[0] >= 0.9
    assert (found.anywhere >= found.root).all()
    assert len(found.root_cuts[0]) == round(15 * found.root[0])
    assert np.abs(np.median(found.root_cuts[0])) < 0.4
    assert (found.n_leaves <= 2).all()


def test_samples_in_which_candidates_are_not_linked_are_counted() -> None:
    counts, traits = data(0.0, n=8)
    counts[1:, 1:] = 0  # the third candidate was compared on one data set only
    found = stability(counts, traits, Growth(n_permutations=0), n_trees=20)
    assert 0 < found.n_failed < 20
    assert found.n_trees + found.n_failed == 20


def test_data_sets_are_drawn_with_all_their_units_and_once(monkeypatch) -> None:
    drawn = []

    def watched(counts: np.ndarray, characteristics: list[Characteristic], *args, **settings):
        drawn.append(characteristics[1].values.tolist())
        return grow(counts, characteristics, *args, **settings)

    monkeypatch.setattr(tree_reading, "grow", watched)
    counts, traits = data(1.0, n=24)
    datasets = np.arange(24) // 3
    traits[1] = Characteristic("own", np.arange(24.0))
    growth = Growth(n_permutations=0, max_depth=1)
    stability(counts, traits, growth, n_trees=6, datasets=datasets)
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

    few = stability(counts, traits, growth, n_trees=5, mapper=mapper)
    many = stability(counts, traits, growth, n_trees=9)
    assert len(tasks[0]) == 5
    assert few.n_leaves.tolist() == many.n_leaves.tolist()[:5]


def test_trees_are_pruned_as_the_one_of_all_was() -> None:
    growth = Growth(alpha=1.0, min_size=6, n_permutations=0, max_depth=1)
    assert stability(*data(0.0), growth, n_trees=8).n_leaves.max() == 2
    assert stability(*data(0.0), growth, n_trees=8, prune_by="bic").root.sum() == 0
