"""The table of expected run times to the hardest target that any run has reached."""

from __future__ import annotations

from reportgen.notation import Scale
from reportgen.report import CANDIDATE, DATASET, Column, ColumnOf, Table
from reportgen.sections.run_time.result import CandidateRuns, ExpectedRunTime, RunTimeResult

WHOLE = Scale(1.0, "", "", 0)

Row = tuple[CandidateRuns, ExpectedRunTime]
Cells = ColumnOf[Row]


def tabulate(result: RunTimeResult | None) -> tuple[Table, ...]:
    """Lay out one row a data set and candidate."""
    if result is None:
        return ()
    rows = [row for dataset in result.datasets for row in result.hardest(dataset)]
    columns: list[Cells] = [
        (DATASET, lambda row: row[0].dataset),
        (Column("target", "Target", "text"), lambda row: f"{row[1].target:g}"),
        (CANDIDATE, lambda row: row[0].candidate),
        (Column("n_runs", "Runs", "count"), lambda row: row[0].n_runs),
        (Column("n_reached", "Reached", "count"), lambda row: row[1].n_reached),
        (
            Column("evaluations", "Evaluations", "value", scale=WHOLE),
            lambda row: row[1].evaluations,
        ),
    ]
    if any(row[1].interval for row in rows):
        interval = Column("interval", "Interval", "interval", scale=WHOLE)
        columns.append((interval, lambda row: row[1].interval or (None, None)))
    return (Table.of(rows, columns, name="expected", scale=WHOLE),) if rows else ()
