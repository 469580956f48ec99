"""What changed between two runs, as numbers and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, get_args

from reportgen.data_classes import dataclass
from reportgen.difference.reading import Order, PairVerdict, Ranking
from reportgen.performance_measure import Measure
from reportgen.report import Provenance

Sharing = Literal[
    "given",  # the caller says that replications are shared, or that they are not
    "same-seed",  # the same seed, data, resampling and sizes
    "same-items",  # they are items of the same names
    "same-values",  # some candidate has the same values, to the last bit, in all replications
    "same-sizes",  # sizes of samples that vary over replications, and agree
    "other-seed",
    "other-data",
    "other-resampling",
    "other-sizes",
    "unknown",  # imported, and nothing shows that samples are the same
]
"""Why the replications of two runs are taken for the same, or not."""

CellStatus = Literal["unchanged", "changed", "no-change-shown", "untested"]
VerdictStatus = Literal["moved", "no-move-shown", "same-values", "untested"]
Aspect = Literal["values", "verdicts", "design"]
MOST_QUIET = 60  # rows of a table without a shown change
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One of the two runs."""

    name: str  # the path it was read from
    study: str
    provenance: Provenance
    has_values: bool  # whether its replications are known, or only its results


@dataclass(frozen=True, slots=True)
class Setting:
    """An entry of the design or of the environment that differs."""

    name: str  # such as "seed" or "numpy"
    of: str  # data set, measure or package it belongs to; "" of none
    # before, after: "" where a run has none.
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """Whether the replications of both runs are the same on a data set."""

    dataset: str
    is_shared: bool
    reason: Sharing  # how that was decided
    n_shared: int  # replications that both runs have, where they are the same


@dataclass(frozen=True, slots=True)
class Change:
    """A change, second run - first run, with its simultaneous interval."""

    # estimate, lower, upper: A difference, or the ratio of geometric means.
    estimate: float | None
    lower: float | None
    upper: float | None
    p_value: float | None  # adjusted for all that is tested
    # n_first, n_second: Values of each run; of pairs those that both have.
    n_first: int
    n_second: int
    is_paired: bool
    is_ratio: bool


