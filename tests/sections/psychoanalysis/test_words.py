"""What the psychoanalysis says, held against what it found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.sections.psychoanalysis.figures import tabulate
from reportgen.sections.psychoanalysis.result import NumericSplit, TreeNode
from reportgen.stats.subsamples import SubsampleSupport
from reportgen.warehouse import no_characteristics
from tests.builders import warehouse_of
from tests.sections.psychoanalysis.making import (
    TRIO,
    analysed,
    said_of,
    sampled,
    study,
    told,
    values_of,
    varied,
)
from tests.sections.reading import ERROR, Said, faults


def check(said: Said) -> str:
    """Assert what holds of every text, and return it."""
    assert faults(said.whole) == []
    return said.sections["psychoanalysis"]


def test_who_is_as_large_as_the_largest_is_told() -> None:
    """By two decimals cara's worth is anna's: both have three, and both are named."""
    _, found = told(sampled(study(24, step=0.05)))
    assert found.tree is not None
    low, high = found.tree.children
    near = replace(
        high, worths={"anna": 0.4547, "bert": 0.0983, "cara": 0.447}, order=("anna", "cara", "bert")
    )
    assert "on the others anna has the largest worth (0.455; cara 0.447)." in parted(low, near)


def test_a_break_is_read_aloud() -> None:
    said, found = told(sampled(study(24, step=0.05)))
    text = check(said)
    assert found.tree is not None
    low, high = found.tree.children
    article = said.article["psychoanalysis"]
    cut = f"{found.tree.split.cutpoint:.3f}"  # type: ignore[union-attr]
    assert f"farther from linearly separable (first canonical correlation at most {cut})" in article
    assert f"cara has the largest worth ({low.worths['cara']:.2f})" in article
    assert f"on the others anna has the largest worth ({high.worths['anna']:.2f})." in article
    assert "which they are not" not in text
    assert not said.remarks


def parted(first: TreeNode, second: TreeNode, **changes: Any) -> str:
    """Return what the article says of a tree of these two parts."""
    warehouse = study(24, step=0.05)
    found = analysed(warehouse)
    assert found.tree is not None
    tree = replace(found.tree, children=(first, second))
    said = said_of(warehouse, replace(found, tree=tree, **changes))
    check(said)
    return said.article["psychoanalysis"]


def divided(part: TreeNode, *children: TreeNode) -> TreeNode:
    """Return a part that is divided further."""
    split = NumericSplit("obs.n", 300.0, 0.01, missing_first=False, same=())
    return replace(part, split=split, children=children)


@pytest.fixture(scope="module")
def parts() -> tuple[TreeNode, TreeNode]:
    """Return a part that cara leads and one that anna leads."""
    tree = analysed(study(24, step=0.05)).tree
    assert tree is not None
    return tree.children[0], tree.children[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rising", "falling", "what"),
    [
        (("cara",), (), "cara is preferred so often that its worth has no finite estimate; on"),
        (
            (),
            ("anna",),
            "cara is preferred most often, and anna so seldom that its worth has no finite est",
        ),
        ((), (), "cara is preferred most often, but worths have no finite estimate; on"),
    ],
)
def test_no_worth_is_given_that_a_penalty_makes(
    parts: tuple[TreeNode, TreeNode], rising: tuple[str, ...], falling: tuple[str, ...], what: str
) -> None:
    low, high = parts
    ended = replace(low, is_separated=True, rising=rising, falling=falling)
    text = parted(ended, high)
    assert what in text
    assert f"{low.worths['cara']:.2f}" not in text
    inner = divided(high, replace(high, number=4), replace(ended, number=5))
    text = parted(ended, inner)
    worth = f"{high.worths['anna']:.2f}"
    assert f"anna has the largest worth in node 4 ({worth}) and cara in node 5 (not f" in text


def test_parts_that_are_divided_further_have_the_worths_of_their_parts(
    parts: tuple[TreeNode, TreeNode],
) -> None:
    low, high = parts
    alike = divided(replace(high, worths={"anna": 0.47, "bert": 0.4, "cara": 0.13}), high, high)
    text = parted(low, alike)
    assert "on the others anna has the largest worth in both further parts." in text
    assert "0.47" not in text
    many = divided(high, alike, divided(high, low, alike))
    text = parted(low, many)
    assert "on the others who leads differs between five further parts." in text


def test_a_part_that_is_one_data_set_is_named(parts: tuple[TreeNode, TreeNode]) -> None:
    low, high = (replace(part, datasets={name: 10}) for part, name in zip(parts, "xy", strict=True))
    text = parted(low, high)
    assert "): on x, with classes that are farther from linearly separable (first" in text
    assert "), cara has the largest worth" in text
    assert "; on y anna has the largest worth" in text
    rows = parted(low, high, cluster="none", recurrence=None)
    assert "on learning samples with classes that are farther" in rows


def test_where_rows_are_units_a_tree_is_no_finding() -> None:
    warehouse = study(24, step=0.05)
    found = replace(analysed(warehouse), cluster="none")
    text = check(said_of(warehouse, found))
    assert found.recurrence is not None
    assert "Who does best by misclassification error seems to go with" in text
    assert "Exploratory: a tree of the learning samples." in text
    assert "too few for a finding" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "telling"),
    [
        (0.0, "None of 200 trees of subsamples of the data sets divide by it first: too few"),
        (0.49, "98 of 200 trees of subsamples of the data sets divide by it first: too few"),
        (0.5, "100 of 200 trees of subsamples of the data sets divide by it first: descriptive"),
        (0.8, "160 of 200 trees"),
        (None, "Whether the tree would return cannot be assessed with 24 data sets"),
    ],
)
@pytest.mark.parametrize("is_listed", [True, False])
def test_a_tree_is_a_finding_where_it_returns(
    share: float | None, telling: str, is_listed: bool
) -> None:
    warehouse = study(24, step=0.05)
    found = told(warehouse)[1]
    again = None if share is None else SubsampleSupport(share, 200, 15, 24)
    stability = found.stability if again else None
    found = replace(found, recurrence=again, stability=stability)
    said = said_of(warehouse, found, is_listed=is_listed)
    text = check(said)
    assert telling in text
    hedged = "seems to go with the first canonical correlation (i2r.fcc), adjusted p"
    assert (hedged in text) != found.is_reportable
    assert ("Exploratory: a tree of the data sets." in text) != found.is_reportable
    assert bool(said.article["psychoanalysis"]) == is_listed
    assert bool(said.remarks) != is_listed
    if not is_listed:
        told_shortly = said.remark("Characteristics")
        assert told_shortly.startswith(
            "The tree of Bradley–Terry worths by misclassification error"
        )
        assert "divides by the first canonical correlation (i2r.fcc), adjusted p" in told_shortly
        assert telling in told_shortly


def test_what_could_stand_for_it_is_named() -> None:
    warehouse = study(24, step=0.05)
    table = warehouse.characteristics
    twin = table.assign(twin=-table["i2r.fcc"])
    said, found = told(replace(warehouse, characteristics=twin))
    text = check(said)
    assert found.tree is not None
    split = found.tree.split
    assert split is not None
    assert {split.characteristic, *split.same} == {"i2r.fcc", "twin"}
    other = found.trait(split.same[0])
    same = f"the {other.definition} ({other.name})" if other.definition else other.name
    assert f"These data cannot tell {split.characteristic} from {same}, which would part" in text


def test_nothing_found_is_not_called_alike() -> None:
    said, found = told(study(20, step=0.0, seed=3))
    text = check(said)
    assert found.tree is not None
    assert found.tree.split is None
    article = said.article["psychoanalysis"]
    assert "No characteristic divides the data sets" in article
    own = "origin, a characteristic of the study’s own,"
    assert f"of 3 tested {own} has the smallest adjusted p" in article
    assert "That does not show that they are alike: with 20 only strong effects" in text
    brief = said_of(study(20, step=0.0, seed=3), found, is_listed=False)
    assert "does not divide (smallest adjusted p" in brief.remark("Characteristics")
    check(brief)


def test_rows_are_warned_of() -> None:
    said, found = told(study(4, step=0.05), cluster="none", min_size=5)
    text = check(said)
    assert found.cluster == "none"
    told_first = "The tests take 40 learning samples of four data sets for independent, which they"
    assert told_first in said.article["psychoanalysis"]
    assert "may stand for anything else in which they differ" in text


@pytest.mark.slow
def test_separation_is_said() -> None:
    values = {
        f"d{m}": np.tile([0.1, 0.2, 0.3], (10, 1)) + 0.001 * np.random.default_rng(m).normal()
        for m in range(8)
    }
    table = study(8, step=0.0).characteristics
    said, found = told(replace(warehouse_of({ERROR: values}, TRIO), characteristics=table))
    text = check(said)
    assert found.tree is not None
    assert found.tree.is_separated
    assert "no worth can be estimated" in text
    assert "with a penalty anna leads." in text
    assert "Without finite worths nothing can be tested" in text
    assert "On 8 data sets alone" in text


@pytest.mark.parametrize(
    ("n_datasets", "what"),
    [
        (3, "Three data sets are too few for a test"),
        (2, "Two data sets are too few for a test"),
        (1, "No characteristic differs between data sets, so that none can explain who does best"),
    ],
)
def test_too_few_data_sets_are_said(n_datasets: int, what: str) -> None:
    said, _ = told(study(n_datasets, step=0.05))
    text = check(said)
    assert what in text
    assert "Over all comparisons" in text


def test_candidates_that_a_data_set_lacks_are_named() -> None:
    values, table = values_of(4, step=0.05)
    values["d1"][:, 0] = np.nan
    said, found = told(replace(warehouse_of({ERROR: values}, TRIO), characteristics=table))
    assert found.missing_by_dataset == {"d1": ("anna",)}
    assert (found.n_samples, found.n_dropped) == (40, 0)
    assert "On d1 candidates without a value take no part: anna." in check(said)


def test_it_is_said_how_to_get_characteristics() -> None:
    bare = replace(study(6, step=0.05), characteristics=no_characteristics())
    text = check(told(bare)[0])
    assert "Nothing is known of the data sets themselves" in text
    assert "results: characteristics" in text


def test_categories_are_named() -> None:
    values, _ = {}, None
    rng = np.random.default_rng(2)
    for m in range(24):
        side = 0.05 if m % 2 else -0.05
        values[f"d{m}"] = 0.3 + np.array([-side, 0.0, side]) + 0.04 * rng.normal(size=(10, 3))
    table = study(24, step=0.0).characteristics
    said, found = told(replace(warehouse_of({ERROR: values}, TRIO), characteristics=table))
    text = check(said)
    assert found.tree is not None
    assert found.tree.split is not None
    assert found.tree.split.characteristic == "origin"
    assert "with origin field" in text


def test_settings_of_one_data_set_are_no_sample() -> None:
    said, found = told(varied(24, step=0.05), resamples=0)
    text = check(said)
    assert found.tree is not None
    assert "All 24 are settings of line: the study has chosen them" in text
    assert "What they differ in, x and way, are among the characteristics." in text
    assert "a setting of one counts as a data set" in said.brief_methods
    assert "being a fair sample" not in said.brief_methods
    assert "drawn from the same observations" not in text
    drawn, _ = told(replace(varied(4, step=0.05), problem="real-world"), resamples=0)
    assert "drawn from the same observations are not independent" in check(drawn)
    rows = {row[0]: row for row in tabulate({"": found})[0].rows}
    assert rows["x"][1] == "set by the study"
    assert "var.n" not in rows
    assert "The same everywhere: var.n." in text


def test_candidates_of_one_worth_come_together() -> None:
    values = {f"d{m}": 0.3 + 0.1 * np.random.default_rng(m).normal(size=(10, 3)) for m in range(6)}
    values = {d: np.vstack([x, x[:, [1, 0, 2]]]) for d, x in values.items()}
    values = {d: x + np.array([0, 0, 0.3]) for d, x in values.items()}
    values["d0"][0, 2] = 0  # cara wins once
    values["d0"][10, 2] = 0
    table = study(6, step=0.0).characteristics
    warehouse = replace(warehouse_of({ERROR: values}, TRIO), characteristics=table)
    frame = warehouse.frame.copy()
    frame.loc[(frame["dataset"] == "d1") & frame["replication"].isin([2, 12]), "value"] = np.nan
    said, found = told(replace(warehouse, frame=frame), max_depth=0, resamples=0)
    text = check(said)
    assert found.tree is not None
    worth = f"{found.tree.worths['anna']:.2f}"
    assert found.tree.ranks == (("anna", "bert"), ("cara",))
    assert f"anna and bert share the largest worth ({worth} each) and cara comes last" in text
    assert "2 learning samples without a value of every candidate are left out" in text
    assert "(2 of d1)" in text


def test_no_comparison_has_words() -> None:
    cube = {"d0": np.ones((5, 1)), "d1": np.ones((5, 1))}
    text = check(told(warehouse_of({ERROR: cube}, ("anna",)))[0])
    assert "Only one candidate has values" in text


@pytest.mark.slow
def test_what_goes_with_it_is_named() -> None:
    warehouse = study(24, step=0.05)
    table = warehouse.characteristics
    jitter = 0.08 * np.random.default_rng(1).normal(size=24)
    near = replace(warehouse, characteristics=table.assign(near=jitter - table["i2r.fcc"]))
    said, found = told(near)
    text = check(said)
    assert found.tree is not None
    assert found.tree.split is not None
    assert found.tree.split.alike == ("near",)  # type: ignore[union-attr]
    assert "What matters may also be near, which goes closely with i2r.fcc" in text


@pytest.mark.slow
def test_asymptotic_p_values_of_few_data_sets_are_doubted() -> None:
    said, _ = told(study(24, step=0.0), permutations=0, resamples=0)
    assert faults(said.whole) == []
    caption = "With fewer than 40 data sets asymptotic p-values are too large"
    assert caption in said.sections["psychoanalysis"]
