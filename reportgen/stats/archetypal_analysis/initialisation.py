"""Initial archetypes and scaling of the columns.

Initial archetypes are rows chosen at random, far from one another, or far from the hull. Columns
are scaled by mean and standard deviation or by median and MAD.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.archetypal_analysis.problem import mix
from reportgen.stats.scaling import unusual_exponent

BeginningName = Literal["mixed", "furthest_sum", "plus_plus", "random"]

BEGINNINGS: tuple[str, ...] = get_args(BeginningName)

# Rows of a furthest sum that are chosen anew, the first ones first.
_RENEWED = 10


def beginnings(
    rows: NDArray[np.float64], n_archetypes: int, name: BeginningName, rng: Generator, n_starts: int
) -> NDArray[np.float64]:
    """Choose the rows that the archetypes of several starts begin as.

    Parameters
    ----------
    rows, n_archetypes, name, rng
        As in `beginning`.
    n_starts : int

    Returns
    -------
    ndarray of shape (n_starts, k, h)
        Shares of the rows: a one in each line.
    """
    shares = np.zeros((n_starts, n_archetypes, len(rows)))
    for number, own in enumerate(shares):
        own[np.arange(n_archetypes), beginning(rows, n_archetypes, name, rng, number)] = 1
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

    Parameters
    ----------
    rows : ndarray of shape (h, m)
        At least `n_archetypes` different ones.
    n_archetypes : int
    name : {"mixed", "furthest_sum", "plus_plus", "random"}
        The row with the largest sum of distances from those chosen (Mørup and Hansen 2012,
        Neurocomputing 80, section 2.3); a row at random with a chance proportional to its squared
        distance from the hull of those chosen (archetypal++: Mair and Sjölund 2024); or all at
        random. Furthest sums soon come out alike, so that a mixed choice takes one for the first
        start, and the other two in turn for all that follow.
    rng : Generator
    number : int
        Which start it is, from 0.

    Returns
    -------
    ndarray of shape (k,), int
        Different rows.
    """
    if name == "mixed":
        name = ("random", "plus_plus")[number % 2] if number else "furthest_sum"
    if name == "random":
        return rng.choice(len(rows), n_archetypes, replace=False)
    if name == "plus_plus":
        return _plus_plus(rows, n_archetypes, rng)
    return _furthest_sum(rows, n_archetypes, rng)


def _plus_plus(rows: NDArray[np.float64], k: int, rng: Generator) -> NDArray[np.int64]:
    chosen = [int(rng.integers(len(rows)))]
    mixed = np.ones((len(rows), 1))
    while len(chosen) < k:
        hull = rows[chosen]
        if len(chosen) > 1:
            mixed = mix(rows, hull, start=np.column_stack([mixed, np.zeros(len(rows))]))
        chance = ((rows - mixed @ hull) ** 2).sum(axis=1)
        chance[chosen] = 0
        if not chance.sum() > 0:
            chance = np.where(np.isin(np.arange(len(rows)), chosen), 0.0, 1.0)
        chosen.append(int(rng.choice(len(rows), p=chance / chance.sum())))
    return np.array(chosen)


def _furthest_sum(rows: NDArray[np.float64], k: int, rng: Generator) -> NDArray[np.int64]:
    chosen = [int(rng.integers(len(rows)))]
    sums = _distances(rows, chosen[0])
    for _ in range(k - 1 + _RENEWED):
        if len(chosen) == k:
            sums = sums - _distances(rows, chosen.pop(0))
        open_sums = sums.copy()
        open_sums[chosen] = -1
        chosen.append(int(open_sums.argmax()))
        sums = sums + _distances(rows, chosen[-1])
    return np.array(chosen)


def _distances(rows: NDArray[np.float64], row: int) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(((rows - rows[row]) ** 2).sum(axis=1)))


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

    Parameters
    ----------
    rows : ndarray of shape (n, m)
        Not observed cells are nan; each column has at least one that is.
    name : {"standard", "robust", "none"}
        Mean and standard deviation (divisor n - 1); median and MAD times 1.4826 (the mean absolute
        deviation from the median times 1.2533 where more than half of a column is alike); or the
        mean with scale one, or a power of two for values of unusual size, for columns in one unit.

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
        common = np.full(len(centre), np.ldexp(1.0, unusual_exponent(rows - centre)))
        scale = _deviations(rows, centre) if name == "standard" else common
    spread = np.nanmax(rows, axis=0) - np.nanmin(rows, axis=0)
    return Scaling(centre, np.where((spread > 0) & (scale > 0), scale, 1.0))


def _deviations(rows: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return standard deviations, zero where a column has one cell only."""
    counts = np.isfinite(rows).sum(axis=0)
    distances = rows - centre
    exponents = np.frexp(np.nanmax(np.abs(distances), axis=0))[1]
    sums = np.nansum(np.ldexp(distances, -exponents) ** 2, axis=0)  # no square overflows, nor is 0
    return np.asarray(np.ldexp(np.sqrt(sums / np.maximum(counts - 1, 1)), exponents))
