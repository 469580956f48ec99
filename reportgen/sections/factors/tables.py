"""Tables of two factors: means of all combinations, pairs of levels, and best settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reportgen.notation import Scale
from reportgen.report import ADVANTAGE, P_VALUE, Column, ColumnOf, Table
from reportgen.sections.factors.result import FactorsResult, Setting, SettingPair
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.units import Words

SHARE = Scale(100.0, "%", "pp", 0)
MOST_COLUMNS = 7  # levels that have a column of their own
MOST_PAIRS = 45  # of ten levels; of more those with the best


def tabulate(result: FactorsResult | None) -> tuple[Table, ...]:
    """Lay out the tables."""
    return () if result is None else tuple(_tables(result))


def _tables(result: FactorsResult) -> Iterator[Table]:
    yield _means(result)
    if result.first_pairs is None or result.second_pairs is None:
        return
    yield _pairs("first-level", result, result.first_pairs)
    yield _pairs("second-level", result, result.second_pairs)
    yield _settings(result)
    yield _setting_pairs(result)


def _means(result: FactorsResult) -> Table:
    """One row a level of the first factor, a column a level of the second, if these are few."""
    order = result.measured.better
    if len(result.second_levels) > MOST_COLUMNS:
        rows = [(a, b) for a in result.first_levels for b in result.second_levels]
        columns: list[ColumnOf[tuple[str, str]]] = [
            (Column("first", result.factors[0], "text"), lambda r: Words(r[0])),
            (Column("second", result.factors[1], "text"), lambda r: Words(r[1])),
            (Column("mean", "Mean", "value", order), lambda r: result.means[r[0]][r[1]]),
        ]
        return _table("cells", result, rows, columns)
    by_level: list[ColumnOf[str]] = [(Column("level", result.factors[0], "text"), Words)]
    for k, level in enumerate(result.second_levels):
        by_level.append((Column(f"mean_{k + 1}", level, "value", order), _mean_at(result, level)))
    by_level.append((Column("mean", "Mean", "value", order), lambda a: result.first_means[a]))
    return _table("cells", result, result.first_levels, by_level)


def _mean_at(result: FactorsResult, level: str) -> Callable[[str], float]:
    return lambda a: result.means[a][level]


def _pairs(name: str, result: FactorsResult, table: PairTable) -> Table:
    """One row a pair of levels, the better mean first."""
    smaller = result.measured.is_smaller_better
    levels = result.first_levels if name == "first-level" else result.second_levels
    rows = table.arranged(levels).rows
    if len(rows) > MOST_PAIRS:
        rows = tuple(p for p in rows if p.first == levels[0])

    def advantage(p: Pair) -> tuple[float | None, float | None, float | None]:
        return p.of_second if smaller else (p.estimate, p.lower, p.upper)

    columns: list[ColumnOf[Pair]] = [
        (Column("first", "Level", "text"), lambda p: Words(p.first)),
        (Column("second", "against", "text"), lambda p: Words(p.second)),
        (ADVANTAGE, lambda p: advantage(p)[0]),
        (Column("interval", _level(result), "difference-interval"), lambda p: advantage(p)[1:]),
        (P_VALUE, lambda p: p.adjusted_p_value),
    ]
    return _table(name, result, rows, columns)


def _settings(result: FactorsResult) -> Table:
    """One row a level of the first factor, with its best level of the second."""
    order = result.measured.better
    columns: list[ColumnOf[Setting]] = [
        (Column("level", result.factors[0], "text"), lambda s: Words(s.level)),
        (Column("best", f"Best {result.factors[1]}", "text"), lambda s: Words(s.best)),
        Column("mean", "Its mean", "value"),
        Column("honest", "On the other half", "value", order),
        Column("price", "Price of the choice", "difference"),
        Column("share", "Chosen by halves, %", "value", scale=SHARE),
    ]
    return _table("settings", result, result.settings, columns)


def _setting_pairs(result: FactorsResult) -> Table:
    """One row a pair of levels of the first factor, each with its best level of the second."""
    rows = result.setting_pairs
    if len(rows) > MOST_PAIRS:
        rows = tuple(p for p in rows if p.first == result.best.level)
    columns: list[ColumnOf[SettingPair]] = [
        (Column("first", "Best of", "text"), lambda p: Words(p.first)),
        (Column("second", "against", "text"), lambda p: Words(p.second)),
        (ADVANTAGE, lambda p: p.estimate),
        (
            Column("interval", _level(result), "difference-interval"),
            lambda p: (p.lower, p.upper),
        ),
        (
            Column("naive_interval", "as if given", "difference-interval"),
            lambda p: (p.naive_lower, p.naive_upper),
        ),
    ]
    return _table("setting-pairs", result, rows, columns)


def _level(result: FactorsResult) -> str:
    return f"{100 * (1 - result.alpha):g}% interval"


def _table(name: str, result: FactorsResult, rows: object, columns: object) -> Table:
    return Table.of(
        rows,  # type: ignore[arg-type]
        columns,  # type: ignore[arg-type]
        name=name,
        measure=result.measure,
        scale=result.scale,
        is_wide=True,
    )
