"""Where a pair is decided, in the fewest words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.conclusion.recommendation import Recommendation
from reportgen.conclusion.result import Caveats, Conclusion
from reportgen.conclusion.settings import Changes, PairBySetting, changes_of
from reportgen.performance_measure import Measure
from reportgen.sections.sensitivity.analysis import (
    Factor,
    PairChange,
    SchemeEffect,
    Sensitivity,
    SettingRow,
)
from tests.conclusion.cases import analysed, case, told
from tests.conclusion.verdicts import verdict
from tests.sections.sensitivity.making import SCHEMES, design

B2, N = Factor("b2", (0.0, 0.1, 0.2)), Factor("n", (50, 150))
WAYS = Factor("resampling", ("bootstrap", "subsampling", "5-fold", "hold-out"))
OTHER_FOLDS = ({"resampling": "10-fold"}, (0.18, 0.24, 0.5))


def row(name: str, levels: dict[str, Any]) -> SettingRow:
    """Return a setting with tests."""
    return SettingRow(
        name,
        name,
        levels,
        {},
        {},
        {},
        20,
        None,
        None,
        None,
        None,
        (),
        (),
        "verdict",
        False,
        verdict("ab").verdict,
    )


def test_settings_without_tests_are_left_out() -> None:
    found = varied("+.+?", WAYS)
    assert where(found) == [("better", {}, "at", ("bootstrap", "5-fold"))]
    gap = varied(".+.?++", B2, N)  # a combination of two factors lacks tests
    assert gap is not None
    (course,) = gap.courses
    assert (course.n_better, course.stretches) == (3, ())


def varied(verdicts: str, *factors: Factor) -> Changes | None:
    """Return what changes, of one pair: + better, - worse, . undecided, ? without tests."""
    settings: list[dict[str, Any]] = [{}]
    for factor in factors:
        settings = [own | {factor.name: level} for own in settings for level in factor.levels]
    rows = tuple(row(str(i), levels) for i, levels in enumerate(settings))
    better: dict[str, list[str]] = {"+": ["ab"], "-": ["ba"], ".": []}
    by_setting = {
        r.dataset: verdict("ab", better[v]).verdict.pairs[0]
        for r, v in zip(rows, verdicts, strict=True)
        if v in better
    }
    pair = PairChange("a", "b", by_setting)
    return changes_of(Sensitivity("d", tuple(factors), ("a", "b"), rows, (), (pair,), (), (), 0.05))


def where(found: Changes | None) -> list[Any]:
    assert found is not None
    (course,) = found.courses
    return [(s.verdict, dict(s.given), s.form, s.levels) for s in course.stretches]


@pytest.mark.parametrize(
    ("verdicts", "form", "levels"),
    [
        (".++", "from", (0.1, 0.2)),
        ("++.", "up-to", (0.0, 0.1)),
        (".+.", "at", (0.1,)),
        ("+.+", "at", (0.0, 0.2)),
        ("..+", "at", (0.2,)),
    ],
)
def test_one_factor(verdicts: str, form: str, levels: tuple[float, ...]) -> None:
    assert where(varied(verdicts, B2)) == [("better", {}, form, levels)]


def test_a_pair_is_turned_to_whom_is_better_more_often() -> None:
    found = varied("-.-", B2)
    assert found is not None
    (course,) = found.courses
    assert (course.first, course.second) == ("b", "a")
    assert (course.n_better, course.n_worse, course.n_undecided) == (2, 0, 1)
    assert course.stretches == (PairBySetting("better", {}, "b2", "at", (0.0, 0.2)),)


def test_two_factors() -> None:
    found = where(varied("...+++", B2, N))
    assert found == [
        ("better", {"n": 50}, "at", (0.2,)),
        ("better", {"n": 150}, "from", (0.1, 0.2)),
    ]
    assert where(varied("..++++", B2, N)) == [("better", {}, "from", (0.1, 0.2))]
    assert where(varied("+.+.+.", B2, N)) == [("better", {"n": 50}, "everywhere", (0.0, 0.1, 0.2))]


def test_either_is_better_somewhere() -> None:
    found = varied("-.+", B2)
    assert found is not None
    assert found.n_reversed == 1
    assert where(found) == [("better", {}, "at", (0.2,)), ("worse", {}, "at", (0.0,))]
    assert found.recommended == ()


def test_levels_without_an_order_are_named() -> None:
    assert where(varied("+.+.", WAYS)) == [("better", {}, "at", ("bootstrap", "5-fold"))]


def test_who_is_never_beaten_is_recommended() -> None:
    found = varied(".++", B2)
    assert found is not None
    assert found.recommended == ("a",)


def test_it_is_counted_in_how_many_settings_nobody_is_better() -> None:
    found = varied("-.+++?", B2, N)
    assert found is not None
    assert (found.unbeaten, found.n_counted) == ({"a": 4, "b": 2}, 5)
    assert list(found.unbeaten) == ["a", "b"]


def test_nothing_changes() -> None:
    always, never = varied("+++", B2), varied("...", B2)
    assert always is not None
    assert never is not None
    assert (always.n_always, always.courses, always.recommended) == (1, (), ("a",))
    assert (never.n_never, never.courses, never.recommended) == (1, (), ())


def changes(*always: tuple[str, str], **more: Any) -> Changes:
    """Return what changes where pairs are decided alike in all settings."""
    found = varied("+++", B2)
    assert found is not None
    n = len(always)
    return replace(found, n_pairs=n + more.get("n_never", 0), n_always=n, always=always, **more)


HERE = ", in this experiment."


@pytest.mark.parametrize(
    ("always", "expected"),
    [
        ("ab", f"a is significantly better than b in all three settings{HERE}"),
        ("ac bc", f"c is significantly worse than a and b in all three settings{HERE}"),
        ("ab ac", f"a is significantly better than b and c in all three settings{HERE}"),
        (
            "ac ad bc bd",
            f"a and b are significantly better than c and d in all three settings{HERE}",
        ),
        (
            "ab cd",
            "a is significantly better than b and c is significantly better than d in all three",
        ),
        ("ab bc ac", f"All three pairs have the same verdict in all three settings{HERE}"),
    ],
)
def test_who_is_better_everywhere_is_named(always: str, expected: str) -> None:
    pairs = tuple((first, second) for first, second in always.split())
    assert told_of(changes(*pairs)).startswith(expected)


def test_some_decided_alike_and_the_others_never() -> None:
    text = told_of(changes(("a", "b"), n_never=2))
    assert text.startswith(
        "a is significantly better than b in all three settings, in this experiment. "
        "Two differences are"
    )


def test_pairs_decided_alike_are_read_from_the_section() -> None:
    found = varied("---", B2)
    assert found is not None
    assert found.always == (("b", "a"),)
    assert found.sides == (("b",), ("a",))


def test_a_reversed_pair_is_told_once() -> None:
    found = varied("-.+", B2)
    assert found is not None
    text = told_of(found)
    assert "b2 = 0.2, and worse at b2 = 0; elsewhere the difference is not significant." in text
    assert "reversed" not in text
    course = found.courses[0]
    assert "Three pairs are reversed." in told_of(replace(found, courses=(course,) * 3))


def test_settings_without_tests_are_not_elsewhere() -> None:
    found = varied("+..?", WAYS)
    assert found is not None
    found = replace(found, n_tested=3)
    text = told_of(found)
    assert text.startswith("The decision changes with the setting, in this experiment.")
    assert (
        "with bootstrap; in the other settings with tests the difference is not significant."
        in text
    )
    one = varied("++.?", WAYS)
    assert one is not None
    told = told_of(replace(one, n_tested=3))
    assert "; in the other setting with tests the difference is not significant." in told
    again = told_of(replace(found, courses=found.courses * 2))
    assert "with bootstrap, with no significant difference in the other two." in again


def test_ways_to_draw_samples_are_compared_with_the_first() -> None:
    found = varied("+..?", WAYS)
    assert found is not None
    first = SchemeEffect("subsampling", "bootstrap", -0.01, {}, 1.25, 1.0, 1, 1, 0)
    second = replace(first, scheme="5-fold", difference=0.002, sd_ratio=2.0)
    typical = (0.2, 0.3)
    measure = Measure("misclassification", unit_symbol="share")
    text = told_of(replace(found, schemes=(first, second), typical=typical, measure=measure))
    assert (
        "Against bootstrap the mean misclassification error, averaged over the candidates, is "
        "1.00 points lower with subsampling and 0.20 points higher with 5-fold, and replications "
        "spread 1.25 and 2.00 times as much."
    ) in text
    level = replace(first, difference=0.0, sd_ratio=None)
    text = told_of(replace(found, schemes=(level,), typical=typical, measure=measure))
    assert "is the same with subsampling." in text


def test_folds_are_named_where_other_samples_are_no_folds() -> None:
    found = changes(("a", "b"))
    caveats = Caveats(is_dependent=True)
    assert "The folds share observations, so the tests are too liberal." in told_of(found, caveats)
    caveats = replace(caveats, dependent=("5-fold", "10-fold"))
    expected = "The folds of 5-fold and 10-fold share observations, so the tests there are too"
    assert expected in told_of(found, caveats)


def test_what_the_way_to_draw_samples_does_is_concluded() -> None:
    report = analysed(design(SCHEMES, n_blocks=(12, 12, 1), sd=0.015), ("sensitivity", "inference"))
    found = report.conclusion
    assert found is not None
    assert found.changes is not None
    assert found.caveats.is_dependent
    assert found.caveats.dependent == ("5 × 10-fold",)
    (effect,) = found.changes.schemes  # hold-out has no tests
    means = [np.mean(means) for _, means in SCHEMES]
    assert effect.difference == pytest.approx(means[1] - means[0], abs=0.01)
    by_folds = analysed(design([SCHEMES[1], OTHER_FOLDS]), ("sensitivity", "inference"))
    assert by_folds.conclusion is not None
    assert by_folds.conclusion.caveats.is_dependent
    assert by_folds.conclusion.caveats.dependent == ()


def told_of(found: Changes, caveats: Caveats | None = None) -> str:
    """Return the abstract of what changes, in one line."""
    advice = Recommendation("settings", "experiment", recommended=found.recommended)
    conclusion = Conclusion("settings", advice, caveats=caveats or Caveats(), changes=found)
    return " ".join(told(replace(case("settings"), conclusion=conclusion)).splitlines())


def test_fewer_than_two_tested_settings_say_nothing() -> None:
    assert varied("+", Factor("n", (50,))) is None
