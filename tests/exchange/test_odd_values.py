"""Values that are seldom meant are told in `check`, in the log and in the report."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.exchange.objects import object_table
from reportgen.exchange.odd_values import find_odd_values, others_of
from reportgen.exchange.tidy import read_results
from reportgen.performance_measure import Measure
from tests.builders import blank_figures

SCORE = Measure("score", "larger")
NAMES = list("abcd")


@pytest.fixture
def wide() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    values = rng.uniform(0.7, 0.95, (8, len(NAMES))).round(4)
    return pd.DataFrame(values, columns=NAMES).assign(dataset=[f"d{i // 2}" for i in range(8)])


def _odd(wide: pd.DataFrame, measure: Measure = SCORE) -> list[tuple[str, str]]:
    tidy = wide.assign(replication=range(len(wide))).melt(
        ["dataset", "replication"], var_name="candidate"
    )
    return list(find_odd_values(tidy.assign(measure=measure.name), [measure]))


def test_usual_values_are_not_odd(wide: pd.DataFrame) -> None:
    assert _odd(wide) == []
    assert _odd(wide.round(1)) == []
    assert _odd(wide.assign(d=wide["d"] / 3)) == []
    assert _odd(wide.assign(d=wide["d"].where(wide["d"] > 0.8))) == []


@pytest.mark.parametrize("factor", [100, 1 / 100])
def test_a_candidate_in_another_unit(factor: float, wide: pd.DataFrame) -> None:
    assert _odd(wide.assign(b=wide["b"] * factor)) == [("odd-scale", "score of b")]
    seconds = Measure("fit-time", "smaller", unit_symbol="s")
    assert _odd(wide.assign(b=wide["b"] * factor), seconds) == []


def test_one_data_set_in_another_unit_is_no_unit(wide: pd.DataFrame) -> None:
    wide.loc[0:1, "b"] *= 100
    assert _odd(wide) == []


def test_values_far_above_all_others(wide: pd.DataFrame) -> None:
    wide.loc[3, "c"] = 1e9
    assert _odd(wide) == [("odd-giants", "1 of c (score)")]
    assert _odd(wide.assign(c=wide["c"].where(wide["c"] < 1, 1e5))) == []
    wide.loc[2:3, NAMES] *= 1e9  # a data set of another scale
    assert ("odd-giants", "1 of c (score)") in _odd(wide)
    wide.loc[3, "c"] = 0.9e9
    assert _odd(wide) == []


def test_zeros_far_from_the_rest(wide: pd.DataFrame) -> None:
    wide.loc[3, "c"] = 0.0
    wide.loc[[1, 6], "a"] = 0.0
    assert _odd(wide) == [("odd-zeros", "2 of a, 1 of c (score)")]


def test_zeros_among_small_values_are_not_odd(wide: pd.DataFrame) -> None:
    wide[NAMES] = (wide[NAMES] - 0.7).abs()
    wide.loc[3, "c"] = 0.0
    assert _odd(wide) == []
    whole = wide.assign(**{name: (wide[name] > 0.1).astype(float) for name in NAMES})
    assert _odd(whole) == []


def test_equal_values_and_copies(wide: pd.DataFrame) -> None:
    assert _odd(wide.assign(c=wide["a"])) == [("odd-copy", "a, c")]
    equal = wide.copy()
    equal.loc[equal["dataset"] == "d1", NAMES] = 0.9
    assert _odd(equal) == [("odd-equal", "score on d1")]
    assert _odd(wide.assign(**dict.fromkeys(NAMES, 0.5))) == [("odd-equal", "score")]


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["csv", "wide frame", "tidy frame"])
def test_what_is_odd_is_told(
    shape: str, wide: pd.DataFrame, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    odd = wide.assign(b=wide["b"] * 100, replication=range(8))
    tidy: Any = odd.melt(["dataset", "replication"], var_name="candidate", value_name="score")
    source: Any = {"wide frame": odd, "tidy frame": tidy}.get(shape, tmp_path / "s.csv")
    tidy.to_csv(tmp_path / "s.csv", index=False)
    with caplog.at_level(logging.WARNING):
        study = reportgen.compare(source, measure="score" if shape == "wide frame" else None)
    assert "score of b lies about 100 times off the others" in caplog.text
    if shape == "csv":
        with blank_figures():
            (path,) = (p for p in study.report(tmp_path, formats="md") if p.suffix == ".md")
        text = " ".join(path.read_text().split())
        assert "lies about 100 times off the others" in text
    found = read_results(object_table(tidy))
    assert ("odd-scale", "score of b") in list(
        found.remarks[["name", "value"]].itertuples(index=False, name=None)
    )


def test_the_others_of_a_row_are_those_of_pandas() -> None:
    rng = np.random.default_rng(2)
    for n_candidates in (3, 4, 7):
        values = np.round(rng.uniform(0.1, 2, (30, n_candidates)), 1)
        values[rng.random(values.shape) < 0.3] = np.nan
        medians, spreads = others_of(values)
        frame = pd.DataFrame(values)
        for k in range(n_candidates):
            others = frame.drop(columns=k)
            np.testing.assert_allclose(medians[:, k], others.median(axis=1), rtol=1e-15)
            expected = others.max(axis=1) / others.min(axis=1)
            np.testing.assert_allclose(spreads[:, k], expected, rtol=1e-15)
