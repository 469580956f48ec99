"""What another processor rounds, signs or orders in its own way decides nothing.

Linear algebra libraries return eigenvectors with any sign, any basis where eigenvalues are tied,
and last bits of their own. Here another library is imitated, inputs are changed in their last
bits, in order and in unit, and candidates differ by almost nothing beside the blocks' levels.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.stats.archetypal_analysis import fit as archetypes_fit
from reportgen.stats.blocks.diagnostics import predict
from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.kenward_roger import FixedEffects, scaled_f
from reportgen.stats.blocks.model import fit_block_model, greenhouse_geisser
from reportgen.stats.blocks.variances import variance_intervals
from reportgen.stats.characteristics import landmarkers
from reportgen.stats.characteristics.landmarkers import nearest_neighbour_error
from reportgen.stats.characteristics.maps import Sample
from reportgen.stats.distributions.max_abs_t import contrast_max_abs_t
from reportgen.stats.domain.components import reml_components
from reportgen.stats.domain.dataset_means import fit_dataset_means
from reportgen.stats.domain.incomplete import fit_incomplete_domain
from reportgen.stats.domain.model import fit_domain_model, hotelling
from reportgen.stats.domain.strata import domain_strata
from reportgen.stats.linear_algebra import helmert_contrasts, n_nonzero
from reportgen.stats.multiplicity.simultaneous import max_abs_t_pairs, pair_contrasts, tukey
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.ranking import NOISE
from reportgen.stats.worths import tree as cutpoints
from reportgen.stats.worths.bradley_terry import statistics
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Node, _most_unstable, best_split

Array = NDArray[np.float64]

EXACT = 1e-12  # sums of a few numbers
SAME = 1e-9  # two ways to one number, square roots of eigenvalues among them
DIGITS = 1e-4  # what is left of 16 digits beside levels 1e10 times as large, and squares


def rounded(values: Array, seed: int) -> Array:
    """Change numbers in their last bits."""
    return values * (1 + np.random.default_rng(seed).integers(-2, 3, values.shape) * 1.2e-16)


@pytest.fixture
def other_library(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Turn and mirror eigenvectors and singular vectors as far as they are not determined."""
    eigh, svd, rng = np.linalg.eigh, np.linalg.svd, np.random.default_rng(11)

    def turn(sizes: Array) -> Array:
        found = np.diag(rng.choice([-1.0, 1.0], len(sizes)))
        for i in range(len(sizes)):
            tied = np.flatnonzero(np.abs(sizes - sizes[i]) <= 1e-12 * np.abs(sizes).max())
            if len(tied) > 1 and tied[0] == i:
                found[np.ix_(tied, tied)] = np.linalg.qr(rng.normal(size=(len(tied),) * 2))[0]
        return found

    def other_eigh(matrix: Array) -> Any:
        values, vectors = eigh(matrix)
        return values, vectors @ turn(values)

    def other_svd(matrix: Array, *, full_matrices: bool = True) -> Any:
        left, sizes, right = svd(matrix, full_matrices=full_matrices)
        turned = turn(sizes)
        return left @ turned, sizes, turned.T @ right

    def install() -> None:
        monkeypatch.setattr(np.linalg, "eigh", other_eigh)
        monkeypatch.setattr(np.linalg, "svd", other_svd)

    return install


# ------------------------------------------------------------------------ contrasts and ranks


def test_helmert_contrasts_are_orthonormal() -> None:
    found = helmert_contrasts(7)
    np.testing.assert_allclose(found @ found.T, np.eye(6), atol=EXACT)
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=EXACT)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_ranks_know_no_unit(unit: float) -> None:
    exact = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0], [7.0, 1.0, 8.0], [2.0, 2.0, 4.0]])
    for seed in range(20):
        noisy = rounded(unit * exact, seed)
        assert n_nonzero(np.linalg.svd(noisy, compute_uv=False)) == 2


@pytest.mark.parametrize("df", [9.0, np.inf])
def test_the_law_of_max_t_is_that_of_no_library(
    df: float, other_library: Callable[[], None]
) -> None:
    covariance = np.cov(np.random.default_rng(7).normal(size=(9, 7)), rowvar=False)

    def critical() -> tuple[float, float]:
        law = contrast_max_abs_t(covariance, df, np.random.default_rng(1))
        return law.quantile(0.05)

    here = critical()
    other_library()
    assert critical() == pytest.approx(here, rel=SAME)


