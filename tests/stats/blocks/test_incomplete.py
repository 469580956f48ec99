"""Blocks with missing cells against the full likelihood, R, and the closed form without gaps."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import log, pi
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from reportgen.stats.blocks import kenward_roger
from reportgen.stats.blocks.cross_products import connected_candidates
from reportgen.stats.blocks.incomplete import (
    IncompleteBlockModel,
    fit_incomplete_blocks,
    has_residual_variance,
    residual_df,
)
from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.multiplicity.simultaneous import (
    all_pairs,
    max_abs_t_pairs,
    pair_contrasts,
    tukey_kramer,
)
from reportgen.stats.pair_table import PairTable
from reportgen.stats.relations.relations import chain

Array = NDArray[np.float64]

CRITERION = 1e-7  # a search stops where the criterion is flat
COMPONENTS = 1e-4  # relative: the square root of what it leaves in the criterion
EXACT = 1e-9  # relative: closed forms
OPTIMISER = 1e-6  # lme4's estimates, stopped by its optimiser
STOPPED = 1e-4  # of standard deviations near 0, where the criterion is flat
GOLDEN = Path(__file__).parents[2] / "golden" / "incomplete_blocks.json"
SECONDS_OF_MANY = 8.0  # of the processor, which take less than one by themselves
DESIGNS = ("scattered", "bibd", "few", "large", "two")


def simulated(seed: int, shape: tuple[int, int], spread: float, gaps: float = 0.2) -> Array:
    """Return blocks with scattered gaps that the model can be fitted to."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape) + spread * rng.normal(size=(shape[0], 1)) + np.arange(shape[1])
    while True:
        missing = rng.random(shape) < gaps
        if residual_df(~missing) > 0 and (~missing).any(axis=0).all():
            return np.where(missing, np.nan, values)


def opposed(seed: int, shape: tuple[int, int], gaps: float = 0.12) -> Array:
    """Return blocks that vary less than residuals do."""
    values = simulated(seed, shape, 0.0, gaps)
    return values - 0.6 * np.nanmean(values, axis=1, keepdims=True)


class Dense:
    """The model with its full covariance matrices: slow, and nothing but the definitions."""

    def __init__(self, values: Array) -> None:
        block, candidate = np.nonzero(np.isfinite(values))
        self.y = values[block, candidate]
        self.design = np.eye(values.shape[1])[candidate]
        self.parts = np.array([np.eye(len(block)), (block[:, None] == block).astype(float)])

    def covariance(self, variances: Array) -> Array:
        return np.tensordot(variances, self.parts, 1)

    def phi(self, variances: Array) -> Array:
        inverse = np.linalg.inv(self.covariance(variances))
        return np.linalg.inv(self.design.T @ inverse @ self.design)

    def criterion(self, variances: Array) -> float:
        covariance = self.covariance(variances)
        sign, determinant = np.linalg.slogdet(covariance)
        if sign <= 0 or np.linalg.eigvalsh(covariance)[0] <= 0:
            return np.inf
        inverse = np.linalg.inv(covariance)
        phi = self.phi(variances)
        residuals = self.y - self.design @ (phi @ self.design.T @ inverse @ self.y)
        n_free = len(self.y) - self.design.shape[1]
        determinants = determinant - np.linalg.slogdet(phi)[1]
        return float(n_free * log(2 * pi) + determinants + residuals @ inverse @ residuals)

    def plain_covariance(self, variances: Array) -> Array:
        """Return the covariance of the plain means."""
        share = self.design / self.design.sum(axis=0)
        return share.T @ self.covariance(variances) @ share


def searched(dense: Dense, lowest: float) -> tuple[float, Array]:
    """Minimise the criterion over the residual variance and the block variance >= lowest."""

    def at(x: Array) -> float:
        return dense.criterion(np.array([np.exp(x[0]), np.exp(x[0]) * max(x[1], lowest)]))

    starts = ([log(dense.y.var()), ratio] for ratio in (0.0, 0.3, 3.0))
    options = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 5000}
    found = [minimize(at, start, method="Nelder-Mead", options=options) for start in starts]
    best = min(found, key=lambda f: float(f.fun))
    ratio = max(float(best.x[1]), lowest)
    return float(best.fun), np.exp(best.x[0]) * np.array([1.0, ratio])


