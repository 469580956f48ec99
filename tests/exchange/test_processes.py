"""Processes as the units of timings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ExchangeError, ReportgenError
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry

N_PROCESSES, N_RUNS = 8, 5
COLUMNS = {"candidate": "version", "dataset": "benchmark"}


def timings(deviation: float = 0.05) -> pd.DataFrame:
    """Return runs of processes that differ, of two benchmarks and versions."""
    rng = np.random.default_rng(46)
    rows = [
        (b, v, p, r, np.exp(start + 0.01 * rng.normal()))
        for b in ("parse", "sort")
        for v in ("old", "new")
        for p in range(1, N_PROCESSES + 1)
        for start in [deviation * rng.normal()]
        for r in range(1, N_RUNS + 1)
    ]
    return pd.DataFrame(rows, columns=["benchmark", "version", "process", "run", "seconds"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write them."""
    timings().to_csv(tmp_path / "times.csv", index=False)
    return tmp_path / "times.csv"


def test_the_mean_of_a_process_is_its_value(file: Path) -> None:
    """The geometric one of times, which are compared by ratio, as plain pandas has it."""
    seconds = MeasureEntry(name="seconds", unit="s")
    found = read_results(file, columns=COLUMNS, unit="sample", measures=[seconds])
    expected = timings().assign(seconds=lambda own: np.log(own["seconds"]))
    means = np.exp(expected.groupby(["benchmark", "version", "process"])["seconds"].mean())
    for benchmark in ("parse", "sort"):
        values = found.performances(benchmark, "seconds")
        for name, column in zip(values.candidates, values.values.T, strict=True):
            own = column[np.isfinite(column)]
            np.testing.assert_allclose(own, means[benchmark, name].to_numpy(), rtol=1e-12)
    assert ("processes", "32 processes of 5 runs") in set(
        found.remarks[["name", "value"]].itertuples(index=False, name=None)
    )


def test_counted_processes_are_the_same(file: Path) -> None:
    named = read_results(file, columns=COLUMNS, unit="sample")
    counted = read_results(file, columns={**COLUMNS, "ignore": ("process", "run")}, n_processes=8)
    pd.testing.assert_frame_equal(named.frame, counted.frame)


def test_rows_in_any_order_are_the_same(file: Path) -> None:
    named = read_results(file, columns={**COLUMNS, "process": "process"})
    timings().sample(frac=1, random_state=1).to_csv(file, index=False)
    turned = read_results(file, columns={**COLUMNS, "process": "process"})
    for name in named.datasets:
        first, second = (
            np.sort(own.performances(name, "seconds").values, axis=0) for own in (named, turned)
        )
        np.testing.assert_allclose(first[:N_PROCESSES], second[:N_PROCESSES], rtol=1e-12)


def test_a_process_with_a_failed_run_has_failed(file: Path) -> None:
    frame = timings().assign(status="ok")
    frame.loc[7, ["seconds", "status"]] = [np.nan, "failed"]
    frame.loc[8, ["seconds", "status"]] = [np.nan, "failed"]
    frame.to_csv(file, index=False)
    found = read_results(file, columns=COLUMNS, unit="sample")
    values = found.performances("parse", "seconds")
    assert np.isfinite(values.values).sum(axis=0).tolist() == [8, 7]  # new, old
    assert len(found.failures) == 1


def test_equal_programs_are_seldom_told_apart_by_processes() -> None:
    """Of 40 comparisons; runs taken for independent decide most of them."""
    rng = np.random.default_rng(5)
    wrong = {"runs": 0, "processes": 0}
    for _ in range(40):
        starts = rng.normal(size=(2, 8, 1)) * 0.05
        values = np.exp(starts + 0.01 * rng.normal(size=(2, 8, 10)))
        for name, own in (
            ("runs", values.reshape(2, -1)),
            ("processes", np.exp(np.log(values).mean(axis=2))),
        ):
            table = reportgen.stats.compare_samples(own.T, scale="ratio")
            wrong[name] += table.p_value[0] < 0.05
    assert wrong["processes"] <= 6
    assert wrong["runs"] >= 16


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        ({"unit": "sample", "processes": 7}, "found 40 runs of old on parse, in 7 processes"),
        ({"unit": "sample", "processes": 1}, "a number from 2"),
        ({"unit": "sample", "columns": {**COLUMNS, "process": "fork"}}, "no column 'fork'"),
        ({"unit": "item", "columns": {**COLUMNS, "process": "run"}}, "processes with unit: item"),
        ({"unit": "replication", "processes": 4}, "processes with unit: replication"),
    ],
)
def test_what_is_wrong_is_told(keywords: dict[str, Any], told: str) -> None:
    frame = timings()
    if "processes" in keywords:
        frame = frame.drop(columns=["process", "run"])
    with pytest.raises(ReportgenError) as caught:
        reportgen.compare(frame, **{"columns": COLUMNS, **keywords})
    assert told in str(caught.value)


def test_a_run_twice_is_told(file: Path) -> None:
    frame = timings()
    pd.concat([frame, frame.iloc[[3]]]).to_csv(file, index=False)
    with pytest.raises(ExchangeError, match="parse, old, 1, 4 a second time"):
        read_results(file, columns=COLUMNS, unit="sample")
