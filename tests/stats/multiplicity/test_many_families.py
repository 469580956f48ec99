"""One adjustment over families: against second algorithms, and its error by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from reportgen.stats.multiplicity.stepdown import PairFamily, bonferroni_value, holm, holm_over_all

EXACT = 1e-12  # relative: the same laws by another road


def test_all_families_are_one_for_holms_method() -> None:
    rng = np.random.default_rng(5)
    families = [
        PairFamily(rng.normal(scale=3, size=6), np.full(6, 27.5)),
        PairFamily(rng.normal(scale=3, size=3), np.full(3, np.inf)),
        PairFamily(np.array([0.0]), np.array([4.0])),
    ]
    alone = [
        2 * t.sf(np.abs(families[0].statistics), 27.5),
        2 * norm.sf(np.abs(families[1].statistics)),
        np.ones(1),
    ]
    expected = holm(np.concatenate(alone))
    found = holm_over_all(families)
    assert [len(p) for p in found] == [6, 3, 1]
    np.testing.assert_allclose(np.concatenate(found), expected, rtol=EXACT)
    assert holm_over_all([]) == ()


@pytest.mark.parametrize("df", [3.7, 1245.0, np.inf])
def test_an_interval_excludes_0_exactly_when_bonferronis_p_says_so(df: float) -> None:
    critical = bonferroni_value(315, df, 0.05)
    law = norm if np.isinf(df) else t(df)
    assert 315 * 2 * law.sf(critical) == pytest.approx(0.05, rel=1e-9)
    just_above = PairFamily(np.array([critical * 1.0001] + [0.0] * 314), np.full(315, df))
    just_below = PairFamily(np.array([critical * 0.9999] + [0.0] * 314), np.full(315, df))
    assert holm_over_all([just_above])[0][0] < 0.05 < holm_over_all([just_below])[0][0]


@pytest.mark.parametrize(("n_pairs", "alpha"), [(0, 0.05), (3, 0.0), (3, 1.0)])
def test_what_has_no_critical_value(n_pairs: int, alpha: float) -> None:
    with pytest.raises(ValueError, match="no critical value"):
        bonferroni_value(n_pairs, 10, alpha)


def test_the_error_over_all_families_is_held_where_some_differ() -> None:
    """Two families of ten, 8 with a clear difference: errors among the other 12."""
    n_runs, n_errors, n_naive = 2000, 0, 0
    shift = np.where(np.arange(20) < 8, 4.0, 0.0)
    values = np.random.default_rng(3).normal(size=(n_runs, 15, 20)) + shift
    statistics = values.mean(axis=1) / (values.std(axis=1, ddof=1) / 15**0.5)
    for row in statistics:
        families = [PairFamily(half, np.full(10, 14.0)) for half in np.split(row, 2)]
        adjusted = np.concatenate(holm_over_all(families))
        n_errors += bool((adjusted[8:] <= 0.05).any())
        n_naive += bool((families[1].p_values <= 0.05).any())
    # the 8 are found in nearly every run: 12 remain at .05 / 12 each, 1 - (1 - .05/12)^12 = .049
    assert n_errors / n_runs == pytest.approx(0.049, abs=4 * (0.049 * 0.951 / n_runs) ** 0.5)
    assert n_naive / n_runs > 0.35
