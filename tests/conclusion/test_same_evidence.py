"""Report, gates, checks and few data sets judge new data by the same evidence."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.warehouse.files import read_warehouse

SAME = 1e-12  # one computation, on values that a power of two brings to a usual size
SUMMED = 1e-9  # the same in another order of summation
MEASURE = "misclassification"
CENTROID, TREE = "centroid", "tree"
CLAIM = f"{CENTROID} better than {TREE}"
NOISE = (0.3, 1.0, 2.0)  # the tree errs less, about as much, much more
Array = NDArray[np.float64]


def drawn(seed: int, noise: float, n: int = 120) -> tuple[Array, NDArray[np.int64]]:
    """Return two features, and classes of which the first one tells."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    return x, (x[:, 0] + noise * rng.normal(size=n) > 0).astype(int)


def learners() -> dict[str, object]:
    return {CENTROID: NearestCentroid(), TREE: DecisionTreeClassifier(random_state=0)}


@cache
def evaluated(noise: float, scheme: str) -> BenchmarkStudy:
    """Return a run on one data set, which keeps the losses of its observations."""
    x, y = drawn(5, noise)
    n = {"replications": 40} if scheme == "bootstrap" else {}
    return reportgen.evaluate(learners(), x, y, resampling=scheme, seed=2, name="toy", **n)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["bootstrap", "k-fold"])
@pytest.mark.parametrize("noise", NOISE)
def test_a_gate_has_the_interval_of_the_report(noise: float, scheme: str) -> None:
    study = evaluated(noise, scheme)
    found = study.result("inference")[MEASURE]
    assert found.new_data.has_losses
    assert found.is_of_new_data
    pair = found.pairs.between(CENTROID, TREE)
    (gate,) = study.gate(CLAIM)
    (contrast,) = gate.contrasts
    assert contrast.target == "new-data"
    assert (contrast.estimate, contrast.lower, contrast.upper) == pytest.approx(
        (pair.estimate, pair.lower, pair.upper), abs=SAME
    )
    wanted = {CENTROID: "holds", TREE: "fails", None: "undecided"}[pair.favoured]
    assert gate.outcome == wanted
    (check,) = study.check(CLAIM)
    assert check.outcome == {"holds": "holds", "fails": "fails"}.get(wanted, "undecided")
    assert (check.lower, check.upper) == pytest.approx((contrast.lower, contrast.upper), abs=SAME)


def test_some_of_them_are_decided_and_some_are_not() -> None:
    outcomes = {evaluated(noise, "bootstrap").gate(CLAIM)[0].outcome for noise in NOISE}
    assert len(outcomes) > 1


def test_the_losses_narrow_a_gate() -> None:
    """By replications alone the variance is s^2 2h; three variances of mean losses are less."""
    study = evaluated(2.0, "bootstrap")
    (contrast,) = study.gate(CLAIM)[0].contrasts
    new = study.result("inference")[MEASURE].new_data
    assert contrast.lower is not None
    assert contrast.upper is not None
    assert contrast.deviation is not None
    half = (contrast.upper - contrast.lower) / 2
    alone = t.isf(0.025, 39) * contrast.deviation * (2 * new.test_share) ** 0.5
    assert half < alone * 0.99


@pytest.mark.slow
def test_a_mean_is_held_against_a_limit_by_its_own_losses(tmp_path: Path) -> None:
    x, y = drawn(5, 2.0)
    study = reportgen.evaluate(
        learners(), x, y, replications=40, seed=2, name="toy", folder=tmp_path
    )
    (gate,) = study.gate(f"{MEASURE} of {CENTROID} below 0.5")
    (contrast,) = gate.contrasts
    kept = read_warehouse(tmp_path / "warehouse")
    losses = kept.losses_of("toy", MEASURE)
    assert losses is not None
    z = losses[0][:, 0]
    values = kept.performances("toy", MEASURE).values[:, 0]
    new = study.result("inference")[MEASURE].new_data
    by_replications = values.var(ddof=1) * max(1 / 40 + new.ratio, 2 * new.test_share)
    variance = min(by_replications, 3 * z.var(ddof=1) / len(z))
    half = t.isf(0.025, 39) * variance**0.5
    mean = values.mean()
    assert (contrast.lower, contrast.upper) == pytest.approx((mean - half, mean + half), abs=SUMMED)
    assert contrast.target == "new-data"
    assert gate.outcome == ("holds" if mean + half < 0.5 else "undecided")


@cache
def on_two() -> BenchmarkStudy:
    data = {"d1": drawn(5, 1.0), "d2": drawn(6, 2.0, n=80)}
    return reportgen.evaluate(learners(), data, replications=20, seed=2)


@pytest.mark.slow
def test_the_error_of_each_of_few_data_sets_is_that_of_its_own_pair() -> None:
    study = on_two()
    verdict = study.result("domain").verdict[MEASURE]
    assert (verdict.method, verdict.target) == ("sources", "these-sources")
    own = [study.result("inference", d)[MEASURE].new_data for d in verdict.datasets]
    assert all(new.has_losses for new in own)
    errors = [new.pairs.between(*verdict.pairs.candidates).standard_error for new in own]
    assert verdict.errors.variance[:, 0] == pytest.approx(np.square(errors), rel=SUMMED)
    pair = verdict.pairs[0]
    assert pair.standard_error == pytest.approx(np.hypot(*errors) / 2, rel=SUMMED)


def test_a_gate_over_few_data_sets_has_the_interval_of_the_report() -> None:
    study = on_two()
    pair = study.result("domain").verdict[MEASURE].pairs.between(CENTROID, TREE)
    (gate,) = study.gate(CLAIM)
    (contrast,) = gate.contrasts
    assert contrast.target == "these-sources"
    assert (contrast.lower, contrast.upper) == pytest.approx((pair.lower, pair.upper), abs=SAME)
    assert gate.outcome == {CENTROID: "holds", TREE: "fails", None: "undecided"}[pair.favoured]
