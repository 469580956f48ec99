"""The schema of data sets, and of results that exist."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from itertools import pairwise, product
from math import prod
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from reportgen.performance_measure import Problem
from reportgen.study.errors import KIND, fault
from reportgen.study.schema.options import Strict
from reportgen.study.schema.resampling import FOLDED, ResamplingEntry, StagesEntry
from reportgen.study.schema.value_types import (
    FILLED,
    MOST_OBSERVATIONS,
    Count,
    Name,
    UnitSymbol,
)
from reportgen.units import DeclaredUnit, unit_named

OPENML = re.compile(r"openml:(\d{1,9})")
SIZES = ("n", "n_test")
MOST_COMBINATIONS = 10_000  # of what is varied: each is a data set
ORIGINS = ("file", "generator", "openml")
OWNERS = {
    "target": ("file", "openml"),
    "task": ("file", "openml"),
    "drop": ("file",),
    "categorical": ("file",),
    "n": ("generator",),
    "n_test": ("generator",),
    "test": ("file",),
    "groups": ("file",),
    "options": ("generator",),
    "vary": ("generator",),
}
"""Keys, and the others with which they have a meaning."""


class DatasetEntry(Strict):
    """A data set: a name from the catalogue, a file, a generator, or OpenML's number."""

    name: Name
    file: str | None = None
    """CSV, TSV, Parquet or ARFF, relative to the manifest."""
    openml: Annotated[int, Field(ge=1)] | None = None
    """OpenML's id; the name openml:ID is short for it."""
    target: str | None = None
    """The response's column in the file."""
    task: Literal["classification", "regression"] | None = None
    unit: UnitSymbol | None = None
    """The unit of the response of a regression, such as ft, which its errors have."""
    drop: tuple[str, ...] = ()
    """Columns of the file that are no inputs."""
    categorical: tuple[str, ...] = ()
    """Columns of numbers that are categories."""
    test: str | None = None
    """A file with a test sample: the same columns as the file."""
    groups: str | None = None
    """The file's column whose equal values stay together in a sample; it is no input."""
    generator: str | None = None
    n: Annotated[int, Field(ge=2)] | None = None
    """The number of observations to generate."""
    n_test: Annotated[int, Field(ge=2)] | None = None
    """The number of observations of a test sample to generate."""
    options: dict[str, float] = Field(default_factory=dict)
    """Options of the generator."""
    vary: dict[str, Annotated[tuple[float, ...], *FILLED]] = Field(default_factory=dict)
    """Options of the generator, n or n_test, each with several values: every combination becomes a
    data set."""

    @property
    def openml_id(self) -> int | None:
        """OpenML's number, from the key or the name."""
        match = OPENML.fullmatch(self.name)
        if self.openml is not None or not match or self.file or self.generator:
            return self.openml
        return int(match[1])

    def variants(self) -> Iterator[tuple[DatasetEntry, dict[str, float]]]:
        """Yield every combination of the levels of what is varied, the last one fastest."""
        for levels in product(*self.vary.values()):
            factors = dict(zip(self.vary, levels, strict=True))
            sizes = {key: int(factors[key]) for key in SIZES if key in factors}
            options = {key: level for key, level in factors.items() if key not in SIZES}
            changed = {**sizes, "options": {**self.options, **options}, "vary": {}}
            yield self.model_copy(update=changed), factors

    @model_validator(mode="after")
    def _levels_differ(self) -> DatasetEntry:
        n_combinations = prod(map(len, self.vary.values()))
        if n_combinations > MOST_COMBINATIONS:
            found = f"{n_combinations:,} combinations"
            raise fault(found, f"at most {MOST_COMBINATIONS:,}", at="vary")
        for factor, levels in self.vary.items():
            if len(set(levels)) < len(levels):
                raise fault(f"a level of {factor} twice", "levels that differ", at="vary")
            if factor in self.options or getattr(self, factor, None) is not None:
                allowed = f"{factor} once, under vary or next to it"
                raise fault(f"{factor} twice", allowed, at="vary")
            if factor in SIZES and not all(level >= 2 and level % 1 == 0 for level in levels):
                raise fault(f"{factor}: {levels}", "whole numbers from 2", at="vary")
        return self

    @model_validator(mode="after")
    def _one_origin(self) -> DatasetEntry:
        given = [key for key in ORIGINS if getattr(self, key) is not None]
        if not given and self.openml_id is not None:
            given = ["openml"]
        if len(given) > 1:
            raise fault(" and ".join(given), "one of the two")
        for key, owners in OWNERS.items():
            if getattr(self, key) and not set(owners) & set(given):
                others = " or ".join(owners)
                raise fault(f"{key} without {others}", f"{key} with {others} only", at=key)
        if self.file is not None and self.target is None:
            raise fault("file without target", "the name of the response's column as target")
        return self


