"""Sources of variation: components as computed from the file, what halves, words, refusals."""

from __future__ import annotations

import html
import re
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import stats
from reportgen.errors import StudyError
from reportgen.sections.variation.analysis import Variation

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

EXACT = 1e-9  # relative
NAMES = ("a", "b", "c")
ROLES = {"fold": "cv", "seed": "run_seed"}


def made(
    n_datasets: int = 1, n_folds: int = 5, n_seeds: int = 4, of_seed: float = 0.02, seed: int = 1
) -> pd.DataFrame:
    """Make up errors: folds are shared by the candidates, seeds are each one's own."""
    rng = np.random.default_rng(seed)
    rows = []
    for m in range(n_datasets):
        of_folds, level = rng.normal(0, 0.02, n_folds), rng.normal(0, 0.02)
        for k, name in enumerate(NAMES):
            own, seeds = rng.normal(0, 0.01), rng.normal(0, of_seed, n_seeds)
            for f, s in product(range(n_folds), range(n_seeds)):
                noise = rng.normal(0, 0.01)
                value = 0.3 + level + own + 0.02 * k + of_folds[f] + seeds[s] + noise
                rows.append((f"d{m}", name, f, s, value))
    columns = ["dataset", "candidate", "cv", "run_seed", "misclassification"]
    return pd.DataFrame(rows, columns=columns)


def words(study: reportgen.BenchmarkStudy) -> str:
    """Return the report as text."""
    with tempfile.TemporaryDirectory() as folder:
        study.report(folder, formats="html")
        file = next(Path(folder).rglob("report.html"))
        text = re.sub(r"<[^>]+>", " ", file.read_text(encoding="utf-8"))
        return " ".join(html.unescape(text).replace("\u00a0", " ").split())


def variation(frame: pd.DataFrame, **options: Any) -> tuple[reportgen.BenchmarkStudy, Variation]:
    study = reportgen.compare(frame, **{"replication": ROLES, **options})
    return study, study.result("variation")["misclassification"]


def test_components_are_those_of_the_rows() -> None:
    """Of every candidate and of the best two: the public function of arrays, row by row."""
    frame = made()
    _, found = variation(frame)
    own = frame[frame["candidate"] == "a"]
    levels = {"split": own["cv"].tolist(), "seed": own["run_seed"].tolist()}
    expected = stats.crossed_components(own["misclassification"].to_numpy(), levels)
    subject = next(s for s in found.subjects if s.candidates == ("a",))
    for part, component in zip(subject.parts, expected.components, strict=True):
        assert part.deviation == pytest.approx(component.deviation, rel=EXACT)
    wide = frame.pivot_table(
        index=["cv", "run_seed"], columns="candidate", values="misclassification"
    )
    first, second = found.lead or ("", "")
    pair = stats.crossed_components((wide[first] - wide[second]).to_numpy(), levels)
    lead = found.of_lead
    assert lead is not None
    assert [p.deviation for p in lead.parts] == pytest.approx(
        [c.deviation for c in pair.components], rel=EXACT
    )


def test_data_sets_are_a_source_by_hand() -> None:
    """Mean squares inside the data sets are pooled; what they leave of that between is theirs."""
    frame = made(8)
    _, found = variation(frame)
    own = frame[frame["candidate"] == "a"]
    y = own["misclassification"].to_numpy().reshape(8, 5, 4)
    folds, seeds, means = y.mean(axis=2), y.mean(axis=1), y.mean(axis=(1, 2))
    of_folds = 4 * folds.var(axis=1, ddof=1).mean()
    of_seeds = 5 * seeds.var(axis=1, ddof=1).mean()
    rest = y - folds[:, :, None] - seeds[:, None] + means[:, None, None]
    of_rest = (rest**2).sum() / (8 * 4 * 3)
    between = 20 * means.var(ddof=1)
    expected = {
        "dataset": (between - of_folds - of_seeds + of_rest) / 20,
        "split": (of_folds - of_rest) / 4,
        "seed": (of_seeds - of_rest) / 5,
        "rest": of_rest,
    }
    subject = next(s for s in found.subjects if s.candidates == ("a",))
    assert {p.source: p.deviation**2 for p in subject.parts} == pytest.approx(
        {k: max(0.0, v) for k, v in expected.items()}, rel=EXACT
    )


@pytest.mark.slow
def test_four_times_the_data_sets_halve_the_interval() -> None:
    study, found = variation(made(8))
    assert found.target == "domain"
    by_source = {h.source: h for h in found.halving}
    assert by_source["dataset"].n_to_halve == 32
    assert by_source["dataset"].share == pytest.approx(1)
    text = words(study)
    # the interval itself is halved by fewer, as it has more degrees of freedom then
    assert (
        "halve the standard error of their mean difference it takes 32 data sets instead of 8"
        in text
    )


def test_no_number_of_splits_of_one_data_set_halves() -> None:
    study, found = variation(made(of_seed=0.0, seed=3))
    assert found.target == "new-data"
    assert found.split_factor == pytest.approx(max(1 / 5 + 1 / 4, 2 / 5))
    assert "split" in {h.source for h in found.idle}
    assert re.search("no number of [a-z ]*splits", words(study), re.IGNORECASE)


def test_seeds_that_halve_are_those_of_the_verdict() -> None:
    """Two ways to one number: the section, and the components of the verdict on new data."""
    study, found = variation(made(of_seed=0.05))
    verdict = study.result("inference")["misclassification"]
    by_source = {h.source: h.n_to_halve for h in found.halving}
    assert verdict.new_data.components.seeds_to_halve == by_source["seed"]
    assert by_source["seed"] is not None


