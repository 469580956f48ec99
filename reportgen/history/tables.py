"""Tables of a history: series with their alarms, and versions that changed."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.history.result import History, HistoryRun, HistorySeries
from reportgen.notation import number_format
from reportgen.report import CANDIDATE, DATASET, INTERVAL, MEASURE, Table
from reportgen.stats.columns import Column

MOST_SERIES = 200  # rows of a table; those with the most evidence come first


def tabulate(history: History) -> tuple[Table, ...]:
    """Lay out alarms, the series of each measure, and versions that changed."""
    return (*_alarms(history), *_series(history), *_versions(history))


def _alarms(history: History) -> Iterator[Table]:
    rows = [(series, alarm) for series in history.alarmed for alarm in series.alarms]
    rows.sort(key=lambda row: row[1].run)
    columns = (
        (DATASET, lambda r: r[0].dataset),
        (MEASURE, lambda r: r[0].measure.name),
        (CANDIDATE, lambda r: r[0].candidate),
        (Column("reference", "Against", "candidate"), lambda r: r[0].reference),
        (Column("run", "Run", "count"), lambda r: r[1].run + 1),
        (Column("date", "Date", "text"), lambda r: history.runs[r[1].run].date),
        (Column("outcome", "Is now", "text"), lambda r: "better" if r[1].is_better else "worse"),
    )
    if rows:
        yield Table.of(rows, columns, name="alarms", is_wide=True)


def _series(history: History) -> Iterator[Table]:
    """Lay out one table a measure: the last difference of each series, and its evidence."""
    for measure in history.measures:
        own = [s for s in history.series if s.measure.name == measure.name]
        own.sort(key=lambda series: -series.largest_evidence)
        own = own[:MOST_SERIES]
        is_ratio = any(series.is_ratio for series in own)
        at = number_format(measure, [x for s in own for x in s.estimates], is_ratio=is_ratio)
        label = "Last ratio" if is_ratio else "Last difference"
        columns = (
            DATASET,
            CANDIDATE,
            (Column("n_runs", "Runs", "count"), lambda s: len(s.runs)),
            (Column("last", label, "difference"), lambda s: s.estimates[-1]),
            (INTERVAL, _last_interval),
            (Column("evidence", "Largest evidence", "size"), lambda s: s.largest_evidence),
        )
        yield Table.of(
            own,
            columns,
            name="series",
            measure=measure.name,
            number_format=at,
            quiet=lambda series: not series.alarms,
            is_wide=True,
        )


def _last_interval(series: HistorySeries) -> tuple[float, float] | None:
    lower, upper = series.lower[-1], series.upper[-1]
    return None if lower is None or upper is None else (lower, upper)


def _versions(history: History) -> Iterator[Table]:
    rows = [
        (number, run, change)
        for number, run in enumerate(history.runs, start=1)
        for change in run.changed
    ]

    def run_of(row: tuple[int, HistoryRun, tuple[str, str, str]]) -> str:
        return row[1].date

    columns = (
        (Column("run", "Run", "count"), lambda r: r[0]),
        (Column("date", "Date", "text"), run_of),
        (Column("package", "Package", "text"), lambda r: r[2][0]),
        (Column("before", "Before", "text"), lambda r: r[2][1] or None),
        (Column("after", "After", "text"), lambda r: r[2][2] or None),
    )
    if rows:
        yield Table.of(rows, columns, name="versions")
