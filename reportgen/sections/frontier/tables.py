"""Tables of the frontier: means, intervals and worst values by both measures."""

from __future__ import annotations

from reportgen.notation import RATIOS, Scale
from reportgen.report import CANDIDATE, Column, ColumnOf, Table
from reportgen.sections.frontier.figures import mean_words, scales, short_words
from reportgen.sections.frontier.result import Frontier, FrontierResult, Place


def tabulate(result: FrontierResult) -> tuple[Table, ...]:
    """Lay out a table a measure, one row a candidate, the best by that measure first."""
    return tuple(_table(found) for found in result.against.values())


def _table(found: Frontier) -> Table:
    at_main, at = scales(found)
    is_domain = found.is_domain
    other, main = (short_words(found, is_main=is_main) for is_main in (False, True))
    columns: list[ColumnOf[Place]] = [
        CANDIDATE,
        (_column("mean", mean_words(found, is_main=False), at), lambda p: p.other.mean),
        (
            Column("interval", f"{100 * (1 - found.alpha):g}% interval", "interval"),
            lambda p: p.other.interval,
        ),
    ]
    if found.scale == "ratio":
        best = "fastest" if found.is_time else "best"
        columns.append(
            (
                Column("ratio", f"Times the {best}", "difference", scale=RATIOS),
                lambda p: p.times_best,
            )
        )
    columns += [
        (
            _column("worst", "slowest" if found.is_time else f"worst {other}", at),
            lambda p: p.other.worst,
        ),
        (_column("main", mean_words(found, is_main=True), at_main), lambda p: p.main.mean),
        (_column("main_worst", f"worst {main}", at_main), lambda p: p.main.worst),
    ]
    if is_domain:
        columns.append((Column("main_worst_on", "On", "dataset"), lambda p: p.main.worst_on))
    return Table.of(
        found.places,
        columns,
        name="frontier",
        measure=found.measure.name,
        scale=at,
        is_wide=True,
    )


def _column(name: str, words: str, at: Scale) -> Column:
    """Return a column of values, with the unit in its head."""
    unit = f", {at.unit}" if at.unit else ""
    label = words[:1].upper() + words[1:] + unit
    return Column(name, label, "value", scale=at)
