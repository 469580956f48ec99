"""What functions of arrays accept, and what they say of anything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen import stats

RNG = np.random.default_rng(1)
WORSE = np.array([0, 0, 0.1])
VALUES = RNG.normal(0.3, 0.05, size=(40, 3)) + WORSE
DOMAIN = RNG.normal(0.3, 0.05, size=(8, 10, 3)) + WORSE
GAP = np.where(np.arange(120).reshape(40, 3) == 7, np.nan, VALUES)  # row 2, column 1
NAMES = ("lda", "svm", "nnet")

Call = Callable[..., Any]


def _new_data(values: Any, names: Any = None, **options: Any) -> Any:
    return stats.compare_new_data(values, 0.5, names, **options)


def _worth_tree(values: Any, names: Any = None, **options: Any) -> Any:
    return stats.worth_tree(values, {"size": np.arange(len(values))}, names, **options)


MATRIX: dict[str, Call] = {
    "friedman": stats.friedman,
    "nemenyi": stats.nemenyi,
    "signed_rank": stats.signed_rank,
    "bayesian_signed_rank": stats.bayesian_signed_rank,
    "compare_pairs": stats.compare_pairs,
    "compare_new_data": _new_data,
    "sequential_combination_test": stats.sequential_combination_test,
    "sequential_group_test": stats.sequential_group_test,
    "sequential_e_process": stats.sequential_e_process,
}
MANY: dict[str, Call] = {
    "domain_model": stats.domain_model,
    "bradley_terry": stats.bradley_terry,
    "worth_tree": _worth_tree,
}
COMPLETE = ("friedman", "nemenyi", "signed_rank", "bayesian_signed_rank")
WITH_ALPHA = (set(MATRIX) | set(MANY)) - {"friedman", "bayesian_signed_rank", "bradley_terry"}
ALL = MATRIX | MANY

of_matrices = pytest.mark.parametrize("call", MATRIX.values(), ids=MATRIX)
of_values = pytest.mark.parametrize("call", ALL.values(), ids=ALL)


def refused(message: str) -> Any:
    return pytest.raises(ValueError, match=re.escape(message))


# ------------------------------------------------------------------------------ what is accepted


@of_matrices
def test_lists_frames_and_masks_are_arrays(call: Call) -> None:
    expected = call(VALUES, NAMES).to_frame()
    frame = pd.DataFrame(VALUES, columns=NAMES)
    for values in (frame, frame.astype("Float64")):
        pd.testing.assert_frame_equal(call(values).to_frame(), expected)
    for values in (VALUES.tolist(), np.ma.masked_array(VALUES), [*map(tuple, VALUES)]):
        pd.testing.assert_frame_equal(call(values, NAMES).to_frame(), expected)


def test_masked_cells_are_missing() -> None:
    masked = np.ma.masked_array(VALUES, mask=np.isnan(GAP))
    expected = stats.compare_pairs(GAP)
    assert expected.extra["n"].tolist() == [39, 40, 39]
    for values in (masked, pd.DataFrame(GAP).astype("Float64")):
        found = stats.compare_pairs(values)
        pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    with refused("values: found nan of '1' in replication 2; allowed finite numbers"):
        stats.friedman(masked)


@pytest.mark.parametrize("call", MANY.values(), ids=MANY)
def test_data_sets_may_be_a_list(call: Call) -> None:
    expected = call(DOMAIN, NAMES).to_frame()
    as_frames = [pd.DataFrame(own, columns=NAMES) for own in DOMAIN]
    pd.testing.assert_frame_equal(call([*DOMAIN], NAMES).to_frame(), expected)
    pd.testing.assert_frame_equal(call(as_frames).to_frame(), expected)


def test_data_sets_may_have_their_own_numbers_of_replications() -> None:
    padded = DOMAIN.copy()
    padded[2, 6:] = np.nan
    found = stats.domain_model([*DOMAIN[:2], DOMAIN[2, :6], *DOMAIN[3:]], NAMES)
    expected = stats.domain_model(padded, NAMES)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())


def test_a_matrix_has_the_means_of_data_sets_or_the_samples_of_one() -> None:
    means = DOMAIN.mean(axis=1)
    assert len(stats.domain_model(means).model.dataset_effects) == len(means)
    assert stats.bradley_terry(VALUES).n_comparisons == 3 * len(VALUES)
    assert stats.bradley_terry(GAP).n_comparisons == 3 * len(VALUES) - 2  # pairs with a value


def test_names_are_places_where_there_are_none() -> None:
    assert stats.compare_pairs(VALUES).candidates == ("0", "1", "2")
    assert stats.friedman(pd.DataFrame(VALUES)).candidates == ("0", "1", "2")


@of_matrices
def test_the_better_side(call: Call) -> None:
    """Turned values with the other side better are the same comparison."""
    smaller = call(VALUES, NAMES).to_frame()
    larger = call(-VALUES, NAMES, better="larger").to_frame()
    for column in {"p_value", "decision", "decided_at", "wins", "better"} & {*smaller}:
        pd.testing.assert_series_equal(smaller[column], larger[column])


def test_seeds_and_generators() -> None:
    values = np.random.default_rng(2).normal(size=(80, 3))
    seeded = [stats.compare_pairs(values, rng=7) for _ in range(2)]
    given = stats.compare_pairs(values, rng=np.random.default_rng(7))
    other = stats.compare_pairs(values, rng=8)
    assert seeded[0].method == "own-variance"
    assert tuple(seeded[0]) == tuple(seeded[1]) == tuple(given)
    assert tuple(seeded[0]) != tuple(other)


def test_relevance_alone_is_both_ways() -> None:
    found = stats.compare_pairs(VALUES, relevance=0.02)
    assert tuple(found) == tuple(stats.compare_pairs(VALUES, relevance=(-0.02, 0.02)))
    assert "tost_lower" in found.extra


def test_relevance_of_ratios() -> None:
    seconds = np.exp(VALUES)
    pair = stats.compare_pairs(seconds, NAMES, scale="ratio", relevance=(0.8, 1.25))
    alone = stats.compare_pairs(seconds, NAMES, scale="ratio", relevance=1.25)
    assert tuple(pair) == tuple(alone)
    logarithms = stats.compare_pairs(VALUES, NAMES, relevance=(-np.log(1.25), np.log(1.25)))
    assert pair.decision == logarithms.decision
    assert np.log(pair.lower).tolist() == pytest.approx(logarithms.lower.tolist(), abs=1e-12)


# ------------------------------------------------------------------------------ what is refused


@of_values
def test_shapes(call: Call) -> None:
    for values in (np.zeros(5), np.zeros((2, 3, 4, 2)), 1.0):
        with refused("values: found shape"):
            call(values) if call is not _worth_tree else stats.worth_tree(values, {})
    with refused("values: found shape (8, 1)"):
        call(np.zeros((8, 1)) if call not in MANY.values() else np.zeros((2, 8, 1)))


@of_values
def test_what_is_no_number(call: Call) -> None:
    for values in ([["a", "b"], ["c", "d"]], [[1j, 2j], [1j, 3j]], [[None, {}], [1, 2]]):
        with refused("values: found"):
            call(values)


@of_values
def test_infinite_values(call: Call) -> None:
    values = DOMAIN.copy() if call in MANY.values() else VALUES.copy()
    values[..., 3, 1] = -np.inf
    with refused("values: found -inf of 'svm' in "):
        call(values, NAMES)


@pytest.mark.parametrize("name", COMPLETE)
def test_missing_values(name: str) -> None:
    rows = "replication" if name in ("friedman", "signed_rank") else "data set"
    with refused(f"values: found nan of 'svm' in {rows} 2; allowed finite numbers"):
        MATRIX[name](GAP, NAMES)


@of_values
def test_names(call: Call) -> None:
    values = DOMAIN if call in MANY.values() else VALUES
    with refused("names: found 2 names; allowed 3, one a candidate"):
        call(values, NAMES[:2])
    with refused("names: found 'svm' twice; allowed names that differ"):
        call(values, ["lda", "svm", "svm"])
    with refused("names: found 'svm'; allowed 3 names"):
        call(values, "svm")


@of_values
def test_better(call: Call) -> None:
    values = DOMAIN if call in MANY.values() else VALUES
    with refused("better: found 'larg'; allowed smaller, larger; did you mean larger?"):
        call(values, better="larg")
    with refused("better: found True; allowed smaller, larger"):
        call(values, better=True)


@pytest.mark.parametrize("name", sorted(WITH_ALPHA))
def test_alpha(name: str) -> None:
    values = DOMAIN if name in MANY else VALUES
    for alpha in (0, 1, -0.05, "5%", None, True, np.nan):
        with refused(f"alpha: found {alpha!r}; allowed a number inside (0, 1)"):
            ALL[name](values, alpha=alpha)


@pytest.mark.parametrize(
    "name", ["compare_pairs", "compare_new_data", "domain_model", "bayesian_signed_rank"]
)
def test_relevance(name: str) -> None:
    values = DOMAIN if name in MANY else VALUES
    for area in ((-0.1, 0.2), (0.1, -0.1), (0, 0), (-np.inf, np.inf), -0.1, 0, (1,), "0.1"):
        with refused(f"relevance: found {area!r}"):
            ALL[name](values, relevance=area)


def test_relevance_of_ratios_is_a_ratio() -> None:
    for area in ((-0.1, 0.1), (0.5, 1.25), 0.9, 1):
        with refused(f"relevance: found {area!r}"):
            stats.compare_pairs(VALUES, scale="ratio", relevance=area)
    for call in (stats.compare_pairs, _new_data):
        with refused("values: found 0.0; allowed numbers above 0 for ratios"):
            call(np.abs(VALUES) * [0, 1, 1], scale="ratio")


def test_rng() -> None:
    for rng in (None, -1, 1.5, "seed", True, np.random.RandomState(1)):
        with refused("rng: found"):
            stats.compare_pairs(VALUES, rng=rng)


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("factor", [1e90, 1e-90])
def test_values_of_unusual_size(name: str, factor: float) -> None:
    values = DOMAIN if name in MANY else VALUES
    found, expected = (ALL[name](own, NAMES).to_frame() for own in (factor * values, values))
    shown = {"p_value", "decision", "decided_at", "better", "worth", "df"} & {*expected}
    assert shown
    for column in shown:
        assert found[column].tolist() == pytest.approx(expected[column].tolist(), nan_ok=True)


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_values_whose_squares_are_beyond_floating_point(name: str, factor: float) -> None:
    values = DOMAIN if name in MANY else VALUES
    with refused("allowed sizes from 1e-100 to 1e+100: take another unit"):
        ALL[name](factor * values)


def test_data_sets() -> None:
    with refused("values: found 1 data set; allowed at least 2"):
        stats.domain_model(DOMAIN[:1])
    with refused("values: found no value of data set 1"):
        stats.domain_model(np.where(np.arange(8)[:, None, None] == 1, np.nan, DOMAIN))
    with refused("values: found no value of 'svm'"):
        stats.bradley_terry(np.where(np.arange(3) == 1, np.nan, DOMAIN), NAMES)
    with refused("values: found a single replication of data set 1"):
        stats.domain_model([DOMAIN[0], DOMAIN[1, :1], DOMAIN[2]])
    frames = [pd.DataFrame(own, columns=NAMES) for own in DOMAIN]
    turned = frames[1][[*NAMES[::-1]]]
    with refused(f"values: found the columns {', '.join(NAMES[::-1])} of data set 1; allowed"):
        stats.domain_model([frames[0], turned])
    with refused("values: found shapes (10, 3), (10, 2); allowed"):
        stats.domain_model([DOMAIN[0], DOMAIN[1, :, :2]])
    with refused("values: found shape (0,)"):
        stats.domain_model([])
    with refused("values: found no data set"):
        stats.domain_model(np.zeros((0, 10, 3)))


def test_relations() -> None:
    cycle = np.roll(np.eye(3), 1, axis=1)
    with refused("relations: found 0.5 in a relation; allowed 0 and 1"):
        stats.consensus([cycle / 2])
    with refused("relations: found shape (1, 3, 2)"):
        stats.consensus(np.zeros((1, 3, 2)))
    with refused("relations: found an infinite rank"):
        stats.consensus([[1, 2, np.inf]])
    with refused("order_class: found 'week'; allowed linear, weak"):
        stats.consensus([cycle], order_class="week")
    with refused("limit: found 0; allowed a whole number of at least 1"):
        stats.consensus([cycle], limit=0)
    with pytest.raises(ValueError, match="weights must be 1 non-negative numbers"):
        stats.consensus([cycle], weights=[-1])
    with pytest.raises(ValueError, match="each of 0 and 1 is better than the other"):
        stats.consensus([np.ones((2, 2)) - np.eye(2)])


def test_reference() -> None:
    message = "reference: found 'svn'; allowed lda, svm, nnet; did you mean svm?"
    with refused(message):
        stats.bradley_terry(VALUES, NAMES, reference="svn")
    with refused(message):
        _worth_tree(DOMAIN, NAMES, reference="svn")


def test_characteristics() -> None:
    with refused("characteristics: found 'size' of shape (3,); allowed (8,), one a data set"):
        stats.worth_tree(DOMAIN, {"size": [1, 2, 3]})
    for option in ("min_size", "permutations", "max_depth"):
        with refused(f"{option}: found 1.5; allowed a whole number"):
            _worth_tree(DOMAIN, **{option: 1.5})
    with refused("epsilon: found -1"):
        _worth_tree(DOMAIN, epsilon=-1)


def test_archetypes() -> None:
    triangle = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.3, 0.3]]
    with refused("k: found 4; allowed 1 to 3, as the hull of the rows has no more vertices"):
        stats.archetypes(triangle, 4)
    with refused("fit: found 'robst'; allowed original, weighted, robust; did you mean robust?"):
        stats.archetypes(triangle, fit="robst")
    with refused("names: found 3 names; allowed 2, one a column"):
        stats.archetypes(triangle, names=NAMES)
    with refused("most: found 1; allowed a whole number of at least 2"):
        stats.archetypes(triangle, most=1)
    with pytest.raises(ValueError, match="weights belong to the weighted method"):
        stats.archetypes(triangle, row_weights=[1, 1, 1, 1])
    with pytest.raises(ValueError, match="rows must have shape"):
        stats.archetypes([1.0, 2.0])


def test_stages() -> None:
    with refused("stage: found 1; allowed a whole number of at least 2"):
        stats.sequential_group_test(VALUES, stage=1)
    with refused("most: found 39; allowed a whole number of at least 40"):
        stats.sequential_combination_test(VALUES, most=39)
    with refused("values: found 40 rows; allowed at least 50, a stage"):
        stats.sequential_combination_test(VALUES, most=100)
    with refused("relevance: found an area with test 'sign'; allowed t or permutation"):
        stats.sequential_combination_test(VALUES, test="sign", relevance=(-0.1, 0.1))
    with refused("rule: found 'constant'; allowed obrien-fleming, pocock"):
        stats.sequential_group_test(VALUES, rule="constant")


def test_bounds_are_those_of_differences() -> None:
    rates = [[0.0, 1.0], [0.0, 0.9], [0.1, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.2, 1.0]]
    free = stats.compare_pairs(rates)
    found = stats.compare_pairs(rates, bounds=(0.0, 1.0))
    assert free.lower[0] < found.lower[0] == -1.0
    assert found.upper[0] == free.upper[0]
    assert stats.compare_pairs(rates, bounds=(0.0, None)) == free
    with pytest.raises(ValueError, match=r"values: found 1.0"):
        stats.compare_pairs(rates, bounds=(0.0, 0.95))
