"""Axes from the data: limits, ticks and their labels, linear or logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, inf, log10
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.notation import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOG_FROM_RATIOS = 5.0  # ratio of the largest to the smallest ratio, likewise
LOG_FROM = 100.0  # ratio of the largest to the smallest value from which an axis is logarithmic
LOG_FROM_COMPARED = 20.0  # likewise, where the values are compared by ratio
PADDING = 0.025  # of the axis, beyond the outermost value
FAR = 100.0  # times as far as all others: so far lie values that an axis leaves out
MOST_OUTSIDE = 0.1  # of the rows
TAIL, FEWEST_INTERVALS = 4.0, 4  # times as wide as the next of so many: that interval sets no axis
LARGEST_DRAWN = 1e60  # beyond, and below the inverse, values are drawn in another power of ten


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """An axis that fits its values."""

    # lower, upper: Its limits.
    lower: float
    upper: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    is_log: bool = False
    exponent: int = 0  # the labels are to be multiplied by 10 to this power
    factor: float = 1.0  # what values are multiplied by to be drawn; limits and ticks are
    n_outside: int = 0  # values that lie beyond its ends

    def unit(self, unit: str) -> str:
        """Return the text in brackets after the axis' name: unit, log scale, values beyond."""
        power = _power(1, self.exponent) if self.exponent else ""
        words = " ".join(filter(None, (power, unit)))
        return ", ".join(filter(None, (words, "log scale" if self.is_log else "", self.outside)))

    @property
    def outside(self) -> str:
        """The number of values beyond the axis, in words; empty where there are none."""
        return f"{number(self.n_outside, 0)} beyond the axis" if self.n_outside else ""

    def drawn(self, values: NDArray[np.float64] | Sequence[float]) -> NDArray[np.float64]:
        """Return the places of values on the axis, those beyond it at its ends."""
        found = np.asarray(values, dtype=float)
        return np.clip(self.factor * found, self.lower, self.upper)

    def holds(self, values: NDArray[np.float64] | Sequence[float]) -> NDArray[np.bool_]:
        """Return which values do not lie beyond the axis."""
        found = self.factor * np.asarray(values, dtype=float)
        return np.asarray((found >= self.lower) & (found <= self.upper))

    def is_legible(self, length: float, size: float) -> bool:
        """Return whether no two labels of such a size touch on a linear axis of such a length."""
        widest = 0.55 * size * max(map(len, self.labels), default=0)
        distances = np.diff(self.ticks) * length / (self.upper - self.lower)
        return not self.is_log and bool((distances >= widest + size).all())

    def apply(self, axes: Axes, which: Literal["x", "y"]) -> None:
        """Set limits, scale and ticks of matplotlib's axes."""
        if self.is_log:
            axes.set(**{f"{which}scale": "log"})
        axes.set(**{f"{which}lim": (self.lower, self.upper)})
        axis = axes.xaxis if which == "x" else axes.yaxis
        axis.set_ticks(list(self.ticks), list(self.labels))
        axis.set_ticks([], minor=True)
        axes.spines["bottom" if which == "x" else "left"].set_bounds(self.lower, self.upper)


def fit_axis(
    values: NDArray[np.float64] | Sequence[float],
    length: float,
    gap: float = 42.0,
    *,
    may_be_log: bool = True,
    log_from: float = LOG_FROM,
    may_clip: bool = False,
) -> ValueAxis:
    """Return the axis that shows all finite values.

    `values`: in the unit in which they are shown.
    `length`: of the axis, in points.
    `gap`: least distance of two ticks, in points.
    `may_be_log`: whether a logarithmic axis is allowed.
    `log_from`: the ratio of the largest to the smallest value from which it is taken where all are
    positive.
    `may_clip`: whether the axis may leave out values that lie so far from the others of their
    column that these could not be read; `values` is then a matrix, one row a replication.
    """
    found = np.asarray(values, dtype=float)
    finite = found[np.isfinite(found)]
    shown = finite
    if may_clip and found.ndim == 2 and finite.size:
        is_log = may_be_log and finite.min() > 0 and finite.max() / finite.min() > log_from
        shown = found[np.isfinite(found) & ~_far(np.log10(found) if is_log else found)]
    axis = _axis(shown, length, gap, log_from=log_from if may_be_log else inf)
    return replace(axis, n_outside=int((~axis.holds(finite)).sum()))


def axis_of_intervals(
    rows: NDArray[np.float64],
    marks: Sequence[float],
    length: float,
    gap: float,
    *,
    is_shown: NDArray[np.bool_],
    is_ratio: bool,
    log_from: float = inf,
) -> ValueAxis:
    """Return the axis that shows some intervals; it counts those that reach beyond it.

    `rows`: (n, 3); lower bound, estimate and upper bound; NaN where there is none.
    `marks`: what it shows besides, as no difference and the area of equivalence.
    `length`, `gap`: as of `fit_axis`.
    `is_shown`: (n,); which intervals it must show.
    `is_ratio`: whether the values are ratios, which are drawn on a logarithmic axis unless they are
    near each other.
    `log_from`: of other values: the ratio of the largest to the smallest from which the axis is
    logarithmic where all are positive.
    """
    own = rows[is_shown].astype(np.float64)
    own[_is_tail(own), ::2] = np.nan
    shown = np.concatenate([own.ravel(), np.asarray(marks, dtype=float)])
    axis = _axis(shown, length, gap, log_from=LOG_FROM_RATIOS if is_ratio else log_from)
    is_outside = np.isfinite(rows) & ~axis.holds(rows)
    return replace(axis, n_outside=int(is_outside.any(axis=1).sum()))


