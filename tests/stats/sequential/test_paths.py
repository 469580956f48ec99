"""Tracks: the same as each test from the start, R's paths of one pair, and naive looks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import binomtest, norm, rankdata, skew, ttest_1samp, ttest_rel, wilcoxon
from scipy.stats import t as student

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.permutation.paired import student_t
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import friedman_test
from reportgen.stats.ranks.signed_rank import signed_rank_test
from reportgen.stats.sequential.paired_paths import signed_rank_path
from reportgen.stats.sequential.paths import (
    SequentialPath,
    block_f_path,
    corrected_t_path,
    friedman_path,
    paired_t_path,
    point_of_consecutive_significance,
    pseudo_median,
    sign_path,
)

Array = NDArray[np.float64]
GOLDEN = Path(__file__).parents[2] / "golden" / "sequential.json"
SAME = 1e-9  # running sums against sums from the start
AS_R = 1e-10  # the normal law in R, and its exact law
ALTERNATIVES = ["two-sided", "less", "greater"]
samples = arrays(np.float64, st.integers(2, 12), elements=st.integers(-3, 4))


@pytest.fixture(scope="module")
def pmid(reference: Path) -> tuple[Array, dict]:
    """Return the 250 differences rf - svm, and what R says of them."""
    values = np.loadtxt(reference / "data" / "pmid_rf_svm.csv", delimiter=",", skiprows=1)
    golden = json.loads((reference / "golden" / "sequential.json").read_text())
    return values, golden["sequential_pmid_rf_vs_svm"]


def by_normal_law(d: Array, alternative: str, zeros: str, correction: float = 0.5) -> float:
    """Return a p-value from the moments of the signed ranks, as R computes it."""
    kept = d if zeros == "pratt" else d[d != 0]
    ranks = rankdata(np.abs(kept))[kept != 0]
    if not len(ranks):
        return 1.0
    distance = ranks[kept[kept != 0] > 0].sum() - ranks.sum() / 2
    scale = ((ranks**2).sum() / 4) ** 0.5
    less = norm.cdf((distance + correction) / scale)
    greater = norm.sf((distance - correction) / scale)
    both = {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}
    return float(both[alternative])


def by_definition(d: Array, alternative: str) -> float:
    """Return the p-value that a path of signed ranks has to have."""
    if len(d) < 50 and len(set(np.abs(d))) == len(d) and d.all():
        return signed_rank_test(d, alternative).p_value  # type: ignore[arg-type]
    return by_normal_law(d, alternative, "pratt")


@pytest.mark.parametrize(
    ("name", "zeros", "correction"),
    [
        ("wilcox_less_exactF_correctT", "wilcoxon", 0.5),
        ("wilcox_less_exactF_correctF", "wilcoxon", 0.0),
        ("coin_pratt_less", "pratt", 0.0),
    ],
)
def test_moments_of_signed_ranks_as_in_r(pmid, name: str, zeros: str, correction: float) -> None:
    values, golden = pmid
    d = values[:, 0] - values[:, 1]
    found = [by_normal_law(d[:n], "less", zeros, correction) for n in golden["series"]["n"]]
    assert found == pytest.approx(golden["series"][name], rel=AS_R)


def test_signed_rank_track_from_the_start_and_its_point_as_in_r(pmid) -> None:
    values, golden = pmid
    d = values[:, 0] - values[:, 1]
    path = signed_rank_path(d, 2, "less")
    assert path.n.tolist() == golden["series"]["n"]
    expected = [by_definition(d[:n], "less") for n in path.n.tolist()]
    assert path.p_values == pytest.approx(expected, rel=SAME)
    points = golden["point_of_consecutive_significance"]
    assert point_of_consecutive_significance(path) == points["wilcox_less_default"] == 7


def test_friedman_track_as_in_r(pmid) -> None:
    values, golden = pmid
    path = friedman_path(values)
    expected = np.array(golden["series"]["friedman_2sided"])
    assert path.p_values == pytest.approx(expected, rel=AS_R)
    assert point_of_consecutive_significance(path) == 11


def test_stages_of_pmid_as_in_r(pmid) -> None:
    d = np.diff(pmid[0][:200], axis=1)[:, 0].reshape(4, 50) * -1
    found = np.array([by_normal_law(stage, "less", "wilcoxon") for stage in d])
    golden = json.loads(GOLDEN.read_text())
    assert found == pytest.approx(np.array(golden["pmid_rf_vs_svm_4_stages_of_50"]["p"]), rel=AS_R)


def test_stages_of_all_data_sets_as_in_r(reference: Path) -> None:
    """Stages of 50 replications, less those that failed; the pairs Diss 6.4 chose."""
    raw = pd.read_csv(reference / "data" / "uci621raw.csv", dtype={"value": str})
    raw = raw[raw["measure"] == "Misclassification"]
    raw["value"] = raw["value"].astype(object).map(float)  # to the last digit, in any pandas
    wide = raw.pivot(index=["dataset", "replication"], columns="algorithm", values="value")
    golden = json.loads(GOLDEN.read_text())
    for dataset, expected in golden["uci_6.4"].items():
        first, second = (wide.loc[dataset][name].to_numpy() for name in expected["leaders"])
        for stage, p in enumerate(expected["recursive"]["p"]):
            d = (first - second)[50 * stage : 50 * (stage + 1)]
            d = d[~np.isnan(d)]
            assert len(d) == expected["n_per_stage"][stage]
            assert by_normal_law(d, "less", "wilcoxon") == pytest.approx(p, rel=AS_R)


@given(samples, st.sampled_from(ALTERNATIVES))
def test_signed_ranks_with_ties_and_zeros_from_the_start(d: Array, alternative) -> None:
    path = signed_rank_path(d, 1, alternative)
    for n in range(1, len(d) + 1):
        once = signed_rank_test(d[:n])
        assert path.statistics[n - 1] == once.statistic
        expected = by_definition(d[:n], alternative)
        assert path.p_values[n - 1] == pytest.approx(expected, rel=SAME, abs=1e-12)
        total = once.expectation * 2
        effect = (2 * once.statistic - total) / total if total else 0
        assert path.effects[n - 1] == pytest.approx(effect, abs=1e-12)


def test_long_signed_rank_track_is_that_of_scipy() -> None:
    d = np.random.default_rng(3).normal(0.1, 1, 120)
    for alternative in ALTERNATIVES:
        path = signed_rank_path(d, 20, alternative)
        for n, method in ((20, "exact"), (49, "exact"), (50, "approx"), (120, "approx")):
            expected = wilcoxon(
                d[:n], correction=True, alternative=alternative, method=method
            ).pvalue
            assert path.p_values[n - path.n[0]] == pytest.approx(expected, rel=SAME)


@given(samples, st.sampled_from(ALTERNATIVES))
def test_t_and_sign_from_the_start(d: Array, alternative) -> None:
    signs, t = sign_path(d, 1, alternative), paired_t_path(d, 2, alternative)
    for n in range(2, len(d) + 1):
        wins, losses = int((d[:n] > 0).sum()), int((d[:n] < 0).sum())
        p = binomtest(wins, wins + losses, 0.5, alternative).pvalue if wins + losses else 1
        assert signs.p_values[n - 1] == pytest.approx(p, rel=SAME)
        assert signs.effects[n - 1] == pytest.approx((wins - losses) / n)
        once = student_t(d[:n])
        assert t.statistics[n - 2] == pytest.approx(once, rel=SAME, abs=SAME)
        assert t.effects[n - 2] == pytest.approx(d[:n].mean(), abs=SAME)


def test_t_and_f_of_scipy_and_the_block_model() -> None:
    values = np.random.default_rng(4).normal(size=(40, 3)) + 1e6
    t = paired_t_path(values[:, 0] - values[:, 1])
    f, ranks = block_f_path(values), within_block_ranks(values)
    rank_path = friedman_path(values)
    for n in (2, 7, 40):
        expected = ttest_rel(values[:n, 0], values[:n, 1])
        assert t.p_values[n - t.n[0]] == pytest.approx(expected.pvalue, rel=1e-7)
        once = fit_block_model(values[:n]).equality
        assert f.statistics[n - f.n[0]] == pytest.approx(once.statistic, rel=1e-7)
        assert f.p_values[n - f.n[0]] == pytest.approx(once.p_value, rel=1e-7)
        expected_rank = friedman_test(ranks[:n])
        assert rank_path.statistics[n - f.n[0]] == pytest.approx(expected_rank.statistic)
        assert rank_path.p_values[n - f.n[0]] == pytest.approx(expected_rank.p_value)
    assert f.effects[-1] < 1


def test_some_looks_are_those_of_the_whole_path() -> None:
    d, at = np.random.default_rng(8).normal(size=(3, 20)), np.array([4, 9, 20])
    for follow in (paired_t_path, sign_path, signed_rank_path):
        whole, some = follow(d, 2), follow(d, 2, at=at)
        assert some.n.tolist() == at.tolist()
        assert some.p_values == pytest.approx(whole.p_values[:, at - 2], rel=SAME)


def test_two_candidates_have_one_test() -> None:
    values = np.random.default_rng(5).normal(size=(30, 2))
    f, t = block_f_path(values), paired_t_path(values[:, 0] - values[:, 1])
    assert f.statistics == pytest.approx(t.statistics**2)
    assert f.p_values == pytest.approx(t.p_values)


def test_nothing_differs_and_always_the_same_difference() -> None:
    for path in (
        paired_t_path(np.zeros(5)),
        sign_path(np.zeros(5)),
        signed_rank_path(np.zeros(5)),
        block_f_path(np.ones((5, 3))),
        friedman_path(np.ones((5, 3))),
    ):
        assert (path.p_values == 1).all()
        assert (path.effects == 0).all()
    constant = paired_t_path(np.full(5, -0.1))
    assert np.isneginf(constant.statistics).all()
    assert (constant.p_values == 0).all()
    rows = np.arange(5.0)[:, None] + np.array([0.1, 0.7, 0.3])
    assert (block_f_path(rows).p_values == 0).all()


def test_leading_axes_are_rows_of_their_own() -> None:
    d = np.random.default_rng(6).integers(-3, 4, (2, 3, 15)).astype(float)
    whole, alone = signed_rank_path(d, 2), signed_rank_path(d[1, 2], 2)
    assert (whole.p_values[1, 2] == alone.p_values).all()
    assert (sign_path(d).p_values[0, 1] == sign_path(d[0, 1]).p_values).all()
    values = d.swapaxes(1, 2)
    assert block_f_path(values).statistics[1] == pytest.approx(block_f_path(values[1]).statistics)
    assert (friedman_path(values).statistics[0] == friedman_path(values[0]).statistics).all()


@pytest.mark.parametrize(
    ("name", "at_five", "at_ten"),
    [
        ("wilcox_less_exactF_correctT", 7, 6),
        ("wilcox_less_exactF_correctF", 7, 6),
        ("wilcox_less_default", 7, 6),
        ("coin_pratt_less", 7, 6),
        ("friedman_2sided", 11, 9),
    ],
)
def test_point_of_rs_own_p_values(name: str, at_five: int, at_ten: int) -> None:
    """R's p-values of the first 40 replications; at twice the level the points are others."""
    golden = json.loads(GOLDEN.read_text())["sequential_pmid_rf_vs_svm"]
    p = np.array(golden["series"][name])
    path = SequentialPath(np.array(golden["series"]["n"]), p, p, p)
    assert golden["point_of_consecutive_significance"][name] == at_five
    assert point_of_consecutive_significance(path) == at_five
    assert point_of_consecutive_significance(path, 0.1) == at_ten


