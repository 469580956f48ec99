"""Welch's t of all pairs, against a second implementation, scipy and cases by hand."""

from __future__ import annotations

from itertools import combinations
from math import comb, fsum, log, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student
from scipy.stats import ttest_ind

from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.stats.samples.comparison import separation_chance, welch_pairs

ALPHA = 0.05
CLOSE = 1e-9  # relative: two computations in double precision, a root against a closed form


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def table(*samples: object) -> np.ndarray:
    """Return samples as columns, NaN below the shorter ones."""
    columns = [np.asarray(sample, dtype=np.float64) for sample in samples]
    values = np.full((max(map(len, columns)), len(columns)), np.nan)
    for k, column in enumerate(columns):
        values[: len(column), k] = column
    return values


def compare(*samples: object, **options: object) -> PairTable:
    return welch_pairs(table(*samples), ALPHA, **{"scale": "difference", **options})


def four() -> list[np.ndarray]:
    """Return skewed samples of other sizes and spreads."""
    sizes, scales = (6, 9, 25, 60), (1.0, 3.0, 0.2, 2.0)
    generator = rng(5)
    return [s * generator.exponential(size=n) for n, s in zip(sizes, scales, strict=True)]


class Plain:
    """One pair by the text: sums by fsum, the limits as roots of t*."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        means, variances, thirds = [], [], []
        for sample in (first, second):
            n, mean = len(sample), fsum(sample) / len(sample)
            means.append(mean)
            variances.append(fsum((x - mean) ** 2 for x in sample) / (n - 1) / n)
            cube, square = (fsum((x - mean) ** p for x in sample) / n for p in (3, 2))
            # third cumulant of the mean: the adjusted skewness on the unbiased variance
            adjusted = cube / square**1.5 * sqrt(n * (n - 1)) / (n - 2)
            thirds.append(adjusted * variances[-1] ** 1.5 / sqrt(n))
        sizes = len(first), len(second)
        total = fsum(variances)
        self.mean, self.error = means[0] - means[1], sqrt(total)
        self.df = total**2 / fsum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
        self.lean = (thirds[0] - thirds[1]) / total**1.5

    def corrected(self, t: float) -> float:
        q = -np.sign(t) * self.lean / 3
        size = abs(t)
        hall = size - q * size**2 + q**2 * size**3 / 3 - q / 2
        far = q * size >= (3 - sqrt(3)) / 2
        size = size if q <= 0 else size / 2 if far else min(size, max(size / 2, hall))
        return float(np.copysign(size, t))

    @property
    def statistic(self) -> float:
        return self.corrected(self.mean / self.error)

    def interval(self, c: float) -> tuple[float, float]:
        up, down = (
            brentq(lambda t, y=y: self.corrected(t) - y, *sorted(ends), xtol=1e-13, rtol=1e-14)
            for y, ends in ((x, (x * (1 - 1e-9), 2 * x * (1 + 1e-9))) for x in (c, -c))
        )
        return self.mean - up * self.error, self.mean - down * self.error


@pytest.mark.parametrize("family", [None, 20])
def test_all_pairs_by_the_text(family: int | None) -> None:
    samples = four()
    found = compare(*samples, n_comparisons=family)
    m = family or 6
    assert found.method == "welch"
    for row, (first, second) in zip(found, combinations(samples, 2), strict=True):
        pair = Plain(first, second)
        alone = 2 * student.sf(abs(pair.statistic), pair.df)
        c = float(student.isf(ALPHA / (2 * m), pair.df))
        assert row.estimate == pytest.approx(pair.mean, rel=CLOSE)
        assert row.standard_error == pytest.approx(pair.error, rel=CLOSE)
        assert row.df == pytest.approx(pair.df, rel=CLOSE)
        assert row.statistic == pytest.approx(pair.statistic, rel=CLOSE)
        assert row.p_value == pytest.approx(alone, rel=CLOSE)
        assert row.adjusted_p_value == pytest.approx(min(1.0, m * alone), rel=CLOSE)
        assert (row.lower, row.upper) == pytest.approx(pair.interval(c), rel=CLOSE)
        assert (row.n_first, row.n_second) == (len(first), len(second))
        assert row.n == min(len(first), len(second))


def test_symmetric_samples_have_the_t_of_scipy() -> None:
    first, second = (np.concatenate([x, -x]) for x in (np.arange(1.0, 6.0), np.geomspace(1, 50, 9)))
    row = compare(first + 3, second)[0]
    expected = ttest_ind(first + 3, second, equal_var=False)
    assert row.statistic == pytest.approx(expected.statistic, rel=CLOSE)
    assert row.df == pytest.approx(expected.df, rel=CLOSE)
    assert row.p_value == pytest.approx(expected.pvalue, rel=CLOSE)
    interval = expected.confidence_interval(1 - ALPHA)
    assert (row.lower, row.upper) == pytest.approx((interval.low, interval.high), rel=CLOSE)


def test_sleep_of_student_has_the_degrees_of_freedom_of_r() -> None:
    """R's t.test(extra ~ group, data = sleep): df = 17.776, mean 0.75 and 2.33, p = .07939."""
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    row = compare(first, second)[0]
    assert row.estimate == pytest.approx(0.75 - 2.33)
    assert row.df == pytest.approx(17.776, abs=5e-4)
    assert row.estimate / row.standard_error == pytest.approx(-1.8608, abs=5e-5)
    assert 0.07939 <= row.p_value < 0.09  # nearly no lean
    assert row.decision == "undecided"