log = logging.getLogger(__name__)


def _kind(found: Any) -> str:
    return f"{KIND}each" if isinstance(found, dict) else f"{KIND}column"


GivenFamilies = dict[Name, Annotated[tuple[Name, ...], *FILLED]]
"""Data sets by the family that they are of."""
GivenWeights = dict[Name, Annotated[float, Field(gt=0)]]
"""A weight of each data set."""
FamilyEntry = Annotated[
    Annotated[Name, Tag(f"{KIND}column")] | Annotated[GivenFamilies, Tag(f"{KIND}each")],
    Discriminator(_kind),
]
WeightsEntry = Annotated[
    Annotated[Name, Tag(f"{KIND}column")] | Annotated[GivenWeights, Tag(f"{KIND}each")],
    Discriminator(_kind),
]


def _replication_kind(found: Any) -> str:
    return f"{KIND}factors" if isinstance(found, dict) else f"{KIND}rows"


Factor = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9 _-]{0,39}$")]
ReplicationEntry = Annotated[
    Annotated[Literal["rows"], Tag(f"{KIND}rows")]
    | Annotated[dict[Factor, Name], *FILLED, Tag(f"{KIND}factors")],
    Discriminator(_replication_kind),
]
"""The rows; or the column of each factor of a replication."""


class Columns(Strict):
    """The names that the columns have in the file of results."""

    dataset: str | Annotated[tuple[str, ...], *FILLED] | None = None
    """One column, or several that make the name together; or columns, where a row is a candidate
    and every other column a data set."""
    replication: str | Annotated[tuple[str, ...], *FILLED] | None = None
    """One column, or several whose combinations are the replications."""
    item: str | None = None
    cluster: str | None = None
    """To which an item belongs: a document, a conversation, a repository."""
    epoch: str | None = None
    """The repeated run of an item."""
    process: str | None = None
    """Of measurements that nobody shares, the process that a run is of: the mean of its runs is
    its value."""
    candidate: str | Annotated[tuple[str, ...], *FILLED] | None = None
    """One column, or several that make the name together; of a wide table the columns of the
    candidates, where not all others are."""
    ignore: str | Annotated[tuple[str, ...], *FILLED] | None = None
    """Columns that are left out, whatever they look like."""
    measure: str | None = None
    value: str | None = None
    status: str | None = None
    n_values: str | None = None
    """How many values a mean with a spread is of."""
    n_learn: str | None = None
    n_distinct: str | None = None
    n_test: str | None = None


class Abbreviated(Strict):
    """What may be written as one of its values alone."""

    SHORT: ClassVar[str]  # the key of that value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe the value alone, too."""
        own = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [own, own["properties"][cls.SHORT]]}


class LooksEntry(Abbreviated):
    """Planned looks at battles that accumulate."""

    SHORT: ClassVar = "at"

    at: Annotated[tuple[Count, ...], *FILLED]
    """Battles at each look; the last number is the most there will be."""
    rule: Literal["obrien-fleming", "pocock"] = "obrien-fleming"
    """How the level is spent: little of it at first, or much."""

    @model_validator(mode="after")
    def _ascends(self) -> LooksEntry:
        if any(after <= before for before, after in pairwise(self.at)):
            raise fault(", ".join(map(str, self.at)), "numbers of battles that ascend")
        return self


def _by_file(value: Any) -> Any:
    """Take a text for the file."""
    return {"file": value} if isinstance(value, str) else value


