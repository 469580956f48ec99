"""Two to five data sets: the target, on how many it is shown, and where it is reversed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_ind

import reportgen
from reportgen.performance_measure import Measure
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values, judged, report_of, tell
from tests.sections.reading import ERROR, TIME, faults, read

verdicts_of = partial(judged, is_modelled=False)
EXACT = 1e-9  # closed forms in another order of summation
MAIN = "misclassification"
TWO, THREE = ("c0", "c1"), ("anna", "bert", "cara")
N = 30  # replications
BOOTSTRAP = {"scheme": "bootstrap"}


def few(levels: list[list[float]], seed: int = 1, sd: float = 0.03, **more: object) -> Warehouse:
    """Return data sets with these candidates' means."""
    return warehouse_of({ERROR: draw_values(seed, levels, N, sd)}, TWO, **more)


def by_bootstrap(levels: list[list[float]], **more: object) -> Warehouse:
    """Return the same from bootstrap samples of 100 observations each."""
    facts = {f"d{m}": {"n_observations": 100} for m in range(len(levels))}
    return few(levels, problem="real-world", resampling=BOOTSTRAP, facts=facts, **more)


def test_five_that_agree_decide_together_and_say_on_how_many():
    levels = [[0.24 + m / 100, 0.29 + m / 100] for m in range(5)]
    warehouse = few(levels)
    found = verdicts_of(warehouse).verdict[MAIN]
    assert (found.method, found.target) == ("sources", "conditional")
    (pair,) = found.pairs
    d = np.array([(v[:, 0] - v[:, 1]) for v in _values(warehouse)])
    v = d.var(axis=1, ddof=1) / N
    variance = v.sum() / 25
    nu = variance**2 / ((v / 25) ** 2 / (N - 1)).sum()
    half = t.isf(0.025, nu) * variance**0.5
    mean = d.mean()
    assert (pair.estimate, pair.df) == pytest.approx((mean, nu), abs=EXACT)
    assert (pair.lower, pair.upper) == pytest.approx((mean - half, mean + half), abs=1e-8)
    assert (pair.decision, pair.n_shown, pair.n_reversed) == ("better", 5, 0)
    assert found.leaders == ("c0",)
    assert found.influence is None


def measured(samples: list[tuple[np.ndarray, np.ndarray]]) -> Warehouse:
    """Return the measurements of two candidates on data sets, none of which another one shares."""
    cubes = {}
    for m, own in enumerate(samples):
        cubes[f"d{m}"] = np.full((max(map(len, own)), 2), np.nan)
        for k, values in enumerate(own):
            cubes[f"d{m}"][: len(values), k] = values
    return warehouse_of({TIME: cubes}, TWO, facts={d: {"unit": "sample"} for d in cubes})


def test_measurements_are_compared_by_the_errors_of_both():
    rng = np.random.default_rng(8)
    samples = [(rng.lognormal(m, 0.05, 12), 1.1 * rng.lognormal(m, 0.08, 9)) for m in range(3)]
    verdict = verdicts_of(measured(samples)).verdict["fit-time"]
    assert (verdict.method, verdict.target) == ("sources", "this-session")
    assert verdict.deciding_target == "session"
    (pair,) = verdict.pairs
    logs = [(np.log(a), np.log(b)) for a, b in samples]
    welch = [ttest_ind(a, b, equal_var=False) for a, b in logs]
    d = np.array([a.mean() - b.mean() for a, b in logs])
    v = np.array([a.var(ddof=1) / 12 + b.var(ddof=1) / 9 for a, b in logs]) / 9
    nu = v.sum() ** 2 / sum(v**2 / [found.df for found in welch])
    half = t.isf(0.025, nu) * v.sum() ** 0.5
    assert pair.df == pytest.approx(nu, abs=EXACT)
    assert np.log([pair.estimate, pair.lower, pair.upper]) == pytest.approx(
        [d.mean(), d.mean() - half, d.mean() + half], abs=1e-8
    )
    assert pair.favoured == "c0"


