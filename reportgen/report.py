"""The report as data: provenance, design, and the results, figures and tables of sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.errors import StudyError
from reportgen.fit_issues import (
    DrawingFault,
    Failure,
    FitWarning,
    HyperparameterChoice,
    LostFits,
    MeasureFailure,
    SectionFault,
    count_lost,
)
from reportgen.formats import FORMATS, Density
from reportgen.installation import page_url
from reportgen.measures import KNOWN_MEASURES
from reportgen.notation import NumberFormat
from reportgen.performance_measure import FEW_REPLICATIONS, Measure, Problem
from reportgen.stats.columns import Column, Kind
from reportgen.targets import DecidingTarget
from reportgen.units import REPLICATION, SETTING, Unit

if TYPE_CHECKING:
    from reportgen.warehouse import Performances
    from reportgen.warehouse.missing import MissingRule
    from reportgen.warehouse.samples import Samples


@dataclass(frozen=True, slots=True)
class MeasuredWith:
    """Versions with which some of the fits were made.

    Attributes
    ----------
    versions : mapping of str to str
        Python and the packages on which every fit depends; empty where they
        were not recorded.
    n_fits : int
    """

    versions: Mapping[str, str]
    n_fits: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of the numbers: all that is needed to reproduce them.

    Attributes
    ----------
    date : str
        ISO date and time (UTC) of the execution, or of the first analysis of
        results that existed; SOURCE_DATE_EPOCH where it is set.
    command : str
        How to make the report again.
    versions : mapping of str to str
        Python and the packages that computed and drew.
    platform, processor : str
        Machine facts that times depend on.
    inputs : mapping of str to str
        SHA-256 of every file that went in, by its name.
    manifest : str
        The manifest's text; "" where a results file was given alone.
    commit : str
        Revision of the study's repository, "" where there is none.
    execution : mapping
        Workers, seconds of wall clock, fits run and reused.
    measured_with : tuple of MeasuredWith
        Versions with which the fits were made, in the order of the executions;
        empty for results that existed.
    study_digests : mapping of str to str
        Digest of each part of the study on which the warehouse depends, by the
        part's key; empty where it was not recorded.
    warehouse : str
        SHA-256 of the performances as they are stored, likewise.
    """

    date: str
    command: str
    versions: Mapping[str, str]
    platform: str
    processor: str
    inputs: Mapping[str, str]
    manifest: str = ""
    commit: str = ""
    execution: Mapping[str, Any] = field(default_factory=dict)
    measured_with: tuple[MeasuredWith, ...] = ()
    study_digests: Mapping[str, str] = field(default_factory=dict, metadata=HIDDEN)
    warehouse: str = field(default="", metadata=HIDDEN)

    @property
    def mixed_packages(self) -> tuple[str, ...]:
        """Packages of which the fits had several versions, where that is known."""
        known = [part.versions for part in self.measured_with if part.versions]
        names = dict.fromkeys(name for versions in known for name in versions)
        return tuple(n for n in names if len({versions.get(n) for versions in known}) > 1)

    @property
    def fit_versions(self) -> Mapping[str, str]:
        """With which the latest fits were made; where that is not known, the report."""
        latest = self.measured_with[-1].versions if self.measured_with else {}
        return latest or self.versions

    @property
    def n_unknown(self) -> int:
        """Number of fits whose versions were not recorded."""
        return sum(part.n_fits for part in self.measured_with if not part.versions)

    @property
    def is_measured_elsewhere(self) -> bool:
        """Whether some fits were made with other versions than those that computed the report."""
        return any(
            self.versions.get(name) != version
            for part in self.measured_with
            for name, version in part.versions.items()
        )


RESULTS = FORMATS["json"].file
"""The file of every number of a report."""

PAIRS = "tables/pairs.parquet"
"""The file of the pairs where they are too many for that file."""

SCHEMA_VERSION = 3
"""Of that file's shape: it rises when a key is removed or changes its meaning."""

READABLE_VERSIONS = (2, 3)
"""Versions of which sections and verdicts are read; a verdict names what it speaks of."""


