"""Claims are decided by own intervals in one family, as facts, or by what sections describe."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace as Made
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from reportgen.errors import StudyError
from reportgen.performance_measure import Measure
from reportgen.sections.expectations import Options
from reportgen.sections.expectations.analysis import analyse
from reportgen.sections.expectations.result import ClaimTest, ExpectationsResult
from reportgen.sections.expectations.words import found_words
from reportgen.sections.inference import analysis as inference
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.stages import Stages
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of

ERROR = Measure("error")
ACCURACY = Measure("accuracy", "larger", "share", (0.0, 1.0))
TIME = Measure("fit-time", unit_symbol="s", bounds=(0.0, None))
ROUNDING = 1e-12
RNG = np.random.default_rng(1)
AREA = {"error": (-0.5, 0.5)}


def decide(
    warehouse: Warehouse,
    *claims: str | dict[str, str],
    relevance: object = None,
    sections: dict[str, Any] | None = None,
    **more: Any,
) -> ExpectationsResult:
    entries = tuple({"claim": c} if isinstance(c, str) else c for c in claims)
    more = {"target": "experiment"} | more
    options = Options(expect=entries, relevance=relevance or {}, **more)  # type: ignore[arg-type]
    return analyse(warehouse, options, RNG, **(sections or {}))


def outcomes(warehouse: Warehouse, *claims: str, **more: Any) -> list[str]:
    return [gate.outcome for gate in decide(warehouse, *claims, **more).gates]


def symmetric(n: int, mean: float) -> np.ndarray:
    """Return values whose skewness is 0."""
    half = np.arange(1.0, n // 2 + 1)
    return mean + np.concatenate([-half, half]) / n


def pair(mean: float, n: int = 20, measure: Measure = ERROR) -> Warehouse:
    """Return a candidate that differs from another by symmetric values of a mean."""
    base = np.linspace(5, 6, n)
    return warehouse_of({measure: np.column_stack([base + symmetric(n, mean), base])}, "ab")


# ------------------------------------------------- by the variance of the report's verdict


def test_pooled_variances_are_those_of_the_block_model() -> None:
    """By hand: the mean square of the rest of the two-way layout, t on (B - 1)(K - 1) df."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(9, 1)) + rng.normal(size=(9, 3)) * [0.5, 1.0, 2.0]
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    error = (2 * (rest**2).sum() / 16 / 9) ** 0.5
    claims = ("a better than b", "c not worse than a by 1", "b better than a in this experiment")
    warehouse = warehouse_of({ERROR: values}, "abc")
    found = decide(warehouse, *claims, variance="pooled")
    assert found.n_contrasts == 2
    columns = dict(zip("abc", values.mean(axis=0).tolist(), strict=True))
    half = student.isf(0.05 / 4, 16) * error
    for gate in found.gates:
        (c,) = gate.contrasts
        middle = columns[c.first] - columns[c.second or ""]
        assert (c.estimate, c.lower, c.upper) == pytest.approx(
            (middle, middle - half, middle + half), rel=1e-9
        )


def test_of_two_candidates_a_gate_has_the_pooled_interval_of_the_verdict() -> None:
    warehouse = pair(-0.1)
    options = AnalysisOptions(variance="pooled", target="experiment")
    verdict = inference.analyse(warehouse, options, RNG)["error"].pairs[0]
    (contrast,) = decide(warehouse, "a better than b", variance="pooled").gates[0].contrasts
    assert (contrast.lower, contrast.upper) == pytest.approx((verdict.lower, verdict.upper))


def test_means_and_new_data_know_of_no_pooled_variance() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(9, 3)) * [0.5, 1.0, 2.0]
    warehouse = warehouse_of({ERROR: values}, "abc")
    claims = ("error of a below 1",)
    assert decide(warehouse, *claims, variance="pooled") == decide(warehouse, *claims)
    told = replace(warehouse, resampling={"scheme": "k-fold", "folds": 9})
    claims = ("a better than c",)
    found = decide(told, *claims, variance="pooled", target="auto")
    assert found.targets == ("new-data",)
    assert found == decide(told, *claims, target="auto")


