r"""Two factors of a candidate, such as a model and a prompt: effects, interaction, best settings.

On each unit (a data set, an item, a replication) every level of the first factor is measured with
every level of the second. All that is asked are means of contrasts of these values over units, so
that each has the paired t of its own values on the units, corrected for skewness, and families are
held together as all pairs are (`reportgen.stats.pairs.paired_max_t`): main effects of each factor,
interaction (the cells less their row and column means), and best settings.

The best level of the second factor for one of the first is chosen by the same units that then judge
it, so its mean is too good. Two prices are told. The mean on units that had no part in the choice
is an honest estimate: one half of the units chooses and the other half judges, then the other way
round, on average over many halvings. (Leaving each unit out in turn has as little bias, and twice
the error, as the choice then goes against the unit.) The interval of the difference of two best
settings holds for
whichever are the best: with simultaneous limits of all differences between cells of two levels,

.. math:: \max_j \min_l L_{(ij),(kl)} \le \max_j \mu_{ij} - \max_l \mu_{kl}
   \le \min_l \max_j U_{(ij),(kl)}

where larger is better, so that no choice has to be paid for beyond these limits.

References
----------
.. [1] J. C. Hsu (1996), "Multiple Comparisons: Theory and Methods", chapter 4.
.. [2] J. N. Arvesen (1969), "Jackknifing U-statistics", Annals of Mathematical Statistics 40.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, joint_units, paired_max_t

N_HALVES = 100  # random halvings of the units


@dataclass(frozen=True, slots=True)
class BestSettings:
    """The best level of the second factor for each level of the first, by its mean."""

    chosen: NDArray[np.intp]  # (I,); places of the levels with the best mean
    mean: Array  # (I,); their means on the units that have chosen them
    honest: Array  # (I,); means, on one half of the units, of what the other half has chosen
    share: Array  # (I,); of the halves, those that choose `chosen`, too
    # first, second: (P,); pairs of levels of the first factor
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    # estimate, lower, upper: (P,); difference of the two best means, and its limits for whichever
    # levels are the best; they hold all at once
    estimate: Array
    lower: Array
    upper: Array
    # naive_lower, naive_upper: (P,); limits that take the chosen levels for given before, of all
    # pairs at once
    naive_lower: Array
    naive_upper: Array


@dataclass(frozen=True, slots=True)
class Components:
    """How much the means vary by the first factor, the second and their interaction."""

    # first, second, interaction: variances of the true effects: over the levels of a factor with
    # its number less 1, of the interaction with the product of these; estimated without bias, and
    # so perhaps below 0
    first: float
    second: float
    interaction: float
    # difference, lower, upper, p_value: first less second, its interval by the jackknife over
    # units, and the p-value of equality
    difference: float
    lower: float
    upper: float
    p_value: float


@dataclass(frozen=True, slots=True)
class TwoFactors:
    """What two factors with I and J levels do to a mean."""

    means: Array  # (I, J)
    # first, second: all pairs of levels of a factor, by their means over the other one
    first: PairTable
    second: PairTable
    # each cell less the means of its row and column, plus the mean of all, against 0: `first` is
    # the place of the cell, row by row, `second` is I J. Of a factor with two levels the effects of
    # the second are those of the first with the other sign, and left out.
    interaction: PairTable
    components: Components
    best: BestSettings
    n: int  # units


def two_factors(
    values: Array, alpha: float, rng: Generator, *, is_smaller_better: bool = True
) -> TwoFactors:
    """Take means over units apart by two factors.

    `values`: (n, I, J); a unit's values of all combinations; n >= 6, I and J >= 2, none missing.
    `alpha`: error probability of each family: pairs of each factor, interaction, best settings.
    `rng`: for joint laws.
    Raises ValueError if `values` are not so many numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> effects = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    >>> found = two_factors(effects + rng.normal(size=(20, 2, 3)), 0.05, rng)
    >>> found.best.chosen, found.first.significant, found.second.significant
    (array([2, 2]), array([ True]), array([ True,  True, False]))
    """
    if values.ndim != 3 or min(values.shape[1:]) < 2 or len(values) < FEWEST_UNITS:
        raise ValueError(
            f"found values of shape {values.shape}; allowed (n, I, J) with n of at least "
            f"{FEWEST_UNITS}, I and J of at least 2"
        )
    if not np.isfinite(values).all():
        raise ValueError("found a missing value; allowed units that have all combinations")
    by_first, by_second = values.mean(axis=2), values.mean(axis=1)
    return TwoFactors(
        means=values.mean(axis=0),
        first=paired_max_t(by_first, alpha, rng),
        second=paired_max_t(by_second, alpha, rng),
        interaction=_interaction(values, alpha, rng),
        components=components(values, alpha),
        best=best_settings(values, alpha, rng, is_smaller_better=is_smaller_better),
        n=len(values),
    )


def interaction_effects(values: Array) -> Array:
    """Return each cell less the means of its row and column, plus the mean of all, by unit."""
    rows, columns = values.mean(axis=2, keepdims=True), values.mean(axis=1, keepdims=True)
    return np.asarray(values - rows - columns + values.mean(axis=(1, 2), keepdims=True))


def _interaction(values: Array, alpha: float, rng: Generator) -> PairTable:
    """Hold the effects of the interaction against 0, all at once."""
    n, i, j = values.shape
    effects = interaction_effects(values)[:, : i if i > 2 else 1, : j if j > 2 else 1]
    cells = np.arange(i * j).reshape(i, j)[: effects.shape[1], : effects.shape[2]].ravel()
    columns = effects.reshape(n, -1)
    k = columns.shape[1]
    table = paired_max_t(np.column_stack([columns, np.zeros(n)]), alpha, rng, reference=k)
    own = table.at(np.flatnonzero(table.second == k))
    return PairTable.of(
        np.column_stack([cells, np.full(k, i * j)]),
        own.estimate,
        own.method,
        alpha,
        **{
            name: getattr(own, name)
            for name in ("standard_error", "lower", "upper", "statistic", "df", "p_value")
        },
        adjusted_p_value=own.adjusted_p_value,
        critical_value=own.critical_value,
        is_open=own.is_open,
        extra=own.extra,
    )


def components(values: Array, alpha: float) -> Components:
    r"""Estimate variances of true effects without bias, by products of different units.

    `values`: (n, I, J).

    Notes
    -----
    With the main effects :math:`a_u` of unit u, centred over the I levels, the estimate is
    :math:`\sum_{u \ne v} a_u' a_v / (n (n - 1) (I - 1))`, a U-statistic; the error of a difference
    of two such is the jackknife's, with n - 1 degrees of freedom [2]_.
    """
    n, i, j = values.shape
    grand = values.mean(axis=(1, 2))[:, None]
    effects = (
        (values.mean(axis=2) - grand, i - 1),
        (values.mean(axis=1) - grand, j - 1),
        (interaction_effects(values).reshape(n, -1), (i - 1) * (j - 1)),
    )
    pseudo = np.column_stack([_pseudo_values(own, size) for own, size in effects])
    first, second, both = pseudo.mean(axis=0).tolist()
    differences = pseudo[:, 0] - pseudo[:, 1]
    error = float(differences.std(ddof=1)) / n**0.5
    difference = first - second
    wide = float(t_quantile(np.array(alpha / 2), np.array(n - 1.0))) * error
    if error > 0:
        p = float(two_sided_t(np.array(difference / error), np.array(n - 1.0)))
    else:
        p = 1.0 if difference == 0 else 0.0
    return Components(first, second, both, difference, difference - wide, difference + wide, p)


def _pseudo_values(effects: Array, size: int) -> Array:
    """Return the jackknife's pseudo-values of the mean product of two units; their mean is it."""
    n = len(effects)
    total, own = effects.sum(axis=0), (effects**2).sum(axis=1)
    whole = (total @ total - own.sum()) / (n * (n - 1) * size)
    rest = total - effects
    left = ((rest**2).sum(axis=1) - (own.sum() - own)) / ((n - 1) * (n - 2) * size)
    return np.asarray(n * whole - (n - 1) * left)


