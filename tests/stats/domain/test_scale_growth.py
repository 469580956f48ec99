"""Whether values of data sets have one scale: by hand, and on what is known."""

import numpy as np
import pytest

from reportgen.stats.domain.scale_growth import scale_growth


def drawn(levels: np.ndarray, proportional: bool, seed: int = 1) -> np.ndarray:
    """Return values whose spread grows with the level, or not."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(levels), 6))
    return levels[:, None] + noise * (0.1 * levels[:, None] if proportional else 0.1)


def test_the_slope_is_that_of_least_squares():
    values = drawn(10.0 ** np.linspace(0, 3, 12), proportional=True)
    found = scale_growth(values)
    level, spread = np.median(np.abs(values), axis=1), values.std(axis=1, ddof=1)
    assert found.slope == pytest.approx(np.polyfit(np.log(level), np.log(spread), 1)[0])
    assert found.level_ratio == pytest.approx(level.max() / level.min())
    assert found.spread_ratio == pytest.approx(np.quantile(spread, 0.9) / np.quantile(spread, 0.1))
    assert found.is_shown


@pytest.mark.parametrize(
    "values",
    [
        drawn(10.0 ** np.linspace(0, 3, 12), proportional=False),  # levels alone
        drawn(np.linspace(1, 3, 12), proportional=True),  # hardly any range
        drawn(10.0 ** np.linspace(-4, -1, 12), proportional=True).clip(0, 1),  # shares
    ],
)
def test_what_has_one_scale_is_not_taken_for_many(values):
    assert not scale_growth(values).is_shown


def test_nothing_is_known_of_too_few_data_sets():
    assert scale_growth(np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 4.0]])) is None
