"""Scores against battles: a mark a candidate with the intervals of both, and tables of both."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reportgen.drawing import Canvas, alt_names, alt_text, with_unit
from reportgen.notation import number_format
from reportgen.report import CANDIDATE, ColumnOf, Figure, Series, Table
from reportgen.sections.agreement.analysis import AgreementResult, PairAgreement, Standing
from reportgen.sections.frontier.analysis import Location
from reportgen.sections.frontier.figures import draw_plane, mean_words, number_formats
from reportgen.stats.columns import Column
from reportgen.units import Words

MOST_PAIRS = 66  # of a dozen candidates; of more those of opposite decisions alone
TOGETHER = {"same": "alike", "opposite": "oppositely", "one": "one of them", "none": "open"}


def draw(result: AgreementResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw where candidates stand by both."""
    return () if result is None else (_figure(result, replace(canvas, phone=True, once=False)),)


def _figure(result: AgreementResult, canvas: Canvas) -> Figure:
    plane = result.plane
    names = alt_names([p.candidate for p in plane.places])
    at_main, at = number_formats(plane)
    words = mean_words(plane, is_main=True)
    head = f"{words[0].upper()}{words[1:]} against {mean_words(plane, is_main=False)} of battles: "
    means = [
        f"{names[p.candidate]} {with_unit(at_main, p.main.mean)}, {with_unit(at, p.other.mean)}"
        for p in plane.places
    ]
    parts = ("mean", "lower", "upper")
    columns = ("candidate", *(f"{by}_{part}" for by in ("main", "elo") for part in parts))
    rows = tuple((p.candidate, *_numbers(p.main), *_numbers(p.other)) for p in plane.places)
    return canvas.figure(
        "agreement",
        result.measures[0],
        partial(draw_plane, plane),
        alt=alt_text(f"{head}{'; '.join(means)}.", f"{head}{len(means)} candidates."),
        data=Series(columns, rows),
    )


def _numbers(found: Location) -> tuple[float | None, ...]:
    return (found.mean, *(found.interval or (None, None)))


def tabulate(result: AgreementResult | None) -> tuple[Table, ...]:
    """Lay out the candidates, and their pairs."""
    return () if result is None else (_standings(result), _pairs(result))


def _standings(result: AgreementResult) -> Table:
    """One row a candidate, the best score first."""
    plane = result.plane
    written = number_format(plane.measure, [s.elo for s in result.standings])
    columns: list[ColumnOf[Standing]] = [
        CANDIDATE,
        Column("mean", "Mean", "value", plane.main_measure.better),
        (Column("ranks", "Ranks by scores", "text"), lambda s: Words(_range(s.ranks))),
        Column("elo", "Elo", "value", "larger", number_format=written),
        (Column("elo_ranks", "Ranks by battles", "text"), lambda s: Words(_range(s.elo_ranks))),
        Column("n", "Battles", "count"),
    ]
    return Table.of(
        result.standings,
        columns,
        name="standings",
        measure=result.measures[0],
        number_format=number_format(plane.main_measure, [s.mean for s in result.standings]),
    )


def _pairs(result: AgreementResult) -> Table:
    """One row a pair, the better score first: whom both decide better."""
    rows = result.pairs if len(result.pairs) <= MOST_PAIRS else result.opposite
    columns: list[ColumnOf[PairAgreement]] = [
        (Column("first", "Candidate", "candidate"), lambda p: p.first),
        (Column("second", "against", "candidate"), lambda p: p.second),
        (Column("own", "Better by scores", "text"), lambda p: Words(p.better[0] or "open")),
        (Column("other", "Better by battles", "text"), lambda p: Words(p.better[1] or "open")),
        (Column("together", "Decided", "text"), lambda p: Words(TOGETHER[p.together])),
    ]
    return Table.of(
        rows,
        columns,
        name="agreement-pairs",
        measure=result.measures[0],
        number_format=number_format(result.plane.main_measure, [0.0, 1.0]),
    )


def _range(ranks: tuple[int, int]) -> str:
    low, high = ranks
    return str(low) if low == high else f"{low}–{high}"
