"""The notation of numbers: one format a measure, for figures, tables and text alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Any, cast

from reportgen.data_classes import dataclass
from reportgen.measures import KNOWN_MEASURES, MEASURE_WORDS
from reportgen.performance_measure import ELO, Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MINUS = "\u2212"
NOTHING = "\u2013"  # in place of a number
LEAST_P_VALUE, LARGEST_P_VALUE = 1e-4, 0.999  # beyond them only the bound is written
LARGEST_PLAIN, LARGEST_PLACE = 1e9, 6  # whole and other numbers above have a power of ten
MOST_DECIMALS, DIGITS = 10, 3  # of a format; with more, each value has its own power of ten
LARGEST_POWER, LARGEST_SPAN = 12, 1e12  # of means in their own unit; of those that choose decimals
MOST_MORE = 3  # decimals that intervals add to a format
LEAST_PLACE, ROUNDING = -300, 1e-9  # of a number; what is nearer, relatively, is the same
LARGEST_EXPONENT = 300  # of a power of ten that is computed
NEAR_HALF, LARGEST_NEAR = 1e-14, 1e9  # relative: what 100 × .285 lacks to 28.5; in last digits

Interval = tuple[float | None, float | None]


def short_words(measure: Measure, measures: Iterable[Measure]) -> str:
    """Return a measure in as few words as tell it from others.

    >>> short_words(Measure("fit-time"), [Measure("fit-time"), Measure("mse")])
    'time'
    >>> short_words(Measure("fit-time"), [Measure("fit-time"), Measure("predict-time")])
    'fitting time'
    """
    short = _short(measure)
    alike = [m for m in measures if _short(m) == short]
    return short if short and len(alike) < 2 else MEASURE_WORDS.get(measure.name, measure.name)


def _short(measure: Measure) -> str:
    known = KNOWN_MEASURES.get(measure.name.lower())
    return known.short if known else ""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """The notation of the values of one measure."""

    factor: float  # what a value is multiplied by before it is written
    unit_symbol: str  # of values: "%", "ms", "s", … or ""
    difference_unit: str  # unit of differences: "pp" (percentage points) of what is in per cent
    decimals: int  # digits after the point, the same for all values of the measure
    # Whether candidates are compared by ratio: how many times, not by how much.
    is_ratio: bool = False
    # Bounds of the area of equivalence, in the unit of values: limits show their side of them.
    area: tuple[float, ...] = ()

    @property
    def in_unit(self) -> str:
        """What names the unit behind the words for values: " in ms", or nothing."""
        return f" in {self.unit_symbol}" if self.unit_symbol else ""

    @property
    def bracketed_unit(self) -> str:
        """The same on an axis: " (ms)", or nothing."""
        return f" ({self.unit_symbol})" if self.unit_symbol else ""

    def of_ratios(self) -> NumberFormat:
        """Return the same for candidates that are compared by ratio."""
        return replace(self, difference_unit="", is_ratio=True)

    def beside(self, area: tuple[float, float] | None) -> NumberFormat:
        """Return the same for differences, or ratios, that are held against an area."""
        return replace(self, area=() if area is None else tuple(area))

    def difference(self, x: float | None, limits: Interval = (None, None)) -> str:
        """Write a difference, or a ratio, without its unit; what is not 0 shows its side of 0.

        It has the digits of its limits, as `difference_interval` writes these.

        >>> at = NumberFormat(1.0, "", "", 2)
        >>> at.difference(0.0041), at.difference(0.01, (0.004, 0.018))
        ('0.004', '0.010')
        """
        more = self._further(*limits)
        is_near = any(self._hidden(limit, more) for limit in limits)
        return self._limit(x, more) if is_near else self._difference(x, more)

    def difference_interval(self, lower: float | None, upper: float | None) -> str:
        """Write two bounds of a difference, or of a ratio; those that differ are written so.

        A bound that is not 0 shows on which side of 0 it lies; of a ratio one that is not 1;
        and one that is not a bound of the area of equivalence shows on which side of that.
        Both have the digits that this takes, where their difference has two digits then.

        >>> at = NumberFormat(100.0, "%", "pp", 2)
        >>> at.difference_interval(-0.000015, 0.0002), at.difference_interval(-0.000015, 0.2)
        ('−0.002 to 0.020', '−0.002 to 20.00')
        >>> at.beside((-0.01, 0.01)).difference_interval(0.003, 0.010004)
        '0.30 to 1.0004'
        """
        more = self._further(lower, upper)
        return f"{self._limit(lower, more)} to {self._limit(upper, more)}"

    def _difference(self, x: float | None, more: int) -> str:
        """Write a difference, or a ratio, with some further digits, or those that show its side."""
        return self._write(x, more, is_ratio=True) if self.is_ratio else self._told_from_0(x, more)

    def _told_from_0(self, x: float | None, more: int = 0) -> str:
        """Write a number with some further digits, or those that tell it from 0."""
        written = self._write(x, more)
        if x is None or not isfinite(x) or written.strip("−0."):
            return written
        y = self.factor * x
        return significant(y, 1) if abs(y) > ROUNDING / 10.0 ** (self.decimals + more) else written

    def _limit(self, x: float | None, more: int) -> str:
        """Write a limit with some further digits, or those that tell it from the area's bounds."""
        counts = range(more, more + MOST_DECIMALS)
        return self._difference(x, next((n for n in counts if not self._hidden(x, n)), more))

    def _hidden(self, x: float | None, more: int) -> bool:
        """Whether a number is written as a bound of the area that it is not."""
        if x is None or not isfinite(x):
            return False
        away = (d for d in self.area if abs(x - d) > ROUNDING * abs(d))
        return any(self._difference(x, more) == self._difference(d, more) for d in away)

    def _further(self, lower: float | None, upper: float | None) -> int:
        """Return how many further digits tell two bounds of a difference from one another and 0."""
        if lower is None or upper is None or not _has_width(lower, upper):
            return 0
        least = ROUNDING * max(abs(lower), abs(upper))
        nothing = 1.0 if self.is_ratio else 0.0
        away = [x for x in (lower, upper) if abs(x - nothing) > least]
        apart = _to_differ(partial(self._write, is_ratio=self.is_ratio), lower, upper)
        width = (upper - lower) * (1.0 if self.is_ratio else self.factor)
        if not 0 < abs(width) < inf:
            return apart
        places = _places_of_digits(max(lower, upper)) if self.is_ratio else self.decimals
        most = min(MOST_DECIMALS, 1 - floor(log10(abs(width)))) - places  # two digits of the width
        counts = range(apart, most + 1)
        shown = [more for more in counts if all(self._is_shown(x, more) for x in away)]
        beside = (more for more in shown if not any(self._hidden(x, more) for x in away))
        return next(beside, next(iter(shown), apart))

    def _is_shown(self, x: float, more: int) -> bool:
        """Whether a number is written as another than 0, a ratio than 1."""
        if self.is_ratio:
            return number(x, _places_of_digits(x) + more).rstrip("0") != "1."
        return bool(self._write(x, more).strip("−0."))

    def value(self, x: float | None, limits: Interval = (None, None)) -> str:
        """Write a value or a difference, without its unit, with the digits of its limits."""
        return self._write(x, _to_differ(self._write, *limits))

    def standard_error(self, x: float) -> str:
        """Write the standard error of a value, as 0 only where it is.

        >>> at = NumberFormat(1000.0, "ms", "ms", 1)
        >>> at.standard_error(64e-6), at.standard_error(49.9e-6), at.standard_error(0.0)
        ('0.1', '0.05', '0.0')
        """
        return self._told_from_0(x)

    def _write(self, x: float | None, more: int = 0, *, is_ratio: bool = False) -> str:
        """Write a number with some further digits; beyond those of a usual one with a power."""
        if x is None or not isfinite(x):
            return NOTHING
        if is_ratio:
            return ratio(x, more)
        y = self.factor * x
        decimals = self.decimals + more
        is_plain = abs(y) < LARGEST_PLAIN and decimals <= MOST_DECIMALS
        return number(y, decimals) if is_plain else significant(y, DIGITS + more)

    def interval(self, lower: float | None, upper: float | None) -> str:
        """Write two bounds; those that differ are written so."""
        return f"{self.value(lower, (lower, upper))} to {self.value(upper, (lower, upper))}"


