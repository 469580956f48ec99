"""Tables of the sensitivity: settings, pairs that change, ways to draw samples."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.notation import scale
from reportgen.report import Column, Table
from reportgen.sections.sensitivity.figures import numbered, scale_of
from reportgen.sections.sensitivity.result import RESAMPLING, Sensitivity, SensitivityResult

MOST_CANDIDATES = 8  # columns of means
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
    if part.tested:
        yield _power(part, i)
    if len(part.tested) > 1 and any(pair.change != "never" for pair in part.pairs):
        yield _pairs(part, i)
    if part.schemes:
        yield _schemes(part, i)


def _settings(part: Sensitivity, i: int) -> Table:
    """One row a setting: its order, where it can be compared with others', and its means."""
    compared = {row.label for row in part.related}
    names = part.candidates if len(part.candidates) <= MOST_CANDIDATES else ()
    columns = (
        Column("setting", "Setting", "text"),
        Column("order", "Order", "order"),
        *(Column(f"mean_{name}", name, "value") for name in names),
    )
    rows = tuple(
        (
            row.label,
            row.order if row.label in compared else None,
            *(row.means.get(name) for name in names),
        )
        for row in part.settings
    )
    name = numbered("settings", i)
    return Table(name, part.measure.name, columns, rows, scale_of(part), is_wide=len(names) > 3)


def _power(part: Sensitivity, i: int) -> Table:
    """One row a setting: how much there was, as far as it is known, and what it distinguishes."""
    sizes = (("n_learn", "Learnt from"), ("n_test", "Tested on"))
    known = [s for s in sizes if any(getattr(r, s[0]) is not None for r in part.settings)]
    columns = (
        Column("setting", "Setting", "text"),
        Column("replications", "Replications", "count"),
        *(Column(name, words, "number") for name, words in known),
        Column("n_pairs", "Pairs", "count"),
        Column("n_distinguished", "Distinguished", "count"),
        Column("half_width", "Half width", "difference"),
    )
    rows = tuple(
        (
            r.label,
            r.n_replications,
            *(getattr(r, name) for name, _ in known),
            r.n_pairs,
            r.n_distinguished,
            r.half_width,
        )
        for r in part.settings
    )
    widths = (r.half_width for r in part.settings if r.half_width)
    at = scale(part.measure, (*part.all_means, *widths))
    return Table(numbered("power", i), part.measure.name, columns, rows, at)


def _pairs(part: Sensitivity, i: int) -> Table:
    """One row a pair: in how many settings it comes out how, those that turn first."""
    columns = (
        Column("pair", "Pair", "pair"),
        Column("better", "First better in", "count"),
        Column("undecided", "Not distinguished in", "count"),
        Column("worse", "Second better in", "count"),
        Column("least", "Least difference", "difference"),
        Column("greatest", "Greatest difference", "difference"),
    )
    place = ("reversed", "partly", "always", "never")
    pairs = sorted(part.pairs, key=lambda pair: place.index(pair.change))[:MOST_PAIRS]
    rows = tuple(
        (
            (pair.first, pair.second),
            *(len(pair.where(verdict)) for verdict in ("better", "undecided", "worse")),
            min(pair.estimates.values()),
            max(pair.estimates.values()),
        )
        for pair in pairs
    )
    quiet = tuple(pair.change in ("always", "never") for pair in pairs)
    return Table(numbered("pairs", i), part.measure.name, columns, rows, scale_of(part), quiet)


def _schemes(part: Sensitivity, i: int) -> Table:
    """One row a way to draw samples, the others beside the first."""
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
    name = numbered("schemes", i)
    return Table(name, part.measure.name, columns, tuple(rows), scale_of(part))
