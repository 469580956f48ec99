"""Claims over levels of factors: as of a study whose candidates are those levels."""

from __future__ import annotations

from itertools import product
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import StudyError

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

MODELS = {"ada": 0.30, "bea": 0.27}
PROMPTS = {"plain": 0.0, "steps": -0.05, "terse": 0.03}
SUMS = 1e-9  # sums in another order
KINDS = {
    "data sets": ("dataset", {}),
    "items": ("item", {"unit": "item"}),
    "replications": ("replication", {"target": "experiment"}),
}


def rows_of(unit: str, seed: int = 5, n: int = 14, *, scale: str = "difference") -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for i, level in enumerate(rng.normal(0, 0.02, n)):
        for (model, own), (prompt, effect) in product(MODELS.items(), PROMPTS.items()):
            x = own + effect + level + rng.normal(0, 0.01)
            rows.append((f"u{i}" if unit != "replication" else i, model, prompt, x))
    frame = pd.DataFrame(rows, columns=[unit, "model", "prompt", "loss"])
    return frame.assign(loss=np.exp(frame["loss"])) if scale == "ratio" else frame


def study_of(frame: pd.DataFrame, **told: Any) -> BenchmarkStudy:
    more: dict[str, Any] = (
        {"columns": {"candidate": ["model", "prompt"]}} if "model" in frame else {}
    )
    if "candidate" in frame or "model" in frame:
        more |= {"measure": "loss", "better": "smaller"}
    return reportgen.compare(frame, **more, **told)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gap", [False, True])
def test_a_level_is_judged_as_a_candidate_with_its_means(kind: str, gap: bool) -> None:
    unit, told = KINDS[kind]
    frame = rows_of(unit)
    if gap:  # the unit then has no mean of that prompt
        frame = frame.drop(frame.index[[1]])
    whole = frame.groupby([unit, "prompt"], sort=False)["loss"].agg(["mean", "size"]).reset_index()
    means = whole[whole["size"] == len(MODELS)].rename(columns={"prompt": "candidate"})
    means = means.rename(columns={"mean": "loss"}).drop(columns="size")
    claims = (
        "prompt steps better than prompt plain",
        "prompt terse better than prompt plain",
        "prompt steps within 0.06 of prompt terse",
    )
    if not gap:  # of means a gap counts as the worst value of the unit, of one candidate here
        claims += ("loss of prompt steps below 0.26",)
    found = study_of(frame, **told).gate(*claims)
    alone = study_of(means, **told).gate(*(text.replace("prompt ", "") for text in claims))
    assert [own.outcome for own in found] == [own.outcome for own in alone]
    assert found[0].outcome == "holds"
    for own, other in zip(found, alone, strict=True):
        expected = (other.estimate, other.lower, other.upper)
        assert (own.estimate, own.lower, own.upper) == pytest.approx(expected, abs=SUMS)


@pytest.mark.slow
def test_families_of_data_sets_hold_levels_too() -> None:
    frame = rows_of("dataset", n=16)
    frame["family"] = [f"f{int(name[1:]) // 2}" for name in frame["dataset"]]
    means = frame.groupby(["dataset", "family", "prompt"], sort=False)["loss"].mean().reset_index()
    told: dict[str, Any] = {"families": "family"}
    one = study_of(frame, **told).gate("prompt steps better than prompt plain")[0]
    means = means.rename(columns={"prompt": "candidate"})
    other = study_of(means, **told).gate("steps better than plain")[0]
    assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=SUMS)
    free = study_of(frame.drop(columns="family")).gate("prompt steps better than prompt plain")[0]
    assert one.upper != pytest.approx(free.upper, abs=1e-6)


@pytest.mark.parametrize("smaller", [True, False])
def test_best_settings_have_the_limits_for_whichever_are_the_best(smaller: bool) -> None:
    frame = rows_of("item", n=40)
    sign = 1 if smaller else -1
    frame["loss"] *= sign
    better = "smaller" if smaller else "larger"
    study = reportgen.compare(
        frame,
        unit="item",
        columns={"candidate": ["model", "prompt"]},
        measure="loss",
        better=better,
    )
    pairs = list(product(PROMPTS, PROMPTS))
    every = study.gate(*(f"bea {a} better than ada {b}" for a, b in pairs))
    low = np.array([sign * (x.lower if smaller else x.upper) for x in every]).reshape(3, 3)
    high = np.array([sign * (x.upper if smaller else x.lower) for x in every]).reshape(3, 3)
    one = study.gate("best prompt of bea better than best prompt of ada")[0]
    # of losses: min_j of bea less min_l of ada
    ends = sorted(sign * x for x in (low.min(axis=0).max(), high.max(axis=1).min()))
    assert (one.lower, one.upper) == pytest.approx(ends, abs=SUMS)
    means = frame.groupby(["model", "prompt"])["loss"].mean() * sign
    estimate = sign * (means["bea"].min() - means["ada"].min())
    assert one.estimate == pytest.approx(estimate, abs=SUMS)
    assert one.outcome == "holds"
    back = study.gate("best prompt of ada better than best prompt of bea")[0]
    assert (back.outcome, back.lower) == ("fails", pytest.approx(-one.upper, abs=SUMS))


