"""What a manifest says of results that exist."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from reportgen.study.faults import fault
from reportgen.study.kinds import Count, Name
from reportgen.study.options import Strict
from reportgen.warehouse import Problem


class KnownResampling(Strict):
    """How the replications of imported results came about."""

    scheme: Literal["bootstrap", "subsampling", "k-fold", "repeated-k-fold", "hold-out"]
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    folds: Annotated[int, Field(ge=2)] | None = None
    replications: Count | None = None


class Columns(Strict):
    """The names that the columns have in the file of results."""

    dataset: str | None = None
    replication: str | None = None
    candidate: str | None = None
    measure: str | None = None
    value: str | None = None
    status: str | None = None
    n_learn: str | None = None
    n_distinct: str | None = None
    n_test: str | None = None


class ResultsEntry(Strict):
    """Results that exist, in place of a setup."""

    file: str | None = None
    """A tidy table, or one that another program has written, relative to the manifest: CSV,
    Parquet, JSON, RData; or a folder of results of aeon."""
    wide: str | None = None
    """In its place: CSV or Parquet with a row a data set and a column a candidate."""
    table: str | None = None
    """In its place: CSV or Parquet with any table of numbers, which is no experiment; for the
    section archetypes."""
    label: str | None = None
    """The column of a table that names its rows; left out: the first one without numbers."""
    columns: Columns = Columns()
    format: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None = None
    """tidy, or whose table it is, such as mlr3; found out when left out."""
    object: str | None = None
    """Which object, of a file that R's save has written."""
    characteristics: str | None = None
    """CSV or Parquet with characteristics by data set, and by replication where samples differ."""
    settings: str | None = None
    """CSV or Parquet with the factors of a design, by data set: each is a setting of it."""
    problem: Problem | None = None
    resampling: KnownResampling | None = None
    n: dict[Name, Count] = Field(default_factory=dict)
    """Number of observations of each data set."""

    @model_validator(mode="after")
    def _one_file(self) -> ResultsEntry:
        given = [name for name in ("file", "wide", "table") if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of file, wide and table"
            allowed = "file (a tidy table), wide (a column a candidate)"
            raise fault(found, f"one of {allowed}, table (rows of numbers)")
        if self.label is not None and self.table is None:
            raise fault("label without table", "label beside table")
        return self

    @property
    def path(self) -> str:
        """The file, of whatever shape."""
        return self.file or self.wide or self.table or ""
