from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from reportgen.estimators import ArchetypalAnalysis
from reportgen.stats.archetypes import archetypes


# The array interface is checked only where an environment variable asks for it.
@parametrize_with_checks(
    [ArchetypalAnalysis(n_init=1)],
    expected_failed_checks=lambda _: {},
)
def test_it_is_an_estimator(estimator, check):
    check(estimator)


def table(n=60):
    rng = np.random.default_rng(1)
    return rng.dirichlet(np.full(3, 0.5), n) @ np.array([[0.0, 0], [4, 1], [1, 4]])


def test_it_is_the_kernel():
    model = ArchetypalAnalysis(3, random_state=4, n_init=3).fit(table())
    again = archetypes(table(), 3, np.random.default_rng(9))
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
    with pytest.raises(ValueError, match="weights belong to the weighted method"):
        ArchetypalAnalysis(2).fit(table(), row_weights=weights)


def test_it_stands_in_a_pipeline():
    found = make_pipeline(StandardScaler(), ArchetypalAnalysis(2)).fit_transform(table())
    assert found.shape == (60, 2)
