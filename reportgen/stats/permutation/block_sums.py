"""Sums of the candidates' scores over complete blocks, and their law under permutation.

Under the hypothesis that all candidates are alike, every arrangement of the
values of a block over the candidates is equally likely, in every block
independently. All permutation tests of complete blocks rest on the law of the
K column sums that follows from it, whatever is summed: ranks within blocks,
aligned ranks, or the performances themselves.

The exact law is found block by block: the law of the sums over b + 1 blocks is
that over b blocks, convolved with the arrangements of one more. Two things make
this cheap. The statistics used do not depend on the labels, and the law of the
ordered sums over b + 1 blocks depends on the ordered sums over b blocks only, so
that K! states are one. And sums of ranks lie on a lattice, so that many states
coincide. Where there would be too many steps nevertheless, random arrangements
are drawn.

References
----------
.. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
   analysis of benchmark experiments", Journal of Computational and Graphical
   Statistics 14, section 4.
.. [2] B. Phipson and G. K. Smyth (2010), "Permutation p-values should never be
   zero", Statistical Applications in Genetics and Molecular Biology 9.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from itertools import permutations
from math import factorial, inf, log2, sqrt
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.ranking import check_blocks

Integers = NDArray[np.int64]

N_DRAWS = 9_999  # with the arrangement observed 10,000
MOST_STEPS = 5_000_000  # sums to be visited by the exact law: about a second
MOST_EMPTY = 8  # cells of a table of states to one that is met; beyond, states are sorted
MANY_STATES = 1_000  # from which their columns are ordered, and not each
MOST_BITS = 62  # of the integer that holds the sums of a state
LAWS_KEPT = 12  # exact laws, each of some megabytes at most
MOST_FACTORIAL = 20  # whose factorial is an integer of 64 bits
AT_ONCE = 20  # blocks whose arrangements are drawn together
MOST_TABLED = 7  # candidates whose arrangements are drawn from a list of all


@dataclass(frozen=True)
class SumLaw:
    """Law of the column sums about their mean, labels permuted within blocks."""

    # (n, K); exact: one representative of all sums that differ by the labels only. Otherwise one
    # row a draw, labels as drawn.
    sums: Array
    weights: Array  # (n,); probabilities
    n_draws: int | None  # number of random arrangements; None when the law is exact

    @property
    def method(self) -> Literal["exact", "monte-carlo"]:
        """Whether all arrangements were enumerated or some were drawn."""
        return "exact" if self.n_draws is None else "monte-carlo"

    def tail(self, statistics: Array, observed: Array, slack: float | Array) -> tuple[Array, Array]:
        """Return the probabilities of what is at least as large as observed.

        `statistics`: (n,) or (n, K); of every row of `sums`; with K columns each stands for a K-th
        of the row's probability.
        `observed`: (m,).
        `slack`: values below `observed` by no more count as equal to it; one for each, or for all.
        Result: `p_values`, `standard_errors`, (m,); (1 + number) / (1 + draws) and its Monte Carlo
        standard error, or exact and 0.
        """
        return self._shares(*self._ordered(statistics), observed, slack)

    def range_tail(self, observed: Array, slack: float | Array) -> tuple[Array, Array]:
        """Return the probabilities of a range of the sums that is at least as large as observed.

        Parameters and results are those of `tail`.
        """
        return self._shares(*self._ranges, observed, slack)

    @cached_property
    def _ranges(self) -> tuple[Array, Array]:
        """The ranges of the sums, ascending, and the probability from each on."""
        return self._ordered(np.ptp(self.sums, axis=1))

    def _ordered(self, statistics: Array) -> tuple[Array, Array]:
        """Return statistics in ascending order, and the probability from each on."""
        each = statistics.size // len(self.weights)
        order = np.argsort(statistics, axis=None)
        mass = np.repeat(self.weights / each, each)[order]
        return statistics.ravel()[order], np.append(np.cumsum(mass[::-1])[::-1], 0.0)

    def _shares(
        self, ordered: Array, reached: Array, observed: Array, slack: float | Array
    ) -> tuple[Array, Array]:
        """Return the probabilities from the observed values on, and their standard errors."""
        p = np.minimum(reached[np.searchsorted(ordered, np.asarray(observed) - slack)], 1.0)
        if self.n_draws is None:
            return p, np.zeros(len(p))
        p = (1 + np.round(self.n_draws * p)) / (1 + self.n_draws)
        return p, np.sqrt(p * (1 - p) / self.n_draws)


def sum_law(scores: Array, rng: Generator, n_draws: int = N_DRAWS) -> SumLaw:
    """Return the law of the column sums, exact where that is feasible.

    `scores`: (B, K); complete blocks of ranks or other values.
    `rng`: draws the arrangements where the law is not exact; else not used.
    `n_draws`: number of random arrangements.
    Raises ValueError if `scores` is not a complete matrix with a block and two columns, or
    `n_draws` < 1.

    Notes
    -----
    Exact when `n_steps` is at most MOST_STEPS: for ranks without ties up to
    3,100 blocks of K = 2 candidates and 171, 34, 12, 5 and 3 blocks of K = 3 to
    7; for values of no lattice up to 22, 9, 5, 4 and 3 blocks of 2 to 6.

    Examples
    --------
    The rank sums of two blocks of three candidates, about their mean:

    >>> law = sum_law(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), np.random.default_rng(1))
    >>> law.sums
    array([[-2.,  0.,  2.],
           [-2.,  1.,  1.],
           [-1., -1.,  2.],
           [-1.,  0.,  1.],
           [ 0.,  0.,  0.]])
    >>> (6 * law.weights).round(12)
    array([1., 1., 1., 2., 1.])
    """
    if check_blocks(scores).shape[0] < 1 or scores.shape[1] < 2:
        raise ValueError(f"permuting needs a block and two candidates, got {scores.shape}")
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}")
    if n_steps(scores) > MOST_STEPS:
        sums = _drawn(scores, rng, n_draws)
        return SumLaw(sums, np.full(n_draws, 1 / n_draws), n_draws)
    rows, _ = _by_arrangements(scores)
    unit = _unit(rows)
    if unit:
        steps = np.sort(np.rint((rows - rows.min(axis=1, keepdims=True)) / unit), axis=1)
        return _of_ranks(steps[np.lexsort(steps.T)].tobytes(), steps.shape, unit)
    return _off_lattice(rows - rows.mean(axis=1, keepdims=True))


@lru_cache(maxsize=LAWS_KEPT)
def _of_ranks(steps: bytes, shape: tuple[int, int], unit: float) -> SumLaw:
    """Return the exact law of whole numbers: without ties it is that of many data sets."""
    rows = np.frombuffer(steps).reshape(shape)
    rows = rows[np.argsort([-n for n in _n_arranged(rows)], kind="stable")]
    law = _in_plane(rows, unit) if shape[1] == 3 else _on_lattice(rows, unit)
    law.sums.flags.writeable = law.weights.flags.writeable = False
    return law


def n_steps(scores: Array) -> float:
    """Return a bound of the number of sums that the exact law would visit.

    `scores`: (B, K).
    Result: for every block but the first its number of distinct arrangements times the number of
    states before it, which is no larger than the product of the arrangements so far and, on a
    lattice, than the number of points. Infinite where it is above MOST_STEPS.
    """
    rows, counts = _by_arrangements(scores)
    n_candidates = scores.shape[1]
    unit = _unit(rows)
    spans = np.cumsum(np.ptp(rows, axis=1)) / unit if unit else np.full(len(rows), inf)
    states, total = 1.0, 0.0
    for count, span in zip(counts[1:], spans[:-1].tolist(), strict=True):
        total += states * count
        if total > MOST_STEPS:
            return inf
        points = _permutohedron(span, n_candidates) if unit else inf
        states = min(states * count, points)
    return total


def _n_bits(rows: Array, unit: float) -> float:
    """Return the bits of an integer that holds all sums but the last."""
    return float((rows.shape[1] - 1) * log2(float(np.ptp(rows, axis=1).sum()) / unit + 1))


def _permutohedron(span: float, n_candidates: int) -> float:
    """Return about how many ordered sums there are when each has a range of `span`."""
    # The sums of b blocks of ranks fill b times the permutohedron, whose volume
    # is K^(K-2) lattice cells; ordered sums fill a K!-th of it, and its faces.
    size = span / (n_candidates - 1) + 1
    return float(
        n_candidates ** (n_candidates - 2) * size ** (n_candidates - 1) / factorial(n_candidates)
    )


def _by_arrangements(scores: Array) -> tuple[Array, list[int]]:
    """Return the rows that are not constant, those with most arrangements first, and these."""
    rows = scores[np.ptp(scores, axis=1) > 0]
    counts = _n_arranged(rows)
    order = sorted(range(len(rows)), key=lambda b: -counts[b])
    return rows[order], [counts[b] for b in order]


def _n_arranged(rows: Array) -> list[int]:
    """Return the number of distinct arrangements of every row."""
    ordered = np.sort(rows, axis=1)
    tied = ordered[:, 1:] == ordered[:, :-1]
    n_rows, n_candidates = rows.shape
    whole = np.int64 if n_candidates <= MOST_FACTORIAL else object
    run, same = np.ones(n_rows, dtype=np.int64), np.ones(n_rows, dtype=whole)
    for is_tied in tied.T:
        run = np.where(is_tied, run + 1, 1)
        same = same * run  # the factorials of the sizes of all groups
    return [factorial(n_candidates) // n for n in same.tolist()]


def _unit(rows: Array) -> float:
    """Return the step of the lattice of the sums, 0 when they have none that integers hold."""
    distances = rows - rows.min(axis=1, keepdims=True, initial=inf)
    for unit in (1.0, 0.5):
        if not np.remainder(distances, unit).any():
            return unit if _n_bits(rows, unit) <= MOST_BITS else 0.0
    return 0.0


def _arrangements(row: NDArray[np.float64]) -> Array:
    """Return the distinct arrangements of a row in ascending order, shape (n, K)."""
    values, counts = np.unique(row, return_counts=True)
    arranged, left = np.empty((1, 0)), counts[None]
    for _ in range(len(row)):
        begun, value = np.nonzero(left)
        arranged = np.column_stack([arranged[begun], values[value]])
        left = left[begun]
        left[np.arange(len(left)), value] -= 1
    return arranged


@dataclass(frozen=True, slots=True)
class _Keys:
    """Sums of integers as one integer each: the last sum follows from the total."""

    radix: Integers
    base: int

    @staticmethod
    def of(steps: Array | Integers) -> _Keys:
        """Return the keys of the sums of rows of whole numbers, the least of each being 0."""
        base = int(steps.max(axis=1).sum()) + 1 if len(steps) else 1
        powers = range(steps.shape[1] - 2, -1, -1)
        return _Keys(np.array([base**power for power in powers], dtype=np.int64), base)

    def key(self, sums: Integers) -> Integers:
        """Return the keys of rows of sums."""
        return sums[..., :-1] @ self.radix

    @property
    def small(self) -> type[np.int32 | np.int64]:
        """The smaller integer that holds all keys: its arithmetic takes half the time."""
        return np.int32 if self.base ** len(self.radix) <= np.iinfo(np.int32).max else np.int64

    def ordered_key(self, columns: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
        """Return the keys of sums that are shifted and put into ascending order."""
        # `columns`: shape (K, n). Neighbours are exchanged column by column, which takes half the
        # time of sorting short rows.
        own = list(columns + shift[:, None])
        for end in range(len(own) - 1, 0, -1):
            for i in range(end):
                smaller = np.minimum(own[i], own[i + 1])
                np.maximum(own[i], own[i + 1], out=own[i + 1])
                own[i] = smaller
        key: NDArray[Any] = own[0]
        for column in own[1:-1]:
            key *= columns.dtype.type(self.base)
            key += column
        return key

    def sums(self, keys: Integers, total: int) -> Integers:
        """Return the rows of sums that have these keys."""
        smaller = keys[:, None] // self.radix % self.base
        return np.column_stack([smaller, total - smaller.sum(axis=1)])


def _on_lattice(rows: Array, unit: float) -> SumLaw:
    """Return the exact law of sums of integers; equal states are one."""
    coded = _Keys.of(rows)
    states: Integers = np.zeros((1, rows.shape[1]), dtype=np.int64)
    weights: Array = np.ones(1)
    total = 0
    for place, row in enumerate(rows):
        # up to the labels the first one is fixed
        arranged = (np.sort(row)[None] if place == 0 else _arrangements(row)).astype(np.int64)
        total += int(row.sum())
        if len(states) < MANY_STATES:
            keys = [coded.key(np.sort(states + shift, axis=1)) for shift in arranged]
        else:
            columns = np.ascontiguousarray(states.T, dtype=coded.small)
            keys = [coded.ordered_key(columns, shift) for shift in arranged.astype(coded.small)]
        mass = np.tile(weights / len(arranged), len(arranged))
        found, weights = _merge(np.concatenate(keys).astype(np.int64), mass)
        states = coded.sums(found, total)
    return SumLaw((states - states.mean(axis=1, keepdims=True)) * unit, weights, None)


def _in_plane(rows: Array, unit: float) -> SumLaw:
    """Return the exact law of three sums of integers: the third follows from two."""
    arranged: dict[bytes, Integers] = {}
    law, reach = np.ones((1, 1)), 0
    for row in rows:
        key = np.sort(row).tobytes()
        if key not in arranged:
            arranged[key] = _arrangements(row).astype(np.int64)
        side, more = reach + 1, int(row.max())
        before, law = law / len(arranged[key]), np.zeros((side + more, side + more))
        for i, j, _ in arranged[key].tolist():
            law[i : i + side, j : j + side] += before
        reach += more
    total = int(rows.sum())
    first, second = np.nonzero(law)
    third = total - first - second
    ordered = (first <= second) & (second <= third)
    sums = np.column_stack([first, second, third])[ordered]
    n_equal = (sums[:, 1:] == sums[:, :-1]).sum(axis=1)
    weights = law[sums[:, 0], sums[:, 1]] * np.array([6.0, 3.0, 1.0])[n_equal]
    return SumLaw((sums - sums.mean(axis=1, keepdims=True)) * unit, weights, None)


def _merge(keys: Integers, mass: Array) -> tuple[Integers, Array]:
    """Return the distinct keys in ascending order, and the mass of each."""
    first = int(keys.min())
    if int(keys.max()) - first <= MOST_EMPTY * len(keys):
        dense = np.bincount(keys - first, mass)
        taken = np.flatnonzero(dense)
        return np.asarray(taken + first, dtype=np.int64), np.asarray(dense[taken], np.float64)
    found, place = np.unique(keys, return_inverse=True)
    return found, np.asarray(np.bincount(place, mass, len(found)), dtype=np.float64)


def _off_lattice(rows: Array) -> SumLaw:
    """Return the exact law of any sums: all arrangements of all blocks but the first."""
    # Centred rows may have ties that the scores have not, next to one that dwarfs them.
    sums = rows[:1] if len(rows) else np.zeros((1, rows.shape[1]))
    for row in rows[1:]:
        sums = (sums[:, None, :] + _arrangements(row)).reshape(-1, len(row))
    return SumLaw(sums, np.full(len(sums), 1 / len(sums)), None)


def _drawn(scores: Array, rng: Generator, n_draws: int) -> Array:
    """Return the sums of random arrangements about their mean, shape (n_draws, K)."""
    unit, n_candidates = _unit(scores), scores.shape[1]
    if unit and n_candidates <= MOST_TABLED:
        steps = np.rint((scores - scores.min(axis=1, keepdims=True)) / unit).astype(np.int64)
        sums = _drawn_on_lattice(steps, rng, n_draws)
        return np.asarray((sums - sums.mean(axis=1, keepdims=True)) * unit)
    drawn = np.zeros((n_draws, n_candidates))
    for row in scores - scores.mean(axis=1, keepdims=True):
        drawn += _shuffle(row, rng, n_draws)
    return drawn


def _drawn_on_lattice(steps: Integers, rng: Generator, n_draws: int) -> Integers:
    """Return the sums of random arrangements of integers, by their keys."""
    coded, orders = _Keys.of(steps), _orders(steps.shape[1])
    keys = np.zeros(n_draws, dtype=np.int64)
    for begin in range(0, len(steps), AT_ONCE):
        rows = steps[begin : begin + AT_ONCE]
        drawn = rng.integers(len(orders), size=(len(rows), n_draws))
        for arranged, places in zip(coded.key(rows.take(orders, axis=1)), drawn, strict=True):
            keys += arranged.take(places)
    return coded.sums(keys, int(steps.sum()))


def _shuffle(row: Array, rng: Generator, n_draws: int) -> Array:
    """Return random arrangements of one row, shape (n_draws, K)."""
    if len(row) > MOST_TABLED:
        return rng.permuted(np.broadcast_to(row, (n_draws, len(row))), axis=1)
    orders = _orders(len(row))
    return row.take(orders).take(rng.integers(len(orders), size=n_draws), axis=0)


@cache
def _orders(n: int) -> Integers:
    """Return all orders of n things, shape (n!, n)."""
    orders = np.array(list(permutations(range(n))), dtype=np.int64)
    orders.flags.writeable = False
    return orders


Alternative = Literal["two-sided", "less", "greater"]
Method = Literal["exact", "monte-carlo", "asymptotic"]


@dataclass(frozen=True, slots=True)
class SumEquality:
    """Test that all candidates are alike."""

    # (K - 1) times the sum of squared sums about their mean over the sum of squared scores about
    # the block means: Friedman's with ranks. 0 when every block is fully tied.
    statistic: float
    p_value: float  # 1 when every block is fully tied
    standard_error: float  # of the p-value, by Monte Carlo; 0 otherwise
    method: Method
    n_draws: int | None  # number of random arrangements, by Monte Carlo


@dataclass(frozen=True, slots=True)
class SumComparisons:
    """Differences of the sums of candidates, first - second."""

    # first, second: (P,); columns
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    differences: Array  # (P,); of the sums
    statistics: Array  # (P,); divided by their standard deviation; 0 where that is 0
    # (P,); single step: each is the probability that the largest of all statistics is at least as
    # large. 1 when every block is fully tied.
    p_values: Array
    standard_errors: Array  # (P,); of the p-values, by Monte Carlo; 0 otherwise
    # of a difference when all arrangements are equally likely, 2 / (K - 1) times the sum of squared
    # scores about the block means
    variance: float
    method: Method
    n_draws: int | None  # number of random arrangements, by Monte Carlo


@dataclass(frozen=True, slots=True)
class Standing:
    """Sums of scores about their mean."""

    sums: Array  # (K,)
    within: float  # sum of squared scores about the block means

    @property
    def statistic(self) -> float:
        """Friedman's statistic of the scores."""
        return self.scale * float(self.sums @ self.sums)

    @property
    def scale(self) -> float:
        """The factor from a sum of squared sums to the statistic; 0 when all is tied."""
        return (len(self.sums) - 1) / self.within if self.within else 0.0

    @property
    def variance(self) -> float:
        """Variance of a difference of two sums."""
        return 2 * self.within / (len(self.sums) - 1)

    def compare(
        self,
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        p_values: Array,
        errors: Array | None = None,
        method: Method = "asymptotic",
        n_draws: int | None = None,
    ) -> SumComparisons:
        """Put comparisons together; without variance every p-value is 1."""
        differences = self.sums[first] - self.sums[second]
        no_errors = np.zeros(len(first))
        errors = no_errors if errors is None else errors
        if self.variance == 0:
            statistics, p_values, errors = no_errors, np.ones(len(first)), no_errors
        else:
            statistics = differences / sqrt(self.variance)
        return SumComparisons(
            first=first,
            second=second,
            differences=differences,
            statistics=statistics,
            p_values=p_values,
            standard_errors=errors,
            variance=self.variance,
            method=method,
            n_draws=n_draws,
        )


