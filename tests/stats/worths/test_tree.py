"""Trees of worths."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.stats.worths.comparisons import compare, indicators
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic, Ending, Growth, Node, grow, per_dataset

EXACT = 1e-6
RELATIVE = 1e-6  # of p-values, also of tiny ones
AS_R = Growth(min_size=20, order_free=False, n_permutations=0)
NAMES = ("fcc", "kind", "noise1", "noise2", "prev")
NUMERIC = ("fcc", "noise1", "prev")


def toy(path: Path, names: tuple[str, ...] = NAMES) -> tuple[np.ndarray, list[Characteristic]]:
    """Read the toy of two data sets."""
    with path.open() as lines:
        rows = list(csv.DictReader(lines))
    errors = np.array([[float(row[k]) for k in ("lda", "qda", "svm")] for row in rows])
    characteristics = []
    for name in names:
        column = [row[name] for row in rows]
        if name in NUMERIC:
            characteristics.append(Characteristic(name, np.array(column, dtype=float)))
        else:
            codes = np.unique(column, return_inverse=True)[1].astype(float)
            characteristics.append(Characteristic(name, codes, Kind.CATEGORICAL))
    return indicators(compare(errors)), characteristics


def assert_node(node: Node, numbers: dict[str, Any], names: tuple[str, ...]) -> None:
    """Compare a node with R's."""
    statistics, p_values = (
        dict(zip(numbers["sctest"]["cols"], row, strict=True)) for row in numbers["sctest"]["data"]
    )
    for name, test, adjusted in zip(names, node.tests, node.adjusted, strict=True):
        if test is None:
            assert p_values[name] is None
            continue
        assert test.statistic == pytest.approx(statistics[name], abs=EXACT)
        assert adjusted == pytest.approx(p_values[name], rel=RELATIVE, abs=0)
    assert node.model.parameters == pytest.approx(list(numbers["coef"].values()), abs=EXACT)
    assert -node.model.log_likelihood == pytest.approx(numbers["neg_logLik"], abs=EXACT)
    assert len(node.units) == numbers["n"]


@pytest.mark.parametrize(
    ("name", "names"), [("toy", NAMES), ("toy_numeric_only", ("fcc", "noise1", "noise2", "prev"))]
)
def test_rows_as_units_give_the_tree_of_r(
    reference: Path, name: str, names: tuple[str, ...]
) -> None:
    numbers = json.loads((reference / "golden" / "bttree.json").read_text())[name]
    root = grow(*toy(reference / "data" / "bttree_toy.csv", names), AS_R)
    nodes = list(root.walk())
    assert len(nodes) == len(numbers["nodes"])
    for node in nodes:
        assert_node(node, numbers["nodes"][f"node{node.number}"], names)
    assert root.split is not None
    first = numbers["nodes"]["node1"]
    assert names[root.split.characteristic] == first["split_variable"]
    if first["breaks"] is not None:
        assert root.split.cut == pytest.approx(first["breaks"])
    worths = [leaf.model.worths for leaf in root.leaves()]
    assert np.array(worths) == pytest.approx(np.array(numbers["worth"]["data"]), abs=EXACT)


def test_a_separated_node_ends_and_says_so(reference: Path) -> None:
    root = grow(*toy(reference / "data" / "bttree_toy_separated.csv"), AS_R)
    assert root.split is not None
    separated = [leaf for leaf in root.leaves() if leaf.ending is Ending.SEPARATED]
    assert len(separated) == 1
    (leaf,) = separated
    assert leaf.model.separation is not None
    assert leaf.model.separation.falling == (0,)  # lda never wins
    assert leaf.model.penalised
    assert np.isfinite(leaf.model.worths).all()
    assert not leaf.tests
    assert [node.number for node in root.walk()] == [1, 2, 3]


def study(
    n_datasets: int, n_samples: int, seed: int, step: float = 0.0, spread: float = 0.0
) -> tuple[np.ndarray, list[Characteristic], np.ndarray]:
    """Simulate errors of three candidates whose order may change with the first characteristic."""
    rng = np.random.default_rng(seed)
    numbers = np.arange(n_datasets).repeat(n_samples)
    traits = rng.standard_normal((n_datasets, 3))
    effects = spread * rng.standard_normal((n_datasets, 3))
    effects[:, 0] += step * np.sign(traits[:, 0])
    errors = np.round(effects[numbers] + rng.standard_normal((len(numbers), 3)), 1)
    characteristics = [Characteristic(f"z{i}", traits[numbers, i]) for i in range(3)]
    return indicators(compare(errors)), characteristics, numbers