def check_schema_version(results: Mapping[str, Any], path: Path) -> None:
    """Raise a StudyError where the content of a results.json has a shape that is not read."""
    found = results.get("schema_version")
    if found not in READABLE_VERSIONS:
        allowed = " or ".join(map(str, READABLE_VERSIONS))
        raise StudyError(
            f"{path}: found {RESULTS} of schema_version {found!r:.40}; allowed {allowed}: "
            "`reportgen report STUDY` analyses what the run has measured anew "
            f"(docs: {page_url('upgrade.md#reports')})"
        )


Length = Literal["article", "full"]
"""How much stands in the report: the article with a supplement, or everything in one sequence."""

ReportType = Literal["dataset", "few", "domain", "single", "settings", "table"]
"""The kind of a report, which determines what stands in it and in which order: one data set, or
one with two candidates or few replications; several data sets, or several with one value a cell;
settings of one data set; a table that is no experiment."""

COMPACT: tuple[ReportType, ...] = ("few", "single")
"""Those whose article has all that a referee asks for; the rest is in results.json and tables."""


def report_type_of(
    n_replications: Sequence[int],
    n_candidates: int,
    *,
    is_table: bool,
    has_factors: bool = False,
    has_spreads: bool = False,
) -> ReportType:
    """Return the kind of a report.

    Parameters
    ----------
    n_replications : sequence of int
        Of each data set.
    n_candidates : int
    is_table, has_factors : bool
        Whether it is no experiment; whether the data sets are settings of one.
    has_spreads : bool
        Whether values are means with their spread, by which candidates are compared on a data set.

    Examples
    --------
    >>> report_type_of([5], 2, is_table=False), report_type_of([100], 6, is_table=False)
    ('few', 'dataset')
    >>> report_type_of([1, 1], 6, is_table=False), report_type_of([1, 2], 6, is_table=False)
    ('single', 'domain')
    """
    if is_table:
        return "table"
    most = max(n_replications, default=0)
    if len(n_replications) < 2:
        return "few" if n_candidates == 2 or most < FEW_REPLICATIONS else "dataset"
    return "settings" if has_factors else "domain" if most > 1 or has_spreads else "single"


