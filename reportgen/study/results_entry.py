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
    columns: Columns = Columns()
    format: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None = None
    """tidy, or whose table it is, such as mlr3; found out when left out."""
    object: str | None = None
    """Which object, of a file that R's save has written."""
    characteristics: str | None = None
    """CSV or Parquet with characteristics by data set, and by replication where samples differ."""
    problem: Problem | None = None
    resampling: KnownResampling | None = None
    n: dict[Name, Count] = Field(default_factory=dict)
    """Number of observations of each data set."""

    @model_validator(mode="after")
    def _one_file(self) -> ResultsEntry:
        if (self.file is None) is (self.wide is None):
            found = "neither file nor wide" if self.file is None else "file and wide"
            raise fault(found, "file (a tidy table) or wide (a column a candidate)")
        return self

    @property
    def path(self) -> str:
        """The file, of whatever shape."""
        return self.file or self.wide or ""
