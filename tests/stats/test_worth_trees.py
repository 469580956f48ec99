"""Trees of worths with rows as units, against R's psychotree (tests/golden/worth_trees.R)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.stats.worths.bradley_terry import BradleyTerry
from reportgen.stats.worths.comparisons import compare, indicators
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic, Growth, Node, grow

GOLDEN = json.loads(
    (Path(__file__).resolve().parent.parent / "golden" / "worth_trees.json").read_text()
)
CASES = [name for name in GOLDEN if name != "_how"]
EXACT = 1e-6  # what R's scoring iterations leave to the maximum
P_VALUE = 1e-6
RELATIVE = 1e-5  # of p-values, also of tiny ones
N_SIMULATED = 100_000  # R simulates the law of ordinal characteristics; ours is exact


def grown(case: dict[str, Any]) -> tuple[Node, list[Characteristic]]:
    """Grow the tree of a case as R does: rows that lack any characteristic are left out."""
    traits = [
        Characteristic(name, np.array(trait["values"], dtype=float), Kind(trait["kind"]))
        for name, trait in case["traits"].items()
    ]
    known = ~np.isnan([trait.values for trait in traits]).any(axis=0)
    traits = [Characteristic(t.name, t.values[known], t.kind) for t in traits]
    counts = indicators(compare(np.array(case["errors"], dtype=float)[known]))
    growth = Growth(
        case["settings"].get("alpha", 0.05),
        case["settings"]["minsize"],
        order_free=False,
        n_permutations=0,
    )
    return grow(counts, traits, growth), traits


def assert_model(model: BradleyTerry, numbers: dict[str, Any]) -> None:
    """Compare the worths of a node."""
    assert model.parameters == pytest.approx(numbers["parameters"], abs=EXACT)
    assert model.covariance == pytest.approx(np.array(numbers["covariance"]), abs=EXACT)
    assert model.log_likelihood == pytest.approx(numbers["log_likelihood"], abs=EXACT)
    assert model.worths == pytest.approx(numbers["worths"], abs=EXACT)


def assert_tests(node: Node, traits: list[Characteristic], numbers: dict[str, Any]) -> None:
    """Compare the tests of a node."""
    p_values = numbers["p_values"]
    for trait, test, adjusted in zip(traits, node.tests, node.adjusted, strict=bool(node.tests)):
        expected = p_values[trait.name]
        assert (test is None) == (expected is None)
        if test is None or expected is None:
            continue
        assert test.statistic == pytest.approx(numbers["statistics"][trait.name], rel=EXACT)
        if trait.kind is Kind.ORDINAL:
            error = len(traits) * np.sqrt(test.p_value * (1 - test.p_value) / N_SIMULATED)
            assert adjusted == pytest.approx(expected, abs=4 * error)
        else:
            assert adjusted == pytest.approx(expected, rel=RELATIVE, abs=0)


def assert_split(node: Node, traits: list[Characteristic], numbers: dict[str, Any]) -> None:
    """Compare how a node is divided."""
    assert (node.split is None) == (numbers["variable"] is None)
    if node.split is None:
        return
    assert traits[node.split.characteristic].name == numbers["variable"]
    if node.split.kind is Kind.CATEGORICAL:
        sides = {int(code): 1 for code in node.split.first}
        sides |= {int(code): 2 for code in node.split.second}
        theirs = {code: side for code, side in enumerate(numbers["index"]) if code in sides}
        assert sides in (theirs, {code: 3 - side for code, side in theirs.items()})
    else:
        ranks = node.split.kind is Kind.ORDINAL  # R counts classes from one
        assert node.split.cut + ranks == pytest.approx(numbers["cut"])
    assert [child.number for child in node.children] == numbers["kids"]


@pytest.mark.parametrize("name", CASES)
def test_rows_as_units_give_the_tree_of_r(name: str) -> None:
    root, traits = grown(GOLDEN[name])
    nodes = {node.number: node for node in root.walk()}
    assert sorted(nodes) == [numbers["number"] for numbers in GOLDEN[name]["nodes"]]
    for numbers in GOLDEN[name]["nodes"]:
        node = nodes[numbers["number"]]
        assert len(node.units) == numbers["n"]
        assert_model(node.model, numbers)
        if numbers["p_values"]:
            assert_tests(node, traits, numbers)
        else:
            assert all(test is None for test in node.tests)
        assert_split(node, traits, numbers)
