"""The schema of a manifest: a model for each block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, PrivateAttr, model_validator

from reportgen import formats
from reportgen.catalogue.measures import known_measure
from reportgen.performance_measure import Better, PairScale, Problem
from reportgen.study.errors import fault
from reportgen.study.schema.candidates import CandidateEntry
from reportgen.study.schema.datasets import (
    DatasetEntry,
    GivenFamilies,
    ResultsEntry,
    WeightsEntry,
)
from reportgen.study.schema.options import AnalysisOptions, Area, Expectation, Strict, Undecided
from reportgen.study.schema.quarto_options import faults_of
from reportgen.study.schema.resampling import ResamplingEntry, Resamplings
from reportgen.study.schema.value_types import (
    FILLED,
    LONGEST_NAME,
    MAX_FAILURES,
    Bounds,
    Bytes,
    FolderName,
    Kept,
    Limit,
    Name,
    Seconds,
    UnitSymbol,
    Workers,
)

if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[formats.REPORTS]
Journal = Literal["jss", "plos", "acm", "elsevier", "jmlr", "springer"]
HtmlForm = Literal["file", "folder"]
Spread = Literal["sd", "error", "interval", "none"]
MeansSort = Literal["study", "name", "best"]
ImportPath = Annotated[str, Field(pattern=r"^[A-Za-z]\w*(\.[A-Za-z]\w*)+$")]
QUARTO_FORMAT = re.compile(rf"([a-z0-9]+-)*({'|'.join(formats.BY_QUARTO)})")
SEED = 2011  # the dissertation's year, as good as any other


class Author(Strict):
    """The authors of the study."""

    name: Name
    affiliation: str | None = None
    orcid: Annotated[str, Field(pattern=r"^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$")] | None = None
    email: Annotated[str, Field(pattern=r"^[^@\s<>{}\\]+@[^@\s<>{}\\]+$")] | None = None
    corresponding: bool = False
    city: str | None = None
    """Of the affiliation, as country is."""
    country: str | None = None


class StudyInfo(Strict):
    """Title and authors of the study."""

    name: FolderName | None = None
    """Name of the run's folder; the file's stem when left out."""
    title: str | None = None
    authors: tuple[Author, ...] = ()
    abstract: str = ""
    keywords: tuple[str, ...] = ()


class MeasureEntry(Strict):
    """A performance measure: a name, and for results what the name means."""

    name: Name
    """Of the catalogue, of a scorer of scikit-learn, or of a measure in the results."""
    function: ImportPath | None = None
    """Import path of a function of (y_true, y_pred) or (y_true, y_score) that computes it: of
    scikit-learn, or of a package or module under plugins."""
    column: str | None = None
    """The measure's name in a file of results, where it is another one."""
    better: Better | None = None
    unit: UnitSymbol | None = None
    relevance: Area | None = None
    """Area of equivalence: [-d, d], or of ratios [1/r, r]."""
    bounds: Bounds | None = None
    """The least and the greatest value; null where there is none."""
    scale: PairScale | None = None
    """The comparison of candidates: by difference or, as of times and sizes, by ratio; over data
    sets also by who is ahead on more of them. Left out: as the measure asks for, over data sets
    errors in the unit of the response by ratio."""
    _written: str = PrivateAttr("")

    @property
    def written(self) -> str:
        """The measure's name in a file of results, as the user writes it."""
        return self.column or self._written or self.name

    def named(self, name: str) -> MeasureEntry:
        """Return the entry under another name of the same measure."""
        entry = self.model_copy(update={"name": name})
        entry._written = self.written
        return entry

    @model_validator(mode="after")
    def _function_has_a_side(self) -> MeasureEntry:
        if self.function is not None and self.better is None:
            raise fault("function without better", "better: smaller or better: larger with it")
        if self.function is not None and known_measure(self.name) is not None:
            raise fault(
                f"{self.name}, which the catalogue computes, with a function of its own",
                "a name of its own",
                at="name",
            )
        return self


class SetupEntry(Strict):
    """The experiment to execute."""

    problem: Problem = "real-world"
    datasets: Annotated[tuple[DatasetEntry, ...], *FILLED]
    candidates: Annotated[tuple[CandidateEntry, ...], *FILLED]
    resampling: Resamplings = ResamplingEntry()
    """Resampling of learning and test samples; each entry of a list makes its own data sets."""
    families: GivenFamilies | None = None
    """The data sets by what they come from, where several come from one."""
    weights: WeightsEntry = "equal"
    """How much each data set counts: equal; family, where every family counts alike; or a number a
    data set."""


class ExecutionEntry(Strict):
    """The use of the machine by the execution."""

    jobs: Workers = "auto"
    """Workers; auto is one for each core that the process may use."""
    processes: Annotated[int, Field(ge=2)] | None = None
    """In which the fits of each candidate on a data set are timed, each with an equal share of the
    replications, one process after the other: their means are the values of times, memory and
    sizes."""
    timeout: Seconds | None = None
    """Of one fit, such as 10min; none when left out."""
    memory: Bytes | None = None
    """That one worker may use, such as 4GiB; a fair share of what is free when left out."""
    max_failures: Limit = MAX_FAILURES
    """Failed fits that are put up with, such as 5%, or a count."""
    keep: Kept = ()
    """Data to keep in addition to the performances: predictions (of every test observation),
    samples (observations, learning samples, and the fitted curves of regression on one input,
    which reports show)."""


