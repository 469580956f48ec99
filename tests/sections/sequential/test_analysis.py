"""Monitoring against R, the dissertation's decisions, second algorithms and made-up courses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare, skew, ttest_1samp
from scipy.stats import t as student

from reportgen.errors import AnalysisError, StudyError
from reportgen.performance_measure import Measure
from reportgen.rendering.results_json import plain
from reportgen.sections.inference import analysis as inference
from reportgen.sections.sequential import Options, applies
from reportgen.sections.sequential.analysis import analyse
from reportgen.sections.sequential.figures import tabulate
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.sequential.paired_paths import signed_rank_path
from reportgen.stats.sequential.paths import point_of_consecutive_significance, pseudo_median
from reportgen.stats.sequential.recursive import (
    RecursiveTest,
    Rule,
    constant_rule,
    narrowing_rule,
    recursive_test,
)
from reportgen.stats.sequential.sequential_test import stage_ends
from reportgen.stats.sequential.stages import (
    StagePlan,
    answers_after,
    judged,
    settled,
    stage_tails,
    stages_of_pairs,
)
from reportgen.study.manifest import load_study
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.stages import Stages, final_answers
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.reading import ACCURACY, ERROR, NAMES, TIME, blocks
from tests.sections.sequential.watched import AREA, in_stages, only, watch

ZEROS_RANKED = 0.02  # R leaves differences of 0 out
CONTINUITY = 0.01  # coin does not correct for continuity
ROUNDING = 1e-10
CLEAR = blocks([0.10, 0.16, 0.30], 60)
SLIGHT = np.column_stack(
    [0.1925 + 0.008 * np.random.default_rng(1).normal(size=80), np.full(80, 0.2)]
)


@pytest.fixture(scope="module")
def golden(reference: Path) -> dict[str, Any]:
    return json.loads((reference / "golden" / "sequential.json").read_text())


# ---------------------------------------------------------------------------------- from R


class TestPmid:
    """The running example of the slides: rf against svm, 250 replications."""

    @pytest.fixture
    def values(self, reference: Path) -> np.ndarray:
        return pd.read_csv(reference / "data" / "pmid_rf_svm.csv")[["rf", "svm"]].to_numpy()

    def test_track_of_p_values(self, values: np.ndarray, golden: dict[str, Any]) -> None:
        found = golden["sequential_pmid_rf_vs_svm"]
        track = signed_rank_path(values[:, 0] - values[:, 1], 2, "less")
        assert track.n.tolist() == found["series"]["n"]
        assert point_of_consecutive_significance(track) == 7
        assert found["point_of_consecutive_significance"]["wilcox_less_default"] == 7

    def test_four_stages(self, values: np.ndarray, golden: dict[str, Any]) -> None:
        expected = golden["pmid_rf_vs_svm_4_stages_of_50"]
        test = one_sided(values[:200, 0] - values[:200, 1], constant_rule)
        assert [stage.decision for stage in test.stages] == [expected["decision"]]
        assert test.stages[0].p_value == pytest.approx(expected["p"][0], abs=ZEROS_RANKED)
        assert test.p_value == pytest.approx(
            expected["global_p_at_decision_stage"], abs=ZEROS_RANKED
        )


def one_sided(d: np.ndarray, rule: Rule) -> RecursiveTest:
    """Test as the dissertation does: signed ranks, less, in stages of 50, the last one open."""
    ends = stage_ends(len(d), 50)
    ((less, _),) = stage_tails([d], ends, StagePlan(len(ends), test="wilcoxon"))
    return recursive_test(less.tolist(), 0.05, rule, n_stages=len(ends), final="open")


@pytest.mark.slow
def test_decisions_on_uci_as_in_r(uci621_warehouse: Warehouse, golden: dict[str, Any]) -> None:
    """The two leaders of each data set, one-sided, in stages of 50, Pratt's ranks by coin."""
    decided = {d: found for d, found in golden["uci_6.4"].items() if found["recursive_pratt"]}
    assert len(decided) > 10
    for dataset, expected in decided.items():
        performances = uci621_warehouse.performances(dataset, "Misclassification")
        first, second = (performances.candidates.index(name) for name in expected["leaders"])
        d = performances.values[:, first] - performances.values[:, second]
        found, recursive = one_sided(d, narrowing_rule), expected["recursive_pratt"]
        decision = "undecided" if found.decision == "go on" else found.decision
        assert (decision, len(found.stages)) == (recursive["decision"], recursive["stage"])
        for stage, p in zip(found.stages, recursive["p"], strict=False):
            assert stage.p_value == pytest.approx(p, abs=CONTINUITY), dataset


