"""Battles in the files of those who collect them: who won, who was shown first, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results
from reportgen.warehouse import Warehouse

ARENA = pd.DataFrame(
    {
        "model_a": ["lda", "svm", "lda", "rf", "rf"],
        "model_b": ["svm", "lda", "rf", "svm", "lda"],
        "winner": ["model_a", "model_a", "tie", "tie (bothbad)", "model_b"],
    }
)
GAINS = [("lda", 1.0), ("lda", 0.0), ("lda", 0.5), ("rf", 0.5), ("lda", 1.0)]
"""A candidate of each battle, and what it gives that one."""


def gains(warehouse: Warehouse) -> list[dict[str, float]]:
    """Return by battle what it gives its two candidates."""
    frame = warehouse.frame.astype({"candidate": object})
    return [
        dict(zip(own["candidate"], own["value"], strict=True))
        for _, own in frame.groupby("replication")
    ]


def read(frame: pd.DataFrame, **options: Any) -> Warehouse:
    return read_results(object_table(frame, name="arena", **options), **options)


def assert_arena(warehouse: Warehouse) -> None:
    assert warehouse.unit.name == "comparison"
    found = gains(warehouse)
    assert [own[name] for own, (name, _) in zip(found, GAINS, strict=True)] == [g for _, g in GAINS]
    assert all(len(own) == 2 and sum(own.values()) == 1 for own in found)


def test_words_of_the_arena() -> None:
    warehouse = read(ARENA)
    assert_arena(warehouse)
    known = warehouse.characteristics
    assert known["first"].tolist() == ARENA["model_a"].tolist()
    assert known["both bad"].tolist() == [0, 0, 0, 1, 0]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json", ".jsonl"])
def test_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"arena{suffix}"
    if suffix == ".csv":
        ARENA.to_csv(path, index=False)
    elif suffix == ".parquet":
        ARENA.to_parquet(path)
    else:
        ARENA.to_json(path, orient="records", lines=suffix == ".jsonl")
    assert_arena(read_results(path))


def test_other_names_and_words() -> None:
    named = ARENA.assign(winner=["lda", "svm", "Tie", "both_bad", "lda"])
    assert_arena(read(named))
    sides = named.set_axis(["left", "right", "winner"], axis=1)
    assert_arena(read(sides.assign(winner=["left", "left", "draw", "neither", "right"])))
    short = named.set_axis(["a", "b", "preference"], axis=1)
    assert_arena(read(short.assign(preference=["a", "A", "equal", "Both bad", "b"])))


def test_one_hot_columns_of_kaggle() -> None:
    flags = {
        "winner_model_a": [1, 1, 0, 0, 0],
        "winner_model_b": [0, 0, 0, 0, 1],
        "winner_tie": [0, 0, 1, 1, 0],
    }
    assert_arena(read(ARENA.drop(columns="winner").assign(**flags)))
    wrong = ARENA.drop(columns="winner").assign(**flags | {"winner_tie": [0, 1, 1, 1, 0]})
    with pytest.raises(ExchangeError, match="row 1: found 1, 0, 1; allowed one 1 and two 0"):
        read(wrong)


def test_preferences_of_alpaca_eval() -> None:
    """1 is the first, 2 the second; weighted preferences are the nearer one's."""
    frame = pd.DataFrame(
        {
            "instruction": ["x" * 200, "y" * 200, "z", "v", "w"],
            "generator_1": ARENA["model_a"],
            "generator_2": ARENA["model_b"],
            "preference": [1.0, 1.2, 1.5, 0.0, 2.0],
        }
    )
    warehouse = read(frame)
    assert_arena(warehouse)
    assert warehouse.characteristics["prompt"].tolist() == ["1", "2", "3", "4", "5"]


def test_games_of_mt_bench_are_two_battles() -> None:
    """In the second game the other one is shown first; an error is no game."""
    frame = pd.DataFrame(
        {
            "question_id": [81, 82],
            "model_1": ["lda", "lda"],
            "model_2": ["svm", "rf"],
            "g1_winner": ["model_1", "error"],
            "g2_winner": ["tie", "model_2"],
            "judge": ["gpt-4", "gpt-4"],
        }
    )
    warehouse = read(frame)
    assert gains(warehouse) == [
        {"lda": 1.0, "svm": 0.0},
        {"lda": 0.5, "svm": 0.5},
        {"lda": 0.0, "rf": 1.0},
    ]
    assert warehouse.characteristics["first"].tolist() == ["lda", "svm", "rf"]


def test_battles_of_a_judge_are_a_cluster() -> None:
    """Where judges repeat, and are enough; else prompts; else no two belong together."""
    many = pd.concat([ARENA] * 4, ignore_index=True)
    judged = many.assign(judge=[f"u{i % 10}" for i in range(20)])
    warehouse = read(judged)
    assert warehouse.facts["arena"]["cluster"] == "judge"
    clusters = warehouse.performances("arena", "elo").clusters
    assert clusters is not None
    assert np.bincount(clusters).tolist() == [2] * 10
    prompts = many.assign(judge="gpt-4", question_id=[i // 2 for i in range(20)])
    assert read(prompts).facts["arena"]["cluster"] == "prompt"
    assert "cluster" not in read(many.assign(judge=range(20))).facts["arena"]


def test_a_square_of_wins() -> None:
    wins = pd.DataFrame(
        {"lda": [np.nan, 1, 2], "svm": [3, np.nan, 0], "rf": [0, 2, np.nan]},
        index=["lda", "svm", "rf"],
    )
    warehouse = read(wins, unit="comparison")
    assert len(warehouse.frame) == 2 * 8
    won = [next(k for k, x in own.items() if x == 1.0) for own in gains(warehouse)]
    assert sorted(won) == ["lda"] * 3 + ["rf"] * 2 + ["svm"] * 3
    assert "first" not in warehouse.characteristics
    with pytest.raises(ExchangeError, match=r"2\.5; allowed how often"):
        read(wins.replace(2, 2.5), unit="comparison")


def test_a_square_of_wins_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "wins.csv").write_text("model,lda,svm\nlda,,3\nsvm,1,\n")
    warehouse = read_results(tmp_path / "wins.csv", unit="comparison")
    assert len(warehouse.frame) == 2 * 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"winner": ["model_a", "model_c", "tie", "tie", "tie"]},
            "row 1, column winner: found 'model_c'; allowed model_a",
        ),
        ({"model_b": ["svm", "lda", "lda", "svm", "lda"]}, "row 2: found 'lda' against itself"),
        ({"winner": ["", None, "error", "", ""]}, "no battle with a winner"),
        ({"winner": [1, 0, 0, 0, 1]}, "allowed 1 and 2"),
        (
            {"model_a": ["a", "b", "a", "c", "d"], "model_b": ["b", "a", "b", "d", "c"]},
            "2 groups of models that never met: a, b; c, d",
        ),
    ],
    ids=["word", "itself", "none", "flags", "groups"],
)  # fmt: skip
def test_what_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ExchangeError, match=words):
        read(ARENA.assign(**change))


def test_without_a_winner_is_left_out() -> None:
    warehouse = read(ARENA.assign(winner=["model_a", None, "tie", "tie", "model_b"]))
    assert len(gains(warehouse)) == 4
    told = dict(zip(warehouse.remarks["name"], warehouse.remarks["value"], strict=True))
    assert told["battles-lost"] == "1"
