"""The observations of a fixed test sample decide: in reports and in gates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_rel

from reportgen.performance_measure import Measure
from reportgen.sections.expectations import Options as Claims
from reportgen.sections.expectations.analysis import analyse as decide
from reportgen.sections.expectations.result import ClaimTest
from reportgen.sections.inference.analysis import analyse
from reportgen.sections.inference.generalisation import losses_of_test_sample
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse

RNG = np.random.default_rng(1)  # for the joint law, which twenty observations do not need
SAME = 1e-10  # one computation, on values that a power of two brings to a usual size
LOST = {(3, "b")}  # a fit that failed
MSE = Measure("mse", "smaller", bounds=(0.0, None))


def _warehouse(
    measure: Measure = MSE,
    assessment: str = "fixed",
    *,
    lost: set[tuple[int, str]] = LOST,
    keep: bool = True,
) -> Warehouse:
    rng = np.random.default_rng(2)
    rows = [
        ("d", b, k, o, 0.0, 0.0, rng.exponential(scale))
        for b in (1, 2, 3)
        for k, scale in (("a", 1.0), ("b", 3.0))
        for o in range(101, 121)
    ]
    columns = ["dataset", "replication", "candidate", "observation", "prediction", "truth", "loss"]
    kept = pd.DataFrame([row for row in rows if row[1:3] not in lost], columns=columns)
    frame = kept.groupby(["dataset", "replication", "candidate"])["loss"].mean().reset_index()
    frame = frame.rename(columns={"loss": "value"}).assign(measure=measure.name)
    return Warehouse.of(
        frame,
        [measure],
        problem="competition",
        resampling={"scheme": "bootstrap", "assessment": assessment},
        facts={"d": {"origin": "a file"}},
        predictions=kept if keep else None,
    )


def _with_mean_losses(n_tested: int = 2) -> Warehouse:
    """Return the losses that every run keeps, of the replications that both have."""
    warehouse = _warehouse(lost=set())
    whole = warehouse.predictions[warehouse.predictions["replication"] < 3]
    means = whole.groupby(["candidate", "observation"])["loss"].mean().reset_index()
    losses = means.assign(dataset="d", measure="mse", n_tested=n_tested)
    return replace(_warehouse(lost=set(), keep=False), losses=losses)


def _found(warehouse: Warehouse, **options: object) -> MeasureInference:
    return next(iter(analyse(warehouse, AnalysisOptions(**options), RNG).values()))  # type: ignore[arg-type]


def _gate(warehouse: Warehouse, claim: str) -> ClaimTest:
    options = Claims(expect=({"claim": claim},))  # type: ignore[arg-type]
    return decide(warehouse, options, RNG).gates[0]


def test_losses_are_averaged_over_complete_replications_and_paired_by_observation() -> None:
    warehouse = _warehouse()
    found = _found(warehouse)
    own = found.test_observations
    assert own is not None
    assert (own.n_observations, own.n_replications, own.reason) == (20, 2, None)
    table = warehouse.predictions.query("replication < 3")
    means = table.groupby(["candidate", "observation"])["loss"].mean()
    assert own.pairs is found.pairs
    pair = found.pairs[0]
    assert (pair.first, pair.second, pair.target) == ("a", "b", "generating-process")
    losses = np.column_stack([means["a"], means["b"]])
    expected = paired_max_t(losses, 0.05, RNG)
    assert pair.adjusted_p_value == pytest.approx(expected.adjusted_p_value[0], rel=SAME)
    assert pair.statistic is not None
    assert abs(pair.statistic) <= abs(ttest_rel(means["a"], means["b"]).statistic) * (1 + SAME)
    assert pair.estimate == pytest.approx(means["a"].mean() - means["b"].mean())
    assert pair.decision == "better"
    assert pair.n == 20
    assert (found.deciding_target, found.is_of_new_data) == ("new-data", True)


def test_the_tests_on_the_replications_decide_where_the_study_asks_for_it() -> None:
    found = _found(_with_mean_losses(), target="experiment")
    assert (found.deciding_target, found.is_of_new_data) == ("experiment", False)
    assert "observations" in found.methods


def test_it_needs_a_fixed_test_sample_losses_and_a_mean() -> None:
    lacking = _found(_warehouse(keep=False)).test_observations
    assert lacking is not None
    assert (lacking.reason, lacking.pairs) == ("not-kept", None)
    for other in (
        _warehouse(assessment="out-of-bag"),
        _warehouse(Measure("auc", "larger")),
        replace(_warehouse(keep=False), facts={}),
    ):
        found = _found(other)
        assert (found.test_observations, found.deciding_target) == (None, "experiment")
        assert "observations" not in found.methods


def test_the_mean_losses_that_every_run_keeps_say_the_same() -> None:
    expected, found = _found(_warehouse()), _found(_with_mean_losses())
    for own in (expected, found):
        assert own.test_observations is not None
        assert own.test_observations.n_replications == 2
    one, other = found.pairs[0], expected.pairs[0]
    assert (one.estimate, one.p_value) == pytest.approx((other.estimate, other.p_value), rel=SAME)


def test_mean_losses_over_different_replications_are_not_compared() -> None:
    kept = _with_mean_losses()
    is_other = kept.losses["candidate"] == "b"
    lost = replace(kept, losses=kept.losses.assign(n_tested=kept.losses["n_tested"] - is_other))
    found = _found(lost).test_observations
    assert found is not None
    assert found.reason == "not-kept"
    assert _gate(lost, "a better than b").reason in ("target", "few-units")


@pytest.mark.parametrize("better", ["smaller", "larger"])
def test_the_better_one_is_favoured_whatever_is_better(better: str) -> None:
    """The mean of the first is smaller by far."""
    warehouse = _warehouse(replace(MSE, better=better, bounds=(None, None)), lost=set())
    pair, gate = _found(warehouse).pairs[0], _gate(warehouse, "a better than b")
    assert pair.favoured == ("a" if better == "smaller" else "b")
    assert gate.outcome == ("holds" if better == "smaller" else "fails")


def test_a_gate_has_the_interval_and_the_unit_of_the_report() -> None:
    warehouse = _warehouse(lost=set())
    pair, gate = _found(warehouse).pairs[0], _gate(warehouse, "a better than b")
    (contrast,) = gate.contrasts
    assert (gate.unit, contrast.n, contrast.target) == ("observation", 20, "new-data")
    assert (contrast.estimate, contrast.lower, contrast.upper) == pytest.approx(
        (pair.estimate, pair.lower, pair.upper), rel=SAME
    )
    here = _gate(warehouse, "a better than b in this experiment")
    assert (here.unit, here.contrasts[0].n, here.contrasts[0].target) == (
        "replication", 3, "experiment",
    )  # fmt: skip


def test_a_gate_on_a_mean_goes_by_the_losses_of_the_observations() -> None:
    warehouse = _warehouse(lost=set())
    (contrast,) = _gate(warehouse, "mse of a below 3").contrasts
    losses = warehouse.predictions.query("candidate == 'a'").groupby("observation")["loss"].mean()
    assert contrast.estimate == pytest.approx(losses.mean(), rel=SAME)
    assert contrast.lower is not None
    assert contrast.upper is not None
    half = t.isf(0.025, 19) * losses.std() / 20**0.5
    sides = losses.mean() - contrast.lower, contrast.upper - losses.mean()
    assert min(sides) == pytest.approx(half, rel=SAME)  # the other is corrected for skewness
    assert half < max(sides) <= 2 * half * (1 + SAME)
    assert contrast.outcome == "holds"


def test_gaps_of_the_one_ahead_count_against_it() -> None:
    """Who fails on one of three learning samples may do so where it errs most."""
    assert _found(_warehouse(lost=set())).pairs[0].favoured == "a"
    two = _warehouse(lost={(1, "a"), (2, "a")})
    assert _found(two).deciding_target == "experiment"  # one learning sample is no comparison
    one = _warehouse(lost={(1, "a")})
    pair = _found(one).pairs[0]
    assert pair.extra["adverse_first"] > pair.upper
    gate = _gate(one, "a better than b")
    assert gate.outcome == {"a": "holds", None: "undecided"}[pair.favoured]
    assert gate.contrasts[0].gaps == {"a": (2, 3)}


def test_no_interval_leaves_what_the_bounds_of_the_measure_allow() -> None:
    bounded = replace(MSE, name="misclassification", bounds=(0.0, 1.0))
    columns = ["dataset", "replication", "candidate", "observation", "prediction", "truth", "loss"]
    rows = [
        ("d", b, k, o, 0.0, 0.0, float(k == "b" and o > 1))
        for b in (1, 2)
        for k in "ab"
        for o in range(1, 8)
    ]
    kept = pd.DataFrame(rows, columns=columns)
    frame = kept.groupby(["dataset", "replication", "candidate"])["loss"].mean().reset_index()
    warehouse = Warehouse.of(
        frame.rename(columns={"loss": "value"}).assign(measure=bounded.name),
        [bounded],
        problem="competition",
        resampling={"scheme": "bootstrap", "assessment": "fixed"},
        facts={"d": {"origin": "a file"}},
        predictions=kept,
    )
    pair = _found(warehouse).pairs[0]
    losses = np.column_stack([np.zeros(7), [0, *np.ones(6)]])
    assert paired_max_t(losses, 0.05, RNG).lower[0] < -1
    assert (pair.lower, pair.favoured) == (-1.0, "a")
    (contrast,) = _gate(warehouse, "a better than b").contrasts
    assert (contrast.lower, contrast.outcome) == (-1.0, "holds")


def test_mean_losses_over_different_learning_samples_are_not_paired() -> None:
    """Each candidate has two replications, and both have one in common."""
    lost = {(3, "b"), (2, "a")}
    means = _warehouse(lost=lost).predictions.groupby(["candidate", "observation"])["loss"].mean()
    losses = means.reset_index().assign(dataset="d", measure="mse", n_tested=2)
    for own, is_known in ((lost, False), (set(), True)):
        warehouse = replace(_warehouse(lost=own, keep=False), losses=losses)
        found = losses_of_test_sample(warehouse, warehouse.performances("d", "mse"))
        assert (found is not None) == is_known
