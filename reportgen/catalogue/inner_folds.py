"""The folds of an inner cross-validation, in which copies of an observation stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray


def deal(
    copies: NDArray[np.int64], classes: NDArray[Any] | None, folds: int, rng: Generator
) -> NDArray[np.int64]:
    """Deal observations into folds of nearly equal numbers of distinct observations.

    Parameters
    ----------
    copies : ndarray of shape (n,)
        Equal numbers for copies of one observation.
    classes : ndarray of shape (n,), optional
        Every class is dealt evenly where given.
    folds : int
    rng : Generator

    Returns
    -------
    ndarray of shape (n,)
        The fold of each row, from 0.

    Examples
    --------
    >>> int(deal(np.array([0, 1, 0, 2]), None, 3, np.random.default_rng(1)).max())
    2
    """
    distinct, first, back = np.unique(copies, return_index=True, return_inverse=True)
    shuffled = rng.permutation(len(distinct))
    if classes is not None:
        shuffled = shuffled[np.argsort(classes[first][shuffled], kind="stable")]
    fold_of = np.empty(len(distinct), dtype=np.int64)
    fold_of[shuffled] = np.arange(len(distinct)) % max(2, min(folds, len(distinct)))
    return fold_of[back]


def copies_of(X: Any) -> NDArray[np.int64]:
    """Number the observations of a learning sample; copies have the same number.

    The rows of a data frame keep the label of the observation that they are a
    copy of; in a matrix equal rows count as copies.

    Examples
    --------
    >>> copies_of(np.array([[1.0], [2.0], [1.0]])).tolist()
    [0, 1, 0]
    """
    if isinstance(X, pd.DataFrame):
        return np.asarray(pd.factorize(X.index)[0], dtype=np.int64)
    _, first, back = np.unique(np.asarray(X), axis=0, return_index=True, return_inverse=True)
    return np.asarray(pd.factorize(first[np.ravel(back)])[0], dtype=np.int64)


def rows_of(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a data frame or a matrix."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
