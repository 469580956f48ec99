"""Predicates of the conclusion, on results made by hand."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from reportgen.conclusion.comparison import order_line
from reportgen.conclusion.result import (
    Caveats,
    Comparison,
    Conclusion,
    NewData,
    OrderLine,
    Tally,
    Untested,
    counts_errors,
)
from reportgen.stats.decisions import Decision
from reportgen.stats.pair_table import Pair
from reportgen.stats.relations.relations import chain, of_pairs, unbeaten
from reportgen.warehouse import Measure
from tests.sections.reading import ACCURACY, ERROR, TIME


def pair(first: str, second: str, decision: Decision, *, significant: bool | None = None) -> Pair:
    """Return a pair of which only the decision matters."""
    found = decision not in ("undecided", "equivalent") if significant is None else significant
    favoured = (second if decision.startswith("worse") else first) if found else None
    numbers = (-0.01, 0.001, -0.02, -0.001, -3.0, 9.0, 0.01, 0.02)
    return Pair(
        first,
        second,
        *numbers,
        decision,
        "own-variance",
        "conditional",
        found,
        "difference",
        favoured,
    )


def compared(
    names: str, better: Iterable[str], equivalent: Iterable[str] = (), **more: Any
) -> Comparison:
    """Return a comparison of candidates whose names are letters, the best mean first."""
    above = [(p[0], p[1]) for p in better]
    incidence = of_pairs(len(names), [(names.index(i), names.index(j)) for i, j in above])
    groups = chain(incidence)
    head = next((n for n in names if sum(i == n for i, _ in above) == len(names) - 1), names[0])

    def decided(j: str) -> Pair:
        if (head, j) in above:
            return pair(head, j, "better")
        return pair(head, j, "worse" if (j, head) in above else "undecided")

    usual: dict[str, Any] = {
        "measure": ERROR,
        "dataset": "d",
        "n_units": 20,
        "alpha": 0.05,
        "relevance": None,
        "is_ratio": False,
        "basis": "own-variance",
        "target": "conditional",
        "means": {name: 0.1 + i / 100 for i, name in enumerate(names)},
        "leaders": tuple(names[i] for i in unbeaten(incidence)),
        "groups": None if groups is None else tuple(tuple(names[i] for i in g) for g in groups),
        "n_pairs": len(names) * (len(names) - 1) // 2,
        "n_decided": len(above),
        "n_open": 0,
        "n_family": len(names) * (len(names) - 1) // 2,
        "lead": tuple(decided(j) for j in names if j != head),
        "better": tuple(above),
        "equivalent": tuple((p[0], p[1]) for p in equivalent),
        "typical": (0.1,),
    }
    return Comparison(**usual | more)


def of(comparison: Comparison) -> Conclusion:
    return Conclusion("dataset", Caveats("one-dataset"), comparison)


# -------------------------------------------------------------------------- who is best


@pytest.mark.parametrize(
    ("names", "better", "winner", "strong", "idle", "is_led", "advice"),
    [
        ("abc", ["ab", "ac", "bc"], "a", "a", "", False, "one"),
        ("abc", ["ac", "bc"], None, "ab", "", True, "choose"),
        ("abcd", ["ac", "bc"], None, "ab", "d", True, "choose"),
        ("abc", ["ac"], None, "a", "b", False, "reserve"),
        ("abc", [], None, "", "abc", False, "none"),
        ("ab", ["ab"], "a", "a", "", False, "one"),
        ("ab", [], None, "", "ab", False, "none"),
        ("abc", ["ab", "bc", "ca"], None, "", "", False, "none"),  # decisions in a circle
        ("abc", ["ba", "bc"], "b", "b", "", False, "one"),  # gaps: the best mean is another's
        ("abc", ["ba"], None, "b", "c", False, "reserve"),
        ("abcd", ["bd", "cd"], None, "bc", "a", False, "choose"),  # leaders without the best mean
    ],
)
def test_who_is_best(
    names: str,
    better: list[str],
    winner: str | None,
    strong: str,
    idle: str,
    is_led: bool,
    advice: str,
) -> None:
    found = compared(names, better)
    assert found.winner == winner
    assert (found.strong, found.idle) == (tuple(strong), tuple(idle))
    assert found.is_led is is_led
    assert of(found).advice == advice
    assert of(found).recommended == ((winner,) if winner else tuple(strong))


def test_rivals_and_beaten() -> None:
    found = compared("abcd", ["ac", "ad", "bd"])
    assert (found.head, found.beaten, found.rivals) == ("a", ("c", "d"), ("b",))
    assert found.beaten_by_leaders == ("d",)
    assert not found.is_head_beaten
    assert compared("abc", ["ba"]).is_head_beaten


def test_equivalent_leaders_are_a_free_choice() -> None:
    found = compared("abc", ["ac", "bc"], ["ab"], relevance=(-0.1, 0.1))
    assert found.has_equivalent_leaders
    assert (of(found).advice, of(found).recommended) == ("either", ("a", "b"))
    every = compared("abc", [], ["ab", "ac", "bc"], relevance=(-0.1, 0.1))
    assert every.is_all_equivalent
    assert of(every).advice == "either"
    assert not compared("abc", [], ["ab", "ac"]).has_equivalent_leaders  # not b and c


def test_what_could_not_be_decided() -> None:
    found = compared("abc", [], n_open=3, n_family=0)
    assert found.is_untestable
    assert found.undecided_leaders == ()
    assert order_line(found) is None
    assert compared("abc", []).undecided_leaders == ("a", "b", "c")
    assert compared("abc", ["ac", "bc"]).undecided_leaders == ("a", "b")
    assert compared("abc", ["ab", "ac"]).undecided_leaders == ()


def test_equal_means() -> None:
    assert compared("ab", [], means={"a": 0.1, "b": 0.1}).is_all_equal
    assert not compared("ab", []).is_all_equal


def test_parts_of_relevance() -> None:
    lead = (
        pair("a", "b", "equivalent", significant=True),
        pair("a", "c", "better"),
        pair("a", "d", "better-relevant"),
    )
    better = ["ab", "ac", "ad"]
    found = compared("abcd", better, lead=lead, relevance=(-0.01, 0.01))
    parts = (("relevant", ("d",)), ("too-small", ("b",)), ("open", ("c",)))
    assert found.relevance_parts == parts
    assert compared("abcd", better, lead=lead).relevance_parts == ()  # nobody gave an area


@pytest.mark.parametrize(
    ("measure", "is_ratio", "errors", "time"),
    [
        (ERROR, False, True, False),
        (ACCURACY, False, False, False),
        (TIME, True, False, True),
        (TIME, False, False, False),
    ],
)
def test_kinds_of_measures(measure: Measure, is_ratio: bool, errors: bool, time: bool) -> None:
    found = compared("ab", ["ab"], measure=measure, is_ratio=is_ratio)
    assert (found.counts_errors, found.is_time) == (errors, time)


def test_an_error_of_which_more_is_better_counts_no_errors() -> None:
    assert not counts_errors(Measure("misclassification", "larger"))


# ------------------------------------------------------------------------- the order line


def test_a_weak_order_is_a_line() -> None:
    line = order_line(compared("abc", ["ac", "bc"]))
    assert line == OrderLine("decisions", (("a", "b"), ("c",)))
    assert line.has_tie
    assert line.has_step
    flat = order_line(compared("abc", []))
    assert flat is not None
    assert not flat.has_step


def test_what_is_no_weak_order_lists_what_is_decided() -> None:
    line = order_line(compared("abcd", ["ac", "ad", "bd"]))
    assert line is not None
    assert line.groups is None
    assert line.rows == ((("a",), ("c", "d")), (("b",), ("d",)))
    assert line.chain_break == ("a", "b", "c")


def test_decisions_in_a_circle_have_no_break() -> None:
    line = order_line(compared("abc", ["ab", "bc", "ca"]))
    assert line is not None
    assert line.chain_break is None


def test_a_long_line_is_left_out() -> None:
    names = "abcdefghijklmnop"
    better = [f"{i}{j}" for i, j in combinations(names, 2) if ord(j) - ord(i) > 1]
    line = order_line(compared(names, better))
    assert line is not None
    assert line.rows == ()
    assert line.chain_break == ("a", "b", "c")


def test_break_of_the_chain_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        x = rng.normal(size=5)
        names = "".join(sorted("abcde", key=lambda n: x["abcde".index(n)]))
        value = {n: x["abcde".index(n)] for n in names}
        better = [f"{i}{j}" for i, j in combinations(names, 2) if value[j] - value[i] > 0.8]
        found = compared(names, better)
        triple = found.chain_break
        assert (triple is None) == (found.groups is not None)
        if triple:
            i, j, k = triple
            assert f"{i}{k}" in better
            assert not {f"{i}{j}", f"{j}{i}", f"{j}{k}", f"{k}{j}"} & {*better}


# ----------------------------------------------------------------------- what else is said


def test_new_data() -> None:
    alone = NewData(None, 6, 3, worst="d")
    assert alone.is_of_one
    assert not NewData(None, 6, 4, worst="d").is_of_one
    assert not NewData(None, 6, 3).is_of_one
    assert not NewData(None, 1, 1, best="a", worst="b").is_of_one  # a pair needs no such words
    assert NewData(None, 6, 0).is_undecided
    assert NewData(None, 6, 6).is_decided


def test_two_caveats_at_most_the_gravest_first() -> None:
    found = Caveats("domain", absent=("x",), n_missing=3, influence=("d",), is_dependent=True)
    assert found.holding == ("absent", "influence", "dependent", "missing")
    assert found.told == ("absent", "influence")
    assert Caveats("domain", n_outliers=1).told == ()  # nothing changes without it


def test_tally_and_means() -> None:
    tally = Tally(ERROR, 3, {"a": ("d1", "d2")}, ("a",))
    assert tally.n_won == 2
    assert Conclusion("datasets", Caveats("datasets"), tally=tally).advice == "one"
    means = Untested(ERROR, "d", "not-asked", 5, {"a": 0.1, "b": 0.1, "c": 0.2})
    assert (means.best, means.value) == (("a", "b"), 0.1)
