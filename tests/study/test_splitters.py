"""Samples of splitters and of successive periods, against scikit-learn on the same splits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn import model_selection as ms
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import reportgen
from reportgen.catalogue.datasets.files import data_of
from reportgen.cli import main
from reportgen.errors import SetupError, StudyError
from reportgen.execution.outcome import Cell
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import plan_execution
from reportgen.study.setup import Setup, make_setup
from tests.study.conftest import Fail, Load

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

ROUNDING = 1e-12  # of a mean of losses
SHUFFLED = np.random.default_rng(1).permutation(150)
X, Y = (part[SHUFFLED] for part in load_iris(return_X_y=True))
GROUPS = np.arange(150) // 10
LDA = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())


class Halves:
    """Learns from one half and tests on the other, named by a mask."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        first = np.arange(len(X)) < len(X) // 2
        yield first, ~first
        yield ~first, np.flatnonzero(first)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cv", "groups", "target", "reason"),
    [
        (ms.KFold(5), None, "new-data", None),
        (ms.StratifiedKFold(4, shuffle=True, random_state=3), None, "new-data", None),
        (ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1), None, "new-data", None),
        (ms.ShuffleSplit(6, test_size=0.3, random_state=1), None, "new-data", None),
        (ms.GroupKFold(5), GROUPS, "new-data", None),
        (ms.StratifiedGroupKFold(3), GROUPS, "new-data", None),
        (ms.GroupShuffleSplit(6, random_state=2), GROUPS, "new-data", None),
        (ms.PredefinedSplit(np.arange(150) % 2 - 1), None, "experiment", "hold-out"),
        (ms.TimeSeriesSplit(5, gap=3, test_size=12), None, "experiment", "time-series"),
        (ms.PredefinedSplit(np.arange(150) % 5 - 1), None, "experiment", "given-samples"),
        (ms.LeaveOneGroupOut(), GROUPS, "experiment", "given-samples"),
        (ms.ShuffleSplit(6, test_size=40, random_state=1), None, "experiment", "given-samples"),
        ([(range(100), range(100, 150)), (range(50, 150), range(50))], None, "experiment", "given"),
        (Halves(), None, "experiment", "given-samples"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_are_those_of_cross_val_score(
    cv: Any, groups: Any, target: str, reason: str | None
) -> None:
    both = {"lda": LDA, "regressed": "logistic"}
    study = reportgen.evaluate(both, X, Y, groups=groups, cv=cv, measures="accuracy", seed=1)
    found = study.performances.query("candidate == 'lda'").sort_values("replication")["value"]
    expected = ms.cross_val_score(LDA, X, Y, cv=cv, groups=groups)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)
    inference = study.result("inference")["accuracy"]
    if len(expected) > 1:
        assert inference.deciding_target == target
        assert (inference.new_data.reason or "").startswith(reason or "")
        assert (inference.new_data.reason is None) is (reason is None)


@pytest.mark.slow
def test_a_splitter_without_a_seed_has_its_scheme_and_others_need_one() -> None:
    def values(seed: int) -> np.ndarray[Any, Any]:
        cv = ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2)
        study = reportgen.evaluate({"lda": LDA}, X, Y, cv=cv, measures="accuracy", seed=seed)
        return study.performances["value"].to_numpy()

    assert np.array_equal(values(1), values(1))
    assert not np.array_equal(values(1), values(2))
    sizes = ms.ShuffleSplit(3, test_size=40)
    with pytest.raises(SetupError, match="which makes other samples each time; allowed a random_"):
        reportgen.evaluate({"lda": LDA}, X, Y, cv=sizes, measures="accuracy")


def test_generators_and_numbers_are_taken_as_scikit_learn_takes_them() -> None:
    def size(cv: Any) -> str:
        return reportgen.evaluate({"lda": LDA}, X, Y, cv=cv, measures="accuracy").size

    assert size(ms.KFold(4).split(X)).startswith("1 data set x 4 replications")
    assert size(3).startswith("1 data set x 3 replications")


class Wrong:
    """A splitter that makes what it is given."""

    def __init__(self, *pairs: Any) -> None:
        self.pairs = pairs

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        yield from self.pairs


