"""What a manifest says of results that exist."""

from __future__ import annotations

import logging
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from reportgen.study.faults import fault
from reportgen.study.kinds import FILLED, Count, Name
from reportgen.study.options import Strict
from reportgen.study.resampling_entry import FOLDED, ResamplingEntry
from reportgen.study.staged_entry import StagesEntry
from reportgen.warehouse import Problem

log = logging.getLogger(__name__)


class Columns(Strict):
    """The names that the columns have in the file of results."""

    dataset: str | None = None
    replication: str | Annotated[tuple[str, ...], *FILLED] | None = None
    """One column, or several whose combinations are the replications."""
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
    replication: Literal["rows"] | None = None
    """Where no column tells the replications: the rows of every candidate, in their order."""
    format: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None = None
    """tidy, or whose table it is, such as mlr3; found out when left out."""
    object: str | None = None
    """Which object, of a file that R's save has written."""
    characteristics: str | None = None
    """CSV or Parquet with characteristics by data set, and by replication where samples differ."""
    settings: str | None = None
    """CSV or Parquet with the factors of a design, by data set: each is a setting of it."""
    problem: Problem | None = None
    resampling: ResamplingEntry | None = None
    """How the replications came about, as under setup."""
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
        if self.replication is not None and self.columns.replication is not None:
            found = "replication: rows beside a column of replications"
            raise fault(found, "one of them", at="replication")
        return self

    @field_validator("resampling", mode="before")
    @classmethod
    def _without_replications(cls, value: Any) -> Any:
        """Let the data say how many replications of folds there are, as earlier manifests did."""
        if not (isinstance(value, dict) and value.get("scheme") in FOLDED):
            return value
        if "replications" in value:
            log.warning(
                "results.resampling.replications says nothing that the data and folds do not: "
                "leave it out"
            )
        return {key: given for key, given in value.items() if key != "replications"}

    @field_validator("resampling")
    @classmethod
    def _is_of_results(cls, value: ResamplingEntry | None) -> ResamplingEntry | None:
        """Refuse what only an execution can do."""
        if value is not None and isinstance(value.replications, StagesEntry):
            raise fault("stages of results that exist", "a number", at="replications")
        if value is not None and value.scheme is None:
            allowed = "the scheme by which the samples were drawn, such as k-fold"
            raise fault("nothing", allowed, at="scheme")
        return value

    @property
    def path(self) -> str:
        """The file, of whatever shape."""
        return self.file or self.wide or self.table or ""