class Rows(Sequence[tuple[Any, ...]]):
    """Rows that are made of columns when they are read, as arrays take less memory than objects.

    Parameters
    ----------
    *columns : sequence
        Of equal length, one at least: cells, or arrays of numbers, which are None in a row where
        they are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> rows = Rows(("a", "b"), np.array([1.5, np.nan]), Rows(np.array([1, 2]), np.eye(2)))
    >>> [*rows]
    [('a', 1.5, (1, (1.0, 0.0))), ('b', None, (2, (0.0, 1.0)))]
    >>> len(rows), rows[-1] == (*rows,)[1], rows[1:] == (*rows,)[1:]
    (2, True, True)
    """

    __slots__ = ("_columns",)

    def __init__(self, *columns: Any) -> None:
        self._columns = columns

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._columns[0])

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Go through them."""
        return zip(*map(_cells, self._columns), strict=True)

    @overload
    def __getitem__(self, place: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[Any, ...], ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        """Return one, or some."""
        if isinstance(place, slice):
            return (*Rows(*(column[place] for column in self._columns)),)
        at = range(len(self))[place]
        return self[at : at + 1][0]

    def __eq__(self, other: object) -> bool:
        """Whether others have the same cells."""
        return (*self,) == (*other,) if isinstance(other, Rows | tuple) else NotImplemented

    def __hash__(self) -> int:
        """Return the same as of a tuple of them."""
        return hash((*self,))


def _cells(column: Any) -> Iterable[Any]:
    """Return the cells of a column; a row of an array with two dimensions is one."""
    if isinstance(column, Sequence):
        return column
    if column.ndim > 1:
        return map(tuple, column.tolist())
    values = column.tolist()
    return [x if isfinite(x) else None for x in values] if column.dtype.kind == "f" else values


@dataclass(frozen=True, slots=True)
class Series:
    """The numbers that a figure shows, one row a mark.

    Attributes
    ----------
    columns : tuple of str
        Machine names, in the order of the cells.
    rows : sequence of tuples
        Unrounded.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure in all its drawn variants.

    Attributes
    ----------
    name, measure : str
        What it shows, and of which measure ("" where of none): its key within
        the section's content.
    alt : str
        Description for a reader who cannot see it, written from the numbers.
    data : Series
        What is drawn.
    screen : str
        SVG at text width whose colours are CSS variables.
    print : str
        SVG at text width with its real colours: for paper and as a file.
    phone : str or None
        SVG at phone width, where one was drawn.
    fault : str
        Why it could not be drawn; then there is no SVG.
    pictures : mapping of str to bytes
        The drawing as files of other documents: "svg" with letters as outlines, "pdf" with its
        fonts, "png"; empty where no format needs them.
    is_requested : bool
        Whether no report has it by itself: the study asks for it, or for all there are.
    """

    name: str
    measure: str
    alt: str
    data: Series
    screen: str
    print: str
    phone: str | None = None
    fault: str = ""
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    is_requested: bool = False


# Columns that several tables have.
CANDIDATE = Column("candidate", "Candidate", "candidate")
DATASET = Column("dataset", "Data set", "dataset")
MEASURE = Column("measure", "Measure", "text")
METHOD = Column("method", "Method", "text")
PAIR = Column("pair", "Pair", "pair")
ADVANTAGE = Column("advantage", "Advantage", "difference")
INTERVAL = Column("interval", "Interval", "difference-interval")
P_VALUE = Column("p_value", "p", "pvalue")
ORDER = Column("order", "Order", "order")
MEAN_RANK = Column("mean_rank", "Mean rank", "rank", "smaller")
Item = TypeVar("Item")
ColumnOf = Column | tuple[Column, Callable[[Item], object]]
"""A column, and what is in it: unless told, what an item has by `ATTRIBUTES`, or by its name."""
ATTRIBUTES: Mapping[Kind, tuple[str, ...]] = {
    "pair": ("first", "second"),
    "counts": ("wins", "ties", "losses"),
}


def cells_of(column: ColumnOf[Any]) -> tuple[Column, Callable[[Any], Any]]:
    """Return a column, and how it gets its cell from an item."""
    if not isinstance(column, Column):
        return column
    return column, attrgetter(*ATTRIBUTES.get(column.kind, (column.name,)))


def with_values(
    columns: Iterable[ColumnOf[Any]], items: Iterable[Any]
) -> list[tuple[Column, Callable[[Any], Any]]]:
    """Return the columns that have a value of some item, as `cells_of` has them."""
    items, filled = tuple(items), map(cells_of, columns)
    return [(c, get) for c, get in filled if any(get(item) is not None for item in items)]


@dataclass(frozen=True, slots=True)
class Table:
    """One table, unrounded.

    Attributes
    ----------
    name, measure : str
        Its key within the section's content; "" where of no measure.
    columns : tuple of Column
        From left to right; the first is the row's head.
    rows : sequence of tuples
        One cell a column, None where there is nothing.
    number_format : NumberFormat or None
        How `value` and `difference` cells are written.
    quiet : tuple of bool
        Rows to set back (no relevant difference); empty for none.
    is_wide : bool
        Whether it may take the margin.
    marked : frozenset of (int, str)
        Further cells that are marked as the best: number of the row, name of the column.
    foot : tuple
        A last row that sums up the others; it is no part of the data. Empty for none.
    number_formats : tuple of (NumberFormat or None)
        Of the rows, where these are of several measures; empty where all have that of the table.
    """

    name: str
    measure: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Any, ...]]
    number_format: NumberFormat | None = None
    quiet: tuple[bool, ...] = ()
    is_wide: bool = False
    marked: frozenset[tuple[int, str]] = frozenset()
    foot: tuple[Any, ...] = ()
    number_formats: tuple[NumberFormat | None, ...] = ()

    @property
    def n_candidates(self) -> int:
        """Columns that are candidates."""
        return sum(bool(column.candidate) for column in self.columns)

    @property
    def shown(self) -> Table:
        """The table without the columns that only files of data have."""
        if all(column.is_shown for column in self.columns):
            return self
        kept = [i for i, column in enumerate(self.columns) if column.is_shown]
        return replace(
            self,
            columns=tuple(self.columns[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
            foot=tuple(self.foot[i] for i in kept if self.foot),
        )

    @classmethod
    def of(
        cls,
        items: Iterable[Any],
        columns: Iterable[ColumnOf[Any]],
        *,
        name: str,
        measure: str = "",
        number_format: NumberFormat | None = None,
        quiet: Callable[[Any], bool] | None = None,
        is_wide: bool = False,
    ) -> Table:
        """Lay out one row an item, from the columns and what is in each.

        Examples
        --------
        >>> real, parts = Column("real", "Real part", "number"), Column("n", "Characters", "count")
        >>> Table.of([1j, 2], [real, (parts, lambda z: len(str(z)))], name="numbers").rows
        ((0.0, 2), (2, 1))
        """
        items, filled = tuple(items), [cells_of(column) for column in columns]
        return cls(
            name,
            measure,
            tuple(column for column, _ in filled),
            tuple(tuple(get(item) for _, get in filled) for item in items),
            number_format,
            () if quiet is None else tuple(map(quiet, items)),
            is_wide,
        )


ROOM, MARK_AND_GAP, CHARACTER = 459.0, 17.0, 4.1  # pt: of the page, and of a column


def fitting_columns(widest: int, beside: int) -> int:
    """Return how many columns of candidates a page has room for, maybe none.

    Parameters
    ----------
    widest : int
        Characters of the widest of them.
    beside : int
        Characters of all other columns.
    """
    return max(0, int((ROOM - CHARACTER * beside) / (MARK_AND_GAP + CHARACTER * widest)))


def entry(attribute: str, key: str) -> Callable[[Any], Any]:
    """Return a getter of a column: what an item's mapping has under a key, else None."""
    return lambda item: getattr(item, attribute).get(key)


