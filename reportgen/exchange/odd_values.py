"""Values that are seldom meant: of another scale, zeros for failures, copies of a candidate."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.exchange.table import RawTable
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed

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
    if table.unit != "sample":
        found += [("odd-sharing", of) for of in _rarely_shared(frame)]
    for kind, of in found:
        log.warning("%s: %s", table.path, WORDS[kind].format(of))
        table.decided.append((kind, of))


def find_odd_values(frame: pd.DataFrame, measures: list[Measure]) -> Iterator[tuple[str, str]]:
    """Yield the kinds of odd values, and where they are.

    `frame`: columns dataset, replication, candidate, measure, value.
    """
    cells = {}
    for measure in measures:
        own = frame[frame["measure"] == measure.name]
        wide = own.pivot(index=["dataset", "replication"], columns="candidate", values="value")
        wide = wide.dropna(axis=1, how="all")
        if wide.shape[1] < 2:
            continue
        cells[measure.name] = wide
        if measure.unit == "%" and 0 < np.nanmax(np.abs(wide.to_numpy(float))) <= 1:
            yield "odd-unit", measure.name
        yield from _odd_scale(measure, wide)
        yield from _odd_constant(measure, wide)
        yield from _odd_zeros(measure, wide)
        yield from _odd_giants(measure, wide)
        yield from _equal(measure, wide)
    yield from _copies(cells)


def _odd_scale(measure: Measure, wide: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield candidates about 100 times off the others on all data sets, but for times and sizes."""
    if measure.is_compared_by_ratio or wide.shape[1] < 3:
        return
    means = wide.abs().groupby(level="dataset", observed=True).mean()
    if not (means.to_numpy(float, na_value=1.0) > 0).all():
        return
    values = means.to_numpy(float, na_value=np.nan)
    medians, spreads = others_of(values)
    low, high = HUNDRED
    for name, own, median, spread in zip(means, values.T, medians.T, spreads.T, strict=True):
        with np.errstate(over="ignore"):
            ratios = (own / median)[np.isfinite(own) & np.isfinite(median)]
        is_off = any(
            ((ratios >= a) & (ratios <= b)).all() for a, b in ((low, high), (1 / high, 1 / low))
        )
        widest = np.fmax.reduce(spread, initial=-np.inf)
        if len(ratios) and is_off and widest < low and not _is_constant(wide[name]):
            yield "odd-scale", f"{measure.name} of {listed([str(name)])}"


def others_of(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return of all other values of a row the median, and the largest over the smallest.

    Parameters
    ----------
    values : ndarray of shape (M, K)
        Above 0, NaN where there is none.

    Returns
    -------
    tuple of two ndarrays of shape (M, K)
        NaN where there is no other.

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


def _odd_constant(measure: Measure, wide: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield candidates whose one value is far above all others, as of a run that diverged."""
    largest = wide.abs().max().to_numpy(float)
    place = int(np.nanargmax(largest))
    most = float(np.nanmax(np.delete(largest, place)))
    name = wide.columns[place]  # another one cannot be far above all
    if _is_constant(wide[name]) and float(wide[name].max()) > FAR * most > 0:
        yield "odd-constant", f"{measure.name} of {listed([str(name)])}"


def _is_constant(values: pd.Series[float]) -> bool:
    return values.count() >= FEWEST_VALUES and values.nunique() == 1


def _odd_zeros(measure: Measure, wide: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield candidates with zeros further from the other values of a data set than these reach."""
    values = wide.to_numpy(float)
    finite = values[np.isfinite(values)]
    if (finite == np.round(finite)).all():
        return
    found: dict[str, int] = {}
    for _, own in wide.groupby(level="dataset", observed=True):
        cells = own.to_numpy(float)
        rest = np.abs(cells[np.isfinite(cells) & (cells != 0)])
        if rest.size > 2 and rest.min() > rest.max() - rest.min():
            _count(found, own.columns, cells == 0)
    if found:
        yield "odd-zeros", _counted(found, measure)


def _odd_giants(measure: Measure, wide: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield candidates with values more than a million times all others of a data set."""
    found: dict[str, int] = {}
    for _, own in wide.groupby(level="dataset", observed=True):
        cells = np.abs(own.to_numpy(float))
        ordered = np.sort(cells[np.isfinite(cells)])[::-1]
        most = min(max(1, int(MOST_GIANTS * len(ordered))), len(ordered) - 2)
        with np.errstate(over="ignore"):
            gaps = [i for i in range(most) if ordered[i] > MILLION * ordered[i + 1] > 0]
        if gaps:
            _count(found, own.columns, cells > ordered[gaps[-1] + 1])
    if found:
        yield "odd-giants", _counted(found, measure)


def _count(found: dict[str, int], names: pd.Index[Any], is_odd: NDArray[np.bool_]) -> None:
    """Add the odd values of the candidates of one data set."""
    counts = is_odd.sum(axis=0)
    for place in np.flatnonzero(counts).tolist():
        name = str(names[place])
        found[name] = found.get(name, 0) + int(counts[place])


def _counted(found: Mapping[str, int], measure: Measure) -> str:
    """Say how many odd values each candidate has."""
    names = [f"{n} of {listed([name])}" for name, n in found.items()]
    return f"{', '.join(names)} ({measure.name})"


def _rarely_shared(frame: pd.DataFrame) -> Iterator[str]:
    """Yield an example where most replications are of one candidate alone, and others have more."""
    fits = frame[["dataset", "replication", "candidate"]].drop_duplicates()
    counts = fits.groupby(["dataset", "replication"], observed=True)["candidate"].size()
    n_candidates = fits["candidate"].nunique()
    is_alone = (counts == 1).to_numpy()
    if 2 * len(fits) >= len(counts) * n_candidates or 2 * is_alone.sum() <= len(counts):
        return
    dataset, replication = counts.index[int(is_alone.argmax())]
    is_it = (fits["dataset"] == dataset) & (fits["replication"] == replication)
    name = fits.loc[is_it, "candidate"].iloc[0]
    yield (
        f"{int(is_alone.sum())} of {len(counts)} are of one alone, such as replication "
        f"{replication} of {listed([str(dataset)])} of {listed([str(name)])}"
    )


def _equal(measure: Measure, wide: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the data sets on which all candidates have equal values in all replications."""
    if wide.shape[1] < 3 and len(wide) < FEWEST_VALUES:
        return
    is_equal = (wide.max(axis=1) == wide.min(axis=1)) & (wide.notna().sum(axis=1) > 1)
    by_dataset = is_equal.groupby(level="dataset", observed=True).all()
    names = [str(name) for name in by_dataset.index[by_dataset]]
    if names:
        some = f"{measure.name} on {listed(names, MOST_NAMED)}"
        yield "odd-equal", measure.name if len(names) == len(by_dataset) else some


def _copies(cells: dict[str, pd.DataFrame]) -> Iterator[tuple[str, str]]:
    """Yield candidates that are equal by all measures, where not all are."""
    names = list(dict.fromkeys(name for wide in cells.values() for name in wide))
    if len(names) < 3:
        return
    alike: dict[bytes, list[str]] = {}
    for name in names:
        parts = [wide.get(name, pd.Series(np.nan, wide.index)) for wide in cells.values()]
        column = np.concatenate([part.to_numpy(float) for part in parts])
        finite = column[np.isfinite(column)]
        if len(finite) >= FEWEST_VALUES and len(np.unique(finite)) > 1:
            alike.setdefault(column.tobytes(), []).append(str(name))
    for group in alike.values():
        if len(group) > 1:
            yield "odd-copy", listed(group, MOST_NAMED)
