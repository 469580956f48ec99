"""Values that are seldom meant: of another scale, zeros for failures, copies of a candidate."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.table import RawTable
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Array
from reportgen.study.errors import listed
from reportgen.units import unit_named
from reportgen.warehouse.rows import codes_of, distinct

log = logging.getLogger(__name__)
HUNDRED = (30.0, 300.0)  # a ratio of means that one in per cent has to one that is a share
FAR = 10.0  # times the largest value of all others
MILLION = 1e6  # times all other values of a data set: of runs that have diverged
MOST_GIANTS = 0.1  # of the values of a data set
FEWEST_VALUES = 3  # of a candidate, not all the same, that can be those of another one
MOST_NAMED = 20  # data sets or candidates that one warning names
WORDS = {
    "odd-scale": "{} lies about 100 times off the others: is it in another unit, such as per cent?",
    "odd-unit": "{} is in per cent, and no value is above 1: are they shares?",
    "odd-constant": "{} is the same throughout and far above the others: did it fail?",
    "odd-zeros": "values of exactly 0 lie far from the others: {}; were they failures?",
    "odd-giants": "values are more than a million times all others: {}; did the runs diverge?",
    "odd-sharing": "more than half of the values are missing, as few candidates have a replication "
    "in common: {}",
    "odd-equal": "all candidates have equal values: {}",
    "odd-copy": "candidates with equal values throughout: {}",
}
"""What is said of odd values, by kind; a report says the same."""


def note_odd_values(table: RawTable, frame: pd.DataFrame, measures: Iterable[Measure]) -> None:
    """Note and log values that are seldom meant.

    `frame`: the performances, tidy.
    """
    found = list(find_odd_values(frame, list(measures)))
    if unit_named(table.unit).shares_rows:
        found += [("odd-sharing", of) for of in _rarely_shared(frame)]
    for kind, of in found:
        log.warning("%s: %s", table.path, WORDS[kind].format(of))
        table.decided.append((kind, of))


@dataclass(frozen=True, slots=True)
class _Cells:
    """The values of a measure: a row a replication of a data set, a column a candidate."""

    values: Array  # NaN where there is none
    starts: NDArray[np.intp]  # of the rows of the data sets
    datasets: list[str]
    candidates: list[str]  # with a value

    def by_dataset(self) -> list[Array]:
        """Return the values of each data set."""
        return np.split(self.values, self.starts[1:].tolist())


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The rows of a tidy table by the numbers of their names, in the order of the names."""

    dataset: NDArray[np.integer[Any]]
    replication: NDArray[np.integer[Any]]
    candidate: NDArray[np.integer[Any]]
    datasets: list[str]
    replications: list[object]
    candidates: list[str]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> _Numbers:
        """Number the names of a table."""
        columns = [_numbered(frame[name]) for name in ("dataset", "replication", "candidate")]
        (m, b, k), (datasets, replications, candidates) = zip(*columns, strict=True)
        return cls(m, b, k, [str(x) for x in datasets], replications, [str(x) for x in candidates])

    def units(self, rows: NDArray[np.bool_] | slice) -> NDArray[np.int64]:
        """Number the replications of all data sets, of some rows."""
        units = self.dataset[rows].astype(np.int64)
        units *= len(self.replications) + 1
        units += self.replication[rows]
        return units

    def cells(self, is_own: NDArray[np.bool_], values: Array) -> _Cells:
        """Lay out the values of a measure."""
        k = self.candidate[is_own]
        keys, place = np.unique(self.units(is_own), return_inverse=True)
        laid_out = np.full((len(keys), len(self.candidates)), np.nan)
        laid_out[place, k] = values[is_own]
        has_values = ~np.isnan(laid_out).all(axis=0)
        numbers, starts = np.unique(keys // (len(self.replications) + 1), return_index=True)
        return _Cells(
            laid_out[:, has_values],
            starts,
            [self.datasets[i] for i in numbers.tolist()],
            [self.candidates[i] for i in np.flatnonzero(has_values).tolist()],
        )


def _numbered(column: pd.Series[Any]) -> tuple[NDArray[np.integer[Any]], list[object]]:
    """Return the numbers of a column's names, and these in their order."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return codes_of(column), list(column.cat.categories)
    codes, names = pd.factorize(column, sort=True)
    return codes, list(names)


def find_odd_values(frame: pd.DataFrame, measures: list[Measure]) -> Iterator[tuple[str, str]]:
    """Yield the kinds of odd values, and where they are.

    `frame`: columns dataset, replication, candidate, measure, value.
    """
    numbers = _Numbers.of(frame)
    values = frame["value"].to_numpy(float)
    places, names = _numbered(frame["measure"])
    found = []
    for measure in measures:
        if measure.name not in names:
            continue
        cells = numbers.cells(places == names.index(measure.name), values)
        if len(cells.candidates) < 2:
            continue
        found.append(cells)
        if measure.unit_symbol == "%" and 0 < np.nanmax(np.abs(cells.values)) <= 1:
            yield "odd-unit", measure.name
        yield from _odd_scale(measure, cells)
        yield from _odd_constant(measure, cells)
        yield from _odd_zeros(measure, cells)
        yield from _odd_giants(measure, cells)
        yield from _equal(measure, cells)
    yield from _copies(found)


def _odd_scale(measure: Measure, cells: _Cells) -> Iterator[tuple[str, str]]:
    """Yield candidates about 100 times off the others on all data sets, but for times and sizes."""
    if measure.is_compared_by_ratio or len(cells.candidates) < 3:
        return
    is_there = ~np.isnan(cells.values)
    n = np.add.reduceat(is_there, cells.starts, axis=0, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = np.where(is_there, np.abs(cells.values), 0.0)
        values = np.add.reduceat(sizes, cells.starts, axis=0) / n
    if not (values[n > 0] > 0).all():
        return
    medians, spreads = others_of(values)
    low, high = HUNDRED
    columns = zip(cells.candidates, cells.values.T, values.T, medians.T, spreads.T, strict=True)
    for name, column, own, median, spread in columns:
        with np.errstate(over="ignore"):
            ratios = (own / median)[np.isfinite(own) & np.isfinite(median)]
        is_off = any(
            ((ratios >= a) & (ratios <= b)).all() for a, b in ((low, high), (1 / high, 1 / low))
        )
        widest = np.fmax.reduce(spread, initial=-np.inf)
        if len(ratios) and is_off and widest < low and not _is_constant(column):
            yield "odd-scale", f"{measure.name} of {listed([name])}"


def others_of(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return of all other values of a row the median, and the largest over the smallest.

    `values`: (M, K); above 0, NaN where there is none.
    Result: tuple of two ndarrays of shape (M, K); NaN where there is no other.

    Examples
    --------
    >>> medians, spreads = others_of(np.array([[1.0, 2.0, 8.0]]))
    >>> medians, spreads
    (array([[5. , 4.5, 1.5]]), array([[4., 8., 2.]]))
    """
    order = np.argsort(values, axis=1)  # NaN last
    place = np.argsort(order, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    is_there = np.isfinite(values)
    n = is_there.sum(axis=1, keepdims=True) - is_there

    def at(j: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the jth of the others in order."""
        rank = np.maximum(j, 0)
        rank = np.minimum(rank + (rank >= place), values.shape[1] - 1)
        return np.where(n > 0, np.take_along_axis(ordered, rank, axis=1), np.nan)

    with np.errstate(over="ignore"):
        return at((n - 1) // 2) / 2 + at(n // 2) / 2, at(n - 1) / at(np.zeros_like(n))


def _odd_constant(measure: Measure, cells: _Cells) -> Iterator[tuple[str, str]]:
    """Yield candidates whose one value is far above all others, as of a run that diverged."""
    largest = np.fmax.reduce(np.abs(cells.values), axis=0)
    place = int(np.argmax(largest))
    most = float(np.delete(largest, place).max())
    own = cells.values[:, place]  # another one cannot be far above all
    if _is_constant(own) and float(np.fmax.reduce(own)) > FAR * most > 0:
        yield "odd-constant", f"{measure.name} of {listed([cells.candidates[place]])}"


def _is_constant(values: Array) -> bool:
    there = values[~np.isnan(values)]
    return len(there) >= FEWEST_VALUES and bool((there == there[0]).all())


def _odd_zeros(measure: Measure, cells: _Cells) -> Iterator[tuple[str, str]]:
    """Yield candidates with zeros further from the other values of a data set than these reach."""
    finite = cells.values[np.isfinite(cells.values)]
    if (finite == np.round(finite)).all():
        return
    found: dict[str, int] = {}
    for own in cells.by_dataset():
        rest = np.abs(own[np.isfinite(own) & (own != 0)])
        if rest.size > 2 and rest.min() > rest.max() - rest.min():
            _count(found, cells.candidates, own == 0)
    if found:
        yield "odd-zeros", _counted(found, measure)


def _odd_giants(measure: Measure, cells: _Cells) -> Iterator[tuple[str, str]]:
    """Yield candidates with values more than a million times all others of a data set."""
    found: dict[str, int] = {}
    for own in map(np.abs, cells.by_dataset()):
        ordered = np.sort(own[np.isfinite(own)])[::-1]
        most = min(max(1, int(MOST_GIANTS * len(ordered))), len(ordered) - 2)
        with np.errstate(over="ignore"):
            gaps = [i for i in range(most) if ordered[i] > MILLION * ordered[i + 1] > 0]
        if gaps:
            _count(found, cells.candidates, own > ordered[gaps[-1] + 1])
    if found:
        yield "odd-giants", _counted(found, measure)


def _count(found: dict[str, int], names: Sequence[str], is_odd: NDArray[np.bool_]) -> None:
    """Add the odd values of the candidates of one data set."""
    counts = is_odd.sum(axis=0)
    for place in np.flatnonzero(counts).tolist():
        name = names[place]
        found[name] = found.get(name, 0) + int(counts[place])


def _counted(found: Mapping[str, int], measure: Measure) -> str:
    """Say how many odd values each candidate has."""
    names = [f"{n} of {listed([name])}" for name, n in found.items()]
    return f"{', '.join(names)} ({measure.name})"


def _rarely_shared(frame: pd.DataFrame) -> Iterator[str]:
    """Yield an example where most replications are of one candidate alone, and others have more."""
    numbers = _Numbers.of(frame)
    n_names = len(numbers.candidates)
    fits = numbers.units(slice(None))
    fits *= n_names
    fits += numbers.candidate
    n_possible = len(numbers.datasets) * (len(numbers.replications) + 1) * n_names
    fits = distinct(fits, n_possible)
    keys, counts = np.unique(fits // n_names, return_counts=True)
    n_candidates = len(np.unique(fits % n_names))
    is_alone = counts == 1
    if 2 * len(fits) >= len(counts) * n_candidates or 2 * is_alone.sum() <= len(counts):
        return
    unit = int(keys[is_alone.argmax()])
    m, b = divmod(unit, len(numbers.replications) + 1)
    name = numbers.candidates[int(fits[fits // n_names == unit][0] % n_names)]
    yield (
        f"{int(is_alone.sum())} of {len(counts)} are of one alone, such as replication "
        f"{numbers.replications[b]} of {listed([numbers.datasets[m]])} of {listed([name])}"
    )


def _equal(measure: Measure, cells: _Cells) -> Iterator[tuple[str, str]]:
    """Yield the data sets on which all candidates have equal values in all replications."""
    values = cells.values
    if values.shape[1] < 3 and len(values) < FEWEST_VALUES:
        return
    is_equal = np.fmax.reduce(values, axis=1) == np.fmin.reduce(values, axis=1)
    is_equal &= (~np.isnan(values)).sum(axis=1) > 1
    by_dataset = np.logical_and.reduceat(is_equal, cells.starts)
    names = [cells.datasets[i] for i in np.flatnonzero(by_dataset).tolist()]
    if names:
        some = f"{measure.name} on {listed(names, MOST_NAMED)}"
        yield "odd-equal", measure.name if len(names) == len(by_dataset) else some


def _copies(found: Sequence[_Cells]) -> Iterator[tuple[str, str]]:
    """Yield candidates that are equal by all measures, where not all are."""
    names = list(dict.fromkeys(name for cells in found for name in cells.candidates))
    if len(names) < 3:
        return
    columns = [dict(zip(cells.candidates, cells.values.T, strict=True)) for cells in found]
    nothing = [np.full(len(cells.values), np.nan) for cells in found]
    alike: dict[bytes, list[str]] = {}
    for name in names:
        parts = [own.get(name, none) for own, none in zip(columns, nothing, strict=True)]
        column = np.concatenate(parts)
        finite = column[np.isfinite(column)]
        if len(finite) >= FEWEST_VALUES and (finite != finite[0]).any():
            alike.setdefault(column.tobytes(), []).append(name)
    for group in alike.values():
        if len(group) > 1:
            yield "odd-copy", listed(group, MOST_NAMED)
