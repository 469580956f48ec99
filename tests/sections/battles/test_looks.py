"""Planned looks: which battles decide, at which level, and what a report says of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ReportgenError
from reportgen.study.looks import LEAST, Looks
from tests.sections.battles.test_battles import battles_of, words_of

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

LOOKS = [300, 600, 900, 1200]
EXACT = 1e-9  # sums in another order


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return battles_of(1000)


@pytest.mark.parametrize("rule", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("planned", [(500, 1000, 1500, 2000), (1, 1000), (7,), (10, 11, 12)])
def test_levels_add_up_to_that_of_the_study(rule: str, planned: tuple[int, ...]) -> None:
    for alpha in (0.05, 0.01, 0.1):
        levels = Looks(planned, planned[-1], rule).levels(alpha)
        assert len(levels) == len(planned)
        assert min(levels) >= LEAST
        assert 0.97 * alpha <= sum(levels) <= alpha + LEAST  # two digits of each are rounded down


def test_the_look_at_hand_decides_at_its_level_on_its_battles(frame: pd.DataFrame) -> None:
    study = reportgen.battles(frame, looks=LOOKS)
    level = Looks(tuple(LOOKS), 1000).levels(0.05)[2]
    alone = reportgen.battles(frame[:900], alpha=level)
    pd.testing.assert_frame_equal(study.pairs(), alone.pairs())
    found = study.result("battles")
    assert (found.look, found.n, found.n_after) == (3, 900, 100)
    assert found.alpha == level
    assert found.overall_alpha == 0.05
    assert found.following.n == 1200
    assert [own.is_done for own in found.looks] == [True, True, True, False]


@pytest.mark.slow
def test_earlier_looks_are_those_of_studies_of_their_time(frame: pd.DataFrame) -> None:
    found = reportgen.battles(frame, looks=LOOKS).result("battles")
    for own in found.looks[:3]:
        alone = reportgen.battles(frame[: own.n], alpha=own.level)
        then = alone.result("battles")
        assert own.first == then.first.candidate
        assert set(own.tied) == set(then.tied)
        assert own.n_decided == alone.pairs()["significant"].sum()
        assert own.n_pairs == 6


def test_battles_are_taken_in_the_order_of_their_times(frame: pd.DataFrame) -> None:
    n = len(frame)
    order = np.random.default_rng(1).permutation(n)
    hours = pd.date_range("2026-01-01", periods=n, freq="h").strftime("%Y-%m-%dT%H:%M")
    expected = reportgen.battles(frame, looks=LOOKS).pairs()
    for times in (hours, np.arange(n) * 60.0):
        mixed = frame.assign(tstamp=times).iloc[order]
        found = reportgen.battles(mixed, looks=LOOKS).pairs().set_index(["first", "second"])
        for (a, b), row in expected.set_index(["first", "second"]).iterrows():
            is_turned = (a, b) not in found.index
            own = -found.loc[(b, a), "estimate"] if is_turned else found.loc[(a, b), "estimate"]
            assert own == pytest.approx(row["estimate"], abs=1e-6)  # judges in another order


def test_a_look_before_all_models_have_met_has_no_verdict() -> None:
    rows = [("ada", "bea", "ada"), ("bea", "ada", "tie")] * 20
    rows += [("bea", "cyd", "bea"), ("cyd", "bea", "tie")] * 20
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    found = reportgen.battles(frame, looks=[40, 80]).result("battles")
    assert [own.first for own in found.looks] == ["", "ada"]
    assert not found.looks[0].establishes


@pytest.mark.slow
def test_the_report_says_which_look_it_is(frame: pd.DataFrame, tmp_path: Path) -> None:
    text = words_of(reportgen.battles(frame, looks=LOOKS), tmp_path / "open")
    assert "This is look 3 of 4 that were planned, at 900 of 1,200 battles." in text
    assert "Looks. This is look 3 of 4, at 900 of 1,200 battles planned; who is first" in text
    assert "It decides at 1.6%" in text
    assert "The 100 battles after it are left out until the next one." in text
    assert "the next look is at 1,200 battles." in text
    found = json.loads((tmp_path / "open" / "results.json").read_text())
    assert [own["n"] for own in next(iter(found["sections"]["battles"].values()))["looks"]] == LOOKS
    plain = words_of(reportgen.battles(frame), tmp_path / "plain")
    assert "planned" not in plain


@pytest.mark.slow
def test_the_level_of_all_looks_is_promised_as_far_as_it_was_simulated(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    text = words_of(reportgen.battles(frame, looks=LOOKS), tmp_path / "judges")
    assert "with a probability of about 5%." in text
    alone = words_of(reportgen.battles(frame.drop(columns="judge"), looks=LOOKS), tmp_path / "none")
    assert "with a probability of at most 5%." in alone


@pytest.mark.slow
def test_a_first_that_is_ahead_is_established(tmp_path: Path) -> None:
    frame = battles_of(1000)
    kept = frame[~((frame["model_a"] == "bea") | (frame["model_b"] == "bea"))]
    n = len(kept)
    study = reportgen.battles(kept, looks=[n * 3 // 4, n - 5, n + 50])
    found = study.result("battles")
    assert found.established_at == 1
    assert found.looks[1].establishes
    text = words_of(study, tmp_path)
    assert "is established as the first, and was at look 1 already: no further look" in text
    last = words_of(reportgen.battles(kept, looks=[n - 1, n]), tmp_path / "last")
    assert "no further look" not in last


@pytest.mark.parametrize(
    ("looks", "told"),
    [
        ([600, 300], "found 600, 300; allowed numbers of battles that ascend"),
        ([2000], "found 1,000 battles; allowed those of the first look, 2,000, or more"),
        ("often", "found 'often'; allowed a list"),
        ([], "allowed at least one entry"),
        ([0, 5], "allowed a number from 1"),
        ({"at": [5], "rule": "haybittle"}, "allowed obrien-fleming, pocock"),
    ],
)
def test_what_is_no_plan_is_answered(frame: pd.DataFrame, looks: object, told: str) -> None:
    with pytest.raises(ReportgenError, match=told.replace("(", r"\(")):
        reportgen.battles(frame, looks=looks)


def test_what_has_no_order_has_no_looks() -> None:
    wins = pd.DataFrame([[0, 9], [4, 0]], index=["ada", "bea"], columns=["ada", "bea"])
    with pytest.raises(ReportgenError, match="looks at a table of wins, which has no order"):
        reportgen.battles(wins, looks=[5])
    scores = pd.DataFrame({"candidate": ["a", "b"] * 9, "replication": np.repeat(range(9), 2),
                           "loss": np.linspace(0.1, 1, 18)})  # fmt: skip
    with pytest.raises(ReportgenError, match="looks at what are no battles"):
        reportgen.compare(scores, looks=[5], better="smaller")