# ------------------------------------------------------------------------ second algorithms


def corrected_p(d: np.ndarray) -> tuple[float, float]:
    """Return t* and its two-sided p-value by scipy and Hall's formula, halved at most."""
    n, t = len(d), float(ttest_1samp(d, 0.0).statistic)
    k = float(skew(d, bias=False)) / (3 * n**0.5) if n >= 6 else 0.0
    if k * t < 0:
        moved = float(np.sign(t)) * (t + k * t**2 + k**2 * t**3 / 3 + k / 2)
        is_far = abs(k * t) >= (3 - 3**0.5) / 2
        size = abs(t) / 2 if is_far else min(abs(t), max(abs(t) / 2, moved))
        t = float(np.copysign(size, t))
    return t, float(2 * student.sf(abs(t), n - 1))


def test_tracks_by_scipy() -> None:
    values = blocks([0.10, 0.105, 0.13], 60, seed=3) ** 2
    found = only(values, burn_in=5, orders=0)
    for pair, (i, j) in zip(found.pairs, combinations(range(3), 2), strict=True):
        assert (pair.test, pair.quantity) == ("t", "mean")
        assert pair.estimate == pytest.approx((values[:, i] - values[:, j]).mean())
        assert pair.skewness == pytest.approx(
            skew(values[:, i] - values[:, j], bias=False), rel=1e-8
        )
        for n in (5, 31, 60):
            star, p = corrected_p(values[:n, i] - values[:n, j])
            look = pair.replication.index(n)
            assert pair.statistics[look] == pytest.approx(star, rel=1e-8)
            assert pair.p_values[look] == pytest.approx(p, rel=1e-8)


def test_fixed_designs_have_the_verdict_of_all_fixed_designs() -> None:
    """They say when the verdict would have come."""
    values = blocks([0.10, 0.105, 0.13], 120, seed=3)
    found = only(values, orders=0, relevance=AREA)
    for n in (30, 100, 120):
        rng = np.random.default_rng(1)
        area = AREA[ERROR.name]
        table = paired_max_t(values[:n], 0.05, rng).named(NAMES[:3], "conditional")
        for pair, expected in zip(found.pairs, table.decided(area), strict=True):
            (fixed,) = [f for f in pair.at if f.replications == n]
            assert fixed.p_value == pytest.approx(expected.p_value)
            assert fixed.adjusted_p_value == pytest.approx(expected.adjusted_p_value, rel=0.02)
            assert fixed.decision == expected.decision
    assert [f.decision for f in found.pairs[0].at] != [f.decision for f in found.pairs[1].at]


def test_the_last_fixed_design_is_the_verdict_of_the_report() -> None:
    values = blocks([0.10, 0.105, 0.13], 60, seed=3)
    warehouse = warehouse_of({ERROR: values}, NAMES[:3])
    for variance in ("own", "pooled"):
        asked = AnalysisOptions(relevance=AREA, variance=variance)
        verdicts = inference.analyse(warehouse, asked, np.random.default_rng(5))
        options = Options(relevance=AREA, orders=0)
        found = analyse(warehouse, options, np.random.default_rng(1), inference=verdicts)
        for pair in found[ERROR.name].pairs:
            verdict = verdicts[ERROR.name].pairs.between(pair.first or "", pair.second or "")
            assert verdict is not None
            assert pair.at[-1].decision == verdict.decision
            assert pair.at[-1].adjusted_p_value == verdict.adjusted_p_value
            sizes = [fixed.replications for fixed in pair.at]
            assert sizes == ([30, 60] if variance == "own" else [60])


def test_where_stages_decide_no_fixed_design_gives_another_verdict() -> None:
    stages = Stages(20, 80, ERROR.name)
    (found,) = watch(CLEAR[:40], warehouse=in_stages(CLEAR[:40], stages.described())).values()
    assert {pair.at for pair in found.pairs} == {()}
    assert not [table for table in tabulate({ERROR.name: found}) if table.name == "fixed"]


@pytest.mark.parametrize(
    ("alpha", "points"), [(0.01, [None, 15, 10]), (0.05, [None, 11, 10]), (0.1, [40, 10, 10])]
)
def test_points_of_consecutive_significance_by_brute_force(
    alpha: float, points: list[int | None]
) -> None:
    """Each pair alone, at the level of the analysis: another level has other points."""
    found = only(blocks([0.10, 0.108, 0.13], 60, seed=3), alpha=alpha, orders=0)
    for pair in found.pairs:
        looks = list(zip(pair.replication, pair.p_values, strict=True))
        since = [n for n, _ in looks if all(p <= alpha for m, p in looks if m >= n)]
        assert pair.point_of_consecutive_significance == min(since, default=None)
    assert [p.point_of_consecutive_significance for p in found.pairs] == points


