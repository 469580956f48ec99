"""Other roads to all pairs, a reference, new data sets, effects and diagnostics."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reportgen.sections.inference.beside import OtherPair
from scipy.stats import friedmanchisquare, permutation_test, t, ttest_rel, wilcoxon

from reportgen.rendering.results_json import plain
from reportgen.sections.inference.analysis import MeasureInference, Options, analyse
from reportgen.stats.multiplicity import holm
from reportgen.warehouse import Warehouse
from tests.sections.reading import ERROR, NAMES, TIME, blocks, warehouse_of

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
CLOSED_FORM = 1e-9  # relative, where both sides have closed forms
DUNNETT = 1e-6  # absolute: multcomp's quasi-Monte Carlo, abseps = 1e-8, of a quantile
MONTE_CARLO = 5  # standard errors

INTERVALS = ("max-t", "bonferroni", "tukey")


def infer(values: Any, measure: Any = ERROR, **settings: Any) -> MeasureInference:
    """Return what is concluded about one measure; settings of the warehouse come first."""
    told = {k: settings.pop(k) for k in ("problem", "resampling") if k in settings}
    warehouse = warehouse_of("d", NAMES[: values.shape[1]], {measure: values})
    found = analyse(replace(warehouse, **told), Options(**settings), np.random.default_rng(0))
    return found[measure.name]


def rows(found: MeasureInference, method: str) -> list[OtherPair]:
    return [pair for pair in found.other_pairs if pair.method == method]


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
        options = Options(reference="lda", relevance={"Misclassification": (-0.01, 0.01)})
        return next(iter(analyse(told, options, np.random.default_rng(0)).values()))

    def test_reference(self, found: MeasureInference) -> None:
        against = found.against
        assert against is not None
        assert (against.reference, against.df) == ("lda", self.numbers["df"])
        expected = {pair["candidate"]: pair for pair in self.numbers["pairs"]}
        assert {pair.candidate for pair in against.pairs} == set(expected)
        for pair in against.pairs:
            row = expected[pair.candidate]
            assert pair.estimate == pytest.approx(row["estimate"], abs=1e-13)
            assert pair.p_value == pytest.approx(row["p"], abs=DUNNETT)
            assert pair.lower == pytest.approx(row["lower"], abs=DUNNETT * 0.1)
            assert pair.upper == pytest.approx(row["upper"], abs=DUNNETT * 0.1)
        decisions = {pair.candidate: pair.decision for pair in against.pairs}
        assert decisions["svm"] == "better-relevant"
        assert decisions["nnet"] == decisions["knn"] == "equivalent"

    def test_reference_is_listed_in_the_order_of_the_study(self, found: MeasureInference) -> None:
        listed = rows(found, "dunnett")
        place = found.candidates.index
        assert len(listed) == 5
        assert all(place(row.first) < place(row.second) for row in listed)
        (svm,) = [row for row in listed if "svm" in (row.first, row.second)]
        assert (svm.first, svm.decision) == ("lda", "worse-relevant")
        assert svm.estimate == pytest.approx(0.0242719144494786)
        assert svm.lower is not None
        assert svm.lower > 0.01

    def test_rank_pairs_have_a_permutation_p_value(self, found: MeasureInference) -> None:
        assert found.friedman_permutation is not None
        assert found.friedman_permutation.p_value == 1e-4
        for pair in found.rank_pairs:
            assert pair.p_value_permutation is not None
            assert pair.permutation_error is not None
            slack = MONTE_CARLO * max(pair.permutation_error, 1e-4)
            assert abs(pair.p_value_permutation - max(pair.p_value, 1e-4)) <= slack

    def test_iman_davenport(self, found: MeasureInference) -> None:
        assert found.iman_davenport is not None
        assert found.iman_davenport.statistic == pytest.approx(423.4207, abs=5e-5)
        assert (found.iman_davenport.df1, found.iman_davenport.df2) == (5, 1245)

    def test_every_road_that_keeps_to_the_data_set_agrees(self, found: MeasureInference) -> None:
        assert [road.name for road in found.roads] == [
            "block-model",
            "pairwise-variance",
            "joint-ranks",
            "closed-ranks",
            "aligned-ranks",
            "signed-rank-holm",
            "signed-rank-shaffer",
            "corrected-t",
        ]
        for road in found.roads[:-1]:
            assert (road.n_distinguished, road.differing) == (13, ())
            assert road.target == "conditional"

    def test_pairwise_standard_errors(self, found: MeasureInference) -> None:
        """Statistics.md 3: .43 to 1.22 times the pooled one."""
        own = [row for row in rows(found, "max-t") if row.variance == "pairwise"]
        assert len(own) == 15
        ratios = []
        for row, pair in zip(own, found.pairs, strict=True):
            assert row.statistic is not None
            ratios.append(row.estimate / row.statistic / pair.standard_error)
        assert min(ratios) == pytest.approx(0.43, abs=0.005)
        assert max(ratios) == pytest.approx(1.22, abs=0.005)

    def test_new_data_sets(self, found: MeasureInference, monks3_warehouse: Warehouse) -> None:
        corrected, road = found.corrected, found.road["corrected-t"]
        assert corrected is not None
        assert corrected.ratio == pytest.approx(204 / 350)
        assert (road.target, road.n_distinguished) == ("generating-process", 2)
        values = monks3_warehouse.performances("mnk3", "Misclassification").values
        alone = []
        for pair, (i, j) in zip(corrected.pairs, combinations(range(6), 2), strict=True):
            differences = values[:, i] - values[:, j]
            s = differences.std(ddof=1)
            assert pair.standard_error == pytest.approx(s * sqrt(1 / 250 + 204 / 350))
            assert pair.limit_standard_error == pytest.approx(s * sqrt(204 / 350))
            alone.append(2 * t.sf(abs(differences.mean()) / pair.standard_error, 249))
            assert pair.p_value == pytest.approx(alone[-1], rel=CLOSED_FORM)
            assert pair.below is not None
            assert pair.inside is not None
            assert pair.above is not None
            assert pair.below + pair.inside + pair.above == pytest.approx(1)
        holms = [pair.p_value_holm for pair in corrected.pairs]
        assert holms == pytest.approx(holm(np.array(alone)).tolist())

    def test_scatter(self, found: MeasureInference) -> None:
        assert found.diagnostics is not None
        assert found.diagnostics.spread is not None
        deviations = found.diagnostics.spread.standard_deviations
        assert max(deviations, key=lambda name: deviations[name] or 0.0) == "rf"
        assert len(found.diagnostics.block_effects) == 250
        assert sum(found.diagnostics.block_effects) == pytest.approx(0, abs=1e-12)

    def test_results(self, found: MeasureInference) -> None:
        written = plain(found)
        assert "other_pairs" not in written
        assert [pair["primary"] for pair in written["pairs"][:15]] == [True] * 15
        names = {(p["first"], p["second"]) for p in written["pairs"]}
        for name in names:
            of_pair = [p for p in written["pairs"] if (p["first"], p["second"]) == name]
            assert sum(p["primary"] for p in of_pair) == 1
        assert all(p["target"] for p in written["pairs"])
        assert {p["method"] for p in written["pairs"]} == {
            "tukey",
            "max-t",
            "signed-rank-holm",
            "corrected-t",
            "dunnett",
        }


# -------------------------------------------------------------------------- other directions


def test_nothing_depends_on_the_direction_of_the_measure() -> None:
    values = blocks((0.1, 0.15, 0.2, 0.2), 20)
    small = infer(values, reference=NAMES[1])
    large = infer(1 - values, replace(ERROR, better="larger"), reference=NAMES[1])
    for one, other in zip(small.roads, large.roads, strict=True):
        assert one.name == other.name
        assert one.differing == other.differing
        assert np.array(one.p_values) == pytest.approx(np.array(other.p_values), abs=1e-9)
    for a, b in zip(small.other_pairs, large.other_pairs, strict=True):
        assert (a.first, a.second, a.method, a.decision) == (
            b.first,
            b.second,
            b.method,
            b.decision,
        )
    for one, other in zip(small.effects, large.effects, strict=True):
        assert one.superiority == other.superiority
        assert one.difference == pytest.approx(-other.difference)


def test_a_method_draws_from_a_stream_of_its_own() -> None:
    """What one method, or another measure, is asked changes no other number."""
    values = blocks((0.1, 0.11, 0.2), 30)
    alone = infer(values)
    with_reference = infer(values, reference=NAMES[0])
    assert alone.roads == with_reference.roads
    assert alone.friedman_permutation == with_reference.friedman_permutation
    warehouse = warehouse_of("d", NAMES[:3], {ERROR: values, TIME: values + 1})
    beside = analyse(warehouse, Options(), np.random.default_rng(0))
    assert beside[ERROR.name].roads == alone.roads
    assert beside[TIME.name].diagnostics is None


# ---------------------------------------------------------------------------- two candidates


@pytest.mark.parametrize("n_blocks", [5, 12])
def test_two_candidates(n_blocks: int) -> None:
    values = blocks((0.1, 0.112), n_blocks)
    found = infer(values)
    road = found.road
    first, second = values.T
    assert road["block-model"].p_values == pytest.approx([ttest_rel(first, second).pvalue])
    assert road["pairwise-variance"].p_values == pytest.approx(road["block-model"].p_values)
    assert road["signed-rank-holm"].p_values == pytest.approx(
        [wilcoxon(first, second, method="exact").pvalue]
    )
    expected = permutation_test(
        (first, second),
        lambda a, b: (a - b).mean(),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert road["permutation-t"].p_values == pytest.approx([expected.pvalue])
    assert road["permutation-t"].law == "exact"
    assert "closed-ranks" not in road
    assert "signed-rank-shaffer" not in road
    assert found.t_star is None


# ------------------------------------------------------------------- few and many replications


def test_signs_are_flipped_only_where_that_can_tell() -> None:
    """The smallest p-value is 2^(1 - B); with many replications correlations are known."""
    means = (0.1, 0.15, 0.2)
    few, some, many = (infer(blocks(means, n)) for n in (5, 6, 60))
    assert "sign-flip" not in few.road
    assert few.omitted == {"sign-flip": "too-few-replications", "corrected-t": "scheme-unknown"}
    assert some.road["sign-flip"].smallest_p == 2**-5
    assert {row.decision for row in rows(some, "sign-flip")} <= {"better", "worse", "undecided"}
    assert all(row.lower is None and row.df is None for row in rows(some, "sign-flip"))
    assert "sign-flip" not in many.road
    assert many.omitted == {"corrected-t": "scheme-unknown"}
    assert many.road["pairwise-variance"].law == "max-t"
    assert some.road["pairwise-variance"].law == "t"


def test_holm_stands_beside_intervals_of_few_replications() -> None:
    values = blocks((0.1, 0.12, 0.13, 0.2), 10)
    found = infer(values)
    own = rows(found, "bonferroni")
    alone = [ttest_rel(values[:, i], values[:, j]).pvalue for i, j in combinations(range(4), 2)]
    assert [row.p_value for row in own] == pytest.approx(holm(np.array(alone)).tolist())
    half = t.isf(0.05 / 12, 9) * (values[:, 0] - values[:, 1]).std(ddof=1) / sqrt(10)
    assert own[0].lower == pytest.approx(own[0].estimate - half)
    for row in own:
        assert row.significant == (row.p_value <= 0.05)
        assert (row.decision == "undecided") == (not row.significant)


@pytest.mark.parametrize(("n_blocks", "method"), [(10, "bonferroni"), (60, "max-t")])
def test_pairwise_variance_makes_the_decisions_where_asked(n_blocks: int, method: str) -> None:
    rng = np.random.default_rng(3)
    values = 0.2 + rng.normal(size=(n_blocks, 4)) * [0.001, 0.001, 0.02, 0.05]
    values[:, 1] += 0.004
    pooled, own = infer(values), infer(values, variance="own")
    assert {(p.method, p.variance) for p in own.pairs} == {(method, "pairwise")}
    assert {p.df for p in own.pairs} == {n_blocks - 1}
    assert [p.estimate for p in own.pairs] == pytest.approx([p.estimate for p in pooled.pairs])
    assert own.pairs[0].significant
    assert not pooled.pairs[0].significant
    assert NAMES[:2] in pooled.road["pairwise-variance"].differing
    assert NAMES[:2] in own.road["block-model"].differing
    assert [road.name for road in own.roads[:2]] == ["pairwise-variance", "block-model"]
    assert {row.method for row in own.other_pairs if row.variance == "pooled"} == {"tukey"}
    assert own.critical_value is not None
    first = own.pairs[0]
    assert first.upper == pytest.approx(first.estimate + own.critical_value * first.standard_error)
    assert all(p.significant == (p.p_value < 0.05) for p in own.pairs)


def test_asymptotic_law_holds_for_pairwise_variances() -> None:
    values = blocks((0.1, 0.11, 0.12), 60)
    exact, normal = (infer(values, variance="own", df=df) for df in ("exact", "asymptotic"))
    assert exact.critical_value is not None
    assert normal.critical_value is not None
    assert normal.critical_value < exact.critical_value
    assert {p.df for p in normal.pairs} == {None}


# -------------------------------------------------------------------------------- gaps and ties


def test_gaps_leave_the_complete_replications_to_what_needs_them() -> None:
    values = blocks((0.1, 0.15, 0.2), 40)
    values[:7, 0] = np.nan
    found = infer(values, variance="own", reference=NAMES[2])
    assert found.pairs[0].variance == "pooled"  # all values, not only complete replications
    assert found.road["block-model"].n_blocks == 40
    assert {r.n_blocks for r in found.roads if r.name != "block-model"} == {33}
    assert found.against is not None
    assert found.against.n_blocks == 33
    assert {e.n_blocks for e in found.effects} == {33, 40}
    complete = infer(values[7:], reference=NAMES[2])
    for name in ("pairwise-variance", "closed-ranks", "signed-rank-holm", "joint-ranks"):
        one, other = found.road[name].p_values, complete.road[name].p_values
        assert one == pytest.approx(other, abs=1e-12 if name != "pairwise-variance" else 1e-3)


def test_without_complete_replications_only_the_model_compares() -> None:
    values = blocks((0.1, 0.15, 0.2, 0.3), 24)
    values[np.arange(24), np.arange(24) % 4] = np.nan
    found = infer(values, reference=NAMES[0])
    assert [road.name for road in found.roads] == ["block-model"]
    assert found.omitted["joint-ranks"] == found.omitted["pairwise-variance"] == "incomplete"
    assert found.against is None
    assert len(found.effects) == 6


def test_all_tied() -> None:
    found = infer(np.full((12, 3), 0.25), reference=NAMES[0])
    assert found.unavailable == "no-variation"
    assert found.friedman_permutation is not None
    assert found.friedman_permutation.p_value == 1
    assert found.iman_davenport is not None
    assert found.iman_davenport.p_value == 1
    assert found.roads == ()
    assert found.other_pairs == ()
    assert found.against is not None
    assert found.against.critical_value is None
    assert {p.p_value_permutation for p in found.against.pairs} == {1.0}
    assert {(e.superiority, e.d) for e in found.effects} == {(0.5, None)}
    json.dumps(plain(found), allow_nan=False)


def test_a_pair_without_a_difference_is_no_fault() -> None:
    values = blocks((0.1, 0.15, 0.2), 60)
    values[:, 1] = values[:, 0]
    found = infer(values, variance="own", resampling={"scheme": "bootstrap"})
    assert not found.pairs[0].significant
    assert found.pairs[0].method == "bonferroni"
    assert [road.p_values[0] for road in found.roads] == pytest.approx([1.0] * 8)
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
    assert found.road["closed-means"].law == "exact"


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
def test_reasons_why_there_is_no_corrected_test(
    problem: Any, resampling: dict[str, str], reason: str
) -> None:
    found = infer(blocks((0.1, 0.2), 10), problem=problem, resampling=resampling)
    assert found.corrected is not None
    assert (found.corrected.reason, found.corrected.pairs) == (reason, ())
    assert "corrected-t" not in found.road
    assert not rows(found, "corrected-t")


def test_folds_give_the_ratio() -> None:
    told = {"scheme": "repeated-k-fold", "folds": 5}
    found = infer(blocks((0.1, 0.2), 10), problem="real-world", resampling=told)
    assert found.corrected is not None
    assert found.corrected.ratio == 0.25
    assert [row.target for row in rows(found, "corrected-t")] == ["generating-process"]


def test_simulations_need_no_correction() -> None:
    found = infer(blocks((0.1, 0.2), 10), problem="simulation")
    assert found.corrected is not None
    assert found.corrected.ratio == 0
    assert found.corrected.pairs == ()
    assert "corrected-t" not in found.road
    assert {road.target for road in found.roads} == {"generating-process"}


def test_one_sided_equivalence_is_shown_and_not_used() -> None:
    # half-widths: 2.44 * .002 * sqrt(2 / 20) = .00154 at 95%, .00134 at 90%
    values = blocks((0.1, 0.1, 0.10855), 20, sd=0.002)
    found = infer(values, relevance={ERROR.name: (-0.01, 0.01)})
    pair = found.pairs[1]
    assert pair.tost_interval is not None
    assert pair.lower < pair.tost_interval[0] < pair.estimate < pair.tost_interval[1] < pair.upper
    assert pair.upper < 0.01 or pair.lower < -0.01 < pair.tost_interval[0]
    assert pair.decision == "better"
    turned = pair.turned()
    assert turned.tost_interval == (-pair.tost_interval[1], -pair.tost_interval[0])
    assert all(p.tost_interval is None for p in infer(values).pairs)


def test_many_candidates_are_compared_by_verdict_alone() -> None:
    """Of 13, the roads that permute are left out; effects are those of the best candidate."""
    rng = np.random.default_rng(5)
    means = np.arange(13) / 20
    values = means + rng.normal(0, 0.1, (8, 13))
    names = [f"c{i}" for i in range(13)]
    warehouse = warehouse_of("d", names, {ERROR: values})
    found = analyse(warehouse, Options(), np.random.default_rng(0))[ERROR.name]
    assert {road.name for road in found.roads} <= {"block-model", "pairwise-variance"}
    assert found.omitted["aligned-ranks"] == "many-candidates"
    assert found.friedman_permutation is None
    assert found.rank_pairs
    assert found.rank_pairs[0].p_value_permutation is None
    assert len(found.pairs) == 78
    assert len(found.effects) == 12
    assert all(found.order[0] in (effect.first, effect.second) for effect in found.effects)
    fewer = warehouse_of("d", names[:12], {ERROR: values[:, :12]})
    few = analyse(fewer, Options(), np.random.default_rng(0))[ERROR.name]
    assert len(few.effects) == 66
    assert {"joint-ranks", "aligned-ranks"} <= {road.name for road in few.roads}