@given(st.lists(st.sampled_from([0.01, 0.05, 0.06, 0.1, 0.2]), min_size=1, max_size=8))
def test_point_of_consecutive_significance(p: list[float]) -> None:
    path = SequentialPath(np.arange(4, 4 + len(p)), *(np.array([p, p]),) * 3)
    good = [b for b in range(len(p)) if all(q <= 0.05 for q in p[b:])]
    expected = 4 + good[0] if good else np.inf
    assert point_of_consecutive_significance(path).tolist() == [expected, expected]


def test_naive_looks_do_not_hold_the_level() -> None:
    d = np.random.default_rng(10).normal(size=(1500, 250))
    p = paired_t_path(d, burn_in=10).p_values
    assert (p.min(axis=1) <= 0.05).mean() == pytest.approx(0.38, abs=0.04)
    assert (p[:, -1] <= 0.05).mean() == pytest.approx(0.05, abs=0.017)


def test_errors() -> None:
    for wrong in (np.array([1.0, np.nan]), np.array(1.0)):
        with pytest.raises(ValueError, match="finite numbers"):
            sign_path(wrong)
    with pytest.raises(ValueError, match="burn-in must lie between 2 and 3"):
        paired_t_path(np.ones(3), 1)
    with pytest.raises(ValueError, match="burn-in"):
        signed_rank_path(np.ones(3), 4)
    with pytest.raises(ValueError, match="alternative"):
        sign_path(np.ones(3), 1, "up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two candidates"):
        friedman_path(np.ones((3, 1)))