@pytest.mark.slow
def test_gaps_are_fitted() -> None:
    frame = made(6)
    kept = frame.drop(index=frame.index[[3, 17, 44, 120]])
    _, found = variation(kept)
    methods = {s.candidates: s.method for s in found.of_candidates}
    assert set(methods.values()) == {"reml"} or "reml" in methods.values()
    _, whole = variation(frame)
    for one, other in zip(found.subjects[0].parts, whole.subjects[0].parts, strict=True):
        assert one.deviation == pytest.approx(other.deviation, abs=0.006)


def test_seeds_of_one_split_over_data_sets() -> None:
    frame = made(8, n_folds=1).drop(columns="cv")
    _, found = variation(frame, replication={"seed": "run_seed"})
    assert list(found.counts) == ["dataset", "seed"]
    assert [p.source for p in found.subjects[0].parts] == ["dataset", "rest"] or [
        p.source for p in found.subjects[0].parts
    ] == ["dataset", "seed", "rest"]


def test_three_sources_have_a_component_each() -> None:
    frame = made()
    more = pd.concat([frame.assign(tuning=t) for t in range(3)])
    more["misclassification"] += np.random.default_rng(2).normal(0, 0.01, len(more))
    _, found = variation(more, replication={**ROLES, "tuning": "tuning"})
    sources = {"split", "seed", "tuning", "split x seed", "split x tuning", "seed x tuning", "rest"}
    assert set(found.sources) == sources
    assert found.counts == {"split": 5, "seed": 4, "tuning": 3}


def test_columns_tell_what_they_are_by_their_names() -> None:
    frame = made().rename(columns={"cv": "fold", "run_seed": "seed"})
    named = reportgen.compare(frame).result("variation")["misclassification"]
    _, declared = variation(made())
    assert named.subjects == declared.subjects


def test_several_seeds_go_by_their_own_names() -> None:
    frame = made().rename(columns={"cv": "fold", "run_seed": "init_seed"})
    more = pd.concat([frame.assign(order_seed=t) for t in range(3)])
    more["misclassification"] += np.random.default_rng(2).normal(0, 0.01, len(more))
    found = reportgen.compare(more).result("variation")["misclassification"]
    assert found.counts == {"split": 5, "initseed": 4, "orderseed": 3}


def test_several_sources_are_in_the_interval_for_new_data() -> None:
    """By hand: the splits' part, and a component over its levels of each source and pair."""
    frame = made(of_seed=0.03)
    more = pd.concat([frame.assign(tuning=t) for t in range(3)], ignore_index=True)
    shift = np.random.default_rng(5).normal(0, 0.02, (3, 3))
    at = more["candidate"].map({n: k for k, n in enumerate(NAMES)}).to_numpy(), more["tuning"]
    more["misclassification"] += shift[at] + np.random.default_rng(2).normal(0, 0.01, len(more))
    study, _ = variation(more, replication={**ROLES, "tuning": "tuning"})
    pair = study.result("inference")["misclassification"].new_data.pairs.between("a", "b")
    wide = more.pivot_table(
        index=["cv", "run_seed", "tuning"], columns="candidate", values="misclassification"
    )
    d = wide["a"] - wide["b"]
    levels = {name: d.index.get_level_values(i) for i, name in enumerate(("split", "s", "t"))}
    found = stats.crossed_components(d.to_numpy(), levels).variances
    splits = d.groupby("cv").mean().var(ddof=1) * max(1 / 5 + 1 / 4, 2 / 5)
    added = found["s",] / 4 + found["t",] / 3 + found["s", "t"] / 12
    assert added > 0
    assert pair.standard_error == pytest.approx((splits + added) ** 0.5, rel=1e-6)


def test_times_vary_by_ratio() -> None:
    frame = made().rename(columns={"misclassification": "rmse"})
    measures = [{"name": "rmse", "scale": "ratio"}]
    study = reportgen.compare(frame, replication=ROLES, measures=measures)
    found = study.result("variation")["rmse"]
    assert all(s.is_ratio for s in found.pairs)
    assert "logarithm" in words(study)


def test_one_source_is_no_section() -> None:
    study = reportgen.compare(made(n_seeds=1).drop(columns="run_seed"), replication={"fold": "cv"})
    with pytest.raises(StudyError):
        study.result("variation")


@pytest.mark.parametrize(
    ("replication", "message"),
    [
        ({"fold": "cv", "seed": "cv"}, "the column cv twice"),
        ({"fold": "cv", "seed": "none"}, "no column 'none' for replication"),
        ({}, "replication"),
        ({"fold": 3}, "replication"),
        ("columns", "replication"),
    ],
)
def test_refused(replication: Any, message: str) -> None:
    with pytest.raises(reportgen.ReportgenError) as caught:
        reportgen.compare(made(), replication=replication)
    assert re.search(re.escape(message), str(caught.value))


def test_factors_and_columns_of_replications_are_one_too_many() -> None:
    with pytest.raises(StudyError, match="replication: the column of each factor with a column"):
        reportgen.compare(made(), replication=ROLES, columns={"replication": "cv"})


@pytest.mark.slow
def test_the_example_finds_the_published_order(tmp_path: Path) -> None:
    """Bouthillier et al. (2021): of a learner's own error, splits and tuning exceed the weights."""
    folder = Path(__file__).parents[3] / "studies" / "variation"
    frame = pd.read_csv(folder / "variation.csv")
    roles = {name: name for name in ("split", "weights", "order", "tuning")}
    study = reportgen.compare(frame, replication=roles, resampling={"scheme": "bootstrap"})
    found = study.result("variation")["misclassification"]
    for subject in found.of_candidates:
        own = {p.source: p.deviation for p in subject.parts}
        assert min(own["split"], own["tuning"]) > own["weights"]