def test_all_candidates_together_by_friedman() -> None:
    stages = Stages(20, 80, ERROR.name, test="wilcoxon").described()
    found = only(CLEAR, warehouse=in_stages(CLEAR, stages), burn_in=12, orders=0)
    everyone = found.entries[-1]
    assert everyone.first is None
    for n in (12, 40):
        expected = friedmanchisquare(*CLEAR[:n].T)
        look = everyone.replication.index(n)
        assert everyone.p_values[look] == pytest.approx(expected.pvalue, rel=1e-8)
    assert everyone.decision == "reject"
    assert only(CLEAR, orders=0).entries[-1].test == "block-f"
    (pair,) = only(CLEAR[:, :2], orders=0).entries
    assert pair.first is not None


# ------------------------------------------------------------------------------- made up


def test_a_clear_course() -> None:
    found = only(CLEAR, stage=20, relevance=AREA)
    for pair in found.pairs:
        assert pair.verdict == "less"
        assert pair.point_of_consecutive_significance == 10
        assert pair.decided_at == 20
        assert pair.anytime is not None
        assert pair.anytime.sign_verdict == "less"
        assert pair.group_sequential is not None
        assert pair.group_sequential.verdict == "less"
        assert pair.random_orders is not None
        assert pair.random_orders.stable_from == 10
        assert found.leads(pair) == (pair.first, pair.second)
    assert found.decided_at == 20
    assert found.differing_with(30) == ()


def test_looks_before_the_burn_in_do_not_decide() -> None:
    for pair in only(CLEAR, stage=5, burn_in=12, orders=0).pairs:
        group = pair.group_sequential
        assert group is not None
        assert group.z[:2] == (0.0, 0.0)  # after 5 and 10 replications
        assert len(group.z) == len(group.boundaries)
        assert group.verdict == "less"
        assert group.replication is not None
        assert group.replication >= 15


def test_larger_may_be_better() -> None:
    found = only(CLEAR, ACCURACY, stage=20, orders=0)
    pair = found.pairs[0]
    assert pair.verdict == "less"
    assert found.leads(pair) == ("bert", "anna")
    assert found.winner(pair, pair.verdict) == "bert"


def test_a_course_that_turns() -> None:
    """Significant on the way, and not at the end."""
    d = np.concatenate([np.full(20, -1.0), np.full(40, 0.6)])
    noise = np.random.default_rng(2).normal(0, 0.3, 60)
    found = only(np.column_stack([d + noise, np.zeros(60)]), Measure("cost", "smaller"), orders=20)
    (pair,) = found.pairs
    assert pair.point_of_consecutive_significance is None
    assert min(pair.p_values) < 0.05


def test_equal_candidates_are_equivalent_or_given_up() -> None:
    values = np.column_stack([CLEAR[:, 0], CLEAR[:, 0]])
    (pair,) = only(values, orders=0).pairs
    assert (pair.verdict, pair.decided_at) == ("not-distinguished", 50)
    assert set(pair.p_values) == {1.0}
    assert pair.group_sequential is not None
    assert pair.anytime is not None
    assert (pair.group_sequential.verdict, set(pair.group_sequential.z)) == ("open", {0.0})
    assert (pair.anytime.sign_decided_at, pair.anytime.sign_verdict) == (None, "open")
    (pair,) = only(values, orders=0, relevance=AREA, stage=20).pairs
    assert (pair.verdict, pair.decided_at) == ("equivalent", 20)


def test_gaps_are_no_looks() -> None:
    values = CLEAR.copy()
    values[[3, 17, 40], 1] = np.nan
    found = only(values, orders=10)
    with_gap, without = found.pairs[0], found.pairs[1]
    assert with_gap.n == 57
    assert {4, 18, 41}.isdisjoint(with_gap.replication)
    assert with_gap.replication[0] == 11  # ten values, of eleven replications
    assert without.replication == tuple(range(10, 61))
    assert found.entries[-1].first is None
    assert found.entries[-1].n == 57
    whole = only(np.delete(CLEAR, [3, 17, 40], axis=0), orders=0).pairs[0]
    assert with_gap.p_values == pytest.approx(whole.p_values, rel=ROUNDING)