def test_rows_mean_nothing() -> None:
    values = table(*four())
    shuffled = np.column_stack([rng(k).permutation(column) for k, column in enumerate(values.T)])
    assert welch_pairs(values, ALPHA, scale="ratio") == welch_pairs(shuffled, ALPHA, scale="ratio")


def test_padding_and_layout_change_no_bit() -> None:
    values = table(*four())
    padded = np.asfortranarray(np.vstack([values, np.full((90, 4), np.nan)]))
    assert welch_pairs(padded, ALPHA, scale="difference") == compare(*four())


def test_decision_interval_and_p_value_agree() -> None:
    generator, n_decided = rng(3), 0
    for _ in range(300):
        samples = [
            s * generator.exponential(size=n) + generator.normal()
            for n, s in ((8, 1.0), (12, 0.3), (30, 2.0))
        ]
        found = compare(*samples)
        by_p = found.adjusted_p_value <= ALPHA
        assert (found.significant == by_p).all()
        n_decided += int(by_p.sum())
    assert 100 < n_decided < 800


def test_ratios_are_differences_of_logarithms() -> None:
    samples = [np.exp(sample) for sample in four()]
    ratios, logs = compare(*samples, scale="ratio"), compare(*four())
    for name in ("estimate", "lower", "upper"):
        assert getattr(ratios, name) == pytest.approx(np.exp(getattr(logs, name)), rel=CLOSE)
    assert ratios.p_value == pytest.approx(logs.p_value, rel=CLOSE)
    assert ratios.scale == "ratio"
    with pytest.raises(ValueError, match="above 0"):
        compare([1.0, 0.0], [1.0, 2.0], scale="ratio")


def test_few_values_are_open_and_outside_the_family() -> None:
    few = rng(2).normal(size=FEWEST_UNITS - 1)
    many = [rng(3).normal(size=20), rng(4).normal(size=20) + 9]
    alone, found = compare(*many), compare(*many, few)
    assert found.is_open.tolist() == [False, True, True]
    assert found[0].adjusted_p_value == alone[0].adjusted_p_value
    assert found[0].lower == alone[0].lower
    assert np.isnan(found.adjusted_p_value[1:]).all()
    assert np.isfinite(found.lower[1:]).all()
    assert not found.significant[1:].any()


def test_one_value_and_none() -> None:
    found = compare([1.0] * 3 + [2.0] * 4, [5.0], [np.nan])
    assert found.estimate[0] == pytest.approx(11 / 7 - 5)
    assert np.isnan(found.lower).all()
    assert np.isnan(found.estimate[1:]).all()
    assert found.is_open.all()


def test_no_spread_and_equal() -> None:
    row = compare([3.0] * 8, [3.0] * 6)[0]
    assert row.is_constant
    assert (row.estimate, row.p_value, row.lower, row.significant) == (0.0, 1.0, None, False)


def test_no_spread_but_for_rounding_is_equal() -> None:
    row = compare([0.3] * 8, [0.1 + 0.2] * 6)[0]
    assert (row.estimate, row.p_value) == (0.0, 1.0)


@pytest.mark.parametrize(("n", "is_decided"), [(5, False), (6, True)])
def test_no_spread_and_apart(n: int, is_decided: bool) -> None:
    samples = [[3.0] * 6, [4.0] * n, *([[9.0] * 7] if n == 6 else [])]
    found = compare(*samples)
    chance = 2 / comb(6 + n, 6)
    assert found[0].p_value == pytest.approx(chance)
    assert found[0].significant == is_decided
    if is_decided:
        assert found[0].adjusted_p_value == pytest.approx(3 * chance)
    assert found[0].lower < -1.0 < found[0].upper