def hall(d: Array) -> tuple[float, float]:
    """Return t* and its probability below, by scipy and Hall's (1992) formula, halved at most."""
    n, t = len(d), float(ttest_1samp(d, 0.0).statistic)
    k = float(skew(d, bias=False)) / (3 * n**0.5) if n >= 6 else 0.0
    if k * t < 0:
        moved = float(np.sign(t)) * (t + k * t**2 + k**2 * t**3 / 3 + k / 2)
        is_far = abs(k * t) >= (3 - 3**0.5) / 2
        size = abs(t) / 2 if is_far else min(abs(t), max(abs(t) / 2, moved))
        t = float(np.copysign(size, t))
    return t, float(student.cdf(t, n - 1))


@pytest.mark.parametrize("seed", range(4))
def test_corrected_t_from_the_start(seed: int) -> None:
    d = np.random.default_rng(seed).exponential(1.0, 40) - 0.8
    both = corrected_t_path(d, 4)
    less, greater = (corrected_t_path(d, 4, side) for side in ("less", "greater"))
    for place, n in enumerate(both.n.tolist()):
        star, below = hall(d[:n])
        assert both.statistics[place] == pytest.approx(star, rel=SAME, abs=SAME)
        assert less.p_values[place] == pytest.approx(below, rel=SAME)
        assert greater.p_values[place] == pytest.approx(1 - below, rel=SAME)
        assert both.p_values[place] == pytest.approx(2 * min(below, 1 - below), rel=SAME)
    plain = paired_t_path(d, 4)
    assert (np.abs(both.statistics) <= np.abs(plain.statistics) * (1 + SAME)).all()