def _to_differ(
    write: Callable[[float | None, int], str], lower: float | None, upper: float | None
) -> int:
    """Return how many further digits it takes to tell two bounds apart."""
    # Bounds that differ by rounding alone are the same.
    if not _has_width(lower, upper):
        return 0
    counts = range(2 * MOST_DECIMALS)
    return next((more for more in counts if write(lower, more) != write(upper, more)), 0)


def _has_width(lower: float | None, upper: float | None) -> bool:
    """Whether two bounds are there and differ by more than rounding."""
    if lower is None or upper is None or not (isfinite(lower) and isfinite(upper)):
        return False
    return abs(upper - lower) > ROUNDING * max(abs(lower), abs(upper))


RATIOS = NumberFormat(1.0, "", "", 2, is_ratio=True)
"""The notation of ratios alone."""

BYTES = ((1e-9, "GB"), (1e-6, "MB"), (1e-3, "kB"), (1.0, "bytes"))


SHARES = NumberFormat(100.0, "%", "pp", 0)
"""The notation of shares, and of differences between two."""


def number_format(
    measure: Measure,
    means: Iterable[float],
    *,
    is_ratio: bool = False,
    intervals: Iterable[Interval] | NDArray[np.float64] = (),
) -> NumberFormat:
    """Choose the number format of a measure from the candidates' means.

    Shares are written in per cent with two decimals, Elo scores without any; seconds in
    milliseconds where all means are below one second; bytes in kB, MB or GB by the
    largest mean; all else so that the largest mean keeps
    three significant digits and, within four decimals, the smallest two.
    Up to three decimals more are there where the bounds of an interval would
    be written alike without; of still narrower ones each has its own.
    """
    chosen = _number_format(measure, means, is_ratio)
    least = 10.0**-chosen.decimals / abs(chosen.factor)  # what differs by more is written so
    found = [
        (low, high)
        for low, high in _narrower(intervals, least)
        if low is not None and high is not None and high - low < least and _has_width(low, high)
    ]
    finer = [replace(chosen, decimals=chosen.decimals + more) for more in range(MOST_MORE + 1)]
    needed = (
        next((more for more, at in enumerate(finer) if at.value(low) != at.value(high)), 0)
        for low, high in found
    )
    return finer[max(needed, default=0)]


