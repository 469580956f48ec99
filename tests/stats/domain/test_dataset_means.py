"""Domains of one value a data set and candidate, against the domain model on the same means."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.domain.dataset_means import fit_dataset_means
from reportgen.stats.domain.model import fit_domain_model

CLOSED_FORM = 1e-10  # both sides are closed forms


@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
def test_tests_are_those_of_the_domain_model_on_its_means(structure):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(9, 1, 1)) + rng.normal(size=(9, 1, 4)) + rng.normal(size=(9, 6, 4))
    whole = fit_domain_model(values, structure)
    once = fit_dataset_means(values.mean(axis=1), structure)
    assert once.means == pytest.approx(whole.means, rel=CLOSED_FORM)
    assert once.standard_errors == pytest.approx(whole.standard_errors, rel=CLOSED_FORM)
    assert once.standard_error_df == pytest.approx(whole.standard_error_df, rel=CLOSED_FORM)
    assert once.equality.statistic == pytest.approx(whole.equality.statistic, rel=CLOSED_FORM)
    assert (once.equality.df1, once.equality.df2) == (whole.equality.df1, whole.equality.df2)
    difference = np.array([1.0, -1.0, 0.0, 0.0])
    ours, theirs = (difference @ m.estimates.covariance @ difference for m in (once, whole))
    assert ours == pytest.approx(theirs, rel=CLOSED_FORM)
    assert once.estimates.df == whole.estimates.df


def test_what_cannot_be_told_apart_is_not_told():
    means = np.random.default_rng(1).normal(size=(5, 3))
    block, free = fit_dataset_means(means), fit_dataset_means(means, "unstructured")
    assert block.replication_variance is None
    assert block.interaction_variance is None
    assert free.variance is None
    assert free.reml_criterion is None
    assert not free.interaction_effects.any()


def test_fewer_data_sets_than_candidates():
    means = np.random.default_rng(1).normal(size=(3, 5))
    free = fit_dataset_means(means, "unstructured")
    assert free.sigma_rank == 2
    assert free.equality is None


def test_the_same_differences_everywhere():
    with pytest.raises(ValueError, match="residual variance"):
        fit_dataset_means(np.array([[0.1, 0.2], [0.4, 0.5]]))
