"""Tables of variation: the difference of the two best source by source, and all subjects."""

from __future__ import annotations

from reportgen.notation import Scale, scale
from reportgen.report import CANDIDATE, PAIR, Column, ColumnOf, Table
from reportgen.sections.variation.result import Halving, SourcePart, Subject, Variation
from reportgen.units import Words

FACTOR = Scale(1.0, "", "", 3)  # of logarithms
WORDS = {"dataset": "data set", "rest": "rest"}


def source_words(source: str) -> str:
    """Return what a source is called.

    Examples
    --------
    >>> source_words("dataset"), source_words("split x seed")
    ('data set', 'split × seed')
    """
    return WORDS.get(source, source.replace(" x ", " × "))


def scale_of(result: Variation, *, is_ratio: bool = False) -> Scale:
    """Return how standard deviations are written: those of differences in their unit."""
    if is_ratio:
        return FACTOR
    subjects = [s for s in result.subjects if not s.is_ratio]
    found = [part.deviation for s in subjects for part in s.parts if part.deviation > 0]
    return scale(result.measure, found)


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

    level = f"{100 * (1 - result.alpha):g}% interval"
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
            Column("n_to_halve", "Levels to halve the interval", "count"),
            lambda p: None if of(p) is None else of(p).n_to_halve,  # type: ignore[union-attr]
        ),
    ]
    return Table.of(
        lead.parts,
        columns,
        name="lead",
        measure=result.measure.name,
        scale=scale_of(result, is_ratio=lead.is_ratio),
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
        scale_of(result, is_ratio=is_ratio),
        is_wide=True,
    )
