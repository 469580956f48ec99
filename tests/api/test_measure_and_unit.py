"""What `measure`, `unit` and a single `relevance` of a call and of a manifest mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import reportgen
from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.files import read_table
from reportgen.exchange.tidy import study_results
from reportgen.study.manifest import load_study

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

RTOL = 1e-9  # another order of sums
PPO = [888.0, 1104.0, 1039.0, 940.0, 902.0, 1011.0, 987.0, 865.0]
SAC = [1441.0, 1608.0, 1512.0, 1470.0, 1566.0, 1475.0]


def fits(**names: str) -> pd.DataFrame:
    """Return eight replications of three candidates, by three measures."""
    rng = np.random.default_rng(2)
    rows = [
        {"replication": b, "candidate": name, "error": rng.random(), "f1": rng.random(), "zeal": b}
        for b in range(8)
        for name in ("anna", "bert", "cara")
    ]
    return pd.DataFrame(rows).rename(columns=names)


def test_what_is_known_of_measures_is_read_with_them(tmp_path: Path) -> None:
    fits(error="fit-time").drop(columns="zeal").to_csv(tmp_path / "fits.csv", index=False)
    frame = reportgen.read(tmp_path / "fits.csv")
    assert frame.attrs["reportgen.measures"]["fit-time"]["unit"] == "s"
    assert reportgen.compare(frame, measure="fit-time").measures == ("fit-time",)


@pytest.mark.parametrize("name", ["f1", "error"])
def test_measure_picks_a_column(name: str, tmp_path: Path) -> None:
    frame = fits()
    tidy = frame.melt(id_vars=["replication", "candidate"], var_name="measure")
    frame.to_csv(tmp_path / "fits.csv", index=False)
    for results in (frame, tmp_path / "fits.csv", tidy):
        study = reportgen.compare(results, measure=name)
        assert len(study.measures) == 1
        own = study.performances.groupby("candidate", observed=True)["value"].mean()
        assert own.to_dict() == pytest.approx(frame.groupby("candidate")[name].mean().to_dict())


def test_the_side_of_the_one_measure() -> None:
    study = reportgen.compare(fits(), measure="zeal", better="larger")
    assert study.measures == ("zeal",)


def test_an_exact_name_comes_before_another_spelling() -> None:
    frame = fits(f1="acc").assign(accuracy=0.5 + fits()["f1"] / 4).drop(columns="zeal")
    own = reportgen.compare(frame, measure="accuracy").performances
    assert own["value"].between(0.5, 0.75).all()
    assert set(reportgen.compare(frame).measures) == {"misclassification", "accuracy"}
    own = reportgen.compare(frame).performances
    assert own.loc[own["measure"] == "accuracy", "value"].between(0.5, 0.75).all()
    twice = frame.rename(columns={"accuracy": "Accuracy"})
    with pytest.raises(ExchangeError, match="each of which may be the measure accuracy"):
        reportgen.compare(twice)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "catalogue"), [("acc", "accuracy"), ("RMSE", "rmse"), ("roc_auc", "auc")]
)
def test_the_column_of_the_very_name_that_is_written_is_taken(
    written: str, catalogue: str, tmp_path: Path
) -> None:
    own = {"error": written, "f1": catalogue}
    frame = fits(**own).drop(columns="zeal")
    means = frame.groupby("candidate")[[written, catalogue]].mean()
    path = tmp_path / "fits.csv"
    frame.to_csv(path, index=False)
    tidy = frame.melt(id_vars=["replication", "candidate"], var_name="measure")
    manifest = tmp_path / "study.yaml"
    for name, other in ((written, catalogue), (catalogue, written)):
        for results in (frame, path, tidy):
            study = reportgen.compare(results, measure=name)
            values = study.performances.groupby("candidate", observed=True)["value"].mean()
            assert values.to_dict() == pytest.approx(means[name].to_dict())
        manifest.write_text(f"results: fits.csv\nmeasures: [{name}]\n")
        found = study_results(load_study(manifest, {}), read_table(path))
        values = found.frame.groupby("candidate", observed=True)["value"].mean()
        assert values.to_dict() == pytest.approx(means[name].to_dict())
        assert (
            f"{other} ({name} is there, too, with other values)" in found.remarks["value"].tolist()
        )


def test_of_two_spellings_the_nearer_one_is_taken() -> None:
    frame = fits(error="acc", f1="accuracy").drop(columns="zeal")
    for written, own in (("Acc", "acc"), ("ACCURACY", "accuracy")):
        values = reportgen.compare(frame, measure=written).performances["value"]
        assert values.mean() == pytest.approx(frame[own].mean())


@pytest.mark.parametrize("is_nested", [False, True])
def test_samples_may_be_of_different_numbers(is_nested: bool) -> None:
    """By Welch's t of scipy, before the correction for skewness: the standard error."""
    runs = {"ppo": PPO, "sac": SAC}
    results = {"ant": runs, "hopper": runs} if is_nested else runs
    study = reportgen.compare(results, measure="return", better="larger", unit="sample")
    pairs = pd.concat([study.pairs(dataset=name) for name in study.datasets])
    assert len(pairs) == len(study.datasets)
    for pair in pairs.itertuples():
        assert {pair.n_first, pair.n_second} == {8, 6}
        welch = stats.ttest_ind(SAC, PPO, equal_var=False)
        error = (np.mean(SAC) - np.mean(PPO)) / welch.statistic
        assert abs(pair.estimate) == pytest.approx(np.mean(SAC) - np.mean(PPO), rel=RTOL)
        assert pair.standard_error == pytest.approx(error, rel=RTOL)
    with pytest.raises(ExchangeError, match=r"8 of ppo, 6 of sac; allowed as many.*unit='sample'"):
        reportgen.compare(runs, measure="return", better="larger")


