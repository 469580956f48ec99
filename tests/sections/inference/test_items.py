"""Verdicts on items and on samples: the rule that the values ask for, and families of a study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest, norm

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.pairs.proportions import mid_p_level, score_interval

EXACT = 1e-12  # the same formula


def answers(tasks: tuple[str, ...] = ("t", "u"), *, n: int = 80, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (task, f"q{i}", name, float(rng.random() < chance))
        for task in tasks
        for i in range(n)
        for name, chance in (("anna", 0.85), ("bert", 0.6), ("cara", 0.55))
    ]
    return pd.DataFrame(rows, columns=["dataset", "item", "candidate", "accuracy"])


def counts_of(frame: pd.DataFrame, task: str, first: str, second: str) -> tuple[int, int, int]:
    own = frame[frame["dataset"] == task]
    wide = own.pivot_table(index="item", columns="candidate", values="accuracy")
    a, b = wide[first], wide[second]
    return int((a > b).sum()), int((a < b).sum()), len(wide)


def verdicts(study: BenchmarkStudy, task: str) -> pd.DataFrame:
    return study.pairs(dataset=task)


def test_shares_are_compared_by_the_score_interval() -> None:
    frame = answers()
    found = verdicts(reportgen.compare(frame), "t")
    assert set(found["method"]) == {"score"}
    for _, pair in found.iterrows():
        b, c, n = counts_of(frame, "t", pair["first"], pair["second"])
        level = mid_p_level(*map(np.array, ([b], [c])), 0.05 / 3)
        lower, upper = score_interval(*map(np.array, ([b], [c], [n])), level)
        assert (pair["lower"], pair["upper"]) == pytest.approx((lower[0], upper[0]), abs=EXACT)
        assert (pair["wins"], pair["losses"]) == (b, c)


def test_a_family_of_the_study_has_the_same_interval_at_its_level() -> None:
    """Two tasks of three pairs each: alpha over six."""
    frame = answers()
    found = verdicts(reportgen.compare(frame, family="study"), "u")
    for _, pair in found.iterrows():
        b, c, n = counts_of(frame, "u", pair["first"], pair["second"])
        level = mid_p_level(*map(np.array, ([b], [c])), 0.05 / 6)
        lower, upper = score_interval(*map(np.array, ([b], [c], [n])), level)
        assert (pair["lower"], pair["upper"]) == pytest.approx((lower[0], upper[0]), abs=EXACT)
        mid = 2 * binom.cdf(min(b, c), b + c, 0.5) - binom.pmf(b, b + c, 0.5)
        chance = max(mid, 2 * (1 - normal(abs(b - c) / np.sqrt(b + c))))
        assert pair["adjusted_p_value"] == pytest.approx(min(1.0, 6 * chance), abs=1e-9)


def normal(x: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(x))


def test_mcnemar_stands_beside_and_decides_nothing() -> None:
    frame = answers(("t",))
    study = reportgen.compare(frame)
    found = study._runner.results("inference")["t"]["accuracy"]
    assert list(found.methods) == ["mcnemar", "mcnemar-mid-p"]
    exact = found.methods["mcnemar"].pairs
    chances = []
    for i, j in zip(exact.first, exact.second, strict=True):
        b, c, _ = counts_of(frame, "t", exact.candidates[i], exact.candidates[j])
        chances.append(binomtest(b, b + c).pvalue)
    assert exact.adjusted_p_value == pytest.approx(holm(np.array(chances)), abs=1e-12)
    assert found.friedman is None
    assert found.mixed_model is None


def test_clusters_are_compared_over_clusters() -> None:
    frame = answers(("t",), n=90)
    frame["cluster"] = "d" + (frame["item"].str[1:].astype(int) // 3).astype(str)
    found = verdicts(reportgen.compare(frame), "t")
    assert set(found["method"]) == {"cluster-robust"}
    assert set(found["n_clusters"]) == {30}
    own = frame.pivot_table(index=["cluster", "item"], columns="candidate", values="accuracy")
    means = (own["anna"] - own["bert"]).groupby(level="cluster").mean()  # clusters of one size
    pair = found[(found["first"] == "anna") & (found["second"] == "bert")].iloc[0]
    assert pair["estimate"] == pytest.approx(means.mean(), abs=EXACT)
    assert pair["standard_error"] == pytest.approx(means.std() / np.sqrt(30), abs=EXACT)
    assert pair["df"] == pytest.approx(29)


def test_items_that_hardly_differ_have_an_interval() -> None:
    frame = answers(("t",), n=40)
    own = frame["candidate"] == "cara"
    frame.loc[own, "accuracy"] = frame.loc[frame["candidate"] == "bert", "accuracy"].to_numpy()
    at = frame.index[own][:3]
    frame.loc[at, "accuracy"] = 1 - frame.loc[at, "accuracy"]
    found = verdicts(reportgen.compare(frame), "t")
    pair = found[(found["first"] == "bert") & (found["second"] == "cara")].iloc[0]
    assert pair["n_nonzero"] == 3
    assert pair["lower"] < pair["estimate"] < pair["upper"]
    assert pair["decision"] == "undecided"


def test_samples_of_a_study_family_are_wider() -> None:
    rng = np.random.default_rng(5)
    rows = [
        (task, name, x)
        for task in ("s", "t")
        for name, scale in (("anna", 1.0), ("bert", 1.3))
        for x in scale * rng.lognormal(0, 0.1, 20)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "candidate", "time"])
    alone, together = (
        verdicts(reportgen.compare(frame, unit="sample", better="smaller", family=family), "s")
        for family in ("dataset-measure", "study")
    )
    assert set(alone["method"]) == {"welch"}
    assert (together["lower"].to_numpy() < alone["lower"].to_numpy()).all()
    assert (together["upper"].to_numpy() > alone["upper"].to_numpy()).all()
    p_values = np.minimum(1.0, 2 * alone["p_value"].to_numpy())
    assert together["adjusted_p_value"].to_numpy() == pytest.approx(p_values, rel=EXACT)


def test_samples_are_ordered_by_their_verdict_and_miss_nothing() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (test, name, speed * x)
        for test in ("parse", "render")
        for name, speed in (("old", 1.0), ("fork", 1.0), ("new", 0.8))
        for x in rng.lognormal(0, 0.1, 30)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "candidate", "time"])
    study = reportgen.compare(frame, unit="sample", better="smaller")
    domain = study.result("domain")
    assert domain.n_missing == 0
    orders = [[sorted(group) for group in row.chain] for row in domain.rows]
    assert orders == [[["new"], ["fork", "old"]]] * 2


def test_gaps_are_held_against_claims_at_the_level_of_the_study() -> None:
    """The limit with gaps takes the critical value of the six pairs of two tasks."""
    frame = answers()
    frame = frame[(frame["candidate"] != "anna") | (frame["item"] > "q2")]
    study = reportgen.compare(frame, family="study")
    found = study._runner.results("inference")["t"]["accuracy"].pairs
    critical = norm.isf(0.05 / 12)
    assert found.critical_value == pytest.approx(np.full(3, critical), abs=EXACT)
    row = found.names.index("anna")
    assert (found.first[0], found.second[0]) == (row, found.names.index("bert"))
    mean, error = found.adverse.mean[0, 0], found.adverse.error[0, 0]
    assert found.extra["adverse_first"][0] == pytest.approx(mean - critical * error, abs=EXACT)