@pytest.mark.slow
def test_a_setting_chosen_among_many_is_not_called_better() -> None:
    """Models are equal, and one has nineteen more prompts to choose from."""
    rng = np.random.default_rng(8)
    n_wrong, n_naive = 0, 0
    for _ in range(12):
        prompts = [f"p{k}" for k in range(8)]
        values = rng.normal(size=(30, 2, 8)) + np.array([[0.0] * 8, [0.0, *[1.0] * 7]])
        axes = [range(30), ["ada", "bea"], prompts]
        at = pd.MultiIndex.from_product(axes, names=["item", "model", "prompt"])
        study = study_of(
            pd.DataFrame({"loss": values.ravel()}, index=at).reset_index(), unit="item"
        )
        one = study.gate("best prompt of ada better than best prompt of bea")[0]
        n_wrong += one.outcome != "undecided"
        best = values[:, 0, values[:, 0].mean(axis=0).argmin()] - values[:, 1, 0]
        n_naive += best.mean() < -2.045 * best.std(ddof=1) / 30**0.5
    assert n_wrong == 0
    assert n_naive > 0  # else the test could not fail


def test_ratios_of_levels_are_of_geometric_means() -> None:
    frame = rows_of("dataset", scale="ratio").rename(columns={"loss": "fit-time"})
    study = reportgen.compare(frame, columns={"candidate": ["model", "prompt"]})
    one = study.gate("prompt steps better than prompt plain")[0]
    logs = np.log(frame["fit-time"]).groupby(frame["prompt"]).mean()
    assert one.scale == "ratio"
    assert log(one.estimate) == pytest.approx(logs["steps"] - logs["plain"], abs=SUMS)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("prompt stepz better than prompt plain", "did you mean prompt steps"),
        ("prompt steps better than ada plain", "two of prompt plain, prompt steps, prompt terse"),
        ("prompt steps better than model ada", "allowed two candidates, or two of prompt"),
        ("prompt steps better than best prompt of ada", "found 'prompt steps' and 'best prompt"),
        ("loss of best prompt of ada below 0.3", "chosen is too good"),
        ("consensus starts with prompt steps", "found the candidate 'prompt steps'"),
        ("prompt steps better than prompt steps", "twice"),
    ],
)
def test_what_is_no_claim_about_levels_is_refused(claim: str, words: str) -> None:
    with pytest.raises(StudyError, match="(?s)" + words):
        study_of(rows_of("item"), unit="item").gate(claim)


def test_levels_that_are_not_crossed_have_no_claims() -> None:
    frame = rows_of("item")
    frame = frame[~((frame["model"] == "bea") & (frame["prompt"] == "terse"))]
    study = study_of(frame, unit="item")
    assert study.gate("prompt steps better than prompt plain")[0].outcome == "holds"
    with pytest.raises(StudyError, match="prompt terse"):
        study.gate("prompt terse better than prompt plain")


def test_few_units_decide_nothing() -> None:
    study = study_of(rows_of("item", n=5), unit="item")
    claims = (
        "prompt steps better than prompt plain",
        "best prompt of ada within 1 of best prompt of bea",
    )
    found = study.gate(*claims)
    assert [(own.outcome, own.reason) for own in found] == [("undecided", "few-units")] * 2


def test_two_factors_of_two_data_sets_are_judged_by_their_replications() -> None:
    frame = pd.concat(
        rows_of("replication", seed=s).assign(dataset=f"set{s}") for s in (1, 2)
    ).reset_index(drop=True)
    one = study_of(frame).gate("prompt steps better than prompt plain in this experiment")[0]
    means = frame.groupby(["dataset", "replication", "prompt"], sort=False)["loss"].mean()
    means = means.reset_index().rename(columns={"prompt": "candidate"})
    other = study_of(means).gate("steps better than plain in this experiment")[0]
    assert (one.outcome, one.reason, one.estimate) == (
        other.outcome,
        other.reason,
        pytest.approx(other.estimate, abs=SUMS),
    )


def test_resampling_of_one_data_set_is_reckoned_with() -> None:
    frame = rows_of("replication")
    told: dict[str, Any] = {"resampling": {"scheme": "subsampling"}, "n": {"data": 100}}
    means = frame.groupby(["replication", "prompt"], sort=False)["loss"].mean().reset_index()
    means = means.rename(columns={"prompt": "candidate"})
    one = study_of(frame, **told).gate("prompt steps better than prompt plain")[0]
    other = study_of(means, **told).gate("steps better than plain")[0]
    assert one.target == other.target == "new-data"
    assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=SUMS)


def test_the_manifest_and_the_prediction_of_power_know_levels(tmp_path: Path) -> None:
    rows_of("item", n=30).to_csv(tmp_path / "answers.csv", index=False)
    claims = [
        "prompt steps better than prompt plain",
        "best prompt of bea better than best prompt of ada",
    ]
    (tmp_path / "study.yaml").write_text(
        "results:\n  file: answers.csv\n  unit: item\n"
        "  columns: {candidate: [model, prompt]}\n"
        "measures: [{name: loss, better: smaller}]\n"
        "sections: [expectations]\n"
        f"expect: {claims}\n",
        encoding="utf-8",
    )
    study = reportgen.run(tmp_path / "study.yaml", output=tmp_path / "out")
    assert [own.outcome for own in study.gate()] == ["holds", "holds"]
    assert [own.outcome for own in study.result("expectations").gates] == ["holds", "holds"]
    first, second = study.gate_power()[:2]
    assert "30 items: holds" in first
    assert "not predicted" in second
