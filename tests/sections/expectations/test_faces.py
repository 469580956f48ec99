"""One text about one study has one answer: of check, gate and expect, for every kind of study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import reportgen
from reportgen.api.study import BenchmarkStudy
from tests.conclusion.answers import asked_under_expect, check_answers

NAMES = ("anna", "bert", "cara", "dora")
ROUNDING = 1e-9  # relative: the report's limits are sums in another order
OPPOSITE = {"holds": "fails", "fails": "holds"}


def drawn(seed: int, n_sets: int, n: int, *, gaps: bool = False) -> np.ndarray:
    """Return values (data sets, n, 4), of the last candidate noisier ones, some missing."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.2, 0.4, (n_sets, 1, 1)) + np.array([0.0, 0.02, 0.05, 0.1])
    own = rng.normal(0, [0.005, 0.005, 0.005, 0.05], (n_sets, 1, 4))
    values = means + own + rng.normal(0, [0.01, 0.01, 0.01, 0.03], (n_sets, n, 4))
    if gaps:
        values[: max(1, n_sets // 3), : n // 2 + 1, 3] = np.nan
    return values


def replications(
    seed: int,
    n_sets: int,
    *,
    structure: str = "own",
    level: float | None = None,
    gaps: bool = False,
    **told: Any,
) -> BenchmarkStudy:
    """Return a study of replications; over data sets the section may have a level of its own."""
    values = drawn(seed, n_sets, 10, gaps=gaps)
    domain = {"structure": structure} | ({} if level is None else {"alpha": level})
    sections = ["inference", *([{"domain": domain}] if n_sets > 1 else [])]
    sets = [f"set{m + 1}" for m in range(n_sets)] if n_sets > 1 else ["data"]
    axes = pd.MultiIndex.from_product(
        [sets, range(1, 11), NAMES], names=["dataset", "replication", "candidate"]
    )
    table = pd.DataFrame({"loss": values.ravel()}, index=axes).dropna().reset_index()
    measures = [{"name": "loss", "better": "smaller"}]
    return reportgen.compare(table, measures=measures, sections=sections, **told)


def items(
    seed: int, n_tasks: int, *, n: int = 60, steady: int | None = None, n_known: int | None = None
) -> BenchmarkStudy:
    """Return a study of items of tasks; of one task all answers are right.

    `n_known`: items of each task of which the first candidate has an answer.
    """
    rng = np.random.default_rng(seed)
    right = (rng.random((n_tasks, n, 4)) < [0.9, 0.8, 0.6, 0.85]).astype(float)
    if steady is not None:
        right[steady] = 1.0
    if n_known is not None:
        right[:, n_known:, 0] = np.nan
    axes = pd.MultiIndex.from_product(
        [[f"task{m}" for m in range(n_tasks)], range(n), NAMES],
        names=["dataset", "item", "candidate"],
    )
    table = pd.DataFrame({"accuracy": right.ravel()}, index=axes).dropna().reset_index()
    return reportgen.compare(table, unit="item", better="larger")


def samples(seed: int, n_sets: int = 1, structure: str = "own") -> BenchmarkStudy:
    """Return a study of independent samples."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"set{m}", name, i, x)
        for m in range(n_sets)
        for name, mean in zip(NAMES, (1.0, 1.1, 1.5, 1.0), strict=True)
        for i, x in enumerate(rng.lognormal(np.log(mean), 0.1, 20))
    ]
    table = pd.DataFrame(rows, columns=["dataset", "candidate", "sample", "run-time"])
    domain = [{"domain": {"structure": structure}}] if n_sets > 1 else []
    return reportgen.compare(
        table,
        unit="sample",
        measures=[{"name": "run-time", "unit": "s"}],
        sections=["inference", *domain],
    )


K_FOLD = {"resampling": {"scheme": "k-fold", "folds": 10}}
STUDIES: dict[str, Callable[[int], BenchmarkStudy]] = {
    "one data set": partial(replications, n_sets=1),
    "pooled": partial(replications, n_sets=1, variance="pooled", target="experiment"),
    "one with gaps": partial(replications, n_sets=1, gaps=True),
    "new data": partial(replications, n_sets=1, **K_FOLD),
    "three": partial(replications, n_sets=3),
    "three for new data": partial(replications, n_sets=3, **K_FOLD),
    "three by interaction": partial(replications, n_sets=3, structure="interaction", **K_FOLD),
    "eight": partial(replications, n_sets=8),
    "eight by interaction": partial(replications, n_sets=8, structure="interaction"),
    "eight, unstructured": partial(replications, n_sets=8, structure="unstructured"),
    "eight with gaps": partial(replications, n_sets=8, gaps=True),
    "eight with gaps by interaction": partial(
        replications, n_sets=8, gaps=True, structure="interaction"
    ),
    "items": partial(items, n_tasks=1),
    "tasks": partial(items, n_tasks=3),
    "tasks with gaps": partial(items, n_tasks=3, n_known=30),
    "samples": samples,
    "three of samples": partial(samples, n_sets=3),
    "three of samples by interaction": partial(samples, n_sets=3, structure="interaction"),
}


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_all_faces_say_the_same(kind: str, seed: int) -> None:
    study = STUDIES[kind](seed)
    conclusion = study.conclusion
    assert conclusion is not None
    check_answers(study, conclusion.recommendation.target)
    here = " in this experiment" if conclusion.recommendation.target == "experiment" else ""
    measure = study.measures[0]
    claims = (
        f"anna within 0.03 of bert{here}" if measure != "run-time" else "anna within 1.2 of bert",
        f"{measure} of anna below 0.35",
        "no failures",
    )
    found = study.gate(*claims)
    assert tuple(study.check(*claims)) == tuple(found) == asked_under_expect(study, claims)


# --------------------------------------------------------------------- over data sets by a model


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
def test_claims_over_data_sets_are_those_of_the_model(structure: str) -> None:
    """By hand: the model's standard error, t on its degrees of freedom at alpha / m."""
    is_other = 0
    for seed in range(6):
        model = replications(seed, 8, structure=structure)
        means = replications(seed, 8)
        claims = ("anna better than bert", "cara better than dora")
        for claim, check in zip(claims, model.check(*claims), strict=True):
            verdict = model.result("domain").verdict["loss"]
            row = verdict.pairs.between(check.first, check.second)
            assert (verdict.method, check.target) == (structure, "domain")
            half = student.isf(0.05 / 4, row.df) * row.standard_error
            assert (check.estimate, check.lower, check.upper) == pytest.approx(
                (row.estimate, row.estimate - half, row.estimate + half), rel=ROUNDING
            )
            favoured = {check.first: "holds", check.second: "fails"}.get(row.favoured)
            assert OPPOSITE.get(str(favoured)) != check.outcome
            (own,) = (c for c in means.check(*claims) if c.claim == claim)
            is_other += own.outcome != check.outcome
    assert is_other or structure == "unstructured"


@pytest.mark.slow
def test_a_section_with_a_level_of_its_own_leaves_claims_theirs() -> None:
    """By hand: the model's standard error, t at the level that the claim names."""
    study = replications(1, 8, structure="interaction", level=0.4)
    assert study.result("domain").verdict["loss"].alpha == 0.4
    (check,) = checks = study.check("anna better than bert")
    row = study.result("domain").verdict["loss"].pairs.between("anna", "bert")
    half = student.isf(0.05 / 2, row.df) * row.standard_error
    assert (check.lower, check.upper) == pytest.approx(
        (row.estimate - half, row.estimate + half), rel=ROUNDING
    )
    assert "(95% interval: " in repr(checks)
    assert check.verdict_alpha == 0.4


@pytest.mark.slow
@pytest.mark.parametrize("n_sets", [3, 8])
def test_a_mean_over_data_sets_is_its_own_whatever_else_is_asked(n_sets: int) -> None:
    """Second algorithm: the same study without a model of data sets, at half of its level."""
    limit = "loss of anna below 0.33 in the domain"
    model = replications(2, n_sets, structure="interaction", **K_FOLD)
    own = replications(2, n_sets, alpha=0.025, **K_FOLD)
    beside, _ = model.gate(limit, "anna better than cara in the domain")
    (expected,) = own.gate(limit)
    assert beside.target == expected.target == ("these-sources" if n_sets == 3 else "domain")
    assert beside.contrasts == expected.contrasts


def test_a_model_of_few_data_sets_speaks_of_this_experiment() -> None:
    study = replications(1, 3, structure="interaction", **K_FOLD)
    bare, here = study.check("anna better than cara", "anna better than cara in this experiment")
    assert (bare.outcome, bare.reason, bare.target) == ("undecided", "target", "experiment")
    assert here.outcome == "holds"


# -------------------------------------------------------------------------- in this experiment


def test_few_data_sets_in_this_experiment_are_judged_by_their_replications() -> None:
    """Second algorithm: the same values, of which nobody knows how they came about."""
    known, unknown = (replications(4, 3, **told) for told in (K_FOLD, {}))
    claim = "anna better than bert in this experiment"
    for text in (claim, claim.replace(" in this", " in the domain in this")):
        (check,), (gate,) = known.check(text), known.gate(text)
        (other,) = unknown.check(text)
        assert check == gate
        assert (check.target, check.contrasts[0].verdict) == ("experiment", None)
        assert (check.lower, check.upper) == (other.lower, other.upper)
    (new,) = known.check("anna better than bert")
    assert new.target == "these-sources"
    assert new.lower < check.lower < check.upper < new.upper


# ------------------------------------------------------------------------- why it is undecided


def of_losses(values: np.ndarray, **told: Any) -> BenchmarkStudy:
    """Return a study of values (n, 2), or of several such data sets."""
    names = [f"set{m}" for m in range(len(values))] if values.ndim == 3 else ["data"]
    every = values if values.ndim == 3 else values[None]
    axes = pd.MultiIndex.from_product(
        [names, range(1, every.shape[1] + 1), ["a", "b"]],
        names=["dataset", "replication", "candidate"],
    )
    table = pd.DataFrame({"loss": every.ravel()}, index=axes).reset_index()
    return reportgen.compare(table, measures=[{"name": "loss", "better": "smaller"}], **told)


NOISE = np.random.default_rng(2).normal(0.3, 0.01, (3, 10, 2))
STEADY = np.broadcast_to([0.1, 0.3], (3, 10, 2)) + np.zeros((3, 10, 2))
HERE = " in this experiment"


@pytest.mark.parametrize(
    ("values", "told", "suffix", "reason", "words"),
    [
        (STEADY[0], K_FOLD, "", "no-variation", "too little variation to judge by"),
        (STEADY, K_FOLD, "", "no-variation", "too little variation to judge by"),
        (NOISE[:, :2], K_FOLD, "", "few-replications", "fewer than three replications"),
        (NOISE[0, :2], K_FOLD, "", "few-replications", "fewer than three replications"),
        (NOISE[0, :5], {}, HERE, "few-units", "fewer than six replications"),
        (np.full((10, 2), 0.1), {}, HERE, "no-spread", "the same in all replications"),
        (NOISE[0], {}, "", "target", "declare `resampling`"),
        (NOISE[0], {}, HERE, "wide", "the interval holds a bound"),
    ],
)
def test_the_reason_is_the_true_one(
    values: np.ndarray, told: dict[str, Any], suffix: str, reason: str, words: str
) -> None:
    if told and values.shape[-2] < 10:
        told = {"resampling": {"scheme": "k-fold", "folds": int(values.shape[-2])}}
    study = of_losses(values, **told)
    checks = study.check(f"a better than b{suffix}")
    assert (checks[0].outcome, checks[0].reason) == ("undecided", reason)
    assert checks[0] == study.gate(f"a better than b{suffix}")[0]
    assert words in repr(checks)


def test_wins_on_few_data_sets_are_not_called_few_data_sets() -> None:
    """Errors of either sign over data sets of unlike levels: who is ahead is counted."""
    rng = np.random.default_rng(1)
    level = np.geomspace(1, 1e4, 8)[:, None, None]
    values = level * rng.normal([0, 1], size=(8, 3, 2))
    study = of_losses(values)
    (check,) = study.check("a better than b")
    assert check.scale == "wins"
    assert check.reason == "few-wins"


def test_a_task_with_few_items_is_told() -> None:
    (check,) = items(1, 3, n=5).check("anna better than cara")
    assert (check.target, check.reason) == ("tasks", "few-clusters")


@pytest.mark.parametrize("n_known", [None, 30])
def test_claims_over_tasks_are_those_of_their_items(n_known: int | None) -> None:
    """All pairs asked together have the intervals of the verdict on other items of these tasks."""
    study = items(3, 3, n_known=n_known)
    verdict = study.result("items").main
    assert set(study.pairs()["target"]) == {"tasks"}
    claims = [f"{p.first} better than {p.second}" for p in verdict.pairs]
    for p, check in zip(verdict.pairs, study.check(*claims), strict=True):
        assert (check.lower, check.upper) == pytest.approx((p.lower, p.upper), rel=ROUNDING)
        expected = {p.first: "holds", p.second: "fails"}.get(p.favoured, "undecided")
        assert check.outcome == expected


@pytest.mark.parametrize("n_sets", [3, 8])
def test_samples_are_asked_over_data_sets(n_sets: int) -> None:
    """Each has its own measurements; a gap among them is none of a pair."""
    values = drawn(2, n_sets, 10)
    axes = pd.MultiIndex.from_product(
        [range(n_sets), range(10), NAMES], names=["dataset", "replication", "candidate"]
    )
    table = pd.DataFrame({"loss": values.ravel()}, index=axes).reset_index().iloc[1:]
    table["dataset"] = [f"set{m}" for m in table["dataset"]]
    measures = [{"name": "loss", "better": "smaller"}]
    study = reportgen.compare(table, measures=measures, unit="sample")
    (found,) = study.check(f"{NAMES[0]} better than {NAMES[3]} in this experiment")
    assert found.outcome in ("holds", "undecided")
    assert found.estimate is not None
    assert found.contrasts[0].gaps_within == {}


def test_what_a_call_returns_prints_as_the_verb_does() -> None:
    study = replications(1, 1)
    claims = ("no failures", "loss of anna below 0.5 in this experiment")
    found = study.gate(*claims)
    *lines, last = str(found).splitlines()
    assert [line.split()[0] for line in lines] == ["holds", "holds"]
    assert lines == repr(study.check(*claims)).splitlines()
    assert last.startswith("2 hold; 1 distinct contrast: any is wrong")
    assert (bool(found), found.is_failed) == (True, False)
    failing = study.gate("loss of anna below 0.01 in this experiment")
    assert (bool(failing), failing.is_failed) == (False, True)


def test_gaps_of_items_count_over_tasks_as_they_do_in_the_report() -> None:
    """Who answers the first half of each task alone leads there by items that others lack."""
    study = items(3, 3, n=40, n_known=15)
    verdict = study.result("items").main
    pair, mean, low = study.check(
        "anna better than cara", "accuracy of anna above 75 %", "accuracy of anna above 1 %"
    )
    assert (pair.lower or 0) > 0
    assert verdict.pairs.between("anna", "cara").favoured is None
    assert (pair.outcome, pair.verdict, pair.reason) == ("undecided", "undecided", "gaps")
    assert mean.estimate == pytest.approx(verdict.means["anna"], rel=ROUNDING)
    assert (mean.upper or 1) < 0.75 < verdict.own_means["anna"]
    assert (mean.outcome, mean.reason, low.outcome) == ("undecided", "gaps", "holds")
    for check in (pair, mean, low):
        assert check.contrasts[0].gaps == {"anna": (45, 120)}


# ------------------------------------------------------------------------ fixed test samples


def fixed_samples(folder: Path, sizes: Sequence[int], *, steady: int = -1) -> BenchmarkStudy:
    """Return two replications on test samples of these sizes; on one bert alone is wrong."""
    rng, rows = np.random.default_rng(3), []
    for m, size in enumerate(sizes):
        for b in range(2):
            for name, error in (("anna", 0.1), ("bert", 0.35)):
                wrong = rng.random(size) < (error if m != steady else name == "bert")
                rows += [
                    (f"d{m}", name, b + 1, i, "x", "y" if w else "x") for i, w in enumerate(wrong)
                ]
    names = ["dataset", "model", "replication", "observation", "truth", "prediction"]
    file = folder / "predictions.csv"
    pd.DataFrame(rows, columns=names).to_csv(file, index=False)
    told = {"scheme": "bootstrap", "assessment": "fixed"}
    return reportgen.compare(file, resampling=told, problem="competition")


@pytest.mark.parametrize(
    ("sizes", "steady", "reason", "words"),
    [
        ((30, 40, 5), -1, "few-units", "fewer than six observations of a fixed test sample"),
        ((30, 40, 50), 1, "no-variation", "too little variation to judge by"),
        ((5,), -1, "few-units", "fewer than six observations"),
    ],
)
def test_fixed_test_samples_are_short_of_observations(
    tmp_path: Path, sizes: tuple[int, ...], steady: int, reason: str, words: str
) -> None:
    checks = fixed_samples(tmp_path, sizes, steady=steady).check("anna better than bert")
    assert (checks[0].outcome, checks[0].reason) == ("undecided", reason)
    assert repr(checks).endswith(f"; {words}")


def test_intervals_of_too_few_units_are_of_one_pair_alone(tmp_path: Path) -> None:
    few = (of_losses(NOISE[0, :5]), f"a better than b{HERE}", "loss of a below 1")
    losses = (
        fixed_samples(tmp_path, (5,)),
        "anna better than bert",
        "misclassification of bert below 0.9",
    )
    for study, *claims in (few, losses):
        for claim, kind in zip(claims, ("pair", "mean"), strict=True):
            (alone,), both = study.check(claim), study.check(*claims)
            (own,) = (check for check in both if check.claim == claim)
            assert own.contrasts[0].is_open
            assert (own.lower, own.upper) == (alone.lower, alone.upper)
            assert f"(95% interval of this {kind} alone: " in repr(both)
            assert "at once" not in repr(both)
