"""What ends the article: the limits of what is shown, and when to use which."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.rendering.abstract import write_limits
from reportgen.rendering.render_context import HTML, RenderContext
from tests.conclusion.cases import case, extras, plain

HALF_A_POINT = 0.005  # of a percentage point: two decimals are written


def limits(name: str) -> dict[str, str]:
    """Return the closing remarks of a case, by their heads."""
    context = RenderContext(case(name), HTML, (), extras())
    return {plain(r.head): plain(r.text) for r in write_limits(context)}


@pytest.mark.parametrize("name", ["winner", "domain", "scenarios"])
def test_the_largest_difference_left_is_that_of_the_intervals(name: str) -> None:
    report = case(name)
    assert report.conclusion is not None
    verdict = report.conclusion.verdict
    assert verdict is not None
    left = [p for p in verdict.pairs if p.decision == "undecided" and p.lower is not None]
    told = re.search(r"one of up to ([\d.]+) percentage points", limits(name).get("Limits", ""))
    if not left:
        assert told is None
        return
    most = max(max(abs(p.lower or 0), abs(p.upper or 0)) for p in left)
    assert told is not None
    assert float(told[1]) == pytest.approx(100 * most, abs=HALF_A_POINT)


@pytest.mark.parametrize("name", ["domain", "scenarios"])
def test_the_price_of_another_choice_is_that_of_the_recommendation(name: str) -> None:
    report = case(name)
    assert report.conclusion is not None
    prices = report.conclusion.recommendation.prices
    assert len(prices) <= 5  # of more the first three
    told = limits(name)["When to use which"]
    found = re.findall(r"(?:; |, )(\S+) (?:may be up to )?(\d+\.\d+)", told)
    assert [n for n, _ in found][: len(prices)] == [n for n, _ in prices]
    said = [float(x) for _, x in found][: len(prices)]
    assert np.allclose(said, [100 * x for _, x in prices], atol=HALF_A_POINT)


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        (
            {name: i / 100 for i, name in enumerate("bcdefgh", start=1)},
            "than another, c 2.00, d 3.00, four others 7.00.",
        ),
    ],
)
def test_nobody_who_is_not_shown_to_be_worse_goes_without_a_word(
    prices: dict[str, float | None], said: str
) -> None:
    report = case("domain")
    found: Any = report.conclusion
    lost = {found.recommendation.lead: 0.0} | prices
    advice = replace(found.recommendation, at_most_lost=lost)
    changed = replace(report, conclusion=replace(found, recommendation=advice))
    context = RenderContext(changed, HTML, (), extras())
    told = {plain(r.head): plain(r.text) for r in write_limits(context)}["When to use which"]
    assert said in told


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("measured-once", "Each candidate was measured once: "),
        ("explored", "No difference was tested: every one may be chance."),
        ("one-candidate", ""),
    ],
)
def test_what_was_not_tested_is_a_limit(name: str, said: str) -> None:
    assert limits(name).get("Limits", "").startswith(said)
    assert said or "Limits" not in limits(name)


@pytest.mark.parametrize("n", [5, 6])
def test_too_few_replications_exclude_no_difference(n: int) -> None:
    rng = np.random.default_rng(5)
    study = reportgen.compare({"a": rng.random(n), "b": rng.random(n)}, better="smaller")
    context = RenderContext(study._brief, HTML, (), extras())
    told = " ".join(plain(remark.text) for remark in write_limits(context))
    assert ("No difference could be tested" in told) == (n < 6)
    assert ("so that none of any size is excluded" in told) == (n < 6)


@pytest.mark.slow
def test_what_could_not_be_tested_over_data_sets_is_said_of_these(tmp_path: Path) -> None:
    """What each data set's own measurements show is said all the same."""
    rng = np.random.default_rng(5)
    slow = {("x", "b"): 10.0}
    rows = [
        (d, k, slow.get((d, k), 1.0) * (rng.lognormal(0, 0.1) if d == "x" else 1.0))
        for d in "xy"
        for k in "ab"
        for _ in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "candidate", "time"])
    study = reportgen.compare(frame, unit="sample")
    told = plain(study.report(tmp_path, formats=["html"])[-1].read_text("utf-8"))
    assert "Over the data sets no difference could be tested, so that none of any" in told
    alone = "x has the order a > b and y shows no significant difference"
    assert f"By the measurements of each alone, {alone}." in told


def test_where_no_difference_is_significant_the_use_is_left_to_other_grounds() -> None:
    found = limits("all-undecided")["When to use which"]
    assert found.startswith("No difference in ")
    assert re.search(r"by the mean alone: \S+\.$", found)


def test_candidates_with_the_best_mean_are_named_together() -> None:
    one = np.random.default_rng(1).normal(0.2, 0.02, 12)
    values = {"one": one, "two": one[::-1], "third": np.roll(one, 6) + 0.001}
    study = reportgen.compare({"d": values}, better="smaller")
    context = RenderContext(study._brief, HTML, (), extras())
    told = " ".join(plain(remark.text) for remark in write_limits(context))
    assert re.search(r"by the mean alone: (one or two|two or one)\.", told)


def test_settings_end_in_what_was_not_varied() -> None:
    said = limits("settings")["Limits"]
    assert "settings were tested: between and beyond them nothing is shown." in said


def test_of_settings_it_is_said_in_how_many_nobody_is_better() -> None:
    """Of eight, lm is beaten by quadratic in four and beats it in one; knn is beaten in all."""
    told = limits("settings")["When to use which"]
    assert told == "Unbeaten: quadratic in seven of eight settings, lm in four, knn in none."


def test_of_one_setting_that_counts_it_is_said_who_is_unbeaten_there() -> None:
    report = case("settings")
    found: Any = report.conclusion
    counts = {"unbeaten": {"lm": 1, "knn": 1, "quadratic": 0}, "n_counted": 1}
    told = replace(report, conclusion=replace(found, changes=replace(found.changes, **counts)))
    context = RenderContext(told, HTML, (), extras())
    said = {plain(r.head): plain(r.text) for r in write_limits(context)}["When to use which"]
    assert said == "Unbeaten in the one setting that counts: lm and knn."