def test_words_of_samples_count_each_candidates_own(tmp_path: Path) -> None:
    runs = [("ppo", i, x) for i, x in enumerate(PPO)] + [("sac", i, x) for i, x in enumerate(SAC)]
    file = tmp_path / "runs.csv"
    pd.DataFrame(runs, columns=["candidate", "seed", "return"]).to_csv(file, index=False)
    manifest = tmp_path / "study.yaml"
    manifest.write_text(
        "results: {file: runs.csv, unit: sample}\nmeasures: [{name: return, better: larger}]\n"
        "sections: [inference, eda]\nreport: {formats: [md]}\n"
    )
    reportgen.run(manifest, tmp_path / "output").report(tmp_path / "report", formats="md")
    text = "".join(path.read_text() for path in (tmp_path / "report").rglob("*.md"))
    assert "over 6 measurements; ppo has 967 over 8; sac’s advantage is 545 (95%" in " ".join(
        text.replace("`", "").replace("*", "").split()
    )
    assert "measured in 6 to 8 measurements" in text
    for wrong in ("both have", "in each measurement"):
        assert wrong not in text


@pytest.mark.parametrize(
    ("measure", "area", "bounds"),
    [
        ("error", "0.01", (-0.01, 0.01)),
        ("error", "[-0.02, 0.02]", (-0.02, 0.02)),
        ("{name: zeal, better: larger}", "5", (-5.0, 5.0)),
        ("fit-time", "1.25", (0.8, 1.25)),
        ("error", "{error: 0.01}", (-0.01, 0.01)),
    ],
)
def test_one_area_in_a_manifest_is_that_of_the_main_measure(
    tmp_path: Path, measure: str, area: str, bounds: tuple[float, float]
) -> None:
    """As in Python: a number is a difference, or a ratio of what is compared by ratio."""
    frame = fits(f1="fit-time")
    frame.to_csv(tmp_path / "fits.csv", index=False)
    manifest = tmp_path / "study.yaml"
    manifest.write_text(
        f"results: fits.csv\nmeasures: [{measure}]\nanalysis: {{relevance: {area}}}\n"
        "sections: [inference]\nreport: {formats: [json]}\n"
    )
    study = reportgen.run(manifest, tmp_path / "output")
    (inference,) = study.result("inference").values()
    assert inference.relevance == pytest.approx(bounds)


def test_an_area_without_a_measure_is_refused(tmp_path: Path) -> None:
    fits().to_csv(tmp_path / "fits.csv", index=False)
    manifest = tmp_path / "study.yaml"
    manifest.write_text("results: fits.csv\nanalysis: {relevance: 0.01}\n")
    with pytest.raises(StudyError, match=r"analysis.relevance: found 0.01 without measures"):
        reportgen.run(manifest, tmp_path / "output")


def test_the_least_number_is_a_zero() -> None:
    """A BLEU of 0 in nltk and HELM; other numbers beyond floating point's digits are refused."""
    least = float(np.finfo(np.float64).tiny)
    frame = fits(error="bleu").assign(zeal=0.5).drop(columns="zeal")
    frame.loc[frame["candidate"] == "anna", "bleu"] = least
    study = reportgen.compare(frame, better="larger")
    own = study.performances
    zeros = own[(own["measure"] == "bleu") & (own["candidate"] == "anna")]
    assert zeros["value"].eq(0).all()
    assert len(zeros) == 8
    with pytest.raises(ExchangeError, match=r"allowed sizes from 1e-100"):
        reportgen.compare(frame.assign(bleu=frame["bleu"] * 0 + 1e-304), better="larger")
