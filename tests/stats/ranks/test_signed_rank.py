"""Wilcoxon's signed rank test: tables, enumeration with ties and zeros, scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from reportgen.stats.ranks import signed_rank as own
from reportgen.stats.ranks.signed_rank import signed_rank_test, signed_ranks

Array = NDArray[np.float64]
EXACT = 1e-12  # sums of binary fractions
samples = arrays(np.float64, st.integers(1, 9), elements=st.integers(-3, 4))


@pytest.mark.parametrize(
    ("n", "critical", "p"),
    [  # P(T+ <= critical) as printed in Hollander, Wolfe and Chicken, table A.4
        (5, 0, 0.031),
        (8, 5, 0.039),
        (10, 10, 0.042),
        (15, 30, 0.047),
    ],
)
def test_table(n: int, critical: int, p: float) -> None:
    ranks = np.arange(1.0, n + 1)
    signs, rest = -np.ones(n), critical
    for k in range(n, 0, -1):
        if k <= rest:
            signs[k - 1], rest = 1, rest - k
    found = signed_rank_test(ranks * signs, "less")
    assert found.statistic == critical
    assert found.p_value == pytest.approx(p, abs=0.0006)


def by_enumeration(differences: Array, zeros: str) -> tuple[float, Array]:
    """Return the statistic and its values under all signs."""
    d = differences if zeros == "pratt" else differences[differences != 0]
    ranks = rankdata(np.abs(d))[d != 0]
    signs = np.array(list(product((0, 1), repeat=len(ranks)))).reshape(2 ** len(ranks), -1)
    return float(ranks[d[d != 0] > 0].sum()), signs @ ranks


@given(samples, st.sampled_from(["pratt", "wilcoxon"]))
def test_enumeration_with_ties_and_zeros(d: Array, zeros) -> None:
    observed, law = by_enumeration(d, zeros)
    lower, upper = (law <= observed + 1e-9).mean(), (law >= observed - 1e-9).mean()
    expected = {"less": lower, "greater": upper, "two-sided": min(1, 2 * min(lower, upper))}
    for alternative, p in expected.items():
        found = signed_rank_test(d, alternative, zeros)  # type: ignore[arg-type]
        assert found.p_value == pytest.approx(p, abs=EXACT)
        assert found.statistic == observed
        assert found.is_exact
    assert found.expectation == pytest.approx(law.mean(), abs=EXACT)
    assert found.variance == pytest.approx(law.var(), abs=1e-9)
    assert found.n_zeros == (d == 0).sum()


@given(samples, st.sampled_from(["pratt", "wilcoxon"]))
def test_direction_and_growing_functions(d: Array, zeros) -> None:
    p = signed_rank_test(d, zeros=zeros).p_value
    assert signed_rank_test(-d, zeros=zeros).p_value == pytest.approx(p, abs=EXACT)
    assert signed_rank_test(d**3, zeros=zeros).p_value == pytest.approx(p, abs=EXACT)
    assert signed_rank_test(-d, "less", zeros).p_value == pytest.approx(
        signed_rank_test(d, "greater", zeros).p_value, abs=EXACT
    )


@pytest.mark.parametrize("n", [12, 60, 250])
def test_scipy_agrees_without_ties(n: int) -> None:
    d = np.random.default_rng(n).normal(size=n) + 0.1
    for alternative in ("two-sided", "less", "greater"):
        expected = wilcoxon(d, method="exact", alternative=alternative).pvalue
        found = signed_rank_test(d, alternative)  # type: ignore[arg-type]
        assert found.p_value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("zeros", ["pratt", "wilcoxon"])
def test_normal_law_is_that_of_scipy(zeros, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "EXACT_UP_TO", 0)
    d = np.round(np.random.default_rng(2).normal(size=80) * 4 + 0.5)
    zero_method = {"pratt": "pratt", "wilcoxon": "wilcox"}[zeros]
    expected = wilcoxon(d, zero_method=zero_method, method="approx", correction=False)
    found = signed_rank_test(d, zeros=zeros)
    assert not found.is_exact
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_normal_law_joins_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    for shift in (0.0, 0.5, 2.0):
        d = np.round(rng.normal(size=300) * 20 + shift)
        exact = signed_rank_test(d)
        monkeypatch.setattr(own, "EXACT_UP_TO", 0)
        assert signed_rank_test(d).p_value == pytest.approx(exact.p_value, abs=3e-3)
        monkeypatch.undo()
    assert exact.is_exact
    assert not signed_rank_test(np.ones(301)).is_exact


def test_far_tail_is_exact() -> None:
    assert signed_rank_test(np.ones(250)).p_value == pytest.approx(2.0**-249, rel=1e-12)


@pytest.mark.parametrize("zeros", ["pratt", "wilcoxon"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_many_rows_are_as_each_alone(zeros, alternative) -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(0.3, 1, (40, 12))
    rows[10:30] = np.rint(2 * rows[10:30])  # ties and zeros
    rows[30] = 0.0
    found = signed_ranks(rows, alternative, zeros)
    for row, test in zip(rows, found, strict=True):
        d = row[row != 0] if zeros == "wilcoxon" else row
        ranks = np.array([(np.abs(d) < x).sum() + ((np.abs(d) == x).sum() + 1) / 2
                          for x in np.abs(d)])[d != 0]  # fmt: skip
        signs = np.array([*product((0, 1), repeat=len(ranks))]).reshape(2 ** len(ranks), -1)
        sums = signs @ ranks if len(ranks) else np.zeros(1)
        w = ranks[d[d != 0] > 0].sum()
        tails = {"less": (sums <= w).mean(), "greater": (sums >= w).mean()}
        expected = min(1.0, 2 * min(tails.values()))
        expected = tails.get(alternative, expected)
        assert test.statistic == w
        assert test.p_value == pytest.approx(expected, abs=EXACT)
        assert test.n_zeros == (row == 0).sum()


def test_rows_a_few_at_a_time_are_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(3).integers(-3, 4, size=(7, 5)).astype(float)
    sizes = np.abs(differences) + 1
    whole = signed_ranks(differences, sizes=sizes)
    monkeypatch.setattr(own, "AT_ONCE", 10)  # two rows
    assert signed_ranks(differences, sizes=sizes) == whole


def test_all_zero_and_one_difference() -> None:
    nothing = signed_rank_test(np.zeros(4))
    assert (nothing.p_value, nothing.z, nothing.n_zeros) == (1, 0, 4)
    assert signed_rank_test(np.zeros(4), "less", "wilcoxon").p_value == 1
    assert signed_rank_test(np.array([2.0]), "greater").p_value == 0.5


def test_errors() -> None:
    for wrong in ([], [np.nan, 1.0], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="finite numbers"):
            signed_rank_test(np.array(wrong))
    with pytest.raises(ValueError, match="zeros"):
        signed_rank_test(np.ones(3), zeros="split")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alternative"):
        signed_rank_test(np.ones(3), "up")  # type: ignore[arg-type]