@dataclass(frozen=True, slots=True)
class Area:
    """The area of equivalence by which a measure is decided.

    Attributes
    ----------
    measure : Measure
    bounds : tuple of two floats or None
        None where no difference is too small to matter.
    is_ratio : bool
        Whether candidates are compared by ratio.
    is_given : bool
        Whether the study gives it; else it is the usual one of ratios.
    """

    measure: Measure
    bounds: tuple[float, float] | None
    is_ratio: bool
    is_given: bool


@dataclass(frozen=True, slots=True)
class SectionContent:
    """The content of one section, of one data set or of the study.

    Attributes
    ----------
    name : str
        The section's name: its folder, its template, its key in results.json.
    dataset : str or None
        The data set it speaks of; None for the study as a whole.
    result, options : object
        What `analyse` returned, and the options it was given.
    figures, tables : tuple
        Keyed by their name and measure.
    overview : tuple of Table
        Of all data sets together; the first data set's content has it.
    faults : tuple of DrawingFault
        Figures that could not be drawn.
    is_listed : bool
        Whether the section was asked for by its name, not as one of all that apply.
    """

    name: str
    dataset: str | None
    result: Any
    options: Any
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    overview: tuple[Table, ...] = ()
    faults: tuple[DrawingFault, ...] = ()
    is_listed: bool = False

    def table(self, name: str) -> Table:
        """Return the first table of a name."""
        return next(table for table in self.tables if table.name == name)

    @property
    def verdicts(self) -> Iterator[Any]:
        """Yield the decisions on pairs, measure by measure, where the section has taken any."""
        from reportgen.stats.verdict import Verdict  # which imports scipy: a manifest needs none

        found = getattr(self.result, "verdict", self.result)
        if isinstance(found, Mapping):
            yield from (v for v in found.values() if isinstance(v, Verdict))


@dataclass(frozen=True, slots=True)
class Author:
    """An author of a study."""

    name: str
    affiliation: str = ""
    orcid: str = ""
    email: str = ""
    is_corresponding: bool = False
    city: str = ""  # of the affiliation
    country: str = ""