@pytest.mark.parametrize("seed", range(6))
def test_search_finds_no_better(seed: int) -> None:
    values = simulated(seed, (7, 4), spread=1.2, gaps=0.3)
    model, dense = fit_incomplete_blocks(values), Dense(values)
    own = np.array([model.variance, model.block_variance])
    assert model.reml_criterion == pytest.approx(dense.criterion(own), rel=EXACT)
    least, variances = searched(dense, lowest=0.0)
    assert abs(model.reml_criterion - least) < CRITERION
    np.testing.assert_allclose(own, variances, rtol=COMPONENTS, atol=COMPONENTS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_at_the_boundary_tests_use_the_variances_without_it(seed: int) -> None:
    values = opposed(seed, (14, 4))
    model, dense = fit_incomplete_blocks(values), Dense(values)
    assert model.is_boundary
    assert model.block_variance == 0
    assert model.reml_criterion == pytest.approx(searched(dense, lowest=0.0)[0], abs=CRITERION)
    np.testing.assert_allclose(model.means, np.nanmean(values, axis=0), rtol=EXACT)
    variances = searched(dense, lowest=-0.249)[1]
    assert variances[1] < 0
    np.testing.assert_allclose(
        model.estimates.covariance, dense.plain_covariance(variances), rtol=0, atol=COMPONENTS
    )
    np.testing.assert_array_equal(model.estimates.covariance, model.asymptotic.covariance)


@pytest.mark.parametrize("values", [simulated(3, (9, 4), 0.7), opposed(2, (14, 4))])
def test_degrees_of_freedom_by_finite_differences(values: Array) -> None:
    """Satterthwaite's 2 v^2 / (g' W g) with everything from the dense matrices."""
    model, dense = fit_incomplete_blocks(values), Dense(values)
    lowest = -0.249 if model.is_boundary else 0.0
    variances = searched(dense, lowest)[1]
    at = dense.plain_covariance if model.is_boundary else dense.phi
    steps = 1e-5 * variances[0] * np.eye(2)
    slopes = [(at(variances + s) - at(variances - s)) / (2 * s.sum()) for s in steps]
    inverse = np.linalg.inv(dense.covariance(variances))
    design = dense.design
    outer = inverse @ design @ dense.phi(variances) @ design.T @ inverse
    p = [(inverse - outer) @ g for g in dense.parts]
    information = np.array([[np.trace(a @ b) for b in p] for a in p]) / 2
    spread = np.linalg.inv(information)
    for row, contrast in enumerate(pair_contrasts(4)):
        gradient = np.array([contrast @ s @ contrast for s in slopes])
        expected = 2 * (contrast @ at(variances) @ contrast) ** 2 / (gradient @ spread @ gradient)
        assert model.pair_df[row] == pytest.approx(expected, rel=10 * COMPONENTS)


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    numbers: dict[str, Any] = json.loads(GOLDEN.read_text())
    return numbers


@pytest.mark.parametrize("name", DESIGNS)
def test_lme4_and_pbkrtest(name: str, golden: dict[str, Any]) -> None:
    """All of it: means, variances, both covariances, Kenward and Roger's F and their df."""
    known = golden[name]
    model = fit_incomplete_blocks(np.array(known["values"], dtype=float))
    assert model.equality is not None
    assert not model.is_boundary
    np.testing.assert_allclose(model.means, known["means"], atol=OPTIMISER)
    assert model.variance**0.5 == pytest.approx(known["sigma"], rel=OPTIMISER)
    assert model.block_variance**0.5 == pytest.approx(known["sigma_block"], rel=OPTIMISER)
    assert model.reml_criterion == pytest.approx(known["criterion"], abs=EXACT)
    np.testing.assert_allclose(model.asymptotic.covariance, known["covariance"], atol=OPTIMISER)
    np.testing.assert_allclose(model.estimates.covariance, known["adjusted"], atol=OPTIMISER)
    assert model.equality.statistic == pytest.approx(known["F"], rel=OPTIMISER)
    assert model.equality.df2 == pytest.approx(known["df2"], rel=OPTIMISER)
    assert model.equality.p_value == pytest.approx(known["p"], rel=10 * OPTIMISER)
    np.testing.assert_allclose(model.pair_df, known["pair_df"], rtol=OPTIMISER)


@pytest.mark.parametrize("name", DESIGNS)
def test_multcomp(name: str, golden: dict[str, Any]) -> None:
    known = golden[name]
    model = fit_incomplete_blocks(np.array(known["values"], dtype=float))
    neck = replace(model.estimates, df=float(known["max_t_df"]))
    p_values = max_abs_t_pairs(neck, 0.05, np.random.default_rng(1)).adjusted_p_value
    np.testing.assert_allclose(p_values, known["max_t_p"], atol=2e-4)  # both integrate roughly


def relation(compared: PairTable, n: int) -> NDArray[np.bool_]:
    """Return the relation of the significant pairs, smaller better."""
    found = np.zeros((n, n), dtype=np.bool_)
    for (i, j), low, high in zip(all_pairs(n), compared.lower, compared.upper, strict=True):
        found[i, j], found[j, i] = high < 0, low > 0
    return found


@pytest.mark.slow
def test_all_relations_of_the_reference_domain(reference: Path) -> None:
    golden = json.loads((reference / "golden" / "uci621.json").read_text())
    table = pd.read_csv(reference / "data" / "uci621raw.csv")
    table = table[table["measure"] == "Misclassification"]
    rng = np.random.default_rng(1)
    for dataset, known in golden["local_available"].items():
        names = known["incidence"]["rows"]
        wide = table[table["dataset"] == dataset].pivot(
            index="replication", columns="algorithm", values="value"
        )
        model = fit_incomplete_blocks(wide[names].to_numpy())
        fixed = np.array(list(known["fixef"].values()))
        np.testing.assert_allclose(model.means - model.means[0], [0, *fixed[1:]], atol=OPTIMISER)
        assert model.reml_criterion == pytest.approx(known["REML"], abs=1e-6)
        assert model.variance**0.5 == pytest.approx(known["sigma"], abs=OPTIMISER)
        assert model.block_variance**0.5 == pytest.approx(known["sigma_b"], abs=STOPPED)
        expected = np.array(known["incidence"]["data"], dtype=bool)
        for neck in (model.estimates, model.asymptotic):
            np.testing.assert_array_equal(relation(max_abs_t_pairs(neck, 0.05, rng), 6), expected)
            np.testing.assert_array_equal(relation(tukey_kramer(neck, 0.05), 6), expected)
        assert (chain(expected) is not None) == bool(known["negatively_transitive"])


def same(a: IncompleteBlockModel, b: IncompleteBlockModel, order: list[int], scale: float) -> None:
    """Check that two models say the same of candidates in two orders, in two units."""
    np.testing.assert_allclose(a.means[order], b.means, rtol=1e-8, atol=1e-8 * scale)
    covariance = a.estimates.covariance[np.ix_(order, order)]
    np.testing.assert_allclose(covariance, b.estimates.covariance, rtol=1e-6)
    assert a.equality is not None
    assert b.equality is not None
    assert a.equality.statistic == pytest.approx(b.equality.statistic, rel=1e-6)
    assert a.equality.df2 == pytest.approx(b.equality.df2, rel=1e-5)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.7, 3.0]))