def test_a_mean_alone_has_the_error_of_each_data_set_too():
    rng = np.random.default_rng(8)
    levels = [[0.24, 0.29], [0.44, 0.49]]
    samples = [(rng.lognormal(m, 0.05, 12), 1.1 * rng.lognormal(m, 0.08, 9)) for m in range(3)]
    blocks = [v[:, 0] for v in _values(few(levels))]
    logs = [np.log(a) for a, _ in samples]
    for warehouse, name, own, back in (
        (few(levels), MAIN, blocks, np.asarray),
        (measured(samples), "fit-time", logs, np.exp),
    ):
        v = np.array([x.var(ddof=1) / len(x) for x in own]) / len(own) ** 2
        nu = v.sum() ** 2 / sum(v**2 / np.array([len(x) - 1 for x in own]))
        half, mean = t.isf(0.025, nu) * v.sum() ** 0.5, np.mean([x.mean() for x in own])
        found = verdicts_of(warehouse).verdict[name].intervals["c0"]
        assert found == pytest.approx(back([mean - half, mean + half]), rel=1e-8)


def test_a_mean_alone_of_single_values_has_the_spread_over_data_sets():
    values = {f"d{m}": np.array([[0.2 + m / 10, 0.3 + m / 9]]) for m in range(3)}
    found = verdicts_of(warehouse_of({ERROR: values}, TWO)).verdict[MAIN]
    own = np.array([0.2, 0.3, 0.4])
    half = t.isf(0.025, 2) * own.std(ddof=1) / 3**0.5  # no skewness
    assert found.intervals["c0"] == pytest.approx(
        (max(0, own.mean() - half), own.mean() + half), rel=1e-8
    )


def test_a_data_set_with_too_few_measurements_leaves_all_open():
    rng = np.random.default_rng(8)
    samples = [(rng.lognormal(0, 0.05, 12), 3 * rng.lognormal(0, 0.05, n)) for n in (12, 5)]
    verdict = verdicts_of(measured(samples)).verdict["fit-time"]
    assert verdict.is_open
    assert verdict.n_datasets == 2


def test_claims_on_measurements_are_held_as_the_report_holds_them() -> None:
    rng = np.random.default_rng(8)
    rows = [
        (f"d{m}", name, x)
        for m in range(2)
        for name, factor in (("old", 1.2), ("new", 1.0))
        for x in factor * rng.lognormal(m, 0.05, 10)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "candidate", "time"])
    study = reportgen.compare(frame, unit="sample")
    (pair,) = study.pairs().to_dict("records")
    assert (pair["target"], pair["method"]) == ("session", "sources")
    (contrast,) = study.check("new better than old")[0].contrasts
    ends = sorted([pair["lower"], pair["upper"]])
    found = sorted([contrast.lower, contrast.upper])
    assert found == pytest.approx(ends) or found == pytest.approx([1 / x for x in ends[::-1]])
    assert contrast.upper < 1  # new / old
    assert study.check("new better than old")
    power, _ = study.gate_power("new better than old")
    assert "2 data sets: holds with a probability of" in power
    assert "80%" not in power  # it takes measurements, no further data sets
    assert not study.check("old not worse than new by 1.05")
    few = frame.groupby(["dataset", "candidate"]).head(5)
    undecided = reportgen.compare(few, unit="sample").check("new better than old")
    assert "fewer than six measurements of a data set" in str(undecided)
    level = frame.assign(time=frame.groupby(["dataset", "candidate"])["time"].transform("first"))
    for odd in (few, level):
        text = " ".join(str(reportgen.compare(odd, unit="sample")).split())
        assert "Measurements of a data set are too few, or do not vary, to test the" in text
    (mean,) = study.check("time of new below 9 s")[0].contrasts
    shown = study.result("domain").verdict["time"].intervals["new"]
    assert shown == pytest.approx((mean.lower, mean.upper))
    constant = reportgen.compare(level, unit="sample").check("time of new below 9 s")
    assert "too little variation to judge by" in str(constant)


