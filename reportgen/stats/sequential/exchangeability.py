r"""Alarms of a change in a series that is looked at after every value.

The null hypothesis is that the values of a series are exchangeable: in whatever order they had
come, they would be as probable. Nothing is presumed of their law. The method is a conformal test
martingale [1]_ that begins anew after each value, as the procedure of Shiryaev and Roberts [2]_
does.

The p-value of value t is its smoothed rank among the first t,

.. math:: p_t = \frac{\#\{s \le t: x_s < x_t\} + U_t \#\{s \le t: x_s = x_t\}}{t},

with :math:`U_t` uniform and independent of all else. Under the null hypothesis :math:`p_1, p_2,
\dots` are independent and uniform [1]_. A bet on small p-values is :math:`f(p) = \epsilon
p^{\epsilon - 1}`; its mean under the uniform law is 1. A gambler who begins at value k and puts all
into every bet has :math:`\prod_{s=k}^{t} f(p_s)` after value t. A capital of 1 is divided among
gamblers that begin at k = 1, 2, ..., with the shares :math:`w_k = 1 / (k (k + 1))`; what has not
begun is kept, and :math:`\sum_{k > t} w_k = 1 / (t + 1)`. The capital after value t is

.. math:: E_t = C_t + \frac{1}{t + 1}, \qquad C_t = (C_{t-1} + w_t) f(p_t), \qquad C_0 = 0.

**It is a test martingale.** Given the past, :math:`f(p_t)` has the mean 1, so that the mean of
:math:`E_t` is :math:`C_{t-1} + w_t + 1/(t+1) = C_{t-1} + 1/t = E_{t-1}`, and :math:`E_0 = 1`. A
mean of such processes is one, too: here of those with :math:`\epsilon` = 0.2, which gains by a
jump, and 0.5, which gains by a small shift. (One process whose bet is the mean of both bets has the
same guarantee and finds less: a shift of three standard deviations after 30 values is found within
30 more in 78% of the cases, against 97%.) By Ville's inequality the probability that E ever
reaches c is at most 1/c.

Falls are found by bets on p, rises by bets on 1 - p. With m series there are 2 m processes, and an
alarm at :math:`E \ge 2 m / \alpha` is false, ever and in any of them, with a probability of at most
:math:`\alpha`, whatever the dependence between series.

References
----------
.. [1] V. Vovk, I. Nouretdinov and A. Gammerman (2003), "Testing exchangeability on-line",
   Proceedings of the 20th International Conference on Machine Learning.
.. [2] V. Vovk, I. Petej, I. Nouretdinov, E. Ahlberg, L. Carlsson and A. Gammerman (2021),
   "Retrain or not retrain: conformal test martingales for change-point detection", Proceedings
   of Machine Learning Research 152.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.ranking import levelled

Direction = Literal["fall", "rise"]

EXPONENTS = (0.2, 0.5)
"""The bets: exponents of p-values, each with the same share of the capital."""

GRID = 2**52  # of the uniform numbers: neither 0 nor 1 is among them


@dataclass(frozen=True, slots=True)
class Alarm:
    """The first time (a row) that a process of one series (a column) reaches the threshold."""

    series: int
    time: int
    direction: Direction


@dataclass(frozen=True, slots=True)
class ExchangeabilityProcess:
    """Evidence against the exchangeability of series, after every value; each of shape (T, m).

    `p_values` are smoothed ranks, NaN where a series has no value; `log_fall` and `log_rise` the
    logarithms of the capital of bets on falls and on rises, which then stay as they were.
    """

    p_values: Array
    log_fall: Array
    log_rise: Array

    @property
    def evidence(self) -> Array:
        """Shape (T, m): the larger of both capitals, which an alarm compares with the threshold."""
        with np.errstate(over="ignore"):  # of a series that has long been broken
            return np.asarray(np.exp(np.maximum(self.log_fall, self.log_rise)))

    def threshold(self, alpha: float) -> float:
        """Return the capital at which an alarm is raised, 2 m / alpha."""
        n_series: int = self.p_values.shape[1]
        return 2 * n_series / alpha

    def alarms(self, alpha: float = 0.05) -> tuple[Alarm, ...]:
        """Return the first alarm of each series and direction, in the order of time.

        Any of them, ever, in any series, is false with a probability of at most alpha.
        """
        found: list[Alarm] = []
        least = np.log(self.threshold(alpha))
        sides: tuple[tuple[Direction, Array], ...] = (
            ("fall", self.log_fall),
            ("rise", self.log_rise),
        )
        for direction, process in sides:
            is_over = process >= least
            found += [
                Alarm(series, int(is_over[:, series].argmax()), direction)
                for series in np.flatnonzero(is_over.any(axis=0)).tolist()
            ]
        return tuple(sorted(found, key=lambda a: (a.time, a.series, a.direction)))


def follow_exchangeability(values: Array, uniform: Array) -> ExchangeabilityProcess:
    """Follow series of values by conformal test martingales that begin anew at every value.

    Values are of shape (T, m), one column a series, one row a time, NaN where a series has none;
    `uniform` are the numbers of `draw_uniform` for their smoothed ranks. Values of a series that
    differ by rounding alone are tied. Nothing can be found before a series has some twenty quiet
    values: a rank among ten is never very small.

    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(60, 2))
    >>> values[30:, 1] += 3
    >>> found = follow_exchangeability(values, draw_uniform(rng, 60, 2))
    >>> [(alarm.series, alarm.time, alarm.direction) for alarm in found.alarms(0.05)]
    [(1, 50, 'rise')]
    """
    if values.ndim != 2 or values.shape != uniform.shape:
        raise ValueError(f"values and uniform need one shape (T, m): {values.shape, uniform.shape}")
    if not ((uniform > 0) & (uniform < 1)).all():
        raise ValueError("uniform numbers need to be inside (0, 1)")
    p_values = _smoothed_ranks(levelled(values.T).T, uniform)
    return ExchangeabilityProcess(p_values, _log_capital(p_values), _log_capital(1 - p_values))


def draw_uniform(rng: Generator, n_times: int, n_series: int = 1) -> Array:
    """Return independent uniform numbers (T, m), none of them 0 or 1.

    Those of later times change none of the earlier.

    >>> few, many = (draw_uniform(np.random.default_rng(1), n, 2) for n in (3, 9))
    >>> bool((few == many[:3]).all())
    True
    """
    return np.asarray((rng.integers(GRID, size=(n_times, n_series)) + 0.5) / GRID)


def _smoothed_ranks(values: Array, uniform: Array) -> Array:
    """Return the smoothed rank of each value among those up to it, as a share."""
    found = np.full(values.shape, np.nan)
    for t, own in enumerate(values):
        n = np.isfinite(values[: t + 1]).sum(axis=0)
        less = (values[: t + 1] < own).sum(axis=0)
        equal = (values[: t + 1] == own).sum(axis=0)
        found[t] = np.where(
            np.isfinite(own), (less + uniform[t] * equal) / np.maximum(n, 1), np.nan
        )
    return found


def _log_capital(p_values: Array) -> Array:
    """Return the logarithm of the capital after each value; NaN in `p_values` is no value."""
    n_times, n_series = p_values.shape
    found = np.zeros((n_times, n_series))
    begun = np.full((len(EXPONENTS), n_series), -np.inf)  # logarithms of what has begun
    n = np.zeros(n_series)
    exponents = np.array(EXPONENTS)[:, None]
    for t, own in enumerate(p_values):
        has_value = np.isfinite(own)
        n += has_value
        share = -np.log(np.maximum(n * (n + 1), 1))
        bet = np.log(exponents) + (exponents - 1) * np.log(np.where(has_value, own, 1.0))
        begun = np.where(has_value, np.logaddexp(begun, share) + bet, begun)
        mean = np.logaddexp.reduce(begun, axis=0) - np.log(len(EXPONENTS))
        found[t] = np.logaddexp(mean, -np.log(n + 1))
    return found