@dataclass(frozen=True, slots=True)
class StudyInfo:
    """Title and authors of a study. Texts take inline Markdown without active content.

    `cited_as` is the title in citations where that is another one, `doi` that of
    what is to be cited, `reference` the candidate that the others are compared with, where there
    is one.
    """

    name: str
    title: str
    authors: tuple[Author, ...] = ()
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    cited_as: str = field(default="", metadata=HIDDEN)
    doi: str = field(default="", metadata=HIDDEN)
    reference: str | None = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class DatasetDesign:
    """One data set of the design; sizes are None where unknown.

    Attributes
    ----------
    name : str
    n_replications, n_missing : int
        Replications that were measured, and their cells without a value.
    n_observations, n_variables, n_classes : int or None
    n_learn, n_distinct, n_test : float or None
        Means over the replications.
    missing : mapping of str to int
        Cells without a value by candidate; only candidates that have any.
    n_incomplete : int
        Replications with such a cell, cells of a candidate and a measure without
        any value on the data set aside.
    n_removed : int
        Replications that the study's rule for missing values leaves out.
    resampling : mapping
        How its samples were drawn, as in the manifest; empty where unknown.
    base : str
        Where a study varies a data set: what the manifest calls it.
    factors : mapping of str to level
        At which levels of what is varied this variant stands.
    n_clusters, n_runs : int
        Clusters that items are in, and how often most items were run; 0 where there are none.
    n_lost_runs : int
        Values of runs that are missing where another run of the item has one.
    response, response_unit : str
        Of a regression: the name of the response, and its unit; "" where unknown.
    formula : str
        Of artificial data: how an observation arises, with what is varied by its name.
    n_measurements : (int, int) or None
        The fewest and the most measurements of a candidate, those without a value among them;
        None where candidates share them.
    """

    name: str
    n_replications: int
    n_missing: int
    n_observations: int | None = None
    n_variables: int | None = None
    n_classes: int | None = None
    n_learn: float | None = None
    n_distinct: float | None = None
    n_test: float | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    n_incomplete: int = 0
    n_removed: int = 0
    resampling: Mapping[str, object] = field(default_factory=dict)
    base: str = ""
    factors: Mapping[str, str | float] = field(default_factory=dict)
    n_clusters: int = 0
    n_runs: int = 0
    n_lost_runs: int = 0
    response: str = ""
    response_unit: str = ""
    formula: str = ""
    n_measurements: tuple[int, int] | None = None

    @property
    def n_each(self) -> tuple[int, int]:
        """The fewest and the most replications that a candidate was measured in."""
        return self.n_measurements or (self.n_replications, self.n_replications)

    @property
    def n_left(self) -> int:
        """Replications that the study's rule for missing values leaves."""
        return self.n_replications - self.n_removed


