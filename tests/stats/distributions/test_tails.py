"""Log tail probabilities against closed forms and where both methods apply."""

from __future__ import annotations

from itertools import pairwise
from math import inf, log, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtrc, fdtrc

from reportgen.stats.distributions import tails
from reportgen.stats.distributions.tails import (
    log_chi2_survival,
    log_f_survival,
    probability,
    t_quantile,
)

RELATIVE = 1e-11  # of a logarithm: both methods evaluate lgamma of up to some thousands
ABSOLUTE = 1e-12  # of a logarithm near 0: the probability itself is rounded


@given(st.floats(0, 1e6))
def test_two_df_are_exponential(x: float) -> None:
    assert log_chi2_survival(x, 2) == pytest.approx(-x / 2, rel=RELATIVE, abs=1e-15)


@given(st.floats(0, 1e200), st.floats(1, 1e4))
def test_f_with_two_numerator_df_is_a_power(f: float, df2: float) -> None:
    expected = -df2 / 2 * log1p(2 * f / df2)
    assert log_f_survival(f, 2, df2) == pytest.approx(expected, rel=RELATIVE, abs=ABSOLUTE)


@pytest.mark.parametrize("df", [1, 3, 5, 29, 400])
def test_continued_fraction_of_chi2_meets_the_number(
    df: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = df + 200.0
    monkeypatch.setattr(tails, "SAFE", inf)
    assert log_chi2_survival(x, df) == pytest.approx(log(chdtrc(df, x)), rel=RELATIVE)


@pytest.mark.parametrize(("df1", "df2"), [(1, 9), (5, 1245), (29, 300), (3, 10_000)])
def test_continued_fraction_of_f_meets_the_number(
    df1: int, df2: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "SAFE", inf)
    assert log_f_survival(12.0, df1, df2) == pytest.approx(log(fdtrc(df1, df2, 12.0)), rel=RELATIVE)


def test_logarithm_goes_on_where_the_number_underflows() -> None:
    values = (1200.0, 1300.0, 1400.0, 1500.0)
    falls = [log_chi2_survival(a, 5) - log_chi2_survival(b, 5) for a, b in pairwise(values)]
    assert chdtrc(5, 1500.0) == 0
    # -d log Q / dx tends to 1/2 - (df/2 - 1)/x
    expected = [50 - 1.5 * log(b / a) for a, b in pairwise(values)]
    assert falls == pytest.approx(expected, abs=0.001)


def test_golden(monks3: dict) -> None:
    friedman = monks3["friedman"]["stats_friedman.test"]
    found = log_chi2_survival(friedman["statistic"], friedman["df"]) / log(10)
    assert found == pytest.approx(friedman["log10_p"], rel=1e-12)
    anova = monks3["anova"]["lmerTest_satterthwaite"]
    found = probability(log_f_survival(anova["F"], anova["NumDF"], anova["DenDF"]))
    assert found == pytest.approx(anova["p"], rel=1e-9)


def test_ends() -> None:
    assert log_chi2_survival(0.0, 3) == 0
    assert log_f_survival(0.0, 3, 4) == 0
    assert log_chi2_survival(inf, 3) == log_f_survival(inf, 3, 4) == -inf
    assert probability(-inf) == 0


def test_errors() -> None:
    with pytest.raises(ValueError, match="negative"):
        log_chi2_survival(-1.0, 3)
    with pytest.raises(ValueError, match="positive"):
        log_f_survival(1.0, 0, 3)


@pytest.mark.parametrize("df", [3.0, 249.0, inf])
def test_a_quantile_of_many_equal_degrees_of_freedom_is_that_of_one(df: float) -> None:
    many, apart = np.full(7, df), np.array([df] * 7 + [5.0])
    assert t_quantile(0.01, many).tolist() == t_quantile(0.01, apart).tolist()[:7]