@pytest.mark.parametrize(
    ("cv", "told"),
    [
        (
            Wrong(([0, 1], [1, 2])),
            "1 of 'data': found the observation 2 both to learn from and to te",
        ),
        (
            Wrong(([0, 1], [2]), ([], [3])),
            "2 of 'data': found 0 observations to learn from and 1 to",
        ),
        (Wrong(([0, 1], [])), "found 2 observations to learn from and 0 to test on"),
        (Wrong(([0, 1], [150])), r"found the row 150 \(1 such\); allowed 0 to 149"),
        (Wrong(([0, -1], [3])), r"found the row -1 \(1 such\); allowed 0 to 149"),
        (Wrong(([0.5, 1], [3])), "allowed numbers of rows from 0"),
        (Wrong(([0, 1],)), "allowed a learning and a test sample"),
        (Wrong(3), "found 3; allowed a learning and a test sample"),
        (Wrong(), "the splitter Wrong: found no sample of 'data'; allowed one at least"),
        (
            [([0, 1], [1, 2])],
            "the pairs of samples: replication 1 of 'data': found the observation 2",
        ),
        (
            ms.GroupKFold(3),
            (
                "GroupKFold, which cannot split the data set 'data' .ValueError: The 'groups' "
                ".*; the "
                "data set has no groups"
            ),
        ),
        (
            ms.KFold(151),
            r"KFold, which cannot split the data set 'data' .ValueError: Cannot have .*=150\.",
        ),
        (ms.PredefinedSplit([0, 1, 1]), "found folds of 3 observations; allowed of 150, those of"),
    ],
)
def test_what_makes_no_samples(cv: Any, told: str) -> None:
    with pytest.raises(SetupError, match=told):
        reportgen.evaluate({"lda": LDA}, X, Y, cv=cv, measures="accuracy")


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        ({"cv": "KFold"}, "found 'KFold'; allowed a splitter, a number of folds, or"),
        ({"cv": ms.KFold}, "allowed a splitter, a number of folds, or"),
        (
            {"resampling": [ms.KFold(3), ms.KFold(5)]},
            r"evaluate.resampling=….: found 2 ways with a splitter among them; allowed one splitt",
        ),
        ({"cv": ["k-fold", ms.KFold(5)]}, r"evaluate.cv=….: found 2 ways with a splitter among"),
        ({"cv": 1}, r"evaluate.cv=….: folds: found 1; allowed a number from 2"),
        ({"cv": [([0], [0])]}, r"evaluate.cv=….: the pairs of samples: replication 1 of 'data': f"),
        ({"cv": ms.KFold(3), "resampling": "k-fold"}, "found cv and resampling; allowed one of"),
        ({"resampling": 5}, "evaluate.resampling=….: found 5; allowed"),
        ({"cv": ms.KFold(3), "replications": 3}, "found replications with splitter; allowed"),
        ({"cv": ms.KFold(3), "problem": "competition"}, "with problem: competition; allowed"),
    ],
)
def test_what_cv_may_not_be(keywords: dict[str, Any], told: str) -> None:
    with pytest.raises((StudyError, SetupError), match=told):
        reportgen.evaluate({"lda": LDA}, X, Y, measures="accuracy", **keywords)


