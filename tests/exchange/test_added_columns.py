"""A table of results with further columns and rows is the table without them, or a question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry

Cells = Callable[[pd.DataFrame, np.random.Generator], object]
ADDED: dict[str, Cells] = {
    "id": lambda t, rng: rng.permutation(len(t)) * 13,
    "run_id": lambda t, rng: [f"{i:08x}" for i in rng.permutation(len(t)) * 7919],
    "Unnamed: 0": lambda t, rng: np.arange(len(t)),
    "position": lambda t, rng: rng.permutation(len(t)) + 1,
    "date": lambda t, rng: "2026-03-01",
    "timestamp": lambda t, rng: 1.7e9 + rng.permutation(len(t)) * 3.5,
    "version": lambda t, rng: 2,
    "gamma": lambda t, rng: 0.25,
    "State": lambda t, rng: "finished",
    "status": lambda t, rng: "COMPLETE",
    "job_state": lambda t, rng: "COMPLETED",
    "ExitCode": lambda t, rng: "0:0",
    "success": lambda t, rng: True,
    "git_sha": lambda t, rng: [f"{i:07x}" for i in rng.integers(0, 2**28, len(t))],
    "gpu_mem_gb": lambda t, rng: 24,
    "Duration (s)": lambda t, rng: rng.gamma(3, 10, len(t)),
    "epoch": lambda t, rng: 49,
    "_step": lambda t, rng: rng.integers(90, 99, len(t)),
    "lr": lambda t, rng: rng.choice([0.1, 0.01], len(t)),
    "n_samples": lambda t, rng: t["dataset"].map(lambda d: 50 + 10 * int(d[1:])),
    "weight": lambda t, rng: t["dataset"].map(lambda d: 0.5 + int(d[1:])),
    "depth": lambda t, rng: t["candidate"].map({"lda": 3, "rf": 5, "svm": 4}),
    "notes": lambda t, rng: rng.choice(["good", "slow", ""], len(t)),
    "rank": lambda t, rng: t.groupby(["dataset", "fold"])["accuracy"].rank(),
    "n": lambda t, rng: rng.integers(50, 60, len(t)),
    "max_epochs": lambda t, rng: t["candidate"].map({"lda": 10, "rf": 50, "svm": 20}),
    "Created": lambda t, rng: [f"2026-03-{i:02} 11:{i:02}:05" for i in rng.integers(1, 29, len(t))],
    "Name": lambda t, rng: [f"wise-owl-{i}" for i in rng.permutation(len(t))],
    "params.lr": lambda t, rng: rng.choice([0.1, 0.01], len(t)),
    "p_value": lambda t, rng: rng.uniform(0.0, 1.0, len(t)).round(3),
    "empty": lambda t, rng: np.nan,
}


def _table(rng: np.random.Generator) -> pd.DataFrame:
    names = [[f"d{i}" for i in range(5)], range(1, 5), ["lda", "rf", "svm"]]
    grid = pd.MultiIndex.from_product(names, names=["dataset", "fold", "candidate"])
    table = grid.to_frame(index=False)
    return table.assign(accuracy=rng.uniform(0.5, 0.99, len(table)).round(4))


@given(
    st.lists(st.sampled_from(sorted(ADDED)), unique=True, max_size=6),
    st.integers(0, 1000),
    st.booleans(),
    st.sampled_from(["as it is", "summaries", "shuffled"]),
    st.sampled_from(["frame", "csv", "parquet"]),
)
def test_added_columns_change_nothing(
    tmp_path: Path, names: list[str], seed: int, is_wide: bool, how: str, kind: str
) -> None:
    rng = np.random.default_rng(seed)
    table = _table(rng)
    expected = read_results(object_table(table))
    added = {name: ADDED[name](table, rng) for name in names}
    whole = table.assign(**added)
    if how == "summaries":
        rows = table.groupby(["candidate", "fold"], as_index=False)["accuracy"].mean()
        whole = pd.concat([whole, rows.assign(dataset="Average")], ignore_index=True)
    elif how == "shuffled":
        whole = whole.sample(frac=1, random_state=seed)
    measures = ()
    if is_wide:
        keys = ["dataset", "fold", *(c for c in names if c in ("n_samples", "version", "date"))]
        whole = whole[[*keys, "candidate", "accuracy"]]
        whole = whole.pivot(index=keys, columns="candidate", values="accuracy")
        whole = whole.dropna().reset_index().rename_axis(columns=None)
        measures = (MeasureEntry(name="accuracy"),)
    try:
        if kind == "frame":
            found = read_results(object_table(whole, measure="accuracy"), measures=measures)
        else:
            path = tmp_path / f"table.{kind}"
            (whole.to_csv if kind == "csv" else whole.to_parquet)(path, index=False)
            found = read_results(path, measures=measures, wide=is_wide)
    except ExchangeError:
        assert not is_wide
        return  # a question
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    assert found.measures == expected.measures
    assert (found.resampling, found.facts) == (expected.resampling, expected.facts)
