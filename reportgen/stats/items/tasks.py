r"""The verdict on these tasks: weighted means of the differences in several tasks.

.. math:: \bar d = \sum_t w_t \bar d_t, \qquad
          \operatorname{var}(\bar d) = \sum_t w_t^2\, \operatorname{se}_t^2,

with Satterthwaite's degrees of freedom, and the skewness
:math:`\sum_t w_t^3 \operatorname{se}_t^3 A_t / \operatorname{var}(\bar d)^{3/2}` of the mean, of
those :math:`A_t` of the tasks' means. The tasks are fixed, their items are a sample: nothing is
said of other tasks.

References
----------
.. [1] F. E. Satterthwaite (1946), "An approximate distribution of estimates of variance
   components", Biometrics Bulletin 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.adverse_differences import AdverseDifferences, adverse_differences
from reportgen.stats.arrays import Array
from reportgen.stats.items.clusters import ClusterMeans, Codes, all_cluster_means
from reportgen.stats.items.comparison import t_table
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS


def task_means(values: Array, clusters: Codes | None) -> ClusterMeans:
    """Return the mean differences of all pairs in one task, with their standard errors.

    `values`: (n, K); a row an item, a column a model, NaN where there is no value.
    `clusters`: (n,); none: every item is its own cluster, and the standard error that of a mean of
    n values.
    Result: in the order of `all_pairs`.

    Examples
    --------
    >>> found = task_means(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]), None)
    >>> found.estimate, found.standard_error.round(4), found.df
    (array([0.5]), array([0.2887]), array([3.]))
    """
    codes = np.arange(len(values)) if clusters is None else clusters
    return all_cluster_means(values, codes)


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """Mean differences over tasks, of P pairs, see the module."""

    # estimate, standard_error, df, lean: (P,)
    estimate: Array
    standard_error: Array
    df: Array
    lean: Array


def compare_these_tasks(
    tasks: Sequence[ClusterMeans],
    n_candidates: int,
    alpha: float,
    *,
    weights: Array | None = None,
    n_comparisons: int | None = None,
    is_smaller_better: bool = False,
) -> PairTable:
    """Compare all pairs of models over these tasks.

    Parameters
    ----------
    tasks : sequence of ClusterMeans
        Of each task, of the same K models: `task_means`.
    n_candidates : int
        Number K of models, at least 2.
    alpha : float
        Error probability of the family, 0 < alpha < 1.
    weights : ndarray of shape (T,), optional
        Not negative; divided by their sum. Left out: 1 / T each. A task of weight 0 is left out.
    n_comparisons : int, optional
        Pairs of a larger family. Left out: the family are the pairs here.
    is_smaller_better : bool, default False

    Returns
    -------
    PairTable
        Method "task-means": t, corrected for skewness, by Bonferroni. A pair with fewer than
        `FEWEST_UNITS` units (clusters; items without clusters) in any task is open and outside the
        family; its interval is that of the pair alone. One without a standard error is open and
        counts, without an interval. A task without any difference adds no variance. A pair that is
        equal in all items has the p-value 1. `extra` has

        n_tasks : tasks of positive weight that have the pair
        n, n_clusters, n_nonzero : sums over tasks, as of `compare_items`
        is_constant : whether the two are equal in all items
        wins, ties, losses : tasks in which the first has the better, an equal, the worse mean

    Raises
    ------
    ValueError
        If there is no task, one is not of K models, the weights are not such numbers, or alpha is
        not inside (0, 1).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tasks = [task_means(rng.normal(size=(50, 2)) + [0, x], None) for x in (0.2, 0.4, 0.6)]
    >>> table = compare_these_tasks(tasks, 2, 0.05)
    >>> table.estimate.round(3), table.df.round(1), table.significant
    (array([-0.497]), array([135.3]), array([ True]))
    """
    pairs = all_pairs(n_candidates)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    if not len(pairs) or not tasks or any(len(t.estimate) != len(pairs) for t in tasks):
        counts = [len(task.estimate) for task in tasks]
        raise ValueError(f"each task needs {len(pairs)} pairs of two or more models, got {counts}")
    share = _shares(weights, len(tasks))
    used = [task for task, w in zip(tasks, share, strict=True) if w > 0]
    column = share[share > 0][:, None]
    estimates, errors, dfs, n, n_clusters, n_nonzero, is_equal, leans = (
        np.array([getattr(task, name) for task in used])
        for name in (*ClusterMeans.__slots__[:-1], "lean")
    )
    is_family = (n_clusters >= FEWEST_UNITS).all(axis=0)
    m = n_comparisons or max(1, int(is_family.sum()))
    estimate = (column * estimates).sum(axis=0)
    parts = (column * errors) ** 2
    variance = parts.sum(axis=0)
    is_same = is_equal.all(axis=0) & (n > 0).all(axis=0)
    varies = (variance > 0) & np.isfinite(estimate)
    with np.errstate(invalid="ignore", divide="ignore"):  # no variance
        shares = parts / variance  # their powers are numbers of any unit
        df = np.where(variance > 0, 1 / (shares**2 / dfs).sum(axis=0), np.nan)
        lean = np.where(variance > 0, (shares**1.5 * leans).sum(axis=0), 0.0)
    side = np.where(np.isnan(estimates), 0.0, -1.0 if is_smaller_better else 1.0)
    better = side * np.sign(np.nan_to_num(estimates))
    return t_table(
        pairs,
        TaskMeans(estimate, np.sqrt(variance), df, np.nan_to_num(lean)),
        "task-means",
        alpha,
        m,
        varies=varies,
        chance=np.where(is_same, 1.0, np.nan),
        is_open=~is_family | ~(varies | is_same),
        is_smaller_better=is_smaller_better,
        extra={
            "n_tasks": (n > 0).sum(axis=0),
            "n": n.sum(axis=0),
            "n_clusters": n_clusters.sum(axis=0),
            "n_nonzero": n_nonzero.sum(axis=0),
            "is_constant": is_same,
            "wins": (better > 0).sum(axis=0),
            "ties": (estimates == 0).sum(axis=0),
            "losses": (better < 0).sum(axis=0),
        },
    )


def compare_tasks(
    values: Sequence[Array],
    clusters: Sequence[Codes | None],
    alpha: float,
    *,
    n_comparisons: int | None = None,
    is_smaller_better: bool = False,
) -> PairTable:
    """Compare models over tasks of the same weight, held against gaps.

    `values`: each (n_t, K); of each task, a row an item; NaN where there is no value.
    `clusters`: sequence of ndarray of shape (n_t,), int, or None; as of `task_means`.
    `alpha`, `n_comparisons`, `is_smaller_better`: as of `compare_these_tasks`.
    Result: of `compare_these_tasks`, with the gaps of `adverse_tasks`.
    """
    tasks = [task_means(x, codes) for x, codes in zip(values, clusters, strict=True)]
    table = compare_these_tasks(
        tasks,
        values[0].shape[1],
        alpha,
        n_comparisons=n_comparisons,
        is_smaller_better=is_smaller_better,
    )
    adverse = adverse_tasks(tasks, values, is_smaller_better=is_smaller_better)
    return table.held_against(adverse)


def adverse_tasks(
    tasks: Sequence[ClusterMeans], values: Sequence[Array], *, is_smaller_better: bool = False
) -> AdverseDifferences | None:
    r"""Set what an item that only one of two has hides to the largest difference seen in its task.

    `tasks`: of the same K models, with the same weight each.
    `values`: each (n_t, K); of their items; NaN where there is no value.
    Result: means of the tasks' own (`adverse_differences`). None where no gap counts.

    Examples
    --------
    >>> whole = np.array([[1.0, 0.0], [0.0, 0.0]])
    >>> values = [np.array([[1.0, 0.0], [1.0, 0.0], [np.nan, 1.0]]), whole]
    >>> found = adverse_tasks([task_means(x, None) for x in values], values)
    >>> found.mean[:, 0].round(3)  # of 1/3 and 1/2, of 1 and 1/2
    array([0.417, 0.75 ])
    """
    pairs = all_pairs(values[0].shape[1])
    found = [
        adverse_differences(
            x,
            pairs,
            is_smaller_better,
            standard_error=task.standard_error if (task.n_clusters < task.n).any() else None,
        )
        for task, x in zip(tasks, values, strict=True)
    ]
    if not any(found):
        return None
    both = zip(found, tasks, strict=True)
    rows = [
        (own.mean, own.error) if own else np.stack([[t.estimate] * 2, [t.standard_error] * 2])
        for own, t in both
    ]
    means, errors = (np.array(x) for x in zip(*rows, strict=True))
    error = np.sqrt((errors**2).sum(axis=0)) / len(tasks)
    return AdverseDifferences(means.mean(axis=0), error, is_smaller_better)


def _shares(weights: Array | None, n_tasks: int) -> Array:
    """Return weights that sum to 1."""
    if weights is None:
        return np.full(n_tasks, 1 / n_tasks)
    given = np.asarray(weights, dtype=np.float64)
    if (
        given.shape != (n_tasks,)
        or not (np.isfinite(given) & (given >= 0)).all()
        or not given.any()
    ):
        raise ValueError(
            f"weights must be {n_tasks} numbers, not negative and not all 0: {weights}"
        )
    return np.asarray(given / given.sum())
