"""What may be said of the error of verdicts on means: as much as was simulated of their rule.

No rule has power and holds its level for all means [1]_. The family-wise error of
`paired_max_t` was simulated for smooth laws of several skewnesses: it is about the level
where differences are symmetric or moderately skewed, and above it where they are strongly skewed
and units are few, the more so the more pairs there are. What is rarer than the units can show no
statistic of them knows of.

References
----------
.. [1] R. R. Bahadur and L. J. Savage (1956), "The nonexistence of certain statistical procedures in
   nonparametric problems", Annals of Mathematical Statistics 27.
.. [2] R. B. D'Agostino (1970), "Transformation to normality of the null distribution of g1",
   Biometrika 57.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import asinh, erfc, inf, log, sqrt

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.pair_table import PairTable

PROMISED = 0.06  # below which an error is about its level of .05
SHOWN_FROM = 30  # units that show whether a difference is strongly skewed

SIMULATED: Mapping[int, Mapping[float, Mapping[int, float]]] = {
    10: {
        1.75: {6: 0.059},
        2.0: {6: 0.095, 8: 0.072, 12: 0.060, 20: 0.055, 30: 0.045},
        6.2: {6: 0.158, 12: 0.142, 20: 0.117, 30: 0.086, 100: 0.067, 250: 0.050},
    },
    66: {
        1.75: {6: 0.059},
        2.0: {6: 0.117, 12: 0.081, 20: 0.060, 30: 0.055, 50: 0.043},
        6.2: {6: 0.209, 20: 0.153, 30: 0.127, 100: 0.093, 250: 0.063},
    },
    1225: {
        1.0: {6: 0.042},
        1.75: {6: 0.070, 30: 0.043},
        2.0: {6: 0.198, 12: 0.182, 20: 0.140, 30: 0.085, 50: 0.050},
        6.2: {6: 0.405, 20: 0.370, 30: 0.223, 50: 0.163, 100: 0.080},
    },
}
"""Family-wise error at 5% of so many pairs at most (all of 5, 12 and 50 candidates), by the
skewness of the noisiest candidate and from how many units on: docs/size-and-coverage.md. Standard
errors are .5 points, of the last block 1 to 2.5."""

MODERATE = min(SIMULATED[10])  # the skewness up to which few pairs err so from six units on
FEW_CONTRASTS = 5
LITTLE_SKEWNESS = 1.0
OF_MANY: Mapping[int, float] = {6: 0.110, 50: 0.084, 100: 0.060}
"""The same of more than `FEW_CONTRASTS` independent contrasts, up to 50, of skewness 1.25, whose
tails err more than those of pairs that share a noisy candidate (docs/gates-size.md)."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What is known of the probability that a verdict of a family is wrong."""

    n: int  # units of the pair that has fewest
    skewness: float  # the largest absolute skewness of a difference
    error: float | None  # simulated, at a level of .05; None beyond all that was simulated
    n_pairs: int = 1  # of the family: pairs, or contrasts

    @property
    def is_kept(self) -> bool:
        """Whether the error was about its level in simulations of such differences."""
        return self.error is not None and self.error < PROMISED

    @property
    def is_shown(self) -> bool:
        """Whether there are units enough to show a strong skewness."""
        return self.n >= SHOWN_FROM

    @property
    def is_strongly_skewed(self) -> bool:
        """Whether differences are more skewed than any number of units bears of few pairs."""
        return self.skewness > MODERATE

    @property
    def may_be_chance(self) -> bool:
        """Whether of as many normal differences one is so skewed in 5% of all studies or more.

        By D'Agostino's transformation of a skewness [2]_ and Bonferroni's inequality: a study of
        forty candidates with ten replications has nearly always a difference of skewness 2.
        """
        return self.n_pairs * _normal_p_value(self.skewness, self.n) >= 0.05

    @property
    def unseen_share(self) -> float:
        """Share of the units, below which what occurs may not have been seen (with 5%)."""
        return float(1 - 0.05 ** (1 / self.n))


def promise_of(tables: Iterable[PairTable]) -> Promise | None:
    """Return what is known of verdicts on means; None where no pair of theirs is in a family.

    `tables`: of `paired_max_t`, or others that have its columns `n` and `skewness`. Of several it
    is the one of which least can be promised, of equals the most skewed.

    Examples
    --------
    >>> from reportgen.stats.pairs.paired_max_t import paired_max_t
    >>> rng = np.random.default_rng(1)
    >>> found = promise_of([paired_max_t(rng.normal(size=(12, 3)), 0.05, rng)])
    >>> found.n, found.is_kept, round(found.unseen_share, 2)
    (12, True, 0.22)
    >>> skewed = promise_of([paired_max_t(rng.exponential(size=(30, 2)) ** 2, 0.05, rng)])
    >>> skewed.is_kept, skewed.error
    (False, 0.086)
    """
    known = [found for table in tables if (found := _of_table(table)) is not None]
    return max(known, key=lambda p: (not p.is_kept, _size(p), p.skewness, -p.n), default=None)


def _of_table(table: PairTable) -> Promise | None:
    is_family = ~table.is_open
    if "skewness" not in table.extra or not is_family.any():
        return None
    counts = table.extra.get("n_clusters", table.extra["n"])
    skewness = float(np.abs(table.extra["skewness"][is_family]).max())
    return promise_for(int(counts[is_family].min()), skewness, n_pairs=int(is_family.sum()))


def promise_for(n: int, skewness: float, n_contrasts: int = 1, *, n_pairs: int = 1) -> Promise:
    """Return what is known of verdicts on n units, six or more, whose skewness has some size.

    `n_contrasts`: contrasts that have nothing in common.
    `n_pairs`: pairs of the family, of candidates that they share.

    Examples
    --------
    >>> promise_for(50, 1.9).error, promise_for(50, 5.0).error, promise_for(50, 6.5).error
    (0.045, 0.086, None)
    >>> promise_for(20, 1.7, n_pairs=66).error, promise_for(20, 1.7, n_pairs=1225).error
    (0.059, 0.07)
    >>> promise_for(50, 1.2).error, promise_for(50, 1.2, 20).error
    (0.059, 0.084)
    """
    size = max(n_pairs, n_contrasts)
    simulated = SIMULATED[next((most for most in SIMULATED if size <= most), max(SIMULATED))]
    columns = [simulated[g] for g in simulated if skewness <= g][:1]
    if n_contrasts > FEW_CONTRASTS and skewness > LITTLE_SKEWNESS:
        columns += [OF_MANY] * bool(columns)
    errors = (column[max(least for least in column if least <= n)] for column in columns)
    return Promise(n, skewness, max(errors, default=None), size)


def _normal_p_value(skewness: float, n: int) -> float:
    """Return how probable an adjusted skewness as large, of either sign, is of n normal values."""
    # Of six and seven as of eight, from which on the transformation is known.
    n = max(n, 8)
    y = abs(skewness) * (n - 2) / sqrt(n * (n - 1)) * sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = 3 * (n * n + 27 * n - 70) / ((n - 2) * (n + 5)) * (n + 1) * (n + 3)
    kurtosis /= (n + 7) * (n + 9)
    w = sqrt(2 * (kurtosis - 1)) - 1
    return erfc(asinh(y / sqrt(2 / (w - 1))) / sqrt(log(w)))


def _size(promise: Promise) -> float:
    """Return the simulated error; infinite beyond all that was simulated."""
    return inf if promise.error is None else promise.error
