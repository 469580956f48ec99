"""Sign flips of whole data sets, against all flips by brute force, and what is said of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from reportgen.sections.domain import result
from tests.sections.domain.making import draw_values, tell

THREE = ("anna", "bert", "cara")


def by_brute_force(means: np.ndarray) -> dict[tuple[str, str], float]:
    """Return step-down p-values of all pairs from all flips."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    differences = np.array([means[:, i] - means[:, j] for i, j in pairs]).T
    flips = np.array(list(product([-1, 1], repeat=len(means))))
    drawn = np.array([np.abs(ttest_1samp(s[:, None] * differences, 0).statistic) for s in flips])
    seen = np.abs(ttest_1samp(differences, 0).statistic)
    adjusted, least = {}, 0.0
    order = np.argsort(-seen)
    for place, p in enumerate(order):
        largest = drawn[:, order[place:]].max(axis=1)
        least = max(least, float((largest >= seen[p] - 1e-9).mean()))
        adjusted[THREE[pairs[p][0]], THREE[pairs[p][1]]] = least
    return adjusted


def test_flips_of_whole_data_sets_are_listed_and_said() -> None:
    own = np.random.default_rng(6).normal(size=(7, 1))
    level = np.array([[0.2, 0.202, 0.3]]) + 0.02 * own
    values = draw_values(3, level + 0.01 * np.random.default_rng(8).normal(size=(7, 3)))
    said, found = tell(values, THREE)
    expected = by_brute_force(np.array([v.mean(axis=0) for v in values.values()]))
    rows = {(p.first, p.second): p for p in found.sign_flips["misclassification"]}
    assert {k: round(p.adjusted_p_value, 12) for k, p in rows.items()} == {
        k: round(p, 12) for k, p in expected.items()
    }
    assert {p.method for p in rows.values()} == {"sign-flip"}
    assert [p.decision for p in rows.values()] == ["undecided", "better", "better"]
    table = next(t for t in said.tables if t.name == "models")
    (row,) = (row for row in table.rows if row[0] == "Sign flips of data sets")
    assert row[4] == 2


def test_many_pairs_are_not_flipped_nor_data_sets_left_out_and_the_report_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = draw_values(3, [[0.2, 0.21, 0.3]] * 7)
    sentence = (
        "The data sets were neither left out in turn nor their signs flipped: "
        "with 3 pairs on 7 data sets both take long."
    )
    for most, is_vast in ((2100, False), (2099, True)):
        monkeypatch.setattr(result, "MOST_DIFFERENCES", most)
        said, found = tell(values, THREE)
        verdict = found.verdict["misclassification"]
        assert (verdict.influence is None, found.sign_flips == {}) == (is_vast, is_vast)
        assert (sentence in said.sections["domain"]) == is_vast


def test_looks_without_each_of_many_data_sets_grow_with_their_square() -> None:
    _, found = tell(draw_values(3, [[0.2, 0.21, 0.3]] * 7), THREE)
    verdict = found.verdict["misclassification"]
    assert not replace(verdict, n_datasets=18_257).is_vast  # 3 pairs, 10^9 differences
    assert replace(verdict, n_datasets=18_258).is_vast


def test_few_data_sets_are_not_flipped() -> None:
    said, found = tell(draw_values(3, [[0.2, 0.21, 0.3]] * 5), THREE)
    assert found.sign_flips == {}
    table = next(t for t in said.tables if t.name == "models")
    assert "Sign flips of data sets" not in [row[0] for row in table.rows]