@dataclass(frozen=True, slots=True)
class Design:
    """The experiment: M data sets, K candidates, B replications, J measures.

    Attributes
    ----------
    datasets : tuple of DatasetDesign
    candidates : tuple of str
    descriptions : mapping of str to str
        A candidate's long name, where there is one.
    measures : tuple of Measure
        The main one first.
    problem, resampling
        As in the warehouse.
    seed : int
    alpha : float
        Family-wise level.
    relevance : mapping of str to (float, float)
        Area of equivalence by measure.
    n_values, n_missing : int
        Cells of the design, and those without a value.
    failures : tuple of Failure
        Why values are missing, as far as it is known.
    unmeasured : tuple of MeasureFailure
        Measures that failed in every fit of a data set.
    warnings : tuple of FitWarning
        What candidates warned of.
    choices : tuple of HyperparameterChoice
        Hyperparameters that candidates chose themselves.
    readings : tuple of (str, str)
        What was decided while results were read, and of which column.
    source : str
        The file of results, for results that existed; "" for an executed study.
    missing_rule : {"available", "complete-dataset", "complete-domain"}
        What becomes of replications with missing values.
    is_table : bool
        Whether it is no experiment but a table: rows and columns stand as replications and
        candidates.
    unit : Unit
        What a replication is.
    reference : str or None
        The candidate whose pairs alone are decided on; None where all pairs are.
    costs : tuple of str or None
        Measures of cost that the study declares; None for the first time.
    waiting : mapping of str to float
        Seconds of a candidate's fits on the clock over those of the processor, the largest of its
        data sets; empty where the study measures no time, and of executions by versions up to 0.2,
        whose times are those of the processor.
    """

    datasets: tuple[DatasetDesign, ...]
    candidates: tuple[str, ...]
    descriptions: Mapping[str, str]
    measures: tuple[Measure, ...]
    problem: Problem | None
    resampling: Mapping[str, object]
    seed: int
    alpha: float
    relevance: Mapping[str, tuple[float, float]]
    n_values: int
    n_missing: int
    failures: tuple[Failure, ...] = ()
    warnings: tuple[FitWarning, ...] = ()
    readings: tuple[tuple[str, str], ...] = ()
    choices: tuple[HyperparameterChoice, ...] = ()
    source: str = ""
    missing_rule: MissingRule = "available"
    is_table: bool = False
    unmeasured: tuple[MeasureFailure, ...] = ()
    unit: Unit = REPLICATION
    costs: tuple[str, ...] | None = None
    reference: str | None = None
    waiting: Mapping[str, float] = field(default_factory=dict)

    @property
    def formulas(self) -> Mapping[str, tuple[str, ...]]:
        """How observations of artificial data arise, and of which data sets."""
        found: dict[str, tuple[str, ...]] = {}
        for dataset in self.datasets:
            if dataset.formula:
                found[dataset.formula] = (*found.get(dataset.formula, ()), dataset.name)
        return found

    @property
    def factors(self) -> dict[str, tuple[str | float, ...]]:
        """What is varied, with its levels, where all data sets are settings of one."""
        bases = {dataset.base for dataset in self.datasets}
        if len(bases) != 1 or "" in bases or len(self.datasets) < 2:
            return {}
        names = dict.fromkeys(name for dataset in self.datasets for name in dataset.factors)
        return {
            name: tuple(dict.fromkeys(d.factors[name] for d in self.datasets if name in d.factors))
            for name in names
        }

    @property
    def n_each(self) -> tuple[int, ...]:
        """The fewest and the most units that a candidate was measured in, of every data set."""
        return tuple(n for dataset in self.datasets for n in dataset.n_each)

    @property
    def lost(self) -> LostFits:
        """How many fits have no value, by what happened."""
        return count_lost(self.failures)

    @property
    def longest_wait(self) -> tuple[str, float] | None:
        """The candidate whose fits took most of the clock for a second of the processor."""
        return max(self.waiting.items(), key=lambda item: item[1], default=None)

    @property
    def has_times(self) -> bool:
        """Whether some measure is a time."""
        return any(measure.unit_symbol == "s" for measure in self.measures)

    @property
    def has_two_classes(self) -> bool:
        """Whether the response of some data set has two classes."""
        return any(d.n_classes == 2 for d in self.datasets)

    @property
    def has_memory(self) -> bool:
        """Whether some measure is the memory of a fit, or of its predictions."""
        known = (KNOWN_MEASURES.get(measure.name) for measure in self.measures)
        return any(k and (k.needs_memory or k.needs_predict_memory) for k in known)

    @property
    def gappy(self) -> tuple[DatasetDesign, ...]:
        """Data sets on which values are missing."""
        return tuple(d for d in self.datasets if d.n_missing)

    @property
    def incomplete(self) -> tuple[DatasetDesign, ...]:
        """Data sets with incomplete replications."""
        return tuple(d for d in self.datasets if d.n_incomplete)

    @property
    def removed(self) -> tuple[DatasetDesign, ...]:
        """Data sets of which the study's rule leaves out replications."""
        return tuple(d for d in self.datasets if d.n_removed)

    @property
    def has_missing_candidates(self) -> bool:
        """Whether some candidate has no value of any measure on a data set."""
        n = len(self.measures)
        return any(x == n * d.n_replications for d in self.datasets for x in d.missing.values())

    @property
    def has_several_schemes(self) -> bool:
        """Whether data sets are settings whose samples are drawn in several ways."""
        return not self.resampling and any(d.resampling for d in self.datasets)

    @property
    def scheme(self) -> str:
        """How samples are drawn; "several" where that is varied, "" where nobody knows."""
        return "several" if self.has_several_schemes else str(self.resampling.get("scheme", ""))

    @property
    def measures_alike(self) -> tuple[tuple[Measure, ...], ...]:
        """The measures, together where unit, direction and its source are the same."""
        groups: dict[tuple[str, str, str], tuple[Measure, ...]] = {}
        for measure in self.measures:
            key = (measure.unit_symbol, measure.better, measure.better_source)
            groups[key] = (*groups.get(key, ()), measure)
        return tuple(groups.values())

    def measure(self, name: str) -> Measure:
        """Return a measure by its name."""
        return next(m for m in self.measures if m.name == name)

    @property
    def report_type(self) -> ReportType:
        """The kind of the report."""
        return report_type_of(
            [dataset.n_replications for dataset in self.datasets],
            len(self.candidates),
            is_table=self.is_table,
            has_factors=bool(self.factors),
            has_spreads=self.unit.is_summary,
        )

    @property
    def vocabulary(self) -> Unit:
        """The words for replications and data sets."""
        if self.factors and self.unit.is_block and self.report_type == "settings":
            return SETTING
        return self.unit

    def dataset(self, name: str) -> DatasetDesign:
        """Return one data set's design by its name."""
        return next(d for d in self.datasets if d.name == name)

    def resampling_of(self, dataset: DatasetDesign | None) -> Mapping[str, object]:
        """Return how samples of a data set, or of all, were drawn; empty where nobody knows."""
        own = dataset.resampling if dataset is not None else {}
        return own or self.resampling

    def scheme_of(self, dataset: DatasetDesign | None) -> str:
        """Return the scheme of a data set, or of all; "" if nobody knows."""
        return str(self.resampling_of(dataset).get("scheme", ""))

    def shares_folds(self, dataset: DatasetDesign | None) -> bool:
        """Whether replications are folds, which are dependent even given the data set."""
        scheme = self.scheme_of(dataset)
        return "fold" in scheme or "cross" in scheme

    @property
    def has_folds(self) -> bool:
        """Whether replications are folds on some data set."""
        return any(self.shares_folds(dataset) for dataset in self.datasets)