def test_an_absent_candidate_has_no_pairs() -> None:
    values = CLEAR.copy()
    values[:, 2] = np.nan
    assert len(only(values, orders=0).pairs) == 1
    values[:, 1] = np.nan
    assert only(values, orders=0).unavailable == "one-candidate"
    assert only(CLEAR[:5], orders=0).unavailable == "too-few-replications"


def test_named_pairs_keep_their_direction() -> None:
    (pair,) = only(CLEAR, pairs=(("cara", "anna"),), orders=0).pairs
    assert (pair.first, pair.second, pair.verdict) == ("cara", "anna", "greater")
    with pytest.raises(AnalysisError, match="did you mean anna"):
        only(CLEAR, pairs=(("cara", "ana"),))


def test_a_verdict_is_that_of_the_stage_that_settles_the_pair() -> None:
    """A difference after 20, which settles it; that it is not relevant takes more."""
    (pair,) = only(SLIGHT, stage=20, relevance=AREA, orders=0).pairs
    assert (pair.verdict, pair.decided_at) == ("less", 20)
    stages = Stages(20, 80, ERROR.name, area=(-0.01, 0.01), stop="both")
    (both,) = only(SLIGHT, warehouse=in_stages(SLIGHT, stages.described()), orders=0).pairs
    assert (both.verdict, both.decided_at) == ("less-equivalent", 40)
    warehouse = in_stages(SLIGHT[:20], stages.described())
    (half,) = only(SLIGHT[:20], warehouse=warehouse, orders=0).pairs
    assert (half.verdict, half.decided_at) == ("less", None)  # its relevance is open


MANY = np.random.default_rng(1).normal(np.linspace(0.1, 0.2, 17), 0.03, (40, 17))


def test_of_many_candidates_those_with_the_best_share_the_level_of_all() -> None:
    names = [f"c{i:02d}" for i in range(17)]
    warehouse = warehouse_of({ERROR: MANY}, names)
    found = only(MANY, warehouse=warehouse, stage=20, orders=0)
    assert (found.choice, found.shared, len(found.pairs)) == ("best", "c00", 16)
    assert (found.n_compared, found.n_family, found.multiplicity) == (136, 136, "bonferroni")
    named = tuple((pair.first or "", pair.second or "") for pair in found.pairs)
    plan = StagePlan(2, 0.05 * 16 / 136, multiplicity="bonferroni")
    places = [(names.index(first), names.index(second)) for first, second in named]
    rows = judged(MANY, places, (20, 40), plan)
    for i, mine in enumerate(found.pairs):
        alone = next((end for end, row in zip((20, 40), rows, strict=True) if row[i].shown), None)
        assert mine.verdict == rows[0 if alone == 20 else 1][i].verdict
        assert alone in (None, mine.decided_at)
        fixed = mine.at[-1]
        assert fixed.p_value is not None
        assert fixed.adjusted_p_value == pytest.approx(min(1.0, 136 * fixed.p_value))
        assert (fixed.decision == "better") == (fixed.adjusted_p_value <= 0.05)
    assert found.with_verdict("different")


def test_of_many_candidates_in_stages_all_pairs_have_their_say() -> None:
    """Those that are shown are judged among all, and an open pair elsewhere counts."""
    names = tuple(f"c{i:02d}" for i in range(17))
    every = tuple(combinations(range(17), 2))
    for multiplicity in ("bonferroni", "holm"):
        stages = Stages(
            20, 40, ERROR.name, multiplicity=multiplicity, area=(-0.01, 0.01), stop="both"
        )
        told = {"scheme": "bootstrap", "replications": 40, "stages": stages.described()}
        made = replace(warehouse_of({ERROR: MANY}, names), resampling=told)
        found = only(MANY, warehouse=made, orders=0)
        answers = judged(MANY, every, (20, 40), stages.plan, 0.01)[-1]
        expected = {(names[i], names[j]): a for (i, j), a in zip(every, answers, strict=True)}
        for pair in found.pairs:
            assert pair.verdict == expected[pair.first or "", pair.second or ""].verdict
        assert found.run is not None
        assert found.run.is_decided == all(a.is_settled("both") for a in answers)


def test_of_many_candidates_the_reference_is_fixed_beforehand() -> None:
    names = [f"c{i:02d}" for i in range(17)]
    warehouse = warehouse_of({ERROR: MANY}, names)
    found = only(MANY, warehouse=warehouse, stage=20, orders=0, reference="c03")
    assert (found.choice, found.shared, found.n_family) == ("reference", "c03", 16)
    assert found.multiplicity == "holm"


