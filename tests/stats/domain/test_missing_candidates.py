"""Domain models of data sets that lack whole candidates: against lme4, pbkrtest and multcomp."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reportgen.stats.domain.comparison import fit_values
from reportgen.stats.domain.incomplete import evaluate, fit_incomplete_domain
from reportgen.stats.domain.model import DomainModel
from reportgen.stats.domain.sums import dataset_sums
from reportgen.stats.multiplicity.simultaneous import max_abs_t_pairs, pair_contrasts

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "lacking_candidates.json").read_text())

LME4 = 1e-8  # of the criterion, absolute: where its optimiser stops
NEAR = 1e-5  # relative: what follows from variances at which it stops
MVTNORM = 5e-3  # multcomp integrates with random points
EXACT = 1e-9  # two ways to the same number

INTERACTION = ["one", "few", "ragged", "alone"]


@cache
def fitted(name: str) -> tuple[dict, np.ndarray, DomainModel]:
    expected = GOLDEN["interaction"][name]
    values = np.array(expected["values"], dtype=float)
    return expected, values, fit_incomplete_domain(list(values))


def pair_errors(model: DomainModel) -> np.ndarray:
    contrasts = pair_contrasts(len(model.means))
    return np.sqrt(np.einsum("pk,kl,pl->p", contrasts, model.estimates.covariance, contrasts))


def whole_likelihood(values: np.ndarray, omega: np.ndarray, inside: tuple[float, float]):
    """Return REML criterion, means and predictions from the covariance of all values at once."""
    dataset, block, candidate = np.nonzero(np.isfinite(values))
    y, k = values[dataset, block, candidate], len(omega)
    x = np.eye(k)[candidate]
    same = dataset[:, None] == dataset
    effects = x @ omega @ x.T * same
    v = inside[0] * np.eye(len(y)) + inside[1] * (same & (block[:, None] == block)) + effects
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    kappa = np.linalg.solve(information, x.T @ inverse @ y)
    pulled = inverse @ (y - x @ kappa)
    criterion = (len(y) - k) * np.log(2 * np.pi) + np.linalg.slogdet(v)[1]
    criterion += np.linalg.slogdet(information)[1] + (y - x @ kappa) @ pulled
    predicted = [omega @ x[dataset == m].T @ pulled[dataset == m] for m in range(len(values))]
    return criterion, kappa, np.array(predicted)


@pytest.mark.parametrize("name", INTERACTION)
def test_interaction_is_that_of_lme4(name):
    expected, _, model = fitted(name)
    assert model.reml_criterion == pytest.approx(expected["criterion"], abs=LME4)
    assert_allclose(model.means, expected["means"], rtol=NEAR)
    found = [model.dataset_variance, model.interaction_variance]
    assert_allclose(
        [*found, model.replication_variance, model.variance], expected["variances"], rtol=NEAR
    )
    assert_allclose(model.dataset_effects, expected["level"], atol=NEAR)
    for cell, effect in expected["taste"].items():
        m, k = (int(i) - 1 for i in cell.split(":"))
        assert model.interaction_effects[m, k] == pytest.approx(effect, abs=NEAR)


@pytest.mark.parametrize("name", INTERACTION)
def test_interaction_is_tested_as_by_pbkrtest(name):
    expected, _, model = fitted(name)
    assert model.equality.statistic == pytest.approx(expected["F"], rel=NEAR)
    assert model.equality.df2 == pytest.approx(expected["df2"], rel=NEAR)
    assert model.equality.p_value == pytest.approx(expected["p"], rel=NEAR)
    assert_allclose(model.standard_errors, expected["mean_se"], rtol=NEAR)
    assert_allclose(pair_errors(model), expected["pair_se"], rtol=NEAR)
    assert model.estimates.df == pytest.approx(min(expected["pair_df"]), rel=NEAR)


def test_all_pairs_at_once_as_by_multcomp():
    expected, _, model = fitted("few")
    found = max_abs_t_pairs(model.asymptotic, 0.05, np.random.default_rng(1))
    bounds = np.column_stack([found.estimate, found.lower, found.upper])
    assert_allclose(bounds, expected["normal"], atol=MVTNORM)


def test_the_whole_likelihood_has_its_optimum_there():
    _, values, model = fitted("few")
    omega = model.interaction_variance * np.eye(values.shape[2]) + model.dataset_variance
    inside = (model.variance, model.replication_variance)
    criterion, kappa, predicted = whole_likelihood(values, omega, inside)
    assert criterion == pytest.approx(model.reml_criterion, abs=EXACT * len(values) * 100)
    assert_allclose(model.means, kappa, rtol=EXACT)
    effects = model.dataset_effects[:, None] + model.interaction_effects
    there = np.isfinite(values).any(axis=1)
    assert_allclose(effects[there], predicted[there], atol=1e-8)
    for turn in (0.97, 1.03):
        assert whole_likelihood(values, omega * turn, inside)[0] > criterion
        assert whole_likelihood(values, omega, (inside[0] * turn, inside[1]))[0] > criterion
    sums = [dataset_sums(v) for v in values]
    assert evaluate(sums, np.array([*inside, 0, 0]), omega).criterion == pytest.approx(criterion)


def test_data_sets_that_lack_candidates_have_no_free_covariance():
    values = np.random.default_rng(3).normal(size=(9, 4, 3))
    values[0, :, 0] = np.nan
    assert fit_incomplete_domain(list(values)).equality is not None
    for given in (values, values[:, :1]):
        with pytest.raises(ValueError, match="every candidate on every data set"):
            fit_values(list(given), "unstructured")
