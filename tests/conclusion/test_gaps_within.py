"""Gaps inside data sets that change no mean, and means that gaps alone make equal."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy

BETTER = {"accuracy": "larger", "rmse": "smaller", "error": "smaller"}


def compared(cells: np.ndarray, measure: str) -> BenchmarkStudy:
    """Return the study of values (M, B, K); NaN where there is none."""
    rows = [
        (f"d{m}", b + 1, "ABC"[k], x) for (m, b, k), x in np.ndenumerate(cells) if np.isfinite(x)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "candidate", measure])
    return reportgen.compare(frame, measures=[{"name": measure, "better": BETTER[measure]}])


@pytest.mark.slow
def test_gaps_that_do_not_change_the_mean_are_held_against_who_has_them() -> None:
    """The worst value where A lacks its own is as good as A's: filled means are its own."""
    rng = np.random.default_rng(3)
    cells = np.ones((8, 10, 3))
    cells[:, 6:, 1:] = rng.uniform(0.97, 0.99, (8, 4, 2))
    cells[:, :6, 0] = np.nan
    study = compared(cells, "accuracy")
    assert study.conclusion is not None
    assert not study.conclusion.recommendation.shown
    assert "undecided" in str(study.check("A better than B"))
    assert "on shared replications" in " ".join(str(study).split())
    complete = np.where(np.isnan(cells), 1.0, cells)
    complete[:, :, 0] = 1.0
    found = compared(complete, "accuracy").conclusion
    assert found is not None
    assert found.recommendation.shown


def test_means_that_gaps_make_equal_are_not_called_equal() -> None:
    """Of two candidates a gap counts the other's value and the largest difference seen."""
    rng = np.random.default_rng(1)
    easy = rng.uniform(0.1, 0.2, 7)
    cells = np.full((7, 2, 2), np.nan)
    cells[:, 0, 0], cells[:, 0, 1] = easy, easy + 0.02
    cells[:, 1, 1] = 0.6
    study = compared(cells, "error")
    assert study.conclusion is not None
    assert study.conclusion.state != "all-equal"
    assert "no ground to choose" not in str(study)


def test_who_is_ahead_everywhere_is_so_with_gaps_counted() -> None:
    cells = np.full((3, 2, 3), np.nan)
    cells[:2] = [[0.1, 0.3, 0.5], [0.12, 0.31, 0.52]]
    cells[2] = [[0.11, 0.13, 0.3], [np.nan, 0.5, 0.95]]
    study = compared(cells, "error")
    assert study.conclusion is not None
    assert study.conclusion.state != "ahead-everywhere"
    cells[2, 1, 0] = 0.2
    again = compared(cells, "error").conclusion
    assert again is not None
    assert again.state == "ahead-everywhere"


@pytest.mark.parametrize("n_replications", [1, 2])
def test_an_absent_candidate_where_nothing_is_tested_is_told(n_replications: int) -> None:
    rows = [("d", b + 1, name, 0.9 + b / 100 if name == "a" else np.nan)
            for b in range(n_replications) for name in "ab"]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "candidate", "accuracy"])
    assert "b has no value and is left out" in " ".join(str(reportgen.compare(frame)).split())


def test_missing_values_over_tasks_are_of_the_tasks_compared() -> None:
    rng = np.random.default_rng(2)
    rows = []
    for task in ("t1", "t2", "t3"):
        for item in range(30):
            for name in "ABC":
                if (task == "t3" and name != "A") or (name == "B" and item < 5):
                    continue
                rows.append((task, item, name, int(rng.random() < 0.7)))
    frame = pd.DataFrame(rows, columns=["dataset", "item", "candidate", "accuracy"])
    found = reportgen.compare(frame).conclusion
    assert found is not None
    assert (found.caveats.n_missing, found.caveats.n_values) == (10, 180)


@pytest.mark.slow
@pytest.mark.parametrize("is_apart", [False, True])
def test_on_which_data_sets_two_are_compared(*, is_apart: bool) -> None:
    """On the last one both have values, of other replications; or one of them has none at all."""
    rng = np.random.default_rng(2)
    cells = rng.uniform(0.1, 0.2, (8, 6, 1)) + np.array([0.0, 0.2, 0.4])
    cells[7, :3, 0] = np.nan
    cells[7, 3 if is_apart else 0 :, 1] = np.nan
    text = " ".join(str(compared(cells, "error")).split())
    words = "where both have replications in common" if is_apart else "that both have"
    assert f"on the 7 data sets {words}" in text


def sentence_on(study: BenchmarkStudy, words: str) -> str:
    """Return what follows some words in the abstract, up to the end of the sentence."""
    text = " ".join(str(study).split())
    return re.split(r"\.(?= [A-Z])", text[text.index(words) :])[0]


def of_pairs(values: np.ndarray) -> BenchmarkStudy:
    """Return the study of values (M, K) of data sets."""
    return compared(values[:, None, :], "error")


def test_who_is_behind_where_both_ran_has_a_negative_advantage() -> None:
    """A leads by B's gaps, and is behind where both ran, by less than is significant, or more."""
    rng = np.random.default_rng(4)
    level = rng.uniform(0.2, 0.4, 12)
    for noise, is_significant in ((0.004, False), (0.0001, True)):
        ahead = 0.002 + noise * rng.permutation(np.linspace(-1, 1, 8))
        values = level[:, None] + np.array([0, 0, 0.05]) + 0.002 * rng.normal(size=(12, 3))
        values[:8, 1] = values[:8, 0] - ahead
        values[8:, 1] = np.nan
        study = of_pairs(values)
        found = study.conclusion
        assert found is not None
        assert (found.state, found.recommendation.lead) == ("gaps", "A")
        assert "advantage is −0.20 percentage points on the 8 data sets" in sentence_on(
            study, "A’s"
        )
        said = sentence_on(study, "B makes fewer errors on the 8 data sets")
        assert "by 0.20 percentage points" in said
        assert ("(not significant)" in said) != is_significant


def test_what_taking_one_costs_says_whose_gaps_count() -> None:
    """A lacks what B has: A's loss has the gaps against it, and B's is that of the interval."""
    rng = np.random.default_rng(5)
    noise = 0.01 * rng.permutation(np.linspace(-1, 1, 20))[:, None] * [1, 0]
    rows = [
        ("d", b + 1, name, x)
        for b, own in enumerate(0.3 + np.array([0.002, 0]) + noise)
        for name, x in zip("AB", own, strict=True)
        if name == "B" or b < 14
    ]
    columns = ["dataset", "replication", "candidate", "misclassification"]
    study = reportgen.compare(pd.DataFrame(rows, columns=columns))
    table = study.pairs()
    assert table["adverse_first"][0] > table["upper"][0]
    said = sentence_on(study, "Taking B")
    assert f"at most {100 * table['adverse_first'][0]:.2f}" in said
    assert said.endswith("points, the gaps of A counted against it")