def _narrower(
    intervals: Iterable[Interval] | NDArray[np.float64], least: float
) -> Iterable[Interval]:
    """Return intervals; of an array, (P, 2), those that are narrower than a width alone."""
    bounds: Any = getattr(intervals, "T", None)  # of an array alone
    if bounds is None:
        return cast("Iterable[Interval]", intervals)
    lower, upper = bounds
    return zip(*bounds[:, upper - lower < least].tolist(), strict=True)


def _number_format(measure: Measure, means: Iterable[float], is_ratio: bool) -> NumberFormat:
    """Choose the number format of a measure from the candidates' means alone."""
    if measure.unit_symbol == "share":
        return NumberFormat(100.0, "%", "" if is_ratio else "pp", 2, is_ratio)
    if (
        measure.unit_symbol == ELO.unit_symbol
    ):  # some scores are near 0, which lies nowhere in particular
        return NumberFormat(
            1.0, measure.unit_symbol, "" if is_ratio else measure.unit_symbol, 0, is_ratio
        )
    sizes = [abs(float(m)) for m in means if isfinite(m) and m != 0]
    sizes = [x for x in sizes if x < LARGEST_SPAN * min(sizes)]  # one mean may dwarf all others
    factor, unit = 1.0, measure.unit_symbol
    if unit == "s" and sizes and max(sizes) < 1:
        factor, unit = 1000.0, "ms"
    if unit == "bytes" and sizes:
        factor, unit = next((f, u) for f, u in BYTES if max(sizes) * f >= 1 or u == "bytes")
    power = floor(log10(max(sizes))) if sizes else 0
    if not -MOST_DECIMALS <= power <= LARGEST_POWER:
        power = 3 * floor(max(power, LEAST_PLACE) / 3)
        factor, unit = (
            10.0**-power,
            f"×1e{power} {measure.unit_symbol}".rstrip().replace("-", MINUS),
        )
    largest, smallest = (floor(log10(factor * f(sizes, default=1.0))) for f in (max, min))
    decimals = max(0, 2 - largest, min(4, 1 - smallest))
    difference = "pp" if unit == "%" else unit
    return NumberFormat(factor, unit, "" if is_ratio else difference, decimals, is_ratio)


