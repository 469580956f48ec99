"""Data frames with columns of several levels, or of replications, held against pandas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results
from tests.exchange.test_mappings import KEYS, LEARNERS, ONE, PLAIN, TIDY, expected, means, read

OURS = TIDY.assign(candidate=TIDY["candidate"].replace(dict(zip(LEARNERS, PLAIN, strict=True))))
BOTH = ["accuracy", "f1"]


def pivoted(frame: pd.DataFrame, columns: list[str], *, values: str | list[str]) -> pd.DataFrame:
    """Return the table with some keys in its columns."""
    index = [c for c in (*KEYS, "fold") if c in frame and c not in columns]
    return frame.pivot(index=index or None, columns=columns, values=values)


def unnamed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose levels of columns have no names."""
    return frame.rename_axis(columns=[None] * frame.columns.nlevels)


OF_ONE: dict[str, Callable[[], pd.DataFrame]] = {
    "data sets and candidates": lambda: pivoted(OURS, KEYS, values="accuracy"),
    "candidates and data sets": lambda: pivoted(OURS, KEYS[::-1], values="accuracy"),
    "candidates and folds": lambda: pivoted(OURS, ["candidate", "fold"], values="accuracy"),
    "measures and candidates": lambda: pivoted(OURS, ["candidate"], values=BOTH),
    "three levels": lambda: pivoted(OURS, KEYS, values=BOTH),
    "keys in columns": lambda: pivoted(OURS, ["candidate"], values=BOTH).reset_index(),
    "folds": lambda: pivoted(OURS, ["fold"], values="accuracy"),
    "folds beside keys": lambda: pivoted(OURS, ["fold"], values="accuracy").reset_index(),
    "folds of measures": lambda: pivoted(OURS, ["fold"], values=BOTH),
}


@pytest.mark.parametrize("form", OF_ONE)
def test_levels_with_names(form: str) -> None:
    assert means(read(OF_ONE[form]())) == pytest.approx(expected(OURS))


OF_LABELS: dict[str, Callable[[], pd.DataFrame]] = {
    "data sets and learners": lambda: unnamed(pivoted(TIDY, KEYS, values="accuracy")),
    "learners and data sets": lambda: unnamed(pivoted(TIDY, KEYS[::-1], values="accuracy")),
    "three levels": lambda: unnamed(pivoted(TIDY, KEYS, values=BOTH)),
    "learners and measures": lambda: unnamed(pivoted(TIDY, ["candidate"], values=BOTH)),
}


@pytest.mark.parametrize("form", OF_LABELS)
@pytest.mark.parametrize("rows", ["named", "counted"])
def test_levels_told_by_their_labels(form: str, rows: str) -> None:
    frame, own = OF_LABELS[form](), TIDY
    if rows == "counted" and "dataset" in frame.index.names:
        frame, own = frame.loc["iris"], ONE
    if rows == "counted":
        frame = frame.reset_index(drop=True)
    for measure in [m for m in BOTH if m in frame.columns.get_level_values(0)] or ["accuracy"]:
        found = read_results(object_table(frame)) if measure == "f1" else read(frame)
        assert means(found, measure) == pytest.approx(expected(own, measure))


@pytest.mark.parametrize("to", [LEARNERS, PLAIN])
def test_candidates_beside_measures_are_what_is_left(to: tuple[str, str]) -> None:
    own = TIDY if to == LEARNERS else OURS
    frame = unnamed(pivoted(own[own["dataset"] == "iris"], ["candidate"], values=BOTH))
    found = read(frame.droplevel("dataset").reset_index(drop=True))
    assert means(found) == pytest.approx(
        expected(own[own["dataset"] == "iris"].drop(columns="dataset"))
    )


def test_rows_with_texts_alone_are_data_sets_or_candidates() -> None:
    own = TIDY[TIDY["fold"] == 1].drop(columns="fold")
    by_dataset = unnamed(pivoted(own, ["candidate"], values=BOTH)).rename_axis(None)
    assert means(read(by_dataset)) == pytest.approx(expected(own))
    by_candidate = pivoted(own, ["dataset"], values=BOTH).rename_axis(None)
    assert means(read(by_candidate)) == pytest.approx(expected(own))
    folds = unnamed(pivoted(ONE, ["candidate"], values=BOTH)).set_axis(
        ["Fold 1", "Fold 2", "Fold 3"]
    )
    found = read(folds)
    assert means(found) == pytest.approx(expected(ONE))
    assert found.frame["replication"].nunique() == 3


@pytest.mark.parametrize("words", [["mean", "std"], ["mean", "sem", "count"], ["mean"]])
@pytest.mark.parametrize("index", [True, False])
def test_statistics_are_means_with_spreads(words: list[str], *, index: bool) -> None:
    frame = TIDY.groupby(KEYS)[BOTH].agg(words)
    found = read_results(object_table(frame if index else frame.reset_index()))
    for measure in BOTH:
        assert means(found, measure) == pytest.approx(expected(TIDY, measure))
    assert found.candidates == LEARNERS
    assert {m.name for m in found.measures} == {*BOTH}
    assert (found.facts.get("iris", {}).get("unit") == "summary") == ("count" in words)


def test_a_description_keeps_its_means() -> None:
    """Of a group; minima and quantiles are left out."""
    frame = TIDY.groupby(KEYS)[["accuracy"]].describe()
    found = read_results(object_table(frame))
    assert means(found) == pytest.approx(expected(TIDY))


def test_a_description_of_candidates() -> None:
    """Of one measure, whose index names the candidates; this is no other column."""
    found = read(ONE.groupby("candidate")["accuracy"].describe())
    assert means(found) == pytest.approx(expected(ONE))
    assert found.facts["data"]["unit"] == "summary"
    plain = read(ONE.groupby("candidate")["accuracy"].mean())
    assert means(plain) == pytest.approx(expected(ONE))
    assert "left-out-column" not in {*plain.remarks["name"]}


def test_replications_in_columns() -> None:
    """As after `unstack`; rows with texts alone are the candidates."""
    wide = ONE.pivot(index="candidate", columns="fold", values="accuracy")
    for frame in (wide, wide.rename_axis(index=None), wide.rename_axis(index="model")):
        found = read(frame)
        assert means(found) == pytest.approx(expected(ONE))
        assert np.array_equal(found.performances("data", "accuracy").values, wide.to_numpy().T)
    with pytest.raises(ExchangeError, match="columns of replications, and no candidates"):
        read(wide.rename_axis(index="dataset"))


UNTOLD = {
    "no names": (unnamed(pivoted(OURS, KEYS, values="accuracy")), "do not tell what is what"),
    "quantiles": (TIDY.groupby(KEYS)[["accuracy"]].agg(["min", "max"]), "a description of values"),
}


@pytest.mark.parametrize("case", UNTOLD)
def test_what_labels_do_not_tell_is_asked(case: str) -> None:
    frame, message = UNTOLD[case]
    with pytest.raises(ExchangeError, match=message):
        read(frame)


def test_structured_arrays() -> None:
    assert means(read(TIDY.to_records(index=False))) == pytest.approx(expected(TIDY))


def test_arrays_with_named_dimensions() -> None:
    xarray = pytest.importorskip("xarray", reason="not needed otherwise")
    series = TIDY.set_index([*KEYS, "fold"])["accuracy"]
    cube = xarray.DataArray.from_series(series)
    assert means(read(cube)) == pytest.approx(expected(TIDY))
    assert means(read(cube.sel(dataset="iris", drop=True))) == pytest.approx(expected(ONE))
