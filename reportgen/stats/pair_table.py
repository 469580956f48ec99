"""All comparisons of pairs by one method: the one shape from a kernel to a table's cell."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, SPREAD, dataclass
from reportgen.performance_measure import PairScale
from reportgen.stats.adverse_differences import AdverseDifferences
from reportgen.stats.arrays import Array, Bounds, Indices
from reportgen.stats.columns import Column, exchanged, reciprocal
from reportgen.stats.decisions import OPPOSITE, Decision, decision_words, decisions
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.frame import Columns, PairRows, Tabular, count
from reportgen.stats.shared_means import SharedMeans, pair_blocks, pair_columns

Kind = Literal["relevant", "better", "slight", "equivalent", "undecided"]


FIXED_COLUMNS: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column(
            "first", doc="the one of the two that comes first", kind="candidate", partner="second"
        ),
        Column(
            "second",
            doc="the other one: every difference is first - second",
            kind="candidate",
            partner="first",
        ),
        Column(
            "estimate",
            doc=(
                "the difference of means; with `scale: ratio` (times and sizes whose values are "
                "all above 0, over data sets errors in the unit of the response) the ratio of "
                "geometric means; with `scale: wins` the share of the data sets on which the first "
                "is larger, less that on which the second is; `null` where the method has none"
            ),
            sign="limit",
        ),
        Column("standard_error", doc="of the pair alone, of a ratio that of its logarithm"),
        Column(
            "lower",
            doc="of the simultaneous interval; `null` where the method has none",
            sign="limit",
            partner="upper",
        ),
        Column("upper", doc="its other end", sign="limit", partner="lower"),
        Column(
            "statistic", doc="of the pair alone, of a ratio that of its logarithm", sign="negative"
        ),
        Column("df", doc="degrees of freedom, of the pair alone"),
        Column("p_value", doc="of the pair alone"),
        Column(
            "adjusted_p_value",
            doc=(
                "adjusted for the family, single-step in the verdict; `null` for a pair that was "
                "not tested"
            ),
        ),
        Column(
            "decision", doc="of first against second, see below", kind="decision", sign="decision"
        ),
        Column("method", doc="how the two are compared", kind="method"),
        Column("target", doc="what the comparison generalises to", kind="target"),
        Column(
            "significant",
            doc=(
                "whether the pair is decided not to be equal: the interval excludes equality or, "
                "where there is none, the adjusted p-value is at most alpha"
            ),
            kind="flag",
        ),
        Column("scale", doc="whether `estimate` is a difference, a ratio or wins", kind="scale"),
    )
}
"""What every table of pairs has, in the order of results."""

FURTHER_COLUMNS: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column("n", doc="units that have both; of samples those of the smaller one", kind="count"),
        Column("wins", doc="units in which the first is better", kind="count", partner="losses"),
        Column("ties", doc="units in which the two are equal", kind="count"),
        Column("losses", doc="units in which the second is better", kind="count", partner="wins"),
        Column("n_clusters", doc="clusters, or families, that have both; else `n`", kind="count"),
        Column("n_nonzero", doc="items, or clusters, with a difference other than 0", kind="count"),
        Column("n_runs", doc="runs of the items", kind="count"),
        Column("n_tasks", doc="tasks that have both", kind="count"),
        Column("n_first", doc="values of the first", kind="count", partner="n_second"),
        Column("n_second", doc="values of the second", kind="count", partner="n_first"),
        Column("skewness", doc="of the differences", sign="negative"),
        Column("is_constant", doc="whether the difference is the same throughout", kind="flag"),
        Column(
            "excluded_share",
            doc=(
                "of two that are equal throughout, the share of units above which a difference is "
                "excluded"
            ),
        ),
        Column(
            "tost_lower",
            doc=(
                "with an area of equivalence: the interval of two one-sided tests, on which "
                "nothing rests"
            ),
            sign="limit",
            partner="tost_upper",
        ),
        Column("tost_upper", doc="its other end", sign="limit", partner="tost_lower"),
        Column(
            "adverse_first",
            doc=(
                "with gaps: how far the first may be behind where each of its gaps hides the "
                "largest difference seen, against it. Who is ahead is significantly better only "
                "where this limit excludes equality, too"
            ),
            sign="limit",
            partner="adverse_second",
        ),
        Column(
            "adverse_second", doc="the same of the second", sign="limit", partner="adverse_first"
        ),
        Column("deviation", doc="of new data: standard deviation of the differences"),
        Column(
            "limit_standard_error",
            doc=(
                "of new data: the standard error that more replications of these data would "
                "approach"
            ),
        ),
        Column("n_varying", doc="of new data: observations on which the two differ"),
        Column(
            "n_deciding", doc="of new data: observations that would decide with a probability of .8"
        ),
        Column("reason", doc="why a pair has no interval for new data", kind="reason"),
        Column("mean_difference", doc="of tests by ranks: first - second", sign="negative"),
        Column("rank_difference", doc="of the mean ranks", sign="negative"),
        Column("p_value_ranks", doc="of the rank sums, by their limiting law"),
        Column("p_value_permutation", doc="of the rank sums, by permutation"),
        Column("permutation_error", doc="Monte Carlo standard error of that"),
        Column("nemenyi_p_value", doc="of the mean ranks, by Nemenyi", kind="share"),
        Column("is_exact", doc="whether the p-value is by the exact law", kind="flag"),
        Column(
            "posterior_better",
            doc="of the Bayesian signed rank test",
            kind="share",
            partner="posterior_worse",
        ),
        Column("posterior_equivalent", doc="the same, of the area of relevance", kind="share"),
        Column("posterior_worse", doc="the same", kind="share", partner="posterior_better"),
        Column("posterior_error", doc="Monte Carlo standard error of these"),
        Column(
            "fdr_p_value",
            doc=(
                "over data sets, or of ten candidates and more: adjusted for the false discovery "
                "rate (Benjamini and Hochberg), which is another promise and decides nothing"
            ),
        ),
        Column(
            "n_shown",
            doc=(
                "over data sets: on at least how many the one ahead is shown to be better (partial "
                "conjunction; of six or more the verdict’s `each_for` says whether for `new-data` "
                "of each or in this `experiment`)"
            ),
            kind="count",
        ),
        Column(
            "n_reversed",
            doc=(
                "of two to five data sets: how many, each for itself, show the other one to be "
                "better"
            ),
            kind="count",
        ),
    )
}
"""A further column of any method has its row here, without which no table takes it."""

PAIR_COLUMNS: Mapping[str, Column] = {**FIXED_COLUMNS, **FURTHER_COLUMNS}
NUMBERS = tuple(name for name, column in FIXED_COLUMNS.items() if column.kind == "number")
OF_ROWS = ("first", "second", *NUMBERS)
BOUNDS = tuple(name for name, column in FURTHER_COLUMNS.items() if column.sign == "limit")


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a `PairTable`: the comparison of two candidates, first - second.

    `FIXED_COLUMNS` says what its cells hold; None where the method has none.

    Attributes
    ----------
    favoured : str or None
        The better candidate of a significant pair, whatever the decision.
    extra : mapping of str to float, int or None
        Further columns of the method, by `FURTHER_COLUMNS`; each is an attribute, too.
    is_undone_by_gaps : bool
        Whether one would be decided better, and its gaps might explain that.
    is_open : bool
        Whether the pair was not tested, as it has too few units or does not vary.
    """

    first: str
    second: str
    estimate: float | None
    standard_error: float | None
    lower: float | None
    upper: float | None
    statistic: float | None
    df: float | None
    p_value: float | None
    adjusted_p_value: float | None
    decision: Decision
    method: str
    target: str
    significant: bool
    scale: PairScale
    favoured: str | None = field(metadata=HIDDEN)
    extra: Mapping[str, Any] = field(default_factory=dict, metadata=SPREAD)
    is_undone_by_gaps: bool = field(default=False, metadata=HIDDEN)
    is_open: bool = field(default=False, metadata=HIDDEN)

    def __getattr__(self, name: str) -> Any:
        """Return a further column."""
        if name.startswith("_") or name not in self.extra:
            raise AttributeError(f"a pair has no {name!r}")
        return self.extra[name]

    @property
    def kind(self) -> Kind:
        """What is decided, whoever is better.

        "relevant": better by a relevant amount; "better": by an amount whose relevance is open,
        or not asked for; "slight": better, and equivalent; "equivalent" alone; "undecided".
        """
        return _kind(self.decision, is_significant=self.significant)

    @property
    def way(self) -> int:
        """Who is decided better, by however little: 1 the first, -1 the second, 0 neither."""
        return (self.favoured == self.first) - (self.favoured == self.second)

    @property
    def words(self) -> str:
        """The decision in the words of reports, of first against second."""
        return decision_words(self.decision, self.way, is_open=self.is_open)

    @property
    def better_first(self) -> Pair:
        """The same comparison with the better one first; as it is where neither is decided."""
        return self.reversed() if self.favoured == self.second else self

    @property
    def has_interval(self) -> bool:
        """Whether the method gives an interval of the pair."""
        return self.lower is not None

    @property
    def equivalence_bound(self) -> float | None:
        """The least d (ratio) for which the interval lies in the area [-d, d] ([1/d, d])."""
        if self.lower is None or self.upper is None:
            return None
        if self.scale == "ratio":
            return max(self.upper, 1 / self.lower) if self.lower > 0 else None
        return max(abs(self.lower), abs(self.upper))

    @property
    def of_second(self) -> tuple[float | None, float | None, float | None]:
        """Estimate and bounds of second - first."""
        return _of_second(self)

    def advantage(
        self, *, is_smaller_better: bool
    ) -> tuple[float | None, tuple[float | None, float | None]]:
        """Return by how much, or how many times, the first is better, and the bounds of that."""
        own = self.estimate, self.lower, self.upper
        estimate, lower, upper = self.of_second if is_smaller_better else own
        return estimate, (lower, upper)

    def reversed(self) -> Pair:
        """Return the same comparison as second - first."""
        is_ratio = self.scale == "ratio"
        fixed = {name: getattr(self, name) for name in FIXED_COLUMNS}
        return replace(
            self,
            **exchanged(fixed, PAIR_COLUMNS, is_ratio=is_ratio),
            extra=exchanged(self.extra, PAIR_COLUMNS, is_ratio=is_ratio),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairTable(Tabular, PairRows, Sequence[Pair]):
    """Comparisons of P pairs by one method, first - second; a sequence of `Pair`.

    Attributes
    ----------
    first, second : ndarray of shape (P,), int
        Places of the two in `candidates`.
    estimate : ndarray of shape (P,)
        Difference, or ratio of geometric means (`scale`); of methods of ranks
        what they estimate, NaN where that is nothing: then the sign of
        `statistic` shows which is better.
    standard_error, lower, upper, statistic, df, p_value : ndarray of shape (P,)
        NaN where the method has none; the interval is simultaneous. On the
        ratio scale `standard_error` and `statistic` are those of logarithms.
    adjusted_p_value : ndarray of shape (P,)
        Adjusted for the family; NaN for a pair that was not tested.
    method : str
    candidates : tuple of str
        Empty as long as the pairs have no names.
    target : str
        What the comparisons generalise to; empty as long as that is not set.
    decision : tuple of str
        Of first against second; empty as long as `decided` was not called.
    is_smaller_better : bool
        Whether the smaller of two estimates is the better one.
    scale : {"difference", "ratio", "wins"}
        "wins": mean of 1 where the value of the first is larger, -1 where that of the second is.
    alpha : float
        Error probability of the family.
    critical_error : float
        Standard error of the critical value where it is integrated numerically.
    given_direction : ndarray of shape (P,), int, or None
        `direction` where a method decides otherwise than by interval or p-value.
    critical_value : ndarray of shape (P,)
        Of the absolute statistic of each pair; NaN where there is none.
    is_open : ndarray of shape (P,), bool
        Pairs outside the family, with too few units to be decided on, whatever
        their interval.
    extra : mapping of str to ndarray of shape (P,)
        Further columns of the method: `n` (units that have both), `wins`,
        `ties`, `losses`, and what else it knows of a pair.
    adverse : AdverseDifferences or None
        What the differences would be if gaps were as bad as can be seen; None without gaps.
        `extra` then has `adverse_first` and `adverse_second`: how far the first, the second, may be
        behind, its gaps counted against it. Who is ahead is decided better only where this limit
        excludes equality, too.
    """

    first: Indices
    second: Indices
    estimate: Array
    standard_error: Array
    lower: Array
    upper: Array
    statistic: Array
    df: Array
    p_value: Array
    adjusted_p_value: Array
    critical_value: Array
    method: str
    is_open: NDArray[np.bool_]
    alpha: float = 0.05
    candidates: tuple[str, ...] = ()
    target: str = ""
    decision: tuple[Decision, ...] = ()
    is_smaller_better: bool = True
    scale: PairScale = "difference"
    critical_error: float = 0.0
    given_direction: NDArray[np.int_] | None = None
    extra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    adverse: AdverseDifferences | None = None

    def __post_init__(self) -> None:
        if unknown := self.extra.keys() - FURTHER_COLUMNS.keys():
            names = ", ".join(sorted(unknown))
            allowed = "the names of FURTHER_COLUMNS, which says how a column reads the other way"
            raise ValueError(f"columns of a table of pairs: found {names}; allowed {allowed}")

    @staticmethod
    def of(
        pairs: NDArray[np.intp], estimate: Array, method: str, alpha: float, **columns: Any
    ) -> PairTable:
        """Make a table; columns that are left out are NaN, a single number fills every row.

        `pairs`: (P, 2).
        `estimate`: (P,).
        **columns: other fields of the table.
        """
        shape = (len(pairs),)
        names = (*NUMBERS[1:], "critical_value")
        columns["df"] = _finite_df(columns.get("df", np.nan))
        numbers = {  # a number that is that of every row takes no memory for each
            name: np.broadcast_to(np.asarray(columns.pop(name, np.nan), np.float64), shape)
            for name in names
        }
        columns.setdefault("is_open", np.zeros(shape, dtype=np.bool_))
        first, second = pairs[:, 0], pairs[:, 1]
        fields: dict[str, Any] = {**numbers, **columns}
        return PairTable(first, second, estimate, method=method, alpha=alpha, **fields)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Pair, ...]: ...
    def __getitem__(self, place: int | slice) -> Pair | tuple[Pair, ...]:
        """Return a row, or some."""
        rows = range(len(self))[place]
        if isinstance(rows, int):
            return _lists(self).row(rows)
        return tuple(_lists(self).through(rows))

    def __iter__(self) -> Iterator[Pair]:
        """Go through the rows."""
        return _lists(self).through(range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether all rows are the same."""
        return isinstance(other, PairTable) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates; their places as long as they have no names."""
        if self.candidates:
            return self.candidates
        last = max([-1, *self.first.tolist(), *self.second.tolist()])
        return tuple(str(k) for k in range(last + 1))

    @property
    def pairs(self) -> Indices:
        """Shape (P, 2): places of the two."""
        return np.column_stack([self.first, self.second])

    @property
    def places(self) -> Indices:
        """Shape (P,): the places among all pairs of the candidates, as `all_pairs` has them."""
        k, i, j = len(self.names), self.first, self.second
        return np.asarray(i * (2 * k - i - 1) // 2 + j - i - 1)

    @property
    def no_difference(self) -> float:
        """The estimate of two that are equal: 0, of ratios 1."""
        return 1.0 if self.scale == "ratio" else 0.0

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Shape (P,): which pairs are decided not to be equal."""
        return self._differs & ~self.undone_by_gaps

    @property
    def _differs(self) -> NDArray[np.bool_]:
        """Shape (P,): which pairs differ, whatever gaps may hide."""
        if self.given_direction is not None:
            return np.asarray((self.given_direction != 0) & ~self.is_open)
        has_intervals = bool((~np.isnan(self.lower)).any())
        excludes = (self.lower > self.no_difference) | (self.upper < self.no_difference)
        by_p = (self.adjusted_p_value <= self.alpha) & (self.estimate != self.no_difference)
        return np.asarray((excludes if has_intervals else by_p) & ~self.is_open)

    @property
    def undone_by_gaps(self) -> NDArray[np.bool_]:
        """Shape (P,): which pairs would be decided, and gaps of the one ahead might explain it."""
        if "adverse_first" not in self.extra:
            return np.zeros(len(self), dtype=np.bool_)
        side = np.sign(self.estimate - self.no_difference)
        is_first = (side < 0) == self.is_smaller_better
        limit = np.where(is_first, self.extra["adverse_first"], self.extra["adverse_second"])
        return np.asarray(self._differs & ~(side * (limit - self.no_difference) > 0))

    @property
    def direction(self) -> NDArray[np.int_]:
        """Shape (P,): 1 where the first is significantly better, -1 the second, else 0."""
        if self.given_direction is not None:
            return np.where(self.significant, self.given_direction, 0).astype(np.int_)
        effect = self.estimate - self.no_difference
        side = np.nan_to_num(np.sign(np.where(np.isnan(effect), self.statistic, effect)))
        better = -side if self.is_smaller_better else side
        return np.where(self.significant, better, 0).astype(np.int_)

    @property
    def n_significant(self) -> int:
        """Number of pairs that are decided not to be equal."""
        return int(self.significant.sum())

    @property
    def incidence(self) -> NDArray[np.bool_]:
        """Shape (K, K): [i, j] is true where i is significantly better than j."""
        found = np.zeros((len(self.candidates),) * 2, dtype=np.bool_)
        direction = self.direction
        found[self.first[direction > 0], self.second[direction > 0]] = True
        found[self.second[direction < 0], self.first[direction < 0]] = True
        return found

    @property
    def smallest_p_value(self) -> float | None:
        """The smallest adjusted p-value; None where nothing was tested."""
        known = self.adjusted_p_value[np.isfinite(self.adjusted_p_value)]
        return float(known.min()) if len(known) else None

    def between(self, first: str, second: str) -> Pair | None:
        """Return the comparison first - second, whichever way the table has it; None without it."""
        row = self.row_of(first, second)
        if row is None:
            return None
        pair = self[row]
        return pair if pair.first == first else pair.reversed()

    def row_of(self, first: str, second: str) -> int | None:
        """Return the row that compares two candidates, whichever comes first; None without it."""
        i, j = (self.candidates.index(name) for name in (first, second))
        return _lists(self).place_of(i, j)

    @property
    def difference_intervals(self) -> Array:
        """The intervals of differences, shape (P, 2); none of ratios and of wins."""
        if self.scale != "difference":
            return np.zeros((0, 2))
        return np.column_stack([self.lower, self.upper])

    def to_columns(self) -> Columns:
        """Return the columns of the table, a row a pair.

        Returns
        -------
        dict
            `first`, `second` (names), `estimate`, `standard_error`, `lower`, `upper`,
            `statistic`, `df`, `p_value`, `adjusted_p_value`, `decision`, `significant`, `favoured`
            (the better one of a significant pair), `scale`, `method`, `target`, and the columns of
            `extra`; NaN where the method has none.
        """
        names = np.array([*self.names, None], dtype=object)
        way = self.direction
        return {
            "first": names[self.first],
            "second": names[self.second],
            **{name: getattr(self, name) for name in NUMBERS},
            "decision": self._decisions,
            "significant": self.significant,
            "favoured": names[np.where(way > 0, self.first, np.where(way < 0, self.second, -1))],
            "scale": (self.scale,) * len(self),
            "method": (self.method,) * len(self),
            "target": (self.target,) * len(self),
            **self.extra,
        }

    @property
    def _decisions(self) -> tuple[Decision, ...]:
        return self.decision or (BY_DIRECTION[0],) * len(self)

    def _heading(self) -> str:
        return f"{self.method}, {count(len(self), 'pair')}, alpha = {self.alpha:g}"

    def _outline(self) -> Columns:
        """Return who is compared, what is known of the size of the difference, and the decision."""
        columns = self.to_columns()
        shown = {
            name: columns[name]
            for name in ("estimate", "lower", "upper", "p_value", "adjusted_p_value")
            if np.isfinite(columns[name]).any()
        }
        pair = {name: columns[name] for name in ("first", "second")}
        return {**pair, **shown, "decision": self._decisions}

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the rows, as results list them: further columns come last."""
        return {name: _listed(column) for name, column in self.arrays().items()}

    def arrays(self) -> dict[str, Any]:
        """Return the columns of the rows as arrays, NaN where a number is missing."""
        found = self.to_columns()
        return {name: found[name] for name in (*FIXED_COLUMNS, *self.extra)}

    def in_order(self, names: Sequence[str]) -> tuple[Pair, ...]:
        """Return the rows in the order of some names, the earlier of two as the first.

        `names`: all candidates of the table.
        """
        return self.arranged(names).rows

    @property
    def rows(self) -> tuple[Pair, ...]:
        """All rows."""
        return _lists(self).rows

    def arranged(self, names: Sequence[str]) -> PairTable:
        """Return the table in the order of some names, the earlier of two as the first.

        `names`: all candidates of the table.
        """
        place_of = {name: i for i, name in enumerate(names)}
        place = np.array([place_of.get(name, -1) for name in self.names], dtype=np.intp)
        first, second = place[self.first], place[self.second]
        is_turned = first > second
        order = np.lexsort((np.maximum(first, second), np.minimum(first, second)))
        turned = self._turned(is_turned)
        return turned.at(order)

    def at(self, rows: Indices) -> PairTable:
        """Return some rows of the table.

        `rows`: (Q,).
        """
        columns: dict[str, Any] = {
            name: _taken(column, rows)
            for name in (*OF_ROWS, "is_open", "critical_value", "given_direction")
            if (column := getattr(self, name)) is not None
        }
        decision = tuple(self.decision[i] for i in rows.tolist()) if self.decision else ()
        extra = {name: _taken(column, rows) for name, column in self.extra.items()}
        return replace(self, **columns, decision=decision, extra=extra, adverse=None)

    def only_with(self, reference: str | None) -> PairTable:
        """Return the pairs with one candidate alone; all of them without one.

        `reference`: a candidate that the table lacks has no pairs.
        """
        if reference is None:
            return self
        place = self.names.index(reference) if reference in self.names else -1
        rows = np.flatnonzero((self.first == place) | (self.second == place))
        return replace(self.at(rows), adverse=self.adverse and self.adverse.of_pairs(rows))

    def _turned(self, is_turned: NDArray[np.bool_]) -> PairTable:
        """Return the same comparisons, some of them as second - first."""
        own: dict[str, Any] = {name: getattr(self, name) for name in OF_ROWS} | {**self.extra}
        opposite = exchanged(own, PAIR_COLUMNS, is_ratio=self.scale == "ratio")
        turned = {
            name: own[name]
            if opposite[name] is own[name]
            else np.where(is_turned, opposite[name], own[name])
            for name in own
        }
        given = self.given_direction
        decisions = zip(self.decision, is_turned.tolist(), strict=True) if self.decision else ()
        return replace(
            self,
            **{name: turned.pop(name) for name in OF_ROWS},
            given_direction=None if given is None else np.where(is_turned, -given, given),
            decision=tuple(OPPOSITE[d] if turns else d for d, turns in decisions),
            extra=turned,
        )

    def rows_of(self, table: PairTable) -> Indices:
        """Return the row of this table that compares the same two as each row of another.

        Result: (P,); P rows of the other; -1 where there is none; of several the first.
        """
        return self._rows_at(table.names, table.first, table.second)

    def rows_between(self, pairs: Sequence[tuple[str, str]]) -> Indices:
        """Return the row that compares the two of each pair of names, as `rows_of` does."""
        names = list(dict.fromkeys(name for pair in pairs for name in pair))
        place = {name: k for k, name in enumerate(names)}
        at = np.array([[place[a], place[b]] for a, b in pairs], dtype=np.intp).reshape(-1, 2)
        return self._rows_at(names, *at.T)

    def _rows_at(self, names: Sequence[str], first: Indices, second: Indices) -> Indices:
        """Return the rows that compare candidates, which are places among names."""
        place = {name: k for k, name in enumerate(self.names)}
        lookup = np.full((len(place) + 1,) * 2, -1, dtype=np.intp)
        rows = np.arange(len(self))[::-1]
        for i, j in ((self.first, self.second), (self.second, self.first)):
            lookup[i[::-1], j[::-1]] = rows
        at = np.array([place.get(name, -1) for name in names], dtype=np.intp)
        return np.asarray(lookup[at[first], at[second]])

    @property
    def equivalence_bounds(self) -> Array:
        """Shape (P,): the `equivalence_bound` of every pair; NaN where there is none."""
        if self.scale != "ratio":
            return np.maximum(np.abs(self.lower), np.abs(self.upper))
        return np.maximum(self.upper, np.where(self.lower > 0, reciprocal(self.lower), np.nan))

    @property
    def kinds(self) -> list[Kind]:
        """Shape (P,): what is decided, whoever is better."""
        both = zip(self._decisions, self.significant.tolist(), strict=True)
        return [_kind(decision, is_significant=yes) for decision, yes in both]

    @property
    def of_second(self) -> tuple[Array, Array, Array]:
        """Estimates and bounds of second - first."""
        return _of_second(self)

    @property
    def both(self) -> list[tuple[str, str]]:
        """Shape (P,): the names of the two."""
        names = self.names
        rows = zip(self.first.tolist(), self.second.tolist(), strict=True)
        return [(names[i], names[j]) for i, j in rows]

    @property
    def words(self) -> list[str]:
        """Shape (P,): the decisions in the words of reports, of first against second."""
        rows = zip(self._decisions, self.direction.tolist(), self.is_open.tolist(), strict=True)
        return [decision_words(decision, way, is_open=is_open) for decision, way, is_open in rows]

    def named(
        self, candidates: Iterable[str], target: str, is_smaller_better: bool | None = None
    ) -> PairTable:
        """Name the candidates, and what the comparisons speak about.

        `is_smaller_better`: left out: as it is.
        """
        smaller = self.is_smaller_better if is_smaller_better is None else is_smaller_better
        return replace(self, candidates=tuple(candidates), target=target, is_smaller_better=smaller)

    def decided(self, area: tuple[float, float] | None = None) -> PairTable:
        """Decide on every pair: by its interval; by the adjusted p-value where there is none.

        `area`: area of equivalence, on the table's scale.
        """
        undone, equal = self.undone_by_gaps, self.no_difference
        lower = np.where(undone, np.minimum(self.lower, equal), self.lower)
        upper = np.where(undone, np.maximum(self.upper, equal), self.upper)
        has_interval = ~(np.isnan(lower) | np.isnan(upper)) & ~self.is_open
        low, high, by_logarithm = lower[has_interval], upper[has_interval], area
        if self.scale == "ratio":
            low, high = _logarithms(low), _logarithms(high)
            by_logarithm = None if area is None else tuple(_logarithms(np.array(area)).tolist())
        found = np.array([BY_DIRECTION[way] for way in (0, 1, -1)], dtype=object)[self.direction]
        found[self.is_open] = "undecided"
        by_interval = decisions(low, high, by_logarithm, self.is_smaller_better)
        found[has_interval] = np.array(by_interval, dtype=object)
        found[(found == "equivalent") & self._leaves_by_gaps(area)] = "undecided"
        return replace(self, decision=tuple(found.tolist()))

    def _leaves_by_gaps(self, area: tuple[float, float] | None) -> NDArray[np.bool_]:
        """Shape (P,): which pairs may lie outside an area, by the gaps of one of the two."""
        if area is None or "adverse_first" not in self.extra:
            return np.zeros(len(self), dtype=np.bool_)
        limits = np.array([self.extra["adverse_first"], self.extra["adverse_second"]])
        return np.asarray((limits <= area[0]).any(axis=0) | (limits >= area[1]).any(axis=0))

    def counted(
        self, values: Array, is_smaller_better: bool, shared: SharedMeans | None = None
    ) -> PairTable:
        """Add in how many units the first is better, equal and worse: `wins`, `ties`, `losses`.

        `values`: (n, K); NaN where there is no value.
        `shared`: where values are means: of what both of a pair have in a unit, which is compared.
        """
        pairs, found = self.pairs, np.empty((3, len(self)), dtype=np.int64)
        for some in pair_blocks(len(values), len(self)):
            first, second = pair_columns(values, pairs[some], shared and shared.of_pairs(some))
            found[:, some] = [
                is_so.sum(axis=0) for is_so in (first < second, first == second, first > second)
            ]
        wins, ties, losses = found if is_smaller_better else found[::-1]
        return self.with_columns(wins=wins, ties=ties, losses=losses)

    def held_against(self, adverse: AdverseDifferences | None) -> PairTable:
        """Ask of each claim that it holds with the gaps of the one that is ahead against it.

        Parameters
        ----------
        adverse : AdverseDifferences or None
            On the scale of the estimates, for ratios before they are such.

        Returns
        -------
        PairTable
            The same where it is None. Else `extra` has, too,

            adverse_first, adverse_second : how far the first, the second, may be behind where each
                of its gaps hides a difference against it as large as the largest one seen

        Examples
        --------
        >>> from reportgen.stats.adverse_differences import adverse_differences
        >>> from reportgen.stats.pairs.paired_max_t import paired_max_t
        >>> rng = np.random.default_rng(1)
        >>> values = rng.normal(size=(20, 2)) + [0, 3]
        >>> values[14:, 0] = np.nan
        >>> table = paired_max_t(values, 0.05, rng)
        >>> held = table.held_against(adverse_differences(values, table.pairs, True))
        >>> table.significant, held.significant
        (array([ True]), array([False]))
        """
        if adverse is None:
            return self
        n_family = max(1, int((~self.is_open).sum()))
        usual = t_quantile(self.alpha / (2 * n_family), np.where(self.df > 0, self.df, np.nan))
        critical = np.where(np.isnan(self.critical_value), usual, self.critical_value)
        found = replace(self, adverse=adverse, is_smaller_better=adverse.is_smaller_better)
        return found.with_columns(**adverse.limits(critical))

    def inside(self, bounds: Bounds) -> PairTable:
        """Cut intervals of differences at what the bounds of the values allow; others stay.

        0 and the estimate stay inside, so that no decision moves.

        `bounds`: the least and the largest value; None or infinite where there is none.
        """
        least, most = bounds
        if self.scale != "difference" or least is None or most is None:
            return self
        width = most - least
        lower = np.maximum(self.lower, np.fmin(-width, self.estimate))
        upper = np.minimum(self.upper, np.fmax(width, self.estimate))
        tost = {k: np.clip(self.extra[k], -width, width) for k in BOUNDS if k in self.extra}
        return replace(self, lower=lower, upper=upper).with_columns(**tost)

    def with_columns(self, **extra: NDArray[Any]) -> PairTable:
        """Add further columns, each of shape (P,)."""
        return replace(self, extra={**self.extra, **extra})


MOST_IN_LISTS = 10_000
"""Rows whose columns are lists at a time: such a row takes half a kilobyte."""


def _finite_df(df: Array | float) -> Array:
    """Return degrees of freedom, NaN where they are infinite."""
    return np.where(np.isinf(df), np.nan, df)


def _taken(column: NDArray[Any], rows: Indices) -> NDArray[Any]:
    """Return some rows of a column; of one that says the same of all, no number for each."""
    if len(column) and column.strides == (0,):
        return np.broadcast_to(column[:1], rows.shape)
    return np.asarray(column[rows])


class _Lists:
    """The columns of a table as lists, of which rows are made many times as quickly."""

    def __init__(self, table: PairTable) -> None:
        self.table = table
        self._direction, self._undone = table.direction, table.undone_by_gaps
        self._significant, self._names = table.significant, table.names
        self._keys = tuple(table.extra)
        self._begin = 0
        self._columns = self._of(slice(0, MOST_IN_LISTS))

    def _of(self, rows: slice) -> list[tuple[Any, ...]]:
        """Return what differs between some rows."""
        table, names = self.table, self._names
        first, second = (
            [names[i] for i in column[rows].tolist()] for column in (table.first, table.second)
        )
        numbers = [numbers_or_none(getattr(table, name)[rows]) for name in NUMBERS]
        decision = table.decision[rows] if table.decision else ("undecided",) * len(first)
        extra = [numbers_or_none(column[rows]) for column in table.extra.values()]
        return list(
            zip(
                *(first, second, zip(*numbers, strict=True), decision),
                *(x[rows].tolist() for x in (self._significant, self._direction, self._undone)),
                table.is_open[rows].tolist(),
                zip(*extra, strict=True) if extra else [()] * len(first),
                strict=True,
            )
        )

    @cached_property
    def _codes(self) -> tuple[Indices, Indices]:
        """A number for the two candidates of each row, in order, and the rows of these."""
        codes = self.table.first * len(self._names) + self.table.second
        order = np.argsort(codes, kind="stable")
        return codes[order], order

    def place_of(self, i: int, j: int) -> int | None:
        """Return the first row that compares two candidates, i - j or else j - i; or None."""
        codes, order = self._codes
        for code in (i * len(self._names) + j, j * len(self._names) + i):
            at = int(np.searchsorted(codes, code))
            if at < len(codes) and codes[at] == code:
                return int(order[at])
        return None

    @cached_property
    def rows(self) -> tuple[Pair, ...]:
        """All rows."""
        return tuple(self.through(range(len(self.table))))

    def through(self, rows: range) -> Iterator[Pair]:
        """Go through some rows."""
        for i in rows:
            if not self._begin <= i < self._begin + MOST_IN_LISTS:
                self._begin = i - i % MOST_IN_LISTS
                self._columns = self._of(slice(self._begin, self._begin + MOST_IN_LISTS))
            yield self._pair(*self._columns[i - self._begin])

    def row(self, i: int) -> Pair:
        """Return a row; one that is in no list, alone."""
        is_listed = self._begin <= i < self._begin + MOST_IN_LISTS
        one = self._columns[i - self._begin] if is_listed else self._of(slice(i, i + 1))[0]
        return self._pair(*one)

    def _pair(
        self,
        first: str,
        second: str,
        numbers: tuple[Any, ...],
        decision: Decision,
        significant: bool,
        direction: int,
        undone: bool,
        is_open: bool,
        extra: tuple[Any, ...],
    ) -> Pair:
        return Pair(  # type: ignore[call-arg]
            first,
            second,
            *numbers,
            decision,
            self.table.method,
            self.table.target,
            significant,
            self.table.scale,
            first if direction > 0 else second if direction < 0 else None,
            dict(zip(self._keys, extra, strict=True)),
            undone,
            is_open,
        )


_RECENT: deque[_Lists] = deque(maxlen=4)  # of all tables, the lists would take much memory


def _lists(table: PairTable) -> _Lists:
    """Return the lists of a table, made anew where others were used since."""
    for lists in tuple(_RECENT):
        if lists.table is table:
            return lists
    lists = _Lists(table)
    _RECENT.append(lists)
    return lists


BY_DIRECTION: Mapping[int, Decision] = {1: "better", -1: "worse", 0: "undecided"}


def _kind(decision: Decision, *, is_significant: bool) -> Kind:
    if decision == "equivalent":
        return "slight" if is_significant else "equivalent"
    if decision == "undecided":
        return "undecided"
    return "relevant" if decision.endswith("-relevant") else "better"


def numbers_or_none(column: NDArray[Any]) -> list[Any]:
    """Return a column as a list, with None for what is missing or infinite."""
    values: list[Any] = column.tolist()
    if column.dtype.kind in "biu" or (column.dtype.kind == "f" and np.isfinite(column).all()):
        return values
    return [None if isinstance(x, float) and not isfinite(x) else x for x in values]


def _listed(column: Sequence[Any] | NDArray[Any]) -> list[Any]:
    return numbers_or_none(column) if isinstance(column, np.ndarray) else [*column]


def _of_second(found: Pair | PairTable) -> tuple[Any, Any, Any]:
    """Return estimate and bounds as second - first."""
    own = {name: getattr(found, name) for name in ("estimate", "lower", "upper")}
    estimate, lower, upper = exchanged(own, PAIR_COLUMNS, is_ratio=found.scale == "ratio").values()
    return estimate, lower, upper


def _logarithms(x: Array) -> Array:
    """Return natural logarithms; of what is not positive, minus infinity."""
    return np.log(x, where=x > 0, out=np.full(x.shape, -inf))
