"""The section's numbers against their definitions by hand; its words against its numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.sections.items.analysis import ItemsResult

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

ROOT = Path(__file__).parents[3]
COLUMNS = {"dataset": "task", "candidate": "model", "cluster": "document", "epoch": "run"}
EXACT = 1e-12  # sums in another order


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    return pd.read_csv(ROOT / "studies" / "assistants" / "answers.csv")


@pytest.fixture(scope="module")
def study(answers: pd.DataFrame) -> BenchmarkStudy:
    accuracy = {"name": "accuracy", "column": "correct"}
    return reportgen.compare(answers, columns=COLUMNS, measures=[accuracy])


@pytest.fixture(scope="module")
def result(study: BenchmarkStudy) -> ItemsResult:
    found: ItemsResult = study._brief_runner.results("items")[None]
    return found


def item_means(answers: pd.DataFrame, task: str) -> pd.DataFrame:
    own = answers[answers["task"] == task]
    return own.pivot_table(index="item", columns="model", values="correct", aggfunc="mean")


def test_the_verdict_over_these_tasks_is_the_mean_of_their_differences(
    answers: pd.DataFrame, result: ItemsResult
) -> None:
    assert result.main is not None
    pair = result.main.pairs.between("atlas", "dune")
    assert pair is not None
    each = [item_means(answers, t)[["atlas", "dune"]].dropna() for t in ("arithmetic", "coding")]
    differences = [(own["atlas"] - own["dune"]) for own in each]
    means = [own.mean() for own in differences]
    variances = [own.var() / len(own) for own in differences]
    reading = item_means(answers, "reading")[["atlas", "dune"]].dropna()
    documents = answers.drop_duplicates("item").set_index("item")["document"]
    own = reading["atlas"] - reading["dune"]
    by_document = own.groupby(documents.reindex(own.index)).mean()  # three items each
    means.append(by_document.mean())
    variances.append(by_document.var() / len(by_document))
    assert pair.estimate == pytest.approx(np.mean(means), abs=EXACT)
    assert pair.standard_error == pytest.approx(np.sqrt(sum(variances)) / 3, abs=EXACT)
    assert pair.target == "these-tasks"
    assert (pair.wins, pair.losses) == (3, 0)


def test_means_of_tasks_count_lost_answers_as_the_worst_there(
    answers: pd.DataFrame, study: BenchmarkStudy, result: ItemsResult
) -> None:
    """So do gates on means over the tasks; the difference is over the items that both have."""
    filled, own = [], []
    for task in ("arithmetic", "coding", "reading"):
        means = item_means(answers, task)
        worst = means.min(axis=1)
        filled.append(means.apply(lambda x, w=worst: x.fillna(w)).mean())
        own.append(means.mean())
    v = result.main
    assert v is not None
    for found, each in ((v.means, filled), (v.own_means, own)):
        over_tasks = pd.concat(each, axis=1).mean(axis=1).to_dict()
        assert dict(found) == pytest.approx(over_tasks, abs=EXACT)
    assert v.filled_names == ("atlas", "cedar", "birch")
    text = " ".join(str(study).split())
    assert "over 3 tasks, gaps counted as the worst there; cedar, the next, has" in text
    assert "percentage points over the items that both have (95% interval" in text
    assert "4 of 1,320 values are missing, none of dune." in text


def test_the_truth_is_found(result: ItemsResult) -> None:
    """Birch and cedar are equal by construction, atlas is the best and dune the worst."""
    assert result.main is not None
    decided = {(p.first, p.second) for p in result.main.decided}
    assert decided == {
        *(("atlas", name) for name in ("birch", "cedar", "dune")),
        *((name, "dune") for name in ("birch", "cedar")),
    }
    assert result.ranks == {"atlas": (1, 1), "cedar": (2, 3), "birch": (2, 3), "dune": (4, 4)}


def test_flips_and_the_worst_that_lost_answers_could_do(
    answers: pd.DataFrame, result: ItemsResult
) -> None:
    task = next(t for t in result.tasks if t.name == "arithmetic")
    means = item_means(answers, "arithmetic")
    pair = next(p for p in task.pairs if {p.first, p.second} == {"atlas", "cedar"})
    both = means[["atlas", "cedar"]].dropna()
    flips = ((both["atlas"] > both["cedar"]).sum(), (both["atlas"] < both["cedar"]).sum())
    assert (pair.n, pair.n_flips) == (len(both), flips)
    lost = next(p for p in task.missing_items if {p.first, p.second} == {"atlas", "cedar"})
    n = task.n_items
    worst = means["atlas"].sum() / n - (means["cedar"].sum() + means["cedar"].isna().sum()) / n
    assert lost.n == (int(means["atlas"].isna().sum()), int(means["cedar"].isna().sum()))
    assert lost.bound == pytest.approx(worst, abs=EXACT)
    assert not lost.can_turn


def test_runs_are_told_apart_from_items(result: ItemsResult) -> None:
    by_name = {task.name: task for task in result.tasks}
    assert {name: task.n_runs for name, task in by_name.items()} == {
        "arithmetic": 1,
        "coding": 3,
        "reading": 2,
    }
    assert all(p.noise_share is None for p in by_name["arithmetic"].pairs)
    shares = [p.noise_share for p in by_name["coding"].pairs]
    assert all(share is not None and 0 < share <= 1 for share in shares)
    assert by_name["reading"].n_clusters == 40
    assert all(p.correlation is not None for p in by_name["reading"].pairs)


@pytest.mark.slow
def test_a_share_of_noise_at_its_limit_is_no_finding_of_all(
    study: BenchmarkStudy, tmp_path: Path
) -> None:
    assert study.result("items").noisy[0][1].noise_share == 1
    study.report(tmp_path, formats=["md"])
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "On coding no variance between items can be told from the candidates’ own noise" in text
    assert "makes up" not in text


def test_one_task_has_no_verdict_over_tasks(answers: pd.DataFrame) -> None:
    accuracy = {"name": "accuracy", "column": "correct"}
    own = answers[answers["task"] == "coding"]
    study = reportgen.compare(own, columns=COLUMNS, measures=[accuracy])
    found: ItemsResult = study._brief_runner.results("items")[None]
    assert found.main is None
    assert [task.name for task in found.tasks] == ["coding"]
    assert "items like these" in str(study)


def test_who_is_better_than_all_over_the_tasks(result: ItemsResult) -> None:
    assert result.main is not None
    assert result.main.better_than_all == "atlas"


def test_sentences_speak_of_items_and_name_their_target(study: BenchmarkStudy) -> None:
    text = " ".join(str(study).split())
    assert "than every other candidate, for other items of these tasks: 73.17%" in text
    assert "of other tasks it says nothing" in text
    assert "replication" not in text
    assert "data set" not in text


@pytest.mark.slow
def test_standard_errors_over_clusters_say_so(study: BenchmarkStudy, tmp_path: Path) -> None:
    study.report(tmp_path, formats=["html"])
    text = next(tmp_path.rglob("report.html")).read_text(encoding="utf-8")
    assert "±: standard error over items, clusters counted together." in text


@pytest.mark.slow
def test_two_equal_models_are_called_equal() -> None:
    """The case that a domain table once called different: three tasks, nothing between two."""
    rng = np.random.default_rng(3)
    n_studies, wrong = 1000, 0
    from reportgen.stats.items.tasks import compare_these_tasks, task_means

    for _ in range(n_studies):
        tasks = []
        for n in (30, 60, 90):
            ease = rng.normal(0, 1.5, n)
            chance = 1 / (1 + np.exp(-ease))[:, None]
            tasks.append(task_means((rng.random((n, 2)) < chance).astype(float), None))
        wrong += bool(compare_these_tasks(tasks, 2, 0.05).significant[0])
    assert wrong / n_studies <= 0.06


def test_three_tasks_say_nothing_of_tasks_like_these(study: BenchmarkStudy) -> None:
    verdict = study._brief_runner.results("domain")[None].verdict["accuracy"]
    assert verdict.is_open
    assert verdict.target == "domain"


@pytest.mark.slow
def test_a_task_without_any_answer_of_a_candidate_is_told(tmp_path: Path) -> None:
    """The others alone are compared; their gaps are counted, and every format is written."""
    rows = [("a", "q1", "x", 0.3), ("a", "q1", "y", 0.4), ("a", "q1", "z", 0.5)]
    rows += [("b", "q1", "x", 0.3), ("b", "q1", "z", 0.6)]
    table = pd.DataFrame(rows, columns=["dataset", "item", "candidate", "loss"])
    found = reportgen.compare(table, measures=[{"name": "loss", "better": "smaller"}])
    conclusion = found.conclusion
    assert conclusion is not None
    assert conclusion.caveats.missing_candidates == ("y",)
    assert (conclusion.caveats.n_missing, conclusion.caveats.n_values) == (0, 4)
    assert "y has no value on some task and is left out." in " ".join(str(found).split())
    found.report(tmp_path, formats=("html", "md", "json"))
    gaps = pd.concat([table, pd.DataFrame([("b", "q2", "x", 0.3)], columns=table.columns)])
    found = reportgen.compare(gaps, measures=[{"name": "loss", "better": "smaller"}])
    assert found.conclusion is not None
    assert (found.conclusion.caveats.n_missing, found.conclusion.caveats.n_values) == (1, 6)