@dataclass(frozen=True, slots=True)
class CellChange:
    """The values of a candidate on a data set by a measure, in both runs."""

    dataset: str
    measure: str
    candidate: str
    # Unchanged: equal to the last bit in all replications; untested: too few values.
    status: CellStatus
    # first_mean, second_mean: Geometric where the change is a ratio.
    first_mean: float | None
    second_mean: float | None
    # first_missing, second_missing: Replications without a value.
    first_missing: int
    second_missing: int
    change: Change | None  # None of what is unchanged
    is_better: bool | None  # whether the second run is better, where a change is shown


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A pair with another verdict."""

    dataset: str | None  # None over all data sets
    measure: str
    first: str
    second: str
    # before, after: On first against second.
    before: PairVerdict
    after: PairVerdict
    # Whether the difference of the pair is shown to have changed. Same-values: all values are
    # unchanged, so that settings or the family of the pairs have changed the verdict.
    status: VerdictStatus
    change: Change | None  # of the difference first - second (or their ratio)


@dataclass(frozen=True, slots=True)
class OrderChange:
    """Another order by verdicts, of which no test is made."""

    dataset: str | None  # None over all data sets
    measure: str
    before: Ranking
    after: Ranking


@dataclass(frozen=True, slots=True)
class ConsensusChange:
    """Another consensus, of which no test is made."""

    dataset: str | None  # None over all data sets
    measure: str  # "" over all relations of a data set
    # before, after: All optima.
    before: tuple[Order, ...]
    after: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed from a first to a second run."""

    first: RunInfo
    second: RunInfo
    # Probability of any false alarm: of a change of values, or of a verdict said to have moved.
    alpha: float
    measures: tuple[Measure, ...]  # those of both runs
    candidates: tuple[str, ...]  # those of both runs
    # design, environment: What differs.
    design: tuple[Setting, ...]
    environment: tuple[Setting, ...]
    pairings: tuple[Pairing, ...]  # of the data sets of both runs
    cells: tuple[CellChange, ...]  # of the candidates, data sets and measures of both runs
    # n_cells_tested, n_pairs_tested: Sizes of the families, which have an equal part of alpha each:
    # within and over them Bonferroni's inequality holds.
    n_cells_tested: int
    n_pairs_tested: int
    n_verdicts: int  # pairs that have a verdict in both runs
    verdicts: tuple[VerdictChange, ...]
    orders: tuple[OrderChange, ...]
    consensus: tuple[ConsensusChange, ...]

    def confirmed_by(self, again: Difference) -> Difference:
        """Return the changes with each one that did not return in another run as not shown.

        `again`: what changed from the same first run to one that was made anew.
        """
        cells = {(c.dataset, c.measure, c.candidate): c for c in again.with_status("changed")}
        moved = {(v.dataset, v.measure, v.first, v.second): v for v in again.moved}

        def is_same(own: CellChange) -> bool:
            other = cells.get((own.dataset, own.measure, own.candidate))
            return other is not None and other.is_better == own.is_better

        def has_moved(own: VerdictChange) -> bool:
            other = moved.get((own.dataset, own.measure, own.first, own.second))
            if other is None or own.change is None or other.change is None:
                return False
            both = own.change.estimate, other.change.estimate
            return len({x > 0 for x in both if x is not None}) == 1

        return replace(
            self,
            cells=tuple(
                replace(c, status="no-change-shown", is_better=None)
                if c.status == "changed" and not is_same(c)
                else c
                for c in self.cells
            ),
            verdicts=tuple(
                replace(v, status="no-move-shown")
                if v.status == "moved" and not has_moved(v)
                else v
                for v in self.verdicts
            ),
        )

    def with_status(self, status: CellStatus) -> tuple[CellChange, ...]:
        """Return the cells with a status."""
        return tuple(cell for cell in self.cells if cell.status == status)

    @property
    def moved(self) -> tuple[VerdictChange, ...]:
        """Verdicts whose difference is shown to have changed."""
        return tuple(verdict for verdict in self.verdicts if verdict.status == "moved")

    @property
    def has_values(self) -> bool:
        """Whether values are compared: both runs have them."""
        return self.first.has_values and self.second.has_values

    def rows_of(self, measure: str) -> tuple[CellChange, ...]:
        """Return the cells of a measure that are shown: changes first, of the others so many."""
        own = [c for c in self.cells if c.measure == measure and c.change is not None]
        changed = [cell for cell in own if cell.status == "changed"]
        others = [cell for cell in own if cell.status != "changed"]
        return (*changed, *others[:MOST_QUIET])

    def n_without_row(self, measure: str) -> int:
        """Return how many cells of a measure are not shown, unchanged ones aside."""
        own = sum(c.measure == measure and c.change is not None for c in self.cells)
        return own - len(self.rows_of(measure))

    def is_ratio(self, measure: str) -> bool:
        """Whether changes of a measure are ratios."""
        cells = [cell.change for cell in self.cells if cell.measure == measure]
        pairs = [pair.change for pair in self.verdicts if pair.measure == measure]
        return any(change.is_ratio for change in (*cells, *pairs) if change is not None)

    def changed(self) -> tuple[Aspect, ...]:
        """Return the aspects in which a change is shown.

        Examples
        --------
        >>> import numpy as np, reportgen
        >>> rng = np.random.default_rng(1)
        >>> lda, svm = rng.normal(0.3, 0.02, (2, 60))
        >>> runs = [
        ...     reportgen.compare({"lda": lda, "svm": values}, measure="misclassification")
        ...     for values in (svm, svm - 0.1)
        ... ]
        >>> reportgen.diff(*runs).changed()
        ('values', 'verdicts')
        """
        shown: Mapping[Aspect, bool] = {
            "values": bool(self.with_status("changed")),
            "verdicts": bool(self.moved),
            "design": bool(self.design),
        }
        return tuple(aspect for aspect in ASPECTS if shown[aspect])


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """How often a run differs from itself."""

    name: str
    study: str
    alpha: float  # the probability of any false alarm that is promised
    n_repeats: int
    n_replications: Mapping[str, int]  # of each data set
    # Two runs made by labels that are swapped within replications; None with one candidate.
    labels: AlarmCounts | None
    # The two halves of the replications, divided at random; None with fewer than twelve.
    halves: AlarmCounts | None


@dataclass(frozen=True, slots=True)
class AlarmCounts:
    """Repeats with a false alarm."""

    n_repeats: int
    # n_values, n_pairs, n_any: With a change of values; of the difference of a pair, whether or not
    # the verdict is another one; with either.
    n_values: int
    n_pairs: int
    n_any: int
    # n_cells_tested, n_pairs_tested: Sizes of the families.
    n_cells_tested: int
    n_pairs_tested: int

    @property
    def rate(self) -> float:
        """Share of the repeats with any false alarm."""
        return self.n_any / self.n_repeats

    @property
    def standard_error(self) -> float:
        """Monte Carlo standard error of that share."""
        return float((self.rate * (1 - self.rate) / self.n_repeats) ** 0.5)