def test_pooled_variances_are_of_seconds_where_others_compare_ratios() -> None:
    values = np.exp(np.random.default_rng(4).normal(size=(9, 3)) * 0.1)
    gate = decide(warehouse_of({TIME: values}, "abc"), "a better than b", variance="pooled")
    assert [c.scale for c in gate.gates[0].contrasts] == ["difference"]
    own = decide(warehouse_of({TIME: values}, "abc"), "a better than b")
    assert [c.scale for c in own.gates[0].contrasts] == ["ratio"]


# ------------------------------------------------------------------ by hand: every outcome


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("a better than b", {-2.0: "holds", 0.0: "undecided", 2.0: "fails"}),
        ("b better than a", {-2.0: "fails", 0.0: "undecided", 2.0: "holds"}),
        ("a not worse than b by 1", {-2.0: "holds", 0.0: "holds", 1.0: "undecided", 2.0: "fails"}),
        ("b not worse than a by 1", {-2.0: "fails", -1.0: "undecided", 0.0: "holds", 2.0: "holds"}),
        ("a within 1 of b", {-2.0: "fails", -1.0: "undecided", 0.0: "holds", 2.0: "fails"}),
        ("a equivalent to b", {0.0: "holds", 0.5: "undecided", 2.0: "fails"}),
        ("a equivalent to b by 3", {0.0: "holds", 3.0: "undecided", 2.0: "holds", -5.0: "fails"}),
        ("a among the best", {-2.0: "holds", 0.0: "holds", 0.5: "undecided", 2.0: "fails"}),
    ],
)
def test_outcomes_by_hand(claim: str, found: dict[float, str]) -> None:
    """The interval is about ±.15 around the mean difference: `symmetric` has deviation .31."""
    for mean, outcome in found.items():
        assert outcomes(pair(mean), claim, relevance=AREA) == [outcome], mean


def test_larger_values_may_be_better() -> None:
    warehouse = pair(-2.0, measure=replace(ACCURACY, bounds=(None, None)))
    assert outcomes(warehouse, "a better than b", "b not worse than a by 1") == ["fails", "holds"]


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        ("fit-time of a below 3 s", "holds"),
        ("fit-time of a below 3000 ms", "holds"),
        ("fit-time of a below 2 s", "undecided"),
        ("fit-time of a below 1 s", "fails"),
        ("fit-time of a above 1 s", "holds"),
        ("fit-time of a above 0.05 min", "fails"),
    ],
)
def test_limits_hold_geometric_means(claim: str, outcome: str) -> None:
    values = 2 * np.exp(np.column_stack([symmetric(20, 0.0), symmetric(20, 1.0)]))
    gate = decide(warehouse_of({TIME: values}, "ab"), claim).gates[0]
    assert gate.outcome == outcome
    contrast = gate.contrasts[0]
    assert (contrast.second, contrast.scale) == (None, "ratio")
    assert contrast.estimate == pytest.approx(2, rel=ROUNDING)


def test_a_mean_is_cut_to_its_bounds() -> None:
    values = np.column_stack([[*np.ones(11), 0.98], np.linspace(0.4, 0.6, 12)])
    gate = decide(warehouse_of({ACCURACY: values}, "ab"), "accuracy of a above 90 %").gates[0]
    assert gate.outcome == "holds"
    assert gate.contrasts[0].upper == 1.0
    assert gate.contrasts[0].bounds == (pytest.approx(0.9), None)


# ----------------------------------------------------------------------- a second algorithm


def test_one_contrast_has_the_t_interval_of_scipy() -> None:
    warehouse = pair(-0.2)
    values = warehouse.performances("d", "error").values
    found = decide(warehouse, "a better than b").gates[0].contrasts[0]
    interval = ttest_1samp(values[:, 0] - values[:, 1], 0).confidence_interval(0.95)
    assert (found.lower, found.upper) == pytest.approx(tuple(interval), rel=1e-9)


def half_width(n: int, m: int, alpha: float = 0.05) -> float:
    """Return the half-width of symmetric values in standard errors: Student's."""
    return float(student.isf(alpha / (2 * m), n - 1))


