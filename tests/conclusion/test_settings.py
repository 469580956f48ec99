"""Where a pair is decided, in the fewest words."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.conclusion.settings import Changes, Stretch, changes_of
from reportgen.sections.sensitivity.result import Factor, PairChange, Sensitivity, SettingRow

B2, N = Factor("b2", (0.0, 0.1, 0.2)), Factor("n", (50, 150))
WAYS = Factor("resampling", ("bootstrap", "subsampling", "5-fold", "hold-out"))


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
        1,
        1,
        None,
        False,
    )


def test_settings_without_tests_are_left_out() -> None:
    found = varied("+.+?", WAYS)
    assert where(found) == [("better", {}, "at", ("bootstrap", "5-fold"))]
    gap = varied(".+.?++", B2, N)  # a combination of two factors lacks tests
    assert gap is not None
    (course,) = gap.courses
    assert (course.n_better, course.stretches) == (3, ())


def varied(verdicts: str, *factors: Factor, names: tuple[str, str] = ("a", "b")) -> Changes | None:
    """Return what changes, of one pair: + better, - worse, . undecided, ? without tests."""
    settings: list[dict[str, Any]] = [{}]
    for factor in factors:
        settings = [own | {factor.name: level} for own in settings for level in factor.levels]
    rows = tuple(row(str(i), levels) for i, levels in enumerate(settings))
    said = {"+": "better", "-": "worse", ".": "undecided"}
    pairs = zip(rows, verdicts, strict=True)
    by_setting = {r.dataset: said[v] for r, v in pairs if v in said}
    met = {*by_setting.values()}
    change = "reversed" if {"better", "worse"} <= met else "partly"
    if len(met) == 1:
        change = "never" if "undecided" in met else "always"
    pair = PairChange(*names, by_setting, {}, change, False)  # type: ignore[arg-type]
    return changes_of(Sensitivity("d", tuple(factors), names, rows, (), (pair,), (), (), 0.05))


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
    assert course.stretches == (Stretch("better", {}, "b2", "at", (0.0, 0.2)),)


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


def test_nothing_changes() -> None:
    always, never = varied("+++", B2), varied("...", B2)
    assert always is not None
    assert never is not None
    assert (always.n_always, always.courses, always.recommended) == (1, (), ("a",))
    assert (never.n_never, never.courses, never.recommended) == (1, (), ())


def test_fewer_than_two_tested_settings_say_nothing() -> None:
    assert varied("+", Factor("n", (50,))) is None