def test_categories_are_ordered_alike(
    monkeypatch: pytest.MonkeyPatch, other_library: Callable[[], None]
) -> None:
    """Two of six categories differ from the others in one way, two in another, equally much."""
    monkeypatch.setattr(cutpoints, "MOST_CATEGORIES", 3)
    counts = np.tile(np.array([[4.0, 2.0, 4.0]]), (12, 3, 1))
    codes = np.arange(12) % 6.0
    counts[codes < 2, 0] = [8.0, 2.0, 0.0]
    counts[(codes >= 2) & (codes < 4), 1] = [8.0, 2.0, 0.0]
    features = statistics(3, 2, ties=True)

    def found() -> Any:
        return best_split(counts, codes, Kind.CATEGORICAL, features, np.zeros(3), min_size=1)

    here = found()
    other_library()
    for _ in range(5):
        assert repr(found()) == repr(here)  # a cut that is no number equals no other


# ------------------------------------------------------------- covariances that are singular


def test_proportional_differences_have_no_hotelling_test() -> None:
    """Their covariance is singular but for rounding, which is larger where means are."""
    taste = np.random.default_rng(5).normal(size=(12, 1)) * np.array([0.0, 0.1, 0.2, 0.3])
    for level in (0.0, 20.0, 1e4):
        for seed in range(20):
            order = np.random.default_rng(seed).permutation(4)
            assert hotelling(rounded(level + taste, seed)[:, order]) is None
            assert fit_dataset_means(rounded(level + taste, seed), "unstructured").sigma_rank <= 2


def test_hotelling_does_not_depend_on_order_or_unit() -> None:
    rows = np.random.default_rng(6).normal(size=(12, 4)) + 1e6
    expected = hotelling(rows)
    assert expected is not None
    for other in (rows[::-1, [2, 0, 3, 1]], rows * 1e-9, rows * 1e9):
        found = hotelling(other)
        assert found is not None
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-8)


def test_singular_contrasts_have_no_scaled_f() -> None:
    """The means of two of three candidates have one error."""
    root = np.array([[1.0, 1.0, 0.3], [0.0, 0.0, 0.8]])
    phi = root.T @ root
    effects = FixedEffects(np.zeros(3), phi, phi, phi[None], np.eye(1))
    for seed in range(10):
        noisy = FixedEffects(np.zeros(3), rounded(phi, seed), phi, phi[None], np.eye(1))
        assert scaled_f(noisy, pair_contrasts(3)[:2]) is None
    assert scaled_f(effects, pair_contrasts(3)[1:2]) is not None


# ---------------------------------------------- differences that are small beside the levels


def nearly_alike(size: float, n_blocks: int = 30, k: int = 4) -> tuple[Array, Array]:
    """Return values whose differences are `size` beside levels of 1, and these differences."""
    rng = np.random.default_rng(8)
    apart = size * (rng.normal(size=(n_blocks, k)) + 0.3 * np.arange(k))
    values = rng.normal(size=(n_blocks, 1)) + apart
    return values, values[:, 0] - values[:, 1]


@pytest.mark.parametrize("size", [1e-4, 1e-6, 1e-8])
def test_pairs_of_candidates_that_are_nearly_alike(size: float) -> None:
    values, difference = nearly_alike(size, 60)
    own = paired_max_t(values, 0.05, np.random.default_rng(1))
    assert own.standard_error[0] == pytest.approx(difference.std(ddof=1) / np.sqrt(60), rel=1e-6)
    model = fit_block_model(values)
    pairs = tukey(model.estimates, 0.05)
    assert pairs.standard_error[0] == pytest.approx(np.sqrt(2 * model.variance / 60), rel=DIGITS)


@pytest.mark.parametrize("size", [1e-4, 1e-6, 1e-8, 1e-10])
def test_gaps_do_not_drown_small_differences(size: float) -> None:
    def fitted(size: float) -> Any:
        values, _ = nearly_alike(size)
        values[0, 0] = values[3, 2] = np.nan
        return fit_incomplete_blocks(values)

    model, expected = fitted(size), fitted(1e-3)
    assert model.variance == pytest.approx(expected.variance * (size / 1e-3) ** 2, rel=DIGITS)
    assert model.equality.p_value == pytest.approx(expected.equality.p_value, rel=DIGITS)
    pairs = max_abs_t_pairs(model.estimates, 0.05, np.random.default_rng(1))
    np.testing.assert_allclose(pairs.standard_error, np.sqrt(2 * model.variance / 29), rtol=0.05)


@pytest.mark.parametrize("size", [1e-4, 1e-8, 1e-10])
def test_predictions_of_blocks_that_differ_most(size: float) -> None:
    values, _ = nearly_alike(size)
    model = fit_block_model(values)
    found = predict(values, model.block_variance / model.variance)
    np.testing.assert_allclose(found.means, values.mean(axis=0), rtol=0, atol=EXACT)
    assert found.residuals.std() == pytest.approx(np.sqrt(model.variance), rel=0.2)