def level_words(alpha: float) -> str:
    """Write the level of an interval.

    >>> level_words(0.05)
    '95%'
    """
    return f"{100 * (1 - alpha):g}%"


def ratio(x: float | None, more: int = 0) -> str:
    """Write a ratio: three digits and some more; yet more where these do not tell it from 1.

    >>> [ratio(x) for x in (57.03, 1.5, 1.0085, 1.0012, 0.99996, 0.00321, 1234.5, 1.0, 3e12)]
    ['57.0', '1.50', '1.01', '1.001', '0.99996', '0.00321', '1,235', '1.00', '3e12']
    """
    if x is None or not isfinite(x):
        return NOTHING
    if x <= 0:
        is_plain = x == 0 or 2 + more <= MOST_DECIMALS
        return number(x, 2 + more) if is_plain else significant(x, DIGITS + more)
    places = _places_of_digits(x) + more
    if x >= LARGEST_PLAIN or places > MOST_DECIMALS:
        return significant(x, DIGITS + more)
    texts = (number(x, p) for p in range(places, MOST_DECIMALS))
    told = (text for text in texts if text.rstrip("0") != "1.")
    return number(x, places) if x == 1 else next(told, number(x, places))


def _places_of_digits(x: float) -> int:
    """Return how many decimals give three digits."""
    return max(0, 2 - floor(log10(x))) if x > 0 else 2


def whole_range(low: int, high: int) -> str:
    """Write whole numbers from one to another, which may be the same.

    >>> whole_range(1, 3), whole_range(2, 2)
    ('1 to 3', '2')
    """
    return str(low) if low == high else f"{low} to {high}"


def count_processes(runs: Sequence[int], noun: str = "runs") -> str:
    """Say how many processes there are, by the number of runs of each, and these.

    >>> count_processes([5, 5]), count_processes([5, 4, 6])
    ('2 processes of 5 runs', '3 processes of 4 to 6 runs')
    """
    return f"{len(runs):,} processes of {whole_range(min(runs), max(runs))} {noun}"


def statistic(x: float | None) -> str:
    """Write a test's statistic: three digits, or all that are before the point.

    >>> [statistic(x) for x in (7079.92, 143.21, 1.4349, 0.0321, 0.0, 2.5e12, None)]
    ['7,080', '143', '1.43', '0.0321', '0.00', '2.5e12', '–']
    """
    if x is None or not isfinite(x):
        return NOTHING
    places = _places_of_digits(abs(x))
    is_plain = abs(x) < LARGEST_PLAIN and places <= MOST_DECIMALS
    return number(x, places) if is_plain else significant(x, DIGITS)


