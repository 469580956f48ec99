"""The section's numbers against sums over the rows; its words against its numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.sections.factors.analysis import FactorsResult, crossed_levels
from tests.builders import blank_figures

MODELS = {"ada": 0.30, "bea": 0.26, "cyd": 0.20}
PROMPTS = {"plain": 0.0, "steps": -0.05, "terse": 0.03, "role": 0.0}
EXACT = 1e-9  # sums in another order


def rows_of(n: int = 12, n_replications: int = 1, seed: int = 3, **more: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for m in range(n):
        level = rng.normal(0, 0.02)
        for b in range(n_replications):
            for model, own in MODELS.items():
                for prompt, effect in PROMPTS.items():
                    x = own + effect + more.get(f"{model}_{prompt}", 0.0) + level
                    rows.append((f"set{m}", b, model, prompt, x + rng.normal(0, 0.01)))
    return pd.DataFrame(rows, columns=["dataset", "replication", "model", "prompt", "loss"])


def study_of(frame: pd.DataFrame, **more: Any) -> BenchmarkStudy:
    columns = {"candidate": ["model", "prompt"]}
    return reportgen.compare(frame, columns=columns, measure="loss", better="smaller", **more)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return rows_of(cyd_role=-0.06)


@pytest.fixture(scope="module")
def study(frame: pd.DataFrame) -> BenchmarkStudy:
    return study_of(frame)


@pytest.fixture(scope="module")
def result(study: BenchmarkStudy) -> FactorsResult:
    found: FactorsResult = study.result("factors")
    return found


def words_of(study: BenchmarkStudy, folder: Path) -> str:
    """Return the report and its supplement as text."""
    with blank_figures():
        study.report(folder, formats="html", length="full")
    page = (folder / "report.html").read_text()
    text = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", "", page, flags=re.DOTALL)
    return " ".join(text.split())


def test_means_are_those_of_the_rows(frame: pd.DataFrame, result: FactorsResult) -> None:
    wanted = frame.groupby(["model", "prompt"])["loss"].mean()
    for (model, prompt), mean in wanted.items():
        assert result.means[model][prompt] == pytest.approx(mean, rel=EXACT)
    assert result.factors == ("model", "prompt")
    assert (result.unit, result.n, result.n_dropped) == ("dataset", 12, 0)
    assert result.first_levels == ("cyd", "bea", "ada")
    by_model = frame.groupby("model")["loss"].mean()
    assert result.first_means == pytest.approx(dict(by_model), rel=EXACT)


def test_pairs_of_levels_are_differences_of_means_over_the_others(
    frame: pd.DataFrame, result: FactorsResult
) -> None:
    means = frame.groupby("prompt")["loss"].mean()
    pair = result.second_pairs.between("steps", "plain")
    assert pair.estimate == pytest.approx(means["steps"] - means["plain"], rel=EXACT)
    assert pair.favoured == "steps"
    assert len(result.first_pairs) == 3


def test_the_combination_that_stands_out_is_found(result: FactorsResult) -> None:
    cell = result.interacting[0]
    assert (cell.first, cell.second) == ("cyd", "role")
    assert cell.estimate == pytest.approx(0.06 * 2 / 3 * 3 / 4, abs=0.01)  # of its own effect
    assert len(result.interaction) == 12


def test_best_settings_have_a_price(frame: pd.DataFrame, result: FactorsResult) -> None:
    best = {s.level: s for s in result.settings}
    assert {k: s.best for k, s in best.items()} == {"ada": "steps", "bea": "steps", "cyd": "role"}
    assert [s.level for s in result.settings] == ["cyd", "bea", "ada"]
    for s in result.settings:
        assert s.mean == pytest.approx(result.means[s.level][s.best], rel=EXACT)
        assert s.honest >= s.mean - 0.005
    pair = result.setting_pairs[0]
    assert (pair.first, pair.second) == ("cyd", "bea")
    wanted = best["bea"].mean - best["cyd"].mean
    assert pair.estimate == pytest.approx(wanted, rel=EXACT)
    for p in result.setting_pairs:
        assert p.lower <= p.naive_lower <= p.estimate <= p.naive_upper <= p.upper


def test_levels_with_the_same_mean_share_the_best(tmp_path: Path) -> None:
    frame = rows_of()
    frame.loc[frame["prompt"] == "plain", "loss"] = frame.loc[
        frame["prompt"] == "steps", "loss"
    ].to_numpy()
    study = study_of(frame)
    assert set(study.result("factors").best_levels[1]) == {"plain", "steps"}
    assert re.search(
        "(plain and steps|steps and plain) have the best mean", words_of(study, tmp_path)
    )


def test_levels_that_some_model_lacks_are_left_out() -> None:
    levels = {"a x": ("a", "x"), "a y": ("a", "y"), "b x": ("b", "x"), "b z": ("b", "z")}
    assert crossed_levels(levels) == ((("a", "b"), ("x",)), ("y", "z"))
    frame = rows_of()
    lacking = frame[~((frame.model == "ada") & (frame.prompt == "role"))]
    found: FactorsResult = study_of(lacking).result("factors")
    assert found.missing_levels == ("role",)
    assert set(found.second_levels) == {"plain", "steps", "terse"}


def test_units_without_a_combination_are_left_out() -> None:
    frame = rows_of()
    lacking = frame.drop(frame.index[(frame.dataset == "set3")][:1])
    found: FactorsResult = study_of(lacking).result("factors")
    assert (found.n, found.n_dropped) == (11, 1)


@pytest.mark.parametrize(
    ("n", "n_replications", "wanted"),
    [(4, 3, "few-datasets"), (1, 5, "few-units"), (1, 8, None), (6, 1, None)],
)
def test_what_is_tested_takes_six_units(n: int, n_replications: int, wanted: str | None) -> None:
    found: FactorsResult = study_of(rows_of(n, n_replications)).result("factors")
    assert found.unavailable == wanted
    assert bool(found.setting_pairs) == (wanted is None)


def test_families_are_the_units_of_relatives() -> None:
    families = {f"f{m}": [f"set{2 * m}", f"set{2 * m + 1}"] for m in range(7)}
    found: FactorsResult = study_of(rows_of(14), families=families).result("factors")
    assert (found.unit, found.n) == ("family", 7)


def test_clusters_are_the_units_of_items() -> None:
    frame = rows_of(1, 40).rename(columns={"replication": "item"})
    frame["document"] = frame["item"] % 8
    found: FactorsResult = study_of(
        frame.drop(columns="dataset"),
        unit="item",
    ).result("factors")
    assert (found.unit, found.n) == ("cluster", 8)


def test_a_name_of_one_column_has_no_factors() -> None:
    frame = rows_of()
    frame = frame[frame.prompt == "plain"].drop(columns="prompt")
    with pytest.raises(reportgen.ReportgenError, match="factors"):
        reportgen.compare(frame, measure="loss", better="smaller").result("factors")


@pytest.mark.slow
def test_words_say_what_the_numbers_do(study: BenchmarkStudy, tmp_path: Path) -> None:
    text = words_of(study, tmp_path)
    assert "Candidates combine three levels of model with four of prompt." in text
    assert "This is over 12 data sets." in text
    assert "The effect of prompt depends on model (Figure 1):" in text
    assert "most of all cyd with role, which is better by" in text
    assert "With the best prompt of each model, cyd is first, with role:" in text
    found = study.result("factors")
    dearest = max(found.settings, key=lambda own: abs(own.honest - own.mean))
    assert (found.dearest, found.dearest.price > 0) == (dearest, True)
    assert "The difference, 0.001, is the price of the choice, the largest here." in text
    assert "The best prompt of each model, and the price of having chosen it." in text
    assert "All 3 differences between best settings are significant, whichever these are." in text


@pytest.mark.slow
def test_nothing_is_said_to_be_tested_where_it_is_not(tmp_path: Path) -> None:
    text = words_of(study_of(rows_of(3, 4)), tmp_path)
    assert "Three data sets are too few to test effects over data sets" in text
    assert "With the best prompt" not in text


@pytest.mark.parametrize(("lower", "upper", "way"), [(0.1, 0.2, 1), (-0.2, -0.1, -1), (-1, 1, 0)])
def test_who_matters_more_is_the_side_of_the_interval(
    result: FactorsResult, lower: float, upper: float, way: int
) -> None:
    assert result.sizes is not None
    assert replace(result.sizes, lower=lower, upper=upper).way == way


def test_the_figure_has_a_line_for_each_model(study: BenchmarkStudy) -> None:
    figure = study.figure("interaction")
    assert len(figure.axes[0].lines) + len(figure.axes[0].artists) >= 3
