"""Worths of the Bradley-Terry model with ties."""

from __future__ import annotations

import json
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from reportgen.stats.worths import bradley_terry
from reportgen.stats.worths.bradley_terry import (
    BradleyTerry,
    fit,
    goodness_of_fit,
    information,
    log_likelihoods,
    maximise,
    residual_statistics,
    scores,
    statistics,
)
from reportgen.stats.worths.comparisons import connected_groups, n_candidates_of, pairs, separation

NUMBERS = json.loads((Path(__file__).parents[2] / "golden" / "bradley_terry.json").read_text())
GOLDEN = 1e-6  # R's optimiser stops there: log worths, covariance, log likelihood
SLOPE = 1e-4  # a numerical derivative of sums of some hundred
SUMS = 1e-12  # of ten pairs
ORDERS = ("pooled", "PmID", "mnk3", "livr")


def table(numbers: dict[str, Any]) -> np.ndarray:
    """Return the counts of a data set in the order of the candidates."""
    names = list(numbers["undecided_model"]["worth"])
    places = {(i, j): p for p, (i, j) in enumerate(map(tuple, pairs(len(names))))}
    counts = np.zeros((len(places), 3))
    for row in numbers["counts"]:
        place = places[names.index(row["first"]), names.index(row["second"])]
        counts[place] = [row["first_preferred"], row["undecided"], row["second_preferred"]]
    return counts


def assert_golden(model: BradleyTerry, numbers: dict[str, Any]) -> None:
    """Compare a fit with R's."""
    assert model.parameters == pytest.approx(list(numbers["coef"].values()), abs=GOLDEN)
    assert model.covariance == pytest.approx(np.array(numbers["vcov"]["data"]), abs=GOLDEN)
    assert model.log_likelihood == pytest.approx(numbers["logLik"], abs=GOLDEN)
    assert model.worths == pytest.approx(list(numbers["worth"].values()), abs=GOLDEN)


@pytest.mark.parametrize("name", ORDERS)
def test_worths_with_ties_are_those_of_r(name: str) -> None:
    assert_golden(fit(table(NUMBERS[name])), NUMBERS[name]["undecided_model"])


@pytest.mark.parametrize("name", ORDERS)
def test_without_ties_nu_is_dropped(name: str) -> None:
    counts = table(NUMBERS[name])
    counts[:, 1] = 0
    model = fit(counts)
    numbers = NUMBERS[name]["model_ties_dropped"]
    assert model.nu == 0
    assert model.n_parameters == 5
    assert model.parameters == pytest.approx(list(numbers["coef"].values()), abs=GOLDEN)
    assert model.covariance == pytest.approx(np.array(numbers["vcov"]["data"]), abs=GOLDEN)
    assert model.log_likelihood == pytest.approx(numbers["logLik"], abs=GOLDEN)


@pytest.mark.parametrize("ties", [True, False])
def test_any_reference_tells_the_same(ties: bool) -> None:
    counts = table(NUMBERS["mnk3"]) * [1, ties, 1]
    last, first = fit(counts), fit(counts, reference=0)
    assert first.worths == pytest.approx(last.worths, rel=1e-10)
    size = len(last.log_worths) + ties
    shift = np.eye(size)
    shift[: len(last.log_worths), 0] -= 1.0
    change = np.delete(np.delete(shift, 0, axis=0), last.reference, axis=1)
    assert first.parameters == pytest.approx(change @ last.parameters, abs=1e-8)
    again = change @ last.covariance @ change.T
    assert first.covariance == pytest.approx(again, rel=1e-6, abs=1e-12)