@pytest.mark.parametrize("n", [20, 50])
def test_several_contrasts_share_alpha(n: int) -> None:
    rng = np.random.default_rng(3)
    base = rng.normal(size=n)
    columns = [base, base + symmetric(n, 0.1), base + symmetric(n, 0.3)]
    warehouse = warehouse_of({ERROR: np.column_stack(columns)}, "abc")
    claims = ("b better than a", "c better than a", "b within 4 of c", "error of a below 1")
    result = decide(warehouse, *claims)
    assert result.n_contrasts == 4
    found = result.gates[0].contrasts[0]
    half = half_width(n, 4) * np.std(symmetric(n, 0), ddof=1) / np.sqrt(n)
    assert found.lower == pytest.approx(0.1 - half, rel=1e-6)
    assert found.upper == pytest.approx(0.1 + half, rel=1e-6)


def test_a_contrast_counts_once() -> None:
    warehouse = pair(-0.2)
    one = decide(warehouse, "a better than b")
    claims = ("a better than b", "b not worse than a by 0.1", "a within 1 of b", "a better than b")
    same = decide(warehouse, *claims, {"claim": "b better than a", "measure": "error"})
    assert same.n_contrasts == one.n_contrasts == 1
    assert same.gates[0].contrasts == one.gates[0].contrasts
    two = decide(warehouse, "a better than b", "error of a below 3", "error of a above 9")
    assert two.n_contrasts == 2
    assert two.gates[0].contrasts[0].upper > one.gates[0].contrasts[0].upper  # type: ignore[operator]


def test_among_the_best_has_a_contrast_with_each() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal([1.0, 1.1, 3.0, 5.0], 0.1, size=(30, 4))
    warehouse = warehouse_of({ERROR: values}, "abcd")
    result = decide(
        warehouse, "a among the best", "c among the best", "b better than d", relevance=AREA
    )
    assert result.n_contrasts == 6  # a-b, a-c, a-d, c-b, c-d, b-d; a-c is of both
    best, third, _ = result.gates
    assert (best.outcome, len(best.contrasts)) == ("holds", 3)
    assert third.outcome == "fails"
    assert third.deciding is not None
    assert third.deciding.outcome == "fails"


# ------------------------------------------------------------------------------ few values


def test_few_units_leave_it_open() -> None:
    gate = decide(pair(-2.0, n=4), "a better than b").gates[0]
    assert (gate.outcome, gate.reason) == ("undecided", "few-units")
    assert gate.contrasts[0].upper is not None
    assert not gate.stops
    strict = decide(pair(-2.0, n=4), "a better than b", on_undecided="fail")
    assert strict.is_failed
    mild = decide(
        pair(0.0), {"claim": "a better than b", "on_undecided": "warn"}, on_undecided="fail"
    )
    assert not mild.is_failed


def test_a_candidate_without_values() -> None:
    values = np.column_stack([np.full(9, np.nan), np.arange(9.0)])
    gate = decide(warehouse_of({ERROR: values}, "ab"), "a better than b").gates[0]
    assert (gate.outcome, gate.reason) == ("undecided", "no-values")
    assert gate.contrasts[0].estimate is None


@pytest.mark.parametrize(
    ("n", "claim", "outcome", "reason"),
    [
        (12, "a better than b", "undecided", "no-spread"),  # equal says nothing of a bound of 0
        (12, "a not worse than b by 0.1", "holds", None),
        (12, "a within 0.1 of b", "holds", None),
        (5, "a within 0.1 of b", "undecided", "few-units"),
    ],
)
def test_candidates_that_are_equal(n: int, claim: str, outcome: str, reason: str) -> None:
    """A new version that changes nothing is not worse, from six replications on: 2^(1 - n)."""
    values = np.tile(np.arange(float(n))[:, None], 2)
    gate = decide(warehouse_of({ERROR: values}, "ab"), claim).gates[0]
    assert (gate.outcome, gate.reason) == (outcome, reason)


def test_equal_candidates_need_more_values_in_a_large_family() -> None:
    values = np.tile(np.arange(6.0)[:, None], 5)
    warehouse = warehouse_of({ERROR: values}, "abcde")
    assert outcomes(warehouse, "a within 1 of b") == ["holds"]  # 2^-5 <= .05
    assert set(outcomes(warehouse, "a within 1 of b", "c within 1 of d")) == {"undecided"}


