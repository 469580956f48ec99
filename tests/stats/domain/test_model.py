"""The domain models against lme4, a general likelihood, formulas by hand, and simulation."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import minimize

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.domain.components import Components, criterion_part, reml_components
from reportgen.stats.domain.model import fit_domain_model, hotelling
from reportgen.stats.domain.strata import domain_strata
from reportgen.stats.multiplicity.simultaneous import bonferroni_pairs, tukey

CANDIDATES = ["lda", "knn", "nnet", "rf", "rpart", "svm"]

EXACT = 1e-9  # closed forms against closed forms
GOLDEN = 1e-3  # relative: lme4 stops 1e-6 above the optimum, its components are 4e-4 off
BELOW = 1e-6  # of the criterion: how far above ours lme4's may be; it may not be below
NUMERICAL = 1e-7  # of the criterion: where a simplex search ends
SIZE = 0.046  # 200 runs at 5%: three standard errors


# ---------------------------------------------------------------------------------- golden


@pytest.fixture(scope="module")
def complete(reference: Path) -> np.ndarray:
    """Return the 81 replications that are complete on all 21 data sets, shape (21, 81, 6)."""
    frame = pd.read_csv(reference / "data" / "uci621raw.csv")
    wide = frame[frame.measure == "Misclassification"].pivot_table(
        index=["dataset", "replication"], columns="algorithm", values="value", dropna=False
    )[CANDIDATES]
    has_gap = wide.isna().any(axis=1).groupby("replication").any()
    numbers = has_gap.index[~has_gap]
    return np.array([wide.loc[name].loc[numbers] for name in golden_file(reference)["datasets"]])


def golden_file(reference: Path) -> dict:
    return json.loads((reference / "golden" / "uci621.json").read_text())


def matrix(given: dict, rows: list[str]) -> np.ndarray:
    return (
        pd.DataFrame(given["data"], given["rows"], given["cols"]).loc[rows, CANDIDATES].to_numpy()
    )


@pytest.mark.parametrize(
    ("structure", "key"), [("interaction", "complete_text"), ("unstructured", "complete_unstr")]
)
def test_golden(complete, reference, structure, key):
    golden = golden_file(reference)
    expected, datasets = golden["domain_models"][key], golden["datasets"]
    model = fit_domain_model(complete, structure)
    assert -BELOW * 10 < model.reml_criterion - expected["REML_criterion"] < BELOW
    assert_allclose(model.means, [expected["kappa"][k] for k in CANDIDATES], rtol=EXACT)
    errors = [expected["kappa_se"][k] for k in CANDIDATES]
    assert_allclose(model.standard_errors, errors, rtol=GOLDEN)
    found = {row["grp"]: row["vcov"] for row in expected["varcorr"] if not row["var2"]}
    assert model.replication_variance == pytest.approx(found["dssamp"], rel=GOLDEN)
    assert model.variance == pytest.approx(found["Residual"], rel=GOLDEN)
    total = model.dataset_effects[:, None] + model.interaction_effects
    assert_allclose(
        total, matrix(expected["blup_total_dataset_plus_interaction"], datasets), atol=1e-6
    )
    assert model.zeros == ()
    assert model.sigma_rank == 6


def test_golden_components(complete, reference):
    golden = golden_file(reference)["domain_models"]
    text = {row["grp"]: row["vcov"] for row in golden["complete_text"]["varcorr"]}
    model = fit_domain_model(complete)
    assert model.dataset_variance == pytest.approx(text["ds"], rel=GOLDEN)
    assert model.interaction_variance == pytest.approx(text["ds:alg"], rel=GOLDEN)
    free = fit_domain_model(complete, "unstructured")
    names = {
        (row["var1"], row["var2"]): row["vcov"]
        for row in golden["complete_unstr"]["varcorr"]
        if row["grp"] == "ds"
    }
    assert len(names) == 21
    for (first, second), expected in names.items():
        i, j = (CANDIDATES.index(name.removeprefix("alg")) for name in (first, second or first))
        assert free.covariance[i, j] == pytest.approx(expected, rel=GOLDEN, abs=1e-6)


def test_golden_tukey_by_the_normal_law(complete, reference):
    golden = golden_file(reference)["domain_models"]["complete_text"]["tukey"]
    model = fit_domain_model(complete)
    pairs = tukey(replace(model.estimates, df=inf), 0.05)
    assert pairs.critical_value[0] == pytest.approx(golden["calpha"], abs=1e-3)
    rows = {row["pair"]: row for row in golden["pairs"]}
    p = 0
    for i in range(6):
        for j in range(i + 1, 6):
            row = rows[f"{CANDIDATES[j]} - {CANDIDATES[i]}"]
            assert -pairs.estimate[p] == pytest.approx(row["estimate"], abs=1e-9)
            assert pairs.adjusted_p_value[p] == pytest.approx(
                row["p_adj_ptukey"], rel=0.01, abs=1e-6
            )
            assert -pairs.upper[p] == pytest.approx(row["lwr"], abs=1e-4)
            p += 1


def test_published_tests(complete):
    free = fit_domain_model(complete, "unstructured")
    assert (free.equality.df1, free.equality.df2) == (5, 16)
    assert free.equality.statistic == pytest.approx(6.54, abs=0.005)
    assert free.equality.p_value == pytest.approx(0.0017, abs=5e-5)
    pairs = bonferroni_pairs(free.estimates, 0.05)
    significant = {
        frozenset((CANDIDATES[i], CANDIDATES[j]))
        for (i, j), p in zip(
            [(i, j) for i in range(6) for j in range(i + 1, 6)], pairs.adjusted_p_value, strict=True
        )
        if p < 0.05
    }
    beaten = ("knn", "nnet", "rpart")
    assert significant == {frozenset((a, b)) for a in ("rf", "svm") for b in beaten}


# ------------------------------------------------------------------------ a second algorithm


def criterion(values: np.ndarray, sigma: np.ndarray, residual: float, replication: float) -> float:
    """The REML criterion of the whole covariance matrix, as lme4 defines it."""
    m, b, k = values.shape
    within = residual * np.eye(k) + replication * np.ones((k, k))
    covariance = np.kron(np.ones((b, b)), sigma) + np.kron(np.eye(b), within)
    inverse = np.linalg.inv(covariance)
    design = np.kron(np.ones((b, 1)), np.eye(k))
    information = m * design.T @ inverse @ design
    flat = values.reshape(m, -1)
    kappa = np.linalg.solve(information, design.T @ inverse @ flat.sum(axis=0))
    rest = flat - design @ kappa
    return float(
        (m * b * k - k) * np.log(2 * np.pi)
        + m * np.linalg.slogdet(covariance)[1]
        + np.linalg.slogdet(information)[1]
        + np.einsum("mi,ij,mj", rest, inverse, rest)
    )


def domain(seed: int, shape: tuple[int, int, int], sd: tuple[float, float, float]) -> np.ndarray:
    """Draw a domain with standard deviations of data sets, interaction and replications."""
    rng = np.random.default_rng(seed)
    m, b, k = shape
    return (
        sd[0] * rng.normal(size=(m, 1, 1))
        + sd[1] * rng.normal(size=(m, 1, k))
        + sd[2] * rng.normal(size=(m, b, 1))
        + rng.normal(size=shape)
    )


FACES = {
    (): (57, (4, 3, 3), (1.0, 1.0, 1.0)),
    ("interaction",): (0, (5, 3, 3), (1.0, 0.0, 1.0)),
    ("replication",): (0, (5, 4, 3), (1.0, 1.0, 0.0)),
    ("interaction", "replication"): (0, (5, 3, 3), (1.0, 0.0, 0.0)),
    ("dataset",): (0, (4, 3, 3), (0.0, 1.0, 1.0)),
    ("dataset", "interaction"): (0, (4, 3, 2), (0.0, 0.0, 1.0)),
    ("dataset", "replication"): (0, (4, 3, 3), (0.0, 1.0, 0.0)),
    ("dataset", "interaction", "replication"): (0, (3, 3, 2), (0.0, 0.0, 0.0)),
}


def on_face(zeros: tuple[str, ...]) -> np.ndarray:
    """Return the first domain from a seed on whose estimates lie on a face."""
    seed, shape, sd = FACES[zeros]
    for n in range(seed, seed + 400):
        values = domain(n, shape, sd)
        if fit_domain_model(values).zeros == zeros:
            return values
    raise AssertionError(f"no domain with {zeros}")


def simplex(f, start: np.ndarray) -> float:
    """Minimise by Nelder and Mead, restarted while that helps."""
    x, least = start, np.inf
    for _ in range(3):
        found = minimize(
            f, x, method="Nelder-Mead", options={"maxfev": 2500, "xatol": 1e-7, "fatol": 1e-9}
        )
        if found.fun > least - NUMERICAL / 100:
            break
        x, least = found.x, found.fun
    return float(min(least, found.fun))


@pytest.mark.slow
@pytest.mark.parametrize("zeros", FACES, ids="-".join)
def test_each_face_is_the_optimum_of_the_likelihood(zeros):
    values = on_face(zeros)
    model = fit_domain_model(values)
    k = values.shape[2]

    def objective(x: np.ndarray) -> float:
        sigma = x[0] ** 2 * np.ones((k, k)) + x[1] ** 2 * np.eye(k)
        return criterion(values, sigma, np.exp(x[3]), x[2] ** 2)

    starts = ([0.8, 0.8, 0.8, 0.0], [0.2, 1.0, 0.3, 0.0])
    least = min(simplex(objective, np.array(start)) for start in starts)
    assert model.reml_criterion == pytest.approx(least, abs=NUMERICAL)
    sigma = model.dataset_variance * np.ones((k, k)) + model.interaction_variance * np.eye(k)
    own = criterion(values, sigma, model.variance, model.replication_variance)
    assert own == pytest.approx(model.reml_criterion, abs=EXACT)


def test_truncated_anova_estimates_are_worse():
    for zeros in FACES:
        if zeros in ((), ("dataset", "interaction", "replication")):
            continue
        strata = domain_strata(on_face(zeros))
        a, i, r, e = strata.mean_squares
        theta_i, theta_r = max(i, e), max(r, e)
        truncated = np.array([max(a, theta_i + theta_r - e), theta_i, theta_r, e])
        best = reml_components(strata)
        assert criterion_part(strata, best.expectations) <= criterion_part(strata, truncated)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3, 2, 3), (4, 3, 2), (5, 2, 2)])
@pytest.mark.parametrize("sd", [(0.0, 0.0, 0.0), (0.3, 0.2, 0.5)])
def test_unstructured_boundary_is_the_optimum_of_the_likelihood(shape, sd):
    values = domain(3, shape, sd)
    model = fit_domain_model(values, "unstructured")
    k = shape[2]
    lower = np.tril_indices(k)

    def objective(x: np.ndarray) -> float:
        root = np.zeros((k, k))
        root[lower] = x[:-2]
        return criterion(values, root @ root.T, np.exp(x[-1]), x[-2] ** 2)

    rng = np.random.default_rng(1)
    start = np.append(rng.normal(size=len(lower[0])) * 0.7, [0.4, 0.0])
    assert model.reml_criterion <= simplex(objective, start) + NUMERICAL
    own = criterion(values, model.covariance, model.variance, model.replication_variance)
    assert own == pytest.approx(model.reml_criterion, abs=1e-8)
    assert np.linalg.matrix_rank(model.covariance, tol=1e-8) == model.sigma_rank
    assert model.sigma_rank <= min(shape[0] - 1, k)


def test_two_candidates_test_alike_with_both_structures():
    values = domain(5, (8, 4, 2), (1.0, 1.0, 0.5))
    one, free = (fit_domain_model(values, s) for s in ("interaction", "unstructured"))
    assert one.equality.statistic == pytest.approx(free.equality.statistic, rel=EXACT)
    assert one.equality.p_value == pytest.approx(free.equality.p_value, rel=EXACT)
    paired = stats.ttest_rel(*values.mean(axis=1).T)
    assert paired.pvalue == pytest.approx(one.equality.p_value, rel=1e-8)


def test_the_test_is_that_of_the_data_sets_means():
    values = domain(2, (7, 5, 4), (1.0, 0.8, 0.3))
    model, block = fit_domain_model(values), fit_block_model(values.mean(axis=1))
    assert model.equality.statistic == pytest.approx(block.equality.statistic, rel=EXACT)
    assert model.equality.df2 == block.equality.df2
    assert model.standard_errors[0] == pytest.approx(block.standard_error, rel=EXACT)
    assert_allclose(model.estimates.covariance, block.estimates.covariance, rtol=1e-9)
    assert model.standard_error_df[0] == pytest.approx(block.standard_error_df, rel=EXACT)


def test_hotelling_by_hand():
    rows = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 3.0], [0.0, 2.0, 3.0], [1.0, 1.0, 2.5]])
    c = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
    mean, s = c @ rows.mean(axis=0), c @ np.cov(rows, rowvar=False) @ c.T
    t2 = 4 * mean @ np.linalg.inv(s) @ mean
    test = hotelling(rows)
    assert test.statistic == pytest.approx(t2 * 2 / (2 * 3), rel=EXACT)
    assert (test.df1, test.df2) == (2, 2)
    assert test.p_value == pytest.approx(stats.f.sf(test.statistic, 2, 2), rel=1e-9)


def test_hotelling_needs_as_many_data_sets_as_candidates():
    rng = np.random.default_rng(1)
    assert hotelling(rng.normal(size=(2, 3))) is None
    assert hotelling(rng.normal(size=(3, 3))) is not None
    alike = np.column_stack([rng.normal(size=5)] * 2 + [rng.normal(size=5)])
    assert hotelling(alike) is None


# --------------------------------------------------------------------- invariance and errors


@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-5, 5))
def test_scale_and_shift(seed, factor, shift):
    values = domain(seed, (4, 3, 3), (0.7, 0.5, 0.4))
    for structure in ("interaction", "unstructured"):
        one = fit_domain_model(values, structure)
        two = fit_domain_model(factor * values + shift, structure)
        assert_allclose(two.means, factor * one.means + shift, rtol=1e-7, atol=1e-7 * factor)
        assert_allclose(two.standard_errors, factor * one.standard_errors, rtol=1e-6)
        assert two.variance == pytest.approx(factor**2 * one.variance, rel=1e-4)
        assert one.sigma_rank == two.sigma_rank


@given(st.integers(0, 10_000))
def test_order_of_data_sets_and_candidates_does_not_matter(seed):
    values = domain(seed, (5, 3, 4), (0.5, 0.3, 0.6))
    rng = np.random.default_rng(seed)
    m, k = rng.permutation(5), rng.permutation(4)
    for structure in ("interaction", "unstructured"):
        one = fit_domain_model(values, structure)
        two = fit_domain_model(values[m][:, :, k], structure)
        assert two.reml_criterion == pytest.approx(one.reml_criterion, abs=1e-8)
        assert_allclose(two.means, one.means[k], atol=1e-12)
        assert_allclose(
            two.dataset_effects[:, None] + two.interaction_effects,
            (one.dataset_effects[:, None] + one.interaction_effects)[m][:, k],
            atol=1e-5,
        )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((2, 2)), "shape"),
        (np.full((2, 2, 2), np.nan), "without gaps"),
        (np.zeros((2, 1, 2)), "two replications"),
        (np.ones((2, 2, 2)), "residual variance"),
        (np.tile(domain(1, (1, 3, 2), (0, 0, 0)), (3, 1, 1)), "data sets that differ"),
    ],
)
def test_what_cannot_be_fitted_says_why(values, words):
    with pytest.raises(ValueError, match=words):
        fit_domain_model(values)


def test_components_name_their_zeros():
    found = reml_components(domain_strata(on_face(("interaction", "replication"))))
    assert isinstance(found, Components)
    assert (found.interaction, found.replication) == (0.0, 0.0)
    assert found.dataset > 0


# ------------------------------------------------------------------------------- simulation


@pytest.mark.slow
def test_size_over_domains():
    """Equal means, unequal variances of the candidates' effects: the exact tests hold 5%."""
    rng = np.random.default_rng(11)
    n = 200
    scales = np.array([0.3, 1.0, 2.0])
    rejected = {"unstructured": 0, "hotelling": 0, "interaction": 0}
    for _ in range(n):
        taste = rng.normal(size=(8, 1, 3))
        noise = rng.normal(size=(8, 2, 3))
        free = fit_domain_model(scales * taste + noise, "unstructured")
        rejected["hotelling"] += free.equality.p_value < 0.05
        rejected["unstructured"] += (
            bonferroni_pairs(free.estimates, 0.05).adjusted_p_value.min() < 0.05
        )
        even = fit_domain_model(taste + noise)
        rejected["interaction"] += even.equality.p_value < 0.05
    assert abs(rejected["hotelling"] / n - 0.05) < SIZE
    assert abs(rejected["interaction"] / n - 0.05) < SIZE
    assert 0.01 < rejected["unstructured"] / n < 0.05 + SIZE
