"""Domain models with gaps: against lme4, against complete data, against the whole likelihood."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstest

from reportgen.stats.blocks import kenward_roger
from reportgen.stats.blocks.kenward_roger import contrast_df
from reportgen.stats.domain import incomplete
from reportgen.stats.domain.incomplete import (
    _Slopes,
    _step,
    evaluate,
    fit_components,
    fit_incomplete_domain,
    fixed_effects,
)
from reportgen.stats.domain.model import fit_domain_model
from reportgen.stats.domain.sums import dataset_sums

CANDIDATES = ["lda", "knn", "nnet", "rf", "rpart", "svm"]

CLOSED = 1e-7  # iterations against closed forms, relative
LME4 = 1e-6  # of the criterion: lme4 may stop so much above the optimum
GOLDEN = 1e-4  # relative: standard errors of lme4
EXACT = 1e-9  # two ways to the same number
SLOPE = 1e-4  # derivatives against differences
MANY = 2e-3  # with more than twelve candidates steps end earlier: criterion, relative covariance


def domain(seed: int, shape: tuple[int, int, int], sd: tuple[float, float, float]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    m, b, k = shape
    return (
        sd[0] * rng.normal(size=(m, 1, 1))
        + sd[1] * rng.normal(size=(m, 1, k))
        + sd[2] * rng.normal(size=(m, b, 1))
        + rng.normal(size=shape)
    )


def gappy(seed: int = 2, share: float = 0.2) -> list[np.ndarray]:
    """Return five data sets of unequal replications, a fifth of the values missing."""
    rng = np.random.default_rng(seed)
    values = domain(seed, (5, 6, 3), (1.0, 0.8, 0.7))
    is_gap = rng.random(values.shape) < share
    is_gap[:, 0] = False
    values[is_gap] = np.nan
    return [v[: 4 + i % 3] for i, v in enumerate(values)]


def dense(values: list[np.ndarray], omega: np.ndarray, residual: float, replication: float):
    """Return REML criterion, means and their covariance from whole covariance matrices."""
    k = len(omega)
    information, right, total, log_det, n = np.zeros((k, k)), np.zeros(k), 0.0, 0.0, 0
    parts = []
    for matrix in values:
        block, candidate = np.nonzero(np.isfinite(matrix))
        y, x = matrix[block, candidate], np.eye(k)[candidate]
        v = residual * np.eye(len(y)) + replication * (block[:, None] == block)
        v = v + x @ omega @ x.T
        inverse = np.linalg.inv(v)
        information += x.T @ inverse @ x
        right += x.T @ inverse @ y
        log_det += np.linalg.slogdet(v)[1]
        n += len(y)
        parts.append((y, x, inverse))
    kappa = np.linalg.solve(information, right)
    total = sum((y - x @ kappa) @ inverse @ (y - x @ kappa) for y, x, inverse in parts)
    criterion = (n - k) * np.log(2 * np.pi) + log_det + np.linalg.slogdet(information)[1] + total
    return criterion, kappa, np.linalg.inv(information)


@pytest.mark.parametrize("x", [(1.0, 0.5, 0.6, 0.8), (0.7, 0.0, 0.0, 0.3), (1.2, -0.1, 0.4, -0.05)])
def test_small_sums_make_the_whole_likelihood(x):
    values = gappy()
    omega = x[2] * np.eye(3) + x[3] * np.ones((3, 3))
    found = evaluate([dataset_sums(v) for v in values], np.array(x))
    criterion, kappa, covariance = dense(values, omega, x[0], x[1])
    assert found.criterion == pytest.approx(criterion, abs=1e-9)
    assert_allclose(found.kappa, kappa, rtol=EXACT)
    assert_allclose(found.covariance, covariance, rtol=1e-8)


def test_components_that_are_no_covariance_are_refused():
    sums = [dataset_sums(v) for v in gappy()]
    assert evaluate(sums, np.array([1.0, -0.9, 0.1, 0.1])) is None
    assert evaluate(sums, np.array([1.0, 0.0, -3.0, 0.1])) is None


def test_the_optimum_is_flat():
    values = gappy()
    fit = fit_components(values, is_constrained=False)

    def criterion(x: np.ndarray) -> float:
        omega = x[2] * np.eye(3) + x[3] * np.ones((3, 3))
        return float(dense(values, omega, x[0], x[1])[0])

    for i in range(4):
        step = 1e-4 * np.eye(4)[i]
        slope = (criterion(fit.components + step) - criterion(fit.components - step)) / 2e-4
        assert abs(slope) < SLOPE
        assert criterion(fit.components + 100 * step) > fit.criterion


def test_derivatives_of_the_covariance_by_differences():
    values = gappy()
    fit = fit_components(values, is_constrained=False)
    effects = fixed_effects(fit)
    for i in range(4):
        step = 1e-5 * np.eye(4)[i]
        ends = []
        for x in (fit.components + step, fit.components - step):
            omega = x[2] * np.eye(3) + x[3] * np.ones((3, 3))
            ends.append(dense(values, omega, x[0], x[1])[2])
        assert_allclose(effects.derivatives[i], (ends[0] - ends[1]) / 2e-5, atol=SLOPE)


@pytest.mark.parametrize("sd", [(1.0, 1.0, 0.5), (0.2, 0.1, 0.1), (1.0, 0.0, 0.0)])
@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
def test_complete_data_come_to_the_closed_forms(sd, structure):
    values = domain(3, (6, 5, 3), sd)
    closed, open_ = fit_domain_model(values, structure), fit_incomplete_domain(values, structure)
    assert open_.reml_criterion == pytest.approx(closed.reml_criterion, abs=1e-7)
    assert_allclose(open_.means, closed.means, rtol=CLOSED)
    assert_allclose(open_.standard_errors, closed.standard_errors, rtol=CLOSED)
    assert_allclose(open_.standard_error_df, closed.standard_error_df, rtol=CLOSED)
    assert_allclose(open_.estimates.covariance, closed.estimates.covariance, rtol=CLOSED)
    assert open_.estimates.df == pytest.approx(closed.estimates.df, rel=CLOSED)
    assert open_.equality.statistic == pytest.approx(closed.equality.statistic, rel=CLOSED)
    assert open_.equality.df2 == pytest.approx(closed.equality.df2, rel=CLOSED)
    assert open_.zeros == closed.zeros
    assert open_.sigma_rank == closed.sigma_rank
    assert_allclose(open_.dataset_effects, closed.dataset_effects, atol=1e-5)
    assert_allclose(open_.interaction_effects, closed.interaction_effects, atol=1e-5)


@pytest.mark.parametrize("seed", [1, 4])
def test_unstructured_is_never_above_what_it_contains(seed):
    values = gappy(seed)
    one, free = (fit_incomplete_domain(values, s) for s in ("interaction", "unstructured"))
    assert free.reml_criterion <= one.reml_criterion + 1e-7
    own = dense(values, free.covariance, free.variance, free.replication_variance)[0]
    assert own == pytest.approx(free.reml_criterion, abs=1e-6)
    assert np.linalg.eigvalsh(free.covariance)[0] > -1e-9


def test_gaps_that_leave_nothing_to_tell_variances_apart():
    single = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan], [np.nan, 1.5]])
    rows = [single, single[::-1] + 1, single * 2]
    with pytest.raises(ValueError, match="cannot be distinguished"):
        fit_incomplete_domain(rows)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([np.ones((3, 2))], "two data sets"),
        ([np.ones((3, 2)), np.ones((3, 3))], "the same for all"),
        ([np.array([[1.0, np.nan]] * 3)] * 2, "every candidate"),
        ([np.ones((3, 2)), np.full((3, 2), np.nan)], "every data set"),
    ],
)
def test_errors(values, words):
    with pytest.raises(ValueError, match=words):
        fit_incomplete_domain(values)


# ---------------------------------------------------------------------------------- golden


@pytest.fixture(scope="module")
def golden(reference: Path) -> dict:
    return json.loads((reference / "golden" / "uci621.json").read_text())


@pytest.fixture(scope="module")
def available(reference: Path, golden: dict) -> list[np.ndarray]:
    frame = pd.read_csv(reference / "data" / "uci621raw.csv")
    wide = frame[frame.measure == "Misclassification"].pivot_table(
        index=["dataset", "replication"], columns="algorithm", values="value", dropna=False
    )[CANDIDATES]
    return [wide.loc[name].to_numpy() for name in golden["datasets"]]


def total(expected: dict, datasets: list[str]) -> np.ndarray:
    given = expected["blup_total_dataset_plus_interaction"]
    frame = pd.DataFrame(given["data"], given["rows"], given["cols"])
    return frame.loc[datasets, CANDIDATES].to_numpy()


def test_golden_interaction(available, golden):
    expected = golden["domain_models"]["all_text"]
    model = fit_incomplete_domain(available)
    assert -1e-5 < model.reml_criterion - expected["REML_criterion"] < LME4
    assert_allclose(model.means, [expected["kappa"][k] for k in CANDIDATES], rtol=1e-8)
    errors = [expected["kappa_se"][k] for k in CANDIDATES]
    assert_allclose(model.standard_errors, errors, rtol=GOLDEN)
    found = {row["grp"]: row["vcov"] for row in expected["varcorr"]}
    assert model.dataset_variance == pytest.approx(found["ds"], rel=GOLDEN)
    assert model.interaction_variance == pytest.approx(found["ds:alg"], rel=GOLDEN)
    assert model.replication_variance == pytest.approx(found["dssamp"], rel=GOLDEN)
    assert model.variance == pytest.approx(found["Residual"], rel=GOLDEN)
    effects = model.dataset_effects[:, None] + model.interaction_effects
    assert_allclose(effects, total(expected, golden["datasets"]), atol=1e-7)
    theirs = expected["F"]["lmerTest_satterthwaite"]
    assert model.equality.df2 == pytest.approx(theirs["DenDF"], rel=1e-4)
    assert model.equality.statistic == pytest.approx(theirs["F value"], rel=1e-4)


def test_golden_unstructured(available, golden):
    expected = golden["domain_models"]["all_demo"]
    model = fit_incomplete_domain(available, "unstructured")
    assert -1e-3 < model.reml_criterion - expected["REML_criterion"] < LME4
    assert_allclose(model.means, [expected["kappa"][k] for k in CANDIDATES], rtol=1e-6)
    effects = model.dataset_effects[:, None] + model.interaction_effects
    assert_allclose(effects, total(expected, golden["datasets"]), atol=1e-5)


def test_degrees_of_freedom_of_pairs(available):
    fit = fit_components(available, is_constrained=False)
    df = contrast_df(fixed_effects(fit), np.eye(6)[:-1] - np.eye(6)[-1])
    assert_allclose(df, 100, rtol=1e-4)


@pytest.mark.slow
def test_size_with_gaps():
    """Equal means, a fifth of the values missing: Kenward and Roger's p-values are uniform.

    All of them are looked at, not how many are below 5%, which takes several times as many.
    """
    p_values = [fit_incomplete_domain(gappy(100 + seed)).equality.p_value for seed in range(30)]
    assert kstest(p_values, "uniform").pvalue > 0.1


def test_many_candidates_come_near_the_closed_form():
    values = np.stack(domain(3, (18, 4, 13), (1.0, 0.5, 0.3)))
    closed = fit_domain_model(values, "unstructured")
    found = fit_incomplete_domain(list(values), "unstructured")
    assert_allclose(found.means, closed.means, rtol=CLOSED)
    assert found.reml_criterion == pytest.approx(closed.reml_criterion, abs=MANY)
    scale = np.abs(closed.covariance).max()
    assert_allclose(found.covariance, closed.covariance, atol=MANY * scale)


def test_information_that_is_not_finite_is_refused_in_silence(capfd):
    slopes = _Slopes(np.zeros(4), np.full((4, 4), np.nan), ())
    with pytest.raises(ValueError, match="cannot be distinguished"):
        _step(slopes, np.ones(4, dtype=bool))
    assert capfd.readouterr() == ("", "")


def test_many_means_have_the_same_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products that are taken in turn are those over four indices at once."""
    values = gappy()
    few = fit_incomplete_domain(values)
    for module in (kenward_roger, incomplete):
        monkeypatch.setattr(module, "MANY_MEANS", 2)
    many = fit_incomplete_domain(values)
    assert_allclose(many.means, few.means, rtol=EXACT)
    assert_allclose(many.standard_errors, few.standard_errors, rtol=CLOSED)
    assert_allclose(many.estimates.df, few.estimates.df, rtol=CLOSED)
    assert few.equality is not None
    assert many.equality is not None
    assert_allclose(many.equality.statistic, few.equality.statistic, rtol=CLOSED)