def test_several_measures_are_one_family() -> None:
    rng = np.random.default_rng(9)
    times = np.abs(rng.normal(1, 0.1, (60, 3)))
    values = blocks([0.10, 0.108, 0.30], 60, seed=5)
    warehouse = warehouse_of({ERROR: values, TIME: times}, NAMES[:3])
    both = (ERROR.name, TIME.name)
    alone = watch(values, warehouse=warehouse, orders=0)
    assert list(alone) == [ERROR.name]
    found = watch(values, warehouse=warehouse, measures=both, orders=0)
    assert list(found) == list(both)
    assert found[ERROR.name].n_family == 6
    pairs = tuple(combinations(range(3), 2))
    logs = np.log(times)
    tests = [
        *stages_of_pairs([values[:, i] - values[:, j] for i, j in pairs], (50, 60), StagePlan(2)),
        *stages_of_pairs(
            [logs[:, i] - logs[:, j] for i, j in pairs], (50, 60), StagePlan(2), log(1.1)
        ),
    ]
    joint = zip(*answers_after(tests, StagePlan(2), 2), strict=True)
    last = [settled((50, 60), row, "decided")[0].verdict for row in joint]
    assert [pair.verdict for name in both for pair in found[name].pairs] == last
    assert len({*last}) > 1


def test_results_are_a_list_with_the_keys_of_the_contract() -> None:
    found = plain(watch(CLEAR, stage=20, orders=5))[ERROR.name]
    assert isinstance(found, list)
    assert len(found) == 4
    entry = found[0]
    assert {"first", "second", "test", "burn_in", "replication", "p_values"} <= set(entry)
    assert set(entry["stages"][0]) >= {"alpha_star", "alpha_1", "alpha_0", "c", "p_value"}
    assert len(entry["p_values"]) == len(entry["replication"]) == 51
    assert found[-1]["first"] is None
    assert set(entry["anytime"]) == {"wins", "losses", "p_value", "sign_decided_at", "sign_verdict"}


@pytest.mark.parametrize(("n", "n_listed"), [(1009, 1000), (1010, 1000), (3000, 1000)])
def test_results_list_a_thousand_looks_of_a_track(n: int, n_listed: int) -> None:
    found = watch(blocks([0.10, 0.16], n), stage=n, orders=5)
    (pair, *_), (listed, *_) = found[ERROR.name], plain(found)[ERROR.name]
    assert len(pair.replication) == n - pair.burn_in + 1
    assert len(listed["replication"]) == n_listed
    assert {*np.diff(listed["replication"])} <= {1, 2, 3}
    assert listed["replication"][-1] == n
    place = {replication: k for k, replication in enumerate(pair.replication)}
    at = [place[replication] for replication in listed["replication"]]
    for name in ("p_values", "statistics", "effects"):
        assert listed[name] == [getattr(pair, name)[k] for k in at]


def test_it_applies_where_replications_accumulate() -> None:
    assert applies(warehouse_of({ERROR: CLEAR}, NAMES[:3]))
    assert not applies(warehouse_of({ERROR: CLEAR[:19]}, NAMES[:3]))
    assert not applies(warehouse_of({ERROR: CLEAR[:, :1]}, NAMES[:1]))


# ------------------------------------------------------------------------------- in stages


def test_an_execution_in_stages_brings_its_own_rule() -> None:
    values = CLEAR[:40].copy()
    values[20:, 2] = np.nan
    stages = Stages(20, 80, ERROR.name, drop="beaten", alpha=0.01, area=(-0.2, 0.2), test="t")
    facts = {"fit_seconds": {"anna": 1.0, "bert": 2.0, "cara": 3.0}}
    warehouse = in_stages(values, stages.described(), facts)
    (found,) = watch(values, warehouse=warehouse, orders=0, alpha=0.2).values()
    assert (found.test, found.alpha, found.relevance) == ("t", 0.01, (-0.2, 0.2))
    run = found.run
    assert run is not None
    assert (run.ends, run.most, run.n_fits, run.n_fixed) == ((20, 40), 80, 100, 240)
    assert run.candidates == (("anna", "bert", "cara"), ("anna", "bert"))
    assert run.dropped == {"cara": 20}
    assert run.seconds == pytest.approx(40 * 1 + 40 * 2 + 20 * 3)
    assert run.seconds_fixed == pytest.approx(80 * 6)
    assert run.is_decided
    assert found.n_stages == 4


