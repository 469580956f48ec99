"""Initial archetypes and scaling of the columns.

Initial archetypes are rows chosen at random, far from one another, or far from the hull. Columns
are scaled by mean and standard deviation or by median and MAD.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.archetypal_analysis.problem import nearest_mixtures
from reportgen.stats.blocks.fit_unit import fit_unit

BeginningName = Literal["mixed", "furthest_sum", "plus_plus", "random"]

BEGINNINGS: tuple[str, ...] = get_args(BeginningName)

# Rows of a furthest sum that are chosen anew, the first ones first.
_RENEWED = 10


def beginnings(
    rows: NDArray[np.float64], n_archetypes: int, name: BeginningName, rng: Generator, n_starts: int
) -> NDArray[np.float64]:
    """Choose the rows that the archetypes of several starts begin as.

    `rows`, `n_archetypes`, `name`, `rng`: as in `beginning`.
    Result: (n_starts, k, h); shares of the rows: a one in each line.
    """
    found = beginnings_of(rows[None], [len(rows)], n_archetypes, name, [rng], n_starts)
    return np.asarray(found[0])


def beginnings_of(
    tables: NDArray[np.float64],
    counts: Sequence[int],
    n_archetypes: int,
    name: BeginningName,
    generators: Sequence[Generator],
    n_starts: int,
) -> NDArray[np.float64]:
    """Choose the rows that the archetypes of several starts in several tables begin as.

    `tables`: (t, h, m).
    `counts`: how many rows each has; those that follow fill up.
    Result: (t, n_starts, k, h); shares of the rows: a one in each line.
    """
    shape = (len(tables), n_starts, n_archetypes)
    shares = np.zeros((*shape, tables.shape[1]))
    for number in range(n_starts):
        chosen = _chosen(tables, counts, n_archetypes, name, generators, number)
        np.put_along_axis(shares[:, number], chosen[..., None], 1.0, axis=2)
    return shares


def majority(rows: NDArray[np.float64], least: int) -> NDArray[np.int64]:
    """Return the half of the rows (h, m) that is nearest to the median of the columns.

    More than half where `least` are more, and where several are equally far.
    """
    distances = ((rows - np.median(rows, axis=0)) ** 2).sum(axis=1)
    farthest = max(np.sort(distances)[:least][-1], np.median(distances))
    return np.flatnonzero(distances <= farthest)


def beginning(
    rows: NDArray[np.float64],
    n_archetypes: int,
    name: BeginningName,
    rng: Generator,
    number: int = 0,
) -> NDArray[np.int64]:
    """Choose the rows that archetypes begin as.

    `rows`: (h, m); at least `n_archetypes` different ones.
    `name`: the row with the largest sum of distances from those chosen (Mørup and Hansen 2012,
    Neurocomputing 80, section 2.3); a row at random with a chance proportional to its squared
    distance from the hull of those chosen (archetypal++: Mair and Sjölund 2024); or all at random.
    Furthest sums soon come out alike, so that a mixed choice takes one for the first start, and the
    other two in turn for all that follow.
    `number`: which start it is, from 0.
    Result: (k,); different rows.
    """
    found = _chosen(rows[None], [len(rows)], n_archetypes, name, [rng], number)
    return np.asarray(found[0])


def _chosen(
    tables: NDArray[np.float64],
    counts: Sequence[int],
    k: int,
    name: BeginningName,
    generators: Sequence[Generator],
    number: int,
) -> NDArray[np.int64]:
    """Choose rows (t, k) of several tables, as `beginning` does."""
    if name == "mixed":
        name = ("random", "plus_plus")[number % 2] if number else "furthest_sum"
    draws = list(zip(generators, counts, strict=True))
    if name == "random":
        return np.array([rng.choice(count, k, replace=False) for rng, count in draws])
    first = np.array([rng.integers(count) for rng, count in draws])
    is_row = np.arange(tables.shape[1]) < np.array(counts)[:, None]
    if name == "plus_plus":
        return _plus_plus(tables, is_row, k, first, generators)
    return _furthest_sum(tables, is_row, k, first)


def _plus_plus(
    tables: NDArray[np.float64],
    is_row: NDArray[np.bool_],
    k: int,
    first: NDArray[np.int64],
    generators: Sequence[Generator],
) -> NDArray[np.int64]:
    chosen = first[:, None]
    shares = np.ones((len(tables), 1, tables.shape[1]))
    while chosen.shape[1] < k:
        hull = np.take_along_axis(tables, chosen[..., None], axis=1)
        if chosen.shape[1] > 1:
            start = np.pad(shares, ((0, 0), (0, 1), (0, 0)))
            shares = nearest_mixtures(tables, hull, start=start)
        is_open = is_row.copy()
        np.put_along_axis(is_open, chosen, values=False, axis=1)
        chance = ((tables - shares.swapaxes(1, 2) @ hull) ** 2).sum(axis=2) * is_open
        chance = np.where(chance.sum(axis=1, keepdims=True) > 0, chance, is_open)
        following = [
            rng.choice(len(own), p=own / own.sum())
            for rng, own in zip(generators, chance, strict=True)
        ]
        chosen = np.column_stack([chosen, following])
    return chosen


def _furthest_sum(
    tables: NDArray[np.float64], is_row: NDArray[np.bool_], k: int, first: NDArray[np.int64]
) -> NDArray[np.int64]:
    chosen = first[:, None]
    sums = _distances(tables, first)
    for _ in range(k - 1 + _RENEWED):
        if chosen.shape[1] == k:
            sums = sums - _distances(tables, chosen[:, 0])
            chosen = chosen[:, 1:]
        open_sums = np.where(is_row, sums, -1.0)
        np.put_along_axis(open_sums, chosen, -1.0, axis=1)
        chosen = np.column_stack([chosen, open_sums.argmax(axis=1)])
        sums = sums + _distances(tables, chosen[:, -1])
    return chosen


def _distances(tables: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distances (t, h) of all rows of tables from one of theirs."""
    apart = tables - tables[np.arange(len(tables)), rows][:, None]
    return np.asarray(np.sqrt((apart**2).sum(axis=2)))