def test_data_sets_have_as_many_samples() -> None:
    data = {"a": (X, Y, GROUPS), "b": (X, Y, np.arange(150) // 50)}
    with pytest.raises(SetupError, match=r"found 3 given samples of the data set 'b'; allowed 15"):
        reportgen.evaluate({"lda": LDA}, data, cv=ms.LeaveOneGroupOut(), measures="accuracy")


def test_groups_stay_together() -> None:
    with pytest.raises(SetupError, match="found a group of the data set 'data' in both given sam"):
        reportgen.evaluate({"lda": LDA}, X, Y, groups=GROUPS, cv=ms.KFold(4), measures="accuracy")


# ------------------------------------------------------------------------------------- manifests

MANIFEST = """\
plugins: [splits_of_tests]
measures: [mse]
setup:
  datasets: [{name: sales, file: sales.csv, target: y, task: regression}]
  candidates: [{name: ols, estimator: sklearn.linear_model.LinearRegression}]
  resampling: RESAMPLING
"""
SPLITS = """\
import sys

from sklearn.model_selection import KFold, TimeSeriesSplit

text = "a.b"
halves = [(range(60), range(60, 120)), (list(range(60, 120)), list(range(60)))]
ordered = TimeSeriesSplit(3)
number = 4


def folds(n):
    return KFold(n)


def none(n=3):
    return n


class Last:
    def __init__(self, n=10):
        self.n = n

    def split(self, X, y=None, groups=None):
        yield range(len(X) - self.n), range(len(X) - self.n, len(X))
"""


@pytest.fixture
def sales(folder: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """Sales of 40 months, three rows each, in no order; with a module of splitters."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.delitem(sys.modules, "splits_of_tests", raising=False)
    rng = np.random.default_rng(7)
    months = np.repeat(pd.period_range("2020-01", periods=40, freq="M").astype(str), 3)
    a, b = rng.normal(size=(2, 120))
    y = a + np.linspace(0, 3, 120) + rng.normal(size=120)
    frame = pd.DataFrame({"month": months, "number": range(120), "a": a, "b": b, "y": y})
    frame = frame.sample(frac=1.0, random_state=1)
    frame.to_csv(folder / "sales.csv", index=False)
    (folder / "splits_of_tests.py").write_text(SPLITS)
    return frame.reset_index(drop=True)


def setup_of(load: Load, resampling: str) -> Setup:
    return make_setup(load(MANIFEST.replace("RESAMPLING", resampling)), allow_plugins=True)


def errors_of(setup: Setup) -> list[float]:
    experiment = Experiment.of(setup)
    numbers = range(1, setup.resampling.replications + 1)
    return [experiment(Cell("sales", b, "ols")).values["mse"] for b in numbers]


def expected(frame: pd.DataFrame, cv: Any) -> Any:
    """Return the errors of scikit-learn, with inputs as a candidate by import path gets them."""
    estimator = make_pipeline(StandardScaler(), LinearRegression())
    inputs = frame.drop(columns=[c for c in ("y", "month", "number") if c in frame])
    return -ms.cross_val_score(
        estimator, inputs, frame["y"], cv=cv, scoring="neg_mean_squared_error"
    )


@pytest.mark.parametrize(
    ("options", "splitter"),
    [
        ("", ms.TimeSeriesSplit(10)),
        (", replications: 3, gap: 4", ms.TimeSeriesSplit(3, gap=4)),
        (", test_size: 10, window: 30", ms.TimeSeriesSplit(10, test_size=10, max_train_size=30)),
    ],
)
def test_periods_are_those_of_scikit_learn_on_sorted_rows(
    sales: pd.DataFrame, load: Load, options: str, splitter: Any
) -> None:
    setup = setup_of(load, f"{{scheme: time-series, time: number{options}}}")
    assert list(setup.datasets[0].inputs) == ["month", "a", "b"] or "number" not in (
        setup.datasets[0].inputs
    )
    assert "number" not in setup.datasets[0].inputs
    ordered = np.argsort(sales["number"].to_numpy())
    for replication, (learn, test) in enumerate(splitter.split(ordered), start=1):
        sample = Experiment.of(setup).replicate("sales", replication).sample
        assert np.array_equal(sample.learn, ordered[learn])
        assert np.array_equal(sample.test, ordered[test])


def test_rows_of_one_month_stay_together_and_months_are_no_input(
    sales: pd.DataFrame, load: Load
) -> None:
    text = MANIFEST.replace("target: y,", "target: y, drop: [number],")
    text = text.replace("RESAMPLING", "{scheme: time-series, time: month, replications: 4, gap: 2}")
    setup = make_setup(load(text), allow_plugins=True)
    assert list(setup.datasets[0].inputs) == ["a", "b"]
    months = np.sort(sales["month"].unique())
    pairs = []
    for learn, test in ms.TimeSeriesSplit(4, gap=2).split(months):
        rows = [np.flatnonzero(sales["month"].isin(months[part])) for part in (learn, test)]
        pairs.append(tuple(rows))
    np.testing.assert_allclose(errors_of(setup), expected(sales, pairs), rtol=ROUNDING)
    assert setup.resampling.described() == {
        "scheme": "time-series", "replications": 4, "time": "month", "gap": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("resampling", "splitter"),
    [
        ("{splitter: sklearn.model_selection.KFold, options: {n_splits: 4}}", ms.KFold(4)),
        ("{scheme: given, splitter: splits_of_tests.ordered}", ms.TimeSeriesSplit(3)),
        ("{splitter: splits_of_tests.folds, options: {n: 6}}", ms.KFold(6)),
        (
            "{splitter: splits_of_tests.halves}",
            [(range(60), range(60, 120)), (range(60, 120), range(60))],
        ),
    ],
)
def test_splitters_by_import_path(
    sales: pd.DataFrame, load: Load, resampling: str, splitter: Any
) -> None:
    text = MANIFEST.replace("target: y,", "target: y, drop: [month, number],")
    setup = make_setup(load(text.replace("RESAMPLING", resampling)), allow_plugins=True)
    np.testing.assert_allclose(errors_of(setup), expected(sales, splitter), rtol=ROUNDING)
    assert "splitter" in setup.resampling.described()


@pytest.mark.parametrize(
    ("resampling", "told"),
    [
        ("{splitter: sklearn}", "found the splitter 'sklearn'; allowed an import path such as"),
        ("{splitter: splits_of_tests.text}", "unknown class, function or splitter of splits_of"),
        ("{splitter: splits_of_tests.sys}", "unknown class, function or splitter of splits_of_te"),
        ("{splitter: os.walk}", "found the splitter 'os.walk'; allowed an import path such as"),
        ("{splitter: sklearn.utils.Bunch}", "unknown class with split of sklearn.utils: 'Bunch'"),
        (
            "{splitter: sklearn.model_selection.KFold, options: {n: 3}}",
            "makes no splitter .TypeErr",
        ),
        ("{splitter: splits_of_tests.none}", "which makes an object of the type int; allowed an"),
        ("{splitter: splits_of_tests.halves, options: {n: 3}}", "found options of splits_of_tests"),
        ("{splitter: splits_of_tests.number}", "unknown class, function or splitter of splits_of"),
        ("{scheme: time-series, time: week}", "column under time of the data set 'sales': 'week'"),
        ("{scheme: time-series, time: y}", "column under time of the data set 'sales': 'y'"),
        ("{scheme: time-series, replications: 200}", "found 200 periods of 120 different times"),
    ],
)
def test_what_is_no_splitter(sales: pd.DataFrame, load: Load, resampling: str, told: str) -> None:
    with pytest.raises(SetupError, match=told):
        setup_of(load, resampling)


@pytest.mark.parametrize(
    ("resampling", "told"),
    [
        ("{splitter: a.B, folds: 3}", "found folds with splitter; allowed splitter and options"),
        ("{splitter: a.B, scheme: k-fold}", "found scheme with splitter; allowed"),
        ("{scheme: k-fold, options: {n: 3}}", "found options without splitter; allowed options"),
        ("{scheme: bootstrap, time: month}", "found time with bootstrap; allowed time with time-"),
        ("{scheme: given}", "found given without file; allowed a CSV file of samples as file, or"),
        (
            "{scheme: time-series, replications: {max: 90}}",
            "found stages of time-series; allowed a",
        ),
    ],
)
def test_keys_of_splitters(sales: pd.DataFrame, fail: Fail, resampling: str, told: str) -> None:
    assert told in fail(MANIFEST.replace("RESAMPLING", resampling))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "found no value of the time 'month', as in 1 of 120 rows"),
        ("Jan", "found .* in the time 'mon"),
    ],
)
def test_times_are_known_and_in_order(
    sales: pd.DataFrame, folder: Path, load: Load, value: Any, told: str
) -> None:
    sales.loc[0, "month"] = value
    sales.to_csv(folder / "sales.csv", index=False)
    with pytest.raises(SetupError, match=told):
        setup_of(load, "{scheme: time-series, time: month}")


FAR = 2**60  # where neighbours are one number in double precision


@pytest.mark.parametrize(
    "times",
    [
        [FAR + 3, FAR + 1, FAR + 1, FAR + 2],
        pd.PeriodIndex(["2024-03", "2024-01", "2024-01", "2024-02"], freq="M"),
        ["10", "8.5", "8.5", "9"],
        pd.Categorical(list("lhhm"), ["h", "m", "l"], ordered=True),
        pd.Categorical(["2024-03", "2024-01", "2024-01", "2024-02"]),
        pd.to_datetime([3, 1, 1, 2], unit="ns"),
        pd.to_timedelta([3, 1, 1, 2], unit="s"),
        pd.array([0.3, 0.1, 0.1, 0.2], "Float64"),
    ],
)
def test_the_order_of_times_of_any_type(times: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "y": [0.5, 1, 2, 3]})
    found = data_of(
        "d", frame[["a"]], frame["y"], "regression", "", time=pd.Series(times, name="t")
    )
    assert found.times is not None
    assert found.times.tolist() == [2, 0, 0, 1]


@pytest.mark.parametrize(
    "times",
    [
        [True, False, True, True],
        list("abca"),
        pd.Categorical(list("abca")),
        ["1", "2", "", "3"],
        [2**70, 2**70 - 1, 3, 4],
    ],
)
def test_what_has_no_order(times: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "y": [0.5, 1, 2, 3]})
    with pytest.raises(SetupError, match="in the time 't'; allowed numbers, or dates in ISO 8601"):
        data_of("d", frame[["a"]], frame["y"], "regression", "", time=pd.Series(times, name="t"))


def test_other_samples_are_other_fits_and_equal_ones_are_not(
    sales: pd.DataFrame, load: Load
) -> None:
    def families(resampling: str) -> set[str]:
        return {family for family, _ in plan_execution(setup_of(load, resampling)).cells.values()}

    three = families("{splitter: splits_of_tests.ordered}")
    assert three == families("{scheme: time-series, replications: 3}")
    assert three != families("{scheme: time-series, replications: 3, gap: 1}")
    assert three != families("{scheme: time-series, replications: 3, time: number}")


def test_a_data_frame_has_its_own_column_of_the_time(sales: pd.DataFrame, load: Load) -> None:
    way = {"scheme": "time-series", "time": "month", "replications": 4}
    frame = sales.drop(columns="number")
    study = reportgen.evaluate(
        {"ols": LinearRegression()}, frame, "y", resampling=way, measures="mse", prepare=True
    )
    text = MANIFEST.replace("target: y,", "target: y, drop: [number],")
    text = text.replace("RESAMPLING", "{scheme: time-series, time: month, replications: 4}")
    own = errors_of(make_setup(load(text), allow_plugins=True))
    found = study.performances.sort_values("replication")["value"]
    np.testing.assert_allclose(found, own, rtol=ROUNDING)


def test_ways_in_the_order_of_time_and_by_splitters_are_compared(
    sales: pd.DataFrame, load: Load
) -> None:
    ways = (
        "[{scheme: time-series, replications: 3}, "
        "{scheme: time-series, time: number, replications: 5}, "
        "{splitter: splits_of_tests.halves}, bootstrap]"
    )
    setup = setup_of(load, ways)
    names = [dataset.name for dataset in setup.datasets]
    assert names[:2] == ["sales (time-series)", "sales (time-series, time number)"]
    replicate = Experiment.of(setup).replicate
    assert np.array_equal(replicate(names[0], 1).sample.test, np.arange(30, 60))
    first = replicate(names[1], 1).sample.test
    assert np.array_equal(sales["number"].to_numpy()[first], np.arange(20, 40))
    assert len(replicate(names[2], 2).sample.test) == 60
    with pytest.raises(SetupError, match="found time: month and time: number; allowed one column"):
        setup_of(load, "[{scheme: time-series, time: month}, {scheme: time-series, time: number}]")


def test_two_splitters_of_one_class_are_two_ways(sales: pd.DataFrame, load: Load) -> None:
    ways = ["{splitter: splits_of_tests.Last}", "{splitter: splits_of_tests.Last, options: {n: 9}}"]
    setup = setup_of(load, f"[{', '.join(ways)}]")
    words = ("splits_of_tests.Last", "splits_of_tests.Last(n=9)")
    assert [data.name for data in setup.datasets] == [
        f"sales (given, splitter {name})" for name in words
    ]
    sizes = [len(Experiment.of(setup).replicate(d.name, 1).sample.test) for d in setup.datasets]
    assert sizes == [10, 9]
    with pytest.raises(SetupError, match=r"found given, splitter splits_of_tests\.Last twice"):
        setup_of(load, f"[{ways[0]}, {ways[0]}]")


def test_a_plug_in_has_a_name_of_its_own(sales: pd.DataFrame, folder: Path, load: Load) -> None:
    (folder / "calendar.py").write_text("from splits_of_tests import Last\n")
    text = MANIFEST.replace("[splits_of_tests]", "[calendar]")
    with pytest.raises(SetupError, match="the plug-in 'calendar', which is a module of Python, to"):
        make_setup(load(text.replace("RESAMPLING", "bootstrap")), allow_plugins=True)


@pytest.mark.slow
def test_a_report_names_periods_and_splitters(sales: pd.DataFrame, folder: Path) -> None:
    text = MANIFEST.replace("target: y,", "target: y, drop: [number],")
    text = text.replace("linear_model.LinearRegression}", "linear_model.LinearRegression}, dummy")
    for name, resampling, told in [
        (
            "periods",
            "{scheme: time-series, time: month, replications: 8, gap: 1}",
            (
                "8 successive periods",
                "as each period is tested on after learning from those before",
            ),
        ),
        (
            "splits",
            "{splitter: splits_of_tests.halves}",
            ("2 replications",),
        ),
    ]:
        file = folder / f"{name}.yaml"
        file.write_text(text.replace("RESAMPLING", resampling))
        words = [str(file), "--output", str(folder), "--allow-plugins"]
        run = CliRunner().invoke(main, ["run", *words, "--jobs", "1", "--format", "md"])
        assert run.exit_code == 0, run.output
        report = (folder / name / "report.md").read_text()
        for sentence in told:
            assert sentence in report
        assert "new data of this source" not in report
        again = CliRunner().invoke(main, ["check", *words])
        assert "; 0 fits to run" in again.output
        assert "resampling: " + ("time-series" if name == "periods" else "given") in again.output
