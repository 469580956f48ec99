"""The comparison over the observations of a fixed test sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from reportgen.sections.inference.observations import over_observations
from reportgen.stats.pairs.own_variances import compare_own_variances
from reportgen.warehouse import Measure, Warehouse

RNG = np.random.default_rng(1)  # for the joint law, which twenty observations do not need


def _warehouse(name: str = "mse", assessment: str = "fixed", *, keep: bool = True) -> Warehouse:
    rng = np.random.default_rng(2)
    rows = [
        ("d", b, k, o, 0.0, 0.0, rng.exponential(scale))
        for b in (1, 2, 3)
        for k, scale in (("a", 1.0), ("b", 3.0))
        for o in range(101, 121)
        if (b, k) != (3, "b")  # a fit that failed
    ]
    columns = ["dataset", "replication", "candidate", "observation", "prediction", "truth", "loss"]
    kept = pd.DataFrame(rows, columns=columns)
    frame = kept.groupby(["dataset", "replication", "candidate"])["loss"].mean().reset_index()
    frame = frame.rename(columns={"loss": "value"}).assign(measure=name)
    return Warehouse.of(
        frame,
        [Measure(name, "smaller")],
        problem="competition",
        resampling={"scheme": "bootstrap", "assessment": assessment},
        facts={"d": {"origin": "a file"}},
        predictions=kept if keep else None,
    )


def test_losses_are_averaged_over_complete_replications_and_paired_by_observation() -> None:
    warehouse = _warehouse()
    found = over_observations(warehouse, warehouse.performances("d", "mse"), 0.05, RNG)
    assert found is not None
    assert (found.n_observations, found.n_replications, found.reason) == (20, 2, None)
    table = warehouse.predictions.query("replication < 3")
    means = table.groupby(["candidate", "observation"])["loss"].mean()
    assert found.pairs is not None
    pair = found.pairs[0]
    assert (pair.first, pair.second, pair.target) == ("a", "b", "generating-process")
    losses = np.column_stack([means["a"], means["b"]])
    expected = compare_own_variances(losses, 0.05, RNG)
    assert pair.adjusted_p_value == pytest.approx(expected.adjusted_p_value[0], rel=1e-10)
    assert pair.statistic is not None
    assert abs(pair.statistic) <= abs(ttest_rel(means["a"], means["b"]).statistic) * (1 + 1e-12)
    assert pair.estimate == pytest.approx(means["a"].mean() - means["b"].mean())
    assert pair.decision == "better"
    assert pair.n == 20


def test_it_needs_a_fixed_test_sample_kept_predictions_and_a_mean() -> None:
    def found(warehouse: Warehouse, name: str = "mse") -> object:
        return over_observations(warehouse, warehouse.performances("d", name), 0.05, RNG)

    lacking = over_observations(
        _warehouse(keep=False), _warehouse(keep=False).performances("d", "mse"), 0.05, RNG
    )
    assert lacking is not None
    assert (lacking.reason, lacking.pairs) == ("not-kept", None)
    assert found(_warehouse(assessment="out-of-bag")) is None
    assert found(_warehouse("auc"), "auc") is None
    assert found(replace(_warehouse(keep=False), facts={})) is None


def test_the_mean_losses_that_every_run_keeps_say_the_same() -> None:
    warehouse = _warehouse()
    whole = warehouse.predictions[warehouse.predictions["replication"] < 3]
    means = whole.groupby(["candidate", "observation"])["loss"].mean().reset_index()
    losses = means.assign(dataset="d", measure="mse", n_tested=2)
    kept = replace(_warehouse(keep=False), losses=losses)
    expected = over_observations(warehouse, warehouse.performances("d", "mse"), 0.05, RNG)
    found = over_observations(kept, kept.performances("d", "mse"), 0.05, RNG)
    assert expected is not None
    assert found is not None
    assert (found.n_observations, found.n_replications, found.reason) == (20, 2, None)
    assert found.pairs is not None
    assert expected.pairs is not None
    assert found.pairs[0].estimate == pytest.approx(expected.pairs[0].estimate)
    assert found.pairs[0].p_value == pytest.approx(expected.pairs[0].p_value)
    is_other = losses["candidate"] == "b"
    lost = replace(kept, losses=losses.assign(n_tested=losses["n_tested"] - is_other))
    unlike = over_observations(lost, lost.performances("d", "mse"), 0.05, RNG)
    assert unlike is not None
    assert unlike.reason == "not-kept"
