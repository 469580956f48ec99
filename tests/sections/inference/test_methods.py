"""Other methods for all pairs, a reference, new data sets, effects and diagnostics."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, permutation_test, t, ttest_rel, wilcoxon

from reportgen.rendering.results_json import plain
from reportgen.sections.inference.analysis import analyse
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.skewness import reach, skewness, t_star
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.reading import ERROR, NAMES, TIME, blocks

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
CLOSED_FORM = 1e-9  # relative, where both sides have closed forms
DUNNETT = 1e-6  # absolute: multcomp's quasi-Monte Carlo, abseps = 1e-8, of a quantile
MONTE_CARLO = 5  # standard errors


def infer(values: Any, measure: Any = ERROR, **settings: Any) -> MeasureInference:
    """Return what is concluded about one measure; settings of the warehouse come first."""
    told = {k: settings.pop(k) for k in ("problem", "resampling") if k in settings}
    warehouse = warehouse_of({measure: values}, NAMES[: values.shape[1]])
    found = analyse(
        replace(warehouse, **told), AnalysisOptions(**settings), np.random.default_rng(0)
    )
    return found[measure.name]


class TestMonks3:
    """The running example of the dissertation, as real-world bootstrap with sizes known."""

    numbers = json.loads((GOLDEN / "reference.json").read_text(encoding="utf-8"))

    @pytest.fixture(scope="class")
    @classmethod
    def found(cls, monks3_warehouse: Warehouse) -> MeasureInference:
        frame = monks3_warehouse.frame.assign(n_distinct=350.0, n_test=204.0)
        told = replace(
            monks3_warehouse,
            frame=frame,
            problem="real-world",
            resampling={"scheme": "bootstrap"},
        )
        area = {"Misclassification": (-0.01, 0.01)}
        options = AnalysisOptions(reference="lda", relevance=area, target="experiment")
        return next(iter(analyse(told, options, np.random.default_rng(0)).values()))

    def test_reference(self, found: MeasureInference) -> None:
        against = found.many_to_one
        assert against is not None
        assert (against.reference, against.df) == ("lda", self.numbers["df"])
        expected = {pair["candidate"]: pair for pair in self.numbers["pairs"]}
        assert {pair.first for pair in against.pairs} == set(expected)
        for pair in against.pairs:
            row = expected[pair.first]
            assert pair.second == "lda"
            assert pair.estimate == pytest.approx(row["estimate"], abs=1e-13)
            assert pair.adjusted_p_value == pytest.approx(row["p"], abs=DUNNETT)
            assert pair.lower == pytest.approx(row["lower"], abs=DUNNETT * 0.1)
            assert pair.upper == pytest.approx(row["upper"], abs=DUNNETT * 0.1)
        decisions = {pair.first: pair.decision for pair in against.pairs}
        assert decisions["svm"] == "better-relevant"
        assert decisions["nnet"] == decisions["knn"] == "equivalent"

    def test_the_verdict_on_the_reference_is_that_of_all_pairs(
        self, found: MeasureInference
    ) -> None:
        pair = found.pairs.between("svm", "lda")
        assert pair is not None
        assert (pair.decision, pair.method) == ("better-relevant", "own-variance")
        assert found.pairs.between("lda", "svm") == pair.reversed()

    def test_rank_pairs_have_a_permutation_p_value(self, found: MeasureInference) -> None:
        assert found.friedman_permutation is not None
        assert found.friedman_permutation.p_value == 1e-4
        for pair in found.rank_pairs:
            assert pair.p_value_permutation is not None
            assert pair.permutation_error is not None
            slack = MONTE_CARLO * max(pair.permutation_error, 1e-4)
            assert abs(pair.p_value_permutation - max(pair.adjusted_p_value, 1e-4)) <= slack

    def test_iman_davenport(self, found: MeasureInference) -> None:
        assert found.iman_davenport is not None
        assert found.iman_davenport.statistic == pytest.approx(423.4207, abs=5e-5)
        assert (found.iman_davenport.df1, found.iman_davenport.df2) == (5, 1245)

    def test_methods_that_keep_to_the_data_set_agree_with_the_verdict(
        self, found: MeasureInference
    ) -> None:
        assert list(found.methods) == [
            "block-model",
            "joint-ranks",
            "closed-ranks",
            "aligned-ranks",
            "signed-rank-holm",
            "new-data",
        ]
        assert found.pairs.n_significant == 13
        for name, method in list(found.methods.items())[:-1]:
            assert not method.differing(found.pairs), name
            assert method.target == "conditional"

    def test_own_standard_errors(self, found: MeasureInference) -> None:
        """Statistics.md 3: .43 to 1.22 times the pooled one."""
        pooled = found.methods["block-model"].pairs
        ratios = (found.pairs.standard_error / pooled.standard_error).tolist()
        assert min(ratios) == pytest.approx(0.43, abs=0.005)
        assert max(ratios) == pytest.approx(1.22, abs=0.005)

    def test_new_data_sets(self, found: MeasureInference, monks3_warehouse: Warehouse) -> None:
        new, method = found.new_data, found.methods["new-data"]
        assert new is not None
        assert new.ratio == pytest.approx(204 / 350)
        assert (new.n_learnt, new.n_observations) == (350, 554)
        assert new.is_narrowest
        assert new.factor == pytest.approx(2 * 204 / 554)
        assert new.pairs is not None
        assert new.pairs is method.pairs
        assert (method.target, method.pairs.n_significant) == ("generating-process", 2)
        values = monks3_warehouse.performances("mnk3", "Misclassification").values
        alone = []
        for pair, (i, j) in zip(new.pairs, combinations(range(6), 2), strict=True):
            differences = values[:, i] - values[:, j]
            s = differences.std(ddof=1)
            assert pair.standard_error == pytest.approx(s * sqrt(2 * 204 / 554))
            assert pair.limit_standard_error == pytest.approx(pair.standard_error)
            alone.append(2 * t.sf(abs(differences.mean()) / pair.standard_error, 249))
            assert pair.p_value == pytest.approx(alone[-1], rel=CLOSED_FORM)
        adjusted = np.minimum(1.0, 15 * np.array(alone))
        assert new.pairs.adjusted_p_value == pytest.approx(adjusted, rel=CLOSED_FORM)

    def test_scatter(self, found: MeasureInference) -> None:
        assert found.diagnostics is not None
        assert found.diagnostics.spread is not None
        deviations = found.diagnostics.spread.standard_deviations
        assert max(deviations, key=lambda name: deviations[name] or 0.0) == "rf"
        assert len(found.diagnostics.block_effects) == 250
        assert sum(found.diagnostics.block_effects) == pytest.approx(0, abs=1e-12)

    def test_results(self, found: MeasureInference) -> None:
        written = plain(found)
        assert "method" not in written
        assert len(written["pairs"]) == 15
        assert {(p["method"], p["target"]) for p in written["pairs"]} == {
            ("own-variance", "conditional")  # 250 replications, whatever their skewness
        }
        for name, method in written["methods"].items():
            assert len(method["pairs"]) == 15, name
            assert all(p["decision"] and p["target"] for p in method["pairs"])


# -------------------------------------------------------------------------- other directions


def test_nothing_depends_on_the_direction_of_the_measure() -> None:
    values = blocks((0.1, 0.15, 0.2, 0.2), 20)
    small = infer(values, reference=NAMES[1])
    large = infer(1 - values, replace(ERROR, better="larger"), reference=NAMES[1])
    assert small.pairs.decision == large.pairs.decision
    assert list(small.methods) == list(large.methods)
    for one, other in zip(small.methods.values(), large.methods.values(), strict=True):
        assert one.pairs.decision == other.pairs.decision
        assert one.pairs.adjusted_p_value == pytest.approx(other.pairs.adjusted_p_value, abs=1e-9)
    assert small.many_to_one is not None
    assert large.many_to_one is not None
    assert small.many_to_one.pairs.decision == large.many_to_one.pairs.decision
    for one, other in zip(small.effects, large.effects, strict=True):
        assert one.superiority == other.superiority
        assert one.difference == pytest.approx(-other.difference)


def test_a_method_draws_from_a_stream_of_its_own() -> None:
    """What one method, or another measure, is asked changes no other number."""
    values = blocks((0.1, 0.11, 0.2), 30)
    alone = infer(values)
    with_reference = infer(values, reference=NAMES[0])
    assert alone.methods == with_reference.methods
    assert alone.friedman_permutation == with_reference.friedman_permutation
    warehouse = warehouse_of({ERROR: values, TIME: values + 1}, NAMES[:3])
    beside = analyse(warehouse, AnalysisOptions(), np.random.default_rng(0))
    assert beside[ERROR.name].methods == alone.methods
    assert beside[ERROR.name].pairs == alone.pairs
    assert beside[TIME.name].diagnostics is None


# ---------------------------------------------------------------------------- two candidates


@pytest.mark.parametrize("n_blocks", [5, 12])
def test_two_candidates(n_blocks: int) -> None:
    values = blocks((0.1, 0.112), n_blocks)
    found = infer(values)
    methods = found.methods
    first, second = values.T

    def p_values(name: str) -> list[float]:
        return methods[name].pairs.adjusted_p_value.tolist()  # type: ignore[index]

    assert p_values("block-model") == pytest.approx([ttest_rel(first, second).pvalue])
    assert p_values("signed-rank-holm") == pytest.approx(
        [wilcoxon(first, second, method="exact").pvalue]
    )
    expected = permutation_test(
        (first, second),
        lambda a, b: (a - b).mean(),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert p_values("permutation-t") == pytest.approx([expected.pvalue])
    assert methods["permutation-t"].law == "exact"
    assert "closed-ranks" not in methods
    assert found.t_star is None


def test_ranks_of_two_candidates_have_their_exact_law() -> None:
    """All of five agree: 2 / 2^5, where the limit law says .025."""
    values = blocks((0.1, 0.3), 5, sd=0.001)
    found = infer(values)
    assert found.rank_pairs is not None
    (pair,) = found.rank_pairs
    assert pair.adjusted_p_value == found.smallest_rank_p == 2 / 2**5
    assert pair.decision == "undecided"
    assert not found.ranks_can_decide
    assert infer(blocks((0.1, 0.3), 6, sd=0.001)).ranks_can_decide


def test_few_ranks_of_several_candidates_have_their_joint_law() -> None:
    """First and last are the same in all three replications in (3 * 2)^-2 of the cases."""
    found = infer(blocks((0.1, 0.3, 0.5), 3, sd=0.001))
    assert found.rank_pairs is not None
    assert found.rank_pairs[1].adjusted_p_value == pytest.approx(6**-2.0)
    assert found.smallest_rank_p == pytest.approx(6**-2.0)
    assert found.rank_pairs[1].p_value_permutation == found.rank_pairs[1].adjusted_p_value


# ------------------------------------------------------------------- few and many replications


def test_signs_are_flipped_only_where_that_can_tell() -> None:
    """The smallest p-value is 2^(1 - B); with many replications correlations are known."""
    means = (0.1, 0.15, 0.2)
    few, some, many = (infer(blocks(means, n)) for n in (5, 6, 60))
    assert "sign-flip" not in few.methods
    assert few.omitted == {"sign-flip": "too-few-replications", "new-data": "scheme-unknown"}
    flips = some.methods["sign-flip"].pairs
    assert flips.smallest_p_value == 2**-5
    assert set(flips.decision) <= {"better", "worse", "undecided"}
    assert all(row.lower is None and row.df is None for row in flips)
    assert "sign-flip" not in many.methods
    assert many.omitted == {"new-data": "scheme-unknown"}
    assert many.deciding_method is not None
    assert some.deciding_method is not None
    assert (some.deciding_method.law, many.deciding_method.law) == ("t", "max-t")


def test_intervals_of_few_replications_are_bonferronis() -> None:
    values = blocks((0.1, 0.12, 0.13, 0.2), 10)
    found = infer(values)
    n = np.full(6, 10)
    differences = np.array([values[:, i] - values[:, j] for i, j in combinations(range(4), 2)]).T
    lean = skewness(differences - differences.mean(axis=0), n) / sqrt(10)
    errors = differences.std(axis=0, ddof=1) / sqrt(10)
    statistic = t_star(differences.mean(axis=0) / errors, lean)
    p_values = np.minimum(1, 6 * 2 * t.sf(np.abs(statistic), 9))
    assert found.pairs.adjusted_p_value == pytest.approx(p_values, rel=CLOSED_FORM)
    below, above = reach(np.full(6, t.isf(0.05 / 12, 9)), lean)
    assert found.pairs.lower == pytest.approx(differences.mean(axis=0) - below * errors)
    assert found.pairs.upper == pytest.approx(differences.mean(axis=0) + above * errors)
    for row in found.pairs:
        assert row.significant == (row.adjusted_p_value <= 0.05)
        assert (row.decision == "undecided") == (not row.significant)


def test_asymptotic_law_is_one_of_the_block_model() -> None:
    values = blocks((0.1, 0.11, 0.12), 60)
    exact, normal = (infer(values, df=df) for df in ("exact", "asymptotic"))
    assert exact.pairs == normal.pairs
    pooled = [found.methods["block-model"].pairs for found in (exact, normal)]
    assert pooled[1].critical_value[0] < pooled[0].critical_value[0]
    assert {p.df for p in pooled[1]} == {None}


# -------------------------------------------------------------------------------- gaps and ties


def test_gaps_leave_the_complete_replications_to_what_needs_them() -> None:
    values = blocks((0.1, 0.15, 0.2), 40)
    values[:7, 0] = np.nan
    found = infer(values, reference=NAMES[2])
    assert [p.n for p in found.pairs] == [33, 33, 40]
    shared = {"block-model", "signed-rank-holm"}  # all that two have
    for name, method in found.methods.items():
        assert method.n_units == (40 if name in shared else 33), name
    assert found.many_to_one is not None
    assert found.many_to_one.n_blocks == 33
    assert {e.n_blocks for e in found.effects} == {33, 40}
    complete = infer(values[7:], reference=NAMES[2])
    for name in ("closed-ranks", "joint-ranks"):
        one, other = (x.methods[name].pairs.adjusted_p_value for x in (found, complete))
        assert one == pytest.approx(other, abs=1e-12)


def test_without_complete_replications_only_means_are_compared() -> None:
    values = blocks((0.1, 0.15, 0.2, 0.3), 24)
    values[np.arange(24), np.arange(24) % 4] = np.nan
    found = infer(values, reference=NAMES[0])
    assert {p.n for p in found.pairs} == {12}
    assert list(found.methods) == ["block-model"]
    assert found.omitted["joint-ranks"] == found.omitted["aligned-ranks"] == "incomplete"
    assert found.many_to_one is None
    assert len(found.effects) == 6


def test_all_tied() -> None:
    found = infer(np.full((12, 3), 0.25), reference=NAMES[0])
    assert found.unavailable is None
    assert {(p.decision, p.adjusted_p_value, p.ties) for p in found.pairs} == {
        ("undecided", 1.0, 12)
    }
    assert found.n_constant == 3
    assert found.friedman_permutation is not None
    assert found.friedman_permutation.p_value == 1
    assert found.iman_davenport is not None
    assert found.iman_davenport.p_value == 1
    assert "block-model" not in found.methods
    assert {m.pairs.n_significant for m in found.methods.values()} == {0}
    assert found.many_to_one is not None
    assert found.many_to_one.critical_value is None
    assert {p.p_value_permutation for p in found.many_to_one.pairs} == {1.0}
    assert {(e.superiority, e.d) for e in found.effects} == {(0.5, None)}
    json.dumps(plain(found), allow_nan=False)


def test_a_pair_without_a_difference_is_no_fault() -> None:
    values = blocks((0.1, 0.15, 0.2), 60)
    values[:, 1] = values[:, 0]
    found = infer(values, resampling={"scheme": "bootstrap"})
    assert not found.pairs[0].significant
    assert found.pairs[0].adjusted_p_value == 1
    assert found.pairs[1].significant
    for method in found.methods.values():
        assert method.pairs.adjusted_p_value[0] == pytest.approx(1.0), method.name
    json.dumps(plain(found), allow_nan=False)


def test_small_permutation_laws_are_exact() -> None:
    values = blocks((0.1, 0.14, 0.2), 4)
    found = infer(values)
    assert found.friedman_permutation is not None
    assert (found.friedman_permutation.law, found.friedman_permutation.standard_error) == (
        "exact",
        0,
    )
    statistic = friedmanchisquare(*values.T).statistic
    assert found.friedman_permutation.statistic == pytest.approx(statistic)
    assert found.methods["closed-means"].law == "exact"


# --------------------------------------------------------------------------------- new data sets


@pytest.mark.parametrize(
    ("problem", "resampling", "reason"),
    [
        (None, {}, "scheme-unknown"),
        ("competition", {"scheme": "bootstrap"}, "fixed-test-sample"),
        ("real-world", {"scheme": "k-fold"}, "folds-unknown"),
        ("real-world", {"scheme": "hold-out"}, "hold-out"),
        ("real-world", {"scheme": "bootstrap"}, "sizes-unknown"),
    ],
)
def test_reasons_why_nothing_holds_for_new_data(
    problem: Any, resampling: dict[str, str], reason: str
) -> None:
    found = infer(blocks((0.1, 0.2), 10), problem=problem, resampling=resampling)
    assert found.new_data is not None
    assert (found.new_data.reason, found.new_data.pairs) == (reason, None)
    assert "new-data" not in found.methods


def test_folds_give_the_ratio() -> None:
    told = {"scheme": "repeated-k-fold", "folds": 5}
    found = infer(blocks((0.1, 0.2), 10), problem="real-world", resampling=told)
    assert found.new_data is not None
    assert found.new_data.ratio == 0.25
    assert found.deciding_target == "new-data"
    assert [(p.method, p.target) for p in found.pairs] == [("new-data", "generating-process")]
    assert found.conditional is found.methods["own-variance"]
    beside = infer(
        blocks((0.1, 0.2), 10), problem="real-world", resampling=told, target="experiment"
    )
    assert [p.target for p in beside.methods["new-data"].pairs] == ["generating-process"]
    assert [p.target for p in beside.pairs] == ["conditional"]


def test_simulations_need_no_correction() -> None:
    found = infer(blocks((0.1, 0.2), 10), problem="simulation")
    assert found.new_data is not None
    assert found.new_data.ratio == 0
    assert found.new_data.pairs is None
    assert "new-data" not in found.methods
    assert {method.target for method in found.methods.values()} == {"generating-process"}


def test_new_data_of_the_source_are_compared_by_ratio_where_the_verdict_is() -> None:
    told = {"scheme": "repeated-k-fold", "folds": 5}
    values = np.exp(blocks((0.1, 0.5, 0.9), 30, sd=0.1))
    found = infer(values, TIME, problem="real-world", resampling=told)
    assert found.new_data is not None
    assert found.new_data.pairs is not None
    assert found.new_data.pairs.scale == found.pairs.scale == "ratio"
    logs = np.log(values)
    differences = logs[:, 0] - logs[:, 1]
    error = differences.std(ddof=1) * sqrt(2 / 5)
    pair = found.new_data.pairs[0]
    assert pair.estimate == pytest.approx(np.exp(differences.mean()))
    half = t.isf(0.05 / 6, 29) * error
    assert (pair.lower, pair.upper) == pytest.approx(
        (pair.estimate / np.exp(half), pair.estimate * np.exp(half))
    )


def test_one_sided_equivalence_is_shown_and_not_used() -> None:
    found = infer(blocks((0.1, 0.1, 0.10855), 20, sd=0.002), relevance={ERROR.name: (-0.01, 0.01)})
    pair = found.pairs[1]
    assert pair.lower < pair.tost_lower < pair.estimate < pair.tost_upper < pair.upper
    lenient = infer(blocks((0.1, 0.1, 0.10855), 20, sd=0.002), alpha=0.1).pairs[1]
    assert (pair.tost_lower, pair.tost_upper) == (lenient.lower, lenient.upper)
    turned = pair.reversed()
    assert (turned.tost_lower, turned.tost_upper) == (-pair.tost_upper, -pair.tost_lower)
    assert "tost_lower" not in infer(blocks((0.1, 0.2), 20)).pairs.extra


def test_many_candidates_are_compared_by_verdict_alone() -> None:
    """Of 13, methods that permute are left out; effects are those of the best candidate."""
    rng = np.random.default_rng(5)
    means = np.arange(13) / 20
    values = means + rng.normal(0, 0.1, (8, 13))
    names = [f"c{i}" for i in range(13)]
    warehouse = warehouse_of({ERROR: values}, names)
    found = analyse(warehouse, AnalysisOptions(), np.random.default_rng(0))[ERROR.name]
    assert set(found.methods) == {"block-model"}
    assert found.omitted["aligned-ranks"] == "many-candidates"
    assert found.friedman_permutation is None
    assert found.rank_pairs
    assert "p_value_permutation" not in found.rank_pairs.extra
    assert len(found.pairs) == 78
    assert len(found.effects) == 12
    assert all(found.order[0] in (effect.first, effect.second) for effect in found.effects)
    fewer = warehouse_of({ERROR: values[:, :12]}, names[:12])
    few = analyse(fewer, AnalysisOptions(), np.random.default_rng(0))[ERROR.name]
    assert len(few.effects) == 66
    assert {"joint-ranks", "aligned-ranks"} <= set(few.methods)