@pytest.mark.slow
def test_data_sets_as_units_keep_the_size_where_rows_do_not() -> None:
    as_rows, as_datasets = 0, 0
    for run in range(20):
        counts, characteristics, numbers = study(16, 12, run, spread=0.9)
        rows = grow(counts, characteristics, Growth(min_size=20, n_permutations=0, max_depth=1))
        summed = per_dataset(counts, characteristics, numbers)
        grown = grow(*summed, Growth(n_permutations=99, max_depth=1, seed=run))
        as_rows += rows.split is not None
        as_datasets += grown.split is not None
    assert as_rows >= 14
    assert as_datasets <= 5  # of 20 at 5 %: four standard errors


def test_a_break_between_data_sets_is_found() -> None:
    counts, characteristics, numbers = study(30, 20, 1, step=0.8, spread=0.2)
    root = grow(*per_dataset(counts, characteristics, numbers), Growth(n_permutations=199))
    assert root.split is not None
    assert root.split.characteristic == 0
    below, above = (characteristics[0].values[::20][child.units] for child in root.children)
    assert below.max() == root.split.cut < above.min()
    assert abs(root.split.cut) < 0.5
    first, second = (child.model.worths[0] for child in root.children)
    assert first > 1 / 3 > second


def test_permutations_belong_to_the_node_not_to_the_order_of_work() -> None:
    counts, characteristics, numbers = study(30, 20, 1, step=0.8)
    summed, means = per_dataset(counts, characteristics, numbers)
    growth = Growth(alpha=0.2, n_permutations=99)
    fewer, more = grow(summed, means[:2], growth), grow(summed, means, growth)
    pairs = list(zip(fewer.walk(), more.walk(), strict=True))
    assert len(pairs) > 1
    for node, same in pairs:
        for test, again in zip(node.tests, same.tests, strict=False):
            assert test is not None
            assert again is not None
            assert test.p_value == again.p_value


@pytest.mark.parametrize(
    ("change", "ending"),
    [
        ({"max_depth": 0}, Ending.DEEP),
        ({"min_size": 16}, Ending.SMALL),
        ({"alpha": 0.0}, Ending.STABLE),
    ],
)
def test_a_tree_says_why_it_ends(change: dict[str, Any], ending: Ending) -> None:
    counts, characteristics, numbers = study(30, 20, 1, step=0.8)
    growth = replace(Growth(n_permutations=19), **change)
    root = grow(*per_dataset(counts, characteristics, numbers), growth)
    assert root.ending is ending
    assert not root.children


def test_r_gives_up_where_the_most_unstable_characteristic_has_no_cut() -> None:
    won = np.isin(np.arange(60), [0, 3, 6, 9, 12, 20, 40, 55])
    counts = np.zeros((60, 1, 3))
    counts[won, 0, 0] = counts[~won, 0, 2] = 1.0
    few = np.where(np.isin(np.arange(60), [0, 3, 6, 9, 12]), 0.0, 1.0)
    traits = [
        Characteristic("few", few, Kind.CATEGORICAL),
        Characteristic("order", np.arange(60.0)),
    ]
    growth = Growth(alpha=0.2, min_size=8, n_permutations=0)
    goes_on = grow(counts, traits, growth)
    assert goes_on.adjusted[0] < goes_on.adjusted[1] < 0.2
    assert goes_on.split is not None
    assert goes_on.split.characteristic == 1
    assert grow(counts, traits, replace(growth, order_free=False)).ending is Ending.NO_CUT


def test_too_few_data_sets_are_not_tested() -> None:
    counts, characteristics, numbers = study(4, 20, 1, step=0.8)
    root = grow(*per_dataset(counts, characteristics, numbers), Growth(n_permutations=19))
    assert root.ending is Ending.UNTESTABLE
    assert np.isnan(root.adjusted).all()


def test_nodes_are_numbered_first_child_first() -> None:
    counts, characteristics, _ = study(60, 1, 3, step=3.0, spread=1.0)
    root = grow(counts, characteristics, Growth(alpha=1.0, min_size=12, n_permutations=0))
    nodes = list(root.walk())
    assert [node.number for node in nodes] == list(range(1, len(nodes) + 1))
    assert len(nodes) > 3
    assert sorted(np.concatenate([leaf.units for leaf in root.leaves()])) == list(range(60))


def test_learning_samples_are_added_up_per_data_set() -> None:
    counts = np.arange(36.0).reshape(4, 3, 3)
    traits = [
        Characteristic("mean", np.array([1.0, 2.0, np.nan, 5.0])),
        Characteristic("code", np.array([1.0, 1.0, np.nan, np.nan]), Kind.CATEGORICAL),
    ]
    summed, typical = per_dataset(counts, traits, np.array([0, 0, 1, 1]))
    assert summed[1] == pytest.approx(counts[2] + counts[3])
    assert typical[0].values.tolist() == [1.5, 5.0]
    assert typical[1].values[0] == 1.0
    assert np.isnan(typical[1].values[1])


def test_characteristics_must_have_a_value_per_unit() -> None:
    with pytest.raises(ValueError, match="'z'"):
        grow(np.ones((4, 1, 3)), [Characteristic("z", np.ones(3))])
