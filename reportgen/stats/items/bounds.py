"""How far items that were left out could change who is ahead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.simultaneous import all_pairs


@dataclass(frozen=True, slots=True)
class MissingItemBounds:
    """Differences of mean scores, and what they are in the worst case, of P pairs."""

    estimate: Array  # (P,); first - second, of the items that were scored
    # (P,); with every left-out item against whoever is ahead; NaN where that is unknown
    bound: Array
    # (P,); whether whoever is ahead is not any more. False where nobody is.
    is_overturned: NDArray[np.bool_]


def missing_item_bounds(
    means: Array,
    n_scored: NDArray[np.intp],
    n_missing: NDArray[np.intp],
    bounds: tuple[float, float] = (0.0, 1.0),
    *,
    is_smaller_better: bool = False,
) -> MissingItemBounds:
    """Return the differences of all pairs if every left-out item went against the leader.

    `means`: (K,); mean scores of the items that were scored; NaN without one.
    `n_scored`, `n_missing`: (K,); items of each model with a score, and without one.
    `bounds`: tuple of two floats, default (0, 1); the least and the largest score; infinite where
    there is none.
    Result: in the order of `all_pairs`.
    Raises ValueError if the shapes differ, a number is negative, or the bounds are not in order.

    Notes
    -----
    The leader's items get the worst score, those of the other the best one: no interval that
    leaves items out at random says as little as this. Where nobody is ahead, the first is taken
    for the leader.

    Examples
    --------
    >>> found = missing_item_bounds(np.array([0.8, 0.7]), np.array([90, 100]), np.array([10, 0]))
    >>> found.estimate.round(3), found.bound.round(3), found.is_overturned
    (array([0.1]), array([0.02]), array([False]))
    """
    low, high = bounds
    if not means.shape == n_scored.shape == n_missing.shape or means.ndim != 1:
        shapes = (means.shape, n_scored.shape, n_missing.shape)
        raise ValueError(f"means and numbers of items need one shape (K,), got {shapes}")
    if (n_scored < 0).any() or (n_missing < 0).any():
        raise ValueError("numbers of items must not be negative")
    if not low < high:
        raise ValueError(f"the least score must be below the largest, got {bounds}")
    worst, best = (high, low) if is_smaller_better else (low, high)
    first, second = all_pairs(len(means)).T
    estimate = means[first] - means[second]
    is_first = (estimate <= 0) if is_smaller_better else (estimate >= 0)
    lowered, raised = (_completed(means, n_scored, n_missing, x) for x in (worst, best))
    bound = np.where(is_first, lowered[first] - raised[second], raised[first] - lowered[second])
    stays = np.sign(bound) == np.sign(estimate)
    is_overturned = ~stays & (estimate != 0) & np.isfinite(estimate)
    return MissingItemBounds(
        estimate, np.where(np.isfinite(estimate), bound, np.nan), is_overturned
    )


def _completed(
    means: Array, n_scored: NDArray[np.intp], n_missing: NDArray[np.intp], score: float
) -> Array:
    """Return mean scores with one score for all items that were left out."""
    share = n_missing / np.maximum(n_scored + n_missing, 1)
    with np.errstate(invalid="ignore"):  # 0 times infinite
        return np.where(n_missing > 0, (1 - share) * means + share * score, means)