def best_settings(
    values: Array, alpha: float, rng: Generator, *, is_smaller_better: bool
) -> BestSettings:
    """Choose the best level of the second factor for each of the first, and what that costs.

    `values`: (n, I, J).
    `alpha`, `rng`, `is_smaller_better`: as of `two_factors`.
    """
    i = values.shape[1]
    losses = values if is_smaller_better else -values
    means = losses.mean(axis=0)
    chosen = means.argmin(axis=1)
    lower, upper = _differences_of_best(losses, alpha, rng)
    pairs = all_pairs(i)
    first, second = pairs.T
    best = means.min(axis=1)
    naive = paired_max_t(losses[:, np.arange(i), chosen], alpha, rng)
    honest, share = _by_halves(losses, chosen, rng)
    low, high = lower[first, second], upper[first, second]
    estimate, naive_low, naive_high = best[first] - best[second], naive.lower, naive.upper
    if not is_smaller_better:
        best, honest, estimate = -best, -honest, -estimate
        (low, high), (naive_low, naive_high) = (-high, -low), (-naive_high, -naive_low)
    return BestSettings(
        chosen=chosen,
        mean=best,
        honest=honest,
        share=share,
        first=first,
        second=second,
        estimate=estimate,
        lower=low,
        upper=high,
        naive_lower=naive_low,
        naive_upper=naive_high,
    )


def _by_halves(losses: Array, chosen: NDArray[np.intp], rng: Generator) -> tuple[Array, Array]:
    """Return the means that one half has of the other's choice, and how often that is `chosen`."""
    n, i, _ = losses.shape
    total, rows = losses.sum(axis=0), np.arange(i)
    honest, share = np.zeros(i), np.zeros(i)
    for _ in range(N_HALVES):
        half = losses[rng.permutation(n)[: n // 2]].sum(axis=0)
        for own, other, size in ((half, total - half, n - n // 2), (total - half, half, n // 2)):
            pick = own.argmin(axis=1)
            honest += other[rows, pick] / size
            share += pick == chosen
    return honest / (2 * N_HALVES), share / (2 * N_HALVES)


def _differences_of_best(losses: Array, alpha: float, rng: Generator) -> tuple[Array, Array]:
    """Return (I, I) limits of the least mean of one less that of another, whichever these are."""
    n, i, j = losses.shape
    k = i * j
    pairs = all_pairs(k)
    n_across = k * (k - 1) // 2 - i * (j * (j - 1) // 2)
    own = None if n >= joint_units(k) else n_across
    table = paired_max_t(losses.reshape(n, k), alpha, rng, n_comparisons=own)
    low, high = np.full((k, k), np.nan), np.full((k, k), np.nan)
    low[pairs[:, 0], pairs[:, 1]], high[pairs[:, 0], pairs[:, 1]] = table.lower, table.upper
    low[pairs[:, 1], pairs[:, 0]], high[pairs[:, 1], pairs[:, 0]] = -table.upper, -table.lower
    # equal in all units: no interval, and no difference was seen
    low, high = (np.where(np.isnan(x), 0.0, x).reshape(i, j, i, j) for x in (low, high))
    upper = high.max(axis=3).min(axis=1)  # (I, I): over l the worst, over j the best
    lower = low.min(axis=1).max(axis=2)
    return lower, upper
