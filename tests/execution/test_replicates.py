"""Replications by problem and scheme."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.measures import find_measure
from reportgen.errors import SetupError
from reportgen.execution.pool import SerialExecutor
from reportgen.execution.replication import Cell, Experiment, Outcome, Replicate, mean_of, replicate
from reportgen.execution.runner import execute
from reportgen.study.resampling import FixedSample, Resampling
from reportgen.study.schema.value_types import FailureLimit
from reportgen.study.setup import ExecutionSettings, Setup
from reportgen.warehouse import Problem


def line(n: int = 30, n_test: int = 10, b2: float = 0.0) -> DataSet:
    rng = np.random.default_rng(3)
    return find_dataset("linear", n, {"b2": b2}, rng, n_test=n_test)


def grouped() -> DataSet:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 8])
    labels = pd.Series(np.where(groups % 2, "a", "b"))
    made = DataSet.of(
        "grouped", pd.DataFrame({"x": rng.random(36)}), labels, "classification", "made"
    )
    return DataSet(*(getattr(made, f) for f in made.__slots__[:8]), groups=groups)


def replicates(data: DataSet, resampling: Resampling, seed: int = 1) -> list[Replicate]:
    return [replicate(data, resampling, seed, b + 1) for b in range(resampling.replications)]


def test_folds_of_a_repeat_divide_all_observations() -> None:
    data = find_dataset("iris")
    found = replicates(data, Resampling("repeated-k-fold", 14, folds=7))
    for repeat in (found[:7], found[7:]):
        tested = np.concatenate([r.sample.test for r in repeat])
        assert sorted(tested) == list(range(150))
        assert {len(r.sample.test) for r in repeat} == {21, 22}
    assert any(
        (a.sample.test != b.sample.test).any()
        for a, b in zip(found[:7], found[7:], strict=True)
        if len(a.sample.test) == len(b.sample.test)
    )
    for r in found:
        assert not set(r.sample.learn) & set(r.sample.test)
        assert r.sizes == (len(r.sample.learn), len(r.sample.learn), len(r.sample.test))


def test_folds_keep_the_shares_of_classes() -> None:
    data = find_dataset("iris")
    resampling = Resampling("k-fold", 10, stratify=True, folds=10)
    for r in replicates(data, resampling):
        assert np.bincount(data.response[r.sample.test]).tolist() == [5, 5, 5]


@pytest.mark.parametrize(
    "resampling",
    [
        Resampling("bootstrap", 20),
        Resampling("subsampling", 20, 0.5),
        Resampling("k-fold", 4, folds=4),
        Resampling("bootstrap", 20, stratify=True),
    ],
)
def test_groups_stay_together(resampling: Resampling) -> None:
    data = grouped()
    assert data.groups is not None
    for r in replicates(data, resampling):
        learnt, tested = set(data.groups[r.sample.learn]), set(data.groups[r.sample.test])
        assert not learnt & tested
        assert learnt | tested == set(range(8))
        assert r.sizes == (len(r.sample.learn), len(learnt), len(tested))
        counts = np.bincount(r.sample.learn, minlength=36)
        assert all(len(set(counts[data.groups == g])) == 1 for g in range(8))


def test_groups_of_a_competition_are_counted() -> None:
    data = replace(grouped(), n_test=8)  # the last group
    for r in replicates(data, Resampling("bootstrap", 3, assessment="fixed")):
        assert r.sizes[1:] == (len(set(data.groups[r.sample.learn])), 1)


def test_cross_validation_inside_a_bootstrap_sample() -> None:
    """Hothorn et al. (2005), section 3.2: what is learnt from is not validated on."""
    data = find_dataset("iris")
    resampling = Resampling("bootstrap", 5, assessment="cross-validation", folds=10)
    for r, outer in zip(
        replicates(data, resampling), replicates(data, Resampling("bootstrap", 5)), strict=True
    ):
        assert sorted(r.sample.learn) == sorted(outer.sample.learn)
        assert len(r.parts) == 10
        for part in r.parts:
            assert set(part.learn) | set(part.test) <= set(r.sample.learn)
            assert not set(part.learn) & set(part.test)
            assert len(part.learn) == 135
        # An observation that was drawn once is validated on exactly once.
        drawn = np.bincount(r.sample.learn, minlength=150)
        tested = np.bincount(np.concatenate([p.test for p in r.parts]), minlength=150)
        assert (tested[drawn == 1] == 1).all()
        assert (tested <= drawn).all()


def test_the_performance_is_the_mean_over_the_parts() -> None:
    setup = _setup(
        find_dataset("iris"),
        Resampling("bootstrap", 2, assessment="cross-validation", folds=3),
        "real-world",
        "lda",
    )
    experiment = Experiment.of(setup)
    given = experiment.replicate("iris", 1)
    found = experiment(Cell("iris", 1, "lda"))
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    data = find_dataset("iris")
    x, y = data.inputs.to_numpy(), data.response
    errors = [
        np.mean(
            LinearDiscriminantAnalysis().fit(x[p.learn], y[p.learn]).predict(x[p.test]) != y[p.test]
        )
        for p in given.parts
    ]
    assert found.values["misclassification"] == pytest.approx(np.mean(errors), abs=1e-12)
    assert found.sizes == given.sizes


def test_one_failing_part_fails_the_replication() -> None:
    failed = Outcome("failed", stage="fit", message="no")
    assert mean_of([Outcome("ok", {"m": 1.0}), failed]) is failed
    mixed = mean_of(
        [Outcome("ok", {"m": 1.0, "n": 2.0}), Outcome("ok", {"m": 3.0}, absent={"n": "why"})]
    )
    assert (mixed.values, mixed.absent) == ({"m": 2.0}, {"n": "why"})


def test_a_simulation_draws_learning_and_test_sample_anew() -> None:
    data = line()
    found = replicates(data, Resampling("fresh", 3, assessment="fresh"))
    assert [r.sizes for r in found] == [(30, 30, 10)] * 3
    values = [r.data.inputs.to_numpy() for r in found]
    assert not np.intersect1d(values[0], values[1]).size
    again = replicate(data, Resampling("fresh", 9, assessment="fresh"), 1, 2)
    assert (again.data.inputs.to_numpy() == values[1]).all()


def test_a_simulation_may_keep_its_test_sample() -> None:
    data = line()
    first, second = replicates(data, Resampling("fresh", 2, assessment="fixed"))
    kept = data.inputs.iloc[30:].to_numpy()
    for r in (first, second):
        assert (r.data.inputs.iloc[r.sample.test].to_numpy() == kept).all()
    assert (first.data.inputs.iloc[:30].to_numpy() != second.data.inputs.iloc[:30].to_numpy()).all()


def test_classes_keep_their_numbers_in_every_draw() -> None:
    data = find_dataset("twonorm", 6, {"d": 2.0}, np.random.default_rng(1), n_test=4)
    for r in replicates(data, Resampling("fresh", 20, assessment="fresh")):
        assert r.data.classes == data.classes
        points = r.data.inputs.to_numpy().sum(axis=1)
        assert (
            np.corrcoef(points, r.data.response)[0, 1]
            * np.corrcoef(data.inputs.to_numpy().sum(axis=1), data.response)[0, 1]
            > 0
        )


def test_a_competition_tests_on_its_test_sample_alone() -> None:
    for scheme, fraction in (("bootstrap", 1.0), ("subsampling", 0.5)):
        for r in replicates(line(), Resampling(scheme, 5, fraction, assessment="fixed")):
            assert r.sample.test.tolist() == list(range(30, 40))
            assert r.sample.learn.max() < 30


def test_merged_samples_are_drawn_from_all() -> None:
    found = replicates(line(), Resampling("bootstrap", 30, assessment="merged"))
    assert {len(r.sample.learn) for r in found} == {40}
    assert max(r.sample.learn.max() for r in found) == 39


def test_weights_of_the_bayesian_bootstrap() -> None:
    data = line(50, 10)
    found = replicates(data, Resampling("bayesian-bootstrap", 400, assessment="fixed"))
    weights = np.array([r.sample.weights for r in found])
    assert weights.shape == (400, 50)
    assert weights.mean(axis=1) == pytest.approx(np.ones(400))
    # Dirichlet(1, …, 1) times n: variance (n - 1) / (n + 1) = .961; its standard error over
    # 20,000 dependent values is about .02.
    assert weights.var() == pytest.approx(49 / 51, abs=0.08)
    assert found[0].sample.learn.tolist() == list(range(50))


def test_a_fit_uses_the_weights_or_says_that_it_takes_none() -> None:
    data = find_dataset("twonorm", 40, {}, np.random.default_rng(1), n_test=40)
    resampling = Resampling("bayesian-bootstrap", 2, assessment="fixed")
    setup = _setup(data, resampling, "competition", "logistic", "knn")
    patient = replace(
        setup,
        measures=(find_measure("brier"),),
        execution=ExecutionSettings(max_failures=FailureLimit(share=1.0)),
    )
    warehouse = execute(patient, executor=SerialExecutor())
    status = warehouse.frame.groupby("candidate", observed=True)["status"].agg(set)
    assert status["logistic"] == {"ok"}
    assert status["knn"] == {"failed"}
    assert "weights" in warehouse.failures["message"].iloc[0]
    values = warehouse.frame.loc[warehouse.frame["candidate"] == "logistic", "value"]
    assert values.nunique() == 2


def test_the_parametric_bootstrap_draws_from_the_estimated_model() -> None:
    data = line(2000, 0, b2=0.5)
    (r,) = replicates(data, Resampling("parametric-bootstrap", 1, assessment="fresh"))
    assert r.sizes == (2000, 2000, 2000)
    source = data.estimated().source
    assert source is not None
    # Least squares of 2,000 observations: standard errors about .02, .005 and .016.
    assert source.options["b1"] == pytest.approx(2.0, abs=0.1)
    assert source.options["b2"] == pytest.approx(0.5, abs=0.025)
    assert source.options["noise"] == pytest.approx(1.0, abs=0.08)
    assert not np.isin(r.data.inputs.to_numpy(), data.inputs.to_numpy()).any()


@pytest.mark.parametrize("name", ["friedman1", "friedman2", "friedman3"])
def test_the_noise_of_a_known_signal_is_estimated(name: str) -> None:
    data = find_dataset(name, 4000, None, np.random.default_rng(2))
    assert data.source is not None
    source = data.estimated().source
    assert source is not None
    # The standard error of a standard deviation from 4,000 values is 1.1%.
    assert source.options["noise"] == pytest.approx(data.source.options["noise"], rel=0.06)


def test_given_samples_are_taken_as_they_are() -> None:
    given = (FixedSample((0, 0, 1), (2, 3)), FixedSample((4,), (5,)))
    first, second = replicates(find_dataset("iris"), Resampling("given", 2, given={"iris": given}))
    assert (first.sample.learn.tolist(), first.sample.test.tolist()) == ([0, 0, 1], [2, 3])
    assert first.sizes == (3, 2, 2)
    assert second.sizes == (1, 1, 1)


def _setup(data: DataSet, resampling: Resampling, problem: Problem, *names: str) -> Setup:
    measure = "mse" if data.task == "regression" else "misclassification"
    candidates = tuple(find_candidate(name) for name in names)
    return Setup("s", problem, (data,), candidates, (find_measure(measure),), resampling, 1)


@pytest.mark.parametrize(
    ("resampling", "n_test", "told"),
    [
        (Resampling("bootstrap", 2, assessment="fixed"), 0, "no test sample"),
        (Resampling("bootstrap", 2), 5, "which is not used"),
        (Resampling("k-fold", 31, folds=31), 0, "folds: 31; allowed at most 30"),
        (Resampling("given", 2, given={"other": ()}), 0, "given samples: .linear."),
        (
            Resampling("given", 1, given={"linear": (FixedSample((0,), (40,)),)}),
            0,
            "found the observation 41",
        ),
    ],
)
def test_what_a_scheme_needs_is_told(resampling: Resampling, n_test: int, told: str) -> None:
    with pytest.raises(SetupError, match=told):
        _setup(line(30, n_test), resampling, "real-world", "lm")


def test_fixed_data_are_not_simulated_nor_estimated() -> None:
    with pytest.raises(SetupError, match="'cars', which is fixed"):
        _setup(find_dataset("cars"), Resampling("fresh", 2, assessment="fresh"), "simulation", "lm")
    resampling = Resampling("parametric-bootstrap", 2, assessment="fresh")
    with pytest.raises(SetupError, match="is not of a generator whose parameters"):
        _setup(find_dataset("cars"), resampling, "real-world", "lm")


def test_simulated_errors_are_those_of_the_process() -> None:
    data = line(60, 200)
    setup = _setup(data, Resampling("fresh", 40, assessment="fresh"), "simulation", "lm")
    warehouse = execute(setup, executor=SerialExecutor())
    assert warehouse.target == "generating-process"
    # Mean squared error of a fitted line with normal noise of variance 1, uniform x on 60 points:
    # 1 + 2/60 and a little; standard error over 40 replications about .02.
    assert warehouse.frame["value"].mean() == pytest.approx(1.035, abs=0.07)
    fixed = _setup(data, Resampling("fresh", 2, assessment="fixed"), "simulation", "lm")
    assert execute(fixed, executor=SerialExecutor()).target == "conditional"