@pytest.mark.parametrize("size", [1e-2, 1e-6, 1e-10])
def test_the_covariance_of_a_domain_keeps_its_level(size: float) -> None:
    values, _ = nearly_alike(size, 15)
    model = fit_domain_model(values.reshape(3, 5, 4), "unstructured")
    assert model.covariance is not None
    levels = values.reshape(3, 5, 4).mean(axis=1)
    within = values.reshape(3, 5, 4).var(axis=1, ddof=1).mean() / 5
    expected = np.cov(levels, rowvar=False)[0, 0] - within
    assert model.covariance[0, 0] == pytest.approx(max(expected, 0), abs=0.2)


def test_expectations_that_are_equal_leave_no_variance() -> None:
    """Interaction and residual have the same mean square; last bits must not name a variance."""
    values = np.random.default_rng(9).normal(size=(6, 4, 3))
    strata = domain_strata(values)
    squares = strata.squares.copy()
    squares[1] = squares[3] / strata.df[3] * strata.df[1] * (1 + 2e-16)
    balanced = SimpleNamespace(
        shape=strata.shape,
        squares=squares,
        df=strata.df,
        mean_squares=squares / strata.df,
    )
    found = reml_components(balanced)  # type: ignore[arg-type]
    assert found.interaction == 0
    assert "interaction" in found.zeros


# ------------------------------------------------------------------ values that do not vary


def test_what_does_not_vary_has_no_sphericity() -> None:
    for seed in range(20):
        level = np.random.default_rng(seed).normal(size=(12, 1)).round(2)
        values = rounded(level + np.array([0.1, 0.3, 0.4, 0.7]), seed)
        assert np.isnan(greenhouse_geisser(values))


def test_what_does_not_vary_has_no_variance_intervals() -> None:
    for seed in range(20):
        values = rounded(np.tile([0.1, 0.3, 0.4, 0.7], (12, 1)), seed)
        with pytest.raises(ValueError, match="do not vary"):
            variance_intervals(values)


@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
def test_what_does_not_vary_inside_data_sets_is_no_domain(structure: Any) -> None:
    rng = np.random.default_rng(3)
    levels = rng.normal(size=(7, 1, 1)) + rng.normal(size=(7, 5, 1)) + np.array([0.0, 0.1, 0.5])
    for seed in range(5):
        values = rounded(levels, seed)
        values[0, 0, 0] = np.nan
        with pytest.raises(ValueError, match="cannot be distinguished"):
            fit_incomplete_domain(list(values), structure)


# ---------------------------------------------------------------------------- ties


def lattice(n: int, seed: int) -> tuple[Array, NDArray[np.int64]]:
    """Return points of which many are equally far from one another, and classes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, 4)).astype(float), rng.integers(0, 2, n)


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_at_one_distance_are_taken_in_order(seed: int) -> None:
    points, classes = lattice(120, seed)
    nominal = np.zeros((120, 0), dtype=np.int64)
    expected = nearest_neighbour_error(Sample(points, nominal, classes))
    for axis in range(4):  # the same distances, summed in another order
        turned = np.roll(points, axis, axis=1) * [1, -1, 1, -1]
        assert nearest_neighbour_error(Sample(turned, nominal, classes)) == expected


def test_scores_that_are_equal_but_for_rounding_name_the_first() -> None:
    scores = np.array([[0.5, 0.5 + 1e-16, 0.1], [0.1 + 0.2, 0.3, 0.3], [-np.inf, 0.3, 0.1 + 0.2]])
    assert landmarkers._largest(scores).tolist() == [0, 0, 1]
    assert landmarkers._largest(np.array([[1.0, 1.0 + 1e-6]])).tolist() == [1]


def test_archetypes_with_one_coordinate_keep_their_order() -> None:
    """Two of them differ in the first column by noise only; the second orders them."""
    places = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    for noise in (-1e-12, 0.0, 1e-12):
        found = places + np.array([[0.0, 0.0], [noise, 0.0], [0.0, 0.0]])
        assert archetypes_fit.order_of(found).tolist() == [2, 1, 0]


def test_characteristics_that_are_as_unstable_stay_in_order() -> None:
    """A characteristic and its opposite have one statistic, but not the same float."""

    def test(statistic: float) -> Any:
        return SimpleNamespace(statistic=statistic, law=lambda x: -x)

    for share in (1 - NOISE / 10, 1.0, 1 + NOISE / 10):
        tests = (test(9.0), test(20.0), test(20.0 * share))
        node = SimpleNamespace(tests=tests, adjusted=np.array([0.04, 0.01, 0.01]))
        assert _most_unstable(_as_node(node), 0.05).tolist() == [1, 2, 0]


def _as_node(node: Any) -> Node:
    return node
