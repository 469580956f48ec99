"""Data sets and candidates that several columns name together, held against pandas."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results

COLUMNS = {"dataset": ["task", "budget"], "candidate": ["model", "prompt"]}


def results() -> pd.DataFrame:
    """Return errors by task and budget, model and prompt, and seed."""
    keys = product(("mnist", "cifar"), (100, 20), ("mlp", "cnn"), ("zero", "few"), range(6))
    frame = pd.DataFrame(keys, columns=["task", "budget", "model", "prompt", "seed"])
    return frame.assign(error=np.random.default_rng(3).uniform(size=len(frame)))


def means(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the means by data set and candidate, by pandas."""
    data = frame["task"] + " budget=" + frame["budget"].astype(str)
    names = frame["model"] + " " + frame["prompt"]
    own = frame.assign(d=data, k=names).groupby(["d", "k"])["error"].mean()
    return {(str(d), str(k)): float(x) for (d, k), x in own.items()}


def found(warehouse: pd.DataFrame) -> dict[tuple[str, str], float]:
    own = warehouse.groupby(["dataset", "candidate"], observed=True)["value"].mean()
    return {(str(d), str(k)): float(x) for (d, k), x in own.items()}


def test_a_file_and_a_frame(tmp_path: Path) -> None:
    frame = results()
    frame.to_csv(tmp_path / "results.csv", index=False)
    warehouse = read_results(tmp_path / "results.csv", columns=COLUMNS)
    assert found(warehouse.frame) == pytest.approx(means(frame))
    assert [measure.name for measure in warehouse.measures] == ["misclassification"]
    assert warehouse.datasets == (
        "cifar budget=20", "cifar budget=100", "mnist budget=20", "mnist budget=100",
    )  # fmt: skip
    study = reportgen.compare(frame, columns=COLUMNS)
    assert found(study.performances) == pytest.approx(means(frame))


def test_a_manifest(tmp_path: Path) -> None:
    results().to_csv(tmp_path / "results.csv", index=False)
    manifest = tmp_path / "study.yaml"
    manifest.write_text(
        "results: {file: results.csv, columns: {dataset: [task, budget], "
        "candidate: [model, prompt]}}\nsections: [eda]\nreport: {formats: [json]}\n"
    )
    study = reportgen.run(manifest, tmp_path / "output")
    assert study.candidates == ("cnn few", "cnn zero", "mlp few", "mlp zero")


def test_rows_of_a_wide_table() -> None:
    """Several columns name its data sets; several candidates are columns of their own."""
    frame = results()
    names = frame["model"] + " " + frame["prompt"]
    index = ["task", "budget", "seed"]
    wide = frame.assign(k=names).pivot(index=index, columns="k", values="error").reset_index()
    own = {"dataset": ["task", "budget"], "candidate": ["cnn few", "mlp few"]}
    study = reportgen.compare(wide, columns=own, measure="error")
    assert study.candidates == ("cnn few", "mlp few")
    whole = means(frame)
    kept = {key: x for key, x in whole.items() if key[1] in study.candidates}
    assert found(study.performances) == pytest.approx(kept)


def test_a_part_may_be_a_replication_too() -> None:
    own = {"candidate": ["model", "prompt"], "replication": ["budget", "seed"], "dataset": "task"}
    study = reportgen.compare(results(), columns=own)
    assert len(study.performances) == len(results())
    assert study.datasets == ("cifar", "mnist")


def test_what_gives_no_names_is_told() -> None:
    frame = results()
    with pytest.raises(ExchangeError, match=r"no column 'bugdet' for dataset.*did you mean budget"):
        reportgen.compare(frame, columns={**COLUMNS, "dataset": ["task", "bugdet"]})
    alike = frame.replace({"model": {"cnn": "a b", "mlp": "a"}, "prompt": {"few": "b c"}})
    alike = alike.replace({"prompt": {"zero": "c"}})
    with pytest.raises(ExchangeError, match=r"two combinations of model, prompt that are 'a b c'"):
        reportgen.compare(alike, columns=COLUMNS)


def test_numbers_of_each_row_are_no_names(tmp_path: Path) -> None:
    """Columns of candidates, in a table that the user does not call wide."""
    frame = pd.DataFrame({"task": list("abc"), "lda": [0.1, 0.2, 0.3], "svm": [0.3, 0.1, 0.2]})
    frame.assign(error=0.5).to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ExchangeError, match=r"lda, svm in each row.*wide: in place of file"):
        read_results(tmp_path / "wide.csv", columns={"candidate": ["lda", "svm"]})
