"""Cells of published tables: signs of per cent, means with a spread, words for right and wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import reportgen
from reportgen.cli import main
from reportgen.errors import ExchangeError
from reportgen.exchange.cells import CELL, LONGEST_CELL, read_cell, read_cells
from reportgen.exchange.objects import object_table
from reportgen.exchange.spreads import columns_beside
from reportgen.exchange.table import FEW, RawTable
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

ACCURACY, SCORE = MeasureEntry(name="accuracy"), MeasureEntry(name="score", better="larger")
KINDS = ["csv", "parquet", "frame"]


def _read(table: pd.DataFrame, folder: Path, kind: str, **given: Any) -> Warehouse:
    if kind == "frame":
        return read_results(object_table(table), **given)
    path = folder / f"table.{kind}"
    (table.to_csv if kind == "csv" else table.to_parquet)(path, index=False)
    return read_results(path, **given)


def _values(found: Warehouse, measure: str) -> list[float]:
    own = found.frame[found.frame["measure"] == measure]
    return own["value"].tolist()


def _told(found: Warehouse, kind: str) -> list[str]:
    return found.remarks.loc[found.remarks["name"] == kind, "value"].tolist()


@pytest.mark.parametrize(
    ("text", "value", "spread"),
    [
        ("93.3%", 93.3, None),
        ("78.98 %", 78.98, None),
        ("93.3(0.5)", 93.3, 0.5),
        ("82.2 ± 1.6", 82.2, 1.6),
        ("82.2±1.6%", 82.2, 1.6),
        ("82.2% ± 1.6%", 82.2, 1.6),
        ("82.2 +/- 1.6", 82.2, 1.6),
        ("82.2 +- 1.6", 82.2, 1.6),
        ("82.2 (± 1.6)", 82.2, 1.6),
        ("0.93 (3)", 0.93, 0.03),
        ("0.9300 (12)", 0.93, 0.0012),
        ("93 (3)", 93, 3),
        ("-1.5e-3 ± 2e-4", -1.5e-3, 2e-4),
    ],
)
def test_a_cell_is_a_number_and_its_spread(text: str, value: float, spread: float | None) -> None:
    cell = read_cell(text)
    assert cell is not None
    assert cell[0] == value
    assert cell[1] == pytest.approx(spread, rel=1e-12) if spread else np.isnan(cell[1])
    assert cell[2] == ("%" in text)


@pytest.mark.parametrize(
    "text",
    ["", "x", "93.3 (a)", "± 1.6", "82.2 ±", "(3)", "80-90", "[1, 2]", "1 2", "٣ ± 1", "1/2"],
)
def test_other_text_is_no_cell(text: str) -> None:
    assert read_cell(text) is None


@pytest.mark.parametrize("text", ["7" * 50_000, "7" + " " * 5_000 + "x"])
def test_long_text_is_no_cell(text: str) -> None:
    """A pattern that goes back by each digit, or blank, would not end here."""
    assert re.match(CELL, text + "x") is None
    assert read_cell("7" * LONGEST_CELL) is not None
    assert read_cell("7" * (LONGEST_CELL + 1)) is None


def test_cells_are_read_in_their_order() -> None:
    found = read_cells(["2 ± 1", None, "5%", "2 ± 1"])
    np.testing.assert_array_equal(found.values, [2, np.nan, 5, 2])
    np.testing.assert_array_equal(found.spreads, [1, np.nan, np.nan, 1])
    assert found.is_per_cent.tolist() == [False, False, True, False]
    assert read_cells(["2", None, "2", "x", "2", "y"]) == 3
    assert read_cells(["2", "0,5"]) == 1


# ------------------------------------------------------------------------------- per cent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", ["", "%", " %"])
@pytest.mark.parametrize("shape", ["fit", "tidy", "wide"])
def test_accuracy_in_per_cent(kind: str, sign: str, shape: str, tmp_path: Path) -> None:
    values = [93.3, 78.98, 88.0, 0.0 if sign else 91.0]
    cells = [f"{x}{sign}" if sign else x for x in values]
    table = pd.DataFrame({"dataset": list("ddee"), "candidate": list("abab"), "accuracy": cells})
    given: dict[str, Any] = {"measures": (ACCURACY,)}
    if shape == "tidy":
        table = table.rename(columns={"accuracy": "value"}).assign(measure="accuracy")
    elif shape == "wide":
        table = table.pivot(index="dataset", columns="candidate", values="accuracy").reset_index()
        given["wide"] = True
    if kind == "frame" and shape == "tidy":
        given["columns"] = {"value": "value"}
    found = _read(table, tmp_path, kind, **given)
    assert _values(found, "accuracy") == values
    (measure,) = found.measures
    assert (measure.unit_symbol, measure.bounds, measure.better) == ("%", (0.0, 100.0), "larger")
    assert _told(found, "per-cent") == ([] if sign else ["accuracy"])


def test_decimal_commas_stand_in_marked_cells_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset;a;b\nd;93,3 %;91 %\ne;88,1 %;9,25 %\n")
    found = read_results(path, measures=(ACCURACY,), wide=True)
    assert _values(found, "accuracy") == [93.3, 91.0, 88.1, 9.25]
    assert _told(found, "decimal-commas") == ["a", "b"]


AT = "for the measure accuracy: 93.3 of a in row 2 and 0.91 of b in row 3"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["93.3", "0.91"], f"found values above 1, and others up to 1, {AT}"),
        (["93.3%", "0.91"], f"found cells with the sign %, and without it, {AT}"),
        (["93.3", "101"], "row 2, column accuracy: found 93.3 for the measure accuracy"),
        (["93.3%", "101%"], "row 3, column accuracy: found 101 for the measure accuracy"),
        (["93.3%", "-2%"], "row 3, column accuracy: found -2 for the measure accuracy"),
    ],
)
def test_two_units_are_refused_with_their_rows(cells: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "candidate,accuracy\n" + "".join(f"{c},{x}\n" for c, x in zip("ab", cells, strict=True))
    )
    with pytest.raises(ExchangeError) as caught:
        read_results(path)
    assert said in str(caught.value)


def test_the_user_may_say_that_small_numbers_are_in_per_cent(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("candidate,misclassification\na,0.8\nb,3.5\n")
    with pytest.raises(ExchangeError, match=r'\{name: misclassification, unit: "%"\}'):
        read_results(path)
    entry = MeasureEntry(name="misclassification", unit="%")
    found = read_results(path, measures=(entry,))
    assert found.measures[0].bounds == (0.0, 100.0)
    assert _told(found, "per-cent") == []
    path.write_text("candidate,misclassification\na,0.08\nb,0.035\n")
    assert _told(read_results(path, measures=(entry,)), "odd-unit") == ["misclassification"]


def test_an_error_above_one_may_be_of_a_regression(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("candidate,error\na,12.5\nb,3.5\n")
    with pytest.raises(ExchangeError, match="are they in per cent"):
        read_results(path)
    path.write_text("candidate,fit-time\na,12.5%\nb,3.5%\n")
    with pytest.raises(ExchangeError, match=r"row 2: found 12\.5% for the measure fit-time"):
        read_results(path)


def test_intervals_in_per_cent_end_at_100() -> None:
    rng = np.random.default_rng(3)
    values = {k: np.minimum(100, 99.6 + rng.normal(0, s, 20)) for k, s in (("a", 0.1), ("b", 3))}
    shares = {k: x / 100 for k, x in values.items()}
    study = reportgen.compare(values, measure="accuracy")
    assert "99." in repr(study)
    assert "percentage points" in repr(study)
    pairs, own = study.pairs(), reportgen.compare(shares, measure="accuracy").pairs()
    assert pairs["lower"].to_numpy() == pytest.approx(100 * own["lower"].to_numpy(), rel=1e-9)
    assert pairs["upper"].to_numpy() == pytest.approx(100 * own["upper"].to_numpy(), rel=1e-9)
    assert pairs["upper"].abs().max() <= 100


# ------------------------------------------------------------------- words for right and wrong

WORDS = [("True", "False"), ("CORRECT", "INCORRECT"), ("pass", "fail"), ("C", "I"), ("yes", "no")]


@pytest.fixture
def items() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = [(t, f"{t}-{i}", m) for t in ("law", "code") for i in range(12) for m in "abc"]
    table = pd.DataFrame(rows, columns=["task", "item_id", "model"])
    return table.assign(score=rng.integers(0, 2, len(table)).astype(float))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["tidy", "wide"])
@pytest.mark.parametrize("words", WORDS)
def test_words_are_scores_of_items(
    words: tuple[str, str], shape: str, kind: str, items: pd.DataFrame, tmp_path: Path
) -> None:
    marked = items.assign(score=np.where(items["score"] == 1, *words))
    given: dict[str, Any] = {}
    if shape == "wide":
        keys = ["task", "item_id"]
        items, marked = (
            t.pivot(index=keys, columns="model", values="score").reset_index()
            for t in (items, marked)
        )
        given = {"measures": (SCORE,), "wide": True}
    expected = _read(items, tmp_path, "frame", **given)
    found = _read(marked, tmp_path, kind, **given)
    assert _values(found, "score") == _values(expected, "score")
    assert len(found.items) == len(expected.items) > 0
    assert _told(found, "marks")


@pytest.mark.parametrize("kind", KINDS)
def test_truth_values_with_gaps(kind: str, items: pd.DataFrame, tmp_path: Path) -> None:
    values = (items["score"] == 1).astype("boolean")
    values[5] = pd.NA
    found = _read(items.assign(correct=values).drop(columns="score"), tmp_path, kind)
    expected = _read(items.assign(score=items["score"].where(items.index != 5)), tmp_path, "frame")
    got, wanted = _values(found, "correct"), _values(expected, "score")
    assert np.array_equal(got, wanted, equal_nan=True)
    assert np.isnan(got).sum() == 1


def test_a_note_beside_results_stays_a_note(items: pd.DataFrame, tmp_path: Path) -> None:
    noted = items.assign(truncated=items["score"] == 0)
    assert [m.name for m in _read(noted, tmp_path, "csv").measures] == ["score"]
    runs = pd.DataFrame({"candidate": list("abab"), "seed": [1, 1, 2, 2], "accuracy": 0.5})
    noted = runs.assign(converged="yes", correct=True)
    assert [m.name for m in _read(noted, tmp_path, "csv").measures] == ["accuracy"]


def test_a_note_of_items_is_no_candidate(items: pd.DataFrame, tmp_path: Path) -> None:
    wide = items.pivot(index=["task", "item_id"], columns="model", values="score").reset_index()
    noted = wide.assign(hard=np.where(wide["a"] == 1, "no", "yes"))
    found = _read(noted, tmp_path, "csv", measures=(SCORE,), wide=True)
    assert found.candidates == ("a", "b", "c")


def test_words_that_are_no_pair_are_refused(items: pd.DataFrame, tmp_path: Path) -> None:
    words = np.where(items["score"] == 1, "CORRECT", "perhaps")
    with pytest.raises(ExchangeError, match="found no numbers besides"):
        _read(items.assign(score=words), tmp_path, "csv")


def test_a_mapping_of_truth_values() -> None:
    values = {"a": [True, False] * 10, "b": [True, True, False, True] * 5}
    study = reportgen.compare(values, measure="score")
    assert study.summary()["mean"].tolist() == [0.75, 0.5]


# ----------------------------------------------------------------------------- means and spreads


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["acc_mean", "acc_std"], {("acc", "acc_mean"): "acc_std"}),
        (["mean_acc", "std_acc"], {("acc", "mean_acc"): "std_acc"}),
        (["acc", "acc_stderr"], {("acc", "acc"): "acc_stderr"}),
        (["Mean", "SD"], {("", "Mean"): "SD"}),
        (["acc.mean", "acc.standard_error"], {("acc", "acc.mean"): "acc.standard_error"}),
        (["acc (mean)", "acc (std)"], {("acc", "acc (mean)"): "acc (std)"}),
        (["acc_mean", "acc_std", "acc_se"], {}),
        (["acc", "f1_std"], {}),
        (["sd", "se"], {}),
        (["base", "these"], {}),
    ],
)
def test_columns_of_means_and_spreads(
    columns: list[str], found: dict[tuple[str, str], str]
) -> None:
    pairs = columns_beside(["model", *columns])
    assert {key: beside.spread for key, beside in pairs.items()} == found


@pytest.fixture
def means() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = [(f"d{i}", k) for i in range(8) for k in "abc"]
    table = pd.DataFrame(rows, columns=["dataset", "candidate"])
    table["accuracy"] = rng.uniform(0.7, 0.9, len(table)).round(3)
    return table.assign(spread=rng.uniform(0.01, 0.04, len(table)).round(3))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shape", ["cells", "brackets", "digits", "columns", "wide", "wide columns"]
)
def test_a_mean_with_a_spread_is_the_mean(
    shape: str, kind: str, means: pd.DataFrame, tmp_path: Path
) -> None:
    expected = _read(means.drop(columns="spread"), tmp_path, "frame")
    values, spreads = means["accuracy"].map("{:.3f}".format), means["spread"]
    cells = {
        "cells": values + " ± " + spreads.map(str),
        "brackets": values + "(" + spreads.map(str) + ")",
        "digits": values + " (" + (1000 * spreads).map("{:.0f}".format) + ")",
    }.get(shape.removesuffix(" columns"), values + " ± " + spreads.map(str))
    table, given = means[["dataset", "candidate"]].assign(accuracy=cells), {}
    if shape == "columns":
        table = means.rename(columns={"accuracy": "accuracy_mean", "spread": "accuracy_std"})
    if shape == "wide":
        table = table.pivot(index="dataset", columns="candidate", values="accuracy").reset_index()
    if shape == "wide columns":
        wide = means.pivot(index="dataset", columns="candidate")
        wide.columns = [f"{k}_{'mean' if w == 'accuracy' else 'sd'}" for w, k in wide.columns]
        table = wide.reset_index()
    if shape.startswith("wide"):
        given = {"measures": (ACCURACY,), "wide": True}
    found = _read(table, tmp_path, kind, **given)
    assert found.candidates == expected.candidates
    assert [m.name for m in found.measures] == ["accuracy"]
    assert _values(found, "accuracy") == _values(expected, "accuracy")
    assert _told(found, "means-alone") == ["accuracy"]


def test_a_candidate_with_the_name_of_a_spread_is_asked_for(
    means: pd.DataFrame, tmp_path: Path
) -> None:
    wide = means.pivot(index="dataset", columns="candidate", values="accuracy").reset_index()
    wide = wide.set_axis(["dataset", "resnet", "resnet_se", "mlp"], axis=1)
    said = "'resnet_se', which may have the standard errors of 'resnet', or be a candidate"
    for table in (wide, wide.drop(columns="mlp")):
        with pytest.raises(ExchangeError, match=said):
            _read(table, tmp_path, "csv", measures=(ACCURACY,), wide=True)
        named = {"candidate": list(table)[1:]}
        found = _read(table, tmp_path, "csv", measures=(ACCURACY,), wide=True, columns=named)
        assert set(found.candidates) == set(named["candidate"])
        assert not _told(found, "means-alone")
    named = {"candidate": ["resnet", "mlp"]}
    found = _read(wide, tmp_path, "csv", measures=(ACCURACY,), wide=True, columns=named)
    assert found.candidates == ("resnet", "mlp")
    assert _told(found, "means-alone") == ["accuracy"]
    below = wide.assign(resnet_se=wide["resnet_se"] - 0.8)  # no spread is below 0
    found = _read(below, tmp_path, "csv", measures=(MeasureEntry(name="r2"),), wide=True)
    assert "resnet_se" in found.candidates


@pytest.mark.parametrize("others", [{}, {"baseline": 0.5}])
@pytest.mark.parametrize("scale", [1, 0.02])
def test_columns_named_means_have_their_spreads_whatever_their_size(
    scale: float, others: dict[str, float], tmp_path: Path
) -> None:
    measure = MeasureEntry(name="misclassification")
    columns = {"lda_mean": 0.8, "lda_sd": 0.015, "svm_mean": 0.7, "svm_sd": 0.012}
    sizes = pd.DataFrame(columns, index=list("defg")).mul([1, 0.9, 0.8, 0.7], axis=0)
    sizes[["lda_mean", "svm_mean"]] *= scale
    table = sizes.rename_axis("dataset").reset_index().assign(**others)
    found = _read(table, tmp_path, "csv", measures=(measure,), wide=True)
    assert {"lda", "svm"} <= set(found.candidates)
    assert not {"lda_sd", "svm_sd", "lda_mean"} & set(found.candidates)
    bare = table.rename(columns={"lda_mean": "lda", "svm_mean": "svm"})
    if scale == 1 and not others:
        found = _read(bare, tmp_path, "csv", measures=(measure,), wide=True)
        assert found.candidates == ("lda", "svm")
    else:
        with pytest.raises(ExchangeError, match="'lda_sd', which may have the standard dev"):
            _read(bare, tmp_path, "csv", measures=(measure,), wide=True)


def test_two_columns_of_spreads_of_one_candidate_are_asked_for(tmp_path: Path) -> None:
    table = pd.DataFrame({"dataset": list("de"), "lda_mean": 0.8, "rf_mean": [0.7, 0.9]})
    with pytest.raises(ExchangeError, match="'lda_sd', which may have the standard deviations of"):
        _read(
            table.assign(lda_sd=0.01, lda_se=[0.02, 0.01]),
            tmp_path,
            "csv",
            measures=(ACCURACY,),
            wide=True,
        )


def test_the_user_names_a_column_of_means(means: pd.DataFrame, tmp_path: Path) -> None:
    table = means.rename(columns={"accuracy": "acc_mean", "spread": "acc_std"})
    entry = MeasureEntry(name="acc_mean", better="larger")
    found = _read(table, tmp_path, "csv", measures=(entry,))
    assert [m.name for m in found.measures] == ["acc_mean"]
    assert _values(found, "acc_mean") == means["accuracy"].tolist()


@pytest.mark.slow
def test_check_and_report_tell_what_means_do_not_say(tmp_path: Path, means: pd.DataFrame) -> None:
    cells = (100 * means["accuracy"]).map("{:.1f}".format) + " ± 1.6"
    wide = means.assign(accuracy=cells).pivot(
        index="dataset", columns="candidate", values="accuracy"
    )
    wide.to_csv(tmp_path / "w.csv")
    result = CliRunner().invoke(main, ["check", str(tmp_path / "w.csv")])
    assert result.exit_code == 2
    assert "3 columns of numbers, means with a spread" in result.stderr
    (tmp_path / "s.yaml").write_text("results: {wide: w.csv}\nmeasures: [accuracy]\n")
    result = CliRunner().invoke(main, ["check", str(tmp_path / "s.yaml")])
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert "in per cent, by values above 1: accuracy" in told
    assert "each value of accuracy is a mean with a spread, which is not used" in told
    study = reportgen.compare(wide, measure="accuracy", better="larger")
    text = study.report(tmp_path / "o", formats=["md"])
    report = next((tmp_path / "o").rglob("report.md")).read_text()
    assert "is a mean with a spread. The spread is not used" in report, text
    assert "as some are above 1" in report


def test_one_decimal_comma_among_points_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text('dataset,a,b\nd,0.1,0.2\ne,0.3,"0,5"\nf,0.2,0.4\n')
    study = tmp_path / "study.yaml"
    study.write_text("results: {wide: results.csv}\nmeasures: [misclassification]\n")
    found = CliRunner().invoke(main, ["check", str(study)])
    assert found.exit_code == 2
    assert "0,5" in found.stderr


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "",
            "1",
            " 1 ",
            "1\n",
            "1\u00a0",
            "\u00a01",
            "1\u2003",
            "１",
            "٣",
            "1 (0.2)",
            "1 ± 0.2",
            "1%",
        ),
        *("1 (0.2)\n", "1.2.3", "nan", "1e5", "1,5", "-.5", "+1 +- 2", "1 [0.5, 2]", "x1", "1x"),
        *("0.5 (95% CI: 0.4–0.6)", "1\r\n", "1\v", "1\f", "1\x00", "\n1", "1\n\n", "9" * 5000),
    ],
)
def test_few_cells_are_numbers_where_many_are(cell: str) -> None:
    """Few are read by Python and many by RE2."""
    found = [
        RawTable(Path("t"), {"x": pa.chunked_array([[cell, None] * n])}, 2 * n, ",").is_numeric("x")
        for n in (1, FEW)
    ]
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_table_of_10000_columns_is_refused_with_few_of_their_names(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(10_000)]
    text = f"{','.join(names)}\n{','.join('1' for _ in names)}\n"
    (tmp_path / "wide.csv").write_text(text)
    with pytest.raises(ExchangeError, match=r"found no column of candidates among c0, c1") as told:
        read_results(tmp_path / "wide.csv")
    assert len(str(told.value)) < 2000
