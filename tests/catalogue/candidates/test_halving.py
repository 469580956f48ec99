"""Successive halving: which settings survive, on which observations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from reportgen.catalogue.candidates.search import Grid
from reportgen.catalogue.candidates.tuning import Halved, Tuned, priorities, rounds_of
from tests.catalogue.candidates.test_tuning import Witness

RNG = np.random.default_rng


class Listed(Witness):
    """Takes down the setting and the number of rows of every fit; the number is its error."""

    fitted: list[tuple[int, frozenset[int]]] = []  # noqa: RUF012

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Listed:
        super().fit(X, y)
        Listed.fitted.append((self.number, frozenset(X.index)))
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        answer = (X["x"].to_numpy() >= 0).astype(int)  # the truth
        answer[: self.number] = 1 - answer[: self.number]  # but for so many
        return answer


def test_rounds_end_on_all_observations() -> None:
    assert rounds_of(10, 90, 1, 3) == [(10, 10), (4, 30), (2, 90)]
    assert rounds_of(3, 90, 1, 3) == [(3, 90)]  # so few that nothing is gained
    assert rounds_of(10, 90, 40, 3) == [(10, 40), (4, 40), (2, 90)]
    assert rounds_of(10, 20, 40, 3) == [(10, 20), (4, 20), (2, 20)]


def test_the_best_survive_on_observations_of_which_the_first_were_some() -> None:
    x = pd.DataFrame({"x": RNG(1).normal(size=108)})
    y = (x["x"].to_numpy() >= 0).astype(int)
    Listed.fitted = []
    tuned = Halved(Listed(), Grid({"number": (5, 3, 1, 2, 4, 6, 7, 8, 9)}), folds=2, random_state=1)
    tuned.fit(x, y)
    assert tuned.chosen_ == {"number": 1}
    assert tuned.rounds_ == [(9, 36), (3, 108)]
    first, last = Listed.fitted[:18], Listed.fitted[18:-1]
    assert sorted({number for number, _ in last}) == [1, 2, 3]
    seen = [frozenset.union(*(rows for _, rows in part)) for part in (first, last)]
    assert len(seen[0]) == 36
    assert seen[0] < seen[1] == frozenset(range(108))
    assert len(Listed.fitted) == 2 * 9 + 2 * 3 + 1


def test_few_settings_are_chosen_from_as_by_a_grid() -> None:
    x = pd.DataFrame(RNG(2).normal(size=(60, 2)))
    y = (x[0] + RNG(3).normal(size=60) > 0).to_numpy(int)
    grid = Grid({"n_neighbors": (1, 5, 9)})
    halved = Halved(KNeighborsClassifier(), grid, folds=3, random_state=4).fit(x, y)
    assert len(halved.rounds_) == 1
    assert np.isfinite(halved.errors_).all()
    assert halved.predict(x).shape == (60,)
    assert set(halved.get_params()) - set(Tuned(None, grid).get_params(deep=False)) >= {"factor"}


def test_settings_that_fail_are_given_up_and_all_failing_is_an_error() -> None:
    x = pd.DataFrame({"x": RNG(1).normal(size=60)})
    y = (x["x"].to_numpy() >= 0).astype(int)
    some = Grid({"n_neighbors": (500, 600, 3, 700)})
    tuned = Halved(KNeighborsClassifier(), some, folds=2, random_state=1).fit(x, y)
    assert tuned.chosen_ == {"n_neighbors": 3}
    none = Grid({"n_neighbors": (500, 600, 700, 800)})
    with pytest.raises(ValueError, match="could be fitted in all folds"):
        Halved(KNeighborsClassifier(), none, folds=2, random_state=1).fit(x, y)


def test_priorities_spread_classes_and_keep_copies_together() -> None:
    copies = RNG(5).integers(40, size=100)
    classes = (copies >= 30).astype(int)  # three quarters and one quarter of the observations
    number = priorities(copies, classes, RNG(6))
    assert len({(c, n) for c, n in zip(copies, number, strict=True)}) == len(set(copies))
    first = {c for c, n in zip(copies, number, strict=True) if n < 20}
    assert sum(c >= 30 for c in first) in (4, 5, 6)
