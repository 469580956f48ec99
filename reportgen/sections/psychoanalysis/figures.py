"""Figures of the psychoanalysis: the tree, instability, worths and variation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, plain, told
from reportgen.notation import number, pvalue
from reportgen.sections.psychoanalysis.curves import (
    boxes_of,
    draw_instability,
    draw_variation,
    groups_of,
    label_of,
    shown_tests,
    varying,
)
from reportgen.sections.psychoanalysis.nodes import TreeNode
from reportgen.sections.psychoanalysis.result import Psychoanalysis
from reportgen.sections.psychoanalysis.tree_figure import draw_tree, said

FIVE = ("low", "lower", "median", "upper", "high")


def draw(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the tree, the tests of its root, and how characteristics vary."""
    full = replace(canvas, detail="full", phone=True, dark=False, once=False)
    return tuple(f for found in result.values() for f in _figures(found, full))


def _figures(result: Psychoanalysis, canvas: Canvas) -> Iterator[Figure]:
    if result.tree is not None:
        yield _tree(result, result.tree, canvas)
    if shown_tests(result):
        yield _instability(result, canvas)
    if varying(result):
        yield _variation(result, canvas)


def _tree(result: Psychoanalysis, root: TreeNode, canvas: Canvas) -> Figure:
    columns = ("node", "way", "n", "is_leaf", "candidate", "worth", "log_worth")
    rows = tuple(
        (node.number, _way(node), node.n, not node.children, name, worth, node.log_worths[name])
        for node in root.walk()
        for name, worth in node.worths.items()
    )
    names = told(result.candidates)
    leaves = [
        f"{_way(leaf) or 'all'} ({leaf.n}): "
        + ", ".join(f"{names[k]} {number(leaf.worths[k], 2)}" for k in leaf.order)
        for leaf in root.leaves
    ]
    words = measure_words(result.measure)
    head = f"Tree of worths by {words}, {len(root.leaves)} leaves. "
    return canvas.figure(
        "tree",
        result.measure.name,
        partial(draw_tree, result, root),
        alt=alt_text(head + "; ".join(leaves) + "."),
        data=Series(columns, rows),
    )


def _way(node: TreeNode) -> str:
    return " and ".join(said(c) for c in node.conditions)


def _instability(result: Psychoanalysis, canvas: Canvas) -> Figure:
    tests = shown_tests(result)
    rows = tuple(
        (test.characteristic, float(place), float(height), test.critical_value)
        for test in tests
        for place, height in zip(test.places, test.path, strict=True)
    )
    told_tests = [
        f"{plain(t.characteristic)}: largest {number(t.statistic, 1)}, "
        f"adjusted p {pvalue(t.p_value)}"
        for t in tests
    ]
    return canvas.figure(
        "instability",
        result.measure.name,
        partial(draw_instability, result),
        alt=alt_text("Instability of the worths along " + "; ".join(told_tests) + "."),
        data=Series(("characteristic", "place", "statistic", "critical_value"), rows),
    )


def _variation(result: Psychoanalysis, canvas: Canvas) -> Figure:
    names, groups = varying(result), groups_of(result)
    rows = tuple(
        (name, label_of(result, group), *box)
        for name in names
        for group, box in zip(groups, boxes_of(result, name), strict=True)
        if box is not None
    )
    medians = [
        f"{plain(name)} ({plain(label_of(result, group))}) {number(100 * box[2], 1)}"
        for name in names
        for group, box in zip(groups, boxes_of(result, name), strict=True)
        if box is not None
    ]
    return canvas.figure(
        "variation",
        result.measure.name,
        partial(draw_variation, result),
        alt=alt_text(
            "Median deviation of the learning samples' characteristics in per cent: "
            + "; ".join(medians)
            + "."
        ),
        data=Series(("characteristic", "of", *FIVE), rows),
    )
