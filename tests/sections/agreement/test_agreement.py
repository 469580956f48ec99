"""Whether a report says that scores and battles agree: results of which the truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import pipeline
from reportgen.api.study import BenchmarkStudy
from reportgen.drawing import Canvas
from reportgen.errors import ReportgenError
from reportgen.sections.agreement.analysis import AgreementResult
from reportgen.sections.agreement.figures import draw, tabulate
from reportgen.warehouse.files import BATTLES, read_warehouse, write_warehouse

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

SKILL = {"ada": 2.5, "bea": 1.0, "cyd": -1.0, "dot": -2.5}
TURNED = SKILL | {"ada": -2.5, "dot": 2.5}
MANIFEST = """\
seed: 1
results:
  file: answers.csv
  unit: item
  battles: {battles}
measures: [accuracy]
"""


def write_battles(
    folder: Path, worths: dict[str, float], n: int = 1200, seed: int = 3, names: str = "winner"
) -> None:
    rng = np.random.default_rng(seed)
    known = np.array(list(worths))
    a = rng.integers(len(known), size=n)
    b = (a + rng.integers(1, len(known), size=n)) % len(known)
    gap = np.array([*worths.values()])[a] - np.array([*worths.values()])[b]
    won = rng.random(n) < 1 / (1 + np.exp(-gap))
    frame = pd.DataFrame({"model_a": known[a], "model_b": known[b]})
    frame[names] = np.where(won, "model_a", "model_b")
    frame["judge"] = [f"j{k}" for k in rng.integers(60, size=n)]
    frame.to_csv(folder / "arena.csv", index=False)


def study_of(
    folder: Path,
    worths: dict[str, float],
    battles: str = "arena.csv",
    skill: dict[str, float] = SKILL,
    n_tasks: int = 1,
) -> BenchmarkStudy:
    rng = np.random.default_rng(2)
    names = ["item", "candidate", "accuracy", "dataset"]
    rows = [
        (item, name, float(rng.random() < 1 / (1 + np.exp(-x))), f"task{m}")
        for m in range(n_tasks)
        for item in range(250)
        for name, x in skill.items()
    ]
    pd.DataFrame(rows, columns=names).to_csv(folder / "answers.csv", index=False)
    write_battles(folder, worths)
    (folder / "study.yaml").write_text(MANIFEST.replace("{battles}", battles))
    return reportgen.run(folder / "study.yaml", output=folder / "out", formats="json")


def result_of(study: BenchmarkStudy) -> AgreementResult:
    found: AgreementResult = study.result("agreement")
    return found


def test_the_same_order_agrees(tmp_path: Path) -> None:
    study = study_of(tmp_path, SKILL)
    found = result_of(study)
    assert found.order == found.other_order == tuple(SKILL)
    assert [p.together for p in found.pairs] == ["same"] * 6
    assert (found.is_contradicted, found.tau, found.n_battles) == (False, 1.0, 1200)
    assert sum(s.n for s in found.standings) == 2 * found.n_battles


@pytest.mark.slow
@pytest.mark.parametrize("n_tasks", [1, 3])
def test_it_is_what_the_call_on_two_studies_says(tmp_path: Path, n_tasks: int) -> None:
    """The section, and `study.agreement` of two studies, are the same decisions."""
    study = study_of(tmp_path, TURNED, n_tasks=n_tasks)
    found = result_of(study)
    other = study.agreement(reportgen.battles(tmp_path / "arena.csv"))
    assert found.pairs == other.pairs
    assert (found.order, found.other_order, found.tau) == (
        other.order,
        other.other_order,
        other.tau,
    )
    ways = {(p.first, p.second): p.together for p in found.pairs}
    assert (ways["ada", "dot"], ways["bea", "cyd"]) == ("opposite", "same")


def test_scores_and_intervals_are_those_of_the_battles(tmp_path: Path) -> None:
    found = result_of(study_of(tmp_path, TURNED))
    arena = reportgen.battles(tmp_path / "arena.csv").result("battles")
    own = {c.candidate: c for c in arena.contenders}
    for standing, place in zip(found.standings, found.plane.places, strict=True):
        contender = own[standing.candidate]
        assert standing.elo == pytest.approx(contender.points)
        assert place.other.interval == pytest.approx(contender.interval)
        assert (standing.n, standing.elo_ranks) == (contender.n, contender.ranks)


def test_figure_and_tables_have_the_numbers(tmp_path: Path) -> None:
    found = result_of(study_of(tmp_path, TURNED))
    (figure,) = draw(found, Canvas.of(tuple(SKILL), 1, "agreement-0", "all"))
    assert figure.data is not None
    rows = {row[0]: row for row in figure.data.rows}
    assert [rows[s.candidate][4] for s in found.standings] == [s.elo for s in found.standings]
    standings, pairs = tabulate(found)
    assert len(standings.rows) == 4
    told = {(row[0], row[1]): str(row[4]) for row in pairs.rows}
    assert told["ada", "dot"] == "oppositely"
    assert draw(None, Canvas.of(tuple(SKILL), 1, "agreement-0", "all")) == ()


def test_candidates_of_one_side_alone_are_named(tmp_path: Path) -> None:
    """Elo scores and ranks are still of all that met."""
    worths = {"bea": 2.0, "cyd": 0.0, "dot": -1.0, "eve": -2.0}
    found = result_of(study_of(tmp_path, worths))
    assert (found.only, found.other_only) == (("ada",), ("eve",))
    assert len(found.pairs) == 3
    assert found.tau is None


def test_the_report_says_it(tmp_path: Path) -> None:
    study = study_of(tmp_path, TURNED)
    study.report(tmp_path / "told", formats=["md", "json"], length="full")
    data = json.loads((tmp_path / "told" / "results.json").read_text(encoding="utf-8"))
    opposite = [list(p.better) for p in result_of(study).opposite]
    assert data["conclusion"]["contradicted"] == opposite
    abstract = (tmp_path / "told" / "report.md").read_text(encoding="utf-8").split("\n\n")[1]
    better, worse = opposite[0]
    assert (
        f"In battles of the same candidates {worse} is significantly better than {better}"
        in abstract
    )
    assert ("further pair" in abstract) == (len(opposite) > 1)
    found = data["sections"]["agreement"]
    assert {p["together"] for p in found["pairs"]} >= {"opposite", "same"}
    assert "plane" not in found
    text = (tmp_path / "told" / "report.md").read_text(encoding="utf-8")
    assert "Battles say otherwise" in text
    assert "ada is better than bea by accuracy, and worse in battles, as are further pairs" in text


@pytest.mark.slow
def test_battles_are_stored_and_read_again(tmp_path: Path) -> None:
    study_of(tmp_path, SKILL)
    folder = tmp_path / "out" / "study" / "warehouse"
    again = read_warehouse(folder)
    assert again.battles is not None
    assert len(again.battles.frame) > 0
    loaded = reportgen.load(tmp_path / "out" / "study")
    assert result_of(loaded).n_battles == 1200
    copy = loaded.save(tmp_path / "study.zip")
    assert result_of(reportgen.load(copy)).n_battles == 1200
    write_warehouse(reportgen.battles(tmp_path / "arena.csv")._warehouse, folder)
    assert not (folder / BATTLES).exists()


def test_other_battles_are_measured_anew(tmp_path: Path) -> None:
    study_of(tmp_path, SKILL)
    write_battles(tmp_path, SKILL, n=700)
    with pytest.raises(ReportgenError, match=r"arena\.csv"):
        pipeline.read_stored(pipeline.open_job(tmp_path / "study.yaml", tmp_path / "out"))
    again = reportgen.run(tmp_path / "study.yaml", output=tmp_path / "out", formats="json")
    assert result_of(again).n_battles == 700


@pytest.mark.parametrize(
    ("battles", "words"),
    [
        ("gone.csv", r"gone\.csv"),
        ("answers.csv", "battles|model_a|winner|column"),
        ("{columns: {cluster: judge}}", "file"),
        ("3", "results.battles"),
    ],
)
def test_bad_input_is_answered(tmp_path: Path, battles: str, words: str) -> None:
    with pytest.raises(ReportgenError, match=words):
        study_of(tmp_path, SKILL, battles)


def test_battles_of_others_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportgenError, match="allowed of at least two of 'ada"):
        study_of(tmp_path, {"ada": 0.0, "eve": 1.0, "fay": 2.0})


def test_battles_beside_battles_are_refused(tmp_path: Path) -> None:
    write_battles(tmp_path, SKILL)
    text = "results: {file: arena.csv, battles: arena.csv, unit: comparison}\n"
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(ReportgenError, match="allowed battles beside scores"):
        reportgen.run(tmp_path / "study.yaml", output=tmp_path / "out")
    (tmp_path / "study.yaml").write_text(text.replace(", unit: comparison", ""))
    with pytest.raises(ReportgenError, match="allowed beside scores"):
        reportgen.run(tmp_path / "study.yaml", output=tmp_path / "out")


def test_a_column_of_clusters_may_be_named(tmp_path: Path) -> None:
    found = result_of(study_of(tmp_path, SKILL, "{file: arena.csv, columns: {cluster: judge}}"))
    assert found.n_battles == 1200