def test_order_unit_and_origin_do_not_matter(seed: int, spread: float) -> None:
    values = simulated(seed, (10, 4), spread)
    order = list(np.random.default_rng(seed).permutation(4))
    moved = 1000 + 1e6 * values[::-1][:, order]
    model, other = fit_incomplete_blocks(values), fit_incomplete_blocks(moved)
    back = replace(
        other,
        means=(other.means - 1000) / 1e6,
        estimates=replace(other.estimates, covariance=other.estimates.covariance / 1e12),
    )
    same(model, back, order, 1.0)
    effects = model.block_effects[::-1]
    np.testing.assert_allclose(other.block_effects / 1e6, effects, rtol=1e-5, atol=1e-7)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 30.0, 1e3]), st.integers(2, 6))
def test_gaps_in_nothing_equal_no_gaps(seed: int, spread: float, k: int) -> None:
    values = simulated(seed, (7, k), spread, gaps=0.0)
    assert_closed_form(values)
    if spread == 0:
        without_blocks = values - 0.9 * values.mean(axis=1, keepdims=True)
        assert_closed_form(without_blocks)
        assert fit_block_model(without_blocks).is_boundary


def assert_closed_form(values: Array) -> None:
    """Assert that the model of the values and an empty block has the closed form's numbers."""
    closed = fit_block_model(values)
    empty = np.full((1, values.shape[1]), np.nan)
    model = fit_incomplete_blocks(np.vstack([empty, values]))
    assert model.equality is not None
    assert model.is_boundary == closed.is_boundary
    np.testing.assert_allclose(model.means, closed.means, rtol=EXACT)
    assert model.variance == pytest.approx(closed.variance, rel=EXACT)
    assert model.block_variance == pytest.approx(closed.block_variance, rel=EXACT)
    assert model.icc == pytest.approx(closed.icc, rel=EXACT)
    assert model.reml_criterion == pytest.approx(closed.reml_criterion, rel=EXACT, abs=EXACT)
    assert model.equality.statistic == pytest.approx(closed.equality.statistic, rel=EXACT)
    assert model.equality.df2 == pytest.approx(closed.equality.df2, rel=1e-7)
    covariance = closed.estimates.covariance
    np.testing.assert_allclose(
        model.estimates.covariance, covariance, rtol=1e-8, atol=EXACT * np.abs(covariance).max()
    )
    np.testing.assert_allclose(model.pair_df, closed.estimates.df, rtol=1e-7)
    np.testing.assert_allclose(model.standard_errors, closed.standard_error, rtol=EXACT)
    np.testing.assert_allclose(model.standard_error_df, closed.standard_error_df, rtol=1e-6)
    assert model.block_effects[0] == 0
    np.testing.assert_allclose(model.block_effects[1:], closed.block_effects, rtol=1e-7, atol=1e-12)