def test_corrected_t_knows_no_units() -> None:
    d = np.random.default_rng(5).exponential(1.0, 30) - 0.8
    expected = corrected_t_path(d, 5)
    for factor in (2.0**-300, 2.0**300):
        found = corrected_t_path(d * factor, 5)
        assert found.p_values == pytest.approx(expected.p_values, rel=SAME)
        assert found.effects == pytest.approx(expected.effects * factor, rel=SAME)
    late = np.append(d, 1e95)
    assert corrected_t_path(late, 5).p_values[:-1] == pytest.approx(expected.p_values, rel=SAME)


@pytest.mark.parametrize(("value", "p"), [(0.0, [1.0, 1.0]), (-0.03, [0.25, 0.125])])
def test_corrected_t_of_what_never_varies_counts_signs(value: float, p: list[float]) -> None:
    d = np.full(4, value)
    assert corrected_t_path(d, 3).p_values.tolist() == p
    assert corrected_t_path(d, 3, "greater").p_values.tolist() == [1.0, 1.0]


def test_pseudo_median_by_brute_force() -> None:
    d = np.random.default_rng(6).exponential(1.0, 15)
    means = [(d[i] + d[j]) / 2 for i in range(15) for j in range(i, 15)]
    assert pseudo_median(d) == pytest.approx(np.median(means))


@pytest.mark.parametrize("size", [1e80, 1e95, 1e-80])
def test_one_huge_value_and_any_unit_leave_the_f_test_a_p_value(size: float) -> None:
    values = np.random.default_rng(2).normal(size=(12, 3)) + 20
    with_one = values.copy()
    with_one[4, 2] = size
    assert np.isfinite(block_f_path(with_one, 5).p_values).all()
    usual, other = block_f_path(values, 5), block_f_path(size * values, 5)
    np.testing.assert_allclose(other.p_values, usual.p_values, rtol=1e-6)  # digits of the unit
