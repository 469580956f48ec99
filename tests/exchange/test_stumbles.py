"""What a stranger gives first, and what reading it says."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

import reportgen
from reportgen.cli import main
from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.tidy import read_results

HEAD = "dataset,replication,candidate,measure,value"
WIDE = pd.DataFrame({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.2]})


def _refused(path: Path, text: str, *more: str) -> str:
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["check", str(path), *more])
    assert result.exit_code == 2, result.output
    return result.stderr


# ------------------------------------------------------------------------------- files


def test_items_beside_candidates_may_be_a_wide_table(tmp_path: Path) -> None:
    told = _refused(tmp_path / "r.csv", "task,item_id,gpt,llama\nlaw,law-1,1,0\nlaw,law-2,0,0\n")
    assert "but 2 columns of numbers" in told
    assert "or a wide table" in told


def test_trials_name_a_setting_of_words_as_candidate(tmp_path: Path) -> None:
    head = "number,value,params_lr,params_model,state\n"
    told = _refused(tmp_path / "r.csv", f"{head}0,0.5,0.1,gbm,COMPLETE\n1,0.6,0.2,mlp,COMPLETE\n")
    assert "{candidate: params_model, replication: …}" in told


@pytest.mark.parametrize(
    ("measure", "small", "cell", "shown"),
    [("mse", "0.3", "2e103", "2e+103"), ("r2", "0", "-1e-110", "-1e-110")],
)
def test_a_size_whose_square_is_no_number_is_told_with_file_and_row(
    measure: str, small: str, cell: str, shown: str, tmp_path: Path
) -> None:
    rows = [HEAD, f"d,1,a,m,{small}", f"d,1,b,m,{cell}", f"d,2,a,m,{small}", "d,2,b,m,"]
    text = "\n".join([*rows, "e,1,a,m,.1", "e,1,b,m,.2"]).replace(",m,", f",{measure},")
    told = _refused(tmp_path / "r.csv", text)
    assert (
        f"r.csv: row 3, column value: found {shown} for the measure {measure}, the largest" in told
    )
    assert "allowed sizes from 1e-100 to 1e+100" in told


def test_a_size_of_a_column_or_a_wide_table_is_told_with_its_place(tmp_path: Path) -> None:
    told = _refused(tmp_path / "r.csv", "candidate,replication,mse\na,1,1\nb,1,3e304\n")
    assert "r.csv: row 3, column mse: found 3e+304" in told
    (tmp_path / "w.csv").write_text("dataset,a,b\nd,1,2\ne,1,3e304\n")
    told = _refused(tmp_path / "s.yaml", "results: {wide: w.csv}\nmeasures: [mse]\n")
    assert "w.csv: row 3, column b: found 3e+304" in told


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("12.5% of 8", "(leave out the sign %)"),
        ("€3", "(leave out the sign €)"),
        ("1.234.567", "(leave out what parts thousands)"),
        ("1 234.5", "(leave out what parts thousands)"),
        ("1'234", "(leave out what parts thousands)"),
        ("٣", "found '٣'; allowed a number with a decimal point, or NA\n"),
    ],
)
def test_a_cell_that_is_nearly_a_number_is_told(cell: str, hint: str, tmp_path: Path) -> None:
    told = _refused(tmp_path / "r.csv", f"{HEAD}\nd,1,a,mse,1\nd,1,b,mse,{cell}\n")
    assert "row 3, column value: found" in told
    assert hint in told


COMMAS = ["1,234", "12,345", "980"]


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("t.tsv", "model\ttime\n", "{}\t{}\n"),
        ("t.csv", "model;time\n", "{};{}\n"),
        ("t.md", "| model | time |\n|---|---|\n", "| {} | {} |\n"),
        ("t.tex", "\\begin{tabular}{lr}\nmodel & time \\\\ \\hline\n", "{} & {} \\\\\n"),
    ],
)
def test_commas_that_part_thousands_are_no_decimal_commas(
    name: str, head: str, row: str, tmp_path: Path
) -> None:
    def write(cells: Sequence[str]) -> Path:
        path, end = tmp_path / name, "\\end{tabular}\n" if name == "t.tex" else ""
        rows = "".join(row.format(k, x) for k, x in zip("abc", cells, strict=True))
        path.write_text(head + rows + end)
        return path

    with pytest.raises(ExchangeError, match=r"found '1,234'; .*leave out what parts thousands"):
        read_results(write(COMMAS))
    for cells in (["0,123", "1,234", "980"], ["1,23", "1,234", "980"], ["1,234e3", "1,5", "7"]):
        expected = [float(cell.replace(",", ".")) for cell in cells]
        assert read_results(write(cells)).frame["value"].tolist() == expected
    if name in ("t.tsv", "t.csv"):
        found = read_results(write(["93,125", "91,250", "100"])).frame["value"]
        assert found.tolist() == [93.125, 91.25, 100]


def test_a_column_of_amounts_is_named(tmp_path: Path) -> None:
    told = _refused(tmp_path / "r.csv", "candidate,replication,cost\na,1,€10\nb,1,€12\n")
    columns = "candidate, replication; other columns are cost, such as '€10' in cost"
    assert f"found no numbers besides {columns} (leave out the sign €)" in told
    assert "taken as one data set" not in told
    told = _refused(tmp_path / "w.csv", "dataset,a,b\nd,€10,€12\ne,€11,€12\n")
    assert "those of text are a, b, such as '€10' in a (leave out the sign €)" in told


def test_carriage_returns_alone_are_told(tmp_path: Path) -> None:
    told = _refused(tmp_path / "r.csv", f"{HEAD}\rd,1,a,mse,1\rd,1,b,mse,2\r")
    assert "found a carriage return alone in line 1; allowed rows that end with" in told


def test_check_holds_expectations_against_the_results(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(f"{HEAD}\nd,1,a,mse,1\nd,1,b,mse,2\n")
    told = _refused(tmp_path / "s.yaml", "results: r.csv\nexpect: [a better than c]\n")
    assert "s.yaml:2: expect.a better than c: " in told
    assert "found the candidate 'c'; allowed a, b" in told


def test_an_amount_beyond_all_bounds_is_no_claim(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(f"{HEAD}\nd,1,a,mse,1\nd,1,b,mse,2\n")
    claim = "a not worse than b by 1e400"
    told = _refused(tmp_path / "s.yaml", f"results: r.csv\nexpect: [{claim}]\n")
    assert "found an amount beyond all bounds; allowed a number up to 1e308" in told


def test_a_level_near_0_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(f"{HEAD}\nd,1,a,mse,1\nd,1,b,mse,2\n")
    told = _refused(tmp_path / "s.yaml", "results: r.csv\nanalysis: {alpha: 1.0e-300}\n")
    assert "s.yaml:2: analysis.alpha: found 1e-300; allowed a number from 1e-10" in told


# ------------------------------------------------------------------------------- objects


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (Decimal("0.25"), 0.25),
        (Fraction(1, 4), 0.25),
        (np.float32(0.25), 0.25),
        ("0.25", 0.25),
        (2, 2.0),
        (None, np.nan),
        (pd.NA, np.nan),
        (pd.NaT, np.nan),
    ],
)
@pytest.mark.parametrize("wrap", ["frame", "mapping"])
def test_cells_of_objects_are_numbers_or_missing(wrap: str, cell: Any, value: float) -> None:
    frame = WIDE.astype(object)
    frame.iloc[1, 1] = cell
    results = frame if wrap == "frame" else {name: list(frame[name]) for name in frame}
    if wrap == "mapping" and isinstance(cell, str):
        return  # a list of numbers and text is a list of text to numpy
    study = reportgen.compare(results, measure="mse")
    found = study.performances.query("candidate == 'b'")["value"].tolist()
    assert found == pytest.approx([0.3, value, 0.2], nan_ok=True)


@pytest.mark.parametrize("cell", [1j, True, 10**400, np.array(0.3), "x", [1], object])
def test_cells_of_objects_that_are_no_numbers_are_named(cell: Any) -> None:
    frame = WIDE.astype(object)
    frame.iat[1, 1] = cell
    with pytest.raises(ExchangeError, match=r"row 1, column b: found .*; allowed a number"):
        reportgen.compare(frame, measure="mse")
    if not isinstance(cell, bool | np.ndarray):  # which numpy takes for numbers beside others
        with pytest.raises(ExchangeError, match=r"'b': found .*; allowed numbers"):
            reportgen.compare({"a": [1, 2, 3], "b": [0.1, cell, 0.2]}, measure="mse")


def test_complex_columns_are_no_numbers() -> None:
    with pytest.raises(ExchangeError, match=r"row 0, column a: found .*; allowed a number"):
        reportgen.compare(WIDE.astype(complex), measure="mse")


def test_numbers_wider_than_double_precision_are_told_with_their_place() -> None:
    wide = WIDE.to_numpy(np.longdouble).copy()
    wide[1, 0] = np.longdouble("1e400") if np.finfo(np.longdouble).max > 1e308 else np.inf
    with pytest.raises(ExchangeError, match="row data, 2, a, column mse: found inf"):
        reportgen.compare(wide, candidates=["a", "b"], measure="mse")


def test_the_same_rows_are_told_by_their_labels() -> None:
    rows = pd.DataFrame({"candidate": ["a", "b", "a"], "replication": 1, "mse": [1.0, 2.0, 3.0]})
    with pytest.raises(ExchangeError, match=r"row 7: found .* a second time, first in row 5"):
        reportgen.compare(rows.set_axis([5, 6, 7]))


@pytest.mark.parametrize("measure", [3, ["mse"], {"name": "mse"}])
def test_a_measure_that_is_no_text_is_told(measure: Any) -> None:
    with pytest.raises(StudyError, match=r"compare\(measure=…\): found .*; allowed text"):
        reportgen.compare(WIDE, measure=measure)


def test_a_frame_without_columns_is_told() -> None:
    with pytest.raises(ExchangeError, match="found no rows"):
        reportgen.compare(pd.DataFrame(), measure="mse")


def test_all_that_cross_validate_returns_may_be_given() -> None:
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=1)
    more = {"return_estimator": True, "return_indices": True, "return_train_score": True}
    results = {k: cross_validate(tree, X, y, cv=6, **more) for k in ("one", "two")}
    study = reportgen.compare(results)
    assert study.candidates == ("one", "two")
    assert not {"estimator", "indices"} & {*study.measures}
    results["two"] = cross_validate(tree, X, y, cv=5)
    with pytest.raises(ExchangeError, match="found values: 6 of one, 5 of two; allowed as many"):
        reportgen.compare(results)


def test_candidates_that_share_no_data_set_have_no_difference() -> None:
    results = {"d": {"a": [1.0, 2.0]}, "e": {"b": [2.0, 3.0]}}
    told = " ".join(str(reportgen.compare(results, measure="mse")).split())
    assert "no difference that can be told, as they share no replication of a data set" in told


# ------------------------------------------------------------------------------- frames of pandas


def _tidy() -> pd.DataFrame:
    names = [["adult", "iris", "wine"], range(4), ["knn", "lda"]]
    grid = pd.MultiIndex.from_product(names, names=["dataset", "fold", "method"])
    return grid.to_frame(index=False).assign(accuracy=np.linspace(0.6, 0.9, 24))


def test_a_pivoted_frame_is_the_same_either_way() -> None:
    tidy = _tidy()
    means = tidy.groupby("method")["accuracy"].mean()
    for index, columns in (("dataset", "method"), ("method", "dataset")):
        frame = tidy.pivot_table(index=index, columns=columns, values="accuracy")
        study = reportgen.compare(frame, measure="accuracy")
        assert study.datasets == ("adult", "iris", "wine")
        found = study.performances.groupby("candidate", observed=True)["value"].mean()
        assert found.to_dict() == pytest.approx(means.to_dict())


def test_seeds_are_no_candidates_where_columns_are_data_sets() -> None:
    frame = _tidy().pivot_table(index="fold", columns="dataset", values="accuracy")
    for index in ("fold", "seed", None):
        with pytest.raises(ExchangeError, match="and no candidates; allowed rows named candidate"):
            reportgen.compare(frame.rename_axis(index=index), measure="accuracy")


def test_differences_of_times_are_seconds() -> None:
    seconds = np.linspace(0.5, 2.0, 24)
    frame = _tidy().assign(fit_time=pd.to_timedelta(seconds, unit="s"))
    study = reportgen.compare(frame)
    assert study.measures == ("accuracy", "fit-time")
    own = study.performances
    found = own.loc[own["measure"] == "fit-time", "value"]
    assert found.sum() == pytest.approx(seconds.sum(), rel=1e-9)  # nanoseconds


def test_candidates_under_another_name_are_asked_for() -> None:
    frame = _tidy().rename(columns={"method": "Vorgehen"})
    with pytest.raises(ExchangeError, match=r"columns=\{'candidate': 'Vorgehen'\} says what nam"):
        reportgen.compare(frame, measure="accuracy")
    with pytest.raises(ExchangeError, match=r"allowed each once$"):
        reportgen.compare(pd.concat([WIDE, WIDE]).assign(fold=1), measure="accuracy")
    mixed = _tidy().assign(accuracy=[93.0, *np.linspace(0.6, 0.9, 23)])
    with pytest.raises(ExchangeError, match=r"measures=\[\{'name': 'accuracy', 'unit': '%'\}\]"):
        reportgen.compare(mixed)
