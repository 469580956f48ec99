"""The manifest's shape: one model a block, as the contract says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import floor
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from reportgen.study.faults import fault, is_one_line, shown
from reportgen.study.options import AnalysisOptions, Area, Strict, two_numbers
from reportgen.warehouse import Better, Problem

SEED = 2011  # the dissertation's year, as good as any other
REPLICATIONS = 100
SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST_NAME = 200
LONGEST_FOLDER = 100
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # on Windows

Format = Literal["html", "pdf", "md", "json"]


def _named(name: str) -> str:
    """Accept any spelling that can be shown on one line."""
    if not name.strip() or name != name.strip():
        raise fault(shown(name), "a name that neither is empty nor begins or ends with a blank")
    if not is_one_line(name) or len(name) > LONGEST_NAME:
        raise fault(shown(name), f"at most {LONGEST_NAME} characters, all of them printable")
    return name


def folder_fault(name: str) -> str:
    """Say why a name is no safe name of a folder; empty where it is one."""
    if re.search(r'[<>:"/\\|?*]', name) or not is_one_line(name):
        return 'a name without any of < > : " / \\ | ? * and without control characters'
    if name != name.strip() or name[:1] in (".", "-", "~", "") or name[-1:] == ".":
        return "a name that does not begin with . - ~ or a blank, nor end with . or a blank"
    if RESERVED.fullmatch(name) or PurePath(name).name != name:
        return "a name that no system keeps for itself"
    if len(name.encode()) > LONGEST_FOLDER:
        return f"at most {LONGEST_FOLDER} bytes"
    return ""


def _folder(name: str) -> str:
    if allowed := folder_fault(name):
        raise fault(shown(name), f"{allowed} (it names the run's folder)")
    return name


def _seconds(found: Any) -> float:
    """Read a duration with its unit, such as 10min."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([a-z]+)", found) if isinstance(found, str) else None
    if not match or match[2] not in SECONDS or float(match[1]) == 0:
        allowed = f"a positive duration with its unit ({', '.join(SECONDS)}), such as 10min"
        raise fault(shown(found), allowed)
    return float(match[1]) * SECONDS[match[2]]


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """How many fits may fail: a share of all fits, or a number of them.

    Examples
    --------
    >>> FailureLimit(share=0.05).of(250)
    12
    >>> FailureLimit(count=3).of(250)
    3
    """

    share: float | None = None
    count: int | None = None

    def of(self, n_fits: int) -> int:
        """Return the greatest number of failures among `n_fits` that is still allowed."""
        if self.count is not None:
            return self.count
        return floor((self.share or 0.0) * n_fits + 1e-9)


MAX_FAILURES = FailureLimit(share=0.05)


def _limit(found: Any) -> FailureLimit:
    """Read a share in per cent, such as 5%, or a count."""
    if isinstance(found, FailureLimit):
        return found
    if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
        return FailureLimit(count=found)
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", found) if isinstance(found, str) else None
    if not match or float(match[1]) > 100:
        raise fault(shown(found), "a share from 0% to 100%, such as 5%, or a count of fits")
    return FailureLimit(share=float(match[1]) / 100)