def test_pairs_with_too_few_measurements_share_enough_data_sets_as_it_says():
    rng = np.random.default_rng(8)
    cubes = {f"d{m}": rng.lognormal(m, 0.05, (12, 3)) for m in range(2)}
    cubes["d1"][3:, 2] = np.nan
    facts = {d: {"unit": "sample"} for d in cubes}
    warehouse = warehouse_of({TIME: cubes}, THREE, facts=facts)
    told = read(report_of(analysed(warehouse), warehouse)).article["domain"]
    assert "Two pairs share too few data sets, or a data set has too few " in told


def _values(warehouse: Warehouse) -> list[np.ndarray]:
    return [warehouse.performances(d, MAIN).values for d in warehouse.datasets]


def test_with_a_known_scheme_it_speaks_of_new_data_of_these_sources():
    levels = [[0.24, 0.34]] * 4
    found = verdicts_of(by_bootstrap(levels)).verdict[MAIN]
    assert found.target == "these-sources"
    wider = found.pairs.standard_error[0]
    alone = verdicts_of(few(levels)).verdict[MAIN].pairs.standard_error[0]
    assert wider == pytest.approx(alone * (N * 2 * 0.366) ** 0.5, rel=0.01)  # V = s^2 2h


def test_one_data_set_without_a_scheme_makes_it_an_experiment():
    warehouse = by_bootstrap([[0.24, 0.34]] * 3)
    facts = dict(warehouse.facts) | {"d0": {"resampling": {"scheme": None}}}
    values = {ERROR: dict(zip(warehouse.datasets, _values(warehouse), strict=True))}
    mixed = warehouse_of(values, TWO, problem="real-world", resampling=BOOTSTRAP, facts=facts)
    assert verdicts_of(mixed).verdict[MAIN].target == "conditional"


def test_a_reversal_names_the_data_sets():
    levels = [[0.20, 0.30]] * 4 + [[0.30, 0.20]]
    said, result = tell(draw_values(1, levels, N, 0.03), TWO)
    found = result.verdict[MAIN]
    assert found.pairs[0].decision == "better"
    assert found.pairs[0].n_reversed == 1
    assert found.reversals == (("c0", "c1", ("d0", "d1", "d2", "d3"), ("d4",)),)
    assert "for the latter d4, each by itself" in said.article["domain"]
    assert faults(said.whole) == []


def test_one_value_each_is_not_tested_and_says_what_chance_does():
    said, result = tell({f"d{m}": np.array([[0.2, 0.3]]) + m / 50 for m in range(5)}, TWO)
    found = result.verdict[MAIN]
    assert found.is_open
    assert np.isnan(found.pairs.lower).all()
    assert found.ahead_everywhere == "c0"
    assert found.chance_everywhere == pytest.approx(0.0625)
    text = said.article["domain"]
    assert "of two equal candidates some one is so with a probability of 6%" in text
    level = verdicts_of(warehouse_of({ERROR: {"a": [[0.2, 0.3]], "b": [[0.3, 0.2]]}}, TWO))
    assert level.verdict[MAIN].ahead_everywhere is None


def test_times_are_compared_by_ratio_over_few_data_sets_too():
    rng = np.random.default_rng(2)
    seconds = {f"d{m}": 10.0**m * rng.lognormal(0, 0.1, (N, 2)) * [1, 3] for m in range(3)}
    warehouse = warehouse_of({ERROR: draw_values(1, [[0.2, 0.2]] * 3, N), TIME: seconds}, TWO)
    (pair,) = verdicts_of(warehouse).verdict["fit-time"].pairs
    d = [np.log(v[:, 0] / v[:, 1]).mean() for v in seconds.values()]
    assert pair.scale == "ratio"
    assert pair.estimate == pytest.approx(np.exp(np.mean(d)), rel=1e-9)
    assert pair.lower < pair.estimate < pair.upper < 1


