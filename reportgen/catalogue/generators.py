"""Data sets that follow from a definition: MONK's problems, spirals, twonorm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

Table = tuple[pd.DataFrame, pd.Series]
Rule = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

MONK_LEVELS = (3, 3, 2, 3, 4, 2)
MONK_NOISE = 0.05


@dataclass(frozen=True, slots=True)
class GeneratedData:
    """A generator of any number of observations.

    Attributes
    ----------
    draw : callable
        Takes n, a random generator and the options; returns inputs and target.
    origin : str
        Where the definition stands.
    options : mapping
        Every option with its default.
    n : int
        Number of observations where nobody says.
    """

    draw: Callable[..., Table]
    origin: str
    options: Mapping[str, float] = field(default_factory=dict)
    n: int = 300


def monks(rule: Rule, n_learning: int, noise: float, rng: Generator) -> Table:
    """Return all 432 combinations of a MONK's problem, and a learning part.

    Parameters
    ----------
    rule : callable
        Takes the six attributes, coded from 1, one row an observation; returns
        the class.
    n_learning : int
        Rows of the learning part, drawn from the combinations without
        replacement, which follow the combinations.
    noise : float
        Share of the learning part whose class is turned over.

    References
    ----------
    .. [1] S. B. Thrun et al. (1991), The MONK's Problems: a Performance
       Comparison of Different Learning Algorithms, CMU-CS-91-197.
    """
    space = np.array(list(product(*(range(1, size + 1) for size in MONK_LEVELS))))
    rows = rng.choice(len(space), size=n_learning, replace=False)
    is_wrong = np.zeros(n_learning, dtype=np.bool_)
    is_wrong[rng.choice(n_learning, size=round(noise * n_learning), replace=False)] = True
    attributes = np.concatenate([space, space[rows]])
    classes = np.concatenate([rule(space), rule(space[rows]) ^ is_wrong])
    inputs = pd.DataFrame(
        {
            f"a{j + 1}": pd.Categorical.from_codes(
                attributes[:, j] - 1, pd.Index([str(level + 1) for level in range(size)])
            )
            for j, size in enumerate(MONK_LEVELS)
        }
    )
    return inputs, _classes(classes, ("0", "1"))


def monk1(a: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Head and body have the same shape, or the jacket is red."""
    return np.asarray((a[:, 0] == a[:, 1]) | (a[:, 4] == 1))


def monk2(a: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Exactly two of the six attributes have their first value."""
    return np.asarray((a == 1).sum(axis=1) == 2)


def monk3(a: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Jacket green and a sword held, or jacket not blue and body not octagonal."""
    return np.asarray(((a[:, 4] == 3) & (a[:, 3] == 1)) | ((a[:, 4] != 4) & (a[:, 1] != 3)))


def spirals(n: int, rng: Generator, *, cycles: float, sd: float) -> Table:
    """Draw two spirals that wind around each other.

    A spiral runs through r(w) (cos 2 pi w, sin 2 pi w) with r(w) = (2 w + 1) / 3
    and w from 0 to `cycles`; the other one is its mirror image at the origin.
    Normal noise with standard deviation `sd` is added at right angles to it.

    References
    ----------
    .. [1] F. Leisch and E. Dimitriadou, mlbench: machine learning benchmark
       problems, R package.
    """
    is_second = np.zeros(n, dtype=np.bool_)
    is_second[rng.choice(n, size=n // 2, replace=False)] = True
    points = np.empty((n, 2))
    points[~is_second] = _spiral(n - n // 2, cycles, sd, rng)
    points[is_second] = -_spiral(n // 2, cycles, sd, rng)
    return _named(points), _classes(is_second, ("1", "2"))


def _spiral(n: int, cycles: float, sd: float, rng: Generator) -> NDArray[np.float64]:
    w = np.arange(n) * cycles / n
    angle, radius = 2 * np.pi * w, 2 * w + 1
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) / 3
    along = np.column_stack(
        [
            np.cos(angle) - np.pi * radius * np.sin(angle),
            np.sin(angle) + np.pi * radius * np.cos(angle),
        ]
    )
    normal = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(
        along, axis=1, keepdims=True
    )
    return np.asarray(points + sd * rng.standard_normal((n, 1)) * normal)


def twonorm(n: int, rng: Generator, *, d: float) -> Table:
    """Draw from two normal distributions of unit covariance in d dimensions.

    Their means are (a, …, a) and (-a, …, -a) with a = 2 / sqrt(d), so that the
    least possible error is Phi(-2) = 2.28%, whatever d.

    References
    ----------
    .. [1] L. Breiman (1998), "Arcing classifiers", Annals of Statistics 26.
    """
    dimensions = int(d)
    is_second = np.zeros(n, dtype=np.bool_)
    is_second[rng.choice(n, size=n // 2, replace=False)] = True
    mean = np.where(is_second, -1.0, 1.0) * 2.0 / np.sqrt(dimensions)
    points = mean[:, None] + rng.standard_normal((n, dimensions))
    return _named(points), _classes(is_second, ("1", "2"))


def _named(points: NDArray[np.float64]) -> pd.DataFrame:
    return pd.DataFrame(points, columns=[f"x{j + 1}" for j in range(points.shape[1])])


def _classes(is_second: NDArray[np.bool_], labels: tuple[str, str]) -> pd.Series:
    codes = is_second.astype(np.int8)
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(labels)), name="class")