def _filled(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """Accept a list with entries."""
    if not entries:
        raise fault("an empty list", "at least one entry")
    return entries


def _workers(found: Any) -> int | str:
    """Read auto, or a number of workers."""
    if found == "auto":
        return "auto"
    if isinstance(found, int) and not isinstance(found, bool) and found > 0:
        return found
    raise fault(shown(found), "auto, or a whole number from 1")


def _bounds(found: Any) -> tuple[float | None, float | None]:
    """Read the least and the greatest value, null where there is none."""
    allowed = "the least and the greatest value, [0, 1], with null where there is none"
    lower, upper = two_numbers(found, allowed)
    if lower is not None and upper is not None and lower >= upper:
        raise fault(f"[{lower}, {upper}]", allowed)
    return lower, upper


Name = Annotated[str, AfterValidator(_named)]
FolderName = Annotated[str, AfterValidator(_folder)]
Seconds = Annotated[
    float,
    BeforeValidator(_seconds),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\d+(\.\d+)? ?(ms|s|min|h|d)$", "examples": ["10min"]}
    ),
]
Limit = Annotated[
    FailureLimit,
    BeforeValidator(_limit),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": r"^\d+(\.\d+)? ?%$", "examples": ["5%"]},
                {"type": "integer", "minimum": 0},
            ]
        }
    ),
]
Workers = Annotated[
    int | Literal["auto"],
    PlainValidator(_workers),
    WithJsonSchema({"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]}),
]
Bounds = Annotated[
    tuple[float | None, float | None],
    PlainValidator(_bounds),
    WithJsonSchema(
        {"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2}
    ),
]
Count = Annotated[int, Field(ge=1)]
FILLED = (AfterValidator(_filled), Field(json_schema_extra={"minItems": 1}))


class Author(Strict):
    """Who wrote the study."""

    name: Name
    affiliation: str | None = None
    orcid: Annotated[str, Field(pattern=r"^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$")] | None = None


class StudyInfo(Strict):
    """What the study is called, and by whom."""

    name: FolderName | None = None
    """Name of the run's folder; the file's stem when left out."""
    title: str | None = None
    authors: tuple[Author, ...] = ()
    abstract: str = ""
    keywords: tuple[str, ...] = ()


class MeasureEntry(Strict):
    """A performance measure: a name, and for results what the name means."""

    name: Name
    column: str | None = None
    """The measure's name in a file of results, where it is another one."""
    better: Better | None = None
    unit: str | None = None
    relevance: Area | None = None
    """Area of equivalence [-d, d]."""
    bounds: Bounds | None = None
    """The least and the greatest value; null where there is none."""


class DatasetEntry(Strict):
    """A data set: a name from the catalogue, a file, or a generator."""

    name: Name
    file: str | None = None
    """CSV or Parquet, relative to the manifest."""
    target: str | None = None
    """The response's column in the file."""
    task: Literal["classification", "regression"] | None = None
    generator: str | None = None
    n: Annotated[int, Field(ge=2)] | None = None
    """How many observations to generate."""
    options: dict[str, float] = Field(default_factory=dict)
    """Options of the generator."""

    @model_validator(mode="after")
    def _one_origin(self) -> DatasetEntry:
        if self.file is not None and self.generator is not None:
            raise fault("file and generator", "one of the two")
        for key, owner in (
            ("target", "file"), ("task", "file"), ("n", "generator"), ("options", "generator")
        ):  # fmt: skip
            if getattr(self, key) and getattr(self, owner) is None:
                raise fault(f"{key} without {owner}", f"{key} beside {owner} only", at=key)
        if self.file is not None and self.target is None:
            raise fault("file without target", "the name of the response's column as target")
        return self


class CandidateEntry(Strict):
    """A candidate algorithm: a name from the catalogue."""

    name: Name


class ResamplingEntry(Strict):
    """How learning and test samples are drawn."""

    scheme: Literal["bootstrap", "subsampling"] = "bootstrap"
    """Test samples are the observations that were not drawn."""
    replications: Count = REPLICATIONS
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Of subsampling: the learning sample's share of all observations, 2/3 when left out."""
    stratify: bool = False
    """Whether every class keeps its share in the learning samples."""

    @model_validator(mode="after")
    def _fraction_has_use(self) -> ResamplingEntry:
        if self.fraction is not None and self.scheme == "bootstrap":
            raise fault("fraction with bootstrap", "fraction with subsampling only", at="fraction")
        return self


class SetupEntry(Strict):
    """What is to be executed."""

    problem: Problem = "real-world"
    datasets: Annotated[tuple[DatasetEntry, ...], *FILLED]
    candidates: Annotated[tuple[CandidateEntry, ...], *FILLED]
    resampling: ResamplingEntry = ResamplingEntry()

    @model_validator(mode="after")
    def _problem_is_there(self) -> SetupEntry:
        if self.problem != "real-world":
            raise fault(
                f"'{self.problem}', which cannot be executed yet", "real-world", at="problem"
            )
        return self


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


class ExecutionEntry(Strict):
    """How the execution uses the machine."""

    jobs: Workers = "auto"
    """Workers; auto is one for each core that the process may use."""
    timeout: Seconds | None = None
    """Of one fit, such as 10min; none when left out."""
    max_failures: Limit = MAX_FAILURES
    """Failed fits that are put up with, such as 5%, or a count."""


class ReportEntry(Strict):
    """What is rendered, and how."""

    formats: Annotated[tuple[Format, ...], *FILLED] = ("html", "pdf")
    theme: Literal["journal"] = "journal"
    language: Literal["en"] = "en"
    bibliography: str | None = None
    """BibTeX file, relative to the manifest."""


class Manifest(Strict):
    """A study, as its author writes it.

    `sections` is checked apart, because each section brings its own options.
    """

    study: StudyInfo = StudyInfo()
    seed: Annotated[int, Field(ge=0)] = SEED
    """Of all random numbers."""
    measures: tuple[MeasureEntry, ...] = ()
    """The first is the main one."""
    setup: SetupEntry | None = None
    results: ResultsEntry | None = None
    execution: ExecutionEntry = ExecutionEntry()
    analysis: AnalysisOptions = AnalysisOptions()
    sections: tuple[Any, ...] | None = None
    report: ReportEntry = ReportEntry()