# --------------------------------------------------------------- data sets, stages, new data


def test_over_data_sets_their_means_are_the_units() -> None:
    rng = np.random.default_rng(5)
    base = rng.normal(size=8)
    shift = symmetric(8, -1.0)
    values = {
        f"d{m}": base[m]
        + np.column_stack([np.full(7, shift[m]), np.zeros(7)])
        + rng.normal(size=(7, 1))
        for m in range(8)
    }
    warehouse = warehouse_of({ERROR: values}, "ab")
    result = decide(warehouse, "a better than b", "a better than b on d3")
    over, on = result.gates
    assert (over.unit, over.dataset, over.contrasts[0].n) == ("dataset", None, 8)
    assert (on.unit, on.dataset, on.contrasts[0].n) == ("replication", "d3", 7)
    assert result.n_contrasts == 2
    half = half_width(8, 2) * np.std(shift, ddof=1) / np.sqrt(8)
    assert over.contrasts[0].upper == pytest.approx(-1 + half, rel=1e-6)
    assert over.contrasts[0].target == "domain"
    assert on.contrasts[0].target == "experiment"
    assert result.targets == ("domain", "experiment")
    assert not result.is_promised


def test_stages_share_alpha_too() -> None:
    """Whichever stage was the last: each had a chance to be."""
    resampling = {"stages": Stages(10, 40, "error").described()}
    warehouse = pair(-0.2)
    staged = replace(warehouse, resampling=resampling)
    fixed, result = decide(warehouse, "a better than b"), decide(staged, "a better than b")
    assert (result.n_stages, result.n_contrasts) == (4, 1)
    width = half_width(20, 4) / half_width(20, 1)
    assert result.gates[0].contrasts[0].upper + 0.2 == pytest.approx(  # type: ignore[operator]
        width * (fixed.gates[0].contrasts[0].upper + 0.2),  # type: ignore[operator]
        rel=1e-6,
    )


def test_new_data_decide_where_they_are_known() -> None:
    warehouse = pair(-0.3)
    drawn = replace(warehouse, resampling={"scheme": "k-fold", "folds": 5})
    given, new = (
        decide(drawn, "a better than b", target=x).gates[0] for x in ("experiment", "auto")
    )
    assert (given.outcome, new.outcome, new.reason) == ("holds", "undecided", "wide")
    assert (given.contrasts[0].target, new.contrasts[0].target) == ("experiment", "new-data")
    factor = np.sqrt(2 / 5 * 20)
    half = given.contrasts[0].upper + 0.3  # type: ignore[operator]
    assert new.contrasts[0].upper == pytest.approx(-0.3 + factor * half, rel=1e-6)
    claim = "a better than b in this experiment"
    own = decide(drawn, claim, target="auto").gates[0]
    assert (own.outcome, own.contrasts[0].target) == ("holds", "experiment")


def test_nothing_is_decided_beyond_an_experiment_of_unknown_scheme() -> None:
    gate = decide(pair(-2.0), "a better than b", target="auto").gates[0]
    assert (gate.outcome, gate.reason) == ("undecided", "target")
    claim = "a better than b in this experiment"
    assert outcomes(pair(-2.0), claim, target="auto") == ["holds"]
    limit = decide(pair(-2.0), "error of a below 90", target="auto").gates[0]
    assert limit.outcome == "holds"  # of a mean, not of a difference


# ------------------------------------------------------------------- beside other sections


def test_a_gate_that_differs_from_the_report_names_its_family() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(0, 1, (30, 8)) + rng.normal(0, 1, (30, 1))
    values[:, 0] = values[:, 1] + symmetric(30, -0.12)
    warehouse = warehouse_of({ERROR: values}, "abcdefgh")
    options = AnalysisOptions(target="experiment")
    inferred = {"d": inference.analyse(warehouse, options, RNG, density="compact")}
    sections = {"inference": inferred}
    gate = decide(warehouse, "a better than b", sections=sections).gates[0]
    assert (gate.outcome, gate.verdict, gate.differs) == ("holds", "undecided", True)
    assert gate.n_pairs == 28
    clear = decide(warehouse, "a within 90 of b", sections=sections).gates[0]
    assert (clear.verdict, clear.differs) == ("holds", False)


