"""Results of other tools: what is read, and what is said of that which cannot be."""

from __future__ import annotations

import logging
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.tidy import expected_sizes, read_results, study_results
from reportgen.installation import page_url
from reportgen.performance_measure import Measure
from reportgen.study.manifest import load_study
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse

Read = Callable[..., Warehouse]
Fail = Callable[..., str]

EXACT = 1e-15  # printed with 16 digits, read again

TIDY = """\
dataset,replication,algorithm,measure,value
d,1,lda,Misclassification,0.1
d,2,lda,Misclassification,0.2
d,1,svm,Misclassification,NA
d,2,svm,Misclassification,0.4
d,1,lda,Time,1.5
d,2,lda,Time,2.5
d,1,svm,Time,3.5
d,2,svm,Time,4.5
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def from_text(text: str | bytes, name: str = "res.csv", **options: Any) -> Warehouse:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_results(tmp_path / name, **options)

    return from_text


@pytest.fixture
def fail(tmp_path: Path, read: Read) -> Fail:
    def message(text: str | bytes, name: str = "res.csv", **options: Any) -> str:
        with pytest.raises(ExchangeError) as caught:
            read(text, name, **options)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return message


def values(warehouse: Warehouse, measure: str, dataset: str = "d") -> Any:
    return warehouse.performances(dataset, measure).values


# -- the reference data ---------------------------------------------------------------


def test_monks3(reference: Path) -> None:
    warehouse = read_results(reference / "data" / "monks3raw.csv")
    assert warehouse.datasets == ("mnk3",)
    assert warehouse.candidates == ("knn", "lda", "nnet", "rf", "rpart", "svm")
    assert warehouse.measures == (
        Measure("misclassification", "smaller", "share", (0.0, 1.0)),
        Measure("time", "smaller", "s", (0.0, None)),
    )
    performances = warehouse.performances("mnk3", "misclassification")
    assert performances.values.shape == (250, 6)
    assert performances.n_missing == 0
    # Table 2.1 of the dissertation, as printed
    means = dict(zip(warehouse.candidates, performances.values.mean(axis=0).round(4), strict=True))
    assert means == {
        "svm": 0.0110, "rpart": 0.0116, "rf": 0.0197, "nnet": 0.0293, "knn": 0.0344, "lda": 0.0352,
    }  # fmt: skip


def test_monks3_reads_every_digit(reference: Path) -> None:
    path = reference / "data" / "monks3raw.csv"
    line = path.read_text("utf-8").splitlines()[1]  # mnk3,1,lda,Misclassification,…
    warehouse = read_results(path)
    value = values(warehouse, "misclassification", "mnk3")[0, warehouse.candidates.index("lda")]
    assert value == float(line.split(",")[4])


def test_uci621_gaps(reference: Path) -> None:
    warehouse = read_results(reference / "data" / "uci621raw.csv")
    assert len(warehouse.datasets) == 21
    for measure in ("misclassification", "time"):
        of_dataset = {
            d: warehouse.performances(d, measure)
            for d in warehouse.datasets
        }  # fmt: skip
        assert all(p.values.shape == (250, 6) for p in of_dataset.values())
        assert sum(p.n_missing for p in of_dataset.values()) == 1213
        incomplete = {d: int((~p.is_complete).sum()) for d, p in of_dataset.items()}
        # the reference's README counts the replications with gaps
        assert {d: n for d, n in incomplete.items() if n} == {
            "BrcC": 17, "Crds": 79, "chss": 101, "rngn": 39, "ttnc": 9,
        }  # fmt: skip
        assert all(
            np.isfinite(p.values[:, warehouse.candidates.index("rf")]).all()
            for p in of_dataset.values()
        )


# -- shapes of tables -----------------------------------------------------------------


def test_tidy_table(read: Read) -> None:
    warehouse = read(TIDY)
    assert [m.name for m in warehouse.measures] == ["misclassification", "time"]
    np.testing.assert_array_equal(
        values(warehouse, "misclassification"), [[0.1, np.nan], [0.2, 0.4]]
    )
    np.testing.assert_array_equal(values(warehouse, "time"), [[1.5, 3.5], [2.5, 4.5]])
    status = warehouse.frame.set_index("value")["status"]
    assert status[0.4] == "ok"
    assert list(warehouse.frame.loc[warehouse.frame["value"].isna(), "status"]) == ["failed"]


def test_a_column_a_measure(read: Read) -> None:
    text = "candidate,replication,fit-time,err,note\nlda,1,2,.5,a\nlda,2,3,.25,b\nsvm,1,4,1,c\n"
    warehouse = read(text)
    assert warehouse.datasets == ("res",)  # the file's stem
    assert [m.name for m in warehouse.measures] == ["misclassification", "fit-time"]  # costs last
    np.testing.assert_array_equal(values(warehouse, "fit-time", "res"), [[2, 4], [3, np.nan]])
    np.testing.assert_array_equal(
        values(warehouse, "misclassification", "res"), [[0.5, 1], [0.25, np.nan]]
    )


def test_one_measure_that_only_the_manifest_names(read: Read) -> None:
    warehouse = read(
        "candidate,replication,value\nlda,1,2\n",
        measures=[MeasureEntry(name="cost", better="larger", unit="EUR")],
    )
    assert warehouse.measures == (Measure("cost", "larger", "EUR"),)


@pytest.mark.parametrize("name", ["candidate", "algorithm", "learner", "method", "Estimator"])
def test_names_of_the_candidates_column(name: str, read: Read) -> None:
    assert read(f"{name},replication,error\nlda,1,0.1\n").candidates == ("lda",)


def test_second_choices_of_column_names(read: Read) -> None:
    warehouse = read("problem,classifier,rep,error\nd,lda,2,0.1\n")
    assert (warehouse.datasets, warehouse.candidates) == (("d",), ("lda",))
    assert warehouse.frame["replication"].tolist() == [2]
    warehouse = read("task,dataset,replication,algorithm,error\nt,d,3,lda,0.1\n")
    assert (warehouse.datasets, warehouse.frame["replication"].tolist()) == (("d",), [3])


def test_text_that_may_tell_data_sets_apart_is_named(
    read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    text = "{0},host,algorithm,replication,error\na,x,lda,1,.1\nb,x,lda,2,.2\n"
    read(text.format("dataset"))
    assert not caplog.text
    read(text.format("corpus"))
    assert "text in corpus is not read" in caplog.text
    assert "columns: {dataset: corpus}" in caplog.text


def test_columns_by_the_manifest(read: Read) -> None:
    warehouse = read(
        "task,fold,who,loss\nd,1,lda,0.5\n",
        columns={"dataset": "task", "replication": "fold", "candidate": "who"},
        measures=[MeasureEntry(name="zero-one", column="loss", better="smaller", bounds=(0, 1))],
    )
    assert warehouse.measures == (Measure("zero-one", "smaller", "", (0, 1)),)
    assert values(warehouse, "zero-one").tolist() == [[0.5]]


def test_measures_of_the_manifest_are_chosen_and_ordered(read: Read) -> None:
    warehouse = read(TIDY, measures=[MeasureEntry(name="time"), MeasureEntry(name="error")])
    assert [m.name for m in warehouse.measures] == ["time", "misclassification"]
    only = read(TIDY, measures=[MeasureEntry(name="time")])
    assert [m.name for m in only.measures] == ["time"]
    assert len(only.frame) == 4


def test_a_manifest_that_contradicts_what_is_known_is_heeded_and_told(
    read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    text = "algorithm,replication,accuracy,my_score\nlda,1,.1,2\n"
    for name, word in (("accuracy", "the catalogue"), ("score", "its name")):
        entry = MeasureEntry(name=name, better="smaller")
        warehouse = read(text.replace("my_", ""), measures=[entry])
        assert (warehouse.measures[0].better, warehouse.measures[0].better_source) == (
            "smaller",
            "manifest",
        )
        assert (
            f"smaller values of {name!r} are better by the manifest; larger values by {word}"
            in caplog.text
        )
    with pytest.raises(ExchangeError, match="'my_score' of unknown direction"):
        read(text)


def test_order_is_that_of_names_and_not_of_rows(read: Read) -> None:
    rows = ["z,svm,1,.1", "z,K-nn,1,.2", "n = 100,svm,1,.3", "n = 20,K-nn,1,.4"]
    for text in (rows, rows[::-1]):
        warehouse = read("\n".join(["dataset,candidate,replication,error", *text]))
        assert warehouse.datasets == ("n = 20", "n = 100", "z")
        assert warehouse.candidates == ("K-nn", "svm")


def test_what_costs_is_not_the_main_measure_by_its_name_alone(read: Read) -> None:
    for text in (TIDY, TIDY.replace("Misclassification", "vmiscl").replace("Time", "fit-time")):
        lines = text.splitlines()
        warehouse = read("\n".join([lines[0], *lines[:0:-1]]))
        assert [m.unit_symbol for m in warehouse.measures] == ["share", "s"]


def test_own_warehouse_is_read_again(read: Read, tmp_path: Path) -> None:
    first = read(TIDY, n={"d": 50}, resampling={"scheme": "bootstrap"})
    first.frame.to_parquet(tmp_path / "again.parquet")
    again = read_results(tmp_path / "again.parquet")
    pd.testing.assert_frame_equal(again.frame, first.frame)
    assert again.measures == first.measures


def test_parquet_of_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"candidate": [1, 2], "replication": [1, 1], "error": np.array([0.5, np.nan], np.float32)}
    )
    frame.to_parquet(tmp_path / "res.parquet", index=True)
    warehouse = read_results(tmp_path / "res.parquet")
    assert warehouse.candidates == ("1", "2")
    np.testing.assert_array_equal(values(warehouse, "misclassification", "res"), [[0.5, np.nan]])


def test_a_column_of_parquet_without_any_value_is_one_of_gaps(tmp_path: Path) -> None:
    """Its type may say that there is no value; a CSV of the same is read alike."""
    frame = pd.DataFrame({"replication": [1, 2], "x": [0.1, 0.2], "y": [0.3, 0.1], "z": None})
    found = []
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"res.{suffix}"
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
        chosen = {"candidate": ("x", "y", "z")}
        own = read_results(
            path, wide=True, columns=chosen, measures=[MeasureEntry(name="misclassification")]
        )
        found.append(values(own, "misclassification", "res"))
    np.testing.assert_array_equal(*found)
    np.testing.assert_array_equal(found[0][:, 2], [np.nan, np.nan])


# -- ways of writing ------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(separator: str, read: Read) -> None:
    warehouse = read(TIDY.replace(",", separator))
    np.testing.assert_array_equal(values(warehouse, "time"), [[1.5, 3.5], [2.5, 4.5]])


def test_decimal_commas_where_no_comma_separates(
    read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    text = TIDY.replace(",", ";").replace(".", ",")
    with caplog.at_level(logging.INFO):
        np.testing.assert_array_equal(values(read(text), "time"), [[1.5, 3.5], [2.5, 4.5]])
    assert "the commas in the column value are decimal commas" in caplog.text


def test_mixed_decimal_signs_are_an_error(fail: Fail) -> None:
    assert fail("algorithm;replication;error\nlda;1;0.1\nlda;2;0,4\n") == (
        "res.csv: row 3, column error: found '0,4'; allowed a number with a decimal point, or NA"
    )


@pytest.mark.parametrize("missing", ["", "NA", "NaN", "nan", "null", " NA "])
def test_missing_values(missing: str, read: Read) -> None:
    warehouse = read(f"algorithm,replication,error\nlda,1,{missing}\nlda,2,0.5\n")
    np.testing.assert_array_equal(values(warehouse, "misclassification", "res"), [[np.nan], [0.5]])


def test_names_keep_their_spelling(read: Read) -> None:
    long = "x" * 300
    text = (
        f'algorithm,replication,error\n001,1,.1\n1,1,.1\nNA,1,.1\n"<b>a, b</b>",1,.1\n{long},1,.1\n'
    )
    assert read(text).candidates == ("001", "1", "<b>a, b</b>", "NA", long)


def test_byte_order_mark_blank_lines_quotes_and_row_names(read: Read) -> None:
    text = '\ufeff"","algorithm","replication","error"\r\n"1","lda",1,.1\r\n\r\n"2","svm",1,.2\r\n'
    assert read(text).candidates == ("lda", "svm")


def test_replications_without_numbers_are_numbered_by_their_names(read: Read) -> None:
    text = "algorithm,replication,error\nlda,f10,.1\nlda,f9,.2\nsvm,f9,.3\n"
    np.testing.assert_array_equal(
        values(read(text), "misclassification", "res"), [[0.2, 0.3], [0.1, np.nan]]
    )


def test_rows_are_counted_only_where_the_user_says_so(read: Read, fail: Fail) -> None:
    text = "algorithm,error\nlda,.1\nsvm,.2\nlda,.3\nsvm,.4\n"
    said = fail(text)
    assert "row 4: found no column of replications, and up to 2 rows a candidate" in said
    assert "`replication: rows`" in said
    np.testing.assert_array_equal(
        values(read(text, replication="rows"), "misclassification", "res"), [[0.1, 0.2], [0.3, 0.4]]
    )
    assert "between 1 and 2 rows a candidate" in fail(text[:-7], replication="rows")


# -- what a manifest adds -------------------------------------------------------------


def test_problem_and_resampling_are_kept(read: Read) -> None:
    warehouse = read(TIDY, problem="simulation", resampling={"scheme": "bootstrap"})
    assert warehouse.problem == "simulation"
    assert warehouse.target == "generating-process"
    assert warehouse.resampling == {"scheme": "bootstrap", "replications": 2}
    assert read(TIDY).target == "conditional"


def test_sizes_from_n_and_the_scheme(read: Read) -> None:
    warehouse = read(TIDY, n={"d": 554}, resampling={"scheme": "bootstrap"})
    performances = warehouse.performances("d", "time")
    distinct = 554 * (1 - (1 - 1 / 554) ** 554)
    np.testing.assert_allclose(performances.n_learn, 554, rtol=EXACT)
    np.testing.assert_allclose(performances.n_distinct, distinct, rtol=EXACT)
    np.testing.assert_allclose(performances.n_test, 554 - distinct, rtol=EXACT)
    assert warehouse.facts["d"]["n_observations"] == 554


def test_expected_sizes_by_enumeration() -> None:
    """All 3^3 samples of three observations, counted."""
    samples = np.stack(np.meshgrid(*[range(3)] * 3), axis=-1).reshape(-1, 3)
    distinct = np.mean([len(set(sample)) for sample in samples.tolist()])
    assert expected_sizes({"scheme": "bootstrap"}, 3) == pytest.approx((3, distinct, 3 - distinct))


def test_no_sizes_without_a_scheme_that_gives_them(read: Read) -> None:
    for resampling in ({}, {"scheme": "k-fold"}):
        warehouse = read(TIDY, n={"d": 554}, resampling=resampling)
        assert np.isnan(warehouse.performances("d", "time").n_distinct).all()


@pytest.mark.parametrize("column", ["n_test", "n_distinct"])
def test_a_sample_is_no_larger_than_its_data_set(read: Read, column: str) -> None:
    text = f"algorithm,replication,error,{column}\nlda,1,.1,40\nlda,2,.2,41\n"
    said = rf"found 40 for n of 'res', of which {column} has 41; allowed the number"
    with pytest.raises(ExchangeError, match=said):
        read(text, n={"res": 40})
    assert read(text, n={"res": 41}).facts["res"]["n_observations"] == 41
    assert read(text, n={"res": 40}, problem="simulation").facts["res"]["n_observations"] == 40


def test_sizes_of_the_file_stay(read: Read) -> None:
    text = "algorithm,replication,error,n_learn,n_test\nlda,1,.1,20,7\n"
    warehouse = read(text, n={"res": 30}, resampling={"scheme": "bootstrap"})
    performances = warehouse.performances("res", "misclassification")
    assert performances.n_learn.tolist() == [20]
    assert performances.n_test.tolist() == [7]


def test_study_with_results(tmp_path: Path) -> None:
    (tmp_path / "res.csv").write_text(TIDY.replace("algorithm", "who"), "utf-8")
    manifest = tmp_path / "study.yaml"
    manifest.write_text(
        "measures: [Time]\n"
        "results: {file: res.csv, columns: {candidate: who}, problem: competition, n: {d: 9}}\n"
        "analysis: {relevance: {time: [-1, 1]}}\n",
        "utf-8",
    )
    warehouse = study_results(load_study(manifest, {}))
    assert [m.name for m in warehouse.measures] == ["time"]
    assert warehouse.problem == "competition"
    with pytest.raises(StudyError, match=r"--set .*found 'tine'; allowed time; did you mean time"):
        study_results(load_study(manifest, {}, {"analysis.relevance": "{tine: [-1, 1]}"}))


def test_spelling_of_the_manifest_need_not_be_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "res.csv").write_text(TIDY.replace("Misclassification", "err"), "utf-8")
    (tmp_path / "study.yaml").write_text(
        "measures: [Misclassification]\nresults: res.csv\n", "utf-8"
    )
    warehouse = study_results(load_study(tmp_path / "study.yaml", {}))
    assert [m.name for m in warehouse.measures] == ["misclassification"]


# -- errors ---------------------------------------------------------------------------

HEAD = "algorithm,replication,error\n"
CASES = YAML(typ="safe", pure=True).load(Path(__file__).with_name("wrong_results.yaml"))


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_wrong_files(case: dict[str, str], fail: Fail) -> None:
    expected = re.sub(r"(?<=docs: )[\w-]+\.md#[\w-]+", lambda m: page_url(m[0]), case["error"])
    assert fail(case["file"]) == expected


@pytest.mark.parametrize(
    ("encoding", "line", "byte"), [("latin-1", 2, "0xf6"), ("utf-16-le", 2, "0xf6")]
)
def test_other_encodings(encoding: str, line: int, byte: str, fail: Fail) -> None:
    assert fail((HEAD + "größe,1,.1\n").encode(encoding)) == (
        f"res.csv: line {line}: found the byte {byte}, which is not UTF-8; allowed text in UTF-8: "
        "save it in that encoding"
    )


def test_wrong_manifests_of_right_files(fail: Fail) -> None:
    assert fail(TIDY, columns={"candidate": "algoritm"}) == (
        "res.csv: found no column 'algoritm' for candidate; allowed one of the file's columns: "
        "dataset, replication, algorithm, measure, value; did you mean algorithm?"
    )
    assert fail(TIDY, measures=[MeasureEntry(name="t", column="Tmie", better="smaller")]) == (
        "res.csv: found no label 'Tmie' for the measure 't'; allowed Misclassification, Time; did "
        "you mean Time? Name it by `column: Time`"
    )
    assert fail(TIDY, n={"dd": 3}) == (
        "res.csv: found no data set 'dd' for n; allowed d; did you mean d?"
    )


def test_wrong_kinds_of_files(fail: Fail, tmp_path: Path) -> None:
    assert fail("x", "res.docx") == (
        "res.docx: found a file of an unknown kind; allowed .csv, .tsv, .txt, .parquet, .pq, "
        ".json, .jsonl, .eval, .info, .js, .out, .bench, .rdata, .rda, .rds, .xlsx, .xlsm, .ods, "
        ".tex, .md, .markdown, .db, .sqlite, .sqlite3, .gz, and folders of logs, runs or aeon's "
        "results"
    )
    assert fail("x", "res.xlsx") == (
        "res.xlsx: found no spreadsheet (File is not a zip file); allowed one"
    )
    assert fail("x", "res.parquet").startswith("res.parquet: found no Parquet file (")
    with pytest.raises(ExchangeError, match=r"none\.csv: found no such file"):
        read_results(tmp_path / "none.csv")


def test_dates_are_no_numbers(tmp_path: Path) -> None:
    dates = pd.to_datetime(["2020-01-01"])
    frame = pd.DataFrame({"candidate": ["a"], "replication": [1], "error": dates})
    frame.to_parquet(tmp_path / "res.parquet")
    with pytest.raises(ExchangeError, match="column error: found values of type timestamp"):
        read_results(tmp_path / "res.parquet", measures=[MeasureEntry(name="error")])


@given(st.text(alphabet='ab01.,;"\t\n -NA', max_size=60))
def test_any_text_gives_a_warehouse_or_an_error_of_ours(tmp_path: Path, text: str) -> None:
    path = tmp_path / "res.csv"
    path.write_text(HEAD + text, "utf-8", newline="")
    try:
        n_values = int(read_results(path).frame["value"].notna().sum())
    except ExchangeError as error:
        n_values = int(str(error).startswith(str(path)))
    assert n_values


def test_names_that_look_alike_are_named(read: Read, caplog: pytest.LogCaptureFixture) -> None:
    text = "dataset,algorithm,replication,error\na,{0},1,.1\na,{1},1,.2\n"
    read(text.format("svm", "svm2"))
    assert not caplog.text
    read(text.format("svm", "SVM"))
    assert "the candidates 'svm' and 'SVM' differ only in how they are written" in caplog.text


@pytest.mark.parametrize("twin", ["s\u200bvm", "\u0455vm", "svm\u2060"])
def test_names_that_look_alike_are_written_apart(
    read: Read, caplog: pytest.LogCaptureFixture, twin: str
) -> None:
    read(f"dataset,algorithm,replication,error\na,svm,1,.1\na,{twin},1,.2\n")
    assert f"'svm' and {twin!a} differ only in how" in caplog.text.replace(
        f"{twin!a} and 'svm'", f"'svm' and {twin!a}"
    )


def test_a_long_table_is_read_in_less_than_100_bytes_a_row(tmp_path: Path) -> None:
    names = {
        "dataset": [f"data{m}" for m in range(10)],
        "replication": range(1, 51),
        "candidate": [f"candidate{k}" for k in range(20)],
        "measure": ["misclassification", "brier", "log-loss", "fit-time", "predict-time"],
    }
    index = pd.MultiIndex.from_product(list(names.values()), names=list(names))
    values = np.random.default_rng(1).uniform(0.1, 0.3, len(index))
    frame = pd.DataFrame({"value": values}, index=index).reset_index()
    frame.sample(frac=1, random_state=1).to_parquet(tmp_path / "rows.parquet", index=False)
    read_results(tmp_path / "rows.parquet")  # with imports, which take memory once
    tracemalloc.start()
    warehouse = read_results(tmp_path / "rows.parquet")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * len(frame)  # 28 of these are the table and 21 its sorted copy
    order = list(names)
    found = warehouse.frame.astype(dict.fromkeys(order, object))
    expected = frame.merge(found, on=order)
    assert (expected["value_x"] == expected["value_y"]).all()
    assert len(expected) == len(frame)
    assert np.isnan(warehouse.frame["n_test"]).all()
