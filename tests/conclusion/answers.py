"""What checks, gates and the call from Python answer, held against results.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from reportgen.api.study import BenchmarkStudy
from reportgen.sections.expectations.result import Gate

Row = dict[str, Any]

SAME = 1e-9  # relative: limits are sums in different orders
OUTCOMES = {"holds": "fail", "fails": "pass"}  # of a check, and what a gate may not say then
NUMBERS = ("estimate", "lower", "upper", "p_value", "adjusted_p_value")
MOST_DATASETS, MOST_MEASURES = 3, 2  # of a study that are asked about
BY_BONFERRONI = ("new-data", "own-variance-bonferroni", "sources", "wins", "score", "welch")
"""Methods of verdicts whose limits a gate about all pairs has, too."""


def decided(study: BenchmarkStudy) -> set[tuple[str, str]]:
    """Return who is decided better than whom by the frame of pairs."""
    rows = study.pairs(study.measures[0]).to_dict(orient="records")
    return {
        (r["favoured"], r["second"] if r["favoured"] == r["first"] else r["first"])
        for r in rows
        if isinstance(r["favoured"], str)
    }


def check_answers(study: BenchmarkStudy, target: str) -> None:
    """Checks say what the pairs say, gates never the opposite, all of one target."""
    better = decided(study)
    pairs = list(combinations(study.candidates, 2))
    suffix = " in this experiment" if target == "experiment" else ""
    claims = [f"{a} better than {b}{suffix}" for a, b in pairs]
    gates = study.gate(*claims).gates
    for (a, b), check, gate in zip(pairs, study.check(*claims), gates, strict=True):
        expected = "holds" if (a, b) in better else "fails" if (b, a) in better else "undecided"
        assert (check.outcome, check.target) == (expected, target)
        assert OUTCOMES.get(expected) != gate.outcome
        assert {c.target for c in gate.contrasts} <= {target}
    if suffix and study.parts[0].study.analysis.target == "auto":
        bare = claims[0].removesuffix(suffix)
        assert study.check(bare)[0].outcome == "undecided"
        assert study.gate(bare).gates[0].outcome == "undecided"


def check_results(study: BenchmarkStudy, results: Mapping[str, Any]) -> int:
    """Hold frame, checks and gates against each table of pairs of results.json; count these."""
    found = list(_verdicts(study, results))
    for measure, dataset, verdict in found:
        _check_frame(study, measure, dataset, verdict["pairs"])
        _check_checks(study, measure, dataset, verdict["pairs"])
    main = [own for own in found if own[0] == study.measures[0]]
    if main and (main[0][1] is None or len(study.datasets) == 1):
        _check_gates(study, main[0][2])
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


def _check_checks(
    study: BenchmarkStudy, measure: str, dataset: str | None, rows: Sequence[Row]
) -> None:
    """A check has the numbers of its pair, and decides as it is decided."""
    frame = study.pairs(measure, dataset)
    target = frame["target"].iloc[0]
    suffix = " in this experiment" if target == "experiment" else ""
    claims = [f"{row['first']} better than {row['second']}{suffix}" for row in rows]
    checks = study.check(*claims, measure=measure, dataset=dataset)
    for row, favoured, check in zip(rows, frame["favoured"], checks, strict=True):
        numbers = (check.estimate, check.lower, check.upper)
        assert numbers == (row["estimate"], row["lower"], row["upper"])
        expected = {row["first"]: "holds", row["second"]: "fails"}.get(favoured, "undecided")
        assert (check.outcome, check.target) == (expected, target), row


def _check_gates(study: BenchmarkStudy, verdict: Mapping[str, Any]) -> None:
    """Gates about all pairs have the limits of the verdict, or wider ones of a larger family."""
    rows, target = verdict["pairs"], study.pairs(study.measures[0])["target"].iloc[0]
    suffix = " in this experiment" if target == "experiment" else ""
    claims = [f"{row['first']} better than {row['second']}{suffix}" for row in rows]
    found = study.gate(*claims)
    is_same = found.n_stages == 1 and verdict.get("family") is None
    is_same &= all(row["adjusted_p_value"] is not None for row in rows)
    for row, gate in zip(rows, found.gates, strict=True):
        assert gate.contrasts[0].target == target
        _check_limits(row, gate, is_same=is_same and row["method"] in BY_BONFERRONI)


def _check_limits(row: Row, gate: Gate, *, is_same: bool) -> None:
    """The interval of a gate is that of a pair, or holds it."""
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