class BattlesEntry(Abbreviated):
    """Battles of the same candidates, beside their results."""

    SHORT: ClassVar = "file"

    file: str
    """A file of battles, relative to the manifest."""
    columns: Columns = Columns()


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
    replication: ReplicationEntry | None = None
    """Where no column identifies the replications: rows, those of every candidate in their order.
    Else the column of each factor that numbers them: fold, repeat or split of the data; seed,
    tuning, or another source of variation by its own name, which vary on one division of it."""
    unit: DeclaredUnit | None = None
    """What a replication is: a sample drawn anew, an item that candidates answer, or a sample that
    no two candidates share; left out: items where the file has such a column."""
    epoch: Annotated[str, Field(pattern=r"^(last|best of .+ \((smaller|larger)\))$")] | None = None
    """Of a log of training the epoch that counts: last, or best of COLUMN (smaller or larger)."""
    spread: Literal["sd", "se"] | None = None
    """What the spreads of means are: standard deviations of the values, or standard errors of the
    means; left out: by the names of their columns."""
    n_values: Annotated[int, Field(ge=2)] | None = None
    """How many values each mean with a spread is of, where no column has that."""
    processes: Annotated[int, Field(ge=2)] | None = None
    """Of measurements that nobody shares: of how many processes those of each candidate are, in
    their order, as many in each; the mean of its runs is the value of a process."""
    looks: LooksEntry | None = None
    """Of battles that accumulate: after how many of them, in the order of time or of the rows, one
    looks at them, and how the level is spent. The last look whose battles are there decides, at its
    share of the level. A list is short for its numbers."""
    battles: Annotated[BattlesEntry, BeforeValidator(_by_file)] | None = None
    """Battles of the same candidates: the report says whether these results and they order them
    alike. A text is short for the file."""
    format: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None = None
    """tidy, or whose table it is, such as mlr3; found out when left out."""
    object: str | None = None
    """The name of the object in a file of R's save, the sheet, or the study of Optuna."""
    characteristics: str | None = None
    """CSV or Parquet with characteristics by data set, and by replication where samples differ."""
    settings: str | None = None
    """CSV or Parquet with the factors of a design, by data set: each is a setting of it."""
    families: FamilyEntry | None = None
    """What data sets come from where several come from one, such as a source or a sensor: the
    column of the results, or of their characteristics, that says it; or the data sets by family.
    Left out: no two are relatives."""
    weights: WeightsEntry = "equal"
    """How much each data set counts: equal; family, where every family counts alike; a column of
    the results or their characteristics; or a number a data set."""
    problem: Problem | None = None
    resampling: ResamplingEntry | None = None
    """The resampling of the replications, as under setup."""
    n: dict[Name, Annotated[int, Field(ge=1, le=MOST_OBSERVATIONS)]] = Field(default_factory=dict)
    """Number of observations of each data set."""

    @model_validator(mode="after")
    def _one_file(self) -> ResultsEntry:
        given = [name for name in ("file", "wide", "table") if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of file, wide and table"
            allowed = "file (a tidy table), wide (a column a candidate)"
            raise fault(found, f"one of {allowed}, table (rows of numbers)")
        own = None if self.unit is None else unit_named(self.unit)
        has_runs = own is None or not (own.shares_rows or own.is_contest)
        if not has_runs and (self.processes or self.columns.process):
            raise fault(f"processes with unit: {self.unit}", "unit: sample", at="unit")
        if self.looks is not None and own is not None and not own.is_contest:
            raise fault(f"looks with unit: {self.unit}", "unit: comparison", at="unit")
        if self.battles is not None and (self.table or (own is not None and own.is_contest)):
            found = "battles with " + ("table" if self.table else f"unit: {self.unit}")
            raise fault(found, "battles beside scores of candidates", at="battles")
        if self.label is not None and self.table is None:
            raise fault("label without table", "label with table")
        if self.replication is not None and self.columns.replication is not None:
            rows = "rows" if self.replication == "rows" else "the column of each factor"
            found = f"replication: {rows} with a column of replications"
            raise fault(found, "one of them", at="replication")
        if isinstance(self.replication, dict):
            columns = list(self.replication.values())
            if twice := next((c for c in columns if columns.count(c) > 1), None):
                raise fault(f"the column {twice} twice", "one of each factor", at="replication")
        return self

    @field_validator("looks", mode="before")
    @classmethod
    def _by_numbers(cls, value: Any) -> Any:
        """Take a list for the numbers of battles."""
        given = value if isinstance(value, dict) else {"at": value}
        at = given.get("at")
        return {**given, "at": tuple(at) if isinstance(at, list) else at}

    @field_validator("resampling", mode="before")
    @classmethod
    def _without_replications(cls, value: Any) -> Any:
        """Take the number of replications of folds from the data, as for earlier manifests."""
        if not (isinstance(value, dict) and value.get("scheme") in FOLDED):
            return value
        if "replications" in value:
            log.warning(
                "results.resampling.replications follows from the data and folds: leave it out"
            )
        return {key: given for key, given in value.items() if key != "replications"}

    @field_validator("resampling")
    @classmethod
    def _is_of_results(cls, value: ResamplingEntry | None) -> ResamplingEntry | None:
        """Refuse what only an execution can do."""
        if value is not None and isinstance(value.replications, StagesEntry):
            raise fault("stages of results that exist", "a number", at="replications")
        if value is not None and value.splitter is not None:
            allowed = "the scheme by which the samples were drawn, or a file of samples"
            raise fault("a splitter of results that exist", allowed, at="splitter")
        if value is not None and value.scheme is None:
            allowed = "the scheme by which the samples were drawn, such as k-fold"
            raise fault("nothing", allowed, at="scheme")
        return value

    @property
    def path(self) -> str:
        """The file, of whatever shape."""
        return self.file or self.wide or self.table or ""
