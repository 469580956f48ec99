"""Where a descent begins: rows chosen at random, far from one another, or far from the hull."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.archetypes.problem import mix

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
