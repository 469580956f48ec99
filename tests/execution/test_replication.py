"""One cell at a time: what a candidate does wrong is in the outcome."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.candidates import Build, find_candidate
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.errors import SetupError
from reportgen.execution.pool import Executor, ProcessExecutor, SerialExecutor
from reportgen.execution.replication import Cell, Experiment, Outcome
from reportgen.execution.resampling import count_units
from reportgen.execution.runner import execute
from reportgen.study.resampling import Resampling
from reportgen.study.schema.value_types import FailureLimit
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


def test_warming_up_fits_a_few_rows_and_never_fails() -> None:
    experiment = Experiment.of(setup_of(candidate("c", faulty.build_chooses), MAJORITY))
    outcome = experiment(Cell("small", 1, "c"))
    experiment.warm_up(Cell("small", 1, "c"))
    assert experiment(Cell("small", 1, "c")).values == outcome.values
    assert experiment.kind(Cell("small", 1, "c")) == experiment.kind(Cell("other", 2, "c"))
    for build in (faulty.build_raises, faulty.build_exits, faulty.build_cannot, faulty.build_warns):
        Experiment.of(setup_of(candidate("bad", build))).warm_up(Cell("small", 1, "bad"))


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
    assert outcome.absent == {"brier": message, "log-loss": message}


def test_a_class_that_was_not_learnt_has_probability_zero() -> None:
    x = np.arange(40.0)
    labels = pd.Series(["a"] * 20 + ["b"] * 19 + ["c"])
    dataset = DataSet.of("rare", pd.DataFrame({"x": x}), labels, "classification", "")
    setup = setup_of(find_candidate("lda"), datasets=(dataset,), measures=("brier",))
    experiment = Experiment.of(setup)
    unseen = [b for b in range(1, 30) if 39 in experiment.replicate("rare", b).sample.test]
    assert unseen
    assert experiment(Cell("rare", unseen[0], "lda")).status == "ok"


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
        SetupError, match=r"found stratify, which needs classes; .* 'line' has none"
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
    assert outcome.absent == {"fit-memory": "this system does not tell how much memory a fit takes"}


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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of a fit")
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
    assert outcome.absent == {"neg_log_loss": "the candidate gives no class probabilities"}
