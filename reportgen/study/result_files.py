"""The files in which results are: by the endings of their names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

TEXT, PARQUET, JSON = (".csv", ".tsv", ".txt"), (".parquet", ".pq"), (".json",)
R_DATA = (".rdata", ".rda", ".rds")
LOGS = (".jsonl", ".eval", ".info", ".js", ".out", ".bench")
SHEETS, DATABASES = (".xlsx", ".xlsm", ".ods"), (".db", ".sqlite", ".sqlite3")
LATEX, MARKDOWN = (".tex",), (".md", ".markdown")
PACKED, LINES = (".gz",), (".jsonl",)
KINDS = (*TEXT, *PARQUET, *JSON, *LOGS, *R_DATA, *SHEETS, *LATEX, *MARKDOWN, *DATABASES, *PACKED)
MAY_BE_PACKED = (*TEXT, *JSON, *LINES)
HAS_OBJECTS = (".rdata", ".rda", *SHEETS, *DATABASES)
MAY_BE_LOGS = (*JSON, *LOGS, ".txt")
SHOWS_ITS_PROGRAM = (".js", ".out")
"""Logs with endings that other files have, too: only the first line tells."""
IN_FOLDERS = (
    *(f"*{suffix}" for suffix in (*JSON, *LOGS) if suffix not in SHOWS_ITS_PROGRAM),
    "params/*",
    ".hydra/config.yaml",
)
"""What folders of logs, and of runs of MLflow and Hydra, have."""


def tables_in(folder: Path) -> list[Path]:
    """Return the tables in a folder, of the first kind of text that it has several of."""
    for suffix in TEXT[:2]:
        found = sorted(folder.glob(f"*{suffix}"))
        if len(found) > 1:
            return found
    return []


def of_tables(folder: Path, tables: Sequence[Path]) -> str:
    """Say what to do with a folder of tables that belong to no program."""
    return (
        f"found a folder of {len(tables)} tables; allowed one table, as reportgen import "
        f"{folder}/*{tables[0].suffix} -o results.parquet makes it (with --column candidate=file "
        "where each file has one candidate)"
    )
