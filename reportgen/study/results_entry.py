"""What a manifest says of results that exist."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

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

    file: str
    """Tidy CSV or Parquet, relative to the manifest."""
    columns: Columns = Columns()
    characteristics: str | None = None
    """CSV with the data sets' characteristics."""
    problem: Problem | None = None
    resampling: KnownResampling | None = None
    n: dict[Name, Count] = Field(default_factory=dict)
    """Number of observations of each data set."""
