"""Figures of the psychoanalysis that no report has by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import Canvas, alt_names, alt_text, measure_words, plain
from reportgen.notation import number, pvalue
from reportgen.report import Figure, Series
from reportgen.sections.psychoanalysis.figures import FIVE, LEAST, condition_words

if TYPE_CHECKING:
    from reportgen.sections.base import Request
    from reportgen.sections.psychoanalysis.result import Psychoanalysis

MOST_LEAVES = 8  # that have room beside one another
MOST_TRACKS = 6  # characteristics, those of the smallest p-values
MOST_PANELS = 30  # data sets on a page


def instability(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> Iterator[Figure]:
    """How the worths drift along characteristics, at the root (Eugster 2011, fig. 5.3a)."""
    from reportgen.sections.psychoanalysis.panels import draw_instability

    for found in canvas.of_measures(result.values()):
        tests = [] if found.tree is None else [t for t in found.tree.tests if len(t.path) > 1]
        tests = tests[:MOST_TRACKS]
        if found.tree is None or not tests:
            continue
        texts = [
            f"{plain(t.characteristic)} up to {number(max(t.path), 2)}, limit "
            f"{number(t.critical_value, 2)}, p {pvalue(t.p_value)}"
            for t in tests
        ]
        rows = tuple(
            (t.characteristic, place, value, t.critical_value)
            for t in tests
            for place, value in zip(t.places, t.path, strict=True)
        )
        yield canvas.figure(
            "instability",
            found.measure.name,
            partial(draw_instability, found.tree, tests, found.alpha),
            alt=alt_text(
                f"Instability of the worths by {measure_words(found.measure)} along "
                f"characteristics: {'; '.join(texts)}."
            ),
            data=Series(("characteristic", "place", "statistic", "critical_value"), rows),
        )


def variation_panels(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> Iterator[Figure]:
    """Relative variation of characteristics, a panel a data set (Eugster 2011, fig. 5.2)."""
    from reportgen.sections.psychoanalysis.panels import draw_variation_panels

    for found in canvas.of_measures(result.values()):
        first = found.schemes[0] if found.schemes else ""
        known = [v for v in found.variation if v.scheme == first and v.middle is not None]
        shown = [v for v in known if max(-(v.low or 0.0), v.high or 0.0) > LEAST]
        datasets = tuple(dict.fromkeys(v.dataset for v in shown))
        names = tuple(dict.fromkeys(v.characteristic for v in shown))
        if not names or len(datasets) > MOST_PANELS:
            continue
        kept = [v for v in known if v.characteristic in names]
        texts = [
            f"{plain(v.dataset)}, {plain(v.characteristic)} {number(100 * (v.middle or 0.0), 1)}"
            for v in kept
        ]
        rows = tuple(
            (v.dataset, v.characteristic, v.low, v.lower, v.middle, v.upper, v.high) for v in kept
        )
        yield canvas.figure(
            "variation-panels",
            found.measure.name,
            partial(draw_variation_panels, kept, datasets, names),
            alt=alt_text(
                "Median deviation of the learning samples’ characteristics from those of their "
                f"{canvas.words('data set')}, in per cent: {'; '.join(texts)}."
            ),
            data=Series(("dataset", "characteristic", *FIVE), rows),
        )


def worth_tree(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> Iterator[Figure]:
    """Tree of nodes with panels of worths (Eugster 2011, fig. 5.3b and 5.5)."""
    from reportgen.sections.psychoanalysis.panels import draw_worth_tree

    for found in canvas.of_measures(result.values()):
        root = found.tree
        if root is None or not 2 <= len(root.leaves) <= MOST_LEAVES:
            continue
        names = alt_names(found.candidates)
        unit = canvas.words("data set" if found.cluster == "dataset" else "learning sample")
        texts = [
            f"{' and '.join(map(condition_words, leaf.conditions))} ({leaf.n}): "
            + ", ".join(f"{names[k]} {number(leaf.worths[k], 2)}" for k in leaf.order)
            for leaf in root.leaves
        ]
        rows = tuple(
            (leaf.number, name, worth)
            for leaf in root.leaves
            for name, worth in leaf.worths.items()
        )
        yield canvas.figure(
            "worth-tree",
            found.measure.name,
            partial(draw_worth_tree, found, root, unit),
            alt=alt_text(
                f"Tree of worths by {measure_words(found.measure)}, leaves from left to right: "
                f"{'; '.join(texts)}."
            ),
            data=Series(("node", "candidate", "worth"), rows),
        )


REQUESTS: Mapping[str, Request] = {
    "instability": instability,
    "variation-panels": variation_panels,
    "worth-tree": worth_tree,
}
