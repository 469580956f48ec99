"""The same models by statsmodels: a second opinion, and where it has none."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from statsmodels.nonparametric.smoothers_lowess import lowess
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.multivariate import test_mvmean as mean_vector_test

from reportgen.catalogue.candidates.estimators import HuberLinearModel, LocalRegression
from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.domain.model import fit_domain_model
from reportgen.stats.linear_algebra import helmert_contrasts
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg, bonferroni, holm

Array = NDArray[np.float64]

OPTIMUM = 1e-4  # relative: statsmodels ends its search by the gradient, ours is in closed form
EXACT = 1e-10  # relative: sums of squares in another order
MAD = 2e-4  # relative: the median of |z| is .6745 in MASS and here, .67449 in statsmodels
LINE = 1e-8  # of what lies on a line or a parabola


@pytest.fixture(autouse=True)
def _warnings_of_statsmodels() -> Iterator[None]:
    """Leave out what statsmodels warns of: nothing here hides a warning of our own."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"statsmodels\.")
        yield


@pytest.fixture
def blocks() -> Array:
    """Return 14 complete blocks of four candidates."""
    rng = np.random.default_rng(3)
    level = rng.normal(0, 0.8, (14, 1))
    return 0.2 + level + rng.normal(0, 0.5, (14, 4)) + np.array([0.0, 0.1, 0.4, 0.9])


def long(values: Array) -> pd.DataFrame:
    """Return one row a value."""
    block, candidate = np.indices(values.shape)
    columns = {"block": block.ravel(), "candidate": candidate.ravel(), "value": values.ravel()}
    return pd.DataFrame(columns)


def test_mixed_lm_has_the_variances_and_means_of_the_block_model(blocks: Array) -> None:
    frame = long(blocks)
    design = pd.get_dummies(frame["candidate"]).astype(float)
    found = MixedLM(frame["value"], design, groups=frame["block"]).fit(reml=True)
    ours = fit_block_model(blocks)
    assert not ours.is_boundary
    assert ours.means == pytest.approx(found.fe_params.to_numpy(), rel=EXACT)
    assert ours.variance == pytest.approx(float(found.scale), rel=OPTIMUM)
    assert ours.block_variance == pytest.approx(float(found.cov_re.iloc[0, 0]), rel=OPTIMUM)
    assert ours.standard_error == pytest.approx(found.bse_fe.to_numpy()[0], rel=OPTIMUM)
    effects = [float(found.random_effects[b].iloc[0]) for b in range(len(blocks))]
    assert ours.block_effects == pytest.approx(np.array(effects), rel=OPTIMUM)


def test_mixed_lm_has_the_components_of_the_domain_model() -> None:
    rng = np.random.default_rng(5)
    n_datasets, n_replications, n_candidates = 9, 6, 3
    values = rng.normal(size=(n_datasets, 1, 1)) + 0.7 * rng.normal(size=(n_datasets, 1, 3))
    values = values + 0.5 * rng.normal(size=(n_datasets, n_replications, 1))
    values = values + 0.4 * rng.normal(size=(n_datasets, n_replications, n_candidates))
    dataset, replication, candidate = np.indices(values.shape)
    frame = pd.DataFrame(
        {
            "dataset": dataset.ravel(),
            "replication": replication.ravel(),
            "candidate": candidate.ravel(),
            "value": values.ravel(),
        }
    )
    found = MixedLM.from_formula(
        "value ~ 0 + C(candidate)",
        frame,
        groups="dataset",
        re_formula="1",
        vc_formula={"candidate": "0 + C(candidate)", "replication": "0 + C(replication)"},
    ).fit(reml=True)
    ours = fit_domain_model(values)
    assert ours.zeros == ()
    assert ours.means == pytest.approx(found.fe_params.to_numpy(), rel=EXACT)
    theirs = [float(found.cov_re.iloc[0, 0]), *found.vcomp.tolist(), float(found.scale)]
    components = [
        ours.dataset_variance,
        ours.interaction_variance,
        ours.replication_variance,
        ours.variance,
    ]
    assert components == pytest.approx(theirs, rel=1e-2)  # a flat optimum of four components
    assert ours.reml_criterion is not None
    assert ours.reml_criterion <= -2 * found.llf + 1e-4


def test_anova_of_repeated_measures_has_the_f_of_the_block_model(blocks: Array) -> None:
    table = AnovaRM(long(blocks), "value", "block", within=["candidate"]).fit().anova_table
    ours = fit_block_model(blocks).equality
    assert ours.statistic == pytest.approx(table["F Value"].iloc[0], rel=EXACT)
    assert (ours.df1, ours.df2) == (table["Num DF"].iloc[0], table["Den DF"].iloc[0])
    assert ours.p_value == pytest.approx(table["Pr > F"].iloc[0], rel=EXACT)


def test_multipletests_adjusts_as_holm() -> None:
    p_values = np.array([0.012, 0.0004, 0.3, 0.04, 0.012, 1.0, 0.0])
    expected = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_multipletests_adjusts_as_bonferroni_and_benjamini_hochberg(seed: int) -> None:
    p_values = np.random.default_rng(seed).random(25) ** 3
    p_values[[3, 7]] = p_values[5]  # ties
    for method, ours in (("bonferroni", bonferroni), ("fdr_bh", benjamini_hochberg)):
        expected = multipletests(p_values, method=method)[1]
        found = ours(p_values, 25) if ours is bonferroni else ours(p_values)
        assert found == pytest.approx(expected, rel=EXACT)