class FontsEntry(Strict):
    """The faces of the PDF, by the names of families that are installed."""

    serif: Name | None = None
    """Of running text and headings."""
    sans: Name | None = None
    """Of tables and captions; figures keep the house's."""


class PaperEntry(Strict):
    """The PDF."""

    size: Literal["a4", "letter"] = "a4"
    columns: Literal[1, 2] = 2
    """Columns of running text; figures and tables take the whole width."""
    anonymous: bool = False
    """Whether authors, citation, manifest, revision, logo and footer are left out."""
    fonts: FontsEntry = FontsEntry()


class QuartoEntry(Strict):
    """A further format of the Quarto project, such as a journal's, with its options."""

    journal: Journal | None = None
    """Sets the format and the options that the publisher's articles need: jss, plos, acm, elsevier,
    jmlr, springer."""
    format: str = ""
    """Such as elsevier-pdf, of the extension that `quarto add` has put into the project; or html,
    pdf, typst, docx. Left out: the journal's."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Of the format, as in _quarto.yml: what lays out, with plain values. None names programs,
    filters, templates, files or addresses, or holds TeX, HTML or shortcodes."""
    engine: Literal["markdown", "jupyter"] = "markdown"
    """jupyter: code of the documents makes their texts, with alpha as a parameter."""

    @model_validator(mode="after")
    def _runs_nothing(self) -> QuartoEntry:
        if not (self.format or self.journal or self.engine != "markdown"):
            raise fault("neither journal nor format", "one of them")
        if self.format and not QUARTO_FORMAT.fullmatch(self.format):
            raise fault(
                repr(self.format),
                f"{', '.join(formats.BY_QUARTO)}, or such a format of an extension, as "
                "elsevier-pdf",
                at="format",
            )
        is_extension = "-" in self.format or (
            not self.format and self.journal in ("jss", "plos", "acm", "elsevier")
        )
        for place, found, allowed in faults_of(self.options, is_extension=is_extension):
            raise fault(found, allowed, at=("options", *place))
        return self


class MeansEntry(Strict):
    """The table of a paper: data sets by candidates."""

    spread: Spread | None = None
    """Beside each mean: the standard deviation, the standard error, the interval, or nothing; an
    interval of items, else the standard deviation, when left out."""
    reference: str | bool = True
    """The candidate against which the others are marked; true for that of the analysis, if there
    is one, false for none."""
    sort: MeansSort = "study"
    """The order of candidates: as in the study, by name, or the best mean first. By name, data sets
    are sorted, too."""


class LatexEntry(Strict):
    """The manuscript in LaTeX."""

    columns: Literal[1, 2] = 1
    """Columns of the paper's text: of two, tables and figures take one where they have room, else
    both."""
    width: Annotated[float, Field(ge=250, le=600)] = 450
    """Points across the paper's text, which tables may take: 450 on A4 with margins of 25 mm."""
    means: MeansEntry = MeansEntry()
    """The table of data sets by candidates."""


class ReportEntry(Strict):
    """The formats of the report, and their options."""

    formats: Annotated[tuple[Format, ...], *FILLED] = formats.USUAL
    html: HtmlForm = "file"
    """file: a page with all inside; folder: style, drawings and data beside it and no scripts, for
    hosts that allow nothing inline."""
    length: Literal["article", "full"] = "article"
    """article: what changes a decision, the rest in a supplement; full: all in one sequence."""
    paper: PaperEntry = PaperEntry()
    theme: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] = "house"
    """house, plain, or a folder of colours, rules, figure settings and templates."""
    logo: str | None = None
    """A file .svg or .png, shown above the title."""
    footer: Name | None = None
    """A line at the foot of the page."""
    quarto: QuartoEntry | None = None
    """A further format of the Quarto project."""
    latex: LatexEntry = LatexEntry()
    """The manuscript in LaTeX."""


class Manifest(Strict):
    """A study, as its author writes it.

    `sections` is checked apart, because each section brings its own options.
    """

    study: StudyInfo = StudyInfo()
    seed: Annotated[int, Field(ge=0)] = SEED
    """Of all random numbers."""
    plugins: tuple[Annotated[str, Field(pattern=r"^[A-Za-z]\w*$")], ...] = ()
    """Packages whose estimators may be used, with --allow-plugins."""
    measures: tuple[MeasureEntry, ...] = ()
    """The first is the main one."""
    setup: SetupEntry | None = None
    results: ResultsEntry | None = None
    execution: ExecutionEntry = ExecutionEntry()
    analysis: AnalysisOptions = AnalysisOptions()
    expect: tuple[Expectation, ...] = ()
    """Claims that the results are held against: where one fails, `run` ends with exit code 1."""
    on_undecided: Undecided = "warn"
    """What an undecided claim does: warn, or fail."""
    sections: tuple[Any, ...] | None = None
    report: ReportEntry = ReportEntry()
