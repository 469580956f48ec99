"""Functions of items: arguments, results, agreement with the kernels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reportgen import stats
from reportgen.stats.items import comparison
from reportgen.stats.pairs import proportions


def right(n: int = 120) -> np.ndarray:
    rng = np.random.default_rng(1)
    return (rng.random((n, 3)) < np.array([0.4, 0.5, 0.8])).astype(float)


def test_verdicts_are_those_of_the_kernel() -> None:
    labels = np.repeat([f"document {i}" for i in range(40)], 3)
    for clusters, codes in ((None, None), (labels, np.repeat(np.arange(40), 3))):
        table = stats.compare_items(right(), ["a", "b", "c"], clusters=clusters)
        kernel = comparison.item_pairs(right(), codes, 0.05, np.random.default_rng(2011))
        np.testing.assert_array_equal(table.lower, kernel.lower)
        assert table.candidates == ("a", "b", "c")
        assert table.target == "items-like-these"
        assert table[1].decision == "worse"
        assert table[1].losses == kernel.extra["losses"][1]
    turned = stats.compare_items(pd.DataFrame(right(), columns=list("abc")), better="smaller")
    assert turned[1].decision == "better"


@pytest.mark.parametrize("kind", ["binary", "graded", "clusters"])
def test_equivalence(kind: str) -> None:
    values = right(600)[:, :2]
    clusters = np.arange(600) // 2 if kind == "clusters" else None
    if kind == "graded":
        values = values + 0.1 * np.random.default_rng(1).random(values.shape)
    table = stats.compare_items(values, clusters=clusters, relevance=0.3)
    assert table[0].decision in ("equivalent", "worse")
    assert table.lower[0] < table.extra["tost_lower"][0] < table.extra["tost_upper"][0]
    assert table.extra["tost_upper"][0] < table.upper[0]


def test_clusters_of_any_labels() -> None:
    mixed = [None if i % 2 else i // 6 for i in range(120)]
    assert stats.compare_items(right(), clusters=mixed).extra["n_clusters"].tolist() == [21] * 3
    for wrong in (mixed[:5], [mixed]):
        with pytest.raises(ValueError, match=r"^clusters: found shape .*one cluster an item"):
            stats.compare_items(right(), clusters=wrong)


def test_paired_proportions_are_those_of_the_kernels() -> None:
    values = right()
    values[3, 1] = np.nan
    found = stats.paired_proportions(values, ["a", "b", "c"], alpha=0.1)
    counts = proportions.paired_counts(values)
    frame = found.to_frame()
    assert frame["n"].tolist() == [119, 120, 119]
    assert frame["first_alone"].tolist() == counts.first.tolist()
    lower, upper = proportions.newcombe_interval(counts, 0.1)
    np.testing.assert_array_equal(frame["newcombe_lower"], lower)
    np.testing.assert_array_equal(frame["newcombe_upper"], upper)
    exact, mid = proportions.mcnemar_tests(counts.first, counts.second)
    np.testing.assert_array_equal(frame["exact_p_value"], exact)
    np.testing.assert_array_equal(frame["mid_p_value"], mid)
    assert repr(found).startswith("PairedProportions: 3 pairs, alpha = 0.1\nfirst  second")


def test_paired_proportions_of_grades() -> None:
    with pytest.raises(ValueError, match=r"^values: found 0\.5; allowed 0, 1, and nan"):
        stats.paired_proportions([[0.5, 1.0], [1.0, 0.0]])