ScalingName = Literal["standard", "robust", "none"]

SCALINGS: tuple[str, ...] = get_args(ScalingName)

FARTHEST = 1e100  # scales from the centre: squares of distances are numbers

# Of a normal variable: sd over MAD, and sd over mean absolute deviation.
_OF_MAD = 1.482602218505602
_OF_MEAN_DEVIATION = 1.2533141373155003


@dataclass(frozen=True, slots=True)
class Scaling:
    """The centre and the scale of each column.

    Attributes
    ----------
    centre, scale : ndarray of shape (m,)
        The scale is positive; one where a column is constant.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    def scaled(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Centre and scale rows (n, m); what lies beyond `FARTHEST` scales lies there."""
        with np.errstate(over="ignore"):
            return np.clip((rows - self.centre) / self.scale, -FARTHEST, FARTHEST)

    def original(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scaled rows (n, m) to their own units."""
        return np.asarray(rows * self.scale + self.centre)


def scaling_of(rows: NDArray[np.float64], name: ScalingName = "standard") -> Scaling:
    """Find the scaling of a table, cell by cell of what was observed.

    `rows`: (n, m); not observed cells are nan; each column has at least one that is.
    `name`: mean and standard deviation (divisor n - 1); median and MAD times 1.4826 (the mean
    absolute deviation from the median times 1.2533 where more than half of a column is alike); or
    the mean with one scale, for columns in one unit: 1, or a power of two of unusual sizes.

    Examples
    --------
    >>> scaling_of(np.array([[1.0], [2], [3], [100]]), "robust").scaled(np.array([[2.5]]))
    array([[0.]])
    """
    if name == "robust":
        centre = np.nanmedian(rows, axis=0)
        distances = np.abs(rows - centre)
        scale = _OF_MAD * np.nanmedian(distances, axis=0)
        scale = np.where(scale > 0, scale, _OF_MEAN_DEVIATION * np.nanmean(distances, axis=0))
    else:
        centre = np.nanmean(rows, axis=0)
        scale = (
            _deviations(rows, centre)
            if name == "standard"
            else np.full(len(centre), fit_unit([rows - centre]))
        )
    spread = np.nanmax(rows, axis=0) - np.nanmin(rows, axis=0)
    return Scaling(centre, np.where((spread > 0) & (scale > 0), scale, 1.0))


def _deviations(rows: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return standard deviations, zero where a column has one cell only."""
    counts = np.isfinite(rows).sum(axis=0)
    distances = rows - centre
    sums = np.nansum(distances**2, axis=0)
    return np.asarray(np.sqrt(sums / np.maximum(counts - 1, 1)))
