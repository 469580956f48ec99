"""Left-out items in the worst case, against all ways to score them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from reportgen.stats.items.bounds import missing_item_bounds

CLOSE = 1e-12


def bounds(
    means: list[float], scored: list[int], missing_items: list[int], **options: object
) -> object:
    return missing_item_bounds(
        np.array(means), np.array(scored), np.array(missing_items), **options
    )


@pytest.mark.parametrize("is_smaller_better", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_bound_is_the_worst_of_all_answers(seed: int, is_smaller_better: bool) -> None:
    rng = np.random.default_rng(seed)
    rights, scored, missing_items = rng.integers(0, 9, 2), np.array([9, 9]), rng.integers(0, 4, 2)
    means = rights / scored
    found = missing_item_bounds(means, scored, missing_items, is_smaller_better=is_smaller_better)
    if rights[0] == rights[1]:
        assert not found.is_overturned[0]
        return
    ahead = 0 if (rights[0] > rights[1]) != is_smaller_better else 1
    leads = []
    for answers in product(*(range(k + 1) for k in missing_items)):
        completed = (rights + answers) / (scored + missing_items)
        lead = completed[ahead] - completed[1 - ahead]
        leads.append(-lead if is_smaller_better else lead)
    sign = (1 if ahead == 0 else -1) * (-1 if is_smaller_better else 1)
    assert found.bound[0] == pytest.approx(sign * min(leads), abs=CLOSE)
    assert found.is_overturned[0] == (min(leads) <= 0)


def test_nothing_left_out() -> None:
    found = bounds([0.5, 0.75, 0.5], [8, 8, 8], [0, 0, 0])
    np.testing.assert_allclose(found.bound, found.estimate)
    assert not found.is_overturned.any()


def test_unbounded_scores() -> None:
    found = bounds([5.0, 4.0], [8, 8], [1, 0], bounds=(0.0, np.inf))
    assert found.bound.tolist() == pytest.approx([5 * 8 / 9 - 4])
    found = bounds([5.0, 4.0], [8, 8], [0, 1], bounds=(0.0, np.inf))
    assert found.bound.tolist() == [-np.inf]
    assert found.is_overturned.all()


def test_unknown_means() -> None:
    found = bounds([0.5, np.nan], [8, 0], [0, 8])
    assert np.isnan(found.bound).all()
    assert not found.is_overturned.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.6], [8], [0, 0]), "one shape"),
        (([0.5, 0.6], [8, 8], [0, -1]), "negative"),
    ],
)
def test_what_is_no_count(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bounds(*arguments)
    with pytest.raises(ValueError, match="below"):
        bounds([0.5, 0.6], [8, 8], [0, 0], bounds=(1.0, 0.0))
