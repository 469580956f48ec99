"""What checks, gates and the call from Python answer, held against results.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from reportgen.api.study import BenchmarkStudy
from reportgen.sections.expectations.result import ClaimTest
from reportgen.study.manifest import EXPECTATIONS
from reportgen.study.schema.options import Expectation

Row = dict[str, Any]

SAME = 1e-9  # relative: limits are sums in different orders
OPPOSITE = {"holds": "fails", "fails": "holds"}
NUMBERS = ("estimate", "lower", "upper", "p_value", "adjusted_p_value")
MOST_DATASETS, MOST_MEASURES = 3, 2  # of a study that are asked about
MOST_ALONE = 3  # claims of a study that are asked alone, too
BY_BONFERRONI = ("new-data", "own-variance-bonferroni", "sources", "wins", "score", "welch")
"""Methods of verdicts whose limits claims about all pairs have, too."""


def decided(study: BenchmarkStudy) -> set[tuple[str, str]]:
    """Return who is decided better than whom by the frame of pairs."""
    rows = study.pairs(study.measures[0]).to_dict(orient="records")
    return {
        (r["favoured"], r["second"] if r["favoured"] == r["first"] else r["first"])
        for r in rows
        if isinstance(r["favoured"], str)
    }


def asked_under_expect(study: BenchmarkStudy, claims: Sequence[str]) -> tuple[ClaimTest, ...]:
    """Return what the section Expectations says of claims in the manifest."""
    job, *rest = study.parts
    expect = tuple(Expectation(claim=text) for text in claims)
    job = replace(job, study=replace(job.study, expect=expect))
    found = BenchmarkStudy(job, *rest)._brief_result(EXPECTATIONS)
    return tuple(found.gates)


def check_answers(study: BenchmarkStudy, target: str) -> None:
    """All who answer a claim say the same, and never the opposite of the pairs."""
    better = decided(study)
    pairs = list(combinations(study.candidates, 2))
    suffix = " in this experiment" if target == "experiment" else ""
    claims = [f"{a} better than {b}{suffix}" for a, b in pairs]
    checks = study.check(*claims)
    assert tuple(checks) == tuple(study.gate(*claims)) == asked_under_expect(study, claims)
    for (a, b), check in zip(pairs, checks, strict=True):
        expected = "holds" if (a, b) in better else "fails" if (b, a) in better else "undecided"
        assert OPPOSITE.get(expected) != check.outcome
        assert check.target == target
    for claim, check in list(zip(claims, checks, strict=True))[:MOST_ALONE]:
        _check_alone(study, claim, check)
    if suffix and study.parts[0].study.analysis.target == "auto":
        bare = claims[0].removesuffix(suffix)
        assert study.check(bare)[0].outcome == "undecided"


def _check_alone(study: BenchmarkStudy, claim: str, check: ClaimTest) -> None:
    """Asked alone a claim has the same estimate, no wider interval, and no opposite outcome."""
    (alone,) = study.check(claim)
    assert alone == study.gate(claim)[0]
    assert alone.estimate == check.estimate
    assert OPPOSITE.get(check.outcome) != alone.outcome
    if check.lower is None or check.upper is None or alone.lower is None or alone.upper is None:
        assert (alone.lower is None) == (check.lower is None)
        return
    slack = SAME * (check.upper - check.lower)
    assert check.lower <= alone.lower + slack
    assert alone.upper <= check.upper + slack


def check_results(study: BenchmarkStudy, results: Mapping[str, Any]) -> int:
    """Hold frame, checks and gates against each table of pairs of results.json; count these."""
    found = list(_verdicts(study, results))
    for measure, dataset, verdict in found:
        _check_frame(study, measure, dataset, verdict["pairs"])
        _check_claims(study, measure, dataset, verdict)
    return len(found)


def _verdicts(
    study: BenchmarkStudy, results: Mapping[str, Any]
) -> Iterator[tuple[str, str | None, Mapping[str, Any]]]:
    """Yield measure, data set (None over all) and verdict, of those that have pairs."""
    sections = results["sections"]
    domain = sections.get("domain", {}).get("verdict", {})
    by_dataset = sections.get("inference", {})
    for measure in study.measures[:MOST_MEASURES]:
        every = {None: domain, **{d: by_dataset.get(d, {}) for d in study.datasets[:MOST_DATASETS]}}
        for dataset, verdicts in every.items():
            if verdicts.get(measure, {}).get("pairs"):
                yield measure, dataset, verdicts[measure]


def _check_frame(
    study: BenchmarkStudy, measure: str, dataset: str | None, rows: Sequence[Row]
) -> None:
    """The frame of pairs has the numbers and decisions of results.json."""
    frame = study.pairs(measure, dataset)
    for key in ("first", "second", "decision", "method", "scale"):
        assert frame[key].tolist() == [row[key] for row in rows], key
    for key in NUMBERS:
        numbers = np.array([np.nan if row[key] is None else row[key] for row in rows], float)
        np.testing.assert_allclose(frame[key].to_numpy(float), numbers, rtol=SAME, err_msg=key)


def _check_claims(
    study: BenchmarkStudy, measure: str, dataset: str | None, verdict: Mapping[str, Any]
) -> None:
    """Claims about all pairs have the limits of the verdict, or wider ones of a larger family."""
    frame, rows = study.pairs(measure, dataset), verdict["pairs"]
    target = frame["target"].iloc[0]
    suffix = " in this experiment" if target == "experiment" else ""
    claims = [f"{row['first']} better than {row['second']}{suffix}" for row in rows]
    checks = study.check(*claims, measure=measure, dataset=dataset)
    is_same = checks.result.n_stages == 1
    is_same &= all(row["adjusted_p_value"] is not None for row in rows)
    for row, favoured, check in zip(rows, frame["favoured"], checks, strict=True):
        assert check.target == target
        expected = {row["first"]: "holds", row["second"]: "fails"}.get(favoured, "undecided")
        assert OPPOSITE.get(expected) != check.outcome, row
        if verdict.get("family") is None:
            _check_limits(row, check, is_same=is_same and row["method"] in BY_BONFERRONI)


def _check_limits(row: Row, gate: ClaimTest, *, is_same: bool) -> None:
    """The interval of a claim is that of a pair, or holds it."""
    (contrast,) = gate.contrasts
    limits = (contrast.lower, contrast.upper)
    if row["method"] == "stages":  # which has decisions without intervals
        return
    if row["lower"] is None or row["adjusted_p_value"] is None or None in limits:
        assert gate.outcome == "undecided"
        return
    assert contrast.estimate == pytest.approx(row["estimate"], rel=SAME)
    if is_same:
        assert limits == pytest.approx((row["lower"], row["upper"]), rel=SAME, abs=SAME)
    low, high = limits
    assert low is not None
    assert high is not None
    slack = SAME * (high - low)
    assert low - slack <= row["lower"]
    assert row["upper"] <= high + slack