def test_derivatives_are_those_of_the_log_likelihood() -> None:
    counts = table(NUMBERS["livr"])
    features = statistics(6, 2, ties=True)
    theta = np.array([0.3, -0.4, 0.1, 0.7, -0.2, -1.1])

    def value(at: np.ndarray) -> float:
        return float(log_likelihoods(counts[None], features, at[None])[0])

    def slope(at: np.ndarray) -> np.ndarray:
        return residual_statistics(counts[None], features, at)[0]

    assert slope(theta) == pytest.approx(approx_fprime(theta, value), rel=SLOPE, abs=0.01)
    hessian = np.array([approx_fprime(theta, lambda t, k=k: slope(t)[k]) for k in range(6)])
    found = information(counts[None], features, theta[None])[0]
    assert found == pytest.approx(-hessian, rel=SLOPE, abs=0.01)


def matrix(n_candidates: int, reference: int, *, ties: bool) -> np.ndarray:
    """Return the statistics of the outcomes of every pair as they stand, shape (P, 3, q)."""
    rows = []
    for i, j in combinations(range(n_candidates), 2):
        own = np.zeros((3, n_candidates + 1))
        own[0, i] = own[2, j] = own[1, -1] = 1.0
        own[1, [i, j]] = 0.5
        rows.append(own)
    return np.delete(rows, [reference] if ties else [reference, n_candidates], axis=2)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("reference", [0, 4])
def test_gradient_and_information_are_sums_over_the_statistics_of_each_pair(
    reference: int, ties: bool
) -> None:
    rng = np.random.default_rng(reference)
    counts = rng.integers(0, 9, size=(3, 10, 3)) * np.array([1.0, ties, 1.0])
    theta = rng.normal(size=(3, 4 + ties))
    each, features = matrix(5, reference, ties=ties), statistics(5, reference, ties=ties)
    gradient, covariance = np.zeros((3, 4 + ties)), np.zeros((3, 4 + ties, 4 + ties))
    for table in range(3):
        for pair in range(10):
            x, n = each[pair], counts[table, pair]
            p = np.exp(x @ theta[table]) * [1, ties, 1]
            p /= p.sum()
            gradient[table] += (n - n.sum() * p) @ x
            covariance[table] += n.sum() * (x.T * p @ x - np.outer(p @ x, p @ x))
    assert residual_statistics(counts, features, theta) == pytest.approx(gradient, abs=SUMS)
    assert information(counts, features, theta) == pytest.approx(covariance, abs=SUMS)