def _is_tail(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of four intervals or more is far wider than all others: it sets no axis."""
    widths = np.nan_to_num(rows[:, -1] - rows[:, 0], nan=0.0, posinf=0.0)
    ordered = np.sort(widths)[::-1]
    if np.count_nonzero(widths) < FEWEST_INTERVALS or ordered[0] <= TAIL * ordered[1]:
        return np.zeros(len(rows), dtype=np.bool_)
    return np.asarray(widths == ordered[0])


def _far(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which values lie far from their column's median, of few rows at most."""
    columns = np.isfinite(values).any(axis=0)
    distances = np.zeros(values.shape)
    distances[:, columns] = np.abs(values[:, columns] - np.nanmedian(values[:, columns], axis=0))
    distances = np.nan_to_num(distances)
    sizes = np.sort(distances.max(axis=1))[::-1]
    for n in range(max(1, int(MOST_OUTSIDE * len(sizes))), 0, -1):
        if n < len(sizes) and 0 < sizes[n] < sizes[n - 1] / FAR:
            return np.asarray(distances > FAR * sizes[n])
    return np.zeros(values.shape, dtype=np.bool_)


def rank_ticks(last: int, gap: float) -> tuple[int, ...]:
    """Return ranks from 1 to `last` that are at least `gap` apart, round ones where not each is.

    Examples
    --------
    >>> rank_ticks(9, 1.5), rank_ticks(21, 3.1)
    ((1, 3, 5, 7, 9), (1, 5, 10, 15, 20))
    """
    if gap <= 2:
        return tuple(range(1, last + 1, max(1, ceil(gap))))
    step = int(_step(gap + 1))
    return (1, *range(step, last + 1, step))


def _axis(values: NDArray[np.float64], length: float, gap: float, *, log_from: float) -> ValueAxis:
    """Fit an axis to all finite values, logarithmic from a ratio of the largest to the smallest."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if low > 0 and high / low > log_from:
        return _log_axis(low, high, length / gap)
    largest = max(abs(low), abs(high))
    n_ticks = max(2, int(length / gap))
    if 1 / LARGEST_DRAWN <= largest <= LARGEST_DRAWN or not largest:
        return _linear_axis(low, high, n_ticks)
    exponent = 3 * floor(log10(largest) / 3)
    factor = 10.0 ** -max(exponent, -300)
    axis = _linear_axis(factor * low, factor * high, n_ticks)
    return replace(axis, exponent=axis.exponent + max(exponent, -300), factor=factor)


def _linear_axis(low: float, high: float, n: int) -> ValueAxis:
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # one value: room around it
        half = abs(low) * 0.1 or 1.0
        low, high = low - half, high + half
    step = _step((high - low) / n)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    lower, upper = (_end(x, edge * step, step) for x, edge in ((low, first), (high, last)))
    margin = PADDING * (upper - lower)
    ticks = [
        i * step for i in range(first, last + 1) if lower - margin <= i * step <= upper + margin
    ]
    exponent = _exponent(max(abs(low), abs(high)))
    unit = 10.0**exponent
    decimals = max(0, -floor(log10(step / unit) + 1e-9))
    if round(step / unit, decimals) != round(step / unit, decimals + 2):
        decimals += 1
    labels = tuple(number(t / unit, decimals) for t in ticks)
    return ValueAxis(lower - margin, upper + margin, tuple(ticks), labels, exponent=exponent)


def _step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5 times a power of ten that is not below `least`."""
    power = 10.0 ** floor(log10(least))
    return next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= least * (1 - 1e-9))


def _end(value: float, edge: float, step: float) -> float:
    """Let the axis end at a tick where one is near, else at the value."""
    return edge if abs(edge - value) <= 0.5 * step else value


def _exponent(largest: float) -> int:
    """Return the power of ten that labels leave to the axis: 0 for numbers of usual size."""
    if largest == 0 or 1e-3 <= largest < 1e6:
        return 0
    return 3 * floor(log10(largest) / 3)


def _log_axis(low: float, high: float, n: float) -> ValueAxis:
    lower, upper = log10(low), log10(high)
    margin = PADDING * (upper - lower)
    decades = upper - lower
    every = max(1, ceil(decades / n))
    ticks: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5)):
        finer = [
            m * 10.0**e
            for e in range(floor(lower), ceil(upper) + 1)
            for m in steps
            if e % every == 0 and lower - margin <= log10(m * 10.0**e) <= upper + margin
        ]
        if len(ticks) < 2 or len(finer) <= n + 1:
            ticks = finer
    ends = 10 ** (lower - margin), 10 ** (upper + margin)
    return ValueAxis(*ends, tuple(ticks), tuple(_log_label(t) for t in ticks), is_log=True)


def _log_label(tick: float) -> str:
    exponent = floor(log10(tick) + 1e-9)
    if -5 < exponent < 6:
        return number(tick, max(0, -exponent))
    return _power(round(tick / 10.0**exponent), exponent)


def _power(leading: int, exponent: int) -> str:
    """Write 3e−7 and 1e6: the sans face has no raised minus."""
    return f"{leading}e{number(exponent, 0)}"