@dataclass(frozen=True, slots=True)
class Layout:
    """The look of a report's pages, where it is not the house's.

    Attributes
    ----------
    size : {"a4", "letter"}
    columns : {1, 2}
        Of running text on paper.
    is_anonymous : bool
        Whether the paper does not say who wrote it.
    serif, sans : mapping of (int, str) to Path
        Files of faces on paper by weight and style.
    logo : str
        A data URI.
    footer : str
    light, dark : mapping of str to str
        Colours by name.
    rules : str
        Further style rules.
    """

    size: Literal["a4", "letter"] = "a4"
    columns: Literal[1, 2] = 2
    is_anonymous: bool = False
    serif: Mapping[tuple[int, str], Path] = field(default_factory=dict)
    sans: Mapping[tuple[int, str], Path] = field(default_factory=dict)
    logo: str = ""
    footer: str = ""
    light: Mapping[str, str] = field(default_factory=dict)
    dark: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""


Fact = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What a report answers of checklists about one topic.

    Attributes
    ----------
    topic : str
    items : mapping of str to tuple of str
        Numbers of the items that ask about it, by checklist.
    places : tuple of str
        Where the answer stands: anchors of the HTML report; empty where there is none.
    facts : mapping of str to str, int, float or bool
        What the answer states.
    missing : tuple of str
        What is not answered, by its reason.
    """

    topic: str
    items: Mapping[str, tuple[str, ...]]
    places: tuple[str, ...]
    facts: Mapping[str, Fact]
    missing: tuple[str, ...]

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer, perhaps in part."""
        return bool(self.places)