def test_worths_of_three_hundred_candidates_are_those_of_hunter() -> None:
    counts = np.zeros((300 * 299 // 2, 3))
    counts[:, [0, 2]] = np.random.default_rng(6).integers(1, 5, size=(len(counts), 2))
    found = fit(counts).worths
    i, j = pairs(300).T
    won = np.bincount(i, counts[:, 0], 300) + np.bincount(j, counts[:, 2], 300)
    for worths in (found, np.full(300, 1 / 300)):
        with_other = counts.sum(axis=1) / (worths[i] + worths[j])
        step = won / (np.bincount(i, with_other, 300) + np.bincount(j, with_other, 300))
        is_fixed = step / step.sum() == pytest.approx(worths, rel=1e-9)
        assert is_fixed == (worths is found)


def test_scores_of_the_units_add_up_to_nothing() -> None:
    rng = np.random.default_rng(4)
    units = rng.multinomial(1, [0.5, 0.2, 0.3], size=(40, 6)).astype(float)
    model = fit(units.sum(axis=0))
    psi = scores(units, model)
    assert psi.shape == (40, 4)
    assert psi.sum(axis=0) == pytest.approx(0, abs=1e-8)
    assert np.abs(psi).max() > 0.1


def test_units_some_at_a_time_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    units = np.random.default_rng(5).integers(0, 4, size=(7, 6, 3)).astype(np.float64)
    model = fit(units.sum(axis=0))
    whole = scores(units, model)
    monkeypatch.setattr(bradley_terry, "MOST_COUNTS", 3 * units[0].size)
    np.testing.assert_array_equal(scores(units, model), whole)
    assert scores(units[:0], model).shape == (0, whole.shape[1])


def test_many_tables_at_once_are_each_as_alone() -> None:
    rng = np.random.default_rng(5)
    tables = rng.integers(1, 9, size=(7, 3, 3)).astype(float)
    features = statistics(3, 2, ties=True)
    together = maximise(tables, features)
    for counts, theta in zip(tables, together, strict=True):
        assert theta == pytest.approx(fit(counts).parameters, abs=1e-8)


@pytest.mark.parametrize(
    "counts",
    [
        [[10, 5, 0]],  # two candidates: log worth and log nu grow together
        [[10, 0, 0]],
        [[0, 5, 0]],  # nothing but ties
        [[10, 0, 0], [8, 1, 2], [3, 2, 4]],
        [[9, 0, 0], [9, 0, 0], [2, 3, 4]],  # the first always wins
    ],
)
def test_separation_is_said_where_the_likelihood_has_no_maximum(counts: list[list[int]]) -> None:
    table = np.array(counts, dtype=float)
    model = fit(table)
    runaway = escapes(table)
    assert (model.separation is not None) == runaway
    assert np.isnan(model.parameters).all() == runaway


def escapes(counts: np.ndarray) -> bool:
    """Climb the likelihood far and see whether the parameters go with it."""
    n_candidates = {1: 2, 3: 3}[len(counts)]
    features = statistics(n_candidates, n_candidates - 1, ties=bool(counts[:, 1].any()))
    climbed = minimize(
        lambda t: -log_likelihoods(counts[None], features, t[None])[0],
        np.zeros(features.n_parameters),
        jac=lambda t: -residual_statistics(counts[None], features, t)[0],
        method="BFGS",
        options={"gtol": 1e-9},
    )
    return bool(np.abs(climbed.x).max() > 10)


@pytest.mark.slow
@pytest.mark.parametrize("n_pairs", [1, 3, 6])
def test_the_linear_program_agrees_with_climbing(n_pairs: int) -> None:
    rng = np.random.default_rng(n_pairs)
    seen = []
    for _ in range(40):
        counts = rng.integers(1, 9, (n_pairs, 3)) * (rng.random((n_pairs, 3)) < 0.55)
        counts[:, 1] *= rng.random() < 0.8
        if connected_groups(counts).any():
            continue
        features = statistics(n_candidates_of(n_pairs), 0, ties=bool(counts[:, 1].any()))
        runaway = bool(np.abs(maximise(counts[None], features)).max() > 10)
        assert (separation(counts) is not None) == runaway
        seen.append(runaway)
    assert 0 < sum(seen) < len(seen)


def test_never_losing_is_no_separation_when_ties_hold_the_candidates_together() -> None:
    counts = np.array([[6.0, 4.0, 0.0], [5.0, 0.0, 0.0], [4.0, 3.0, 5.0]])
    assert fit(counts).separation is None


def test_separation_names_who_wins_without_end() -> None:
    found = fit(np.array([[9.0, 0, 0], [9, 0, 0], [2, 3, 4]])).separation
    assert found is not None
    assert found.rising == (0,)
    found = fit(np.array([[4.0, 1, 3], [7, 0, 0], [7, 0, 0]])).separation
    assert found is not None
    assert found.falling == (2,)
    halves = np.array([[0.0, 1, 4], [0, 0, 0], [0, 0, 0], [3, 0, 0], [0, 0, 0], [1, 2, 4]])
    found = fit(halves).separation  # two pairs with ties inside, linked by wins of one side
    assert found is not None
    assert (found.rising, found.falling) == ((0, 1), (2, 3))


def test_the_supremum_of_a_separated_likelihood_is_known() -> None:
    supremum = 10 * log(2 / 3) + 5 * log(1 / 3)
    assert fit(np.array([[10.0, 5, 0]])).log_likelihood == pytest.approx(supremum, abs=1e-9)


def test_the_penalised_fit_is_finite_and_marked() -> None:
    model = fit(np.array([[10.0, 0.0, 0.0]]), penalised=True)
    assert model.penalised
    assert model.separation is not None
    # Jeffreys's penalty adds half an outcome to either side of a binomial.
    assert model.log_worths[0] == pytest.approx(log(10.5 / 0.5), abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "worth"),
    [([[1.0, 0.0, 0.0]], 0.75), ([[0.0, 1.0, 0.0]], 0.5)],
    ids=["one win", "one tie"],
)
def test_a_single_comparison_has_a_penalised_fit(counts: list[list[float]], worth: float) -> None:
    model = fit(np.array(counts), penalised=True)
    assert model.worths == pytest.approx([worth, 1 - worth])


def test_the_penalised_fit_maximises_its_criterion() -> None:
    counts = np.array([[6.0, 2, 0], [5, 1, 0], [4, 0, 3]])
    features = statistics(3, 2, ties=True)

    def loss(theta: np.ndarray) -> float:
        matrix = information(counts[None], features, theta[None])[0]
        value = log_likelihoods(counts[None], features, theta[None])[0]
        return -float(value + np.linalg.slogdet(matrix)[1] / 2)

    best = minimize(
        loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert fit(counts, penalised=True).parameters == pytest.approx(best.x, abs=1e-5)


def test_candidates_without_links_are_refused() -> None:
    with pytest.raises(ValueError, match="2 groups"):
        fit(np.array([[3.0, 1, 2], [0, 0, 0], [0, 0, 0]]))


@pytest.mark.parametrize("counts", [[[1.0, -1, 2]], [[1.0, np.nan, 2]], [[1.0, 2.0]]])
def test_what_are_no_counts_is_refused(counts: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="counts must"):
        fit(np.array(counts))


def test_expected_counts_keep_wins_of_each_candidate() -> None:
    counts = table(NUMBERS["livr"])
    model = fit(counts)
    found = goodness_of_fit(counts, model)
    features = matrix(6, 5, ties=True)
    observed = np.einsum("po,poq->q", counts, features)
    assert np.einsum("po,poq->q", found.expected, features) == pytest.approx(observed, rel=1e-9)
    assert found.df == 30 - 6
    seen = counts.sum(axis=1, keepdims=True)
    saturated = np.where(counts > 0, counts * np.log(np.maximum(counts, 1) / seen), 0).sum()
    assert found.deviance == pytest.approx(2 * (saturated - model.log_likelihood), abs=1e-6)
    assert 0 < found.deviance_p_value < 1e-6


def test_two_candidates_leave_nothing_to_fit() -> None:
    counts = np.array([[7.0, 2.0, 5.0]])
    found = goodness_of_fit(counts, fit(counts))
    assert found.df == 0
    assert found.deviance == pytest.approx(0, abs=1e-9)
    assert np.isnan(found.deviance_p_value)


@pytest.mark.parametrize("seed", range(12))
def test_a_table_without_ties_has_the_maximum_of_many_tables_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_candidates = int(rng.integers(2, 30))
    i, j = np.triu_indices(n_candidates, k=1)
    worths = rng.normal(size=n_candidates) * (3 if seed % 2 else 0.3)
    n = rng.integers(0 if seed % 3 else 3, 30, len(i))
    won = rng.binomial(n, 1 / (1 + np.exp(worths[j] - worths[i])))
    counts = np.column_stack([won, np.zeros_like(won), n - won]).astype(np.float64)
    if connected_groups(counts).any():
        counts[:, 0] += 1
    model = fit(counts)
    if model.separation is None:
        features = statistics(n_candidates, n_candidates - 1, ties=False)
        theta = maximise(counts[None], features)[0]
        assert model.parameters == pytest.approx(theta, abs=1e-13)
        inverse = np.linalg.inv(information(counts[None], features, theta[None])[0])
        assert model.covariance == pytest.approx(inverse, rel=1e-12)


def test_steps_that_must_rise_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    seen = bradley_terry._Wins.log_likelihood
    monkeypatch.setattr(
        bradley_terry._Wins,
        "log_likelihood",
        lambda self, shares: tried.append(1) or seen(self, shares),
    )
    fit(np.array([[30.0, 0.0, 20.0], [25.0, 0.0, 20.0], [20.0, 0.0, 20.0]]))
    assert len(tried) == 1  # that of the maximum
