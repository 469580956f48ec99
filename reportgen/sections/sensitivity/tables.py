"""Tables of the sensitivity: settings, levels, pairs that change, ways to draw samples."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from reportgen.notation import Scale, scale
from reportgen.report import ORDER, PAIR, Column, ColumnOf, Table, entry
from reportgen.sections.sensitivity.figures import number_name, scale_of
from reportgen.sections.sensitivity.result import (
    RESAMPLING,
    LevelMean,
    PairChange,
    Sensitivity,
    SensitivityResult,
    SettingRow,
)

MOST_PAIRS = 60


def tabulate(result: SensitivityResult) -> tuple[Table, ...]:
    """Lay out the tables of every measure and data set."""
    return tuple(
        table
        for parts in result.values()
        for i, part in enumerate(parts.values())
        for table in _tables(part, i)
    )


def _tables(part: Sensitivity, i: int) -> Iterator[Table]:
    yield _settings(part, i)
    yield _means(part, i)
    yield _levels(part, i)
    if len(part.tested) > 1 and any(pair.change != "never" for pair in part.pairs):
        yield _pairs(part, i)
    if part.schemes:
        yield _schemes(part, i)


def _settings(part: Sensitivity, i: int) -> Table:
    """One row a setting: sizes, pairs decided, and its order where that can be compared."""
    compared = {row.label for row in part.related}
    sizes = (("n_learn", "Learnt from"), ("n_test", "Tested on"))
    known = [s for s in sizes if any(getattr(r, s[0]) is not None for r in part.settings)]
    columns: list[ColumnOf[SettingRow]] = [
        (Column("setting", "Setting", "text"), lambda row: row.label),
        (Column("replications", "Replications", "count"), lambda row: row.n_replications),
        *((Column(name, words, "number"), attrgetter(name)) for name, words in known),
    ]
    if part.tested:
        columns += [
            Column("n_pairs", "Pairs", "count"),
            Column("n_distinguished", "Significant", "count"),
            Column("half_width", "Half width", "difference"),
        ]
    columns.append((ORDER, lambda r: r.order if r.label in compared else None))
    return Table.of(
        part.settings,
        columns,
        name=number_name("settings", i),
        measure=part.measure.name,
        scale=_scale_of_widths(part),
        is_wide=True,
    )


def _scale_of_widths(part: Sensitivity) -> Scale:
    """Return how means and half widths are written on one scale."""
    widths = (row.half_width for row in part.settings if row.half_width)
    return scale(part.measure, (*part.all_means, *widths))


def _means(part: Sensitivity, i: int) -> Table:
    """One row a setting: the mean of every candidate."""
    columns: list[ColumnOf[SettingRow]] = [
        (Column("setting", "Setting", "text"), lambda row: row.label),
        *(
            (Column(f"mean_{name}", name, "value"), entry("means", name))
            for name in part.candidates
        ),
    ]
    name, measure = number_name("means", i), part.measure.name
    return Table.of(part.settings, columns, name=name, measure=measure, scale=scale_of(part))


def _levels(part: Sensitivity, i: int) -> Table:
    """One row a level of a factor: what is decided, and means, averaged over all else."""
    names = part.by_level
    columns: list[ColumnOf[LevelMean]] = [
        (Column("level", "Level", "text"), attrgetter("label")),
        Column("n_settings", "Settings", "count"),
    ]
    if part.tested:
        columns += [
            (Column("share", "Significant, %", "number"), lambda x: x.share and 100 * x.share),
            Column("half_width", "Half width", "difference"),
        ]
    columns += [(Column(f"mean_{name}", name, "value"), entry("means", name)) for name in names]
    return Table.of(
        [level for factor in part.factors for level in part.of_factor(factor.name)],
        columns,
        name=number_name("levels", i),
        measure=part.measure.name,
        scale=_scale_of_widths(part),
        is_wide=len(names) > 3,
    )


def _pairs(part: Sensitivity, i: int) -> Table:
    """One row a pair: in how many settings it comes out how, those that turn first."""
    columns: list[ColumnOf[PairChange]] = [
        (PAIR, lambda p: (p.first, p.second)),
        (Column("better", "First better in", "count"), lambda p: len(p.where("better"))),
        (Column("undecided", "Not significant in", "count"), lambda p: len(p.where("undecided"))),
        (Column("worse", "Second better in", "count"), lambda p: len(p.where("worse"))),
        (
            Column("least", "Least advantage", "difference"),
            lambda p: min(part.advantages(p, *p.estimates.values())),
        ),
        (
            Column("greatest", "Greatest advantage", "difference"),
            lambda p: max(part.advantages(p, *p.estimates.values())),
        ),
    ]
    place = ("reversed", "partly", "always", "never")
    return Table.of(
        sorted(part.pairs, key=lambda pair: place.index(pair.change))[:MOST_PAIRS],
        columns,
        name=number_name("pairs", i),
        measure=part.measure.name,
        scale=scale_of(part),
        quiet=lambda pair: pair.change in ("always", "never"),
    )


def _schemes(part: Sensitivity, i: int) -> Table:
    """One row a way to draw samples; the first is the one the others are compared with."""
    columns = (
        Column("scheme", "Samples", "text"),
        Column("share", "Distinct, % of all", "number"),
        Column("difference", "Mean against the first", "difference"),
        Column("sd_ratio", "Spread, ratio", "number"),
        Column("width_ratio", "Width, ratio", "number"),
        Column("n_changed", "Pairs otherwise", "count"),
        Column("n_compared", "of", "count"),
    )
    effects = {effect.scheme: effect for effect in part.schemes}
    rows = []
    for level in part.of_factor(RESAMPLING):
        scheme = str(level.level)
        known = [r.share_learned for r in part.settings if r.levels.get(RESAMPLING) == level.level]
        shares = [100 * share for share in known if share is not None]
        share = sum(shares) / len(shares) if shares else None
        e = effects.get(scheme)
        found = (e.difference, e.sd_ratio, e.width_ratio) if e else (None, None, None)
        compared = (e.n_changed, e.n_compared) if e and e.n_compared else (None, None)
        rows.append((scheme, share, *found, *compared))
    name = number_name("schemes", i)
    return Table(name, part.measure.name, columns, tuple(rows), scale_of(part))
