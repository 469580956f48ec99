"""Replications by problem and scheme, and the outcomes of single fits."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.candidates.candidate import Build
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.measures import find_measure
from reportgen.errors import SetupError
from reportgen.execution.fitting import CLEAR, Fit
from reportgen.execution.losses import unpack
from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.pool import Executor, ProcessExecutor, SerialExecutor
from reportgen.execution.replicate import Replicate, replicate
from reportgen.execution.replication import Experiment, mean_of
from reportgen.execution.resampling import count_units
from reportgen.execution.runner import execute
from reportgen.performance_measure import Problem
from reportgen.streams import stream
from reportgen.study.given_samples import FixedSample
from reportgen.study.resampling import Resampling, Scheme
from reportgen.study.schema.value_types import FailureLimit
from reportgen.study.setup import ExecutionSettings, Setup
from tests.execution import faulty
from tests.execution.faulty import GUESSER, MAJORITY, candidate, setup_of, small

PROBABILITIES = ("misclassification", "brier", "log-loss", "fit-time", "time")


def _outcome(build: Build, *measures: str) -> Outcome:
    setup = setup_of(candidate("c", build), measures=measures or ("misclassification",))
    return Experiment.of(setup)(Cell("small", 1, "c"))


def test_values_are_those_of_the_out_of_bag_sample() -> None:
    experiment = Experiment.of(setup_of(MAJORITY, measures=PROBABILITIES))
    outcome = experiment(Cell("small", 3, "majority"))
    sample, y = experiment.replicate("small", 3).sample, small().response
    share = y[sample.learn].mean()
    wrong = np.mean(y[sample.test] != round(share))
    distance = np.mean((y[sample.test] - share) ** 2)  # half of twice the square
    assert outcome.status == "ok"
    assert outcome.sizes == count_units(sample)
    assert outcome.values["misclassification"] == pytest.approx(wrong, abs=1e-12)
    assert outcome.values["brier"] == pytest.approx(distance, abs=1e-12)
    assert 0 <= outcome.values["fit-time"] <= outcome.values["time"] < 5


def test_a_fit_that_sleeps_takes_the_time_of_the_clock() -> None:
    names = ("fit-time", "predict-time", "time", "fit-cpu-time", "predict-cpu-time", "cpu-time")
    outcome = _outcome(faulty.build_sleeps, *names)
    fit, predict, both, fit_cpu, predict_cpu, both_cpu = (outcome.values[name] for name in names)
    assert fit >= faulty.SLOW_SECONDS
    assert fit + predict == pytest.approx(both, abs=1e-12)  # rounding
    assert fit_cpu < faulty.SLOW_SECONDS
    assert fit_cpu + predict_cpu == pytest.approx(both_cpu, abs=1e-12)
    assert outcome.seconds >= both
    assert outcome.cpu_seconds >= both_cpu


def test_what_waits_is_told_by_candidate() -> None:
    setup = setup_of(candidate("sleeps", faulty.build_sleeps), MAJORITY, replications=1)
    assert "waiting" not in execute(setup).facts["small"]
    timed = replace(setup, measures=(find_measure("misclassification"), find_measure("fit-time")))
    found = execute(timed).facts["small"]["waiting"]
    assert isinstance(found, dict)
    assert found["sleeps"] > 1.5 > 0.5 < found["majority"]


def test_warming_up_fits_a_few_rows_and_never_fails() -> None:
    experiment = Experiment.of(setup_of(candidate("c", faulty.build_chooses), MAJORITY))
    outcome = experiment(Cell("small", 1, "c"))
    experiment.warm_up(Cell("small", 1, "c"))
    assert experiment(Cell("small", 1, "c")).values == outcome.values
    assert experiment.kind(Cell("small", 1, "c")) == experiment.kind(Cell("other", 2, "c"))
    for build in (faulty.build_raises, faulty.build_exits, faulty.build_cannot, faulty.build_warns):
        Experiment.of(setup_of(candidate("bad", build))).warm_up(Cell("small", 1, "bad"))


@pytest.mark.slow
def test_a_slow_first_fit_in_a_process_does_not_time_out() -> None:
    slow = candidate("slow", faulty.build_slow_to_load)
    setup = setup_of(
        slow, MAJORITY, replications=4, timeout=1.0, max_failures=FailureLimit(count=0)
    )
    warehouse = execute(setup, executor=ProcessExecutor(2))
    assert set(warehouse.frame["status"]) == {"ok"}


def test_candidates_share_their_replications_samples() -> None:
    experiment = Experiment.of(setup_of(MAJORITY, GUESSER))
    sizes = {
        c: [experiment(Cell("small", b, c)).sizes for b in range(1, 6)]
        for c in ("majority", "guesser")
    }
    assert sizes["majority"] == sizes["guesser"]
    assert len(set(sizes["majority"])) > 1


def test_streams_belong_to_names() -> None:
    alone = Experiment.of(setup_of(GUESSER))
    crowd = Experiment.of(setup_of(MAJORITY, GUESSER, datasets=(small("other", 30), small())))
    other_seed = Experiment.of(setup_of(GUESSER, seed=2))
    cells = [Cell("small", b, "guesser") for b in range(1, 6)]
    values = [alone(cell).values for cell in cells]
    assert values == [crowd(cell).values for cell in reversed(cells)][::-1]
    assert values != [other_seed(cell).values for cell in cells]
    assert len({v["misclassification"] for v in values}) > 1


@pytest.mark.parametrize(
    ("build", "stage", "message"),
    [
        (faulty.build_cannot, "fit", "ImportError: no such package"),
        (faulty.build_nothing, "fit", "AttributeError: .*no attribute 'fit'"),
        (faulty.build_raises, "fit", "^ArithmeticError: no pivot$"),
        (faulty.build_exits, "fit", "SystemExit: enough"),
        (faulty.build_fails_to_predict, "predict", "KeyError: 'level'"),
        (faulty.build_gaps, "predict", r"2 of \d+ predictions are not finite"),
        (faulty.build_masked, "predict", r"2 of \d+ predictions are masked"),
        (faulty.build_tables, "predict", r"have the shape \(\d+, 1\), not \(\d+,\)"),
        (faulty.build_text, "predict", "of the type <U1, not numbers"),
        (faulty.build_strangers, "predict", "not classes of the data set"),
    ],
)
def test_failures_are_outcomes(build: Build, stage: str, message: str) -> None:
    outcome = _outcome(build)
    assert (outcome.status, outcome.stage, outcome.values) == ("failed", stage, {})
    assert outcome.sizes is not None
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(outcome.message)


def test_warnings_are_kept_not_raised(recwarn: pytest.WarningsRecorder) -> None:
    outcome = _outcome(faulty.build_warns)
    assert outcome.status == "ok"
    assert outcome.warnings == ("UserWarning: did not converge",)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (faulty.build_no_probabilities, "the candidate gives no class probabilities"),
        (faulty.build_bad_probabilities, "the probabilities cannot be used: some are not finite"),
        (faulty.build_masked_probabilities, "the probabilities cannot be used: some are masked"),
        (
            faulty.build_one_column,
            "the probabilities cannot be used: their shape is (16,), not (16, 2)",
        ),
        (
            faulty.build_weights,
            "the probabilities cannot be used: some are negative, or do not add up to one",
        ),
    ],
)
def test_without_probabilities_only_their_measures_fail(build: Build, message: str) -> None:
    outcome = _outcome(build, *PROBABILITIES)
    assert outcome.status == "ok"
    assert set(outcome.values) == {"misclassification", "fit-time", "time"}
    assert outcome.missing == {"brier": message, "log-loss": message}


def test_a_class_that_was_not_learnt_has_probability_zero() -> None:
    x = np.arange(40.0)
    labels = pd.Series(["a"] * 20 + ["b"] * 19 + ["c"])
    dataset = DataSet.of("rare", pd.DataFrame({"x": x}), labels, "classification", "")
    candidates = (find_candidate("lda"), find_candidate("dummy"))
    experiment = Experiment.of(setup_of(*candidates, datasets=(dataset,), measures=("brier",)))
    unseen = next(b for b in range(1, 30) if 39 in experiment.replicate("rare", b).sample.test)
    assert experiment(Cell("rare", unseen, "lda")).status == "ok"
    sample, y = experiment.replicate("rare", unseen).sample, dataset.response
    learnt = np.array([np.mean(y[sample.learn] == g) for g in range(3)])
    assert learnt[2] == 0.0
    by_hand = np.mean(((learnt - np.eye(3)[y[sample.test].astype(int)]) ** 2).sum(axis=1)) / 2
    found = experiment(Cell("rare", unseen, "dummy")).values["brier"]
    assert found == pytest.approx(by_hand, abs=1e-12)  # sums of 40 doubles


def test_an_empty_test_sample_is_skipped() -> None:
    tiny = DataSet.of(
        "tiny",
        pd.DataFrame({"x": [0.0, 1.0, 2.0]}),
        pd.Series(["a", "b", "a"]),
        "classification",
        "",
    )
    experiment = Experiment.of(setup_of(MAJORITY, datasets=(tiny,)))
    empty = next(b for b in range(1, 200) if not len(experiment.replicate("tiny", b).sample.test))
    outcome = experiment(Cell("tiny", empty, "majority"))
    assert (outcome.status, outcome.stage) == ("skipped", "sample")
    assert outcome.sizes == (3, 3, 0)


def test_a_learning_sample_of_one_class_fails_where_two_are_needed() -> None:
    labels = pd.Series(["a"] * 9 + ["b"])
    dataset = DataSet.of("rare", pd.DataFrame({"x": np.arange(10.0)}), labels, "classification", "")
    experiment = Experiment.of(setup_of(find_candidate("svm"), datasets=(dataset,)))
    single = next(b for b in range(1, 50) if 9 not in experiment.replicate("rare", b).sample.learn)
    outcome = experiment(Cell("rare", single, "svm"))
    assert (outcome.status, outcome.stage) == ("failed", "fit")
    assert "class" in outcome.message


def test_strata_need_classes() -> None:
    rng = np.random.default_rng(1)
    dataset = DataSet.of(
        "line",
        pd.DataFrame({"x": rng.standard_normal(20)}),
        pd.Series(rng.standard_normal(20)),
        "regression",
        "",
    )
    strata = Resampling("bootstrap", 2, stratify=True)
    with pytest.raises(
        SetupError,
        match=r"found stratify .* 'line', which has no classes; allowed with classification",
    ):
        setup_of(MAJORITY, datasets=(dataset,), resampling=strata)


def test_random_numbers_that_belong_to_nobody_are_seeded() -> None:
    common = candidate("common", faulty.build_common_numbers)
    setup = setup_of(common, MAJORITY, replications=6)
    cells = [Cell("small", b, name) for b in range(1, 7) for name in ("common", "majority")]
    values = {cell: Experiment.of(setup)(cell).values for cell in cells}
    np.random.seed(99)
    random.seed(99)
    kept, kept_numpy = random.getstate(), np.random.get_state()
    backwards = dict(SerialExecutor().run(Experiment.of(setup), reversed(cells)))
    assert {c: o.values for c, o in backwards.items() if isinstance(o, Outcome)} == values
    assert random.getstate() == kept
    left = np.random.get_state()
    assert all(np.array_equal(a, b) for a, b in zip(left, kept_numpy, strict=True))
    common_values = {v["misclassification"] for c, v in values.items() if c.candidate == "common"}
    assert len(common_values) > 2


@pytest.mark.parametrize("executor", [SerialExecutor(), ProcessExecutor(2), ProcessExecutor(1)])
def test_common_random_numbers_do_not_depend_on_who_draws_first(executor: Executor) -> None:
    common = candidate("common", faulty.build_common_numbers)
    alone = execute(setup_of(common, replications=8), executor=SerialExecutor())
    beside = setup_of(GUESSER, common, MAJORITY, datasets=(small("other"), small()), replications=8)
    expected = alone.performances("small", "misclassification").values[:, 0]
    found = execute(beside, executor=executor).performances("small", "misclassification")
    assert len(set(expected)) > 3
    assert np.array_equal(found.values[:, 1], expected)


def test_common_random_numbers_are_not_the_candidates_own() -> None:
    fits = candidate("own", faulty.build_draws_twice)
    outcome = Experiment.of(setup_of(fits))(Cell("small", 1, "own"))
    own, common = outcome.chosen["own"], outcome.chosen["common"]
    assert own != common


def test_choices_of_several_fits_are_those_of_the_first() -> None:
    once, cell = candidate("draws", faulty.build_draws_twice), Cell("small", 1, "draws")
    chosen = Experiment.of(setup_of(once))(cell).chosen
    assert Experiment.of(setup_of(replace(once, refits=3)))(cell).chosen == chosen != {}


def test_no_fit_follows_one_that_failed() -> None:
    states: list[int] = []

    def build(task: str, state: int) -> object:
        states.append(state)
        return faulty.build_raises(task, state) if len(states) == 2 else GUESSER.build(task, state)  # type: ignore[arg-type]

    several = replace(candidate("c", build), refits=4)
    outcome = Experiment.of(setup_of(several))(Cell("small", 1, "c"))
    assert (outcome.status, outcome.values, len(states)) == ("failed", {}, 2)


def test_odd_choices_do_no_harm() -> None:
    setup = setup_of(
        candidate("odd", faulty.build_chooses_oddly),
        candidate("none", faulty.build_choice_that_is_none),
    )
    odd, none = (Experiment.of(setup)(Cell("small", 1, name)) for name in ("odd", "none"))
    assert odd.chosen == {"gamma": "inf", "7": 0.5, "text": "\ufffd", "no": None}
    assert (none.status, none.chosen) == ("ok", {})


def test_memory_is_measured_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(work: object) -> None:
        raise AssertionError("measured")

    monkeypatch.setattr("reportgen.execution.fitting.peak_memory", refuse)
    measures = ("misclassification", "fit-time", "model-size")
    setup = setup_of(MAJORITY, measures=measures)
    assert set(Experiment.of(setup)(Cell("small", 1, "majority")).values) == set(measures)


def test_a_system_without_an_account_of_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.execution.fitting.CLEAR", Path("/nowhere/clear_refs"))
    setup = setup_of(MAJORITY, measures=("misclassification", "fit-memory"))
    outcome = Experiment.of(setup)(Cell("small", 1, "majority"))
    assert outcome.missing == {
        "fit-memory": "this system does not report how much memory a fit takes"
    }


def test_probabilities_are_asked_for_once_and_only_where_needed() -> None:
    slow = candidate("slow", faulty.build_slow_probabilities)
    without = Experiment.of(setup_of(slow, measures=("misclassification", "predict-time")))
    setup = setup_of(slow, measures=("brier", "log-loss", "neg_log_loss", "predict-time"))
    cell = Cell("small", 1, "slow")
    faulty.SlowProbabilities.asked = 0
    assert without(cell).status == "ok"
    assert faulty.SlowProbabilities.asked == 0
    values = Experiment.of(setup)(cell).values
    assert faulty.SlowProbabilities.asked == 1
    assert values["predict-time"] < faulty.SLOW_SECONDS


def test_choices_are_kept_by_their_bare_names() -> None:
    setup = setup_of(candidate("chooses", faulty.build_chooses))
    outcome = Experiment.of(setup)(Cell("small", 1, "chooses"))
    assert outcome.chosen == {"k": outcome.chosen["k"], "units": 3, "kind": "x<y"}


@pytest.mark.skipif(not CLEAR.exists(), reason="this system does not tell the memory of a fit")
def test_the_memory_of_a_fit_is_what_it_adds() -> None:
    large = candidate("large", faulty.build_large)
    setup = setup_of(large, MAJORITY, measures=("fit-memory", "model-size"))
    experiment = Experiment.of(setup)
    size = 32 * 2**20
    for b in (1, 2, 3):
        found = experiment(Cell("small", b, "large")).values
        assert 0.95 * size < found["fit-memory"] < 1.2 * size
        assert size < found["model-size"] < 1.01 * size
        assert experiment(Cell("small", b, "majority")).values["fit-memory"] < 2**20


@pytest.mark.skipif(not CLEAR.exists(), reason="this system does not tell the memory of a fit")
def test_the_memory_of_predictions_is_what_they_add() -> None:
    long = candidate("long", faulty.build_predicts_at_length)
    large = candidate("large", faulty.build_large)
    setup = setup_of(long, large, measures=("predict-memory", "fit-memory", "fit-predict-memory"))
    experiment = Experiment.of(setup)
    size = 32 * 2**20
    found = experiment(Cell("small", 1, "long")).values
    assert 0.95 * size < found["predict-memory"] < 1.2 * size
    assert found["fit-memory"] < 2**20
    assert found["fit-predict-memory"] == found["predict-memory"]
    assert experiment(Cell("small", 1, "large")).values["predict-memory"] < 2**20


def test_a_scorer_sees_the_test_sample() -> None:
    measures = ("misclassification", "matthews_corrcoef", "neg_log_loss")
    setup = setup_of(find_candidate("dummy"), measures=measures)
    values = Experiment.of(setup)(Cell("small", 1, "dummy")).values
    assert values["matthews_corrcoef"] == 0.0
    assert values["neg_log_loss"] < 0


def test_a_scorer_that_fails_costs_its_own_value() -> None:
    setup = setup_of(find_candidate("svm"), measures=("misclassification", "neg_log_loss"))
    outcome = Experiment.of(setup)(Cell("small", 1, "svm"))
    assert outcome.status == "ok"
    assert set(outcome.values) == {"misclassification"}
    assert outcome.missing == {"neg_log_loss": "the candidate gives no class probabilities"}


# ------------------------------------------------------------------------ problems and schemes


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
        [Outcome("ok", {"m": 1.0, "n": 2.0}), Outcome("ok", {"m": 3.0}, missing={"n": "why"})]
    )
    assert (mixed.values, mixed.missing) == ({"m": 2.0}, {"n": "why"})


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


@pytest.mark.parametrize("scheme", ["bootstrap", "subsampling", "k-fold"])
def test_apparent_performance_is_of_the_same_learning_samples(scheme: Scheme) -> None:
    folds = 5 if scheme == "k-fold" else 0
    usual = Resampling(scheme, 5, 0.5 if scheme == "subsampling" else 1.0, folds=folds)
    for assessment in ("learning", "bootstrap"):
        found = replicates(line(40, 0), replace(usual, assessment=assessment))
        for own, other in zip(found, replicates(line(40, 0), usual), strict=True):
            assert own.sample.learn.tolist() == other.sample.learn.tolist()
            if assessment == "learning":
                assert own.sample.test.tolist() == own.sample.learn.tolist()


def test_test_samples_can_be_bootstrap_samples_of_all_observations() -> None:
    found = replicates(line(40, 0), Resampling("bootstrap", 200, assessment="bootstrap"))
    assert {len(r.sample.test) for r in found} == {40}
    drawn = np.array([np.bincount(r.sample.test, minlength=40) for r in found])
    # Binomial(40, 1/40): P(0) = .363; 8,000 dependent counts have a standard error below .006.
    assert (drawn == 0).mean() == pytest.approx(0.975**40, abs=0.025)
    learnt = np.array([np.bincount(r.sample.learn, minlength=40) for r in found])
    assert abs(np.corrcoef(drawn.ravel(), learnt.ravel())[0, 1]) < 0.06


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
    status = warehouse.frame[["candidate", "status"]].drop_duplicates().to_numpy().tolist()
    assert sorted(status) == [["knn", "failed"], ["logistic", "ok"]]
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
        (Resampling("bootstrap", 2, assessment="fixed"), 0, "without a test sample"),
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


def test_a_randomised_candidate_is_averaged_over_its_fits() -> None:
    once, more = find_candidate("nnet"), replace(find_candidate("nnet"), refits=4)
    data = find_dataset("spirals", 60, {"sd": 0.1}, np.random.default_rng(2))
    cell = Cell(data.name, 1, "nnet")
    found = Experiment.of(_setup(data, Resampling("bootstrap", 1), "real-world", "nnet"))
    single = found(cell)
    several = replace(found, candidates={"nnet": more})(cell)
    states = stream(found.seed, "candidate", *cell)
    own, _, *rest = (int(states.integers(2**32)) for _ in range(5))
    (sample,) = found.replicate(data.name, 1).parts
    wrong = [
        fit.predicted != fit.truth
        for number in (own, *rest)
        for fit in [Fit(once, data, sample, number, found.measures).prediction()]
    ]
    assert single.values["misclassification"] == np.mean(wrong[0])
    assert len({tuple(own) for own in wrong}) > 1  # its fits differ
    assert several.values["misclassification"] == pytest.approx(np.mean(wrong))
    assert unpack(several.losses["misclassification"]) == pytest.approx(np.mean(wrong, axis=0))
    assert more.definition("classification") != once.definition("classification")
