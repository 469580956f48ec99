"""The one table of pairs: read either way, in any order, with decisions."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import permutations
from math import exp, inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.decisions import OPPOSITE, decide
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PAIR_COLUMNS, Pair, PairTable, numbers_or_none
from reportgen.stats.pairs.paired_max_t import compare_ratios, paired_max_t

NAMES = ("svm", "rf", "lda", "knn")
CLOSE = 1e-12  # relative: a reciprocal of a reciprocal


def values(n: int = 20) -> np.ndarray:
    """Return values of four candidates, of which some pairs are decided."""
    return np.random.default_rng(1).normal(size=(n, 4)) + np.array([0.0, 0.2, 2.0, 4.0])


def table(is_smaller_better: bool = True) -> PairTable:
    found = paired_max_t(values(), 0.05, np.random.default_rng(1))
    return found.named(NAMES, "conditional", is_smaller_better).decided((-0.5, 0.5))


def ratios() -> PairTable:
    found = compare_ratios(np.exp(values()), 0.05, np.random.default_rng(1))
    return found.named(NAMES, "conditional").decided((1 / 1.1, 1.1))


def of_interval(lower: float, upper: float, **fields: object) -> PairTable:
    """Return a table of one pair with an interval."""
    middle = np.array([(lower + upper) / 2])
    columns = {"lower": lower, "upper": upper, "statistic": middle, **fields}
    found = PairTable.of(all_pairs(2), middle, "some", 0.05, **columns)
    return found.named(("a", "b"), "conditional")


# ------------------------------------------------------------------------------- rows


@pytest.mark.parametrize(
    ("lower", "upper", "kind", "first"),
    [
        (-3.0, -1.0, "relevant", "a"),
        (-3.0, -0.2, "better", "a"),
        (-0.3, -0.2, "slight", "a"),
        (-0.3, 0.2, "equivalent", "a"),
        (-0.3, 0.6, "undecided", "a"),
        (0.2, 0.3, "slight", "b"),
        (0.2, 3.0, "better", "b"),
        (1.0, 3.0, "relevant", "b"),
    ],
)
def test_what_is_decided_whoever_is_better(
    lower: float, upper: float, kind: str, first: str
) -> None:
    (pair,) = of_interval(lower, upper).decided((-0.5, 0.5))
    assert pair.kind == pair.reversed().kind == kind
    assert pair.better_first.first == pair.reversed().better_first.first == first or (
        kind in ("equivalent", "undecided")
    )
    (without,) = of_interval(lower, upper).decided()
    assert without.kind == ("better" if lower * upper > 0 else "undecided")


def test_rows() -> None:
    found = table()
    assert len(found) == 6
    assert [(row.first, row.second) for row in found] == [
        (NAMES[i], NAMES[j]) for i in range(4) for j in range(i + 1, 4)
    ]
    for place, row in enumerate(found):
        assert row == found[place] == found[place - 6] == found[place : place + 1][0]
        assert row.estimate == found.estimate[place]
        assert row.n == row.extra["n"] == 20
        assert (row.method, row.target) == (found.method, "conditional")
        assert isinstance(row.estimate, float)
        assert isinstance(row.significant, bool)
    assert found[1:3] == (found[1], found[2])
    with pytest.raises(IndexError):
        found[6]
    with pytest.raises(AttributeError, match="wins"):
        found[0].wins  # noqa: B018
    assert found == table()
    assert found != table(is_smaller_better=False)
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found[0])) == found[0]


def test_what_a_method_lacks_is_none() -> None:
    found = PairTable.of(all_pairs(2), np.array([1.0]), "some", 0.05, df=inf, statistic=inf)
    row = found[0]
    assert (row.first, row.second, row.decision) == ("0", "1", "undecided")
    for name in ("standard_error", "lower", "upper", "statistic", "df", "p_value"):
        assert getattr(row, name) is None
    assert not row.has_interval
    assert np.isnan(found.df[0])
    assert found.smallest_p_value is None
    assert table().smallest_p_value == table().adjusted_p_value.min()


def test_one_number_stands_in_every_row() -> None:
    found = PairTable.of(all_pairs(3), np.zeros(3), "some", 0.05, df=7, critical_value=2.0)
    assert found.df.tolist() == [7.0] * 3
    assert found.critical_value.tolist() == [2.0] * 3
    assert not found.is_open.any()


# -------------------------------------------------------------------------- either way


@pytest.mark.parametrize("make", [table, ratios])
def test_reversed_is_the_same_comparison(make) -> None:
    for row in make():
        other = row.reversed()
        assert (other.first, other.second) == (row.second, row.first)
        assert other.decision == OPPOSITE[row.decision]
        assert (other.significant, other.favoured) == (row.significant, row.favoured)
        assert (other.p_value, other.adjusted_p_value) == (row.p_value, row.adjusted_p_value)
        assert other.statistic == -row.statistic
        assert other.skewness == -row.skewness
        if row.scale == "ratio":
            expected = 1 / row.estimate, 1 / row.upper, 1 / row.lower
        else:
            expected = -row.estimate, -row.upper, -row.lower
        assert (other.estimate, other.lower, other.upper) == expected
        assert other.lower <= other.estimate <= other.upper


def test_reversed_twice_is_the_identity() -> None:
    for row in table():
        assert row.reversed().reversed() == row
    for row in ratios():
        again = row.reversed().reversed()
        numbers = ("estimate", "lower", "upper")
        assert replace(again, **{name: getattr(row, name) for name in numbers}) == row
        for name in numbers:
            assert getattr(again, name) == pytest.approx(getattr(row, name), rel=CLOSE)


def test_counts_change_places() -> None:
    found = table().counted(values(), is_smaller_better=True)
    for row in found:
        first, second = (values()[:, NAMES.index(name)] for name in (row.first, row.second))
        assert (row.wins, row.ties, row.losses) == (
            (first < second).sum(),
            0,
            (first > second).sum(),
        )
        other = row.reversed()
        assert (other.wins, other.ties, other.losses) == (row.losses, row.ties, row.wins)
    larger = table().counted(values(), is_smaller_better=False)
    assert larger.extra["wins"].tolist() == found.extra["losses"].tolist()


def test_counts_leave_out_what_is_missing() -> None:
    gaps = np.array([[1.0, 2.0], [nan, 2.0], [1.0, nan], [3.0, 3.0], [4.0, 3.0]])
    row = of_interval(-1, 1).counted(gaps, is_smaller_better=True)[0]
    assert (row.wins, row.ties, row.losses) == (1, 1, 1)


@pytest.mark.parametrize("make", [table, ratios])
def test_between(make) -> None:
    found = make()
    for row in found:
        assert found.between(row.first, row.second) == row
        assert found.between(row.second, row.first) == row.reversed()
    part = PairTable.of(all_pairs(2), np.zeros(1), "some", 0.05).named(("a", "b", "c"), "")
    assert part.between("a", "c") is None


@pytest.mark.parametrize("names", list(permutations(NAMES))[::5])
def test_in_order(names: tuple[str, ...]) -> None:
    found = table()
    rows = found.in_order(names)
    assert [(r.first, r.second) for r in rows] == [
        (names[i], names[j]) for i in range(4) for j in range(i + 1, 4)
    ]
    assert all(row == found.between(row.first, row.second) for row in rows)


def with_everything(scale: str, is_smaller_better: bool) -> PairTable:
    """Return a table with every column that changes when a pair is read the other way."""
    rng = np.random.default_rng(7)
    pairs = np.array([(i, j) if rng.random() < 0.5 else (j, i) for i, j in all_pairs(16).tolist()])
    middle = rng.normal(0, 0.5, len(pairs))
    width = rng.uniform(0.01, 0.7, len(pairs))
    middle[4], width[7] = 0.0, nan
    lower, upper = middle - width, middle + width
    given = [middle, lower, upper, lower + 0.05, upper - 0.05, lower - 0.03, upper + 0.03]
    if scale == "ratio":
        given = [np.exp(x) for x in given]
    estimate, lower, upper, *bounds = given
    found = PairTable.of(
        pairs,
        estimate,
        "some",
        0.05,
        lower=lower,
        upper=upper,
        statistic=middle / width,
        scale=scale,
        is_open=rng.random(len(pairs)) < 0.1,
    ).with_columns(
        wins=rng.integers(0, 9, len(pairs)),
        ties=rng.integers(0, 9, len(pairs)),
        losses=rng.integers(0, 9, len(pairs)),
        skewness=rng.normal(size=len(pairs)),
        reason=np.array([None, "no-variation"] * (len(pairs) // 2), dtype=object),
        **dict(zip(("tost_lower", "tost_upper", "adverse_first", "adverse_second"), bounds,
                   strict=True)),
    )  # fmt: skip
    area = (1 / 1.3, 1.3) if scale == "ratio" else (-0.25, 0.25)
    return found.named("abcdefghijklmnop", "domain", is_smaller_better).decided(area)


@pytest.mark.parametrize("is_smaller_better", [True, False])
@pytest.mark.parametrize("scale", ["difference", "ratio"])
def test_arranged_columns_are_those_of_the_pairs_read_one_by_one(
    scale: str, is_smaller_better: bool
) -> None:
    given = with_everything(scale, is_smaller_better)
    order = tuple("fbilpadgonmkjceh")
    found = given.arranged(order)
    rows = [p if order.index(p.first) < order.index(p.second) else p.reversed() for p in given]
    rows.sort(key=lambda p: (order.index(p.first), order.index(p.second)))
    assert [*found] == [*given.in_order(order)] == rows
    assert {row.decision for row in rows} >= {"better", "worse", "undecided", "equivalent"}
    assert found.both == [(row.first, row.second) for row in rows]
    assert found.words == [row.words for row in rows]
    assert found.kinds == [row.kind for row in rows]
    assert found.direction.tolist() == [row.way for row in rows]
    assert numbers_or_none(found.equivalence_bounds) == [row.equivalence_bound for row in rows]
    turned = zip(*map(numbers_or_none, found.of_second), strict=True)
    assert [*turned] == [row.of_second for row in rows]


def test_decided_is_the_rule_of_each_interval() -> None:
    for scale in ("difference", "ratio"):
        found = with_everything(scale, False)
        write = log if scale == "ratio" else float
        for row, is_open, way in zip(found, found.is_open, found.direction, strict=True):
            low, high = found.extra["adverse_first"], found.extra["adverse_second"]
            place = found.row_of(row.first, row.second)
            expected = "undecided"
            if not is_open and row.lower is None:
                expected = {1: "better", 0: "undecided", -1: "worse"}[way]
            elif not is_open:
                lower, upper = write(row.lower), write(row.upper)
                if row.is_undone_by_gaps:
                    lower, upper = min(lower, 0.0), max(upper, 0.0)
                edge = log(1.3) if scale == "ratio" else 0.25
                expected = decide(lower, upper, (-edge, edge), False)
                outside = max(abs(write(low[place])), abs(write(high[place]))) >= edge
                expected = "undecided" if expected == "equivalent" and outside else expected
            assert row.decision == expected


def test_rows_of_another_table_are_found_whichever_way_they_stand() -> None:
    mine = with_everything("difference", True)
    some = table().named(("d", "x", "a", "i"), "domain")
    for place, pair in zip(mine.rows_of(some).tolist(), some, strict=True):
        known = {pair.first, pair.second} <= set(mine.candidates)
        assert place == (mine.row_of(pair.first, pair.second) if known else -1)
    assert mine.at(np.array([3, 1])).rows == (mine[3], mine[1])


def test_empty() -> None:
    found = PairTable.of(np.empty((0, 2), dtype=np.intp), np.empty(0), "some", 0.05)
    assert (len(found), tuple(found), found.n_significant) == (0, (), 0)
    assert found.named(("a",), "").decided().in_order(("a",)) == ()


# --------------------------------------------------------------------------- decisions


@pytest.mark.parametrize("is_smaller_better", [True, False])
def test_incidence(is_smaller_better: bool) -> None:
    found = table(is_smaller_better)
    expected = np.zeros((4, 4), dtype=bool)
    for row in found:
        if row.significant:
            worse = row.second if row.favoured == row.first else row.first
            expected[NAMES.index(row.favoured), NAMES.index(worse)] = True
    assert found.incidence.tolist() == expected.tolist()
    assert found.n_significant == expected.sum() > 3
    best = "svm" if is_smaller_better else "knn"
    assert expected[NAMES.index(best)].sum() >= 2
    assert not (found.incidence & found.incidence.T).any()


intervals = st.tuples(st.floats(-5, 5), st.floats(-5, 5)).map(sorted)
areas = st.one_of(st.none(), st.floats(0.01, 3).map(lambda d: (-d, d)))


@given(intervals, areas, st.booleans())
def test_decided_by_the_interval(
    interval: list[float], area: tuple[float, float] | None, is_smaller_better: bool
) -> None:
    lower, upper = interval
    found = of_interval(lower, upper, is_smaller_better=is_smaller_better).decided(area)
    assert found.decision == (decide(lower, upper, area, is_smaller_better),)
    row = found[0]
    assert row.decision == found.decision[0]
    assert row.significant == (lower > 0 or upper < 0)
    assert row.reversed().decision == decide(-upper, -lower, area, is_smaller_better)
    if row.significant:
        first_is_smaller = upper < 0
        assert row.favoured == ("a" if first_is_smaller is is_smaller_better else "b")


@given(intervals, areas, st.booleans())
def test_ratios_are_decided_by_logarithms(
    interval: list[float], area: tuple[float, float] | None, is_smaller_better: bool
) -> None:
    lower, upper = (exp(bound) for bound in interval)
    edges = None if area is None else (exp(area[0]), exp(area[1]))
    found = of_interval(lower, upper, scale="ratio", is_smaller_better=is_smaller_better)
    logs = None if edges is None else (log(edges[0]), log(edges[1]))
    expected = decide(log(lower), log(upper), logs, is_smaller_better)
    assert found.decided(edges).decision == (expected,)
    assert found.no_difference == 1.0
    assert found[0].significant == (lower > 1 or upper < 1)


@pytest.mark.parametrize(
    ("p", "estimate", "is_smaller_better", "decision"),
    [
        (0.05, -1.0, True, "better"),
        (0.05, -1.0, False, "worse"),
        (0.0501, -1.0, True, "undecided"),
        (0.01, 1.0, True, "worse"),
        (0.01, 0.0, True, "undecided"),
        (nan, 1.0, True, "undecided"),
    ],
)
def test_decided_by_p_where_there_is_no_interval(
    p: float, estimate: float, is_smaller_better: bool, decision: str
) -> None:
    found = PairTable.of(all_pairs(2), np.array([estimate]), "some", 0.05, adjusted_p_value=p)
    row = found.named(("a", "b"), "", is_smaller_better).decided((-9.0, 9.0))[0]
    assert row.decision == decision
    assert row.significant == (decision != "undecided")


def test_ranks_without_an_estimate_go_by_the_sign_of_the_statistic() -> None:
    found = PairTable.of(
        all_pairs(3),
        np.full(3, nan),
        "some",
        0.05,
        statistic=np.array([-3.0, 3.0, 0.1]),
        adjusted_p_value=np.array([0.01, 0.01, 0.9]),
    )
    decided = found.named("abc", "", is_smaller_better=True).decided()
    assert decided.decision == ("better", "worse", "undecided")


def test_open_pairs_are_undecided_whatever_their_interval() -> None:
    found = of_interval(-0.1, 0.1, is_open=np.array([True])).decided((-1.0, 1.0))
    assert found.decision == ("undecided",)
    found = of_interval(2.0, 3.0, is_open=np.array([True]), adjusted_p_value=nan).decided()
    assert (found[0].decision, found[0].significant, found[0].favoured) == (
        "undecided",
        False,
        None,
    )
    assert not found.incidence.any()


def test_equivalent_and_significant_are_both_kept() -> None:
    row = of_interval(0.1, 0.4).decided((-0.5, 0.5))[0]
    assert (row.decision, row.significant, row.favoured) == ("equivalent", True, "b")


@pytest.mark.parametrize("make", [table, ratios])
def test_equivalence_bound_is_the_smallest_area(make) -> None:
    found = make()
    for place, row in enumerate(found):
        bound = row.equivalence_bound
        for width, is_equivalent in ((1.0001, True), (0.9999, False)):
            area = (-bound * width, bound * width)
            if row.scale == "ratio":
                area = (1 / bound**width, bound**width)
            assert (found.decided(area)[place].decision == "equivalent") is is_equivalent


@given(
    st.integers(0, 5000),
    st.integers(2, 30),
    st.sampled_from([(0.0, 1.0), (-2.0, 5.0), (0.0, None), (None, None)]),
    st.floats(0.01, 1.0),
    st.booleans(),
)
def test_intervals_end_at_what_bounds_allow_and_no_decision_moves(
    seed: int, n: int, bounds: tuple[float | None, float | None], spread: float, is_tied: bool
) -> None:
    rng = np.random.default_rng(seed)
    low, high = (
        (-2.0 if bounds[0] is None else bounds[0]),
        (3.0 if bounds[1] is None else bounds[1]),
    )
    middle = (low + high) / 2
    drawn = np.clip(rng.normal(middle, spread * (high - low), (n, 3)), low, high)
    drawn = np.round(drawn) if is_tied else drawn
    whole = paired_max_t(drawn, 0.05, rng, has_tost=True)
    found = whole.inside(bounds)
    assert found.significant.tolist() == whole.significant.tolist()
    known = np.isfinite(found.lower)
    assert (known == np.isfinite(whole.lower)).all()
    assert (found.lower[known] <= found.estimate[known]).all()
    assert (found.estimate[known] <= found.upper[known]).all()
    if None in bounds:
        assert found.lower[known].tolist() == whole.lower[known].tolist()
    else:
        width = bounds[1] - bounds[0]
        assert (found.lower[known] >= -width).all()
        assert (found.upper[known] <= width).all()
        assert (np.abs(found.extra["tost_upper"][known]) <= width).all()
        is_within = known & (whole.lower >= -width) & (whole.upper <= width)
        assert found.lower[is_within].tolist() == whole.lower[is_within].tolist()


def test_ratios_have_no_bounds() -> None:
    assert ratios().inside((0.0, 1.0)) == ratios()


def test_named_keeps_the_direction_unless_told() -> None:
    larger = table(is_smaller_better=False)
    assert larger.named(NAMES, "domain").is_smaller_better is False
    assert larger.named(NAMES, "domain").target == "domain"


def test_further_columns() -> None:
    found = table().with_columns(n_runs=np.arange(6))
    assert [row.n_runs for row in found] == list(range(6))
    assert {"n", "skewness", "is_constant", "n_runs"} <= set(found.extra)
    assert isinstance(found[0], Pair)


# ------------------------------------------------------------------- further columns


def test_a_column_without_its_row_is_refused() -> None:
    with pytest.raises(ValueError, match="found n_pages; allowed the names of FURTHER_COLUMNS"):
        table().with_columns(n_pages=np.zeros(6))


def test_further_columns_read_the_other_way_as_their_rows_say() -> None:
    further = {
        "n_first": np.arange(6),
        "n_second": np.arange(6) + 10,
        "rank_difference": np.arange(6) - 2.5,
        "posterior_better": np.linspace(0, 0.5, 6),
        "posterior_worse": np.linspace(0.5, 0, 6),
        "n_tasks": np.arange(6) + 3,
    }
    found = table().with_columns(**further)
    turned = found.arranged(NAMES[::-1])
    for pair in found:
        other = turned.between(pair.second, pair.first)
        for back in (other, pair.reversed()):
            assert (back.n_first, back.n_second) == (pair.n_second, pair.n_first)
            assert back.rank_difference == -pair.rank_difference
            assert (back.posterior_better, back.posterior_worse) == (
                pair.posterior_worse,
                pair.posterior_better,
            )
            assert back.n_tasks == pair.n_tasks


def test_partners_name_each_other() -> None:
    for name, column in PAIR_COLUMNS.items():
        if column.partner:
            partner = PAIR_COLUMNS[column.partner]
            assert partner.partner == name
            assert (partner.kind, partner.sign) == (column.kind, column.sign)


def test_rows_are_found_by_the_names_of_two() -> None:
    found = table()
    pairs = [("knn", "svm"), ("svm", "rf"), ("svm", "other")]
    assert found.rows_between(pairs).tolist() == [found.row_of("svm", "knn"), 0, -1]
    assert found.rows_between([]).tolist() == []
