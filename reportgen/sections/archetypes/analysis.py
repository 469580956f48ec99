"""Archetypes of the domain, or of a user's own table (Eugster 2011, chapters 4.4 and 8 to 10).

Fits a scree of numbers of archetypes, and repeats the chosen fit from fresh starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.errors import AnalysisError
from reportgen.notation import NumberFormat, align_numbers, number, number_format
from reportgen.performance_measure import Measure
from reportgen.sections.archetypes import Options
from reportgen.sections.archetypes.table import RowKind, View, view_of
from reportgen.sections.datasets import Mapper, in_turn
from reportgen.stats.archetypal_analysis import LEAST_GAIN
from reportgen.stats.archetypal_analysis.choice import (
    ArchetypesFit,
    Scree,
    choose_fit,
    percentiles_of,
)
from reportgen.stats.archetypal_analysis.fit import Archetypes, most_archetypes
from reportgen.stats.archetypal_analysis.fit import Options as FitOptions
from reportgen.stats.archetypal_analysis.stability import (
    LEAST_STARTS,
    ArchetypeSupport,
    Restarts,
    archetype_support,
)
from reportgen.stats.arrays import Array
from reportgen.stats.subsamples import SubsampleSupport, subsample_size
from reportgen.study.errors import listed, shown, suggestion
from reportgen.warehouse import Warehouse

Matrix = tuple[tuple[float, ...], ...]
Reason = Literal["too-few-rows", "too-few-columns", "no-complete-row", "one-point"]

MOST_TOLD = 4  # archetypes that the text describes
MOST_IN_A_ROW = 6  # archetypes whose values have room beside each other
LOW, HIGH = 1 / 3, 2 / 3
"""Percentiles below and above which an archetype is low and high in a column."""
MAIN = 0.5
"""Share from which a row or a group is made of an archetype."""
PART = 0.2
"""Share from which an archetype is named as part of a mixture."""
FIRM = 0.9
"""Share of the subsamples from which a group is said to be made of the same archetype."""
MOST_DECIMALS = 3
"""Decimals at most with which a group's share is written in per cent."""


NOTHING = 1e-8
"""Share of what a single point leaves that is no more than what a fit is stopped at."""


