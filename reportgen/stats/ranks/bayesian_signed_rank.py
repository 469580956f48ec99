"""Benavoli's Bayesian signed rank test with a region of practical equivalence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    SEED,
    Names,
    area_of,
    check_count,
    check_not_negative,
    generator_of,
    is_smaller_better,
    matrix_of,
    refuse,
)
from reportgen.stats.arrays import Area, Array
from reportgen.stats.frame import Columns, Tabular, count
from reportgen.stats.permutation.block_sums import column_pairs
from reportgen.stats.ranking import check_blocks

N_DRAWS = 20_000  # standard error of a probability at most .0035
PRIOR_WEIGHT = 0.5
EQUAL = 1e-12  # shares that differ by less are equal but for rounding
AT_ONCE = 200_000  # weights of a batch of draws: what stays near the processor
LEAST_AT_ONCE = 2_000  # draws, whose rows are worth a step each


@dataclass(frozen=True, slots=True, repr=False)
class SignedRankPosterior(Tabular):
    """Probabilities that the first, neither or the second is better in practice.

    Attributes
    ----------
    area : tuple of two floats
        The region of practical equivalence (ROPE) of first - second.
    prior_weight : float
        Of the one pseudo-observation, a difference of 0, against 1 for each
        data set.
    n_draws : int
        From the posterior; all pairs share them.
    first, second : ndarray of shape (P,), int
        Columns of the pairs, in lexical order, first < second, unless others were asked for.
    left, rope, right : ndarray of shape (P,)
        Posterior probabilities that differences most probably lie below the
        area, in it, above it; their sum is 1.
    mean_left, mean_rope, mean_right : ndarray of shape (P,)
        Posterior means of the probabilities that the mean of two differences
        lies below the area, in it, above it; exact.
    errors : ndarray of shape (P,)
        Largest Monte Carlo standard error of `left`, `rope` and `right`.
    candidates : tuple of str
        Empty as long as they have no names.
    is_smaller_better : bool
        Whether the first is better to the left of the area.
    """

    area: tuple[float, float]
    prior_weight: float
    n_draws: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    left: Array
    rope: Array
    right: Array
    mean_left: Array
    mean_rope: Array
    mean_right: Array
    errors: Array
    candidates: tuple[str, ...] = ()
    is_smaller_better: bool = True

    def to_columns(self) -> Columns:
        """Return the columns of all pairs.

        Returns
        -------
        dict
            `first`, `second` (names), `better`, `equivalent`, `worse`: the probabilities that the
            first most probably is better than the second in practice, equivalent to it, worse;
            `mean_better`, `mean_equivalent`, `mean_worse`: the posterior means of these
            probabilities; `error`: the Monte Carlo standard error of the first three.
        """
        last = int(self.second.max(initial=0))
        names = np.array(self.candidates or tuple(map(str, range(last + 1))), dtype=object)
        sides = (self.left, self.rope, self.right)
        means = (self.mean_left, self.mean_rope, self.mean_right)
        words, step = ("better", "equivalent", "worse"), 1 if self.is_smaller_better else -1
        return {
            "first": names[self.first],
            "second": names[self.second],
            **dict(zip(words, sides[::step], strict=True)),
            **{f"mean_{w}": x for w, x in zip(words, means[::step], strict=True)},
            "error": self.errors,
        }

    def _heading(self) -> str:
        low, high = self.area
        return f"{count(len(self.first), 'pair')}, area of equivalence [{low:g}, {high:g}]"

    def _outline(self) -> Columns:
        columns = self.to_columns()
        shown = ("first", "second", "better", "equivalent", "worse")
        return {name: columns[name] for name in shown}


def signed_rank_posterior(
    means: Array,
    rng: Generator,
    area: tuple[float, float] = (0.0, 0.0),
    prior_weight: float = PRIOR_WEIGHT,
    n_draws: int = N_DRAWS,
    pairs: NDArray[np.intp] | None = None,
) -> SignedRankPosterior:
    r"""Compare pairs of candidates over data sets.

    `means`: (M, K); one value a data set and candidate, complete.
    `rng`: for the draws from the posterior.
    `area`: tuple of two floats, default (0, 0); differences that mean nothing in practice, d1 <= 0
    <= d2.
    `prior_weight`: positive.
    `pairs`: (P, 2); columns that are compared; all pairs when left out.
    Raises ValueError if `means` is not such a matrix, the area does not contain 0, the prior has no
    weight, or there is no draw.

    Notes
    -----
    The M differences come from an unknown distribution, a priori from a
    Dirichlet process with all its weight s on the difference 0. A posteriori the
    distribution has weights w on the differences :math:`z_0 = 0, z_1, \dots,
    z_M` that are Dirichlet with parameters :math:`s, 1, \dots, 1`, and

    .. math:: \theta_{left} = \sum_{i,j} w_i w_j [z_i + z_j < 2 d_1]

    and likewise :math:`\theta_{right}`; what lies on a bound counts half to
    either side. In each draw the largest of the three shares wins, at equality
    the shares of the winners are equal; without an area there are two.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, F. Mangili, M. Zaffalon and F. Ruggeri (2014),
       "A Bayesian Wilcoxon signed-rank test based on the Dirichlet process",
       ICML.
    .. [2] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017), "Time for a
       change: a tutorial for comparing multiple classifiers through Bayesian
       analysis", JMLR 18, section 4.2.

    Examples
    --------
    >>> means = np.array([[0.10, 0.20], [0.15, 0.22], [0.30, 0.31], [0.05, 0.12]])
    >>> found = signed_rank_posterior(means, np.random.default_rng(1), area=(-0.02, 0.02))
    >>> found.left.round(2), found.rope.round(2), found.mean_left.round(4)
    (array([0.95]), array([0.05]), array([0.8485]))
    """
    _check(means, area, prior_weight, n_draws)
    first, second = column_pairs(means.shape[1]) if pairs is None else pairs.T
    zero = np.zeros((len(first), 1))
    differences = np.hstack([zero, (means[:, first] - means[:, second]).T])
    parameters = np.array([prior_weight] + [1.0] * len(means))
    won = np.zeros((len(first), 3))
    for weights in _draws(parameters, n_draws, rng):
        for pair, z in enumerate(differences):
            won[pair] += _winners(_shares(z, weights, area), has_area=area != (0.0, 0.0))
    won /= n_draws
    expected = np.array([_expectation(z, parameters, area) for z in differences])
    return SignedRankPosterior(
        area=area,
        prior_weight=prior_weight,
        n_draws=n_draws,
        first=first,
        second=second,
        left=won[:, 0],
        rope=won[:, 1],
        right=won[:, 2],
        mean_left=expected[:, 0],
        mean_rope=expected[:, 1],
        mean_right=expected[:, 2],
        errors=np.sqrt((won * (1 - won)).max(axis=1) / n_draws),
    )


def _draws(parameters: Array, n_draws: int, rng: Generator) -> Iterator[Array]:
    """Yield batches of Dirichlet weights, shape (M + 1, draws)."""
    batch = max(LEAST_AT_ONCE, AT_ONCE // len(parameters))
    for start in range(0, n_draws, batch):
        size = min(batch, n_draws - start)
        yield np.ascontiguousarray(rng.dirichlet(parameters, size=size).T)


def _shares(z: Array, weights: Array, area: tuple[float, float]) -> Array:
    """Return the shares of the means of two differences on the three sides, shape (3, draws)."""
    order = np.argsort(z, kind="stable")
    cumulated = np.zeros((len(z) + 1, weights.shape[1]))
    for row, place in enumerate(order.tolist()):  # np.cumsum takes six times as long along rows
        np.add(cumulated[row], weights[place], out=cumulated[row + 1])
    left = _below(2 * area[0] - z, z[order], cumulated, weights)
    if area[0] == area[1]:
        return np.stack([left, np.zeros_like(left), 1 - left])
    right = 1 - _below(2 * area[1] - z, z[order], cumulated, weights)
    return np.stack([left, np.maximum(0.0, 1 - left - right), right])


def _below(bounds: Array, ordered: Array, cumulated: Array, weights: Array) -> Array:
    """Return the weight of pairs whose second member lies below the bound of the first."""
    before = np.searchsorted(ordered, bounds, "left")
    upto = np.searchsorted(ordered, bounds, "right")
    mean = cumulated[before]
    between = np.flatnonzero(before != upto)  # what lies on a bound counts half
    mean[between] = (mean[between] + cumulated[upto[between]]) / 2
    mean *= weights
    return np.asarray(mean.sum(axis=0))


def _winners(shares: Array, has_area: bool) -> Array:
    """Return how many draws each side wins; equals share a draw."""
    if not has_area:
        left = np.count_nonzero(shares[0] > shares[2] + EQUAL)
        right = np.count_nonzero(shares[0] < shares[2] - EQUAL)
        half = (shares.shape[1] - left - right) / 2
        return np.array([left + half, 0.0, right + half])
    is_largest = shares >= shares.max(axis=0) - EQUAL
    return np.asarray((is_largest / is_largest.sum(axis=0)).sum(axis=1))


def _expectation(z: Array, parameters: Array, area: tuple[float, float]) -> Array:
    """Return the posterior means of the three shares, by the Dirichlet's second moments."""
    total = float(parameters.sum())
    base = parameters / total
    left = float(base @ np.heaviside(area[0] - z, 0.5))
    right = float(base @ np.heaviside(z - area[1], 0.5))
    of_two = _shares(z, base[:, None], area)[:, 0]
    of_one_twice = np.array([left, max(0.0, 1 - left - right), right])
    return np.asarray((total * of_two + of_one_twice) / (total + 1))


