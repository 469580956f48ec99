"""What a page carries of the replications is what was measured, in the same order."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Measure
from reportgen.rendering import explorer_data
from reportgen.rendering.explorer_data import (
    BYTES_A_VALUE,
    MISSING,
    MOST_BYTES,
    TOP,
    Explorer,
    explorer,
    to_steps,
)
from reportgen.report import Report
from reportgen.warehouse import Warehouse
from reportgen.warehouse.samples import Samples
from tests import made_up
from tests.builders import report_with, warehouse_of, warehouse_of_rows

ERROR, TIME = Measure("error", "smaller", "share"), Measure("time", "smaller", "s")
NAMES = ("a", "b", "c")
ROUNDING = 1e-6  # of a step: floating noise
HALF = 0.5 + ROUNDING

values = st.floats(-1e6, 1e6, allow_nan=False) | st.integers(0, 3).map(float) | st.just(np.nan)


def report_of(warehouse: Warehouse) -> Report:
    found = tuple(
        warehouse.performances(d, m.name) for d in warehouse.datasets for m in warehouse.measures
    )
    return replace(report_with(warehouse), performances=found)


def packed(made: Explorer) -> Any:
    return json.loads(made.data)


def unpacked(entry: dict[str, Any], n: int) -> NDArray[np.float64]:
    steps = np.frombuffer(base64.b64decode(entry["v"]), "<u2").reshape(-1, n).T.astype(float)
    levels = entry["lo"] + steps / TOP * (entry["hi"] - entry["lo"])
    return np.where(steps == MISSING, np.nan, 10**levels if entry["log"] else levels)


def one_measure(matrix: ArrayLike, measure: Measure = ERROR) -> Warehouse:
    matrix = np.asarray(matrix, float)
    return warehouse_of({measure: matrix}, [f"k{i}" for i in range(matrix.shape[1])])


# ------------------------------------------------------------------------------ steps


@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=values))
def test_steps_keep_the_order_of_every_replication(given_values: NDArray[np.float64]) -> None:
    _, _, steps = to_steps(given_values, is_log=False)
    missing = np.isnan(given_values)
    assert ((steps == MISSING) == missing).all()
    for row, coded in zip(given_values, steps.astype(int), strict=True):
        there = ~np.isnan(row)
        theirs = np.sign(row[there][:, None] - row[there][None, :])
        ours = np.sign(coded[there][:, None] - coded[there][None, :])
        assert (theirs == ours).all()


def test_steps_are_half_a_step_off_at_most() -> None:
    rng = np.random.default_rng(1)
    for is_log, drawn in ((False, rng.normal(size=(200, 1))), (True, rng.lognormal(size=(200, 1)))):
        lower, upper, steps = to_steps(drawn, is_log=is_log)
        levels = np.log10(drawn) if is_log else drawn
        off = levels - (lower + steps / TOP * (upper - lower))
        assert np.abs(off).max() <= HALF * (upper - lower) / TOP


def test_different_values_of_a_replication_never_meet() -> None:
    """One value dwarfs all others: their range is a single step."""
    _, _, steps = to_steps(np.array([[1.0, 2.0, 3.0, 1.0], [0.0, 1e9, 1e9 - 1, 1e9]]), is_log=False)
    assert steps.tolist() == [[0, 1, 2, 0], [0, TOP, TOP - 1, TOP]]


def test_one_value_and_no_value() -> None:
    assert to_steps(np.array([[0.5, 0.5]]), is_log=False)[2].tolist() == [[0, 0]]
    assert to_steps(np.full((1, 2), np.nan), is_log=False)[2].tolist() == [[MISSING, MISSING]]
    huge = to_steps(np.array([[-1.7e308, 1.7e308]]), is_log=False)[2]
    assert huge.tolist() == [[0, TOP]]


# ------------------------------------------------------------------------------ data


def test_means_are_those_that_are_printed() -> None:
    """Of steps of the range the first one is 1.80."""
    values = np.array([[0.0125, 0.2, np.nan], [0.0236, 0.4, np.nan]])
    (found,) = packed(explorer(report_of(one_measure(values)), {}))["sets"]
    assert found["m"][0]["means"] == ["1.81", "30.00", "–"]


def test_values_come_back() -> None:
    rng = np.random.default_rng(2)
    errors, times = rng.random((40, 3)), 10 ** rng.uniform(-3, 2, (40, 3))
    errors[3, 1] = np.nan
    made = explorer(report_of(warehouse_of({ERROR: errors, TIME: times}, NAMES)), {"d": "data-d"})
    assert (made.n_datasets, made.n_measures, made.n_omitted, made.is_too_large) == (1, 2, 0, False)
    found = packed(made)
    assert found["names"] == [*NAMES]
    (dataset,) = found["sets"]
    assert (dataset["name"], dataset["anchor"], dataset["B"]) == ("d", "data-d", 40)
    assert "numbers" not in dataset
    np.testing.assert_allclose(unpacked(dataset["m"][0], 40), errors, atol=1e-5)
    np.testing.assert_allclose(unpacked(dataset["m"][1], 40), times, rtol=2e-4)
    assert [m["log"] for m in dataset["m"]] == [False, True]


def test_candidates_stand_in_the_order_of_their_means() -> None:
    matrix = [[0.3, np.nan, 0.1, 0.2], [0.3, np.nan, 0.2, 0.2]]
    smaller = packed(explorer(report_of(one_measure(matrix)), {}))
    assert smaller["sets"][0]["m"][0]["order"] == [2, 3, 0]
    larger = Measure("accuracy", "larger", "share")
    found = packed(explorer(report_of(one_measure(matrix, larger)), {}))
    assert found["measures"] == [{"name": "accuracy", "larger": True}]
    assert found["sets"][0]["m"][0]["order"] == [0, 3, 2]


def test_replications_keep_their_numbers_and_measures_their_gaps() -> None:
    rows = [("d", b, k, "error", 0.1 * b) for b in (3, 5, 9) for k in "ab"]
    rows += [("d", b, k, "time", float(b)) for b in (3, 9) for k in "ab"]
    report = report_of(warehouse_of_rows(rows, (ERROR, TIME)))
    (dataset,) = packed(explorer(report, {}))["sets"]
    assert dataset["numbers"] == [3, 5, 9]
    assert np.isnan(unpacked(dataset["m"][1], 3)).any(axis=1).tolist() == [False, True, False]


def test_nothing_is_explored_without_replications_of_two_candidates() -> None:
    for matrix in ([[0.1, 0.2]], [[0.1], [0.2]], [[0.1, np.nan], [np.nan, 0.2], [0.3, 0.4]]):
        made = explorer(report_of(one_measure(matrix)), {})
        assert (made.n_datasets, made.is_too_large) == (0, False)
        assert packed(made)["sets"] == []


def test_a_report_without_performances_has_its_names() -> None:
    made = explorer(report_with(one_measure([[0.1, 0.2], [0.1, 0.3]])), {})
    assert packed(made)["names"] == ["k0", "k1"]
    assert made.n_datasets == 0


@pytest.mark.slow
@pytest.mark.parametrize(("share", "n_measures"), [(0.4, 2), (0.6, 1), (1.1, 0)])
def test_a_page_has_room_for_so_many_values(share: float, n_measures: int) -> None:
    n = int(share * MOST_BYTES / BYTES_A_VALUE / 2)
    matrix = np.linspace(0.1, 0.9, 2 * n).reshape(n, 2)
    made = explorer(report_of(warehouse_of({ERROR: matrix, TIME: matrix}, "ab")), {})
    assert (made.n_measures, made.n_omitted) == (n_measures, 2 - n_measures)
    assert made.is_too_large == (n_measures == 0)
    assert len(made.data) < 1.2 * MOST_BYTES


def test_names_end_no_element() -> None:
    name = "</script><script>alert(1)</script>\u202e"
    made = explorer(
        report_of(warehouse_of({ERROR: np.ones((3, 2))}, [name, "b"], dataset=name)), {}
    )
    assert "<" not in made.data
    assert packed(made)["names"][0] == name[:-1]
    assert packed(made)["sets"][0]["name"] == name[:-1]


def test_decimals_are_those_that_the_steps_resolve() -> None:
    wide = one_measure([[0.0, 1.0], [1e7, 2.0]], Measure("m"))
    assert packed(explorer(report_of(wide), {}))["sets"][0]["m"][0]["decimals"] == 0


# ------------------------------------------------------------------------------ pairs, samples


@pytest.fixture(scope="module")
def few() -> Report:
    return made_up.report_of(made_up.MADE_UP["few"])


def test_pairs_are_those_of_the_verdict(few: Report) -> None:
    found = packed(explorer(few, {}))["pairs"]
    (verdict,) = (v for c in few.contents if c.name == "inference" for v in c.verdicts)
    (pair,) = verdict.best_first
    (family,) = found
    assert family["area"] == [-0.01, 0.01]
    assert (family["ratio"], family["unit"]) == (False, "pp")
    (row,) = family["rows"]
    names = [few.design.candidates[k] for k in row[:2]]
    assert pair.estimate < 0  # of an error: the first is better, and its advantage positive
    assert names == [pair.first, pair.second]
    assert row[2:5] == [-pair.estimate, -pair.upper, -pair.lower]
    assert row[6] is bool(verdict.pairs.is_open[0])
    assert row[7] == pair.words


def test_a_page_has_room_for_so_many_pairs(few: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of more are not made: of 1,000 candidates they take a second and 0.2 GB."""
    monkeypatch.setattr(explorer_data, "MOST_PACKED", 0)
    monkeypatch.setattr(explorer_data, "_family", None)
    made = explorer(few, {})
    assert (made.has_pairs, made.n_omitted_pairs) == (False, 1)
    assert made.is_one_pair
    assert packed(made)["pairs"] == []


