"""Wide tables whose rows, or columns, are no data sets and no candidates: files and frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse
from tests.exchange.test_mappings import KEYS, ONE, expected, means

WIDE = ONE.pivot(index="fold", columns="candidate", values="accuracy").rename_axis(columns=None)
BOARD = WIDE.T.rename_axis("model")  # a row a candidate, a column a fold
NUMBERED = {
    "fold0": lambda k: f"fold{k - 1}",
    "Fold 1": "Fold {}".format,
    "run_1": "run_{}".format,
    "seed=0": lambda k: f"seed={k - 1}",
    "rep-1": "rep-{}".format,
}
FORMS = ["file", "frame"]


def read(frame: pd.DataFrame, form: str, folder: Path, *, wide: bool = True) -> Warehouse:
    """Read a frame, or its file with the index, as one of values of `accuracy`."""
    entries = [MeasureEntry(name="accuracy")]
    if form == "frame":
        table = object_table(frame, measure="accuracy")
        return read_results(table, measures=[] if table.wide_measure else entries)
    frame.to_csv(folder / "data.csv")
    return read_results(folder / "data.csv", measures=entries, wide=wide)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", NUMBERED)
@pytest.mark.parametrize("more", ["", "Average"])
@pytest.mark.parametrize("wide", [True, False])
def test_columns_of_replications(
    form: str, names: str, more: str, tmp_path: Path, *, wide: bool
) -> None:
    board = BOARD.rename_axis(None if wide else "model", axis=0).rename(columns=NUMBERED[names])
    board = board.rename_axis(columns=None)
    board = board.assign(**{more: board.mean(axis=1)}) if more else board
    found = read(board, form, tmp_path, wide=wide)
    assert means(found) == pytest.approx(expected(ONE))
    values = found.performances("data", "accuracy").values
    assert np.array_equal(values, WIDE.to_numpy())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("index", [None, "fold"])
def test_columns_that_are_numbers_are_asked_for(
    form: str, first: int, index: str | None, tmp_path: Path
) -> None:
    board = BOARD.set_axis(range(first, first + 3), axis=1).rename_axis(index)
    message = rf"the columns {first}, {first + 1}, {first + 2}, which may be replications"
    with pytest.raises(ExchangeError, match=message):
        read(board, form, tmp_path)


@pytest.mark.parametrize("form", FORMS)
def test_what_the_message_says_is_a_way(form: str, tmp_path: Path) -> None:
    """The columns are replications by a prefix, or candidates by their names."""
    board = BOARD.rename_axis(None)
    folds = board.add_prefix("fold").rename_axis("candidate")
    assert means(read(folds, form, tmp_path, wide=False)) == pytest.approx(expected(ONE))
    names = [*map(str, board.columns)]
    columns = {"candidate": names}
    table = object_table(board, measure="accuracy", columns=columns)
    found = read_results(table, columns=columns)
    assert found.candidates == tuple(names)
    assert found.datasets == tuple(board.index)
    board.to_csv(tmp_path / "data.csv")
    entries = [MeasureEntry(name="accuracy")]
    found = read_results(tmp_path / "data.csv", columns={"candidate": names}, measures=entries,
                         wide=True)  # fmt: skip
    assert found.candidates == tuple(names)


@pytest.mark.parametrize("form", FORMS)
def test_names_of_replications_may_be_candidates_where_the_user_says_so(
    form: str, tmp_path: Path
) -> None:
    board = BOARD.rename_axis(None).add_prefix("run ")
    names = [*board.columns]
    columns = {"candidate": names}
    if form == "frame":
        table = object_table(board, measure="accuracy", columns=columns)
        found = read_results(table, columns=columns)
    else:
        board.to_csv(tmp_path / "data.csv")
        entries = [MeasureEntry(name="accuracy")]
        found = read_results(tmp_path / "data.csv", columns=columns, measures=entries, wide=True)
    assert (found.candidates, found.datasets) == (tuple(names), ("rf", "svm"))


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_replications_stay_rows(form: str, tmp_path: Path) -> None:
    found = read(WIDE.set_axis(["fold1", "fold2", "fold3"]), form, tmp_path)
    assert means(found) == pytest.approx(expected(ONE))


MANY = pd.DataFrame(np.random.default_rng(1).uniform(0.6, 0.9, (9, 3)), columns=["rf", "svm", "nb"])
DESCRIBED = {
    "describe": MANY.describe(),
    "percentiles": MANY.describe(percentiles=[0.05, 0.95]),
    "turned": MANY.describe().T,
    "agg": MANY.agg(["mean", "std", "min", "max", "count", "sem"]),
    "mean and std": MANY.agg(["mean", "std"]),
    "as R writes it": MANY.describe().drop("std").set_axis(
        ["n", "Mean", "Min.", "1st Qu.", "Median", "3rd Qu.", "Max."]
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DESCRIBED)
def test_a_description_of_values_is_refused(form: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="a description of values; allowed the values"):
        read(DESCRIBED[name], form, tmp_path)


def test_quantiles_are_refused() -> None:
    with pytest.raises(ExchangeError, match=r"rows 0\.1, 0\.5, 0\.9, as a description"):
        object_table(MANY.quantile([0.1, 0.5, 0.9]), measure="accuracy")
    values = MANY.set_axis(np.arange(9.0))  # whole numbers
    assert len(read_results(object_table(values, measure="accuracy")).frame) == 27


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("index", [None, "dataset"])
def test_pairs_of_candidates_are_refused(form: str, index: str | None, tmp_path: Path) -> None:
    pairs = MANY.corr().abs().rename_axis(index)
    with pytest.raises(ExchangeError, match="same names: rf, svm, nb; allowed results"):
        read(pairs, form, tmp_path)
    found = read(pairs.set_axis(["d1", "d2", "d3"]).rename_axis(index), form, tmp_path)
    assert found.datasets == ("d1", "d2", "d3")


@pytest.mark.parametrize("name", ["y_true", "target", "Actual", "ground truth", "label"])
def test_true_values_beside_candidates_are_refused(name: str) -> None:
    frame = MANY.assign(**{name: 0.8})
    with pytest.raises(ExchangeError, match="which has true values by its name") as caught:
        read_results(object_table(frame, measure="accuracy"))
    way = str(caught.value).partition(": frame.")[2].partition("; columns=")[0]
    predictions = eval(f"frame.{way}")  # what the message says is a way
    found = read_results(object_table(predictions))
    errors = MANY.sub(0.8, axis=0) ** 2
    frame = found.frame[found.frame["measure"] == "mse"]
    own = frame.astype(dict.fromkeys(KEYS, str)).set_index("candidate")["value"]
    assert own.to_dict() == pytest.approx(errors.mean().to_dict())
    named = {"candidate": [name, "rf", "svm"]}
    told = read_results(object_table(MANY.assign(**{name: 0.8}), measure="accuracy"), columns=named)
    assert name in told.candidates