def test_values_of_unusual_size_decide_alike():
    values = draw_values(1, [[0.24, 0.30, 0.31]] * 3, N, 0.02)
    usual = verdicts_of(warehouse_of({ERROR: values}, THREE)).verdict[MAIN]
    tiny = {d: np.ldexp(v, -300) for d, v in values.items()}
    found = verdicts_of(warehouse_of({ERROR: tiny}, THREE)).verdict[MAIN]
    assert found.pairs.decision == usual.pairs.decision
    assert np.ldexp(found.pairs.lower, 300) == pytest.approx(usual.pairs.lower)
    assert found.each == usual.each


def test_one_family_of_all_measures_asks_for_more():
    cubes = {
        ERROR: draw_values(1, [[0.24, 0.30]] * 3, N),
        TIME: draw_values(2, [[1.0, 3.0]] * 3, N),
    }
    warehouse = warehouse_of(cubes, TWO)
    alone, together = (verdicts_of(warehouse, family=f) for f in ("dataset-measure", "study"))
    one, both = (r.verdict[MAIN] for r in (alone, together))
    assert both.family.n_pairs == 2
    assert both.pairs.critical_value[0] > one.pairs.critical_value[0]
    assert both.pairs.adjusted_p_value[0] == pytest.approx(2 * one.pairs.p_value[0])


def test_fixed_test_samples_have_errors_by_their_observations(tmp_path: Path) -> None:
    """Three data sets, each with one test sample: V_m = var(z) / N on N - 1 degrees of freedom."""
    rng, sizes, rows = np.random.default_rng(3), (30, 40, 50), []
    for m, size in enumerate(sizes):
        for b in range(2):
            for name, error in (("anna", 0.1), ("bert", 0.35)):
                wrong = rng.random(size) < error
                rows += [
                    (f"d{m}", name, b + 1, i, "x", "y" if w else "x") for i, w in enumerate(wrong)
                ]
    names = ["dataset", "model", "replication", "observation", "truth", "prediction"]
    table = pd.DataFrame(rows, columns=names)
    table.to_csv(tmp_path / "three.csv", index=False)
    study = reportgen.compare(
        tmp_path / "three.csv",
        resampling={"scheme": "bootstrap", "assessment": "fixed"},
        problem="competition",
    )
    found = study.result("domain").verdict[MAIN]
    assert (found.target, found.fixed) == ("these-sources", ("d0", "d1", "d2"))
    wrong = table.assign(wrong=(table["truth"] != table["prediction"]).astype(float))
    z = wrong.pivot_table(index=["dataset", "observation"], columns="model", values="wrong")
    by_dataset = (z["anna"] - z["bert"]).groupby("dataset")
    v = (by_dataset.var() / np.array(sizes)).to_numpy() / 9
    nu = v.sum() ** 2 / (v**2 / (np.array(sizes) - 1)).sum()
    half = t.isf(0.025, nu) * v.sum() ** 0.5
    (pair,) = found.pairs
    mean = by_dataset.mean().mean()
    assert (pair.estimate, pair.df) == pytest.approx((mean, nu), abs=EXACT)
    assert (pair.lower, pair.upper) == pytest.approx((mean - half, mean + half), abs=EXACT)
    text = " ".join(str(study).split())
    assert "for new data of these 3 sources, as these learning samples go, each counted" in text
    (contrast,) = study.gate("anna better than bert")[0].contrasts
    assert (contrast.lower, contrast.upper) == pytest.approx((pair.lower, pair.upper), abs=EXACT)
    assert contrast.outcome == "holds"


def test_few_are_the_data_sets_that_have_the_measure():
    own = draw_values(1, [[0.24, 0.34]] * 7, N, 0.03)
    nothing = np.full((N, 2), np.nan)
    error = {d: v if m < 4 else nothing for m, (d, v) in enumerate(own.items())}
    other = {d: nothing if m < 4 else v for m, (d, v) in enumerate(own.items())}
    facts = {d: {"n_observations": 100} for d in own}
    values = {ERROR: error, Measure("mse", "smaller"): other}
    known = {"problem": "real-world", "resampling": BOOTSTRAP, "facts": facts}
    found = verdicts_of(warehouse_of(values, TWO, **known)).verdict[MAIN]
    assert (found.n_datasets, found.target) == (4, "these-sources")