@pytest.mark.parametrize(("family", "is_decided"), [(23, True), (24, False)])
def test_no_spread_has_the_interval_of_signs_as_improbable(family: int, is_decided: bool) -> None:
    row = compare([3.0] * 6, [4.0] * 6, n_comparisons=family)[0]
    chance = 2 / comb(12, 6)
    assert row.adjusted_p_value == pytest.approx(family * chance)
    signs = 1 - log(chance) / log(2)  # so many equal signs have this probability
    half = 2 * (1 - (ALPHA / family / 2) ** (1 / signs))
    assert (row.lower, row.upper) == pytest.approx((-1 - half, -1 + half))
    assert row.significant == is_decided


def test_one_sample_without_spread_has_the_t_of_the_other() -> None:
    other = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    row = compare(other, [9.0] * 8)[0]
    assert row.standard_error == pytest.approx(other.std(ddof=1) / sqrt(6))
    assert row.df == pytest.approx(5)


def test_separation_by_enumeration() -> None:
    below = sum(max(c) < min(set(range(7)) - set(c)) for c in combinations(range(7), 3))
    above = sum(min(c) > max(set(range(7)) - set(c)) for c in combinations(range(7), 3))
    assert separation_chance(np.array([3]), np.array([4])) == pytest.approx(
        (below + above) / comb(7, 3)
    )
    assert 0 < separation_chance(np.array([10**6]), np.array([10**6]))[0] < 1e-290


@pytest.mark.parametrize("exponent", [-300, 300])
def test_powers_of_two_change_no_digit(exponent: int) -> None:
    usual = compare(*four())
    scaled = compare(*(np.ldexp(sample, exponent) for sample in four()))
    for name in ("estimate", "standard_error", "lower", "upper"):
        assert (np.ldexp(getattr(usual, name), exponent) == getattr(scaled, name)).all()
    assert (usual.adjusted_p_value == scaled.adjusted_p_value).all()


def test_a_sample_of_another_size_takes_no_digit() -> None:
    first, second, *_ = four()
    alone = compare(first, second, n_comparisons=3)[0]
    beside = compare(first, second, np.ldexp(second, 300), n_comparisons=3)[0]
    assert alone == beside
    tiny = compare(np.ldexp(first, -300), [1.0] * 6)[0]
    assert tiny.estimate == -1.0
    assert tiny.significant
    assert tiny.upper < 0


def test_a_level_takes_no_digit() -> None:
    first, second = (np.round(sample * 64) / 64 for sample in four()[:2])
    level = 2.0**40  # the values are exact on it
    low, high = compare(first, second)[0], compare(first + level, second + level)[0]
    assert high.estimate == pytest.approx(low.estimate, rel=CLOSE)
    assert high.p_value == pytest.approx(low.p_value, rel=CLOSE)


def test_the_other_way_round() -> None:
    first, second, *_ = four()
    there, back = compare(first, second)[0], compare(second, first)[0]
    turned = back.reversed()
    assert (there.n_first, there.n_second) == (turned.n_first, turned.n_second)
    for name in ("estimate", "lower", "upper", "statistic", "skewness", "adjusted_p_value"):
        assert getattr(there, name) == pytest.approx(getattr(turned, name), rel=CLOSE)


@pytest.mark.slow
def test_logarithms_of_lognormal_samples_keep_the_size() -> None:
    """Of two equal samples of 10 and 30 values, at most 5% are called different."""
    generator, n_runs = rng(7), 2_000
    wrong = sum(
        bool(
            compare(
                generator.lognormal(sigma=0.3, size=10),
                generator.lognormal(sigma=0.3, size=30),
                scale="ratio",
            ).significant[0]
        )
        for _ in range(n_runs)
    )
    assert wrong / n_runs <= ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / n_runs)
    assert wrong / n_runs >= 0.02


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        compare([1.0, 2.0])
    with pytest.raises(ValueError, match="alpha"):
        welch_pairs(table(*four()), 1.5, scale="difference")


def test_geometric_means() -> None:
    row = compare([1.0, 2.0, 4.0, 1.0, 2.0, 4.0], [8.0, 2.0, 8.0, 2.0, 8.0, 2.0], scale="ratio")[0]
    assert log(row.estimate) == pytest.approx(log(2) - log(4))
