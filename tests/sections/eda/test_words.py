"""What the exploration says, held against the values themselves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sections.reading import (
    ACCURACY,
    COST,
    ERROR,
    NAMES,
    SCORE,
    TIME,
    Said,
    blocks,
    faults,
    tell,
)

Matrix = NDArray[np.float64]
NAME = f"(?:{'|'.join(NAMES)})"
LIST = rf"{NAME}(?:, {NAME})*(?: and {NAME})?"


def listed(text: str) -> set[str]:
    return set(re.findall(NAME, text))


def column(values: Matrix, name: str) -> Matrix:
    found = values[:, NAMES.index(name)]
    return found[np.isfinite(found)]


def present(values: Matrix) -> list[str]:
    """Return the names of those candidates that have a value."""
    return [n for k, n in enumerate(NAMES[: values.shape[1]]) if np.isfinite(values[:, k]).any()]


def text_of(said: Said) -> str:
    return said.sections["eda"]


# -------------------------------------------------------------------------- means, spread


def test_the_best_the_next_and_the_worst_mean_are_named() -> None:
    said = tell({ERROR: blocks((0.2, 0.1, 0.3, 0.11), 50)}, NAMES[:4])
    assert (
        "bert has the smallest mean misclassification error, 10.00%; dora follows with 11.00%, "
        "and cara has the largest, 30.00%." in text_of(said)
    )
    assert "Larger values are better" not in text_of(said)


def test_larger_may_be_better() -> None:
    said = tell({ACCURACY: blocks((0.8, 0.9, 0.7), 50)}, NAMES[:3])
    text = text_of(said)
    assert "bert has the largest mean accuracy, 90.00%; anna follows with 80.00%" in text
    assert "and cara has the smallest, 70.00%" in text
    assert "Larger values are better." in text
    assert "no other candidate stays above" in text
    assert "5% quantile" in text
    assert "95% quantile" not in text


def test_two_candidates_are_compared_not_ranked() -> None:
    said = tell({ERROR: blocks((0.1, 0.2), 50)}, NAMES[:2])
    text = text_of(said)
    assert "anna has the smaller mean misclassification error, 10.00%; bert has 20.00%." in text
    assert "anna has the better worst case" in text
    assert not re.search(r"smallest|largest mean|no other candidate|all two|best worst", text)


def test_ties_of_means_are_told() -> None:
    values = np.array([[0.25, 0.25, 0.5, 0.75], [0.5, 0.5, 0.25, 0.75]])
    said = tell({ERROR: values}, NAMES[:4])
    assert "anna, bert and cara share the smallest mean" in text_of(said)
    assert "; dora has 75.00%. These are means, not tested here." in text_of(said)
    assert "(dora), not tested here." in text_of(said)


def test_equal_candidates_are_told_as_equal() -> None:
    said = tell({ERROR: np.full((8, 3), 0.25)}, NAMES[:3])
    text = text_of(said)
    assert "All three candidates have the same mean misclassification error, 25.00%." in text
    assert "No candidate varies" in text
    assert "All candidates tie in every replication." in text
    assert "Every first place is shared." in text
    assert "overlap" not in text
    assert not any(f.startswith("Mean ") for f in said.findings)
    assert faults(said.whole) == []


# -------------------------------------------------------------- how far the values spread


def test_overlapping_values_decide_nothing() -> None:
    close = tell({ERROR: blocks((0.1, 0.101, 0.102), 100)}, NAMES[:3])
    assert "overlap" not in close.whole
    assert "lie wholly" not in close.whole
    assert "Means from 10.00% (anna) to 10.20% (cara), not tested here." in close.whole
    assert "has the smallest mean," not in close.whole.replace("misclassification error,", "")
    apart = tell({ERROR: blocks((0.1, 0.101, 0.5), 100)}, NAMES[:3])
    assert "anna lie wholly on the better side of those of cara. In each" in text_of(apart)
    wide = tell({ERROR: blocks((0.1, 0.3, 0.5), 100)}, NAMES[:3])
    assert "of anna lie wholly on the better side of those of bert and cara." in text_of(wide)


def test_few_replications_make_rough_intervals() -> None:
    few = tell({ERROR: blocks((0.1, 0.11, 0.12), 5)}, NAMES[:3])
    assert "its ends lie between the two smallest and between the two largest" in text_of(few)
    many = tell({ERROR: blocks((0.1, 0.11, 0.12), 50)}, NAMES[:3])
    assert "its ends lie between" not in text_of(many)


def test_one_replication_has_no_spread() -> None:
    said = tell({ERROR: np.array([[0.1, 0.2, 0.3]])}, NAMES[:3])
    assert "There is one replication, so nothing can be said about spread." in text_of(said)
    assert "In the only replication anna is best." in text_of(said)
    assert "standard deviation" not in text_of(said)
    assert faults(said.whole) == []


# ---------------------------------------------------------------------------------- places


def test_first_places_alone_and_shared_are_told_apart() -> None:
    # anna and bert tie for the first place in 8 replications; cara has the other 2 alone
    values = np.array([[0.1, 0.1, 0.2]] * 8 + [[0.3, 0.3, 0.2]] * 2) + np.arange(10)[:, None] / 64
    said = tell({ERROR: values}, NAMES[:3])
    text = text_of(said)
    assert (
        "anna is best in 8 of the 10 replications (never alone), bert in 8 (never alone) and cara "
        "in 2 (always alone)." in text
    )
    assert "In 8 replications the first place is shared." in text
    assert "anna and bert have exactly the same value in 10 replications, the only pair" in text
    assert "When anna is best, another candidate mostly is too; when cara is, it mostly" in text
    assert any(f.startswith("In 10 of 10 replications anna and bert have") for f in said.findings)
    assert "exact ties are real and not a matter of rounding" in text


def test_ties_of_times_are_not_explained_by_counts() -> None:
    values = np.array([[0.1, 0.1, 0.2]] * 8)
    said = tell({TIME: values + np.arange(8)[:, None] / 64}, NAMES[:3])
    assert "exactly the same value" in text_of(said)
    assert "Errors are counted" not in text_of(said)


def test_no_complete_replication_has_no_places() -> None:
    values = blocks((0.1, 0.2, 0.3), 6)
    values[::2, 0] = values[1::2, 1] = np.nan
    said = tell({ERROR: values}, NAMES[:3])
    assert "No replication is complete, so there are no places to count." in text_of(said)
    assert "6 of the 18 values are missing" in text_of(said)
    assert "is best in" not in text_of(said)
    assert any(f.startswith("6 of 18 values of misclassification") for f in said.findings)
    assert faults(said.whole) == []


def test_absent_candidates_are_left_out() -> None:
    values = blocks((0.1, 0.2, 0.3), 6)
    values[:, 1] = np.nan
    said = tell({ERROR: values}, NAMES[:3])
    assert "bert has no value here and is left out." in text_of(said)
    assert "bert" not in text_of(said).replace("bert has no value here", "")


# ----------------------------------------------------------------------------- worst cases


def test_worst_cases_are_named_for_what_they_are() -> None:
    values = blocks((0.1, 0.11, 0.3), 100)
    values[0, 0] = 0.9  # anna is best but for one disaster
    said = tell({ERROR: values}, NAMES[:3])
    text = text_of(said)
    assert "bert has the best worst case" in text
    assert "By the 5th largest value and by the 95% quantile anna is best." in text
    assert "the quantile and the 5th largest value are steadier" in text
    assert any("The worst misclassification error of bert" in f for f in said.findings)


def test_near_worst_cases_tie_within_the_tolerance() -> None:
    values = blocks((0.1, 0.11, 0.3), 20, sd=0.0001, block_sd=0.0)
    exact = tell({ERROR: values}, NAMES[:3])
    assert "anna has the best worst case" in text_of(exact)
    tied = tell({ERROR: values}, NAMES[:3], epsilon=0.02)
    assert "anna and bert share the best worst case" in text_of(tied)
    assert "(values within 2.00 points of a neighbour tie)" in text_of(tied)
    assert not any("The worst" in f for f in tied.findings)
    hair = blocks((0.1, 0.100001, 0.3), 20, sd=0.0, block_sd=0.0)  # written alike
    assert not any("The worst" in f for f in tell({ERROR: hair}, NAMES[:3]).findings)


# --------------------------------------------------------------- time, measures, data sets


def test_no_time_no_sentence() -> None:
    said = tell({ERROR: blocks((0.1, 0.2), 20), COST: blocks((5, 6), 20)}, NAMES[:2])
    assert not any("time" in f for f in said.findings)


@pytest.mark.parametrize("n_datasets", [2, 8])
def test_best_means_are_counted_over_data_sets(n_datasets: int) -> None:
    datasets = {
        f"d{i}": {ERROR: blocks((0.1, 0.2 if i else 0.05, 0.3 + i / 50), 12, seed=i)}
        for i in range(n_datasets)
    }
    said = tell(datasets, NAMES[:3])
    assert faults(said.whole) == []
    (best,) = [f for f in said.findings if "the best mean" in f and "data sets" in f]
    if n_datasets == 2:
        assert best.startswith(
            "anna and bert have the best mean misclassification error (not tested) on 1 of 2"
        )
    else:
        assert best.startswith(
            "anna has the best mean misclassification error (not tested) on 7 of 8 data sets"
        )
        assert "; bert on 1" in best
    assert any("runs from 5.00% on d0 to 10.00% on d1" in f for f in said.findings)
    assert set(said.pages) == {(d, s) for d in datasets for s in ("eda", "inference")}


def test_names_never_become_markup() -> None:
    names = ["*a*", "<b>x</b>", "c_d_e", "{{ 7*7 }}"]
    said = tell({ERROR: blocks((0.1, 0.2, 0.3, 0.4), 12)}, names)
    for name in names:
        assert name in text_of(said)


# ------------------------------------------------------------------------------ everything


@pytest.mark.parametrize("seed", range(8))
def test_every_sentence_is_true_of_any_values(seed: int) -> None:
    rng = np.random.default_rng([99, seed])
    n, k = int(rng.choice([2, 3, 7, 25, 120])), int(rng.integers(2, 9))
    measure = (ERROR, ACCURACY, COST, SCORE)[seed % 4]
    factor = 1.0 if measure.unit == "share" else 100.0
    values = factor * blocks(0.4 + rng.choice([0, 0.01, 0.2]) * rng.normal(size=k), n, seed=seed)
    if seed % 2:
        values = np.round(values, 2 if factor == 1 else 0)
    if seed % 5 == 0:
        values[rng.random(values.shape) < 0.15] = np.nan
    said = tell({measure: values}, NAMES[:k])
    assert faults(said.whole) == []
    sign = 1.0 if measure.is_smaller_better else -1.0
    text = text_of(said)
    hold_means(text, sign * values, factor)
    hold_apart(text, sign * values)
    hold_places(text, sign * values)
    hold_worst(text, sign * values)


def hold_means(text: str, values: Matrix, factor: float) -> None:
    """Check who is said to have the best and the worst mean, and to vary least and most."""
    names = present(values)
    means = {n: float(column(values, n).mean()) for n in names}
    if m := re.search(rf"({LIST}) (?:has|share) the (?:small|larg)(?:est|er) mean", text):
        assert listed(m[1]) == {n for n in names if means[n] == min(means.values())}
    if m := re.search(rf"and ({LIST}) (?:has|have) the (?:small|larg)est,", text):
        assert listed(m[1]) == {n for n in names if means[n] == max(means.values())}
    spreads = {n: float(column(values, n).std(ddof=1)) for n in names if column(values, n).size > 1}
    if m := re.search(rf"({LIST}) var(?:y|ies) least .*? and ({LIST}) most", text):
        close = 1e-9 * factor
        assert all(spreads[n] <= min(spreads.values()) + close for n in listed(m[1]))
        assert all(spreads[n] >= max(spreads.values()) - close for n in listed(m[2]))


def hold_apart(text: str, values: Matrix) -> None:
    """Check whose central values are said to lie on the better side of whose."""
    ends = {n: np.quantile(column(values, n), (0.025, 0.975)) for n in present(values)}
    assert "overlap" not in text
    if m := re.search(rf"of ({NAME}) lie wholly on the better side of those of ({LIST})", text):
        assert listed(m[2]) == {n for n in ends if ends[m[1]][1] < ends[n][0]}


def hold_places(text: str, values: Matrix) -> None:
    """Check how often candidates are said to be best, and to be it alone."""
    names = present(values)
    rows = np.column_stack([values[:, NAMES.index(n)] for n in names])
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        assert "is best in" not in text
        return
    is_best = rows == rows.min(axis=1, keepdims=True)
    alone = is_best & (is_best.sum(axis=1, keepdims=True) == 1)
    best = dict(zip(names, is_best.sum(axis=0), strict=True))
    single = dict(zip(names, alone.sum(axis=0), strict=True))
    told = re.findall(
        rf"({NAME}) (?:is best )?in (\d+)(?: of the [\w ]+)? \(([a-z]+) alone\)", text
    )
    for name, n, how in told:
        assert best[name] == int(n)
        assert single[name] == (0 if how == "never" else int(n))
    for name, n, m in re.findall(rf"({NAME}) (?:is best )?in (\d+)[\w ]* \(alone in (\d+)\)", text):
        assert (best[name], single[name]) == (int(n), int(m))
    if m := re.search(r"In ([\d,]+) replications? the first place is shared", text):
        assert int(m[1]) == len(rows) - sum(single.values())
    if m := re.search(r"the others are best in at most (\d+) each", text):
        assert sum(n > int(m[1]) for n in best.values()) <= 3
    assert ("no other candidate ever is" in text) <= (0 in best.values())


def hold_worst(text: str, values: Matrix) -> None:
    """Check who is said to have the best worst case."""
    worst = {n: float(column(values, n).max()) for n in present(values)}
    if m := re.search(rf"({NAME}) has the (?:best|better) worst case", text):
        others = [x for n, x in worst.items() if n != m[1]]
        assert worst[m[1]] < min(others)
    if m := re.search(rf"({LIST}) share the best worst case", text):
        assert listed(m[1]) == {n for n, x in worst.items() if x == min(worst.values())}
