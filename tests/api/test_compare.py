"""One call from Python: whatever holds the results, the numbers are those of the report."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api import frames
from reportgen.api.calls import _open_study
from reportgen.api.study import BenchmarkStudy
from reportgen.api.views import _plain
from reportgen.errors import ExchangeError, ReportgenError, StudyError, WarehouseError

CANDIDATES = ("lda", "rf", "svm")
DATASETS = ("anna", "berta", "cora", "dora")


@pytest.fixture(scope="module")
def cube() -> np.ndarray:
    """Return errors of shape (M, B, K)."""
    rng = np.random.default_rng(7)
    base = rng.normal(0.2, 0.01, (4, 1, 1)) + rng.normal(0, 0.01, (4, 12, 1))
    return base + np.array([0.06, 0.02, 0.0]) + rng.normal(0, 0.01, (4, 12, 3))


@pytest.fixture(scope="module")
def tidy(cube: np.ndarray) -> pd.DataFrame:
    index = pd.MultiIndex.from_product(
        [DATASETS, range(1, 13), CANDIDATES], names=["dataset", "replication", "candidate"]
    )
    values = {"misclassification": cube.ravel()}
    return pd.DataFrame(values, index=index).reset_index()


@pytest.fixture(scope="module")
def study(tidy: pd.DataFrame) -> BenchmarkStudy:
    return reportgen.compare(tidy, relevance=0.01, name="four")


def wide(cube: np.ndarray) -> pd.DataFrame:
    rows = pd.DataFrame(cube.reshape(-1, 3), columns=list(CANDIDATES))
    return rows.assign(dataset=np.repeat(DATASETS, 12))


def nested(cube: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    return {
        name: dict(zip(CANDIDATES, values.T, strict=True))
        for name, values in zip(DATASETS, cube, strict=True)
    }


@pytest.mark.slow
def test_all_shapes_are_the_same_study(
    cube: np.ndarray, tidy: pd.DataFrame, study: BenchmarkStudy, tmp_path: Path
) -> None:
    file = tmp_path / "four.csv"
    tidy.to_csv(file, index=False)
    tidy.to_json(tmp_path / "four.json", orient="records", double_precision=15)
    several = [tmp_path / f"{name}.csv" for name in DATASETS]
    for path, name in zip(several, DATASETS, strict=True):
        tidy[tidy["dataset"] == name].to_csv(path, index=False)
    given: dict[str, tuple[Any, dict[str, Any]]] = {
        "indexed": (tidy.set_index(["dataset", "replication", "candidate"]), {}),
        "series": (
            tidy.set_index(["dataset", "replication", "candidate"])["misclassification"],
            {},
        ),
        "wide": (wide(cube), {"measure": "misclassification"}),
        "text": (wide(cube).astype(object), {"measure": "misclassification"}),
        "mapping": (nested(cube), {"measure": "misclassification"}),
        "frames": (
            {name: pd.DataFrame(inner) for name, inner in nested(cube).items()},
            {"measure": "misclassification"},
        ),
        "array": (
            cube,
            {
                "measure": "misclassification",
                "candidates": CANDIDATES,
                "datasets": DATASETS,
            },
        ),
        "records": (tidy.to_dict("records"), {}),
        "path": (file, {}),
        "text path": (str(file), {}),
        "json": (tmp_path / "four.json", {}),
        "paths": (several, {}),
        "read": (reportgen.read(file), {}),
    }
    expected = study.performances
    for kind, (results, more) in given.items():
        other = reportgen.compare(results, relevance=0.01, **{"name": "four", **more})
        assert other.datasets == DATASETS, kind
        # to the digits of the files
        pd.testing.assert_frame_equal(other.performances, expected, obj=kind, rtol=1e-12)


def test_one_data_set_by_a_mapping_an_array_and_rows(cube: np.ndarray) -> None:
    values = dict(zip(CANDIDATES, cube[0].T, strict=True))
    first = reportgen.compare(values, better="smaller", name="anna")
    assert first.datasets == ("anna",)
    for results in (
        cube[0],
        cube[0].tolist(),
        pd.DataFrame(values),
        pd.DataFrame(values, index=np.arange(100, 112)),
    ):
        other = reportgen.compare(
            results,
            better="smaller",
            name="anna",
            candidates=CANDIDATES if not isinstance(results, pd.DataFrame) else None,
        )
        pd.testing.assert_frame_equal(other.performances, first.performances)


def test_rows_with_names_are_data_sets(cube: np.ndarray) -> None:
    means = pd.DataFrame(cube.mean(axis=1), columns=list(CANDIDATES), index=list(DATASETS))
    study = reportgen.compare(means, better="smaller")
    assert study.datasets == DATASETS
    assert study.performances.groupby("dataset", observed=True).size().tolist() == [3] * 4


@pytest.mark.parametrize("name", [None, "number"])
def test_rows_with_numbers_are_replications(cube: np.ndarray, name: str | None) -> None:
    rows = pd.DataFrame(cube[0], columns=list(CANDIDATES))
    rows.index = pd.Index(100 + np.arange(12), name=name)
    dated = rows.set_axis(pd.date_range("2020-01-01", periods=12))
    for frame in (rows, dated):
        before = frame.copy()
        study = reportgen.compare(frame, better="smaller", name="anna")
        assert study.candidates == CANDIDATES
        assert study.datasets == ("anna",)
        pd.testing.assert_frame_equal(frame, before)


def test_masked_cells_are_missing(cube: np.ndarray) -> None:
    masked = np.ma.array(cube[0].copy(), mask=np.arange(36).reshape(12, 3) == 4)
    masked.data[1, 1] = 99
    given = (masked, [*masked], dict(zip(CANDIDATES, masked.T, strict=True)))
    for results in given:
        values = reportgen.compare(results, better="smaller").performances["value"]
        assert values.isna().sum() == 1
        assert values.max() < 1


def test_cross_validate_and_searches_of_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    scores = {
        name: {
            "fit_time": rng.random(20),
            "score_time": rng.random(20),
            "test_accuracy": rng.normal(mean, 0.02, 20),
        }
        for name, mean in (("lda", 0.8), ("svm", 0.9))
    }
    study = reportgen.compare(scores)
    assert study.candidates == ("lda", "svm")
    assert study.measures[0] == "accuracy"
    assert study.check("svm better than lda in this experiment")
    search = {"params": [{"k": 1}, {"k": 5}], "mean_test_score": np.array([0.7, 0.8])}
    search |= {f"split{i}_test_score": rng.normal([0.7, 0.8], 0.02) for i in range(15)}
    found = reportgen.compare(search, better="larger")
    fitted = reportgen.compare(SimpleNamespace(cv_results_=search), better="larger")
    pd.testing.assert_frame_equal(fitted.pairs(), found.pairs())
    assert len(found.candidates) == 2
    assert found.performances["value"].notna().sum() == 30


@pytest.mark.slow
def test_numbers_are_those_of_the_report(study: BenchmarkStudy, tmp_path: Path) -> None:
    study.report(tmp_path, formats=["json"])
    report = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    sections = report["sections"]
    main = "misclassification"
    for name in DATASETS:
        stored = sections["inference"][name][main]["pairs"]
        own = study.pairs(dataset=name)
        for column in ("estimate", "lower", "upper", "adjusted_p_value"):
            np.testing.assert_array_equal(own[column], [row[column] for row in stored])
        assert own["decision"].tolist() == [row["decision"] for row in stored]
        summary = sections["eda"][name][main]["summary"]
        means = {row["candidate"]: row["mean"] for row in summary}
        assert dict(study.summary(dataset=name)[["candidate", "mean"]].values.tolist()) == means
        ranks = {row["candidate"]: row["mean_rank"] for row in summary}
        assert dict(study.ranks(dataset=name)[["candidate", "mean_rank"]].values.tolist()) == ranks
    stored = sections["domain"]["verdict"][main]["pairs"]
    np.testing.assert_array_equal(study.domain()["lower"], [row["lower"] for row in stored])
    chain = sections["domain"]["consensus"][main]["relations"][0]["chain"]
    levels = study.consensus().query("order == 1").groupby("level")["candidate"].apply(list)
    assert levels.tolist() == chain
    assert study.members()["member"].tolist() == list(DATASETS)


def test_keywords_are_the_keys_of_a_manifest(tidy: pd.DataFrame) -> None:
    study = reportgen.compare(
        tidy,
        alpha=np.float64(0.1),
        reference="lda",
        relevance={"misclassification": [-0.02, 0.02]},
        seed=3,
        title="Four",
        problem="simulation",
        sections=["inference"],
    )
    found = study.result("inference", "anna")["misclassification"]
    assert found.alpha == 0.1
    assert found.relevance == (-0.02, 0.02)
    assert found.many_to_one is not None
    assert found.target == "generating-process"


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"alhpa": 0.1}, r"compare: found the keyword 'alhpa'; allowed .*; did you mean alpha\?"),
        ({"alpha": 2}, r"compare\(alpha=…\): found 2; allowed a number below 1"),
        ({"relevance": -1}, r"compare\(relevance=…\): found -1; allowed a number above 0"),
        (
            {"relevance": {"eror": [-1, 1]}},
            r"compare\(relevance=…\): found the measure 'eror'; allowed misclassification",
        ),
        ({"reference": "ldaa"}, r"found 'ldaa'; allowed lda, rf, svm; did you mean lda\?"),
        ({"sections": ["infrence"]}, r"infrence.*did you mean inference\?"),
        ({"better": "bigger"}, "better: found 'bigger'; allowed smaller or larger"),
        ({"better": True}, r"compare\(better=…\): found true; allowed smaller or larger"),
        ({"bettr": "larger"}, r"allowed results, better, .*; did you mean better\?"),
        ({"rope": 0.01}, r"did you mean relevance\?"),
        ({"cv": 5}, r"did you mean resampling\?"),
        ({"measure": "f1"}, r"no column 'f1' for the measure 'f1'; allowed"),
        ({"relevance": {"misclassification": 0}}, "found 0; allowed a number above 0"),
        ({"columns": {"value": object()}}, "compare.columns=….: found 'dict'"),
        ({"measures": [3]}, r"compare\(measures=…\): \[1\]: found 3"),
        ({"better": {"misclasification": "larger"}}, "did you mean misclassification"),
        ({"candidates": ["lda", "svm"]}, "found candidates with results that have names"),
    ],
)
def test_wrong_keywords_are_told(
    tidy: pd.DataFrame, keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReportgenError, match=message):
        reportgen.compare(tidy, **keywords)


def test_relevance_by_measure_is_a_number_or_a_pair(tidy: pd.DataFrame) -> None:
    frame = tidy.assign(mse=tidy["misclassification"])
    study = reportgen.compare(frame, relevance={"misclassification": 0.01, "mse": (-0.1, 0.1)})
    areas = study._job.study.analysis.relevance
    assert areas == {"misclassification": (-0.01, 0.01), "mse": (-0.1, 0.1)}
    assert reportgen.compare(frame, measures="mse").measures == ("mse",)


def test_a_side_that_nobody_knows_is_asked_for(cube: np.ndarray) -> None:
    with pytest.raises(StudyError, match=r"of which nobody knows what is better; allowed better="):
        reportgen.compare(wide(cube), measure="wobble")
    larger = reportgen.compare(wide(cube), measure="wobble", better="larger")
    assert larger.check("lda better than svm in this experiment", dataset="anna")
    mapped = reportgen.compare(wide(cube), measure="wobble", better={"wobble": "smaller"})
    assert mapped.check("svm better than lda in this experiment", dataset="anna")


def test_a_side_that_the_user_gives_comes_first(tidy: pd.DataFrame) -> None:
    study = reportgen.compare(tidy, better="larger")
    assert study.check("lda better than svm in this experiment", dataset="anna")


def test_relevance_of_times_is_a_ratio() -> None:
    rng = np.random.default_rng(1)
    seconds = {"slow": rng.lognormal(1, 0.1, 40), "fast": rng.lognormal(0, 0.1, 40)}
    study = reportgen.compare(seconds, measure="fit-time", relevance=1.2)
    pair = study.pairs().iloc[0]
    assert pair["scale"] == "ratio"
    assert pair["decision"] in ("worse-relevant", "better-relevant")
    with pytest.raises(StudyError, match=r"found 0.5; allowed a ratio above 1"):
        reportgen.compare(seconds, measure="fit-time", relevance=0.5)


def test_a_side_of_the_user_leaves_the_scale_of_times(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    seconds = {"slow": rng.lognormal(1, 0.1, 40), "fast": rng.lognormal(0, 0.1, 40)}
    sides = {"fit-time": "smaller"}
    study = reportgen.compare(seconds, measure="fit-time", better=sides)
    assert set(study.pairs()["scale"]) == {"ratio"}
    file = tmp_path / "times.csv"
    study.performances.to_csv(file, index=False)
    assert set(reportgen.compare([file], better=sides).pairs()["scale"]) == {"ratio"}
    both = [tmp_path / f"{name}.csv" for name in "ab"]
    for path in both:
        study.performances.assign(dataset=path.stem).to_csv(path, index=False)
    assert set(reportgen.compare(both, better=sides).pairs()["scale"]) == {"ratio"}


@pytest.mark.parametrize("relevance", [np.float32(0.25), np.array([-0.25, 0.25])])
def test_relevance_may_be_of_numpy(tidy: pd.DataFrame, relevance: Any) -> None:
    study = reportgen.compare(tidy, relevance=relevance)
    assert study.result("domain").verdict["misclassification"].relevance == (-0.25, 0.25)


@pytest.mark.slow
def test_the_command_has_every_argument(cube: np.ndarray, tmp_path: Path) -> None:
    study = reportgen.compare(
        cube,
        better="smaller",
        relevance=0.5,
        measure="wobble",
        candidates=CANDIDATES,
        datasets=DATASETS,
        alpha=0.1,
        title=f"of {tmp_path}",
    )
    study.report(tmp_path, formats="json")
    report = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    command = report["provenance"]["command"]
    assert command.startswith(
        "reportgen.compare(<data>, better='smaller', relevance=0.5, measure='wobble', "
        f"candidates={CANDIDATES}, datasets={DATASETS}, alpha=0.1, title="
    )
    assert str(tmp_path) not in command


def test_files_are_read_as_the_keywords_say(tidy: pd.DataFrame, tmp_path: Path) -> None:
    rows = tidy.drop(columns="replication")
    paths = [tmp_path / f"{name}.csv" for name in DATASETS[:2]]
    for path in paths:
        rows[rows["dataset"] == path.stem].to_csv(path, index=False)
    several = reportgen.compare(paths, replication="rows")
    assert several.datasets == DATASETS[:2]
    assert len(several.performances) == 2 * 12 * 3
    told = reportgen.compare(paths[0], replication="rows", measure="misclassification")
    assert told.measures == ("misclassification",)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (3, "found 'int'; allowed a data frame"),
        ({}, "found an empty mapping"),
        (type("Endless", (dict,), {"__len__": lambda _: 10**9})(), "found an empty mapping"),
        ({"a": ["x", "y"], "b": [1, 2]}, "allowed numbers, one a replication"),
        (np.zeros((2, 2, 2, 2)), r"found an array of shape \(2, 2, 2, 2\)"),
        (np.array([["a", "b"]]), "found an array of shape"),
        (
            pd.DataFrame({"lda": [1.0, 2.0], "svm": ["3", "oops"]}),
            "row 1, column svm: found 'oops'; allowed a number",
        ),
        ({"a": [1, 2, 3], "b": [1, 2]}, "found values: 3 of a, 2 of b; allowed as many of each"),
        (pd.DataFrame({"candidate": list("aabb"), "mse": 1.0}), "replication='rows'"),
        (pd.DataFrame({"candidate": [], "error": []}), "found no rows"),
        ([[1.0, 2.0], [3.0]], "found no array"),
        ({1: [0.1, 0.2], "1": [0.3, 0.4]}, "found '1' twice"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "found the column 'a' twice"),
        (
            pd.DataFrame({"candidate": ["a"], "mse": [1.0]}).set_index("candidate", drop=False),
            "found the column 'candidate' twice; allowed once, also among the names of the index",
        ),
        (
            pd.DataFrame({"a": [True], "b": [False], "n": [7]}),
            "column a: found values of type bool; allowed numbers",
        ),
        (
            pd.DataFrame({"a": [0.1], "b": [0.2]}, index=pd.MultiIndex.from_tuples([("x", 1)])),
            "found an index of 2 levels without names",
        ),
        (
            {"a": pd.Series([1.0, 2.0]), "b": pd.Series([1.0, 2.0], index=[1, 2])},
            "found rows of 'b' with other names than those of the first",
        ),
        (pd.DataFrame({("a", "b"): [1.0]}), "found columns of 2 levels"),
        (
            pd.DataFrame({"candidate": ["a", "b"], "mse": [1.0, "one"]}, index=["p", "q"]),
            "row 'q', column mse: found 'one'",
        ),
    ],
)
def test_wrong_results_are_told(results: Any, message: str) -> None:
    with pytest.raises(ExchangeError, match=message):
        reportgen.compare(results, better="smaller")


def test_flags_beside_the_numbers_of_a_wide_frame_are_left_out() -> None:
    frame = pd.DataFrame({"a": [0.1, 0.3], "b": [0.2, 0.5], "is_new": [True, False]})
    study = reportgen.compare(frame, measure="mse")
    assert sorted(study.performances["candidate"].unique()) == ["a", "b"]


def test_names_of_an_array_have_to_fit(cube: np.ndarray) -> None:
    with pytest.raises(ExchangeError, match="candidates: found 2 names, 2 of them different"):
        reportgen.compare(cube, better="smaller", candidates=["a", "b"])
    with pytest.raises(ExchangeError, match="datasets: found 4 names, 1 of them different"):
        reportgen.compare(cube, better="smaller", datasets=["a"] * 4)


def test_a_manifest_is_for_run(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("results: {file: x.csv}", encoding="utf-8")
    with pytest.raises(StudyError, match=r"found the manifest .*\(run takes manifests\)"):
        reportgen.compare(tmp_path / "study.yaml")


def test_names_never_become_markup() -> None:
    rng = np.random.default_rng(1)
    study = reportgen.compare(
        {"<script>alert(1)</script>": rng.random(20), "**b** &amp; |": rng.random(20) + 1},
        better="larger",
        name="x",
    )
    page = study._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "**b** &amp; |" in repr(study)
    assert "<script>alert(1)</script>" in repr(study)


def test_text_of_a_study_has_no_markup() -> None:
    assert _plain("**Observation 51** (<code>a&#95;b</code> 3, &lt;code&gt;) has *p*") == (
        "Observation 51 (a_b 3, <code>) has p"
    )


def test_no_file_is_written(
    tidy: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = reportgen.compare(tidy)
    study.pairs()
    repr(study)
    assert list(tmp_path.iterdir()) == []


def test_run_a_manifest_and_its_keywords(tidy: pd.DataFrame, tmp_path: Path) -> None:
    tidy.to_csv(tmp_path / "four.csv", index=False)
    (tmp_path / "study.yaml").write_text(
        "results: {file: four.csv}\nanalysis: {alpha: 0.1}\n", encoding="utf-8"
    )
    study = reportgen.run(str(tmp_path / "study.yaml"), str(tmp_path / "output"))
    assert study.result("inference", "anna")["misclassification"].alpha == 0.1
    other = reportgen.run(tmp_path / "study.yaml", tmp_path / "output", alpha=0.01)
    assert other.result("inference", "anna")["misclassification"].alpha == 0.01
    same = reportgen.compare(tidy, alpha=0.1)
    pd.testing.assert_frame_equal(study.domain(), same.domain(), rtol=1e-9)


def test_keywords_overrule_all_of_a_manifest(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "measures: [accuracy]\n"
        "setup: {datasets: [iris], candidates: [lda, svm], resampling: {replications: 9}}\n",
        encoding="utf-8",
    )

    def setup(areas: dict[str, Any] | None = None, **keywords: Any) -> Any:
        leave = {"allow_plugins": False, "allow_templates": False}
        opened = _open_study(path, tmp_path, keywords, areas, **leave)
        return opened.study.setup

    entry = setup(datasets="wine", replications=3)
    assert [data.name for data in entry.datasets] == ["wine"]
    assert entry.resampling.replications == 3
    assert setup(resampling={"scheme": "k-fold", "folds": 3}).resampling.folds == 3
    other = setup(setup={"datasets": ["wine"], "candidates": ["qda", "nb"]})
    assert [candidate.name for candidate in other.candidates] == ["qda", "nb"]
    with pytest.raises(StudyError, match=r"^run\(alpha=…\): found 2; allowed"):
        setup(alpha=2)
    with pytest.raises(StudyError, match=r"run: found the keyword 'allow_plugin'.*allow_plugins\?"):
        reportgen.run(path, tmp_path, allow_plugin=True)
    with pytest.raises(StudyError, match=r"run: found 'DataFrame'; allowed the path of a manifest"):
        reportgen.run(pd.DataFrame(), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match=r"run\(relevance=…\): found -1; allowed a number above 0"):
        reportgen.run(path, tmp_path, relevance=-1)


def test_relevance_of_a_run_is_that_of_the_main_measure(tidy: pd.DataFrame, tmp_path: Path) -> None:
    tidy.to_csv(tmp_path / "four.csv", index=False)
    study = reportgen.run(tmp_path / "four.csv", tmp_path, relevance=0.02)
    assert study._job.study.analysis.relevance == {"misclassification": (-0.02, 0.02)}


def test_what_is_saved_is_loaded(study: BenchmarkStudy, tmp_path: Path) -> None:
    file = study.save(str(tmp_path / "four.zip"))
    loaded = reportgen.load(file)
    assert repr(loaded) == repr(study)
    assert loaded.name == "four"
    pd.testing.assert_frame_equal(loaded.pairs(), study.pairs())
    with pytest.raises(StudyError, match=r"allowed a name that ends in \.zip"):
        study.save(tmp_path / "four.pkl")


@pytest.mark.slow
def test_the_folder_of_a_run_is_loaded(tidy: pd.DataFrame, tmp_path: Path) -> None:
    tidy.to_csv(tmp_path / "four.csv", index=False)
    study = reportgen.run(tmp_path / "four.csv", tmp_path, alpha=0.2)
    (tmp_path / "four.csv").unlink()
    loaded = reportgen.load(str(tmp_path / "four"))
    assert repr(loaded) == repr(study)
    assert loaded.result("inference", "anna")["misclassification"].alpha == 0.2


@pytest.mark.parametrize("content", [None, b"", b"no archive"])
def test_what_is_no_study_is_not_loaded(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "study.zip"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StudyError, match="load: found"):
        reportgen.load(path)
    with pytest.raises(StudyError, match="load: found no results"):
        reportgen.load(tmp_path)


def test_a_frame_without_a_pair_has_the_columns_of_one_with_some(study: BenchmarkStudy) -> None:
    some, none = study.pairs(), frames.pairs([])
    assert len(some) > 0
    assert none.empty
    assert list(none.columns) == list(some.columns)[: len(none.columns)]


def test_a_damaged_archive_is_told(study: BenchmarkStudy, tmp_path: Path) -> None:
    file = study.save(tmp_path / "four.zip")
    whole = bytearray(file.read_bytes())
    damaged = tmp_path / "damaged.zip"
    for place in range(40, len(whole) // 2, 997):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            reportgen.load(damaged)
        except ReportgenError as error:
            assert "load: found" in str(error)  # noqa: PT017 - a byte may be of no importance
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(damaged, "w") as other:
        for name in archive.namelist():
            if name != "study.json":
                other.writestr(name, archive.read(name))
    with pytest.raises(WarehouseError, match=r"study\.json: found no such file"):
        reportgen.load(damaged)


def test_save_leaves_other_files_alone(study: BenchmarkStudy, tmp_path: Path) -> None:
    (tmp_path / "four.part").write_text("mine", encoding="utf-8")
    study.save(tmp_path / "four.zip")
    assert {path.name for path in tmp_path.iterdir()} == {"four.part", "four.zip"}
    (tmp_path / "folder.zip").mkdir()
    with pytest.raises(OSError, match=r"folder\.zip"):
        study.save(tmp_path / "folder.zip")
    assert len([*tmp_path.iterdir()]) == 3


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"formats": "htm"}, r"report\(formats=…\): found 'htm'.*did you mean html"),
        ({"sections": ["infrence"]}, r"report\(sections=…\): found 'infrence'"),
        ({"length": "artcle"}, r"report\(length=…\): found 'artcle'; allowed article, full"),
    ],
)
def test_a_report_that_cannot_be_is_told(
    study: BenchmarkStudy, keywords: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(StudyError, match=message):
        study.report(tmp_path, **keywords)
    assert list(tmp_path.iterdir()) == []


def test_the_consensus_of_one_data_set_has_no_measure(study: BenchmarkStudy) -> None:
    with pytest.raises(StudyError, match="allowed none: it is of all measures"):
        study.consensus(measure="misclassification", dataset="anna")


@pytest.mark.slow
def test_names_that_are_not_there_are_told(study: BenchmarkStudy) -> None:
    for call in (
        lambda: study.pairs(dataset="ana"),
        lambda: study.pairs("misclasification"),
        lambda: study.result("inferense", "anna"),
        lambda: study.figure("pair"),
        lambda: study.to_latex("summry"),
    ):
        with pytest.raises(StudyError, match="did you mean"):
            call()
    with pytest.raises(StudyError, match=r"'podium' on 4 data sets and none chosen.* one of anna"):
        study.figure("podium")
    with pytest.raises(StudyError, match=r"report\(formats=…\): found 'docx'; allowed json, html"):
        study.report("unwritten", formats="docx")
    with pytest.raises(StudyError, match=r"report\(length=…\): found 'short'; allowed article"):
        study.report("unwritten", length="short")  # type: ignore[arg-type]
    assert not Path("unwritten").exists()
    for call in (
        lambda: study.pairs(dataset=0),  # type: ignore[arg-type]
        lambda: study.figure(0),  # type: ignore[arg-type]
        lambda: study.check(0),  # type: ignore[arg-type]
    ):
        with pytest.raises(StudyError, match=r"found .*0; allowed"):
            call()
    with pytest.raises(StudyError, match="found 4 data sets and none chosen"):
        study.result("inference")
    with pytest.raises(StudyError, match="which does not apply to these results"):
        study.result("psychoanalysis")


@pytest.mark.slow
def test_the_first_import_is_light(tidy: pd.DataFrame, tmp_path: Path) -> None:
    tidy.to_csv(tmp_path / "four.csv", index=False)
    code = f"""
import sys, reportgen
heavy = {{"numpy", "pandas", "scipy", "matplotlib", "jinja2", "sklearn"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
study = reportgen.compare({str(tmp_path / "four.csv")!r})
assert "lda" in repr(study)
assert not {{"matplotlib", "seaborn", "weasyprint"}} & set(sys.modules)
study.figure()
assert "matplotlib.pyplot" not in sys.modules
assert callable(reportgen.stats.friedman)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)
