"""Families of sequential tests: the closure by enumeration, fixed samples, and errors."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.multiplicity.adjustment import closed_pairs, holm, subsets
from reportgen.stats.sequential.paths import block_f_path
from reportgen.stats.sequential.recursive import Decision, recursive_test
from reportgen.stats.sequential.stages import (
    all_reject,
    any_rejects,
    closed_pair_decisions,
    holm_decisions,
)

ALPHA = 0.05
DECISIONS: list[Decision] = ["reject", "accept", "go on", "undecided"]
p_values = st.sampled_from([0.001, 0.01, 0.014, 0.02, 0.03, 0.049, 0.2])


@given(st.lists(p_values, min_size=1, max_size=6))
def test_holm_of_fixed_samples(p: list[float]) -> None:
    found = holm_decisions(len(p), lambda i, level: "reject" if p[i] <= level else "accept")
    expected = np.where(holm(np.array(p)) <= ALPHA + 1e-12, "reject", "accept")
    assert list(found) == expected.tolist()


@given(st.integers(3, 4), st.data())
def test_closed_pairs_of_fixed_samples(n: int, data) -> None:
    p = {subset: data.draw(p_values) for subset in subsets(n)}
    found = closed_pair_decisions(n, lambda s, level: "reject" if p[s] <= level else "accept")
    expected = np.where(closed_pairs(p, n) <= ALPHA + 1e-12, "reject", "accept")
    assert list(found) == expected.tolist()


@given(st.data(), st.integers(1, 4))
def test_holm_is_the_closure_whatever_the_decisions(data, n: int) -> None:
    """Every set of hypotheses by itself, decisions at different levels unrelated."""
    table = {
        (i, k): data.draw(st.sampled_from(DECISIONS)) for k in range(1, n + 1) for i in range(n)
    }
    found = holm_decisions(n, lambda i, level: table[i, round(ALPHA / level)])
    for i in range(n):
        sets = [
            chosen
            for size in range(1, n + 1)
            for chosen in combinations(range(n), size)
            if i in chosen
        ]
        tested = [any_rejects([table[j, len(chosen)] for j in chosen]) for chosen in sets]
        assert (found[i] == "reject") == (all_reject(tested) == "reject")
        assert (found[i] == "accept") == (all_reject(tested) == "accept")


def test_family_error_of_recursive_tests() -> None:
    runs = np.random.default_rng(1).random((1000, 4, 3)).tolist()
    one, several = 0, 0
    for p in runs:

        def decide(i: int, level: float, p=p) -> Decision:
            return recursive_test(p[i], level).decision

        one += "reject" in [decide(i, ALPHA / 4) for i in range(4)]
        several += "reject" in holm_decisions(4, decide)
    assert one == several  # of none true, the first step decides
    assert one / 1000 == pytest.approx(0.05, abs=0.02)


def test_pairs_by_recursive_f_tests() -> None:
    """Two of three alike: a false rejection of that pair has the level, the others are found."""
    rng, wrong, found = np.random.default_rng(2), 0, 0
    for _ in range(200):
        values = rng.normal(np.array([0.0, 0.0, 1.2]), 1, (2, 25, 3))

        def decide(subset, level: float, values=values) -> Decision:
            p = block_f_path(values[..., subset], burn_in=25).p_values[:, 0]
            return recursive_test(p.tolist(), level).decision

        pairs = closed_pair_decisions(3, decide)
        wrong, found = wrong + (pairs[0] == "reject"), found + (pairs[1:] == ("reject",) * 2)
    assert wrong / 200 <= 0.05 + 0.046
    assert found > 180


def test_errors() -> None:
    with pytest.raises(ValueError, match="no hypothesis"):
        holm_decisions(0, lambda i, level: "accept")
    with pytest.raises(ValueError, match="2 to 8"):
        closed_pair_decisions(9, lambda s, level: "accept")
