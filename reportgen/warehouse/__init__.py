"""The warehouse: performances by data set, replication, candidate and measure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import WarehouseError
from reportgen.performance_measure import (
    Measure,
    Problem,
    target_exponent,
)
from reportgen.stats.pairs.shared_data import holds_learnt
from reportgen.stats.ranking import levelled_performances
from reportgen.targets import Target
from reportgen.units import ITEM, REPLICATION, UNITS, Unit
from reportgen.warehouse.items import (
    ITEM_COLUMNS,
    RUN_COLUMNS,
    ItemTables,
    by_run,
    cluster_codes,
)
from reportgen.warehouse.processes import by_process, in_processes, processes_by_design
from reportgen.warehouse.rows import categorical, codes_of, in_order, rows_of
from reportgen.warehouse.samples import Samples

__all__ = ["Measure", "Performances", "Unit", "Warehouse"]

Status = Literal["ok", "failed", "timed-out", "skipped"]

STATUSES: tuple[Status, ...] = get_args(Status)
FAILED: tuple[Status, ...] = ("failed", "timed-out")
KEY = ("dataset", "replication", "candidate", "measure")
SIZES = ("n_learn", "n_distinct", "n_test")
COLUMNS = (*KEY, "value", "status", *SIZES)
PREDICTED = (
    "dataset",
    "replication",
    "candidate",
    "observation",
    "prediction",
    "truth",
    "loss",
)
LOSS_COLUMNS = ("dataset", "measure", "candidate", "observation", "loss", "n_tested")
REMARK_COLUMNS = ("dataset", "replication", "candidate", "kind", "name", "value")
FAILURE_COLUMNS = ("dataset", "replication", "candidate", "stage", "status", "message")
CHARACTERISED = ("dataset", "replication", "scheme")
"""The first columns of a table of characteristics; the others are one a characteristic."""


# the tables beside the performances that say of which data set a row is
TABLES = ("failures", "remarks", "characteristics", "predictions", "items", "runs", "losses")


@dataclass(frozen=True, slots=True)
class Performances:
    """The values of one measure on one data set.

    Attributes
    ----------
    dataset : str
        The data set's name.
    measure : Measure
        What the values mean.
    candidates : tuple of str
        The K candidates, in the study's order.
    replications : ndarray of shape (B,), int
        The replications' own numbers, ascending.
    values : ndarray of shape (B, K)
        One row a replication (a block), NaN where there is no value; equal where
        they differ by rounding only .
    n_learn, n_distinct, n_test : ndarray of shape (B,)
        Sizes of the learning sample, of its distinct observations and of the
        test sample; NaN where unknown.
    has_failed : ndarray of shape (B, K), bool
        Cells without a value because the fit, or its measure, failed or took too
        long.
    unit : Unit
        What a row is. Samples are of no pairs: what stands in one row belongs to nothing. Of a
        summary there is one row, of means.
    clusters : ndarray of shape (B,), int, or None
        The cluster of each item; None where no two items share one.
    deviations, n_values : ndarray of shape (K,)
        Of a summary: the standard deviation of the values that a mean is of, NaN where it is
        not known, and their number, 0 then. Empty of other units.
    target : Target
        What a test on the replications generalises to.
    missing_candidates : tuple of str
        Candidates without any value, once they are left out (`present`).
    missing_by_design : ndarray of shape (B, K), bool, or None
        Cells that an execution in stages did not ask for, as all about the candidate was
        decided; None where it asked for all.
    runs : ndarray of shape (B, R, K), or None
        The values of the runs that each value is the mean of, where a row is a process.
    """

    dataset: str
    measure: Measure
    candidates: tuple[str, ...]
    replications: NDArray[np.int64]
    values: NDArray[np.float64]
    n_learn: NDArray[np.float64]
    n_distinct: NDArray[np.float64]
    n_test: NDArray[np.float64]
    has_failed: NDArray[np.bool_]
    unit: Unit = REPLICATION
    clusters: NDArray[np.int64] | None = None
    deviations: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    n_values: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    target: Target = "conditional"
    missing_candidates: tuple[str, ...] = ()
    missing_by_design: NDArray[np.bool_] | None = None
    runs: NDArray[np.float64] | None = None

    @property
    def present(self) -> Performances:
        """Those of candidates with a value; what is no number is no value."""
        values, has_failed, by_design = self.values, self.has_failed, self.missing_by_design
        has_value = np.isfinite(values)
        is_present = has_value.any(axis=0)
        if np.isinf(values).any():
            values = np.where(has_value, values, np.nan)
        if not is_present.all():
            values, has_failed = values[:, is_present], has_failed[:, is_present]
            by_design = None if by_design is None else by_design[:, is_present]
        measure = self.measure
        if self.unit.is_summary:  # which says nothing of geometric means
            measure = replace(measure, scale="difference")
        deviations, n_values = self.deviations, self.n_values
        return replace(
            self,
            measure=measure,
            candidates=self.named(np.flatnonzero(is_present)),
            missing_candidates=self.named(np.flatnonzero(~is_present)),
            values=values,
            has_failed=has_failed,
            missing_by_design=by_design,
            runs=None if self.runs is None else self.runs[:, :, is_present],
            deviations=deviations[is_present] if len(deviations) else deviations,
            n_values=n_values[is_present] if len(n_values) else n_values,
        )

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Shape (B, K): which cells have a value."""
        return np.isfinite(self.values)

    def column(self, k: int) -> NDArray[np.float64]:
        """Return the values that candidate k has."""
        own: NDArray[np.float64] = self.values[self.observed[:, k], k]
        return own

    @property
    def complete(self) -> NDArray[np.float64]:
        """The rows without gaps."""
        return self.values[self.observed.all(axis=1)]

    @property
    def used(self) -> NDArray[np.float64]:
        """The rows with any value."""
        has_value = self.observed.any(axis=1)
        return self.values if has_value.all() else self.values[has_value]

    @property
    def n_used(self) -> int:
        """Rows with a value, or values that a mean of a summary is of, at most."""
        if self.unit.is_summary:
            return int(self.n_values.max())
        return int(self.observed.any(axis=1).sum())

    @property
    def has_gaps(self) -> bool:
        """Whether a row that has a value lacks another."""
        return len(self.used) > len(self.complete)

    def drop_replications(self, replications: Collection[int]) -> Performances:
        """Return the same less some replications."""
        kept = ~np.isin(self.replications, list(replications))
        by_design = self.missing_by_design
        return replace(
            self,
            replications=self.replications[kept],
            values=self.values[kept],
            n_learn=self.n_learn[kept],
            n_distinct=self.n_distinct[kept],
            n_test=self.n_test[kept],
            has_failed=self.has_failed[kept],
            missing_by_design=None if by_design is None else by_design[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
            runs=None if self.runs is None else self.runs[kept],
        )

    def in_processes(self, facts: Mapping[str, object]) -> Performances | None:
        """Return the same with a process, the mean of its runs, in place of each replication.

        A process of which a run has no value has none.

        Parameters
        ----------
        facts : mapping
            Of the data set, by which it was not measured so where this returns None.
        """
        numbers = self.replications
        found = in_processes(facts, self.measure, numbers, self.values)
        if found is None:
            return None
        n_runs = found.runs.shape[1]
        by_design = self.missing_by_design
        failed = by_process(numbers, self.has_failed.astype(np.float64), n_runs)
        sizes = by_process(
            numbers, np.column_stack([self.n_learn, self.n_distinct, self.n_test]), n_runs
        ).mean(axis=1)
        n_learn, n_distinct, n_test = sizes.T
        return replace(
            self,
            replications=found.numbers,
            values=found.means,
            n_learn=n_learn,
            n_distinct=n_distinct,
            n_test=n_test,
            has_failed=(failed == 1.0).any(axis=1),
            missing_by_design=None
            if by_design is None
            else processes_by_design(numbers, by_design, n_runs),
            runs=found.runs,
        )

    def named(self, columns: NDArray[np.intp] | list[int]) -> tuple[str, ...]:
        """Return the names of some columns."""
        return tuple(self.candidates[k] for k in columns)

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Shape (B,): whether every candidate has a value in the replication."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    @property
    def n_missing(self) -> int:
        """Number of cells without a value; what stages left out is not missing."""
        is_gap = ~np.isfinite(self.values)
        if self.missing_by_design is not None:
            is_gap &= ~self.missing_by_design
        return int(is_gap.sum())


def no_characteristics() -> pd.DataFrame:
    """Return a table of characteristics without any."""
    names = pd.Series([], dtype=object)
    numbers = pd.array([], dtype="Int64")
    return pd.DataFrame({"dataset": names, "replication": numbers, "scheme": names})


@dataclass(frozen=True)  # no slots: where the rows of data sets are is found once
class Warehouse:
    """All performances of a study, and how they came about.

    Attributes
    ----------
    frame : DataFrame
        One row per (dataset, replication, candidate, measure) with the columns
        `COLUMNS`; the key columns but replication are categorical in the
        study's order, and the rows are sorted by data set, measure, replication
        and candidate. Make one with `Warehouse.of`, which checks it.
    measures : tuple of Measure
        The measures, the main one first.
    failures : DataFrame
        One row per failed fit, columns `FAILURE_COLUMNS`.
    remarks : DataFrame
        What fits reported in addition to their performances, columns `REMARK_COLUMNS`: of
        kind "warning" the text, of kind "choice" a hyperparameter's name and the
        value that the candidate chose.
    problem : str or None
        simulation, competition or real-world; None when unknown.
    resampling : mapping
        The scheme and its options, as the manifest names them; empty when unknown.
    facts : mapping of str to mapping
        What is known of the data sets themselves, by their names: n_observations,
        n_variables, n_classes, origin.
    descriptions : mapping of str to str
        Long names of candidates, where there are any.
    characteristics : DataFrame
        One row a learning sample or, without a replication, a whole data set:
        the columns `CHARACTERISED`, then one a characteristic, of numbers (not
        a number where a sample has none) or of text. The scheme is "" for the
        study's own learning samples. Empty where none were computed or brought
        along.
    predictions : DataFrame
        One row a test observation of a fit, columns `PREDICTED`: classes are
        numbers from 0, the loss is by the main measure, missing where that is no
        mean over observations. Empty unless the study kept them.
    losses : DataFrame
        The mean loss of every observation (or group) over the replications that tested
        it, of measures that are means over observations: one row an observation, columns
        `LOSS_COLUMNS`. Empty where observations are not the same in all replications.
    samples : tuple of Samples
        Observations, learning samples and fitted curves of data sets, where the
        study kept them.
    items : DataFrame
        Which item a replication is, where candidates did items: one row a replication of a
        data set, columns `ITEM_COLUMNS`. The item's own name and the cluster it belongs to
        (missing without clusters) are text in categorical columns; the epoch is the number
        of the item's repeated runs. Empty where replications are no items.
    runs : DataFrame
        What each repeated run of an item, each seed of a split, or each run of a process gave,
        columns `RUN_COLUMNS`; `frame` has their means. Empty where every one has one run.
    battles : Warehouse or None
        Battles of the same candidates, where a study has them beside its scores.
    """

    frame: pd.DataFrame
    measures: tuple[Measure, ...]
    failures: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(FAILURE_COLUMNS))
    )
    remarks: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(REMARK_COLUMNS))
    )
    problem: Problem | None = None
    resampling: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    characteristics: pd.DataFrame = field(default_factory=no_characteristics)
    predictions: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(PREDICTED)))
    samples: tuple[Samples, ...] = ()
    items: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(ITEM_COLUMNS)))
    runs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(RUN_COLUMNS)))
    losses: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(LOSS_COLUMNS)))
    battles: Warehouse | None = None

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        measures: Iterable[Measure],
        *,
        datasets: Iterable[str] = (),
        candidates: Iterable[str] = (),
        failures: pd.DataFrame | None = None,
        remarks: pd.DataFrame | None = None,
        problem: Problem | None = None,
        resampling: Mapping[str, object] | None = None,
        facts: Mapping[str, Mapping[str, object]] | None = None,
        descriptions: Mapping[str, str] | None = None,
        characteristics: pd.DataFrame | None = None,
        predictions: pd.DataFrame | None = None,
        samples: Sequence[Samples] = (),
        items: pd.DataFrame | None = None,
        runs: pd.DataFrame | None = None,
        losses: pd.DataFrame | None = None,
        battles: Warehouse | None = None,
    ) -> Warehouse:
        """Check a table of performances and put it in order.

        Parameters
        ----------
        frame : DataFrame
            Needs the columns dataset, replication, candidate, measure, value;
            status defaults to ok (failed where the value is missing), the
            sample sizes to unknown.
        measures : iterable of Measure
            Every measure of the frame, the main one first.
        datasets, candidates : iterable of str
            The study's order; names that are not listed follow in the order of a
            categorical column's categories, else in natural order.
        failures : DataFrame, optional
            Columns `FAILURE_COLUMNS`.
        remarks : DataFrame, optional
            Columns `REMARK_COLUMNS`.
        problem, resampling, facts, descriptions, characteristics, predictions, samples
            See the attributes.
        items, runs, losses, battles
            See the attributes.

        Raises
        ------
        WarehouseError
            If a column is missing, a cell occurs twice, or a measure is unknown.
        """
        measures = tuple(measures)
        missing = [c for c in (*KEY, "value") if c not in frame.columns]
        if missing:
            raise WarehouseError(
                f"found no columns {missing} of performances; allowed all of {KEY} and value"
            )
        ordered = frame.copy(deep=False)
        for column, first in (
            ("dataset", datasets),
            ("candidate", candidates),
            ("measure", (m.name for m in measures)),
        ):
            ordered[column] = categorical(ordered[column], first)
        names = [m.name for m in measures]
        unknown = [m for m in ordered["measure"].cat.categories if m not in names]
        if unknown:
            raise WarehouseError(
                f"found the measures {unknown} of unknown direction; allowed {names}"
            )
        if "status" in ordered:
            ordered["status"] = pd.Categorical(ordered["status"], list(STATUSES))
        ordered, twice = in_order(ordered[[c for c in COLUMNS if c in ordered]])
        _complete(ordered)
        ordered = ordered[list(COLUMNS)]
        if twice.any():
            where = ordered.loc[twice, list(KEY)].iloc[0].to_dict()
            raise WarehouseError(
                f"found {int(twice.sum())} cells twice, first {where}; allowed once"
            )
        return cls(
            ordered,
            measures,
            _table(failures, FAILURE_COLUMNS),
            _table(remarks, REMARK_COLUMNS),
            problem,
            dict(resampling or {}),
            dict(facts or {}),
            dict(descriptions or {}),
            no_characteristics() if characteristics is None else characteristics,
            pd.DataFrame(columns=list(PREDICTED)) if predictions is None else predictions,
            tuple(samples),
            _table(items, ITEM_COLUMNS),
            _table(runs, RUN_COLUMNS),
            _table(losses, LOSS_COLUMNS),
            battles,
        )

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the M data sets, in the study's order."""
        return tuple(self.frame["dataset"].cat.categories.tolist())

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Names of the K candidates, in the study's order."""
        return tuple(self.frame["candidate"].cat.categories.tolist())

    @cached_property
    def target(self) -> Target:
        """What a test on the replications of one data set generalises to."""
        if self.unit.generalises_to is not None:
            return self.unit.generalises_to
        is_fixed = any(self.resampling_of(d).get("assessment") == "fixed" for d in self.datasets)
        return (
            "generating-process" if self.problem == "simulation" and not is_fixed else "conditional"
        )

    def resampling_of(self, dataset: str) -> Mapping[str, object]:
        """Return how the samples of a data set were drawn."""
        own = self.facts.get(dataset, {}).get("resampling")
        return own if isinstance(own, Mapping) else self.resampling

    def is_learnt(self, measure: Measure) -> bool:
        """Whether some test samples, by which a measure is known, hold what was learnt from."""
        is_predicted = not measure.is_of_machine
        return is_predicted and any(holds_learnt(self.resampling_of(d)) for d in self.datasets)

    @property
    def compared(self) -> tuple[Measure, ...]:
        """The measures by which candidates are compared: not those of runs that reached a target.

        Evaluations to a target are known of the runs that reached it, which are those that did
        well: the section `run_time` counts the others, too.
        """
        return tuple(m for m in self.measures if target_exponent(m.name) is None)

    def measure(self, name: str) -> Measure:
        """Return a measure by its name."""
        return next(m for m in self.measures if m.name == name)

    @property
    def is_table(self) -> bool:
        """Whether it holds a user's own table, its rows as replications, not an experiment."""
        return any(facts.get("is_table") for facts in self.facts.values())

    @property
    def candidate_levels(self) -> Mapping[str, Mapping[str, str]]:
        """Levels of which each candidate's name is made, by factor; empty where it is of none."""
        own: Any = next(iter(self.facts.values()), {}).get("candidate_levels", {})
        is_known = {*self.candidates} <= {*own}
        return {name: own[name] for name in self.candidates} if is_known else {}

    @property
    def candidate_factors(self) -> tuple[str, ...]:
        """The factors of candidates, as columns name them; empty where names are of one column."""
        return tuple(next(iter(self.candidate_levels.values()), ()))

    @cached_property
    def unit(self) -> Unit:
        """What a replication is: drawn anew, an item, a sample that nobody shares, a summary."""
        names = {own.get("unit") for own in self.facts.values()}
        usual = ITEM if len(self.items) else REPLICATION
        return next((unit for name, unit in UNITS.items() if name in names), usual)

    @property
    def is_replicated(self) -> bool:
        """Whether some data set has two replications or more."""
        return any(n > 1 for n in self.n_replications)

    @property
    def has_spread(self) -> bool:
        """Whether values of a data set have a spread to judge differences by."""
        return self.is_replicated or self.unit.is_summary

    @cached_property
    def n_replications(self) -> tuple[int, ...]:
        """How many replications each data set has."""
        numbers = self.frame["replication"].to_numpy()
        counts = [len(np.unique(numbers[rows_of(self.frame, d)])) for d in self.datasets]
        return tuple(n for n in counts if n)

    def only(self, dataset: str) -> Warehouse:
        """Return the part of the warehouse that belongs to one data set."""
        frame = self.frame.iloc[rows_of(self.frame, dataset)]
        frame = frame.reset_index(drop=True)
        frame["dataset"] = pd.Categorical.from_codes(
            np.zeros(len(frame), np.int8), pd.Index([dataset])
        )
        tables: dict[str, Any] = {name: self._own_rows(name, dataset) for name in TABLES}
        return replace(
            self,
            frame=frame,
            facts={dataset: self.facts[dataset]} if dataset in self.facts else {},
            samples=tuple(own for own in self.samples if own.dataset == dataset),
            battles=None,  # which are of no data set
            **tables,
        )

    def _own_rows(self, name: str, dataset: str) -> pd.DataFrame:
        """Return the rows of a further table that belong to one data set."""
        table: pd.DataFrame = getattr(self, name)
        if table.empty:
            return table
        rows = self._places[name].get(dataset, ())
        return table.iloc[np.asarray(rows, np.intp)].reset_index(drop=True)

    @cached_property
    def _places(self) -> dict[str, dict[str, NDArray[np.intp]]]:
        """Where the rows of each data set are in the further tables."""
        tables = {name: getattr(self, name) for name in TABLES}
        return {
            name: table.groupby("dataset", observed=True).indices
            for name, table in tables.items()
            if len(table)
        }

    def performances(self, dataset: str, measure: str) -> Performances:
        """Return the values of one measure on one data set as a (B, K) matrix.

        Candidates without a single row on the data set keep their column. Values of
        one replication that only differ by rounding, and times that only differ by the
        noise of a clock, are made equal (`stats.ranking.levelled_performances`);
        `raw_performances` are as they came. Of times, memory and sizes that were measured in
        processes a row is a process, the mean of its runs.
        """
        if (dataset, measure) not in self._known:
            self._known[dataset, measure] = self._levelled(self.raw_performances(dataset, measure))
        return self._known[dataset, measure]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Performances]:
        """The performances that were asked for."""
        return {}

    def _levelled(self, found: Performances) -> Performances:
        """Make values equal that differ by noise alone."""
        if self.unit.is_contest:
            return found
        levelled = levelled_performances(found.values, is_time=found.measure.is_time)
        return replace(found, values=levelled)

    def raw_performances(self, dataset: str, measure: str) -> Performances:
        """Return the values of one measure on one data set as they came, to the last bit."""
        frame, rows, candidates = self.frame, rows_of(self.frame, dataset, measure), self.candidates
        numbers = frame["replication"].to_numpy(np.int64)[rows]
        replications, block = np.unique(numbers, return_inverse=True)
        at = (block, codes_of(frame["candidate"])[rows])
        own = frame["value"].to_numpy(np.float64)[rows]
        values = np.full((len(replications), len(candidates)), np.nan)
        values[at] = own
        failed = [STATUSES.index(status) for status in FAILED]
        has_failed = np.zeros(values.shape, dtype=np.bool_)
        has_failed[at] = np.isnan(own) & np.isin(codes_of(frame["status"])[rows], failed)
        sizes = np.full((3, len(replications)), np.nan)
        for size, column in zip(sizes, SIZES, strict=True):
            size[block] = frame[column].to_numpy(np.float64)[rows]
        n_learn, n_distinct, n_test = sizes
        found = Performances(
            dataset,
            self.measure(measure),
            candidates,
            replications,
            values,
            n_learn,
            n_distinct,
            n_test,
            has_failed,
            self.unit,
            self._clusters(dataset, replications),
            *self._summaries(dataset, measure),
            self.target,
            missing_by_design=self.missing_by_design(values.shape, at),
        )
        return self._in_processes(found)

    def missing_by_design(
        self, shape: tuple[int, int], at: tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]
    ) -> NDArray[np.bool_] | None:
        """Return the cells of a data set that stages did not ask for; None where all were.

        `at`: rows and columns that the warehouse has.
        """
        stages = self.resampling.get("stages")
        if not isinstance(stages, Mapping) or not stages.get("drop"):
            return None
        found = np.ones(shape, dtype=np.bool_)
        found[at] = False
        return found

    def _in_processes(self, found: Performances) -> Performances:
        """Return a process in each row, where they were measured so; and the runs of each."""
        timed = found.in_processes(self.facts.get(found.dataset, {}))
        if timed is not None:
            return timed
        if self.unit.shares_rows or not len(self.runs):
            return found
        return replace(found, runs=self.run_values(found.dataset, found.measure.name))

    def _clusters(self, dataset: str, replications: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the cluster of each item, or battle; None where no two share one."""
        if len(self.items):
            return cluster_codes(self._own_rows("items", dataset), replications)
        name = self.facts.get(dataset, {}).get("cluster")
        if not isinstance(name, str) or name not in self.characteristics:
            return None
        known = self._own_rows("characteristics", dataset)[["replication", name]]
        return cluster_codes(known.rename(columns={name: "cluster"}), replications)

    def _summaries(
        self, dataset: str, measure: str
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return standard deviations and numbers of values of means; empty where there are none."""
        if not self.unit.is_summary:
            return np.zeros(0), np.zeros(0, np.int64)
        found = [self.summary(dataset, measure, name) for name in self.candidates]
        deviations, n_values = zip(*found, strict=True)
        return np.array(deviations, np.float64), np.array(n_values, np.int64)

    def summary(self, dataset: str, measure: str, candidate: str) -> tuple[float, int]:
        """Return the standard deviation and number of the values that a mean is of.

        Returns
        -------
        tuple of float and int
            NaN and 0 where they are not known.
        """
        every: Any = self.facts.get(dataset, {}).get("summaries", {})
        deviation, n_values = every.get(measure, {}).get(candidate, (np.nan, 0))
        return float(deviation), int(n_values)

    def tables_by_run(self) -> ItemTables:
        """Return performances, items and failures with a replication for every run of an item."""
        return by_run(ItemTables(self.frame, self.items, self.failures, self.runs))

    def run_values(self, dataset: str, measure: str) -> NDArray[np.float64] | None:
        """Return the values of every run of one measure on one data set.

        Returns
        -------
        ndarray of shape (B, R, K) or None
            NaN where there is no value; the rows are those of `performances`. None where every
            item, or split, has one run.
        """
        runs = self._own_rows("runs", dataset)
        runs = runs[runs["measure"] == measure]
        if runs.empty:
            return None
        rows = rows_of(self.frame, dataset, measure)
        replications = np.unique(self.frame["replication"].to_numpy(np.int64)[rows])
        block = np.searchsorted(replications, runs["replication"].to_numpy(np.int64))
        epoch = runs["epoch"].to_numpy(np.int64) - 1
        place = {name: k for k, name in enumerate(self.candidates)}
        column = runs["candidate"].astype(object).map(place).to_numpy(np.int64)
        values = np.full((len(replications), int(epoch.max()) + 1, len(place)), np.nan)
        values[block, epoch, column] = runs["value"].to_numpy(np.float64)
        return values

    def losses_of(
        self, dataset: str, measure: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the mean losses of the observations of a data set, and how often each was tested.

        Returns
        -------
        tuple of two ndarrays of shape (N, K), or None
            NaN, and 0, where a candidate was never tested. None where they are not known.
        """
        own = self._own_rows("losses", dataset)
        own = own[own["measure"] == measure]
        if own.empty:
            return None
        observations, row = np.unique(own["observation"].to_numpy(np.int64), return_inverse=True)
        place = {name: k for k, name in enumerate(self.candidates)}
        column = own["candidate"].astype(object).map(place).to_numpy(np.float64)
        is_there = np.isfinite(column)
        at = row[is_there], column[is_there].astype(np.int64)
        means = np.full((len(observations), len(place)), np.nan)
        counts = np.zeros(means.shape)
        means[at] = own["loss"].to_numpy(np.float64)[is_there]
        counts[at] = own["n_tested"].to_numpy(np.float64)[is_there]
        return means, counts


def _complete(frame: pd.DataFrame) -> None:
    """Add what a table of performances may leave out; sizes that are unknown take no memory."""
    if "status" not in frame:
        is_lost = frame["value"].isna().to_numpy()
        ok, failed = (np.int8(STATUSES.index(status)) for status in ("ok", "failed"))
        codes = np.where(is_lost, failed, ok)
        frame["status"] = pd.Categorical.from_codes(codes, pd.Index(STATUSES))
    unknown = pd.Series(np.broadcast_to(np.nan, len(frame)), frame.index, copy=False)
    for column in SIZES:
        if column not in frame:
            frame[column] = unknown


def _table(given: pd.DataFrame | None, columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(columns=list(columns)) if given is None else given
