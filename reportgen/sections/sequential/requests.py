"""Figures of the monitoring, all on request: tracks of p-values, and stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import Canvas, alt_text, measure_words, plain
from reportgen.notation import pvalue
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from reportgen.sections.base import Request
    from reportgen.sections.sequential.result import SequentialResult

MOST = 30  # pairs that have room


def p_track(result: SequentialResult, canvas: Canvas) -> Iterator[Figure]:
    """p-values of the pairs while replications accumulate (Eugster 2011, fig. 6.1b)."""
    from reportgen.sections.sequential.tracks import draw_tracks

    for found in canvas.of_measures(result.values()):
        pairs = [pair for pair in found.by_advantage if pair.p_values]
        if not 1 <= len(pairs) <= MOST:
            continue
        texts = [
            f"{plain(pair.first or '')} against {plain(pair.second or '')} "
            + (
                "not significant for good"
                if pair.point_of_consecutive_significance is None
                else f"significant for good from {pair.point_of_consecutive_significance} on"
            )
            + f", last p {pvalue(pair.p_values[-1])}"
            for pair in pairs
        ]
        rows = tuple(
            (pair.first, pair.second, n, p)
            for pair in pairs
            for n, p in zip(pair.replication, pair.p_values, strict=True)
        )
        yield canvas.figure(
            "p-track",
            found.measure.name,
            partial(draw_tracks, pairs),
            alt=alt_text(
                f"p-values of pairs by {measure_words(found.measure)} after each of "
                f"{found.n_replications} {canvas.words('replications')}: {'; '.join(texts)}."
            ),
            data=Series(("first", "second", "replication", "p_value"), rows),
        )


def stages(result: SequentialResult, canvas: Canvas) -> Iterator[Figure]:
    """p-values of the stages and their bounds, a panel a pair (Eugster 2011, fig. 6.5 and 6.6)."""
    from reportgen.sections.sequential.tracks import draw_stages

    for found in canvas.of_measures(result.values()):
        pairs = [pair for pair in found.by_advantage if pair.stages]
        if not 1 <= len(pairs) <= MOST:
            continue
        texts = [
            f"{plain(pair.first or '')} against {plain(pair.second or '')}: "
            + ", ".join(f"{pvalue(s.p_value)} at {s.replication} ({s.decision})"
                        for s in pair.stages)
            for pair in pairs
        ]  # fmt: skip
        rows = tuple(
            (
                *(pair.first, pair.second, s.replication, s.p_value),
                *(s.alpha_1, s.alpha_0, s.c, s.decision),
            )
            for pair in pairs
            for s in pair.stages
        )
        columns = (
            "first",
            "second",
            "replication",
            "p_value",
            "alpha_1",
            "alpha_0",
            "c",
            "decision",
        )
        yield canvas.figure(
            "stages",
            found.measure.name,
            partial(draw_stages, pairs, found.combination),
            alt=alt_text(
                f"p-values of the stages by {measure_words(found.measure)}: {'; '.join(texts)}."
            ),
            data=Series(columns, rows),
        )


REQUESTS: Mapping[str, Request] = {"p-track": p_track, "stages": stages}
