"""The model with data sets as fixed effects, against one regression with a dummy of every block."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.anova import anova_lm

from reportgen.sections.domain import Options
from reportgen.sections.domain.data import domain_values
from reportgen.sections.domain.fixed_effects import fit_fixed_effects
from reportgen.sections.domain.result import FixedEffectsFit
from reportgen.stats.distributions.studentized_range import quantile
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.domain.making import draw_values, tell
from tests.sections.reading import ERROR

THREE = ("anna", "bert", "cara")
LEVELS = [[0.20, 0.25, 0.30], [0.40, 0.38, 0.45], [0.10, 0.12, 0.16], [0.3, 0.3, 0.3]]
EXACT = 1e-9  # relative: sums of squares in another order
HERE = Path(__file__).parents[3]


def made(*, with_gaps: bool = False) -> Warehouse:
    """Return four data sets, with three values missing if asked."""
    values = draw_values(5, LEVELS, n_replications=6)
    if with_gaps:
        values["d1"][0, 1] = values["d1"][3, 0] = values["d2"][5, 2] = np.nan
    return warehouse_of({ERROR: values}, THREE)


def fit(warehouse: Warehouse, **options: object) -> FixedEffectsFit | None:
    """Fit the model to the only measure."""
    chosen = Options(missing="available", fixed_effects=True, **options)
    own = domain_values(warehouse, warehouse.measures[0])
    return fit_fixed_effects(own, chosen, np.random.default_rng(1))


def long(warehouse: Warehouse) -> pd.DataFrame:
    """Return one row a value, with a name of every replication of a data set."""
    frame = warehouse.frame.dropna(subset=["value"]).copy()
    names = frame["dataset"].astype(str) + "/" + frame["replication"].astype(str)
    return frame.assign(block=names).astype({"dataset": str, "candidate": str})


def test_the_analysis_of_variance_is_that_of_statsmodels() -> None:
    warehouse = made()
    found = fit(warehouse)
    assert found is not None
    frame = long(warehouse)
    dummies = {name: pd.get_dummies(frame[name]) for name in ("dataset", "block", "candidate")}
    cells = pd.get_dummies(frame["dataset"] + frame["candidate"])
    nested = [
        pd.DataFrame({"one": np.ones(len(frame))}, index=frame.index),
        dummies["dataset"],
        dummies["block"],
        pd.concat([dummies["block"], dummies["candidate"]], axis=1),
        pd.concat([dummies["block"], cells], axis=1),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a block's dummy is a data set's, too
        fits = [OLS(frame["value"], columns.astype(float)).fit() for columns in nested]
    terms = {"dataset": (0, 1), "replication": (1, 2), "candidate": (2, 3), "interaction": (3, 4)}
    assert [row.source for row in found.anova] == [
        "dataset", "candidate", "interaction", "replication", "residual",
    ]  # fmt: skip
    for source, (small, large) in terms.items():
        row = found.term(source)
        assert row is not None
        assert row.squares == pytest.approx(fits[small].ssr - fits[large].ssr, rel=1e-6)  # by SVD
        assert row.df == fits[small].df_resid - fits[large].df_resid
    assert found.anova[-1].squares == pytest.approx(fits[-1].ssr, rel=EXACT)
    row = found.term("interaction")
    assert row is not None
    statistic, p_value, _ = fits[-1].compare_f_test(fits[-2])
    assert row.statistic == pytest.approx(statistic, rel=1e-6)
    assert row.p_value == pytest.approx(p_value, rel=1e-4)
    blocks, residual = found.term("replication"), found.term("residual")
    datasets = found.term("dataset")
    assert blocks is not None
    assert residual is not None
    assert datasets is not None
    assert (datasets.df, blocks.df, residual.df) == (3, 20, 40)
    means = frame.groupby(["dataset", "block"])["value"].mean().reset_index()
    apart = anova_lm(ols("value ~ dataset", means).fit())
    assert datasets.statistic == pytest.approx(apart.loc["dataset", "F"], rel=EXACT)
    assert found.n_parameters == 12
    assert found.residual_deviation**2 == pytest.approx(residual.mean_square)


def test_pairs_are_averages_by_tukey_with_one_variance() -> None:
    warehouse = made()
    found = fit(warehouse)
    assert found is not None
    means = long(warehouse).groupby("candidate")["value"].mean()
    assert found.coefficients == pytest.approx(means.to_dict())
    error = np.sqrt(2 * found.anova[-1].mean_square / 24)
    half = quantile(0.05, 3, 40) / np.sqrt(2) * error
    for pair in found.pairs:
        assert pair.estimate == pytest.approx(means[pair.first] - means[pair.second])
        assert pair.standard_error == pytest.approx(error, rel=EXACT)
        assert pair.upper - pair.estimate == pytest.approx(half, rel=1e-6)  # of the quantile
        assert (pair.method, pair.target) == ("tukey", "conditional")
    assert found.groups == (("anna",), ("bert",), ("cara",))


def test_with_gaps_effects_and_variance_are_those_of_one_regression() -> None:
    warehouse = made(with_gaps=True)
    found = fit(warehouse)
    assert found is not None
    frame = long(warehouse)
    blocks = pd.get_dummies(frame["block"])
    cells = {
        f"{d} {name}": (frame["dataset"] == d) & (frame["candidate"] == name)
        for d in warehouse.datasets
        for name in THREE[1:]
    }
    theirs = OLS(frame["value"], blocks.assign(**cells).astype(float)).fit()
    assert found.residual_deviation**2 == pytest.approx(theirs.scale, rel=EXACT)
    assert found.anova[-1].df == theirs.df_resid
    contrast = np.array([0.25 * name.endswith(" cara") for name in theirs.params.index])
    test = theirs.t_test(contrast)
    pair = next(p for p in found.pairs if {p.first, p.second} == {"anna", "cara"})
    assert abs(pair.estimate) == pytest.approx(abs(test.effect[0]), rel=1e-7)  # by their SVD
    assert pair.standard_error == pytest.approx(float(test.sd[0, 0]), rel=1e-7)
    assert [row.source for row in found.anova] == ["candidate", "interaction", "residual"]
    assert found.replication_deviation is None


def test_there_is_none_where_a_data_set_lacks_a_candidate_or_has_one_replication() -> None:
    values = draw_values(5, LEVELS, n_replications=6)
    values["d1"][:, 2] = np.nan
    assert fit(warehouse_of({ERROR: values}, THREE)) is None
    single = draw_values(5, LEVELS, n_replications=1)
    assert fit(warehouse_of({ERROR: single}, THREE)) is None


@pytest.mark.parametrize("power", [320, -320])
def test_a_power_of_two_changes_units_alone(power: int) -> None:
    values = draw_values(5, LEVELS, n_replications=6)
    found = fit(warehouse_of({ERROR: values}, THREE))
    other = fit(warehouse_of({ERROR: {d: np.ldexp(v, power) for d, v in values.items()}}, THREE))
    assert found is not None
    assert other is not None
    times = 2.0**power
    assert other.residual_deviation == pytest.approx(times * found.residual_deviation)
    assert other.anova[0].squares == pytest.approx(times**2 * found.anova[0].squares)
    assert other.anova[0].statistic == pytest.approx(found.anova[0].statistic)
    assert other.pairs.estimate == pytest.approx(times * found.pairs.estimate)


def test_the_report_has_it_where_it_is_asked_for() -> None:
    values = draw_values(5, LEVELS * 2, n_replications=6)
    said, found = tell(values, THREE, fixed_effects=True)
    own = found.fixed_effects["misclassification"]
    (table,) = (t for t in said.tables if t.name == "anova")
    assert [row[0] for row in table.rows] == [
        "Data sets", "Candidates", "Data set by candidate", "Replications in data sets",
        "Residuals",
    ]  # fmt: skip
    assert own.n_parameters == 24
    assert "With data sets as fixed effects (24 means; Table S" in said.sections["domain"]
    assert "given their data, all 3 differences are significant" in said.sections["domain"]
    methods = [order.method for order in found.agreement["misclassification"].methods]
    assert "fixed-datasets" in methods
    usual, without = tell(values, THREE)
    assert not without.fixed_effects
    assert "as fixed effects" not in usual.sections["domain"]
    assert all(t.name != "anova" for t in usual.tables)


@pytest.mark.slow
def test_statsmodels_is_imported_for_this_model_alone() -> None:
    script = (
        "import sys, json, reportgen.sections.domain.analysis as a;"
        "print(json.dumps('statsmodels' in sys.modules))"
    )
    words = [sys.executable, "-c", script]
    told = subprocess.run(words, capture_output=True, text=True, check=True, cwd=HERE).stdout
    assert json.loads(told) is False
