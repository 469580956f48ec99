"""Paired proportions, against the papers, brute force and second algorithms."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtri

from reportgen.stats.pairs.proportions import (
    PairedCounts,
    is_binary,
    mcnemar_tests,
    newcombe_interval,
    paired_counts,
    score_interval,
    score_test,
)

ROUNDED = 5e-4  # published with three decimals
CLOSE = 1e-10  # absolute: a bisection against roots of a quartic
SEARCHED = 2e-6  # absolute: a likelihood maximised numerically, to half of the digits
TABLES = [(0, 1, 44), (12, 2, 50), (5, 0, 41), (40, 20, 160), (6, 16, 161), (3, 3, 9), (7, 7, 14)]
EXTREME = [(10, 0, 10), (0, 10, 10), (0, 0, 30), (9, 1, 10)]


def array(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=float)


def counts_of(a: int, b: int, c: int, d: int) -> PairedCounts:
    return PairedCounts(*(array(x) for x in (a, b, c, d)))


# ------------------------------------------------------------------------------ the papers


def test_airway_reactivity() -> None:
    """Bentur's children, Fagerland et al. (2013, 2014): 1, 1, 7, 12."""
    _, p = score_test(array(1), array(7))
    exact, mid = mcnemar_tests(array(1), array(7))
    np.testing.assert_allclose([p[0], exact[0], mid[0]], [0.034, 0.070, 0.039], atol=ROUNDED)
    np.testing.assert_allclose(
        np.ravel(score_interval(array(1), array(7), array(21), 0.05)),
        [-0.517, -0.026],
        atol=ROUNDED,
    )
    np.testing.assert_allclose(
        np.ravel(newcombe_interval(counts_of(1, 1, 7, 12), 0.05)), [-0.507, -0.026], atol=ROUNDED
    )


def test_complete_response() -> None:
    """Cavo's patients, Fagerland et al. (2013): 59, 6, 16, 80."""
    _, p = score_test(array(6), array(16))
    exact, mid = mcnemar_tests(array(6), array(16))
    np.testing.assert_allclose([p[0], exact[0], mid[0]], [0.033, 0.053, 0.035], atol=6e-4)
    np.testing.assert_allclose(
        np.ravel(newcombe_interval(counts_of(59, 6, 16, 80), 0.05)), [-0.1186, -0.0046], atol=5e-5
    )


def test_newcombe_and_altman() -> None:
    """Newcombe (1998), example (a); Altman et al. (2000), table 6.2."""
    found = newcombe_interval(counts_of(20, 12, 2, 16), 0.05)
    np.testing.assert_allclose(np.ravel(found), [0.0562, 0.3292], atol=5e-5)
    found = newcombe_interval(counts_of(14, 5, 0, 22), 0.05)
    np.testing.assert_allclose(np.ravel(found), [0.011, 0.226], atol=6e-4)


# ----------------------------------------------------------------------------- brute force


def likelihood_score(b: int, c: int, n: int, difference: float) -> float:
    """Return the score statistic with the likelihood maximised numerically given a difference."""

    def loss(q: float) -> float:
        cells = (q + difference, q, 1 - 2 * q - difference)
        counts = (b, c, n - b - c)
        return -sum(k * np.log(max(x, 1e-300)) for k, x in zip(counts, cells, strict=True) if k)

    low, high = max(0.0, -difference), (1 - difference) / 2
    q = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    best = min((loss(x), x) for x in (q, low, high))[1]
    variance = n * (2 * best + difference - difference**2)
    return (b - c - n * difference) / variance**0.5


@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize(("b", "c", "n"), [*TABLES, *EXTREME])
def test_interval_inverts_the_score_test(b: int, c: int, n: int, alpha: float) -> None:
    z, estimate, tiny = -ndtri(alpha / 2), (b - c) / n, 1e-9
    found = np.ravel(score_interval(array(b), array(c), array(n), alpha))
    for limit, end, side in zip(found, (-1, 1), (1, -1), strict=True):
        if estimate == end:
            assert limit == pytest.approx(end, abs=CLOSE)
            continue
        root = brentq(
            lambda x, s=side: likelihood_score(b, c, n, x) - s * z,
            estimate + (end - estimate) * tiny,
            estimate + (end - estimate) * (1 - tiny),
            xtol=1e-12,
        )
        assert limit == pytest.approx(root, abs=SEARCHED)