@pytest.mark.slow
def test_size_with_gaps() -> None:
    """5% tests reject a true hypothesis in about 5%: 300 blocks designs, each case apart."""
    for spread in (0.0, 0.8):
        p_values = []
        for seed in range(300):
            values = simulated(seed, (7, 3), spread) - np.arange(3)
            equality = fit_incomplete_blocks(values).equality
            p_values.append(1.0 if equality is None else equality.p_value)
        rejected = (np.array(p_values) < 0.05).mean()
        assert 0.015 < rejected < 0.09  # three standard errors


@pytest.mark.parametrize(
    ("shape", "df2"), [((3, 3), 4), ((2, 5), 4), ((2, 4), 3), ((2, 3), 2), ((2, 2), 1)]
)
def test_the_fewest_degrees_of_freedom_do_not_hang_on_rounding(
    shape: tuple[int, int], df2: int
) -> None:
    """Kenward and Roger match the moments of F, of which it has two above 4, and none to 2."""
    for seed in range(15):  # in none are two blocks all but equal
        values = simulated(seed, shape, 0.5, gaps=0.0)
        model, closed = fit_incomplete_blocks(values), fit_block_model(values)
        assert model.equality is not None
        assert model.equality.df2 == pytest.approx(df2, rel=1e-7)
        assert model.equality.p_value == pytest.approx(closed.equality.p_value, rel=1e-6)
        assert model.estimates.df >= 1


def test_candidates_that_never_meet_are_told() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1))
    values[:6, 2:] = values[6:, :2] = np.nan
    model = fit_incomplete_blocks(values)
    np.testing.assert_array_equal(model.linked, [0, 0, 1, 1])
    variances = np.diagonal(pair_contrasts(4) @ model.estimates.covariance @ pair_contrasts(4).T)
    assert variances[1] > 1.5 * variances[0]  # the first and the third meet between blocks only


def test_links_through_others_count() -> None:
    observed = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)
    np.testing.assert_array_equal(connected_candidates(observed), [0, 0, 0, 1])


def test_residual_degrees_of_freedom_are_those_of_least_squares() -> None:
    for seed in range(20):
        observed = np.random.default_rng(seed).random((6, 4)) < 0.5
        block, candidate = np.nonzero(observed)
        design = np.hstack([np.eye(6)[block], np.eye(4)[candidate]])
        rank = np.linalg.matrix_rank(design) if len(block) else 0
        assert residual_df(observed) == len(block) - rank


def changed(edit: Callable[[Array], None]) -> Array:
    values = simulated(1, (6, 3), 0.5, gaps=0.0)
    edit(values)
    return values


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ones(3), "shape"),
        (np.ones((3, 1)), "K >= 2"),
        (changed(lambda v: v.__setitem__((0, 0), np.inf)), "numbers"),
        (changed(lambda v: v.__setitem__((slice(None), 0), np.nan)), "no value"),
        (np.array([[1.0, np.nan], [np.nan, 2.0]]), "degrees of freedom"),
        (np.array([[0.1, 0.2], [0.4, 0.5], [0.7, np.nan]]), "residual variance"),
    ],
)
def test_what_cannot_be_fitted_is_said(values: Array, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fit_incomplete_blocks(values)


def test_differences_that_are_the_same_through_others_are_no_variation() -> None:
    nan = np.nan
    values = np.array([[0.1, 0.2, nan], [nan, 0.5, 0.9], [0.2, nan, 0.7], [0.4, 0.5, nan]])
    assert not has_residual_variance(values)
    values[0, 0] += 1e-6
    assert has_residual_variance(values)


def test_many_means_have_the_same_degrees_of_freedom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of all contrasts at once are those of each, the level aside."""
    rng = np.random.default_rng(8)
    values = 100 + rng.normal(size=(12, 1)) + rng.normal(0, 0.1, (12, 6))
    values[rng.random(values.shape) < 0.15] = np.nan
    few = fit_incomplete_blocks(values)
    monkeypatch.setattr(kenward_roger, "MANY_MEANS", 2)
    many = fit_incomplete_blocks(values)
    assert many.pair_df == pytest.approx(few.pair_df, rel=1e-8)
    assert few.equality is not None
    assert many.equality is not None
    for name in ("statistic", "df1", "df2"):
        assert getattr(many.equality, name) == pytest.approx(getattr(few.equality, name), rel=1e-8)


def test_blocks_of_many_candidates_take_no_product_over_four() -> None:
    """Of 200 candidates these took most of a minute."""
    rng = np.random.default_rng(9)
    values = rng.normal(size=(30, 1)) + rng.normal(0, 0.1, (30, 200))
    values[rng.random(values.shape) < 0.05] = np.nan
    begin = process_time()
    fit_incomplete_blocks(values)
    assert process_time() - begin < SECONDS_OF_MANY
