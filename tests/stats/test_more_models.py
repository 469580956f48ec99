"""Further cases that R has worked out: models on their boundaries, few degrees of freedom, ties."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import chdtrc

from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.domain.incomplete import fit_incomplete_domain
from reportgen.stats.domain.model import DomainModel, fit_domain_model
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import tukey
from reportgen.stats.permutation.block_sums import standing
from reportgen.stats.permutation.block_tests import asymptotic_pairs
from reportgen.stats.permutation.paired import paired_permutation
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import friedman_test
from reportgen.stats.ranks.signed_rank import signed_rank_test

EXACT = 1e-9  # relative: closed forms on both sides
RANGE = 1e-7  # absolute: R's ptukey and qtukey
CRITERION = 1e-6  # absolute: how far above the optimum lme4 may have stopped
COMPONENTS = 1e-3  # relative: the criterion is flat there
TESTS = 2e-3  # relative, of statistics and degrees of freedom at lme4's components
MONTE_CARLO = 2e-3  # of a half-width: multcomp's quasi-Monte-Carlo quantile

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "more_models.json").read_text())

Array = NDArray[np.float64]


def cases(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(v, id=k) for k, v in GOLDEN[kind].items()])


def values_of(case: dict[str, Any]) -> Array:
    return np.array(case["values"], dtype=np.float64)


@cases("block")
def test_block_models_and_tukey(case: dict[str, Any]) -> None:
    values = values_of(case)
    model = fit_block_model(values)
    assert -CRITERION < case["criterion"] - model.reml_criterion < CRITERION
    assert model.variance**0.5 == pytest.approx(case["sigma"], rel=COMPONENTS)
    assert model.block_variance**0.5 == pytest.approx(case["sigma_block"], rel=COMPONENTS, abs=1e-3)
    test = model.equality
    assert (test.df1, test.df2) == (case["df1"], case["df2"])
    assert (test.statistic, test.p_value) == pytest.approx((case["F"], case["p"]), rel=EXACT)
    found, expected = tukey(model.estimates, 0.05), np.array(case["tukey"])
    assert_allclose(np.stack([found.estimate, found.lower, found.upper], 1), expected, atol=RANGE)
    assert_allclose(found.adjusted_p_value, np.ravel(case["tukey_p"]), atol=RANGE)


@cases("block")
def test_tukey_limits_of_multcomp(case: dict[str, Any]) -> None:
    model = fit_block_model(values_of(case))
    unbound = replace(model.estimates, df=inf)
    if model.is_boundary:  # multcomp takes the variances on the boundary, the tests here do not
        spread = model.variance / len(values_of(case))
        unbound = ParameterEstimates(model.means, spread * np.eye(len(model.means)))
    found = tukey(unbound, 0.05)
    three = np.stack([found.estimate, found.lower, found.upper], 1)
    assert_allclose(three, np.array(case["asymptotic"]), rtol=COMPONENTS, atol=1e-5)
    half = found.upper - found.estimate
    expected = np.array(case["multcomp"]).reshape(-1, 3)
    assert (np.abs(three - expected) < MONTE_CARLO * half[:, None]).all()


@cases("few_df")
def test_kenward_roger_below_four_degrees_of_freedom(case: dict[str, Any]) -> None:
    model = fit_incomplete_blocks(values_of(case))
    assert -CRITERION < case["criterion"] - model.reml_criterion < CRITERION
    test = model.equality
    assert test is not None
    assert test.df2 < 4
    found = (test.statistic, test.df2, test.p_value)
    assert found == pytest.approx((case["F"], case["df2"], case["p"]), rel=TESTS)


@cases("ranked")
def test_permutation_and_rank_tests(case: dict[str, Any]) -> None:
    values = values_of(case)
    ranks = within_block_ranks(values)
    test = friedman_test(ranks)
    assert (test.statistic, test.p_value) == pytest.approx((case["friedman"], case["p"]), rel=EXACT)
    assert standing(ranks).statistic == pytest.approx(case["coin"], rel=EXACT)
    raw = standing(values).statistic
    p_value = chdtrc(values.shape[1] - 1, raw)
    assert (raw, p_value) == pytest.approx((case["raw"], case["raw_p"]), rel=EXACT)
    pairs = asymptotic_pairs(ranks)
    standardised = -np.ravel(case["standardised"])  # R's are second - first
    assert_allclose(pairs.differences / pairs.variance**0.5, standardised, rtol=EXACT, atol=1e-12)
    differences = [values[:, i] - values[:, j] for i, j in combinations(range(values.shape[1]), 2)]
    for zeros, expected in case["signed_rank"].items():
        signed = [signed_rank_test(d, zeros=zeros).p_value for d in differences]
        assert_allclose(signed, np.ravel(expected), rtol=EXACT)
    rng = np.random.default_rng(1)
    paired = [paired_permutation(d, rng) for d in differences]
    assert all(p.n_draws is None for p in paired)
    assert_allclose([p.p_value for p in paired], np.ravel(case["paired"]), rtol=EXACT)


def _model(values: Array, structure: Any) -> DomainModel:
    if np.isfinite(values).all():
        return fit_domain_model(values, structure)
    return fit_incomplete_domain(list(values), structure)


@cases("interaction")
def test_domain_models_with_interaction(case: dict[str, Any]) -> None:
    values = values_of(case)
    model = _model(values, "interaction")
    assert -CRITERION < case["criterion"] - model.reml_criterion < 10 * CRITERION
    assert_allclose(model.means, case["means"], rtol=1e-5)
    parts = [
        model.dataset_variance,
        model.interaction_variance,
        model.replication_variance,
        model.variance,
    ]
    assert_allclose(np.array(parts, dtype=float), case["variances"], rtol=COMPONENTS, atol=1e-4)
    test = model.equality
    assert test is not None
    if case["interior"]:
        found = (test.statistic, test.df2, test.p_value)
        assert found == pytest.approx((case["F"], case["df2"], case["p"]), rel=TESTS)
        one = (model.standard_errors[0], model.standard_error_df[0])
        assert one == pytest.approx((case["mean_se"], case["mean_df"]), rel=TESTS)


@cases("unstructured")
def test_domain_models_with_a_free_covariance(case: dict[str, Any]) -> None:
    model = _model(values_of(case), "unstructured")
    assert -CRITERION < case["criterion"] - model.reml_criterion < 1e-4
    assert_allclose(model.means, case["means"], rtol=1e-4)
    assert model.covariance is not None
    assert_allclose(model.covariance, case["covariance"], rtol=0.01, atol=2e-3)
    rest = (model.replication_variance, model.variance)
    assert rest == pytest.approx((case["replication"], case["residual"]), rel=COMPONENTS, abs=1e-4)