DECIDING = ("inference", "domain", "items", "sensitivity")
"""Sections whose verdicts a conclusion rests on: without one it would rest on another."""

DESCRIPTIVE = ("archetypes", "eda", "psychoanalysis")
"""Sections that test no difference of candidates."""


class ReportConclusion(Protocol):
    """What a report says of its conclusion, which `reportgen.conclusion` draws from it."""

    @property
    def target(self) -> DecidingTarget | None:
        """What the verdict speaks of."""

    @property
    def is_in_parts(self) -> bool:
        """Whether settings or data sets have verdicts each, and there is none over all."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a back end needs, and nothing it has to compute.

    Attributes
    ----------
    study : StudyInfo
    design : Design
    contents : tuple of SectionContent
        In the order of the report.
    provenance : Provenance
    length : {"article", "full"}
        Of the rendered report; results.json and the tables are the same.
    layout : Layout
        Of pages.
    samples : tuple of Samples
        Observations, learning samples and fitted curves, of data sets where the
        study kept them and they are few enough to be shown.
    conclusion : ReportConclusion or None
        What the sections come to; None where they come to nothing. As a `Conclusion`:
        `reportgen.conclusion.result.conclusion_of`.
    checklists : tuple of Answer
        What it answers of the checklists of authors and referees.
    performances : tuple of Performances
        What was measured, of every data set and measure: a page lets its reader select among
        the replications.
    named : tuple of str
        Sections that the manifest lists: they stand in the article, whatever its type.
    section_faults : tuple of SectionFault
        Sections that could not be computed; `contents` lacks them.
    """

    study: StudyInfo
    design: Design
    contents: tuple[SectionContent, ...]
    provenance: Provenance
    length: Length = field(default="article", metadata=HIDDEN)
    performances: tuple[Performances, ...] = field(
        default=(), repr=False, compare=False, metadata=HIDDEN
    )
    layout: Layout = field(default=Layout(), metadata=HIDDEN)
    conclusion: ReportConclusion | None = None
    checklists: tuple[Answer, ...] = ()
    samples: tuple[Samples, ...] = field(default=(), repr=False, compare=False)
    named: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    section_faults: tuple[SectionFault, ...] = ()

    @property
    def areas(self) -> tuple[Area, ...]:
        """The area of equivalence of each measure that is decided on, as the verdicts have it.

        Of a measure without a verdict it is what the study gives, if anything.
        """
        decided = {v.measure.name: v for c in self.contents for v in c.verdicts}
        found = []
        for measure in self.design.measures:
            verdict = decided.get(measure.name)
            given = self.design.relevance.get(measure.name)
            if verdict is not None:
                area = Area(measure, verdict.relevance, verdict.is_ratio, verdict.is_area_given)
            elif given is not None:
                area = Area(measure, given, is_ratio=given[0] > 0, is_given=True)
            else:
                continue
            found.append(area)
        return tuple(found)

    @property
    def tests_pairs(self) -> bool:
        """Whether there is a section that tests differences of candidates."""
        are_several = len(self.design.candidates) > 1
        return are_several and any(c.name not in DESCRIPTIVE for c in self.contents)

    @property
    def density(self) -> Density:
        """Compact where the article has all that a referee asks for: sections add no more."""
        is_compact = self.length == "article" and self.design.report_type in COMPACT
        return "compact" if is_compact else "full"

    @property
    def drawing_faults(self) -> tuple[DrawingFault, ...]:
        """Return the figures that could not be drawn, in the report's order."""
        return tuple(fault for content in self.contents for fault in content.faults)

    @property
    def lacks_verdict(self) -> bool:
        """Whether a section is lost on whose verdict the conclusion rests, or might rest."""
        return any(fault.section in DECIDING for fault in self.section_faults)

    def of_section(self, name: str) -> tuple[SectionContent, ...]:
        """Return the contents of one section, one a data set."""
        return tuple(c for c in self.contents if c.name == name)
