"""Small published data: their published counts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from reportgen.catalogue.datasets.bundled import DISTANCE, LINES, SPEED, cars, tic_tac_toe, titanic

GOLDEN = Path(__file__).parents[2] / "golden" / "regression.json"


def test_tic_tac_toe_has_the_published_counts() -> None:
    inputs, target = tic_tac_toe()
    assert inputs.shape == (958, 9)
    assert target.value_counts().to_dict() == {"positive": 626, "negative": 332}
    assert not inputs.duplicated().any()


def test_tic_tac_toe_holds_ends_of_games_that_x_began() -> None:
    inputs, target = tic_tac_toe()
    boards = inputs.to_numpy(dtype=str)
    n_x, n_o = ((boards == mark).sum(axis=1) for mark in "xo")
    assert set((n_x - n_o).tolist()) <= {0, 1}
    won = {
        mark: np.any([(boards[:, list(line)] == mark).all(axis=1) for line in LINES], axis=0)
        for mark in "xo"
    }
    assert not (won["x"] & won["o"]).any()
    assert (won["x"] | won["o"] | (n_x + n_o == 9)).all()
    assert np.array_equal(won["x"], target == "positive")
    assert (~won["x"] & ~won["o"]).sum() == 16  # draws


def test_titanic_has_the_published_margins() -> None:
    inputs, survived = titanic()
    assert len(inputs) == 2201
    assert survived.value_counts().to_dict() == {"no": 1490, "yes": 711}
    assert inputs["class"].value_counts().to_dict() == {
        "crew": 885, "third": 706, "first": 325, "second": 285,
    }  # fmt: skip
    assert inputs["sex"].value_counts().to_dict() == {"male": 1731, "female": 470}
    assert inputs["age"].value_counts().to_dict() == {"adult": 2092, "child": 109}
    women = survived[(inputs["sex"] == "female") & (inputs["class"] == "first")]
    assert (women == "yes").sum() == 141


def test_cars_are_those_of_r_and_a_modern_one() -> None:
    golden = json.loads(GOLDEN.read_text())
    inputs, distance = cars()
    assert inputs["speed"].tolist() == golden["speed"]
    assert distance.tolist() == golden["dist"]
    assert (inputs["speed"].iloc[-1], distance.iloc[-1]) == (30.0, 8.0)
    assert len(SPEED) == len(DISTANCE) == 50
