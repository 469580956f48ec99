from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from reportgen.estimators import ArchetypalAnalysis
from reportgen.stats.archetypal_analysis.fit import fit_archetypes


# The array interface is checked only where an environment variable asks for it.
@parametrize_with_checks(
    [
        ArchetypalAnalysis(n_init=1),
        ArchetypalAnalysis(2, method="weighted", weighting="shrink", n_init=1),
        ArchetypalAnalysis(2, method="robust", n_init=1, tol=1e-2, max_iter=1),
    ],
    expected_failed_checks=lambda _: {},
)
def test_it_is_an_estimator(estimator, check):
    check(estimator)


def table(n=60):
    rng = np.random.default_rng(1)
    return rng.dirichlet(np.full(3, 0.5), n) @ np.array([[0.0, 0], [4, 1], [1, 4]])


def test_it_is_the_kernel():
    model = ArchetypalAnalysis(3, random_state=4, n_init=3).fit(table())
    again = fit_archetypes(table(), 3, np.random.default_rng(9))
    assert model.archetypes_ == pytest.approx(again.archetypes, abs=1e-3)
    assert model.objective_ == pytest.approx(again.objective, rel=1e-4)
    assert model.n_iter_ >= 1
    assert model.get_feature_names_out().tolist() == [f"archetypalanalysis{j}" for j in range(3)]


def test_new_rows_are_mixtures():
    model = ArchetypalAnalysis(3, random_state=4, n_init=3).fit(table())
    assert model.transform(model.archetypes_) == pytest.approx(np.eye(3), abs=1e-9)
    new = np.array([[1.5, 1.5], [np.nan, 2.0]])
    mixtures = model.transform(new)
    assert mixtures.sum(axis=1) == pytest.approx(1)
    assert model.inverse_transform(mixtures)[0] == pytest.approx(new[0])
    assert model.inverse_transform(mixtures)[1, 1] == pytest.approx(2)


def test_weights_go_to_the_weighted_method():
    weights = np.where(np.arange(60) < 30, 0.0, 1.0)
    model = ArchetypalAnalysis(2, method="weighted", random_state=0)
    model.fit(table(), row_weights=weights)
    assert (model.shares_[:, :30] == 0).all()
    with pytest.raises(ValueError, match=r"^row_weights belong to the weighted method"):
        ArchetypalAnalysis(2).fit(table(), row_weights=weights)
    for wrong in (weights[1:], weights - 1, np.full(60, np.nan), 0 * weights):
        with pytest.raises(ValueError, match=r"^row_weights must be 60 finite numbers"):
            model.fit(table(), row_weights=wrong)


@pytest.mark.parametrize("parameters", [{"method": "robust"}, {"weighting": "shrink"}])
def test_gaps_are_refused_only_where_they_cannot_be(parameters):
    gappy = table()
    gappy[3, 0] = np.nan
    model = ArchetypalAnalysis(2, n_init=1, max_iter=2).fit(gappy)
    assert np.isfinite(model.mixtures_).all()
    refusing = ArchetypalAnalysis(2, **{"method": "weighted", **parameters})
    with pytest.raises(ValueError, match="Input X contains NaN"):
        refusing.fit(gappy)
    # The weighting of another method does not count.
    ArchetypalAnalysis(2, weighting="shrink", n_init=1, max_iter=2).fit(gappy)


@pytest.mark.parametrize("max_iter", [1, 3])
def test_no_start_takes_more_sweeps_than_it_may(max_iter):
    model = ArchetypalAnalysis(3, max_iter=max_iter, random_state=1).fit(table())
    assert max(start.n_sweeps for start in model.result_.starts) == max_iter
    assert model.n_iter_ <= max_iter
    assert not model.result_.is_converged


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_archetypes": 2.5}, "n_archetypes must be a whole number of at least 1, got 2.5"),
        ({"n_archetypes": "3"}, "n_archetypes must be a whole number of at least 1, got '3'"),
        ({"n_archetypes": None}, "n_archetypes must be a whole number of at least 1, got None"),
        ({"n_archetypes": True}, "n_archetypes must be a whole number of at least 1, got True"),
        ({"n_init": 0}, "n_init must be a whole number of at least 1, got 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, got 0"),
        ({"max_iter": -3}, "max_iter must be a whole number of at least 1, got -3"),
        ({"tol": -1}, "tol must be a finite number of at least 0, got -1"),
        ({"tol": float("nan")}, "tol must be a finite number of at least 0, got nan"),
        ({"tol": "1"}, "tol must be a finite number of at least 0, got '1'"),
        ({"init": "x"}, r"init must be one of \('mixed', .*\), got 'x'"),
        ({"method": None}, r"method must be one of \('original', .*\), got None"),
        ({"weighting": []}, r"weighting must be one of \('residual', .*\), got \[\]"),
        ({"scaling": "x"}, r"scaling must be one of \(None, .*\), got 'x'"),
    ],
)
def test_parameters_are_refused_by_their_names(parameters, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        ArchetypalAnalysis(**parameters).fit(table())


def test_numbers_of_numpy_are_numbers():
    model = ArchetypalAnalysis(np.int64(2), n_init=np.int32(1), tol=np.float32(1e-2))
    assert model.fit(table()).archetypes_.shape == (2, 2)


def test_it_stands_in_a_pipeline():
    found = make_pipeline(StandardScaler(), ArchetypalAnalysis(2)).fit_transform(table())
    assert found.shape == (60, 2)
