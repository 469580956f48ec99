"""Results of the section: archetypes, mixtures of rows and groups, and their stability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, align_numbers, number, number_format
from reportgen.performance_measure import Measure
from reportgen.sections.archetypes.table import RowKind
from reportgen.stats.archetypal_analysis.stability import LEAST_STARTS
from reportgen.stats.arrays import Array
from reportgen.stats.subsamples import SubsampleSupport

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