@pytest.mark.parametrize(("b", "c", "n"), TABLES)
def test_interval_is_a_root_of_the_quartic(b: int, c: int, n: int) -> None:
    """Yang, Sun and Hardin (2013) give the limits as two roots of a polynomial."""
    g, r, d = ndtri(0.025) ** 2, n / ndtri(0.025) ** 2, b - c
    quartic = [
        n**2 * (r + 1) ** 2,
        -n * d * (r + 1) * (4 * r + 1),
        2 * n * d**2 * (3 * r + 2) / g - n**2 * ((b + c) / g + 1),
        n * d * (2 * (b + c) / g + 1) - d**3 * (4 * r + 1) / g,
        d**2 * (d**2 / g - (b + c)) / g,
    ]
    roots = np.roots(quartic)
    real = roots[np.abs(roots.imag) < 1e-7].real
    for limit in np.ravel(score_interval(array(b), array(c), array(n), 0.05)):
        assert np.abs(real - limit).min() < (CLOSE if b != c else 1e-7)  # 0 is a double root


def test_interval_excludes_zero_where_the_score_test_rejects() -> None:
    b, c, rest = (x.ravel().astype(float) for x in np.meshgrid(*[np.arange(31)] * 2, [0, 5, 900]))
    n = b + c + rest
    for alpha in (0.05, 0.01, 0.05 / 45):
        lower, upper = score_interval(b, c, n, alpha)
        _, p = score_test(b, c)
        known = n > 0
        excludes = (lower > 0) | (upper < 0)
        np.testing.assert_array_equal(excludes[known], (p < alpha)[known])
        estimate = ((b - c) / np.maximum(n, 1))[known]
        assert (lower[known] <= estimate).all()
        assert (estimate <= upper[known]).all()
    assert np.isnan(lower[~known]).all()


def test_limits_change_places_with_the_candidates() -> None:
    b, c, n = array(12, 0, 40), array(2, 9, 20), array(50, 30, 160)
    lower, upper = score_interval(b, c, n, 0.05)
    turned = score_interval(c, b, n, 0.05)
    np.testing.assert_allclose(turned, (-upper, -lower), atol=1e-15)


def test_mcnemar_counts_tails() -> None:
    for b, c in product(range(12), repeat=2):
        n = b + c
        chances = [comb(n, k) / 2**n for k in range(n + 1)]
        tail = sum(chances[: min(b, c) + 1])
        exact, mid = (float(x[0]) for x in mcnemar_tests(array(b), array(c)))
        assert exact == pytest.approx(min(1.0, 2 * tail), rel=1e-12)
        expected = 2 * tail - chances[min(b, c)] if b != c else 1 - chances[b] / 2
        assert mid == pytest.approx(expected if n else 1.0, rel=1e-12)


def test_newcombe_without_margins() -> None:
    for table in ((30, 0, 0, 0), (0, 0, 0, 30), (0, 5, 0, 0), (15, 0, 0, 15)):
        lower, upper = newcombe_interval(counts_of(*table), 0.05)
        assert -1 <= lower[0] <= counts_of(*table).estimate[0] <= upper[0] <= 1
    assert np.isnan(newcombe_interval(counts_of(0, 0, 0, 0), 0.05)[0]).all()


# ---------------------------------------------------------------------------------- counts


def test_counts_are_counted() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2, (60, 4)).astype(float)
    values[rng.random((60, 4)) < 0.2] = np.nan
    found = paired_counts(values)
    places = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for p, (i, j) in enumerate(places):
        rows = [(x, y) for x, y in values[:, [i, j]].tolist() if x == x and y == y]
        expected = [rows.count(cell) for cell in ((1, 1), (1, 0), (0, 1), (0, 0))]
        got = [float(x[p]) for x in (found.both, found.first, found.second, found.neither)]
        assert got == expected
        assert found.n[p] == len(rows)
    assert is_binary(values)
    with pytest.raises(ValueError, match="0, 1 or NaN"):
        paired_counts(values / 2)


@pytest.mark.parametrize(
    ("b", "c", "n", "alpha", "expected", "printed"),
    [
        (28, 25, 618, 0.10, (-0.0148, 0.0247), 5e-5),
        (1, 7, 21, 0.05, (-0.517, -0.026), 5e-4),
        (0, 1, 44, 0.10, (-0.096, 0.037), 5e-4),
    ],
)
def test_tango_as_printed(
    b: int, c: int, n: int, alpha: float, expected: tuple[float, float], printed: float
) -> None:
    """PropCIs of R; Fagerland et al. (2014); soft contact lenses of Tango (1998). Half a digit."""
    lower, upper = score_interval(np.array([b]), np.array([c]), np.array([n]), alpha)
    assert (lower[0], upper[0]) == pytest.approx(expected, abs=printed)
