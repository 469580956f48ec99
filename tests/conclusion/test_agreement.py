"""No two places of a report disagree: made-up studies, from the call in Python to Markdown."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.conclusion.result import Conclusion
from reportgen.study.target import IN_EXPERIMENT
from tests.conclusion.cases import plain, written

STUDIES = range(18)  # of each kind six
NAMES = ("anna", "bert", "cara", "dora", "emil")
SCHEMES: tuple[dict[str, Any], ...] = (
    {},
    {"resampling": {"scheme": "k-fold", "folds": 10}},
    {"resampling": {"scheme": "bootstrap"}, "n": 200},
)
ROUNDING = 1e-12


@cache
def study_of(seed: int) -> BenchmarkStudy:
    """Return a study of random size, scheme, gaps and differences."""
    rng = np.random.default_rng(seed)
    n_sets, k = (1, 1, 7)[seed % 3], int(rng.integers(2, 6))
    told = SCHEMES[seed // 3 % 3] if n_sets == 1 else {}
    n = 10 if "k-fold" in str(told) else int(rng.integers(5, 40))
    level = rng.uniform(0.1, 0.3, (n_sets, 1, 1)) + rng.uniform(0, 0.08, (1, 1, k))
    noise = 0.02 * rng.standard_normal((n_sets, n, k))
    errors = np.clip(level + noise + 0.01 * rng.standard_normal((n_sets, n, 1)), 0, 1)
    if seed % 4 == 3:
        errors[:, : n // 3, -1] = np.nan
    facts = {"n": {"data": told["n"]}} if "n" in told else {}
    more = {name: x for name, x in told.items() if name != "n"} | facts
    values = errors[0] if n_sets == 1 else errors
    return reportgen.compare(
        values,
        measure="misclassification",
        candidates=list(NAMES[:k]),
        relevance=0.02 if seed % 2 else None,
        **more,
    )


def concluded(seed: int) -> Conclusion:
    found = study_of(seed).conclusion
    assert found is not None
    assert found.verdict is not None
    return found


def decided(study: BenchmarkStudy) -> set[tuple[str, str]]:
    """Return who is decided better than whom by the frame of pairs."""
    rows = study.pairs().to_dict(orient="records")
    return {
        (r["favoured"], r["second"] if r["favoured"] == r["first"] else r["first"])
        for r in rows
        if isinstance(r["favoured"], str)
    }


@pytest.mark.parametrize("seed", STUDIES)
def test_the_conclusion_is_that_of_the_pairs(seed: int) -> None:
    study, found = study_of(seed), concluded(seed)
    assert found.verdict is not None
    better = decided(study)
    assert {*found.verdict.better} == better
    advice = found.recommendation
    beaten = {loser for _, loser in better}
    assert {*advice.not_worse} == {*found.verdict.means} - beaten
    named = {*advice.recommended} | ({advice.put_forward} - {None})
    assert named <= {*advice.not_worse} - {*advice.dominated}
    assert not (advice.shown and advice.target in IN_EXPERIMENT)
    assert set(study.pairs()["target"]) == {advice.target}
    if found.line is not None and found.line.groups:
        groups = found.line.groups
        above = {
            (a, b) for i, g in enumerate(groups) for h in groups[i + 1 :] for a in g for b in h
        }
        assert above == better


@pytest.mark.parametrize("seed", STUDIES)
def test_a_pair_is_decided_where_its_interval_excludes_equality(seed: int) -> None:
    study = study_of(seed)
    for row in study.pairs().to_dict(orient="records"):
        low, high = row["lower"], row["upper"]
        if not np.isfinite([low, high]).all():
            assert row["decision"] == "undecided"
            continue
        assert low - ROUNDING <= row["estimate"] <= high + ROUNDING
        assert low >= -1
        assert high <= 1
        excludes = low > 0 or high < 0
        assert not row["significant"] or excludes
        is_held_back = row["n"] < 6 or "adverse_first" in row
        assert row["significant"] or not excludes or is_held_back


@pytest.mark.parametrize("seed", STUDIES)
def test_checks_and_gates_answer_by_the_same_target(seed: int) -> None:
    study, found = study_of(seed), concluded(seed)
    better, target = decided(study), found.recommendation.target
    first, second = study.candidates[:2]
    suffix = " in this experiment" if target == "experiment" else ""
    claim = f"{first} better than {second}{suffix}"
    (check,) = study.check(claim)
    expected = (
        "holds"
        if (first, second) in better
        else "fails"
        if (second, first) in better
        else "undecided"
    )
    assert (check.outcome, check.target) == (expected, target)
    (gate,) = study.gate(claim).gates
    assert gate.contrasts[0].target == target
    assert {"holds": "fail", "fails": "pass"}.get(expected) != gate.outcome
    if suffix:
        assert study.check(claim.removesuffix(suffix))[0].outcome == "undecided"
        assert study.gate(claim.removesuffix(suffix)).gates[0].reason in ("target", "few-units")


@pytest.mark.parametrize("seed", STUDIES)
def test_the_abstract_says_whom_it_recommends(seed: int) -> None:
    study, found = study_of(seed), concluded(seed)
    text = plain(written(study._brief).text)
    advice = found.recommendation
    words = text.partition("ecommendation")[2]
    if advice.state in ("won", "best-and-cheapest", "ahead-undecided", "gaps", "cheaper-enough"):
        assert words.startswith(f": {advice.put_forward}")
    elif advice.state == "won-here":
        assert f"{advice.put_forward} makes the fewest errors here" in text
    elif advice.state == "undecided":
        assert words.startswith(f" by error: no difference between {advice.not_worse[0]}")
    assert ("Recommendation" in repr(study)) is ("Recommendation" in text)
