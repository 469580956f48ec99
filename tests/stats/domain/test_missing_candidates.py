"""Domain models of data sets that lack whole candidates: against lme4, pbkrtest and multcomp."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstest, ttest_rel
from scipy.stats import t as student

from reportgen.stats.blocks.kenward_roger import contrast_df, scaled_f
from reportgen.stats.domain.incomplete import evaluate, fit_incomplete_domain
from reportgen.stats.domain.missing_candidates import (
    NoFreeCovarianceError,
    fit_free_means,
    free_tests,
)
from reportgen.stats.domain.model import DomainModel, hotelling
from reportgen.stats.domain.sums import dataset_sums
from reportgen.stats.multiplicity.simultaneous import max_t, pair_contrasts

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "lacking_candidates.json").read_text())

LME4 = 1e-8  # of the criterion, absolute: where its optimiser stops
NEAR = 1e-5  # relative: what follows from variances at which it stops
MVTNORM = 5e-3  # multcomp integrates with random points
EXACT = 1e-9  # two ways to the same number

INTERACTION = ["one", "few", "ragged", "alone"]
FREE = ["one", "several"]


@cache
def fitted(structure: str, name: str) -> tuple[dict, np.ndarray, DomainModel]:
    expected = GOLDEN[structure][name]
    values = np.array(expected["values"], dtype=float)
    return expected, values, fit_incomplete_domain(list(values), structure)


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
    expected, _, model = fitted("interaction", name)
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
    expected, _, model = fitted("interaction", name)
    assert model.equality.statistic == pytest.approx(expected["F"], rel=NEAR)
    assert model.equality.df2 == pytest.approx(expected["df2"], rel=NEAR)
    assert model.equality.p_value == pytest.approx(expected["p"], rel=NEAR)
    assert_allclose(model.standard_errors, expected["mean_se"], rtol=NEAR)
    assert_allclose(pair_errors(model), expected["pair_se"], rtol=NEAR)
    assert model.estimates.df == pytest.approx(min(expected["pair_df"]), rel=NEAR)


def test_all_pairs_at_once_as_by_multcomp():
    expected, _, model = fitted("interaction", "few")
    found = max_t(model.asymptotic, 0.05, np.random.default_rng(1))
    bounds = np.column_stack([found.estimate, found.lower, found.upper])
    assert_allclose(bounds, expected["normal"], atol=MVTNORM)


@pytest.mark.parametrize("name", FREE)
def test_a_free_covariance_is_that_of_lme4(name):
    expected, _, model = fitted("unstructured", name)
    assert model.reml_criterion == pytest.approx(expected["criterion"], abs=LME4)
    assert_allclose(model.means, expected["means"], rtol=NEAR)
    assert_allclose(model.covariance, expected["covariance"], atol=NEAR)
    assert model.variance == pytest.approx(expected["residual"], rel=NEAR)
    assert model.replication_variance == pytest.approx(expected["replication"], abs=NEAR)
    effects = model.dataset_effects[:, None] + model.interaction_effects
    assert_allclose(effects, expected["effects"], atol=NEAR)


@pytest.mark.parametrize("name", FREE)
def test_a_free_covariance_is_tested_as_by_pbkrtest(name):
    expected, _, model = fitted("unstructured", name)
    assert model.method == "kenward-roger"
    assert model.equality.statistic == pytest.approx(expected["F"], rel=NEAR)
    assert model.equality.df2 == pytest.approx(expected["df2"], rel=NEAR)
    assert_allclose(model.standard_errors, expected["mean_se"], rtol=NEAR)
    assert_allclose(model.differences.standard_errors, expected["pair_se"], rtol=NEAR)
    assert_allclose(model.differences.df, expected["pair_df"], rtol=NEAR)


@pytest.mark.parametrize(("structure", "name"), [("interaction", "few"), ("unstructured", "one")])
def test_the_whole_likelihood_has_its_optimum_there(structure, name):
    _, values, model = fitted(structure, name)
    k = values.shape[2]
    omega = model.covariance
    if omega is None:
        omega = model.interaction_variance * np.eye(k) + model.dataset_variance
    inside = (model.variance, model.replication_variance)
    criterion, kappa, predicted = whole_likelihood(values, omega, inside)
    assert criterion == pytest.approx(model.reml_criterion, abs=EXACT * len(values) * 100)
    assert_allclose(model.means, kappa, rtol=EXACT)
    effects = model.dataset_effects[:, None] + model.interaction_effects
    there = (
        np.isfinite(values).any(axis=1) if structure == "interaction" else np.isfinite(predicted)
    )
    expected = predicted if structure == "unstructured" else np.where(there, predicted, np.nan)
    assert_allclose(effects[there], expected[there], atol=1e-8)
    for turn in (0.97, 1.03):
        assert whole_likelihood(values, omega * turn, inside)[0] > criterion
        assert whole_likelihood(values, omega, (inside[0] * turn, inside[1]))[0] > criterion
    sums = [dataset_sums(v) for v in values]
    assert evaluate(sums, np.array([*inside, 0, 0]), omega).criterion == pytest.approx(criterion)


def test_complete_vectors_have_students_and_hotellings_tests():
    rows = np.random.default_rng(1).normal(size=(9, 4))
    found, contrasts = fit_free_means(rows).effects, pair_contrasts(4)
    assert_allclose(found.adjusted, np.cov(rows, rowvar=False) / 9, atol=1e-8)
    assert_allclose(contrast_df(found, contrasts), 8, rtol=1e-7)
    exact = hotelling(rows)
    test = scaled_f(found, contrasts[:3])
    assert (test.statistic, test.df2) == pytest.approx((exact.statistic, exact.df2), rel=1e-6)


def test_with_few_complete_data_sets_pairs_stand_on_those_they_share():
    rows = np.random.default_rng(2).normal(size=(6, 3))
    rows[0, 0] = rows[1, 1] = np.nan
    found = free_tests(rows, np.zeros(3))
    for row, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        both = np.isfinite(rows[:, [i, j]]).all(axis=1)
        expected = ttest_rel(rows[both, i], rows[both, j])
        statistic = found.pairs.estimates[row] / found.pairs.standard_errors[row]
        assert (statistic, found.pairs.df[row]) == pytest.approx((expected.statistic, expected.df))
    assert found.equality == hotelling(rows[2:])


def test_candidates_that_hardly_meet_have_no_free_covariance():
    values = np.random.default_rng(3).normal(size=(5, 4, 3))
    values[:4, :, 0] = np.nan
    assert fit_incomplete_domain(list(values)).equality is not None
    with pytest.raises(NoFreeCovarianceError, match="share fewer than two"):
        fit_incomplete_domain(list(values), "unstructured")


def test_vectors_too_few_for_their_covariance():
    rows = np.random.default_rng(4).normal(size=(4, 4))
    with pytest.raises(NoFreeCovarianceError, match="too few"):
        fit_free_means(rows)


def test_size_where_a_fifth_of_the_data_sets_lacks_a_candidate():
    """One true pair: p-values are uniform. All are looked at, not how many are below 5%."""
    rng, p_values = np.random.default_rng(7), []
    root = np.linalg.cholesky(np.array([[1.0, 0.5, 0.1], [0.5, 2.0, 0.3], [0.1, 0.3, 0.5]]))
    for _ in range(30):
        rows = rng.normal(size=(10, 3)) @ root.T
        rows[0, 0] = rows[1, 1] = np.nan
        pairs = free_tests(rows, fit_free_means(rows).effects.coef).pairs
        statistic = pairs.estimates[0] / pairs.standard_errors[0]
        p_values.append(2 * student.sf(abs(statistic), pairs.df[0]))
    assert kstest(p_values, "uniform").pvalue > 0.1
