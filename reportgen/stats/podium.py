"""Places that candidates take in every block."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.ranks import check_blocks

Array = NDArray[np.float64]
Places = NDArray[np.int64]


def places(values: Array, rng: Generator, is_smaller_better: bool = True) -> Places:
    """Give each candidate its place in every block, ties broken at random.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Complete blocks.
    rng : Generator
        Breaks the ties.
    is_smaller_better : bool, default True

    Returns
    -------
    ndarray of shape (B, K), int
        1 to K in every row, 1 for the best.

    Raises
    ------
    ValueError
        If `values` is not a complete matrix.

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark Experiments, dissertation, LMU
       Munich, section 2.2.

    Examples
    --------
    >>> values = np.array([[0.3, 0.1, 0.2], [0.5, 0.5, 0.1]])
    >>> places(values, np.random.default_rng(0))[:, 2]
    array([2, 1])
    """
    checked = check_blocks(values)
    signed = checked if is_smaller_better else -checked
    order = np.lexsort((rng.random(signed.shape), signed), axis=1)
    taken = np.empty(signed.shape, dtype=np.int64)
    ascending = np.broadcast_to(np.arange(1, signed.shape[1] + 1), signed.shape)
    np.put_along_axis(taken, order, ascending, axis=1)
    return taken


def place_counts(taken: Places) -> Places:
    """Count how often each candidate takes each place.

    Parameters
    ----------
    taken : ndarray of shape (B, K), int

    Returns
    -------
    ndarray of shape (K, K), int
        Row p - 1 is place p, a column is a candidate; rows and columns sum to B.

    Examples
    --------
    >>> place_counts(np.array([[1, 2], [1, 2], [2, 1]]))
    array([[2, 1],
           [1, 2]])
    """
    every = np.arange(1, taken.shape[1] + 1)
    return np.stack([(taken == place).sum(axis=0) for place in every])


def has_tie(values: Array) -> NDArray[np.bool_]:
    """Whether two candidates of a block have the same value.

    Parameters
    ----------
    values : ndarray of shape (B, K)

    Returns
    -------
    ndarray of shape (B,), bool

    Examples
    --------
    >>> has_tie(np.array([[0.3, 0.1, 0.3], [0.5, 0.4, 0.1]]))
    array([ True, False])
    """
    gaps = np.diff(np.sort(values, axis=1), axis=1)
    return np.asarray((gaps == 0).any(axis=1), dtype=np.bool_)


def most_typical(taken: Places) -> int:
    """Return the first block whose places are, in sum, the most frequent ones.

    Parameters
    ----------
    taken : ndarray of shape (B, K), int
        B >= 1.

    Returns
    -------
    int

    Examples
    --------
    >>> most_typical(np.array([[2, 1, 3], [1, 2, 3], [1, 2, 3]]))
    1
    """
    counts = place_counts(taken)
    agreement = counts[taken - 1, np.arange(taken.shape[1])].sum(axis=1)
    return int(agreement.argmax())
