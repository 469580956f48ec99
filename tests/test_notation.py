"""How numbers are written."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.notation import (
    RATIOS,
    NumberFormat,
    number,
    number_format,
    ordinal,
    pvalue,
    ratio,
    significant,
)
from reportgen.performance_measure import Measure

SHARE = Measure("misclassification", unit_symbol="share")
BYTES = Measure("fit-memory", "smaller", "bytes")
SECONDS = Measure("time", unit_symbol="s")
COST = Measure("cost", unit_symbol="EUR")


@pytest.mark.parametrize(
    ("measure", "means", "expected"),
    [
        (SHARE, [0.011, 0.035], NumberFormat(100.0, "%", "pp", 2)),
        (SHARE, [], NumberFormat(100.0, "%", "pp", 2)),
        (
            SECONDS,
            [0.055, 12.2],
            NumberFormat(1.0, "s", "s", 3),
        ),  # 0.055 keeps two digits, 12.2 three
        (SECONDS, [0.0087, 0.4718], NumberFormat(1000.0, "ms", "ms", 1)),  # 8.7 and 471.8
        (BYTES, [1367.0, 80_343.0], NumberFormat(1e-3, "kB", "kB", 1)),  # 1.4 and 80.3
        (BYTES, [250.0, 999.0], NumberFormat(1.0, "bytes", "bytes", 0)),
        (BYTES, [5e8, 2.5e9], NumberFormat(1e-9, "GB", "GB", 2)),  # 0.50 and 2.50
        (COST, [25.0, 31.0], NumberFormat(1.0, "EUR", "EUR", 1)),  # 25.0
        (COST, [1e-6, 3e-6], NumberFormat(1.0, "EUR", "EUR", 8)),  # 0.00000300
        (COST, [1e-6, 3e3], NumberFormat(1.0, "EUR", "EUR", 4)),
        (COST, [2e5], NumberFormat(1.0, "EUR", "EUR", 0)),
        (COST, [0.0, float("nan")], NumberFormat(1.0, "EUR", "EUR", 2)),
        (COST, [20.0, 22.0, 3e98], NumberFormat(1.0, "EUR", "EUR", 1)),  # one dwarfs all others
        (COST, [2e150, 3e151], NumberFormat(1e-150, "×1e150 EUR", "×1e150 EUR", 1)),
        (COST, [2e-160], NumberFormat(1e162, "×1e−162 EUR", "×1e−162 EUR", 0)),
        (Measure("loss"), [3e13], NumberFormat(1e-12, "×1e12", "×1e12", 1)),
    ],
)
def test_scale(measure: Measure, means: list[float], expected: NumberFormat) -> None:
    assert number_format(measure, means) == expected


@pytest.mark.parametrize(
    ("x", "decimals", "text"),
    [
        (1234.5, 1, "1,234.5"),
        (-0.07, 2, "\u22120.07"),
        (100 * 0.465, 0, "47"),
        (100 * 0.285, 0, "29"),  # the product lies below 28.5
        (-2.5, 0, "\u22123"),
        (28.499999999, 0, "28"),
        (99999999.5, 1, "99,999,999.5"),
        (-0.001, 2, "0.00"),
        (-0.0, 0, "0"),
        (None, 2, "\u2013"),
        (float("nan"), 2, "\u2013"),
        (float("inf"), 2, "\u2013"),
    ],
)
def test_number(x: float | None, decimals: int, text: str) -> None:
    assert number(x, decimals) == text


def test_values_and_intervals() -> None:
    share = number_format(SHARE, [])
    assert share.value(0.01096) == "1.10"
    assert share.interval(-0.0017, 0.0031) == "\u22120.17 to 0.31"
    assert share.value(None) == "\u2013"


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.965, "0.965"), (1e-4, "0.0001"), (9e-5, "< 0.0001"), (0.9991, "> 0.999"), (None, "\u2013")],
)
def test_pvalue(p: float | None, text: str) -> None:
    assert pvalue(p) == text


@pytest.mark.parametrize(
    ("n", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st"),
                    (112, "112th")]
)  # fmt: skip
def test_ordinal(n: int, text: str) -> None:
    assert ordinal(n) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.0, "0"),
        (-3.0, "−3"),
        (1e8, "100,000,000"),
        (1e9, "1e9"),
        (12.5, "12.5"),
        (-0.015625, "−0.01563"),
        (123456.7, "123,457"),
        (1234567.8, "1.235e6"),
        (0.00012345, "0.0001235"),  # though the double lies below 0.00012345
        (-1.5e-9, "−1.5e−9"),
    ],
)
def test_numbers_of_no_scale_have_four_digits(x: float, text: str) -> None:
    assert significant(x) == text


def test_what_is_far_too_large_for_a_scale_has_a_power_of_ten() -> None:
    at = number_format(COST, [20.0, 22.0])
    assert at.value(20.26) == "20.3"
    assert at.value(123_456_789.0) == "123,456,789.0"
    assert (at.value(1e20), at.value(-3.456e298)) == ("1e20", "−3.46e298")
    assert at.interval(-6.11e18, 20.0) == "−6.11e18 to 20.0"


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (57.03, "57.0"),
        (1.5, "1.50"),
        (1.0085, "1.01"),
        (1.0012, "1.001"),
        (0.99996, "0.99996"),
        (1.0 + 1e-12, "1.00"),
        (0.995, "0.995"),
        (0.00321, "0.00321"),
        (0.0, "0.00"),
        (4e12, "4e12"),
        (3.21e-12, "3.21e−12"),
        (None, "–"),
        (float("inf"), "–"),
    ],
)
def test_ratios(x: float | None, text: str) -> None:
    assert ratio(x) == text
    assert number_format(COST, [1.0], is_ratio=True).difference(x) == text


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (-0.0015, 0.018, "−0.002 to 0.018"),
        (0.0004, 0.0083, "0.0004 to 0.0083"),
        (0.004, 0.018, "0.004 to 0.018"),
        (4e-7, 0.05, "4e−7 to 0.05"),  # the width has no more digits
        (-0.3, -0.0004, "−0.30 to −0.0004"),
        (0.0, 0.01, "0.00 to 0.01"),
        (-1e-17, 0.3, "0.00 to 0.30"),  # by rounding alone
        (-1e308, 1.7e308, "−1e308 to 1.7e308"),  # the width is beyond floats
    ],
)
def test_a_bound_shows_its_side_of_zero(lower: float, upper: float, text: str) -> None:
    assert NumberFormat(1.0, "", "", 2).difference_interval(lower, upper) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.0041, "0.004"), (-0.0041, "−0.004"), (0.005, "0.01"), (0.0, "0.00"), (-1e-17, "0.00")],
)
def test_a_difference_shows_its_side_of_zero(x: float, text: str) -> None:
    assert NumberFormat(1.0, "", "", 2).difference(x) == text


def test_what_lies_between_two_bounds_is_written_between_them() -> None:
    at = NumberFormat(1.0, "", "", 2)
    for ends in ((0.0004, 0.0083), (0.004, 0.018), (0.0004, 0.3), (0.996, 0.9998)):
        lower, upper = (float(text) for text in at.difference_interval(*ends).split(" to "))
        for x in np.linspace(*ends, 80):
            assert lower <= float(at.difference(x, ends)) <= upper


@pytest.mark.parametrize(
    ("x", "limits", "text"),
    [
        (0.01, (0.004, 0.018), "0.010"),
        (0.005, (-0.0015, 0.018), "0.005"),
        (-0.15, (-0.3, -0.0004), "−0.15"),
        (-0.0041, (-0.3, -0.0004), "−0.004"),
        (0.01, (0.0, 0.02), "0.01"),
        (0.01, (None, None), "0.01"),
        (0.5, (0.5, 0.5), "0.50"),
    ],
)
def test_the_digits_of_a_difference_follow_those_of_its_limits(
    x: float, limits: tuple[float | None, float | None], text: str
) -> None:
    assert NumberFormat(1.0, "", "", 2).difference(x, limits) == text
    percent = NumberFormat(100.0, "%", "pp", 2)
    of_hundredth = tuple(None if y is None else y / 100 for y in limits)
    assert percent.difference(x / 100, of_hundredth) == text


@pytest.mark.parametrize(
    ("x", "limits", "texts"),
    [
        (1.01, (1.004, 1.018), ("1.010", "1.004 to 1.018")),
        (1.01, (0.99, 1.03), ("1.01", "0.990 to 1.03")),
        (1.15, (1.0004, 1.3), ("1.15", "1.0004 to 1.30")),
        (3.0, (0.9996, 57.0), ("3.00", "0.9996 to 57.0")),
    ],
)
def test_the_digits_of_a_ratio_follow_those_of_its_limits(
    x: float, limits: tuple[float, float], texts: tuple[str, str]
) -> None:
    assert (RATIOS.difference(x, limits), RATIOS.difference_interval(*limits)) == texts


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (0.3, 1.0004, "0.30 to 1.0004"),  # not inside the area of 1
        (0.3, 0.9996, "0.30 to 0.9996"),  # inside
        (0.3, 1.0, "0.30 to 1.00"),
        (0.3, 1.0 + 1e-15, "0.30 to 1.00"),  # by rounding alone
        (0.996, 1.03, "0.996 to 1.030"),  # two digits of the width show it
        (-1.0004, -0.5, "−1.0004 to −0.50"),
        (-0.0015, 1.004, "−0.002 to 1.004"),
        (0.3, 0.7, "0.30 to 0.70"),
    ],
)
def test_a_limit_shows_its_side_of_the_area(lower: float, upper: float, text: str) -> None:
    at = NumberFormat(1.0, "", "", 2).beside((-1.0, 1.0))
    assert at.difference_interval(lower, upper) == text
    percent = NumberFormat(100.0, "%", "pp", 2).beside((-0.01, 0.01))
    assert percent.difference_interval(lower / 100, upper / 100) == text
    low, high = (float(text.replace("−", "-")) for text in text.split(" to "))
    for x in (lower + 1e-9, (lower + upper) / 2, upper - 1e-9):
        written = float(at.difference(x, (lower, upper)).replace("−", "-"))
        assert low <= written <= high


def test_a_limit_of_a_ratio_shows_its_side_of_the_area() -> None:
    at = RATIOS.beside((1 / 1.1, 1.1))
    assert at.difference_interval(1.02, 1.1004) == "1.02 to 1.1004"
    assert at.difference_interval(0.9093, 1.3) == "0.9093 to 1.30"
    assert at.difference_interval(1.02, 1.1) == "1.02 to 1.10"
    assert at.beside(None).difference_interval(1.02, 1.1004) == "1.02 to 1.10"


def test_a_mean_has_the_digits_of_its_limits() -> None:
    at, limits = NumberFormat(1.0, "", "", 1), (12.301, 12.304)
    assert (at.value(12.3, limits), at.interval(*limits)) == ("12.300", "12.301 to 12.304")


def test_a_scale_of_ratios_has_no_unit_of_differences() -> None:
    at = number_format(SECONDS, [0.0087, 0.4718], is_ratio=True)
    assert (at.unit_symbol, at.difference_unit, at.is_ratio) == ("ms", "", True)
    assert at.value(0.0087) == "8.7"
    assert at.difference_interval(0.9, 57.0) == "0.900 to 57.0"


def test_differences_of_what_is_in_per_cent_are_in_points() -> None:
    found = number_format(Measure("accuracy in per cent", "larger", "%"), [92.0, 73.5])
    assert (found.unit_symbol, found.difference_unit, found.factor) == ("%", "pp", 1.0)


def test_a_measure_is_stored_under_the_keys_of_files() -> None:
    measure = Measure("cost", "larger", "EUR", (0.0, None))
    assert measure.stored["unit"] == "EUR"
    assert Measure.of_stored(measure.stored) == measure
    with pytest.raises(KeyError):
        Measure.of_stored({"name": "cost", "unit_symbol": "EUR"})


def test_intervals_of_an_array_choose_the_digits_of_tuples() -> None:
    bounds = np.array([[0.1, 0.4], [0.2001, 0.2004], [np.nan, np.nan], [0.3, 0.3]])
    chosen = number_format(COST, [20.0, 22.0], intervals=bounds)
    assert chosen == number_format(COST, [20.0, 22.0], intervals=[(0.2001, 0.2004), (0.1, 0.4)])
    assert chosen.decimals > number_format(COST, [20.0, 22.0]).decimals
    assert number_format(COST, [20.0, 22.0], intervals=np.zeros((0, 2))).decimals == 1
