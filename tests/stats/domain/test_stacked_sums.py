"""The criterion of all data sets in one go, against that of one data set after the other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.stats.domain.incomplete import StackedSums, evaluate, fit_incomplete_domain
from reportgen.stats.domain.sums import dataset_sums

Array = NDArray[np.float64]

STEP = 1e-5  # of central differences: their error is some 1e-10, relative
SLOPE = 1e-6  # relative error of slopes by them
ROUNDING = 1e-12
SAME_OPTIMUM = 1e-9  # the search ends where the criterion falls by 1e-16 no more


def data_sets(sizes: Array, n: int = 6) -> list[Array]:
    """Candidates of these sizes with gaps, with whole blocks and a candidate missing."""
    rng = np.random.default_rng(5)
    found = []
    for m in range(n):
        values = rng.lognormal(0, 1, len(sizes)) + rng.normal(0, 0.1, (20 + m, len(sizes)))
        values[rng.random(values.shape) < 0.1] = np.nan
        found.append(values * sizes)
    found[0][:3], found[1][:, 2] = np.nan, np.nan
    return found


def covariance(k: int) -> Array:
    root = np.random.default_rng(1).normal(size=(k, k))
    return np.asarray(root @ root.T)


@pytest.mark.parametrize("replication", [0.0, 0.02])
def test_criterion_is_that_of_the_data_sets_one_by_one(replication: float) -> None:
    sums = [dataset_sums(values) for values in data_sets(np.ones(4))]
    one = evaluate(sums, np.array([0.05, replication, 0, 0]), covariance(4))
    found = StackedSums.of(sums).criterion_slopes(0.05, replication, covariance(4))
    assert one is not None
    assert found is not None
    assert found.criterion == pytest.approx(one.criterion, rel=ROUNDING)


def test_slopes_are_those_of_the_criterion() -> None:
    stack = StackedSums.of([dataset_sums(values) for values in data_sets(np.ones(4))])
    at = np.array([0.05, 0.02])

    def criterion(inside: Array, omega: Array) -> float:
        found = stack.criterion_slopes(float(inside[0]), float(inside[1]), omega)
        assert found is not None
        return found.criterion

    found = stack.criterion_slopes(0.05, 0.02, covariance(4))
    assert found is not None
    for c in range(2):
        step = STEP * at[c] * np.eye(2)[c]
        rise = criterion(at + step, covariance(4)) - criterion(at - step, covariance(4))
        assert found.of_inside[c] == pytest.approx(rise / (2 * STEP * at[c]), rel=SLOPE)
    for i, j in ((0, 0), (1, 3)):
        step = np.zeros((4, 4))
        step[i, j] = step[j, i] = STEP
        rise = criterion(at, covariance(4) + step) - criterion(at, covariance(4) - step)
        slope = found.of_omega[i, j] + (found.of_omega[j, i] if i != j else 0)
        assert slope == pytest.approx(rise / (2 * STEP), rel=SLOPE)


def test_no_covariance_has_no_criterion() -> None:
    stack = StackedSums.of([dataset_sums(values) for values in data_sets(np.ones(3))])
    assert stack.criterion_slopes(-1.0, 0.0, np.eye(3)) is None
    assert stack.criterion_slopes(1.0, 0.0, -1e3 * np.eye(3)) is None


def test_a_free_covariance_is_found_whatever_the_candidates_sizes() -> None:
    """Seconds of a slow candidate are thousands of times those of a fast one.

    A search that ends before the optimum ends elsewhere in another order.
    """
    values = data_sets(np.array([1.0, 1, 30, 300, 3000, 3000]), 15)[2:]
    found, other = (
        fit_incomplete_domain([v[:, order] for v in values], "unstructured").reml_criterion
        for order in (slice(None), slice(None, None, -1))
    )
    assert found == pytest.approx(other, rel=SAME_OPTIMUM)
