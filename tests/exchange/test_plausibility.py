"""How replications came about, against the replications that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.tidy import study_results
from reportgen.study.manifest import load_study
from reportgen.warehouse import Warehouse


def _read(tmp_path: Path, rows: list[str], resampling: str, head: str = "replication") -> Warehouse:
    lines = [f"algorithm,{head},error", *(f"lda,{row},.1" for row in rows)]
    (tmp_path / "r.csv").write_text("\n".join(lines))
    manifest = tmp_path / "study.yaml"
    manifest.write_text(f"results:\n  file: r.csv\n  resampling: {{{resampling}}}\n")
    return study_results(load_study(manifest, {}))


def _numbers(n: int) -> list[str]:
    return [str(i + 1) for i in range(n)]


@pytest.mark.parametrize(
    ("n", "resampling", "expected"),
    [
        (10, "scheme: k-fold, folds: 10", {"scheme": "k-fold", "replications": 10, "folds": 10}),
        (
            100,
            "scheme: k-fold, folds: 10",
            {"scheme": "repeated-k-fold", "replications": 100, "folds": 10, "repeats": 10},
        ),
        (
            20,
            "scheme: repeated-k-fold, folds: 5, repeats: 4, stratify: true",
            {
                "scheme": "repeated-k-fold", "replications": 20, "folds": 5, "repeats": 4,
                "stratify": True,
            },
        ),
        (7, "scheme: subsampling, fraction: 0.9",
         {"scheme": "subsampling", "replications": 7, "fraction": 0.9}),
        (3, "scheme: bootstrap, assessment: fixed",
         {"scheme": "bootstrap", "replications": 3, "assessment": "fixed"}),
        (1, "scheme: hold-out", {"scheme": "hold-out", "replications": 1}),
    ],
)  # fmt: skip
def test_what_the_data_agree_with(
    tmp_path: Path, n: int, resampling: str, expected: dict[str, object]
) -> None:
    assert _read(tmp_path, _numbers(n), resampling).resampling == expected


@pytest.mark.parametrize(
    ("n", "resampling", "said"),
    [
        (97, "scheme: k-fold, folds: 10", "97 replications of the data set 'r' with folds: 10"),
        (12, "scheme: repeated-k-fold, folds: 5, repeats: 2", "allowed 10, as results.resampling"),
        (2, "scheme: hold-out", "allowed 1, as results.resampling says"),
        (9, "scheme: bootstrap, replications: 8", "found 9 replications .* allowed 8"),
    ],
)
def test_what_the_data_contradict(tmp_path: Path, n: int, resampling: str, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        _read(tmp_path, _numbers(n), resampling)


@pytest.mark.parametrize(
    ("resampling", "said"),
    [
        ("scheme: k-fold, fraction: 0.5", "found fraction with k-fold; allowed fraction with sub"),
        ("scheme: bootstrap, repeats: 2", "found repeats with bootstrap; allowed repeats with rep"),
        ("scheme: bootstrap, folds: 2", "found folds with bootstrap"),
        ("folds: 2", "found folds with bootstrap"),
        ("stratify: true", "resampling.scheme: found nothing; allowed the scheme by which"),
        ("scheme: kfold", "found 'kfold'; allowed bootstrap, .* did you mean k-fold"),
        ("scheme: given", "found given without file"),
        ("splitter: a.B", "found a splitter of results that exist; allowed the scheme"),
        (
            "scheme: bootstrap, replications: {stage: 10, max: 20}",
            "found stages of results",
        ),
    ],
)
def test_keys_and_messages_are_those_of_a_setup(tmp_path: Path, resampling: str, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        _read(tmp_path, _numbers(4), resampling)


def test_folds_are_counted_where_a_column_numbers_them(tmp_path: Path) -> None:
    rows = [f"{repeat},{fold}" for repeat in (1, 2) for fold in (1, 2, 3, 4, 5)]
    found = _read(tmp_path, rows, "scheme: repeated-k-fold", "repeat,fold")
    assert (found.resampling["folds"], found.resampling["repeats"]) == (5, 2)
    with pytest.raises(ExchangeError, match="found 5 folds in the data, and folds: 10"):
        _read(tmp_path, rows, "scheme: k-fold, folds: 10", "repeat,fold")


def test_lost_replications_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told = "scheme: repeated-k-fold, folds: 5, repeats: 2"
    warehouse = _read(tmp_path, _numbers(9), told)
    assert "9 of 10 replications of the data set 'r'" in caplog.text
    assert warehouse.remarks["value"].tolist() == ["r: 9 of 10"]


def test_manifests_of_before_say_replications_of_folds(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = "scheme: repeated-k-fold, folds: 5, replications: 10"
    assert _read(tmp_path, _numbers(10), told).resampling["repeats"] == 2
    assert "results.resampling.replications follows from the data" in caplog.text


def test_given_samples_tell_their_sizes(tmp_path: Path) -> None:
    rows = ["r,1,learn,1", "r,1,learn,1", "r,1,learn,2", "r,1,test,3", "r,2,learn,3", "r,2,test,1"]
    head = "dataset,replication,sample,observation"
    (tmp_path / "samples.csv").write_text("\n".join([head, *rows]))
    told = "scheme: given, file: samples.csv"
    found = _read(tmp_path, _numbers(2), told).performances("r", "misclassification")
    assert (found.n_learn.tolist(), found.n_distinct.tolist()) == ([3, 1], [2, 1])
    assert found.n_test.tolist() == [1, 1]
    with pytest.raises(ExchangeError, match=r"row 4: found replication 3 .* allowed 1 to 2"):
        _read(tmp_path, _numbers(3), told)


@pytest.mark.parametrize(
    "text",
    [
        "item,candidate,accuracy\n1,a,1\n1,b,0\n2,a,0\n2,b,1\n",
        "model_a,model_b,winner\na,b,model_a\nb,a,tie\n",
    ],
)
def test_items_and_battles_are_drawn_by_no_scheme(tmp_path: Path, text: str) -> None:
    """A report would say that candidates learn from the same bootstrap samples."""
    (tmp_path / "r.csv").write_text(text)
    manifest = tmp_path / "study.yaml"
    manifest.write_text("results: {file: r.csv, resampling: {scheme: bootstrap}}\n")
    with pytest.raises(ExchangeError, match=r"found results\.resampling with .*; allowed none"):
        study_results(load_study(manifest, {}))
