"""The standard deviation that each source adds, with its interval; and tables of the sources."""

from __future__ import annotations

from functools import partial

from reportgen.drawing import Canvas, Sheet, ValueAxis, alt_text, axis_words, fit_axis
from reportgen.drawing.plots.rows import PX, Panel, RowColumn, RowPlot, draw_rows
from reportgen.notation import NumberFormat, level_words, number, number_format
from reportgen.report import CANDIDATE, PAIR, ColumnOf, Figure, Series, Table
from reportgen.sections.variation.analysis import Halving, SourcePart, Subject, Variation
from reportgen.stats.columns import Column
from reportgen.units import Words

ROW = 22 * PX  # pt: height of a row
FARTHEST = 2.5  # times the largest estimate, up to which an interval is drawn

FACTOR = NumberFormat(1.0, "", "", 3)  # of logarithms
WORDS = {"dataset": "data set", "rest": "rest"}


def draw(result: dict[str, Variation], canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the components of the difference of the two best, measure by measure."""
    return tuple(
        _components(own, subject, canvas)
        for own in result.values()
        if (subject := own.of_lead or (own.subjects[0] if own.subjects else None)) is not None
    )


def _components(result: Variation, subject: Subject, canvas: Canvas) -> Figure:
    at = number_format_of(result, is_ratio=subject.is_ratio)
    told = [f"{source_words(p.source)} {at.value(p.deviation)}" for p in subject.parts]
    rows = [
        (" - ".join(s.candidates), p.source, p.deviation, p.lower, p.upper, p.share)
        for s in result.subjects
        for p in s.parts
    ]
    return canvas.figure(
        "components",
        result.measure.name,
        partial(_draw, result, subject, at),
        alt=alt_text(
            f"Standard deviations of {' less '.join(subject.candidates)} by source: "
            f"{', '.join(told)}."
        ),
        data=Series(("subject", "source", "deviation", "lower", "upper", "share"), tuple(rows)),
    )


def _draw(result: Variation, subject: Subject, at: NumberFormat, sheet: Sheet) -> None:
    parts = subject.parts
    shares = tuple(f"{number(100 * p.share, 0)}%" for p in parts)
    widths = tuple(at.value(p.deviation) for p in parts)
    largest = max((p.deviation for p in parts), default=0.0)
    others = () if subject.is_ratio else result.of_candidates
    every = [p.deviation for s in others for p in s.parts]
    most = FARTHEST * max([largest, *every])
    columns = (
        RowColumn("standard deviation", widths, widths, is_strong=(True,) * len(parts)),
        RowColumn("of the variance", shares, shares, is_spare=True),
    )
    unit = at.difference_unit if not subject.is_ratio else ""
    draw_rows(
        RowPlot(
            rows=[(source_words(p.source),) for p in parts],
            columns=columns,
            fit=partial(_fit, parts, every, most, at),
            draw=partial(_draw_row, result, subject, others, most, at),
            title=lambda axis, _: axis_words(
                result.measure, axis, unit, before="standard deviation, "
            ),
            row=ROW,
            has_grid=True,
            is_of_candidates=False,
        ),
        sheet,
    )


def _fit(
    parts: tuple[SourcePart, ...],
    every: list[float],
    most: float,
    at: NumberFormat,
    length: float,
    gap: float,
) -> ValueAxis:
    ends = [0.0, *every, *(p.deviation for p in parts)]
    ends += [min(p.upper, most) for p in parts if p.upper is not None]
    return fit_axis([at.factor * x for x in ends], length, gap, may_be_log=False)


def _draw_row(
    result: Variation,
    subject: Subject,
    others: tuple[Subject, ...],
    most: float,
    at: NumberFormat,
    panel: Panel,
    i: int,
    y: float,
) -> None:
    """Draw the interval and mark of a source; small open marks are of the candidates."""
    part = subject.parts[i]
    ink, paper = panel.sheet.colour("ink"), panel.sheet.colour("paper")
    middle = float(panel.axis.drawn([at.factor * part.deviation])[0])
    if part.lower is not None and part.upper is not None:
        ends = [at.factor * part.lower, at.factor * min(part.upper, most)]
        lower, upper = panel.axis.drawn(ends).tolist()
        panel.hline(lower, upper, y, "ink", zorder=3)
    for other in others:
        own = next((p for p in other.parts if p.source == part.source), None)
        if own is not None:
            x = float(panel.axis.drawn([at.factor * own.deviation])[0])
            edge = panel.sheet.colour("ink2")
            panel.mark(x, y, 4.5 * PX, paper, edge, 1.2 * PX, zorder=3.5)
    panel.mark(middle, y, 7.2 * PX, ink, ink, 1.2 * PX)


def source_words(source: str) -> str:
    """Return what a source is called.

    Examples
    --------
    >>> source_words("dataset"), source_words("split x seed")
    ('data set', 'split × seed')
    """
    return WORDS.get(source, source.replace(" x ", " × "))


def number_format_of(result: Variation, *, is_ratio: bool = False) -> NumberFormat:
    """Return how standard deviations are written: those of differences in their unit."""
    if is_ratio:
        return FACTOR
    subjects = [s for s in result.subjects if not s.is_ratio]
    found = [part.deviation for s in subjects for part in s.parts if part.deviation > 0]
    return number_format(result.measure, found)


def tabulate(result: dict[str, Variation]) -> tuple[Table, ...]:
    """Lay out the lead's components and those of every subject, measure by measure."""
    return tuple(table for own in result.values() for table in _of_measure(own))


def _of_measure(result: Variation) -> list[Table]:
    found = [] if result.of_lead is None else [_lead(result, result.of_lead)]
    if result.of_candidates:
        found.append(_subjects(result, result.of_candidates, "candidates"))
    if len(result.pairs) > 1:
        found.append(_subjects(result, result.pairs, "pairs"))
    return found


def _lead(result: Variation, lead: Subject) -> Table:
    """One row a source: what it adds, and whether more of it narrows the interval."""
    more = {h.source: h for h in result.halving}

    def of(part: SourcePart) -> Halving | None:
        return more.get(part.source)

    level = f"{level_words(result.alpha)} interval"
    columns: list[ColumnOf[SourcePart]] = [
        (Column("source", "Source", "text"), lambda p: Words(source_words(p.source))),
        Column("deviation", "Standard deviation", "difference"),
        (
            Column("interval", level, "interval"),
            lambda p: None if p.lower is None or p.upper is None else (p.lower, p.upper),
        ),
        (Column("share", "Of the variance, %", "number"), lambda p: 100 * p.share),
        (Column("n", "Levels", "count"), lambda p: None if of(p) is None else of(p).n),  # type: ignore[union-attr]
        (
            Column("of_error", "Of the error, %", "number"),
            lambda p: None if of(p) is None else 100 * of(p).share,  # type: ignore[union-attr]
        ),
        (
            Column("n_to_halve", "Levels to halve", "count"),
            lambda p: None if of(p) is None else of(p).n_to_halve,  # type: ignore[union-attr]
        ),
    ]
    return Table.of(
        lead.parts,
        columns,
        name="lead",
        measure=result.measure.name,
        number_format=number_format_of(result, is_ratio=lead.is_ratio),
        is_wide=True,
    )


def _subjects(result: Variation, subjects: tuple[Subject, ...], name: str) -> Table:
    """One row a candidate or pair: the standard deviation of each source."""
    is_pair = name == "pairs"
    first = PAIR if is_pair else CANDIDATE
    sources = result.sources
    rows = []
    for subject in subjects:
        own = {part.source: part.deviation for part in subject.parts}
        head = subject.candidates if is_pair else subject.candidates[0]
        method = Words("mean squares" if subject.method == "mean-squares" else "REML")
        rows.append((head, *(own.get(source) for source in sources), subject.n, method))
    columns = (
        first,
        *(Column(f"sd_{s.replace(' ', '_')}", source_words(s), "difference") for s in sources),
        Column("n", "Values", "count"),
        Column("method", "By", "text"),
    )
    is_ratio = any(s.is_ratio for s in subjects)
    return Table(
        name,
        result.measure.name,
        columns,
        tuple(rows),
        number_format_of(result, is_ratio=is_ratio),
        is_wide=True,
    )