@dataclass(frozen=True, slots=True)
class Step:
    """A fit with one number of archetypes.

    Attributes
    ----------
    k : int
    rss : float
        The residual sum of squares on the scaled data, weighted for a weighted fit;
        for a robust one of the rows that have weight in at least half of the fits.
    explained : float
        1 minus it over that of a single point.
    gain : float or None
        What the last archetype explains; None for the first.
    """

    k: int
    rss: float
    explained: float
    gain: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """One archetype.

    Attributes
    ----------
    number : int
        From 1, the archetype with the lowest percentiles first.
    values : tuple of float
        Of the m columns, in their units.
    percentiles : tuple of float
        Share of the column's values below it, ties counting half.
    low, high : tuple of str
        Columns in whose lower and upper third it lies.
    members : tuple of str
        Groups that are made of it.
    n_rows : int
        Rows that are made of it.
    sources : tuple of (str, float)
        The labels that it is a mixture of, with their shares, the largest first.
    nearest : tuple of str
        Labels of the rows with the largest shares of it, at most three; of tables only.
    distance : float or None
        Median distance from its match in subsamples, in units of a usual row's
        distance from the middle; None where there were none.
    """

    number: int
    values: tuple[float, ...]
    percentiles: tuple[float, ...]
    low: tuple[str, ...]
    high: tuple[str, ...]
    members: tuple[str, ...]
    n_rows: int
    sources: tuple[tuple[str, float], ...]
    nearest: tuple[str, ...]
    distance: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one candidate (or the row of one data set).

    Attributes
    ----------
    name : str
    n_rows : int
    shares : tuple of float
        Mean of the rows' mixtures, of length k.
    main : int or None
        Number of the archetype that it is made of; None for a mixture.
    returned : float or None
        Share of the subsamples in which the largest share is that of the same archetype.
    n_outliers : int
        Rows without weight in a robust fit.
    """

    name: str
    n_rows: int
    shares: tuple[float, ...]
    main: int | None
    returned: float | None
    n_outliers: int

    @property
    def parts(self) -> tuple[tuple[float, int], ...]:
        """The archetypes that it is a mixture of, with their shares, the largest first.

        Empty where fewer than two have a share worth naming.
        """
        found = [(share, j) for j, share in enumerate(self.shares, start=1) if share >= PART]
        return tuple(sorted(found, reverse=True)) if len(found) > 1 else ()


@dataclass(frozen=True, slots=True)
class ArchetypesResult:
    """The archetypes of a table.

    Attributes
    ----------
    rows : {"replications", "candidates", "datasets", "table"}
        What a row is.
    fit, weights, scaling : str
        As fitted.
    measures : tuple of Measure
        None of a user's own table.
    columns : tuple of str
    n_rows, n_distinct, n_gaps, n_dropped : int
        Rows that went in, how many different ones they are, those of them with a gap,
        and those left out for one.
    unavailable : str or None
        Why there are no archetypes.
    k, elbow : int
    is_by_elbow : bool
        Whether the manifest left k to the elbow.
    least_gain : float
    most : int
        The largest number that was tried.
    rss : mapping of int to float
        By number of archetypes.
    steps : tuple of Step
    archetypes, percentiles : tuple of tuples of float
        Of shape (k, m), in the columns' units.
    alpha : ndarray of shape (n, k)
        What each row is made of.
    beta : ndarray of shape (k, n)
        What each archetype is made of.
    labels : tuple of str
    numbers : tuple of int or None
        Replications of the rows.
    values : ndarray of shape (n, m)
        The rows in the columns' units; NaN where there is no value.
    residuals, row_weights : ndarray of shape (n,)
        Euclidean residuals on the scaled data; weights given or found.
    bound : float or None
        Residual from which a robust fit gives no weight.
    n_outliers : int
        Rows without weight in a robust fit.
    profiles : tuple of Profile
    groups : tuple of Group
        In the study's order; none of a table.
    n_samples, n_failed : int
        Subsamples of the data sets (rows, where these are data sets or a table's), and
        those whose hull had too few vertices.
    recurrence : SubsampleSupport or None
        In how many of them all archetypes return, none farther from its match than .35
        of the rows' median distance from one another. None where that cannot be
        assessed.
    is_converged : bool
    n_restarts, n_agreeing : int
        Fresh starts that went all the way, and those that came to the same archetypes: none is
        farther from its match than 0.1 of a usual row's distance from the middle.
    n_returning : int
        Fresh starts that return to them, as subsamples do.
    restart_distance : float or None
        The largest of these distances among the starts that agree; None where none does.
    is_of_restart : bool
        Whether one of the fresh starts was better than the best before, and is taken.
    scaled, scaled_archetypes : ndarray of shape (n, m) and (k, m)
        Rows and archetypes on the scale of the fit.
    trace : tuple of float
        The objective at the start, and after each sweep.
    skeleton : mapping of str to str
        Columns by the part of a body that they measure.
    """

    rows: RowKind
    fit: str
    weights: str
    scaling: str
    measures: tuple[Measure, ...]
    columns: tuple[str, ...]
    n_rows: int
    n_distinct: int
    n_gaps: int
    n_dropped: int
    unavailable: Reason | None
    k: int = 0
    elbow: int = 0
    is_by_elbow: bool = True
    least_gain: float = 0.0
    most: int = 0
    rss: Mapping[int, float] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    archetypes: Matrix = ()
    percentiles: Matrix = ()
    alpha: Array = field(default_factory=lambda: np.empty((0, 0)), compare=False)
    beta: Array = field(default_factory=lambda: np.empty((0, 0)), compare=False)
    labels: tuple[str, ...] = ()
    numbers: tuple[int, ...] | None = None
    values: Array = field(default_factory=lambda: np.empty((0, 0)), compare=False, metadata=HIDDEN)
    residuals: Array = field(default_factory=lambda: np.empty(0), compare=False)
    row_weights: Array = field(default_factory=lambda: np.empty(0), compare=False)
    bound: float | None = None
    n_outliers: int = 0
    profiles: tuple[Profile, ...] = ()
    groups: tuple[Group, ...] = ()
    n_samples: int = 0
    n_failed: int = 0
    recurrence: SubsampleSupport | None = None
    is_converged: bool = True
    n_restarts: int = 0
    n_agreeing: int = 0
    n_returning: int = 0
    restart_distance: float | None = None
    is_of_restart: bool = False
    scaled: Array = field(default_factory=lambda: np.empty((0, 0)), compare=False, metadata=HIDDEN)
    scaled_archetypes: Array = field(
        default_factory=lambda: np.empty((0, 0)), compare=False, metadata=HIDDEN
    )
    trace: tuple[float, ...] = field(default=(), metadata=HIDDEN)
    skeleton: Mapping[str, str] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def number_format(self) -> NumberFormat | None:
        """How values are written where all are of one measure."""
        if len(self.measures) != 1:
            return None
        return number_format(self.measures[0], [x for own in self.archetypes for x in own])

    def written(self, column: int) -> tuple[str, ...]:
        """Write the archetypes' values of a column, with the same decimals."""
        own, at = [values[column] for values in self.archetypes], self.number_format
        return align_numbers(own) if at is None else tuple(map(at.value, own))

    @property
    def explained(self) -> float:
        """The share that the chosen archetypes explain of the residuals of a single point."""
        return self.steps[self.k - 1].explained

    @property
    def is_every_row(self) -> bool:
        """Whether each of the different rows is an archetype of its own."""
        return self.k >= self.n_distinct and self.leaves_nothing

    @property
    def leaves_nothing(self) -> bool:
        """Whether every row is exactly a mixture of the chosen archetypes."""
        return self.explained > 1 - NOTHING

    @property
    def is_reportable(self) -> bool:
        """Whether the archetypes return often enough, also from fresh starts, to be a finding."""
        returns = self.recurrence is not None and self.recurrence.is_reportable
        return returns and self.n_returning >= LEAST_STARTS * self.n_restarts

    @property
    def n_repeated(self) -> int:
        """Number of subsamples in which archetypes were found."""
        return self.n_samples - self.n_failed

    @property
    def is_drawn_with_values(self) -> bool:
        """Whether the heat map has room for the values of all archetypes."""
        return self.k <= MOST_IN_A_ROW

    def pages_of(self, name: str) -> tuple[str, ...]:
        """Return the names that the pages of a table may have, one an archetype at most."""
        return (name, *(f"{name}-{i}" for i in range(2, self.k + 1)))

    @property
    def share_decimals(self) -> int:
        """Decimals of groups' shares in per cent: what is too small for a main one looks so."""
        below = [100 * x for group in self.groups for x in group.shares if x < MAIN]
        tried = range(MOST_DECIMALS)
        fitting = (d for d in tried if all(float(number(x, d)) < 100 * MAIN for x in below))
        return next(fitting, MOST_DECIMALS)

    @property
    def is_of_candidates(self) -> bool:
        """Whether groups are candidates."""
        return self.rows in ("replications", "candidates")

    @property
    def is_outside(self) -> NDArray[np.bool_]:
        """The rows that a robust fit leaves without weight, of shape (n,)."""
        is_weightless = self.row_weights == 0
        return is_weightless if self.fit == "robust" else np.zeros_like(is_weightless)

    @property
    def has_weights(self) -> bool:
        """Whether rows have different weights."""
        return bool(len(self.row_weights) and np.ptp(self.row_weights) > 0)

    @property
    def is_finding(self) -> bool:
        """Whether there are several archetypes, which are not just the rows, and they return."""
        is_there = not self.unavailable and self.k > 1 and not self.is_every_row
        return is_there and self.is_reportable

    @property
    def n_made(self) -> int:
        """Number of rows that are made of one archetype."""
        return sum(profile.n_rows for profile in self.profiles)

    @property
    def n_settled(self) -> int:
        """Number of groups that are made of one archetype."""
        return sum(len(profile.members) for profile in self.profiles)

    @property
    def owned(self) -> tuple[Profile, ...]:
        """The archetypes that some group is made of."""
        return tuple(profile for profile in self.profiles if profile.members)

    @property
    def told(self) -> tuple[Profile, ...]:
        """The archetypes that the text describes, those that a candidate is made of first."""
        if not self.is_of_candidates:
            return self.profiles[:MOST_TOLD]
        others = tuple(profile for profile in self.profiles if not profile.members)
        return (*self.owned, *others)[:MOST_TOLD] if self.owned else ()

    @property
    def n_untold(self) -> int:
        """How many others there are, if the text describes some."""
        return len(self.profiles) - len(self.told) if self.told else 0

    @property
    def wandering(self) -> tuple[str, ...]:
        """The groups of one archetype that are too often of another one in subsamples."""
        return tuple(g.name for g in self._settled if g.returned is not None and g.returned < FIRM)

    @property
    def is_firm(self) -> bool:
        """Whether subsamples leave every group of one archetype with it, and there are some."""
        return bool(self._settled) and not self.wandering

    @property
    def _settled(self) -> tuple[Group, ...]:
        """The groups that are made of one archetype, where there are subsamples."""
        return tuple(g for g in self.groups if g.main is not None and g.returned is not None)

    @property
    def outliers(self) -> tuple[str, ...]:
        """Labels of the rows that a robust fit leaves without weight, the farthest first."""
        rows = sorted(np.flatnonzero(self.is_outside), key=lambda i: -float(self.residuals[i]))
        return tuple(self.labels[i] for i in rows)

    @property
    def is_numbered(self) -> bool:
        """Whether rows are distinguished by replications, too."""
        return self.rows == "replications"

    @property
    def mixed_groups(self) -> tuple[Group, ...]:
        """The groups that are made of no single archetype."""
        return tuple(group for group in self.groups if group.main is None)


def fit_archetypes(
    view: View,
    weights: Array | None,
    options: Options,
    most: int,
    generators: tuple[Generator, Generator],
    mapper: Mapper,
) -> ArchetypesFit:
    """Fit 1 to `most` archetypes, and fit anew with the chosen number.

    `weights`: shape (n,).
    `most`: as many as the rows can have, or fewer.
    `generators`: of the scree, and of the fresh starts.
    `mapper`: does the fresh starts, in turn or side by side.
    """
    return choose_fit(
        view.values,
        most,
        generators,
        weights=weights,
        options=fit_options(options),
        n_archetypes=options.k,
        mapper=mapper,
    )


def fit_options(options: Options) -> FitOptions:
    """Return how archetypes are looked for."""
    return FitOptions(options.fit, options.weights, options.scaling, n_starts=options.starts)


LEAST_ROWS, LEAST_COLUMNS = 3, 2
MOST_SOURCES = 5
NEAREST = 3


def analyse(
    warehouse: Warehouse, options: Options, rng: Generator, mapper: Mapper = in_turn
) -> ArchetypesResult:
    """Find the archetypes of the rows that the options ask for.

    `mapper`: does the starts and samples that show how stable the archetypes are, in turn or side
    by side.
    Raises AnalysisError if the manifest asks for more archetypes than the rows can have, or gives a
    weight to a row that is not there.
    """
    view, n_dropped = _usable(view_of(warehouse, options), options)
    weights = _weights(view, options)
    _check_skeleton(view, options)
    bare = _bare(view, options, n_dropped)
    if bare.unavailable:
        return bare
    most = max(options.most, options.k or 0)
    possible = most_archetypes(view.values, most, weights, fit_options(options))
    if options.k is not None and options.k > possible:
        raise AnalysisError(
            f"sections: archetypes: k: found {options.k}; allowed 1 to {possible}, as the convex "
            f"hull of the {len(view.labels)} rows has no more vertices"
        )
    if possible < 2:
        return replace(bare, unavailable="one-point")
    first, second, third = rng.spawn(3)
    found = fit_archetypes(view, weights, options, possible, (first, third), mapper)
    task = _Task(view, found.scree, found.restarts, found.fit, weights, mapper)
    return task.result(bare, options, second)


def _usable(view: View, options: Options) -> tuple[View, int]:
    """Leave out rows with gaps where the fit cannot have any."""
    whole = view.is_complete
    if fit_options(options).allows_gaps or whole.all():
        return view, 0
    return view.taking(whole, np.ones(len(view.columns), dtype=bool)), int((~whole).sum())


def _weights(view: View, options: Options) -> Array | None:
    """Return the weight of every row, by its label."""
    for name in options.row_weights:
        if name not in view.labels:
            names = list(dict.fromkeys(view.labels))
            question = suggestion(name, names)
            raise AnalysisError(
                f"sections: archetypes: row_weights: found {shown(name)}; "
                f"allowed {listed(names)}{question}"
            )
    if options.fit != "weighted":
        return None
    weights = np.array([options.row_weights.get(label, 1.0) for label in view.labels])
    if len(weights) and not weights.any():
        raise AnalysisError(
            "sections: archetypes: row_weights: found 0 for every row; allowed a weight above 0 "
            "for one"
        )
    return weights


def _check_skeleton(view: View, options: Options) -> None:
    """Refuse columns that are not there."""
    for part, name in options.skeleton.items():
        if name not in view.columns:
            question = suggestion(name, view.columns)
            raise AnalysisError(
                f"sections: archetypes: skeleton: {part}: found {shown(name)}; "
                f"allowed {listed(view.columns)}{question}"
            )


def _bare(view: View, options: Options, n_dropped: int) -> ArchetypesResult:
    """Return what is known before anything is fitted, and whether anything can be."""
    whole = view.is_complete
    return ArchetypesResult(
        rows=view.kind,
        fit=options.fit,
        weights=options.weights,
        scaling=options.scaling or ("robust" if options.fit == "robust" else "standard"),
        measures=view.measures,
        columns=view.columns,
        n_rows=len(view.labels),
        n_distinct=len({row.tobytes() for row in view.values}),
        n_gaps=int((~whole).sum()),
        n_dropped=n_dropped,
        unavailable=_reason(view, whole),
    )


def _reason(view: View, whole: NDArray[np.bool_]) -> Reason | None:
    if len(view.columns) < LEAST_COLUMNS:
        return "too-few-columns"
    if not whole.any():
        return "no-complete-row"
    return "too-few-rows" if len(view.labels) < LEAST_ROWS else None


@dataclass(frozen=True, slots=True)
class _Task:
    """A fit that was chosen, and what it was chosen from."""

    view: View
    found: Scree
    again: Restarts | None
    fit: Archetypes
    weights: Array | None
    mapper: Mapper

    def result(self, bare: ArchetypesResult, options: Options, rng: Generator) -> ArchetypesResult:
        """Return the result."""
        fit, names = self.fit, self._names
        tried = self._stability(options.n_samples(self.view.values.size), names, rng)
        steady = tried if tried and len(tried.distances) else None
        groups = self._groups(names, steady)
        percentiles = percentiles_of(self.view.values, fit.archetypes)
        return replace(
            bare,
            k=len(fit.scaled),
            elbow=self.found.elbow,
            is_by_elbow=options.k is None,
            least_gain=LEAST_GAIN,
            most=len(self.found.fits),
            rss=dict(enumerate(self.found.objectives, start=1)),
            steps=self._steps(),
            archetypes=_rows(fit.archetypes),
            percentiles=_rows(percentiles),
            alpha=fit.mixtures,
            beta=fit.shares,
            labels=self.view.labels,
            values=self.view.values,
            numbers=self.view.numbers,
            residuals=fit.residuals,
            row_weights=fit.weights,
            bound=fit.bound,
            n_outliers=int((fit.weights == 0).sum()) if fit.bound is not None else 0,
            profiles=self._profiles(percentiles, groups, steady),
            groups=groups,
            n_samples=len(tried.distances) + tried.n_failed if tried else 0,
            n_failed=tried.n_failed if tried else 0,
            recurrence=tried.recurrence if tried else None,
            is_converged=fit.is_converged,
            scaled=fit.scaling.scaled(self.view.values),
            scaled_archetypes=fit.scaled,
            trace=fit.trace,
            skeleton={str(part): name for part, name in options.skeleton.items()},
            **self._restarts(),
        )

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the groups: none of a table, whose rows are on their own."""
        return () if self.view.kind == "table" else tuple(dict.fromkeys(self.view.labels))

    def _steps(self) -> tuple[Step, ...]:
        gains = (None, *np.diff(self.found.explained).tolist())
        return tuple(
            Step(len(fit.scaled), rss, explained, gain)
            for fit, rss, explained, gain in zip(
                self.found.fits, self.found.objectives, self.found.explained, gains, strict=True
            )
        )

    def _restarts(self) -> dict[str, Any]:
        """Return how many fresh starts reach these archetypes, and how nearly."""
        if self.again is None:
            return {}
        return {
            "n_restarts": len(self.again.distances),
            "n_agreeing": int(self.again.agrees.sum()),
            "n_returning": int(self.again.returns.sum()),
            "restart_distance": self.again.largest,
            "is_of_restart": self.again.is_better,
        }

    def _stability(
        self, n_samples: int, names: Sequence[str], rng: Generator
    ) -> ArchetypeSupport | None:
        """Look for the archetypes in subsamples, where these can have as many."""
        k, datasets = len(self.fit.scaled), self._datasets
        size = subsample_size(len(self.view.labels) if datasets is None else 1 + datasets.max())
        least = LEAST_COLUMNS if datasets is not None else max(LEAST_ROWS, k + 1)
        if not n_samples or k < 2 or size < least:
            return None
        place = {name: i for i, name in enumerate(names)}
        groups = np.array([place[label] for label in self.view.labels]) if names else None
        return archetype_support(
            self.view.values,
            self.fit,
            n_samples,
            rng,
            weights=self.weights,
            datasets=datasets,
            has_all_rows=self.view.kind == "candidates",
            groups=groups,
            mapper=self.mapper,
        )

    @property
    def _datasets(self) -> NDArray[np.int64] | None:
        """Number of each column's data set; none where rows are data sets, or a table's."""
        if self.view.kind in ("datasets", "table"):
            return None
        names = [dataset for dataset, _ in self.view.sources]
        place = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return np.array([place[name] for name in names], dtype=np.int64)

    def _groups(self, names: Sequence[str], steady: ArchetypeSupport | None) -> tuple[Group, ...]:
        labels = np.array(self.view.labels, dtype=object)
        return tuple(self._group(g, name, labels == name, steady) for g, name in enumerate(names))

    def _group(
        self, g: int, name: str, rows: NDArray[np.bool_], steady: ArchetypeSupport | None
    ) -> Group:
        shares = self.fit.mixtures[rows].mean(axis=0)
        largest = int(shares.argmax())
        is_robust = self.fit.bound is not None
        return Group(
            name=name,
            n_rows=int(rows.sum()),
            shares=tuple(shares.tolist()),
            main=largest + 1 if shares[largest] >= MAIN else None,
            returned=float((steady.shares[:, g].argmax(axis=1) == largest).mean())
            if steady
            else None,
            n_outliers=int((self.fit.weights[rows] == 0).sum()) if is_robust else 0,
        )

    def _profiles(
        self, percentiles: Array, groups: Sequence[Group], steady: ArchetypeSupport | None
    ) -> tuple[Profile, ...]:
        columns, fit = self.view.columns, self.fit
        is_outside = (fit.weights == 0) & (fit.bound is not None)
        return tuple(
            Profile(
                number=j + 1,
                values=tuple(fit.archetypes[j].tolist()),
                percentiles=tuple(own.tolist()),
                low=tuple(c for c, p in zip(columns, own, strict=True) if p < LOW),
                high=tuple(c for c, p in zip(columns, own, strict=True) if p > HIGH),
                members=tuple(group.name for group in groups if group.main == j + 1),
                n_rows=int(((fit.mixtures[:, j] >= MAIN) & ~is_outside).sum()),
                sources=self._sources(j),
                nearest=self._nearest(j),
                distance=float(steady.medians[j]) if steady else None,
            )
            for j, own in enumerate(percentiles)
        )

    def _sources(self, j: int) -> tuple[tuple[str, float], ...]:
        """Return what an archetype is a mixture of, added up by label."""
        sums: dict[str, float] = {}
        for i in np.flatnonzero(self.fit.shares[j] > 0):
            sums[self.view.labels[i]] = sums.get(self.view.labels[i], 0) + float(
                self.fit.shares[j, i]
            )
        return tuple(sorted(sums.items(), key=lambda item: -item[1])[:MOST_SOURCES])

    def _nearest(self, j: int) -> tuple[str, ...]:
        """Return the rows of a table that are most like an archetype."""
        if self.view.kind != "table":
            return ()
        shares = np.where(self.fit.weights > 0, self.fit.mixtures[:, j], -1)
        order = np.argsort(-shares, kind="stable")[:NEAREST]
        return tuple(self.view.labels[i] for i in order if shares[i] >= MAIN)


def _rows(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))
