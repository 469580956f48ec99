"""Means with standard deviations and numbers of values are compared as Welch compares values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import reportgen
from reportgen.cli import main
from reportgen.errors import ExchangeError

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

ROUNDING = 1e-9  # of sums in another order
NAMES, SIZES = ("a", "b", "c"), (12, 10, 14)
COLUMNS = ["estimate", "lower", "upper", "p_value", "adjusted_p_value", "df", "standard_error"]
WORDS = ["first", "second", "decision", "n", "n_first", "n_second"]


def _symmetric(mean: float, deviation: float, n: int, rng: np.random.Generator) -> Any:
    """Return values without skewness, of just this mean and standard deviation."""
    half = np.abs(rng.normal(size=n // 2))
    values = np.concatenate([half, -half])
    return mean + deviation * values / values.std(ddof=1)


@pytest.fixture(params=[1, 3, 7])
def raw(request: pytest.FixtureRequest) -> pd.DataFrame:
    rng = np.random.default_rng(9)
    return pd.concat(
        pd.DataFrame(
            {
                "dataset": f"d{m}",
                "candidate": name,
                "accuracy": _symmetric(0.8 + 0.02 * k + 0.001 * m**2, 0.01 + 0.004 * k, n, rng),
            }
        )
        for m in range(request.param)
        for k, (name, n) in enumerate(zip(NAMES, SIZES, strict=True))
    )


def _summaries(raw: pd.DataFrame, names: list[str], spread: str = "std") -> pd.DataFrame:
    found = raw.groupby(["dataset", "candidate"])["accuracy"].agg(["mean", spread, "count"])
    return found.set_axis(names, axis=1).reset_index()


def _pairs(study: reportgen.BenchmarkStudy) -> pd.DataFrame:
    return pd.concat(study.pairs(dataset=name) for name in study.datasets)


@pytest.mark.parametrize(
    ("names", "spread"),
    [
        (["accuracy_mean", "accuracy_std", "accuracy_count"], "std"),
        (["accuracy", "accuracy_se", "n"], "sem"),
        (["mean accuracy", "sd accuracy", "runs"], "std"),
    ],
)
def test_summaries_are_compared_as_their_values(
    raw: pd.DataFrame, names: list[str], spread: str
) -> None:
    values = reportgen.compare(raw, unit="sample", relevance=0.01)
    means = reportgen.compare(_summaries(raw, names, spread), relevance=0.01)
    expected, found = _pairs(values), _pairs(means)
    assert found[WORDS].values.tolist() == expected[WORDS].values.tolist()
    for column in COLUMNS:
        given, wanted = (x[column].to_numpy(float) for x in (found, expected))
        assert given == pytest.approx(wanted, rel=ROUNDING, abs=1e-12), column
    assert found["decision"].str.startswith(("better", "worse")).any()


@pytest.mark.slow
def test_cells_with_a_number_of_values_are_summaries(raw: pd.DataFrame) -> None:
    of = _summaries(raw, ["mean", "sd", "n"])
    cells = of.assign(accuracy=of["mean"].map(str) + " ± " + of["sd"].map(str))
    wide = cells.pivot(index="dataset", columns="candidate", values="accuracy")
    own = of.assign(n=12).rename(columns={"mean": "accuracy_mean", "sd": "accuracy_sd"})
    expected = _pairs(reportgen.compare(own))
    given: dict[str, Any] = {"measure": "accuracy", "n_values": 12, "spread": "sd"}
    found = _pairs(reportgen.compare(wide, **given))
    assert found[COLUMNS].to_numpy(float) == pytest.approx(expected[COLUMNS].to_numpy(float))
    with pytest.raises(ExchangeError, match="spread='se'"):
        reportgen.compare(wide, measure="accuracy", n_values=12)
    assert reportgen.compare(wide, measure="accuracy", spread="sd").datasets  # means alone


def test_claims_and_pairs_have_one_answer(raw: pd.DataFrame) -> None:
    raw = raw[raw["dataset"] == "d0"]
    means = reportgen.compare(_summaries(raw, ["acc_mean", "acc_std", "n"]))
    values = reportgen.compare(raw.rename(columns={"accuracy": "acc"}), unit="sample")
    claims = ["c better than a in this experiment", "accuracy of c above 0.8"]
    assert [x.outcome for x in means.check(*claims)] == ["holds", "holds"]
    for own, other in zip(means.check(*claims), values.check(*claims), strict=True):
        assert (own.outcome, own.reason) == (other.outcome, other.reason)
    two = _summaries(raw[raw["candidate"] != "b"], ["acc_mean", "acc_std", "n"])
    study = reportgen.compare(two)
    (answer,) = study.check("c better than a in this experiment")
    pair = study.pairs().iloc[0]
    assert (pair["first"], pair["second"], pair["decision"]) == ("a", "c", "worse")
    own, ends = sorted(map(abs, (answer.lower, answer.upper))), pair[["lower", "upper"]].abs()
    assert own == pytest.approx(sorted(ends), rel=ROUNDING)


def test_few_values_stay_undecided_and_one_has_no_interval() -> None:
    table = pd.DataFrame(
        {
            "candidate": NAMES,
            "accuracy_mean": [0.5, 0.7, 0.9],
            "accuracy_std": [0.01, 0.01, 0.0],
            "n": [5, 5, 10],
        }
    )
    pairs = reportgen.compare(table).pairs()
    assert (pairs["decision"] == "undecided").all()
    assert np.isfinite(pairs["lower"]).tolist() == [True, False, False]  # 0.0 is a rounded spread


def test_a_column_n_that_may_count_observations_is_asked_for() -> None:
    table = pd.DataFrame(
        {"candidate": NAMES, "accuracy_mean": [0.5, 0.7, 0.9], "accuracy_std": 0.01, "n": 150}
    )
    with pytest.raises(ExchangeError, match=r"columns=\{'n_values': 'n'\}"):
        reportgen.compare(table)
    assert reportgen.compare(table, columns={"n_values": "n"}).pairs()["n"].tolist() == [150] * 3
    assert "n_values" not in reportgen.compare(table, columns={"ignore": "n"}).pairs()


def test_times_are_compared_by_difference() -> None:
    table = pd.DataFrame(
        {"candidate": NAMES, "fit-time_mean": [5.0, 7.0, 9.0], "fit-time_std": 0.5, "n": 10}
    )
    pairs = reportgen.compare(table).pairs()
    assert pairs["estimate"].tolist() == [-2.0, -4.0, -2.0]


@pytest.mark.slow
def test_check_and_report_say_what_is_known(raw: pd.DataFrame, tmp_path: Path) -> None:
    _summaries(raw, ["accuracy_mean", "accuracy_std", "runs"]).to_csv(tmp_path / "m.csv")
    result = CliRunner().invoke(main, ["check", str(tmp_path / "m.csv")])
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert "accuracy, means of 10 to 14 values, with standard deviations" in told
    command = ["run", str(tmp_path / "m.csv"), "-o", str(tmp_path / "o"), "--format", "md"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    report = (tmp_path / "o" / "m" / "report.md").read_text()
    assert "What is given are means with their spread" in report
    assert "What needs single values is not said" in report
    again = reportgen.load(tmp_path / "o" / "m")
    expected = reportgen.compare(tmp_path / "m.csv")
    assert _pairs(again)[COLUMNS].to_numpy(float) == pytest.approx(
        _pairs(expected)[COLUMNS].to_numpy(float), rel=ROUNDING, nan_ok=True
    )


@pytest.mark.slow
def test_an_imported_file_keeps_spreads(raw: pd.DataFrame, tmp_path: Path) -> None:
    of = _summaries(raw, ["accuracy_mean", "accuracy_std", "n"])
    for name in NAMES:
        of[of["candidate"] == name].to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in NAMES]
    result = CliRunner().invoke(main, ["import", *files, "-o", str(tmp_path / "all.parquet")])
    assert result.exit_code == 0, result.output
    found, expected = (_pairs(reportgen.compare(x)) for x in (tmp_path / "all.parquet", of))
    assert found[COLUMNS].to_numpy(float) == pytest.approx(expected[COLUMNS].to_numpy(float))
