"""What is read from the verdicts of a measure, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.sections.inference.result import (
    ALL_PAIRS,
    MeasureInference,
    Method,
    NewData,
    Used,
)
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.ranks.friedman import FriedmanTest

ERROR = Measure("misclassification", "smaller", "share", (0, 1))
NAMES = ("a", "b", "c", "d")
AREA = (-0.01, 0.01)


def table(intervals: list[tuple[float, float]], area: Any = AREA, **columns: Any) -> PairTable:
    """Return the pairs of as many candidates as there are intervals for, in their order."""
    k = next(k for k in range(2, 9) if k * (k - 1) // 2 == len(intervals))
    lower, upper = np.array(intervals).T
    found = PairTable.of(
        all_pairs(k), (lower + upper) / 2, "own-variance", 0.05,
        lower=lower, upper=upper, adjusted_p_value=0.01, **columns,
    )  # fmt: skip
    return found.named(NAMES[:k], "conditional", True).decided(area)


def inference(pairs: PairTable, order: Sequence[str] = (), **given: Any) -> MeasureInference:
    """Return an inference whose means have an order, that of the candidates if none is given."""
    empty = dict.fromkeys(f.name for f in fields(MeasureInference))
    names = order or pairs.candidates
    usual = {
        "measure": ERROR, "alpha": 0.05, "relevance": AREA, "target": "conditional",
        "pairs": pairs, "methods": {}, "n_used": 20, "n_blocks": 20, "effects": (),
        "means": dict(zip(names, range(len(names)), strict=True)),
    }  # fmt: skip
    deciding = given.pop("deciding_method", method("own-variance", pairs))
    found = MeasureInference(**(empty | usual | given))
    return found if deciding is None else found.decided_by(deciding)


def method(name: Any, pairs: PairTable, **given: Any) -> Method:
    return replace(Method(name, "strong", "t", None, 20, pairs), **given)


# a is better than all; b and c are equivalent, b and d undecided, c better than d by too little
INTERVALS = [
    (-0.05, -0.02), (-0.03, -0.002), (-0.06, -0.011),
    (-0.005, 0.005), (-0.03, 0.004), (-0.009, -0.001),
]  # fmt: skip
KINDS = ["relevant", "better", "relevant", "equivalent", "undecided", "slight"]


def names(pairs: Any) -> list[str]:
    return [p.first + p.second for p in pairs]


def test_kinds_of_pairs() -> None:
    found = inference(table(INTERVALS))
    assert [p.kind for p in found.best_first] == KINDS
    assert names(found.of_kind("relevant")) == ["ab", "ad"]
    assert names(found.of_kind("better", "slight")) == ["ac", "cd"]
    assert names(found.decided) == ["ab", "ac", "ad", "cd"]
    assert found.better_than_all == "a"
    assert found.largest_bound == 0.06


def test_the_better_one_stands_first_whatever_the_order_of_the_means() -> None:
    found = inference(table(INTERVALS), order=("d", "c", "b", "a"))
    assert names(found.decided) == ["cd", "ad", "ac", "ab"]
    assert all(p.estimate < 0 for p in found.decided)
    assert names(found.of_kind("undecided")) == ["db"]


def test_without_an_area_a_decision_is_better_alone() -> None:
    found = inference(table(INTERVALS, None), relevance=None)
    assert [p.kind for p in found.best_first] == ["better"] * 3 + ["undecided"] * 2 + ["better"]


def test_nobody_is_better_than_all() -> None:
    assert inference(table([(-0.05, 0.02), *INTERVALS[1:]])).better_than_all is None
    (pair,) = [(0.01, 0.02)]
    assert inference(table([pair])).better_than_all == "b"


def test_a_bound_needs_all_intervals() -> None:
    gone = [(np.nan, np.nan), *INTERVALS[1:]]
    assert inference(table(gone)).largest_bound is None


def test_against_one_candidate() -> None:
    found = inference(table(INTERVALS))
    assert found.compared_with("b") == {
        "better": ("a",), "equivalent": ("c",), "undecided": ("d",)
    }  # fmt: skip
    assert found.compared_with("d") == {
        "better": ("a",), "slight": ("c",), "undecided": ("b",)
    }  # fmt: skip
    assert found.compared_with("a") == {"worse": ("b", "c", "d")}


def test_what_remains_for_new_data() -> None:
    wide = table([(-0.09, 0.02), (-0.04, -0.001), (-0.09, -0.001), *[(-0.05, 0.05)] * 3])
    new = NewData(0.5, 0.3, 0.6, 100, "sizes", None, pairs=wide)
    found = inference(table(INTERVALS), new_data=new)
    assert names(found.remaining) == ["ac", "ad"]
    turned = table([(0.01, 0.09), *INTERVALS[1:]])
    other = inference(table(INTERVALS), new_data=replace(new, pairs=turned))
    assert names(other.remaining) == ["ac", "ad", "cd"]
    assert inference(table(INTERVALS)).remaining == ()
    simulated = inference(table(INTERVALS), new_data=new, target="generating-process")
    assert simulated.new_data_pairs is None


def test_how_methods_agree() -> None:
    pairs = table(INTERVALS)
    more = table([*INTERVALS[:4], (-0.03, -0.004), INTERVALS[5]])
    others = {
        "sign-flip": method("sign-flip", pairs),
        "block-model": method("block-model", more),
        "new-data": method("new-data", replace(more, target="generating-process")),
    }
    found = inference(pairs, methods=others)
    assert found.agreement is not None
    assert (found.agreement.n_methods, found.agreement.least, found.agreement.most) == (3, 4, 5)
    assert found.agreement.differing == (("b", "d"),)
    backwards = inference(pairs, methods=others, order=("d", "c", "b", "a"))
    assert backwards.agreement is not None
    assert backwards.agreement.differing == (("d", "b"),)
    assert inference(pairs).agreement is None
    assert inference(pairs, deciding_method=None).agreement is None


def test_what_is_promised_is_of_the_pairs_in_the_family() -> None:
    pairs = table(INTERVALS[:3]).with_columns(
        n=np.array([4, 40, 60]), skewness=np.array([9.0, -2.5, 1.0])
    )
    found = inference(replace(pairs, is_open=np.array([True, False, False])))
    assert found.promise is not None
    assert (found.promise.n, found.promise.skewness, found.promise.is_kept) == (40, 2.5, False)
    pooled = found.decided_by(method("block-model", pairs))
    assert pooled.promise is None
    closed = replace(found, pairs=replace(pairs, is_open=np.full(3, True)))
    assert closed.promise is None


@pytest.mark.parametrize(("epsilon", "is_uneven"), [(0.95, False), (0.9, False), (0.5, True)])
def test_differences_that_vary_unequally(epsilon: float, is_uneven: bool) -> None:
    assert inference(table(INTERVALS), sphericity=epsilon).varies_unequally == is_uneven
    assert not inference(table(INTERVALS)).varies_unequally


def test_pairs_that_never_vary() -> None:
    pairs = table([(-0.02, -0.02), (0.0, 0.0), (0.02, 0.02)]).with_columns(
        is_constant=np.array([True, True, True]), n=np.array([8, 8, 1])
    )
    assert names(inference(pairs).constant) == ["ab", "ac"]
    assert inference(pairs.with_columns(is_constant=np.zeros(3, bool))).constant == ()


def test_failures_may_change_what_ranks_decide() -> None:
    pairs = table(INTERVALS)
    empty = dict.fromkeys((f.name for f in fields(FriedmanTest)), 0.01)
    friedman = FriedmanTest(**empty)

    def of(ranks: PairTable, p_value: float) -> MeasureInference:
        last = SimpleNamespace(rank_pairs=ranks, friedman=replace(friedman, p_value=p_value))
        return inference(
            pairs, worst_rank=last, rank_pairs=pairs, friedman=friedman, n_used=20, n_blocks=12
        )

    assert of(pairs, 0.02).changed_by_failures is None
    assert of(pairs, 0.2).changed_by_failures == ()
    changed = table([(-0.05, 0.02), *INTERVALS[1:]])
    assert names(of(changed, 0.02).changed_by_failures) == ["ab"]
    assert replace(of(changed, 0.02), n_blocks=20).changed_by_failures is None


def test_rows_are_drawn_of_few_candidates() -> None:
    assert inference(table(INTERVALS)).has_pair_rows
    many = tuple(f"c{i}" for i in range(ALL_PAIRS + 1))
    assert not inference(table(INTERVALS), order=many).has_pair_rows


def test_what_was_used_in_a_report() -> None:
    pairs = table(INTERVALS)
    plain = inference(pairs, relevance=None)
    pooled = inference(pairs, deciding_method=method("block-model", pairs, law="studentized-range"))
    other = replace(pooled, methods={"sign-flip": method("sign-flip", pairs)})
    assert Used.of([plain]).laws == ("t",)
    assert not Used.of([plain]).has_area
    both = Used.of([plain, other])
    assert (both.laws, both.methods, both.is_pooled, both.has_area) == (
        ("t",), ("own-variance", "sign-flip", "block-model"), True, True
    )  # fmt: skip
    contents = [SimpleNamespace(result={"m": plain}), SimpleNamespace(result={"n": pooled})]
    assert plain.used_in(contents) == Used.of([plain, pooled])
    assert plain.tested_in(contents, "n") is pooled
    assert plain.tested_in(contents, "o") is None