def order(*best: str) -> Made:
    return Made(best=best)


@pytest.mark.parametrize(
    ("relations", "proven", "outcome", "reason", "first"),
    [
        ([order("a")], True, "holds", None, ("a",)),
        ([order("a"), order("a")], True, "holds", None, ("a",)),
        ([order("a", "b")], True, "undecided", "tied", ("a", "b")),
        ([order("a"), order("b")], True, "undecided", "tied", ("a", "b")),
        ([order("a")], False, "undecided", "tied", ("a",)),
        ([order("b")], True, "fails", None, ("b",)),
        ([], True, "undecided", "no-consensus", ()),
    ],
)
def test_consensus(
    relations: list[Made], proven: bool, outcome: str, reason: str, first: tuple[str, ...]
) -> None:
    found = Made(relations=relations, is_proven=proven, has_more=False, unavailable=None)
    sections = {"consensus": {"d": found}}
    gate = decide(pair(0.0), "consensus starts with a", sections=sections).gates[0]
    assert (gate.outcome, gate.reason, gate.found) == (outcome, reason, first)
    assert gate.kind == "check"


@pytest.mark.parametrize("why", ["one-relation", "no-search"])
def test_a_consensus_that_was_not_searched_leaves_a_claim_undecided_and_says_so(why: str) -> None:
    sections = {"consensus": {"d": Made(relations=[], unavailable=why)}}
    gate = decide(pair(0.0), "consensus starts with a", sections=sections).gates[0]
    assert (gate.outcome, gate.reason) == ("undecided", "no-search")
    assert found_words(gate) == "the consensus of so many candidates was not searched"


def test_failures_are_counted_by_fit() -> None:
    values = np.column_stack([np.arange(9.0), np.arange(9.0)])
    both = warehouse_of({ERROR: values, TIME: values + 1}, "ab")
    assert outcomes(both, "no failures") == ["holds"]
    values[2:4, 1] = np.nan
    lost = warehouse_of({ERROR: values, TIME: values + 1}, "ab")
    gate = decide(lost, "no failures on d").gates[0]
    assert (gate.outcome, gate.n_failed, gate.found) == ("fails", 2, ("b",))
    assert decide(lost, "no failures").n_contrasts == 0


def tree(*names: str) -> dict[str, Made]:
    inner = [Made(split=Made(characteristic=name)) for name in names]
    traits = [Made(name=name) for name in ("obs.n", "var.n")]
    return {"error": Made(tree=Made(inner=inner), characteristics=traits)}


def test_tree() -> None:
    def found(trees: dict[str, Made], claim: str = "tree splits on obs.n") -> ClaimTest:
        return decide(pair(0.0), claim, sections={"psychoanalysis": trees}).gates[0]

    assert found(tree("var.n", "obs.n")).outcome == "holds"
    assert (found(tree("var.n")).outcome, found(tree("var.n")).found) == ("fails", ("var.n",))
    assert (found({}).outcome, found({}).reason) == ("undecided", "no-tree")
    with pytest.raises(StudyError, match=r"found the characteristic 'obs'; allowed obs\.n"):
        found(tree(), "tree splits on obs")


@pytest.mark.parametrize(
    ("claim", "error"),
    [
        ("a better than c", "found the candidate 'c'; allowed a, b"),
        ("a equivalent to b", "found no area of equivalence of error"),
        ("error of a below 2 s", "found the unit 's'; allowed none"),
    ],
)
def test_claims_that_mean_nothing_here(claim: str, error: str) -> None:
    with pytest.raises(StudyError, match=error):
        decide(pair(0.0), claim)


def test_sections_are_asked_for_by_what_is_claimed() -> None:
    def needs(*claims: str) -> tuple[str, ...]:
        entries = tuple({"claim": claim} for claim in claims)
        return Options(expect=entries).required_sections  # type: ignore[arg-type]

    assert needs("no failures", "fit-time of a below 2 s") == ()
    assert needs("tree splits on x", "no failures") == ("psychoanalysis",)
    assert needs("a better than b", "consensus starts with a") == (
        "inference",
        "domain",
        "items",
        "consensus",
    )