def test_a_run_to_the_end_may_leave_pairs_open() -> None:
    values = np.random.default_rng(4).normal(0.2, 0.01, (40, 2))
    stages = Stages(20, 40, ERROR.name, area=(-1e-6, 1e-6))
    warehouse = in_stages(values, stages.described())
    (found,) = watch(values, warehouse=warehouse, orders=0).values()
    assert found.run is not None
    assert found.pairs[0].verdict in ("open", "not-distinguished")
    assert found.run.is_decided == (found.pairs[0].verdict != "open")
    assert found.run.seconds is None
    assert replace(stages, drop=None) == stages


# ---------------------------------------------------------------- what ranks do not speak of

SKEWED = np.column_stack([np.random.default_rng(6).exponential(1, 250) - 1, np.zeros(250)])


@pytest.mark.parametrize(
    ("test", "quantity", "estimate"),
    [("wilcoxon", "pseudo-median", pseudo_median), ("sign", "median", np.median)],
)
def test_ranks_and_signs_speak_of_their_own_quantity(
    test: str, quantity: str, estimate: Callable[[np.ndarray], float]
) -> None:
    """Exponential differences of mean 0: what ranks find is shown by what they estimate."""
    cost = Measure("cost", "smaller")
    stages = Stages(50, 250, "cost", test=test, area=(-0.25, 0.25))  # type: ignore[arg-type]
    found = only(
        SKEWED, cost, warehouse=in_stages(SKEWED, stages.described(), None, cost), orders=0
    )
    (pair,) = found.pairs
    assert (pair.quantity, pair.verdict) == (quantity, "less")
    assert pair.estimate == pytest.approx(estimate(SKEWED[:, 0]))
    assert pair.estimate < -0.1 < 0.0
    assert (found.relevance, found.is_area_unused, found.skewed) == (None, True, (pair,))
    by_t = only(SKEWED, cost, orders=0, relevance={"cost": (-0.25, 0.25)})
    assert (by_t.quantity, by_t.is_area_unused, by_t.skewed) == ("mean", False, ())
    assert by_t.pairs[0].verdict == "equivalent"
    assert by_t.pairs[0].skewness == pytest.approx(skew(SKEWED[:, 0], bias=False))


def test_an_old_run_that_stopped_by_ranks_claims_no_equivalence() -> None:
    values = np.random.default_rng(4).normal(0.2, 0.01, (20, 2))
    stages = Stages(20, 80, ERROR.name, area=(-0.05, 0.05), test="wilcoxon")
    (found,) = watch(values, warehouse=in_stages(values, stages.described()), orders=0).values()
    assert found.run is not None
    assert found.run.is_equivalence_of_ranks
    assert (found.pairs[0].verdict, found.pairs[0].decided_at) == ("open", None)


@pytest.mark.parametrize("stop", ["decided", "both"])
def test_decisions_of_stages_are_those_of_the_section(stop: str) -> None:
    values = blocks([0.100, 0.101, 0.30], 60, seed=2)
    stages = Stages(20, 80, ERROR.name, area=(-0.05, 0.05), stop=stop)  # type: ignore[arg-type]
    (found,) = watch(values, warehouse=in_stages(values, stages.described()), orders=0).values()
    answers = final_answers(values, NAMES[:3], ERROR, stages)
    decisions = {names: found.decision(is_smaller_better=True) for names, found in answers.items()}
    words = {"less": "better", "equivalent": "equivalent", "less-equivalent": "equivalent"}
    assert decisions == {
        (pair.first, pair.second): words.get(pair.verdict or "", "undecided")
        for pair in found.pairs
    }
    assert {"better", "equivalent"} <= set(decisions.values())
    assert {names: found.verdict for names, found in answers.items()} == {
        (pair.first, pair.second): pair.verdict for pair in found.pairs
    }


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("law: exact", "found an unknown key"),
        ("test: sign", r"found a key that is gone \(the test of a stage: t, .* sets its own\)"),
        ("final: open", r"found a key that is gone \(whether the last stage may .* decides now"),
        ("at: [30]", "found a key that is gone .fixed designs beside: those of 30 and 100"),
    ],
)
def test_former_options_say_what_became_of_them(key: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(f"results: r.csv\nsections:\n  - sequential: {{{key}}}\n")
    with pytest.raises(StudyError, match=rf"{said}.*; allowed .*measures, pairs, burn_in"):
        load_study(path, {"sequential": Options})
