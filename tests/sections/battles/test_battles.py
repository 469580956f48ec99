"""The section's numbers against counts of the battles; its words against its numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.drawing import TEXT_WIDTH, Sheet
from reportgen.drawing.style import house_settings
from reportgen.sections.battles.analysis import BattlesResult
from reportgen.sections.battles.figures import _draw_wins as draw_wins
from tests.schemas import validator_of

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = np.array(["ada", "bea", "cyd", "dot"])
WORTHS = np.array([1.0, 0.9, 0.0, -1.0])
EXACT = 1e-9  # sums in another order


def words_of(study: BenchmarkStudy, folder: Path) -> str:
    """Return the report and its supplement as text."""
    study.report(folder, formats="html")
    page = (folder / "report.html").read_text()
    text = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", "", page, flags=re.DOTALL)
    return " ".join(text.split())


def battles_of(n: int = 600, order: float = 0.0, seed: int = 46) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    both = np.array([rng.choice(4, 2, replace=False) for _ in range(n)])
    d = WORTHS[both[:, 0]] - WORTHS[both[:, 1]] + order
    odds = np.exp(np.column_stack([d / 2, np.full(n, -0.5), -d / 2]))
    at = (rng.random(n)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
    return pd.DataFrame(
        {
            "model_a": NAMES[both[:, 0]],
            "model_b": NAMES[both[:, 1]],
            "winner": np.array(["model_a", "tie", "model_b"])[at],
            "judge": [f"u{i}" for i in rng.integers(0, 150, n)],
        }
    )


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return battles_of()


@pytest.fixture(scope="module")
def study(frame: pd.DataFrame) -> BenchmarkStudy:
    return reportgen.compare(frame, name="arena")


@pytest.fixture(scope="module")
def result(study: BenchmarkStudy) -> BattlesResult:
    found: BattlesResult = study.result("battles")
    return found


def test_counts_are_those_of_the_battles(frame: pd.DataFrame, result: BattlesResult) -> None:
    assert result.n == len(frame)
    assert result.n_ties == (frame["winner"] == "tie").sum()
    assert result.n_clusters == frame["judge"].nunique()
    for own in result.contenders:
        is_a, is_b = frame["model_a"] == own.candidate, frame["model_b"] == own.candidate
        won = (is_a & (frame["winner"] == "model_a")) | (is_b & (frame["winner"] == "model_b"))
        assert own.n == (is_a | is_b).sum()
        assert own.wins == won.sum()
        assert own.wins + own.ties + own.losses == own.n
    assert sum(m.n for m in result.meetings) == len(frame)


def test_who_is_tied_with_the_first_follows_from_the_pairs(
    study: BenchmarkStudy, result: BattlesResult
) -> None:
    first = result.first.candidate
    pairs = study.pairs().set_index(["first", "second"])["decision"]
    for own in result.contenders[1:]:
        place = (first, own.candidate)
        turned = place[::-1]
        is_decided = pairs[place] == "better" if place in pairs else pairs[turned] == "worse"
        assert own.is_tied_with_first == (not is_decided)
    assert {first, *result.tied} == {"ada", "bea"}
    assert [c.candidate for c in result.contenders[2:]] == ["cyd", "dot"]


def test_scores_solve_the_likelihood(result: BattlesResult) -> None:
    """At the maximum, expected wins of each, ties counted half, are those observed."""
    expected = dict.fromkeys(NAMES.tolist(), 0.0)
    for m in result.meetings:
        expected[m.first] += m.n * m.expected
        expected[m.second] += m.n * (1 - m.expected)
    for own in result.contenders:
        assert expected[own.candidate] == pytest.approx(own.wins + own.ties / 2, abs=1e-6)
    assert abs(sum(c.points for c in result.contenders)) < EXACT


def test_claims_are_decided_by_the_worths(frame: pd.DataFrame) -> None:
    study = reportgen.compare(frame)
    claims = ("ada better than dot", "ada better than bea", "dot better than ada")
    assert [test.outcome for test in study.check(*claims)] == ["holds", "undecided", "fails"]


def test_an_effect_of_the_order_is_told(tmp_path: Path, frame: pd.DataFrame) -> None:
    plain, biased = (tmp_path / name for name in ("plain", "biased"))
    study = reportgen.compare(frame)
    assert not study.result("battles").has_order_effect
    said = words_of(study, plain)
    assert "preferred more often" not in said
    assert "More: win rates of all pairs, effect of the order" in said
    study = reportgen.compare(battles_of(order=0.8))
    assert study.result("battles").has_order_effect
    said = words_of(study, biased)
    assert "The one shown first is preferred more often" in said
    assert "More: win rates of all pairs, whether worths explain them" in said


def test_the_report_says_who_is_tied_with_the_first(study: BenchmarkStudy, tmp_path: Path) -> None:
    text = words_of(study, tmp_path)
    assert "Tied with it, without a significant difference, is" in text
    assert "for battles like these" in text
    assert "replication" not in text.partition("References")[0]
    study.report(tmp_path, formats="md")
    lines = (tmp_path / "report.md").read_text().splitlines()
    assert [line.split(" | ")[-1] for line in lines if line.startswith(("| ada |", "| cyd |"))] == [
        "first |",
        "no |",
    ]


def test_results_fit_the_schema(study: BenchmarkStudy, tmp_path: Path) -> None:
    study.report(tmp_path, formats="json")
    validator_of().validate(json.loads((tmp_path / "results.json").read_text("utf-8")))


def test_one_that_always_loses_is_told(tmp_path: Path) -> None:
    frame = battles_of(200)
    is_dot = (frame["model_a"] == "dot") | (frame["model_b"] == "dot")
    loses = np.where(frame["model_a"] == "dot", "model_b", "model_a")
    frame["winner"] = frame["winner"].where(~is_dot, loses)
    study = reportgen.compare(frame)
    assert study.result("battles").is_penalised
    assert "no finite estimate" in words_of(study, tmp_path)


def test_two_models(frame: pd.DataFrame, tmp_path: Path) -> None:
    own = frame[frame["model_a"].isin(["ada", "dot"]) & frame["model_b"].isin(["ada", "dot"])]
    study = reportgen.compare(own)
    result = study.result("battles")
    assert result.tied == ()
    assert "ada has a larger Elo score than dot" in words_of(study, tmp_path)


def styled_battles(n: int = 1500, seed: int = 46) -> pd.DataFrame:
    """Make battles up in which length wins, and maths turns the order."""
    rng = np.random.default_rng(seed)
    both = np.array([rng.choice(4, 2, replace=False) for _ in range(n)])
    long = rng.lognormal(5, 0.5, (n, 2)).round()
    topic = rng.choice(["chat", "code", "maths"], n)
    worths = np.where(topic[:, None] == "maths", -WORTHS, WORTHS)
    at = np.arange(n)
    d = worths[at, both[:, 0]] - worths[at, both[:, 1]]
    d = d + 1.5 * (long[:, 0] - long[:, 1]) / long.sum(axis=1)
    odds = np.exp(np.column_stack([d / 2, np.full(n, -0.5), -d / 2]))
    which = (rng.random(n)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
    return pd.DataFrame(
        {
            "model_a": NAMES[both[:, 0]],
            "model_b": NAMES[both[:, 1]],
            "winner": np.array(["model_a", "tie", "model_b"])[which],
            "category": topic,
            "language": rng.choice(["de", "en"], n),
            "conv.sum_assistant_a_tokens": long[:, 0],
            "conv.sum_assistant_b_tokens": long[:, 1],
        }
    )


@pytest.fixture(scope="module")
def styled() -> BenchmarkStudy:
    return reportgen.battles(styled_battles(), name="arena")


def test_groups_style_and_ties_are_those_of_the_battles(styled: BenchmarkStudy) -> None:
    found: BattlesResult = styled.result("battles")
    frame = styled_battles()
    assert found.dividing is not None
    assert found.dividing.covariate == "category"
    assert {g.levels: g.n for g in found.leaves} == {
        g.levels: int(frame["category"].isin(g.levels).sum()) for g in found.leaves
    }
    assert found.changes_first
    by_levels = {frozenset(g.levels): g for g in found.leaves}
    maths = by_levels[frozenset({"maths"})]
    assert maths.points["dot"] > 0 > maths.points["ada"]
    assert found.styled is not None
    (effect,) = found.styled.effects
    assert effect.name == "tokens"
    assert effect.p_value < 1e-6
    assert found.other_ties is not None
    assert 0 < found.most_apart < 30
    leaves = sum(g.n for g in found.leaves)
    assert leaves == found.n == len(frame)


def test_a_turned_battle_has_the_style_of_the_one_shown_first(styled: BenchmarkStudy) -> None:
    """Both sides exchanged: the same battles, and the same effect of style."""
    own = styled_battles()
    turned = own.rename(
        columns={
            "model_a": "model_b",
            "model_b": "model_a",
            "conv.sum_assistant_a_tokens": "conv.sum_assistant_b_tokens",
            "conv.sum_assistant_b_tokens": "conv.sum_assistant_a_tokens",
        }
    )
    turned["winner"] = own["winner"].map({"model_a": "model_b", "model_b": "model_a", "tie": "tie"})
    again: BattlesResult = reportgen.battles(turned).result("battles")
    first: BattlesResult = styled.result("battles")
    assert again.styled is not None
    assert first.styled is not None
    assert again.styled.effects[0].points == pytest.approx(first.styled.effects[0].points)
    assert again.styled.points == pytest.approx(first.styled.points)


def test_words_of_groups_and_style(styled: BenchmarkStudy, tmp_path: Path) -> None:
    found: BattlesResult = styled.result("battles")
    text = words_of(styled, tmp_path)
    assert "The scores depend on the category" in text
    assert "the first is another one in some groups" in text
    effect = found.styled.effects[0]  # type: ignore[union-attr]
    assert f"One standard deviation more of tokens is worth {effect.points:.0f} points" in text
    assert "By Rao and Kupper’s law of ties" in text
    for a in found.asks[:1]:
        assert f"between {a.first} and {a.second}" in text


def test_without_anything_known_there_are_no_groups(result: BattlesResult) -> None:
    assert result.groups == ()
    assert result.styled is None


def test_battles_of_columns_with_other_names() -> None:
    own = battles_of().rename(
        columns={"model_a": "l", "model_b": "r", "winner": "w", "judge": "who"}
    )
    given = reportgen.battles(own, first="l", second="r", winner="w", cluster="who")
    assert given.pairs().equals(reportgen.compare(battles_of()).pairs())


def test_battles_of_wins() -> None:
    wins = pd.DataFrame([[0, 30], [10, 0]], index=["ada", "bea"], columns=["ada", "bea"])
    estimate = reportgen.battles(wins).pairs()["estimate"][0]
    assert estimate == pytest.approx(400 * np.log10(3))


def test_battles_without_such_a_column() -> None:
    with pytest.raises(reportgen.ReportgenError, match="no column 'left'"):
        reportgen.battles(battles_of(), first="left")
    with pytest.raises(reportgen.ReportgenError, match="allowed with a data frame"):
        reportgen.battles("battles.csv", first="left")


def test_battles_have_one_kind_of_p_value(study: BenchmarkStudy, tmp_path: Path) -> None:
    text = words_of(study, tmp_path)
    assert "p, ranks" not in text
    assert "p, means" not in text


@pytest.mark.parametrize(
    ("n", "about"), [(1_483_446, 1_500_000), (620, 620), (621, 630), (97, 97), (None, None)]
)
def test_no_more_battles_are_known_than_two_digits(
    result: BattlesResult, n: int | None, about: int | None
) -> None:
    assert replace(result, n_to_decide=n).about_to_decide == about


def test_the_key_tells_of_pairs_that_never_met_where_there_are_any() -> None:
    rows = [("ada", "bea", "ada"), ("bea", "ada", "tie")] * 20
    rows += [("bea", "cyd", "bea"), ("cyd", "bea", "tie")] * 20
    others = [("ada", "cyd", "ada"), ("cyd", "ada", "tie")] * 20
    for battles, is_told in ((rows, True), (rows + others, False)):
        frame = pd.DataFrame(battles, columns=["model_a", "model_b", "winner"])
        sheet = Sheet({}, TEXT_WIDTH)
        with house_settings():
            draw_wins(reportgen.battles(frame).result("battles"), sheet)
        told = [t.get_text() for t in sheet.drawing.findobj(Text)]
        assert any("never met" in text for text in told) == is_told