def _check(means: Array, area: tuple[float, float], prior_weight: float, n_draws: int) -> None:
    """Check the arguments."""
    n_datasets, n_candidates = check_blocks(means).shape
    if n_datasets < 1 or n_candidates < 2:
        raise ValueError(f"pairs need a data set and two candidates, got {means.shape}")
    if not area[0] <= 0 <= area[1]:
        raise ValueError(f"the area must contain 0, got {area}")
    if not prior_weight > 0:
        raise ValueError(f"the prior needs a positive weight, got {prior_weight}")
    if n_draws < 1:
        raise ValueError(f"a posterior needs a draw, got {n_draws}")


def bayesian_signed_rank(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    relevance: Area | float | None = None,
    prior_weight: float = PRIOR_WEIGHT,
    n_draws: int = N_DRAWS,
    rng: Generator | int = SEED,
) -> SignedRankPosterior:
    r"""Compare all pairs over data sets by the Bayesian signed rank test.

    Parameters
    ----------
    values : array-like of shape (M, K)
        One value a data set and candidate, without missing values.
    names, better
        As of `friedman`.
    relevance : tuple of two floats, or float, optional
        Region of practical equivalence (-d, d), or d, in the unit of the values; left
        out: differences of 0 alone.
    prior_weight : float, default 0.5
        Weight of the pseudo-observation, a difference of 0; above 0.
    n_draws : int, default 20000
        From the posterior.
    rng : Generator or int
        Random numbers, or the seed of theirs.

    Returns
    -------
    SignedRankPosterior

    Raises
    ------
    ValueError
        If `values` is no matrix of at least one row and two columns of finite
        numbers, or another argument is not what is allowed.

    Notes
    -----
    A posteriori the differences :math:`z_0 = 0, z_1, \dots, z_M` have weights
    :math:`w \sim Dir(s, 1, \dots, 1)`, and the sides of the area the probabilities
    :math:`\sum_{ij} w_i w_j [z_i + z_j < -2d]` and so on.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, F. Mangili, M. Zaffalon and F. Ruggeri (2014),
       "A Bayesian Wilcoxon signed-rank test based on the Dirichlet process",
       ICML.
    .. [2] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017), "Time for a
       change: a tutorial for comparing multiple classifiers through Bayesian
       analysis", JMLR 18, section 4.2.

    Examples
    --------
    >>> from reportgen import stats
    >>> means = [[0.10, 0.20], [0.15, 0.22], [0.30, 0.31], [0.05, 0.12]]
    >>> found = stats.bayesian_signed_rank(means, ["lda", "svm"], relevance=(-0.02, 0.02), rng=1)
    >>> found.to_frame()[["better", "equivalent", "worse"]].round(2).values.tolist()
    [[0.95, 0.05, 0.0]]
    """
    smaller = is_smaller_better(better)
    area = area_of(relevance) or (0.0, 0.0)
    check_not_negative("prior_weight", prior_weight)
    if not prior_weight:
        raise refuse("prior_weight", repr(prior_weight), "a number above 0")
    check_count("n_draws", n_draws)
    matrix, candidates = matrix_of(values, names, has_gaps=False, rows="data set")
    found = signed_rank_posterior(
        matrix, generator_of(rng), area, float(prior_weight), int(n_draws)
    )
    return replace(found, candidates=candidates, is_smaller_better=smaller)
