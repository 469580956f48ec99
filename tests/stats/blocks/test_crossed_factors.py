"""Components of crossed factors: by hand, lme4, brute force, simulated coverage, refusals."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reportgen import stats
from reportgen.stats.blocks.crossed_factors import (
    CrossedComponents,
    components_of,
    count_to_halve,
    mean_variance,
)
from reportgen.stats.pairs.new_data import mean_squares, seed_components

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "crossed_factors.json").read_text())
FITTED = 2e-4  # relative, to the variance of a value: both programs search the optimum
CLOSED_FORM = 1e-9  # relative
N_DRAWS = 200  # of layouts: a level of 5% is exceeded by chance above MOST once in 1,000
MOST = 21


def _layout(*sizes: int) -> dict[str, np.ndarray]:
    cells = np.array(list(product(*map(range, sizes))))
    return dict(zip(("split", "seed", "tuning"), cells.T, strict=False))


def _by_term(found: CrossedComponents) -> dict[str, float]:
    return {" x ".join(c.term) or "Residual": c.variance for c in found.components}


@pytest.mark.parametrize("case", ["complete", "gaps", "lost", "star"])
def test_fits_are_lme4s(case: str) -> None:
    """A complete layout without a component at 0 has one answer; others are fitted by both."""
    own = GOLDEN[case]
    found = stats.crossed_components(own["y"], own["levels"])
    assert found.method == ("mean-squares" if case == "complete" else "reml")
    assert _by_term(found).keys() == own["variances"].keys()
    for term, variance in _by_term(found).items():
        assert variance == pytest.approx(own["variances"][term], abs=FITTED * found.total)


def test_expected_mean_squares_by_hand() -> None:
    """Six values: splits have the mean square 17.33, seeds 2.67 and the rest .17."""
    values = np.array([[1.0, 2.0], [2.0, 3.0], [6.0, 8.0]])
    squares = mean_squares(values)
    found = stats.crossed_components(values.ravel(), _layout(3, 2))
    rest = squares.rest
    expected = [(squares.splits - rest) / 2, (squares.seeds - rest) / 3, rest]
    assert_allclose([c.variance for c in found.components], expected, rtol=CLOSED_FORM)


def test_three_factors_by_brute_force() -> None:
    """The component of a term is what the mean squares of all larger terms leave of its own."""
    sizes = (4, 3, 5)
    y = np.random.default_rng(3).normal(size=sizes)
    y += np.random.default_rng(4).normal(size=(4, 1, 1)) * 3
    y += np.random.default_rng(5).normal(size=(1, 3, 1)) * 2
    y += np.random.default_rng(6).normal(size=(4, 3, 1)) * 2
    y += np.random.default_rng(7).normal(size=(4, 1, 5)) * 2
    y += np.random.default_rng(8).normal(size=(1, 3, 5)) * 2
    found = stats.crossed_components(y.ravel(), _layout(*sizes))

    def square(axes: tuple[int, ...]) -> float:
        """Mean square of an interaction, by centring over each of its axes."""
        x = y.mean(axis=tuple(a for a in range(3) if a not in axes), keepdims=True)
        for axis in axes:
            x = x - x.mean(axis=axis, keepdims=True)
        n = np.prod([sizes[a] for a in range(3) if a not in axes])
        return float(n * (x**2).sum() / np.prod([sizes[a] - 1 for a in axes]))

    rest = square((0, 1, 2))
    ab, ac, bc = square((0, 1)), square((0, 2)), square((1, 2))
    expected = {
        "split": (square((0,)) - ab - ac + rest) / 15,
        "seed": (square((1,)) - ab - bc + rest) / 20,
        "tuning": (square((2,)) - ac - bc + rest) / 12,
        "split x seed": (ab - rest) / 5,
        "split x tuning": (ac - rest) / 3,
        "seed x tuning": (bc - rest) / 4,
        "Residual": rest,
    }
    for term, variance in _by_term(found).items():
        assert variance == pytest.approx(max(0.0, expected[term]), rel=1e-8)


def test_likelihood_of_a_complete_layout_is_the_closed_form() -> None:
    """Where no component is 0, both methods have one answer: a gap makes the other one fit."""
    rng = np.random.default_rng(8)
    y = rng.normal(size=(9, 1)) * 2 + rng.normal(size=(1, 7)) + rng.normal(size=(9, 7))
    layout = _layout(9, 7)
    closed = stats.crossed_components(y.ravel(), layout)
    # one more value: no layout is complete with it, and it says hardly anything
    more = {name: np.append(levels, 0) for name, levels in layout.items()}
    fitted = stats.crossed_components(np.append(y.ravel(), y[0, 0]), more)
    assert (closed.method, fitted.method) == ("mean-squares", "reml")
    assert_allclose(
        [c.variance for c in closed.components], [c.variance for c in fitted.components], rtol=0.05
    )


def test_repeated_cells_tell_the_interaction_from_the_rest() -> None:
    rng = np.random.default_rng(5)
    layout = {name: np.repeat(levels, 3) for name, levels in _layout(6, 5).items()}
    cells = layout["split"] * 5 + layout["seed"]
    y = 2 * rng.normal(size=30)[cells] + rng.normal(size=90)
    found = _by_term(stats.crossed_components(y, layout))
    assert found["split x seed"] > 1.5
    assert 0.5 < found["Residual"] < 1.6


def test_rows_in_any_order_have_the_same_components() -> None:
    rng = np.random.default_rng(9)
    y, layout = rng.normal(size=35), _layout(7, 5)
    order = rng.permutation(35)
    one = stats.crossed_components(y, layout)
    other = stats.crossed_components(y[order], {k: v[order] for k, v in layout.items()})
    assert_allclose(
        [c.variance for c in one.components], [c.variance for c in other.components], atol=1e-12
    )


def test_a_factor_of_one_level_is_none() -> None:
    layout = {**_layout(4, 3), "tuning": np.zeros(12)}
    found = stats.crossed_components(np.random.default_rng(1).normal(size=12), layout)
    assert found.counts == {"split": 4, "seed": 3}


@pytest.mark.slow
def test_coverage() -> None:
    rng, layout, sizes = np.random.default_rng(46), _layout(10, 6), (10, 6)
    true = {("split",): 4.0, ("seed",): 2.25, (): 1.0}
    missed = dict.fromkeys(true, 0)
    for _ in range(N_DRAWS):
        y = 2 * rng.normal(size=(10, 1)) + 1.5 * rng.normal(size=(1, 6)) + rng.normal(size=sizes)
        found = components_of(y.ravel(), layout, 0.05, rng)
        assert found is not None
        for own in found.components:
            missed[own.term] += not own.lower <= true[own.term] <= own.upper
    assert max(missed.values()) <= MOST
    assert sum(missed.values()) > 0


# ------------------------------------------------------------------------ error of the mean


@pytest.mark.parametrize("ratio", [1 / 9, 0.5])
def test_seeds_that_halve_are_those_of_one_pair(ratio: float) -> None:
    """The rule of two factors on new data, which has its own code."""
    rng = np.random.default_rng(4)
    d = rng.normal(size=(10, 1)) * 0.02 + rng.normal(size=(1, 4)) + 0.2 * rng.normal(size=(10, 4))
    pair = seed_components(d, ratio)
    found = stats.crossed_components(d.ravel(), _layout(10, 4))
    assert pair is not None
    share = ratio / (1 + ratio)
    factor = max(1 / 10 + ratio, 2 * share)
    assert found.variances["split",] == pytest.approx(pair.splits, rel=CLOSED_FORM)
    halved = count_to_halve(found.variances, found.counts, "seed", factor=factor)
    assert halved == pair.seeds_to_halve


def test_counts_that_halve_halve() -> None:
    variances = {("split",): 0.2, ("seed",): 1.0, ("split", "seed"): 0.1, (): 0.4}
    counts = {"split": 5, "seed": 3}
    now = mean_variance(variances, counts)
    enough = count_to_halve(variances, counts, "seed")
    assert enough is not None
    assert mean_variance(variances, {**counts, "seed": enough}) <= now / 4
    assert mean_variance(variances, {**counts, "seed": enough - 1}) > now / 4
    assert count_to_halve(variances, counts, "split") is None  # seeds alone are more than a quarter
    assert count_to_halve({("seed",): 0.0, (): 0.0}, {"seed": 2}, "seed") is None


@pytest.mark.parametrize(
    ("values", "levels", "message"),
    [
        ([1.0, 2.0, 3.0], {"seed": [1, 2]}, "levels['seed']: found 2 levels; allowed 3, one a"),
        ([1.0, 2.0, 3.0], {}, "levels: found no factor; allowed the levels of one factor or more"),
        ([[1.0], [2.0]], {"seed": [1, 2]}, "values: found shape (2, 1); allowed one axis"),
        ([1.0, np.inf, 2.0], {"seed": [1, 2, 3]}, "values: found infinite values"),
        ([2.0, 2.0, 2.0, 2.0], {"seed": [1, 1, 2, 2]}, "values: found no variation"),
        ([1.0, 2.0, 3.0], {"seed": [1, 2, 3]}, "values: found no variation that factors could"),
        ([1.0, 2.0, np.nan], {"seed": [1, 1, 2]}, "values: found no variation that factors could"),
    ],
)
def test_refused(values: Any, levels: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        stats.crossed_components(values, levels)
    assert str(caught.value).startswith(message)