def standing(scores: Array) -> Standing:
    """Sum the scores of the candidates; raise an error where they are invalid.

    `scores`: (B, K); complete blocks.
    Raises ValueError if `scores` is not a complete matrix with a block and two columns.

    Examples
    --------
    >>> standing(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]))
    Standing(sums=array([-2.,  1.,  1.]), within=4.0)
    """
    if check_blocks(scores).shape[0] < 1 or scores.shape[1] < 2:
        raise ValueError(f"tests of blocks need a block and two candidates, got {scores.shape}")
    is_tied = np.ptp(scores, axis=1, keepdims=True) == 0
    within = np.where(is_tied, 0.0, scores - scores.mean(axis=1, keepdims=True))
    return Standing(within.sum(axis=0), float((within**2).sum()))


def column_pairs(n_candidates: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of all pairs, first < second, in lexical order.

    Examples
    --------
    >>> column_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(n_candidates, 1)
    return first.astype(np.intp), second.astype(np.intp)


def with_reference(reference: int, n_candidates: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of all others and, as often, of the reference.

    Raises ValueError if there is no such column.

    Examples
    --------
    >>> with_reference(1, 4)
    (array([0, 2, 3]), array([1, 1, 1]))
    """
    if not 0 <= reference < n_candidates:
        raise ValueError(f"the reference must be a column below {n_candidates}, got {reference}")
    others = np.delete(np.arange(n_candidates, dtype=np.intp), reference)
    return others, np.full(len(others), reference, dtype=np.intp)


def directed(alternative: Alternative) -> np.ufunc:
    """Return the function that is large where a difference is evidence against equality.

    Raises ValueError if there is no such alternative.

    Examples
    --------
    >>> directed("less")(np.array([-2.0, 1.0]))
    array([ 2., -1.])
    """
    folds: dict[str, np.ufunc] = {
        "two-sided": np.absolute,
        "less": np.negative,
        "greater": np.positive,
    }
    if alternative not in folds:
        raise ValueError(f"the alternative must be one of {', '.join(folds)}, got {alternative!r}")
    return folds[alternative]