def test_many_pairs_of_the_first_verdict_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    report = made_up.report_of(made_up.MADE_UP["domain"])
    listed = packed(explorer(report, {}))["pairs"]
    n_pairs = len(listed[0]["rows"])
    monkeypatch.setattr(explorer_data, "MOST_PAIRS", n_pairs - 1)
    made = explorer(report, {})
    (family,) = packed(made)["pairs"]
    assert made.n_omitted_pairs == sum(len(other["rows"]) for other in listed[1:])
    own = family.pop("packed")
    both = np.frombuffer(base64.b64decode(own["both"]), "<u2").reshape(-1, 2).tolist()
    numbers = np.frombuffer(base64.b64decode(own["numbers"]), "<f8").reshape(-1, 3).tolist()
    said = [own["said"][k] for k in base64.b64decode(own["which"])]
    rows = [[*pair, *x, *words] for pair, x, words in zip(both, numbers, said, strict=True)]
    assert family | {"rows": rows} == listed[0]


def test_samples_are_packed_by_the_numbers_of_the_replications() -> None:
    rows = [("d", b, k, "error", 0.1 * b) for b in (3, 5, 9) for k in "ab"]
    times = np.array([[2.0, 0, 1], [1, 1, 1], [0, 3, 0], [1, 0, 2]])
    curves = {"b": np.array([[0.0, 1.0], [2.0, np.nan], [5.0, 6.0], [9.0, 10.0]])}
    observations = np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]])
    numbers = np.array([3, 4, 5, 9])
    own = Samples("d", ("x", "y"), observations, numbers, times, np.array([0.0, 1.0]), curves)
    report = replace(report_of(warehouse_of_rows(rows, (ERROR,))), samples=(own,))
    made = explorer(report, {})
    assert (made.has_samples, made.has_curves) == (True, True)
    found = packed(made)["samples"]["d"]
    learnt = np.frombuffer(base64.b64decode(found["learn"]), "u1").reshape(3, 3)
    assert np.array_equal(learnt, times[[0, 2, 3]])
    assert found["values"] == [[1.0, None, 4.0], [2.0, 3.0, 5.0]]
    steps = np.frombuffer(base64.b64decode(found["curves"]["1"]), "<u2").reshape(3, 2)
    levels = found["lo"] + steps / TOP * (found["hi"] - found["lo"])
    assert levels == pytest.approx(curves["b"][[0, 2, 3]], abs=HALF * 10 / TOP)


def test_weights_are_not_shown_as_counts() -> None:
    warehouse = one_measure([[0.1, 0.2], [0.1, 0.3]])
    dataset, empty = warehouse.datasets[0], np.empty((0, 0))
    times = np.array([[0.3, 1.7], [1.0, 1.0]])
    own = Samples(dataset, ("y",), np.ones((2, 1)), np.array([1, 2]), times, empty)
    made = explorer(replace(report_of(warehouse), samples=(own,)), {})
    assert not made.has_samples
