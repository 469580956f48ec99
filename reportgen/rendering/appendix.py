"""Tables of the appendix: what failed, what was warned of, what was chosen."""

from __future__ import annotations

from reportgen.document import Column, Design, Table

DATASET = Column("dataset", "Data set", "dataset")
CANDIDATE = Column("candidate", "Candidate", "candidate")


def appendix_tables(design: Design) -> tuple[Table, Table, Table]:
    """Return the tables of failures, warnings and choices; those without rows are not shown."""
    return _failures(design), _warnings(design), _choices(design)


def _failures(design: Design) -> Table:
    columns = (
        DATASET,
        CANDIDATE,
        Column("status", "Status", "text"),
        Column("stage", "Stage", "text"),
        Column("message", "Message", "text"),
        Column("count", "Fits", "count"),
    )
    rows = tuple(
        (f.dataset, f.candidate, f.status, f.stage, f.message, f.count) for f in design.failures
    )
    return Table("failures", "", columns, rows, is_wide=True)


def _warnings(design: Design) -> Table:
    columns = (
        DATASET,
        CANDIDATE,
        Column("message", "Warning", "text"),
        Column("count", "Fits", "count"),
    )
    rows = tuple((w.dataset, w.candidate, w.message, w.count) for w in design.warnings)
    return Table("warnings", "", columns, rows, is_wide=True)


def _choices(design: Design) -> Table:
    columns = (
        DATASET,
        CANDIDATE,
        Column("parameter", "Hyperparameter", "text"),
        Column("mode", "Most often", "text"),
        Column("count", "Fits", "count"),
        Column("n", "of", "count"),
        Column("n_values", "Values", "count"),
        Column("least", "Least", "text"),
        Column("greatest", "Greatest", "text"),
    )
    rows = tuple(
        (
            c.dataset,
            c.candidate,
            c.parameter,
            *(_short(x) for x in (c.mode,)),
            c.count,
            c.n,
            c.n_values,
            _short(c.least),
            _short(c.greatest),
        )
        for c in design.choices
    )
    return Table("choices", "", columns, rows, is_wide=True)


def _short(value: str | None) -> str | None:
    """Write a number with four significant digits, all else as it is."""
    try:
        return value if value is None else f"{float(value):.4g}"
    except ValueError:
        return value
