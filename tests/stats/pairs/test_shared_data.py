"""What replications share: the rules for every scheme."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.pairs.shared_data import shared_data

EXACT = 1e-12  # relative: one division


def test_bootstrap_counts_distinct_observations() -> None:
    n_distinct, n_test = np.array([60.0, 64.0]), np.array([40.0, 36.0])
    found = shared_data("real-world", "bootstrap", n_distinct=n_distinct, n_test=n_test)
    assert found.ratio == pytest.approx((40 / 60 + 36 / 64) / 2, rel=EXACT)
    assert (found.source, found.reason) == ("sizes", None)
    assert found.test_share == pytest.approx((0.4 + 0.36) / 2, rel=EXACT)
    assert found.learnt_share == pytest.approx((0.6 + 0.64) / 2, rel=EXACT)
    assert found.n_observations == 100


@given(st.integers(2, 3000))
def test_expected_bootstrap_sizes(n: int) -> None:
    found = shared_data("real-world", "bootstrap", n_observations=n)
    assert found.source == "expected-sizes"
    out = (1 - 1 / n) ** n
    assert found.ratio == pytest.approx(out / (1 - out), rel=1e-9)
    assert found.test_share == pytest.approx(out, rel=1e-9)  # the share out of bag
    assert found.learnt_share == pytest.approx(1 - out, rel=1e-9)
    assert found.n_observations == n


def test_limit_of_the_bootstrap() -> None:
    found = shared_data(None, "bootstrap", n_observations=10**7)
    assert found.ratio == pytest.approx(0.582, abs=5e-4)
    assert found.test_share == pytest.approx(0.368, abs=5e-4)


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, 1.0), (None, 0.5), (0.9, 1 / 9)])
def test_subsampling(fraction: float | None, expected: float) -> None:
    found = shared_data("real-world", "subsampling", n_observations=300, fraction=fraction)
    assert found.ratio == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("scheme", ["k-fold", "repeated-k-fold"])
def test_folds(scheme) -> None:
    found = shared_data("real-world", scheme, n_folds=10, n_observations=77)
    assert (found.ratio, found.source, found.test_share) == (1 / 9, "folds", 0.1)
    assert (found.n_observations, found.learnt_share) == (77, pytest.approx(0.9))
    assert shared_data("real-world", scheme, n_observations=77).reason == "folds-unknown"


def test_folds_by_their_sizes() -> None:
    sizes = {"n_distinct": np.array([9.0] * 10), "n_test": np.array([1.0] * 10)}
    assert shared_data("real-world", "k-fold", **sizes).ratio == pytest.approx(1 / 9)


def test_fresh_samples_share_nothing() -> None:
    found = shared_data("simulation", None)
    assert (found.ratio, found.source, found.test_share) == (0.0, "independent", 0.0)
    assert found.learnt_share is None


SIZES = {"n_distinct": np.full(3, 63.0), "n_test": np.full(3, 37.0), "n_observations": 100}


@pytest.mark.parametrize(
    ("problem", "scheme", "assessment", "reason"),
    [
        ("competition", "bootstrap", None, "fixed-test-sample"),
        ("simulation", "bootstrap", "fixed", "fixed-test-sample"),
        ("real-world", "bootstrap", "cross-validation", "cross-validated-bootstrap"),
        ("real-world", "bootstrap", "merged", "merged-samples"),
        ("real-world", "bootstrap", "learning", "learnt-observations"),
        ("real-world", "k-fold", "bootstrap", "learnt-observations"),
        ("real-world", "hold-out", None, "hold-out"),
        (None, None, None, "scheme-unknown"),
    ],
)
def test_not_applicable_whatever_the_sizes(problem, scheme, assessment, reason) -> None:
    found = shared_data(problem, scheme, assessment=assessment, **SIZES)
    assert (found.ratio, found.source, found.test_share) == (None, None, None)
    assert found.reason == reason


def test_imported_results_need_sizes_or_scheme() -> None:
    unknown = np.array([np.nan, np.nan])
    assert shared_data(None, "bootstrap", n_distinct=unknown, n_test=unknown).reason == (
        "sizes-unknown"
    )
    assert shared_data("real-world", None, n_observations=50).reason == "scheme-unknown"
    assert shared_data("real-world", None, **SIZES).source == "sizes"
    partly = {"n_distinct": np.array([50.0, np.nan]), "n_test": np.array([25.0, 30.0])}
    assert shared_data(None, "bootstrap", **partly).ratio == 0.5


def test_errors() -> None:
    with pytest.raises(ValueError, match="no learning observation"):
        shared_data("real-world", "bootstrap", n_distinct=np.zeros(2), n_test=np.ones(2))
    with pytest.raises(ValueError, match="two observations"):
        shared_data("real-world", "bootstrap", n_observations=1)
    with pytest.raises(ValueError, match="two folds"):
        shared_data("real-world", "k-fold", n_folds=1)
    with pytest.raises(ValueError, match="fraction"):
        shared_data("real-world", "subsampling", n_observations=10, fraction=1.0)