def test_multipletests_counts_what_is_not_tested() -> None:
    """A pair that is open has no p-value, and is no member of our family; of theirs it is one."""
    p_values = np.array([0.01, np.nan, 0.04])
    theirs = multipletests(p_values, method="holm")[1]
    assert theirs == pytest.approx([0.03, np.nan, 0.08], nan_ok=True)
    assert holm(p_values[[0, 2]]) == pytest.approx([0.02, 0.04])


def test_mean_vector_test_is_hotellings_of_the_free_covariance() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(size=(12, 5, 4)) + rng.normal(size=(12, 1, 4)) * [1, 2, 1, 3]
    ours = fit_domain_model(values, "unstructured").equality
    contrasts = values.mean(axis=1) @ helmert_contrasts(4).T
    theirs = mean_vector_test(contrasts, np.zeros(3))
    assert ours is not None
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-8)
    assert (ours.df1, ours.df2) == theirs.df
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-8)


def huber_of_statsmodels(x: Array, y: Array) -> Array:
    """Return the coefficients of RLM, the intercept first."""
    model = sm.RLM(y, sm.add_constant(x), M=sm.robust.norms.HuberT(1.345))
    return np.asarray(model.fit(tol=1e-12, maxiter=500).params)


def test_rlm_has_hubers_coefficients() -> None:
    rng = np.random.default_rng(11)
    x = rng.normal(size=(80, 2))
    y = 1.0 + x @ np.array([2.0, -1.0]) + rng.standard_t(2, 80)
    ours = HuberLinearModel().fit(x, y).coef_
    assert ours == pytest.approx(huber_of_statsmodels(x, y), rel=MAD)


# It fits all other points, and statsmodels says so where no rounding is left.
@pytest.mark.filterwarnings("ignore:Estimated scale is 0.0")
def test_rlm_has_the_line_on_which_most_points_lie() -> None:
    x = np.arange(20.0)[:, None]
    y = 3.0 + 0.5 * x[:, 0]
    y[[2, 9, 14, 17]] += [5.0, -7.0, 40.0, 11.0]
    ours = HuberLinearModel().fit(x, y).coef_
    assert ours == pytest.approx([3.0, 0.5], abs=LINE)
    assert huber_of_statsmodels(x, y) == pytest.approx([3.0, 0.5], abs=LINE)


def test_rlm_has_no_fit_without_residuals() -> None:
    """Why Huber's estimate is our own: samples that a benchmark draws, and RLM refuses."""
    x = np.arange(3.0)[:, None] ** np.array([1, 2])
    y = np.array([1.0, 0.0, 5.0])
    with pytest.raises(ZeroDivisionError):
        huber_of_statsmodels(x, y)  # as many parameters as observations
    assert HuberLinearModel().fit(x, y).predict(x) == pytest.approx(y, abs=LINE)
    x, zeros = np.arange(9.0)[:, None], np.zeros(9)
    with (
        pytest.warns(match="perfect"),
        pytest.warns(RuntimeWarning, match="invalid value"),
    ):
        huber_of_statsmodels(x, zeros)  # the scale is 0, and residuals are divided by it
    assert HuberLinearModel().fit(x, zeros).coef_ == pytest.approx([0.0, 0.0], abs=LINE)


def test_rlm_depends_on_the_unit_of_the_response() -> None:
    """Why Huber's estimate is our own: a response in bytes has the estimate of one in gigabytes."""
    rng = np.random.default_rng(13)
    x = rng.normal(size=(40, 1))
    y, unit = x[:, 0] + rng.standard_t(1, 40), 1e9
    usual = HuberLinearModel().fit(x, y).coef_
    assert usual == pytest.approx(huber_of_statsmodels(x, y), rel=MAD)
    assert HuberLinearModel().fit(x, unit * y).coef_ / unit == pytest.approx(usual, rel=EXACT)
    assert huber_of_statsmodels(x, unit * y) / unit != pytest.approx(usual, rel=0.01)


def test_lowess_has_no_parabola() -> None:
    """Why local regression is our own: lowess is linear, loess of R is quadratic."""
    x = np.linspace(0.0, 1.0, 41)
    y = 1.0 - 2.0 * x + 3.0 * x**2
    ours = LocalRegression(0.5).fit(x[:, None], y).predict(x[:, None])
    assert ours == pytest.approx(y, abs=LINE)
    theirs = lowess(y, x, frac=0.5, it=0, return_sorted=False)
    assert np.abs(theirs - y).max() > 1e-2


SLOWER = 100  # times: the import of theirs against a thousand p-values by ours
IMPORT = """
import time
import numpy as np
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg, holm
p_values = np.random.default_rng(1).random(1000)
start = time.process_time()
holm(p_values), benjamini_hochberg(p_values)
middle = time.process_time()
import statsmodels.stats.multitest
print((time.process_time() - middle) / (middle - start))
"""


@pytest.mark.slow
def test_multipletests_takes_longer_to_import_than_all_that_it_would_do() -> None:
    """Why adjustments are our own: equal results, of which every command would pay the import."""
    words = [sys.executable, "-c", IMPORT]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert float(told) > SLOWER