def number(x: float | None, decimals: int = 2) -> str:
    """Write a number with a real minus sign; a dash where there is none.

    Halves are rounded away from zero.

    >>> [number(100 * x, 0) for x in (0.465, 0.285, -0.465)]
    ['47', '29', '−47']
    """
    if x is None or not isfinite(x):
        return NOTHING
    text = f"{_away_from_zero(x, decimals):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _away_from_zero(x: float, decimals: int) -> float:
    """Return a number that lies beyond the half of its last digit where it is this half."""
    is_small = decimals > LARGEST_EXPONENT or abs(x) < LARGEST_NEAR / 10.0**decimals
    return x * (1 + NEAR_HALF) if is_small else x


def significant(x: float, digits: int = 4) -> str:
    """Write a number that belongs to no measure; fractions have so many digits at most.

    >>> [significant(x) for x in (4096.0, 0.08648215, 0.5, 12340.5, 2.5e-7)]
    ['4,096', '0.08648', '0.5', '12,341', '2.5e−7']
    """
    if not isfinite(x):
        return NOTHING
    if x == 0 or (x.is_integer() and abs(x) < LARGEST_PLAIN):
        return number(x, 0)
    place = floor(log10(abs(x)))
    if -4 <= place < digits - 1:
        return number(x, digits - 1 - place).rstrip("0").rstrip(".")
    if digits - 1 <= place < LARGEST_PLACE:
        return number(x, 0)
    shown = _away_from_zero(x, digits - 1 - place)
    mantissa, _, power = f"{shown:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}".replace("-", MINUS)


def align_numbers(values: Sequence[float | None]) -> tuple[str, ...]:
    """Write numbers of one kind with the same decimals and power of ten.

    The largest has three significant digits, and more, up to twice as many, where
    they differ by less. A power of ten stands where `significant` has one.

    >>> align_numbers([0.001234, None, 0.0098])
    ('0.00123', '–', '0.00980')
    >>> align_numbers([140245.3, 3514800.2, 0.0])
    ('0.14e6', '3.51e6', '0')
    >>> align_numbers([1990.25, 1990.75])
    ('1,990.25', '1,990.75')
    """
    known = [float(x) for x in values if x is not None and isfinite(x)]
    largest = max(map(abs, known), default=0.0)
    if largest < LARGEST_PLAIN and all(x.is_integer() for x in known):
        return tuple(number(x, 0) for x in values)
    place = max(floor(log10(largest)), LEAST_PLACE)
    power = 0 if -4 <= place < LARGEST_PLACE else place
    spread = max(known) / largest - min(known) / largest
    more = max(0, -1 - floor(log10(spread))) if spread > ROUNDING else 0
    decimals = max(0, power - place + DIGITS - 1 + min(more, DIGITS))
    return tuple(_with_power(x, power, decimals) for x in values)


def _with_power(x: float | None, power: int, decimals: int) -> str:
    if x is None or not isfinite(x) or not power:
        return number(x, decimals)
    sign = str(power).replace("-", MINUS)
    return f"{number(x / 10.0**power, decimals)}e{sign}" if x else "0"


def pvalue(p: float | None) -> str:
    """Write a p-value for a table, in the one form that it has everywhere.

    >>> [pvalue(p) for p in (3e-7, 0.00041, 0.0123, 0.9654, 0.9993, None)]
    ['< 0.0001', '0.0004', '0.012', '0.965', '> 0.999', '–']
    """
    if p is None or not isfinite(p):
        return NOTHING
    sign, digits = p_parts(p)
    return digits if sign == "=" else f"{sign} {digits}"


def p_parts(p: float) -> tuple[str, str]:
    """Return the sign before a p-value, and its digits."""
    if p < LEAST_P_VALUE:
        return "<", f"{LEAST_P_VALUE:.4f}"
    if p > LARGEST_P_VALUE:
        return ">", f"{LARGEST_P_VALUE:.3f}"
    return "=", number(p, 3 if p >= 0.001 else 4)


def ordinal(n: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th, 11th, 21st."""
    last = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{last}"
