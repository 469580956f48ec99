"""Tuning by successive halving: many settings on few observations, few settings on all.

Jamieson and Talwalkar (2016), Non-stochastic best arm identification and
hyperparameter optimization, AISTATS, algorithm 1, with observations of the
learning sample as the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import is_classifier

from reportgen.catalogue.inner_folds import copies_of, rows_of
from reportgen.catalogue.inner_measures import Judged, inner_measure
from reportgen.catalogue.searches import Setting, Settings
from reportgen.catalogue.tuning import Rule, Tuned

FACTOR = 3
"""One in so many settings goes on, and learns from so many times the observations."""


class Round(NamedTuple):
    """A round: how many settings are tried, on how many distinct observations."""

    n_settings: int
    n_observations: int


def rounds_of(n_settings: int, n_observations: int, least: int, factor: int) -> list[Round]:
    """Return the rounds of a search; the last one is on all observations.

    Parameters
    ----------
    n_settings : int
    n_observations : int
        Distinct ones in the learning sample.
    least : int
        Observations of any round, where there are so many.
    factor : int
        From 2.

    Examples
    --------
    >>> for round in rounds_of(27, 900, 20, 3):
    ...     print(*round)
    27 100
    9 300
    3 900
    """
    counts = [n_settings]
    while counts[-1] > factor:
        counts.append(ceil(counts[-1] / factor))
    sizes = [ceil(n_observations / factor**i) for i in reversed(range(len(counts)))]
    least = min(least, n_observations)
    return [Round(k, max(size, least)) for k, size in zip(counts, sizes, strict=True)]


class Halved(Tuned):
    """An estimator whose hyperparameters are chosen by successive halving.

    Parameters
    ----------
    estimator, settings, preparation, folds, rule, measure, random_state
        See `Tuned`.
    factor : int
        One in so many settings survives a round.

    Attributes
    ----------
    errors_ : ndarray
        The measure of each setting in the last round that it came to.
    rounds_ : list of Round

    Notes
    -----
    The observations of a round are among those of the next one; each class has
    its share of them, and copies of one observation come together. Settings of
    equal errors survive in their order. Of the last round, the rule chooses.
    """

    def __init__(
        self,
        estimator: Any,
        settings: Settings,
        preparation: Any = None,
        folds: int = 10,
        rule: Rule = "best",
        measure: Judged = None,
        random_state: int | None = None,
        factor: int = FACTOR,
    ) -> None:
        super().__init__(estimator, settings, preparation, folds, rule, measure, random_state)
        self.factor = factor

    def _choose(
        self, X: pd.DataFrame, y: NDArray[Any], tried: Sequence[Setting], rng: Generator
    ) -> int:
        classes = y if is_classifier(self.estimator) else None
        priority = priorities(copies_of(X), classes, rng)
        n_classes = 1 if classes is None else len(np.unique(classes))
        n = int(priority.max()) + 1
        self.rounds_ = rounds_of(len(tried), n, 2 * self.folds * n_classes, self.factor)
        errors = np.full(len(tried), np.inf)
        left = np.arange(len(tried))
        chosen = 0
        for k, (n_settings, n_observations) in enumerate(self.rounds_):
            if k and np.isfinite(errors[left]).any():
                left = np.sort(left[np.argsort(errors[left], kind="stable")[:n_settings]])
            rows = np.flatnonzero(priority < n_observations)
            part = [tried[i] for i in left.tolist()]
            chosen = self._best(rows_of(X, rows), y[rows], part, rng, is_last=self._ends(k))
            errors[left] = self.errors_
        self.errors_ = errors
        return int(left[chosen])

    def _ends(self, k: int) -> bool:
        return k == len(self.rounds_) - 1

    def _best(
        self,
        X: pd.DataFrame,
        y: NDArray[Any],
        tried: Sequence[Setting],
        rng: Generator,
        *,
        is_last: bool,
    ) -> int:
        """Try settings in a round; only in the last one somebody has to be chosen."""
        if is_last:
            return super()._choose(X, y, tried, rng)
        measure = inner_measure(
            self.measure, "classification" if is_classifier(self.estimator) else "regression"
        )
        said = self._cross_validated(X, y, tried, measure, rng)
        self.errors_ = np.array([of_setting.error(measure) for of_setting in said])
        return 0


def priorities(
    copies: NDArray[np.int64], classes: NDArray[Any] | None, rng: Generator
) -> NDArray[np.int64]:
    """Number distinct observations so that the first ones have their share of every class.

    Parameters
    ----------
    copies : ndarray of shape (n,)
        Equal numbers for copies of one observation.
    classes : ndarray of shape (n,), optional
    rng : Generator

    Returns
    -------
    ndarray of shape (n,)
        From 0; equal for copies.
    """
    distinct, first, back = np.unique(copies, return_index=True, return_inverse=True)
    place = np.empty(len(distinct))
    of = np.zeros(len(distinct)) if classes is None else classes[first]
    for g in np.unique(of):
        members = np.flatnonzero(of == g)
        place[rng.permutation(members)] = (np.arange(len(members)) + 0.5) / len(members)
    number = np.empty(len(distinct), dtype=np.int64)
    number[np.argsort(place, kind="stable")] = np.arange(len(distinct))
    return number[back]
