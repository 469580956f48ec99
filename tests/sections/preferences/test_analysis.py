"""Preferences on one data set: R's relations, every way to read one, gaps, properties."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.sections.preferences import applies
from reportgen.sections.preferences.analysis import Preference
from reportgen.stats.relations.relations import order_class
from reportgen.warehouse import Warehouse
from reportgen.warehouse.missing import keep
from tests.builders import make_warehouse
from tests.sections.preferences.reading import prefer
from tests.sections.reading import by_verdict_alone

AREA = {"error": (-1.0, 1.0)}
ROUNDING = 1e-12  # relative: another order of summation

Make = Callable[..., Warehouse]


def only(warehouse: Warehouse, by: str, measure: str = "error", **more: Any) -> Preference:
    """Read one relation."""
    entry = {k: more.pop(k) for k in ("relevant", "epsilon", "m", "quantile", "name") if k in more}
    (found,) = prefer(warehouse, {"measure": measure, "by": by, **entry}, **more)
    return found


def pairs(found: Preference) -> set[str]:
    """Return who is better than whom, as "ab"."""
    names = found.candidates
    return {
        names[i] + names[j]
        for i, row in enumerate(found.incidence)
        for j, better in enumerate(row)
        if better
    }


def chain(found: Preference) -> str | None:
    """Write a chain as the golden files do."""
    if found.chain is None:
        return None
    return " < ".join("~".join(sorted(group)) for group in found.chain)


# ----------------------------------------------------------------------- R's own relations


class TestMonks3:
    """The running example of the dissertation, section 2.4."""

    @pytest.fixture(scope="class")
    @classmethod
    def golden(cls, reference: Path) -> Any:
        text = (reference / "golden" / "single_monks3.json").read_text(encoding="utf-8")
        return json.loads(text)["relations"]

    @pytest.mark.parametrize(
        ("key", "entry", "expected"),
        [
            (
                "friedman_lt",
                {"measure": "misclassification", "by": "friedman"},
                "rpart~svm < rf < nnet < knn~lda",
            ),
            (
                "lmer_lt_0.05",
                {"measure": "misclassification", "by": "mixed-model"},
                "rpart~svm < rf < nnet < knn~lda",
            ),
            (
                "lmer_lt_0.05_rel_0.01",
                {
                    "measure": "misclassification",
                    "by": "mixed-model",
                    "relevant": "not-equivalent",
                },
                "rpart~svm < rf < knn~lda~nnet",
            ),
            (
                "point_mean",
                {"measure": "misclassification", "by": "mean"},
                "svm < rpart < rf < nnet < knn < lda",
            ),
            (
                "point_max",
                {"measure": "misclassification", "by": "max"},
                "svm < lda~rpart < rf < nnet < knn",
            ),
            (
                "point_time_mean",
                {"measure": "time", "by": "mean"},
                "rpart < lda < rf < knn < nnet < svm",
            ),
        ],
    )
    def test_relations(
        self,
        golden: Any,
        monks3_warehouse: Warehouse,
        key: str,
        entry: dict[str, Any],
        expected: str,
    ) -> None:
        area = {"Misclassification": (-0.01, 0.01)}
        (found,) = prefer(monks3_warehouse, entry, relevance=area)
        assert list(found.candidates) == golden[key]["rows"] == golden[key]["cols"]
        assert [list(row) for row in found.incidence] == golden[key]["data"]
        assert chain(found) == expected

    def test_mean_times(self, golden: Any, monks3_warehouse: Warehouse) -> None:
        found = only(monks3_warehouse, "mean", "time")
        assert found.values == pytest.approx(golden["time_mean"], rel=ROUNDING)

    def test_defaults_are_the_verdict_and_the_mean_of_times(
        self, monks3_warehouse: Warehouse
    ) -> None:
        error, time = prefer(monks3_warehouse)
        assert (error.id, time.id) == ("Misclassification/verdict", "Time/mean")


@pytest.fixture(scope="module")
def of_uci621(reference: Path) -> Any:
    text = (reference / "golden" / "uci621.json").read_text(encoding="utf-8")
    return json.loads(text)


@pytest.mark.slow
def test_the_relations_of_uci621(of_uci621: Any, uci621_warehouse: Warehouse) -> None:
    chains = {row["dataset"]: row["available"] for row in of_uci621["chain_table"]}
    local = of_uci621["local_available"]
    classes = {}
    errors = replace(uci621_warehouse, measures=uci621_warehouse.measures[:1])
    for dataset in errors.datasets:
        with by_verdict_alone():
            found = only(errors.only(dataset), "mixed-model")
        assert [list(row) for row in found.incidence] == local[dataset]["incidence"]["data"], (
            dataset
        )
        assert chain(found) == chains[dataset], dataset
        classes[dataset] = found.order_class
    without = {dataset for dataset, kind in classes.items() if kind not in ("linear", "weak")}
    assert without == {"Crcl", "ttnc"}


def test_without_gaps_what_has_no_chain_is_a_semiorder(uci621_warehouse: Warehouse) -> None:
    found = only(uci621_warehouse.only("Crcl"), "mixed-model")
    assert (found.order_class, found.chain, found.transitive) == ("semiorder", None, True)
    assert not found.negatively_transitive
    # printed p-values: knn-rf .24, rf-nnet .56, but knn is better than nnet
    assert ("knn", "rf", "nnet") in found.violations
    assert found.n_violations == len(found.violations)


# ---------------------------------------------------------------------- point statistics

COLUMNS = np.transpose(
    [
        (1.0, 2.0, 3.0, 4.0, 10.0),  # mean 4, median 3
        (5.0, 5.0, 5.0, 5.0, 5.0),
        (4.0, 4.0, 4.0, 4.0, 9.0),  # mean 5, as b
    ]
)


@pytest.mark.parametrize(
    ("by", "more", "smaller", "larger"),
    [
        ("mean", {}, "a < b~c", "b~c < a"),
        ("median", {}, "a < c < b", "b < c < a"),
        ("max", {}, "b < c < a", "b < c < a"),
        ("m-worst", {"m": 2}, "a~c < b", "b < c < a"),
        ("m-worst", {"m": 3}, "a < c < b", "b < c < a"),
        ("m-worst", {}, "b < c < a", "b < c < a"),  # ceil(.05 * 5) = 1
        ("quantile", {"quantile": 0.75}, "a~c < b", "b < c < a"),
        ("quantile", {}, "b < c < a", "b < c < a"),
    ],
)
def test_statistics_honour_the_direction(
    by: str, more: dict[str, Any], smaller: str, larger: str
) -> None:
    assert chain(only(make_warehouse(COLUMNS), by, **more)) == smaller
    assert chain(only(make_warehouse(COLUMNS, better="larger"), by, **more)) == larger


def test_statistics_and_levels_are_kept() -> None:
    warehouse = make_warehouse(COLUMNS)
    assert only(warehouse, "mean").values == {"a": 4.0, "b": 5.0, "c": 5.0}
    assert only(warehouse, "m-worst", alpha=0.3).level == 2
    assert only(warehouse, "quantile", alpha=0.1).level == 0.9
    assert only(warehouse, "quantile", quantile=0.5).values == {"a": 3.0, "b": 5.0, "c": 4.0}
    assert only(warehouse, "max").level is None
    assert only(warehouse, "percentile", alpha=0.1).level == 0.1


def test_epsilon_ties_make_a_semiorder() -> None:
    warehouse = make_warehouse(np.array([[0.03, 0.04, 0.05, 0.07]]))
    found = only(warehouse, "mean", epsilon=0.01)
    assert pairs(found) == {"ac", "ad", "bd", "cd"}  # .04 - .03 ties, for all its rounding
    assert found.order_class == "semiorder"
    assert (found.violations, found.n_violations) == ((("a", "b", "c"),), 1)
    assert found.epsilon == 0.01


def test_equal_means_tie_whatever_the_order_of_the_values() -> None:
    rng = np.random.default_rng(5)
    large = rng.normal(0, 1e6, 2000)
    values = np.concatenate([large, [0.01], -large])  # a small mean, of large sums on the way
    columns = np.transpose([values, np.sort(values), *(rng.permutation(values) for _ in "cdefgh")])
    assert chain(only(make_warehouse(columns), "mean")) == "a~b~c~d~e~f~g~h"
    shares = np.array([[0.1, 0.2], [0.3, 0.2]])  # 0.1 + 0.3 and 0.2 + 0.2
    assert chain(only(make_warehouse(shares), "mean")) == "a~b"


# ---------------------------------------------------------------------------------- tests


def noisy(means: list[float], n: int = 40, sd: float = 0.1, seed: int = 3) -> np.ndarray:
    """Return blocks around some means."""
    return np.asarray(means) + np.random.default_rng(seed).normal(0, sd, size=(n, len(means)))


@pytest.mark.parametrize("better", ["smaller", "larger"])
@pytest.mark.parametrize("by", ["mixed-model", "friedman"])
def test_tests_honour_the_direction(by: str, better: str) -> None:
    found = only(make_warehouse(noisy([1.0, 2.0, 2.0, 9.0]), better=better), by)
    forwards = {"ab", "ac", "ad", "bd", "cd"}
    assert pairs(found) == (forwards if better == "smaller" else {p[::-1] for p in forwards})


def test_percentile_intervals_make_an_interval_order() -> None:
    # intervals at level .5, type 7: a [1, 3], b [2, 6], c [4, 5], d [7, 8]
    columns = np.transpose([(0, 1, 2, 3, 4), (0, 2, 4, 6, 9), (3, 4, 4.5, 5, 6), (6, 7, 7.5, 8, 9)])
    found = only(make_warehouse(columns), "percentile", alpha=0.5)
    assert found.intervals == {"a": (1, 3), "b": (2, 6), "c": (4, 5), "d": (7, 8)}
    assert pairs(found) == {"ac", "ad", "bd", "cd"}
    larger = only(make_warehouse(columns, better="larger"), "percentile", alpha=0.5)
    assert pairs(larger) == {"ca", "da", "db", "dc"}


def test_touching_intervals_do_not_decide() -> None:
    columns = np.transpose([(0.0, 1.0, 2.0), (1.0, 2.0, 3.0), (1.01, 2.01, 3.01)])
    found = only(make_warehouse(columns), "percentile", alpha=0.5)  # a [.5, 1.5], b [1.5, 2.5]
    assert pairs(found) == {"ac"}


def test_relevance_enters_only_where_it_is_asked() -> None:
    # intervals: half-width about .09; the area is (-1, 1)
    warehouse = make_warehouse(noisy([1.0, 1.2, 2.03, 9.0], n=60))
    plain, relevant, loose = (
        only(warehouse, "mixed-model", relevant=how, relevance=AREA)
        for how in (None, "better", "not-equivalent")
    )
    assert pairs(plain) == {"ab", "ac", "ad", "bc", "bd", "cd"}
    assert pairs(relevant) == {"ad", "bd", "cd"}
    assert pairs(loose) == {"ac", "ad", "bd", "cd"}  # ac reaches into the area; ab, bc lie inside
    assert (plain.area, relevant.area) == (None, (-1.0, 1.0))


def test_options_of_the_section_hold_where_those_of_the_tests_differ() -> None:
    warehouse = make_warehouse(noisy([1.0, 1.06, 2.0], n=60))
    strict = only(warehouse, "mixed-model", alpha=1e-8, tested={"alpha": 0.05})
    loose = only(warehouse, "mixed-model", alpha=0.2, tested={"alpha": 1e-8})
    assert (pairs(strict), strict.level) == ({"ac", "bc"}, 1e-8)
    assert (pairs(loose), loose.level) == ({"ab", "ac", "bc"}, 0.2)
    tested = only(
        warehouse,
        "mixed-model",
        relevant="better",
        relevance={"error": (-0.5, 0.5)},
        tested={"relevance": {}},
    )
    assert pairs(tested) == {"ac", "bc"}


# ---------------------------------------------------------------------------- no relation


def test_what_has_no_values_is_incomparable() -> None:
    columns = COLUMNS.copy()
    columns[:, 1] = np.nan
    for by in ("mean", "median", "max", "m-worst", "quantile", "percentile"):
        found = only(make_warehouse(columns), by, alpha=0.5)
        assert found.candidates == ("a", "b", "c")
        assert found.missing_candidates == ("b",)
        assert not {p for p in pairs(found) if "b" in p}
        assert found.unavailable is None
    found = only(make_warehouse(columns), "mean")
    assert (found.chain, found.chain_of_rest, found.order_class) == (
        None,
        (("a",), ("c",)),
        "semiorder",
    )
    assert found.levels == (("a",), ("c",))
    assert (found.best, found.violations, found.order) == (("a",), (), (("a",), ("c",)))


def test_absent_candidates_are_no_part_of_tests() -> None:
    values = noisy([1.0, 5.0, 2.0])
    values[:, 1] = np.nan
    for by in ("mixed-model", "friedman"):
        found = only(make_warehouse(values), by)
        assert (pairs(found), found.missing_candidates) == ({"ac"}, ("b",))


def test_gaps_leave_every_candidate_its_own_values() -> None:
    columns = COLUMNS.copy()
    columns[4, 0] = np.nan  # a: 1, 2, 3, 4
    found = only(make_warehouse(columns), "mean")
    assert found.values == {"a": 2.5, "b": 5.0, "c": 5.0}
    kept = keep(make_warehouse(columns), "complete-dataset").warehouse
    complete = only(kept, "mean", missing="complete-dataset")
    assert complete.values == {"a": 2.5, "b": 5.0, "c": 4.0}
    assert (found.n_replications, complete.n_replications) == (5, 4)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([[np.nan, np.nan]], "no-values"),
        ([[1.0, np.nan], [2.0, np.nan]], "one-candidate"),
    ],
)
@pytest.mark.parametrize("by", ["mean", "percentile", "mixed-model", "friedman"])
def test_no_relation_without_two_candidates(values: list[Any], why: str, by: str) -> None:
    found = only(make_warehouse(np.array(values)), by)
    assert (found.unavailable, found.reason) == (why, None)
    assert not np.any(found.incidence)
    assert (found.chain, found.order_class) == (None, "none")


@pytest.mark.parametrize(
    ("values", "reason"),
    [([[1.0, 2.0]], "too-few-blocks"), ([[1.0, 2.0], [2.0, 3.0]], None)],
)
def test_no_test_no_relation(values: list[Any], reason: str | None) -> None:
    found = only(make_warehouse(np.array(values)), "mixed-model")
    assert (found.unavailable, found.reason) == ("no-test", reason)
    assert found.chain is None


def test_ranks_can_be_told_where_means_cannot() -> None:
    values = np.array([[1.0, 2.0]] * 12)  # no variation, but the same order twelve times
    assert pairs(only(make_warehouse(values), "friedman")) == {"ab"}


def test_one_candidate_is_none_to_prefer() -> None:
    assert not applies(make_warehouse(np.array([[1.0], [2.0]])))
    assert applies(make_warehouse(np.array([[1.0, 2.0]])))


# --------------------------------------------------------------------------- what it is


def test_all_tied_is_a_chain_of_one_class() -> None:
    found = only(make_warehouse(np.ones((3, 4))), "mean")
    assert (found.chain, found.order_class) == ((("a", "b", "c", "d"),), "weak")
    assert (found.covers, found.levels) == ((), (("a", "b", "c", "d"),))
    assert not found.complete
    assert found.negatively_transitive


def test_two_candidates() -> None:
    found = only(make_warehouse(np.array([[1.0, 2.0]])), "mean")
    assert (found.chain, found.order_class, found.complete) == ((("a",), ("b",)), "linear", True)
    assert (found.best, found.covers) == (("a",), (("a", "b"),))


@given(
    st.lists(
        st.tuples(*[st.integers(0, 6)] * 4),
        min_size=2,
        max_size=6,
    ),
    st.sampled_from(["mean", "median", "max", "m-worst", "quantile", "percentile", "friedman"]),
    st.floats(0, 2),
    st.sampled_from(["smaller", "larger"]),
)
def test_properties(rows: list[tuple[int, ...]], by: str, epsilon: float, better: str) -> None:
    values = np.array(rows, float)
    more = {"epsilon": epsilon} if by in ("mean", "median", "max", "m-worst", "quantile") else {}
    found = only(make_warehouse(values, better=better), by, alpha=0.3, **more)
    incidence = np.array(found.incidence, dtype=bool)
    assert found.order_class == order_class(incidence)
    assert found.asymmetric
    assert (found.chain is not None) == (found.order_class in ("linear", "weak"))
    assert (found.n_violations == 0) == (found.chain is not None)
    for i, _, k in found.violations:
        assert found.is_better(i, k) or not found.transitive
    assert sorted(n for level in found.levels for n in level) == list(found.candidates)
    assert set(found.covers) <= {(p[0], p[1]) for p in pairs(found)}
    # nothing is decided by where a column stands
    order = next(o for o in permutations(range(4)) if o != (0, 1, 2, 3))
    turned = only(make_warehouse(values[:, order], better=better), by, alpha=0.3, **more)
    renamed = {"".join("abcd"[order["abcd".index(c)]] for c in p) for p in pairs(turned)}
    assert renamed == pairs(found)
    # reversed, the measure says the same
    mirrored = only(
        make_warehouse(-values, better="larger" if better == "smaller" else "smaller"),
        by, alpha=0.3, **more,
    )  # fmt: skip
    assert pairs(mirrored) == pairs(found)


def test_what_tests_speak_about_is_said() -> None:
    values = noisy([1.0, 2.0])
    assert only(make_warehouse(values), "mixed-model").target == "conditional"
    simulated = make_warehouse(values, problem="simulation")
    assert only(simulated, "mixed-model").target == simulated.target == "generating-process"


def test_tied_candidates_stand_in_the_order_of_their_means() -> None:
    values = np.array([[0.3, 0.2, 0.2], [0.1, 0.2, 0.4], [0.3, 0.1, 0.2]])
    found = prefer(make_warehouse(values), {"measure": "error", "by": "median"})[0]
    assert found.values == {"a": 0.3, "b": 0.2, "c": 0.2}
    assert found.chain == (("b", "c"), ("a",))
    turned = prefer(make_warehouse(values[:, [0, 2, 1]]), {"measure": "error", "by": "median"})[0]
    assert turned.chain == (("c", "b"), ("a",))
    assert turned.best == ("c", "b")
    assert turned.levels[0] == ("c", "b")


def test_where_values_lack_is_counted() -> None:
    values = np.array([[0.3, 0.2], [0.1, np.nan], [0.3, 0.1]])
    found = prefer(make_warehouse(values), {"measure": "error", "by": "mean"})[0]
    assert found.n_values == {"a": 3, "b": 2}
    assert found.lost_to_failures == ()
